/*
 * All iterates inside each step: s = 1 .. S from t to t + h, each with the values at both ends of
 * the finished iterate s-1. The numbers are those of whole-interval sweeps, and nothing is stored.
 * The stages of iterate s-1 would not do: they leave g = O(h^2), which 1/eps makes O(1) in y
 * (reproduced tables need the mesh values).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "srm/srm.h"

typedef struct sweep_data {
  dae_srm_equations e;
  dae_srm_march march;
  int most, iterates; /* iterates at most, and those in use */
  /* steps since judged_t, over which the gaps are the largest between the last iterates */
  int judged;
  double judged_t, gap_last, gap_before;
  int at; /* the iterate that is marching */
  bool automatic, by_stage;
  dae_settings o;
  double window, window_start; /* length of a window of sweeps, 0: automatic; where it began */
  double **z, **z_new;         /* [s], s = 1 .. S; the last one is the solution */
  double **c, **c_new;         /* carried at both ends, s = 0 .. S */
  double **c_stage;            /* carried at the stages, [s * stages + i] */
  double *c_mid, *z_start, *dz_start, *dz_end;
  dae_view view;
} sweep_data;

/* what iterate at - 1 hands on at stage j of the step */
static const double *carried_at(void *ctx, int j, double node) {
  sweep_data *d = ctx;
  int i = d->at - 1;
  if (d->by_stage && i > 0) return d->c_stage[i * d->march.stages + j];
  if (node == 0) return d->c[i];
  if (node == 1) return d->c_new[i];
  for (int l = 0; l < d->e.nc; l++) d->c_mid[l] = (1 - node) * d->c[i][l] + node * d->c_new[i][l];
  return d->c_mid;
}

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  dae_pool *pool = s->pool;
  int nz = s->view->nz;
  sweep_data *d = dae_base_take(pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  double ***moving[] = {&d->z, &d->z_new, &d->c, &d->c_new, &d->march.keep};
  for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) dae_base_moving(pool, moving[i], 1);
  dae_status status = dae_srm_equations_init(&d->e, s->view->point, o, pool, message, size);
  if (status == DAE_OK) status = dae_srm_march_init(&d->march, s->method, nz, pool);
  if (status != DAE_OK) return status;
  d->march.carried = carried_at;
  d->march.ctx = d;
  d->by_stage = o->srm_carry == DAE_CARRY_STAGE;
  d->most = d->iterates = dae_srm_iterates(s->method, o);
  d->automatic = o->srm_eps == 0;
  d->o = *o;
  d->window = o->srm_window;
  int S = d->most, nc = d->e.nc;
  d->z = dae_srm_rows(pool, S + 1, nz);
  d->z_new = dae_srm_rows(pool, S + 1, nz);
  d->c = dae_srm_rows(pool, S + 1, nc);
  d->c_new = dae_srm_rows(pool, S + 1, nc);
  d->c_stage = dae_srm_rows(pool, d->by_stage ? (S + 1) * s->method->stages : 0, nc);
  d->z_start = dae_base_doubles(pool, (size_t)nz);
  d->dz_start = dae_base_doubles(pool, (size_t)nz);
  d->dz_end = dae_base_doubles(pool, (size_t)nz);
  d->c_mid = dae_base_doubles(pool, (size_t)nc);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* what each iterate hands on at a mesh point: c_s from c_{s-1} and z_s */
static dae_status hand_on(dae_stepper *s, double t, double **z, double **c, double *y, double *dz) {
  sweep_data *d = s->data;
  for (int i = 1; i <= d->iterates; i++) {
    s->evaluations++;
    dae_status status = dae_srm_evaluate(&d->e, t, z[i], c[i - 1], dz, c[i], y);
    if (status != DAE_OK) return status;
  }
  return DAE_OK;
}

/* all iterates start from the same point; the first one sees c[0] (dae_srm_base at the start) */
static dae_status begin_window(dae_stepper *s) {
  sweep_data *d = s->data;
  d->window_start = s->t;
  d->iterates = d->most;
  d->judged = 0;
  for (int i = 1; i <= d->iterates; i++)
    memcpy(d->z[i], s->z, (size_t)s->view->nz * sizeof(double));
  return hand_on(s, s->t, d->z, d->c, s->y, s->dz);
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  sweep_data *d = s->data;
  (void)mu;
  s->t = s->t_old = t;
  s->h_old = 0;
  memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  dae_srm_base(&d->e, &d->o, s->y, d->c[0]);
  dae_srm_look_around(&d->e, t, s->z, d->march.z_stage);
  dae_status status = d->automatic ? dae_srm_automatic_eps(&d->e, &d->o, d->most, t, s->z) : DAE_OK;
  return status == DAE_OK ? begin_window(s) : status;
}

static dae_status attempt(dae_stepper *s, double h) {
  sweep_data *d = s->data;
  int S = d->iterates;
  s->h = h;
  s->iterates = S;
  dae_status status = DAE_OK;
  memcpy(d->c_new[0], d->c[0], (size_t)d->e.nc * sizeof(double));
  for (int i = d->at = 1; i <= S && status == DAE_OK; d->at = ++i) {
    d->march.keep = d->by_stage ? d->c_stage + i * d->march.stages : NULL;
    status = dae_srm_march_step(&d->march, &d->e, s->t, h, d->z[i], d->z_new[i]);
    d->march.evaluations++;
    if (status == DAE_OK)
      status = dae_srm_evaluate(&d->e, s->t + h, d->z_new[i], d->c_new[i - 1], d->dz_end,
                                d->c_new[i], s->y_new);
  }
  s->evaluations += d->march.evaluations;
  d->march.evaluations = 0;
  if (status != DAE_OK) return status;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  memcpy(d->dz_start, s->dz, bytes);
  memcpy(s->z_new, d->z_new[S], bytes);
  dae_srm_march_error(&d->march, h, s->error);
  return DAE_OK;
}

static void swap(double ***a, double ***b) {
  double **keep = *a;
  *a = *b;
  *b = keep;
}

/* largest |z_i - z_j| and |z_i| */
static double gap(const dae_stepper *s, int i, int j, double *size) {
  const sweep_data *d = s->data;
  double most = 0;
  *size = 0;
  for (int q = 0; q < s->view->nz; q++) {
    most = fmax(most, fabs(d->z[i][q] - d->z[j][q]));
    *size = fmax(*size, fabs(d->z[i][q]));
  }
  return most;
}

/* the first iterate has lost its way when it is this far from the last one (relative): sweeps over
   longer times no longer converge, and all start anew from the last */
static bool lost(const dae_stepper *s) {
  const sweep_data *d = s->data;
  double size;
  if (d->window > 0) return fabs(s->t - d->window_start) >= d->window * (1 - 1e-9);
  double most = gap(s, 1, d->iterates, &size);
  return most > 0.1 * fmax(size, 1);
}

/* the last iterate differs from the one before by far less than the tolerance (fixed steps: by
   rounding), or by no less than that one from its own predecessor: it gains nothing. Judged over a
   while at a time, behind the layer at the start, because a single distance may be small by
   accident */
static bool useless(dae_stepper *s) {
  sweep_data *d = s->data;
  enum { STEPS = 50 };
  double size, tol = d->o.step > 0 ? 1e-15 : 0.01 * fmin(d->o.rtol, d->o.atol),
               time = 50 * d->e.eps;
  if (d->iterates < 2 || fabs(s->t - d->window_start) < time) return false;
  if (d->judged == 0) d->judged_t = s->t, d->gap_last = d->gap_before = 0;
  d->judged++;
  if (d->iterates > 2)
    d->gap_before = fmax(d->gap_before, gap(s, d->iterates - 1, d->iterates - 2, &size));
  d->gap_last = fmax(d->gap_last, gap(s, d->iterates, d->iterates - 1, &size));
  if (d->judged < STEPS || fabs(s->t - d->judged_t) < time) return false;
  d->judged = 0;
  return d->gap_last <= tol * fmax(size, 1) ||
         (d->iterates > 2 && d->gap_last >= 0.5 * d->gap_before);
}

/* the solution is the iterate before from now on */
static dae_status drop_last(dae_stepper *s) {
  sweep_data *d = s->data;
  int i = --d->iterates;
  memcpy(s->z, d->z[i], (size_t)s->view->nz * sizeof *s->z);
  s->evaluations++;
  return dae_srm_evaluate(&d->e, s->t, s->z, d->c[i - 1], s->dz, d->c[i], s->y);
}

static dae_status accept(dae_stepper *s) {
  sweep_data *d = s->data;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  memcpy(d->z_start, s->z, bytes);
  memcpy(s->z, s->z_new, bytes);
  memcpy(d->z_new[d->iterates], s->z_new, bytes); /* a stabilizer may have moved it */
  memcpy(s->dz, d->dz_end, bytes);
  memcpy(s->y, s->y_new, (size_t)s->view->sys->ny * sizeof *s->y);
  swap(&d->z, &d->z_new);
  swap(&d->c, &d->c_new);
  s->t_old = s->t;
  s->h_old = s->h;
  s->t += s->h;
  if (d->iterates == 1) return DAE_OK;
  if (!lost(s)) return useless(s) ? drop_last(s) : DAE_OK;
  memcpy(d->c[0], d->c[d->iterates], (size_t)d->e.nc * sizeof(double));
  s->restarts++;
  return begin_window(s);
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  sweep_data *d = s->data;
  if (y) return DAE_E_FORM;
  if (s->h_old == 0) memcpy(z, s->z, (size_t)s->view->nz * sizeof *z);
  else dae_step_hermite(s->view->nz, theta, s->h_old, d->z_start, d->dz_start, s->z, s->dz, z);
  return DAE_OK;
}

static void destroy(dae_stepper *s) {
  if (s->data) dae_srm_equations_free(&((sweep_data *)s->data)->e);
}

const dae_stepper_class dae_srm_sweep = {.init = init,
                                         .restart = restart,
                                         .attempt = attempt,
                                         .accept = accept,
                                         .dense = dense,
                                         .destroy = destroy};
