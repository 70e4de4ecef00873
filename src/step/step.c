/* what all steppers share */
#include "step/step.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

dae_status dae_step_new(dae_stepper **out, const dae_method *m, dae_view *v, const dae_settings *o,
                        dae_pool *pool, char *message, int size) {
  *out = NULL;
  if (!(m->view & v->kind)) {
    snprintf(message, (size_t)size, "method %s does not work on form %s, which gives the %s",
             m->name, v->name, v->kind == DAE_VIEW_ODE ? "ODE view" : "index-2 view");
    return DAE_E_FORM;
  }
  return dae_step_make(out, m, dae_step_class(m), v, o, pool, message, size);
}

dae_status dae_step_make(dae_stepper **out, const dae_method *m, const dae_stepper_class *cls,
                         dae_view *v, const dae_settings *o, dae_pool *pool, char *message,
                         int size) {
  *out = NULL;
  double unknowns = (double)v->nz + v->nmu;
  if (m->implicit && !v->pattern && unknowns * unknowns > INT_MAX) {
    dae_base_print(message, size,
                   "method %s needs dense matrices of %.0f x %.0f: give patterns, or take an "
                   "explicit method",
                   m->name, unknowns, unknowns);
    return DAE_E_INPUT;
  }
  dae_stepper *s = dae_base_take(pool, 1, sizeof *s);
  if (!s) return DAE_E_MEMORY;
  size_t n = (size_t)v->nz, nmu = (size_t)v->nmu, ny = (size_t)v->sys->ny;
  s->method = m;
  s->cls = cls;
  s->view = v;
  s->pool = pool;
  s->z = dae_base_doubles(pool, n);
  s->dz = dae_base_doubles(pool, n);
  s->z_new = dae_base_doubles(pool, n);
  s->error = dae_base_doubles(pool, n);
  s->mu = dae_base_doubles(pool, nmu);
  s->mu_new = dae_base_doubles(pool, nmu);
  s->y = dae_base_doubles(pool, ny);
  s->y_new = dae_base_doubles(pool, ny);
  if (pool->failed) return DAE_E_MEMORY;
  /* methods exchange them */
  double **moving[] = {&s->z, &s->dz, &s->z_new, &s->error, &s->mu, &s->mu_new, &s->y, &s->y_new};
  for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) dae_base_moving(pool, moving[i], 1);
  dae_base_moving(pool, &s->end, 1);
  *out = s;
  return s->cls->init(s, o, message, size);
}

void dae_step_free(dae_stepper *s) {
  if (s && s->cls->destroy) s->cls->destroy(s);
}

double dae_step_norm(int n, const double *x, const double *weight) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double e = x[i] * weight[i];
    sum += e * e;
  }
  return n > 0 ? sqrt(sum / n) : 0;
}

void dae_step_hermite(int n, double theta, double h, const double *z0, const double *f0,
                      const double *z1, const double *f1, double *z) {
  double u = 1 - theta;
  double w0 = u * u * (1 + 2 * theta), w1 = theta * theta * (3 - 2 * theta);
  double v0 = h * theta * u * u, v1 = -h * theta * theta * u;
  for (int i = 0; i < n; i++) z[i] = w0 * z0[i] + w1 * z1[i] + v0 * f0[i] + v1 * f1[i];
}

/* 1 / rms_i (|x| / (atol_i + rtol |z_i|)), |x| the size of the level of z_i */
double dae_step_tolerance(const dae_stepper *s, double rtol, double atol, const double *atols) {
  const dae_system *sys = s->view->sys;
  int n = s->view->nz, block = n == sys->nz ? sys->nx : n;
  double sum = 0;
  if (s->view->to_z) atols = NULL;
  for (int first = 0; first < n; first += block) {
    const double *z = s->z + first;
    double size = dae_la_norm_max(block, z);
    for (int i = 0; i < block; i++) {
      double r = size / ((atols ? atols[first + i] : atol) + rtol * fabs(z[i]));
      sum += r * r;
    }
  }
  return sum > 0 ? sqrt(n / sum) : fmax(rtol, atol);
}
