/* the sparse KKT system with K = G', nothing factored but the blocks of M: conjugate gradients on S
   = G M^-1 G' */
#include <math.h>
#include <string.h>

#include "la/blocks.h"
#include "la/kernel.h"
#include "la/kkt.h"

typedef struct cg {
  int n, rows;
  dae_la_mass mass;
  bool mass_ready;
  double accuracy; /* of the residual, relative to the right-hand side */
  const dae_pattern *pattern;
  dae_la_blocks m;
  double *G;
  double *scale;     /* rows: 1 / |G row|^2, so that rows of any size count; 0 for an empty one */
  double *last;      /* rows: the multipliers of the last factor_solve, where the next one starts */
  double *b, *y;     /* rows: right-hand side, and the solution that starts from zero */
  double *r, *d, *q; /* rows: residual, direction, S d */
  double *t;         /* n */
} cg;

dae_status dae_la_kkt_cg_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  size_t n = (size_t)shape->n, rows = (size_t)shape->rows;
  cg *s = dae_base_take(pool, 1, sizeof *s);
  *self = s;
  if (!s) return DAE_E_MEMORY;
  *s = (cg){.n = shape->n,
            .rows = shape->rows,
            .mass = shape->mass,
            .accuracy = shape->iterate,
            .pattern = shape->pattern};
  dae_status status = dae_la_blocks_new(&s->m, pool, s->n, shape->mass_pattern);
  if (status == DAE_OK) status = dae_la_blocks_take(&s->m, pool, shape->mass_pattern);
  s->G = dae_base_doubles(pool, (size_t)s->pattern->start[rows]);
  s->scale = dae_base_doubles(pool, rows);
  s->last = dae_base_doubles(pool, rows);
  s->b = dae_base_doubles(pool, rows);
  s->y = dae_base_doubles(pool, rows);
  s->r = dae_base_doubles(pool, rows);
  s->d = dae_base_doubles(pool, rows);
  s->q = dae_base_doubles(pool, rows);
  s->t = dae_base_doubles(pool, n);
  return pool->failed ? DAE_E_MEMORY : status;
}

/* r := G x */
static void times(const cg *s, const double *x, double *r) {
  const int *start = s->pattern->start, *column = s->pattern->column;
  for (int i = 0; i < s->rows; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += s->G[k] * x[column[k]];
    r[i] = sum;
  }
}

/* x := M^-1 G' y */
static void move(const cg *s, const double *y, double *x) {
  const int *start = s->pattern->start, *column = s->pattern->column;
  memset(x, 0, (size_t)s->n * sizeof *x);
  for (int i = 0; i < s->rows; i++)
    for (int k = start[i]; k < start[i + 1]; k++) x[column[k]] += s->G[k] * y[i];
  dae_la_blocks_solve(&s->m, x);
}

/* r' C r with the rows brought to unit length */
static double square(const cg *s, const double *r) {
  double sum = 0;
  for (int i = 0; i < s->rows; i++) sum += s->scale[i] * r[i] * r[i];
  return sum;
}

/* S y = b from the y that is there; false: too many iterations. Dependent rows that are consistent
   do no harm: y keeps the part without effect that it starts with. */
static bool iterate(cg *s, double *y) {
  const int rows = s->rows;
  double enough = s->accuracy * s->accuracy * square(s, s->b), last = 0;
  move(s, y, s->t);
  times(s, s->t, s->q);
  for (int i = 0; i < rows; i++) s->r[i] = s->b[i] - s->q[i];
  /* in exact numbers `rows` iterations would do */
  for (long pass = 0; pass < 100 + 4L * rows; pass++) {
    double now = square(s, s->r);
    if (!isfinite(now)) return false;
    if (now <= enough) return true;
    double beta = pass ? now / last : 0;
    for (int i = 0; i < rows; i++) s->d[i] = s->scale[i] * s->r[i] + (pass ? beta * s->d[i] : 0);
    move(s, s->d, s->t);
    times(s, s->t, s->q);
    double along = dae_la_dot(rows, s->d, s->q);
    if (!(along > 0)) return false;
    dae_la_subtract(rows, -now / along, s->d, y);
    dae_la_subtract(rows, now / along, s->q, s->r);
    last = now;
  }
  return false;
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  cg *s = self;
  const int *start = s->pattern->start;
  (void)Kt;
  *info = (dae_la_kkt_info){.rank = s->rows, .row = -1, .rcond = 1, .smallest = 1};
  int bad = -1;
  if (!(mass_same && s->mass_ready))
    bad = dae_la_blocks_factor(&s->m, s->mass == DAE_LA_IDENTITY ? NULL : M);
  s->mass_ready = bad < 0;
  if (bad >= 0) {
    info->mass_singular = true;
    info->row = bad;
    return DAE_E_SINGULAR;
  }
  for (int i = 0; i < s->rows; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) s->G[k] = G[k], sum += G[k] * G[k];
    if (!isfinite(sum)) return DAE_E_SINGULAR;
    s->scale[i] = sum > 0 ? 1 / sum : 0;
  }
  return DAE_OK;
}

/* b := G M^-1 p - r: then S y = b and a = M^-1 p - M^-1 G'y */
static void right_hand_side(cg *s, const double *p, const double *r) {
  memcpy(s->t, p, (size_t)s->n * sizeof *p);
  dae_la_blocks_solve(&s->m, s->t);
  times(s, s->t, s->b);
  for (int i = 0; i < s->rows; i++) s->b[i] -= r[i];
}

static void accelerations(cg *s, const double *y, double *p, double *r) {
  dae_la_blocks_solve(&s->m, p);
  move(s, y, s->t);
  dae_la_subtract(s->n, 1, s->t, p);
  memcpy(r, y, (size_t)s->rows * sizeof *r);
}

static dae_status factor_solve(void *self, const double *M, const double *G, const double *Kt,
                               bool mass_same, double *p, double *r, dae_la_kkt_info *info) {
  cg *s = self;
  dae_status status = factor(self, M, G, Kt, mass_same, info);
  if (status != DAE_OK) return status;
  right_hand_side(s, p, r);
  if (!iterate(s, s->last)) {
    memset(s->last, 0, (size_t)s->rows * sizeof *s->last);
    return DAE_E_SINGULAR;
  }
  accelerations(s, s->last, p, r);
  return DAE_OK;
}

/* the multipliers of a correction have no past */
static void from_zero(cg *s) {
  memset(s->y, 0, (size_t)s->rows * sizeof *s->y);
  iterate(s, s->y);
}

static void schur_solve(void *self, double *r) {
  cg *s = self;
  memcpy(s->b, r, (size_t)s->rows * sizeof *r);
  from_zero(s);
  memcpy(r, s->y, (size_t)s->rows * sizeof *r);
}

static void solve(void *self, double *p, double *r) {
  cg *s = self;
  right_hand_side(s, p, r);
  from_zero(s);
  accelerations(s, s->y, p, r);
}

static void mass_solve(void *self, double *p) { dae_la_blocks_solve(&((cg *)self)->m, p); }

/* the past of rows is not watched: any room will do */
static double *lengths(void *self) { return ((cg *)self)->q; }

const dae_la_kkt_backend dae_la_kkt_cg = {.factor = factor,
                                          .solve = solve,
                                          .factor_solve = factor_solve,
                                          .schur_solve = schur_solve,
                                          .mass_solve = mass_solve,
                                          .lengths = lengths};
