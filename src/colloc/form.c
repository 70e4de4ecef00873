/* forms of the order-m problem for collocation: index 2 with Baumgarte polynomial, projected
   invariants I and II */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colloc/colloc.h"

#define RETURN_IF(call)                    \
  do {                                     \
    dae_status status_ = (call);           \
    if (status_ != DAE_OK) return status_; \
  } while (0)

/* a dense copy, whatever it is stored as */
static void densify(const dae_matrix *a, double *A) {
  memset(A, 0, sizeof(double) * (size_t)a->rows * (size_t)a->cols);
  dae_matrix_put(a, 1, A, (size_t)a->cols, 1);
}

/* K (nx x nc) of M x^(m) = f - K y at f->at, that is B when M = I */
static dae_status dense_multiplier(dae_colloc_form *f, const double *y, double *K) {
  const dae_system *s = f->sys;
  RETURN_IF(dae_point_multipliers(f->at, y));
  memset(K, 0, sizeof(double) * (size_t)s->nx * (size_t)s->nc);
  dae_matrix_put(dae_point_Kt(f->at), 1, K, 1, (size_t)s->nc);
  return DAE_OK;
}

void dae_colloc_form_z(const dae_colloc_form *f, const double *Z, double *z) {
  memcpy(z, Z, sizeof(double) * (size_t)(f->m * f->nx));
  for (int i = 0; i < f->nphi; i++) z[i] += Z[f->m * f->nx + i];
}

/* adds `factor` times the level Jacobian (rows x nz) to C (na x ns), phi columns as those of x */
static void add_rows(const dae_colloc_form *f, int rows, double factor, const double *L,
                     double *C) {
  int nz = f->sys->nz;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < nz; j++) C[i * f->ns + j] += factor * L[i * nz + j];
    for (int j = 0; j < f->nphi; j++) C[i * f->ns + nz + j] += factor * L[i * nz + j];
  }
}

/* c = sum_l alpha_l g^(l) for the ng holonomic rows (3.6), level m-1 for the others; pi2: g
   itself (3.13d) */
dae_status dae_colloc_form_constraint(dae_colloc_form *f, double t, const double *Z, double *c,
                                      double *C) {
  const dae_system *s = f->sys;
  int top = f->m - 1;
  if (f->na == 0) return DAE_OK;
  dae_colloc_form_z(f, Z, f->z);
  dae_point_at(f->at, t, f->z);
  memset(c, 0, sizeof(double) * (size_t)f->na);
  if (C) memset(C, 0, sizeof(double) * (size_t)f->na * (size_t)f->ns);
  for (int l = 0; l <= top; l++) {
    double factor = f->kind == DAE_COLLOC_PI2 ? l == 0 : f->alpha[l];
    if (factor == 0) continue;
    int rows = dae_problem_level_rows(s, l);
    RETURN_IF(dae_point_level(f->at, l, f->c));
    for (int i = 0; i < rows; i++) c[i] += factor * f->c[i];
    if (!C) continue;
    RETURN_IF(dae_point_level_z(f->at, l, f->L));
    add_rows(f, rows, factor, f->L, C);
  }
  return DAE_OK;
}

dae_status dae_colloc_form_direction(dae_colloc_form *f, double t, const double *Z, const double *a,
                                     double *D) {
  if (f->na == 0) return DAE_OK;
  dae_colloc_form_z(f, Z, f->z);
  dae_point_at(f->at, t, f->z);
  if (f->kind != DAE_COLLOC_INDEX2) return dae_point_direction_block(f->at, &f->direction, D);
  /* the y-matrix of the problem itself: B = M^-1 K */
  RETURN_IF(dense_multiplier(f, a, D));
  if (!f->sys->has_mass) return DAE_OK;
  RETURN_IF(dae_point_factor(f->at, a));
  for (int j = 0; j < f->na; j++) {
    for (int i = 0; i < f->nx; i++) f->acc[i] = D[i * f->na + j];
    dae_la_kkt_mass_solve(dae_point_kkt(f->at), f->acc);
    for (int i = 0; i < f->nx; i++) D[i * f->na + j] = f->acc[i];
  }
  return DAE_OK;
}

dae_status dae_colloc_form_multipliers(dae_colloc_form *f, double t, const double *Z,
                                       const double *a, double *y) {
  if (f->kind == DAE_COLLOC_INDEX2) {
    memcpy(y, a, sizeof(double) * (size_t)f->na);
    return DAE_OK;
  }
  dae_colloc_form_z(f, Z, f->z);
  dae_point_at(f->at, t, f->z);
  return dae_point_accelerate(f->at, f->acc, y);
}

/* G(t,z) a + c(t,z) with a = f->acc held: the m-th derivative of the constraint (2.26) */
static dae_status highest_derivative(void *ctx, double t, const double *z, double *out) {
  dae_colloc_form *f = ctx;
  const dae_system *s = f->sys;
  dae_point_at(f->at, t, z);
  RETURN_IF(dae_point_gradient(f->at));
  densify(&f->at->G, f->G);
  RETURN_IF(dae_point_curvature(f->at, out));
  for (int i = 0; i < s->nc; i++)
    for (int j = 0; j < s->nx; j++) out[i] += f->G[i * s->nx + j] * f->acc[j];
  return DAE_OK;
}

/* F := d fhat/dz (nx x nz) from [M K; G 0] [da; dy] = -[dynamics_z; (G a + c)_z] dz, after
   `accelerate` */
static dae_status eliminated_jacobian(dae_colloc_form *f, double *F) {
  const dae_system *s = f->sys;
  const double t = f->at->t, *z = f->at->z;
  int nx = s->nx, nz = s->nz, nc = s->ny ? s->nc : 0;
  RETURN_IF(dae_point_dynamics_z(f->at, f->acc, f->y, F));
  if (nc > 0) {
    double *z_work = f->M, *f_work = f->M + nz; /* M has room for both, see init */
    RETURN_IF(dae_problem_difference(&(dae_vector){.fn = highest_derivative,
                                                   .ctx = f,
                                                   .rows = nc,
                                                   .n = nz,
                                                   .z_work = z_work,
                                                   .f_work = f_work},
                                     t, z, f->L));
  }
  dae_point_at(f->at, t, z);
  RETURN_IF(dae_point_factor(f->at, f->y));
  double *p = f->M, *r = f->M + nx;
  for (int j = 0; j < nz; j++) {
    for (int i = 0; i < nx; i++) p[i] = F[i * nz + j];
    for (int i = 0; i < nc; i++) r[i] = f->L[i * nz + j];
    if (f->at->kkt) dae_la_kkt_solve(dae_point_kkt(f->at), p, r);
    for (int i = 0; i < nx; i++) F[i * nz + j] = -p[i];
  }
  return DAE_OK;
}

/* part of row i that does not act */
static double taken_off(const dae_colloc_form *f, int i) {
  return f->kept && f->kept[i] ? 0 : 1 - f->load;
}

/* load < 1: (1 - load) f(t,z,0) is added to the residual, its derivative to J */
static dae_status take_load_off(dae_colloc_form *f, bool jacobian, dae_colloc_point *out) {
  const dae_system *s = f->sys;
  int nx = f->nx;
  memset(f->y, 0, sizeof(double) * (size_t)s->nc);
  RETURN_IF(dae_point_force(f->at, f->y, f->acc));
  for (int i = 0; i < nx; i++) out->dynamics[i] += taken_off(f, i) * f->acc[i];
  if (!jacobian) return DAE_OK;
  memset(f->acc, 0, sizeof(double) * (size_t)nx);
  RETURN_IF(dae_point_dynamics_z(f->at, f->acc, f->y, f->F));
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < s->nz; j++) out->J[i * s->nz + j] -= taken_off(f, i) * f->F[i * s->nz + j];
  return DAE_OK;
}

/* M w + K y - f(t,z,y), J its derivative by z; A and K only with `jacobian`, or where the residual
   needs them */
static dae_status point_index2(dae_colloc_form *f, const double *W, const double *a, bool jacobian,
                               dae_colloc_point *out) {
  const dae_system *s = f->sys;
  int nx = f->nx, na = f->na;
  /* f of a Hessenberg problem has its multipliers inside */
  bool inside = s->p->kind == DAE_HESSENBERG;
  RETURN_IF(dae_point_force(f->at, a, f->acc));
  RETURN_IF(dae_point_mass(f->at));
  if (s->has_mass) densify(&f->at->M, out->A);
  if (s->has_mass) dae_la_mul(nx, nx, out->A, W, out->dynamics);
  else memcpy(out->dynamics, W, sizeof(double) * (size_t)nx);
  for (int i = 0; i < nx; i++) out->dynamics[i] -= f->acc[i];
  if (na > 0 && (jacobian || !inside)) RETURN_IF(dense_multiplier(f, a, out->K));
  for (int i = 0; !inside && i < nx; i++)
    for (int j = 0; j < na; j++) out->dynamics[i] += out->K[i * na + j] * a[j];
  if (jacobian) RETURN_IF(dae_point_dynamics_z(f->at, W, a, out->J));
  return f->load == 1 ? DAE_OK : take_load_off(f, jacobian, out);
}

/* w - fhat(z) - D mu  (2.28), or  w - fhat(x+phi, ..), phi' - D mu  (3.11) */
static dae_status point_projected(dae_colloc_form *f, double t, double t_end, const double *W,
                                  const double *a, bool jacobian, dae_colloc_point *out) {
  int nx = f->nx, nz = f->sys->nz, na = f->na, nv = f->nv, ns = f->ns, low = nv - nx;
  dae_point_at(f->at, f->frozen ? t_end : t, f->z);
  RETURN_IF(dae_point_direction_block(f->at, &f->direction, f->D));
  dae_point_at(f->at, t, f->z);
  RETURN_IF(dae_point_accelerate(f->at, f->acc, f->y));
  for (int i = 0; i < nx; i++) out->dynamics[i] = W[i] - f->load * f->acc[i];
  for (int i = 0; i < f->nphi; i++) out->dynamics[nx + i] = W[nx + i];
  memset(out->K, 0, sizeof(double) * (size_t)nv * (size_t)na);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < na; j++) {
      out->K[(low + i) * na + j] = -f->D[i * na + j];
      out->dynamics[low + i] -= f->D[i * na + j] * a[j];
    }
  if (!jacobian) return DAE_OK;
  memset(out->A, 0, sizeof(double) * (size_t)nv * (size_t)nv);
  for (int i = 0; i < nv; i++) out->A[i * nv + i] = 1;
  memset(out->J, 0, sizeof(double) * (size_t)nv * (size_t)ns);
  RETURN_IF(eliminated_jacobian(f, f->F));
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nz; j++) out->J[i * ns + j] = -f->load * f->F[i * nz + j];
    for (int j = 0; j < f->nphi; j++) out->J[i * ns + nz + j] = -f->load * f->F[i * nz + j];
  }
  return DAE_OK;
}

dae_status dae_colloc_form_point(dae_colloc_form *f, double t, double t_end, const double *Z,
                                 const double *W, const double *a, bool jacobian,
                                 dae_colloc_point *out) {
  RETURN_IF(dae_colloc_form_constraint(f, t, Z, out->constraint, jacobian ? out->C : NULL));
  if (f->kind == DAE_COLLOC_INDEX2) {
    dae_point_at(f->at, t, Z);
    return point_index2(f, W, a, jacobian, out);
  }
  dae_colloc_form_z(f, Z, f->z);
  dae_point_at(f->at, t, f->z);
  return point_projected(f, t, t_end, W, a, jacobian, out);
}

/* alpha of (3.6): those given, or (s + gamma)^(m-1) */
static dae_status polynomial(dae_colloc_form *f, const dae_settings *o, char *message, int size) {
  int m = f->m;
  double power = 1, binomial = 1;
  for (int l = m - 1; l >= 0; l--) {
    f->alpha[l] = binomial * power;
    power *= o->gamma;
    binomial = binomial * l / (m - l);
  }
  const dae_list *given = &o->coefficients;
  if (given->count == 0) return DAE_OK;
  bool enough = given->count == m || given->count == m - 1;
  for (int l = 0; enough && l < m; l++) f->alpha[l] = l < given->count ? given->value[l] : 1;
  if (enough && f->alpha[m - 1] != 0) return DAE_OK;
  snprintf(message, (size_t)size,
           "coefficients must be %d numbers a0,a1,.. of the polynomial (3.6), the last one not 0",
           m);
  return DAE_E_INPUT;
}

/* which form: the one asked for, or the one that fits */
static dae_status choose_kind(dae_colloc_form *f, const dae_settings *o, char *message, int size) {
  const dae_system *s = f->sys;
  switch (o->form) {
    case DAE_FORM_AUTO:
      f->kind = s->ny == 0 && s->nc > 0 ? DAE_COLLOC_PI1 : DAE_COLLOC_INDEX2;
      return DAE_OK;
    case DAE_FORM_DIRECT:
    case DAE_FORM_INDEX2: f->kind = DAE_COLLOC_INDEX2; break;
    case DAE_FORM_PI1:
    case DAE_FORM_PI1_PLUS: f->kind = DAE_COLLOC_PI1; break;
    case DAE_FORM_PI2: f->kind = DAE_COLLOC_PI2; break;
    default:
      snprintf(message, (size_t)size,
               "form %s is not for collocation: use index2, direct, pi1, pi1-plus or pi2",
               dae_form_at(o->form)->name);
      return DAE_E_FORM;
  }
  if (f->kind == DAE_COLLOC_PI2 && (s->nw > 0 || s->ng == 0)) {
    snprintf(message, (size_t)size,
             "form pi2 projects onto 0 = g(t,x); this problem has %s: use pi1 or index2",
             s->nw > 0 ? "constraints on the velocity level" : "no constraints");
    return DAE_E_FORM;
  }
  if (f->kind == DAE_COLLOC_INDEX2 && s->ny == 0 && s->nc > 0) {
    snprintf(
        message, (size_t)size,
        "form %s would leave out the invariants of this ODE: use pi1, which projects onto them",
        dae_form_at(o->form)->name);
    return DAE_E_FORM;
  }
  return DAE_OK;
}

static dae_status choose_direction(dae_colloc_form *f, const dae_settings *o, char *message,
                                   int size) {
  f->direction = o->direction;
  dae_status status =
      dae_problem_direction_settle(f->sys, DAE_DIR_CONSTRAINT, &f->direction, message, size);
  f->frozen = f->direction.kind == DAE_DIR_FROZEN;
  if (status != DAE_OK || f->direction.kind != DAE_DIR_PROBLEM) return status;
  snprintf(message, (size_t)size,
           "direction %s belongs to all of z; collocation moves one derivative at a time",
           f->direction.own->name);
  return DAE_E_FORM;
}

dae_status dae_colloc_form_init(dae_colloc_form *f, dae_point *at, const dae_settings *o,
                                dae_pool *pool, char *message, int size) {
  const dae_system *sys = at->sys;
  *f = (dae_colloc_form){.sys = sys, .at = at, .m = sys->order, .nx = sys->nx, .load = 1};
  /* the conditioning of boundary value problems is judged by these matrices */
  at->digits = true;
  RETURN_IF(choose_kind(f, o, message, size));
  RETURN_IF(polynomial(f, o, message, size));
  RETURN_IF(choose_direction(f, o, message, size));
  f->nphi = f->kind == DAE_COLLOC_PI2 ? sys->nx : 0;
  f->ns = sys->nz + f->nphi;
  f->nv = sys->nx + f->nphi;
  f->na = f->kind == DAE_COLLOC_INDEX2 ? sys->ny : f->kind == DAE_COLLOC_PI1 ? sys->nc : sys->ng;
  size_t nx = (size_t)sys->nx, nz = (size_t)sys->nz, nc = (size_t)sys->nc;
  f->z = dae_base_doubles(pool, nz);
  f->acc = dae_base_doubles(pool, nx);
  f->y = dae_base_doubles(pool, nc);
  f->M = dae_base_doubles(pool, nx * nx + 2 * nz + 8 * nc);
  f->G = dae_base_doubles(pool, nc * nx);
  f->D = dae_base_doubles(pool, nx * nc);
  f->L = dae_base_doubles(pool, nc * nz);
  f->F = dae_base_doubles(pool, nx * nz);
  f->c = dae_base_doubles(pool, nc);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}
