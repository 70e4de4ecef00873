/*
 * Adams-Bashforth of order 2 with fixed steps: z_new = z + h (3 f_n - f_(n-1)) / 2. The first step
 * is forward Euler. f_n is the slope at the stabilized z_n.
 */
#include <math.h>
#include <string.h>

#include "step/step.h"

typedef struct adams_data {
  double *f_before, *z_start, *f_start;
  double h_before; /* size of the step before; 0: there is none */
} adams_data;

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  (void)o, (void)message, (void)size;
  size_t n = (size_t)s->view->nz;
  adams_data *d = dae_base_take(s->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  d->f_before = dae_base_doubles(s->pool, n);
  d->z_start = dae_base_doubles(s->pool, n);
  d->f_start = dae_base_doubles(s->pool, n);
  return s->pool->failed ? DAE_E_MEMORY : DAE_OK;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  (void)mu;
  ((adams_data *)s->data)->h_before = 0;
  s->t = s->t_old = t;
  s->h_old = 0;
  memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  s->evaluations++;
  return s->view->rhs(s->view, t, s->z, NULL, s->dz, s->y);
}

/* variable step coefficients, so that a last shorter step keeps its order */
static dae_status attempt(dae_stepper *s, double h) {
  adams_data *d = s->data;
  double w = d->h_before != 0 ? 0.5 * h / d->h_before : 0;
  for (int i = 0; i < s->view->nz; i++)
    s->z_new[i] = s->z[i] + h * ((1 + w) * s->dz[i] - w * d->f_before[i]);
  s->h = h;
  return dae_base_finite(s->z_new, s->view->nz) ? DAE_OK : DAE_E_CALLBACK;
}

static dae_status accept(dae_stepper *s) {
  adams_data *d = s->data;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  memcpy(d->f_start, s->dz, bytes);
  s->evaluations++;
  dae_status status = s->view->rhs(s->view, s->t + s->h, s->z_new, NULL, s->dz, s->y);
  if (status != DAE_OK) {
    memcpy(s->dz, d->f_start, bytes);
    return status;
  }
  memcpy(d->f_before, d->f_start, bytes);
  memcpy(d->z_start, s->z, bytes);
  memcpy(s->z, s->z_new, bytes);
  d->h_before = s->h_old = s->h;
  s->t_old = s->t;
  s->t += s->h;
  return DAE_OK;
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  adams_data *d = s->data;
  if (y) return DAE_E_FORM;
  dae_step_hermite(s->view->nz, theta, s->h_old, d->z_start, d->f_start, s->z, s->dz, z);
  return DAE_OK;
}

const dae_stepper_class dae_step_adams = {
    .init = init, .restart = restart, .attempt = attempt, .accept = accept, .dense = dense};
