/* derivatives of the constraints and of the multipliers' forces at a point: given, or by
   differences */
#include <math.h>
#include <string.h>

#include "problem/inside.h"
#include "problem/quadratic.h"

void dae_point_equip(dae_point *p, const dae_slice *a, dae_vector *f) {
  p->work->differs = true;
  memcpy(a->z_work, a->z, (size_t)p->sys->nz * sizeof *a->z);
  f->z_work = a->z_work, f->f_work = a->f_work;
  f->size = p->work->size;
  f->calls = &p->counts->difference;
}

dae_status dae_point_differences(dae_point *p, dae_vector *f, double *J) {
  dae_slice a = dae_point_down(p);
  dae_point_equip(p, &a, f);
  f->one = p->work->one;
  dae_status status = dae_problem_difference(f, a.t, a.z, J);
  dae_point_up(p, &a);
  return status;
}

dae_status dae_point_newton(dae_point *p, dae_vector *f, double *J) {
  dae_slice a = dae_point_down(p);
  dae_point_equip(p, &a, f);
  if (p->digits) f->one = p->work->one;
  dae_status status = p->digits ? dae_problem_difference(f, a.t, a.z, J)
                                : dae_problem_difference_newton(f, a.t, a.z, J);
  dae_point_up(p, &a);
  return status;
}

/* G by columns when the problem gives none; with a pattern only its entries. The columns of W come
   with it. One in so many is judged, in a run; looks aside leave nothing behind, and are judged */
static dae_status gradient_by_differences(dae_point *p, int level, int rows) {
  enum { JUDGED = 8 };
  const dae_system *s = p->sys;
  dae_workspace *w = p->work;
  bool known;
  dae_status status = dae_point_quadratic(p, &known);
  if (known) dae_point_quadratic_gradient(p);
  if (known || status != DAE_OK) return status;
  dae_level_ctx ctx = {p, level};
  dae_vector f = {
      .fn = dae_point_level_fn, .ctx = &ctx, .rows = rows, .n = s->nx, .term = w->terms};
  if (s->pattern.start) f.colours = &s->G_colours;
  if (p->aside == 0 && w->wanted > 0) {
    f.spacing = w->spacing, f.wanted = w->wanted;
    f.judge = w->unjudged == 0;
    w->unjudged = (w->unjudged + 1) % JUDGED;
  }
  return dae_point_differences(p, &f, p->G.x);
}

static dae_status mechanical_gradient(dae_point *p) {
  const dae_system *s = p->sys;
  const dae_mechanical *m = &s->p->mechanical;
  double *G = p->G.x;
  int split = s->nw > 0 ? dae_matrix_top(&p->G, s->ng).size : p->G.size;
  dae_status status = DAE_OK;
  if (p->G.found) {
    int code = dae_mechanical_G(s->p, p->t, p->z, G);
    dae_matrix_settle(&p->G);
    return dae_problem_verdict(code == 0 && !dae_matrix_finite(&p->G) ? 1 : code, NULL, 0);
  }
  if (s->ng > 0 && dae_mechanical_has_G(m))
    status = dae_problem_verdict(dae_mechanical_G(s->p, p->t, p->z, G), G, split);
  else if (s->ng > 0) status = gradient_by_differences(p, 0, s->ng);
  if (status == DAE_OK && s->nw > 0)
    status =
        dae_problem_verdict(m->W(p->t, p->z, G + split, s->p->ctx), G + split, p->G.size - split);
  return status;
}

/* the wide Jacobian dg/dz of a constraint on z */
static dae_status wide_gradient(dae_point *p, double *J) {
  const dae_system *s = p->sys;
  const dae_hessenberg *h = &s->p->hessenberg;
  dae_level_ctx ctx = {p, s->order - 1};
  if (!h->G)
    return dae_point_differences(p,
                                 &(dae_vector){dae_point_level_fn, &ctx, s->nc, s->nz,
                                               .noise = dae_point_level_noise(s, ctx.level)},
                                 J);
  memset(J, 0, (size_t)s->nc * s->nz * sizeof *J);
  return dae_problem_verdict(h->G(p->t, p->z, J, s->p->ctx), J, s->nc * s->nz);
}

static dae_status evaluate_gradient(dae_point *p) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  double *G = p->G.x;
  if (u->kind == DAE_MECHANICAL) return mechanical_gradient(p);
  if (u->kind == DAE_ODE && u->ode.h_z)
    return dae_problem_verdict(u->ode.h_z(p->t, p->z, G, u->ctx), G, p->G.size);
  if (u->kind == DAE_IMPLICIT && u->implicit.h_x)
    return dae_problem_verdict(u->implicit.h_x(p->t, p->z, G, u->ctx), G, p->G.size);
  if (u->kind == DAE_HESSENBERG && s->nw > 0) {
    const double *wide = p->work->wide_G;
    dae_status status = wide_gradient(p, p->work->wide_G);
    for (int i = 0; i < s->nc; i++)
      memcpy(G + (size_t)i * s->nx, wide + (size_t)(i + 1) * s->nz - s->nx,
             (size_t)s->nx * sizeof *G);
    return status;
  }
  if (u->kind == DAE_HESSENBERG && u->hessenberg.G)
    return dae_problem_verdict(u->hessenberg.G(p->t, p->z, G, u->ctx), G, p->G.size);
  return gradient_by_differences(p, 0, s->nc);
}

dae_status dae_point_gradient(dae_point *p) {
  if (p->sys->nc == 0) p->holds |= DAE_HOLDS_GRADIENT; /* nothing, and that is known */
  if (p->holds & DAE_HOLDS_GRADIENT) return DAE_OK;
  dae_matrix_clear(&p->G);
  dae_status status = evaluate_gradient(p);
  if (status == DAE_OK && p->across.x) dae_point_find_across(p);
  if (status == DAE_OK) p->holds |= DAE_HOLDS_GRADIENT;
  return status;
}

/* L := d/dq (G v + g_t) as given, in the storage of G, whose place it takes */
static dae_status given_velocity_q(dae_point *p) {
  const dae_mechanical *m = &p->sys->p->mechanical;
  p->holds &= ~(unsigned)DAE_HOLDS_GRADIENT;
  dae_matrix_clear(&p->G);
  return dae_problem_verdict(m->velocity_q(p->t, p->z, p->z + p->sys->nx, p->G.x, p->sys->p->ctx),
                             p->G.x, p->G.size);
}

/* level 1 of a mechanical problem: [d/dq (G v + g_t), G; d/dq (W v + w), W] */
static dae_status mechanical_velocity_z(dae_point *p, double *J) {
  const dae_system *s = p->sys;
  dae_level_ctx ctx = {p, 1};
  size_t nz = (size_t)s->nz;
  dae_status status = DAE_OK;
  const bool given = s->nw == 0 && s->p->mechanical.velocity_q;
  bool known = false;
  if (!given && s->nw == 0) status = dae_point_quadratic(p, &known);
  if (status != DAE_OK) return status;
  if (known) dae_point_quadratic_turn(p, p->z + s->nx, nz, J);
  if (!given && !known) {
    dae_vector f = {.fn = dae_point_level_fn,
                    .ctx = &ctx,
                    .rows = s->nc,
                    .n = s->nx,
                    .stride = s->nz,
                    .noise = dae_point_level_noise(s, 1)};
    status = dae_point_newton(p, &f, J);
  }
  if (status == DAE_OK) status = dae_point_gradient(p);
  if (status == DAE_OK) dae_matrix_put(&p->G, 1, J + s->nx, nz, 1);
  if (status != DAE_OK || !given) return status;
  status = given_velocity_q(p);
  dae_matrix_put(&p->G, 1, J, nz, 1);
  return status;
}

dae_status dae_point_level_z(dae_point *p, int level, double *J) {
  const dae_system *s = p->sys;
  const dae_problem *u = s->p;
  int rows = dae_problem_level_rows(s, level);
  if (rows == 0) return DAE_OK;
  memset(J, 0, (size_t)rows * s->nz * sizeof *J);
  if (u->kind == DAE_HESSENBERG && s->nw > 0) return wide_gradient(p, J);
  if (level == 0) {
    dae_status status = dae_point_gradient(p);
    dae_matrix top = dae_matrix_top(&p->G, rows);
    dae_matrix_put(&top, 1, J, (size_t)s->nz, 1);
    return status;
  }
  if (u->kind == DAE_MECHANICAL) return mechanical_velocity_z(p, J);
  if (u->hessenberg.g_rate_z)
    return dae_problem_verdict(u->hessenberg.g_rate_z(p->t, p->z, level, J, u->ctx), J,
                               rows * s->nz);
  dae_level_ctx ctx = {p, level};
  return dae_point_differences(p,
                               &(dae_vector){dae_point_level_fn, &ctx, rows, s->nz,
                                             .noise = dae_point_level_noise(s, level)},
                               J);
}

dae_status dae_point_invariants_z(dae_point *p, double *H) {
  for (int l = 0; l < p->sys->order; l++) {
    dae_status status = dae_point_level_z(p, l, H);
    if (status != DAE_OK) return status;
    H += (size_t)dae_problem_level_rows(p->sys, l) * p->sys->nz;
  }
  return DAE_OK;
}

typedef struct force_ctx {
  dae_point *p;
  const double *z;
} force_ctx;

/* f as a function of y alone */
static dae_status force_of_y(void *ctx, double t, const double *y, double *f) {
  force_ctx *c = ctx;
  dae_point_at(c->p, t, c->z);
  return dae_point_force(c->p, y, f);
}

/* B := -df/dy of f = f0 - B y (nx x ny) from f(0) - f(h e_c) = h B_c, which is exact for every h:
   one is taken for which h B_c is felt beside f0 */
static dae_status affine_multipliers(dae_point *p, double *y, double *f0, double *f1, double *B) {
  int nx = p->sys->nx, ny = p->sys->ny;
  memset(y, 0, (size_t)ny * sizeof *y);
  dae_status status = dae_point_force(p, y, f0);
  for (int c = 0; c < ny && status == DAE_OK; c++) {
    double h = 1;
    for (int pass = 0; pass < 2 && status == DAE_OK; pass++) {
      double felt = 0;
      y[c] = h;
      status = dae_point_force(p, y, f1);
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

/* B = -df/dy at y (nx x ny) */
static dae_status multiplier_forces(dae_point *p, const double *y, double *B) {
  const dae_system *s = p->sys;
  const dae_hessenberg *h = &s->p->hessenberg;
  int nx = s->nx, ny = s->ny;
  dae_slice a = dae_point_down(p);
  double *y_at = a.dz;
  dae_status status;
  unsigned holds = p->holds;
  if (y) memcpy(y_at, y, (size_t)ny * sizeof *y_at);
  else memset(y_at, 0, (size_t)ny * sizeof *y_at);
  if (h->B) {
    memset(B, 0, (size_t)nx * ny * sizeof *B);
    status = dae_problem_verdict(h->B(p->t, p->z, y_at, B, s->p->ctx), B, nx * ny);
  } else if (s->affine) {
    int most = s->nx > s->nc ? s->nx : s->nc;
    status = affine_multipliers(p, y_at, a.f_work, a.f_work + most, B);
  } else {
    force_ctx ctx = {p, a.z};
    dae_vector f = {force_of_y, &ctx, nx, ny, a.z_work, a.f_work, .calls = &p->counts->difference};
    status = dae_problem_difference(&f, a.t, y_at, B);
    for (int i = 0; i < nx * ny; i++) B[i] = -B[i];
  }
  dae_point_up(p, &a);
  /* nothing but y was moved */
  p->holds = holds;
  return status;
}

/* Kt := K' = -(df/dy)' for a Hessenberg problem, [G; W] for a mechanical one */
dae_status dae_point_multipliers(dae_point *p, const double *y) {
  const dae_system *s = p->sys;
  if (s->ny == 0) return DAE_OK;
  if (s->p->kind == DAE_MECHANICAL) return dae_point_gradient(p);
  double *B = p->work->block;
  dae_status status = multiplier_forces(p, y, B);
  dae_la_transpose_dense(s->nx, s->ny, B, p->Kt.x);
  return status;
}
