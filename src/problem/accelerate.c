/* elimination of the multipliers: the KKT system at a point (1992-stab (1.3)) */
#include <math.h>
#include <string.h>

#include "problem/inside.h"

/* M, G and K at a point; same: M is the one that was factored before */
static dae_status fill_kkt(dae_system *s, double t, const double *z, const double *y, bool *same) {
  *same = s->mass_constant && s->mass_known;
  dae_status status = dae_problem_mass(s, t, z);
  if (status == DAE_OK) status = dae_problem_gradient(s, t, z, s->G);
  if (status == DAE_OK && s->Kt) status = dae_problem_multiplier_matrix(s, t, z, y, s->Kt);
  if (status == DAE_OK) s->counts.factor++;
  return status;
}

dae_status dae_problem_kkt(dae_system *s, double t, const double *z, const double *y) {
  bool same;
  if (!s->kkt) return DAE_OK;
  dae_status status = fill_kkt(s, t, z, y, &same);
  if (status != DAE_OK) return status;
  return dae_la_kkt_factor(s->kkt, s->M, s->G, s->Kt, same, &s->kkt_info);
}

void dae_problem_chain(const dae_system *s, const double *z, const double *a, double *dz) {
  size_t shift = (size_t)(s->nz - s->nx);
  memmove(dz, z + s->nx, shift * sizeof *dz);
  if (a != dz + shift) memcpy(dz + shift, a, (size_t)s->nx * sizeof *dz);
}

/* G f(t,z,y) + c = 0 by Newton's method in y, when f is not affine */
static dae_status accelerate_nonlinear(dae_system *s, double t, const double *z, double *a,
                                       double *y) {
  enum { LIMIT = 30 };
  double last = INFINITY;
  for (int iteration = 0; iteration < LIMIT; iteration++) {
    dae_status status = dae_problem_force(s, t, z, y, s->f);
    if (status == DAE_OK) status = dae_problem_kkt(s, t, z, y);
    if (status != DAE_OK) return status;
    /* the correction dy of f - K dy with G (f - K dy) + c = 0 */
    memcpy(a, s->f, (size_t)s->nx * sizeof *a);
    double *dy = s->a + s->nx;
    for (int i = 0; i < s->ny; i++) dy[i] = -s->c[i];
    dae_la_kkt_solve(s->kkt, a, dy);
    s->counts.solve++;
    double change = 0, size = 0;
    for (int i = 0; i < s->ny; i++) {
      y[i] += dy[i];
      change = fmax(change, fabs(dy[i]));
      size = fmax(size, fabs(y[i]));
    }
    if (!isfinite(change)) return DAE_E_CALLBACK;
    /* quadratic convergence: stop at rounding, or when the corrections no longer fall there */
    if (change <= 1e-15 * size || (change <= 1e-10 * size && change >= 0.5 * last)) return DAE_OK;
    last = change;
  }
  return DAE_E_NEWTON;
}

/* f, M, G and curvature of a mechanism that gives them all, not yet looked at: the code of the
   first that failed */
static int call_all(dae_system *s, double t, const double *z, double *f, bool *same) {
  const dae_mechanical *m = &s->p->mechanical;
  const double *v = z + s->nx;
  void *ctx = s->p->ctx;
  *same = s->mass_constant && s->mass_known;
  s->counts.curvature++;
  s->counts.force++;
  int code = m->curvature(t, z, v, s->c, ctx);
  if (code == 0) code = m->force(t, z, v, f, ctx);
  if (code == 0 && s->has_mass && !*same) {
    s->counts.mass++;
    memset(s->M, 0, (size_t)s->mass_size * sizeof *s->M);
    code = m->mass(t, z, s->M, ctx);
    s->mass_known = code == 0;
  }
  if (code == 0) {
    s->counts.constraint_z++;
    s->counts.factor++;
    memset(s->G, 0, (size_t)s->G_size * sizeof *s->G);
    code = m->G(t, z, s->G, ctx);
  }
  return code;
}

/* did numbers come out of it, and if not, is that the fault of what went in? y without a number
   makes a so too */
static dae_status judge(dae_system *s, dae_status status, const double *a) {
  bool numbers = dae_base_finite(a, s->nx);
  const dae_la_kkt_info *info = &s->kkt_info;
  if (status == DAE_OK && numbers && (info->rank == s->ny || info->numbers)) return DAE_OK;
  bool given = dae_base_finite(s->c, s->nc) && dae_base_finite(s->G, s->G_size) &&
               (!s->has_mass || dae_base_finite(s->M, s->mass_size));
  if (!given) s->mass_known = false;
  if (!given || !numbers) return dae_problem_verdict(s, 1, NULL, 0);
  return status;
}

/* curvature, f into a, M, G and K, every result checked on its own */
static dae_status call_each(dae_system *s, double t, const double *z, double *a, bool *same) {
  dae_status status = dae_problem_curvature(s, t, z, s->c);
  if (status == DAE_OK && s->affine) status = dae_problem_force(s, t, z, NULL, a);
  return status == DAE_OK && s->affine ? fill_kkt(s, t, z, NULL, same) : status;
}

/* [M K; G 0] [a; y] = [f; -c] */
dae_status dae_problem_accelerate(dae_system *s, double t, const double *z, double *a, double *y) {
  bool same;
  if (s->complete) {
    int code = call_all(s, t, z, a, &same);
    if (code != 0) return dae_problem_verdict(s, code, NULL, 0);
  } else {
    if (!s->kkt) return dae_problem_force(s, t, z, NULL, a);
    dae_status called = call_each(s, t, z, a, &same);
    if (called != DAE_OK) return called;
    if (!s->affine) return accelerate_nonlinear(s, t, z, a, y ? y : s->y_guess);
  }
  double *r = y ? y : s->a;
  for (int i = 0; i < s->ny; i++) r[i] = -s->c[i];
  dae_status status =
      dae_la_kkt_factor_solve(s->kkt, s->M, s->G, s->Kt, same, a, r, &s->kkt_info);
  if (status == DAE_OK) {
    s->counts.solve++;
    if (y) dae_la_kkt_shorten(s->kkt, y);
  }
  return judge(s, status, a);
}

/* the largest |x_j| so far; what is far below everything else says nothing about its size */
static void remember_sizes(dae_system *s, const double *z) {
  static const double NOTHING = 1e-14;
  double all = dae_la_norm_max(s->nz, z);
  for (int j = 0; j < s->nz; j++)
    if (fabs(z[j]) > fmax(s->typical[j], NOTHING * all)) s->typical[j] = fabs(z[j]);
}

/* sum_j |G_ij| (|x_j| + extra_j), extra_j = size/10 or MORE times the largest |x_j| so far */
static double row_size(const dae_system *s, int i, const double *x, const double *typical,
                       double size, bool strict) {
  static const double MORE = 1000;
  bool sparse = s->pattern.start != NULL;
  int first = sparse ? s->pattern.start[i] : i * s->nx,
      last = sparse ? s->pattern.start[i + 1] : first + s->nx;
  double sum = 0;
  for (int e = first; e < last; e++) {
    int j = sparse ? s->pattern.column[e] : e - first;
    double extra = 0.1 * size;
    if (strict && typical[j] > 0) extra = fmin(extra, MORE * typical[j]);
    sum += fabs(s->G[e]) * (fabs(x[j]) + extra);
  }
  return sum;
}

/* scale_i: what the terms of a constraint add up to at each level, so that eps times it is what
   rounding leaves; size = max |x_j|, where a level is at rest that of z. An x_j of other units, far
   below the rest, counts as what it is: else its column would hide a residual. `coarse` is the
   same without that, what rounding may leave at worst. */
dae_status dae_problem_row_scale(dae_system *s, double t, const double *z) {
  if (s->nc == 0) return DAE_OK;
  dae_status status = dae_problem_gradient(s, t, z, s->G);
  if (status != DAE_OK) return status;
  double *out = s->scale, *coarse = s->coarse, all = dae_la_norm_max(s->nz, z);
  remember_sizes(s, z);
  for (int l = 0; l < s->order; l++) {
    int rows = dae_problem_level_rows(s, l);
    const double *x = z + (size_t)l * s->nx, *typical = s->typical + (size_t)l * s->nx;
    double size = dae_la_norm_max(s->nx, x);
    if (size == 0) size = all > 0 ? all : 1;
    for (int i = 0; i < rows; i++) {
      out[i] = row_size(s, i, x, typical, size, true);
      coarse[i] = row_size(s, i, x, typical, size, false);
    }
    out += rows;
    coarse += rows;
  }
  return DAE_OK;
}
