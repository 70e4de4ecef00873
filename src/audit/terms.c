/* sizes of the terms in the equations, and the dynamics against them */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"

/* x^(m) and y come from one elimination at the point: its residual is rounding, which may grow with
   the condition of [M K; G 0] up to this part of the terms */
static const double ELIMINATED = 1e-8;
/* the same against the largest terms of all rows: elimination mixes the rows */
static const double MIXED = 1e-11;

/* an entry of G that is smaller than this beside the others is zero but for rounding */
static const double ZERO = 1e-10;

/* a residual that stands for a change of this part of the tolerance in any of its variables does
   not matter, however small the terms are: coordinates near zero beside large ones */
static const double NO_MATTER = 1e-3;
/* coordinates are sums and products of others: one that should be zero keeps the rounding of the
   largest, as r sin(pi) does */
static const double OF_LARGEST = 1e-14;

/* what projections leave of the terms, those of differences that make a level among them */
static const double PROJECTED = 1e-14;

/* invariant i, which has these derivatives with respect to z_first, ..: sum |G_ij| X_j, sum |G_ij|
   tol_j, and what is no matter beside both: a part of the least of the latter, or rounding of the
   largest x, X_top, as long as that is within the tolerance */
static void row_sizes(dae_auditor *a, int i, dae_row r, int first, double X_top) {
  const double *X = a->X + first;
  double size = 0, slack = 0, most = 0, least = INFINITY, G_top = 0;
  for (int k = 0; k < r.count; k++) {
    if (r.x[k] == 0) continue;
    int j = dae_row_column(&r, k);
    double g = fabs(r.x[k]), x = X[j], part = g * (dae_audit_atol(a, first + j) + a->rtol * x);
    size += g * x;
    slack += part;
    most = fmax(most, part);
    G_top = fmax(G_top, g);
  }
  for (int k = 0; k < r.count; k++) {
    if (r.x[k] == 0) continue;
    int j = dae_row_column(&r, k);
    double part = fabs(r.x[k]) * (dae_audit_atol(a, first + j) + a->rtol * X[j]);
    if (part > ZERO * most) least = fmin(least, part);
  }
  a->size[i] = fmax(a->size[i], size);
  a->slack[i] = fmax(a->slack[i], slack);
  a->least[i] = most > 0 ? NO_MATTER * least : 0;
  a->least[i] = fmax(a->least[i], fmin(OF_LARGEST * G_top * X_top, slack));
}

dae_status dae_audit_sizes(dae_auditor *a, double t, const double *z) {
  const dae_system *s = a->sys;
  dae_point *p = a->at;
  dae_point_at(p, t, z);
  dae_status status = dae_point_row_scale(p);
  if (status != DAE_OK) return status;
  for (int j = 0; j < s->nz; j++) a->X[j] = fmax(a->X[j], fabs(z[j]));
  for (int l = 0, i = 0; l < s->order; l++) {
    int first = l * s->nx;
    double top = dae_la_norm_max(s->nx, a->X + first);
    for (int k = 0; k < dae_problem_level_rows(s, l); k++, i++) {
      row_sizes(a, i, dae_matrix_row(&p->G, k), first, top);
      a->least[i] = fmax(a->least[i], PROJECTED * p->scale[i]);
    }
  }
  return DAE_OK;
}

/* terms := terms + |A'| |y| */
static void add_transposed_terms(const dae_matrix *A, const double *y, double *terms) {
  for (int i = 0; i < A->rows; i++) {
    dae_row r = dae_matrix_row(A, i);
    for (int k = 0; k < r.count; k++) terms[dae_row_column(&r, k)] += fabs(r.x[k] * y[i]);
  }
}

/* terms := terms + |M| |a| */
static void add_mass_terms(const dae_matrix *M, const double *x, double *terms) {
  for (int i = 0; i < M->rows; i++) {
    if (M->size == 0) {
      terms[i] += fabs(x[i]);
      continue;
    }
    dae_row r = dae_matrix_row(M, i);
    for (int k = 0; k < r.count; k++) terms[i] += fabs(r.x[k] * x[dae_row_column(&r, k)]);
  }
}

/* r := M x^(m) + K y - f, terms := sums of the sizes of what stands in it */
static dae_status motion(dae_auditor *a, const double *y, const double *x) {
  const dae_system *s = a->sys;
  dae_point *p = a->at;
  dae_status status = dae_point_force(p, y, a->terms);
  for (int i = 0; i < s->nx; i++) a->terms[i] = fabs(a->terms[i]);
  if (status == DAE_OK) status = dae_point_dynamics(p, x, y, a->r);
  if (status == DAE_OK) status = dae_point_multipliers(p, y);
  if (status != DAE_OK) return status;
  add_mass_terms(&p->M, x, a->terms);
  if (s->ny > 0) add_transposed_terms(dae_point_Kt(p), y, a->terms);
  return DAE_OK;
}

/* M_ii, where it has a place of its own */
static double mass_of(const dae_matrix *M, int i) {
  if (M->size == 0) return 1;
  dae_row r = dae_matrix_row(M, i);
  for (int k = 0; k < r.count; k++)
    if (dae_row_column(&r, k) == i) return fabs(r.x[k]);
  return 0;
}

/* r := G x^(m) + c, terms := |c| + sum |G_ij| A_j. At rest forces cancel, and what is left of them
   in x^(m) is rounding: A_j is what they are without it, |terms of the motion| / M_jj, and a part
   of the largest, as the elimination mixes them */
static dae_status bent(dae_auditor *a, const double *x) {
  const dae_system *s = a->sys;
  dae_point *p = a->at;
  for (int j = 0; j < s->nx; j++) {
    double mass = mass_of(&p->M, j);
    a->A[j] = fmax(fabs(x[j]), mass > 0 ? a->terms[j] / mass : 0);
  }
  double mixed = MIXED / ELIMINATED * dae_la_norm_max(s->nx, a->A);
  dae_status status = dae_point_curvature(p, a->r);
  if (status == DAE_OK) status = dae_point_gradient(p);
  for (int i = 0; i < s->nc && status == DAE_OK; i++) {
    dae_row r = dae_matrix_row(&p->G, i);
    a->terms[i] = fabs(a->r[i]);
    for (int k = 0; k < r.count; k++) {
      a->r[i] += r.x[k] * x[dae_row_column(&r, k)];
      a->terms[i] += fabs(r.x[k]) * (a->A[dae_row_column(&r, k)] + mixed);
    }
  }
  return status;
}

/* the worst row of r in units of its terms; -1: all are within what an elimination leaves */
static int worst_row(const dae_auditor *a, int rows, double *worst) {
  double all = dae_la_norm_max(rows, a->terms);
  int bad = -1;
  *worst = 0;
  for (int i = 0; i < rows; i++) {
    double part = a->terms[i] > 0 ? fabs(a->r[i]) / (a->terms[i] + MIXED / ELIMINATED * all) : 0;
    if (!(part <= *worst)) *worst = part, bad = i;
  }
  return bad;
}

/* the name of row i of the dynamics, or of the constraints that determine y */
static void name_row(const dae_auditor *a, bool constraint, int i, char *name) {
  const dae_system *s = a->sys;
  char variable[DAE_NAME_MAX - 16];
  if (constraint) {
    dae_problem_g_name(s->p, i, i < s->ng ? s->order : 1, name, DAE_NAME_MAX);
    return;
  }
  dae_problem_z_name(s->p, s->nz - s->nx + i, variable, sizeof variable);
  snprintf(name, DAE_NAME_MAX, "dynamics of %s", variable);
}

/* the verdict on r; names only where they are told */
static dae_status judge(dae_auditor *a, double t, bool constraint) {
  const int rows = constraint ? a->sys->nc : a->sys->nx;
  double worst, accuracy = fmax(ELIMINATED, a->rtol);
  const int bad = worst_row(a, rows, &worst);
  if (bad < 0 || (worst <= a->worst.worst && worst <= accuracy)) return DAE_OK;
  char name[DAE_NAME_MAX] = "";
  name_row(a, constraint, bad, name);
  if (!(worst <= a->worst.worst)) {
    a->worst = (dae_audit){.worst = worst, .time = t};
    memcpy(a->worst.equation, name, DAE_NAME_MAX);
  }
  if (worst <= accuracy) return DAE_OK;
  memcpy(a->equation, name, DAE_NAME_MAX);
  a->residual = a->r[bad];
  return dae_audit_fail(a, DAE_E_AUDIT, t,
                        "%s is off by %.3g at t = %.15g, %.3g of the size of its terms", name,
                        a->r[bad], t, worst);
}

dae_status dae_audit_dynamics(dae_auditor *a, double t, const double *z, const double *y,
                              const double *dz, bool exact) {
  const dae_system *s = a->sys;
  const double *x = dz + (s->nz - s->nx);
  dae_point_at(a->at, t, z);
  dae_status status = motion(a, y, x);
  if (status == DAE_OK && exact) status = judge(a, t, false);
  if (status == DAE_OK && exact && s->ny > 0) {
    status = bent(a, x);
    if (status == DAE_OK) status = judge(a, t, true);
  }
  if (status == DAE_OK || a->message[0]) return status;
  return dae_audit_fail(a, status, t, "the equations cannot be evaluated at t = %.15g", t);
}
