/* texts that want to break something: nesting, length, names, sizes, memory */
#include <stdlib.h>
#include <time.h>

#include <daedal/daedal.h>

#include "test.h"

/* text with `count` times a piece between two ends */
static char *repeat(const char *head, const char *piece, size_t count, const char *tail,
                    size_t *size) {
  size_t h = strlen(head), p = strlen(piece), t = strlen(tail);
  char *text = malloc(h + count * p + t + 1), *at = text;
  memcpy(at, head, h);
  at += h;
  for (size_t k = 0; k < count; k++, at += p) memcpy(at, piece, p);
  memcpy(at, tail, t + 1);
  *size = h + count * p + t;
  return text;
}

static dae_status status_of(const char *text, size_t size, const char *part) {
  dae_model *m;
  dae_model_options o = {.compiler = "", .max_size = 3000000};
  dae_status status = dae_model_read_text(&m, "m.mo", text, size, &o);
  if (status == DAE_OK) status = dae_model_build(m);
  if (part) CHECK(strstr(dae_model_messages(m), part) != NULL);
  dae_model_free(m);
  return status;
}

static void test_nesting(void) {
  static const char *const pieces[] = {"(",  "{",  "[",     "sin(", "if x > 1 then ",
                                       "x[", "-(", "not (", "1 + ("};
  for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
    size_t size;
    char *text = repeat("model M Real x; equation x = ", pieces[k], 100000, "1; end M;", &size);
    CHECK(status_of(text, size, "nested more than 200 levels deep") == DAE_E_MODEL);
    free(text);
  }
  size_t size;
  char *text =
      repeat("model M Real x; equation ", "for i in 1:2 loop ", 100000, "x = 1; end M;", &size);
  CHECK(status_of(text, size, "nested more than 200 levels deep") == DAE_E_MODEL);
  free(text);
}

/* chains are not nesting: a sum of 100000 terms and a condition of as many parts are fine */
static void test_chains(void) {
  size_t size;
  char *text =
      repeat("model M Real x; equation der(x) = 1", " + sin(time)*x", 100000, "; end M;", &size);
  CHECK(status_of(text, size, NULL) == DAE_OK);
  free(text);
  text = repeat("model M Real x; equation der(x) = if time > 1", " and x > 2", 50000,
                " then 1 else 2; end M;", &size);
  CHECK(status_of(text, size, NULL) == DAE_OK);
  free(text);
  text = repeat("model M Real x; equation when x > 1", " and x < 2", 50000,
                " then terminate(\"\"); end when; der(x) = 1; end M;", &size);
  CHECK(status_of(text, size, NULL) == DAE_OK);
  free(text);
}

static void test_names(void) {
  size_t size;
  char *name = repeat("", "n", 100000, "", &size), *text = malloc(4 * size + 100);
  int length =
      sprintf(text, "model M Real %s; equation der(%s) = 1 + %s; end M;", name, name, name);
  CHECK(status_of(text, (size_t)length, NULL) == DAE_OK);
  length = sprintf(text, "model M Real x; equation x = %s; end M;", name);
  CHECK(status_of(text, (size_t)length, "is not declared") == DAE_E_MODEL);
  free(name);
  free(text);
}

/* 50 MB are read in linear time: far below a second for each ten of them */
static void test_long(void) {
  size_t size;
  char *text = repeat("model M Real x;\n", "// a comment that says nothing at all\n", 1300000,
                      "equation x = 1 +; end M;", &size);
  clock_t begin = clock();
  CHECK(size > 49000000);
  CHECK(status_of(text, size, "m.mo:1300002:17: error: expected an expression, found ';'") ==
        DAE_E_MODEL);
  CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
  free(text);
}

/* live bytes and their peak */
static size_t held, peak;
static void *take_counted(size_t bytes, void *ctx) {
  (void)ctx;
  size_t *block = malloc(bytes + 2 * sizeof *block);
  if (!block) return NULL;
  *block = bytes;
  held += bytes;
  if (held > peak) peak = held;
  return block + 2;
}
static void give_counted(void *block, void *ctx) {
  (void)ctx;
  size_t *start = block;
  if (!block) return;
  held -= start[-2];
  free(start - 2);
}

/* a hundred bytes of text take as much memory as they may, and no more */
static void test_limits(void) {
  static const char *const large[] = {
      "model M Real s; equation s = sum(i for i in 1:10000, j in 1:10000, k in 1:10000); end M;",
      "model M function f input Real x; output Real y; algorithm y := x; for i in 1:100000 loop "
      "for j in 1:100000 loop y := x; end for; end for; end f; Real s; equation s = f(time); "
      "end M;",
      "model M Real x[3000, 3000]; equation x = zeros(3000, 3000); end M;",
      "model M Real x; equation x = sum(fill(time, 4000, 4000)); end M;",
      "model M Real x; equation for i in 1:10000000 loop x = i; end for; end M;",
      "model M Real x; equation x = sum(1:19000000); end M;",
      ("model M parameter Integer n = 1000000; Real x[n]; equation for i in 1:n loop der(x[i]) = "
       "sum(x); end for; end M;")};
  for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
    dae_model *m;
    dae_model_options o = {.compiler = "", .model_memory = 100};
    o.allocator = (dae_allocator){take_counted, give_counted, NULL};
    held = peak = 0;
    CHECK(dae_model_read_text(&m, "m.mo", large[k], strlen(large[k]), &o) == DAE_OK);
    CHECK(dae_model_build(m) == DAE_E_MODEL);
    CHECK(strncmp(dae_model_messages(m), "m.mo:1:", 7) == 0);
    CHECK(strstr(dae_model_messages(m), "error: the model is too large: ") != NULL);
    CHECK(peak <= 101000000); /* heads of blocks beside the 100 MB */
    dae_model_free(m);
    CHECK(held == 0);
  }
}

/* the same for time: a model that takes many small steps, and no time at all for them */
static void test_time(void) {
  size_t size;
  char *text =
      repeat("model M Real x; equation der(x) = 1", " + sin(time)*x", 300000, "; end M;", &size);
  dae_model *m;
  dae_model_options o = {.compiler = "", .model_seconds = 1e-9};
  CHECK(dae_model_read_text(&m, "m.mo", text, size, &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "takes more than 1e-09 seconds (model_seconds)") != NULL);
  dae_model_free(m);
  free(text);
}

/* 10000 equations are read and sorted without anything that grows with the square: each pass below
   would take some 1e8 steps then, and far more than the memory of the linear one */
static void test_many_equations(void) {
  enum { N = 10000 };
  char *text = malloc(100 * N), *at = text;
  at += sprintf(at, "model M\n Real x(start = 1, fixed = true);\n");
  for (int i = 0; i < N; i++) at += sprintf(at, " Real y%d;\n", i);
  at += sprintf(at, "equation\n der(x) = -x;\n y0 = sin(x);\n");
  for (int i = 1; i < N; i++) at += sprintf(at, " y%d = sin(y%d) + %d;\n", i, i - 1, i);
  at += sprintf(at, "end M;\n");
  dae_model *m;
  dae_model_options o = {.compiler = "", .model_memory = 60};
  CHECK(dae_model_read_text(&m, "m.mo", text, (size_t)(at - text), &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  CHECK(dae_model_variables(m) == N + 1);
  dae_model_free(m);
  free(text);
}

static void test_sizes(void) {
  static const char *const large[] = {
      "model M Real x[1000000, 1000000]; equation x = zeros(1000000, 1000000); end M;",
      "model M Real x; equation x = sum(zeros(100000, 100000)); end M;",
      "model M Real x; equation for i in 1:100000000 loop for j in 1:100000000 loop x = i*j + x; "
      "end for; end for; end M;",
      "model M Real x; equation x = sum(i*j*k*sin(i + j*time) for i in 1:1000, j in 1:1000, k in "
      "1:1000); end M;"};
  for (size_t k = 0; k < sizeof large / sizeof *large; k++)
    CHECK(status_of(large[k], strlen(large[k]), "the model is too large") == DAE_E_MODEL);
}

/* what has no value is refused with its name; each of these once ended the process */
static void test_no_value(void) {
  static const struct {
    const char *text, *part;
  } bad[] = {
      {"model M Real x(start = 1); equation der(x) = -pre(x); end M;",
       "m.mo:1:37: error: pre(x) has no meaning in this equation"},
      {"model M Real x(start = 1), y; equation der(x) = y; y = x*x; der(y(startTime)) = x; end M;",
       "error"},
      {"model M Real x(start = 1), v; equation der(x) = v; der(v) = -x;"
       " v^2 + x^2 + der(der(v)) = 1 annotation(__Daedal_invariant = true); end M;",
       "m.mo:1:65: error: 'der(der(v))' is needed here"},
      {"model M Real x(start = 1), y; equation der(x) = -x; y = x + x(finalTime); end M;",
       "m.mo:1:53: error: x(finalTime) states a boundary value"},
      {"model M Real x(start = 1); equation der(x) = -(1/1e-308)*1e10*x; end M;",
       "m.mo:1:37: error: 1e+308*10000000000 is not a finite number: it is too large"},
      {"model M Real x(start = 1); parameter Real p = -2; equation der(x) = -sqrt(p)*x; end M;",
       "sqrt(p) is not a finite number: it has no value"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    CHECK(status_of(bad[k].text, strlen(bad[k].text), bad[k].part) == DAE_E_MODEL);
}

/* what the fuzzers found: these ended the process while they were analysed */
static void test_found(void) {
  static const char *const text[] = {
      "model M Real x0(start = 1), x2(start = 1); equation der(x0) = min(4, sin(der(x0)));"
      " x2^2 + x0^2 = 1; der(x2) = -x2; end M;",
      "model M Real x0, x1, x2; equation asin(x1) = x0; der(x1) = x2 - x1;"
      " (if x0 > time then 3 else 0.5) = x2; initial equation x0(finalTime) = 1;"
      " der(x0) = pre(x2); end M;"};
  for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
    dae_status status = status_of(text[k], strlen(text[k]), NULL);
    CHECK(status == DAE_OK || status == DAE_E_MODEL);
  }
}

/* c1 (c2 x) with a product beyond double precision stays as it is written */
static void test_large_factors(void) {
  static const char text[] = "model M Real x(start = 1e-250), y, z; equation der(x) = 0;"
                             " y = 1e200*(1e200*x); z = 1e-200*(1e-200*(1/x)); end M;";
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  double value[3];
  CHECK(dae_model_read_text(&m, "m.mo", text, sizeof text - 1, &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  const dae_problem *p = dae_model_problem(m);
  CHECK(p && dae_model_values(m, 0, p->z0, NULL, value) == 0);
  /* three roundings of powers of ten */
  CHECK_NEAR(value[1] / 1e150, 1, 1e-15);
  CHECK_NEAR(value[2] / 1e-150, 1, 1e-15);
  dae_model_free(m);
}

/*
 * F = x'' + y'' of algebraic x, y: a variable that needs derivatives of what the equations only
 * imply is no mere name. Reference: the two equations differentiated by hand.
 */
static void test_derived_derivatives(void) {
  static const char text[] = "model M Real x, y, F; equation x + 0.1*y^3 = sin(time);"
                             " y + 0.1*x^3 = cos(time); F = der(der(x)) + der(der(y)); end M;";
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  CHECK(dae_model_read_text(&m, "m.mo", text, sizeof text - 1, &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  const dae_problem *p = dae_model_problem(m);
  dae_options options = dae_options_default();
  double z[8], v[3], t = p->t1;
  CHECK(p->kind == DAE_ODE && p->ode.n <= 8);
  options.rtol = options.atol = 1e-10;
  memcpy(z, p->z0, (size_t)p->ode.n * sizeof *z);
  CHECK(dae_solve(p, &options, p->t0, t, z, NULL, NULL, NULL) == DAE_OK);
  CHECK(dae_model_values(m, t, z, NULL, v) == 0);
  double x = v[0], y = v[1], a = 0.3 * y * y, b = 0.3 * x * x, det = 1 - a * b;
  double dx = (cos(t) + a * sin(t)) / det, dy = (-sin(t) - b * cos(t)) / det;
  double r = -sin(t) - 0.6 * y * dy * dy, s = -cos(t) - 0.6 * x * dx * dx;
  CHECK_NEAR(v[2], (r - a * s + s - b * r) / det, 1e-8); /* 100 tolerances */
  dae_model_free(m);
}

static void test_bytes(void) {
  char text[600];
  for (int k = 0; k < 600; k++) text[k] = (char)(k * 7 + k / 256);
  CHECK(status_of(text, sizeof text, "error") == DAE_E_MODEL);
  CHECK(status_of("model M Real x\0; equation x = 1; end M;", 39, "byte 0x00") == DAE_E_MODEL);
}

/* the n-th allocation fails: out of memory is a status, and nothing is left behind */
static long taken, limit, live;
static void *take(size_t bytes, void *ctx) {
  (void)ctx;
  if (++taken > limit) return NULL;
  live++;
  return malloc(bytes);
}
static void give(void *block, void *ctx) {
  (void)ctx;
  if (block) live--;
  free(block);
}

static void test_memory(void) {
  static const char text[] =
      "model P parameter Real L = 1; Real x(start = 1, fixed = true), y, F, phi(start = 1); "
      "function f input Real a[:];"
      " output Real s = 0; algorithm for i in 1:size(a, 1) loop s := s + a[i]^2; end for; end f; "
      "equation"
      " der(der(x)) = -x*F; der(der(y)) = -y*F - 9.8; f({x, y}) = L^2; phi + sin(phi) = x;"
      " when x < 0 then terminate(\"left\"); end when; initial equation der(x) + x = 1; end P;";
  dae_model_options o = {.compiler = "", .allocator = {take, give, NULL}};
  int good = 0;
  for (limit = 0; limit < 100000 && !good; limit++) {
    dae_model *m = NULL;
    taken = live = 0;
    dae_status status = dae_model_read_text(&m, "m.mo", text, sizeof text - 1, &o);
    if (status == DAE_OK) status = dae_model_build(m);
    CHECK(status == DAE_OK || status == DAE_E_MEMORY);
    good = status == DAE_OK;
    dae_model_free(m);
    CHECK(live == 0);
  }
  CHECK(good && limit > 50);
}

int main(void) {
  RUN(test_nesting);
  RUN(test_chains);
  RUN(test_names);
  RUN(test_long);
  RUN(test_limits);
  RUN(test_time);
  RUN(test_many_equations);
  RUN(test_sizes);
  RUN(test_no_value);
  RUN(test_found);
  RUN(test_large_factors);
  RUN(test_derived_derivatives);
  RUN(test_bytes);
  RUN(test_memory);
  return TEST_END();
}
