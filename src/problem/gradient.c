/* Jacobians: of the constraints, of the multiplier terms, of the dynamics */
#include <math.h>
#include <string.h>

#include "problem/inside.h"

void dae_problem_gradient_times(const dae_system *s, const double *G, const double *x, double *r) {
  if (!s->pattern.start) {
    dae_la_mul(s->nc, s->nx, G, x, r);
    return;
  }
  const int *start = s->pattern.start, *column = s->pattern.column;
  for (int i = 0; i < s->nc; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += G[k] * x[column[k]];
    r[i] = sum;
  }
}

void dae_problem_gradient_t_add(const dae_system *s, const double *G, const double *y, double *x) {
  const int *start = s->pattern.start, *column = s->pattern.column;
  for (int i = 0; i < s->nc; i++) {
    if (start)
      for (int k = start[i]; k < start[i + 1]; k++) x[column[k]] += G[k] * y[i];
    else
      for (int j = 0; j < s->nx; j++) x[j] += G[(size_t)i * s->nx + j] * y[i];
  }
}

dae_status dae_problem_differences(dae_system *s, dae_vector_fn fn, void *ctx, int rows, int n,
                                   double t, const double *z, double *J) {
  int most = s->nx > s->nc ? s->nx : s->nc;
  double *z_work = s->z_try + s->depth * s->nz, *f_work = s->f_try + (size_t)s->depth * 4 * most;
  memcpy(z_work, z, (size_t)s->nz * sizeof *z);
  s->depth++;
  dae_status status = dae_problem_difference(fn, ctx, rows, n, t, z, NULL, z_work, f_work, J);
  s->depth--;
  return status;
}

/* G by columns when the problem gives none; a pattern picks its entries. The columns of W come with
   it. */
static dae_status gradient_by_differences(dae_system *s, double t, const double *z, int level,
                                          int rows, double *G) {
  dae_level_ctx ctx = {s, level};
  if (!s->pattern.start)
    return dae_problem_differences(s, dae_problem_level_fn, &ctx, rows, s->nx, t, z, G);
  /* one column at a time, so that nothing dense is stored */
  int most = s->nx > s->nc ? s->nx : s->nc;
  double *z_work = s->z_try + s->depth * s->nz, *f_work = s->f_try + (size_t)s->depth * 4 * most;
  double *dz = s->dz_try + s->depth * s->nz;
  const int *start = s->pattern.start, *column = s->pattern.column;
  memset(dz, 0, (size_t)s->nz * sizeof *dz);
  s->depth++;
  dae_status status = DAE_OK;
  for (int j = 0; j < s->nx && status == DAE_OK; j++) {
    dz[j] = 1;
    status = dae_problem_directional(dae_problem_level_fn, &ctx, rows, s->nz, t, 0, z, dz, z_work,
                                     f_work, s->wide);
    dz[j] = 0;
    for (int i = 0; i < rows; i++)
      for (int k = start[i]; k < start[i + 1]; k++)
        if (column[k] == j) G[k] = s->wide[i];
  }
  s->depth--;
  return status;
}

static dae_status mechanical_gradient(dae_system *s, double t, const double *z, double *G) {
  const dae_mechanical *m = &s->p->mechanical;
  int split = s->pattern.start ? s->pattern.start[s->ng] : s->ng * s->nx;
  dae_status status = DAE_OK;
  if (s->ng > 0 && m->G) status = dae_problem_verdict(s, m->G(t, z, G, s->p->ctx), G, split);
  else if (s->ng > 0) status = gradient_by_differences(s, t, z, 0, s->ng, G);
  if (status == DAE_OK && s->nw > 0)
    status = dae_problem_verdict(s, m->W(t, z, G + split, s->p->ctx), G + split, s->G_size - split);
  return status;
}

/* the wide Jacobian dg/dz of a constraint on z */
static dae_status wide_gradient(dae_system *s, double t, const double *z, double *J) {
  const dae_hessenberg *h = &s->p->hessenberg;
  dae_level_ctx ctx = {s, s->order - 1};
  if (!h->G) return dae_problem_differences(s, dae_problem_level_fn, &ctx, s->nc, s->nz, t, z, J);
  memset(J, 0, (size_t)s->nc * s->nz * sizeof *J);
  return dae_problem_verdict(s, h->G(t, z, J, s->p->ctx), J, s->nc * s->nz);
}

dae_status dae_problem_gradient(dae_system *s, double t, const double *z, double *G) {
  const dae_problem *p = s->p;
  s->counts.constraint_z++;
  if (s->nc == 0) return DAE_OK;
  memset(G, 0, (size_t)s->G_size * sizeof *G);
  if (p->kind == DAE_MECHANICAL) return mechanical_gradient(s, t, z, G);
  if (p->kind == DAE_ODE && p->ode.h_z)
    return dae_problem_verdict(s, p->ode.h_z(t, z, G, p->ctx), G, s->G_size);
  if (p->kind == DAE_HESSENBERG && s->nw > 0) {
    dae_status status = wide_gradient(s, t, z, s->dense_G);
    for (int i = 0; i < s->nc; i++)
      memcpy(G + (size_t)i * s->nx, s->dense_G + (size_t)(i + 1) * s->nz - s->nx,
             (size_t)s->nx * sizeof *G);
    return status;
  }
  if (p->kind == DAE_HESSENBERG && p->hessenberg.G)
    return dae_problem_verdict(s, p->hessenberg.G(t, z, G, p->ctx), G, s->G_size);
  return gradient_by_differences(s, t, z, 0, s->nc, G);
}

/* G-shaped values into columns [first, first + nx) of rows of a dense rows x nz matrix */
static void spread(const dae_system *s, const double *G, int row, int rows, int first, double *J) {
  for (int i = 0; i < rows; i++) {
    double *to = J + (size_t)i * s->nz + first;
    if (s->pattern.start)
      for (int k = s->pattern.start[row + i]; k < s->pattern.start[row + i + 1]; k++)
        to[s->pattern.column[k]] = G[k];
    else memcpy(to, G + (size_t)(row + i) * s->nx, (size_t)s->nx * sizeof *to);
  }
}

/* level 1 of a mechanical problem: [d/dq (G v + g_t), G; d/dq (W v + w), W] */
static dae_status mechanical_velocity_z(dae_system *s, double t, const double *z, double *J) {
  const dae_mechanical *m = &s->p->mechanical;
  dae_level_ctx ctx = {s, 1};
  dae_status status = DAE_OK;
  if (s->nw > 0 || !m->velocity_q)
    return dae_problem_differences(s, dae_problem_level_fn, &ctx, s->nc, s->nz, t, z, J);
  status = dae_problem_gradient(s, t, z, s->G);
  if (status != DAE_OK) return status;
  spread(s, s->G, 0, s->nc, s->nx, J);
  /* L has the shape of G */
  memset(s->G, 0, (size_t)s->G_size * sizeof *s->G);
  status = dae_problem_verdict(s, m->velocity_q(t, z, z + s->nx, s->G, s->p->ctx), s->G, s->G_size);
  spread(s, s->G, 0, s->nc, 0, J);
  return status;
}

dae_status dae_problem_level_z(dae_system *s, double t, const double *z, int level, double *J) {
  const dae_problem *p = s->p;
  int rows = dae_problem_level_rows(s, level);
  if (rows == 0) return DAE_OK;
  s->counts.constraint_z++;
  memset(J, 0, (size_t)rows * s->nz * sizeof *J);
  if (p->kind == DAE_HESSENBERG && s->nw > 0) return wide_gradient(s, t, z, J);
  if (level == 0) {
    dae_status status = dae_problem_gradient(s, t, z, s->G);
    spread(s, s->G, 0, rows, 0, J);
    return status;
  }
  if (p->kind == DAE_MECHANICAL) return mechanical_velocity_z(s, t, z, J);
  if (p->hessenberg.g_rate_z)
    return dae_problem_verdict(s, p->hessenberg.g_rate_z(t, z, level, J, p->ctx), J, rows * s->nz);
  dae_level_ctx ctx = {s, level};
  return dae_problem_differences(s, dae_problem_level_fn, &ctx, rows, s->nz, t, z, J);
}

dae_status dae_problem_invariants_z(dae_system *s, double t, const double *z, double *H) {
  for (int l = 0; l < s->order; l++) {
    dae_status status = dae_problem_level_z(s, t, z, l, H);
    if (status != DAE_OK) return status;
    H += (size_t)dae_problem_level_rows(s, l) * s->nz;
  }
  return DAE_OK;
}

typedef struct force_ctx {
  dae_system *s;
  const double *z;
} force_ctx;

/* f as a function of y alone */
static dae_status force_of_y(void *ctx, double t, const double *y, double *f) {
  force_ctx *c = ctx;
  return dae_problem_force(c->s, t, c->z, y, f);
}

/* B := -df/dy of f = f0 - B y (nx x ny) from f(0) - f(h e_c) = h B_c, which is exact for every h:
   one is taken for which h B_c is felt beside f0 */
static dae_status affine_multipliers(dae_system *s, double t, const double *z, double *B) {
  int nx = s->nx, ny = s->ny, most = nx > s->nc ? nx : s->nc;
  double *y = s->dz_try + (size_t)s->depth * s->nz;
  double *f0 = s->f_try + (size_t)s->depth * 4 * most, *f1 = f0 + most;
  memset(y, 0, (size_t)ny * sizeof *y);
  dae_status status = dae_problem_force(s, t, z, y, f0);
  for (int c = 0; c < ny && status == DAE_OK; c++) {
    double h = 1;
    for (int pass = 0; pass < 2 && status == DAE_OK; pass++) {
      double felt = 0;
      y[c] = h;
      status = dae_problem_force(s, t, z, y, f1);
      for (int i = 0; i < nx; i++) {
        double change = f0[i] - f1[i];
        B[(size_t)i * ny + c] = change / h;
        if (change != 0) felt = fmax(felt, fabs(change) / (fabs(f0[i]) + fabs(change)));
      }
      if (felt == 0 || felt > 1e-2) break;
      h /= felt;
    }
    y[c] = 0;
  }
  return status;
}

/* Kt := K' = -(df/dy)' for a Hessenberg problem, [G; W] for a mechanical one */
dae_status dae_problem_multiplier_matrix(dae_system *s, double t, const double *z, const double *y,
                                         double *Kt) {
  if (s->ny == 0) return DAE_OK;
  if (s->p->kind == DAE_MECHANICAL) return dae_problem_gradient(s, t, z, Kt);
  const dae_hessenberg *h = &s->p->hessenberg;
  int most = s->nx > s->nc ? s->nx : s->nc, nx = s->nx, ny = s->ny;
  double *y_at = s->dz_try + s->depth * s->nz, *B = s->B_work, sign = 1;
  if (y) memcpy(y_at, y, (size_t)ny * sizeof *y_at);
  else memset(y_at, 0, (size_t)ny * sizeof *y_at);
  dae_status status;
  if (h->B) {
    memset(B, 0, (size_t)nx * ny * sizeof *B);
    status = dae_problem_verdict(s, h->B(t, z, y_at, B, s->p->ctx), B, nx * ny);
  } else if (s->affine) {
    status = affine_multipliers(s, t, z, B);
  } else {
    force_ctx ctx = {s, z};
    double *y_work = s->z_try + s->depth * s->nz, *f_work = s->f_try + (size_t)s->depth * 4 * most;
    s->depth++;
    status = dae_problem_difference(force_of_y, &ctx, nx, ny, t, y_at, NULL, y_work, f_work, B);
    s->depth--;
    sign = -1;
  }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++) Kt[(size_t)j * nx + i] = sign * B[(size_t)i * ny + j];
  return status;
}

void dae_problem_mass_add(const dae_system *s, const double *a, double *r) {
  int nx = s->nx;
  const dae_pattern *m = s->shape.mass_pattern;
  if (!s->has_mass)
    for (int i = 0; i < nx; i++) r[i] += a[i];
  else if (s->shape.mass == DAE_LA_DIAGONAL)
    for (int i = 0; i < nx; i++) r[i] += s->M[i] * a[i];
  else if (m)
    for (int i = 0; i < nx; i++)
      for (int k = m->start[i]; k < m->start[i + 1]; k++) r[i] += s->M[k] * a[m->column[k]];
  else
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) r[i] += s->M[(size_t)i * nx + j] * a[j];
}

dae_status dae_problem_dynamics(dae_system *s, double t, const double *z, const double *a,
                                const double *y, double *r) {
  dae_status status = dae_problem_force(s, t, z, y, r);
  for (int i = 0; i < s->nx; i++) r[i] = -r[i];
  if (status == DAE_OK) status = dae_problem_mass(s, t, z);
  if (status != DAE_OK) return status;
  dae_problem_mass_add(s, a, r);
  if (s->p->kind != DAE_MECHANICAL || s->ny == 0) return DAE_OK;
  status = dae_problem_gradient(s, t, z, s->G);
  if (status == DAE_OK) dae_problem_gradient_t_add(s, s->G, y, r);
  return status;
}

typedef struct dynamics_ctx {
  dae_system *s;
  const double *a, *y;
} dynamics_ctx;

static dae_status dynamics(void *ctx, double t, const double *z, double *r) {
  dynamics_ctx *c = ctx;
  return dae_problem_dynamics(c->s, t, z, c->a, c->y, r);
}

/* M a + G' y: the dynamics of a mechanism without its forces */
static dae_status inertia(void *ctx, double t, const double *z, double *r) {
  dynamics_ctx *c = ctx;
  dae_status status = dae_problem_mass(c->s, t, z);
  if (status != DAE_OK) return status;
  memset(r, 0, (size_t)c->s->nx * sizeof *r);
  dae_problem_mass_add(c->s, c->a, r);
  if (c->s->ny == 0) return DAE_OK;
  status = dae_problem_gradient(c->s, t, z, c->s->G);
  if (status == DAE_OK) dae_problem_gradient_t_add(c->s, c->s->G, c->y, r);
  return status;
}

/* a dense or patterned nx x nx block into columns [first, first+nx) of J (nx x nz), times sign */
static void block_into(const dae_system *s, const double *A, const dae_pattern *a, int first,
                       double sign, double *J) {
  for (int i = 0; i < s->nx; i++) {
    double *to = J + (size_t)i * s->nz + first;
    if (a)
      for (int k = a->start[i]; k < a->start[i + 1]; k++) to[a->column[k]] = sign * A[k];
    else
      for (int j = 0; j < s->nx; j++) to[j] = sign * A[(size_t)i * s->nx + j];
  }
}

/* the derivatives of the forces, as given: J := J - df/d(q,v); force_q only where asked for */
static dae_status subtract_forces(dae_system *s, double t, const double *z, bool positions,
                                  double *J) {
  const dae_mechanical *m = &s->p->mechanical;
  int nx = s->nx;
  double *A = s->B_work;
  dae_status status = DAE_OK;
  if (positions) {
    memset(A, 0, (size_t)nx * (size_t)nx * sizeof *A);
    status = dae_problem_verdict(s, m->force_q(t, z, z + nx, A, s->p->ctx), A, nx * nx);
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) J[(size_t)i * s->nz + j] -= A[(size_t)i * nx + j];
  }
  if (status != DAE_OK) return status;
  int count = dae_problem_pattern_size(m->force_v_pattern, nx, nx);
  memset(A, 0, (size_t)count * sizeof *A);
  status = dae_problem_verdict(s, m->force_v(t, z, z + nx, A, s->p->ctx), A, count);
  block_into(s, A, m->force_v_pattern, nx, -1, J);
  return status;
}

/* J := d/dz (M a + K y - f) with a, y held */
dae_status dae_problem_dynamics_z(dae_system *s, double t, const double *z, const double *a,
                                  const double *y, double *J) {
  const dae_problem *p = s->p;
  int nx = s->nx, nz = s->nz;
  memset(J, 0, (size_t)nx * nz * sizeof *J);
  int (*f_z)(double, const double *, double *, void *) = p->kind == DAE_ODE ? p->ode.f_z : NULL;
  dynamics_ctx ctx = {s, a, y};
  if (f_z) {
    const dae_pattern *pattern = p->ode.f_pattern;
    double *values = pattern ? s->B_work : J;
    int count = dae_problem_pattern_size(pattern, nx, nx);
    memset(values, 0, (size_t)count * sizeof *values);
    dae_status status = dae_problem_verdict(s, f_z(t, z, values, p->ctx), values, count);
    if (pattern) block_into(s, values, pattern, 0, -1, J);
    for (int i = 0; i < nx * nz && !pattern; i++) J[i] = -J[i];
    return status;
  }
  if (p->kind == DAE_HESSENBERG && p->hessenberg.f_z) {
    dae_status status = dae_problem_verdict(s, p->hessenberg.f_z(t, z, y, J, p->ctx), J, nx * nz);
    for (int i = 0; i < nx * nz; i++) J[i] = -J[i];
    return status;
  }
  const dae_mechanical *m = p->kind == DAE_MECHANICAL ? &p->mechanical : NULL;
  bool forces = m && m->force && m->force_q && m->force_v;
  if (m && !m->dynamics_q && forces) {
    dae_status status = dae_problem_differences(s, inertia, &ctx, nx, nz, t, z, J);
    return status == DAE_OK ? subtract_forces(s, t, z, true, J) : status;
  }
  if (!m || !m->dynamics_q || (m->force && !m->force_v))
    return dae_problem_differences(s, dynamics, &ctx, nx, nz, t, z, J);
  double *A = s->B_work;
  int count = dae_problem_pattern_size(m->dynamics_pattern, nx, nx);
  memset(A, 0, (size_t)count * sizeof *A);
  dae_status status =
      dae_problem_verdict(s, m->dynamics_q(t, z, z + nx, a, y, A, p->ctx), A, count);
  block_into(s, A, m->dynamics_pattern, 0, 1, J);
  return status == DAE_OK && m->force ? subtract_forces(s, t, z, false, J) : status;
}
