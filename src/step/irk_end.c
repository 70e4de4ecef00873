/*
 * The end of a step of 0 = F(t,x,x') by a method whose last stage is not its result: Gauss, sdirk3.
 * x1 = x + sum (b' A^-1)_i W_i has the differential part right; its algebraic part is what the
 * stages' polynomial says, which no equation has seen. With the differential part as it is, x' and
 * the algebraic part follow from F(t1, x1, x1') = 0. The method is then the one for the ODE of the
 * differential part, with its order.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/irk.h"

/* delta beside h. The differential part changes by delta times the error of x', which is that of
   the step over h: nothing beside the tolerance, but with fixed steps it must not show in the
   order. The shorter it is, the more does rounding make of x' of the algebraic part:
   eps^2 x/delta^2 */
static const double SHORT = 1e-6, SHORT_FIXED = 1e-8;
/* corrections at least: the first does not tell whether x' has converged where F bends with it */
enum { CORRECTIONS = 2 };

static dae_iteration_rule rule_of(const dae_irk *m) {
  return (dae_iteration_rule){.limit = 20,
                              .enough = m->fixed ? 2 * DBL_EPSILON : 0.1 * m->tol,
                              .floor = m->fixed ? 1e-9 : 0.1,
                              .still = 0.9,
                              .growth = 1,
                              .tries = 4};
}

/*
 * One correction. (E + delta A) d = -F, and p = (E + delta A)^-1 E d is the part of d that E sees:
 * a change of x'. The rest is that of the algebraic part of x, over delta. The factors are those of
 * E/delta + A. Returns the size of what x changes by.
 */
static double correct(dae_stepper *s, double delta) {
  dae_irk *m = s->data;
  const int n = m->n, k = m->t.eigenvalues;
  double *d = m->update, *p = m->point;
  for (int i = 0; i < n; i++) d[i] = -m->residual[i] / delta;
  dae_step_pencil_solve(m->pencil, k, d);
  dae_step_pencil_times(m->pencil, d, p);
  for (int i = 0; i < n; i++) p[i] /= delta;
  dae_step_pencil_solve(m->pencil, k, p);
  s->solves += 2;
  for (int i = 0; i < n; i++) {
    d[i] = delta * (d[i] - p[i]);
    s->z_new[i] += d[i];
    m->end[i] += p[i];
  }
  return dae_step_norm(n, d, m->weight);
}

dae_status dae_irk_end(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  const double t1 = s->t + h, delta = (m->fixed ? SHORT_FIXED : SHORT) * h;
  double w[DAE_STAGES_MAX];
  for (int j = 0; j < m->t.stages; j++) w[j] = m->end_slope[j] / h;
  dae_irk_sum(m, w, m->stage, 0, m->n, m->end);
  s->view->h = h;
  dae_status status = dae_step_pencil_evaluate(m->pencil, t1, s->z_new, m->end, NULL);
  s->jacobians++;
  /* they are no longer those that the stages were solved with */
  m->fresh = false;
  if (status == DAE_OK) status = dae_step_pencil_factor(m->pencil, m->t.eigenvalues, 1 / delta);
  s->factorizations++;
  const dae_iteration_rule rule = rule_of(m);
  dae_iteration course = dae_base_iteration();
  while (status == DAE_OK) {
    status = dae_problem_view_residual(s->view, t1, s->z_new, m->end, NULL, m->residual);
    s->evaluations++;
    if (status != DAE_OK) break;
    const double size = correct(s, delta);
    const dae_progress progress = dae_base_judge(&course, &rule, size, 1);
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
    if (progress == DAE_CONVERGED && course.count >= CORRECTIONS) return DAE_OK;
  }
  return status;
}
