/*
 * losses of rank that are no singular positions: G M^-1 K is singular although G keeps its rank,
 * so that a multiplier loses its influence for a moment.
 *
 * Where G itself loses rank, points of the solution are projected onto constraints that are as
 * good on both sides, and the motion goes through. Where K alone does, the index is higher on that
 * point and the hidden equations are singular there: x1' = x2 - (1-t) y, x2' = -x1 - y with
 * 0 = x1 - sin t leaves w = x2 - cos t with w' = -w/(1-t), in which an error of one step comes out
 * divided by its distance from t = 1. No smaller step helps and no estimate sees it.
 */
#include <math.h>
#include <string.h>

#include "la/la.h"
#include "passage/guard.h"

/* larger matrices are not looked at: sweeps over their rows would take longer than the run; and
   halvings down to rounding */
enum { LARGEST = 200000, HALVINGS = 48 };
/* of the smallest singular value of G at the end of the step: less is a loss of rank of its own */
static const double KEPT = 0.1;
/* of the largest smallest singular value of [M K; G 0]: behind the point the multiplier acts again.
   Where it does not, its influence is lost for good, which drive/watchdog.c tells */
static const double RISEN = 1e-6;
/* and of rows of length 1 that depend on each other everywhere */
static const double DEPENDENT = 1e-8;
/* of the largest smallest singular value of [M K; G 0]: the sign is looked at where an end of the
   step is lower; between two higher ends the search of crossing.c sees the minimum */
static const double LOOKED = 0.5;

dae_status dae_passage_influence_new(dae_guard *g, dae_pool *pool) {
  const dae_matrix *G = &g->point->G;
  size_t n = (size_t)G->rows;
  bool other = g->sys->p->kind == DAE_HESSENBERG && g->point->Kt.x;
  if (!other || G->rows > G->cols || (long)G->rows * G->cols > LARGEST) return DAE_OK;
  g->rows = dae_base_doubles(pool, n * (size_t)G->cols);
  g->sigma = dae_base_doubles(pool, n);
  g->lengths = dae_base_doubles(pool, n);
  g->product = dae_base_doubles(pool, n * n);
  g->pivot = dae_base_data(pool, n, sizeof *g->pivot);
  g->column = dae_base_doubles(pool, n + (size_t)G->cols);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* the sign of det G K; 0 where there is none. Past a simple zero it is the other one, however short
   or long the step was and wherever its points lie */
static int sign_at(dae_guard *g, double t, const double *z) {
  dae_point *p = g->point;
  int n = p->G.rows, sign = 1;
  double *unit = g->column, *column = g->column + n;
  dae_point_at(p, t, z);
  if (dae_point_gradient(p) != DAE_OK || dae_point_multipliers(p, g->y) != DAE_OK) return 0;
  memset(unit, 0, (size_t)n * sizeof *unit);
  for (int j = 0; j < n; j++) {
    memset(column, 0, (size_t)p->G.cols * sizeof *column);
    unit[j] = 1;
    dae_matrix_t_add(dae_point_Kt(p), unit, column);
    unit[j] = 0;
    dae_matrix_times(&p->G, column, g->product + (size_t)j * (size_t)n);
  }
  if (!dae_base_finite(g->product, n * n) || dae_la_lu(n, g->product, g->pivot)) return 0;
  for (int i = 0; i < n; i++) {
    double pivot = g->product[(size_t)i * (size_t)n + (size_t)i];
    sign *= (pivot > 0) - (pivot < 0);
    if (g->pivot[i] != i) sign = -sign;
  }
  return sign;
}

/* the smallest singular value of G with rows in units of g->lengths, which are those of this point
   where `own`; NaN where there is none */
static double smallest(dae_guard *g, double t, const double *z, bool own) {
  dae_point_at(g->point, t, z);
  if (dae_point_gradient(g->point) != DAE_OK) return NAN;
  const dae_matrix *G = &g->point->G;
  int n = G->cols;
  memset(g->rows, 0, (size_t)G->rows * (size_t)n * sizeof *g->rows);
  dae_matrix_put(G, 1, g->rows, (size_t)n, 1);
  for (int i = 0; i < G->rows; i++) {
    double *row = g->rows + (size_t)i * (size_t)n, sum = 0;
    for (int j = 0; j < n; j++) sum = hypot(sum, row[j]);
    if (own) g->lengths[i] = sum;
    for (int j = 0; j < n && g->lengths[i] > 0; j++) row[j] /= g->lengths[i];
  }
  return dae_la_svd(G->rows, n, g->rows, g->sigma) ? NAN : g->sigma[G->rows - 1];
}

static bool inside(const dae_guard *g, double t) {
  dae_stepper *a = g->step;
  return a->cls->dense(a, (t - a->t_old) / a->h_old, g->u_work, NULL) == DAE_OK;
}

bool dae_passage_influence_lost(dae_guard *g, double t) {
  const dae_stepper *a = g->step;
  if (!g->rows || a->h_old == 0 || g->view->to_z || !(g->end > RISEN * g->most)) return false;
  dae_point_aside(g->point);
  double end = smallest(g, a->t, a->z, true), there = NAN;
  if (inside(g, t)) there = smallest(g, t, g->u_work, false);
  dae_point_back(g->point);
  return end > DEPENDENT && there > KEPT * end;
}

/* between points of the step with different signs */
static double between(dae_guard *g, double a, double b, int sign) {
  for (int k = 0; k < HALVINGS; k++) {
    double middle = a + (b - a) / 2;
    if (!inside(g, middle)) break;
    if (sign_at(g, middle, g->u_work) == sign) a = middle;
    else b = middle;
  }
  return b;
}

double dae_passage_influence_turned(dae_guard *g) {
  const dae_stepper *a = g->step;
  double t = NAN;
  if (!g->rows || a->h_old == 0 || g->view->to_z || g->point->full_rank < g->point->G.rows)
    return NAN;
  bool low = fmin(g->end, g->before_sign) < LOOKED * g->most;
  g->before_sign = g->end;
  if (g->sign != 0 && !low) return NAN;
  dae_point_aside(g->point);
  if (g->sign == 0 && inside(g, a->t_old)) g->sign = sign_at(g, a->t_old, g->u_work);
  int sign = sign_at(g, a->t, a->z);
  if (g->sign * sign < 0) t = between(g, a->t_old, a->t, g->sign);
  if (sign != 0) g->sign = sign;
  dae_point_back(g->point);
  return !isnan(t) && dae_passage_influence_lost(g, t) ? t : NAN;
}
