/* the audit of a boundary value problem: all mesh points, the middles of the intervals, the
   conditions */
#include <string.h>

#include "colloc/bvp.h"
#include "drive/drive.h"

typedef struct walk {
  const dae_problem *p;
  const dae_solution *s;
  dae_auditor *a;
  dae_pool pool;
  double *ends, *z, *y, *dz;
} walk;

/* an estimate of the error is a promise; a fixed mesh and tolerances for some components are
   none */
static void promise(const walk *w, const dae_settings *o) {
  bool none = o->fixed_mesh || w->p->boundary->z_tol || o->form == DAE_FORM_SRM;
  memset(w->a->promise, none ? DAE_PROMISE_NONE : DAE_PROMISE_TOLERANCE, (size_t)w->a->sys->nh);
}

/* the equations of an implicit problem, at the end of an interval or in the middle of one */
static dae_status equations(walk *w, double t, double h) {
  return w->a->equations ? dae_audit_implicit(w->a, t, w->z, w->dz, h) : DAE_OK;
}

/* z, y and z' at a place of an interval, as dae_solution_eval has them */
static void sample(walk *w, int i, const dae_colloc_place *place) {
  const dae_solution *s = w->s;
  double *Z = w->ends, *W = Z + s->shape.ns;
  int nx = s->form.nx;
  dae_colloc_sample_place(s, i, place, Z, W, s->inner_y ? NULL : w->y, NULL);
  dae_colloc_form_z(&s->form, Z, w->z);
  memcpy(w->dz, Z + nx, sizeof(double) * (size_t)(s->nz - nx));
  memcpy(w->dz + s->nz - nx, W, sizeof(double) * (size_t)nx);
}

static dae_status points(walk *w) {
  int count;
  const double *t = dae_solution_mesh(w->s, &count);
  dae_status status = DAE_OK;
  dae_colloc_place start, middle;
  dae_colloc_place_set(&start, w->s, 0);
  dae_colloc_place_set(&middle, w->s, 0.5);
  for (int i = 0; i < count && status == DAE_OK; i++) {
    const double h = t[i + 1] - t[i], at = t[i] + 0.5 * h;
    sample(w, i, &start);
    status = dae_audit_point(w->a, t[i], w->z, w->y, w->dz);
    if (status == DAE_OK) status = equations(w, t[i], h);
    if (status != DAE_OK) break;
    sample(w, i, &middle);
    status = dae_audit_step(w->a, at, w->z, w->y, w->dz, NULL);
    if (status == DAE_OK) status = equations(w, at, h);
  }
  if (status == DAE_OK) status = dae_solution_eval(w->s, t[count], w->z, w->y, w->dz);
  if (status == DAE_OK) status = dae_audit_point(w->a, t[count], w->z, w->y, w->dz);
  if (status == DAE_OK) status = equations(w, t[count], t[count] - t[count - 1]);
  /* the last point is the present one */
  return status == DAE_OK ? dae_audit_judge(w->a, t[count], w->z) : status;
}

static dae_status conditions(walk *w) {
  const dae_boundary *b = w->p->boundary;
  if (b->z_tol) return DAE_OK;
  dae_status status = dae_solution_eval(w->s, w->p->t0, w->ends, NULL, NULL);
  if (status == DAE_OK)
    status = dae_solution_eval(w->s, w->p->t1, w->ends + w->a->sys->nz, NULL, NULL);
  if (status == DAE_OK) status = dae_audit_ends(w->a, w->ends, &w->pool);
  for (int k = 0; k < b->n_side && status == DAE_OK; k++) {
    status = dae_solution_eval(w->s, b->side[k].t, w->z, NULL, NULL);
    if (status == DAE_OK) status = dae_audit_side(w->a, k, w->z, &w->pool);
  }
  return status;
}

static dae_status begin(walk *w, const dae_settings *o) {
  const dae_system *sys;
  dae_point *at;
  dae_status status = dae_problem_system_new(&sys, &w->pool, w->p);
  if (status == DAE_OK) status = dae_point_new(&at, &w->pool, sys, NULL, false);
  if (status == DAE_OK) status = dae_audit_new(&w->a, at, o, &w->pool);
  if (status != DAE_OK) return status;
  size_t nz = (size_t)sys->nz;
  /* both ends, or the unknowns of collocation at one place */
  w->ends = dae_base_doubles(&w->pool, 2 * nz + (size_t)(w->s->shape.ns + w->s->form.nv));
  w->z = dae_base_doubles(&w->pool, nz);
  w->dz = dae_base_doubles(&w->pool, nz);
  w->y = dae_base_doubles(&w->pool, (size_t)sys->ny);
  if (w->pool.failed) return DAE_E_MEMORY;
  promise(w, o);
  return DAE_OK;
}

dae_status dae_drive_bvp_audit(const dae_problem *p, const dae_settings *o, dae_solution *s,
                               dae_status status, dae_report *report) {
  if (!o->audit || status != DAE_OK || !s) return status;
  walk w = {.p = p, .s = s};
  dae_base_pool_init(&w.pool, &o->allocator);
  status = begin(&w, o);
  bool begun = status == DAE_OK;
  if (begun) status = points(&w);
  if (status == DAE_OK) status = conditions(&w);
  if (begun) s->stats.audit = dae_audit_worst(w.a);
  bool found = begun && w.a->message[0];
  if (status != DAE_OK)
    dae_colloc_report(report, status, found ? w.a->t : p->t0, "%s",
                      found ? w.a->message : dae_status_meaning(status));
  if (status != DAE_OK && found && report) {
    memcpy(report->equation, w.a->equation, DAE_NAME_MAX);
    memcpy(report->variable, w.a->variable, DAE_NAME_MAX);
    report->residual = w.a->residual;
  }
  dae_base_pool_free(&w.pool);
  return status;
}
