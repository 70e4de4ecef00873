/* own parts (daedal/extend.h): the library's own ones given back to it make the same run; what is
   wrong is refused by name */
#include <stdlib.h>

#include "gallery.h"
#include "test.h"
#include <daedal/daedal.h>

enum { NZ = 14, NY = 10 };

typedef struct outcome {
  dae_status status;
  double z[NZ];
  dae_stats stats;
  dae_report report;
} outcome;

static outcome run(const char *problem, const dae_options *o) {
  outcome r = {.status = DAE_E_INPUT};
  dae_problem *p;
  char text[DAE_TEXT_MAX];
  double y[NY] = {0};
  if (gallery_open(&p, problem, 0, NULL, NULL, text, sizeof text) != DAE_OK) return r;
  memcpy(r.z, p->z0, (size_t)dae_problem_nz(p) * sizeof *r.z);
  r.status = dae_solve(p, o, p->t0, p->t0 + (p->t1 - p->t0) / 10, r.z, y, &r.report, &r.stats);
  gallery_close(problem, p);
  return r;
}

/* a method of the library as one of the user; a, b, c, e are room for it */
static dae_own_method copy_of(const char *name, double *room) {
  dae_tableau t;
  const dae_method *m = dae_method_find(name);
  CHECK(dae_method_tableau(m, &t) == DAE_OK);
  int s = t.stages;
  double *a = room, *b = a + s * s, *e = b + s;
  for (int i = 0; i < s; i++) {
    b[i] = t.b[i];
    e[i] = t.b[i] - t.error[i];
    for (int j = 0; j < s; j++) a[i * s + j] = t.a[i][j];
  }
  return (dae_own_method){.size = sizeof(dae_own_method),
                          .name = "mine",
                          .stages = s,
                          .order = m->order,
                          .implicit = m->implicit,
                          .a = a,
                          .b = b,
                          .b_estimate = m->implicit ? NULL : e,
                          .order_estimate = m->implicit ? 0 : m->estimate};
}

/* dopri5 and radau3: the same steps and values, up to rounding in sums that have another order */
static void own_methods(void) {
  static const char *const names[] = {"dopri5", "radau3", "gauss2", "lobatto3", "sdirk2"};
  for (int k = 0; k < 5; k++) {
    double room[300];
    dae_own_method mine = copy_of(names[k], room);
    dae_extend own = dae_extend_none();
    dae_options o = dae_options_default(), usual = o;
    own.method = &mine;
    o.extend = &own;
    usual.method = names[k];
    o.rtol = o.atol = usual.rtol = usual.atol = 1e-6;
    const char *problem = k == 0 ? "kepler" : "pendulum";
    outcome a = run(problem, &o), b = run(problem, &usual);
    CHECK(a.status == DAE_OK && b.status == DAE_OK);
    if (a.status != DAE_OK) puts(a.report.message);
    CHECK(labs(a.stats.steps - b.stats.steps) <= 1 + b.stats.steps / 50);
    for (int i = 0; i < 4; i++) CHECK_NEAR(a.z[i], b.z[i], 1e-7);
  }
}

/* every condition counts: one coefficient that is off by 1e-6 anywhere */
static void wrong_methods(void) {
  double room[300], wrong[49];
  dae_own_method mine = copy_of("dopri5", room), other;
  dae_extend own = dae_extend_none();
  dae_options o = dae_options_default();
  own.method = &other;
  o.extend = &own;
  for (int i = 1; i < 7; i++)
    for (int j = 0; j < i; j++) {
      memcpy(wrong, mine.a, sizeof wrong);
      wrong[i * 7 + j] += 1e-6;
      other = mine;
      other.a = wrong;
      outcome r = run("kepler", &o);
      /* the last stage has weight 0 in b, not in the estimate */
      CHECK(r.status == DAE_E_INPUT && strstr(r.report.message, "condition of order"));
    }
  double b[7];
  memcpy(b, mine.b, sizeof b);
  b[0] += 1e-6;
  other = mine, other.b = b;
  outcome r = run("kepler", &o);
  CHECK_STR(r.report.message, "own method mine: b breaks a condition of order 1 by 1e-06");
  other = mine, other.order = 6;
  r = run("kepler", &o);
  CHECK(r.status == DAE_E_INPUT && strstr(r.report.message, "b breaks a condition of order 6"));
  other = mine, other.order_estimate = 5;
  r = run("kepler", &o);
  CHECK(strstr(r.report.message, "b_estimate breaks a condition of order 5") != NULL);
  double c[7] = {0, 0.2, 0.3, 0.8, 0.9, 1, 1};
  other = mine, other.c = c;
  r = run("kepler", &o);
  CHECK(strstr(r.report.message, "c5 is 0.9, but row 5 of a sums to 0.888889") != NULL);
  static const struct {
    const char *name, *part;
    int stages, order;
  } bad[] = {{"dopri5", "the name is taken", 7, 5},
             {"", "no name", 7, 5},
             {"mine", "stages must be 1 .. 13", 14, 5},
             {"mine", "stages must be", 0, 5},
             {"mine", "order must be", 7, 0}};
  for (int i = 0; i < 5; i++) {
    other = mine;
    other.name = bad[i].name, other.stages = bad[i].stages, other.order = bad[i].order;
    r = run("kepler", &o);
    CHECK(r.status == DAE_E_INPUT && strstr(r.report.message, bad[i].part));
  }
  other = mine, other.size = 3;
  r = run("kepler", &o);
  CHECK(strstr(r.report.message, "size") != NULL);
  other = mine;
  o.method = "rk4";
  r = run("kepler", &o);
  CHECK(r.status == DAE_E_INPUT && strstr(r.report.message, "names another one"));
  own.size = 1;
  r = run("kepler", &o);
  CHECK(strstr(r.report.message, "dae_extend_none") != NULL);
}

/* the conditions tell the order of every method that the library has a tableau of, and of no higher
   one */
static void known_orders(void) {
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *m = dae_method_at(i);
    dae_tableau t;
    double room[400];
    if (dae_method_tableau(m, &t) != DAE_OK || t.half_explicit) continue;
    dae_own_method mine = copy_of(m->name, room);
    mine.b_estimate = NULL;
    dae_extend own = dae_extend_none();
    dae_options o = dae_options_default();
    own.method = &mine;
    o.extend = &own;
    o.step = 0.01;
    outcome r = run("linear-index2", &o);
    /* with nodes at 0 a method has no inverse to solve with */
    bool fits = !strstr(r.report.message, "condition of order");
    CHECK(fits);
    if (!fits) printf("  %s: %s\n", m->name, r.report.message);
    mine.order++;
    if (mine.order > 10) continue;
    r = run("linear-index2", &o);
    CHECK(r.status == DAE_E_INPUT && strstr(r.report.message, "breaks a condition of order"));
  }
}

/* a linear solver: elimination by rows with the largest pivot, real and complex */
typedef struct elimination {
  int n, parts;
  double *A;
  int *pivot;
  long *count;
} elimination;

static void *make(int n, const dae_pattern *pattern, bool imaginary, void *ctx) {
  elimination *e = malloc(sizeof *e);
  if (pattern || !e) return NULL;
  *e = (elimination){.n = n, .parts = imaginary ? 2 : 1, .count = ctx};
  e->A = malloc((size_t)(n * n * e->parts) * sizeof *e->A);
  e->pivot = malloc((size_t)n * sizeof *e->pivot);
  return e;
}

static void drop(void *self) {
  elimination *e = self;
  free(e->A);
  free(e->pivot);
  free(e);
}

/* a := a - l b, numbers of one or two parts */
static void minus(int parts, double *a, const double *l, const double *b) {
  if (parts == 1) a[0] -= l[0] * b[0];
  else a[0] -= l[0] * b[0] - l[1] * b[1], a[1] -= l[0] * b[1] + l[1] * b[0];
}

static void divide(int parts, double *a, const double *b) {
  if (parts == 1) {
    a[0] /= b[0];
    return;
  }
  double d = b[0] * b[0] + b[1] * b[1], re = (a[0] * b[0] + a[1] * b[1]) / d;
  a[1] = (a[1] * b[0] - a[0] * b[1]) / d;
  a[0] = re;
}

static int factor(void *self, const double *values) {
  elimination *e = self;
  int n = e->n, q = e->parts;
  double *A = e->A;
  memcpy(A, values, (size_t)(n * n * q) * sizeof *A);
  ++*e->count;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k; i < n; i++)
      if (fabs(A[(i * n + k) * q]) + (q == 2 ? fabs(A[(i * n + k) * q + 1]) : 0) >
          fabs(A[(p * n + k) * q]) + (q == 2 ? fabs(A[(p * n + k) * q + 1]) : 0))
        p = i;
    e->pivot[k] = p;
    if (A[(p * n + k) * q] == 0 && (q == 1 || A[(p * n + k) * q + 1] == 0)) return k + 1;
    for (int j = 0; j < n * q; j++) {
      double swap = A[k * n * q + j];
      A[k * n * q + j] = A[p * n * q + j], A[p * n * q + j] = swap;
    }
    for (int i = k + 1; i < n; i++) {
      double *l = A + (i * n + k) * q;
      divide(q, l, A + (k * n + k) * q);
      for (int j = k + 1; j < n; j++) minus(q, A + (i * n + j) * q, l, A + (k * n + j) * q);
    }
  }
  return 0;
}

static void solve(void *self, double *b) {
  elimination *e = self;
  int n = e->n, q = e->parts;
  for (int k = 0; k < n; k++)
    for (int r = 0; r < q && e->pivot[k] != k; r++) {
      double swap = b[k * q + r];
      b[k * q + r] = b[e->pivot[k] * q + r], b[e->pivot[k] * q + r] = swap;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) minus(q, b + i * q, e->A + (i * n + j) * q, b + j * q);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) minus(q, b + i * q, e->A + (i * n + j) * q, b + j * q);
    divide(q, b + i * q, e->A + (i * n + i) * q);
  }
}

static void own_linear(void) {
  static const char *const names[] = {"radau3", "bdf", "gauss2", "sdirk3", "backward-euler"};
  for (int k = 0; k < 5; k++) {
    long count = 0;
    dae_own_linear mine = {sizeof mine, make, factor, solve, drop, &count};
    dae_extend own = dae_extend_none();
    dae_options o = dae_options_default(), usual = o;
    own.linear = &mine;
    o.extend = &own;
    o.method = usual.method = names[k];
    if (k == 4) o.step = usual.step = 0.01;
    outcome a = run("pendulum", &o), b = run("pendulum", &usual);
    CHECK(a.status == DAE_OK && b.status == DAE_OK && count > 0);
    /* pivots and order of sums differ, and so do iterations within their tolerance */
    CHECK(labs(a.stats.steps - b.stats.steps) <= 1 + b.stats.steps / 50);
    for (int i = 0; i < 4; i++) CHECK_NEAR(a.z[i], b.z[i], 1e-5);
  }
  dae_own_linear none = {.size = sizeof none, .make = make};
  dae_extend own = dae_extend_none();
  dae_options o = dae_options_default();
  own.linear = &none;
  o.extend = &own;
  CHECK(run("pendulum", &o).status == DAE_E_INPUT);
  long count = 0;
  dae_own_linear mine = {sizeof mine, make, factor, solve, drop, &count};
  own.linear = &mine;
  o.method = "colloc-radau3";
  CHECK(run("pendulum", &o).status == DAE_E_FORM);
}

static double strict(int n, const double *error, const double *weight, void *ctx) {
  double top = 0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(error[i] * weight[i]));
  return *(double *)ctx * top;
}

/* a norm that is 3^8 times larger is met by steps a third as long: dop853 has order 8, and steps
   use h/span of the tolerance (one order less) */
static void own_norm(void) {
  double factor[] = {1, 6561};
  long steps[2];
  for (int k = 0; k < 2; k++) {
    dae_own_norm mine = {sizeof mine, strict, &factor[k]};
    dae_extend own = dae_extend_none();
    dae_options o = dae_options_default();
    own.norm = &mine;
    o.extend = &own;
    o.method = "dop853";
    o.rtol = o.atol = 1e-8;
    outcome r = run("pendulum", &o);
    CHECK(r.status == DAE_OK);
    steps[k] = r.stats.steps;
  }
  CHECK(steps[1] > 2 * steps[0] && steps[1] < 5 * steps[0]);
}

/* z' = z' of index1 - gamma F h */
static int toward(const dae_own_point *at, double *dz, void *ctx) {
  for (int i = 0; i < at->nz; i++) dz[i] = at->dz[i] - *(double *)ctx * at->back[i];
  return 0;
}

static int nowhere(const dae_own_point *at, double *dz, void *ctx) {
  (void)ctx;
  for (int i = 0; i < at->nz; i++) dz[i] = NAN;
  return 0;
}

/* form attract written by the user is form attract */
static void own_form(void) {
  double gamma = 3;
  dae_own_form mine = {sizeof mine, "toward", toward, &gamma};
  dae_extend own = dae_extend_none();
  dae_options o = dae_options_default(), usual = o;
  own.form = &mine;
  o.extend = &own;
  usual.form = "attract";
  usual.gamma = 3;
  o.method = usual.method = "rk4";
  o.step = usual.step = 0.01;
  o.stabilize = usual.stabilize = "none";
  outcome a = run("pendulum", &o), b = run("pendulum", &usual);
  CHECK(a.status == DAE_OK && b.status == DAE_OK);
  for (int i = 0; i < 4; i++) CHECK(a.z[i] == b.z[i]);
  mine.slope = nowhere;
  CHECK(run("pendulum", &o).status == DAE_E_CALLBACK);
  o.form = "ggl";
  a = run("pendulum", &o);
  CHECK(a.status == DAE_E_INPUT && strstr(a.report.message, "names another one"));
}

int main(void) {
  RUN(own_methods);
  RUN(wrong_methods);
  RUN(known_orders);
  RUN(own_linear);
  RUN(own_norm);
  RUN(own_form);
  return TEST_END();
}
