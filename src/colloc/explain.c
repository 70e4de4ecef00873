/* why there is no solution, in words */
#include <math.h>
#include <stdio.h>

#include "colloc/run.h"

/* conditions that depend on each other at the values of s, told in the report */
bool dae_colloc_run_dependent(dae_colloc_run *r, dae_solution *s) {
  int N = s->shape.N;
  bool left;
  int c = dae_colloc_dependent_condition(&r->b, dae_colloc_Z(&s->shape, s->x, 0),
                                         dae_colloc_Z(&s->shape, s->x, N),
                                         dae_colloc_parameters(&s->shape, s->x), &left);
  if (c < 0) return false;
  r->task->hopeless = true;
  dae_report *report = r->b.report;
  dae_colloc_report(report, DAE_E_SINGULAR, left ? s->t[0] : s->t[N],
                    "boundary condition %d follows from the constraints at the %s end and the "
                    "conditions before it, "
                    "or contradicts them: it adds no information",
                    c + 1, left ? "left" : "right");
  if (report) snprintf(report->advice, sizeof report->advice, "Replace it by an independent one.");
  return true;
}

/* a singular matrix: conditions that depend on each other, or the place where elimination failed */
static void explain_singular(dae_colloc_run *r, dae_solution *s, const dae_colloc_linear *l) {
  dae_report *report = r->b.report;
  int N = s->shape.N, place = l->place < 0 ? 0 : l->place > N ? N : l->place;
  if (!dae_colloc_run_dependent(r, s)) {
    dae_colloc_report(report, DAE_E_SINGULAR, s->t[place],
                      "the linearized problem is singular near t = %.6g: %s", s->t[place],
                      l->what ? l->what : "");
    if (report)
      snprintf(report->advice, sizeof report->advice,
               "Try other conditions, another guess, or, for one element, another mesh.");
  }
  if (report) report->rcond = r->b.stats.rcond;
}

/* an element whose local matrix is singular up to rounding, -1 when there is none */
static int singular_element(const dae_colloc_bvp *b, const dae_colloc_linear *l) {
  for (int i = 0; i < l->shape.N; i++)
    if (dae_colloc_factor_pivots(&b->element, &l->factor[i]) < 1e-14) return i;
  return -1;
}

/* why there is no solution on this mesh, into the report; returns the status that fits */
dae_status dae_colloc_run_explain(dae_colloc_run *r, dae_solution *s, dae_colloc_linear *l,
                                  const dae_colloc_newton *n, dae_status status) {
  const dae_colloc_bvp *b = &r->b;
  dae_report *report = b->report;
  if (report) report->residual = n->norm;
  /* corrections that grow without bound on a matrix that is singular up to rounding: not Newton's
     fault */
  if (status == DAE_E_NEWTON && n->norm > (b->stats.rcond < 1e-10 ? 1e6 : 1e9)) {
    status = DAE_E_SINGULAR;
    l->place = s->shape.N;
    l->what = "there is no isolated solution";
  }
  int element = status == DAE_E_NEWTON ? singular_element(b, l) : -1;
  if (element >= 0) {
    status = DAE_E_SINGULAR;
    l->place = element;
    l->what = "the collocation equations of this element";
  } else if (status == DAE_E_NEWTON && r->task->singular) {
    status = DAE_E_SINGULAR;
    l->place = dae_colloc_newton_place(n, l);
    l->what = "its solution is not unique up to rounding, or there is none";
  } else if (status == DAE_E_NEWTON && n->lost) {
    status = DAE_E_SINGULAR;
    l->place = dae_colloc_newton_place(n, l);
    l->what = "rounding moves the solution by more than the tolerance, as it moves a layer whose "
              "place hardly depends on the conditions";
  }
  if (status == DAE_E_SINGULAR) {
    explain_singular(r, s, l);
  } else if (status == DAE_E_NEWTON) {
    dae_colloc_report(
        report, status, s->t[0],
        "Newton's method found no solution on %d intervals: last correction %.2e (relative), "
        "damping %.1e; there may be none, or the guess is too far away",
        s->shape.N, n->norm, n->damping);
    if (report)
      snprintf(report->advice, sizeof report->advice,
               "Give a better guess, or continue from an easier problem (dae_bvp_continue).");
  } else {
    int place = l->place < 0 || l->place > s->shape.N ? 0 : l->place;
    dae_colloc_report(report, status, s->t[place], "%s%s%s", dae_status_meaning(status),
                      l->what ? " It happened in " : "", l->what ? l->what : "");
  }
  return status;
}
