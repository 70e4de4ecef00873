/*
 * is the index what the problem's form states? At the start, when the rank of G M^-1 K is low:
 *   rank (G K) < rank G at the start and at all points near it     another index
 *   rank G < rows likewise, and a row does not follow from others  a degenerate constraint
 *   rank G < rows likewise, all do, and rank (G K) < rank K        the motion is not determined
 *   rank G < rows likewise, all do, else                           redundant constraints: allowed
 *   else                                                           a singular position
 * Ranks must not depend on units: terms that cancel are measured by their own size, entries of G by
 * the sizes of the variables.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

enum { POINTS = 3, DENSE_MOST = 250000 };
static const double LOW = 1e-3; /* smallest singular value that asks for a look */
static const double BESIDE =
    0.03; /* distance of points near the start, in sizes of the variables */
static const double NEARER = 1e-3;      /* a part of it, where Newton's method is slow */
static const double GIVEN = 1e-10;      /* what is left of zero by given derivatives, */
static const double DIFFERENCES = 1e-7; /* and by differences */
static const double FALLEN = 1e-4;      /* a row of G this short beside its usual length is zero */

struct dae_exam {
  double *z, *size, *G, *X, *S, *top, *g, *moved_g, *work, *tau;
  int *perm;
  double zero;
};

typedef struct ranks {
  int of_G, of_S, of_K;
  int row; /* a constraint that no multiplier reaches, or that depends on others */
} ranks;

dae_status dae_drive_index_new(dae_solver *s) {
  size_t nx = (size_t)s->sys->nx, ny = (size_t)s->sys->ny, nz = (size_t)s->sys->nz;
  if (ny == 0 || nx * ny > DENSE_MOST) return DAE_OK;
  struct dae_exam *e = s->exam = dae_base_take(&s->pool, 1, sizeof *e);
  if (!e) return DAE_E_MEMORY;
  size_t wide = nx > ny ? nx : ny;
  double *room = dae_base_doubles(&s->pool, 2 * nz + 2 * nx * ny + ny * wide + 7 * ny + 2 * wide);
  e->perm = dae_base_ints(&s->pool, ny);
  if (s->pool.failed) return DAE_E_MEMORY;
  e->z = room, e->size = e->z + nz, e->G = e->size + nz, e->X = e->G + nx * ny;
  e->S = e->X + nx * ny, e->top = e->S + ny * wide, e->g = e->top + ny, e->moved_g = e->g + ny;
  e->tau = e->moved_g + ny, e->work = e->tau + ny;
  const dae_problem *p = s->p;
  bool given = p->kind == DAE_MECHANICAL ? p->mechanical.G || p->mechanical.evaluate
                                         : p->hessenberg.G && p->hessenberg.B;
  e->zero = given ? GIVEN : DIFFERENCES;
  return DAE_OK;
}

/* typical sizes by level: of the variable itself, or a part of the largest of its level, but no
   more than what its own tolerance takes for one. Others may be in other units: no more than it
   moves in the run where it does move, nor than MORE times what it is where that is more than the
   rounding of others */
static void sizes(const dae_solver *s, const double *z, double *size) {
  const dae_system *sys = s->sys;
  const dae_settings *o = &s->plan.o;
  static const double MORE = 100, NOTHING = 1e-12;
  double all = dae_la_norm_max(sys->nz, z), horizon = fabs(sys->p->t1 - sys->p->t0);
  for (int l = 0; l < sys->order; l++) {
    const double *x = z + (size_t)l * sys->nx, *dx = l + 1 < sys->order ? x + sys->nx : NULL;
    double most = dae_la_norm_max(sys->nx, x);
    if (most == 0) most = all > 0 ? all : 1;
    for (int j = 0; j < sys->nx; j++) {
      double least = 0.1 * most;
      if (o->atols && o->rtol > 0) least = fmin(least, o->atols[(size_t)l * sys->nx + j] / o->rtol);
      if (dx && dx[j] != 0 && horizon > 0) least = fmin(least, fabs(dx[j]) * horizon);
      if (fabs(x[j]) > NOTHING * most) least = fmin(least, MORE * fabs(x[j]));
      size[(size_t)l * sys->nx + j] = fmax(fabs(x[j]), least);
    }
  }
}

/* point k near z, `part` of BESIDE away, on no constraint yet; *t moves too, as coefficients may
   depend on it alone */
static void near_point(const dae_solver *s, const double *z, int k, double part, double *t,
                       double *out) {
  const double *size = s->exam->size;
  double horizon = fabs(s->p->t1 - s->p->t0);
  for (int j = 0; j < s->sys->nz; j++)
    out[j] = z[j] + part * (BESIDE * size[j] * sin(1 + 2.3 * j + 5.1 * k));
  *t += 1e-3 * (horizon > 0 ? horizon : 1) * (0.31 + k) * (s->p->t1 < s->p->t0 ? -1 : 1);
}

/* in units of the variables: the sizes that go with the columns of G */
static const double *units(const dae_solver *s) {
  return s->exam->size + (s->sys->ng == 0 ? s->sys->nz - s->sys->nx : 0);
}

/* the largest entry of a row */
static double row_most(dae_row r, const double *unit) {
  double most = 0;
  for (int k = 0; k < r.count; k++) most = fmax(most, fabs(r.x[k] * unit[dae_row_column(&r, k)]));
  return most;
}

/* *top: at least what the rows of G are at z */
static dae_status learn(dae_solver *s, double t, const double *z) {
  double *top = s->exam->top;
  dae_point_at(s->point, t, z);
  dae_status status = dae_point_gradient(s->point);
  for (int r = 0; r < s->sys->ny && status == DAE_OK; r++)
    top[r] = fmax(top[r], row_most(dae_matrix_row(&s->point->G, r), units(s)));
  return status;
}

/* G as a dense matrix in units of the variables, rows that have all but vanished as zero */
static dae_status gradient(dae_solver *s, double t, const double *z) {
  const dae_system *sys = s->sys;
  struct dae_exam *e = s->exam;
  int nx = sys->nx, ny = sys->ny;
  const double *size = units(s);
  dae_point *p = s->point;
  dae_point_at(p, t, z);
  dae_status status = dae_point_gradient(p);
  if (status != DAE_OK) return status;
  memset(e->G, 0, (size_t)nx * (size_t)ny * sizeof *e->G);
  dae_matrix_put(&p->G, 1, e->G, (size_t)nx, 1);
  for (int r = 0; r < ny; r++) {
    double *to = e->G + (size_t)r * nx, most = 0;
    for (int j = 0; j < nx; j++) most = fmax(most, fabs(to[j] *= size[j]));
    /* what differences leave where nothing is */
    for (int j = 0; j < nx; j++)
      if (fabs(to[j]) <= (e->zero > GIVEN ? 1e-8 : 0) * most) to[j] = 0;
    if (most <= FALLEN * e->top[r]) memset(to, 0, (size_t)nx * sizeof *to);
  }
  return DAE_OK;
}

/* rank of `rows` vectors of length `cols`, each scaled to the same size; the first dependent one */
static int rank_of(struct dae_exam *e, int rows, int cols, double *A, int *dependent) {
  double top = 0;
  for (int r = 0; r < rows; r++) {
    double most = dae_la_norm_max(cols, A + (size_t)r * cols);
    for (int j = 0; j < cols && most > 0; j++) A[(size_t)r * cols + j] /= most;
    top = fmax(top, most);
  }
  int rank = top > 0 ? dae_la_qr_rank(rows, cols, A, e->zero, e->perm, e->tau, e->work) : 0;
  *dependent = -1;
  for (int i = rank; i < rows; i++) {
    int r = top > 0 ? e->perm[i] : i;
    if (*dependent < 0 || r < *dependent) *dependent = r;
  }
  return rank;
}

/* S := G K with terms that cancel as zero, columns scaled; K in the units of G */
static dae_status reach(dae_solver *s, double t, const double *z) {
  const dae_system *sys = s->sys;
  struct dae_exam *e = s->exam;
  int nx = sys->nx, ny = sys->ny;
  const double *size = units(s);
  double *f = s->work.a;
  dae_point_at(s->point, t, z);
  dae_status status = dae_point_force(s->point, s->work.y, f);
  if (status == DAE_OK) status = dae_point_multipliers(s->point, s->work.y);
  if (status != DAE_OK) return status;
  memcpy(e->X, dae_point_Kt(s->point)->x, (size_t)nx * (size_t)ny * sizeof *e->X);
  bool given = s->p->hessenberg.B || sys->affine;
  for (int c = 0; c < ny; c++) {
    double *x = e->X + (size_t)c * nx, most = 0;
    for (int j = 0; j < nx; j++) {
      if (!given && fabs(x[j]) * fmax(fabs(s->work.y[c]), 1) < 1e-9 * fabs(f[j])) x[j] = 0;
      most = fmax(most, fabs(x[j] /= size[j]));
    }
    for (int j = 0; j < nx && most > 0; j++) x[j] /= most;
  }
  for (int r = 0; r < ny; r++)
    for (int c = 0; c < ny; c++) {
      double sum = 0, terms = 0;
      for (int j = 0; j < nx; j++) {
        double term = e->G[(size_t)r * nx + j] * e->X[(size_t)c * nx + j];
        sum += term, terms += fabs(term);
      }
      e->S[(size_t)r * ny + c] = fabs(sum) > e->zero * terms ? sum : 0;
    }
  return DAE_OK;
}

static dae_status look(dae_solver *s, double t, const double *z, ranks *out) {
  struct dae_exam *e = s->exam;
  int nx = s->sys->nx, ny = s->sys->ny;
  dae_status status = gradient(s, t, z);
  if (status != DAE_OK) return status;
  memcpy(e->S, e->G, (size_t)nx * (size_t)ny * sizeof *e->S);
  out->of_K = out->of_S = out->of_G = rank_of(e, ny, nx, e->S, &out->row);
  /* M is definite: G M^-1 G' has the rank of G */
  if (s->p->kind == DAE_MECHANICAL) return DAE_OK;
  status = reach(s, t, z);
  int row;
  if (status != DAE_OK) return status;
  out->of_S = rank_of(e, ny, ny, e->S, &row);
  if (out->of_S < out->of_G) out->row = row;
  memcpy(e->S, e->X, (size_t)nx * (size_t)ny * sizeof *e->S);
  out->of_K = rank_of(e, ny, nx, e->S, &row);
  return DAE_OK;
}

/* |g| of the rows at their own level */
static dae_status residuals(dae_solver *s, double t, const double *z, double *g) {
  dae_point_at(s->point, t, z);
  return dae_point_level(s->point, s->sys->ng > 0 ? 0 : s->sys->order - 1, g);
}

/* dx := the shortest step in units of the variables onto all constraints but `row`, to first order
   at e->z; *left: |g| of that row there; false: there is none */
static bool step_onto_others(dae_solver *s, double t, int row, double *dx, double *left) {
  struct dae_exam *e = s->exam;
  int nx = s->sys->nx, ny = s->sys->ny, dependent;
  if (residuals(s, t, e->z, e->g) != DAE_OK || gradient(s, t, e->z) != DAE_OK) return false;
  *left = fabs(e->g[row]);
  memcpy(e->S, e->G, (size_t)nx * (size_t)ny * sizeof *e->S);
  for (int r = 0; r < ny; r++) {
    double most = dae_la_norm_max(nx, e->S + (size_t)r * nx);
    if (most > 0) e->g[r] /= -most;
    /* the row in question does not help */
    if (r == row) memset(e->S + (size_t)r * nx, 0, (size_t)nx * sizeof *e->S);
  }
  int rank = rank_of(e, ny, nx, e->S, &dependent);
  if (rank == 0) memset(dx, 0, (size_t)nx * sizeof *dx);
  else dae_la_qr_min_norm(nx, rank, e->S, e->perm, e->tau, e->g, dx, e->work);
  return true;
}

/* Does constraint `row` follow from the independent ones? A point near z is brought onto those by
   Newton's method in x; the row must then hold as well. Where the method is not quick it says
   nothing, and a nearer point is taken: not so near that a square of the distance looks like
   nothing beside the distance. The last step leaves its square, far below what is asked for. */
static bool follows(dae_solver *s, double t0, const double *z, int row) {
  enum { STEPS = 10 };
  static const double QUICK = 0.5, ENOUGH = 1e-9, HELD = 1e-4;
  const dae_system *sys = s->sys;
  struct dae_exam *e = s->exam;
  double *x = e->z + (sys->ng == 0 ? sys->nz - sys->nx : 0), *dx = s->work.a;
  const double *size = units(s);
  if (sys->ng > 0 && sys->nw > 0) return true;
  for (double part = 1; part > 1e-3; part *= 0.1) {
    double t = t0, before = 0, left = 0, last = INFINITY;
    near_point(s, z, 1, part, &t, e->z);
    for (int k = 0; k < STEPS; k++) {
      double most = 0;
      if (!step_onto_others(s, t, row, dx, &left)) return true;
      if (k == 0) before = left;
      for (int j = 0; j < sys->nx; j++) {
        x[j] += size[j] * dx[j];
        most = fmax(most, fabs(dx[j]));
      }
      if (!(most < 1) || most > QUICK * last) break;
      if (most <= ENOUGH)
        return residuals(s, t, e->z, e->g) != DAE_OK || fabs(e->g[row]) <= HELD * before;
      last = most;
    }
  }
  return true;
}

/* The index by numbers; 0: not found, -1: not to be told. What counts as zero there depends on the
   sizes of the variables: where a guess of them (a part of the largest) and their own values, as
   far as those are not zero, tell different stories, units are too far apart for any */
static int found_index(dae_solver *s, double t, const double *z, int redundant) {
  const dae_system *sys = s->sys;
  double horizon = fabs(s->p->t1 - s->p->t0), *size = s->exam->size;
  if (horizon == 0) horizon = 1;
  dae_point_at(s->point, t, z);
  int found = dae_point_index(s->point, s->work.y, size, horizon, redundant), other = found;
  bool differ = false;
  for (int j = 0; j < sys->nz && found > 0; j++)
    if (fabs(z[j]) > 1e-8 * size[j] && fabs(z[j]) < size[j]) size[j] = fabs(z[j]), differ = true;
  if (differ) other = dae_point_index(s->point, s->work.y, size, horizon, redundant);
  sizes(s, z, size);
  return other == 0 || other == found ? found : -1;
}

/* the sentence for a constraint that no multiplier reaches */
static dae_status another_index(dae_solver *s, double t, const double *z, const ranks *a) {
  const dae_problem *p = s->p;
  int declared = dae_problem_index(p), ny = s->sys->ny, missing = -1;
  int found = found_index(s, t, z, ny - a->of_G);
  char *row = s->report.equation;
  dae_problem_g_name(p, a->row, s->sys->nw > 0 ? 1 : s->sys->order, row, DAE_NAME_MAX);
  for (int c = 0; c < ny && missing < 0; c++)
    if (dae_la_norm_max(s->sys->nx, s->exam->X + (size_t)c * s->sys->nx) == 0) missing = c;
  if (missing >= 0) {
    dae_problem_y_name(p, missing, s->report.variable, DAE_NAME_MAX);
    dae_drive_report(s, DAE_E_INDEX,
                     "the index is not %d as the form states: multiplier %s enters no equation",
                     declared, s->report.variable);
    if (!s->sys->affine)
      snprintf(s->report.advice, sizeof s->report.advice,
               "If it does, then not at the multipliers tried, %s: pass others, or set y0.",
               p->y0 ? "y0" : "0");
  } else if (found > 0) {
    dae_drive_report(s, DAE_E_INDEX,
                     "the index is %d, not %d as the form states: no multiplier reaches %s", found,
                     declared, row);
  } else if (found < 0) {
    dae_drive_report(s, DAE_E_INDEX,
                     "the index is not %d as the form states: no multiplier reaches %s; the sizes "
                     "of the variables are too far apart to tell which it is",
                     declared, row);
  } else {
    dae_drive_report(s, DAE_E_INDEX,
                     "the index is not %d as the form states: no multiplier reaches %s, and no "
                     "index up to %d was found",
                     declared, row, declared + 3);
  }
  if (found == 3)
    snprintf(s->report.advice, sizeof s->report.advice,
             "State it with second derivatives (DAE_MECHANICAL, or DAE_HESSENBERG with order = 2), "
             "or as model text, which takes any index.");
  else if (found > 0 && found <= DAE_ORDER_MAX + 1)
    snprintf(s->report.advice, sizeof s->report.advice,
             "State it as DAE_HESSENBERG with order = %d, or as model text, which takes any index.",
             found - 1);
  s->report.rank = a->of_S;
  s->report.rows = ny;
  return DAE_E_INDEX;
}

static dae_status degenerate(dae_solver *s, dae_status status, const ranks *a) {
  struct dae_exam *e = s->exam;
  bool none = e->top[a->row] == 0;
  if (status != DAE_OK && !none) return status;
  dae_problem_g_name(s->p, a->row, 0, s->report.equation, DAE_NAME_MAX);
  s->report.rank = a->of_G;
  s->report.rows = s->sys->ny;
  dae_drive_report(s, DAE_E_INDEX,
                   none ? "constraint %s depends on none of the variables: it determines nothing"
                        : "constraint %s has no gradient wherever it holds (as x^2 = 0 has none): "
                          "it determines no multiplier",
                   s->report.equation);
  snprintf(s->report.advice, sizeof s->report.advice,
           "State the constraint so that its gradient does not vanish, or leave it out.");
  return DAE_E_INDEX;
}

/* s->work.z := point k near z on the constraints, the nearer one where the other cannot be brought
   there; false: neither can, and it is off them */
static bool onto_constraints(dae_solver *s, const double *z, int k, double *t) {
  size_t bytes = (size_t)s->sys->nz * sizeof *z;
  double t0 = *t, *point = s->exam->z;
  for (int nearer = 0; nearer < 2 && !s->view->free_start; nearer++) {
    *t = t0;
    near_point(s, z, k, nearer ? NEARER : 1, t, point);
    memcpy(s->work.z, point, bytes);
    if (dae_stabilize_project(s->nearest, *t, s->work.z, NULL, NULL) == DAE_OK) return true;
  }
  *t = t0;
  near_point(s, z, k, 1, t, point);
  memcpy(s->work.z, point, bytes);
  return false;
}

/* fewer constraints than multipliers that act on the motion: it is not determined */
static dae_status undetermined(dae_solver *s, const ranks *a) {
  dae_problem_g_name(s->p, a->row, 0, s->report.equation, DAE_NAME_MAX);
  s->report.rank = a->of_G;
  s->report.rows = s->sys->ny;
  dae_drive_report(s, DAE_E_INDEX,
                   "the solution is not determined: constraint %s follows from others, which "
                   "leaves %d of them for %d multipliers that act in different ways",
                   s->report.equation, a->of_G, a->of_K);
  snprintf(s->report.advice, sizeof s->report.advice,
           "State another constraint, or let redundant constraints act as the others do (B = G').");
  return DAE_E_INDEX;
}

/* the ranks at the start and near it, as the head of this file says */
static dae_status examine(dae_solver *s, double t0, const double *z, dae_status status) {
  struct dae_exam *e = s->exam;
  ranks first, other;
  int seen = 0, reached = 0, full = 0, loose = 0;
  sizes(s, z, e->size);
  for (int i = 0; i < s->sys->ny; i++) s->work.y[i] = isfinite(s->y[i]) ? s->y[i] : 0;
  memset(e->top, 0, (size_t)s->sys->ny * sizeof *e->top);
  for (int k = 0; k < POINTS; k++) {
    double t = t0;
    near_point(s, z, k, 1, &t, e->z);
    if (learn(s, t, e->z) == DAE_STOPPED) return status;
  }
  if (look(s, t0, z, &first) != DAE_OK || first.of_S == s->sys->ny) return status;
  for (int k = 0; k < POINTS; k++) {
    double t = t0;
    bool on = onto_constraints(s, z, k, &t);
    if (look(s, t, s->work.z, &other) != DAE_OK) continue;
    seen++;
    reached += other.of_S == other.of_G;
    loose += other.of_K > other.of_S;
    full += on && other.of_G > first.of_G;
  }
  if (seen < 2 || full > 0) return status;
  if (first.of_S < first.of_G && reached == 0) {
    look(s, t0, z, &first);
    return another_index(s, t0, z, &first);
  }
  if (first.of_S == first.of_G && !follows(s, t0, z, first.row))
    return degenerate(s, status, &first);
  if (first.of_S == first.of_G && first.of_K > first.of_S && loose == seen)
    return undetermined(s, &first);
  return status;
}

/* g(t,x) of a problem of order m must not look at x', .., x^(m-1) */
static dae_status of_positions(dae_solver *s, double t, const double *z) {
  const dae_system *sys = s->sys;
  int nx = sys->nx, ny = sys->ny, row = -1;
  double *before = s->exam->g, *after = s->exam->moved_g, *moved = s->exam->z;
  if (s->p->kind != DAE_HESSENBERG || sys->order == 1 || sys->nw > 0) return DAE_OK;
  sizes(s, z, s->exam->size);
  memcpy(moved, z, (size_t)sys->nz * sizeof *z);
  for (int j = nx; j < sys->nz; j++) moved[j] += 0.1 * s->exam->size[j] * (1 + 0.3 * (j % 5));
  if (residuals(s, t, z, before) != DAE_OK || residuals(s, t, moved, after) != DAE_OK)
    return DAE_OK;
  if (memcmp(before, after, (size_t)ny * sizeof *before) == 0) return DAE_OK;
  /* which constraint, and which variable? */
  memcpy(moved, z, (size_t)sys->nz * sizeof *z);
  for (int j = nx; j < sys->nz && row < 0; j++) {
    moved[j] += 0.1 * s->exam->size[j];
    if (residuals(s, t, moved, after) != DAE_OK) break;
    for (int r = 0; r < ny && row < 0; r++)
      if (before[r] != after[r]) row = r;
    if (row >= 0) dae_problem_z_name(s->p, j, s->report.variable, DAE_NAME_MAX);
    moved[j] = z[j];
  }
  if (row < 0) return DAE_OK;
  dae_problem_g_name(s->p, row, 0, s->report.equation, DAE_NAME_MAX);
  dae_drive_report(s, DAE_E_INDEX,
                   "the index is lower than %d, as the form states: constraint %s depends on %s",
                   dae_problem_index(s->p), s->report.equation, s->report.variable);
  snprintf(
      s->report.advice, sizeof s->report.advice,
      "Set g_of_z where the constraints determine velocities (index 2), state the problem with "
      "order = 1, or as model text.");
  return DAE_E_INDEX;
}

/* z' at the present point: f of an ODE, or what the start of an implicit problem has solved for */
static bool slope_known(dae_solver *s, double *f) {
  if (!s->implicit) return dae_point_force(s->point, NULL, f) == DAE_OK;
  if (!dae_drive_implicit_determined(s)) return false;
  memcpy(f, s->dz, (size_t)s->sys->nz * sizeof *f);
  return true;
}

/* 0 = h(t,z) of an ODE holds by itself: h_z f + h_t = 0 on it. Differences leave far less than this
   part of the terms, and a point that is off by a tolerance some tolerances; what moves h over the
   run by less than rounding (in an implicit x', of differences) moves it not at all */
dae_status dae_drive_invariant(dae_solver *s) {
  const double LEFT = fmax(1e-5, 100 * fmax(s->plan.o.rtol, s->plan.o.atol));
  const double ROUNDING = s->implicit ? LEFT : 1e-10;
  double horizon = fabs(s->p->t1 - s->p->t0), size = dae_la_norm_max(s->sys->nz, s->z);
  const dae_system *sys = s->sys;
  double *f = s->work.a, *sum = s->work.r, *h_t = sum + sys->nc;
  dae_point *p = s->point;
  dae_point_at(p, s->t, s->z);
  if (!slope_known(s, f) || dae_point_level_t(p, 0, h_t) != DAE_OK ||
      dae_point_gradient(p) != DAE_OK)
    return DAE_OK;
  dae_matrix_times(&p->G, f, sum);
  const int *start = sys->pattern.start;
  for (int r = 0; r < sys->nh; r++) {
    double terms = fabs(h_t[r]), most = 0;
    int first = start ? start[r] : r * sys->nx, end = start ? start[r + 1] : first + sys->nx;
    for (int k = first; k < end; k++) {
      most = fmax(most, fabs(p->G.x[k]));
      terms += fabs(p->G.x[k] * f[start ? sys->pattern.column[k] : k - first]);
    }
    double rate = sum[r] + h_t[r], scale = most * (size > 0 ? size : 1);
    if (fabs(rate) <= LEFT * terms) continue;
    if (fabs(rate) * (horizon > 0 ? horizon : 1) <= ROUNDING * scale) continue;
    dae_problem_g_name(s->p, r, 0, s->report.equation, DAE_NAME_MAX);
    s->report.residual = rate;
    dae_drive_report(s, DAE_E_INDEX,
                     "%s is no invariant of the equations: it changes at the rate %.3g at t = %.6g",
                     s->report.equation, rate, s->t);
    snprintf(
        s->report.advice, sizeof s->report.advice,
        "An equation that the others do not preserve is a constraint: it needs a multiplier, as in "
        "DAE_HESSENBERG, or state the problem as model text.");
    return DAE_E_INDEX;
  }
  return DAE_OK;
}

/* has a row of G all but vanished at z, beside what it is near it? Rows are scaled before they are
   factored, so that what differences leave of such a row would count as one */
static bool fallen(dae_solver *s, double t, const double *z) {
  struct dae_exam *e = s->exam;
  double t_near = t;
  sizes(s, z, e->size);
  memset(e->top, 0, (size_t)s->sys->ny * sizeof *e->top);
  near_point(s, z, 0, 1, &t_near, e->z);
  if (learn(s, t_near, e->z) != DAE_OK) return false;
  dae_point_at(s->point, t, z);
  if (dae_point_gradient(s->point) != DAE_OK) return false;
  for (int r = 0; r < s->sys->ny; r++)
    if (row_most(dae_matrix_row(&s->point->G, r), units(s)) <= FALLEN * e->top[r]) return true;
  return false;
}

dae_status dae_drive_index(dae_solver *s, double t, const double *z, dae_status status) {
  const dae_system *sys = s->sys;
  if (status == DAE_STOPPED || status == DAE_E_CALLBACK || status == DAE_E_MEMORY) return status;
  const dae_la_kkt_info *info = &s->point->info;
  dae_status verdict = status;
  dae_point_aside(s->point);
  if (sys->ny == 0 && sys->nh > 0 && status == DAE_OK) verdict = dae_drive_invariant(s);
  bool off = s->exam && of_positions(s, t, z) != DAE_OK;
  const double *start = status == DAE_OK ? s->z : z;
  /* roundings in place of zeros are seen in the units of the user */
  double least = fmin(info->smallest, sqrt(fmax(info->rcond, 0)));
  bool low = status != DAE_OK || info->rank < sys->ny || least < LOW;
  if (s->exam && !off && (low || fallen(s, t, start))) {
    dae_passage_lengths_keep(s->guard);
    verdict = examine(s, t, start, status);
    dae_passage_lengths_restore(s->guard);
  }
  dae_point_back(s->point);
  return off ? DAE_E_INDEX : verdict;
}
