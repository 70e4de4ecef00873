/* fixed steps of one method on one form, without the driver: what a method does by itself */
#ifndef MARCH_H
#define MARCH_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"
#include "form/form.h"
#include "gallery.h"
#include "step/step.h"
#include "test.h"

enum { MARCH_MAX = 32 };

typedef struct march {
  dae_pool pool;
  dae_options o;
  const dae_system *sys;
  dae_point *point;
  dae_view *view;
  dae_stepper *step;
  double weight[MARCH_MAX];
} march;

static void march_close(march *m) {
  dae_step_free(m->step);
  if (m->view) dae_form_free(m->view);
  dae_point_free(m->point);
  dae_base_pool_free(&m->pool);
}

/* ready for the first step; y of the start is consistent, plus `off` */
static dae_status march_open(march *m, const dae_problem *p, const char *form, const char *method,
                             double h, const char *multiplier, double off) {
  char text[200] = "";
  *m = (march){.o = dae_options_default()};
  m->o.step = h;
  m->o.multiplier = multiplier;
  m->o.form = form;
  dae_base_pool_init(&m->pool, &m->o.allocator);
  dae_settings o = settings_of(p, &m->o, &m->pool);
  dae_status status = dae_problem_system_new(&m->sys, &m->pool, p);
  if (status == DAE_OK) status = dae_point_new(&m->point, &m->pool, m->sys, NULL, true);
  if (status == DAE_OK) status = dae_form_view(&m->view, m->point, &o, &m->pool, text, sizeof text);
  if (status == DAE_OK)
    status =
        dae_step_new(&m->step, dae_method_find(method), m->view, &o, &m->pool, text, sizeof text);
  for (int i = 0; i < MARCH_MAX; i++) m->weight[i] = 1;
  if (status == DAE_OK) m->step->weight = m->weight;
  double a[MARCH_MAX], y[MARCH_MAX] = {0}, mu[MARCH_MAX] = {0};
  if (p->y0) memcpy(y, p->y0, (size_t)m->sys->ny * sizeof *y);
  if (status == DAE_OK) {
    dae_point_at(m->point, p->t0, p->z0);
    status = dae_point_accelerate(m->point, a, y);
  }
  for (int i = 0; i < m->sys->ny && m->view->nmu >= m->sys->ny; i++)
    mu[m->view->nmu - m->sys->ny + i] = y[i] + off;
  if (status == DAE_OK) status = m->step->cls->restart(m->step, p->t0, p->z0, mu);
  if (status != DAE_OK) printf("%s on %s: %s %s\n", method, form, dae_status_name(status), text);
  return status;
}

static inline dae_status march_step(march *m, double h) {
  dae_status status = m->step->cls->attempt(m->step, h);
  return status == DAE_OK ? m->step->cls->accept(m->step) : status;
}

/* z and y at t1 after n steps; false when a step failed */
static inline bool march_to(const dae_problem *p, const char *form, const char *method, double t1,
                            int n, double *z, double *y) {
  march m;
  const double h = (t1 - p->t0) / n;
  dae_status status = march_open(&m, p, form, method, h, "auto", 0);
  for (int i = 0; i < n && status == DAE_OK; i++) status = march_step(&m, h);
  if (status == DAE_OK) {
    memcpy(z, m.step->z, (size_t)m.sys->nz * sizeof *z);
    if (y) memcpy(y, m.step->y, (size_t)m.sys->ny * sizeof *y);
  }
  march_close(&m);
  return status == DAE_OK;
}

static inline double march_distance(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

#endif
