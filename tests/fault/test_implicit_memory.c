/* implicit problems: every take of memory may fail, in the start that looks for index and
   consistent values too; an honest status, nothing is lost, and the solver can be used again */
#include <math.h>

#include <daedal/daedal.h>

#include "fault/alloc.h"
#include "test.h"

static int index0(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + 0.3 * dx[1] * dx[1] * dx[1] + x[0] - cos(t);
  F[1] = dx[1] - 0.4 * x[0] + x[1];
  return 0;
}

static int index1(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[1] * x[0] - 0.3 * cos(t);
  F[1] = dx[2] - x[1] + x[2];
  F[2] = x[1] + 0.3 * x[1] * x[1] * x[1] - 2.1 * x[2] - 0.7;
  return 0;
}

static int index2(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[0] - x[2];
  F[1] = dx[1] - x[0] + 0.4 * x[1];
  F[2] = x[0] - 1.3 - 0.2 * sin(t);
  return 0;
}

static int index3(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] - x[2];
  F[1] = dx[1] - x[3];
  F[2] = dx[2] + x[4] * x[0];
  F[3] = dx[3] + x[4] * x[1] + 9.81;
  F[4] = x[0] * x[0] + x[1] * x[1] - 1.44;
  return 0;
}

/* M x' = f, sparse, larger than what the index is found for */
enum { MANY = 330 };

static int heated(double t, const double *x, double *f, void *ctx) {
  (void)ctx;
  f[0] = x[0] - 1 - 0.1 * sin(3 * t);
  for (int i = 1; i < MANY; i++)
    f[i] = 900 * (x[i - 1] - 2 * x[i] + (i + 1 < MANY ? x[i + 1] : x[i])) - 0.1 * x[i] * x[i];
  return 0;
}

static int capacity(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x, (void)ctx;
  for (int i = 1; i < MANY; i++) M[i] = 1;
  return 0;
}

/* one run with the n-th take failing; where it fails says at which call */
static dae_status attempt(const dae_problem *p, const char *method, fault_alloc *a,
                          const char **call) {
  dae_options o = dae_options_default();
  dae_solver *s = NULL;
  o.method = method;
  o.allocator = fault_allocator(a);
  *call = "new";
  dae_status status = dae_solver_new(&s, p, &o, NULL);
  CHECK((status == DAE_OK) == (s != NULL));
  if (status != DAE_OK) return status;
  *call = "start";
  status = dae_solver_start(s, p->t0, NULL, NULL);
  if (status == DAE_OK) *call = "step", status = dae_solver_step(s, p->t1);
  for (int i = 0; i < 3 && status == DAE_OK; i++) status = dae_solver_step(s, p->t1);
  if (status == DAE_E_MEMORY) {
    /* with memory again the same solver runs */
    a->fail_at = 0;
    dae_status again = dae_solver_start(s, p->t0, NULL, NULL);
    if (again == DAE_OK) again = dae_solver_step(s, p->t1);
    CHECK(again == DAE_OK);
    if (again != DAE_OK) printf("  again: %s\n", dae_solver_report(s)->message);
  }
  dae_solver_free(s);
  return status;
}

/* each take fails, alone or with all later ones */
static void fail_each(const char *name, const dae_problem *p, const char *method) {
  const char *call;
  fault_alloc none = {0};
  CHECK(attempt(p, method, &none, &call) == DAE_OK && none.live == 0);
  printf("%s, %s: %ld takes\n", name, method, none.takes);
  CHECK(none.takes > 10);
  for (long k = 2; k < 2 * none.takes + 2; k++) {
    fault_alloc a = {.fail_at = k / 2, .once = (int)(k % 2)};
    dae_status status = attempt(p, method, &a, &call);
    CHECK(status == DAE_E_MEMORY && a.live == 0);
    if (status == DAE_E_MEMORY && a.live == 0) continue;
    printf("  %s, %s: take %ld of %ld%s fails: %s in %s, %ld blocks live\n", name, method, k / 2,
           none.takes, a.once ? " alone" : "", dae_status_name(status), call, a.live);
    return;
  }
}

static void test_small(void) {
  static const double z0[] = {0.4, 0.9}, z1[] = {0.8, 1.1, 0.4}, z2[] = {1.3, 0.6, 1.5},
                      z3[] = {1.2, 0, 0, 0, 0};
  static const struct {
    const char *name;
    int n, (*F)(double, const double *, const double *, double *, void *);
    const double *z;
  } row[] = {{"index 0", 2, index0, z0},
             {"index 1", 3, index1, z1},
             {"index 2", 3, index2, z2},
             {"index 3", 5, index3, z3}};
  static const char *const methods[] = {"auto", "radau3", "bdf"};
  for (int i = 0; i < 4; i++)
    for (int m = 0; m < (i < 3 ? 3 : 2); m++) { /* bdf is not for index 3 */
      dae_problem p = {.kind = DAE_IMPLICIT,
                       .t1 = 2,
                       .z0 = row[i].z,
                       .implicit = {.n = row[i].n, .F = row[i].F}};
      fail_each(row[i].name, &p, methods[m]);
    }
}

static int passes(double t, const double *x, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = x[2] - 0.41;
  return 0;
}

static int kick(double t, double *x, void *ctx) {
  (void)t, (void)ctx;
  x[2] += 0.1;
  return 0;
}

/* a pattern given, and an event after which consistent values are looked for again */
static void test_event(void) {
  static const double z[] = {0.8, 1.1, 0.4};
  static const int start[] = {0, 2, 4, 6}, column[] = {0, 1, 1, 2, 1, 2};
  static const dae_pattern pattern = {3, 3, start, column};
  static const dae_event event = {"passes", passes, 0, false, kick};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .t1 = 2,
                   .z0 = z,
                   .n_event = 1,
                   .event = &event,
                   .implicit = {.n = 3, .F = index1, .pattern = &pattern}};
  fail_each("index 1 with an event", &p, "auto");
  fail_each("index 1 with an event", &p, "radau3");
}

static void test_sparse(void) {
  static int start[MANY + 1], column[3 * MANY];
  static double z0[MANY] = {1};
  int e = 0;
  for (int i = 0; i < MANY; i++) {
    start[i] = e;
    for (int j = i > 0 ? i - 1 : 0; j <= i + (i > 0 && i + 1 < MANY); j++) column[e++] = j;
  }
  start[MANY] = e;
  const dae_pattern pattern = {MANY, MANY, start, column};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .t1 = 1,
                   .z0 = z0,
                   .implicit = {.n = MANY,
                                .f = heated,
                                .f_pattern = &pattern,
                                .mass = capacity,
                                .mass_constant = true,
                                .mass_kind = DAE_MASS_DIAGONAL}};
  fail_each("heated", &p, "radau3");
}

int main(void) {
  RUN(test_small);
  RUN(test_event);
  RUN(test_sparse);
  return TEST_END();
}
