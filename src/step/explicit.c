/*
 * explicit Runge-Kutta methods on the ODE view:
 *   k_i = F(t + c_i h, z + h sum_j a_ij k_j),  z_new = z + h sum b_i k_i,  error = h sum e_i k_i
 * Where the last stage is the first of the next step, a stabilizer may have moved z_new meanwhile, by less
 * than the local error; the slope is then kept, which perturbs the next step by h times that only.
 */
#include <math.h>
#include <string.h>

#include "step/explicit.h"

enum { STAGES_MAX = 16 };

typedef struct explicit_data {
  const dae_explicit_tableau *tableau;
  bool fsal;
  double **k;      /* stages, then those of the dense output */
  double *z_stage; /* argument of a stage */
  double *z_start; /* where the last accepted step began */
  bool extra_done; /* the stages of the dense output are there */
} explicit_data;

static dae_status rhs(dae_stepper *s, double t, const double *z, double *dz, double *y) {
  s->evaluations++;
  dae_status status = s->view->rhs(s->view, t, z, NULL, dz, y);
  if (s->view->sys->ny > 0 && s->n_watch < DAE_STEP_WATCH) {
    s->watch_t[s->n_watch] = t;
    const dae_la_kkt_info *info = &s->view->sys->kkt_info;
    s->watch[s->n_watch++] = info->rank < s->view->sys->ny ? 0 : info->smallest;
  }
  return status;
}

static dae_status init(dae_stepper *s, const dae_options *o, char *message, int size) {
  (void)o, (void)message, (void)size;
  size_t n = (size_t)s->view->nz;
  explicit_data *d = dae_base_take(s->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  d->tableau = dae_step_explicit_find(s->method->name);
  d->fsal = d->tableau->b == NULL;
  int stages = s->method->stages + d->tableau->extra;
  d->k = dae_base_take(s->pool, (size_t)stages, sizeof *d->k);
  for (int i = 0; d->k && i < stages; i++) d->k[i] = dae_base_doubles(s->pool, n);
  d->z_stage = dae_base_doubles(s->pool, n);
  d->z_start = dae_base_doubles(s->pool, n);
  return s->pool->failed ? DAE_E_MEMORY : DAE_OK;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  (void)mu;
  s->t = s->t_old = t;
  s->h_old = 0;
  s->n_watch = 0;
  memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  return rhs(s, t, s->z, s->dz, s->y);
}

/* out := z + h sum_j a_j k_j, with 0 in place of z when that is NULL */
static void combine(int n, int stages, const double *z, double h, const double *a, double *const *k,
                    double *restrict out) {
  /* of long vectors a part at a time, which stays in the cache while stages are added to it */
  enum { PART = 1024 };
  double w[STAGES_MAX];
  const double *use[STAGES_MAX];
  int count = 0;
  for (int j = 0; j < stages; j++)
    if (a[j] != 0) w[count] = h * a[j], use[count++] = k[j];
  for (int from = 0; from < n; from += PART) {
    const int size = n - from < PART ? n - from : PART, odd = count & 1;
    const double *restrict first = odd ? use[0] + from : NULL;
    double *restrict to = out + from;
    if (odd && z)
      for (int i = 0; i < size; i++) to[i] = z[from + i] + w[0] * first[i];
    else if (odd)
      for (int i = 0; i < size; i++) to[i] = w[0] * first[i];
    else if (z)
      memcpy(to, z + from, (size_t)size * sizeof *to);
    else
      memset(to, 0, (size_t)size * sizeof *to);
    /* two stages at a time: half the passes */
    for (int j = odd; j < count; j += 2) {
      const double wa = w[j], wb = w[j + 1];
      const double *restrict ka = use[j] + from, *restrict kb = use[j + 1] + from;
      for (int i = 0; i < size; i++) to[i] += wa * ka[i] + wb * kb[i];
    }
  }
}

/* error := h sum e_i k_i; with a guard e3: |error5|^2 / sqrt(|error5|^2 + 0.01 |error3|^2) (Hairer, Norsett,
   Wanner II.10), as a factor on the vector */
static void estimate(dae_stepper *s, double h) {
  explicit_data *d = s->data;
  const dae_explicit_tableau *a = d->tableau;
  int n = s->view->nz, stages = s->method->stages;
  combine(n, stages, NULL, h, a->e, d->k, s->error);
  if (!a->e3) return;
  double *third = d->k[stages]; /* room of a dense stage */
  combine(n, stages, NULL, h, a->e3, d->k, third);
  double n5 = dae_step_norm(n, s->error, s->weight), n3 = dae_step_norm(n, third, s->weight);
  double factor = n5 > 0 ? n5 / sqrt(n5 * n5 + 0.01 * n3 * n3) : 1;
  for (int i = 0; i < n; i++) s->error[i] *= factor;
}

static dae_status attempt(dae_stepper *s, double h) {
  explicit_data *d = s->data;
  const dae_explicit_tableau *a = d->tableau;
  int n = s->view->nz, stages = s->method->stages;
  s->h = h;
  d->extra_done = false;
  /* the first point is the last one of the step before, or of the restart */
  if (s->n_watch > 0 && s->watch_t[0] != s->t) {
    s->watch_t[0] = s->t;
    s->watch[0] = s->watch_end;
  }
  s->n_watch = s->n_watch > 0;
  memcpy(d->k[0], s->dz, (size_t)n * sizeof(double));
  const double *row = a->a;
  for (int i = 1; i < stages; row += i++) {
    bool last = d->fsal && i == stages - 1;
    double *z_stage = last ? s->z_new : d->z_stage;
    combine(n, i, s->z, h, row, d->k, z_stage);
    dae_status status = DAE_OK;
    if (s->fix) {
      if (last) memcpy(d->z_stage, z_stage, (size_t)n * sizeof *z_stage);
      z_stage = d->z_stage;
      status = s->fix(s->fix_ctx, s->t + a->c[i] * h, z_stage);
    }
    if (status == DAE_OK) status = rhs(s, s->t + a->c[i] * h, z_stage, d->k[i], last ? s->y_new : NULL);
    if (status != DAE_OK) return status;
  }
  if (!d->fsal) combine(n, stages, s->z, h, a->b, d->k, s->z_new);
  s->evaluated = d->fsal;
  if (a->e) estimate(s, h);
  return dae_base_finite(s->z_new, n) ? DAE_OK : DAE_E_CALLBACK;
}

static dae_status accept(dae_stepper *s) {
  explicit_data *d = s->data;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  if (d->fsal)
    memcpy(s->dz, d->k[s->method->stages - 1], bytes);
  else {
    dae_status status = rhs(s, s->t + s->h, s->z_new, s->dz, s->y_new);
    if (status != DAE_OK) {
      memcpy(s->dz, d->k[0], bytes);
      return status;
    }
  }
  double *y = s->y;
  s->y = s->y_new, s->y_new = y;
  if (s->n_watch > 0) s->watch_end = s->watch[s->n_watch - 1];
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
    combine(s->view->nz, stages + i, d->z_start, s->h_old, row, d->k, d->z_stage);
    dae_status status = rhs(s, s->t_old + a->c_extra[i] * s->h_old, d->z_stage, d->k[stages + i], NULL);
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
  combine(s->view->nz, s->method->stages + a->extra, d->z_start, s->h_old, weight, d->k, z);
  return DAE_OK;
}

const dae_stepper_class dae_step_explicit = {
    .init = init, .restart = restart, .attempt = attempt, .accept = accept, .dense = dense};

const dae_explicit_tableau *dae_step_explicit_find(const char *name) {
  static const dae_explicit_tableau *const all[] = {&dae_step_euler, &dae_step_midpoint, &dae_step_heun,
                                                    &dae_step_rk4,   &dae_step_dopri5,   &dae_step_dop853};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->method.name, name) == 0) return all[i];
  return NULL;
}
