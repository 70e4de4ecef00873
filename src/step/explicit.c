/*
 * explicit Runge-Kutta methods on the ODE view:
 *   k_i = F(t + c_i h, z + h sum_j a_ij k_j),  z_new = z + h sum b_i k_i,  error = h sum e_i k_i
 * Where the last stage is the first of the next step, a stabilizer may have moved z_new meanwhile,
 * by less than the local error; the slope is then kept, which perturbs the next step by h times
 * that only.
 */
#include <math.h>
#include <string.h>

#include "step/explicit.h"

enum { STAGES_MAX = DAE_LA_SUM_MAX };

typedef struct explicit_data {
  const dae_explicit_tableau *tableau;
  bool fsal;
  dae_la_sum *row; /* stages - 1: the arguments of stages 1, 2, .. */
  dae_la_sum b, error, error3;
  double **k;      /* stages, then those of the dense output */
  double *z_stage; /* argument of a stage */
  double *slope;   /* at the end of an accepted step, where the last stage is not */
  double *z_start; /* where the last accepted step began */
  bool extra_done; /* the stages of the dense output are there */
} explicit_data;

static dae_status rhs(dae_stepper *s, double t, const double *z, double *dz, double *y) {
  dae_view *v = s->view;
  const dae_system *sys = v->sys;
  s->evaluations++;
  dae_status status = v->rhs(v, t, z, NULL, dz, y);
  if (sys->ny > 0 && s->watch.n < DAE_STEP_WATCH) {
    double w = v->sigma;
    s->watch.t[s->watch.n] = t;
    s->watch.w[s->watch.n++] = w;
    if (w < s->watch.least) s->watch.least = w;
    if (w > s->watch.largest) s->watch.largest = w;
  }
  return status;
}

/* without the terms that vanish */
static void set_sum(dae_la_sum *sum, int stages, const double *a, double *const *k) {
  sum->count = 0;
  for (int j = 0; a && j < stages; j++)
    if (a[j] != 0) {
      sum->a[sum->count] = a[j];
      sum->k[sum->count++] = k[j];
    }
}

/* out := z + h sum_j a_j k_j */
static void combine(const dae_stepper *s, const double *z, double h, const dae_la_sum *sum,
                    double *out) {
  dae_la_combine(s->view->nz, z, h, sum, out);
}

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  (void)o, (void)message, (void)size;
  size_t n = (size_t)s->view->nz, stride = (n + 7) & ~(size_t)7; /* all stages aligned */
  explicit_data *d = dae_base_take(s->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  d->tableau = dae_step_explicit_find(s->method);
  d->fsal = d->tableau->b == NULL;
  int stages = s->method->stages + d->tableau->extra;
  d->k = dae_base_take(s->pool, (size_t)stages, sizeof *d->k);
  double *k = dae_base_doubles(s->pool, (size_t)stages * stride);
  d->z_stage = dae_base_doubles(s->pool, n);
  d->z_start = dae_base_doubles(s->pool, n);
  d->slope = s->dz;
  d->row = dae_base_take(s->pool, (size_t)s->method->stages, sizeof *d->row);
  if (s->pool->failed) return DAE_E_MEMORY;
  dae_base_moving(s->pool, &d->z_start, 1);
  for (int i = 0; i < stages; i++) d->k[i] = k + (size_t)i * stride;
  const double *a = d->tableau->a;
  for (int i = 1; i < s->method->stages; a += i++) set_sum(&d->row[i - 1], i, a, d->k);
  set_sum(&d->b, s->method->stages, d->tableau->b, d->k);
  set_sum(&d->error, s->method->stages, d->tableau->e, d->k);
  set_sum(&d->error3, s->method->stages, d->tableau->e3, d->k);
  return DAE_OK;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  (void)mu;
  s->t = s->t_old = t;
  s->h_old = 0;
  s->watch.n = 0;
  memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  s->dz = ((explicit_data *)s->data)->slope;
  return rhs(s, t, s->z, s->dz, s->y);
}

/* error := h sum e_i k_i; with a guard e3: |error5|^2 / sqrt(|error5|^2 + 0.01 |error3|^2) (Hairer,
   Norsett, Wanner II.10), as a factor on the vector */
static void estimate(dae_stepper *s, double h) {
  explicit_data *d = s->data;
  int n = s->view->nz, stages = s->method->stages;
  combine(s, NULL, h, &d->error, s->error);
  if (d->error3.count == 0) return;
  double *third = d->k[stages]; /* room of a dense stage */
  combine(s, NULL, h, &d->error3, third);
  double n5 = dae_step_norm(n, s->error, s->weight), n3 = dae_step_norm(n, third, s->weight);
  double factor = n5 > 0 ? n5 / sqrt(n5 * n5 + 0.01 * n3 * n3) : 1;
  for (int i = 0; i < n; i++) s->error[i] *= factor;
}

/* the slope at the start is the first stage; it stays where it is when the step is tried again */
static void first_stage(dae_stepper *s) {
  explicit_data *d = s->data;
  d->extra_done = false;
  /* the first point is the last one of the step before, or of the restart */
  if (s->watch.n > 0 && s->watch.t[0] != s->t) {
    s->watch.t[0] = s->t;
    s->watch.w[0] = s->watch.end;
  }
  s->watch.least = s->watch.largest = s->watch.w[0];
  s->watch.n = s->watch.n > 0;
  if (s->dz == d->k[0]) return;
  memcpy(d->k[0], s->dz, (size_t)s->view->nz * sizeof *s->dz);
  s->dz = d->k[0];
}

static dae_status attempt(dae_stepper *s, double h) {
  explicit_data *d = s->data;
  const dae_explicit_tableau *a = d->tableau;
  int n = s->view->nz, stages = s->method->stages;
  s->h = h;
  first_stage(s);
  for (int i = 1; i < stages; i++) {
    bool last = d->fsal && i == stages - 1;
    double *z_stage = last ? s->z_new : d->z_stage, t = s->t + a->c[i] * h;
    combine(s, s->z, h, &d->row[i - 1], z_stage);
    if (s->fixing) {
      if (last) memcpy(d->z_stage, z_stage, (size_t)n * sizeof *z_stage);
      z_stage = d->z_stage;
      dae_status fixed = s->fix(s->fix_ctx, t, z_stage);
      if (fixed != DAE_OK) return fixed;
    }
    dae_status status = rhs(s, t, z_stage, d->k[i], last ? s->y_new : NULL);
    if (status != DAE_OK) return status;
  }
  if (!d->fsal) combine(s, s->z, h, &d->b, s->z_new);
  s->end = d->fsal ? s->view->point : NULL;
  /* an estimate shows what is no number */
  if (a->e) estimate(s, h);
  return a->e || dae_base_finite(s->z_new, n) ? DAE_OK : DAE_E_CALLBACK;
}

static dae_status accept(dae_stepper *s) {
  explicit_data *d = s->data;
  double *slope = d->fsal ? d->k[s->method->stages - 1] : d->slope;
  dae_status status = d->fsal ? DAE_OK : rhs(s, s->t + s->h, s->z_new, slope, s->y_new);
  if (status != DAE_OK) return status;
  s->dz = slope;
  s->exact = !d->fsal;
  double *y = s->y;
  s->y = s->y_new, s->y_new = y;
  if (s->watch.n > 0) s->watch.end = s->watch.w[s->watch.n - 1];
  s->t_old = s->t;
  s->h_old = s->h;
  s->t += s->h;
  double *free_now = d->z_start;
  d->z_start = s->z, s->z = s->z_new, s->z_new = free_now;
  return DAE_OK;
}

/* the stages that only the dense output needs, once a step */
static dae_status extra_stages(dae_stepper *s) {
  explicit_data *d = s->data;
  const dae_explicit_tableau *a = d->tableau;
  int stages = s->method->stages;
  const double *row = a->a_extra;
  for (int i = 0; i < a->extra && !d->extra_done; row += stages + i++) {
    dae_la_sum sum;
    set_sum(&sum, stages + i, row, d->k);
    combine(s, d->z_start, s->h_old, &sum, d->z_stage);
    dae_status status =
        rhs(s, s->t_old + a->c_extra[i] * s->h_old, d->z_stage, d->k[stages + i], NULL);
    if (status != DAE_OK) return status;
  }
  d->extra_done = true;
  return DAE_OK;
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  explicit_data *d = s->data;
  const dae_explicit_tableau *a = d->tableau;
  if (y) return DAE_E_FORM;
  if (s->h_old == 0) {
    memcpy(z, s->z, (size_t)s->view->nz * sizeof *z);
    return DAE_OK;
  }
  if (!a->dense) {
    dae_step_hermite(s->view->nz, theta, s->h_old, d->z_start, d->k[0], s->z, s->dz, z);
    return DAE_OK;
  }
  dae_status status = extra_stages(s);
  if (status != DAE_OK) return status;
  double weight[STAGES_MAX];
  a->dense(theta, weight);
  dae_la_sum sum;
  set_sum(&sum, s->method->stages + a->extra, weight, d->k);
  combine(s, d->z_start, s->h_old, &sum, z);
  return DAE_OK;
}

const dae_stepper_class dae_step_explicit = {
    .init = init, .restart = restart, .attempt = attempt, .accept = accept, .dense = dense};

const dae_explicit_tableau *dae_step_explicit_find(const dae_method *m) {
  static const dae_explicit_tableau *const all[] = {
      &dae_step_euler,  &dae_step_midpoint, &dae_step_heun, &dae_step_rk4,
      &dae_step_dopri5, &dae_step_dop853,   &dae_step_wave4};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (&all[i]->method == m) return all[i];
  /* one of the user: the method is the first member */
  return dae_step_class(m) == &dae_step_explicit ? (const dae_explicit_tableau *)m : NULL;
}
