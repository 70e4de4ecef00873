/* the boundary value solver: Newton on a mesh, error by halving, the next mesh */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/run.h"

/* intervals of the first mesh, fewer when these have so many points; finer ones that are tried: on
   the way of continuation a shorter step is better */
enum { FIRST_MESH = 5, FIRST_POINTS = 25, MOST_FIRST = 100, RETRIES = 5, RETRIES_ON_THE_WAY = 1 };
/* intervals that show every multiplier without layers, and meshes in a row that may ask for more
   and more of them */
enum { MANY = 100, MOST_GROWING = 3 };
/* intervals that may be needed where one is, when the next mesh is this one halved */
static const double RESOLVED = 2;
/* times that intervals may be given up */
enum { MOST_SHRUNK = 3 };

/* number of stages: enough for the tolerance and the order */
static int choose_stages(const dae_problem *p, const dae_settings *o) {
  int k = o->rtol < 3e-7 ? 7 : o->rtol < 1e-4 ? 5 : 4, m = dae_problem_order(p);
  return k > m ? k : m + 1;
}

/* numbers that cannot be meant */
static dae_status check_numbers(const dae_problem *p, const dae_settings *o, dae_report *report) {
  const char *fault = !(o->rtol >= 0 && o->atol >= 0 && isfinite(o->rtol) && isfinite(o->atol))
                          ? "rtol and atol must not be negative"
                      : o->mesh < 0 || o->mesh_max < 1
                          ? "mesh must not be negative, mesh_max at least 1"
                      : o->mesh > o->mesh_max ? "mesh is greater than mesh_max"
                      : !(o->mesh_grade > 0)  ? "mesh_grade must be positive"
                                              : NULL;
  if (fault) {
    dae_colloc_report(report, DAE_E_INPUT, p->t0, "%s", fault);
    return DAE_E_INPUT;
  }
  bool own = p->boundary && p->boundary->z_tol && p->boundary->y_tol;
  if (o->fixed_mesh || own || (o->rtol + o->atol >= 1e-14 && o->atol > 0)) return DAE_OK;
  dae_colloc_report(
      report, DAE_E_TOLERANCE, p->t0,
      "the tolerance is below rounding, or atol is 0: a variable that passes zero would have none");
  return DAE_E_TOLERANCE;
}

static dae_status choose_method(const dae_problem *p, const dae_settings *o, bool *radau, int *k,
                                dae_report *report) {
  *radau = false;
  *k = choose_stages(p, o);
  if (!o->method || dae_colloc_rule_of(o->method, radau, k)) return DAE_OK;
  dae_colloc_report(
      report, DAE_E_FORM, p->t0,
      "method %s does not solve boundary value problems: use colloc-gaussK or colloc-radauK",
      o->method->name);
  return DAE_E_FORM;
}

/* what the verdict on s needs while its factorization is there */
static dae_status look_closer(dae_colloc_run *r, dae_solution *s, dae_colloc_linear *l,
                              double *const scratch[3], dae_pool *pool) {
  const dae_settings *o = r->b.o;
  bool asked = r->task->load == 1 && r->task->loosen == 1, candidate = s->error <= 1 && asked;
  bool stays = r->now && s->error > 0.9 * r->now->error;
  /* the mesh before had all the intervals that it needed, and still halving gains nothing */
  bool doubted = stays && asked && r->worst <= 1;
  r->condition = (dae_colloc_condition){0};
  if (!candidate && stays && !doubted)
    r->condition.singular = dae_colloc_singularity(l, scratch[0], scratch[1]);
  if (!candidate && !doubted && !o->fixed_mesh && !r->checking) return DAE_OK;
  dae_colloc_conditioning(l, s->x, scratch, &r->condition);
  r->b.stats.condition = fmax(r->condition.amplified, r->condition.singular);
  dae_base_log(&o->log, DAE_LOG_INFO,
               "conditioning: rounding is amplified %.2e times and moves the solution by %.2e "
               "tolerances near t = %.6g; answers to a change are off by %.2e; without scale %.2e",
               r->condition.amplified, r->condition.rounding, r->condition.t, r->condition.off,
               r->condition.singular);
  if (!candidate || o->fixed_mesh) return DAE_OK;
  return dae_colloc_modes(l, s->x, dae_colloc_run_harmless(r, s->shape.N), pool, &r->modes);
}

/* Newton's method failed at its start, near a solution on another mesh, or for rounding: is it the
   matrix, on every mesh? */
static void blame_matrix(dae_colloc_run *r, dae_colloc_linear *l, const dae_colloc_newton *n,
                         dae_status status) {
  enum { EARLY = 2 };
  bool early = n->iterations <= EARLY || r->now;
  r->task->singular = false;
  bool factored = n->norm > 0; /* else the bound on points ended it before there was a matrix */
  if (status == DAE_E_SINGULAR) r->task->singular = early && l->blocks.place >= 0;
  else if (status == DAE_E_NEWTON && factored && (n->lost || early))
    r->task->singular = dae_colloc_singularity(l, n->d, n->bar) > DAE_COLLOC_SINGULAR;
}

/* Newton on the mesh of s, from the values in s */
dae_status dae_colloc_run_solve(dae_colloc_run *r, dae_solution *s) {
  dae_colloc_bvp *b = &r->b;
  dae_pool pool;
  dae_colloc_linear l;
  dae_colloc_newton n = {0};
  size_t length = dae_colloc_length(&s->shape);
  dae_base_pool_init(&pool, &b->o->allocator);
  dae_status status = dae_colloc_linear_init(&l, b, &pool, &s->shape, s->t);
  double **vector[] = {&n.d, &n.bar, &n.trial};
  for (int i = 0; i < 3; i++) *vector[i] = dae_base_doubles(&pool, length);
  n.scale = dae_base_doubles(&pool, (size_t)s->shape.ns + 1);
  n.x = s->x;
  if (pool.failed) status = DAE_E_MEMORY;
  size_t held = pool.bytes + s->pool.bytes + (r->now ? r->now->pool.bytes : 0) + b->pool.bytes;
  if (held > b->stats.bytes) b->stats.bytes = held;
  /* with a fixed mesh the discretization is asked for: solved to rounding, which grows with the
     elements */
  double rounding = 1e-14 + 1e-15 * sqrt(s->shape.N);
  n.tolerance =
      b->o->fixed_mesh ? rounding : fmax(rounding, 1e-3 * fmin(1e-3, b->loosen * b->o->rtol));
  /* a direction that is off by a tenth puts a tenth of the local error back, which the estimate
     sees */
  n.nearness = b->o->fixed_mesh ? 1e-10 : 0.1;
  n.curvature = r->curvature;
  n.bold = r->bold;
  b->stats.meshes++;
  if (r->n_history < DAE_COLLOC_MESHES) r->history[r->n_history++] = s->shape.N;
  if (status == DAE_OK) status = dae_colloc_newton_solve(&n, &l);
  if (status == DAE_OK) status = dae_colloc_solution_multipliers(b, s);
  r->curvature = status == DAE_OK ? n.curvature : INFINITY;
  r->bold = false;
  if (status == DAE_OK && r->now && r->halved) dae_colloc_error(b, r->now, s);
  else if (status == DAE_OK) status = dae_colloc_run_look_back(r, &l, s, &n);
  if (status == DAE_OK) status = look_closer(r, s, &l, (double *[]){n.d, n.bar, n.trial}, &pool);
  r->curvature = status == DAE_OK ? n.curvature : INFINITY;
  r->leapt = n.leapt;
  if (status == DAE_OK && !r->now && n.straight) r->task->straight = true;
  dae_base_log(&b->o->log, DAE_LOG_INFO,
               "mesh of %d intervals: %s after %d iterations, correction %.2e, damping %.2e",
               s->shape.N, dae_status_name(status), n.iterations + 1, n.norm, n.damping);
  if (status != DAE_OK) blame_matrix(r, &l, &n, status);
  if (status != DAE_OK) status = dae_colloc_run_explain(r, s, &l, &n, status);
  dae_base_pool_free(&pool);
  return status;
}

/* the next mesh of r->t with values from the best that is known */
dae_status dae_colloc_run_new(dae_colloc_run *r, const dae_solution *guess, dae_solution **out) {
  dae_status status = dae_colloc_solution_new(out, &r->b, r->N);
  if (status == DAE_OK) {
    memcpy((*out)->t, r->t, sizeof(double) * (size_t)(r->N + 1));
    if (r->now) dae_colloc_solution_transfer(&r->b, *out, r->now, r->halved);
    else status = dae_colloc_guess(&r->b, *out, guess);
  }
  if (status == DAE_E_MEMORY)
    dae_colloc_report(r->b.report, status, r->b.p->t0, "no memory for a mesh of %d intervals",
                      r->N);
  if (status != DAE_OK) {
    dae_solution_free(*out);
    *out = NULL;
  }
  return status;
}

static dae_status need_room(dae_colloc_run *r, int N) {
  dae_base_give(&r->b.pool, r->t);
  r->t = dae_base_doubles(&r->b.pool, (size_t)N + 2 + (size_t)r->b.b->n_side);
  return r->t ? DAE_OK : DAE_E_MEMORY;
}

/* every interval of a mesh halved */
static dae_status halve(dae_colloc_run *r, const double *t, int N) {
  double *old = r->t;
  r->t = dae_base_doubles(&r->b.pool, 2 * (size_t)N + 1);
  if (!r->t) {
    r->t = old;
    return DAE_E_MEMORY;
  }
  for (int i = 0; i < N; i++) {
    r->t[2 * i] = t[i];
    r->t[2 * i + 1] = t[i] + 0.5 * (t[i + 1] - t[i]);
  }
  r->t[2 * N] = t[N];
  r->N = 2 * N;
  dae_base_give(&r->b.pool, old);
  return DAE_OK;
}

/* the mesh that the layers of the solution ask for; false: there are none, or it has fewer
   points than are there already */
static bool layered_mesh(dae_colloc_run *r, dae_status *status) {
  dae_colloc_layer layer[DAE_COLLOC_LAYERS];
  const dae_solution *s = r->now;
  dae_colloc_linear l = {.b = &r->b, .shape = s->shape, .t = s->t};
  dae_pool pool;
  dae_base_pool_init(&pool, &r->b.o->allocator);
  dae_colloc_bvp_set(&r->b, dae_solution_parameter(s));
  int count = dae_colloc_layers(&l, s->x, &pool, layer);
  int N = dae_colloc_mesh_layers(&r->b, layer, count, NULL);
  dae_base_pool_free(&pool);
  if (count == 0 || N <= s->shape.N || N > r->b.o->mesh_max) return false;
  *status = need_room(r, N);
  if (*status == DAE_OK) r->N = dae_colloc_mesh_layers(&r->b, layer, count, r->t);
  r->layered = true;
  dae_base_log(&r->b.o->log, DAE_LOG_DEBUG, "%d layers, the first near t = %.6g with width %.2e",
               count, layer[0].t, layer[0].width);
  return true;
}

/* intervals were given up that were needed after all: no more of that. True: by the last step, so
   many that one interval needs more than there are, and the mesh before is known. Less is mended by
   spreading them anew */
static bool given_up_too_many(dae_colloc_run *r, double worst) {
  static const double UNSEEN = 8;
  bool last = r->shrank;
  r->shrank = false;
  if (r->shrunk == 0 || worst <= UNSEEN) return false;
  r->shrunk = MOST_SHRUNK;
  return last && r->before && worst > r->now->shape.N;
}

/* from a mesh on which something is lost back to the one before, halved */
static dae_status go_back(dae_colloc_run *r) {
  dae_solution_free(r->now);
  r->now = r->before;
  r->before = NULL;
  r->halved = true;
  r->layered = false;
  r->redistributed = 0;
  dae_base_log(&r->b.o->log, DAE_LOG_DEBUG, "something is lost there: back to %d intervals, halve",
               r->now->shape.N);
  return halve(r, r->now->t, r->now->shape.N);
}

/*
 * What next. `worst` intervals are needed where one is, at the worst place.
 *   resolved (worst <= 2): halve, so that the error can be estimated; when far too many intervals
 * are there, spread
 *     fewer of them first (three times at most)
 *   once, with layers by the linearized equations: a mesh that sees them
 *   even: halve, as more are needed everywhere; not a mesh that was made for layers
 *   else spread as many or more by the density, which finds layers step by step; after three
 * times halve
 */
static dae_status choose_mesh(dae_colloc_run *r) {
  const dae_solution *s = r->now;
  int N = s->shape.N;
  double *density = dae_base_doubles(&r->b.pool, (size_t)N), worst = 0;
  if (!density) return DAE_E_MEMORY;
  double needed = dae_colloc_mesh_density(&r->b, s, density), want = 0.6 * needed + 2;
  for (int i = 0; i < N; i++) worst = fmax(worst, density[i] * (s->t[i + 1] - s->t[i]));
  if (given_up_too_many(r, worst)) {
    dae_base_give(&r->b.pool, density);
    return go_back(r);
  }
  bool resolved = worst <= RESOLVED, even = !r->layered && worst * N < 2 * needed,
       shrink = resolved && r->shrunk < MOST_SHRUNK && N > 40 && want < 0.4 * N;
  /* two meshes that show all there is differ all the same: errors add up that no element shows */
  if (r->worst <= 1 && s->error > 1) shrink = false;
  r->worst = worst;
  r->layered = false;
  /* multipliers are derivatives of what is known up to rounding: the finer the mesh, the more */
  bool grows = r->b.sys->ny > 0 && N > MANY && needed > 1.5 * r->needed && needed > 4 * N;
  r->growing = grows ? r->growing + 1 : 0;
  r->needed = needed;
  if (r->insist) shrink = false;
  /* errors that are larger than the density says have not been seen by it either */
  bool look = r->blind && !r->insist && (!resolved || s->error > 1);
  if (look) r->blind = false;
  dae_status status = DAE_OK;
  r->halved = false;
  if (look && layered_mesh(r, &status)) {
    dae_base_give(&r->b.pool, density);
    return status;
  }
  r->halved = r->insist || (!shrink && (resolved || even || r->redistributed >= 3));
  r->redistributed = r->halved ? 0 : r->redistributed + 1;
  r->shrunk += shrink;
  r->shrank = shrink && !r->halved;
  dae_base_log(&r->b.o->log, DAE_LOG_DEBUG, "%d intervals, %.1f needed, worst %.2f, error %.2e: %s",
               N, needed, worst, s->error, r->halved ? "halve" : "spread");
  if (r->halved) {
    status = halve(r, s->t, N);
  } else {
    /* few elements tell less of where more are needed, and a loose tolerance little about where
       Newton's method converges */
    bool way = r->b.loosen > 1 || r->task->load != 1;
    want = shrink ? fmax(want, (way ? 0.5 : 0.3) * N) : fmin(fmax(want, N), 2.0 * N);
    want = fmin(want, fmax(r->b.o->mesh_max / 2, N));
    status = need_room(r, (int)want + 1);
    if (status == DAE_OK) r->N = dae_colloc_mesh_spread(&r->b, s, density, (int)want, r->t);
  }
  dae_base_give(&r->b.pool, density);
  return status;
}

/* first mesh, solved; more intervals when Newton fails on few */
static dae_status first_solution(dae_colloc_run *r, const dae_solution *guess) {
  const dae_settings *o = r->b.o;
  int k = r->b.rule.k,
      first = FIRST_POINTS / k < FIRST_MESH ? (FIRST_POINTS + k - 1) / k : FIRST_MESH;
  int N = o->mesh > 0 ? o->mesh : o->mesh_max < first ? o->mesh_max : first;
  if (o->mesh <= 0 && !guess && !o->fixed_mesh)
    N = dae_colloc_guess_intervals(&r->b, N, o->mesh_max < MOST_FIRST ? o->mesh_max : MOST_FIRST);
  dae_status status = DAE_OK;
  if (guess && o->mesh <= 0) {
    /* the mesh of an earlier solution was halved for its error estimate: that is undone, unless
       inner conditions
       hold its points */
    int stride =
        guess->shape.N % 2 == 0 && guess->shape.N > FIRST_MESH && r->b.b->n_side == 0 ? 2 : 1;
    N = guess->shape.N / stride;
    status = need_room(r, N);
    for (int i = 0; status == DAE_OK && i <= N; i++) r->t[i] = guess->t[i * stride];
    r->N = N;
  } else {
    status = need_room(r, N);
    if (status == DAE_OK) r->N = dae_colloc_mesh_first(&r->b, N, r->t);
  }
  for (int retry = 0; status == DAE_OK;) {
    dae_solution *s;
    status = dae_colloc_run_new(r, guess, &s);
    if (status != DAE_OK) return status;
    if (retry == 0) status = dae_colloc_load_rows(&r->b, s);
    if (retry == 0 && status == DAE_OK)
      status = dae_colloc_separated(&r->b, dae_colloc_Z(&s->shape, s->x, 0),
                                    dae_colloc_Z(&s->shape, s->x, r->N),
                                    dae_colloc_parameters(&s->shape, s->x));
    if (status == DAE_OK) status = dae_colloc_run_solve(r, s);
    if (status == DAE_OK) {
      r->now = s;
      return DAE_OK;
    }
    dae_solution_free(s);
    bool again = !r->task->hopeless && !r->task->singular &&
                 (status == DAE_E_NEWTON || status == DAE_E_SINGULAR || status == DAE_E_CALLBACK);
    /* the leap led nowhere: the same mesh once more, carefully */
    if (again && r->leapt) {
      status = DAE_OK;
      continue;
    }
    int most = guess && r->b.loosen > 1 ? RETRIES_ON_THE_WAY : RETRIES;
    if (!again || o->fixed_mesh || retry++ == most || 2 * r->N > o->mesh_max) return status;
    status = halve(r, r->t, r->N);
  }
  return status;
}

/* on the way of continuation a mesh that outgrows what is usual is a step too far */
static int most_intervals(const dae_colloc_run *r) {
  enum { ON_THE_WAY = 4000 };
  int most = r->b.o->mesh_max;
  return r->b.loosen > 1 && most > ON_THE_WAY ? ON_THE_WAY : most;
}

/* one more mesh from the present solution; the error when it is a halving */
static dae_status next_solution(dae_colloc_run *r) {
  dae_solution *s;
  dae_status status = choose_mesh(r);
  if (status == DAE_OK && r->N > most_intervals(r)) {
    char estimate[80] = "not known";
    if (isfinite(r->now->error))
      dae_base_print(estimate, sizeof estimate, "estimated at %.2g times the tolerance",
                     r->now->error);
    dae_colloc_report(
        r->b.report, DAE_E_MESH, r->b.p->t0,
        "%s asks for more than mesh_max = %d intervals; the error is %s on %d",
        r->insist ? "the conditioning (the equations oscillate fast, or are nearly singular)"
                  : "the tolerance",
        r->b.o->mesh_max, estimate, r->now->shape.N);
    return DAE_E_MESH;
  }
  if (status == DAE_OK) status = dae_colloc_run_new(r, NULL, &s);
  if (status != DAE_OK) return status;
  status = dae_colloc_run_solve(r, s);
  if (status != DAE_OK) dae_solution_free(s);
  /* a mesh that was spread anew may be too bold: the present one, halved, is the safe choice */
  if ((status == DAE_E_NEWTON || status == DAE_E_SINGULAR) && !r->halved) {
    r->halved = true;
    r->redistributed = 0;
    status = halve(r, r->now->t, r->now->shape.N);
    if (status == DAE_OK) status = dae_colloc_run_new(r, NULL, &s);
    if (status != DAE_OK) return status;
    status = dae_colloc_run_solve(r, s);
    if (status != DAE_OK) dae_solution_free(s);
  }
  if (status != DAE_OK) return status;
  dae_solution_free(r->before);
  r->before = r->now;
  r->now = s;
  return DAE_OK;
}

/* errors that do not fall although the mesh is halved, with a matrix near to singular: there is
   no solution */
static bool hopeless(const dae_colloc_run *r, double error_before) {
  return r->now->error > 0.9 * error_before &&
         (r->b.stats.rcond < 1e-11 || r->condition.singular > 0.01 * DAE_COLLOC_SINGULAR);
}

/* halving a mesh that shows all there is makes errors of multipliers smaller by much, unless they
   are made of rounding, or of derivatives by differences */
static bool noisy(const dae_colloc_run *r, double error_before) {
  static const double FALLS = 0.5;
  bool grown = r->now->shape.N > MANY && r->now->error > error_before;
  bool stays =
      r->worst <= RESOLVED && 2 * r->now->shape.N > MANY && r->now->error > FALLS * error_before;
  return r->b.sys->ny > 0 && (grown || stays);
}

static dae_status refuse_noise(dae_colloc_run *r) {
  dae_report *report = r->b.report;
  r->task->hopeless = true;
  dae_colloc_report(report, DAE_E_TOLERANCE, r->b.p->t0,
                    "finer meshes do not reduce the error: on %d intervals it is dominated by "
                    "rounding, or by derivatives from differences",
                    r->now->shape.N);
  if (report)
    snprintf(report->advice, sizeof report->advice,
             "Ask for a looser tolerance, or give the derivatives.");
  return DAE_E_TOLERANCE;
}

static dae_status refine(dae_colloc_run *r) {
  dae_status status = DAE_OK;
  double error_before = INFINITY;
  int stuck = 0, noise = 0;
  bool accepted;
  /* the first mesh may have an estimate already: see lookback.c */
  r->halved = r->now->error <= 1;
  for (int i = 0; status == DAE_OK && i < DAE_COLLOC_MESHES; i++) {
    if (i > 0 || !r->halved) status = next_solution(r);
    if (status != DAE_OK) break;
    if (r->growing >= MOST_GROWING && r->b.loosen == 1) return refuse_noise(r);
    if (!r->halved) continue;
    if (r->now->error <= 1) {
      status = dae_colloc_run_verify(r, &accepted);
      if (status != DAE_OK || accepted) return status;
      continue;
    }
    if (hopeless(r, error_before) && ++stuck >= 3) {
      r->task->hopeless = r->condition.singular > 0;
      dae_colloc_report(r->b.report, DAE_E_SINGULAR, r->b.p->t0,
                        "the problem has no isolated solution: the linear system is singular up to "
                        "rounding (condition %.1e) and finer meshes do not converge",
                        fmax(r->condition.singular, 1 / r->b.stats.rcond));
      return DAE_E_SINGULAR;
    }
    status = dae_colloc_run_rounded(r);
    if (status != DAE_OK) return status;
    noise = noisy(r, error_before) ? noise + 1 : 0;
    if (noise >= 2 && r->b.loosen == 1) return refuse_noise(r);
    error_before = r->now->error;
  }
  if (status == DAE_OK) {
    status = DAE_E_MESH;
    dae_colloc_report(
        r->b.report, status, r->b.p->t0,
        "%d meshes did not reach the tolerance; the error is estimated at %.2g times it",
        DAE_COLLOC_MESHES, r->now->error);
  }
  return status;
}

static bool compatible(const dae_problem *p, const dae_solution *g, dae_report *report) {
  if (!g || (g->nz == dae_problem_nz(p) && g->ny == dae_problem_ny(p))) return true;
  dae_colloc_report(report, DAE_E_INPUT, p->t0,
                    "the solution passed as a guess does not have the variables of this problem");
  return false;
}

static long lmax(long a, long b) { return a > b ? a : b; }

dae_status dae_colloc_bvp_attempt(const dae_problem *p, const dae_settings *o,
                                  dae_colloc_task *task, const dae_solution *guess,
                                  dae_solution **out, dae_report *report) {
  dae_colloc_run r = {0};
  bool radau;
  int k;
  if (out) *out = NULL;
  if (report) *report = (dae_report){.event = -1};
  if (!p || !o || !out) return DAE_E_INPUT;
  if (!compatible(p, guess, report)) return DAE_E_INPUT;
  dae_status status = check_numbers(p, o, report);
  if (status == DAE_OK) status = choose_method(p, o, &radau, &k, report);
  if (status != DAE_OK) return status;
  status = dae_colloc_bvp_init(&r.b, p, o, radau, k, report);
  r.task = task;
  r.b.form.load = task->load;
  r.b.loosen = task->loosen;
  r.b.most_points = task->points;
  r.bold = !guess;
  r.blind = !guess && o->mesh <= 0;
  r.curvature = r.worst = INFINITY;
  if (status == DAE_OK) status = first_solution(&r, guess);
  if (status == DAE_OK && !o->fixed_mesh) status = refine(&r);
  /* differences make dependent conditions look independent, just so */
  if (status == DAE_OK && r.b.stats.rcond < 1e-9 && dae_colloc_run_dependent(&r, r.now))
    status = DAE_E_SINGULAR;
  if (r.now) {
    /* verify.c may have asked for more than the tolerance */
    if (task->loosen == 1) r.now->error *= r.b.loosen;
    r.now->stats = r.b.stats;
    r.now->n_history = r.n_history;
    memcpy(r.now->history, r.history, sizeof r.history);
    dae_colloc_bvp_set(&r.b, dae_solution_parameter(r.now));
    if (report) {
      report->step = r.now->shape.N;
      report->rcond = r.b.stats.rcond;
    }
  }
  /* failures on the way that were mended are not the verdict */
  if (status == DAE_OK) dae_colloc_report(report, status, p->t1, "%s", dae_status_meaning(status));
  *out = r.now;
  if (task->points > 0) task->points = lmax(1, task->points - dae_colloc_points(&r.b.stats));
  dae_solution_free(r.before);
  dae_colloc_bvp_free(&r.b);
  return status;
}
