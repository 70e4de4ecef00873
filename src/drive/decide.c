/*
 * What stands for "auto" follows from the run itself: its initial values and its interval, whether
 * they stand in the problem or are passed to the solver. The solver has a copy of the problem with
 * those of the run. It is built for what the problem holds; when the run turns out to be another
 * one, and something else follows from it, it is built again.
 */
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* does more than a choice depend on the interval: steps of a mesh, eps of a regularization? */
static bool measured(const dae_solver *s) {
  return s->own_y || (s->step->method->view == DAE_VIEW_PROBLEM && s->plan.given.mesh > 0);
}

dae_status dae_drive_look(dae_solver *s, dae_point *point, dae_rates *out) {
  const dae_problem *p = s->p;
  dae_begin at = {p->t0, p->z0, p->t1 - p->t0};
  double t_beside;
  const double *z_beside;
  *out = (dae_rates){.kind = DAE_CASE_UNKNOWN};
  if (p->kind == DAE_IMPLICIT || !p->z0 || !(at.horizon > 0) || !dae_choose_asks(&s->plan.given))
    return DAE_OK;
  dae_point_aside(s->point);
  /* on a singular position nothing can be said, but of the same motion beside it */
  if (point == s->point &&
      dae_passage_position(s->guard, at.t, at.z, &t_beside, &z_beside) != DAE_REGULAR)
    at.t = t_beside, at.z = z_beside;
  dae_point_back(s->point);
  return dae_choose_look(point, &s->plan.given,
                         s->plan.given.form == DAE_FORM_AUTO && !s->plan.given.method, &at, out);
}

/* the same without a trace in a run that has begun */
static dae_status look_aside(dae_solver *s, dae_rates *out) {
  if (!dae_choose_asks(&s->plan.given)) return DAE_OK;
  dae_pool pool;
  dae_point *point;
  dae_base_pool_init(&pool, &s->plan.given.allocator);
  dae_status status = dae_point_new(&point, &pool, s->sys, NULL, true);
  if (status == DAE_OK) status = dae_drive_look(s, point, out);
  dae_point_free(point);
  dae_base_pool_free(&pool);
  return status;
}

/* All objects again, for the problem as it is now. What callers may point to stays where it is; the
   old objects go when the new ones are there */
static dae_status rebuild(dae_solver *s) {
  dae_solver old = *s;
  *s = (dae_solver){.p = &s->origin.own,
                    .plan = {.given = old.plan.given},
                    .origin = old.origin,
                    .z = old.z,
                    .y = old.y,
                    .dz = old.dz,
                    .memory = {.n_home = old.memory.n_home},
                    .stops = {.hit = old.stops.hit, .n_hit = old.stops.n_hit},
                    .t = old.t,
                    .stats = old.stats,
                    .report = {.event = -1}};
  dae_base_pool_init(&s->pool, &old.plan.given.allocator);
  /* looks at the start must not depend on what was computed before */
  memcpy(old.work.y, s->y, (size_t)old.sys->ny * sizeof *s->y);
  memset(s->y, 0, (size_t)old.sys->ny * sizeof *s->y);
  dae_status status = dae_drive_build(s);
  dae_pool *home = old.memory.rebuilt ? &old.memory.home : &old.pool;
  if (status == DAE_OK && !dae_image_take(&s->memory.image, &s->pool, home, s->memory.n_home))
    status = DAE_E_MEMORY;
  dae_pool pool = s->pool;
  dae_report report = s->report;
  if (status != DAE_OK) {
    dae_drive_release(s);
    pool = s->pool;
    *s = old;
    memcpy(s->y, s->work.y, (size_t)s->sys->ny * sizeof *s->y);
    s->origin.built = false; /* z_built is that of the attempt */
    s->report = report;
    dae_base_pool_free(&pool);
    return report.message[0] && status != DAE_E_MEMORY
               ? status
               : dae_drive_report(s, status, "%s", dae_status_meaning(status));
  }
  /* the first pool holds the solver itself */
  s->pool = old.pool;
  dae_drive_release(&old);
  old.pool = s->pool;
  s->pool = pool;
  s->memory.rebuilt = true;
  s->memory.home = old.memory.rebuilt ? old.memory.home : old.pool;
  if (old.memory.rebuilt) dae_base_pool_free(&old.pool);
  s->memory.image.home = &s->memory.home;
  dae_image_keep(&s->memory.image);
  return DAE_OK;
}

/* is the run the one that the solver was built for? */
static bool as_built(const dae_solver *s) {
  return s->origin.built && s->origin.t0_built == s->origin.own.t0 &&
         s->origin.t1_built == s->origin.own.t1 &&
         memcmp(s->origin.z_built, s->origin.own.z0,
                (size_t)s->sys->nz * sizeof *s->origin.z_built) == 0;
}

void dae_drive_presume(dae_solver *s) {
  dae_problem *own = &s->origin.own;
  if (own->kind != DAE_HESSENBERG || own->hessenberg.affine != DAE_UNKNOWN || s->origin.built)
    return;
  own->hessenberg.affine = DAE_YES;
  s->origin.presumed = true;
}

void dae_drive_built(dae_solver *s) {
  const dae_problem *p = s->p;
  s->origin.built = p->z0 != NULL;
  s->origin.t0_built = p->t0;
  s->origin.t1_built = p->t1;
  if (p->z0) memcpy(s->origin.z_built, p->z0, (size_t)s->sys->nz * sizeof *s->origin.z_built);
}

dae_status dae_drive_build_for(dae_solver *s, const dae_origin *built, const void *z) {
  dae_problem *own = &s->origin.own;
  dae_origin *o = &s->origin;
  size_t bytes = (size_t)s->sys->nz * sizeof *o->z_built;
  bool same = o->built == built->built && o->presumed == built->presumed &&
              o->t0_built == built->t0_built && o->t1_built == built->t1_built &&
              (!built->built || memcmp(o->z_built, z, bytes) == 0);
  if (same) return DAE_OK;
  memcpy(o->z_start, z, bytes);
  own->z0 = built->built ? o->z_start : NULL;
  own->t0 = built->t0_built;
  own->t1 = built->t1_built;
  if (o->presumed && !built->presumed) own->hessenberg.affine = DAE_UNKNOWN;
  o->presumed = false;
  o->built = built->built;
  if (built->presumed) dae_drive_presume(s);
  return rebuild(s);
}

dae_status dae_drive_decide_start(dae_solver *s, double t0, const double *z) {
  dae_problem *own = &s->origin.own;
  memmove(s->origin.z_start, z, (size_t)s->sys->nz * sizeof *z);
  own->z0 = s->origin.z_start;
  own->t0 = t0;
  /* an interval that lies elsewhere says nothing */
  double length = s->origin.stated.t1 - s->origin.stated.t0;
  own->t1 = (s->origin.stated.t1 - t0) * length > 0 ? s->origin.stated.t1 : t0;
  if (as_built(s)) return DAE_OK;
  if (s->origin.presumed) {
    own->hessenberg.affine = DAE_UNKNOWN;
    s->origin.presumed = false;
    dae_status found = rebuild(s);
    if (found == DAE_OK) return DAE_OK;
    dae_drive_presume(s);
    return found;
  }
  dae_rates rates;
  bool zeros;
  dae_status status = dae_drive_look(s, s->point, &rates);
  if (status == DAE_OK) status = dae_problem_zeros_same(s->sys, &zeros);
  if (status != DAE_OK) return dae_drive_report(s, status, "%s", dae_status_meaning(status));
  if (zeros && (own->t1 == t0 || dae_choose_same(&rates, &s->plan.rates))) return DAE_OK;
  return rebuild(s);
}

dae_status dae_drive_decide_interval(dae_solver *s, double t1, bool *again) {
  dae_problem *own = &s->origin.own;
  const double before = own->t1, known = before - own->t0, length = t1 - own->t0;
  *again = false;
  if (known * length > 0 && fabs(known) >= fabs(length)) return DAE_OK;
  /* limits at a singular position look as far as the interval is long */
  *again = known == 0 && (dae_passage_limited(s->guard, s->t) || measured(s));
  own->t1 = t1;
  if (as_built(s)) return DAE_OK;
  dae_rates rates = s->plan.rates;
  dae_status status = look_aside(s, &rates);
  if (status != DAE_OK) {
    own->t1 = before; /* it is decided when it is asked for again */
    return dae_drive_report(s, status, "%s", dae_status_meaning(status));
  }
  if (!measured(s) && dae_choose_same(&rates, &s->plan.rates)) return DAE_OK;
  *again = true;
  status = rebuild(s);
  if (status != DAE_OK) s->origin.own.t1 = before;
  return status;
}
