/*
 * The motion at a singular position: there the rows of G are dependent, and neither x^(m) nor a
 * projection can be computed; but both are smooth along a motion that goes through. So they are
 * taken as limits from both sides: with Z(d) = (projected z, x^(m), y) at t + d,
 *   (Z(d) + Z(-d)) / 2 = Z(0) + O(d^2),  even in d,
 * and extrapolated to d = 0 from four distances d, 2d, 4d, 8d. A pole of y, c/d, cancels: what is
 * left of y is its finite part. Rounding grows like eps/d^2, the rest falls like d^8: of falling d
 * the one with the least change counts.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "passage/guard.h"

/* distances that are extrapolated from, and how often the first one is halved: to rounding */
enum { WINDOW = 4, HALVINGS = 40 };
/* passes in which tangent and velocities come to fit, and the distance at which, in units of the
   time in which x changes as a whole; where the search for the limit begins */
enum { TANGENTS = 4 };
static const double TANGENT_AT = 1e-3, BEGIN_AT = 0.25;
/* limits that agree no better than this are none */
static const double ROUGH = 1e-4;
/* the search ends where a limit of the accuracy GOOD has been had and changes have grown by WORSE
   since: what is left is rounding */
static const double GOOD = 1e-7, WORSE = 1e4;
/* of the largest smallest singular value: on the position itself, where nothing can be projected;
   and below which limits (good to 1e-11 or so) are better than an elimination, which rounding
   leaves with eps/d^2 at the relative distance d */
static const double ON = 1e-6, LIMIT_BELOW = 2e-3;
/* motions slower than this part of their own size in the whole run are at rest */
static const double AT_REST = 1e-10;
/* where points beside are looked at first, in that time; below which part of what they show a
   position is singular, in motion and at rest, where any direction will do and only rounding is
   meant */
static const double ASIDE = 0.1, LOW_MOVING = 1e-2, LOW_RESTING = 1e-9;
/* the part of |x| that a change of a higher level must be seen beside */
static const double BESIDE_X = 1e-3;

static size_t values(const dae_system *sys) { return (size_t)(sys->nz + sys->nx + sys->ny); }

dae_status dae_passage_limit_new(dae_guard *g, dae_pool *pool) {
  size_t n = values(g->sys);
  if (g->sys->ny == 0) return pool->failed ? DAE_E_MEMORY : DAE_OK;
  g->limit = dae_base_doubles(pool, (WINDOW + 4) * n);
  g->limit_dz = dae_base_doubles(pool, (size_t)g->sys->nz);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* the direction that is known of the motion: (x', .., x^(m-1), 0), or f without reactions when m =
   1 */
static dae_status direction(dae_guard *g, double t, const double *z, double *dz) {
  const dae_system *sys = g->sys;
  double *a = dz + sys->nz - sys->nx;
  memset(a, 0, (size_t)sys->nx * sizeof *a);
  dae_point_at(g->point, t, z);
  dae_status status = sys->order > 1 ? DAE_OK : dae_point_force(g->point, NULL, a);
  dae_problem_chain(sys, z, a, dz);
  return status;
}

static double horizon_of(const dae_problem *p) { return p->t1 > p->t0 ? p->t1 - p->t0 : 1; }

/* a time in which x changes as a whole; 0 when it is at rest */
static double time_scale(const dae_guard *g, const double *z, const double *dz) {
  double x = dae_la_norm_max(g->sys->nx, z), v = dae_la_norm_max(g->sys->nx, dz);
  double horizon = horizon_of(g->sys->p);
  if (v <= AT_REST * x / horizon) return 0;
  /* an x that is passed in no time is the origin but for rounding: it has no size */
  return x > AT_REST * v * horizon ? fmin(x / v, horizon) : horizon;
}

/* out := (projected z, x^(m), y) at t + d, from the tangent dz at z */
static dae_status beside(dae_guard *g, double t, const double *z, const double *dz, double d,
                         double *out) {
  const dae_system *sys = g->sys;
  double *a = out + sys->nz, *y = a + sys->nx;
  for (int i = 0; i < sys->nz; i++) out[i] = z[i] + d * dz[i];
  memcpy(y, g->y, (size_t)sys->ny * sizeof *y);
  dae_status status = dae_stabilize_project(g->nearest, t + d, out, NULL, NULL);
  dae_point_at(g->point, t + d, out);
  if (status == DAE_OK) status = dae_point_accelerate(g->point, a, y);
  if (status == DAE_OK) g->most = fmax(g->most, dae_point_sigma(g->point));
  return status == DAE_OK && !dae_base_finite(out, (int)values(sys)) ? DAE_E_CALLBACK : status;
}

/* mean := (Z(d) + Z(-d)) / 2 */
static dae_status both_sides(dae_guard *g, double t, const double *z, const double *dz, double d,
                             double *mean, double *work) {
  dae_status status = beside(g, t, z, dz, d, mean);
  if (status == DAE_OK) status = beside(g, t, z, dz, -d, work);
  for (size_t i = 0; i < values(g->sys) && status == DAE_OK; i++)
    mean[i] = 0.5 * (mean[i] + work[i]);
  return status;
}

/* out := even polynomial through the values at 8d, 4d, 2d, d (rows first, first + 1, .. of the
   ring) at 0: w_k = prod_j 4^j / (4^j - 4^k) */
static void extrapolate(size_t n, const double *ring, int first, double *out) {
  static const double weight[WINDOW] = {-1 / 2835.0, 4 / 135.0, -64 / 135.0, 4096 / 2835.0};
  memset(out, 0, n * sizeof *out);
  for (int k = 0; k < WINDOW; k++) {
    const double *row = ring + (size_t)((first + k) % WINDOW) * n;
    for (size_t i = 0; i < n; i++) out[i] += weight[k] * row[i];
  }
}

/* largest change of z and x^(m), relative to its level, or to how far it moves along dz in a time
   where it passes zero; an x^(m) that vanishes is measured by x^(m-1) over the run; y may be
   anything */
static double change(const dae_system *sys, const double *a, const double *b, const double *dz,
                     double time) {
  double most = 0;
  for (int l = 0; l <= sys->order; l++) {
    size_t level = (size_t)l * sys->nx;
    double size = BESIDE_X * dae_la_norm_max(sys->nx, b) + dae_la_norm_max(sys->nx, b + level),
           gap = 0;
    if (l < sys->order) size += time * dae_la_norm_max(sys->nx, dz + level);
    else size += dae_la_norm_max(sys->nx, b + level - sys->nx) / horizon_of(sys->p);
    for (int i = l * sys->nx; i < (l + 1) * sys->nx; i++) gap = fmax(gap, fabs(a[i] - b[i]));
    if (gap > 0) most = fmax(most, gap / size);
  }
  return most;
}

/* the value with the least change under halving of d, into g->limit; *error gets the change. Values
   made of rounding may agree by accident, or because d no longer moves z: none counts for better
   than rounding allows at d */
static dae_status search(dae_guard *g, double t, const double *z, const double *dz, double time,
                         double *error) {
  const double whole = time;
  size_t n = values(g->sys);
  double *best = g->limit, *now = best + n, *last = now + n, *work = last + n, *ring = work + n;
  int filled = 0;
  *error = INFINITY;
  for (int k = 0; k < HALVINGS; k++, time /= 2) {
    dae_status status = both_sides(g, t, z, dz, time, ring + (size_t)(k % WINDOW) * n, work);
    if (status == DAE_STOPPED) return status;
    /* far away a motion may have ended: all four again */
    filled = status == DAE_OK ? filled + 1 : 0;
    if (filled < WINDOW) continue;
    memcpy(last, now, n * sizeof *now);
    extrapolate(n, ring, k + 1, now);
    double gap = filled > WINDOW ? change(g->sys, last, now, dz, whole) : INFINITY;
    gap = fmax(gap, DBL_EPSILON * (whole / time) * (whole / time));
    if (gap < *error) {
      *error = gap;
      memcpy(best, now, n * sizeof *now);
    }
    if (gap > WORSE * *error && *error < GOOD) break;
  }
  return DAE_OK;
}

/* any direction at all: a sign that does not repeat with the coordinates, each moved by its own
   size, as others may have other units; one that is nothing but rounding has that of its tolerance,
   or none of its own */
static void wiggle(const dae_guard *g, const double *z, double *dz) {
  static const double NOTHING = 1e-14;
  const dae_system *sys = g->sys;
  const dae_guard_run *run = &g->run;
  double most = dae_la_norm_max(sys->nx, z);
  memset(dz, 0, (size_t)sys->nz * sizeof *dz);
  for (int i = 0; i < sys->nx; i++) {
    double own = fabs(z[i]), size = own > NOTHING * most ? own : most;
    if (size != own && run->atols && run->rtol > 0) size = fmin(size, run->atols[i] / run->rtol);
    dz[i] = (size > 0 ? size : 1) * sin(1 + 2.3 * i);
  }
}

/* *here := the smallest singular value at z, beside which rows of G are seen that are short for the
   moment: at a distance d along dz. false where it cannot be found */
static bool glance(dae_guard *g, double t, const double *z, const double *dz, double d,
                   double *here) {
  const dae_system *sys = g->sys;
  double *moved = g->limit;
  for (int i = 0; i < sys->nz; i++) moved[i] = z[i] + d * dz[i];
  dae_point_at(g->point, t + d, moved);
  if (dae_point_factor(g->point, g->y) != DAE_OK) return false;
  dae_point_at(g->point, t, z);
  if (dae_point_factor(g->point, g->y) != DAE_OK) return false;
  *here = dae_point_sigma(g->point);
  return true;
}

/* the rank may be lost for good (redundant constraints) or in passing: points beside tell, and they
   teach the factorization how long the rows of G are in general. No smallest singular value is
   above 1, so that a glance is enough for most */
dae_position dae_passage_position(dae_guard *g, double t, const double *z, double *t_beside,
                                  const double **z_beside) {
  const dae_system *sys = g->sys;
  double *dz = g->limit_dz, there = -1, here;
  *z_beside = g->limit;
  if (sys->ny == 0 || direction(g, t, z, dz) != DAE_OK) return DAE_REGULAR;
  double time = time_scale(g, z, dz), distance = ASIDE * (time > 0 ? time : 1);
  const double low = time > 0 ? LOW_MOVING : LOW_RESTING;
  if (time == 0) wiggle(g, z, dz);
  dae_point_expect(g->point, sys->ny);
  dae_passage_lengths_keep(g);
  bool regular = glance(g, t, z, dz, distance, &here) && here >= low;
  /* far from the constraints rows have any length: those of long chains of short rods would count
     as short ever after */
  dae_passage_lengths_restore(g);
  if (regular) return DAE_REGULAR;
  for (int k = 0; k < 3; k++, distance /= -10) {
    double *value = g->limit + values(sys);
    dae_status status = beside(g, t, z, dz, distance, value);
    if (status == DAE_STOPPED) return DAE_REGULAR;
    if (status != DAE_OK) continue;
    /* rows that depend on others here too are redundant, unless no multiplier reaches them
       (index.c); rounding adds to the rank, and takes nothing from it */
    if (!g->point->Kt.x && g->point->info.rank < g->point->full_rank) {
      there = -1;
      dae_point_expect(g->point, g->point->info.rank);
    }
    there = fmax(there, dae_point_sigma(g->point));
    memcpy(g->limit, value, values(sys) * sizeof *value);
    *t_beside = t + distance;
  }
  /* a back end that cannot tell the rest from what redundancy leaves of itself sees only noise */
  if (!dae_point_expect(g->point, g->point->full_rank) && g->point->full_rank < sys->ny) {
    dae_point_expect(g->point, sys->ny);
    return DAE_REGULAR;
  }
  if (there < 0) return DAE_REGULAR;
  dae_point_at(g->point, t, z);
  here = dae_point_factor(g->point, g->y) == DAE_OK ? dae_point_sigma(g->point) : 0;
  if (here >= low * there) return DAE_REGULAR;
  return time > 0 ? DAE_SINGULAR_PASSING : DAE_SINGULAR_AT_REST;
}

/* g->limit := z, x^(m) and the finite part of y at a singular position near (t,z); *error is
   relative */
static dae_status find_limit(dae_guard *g, double t, const double *z, double *error) {
  const dae_system *sys = g->sys;
  size_t n = values(sys);
  double *dz = g->limit_dz, *mean = g->limit, *work = mean + n;
  dae_status status = direction(g, t, z, dz);
  double time = status == DAE_OK ? time_scale(g, z, dz) : 0;
  *error = INFINITY;
  if (time == 0) return status;
  /* tangent and velocities that fit: the first guess knows no reactions, and v may miss what G no
     longer says */
  for (int k = 0; k < TANGENTS && status == DAE_OK; k++) {
    status = both_sides(g, t, z, dz, TANGENT_AT * time, mean, work);
    if (status == DAE_OK) dae_problem_chain(sys, mean, mean + sys->nz, dz);
  }
  return status == DAE_OK ? search(g, t, z, dz, BEGIN_AT * time, error) : status;
}

dae_status dae_passage_limit(dae_guard *g, double t, const double *z, dae_limit *out) {
  const dae_system *sys = g->sys;
  const double *values = g->limit;
  double here = dae_point_sigma(g->point), error;
  dae_status status = find_limit(g, t, z, &error);
  *out = (dae_limit){.z = values, .a = values + sys->nz, .y = values + sys->nz + sys->nx};
  out->error = error;
  out->here = here;
  out->exists = status == DAE_OK && error < ROUGH;
  out->needed = here < ON * g->most;
  return status;
}

/* z is so near a singular position that neither slope nor projection can be computed there; the
   system must be factored at z. In steps the view says so; a value between them may be asked for
   where the method has gone on to another view */
static bool on_it(const dae_guard *g, bool between) {
  if (between) return g->watch && dae_point_sigma(g->point) < LIMIT_BELOW * g->most;
  return g->view->limiting && dae_point_sigma(g->point) < g->view->limit_below;
}

/* g->limit := z, x^(m), y at z, *better than what can be computed at z itself, which is wrong by
   about 30 eps/d^2 at the relative distance d (steer.c). Of the point, which was factored there,
   nothing is left */
static dae_status limit_at(dae_guard *g, double t, const double *z, bool *better) {
  double error, d = g->most > 0 ? dae_point_sigma(g->point) / g->most : 0;
  dae_status status = find_limit(g, t, z, &error);
  dae_point_at(g->point, t, z);
  *better = status == DAE_OK && error * d * d < 30 * DBL_EPSILON && error < ROUGH;
  if (status == DAE_STOPPED || *better) return status;
  return d > 0 ? DAE_OK : DAE_E_SINGULAR;
}

/* x^(m) and y of the limit, where they are better */
static dae_status take_limit(dae_guard *g, double t, const double *z, double *a, double *y) {
  const dae_system *sys = g->sys;
  bool better;
  dae_status status = limit_at(g, t, z, &better);
  if (status != DAE_OK || !better) return status;
  memcpy(a, g->limit + sys->nz, (size_t)sys->nx * sizeof *a);
  if (y) memcpy(y, g->limit + sys->nz + sys->nx, (size_t)sys->ny * sizeof *y);
  g->limited_t = t;
  return DAE_OK;
}

/* for dae_view.limit */
static dae_status in_place_of_elimination(void *ctx, double t, const double *z, double *a,
                                          double *y) {
  dae_guard *g = ctx;
  return on_it(g, false) ? take_limit(g, t, z, a, y) : DAE_OK;
}

dae_status dae_passage_accelerate(dae_guard *g, double t, const double *z, double *a, double *y) {
  double limited_t = g->limited_t;
  dae_point_at(g->point, t, z);
  dae_status status = dae_point_accelerate(g->point, a, y);
  if (g->watch && (status == DAE_E_SINGULAR || (status == DAE_OK && on_it(g, true))))
    status = take_limit(g, t, z, a, y);
  g->limited_t = limited_t;
  return status;
}

/* is z on a singular position, where nothing can be projected? */
static dae_status look(dae_guard *g, double t, const double *z, bool between, bool *singular) {
  *singular = false;
  if (between ? !g->watch : !g->view->limiting) return DAE_OK;
  dae_point_at(g->point, t, z);
  dae_status status = dae_point_factor(g->point, g->y);
  *singular = status == DAE_E_SINGULAR || (status == DAE_OK && on_it(g, between));
  return *singular ? DAE_OK : status;
}

/* the argument of a stage (dae_stepper.fix): off the constraints the right-hand side varies on the
   scale of the distance to the singular position. On the position itself the limit of the slope
   sees to that */
static dae_status onto_constraints(void *ctx, double t, double *z) {
  dae_guard *g = ctx;
  bool singular;
  dae_status status = look(g, t, z, false, &singular);
  return status == DAE_OK && !singular ? dae_stabilize_project(g->nearest, t, z, NULL, NULL)
                                       : status;
}

/* how far b is from a: the largest change of a level, in units of its size */
static double distance(const dae_system *sys, const double *a, const double *b) {
  double most = 0;
  for (int l = 0; l < sys->order; l++) {
    const double *from = a + (size_t)l * (size_t)sys->nx, *to = b + (size_t)l * (size_t)sys->nx;
    double gap = 0, size = dae_la_norm_max(sys->nx, from);
    for (int i = 0; i < sys->nx; i++) gap = fmax(gap, fabs(to[i] - from[i]));
    if (gap > 0) most = fmax(most, gap / size);
  }
  return most;
}

/* z := the limit, or the projection of z. Rounding spoils either, the one like eps/d^2 at the
   distance d, the other by accident, and what it adds along the motion no constraint shows: both
   satisfy them, and the one that is nearer to z has less of it */
static dae_status nearer(dae_guard *g, double t, double *z) {
  const dae_system *sys = g->sys;
  double *limit = g->limit, *projected = limit + values(sys);
  memcpy(projected, z, (size_t)sys->nz * sizeof *z);
  dae_status status = dae_stabilize_project(g->nearest, t, projected, NULL, NULL);
  if (status == DAE_STOPPED) return status;
  bool closer = status == DAE_OK && distance(sys, z, projected) < distance(sys, z, limit);
  memcpy(z, closer ? projected : limit, (size_t)sys->nz * sizeof *z);
  return DAE_OK;
}

dae_status dae_passage_onto(dae_guard *g, dae_stabilizer *by, double t, double *z,
                            const dae_point *near) {
  bool singular;
  dae_status status = look(g, t, z, by == g->nearest, &singular);
  if (status != DAE_OK) return status;
  if (!singular && by == g->nearest) return dae_stabilize_project(by, t, z, NULL, NULL);
  if (!singular) return dae_stabilize_after(by, t, z, g->view->limiting ? NULL : near);
  bool better;
  status = limit_at(g, t, z, &better);
  if (status != DAE_OK) return status;
  if (!better) return dae_stabilize_project(g->nearest, t, z, NULL, NULL);
  return nearer(g, t, z);
}

void dae_passage_hook(dae_guard *g, dae_view *view, dae_stepper *step) {
  step->fix = onto_constraints;
  view->limit = in_place_of_elimination;
  step->fix_ctx = view->limit_ctx = g;
}

void dae_passage_set_near(dae_guard *g, bool near) {
  near = near && g->watch && g->view->passes;
  g->step->fixing = near;
  g->view->limiting = near;
  g->view->limit_below = LIMIT_BELOW * g->most;
}
