/*
 * herk: half-explicit Runge-Kutta methods (2001, (2.8)-(2.11)) for x^(m) = f - K y with the
 * constraints of the highest level: forms direct and index2. Each stage is one system
 *   [M(Z_i) K(Z_i); G(Zbar_i) 0] [a_i; y_i],  Zbar_i = z + h sum_{j<=i} r_ij k_j on the
 *   constraints,
 * linear for mechanical problems; G and K belong to two points.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/explicit.h"
#include "step/herk.h"

typedef struct herk {
  dae_herk_tableau t;
  bool once;       /* the stage system is linear: no iteration */
  bool last_stage; /* y of a step is that of its last stage, (2.11) */
  dae_la_kkt *kkt;
  bool mass_factored;
  double *k[DAE_HERK_STAGES];
  double *point, *beyond;    /* Z_i, Zbar_i */
  dae_point *at, *at_beyond; /* there */
  double *a, *y, *p, *r;
  double *start, *start_slope, *end_slope, *y_end;
} herk;

#define HERK_ROW(label, p, n, e, text)                                                     \
  {                                                                                        \
    .name = label, .order = p, .order_y = p, .stage_order = 1, .stages = n, .estimate = e, \
    .r_infinity = NAN, .view = DAE_VIEW_INDEX2, .when = text                               \
  }
const dae_method dae_step_herk_method[DAE_HERK_METHODS] = {
    HERK_ROW("herk2", 2, 2, 2, "nonstiff index 2 without second derivatives, low accuracy"),
    HERK_ROW("herk3", 3, 3, 2, "nonstiff index 2, low accuracy"),
    HERK_ROW("herk4", 4, 5, 3, "nonstiff index 2, medium accuracy"),
    HERK_ROW("herk5", 5, 6, 4, "nonstiff mechanisms: Dormand and Prince, half-explicit"),
};

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  const dae_system *sys = s->view->sys;
  if (!s->view->plain) {
    snprintf(message, (size_t)size, "%s works on the forms direct and index2, not on %s",
             s->method->name, s->view->name);
    return DAE_E_FORM;
  }
  herk *d = s->data = dae_base_take(s->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  dae_step_herk_tableau(&d->t, s->method->order);
  d->last_stage = o->multiplier == DAE_MULTIPLIER_RECURSION;
  d->once = sys->affine && sys->order > 1 && (sys->p->kind == DAE_MECHANICAL || sys->nw == 0);
  const size_t nz = (size_t)sys->nz, nx = (size_t)sys->nx, ny = (size_t)sys->ny;
  for (int i = 0; i < d->t.stages; i++) d->k[i] = dae_base_doubles(s->pool, nz);
  d->point = dae_base_doubles(s->pool, nz);
  d->beyond = dae_base_doubles(s->pool, nz);
  d->start = dae_base_doubles(s->pool, nz);
  d->start_slope = dae_base_doubles(s->pool, nz);
  d->end_slope = dae_base_doubles(s->pool, nz);
  d->a = dae_base_doubles(s->pool, nx);
  d->p = dae_base_doubles(s->pool, nx);
  d->y = dae_base_doubles(s->pool, ny);
  d->y_end = dae_base_doubles(s->pool, ny);
  d->r = dae_base_doubles(s->pool, ny);
  dae_status status = dae_point_new(&d->at, s->pool, sys, s->view->point, false);
  if (status == DAE_OK) status = dae_point_new(&d->at_beyond, s->pool, sys, s->view->point, false);
  if (status != DAE_OK) return status;
  /* G and K' are taken at two points: no symmetry */
  dae_la_kkt_shape shape = sys->shape;
  shape.symmetric = false;
  return dae_la_kkt_new(&d->kkt, s->pool, &shape);
}

static void destroy(dae_stepper *s) {
  herk *d = s->data;
  if (d) dae_la_kkt_free(d->kkt);
}

/* z' and the multipliers at a point from the differentiated constraints */
static dae_status consistent(dae_stepper *s, double t, const double *z, double *slope, double *y) {
  herk *d = s->data;
  s->evaluations++;
  s->factorizations++;
  dae_point_at(s->view->point, t, z);
  dae_status status = dae_point_accelerate(s->view->point, d->a, y);
  if (status == DAE_OK) dae_problem_chain(s->view->sys, z, d->a, slope);
  return status;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  herk *d = s->data;
  const size_t ny = (size_t)s->view->sys->ny;
  s->t = s->t_old = t;
  s->h_old = 0;
  d->mass_factored = false;
  if (z != s->z) memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  if (mu && mu != s->mu) memmove(s->mu, mu, ny * sizeof *mu);
  /* the guess of a problem that is not affine in y */
  memcpy(s->y, s->mu, ny * sizeof *s->y);
  dae_status status = consistent(s, t, s->z, s->dz, s->y);
  memcpy(s->mu, s->y, ny * sizeof *s->mu);
  return status;
}

/* out := z + h sum_{j<count} w_j k_j */
static void combine(const dae_stepper *s, double h, const double *w, int count, double *out) {
  const herk *d = s->data;
  const int nz = s->view->nz;
  memcpy(out, s->z, (size_t)nz * sizeof *out);
  for (int j = 0; j < count; j++) {
    const double f = h * w[j], *k = d->k[j];
    if (f != 0)
      for (int i = 0; i < nz; i++) out[i] += f * k[i];
  }
}

/* p := f - M a - K y at Z_i */
static dae_status forces(dae_stepper *s, double t) {
  herk *d = s->data;
  dae_point_at(d->at, t, d->point);
  dae_status status = dae_point_dynamics(d->at, d->a, d->y, d->p);
  for (int i = 0; i < s->view->sys->nx; i++) d->p[i] = -d->p[i];
  return status;
}

/* r := -(constraints at Zbar)/(h r_ii): what a_i must add */
static dae_status gap(dae_stepper *s, double t, double h_rii) {
  herk *d = s->data;
  const dae_system *sys = s->view->sys;
  dae_point_at(d->at_beyond, t, d->beyond);
  dae_status status = dae_point_level(d->at_beyond, sys->order - 1, d->r);
  for (int i = 0; i < sys->nc; i++) d->r[i] = -d->r[i] / h_rii;
  return status;
}

/* [M K; G 0] with M and K at Z_i, G at Zbar_i */
static dae_status factor_stage(dae_stepper *s) {
  herk *d = s->data;
  dae_status status = dae_point_multipliers(d->at, d->y);
  if (status == DAE_OK) status = dae_point_gradient(d->at_beyond);
  if (status != DAE_OK) return status;
  dae_la_kkt_info info;
  bool same = s->view->sys->mass_constant && d->mass_factored;
  status =
      dae_la_kkt_factor(d->kkt, d->at->M.x, d->at_beyond->G.x, dae_point_Kt(d->at)->x, same, &info);
  d->mass_factored = status == DAE_OK;
  s->factorizations++;
  return status;
}

/* rounding of a; what no longer falls there is rounding as well, of the constraints */
static const dae_iteration_rule STAGE = {.limit = 20, .enough = 1e-15, .floor = 1e-9, .still = 0.5};

/* a_i and y_i by Newton's method from the values of the stage before; the matrix is that of the
   first iterate */
static dae_status solve_stage(dae_stepper *s, int i, double h) {
  herk *d = s->data;
  const dae_system *sys = s->view->sys;
  const int nx = sys->nx, top = sys->nz - nx;
  const double t = s->t + d->t.c[i] * h, t_beyond = s->t + d->t.s[i] * h, h_rii = h * d->t.r[i][i];
  double *k = d->k[i], z_size = dae_la_norm_max(sys->nz, s->z);
  dae_iteration course = dae_base_iteration();
  memcpy(k, d->point + nx, (size_t)top * sizeof *k);
  memcpy(k + top, d->a, (size_t)nx * sizeof *k);
  combine(s, h, d->t.r[i], i + 1, d->beyond);
  for (;;) {
    dae_status status = forces(s, t);
    if (status == DAE_OK) status = gap(s, t_beyond, h_rii);
    if (status == DAE_OK && course.count == 0) status = factor_stage(s);
    if (status != DAE_OK) return status;
    dae_la_kkt_solve(d->kkt, d->p, d->r);
    s->solves++;
    const double size = dae_la_norm_max(nx, d->p), whole = dae_la_norm_max(nx, d->a) + size;
    for (int j = 0; j < nx; j++) d->a[j] += d->p[j];
    for (int j = 0; j < sys->ny; j++) d->y[j] += d->r[j];
    for (int j = 0; j < nx; j++) k[top + j] = d->a[j], d->beyond[top + j] += h_rii * d->p[j];
    if (!isfinite(size)) return DAE_E_CALLBACK;
    /* or of the point that it moves */
    bool negligible = fabs(h_rii) * size <= STAGE.enough * z_size;
    dae_progress progress = dae_base_judge(&course, &STAGE, size, whole);
    if (d->once || negligible || progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
}

/* the part of an error that constraints take away is no error: [M K; G 0] [e; .] = [M e; 0] at the
   end point, where the matrix has just been factored */
static void make_tangential(dae_stepper *s) {
  herk *d = s->data;
  const dae_point *end = s->view->point;
  const dae_system *sys = s->view->sys;
  double *e = s->error + (sys->nz - sys->nx);
  memset(d->p, 0, (size_t)sys->nx * sizeof *d->p);
  memset(d->r, 0, (size_t)sys->nc * sizeof *d->r);
  dae_matrix_add(&end->M, e, d->p);
  dae_la_kkt_solve(dae_point_kkt(end), d->p, d->r);
  memcpy(e, d->p, (size_t)sys->nx * sizeof *e);
}

/* herk2: with S = z''' + F_z z'' from the stages (herk_tableau.c) and z''' from the slopes of two
   steps, the error h^3 (z'''/24 + F_z z''/8) = h^3 (S/8 - z'''/12). The larger of the two
   estimates: S alone may vanish where the error does not, as for z' = -z + q(t) with z = e^t */
static void estimate_two_steps(dae_stepper *s, double h) {
  const herk *d = s->data;
  if (d->t.stages != 2 || s->h_old == 0 || s->h_old * h < 0) return;
  for (int i = 0; i < s->view->nz; i++) {
    const double before = (s->dz[i] - d->start_slope[i]) / s->h_old,
                 now = (d->end_slope[i] - s->dz[i]) / h,
                 third = 2 * (now - before) / (h + s->h_old), S = 12 * s->error[i] / (h * h * h),
                 other = h * h * h * (S / 8 - third / 12);
    if (fabs(other) > fabs(s->error[i])) s->error[i] = other;
  }
}

static dae_status attempt(dae_stepper *s, double h) {
  herk *d = s->data;
  const int nz = s->view->nz, stages = d->t.stages, top = nz - s->view->sys->nx;
  s->h = h;
  memcpy(d->a, s->dz + top, (size_t)s->view->sys->nx * sizeof *d->a);
  memcpy(d->y, s->mu, (size_t)s->view->sys->ny * sizeof *d->y);
  for (int i = 0; i < stages; i++) {
    if (i == 0 && d->t.known_first) {
      memcpy(d->k[0], s->dz, (size_t)nz * sizeof *s->dz);
      continue;
    }
    combine(s, h, d->t.a[i], i, d->point);
    s->evaluations++;
    dae_status status = solve_stage(s, i, h);
    if (status != DAE_OK) return status;
  }
  combine(s, h, d->t.r[stages - 1], stages, s->z_new);
  memcpy(s->mu_new, d->y, (size_t)s->view->sys->ny * sizeof *s->mu_new);
  memcpy(d->y_end, d->y, (size_t)s->view->sys->ny * sizeof *d->y_end);
  dae_status status = consistent(s, s->t + h, s->z_new, d->end_slope, d->y_end);
  if (status != DAE_OK) return status;
  for (int i = 0; i < nz; i++) {
    double sum = d->t.first * s->dz[i] + d->t.last * d->end_slope[i];
    for (int j = 0; j < stages; j++) sum += d->t.error[j] * d->k[j][i];
    s->error[i] = h * sum;
  }
  estimate_two_steps(s, h);
  make_tangential(s);
  return dae_base_finite(s->error, nz) ? DAE_OK : DAE_E_CALLBACK;
}

static dae_status accept(dae_stepper *s) {
  herk *d = s->data;
  const size_t bytes = (size_t)s->view->nz * sizeof(double), ny = (size_t)s->view->sys->ny;
  memcpy(d->start, s->z, bytes);
  memcpy(d->start_slope, s->dz, bytes);
  memcpy(s->z, s->z_new, bytes);
  memcpy(s->dz, d->end_slope, bytes);
  /* (2.11), or the multipliers of the differentiated constraints, which have the order of z */
  memcpy(s->mu, d->last_stage ? s->mu_new : d->y_end, ny * sizeof *s->mu);
  memcpy(s->y, s->mu, ny * sizeof *s->y);
  s->t_old = s->t, s->h_old = s->h;
  s->t += s->h;
  return DAE_OK;
}

/* Shampine's quartic for order 5, cubic Hermite for the others */
static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  const herk *d = s->data;
  const int nz = s->view->nz;
  if (!d->t.known_first) {
    dae_step_hermite(nz, theta, s->h_old, d->start, d->start_slope, s->z, s->dz, z);
  } else {
    double w[DAE_HERK_STAGES + 1];
    dae_step_dopri5.dense(theta, w);
    for (int i = 0; i < nz; i++) {
      double sum = w[DAE_HERK_STAGES] * s->dz[i];
      for (int j = 0; j < DAE_HERK_STAGES; j++) sum += w[j] * d->k[j][i];
      z[i] = d->start[i] + s->h_old * sum;
    }
  }
  return y ? DAE_E_FORM : DAE_OK;
}

const dae_stepper_class dae_step_herk = {.init = init,
                                         .restart = restart,
                                         .attempt = attempt,
                                         .accept = accept,
                                         .dense = dense,
                                         .destroy = destroy};
