/* runs a collocation stepper on a fixed mesh from exact initial values; errors are maxima over mesh
   points */
#ifndef COLLOC_RUN_H
#define COLLOC_RUN_H

#include <math.h>

#include "settings.h"
#include "colloc/colloc.h"
#include "gallery.h"
#include "step/step.h"

typedef struct colloc_errors {
  dae_status status;
  double z[DAE_ORDER_MAX]; /* largest over the components of x^(l) */
  double first[2];         /* component 1 of x and of x' */
  double drift;            /* |g| */
} colloc_errors;

static colloc_errors colloc_run(const dae_problem *p, const char *method, int n, const char *form,
                                const char *project, const char *direction) {
  enum { MOST = 32 };
  colloc_errors e = {0};
  char message[256] = "";
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  const dae_system *sys = NULL;
  dae_point *point = NULL;
  dae_stepper *s = NULL;

  dae_options o = dae_options_default();

  o.form = form;
  o.project = project;
  o.direction = direction;
  o.fixed_mesh = 1;
  e.status = dae_problem_system_new(&sys, &pool, p);
  if (e.status == DAE_OK) e.status = dae_point_new(&point, &pool, sys, NULL, true);
  dae_settings settings = settings_of(p, &o, &pool);
  if (e.status == DAE_OK)
    e.status = dae_colloc_step_new(&s, dae_method_find(method), point, &settings, &pool, message,
                                   sizeof message);
  double z[MOST], y[MOST], g[MOST];
  if (e.status == DAE_OK) {
    p->exact(p->t0, z, y, p->ctx);
    e.status = s->cls->restart(s, p->t0, z, NULL);
  }
  for (int i = 1; i <= n && e.status == DAE_OK; i++) {
    double t = p->t0 + (p->t1 - p->t0) * i / n;
    e.status = s->cls->attempt(s, t - s->t);
    if (e.status != DAE_OK) break;
    s->cls->accept(s);
    s->t = t;
    p->exact(t, z, y, p->ctx);
    for (int c = 0; c < sys->nz; c++)
      e.z[c / sys->nx] = fmax(e.z[c / sys->nx], fabs(s->z[c] - z[c]));
    e.first[0] = fmax(e.first[0], fabs(s->z[0] - z[0]));
    if (sys->order > 1) e.first[1] = fmax(e.first[1], fabs(s->z[sys->nx] - z[sys->nx]));
    dae_point_at(point, t, s->z);
    dae_point_level(point, 0, g);
    e.drift = fmax(e.drift, dae_la_norm_max(sys->ng, g));
  }
  dae_step_free(s);
  dae_point_free(point);
  dae_base_pool_free(&pool);
  return e;
}

#endif
