/*
 * External functions of the user: C source and a library, all kinds of arguments, derivatives by
 * differences and by annotation, and what is refused. Values are those of the same formulas written
 * out: exp(-2), cubes, the period of a circle; the pendulum keeps x^2 + y^2 = 1 and its energy.
 */
#include <unistd.h>

#include "small.h"

static const char source[] =
    "#include <math.h>\n#include <stddef.h>\n"
    "double decay(double x, double k) { return -k * x; }\n"
    "double power(double u, int n) { return pow(u, n); }\n"
    "double scaled(double u) { return sin(1e6 * u); }\n"
    "double scalar_product(const double *a, size_t n, const double *b, size_t m) {\n"
    "  double s = 0;\n  for (size_t i = 0; i < n && i < m; i++) s += a[i] * b[i];\n  return s;\n}\n"
    "void turn(const double *v, double w, double *out, double *size) {\n"
    "  out[0] = -w * v[1], out[1] = w * v[0], *size = v[0] * v[0] + v[1] * v[1];\n}\n"
    "double pick(const int *k, size_t n, int which) { return which < (int)n ? k[which] : -1; }\n"
    "double edge(double x) { return sqrt(1 - x); }\n"
    "double square(double x, double y) { return x * x + y * y; }\n"
    "double square_der(double x, double y, double dx, double dy) {\n"
    "  return 2 * x * dx + 2 * y * dy;\n}\n";

typedef struct external_line {
  line what;
  const char *functions;
} external_line;

#define R "input Real u; output Real y; "
#define SQUARE "function square input Real x; input Real y; output Real s; external \"C\"; "
#define PENDULUM                                                                       \
  "Real x(start = 0.6, fixed = true), y(start = -0.8), u(start = 0, fixed = true), "   \
  "v(start = 0), F, rest; equation der(x) = u; der(y) = v; der(u) = -2*F*x; der(v) = " \
  "-2*F*y - 9.81; square(x, y) = 1; rest = (u^2 + v^2)/2 + 9.81*(y + 0.8);"

static const external_line lines[] = {
    {{"scalars, by the declarations alone",
      "Real x(start = 1, fixed = true); equation der(x) = f(x, 2);", 1, "x", 0.13533528323661270,
      NEAR, NULL},
     "function f input Real x; input Real k; output Real y; external \"C\" y = decay(x, k); "
     "end f;"},
    {{"an Integer", "Real y = f(time, 3);", 1.5, "y", 3.375, NEAR, NULL},
     "function f input Real u; input Integer n; output Real y; external \"C\" y = power(u, n); "
     "end f;"},
    {{"arrays with their sizes", "Real y = scalar_product({time, 2}, {3, 5});", 1, "y", 13, NEAR,
      NULL},
     "function scalar_product input Real a[:]; input Real b[size(a, 1)]; output Real y; external "
     "\"C\"; "
     "end scalar_product;"},
    {{"sizes that are written", "Real y = f({time, 2, 7}, {3, 5, 1});", 1, "y", 20, NEAR, NULL},
     "function f input Real a[:]; input Real b[:]; output Real y; external \"C\" y = "
     "scalar_product(a, "
     "size(a, 1), b, size(b, 1)); end f;"},
    {{"an array of whole numbers, a number that is written", "Real y = f({4, 6, 9});", 1, "y", 6, 0,
      NULL},
     "function f input Integer k[:]; output Real y; external \"C\" y = pick(k, size(k, 1), 1); "
     "end f;"},
    {{"outputs through pointers: half a turn",
      "Real v[2](start = {1, 0}, each fixed = true), s; equation (der(v), s) = f(v, "
      "3.14159265358979324);",
      1, "v[1]", -1, NEAR, NULL},
     "function f input Real v[2]; input Real w; output Real o[2]; output Real s; external \"C\" "
     "turn(v, w, o, s); end f;"},
    {{"an equation is solved for an argument",
      "Real x(start = 1.2); equation f(x, 3) = 8 + 19*time;", 1, "x", 3, NEAR, NULL},
     "function f input Real u; input Integer n; output Real y; external \"C\" y = power(u, n); "
     "end f;"},
    {{"its rate, by differences: der(sin(1e6 x)) where x is small",
      "Real y, x; equation x = 1e-6*time; y = der(f(x));", 1, "y", 0.54030230586813977, NEAR, NULL},
     "function f " R "external \"C\" y = scaled(u); end f;"},
    {{"a constraint of index 3 by differences keeps the energy", PENDULUM, 2, "rest", 0, 1e-7,
      NULL},
     SQUARE "end square;"},
    {{"the same with the derivative in C", PENDULUM, 2, "rest", 0, 1e-7, NULL},
     SQUARE "annotation(derivative = sd); end square; function sd input Real x; input Real y; "
            "input Real dx; input Real dy; output Real s; external \"C\" s = square_der(x, y, dx, "
            "dy); end sd;"},
    {{"the same with the derivative in the text", PENDULUM, 2, "rest", 0, 1e-7, NULL},
     SQUARE "annotation(derivative = sd); end square; function sd input Real x; input Real y; "
            "input Real dx; input Real dy; output Real s; algorithm s := 2*(x*dx + y*dy); end sd;"},
    {{"a derivative of the text is used, right or not: 3 x' instead of 2 x x'",
      "Real y; equation y = der(square(time, 0));", 1, "y", 3, NEAR, NULL},
     SQUARE "annotation(derivative = sd); end square; function sd input Real x; input Real y; "
            "input Real dx; input Real dy; output Real s; algorithm s := 3*dx; end sd;"},
    {{"known arguments", "parameter Real p = f(3); Real y = p*time;", 1, "y", 9, NEAR, NULL},
     "function f " R "external \"C\" y = power(u, 2); end f;"},
    {{"a value that is not finite", "Real x(start = 0, fixed = true); equation der(x) = 1 + f(x);",
      2, "x", 1, 1, "not finite"},
     "function f " R "external \"C\" y = edge(u); end f;"},
    {{"a function that is not there", "Real y = f(time);", 1, "y", 0, 0,
      "there is no C function 'nowhere'"},
     "function f " R "external \"C\" y = nowhere(u); end f;"},
    {{"Strings", "Real y = f(\"a\");", 1, "y", 0, 0, "numbers, Booleans and arrays"},
     "function f input String s; output Real y; external \"C\" y = edge(s); end f;"},
    {{"Integer outputs", "Integer y = f(time);", 1, "y", 0, 0, "its outputs must be Real"},
     "function f input Real u; output Integer y; external \"C\" y = edge(u); end f;"},
    {{"a derivative that is missing", "Real y = square(time, 1);", 1, "y", 0, 0,
      "'derivative' names is missing"},
     SQUARE "annotation(derivative = nowhere); end square;"},
};

static char file[200];

static dae_model *read_line(const external_line *l, const char *external, const char *compiler,
                            dae_status *status) {
  char text[5000];
  dae_model *m;
  dae_model_options mo = {.external = external, .compiler = compiler};
  snprintf(text, sizeof text, "%s model M %s annotation(experiment(StopTime = %.17g)); end M;",
           l->functions, l->what.text, l->what.stop);
  *status = dae_model_read_text(&m, "m.mo", text, strlen(text), &mo);
  return m;
}

static void calls(void) {
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    char text[200] = "";
    dae_status status;
    dae_model *m = read_line(&lines[k], file, NULL, &status);
    status = solve_line(&lines[k].what, m, status);
    CHECK(dae_model_failed_call(m, text, sizeof text) == (status == DAE_E_CALLBACK));
    CHECK(status != DAE_E_CALLBACK || strstr(text, "'f'"));
    dae_model_free(m);
  }
}

static void refused(const char *external, const char *compiler, const char *message) {
  dae_status status;
  dae_model *m = read_line(&lines[0], external, compiler, &status);
  CHECK(status == DAE_OK && dae_model_build(m) == DAE_E_MODEL);
  bool told = strstr(dae_model_messages(m), message);
  CHECK(told);
  if (!told) puts(dae_model_messages(m));
  dae_model_free(m);
}

/* without the option nothing is loaded, and the message names it */
static void refusals(void) {
  refused(NULL, NULL, "--external");
  refused("missing.so", NULL, "'missing.so' cannot be loaded");
  refused("missing.c", NULL, "'missing.c' cannot be read");
  refused(file, "", "must be compiled, but no compiler is wanted");
}

int main(void) {
  const char *temporary = getenv("TMPDIR");
  char folder[150];
  snprintf(folder, sizeof folder, "%.100s/daedal-external-XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) return 1;
  snprintf(file, sizeof file, "%s/mine.c", folder);
  FILE *out = fopen(file, "w");
  if (!out || fputs(source, out) < 0 || fclose(out) != 0) return 1;
  RUN(calls);
  RUN(refusals);
  remove(file);
  rmdir(folder);
  return TEST_END();
}
