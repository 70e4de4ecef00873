/* checkpoints: runs of all families, hybrid models, other problems, damaged and foreign data */
#include "checkpoint.h"

/* 26 settings and every third pair: all of them occur, as 3 does not divide 26 */
static void test_killed(void) {
  kill_runs(3);
  CHECK(killed >= 200);
}

/* sparse matrices, redundant constraints, other branches */
static void test_chosen(void) {
  int count = 0;
  while (gallery_at(count)) count++;
  static const char *const options[] = {"", "method=radau3 form=ggl", "method=bdf"};
  dae_problem *p;
  for (int i = 2 * count; (p = open_case(i)); i++) {
    dae_options o = dae_options_default();
    set_options(&o, options[i % 3]);
    if (!p->boundary) compare(p, &o, p->name);
    gallery_close(p->name, p);
  }
}

/* ---- models as text: what only events change is part of the state ---- */

static void model_run(const char *equations, const char *options) {
  char text[2000];
  dae_model *m;
  dae_model_options mo = {.compiler = ""};
  dae_options o = dae_options_default();
  snprintf(text, sizeof text, "model M %s annotation(experiment(StopTime = 3)); end M;", equations);
  dae_status status = dae_model_read_text(&m, "m.mo", text, strlen(text), &mo);
  if (status == DAE_OK) status = dae_model_build(m);
  if (status != DAE_OK) printf("%s\n", dae_model_messages(m));
  CHECK(status == DAE_OK);
  set_options(&o, options);
  if (status == DAE_OK)
    for (int i = 0; i < 4; i++) compare(dae_model_problem(m), &o, equations);
  dae_model_free(m);
}

static void test_models(void) {
  model_run("Real h(start = 1, fixed = true), v(start = 0, fixed = true); Integer n(start = 0); "
            "equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); "
            "n = pre(n) + 1; end when;",
            "");
  model_run("Real x(start = 0, fixed = true); Real s(start = 0); Integer k(start = 0); equation "
            "der(x) = s - x; when sample(0.1, 0.13) then s = pre(s) + cos(time); k = pre(k) + 1; "
            "end when;",
            "method=radau3");
  model_run("Real x(start = 1, fixed = true); Boolean up(start = true); equation der(x) = if up "
            "then 1 else -1.3; up = not (x > 1.4 or (x > 0.6 and not pre(up)));",
            "method=dopri5");
  model_run("Real x(start = 1, fixed = true), v(start = 0.3, fixed = true); equation der(x) = v; "
            "der(v) = -x - 0.4*sign(v);",
            "");
  model_run("Real x(start = 0.6), y(start = -0.8), u(start = 0.8), v(start = 0.6), F; equation "
            "der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - (if time > 1.1 then 9.81 "
            "else 1); x^2 + y^2 = 1;",
            "");
}

/* ---- implicit problems: x' = -y + sin t, 0 = x - y^3 - y ---- */

static int implicit_F(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[1] - sin(t);
  F[1] = x[0] - x[1] * x[1] * x[1] - x[1];
  return 0;
}

static void test_implicit(void) {
  static const double x0[] = {0.3, 0.2};
  static const char *const options[] = {"", "method=radau3", "method=bdf", "method=sdirk3"};
  dae_problem p = {.name = "implicit",
                   .kind = DAE_IMPLICIT,
                   .z0 = x0,
                   .t1 = 4,
                   .implicit = {.n = 2, .F = implicit_F}};
  for (int i = 0; i < 8; i++) {
    dae_options o = dae_options_default();
    set_options(&o, options[i % 4]);
    compare(&p, &o, options[i % 4]);
  }
}

/* ---- what is refused ---- */

static dae_problem *pendulum(void) {
  dae_problem *p = NULL;
  char message[200];
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  return p;
}

static dae_solver *begun(const dae_problem *p, const char *options) {
  dae_solver *s = NULL;
  dae_options o = dae_options_default();
  set_options(&o, options);
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  for (int i = 0; i < 7; i++) CHECK(dae_solver_step(s, p->t1) == DAE_OK);
  return s;
}

static bool says(const dae_solver *s, const char *part) {
  const char *message = dae_solver_report(s)->message;
  if (!strstr(message, part)) printf("\"%s\" has no \"%s\"\n", message, part);
  return strstr(message, part) != NULL;
}

static void test_damage(void) {
  dae_problem *p = pendulum();
  dae_solver *s = begun(p, ""), *u = begun(p, "");
  size_t size;
  unsigned char *bytes = checkpoint(s, &size), *bad = malloc(size + 1);
  double t = dae_solver_time(u);
  /* every byte matters: 400 places of 20 bits each are enough for all parts */
  for (int k = 0; k < 400; k++) {
    size_t at = k < 64 ? (size_t)k : (size_t)random_below((int)size);
    memcpy(bad, bytes, size);
    bad[at] ^= (unsigned char)(1 << random_below(8));
    CHECK(dae_solver_restore(u, bad, size) == DAE_E_INPUT);
    CHECK(dae_solver_time(u) == t);
  }
  /* and every end of it */
  for (int k = 0; k < 100; k++) {
    size_t cut = k < 70 ? (size_t)k : (size_t)random_below((int)size);
    CHECK(dae_solver_restore(u, bytes, cut) == DAE_E_INPUT);
  }
  CHECK(dae_solver_restore(u, bytes, size - 1) == DAE_E_INPUT && says(u, "cut off"));
  memcpy(bad, bytes, size);
  bad[size] = 0;
  CHECK(dae_solver_restore(u, bad, size + 1) == DAE_E_INPUT && says(u, "damaged"));
  memcpy(bad, bytes, size);
  bad[0] = 'X';
  CHECK(dae_solver_restore(u, bad, size) == DAE_E_INPUT && says(u, "no checkpoint"));
  memcpy(bad, bytes, size);
  for (int i = 0; i < 4; i++) bad[8 + i] = bytes[11 - i];
  CHECK(dae_solver_restore(u, bad, size) == DAE_E_INPUT && says(u, "byte order"));
  memcpy(bad, bytes, size);
  bad[24] = '9';
  CHECK(dae_solver_restore(u, bad, size) == DAE_E_INPUT && says(u, "version 9"));
  /* the run of u goes on as if nothing had been */
  CHECK(dae_solver_step(u, p->t1) == DAE_OK && dae_solver_step(s, p->t1) == DAE_OK);
  CHECK(dae_solver_time(u) == dae_solver_time(s));
  free(bytes), free(bad);
  dae_solver_free(s), dae_solver_free(u);
  gallery_close("pendulum", p);
}

static void test_foreign(void) {
  static const struct {
    const char *problem, *options, *message;
  } others[] = {{"pendulum", "rtol=1e-7", "option rtol differs"},
                {"pendulum", "method=dopri5", "option method differs"},
                {"pendulum", "form=ggl method=radau3", "option method differs"},
                {"pendulum", "form=baumgarte gamma=1", "option gamma differs"},
                {"pendulum", "atol-of=x=1e-9", "option atol differs"},
                {"car-axis", "", "the number of variables differs"},
                {"kepler", "", "the kind of the problem differs"}};
  dae_problem *p = pendulum();
  dae_solver *s = begun(p, "max-steps=1000"), *u = begun(p, "");
  size_t size;
  void *bytes = checkpoint(s, &size);
  CHECK(dae_solver_restore(u, bytes, size) == DAE_OK);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char message[200];
    dae_problem *q = NULL;
    CHECK(gallery_open(&q, others[i].problem, 0, NULL, NULL, message, sizeof message) == DAE_OK);
    dae_solver *other = begun(q, others[i].options);
    CHECK(dae_solver_restore(other, bytes, size) == DAE_E_INPUT && says(other, others[i].message));
    dae_solver_free(other);
    gallery_close(others[i].problem, q);
  }
  double times[] = {0.5, 0.75};
  CHECK(dae_solver_hit(u, times, 2) == DAE_OK);
  CHECK(dae_solver_restore(u, bytes, size) == DAE_E_INPUT && says(u, "times to hit differs"));
  free(bytes);
  dae_solver_free(s), dae_solver_free(u);
  gallery_close("pendulum", p);
}

static void test_arguments(void) {
  dae_problem *p = pendulum();
  dae_solver *s = begun(p, "");
  size_t size = 5;
  char few[5];
  CHECK(dae_solver_save(NULL, few, &size) == DAE_E_INPUT);
  CHECK(dae_solver_save(s, few, NULL) == DAE_E_INPUT);
  CHECK(dae_solver_save(s, few, &size) == DAE_E_INPUT && size > 1000 && says(s, "5 bytes"));
  CHECK(dae_solver_restore(NULL, few, 5) == DAE_E_INPUT);
  CHECK(dae_solver_restore(s, NULL, 5) == DAE_E_INPUT);
  CHECK(dae_solver_save_file(s, NULL) == DAE_E_INPUT);
  CHECK(dae_solver_restore_file(s, NULL) == DAE_E_INPUT);
  CHECK(dae_solver_save_file(s, "/no/such/place") == DAE_E_IO && says(s, "/no/such/place"));
  CHECK(dae_solver_restore_file(s, "/no/such/place") == DAE_E_IO && says(s, "/no/such/place"));
  CHECK(dae_solver_restore_file(s, BUILD_DIR) != DAE_OK);
  dae_solver_free(s);
  gallery_close("pendulum", p);
}

/* ---- files, and a start that decides anew ---- */

static void test_file(void) {
  const char *path = BUILD_DIR "/test_checkpoint.bin";
  dae_problem *p = pendulum();
  dae_problem bare = *p;
  dae_options o = dae_options_default();
  dae_solver *s, *u;
  double z[8], hit[] = {p->t0 + 0.31};
  bare.z0 = NULL;
  bare.t0 = bare.t1 = 0;
  memcpy(z, p->z0, (size_t)size_z(p) * sizeof *z);
  CHECK(dae_solver_new(&s, &bare, &o, NULL) == DAE_OK);
  CHECK(dae_solver_new(&u, &bare, &o, NULL) == DAE_OK);
  CHECK(dae_solver_hit(s, hit, 1) == DAE_OK && dae_solver_hit(u, hit, 1) == DAE_OK);
  CHECK(dae_solver_start(s, p->t0, z, NULL) == DAE_OK);
  CHECK(dae_solver_step(s, p->t1) == DAE_OK);
  CHECK(dae_solver_save_file(s, path) == DAE_OK);
  CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
  CHECK(dae_solver_restore_file(u, path) == DAE_OK);
  CHECK(dae_solver_advance(u, p->t1) == DAE_OK);
  CHECK(memcmp(dae_solver_z(s), dae_solver_z(u), (size_t)size_z(p) * sizeof *z) == 0);
  CHECK(dae_solver_stats(s)->evaluations == dae_solver_stats(u)->evaluations);
  remove(path);
  dae_solver_free(s), dae_solver_free(u);
  gallery_close("pendulum", p);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  RUN(test_killed);
  RUN(test_chosen);
  RUN(test_models);
  RUN(test_implicit);
  RUN(test_damage);
  RUN(test_foreign);
  RUN(test_arguments);
  RUN(test_file);
  return TEST_END();
}
