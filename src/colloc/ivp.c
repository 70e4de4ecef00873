/* initial values: one element after the other, each by Newton's method */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/colloc.h"
#include "form/form.h"
#include "step/step.h"

typedef struct stepper {
  dae_colloc_rule rule;
  dae_colloc_form form;
  dae_colloc_element element;
  dae_colloc_factor factor;
  dae_colloc_projector projector;
  dae_colloc_projection projection;
  double tolerance;  /* of Newton's method, relative */
  double *Z, *W, *a; /* start of the step, its unknowns */
  double *Z_new, *W_old, *a_old, *Z_old;
  double *dW, *da, *residual; /* Newton correction */
  double *acc, *y;            /* x^(m) and y at the start of the step */
  double *z_given, *a_end;    /* what was handed out as z_new; a at the end */
  bool fresh;                 /* no element to predict from */
} stepper;

static dae_status take_memory(stepper *d, const dae_system *sys, dae_pool *pool) {
  size_t k = (size_t)d->rule.k, nv = (size_t)d->form.nv, ns = (size_t)d->form.ns,
         na = (size_t)d->form.na;
  double **state[] = {&d->Z, &d->Z_new, &d->Z_old, &d->z_given};
  double **big[] = {&d->W, &d->W_old, &d->dW};
  double **small[] = {&d->a, &d->a_old, &d->da};
  for (int i = 0; i < 4; i++) *state[i] = dae_base_doubles(pool, ns);
  for (int i = 0; i < 3; i++) *big[i] = dae_base_doubles(pool, k * nv);
  for (int i = 0; i < 3; i++) *small[i] = dae_base_doubles(pool, k * na);
  d->residual = dae_base_doubles(pool, k * (nv + na));
  d->acc = dae_base_doubles(pool, (size_t)sys->nx);
  d->y = dae_base_doubles(pool, (size_t)sys->nc);
  d->a_end = dae_base_doubles(pool, na);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  const dae_system *sys = s->view->sys;
  stepper *d = dae_base_take(s->pool, 1, sizeof *d);
  bool radau;
  int k;
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  if (!dae_colloc_rule_of(s->method, &radau, &k)) return DAE_E_FORM;
  if (k < sys->order) {
    snprintf(message, (size_t)size,
             "collocation of a problem of order %d needs at least %d stages, %s has %d", sys->order,
             sys->order, s->method->name, k);
    return DAE_E_FORM;
  }
  dae_colloc_rule_init(&d->rule, radau, k, sys->order);
  dae_status status = dae_colloc_form_init(&d->form, s->view->point, o, s->pool, message, size);
  d->projection = dae_colloc_projection_find(o);
  if (status == DAE_OK) status = dae_colloc_element_init(&d->element, &d->form, &d->rule, s->pool);
  if (status == DAE_OK) status = dae_colloc_factor_init(&d->factor, &d->element, s->pool);
  if (status == DAE_OK) status = dae_colloc_projector_init(&d->projector, &d->form, s->pool);
  if (status == DAE_OK) status = take_memory(d, sys, s->pool);
  /* with fixed steps the discretization is asked for, so its equations are solved to rounding */
  d->tolerance = o->step > 0 || o->fixed_mesh ? 1e-15 : fmin(1e-10, 1e-4 * o->rtol);
  return status;
}

/* x^(m) and y at the start: predictor of the first step, and the error estimate of every step */
static dae_status start_values(dae_stepper *s) {
  stepper *d = s->data;
  dae_point_at(s->view->point, s->t, s->z);
  dae_status status = dae_point_accelerate(s->view->point, d->acc, d->y);
  if (status != DAE_OK) return status;
  dae_problem_chain(s->view->sys, s->z, d->acc, s->dz);
  memcpy(s->y, d->y, sizeof(double) * (size_t)s->view->sys->ny);
  if (!d->fresh) return DAE_OK;
  for (int j = 0; j < d->rule.k; j++) {
    memcpy(d->W + j * d->form.nv, d->acc, sizeof(double) * (size_t)d->form.nx);
    memset(d->W + j * d->form.nv + d->form.nx, 0, sizeof(double) * (size_t)d->form.nphi);
    for (int i = 0; i < d->form.na; i++)
      d->a[j * d->form.na + i] = d->form.kind == DAE_COLLOC_INDEX2 ? d->y[i] : 0;
  }
  return DAE_OK;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  stepper *d = s->data;
  int nz = s->view->sys->nz;
  (void)mu;
  s->t = t;
  s->h_old = 0;
  if (z != s->z) memcpy(s->z, z, sizeof(double) * (size_t)nz);
  memcpy(d->Z, z, sizeof(double) * (size_t)nz);
  memset(d->Z + nz, 0, sizeof(double) * (size_t)d->form.nphi);
  d->fresh = true;
  return start_values(s);
}

/* polynomial of the last element continued to the next one, size h against h_old */
static void predict(stepper *d, double ratio) {
  double weights[DAE_COLLOC_MAX];
  int k = d->rule.k, nv = d->form.nv, na = d->form.na;
  for (int j = 0; j < k; j++) {
    dae_colloc_rule_weights(&d->rule, 1 + ratio * d->rule.rho[j], 0, weights);
    for (int c = 0; c < nv; c++) {
      double sum = 0;
      for (int i = 0; i < k; i++) sum += weights[i] * d->W_old[i * nv + c];
      d->W[j * nv + c] = sum;
    }
    dae_colloc_element_algebraic(&d->element, weights, d->a_old, d->a + j * na);
  }
}

/* relative size of the correction, measured on x^(m-1) */
static double correction(const stepper *d, double h) {
  int n = d->rule.k * d->form.nv, na = d->rule.k * d->form.na;
  double base = dae_la_norm_max(d->form.ns, d->Z) + fabs(h) * dae_la_norm_max(n, d->W);
  double size = fabs(h) * dae_la_norm_max(n, d->dW) / (base > 0 ? base : 1);
  if (d->form.sys->affine || na == 0) return size;
  return fmax(size, dae_la_norm_max(na, d->da) / (1 + dae_la_norm_max(na, d->a)));
}

/* the matrix is made anew while corrections fall by less than fifty; those that grow after some
   were made lead nowhere */
static const dae_iteration_rule RULE = {
    .limit = 25, .still = 0.3, .slow = 0.02, .growth = 2, .tries = 7};
/* corrections that stand still are convergence where those before were this small already: with a
   new matrix, or at the level of rounding */
static const double STILL_NEW = 1e-4, STILL_OLD = 1e-11;

/* Newton's method for (2.18); the factorization is renewed while convergence is slow */
static dae_status newton(dae_stepper *s, double h) {
  stepper *d = s->data;
  dae_iteration_rule rule = RULE;
  dae_iteration course = dae_base_iteration();
  bool renew = true, renewed = false;
  rule.enough = d->tolerance;
  for (;;) {
    dae_status status =
        renew ? dae_colloc_element_factor(&d->element, s->t, h, d->Z, d->W, d->a, d->residual,
                                          &d->factor)
              : dae_colloc_element_residual(&d->element, s->t, h, d->Z, d->W, d->a, d->residual);
    s->factorizations += renew;
    s->jacobians += renew;
    s->newton++;
    s->evaluations += d->rule.k;
    if (status != DAE_OK) return status;
    dae_colloc_element_solve(&d->element, &d->factor, h, d->residual, d->dW, d->da);
    dae_colloc_element_multipliers(&d->element, &d->factor, h, NULL, d->dW, d->da);
    s->solves++;
    for (int i = 0; i < d->rule.k * d->form.nv; i++) d->W[i] += d->dW[i];
    for (int i = 0; i < d->rule.k * d->form.na; i++) d->a[i] += d->da[i];
    rule.floor = course.size < (renewed ? STILL_NEW : STILL_OLD) ? HUGE_VAL : 0;
    dae_progress progress = dae_base_judge(&course, &rule, correction(d, h), 1);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
    renewed = renew;
    renew = progress == DAE_SLOW;
  }
}

/* size of the first neglected term of w, from x^(m) at the start against the polynomial there */
static void estimate(dae_stepper *s, double h) {
  stepper *d = s->data;
  int nx = d->form.nx, m = d->form.m;
  double power = 1;
  for (int l = m - 1; l >= 0; l--) {
    power *= fabs(h);
    for (int c = 0; c < nx; c++) {
      double at0 = 0;
      for (int j = 0; j < d->rule.k; j++) at0 += d->rule.lagrange[j][0] * d->W[j * d->form.nv + c];
      s->error[l * nx + c] = power * d->rule.neglected[m - l] * (d->acc[c] - at0);
    }
  }
}

static dae_status attempt(dae_stepper *s, double h) {
  stepper *d = s->data;
  s->h = h;
  if (!d->fresh) predict(d, h / s->h_old);
  dae_status status = newton(s, h);
  if (status == DAE_OK && d->form.kind == DAE_COLLOC_INDEX2) estimate(s, h);
  if (status == DAE_E_NEWTON && dae_colloc_factor_pivots(&d->element, &d->factor) < 1e-12)
    status = DAE_E_SINGULAR;
  if (status != DAE_OK) {
    int j = d->element.bad_point < 0 ? d->rule.k - 1 : d->element.bad_point;
    snprintf(s->culprit, sizeof s->culprit, "collocation point %d of %s", j + 1, s->method->name);
    return status;
  }
  dae_colloc_element_end(&d->element, h, d->Z, d->W, d->Z_new);
  dae_colloc_element_algebraic(&d->element, d->rule.end[0], d->a, d->a_end);
  status =
      dae_colloc_project(&d->projector, d->projection, d->rule.radau, s->t + h, d->a_end, d->Z_new);
  if (status != DAE_OK) return status;
  dae_colloc_form_z(&d->form, d->Z_new, s->z_new);
  dae_colloc_form_z(&d->form, d->Z_new, d->z_given);
  if (d->form.kind != DAE_COLLOC_INDEX2) estimate(s, h);
  return DAE_OK;
}

static dae_status accept(dae_stepper *s) {
  stepper *d = s->data;
  int nz = s->view->sys->nz;
  memcpy(d->Z_old, d->Z, sizeof(double) * (size_t)d->form.ns);
  memcpy(d->W_old, d->W, sizeof(double) * (size_t)(d->rule.k * d->form.nv));
  memcpy(d->a_old, d->a, sizeof(double) * (size_t)(d->rule.k * d->form.na));
  memcpy(d->Z, d->Z_new, sizeof(double) * (size_t)d->form.ns);
  /* what a stabilizer changed belongs to the state as well */
  for (int i = 0; i < nz; i++) d->Z[i] += s->z_new[i] - d->z_given[i];
  memcpy(s->z, s->z_new, sizeof(double) * (size_t)nz);
  s->t_old = s->t;
  s->h_old = s->h;
  s->t += s->h;
  d->fresh = false;
  return start_values(s);
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  stepper *d = s->data;
  double values[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX];
  const double *weights[DAE_ORDER_MAX + 1];
  for (int q = 0; q <= d->form.m; q++) {
    dae_colloc_rule_weights(&d->rule, theta, q, values[q]);
    weights[q] = values[q];
  }
  dae_colloc_element_state(&d->element, s->h_old, theta, weights, d->Z_old, d->W_old, d->element.Z);
  dae_colloc_form_z(&d->form, d->element.Z, z);
  if (!y) return DAE_OK;
  if (d->form.kind != DAE_COLLOC_INDEX2) return DAE_E_FORM;
  dae_colloc_element_algebraic(&d->element, weights[0], d->a_old, y);
  return DAE_OK;
}

static void destroy(dae_stepper *s) { s->data = NULL; }

static const dae_stepper_class colloc_class = {.init = init,
                                               .restart = restart,
                                               .attempt = attempt,
                                               .accept = accept,
                                               .dense = dense,
                                               .destroy = destroy};

dae_status dae_colloc_step_new(dae_stepper **out, const dae_method *m, dae_point *point,
                               const dae_settings *o, dae_pool *pool, char *message, int size) {
  dae_view *v = dae_base_take(pool, 1, sizeof *v);
  if (!v) return DAE_E_MEMORY;
  *v = (dae_view){.name = o->form == DAE_FORM_AUTO ? "index2" : dae_form_at(o->form)->name,
                  .kind = DAE_VIEW_PROBLEM,
                  .sys = point->sys,
                  .point = point,
                  .pool = pool,
                  .nz = point->sys->nz};
  return dae_step_make(out, m, &colloc_class, v, o, pool, message, size);
}
