/* F(z) h with F = D (HD)^-1 (1.13) or F = D (1.14), for every direction */
#include <math.h>
#include <string.h>

#include "stabilize/inside.h"

/* delta := M^-1 G' (G M^-1 G')^-1 r */
void dae_stabilize_level(dae_stabilizer *s, dae_la_kkt *kkt, int level, const double *r,
                         double *delta) {
  const dae_system *sys = s->sys;
  int rows = dae_problem_level_rows(sys, level);
  double *right = s->right;
  memcpy(right, r, (size_t)rows * sizeof *r);
  /* a level without velocity constraints leaves those rows at rest */
  for (int i = rows; i < sys->nc; i++) right[i] = 0;
  dae_la_kkt_least(kkt, right, delta);
}

/* rows and columns that belong to held entries leave the minimization: M_ff with identity
   elsewhere, G_f with zero columns */
static void hold(dae_stabilizer *s, const unsigned char *fixed) {
  const dae_system *sys = s->sys;
  int n = sys->nx;
  if (sys->pattern.start) {
    for (int k = 0; k < sys->G_size; k++)
      if (fixed[sys->pattern.column[k]]) s->G[k] = 0;
  } else {
    for (int i = 0; i < sys->nc; i++)
      for (int j = 0; j < n; j++)
        if (fixed[j]) s->G[(size_t)i * n + j] = 0;
  }
  if (!s->M) return;
  const dae_pattern *a = sys->shape.mass_pattern;
  if (sys->shape.mass == DAE_LA_DIAGONAL)
    for (int j = 0; j < n; j++) s->M[j] = fixed[j] ? 1 : s->M[j];
  else
    for (int i = 0; i < n; i++)
      for (int k = a ? a->start[i] : 0; k < (a ? a->start[i + 1] : n); k++) {
        int j = a ? a->column[k] : k;
        double *entry = a ? &s->M[k] : &s->M[(size_t)i * n + j];
        if (fixed[i] || fixed[j]) *entry = i == j;
      }
}

dae_status dae_stabilize_factor(dae_stabilizer *s, double t, const double *z,
                                const unsigned char *fixed) {
  dae_system *sys = s->sys;
  dae_status status = dae_problem_mass(sys, t, z);
  if (status == DAE_OK) status = dae_problem_gradient(sys, t, z, s->G);
  if (status != DAE_OK) return status;
  if (s->M) memcpy(s->M, sys->M, (size_t)sys->mass_size * sizeof *s->M);
  if (s->direction.kind == DAE_DIR_PINV && s->M) {
    /* the plain norm: M = I in whatever storage */
    memset(s->M, 0, (size_t)sys->mass_size * sizeof *s->M);
    const dae_pattern *a = sys->shape.mass_pattern;
    for (int i = 0; i < sys->nx; i++) {
      if (sys->shape.mass == DAE_LA_DIAGONAL) s->M[i] = 1;
      else if (!a) s->M[(size_t)i * sys->nx + i] = 1;
      else
        for (int k = a->start[i]; k < a->start[i + 1]; k++) s->M[k] = a->column[k] == i;
    }
  }
  if (fixed) hold(s, fixed);
  dae_la_kkt_info info;
  s->counts.factorizations++;
  return dae_la_kkt_factor(s->kkt, s->M, s->G, NULL, false, &info);
}

static dae_status by_level(dae_stabilizer *s, double t, const double *z, const double *h,
                           double *delta, bool factored) {
  dae_system *sys = s->sys;
  bool borrow = factored && s->direction.kind == DAE_DIR_MASS && sys->kkt && sys->shape.symmetric;
  if (!borrow) {
    dae_status status = dae_stabilize_factor(s, t, z, NULL);
    if (status != DAE_OK) return status;
  }
  memset(delta, 0, (size_t)sys->nz * sizeof *delta);
  int row = s->row0;
  for (int l = s->first; l <= s->last; l++) {
    dae_stabilize_level(s, borrow ? sys->kkt : s->kkt, l, h + row, delta + (size_t)l * sys->nx);
    row += dae_problem_level_rows(sys, l);
  }
  return DAE_OK;
}

/* H, D (columns of the rows in use only) and HD = H D at (t,z) */
dae_status dae_stabilize_matrices(dae_stabilizer *s, double t, const double *z) {
  dae_system *sys = s->sys;
  int nz = sys->nz, nh = sys->nh, m = s->rows;
  dae_status status = dae_problem_invariants_z(sys, t, z, s->H);
  if (status == DAE_OK && s->direction.kind == DAE_DIR_FULL)
    dae_la_transpose_dense(nh, nz, s->H, s->D);
  else if (status == DAE_OK) status = dae_problem_direction(sys, &s->direction, t, z, s->D);
  if (status != DAE_OK) return status;
  if (m < nh)
    for (int i = 0; i < nz; i++)
      memmove(s->D + (size_t)i * m, s->D + (size_t)i * nh + s->row0, (size_t)m * sizeof *s->D);
  dae_la_matmul(m, nz, m, s->H + (size_t)s->row0 * nz, s->D, s->HD);
  return DAE_OK;
}

/* a few Gauss-Seidel sweeps on HD x = r (1992-stab section 5); stops when x settles to a per
   cent */
static void sweep(dae_stabilizer *s, const double *r, double *x) {
  enum { SWEEPS = 50 };
  int m = s->rows;
  memset(x, 0, (size_t)m * sizeof *x);
  for (int k = 0; k < SWEEPS; k++) {
    double change = 0, size = 0;
    for (int i = 0; i < m; i++) {
      const double *row = s->HD + (size_t)i * m;
      double sum = r[i];
      for (int j = 0; j < m; j++) sum -= row[j] * x[j];
      double step = row[i] != 0 ? sum / row[i] : 0;
      x[i] += step;
      change = fmax(change, fabs(step));
      size = fmax(size, fabs(x[i]));
    }
    s->counts.sweeps++;
    if (change <= 1e-2 * size) return;
  }
}

/* HD factored now, or kept from an earlier step while it serves */
static dae_status current_factor(dae_stabilizer *s, double t, const double *z) {
  bool keep = s->age >= 0 && s->age < s->freeze - 1;
  if (keep) {
    s->age++;
    s->counts.frozen++;
    return DAE_OK;
  }
  dae_status status = dae_stabilize_matrices(s, t, z);
  if (status != DAE_OK || s->plain || s->sor) return status;
  s->counts.factorizations++;
  s->age = 0;
  if (dae_la_lu(s->rows, s->HD, s->pivot) == 0) return DAE_OK;
  s->age = -1;
  return DAE_E_SINGULAR;
}

dae_status dae_stabilize_apply(dae_stabilizer *s, double t, const double *z, const double *h,
                               double *delta, bool factored) {
  if (s->by_level) return by_level(s, t, z, h, delta, factored);
  dae_status status = current_factor(s, t, z);
  if (status != DAE_OK) return status;
  const double *r = h + s->row0;
  double *x = s->x;
  if (s->plain) memcpy(x, r, (size_t)s->rows * sizeof *x);
  else if (s->sor) sweep(s, r, x);
  else {
    memcpy(x, r, (size_t)s->rows * sizeof *x);
    dae_la_lu_solve(s->rows, s->HD, s->pivot, x);
  }
  dae_la_mul(s->sys->nz, s->rows, s->D, x, delta);
  return dae_base_finite(delta, s->sys->nz) ? DAE_OK : DAE_E_SINGULAR;
}
