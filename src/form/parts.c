/* what the forms are made of: dynamics with or without y, added directions, imposed invariants */
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "form/form.h"

int dae_form_levels(const dae_system *s, int first, int last, int *place) {
  int n = 0;
  for (int l = first; l <= last; l++)
    for (int i = 0; i < dae_problem_level_rows(s, l); i++) place[n++] = l * s->ng + i;
  return n;
}

dae_status dae_form_direction(dae_view *v, const dae_settings *o, dae_direction_kind otherwise,
                              char *message, int size) {
  v->parts->direction = o->direction;
  return dae_problem_direction_settle(v->sys, otherwise, &v->parts->direction, message, size);
}

dae_status dae_form_polynomial(int degree, double gamma, const dae_list *given, double *coefficient,
                               char *message, int size) {
  /* binomial coefficients of (s + gamma)^degree by repeated multiplication */
  memset(coefficient, 0, ((size_t)degree + 1) * sizeof *coefficient);
  coefficient[0] = 1;
  for (int k = 1; k <= degree; k++)
    for (int l = k; l >= 0; l--)
      coefficient[l] = gamma * coefficient[l] + (l > 0 ? coefficient[l - 1] : 0);
  if (!given || given->count == 0) return DAE_OK;
  if (given->count != degree) {
    dae_form_refuse(message, size, "coefficients must be %d numbers separated by commas, not %d",
                    degree, given->count);
    return DAE_E_INPUT;
  }
  memcpy(coefficient, given->value, (size_t)degree * sizeof *coefficient);
  return DAE_OK;
}

/* ---- dynamics ---- */

/* r := sum_l alpha_l level_l, holonomic rows, then alpha_w w */
static dae_status attraction(dae_view *v, double *r) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_status status = dae_point_invariants(v->point, c->h);
  if (status != DAE_OK) return status;
  memset(r, 0, (size_t)s->nc * sizeof *r);
  for (int l = 0; l < s->order; l++)
    for (int i = 0; i < s->ng; i++) r[i] += c->alpha[l] * c->h[l * s->ng + i];
  for (int i = s->ng; i < s->nc; i++) r[i] = c->alpha_w * c->h[(s->order - 1) * s->ng + i];
  return DAE_OK;
}

/* quadratic convergence needs some five passes, as many again for a poor guess; at rounding, or
   where corrections no longer fall near it */
static const dae_iteration_rule SETTLE = {
    .limit = 12, .enough = 1e-14, .floor = 1e-10, .still = 0.5};

/* Newton in y when f is not affine: [I B; G 0][da; dy] = [f(y) - a; -(G a + c + alpha terms)] */
static dae_status settle(dae_view *v, const double *extra, double *a, double *y) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_point *at = v->point;
  double *p = c->p, *r = c->r, *curvature = c->ad;
  dae_iteration course = dae_base_iteration();
  dae_status status = dae_point_curvature(at, curvature);
  while (status == DAE_OK) {
    status = dae_point_factor(at, y);
    if (status == DAE_OK) status = dae_point_force(at, y, p);
    if (status != DAE_OK) return status;
    dae_matrix_times(&at->G, a, r);
    for (int i = 0; i < s->nx; i++) p[i] -= a[i];
    for (int i = 0; i < s->nc; i++) r[i] = -(r[i] + curvature[i] + extra[i]);
    dae_la_kkt_solve(dae_point_kkt(at), p, r);
    for (int i = 0; i < s->nx; i++) a[i] += p[i];
    for (int i = 0; i < s->ny; i++) y[i] += r[i];
    double change = dae_la_norm_max(s->ny, r), size = 1 + dae_la_norm_max(s->ny, y);
    if (!isfinite(change)) return DAE_E_CALLBACK;
    dae_progress progress = dae_base_judge(&course, &SETTLE, change, size);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
  return status;
}

dae_status dae_form_accelerate(dae_view *v, double *a, double *y) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_status status = dae_point_accelerate(v->point, a, y);
  if (status != DAE_OK || !c->attracted) return status;
  double *extra = c->h + s->nh;
  status = attraction(v, extra);
  if (status != DAE_OK) return status;
  if (!s->affine) return settle(v, extra, a, y);
  /* the equations are linear in a and y: the added terms have a solution of their own */
  memset(c->p, 0, (size_t)s->nx * sizeof *c->p);
  for (int i = 0; i < s->nc; i++) c->r[i] = -extra[i];
  dae_la_kkt_solve(dae_point_kkt(v->point), c->p, c->r);
  for (int i = 0; i < s->nx; i++) a[i] += c->p[i];
  for (int i = 0; i < s->ny; i++) y[i] += c->r[i];
  return DAE_OK;
}

/* a from M a = f - K y for given y */
static dae_status motion(dae_view *v, const double *y, double *a) {
  dae_parts *c = v->parts;
  dae_point *p = v->point;
  const dae_system *s = v->sys;
  dae_status status = dae_point_force(p, y, a);
  if (status != DAE_OK || s->p->kind != DAE_MECHANICAL || !p->kkt) return status;
  status = s->has_mass ? dae_point_factor(p, y) : dae_point_gradient(p);
  if (status != DAE_OK) return status;
  for (int i = 0; i < s->ny; i++) c->r[i] = -y[i];
  dae_matrix_t_add(&p->G, c->r, a);
  if (s->has_mass) dae_la_kkt_mass_solve(dae_point_kkt(p), a);
  return DAE_OK;
}

/* G' at every level needs no dense matrix */
static dae_status add_gradients(dae_view *v, const double *mu, double *dz) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_status status = dae_point_gradient(v->point);
  for (int l = 0; l < s->order && status == DAE_OK; l++) {
    memset(c->r, 0, (size_t)s->nc * sizeof *c->r);
    for (int k = 0; k < c->n_col; k++) {
      int i = c->col[k] - l * s->ng;
      if (i >= 0 && i < dae_problem_level_rows(s, l)) c->r[i] = mu[k];
    }
    dae_matrix_t_add(dae_point_along(v->point), c->r, dz + (size_t)l * (size_t)s->nx);
  }
  return status;
}

dae_status dae_form_add_direction(dae_view *v, const double *mu, double *dz) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_direction_kind kind = c->direction.kind;
  if (kind == DAE_DIR_CONSTRAINT || kind == DAE_DIR_BLOCK || kind == DAE_DIR_PINV)
    return add_gradients(v, mu, dz);
  dae_status status = dae_point_direction(v->point, &c->direction, c->D);
  for (int i = 0; i < s->nz && status == DAE_OK; i++) {
    const double *Di = c->D + (size_t)i * (size_t)s->nh;
    for (int k = 0; k < c->n_col; k++) dz[i] += Di[c->col[k]] * mu[k];
  }
  return status;
}

/* ---- the view ---- */

/* the constraints were too near rank loss for the elimination to mean anything */
static bool lost(const dae_view *v, dae_status status) {
  return status == DAE_E_SINGULAR || (status == DAE_OK && v->sigma < v->limit_below);
}

/* form index1 of a problem that is affine in y: nothing but the elimination */
static dae_status plain_rhs(dae_view *v, double t, const double *z, const double *mu, double *dz,
                            double *y) {
  (void)mu;
  const dae_system *s = v->sys;
  const size_t lower = (size_t)(s->nz - s->nx);
  memcpy(dz, z + s->nx, lower * sizeof *dz);
  dae_point_at(v->point, t, z);
  dae_status status = dae_point_accelerate(v->point, dz + lower, y);
  v->sigma = dae_point_sigma(v->point);
  if (v->limiting && lost(v, status)) status = v->limit(v->limit_ctx, t, z, dz + lower, y);
  return status;
}

static dae_status rhs(dae_view *v, double t, const double *z, const double *mu, double *dz,
                      double *y) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  double *a = dz + (s->nz - s->nx); /* where the chain wants it */
  dae_status status;
  dae_point_at(v->point, t, z);
  if (c->eliminate) {
    /* y on entry is the guess of a problem that is not affine in y: the last value serves */
    bool guessed = c->attracted || !s->affine;
    double *multiplier = guessed ? c->y : y;
    status = dae_form_accelerate(v, a, multiplier);
    v->sigma = dae_point_sigma(v->point);
    if (v->limiting && lost(v, status)) status = v->limit(v->limit_ctx, t, z, a, multiplier);
    if (guessed && y) memcpy(y, c->y, (size_t)s->ny * sizeof *y);
  } else {
    status = motion(v, mu + c->n_col, a);
    if (y) memcpy(y, mu + c->n_col, (size_t)s->ny * sizeof *y);
  }
  if (status != DAE_OK) return status;
  dae_problem_chain(s, z, a, dz);
  return c->n_col > 0 ? dae_form_add_direction(v, mu, dz) : DAE_OK;
}

void dae_form_guess(dae_view *v, const double *y) {
  if (v->parts && v->parts->y) memcpy(v->parts->y, y, (size_t)v->sys->ny * sizeof *y);
}

/* y of the eliminated constraints at a point; y0 of the problem or the last value is the guess */
static dae_status eliminated(dae_view *v, double t, const double *z, const double *mu, double *y) {
  dae_parts *c = v->parts;
  (void)mu;
  dae_point_at(v->point, t, z);
  dae_status status = dae_form_accelerate(v, c->a, c->y);
  if (status == DAE_OK) memcpy(y, c->y, (size_t)v->sys->ny * sizeof *y);
  return status;
}

static dae_status constraint(dae_view *v, double t, const double *z, double *r) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_point_at(v->point, t, z);
  /* the lower levels are not asked for */
  if (v->plain) return dae_point_level(v->point, s->order - 1, r);
  dae_status status = dae_point_invariants(v->point, c->h);
  if (status != DAE_OK) return status;
  for (int i = 0; i < c->n_row; i++) r[i] = c->h[c->row[i]];
  if (!c->combined) return DAE_OK;
  for (int i = 0; i < s->ng; i++)
    for (int l = 0; l < s->order - 1; l++) r[i] += c->beta[l] * c->h[l * s->ng + i];
  return DAE_OK;
}

/* ---- Jacobians ---- */

/* z -> G(z) a + c(z) with a held: what the differentiated constraints say about a */
static dae_status bent(void *ctx, double t, const double *z, double *out) {
  dae_view *v = ctx;
  dae_parts *c = v->parts;
  dae_point_at(v->point, t, z);
  dae_status status = dae_point_curvature(v->point, out);
  if (status == DAE_OK) status = dae_point_gradient(v->point);
  if (status != DAE_OK) return status;
  dae_matrix_times(&v->point->G, c->ad, c->r);
  for (int i = 0; i < v->sys->nc; i++) out[i] += c->r[i];
  return DAE_OK;
}

/* Jc := d/dz (G a + c + alpha terms), nc x nz */
static dae_status bent_z(dae_view *v, const double *a, double *Jc) {
  dae_parts *c = v->parts;
  dae_point *p = v->point;
  const dae_system *s = v->sys;
  const double t = p->t, *z = p->z;
  memcpy(c->ad, a, (size_t)s->nx * sizeof *a);
  const bool given = s->complete && (s->p->autonomous || s->p->mechanical.g_t);
  dae_vector f = {bent,
                  v,
                  s->nc,
                  s->nz,
                  c->zd,
                  c->fd,
                  .size = p->work->size,
                  .noise = given ? 0 : 1e-11,
                  .calls = &p->counts->difference};
  dae_status status = dae_problem_difference_newton(&f, t, z, Jc);
  dae_point_at(p, t, z);
  if (status != DAE_OK || !c->attracted) return status;
  status = dae_point_invariants_z(p, c->H);
  size_t nz = (size_t)s->nz;
  for (int i = 0; i < s->nc && status == DAE_OK; i++)
    for (int l = i < s->ng ? 0 : s->order - 1; l < s->order; l++) {
      double w = i < s->ng ? c->alpha[l] : c->alpha_w;
      const double *from = c->H + (size_t)(l * s->ng + i) * nz;
      for (size_t j = 0; j < nz; j++) Jc[(size_t)i * nz + j] += w * from[j];
    }
  return status;
}

/* [M K; G 0] [da; dy] = -[d/dz (M a + K y - f); d/dz (G a + c)] dz, a and y held on the right */
dae_status dae_form_accelerate_z(dae_view *v, const double *a, const double *y, double *Az) {
  dae_parts *c = v->parts;
  dae_point *p = v->point;
  const dae_system *s = v->sys;
  size_t nz = (size_t)s->nz;
  dae_status status = dae_point_dynamics_z(p, a, y, c->Jf);
  if (status != DAE_OK) return status;
  if (s->ny > 0) status = bent_z(v, a, c->Jc);
  /* differences have been elsewhere */
  if (status == DAE_OK) status = dae_point_factor(p, y);
  for (size_t j = 0; j < nz && status == DAE_OK; j++) {
    for (int i = 0; i < s->nx; i++) c->p[i] = -c->Jf[(size_t)i * nz + j];
    for (int i = 0; i < s->ny; i++) c->r[i] = -c->Jc[(size_t)i * nz + j];
    if (p->kkt) dae_la_kkt_solve(dae_point_kkt(p), c->p, c->r);
    for (int i = 0; i < s->nx; i++) Az[(size_t)i * nz + j] = c->p[i];
  }
  return status;
}

/* da/dz = -M^-1 d/dz (M a + K y - f) and da/dy = -M^-1 K, rows of x^(m) only */
static dae_status motion_z(dae_view *v, const double *y, double *Az, double *Fmu) {
  dae_parts *c = v->parts;
  dae_point *p = v->point;
  const dae_system *s = v->sys;
  size_t nz = (size_t)s->nz, nmu = (size_t)v->nmu, top = (size_t)(s->nz - s->nx);
  dae_status status = motion(v, y, c->a);
  if (status == DAE_OK && Az) status = dae_point_dynamics_z(p, c->a, y, c->Jf);
  if (status == DAE_OK && s->has_mass) status = dae_point_factor(p, y);
  for (size_t j = 0; Az && j < nz && status == DAE_OK; j++) {
    for (int i = 0; i < s->nx; i++) c->p[i] = -c->Jf[(size_t)i * nz + j];
    if (s->has_mass) dae_la_kkt_mass_solve(dae_point_kkt(p), c->p);
    for (int i = 0; i < s->nx; i++) Az[(size_t)i * nz + j] = c->p[i];
  }
  if (status != DAE_OK || !Fmu) return status;
  status = dae_point_multipliers(p, y);
  for (int k = 0; k < s->ny && status == DAE_OK; k++) {
    memset(c->p, 0, (size_t)s->nx * sizeof *c->p);
    memset(c->r, 0, (size_t)s->nc * sizeof *c->r);
    c->r[k] = -1;
    dae_matrix_t_add(dae_point_Kt(p), c->r, c->p);
    if (s->has_mass) dae_la_kkt_mass_solve(dae_point_kkt(p), c->p);
    for (int i = 0; i < s->nx; i++) Fmu[(top + (size_t)i) * nmu + (size_t)(c->n_col + k)] = c->p[i];
  }
  return status;
}

static dae_status constraint_z(dae_view *v, double *Cz) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  size_t nz = (size_t)s->nz;
  dae_status status = dae_point_invariants_z(v->point, c->H);
  if (status != DAE_OK) return status;
  for (int i = 0; i < c->n_row; i++) {
    memcpy(Cz + (size_t)i * nz, c->H + (size_t)c->row[i] * nz, nz * sizeof *Cz);
    for (int l = 0; c->combined && i < s->ng && l < s->order - 1; l++) {
      const double *from = c->H + (size_t)(l * s->ng + i) * nz;
      for (size_t j = 0; j < nz; j++) Cz[(size_t)i * nz + j] += c->beta[l] * from[j];
    }
  }
  return DAE_OK;
}

static dae_status jacobian(dae_view *v, double t, const double *z, const double *mu, double *Fz,
                           double *Fmu, double *Cz) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  size_t nz = (size_t)s->nz, nx = (size_t)s->nx, nmu = (size_t)v->nmu;
  dae_status status = DAE_OK;
  dae_point_at(v->point, t, z);
  double *Az = Fz ? Fz + (nz - nx) * nz : NULL;
  if (Fz) memset(Fz, 0, nz * nz * sizeof *Fz);
  if (Fmu) memset(Fmu, 0, nz * nmu * sizeof *Fmu);
  /* the chain x^(l)' = x^(l+1) */
  for (size_t i = 0; Fz && i + nx < nz; i++) Fz[i * nz + i + nx] = 1;
  if (c->eliminate && Fz) {
    status = dae_form_accelerate(v, c->a, c->y);
    if (status == DAE_OK) status = dae_form_accelerate_z(v, c->a, c->y, Az);
  } else if (!c->eliminate && (Fz || Fmu)) {
    status = motion_z(v, mu + c->n_col, Az, Fmu);
  }
  if (status == DAE_OK && Fmu && c->n_col > 0) {
    status = dae_point_direction(v->point, &c->direction, c->D);
    for (size_t i = 0; i < nz; i++)
      for (int k = 0; k < c->n_col; k++)
        Fmu[i * nmu + (size_t)k] = c->D[i * (size_t)s->nh + (size_t)c->col[k]];
  }
  return status == DAE_OK && Cz ? constraint_z(v, Cz) : status;
}

static dae_status no_jacobian(dae_view *v, double t, const double *z, const double *mu, double *Fz,
                              double *Fmu, double *Cz) {
  (void)v, (void)t, (void)z, (void)mu, (void)Fz, (void)Fmu, (void)Cz;
  return DAE_E_FORM;
}

/* ---- construction ---- */

enum { DENSE_MAX = 512 };

dae_status dae_form_parts_new(dae_view *v) {
  dae_parts *c = dae_base_take(v->pool, 1, sizeof *c);
  if (!c) return DAE_E_MEMORY;
  v->parts = c;
  c->row = dae_base_ints(v->pool, (size_t)v->sys->nh + 1);
  c->col = dae_base_ints(v->pool, (size_t)v->sys->nh + 1);
  return v->pool->failed ? DAE_E_MEMORY : DAE_OK;
}

dae_status dae_form_parts_ready(dae_view *v) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  dae_pool *pool = v->pool;
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, nh = (size_t)s->nh, nc = (size_t)s->nc;
  size_t rows = nx > nc ? nx : nc;
  v->nz = s->nz;
  v->nmu = c->n_col + (c->eliminate ? 0 : s->ny);
  v->keeps_y = !c->eliminate && s->ny > 0;
  v->row = c->row;
  v->passes = c->eliminate && c->n_col == 0 && !c->attracted;
  v->eliminates = v->passes && s->affine;
  v->rhs = v->eliminates ? plain_rhs : rhs;
  if (c->eliminate && s->ny > 0) v->multipliers = eliminated;
  v->jacobian = jacobian;
  /* dense Jacobians of a large sparse problem would not fit: only sparse implicit methods and
     explicit ones */
  const bool large = s->pattern.start && s->nz > DENSE_MAX;
  /* nor would those of any problem whose entries an int does not count */
  const bool beyond = (double)s->nz * s->nz > INT_MAX;
  const bool alone = c->sparse && s->nz > DENSE_MAX;
  /* nor is there anybody to ask for them, or they come in their patterns */
  const bool dense = !large && !beyond && !alone && !v->lean && !dae_form_is_sparse(v);
  if (!dense) v->jacobian = no_jacobian;
  if (v->nmu > 0) v->constraint = constraint;
  c->a = dae_base_doubles(pool, nx);
  c->y = dae_base_doubles(pool, nc);
  c->h = dae_base_doubles(pool, nh + nc);
  c->p = dae_base_doubles(pool, nx);
  c->r = dae_base_doubles(pool, nc);
  c->ad = dae_base_doubles(pool, nz > rows ? nz : rows);
  c->D = c->n_col > 0 && !large ? dae_base_doubles(pool, nz * nh) : NULL;
  c->H = (c->n_row > 0 || c->attracted) && dense ? dae_base_doubles(pool, nh * nz) : NULL;
  c->Jf = dense ? dae_base_doubles(pool, nx * nz) : NULL;
  c->Jc = c->eliminate && dense ? dae_base_doubles(pool, nc * nz) : NULL;
  c->zd = dae_base_doubles(pool, nz);
  c->fd = dae_base_doubles(pool, 4 * rows);
  if (c->y && s->p->y0) memcpy(c->y, s->p->y0, (size_t)s->ny * sizeof *c->y);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}
