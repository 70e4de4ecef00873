/*
 * All iterates inside each step: s = 1 .. S from t to t + h, each with the values at both ends of the finished
 * iterate s-1. The numbers are those of whole-interval sweeps, and nothing is stored. The stages of iterate s-1 would
 * not do: they leave g = O(h^2), which 1/eps makes O(1) in y (reproduced tables need the mesh values).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "srm/srm.h"

typedef struct sweep_data {
  dae_srm_equations e;
  const dae_explicit_tableau *tableau;
  int iterates;
  bool automatic, by_stage;
  double step, tolerance;      /* fixed step, or the tolerance where that is 0 */
  double window, window_start; /* length of a window of sweeps, 0: automatic; where it began */
  double **z, **z_new;         /* [s], s = 1 .. S; the last one is the solution */
  double **c, **c_new;         /* carried at both ends, s = 0 .. S */
  double **c_stage;            /* carried at the stages, [s * stages + i] */
  double **k;
  double *z_stage, *c_mid, *z_start, *dz_start;
  dae_view view;
} sweep_data;

static double **rows_of(dae_pool *pool, int count, int n) {
  double **a = dae_base_take(pool, (size_t)count, sizeof *a);
  for (int i = 0; a && i < count; i++) a[i] = dae_base_doubles(pool, (size_t)n);
  return a;
}

static dae_status init(dae_stepper *s, const dae_options *o, char *message, int size) {
  dae_pool *pool = s->pool;
  int nz = s->view->nz;
  sweep_data *d = (sweep_data *)s->view->data;
  s->data = d;
  d->tableau = dae_step_explicit_find(s->method->name);
  dae_status status = dae_srm_equations_init(&d->e, s->view->sys, o, pool, message, size);
  if (status != DAE_OK) return status;
  d->by_stage = strcmp(o->srm_carry, "stage") == 0;
  if (!d->by_stage && strcmp(o->srm_carry, "mesh") != 0) {
    snprintf(message, (size_t)size, "srm_carry '%s': mesh or stage for initial value problems", o->srm_carry);
    return strcmp(o->srm_carry, "waveform") == 0 ? DAE_E_FORM : DAE_E_INPUT;
  }
  /* with eps = O(h) the error eps^S must not stand before that of the method */
  d->iterates = o->srm_iterations > 0 ? o->srm_iterations : s->method->order + 1;
  if (d->iterates > 64) {
    snprintf(message, (size_t)size, "srm_iterations must be at most 64, not %d", d->iterates);
    return DAE_E_INPUT;
  }
  d->automatic = o->srm_eps == 0;
  d->step = o->step;
  d->tolerance = fmax(o->rtol, o->atol);
  d->window = o->srm_window;
  int S = d->iterates, nc = d->e.nc, stages = s->method->stages;
  d->z = rows_of(pool, S + 1, nz);
  d->z_new = rows_of(pool, S + 1, nz);
  d->c = rows_of(pool, S + 1, nc);
  d->c_new = rows_of(pool, S + 1, nc);
  d->c_stage = rows_of(pool, d->by_stage ? (S + 1) * stages : 0, nc);
  d->k = rows_of(pool, stages, nz);
  d->z_stage = dae_base_doubles(pool, (size_t)nz);
  d->z_start = dae_base_doubles(pool, (size_t)nz);
  d->dz_start = dae_base_doubles(pool, (size_t)nz);
  d->c_mid = dae_base_doubles(pool, (size_t)nc);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* fixed steps: eps as small as the explicit method allows, h rho(G B E) / eps = 1. With error control eps must stay, or
   each change would start a layer: then eps^S is the tolerance, in units of a twentieth of the interval */
static dae_status automatic_eps(dae_stepper *s) {
  sweep_data *d = s->data;
  const dae_problem *p = s->view->sys->p;
  double radius, time = d->step;
  if (time == 0) time = 0.05 * (p->t1 > p->t0 ? p->t1 - p->t0 : 1) * pow(d->tolerance, 1.0 / d->iterates);
  dae_status status = dae_srm_radius(&d->e, s->t, s->z, &radius);
  d->e.eps = time * fmax(radius, 1e-300);
  return status;
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

/* all iterates start from the same point; the first one sees `base` (zero at the very start) */
static dae_status begin_window(dae_stepper *s) {
  sweep_data *d = s->data;
  d->window_start = s->t;
  for (int i = 1; i <= d->iterates; i++) memcpy(d->z[i], s->z, (size_t)s->view->nz * sizeof(double));
  return hand_on(s, s->t, d->z, d->c, s->y, s->dz);
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  sweep_data *d = s->data;
  (void)mu;
  s->t = s->t_old = t;
  s->h_old = 0;
  memmove(s->z, z, (size_t)s->view->nz * sizeof *z);
  memset(d->c[0], 0, (size_t)d->e.nc * sizeof(double));
  dae_srm_look_around(&d->e, t, s->z, d->z_stage);
  dae_status status = d->automatic ? automatic_eps(s) : DAE_OK;
  return status == DAE_OK ? begin_window(s) : status;
}

/* what iterate i - 1 hands on at stage j of the step */
static const double *carried_at(sweep_data *d, int i, int j, double node, int stages) {
  if (d->by_stage && i > 1) return d->c_stage[(i - 1) * stages + j];
  if (node == 0) return d->c[i - 1];
  if (node == 1) return d->c_new[i - 1];
  for (int l = 0; l < d->e.nc; l++) d->c_mid[l] = (1 - node) * d->c[i - 1][l] + node * d->c_new[i - 1][l];
  return d->c_mid;
}

/* z_new of iterate i by the tableau; k holds its stages */
static dae_status one_iterate(dae_stepper *s, double h, int i) {
  sweep_data *d = s->data;
  const dae_explicit_tableau *a = d->tableau;
  int n = s->view->nz, stages = s->method->stages;
  const double *row = a->a;
  for (int j = 0; j < stages; j++) {
    memcpy(d->z_stage, d->z[i], (size_t)n * sizeof(double));
    for (int l = 0; l < j; l++)
      for (int q = 0; q < n; q++) d->z_stage[q] += h * row[l] * d->k[l][q];
    s->evaluations++;
    double *keep = d->by_stage ? d->c_stage[i * stages + j] : NULL;
    dae_status status = dae_srm_evaluate(&d->e, s->t + a->c[j] * h, d->z_stage,
                                         carried_at(d, i, j, a->c[j], stages), d->k[j], keep, NULL);
    if (status != DAE_OK) return status;
    if (j > 0) row += j;
  }
  const double *b = a->b ? a->b : row - (stages - 1);
  int used = a->b ? stages : stages - 1;
  memcpy(d->z_new[i], d->z[i], (size_t)n * sizeof(double));
  for (int l = 0; l < used; l++)
    for (int q = 0; q < n; q++) d->z_new[i][q] += h * b[l] * d->k[l][q];
  return dae_base_finite(d->z_new[i], n) ? DAE_OK : DAE_E_CALLBACK;
}

static dae_status attempt(dae_stepper *s, double h) {
  sweep_data *d = s->data;
  int n = s->view->nz, S = d->iterates;
  s->h = h;
  s->evaluated = false;
  dae_status status = DAE_OK;
  memcpy(d->c_new[0], d->c[0], (size_t)d->e.nc * sizeof(double));
  for (int i = 1; i <= S && status == DAE_OK; i++) {
    status = one_iterate(s, h, i);
    s->evaluations++;
    if (status == DAE_OK)
      status = dae_srm_evaluate(&d->e, s->t + h, d->z_new[i], d->c_new[i - 1], s->z_new, d->c_new[i], s->y_new);
  }
  if (status != DAE_OK) return status;
  memcpy(d->dz_start, s->dz, (size_t)n * sizeof(double));
  memcpy(d->z_stage, s->z_new, (size_t)n * sizeof(double)); /* slope at the end */
  memcpy(s->z_new, d->z_new[S], (size_t)n * sizeof(double));
  for (int q = 0; d->tableau->e && q < n; q++) {
    s->error[q] = 0;
    for (int l = 0; l < s->method->stages; l++) s->error[q] += h * d->tableau->e[l] * d->k[l][q];
  }
  return DAE_OK;
}

static void swap(double ***a, double ***b) {
  double **keep = *a;
  *a = *b;
  *b = keep;
}

/* the first iterate has lost its way when it is this far from the last one (relative): sweeps over longer times no
   longer converge, and all start anew from the last */
static bool lost(const dae_stepper *s) {
  const sweep_data *d = s->data;
  if (d->window > 0) return fabs(s->t - d->window_start) >= d->window * (1 - 1e-9);
  double gap = 0, size = 1;
  for (int q = 0; q < s->view->nz; q++) {
    gap = fmax(gap, fabs(d->z[1][q] - s->z[q]));
    size = fmax(size, fabs(s->z[q]));
  }
  return gap > 0.1 * size;
}

static dae_status accept(dae_stepper *s) {
  sweep_data *d = s->data;
  size_t bytes = (size_t)s->view->nz * sizeof(double);
  memcpy(d->z_start, s->z, bytes);
  memcpy(s->z, s->z_new, bytes);
  memcpy(d->z_new[d->iterates], s->z_new, bytes); /* a stabilizer may have moved it */
  memcpy(s->dz, d->z_stage, bytes);
  memcpy(s->y, s->y_new, (size_t)s->view->sys->ny * sizeof *s->y);
  swap(&d->z, &d->z_new);
  swap(&d->c, &d->c_new);
  s->t_old = s->t;
  s->h_old = s->h;
  s->t += s->h;
  if (d->iterates == 1 || !lost(s)) return DAE_OK;
  memcpy(d->c[0], d->c[d->iterates], (size_t)d->e.nc * sizeof(double));
  s->restarts++;
  return begin_window(s);
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  sweep_data *d = s->data;
  if (y) return DAE_E_FORM;
  if (s->h_old == 0)
    memcpy(z, s->z, (size_t)s->view->nz * sizeof *z);
  else
    dae_step_hermite(s->view->nz, theta, s->h_old, d->z_start, d->dz_start, s->z, s->dz, z);
  return DAE_OK;
}

static void destroy(dae_stepper *s) {
  if (s->data) dae_srm_equations_free(&((sweep_data *)s->data)->e);
}

static const dae_stepper_class sweep_class = {.init = init, .restart = restart, .attempt = attempt,
                                              .accept = accept, .dense = dense, .destroy = destroy};

dae_status dae_srm_step_new(dae_stepper **out, const dae_method *m, dae_system *sys, const dae_options *o,
                            dae_pool *pool, char *message, int size) {
  *out = NULL;
  if (!dae_step_explicit_find(m->name)) {
    snprintf(message, (size_t)size, "form srm needs an explicit Runge-Kutta method, not %s", m->name);
    return DAE_E_FORM;
  }
  sweep_data *d = dae_base_take(pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  d->view = (dae_view){.name = "srm", .kind = DAE_VIEW_PROBLEM, .sys = sys, .pool = pool, .nz = sys->nz, .data = d};
  return dae_step_make(out, m, &sweep_class, &d->view, o, pool, message, size);
}
