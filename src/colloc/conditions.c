/* conditions of a boundary value problem: how many, their values and derivatives */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "colloc/bvp.h"
#include "problem/separate.h"

void dae_colloc_report(dae_report *r, dae_status status, double t, const char *format, ...) {
  if (!r) return;
  r->status = status;
  r->t = t;
  va_list args;
  va_start(args, format);
  dae_base_vprint(r->message, sizeof r->message, format, args);
  va_end(args);
  snprintf(r->advice, sizeof r->advice, "%s", dae_status_advice(status));
}

/* an implicit problem needs as many as what is solved in its place; -1: there is none */
static int needed_implicit(const dae_problem *p, char *why, int size) {
  dae_pool pool;
  dae_separated *q;
  int needed = -1;
  dae_base_pool_init(&pool, NULL);
  if (dae_problem_valid(p, why, size) == DAE_OK &&
      dae_separated_new(&q, &pool, p, why, size) == DAE_OK)
    needed = dae_boundary_needed(&q->problem, why, size);
  dae_base_pool_free(&pool);
  return needed;
}

int dae_boundary_needed(const dae_problem *p, char *why, int size) {
  if (p && p->kind == DAE_IMPLICIT) return needed_implicit(p, why, size);
  int nz = dae_problem_nz(p), nh = dae_problem_nh(p),
      np = p && p->boundary ? p->boundary->n_parameter : 0;
  if (nh > 0)
    dae_base_print(
        why, size,
        "%d differential variables and %d unknown parameters, less %d constraints (hidden "
        "ones included) "
        "that hold at the left end by themselves",
        nz, np, nh);
  else dae_base_print(why, size, "%d differential variables and %d unknown parameters", nz, np);
  return nz - nh + np;
}

static dae_status bad(dae_colloc_bvp *b, const char *text) {
  dae_colloc_report(b->report, DAE_E_INPUT, b->p->t0, "%s", text);
  return DAE_E_INPUT;
}

/* are the conditions complete, and as many as needed? */
static dae_status check(dae_colloc_bvp *b) {
  const dae_boundary *c = b->b;
  char why[DAE_TEXT_MAX];
  if (!c) return bad(b, "the problem has no boundary conditions: set its field `boundary`");
  if (!(b->p->t1 > b->p->t0)) return bad(b, "the interval is empty: t1 must be greater than t0");
  if (!isfinite(b->p->t1 - b->p->t0))
    return bad(b, "the interval is unbounded: t0 and t1 must be finite");
  for (int i = 0; i < c->n_table; i++)
    if (!isfinite(c->table_t[i]) || (i > 0 && !(c->table_t[i] > c->table_t[i - 1])))
      return bad(b, "the times of the guess table must be increasing");
  if (c->n < 0 || (c->n > 0 && !c->value))
    return bad(b, "boundary conditions without a function `value`");
  if (c->n_left > c->n) return bad(b, "n_left is greater than the number of conditions");
  if (c->n_parameter > 0 && !c->parameter)
    return bad(b, "there are unknown parameters, but `parameter` is NULL");
  int given = c->n;
  for (int i = 0; i < c->n_side; i++) {
    given += c->side[i].n;
    if (!(c->side[i].t > b->p->t0 && c->side[i].t < b->p->t1))
      return bad(b, "an inner condition is not inside the interval");
    if (i > 0 && c->side[i].t <= c->side[i - 1].t)
      return bad(b, "inner conditions must be in the order of increasing time");
    if (!c->side[i].value) return bad(b, "an inner condition has no function `value`");
  }
  int needed = dae_boundary_needed(b->p, why, sizeof why);
  if (given == needed) return DAE_OK;
  dae_colloc_report(b->report, DAE_E_INPUT, b->p->t0,
                    "%s boundary conditions: %d given, %d needed, for %s",
                    given < needed ? "too few" : "too many", given, needed, why);
  return DAE_E_INPUT;
}

static dae_status sizes_and_memory(dae_colloc_bvp *b, const dae_colloc_projection projection) {
  const dae_system *s = b->sys;
  b->np = b->b->n_parameter;
  b->ns = b->form.ns;
  b->cols = b->ns + b->np;
  b->mixed = b->b->n_left < 0 && b->b->n > 0;
  b->n_closure = s->nh + b->form.nphi;
  b->project_all = projection > DAE_COLLOC_PROJECT_VELOCITY && b->form.kind != DAE_COLLOC_PI2;
  b->n_project = b->project_all ? s->nh : b->form.na;
  if (projection == DAE_COLLOC_PROJECT_NONE || (b->rule.radau && !b->project_all)) b->n_project = 0;
  int sides = 0;
  b->n_left = b->b->n_left > 0 ? b->b->n_left : 0;
  for (int i = 0; i < b->b->n_side; i++) sides += b->b->side[i].n;
  b->n_rows = (b->mixed ? 0 : b->n_closure + b->n_left) + sides;
  b->n_last = (b->mixed ? b->n_closure : 0) + b->b->n - b->n_left;
  size_t most = (size_t)(b->n_closure + b->b->n + sides + b->ns),
         wide = (size_t)(2 * b->ns + b->np);
  b->start = dae_base_doubles(&b->pool, (size_t)b->np);
  b->z = dae_base_doubles(&b->pool, (size_t)(2 * s->nz));
  b->z1 = dae_base_doubles(&b->pool, (size_t)(8 * (s->nz + b->b->n + b->ns) + 2 * s->ny));
  b->big = dae_base_doubles(&b->pool, most * wide);
  b->polynomial = dae_base_doubles(&b->pool, (size_t)(b->rule.k * (b->form.nv + b->form.na)));
  b->value = dae_base_doubles(&b->pool, most);
  b->plus = dae_base_doubles(&b->pool, most);
  b->minus = dae_base_doubles(&b->pool, most);
  if (b->pool.failed) return DAE_E_MEMORY;
  const double *known = b->b->parameter_guess ? b->b->parameter_guess : b->b->parameter;
  if (b->np > 0) memcpy(b->start, known, sizeof(double) * (size_t)b->np);
  return DAE_OK;
}

dae_status dae_colloc_bvp_init(dae_colloc_bvp *b, const dae_problem *p, const dae_settings *o,
                               bool radau, int k, dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  *b =
      (dae_colloc_bvp){.p = p, .b = p->boundary, .o = o, .report = report, .stats = {.damping = 1}};
  b->ctx = p->whole ? p->whole->ctx : p->ctx;
  dae_base_pool_init(&b->pool, &o->allocator);
  dae_status status = dae_problem_valid(p, message, sizeof message);
  if (status != DAE_OK) return bad(b, message);
  status = check(b);
  if (status != DAE_OK) return status;
  dae_colloc_rule_init(&b->rule, radau, k, dae_problem_order(p));
  status = dae_problem_system_new(&b->sys, &b->pool, p);
  if (status == DAE_OK) status = dae_point_new(&b->at, &b->pool, b->sys, NULL, true);
  if (status == DAE_OK)
    status = dae_colloc_form_init(&b->form, b->at, o, &b->pool, message, sizeof message);
  if (status == DAE_OK) status = dae_colloc_element_init(&b->element, &b->form, &b->rule, &b->pool);
  if (status == DAE_OK) status = sizes_and_memory(b, dae_colloc_projection_find(o));
  if (status == DAE_OK && k < b->sys->order) {
    snprintf(message, sizeof message,
             "collocation of a problem of order %d needs at least %d stages, not %d", b->sys->order,
             b->sys->order, k);
    status = DAE_E_FORM;
  }
  if (status != DAE_OK)
    dae_colloc_report(report, status, p->t0, "%s",
                      message[0] ? message : dae_status_meaning(status));
  return status;
}

void dae_colloc_bvp_free(dae_colloc_bvp *b) {
  dae_point_free(b->at);
  dae_base_pool_free(&b->pool);
}

void dae_colloc_bvp_set(const dae_colloc_bvp *b, const double *parameter) {
  if (b->np > 0) memcpy(b->b->parameter, parameter, sizeof(double) * (size_t)b->np);
}

static dae_status verdict(int code, const double *values, int count) {
  if (code < 0) return DAE_STOPPED;
  return code > 0 || !dae_base_finite(values, count) ? DAE_E_CALLBACK : DAE_OK;
}

/* J (rows x nz) into columns at `offset` of rows of `wide` values; phi counts as x */
static void place(const dae_colloc_bvp *b, int rows, const double *J, int offset, int wide,
                  double *out) {
  int nz = b->sys->nz;
  for (int i = 0; i < rows; i++) {
    memcpy(out + i * wide + offset, J + i * nz, sizeof(double) * (size_t)nz);
    memcpy(out + i * wide + offset + nz, J + i * nz, sizeof(double) * (size_t)b->form.nphi);
  }
}

typedef dae_status (*value_fn)(dae_colloc_bvp *b, const void *what, double *value);

/* columns of the parameters by central differences: (v(p+d) - v(p-d))/(2d) */
static dae_status parameter_columns(dae_colloc_bvp *b, value_fn fn, const void *what, int rows,
                                    const double *p, int offset, int wide, double *J) {
  dae_status status = DAE_OK;
  for (int j = 0; j < b->np && status == DAE_OK; j++) {
    double d = 6e-6 * fmax(1, fabs(p[j])), up = p[j] + d, down = p[j] - d;
    b->b->parameter[j] = up;
    status = fn(b, what, b->plus);
    b->b->parameter[j] = down;
    if (status == DAE_OK) status = fn(b, what, b->minus);
    b->b->parameter[j] = p[j];
    for (int i = 0; i < rows; i++)
      J[i * wide + offset + j] = (b->plus[i] - b->minus[i]) / (up - down);
  }
  return status;
}

static dae_status closure_value(dae_colloc_bvp *b, const void *what, double *value) {
  const double *Z = what;
  dae_colloc_form_z(&b->form, Z, b->z);
  memcpy(value + b->sys->nh, Z + b->sys->nz, sizeof(double) * (size_t)b->form.nphi);
  dae_point_at(b->at, b->p->t0, b->z);
  return b->sys->nh ? dae_point_invariants(b->at, value) : DAE_OK;
}

dae_status dae_colloc_closure(dae_colloc_bvp *b, const double *Z0, const double *p, double *value,
                              double *J) {
  int nh = b->sys->nh, wide = b->cols;
  dae_status status = closure_value(b, Z0, value);
  if (!J || status != DAE_OK || b->n_closure == 0) return status;
  memset(J, 0, sizeof(double) * (size_t)(b->n_closure * wide));
  if (nh > 0) {
    dae_point_at(b->at, b->p->t0, b->z);
    status = dae_point_invariants_z(b->at, b->big);
    place(b, nh, b->big, 0, wide, J);
  }
  for (int i = 0; i < b->form.nphi; i++) J[(nh + i) * wide + b->sys->nz + i] = 1;
  if (status != DAE_OK) return status;
  return parameter_columns(b, closure_value, Z0, b->n_closure, p, b->ns, wide, J);
}

typedef struct side_point {
  const dae_side *side;
  const double *Z;
} side_point;

static dae_status side_value(dae_colloc_bvp *b, const void *what, double *value) {
  const side_point *s = what;
  dae_colloc_form_z(&b->form, s->Z, b->z);
  return verdict(s->side->value(b->z, value, b->ctx), value, s->side->n);
}

typedef struct difference_ctx {
  dae_colloc_bvp *b;
  const dae_side *side;
} difference_ctx;

static dae_status side_at(void *ctx, double t, const double *z, double *out) {
  difference_ctx *c = ctx;
  (void)t;
  return verdict(c->side->value(z, out, c->b->ctx), out, c->side->n);
}

dae_status dae_colloc_side(dae_colloc_bvp *b, int side, const double *Z, const double *p,
                           double *value, double *J) {
  const dae_side *s = &b->b->side[side];
  side_point point = {s, Z};
  int nz = b->sys->nz;
  dae_status status = side_value(b, &point, value);
  if (!J || status != DAE_OK) return status;
  memset(J, 0, sizeof(double) * (size_t)(s->n * b->cols));
  memset(b->big, 0, sizeof(double) * (size_t)(s->n * nz));
  if (s->jacobian) {
    status = verdict(s->jacobian(b->z, b->big, b->ctx), b->big, s->n * nz);
  } else {
    difference_ctx ctx = {b, s};
    status = dae_problem_difference(&(dae_vector){.fn = side_at,
                                                  .ctx = &ctx,
                                                  .rows = s->n,
                                                  .n = nz,
                                                  .z_work = b->z1,
                                                  .f_work = b->z1 + nz},
                                    s->t, b->z, b->big);
  }
  if (status != DAE_OK) return status;
  place(b, s->n, b->big, 0, b->cols, J);
  return parameter_columns(b, side_value, &point, s->n, p, b->ns, b->cols, J);
}

/* b->z holds z(t0) and z(t1), one behind the other */
static dae_status ends_at(void *ctx, double t, const double *z, double *out) {
  dae_colloc_bvp *b = ((difference_ctx *)ctx)->b;
  (void)t;
  return verdict(b->b->value(z, z + b->sys->nz, out, b->ctx), out, b->b->n);
}

static dae_status ends_value(dae_colloc_bvp *b, const void *what, double *value) {
  difference_ctx ctx = {b, NULL};
  (void)what;
  return ends_at(&ctx, 0, b->z, value);
}

dae_status dae_colloc_ends(dae_colloc_bvp *b, const double *Z0, const double *Z1, const double *p,
                           double *value, double *J) {
  int n = b->b->n, nz = b->sys->nz, wide = 2 * b->ns + b->np;
  if (n == 0) return DAE_OK;
  dae_colloc_form_z(&b->form, Z0, b->z);
  dae_colloc_form_z(&b->form, Z1, b->z + nz);
  dae_status status = ends_value(b, NULL, value);
  if (!J || status != DAE_OK) return status;
  memset(J, 0, sizeof(double) * (size_t)(n * wide));
  double *B0 = b->big, *B1 = b->big + n * nz;
  memset(b->big, 0, sizeof(double) * (size_t)(2 * n * nz));
  if (b->b->jacobian) {
    status = verdict(b->b->jacobian(b->z, b->z + nz, B0, B1, b->ctx), b->big, 2 * n * nz);
  } else {
    difference_ctx ctx = {b, NULL};
    status = dae_problem_difference(&(dae_vector){.fn = ends_at,
                                                  .ctx = &ctx,
                                                  .rows = n,
                                                  .n = 2 * nz,
                                                  .z_work = b->z1,
                                                  .f_work = b->z1 + 2 * nz},
                                    0, b->z, J);
    /* rows of 2 nz, side by side: apart into two matrices */
    for (int i = 0; i < n; i++)
      for (int j = 0; j < nz; j++) {
        B0[i * nz + j] = J[i * 2 * nz + j];
        B1[i * nz + j] = J[i * 2 * nz + nz + j];
      }
    memset(J, 0, sizeof(double) * (size_t)(n * wide));
  }
  if (status != DAE_OK) return status;
  place(b, n, B0, 0, wide, J);
  place(b, n, B1, b->ns, wide, J);
  return parameter_columns(b, ends_value, NULL, n, p, 2 * b->ns, wide, J);
}

typedef struct mesh_point {
  double t;
  const double *Z;
} mesh_point;

static dae_status projected_value(dae_colloc_bvp *b, const void *what, double *value) {
  const mesh_point *m = what;
  if (!b->project_all) return dae_colloc_form_constraint(&b->form, m->t, m->Z, value, NULL);
  dae_colloc_form_z(&b->form, m->Z, b->z);
  dae_point_at(b->at, m->t, b->z);
  return dae_point_invariants(b->at, value);
}

dae_status dae_colloc_projected(dae_colloc_bvp *b, double t, const double *Z, const double *p,
                                double *c, double *C) {
  mesh_point point = {t, Z};
  int n = b->n_project, wide = b->cols;
  if (n == 0) return DAE_OK;
  dae_status status = projected_value(b, &point, c);
  if (!C || status != DAE_OK) return status;
  memset(C, 0, sizeof(double) * (size_t)(n * wide));
  if (b->project_all) {
    dae_point_at(b->at, t, b->z);
    status = dae_point_invariants_z(b->at, b->big);
    place(b, n, b->big, 0, wide, C);
  } else {
    status = dae_colloc_form_constraint(&b->form, t, Z, b->value, b->big);
    for (int i = 0; i < n; i++)
      memcpy(C + i * wide, b->big + i * b->ns, sizeof(double) * (size_t)b->ns);
  }
  if (status != DAE_OK) return status;
  return parameter_columns(b, projected_value, &point, n, p, b->ns, wide, C);
}

dae_status dae_colloc_projected_direction(dae_colloc_bvp *b, double t, const double *Z,
                                          const double *a, double *D) {
  static const dae_direction_choice along = {.kind = DAE_DIR_CONSTRAINT};
  int n = b->n_project, nx = b->form.nx;
  memset(D, 0, sizeof(double) * (size_t)(b->ns * n));
  if (!b->project_all) {
    int block = b->form.kind == DAE_COLLOC_PI2 ? b->sys->nz : (b->form.m - 1) * nx;
    return dae_colloc_form_direction(&b->form, t, Z, a, D + block * n);
  }
  dae_colloc_form_z(&b->form, Z, b->z);
  dae_point_at(b->at, t, b->z);
  dae_status status = dae_point_direction_block(b->at, &along, b->big);
  int column = 0;
  for (int l = 0; l < b->form.m; l++) {
    int rows = dae_problem_level_rows(b->sys, l);
    for (int q = 0; q < nx; q++)
      memcpy(D + (l * nx + q) * n + column, b->big + q * b->sys->nc, sizeof(double) * (size_t)rows);
    column += rows;
  }
  return status;
}

/* separated conditions keep to their end: the first that does not, -1 when there is none */
static int misplaced(const dae_colloc_bvp *b, const double *E) {
  int n = b->b->n, ns = b->ns, wide = 2 * ns + b->np;
  for (int i = 0; !b->mixed && i < n; i++)
    for (int j = 0; j < ns; j++)
      if (E[i * wide + (i < b->n_left ? ns : 0) + j] != 0) return i;
  return -1;
}

dae_status dae_colloc_separated(dae_colloc_bvp *b, const double *Z0, const double *Z1,
                                const double *p) {
  dae_pool pool;
  dae_base_pool_init(&pool, &b->o->allocator);
  double *E = dae_base_doubles(&pool, (size_t)(b->b->n * (2 * b->ns + b->np)));
  double *value = dae_base_doubles(&pool, (size_t)b->b->n);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  /* conditions that fail at the guess are told of later */
  if (status == DAE_OK && dae_colloc_ends(b, Z0, Z1, p, value, E) == DAE_OK) {
    int i = b->b->n > 0 ? misplaced(b, E) : -1;
    if (i >= 0) {
      status = DAE_E_INPUT;
      dae_colloc_report(
          b->report, status, b->p->t0,
          "boundary condition %d depends on z(t%d), but n_left = %d says that it is one "
          "at t%d; n_left = -1 allows both",
          i + 1, i < b->n_left, b->b->n_left, i >= b->n_left);
    }
  }
  dae_base_pool_free(&pool);
  return status;
}

/* what is left of a row after the rows of the basis (orthonormal, `wide` values) are taken out of
   it, relative */
static double independent_part(double *row, const double *basis, int count, int wide) {
  double before = 0, after = 0;
  for (int j = 0; j < wide; j++) before += row[j] * row[j];
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < count; i++) {
      double dot = 0;
      for (int j = 0; j < wide; j++) dot += row[j] * basis[i * wide + j];
      for (int j = 0; j < wide; j++) row[j] -= dot * basis[i * wide + j];
    }
  for (int j = 0; j < wide; j++) after += row[j] * row[j];
  after = sqrt(after);
  for (int j = 0; j < wide && after > 0; j++) row[j] /= after;
  return before > 0 ? after / sqrt(before) : 0;
}

/* adds rows to an orthonormal basis; returns the first dependent one, -1 when there is none */
static int extend(double *basis, int *count, int rows, const double *J, int stride, int wide) {
  for (int i = 0; i < rows; i++) {
    double *row = basis + *count * wide;
    memcpy(row, J + i * stride, sizeof(double) * (size_t)wide);
    if (independent_part(row, basis, *count, wide) < 1e-8) return i;
    ++*count;
  }
  return -1;
}

int dae_colloc_dependent_condition(dae_colloc_bvp *b, const double *Z0, const double *Z1,
                                   const double *p, bool *left) {
  int n = b->b->n, ns = b->ns, wide = 2 * ns + b->np, rows = b->n_closure + n + 1, found = -1;
  dae_pool pool;
  if (b->mixed || b->np > 0 || n == 0) return -1;
  dae_base_pool_init(&pool, &b->o->allocator);
  double *J = dae_base_doubles(&pool, (size_t)(rows * wide)),
         *E = dae_base_doubles(&pool, (size_t)(rows * wide));
  double *basis = dae_base_doubles(&pool, (size_t)(rows * ns)),
         *value = dae_base_doubles(&pool, (size_t)rows);
  if (pool.failed || dae_colloc_ends(b, Z0, Z1, p, value, E) != DAE_OK) goto done;
  int count = 0;
  *left = true;
  if (dae_colloc_closure(b, Z0, p, value, J) != DAE_OK) goto done;
  extend(basis, &count, b->n_closure, J, b->cols, ns);
  found = extend(basis, &count, b->n_left, E, wide, ns);
  if (found >= 0) goto done;
  *left = false;
  count = 0;
  dae_colloc_form_z(&b->form, Z1, b->z);
  dae_point_at(b->at, b->p->t1, b->z);
  if (b->sys->nh > 0 && dae_point_invariants_z(b->at, b->big) != DAE_OK) goto done;
  memset(J, 0, sizeof(double) * (size_t)(rows * wide));
  place(b, b->sys->nh, b->big, 0, b->cols, J);
  extend(basis, &count, b->sys->nh, J, b->cols, ns);
  found = extend(basis, &count, n - b->n_left, E + b->n_left * wide + ns, wide, ns);
  if (found >= 0) found += b->n_left;
done:
  dae_base_pool_free(&pool);
  return found;
}
