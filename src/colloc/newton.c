/* quasilinearization: damped Newton with the natural monotonicity test */
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

/* steps below this part of a correction lead nowhere */
/* noise of three tolerances is let pass: small() takes a tenth of it */
static const double NOISE = 0.1;
/* what a full first step leaves of itself in a linear problem */
static const double STRAIGHT = 1e-6;

static const double LEAST_DAMPING = 1e-5;
/* a factorization serves while corrections fall by ten */
static const double WELL = 0.1;

/* sizes of the components of Z, a, p: (atol + rtol max |.|)/rtol, so that norms are relative
   where that makes sense */
static void set_scale(dae_colloc_newton *n, const dae_colloc_linear *l) {
  const dae_colloc_shape *s = &l->shape;
  const dae_settings *o = l->b->o;
  double floor = o->rtol > 0 ? fmin(1, o->atol / o->rtol) : 1;
  if (!(floor > 1e-8)) floor = 1e-8;
  for (int c = 0; c < s->ns; c++) {
    n->scale[c] = 0;
    for (int i = 0; i <= s->N; i++)
      n->scale[c] = fmax(n->scale[c], fabs(dae_colloc_Z(s, n->x, i)[c]));
    n->scale[c] += floor;
  }
  double largest = floor;
  for (int i = 0; i < s->N; i++)
    largest = fmax(largest, dae_la_norm_max(s->ka, dae_colloc_a(s, n->x, i)));
  n->scale[s->ns] = 1 + largest;
}

/* sum of ((d + factor other)_c / scale_c)^2 for count components; other may be NULL */
static double squares(int count, const double *d, double factor, const double *other,
                      const double *scale, int step) {
  double sum = 0;
  for (int c = 0; c < count; c++) {
    double v = (other ? d[c] + factor * other[c] : d[c]) / scale[c * step];
    sum += v * v;
  }
  return sum;
}

/* weighted root mean square of d + factor other in Z, a and p; other may be NULL */
static double norm(const dae_colloc_newton *n, const dae_colloc_linear *l, double *d, double factor,
                   double *other) {
  const dae_colloc_shape *s = &l->shape;
  double sum = 0, sum_a = 0, sum_p = 0;
  for (int i = 0; i <= s->N; i++)
    sum += squares(s->ns, dae_colloc_Z(s, d, i), factor, other ? dae_colloc_Z(s, other, i) : NULL,
                   n->scale, 1);
  /* multipliers that enter linearly follow from the rest, with more rounding than it has */
  for (int i = 0; !l->b->sys->affine && i < s->N; i++)
    sum_a += squares(s->ka, dae_colloc_a(s, d, i), factor, other ? dae_colloc_a(s, other, i) : NULL,
                     n->scale + s->ns, 0);
  const double *p = dae_colloc_parameters(s, d), *px = dae_colloc_parameters(s, n->x);
  for (int j = 0; j < s->np; j++) {
    double size = 1 + fabs(px[j]);
    sum_p +=
        squares(1, p + j, factor, other ? dae_colloc_parameters(s, other) + j : NULL, &size, 0);
  }
  sum /= (double)(s->N + 1) * s->ns;
  if (s->ka > 0) sum_a /= (double)s->N * s->ka;
  return sqrt(sum + sum_a + sum_p);
}

static void combine(size_t length, const double *x, double factor, const double *d, double *out) {
  for (size_t i = 0; i < length; i++) out[i] = x[i] + factor * d[i];
}

/* bar := -J(x)^-1 F(trial) and its norm; a failed evaluation counts as infinite */
static double simplified(dae_colloc_newton *n, dae_colloc_linear *l, dae_status *status) {
  *status = dae_colloc_linear_residual(l, n->trial);
  if (*status != DAE_OK) return INFINITY;
  dae_colloc_linear_solve(l, n->bar);
  double size = norm(n, l, n->bar, 0, NULL);
  return isnan(size) ? INFINITY : size;
}

/* best damping from |bar - (1 - lambda) d|: lambda^2 |d| / (2 |..|) */
static double suggestion(dae_colloc_newton *n, const dae_colloc_linear *l, double lambda,
                         double size) {
  double off = norm(n, l, n->bar, lambda - 1, n->d);
  return off > 0 ? 0.5 * lambda * lambda * size / off : 1;
}

/* corrections of this size may be rounding: eps over the reciprocal condition, within reason */
static double rounding(const dae_colloc_linear *l) {
  double floor = 1e-13 / fmax(l->blocks.rcond, 1e-16), limit = 1e-6;
  return fmin(fmax(floor, 1e-11), limit);
}

/* no damping makes a correction of this size smaller: it is noise, and below the tolerance it does
   no harm */
static double noise(const dae_colloc_linear *l) {
  const dae_colloc_bvp *b = l->b;
  return fmax(rounding(l), b->o->fixed_mesh ? 0 : 0.1 * b->loosen * fmin(b->o->rtol, 1e-3));
}

/* what is left after a correction d, about `contraction` of it, must be small against the tolerance
   of each variable at each point: norms that compare with its largest value do not see that */
static bool small(const dae_colloc_newton *n, const dae_colloc_linear *l, double *d,
                  double contraction) {
  static const double PART = 0.3;
  const dae_colloc_shape *s = &l->shape;
  const dae_colloc_bvp *b = l->b;
  double *z = b->z, *dz = z + b->sys->nz;
  for (int i = 0; !b->o->fixed_mesh && i <= s->N; i++) {
    dae_colloc_form_z(&b->form, dae_colloc_Z(s, n->x, i), z);
    dae_colloc_form_z(&b->form, dae_colloc_Z(s, d, i), dz);
    for (int c = 0; c < b->sys->nz; c++)
      if (!(contraction * fabs(dz[c]) <= PART * dae_colloc_tolerance(b, false, c, fabs(z[c]))))
        return false;
  }
  return true;
}

/* simplified corrections with the same factorization while they contract well; true: converged */
static bool finish(dae_colloc_newton *n, dae_colloc_linear *l, double size, double size_bar) {
  const dae_iteration_rule rule = {
      .limit = 8, .enough = n->tolerance, .floor = rounding(l), .still = WELL, .growth = WELL};
  size_t length = dae_colloc_length(&l->shape);
  dae_iteration course = dae_base_iteration();
  dae_status status = DAE_OK;
  course.size = size;
  /* trial is x + d, bar its correction */
  while (status == DAE_OK) {
    combine(length, n->trial, 1, n->bar, n->trial);
    memcpy(n->x, n->trial, sizeof(double) * length);
    n->norm = size_bar;
    dae_progress progress = dae_base_judge(&course, &rule, size_bar, 1);
    /* the next correction would be smaller by the same factor: it need not be computed to be
       known */
    bool known = course.rate * size_bar <= 0.1 * n->tolerance;
    bool enough = progress == DAE_CONVERGED || known;
    if (enough && small(n, l, n->bar, fmin(1, course.rate))) return true;
    if (progress == DAE_DIVERGED || (enough && course.rate > WELL)) return false;
    size_bar = simplified(n, l, &status);
  }
  return false;
}

/* n->damping := the first of at most `most` falling values that passes the natural monotonicity
   test |bar| <= (1 - lambda/4) |d|, with trial and bar to it; true when there is one */
static bool search(dae_colloc_newton *n, dae_colloc_linear *l, int most, double size,
                   double *size_bar, dae_status *status) {
  size_t length = dae_colloc_length(&l->shape);
  for (int i = 0; i < most && n->damping >= LEAST_DAMPING; i++) {
    double lambda = n->damping;
    combine(length, n->x, lambda, n->d, n->trial);
    *size_bar = simplified(n, l, status);
    if (*status == DAE_STOPPED || (*status < 0 && *status != DAE_E_CALLBACK)) return false;
    *status = DAE_OK;
    if (*size_bar <= (1 - lambda / 4) * size) return true;
    double better = isfinite(*size_bar) ? suggestion(n, l, lambda, size) : lambda / 4;
    n->damping = fmin(better, lambda / 2);
  }
  return false;
}

int dae_colloc_newton_place(const dae_colloc_newton *n, const dae_colloc_linear *l) {
  const dae_colloc_shape *s = &l->shape;
  double most = 0;
  int at = 0;
  for (int i = 0; i <= s->N; i++) {
    double here = squares(s->ns, dae_colloc_Z(s, n->d, i), 0, NULL, n->scale, 1);
    if (here > most) {
      most = here;
      at = i;
    }
  }
  return at;
}

/* no damping helps: next to x the correction is d again, unless d is made of rounding, which does
   no harm while it is small */
static dae_status stuck(dae_colloc_newton *n, dae_colloc_linear *l, double size) {
  dae_status status;
  combine(dae_colloc_length(&l->shape), n->x, LEAST_DAMPING, n->d, n->trial);
  if (isfinite(simplified(n, l, &status))) n->lost = norm(n, l, n->bar, -1, n->d) > 0.1 * size;
  if (status == DAE_STOPPED) return status;
  return n->lost && size < noise(l) && small(n, l, n->d, NOISE) ? DAE_OK : DAE_E_NEWTON;
}

/* prediction of the damping from the last step: |d_old| |bar_old| lambda / (|bar_old - d| |d|) */
static double predicted(dae_colloc_newton *n, const dae_colloc_linear *l, double size,
                        double size_before, double bar_before) {
  double off = norm(n, l, n->bar, -1, n->d);
  double lambda = off > 0 ? fmin(1, size_before * bar_before * n->damping / (off * size)) : 1;
  return fmax(lambda, LEAST_DAMPING);
}

dae_status dae_colloc_newton_solve(dae_colloc_newton *n, dae_colloc_linear *l) {
  enum { ITERATIONS = 40, REDUCTIONS = 14, MOST_SLOW = 6 };
  static const double SLOW = 0.01;
  size_t length = dae_colloc_length(&l->shape);
  dae_iteration_rule rule = {.enough = 1e-2 * n->tolerance, .still = 0.5};
  dae_iteration course = dae_base_iteration();
  double size_before = 0, bar_before = 0;
  int slow = 0;                       /* steps in a row that were damped to next to nothing */
  bool predict = false, leap = false; /* leap: the last step was full although it failed the test */
  n->damping = 1;
  for (n->iterations = 0; n->iterations < ITERATIONS; n->iterations++) {
    if (l->b->most_points > 0 && dae_colloc_points(&l->b->stats) > l->b->most_points)
      return DAE_E_NEWTON;
    l->b->stats.newton++;
    dae_status status = dae_colloc_linear_factor(l, n->x);
    if (status != DAE_OK) return status;
    set_scale(n, l);
    dae_colloc_linear_solve(l, n->d);
    double size = norm(n, l, n->d, 0, NULL), size_bar = INFINITY;
    n->norm = size;
    if (!isfinite(size)) return DAE_E_SINGULAR;
    /* what the next correction would be is known on later meshes: |bar| = curvature |d|^2 */
    bool known = n->iterations == 0 && n->curvature * size * size <= rule.enough;
    rule.floor = rounding(l);
    dae_progress progress = dae_base_judge(&course, &rule, size, 1);
    if (size <= rule.enough || known) combine(length, n->x, 1, n->d, n->x);
    /* or rounding level was reached before, and no more is to be had */
    if (size <= rule.enough || known) return DAE_OK;
    if (progress == DAE_CONVERGED) return small(n, l, n->d, NOISE) ? DAE_OK : DAE_E_NEWTON;
    if (predict) n->damping = predicted(n, l, size, size_before, bar_before);
    bool first = n->bold && n->iterations == 0;
    bool accepted = search(n, l, first || leap ? 1 : REDUCTIONS, size, &size_bar, &status);
    if (status != DAE_OK) return status;
    if (leap && !accepted) return DAE_E_NEWTON;
    leap = first && !accepted && isfinite(size_bar);
    if (leap) {
      n->damping = 1;
      n->leapt = true;
    } else if (first && !accepted) {
      accepted = search(n, l, REDUCTIONS, size, &size_bar, &status);
    }
    if (status != DAE_OK) return status;
    l->b->stats.damping = fmin(l->b->stats.damping, n->damping);
    if (!accepted && !leap) return stuck(n, l, size);
    if (n->damping == 1 && !leap) n->curvature = size_bar / (size * size);
    if (n->iterations == 0 && n->damping == 1 && accepted)
      n->straight = size_bar <= STRAIGHT * size;
    if (n->damping == 1 && !leap && (size_bar <= WELL * size || size_bar <= n->tolerance)) {
      bool curved = size_bar > 1e-10 * size, done = finish(n, l, size, size_bar);
      /* the direction of projection belongs to the last factorization: it must be near enough to
         the solution */
      if (done && !(l->b->n_project > 0 && curved && size > n->nearness)) return DAE_OK;
      predict = false;
      continue;
    }
    slow = n->damping < SLOW ? slow + 1 : 0;
    if (slow == MOST_SLOW) return DAE_E_NEWTON;
    memcpy(n->x, n->trial, sizeof(double) * length);
    predict = !leap;
    size_before = size;
    bar_before = size_bar;
  }
  return DAE_E_NEWTON;
}
