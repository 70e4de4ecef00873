/* small models in a table: what each shows, its text, and a value at the end or a refusal */
#ifndef DAE_TEST_SMALL_H
#define DAE_TEST_SMALL_H

#include <stdlib.h>

#include <daedal/daedal.h>

#include "test.h"

typedef struct line {
  const char *name, *text;
  double stop;
  const char *variable;
  double value, tol;
  const char *message; /* of a refusal, or of the event that ends the run; NULL: ok */
} line;

/* ten times the tolerance of the run, 1e-9: errors of a smooth run; sums of events may add */
#define NEAR 1e-8
#define X "Real x(start = 0, fixed = true); "
#define XN X "Integer n(start = 0); "

/* functions stand before the model */
static inline void write_model(const line *l, char *out, size_t size) {
  bool function = strncmp(l->text, "function", 8) == 0;
  const char *rest = function ? strstr(l->text, "end f; ") + 7 : l->text;
  snprintf(out, size, "%.*s model M %s annotation(experiment(StopTime = %.17g)); end M;",
           (int)(rest - l->text), l->text, rest, l->stop);
}

static void check_value(const line *l, const dae_model *m, double t, const double *z,
                        const double *y) {
  enum { MOST = 400 };
  double values[MOST];
  CHECK(dae_model_variables(m) <= MOST && dae_model_values(m, t, z, y, values) == 0);
  bool found = false;
  for (int i = 0; i < dae_model_variables(m); i++) {
    if (strcmp(dae_model_variable_name(m, i), l->variable) != 0) continue;
    found = true;
    bool near = fabs(values[i] - l->value) <= l->tol;
    CHECK(near);
    if (!near) printf("  %s: %s = %.17g, not %.17g\n", l->name, l->variable, values[i], l->value);
  }
  CHECK(found);
  if (!found) printf("  %s: there is no %s\n", l->name, l->variable);
}

/* builds, solves and compares a model that was read with `status`; how it ended */
static dae_status solve_line(const line *l, dae_model *m, dae_status status) {
  enum { MOST = 400 };
  double z[MOST] = {0}, y[MOST] = {0};
  if (status == DAE_OK) status = dae_model_build(m);
  const char *said = dae_model_messages(m);
  dae_report report = {0};
  const dae_problem *p = dae_model_problem(m);
  if (status == DAE_OK) {
    CHECK(dae_problem_nz(p) <= MOST);
    dae_options o = dae_options_default();
    o.rtol = o.atol = 1e-9;
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    status = dae_solve(p, &o, p->t0, p->t1, z, y, &report, NULL);
    said = report.message;
  }
  bool as_told = l->message ? status != DAE_OK && strstr(said, l->message) : status == DAE_OK;
  CHECK(as_told);
  if (!as_told) printf("  %s: %s: %s\n", l->name, dae_status_name(status), said);
  if (as_told && (status == DAE_OK || status == DAE_EVENT || status == DAE_E_ASSERT))
    check_value(l, m, status == DAE_OK ? p->t1 : report.t, z, y);
  return status;
}

static inline void run(const line *l) {
  char text[5000];
  dae_model *m;
  dae_model_options mo = {.compiler = ""};
  write_model(l, text, sizeof text);
  dae_status status = dae_model_read_text(&m, "m.mo", text, strlen(text), &mo);
  solve_line(l, m, status);
  dae_model_free(m);
}

#endif
