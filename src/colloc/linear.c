/* linearization on one mesh: elements condensed to d_(i+1) = T d_i + U p + e, projections
   included */
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

size_t dae_colloc_length(const dae_colloc_shape *s) {
  size_t N = (size_t)s->N;
  return (N + 1) * (size_t)s->ns + N * (size_t)(s->kv + s->ka) + (size_t)s->np;
}

double *dae_colloc_Z(const dae_colloc_shape *s, double *x, int i) {
  return x + (size_t)i * (size_t)s->ns;
}

double *dae_colloc_W(const dae_colloc_shape *s, double *x, int i) {
  return dae_colloc_Z(s, x, s->N + 1) + (size_t)i * (size_t)s->kv;
}

double *dae_colloc_a(const dae_colloc_shape *s, double *x, int i) {
  return dae_colloc_W(s, x, s->N) + (size_t)i * (size_t)s->ka;
}

double *dae_colloc_parameters(const dae_colloc_shape *s, double *x) {
  return dae_colloc_a(s, x, s->N);
}

/* the factorizations of all elements in few blocks of memory */
static void take_factors(dae_colloc_linear *l, dae_pool *pool) {
  size_t N = (size_t)l->shape.N, k = (size_t)l->b->rule.k, kv = (size_t)l->shape.kv;
  size_t ka = (size_t)l->shape.ka, nv = (size_t)l->b->form.nv, wide = nv + (size_t)l->b->ns;
  size_t each = ka > 0 ? k * nv * nv : 0, local = (size_t)dae_colloc_expected(&l->b->element),
         square = local * local;
  l->factor = dae_base_take(pool, N, sizeof *l->factor);
  double *LU = dae_base_doubles(pool, N * square), *S = dae_base_doubles(pool, N * each);
  double *direct = dae_base_doubles(pool, N * ka * wide);
  size_t rows = dae_colloc_element_rows(&l->b->element);
  double *J = rows > 0 ? dae_base_doubles(pool, N * rows) : NULL;
  int *pivot = dae_base_ints(pool, N * kv);
  for (size_t i = 0; !pool->failed && i < N; i++)
    l->factor[i] = (dae_colloc_factor){.LU = LU + i * square,
                                       .room = square,
                                       .more = pool,
                                       .pivot = pivot + i * kv,
                                       .S = S + i * each,
                                       .J = rows > 0 ? J + i * rows : NULL,
                                       .direct = direct + i * ka * wide};
}

dae_status dae_colloc_linear_init(dae_colloc_linear *l, dae_colloc_bvp *b, dae_pool *pool,
                                  const dae_colloc_shape *shape, const double *t) {
  size_t N = (size_t)shape->N, ns = (size_t)shape->ns, kv = (size_t)shape->kv,
         ka = (size_t)shape->ka;
  size_t cols = (size_t)b->cols, nproj = (size_t)b->n_project, np = (size_t)b->np;
  *l = (dae_colloc_linear){.b = b, .shape = *shape, .t = t, .place = -1};
  take_factors(l, pool);
  l->WZ = dae_base_doubles(pool, N * kv * cols);
  l->ap = dae_base_doubles(pool, N * ka * np);
  l->W0 = dae_base_doubles(pool, N * kv);
  l->a0 = dae_base_doubles(pool, N * ka);
  l->F = dae_base_doubles(pool, N * ns * nproj);
  l->C = dae_base_doubles(pool, N * nproj * ns);
  l->e = dae_base_doubles(pool, N * ns);
  l->rows = dae_base_doubles(pool, (size_t)b->n_rows);
  l->last = dae_base_doubles(pool, (size_t)b->n_last);
  l->q = dae_base_doubles(pool, ns + np);
  l->gamma = dae_base_doubles(pool, ns * cols);
  l->T = dae_base_doubles(pool, ns * ns);
  l->U = dae_base_doubles(pool, ns * np);
  l->D = dae_base_doubles(pool, ns * nproj);
  l->CG = dae_base_doubles(pool, nproj * cols + nproj);
  l->N2 = dae_base_doubles(pool, nproj * nproj);
  l->end = dae_base_doubles(pool, 2 * ns + ka);
  l->residual = dae_base_doubles(pool, kv + ka);
  l->plus = dae_base_doubles(pool, kv + ka);
  l->minus = dae_base_doubles(pool, kv + ka);
  l->da = dae_base_doubles(pool, ka);
  l->J = dae_base_doubles(pool, (size_t)(b->n_rows + b->n_last + b->b->n + b->n_closure + 1) *
                                    (2 * ns + np));
  l->row_size = dae_base_doubles(pool, (size_t)(b->n_rows + b->n_last));
  l->pivot = dae_base_ints(pool, nproj);
  if (pool->failed) return DAE_E_MEMORY;
  int most = b->mixed ? b->ns + b->n_rows : b->n_rows;
  return dae_colloc_blocks_init(&l->blocks, pool, shape->N, b->ns, b->np + (b->mixed ? b->ns : 0),
                                most, b->mixed);
}

/* columns of the parameters by differences of the residual */
static dae_status parameter_maps(dae_colloc_linear *l, double *x, int i) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  double *p = dae_colloc_parameters(s, x), t = l->t[i], h = l->t[i + 1] - t;
  const double *W = dae_colloc_W(s, x, i), *a = dae_colloc_a(s, x, i);
  double *WZ = l->WZ + (size_t)i * s->kv * b->cols + b->ns;
  for (int j = 0; j < b->np; j++) {
    double d = 6e-6 * fmax(1, fabs(p[j])), up = p[j] + d, down = p[j] - d;
    b->b->parameter[j] = up;
    dae_status status = dae_colloc_element_again(&b->element, t, h, W, a, l->plus);
    b->b->parameter[j] = down;
    if (status == DAE_OK) status = dae_colloc_element_again(&b->element, t, h, W, a, l->minus);
    b->b->parameter[j] = p[j];
    if (status != DAE_OK) return status;
    for (int r = 0; r < s->kv + s->ka; r++) l->plus[r] = (l->plus[r] - l->minus[r]) / (up - down);
    dae_colloc_element_solve(&b->element, &l->factor[i], h, l->plus, l->minus, l->da);
    for (int r = 0; r < s->kv; r++) WZ[(size_t)r * b->cols + j] = l->minus[r];
    for (int r = 0; r < s->ka; r++) l->ap[((size_t)i * s->ka + r) * b->np + j] = l->da[r];
  }
  return DAE_OK;
}

/* gamma := dZ(end)/d(Z_i, p), ns x cols, before projection */
static void end_map(dae_colloc_linear *l, int i, double h) {
  const dae_colloc_form *f = &l->b->form;
  const dae_colloc_rule *r = &l->b->rule;
  int nx = f->nx, m = f->m, nv = f->nv, cols = l->b->cols, nz = m * nx;
  const double *WZ = l->WZ + (size_t)i * l->shape.kv * cols;
  double power[DAE_ORDER_MAX + 1] = {1};
  for (int q = 1; q <= m; q++) power[q] = h * power[q - 1];
  for (int row = 0; row < f->ns; row++) {
    int level = row < nz ? row / nx : m - 1, c = row < nz ? row % nx : nx + row - nz;
    double *g = l->gamma + row * cols;
    memset(g, 0, sizeof(double) * (size_t)cols);
    for (int j = 0; j < r->k; j++) {
      double w = power[m - level] * r->end[m - level][j];
      const double *source = WZ + (size_t)(j * nv + c) * cols;
      for (int q = 0; q < cols; q++) g[q] += w * source[q];
    }
    double taylor = 1;
    if (row >= nz) g[row] += 1;
    for (int q = level; row < nz && q < m; q++) {
      g[q * nx + c] += taylor;
      taylor *= h / (q - level + 1);
    }
  }
}

/* F := D (C D)^-1 at point i+1, C there, and c */
static dae_status projection_maps(dae_colloc_linear *l, double *x, int i, double *c, double *C) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  int n = b->n_project, ns = b->ns, cols = b->cols;
  double *a_end = l->end + 2 * ns, *F = l->F + (size_t)i * ns * n;
  const double *Z = dae_colloc_Z(s, x, i + 1);
  dae_colloc_element_algebraic(&b->element, b->rule.end[0], dae_colloc_a(s, x, i), a_end);
  dae_status status = dae_colloc_projected(b, l->t[i + 1], Z, dae_colloc_parameters(s, x), c, C);
  if (status == DAE_OK) status = dae_colloc_projected_direction(b, l->t[i + 1], Z, a_end, l->D);
  if (status != DAE_OK) return status;
  for (int r = 0; r < n; r++) {
    memcpy(l->C + ((size_t)i * n + r) * ns, C + r * cols, sizeof(double) * (size_t)ns);
    for (int q = 0; q < n; q++) {
      l->N2[r * n + q] = 0;
      for (int k = 0; k < ns; k++) l->N2[r * n + q] += C[r * cols + k] * l->D[k * n + q];
    }
  }
  l->what = "the constraints lose rank in the direction of projection";
  if (dae_la_lu(n, l->N2, l->pivot) != 0) return DAE_E_SINGULAR;
  for (int k = 0; k < ns; k++) {
    memcpy(F + k * n, l->D + k * n, sizeof(double) * (size_t)n);
    dae_la_lu_solve_t(n, l->N2, l->pivot, F + k * n);
  }
  return DAE_OK;
}

/* e_i := P (end(W + W0) - Z_(i+1)) - F c, P = I - F C */
static void element_rhs(dae_colloc_linear *l, double *x, int i, const double *c) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  int n = b->n_project, ns = b->ns;
  double h = l->t[i + 1] - l->t[i], *e = l->e + (size_t)i * ns, *part = l->end;
  const double *next = dae_colloc_Z(s, x, i + 1);
  dae_colloc_element_end(&b->element, h, dae_colloc_Z(s, x, i), dae_colloc_W(s, x, i), e);
  /* end() is linear: the part of W0 with a zero state */
  double *zero = part + ns;
  memset(zero, 0, sizeof(double) * (size_t)ns);
  dae_colloc_element_end(&b->element, h, zero, l->W0 + (size_t)i * s->kv, part);
  for (int r = 0; r < ns; r++) e[r] += part[r] - next[r];
  const double *F = l->F + (size_t)i * ns * n, *C = l->C + (size_t)i * n * ns;
  double *v = l->CG;
  for (int r = 0; r < n; r++) {
    v[r] = c[r];
    for (int k = 0; k < ns; k++) v[r] += C[r * ns + k] * e[k];
  }
  for (int k = 0; k < ns; k++)
    for (int r = 0; r < n; r++) e[k] -= F[k * n + r] * v[r];
}

/* T, U := P gamma - F c_p, then into the global system */
static void condense(dae_colloc_linear *l, int i, const double *C) {
  dae_colloc_bvp *b = l->b;
  int n = b->n_project, ns = b->ns, cols = b->cols;
  const double *F = l->F + (size_t)i * ns * n;
  for (int r = 0; r < n; r++)
    for (int q = 0; q < cols; q++) {
      double sum = q >= ns ? C[r * cols + q] : 0;
      for (int k = 0; k < ns; k++) sum += C[r * cols + k] * l->gamma[k * cols + q];
      l->CG[r * cols + q] = sum;
    }
  for (int k = 0; k < ns; k++)
    for (int q = 0; q < cols; q++) {
      double v = l->gamma[k * cols + q];
      for (int r = 0; r < n; r++) v -= F[k * n + r] * l->CG[r * cols + q];
      if (q < ns) l->T[k * ns + q] = v;
      else l->U[k * b->np + q - ns] = v;
    }
  dae_colloc_blocks_element(&l->blocks, i, l->T, l->U);
}

static dae_status factor_element(dae_colloc_linear *l, double *x, int i) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  double t = l->t[i], h = l->t[i + 1] - t, *C = l->J, *c = l->J + b->n_project * b->cols;
  l->what = "the collocation equations of this element";
  dae_status status =
      dae_colloc_element_factor(&b->element, t, h, dae_colloc_Z(s, x, i), dae_colloc_W(s, x, i),
                                dae_colloc_a(s, x, i), l->residual, &l->factor[i]);
  if (status != DAE_OK) return status;
  dae_colloc_element_maps(&b->element, &l->factor[i], h, b->cols,
                          l->WZ + (size_t)i * s->kv * b->cols);
  status = parameter_maps(l, x, i);
  dae_colloc_element_solve(&b->element, &l->factor[i], h, l->residual, l->W0 + (size_t)i * s->kv,
                           l->a0 + (size_t)i * s->ka);
  if (status == DAE_OK && b->n_project > 0) status = projection_maps(l, x, i, c, C);
  if (status != DAE_OK) return status;
  end_map(l, i, h);
  element_rhs(l, x, i, c);
  condense(l, i, C);
  return DAE_OK;
}

/* index of the mesh point of an inner condition */
static int point_of(const dae_colloc_linear *l, double t) {
  int low = 0, high = l->shape.N;
  while (high - low > 1) {
    int mid = (low + high) / 2;
    if (l->t[mid] <= t) low = mid;
    else high = mid;
  }
  return t - l->t[low] < l->t[high] - t ? low : high;
}

/* sum of |coefficient| |value| over a part of a condition */
static double terms(int count, const double *row, const double *value) {
  double sum = 0;
  for (int c = 0; c < count; c++) sum += fabs(row[c] * value[c]);
  return sum;
}

/* what is wanted of the conditions beside their residuals: the sizes of their terms, and these with
   their rows in the system */
typedef enum wanted { RESIDUALS, SIZES, ROWS } wanted;

/* conditions on the left (not mixed) */
static dae_status left_rows(dae_colloc_linear *l, double *x, wanted what, double **rhs) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  const double *Z0 = dae_colloc_Z(s, x, 0), *Z1 = dae_colloc_Z(s, x, s->N),
               *p = dae_colloc_parameters(s, x);
  int wide = 2 * b->ns + b->np, n_left = b->n_left;
  double *J = what != RESIDUALS ? l->J : NULL;
  dae_status status = dae_colloc_closure(b, Z0, p, b->value, J);
  if (status != DAE_OK) return status;
  if (what == ROWS) dae_colloc_blocks_rows(&l->blocks, 0, b->n_closure, J);
  for (int i = 0; i < b->n_closure; i++) {
    if (J) l->row_size[*rhs - l->rows] = terms(b->ns, J + i * b->cols, Z0);
    *(*rhs)++ = -b->value[i];
  }
  status = dae_colloc_ends(b, Z0, Z1, p, b->value, J);
  if (status != DAE_OK) return status;
  for (int i = 0; J && i < n_left; i++) {
    /* without the columns of Z(t1) */
    memmove(J + i * wide + b->ns, J + i * wide + 2 * b->ns, sizeof(double) * (size_t)b->np);
    if (what == ROWS) dae_colloc_blocks_rows(&l->blocks, 0, 1, J + i * wide);
    l->row_size[*rhs - l->rows + i] =
        terms(b->ns, J + i * wide, Z0) + terms(b->np, J + i * wide + b->ns, p);
  }
  for (int i = 0; i < n_left; i++) *(*rhs)++ = -b->value[i];
  return DAE_OK;
}

static dae_status side_rows(dae_colloc_linear *l, double *x, int side, wanted what, double **rhs) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  int n = b->b->side[side].n, i = point_of(l, b->b->side[side].t), extra = b->mixed ? b->ns : 0;
  double *J = what != RESIDUALS ? l->J : NULL;
  dae_status status =
      dae_colloc_side(b, side, dae_colloc_Z(s, x, i), dae_colloc_parameters(s, x), b->value, J);
  if (status != DAE_OK) return status;
  for (int r = 0; J && r < n; r++) {
    double *wide = J + n * b->cols;
    memset(wide, 0, sizeof(double) * (size_t)(b->cols + extra));
    memcpy(wide, J + r * b->cols, sizeof(double) * (size_t)b->ns);
    memcpy(wide + b->ns + extra, J + r * b->cols + b->ns, sizeof(double) * (size_t)b->np);
    if (what == ROWS) dae_colloc_blocks_rows(&l->blocks, i, 1, wide);
    l->row_size[*rhs - l->rows + r] =
        terms(b->ns, wide, dae_colloc_Z(s, x, i)) +
        terms(b->np, wide + b->ns + extra, dae_colloc_parameters(s, x));
  }
  for (int r = 0; r < n; r++) *(*rhs)++ = -b->value[r];
  return DAE_OK;
}

/* what is left at the end: right conditions, or all of them with the closure when they are mixed */
static dae_status last_rows(dae_colloc_linear *l, double *x, wanted what) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  const double *Z0 = dae_colloc_Z(s, x, 0), *Z1 = dae_colloc_Z(s, x, s->N),
               *p = dae_colloc_parameters(s, x);
  int wide = 2 * b->ns + b->np, first = b->n_left, n = b->b->n, size = l->blocks.size;
  double *J = what != RESIDUALS ? l->J : NULL, *last = l->last, *row_size = l->row_size + b->n_rows;
  double *out = l->J + (size_t)(n + b->n_closure) * (size_t)wide; /* n_last rows of `size` */
  dae_status status = dae_colloc_ends(b, Z0, Z1, p, b->value, J);
  if (status != DAE_OK) return status;
  for (int i = first; i < n; i++) {
    *last++ = -b->value[i];
    if (!J) continue;
    double *row = out + (i - first) * size;
    memcpy(row, J + i * wide + b->ns, sizeof(double) * (size_t)b->ns);
    if (b->mixed) memcpy(row + b->ns, J + i * wide, sizeof(double) * (size_t)b->ns);
    memcpy(row + size - b->np, J + i * wide + 2 * b->ns, sizeof(double) * (size_t)b->np);
    *row_size++ = terms(b->ns, J + i * wide, Z0) + terms(b->ns, J + i * wide + b->ns, Z1) +
                  terms(b->np, J + i * wide + 2 * b->ns, p);
  }
  if (b->mixed) {
    status = dae_colloc_closure(b, Z0, p, b->value, J);
    if (status != DAE_OK) return status;
    for (int i = 0; i < b->n_closure; i++) {
      *last++ = -b->value[i];
      if (!J) continue;
      double *row = out + (n + i) * size;
      memset(row, 0, sizeof(double) * (size_t)size);
      memcpy(row + b->ns, J + i * b->cols, sizeof(double) * (size_t)b->cols);
      *row_size++ = terms(b->ns, J + i * b->cols, Z0);
    }
  }
  return what == ROWS ? dae_colloc_blocks_end(&l->blocks, b->n_last, out) : DAE_OK;
}

dae_status dae_colloc_linear_sizes(dae_colloc_linear *l, double *x) {
  dae_colloc_bvp *b = l->b;
  double *rhs = l->rows;
  dae_colloc_bvp_set(b, dae_colloc_parameters(&l->shape, x));
  dae_status status = b->mixed ? DAE_OK : left_rows(l, x, SIZES, &rhs);
  for (int i = 0; i < b->b->n_side && status == DAE_OK; i++)
    status = side_rows(l, x, i, SIZES, &rhs);
  return status == DAE_OK ? last_rows(l, x, SIZES) : status;
}

/* what differences may count on: the largest values on the mesh, and the terms of constraints,
   which cancel near the solution. What cannot be evaluated shows where it is needed */
static void show_sizes(dae_colloc_linear *l, double *x) {
  enum { LOOKS = 2 }; /* ends and middle */
  const dae_colloc_bvp *b = l->b;
  int N = l->shape.N;
  dae_point_sizes(b->at, b->o->rtol, b->o->atol, NULL);
  for (int i = 0; i <= N; i++) {
    dae_colloc_form_z(&b->form, dae_colloc_Z(&l->shape, x, i), b->z);
    dae_point_seen(b->at, b->z);
  }
  for (int i = 0; b->sys->nc > 0 && i <= LOOKS; i++) {
    int at = i * N / LOOKS;
    dae_colloc_form_z(&b->form, dae_colloc_Z(&l->shape, x, at), b->z);
    dae_point_at(b->at, l->t[at], b->z);
    (void)dae_point_row_scale(b->at);
  }
}

dae_status dae_colloc_linear_factor(dae_colloc_linear *l, double *x) {
  dae_colloc_bvp *b = l->b;
  double *rhs = l->rows;
  int side = 0;
  dae_colloc_bvp_set(b, dae_colloc_parameters(&l->shape, x));
  dae_colloc_blocks_begin(&l->blocks);
  show_sizes(l, x);
  b->stats.factorizations++;
  b->stats.jacobians += (long)l->shape.N * b->rule.k;
  l->place = 0;
  l->what = "the boundary conditions";
  dae_status status = b->mixed ? DAE_OK : left_rows(l, x, ROWS, &rhs);
  for (int i = 0; i < l->shape.N && status == DAE_OK; i++) {
    l->place = i;
    /* with mixed conditions rows at point 1 come after element 0, which sets the count */
    while (status == DAE_OK && side < b->b->n_side && point_of(l, b->b->side[side].t) <= i)
      status = side_rows(l, x, side++, ROWS, &rhs);
    if (status == DAE_OK) status = factor_element(l, x, i);
  }
  if (status != DAE_OK) return status;
  l->what = "the boundary conditions";
  status = last_rows(l, x, ROWS);
  if (status == DAE_E_SINGULAR) l->place = l->blocks.place;
  b->stats.rcond = l->blocks.rcond;
  return status;
}

dae_status dae_colloc_linear_residual(dae_colloc_linear *l, double *x) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  double *rhs = l->rows, *c = l->J;
  dae_colloc_bvp_set(b, dae_colloc_parameters(s, x));
  b->stats.evaluations += (long)s->N * b->rule.k;
  dae_status status = b->mixed ? DAE_OK : left_rows(l, x, RESIDUALS, &rhs);
  for (int i = 0; i < b->b->n_side && status == DAE_OK; i++)
    status = side_rows(l, x, i, RESIDUALS, &rhs);
  for (int i = 0; i < s->N && status == DAE_OK; i++) {
    double t = l->t[i], h = l->t[i + 1] - t;
    l->place = i;
    status = dae_colloc_element_residual(&b->element, t, h, dae_colloc_Z(s, x, i),
                                         dae_colloc_W(s, x, i), dae_colloc_a(s, x, i), l->residual);
    if (status != DAE_OK) break;
    dae_colloc_element_solve(&b->element, &l->factor[i], h, l->residual, l->W0 + (size_t)i * s->kv,
                             l->a0 + (size_t)i * s->ka);
    if (b->n_project > 0)
      status = dae_colloc_projected(b, l->t[i + 1], dae_colloc_Z(s, x, i + 1),
                                    dae_colloc_parameters(s, x), c, NULL);
    if (status == DAE_OK) element_rhs(l, x, i, c);
  }
  return status == DAE_OK ? last_rows(l, x, RESIDUALS) : status;
}

/* out := constant + A d */
static void affine(int rows, int cols, const double *constant, const double *A, const double *d,
                   double *out) {
  for (int r = 0; r < rows; r++) {
    out[r] = constant[r];
    for (int c = 0; c < cols; c++) out[r] += A[(size_t)r * cols + c] * d[c];
  }
}

void dae_colloc_linear_solve(dae_colloc_linear *l, double *d) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  int ns = b->ns, np = b->np;
  double *p = dae_colloc_parameters(s, d), *local = l->gamma; /* (Z_i, p) */
  b->stats.solves++;
  dae_colloc_blocks_solve(&l->blocks, l->rows, l->e, l->last, d, l->q);
  memcpy(p, l->q + (b->mixed ? ns : 0), sizeof(double) * (size_t)np);
  memcpy(local + ns, p, sizeof(double) * (size_t)np);
  for (int i = 0; i < s->N; i++) {
    const double *Z = dae_colloc_Z(s, d, i);
    double *W = dae_colloc_W(s, d, i), *a = dae_colloc_a(s, d, i);
    memcpy(local, Z, sizeof(double) * (size_t)ns);
    affine(s->kv, b->cols, l->W0 + (size_t)i * s->kv, l->WZ + (size_t)i * s->kv * b->cols, local,
           W);
    affine(s->ka, np, l->a0 + (size_t)i * s->ka, l->ap + (size_t)i * s->ka * np, p, a);
    dae_colloc_element_multipliers(&b->element, &l->factor[i], l->t[i + 1] - l->t[i], Z, W, a);
  }
}
