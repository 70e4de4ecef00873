/* the solution of a boundary value problem as a function */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/bvp.h"

dae_status dae_colloc_solution_new(dae_solution **out, const dae_colloc_bvp *b, int N) {
  dae_pool pool;
  *out = NULL;
  dae_base_pool_init(&pool, &b->o->allocator);
  dae_solution *s = dae_base_take(&pool, 1, sizeof *s);
  if (!s) return DAE_E_MEMORY;
  int k = b->rule.k;
  s->shape = (dae_colloc_shape){
      .N = N, .ns = b->ns, .kv = k * b->form.nv, .ka = k * b->form.na, .np = b->np};
  s->rule = b->rule;
  s->form = b->form;
  s->form.sys = NULL;
  s->element = (dae_colloc_element){.form = &s->form, .rule = &s->rule};
  s->nz = b->sys->nz;
  s->ny = b->sys->ny;
  s->t = dae_base_doubles(&pool, (size_t)N + 1);
  s->x = dae_base_doubles(&pool, dae_colloc_length(&s->shape));
  s->y = dae_base_doubles(&pool, (size_t)N * (size_t)(k * s->ny));
  s->z_error = dae_base_doubles(&pool, (size_t)s->nz);
  s->y_error = dae_base_doubles(&pool, (size_t)s->ny);
  static const char *const names[] = {"index2", "pi1", "pi2"};
  snprintf(s->method, sizeof s->method, "colloc-%s%d", b->rule.radau ? "radau" : "gauss", k);
  /* as it was asked for; without constraints there is nothing to reform */
  const char *form = b->sys->nc == 0 ? "direct" : names[b->form.kind];
  if (b->o->form != DAE_FORM_AUTO) form = dae_form_at(b->o->form)->name;
  snprintf(s->form_name, sizeof s->form_name, "%s", form);
  s->error = NAN;
  for (int i = 0; s->z_error && i < s->nz; i++) s->z_error[i] = NAN;
  for (int i = 0; s->y_error && i < s->ny; i++) s->y_error[i] = NAN;
  bool failed = pool.failed;
  s->pool = pool;
  if (failed) {
    dae_solution_free(s);
    return DAE_E_MEMORY;
  }
  *out = s;
  return DAE_OK;
}

void dae_solution_free(dae_solution *s) {
  if (!s) return;
  /* the pool lives inside one of its own blocks */
  dae_pool pool = s->pool;
  dae_base_pool_free(&pool);
}

int dae_colloc_locate(const dae_solution *s, double t, double *theta) {
  int low = 0, high = s->shape.N;
  while (high - low > 1) {
    int mid = low + (high - low) / 2;
    if (s->t[mid] <= t) low = mid;
    else high = mid;
  }
  *theta = (t - s->t[low]) / (s->t[low + 1] - s->t[low]);
  return low;
}

void dae_colloc_place_set(dae_colloc_place *p, const dae_solution *s, double theta) {
  p->theta = theta;
  for (int q = 0; q <= s->form.m; q++) dae_colloc_rule_weights(&s->rule, theta, q, p->weights[q]);
}

void dae_colloc_sample(const dae_solution *s, int i, double theta, double *Z, double *W, double *y,
                       double *a) {
  dae_colloc_place p = {.theta = theta};
  int first = W || y || a ? 0 : 1, last = Z ? s->form.m : 0;
  for (int q = first; q <= last; q++) dae_colloc_rule_weights(&s->rule, theta, q, p.weights[q]);
  dae_colloc_sample_place(s, i, &p, Z, W, y, a);
}

void dae_colloc_sample_place(const dae_solution *s, int i, const dae_colloc_place *p, double *Z,
                             double *W, double *y, double *a) {
  const double *weights[DAE_ORDER_MAX + 1];
  int k = s->rule.k, nv = s->form.nv;
  double *x = s->x, theta = p->theta;
  for (int q = 0; q <= s->form.m; q++) weights[q] = p->weights[q];
  const double *w = dae_colloc_W(&s->shape, x, i);
  if (Z)
    dae_colloc_element_state(&s->element, s->t[i + 1] - s->t[i], theta, weights,
                             dae_colloc_Z(&s->shape, x, i), w, Z);
  for (int c = 0; W && c < nv; c++) {
    W[c] = 0;
    for (int j = 0; j < k; j++) W[c] += weights[0][j] * w[j * nv + c];
  }
  for (int c = 0; y && c < s->ny; c++) {
    y[c] = 0;
    for (int j = 0; j < k; j++) y[c] += weights[0][j] * s->y[((size_t)i * k + j) * s->ny + c];
  }
  if (a) dae_colloc_element_algebraic(&s->element, weights[0], dae_colloc_a(&s->shape, x, i), a);
}

dae_status dae_solution_eval(const dae_solution *s, double t, double *z, double *y, double *dz) {
  enum { SMALL = 64 };
  double theta, stack[2 * SMALL], *Z = stack, *W = stack + SMALL;
  if (!s) return DAE_E_INPUT;
  double a = s->t[0], b = s->t[s->shape.N], slack = 1e-12 * (b - a);
  if (!(t >= a - slack && t <= b + slack)) return DAE_E_INPUT;
  int i = dae_colloc_locate(s, t, &theta), nx = s->form.nx;
  dae_pool pool;
  dae_base_pool_init(&pool, &s->pool.allocator);
  if (s->shape.ns > SMALL) {
    Z = dae_base_doubles(&pool, (size_t)s->shape.ns);
    W = dae_base_doubles(&pool, (size_t)s->form.nv);
    if (pool.failed) {
      dae_base_pool_free(&pool);
      return DAE_E_MEMORY;
    }
  }
  dae_colloc_sample(s, i, theta, Z, dz ? W : NULL, s->inner_y ? NULL : y, NULL);
  /* at the right end the projected value counts, as at all other mesh points */
  if (theta >= 1)
    memcpy(Z, dae_colloc_Z(&s->shape, s->x, i + 1), sizeof(double) * (size_t)s->shape.ns);
  if (z) dae_colloc_form_z(&s->form, Z, z);
  if (dz) {
    memcpy(dz, Z + nx, sizeof(double) * (size_t)(s->nz - nx));
    memcpy(dz + s->nz - nx, W, sizeof(double) * (size_t)nx);
  }
  dae_base_pool_free(&pool);
  return DAE_OK;
}

dae_status dae_colloc_solution_multipliers(dae_colloc_bvp *b, dae_solution *s) {
  int k = s->rule.k, na = s->form.na;
  if (b->form.kind == DAE_COLLOC_INDEX2) {
    memcpy(s->y, dae_colloc_a(&s->shape, s->x, 0),
           sizeof(double) * (size_t)(s->shape.N * k * s->ny));
    return DAE_OK;
  }
  dae_colloc_bvp_set(b, dae_colloc_parameters(&s->shape, s->x));
  for (int i = 0; i < s->shape.N && s->ny > 0; i++)
    for (int j = 0; j < k; j++) {
      double *Z = b->element.Z;
      dae_colloc_sample(s, i, s->rule.rho[j], Z, NULL, NULL, NULL);
      dae_status status = dae_colloc_form_multipliers(
          &b->form, s->t[i] + (s->t[i + 1] - s->t[i]) * s->rule.rho[j], Z,
          dae_colloc_a(&s->shape, s->x, i) + j * na, s->y + ((size_t)i * k + j) * s->ny);
      if (status != DAE_OK) return status;
    }
  return DAE_OK;
}

dae_status dae_colloc_solution_give_y(dae_solution *s, int ny,
                                      dae_status (*y)(void *ctx, double t, double *y), void *ctx) {
  int k = s->rule.k;
  s->ny = ny;
  s->y = dae_base_doubles(&s->pool, (size_t)s->shape.N * (size_t)(k * ny));
  s->y_error = dae_base_doubles(&s->pool, (size_t)ny);
  if (s->pool.failed) return DAE_E_MEMORY;
  for (int i = 0; i < ny; i++) s->y_error[i] = NAN;
  for (int i = 0; i < s->shape.N; i++)
    for (int j = 0; j < k; j++) {
      double t = s->t[i] + (s->t[i + 1] - s->t[i]) * s->rule.rho[j];
      dae_status status = y(ctx, t, s->y + ((size_t)i * k + j) * ny);
      if (status != DAE_OK) return status;
    }
  return DAE_OK;
}

/* element i is half i % 2 of element i/2: the places are the same for all */
static void transfer_halved(dae_solution *s, const dae_solution *from) {
  dae_colloc_place place[2][DAE_COLLOC_MAX], middle;
  dae_colloc_place_set(&middle, from, 0.5);
  for (int j = 0; j < s->rule.k; j++)
    for (int half = 0; half < 2; half++)
      dae_colloc_place_set(&place[half][j], from, 0.5 * (half + s->rule.rho[j]));
  for (int i = 0; i <= s->shape.N; i++) {
    double *Z = dae_colloc_Z(&s->shape, s->x, i);
    const double *known = dae_colloc_Z(&from->shape, from->x, i / 2);
    if (i % 2 == 0) memcpy(Z, known, sizeof(double) * (size_t)s->shape.ns);
    else dae_colloc_sample_place(from, i / 2, &middle, Z, NULL, NULL, NULL);
  }
  for (int i = 0; i < s->shape.N; i++)
    for (int j = 0; j < s->rule.k; j++)
      dae_colloc_sample_place(from, i / 2, &place[i % 2][j], NULL,
                              dae_colloc_W(&s->shape, s->x, i) + j * s->form.nv, NULL,
                              dae_colloc_a(&s->shape, s->x, i) + j * s->form.na);
}

/* c[i] of the polynomial sum_i c[i] s^i through count x k values, for each component */
static void coefficients(const dae_colloc_rule *r, int count, const double *values, double *c) {
  memset(c, 0, sizeof(double) * (size_t)(r->k * count));
  for (int j = 0; j < r->k; j++)
    for (int i = 0; i < r->k; i++)
      for (int q = 0; q < count; q++) c[i * count + q] += r->lagrange[j][i] * values[j * count + q];
}

static void horner(int k, int count, const double *c, double theta, double *out) {
  memcpy(out, c + (k - 1) * count, sizeof(double) * (size_t)count);
  for (int i = k - 2; i >= 0; i--)
    for (int q = 0; q < count; q++) out[q] = out[q] * theta + c[i * count + q];
}

/* w: k (nv + na) numbers */
static void transfer(dae_solution *s, const dae_solution *from, double *w) {
  int k = s->rule.k, nv = s->form.nv, na = s->form.na, known = -1;
  double theta, *a = w + k * nv;
  for (int i = 0; i <= s->shape.N; i++) {
    int e = dae_colloc_locate(from, s->t[i], &theta);
    double *Z = dae_colloc_Z(&s->shape, s->x, i);
    if (theta >= 1)
      memcpy(Z, dae_colloc_Z(&from->shape, from->x, e + 1), sizeof(double) * (size_t)s->shape.ns);
    else dae_colloc_sample(from, e, theta, Z, NULL, NULL, NULL);
  }
  for (int i = 0; i < s->shape.N; i++)
    for (int j = 0; j < k; j++) {
      int e = dae_colloc_locate(from, s->t[i] + (s->t[i + 1] - s->t[i]) * s->rule.rho[j], &theta);
      if (e != known) {
        coefficients(&s->rule, nv, dae_colloc_W(&from->shape, from->x, e), w);
        coefficients(&s->rule, na, dae_colloc_a(&from->shape, from->x, e), a);
        known = e;
      }
      horner(k, nv, w, theta, dae_colloc_W(&s->shape, s->x, i) + j * nv);
      horner(k, na, a, theta, dae_colloc_a(&s->shape, s->x, i) + j * na);
    }
}

void dae_colloc_solution_transfer(const dae_colloc_bvp *b, dae_solution *s,
                                  const dae_solution *from, bool halved) {
  if (halved) transfer_halved(s, from);
  else transfer(s, from, b->polynomial);
  memcpy(dae_colloc_parameters(&s->shape, s->x), dae_colloc_parameters(&from->shape, from->x),
         sizeof(double) * (size_t)s->shape.np);
}

const double *dae_solution_mesh(const dae_solution *s, int *intervals) {
  if (intervals) *intervals = s ? s->shape.N : 0;
  return s ? s->t : NULL;
}

const int *dae_solution_history(const dae_solution *s, int *count) {
  if (count) *count = s ? s->n_history : 0;
  return s ? s->history : NULL;
}

double dae_solution_error(const dae_solution *s, double *z_error, double *y_error) {
  if (!s) return NAN;
  if (z_error) memcpy(z_error, s->z_error, sizeof(double) * (size_t)s->nz);
  if (y_error && !s->inner_y) memcpy(y_error, s->y_error, sizeof(double) * (size_t)s->ny);
  return s->error;
}

const double *dae_solution_parameter(const dae_solution *s) {
  return s ? dae_colloc_parameters(&s->shape, s->x) : NULL;
}
const dae_bvp_stats *dae_solution_stats(const dae_solution *s) { return s ? &s->stats : NULL; }
const char *dae_solution_method(const dae_solution *s) { return s ? s->method : NULL; }
const char *dae_solution_form(const dae_solution *s) { return s ? s->form_name : NULL; }
