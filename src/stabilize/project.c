/* projection onto the constraints (1992-stab (3.10)), to the last digit */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stabilize/inside.h"

/* the worst row of a level in units of ctol times the size of its terms; <= 1 is on the
   constraint */
static double worst(dae_stabilizer *s, int level, int row0, const double *r) {
  const int rows = dae_problem_level_rows(s->sys, level);
  const double *unit = s->unit + row0;
  double most = 0;
  int bad = -1;
  for (int i = 0; i < rows; i++)
    if (!(fabs(r[i]) <= most * unit[i])) {
      most = unit[i] > 0 ? fabs(r[i]) / unit[i] : INFINITY;
      bad = i;
    }
  if (bad < 0) return most;
  s->bad_row = bad;
  s->bad_level = level;
  s->bad_residual = r[bad];
  return most;
}

/* may rounding alone have left these residuals? */
static bool at_rounding(const dae_stabilizer *s, int level, int row0, const double *r) {
  static const double ROUNDING = 1e-14; /* a few units in the last place of each term */
  const int rows = dae_problem_level_rows(s->sys, level);
  for (int i = 0; i < rows; i++)
    if (!(fabs(r[i]) <= ROUNDING * s->at->coarse[row0 + i])) return false;
  return true;
}

/* the sizes of terms change slowly: now and then is enough */
static dae_status refresh_scale(dae_stabilizer *s) {
  enum { KEEP = 16 };
  if (s->scale_age > 0 && s->scale_age < KEEP) {
    s->scale_age++;
    return DAE_OK;
  }
  dae_status status = dae_point_row_scale(s->at);
  for (int i = 0; i < s->sys->nh && status == DAE_OK; i++) s->unit[i] = s->ctol * s->at->scale[i];
  s->scale_age = status == DAE_OK;
  return status;
}

/* Residuals in units of ctol. A matrix that takes less than three quarters of them away is too old.
   Rounding in g itself can keep them above ctol: what no longer falls is accepted where it is small
   (STILL_SMALL, relative to the terms), or where rounding alone may have left it */
static const dae_iteration_rule ONTO = {
    .limit = 40, .enough = 1, .still = 0.5, .slow = 0.25, .stalls = 8};
static const double STILL_SMALL = 1e-10;

/* x^(l) <- x^(l) - M^-1 G'(G M^-1 G')^-1 r until r is at rounding. The matrix is that of a near
   point; when the residual falls by less than a factor 4 a new one is made */
static dae_status level_onto(dae_stabilizer *s, double *z, int level, int row0,
                             const dae_la_kkt *kkt, const unsigned char *fixed) {
  enum { STALLED = 2 };
  const dae_system *sys = s->sys;
  double *x = z + (size_t)level * sys->nx, *r = s->h + row0;
  const unsigned char *held = fixed ? fixed + (size_t)level * sys->nx : NULL;
  bool fresh = false;
  dae_iteration course = dae_base_iteration();
  for (;;) {
    dae_status status = dae_point_level(s->at, level, r);
    if (status != DAE_OK) return status;
    /* a row without terms is infinitely far off: the more it is to be corrected */
    double now = worst(s, level, row0, r);
    if (now > DBL_MAX) now = DBL_MAX;
    dae_progress progress = dae_base_judge(&course, &ONTO, now, 1);
    /* with a matrix at hand one correction is cheap, and what is below ctol now cannot add up over
       many steps, nor grow where the constraints are nearly singular */
    if (progress == DAE_CONVERGED && (course.count > 1 || !kkt)) return DAE_OK;
    bool small = now * s->ctol < STILL_SMALL;
    if (course.stalled >= STALLED && (small || at_rounding(s, level, row0, r))) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_DRIFT;
    if (!kkt || (progress == DAE_SLOW && (!fresh || level == 0))) {
      status = dae_stabilize_factor(s, held);
      if (status != DAE_OK) return status;
      kkt = s->kkt;
      fresh = true;
    }
    dae_stabilize_level(s, kkt, level, r, s->delta);
    double damp = course.rate > 2 ? 0.5 : 1;
    for (int j = 0; held && j < sys->nx; j++)
      if (held[j]) s->delta[j] = 0;
    for (int j = 0; j < sys->nx; j++) x[j] -= damp * s->delta[j];
    if (level == 0) dae_point_at(s->at, s->at->t, z);
    else dae_point_turned(s->at);
    if (!dae_base_finite(x, sys->nx)) return DAE_E_DRIFT;
  }
}

/* all levels in use, lowest first: position moves x, velocity then x' with the matrix of the new
   x */
static dae_status levels_onto(dae_stabilizer *s, double *z, int first, int last,
                              const dae_la_kkt *kkt, const unsigned char *fixed) {
  dae_status status = refresh_scale(s);
  int row0 = 0;
  for (int l = 0; l <= last && status == DAE_OK; l++) {
    if (l >= first) status = level_onto(s, z, l, row0, kkt, fixed);
    row0 += dae_problem_level_rows(s->sys, l);
  }
  return status;
}

/* D is kept from z~, H D is made anew where the last one does not serve */
static dae_status general_onto(dae_stabilizer *s, double *z) {
  int nz = s->sys->nz;
  dae_iteration_rule onto = ONTO;
  onto.floor = STILL_SMALL / s->ctol;
  onto.stalls = 0;
  dae_iteration course = dae_base_iteration();
  dae_status status = refresh_scale(s);
  s->age = -1;
  while (status == DAE_OK) {
    status = dae_point_invariants(s->at, s->h);
    if (status != DAE_OK) break;
    double now = 0;
    int row = 0;
    for (int l = 0; l <= s->last; l++) {
      if (l >= s->first) now = fmax(now, worst(s, l, row, s->h + row));
      row += dae_problem_level_rows(s->sys, l);
    }
    dae_progress progress = dae_base_judge(&course, &onto, fmin(now, DBL_MAX), 1);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_DRIFT;
    if (progress == DAE_SLOW) s->age = -1;
    else if (s->age >= 0) s->age = 0;
    int freeze = s->freeze;
    s->freeze = s->age >= 0 ? onto.limit : freeze;
    status = dae_stabilize_apply(s, s->h, s->delta, NULL);
    s->freeze = freeze;
    for (int i = 0; i < nz; i++) z[i] -= s->delta[i];
    dae_point_at(s->at, s->at->t, z);
    if (!dae_base_finite(z, nz)) return DAE_E_DRIFT;
  }
  return status;
}

dae_status dae_stabilize_onto(dae_stabilizer *s, double *z, const dae_point *near) {
  if (!s->by_level) return general_onto(s, z);
  return levels_onto(s, z, s->first, s->last, dae_stabilize_borrow(s, near), NULL);
}

dae_status dae_stabilize_project(dae_stabilizer *s, double t, double *z, const unsigned char *fixed,
                                 double *moved) {
  int n = s->sys->nz;
  if (moved) *moved = 0;
  if (s->sys->nh == 0) return DAE_OK;
  memcpy(s->kept, z, (size_t)n * sizeof *z);
  s->scale_age = 0;
  dae_point_at(s->at, t, z);
  dae_status status = levels_onto(s, z, 0, s->sys->order - 1, NULL, fixed);
  for (int i = 0; moved && i < n; i++)
    *moved = fmax(*moved, fabs(z[i] - s->kept[i]) / (1 + fabs(z[i])));
  return status;
}
