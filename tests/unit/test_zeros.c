/* dense matrices of which most entries are zero: the run is that of the pattern, also when an entry
   comes that was zero at the start */
#include "gallery.h"
#include "test.h"

/* 24 coordinates, g_i = q_2i - sin q_2i+1, and from t = 0.2 on g_3 also has s(t) q_23 with
   s = 40 (t - 0.2)^3 */
enum { N = 24, ROWS = 10, LATE = 3, FAR = 23 };

typedef struct statement {
  bool dense, late;
} statement;

static double power(double t, int k) {
  static const double factor[] = {40, 120, 240};
  return t > 0.2 ? factor[k] * pow(t - 0.2, 3 - k) : 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0; i < N; i++) f[i] = 1.3 - (2 + 0.1 * i) * q[i] - 0.05 * v[i];
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const statement *s = ctx;
  for (int i = 0; i < ROWS; i++) g[i] = q[2 * i] - sin(q[2 * i + 1]);
  if (s->late) g[LATE] += power(t, 0) * q[FAR];
  return 0;
}

static int rate(double t, const double *q, double *r, void *ctx) {
  const statement *s = ctx;
  for (int i = 0; i < ROWS; i++) r[i] = 0;
  if (s->late) r[LATE] = power(t, 1) * q[FAR];
  return 0;
}

/* the farthest that anybody has looked from the start, which is q0 */
static double q0[N], farthest;

/* two entries a row, a third in one of them */
static int gradient(double t, const double *q, double *G, void *ctx) {
  const statement *s = ctx;
  for (int i = 0; i < N; i++) farthest = fmax(farthest, fabs(q[i] - q0[i]));
  for (int i = 0, k = 0; i < ROWS; i++) {
    double *row = s->dense ? G + i * N + 2 * i : G + k;
    row[0] = 1, row[1] = -cos(q[2 * i + 1]);
    k += 2;
    if (i != LATE || !s->late) continue;
    if (s->dense) G[i * N + FAR] = power(t, 0);
    else G[k++] = power(t, 0);
  }
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const statement *s = ctx;
  for (int i = 0; i < ROWS; i++) c[i] = sin(q[2 * i + 1]) * v[2 * i + 1] * v[2 * i + 1];
  if (s->late) c[LATE] += 2 * power(t, 1) * v[FAR] + power(t, 2) * q[FAR];
  return 0;
}

/* method NULL: no more than the solver is made */
static dae_status run(statement s, const char *method, double *z) {
  int start[ROWS + 1] = {0}, column[2 * ROWS + 1], k = 0;
  for (int i = 0; i < ROWS; i++) {
    column[k++] = 2 * i, column[k++] = 2 * i + 1;
    if (i == LATE && s.late) column[k++] = FAR;
    start[i + 1] = k;
  }
  dae_pattern pattern = {ROWS, N, start, column};
  double z0[2 * N];
  for (int i = 0; i < N; i++) z0[i] = i % 2 ? 0.3 + 0.02 * i : 0.1, z0[N + i] = 0;
  for (int i = 0; i < ROWS; i++) z0[2 * i] = sin(z0[2 * i + 1]);
  dae_problem p = {.name = "entries",
                   .kind = DAE_MECHANICAL,
                   .ctx = &s,
                   .t1 = 1,
                   .z0 = z0,
                   .mechanical = {.nq = N,
                                  .ng = ROWS,
                                  .force = force,
                                  .g = constraint,
                                  .g_t = rate,
                                  .G = gradient,
                                  .G_pattern = s.dense ? NULL : &pattern,
                                  .curvature = curvature}};
  dae_options o = dae_options_default();
  o.method = method ? method : "dop853";
  o.rtol = o.atol = 1e-9;
  memcpy(z, z0, sizeof z0);
  memcpy(q0, z0, sizeof q0);
  farthest = 0;
  if (!method) {
    dae_solver *solver;
    const dae_status status = dae_solver_new(&solver, &p, &o, NULL);
    if (status == DAE_OK) dae_solver_free(solver);
    return status;
  }
  return dae_solve(&p, &o, 0, 1, z, NULL, NULL, NULL);
}

static void test_entry_that_comes(void) {
  static const char *const methods[] = {"dop853", "auto", "radau5"};
  for (int late = 0; late < 2; late++) {
    double pattern[2 * N], dense[2 * N];
    CHECK(run((statement){false, late}, "dop853", pattern) == DAE_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      CHECK(run((statement){true, late}, methods[m], dense) == DAE_OK);
      /* two runs at 1e-9 over one unit of time */
      for (int i = 0; i < 2 * N; i++) CHECK_NEAR(dense[i], pattern[i], 2e-8);
    }
  }
}

/* empty places are looked for close to the start: a table or a root may end not far from there. The
   largest coordinate is 0.76 */
static void test_close(void) {
  double z[2 * N];
  CHECK(run((statement){true, false}, NULL, z) == DAE_OK);
  CHECK(farthest > 0 && farthest < 1e-3);
}

/* the same chain in both statements */
static void test_chain(void) {
  double z[2][120];
  for (int sparse = 0; sparse < 2; sparse++) {
    const char *const names[] = {"n", "sparse"};
    const double values[] = {30, sparse};
    char message[256];
    dae_problem *p;
    CHECK(gallery_open(&p, "pendulum-chain", 2, names, values, message, sizeof message) == DAE_OK);
    dae_options o = dae_options_default();
    o.method = "dop853";
    o.rtol = o.atol = 1e-10;
    memcpy(z[sparse], p->z0, sizeof z[sparse]);
    CHECK(dae_solve(p, &o, 0, 0.1, z[sparse], NULL, NULL, NULL) == DAE_OK);
    gallery_close("pendulum-chain", p);
  }
  /* the tolerance, times what ten periods of the fastest wave make of it */
  for (int i = 0; i < 120; i++) CHECK_NEAR(z[0][i], z[1][i], 1e-8);
}

int main(void) {
  RUN(test_entry_that_comes);
  RUN(test_close);
  RUN(test_chain);
  return TEST_END();
}
