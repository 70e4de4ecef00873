/* the user's functions at a point, checked and counted; what is missing is made by differences */
#include <math.h>
#include <string.h>

#include "problem/inside.h"

static void zero(double *x, int n) { memset(x, 0, (size_t)n * sizeof *x); }

dae_status dae_point_force(dae_point *p, const double *y, double *f) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  double t = p->t;
  const double *z = p->z;
  if (u->kind == DAE_ODE) return dae_problem_verdict(u->ode.f(t, z, f, u->ctx), f, s->nx);
  if (u->kind == DAE_IMPLICIT) return DAE_E_FORM; /* x' does not follow from x */
  if (u->kind == DAE_MECHANICAL) {
    if (u->mechanical.force)
      return dae_problem_verdict(u->mechanical.force(t, z, z + s->nx, f, u->ctx), f, s->nx);
    zero(f, s->nx);
    return DAE_OK;
  }
  if (!y) {
    zero(p->work->wide, s->ny);
    y = p->work->wide;
  }
  return dae_problem_verdict(u->hessenberg.f(t, z, y, f, u->ctx), f, s->nx);
}

dae_status dae_point_mass(dae_point *p) {
  const dae_problem *u = p->sys->p;
  if (!p->sys->has_mass || p->holds & DAE_HOLDS_MASS) return DAE_OK;
  dae_matrix_clear(&p->M);
  dae_status status =
      dae_problem_verdict(u->mechanical.mass(p->t, p->z, p->M.x, u->ctx), p->M.x, p->M.size);
  if (status == DAE_OK) p->holds |= DAE_HOLDS_MASS;
  return status;
}

dae_status dae_point_level_fn(void *ctx, double t, const double *z, double *out) {
  dae_level_ctx *c = ctx;
  dae_point_at(c->p, t, z);
  return dae_point_level(c->p, c->level, out);
}

/* dz := (x', .., x^(m-1), 0): the part of the motion that does not need x^(m) */
static void shifted(const dae_system *s, const double *z, double *dz) {
  memcpy(dz, z + s->nx, (size_t)(s->nz - s->nx) * sizeof *dz);
  zero(dz + s->nz - s->nx, s->nx);
}

/* out := derivative of a level along (dt, a->dz), by differences */
static dae_status level_rate(dae_point *p, const dae_slice *a, int level, double dt, double *out) {
  const dae_system *s = p->sys;
  dae_level_ctx ctx = {p, level};
  int rows = dae_problem_level_rows(s, level);
  if (rows == 0) return DAE_OK;
  return dae_problem_directional(
      &(dae_vector){dae_point_level_fn, &ctx, rows, s->nz, a->z_work, a->f_work}, a->t, dt, a->z,
      a->dz, out);
}

/* out := partial derivative of a level in time, where a says; 0 when the problem is autonomous */
static dae_status time_rate(dae_point *p, const dae_slice *a, int level, double *out) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  int rows = dae_problem_level_rows(s, level);
  int (*g_t)(double, const double *, double *, void *) = NULL;
  if (level == 0 && u->kind == DAE_ODE) g_t = u->ode.h_t;
  if (level == 0 && u->kind == DAE_IMPLICIT) g_t = u->implicit.h_t;
  if (level == 0 && u->kind == DAE_HESSENBERG && s->nw == 0) g_t = u->hessenberg.g_t;
  if (level == 0 && u->kind == DAE_MECHANICAL && rows > 0) g_t = u->mechanical.g_t;
  if (level == s->order - 1 && u->kind == DAE_HESSENBERG && s->nw > 0) g_t = u->hessenberg.g_t;
  p->counts->constraint++;
  if (g_t) return dae_problem_verdict(g_t(a->t, a->z, out, u->ctx), out, rows);
  zero(out, rows);
  if (u->autonomous) return DAE_OK;
  zero(a->dz, s->nz);
  return level_rate(p, a, level, 1, out);
}

dae_status dae_point_level_t(dae_point *p, int level, double *r) {
  dae_slice a = dae_point_down(p);
  dae_status status = time_rate(p, &a, level, r);
  dae_point_up(p, &a);
  return status;
}

/* d/dt of a level: along the motion and in time apart from each other, as slow motion would be lost
   beside t */
static dae_status rate_along_motion(dae_point *p, int level, double *out) {
  const dae_system *s = p->sys;
  dae_slice a = dae_point_down(p);
  shifted(s, a.z, a.dz);
  dae_status status = level_rate(p, &a, level, 0, out);
  if (status == DAE_OK && !s->p->autonomous) {
    /* the last quarter of what differences have is free */
    int rows = dae_problem_level_rows(s, level), most = s->nx > s->nc ? s->nx : s->nc;
    double *in_time = a.f_work + 3 * (size_t)most;
    status = time_rate(p, &a, level, in_time);
    for (int i = 0; i < rows; i++) out[i] += in_time[i];
  }
  dae_point_up(p, &a);
  return status;
}

/* rest := g_t (ng) and w (nw); it stays zero where the problem is autonomous and has no w */
static dae_status velocity_rest(dae_point *p) {
  const dae_system *s = p->sys;
  const dae_mechanical *m = &s->p->mechanical;
  dae_status status = DAE_OK;
  if (s->ng > 0 && (m->g_t || !s->p->autonomous)) {
    /* by differences g alone is looked at beside the point: it keeps what it holds */
    unsigned holds = p->holds;
    status = dae_point_level_t(p, 0, p->rest);
    p->holds = holds;
  }
  if (status == DAE_OK && s->nw > 0 && m->w) {
    double *w = p->rest + s->ng;
    status = dae_problem_verdict(m->w(p->t, p->z, w, s->p->ctx), w, s->nw);
  }
  return status;
}

/* G, unless it is there, and rest */
static dae_status velocity_parts(dae_point *p) {
  const dae_mechanical *m = &p->sys->p->mechanical;
  bool given = m->G && p->sys->nw == 0 && (m->g_t || p->sys->p->autonomous);
  p->counts->constraint++;
  if (given) {
    /* what is no number in G and g_t shows in the result */
    int code = p->holds & DAE_HOLDS_GRADIENT ? 0 : dae_point_call_G(p);
    if (code == 0 && m->g_t) {
      p->counts->constraint++;
      code = m->g_t(p->t, p->z, p->rest, p->sys->p->ctx);
    }
    return dae_problem_verdict(code, NULL, 0);
  }
  dae_status status = dae_point_gradient(p);
  return status == DAE_OK ? velocity_rest(p) : status;
}

/* r := G v + g_t (ng), W v + w (nw). What is known already is not evaluated again */
static dae_status mechanical_velocity(dae_point *p, double *r) {
  const dae_system *s = p->sys;
  dae_status status = DAE_OK;
  if (s->ng > 0 && !s->p->mechanical.G && s->nw == 0) {
    p->counts->constraint++;
    return rate_along_motion(p, 0, r);
  }
  if (!dae_point_has(p, DAE_HOLDS_GRADIENT | DAE_HOLDS_REST)) status = velocity_parts(p);
  if (status == DAE_OK) {
    dae_matrix_times(&p->G, p->z + s->nx, r);
    for (int i = 0; i < s->nc; i++) r[i] += p->rest[i];
    status = dae_problem_verdict(0, r, s->nc);
  }
  if (status == DAE_OK) p->holds |= DAE_HOLDS_GRADIENT | DAE_HOLDS_REST;
  else p->holds &= ~(unsigned)(DAE_HOLDS_GRADIENT | DAE_HOLDS_REST);
  return status;
}

dae_status dae_point_level(dae_point *p, int level, double *r) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  const double t = p->t, *z = p->z;
  int rows = dae_problem_level_rows(s, level);
  if (rows == 0) return DAE_OK;
  if (u->kind == DAE_MECHANICAL && level == 1) return mechanical_velocity(p, r);
  p->counts->constraint++;
  if (u->kind == DAE_ODE) return dae_problem_verdict(u->ode.h(t, z, r, u->ctx), r, rows);
  if (u->kind == DAE_IMPLICIT) return dae_problem_verdict(u->implicit.h(t, z, r, u->ctx), r, rows);
  if (u->kind == DAE_MECHANICAL)
    return dae_problem_verdict(u->mechanical.g(t, z, r, u->ctx), r, rows);
  const dae_hessenberg *h = &u->hessenberg;
  if (level == 0 || s->nw > 0) return dae_problem_verdict(h->g(t, z, r, u->ctx), r, rows);
  if (h->g_rate) return dae_problem_verdict(h->g_rate(t, z, level, r, u->ctx), r, rows);
  return rate_along_motion(p, level - 1, r);
}

dae_status dae_point_invariants(dae_point *p, double *h) {
  for (int l = 0; l < p->sys->order; l++) {
    dae_status status = dae_point_level(p, l, h);
    if (status != DAE_OK) return status;
    h += dae_problem_level_rows(p->sys, l);
  }
  return DAE_OK;
}

static dae_status mechanical_curvature(dae_point *p, double *c) {
  const dae_system *s = p->sys;
  const dae_mechanical *m = &s->p->mechanical;
  void *ctx = s->p->ctx;
  dae_status status = DAE_OK;
  bool all = (s->ng == 0 || m->curvature) && (s->nw == 0 || m->w_rate);
  if (!all) status = rate_along_motion(p, 1, c);
  const double *z = p->z, *v = z + s->nx;
  if (status == DAE_OK && s->ng > 0 && m->curvature)
    status = dae_problem_verdict(m->curvature(p->t, z, v, c, ctx), c, s->ng);
  if (status == DAE_OK && s->nw > 0 && m->w_rate)
    status = dae_problem_verdict(m->w_rate(p->t, z, v, c + s->ng, ctx), c + s->ng, s->nw);
  return status;
}

dae_status dae_point_curvature(dae_point *p, double *c) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  p->counts->curvature++;
  if (s->nc == 0) return DAE_OK;
  if (u->kind == DAE_MECHANICAL) return mechanical_curvature(p, c);
  if (u->kind == DAE_HESSENBERG && u->hessenberg.g_rate) {
    int level = s->nw > 0 ? 1 : s->order;
    return dae_problem_verdict(u->hessenberg.g_rate(p->t, p->z, level, c, u->ctx), c, s->nc);
  }
  if (s->order == 1) return dae_point_level_t(p, 0, c); /* d/dt g - G x' = g_t */
  return rate_along_motion(p, s->order - 1, c);
}
