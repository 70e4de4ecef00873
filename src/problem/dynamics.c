/* the residual of the dynamics at a point, M a + K y - f, and its Jacobian */
#include <string.h>

#include "problem/inside.h"

dae_status dae_point_dynamics(dae_point *p, const double *a, const double *y, double *r) {
  const dae_system *s = p->sys;
  dae_status status = dae_point_force(p, y, r);
  for (int i = 0; i < s->nx; i++) r[i] = -r[i];
  if (status == DAE_OK) status = dae_point_mass(p);
  if (status != DAE_OK) return status;
  dae_matrix_add(&p->M, a, r);
  if (s->p->kind != DAE_MECHANICAL || s->ny == 0) return DAE_OK;
  status = dae_point_gradient(p);
  if (status == DAE_OK) dae_matrix_t_add(&p->G, y, r);
  return status;
}

typedef struct dynamics_ctx {
  dae_point *p;
  const double *a, *y;
} dynamics_ctx;

static dae_status dynamics(void *ctx, double t, const double *z, double *r) {
  dynamics_ctx *c = ctx;
  dae_point_at(c->p, t, z);
  return dae_point_dynamics(c->p, c->a, c->y, r);
}

/* M a + G' y: the dynamics of a mechanism without its forces */
static dae_status inertia(void *ctx, double t, const double *z, double *r) {
  dynamics_ctx *c = ctx;
  dae_point *p = c->p;
  dae_point_at(p, t, z);
  dae_status status = dae_point_mass(p);
  if (status != DAE_OK) return status;
  memset(r, 0, (size_t)p->sys->nx * sizeof *r);
  dae_matrix_add(&p->M, c->a, r);
  if (p->sys->ny == 0) return DAE_OK;
  status = dae_point_gradient(p);
  if (status == DAE_OK) dae_matrix_t_add(&p->G, c->y, r);
  return status;
}

/* one nx x nx block of values, dense or in a pattern, into columns [first, first+nx) of J (nx x
   nz), times sign */
static void block_into(const dae_point *p, const dae_pattern *pattern, int first, double sign,
                       double *J) {
  const dae_system *s = p->sys;
  dae_matrix A = dae_matrix_of(s->nx, s->nx, pattern);
  A.x = p->work->block;
  dae_matrix_put(&A, sign, J + first, (size_t)s->nz, 1);
}

/* the derivatives of the forces, as given: J := J - df/d(q,v); force_q only where asked for */
static dae_status subtract_forces(dae_point *p, bool positions, double *J) {
  const dae_system *s = p->sys;
  const dae_mechanical *m = &s->p->mechanical;
  int nx = s->nx;
  const double t = p->t, *z = p->z;
  double *A = p->work->block;
  dae_status status = DAE_OK;
  if (positions) {
    memset(A, 0, (size_t)nx * (size_t)nx * sizeof *A);
    status = dae_problem_verdict(m->force_q(t, z, z + nx, A, s->p->ctx), A, nx * nx);
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) J[(size_t)i * s->nz + j] -= A[(size_t)i * nx + j];
  }
  if (status != DAE_OK) return status;
  int count = dae_problem_pattern_size(m->force_v_pattern, nx, nx);
  memset(A, 0, (size_t)count * sizeof *A);
  status = dae_problem_verdict(m->force_v(t, z, z + nx, A, s->p->ctx), A, count);
  block_into(p, m->force_v_pattern, nx, -1, J);
  return status;
}

/* f of an ODE */
static dae_status force(void *ctx, double t, const double *z, double *f) {
  dae_point_at(ctx, t, z);
  return dae_point_force(ctx, NULL, f);
}

/* the same without a point, so that it may be called side by side */
static dae_status bare_force(void *problem, double t, const double *z, double *f) {
  const dae_problem *u = problem;
  return dae_problem_verdict(u->ode.f(t, z, f, u->ctx), f, u->ode.n);
}

/* values := f_z of an ODE in its pattern: as given, or by differences of colours */
dae_status dae_point_ode_z(dae_point *p, double *values) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  int count = dae_problem_pattern_size(s->f_pattern, s->nx, s->nx);
  if (!u->ode.f_z) {
    dae_vector f = {.fn = force, .ctx = p, .rows = s->nx, .n = s->nx};
    if (s->f_pattern) f.colours = &s->f_colours;
    if (s->team) f.team = s->team, f.fn = bare_force, f.ctx = (void *)u;
    return dae_point_newton(p, &f, values);
  }
  memset(values, 0, (size_t)count * sizeof *values);
  return dae_problem_verdict(u->ode.f_z(p->t, p->z, values, u->ctx), values, count);
}

/* J := -f_z, dense */
static dae_status ode_z(dae_point *p, double *J) {
  const dae_pattern *pattern = p->sys->f_pattern;
  int nx = p->sys->nx;
  dae_status status = dae_point_ode_z(p, pattern ? p->work->block : J);
  if (pattern) block_into(p, pattern, 0, -1, J);
  for (int i = 0; i < nx * nx && !pattern; i++) J[i] = -J[i];
  return status;
}

static dae_status mechanical_z(dae_point *p, const double *a, const double *y, double *J) {
  const dae_system *s = p->sys;
  const dae_mechanical *m = &s->p->mechanical;
  int nx = s->nx, nz = s->nz;
  dynamics_ctx ctx = {p, a, y};
  const double noise =
      s->ng > 0 && !dae_mechanical_has_G(m) ? 3e-12 : 0; /* that of G by differences */
  if (!m->dynamics_q && dae_mechanical_has_force(m) && m->force_q && m->force_v) {
    dae_status status = dae_point_newton(
        p, &(dae_vector){.fn = inertia, .ctx = &ctx, .rows = nx, .n = nz, .noise = noise}, J);
    return status == DAE_OK ? subtract_forces(p, true, J) : status;
  }
  if (!m->dynamics_q || (dae_mechanical_has_force(m) && !m->force_v))
    return dae_point_newton(
        p, &(dae_vector){.fn = dynamics, .ctx = &ctx, .rows = nx, .n = nz, .noise = noise}, J);
  double *A = p->work->block;
  int count = dae_problem_pattern_size(m->dynamics_pattern, nx, nx);
  memset(A, 0, (size_t)count * sizeof *A);
  dae_status status =
      dae_problem_verdict(m->dynamics_q(p->t, p->z, p->z + nx, a, y, A, s->p->ctx), A, count);
  block_into(p, m->dynamics_pattern, 0, 1, J);
  return status == DAE_OK && dae_mechanical_has_force(m) ? subtract_forces(p, false, J) : status;
}

/* J := d/dz (M a + K y - f) with a, y held */
dae_status dae_point_dynamics_z(dae_point *p, const double *a, const double *y, double *J) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  int nx = s->nx, nz = s->nz;
  memset(J, 0, (size_t)nx * nz * sizeof *J);
  if (u->kind == DAE_MECHANICAL) return mechanical_z(p, a, y, J);
  if (u->kind == DAE_ODE) return ode_z(p, J);
  if (u->kind == DAE_HESSENBERG && u->hessenberg.f_z) {
    dae_status status =
        dae_problem_verdict(u->hessenberg.f_z(p->t, p->z, y, J, u->ctx), J, nx * nz);
    for (int i = 0; i < nx * nz; i++) J[i] = -J[i];
    return status;
  }
  dynamics_ctx ctx = {p, a, y};
  return dae_point_newton(p, &(dae_vector){.fn = dynamics, .ctx = &ctx, .rows = nx, .n = nz}, J);
}
