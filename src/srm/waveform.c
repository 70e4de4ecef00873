/*
 * Sweeps over windows: iterate s goes over the whole window, what it hands on is kept at its mesh
 * points, and iterate s+1 sees it interpolated by cubics. The sweeps end when two of them agree to
 * the tolerance (fixed steps: to rounding), or gain nothing more. The steps of the driver then read
 * the last one.
 */
#include <math.h>
#include <string.h>

#include "srm/srm.h"

typedef struct wave_data {
  dae_srm_equations e;
  dae_srm_march march;
  dae_settings o;
  int most, room; /* iterates, mesh points at most */
  int count, at;  /* mesh points of the window (0: there is none), the step that is marching */
  double *t, **z, **dz, **y;
  double **before, **c; /* handed on by the iterate before and by the present one */
  double *base;         /* what the first iterate sees */
  double *z_try, *c_try, *z_start, *dz_start, *dz_end;
} wave_data;

/* value at t of the cubic through the four mesh points around interval k (fewer when there are not
   as many) */
static void interpolate(const wave_data *d, double *const *value, int n, int k, double t,
                        double *out) {
  int points = d->count < 4 ? d->count : 4, first = k - 1;
  if (first > d->count - points) first = d->count - points;
  if (first < 0) first = 0;
  memset(out, 0, (size_t)n * sizeof *out);
  for (int i = first; i < first + points; i++) {
    double w = 1;
    for (int j = first; j < first + points; j++)
      if (j != i) w *= (t - d->t[j]) / (d->t[i] - d->t[j]);
    for (int q = 0; q < n; q++) out[q] += w * value[i][q];
  }
}

static const double *carried_at(void *ctx, int stage, double node) {
  wave_data *d = ctx;
  (void)stage;
  if (node == 0) return d->before[d->at];
  if (node == 1) return d->before[d->at + 1];
  interpolate(d, d->before, d->e.nc, d->at, d->t[d->at] + node * (d->t[d->at + 1] - d->t[d->at]),
              d->c_try);
  return d->c_try;
}

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  dae_pool *pool = s->pool;
  const dae_system *sys = s->view->sys;
  wave_data *d = dae_base_take(pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  double ***moving[] = {&d->before, &d->c, &d->march.keep};
  for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) dae_base_moving(pool, moving[i], 1);
  dae_status status = dae_srm_equations_init(&d->e, s->view->point, o, pool, message, size);
  if (status == DAE_OK) status = dae_srm_march_init(&d->march, s->method, sys->nz, pool);
  if (status != DAE_OK) return status;
  d->march.carried = carried_at;
  d->march.ctx = d;
  d->o = *o;
  d->most = dae_srm_iterates(s->method, o);
  /* all of the interval that the problem suggests, where that is not too much; else it takes
     several windows */
  double steps = o->step > 0 ? fabs(sys->p->t1 - sys->p->t0) / o->step : 2000;
  d->room = 2 + (int)fmin(fmax(steps * 1.001, 200), 20000);
  d->t = dae_base_doubles(pool, (size_t)d->room);
  d->z = dae_srm_rows(pool, d->room, sys->nz);
  d->dz = dae_srm_rows(pool, d->room, sys->nz);
  d->y = dae_srm_rows(pool, d->room, sys->ny);
  d->before = dae_srm_rows(pool, d->room, d->e.nc);
  d->c = dae_srm_rows(pool, d->room, d->e.nc);
  d->base = dae_base_doubles(pool, (size_t)d->e.nc);
  d->c_try = dae_base_doubles(pool, (size_t)d->e.nc);
  d->z_try = dae_base_doubles(pool, (size_t)sys->nz);
  d->z_start = dae_base_doubles(pool, (size_t)sys->nz);
  d->dz_start = dae_base_doubles(pool, (size_t)sys->nz);
  d->dz_end = dae_base_doubles(pool, (size_t)sys->nz);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  wave_data *d = s->data;
  (void)mu;
  s->t = s->t_old = t;
  s->h_old = 0;
  d->count = 0;
  memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  dae_srm_base(&d->e, &d->o, s->y, d->base);
  dae_srm_look_around(&d->e, t, s->z, d->z_try);
  dae_status status =
      d->o.srm_eps == 0 ? dae_srm_automatic_eps(&d->e, &d->o, d->most, t, s->z) : DAE_OK;
  s->evaluations++;
  return status == DAE_OK ? dae_srm_evaluate(&d->e, t, s->z, d->base, s->dz, NULL, s->y) : status;
}

/* z', y and what is handed on at mesh point k */
static dae_status finish_point(wave_data *d, int k) {
  d->march.evaluations++;
  return dae_srm_evaluate(&d->e, d->t[k], d->z[k], d->before[k], d->dz[k], d->c[k], d->y[k]);
}

/* the first iterate lays out the mesh from t to at most `end`: steps of size h, or such that the
   error estimate stays below 1; it sees the base everywhere */
static dae_status first_sweep(dae_stepper *s, double h, double end) {
  wave_data *d = s->data;
  enum { TRIES = 60 };
  size_t carried = (size_t)d->e.nc * sizeof(double);
  double sign = h < 0 ? -1 : 1, power = 1.0 / (s->method->estimate + 1);
  int tries = 0;
  d->t[0] = s->t;
  memcpy(d->z[0], s->z, (size_t)s->view->nz * sizeof(double));
  memcpy(d->before[0], d->base, carried);
  dae_status status = finish_point(d, 0);
  for (d->count = 1;
       d->count < d->room && sign * (end - d->t[d->count - 1]) > 0 && status == DAE_OK;) {
    int k = d->at = d->count - 1;
    /* t_k = t_0 + k h with fixed steps, as the driver has it */
    double t = d->o.step > 0 ? d->t[0] + (k + 1) * h : d->t[k] + h;
    if (sign * (end - t) < 1e-9 * fabs(h)) t = end;
    d->t[k + 1] = t;
    memcpy(d->before[k + 1], d->base, carried);
    d->count++;
    status = dae_srm_march_step(&d->march, &d->e, d->t[k], t - d->t[k], d->z[k], d->z[k + 1]);
    if (status == DAE_OK && d->o.step == 0) {
      dae_srm_march_error(&d->march, t - d->t[k], s->error);
      double norm = fmax(dae_step_norm(s->view->nz, s->error, s->weight), 1e-6);
      double factor = 0.9 * pow(norm, -power);
      h *= fmin(5, fmax(0.2, factor));
      if (norm > 1 && ++tries < TRIES) {
        d->count--;
        continue;
      }
    }
    tries = 0;
    if (status == DAE_OK) status = finish_point(d, k + 1);
  }
  return status;
}

/* one more iterate over the same mesh; *change is its largest distance from the one before,
   relative to its size, behind the layer at the start, where nothing is gained */
static dae_status sweep(dae_stepper *s, double *change) {
  wave_data *d = s->data;
  double **swap = d->before, size = 1, length = fabs(d->t[d->count - 1] - d->t[0]);
  double layer = fmin(50 * d->e.eps, 0.5 * length);
  d->before = d->c;
  d->c = swap;
  *change = 0;
  dae_status status = finish_point(d, 0);
  for (int k = 0; k + 1 < d->count && status == DAE_OK; k++) {
    d->at = k;
    status =
        dae_srm_march_step(&d->march, &d->e, d->t[k], d->t[k + 1] - d->t[k], d->z[k], d->z_try);
    for (int q = 0; q < s->view->nz; q++) {
      if (fabs(d->t[k + 1] - d->t[0]) >= layer)
        *change = fmax(*change, fabs(d->z_try[q] - d->z[k + 1][q]));
      size = fmax(size, fabs(d->z_try[q]));
    }
    memcpy(d->z[k + 1], d->z_try, (size_t)s->view->nz * sizeof(double));
    if (status == DAE_OK) status = finish_point(d, k + 1);
  }
  *change /= size;
  return status;
}

/* all iterates over a window from s->t on. Where they move apart the window is too long */
static dae_status sweeps(dae_stepper *s, double h, double end) {
  wave_data *d = s->data;
  /* iterates that come together by less than a half each are as good as they get */
  const dae_iteration_rule rule = {
      .enough = d->o.step > 0 ? 1e-15 : 0.1 * fmin(d->o.rtol, d->o.atol), .growth = 0.5};
  for (;;) {
    dae_status status = first_sweep(s, h, end);
    dae_iteration course = dae_base_iteration();
    dae_progress progress = DAE_GO_ON;
    double change = INFINITY;
    for (s->iterates = 1; s->iterates < d->most && status == DAE_OK && progress == DAE_GO_ON;) {
      status = sweep(s, &change);
      s->iterates++;
      progress = dae_base_judge(&course, &rule, change, 1);
    }
    if (status != DAE_OK || d->count < 4 || d->most == 1 || change < 1e-3) return status;
    s->restarts++;
    end = d->t[d->count / 2];
  }
}

/* the window that begins here, at most up to where the driver wants to stop */
static dae_status new_window(dae_stepper *s, double h) {
  wave_data *d = s->data;
  double end = s->t_limit;
  if (d->count > 0) {
    int k = d->count - 1;
    while (k > 0 && (d->t[k] - s->t) * h > 0) k--;
    interpolate(d, d->c, d->e.nc, k, s->t, d->base);
    s->restarts++;
  }
  if (d->o.srm_window > 0 && fabs(end - s->t) > d->o.srm_window)
    end = s->t + copysign(d->o.srm_window, h);
  dae_status status = sweeps(s, h, end);
  s->evaluations += d->march.evaluations;
  d->march.evaluations = 0;
  if (status != DAE_OK) d->count = 0;
  return status;
}

/* the mesh interval that ends at t or contains it */
static int interval_of(const wave_data *d, double t, double h) {
  int k = 0;
  while (k + 2 < d->count && (t - d->t[k + 1]) * h > 1e-9 * h * h) k++;
  return k;
}

static bool covers(const wave_data *d, double t, double h) {
  return d->count > 1 && (d->t[d->count - 1] - d->t[0]) * h > 0 &&
         (t - d->t[d->count - 1]) * h <= 1e-9 * h * h;
}

static dae_status attempt(dae_stepper *s, double h) {
  wave_data *d = s->data;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  s->h = h;
  if (!covers(d, s->t + h, h)) {
    dae_status status = new_window(s, h);
    if (status != DAE_OK) return status;
  }
  /* a window may be shorter than the step: then the driver tries a smaller one */
  if (!covers(d, s->t + h, h)) return DAE_E_NEWTON;
  int k = interval_of(d, s->t + h, h);
  double step = d->t[k + 1] - d->t[k], theta = (s->t + h - d->t[k]) / step;
  memset(s->error, 0, bytes);
  memcpy(d->dz_start, s->dz, bytes);
  if (fabs(theta - 1) < 1e-9) {
    memcpy(s->z_new, d->z[k + 1], bytes);
    memcpy(d->dz_end, d->dz[k + 1], bytes);
    memcpy(s->y_new, d->y[k + 1], (size_t)s->view->sys->ny * sizeof *s->y);
    return DAE_OK;
  }
  dae_step_hermite(s->view->nz, theta, step, d->z[k], d->dz[k], d->z[k + 1], d->dz[k + 1],
                   s->z_new);
  interpolate(d, d->before, d->e.nc, k, s->t + h, d->c_try);
  s->evaluations++;
  return dae_srm_evaluate(&d->e, s->t + h, s->z_new, d->c_try, d->dz_end, NULL, s->y_new);
}

static dae_status accept(dae_stepper *s) {
  wave_data *d = s->data;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  memcpy(d->z_start, s->z, bytes);
  memcpy(s->z, s->z_new, bytes);
  memcpy(s->dz, d->dz_end, bytes);
  memcpy(s->y, s->y_new, (size_t)s->view->sys->ny * sizeof *s->y);
  s->t_old = s->t;
  s->h_old = s->h;
  s->t += s->h;
  return DAE_OK;
}

/* to the next mesh point; at the end of a window a step as long as the last */
static double next_step(dae_stepper *s, double norm, bool accepted) {
  wave_data *d = s->data;
  (void)norm;
  double t = accepted ? s->t : s->t_old;
  for (int k = 0; k < d->count; k++)
    if ((d->t[k] - t) * s->h > 1e-9 * s->h * s->h) return d->t[k] - t;
  return d->count > 1 ? d->t[d->count - 1] - d->t[d->count - 2] : s->h;
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  wave_data *d = s->data;
  if (y) return DAE_E_FORM;
  if (s->h_old == 0) memcpy(z, s->z, (size_t)s->view->nz * sizeof *z);
  else dae_step_hermite(s->view->nz, theta, s->h_old, d->z_start, d->dz_start, s->z, s->dz, z);
  return DAE_OK;
}

static void destroy(dae_stepper *s) {
  if (s->data) dae_srm_equations_free(&((wave_data *)s->data)->e);
}

const dae_stepper_class dae_srm_waveform = {.init = init,
                                            .restart = restart,
                                            .attempt = attempt,
                                            .accept = accept,
                                            .dense = dense,
                                            .next_step = next_step,
                                            .destroy = destroy};
