/* the right-hand side of one iterate and what it hands on to the next */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srm/srm.h"

/* a1, a2[, a3] */
static bool take_alpha(const dae_list *given, int order, double *alpha) {
  alpha[0] = 0;
  alpha[1] = 1;
  alpha[2] = order > 1 ? 1 : 0;
  if (given->count > 3) return false;
  memcpy(alpha, given->value, (size_t)given->count * sizeof *alpha);
  return alpha[0] >= 0 && alpha[0] + fabs(alpha[1]) > 0;
}

static dae_status read_settings(dae_srm_equations *e, const dae_settings *o, char *message,
                                int size) {
  static const dae_srm_variant variants[] = {[DAE_VARIANT_STANDARD] = DAE_SRM_STANDARD,
                                             [DAE_VARIANT_SINGULAR] = DAE_SRM_SINGULAR,
                                             [DAE_VARIANT_INVARIANT] = DAE_SRM_INVARIANT,
                                             [DAE_VARIANT_FREE] = DAE_SRM_FREE};
  static const dae_srm_weight weights[] = {[DAE_WEIGHT_INVERSE] = DAE_SRM_INVERSE,
                                           [DAE_WEIGHT_IDENTITY] = DAE_SRM_IDENTITY,
                                           [DAE_WEIGHT_TRANSPOSE] = DAE_SRM_TRANSPOSE};
  e->variant = o->srm_variant != DAE_VARIANT_AUTO ? variants[o->srm_variant]
               : e->sys->order > 1                ? DAE_SRM_FREE
                                                  : DAE_SRM_STANDARD;
  e->weight = e->variant == DAE_SRM_SINGULAR ? DAE_SRM_INVERSE : weights[o->srm_weight];
  if (!take_alpha(&o->srm_alpha, e->sys->order, e->alpha)) {
    snprintf(message, (size_t)size,
             "srm_alpha: numbers alpha1,alpha2[,alpha3] with alpha1 >= 0, not all zero");
    return DAE_E_INPUT;
  }
  e->eps = o->srm_eps;
  if (!(e->eps >= 0)) {
    dae_base_print(message, size, "srm_eps must be positive (or 0 for automatic), not %g",
                   o->srm_eps);
    return DAE_E_INPUT;
  }
  return DAE_OK;
}

dae_status dae_srm_equations_init(dae_srm_equations *e, dae_point *at, const dae_settings *o,
                                  dae_pool *pool, char *message, int size) {
  const dae_system *sys = at->sys;
  *e = (dae_srm_equations){.sys = sys, .at = at};
  at->digits = true;
  const char *fault = sys->ny == 0
                          ? "there are no multipliers: form srm is for problems with constraints"
                      : !sys->affine ? "form srm needs equations that are affine in the multipliers"
                      : sys->order > 2     ? "form srm is for problems of order 1 and 2"
                      : sys->pattern.start ? "form srm works with dense constraints only"
                                           : NULL;
  if (fault) {
    snprintf(message, (size_t)size, "%s", fault);
    return DAE_E_FORM;
  }
  dae_status status = read_settings(e, o, message, size);
  if (status != DAE_OK) return status;
  size_t nx = (size_t)sys->nx, rows = (size_t)sys->nc;
  e->nc = e->variant == DAE_SRM_SINGULAR    ? sys->nx
          : e->variant == DAE_SRM_INVARIANT ? sys->nh
                                            : sys->ny;
  e->needs_schur =
      e->weight != DAE_SRM_IDENTITY || (e->variant == DAE_SRM_STANDARD && e->alpha[0] != 0);
  if (e->variant == DAE_SRM_INVARIANT) e->needs_schur = false;
  e->f = dae_base_doubles(pool, nx);
  e->c = dae_base_doubles(pool, rows);
  e->r = dae_base_doubles(pool, (size_t)sys->nh);
  e->x = dae_base_doubles(pool, 3 * rows + nx);
  e->G = dae_base_doubles(pool, rows * nx);
  e->Bt = dae_base_doubles(pool, rows * nx);
  e->S = dae_base_doubles(pool, rows * rows);
  e->LU = dae_base_doubles(pool, rows * rows);
  e->A = dae_base_doubles(pool, rows * rows);
  e->longest = dae_base_doubles(pool, rows);
  e->pivot = dae_base_ints(pool, rows);
  e->pivot2 = dae_base_ints(pool, rows);
  if (pool->failed) return DAE_E_MEMORY;
  if (!sys->has_mass) return DAE_OK;
  dae_la_kkt_shape shape = sys->shape;
  shape.rows = 0;
  return dae_la_kkt_new(&e->mass, pool, &shape);
}

void dae_srm_equations_free(dae_srm_equations *e) { dae_la_kkt_free(e->mass); }

/* the smallest pivot of GB against the rows as they are (dependent ones leave rounding of their
   size) and as they were (a row of size d leaves d^2, and its direction has an error eps/d: below
   1e-10 there is none) */
static bool schur_lost(dae_srm_equations *e) {
  int rows = e->sys->nc;
  double low, high, now = INFINITY, ever = INFINITY;
  for (int i = 0; i < rows; i++) {
    double size = fabs(e->S[(size_t)i * rows + i]);
    e->longest[i] = fmax(e->longest[i], size);
    now = fmin(now, size);
    ever = fmin(ever, e->longest[i]);
  }
  if (dae_la_lu(rows, e->LU, e->pivot) != 0) return true;
  dae_la_lu_pivots(rows, e->LU, &low, &high);
  return low < 16 * DBL_EPSILON * now || low < 1e-20 * ever;
}

/* f := M^-1 f, G, Bt := (M^-1 K)', and S := G B where it is needed */
static dae_status matrices(dae_srm_equations *e) {
  const dae_system *s = e->sys;
  dae_point *p = e->at;
  int nx = s->nx, rows = s->nc;
  size_t bytes = (size_t)rows * nx * sizeof *e->G;
  dae_status status = dae_point_force(p, NULL, e->f);
  if (status == DAE_OK) status = dae_point_gradient(p);
  if (status == DAE_OK) status = dae_point_multipliers(p, NULL);
  if (status != DAE_OK) return status;
  memcpy(e->G, p->G.x, bytes);
  memcpy(e->Bt, dae_point_Kt(p)->x, bytes);
  if (e->mass) {
    dae_la_kkt_info info;
    status = dae_point_mass(p);
    if (status == DAE_OK) status = dae_la_kkt_factor(e->mass, p->M.x, NULL, NULL, false, &info);
    if (status != DAE_OK) return status;
    dae_la_kkt_mass_solve(e->mass, e->f);
    for (int i = 0; i < rows; i++) dae_la_kkt_mass_solve(e->mass, e->Bt + (size_t)i * nx);
  }
  if (!e->needs_schur) return DAE_OK;
  for (int i = 0; i < rows; i++)
    dae_la_mul(rows, nx, e->Bt, e->G + (size_t)i * nx, e->S + (size_t)i * rows);
  if (e->weight != DAE_SRM_INVERSE) return DAE_OK;
  memcpy(e->LU, e->S, (size_t)rows * rows * sizeof *e->LU);
  e->schur_lost = schur_lost(e);
  return DAE_OK;
}

void dae_srm_look_around(dae_srm_equations *e, double t, const double *z, double *work) {
  const dae_system *s = e->sys;
  double size = dae_la_norm_max(s->nx, z);
  memset(e->longest, 0, (size_t)s->nc * sizeof *e->longest);
  if (e->weight != DAE_SRM_INVERSE || !e->needs_schur) return;
  memcpy(work, z, (size_t)s->nz * sizeof *z);
  for (int i = 0; i < s->nx; i++) work[i] += 1e-2 * (size > 0 ? size : 1) * sin(1 + 2.3 * i);
  /* the problem need not be defined there: then nothing was learned */
  dae_point_at(e->at, t, work);
  (void)matrices(e);
}

/* r := E r for the rows of the highest level; lower levels fill theirs and leave zero below */
static void weigh(dae_srm_equations *e, double *r) {
  int rows = e->sys->nc;
  double *x = e->x + rows;
  if (e->weight == DAE_SRM_TRANSPOSE) {
    dae_la_mul_t(rows, rows, e->S, r, x);
    memcpy(r, x, (size_t)rows * sizeof *r);
  } else if (e->weight == DAE_SRM_INVERSE && e->schur_lost) {
    memset(r, 0, (size_t)rows * sizeof *r);
  } else if (e->weight == DAE_SRM_INVERSE) {
    dae_la_lu_solve(rows, e->LU, e->pivot, r);
  }
}

/* dz_l := x^(l+1) - B E g^(l) / eps below the highest level, unless plain */
static dae_status lower_levels(dae_srm_equations *e, bool plain, double *dz) {
  const dae_system *s = e->sys;
  const double *z = e->at->z;
  memcpy(dz, z + s->nx, (size_t)(s->nz - s->nx) * sizeof *dz);
  for (int l = 0; l + 1 < s->order && !plain && s->ng > 0; l++) {
    memset(e->x, 0, (size_t)s->nc * sizeof *e->x);
    dae_status status = dae_point_level(e->at, l, e->x);
    if (status != DAE_OK) return status;
    weigh(e, e->x);
    for (int i = 0; i < s->nc; i++)
      for (int j = 0; j < s->nx; j++)
        dz[(size_t)l * s->nx + j] -= e->Bt[(size_t)i * s->nx + j] * e->x[i] / e->eps;
  }
  return DAE_OK;
}

/* a := f - B y */
static void accelerate(const dae_srm_equations *e, const double *y, double *a) {
  int nx = e->sys->nx;
  memcpy(a, e->f, (size_t)nx * sizeof *a);
  for (int i = 0; i < e->sys->nc; i++)
    for (int j = 0; j < nx; j++) a[j] -= e->Bt[(size_t)i * nx + j] * y[i];
}

/* By_s = B (GB)^-1 (G By_{s-1} + g^(m-1)/eps); where GB is lost, By_{s-1} itself */
static void singular(dae_srm_equations *e, const double *before, double *a, double *carried,
                     double *y) {
  int nx = e->sys->nx, rows = e->sys->nc;
  double *r = e->c, *By = e->x + 3 * rows;
  dae_la_mul(rows, nx, e->G, before, e->x);
  for (int i = 0; i < rows; i++) r[i] = e->x[i] + e->r[i] / e->eps;
  weigh(e, r);
  dae_la_mul_t(rows, nx, e->Bt, r, By);
  if (e->schur_lost) memcpy(By, before, (size_t)nx * sizeof *By);
  for (int j = 0; j < nx; j++) a[j] = e->f[j] - By[j];
  if (carried) memcpy(carried, By, (size_t)nx * sizeof *By);
  if (y) memcpy(y, r, (size_t)rows * sizeof *y);
}

/* (eps I + a1 E GB) y_s = eps y_{s-1} + E (a1 (G f + c) + a2 g^(m-1) + a3 g^(m-2)): the small
   system, which stays accurate for any eps (2.12) */
static dae_status penalty(dae_srm_equations *e, const double *before, double *y) {
  const dae_system *s = e->sys;
  int rows = s->nc;
  double *r = e->c, *A = e->A;
  dae_status status = dae_point_curvature(e->at, r);
  if (status != DAE_OK) return status;
  dae_la_mul(rows, s->nx, e->G, e->f, e->x);
  for (int i = 0; i < rows; i++) r[i] = e->alpha[0] * (r[i] + e->x[i]) + e->r[i];
  weigh(e, r);
  for (int i = 0; i < rows; i++) r[i] += e->eps * before[i];
  /* columns of E GB */
  for (int j = 0; j < rows; j++) {
    double *column = e->x;
    for (int i = 0; i < rows; i++) column[i] = e->S[(size_t)i * rows + j];
    weigh(e, column);
    for (int i = 0; i < rows; i++)
      A[(size_t)i * rows + j] = e->alpha[0] * column[i] + (i == j ? e->eps : 0);
  }
  if (dae_la_lu(rows, A, e->pivot2) != 0) return DAE_E_SINGULAR;
  dae_la_lu_solve(rows, A, e->pivot2, r);
  memcpy(y, r, (size_t)rows * sizeof *y);
  return DAE_OK;
}

/* zeta_s = zeta_{s-1} + h/eps,  z' = fhat - diag(G', G') zeta_s */
static dae_status invariant(dae_srm_equations *e, const double *before, double *dz, double *carried,
                            double *y) {
  const dae_system *s = e->sys;
  dae_point *p = e->at;
  dae_status status = dae_point_accelerate(p, p->work->spare, y);
  if (status == DAE_OK) dae_problem_chain(s, p->z, p->work->spare, dz);
  if (status == DAE_OK) status = dae_point_invariants(p, e->r);
  if (status == DAE_OK) status = dae_point_gradient(p);
  if (status != DAE_OK) return status;
  const double *G = p->G.x;
  int row = 0;
  for (int l = 0; l < s->order; l++)
    for (int i = 0; i < dae_problem_level_rows(s, l); i++, row++) {
      double zeta = before[row] + e->r[row] / e->eps;
      if (carried) carried[row] = zeta;
      for (int j = 0; j < s->nx; j++) dz[(size_t)l * s->nx + j] -= G[(size_t)i * s->nx + j] * zeta;
    }
  return DAE_OK;
}

/* r := a2 g^(m-1) + a3 g^(m-2) (standard), or g^(m-1) alone */
static dae_status top_level(dae_srm_equations *e) {
  const dae_system *s = e->sys;
  dae_status status = dae_point_level(e->at, s->order - 1, e->r);
  if (status != DAE_OK || e->variant != DAE_SRM_STANDARD) return status;
  for (int i = 0; i < s->nc; i++) e->r[i] *= e->alpha[1];
  if (s->order == 1 || e->alpha[2] == 0 || s->ng == 0) return DAE_OK;
  status = dae_point_level(e->at, s->order - 2, e->x);
  for (int i = 0; i < s->ng; i++) e->r[i] += e->alpha[2] * e->x[i];
  return status;
}

dae_status dae_srm_evaluate(dae_srm_equations *e, double t, const double *z, const double *before,
                            double *dz, double *carried, double *y) {
  const dae_system *s = e->sys;
  dae_point_at(e->at, t, z);
  if (e->variant == DAE_SRM_INVARIANT) return invariant(e, before, dz, carried, y);
  dae_status status = matrices(e);
  if (e->needs_schur && e->weight == DAE_SRM_INVERSE) e->at->counts->factor++;
  if (status == DAE_OK) status = top_level(e);
  if (status == DAE_OK) status = lower_levels(e, e->variant == DAE_SRM_STANDARD, dz);
  if (status != DAE_OK) return status;
  double *a = dz + s->nz - s->nx, *multiplier = e->x + 2 * s->nc;
  if (e->variant == DAE_SRM_SINGULAR) {
    singular(e, before, a, carried, y);
    return dae_base_finite(a, s->nx) ? DAE_OK : DAE_E_CALLBACK;
  }
  if (e->variant == DAE_SRM_STANDARD && e->alpha[0] != 0) {
    status = penalty(e, before, multiplier);
    if (status != DAE_OK) return status;
  } else {
    memcpy(e->c, e->r, (size_t)s->nc * sizeof *e->c);
    weigh(e, e->c);
    for (int i = 0; i < s->nc; i++) multiplier[i] = before[i] + e->c[i] / e->eps;
  }
  accelerate(e, multiplier, a);
  if (carried) memcpy(carried, multiplier, (size_t)s->nc * sizeof *carried);
  if (y) memcpy(y, multiplier, (size_t)s->nc * sizeof *y);
  return dae_base_finite(a, s->nx) ? DAE_OK : DAE_E_CALLBACK;
}

/* power iteration on G B E (G G' for the invariant variant) from a fixed start */
dae_status dae_srm_radius(dae_srm_equations *e, double t, const double *z, double *radius) {
  const dae_system *s = e->sys;
  int rows = s->nc, nx = s->nx;
  *radius = 1;
  if (e->weight == DAE_SRM_INVERSE && e->variant != DAE_SRM_INVARIANT) return DAE_OK;
  dae_point_at(e->at, t, z);
  dae_status status = matrices(e);
  if (status != DAE_OK) return status;
  double *u = e->c, *w = e->x + 3 * rows;
  for (int i = 0; i < rows; i++) u[i] = 1 + 0.37 * (i % 3);
  for (int k = 0; k < 12; k++) {
    double size = dae_la_norm_max(rows, u);
    if (size == 0) return DAE_OK;
    for (int i = 0; i < rows; i++) u[i] /= size;
    if (e->variant != DAE_SRM_INVARIANT) weigh(e, u);
    dae_la_mul_t(rows, nx, e->variant == DAE_SRM_INVARIANT ? e->G : e->Bt, u, w);
    dae_la_mul(rows, nx, e->G, w, u);
    *radius = dae_la_norm_max(rows, u);
  }
  return DAE_OK;
}
