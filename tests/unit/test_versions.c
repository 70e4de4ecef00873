/* sizes of structs: those that never change, and calls with sizes that cannot be */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <daedal/daedal.h>

#include "test.h"

/* structs in arrays and inside others; docs/versions.md promises that they stay as they are */
static void test_frozen(void) {
  const size_t p = sizeof(void *), d = sizeof(double);
  if (p != 8) return; /* the same fields, other sizes */
  CHECK(sizeof(dae_event) == 3 * p + 8);
  CHECK(sizeof(dae_direction) == 2 * p);
  CHECK(sizeof(dae_reference) == d + 2 * p);
  CHECK(sizeof(dae_side) == d + 8 + 2 * p);
  CHECK(sizeof(dae_pattern) == 8 + 2 * p);
  CHECK(sizeof(dae_allocator) == 3 * p);
  CHECK(sizeof(dae_log) == 2 * p + 8);
  CHECK(sizeof(dae_event_hit) == d + 8);
  CHECK(sizeof(dae_switch) == 3 * d + 3 * p);
  CHECK(sizeof(dae_passage) == 3 * d);
  CHECK(sizeof(dae_audit) == 2 * d + DAE_NAME_MAX);
}

/* a field that is added in the padding of the last one would not change the size */
static void test_no_padding(void) {
  if (sizeof(void *) != 8) return;
  CHECK(sizeof(dae_problem) ==
        offsetof(dae_problem, discrete) + sizeof(((dae_problem *)0)->discrete));
  CHECK(sizeof(dae_ode) == offsetof(dae_ode, algebraic) + sizeof(void *));
  CHECK(sizeof(dae_hessenberg) == offsetof(dae_hessenberg, g_rate_z) + sizeof(void *));
  CHECK(sizeof(dae_mechanical) == offsetof(dae_mechanical, evaluate) + sizeof(void *));
  CHECK(sizeof(dae_mechanical) <= sizeof(((dae_problem *)0)->room));
  CHECK(sizeof(dae_implicit) == offsetof(dae_implicit, equation_name) + sizeof(void *));
  CHECK(sizeof(dae_implicit) <= sizeof(((dae_problem *)0)->room));
  CHECK(sizeof(dae_boundary) == offsetof(dae_boundary, y_tol) + sizeof(void *));
}

static int decay(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = -z[0];
  return 0;
}

/* every size in turn, far off in both directions: a status, no crash, and the report says why */
static void test_bad_sizes(void) {
  static const int bad[] = {0, 1, 7, -1, INT_MIN};
  /* what lies behind the structs is not zero, as on a stack */
  struct {
    dae_problem p;
    char behind[64];
  } room;
  memset(&room, 0x5a, sizeof room);
  room.p = (dae_problem){.kind = DAE_ODE, .ode = {.n = 1, .f = decay}};
  dae_options o = dae_options_default();
  dae_sizes good = dae_sizes_here(0, sizeof(dae_report), sizeof(dae_stats), 0);
  double z[1] = {1}, interval[2] = {0, 1};
  dae_report report;
  dae_solver *s;
  for (int i = 0; i < 5; i++) {
    dae_sizes sizes = good;
    sizes.own = bad[i];
    CHECK(dae_solver_new_sized(&sizes, &s, &room.p, &o, &report) == DAE_E_INPUT && !s);
    sizes = good;
    sizes.problem = bad[i];
    CHECK(dae_solver_new_sized(&sizes, &s, &room.p, &o, &report) == DAE_E_INPUT && !s);
    CHECK(strstr(report.message, "dae_problem") != NULL);
    sizes = good;
    sizes.ode = bad[i];
    CHECK(dae_solve_sized(&sizes, &room.p, &o, interval, z, NULL, &report, NULL) == DAE_E_INPUT);
    CHECK(strstr(report.message, "another version") != NULL);
    dae_options other = o;
    other.size = bad[i];
    CHECK(dae_solve_sized(&good, &room.p, &other, interval, z, NULL, &report, NULL) == DAE_E_INPUT);
    CHECK(strstr(report.message, "dae_options") != NULL);
  }
  /* longer, and not zero there */
  dae_sizes sizes = good;
  sizes.problem = (int)sizeof room;
  CHECK(dae_solver_new_sized(&sizes, &s, &room.p, &o, NULL) == DAE_E_INPUT && !s);
  memset(room.behind, 0, sizeof room.behind);
  CHECK(dae_solver_new_sized(&sizes, &s, &room.p, &o, NULL) == DAE_OK && s);
  dae_solver_free(s);
  CHECK(dae_solver_new_sized(NULL, &s, &room.p, &o, &report) == DAE_E_INPUT && !s);
  /* a report that the caller has no room for is not written */
  memset(&report, 0x5a, sizeof report);
  sizes = good;
  sizes.report = 0;
  CHECK(dae_solve_sized(&sizes, &room.p, &o, interval, z, NULL, &report, NULL) == DAE_OK);
  CHECK(((char *)&report)[0] == 0x5a);
  CHECK(fabs(z[0] - exp(-1)) < 1e-5); /* rtol = atol = 1e-6, with room for the sum of the steps */
}

/* options of a size that no version has are refused when they are filled */
static void test_options(void) {
  dae_options o;
  char message[100];
  CHECK(dae_options_fill(NULL, (int)sizeof o) == DAE_E_INPUT);
  CHECK(dae_options_fill(&o, 3) == DAE_E_INPUT);
  CHECK(dae_options_fill(&o, 0x7fffffff) == DAE_E_INPUT);
  CHECK(dae_options_fill(&o, (int)offsetof(dae_options, step)) == DAE_OK);
  CHECK(o.rtol == 1e-6 && o.size == (int)offsetof(dae_options, step));
  CHECK(dae_options_set(&o, "step", "1", message, sizeof message) == DAE_E_INPUT);
  CHECK(dae_options_set(&o, "ctol", "1", message, sizeof message) == DAE_OK);
}

int main(void) {
  RUN(test_frozen);
  RUN(test_no_padding);
  RUN(test_bad_sizes);
  RUN(test_options);
  return TEST_END();
}
