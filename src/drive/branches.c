/*
 * Algebraic equations that lose rank: another solution comes as near as the tolerance, and steps
 * may follow it. Steps become short there, after attempts that fail; what is looked at after those
 * is the matrix of the equations with respect to the algebraic variables, for implicit problems of
 * index 1 and for ODEs whose invariants determine some of the variables.
 */
#include <math.h>
#include <string.h>

#include "drive/implicit.h"

/* an error of a few tolerances is what steps may have left */
static const double FEW = 3;

/* invariants that hold algebraic entries, and these */
typedef struct rows {
  dae_solver *s;
  int count;
  int *row, *column;
} rows;

static dae_status matrix_of(void *ctx, const double *z, double *S) {
  const rows *w = ctx;
  dae_point *p = w->s->point;
  dae_point_at(p, w->s->t, z);
  dae_status status = dae_point_gradient(p);
  for (int i = 0; i < w->count && status == DAE_OK; i++) {
    dae_row r = dae_matrix_row(dae_point_across(p), w->row[i]);
    for (int k = 0; k < r.count; k++)
      for (int j = 0; j < w->count; j++)
        if (dae_row_column(&r, k) == w->column[j]) S[i * w->count + j] = r.x[k];
  }
  return status;
}

/* as many rows as columns, or nothing is known */
static dae_status find_rows(rows *w) {
  const dae_system *sys = w->s->sys;
  const unsigned char *algebraic = sys->p->ode.algebraic;
  dae_point *p = w->s->point;
  int columns = 0;
  dae_point_at(p, w->s->t, w->s->z);
  dae_status status = dae_point_gradient(p);
  for (int j = 0; j < sys->nz && status == DAE_OK; j++)
    if (algebraic[j]) w->column[columns++] = j;
  for (int i = 0; i < sys->nc && status == DAE_OK; i++) {
    dae_row r = dae_matrix_row(dae_point_across(p), i);
    bool any = false;
    for (int k = 0; k < r.count; k++) any |= r.x[k] != 0 && algebraic[dae_row_column(&r, k)];
    if (any) w->row[w->count++] = i;
  }
  if (w->count != columns) w->count = 0;
  return status;
}

static dae_status ode_branches(dae_solver *s, const double *ball, dae_branches *out) {
  const dae_system *sys = s->sys;
  if (s->p->kind != DAE_ODE || !s->p->ode.algebraic || sys->nc > DAE_STAIRS_MOST) return DAE_OK;
  dae_pool pool;
  dae_base_pool_init(&pool, &s->sys->passing);
  rows w = {.s = s, .row = dae_base_ints(&pool, (size_t)sys->nc)};
  w.column = dae_base_ints(&pool, (size_t)sys->nz);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  dae_point_aside(s->point);
  if (status == DAE_OK) status = find_rows(&w);
  const dae_square S = {matrix_of, &w, w.count, sys->nz, w.column, s->z, ball};
  if (status == DAE_OK && w.count > 0) status = dae_problem_branches(&S, &pool, out);
  dae_point_back(s->point);
  dae_point_at(s->point, s->t, s->z);
  dae_base_pool_free(&pool);
  return status;
}

dae_status dae_drive_branches(dae_solver *s) {
  const dae_settings *o = &s->plan.o;
  dae_branches found = {0};
  double *ball = s->work.z;
  for (int j = 0; j < s->sys->nz; j++)
    ball[j] = FEW * ((o->atols ? o->atols[j] : o->atol) + o->rtol * fabs(s->z[j]));
  dae_status status =
      s->implicit ? dae_drive_implicit_branches(s, ball, &found) : ode_branches(s, ball, &found);
  if (status == DAE_E_CALLBACK) return DAE_OK;
  if (status != DAE_OK) return dae_drive_report(s, status, "%s", dae_status_meaning(status));
  /* an ODE goes on smoothly behind a place that it has stepped over; stages of an implicit problem
     solve for what is not determined there, and errors grow unseen */
  const bool turned = s->implicit && found.sign * s->control.sign < 0;
  if (found.sign) s->control.sign = found.sign;
  if (!found.near && !turned) return DAE_OK;
  return dae_drive_report(s, DAE_E_RANK,
                          "the algebraic equations lose rank %s t = %.15g: solutions branch or end "
                          "there",
                          found.near ? "within the tolerance of" : "before", s->t);
}
