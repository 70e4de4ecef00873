/* models as text whose variables at the end of a run are known: asked and compared */
#ifndef DAEDAL_HYBRID_H
#define DAEDAL_HYBRID_H

#include <daedal/daedal.h>

#include "random/expected.h"

enum { NZ = 64, NV = 32 };

/* what a case expects of a model text */
typedef struct question {
  char text[3000];
  double t0, t1;
  double length;     /* the unit of the values: the absolute tolerance follows it */
  expected_values x; /* of the variables at t1 */
} question;

static inline exam_verdict compare(exam *e, const question *q, const dae_model *m, const double *z,
                                   const double *y) {
  double values[NV];
  if (dae_model_variables(m) > NV || dae_model_values(m, q->t1, z, y, values) != 0)
    return exam_say(e, EXAM_DEFECT, "no values; %s", q->text);
  return expected_compare(e, &q->x, m, values, q->text);
}

/* the model at its interval; `status` other than ok is right when the case expects it */
static inline exam_verdict answer(exam *e, const question *q, dae_status expected) {
  double z[NZ] = {0}, y[NZ] = {0};
  dae_model *m;
  dae_model_options mo = {.compiler = ""};
  dae_status status = dae_model_read_text(&m, "m.mo", q->text, strlen(q->text), &mo);
  if (status == DAE_OK) status = dae_model_build(m);
  if (status != DAE_OK) {
    exam_verdict v = exam_say(e, status == expected ? EXAM_REFUSED : EXAM_DEFECT, "%s; %s",
                              dae_model_messages(m), q->text);
    dae_model_free(m);
    return v;
  }
  const dae_problem *p = dae_model_problem(m);
  dae_options o = dae_options_default();
  o.rtol = 1e-10;
  o.atol = 1e-10 * q->length;
  dae_report report;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  status = dae_solve(p, &o, q->t0, q->t1, z, y, &report, NULL);
  exam_verdict v;
  if (status == expected && status != DAE_OK) v = exam_say(e, EXAM_REFUSED, "%s", report.message);
  else if (status != expected)
    v = exam_say(e, EXAM_DEFECT, "%s: %s; %s", dae_status_name(status), report.message, q->text);
  else v = compare(e, q, m, z, y);
  dae_model_free(m);
  return v;
}

__attribute__((format(printf, 2, 3))) static inline void say(question *q, const char *format, ...) {
  size_t at = strlen(q->text);
  va_list list;
  va_start(list, format);
  vsnprintf(q->text + at, sizeof q->text - at, format, list);
  va_end(list);
}

static inline void begin(exam *e, question *q, const char *kind) {
  snprintf(e->kind, sizeof e->kind, "%s", kind);
  *q = (question){.length = 1};
  say(q, "model M ");
}

#endif
