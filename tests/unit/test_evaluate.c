/* the callback that has M, f, G and curvature at once: the same numbers as from the four */
#include <gallery.h>

#include "test.h"

static dae_mechanical four;
static long calls, wanted[4];

/* the gallery's functions behind one callback */
static int all(double t, const double *q, const double *v, double *M, double *f, double *G,
               double *c, void *ctx) {
  int code = 0;
  calls++;
  wanted[0] += M != NULL, wanted[1] += f != NULL, wanted[2] += G != NULL, wanted[3] += c != NULL;
  if (M) code = four.mass(t, q, M, ctx);
  if (f && code == 0) code = four.force(t, q, v, f, ctx);
  if (G && code == 0) code = four.G(t, q, G, ctx);
  if (c && code == 0) code = four.curvature(t, q, v, c, ctx);
  return code;
}

static int wrong(double t, const double *q, const double *v, double *M, double *f, double *G,
                 double *c, void *ctx) {
  int code = all(t, q, v, M, f, G, c, ctx);
  if (G) G[1] += 0.01;
  return code;
}

static int heavier(double t, const double *q, const double *v, double *M, double *f, double *G,
                   double *c, void *ctx) {
  int code = all(t, q, v, M, f, G, c, ctx);
  if (M) M[0] *= 1.01;
  return code;
}

static dae_status run(const dae_problem *p, const char *method, double *z, dae_stats *stats) {
  dae_options o = dae_options_default();
  o.method = method;
  dae_solver *s;
  dae_status status = dae_solver_new(&s, p, &o, NULL);
  if (status == DAE_OK) status = dae_solver_start(s, p->t0, NULL, NULL);
  if (status == DAE_OK) status = dae_solver_advance(s, p->t1);
  if (status == DAE_OK) {
    memcpy(z, dae_solver_z(s), (size_t)dae_problem_nz(p) * sizeof *z);
    *stats = *dae_solver_stats(s);
  }
  dae_solver_free(s);
  return status;
}

/* explicit and implicit, with the four alone, with all alone and with both: not a bit differs */
static void test_same(void) {
  static const char *const problem[] = {"andrews", "slider-crank"}, *const method[] = {"dop853",
                                                                                       "radau5",
                                                                                       "herk3"};
  for (int k = 0; k < 2; k++) {
    dae_problem *p;
    char message[256];
    CHECK(gallery_open(&p, problem[k], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    four = p->mechanical;
    for (int m = 0; m < 3; m++) {
      double z[3][20];
      dae_stats stats[3];
      for (int way = 0; way < 3; way++) {
        p->mechanical = four;
        p->mechanical.evaluate = way > 0 ? all : NULL;
        if (way == 1) p->mechanical.mass = NULL, p->mechanical.force = NULL;
        if (way == 1) p->mechanical.G = NULL, p->mechanical.curvature = NULL;
        calls = 0;
        CHECK(run(p, method[m], z[way], &stats[way]) == DAE_OK);
        CHECK(stats[way].differences == stats[0].differences);
        CHECK(stats[way].steps == stats[0].steps);
        CHECK(memcmp(z[way], z[0], (size_t)dae_problem_nz(p) * sizeof(double)) == 0);
        /* an evaluation is one call; some more at the start, for projections and audits */
        if (way == 2 && m == 0) CHECK(calls >= stats[way].evaluations);
        if (way == 2 && m == 0) CHECK(calls < 1.2 * (double)stats[way].evaluations + 50);
      }
      CHECK(wanted[0] > 0 && wanted[1] > 0 && wanted[2] > 0 && wanted[3] > 0);
    }
    p->mechanical = four;
    gallery_close(problem[k], p);
  }
}

/* what it gives is compared with differences as what the four give is */
static void test_wrong(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "andrews", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  four = p->mechanical;
  p->mechanical.evaluate = wrong;
  p->mechanical.G = NULL;
  CHECK(dae_problem_check(p, p->t0, NULL, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "G is wrong at") && strstr(message, "entry 1,2"));
  p->mechanical = four;
  gallery_close("andrews", p);
}

/* beside a right G a wrong one is what the solver works with: it must not go unseen */
static void test_beside(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "andrews", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  four = p->mechanical;
  p->mechanical.evaluate = wrong;
  CHECK(dae_problem_check(p, p->t0, NULL, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "G of evaluate is wrong at"));
  p->mechanical.evaluate = heavier;
  CHECK(dae_problem_check(p, p->t0, NULL, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "evaluate gives another M than mass"));
  p->mechanical = four;
  gallery_close("andrews", p);
}

int main(void) {
  RUN(test_same);
  RUN(test_wrong);
  RUN(test_beside);
  return TEST_END();
}
