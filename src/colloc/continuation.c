/* continuation: a hard problem is reached from an easy one along a parameter */
#include <math.h>
#include <stdio.h>

#include "colloc/bvp.h"

enum { MOST_STEPS = 500 };

/* adds what a solve cost; the solution that stays carries the sum */
static void add_stats(dae_bvp_stats *sum, const dae_bvp_stats *one) {
  sum->meshes += one->meshes;
  sum->newton += one->newton;
  sum->factorizations += one->factorizations;
  sum->solves += one->solves;
  sum->evaluations += one->evaluations;
  sum->jacobians += one->jacobians;
  sum->damping = fmin(sum->damping, one->damping);
  sum->rcond = one->rcond;
  if (one->bytes > sum->bytes) sum->bytes = one->bytes;
}

static bool may_shrink(dae_status status) {
  return status == DAE_E_NEWTON || status == DAE_E_SINGULAR || status == DAE_E_MESH ||
         status == DAE_E_CALLBACK;
}

/* steps of the parameter: doubled after a success, a quarter after a failure */
static dae_status follow(const dae_problem *p, const dae_options *o, double *parameter, double to,
                         dae_solution **now, dae_bvp_stats *sum, dae_report *report) {
  double at = *parameter, span = to - at, step = span / 4;
  for (int i = 0; at != to; i++) {
    dae_solution *next = NULL;
    bool last = fabs(step) >= fabs(to - at) * (1 - 1e-12);
    *parameter = last ? to : at + step;
    dae_status status = dae_colloc_bvp_solve(p, o, *now, &next, report);
    dae_base_log(&o->log, DAE_LOG_INFO, "continuation: %.10g: %s", *parameter,
                 dae_status_name(status));
    if (next) add_stats(sum, &next->stats);
    sum->steps++;
    if (status == DAE_OK) {
      dae_solution_free(*now);
      *now = next;
      at = *parameter;
      step *= 2;
      continue;
    }
    dae_solution_free(next);
    *parameter = at;
    step /= 4;
    if (!may_shrink(status)) return status;
    if (fabs(step) < 1e-6 * fabs(span) || i >= MOST_STEPS) {
      char why[DAE_TEXT_MAX];
      snprintf(why, sizeof why, "%s", report ? report->message : "");
      dae_colloc_report(report, DAE_E_STEP, p->t0,
                        "continuation stops at %.10g on the way to %.10g: %.140s", at, to, why);
      return DAE_E_STEP;
    }
  }
  return DAE_OK;
}

dae_status dae_bvp_continue(const dae_problem *p, const dae_options *o, double *parameter,
                            double from, double to, const dae_solution *guess, dae_solution **out,
                            dae_report *report) {
  dae_solution *now = NULL;
  dae_bvp_stats sum = {.damping = 1};
  if (out) *out = NULL;
  if (!p || !o || !out || !parameter || !isfinite(from) || !isfinite(to)) return DAE_E_INPUT;
  *parameter = from;
  dae_status status = dae_colloc_bvp_solve(p, o, guess, &now, report);
  if (now) add_stats(&sum, &now->stats);
  if (status == DAE_OK) status = follow(p, o, parameter, to, &now, &sum, report);
  /* unknown parameters and the problem itself are left as they belong to the solution */
  if (now && p->boundary->n_parameter > 0)
    for (int i = 0; i < p->boundary->n_parameter; i++)
      p->boundary->parameter[i] = dae_solution_parameter(now)[i];
  if (now) now->stats = sum;
  *out = now;
  return status;
}
