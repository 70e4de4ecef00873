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

/* entries of row i of G, as they are stored */
typedef struct row {
  const double *G;
  const int *column; /* NULL: all of them */
  int count;
} row;

static row row_of(const dae_system *s, int i) {
  const int *start = s->pattern.start;
  if (start) return (row){s->G + start[i], s->pattern.column + start[i], start[i + 1] - start[i]};
  return (row){s->G + (size_t)i * (size_t)s->nx, NULL, s->nx};
}

static int column_of(const row *r, int k) { return r->column ? r->column[k] : k; }

/* a residual that stands for a change of this part of the tolerance in any of its variables does
   not matter, however small the terms are: coordinates near zero beside large ones */
static const double NO_MATTER = 1e-3;
/* coordinates are sums and products of others: one that should be zero keeps the rounding of the
   largest, as r sin(pi) does */
static const double OF_LARGEST = 1e-14;

/* invariant i, which has these derivatives: sum |G_ij| X_j, sum |G_ij| tol_j, and what is no matter
   beside both: a part of the least of the latter, or rounding of the largest x, X_top, as long as
   that is within the tolerance */
static void row_sizes(dae_auditor *a, int i, row r, const double *X, double X_top) {
  double size = 0, slack = 0, most = 0, least = INFINITY, G_top = 0;
  for (int k = 0; k < r.count; k++) {
    double g = fabs(r.G[k]), x = X[column_of(&r, k)], part = g * (a->atol + a->rtol * x);
    size += g * x;
    slack += part;
    most = fmax(most, part);
    G_top = fmax(G_top, g);
  }
  for (int k = 0; k < r.count; k++) {
    double part = fabs(r.G[k]) * (a->atol + a->rtol * X[column_of(&r, k)]);
    if (part > ZERO * most) least = fmin(least, part);
  }
  a->size[i] = fmax(a->size[i], size);
  a->slack[i] = fmax(a->slack[i], slack);
  a->least[i] = most > 0 ? NO_MATTER * least : 0;
  a->least[i] = fmax(a->least[i], fmin(OF_LARGEST * G_top * X_top, slack));
}

dae_status dae_audit_sizes(dae_auditor *a, double t, const double *z) {
  dae_system *s = a->sys;
  dae_status status = dae_problem_gradient(s, t, z, s->G);
  if (status != DAE_OK) return status;
  for (int j = 0; j < s->nz; j++) a->X[j] = fmax(a->X[j], fabs(z[j]));
  for (int l = 0, i = 0; l < s->order; l++) {
    const double *X = a->X + (size_t)l * (size_t)s->nx;
    double top = dae_la_norm_max(s->nx, X);
    for (int k = 0; k < dae_problem_level_rows(s, l); k++, i++)
      row_sizes(a, i, row_of(s, k), X, top);
  }
  return DAE_OK;
}

/* terms_i += sum_j |K_ij y_j| with K' stored as G is; Hessenberg problems store it dense */
static void add_multiplier_terms(const dae_system *s, const double *Kt, const double *y,
                                 double *terms) {
  const dae_pattern *a = &s->pattern;
  bool sparse = a->start && s->p->kind == DAE_MECHANICAL;
  for (int i = 0; i < s->ny; i++)
    for (int k = sparse ? a->start[i] : 0; k < (sparse ? a->start[i + 1] : s->nx); k++) {
      int j = sparse ? a->column[k] : k;
      terms[j] += fabs((sparse ? Kt[k] : Kt[(size_t)i * (size_t)s->nx + (size_t)k]) * y[i]);
    }
}

/* terms_i += sum_j |M_ij a_j| */
static void add_mass_terms(const dae_system *s, const double *x, double *terms) {
  const dae_pattern *m = s->shape.mass_pattern;
  int n = s->nx;
  if (!s->has_mass || s->shape.mass == DAE_LA_DIAGONAL) {
    for (int i = 0; i < n; i++) terms[i] += fabs((s->has_mass ? s->M[i] : 1) * x[i]);
    return;
  }
  for (int i = 0; i < n; i++)
    for (int k = m ? m->start[i] : 0; k < (m ? m->start[i + 1] : n); k++)
      terms[i] += m ? fabs(s->M[k] * x[m->column[k]]) : fabs(s->M[(size_t)i * n + k] * x[k]);
}

/* r := M x^(m) + K y - f, terms := sums of the sizes of what stands in it */
static dae_status motion(dae_auditor *a, double t, const double *z, const double *y,
                         const double *x) {
  dae_system *s = a->sys;
  bool mechanical = s->p->kind == DAE_MECHANICAL;
  dae_status status = dae_problem_force(s, t, z, y, a->terms);
  for (int i = 0; i < s->nx; i++) a->terms[i] = fabs(a->terms[i]);
  if (status == DAE_OK) status = dae_problem_dynamics(s, t, z, x, y, a->r);
  if (status != DAE_OK) return status;
  add_mass_terms(s, x, a->terms);
  if (s->ny > 0 && !mechanical) {
    status = dae_problem_multiplier_matrix(s, t, z, y, s->Kt);
    if (status != DAE_OK) return status;
  }
  if (s->ny > 0) add_multiplier_terms(s, mechanical ? s->G : s->Kt, y, a->terms);
  return DAE_OK;
}

/* M_ii, where it has a place of its own */
static double mass_of(const dae_system *s, int i) {
  const dae_pattern *m = s->shape.mass_pattern;
  if (!s->has_mass) return 1;
  if (s->shape.mass == DAE_LA_DIAGONAL) return fabs(s->M[i]);
  if (!m) return fabs(s->M[(size_t)i * (size_t)s->nx + (size_t)i]);
  for (int k = m->start[i]; k < m->start[i + 1]; k++)
    if (m->column[k] == i) return fabs(s->M[k]);
  return 0;
}

/* r := G x^(m) + c, terms := |c| + sum |G_ij| A_j. At rest forces cancel, and what is left of them
   in x^(m) is rounding: A_j is what they are without it, |terms of the motion| / M_jj, and a part
   of the largest, as the elimination mixes them */
static dae_status bent(dae_auditor *a, double t, const double *z, const double *x) {
  dae_system *s = a->sys;
  for (int j = 0; j < s->nx; j++)
    a->A[j] = fmax(fabs(x[j]), mass_of(s, j) > 0 ? a->terms[j] / mass_of(s, j) : 0);
  double mixed = MIXED / ELIMINATED * dae_la_norm_max(s->nx, a->A);
  dae_status status = dae_problem_curvature(s, t, z, a->r);
  if (status == DAE_OK) status = dae_problem_gradient(s, t, z, s->G);
  for (int i = 0; i < s->nc && status == DAE_OK; i++) {
    row r = row_of(s, i);
    a->terms[i] = fabs(a->r[i]);
    for (int k = 0; k < r.count; k++) {
      a->r[i] += r.G[k] * x[column_of(&r, k)];
      a->terms[i] += fabs(r.G[k]) * (a->A[column_of(&r, k)] + mixed);
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

/* the verdict on r, whose row `bad` is the worst */
static dae_status judge(dae_auditor *a, double t, int bad, double worst, double accuracy,
                        const char *name) {
  if (bad < 0) return DAE_OK;
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
  dae_system *s = a->sys;
  dae_counts counts = s->counts;
  const double *x = dz + (s->nz - s->nx);
  char name[DAE_NAME_MAX] = "", variable[DAE_NAME_MAX - 16];
  double worst, accuracy = fmax(ELIMINATED, a->rtol);
  dae_status status = motion(a, t, z, y, x);
  if (status == DAE_OK && exact) {
    int bad = worst_row(a, s->nx, &worst);
    if (bad >= 0) dae_problem_z_name(s->p, s->nz - s->nx + bad, variable, sizeof variable);
    if (bad >= 0) snprintf(name, sizeof name, "dynamics of %s", variable);
    status = judge(a, t, bad, worst, accuracy, name);
  }
  if (status == DAE_OK && exact && s->ny > 0) {
    status = bent(a, t, z, x);
    int bad = status == DAE_OK ? worst_row(a, s->nc, &worst) : -1;
    if (bad >= 0) dae_problem_g_name(s->p, bad, bad < s->ng ? s->order : 1, name, DAE_NAME_MAX);
    if (status == DAE_OK) status = judge(a, t, bad, worst, accuracy, name);
  }
  s->counts = counts;
  if (status == DAE_OK || a->message[0]) return status;
  return dae_audit_fail(a, status, t, "the equations cannot be evaluated at t = %.15g", t);
}
