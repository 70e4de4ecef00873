/* what the structural analysis says: index, degrees of freedom, hidden constraints, routes, wrong
   structure */
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
         (const char *[]){"index: 3\n", "line 7, twice: x^2 + y^2 = L^2\n", "0 = 2*x*u + 2*y*v\n",
                          "degrees of freedom: 2\n", "initial conditions: 2 (fixed: x, u)\n",
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
         (const char *[]){"index: 2\n", "degrees of freedom: 5\n",
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
         (const char *[]){"index: 3\n", "degrees of freedom: 0\n", NULL});
}

/* ---- the structural index is not the true one ---- */

/* final values of variables of the text by name */
static double value_at_end(const dae_model *m, const char *name, double t1) {
  enum { MOST = 40 };
  const dae_problem *p = dae_model_problem(m);
  double z[MOST], y[MOST] = {0}, values[MOST];
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-11;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  CHECK(dae_problem_nz(p) <= MOST && dae_model_variables(m) <= MOST);
  CHECK(dae_solve(p, &o, p->t0, t1, z, y, NULL, NULL) == DAE_OK);
  CHECK(dae_model_values(m, t1, z, y, values) == 0);
  for (int i = 0; i < dae_model_variables(m); i++)
    if (strcmp(dae_model_variable_name(m, i), name) == 0) return values[i];
  CHECK(!"a variable of that name");
  return 0;
}

/* the text of the analysis and the warning both hold what they should */
static dae_model *expect_wrong(const char *text, const char *warning, const char *const *parts) {
  expect(text, parts);
  dae_model *m = build(text, DAE_OK);
  CHECK(strstr(dae_model_messages(m), warning) != NULL);
  if (!strstr(dae_model_messages(m), warning)) printf("%s", dae_model_messages(m));
  return m;
}

/* x' + y' = .., x + y = ..: structure says index 1 and one degree of freedom, but both rows are the
   same once differentiated; -x y + cos(t)/2 = 0 is what is hidden */
static void test_sum_of_rates(void) {
  dae_model *m = expect_wrong(
      "model S\n  parameter Real k = 2;\n  Real x(start = 1), y(start = 0.5);\nequation\n"
      "  der(x) + 0.5*k*der(y) = -x;\n  2*x + k*y = sin(time);\nend S;",
      "m.mo:5:3: warning: the structural index 1 is not the true one: the highest derivatives in "
      "the "
      "equations of lines 5, 6 cancel",
      (const char *[]){"index: 2\n  the structure alone says 1: highest derivatives cancel",
                       "  line 5, from lines 5, 6: 0 = ", "degrees of freedom: 0\n", NULL});
  /* x = -cos(t)/2 */
  CHECK_NEAR(value_at_end(m, "x", 0.7), -0.5 * cos(0.7), 1e-10);
  dae_model_free(m);
}

/* the same with a coefficient that is a function: u = (1, -x/2) may hold x, which is of lower order
   than x' */
static void test_cancelling_functions(void) {
  dae_model *m = expect_wrong(
      "model S\n  Real x(start = 1.2), y(start = 0.4), w;\nequation\n  "
      "x*der(x) + y*der(y) = w - y;\n"
      "  x^2 + y^2 = 2 + sin(time);\n  der(w) = x - w;\nend S;",
      "lines 4, 5 cancel",
      (const char *[]){"index: 2\n  the structure alone says", "degrees of freedom: 1\n", NULL});
  /* y = w - cos(t)/2 */
  double w = value_at_end(m, "w", 0.6), y = value_at_end(m, "y", 0.6);
  CHECK_NEAR(y, w - 0.5 * cos(0.6), 1e-9);
  dae_model_free(m);
}

/*
 * Two-link robot arm with a flexible joint on a prescribed path (Campbell and Griepentrog 1995):
 * the inputs enter two of three rows as u1 - u2, so the structure finds index 3; the true index is
 * 5. On that path x1 = 1 - e^t, x3 = e^t - t.
 */
static void test_robot_arm(void) {
  dae_model *m = expect_wrong(
      "model Robot\n"
      "  Real x1(start = 0.1), x2, x3(start = 0.9), u1, u2;\n"
      "  Real a = 2/(2 - cos(x3)^2), b = cos(x3)/(2 - cos(x3)^2), c = sin(x3)/(2 - cos(x3)^2);\n"
      "  Real d = sin(x3)*cos(x3)/(2 - cos(x3)^2), s = (der(x1) + der(x3))^2, r = der(x1)^2;\n"
      "equation\n"
      "  der(der(x1)) = 2*c*s + r*d + (2*x3 - x2)*(a + 2*b) + a*(u1 - u2);\n"
      "  der(der(x2)) = -2*c*s - r*d + (2*x3 - x2)*(1 - 3*a - 2*b) - a*u1 + (a + 1)*u2;\n"
      "  der(der(x3)) = -2*c*s - r*d + (2*x3 - x2)*(a - 9*b) - 2*r*c - d*s - (a + b)*(u1 - u2);\n"
      "  cos(x1) + cos(x1 + x3) = cos(1 - exp(time)) + cos(1 - time);\n"
      "  sin(x1) + sin(x1 + x3) = sin(1 - exp(time)) + sin(1 - time);\nend Robot;",
      "the structural index 3 is not the true one",
      (const char *[]){"index: 5\n  the structure alone says 3: highest derivatives cancel",
                       "lines 6, 8, 9, 10: 0 = ", "degrees of freedom: 0\n", NULL});
  double t = 0.5;
  CHECK_NEAR(value_at_end(m, "x1", t), 1 - exp(t), 1e-9);
  CHECK_NEAR(value_at_end(m, "x3", t), exp(t) - t, 1e-9);
  /* x2 follows from (a + b) row 6 + a row 8, which holds neither input: computed here from the
     path */
  double x3 = exp(t) - t, p = 2 - cos(x3) * cos(x3), a = 2 / p, b = cos(x3) / p, c = sin(x3) / p,
         d = sin(x3) * cos(x3) / p, v1 = -exp(t), v3 = exp(t) - 1, s = (v1 + v3) * (v1 + v3),
         r = v1 * v1, free1 = 2 * c * s + r * d, free3 = -2 * c * s - r * d - 2 * r * c - d * s;
  double known = (a + b) * (-exp(t) - free1) + a * (exp(t) - free3),
         x2 = 2 * x3 - known / ((a + b) * (a + 2 * b) + a * (a - 9 * b));
  CHECK_NEAR(value_at_end(m, "x2", t), x2, 1e-8);
  dae_model_free(m);
}

/* a constraint among constraints: two rods to the same point of a third one; the row says 0 = 0 */
static void test_redundant(void) {
  dae_model *m =
      build("model R\n  Real x(start = 1), y, l, k;\nequation\n  der(der(x)) = -l - 2*k;\n"
            "  der(der(y)) = -9.8 - l - 2*k;\n  x + y = 1;\n  2*x + 2*y = 2;\nend R;",
            DAE_OK);
  CHECK(dae_model_problem(m)->kind == DAE_MECHANICAL); /* which goes on with it */
  dae_model_free(m);
  m = build(
      "model R\n  Real x(start = 1), y, l;\nequation\n  der(x) + x = -l;\n  der(y) = -y + x^2;\n"
      "  y - time = 0.5 + 0*l;\nend R;",
      DAE_OK); /* 0*l is no dependence: the structure is found without it */
  CHECK(strstr(dae_model_explain(m), "index: 3\n") != NULL);
  dae_model_free(m);
  m = build("model R\n  Real x, y, w;\nequation\n  x + y*w = 1;\n  2*x + 2*y*w = 2;\n  der(w) = "
            "x;\nend R;",
            DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "this equation follows from the others of lines 4, 5") !=
        NULL);
  dae_model_free(m);
  m = build("model R\n  Real x, y, w;\nequation\n  x + y*w = 1;\n  2*x + 2*y*w = 3;\n  der(w) = "
            "x;\nend R;",
            DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "contradicts the equations of lines 4, 5") != NULL);
  dae_model_free(m);
}

/* a factor that is zero at the start values is told, with the variable */
static void test_start_rank(void) {
  expect("model S\n  Real x(start = 0), y;\nequation\n  der(x) = -y;\n  y*y = x;\nend S;",
         (const char *[]){
             "at the start values the equation of line 5 does not determine 'y': its factor "
             "is 0; other start values may help\n",
             NULL});
}

/* a combination is of no use when its factors hold the highest derivatives themselves */
static void test_nonlinear_cancelling(void) {
  dae_model *m =
      build("model S\n  Real x(start = 1), y;\nequation\n  (der(x) + der(y))^2 = x + 3;\n"
            "  sin(der(x) + der(y)) = y;\nend S;",
            DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "the equations of lines 4, 5 are dependent once") != NULL);
  dae_model_free(m);
}

/*
 * Structural index above the true one although the system Jacobian is regular (Reissig, Martinson,
 * Barton 2000): k pairs y_i + x_i' + x_(i+1)' = .., index 1, structural index k + 1. x1 and x3 here
 * in closed form from the differences of the pairs.
 */
static void test_index_too_high(void) {
  dae_model *m =
      build("model R\n  Real x1, x2(start = 0.3, fixed = true), x3, x4(start = 1.1, fixed = true), "
            "x5;\nequation\n  der(x2) + der(x3) + x1 = sin(time);\n"
            "  der(x2) + der(x3) + x2 = cos(time);\n  der(x4) + der(x5) + x3 = time;\n"
            "  der(x4) + der(x5) + x4 = exp(-time);\n  x5 = time^2;\nend R;",
            DAE_OK);
  const char *text = dae_model_explain(m);
  CHECK(strstr(text, "index: 1\n  the structure alone says 3: it asks for more") != NULL);
  CHECK_STR(dae_model_messages(m), "");
  double t = 0.8, x4 = value_at_end(m, "x4", t);
  /* x4' = exp(-t) - 2t - x4 */
  CHECK_NEAR(x4, (t - 2 * t * exp(t) + 2 * exp(t) - 2 + 1.1) * exp(-t), 1e-9);
  CHECK_NEAR(value_at_end(m, "x3", t), x4 + t - exp(-t), 1e-9);
  dae_model_free(m);
  /* where the structure is right nothing is said */
  m = build("model P\n  Real x, u, y;\nequation\n  der(x) = u;\n  der(u) = x - y;\n  x^3 + x = "
            "sin(time);\n"
            "end P;",
            DAE_OK);
  CHECK(strstr(dae_model_explain(m), "index: 3\n") != NULL);
  CHECK(strstr(dae_model_explain(m), "the structure alone") == NULL);
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
  RUN(test_sum_of_rates);
  RUN(test_cancelling_functions);
  RUN(test_robot_arm);
  RUN(test_redundant);
  RUN(test_start_rank);
  RUN(test_nonlinear_cancelling);
  RUN(test_index_too_high);
  RUN(test_singular);
  RUN(test_set);
  return TEST_END();
}
