/* elimination of the multipliers: the KKT system at a point (1992-stab (1.3)) */
#include <math.h>
#include <string.h>

#include "problem/inside.h"

/* M, G and K; same: M is the one that was factored before */
static dae_status fill_kkt(dae_point *p, const double *y, bool *same) {
  *same = p->holds & p->lasting;
  p->holds &= ~(unsigned)DAE_HOLDS_FACTORS;
  dae_status status = dae_point_mass(p);
  if (status == DAE_OK) status = dae_point_gradient(p);
  if (status == DAE_OK && p->Kt.x) status = dae_point_multipliers(p, y);
  if (status == DAE_OK) p->counts->factor++;
  return status;
}

dae_status dae_point_factor(dae_point *p, const double *y) {
  bool same = false;
  if (!p->kkt) return DAE_OK;
  dae_status status = fill_kkt(p, y, &same);
  if (status != DAE_OK) return status;
  status = dae_la_kkt_factor(p->kkt, p->M.x, p->G.x, p->Kt.x, same, &p->info);
  if (status == DAE_OK) p->holds |= DAE_HOLDS_FACTORS;
  return status;
}

void dae_problem_chain(const dae_system *s, const double *z, const double *a, double *dz) {
  size_t shift = (size_t)(s->nz - s->nx);
  memmove(dz, z + s->nx, shift * sizeof *dz);
  if (a != dz + shift) memcpy(dz + shift, a, (size_t)s->nx * sizeof *dz);
}

/* quadratic convergence: stop at rounding, or when the corrections no longer fall there */
static const dae_iteration_rule ACCELERATE = {
    .limit = 30, .enough = 1e-15, .floor = 1e-10, .still = 0.5};

/* G f(t,z,y) + c = 0 by Newton's method in y, when f is not affine */
static dae_status accelerate_nonlinear(dae_point *p, double *a, double *y) {
  const dae_system *s = p->sys;
  dae_iteration course = dae_base_iteration();
  for (;;) {
    dae_status status = dae_point_force(p, y, p->f);
    if (status == DAE_OK) status = dae_point_factor(p, y);
    if (status != DAE_OK) return status;
    /* the correction dy of f - K dy with G (f - K dy) + c = 0 */
    memcpy(a, p->f, (size_t)s->nx * sizeof *a);
    double *dy = p->work->a + s->nx;
    for (int i = 0; i < s->ny; i++) dy[i] = -p->c[i];
    dae_la_kkt_solve(p->kkt, a, dy);
    p->counts->solve++;
    double change = 0, size = 0;
    for (int i = 0; i < s->ny; i++) {
      y[i] += dy[i];
      change = fmax(change, fabs(dy[i]));
      size = fmax(size, fabs(y[i]));
    }
    if (!isfinite(change)) return DAE_E_CALLBACK;
    dae_progress progress = dae_base_judge(&course, &ACCELERATE, change, size);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
}

/* the four functions of a mechanism one by one, M and G where they are wanted */
static int call_four(dae_point *p, bool mass, bool gradient, double *f) {
  const dae_problem *u = p->sys->p;
  int code = dae_mechanical_curvature(u, p->t, p->z, p->c);
  if (code == 0) code = dae_mechanical_force(u, p->t, p->z, f);
  if (code == 0 && mass) code = dae_mechanical_mass(u, p->t, p->z, p->M.x);
  return code == 0 && gradient ? dae_mechanical_G(u, p->t, p->z, p->G.x) : code;
}

/* f, M, G and curvature of a mechanism that gives them all, not yet looked at: the code of the
   first that failed */
static int call_all(dae_point *p, double *f) {
  const dae_problem *u = p->sys->p;
  const dae_mechanical *m = &u->mechanical;
  const bool mass = p->M.x && !(p->holds & DAE_HOLDS_MASS),
             gradient = !(p->holds & DAE_HOLDS_GRADIENT);
  p->counts->curvature++;
  if (mass) dae_matrix_clear(&p->M);
  if (gradient) dae_matrix_clear(&p->G);
  int code = m->evaluate ? m->evaluate(p->t, p->z, p->z + p->sys->nx, mass ? p->M.x : NULL, f,
                                       gradient ? p->G.x : NULL, p->c, u->ctx)
                         : call_four(p, mass, gradient, f);
  p->counts->factor += code == 0;
  return code;
}

/* did numbers come out of it, and if not, is that the fault of what went in? y without a number
   makes a so too */
static dae_status judge(dae_point *p, dae_status status, const double *a) {
  const unsigned parts =
      DAE_HOLDS_MASS | DAE_HOLDS_GRADIENT | DAE_HOLDS_CURVATURE | DAE_HOLDS_FACTORS;
  const dae_system *s = p->sys;
  bool numbers = dae_base_finite(a, s->nx);
  const dae_la_kkt_info *info = &p->info;
  p->holds |= parts;
  if (status == DAE_OK && numbers && (info->rank == s->ny || info->numbers)) return DAE_OK;
  bool given = dae_base_finite(p->c, s->nc) && dae_base_finite(p->G.x, p->G.size) &&
               (!s->has_mass || dae_base_finite(p->M.x, p->M.size));
  if (status != DAE_OK) p->holds &= ~(unsigned)DAE_HOLDS_FACTORS;
  if (!given) p->holds = 0;
  if (!given || !numbers) return dae_problem_verdict(1, NULL, 0);
  return status;
}

/* curvature, f into a, M, G and K, every result checked on its own */
static dae_status call_each(dae_point *p, double *a, bool *same) {
  dae_status status = dae_point_curvature(p, p->c);
  if (status == DAE_OK && p->sys->affine) status = dae_point_force(p, NULL, a);
  return status == DAE_OK && p->sys->affine ? fill_kkt(p, NULL, same) : status;
}

static void negate(int n, const double *restrict c, double *restrict out) {
  for (int i = 0; i < n; i++) out[i] = -c[i];
}

/* [M K; G 0] [a; y] = [f; -c] */
dae_status dae_point_accelerate(dae_point *p, double *a, double *y) {
  const dae_system *s = p->sys;
  bool same = false;
  if (p->complete) {
    int code = call_all(p, a);
    same = p->holds & p->lasting;
    if (code != 0) {
      p->holds = 0;
      return dae_problem_verdict(code, NULL, 0);
    }
  } else {
    if (!p->kkt) return dae_point_force(p, NULL, a);
    dae_status called = call_each(p, a, &same);
    if (called != DAE_OK) return called;
    if (!s->affine) return accelerate_nonlinear(p, a, y ? y : p->y_guess);
  }
  double *r = y ? y : p->y_guess;
  negate(s->ny, p->c, r);
  dae_status status =
      dae_la_kkt_factor_solve(p->kkt, p->M.x, p->G.x, p->Kt.x, same, a, r, &p->info);
  if (status == DAE_OK) {
    p->counts->solve++;
    p->G.thin = p->G.found && dae_la_kkt_thin(p->kkt);
    if (y) dae_la_kkt_shorten(p->kkt, y);
  }
  return judge(p, status, a);
}

/* the largest |x_j| so far; what is far below everything else says nothing about its size */
static void remember_sizes(dae_point *p, double all) {
  static const double NOTHING = 1e-14;
  double *typical = p->work->typical;
  for (int j = 0; j < p->sys->nz; j++) {
    double size = fabs(p->z[j]);
    typical[j] = size > typical[j] && size > NOTHING * all ? size : typical[j];
  }
}

/* sum_j |G_ij| (|x_j| + extra_j): extra_j = size/10 into coarse, and into scale at most MORE times
   the largest |x_j| so far */
static void row_sizes(dae_row r, const double *x, const double *typical, double size, double *scale,
                      double *coarse) {
  static const double MORE = 1000;
  double sum = 0, whole = 0;
  for (int k = 0; k < r.count; k++) {
    int j = dae_row_column(&r, k);
    if (r.x[k] == 0) continue;
    double g = fabs(r.x[k]), extra = 0.1 * size, most = MORE * typical[j];
    whole += g * (fabs(x[j]) + extra);
    sum += g * (fabs(x[j]) + (most > 0 && most < extra ? most : extra));
  }
  *scale = sum;
  *coarse = whole;
}

/* levels that differences of g make have larger terms: those of g over the distance or its square,
   as it was last */
static void add_differences(dae_point *p) {
  const dae_system *s = p->sys;
  const double *hint = p->work->hint[DAE_DIFFERENCE_FIRST];
  double power = 1;
  for (int l = 1; l < s->order; l++) {
    power *= hint[0];
    if (dae_point_level_noise(s, l) == 0 || !(power > 0)) continue;
    for (int i = 0; i < s->ng; i++) {
      size_t at = (size_t)(l * s->ng + i);
      p->scale[at] = fmax(p->scale[at], p->scale[i] / power);
      p->coarse[at] = fmax(p->coarse[at], p->coarse[i] / power);
    }
  }
}

/* scale_i: what the terms of a constraint add up to at each level, so that eps times it is what
   rounding leaves; size = max |x_j|, where a level is at rest that of z. An x_j of other units, far
   below the rest, counts as what it is: else its column would hide a residual. `coarse` is the
   same without that, what rounding may leave at worst. */
dae_status dae_point_row_scale(dae_point *p) {
  const dae_system *s = p->sys;
  if (s->nc == 0) return DAE_OK;
  dae_status status = dae_point_gradient(p);
  if (status != DAE_OK) return status;
  double *out = p->scale, *coarse = p->coarse, all = dae_la_norm_max(s->nz, p->z);
  remember_sizes(p, all);
  for (int l = 0; l < s->order; l++) {
    int rows = dae_problem_level_rows(s, l);
    const double *x = p->z + (size_t)l * s->nx, *typical = p->work->typical + (size_t)l * s->nx;
    double size = dae_la_norm_max(s->nx, x);
    if (size == 0) size = all > 0 ? all : 1;
    for (int i = 0; i < rows; i++)
      row_sizes(dae_matrix_row(&p->G, i), x, typical, size, &out[i], &coarse[i]);
    out += rows;
    coarse += rows;
  }
  if (p->work->differs) add_differences(p);
  /* before the first difference, too, which has no other measure of its rounding */
  memcpy(p->work->terms, p->scale, (size_t)s->nh * sizeof *p->scale);
  return DAE_OK;
}
