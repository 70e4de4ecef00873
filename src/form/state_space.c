/*
 * state-space: independent coordinates u_l = R_l x^(l) at every level, the rest from the
 * constraints (1993 (3.16)-(3.17)). R is constant, given or chosen: unit rows for the coordinates
 * that a pivoted QR of the constraints leaves free. Chosen ones are watched and chosen anew when
 * they wear out.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "form/form.h"

typedef struct state_space {
  int n_low, n_top;      /* free coordinates of levels below m-1 and of level m-1 */
  double *R_low, *R_top; /* n_low x nx, n_top x nx */
  bool given, chosen;
  double quality;        /* reciprocal condition of [R; G] when R was chosen */
  double *z, *dz;        /* the last point: guess of x from u; and a slope */
  double t;              /* of the last point */
  int side[2];           /* the sign of det [R; G] there, below and on level m-1; 0: not known */
  double *A, *b;         /* nx x nx and nx: [R; G] and its right-hand side */
  double *wide, *S, *FS; /* nz x nz, nz x nu, nz x nu */
  double *Fz;            /* nz x nz */
  double *qr, *tau, *work;
  int *pivot, *perm;
  dae_status (*rhs)(dae_view *, double, const double *, const double *, double *, double *);
  dae_status (*jacobian)(dae_view *, double, const double *, const double *, double *, double *,
                         double *);
  dae_status (*multipliers)(dae_view *, double, const double *, const double *, double *);
} state_space;

static int free_rows(const dae_view *v, int level) {
  const state_space *d = v->data;
  return level == v->sys->order - 1 ? d->n_top : d->n_low;
}

static const double *rows_of(const dae_view *v, int level) {
  const state_space *d = v->data;
  return level == v->sys->order - 1 ? d->R_top : d->R_low;
}

/* u := R z, level by level */
static void restrict_to(const dae_view *v, const double *z, double *u) {
  const dae_system *s = v->sys;
  for (int l = 0; l < s->order; l++) {
    dae_la_mul(free_rows(v, l), s->nx, rows_of(v, l), z + (size_t)l * (size_t)s->nx, u);
    u += free_rows(v, l);
  }
}

/* A := [R; G] at a level, dense, rows of G scaled to size 1 when asked */
static dae_status frame(dae_view *v, double t, const double *z, int level, bool scaled, double *A) {
  const dae_system *s = v->sys;
  size_t nx = (size_t)s->nx, n_free = (size_t)free_rows(v, level);
  dae_point_at(v->point, t, z);
  dae_status status = dae_point_gradient(v->point);
  if (status != DAE_OK) return status;
  memcpy(A, rows_of(v, level), n_free * nx * sizeof *A);
  memset(A + n_free * nx, 0, (nx - n_free) * nx * sizeof *A);
  dae_matrix G = dae_matrix_top(&v->point->G, dae_problem_level_rows(s, level));
  dae_matrix_put(&G, 1, A + n_free * nx, nx, 1);
  for (int i = 0; i < G.rows; i++) {
    double *to = A + (n_free + (size_t)i) * nx;
    double most = scaled ? dae_la_norm_max(s->nx, to) : 0;
    for (size_t j = 0; most > 0 && j < nx; j++) to[j] /= most;
  }
  return DAE_OK;
}

/* to the last digit: the accelerations see what is left. Where rounding in the constraints is
   more, to where corrections no longer fall */
static const dae_iteration_rule LIFT = {
    .limit = 20, .enough = DBL_EPSILON, .floor = 1e-10, .still = 0.5};

static int which(const dae_view *v, int level) { return level == v->sys->order - 1; }

/* is [R; G], in factors, on the same side of a singular one as at the last point? Between there and
   here a coordinate has turned back else, where u' = F(u) has a pole: no step leads across. With
   coordinates that are given there is no other way on */
static bool same_side(dae_view *v, int level) {
  state_space *d = v->data;
  int *side = &d->side[which(v, level)], here = dae_la_lu_sign(v->sys->nx, d->A, d->pivot);
  if (*side == 0) *side = here;
  return d->given || *side == here;
}

/* x^(l) from R x^(l) = u, level_l(t,z) = 0 by Newton's method: linear above level 0 and then done
   in one step */
static dae_status lift_level(dae_view *v, double t, const double *u, int level, double *z) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  int nx = s->nx, n_free = free_rows(v, level);
  double *x = z + (size_t)level * (size_t)nx;
  dae_iteration course = dae_base_iteration();
  for (;;) {
    dae_status status = frame(v, t, z, level, false, d->A);
    if (status == DAE_OK) status = dae_point_level(v->point, level, d->b + n_free);
    if (status != DAE_OK) return status;
    dae_la_mul(n_free, nx, rows_of(v, level), x, d->b);
    for (int i = 0; i < n_free; i++) d->b[i] -= u[i];
    if (dae_la_lu(nx, d->A, d->pivot) != 0) return DAE_E_SINGULAR;
    dae_la_lu_solve(nx, d->A, d->pivot, d->b);
    for (int i = 0; i < nx; i++) x[i] -= d->b[i];
    double size = dae_la_norm_max(nx, d->b) / fmax(dae_la_norm_max(nx, x), DBL_MIN);
    dae_progress progress = dae_base_judge(&course, &LIFT, size, 1);
    if (progress == DAE_CONVERGED) return same_side(v, level) ? DAE_OK : DAE_E_NEWTON;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
}

/* z := the last point, moved along its velocities: where a coordinate turns back two x have the
   same u, and the motion goes on to the other one */
static void guess(const dae_view *v, double t, double *z) {
  const state_space *d = v->data;
  const dae_system *s = v->sys;
  if (z != d->z) memcpy(z, d->z, (size_t)s->nz * sizeof *z);
  for (int i = 0; i + s->nx < s->nz; i++) z[i] += (t - d->t) * d->z[i + s->nx];
}

static dae_status to_z(dae_view *v, double t, const double *u, double *z) {
  guess(v, t, z);
  for (int l = 0; l < v->sys->order; l++) {
    dae_status status = lift_level(v, t, u, l, z);
    if (status != DAE_OK) return status;
    u += free_rows(v, l);
  }
  return DAE_OK;
}

/* u_l' = R_l x^(l+1), with x^(m) of index1 */
static dae_status rhs(dae_view *v, double t, const double *u, const double *mu, double *du,
                      double *y) {
  state_space *d = v->data;
  double *z = d->wide;
  (void)mu;
  dae_status status = to_z(v, t, u, z);
  if (status == DAE_OK) status = d->rhs(v, t, z, NULL, d->dz, y);
  if (status == DAE_OK) restrict_to(v, d->dz, du);
  return status;
}

static dae_status multipliers(dae_view *v, double t, const double *u, const double *mu, double *y) {
  state_space *d = v->data;
  dae_status status = to_z(v, t, u, d->wide);
  return status == DAE_OK ? d->multipliers(v, t, d->wide, mu, y) : status;
}

/* S := dz/du: [R; H] S = [I; 0] */
static dae_status tangent(dae_view *v, double t, const double *z) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  size_t nz = (size_t)s->nz, nx = (size_t)s->nx, nu = (size_t)v->nz, row = 0;
  dae_point_at(v->point, t, z);
  dae_status status = dae_point_invariants_z(v->point, d->wide + nu * nz);
  if (status != DAE_OK) return status;
  memset(d->wide, 0, nu * nz * sizeof *d->wide);
  for (int l = 0; l < s->order; l++)
    for (size_t i = 0; i < (size_t)free_rows(v, l); i++, row++)
      memcpy(d->wide + row * nz + (size_t)l * nx, rows_of(v, l) + i * nx, nx * sizeof *d->wide);
  if (dae_la_lu(s->nz, d->wide, d->pivot) != 0) return DAE_E_SINGULAR;
  for (size_t j = 0; j < nu; j++) {
    memset(d->dz, 0, nz * sizeof *d->dz);
    d->dz[j] = 1;
    dae_la_lu_solve(s->nz, d->wide, d->pivot, d->dz);
    for (size_t i = 0; i < nz; i++) d->S[i * nu + j] = d->dz[i];
  }
  return DAE_OK;
}

/* dF/du = R F_z S */
static dae_status jacobian(dae_view *v, double t, const double *u, const double *mu, double *Fu,
                           double *Fmu, double *Cu) {
  state_space *d = v->data;
  size_t nz = (size_t)v->sys->nz, nu = (size_t)v->nz;
  (void)mu, (void)Fmu, (void)Cu;
  if (!Fu) return DAE_OK;
  double *z = d->qr;
  dae_status status = to_z(v, t, u, z);
  if (status == DAE_OK) status = d->jacobian(v, t, z, NULL, d->Fz, NULL, NULL);
  if (status == DAE_OK) status = tangent(v, t, z);
  if (status != DAE_OK) return status;
  dae_la_matmul((int)nz, (int)nz, (int)nu, d->Fz, d->S, d->FS);
  for (size_t j = 0; j < nu; j++) {
    for (size_t i = 0; i < nz; i++) d->dz[i] = d->FS[i * nu + j];
    restrict_to(v, d->dz, d->work);
    for (size_t i = 0; i < nu; i++) Fu[i * nu + j] = d->work[i];
  }
  return DAE_OK;
}

/* ---- choice of coordinates ---- */

/* unit rows for what a pivoted QR of the columns of G (first `rows` of them) leaves free */
static void choose_rows(dae_view *v, int rows, int n_free, double *R) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  size_t nx = (size_t)s->nx;
  /* A holds [R; G] with scaled rows: its last rows, transposed, are the vectors to be pivoted */
  const double *G = d->A + (size_t)n_free * nx;
  for (size_t j = 0; j < nx; j++)
    for (int i = 0; i < rows; i++) d->qr[j * (size_t)rows + (size_t)i] = G[(size_t)i * nx + j];
  dae_la_qr_rank(s->nx, rows, d->qr, 0, d->perm, d->tau, d->work);
  memset(R, 0, (size_t)n_free * nx * sizeof *R);
  /* in their natural order, so that the same choice gives the same rows */
  for (size_t j = 0, row = 0; j < nx; j++) {
    bool bound = false;
    for (int i = 0; i < rows; i++) bound = bound || d->perm[i] == (int)j;
    if (!bound) R[row++ * nx + j] = 1;
  }
}

static dae_status choose(dae_view *v, double t, const double *z) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  for (int l = s->order > 1 ? s->order - 2 : 0; l < s->order; l++) {
    dae_status status = frame(v, t, z, l, true, d->A);
    if (status != DAE_OK) return status;
    choose_rows(v, dae_problem_level_rows(s, l), free_rows(v, l),
                l == s->order - 1 ? d->R_top : d->R_low);
  }
  d->chosen = true;
  return DAE_OK;
}

/* reciprocal condition of [R; G], the worse of the two levels, and its sides */
static dae_status measure(dae_view *v, double t, const double *z, double *quality) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  *quality = 1;
  for (int l = s->order > 1 ? s->order - 2 : 0; l < s->order; l++) {
    dae_status status = frame(v, t, z, l, true, d->A);
    if (status != DAE_OK) return status;
    double norm = dae_la_norm1(s->nx, d->A), q = 0;
    if (dae_la_lu(s->nx, d->A, d->pivot) == 0) {
      q = dae_la_lu_rcond(s->nx, d->A, d->pivot, norm, d->work);
      d->side[which(v, l)] = dae_la_lu_sign(s->nx, d->A, d->pivot);
    }
    *quality = fmin(*quality, q);
  }
  return DAE_OK;
}

/* [R; G] with scaled rows is singular to rounding */
static const double NO_COORDINATES = 1e-14;

static dae_status from_z(dae_view *v, double t, const double *z, double *u) {
  state_space *d = v->data;
  dae_status status = DAE_OK;
  if (z != d->z) memcpy(d->z, z, (size_t)v->sys->nz * sizeof *z);
  d->t = t;
  d->side[0] = d->side[1] = 0;
  if (!d->given && !d->chosen) {
    status = choose(v, t, z);
    if (status == DAE_OK) status = measure(v, t, z, &d->quality);
    /* as many coordinates as rows are missing: rows that depend on each other leave too few */
    if (status == DAE_OK && d->quality < NO_COORDINATES) status = DAE_E_SINGULAR;
  }
  restrict_to(v, d->z, u);
  return status;
}

/* new coordinates when [R; G] has become five times worse than it was */
static dae_status accepted(dae_view *v, double t, const double *z, bool *changed) {
  state_space *d = v->data;
  size_t nx = (size_t)v->sys->nx, low = (size_t)d->n_low * nx, top = (size_t)d->n_top * nx;
  double quality;
  *changed = false;
  memcpy(d->z, z, (size_t)v->sys->nz * sizeof *z);
  d->t = t;
  if (d->given) return DAE_OK;
  dae_status status = measure(v, t, z, &quality);
  if (status != DAE_OK || quality > 0.2 * d->quality) return status;
  double *before = d->FS;
  memcpy(before, d->R_low, low * sizeof *before);
  memcpy(before + low, d->R_top, top * sizeof *before);
  status = choose(v, t, z);
  if (status == DAE_OK) status = measure(v, t, z, &d->quality);
  *changed = memcmp(before, d->R_low, low * sizeof *before) != 0 ||
             memcmp(before + low, d->R_top, top * sizeof *before) != 0;
  return status;
}

/* ---- construction ---- */

static dae_status take_given(dae_view *v, const dae_rows *given, char *message, int size) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  d->given = true;
  if (s->ng > 0 && s->nw > 0)
    return dae_form_refuse(
        message, size,
        "position and velocity constraints together need two choices of coordinates: "
        "leave rtilde out");
  if (given->rows != d->n_top || given->columns != s->nx) {
    dae_form_refuse(message, size,
                    "rtilde must be %d row(s) of %d numbers, as 1,0;0,1, not %d of %d", d->n_top,
                    s->nx, given->rows, given->columns);
    return DAE_E_INPUT;
  }
  size_t nx = (size_t)s->nx;
  memcpy(d->R_top, given->value, (size_t)d->n_top * nx * sizeof *d->R_top);
  if (s->ng > 0) memcpy(d->R_low, d->R_top, (size_t)d->n_low * nx * sizeof *d->R_low);
  else
    for (size_t i = 0; i < nx; i++) d->R_low[i * nx + i] = 1;
  return DAE_OK;
}

static dae_status take(dae_view *v) {
  state_space *d = v->data;
  const dae_system *s = v->sys;
  dae_pool *pool = v->pool;
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, nu = (size_t)v->nz;
  d->R_low = dae_base_doubles(pool, (size_t)d->n_low * nx);
  d->R_top = dae_base_doubles(pool, (size_t)d->n_top * nx);
  d->z = dae_base_doubles(pool, nz);
  d->dz = dae_base_doubles(pool, nz);
  d->A = dae_base_doubles(pool, nx * nx);
  d->b = dae_base_doubles(pool, nx);
  d->wide = dae_base_doubles(pool, nz * nz);
  d->S = dae_base_doubles(pool, nz * nu);
  /* also room for both R */
  d->FS = dae_base_doubles(pool, nz * nu + 2 * nx * nx);
  d->Fz = dae_base_doubles(pool, nz * nz);
  d->qr = dae_base_doubles(pool, nz + nx * nx);
  d->tau = dae_base_doubles(pool, nx);
  d->work = dae_base_doubles(pool, 4 * nz + 4);
  d->pivot = dae_base_ints(pool, nz);
  d->perm = dae_base_ints(pool, nx);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

dae_status dae_form_state_space(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  dae_status status = dae_form_index1(v, o, message, size);
  if (status != DAE_OK) return status;
  if (s->nc >= s->nx)
    return dae_form_refuse(message, size,
                           "the constraints leave no free coordinate: use invariant");
  state_space *d = dae_base_take(v->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  v->data = d;
  /* those of an ODE with a pattern are in its own coordinates */
  v->matrices = NULL;
  v->pattern = NULL;
  d->n_low = s->nx - s->ng;
  d->n_top = s->nx - s->nc;
  v->nz = (s->order - 1) * d->n_low + d->n_top;
  status = take(v);
  if (status != DAE_OK) return status;
  if (o->rtilde.rows > 0) {
    status = take_given(v, &o->rtilde, message, size);
    if (status != DAE_OK) return status;
  }
  if (s->p->z0) memcpy(d->z, s->p->z0, (size_t)s->nz * sizeof *d->z);
  d->t = s->p->t0;
  d->rhs = v->rhs;
  d->jacobian = v->jacobian;
  /* u_l' = u_(l+1) holds while all levels have the same R */
  v->chain = s->nw == 0 ? s->order - 1 : 0;
  d->multipliers = v->multipliers;
  v->rhs = rhs;
  v->eliminates = v->passes = false;
  if (v->multipliers) v->multipliers = multipliers;
  if (v->jacobian) v->jacobian = jacobian;
  v->from_z = from_z;
  v->to_z = to_z;
  v->accepted = accepted;
  return DAE_OK;
}
