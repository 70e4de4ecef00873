/*
 * The index by numbers. With z' = F(t,z) - B y and the constraints of the highest level, phi_0 = 0,
 *   phi_0' = L_F phi_0 - A_0 y,   A_0 = (phi_0)_z B.
 * Where A_0 is singular, the multipliers that it does determine keep the part of phi_0' in its
 * range at zero. What is left is a hidden constraint on z,
 *   phi_1 = (I - A_0 A_0^+) L_F phi_0 = 0,
 * to be differentiated in turn along F_1 = F - B A_0^+ L_F phi_0, with the multipliers that are
 * left, B_1 = B (I - A_0^+ A_0), until all are determined. Each round adds one to the index.
 * Derivatives are nested central differences of order 4: each round costs three digits, which is
 * good enough for a rank.
 */
#include <math.h>
#include <string.h>

#include "problem/inside.h"

enum { ROUNDS = 4, NY_MOST = 24, NZ_MOST = 200 };

/* what counts as zero in a round, relative to the change of phi over the sizes of the variables */
static const double zero_of[ROUNDS] = {1e-7, 1e-5, 1e-4, 1e-3};

/* one round at the point where it was evaluated last; what is fixed at the first point, so that
   everything stays smooth around it; scratch */
typedef struct stage {
  double *phi, *a, *R;   /* ny; x^(m) of F, nx; rows of ny x nx: the columns of B */
  double *row, *column;  /* scales of A, ny each */
  int rank;              /* of the scaled A */
  double *z, *dz, *dphi; /* nz, nz, ny */
  double *A;             /* ny x ny, scaled */
} stage;

typedef struct search {
  dae_point *p;
  const dae_system *s;
  const double *y, *size; /* where f is linearized in y; typical sizes of z */
  double horizon;
  bool still;              /* the last phi changes with z */
  double distance[ROUNDS]; /* of the differences of each round, relative to the sizes */
  stage at[ROUNDS + 1];
} search;

static dae_status evaluate(search *q, int k, double t, const double *z);

/* out := d/ds phi_k(t + s dt, z + s dz) at s = 0; what stage k held is lost */
static dae_status along(search *q, int k, double t, const double *z, double dt, const double *dz,
                        double *out) {
  static const double shift[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  int nz = q->s->nz, ny = q->s->ny;
  double *moved = q->at[k + 1].z, most = fabs(dt) / q->horizon;
  for (int j = 0; j < nz; j++) most = fmax(most, fabs(dz[j]) / q->size[j]);
  memset(out, 0, (size_t)ny * sizeof *out);
  if (most == 0) return DAE_OK;
  double e = q->distance[k] / most;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < nz; j++) moved[j] = z[j] + shift[i] * e * dz[j];
    dae_status status = evaluate(q, k, t + shift[i] * e * dt, moved);
    if (status != DAE_OK) return status;
    for (int r = 0; r < ny; r++) out[r] += weight[i] * q->at[k].phi[r] / (12 * e);
  }
  return DAE_OK;
}

/* b_c as a change of z: x^(m-1) moves along column c of B */
static double *column_of(const search *q, const double *R, int c, double *dz) {
  size_t nx = (size_t)q->s->nx, nz = (size_t)q->s->nz;
  memset(dz, 0, nz * sizeof *dz);
  memcpy(dz + nz - nx, R + (size_t)c * nx, nx * sizeof *dz);
  return dz;
}

/* scales of round k at the first point: how far phi_k changes over the sizes of z, how far each
   multiplier moves z in units of them */
static dae_status measure(search *q, int k, double t, const double *z) {
  int nx = q->s->nx, nz = q->s->nz, ny = q->s->ny;
  stage *next = &q->at[k + 1];
  double most = 0;
  dae_status status = evaluate(q, k, t, z);
  if (status != DAE_OK) return status;
  memcpy(next->R, q->at[k].R, (size_t)ny * (size_t)nx * sizeof *next->R);
  dae_problem_chain(q->s, z, q->at[k].a, next->dz);
  double rate = 1 / q->horizon, floor = k > 0 ? dae_la_norm_max(ny, q->at[k - 1].row) : 0;
  for (int j = 0; j < nz; j++) rate = fmax(rate, fabs(next->dz[j]) / q->size[j]);
  /* differences of what vanishes leave this much of it */
  floor *= zero_of[k] * rate;
  double *row = q->at[k].row, *column = q->at[k].column;
  for (int c = 0; c < ny; c++) {
    column_of(q, next->R, c, next->dz);
    column[c] = 0;
    for (int j = 0; j < nz; j++) column[c] = fmax(column[c], fabs(next->dz[j]) / q->size[j]);
    most = fmax(most, column[c]);
  }
  /* a multiplier that is determined already has a column of rounding errors */
  for (int c = 0; c < ny; c++)
    if (column[c] <= 1e-8 * most) column[c] = 0;
  for (int j = 0; j < nz; j++) next->dz[j] = q->size[j] * (1 + 0.3 * (j % 7)) * (j % 2 ? -1 : 1);
  status = along(q, k, t, z, 0, next->dz, row);
  most = 0;
  for (int r = 0; r < ny; r++) most = fmax(most, row[r] = fabs(row[r]));
  q->still = most > floor;
  for (int r = 0; r < ny; r++) row[r] = fmax(row[r], fmax(floor, most > 0 ? 1e-6 * most : 1));
  return status;
}

/* A of round k at a point, scaled, with R of the stage above; L_F phi_k into drift */
static dae_status couple(search *q, int k, double t, const double *z, double *drift) {
  int ny = q->s->ny;
  stage *next = &q->at[k + 1];
  const double *row = q->at[k].row, *column = q->at[k].column;
  dae_problem_chain(q->s, z, next->a, next->dz);
  dae_status status = along(q, k, t, z, 1, next->dz, drift);
  for (int c = 0; c < ny && status == DAE_OK; c++) {
    memset(next->dphi, 0, (size_t)ny * sizeof *next->dphi);
    if (column[c] > 0)
      status = along(q, k, t, z, 0, column_of(q, next->R, c, next->dz), next->dphi);
    for (int r = 0; r < ny; r++)
      next->A[(size_t)r * ny + c] = column[c] > 0 ? next->dphi[r] / (row[r] * column[c]) : 0;
  }
  return status;
}

/* rank of a scaled A (ny x ny) whose rows are vectors; QR and tau for whoever goes on */
static int rank_of(int ny, double *QR, double zero, int *perm, double *tau) {
  double work[3 * NY_MOST], top = 0;
  for (int r = 0; r < ny; r++) top = fmax(top, dae_la_norm2(ny, QR + (size_t)r * ny));
  return top > zero ? dae_la_qr_rank(ny, ny, QR, zero / top, perm, tau, work) : 0;
}

/* x := (projector onto the span of the first `rank` reflected vectors) x */
static void onto(int ny, int rank, const double *QR, const double *tau, double *x) {
  dae_la_qr_apply_t(ny, rank, QR, tau, x);
  memset(x + rank, 0, (size_t)(ny - rank) * sizeof *x);
  dae_la_qr_apply(ny, rank, QR, tau, x);
}

/* from A, F and B of round k to those of the next: b := drift in scaled rows is split into its part
   in the range of A, which the multipliers v = A^+ b take up, and the rest, phi */
static void advance(search *q, int k, double *b) {
  int nx = q->s->nx, ny = q->s->ny, perm[NY_MOST], rank = q->at[k].rank;
  stage *next = &q->at[k + 1];
  const double *row = q->at[k].row, *column = q->at[k].column;
  double QR[NY_MOST * NY_MOST], tau[NY_MOST], v[NY_MOST], kept[NY_MOST], work[3 * NY_MOST];
  for (int r = 0; r < ny; r++) kept[r] = b[r] /= row[r];
  memset(v, 0, sizeof v);
  if (rank > 0) {
    for (int r = 0; r < ny; r++)
      for (int c = 0; c < ny; c++) QR[c * ny + r] = next->A[r * ny + c];
    dae_la_qr_rank(ny, ny, QR, 0, perm, tau, work);
    onto(ny, rank, QR, tau, kept);
    memcpy(QR, next->A, (size_t)ny * (size_t)ny * sizeof *QR);
    dae_la_qr_rank(ny, ny, QR, 0, perm, tau, work);
    dae_la_qr_min_norm(ny, rank, QR, perm, tau, kept, v, work);
  }
  for (int r = 0; r < ny; r++) next->phi[r] = row[r] * (b[r] - (rank > 0 ? kept[r] : 0));
  for (int c = 0; c < ny; c++)
    for (int j = 0; j < nx; j++)
      if (column[c] > 0) next->a[j] -= next->R[c * nx + j] / column[c] * v[c];
  /* columns of B / column, combined by the projector onto the null space of A */
  double *R = q->at[k].R;
  for (int c = 0; c < ny; c++) {
    memset(v, 0, sizeof v);
    v[c] = 1;
    if (rank > 0) onto(ny, rank, QR, tau, v);
    memset(R + c * nx, 0, (size_t)nx * sizeof *R);
    for (int i = 0; i < ny; i++)
      for (int j = 0; j < nx && column[i] > 0; j++)
        R[c * nx + j] += ((i == c) - (rank > 0 ? v[i] : 0)) * next->R[i * nx + j] / column[i];
  }
  memcpy(next->R, R, (size_t)ny * (size_t)nx * sizeof *R);
}

static dae_status evaluate(search *q, int k, double t, const double *z) {
  const dae_system *s = q->s;
  dae_point *p = q->p;
  stage *here = &q->at[k];
  double drift[NY_MOST];
  dae_status status;
  if (k == 0) {
    dae_point_at(p, t, z);
    status = dae_point_level(p, s->order - 1, here->phi);
    if (status == DAE_OK) status = dae_point_force(p, q->y, here->a);
    if (status == DAE_OK) status = dae_point_multipliers(p, q->y);
    memcpy(here->R, p->Kt.x, (size_t)s->ny * (size_t)s->nx * sizeof *here->R);
    return status;
  }
  status = evaluate(q, k - 1, t, z);
  if (status != DAE_OK) return status;
  memcpy(here->a, q->at[k - 1].a, (size_t)s->nx * sizeof *here->a);
  memcpy(here->R, q->at[k - 1].R, (size_t)s->ny * (size_t)s->nx * sizeof *here->R);
  status = couple(q, k - 1, t, z, drift);
  if (status == DAE_OK) advance(q, k - 1, drift);
  return status;
}

/* round k at the first point: scales and rank */
static dae_status settle(search *q, int k, double t, const double *z) {
  int ny = q->s->ny, nx = q->s->nx, perm[NY_MOST];
  double drift[NY_MOST], QR[NY_MOST * NY_MOST], tau[NY_MOST];
  dae_status status = measure(q, k, t, z);
  if (status == DAE_OK) status = evaluate(q, k, t, z);
  if (status != DAE_OK) return status;
  stage *next = &q->at[k + 1];
  memcpy(next->a, q->at[k].a, (size_t)nx * sizeof *next->a);
  memcpy(next->R, q->at[k].R, (size_t)ny * (size_t)nx * sizeof *next->R);
  status = couple(q, k, t, z, drift);
  if (status != DAE_OK) return status;
  memcpy(QR, next->A, (size_t)ny * (size_t)ny * sizeof *QR);
  q->at[k].rank = rank_of(ny, QR, zero_of[k], perm, tau);
  return DAE_OK;
}

int dae_point_index(dae_point *p, const double *y, const double *size, double horizon,
                    int redundant) {
  const dae_system *s = p->sys;
  const double t = p->t, *z = p->z;
  if (s->p->kind != DAE_HESSENBERG || s->ny > NY_MOST || s->nz > NZ_MOST) return 0;
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, ny = (size_t)s->ny;
  dae_pool pool;
  dae_base_pool_init(&pool, &s->passing);
  search q = {.p = p, .s = s, .y = y, .size = size, .horizon = horizon, .still = true};
  for (int k = 0; k <= ROUNDS; k++) {
    double *room = dae_base_doubles(&pool, 4 * ny + nx + ny * nx + 2 * nz + ny * ny);
    if (!room) break;
    stage *a = &q.at[k];
    a->phi = room, a->a = a->phi + ny, a->R = a->a + nx, a->row = a->R + ny * nx;
    a->column = a->row + ny, a->z = a->column + ny, a->dz = a->z + nz, a->dphi = a->dz + nz;
    a->A = a->dphi + ny;
  }
  /* noise of phi grows from round to round, and the distances with it: e^4 ~ noise/e */
  double noise = dae_point_level_noise(s, s->order - 1);
  for (int k = 0; k < ROUNDS; k++) {
    q.distance[k] = fmax(1e-3, noise > 0 ? pow(noise, 0.2) : 0);
    noise /= q.distance[k];
  }
  int found = 0, rank = 0, declared = dae_problem_index(s->p);
  for (int k = 0; k < ROUNDS && !pool.failed && !found; k++) {
    if (settle(&q, k, t, z) != DAE_OK || !q.still) break;
    rank += q.at[k].rank;
    if (rank >= s->ny - redundant) found = declared + k;
  }
  dae_base_pool_free(&pool);
  dae_point_at(p, t, z);
  return found;
}
