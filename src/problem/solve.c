/*
 * 0 = r(x) by damped Newton steps of least length in scaled variables:
 *   A p = -F,  A = W^-1 J S,  F = W^-1 r,  x <- x + lambda S p,
 * where S holds the sizes of the unknowns and W those of the terms of each row, so that no unit
 * matters. lambda falls until |F| does; where no lambda serves, steps of Levenberg and Marquardt,
 *   p = -A'(A A' + mu)^-1 F.
 * When that ends beside a solution: the natural test of Deuflhard (2004, section 3.3), continuation
 * r(x) = (1 - s) r(guess), and other places to start from.
 */
#include "problem/solve.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "base/iteration.h"
#include "la/la.h"

/* residuals against the size of their terms */
static const double TIGHT = 4e-15; /* rounding */
static const double LOOSE = 1e-10; /* accepted where no step makes it smaller */
static const double ROUGH = 1e-6;  /* enough on the way of a continuation */
static const double RANK = 1e-11;  /* pivots of A, whose rows are of size 1 */
static const double ZERO = 1e-3;   /* the size of terms that all vanish, in units of S */
enum {
  STEPS = 100,   /* Newton steps; more are needed only by crawling */
  HALVINGS = 30, /* of lambda where there are no values; 10 where there are */
  PLACES = 6     /* to start from beside the guess */
};

typedef enum test { TEST_RESIDUAL, TEST_NATURAL } test;

typedef struct newton {
  const dae_equations *e;
  int rows, cols, rank;
  double *x, *trial, *guess, *best, *unit, *p, *kept;     /* cols */
  double *r, *F, *F_new, *size, *weight, *shift, *before; /* rows */
  double *J, *A, *normal, *shifted, *tau, *work;
  int *perm;
  double mu, at_best;
  bool no_direction; /* at the first point */
} newton;

size_t dae_problem_solve_room(int rows, int cols) {
  size_t m = (size_t)rows, n = (size_t)cols;
  if (m > 10000 || n > 10000) return 0;
  return 2 * m * n + 2 * m * m + 13 * m + 12 * n + 16;
}

static double *take(double **from, size_t count) {
  double *block = *from;
  *from += count;
  return block;
}

static void spread(newton *v, const dae_equations *e, double *work) {
  size_t m = (size_t)e->rows, n = (size_t)e->cols;
  *v = (newton){.e = e, .rows = e->rows, .cols = e->cols};
  double **of_cols[] = {&v->x, &v->trial, &v->guess, &v->best, &v->unit, &v->p, &v->kept};
  double **of_rows[] = {&v->r, &v->F, &v->F_new, &v->size, &v->weight, &v->shift, &v->before};
  for (size_t k = 0; k < sizeof of_cols / sizeof *of_cols; k++) *of_cols[k] = take(&work, n + 1);
  for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) *of_rows[k] = take(&work, m + 1);
  v->J = take(&work, m * n), v->A = take(&work, m * n), v->normal = take(&work, m * m);
  v->shifted = take(&work, m * m);
  v->tau = take(&work, m + n), v->work = take(&work, 3 * m + 3 * n);
  v->perm = (int *)take(&work, m + 1);
}

static bool value(newton *v, const double *x, double *r) {
  if (v->e->value(v->e->ctx, x, r) || !dae_base_finite(r, v->rows)) return false;
  for (int i = 0; i < v->rows; i++) r[i] -= v->shift[i];
  return true;
}

/* rows whose terms all vanish at the guess hand on the sizes of those columns that have one to the
   others, x'' = v' that of v' to x''; a linear system of magnitudes from 1e-6 to 1e6 loses its rank
   without. Columns that stay without get 1 */
static void hand_on_units(newton *v) {
  int m = v->rows, n = v->cols;
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < m; i++) {
      const double *J = v->J + (size_t)i * (size_t)n;
      double most = 0;
      if (v->size[i] > 0) continue;
      for (int j = 0; j < n; j++) most = fmax(most, fabs(J[j]) * v->unit[j]);
      for (int j = 0; j < n && most > 0; j++)
        if (v->unit[j] == 0 && most / fabs(J[j]) < 1e100)
          v->unit[j] = most / fabs(J[j]), again = true;
    }
  }
  for (int j = 0; j < n; j++)
    if (v->unit[j] == 0) v->unit[j] = 1;
}

/* typical sizes: as given, else the least change that an equation would notice */
static void find_units(newton *v) {
  bool all = true;
  for (int j = 0; j < v->cols; j++) {
    double most = 0, given = v->e->scale ? v->e->scale[j] : 0;
    for (int i = 0; i < v->rows; i++)
      if (v->size[i] > 0) most = fmax(most, fabs(v->J[i * v->cols + j]) / v->size[i]);
    if (!(given > 0)) given = most > 0 && 1 / most < 1e100 ? 1 / most : 0;
    v->unit[j] = given;
    all = all && given > 0;
  }
  if (!all) hand_on_units(v);
}

/* J, the sizes of terms, and the scaled system at x; its worst row in *solved */
static bool linearize(newton *v, dae_solved *solved) {
  int m = v->rows, n = v->cols;
  memset(v->J, 0, (size_t)m * (size_t)n * sizeof *v->J);
  if (!value(v, v->x, v->r) || v->e->matrix(v->e->ctx, v->x, v->J, v->size)) return false;
  if (!dae_base_finite(v->J, m * n) || !dae_base_finite(v->size, m)) return false;
  find_units(v);
  solved->relative = 0, solved->row = 0, solved->residual = m ? v->r[0] : 0;
  for (int i = 0; i < m; i++) {
    double most = 0, unit, *J = v->J + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(J[j]) * v->unit[j]);
    double terms = fmax(v->size[i], ZERO * most);
    double relative = v->r[i] == 0 ? 0 : fabs(v->r[i]) / terms;
    if (relative > solved->relative)
      solved->relative = relative, solved->residual = v->r[i], solved->row = i;
    unit = fmax(v->size[i], most);
    v->weight[i] = unit > 0 ? unit : 1;
    v->F[i] = v->r[i] / v->weight[i];
    for (int j = 0; j < n; j++)
      v->A[i * n + j] = J[j] * fmax(v->unit[j], fabs(v->x[j])) / v->weight[i];
  }
  return true;
}

/* p := -A^+ F */
static void direction(newton *v, const double *F, double *p) {
  double *b = v->work + 2 * v->rows + 2 * v->cols;
  for (int i = 0; i < v->rows; i++) b[i] = -F[i];
  dae_la_qr_min_norm(v->cols, v->rank, v->A, v->perm, v->tau, b, p, v->work);
}

/* F_new at x + lambda S p; false where it has no value */
static bool look(newton *v, double lambda) {
  for (int j = 0; j < v->cols; j++)
    v->trial[j] = v->x[j] + lambda * fmax(v->unit[j], fabs(v->x[j])) * v->p[j];
  if (!dae_base_finite(v->trial, v->cols) || !value(v, v->trial, v->F_new)) return false;
  for (int i = 0; i < v->rows; i++) v->F_new[i] /= v->weight[i];
  return true;
}

/* x along the Newton direction as far as the test allows; false: nowhere */
static bool search(newton *v, test by) {
  double *bar = v->work + 3 * v->rows + 2 * v->cols, before = dae_la_norm2(v->rows, v->F);
  v->rank = dae_la_qr_rank(v->rows, v->cols, v->A, RANK, v->perm, v->tau, v->work);
  direction(v, v->F, v->p);
  double length = dae_la_norm2(v->cols, v->p), lambda = 1;
  for (int k = 0, seen = 0; k < HALVINGS && seen < 10; k++, lambda /= 2) {
    if (!look(v, lambda)) continue;
    seen++;
    bool good = dae_la_norm2(v->rows, v->F_new) <= (1 - 0.01 * lambda) * before;
    if (by == TEST_NATURAL) {
      direction(v, v->F_new, bar);
      good = dae_la_norm2(v->cols, bar) <= (1 - lambda / 4) * length;
    }
    if (!good) continue;
    memcpy(v->x, v->trial, (size_t)v->cols * sizeof *v->x);
    return true;
  }
  return false;
}

/* N := A A' from J, and the gradient's size against F */
static double normal_matrix(newton *v) {
  int m = v->rows, n = v->cols;
  double most = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      v->A[i * n + j] = v->J[i * n + j] * fmax(v->unit[j], fabs(v->x[j])) / v->weight[i];
  for (int i = 0; i < m; i++)
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += v->A[i * n + j] * v->A[k * n + j];
      v->normal[i * m + k] = v->normal[k * m + i] = sum;
    }
  dae_la_mul_t(m, n, v->A, v->F, v->p);
  for (int j = 0; j < n; j++) most = fmax(most, fabs(v->p[j]));
  return most;
}

/* p = -A'(A A' + mu)^-1 F with the least mu that makes |F| smaller; false: none does */
static bool levenberg(newton *v) {
  int m = v->rows;
  double before = dae_la_norm2(m, v->F), *C = v->shifted, *q = v->work;
  double gradient = normal_matrix(v);
  /* rows have size 1 by their terms; where the derivatives are far smaller (x^3 = 8 near 0) mu is
     measured by them */
  double most = 0;
  for (int i = 0; i < m; i++) most = fmax(most, v->normal[i * m + i]);
  if (gradient <= 1e-10 * before * sqrt(most)) return false;
  most = fmin(most, 1);
  for (int k = 0; k < 24; k++, v->mu *= 10) {
    memcpy(C, v->normal, (size_t)m * (size_t)m * sizeof *C);
    for (int i = 0; i < m; i++) C[i * m + i] += v->mu * most, q[i] = -v->F[i];
    if (dae_la_chol(m, C)) continue;
    dae_la_chol_solve(m, C, q);
    dae_la_mul_t(m, v->cols, v->A, q, v->p);
    if (!look(v, 1) || !(dae_la_norm2(m, v->F_new) <= (1 - 1e-6) * before)) continue;
    memcpy(v->x, v->trial, (size_t)v->cols * sizeof *v->x);
    v->mu = fmax(v->mu / 100, 1e-14);
    return true;
  }
  return false;
}

static void keep_best(newton *v, const dae_solved *solved) {
  if (!(solved->relative < v->at_best)) return;
  v->at_best = solved->relative;
  memcpy(v->best, v->x, (size_t)v->cols * sizeof *v->x);
}

/* steps from v->x until the residual is `enough` or rounding; the best point in v->x */
static bool iterate(newton *v, test by, double enough, int steps, dae_solved *solved) {
  /* to what is enough, or to where rounding keeps residuals from falling */
  const dae_iteration_rule rule = {.enough = enough, .floor = LOOSE, .still = 0.5, .patience = 2};
  dae_iteration course = dae_base_iteration();
  v->at_best = INFINITY;
  v->mu = 1e-3;
  for (int k = 0; k <= steps; k++) {
    dae_solved now = *solved;
    if (!linearize(v, &now)) {
      v->no_direction = v->no_direction || k == 0;
      break;
    }
    keep_best(v, &now);
    if (now.relative == v->at_best) *solved = now;
    if (dae_base_judge(&course, &rule, now.relative, 1) == DAE_CONVERGED || k == steps) break;
    bool moved = search(v, by);
    if (!moved && now.relative > LOOSE && by == TEST_RESIDUAL) moved = levenberg(v);
    if (moved) continue;
    v->no_direction = v->no_direction || k == 0;
    break;
  }
  if (v->at_best < INFINITY) memcpy(v->x, v->best, (size_t)v->cols * sizeof *v->x);
  return v->at_best <= fmax(enough, LOOSE);
}

static void back_to_guess(newton *v) {
  memcpy(v->x, v->guess, (size_t)v->cols * sizeof *v->x);
  memset(v->shift, 0, (size_t)v->rows * sizeof *v->shift);
}

/* r(x) = (1 - s) r(guess) for s from 0 to 1, each solution the guess of the next */
static bool continuation(newton *v, dae_solved *solved) {
  enum { MOST = 120, CORRECTIONS = 10 };
  double *before = v->before, *kept = v->kept, s = 0, step = 0.125;
  back_to_guess(v);
  if (v->e->value(v->e->ctx, v->x, before) || !dae_base_finite(before, v->rows)) return false;
  for (int k = 0; k < MOST && step > 1e-4; k++) {
    double next = fmin(s + step, 1);
    memcpy(kept, v->x, (size_t)v->cols * sizeof *kept);
    for (int i = 0; i < v->rows; i++) v->shift[i] = next < 1 ? (1 - next) * before[i] : 0;
    dae_solved way = {0};
    if (iterate(v, TEST_RESIDUAL, next < 1 ? ROUGH : TIGHT, CORRECTIONS, &way)) {
      if (next == 1) *solved = way;
      if (next == 1) return true;
      s = next, step *= 1.5;
      continue;
    }
    memcpy(v->x, kept, (size_t)v->cols * sizeof *kept);
    step /= 3;
  }
  return false;
}

/* x = guess + a part of its unit, upwards first: where a guess of 0 says nothing, one unit does */
static bool other_places(newton *v, dae_solved *solved) {
  uint64_t state = 20040101;
  for (int k = 0; k < PLACES; k++) {
    back_to_guess(v);
    for (int j = 0; j < v->cols; j++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      double part = (double)(state >> 11) * 0x1p-53, side = k % 2 ? 2 * part - 1 : 0.5 + 0.5 * part;
      v->x[j] += (k < 2 ? 1 : k < 4 ? 0.1 : 10) * side * v->unit[j];
    }
    if (iterate(v, TEST_RESIDUAL, TIGHT, STEPS, solved)) return true;
  }
  return false;
}

dae_solved dae_problem_solve(const dae_equations *e, dae_effort effort, double *x, double *work) {
  newton v = {0};
  dae_solved solved = {0}, other = {0};
  spread(&v, e, work);
  memcpy(v.guess, x, (size_t)e->cols * sizeof *x);
  for (int j = 0; j < e->cols; j++) v.unit[j] = e->scale && e->scale[j] > 0 ? e->scale[j] : 1;
  back_to_guess(&v);
  solved.relative = INFINITY;
  bool ok = iterate(&v, TEST_RESIDUAL, TIGHT, STEPS, &solved);
  if (!ok && effort == DAE_EFFORT_FULL && e->cols > 0) {
    solved.elsewhere = v.no_direction;
    other = solved;
    back_to_guess(&v);
    if (!solved.elsewhere) ok = iterate(&v, TEST_NATURAL, TIGHT, STEPS, &other);
    if (!ok && !solved.elsewhere) ok = continuation(&v, &other);
    if (!ok) ok = other_places(&v, &other);
    if (ok) solved = other;
  }
  solved.ok = ok;
  if (!ok) return solved;
  memcpy(x, v.x, (size_t)e->cols * sizeof *x);
  dae_solved end = {0};
  if (linearize(&v, &end))
    solved.rank = dae_la_qr_rank(v.rows, v.cols, v.A, RANK, v.perm, v.tau, v.work);
  return solved;
}
