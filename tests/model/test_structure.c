/* what the structural analysis says: index, degrees of freedom, hidden constraints, routes, wrong structure */
#include <daedal/daedal.h>

#include "test.h"

static dae_model *build(const char *text, dae_status expected) {
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  dae_status status = dae_model_read_text(&m, "m.mo", text, strlen(text), &o);
  if (status == DAE_OK) status = dae_model_build(m);
  CHECK(status == expected);
  if (status != expected) printf("%s", dae_model_messages(m));
  return m;
}

static void expect(const char *text, const char *const *parts) {
  dae_model *m = build(text, DAE_OK);
  for (; *parts; parts++) {
    const char *found = dae_model_explain(m) ? strstr(dae_model_explain(m), *parts) : NULL;
    CHECK(found != NULL);
    if (!found) printf("  no \"%s\" in\n%s", *parts, dae_model_explain(m));
  }
  dae_model_free(m);
}

static void test_pendulum(void) {
  expect("model P\n  parameter Real L = 2, g = 9.8;\n  Real x(start = 2, fixed = true), y, u(fixed "
         "= true), v, F;\n"
         "equation\n  der(x) = u; der(y) = v;\n  der(u) = -x*F; der(v) = -y*F - g;\n  x^2 + y^2 = "
         "L^2;\nend P;",
         (const char *[]){"structural index: 3\n", "line 7, twice: x^2 + y^2 = L^2\n",
                          "0 = 2*x*u + 2*y*v\n", "degrees of freedom: 2\n",
                          "initial conditions: 2 (fixed: x, u)\n",
                          "form: mechanical, 2 coordinates, 1 position and 0 velocity constraints; "
                          "M is the identity\n",
                          NULL});
}

/* conditions: too few are listed with a proposal, too many are told */
static void test_conditions(void) {
  expect("model A Real x, v; equation der(x) = v; der(v) = -x; end A;",
         (const char *[]){"degrees of freedom: 2\n", "initial conditions: 0\n",
                          "2 fewer than degrees of freedom", "fix some of x, v\n", NULL});
  expect("model A Real x(start = 1, fixed = true), y(start = 0, fixed = true), l; equation der(x) "
         "= y - x*l;"
         " der(y) = -x - y*l; x^2 + y^2 = 1; end A;",
         (const char *[]){"degrees of freedom: 1\n", "initial conditions: 2 (fixed: x, y)\n",
                          "1 too many", NULL});
}

/* rolling without slipping: constraints of velocity level become W v = 0 */
static void test_velocity_constraint(void) {
  expect("model Skate Real x, y, th, u(start = 1), v, w(start = 0.5), l; equation der(x) = u; "
         "der(y) = v; der(th) = w;"
         " 2*der(u) = l*sin(th); 2*der(v) = -l*cos(th); 3*der(w) = 0; u*sin(th) - v*cos(th) = 0; "
         "end Skate;",
         (const char *[]){"structural index: 2\n", "degrees of freedom: 5\n",
                          "0 position and 1 velocity constraints; M is diagonal\n", NULL});
}

/* two masses on one rigid rod: alias elimination leaves one of them */
static void test_rigid_pair(void) {
  expect("model R Real s1(start = 1, fixed = true), s2, v1(fixed = true), v2, f; equation der(s1) "
         "= v1; der(s2) = v2;"
         " 2*der(v1) = f - s1; 3*der(v2) = -f; s1 = s2; end R;",
         (const char *[]){"degrees of freedom: 2\n", NULL});
  /* and a prescribed angle, which leaves no freedom at all */
  expect("model Q Real phi, w, tau; equation der(phi) = w; 2*der(w) = tau - 9.8*sin(phi); phi = "
         "0.5*sin(3*time); end Q;",
         (const char *[]){"structural index: 3\n", "degrees of freedom: 0\n", NULL});
}

/* x' + y' = .., x + y = ..: the structure says index 1, but both rows are the same once differentiated */
static void test_wrong_structure(void) {
  dae_model *m = build("model S\n  parameter Real k = 2;\n  Real x(start = 1), y;\nequation\n"
                       "  der(x) + 0.5*k*der(y) = -x*y;\n  2*x + k*y = sin(time);\nend S;",
                       DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "are dependent once they are differentiated") != NULL);
  CHECK(strstr(dae_model_messages(m), "lines 6, 5") != NULL);
  dae_model_free(m);
}

/* both parts of a singular system have their names */
static void test_singular(void) {
  dae_model *m =
      build("model S\n  Real x, y, z;\nequation\n  x + y = 1;\n  x - y = time;\n  x*y = 2;\nend S;",
            DAE_E_MODEL);
  const char *text = dae_model_messages(m);
  CHECK(strstr(text, "too many equations for their variables:\n    line 6: x*y = 2\n") != NULL);
  CHECK(strstr(text, "too few equations for these variables: z\n") != NULL);
  dae_model_free(m);
}

/* a parameter that is set changes sizes and structure */
static void test_set(void) {
  dae_model *m = build("model N parameter Integer n = 2; parameter Real a = 0; Real x[n](each "
                       "start = 1); Real y; equation"
                       " der(x) = -x; a*der(y) + y = x[1]; end N;",
                       DAE_OK);
  CHECK(dae_problem_nz(dae_model_problem(m)) == 2); /* y is x[1] */
  CHECK(dae_model_set(m, "n", 5) == DAE_OK && dae_model_set(m, "a", 0.5) == DAE_OK);
  CHECK(dae_model_problem(m) == NULL);
  CHECK(dae_model_build(m) == DAE_OK);
  CHECK(dae_problem_nz(dae_model_problem(m)) == 6);
  CHECK(dae_model_variables(m) == 6);
  CHECK_STR(dae_model_variable_name(m, 4), "x[5]");
  CHECK_STR(dae_model_parameter_name(m, 1), "a");
  dae_model_free(m);
}

int main(void) {
  RUN(test_pendulum);
  RUN(test_conditions);
  RUN(test_velocity_constraint);
  RUN(test_rigid_pair);
  RUN(test_wrong_structure);
  RUN(test_singular);
  RUN(test_set);
  return TEST_END();
}
