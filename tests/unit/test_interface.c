/* the C interface with arguments that nobody should pass: a status and a sentence, never a crash;
   names that are freed at once, lists of times, sizes beyond an int, a second start, locales */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

#include <daedal/daedal.h>

#include "test.h"

/* x' = -0.7 x */
static int decay(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = -0.7 * z[0];
  return 0;
}

/* slope 1 before t = 0.37, 3 after it: a jump of x' */
static int ramp(double t, const double *z, double *dz, void *ctx) {
  (void)z, (void)ctx;
  dz[0] = t > 0.37 ? 3 : 1;
  return 0;
}

/* |x| = 1 in the plane with weight: the pendulum */
static int weight(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -9.81;
  return 0;
}

static int length(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static const double one[] = {1.3}, hanging[] = {1, 0, 0, 0};
static const dae_problem fall = {.kind = DAE_ODE, .ode = {.n = 1, .f = decay}, .t1 = 1, .z0 = one};
static const dae_problem pendulum = {.kind = DAE_MECHANICAL,
                                     .mechanical = {.nq = 2, .ng = 1, .force = weight, .g = length},
                                     .autonomous = true,
                                     .t1 = 1,
                                     .z0 = hanging};

static char *heap(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

/* the names go right after dae_solver_new; a sanitizer sees whoever reads them later */
static void test_names_are_copied(void) {
  static const char *const forms[] = {"index1", "index2", "invariant:1", "baumgarte", "auto"};
  static const char *const methods[] = {"dopri5", "radau3", "radau3", "dopri5", "auto"};
  for (int i = 0; i < 5; i++) {
    dae_options o = dae_options_default();
    char *form = heap(forms[i]), *method = heap(methods[i]), *coefficients = heap("100,20"),
         *passage = heap("auto"), *direction = heap("auto"), *level = heap("both");
    o.form = form, o.method = method, o.passage = passage, o.direction = direction;
    o.level = level;
    if (i == 3) o.coefficients = coefficients;
    dae_solver *s;
    dae_status status = dae_solver_new(&s, &pendulum, &o, NULL);
    char *all[] = {form, method, coefficients, passage, direction, level};
    for (int k = 0; k < 6; k++) {
      memset(all[k], 'x', strlen(all[k]));
      free(all[k]);
    }
    CHECK(status == DAE_OK);
    if (status != DAE_OK) continue;
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    CHECK(dae_solver_advance(s, 0.3) == DAE_OK);
    CHECK(strlen(dae_solver_method(s)) > 3 && strlen(dae_solver_form(s)) > 4);
    dae_solver_free(s);
  }
}

/* every NAME that is NULL and every number that is none is refused by its name */
static void test_options(void) {
  for (int i = 0; dae_option_key(i); i++) {
    dae_options o = dae_options_default();
    dae_report r;
    dae_solver *s;
    const char *type = dae_option_type(i), *key = dae_option_key(i);
    if (strcmp(type, "NAME") == 0 || strcmp(type, "WORD") == 0) {
#define NULL_NAME(field) \
  if (strcmp(key, #field) == 0) o.field = NULL
      NULL_NAME(method);
      NULL_NAME(form);
      NULL_NAME(coefficients);
      NULL_NAME(atol_of);
      NULL_NAME(direction);
      NULL_NAME(weighting);
      NULL_NAME(rtilde);
      NULL_NAME(stabilize);
      NULL_NAME(level);
      NULL_NAME(schur);
      NULL_NAME(project);
      NULL_NAME(passage);
      NULL_NAME(srm_weight);
      NULL_NAME(srm_variant);
      NULL_NAME(srm_alpha);
      NULL_NAME(srm_carry);
      NULL_NAME(multiplier);
    } else if (strcmp(type, "REAL") == 0) {
      /* a REAL cannot be set to NaN as text, so here one of them stands for all */
      o.gamma = NAN;
      key = "gamma";
    } else {
      continue;
    }
    CHECK(dae_solver_new(&s, &fall, &o, &r) == DAE_E_INPUT && !s && strstr(r.message, key));
  }
  dae_options o = dae_options_default();
  char message[64];
  CHECK(dae_options_set(NULL, "rtol", "1", message, 64) == DAE_E_INPUT && message[0]);
  CHECK(dae_options_set(&o, NULL, "1", message, 64) == DAE_E_INPUT && message[0]);
  CHECK(dae_options_set(&o, "rtol", NULL, message, 64) == DAE_E_INPUT && message[0]);
  CHECK(dae_options_set(&o, "nothing", "1", NULL, 0) == DAE_E_INPUT);
  CHECK(dae_options_set(&o, "rtol", "nan", message, 8) == DAE_E_INPUT && strlen(message) == 7);
}

/* NULL wherever it is not named as allowed */
static void test_null(void) {
  dae_options o = dae_options_default();
  dae_report r = {0};
  dae_stats stats;
  dae_solver *s;
  dae_diagnosis d;
  dae_solution *solution;
  double z[4] = {1, 0, 0, 0}, y[1] = {77}, drift[2];
  CHECK(dae_solver_new(NULL, &fall, &o, &r) == DAE_E_INPUT && strstr(r.message, "out"));
  CHECK(dae_solver_new(&s, NULL, &o, &r) == DAE_E_INPUT && !s && r.message[0]);
  CHECK(dae_solver_new(&s, &fall, NULL, &r) == DAE_E_INPUT && !s && r.message[0]);
  CHECK(dae_solve(NULL, &o, 0, 1, z, y, &r, &stats) == DAE_E_INPUT && stats.steps == 0);
  CHECK(dae_diagnose(NULL, &o, &d) == DAE_E_INPUT && d.message[0] && d.form);
  CHECK(dae_diagnose(&fall, NULL, &d) == DAE_E_INPUT && strstr(d.message, "options"));
  CHECK(dae_diagnose(&fall, &o, NULL) == DAE_E_INPUT);
  CHECK(dae_bvp_solve(NULL, &o, NULL, &solution, &r) == DAE_E_INPUT && !solution);
  CHECK(dae_bvp_solve(&fall, &o, NULL, NULL, &r) == DAE_E_INPUT && strstr(r.message, "out"));
  CHECK(dae_bvp_solve(&fall, NULL, NULL, &solution, &r) == DAE_E_INPUT && r.message[0]);
  CHECK(dae_bvp_continue(&fall, &o, NULL, 0, 1, NULL, &solution, &r) == DAE_E_INPUT &&
        strstr(r.message, "parameter"));
  CHECK(dae_solver_start(NULL, 0, z, y) == DAE_E_INPUT);
  CHECK(dae_solver_step(NULL, 1) == DAE_E_INPUT && dae_solver_advance(NULL, 1) == DAE_E_INPUT);
  CHECK(!dae_solver_z(NULL) && !dae_solver_report(NULL) && isnan(dae_solver_time(NULL)));
  CHECK(!dae_solver_events(NULL, NULL) && !dae_solver_passages(NULL, NULL));
  CHECK(!dae_solution_mesh(NULL, NULL) && dae_solution_eval(NULL, 0, z, y, z) == DAE_E_INPUT);
  CHECK(!dae_method_find(NULL) && !dae_form_find(NULL) && !dae_direction_find(NULL) &&
        !dae_stabilizer_find(NULL) && !dae_method_at(-1));
  CHECK(dae_problem_nz(NULL) == 0 && dae_problem_index(NULL) == 0);
  CHECK(dae_problem_valid(NULL, NULL, 0) == DAE_E_INPUT);
  CHECK(dae_problem_check(&fall, 0, NULL, NULL, NULL, 0) == DAE_OK);
  CHECK(dae_solver_new(&s, &pendulum, &o, NULL) == DAE_OK);
  CHECK(dae_solver_project(s, 0, NULL, NULL) == DAE_E_INPUT);
  CHECK(dae_solver_drift(s, 0, z, NULL) == DAE_E_INPUT);
  CHECK(dae_solver_drift(s, NAN, z, drift) == DAE_E_INPUT);
  CHECK(dae_solver_start(s, NAN, z, y) == DAE_E_INPUT && isnan(y[0]));
  CHECK(dae_solver_eval(s, 0, z, y) == DAE_E_INPUT);
  dae_solver_free(s);
}

/* names that do not fit are cut, numbers out of range have none */
static void test_small_buffers(void) {
  char text[3] = "zz";
  CHECK_STR(dae_problem_z_name(&pendulum, 2, text, 3), "de");
  CHECK_STR(dae_problem_z_name(&pendulum, 4, text, 3), "");
  CHECK_STR(dae_problem_y_name(&pendulum, -1, text, 3), "");
  CHECK_STR(dae_problem_g_name(&pendulum, 0, 1, text, 2), "d");
  CHECK(!dae_problem_z_name(&pendulum, 0, NULL, 9));
  text[0] = 'k';
  dae_problem_g_name(&pendulum, 0, 0, text, 0);
  dae_problem_y_name(&pendulum, 0, text, -5);
  CHECK(text[0] == 'k');
}

/* an event without a function, lists that are not there */
static void test_lists(void) {
  dae_options o = dae_options_default();
  dae_report r;
  dae_solver *s;
  dae_event nothing = {.name = "nothing"};
  dae_problem p = fall;
  p.n_event = 1;
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_E_INPUT && strstr(r.message, "event"));
  p.event = &nothing;
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_E_INPUT && strstr(r.message, "value"));
  p = fall;
  p.n_direction = 2;
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_E_INPUT && strstr(r.message, "direction"));
}

/* sizes near 2^31, and dense matrices beyond it: before anything is allocated */
static void test_sizes(void) {
  dae_options o = dae_options_default();
  dae_report r;
  dae_solver *s;
  dae_problem p = pendulum;
  p.mechanical.nq = INT32_MAX;
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_E_INPUT && strstr(r.message, "too large"));
  p = pendulum;
  p.mechanical.ng = p.mechanical.nw = INT32_MAX - 5;
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_E_INPUT);
  p = pendulum;
  p.mechanical.nq = 120000, p.mechanical.ng = 60000;
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_E_INPUT && strstr(r.message, "7200000000"));
  dae_problem h = {.kind = DAE_HESSENBERG, .hessenberg = {.order = 6, .nx = INT32_MAX / 3}};
  CHECK(dae_problem_valid(&h, NULL, 0) == DAE_E_INPUT);
}

static int many(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0; i < 120000; i++) dz[i] = -0.7 * z[i];
  return 0;
}

/* 120,000 unknowns without a pattern: an explicit method needs no matrix; an implicit one is
   refused before the square of the size overflows */
static void test_many_unknowns(void) {
  dae_options o = dae_options_default();
  dae_report r;
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 120000, .f = many}, .t1 = 1};
  double *z = calloc(120000, sizeof *z);
  for (int i = 0; z && i < 120000; i++) z[i] = 1.3;
  CHECK(dae_solve(&p, &o, 0, 1, z, NULL, &r, NULL) == DAE_OK);
  /* ten tolerances */
  CHECK_NEAR(z[77777], 1.3 * exp(-0.7), 1e-5);
  o.method = "radau3";
  dae_status status = dae_solve(&p, &o, 0, 1, z, NULL, &r, NULL);
  CHECK(status == DAE_E_INPUT || status == DAE_E_MEMORY);
  CHECK(r.message[0]);
  free(z);
}

/* lists of times to hit: refused when they cannot be meant */
static void test_hit_lists(void) {
  dae_options o = dae_options_default();
  dae_solver *s;
  const double falling[] = {0.5, 0.2}, none[] = {NAN}, far[] = {0.1, INFINITY}, good[] = {0.2, 0.5};
  CHECK(dae_solver_new(&s, &fall, &o, NULL) == DAE_OK);
  CHECK(dae_solver_hit(s, falling, 2) == DAE_E_INPUT && dae_solver_hit(s, none, 1) == DAE_E_INPUT);
  CHECK(dae_solver_hit(s, far, 2) == DAE_E_INPUT && dae_solver_hit(s, NULL, 2) == DAE_E_INPUT);
  CHECK(dae_solver_hit(s, good, -1) == DAE_E_INPUT && dae_solver_hit(NULL, good, 2) == DAE_E_INPUT);
  CHECK(dae_solver_hit(s, NULL, 0) == DAE_OK && dae_solver_hit(s, good, 2) == DAE_OK);
  dae_solver_free(s);
}

/* the slope jumps where the list says so: with a restart there, one-step and multistep methods need
   few steps and make no error beyond rounding, as each piece is a straight line */
static void test_hit_restarts(void) {
  static const char *const methods[] = {"dop853", "dopri5", "radau5", "bdf"};
  const double zero[] = {0}, kink[] = {0.37};
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 1, .f = ramp}, .t1 = 1, .z0 = zero};
  for (int i = 0; i < 4; i++) {
    dae_options o = dae_options_default();
    dae_solver *s;
    o.method = methods[i];
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_hit(s, kink, 1) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    CHECK(dae_solver_advance(s, 1) == DAE_OK);
    CHECK_NEAR(dae_solver_z(s)[0], 0.37 + 3 * 0.63, 1e-13);
    CHECK(dae_solver_stats(s)->restarts == 1);
    CHECK(dae_solver_stats(s)->rejected == 0);
    dae_solver_free(s);
  }
}

/* a second start counts from zero: the same run has the same statistics */
static void test_second_start(void) {
  static const char *const methods[] = {"auto", "radau5", "bdf", "herk5"};
  for (int i = 0; i < 4; i++) {
    dae_options o = dae_options_default();
    dae_solver *s;
    dae_stats first;
    o.method = methods[i];
    CHECK(dae_solver_new(&s, &pendulum, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK && dae_solver_advance(s, 1) == DAE_OK);
    first = *dae_solver_stats(s);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    CHECK(dae_solver_stats(s)->steps == 0);
    CHECK(dae_solver_advance(s, 1) == DAE_OK);
    const dae_stats *b = dae_solver_stats(s);
    CHECK(b->steps == first.steps && b->evaluations == first.evaluations);
    CHECK(b->jacobians == first.jacobians && b->factorizations == first.factorizations);
    CHECK(b->solves == first.solves && b->newton == first.newton);
    CHECK(b->constraints == first.constraints && b->stabilizations == first.stabilizations);
    if (b->constraints != first.constraints || b->solves != first.solves)
      printf("  %s: constraints %ld %ld, solves %ld %ld\n", methods[i], first.constraints,
             b->constraints, first.solves, b->solves);
    dae_solver_free(s);
  }
}

/* a locale with a decimal comma: made for the test where none is installed */
static int comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
  if (system("mkdir -p " BUILD_DIR "/locale && { test -d " BUILD_DIR "/locale/de_DE.UTF-8 || "
             "localedef -i de_DE -f UTF-8 " BUILD_DIR
             "/locale/de_DE.UTF-8; } >/dev/null 2>&1") == 0)
    setenv("LOCPATH", BUILD_DIR "/locale", 1);
  for (int i = 0; i < 4; i++)
    if (setlocale(LC_ALL, names[i])) return localeconv()->decimal_point[0] == ',';
  return 0;
}

static void test_locale(void) {
  if (!comma_locale()) {
    printf("  no locale with a decimal comma on this machine\n");
    return;
  }
  dae_options o = dae_options_default();
  char message[DAE_TEXT_MAX];
  dae_report r;
  CHECK(dae_options_set(&o, "rtol", "2.5e-7", message, sizeof message) == DAE_OK);
  CHECK(o.rtol == 2.5e-7);
  CHECK(dae_options_set(&o, "rtol", "2,5e-7", message, sizeof message) == DAE_E_INPUT);
  /* two numbers with a point each, not one with a comma */
  o.form = "baumgarte", o.coefficients = "100.5,20.25", o.method = "dopri5";
  double z[4] = {1, 0, 0, 0};
  CHECK(dae_solve(&pendulum, &o, 0, 0.3, z, NULL, &r, NULL) == DAE_OK);
  CHECK(strstr(r.message, "0.3") != NULL);
  static const char text[] = "model A Real x(start = 1.25, fixed = true); equation "
                             "der(x) = -0.75*x; end A;";
  dae_model_options interpreted = {.compiler = ""};
  dae_model *m;
  CHECK(dae_model_read_text(&m, "a", text, sizeof text - 1, &interpreted) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  CHECK(strstr(dae_model_code(m), "0.75") != NULL);
  CHECK(dae_model_problem(m)->z0[0] == 1.25);
  dae_model_free(m);
  setlocale(LC_ALL, "C");
}

/* models: NULL for everything */
static void test_model_null(void) {
  dae_model *m;
  char text[9];
  double v[1];
  CHECK(dae_model_read_text(NULL, "a", "", 0, NULL) == DAE_E_INPUT);
  CHECK(dae_model_read_file(NULL, "a", NULL) == DAE_E_INPUT);
  CHECK(dae_model_read_file(&m, NULL, NULL) == DAE_E_INPUT && dae_model_messages(m)[0]);
  dae_model_free(m);
  CHECK(dae_model_read_text(&m, NULL, NULL, 5, NULL) == DAE_E_INPUT && dae_model_messages(m)[0]);
  CHECK(dae_model_build(m) == DAE_E_MODEL);
  dae_model_free(m);
  CHECK(dae_model_build(NULL) == DAE_E_INPUT && dae_model_set(NULL, "a", 1) == DAE_E_INPUT);
  CHECK(dae_model_variables(NULL) == 0 && !dae_model_variable_name(NULL, 0));
  CHECK(!dae_model_parameter_name(NULL, 0) && dae_model_tolerance(NULL) == 0);
  CHECK(dae_model_values(NULL, 0, v, v, v) != 0 && !dae_model_explain(NULL));
  CHECK(dae_model_singular(NULL, 0, v, text, 9) == 0 && !dae_model_problem(NULL));
}

int main(void) {
  RUN(test_names_are_copied);
  RUN(test_options);
  RUN(test_null);
  RUN(test_small_buffers);
  RUN(test_lists);
  RUN(test_sizes);
  RUN(test_many_unknowns);
  RUN(test_hit_lists);
  RUN(test_hit_restarts);
  RUN(test_second_start);
  RUN(test_locale);
  RUN(test_model_null);
  return TEST_END();
}
