/* F(z) h with F = D (HD)^-1 (1.13) or F = D (1.14), for every direction */
#include <math.h>
#include <string.h>

#include "stabilize/inside.h"

/* delta := M^-1 G' (G M^-1 G')^-1 r */
void dae_stabilize_level(dae_stabilizer *s, const dae_la_kkt *kkt, int level, const double *r,
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
static void hold(dae_matrix *M, dae_matrix *G, const unsigned char *fixed) {
  for (int i = 0; i < G->rows; i++) {
    dae_row r = dae_matrix_row(G, i);
    for (int k = 0; k < r.count; k++)
      if (fixed[dae_row_column(&r, k)]) r.x[k] = 0;
  }
  for (int i = 0; i < M->rows && M->size > 0; i++) {
    dae_row r = dae_matrix_row(M, i);
    for (int k = 0; k < r.count; k++) {
      int j = dae_row_column(&r, k);
      if (fixed[i] || fixed[j]) r.x[k] = i == j;
    }
  }
}

/* the plain norm: M = I in whatever storage */
static void make_identity(dae_matrix *M) {
  for (int i = 0; i < M->rows && M->size > 0; i++) {
    dae_row r = dae_matrix_row(M, i);
    for (int k = 0; k < r.count; k++) r.x[k] = dae_row_column(&r, k) == i;
  }
}

dae_status dae_stabilize_factor(dae_stabilizer *s, const unsigned char *fixed) {
  dae_status status = dae_point_mass(s->at);
  if (status == DAE_OK) status = dae_point_gradient(s->at);
  if (status != DAE_OK) return status;
  dae_matrix M = s->at->M, G = *dae_point_across(s->at);
  bool plain = s->direction.kind == DAE_DIR_PINV;
  if ((plain || fixed) && M.size > 0) {
    memcpy(s->M, M.x, (size_t)M.size * sizeof *M.x);
    M.x = s->M;
  }
  if (plain) make_identity(&M);
  if (fixed) {
    memcpy(s->G, G.x, (size_t)G.size * sizeof *G.x);
    G.x = s->G;
    hold(&M, &G, fixed);
  }
  dae_la_kkt_info info;
  s->counts.factorizations++;
  return dae_la_kkt_factor(s->kkt, M.x, G.x, NULL, false, &info);
}

const dae_la_kkt *dae_stabilize_borrow(const dae_stabilizer *s, const dae_point *near) {
  bool lends = near && near->kkt && s->direction.kind == DAE_DIR_MASS && s->sys->shape.symmetric;
  return lends ? dae_point_kkt(near) : NULL;
}

static dae_status by_level(dae_stabilizer *s, const double *h, double *delta,
                           const dae_point *near) {
  const dae_system *sys = s->sys;
  const dae_la_kkt *kkt = dae_stabilize_borrow(s, near);
  if (!kkt) {
    dae_status status = dae_stabilize_factor(s, NULL);
    if (status != DAE_OK) return status;
    kkt = s->kkt;
  }
  memset(delta, 0, (size_t)sys->nz * sizeof *delta);
  int row = s->row0;
  for (int l = s->first; l <= s->last; l++) {
    dae_stabilize_level(s, kkt, l, h + row, delta + (size_t)l * sys->nx);
    row += dae_problem_level_rows(sys, l);
  }
  return DAE_OK;
}

/* H, D (columns of the rows in use only) and HD = H D */
dae_status dae_stabilize_matrices(dae_stabilizer *s) {
  const dae_system *sys = s->sys;
  int nz = sys->nz, nh = sys->nh, m = s->rows;
  dae_status status = dae_point_invariants_z(s->at, s->H);
  if (status == DAE_OK && s->direction.kind == DAE_DIR_FULL && !s->at->across.x)
    dae_la_transpose_dense(nh, nz, s->H, s->D);
  else if (status == DAE_OK) status = dae_point_direction(s->at, &s->direction, s->D);
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

/*
 * Redundant rows: some row of HD depends on others, and LU would divide by what rounding leaves of
 * a pivot. The rows that are independent then have a solution of least length, which satisfies the
 * others too. Rows and columns have the units of the constraints: both are brought to size 1, or
 * rows beside one in a large unit would look as if they depended on it.
 */
static dae_status factor_redundant(dae_stabilizer *s) {
  static const double NO_ROW = 1e-10; /* what is left of a unit row that depends on others */
  int m = s->rows;
  for (int i = 0; i < m; i++) {
    double *row = s->HD + (size_t)i * m, most = dae_la_norm_max(m, row);
    s->scale[i] = most > 0 ? 1 / most : 1;
    for (int j = 0; j < m; j++) row[j] *= s->scale[i];
  }
  for (int j = 0; j < m; j++) {
    double most = 0;
    for (int i = 0; i < m; i++) most = fmax(most, fabs(s->HD[(size_t)i * m + j]));
    s->column[j] = most > 0 ? 1 / most : 1;
    for (int i = 0; i < m; i++) s->HD[(size_t)i * m + j] *= s->column[j];
  }
  s->rank = dae_la_qr_rank(m, m, s->HD, NO_ROW, s->pivot, s->tau, s->work);
  return s->rank > 0 ? DAE_OK : DAE_E_SINGULAR;
}

/* x := (HD)^-1 r */
static void solve(dae_stabilizer *s, const double *r, double *x) {
  int m = s->rows;
  if (s->rank == 0) {
    memcpy(x, r, (size_t)m * sizeof *x);
    dae_la_lu_solve(m, s->HD, s->pivot, x);
    return;
  }
  for (int i = 0; i < m; i++) s->work[3 * m + i] = s->scale[i] * r[i];
  dae_la_qr_min_norm(m, s->rank, s->HD, s->pivot, s->tau, s->work + 3 * m, x, s->work);
  for (int i = 0; i < m; i++) x[i] *= s->column[i];
}

/* HD factored now, or kept from an earlier step while it serves */
static dae_status current_factor(dae_stabilizer *s) {
  bool keep = s->age >= 0 && s->age < s->freeze - 1;
  if (keep) {
    s->age++;
    s->counts.frozen++;
    return DAE_OK;
  }
  dae_status status = dae_stabilize_matrices(s);
  if (status != DAE_OK || s->plain || s->sor) return status;
  s->counts.factorizations++;
  s->age = 0;
  s->rank = 0;
  int rank = s->run->info.rank < s->run->full_rank ? s->run->info.rank : s->run->full_rank;
  bool redundant = rank < s->sys->ny;
  if (redundant) status = factor_redundant(s);
  else if (dae_la_lu(s->rows, s->HD, s->pivot) != 0) status = DAE_E_SINGULAR;
  if (status != DAE_OK) s->age = -1;
  return status;
}

dae_status dae_stabilize_apply(dae_stabilizer *s, const double *h, double *delta,
                               const dae_point *near) {
  if (s->by_level) return by_level(s, h, delta, near);
  dae_status status = current_factor(s);
  if (status != DAE_OK) return status;
  const double *r = h + s->row0;
  double *x = s->x;
  if (s->plain) memcpy(x, r, (size_t)s->rows * sizeof *x);
  else if (s->sor) sweep(s, r, x);
  else solve(s, r, x);
  dae_la_mul(s->sys->nz, s->rows, s->D, x, delta);
  return dae_base_finite(delta, s->sys->nz) ? DAE_OK : DAE_E_SINGULAR;
}
