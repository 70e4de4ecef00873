/* what the variables of a model text are expected to be at the end of a run */
#ifndef DAEDAL_EXPECTED_H
#define DAEDAL_EXPECTED_H

#include "random/exam.h"
#include <daedal/daedal.h>

enum { EXPECTED_MOST = 8 };

typedef struct expected_values {
  int count;
  char name[EXPECTED_MOST][24];
  double value[EXPECTED_MOST], tol[EXPECTED_MOST]; /* tol 0: exact */
} expected_values;

static inline void expect(expected_values *x, const char *name, double value, double tol) {
  snprintf(x->name[x->count], sizeof *x->name, "%s", name);
  x->value[x->count] = value;
  x->tol[x->count++] = tol;
}

/* values of all variables at a point against those expected; a name that the model does not have is
   a defect of the case */
static inline exam_verdict expected_compare(exam *e, const expected_values *x, const dae_model *m,
                                            const double *values, const char *text) {
  for (int k = 0; k < x->count; k++) {
    int i = 0, n = dae_model_variables(m);
    while (i < n && strcmp(dae_model_variable_name(m, i), x->name[k]) != 0) i++;
    if (i == n) return exam_say(e, EXAM_DEFECT, "there is no variable %s; %s", x->name[k], text);
    if (!(fabs(values[i] - x->value[k]) <= x->tol[k]))
      return exam_say(e, EXAM_DEFECT, "%s = %.17g, not %.17g (off %.3g, allowed %.3g); %s",
                      x->name[k], values[i], x->value[k], values[i] - x->value[k], x->tol[k], text);
  }
  return exam_say(e, EXAM_RIGHT, "%d values agree", x->count);
}

#endif
