/* conditioning: how far rounding moves the solution of the linearized problem */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "colloc/bvp.h"

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return (z ^ (z >> 27)) * 0x94d049bb133111ebu;
}

/* +1 or -1, the same on every machine */
static double sign(uint64_t *state) { return (next(state) >> 63) ? 1 : -1; }

/* with a size between 1/2 and 3/2: signs alone may add up to nothing where the weakest direction is
   the same on every element */
static double uneven(uint64_t *state) {
  uint64_t z = next(state);
  double size = 0.5 + (double)((z >> 11) & 0xfffffu) / 0x100000;
  return (z >> 63) ? size : -size;
}

/* size of the terms that make component c of Z at the end of element i: its values at both ends
   and what the element adds, h times the derivative */
static double terms(const dae_colloc_linear *l, double *x, int i, int c) {
  const dae_colloc_shape *s = &l->shape;
  const dae_colloc_form *f = &l->b->form;
  const double *Z = dae_colloc_Z(s, x, i), *end = Z + s->ns, *W = dae_colloc_W(s, x, i);
  double h = l->t[i + 1] - l->t[i], slope = 0;
  int nz = f->m * f->nx, next = c + f->nx, w = c < nz ? c - (nz - f->nx) : f->nx + c - nz;
  if (next < nz) slope = fmax(fabs(Z[next]), fabs(end[next]));
  for (int j = 0; next >= nz && j < l->b->rule.k; j++) slope = fmax(slope, fabs(W[j * f->nv + w]));
  return fabs(Z[c]) + fabs(end[c]) + h * slope;
}

/* largest |z_c| over the mesh */
static void largest(const dae_colloc_linear *l, double *x, double *z, double *most) {
  int nz = l->b->sys->nz;
  memset(most, 0, sizeof(double) * (size_t)nz);
  for (int i = 0; i <= l->shape.N; i++) {
    dae_colloc_form_z(&l->b->form, dae_colloc_Z(&l->shape, x, i), z);
    for (int c = 0; c < nz; c++) most[c] = fmax(most[c], fabs(z[c]));
  }
}

/* a change of variable c, whose largest value is given, into the result. A place where the variable
   passes zero has no tolerance of its own here, as rounding of its other values reaches there */
static void note(const dae_colloc_bvp *b, dae_colloc_condition *out, int c, double t, double moved,
                 double most) {
  double tolerance = c < b->sys->nz ? dae_colloc_tolerance(b, false, c, most)
                                    : b->loosen * (b->o->atol + b->o->rtol * most);
  double ratio = DBL_EPSILON / 2 * fabs(moved) / tolerance;
  /* a variable that is zero for all purposes has no relative error */
  out->amplified = fmax(out->amplified, fabs(moved) / fmax(most, tolerance));
  if (ratio <= out->rounding) return;
  out->rounding = isnan(ratio) ? INFINITY : ratio;
  out->variable = c;
  out->t = t;
}

/* terms of component c that rounding makes a millionth of its tolerance, `most` at most */
static double wide(const dae_colloc_linear *l, double *x, int i, int c, double most) {
  static const double PART = 1e-6;
  double here = terms(l, x, i, c), tolerance = dae_colloc_tolerance(l->b, false, c, here);
  return fmax(here, fmin(most, PART * tolerance / (DBL_EPSILON / 2)));
}

/* right-hand sides with random signs, each as large as the terms of its equation; with `most` as
   large as they are anywhere, up to a millionth of the tolerance: a variable that is next to
   nothing for a while and decides about the rest must not count on digits that no tolerance asks
   for */
static void perturb(dae_colloc_linear *l, double *x, const double *most, uint64_t *state) {
  const dae_colloc_bvp *b = l->b;
  for (int i = 0; i < l->shape.N; i++)
    for (int c = 0; c < b->ns; c++)
      l->e[(size_t)i * b->ns + c] =
          sign(state) * (most && c < b->sys->nz ? wide(l, x, i, c, most[c]) : terms(l, x, i, c));
  for (int i = 0; i < b->n_rows; i++) l->rows[i] = sign(state) * l->row_size[i];
  for (int i = 0; i < b->n_last; i++) l->last[i] = sign(state) * l->row_size[b->n_rows + i];
}

/* the largest |d| over the mesh, in tolerances of variables as large as `most` */
static double in_tolerances(const dae_colloc_linear *l, double *d, const double *most) {
  const dae_colloc_bvp *b = l->b;
  double worst = 0, *z = b->z;
  for (int i = 0; i <= l->shape.N; i++) {
    dae_colloc_form_z(&b->form, dae_colloc_Z(&l->shape, d, i), z);
    for (int c = 0; c < b->sys->nz; c++)
      worst = fmax(worst, fabs(z[c]) / dae_colloc_tolerance(b, false, c, most[c]));
  }
  return worst;
}

/* x is moved by s d, of this many tolerances: the part of it that its correction does not reach,
   and the part by which the correction differs from -s d */
static void respond(dae_colloc_linear *l, double *x, double *const scratch[3], const double *most,
                    double tolerances, dae_colloc_condition *out) {
  double *d = scratch[0], *bar = scratch[1], *trial = scratch[2];
  size_t length = dae_colloc_length(&l->shape);
  double size = in_tolerances(l, d, most), s = tolerances / size;
  out->unseen = out->off = 0;
  if (!(size > 0 && isfinite(size))) return;
  for (size_t i = 0; i < length; i++) trial[i] = x[i] + s * d[i];
  if (dae_colloc_linear_residual(l, trial) != DAE_OK) return;
  dae_colloc_linear_solve(l, bar);
  dae_colloc_bvp_set(l->b, dae_colloc_parameters(&l->shape, x));
  out->unseen = fmax(0, 1 - in_tolerances(l, bar, most) / tolerances);
  for (size_t i = 0; i < length; i++) bar[i] += s * d[i];
  out->off = in_tolerances(l, bar, most) / tolerances;
}

/*
 * The equations must see a change by ten tolerances in the direction d that perturbations prefer.
 * When the correction for it is not -d the solution is made of rounding there; or the factorization
 * belongs to another point, which a new one mends; or the equations are curved, which counts less
 * for a smaller change, while rounding counts more.
 */
static void check_response(dae_colloc_linear *l, double *x, double *const scratch[3],
                           const double *most, dae_colloc_condition *out) {
  static const double DOUBT = 0.3, WIDE = 10, NEAR = 0.5;
  respond(l, x, scratch, most, WIDE, out);
  if (out->off < DOUBT) return;
  if (dae_colloc_linear_factor(l, x) != DAE_OK) {
    out->unseen = out->off = 1;
    return;
  }
  respond(l, x, scratch, most, WIDE, out);
  if (out->off >= DOUBT) respond(l, x, scratch, most, NEAR, out);
}

/*
 * The first unknown parameter whose change by its own size moves nothing by a tolerance, -1 when
 * all are seen: |p_j| max over elements of h |dw/dp_j|, and |p_j| |db/dp_j| in the conditions.
 */
static int unseen_parameter(dae_colloc_linear *l, double *x, const double *most) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  int top = b->sys->nz - b->form.nx, wide = 2 * b->ns + b->np;
  const double *p = dae_colloc_parameters(s, x);
  if (b->np == 0 || b->b->n_side > 0 || b->b->z_tol) return -1;
  if (dae_colloc_ends(b, dae_colloc_Z(s, x, 0), dae_colloc_Z(s, x, s->N), p, b->value, l->J) !=
      DAE_OK)
    return -1;
  for (int j = 0; j < b->np; j++) {
    double moved = 0, size = fmax(1, fabs(p[j]));
    for (int r = 0; r < b->b->n; r++)
      moved = fmax(moved, fabs(l->J[r * wide + 2 * b->ns + j]) * size / b->o->atol);
    for (int i = 0; i < s->N; i++)
      for (int r = 0; r < s->kv; r++) {
        int c = r % b->form.nv;
        double w = l->WZ[((size_t)i * s->kv + r) * b->cols + b->ns + j];
        if (c < b->form.nx)
          moved = fmax(moved, (l->t[s->N] - l->t[0]) * fabs(w) * size /
                                  dae_colloc_tolerance(b, false, top + c, most[top + c]));
      }
    if (moved < 1) return j;
  }
  return -1;
}

/*
 * Without a word about x: d := A^-1 r for random r lies where A is weakest. Relative errors of size
 * u in all terms of A d = r then move d by `ratio` u |d|, whatever its scale and the units of the
 * variables: A is singular up to relative changes of 1/ratio in its entries.
 */
double dae_colloc_singularity(dae_colloc_linear *l, double *d, double *again) {
  const dae_colloc_shape *s = &l->shape;
  double ratio = 0, *before = l->b->z1, *after = l->b->z;
  uint64_t state = 1;
  memset(l->W0, 0, sizeof(double) * (size_t)s->N * (size_t)s->kv);
  memset(l->a0, 0, sizeof(double) * (size_t)s->N * (size_t)s->ka);
  memset(l->rows, 0, sizeof(double) * (size_t)l->b->n_rows);
  memset(l->last, 0, sizeof(double) * (size_t)l->b->n_last);
  for (size_t i = 0; i < (size_t)s->N * (size_t)s->ns; i++) l->e[i] = uneven(&state);
  dae_colloc_linear_solve(l, d);
  for (int i = 0; i < s->N; i++)
    for (int c = 0; c < s->ns; c++)
      l->e[(size_t)i * s->ns + c] = uneven(&state) * terms(l, d, i, c);
  dae_colloc_blocks_solve(&l->blocks, l->rows, l->e, l->last, again, l->q);
  largest(l, d, after, before);
  for (int i = 0; i <= s->N; i++) {
    dae_colloc_form_z(&l->b->form, dae_colloc_Z(s, again, i), after);
    for (int c = 0; c < l->b->sys->nz; c++)
      if (fabs(after[c]) > ratio * before[c]) ratio = fabs(after[c]) / before[c];
  }
  return isnan(ratio) ? INFINITY : ratio;
}

/*
 * A d = r with |r| as large as the terms of each equation: relative errors of size u in all of them
 * move the solution by u |A^-1 r|. Random signs give |A^-1| |r| up to a factor that is rarely large
 * (Kenney and Laub 1994).
 */
void dae_colloc_conditioning(dae_colloc_linear *l, double *x, double *const scratch[3],
                             dae_colloc_condition *out) {
  enum { SAMPLES = 2 };
  dae_colloc_bvp *b = l->b;
  const dae_colloc_shape *s = &l->shape;
  int nz = b->sys->nz;
  uint64_t state = 1;
  double *d = scratch[0], *dz = b->z + nz, *most = b->z1;
  *out = (dae_colloc_condition){.t = l->t[0]};
  /* the factorization may be that of a guess with other sizes */
  (void)dae_colloc_linear_sizes(l, x);
  out->singular = dae_colloc_singularity(l, d, scratch[1]);
  largest(l, x, b->z, most);
  for (int c = 0; c < nz; c++) {
    double sharp = most[c] / dae_colloc_tolerance(b, false, c, 0);
    if (sharp > out->sharpest) out->sharpest = sharp, out->sharp = c;
  }
  for (int sample = 1; sample <= SAMPLES; sample++) {
    perturb(l, x, sample == 1 ? most : NULL, &state);
    if (sample < SAMPLES) dae_colloc_blocks_solve(&l->blocks, l->rows, l->e, l->last, d, l->q);
    else dae_colloc_linear_solve(l, d);
    for (int i = 0; i <= s->N; i++) {
      dae_colloc_form_z(&b->form, dae_colloc_Z(s, d, i), dz);
      for (int c = 0; c < nz; c++) note(b, out, c, l->t[i], dz[c], most[c]);
    }
    const double *p = dae_colloc_parameters(s, x), *dp = l->q + (b->mixed ? b->ns : 0);
    for (int j = 0; j < b->np; j++) note(b, out, nz + j, l->t[0], dp[j], fabs(p[j]));
  }
  out->undetermined = b->o->fixed_mesh ? -1 : unseen_parameter(l, x, most);
  if (!b->o->fixed_mesh && out->amplified > DAE_COLLOC_UNSEEN_FROM)
    check_response(l, x, scratch, most, out);
}
