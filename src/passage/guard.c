/*
 * The guard of a run: what it says about each step.
 *
 *   begin      is a singular position near already?
 *   attempted  does one lie too near a point of the attempt? Then another size
 *   accepted   has the step led across one? A way that passes may, others hand over
 *   after      is the next one so near that the way must change now?
 *   failed     is one the reason why steps fail?
 */
#include <math.h>
#include <string.h>

#include "passage/guard.h"

/* retries in a step: each puts the position between other points, and a few are enough */
enum { STEERINGS = 8 };
/* of the largest smallest singular value of the run: where steps that fail have it to blame; where
   rates say nothing; where a way that does not pass gives up, before rounding has spoiled the
   velocities; where it comes back; and where stages are projected from the first one on */
static const double BLAMED = 0.2, BLIND = 0.1, LEAVE = 0.05, RETURN = 0.2, LOW = 0.01;

dae_status dae_passage_new(dae_guard **out, dae_pool *pool, dae_point *point,
                           dae_stabilizer *nearest, const double *y) {
  dae_guard *g = *out = dae_base_take(pool, 1, sizeof *g);
  if (!g) return DAE_E_MEMORY;
  *g = (dae_guard){.sys = point->sys, .point = point, .nearest = nearest, .y = y};
  dae_base_moving(pool, &g->view, 1);
  dae_base_moving(pool, &g->step, 1);
  dae_base_moving(pool, &g->at.z, 1);
  dae_base_moving(pool, &g->at.dz, 1);
  if (g->sys->ny > 0) g->passage = dae_base_data(pool, DAE_PASSAGE_MAX, sizeof *g->passage);
  dae_status status = dae_passage_influence_new(g, pool);
  return status == DAE_OK ? dae_passage_limit_new(g, pool) : status;
}

bool dae_passage_crosses(const dae_view *view, const dae_stepper *step) {
  return view->kind == DAE_VIEW_ODE && view->passes && !step->method->implicit;
}

dae_status dae_passage_run(dae_guard *g, dae_pool *pool, const dae_guard_run *run) {
  g->run = *run;
  int nz = run->view[0]->nz;
  if (run->view[1] && run->view[1]->nz > nz) nz = run->view[1]->nz;
  g->u_work = dae_base_doubles(pool, (size_t)nz);
  g->z_work = dae_base_doubles(pool, (size_t)g->sys->nz);
  for (int i = 0; i < 2 && run->view[i]; i++) dae_passage_hook(g, run->view[i], run->step[i]);
  dae_passage_take(g, 0);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

void dae_passage_take(dae_guard *g, int way) {
  const dae_guard_run *run = &g->run;
  g->now = way;
  g->view = run->view[way];
  g->step = run->step[way];
  g->crosses = dae_passage_crosses(g->view, g->step);
  g->stand_by = run->view[1] && !g->crosses;
}

/* ---- the start ---- */

void dae_passage_reset(dae_guard *g) {
  g->watch = !g->run.off && g->sys->ny > 0;
  g->most = g->rounding = g->end = 0;
  g->limited_t = g->passed_t = g->crossing = NAN;
  g->risen = INFINITY;
  g->falling = true; /* or not: it is not known */
  g->passed = 0;
  g->influence = false;
  g->sign = 0;
  g->before_sign = 0;
  dae_point_lengths_start(g->point);
}

void dae_passage_start_on(dae_guard *g, double t, double here) {
  g->limited_t = g->passed_t = t;
  g->risen = 0;
  g->end = here;
}

void dae_passage_start(dae_guard *g, double t) {
  const dae_la_kkt_info *info = &g->point->info;
  bool on = g->limited_t == t; /* and the value is known */
  if (!on) g->end = info->smallest;
  g->watch = g->watch && (on || info->rank >= g->point->full_rank);
  g->most = fmax(g->most, g->end);
  g->before = g->end;
  g->smallest = g->sys->ny > 0 ? g->end : 0;
  g->t_smallest = t;
  dae_passage_set_near(g, g->limited_t == t);
}

void dae_passage_started(dae_guard *g, double t, const double *z) {
  dae_passage_lengths_keep(g);
  dae_passage_witness_start(g, t, z);
  g->small_steps = 0;
}

/* ---- a step ---- */

/* has the last step ended close to rank loss? */
static bool low(const dae_guard *g) {
  return g->step->watch.n > 0 && g->step->h_old != 0 && g->step->watch.end < LOW * g->most;
}

void dae_passage_begin(dae_guard *g, const dae_attempt *at) {
  g->at = *at;
  g->steerings = g->run.alone ? STEERINGS : 0;
  g->leaving = g->limited_t == at->t;
  bool near = g->leaving || (!g->run.alone && low(g));
  if (near || dae_passage_near(g)) dae_passage_set_near(g, near);
}

/* near a singular position the error estimate means nothing: this comes before it */
dae_verdict dae_passage_attempted(dae_guard *g, double h) {
  dae_verdict verdict = {DAE_VERDICT_ACCEPT, h, NAN};
  if (!g->watch || !g->view->passes || g->steerings >= STEERINGS || dae_passage_calm(g))
    return verdict;
  if (!g->run.fixed_steps) verdict.h = dae_passage_steer(g, h);
  bool near = !dae_passage_near(g) && dae_passage_ahead(g, h);
  if (near) dae_passage_set_near(g, true);
  if (verdict.h == h && !near) return verdict;
  g->steerings++;
  if (!g->run.fixed_steps) dae_passage_rejected(g);
  verdict.kind = DAE_VERDICT_RETRY;
  return verdict;
}

void dae_passage_rejected(dae_guard *g) { dae_passage_lengths_restore(g); }

/* a method that does not pass singular positions has crossed one near t, or will: the way that
   passes takes the step instead, or the run ends */
static dae_verdict refuse(const dae_guard *g, double t) {
  return (dae_verdict){g->stand_by && g->watch ? DAE_VERDICT_HAND_OVER : DAE_VERDICT_END, 0, t};
}

dae_status dae_passage_accepted(dae_guard *g, double share, dae_verdict *verdict) {
  double crossed = NAN;
  dae_status status = g->watch ? dae_passage_crossing(g, share, &crossed) : DAE_OK;
  *verdict = isnan(crossed) ? (dae_verdict){DAE_VERDICT_ACCEPT, 0, NAN} : refuse(g, crossed);
  if (g->influence) verdict->kind = DAE_VERDICT_END;
  return status;
}

void dae_passage_settled(dae_guard *g, double t, const double *z) {
  const dae_watch *seen = &g->step->watch;
  g->at.t = t;
  dae_passage_lengths_keep(g);
  if (seen->n > 0) g->end = seen->end;
  if (g->end > g->risen) g->risen = g->end;
  if (g->sys->ny > 0 && g->end < g->smallest) {
    g->smallest = g->end;
    g->t_smallest = t;
  }
  dae_passage_witness_keep(g, t, z);
}

/* does the way that was asked for go on from here? */
static bool behind(const dae_guard *g) {
  bool passed = !((g->crossing - g->at.t) * g->step->h_old > 0);
  return g->now == 1 && passed && !g->falling && g->end > RETURN * g->most;
}

dae_verdict dae_passage_after(dae_guard *g, double h) {
  dae_verdict verdict = {DAE_VERDICT_ACCEPT, h, NAN};
  /* a smooth passage does not need steps like these */
  if (dae_passage_stuck(g, h)) return (dae_verdict){DAE_VERDICT_END, h, g->at.t};
  if (!g->run.view[1]) return verdict;
  if (g->stand_by && g->watch && g->falling && g->end < LEAVE * g->most &&
      dae_passage_at_rank_loss(g))
    verdict.kind = DAE_VERDICT_HAND_OVER;
  else if (g->run.for_passage && !dae_passage_near(g) && behind(g))
    verdict.kind = DAE_VERDICT_HAND_BACK;
  return verdict;
}

bool dae_passage_at_rank_loss(dae_guard *g) {
  if (g->sys->ny == 0) return false;
  dae_point_at(g->point, g->at.t, g->at.z);
  dae_status status = dae_point_factor(g->point, g->y);
  return status == DAE_E_SINGULAR ||
         (status == DAE_OK && g->point->info.smallest < BLAMED * g->most);
}

dae_verdict dae_passage_failed(dae_guard *g, bool for_good) {
  bool other = g->stand_by && g->watch;
  if ((other || for_good) && dae_passage_at_rank_loss(g)) return refuse(g, other ? NAN : g->at.t);
  return (dae_verdict){DAE_VERDICT_ACCEPT, 0, NAN};
}

/* what the other form leaves of the constraints would be an error of the first step: the least
   change. Where that fails the first step will say so */
void dae_passage_hand_over(dae_guard *g, dae_verdict verdict, double *z) {
  size_t size = (size_t)g->sys->nz * sizeof *z;
  g->crossing = verdict.t;
  dae_passage_set_near(g, true); /* its first slope may have to be a limit */
  memcpy(g->z_work, z, size);
  if (dae_passage_onto(g, g->nearest, g->at.t, g->z_work, NULL) == DAE_OK)
    memcpy(z, g->z_work, size);
}

dae_end_reason dae_passage_end_reason(const dae_guard *g) {
  if (g->influence) return DAE_END_INFLUENCE;
  if (g->watch && g->crosses) return DAE_END_BRANCH;
  return g->run.off ? DAE_END_OFF : DAE_END_METHOD;
}

/* ---- what it knows ---- */

bool dae_passage_near(const dae_guard *g) { return g->step->fixing; }

bool dae_passage_watches(const dae_guard *g) { return g->watch; }

bool dae_passage_blinds(const dae_guard *g) {
  return g->watch && g->point->info.smallest < BLIND * g->most;
}

bool dae_passage_limited(const dae_guard *g, double t) {
  return g->limited_t == t || (g->view->limiting && g->end < g->view->limit_below);
}

dae_passage_record dae_passage_known(const dae_guard *g) {
  return (dae_passage_record){.smallest = g->smallest,
                              .t_smallest = g->t_smallest,
                              .rounding = g->rounding,
                              .passed = g->passed,
                              .list = g->passage};
}

void dae_passage_lengths_keep(dae_guard *g) { dae_point_lengths_keep(g->point); }

void dae_passage_lengths_restore(dae_guard *g) { dae_point_lengths_back(g->point); }
