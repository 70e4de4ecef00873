/* step size control: weights, first step, PI controller */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* what rounding leaves of a step, relative to z: at most, as the iteration of an implicit step
   rounds more coarsely than an explicit one, most of all with one divided by h; and at least */
static const double ROUNDING_EXPLICIT = 1e-14, ROUNDING_STAGES = 1e-13, ROUNDING_MULTISTEP = 3e-13;
static const double ROUNDING_LEAST = 1e-15;
/* the least part of the tolerance that a step with a reserve may use, so that many small steps cost
   no more than that; in a run of high order that is LONG indeed a third of it, at little cost */
static const double SHARE_LEAST = 1e-3, SHARE_LEAST_LONG = 3e-4;
enum { LONG = 3000, HIGH_ORDER = 8 };
/* Implicit problems are mostly stiff: errors of a fast phase are damped, and many short steps in it
   say little of how many there will be. A step with a reserve may use as much as if the run went on
   as it began: of COUNTED + k steps the next one has a part of COUNTED */
static const double COUNTED = 8;
/* failures that make rounding the suspect: in one step, or weighed over several (two for a failure,
   one back for a success); what is then taken for rounding is tenfold, at most this part of the
   tolerance */
enum { IN_THIS = 3, IN_VAIN = 8 };
static const double COARSER = 10, COARSE_MOST = 1e-3;
/* suspicions fade, as a start may be rougher than the rest; so many tolerances may rounding use up
   in all before the run is ended */
static const double FADES = 0.99, SPENT_MOST = 8;
/* the first step: an Euler step moves by a per cent where sizes are known (KNOWN, in tolerances);
   the first step goes at most so many times as far, more where the second derivative is known */
static const double PER_CENT = 0.01, KNOWN = 1e-5, TINY = 1e-6, REACH = 100, REACH_KNOWN = 1000;
/* two sizes that failed are about the same; for so many steps others then stay below them */
static const double ALIKE = 0.8, BELOW = 0.93;
enum { SOON = 60 };

/* A method whose order is above that of its estimate gains with each shorter step what more of them
   add up to: error/tolerance stays what it is however many there are. Others (and those that vary
   their order, where the estimate has the same) have no such reserve. */
static bool has_reserve(const dae_stepper *a) {
  return a->order == 0 && a->method->order > a->method->estimate;
}

static double safe_rounding(const dae_method *m) {
  return !m->implicit ? ROUNDING_EXPLICIT : m->stages > 1 ? ROUNDING_STAGES : ROUNDING_MULTISTEP;
}

/* the same as a part of the tolerance. Without reserve it stands for the error of a step, so that
   it is taken for little until steps fail (dae_drive_coarser); with one the safe value will do */
static double rounding_share(const dae_solver *s) {
  double rounding = s->control.step_rounding;
  rounding = fmax(rounding, has_reserve(s->step) ? safe_rounding(s->step->method) : ROUNDING_LEAST);
  return rounding / fmax(s->plan.o.rtol, s->plan.o.atol);
}

/* errors add up over the run, so each step may make h/span of the tolerance: the error at the end
   is then about the tolerance itself; not less than what rounding leaves of a step */
static double share(const dae_solver *s, double h) {
  const dae_method *m = s->step->method;
  if (s->control.span <= 0) return 1;
  bool reserve = has_reserve(s->step);
  bool tight = m->order < HIGH_ORDER || s->stats.steps < LONG;
  double least = !reserve ? 0 : tight ? SHARE_LEAST : SHARE_LEAST_LONG;
  least = fmax(least, rounding_share(s));
  double noise = dae_passage_noise(s->guard);
  if (noise > 0) least = fmax(least, noise / dae_drive_tolerance(s));
  double part = fmin(1, fmax(least, fabs(h) / s->control.span));
  /* a one-step method that is far better than its estimate has much of that in hand already */
  if (m->stages <= 1 || m->estimate + 1 >= m->order) return part;
  if (s->implicit) part = fmax(part, COUNTED / (COUNTED + (double)s->stats.steps));
  return sqrt(part);
}

double dae_drive_tolerance(const dae_solver *s) {
  return dae_step_tolerance(s->step, s->plan.o.rtol, s->plan.o.atol, s->plan.o.atols);
}

/* Steps fail again and again, however short: rounding is more than it was taken for, in stiff
   problems by their stiffness. A failure weighs as two steps that went well */
void dae_drive_coarser(dae_solver *s, int failures) {
  dae_control *c = &s->control;
  if (s->implicit) dae_drive_implicit_relax(s, true);
  const double tolerance = fmax(s->plan.o.rtol, s->plan.o.atol);
  const bool reserve = has_reserve(s->step);
  /* with a reserve a step may use all of it: variables near zero beside others that are large have
     their rounding */
  const double most =
      reserve ? tolerance : fmax(safe_rounding(s->step->method), COARSE_MOST * tolerance);
  if ((reserve && !s->step->stood) || c->step_rounding >= most) return;
  c->in_vain += 2;
  if (failures < IN_THIS && c->in_vain < IN_VAIN) return;
  c->in_vain = 0;
  const double now = reserve ? s->control.share : rounding_share(s);
  c->step_rounding = fmin(most, COARSER * now * tolerance);
  dae_drive_weights(s);
}

/* Where rounding is more than h/span of the tolerance, the error at the end is no longer the
   tolerance but what rounding adds up to: when that is more than a few tolerances, the method
   cannot keep it */
dae_status dae_drive_spend(dae_solver *s) {
  dae_control *c = &s->control;
  const bool reserve = has_reserve(s->step);
  if (reserve && !s->implicit) return DAE_OK;
  if (s->implicit) dae_drive_implicit_relax(s, false);
  const double rounding = rounding_share(s);
  /* what steps have shown is for a while only: a start may be rougher than the rest */
  c->step_rounding *= FADES;
  if (c->in_vain > 0) c->in_vain--;
  if (reserve) return DAE_OK;
  if (dae_passage_near(s->guard) || rounding * s->control.span <= fabs(s->step->h_old))
    return DAE_OK;
  /* beyond what any step rounds it is stiffness that made steps fail, and that damps errors */
  c->spent += fmin(rounding, safe_rounding(s->step->method) / fmax(s->plan.o.rtol, s->plan.o.atol));
  if (c->spent <= SPENT_MOST) return DAE_OK;
  return dae_drive_report(s, DAE_E_TOLERANCE,
                          "%s cannot meet the tolerance %g: rounding in its %ld steps up to t = "
                          "%.15g may exceed it; use a method of higher order",
                          s->step->method->name, fmax(s->plan.o.rtol, s->plan.o.atol),
                          s->stats.steps, s->t);
}

static void set_weights(dae_solver *s, double h) {
  const double *z = s->step->z, atol = s->control.share * s->plan.o.atol,
               rtol = s->control.share * s->plan.o.rtol;
  const double *own = s->view->to_z ? NULL : s->plan.o.atols;
  if (!own)
    for (int i = 0; i < s->view->nz; i++) s->control.weight[i] = 1 / (atol + rtol * fabs(z[i]));
  for (int i = 0; own && i < s->view->nz; i++)
    s->control.weight[i] = 1 / (s->control.share * own[i] + rtol * fabs(z[i]));
  if (s->implicit) dae_drive_implicit_weights(s, h, s->control.weight);
}

/* w_i = 1 / share (atol_i + rtol |z_i|), with the share of the step that comes next. Unknowns of a
   form that are not z have the smallest atol */
void dae_drive_weights(dae_solver *s) {
  s->control.share = share(s, s->control.h);
  set_weights(s, s->control.h);
}

/* for the first step, whose size is known now: without a reserve the share of none is rounding,
   which fits sizes that follow from these weights, not those of implicit problems */
void dae_drive_weights_first(dae_solver *s) {
  if (s->implicit && !has_reserve(s->step)) dae_drive_weights(s);
}

void dae_drive_weights_for(dae_solver *s, double h) {
  if (s->implicit && dae_drive_implicit_graded(s)) set_weights(s, h);
}

/* Hairer, Norsett, Wanner II.4: a step whose Euler step moves by a per cent, made smaller by the
   second derivative that it shows. Where that is known the first step may use its tolerance, and go
   far beyond the Euler step: a start from rest shows large accelerations and nothing else */
double dae_drive_first_step(dae_solver *s, double t_limit, dae_status *status) {
  *status = DAE_OK;
  double span = t_limit - s->t, sign = span < 0 ? -1 : 1;
  if (s->plan.o.first_step > 0) return sign * fmin(s->plan.o.first_step, fabs(span));
  int n = s->view->nz;
  const dae_stepper *a = s->step;
  double h_known;
  if (s->implicit && dae_drive_implicit_first(s, fabs(span), &h_known)) return sign * h_known;
  double d0 = dae_step_norm(n, a->z, s->control.weight),
         d1 = dae_step_norm(n, a->dz, s->control.weight);
  double h0 = d0 < KNOWN || d1 < KNOWN ? TINY : PER_CENT * d0 / d1;
  h0 = fmin(h0, fabs(span));
  double d2 = 0, part = PER_CENT, reach = REACH;
  if (s->view->kind == DAE_VIEW_ODE) {
    double *z = s->step->z_new, *f = s->step->error;
    for (int i = 0; i < n; i++) z[i] = a->z[i] + sign * h0 * a->dz[i];
    s->step->evaluations++;
    dae_status trial =
        s->step->fixing ? s->step->fix(s->step->fix_ctx, s->t + sign * h0, z) : DAE_OK;
    if (trial == DAE_OK) trial = s->view->rhs(s->view, s->t + sign * h0, z, NULL, f, NULL);
    if (trial == DAE_STOPPED) *status = trial;
    if (trial == DAE_OK) {
      for (int i = 0; i < n; i++) f[i] -= a->dz[i];
      d2 = dae_step_norm(n, f, s->control.weight) / h0;
      part = 1, reach = REACH_KNOWN;
    }
  }
  double most = fmax(d1, d2), power = 1.0 / (s->step->method->estimate + 1);
  double h1 = most <= 1e-15 ? fmax(TINY, h0 * 1e-3) : pow(part / most, power);
  double h = fmin(fmin(reach * h0, h1), fabs(span));
  if (s->plan.o.max_step > 0) h = fmin(h, s->plan.o.max_step);
  return sign * h;
}

static double controlled(dae_solver *s, double h, double norm, bool accepted) {
  double factor = dae_method_step_factor(s->step->method, norm, s->control.norm_before, accepted);
  if (accepted) s->control.norm_before = fmax(norm, DAE_STEP_NORM_LEAST);
  return h * factor;
}

/* Steps that fail again and again at about the same size are at the bound of stability, where the
   error says nothing until it is too late: for some time they stay a little below. High order
   seldom gets there: two failures alike are chance. */
static double below_wall(dae_solver *s, double h, double next, bool accepted) {
  dae_control *c = &s->control;
  long now = s->stats.steps + s->stats.rejected;
  int often = s->step->method->order < HIGH_ORDER ? 1 : 2;
  if (!accepted) {
    bool again = c->failed_h > 0 && now - c->failed_at < SOON && fabs(h) > ALIKE * c->failed_h &&
                 ALIKE * fabs(h) < c->failed_h;
    c->failed_again = again ? c->failed_again + 1 : 0;
    c->wall = c->failed_again >= often ? BELOW * fmin(fabs(h), c->failed_h) : 0;
    c->failed_h = fabs(h);
    c->failed_at = now;
  }
  if (now - c->failed_at > SOON) c->wall = 0;
  return c->wall > 0 && fabs(next) > c->wall ? copysign(c->wall, next) : next;
}

double dae_drive_next_step(dae_solver *s, double h, double norm, bool accepted) {
  dae_stepper *a = s->step;
  double next = a->cls->next_step ? a->cls->next_step(a, norm, accepted)
                                  : below_wall(s, h, controlled(s, h, norm, accepted), accepted);
  /* no growth right after a rejection */
  return accepted && s->control.rejected_before && fabs(next) > fabs(h) ? h : next;
}
