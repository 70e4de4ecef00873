/* direct, for implicit problems: 0 = F(t,x,x') as it is, nothing is eliminated */
#include <math.h>
#include <string.h>

#include "form/form.h"
#include "problem/implicit.h"

/* equations are scaled by powers of two, so that no unit matters to pivots */
static void scale_rows(const dae_view *v, double *restrict E, double *restrict J) {
  const dae_residual *r = v->data;
  for (int i = 0; i < r->n; i++) {
    const double unit = v->unit[i];
    const int first = dae_residual_row(r, i), end = dae_residual_row(r, i + 1);
    for (int k = first; k < end; k++) E[k] *= unit;
    for (int k = first; k < end; k++) J[k] *= unit;
  }
}

static dae_status residual(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *out) {
  (void)mu;
  dae_status status = v->at_start ? dae_residual_start_value(v->data, t, z, dz, out)
                                  : dae_residual_value(v->data, t, z, dz, out);
  for (int i = 0; i < v->nz; i++) out[i] *= v->unit[i];
  return status;
}

static dae_status stages(dae_view *v, const dae_stages *s) {
  return dae_residual_stages(v->data, s, v->unit);
}

static dae_status matrices(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *E, double *J) {
  (void)mu;
  dae_residual *r = v->data;
  r->h = fabs(v->h);
  for (int j = 0; j < r->n; j++) r->seen[j] = fabs(z[j]) > r->seen[j] ? fabs(z[j]) : r->seen[j];
  const dae_accuracy coarse = v->higher ? DAE_FOR_STEPS : DAE_FOR_NEWTON;
  const dae_accuracy accuracy = v->coarse ? coarse : r->accuracy;
  dae_status status = dae_residual_at_step(r, t, z, dz, accuracy, E, J);
  scale_rows(v, E, J);
  return status;
}

/* x' does not follow from x alone: it is what the start has found */
static dae_status slope(dae_view *v, double t, const double *z, const double *mu, double *dz,
                        double *y) {
  (void)t, (void)z, (void)mu, (void)y;
  memcpy(dz, v->slope, (size_t)v->nz * sizeof *dz);
  return DAE_OK;
}

dae_status dae_form_residual(dae_view *v, const dae_settings *o) {
  const dae_sizes_of_x sizes = {o->rtol, o->atol, o->atols};
  dae_residual *r;
  dae_status status = dae_residual_new(&r, v->pool, v->sys, &sizes);
  if (status != DAE_OK) return status;
  v->data = r;
  v->equations = r;
  v->kind = DAE_VIEW_INDEX2;
  v->nz = v->sys->nz;
  v->nmu = 0;
  v->slope = dae_base_doubles(v->pool, (size_t)v->nz);
  v->unit = dae_base_doubles(v->pool, (size_t)v->nz);
  if (v->pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < v->nz; i++) v->unit[i] = 1;
  v->rhs = slope;
  v->residual = residual;
  v->stages = stages;
  v->matrices = matrices;
  v->pattern = r->pattern.start ? &r->pattern : NULL;
  return DAE_OK;
}
