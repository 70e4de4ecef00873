/*
 * Jumps along the multipliers. Where a constraint of M x^(m) = f - K y, 0 = g jumps at an event, or
 * a derivative of it does, y holds an impulse Lambda and
 *   M [x^(m-1)] = -K Lambda,   0 = (level m-1 of the constraints) after it;
 * lower levels do not jump without derivatives of impulses, which are refused. K is that of the
 * point before; where the K after it would lead elsewhere, the jump is not determined. What reinit
 * gives stays if it can: then the others move.
 */
#include <math.h>
#include <string.h>

#include "drive/instants.h"

/* residuals against the size of their terms */
static const double QUIET = 1e-9; /* no jump, but what integration and event location leave */
static const double SETTLED = 1e-13;
static const double APART = 1e-8; /* of the jump: directions before and after it differ */
enum { STEPS = 30 };

struct dae_jump {
  double *D, *GD, *r, *lambda, *column, *from, *tau, *work;
  int *pivot;
  unsigned char *given; /* coordinates to which reinit gave a value */
};

dae_status dae_drive_jump_new(dae_solver *s) {
  const dae_system *sys = s->sys;
  size_t nx = (size_t)sys->nx, nc = (size_t)sys->nc;
  if (s->p->kind != DAE_HESSENBERG || nc == 0) return DAE_OK;
  struct dae_jump *j = s->events->jump = dae_base_take(&s->pool, 1, sizeof *j);
  if (!j) return DAE_E_MEMORY;
  j->D = dae_base_doubles(&s->pool, nx * nc);
  j->GD = dae_base_doubles(&s->pool, nx * nc + nc * nc);
  j->r = dae_base_doubles(&s->pool, nc + nx);
  j->lambda = dae_base_doubles(&s->pool, nc);
  j->column = dae_base_doubles(&s->pool, nx);
  j->from = dae_base_doubles(&s->pool, nx);
  j->tau = dae_base_doubles(&s->pool, nx + nc);
  j->work = dae_base_doubles(&s->pool, 4 * (nx + nc));
  j->given = dae_base_data(&s->pool, nx, 1);
  j->pivot = dae_base_data(&s->pool, nx + nc, sizeof(int));
  return s->pool.failed ? DAE_E_MEMORY : DAE_OK;
}

/* the worst row of a level against the size of its terms; its name and residual in the report */
static double worst(dae_solver *s, int level, const double *r) {
  int row0 = 0;
  double most = 0;
  for (int l = 0; l < level; l++) row0 += dae_problem_level_rows(s->sys, l);
  for (int i = 0; i < dae_problem_level_rows(s->sys, level); i++) {
    double here = fabs(r[i]) / s->point->scale[row0 + i];
    if (r[i] == 0 || here <= most) continue;
    most = here;
    s->report.residual = r[i];
    dae_problem_g_name(s->p, i, level, s->report.equation, DAE_NAME_MAX);
  }
  return most;
}

static dae_status refuse(dae_solver *s, const char *why) {
  return dae_drive_report(s, DAE_E_JUMP,
                          "constraint %s is off by %.3g after the event at t = %.15g: %s",
                          s->report.equation, s->report.residual, s->t, why);
}

/* do the levels below `end` hold? */
static dae_status levels_hold(dae_solver *s, int end, const char *why) {
  const dae_system *sys = s->sys;
  if (sys->nh == 0) return DAE_OK;
  dae_point_at(s->point, s->t, s->z);
  dae_status status = dae_point_row_scale(s->point);
  for (int l = 0; l < end && status == DAE_OK; l++) {
    status = dae_point_level(s->point, l, s->work.r);
    if (status == DAE_OK && worst(s, l, s->work.r) > QUIET) return refuse(s, why);
  }
  return status;
}

dae_status dae_drive_jump_lower(dae_solver *s) {
  return levels_hold(s, s->sys->order - 1,
                     "only the highest derivatives of the coordinates may jump by themselves");
}

dae_status dae_drive_jump_any(dae_solver *s) {
  return levels_hold(s, s->sys->order, "the event changed no variable");
}

/* G D where the point is, factored; false when it is singular */
static bool factor(dae_solver *s, struct dae_jump *j) {
  const dae_system *sys = s->sys;
  int nx = sys->nx, nc = sys->nc;
  if (dae_point_gradient(s->point) != DAE_OK) return false;
  for (int k = 0; k < nc; k++) {
    for (int i = 0; i < nx; i++) j->column[i] = j->D[(size_t)i * nc + k];
    dae_matrix_times(&s->point->G, j->column, j->lambda);
    for (int i = 0; i < nc; i++) j->GD[(size_t)i * nc + k] = j->lambda[i];
  }
  return dae_la_lu(nc, j->GD, j->pivot) == 0;
}

/* x^(m-1) <- x^(m-1) - D (G D)^-1 r until r is at rounding */
static dae_status move(dae_solver *s, struct dae_jump *j) {
  const dae_system *sys = s->sys;
  int nx = sys->nx, nc = sys->nc, top = sys->order - 1;
  double *x = s->z + (size_t)top * nx, last = INFINITY;
  for (int k = 0; k < STEPS; k++) {
    dae_point_at(s->point, s->t, s->z);
    dae_status status = dae_point_level(s->point, top, j->r);
    if (status != DAE_OK) return status;
    double now = worst(s, top, j->r);
    if (now <= SETTLED || (now <= QUIET && now > 0.5 * last)) return DAE_OK;
    if (!factor(s, j)) break;
    last = now;
    memcpy(j->lambda, j->r, (size_t)nc * sizeof *j->r);
    dae_la_lu_solve(nc, j->GD, j->pivot, j->lambda);
    for (int i = 0; i < nx; i++)
      for (int c = 0; c < nc; c++) x[i] -= j->D[(size_t)i * nc + c] * j->lambda[c];
    if (!dae_base_finite(x, nx)) break;
  }
  return refuse(s, "no impulse of the multipliers leads back to it");
}

/* is the whole jump one along D? */
static bool along(dae_solver *s, struct dae_jump *j) {
  const dae_system *sys = s->sys;
  int nx = sys->nx, nc = sys->nc;
  const double *x = s->z + (size_t)(sys->order - 1) * nx;
  double most = 0, *b = j->r;
  for (int i = 0; i < nx; i++) most = fmax(most, fabs(b[i] = x[i] - j->from[i]));
  memcpy(j->GD, j->D, (size_t)nx * (size_t)nc * sizeof *j->D);
  int rank = dae_la_qr_rank(nx, nc, j->GD, 1e-12, j->pivot, j->tau, j->work);
  dae_la_qr_min_norm(nc, rank, j->GD, j->pivot, j->tau, b, j->lambda, j->work);
  for (int i = 0; i < nx; i++) {
    double left = x[i] - j->from[i];
    for (int c = 0; c < nc; c++) left -= j->D[(size_t)i * nc + c] * j->lambda[c];
    if (!(fabs(left) <= APART * most)) return false;
  }
  return true;
}

/* D at the present point; what reinit gives does not move */
static dae_status directions(dae_solver *s, struct dae_jump *j, bool hold) {
  const dae_direction_choice force = {.kind = DAE_DIR_FORCE};
  size_t nc = (size_t)s->sys->nc;
  dae_point_at(s->point, s->t, s->z);
  dae_status status = dae_point_direction_block(s->point, &force, j->D);
  for (int i = 0; i < s->sys->nx && hold; i++)
    if (j->given[i]) memset(j->D + (size_t)i * nc, 0, nc * sizeof *j->D);
  return status;
}

static dae_status attempt(dae_solver *s, struct dae_jump *j, bool hold) {
  int top = s->sys->order - 1;
  double off = s->report.residual;
  dae_status status = directions(s, j, hold);
  if (status == DAE_OK) status = move(s, j);
  if (status != DAE_OK || top > 0) return status;
  status = directions(s, j, hold);
  s->report.residual = off;
  if (status == DAE_OK && !along(s, j))
    status = refuse(s, "the multipliers act in another direction after the jump than before it");
  return status;
}

dae_status dae_drive_jump(dae_solver *s, const double *before) {
  struct dae_jump *j = s->events->jump;
  const dae_system *sys = s->sys;
  int top = sys->order - 1, given = 0;
  double *x = s->z + (size_t)top * sys->nx;
  dae_status status = dae_drive_jump_lower(s);
  dae_point_at(s->point, s->t, s->z);
  if (status == DAE_OK) status = dae_point_level(s->point, top, j->r);
  if (status != DAE_OK || worst(s, top, j->r) <= QUIET) return status;
  if (!sys->affine) return refuse(s, "an impulse has no meaning where y enters nonlinearly");
  memcpy(j->from, x, (size_t)sys->nx * sizeof *x);
  for (int i = 0; i < sys->nx; i++)
    given += j->given[i] = before && before[top * sys->nx + i] != x[i];
  if (given && attempt(s, j, true) == DAE_OK) return DAE_OK;
  memcpy(x, j->from, (size_t)sys->nx * sizeof *x);
  return attempt(s, j, false);
}
