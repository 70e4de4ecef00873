/* form srm as a stepper: which carry, how many iterates, which eps */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "srm/srm.h"

int dae_srm_iterates(const dae_method *m, const dae_settings *o) {
  return o->srm_iterations > 0 ? o->srm_iterations : m->order + 1;
}

/* fixed steps: eps as small as the explicit method allows, h rho(G B E) / eps = 1. With error
   control eps must stay, or each change would start a layer: then eps^S is the tolerance, in units
   of a twentieth of the interval */
dae_status dae_srm_automatic_eps(dae_srm_equations *e, const dae_settings *o, int iterates,
                                 double t, const double *z) {
  const dae_problem *p = e->sys->p;
  double radius, time = o->step;
  if (time == 0)
    time = 0.05 * (p->t1 > p->t0 ? p->t1 - p->t0 : 1) * pow(fmax(o->rtol, o->atol), 1.0 / iterates);
  dae_status status = dae_srm_radius(e, t, z, &radius);
  e->eps = time * fmax(radius, 1e-300);
  return status;
}

/* The layer at the start, where the first iterate knows nothing of y, is what the published tables
   show with fixed steps. With error control it would break the tolerance, and y of the start is
   known */
void dae_srm_base(const dae_srm_equations *e, const dae_settings *o, const double *y,
                  double *base) {
  bool carries_y = e->variant == DAE_SRM_STANDARD || e->variant == DAE_SRM_FREE;
  if (o->step == 0 && carries_y) memcpy(base, y, (size_t)e->nc * sizeof *base);
  else memset(base, 0, (size_t)e->nc * sizeof *base);
}

dae_status dae_srm_step_new(dae_stepper **out, const dae_method *m, dae_point *point,
                            const dae_settings *o, dae_pool *pool, char *message, int size) {
  *out = NULL;
  if (dae_srm_iterates(m, o) > 64) {
    snprintf(message, (size_t)size, "srm_iterations must be at most 64, not %d", o->srm_iterations);
    return DAE_E_INPUT;
  }
  if (!dae_step_explicit_find(m)) {
    snprintf(message, (size_t)size, "form srm needs an explicit Runge-Kutta method, not %s",
             m->name);
    return DAE_E_FORM;
  }
  dae_view *v = dae_base_take(pool, 1, sizeof *v);
  if (!v) return DAE_E_MEMORY;
  *v = (dae_view){.name = "srm",
                  .kind = DAE_VIEW_PROBLEM,
                  .sys = point->sys,
                  .point = point,
                  .pool = pool,
                  .nz = point->sys->nz};
  return dae_step_make(out, m,
                       o->srm_carry == DAE_CARRY_WAVEFORM ? &dae_srm_waveform : &dae_srm_sweep, v,
                       o, pool, message, size);
}
