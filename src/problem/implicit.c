/* 0 = F(t,x,x') and its matrices */
#include "problem/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/inside.h"
#include "problem/staircase.h"

/* a variable counts with this part of atol/rtol at least: what is 0 at the start has a size */
static const double FLOOR = 1e-3, RTOL_LEAST = 1e-12;
/* steps of differences, relative, and values for each column, by dae_accuracy */
static const double PART[] = {1.5e-8, 6e-6, 3e-4};
static const int POINTS[] = {1, 2, 4};

/* ---- memory and patterns ---- */

/* the pattern of M x' - f: f_pattern, M (diagonal ones: the diagonal) together */
static void union_pattern(dae_residual *r, dae_pool *pool) {
  const dae_implicit *m = r->m;
  const int n = r->n;
  bool sparse = m->mass && m->mass_kind == DAE_MASS_SPARSE;
  int entries = m->f_pattern->start[n] + (sparse ? m->mass_pattern->start[n] : n);
  int *start = dae_base_ints(pool, (size_t)n + 1), *column = dae_base_ints(pool, (size_t)entries);
  r->f_place = dae_base_ints(pool, (size_t)m->f_pattern->start[n]);
  r->mass_place = dae_base_ints(pool, (size_t)(sparse ? m->mass_pattern->start[n] : n));
  if (pool->failed) return;
  int used = 0;
  for (int i = 0; i < n; i++) {
    int a = m->f_pattern->start[i], a_end = m->f_pattern->start[i + 1];
    int b = sparse ? m->mass_pattern->start[i] : i;
    int b_end = sparse ? m->mass_pattern->start[i + 1] : i + 1;
    while (a < a_end || b < b_end) {
      int of_f = a < a_end ? m->f_pattern->column[a] : n;
      int of_mass = b < b_end ? (sparse ? m->mass_pattern->column[b] : i) : n;
      column[used] = of_f < of_mass ? of_f : of_mass;
      if (of_f == column[used]) r->f_place[a++] = used;
      if (of_mass == column[used]) r->mass_place[b++] = used;
      used++;
    }
    start[i + 1] = used;
  }
  r->pattern = (dae_pattern){n, n, start, column};
}

/* without a pattern each column has a colour of its own */
static void set_pattern(dae_residual *r, dae_pool *pool) {
  const dae_implicit *m = r->m;
  const bool dense_mass = m->mass && m->mass_kind == DAE_MASS_DENSE;
  if (m->F && m->pattern) r->pattern = *m->pattern;
  else if (!m->F && m->f_pattern && !dense_mass) union_pattern(r, pool);
  if (pool->failed) return;
  r->size = r->pattern.start ? r->pattern.start[r->n] : r->n * r->n;
  if (r->pattern.start) dae_problem_colours(&r->colours, pool, &r->pattern);
  else r->colours.count = r->n;
}

int dae_implicit_mass_size(const dae_implicit *m) {
  if (m->F || !m->mass) return 0;
  if (m->mass_kind == DAE_MASS_SPARSE) return m->mass_pattern->start[m->n];
  return m->mass_kind == DAE_MASS_DIAGONAL ? m->n : m->n * m->n;
}

/* matrices are kept where they are small */
static void take_known(dae_residual *r, dae_pool *pool) {
  const size_t n = (size_t)r->n, size = (size_t)r->size;
  if (r->n > DAE_STAIRS_MOST) return;
  r->sizes = dae_base_doubles(pool, 2 * n);
  for (int k = 0; k < DAE_KNOWN; k++) {
    r->known[k].x = dae_base_doubles(pool, n);
    r->known[k].dx = dae_base_doubles(pool, n);
    r->known[k].sizes = dae_base_doubles(pool, 2 * n);
    r->known[k].E = dae_base_doubles(pool, size);
    r->known[k].A = dae_base_doubles(pool, size);
  }
}

dae_status dae_residual_new(dae_residual **out, dae_pool *pool, const dae_system *sys,
                            const dae_sizes_of_x *sizes) {
  *out = NULL;
  dae_residual *r = dae_base_take(pool, 1, sizeof *r);
  if (!r) return DAE_E_MEMORY;
  r->sys = sys;
  r->m = &sys->p->implicit;
  r->n = sys->nx;
  set_pattern(r, pool);
  if (pool->failed) return DAE_E_MEMORY;
  size_t n = (size_t)r->n;
  const dae_pattern *f = r->m->f_pattern;
  r->M = dae_base_doubles(pool, (size_t)dae_implicit_mass_size(r->m));
  if (r->m->mass && r->m->mass_constant && r->m->mass_kind == DAE_MASS_DENSE && !r->m->F) {
    r->nonzero_start = dae_base_ints(pool, n + 1);
    r->nonzero = dae_base_ints(pool, n * n);
    r->nonzero_value = dae_base_doubles(pool, n * n);
  }
  if (!r->m->F) {
    r->lump = dae_base_doubles(pool, n);
    r->forced_x = dae_base_doubles(pool, n);
    r->force = dae_base_doubles(pool, n);
  }
  r->given = dae_base_doubles(pool, r->m->f_x ? (f ? (size_t)f->start[r->n] : n * n) : 0);
  r->floor = dae_base_doubles(pool, n);
  r->seen = dae_base_doubles(pool, n);
  dae_base_moving(pool, &r->x_at, 1);
  dae_base_moving(pool, &r->dx_at, 1);
  r->x = dae_base_doubles(pool, n);
  r->dx = dae_base_doubles(pool, n);
  r->f0 = dae_base_doubles(pool, n);
  r->f1 = dae_base_doubles(pool, 4 * n);
  r->step = dae_base_doubles(pool, n);
  take_known(r, pool);
  if (pool->failed) return DAE_E_MEMORY;
  for (int j = 0; j < r->n; j++) {
    double atol = sizes->atols ? sizes->atols[j] : sizes->atol;
    r->floor[j] = fmax(FLOOR * atol / fmax(sizes->rtol, RTOL_LEAST), DBL_MIN);
    if (r->lump) r->lump[j] = 1;
  }
  *out = r;
  return DAE_OK;
}

void dae_residual_start(dae_residual *r) {
  memset(r->seen, 0, (size_t)r->n * sizeof *r->seen);
  r->mass_known = false;
  r->evaluations = r->undefined = 0;
  dae_residual_forget(r);
}

static inline double larger(double a, double b) { return a > b ? a : b; }

double dae_residual_size(const dae_residual *r, int j, const double *x) {
  return larger(larger(fabs(x[j]), r->seen[j]), r->floor[j]);
}

/* ---- differences ---- */

/* what is differentiated, and by what */
typedef enum subject {
  BY_X,     /* F by x */
  BY_SLOPE, /* F by x' */
  MASS_BY_X /* M(t,x) x' by x */
} subject;

/* x is in f and nowhere else */
static bool in_f_alone(const dae_residual *r, subject by) {
  return by == BY_X && !r->m->F && (!r->m->mass || r->mass_known);
}

static dae_status moved(dae_residual *r, subject by, double t, const double *x, const double *dx,
                        double *out) {
  const dae_implicit *m = r->m;
  /* what x does not change is left out: - f alone where M is constant */
  if (in_f_alone(r, by)) {
    r->evaluations++;
    dae_status forced = dae_problem_verdict(m->f(t, x, out, r->sys->p->ctx), out, r->n);
    for (int i = 0; i < r->n; i++) out[i] = -out[i];
    return forced;
  }
  if (by != MASS_BY_X) return dae_residual_value(r, t, x, dx, out);
  dae_status status = dae_residual_mass(r, t, x);
  memset(out, 0, (size_t)r->n * sizeof *out);
  if (status == DAE_OK) dae_residual_times_mass(r, dx, 0, out);
  return status;
}

/* is column j moved with this colour? x' of variables that are declared algebraic is in nothing */
static bool in_group(const dae_residual *r, subject by, int colour, int j) {
  if ((r->pattern.start ? r->colours.of[j] : j) != colour) return false;
  return by != BY_SLOPE || !r->m->differential || r->m->differential[j];
}

/* the column of every variable of a colour from d = sum of weighted values */
static void store(const dae_residual *r, subject by, int colour, const double *d, double *J) {
  const dae_colours *c = &r->colours;
  int first = r->pattern.start ? 0 : colour, last = r->pattern.start ? r->n : colour + 1;
  for (int j = first; j < last; j++) {
    if (!in_group(r, by, colour, j)) continue;
    if (r->pattern.start)
      for (int k = c->start[j]; k < c->start[j + 1]; k++)
        J[c->place[k]] = d[c->row[k]] / r->step[j];
    else
      for (int i = 0; i < r->n; i++) J[(size_t)i * (size_t)r->n + j] = d[i] / r->step[j];
  }
}

/* of variable j, or of its slope, at the point where differences are taken */
static double size_of(const dae_residual *r, subject by, int j) {
  const double size = dae_residual_size(r, j, r->x_at), slope = fabs(r->dx_at[j]);
  if (by == BY_SLOPE) return larger(slope, r->h > 0 ? size / r->h : size);
  return larger(size, r->h * slope);
}

/* steps that are exactly representable beside the values */
static void choose_steps(dae_residual *r, subject by, dae_accuracy accuracy) {
  const double part = PART[accuracy];
  for (int j = 0; j < r->n; j++) {
    const double at = by == BY_SLOPE ? r->dx_at[j] : r->x_at[j];
    volatile double there = at + part * size_of(r, by, j);
    r->step[j] = there - at;
  }
}

/* moves every variable of a colour by `shift` steps, evaluates, and moves them back */
static dae_status look_beside(dae_residual *r, subject by, int colour, double shift, double t,
                              double *value) {
  const int first = r->pattern.start ? 0 : colour, last = r->pattern.start ? r->n : colour + 1;
  double *to = by == BY_SLOPE ? r->dx : r->x;
  const double *from = by == BY_SLOPE ? r->dx_at : r->x_at;
  for (int j = first; j < last; j++)
    if (in_group(r, by, colour, j)) to[j] = from[j] + shift * r->step[j];
  dae_status status = moved(r, by, t, r->x, r->dx, value);
  for (int j = first; j < last; j++) to[j] = from[j];
  return status;
}

/* where differences are taken */
static void stand_at(dae_residual *r, const double *x, const double *dx) {
  r->x_at = x, r->dx_at = dx;
  memcpy(r->x, x, (size_t)r->n * sizeof *x);
  memcpy(r->dx, dx, (size_t)r->n * sizeof *dx);
}

/* x may be gone behind the call: a checkpoint would hold a place in no memory of ours */
static void leave(dae_residual *r) { r->x_at = r->dx_at = NULL; }

/* how far the terms of its rows change with column j, d the changes of F; terms: n */
static double seen_change(const dae_residual *r, int j, const double *d, const double *terms) {
  const dae_colours *c = &r->colours;
  double most = 0;
  const int begin = r->pattern.start ? c->start[j] : 0,
            end = r->pattern.start ? c->start[j + 1] : r->n;
  for (int k = begin; k < end; k++) {
    const int i = r->pattern.start ? c->row[k] : k;
    if (d[i] != 0) most = fmax(most, terms[i] > 0 ? fabs(d[i]) / terms[i] : 1);
  }
  return most;
}

/*
 * Steps of x' that show beside the other terms of the equations: how fast x is going to be is not
 * known before the start. terms_i = sum |A_ij| X_j + |F_i|. Longer steps do no harm where F is
 * linear in x'.
 */
static dae_status lengthen_slopes(dae_residual *r, double t, const double *A) {
  enum { TRIALS = 6, TWICE = 2 }; /* differences go as far as two steps */
  static const double SHOWS = 1e-3, AIM = 0.1, LONGER = 1e5;
  const int n = r->n;
  double *d = r->f1, *terms = r->f1 + n, *short_of = r->f1 + 2 * n;
  dae_status status = moved(r, BY_SLOPE, t, r->x_at, r->dx_at, r->f0);
  for (int i = 0; i < n; i++) {
    terms[i] = fabs(r->f0[i]);
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++)
      terms[i] += fabs(A[k]) * dae_residual_size(r, dae_residual_column(r, i, k), r->x_at);
  }
  for (int colour = 0; colour < r->colours.count && status == DAE_OK; colour++)
    for (int trial = 0, again = 1; trial < TRIALS && again && status == DAE_OK; trial++) {
      status = look_beside(r, BY_SLOPE, colour, TWICE, t, d);
      if (status == DAE_E_CALLBACK) { /* as far as it goes */
        for (int j = 0; j < n && trial > 0; j++)
          if (in_group(r, BY_SLOPE, colour, j)) r->step[j] = short_of[j];
        status = DAE_OK;
        break;
      }
      for (int i = 0; i < n; i++) d[i] = (d[i] - r->f0[i]) / TWICE;
      memcpy(short_of, r->step, (size_t)n * sizeof *short_of);
      again = 0;
      for (int j = r->pattern.start ? 0 : colour; j < (r->pattern.start ? n : colour + 1); j++) {
        if (!in_group(r, BY_SLOPE, colour, j)) continue;
        double change = seen_change(r, j, d, terms);
        if (change >= SHOWS) continue;
        r->step[j] *= change > 0 ? fmin(LONGER, AIM / change) : LONGER;
        again = 1;
      }
    }
  return status;
}

/* the weights of central differences of order 2 and 4; one-sided ones take the value beside */
static const double shift[] = {1, -1, 2, -2}, simple[] = {0.5, -0.5},
                    high[] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};

/* the columns of one colour. `look` is r, with scratch of its own where threads share the work (x,
   x', values and their differences, n each); it counts what it calls */
static dae_status one_colour(dae_residual *look, subject by, int colour, int points, double t,
                             double *d, double *J) {
  const int n = look->n;
  const double *weight = points == 4 ? high : simple;
  double *value = d + n;
  dae_status status = DAE_OK;
  memset(d, 0, (size_t)n * sizeof *d);
  for (int k = 0; k < points && status == DAE_OK; k++) {
    status = look_beside(look, by, colour, shift[k], t, value);
    for (int i = 0; i < n && points == 1; i++) d[i] = value[i] - look->f0[i];
    for (int i = 0; i < n && points > 1; i++) d[i] += weight[k] * value[i];
  }
  if (status == DAE_OK) store(look, by, colour, d, J);
  return status;
}

/* column j of a dense matrix by central differences: of small problems, where what one_colour does
   beside the calls is more than the calls */
static dae_status one_column(dae_residual *r, subject by, int j, int points, double t, double *J) {
  const size_t n = (size_t)r->n;
  double *to = by == BY_SLOPE ? r->dx : r->x, *value = r->f1;
  const double kept = to[j], e = r->step[j], *w = points == 4 ? high : simple;
  dae_status status = DAE_OK;
  if (!in_group(r, by, j, j)) return DAE_OK;
  for (int k = 0; k < points && status == DAE_OK; k++) {
    to[j] = kept + shift[k] * e;
    status = moved(r, by, t, r->x, r->dx, value + (size_t)k * n);
  }
  to[j] = kept;
  if (status != DAE_OK) return status;
  for (size_t i = 0; i < n; i++) {
    const double *v = value + i;
    double d = w[0] * v[0] + w[1] * v[n];
    if (points == 4) d = d + w[2] * v[2 * n] + w[3] * v[3 * n];
    J[i * n + (size_t)j] = d / e;
  }
  return DAE_OK;
}

/* column j := (value - from)/e */
static inline void put_column(size_t n, size_t j, const double *restrict value,
                              const double *restrict from, double e, double *restrict J) {
  for (size_t i = 0; i < n; i++) J[i * n + j] = (value[i] - from[i]) / e;
}

/* the same by one-sided ones, beside F as it is in `from` */
static dae_status one_sided(dae_residual *r, subject by, double t, const double *from, double *J) {
  double *to = by == BY_SLOPE ? r->dx : r->x;
  for (int j = 0; j < r->n; j++) {
    if (!in_group(r, by, j, j)) continue;
    const double kept = to[j];
    to[j] = kept + r->step[j];
    const dae_status status = moved(r, by, t, r->x, r->dx, r->f1);
    to[j] = kept;
    if (status != DAE_OK) return status;
    put_column((size_t)r->n, (size_t)j, r->f1, from, r->step[j], J);
  }
  return DAE_OK;
}

/* -df/dx, as f is all that depends on x, beside f as it may be known at the point */
static dae_status forces(dae_residual *r, double t, double *J) {
  const double *f;
  const size_t n = (size_t)r->n;
  dae_status status = dae_residual_force(r, t, r->x_at, &f);
  for (size_t j = 0; j < n && status == DAE_OK; j++) {
    const double kept = r->x[j];
    r->x[j] = kept + r->step[j];
    r->evaluations++;
    status = dae_problem_verdict(r->m->f(t, r->x, r->f1, r->sys->p->ctx), r->f1, r->n);
    r->x[j] = kept;
    if (status == DAE_OK) put_column(n, j, f, r->f1, r->step[j], J);
  }
  return status;
}

/* differences by threads; the first colour that failed in each part */
typedef struct together {
  const dae_residual *r;
  subject by;
  int points;
  double t, *J;
  int failed[DAE_TEAM_MOST];
  dae_status status[DAE_TEAM_MOST];
} together;

static void colours_of_part(void *ctx, int part, int parts) {
  together *s = ctx;
  dae_residual look = *s->r;
  const size_t n = (size_t)look.n;
  double *tries = dae_base_team_room(look.sys->team, part), *d = tries + 3 * n;
  look.x = tries + n;
  look.dx = tries + 2 * n;
  memcpy(look.x, look.x_at, n * sizeof *look.x);
  memcpy(look.dx, look.dx_at, n * sizeof *look.dx);
  s->failed[part] = look.colours.count;
  for (int g = part; g < look.colours.count && s->failed[part] == look.colours.count; g += parts) {
    look.evaluations = 0;
    dae_status status = one_colour(&look, s->by, g, s->points, s->t, d, s->J);
    tries[g / parts] = (double)look.evaluations;
    if (status != DAE_OK) s->failed[part] = g, s->status[part] = status;
  }
}

/* as one thread would have it: the first colour that failed, and the calls up to it */
static dae_status differences_together(dae_residual *r, subject by, double t, int points,
                                       double *J) {
  dae_team *team = r->sys->team;
  const int parts = dae_base_team_size(team), count = r->colours.count;
  together s = {.r = r, .by = by, .points = points, .t = t, .J = J};
  int first = 0;
  dae_base_team_run(team, colours_of_part, &s);
  for (int k = 1; k < parts; k++)
    if (s.failed[k] < s.failed[first]) first = k;
  for (int g = 0; g < count && g <= s.failed[first]; g++)
    r->evaluations += (long)dae_base_team_room(team, g % parts)[g / parts];
  return s.failed[first] < count ? s.status[first] : DAE_OK;
}

/* J := dF/dx or dF/dx': (F(+e) - F)/e, (F(+e) - F(-e))/2 e, or
   (8 (F(+e) - F(-e)) - (F(+2e) - F(-2e)))/12 e */
static dae_status differences(dae_residual *r, subject by, double t, dae_accuracy accuracy,
                              double *J) {
  const int points = POINTS[accuracy];
  if (points == 1 && !r->pattern.start && in_f_alone(r, by)) return forces(r, t, J);
  dae_status status = points == 1 ? moved(r, by, t, r->x_at, r->dx_at, r->f0) : DAE_OK;
  /* M has one place for its values, F needs none */
  if (status == DAE_OK && r->sys->team && r->m->F) return differences_together(r, by, t, points, J);
  const bool columns = !r->pattern.start;
  if (status == DAE_OK && columns && points == 1) return one_sided(r, by, t, r->f0, J);
  for (int colour = 0; colour < r->colours.count && status == DAE_OK; colour++)
    status = columns ? one_column(r, by, colour, points, t, J)
                     : one_colour(r, by, colour, points, t, r->f1, J);
  return status;
}

/* ---- matrices ---- */

/* A := A - f_x as it was given */
static dae_status subtract_given(dae_residual *r, double t, const double *x, double *A) {
  const dae_implicit *m = r->m;
  const int n = r->n;
  int count = dae_problem_pattern_size(m->f_pattern, n, n);
  memset(r->given, 0, (size_t)count * sizeof *r->given);
  dae_status status = dae_problem_verdict(m->f_x(t, x, r->given, r->sys->p->ctx), r->given, count);
  if (status != DAE_OK) return status;
  for (int i = 0, k = 0; i < n; i++)
    for (int end = m->f_pattern ? m->f_pattern->start[i + 1] : k + n; k < end; k++) {
      int column = m->f_pattern ? m->f_pattern->column[k] : k - i * n;
      A[r->f_place ? r->f_place[k] : i * n + column] -= r->given[k];
    }
  return DAE_OK;
}

/* both, where none or not all of it is given; it stands at x */
static dae_status make_matrices(dae_residual *r, double t, const double *x, dae_accuracy accuracy,
                                double *E, double *A) {
  const dae_implicit *m = r->m;
  dae_status status;
  if (m->F) {
    choose_steps(r, BY_X, accuracy);
    status = differences(r, BY_X, t, accuracy, A);
    choose_steps(r, BY_SLOPE, accuracy);
    if (status == DAE_OK && accuracy == DAE_FOR_RANK && !r->running)
      status = lengthen_slopes(r, t, A);
    return status == DAE_OK ? differences(r, BY_SLOPE, t, accuracy, E) : status;
  }
  status = dae_residual_put_mass(r, t, x, E);
  if (status != DAE_OK) return status;
  choose_steps(r, BY_X, accuracy);
  if (!m->f_x) return differences(r, BY_X, t, accuracy, A);
  if (m->mass && !m->mass_constant) status = differences(r, MASS_BY_X, t, accuracy, A);
  return status == DAE_OK ? subtract_given(r, t, x, A) : status;
}

static dae_status evaluate_matrices(dae_residual *r, double t, const double *x, const double *dx,
                                    dae_accuracy accuracy, double *E, double *A) {
  const dae_implicit *m = r->m;
  memset(E, 0, (size_t)r->size * sizeof *E);
  memset(A, 0, (size_t)r->size * sizeof *A);
  dae_status status;
  if (m->F && m->jacobian) {
    status = dae_problem_verdict(m->jacobian(t, x, dx, E, A, r->sys->p->ctx), E, r->size);
    return status == DAE_OK ? dae_problem_verdict(0, A, r->size) : status;
  }
  stand_at(r, x, dx);
  status = make_matrices(r, t, x, accuracy, E, A);
  leave(r);
  return status;
}

/* ---- matrices that are known: a start asks for those of a point up to ten times ---- */

static void forget_matrices(dae_residual *r) {
  for (int k = 0; k < DAE_KNOWN; k++) r->known[k].is = false;
}

void dae_residual_forget(dae_residual *r) {
  r->forced = false;
  forget_matrices(r);
}

/* the matrices k are those at a point by the same differences. Central ones do not serve for
   one-sided ones: at x' = 0 those of x'^2 are 0, and no iteration would leave it. With a constant
   M they do not depend on x' */
static bool is_known(const dae_residual *r, const dae_known *k, double t, const double *x,
                     const double *dx, dae_accuracy accuracy) {
  const size_t bytes = (size_t)r->n * sizeof *x;
  if (!k->is || k->t != t || k->accuracy != accuracy || k->running != r->running) return false;
  if (memcmp(k->x, x, bytes) != 0 || memcmp(k->sizes, r->sizes, bytes) != 0) return false;
  return in_f_alone(r, BY_X) ||
         (memcmp(k->dx, dx, bytes) == 0 && memcmp(k->sizes + r->n, r->sizes + r->n, bytes) == 0);
}

static void keep(const dae_residual *r, dae_known *k, double t, const double *x, const double *dx,
                 dae_accuracy accuracy) {
  const size_t bytes = (size_t)r->n * sizeof *x;
  k->t = t, k->accuracy = accuracy, k->running = r->running;
  memcpy(k->x, x, bytes);
  memcpy(k->dx, dx, bytes);
  memcpy(k->sizes, r->sizes, 2 * bytes);
}

dae_status dae_residual_matrices(dae_residual *r, double t, const double *x, const double *dx,
                                 dae_accuracy accuracy, double *E, double *A) {
  const size_t bytes = (size_t)r->size * sizeof *E;
  if (!r->sizes) return evaluate_matrices(r, t, x, dx, accuracy, E, A);
  r->x_at = x, r->dx_at = dx;
  for (int j = 0; j < r->n; j++) {
    r->sizes[j] = size_of(r, BY_X, j);
    r->sizes[r->n + j] = size_of(r, BY_SLOPE, j);
  }
  leave(r);
  for (int i = 0; i < DAE_KNOWN; i++) {
    const dae_known *k = &r->known[i];
    if (!is_known(r, k, t, x, dx, accuracy)) continue;
    memcpy(E, k->E, bytes);
    memcpy(A, k->A, bytes);
    r->oldest = 1 - i;
    return DAE_OK;
  }
  dae_status status = evaluate_matrices(r, t, x, dx, accuracy, E, A);
  dae_known *k = &r->known[r->oldest];
  k->is = status == DAE_OK;
  if (!k->is) return status;
  keep(r, k, t, x, dx, accuracy);
  memcpy(k->E, E, bytes);
  memcpy(k->A, A, bytes);
  r->oldest = 1 - r->oldest;
  return status;
}

dae_status dae_residual_at_step(dae_residual *r, double t, const double *x, const double *dx,
                                dae_accuracy accuracy, double *E, double *A) {
  forget_matrices(r);
  r->running = true;
  dae_status status = evaluate_matrices(r, t, x, dx, accuracy, E, A);
  r->running = false;
  return status;
}

dae_status dae_residual_slopes(dae_residual *r, double t, const double *x, const double *dx,
                               double *values) {
  const dae_implicit *m = r->m;
  if (m->F && m->jacobian)
    return dae_residual_matrices(r, t, x, dx, DAE_FOR_NEWTON, values, values + r->size);
  memset(values, 0, (size_t)r->size * sizeof *values);
  if (!m->F) return dae_residual_put_mass(r, t, x, values);
  stand_at(r, x, dx);
  choose_steps(r, BY_SLOPE, DAE_FOR_NEWTON);
  dae_status status = differences(r, BY_SLOPE, t, DAE_FOR_NEWTON, values);
  leave(r);
  return status;
}
