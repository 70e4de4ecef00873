/* the user's functions at a point, checked and counted; what is missing is made by differences */
#include <math.h>
#include <string.h>

#include "problem/inside.h"
#include "problem/quadratic.h"

static void zero(double *x, int n) { memset(x, 0, (size_t)n * sizeof *x); }

dae_status dae_point_force(dae_point *p, const double *y, double *f) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  double t = p->t;
  const double *z = p->z;
  if (u->kind == DAE_ODE) return dae_problem_verdict(u->ode.f(t, z, f, u->ctx), f, s->nx);
  if (u->kind == DAE_IMPLICIT) return DAE_E_FORM; /* x' does not follow from x */
  if (u->kind == DAE_MECHANICAL) {
    if (dae_mechanical_has_force(&u->mechanical))
      return dae_problem_verdict(dae_mechanical_force(u, t, z, f), f, s->nx);
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
      dae_problem_verdict(dae_mechanical_mass(u, p->t, p->z, p->M.x), p->M.x, p->M.size);
  if (status == DAE_OK) p->holds |= DAE_HOLDS_MASS;
  return status;
}

dae_status dae_point_level_fn(void *ctx, double t, const double *z, double *out) {
  dae_level_ctx *c = ctx;
  dae_point_at(c->p, t, z);
  return dae_point_level(c->p, c->level, out);
}

/* what a level is made of by differences has an error of its own */
double dae_point_level_noise(const dae_system *s, int level) {
  const dae_problem *u = s->p;
  if (u->kind == DAE_MECHANICAL)
    return level == 1 && s->ng > 0 && !dae_mechanical_has_G(&u->mechanical) ? 1e-11 : 0;
  if (u->kind != DAE_HESSENBERG || s->nw > 0 || u->hessenberg.g_rate || level == 0) return 0;
  return level == 1 ? 1e-13 : level == 2 ? 1e-11 : 1e-9;
}

/* how far along the motion of the first n entries of z differences may reach: until one of them has
   moved by its size, infinite when none moves */
static double motion_reach(const dae_point *p, const double *z, int n) {
  const dae_workspace *w = p->work;
  double reach = INFINITY;
  for (int j = 0; j < n; j++) {
    double speed = fabs(z[j + p->sys->nx]);
    if (speed > 0) reach = fmin(reach, fmax(fmax(w->size[j], w->one[j]), fabs(z[j])) / speed);
  }
  return reach;
}

/* and in time: a part of the interval. Not of the step: where that is short, rounding in what is
   found would make it shorter still */
static double time_reach(const dae_point *p) {
  static const double OF_INTERVAL = 0.5;
  double span = fabs(p->sys->p->t1 - p->sys->p->t0);
  return OF_INTERVAL * (span > 0 && isfinite(span) ? span : fmax(fabs(p->t), 1));
}

static dae_status along(dae_point *p, dae_vector_path *path, int kind, int level, int n,
                        double *out) {
  const dae_system *s = p->sys;
  dae_workspace *w = p->work;
  dae_level_ctx ctx = {p, level};
  dae_vector f = {.fn = dae_point_level_fn,
                  .ctx = &ctx,
                  .n = n,
                  .rows = dae_problem_level_rows(s, level),
                  .noise = dae_point_level_noise(s, level),
                  /* a curvature, not a level on which points are kept */
                  .wanted = kind == DAE_DIFFERENCE_SECOND && s->order == 2 ? w->wanted : 0,
                  .term = w->terms + (size_t)level * (size_t)s->ng};
  double hint = w->hint[kind][level];
  dae_slice a = dae_point_down(p);
  dae_point_equip(p, &a, &f);
  path->t = a.t, path->z = a.z, path->hint = &hint;
  dae_status status = dae_problem_along(&f, path, kind == DAE_DIFFERENCE_SECOND ? 2 : 1, out);
  dae_point_up(p, &a);
  /* looks aside leave nothing behind */
  if (p->aside == 0) w->hint[kind][level] = hint;
  return status;
}

/* the function that gives the partial derivative of a level in time; NULL: none does */
typedef int time_fn(double, const double *, double *, void *);
static time_fn *given_time_rate(const dae_system *s, int level) {
  const dae_problem *u = s->p;
  if (u->kind == DAE_HESSENBERG)
    return level == (s->nw > 0 ? s->order - 1 : 0) ? u->hessenberg.g_t : NULL;
  if (level > 0) return NULL;
  if (u->kind == DAE_IMPLICIT) return u->implicit.h_t;
  return u->kind == DAE_ODE ? u->ode.h_t : u->mechanical.g_t;
}

/* partial derivative in time; 0 when the problem is autonomous */
dae_status dae_point_level_t(dae_point *p, int level, double *r) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  int rows = dae_problem_level_rows(s, level);
  time_fn *g_t = given_time_rate(s, level);
  p->counts->constraint++;
  if (rows == 0) return DAE_OK;
  if (g_t) return dae_problem_verdict(g_t(p->t, p->z, r, u->ctx), r, rows);
  zero(r, rows);
  bool still = u->autonomous;
  dae_status status = !still && level == 0 ? dae_point_quadratic(p, &still) : DAE_OK;
  if (still || status != DAE_OK) return status;
  dae_vector_path path = {.dt = 1, .dz = p->z, .reach = time_reach(p)};
  return along(p, &path, DAE_DIFFERENCE_TIME, level, 0, r);
}

/* does a level know the time here? One that does changes over any time, but for rounding */
static dae_status knows_time(dae_point *p, int level, double reach, bool *knows) {
  const dae_system *s = p->sys;
  static const double AHEAD = 0.0123;
  size_t rows = (size_t)dae_problem_level_rows(s, level);
  dae_level_ctx ctx = {p, level};
  dae_slice a = dae_point_down(p);
  double *now = a.f_work, *then = now + rows;
  dae_status status = dae_point_level_fn(&ctx, a.t, a.z, now);
  if (status == DAE_OK) status = dae_point_level_fn(&ctx, a.t + AHEAD * reach, a.z, then);
  *knows = status != DAE_OK || memcmp(now, then, rows * sizeof *now) != 0;
  dae_point_up(p, &a);
  p->counts->difference += 2;
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* out += g_t as given */
static dae_status add_partial(dae_point *p, time_fn *g_t, int rows, double *out) {
  double *partial = p->work->wide;
  dae_status status = dae_problem_verdict(g_t(p->t, p->z, partial, p->sys->p->ctx), partial, rows);
  for (int i = 0; i < rows; i++) out[i] += partial[i];
  return status;
}

/* the same of constraints that are known to be of degree two and not to depend on t */
static dae_status rate_of_quadratic(dae_point *p, int degree, double *out) {
  const dae_system *s = p->sys;
  time_fn *g_t = degree == 1 ? given_time_rate(s, 0) : NULL;
  dae_point_quadratic_rate(p, degree, p->z + s->nx, s->order > 2 ? p->z + 2 * (size_t)s->nx : NULL,
                           out);
  return g_t ? add_partial(p, g_t, s->ng, out) : DAE_OK;
}

/* The level above `level`, or (degree 2, from level 0) the one above that: derivatives along
   t + s, x + s x' + s^2/2 x'', with x^(m) left out */
static dae_status rate_along_motion(dae_point *p, int level, int degree, double *out) {
  const dae_system *s = p->sys;
  bool all = level > 0 || s->nw > 0, in_time, known = false;
  int n = s->p->kind != DAE_MECHANICAL && all ? s->nz - s->nx : s->nx;
  if (dae_problem_level_rows(s, level) == 0) return DAE_OK;
  dae_status status = level == 0 ? dae_point_quadratic(p, &known) : DAE_OK;
  if (status != DAE_OK) return status;
  if (known) return rate_of_quadratic(p, degree, out);
  dae_vector_path path = {.dz = p->z + s->nx, .reach = motion_reach(p, p->z, n)};
  double reach = time_reach(p);
  time_fn *g_t = degree == 1 ? given_time_rate(s, level) : NULL;
  /* where time does not shorten the way, to go along in it costs nothing and needs no question */
  in_time = !g_t && !s->p->autonomous;
  if (in_time && reach < path.reach) status = knows_time(p, level, reach, &in_time);
  if (status != DAE_OK) return status;
  if (degree == 2 && s->order > 2) path.ddz = p->z + 2 * (size_t)s->nx;
  if (in_time) path.dt = 1, path.reach = fmin(path.reach, reach);
  status =
      along(p, &path, degree == 2 ? DAE_DIFFERENCE_SECOND : DAE_DIFFERENCE_FIRST, level, n, out);
  if (status != DAE_OK || !g_t) return status;
  return add_partial(p, g_t, dae_problem_level_rows(s, level), out);
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
  bool given = dae_mechanical_has_G(m) && p->sys->nw == 0 && (m->g_t || p->sys->p->autonomous);
  p->counts->constraint++;
  if (given) {
    /* what is no number in G and g_t shows in the result */
    const bool known = p->holds & DAE_HOLDS_GRADIENT;
    int code = known ? 0 : dae_point_call_G(p);
    if (!known && code == 0 && p->G.found) dae_matrix_settle(&p->G);
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
  if (s->ng > 0 && !dae_mechanical_has_G(&s->p->mechanical) && s->nw == 0) {
    p->counts->constraint++;
    return rate_along_motion(p, 0, 1, r);
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

static dae_status level_of(dae_point *p, int level, double *r) {
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
  return level == 2 ? rate_along_motion(p, 0, 2, r) : rate_along_motion(p, level - 1, 1, r);
}

dae_status dae_point_level(dae_point *p, int level, double *r) {
  dae_status status = level_of(p, level, r);
  if (p->work->quadratic && level == 0 && status == DAE_OK) dae_point_quadratic_seen(p, r);
  return status;
}

dae_status dae_point_invariants(dae_point *p, double *h) {
  for (int l = 0; l < p->sys->order; l++) {
    dae_status status = dae_point_level(p, l, h);
    if (status != DAE_OK) return status;
    h += dae_problem_level_rows(p->sys, l);
  }
  return DAE_OK;
}

/* Of the holonomic rows from G v + g_t where both are given, else from g itself */
static dae_status mechanical_curvature(dae_point *p, double *c) {
  const dae_system *s = p->sys;
  const dae_mechanical *m = &s->p->mechanical;
  void *ctx = s->p->ctx;
  dae_status status = DAE_OK;
  bool given = dae_mechanical_has_curvature(m), bend = s->ng > 0 && !given,
       slopes = dae_mechanical_has_G(m) && (m->g_t || s->p->autonomous);
  if ((s->nw > 0 && !m->w_rate) || (bend && slopes)) status = rate_along_motion(p, 1, 1, c);
  if (status == DAE_OK && bend && !slopes) status = rate_along_motion(p, 0, 2, c);
  const double *z = p->z, *v = z + s->nx;
  if (status == DAE_OK && s->ng > 0 && given)
    status = dae_problem_verdict(dae_mechanical_curvature(s->p, p->t, z, c), c, s->ng);
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
  if (s->order == 2 && s->nw == 0) return rate_along_motion(p, 0, 2, c);
  return rate_along_motion(p, s->order - 1, 1, c);
}
