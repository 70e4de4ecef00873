/* 0 = F(t,x,x') at a point, against the sizes of its terms and what errors within the tolerance
   make of it */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"

/* what solving the equations at the point itself may leave of their terms */
static const double SOLVED = 1e-8;

/* the residual of equation i in units of what is allowed: rounding of its terms, and the change
   that x and x' make which are off by the tolerance; x' over the time h, 0: not off. Sizes and
   tolerances of the variables are in a->terms and a->A */
static double part_of(const dae_auditor *a, int i, double h, const double *dz, double *terms) {
  const dae_residual *r = a->equations;
  const double *E = a->E, *A = E + r->size;
  const double rate = h > 0 ? 1 / h : 0;
  double slack = 0;
  *terms = 0;
  for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++) {
    const int j = dae_residual_column(r, i, k);
    *terms += fabs(A[k]) * a->terms[j] + fabs(E[k] * dz[j]);
    slack += (fabs(A[k]) + fabs(E[k]) * rate) * a->A[j];
  }
  const double allowed = SOLVED * *terms + (h > 0 ? DAE_AUDIT_TOLERANCES * slack : 0);
  const double off = fabs(a->r[i]);
  return off == 0 ? 0 : off / allowed;
}

dae_status dae_audit_implicit(dae_auditor *a, double t, const double *z, const double *dz,
                              double h) {
  dae_residual *r = a->equations;
  char name[DAE_NAME_MAX] = "";
  double worst = 0, worst_terms = 0;
  int bad = -1;
  r->h = h;
  dae_status status = dae_residual_value(r, t, z, dz, a->r);
  if (status == DAE_OK)
    status = dae_residual_matrices(r, t, z, dz, DAE_FOR_NEWTON, a->E, a->E + r->size);
  if (status != DAE_OK)
    return dae_audit_fail(a, status, t, "the equations cannot be evaluated at t = %.15g", t);
  for (int j = 0; j < r->n; j++) {
    a->terms[j] = fmax(dae_residual_size(r, j, z), a->X[j]);
    a->A[j] = dae_audit_atol(a, j) + a->rtol * a->terms[j];
  }
  for (int i = 0; i < r->n; i++) {
    double terms, part = part_of(a, i, h, dz, &terms);
    if (!(part <= worst)) worst = part, bad = i, worst_terms = terms;
  }
  if (bad < 0) return DAE_OK;
  dae_problem_equation_name(a->sys->p, bad, name, sizeof name);
  const double relative = worst_terms > 0 ? fabs(a->r[bad]) / worst_terms : fabs(a->r[bad]);
  if (relative > a->worst.worst) {
    a->worst = (dae_audit){.worst = relative, .time = t};
    memcpy(a->worst.equation, name, DAE_NAME_MAX);
  }
  if (worst <= 1) return DAE_OK;
  memcpy(a->equation, name, DAE_NAME_MAX);
  a->residual = a->r[bad];
  return dae_audit_fail(a, DAE_E_AUDIT, t,
                        "%s is off by %.3g at t = %.15g, %.3g of the size of its terms", name,
                        a->r[bad], t, relative);
}
