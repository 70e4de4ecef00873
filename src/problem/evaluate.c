/* the user's functions, checked and counted; what is missing is made by differences */
#include <math.h>
#include <string.h>

#include "problem/inside.h"

dae_status dae_problem_verdict(dae_system *s, int code, const double *result, int n) {
  if (code == 0 && dae_base_finite(result, n)) return DAE_OK;
  s->last_code = code;
  return code < 0 ? DAE_STOPPED : DAE_E_CALLBACK;
}

static void zero(double *x, int n) { memset(x, 0, (size_t)n * sizeof *x); }

dae_status dae_problem_force(dae_system *s, double t, const double *z, const double *y, double *f) {
  const dae_problem *p = s->p;
  s->counts.force++;
  if (p->kind == DAE_ODE) return dae_problem_verdict(s, p->ode.f(t, z, f, p->ctx), f, s->nx);
  if (p->kind == DAE_MECHANICAL) {
    if (p->mechanical.force)
      return dae_problem_verdict(s, p->mechanical.force(t, z, z + s->nx, f, p->ctx), f, s->nx);
    zero(f, s->nx);
    return DAE_OK;
  }
  if (!y) {
    zero(s->wide, s->ny);
    y = s->wide;
  }
  return dae_problem_verdict(s, p->hessenberg.f(t, z, y, f, p->ctx), f, s->nx);
}

dae_status dae_problem_mass(dae_system *s, double t, const double *z) {
  if (!s->has_mass || (s->mass_constant && s->mass_known)) return DAE_OK;
  s->counts.mass++;
  zero(s->M, s->mass_size);
  dae_status status =
      dae_problem_verdict(s, s->p->mechanical.mass(t, z, s->M, s->p->ctx), s->M, s->mass_size);
  s->mass_known = status == DAE_OK;
  return status;
}

dae_status dae_problem_level_fn(void *ctx, double t, const double *z, double *out) {
  dae_level_ctx *c = ctx;
  return dae_problem_level(c->s, t, z, c->level, out);
}

/* dz := (x', .., x^(m-1), 0): the part of the motion that does not need x^(m) */
static void shifted(const dae_system *s, const double *z, double *dz) {
  memcpy(dz, z + s->nx, (size_t)(s->nz - s->nx) * sizeof *dz);
  zero(dz + s->nz - s->nx, s->nx);
}

/* out := derivative of a level along (dt, dz), by differences */
static dae_status level_rate(dae_system *s, double t, const double *z, int level, double dt,
                             const double *dz, double *out) {
  dae_level_ctx ctx = {s, level};
  int rows = dae_problem_level_rows(s, level), most = s->nx > s->nc ? s->nx : s->nc;
  if (rows == 0) return DAE_OK;
  double *z_work = s->z_try + s->depth * s->nz, *f_work = s->f_try + (size_t)s->depth * 4 * most;
  s->depth++;
  dae_status status = dae_problem_directional(dae_problem_level_fn, &ctx, rows, s->nz, t, dt, z, dz,
                                              z_work, f_work, out);
  s->depth--;
  return status;
}

dae_status dae_problem_level_t(dae_system *s, double t, const double *z, int level, double *r) {
  const dae_problem *p = s->p;
  int rows = dae_problem_level_rows(s, level);
  int (*g_t)(double, const double *, double *, void *) = NULL;
  if (level == 0 && p->kind == DAE_ODE) g_t = p->ode.h_t;
  if (level == 0 && p->kind == DAE_HESSENBERG && s->nw == 0) g_t = p->hessenberg.g_t;
  if (level == 0 && p->kind == DAE_MECHANICAL && rows > 0) g_t = p->mechanical.g_t;
  if (level == s->order - 1 && p->kind == DAE_HESSENBERG && s->nw > 0) g_t = p->hessenberg.g_t;
  s->counts.constraint++;
  if (g_t) return dae_problem_verdict(s, g_t(t, z, r, p->ctx), r, rows);
  zero(r, rows);
  if (p->autonomous) return DAE_OK;
  double *dz = s->dz_try + s->depth * s->nz;
  zero(dz, s->nz);
  return level_rate(s, t, z, level, 1, dz, r);
}

/* d/dt of a level: along the motion and in time apart from each other, as slow motion would be lost
   beside t */
static dae_status rate_along_motion(dae_system *s, double t, const double *z, int level,
                                    double *out) {
  double *dz = s->dz_try + s->depth * s->nz;
  shifted(s, z, dz);
  dae_status status = level_rate(s, t, z, level, 0, dz, out);
  if (status != DAE_OK || s->p->autonomous) return status;
  /* the last quarter of what differences have at this depth is free */
  int rows = dae_problem_level_rows(s, level), most = s->nx > s->nc ? s->nx : s->nc;
  double *in_time = s->f_try + ((size_t)s->depth * 4 + 3) * (size_t)most;
  status = dae_problem_level_t(s, t, z, level, in_time);
  for (int i = 0; i < rows; i++) out[i] += in_time[i];
  return status;
}

/* r := G v + rest; rest stays zero where the problem is autonomous and has no w */
static void velocity_again(const dae_system *s, const double *v, double *r) {
  dae_problem_gradient_times(s, s->G, v, r);
  for (int i = 0; i < s->nc; i++) r[i] += s->rest[i];
}

/* r := G v + g_t (ng), W v + w (nw) */
static dae_status mechanical_velocity(dae_system *s, double t, const double *z, double *r) {
  const dae_mechanical *m = &s->p->mechanical;
  const double *v = z + s->nx;
  dae_status status = DAE_OK;
  if (s->ng > 0 && !m->G && s->nw == 0) return rate_along_motion(s, t, z, 0, r);
  status = dae_problem_gradient(s, t, z, s->G);
  if (status == DAE_OK && s->ng > 0 && (m->g_t || !s->p->autonomous))
    status = dae_problem_level_t(s, t, z, 0, s->rest);
  if (status == DAE_OK && s->nw > 0 && m->w)
    status = dae_problem_verdict(s, m->w(t, z, s->rest + s->ng, s->p->ctx), s->rest + s->ng, s->nw);
  if (status == DAE_OK) velocity_again(s, v, r);
  return status;
}

/* G and g_t are given and there is no w */
static bool velocity_given(const dae_system *s) {
  const dae_mechanical *m = &s->p->mechanical;
  return s->p->kind == DAE_MECHANICAL && m->G && s->nw == 0 && (m->g_t || s->p->autonomous);
}

/* g_t, where there is any, and r := G v + g_t: what is no number in them shows in r */
static dae_status velocity_here(dae_system *s, double t, const double *z, double *r) {
  const dae_mechanical *m = &s->p->mechanical;
  int code = 0;
  if (m->g_t) {
    s->counts.constraint++;
    code = m->g_t(t, z, s->rest, s->p->ctx);
  }
  if (code == 0) velocity_again(s, z + s->nx, r);
  return dae_problem_verdict(s, code, r, s->nc);
}

static dae_status complete_velocity(dae_system *s, double t, const double *z, double *r) {
  s->counts.constraint_z++;
  zero(s->G, s->G_size);
  int code = s->p->mechanical.G(t, z, s->G, s->p->ctx);
  return code == 0 ? velocity_here(s, t, z, r) : dae_problem_verdict(s, code, r, s->nc);
}

dae_status dae_problem_level(dae_system *s, double t, const double *z, int level, double *r) {
  const dae_problem *p = s->p;
  int rows = dae_problem_level_rows(s, level);
  if (rows == 0) return DAE_OK;
  s->counts.constraint++;
  if (p->kind == DAE_ODE) return dae_problem_verdict(s, p->ode.h(t, z, r, p->ctx), r, rows);
  if (p->kind == DAE_MECHANICAL) {
    if (level == 0) return dae_problem_verdict(s, p->mechanical.g(t, z, r, p->ctx), r, rows);
    return velocity_given(s) ? complete_velocity(s, t, z, r) : mechanical_velocity(s, t, z, r);
  }
  const dae_hessenberg *h = &p->hessenberg;
  if (level == 0 || s->nw > 0) return dae_problem_verdict(s, h->g(t, z, r, p->ctx), r, rows);
  if (h->g_rate) return dae_problem_verdict(s, h->g_rate(t, z, level, r, p->ctx), r, rows);
  return rate_along_motion(s, t, z, level - 1, r);
}

dae_status dae_problem_level_again(dae_system *s, double t, const double *z, int level, double *r) {
  bool kept = s->p->kind == DAE_MECHANICAL && level == 1 && (s->ng == 0 || s->p->mechanical.G);
  if (!kept) return dae_problem_level(s, t, z, level, r);
  velocity_again(s, z + s->nx, r);
  return dae_problem_verdict(s, 0, r, s->nc);
}

dae_status dae_problem_level_top(dae_system *s, double t, const double *z, double *r) {
  if (!velocity_given(s)) return dae_problem_level(s, t, z, s->order - 1, r);
  s->counts.constraint++;
  return velocity_here(s, t, z, r);
}

dae_status dae_problem_invariants(dae_system *s, double t, const double *z, double *h) {
  for (int l = 0; l < s->order; l++) {
    dae_status status = dae_problem_level(s, t, z, l, h);
    if (status != DAE_OK) return status;
    h += dae_problem_level_rows(s, l);
  }
  return DAE_OK;
}

dae_status dae_problem_curvature(dae_system *s, double t, const double *z, double *c) {
  const dae_problem *p = s->p;
  s->counts.curvature++;
  if (s->nc == 0) return DAE_OK;
  if (p->kind == DAE_MECHANICAL) {
    const dae_mechanical *m = &p->mechanical;
    const double *v = z + s->nx;
    bool all = (s->ng == 0 || m->curvature) && (s->nw == 0 || m->w_rate);
    if (!all) {
      dae_status status = rate_along_motion(s, t, z, 1, c);
      if (status != DAE_OK) return status;
    }
    if (s->ng > 0 && m->curvature) {
      dae_status status = dae_problem_verdict(s, m->curvature(t, z, v, c, p->ctx), c, s->ng);
      if (status != DAE_OK) return status;
    }
    if (s->nw > 0 && m->w_rate)
      return dae_problem_verdict(s, m->w_rate(t, z, v, c + s->ng, p->ctx), c + s->ng, s->nw);
    return DAE_OK;
  }
  if (p->kind == DAE_HESSENBERG && p->hessenberg.g_rate)
    return dae_problem_verdict(s, p->hessenberg.g_rate(t, z, s->nw > 0 ? 1 : s->order, c, p->ctx),
                               c, s->nc);
  if (s->order == 1) return dae_problem_level_t(s, t, z, 0, c); /* d/dt g - G x' = g_t */
  return rate_along_motion(s, t, z, s->order - 1, c);
}
