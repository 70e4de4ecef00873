/* attract: continuous stabilization z' = f - gamma F h (1992-stab (2.3)) */
#include <math.h>
#include <string.h>

#include "form/form.h"

typedef struct attract {
  double gamma;
  bool plain; /* F = D (1.14), else F = D(HD)^-1 (1.13) */
  bool split; /* cross terms of HD between levels are dropped (4.8) */
  double *HD, *Fh, *x;
  double *row, *column; /* scales of HD */
  int *pivot;
  const dae_own_form *own; /* of the user (daedal/extend.h); NULL: -gamma F h */
  double *index1, *h;      /* for it: z' and h */
  dae_status (*inner)(dae_view *, double, const double *, const double *, double *, double *);
  dae_status (*inner_z)(dae_view *, double, const double *, const double *, double *, double *,
                        double *);
} attract;

static int level_of(const dae_system *s, int invariant) {
  int level = s->ng > 0 ? invariant / s->ng : 0;
  return level < s->order ? level : s->order - 1;
}

/* HD with rows and columns of the size 1 has pivots of rounding size where constraints depend on
   each other: what F h would be there is left to chance */
static const double DEPENDENT = 1e-13;

/* a power of two that brings the largest of n numbers, `step` apart, to the size 1 */
static double to_one(int n, const double *a, int step) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[(size_t)i * (size_t)step]));
  return most > 0 && isfinite(most) ? ldexp(1, -ilogb(most)) : 1;
}

/* LU of R HD C, R and C diagonal */
static dae_status factor(attract *d, int n) {
  double low, high, *row = d->row, *column = d->column;
  for (int i = 0; i < n; i++) row[i] = to_one(n, d->HD + (size_t)i * (size_t)n, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) d->HD[(size_t)i * (size_t)n + (size_t)j] *= row[i];
  for (int j = 0; j < n; j++) column[j] = to_one(n, d->HD + j, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) d->HD[(size_t)i * (size_t)n + (size_t)j] *= column[j];
  if (dae_la_lu(n, d->HD, d->pivot) != 0) return DAE_E_SINGULAR;
  dae_la_lu_pivots(n, d->HD, &low, &high);
  return low > DEPENDENT * high ? DAE_OK : DAE_E_SINGULAR;
}

/* D at the point, and HD factored unless F = D */
static dae_status prepare(dae_view *v) {
  attract *d = v->data;
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_status status = dae_point_direction(v->point, &c->direction, c->D);
  if (status == DAE_OK) status = dae_point_invariants_z(v->point, c->H);
  if (status != DAE_OK || d->plain) return status;
  dae_la_matmul(s->nh, s->nz, s->nh, c->H, c->D, d->HD);
  for (int i = 0; d->split && i < s->nh; i++)
    for (int j = 0; j < s->nh; j++)
      if (level_of(s, i) != level_of(s, j)) d->HD[(size_t)i * (size_t)s->nh + (size_t)j] = 0;
  return factor(d, s->nh);
}

/* out := F x, x of nh values is overwritten */
static void apply(dae_view *v, double *x, double *out) {
  attract *d = v->data;
  const dae_system *s = v->sys;
  for (int i = 0; !d->plain && i < s->nh; i++) x[i] *= d->row[i];
  if (!d->plain) dae_la_lu_solve(s->nh, d->HD, d->pivot, x);
  for (int i = 0; !d->plain && i < s->nh; i++) x[i] *= d->column[i];
  dae_la_mul(s->nz, s->nh, v->parts->D, x, out);
}

/* what the user makes of the slope of index1 */
static dae_status own_slope(dae_view *v, double t, const double *z, double *dz, const double *y) {
  attract *d = v->data;
  const dae_system *s = v->sys;
  memcpy(d->index1, dz, (size_t)s->nz * sizeof *dz);
  memcpy(d->h, d->x, (size_t)s->nh * sizeof *d->h);
  apply(v, d->x, d->Fh);
  dae_own_point at = {.t = t,
                      .nz = s->nz,
                      .nh = s->nh,
                      .ny = s->ny,
                      .z = z,
                      .dz = d->index1,
                      .y = y,
                      .h = d->h,
                      .back = d->Fh};
  int code = d->own->slope(&at, dz, d->own->ctx);
  if (code == 0 && !dae_base_finite(dz, s->nz)) code = 1;
  return code == 0 ? DAE_OK : code > 0 ? DAE_E_CALLBACK : DAE_STOPPED;
}

static dae_status rhs(dae_view *v, double t, const double *z, const double *mu, double *dz,
                      double *y) {
  attract *d = v->data;
  const dae_system *s = v->sys;
  dae_status status = d->inner(v, t, z, mu, dz, y);
  if (status == DAE_OK) status = prepare(v);
  if (status == DAE_OK) status = dae_point_invariants(v->point, d->x);
  if (status != DAE_OK) return status;
  if (d->own) return own_slope(v, t, z, dz, y);
  apply(v, d->x, d->Fh);
  for (int i = 0; i < s->nz; i++) dz[i] -= d->gamma * d->Fh[i];
  return DAE_OK;
}

/* dF/dz = that of index1 - gamma F H; how F changes is left out, h is small */
static dae_status jacobian(dae_view *v, double t, const double *z, const double *mu, double *Fz,
                           double *Fmu, double *Cz) {
  attract *d = v->data;
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  size_t nz = (size_t)s->nz;
  (void)Cz;
  if (!Fz) return DAE_OK;
  dae_status status = d->inner_z(v, t, z, mu, Fz, Fmu, NULL);
  if (status == DAE_OK) status = prepare(v);
  for (size_t j = 0; j < nz && status == DAE_OK; j++) {
    for (int i = 0; i < s->nh; i++) d->x[i] = c->H[(size_t)i * nz + j];
    apply(v, d->x, d->Fh);
    for (size_t i = 0; i < nz; i++) Fz[i * nz + j] -= d->gamma * d->Fh[i];
  }
  return status;
}

/* D = H' unless another direction is asked for; with m = 1 that is G': (1.7), plain: (1.8) */
dae_status dae_form_attract(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  if (s->nh == 0) return dae_form_refuse(message, size, "attract needs constraints: use index1");
  bool plain = o->weighting == DAE_WEIGHTING_PLAIN;
  dae_status status = dae_form_parts_new(v);
  if (status == DAE_OK) status = dae_form_direction(v, o, DAE_DIR_FULL, message, size);
  if (status != DAE_OK) return status;
  dae_parts *c = v->parts;
  c->eliminate = true;
  status = dae_form_parts_ready(v);
  if (status != DAE_OK) return status;
  size_t nh = (size_t)s->nh, nz = (size_t)s->nz;
  attract *d = dae_base_take(v->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  d->gamma = o->gamma;
  v->attracts = o->gamma > 0;
  d->split = c->direction.kind == DAE_DIR_PINV;
  d->plain = plain && !d->split;
  d->HD = dae_base_doubles(v->pool, nh * nh);
  d->row = dae_base_doubles(v->pool, nh);
  d->column = dae_base_doubles(v->pool, nh);
  d->x = dae_base_doubles(v->pool, nh);
  d->Fh = dae_base_doubles(v->pool, nz);
  d->pivot = dae_base_ints(v->pool, nh);
  d->own = o->own_form;
  if (d->own) v->name = dae_base_string(v->pool, d->own->name);
  d->index1 = dae_base_doubles(v->pool, d->own ? nz : 0);
  d->h = dae_base_doubles(v->pool, d->own ? nh : 0);
  c->D = dae_base_doubles(v->pool, nz * nh);
  if (!c->H) c->H = dae_base_doubles(v->pool, nh * nz);
  d->inner = v->rhs;
  d->inner_z = v->jacobian;
  v->data = d;
  v->rhs = rhs;
  v->eliminates = v->passes = false;
  if (v->jacobian) v->jacobian = d->own ? NULL : jacobian;
  return DAE_OK;
}
