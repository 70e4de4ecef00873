/* one element: stage values, the k nv x k nv system for w, and what follows from it */
#include <math.h>
#include <string.h>

#include "colloc/colloc.h"

dae_status dae_colloc_element_init(dae_colloc_element *e, dae_colloc_form *f,
                                   const dae_colloc_rule *r, dae_pool *pool) {
  size_t k = (size_t)r->k, nv = (size_t)f->nv, ns = (size_t)f->ns, na = (size_t)f->na;
  *e = (dae_colloc_element){.form = f, .rule = r, .bad_point = -1};
  e->point.dynamics = dae_base_doubles(pool, nv);
  e->point.constraint = dae_base_doubles(pool, na);
  e->point.A = dae_base_doubles(pool, nv * nv);
  e->point.J = dae_base_doubles(pool, nv * ns);
  e->point.K = dae_base_doubles(pool, nv * na);
  e->point.C = dae_base_doubles(pool, na * ns);
  e->stage = dae_base_doubles(pool, k * ns);
  e->Z = dae_base_doubles(pool, ns);
  e->SJ = dae_base_doubles(pool, k * nv * ns);
  e->CJ = dae_base_doubles(pool, k * na * ns);
  e->SA = dae_base_doubles(pool, nv * nv);
  e->zero = dae_base_doubles(pool, ns);
  e->qr = dae_base_doubles(pool, nv * (nv + na));
  if (pool->failed) return DAE_E_MEMORY;
  /* it stays so where there is no mass matrix */
  for (size_t i = 0; i < nv; i++) e->point.A[i * nv + i] = 1;
  return dae_colloc_chains_init(e, pool);
}

size_t dae_colloc_element_rows(const dae_colloc_element *e) {
  const dae_colloc_form *f = e->form;
  return e->plain && f->m == 1 && f->nv > 1 ? (size_t)(e->rule->k * f->nv * f->ns) : 0;
}

dae_status dae_colloc_factor_init(dae_colloc_factor *f, const dae_colloc_element *e,
                                  dae_pool *pool) {
  size_t k = (size_t)e->rule->k, nv = (size_t)e->form->nv, na = (size_t)e->form->na;
  size_t ns = (size_t)e->form->ns;
  f->room = k * nv * k * nv;
  f->more = NULL;
  f->LU = dae_base_doubles(pool, f->room);
  f->pivot = dae_base_ints(pool, k * nv);
  f->S = dae_base_doubles(pool, na > 0 ? k * nv * nv : 0);
  f->direct = dae_base_doubles(pool, k * na * (nv + ns));
  size_t rows = dae_colloc_element_rows(e);
  f->J = rows > 0 ? dae_base_doubles(pool, rows) : NULL;
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* sum_j weights[j] w_j of one component; few terms with a stride, which a plain loop does best */
static inline double weighted(int k, int stride, const double *weights, const double *w) {
  double sum = weights[0] * w[0];
  for (int j = 1; j < k; j++) sum += weights[j] * w[j * stride];
  return sum;
}

/* (2.19) differentiated: x^(l)(s) = sum_i (h s)^(i-l)/(i-l)! x^(i) + h^(m-l) sum_j
   weights[m-l][j] w_j */
void dae_colloc_element_state(const dae_colloc_element *e, double h, double s,
                              const double *const *weights, const double *Z0, const double *W,
                              double *Z) {
  const dae_colloc_form *f = e->form;
  int nx = f->nx, m = f->m, k = e->rule->k, nv = f->nv;
  double power = 1, taylor[DAE_ORDER_MAX] = {1};
  for (int d = 1; d < m; d++) taylor[d] = taylor[d - 1] * h * s / d;
  for (int l = m - 1; l >= 0; l--) {
    const double *weight = weights[m - l];
    power *= h;
    for (int c = 0; c < nx; c++) {
      double sum = Z0[l * nx + c];
      for (int d = 1; d < m - l; d++) sum += taylor[d] * Z0[(l + d) * nx + c];
      Z[l * nx + c] = sum + power * weighted(k, nv, weight, W + c);
    }
  }
  for (int c = 0; c < f->nphi; c++)
    Z[m * nx + c] = Z0[m * nx + c] + h * weighted(k, nv, weights[1], W + nx + c);
}

/* sum_q weights[q] w[q]; rows of a rule are filled up with zeros to this length */
static inline double eight(const double *weights, const double *w) {
  double even = weights[0] * w[0] + weights[2] * w[2] + weights[4] * w[4] + weights[6] * w[6];
  double odd = weights[1] * w[1] + weights[3] * w[3] + weights[5] * w[5] + weights[7] * w[7];
  return even + odd;
}

_Static_assert(DAE_COLLOC_MAX == 8, "eight() takes whole rows");

/* out[j ns] := factor sum_q weights[j][q] w_q for all k points, of one component */
static void integrate(const dae_colloc_element *e, double factor,
                      const double (*weights)[DAE_COLLOC_MAX], const double *W, double *out) {
  int k = e->rule->k, nv = e->form->nv, ns = e->form->ns;
  double w[DAE_COLLOC_MAX] = {0};
  for (int q = 0; q < k; q++) w[q] = factor * W[q * nv];
  for (int j = 0; j < k; j++) out[j * ns] = eight(weights[j], w);
}

/* element_state at the k collocation points, into k blocks of ns */
static void stages(const dae_colloc_element *e, double h, const double *Z0, const double *W,
                   double *out) {
  const dae_colloc_form *f = e->form;
  int nx = f->nx, m = f->m, k = e->rule->k, ns = f->ns;
  double power = 1;
  for (int l = m - 1; l >= 0; l--) {
    power *= h;
    for (int c = 0; c < nx; c++)
      integrate(e, power, e->rule->inner[m - l], W + c, out + l * nx + c);
  }
  for (int c = 0; c < f->nphi; c++)
    integrate(e, h, e->rule->inner[1], W + nx + c, out + m * nx + c);
  for (int j = 0; j < k; j++) {
    double *Z = out + j * ns, hs = h * e->rule->rho[j], taylor = 1;
    for (int c = 0; c < ns; c++) Z[c] += Z0[c];
    for (int i = 1; i < m; i++) {
      taylor *= hs / i;
      for (int c = 0; c < (m - i) * nx; c++) Z[c] += taylor * Z0[i * nx + c];
    }
  }
}

void dae_colloc_element_end(const dae_colloc_element *e, double h, const double *Z0,
                            const double *W, double *Z) {
  const double *weights[DAE_ORDER_MAX + 1];
  for (int q = 0; q <= DAE_ORDER_MAX; q++) weights[q] = e->rule->end[q];
  dae_colloc_element_state(e, h, 1, weights, Z0, W, Z);
}

void dae_colloc_element_algebraic(const dae_colloc_element *e, const double *weights,
                                  const double *a, double *out) {
  int na = e->form->na;
  for (int c = 0; c < na; c++) {
    out[c] = 0;
    for (int j = 0; j < e->rule->k; j++) out[c] += weights[j] * a[j * na + c];
  }
}

/* the equations at collocation point j, its state from e->stage */
static dae_status evaluate(dae_colloc_element *e, int j, double t0, double h, const double *W,
                           const double *a, bool jacobian) {
  return dae_colloc_form_point(e->form, t0 + h * e->rule->rho[j], t0 + h,
                               e->stage + j * e->form->ns, W + j * e->form->nv, a + j * e->form->na,
                               jacobian, &e->point);
}

static void copy_residual(const dae_colloc_element *e, int j, double *residual) {
  int nv = e->form->nv, na = e->form->na;
  memcpy(residual + j * (nv + na), e->point.dynamics, sizeof(double) * (size_t)nv);
  memcpy(residual + j * (nv + na) + nv, e->point.constraint, sizeof(double) * (size_t)na);
}

dae_status dae_colloc_element_again(dae_colloc_element *e, double t0, double h, const double *W,
                                    const double *a, double *residual) {
  for (int j = 0; j < e->rule->k; j++) {
    dae_status status = evaluate(e, j, t0, h, W, a, false);
    if (status != DAE_OK) return status;
    copy_residual(e, j, residual);
  }
  return DAE_OK;
}

dae_status dae_colloc_element_residual(dae_colloc_element *e, double t0, double h, const double *Z0,
                                       const double *W, const double *a, double *residual) {
  stages(e, h, Z0, W, e->stage);
  return dae_colloc_element_again(e, t0, h, W, a, residual);
}

/* one Householder reflection of column c, rows c..nv-1, applied to the columns right of c;
   returns u_cc */
static double reflect(int nv, int cols, double *A, int c) {
  double norm = 0;
  for (int i = c; i < nv; i++) norm += A[i * cols + c] * A[i * cols + c];
  norm = sqrt(norm);
  if (norm == 0) return 0;
  double alpha = A[c * cols + c] > 0 ? -norm : norm, v0 = A[c * cols + c] - alpha;
  A[c * cols + c] = v0;
  double beta = 0;
  for (int i = c; i < nv; i++) beta += A[i * cols + c] * A[i * cols + c];
  for (int q = c + 1; q < cols; q++) {
    double dot = 0;
    for (int i = c; i < nv; i++) dot += A[i * cols + c] * A[i * cols + q];
    dot *= 2 / beta;
    for (int i = c; i < nv; i++) A[i * cols + q] -= dot * A[i * cols + c];
  }
  return alpha;
}

/* S := [U^-1 Q1'; Q2'] with K = [Q1 Q2] [U; 0]; false when K has no full rank */
static bool eliminate_algebraic(int nv, int na, const double *K, double *qr, double *S) {
  int cols = na + nv;
  double largest = 0, u[1];
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < na; j++) {
      qr[i * cols + j] = K[i * na + j];
      largest = fmax(largest, fabs(K[i * na + j]));
    }
    for (int j = 0; j < nv; j++) qr[i * cols + na + j] = i == j;
  }
  /* the diagonal of U goes where the reflection vectors are no longer needed */
  for (int c = 0; c < na; c++) {
    u[0] = reflect(nv, cols, qr, c);
    if (fabs(u[0]) <= 1e-14 * largest) return false;
    qr[c * cols + c] = u[0];
  }
  for (int i = na - 1; i >= 0; i--)
    for (int j = 0; j < nv; j++) {
      double sum = qr[i * cols + na + j];
      for (int q = i + 1; q < na; q++) sum -= qr[i * cols + q] * S[q * nv + j];
      S[i * nv + j] = sum / qr[i * cols + i];
    }
  for (int i = na; i < nv; i++) memcpy(S + i * nv, qr + i * cols + na, sizeof(double) * (size_t)nv);
  return true;
}

/* weight[q][l] = factor h^(m-l) inner[m-l][j][q]: what dW_q is worth in x^(l) at point j */
typedef struct point_weights {
  double weight[DAE_COLLOC_MAX][DAE_ORDER_MAX];
} point_weights;

static void set_weights(const dae_colloc_element *e, int j, double h, double factor,
                        point_weights *w) {
  int m = e->form->m;
  double power = factor;
  for (int l = m - 1; l >= 0; l--) {
    power *= h;
    for (int q = 0; q < e->rule->k; q++) w->weight[q][l] = power * e->rule->inner[m - l][j][q];
  }
}

/* row := coefficients of dW_q in R dz_j, where R is a row over Z */
static void spread(const dae_colloc_element *e, const point_weights *w, const double *R,
                   double *row) {
  const dae_colloc_form *f = e->form;
  int nx = f->nx, m = f->m;
  for (int q = 0; q < e->rule->k; q++) {
    const double *weight = w->weight[q];
    double *target = row + q * f->nv;
    for (int c = 0; c < nx; c++) {
      double sum = weight[0] * R[c];
      for (int l = 1; l < m; l++) sum += weight[l] * R[l * nx + c];
      target[c] = sum;
    }
    for (int c = 0; c < f->nphi; c++) target[nx + c] = weight[m - 1] * R[m * nx + c];
  }
}

/* SA := S A, S J; S and A may be identities */
static void eliminate_rows(dae_colloc_element *e, const double *S, double *SJ) {
  int nv = e->form->nv, ns = e->form->ns;
  size_t square = sizeof(double) * (size_t)(nv * nv);
  if (e->form->na == 0) {
    memcpy(SJ, e->point.J, sizeof(double) * (size_t)(nv * ns));
    memcpy(e->SA, e->point.A, square);
    return;
  }
  dae_la_matmul(nv, nv, ns, S, e->point.J, SJ);
  if (e->form->kind == DAE_COLLOC_INDEX2 && e->form->sys->has_mass)
    dae_la_matmul(nv, nv, nv, S, e->point.A, e->SA);
  else memcpy(e->SA, S, square);
}

/* rows of stage j in the local matrix: Q2'(A dW_j + J dz_j) and C dz_j / h; `direct` gets U^-1
   Q1' [A J] */
static void stage_rows(dae_colloc_element *e, int j, double h, dae_colloc_factor *f) {
  int nv = e->form->nv, na = e->form->na, ns = e->form->ns, n = e->rule->k * nv;
  double *SJ = e->SJ + j * nv * ns, *CJ = e->CJ + j * na * ns;
  point_weights w;
  eliminate_rows(e, f->S + j * nv * nv, SJ);
  memcpy(CJ, e->point.C, sizeof(double) * (size_t)na * (size_t)ns);
  for (int i = 0; i < na; i++) {
    double *row = f->direct + (j * na + i) * (nv + ns);
    memcpy(row, e->SA + i * nv, sizeof(double) * (size_t)nv);
    memcpy(row + nv, SJ + i * ns, sizeof(double) * (size_t)ns);
  }
  set_weights(e, j, h, 1, &w);
  for (int i = na; i < nv; i++) {
    double *row = f->LU + (j * nv + i - na) * n;
    spread(e, &w, SJ + i * ns, row);
    for (int c = 0; c < nv; c++) row[j * nv + c] += e->SA[i * nv + c];
  }
  set_weights(e, j, h, 1 / h, &w);
  for (int i = 0; i < na; i++) spread(e, &w, CJ + i * ns, f->LU + (j * nv + nv - na + i) * n);
}

double dae_colloc_factor_pivots(const dae_colloc_element *e, const dae_colloc_factor *f) {
  int n = dae_colloc_unknowns(e, f);
  double least = INFINITY, largest = 0;
  for (int i = 0; i < n; i++) {
    least = fmin(least, fabs(f->LU[i * n + i]));
    largest = fmax(largest, fabs(f->LU[i * n + i]));
  }
  return largest > 0 ? least / largest : 0;
}

dae_status dae_colloc_element_factor(dae_colloc_element *e, double t0, double h, const double *Z0,
                                     const double *W, const double *a, double *residual,
                                     dae_colloc_factor *f) {
  int nv = e->form->nv, na = e->form->na;
  e->bad_point = -1;
  stages(e, h, Z0, W, e->stage);
  for (int j = 0; j < e->rule->k; j++) {
    dae_status status = evaluate(e, j, t0, h, W, a, true);
    if (status != DAE_OK) return status;
    copy_residual(e, j, residual);
    if (e->plain) {
      size_t size = (size_t)(nv * e->form->ns);
      memcpy(e->SJ + (size_t)j * size, e->point.J, sizeof(double) * size);
      continue;
    }
    if (na > 0 && !eliminate_algebraic(nv, na, e->point.K, e->qr, f->S + j * nv * nv)) {
      e->bad_point = j;
      return DAE_E_SINGULAR;
    }
    stage_rows(e, j, h, f);
  }
  int zero =
      e->plain ? dae_colloc_chains_factor(e, h, f) : dae_la_lu(e->rule->k * nv, f->LU, f->pivot);
  if (zero == 0) return DAE_OK;
  if (zero < 0) return DAE_E_MEMORY;
  e->bad_point = (zero - 1) * e->rule->k / dae_colloc_unknowns(e, f);
  return DAE_E_SINGULAR;
}

void dae_colloc_element_solve(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                              const double *residual, double *dW, double *da) {
  int nv = e->form->nv, na = e->form->na;
  if (e->plain) {
    dae_colloc_chains_solve(e, f, h, residual, dW);
    return;
  }
  for (int j = 0; j < e->rule->k; j++) {
    const double *r = residual + j * (nv + na), *S = f->S + j * nv * nv;
    double *out = dW + j * nv;
    for (int i = 0; i < nv; i++) {
      double sum = na > 0 ? 0 : r[i];
      for (int c = 0; na > 0 && c < nv; c++) sum += S[i * nv + c] * r[c];
      if (i < na) da[j * na + i] = -sum;
      else out[i - na] = -sum;
    }
    for (int i = 0; i < na; i++) out[nv - na + i] = -r[nv + i] / h;
  }
  dae_la_lu_solve(e->rule->k * nv, f->LU, f->pivot, dW);
}

void dae_colloc_element_multipliers(dae_colloc_element *e, const dae_colloc_factor *f, double h,
                                    const double *dZ0, const double *dW, double *da) {
  int nv = e->form->nv, na = e->form->na, ns = e->form->ns;
  if (na == 0) return;
  stages(e, h, dZ0 ? dZ0 : e->zero, dW, e->stage);
  for (int j = 0; j < e->rule->k; j++)
    for (int i = 0; i < na; i++) {
      const double *row = f->direct + (j * na + i) * (nv + ns), *Z = e->stage + j * ns;
      double sum = 0;
      for (int c = 0; c < nv; c++) sum += row[c] * dW[j * nv + c];
      for (int c = 0; c < ns; c++) sum += row[nv + c] * Z[c];
      da[j * na + i] -= sum;
    }
}

/* R dz_j for a unit change of the state entry (level i, component c): sum_l (h s)^(i-l)/(i-l)!
   R[l nx + c] */
static double taylor_column(const dae_colloc_form *f, double hs, const double *R, int i, int c) {
  double sum = 0;
  for (int l = 0; l <= i; l++) sum = R[l * f->nx + c] + sum * hs / (i - l + 1);
  return sum;
}

void dae_colloc_element_maps(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                             int cols, double *WZ) {
  const dae_colloc_form *form = e->form;
  if (e->plain) {
    dae_colloc_chains_maps(e, f, h, cols, WZ);
    return;
  }
  int nv = form->nv, na = form->na, ns = form->ns, nx = form->nx, m = form->m, k = e->rule->k;
  for (int j = 0; j < k; j++) {
    double hs = h * e->rule->rho[j];
    for (int i = na; i < nv + na; i++) {
      const double *R = i < nv ? e->SJ + (j * nv + i) * ns : e->CJ + (j * na + i - nv) * ns;
      double *row = WZ + (size_t)(j * nv + i - na) * (size_t)cols, factor = i < nv ? -1 : -1 / h;
      for (int column = 0; column < ns; column++)
        row[column] =
            factor *
            (column < m * nx ? taylor_column(form, hs, R, column / nx, column % nx) : R[column]);
    }
  }
  dae_la_lu_solve_many(k * nv, f->LU, f->pivot, ns, cols, WZ);
}
