/* stabilizers: construction, and what happens before and after a step (1992-stab section 3) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stabilize/inside.h"

static const dae_choice table[] = {
    [DAE_STAB_NONE] = {"none", 0, "z", "", "to see the drift"},
    [DAE_STAB_POST] = {"post", 0, "z - alpha F(z) h(z) after the step", "1992-stab (3.9)",
                       "the method of choice: explicit, drift O(h^(p+1))"},
    [DAE_STAB_FORWARD] = {"forward", 0, "phi(z_n) - alpha F(z_n) h(z_n)", "1992-stab (3.4)",
                          "cheap; not with stiff problems"},
    [DAE_STAB_BACKWARD] = {"backward", 0, "phi(z_n) - alpha F(z) h(z), implicit", "1992-stab (3.7)",
                           "large alpha"},
    [DAE_STAB_PROJECT] = {"project", 0, "z - D lambda with h = 0", "1992-stab (3.10)",
                          "the default: drift at rounding level"},
};

const dae_choice *dae_stabilizer_at(int i) {
  return i >= 0 && i < DAE_STABILIZERS ? &table[i] : NULL;
}

/* which rows of h are used: all levels, the first, or the last */
static void choose_levels(dae_stabilizer *s, int level) {
  const dae_system *sys = s->sys;
  s->first = 0;
  s->last = sys->order - 1;
  if (level == DAE_LEVEL_POSITION) s->last = 0;
  else if (level == DAE_LEVEL_VELOCITY) s->first = s->last;
  for (int l = 0; l <= s->last; l++) {
    int rows = dae_problem_level_rows(sys, l);
    if (l < s->first) s->row0 += rows;
    else s->rows += rows;
  }
}

static dae_status take_memory(dae_stabilizer *s, dae_pool *pool) {
  const dae_system *sys = s->sys;
  size_t nz = (size_t)sys->nz, nh = (size_t)sys->nh;
  s->h = dae_base_doubles(pool, nh);
  s->unit = dae_base_doubles(pool, nh);
  s->delta = dae_base_doubles(pool, nz);
  s->kept = dae_base_doubles(pool, nz);
  if (!s->by_level) {
    s->H = dae_base_doubles(pool, nh * nz);
    s->D = dae_base_doubles(pool, nz * nh);
    s->HD = dae_base_doubles(pool, 2 * nh * nh);
    s->x = dae_base_doubles(pool, 2 * nh);
    s->pivot = dae_base_ints(pool, nh);
    s->scale = dae_base_doubles(pool, nh);
    s->column = dae_base_doubles(pool, nh);
    s->tau = dae_base_doubles(pool, nh);
    s->work = dae_base_doubles(pool, 4 * nh);
  }
  if (sys->nc == 0) return pool->failed ? DAE_E_MEMORY : DAE_OK;
  /* least change: in the mass norm for mechanical problems, else in the plain norm */
  dae_la_kkt_shape shape = sys->shape;
  shape.rows = sys->nc;
  shape.symmetric = true;
  if (sys->pattern.start) shape.pattern = &sys->pattern;
  s->right = dae_base_doubles(pool, (size_t)sys->nc);
  s->G = dae_base_doubles(pool, (size_t)sys->G.size);
  if (sys->has_mass) s->M = dae_base_doubles(pool, (size_t)sys->M.size);
  if (pool->failed) return DAE_E_MEMORY;
  return dae_la_kkt_new(&s->kkt, pool, &shape);
}

/* DAE_E_INPUT says which setting is wrong */
static dae_status read_settings(dae_stabilizer *s, const dae_settings *o, char *message, int size) {
  s->plain = o->weighting == DAE_WEIGHTING_PLAIN;
  s->sor = o->schur == DAE_SCHUR_SOR;
  if (!(o->alpha > 0) || o->passes < 1 || o->freeze < 1 || !(o->ctol >= 0)) {
    snprintf(message, (size_t)size,
             "alpha must be positive, passes and freeze at least 1, ctol not negative");
    return DAE_E_INPUT;
  }
  s->alpha = o->alpha;
  s->passes = o->passes;
  s->freeze = o->freeze;
  /* a few units of rounding in the terms of a constraint */
  s->ctol = o->ctol > 0 ? o->ctol : 4e-15;
  s->direction = o->direction;
  dae_status status =
      dae_problem_direction_settle(s->sys, DAE_DIR_AUTO, &s->direction, message, size);
  if (status != DAE_OK) return status;
  dae_direction_kind k = s->direction.kind;
  bool automatic = o->direction.kind == DAE_DIR_AUTO;
  bool mass = k == DAE_DIR_MASS && (s->sys->ny > 0 || s->sys->has_mass);
  s->by_level = !s->plain && !s->sor && s->freeze == 1 && (k == DAE_DIR_PINV || mass || automatic);
  if (!s->by_level && !s->sys->narrow) {
    snprintf(message, (size_t)size,
             "direction %s needs dense matrices of %d x %d; use mass or pinv",
             dae_problem_direction_name(&s->direction), s->sys->nz, s->sys->nh);
    return DAE_E_FORM;
  }
  choose_levels(s, o->level);
  return DAE_OK;
}

dae_status dae_stabilize_new(dae_stabilizer **out, dae_point *beside, const dae_settings *o,
                             dae_pool *pool, char *message, int size) {
  *out = NULL;
  dae_stabilizer *s = dae_base_take(pool, 1, sizeof *s);
  if (!s) return DAE_E_MEMORY;
  s->sys = beside->sys;
  s->run = beside;
  s->kind = o->stabilize;
  s->age = -1;
  s->bad_row = -1;
  dae_status status = read_settings(s, o, message, size);
  dae_direction_kind k = s->direction.kind;
  bool factors = !s->by_level && (k == DAE_DIR_MASS || k == DAE_DIR_FORCE);
  if (status == DAE_OK) status = dae_point_new(&s->at, pool, s->sys, beside, factors);
  if (status == DAE_OK) status = take_memory(s, pool);
  if (status != DAE_OK) {
    dae_stabilize_free(s);
    return status;
  }
  *out = s;
  return DAE_OK;
}

void dae_stabilize_free(dae_stabilizer *s) {
  if (!s) return;
  dae_la_kkt_free(s->kkt);
  dae_point_free(s->at);
}

void dae_stabilize_start(dae_stabilizer *s) {
  s->age = -1;
  s->scale_age = 0;
  s->counts = (dae_stabilize_counts){0};
  dae_point_start(s->at);
}

const double *dae_stabilize_residuals(const dae_stabilizer *s) { return s->h; }

bool dae_stabilize_keeps(const dae_stabilizer *s, int i) {
  return s->kind == DAE_STAB_PROJECT && i >= s->row0 && i < s->row0 + s->rows;
}

const dae_stabilize_counts *dae_stabilize_counted(const dae_stabilizer *s) { return &s->counts; }

void dae_stabilize_culprit(const dae_stabilizer *s, int *row, int *level, double *residual) {
  *row = s->bad_row;
  *level = s->bad_level;
  *residual = s->bad_residual;
}

dae_status dae_stabilize_before(dae_stabilizer *s, double t, const double *z) {
  if (s->kind != DAE_STAB_FORWARD || s->rows == 0) return DAE_OK;
  dae_point_at(s->at, t, z);
  dae_status status = dae_point_invariants(s->at, s->h);
  if (status == DAE_OK) status = dae_stabilize_apply(s, s->h, s->kept, NULL);
  return status;
}

/* to the last digit, with linear convergence for which sixty corrections are many */
static const dae_iteration_rule BACKWARD = {
    .limit = 60, .enough = 4e-16, .floor = 1e-12, .still = 0.5};

/* z = z~ - alpha F(z) h(z) by  delta <- alpha/(1+alpha) (F(z) h(z) + delta),  z <- z~ - delta
   (1.13) */
static dae_status backward(dae_stabilizer *s, double t, double *z) {
  int n = s->sys->nz;
  double *start = s->kept, factor = s->alpha / (1 + s->alpha);
  double *delta = s->delta;
  dae_iteration course = dae_base_iteration();
  memcpy(start, z, (size_t)n * sizeof *z);
  for (;;) {
    dae_point_at(s->at, t, z);
    dae_status status = dae_point_invariants(s->at, s->h);
    if (status == DAE_OK) status = dae_stabilize_apply(s, s->h, delta, NULL);
    if (status != DAE_OK) return status;
    double change = 0, size = 0;
    for (int i = 0; i < n; i++) {
      /* delta so far is start - z */
      double next = start[i] - factor * (delta[i] + start[i] - z[i]);
      change = fmax(change, fabs(next - z[i]));
      size = fmax(size, fabs(next));
      z[i] = next;
    }
    dae_progress progress = dae_base_judge(&course, &BACKWARD, change, size);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
}

/* (1.14): z = z~ - D lambda,  lambda = alpha h(z):  (I/alpha + HD) lambda = h(z) + HD lambda_old */
static dae_status backward_plain(dae_stabilizer *s, double t, double *z) {
  int n = s->sys->nz, nh = s->sys->nh, m = s->rows;
  double *start = s->kept, *lambda = s->x + nh;
  dae_iteration course = dae_base_iteration();
  memcpy(start, z, (size_t)n * sizeof *z);
  memset(lambda, 0, (size_t)m * sizeof *lambda);
  for (;;) {
    dae_point_at(s->at, t, z);
    dae_status status = dae_point_invariants(s->at, s->h);
    if (status == DAE_OK) status = dae_stabilize_matrices(s);
    if (status != DAE_OK) return status;
    double *A = s->HD + (size_t)nh * nh, *r = s->x;
    for (int i = 0; i < m; i++) {
      r[i] = s->h[s->row0 + i];
      for (int j = 0; j < m; j++) {
        r[i] += s->HD[(size_t)i * m + j] * lambda[j];
        A[(size_t)i * m + j] = s->HD[(size_t)i * m + j] + (i == j ? 1 / s->alpha : 0);
      }
    }
    if (dae_la_lu(m, A, s->pivot) != 0) return DAE_E_SINGULAR;
    dae_la_lu_solve(m, A, s->pivot, r);
    memcpy(lambda, r, (size_t)m * sizeof *r);
    double change = 0, size = 0;
    for (int i = 0; i < n; i++) {
      double next = start[i];
      for (int j = 0; j < m; j++) next -= s->D[(size_t)i * m + j] * lambda[j];
      change = fmax(change, fabs(next - z[i]));
      size = fmax(size, fabs(next));
      z[i] = next;
    }
    dae_progress progress = dae_base_judge(&course, &BACKWARD, change, size);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
}

/* z <- z - alpha F(z) h(z), `passes` times (3.9) */
static dae_status post(dae_stabilizer *s, double t, double *z, const dae_point *near) {
  for (int pass = 0; pass < s->passes; pass++) {
    dae_point_at(s->at, t, z);
    dae_status status = dae_point_invariants(s->at, s->h);
    s->before = dae_la_norm_max(s->rows, s->h + s->row0);
    if (status == DAE_OK) status = dae_stabilize_apply(s, s->h, s->delta, pass == 0 ? near : NULL);
    if (status != DAE_OK) return status;
    for (int i = 0; i < s->sys->nz; i++) z[i] -= s->alpha * s->delta[i];
  }
  return DAE_OK;
}

dae_status dae_stabilize_after(dae_stabilizer *s, double t, double *z, const dae_point *near) {
  if (s->kind == DAE_STAB_NONE || s->rows == 0) return DAE_OK;
  s->counts.corrections++;
  switch (s->kind) {
    case DAE_STAB_POST: return post(s, t, z, near);
    case DAE_STAB_FORWARD:
      for (int i = 0; i < s->sys->nz; i++) z[i] -= s->alpha * s->kept[i];
      return DAE_OK;
    case DAE_STAB_BACKWARD: return s->plain ? backward_plain(s, t, z) : backward(s, t, z);
    default: dae_point_at(s->at, t, z); return dae_stabilize_onto(s, z, near);
  }
}

/* drift[l] := max |h| of level l, from s->h */
static void largest(const dae_stabilizer *s, double *drift) {
  const double *h = s->h;
  for (int l = 0; l < s->sys->order; l++) {
    int rows = dae_problem_level_rows(s->sys, l);
    drift[l] = dae_la_norm_max(rows, h);
    h += rows;
  }
}

/* residuals after a projection are those of its last iteration, by level only of the levels in
   use */
static bool residuals_known(const dae_stabilizer *s) {
  return s->kind == DAE_STAB_PROJECT &&
         (!s->by_level || (s->first == 0 && s->last == s->sys->order - 1));
}

dae_status dae_stabilize_left(dae_stabilizer *s, double t, const double *z, double *drift) {
  dae_status status = DAE_OK;
  if (!residuals_known(s)) {
    dae_point_at(s->at, t, z);
    status = dae_point_invariants(s->at, s->h);
  }
  largest(s, drift);
  /* a kept factorization that no longer reduces the residual tenfold is made anew next time */
  if (s->age > 0 && dae_la_norm_max(s->rows, s->h + s->row0) > 0.1 * s->before) s->age = -1;
  return status;
}

dae_status dae_stabilize_drift(dae_stabilizer *s, double t, const double *z, double *drift) {
  dae_point_at(s->at, t, z);
  dae_status status = dae_point_invariants(s->at, s->h);
  largest(s, drift);
  return status;
}
