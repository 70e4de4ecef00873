/* the language: constant expressions have the values that Modelica gives them, Base Modelica is
   read */
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

/* each is an assertion on numbers, true by hand */
static const char *const truths[] = {
    "2 + 3*4 == 14",
    "2^3 == 8",
    "-2^2 == -4",
    "7/2 == 3.5",
    "(1 - 4)/2 == -1.5",
    "1e3 == 1000",
    "2.5e-1 == 0.25",
    "not (1 > 2) and (3 >= 3 or 1/3 > 1)",
    "if 2 < 1 then false else true",
    "abs(-3) == 3 and sign(-0.5) == -1 and sqrt(6.25) == 2.5",
    "min(3, -7) == -7 and max({1, 9, 4}) == 9",
    "abs(atan2(1, -1) - 2.356194490192345) < 1e-15",
    "abs(exp(log(3.7)) - 3.7) < 1e-14",
    "log10(1000) == 3",
    "mod(-7, 3) == 2 and rem(-7, 3) == -1 and div(-7, 3) == -2",
    "floor(-2.5) == -3 and ceil(-2.5) == -2",
    "integer(3.9) == 3",
    "sum({1, 2, 3.5}) == 6.5 and product({2, 3, 4}) == 24",
    "sum(i^2 for i in 1:4) == 30 and product(i for i in {2, 5}) == 10",
    "max(i*(5 - i) for i in 0:5) == 6",
    "size([1, 2, 3; 4, 5, 6], 1) == 2 and size([1, 2, 3; 4, 5, 6], 2) == 3 and ndims({{1}, {2}}) "
    "== 2",
    "sum(zeros(3, 2)) == 0 and sum(ones(3, 2)) == 6 and sum(fill(2.5, 4)) == 10",
    "sum(1:2:9) == 25 and size(3:1, 1) == 0 and sum(5:-2:1) == 9",
    "{1, 2, 3}*{4, 5, 6} == 32",
    "sum([1, 2; 3, 4]*{5, 6}) == 56",
    "sum({1, 2}*[1, 2; 3, 4]) == 17",
    "sum([1, 2; 3, 4]*[0, 1; 1, 0]) == 10",
    "sum({1, 2} .* {3, 4}) == 11 and sum({6, 8} ./ {3, 2}) == 6 and sum({1, 2} .^ 3) == 9 and "
    "sum(1 .+ {1, 2}) == 5",
    "sum(cross({1, 0, 0}, {0, 1, 0})*{7, 8, 9}) == 9",
    "transpose([1, 2; 3, 4])[1, 2] == 3",
    "sum(skew({1, 2, 3})*{4, 5, 6} - cross({1, 2, 3}, {4, 5, 6})) == 0",
    "sum(identity(3)*{1, 2, 3}) == 6",
    "diagonal({2, 3})[2, 2] == 3 and diagonal({2, 3})[1, 2] == 0",
    "linspace(1, 2, 5)[4] == 1.75",
    "outerProduct({1, 2}, {3, 4})[2, 1] == 6",
    "cat(1, {1, 2}, {3})[3] == 3 and size(cat(2, [1; 2], [3, 4; 5, 6]), 2) == 3",
    "cat(2, [1; 2], [3, 4; 5, 6])[2, 3] == 6",
    "vector([7])[1] == 7 and scalar({7}) == 7",
    "B[3, 2] == 32",
    "a[end] == 5.5 and a[2:3]*{1, 1} == 9.5 and A[2, :]*{1, 1} == 7",
    "sum(a[{1, 3}]) == 8 and size(A[:, 1:1], 2) == 1",
    "sin({0, 0})*{1, 1} == 0",
    "square(3) == 9 and square(x = 4) == 16",
    "power(2) == 4 and power(2, 3) == 8 and power(x = 3, n = 1) == 3",
    "swap({1, 2})[1] == 2",
    "clip(5) == 1 and clip(-0.5) == -0.5",
    "homotopy(3, 4) == 3 and noEvent(5) == 5 and smooth(0, 6) == 6",
    "n == 2 and k == 4 and flag",
    "'a b' == 1.5 and c.d == 2",
};

static void test_values(void) {
  char text[20000];
  int at = snprintf(
      text, sizeof text,
      "model M\n constant Real a[3] = {2.5, 4, 5.5}; parameter Real A[2, 2] = [1, 2; 3, 4];\n"
      " constant Real B[3, 2] = {i + 10*j for i in 1:2, j in 1:3};\n"
      " parameter Integer n = k - 2, k = 4; parameter Boolean flag = n < k; final parameter Real "
      "'a b' = 3/n;\n"
      " parameter Real c.d = n;\n"
      " function square input Real x; output Real y; algorithm y := x*x; end square;\n"
      " function power input Real x; input Integer n = 2; output Real y = 1; algorithm for i in "
      "1:n loop"
      " y := y*x; end for; end power;\n"
      " function swap input Real u[:]; output Real v[size(u, 1)]; algorithm for i in 1:size(u, 1) "
      "loop"
      " v[i] := u[size(u, 1) + 1 - i]; end for; end swap;\n"
      " function clip input Real x; output Real y; algorithm if x > 1 then y := 1; elseif x < -1 "
      "then y := -1;"
      " else y := x; end if; end clip;\n"
      " Real x;\nequation\n der(x) = clip(x);\n");
  for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, " assert(%s, \"number %zu\");\n", truths[i],
                   i);
  snprintf(text + at, sizeof text - (size_t)at, "end M;\n");
  dae_model *m = build(text, DAE_OK);
  CHECK_STR(dae_model_messages(m), "");
  /* the function with if becomes a switch of the right-hand side */
  if (dae_model_problem(m)) {
    const dae_problem *p = dae_model_problem(m);
    CHECK(p->ode.n == 3); /* x, and the signs of x - 1 and x + 1 */
    double dz[3], z[3][3] = {{-2.5, -1, -1}, {0.3, -1, 1}, {7, 1, 1}};
    const double want[3] = {-1, 0.3, 1};
    for (int i = 0; i < 3 && p->ode.n == 3; i++) {
      CHECK(p->ode.f(0, z[i], dz, p->ctx) == 0);
      CHECK_NEAR(dz[0], want[i], 0);
    }
  }
  dae_model_free(m);
}

/* as the OpenModelica compiler writes it: a package, quoted names, guesses */
static void test_base_modelica(void) {
  dae_model *m = build(
      "//! base 0.1.0\npackage 'Pendulum'\n  constant Real 'Modelica.Constants.g' = 9.80665;\n"
      "  function 'len' \"of a vector\"\n    input Real[2] 'v';\n    output Real 'l';\n  "
      "algorithm\n"
      "    'l' := sqrt('v'[1]^2 + 'v'[2]^2);\n  end 'len';\n\n"
      "  model 'Pendulum' \"flat\"\n    parameter Real 'rod.L'(fixed = true, unit = \"m\") = 2.0 "
      "\"length\";\n"
      "    Real 'body.r'[2](each unit = \"m\");\n    Real[2] 'body.v';\n    protected Real "
      "'rod.f';\n"
      "  parameter equation guess('body.r') = {2.0, 0.0};\n"
      "  equation\n    der('body.r') = 'body.v';\n    der('body.v'[1]) = -'body.r'[1]*'rod.f' "
      "\"x\";\n"
      "    der('body.v'[2]) = -'body.r'[2]*'rod.f' - 'Modelica.Constants.g';\n    'len'('body.r') "
      "= 'rod.L';\n"
      "  end 'Pendulum';\nend 'Pendulum';\n",
      DAE_OK);
  const dae_problem *p = dae_model_problem(m);
  if (p) {
    CHECK(dae_problem_nz(p) == 4 && dae_problem_ny(p) == 1);
    CHECK_STR(p->z_name[1], "body.r[2]");
    CHECK_STR(p->z_name[3], "body.v[2]");
    CHECK_NEAR(p->z0[0], 2, 0);
  }
  CHECK(dae_model_set(m, "rod.L", 3) == DAE_OK && dae_model_build(m) == DAE_OK);
  dae_model_free(m);
}

/* what people still take from the Modelica library: long names, and all four kinds of import */
static void test_library(void) {
  dae_model *m = build("model M import Modelica.Constants.pi; import C = Modelica.Constants; "
                       "import Modelica.Math; import SI ="
                       " Modelica.Units.SI; SI.Length x(start = 1); equation assert(abs(pi - "
                       "3.14159265358979) < 1e-14 and C.g_n =="
                       " 9.80665 and Modelica.Constants.T_zero == -273.15 and Math.sin(pi/2) == 1 "
                       "and Modelica.Math.cos(0) == 1,"
                       " \"values\"); der(x) = -x; end M;",
                       DAE_OK);
  dae_model_free(m);
  m = build("model M import Modelica.Constants.*; Real x; equation assert(abs(e - exp(1)) < 1e-15, "
            "\"e\"); x = R; end M;",
            DAE_OK);
  dae_model_free(m);
  /* a name of the text comes before an imported one */
  m = build("model M import Modelica.Constants.*; parameter Real k = 2; Real x; equation assert(k "
            "== 2, \"own\"); x = k;"
            " end M;",
            DAE_OK);
  dae_model_free(m);
  m = build("model M Real x; equation x = pi; end M;", DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "'pi' is not declared") != NULL);
  dae_model_free(m);
}

int main(void) {
  RUN(test_values);
  RUN(test_base_modelica);
  RUN(test_library);
  return TEST_END();
}
