/* constraints of degree two: their gradients from a few differences, once and for all */
#include "problem/quadratic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/inside.h"

/* numbers of H at most, and colours, the square of which is the number of calls */
enum { MOST = 65536, COLOURS_MOST = 40 };
/* distances of differences, in sizes of the variables: nothing but rounding depends on them */
static const double PART = 0.25, OF_ONE = 0.1;
/* what rounding in g may be, in units of that of its terms */
static const double ROUNDING = 100 * DBL_EPSILON;
/* another time, as a part of the interval: no rational number */
static const double LATER = 0.3819660112501051;

/* ---- memory ---- */

static bool by_differences(const dae_system *s) {
  const dae_problem *p = s->p;
  if (s->ng == 0) return false;
  switch (p->kind) {
    case DAE_MECHANICAL: return !dae_mechanical_has_G(&p->mechanical);
    case DAE_HESSENBERG: return s->nw == 0 && !p->hessenberg.G;
    case DAE_ODE: return !p->ode.h_z;
    default: return !p->implicit.h_x;
  }
}

/* numbers of H; 0: too many */
static size_t size_of_H(const dae_system *s) {
  size_t size = 0;
  for (int i = 0; i < s->ng && size <= MOST; i++) {
    const size_t r =
        s->pattern.start ? (size_t)(s->pattern.start[i + 1] - s->pattern.start[i]) : (size_t)s->nx;
    size += r * r;
  }
  return size <= MOST ? size : 0;
}

static int colours(const dae_system *s) { return s->pattern.start ? s->G_colours.count : s->nx; }

static bool has_colour(const dae_system *s, int j, int colour) {
  return (s->pattern.start ? s->G_colours.of[j] : j) == colour;
}

dae_quadratic *dae_problem_quadratic_new(const dae_system *s, dae_pool *pool) {
  if (!by_differences(s) || colours(s) > COLOURS_MOST || size_of_H(s) == 0) return NULL;
  dae_quadratic *q = dae_base_take(pool, 1, sizeof *q);
  if (!q) return NULL;
  q->x = dae_base_doubles(pool, (size_t)s->nx);
  q->g = dae_base_doubles(pool, 2 * (size_t)s->ng);
  q->G = dae_base_doubles(pool, (size_t)s->G.size);
  q->H = dae_base_doubles(pool, size_of_H(s));
  q->terms = q->g ? q->g + s->ng : NULL;
  return q;
}

/* ---- what it says ---- */

/* a row of it: entries of G, columns and H */
typedef struct line {
  dae_row G;
  const double *H;
} line;

/* rows are met in their order: H of the next one follows that of the last */
static line next_line(const dae_point *p, int i, const double **H) {
  dae_matrix stored = p->G;
  stored.x = p->work->quadratic->G;
  const line l = {dae_matrix_row(&stored, i), *H};
  *H += (size_t)l.G.count * (size_t)l.G.count;
  return l;
}

/* (H u)_a of a row, u by the columns of x */
static double of_H(const line *l, int a, const double *u, const double *from) {
  const double *h = l->H + (size_t)a * (size_t)l->G.count;
  double sum = 0;
  for (int b = 0; b < l->G.count; b++) {
    const int j = dae_row_column(&l->G, b);
    sum += h[b] * (from ? u[j] - from[j] : u[j]);
  }
  return sum;
}

/* g_i at x, and the sizes of the terms in it */
static double value_of(const dae_point *p, int i, const line *l, const double *x, double *terms) {
  const dae_quadratic *q = p->work->quadratic;
  double sum = q->g[i];
  *terms = fabs(sum) + q->terms[i];
  for (int a = 0; a < l->G.count; a++) {
    const int j = dae_row_column(&l->G, a);
    const double d = x[j] - q->x[j], slope = l->G.x[a] + of_H(l, a, x, q->x) / 2;
    sum += d * slope;
    *terms += fabs(d) * (fabs(l->G.x[a]) + fabs(slope));
  }
  return sum;
}

static bool agrees(const dae_point *p, const double *x, const double *g) {
  const double *H = p->work->quadratic->H;
  for (int i = 0; i < p->sys->ng; i++) {
    double terms;
    const line l = next_line(p, i, &H);
    const double value = value_of(p, i, &l, x, &terms);
    if (!(fabs(g[i] - value) <= ROUNDING * terms)) return false;
  }
  return true;
}

void dae_point_quadratic_gradient(dae_point *p) {
  const dae_quadratic *q = p->work->quadratic;
  const double *H = q->H;
  for (int i = 0; i < p->sys->ng; i++) {
    const line l = next_line(p, i, &H);
    dae_row out = dae_matrix_row(&p->G, i);
    for (int a = 0; a < l.G.count; a++) out.x[a] = l.G.x[a] + of_H(&l, a, p->z, q->x);
  }
}

void dae_point_quadratic_rate(const dae_point *p, int degree, const double *dx, const double *ddx,
                              double *r) {
  const dae_quadratic *q = p->work->quadratic;
  const double *H = q->H, *along = degree == 1 ? dx : ddx;
  for (int i = 0; i < p->sys->ng; i++) {
    const line l = next_line(p, i, &H);
    double sum = 0;
    for (int a = 0; a < l.G.count; a++) {
      const int j = dae_row_column(&l.G, a);
      if (degree == 2) sum += dx[j] * of_H(&l, a, dx, NULL);
      if (along) sum += along[j] * (l.G.x[a] + of_H(&l, a, p->z, q->x));
    }
    r[i] = sum;
  }
}

void dae_point_quadratic_turn(const dae_point *p, const double *v, size_t stride, double *J) {
  const double *H = p->work->quadratic->H;
  for (int i = 0; i < p->sys->ng; i++) {
    const line l = next_line(p, i, &H);
    for (int a = 0; a < l.G.count; a++)
      J[(size_t)i * stride + (size_t)dae_row_column(&l.G, a)] = of_H(&l, a, v, NULL);
  }
}

/* ---- is it so? ---- */

/* a search: where, how far columns move, and room for values */
typedef struct search {
  dae_point *p;
  dae_level_ctx level;
  dae_quadratic *q;
  double t;
  const double *x;
  double *at, *step, *value[3]; /* nz, nz, ng each */
} search;

static dae_status call(search *s, double t, double *g) {
  s->p->counts->difference++;
  return dae_point_level_fn(&s->level, t, s->at, g);
}

static double sign_and_size(int j) { return (j % 2 ? 0.83 : -0.71) + 0.13 * sin(1 + 2.3 * j); }

/* g where all variables are moved by `part` of their steps, of all signs and sizes */
static dae_status call_along(search *s, double part, double *g) {
  const int n = s->p->sys->nx;
  for (int j = 0; j < n; j++) s->at[j] = s->x[j] + part * sign_and_size(j) * s->step[j];
  dae_status status = call(s, s->t, g);
  memcpy(s->at, s->x, (size_t)n * sizeof *s->at);
  return status;
}

/* the third difference of four values on a line is rounding; that they are the same at another time
   as well */
static dae_status looks_quadratic(search *s, bool *yes) {
  static const double weight[] = {-3, -1, 1}, part[] = {1, -1, 2};
  const int ng = s->p->sys->ng;
  double *sum = s->value[0], *top = s->value[1], *g = s->value[2];
  dae_status status = call(s, s->t, s->q->g);
  *yes = false;
  /* g(2) - 3 g(1) + 3 g(0) - g(-1), with signs turned */
  for (int i = 0; i < ng; i++) sum[i] = -3 * s->q->g[i], top[i] = fabs(s->q->g[i]);
  for (int k = 0; k < 3 && status == DAE_OK; k++) {
    status = call_along(s, part[k], g);
    for (int i = 0; i < ng && status == DAE_OK; i++) {
      sum[i] -= weight[k] * g[i];
      top[i] = fmax(top[i], fabs(g[i]));
    }
  }
  if (status != DAE_OK) return status;
  for (int i = 0; i < ng; i++)
    if (!(fabs(sum[i]) <= 8 * ROUNDING * top[i])) return DAE_OK;
  if (!s->p->sys->p->autonomous) {
    const double span = s->p->sys->p->t1 - s->p->sys->p->t0;
    const double ahead = span != 0 && isfinite(span) ? span : fmax(fabs(s->t), 1);
    status = call(s, s->t + LATER * ahead, g);
    for (int i = 0; i < ng && status == DAE_OK; i++)
      if (!(fabs(g[i] - s->q->g[i]) <= ROUNDING * top[i])) return DAE_OK;
  }
  *yes = true;
  return status;
}

static void move(search *s, int colour, double part) {
  for (int j = 0; j < s->p->sys->nx; j++)
    if (has_colour(s->p->sys, j, colour)) s->at[j] = s->x[j] + part * s->step[j];
}

/* the entry of a row that has a colour; -1: none */
static int entry_of(const dae_system *s, const dae_row *row, int colour) {
  if (!s->pattern.start) return colour;
  for (int a = 0; a < row->count; a++)
    if (s->G_colours.of[row->column[a]] == colour) return a;
  return -1;
}

/* G_j = (g(e) - g(-e))/2e, H_jj = (g(e) - 2 g + g(-e))/e^2 for the columns j of a colour */
static void store_one(search *s, int colour) {
  const double *plus = s->value[0], *minus = s->value[1], *H = s->q->H;
  for (int i = 0; i < s->p->sys->ng; i++) {
    const line l = next_line(s->p, i, &H);
    const int a = entry_of(s->p->sys, &l.G, colour);
    if (a < 0) continue;
    const double e = s->step[dae_row_column(&l.G, a)];
    l.G.x[a] = (plus[i] - minus[i]) / (2 * e);
    s->q->H[l.H - s->q->H + a * (l.G.count + 1)] = (plus[i] - 2 * s->q->g[i] + minus[i]) / (e * e);
  }
}

/* H_jk from g where both have moved, of which the rest is known */
static void store_pair(search *s, int first, int second) {
  const double *g = s->value[0], *H = s->q->H;
  for (int i = 0; i < s->p->sys->ng; i++) {
    const line l = next_line(s->p, i, &H);
    const int a = entry_of(s->p->sys, &l.G, first), b = entry_of(s->p->sys, &l.G, second);
    if (a < 0 || b < 0) continue;
    const int r = l.G.count;
    const double ea = s->step[dae_row_column(&l.G, a)], eb = s->step[dae_row_column(&l.G, b)];
    double rest = g[i] - s->q->g[i] - ea * (l.G.x[a] + l.H[a * (r + 1)] * ea / 2) -
                  eb * (l.G.x[b] + l.H[b * (r + 1)] * eb / 2);
    double *out = s->q->H + (l.H - s->q->H);
    out[a * r + b] = out[b * r + a] = rest / (ea * eb);
  }
}

static dae_status take_values(search *s) {
  const int count = colours(s->p->sys);
  dae_status status = DAE_OK;
  for (int a = 0; a < count && status == DAE_OK; a++) {
    move(s, a, 1);
    status = call(s, s->t, s->value[0]);
    move(s, a, -1);
    if (status == DAE_OK) status = call(s, s->t, s->value[1]);
    move(s, a, 0);
    if (status == DAE_OK) store_one(s, a);
  }
  for (int a = 0; a < count && status == DAE_OK; a++)
    for (int b = 0; b < a && status == DAE_OK; b++) {
      move(s, a, 1);
      move(s, b, 1);
      status = call(s, s->t, s->value[0]);
      move(s, a, 0);
      move(s, b, 0);
      if (status == DAE_OK) store_pair(s, a, b);
    }
  return status;
}

/* rounding in the values was that of these terms */
static void find_terms(search *s) {
  const dae_point *p = s->p;
  const double *H = s->q->H;
  for (int j = 0; j < p->sys->nx; j++) s->at[j] = s->x[j] + s->step[j];
  memset(s->q->terms, 0, (size_t)p->sys->ng * sizeof *s->q->terms);
  for (int i = 0; i < p->sys->ng; i++) {
    double terms;
    const line l = next_line(p, i, &H);
    value_of(p, i, &l, s->at, &terms);
    s->q->terms[i] = terms;
  }
  memcpy(s->at, s->x, (size_t)p->sys->nx * sizeof *s->at);
}

/* the values at some other points, too */
static dae_status holds_elsewhere(search *s, bool *yes) {
  static const double part[] = {-1.37, 0.73};
  dae_status status = DAE_OK;
  find_terms(s);
  *yes = true;
  for (int k = 0; k < 2 && status == DAE_OK && *yes; k++) {
    status = call_along(s, part[k], s->value[0]);
    for (int j = 0; j < s->p->sys->nx; j++)
      s->at[j] = s->x[j] + part[k] * sign_and_size(j) * s->step[j];
    *yes = status == DAE_OK && agrees(s->p, s->at, s->value[0]);
    memcpy(s->at, s->x, (size_t)s->p->sys->nx * sizeof *s->at);
  }
  return status;
}

static dae_status find_out(dae_point *p) {
  dae_workspace *w = p->work;
  dae_quadratic *q = w->quadratic;
  dae_slice a = dae_point_down(p);
  const int n = p->sys->nx, rows = n > p->sys->nc ? n : p->sys->nc;
  search s = {.p = p, .level = {p, 0}, .q = q, .t = a.t, .x = q->x, .at = a.z_work, .step = a.dz};
  for (int k = 0; k < 3; k++) s.value[k] = a.f_work + k * rows;
  bool yes = false;
  q->state = DAE_QUADRATIC_NEVER;
  w->differs = true;
  memcpy(q->x, a.z, (size_t)n * sizeof *q->x);
  memcpy(s.at, a.z, (size_t)p->sys->nz * sizeof *s.at);
  for (int j = 0; j < n; j++) {
    const double size = fmax(fabs(q->x[j]), fmax(w->size[j], OF_ONE * w->one[j]));
    volatile double moved = q->x[j] + PART * size;
    s.step[j] = moved - q->x[j];
  }
  dae_status status = looks_quadratic(&s, &yes);
  if (status == DAE_OK && yes) status = take_values(&s);
  if (status == DAE_OK && yes) status = holds_elsewhere(&s, &yes);
  dae_point_up(p, &a);
  if (status == DAE_OK && yes) q->state = DAE_QUADRATIC_HOLDS;
  return status == DAE_STOPPED ? status : DAE_OK;
}

void dae_point_quadratic_seen(dae_point *p, const double *g) {
  dae_quadratic *q = p->work->quadratic;
  if (q->state != DAE_QUADRATIC_HOLDS || p->holds & DAE_HOLDS_QUADRATIC) return;
  if (agrees(p, p->z, g)) p->holds |= DAE_HOLDS_QUADRATIC;
  /* looks aside leave nothing behind */
  else if (p->aside == 0) q->state = DAE_QUADRATIC_NEVER;
}

dae_status dae_point_quadratic(dae_point *p, bool *yes) {
  dae_quadratic *q = p->work->quadratic;
  dae_status status = DAE_OK;
  *yes = false;
  if (!q || q->state == DAE_QUADRATIC_NEVER) return DAE_OK;
  if (q->state == DAE_QUADRATIC_UNTRIED) {
    if (p->aside > 0) return DAE_OK;
    status = find_out(p);
    if (status == DAE_OK && q->state == DAE_QUADRATIC_HOLDS) p->holds |= DAE_HOLDS_QUADRATIC;
  } else if (!(p->holds & DAE_HOLDS_QUADRATIC)) {
    dae_slice a = dae_point_down(p);
    const unsigned holds = p->holds;
    status = dae_point_level(p, 0, a.f_work);
    const unsigned seen = p->holds & DAE_HOLDS_QUADRATIC;
    dae_point_up(p, &a);
    p->holds = holds | seen;
  }
  *yes = status == DAE_OK && p->holds & DAE_HOLDS_QUADRATIC;
  return status == DAE_STOPPED ? status : DAE_OK;
}
