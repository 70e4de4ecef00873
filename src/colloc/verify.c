/* a second look at a solution whose error estimate meets the tolerance */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/run.h"

/* two solutions within their tolerances differ by 2 of them; estimates may be off a little */
static const double AGREE = 5;
/* a condition that grows so much when elements follow the fast modes has not been seen yet in full;
   below the least one it does no harm */
static const double GROWTH = 1000, LEAST_GROWN = 1e6;
/* a looser tolerance leaves elements so long that the place of a layer is theirs, not the
   problem's */
static const double FINE_ENOUGH = 1e-3;
/* elements that a second look may always take */
enum { FOLLOWED = 2000 };
/* other meshes that may give another solution before the problem is to blame */
enum { DOUBTS = 3 };

/* from here on the amplification by the matrix is looked at on a finer mesh too: it grows by much
   where a singular problem is discretized better and better, and stays where it is the problem's */
static const double SUSPECT = 1e4, GROWS = 3;
/* a mode that swings by a larger angle on one element is not seen; errors of phase count when they
   are a part of 1/amplification */
static const double SEEN = 2, PHASE = 0.03;
/* relative error of derivatives by differences */
static const double DIFFERENCES = 1e-10;

/* the estimate of rounding is one of size, and another mesh has other signs: the tolerance that is
   advised leaves room for both */
static const double MARGIN = 5;

/* name of z_c or of a parameter */
static void variable_name(const dae_colloc_bvp *b, int c, char *out, int size) {
  int nz = b->sys->nz;
  if (c < nz) dae_problem_z_name(b->p, c, out, size);
  else if (b->b->parameter_name) snprintf(out, (size_t)size, "%s", b->b->parameter_name[c - nz]);
  else snprintf(out, (size_t)size, "parameter%d", c - nz + 1);
}

/* parts of a change by ten tolerances that may stay unseen, and by which the answer may be off, and
   the amplification from which on the second counts: below it is the derivatives that are
   inaccurate */
static const double UNSEEN = 0.7, OFF = 0.3, OFF_FROM = 1e7;

/* tolerances by which rounding may move the solution: the estimate takes errors of full size in all
   terms, and what a computation makes of them is less */
static const double ROUNDED = 3;

/* a mesh that follows fast modes has many more elements, and its solution is not the one that is
   given: what rounding does to it may be more by so much */
static const double MORE_ELEMENTS = 3;

static bool rounded(const dae_colloc_run *r, double factor) {
  const dae_colloc_condition *c = &r->condition;
  return c->rounding > factor * ROUNDED ||
         (c->unseen > UNSEEN && c->amplified > DAE_COLLOC_UNSEEN_FROM) ||
         (c->off > OFF && c->amplified > OFF_FROM);
}

/* rounding moves the solution by more than the tolerance */
static dae_status refuse_rounding(dae_colloc_run *r) {
  const dae_colloc_condition *c = &r->condition;
  dae_report *report = r->b.report;
  char name[DAE_NAME_MAX];
  r->task->hopeless = true;
  double moved = c->rounding > ROUNDED ? c->rounding : 10 * fmax(c->unseen, c->off);
  double least = moved * fmax(r->b.o->rtol, r->b.o->atol);
  bool looser = least < 1e-2 && c->rounding > ROUNDED && !r->modes.turn;
  dae_status status = looser ? DAE_E_TOLERANCE : DAE_E_SINGULAR;
  variable_name(&r->b, c->variable, name, sizeof name);
  dae_colloc_report(report, status, c->t,
                    "the problem is ill-conditioned: rounding is amplified %.1e times and moves %s "
                    "by %.2g tolerances near t = %.6g",
                    c->amplified, name, moved, c->t);
  if (!report) return status;
  if (status == DAE_E_TOLERANCE)
    dae_base_print(report->advice, sizeof report->advice,
                   "Ask for a tolerance of at least %.1e, or for other conditions.",
                   MARGIN * least);
  else
    snprintf(report->advice, sizeof report->advice,
             "No tolerance helps: other conditions, or a symmetry used by hand, may make it well "
             "posed.");
  return status;
}

dae_status dae_colloc_run_rounded(dae_colloc_run *r) {
  return r->condition.rounding > ROUNDED ? refuse_rounding(r) : DAE_OK;
}

/* other meshes give other solutions */
static dae_status refuse_doubtful(dae_colloc_run *r, double difference, double t,
                                  double amplified) {
  dae_report *report = r->b.report;
  r->task->hopeless = true;
  dae_colloc_report(report, DAE_E_SINGULAR, t,
                    "the problem is ill-conditioned: on a mesh that follows its fast modes errors "
                    "are amplified %.1e times in place of %.1e, and the solution moves by %.2g "
                    "tolerances near t = %.6g",
                    r->condition.amplified, amplified, difference, t);
  if (report)
    snprintf(report->advice, sizeof report->advice,
             "The position of a layer may be almost undetermined: other conditions, or a symmetry "
             "used by hand, "
             "may make it well posed.");
  return DAE_E_SINGULAR;
}

/* error of phase of modes that swing by this angle on each of N elements: that of the Pade
   approximation (k,k) of exp(i angle) */
static double phase_error(int k, int N, double angle) {
  double error = N * angle;
  for (int j = 1; j <= k; j++) {
    double twice = 2.0 * j;
    error *= angle * angle * j * j / ((twice - 1) * twice * twice * (twice + 1));
  }
  return error;
}

/* rounding of the tables is the same on every element: where modes swing it adds up to an error of
   phase, of half an epsilon for each radian, and shows where a variable passes zero. In a few turns
   it is no more than rounding of random signs, which is known */
static void note_phase(dae_colloc_run *r) {
  static const double MANY_RADIANS = 100;
  dae_colloc_condition *c = &r->condition;
  if (r->modes.angle < MANY_RADIANS) return;
  double moved = 0.5 * DBL_EPSILON * r->modes.angle * c->sharpest;
  if (!(moved > c->rounding)) return;
  c->rounding = moved;
  c->variable = c->sharp;
}

/* may a finer mesh show that the problem is singular? Its modes swing by this angle on each of N
   elements */
static bool doubtful(const dae_colloc_run *r, int N, double swing) {
  double singular = r->condition.singular;
  return swing > SEEN || singular > SUSPECT ||
         singular * phase_error(r->b.rule.k, N, swing) > PHASE;
}

static bool suspect(const dae_colloc_run *r) {
  return doubtful(r, r->now->shape.N, r->modes.swing);
}

/* with derivatives by differences much smaller angles raise doubts: see judge_matrix */
double dae_colloc_run_harmless(const dae_colloc_run *r, int N) {
  double angle = DAE_COLLOC_SWING;
  while (!r->b.at->work->differs && !doubtful(r, N, 1.5 * angle)) angle *= 1.5;
  return angle;
}

/* the linear problem has solutions of its own, or as good as that */
static dae_status refuse_singular(dae_colloc_run *r) {
  dae_report *report = r->b.report;
  r->task->hopeless = true;
  dae_colloc_report(report, DAE_E_SINGULAR, r->b.p->t0,
                    "the linearized problem is singular up to rounding: errors are amplified %.1e "
                    "times; its solution is not unique",
                    r->condition.singular);
  if (report)
    snprintf(report->advice, sizeof report->advice,
             "The equations leave a free motion with these conditions: other conditions, or one "
             "more with an unknown parameter, may leave one solution.");
  return DAE_E_SINGULAR;
}

/* is the matrix regular, on this mesh and a finer one? *sure: yes, or not and the status says so;
   else the mesh must be halved to know */
static dae_status judge_matrix(dae_colloc_run *r, bool *sure) {
  double before = r->singular, now = r->condition.singular;
  double turns = 1 + r->now->shape.N * r->modes.swing;
  *sure = true;
  r->insist = false;
  r->singular = now;
  if (now > fmin(DAE_COLLOC_SINGULAR, 1e-3 / (DBL_EPSILON * turns))) return refuse_singular(r);
  /* derivatives by differences have an error of phase of their own, which hides a free motion */
  bool hidden = r->b.at->work->differs && r->modes.swing <= SEEN &&
                now * DIFFERENCES * r->now->shape.N * r->modes.swing > PHASE;
  if (hidden) return refuse_singular(r);
  if (!suspect(r) || (before > 0 && r->modes.swing <= SEEN && now < GROWS * before)) return DAE_OK;
  *sure = false;
  r->insist = true;
  return DAE_OK;
}

/* the solution is the same for all values of a parameter, as x = 0 is for every period. Others may
   be found on another way */
static dae_status refuse_parameter(dae_colloc_run *r) {
  char name[DAE_NAME_MAX];
  variable_name(&r->b, r->b.sys->nz + r->condition.undetermined, name, sizeof name);
  dae_colloc_report(r->b.report, DAE_E_SINGULAR, r->b.p->t0,
                    "the parameter %s is not determined: the solution that was found does not "
                    "depend on it by a tolerance",
                    name);
  if (r->b.report)
    snprintf(r->b.report->advice, sizeof r->b.report->advice,
             "Give a better guess, or a condition that this solution does not satisfy.");
  return DAE_E_SINGULAR;
}

/* the mesh of r->now with elements that follow the fast modes everywhere; where these are too many,
   with elements that grow slowly away from layers, and from the ends where they may have layers.
   False: nothing to add, or too much */
static bool graded_mesh(dae_colloc_run *r) {
  int *scratch = dae_base_ints(&r->b.pool, (size_t)r->now->shape.N), most = 4 * r->now->shape.N;
  double span = r->b.p->t1 - r->b.p->t0;
  r->modes.everywhere = span / r->modes.follow < most + FOLLOWED;
  int N = scratch ? dae_colloc_mesh_graded(r->now, &r->modes, scratch, NULL) : 0;
  bool more = N > r->now->shape.N && N <= r->b.o->mesh_max;
  double *t = more ? dae_base_doubles(&r->b.pool, (size_t)N + 1) : NULL;
  if (t) {
    dae_base_give(&r->b.pool, r->t);
    r->t = t;
    r->N = dae_colloc_mesh_graded(r->now, &r->modes, scratch, t);
  }
  dae_base_give(&r->b.pool, scratch);
  return t != NULL;
}

/* solves on the graded mesh from r->now */
static dae_status solve_again(dae_colloc_run *r, dae_solution **out) {
  r->halved = false;
  r->redistributed = 0;
  dae_status status = dae_colloc_run_new(r, NULL, out);
  if (status != DAE_OK) return status;
  r->checking = true;
  status = dae_colloc_run_solve(r, *out);
  r->checking = false;
  if (status == DAE_OK) return status;
  dae_solution_free(*out);
  *out = NULL;
  return status;
}

/* the next mesh is that of r->now with points where the right-hand side jumps; false: it does
   not */
static bool moved_to_jumps(dae_colloc_run *r) {
  double *t = dae_base_doubles(&r->b.pool, (size_t)r->now->shape.N + 1);
  bool jumps = t && dae_colloc_run_hidden_jumps(r, r->now, t) > 0;
  if (jumps) {
    dae_base_give(&r->b.pool, r->t);
    r->t = t;
    r->N = r->now->shape.N;
  } else dae_base_give(&r->b.pool, t);
  return jumps;
}

/*
 * An estimate that compares two meshes believes in both. Where rounding alone moves the solution by
 * a tolerance no estimate counts. Where fast modes turn, elements that are too long to follow them
 * may hide that the problem determines next to nothing: a mesh that follows them must give the same
 * solution.
 */
dae_status dae_colloc_run_verify(dae_colloc_run *r, bool *accepted) {
  dae_solution *other = NULL;
  double t = r->b.p->t0, difference = INFINITY, amplified = r->condition.amplified;
  dae_status matrix;
  *accepted = true;
  if (r->task->load != 1 || r->task->loosen != 1) return DAE_OK;
  if (r->condition.undetermined >= 0) return refuse_parameter(r);
  if (moved_to_jumps(r)) {
    *accepted = false;
    matrix = solve_again(r, &other);
    if (matrix != DAE_OK) return matrix;
    dae_solution_free(r->now);
    r->now = other;
    return DAE_OK;
  }
  note_phase(r);
  matrix = judge_matrix(r, accepted);
  if (matrix != DAE_OK || !*accepted) return matrix;
  if (rounded(r, 1)) return refuse_rounding(r);
  if (!r->modes.turn) return DAE_OK;
  if (r->b.loosen * r->b.o->rtol > FINE_ENOUGH) {
    r->b.loosen = FINE_ENOUGH / r->b.o->rtol;
    *accepted = false;
    return DAE_OK;
  }
  if (!graded_mesh(r)) return DAE_OK;
  dae_status status = solve_again(r, &other);
  bool failed = status == DAE_E_NEWTON || status == DAE_E_SINGULAR;
  if (status != DAE_OK && !failed) return status;
  if (!failed && rounded(r, MORE_ELEMENTS)) {
    dae_solution_free(other);
    return refuse_rounding(r);
  }
  if (!failed) difference = dae_colloc_difference(&r->b, other, r->now, &t);
  dae_base_log(&r->b.o->log, DAE_LOG_INFO, "another mesh moves the solution by %.2e tolerances",
               difference);
  bool grown = r->condition.amplified > fmax(LEAST_GROWN, GROWTH * amplified);
  *accepted = difference <= AGREE && !grown;
  if (*accepted || failed || grown || ++r->doubts >= DOUBTS) {
    dae_solution_free(other);
    return *accepted ? DAE_OK : failed ? status : refuse_doubtful(r, difference, t, amplified);
  }
  dae_solution_free(r->now);
  r->now = other;
  return DAE_OK;
}
