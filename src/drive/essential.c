/*
 * The essential underlying ODE at a point (1993, section 2): with R B = 0, R R' = I, F = B(CB)^-1
 * and S = (I - F C) R' the tangential part u = R x moves by
 *   u^(m) = sum_j (R A_j + R^(..)) S u^(j-1):   R A_j S is its frozen part, R'S the leading
 *   variable one.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* B and C at a point, and R from B */
typedef struct frame {
  double *C, *B, *R; /* nc x nx, nx x nc, k x nx */
  int k;             /* rows of R */
} frame;

static double norm2(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* takes the parts along the first `count` rows of Q out of x, twice for orthogonality; what is left
   of it */
static double deflate(int n, int count, const double *Q, double *x) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < count; i++) {
      double part = dot(n, Q + (size_t)i * (size_t)n, x);
      for (int j = 0; j < n; j++) x[j] -= part * Q[(size_t)i * (size_t)n + (size_t)j];
    }
  return norm2(n, x);
}

/* R: orthonormal rows orthogonal to the columns of B (Gram-Schmidt); Q of nx x nx is scratch */
static void complement(int nx, int nc, const double *B, double *Q, frame *f) {
  int used = 0;
  for (int c = 0; c < nc; c++) {
    double *q = Q + (size_t)used * (size_t)nx;
    for (int i = 0; i < nx; i++) q[i] = B[(size_t)i * (size_t)nc + (size_t)c];
    double size = norm2(nx, q), left = size > 0 ? deflate(nx, used, Q, q) : 0;
    if (left <= 1e-10 * size) continue;
    for (int i = 0; i < nx; i++) q[i] /= left;
    used++;
  }
  int range = used;
  /* unit vectors fill up, the ones farthest from what is there first enough at 1/sqrt(nx) */
  for (int pass = 0; pass < 2 && used < nx; pass++)
    for (int e = 0; e < nx && used < nx; e++) {
      double *q = Q + (size_t)used * (size_t)nx;
      memset(q, 0, (size_t)nx * sizeof *q);
      q[e] = 1;
      double left = deflate(nx, used, Q, q);
      if (left < (pass == 0 ? 0.5 / sqrt(nx) : 1e-8)) continue;
      for (int i = 0; i < nx; i++) q[i] /= left;
      used++;
    }
  f->k = used - range;
  memcpy(f->R, Q + (size_t)range * (size_t)nx, (size_t)f->k * (size_t)nx * sizeof *Q);
}

int dae_drive_independent(int rows, int n, const double *C, double tol, double *Q, bool *keep) {
  int used = 0;
  for (int i = 0; i < rows; i++) {
    keep[i] = false;
    if (used == n) continue;
    double *q = Q + (size_t)used * (size_t)n;
    memcpy(q, C + (size_t)i * (size_t)n, (size_t)n * sizeof *q);
    double size = norm2(n, q), left = size > 0 ? deflate(n, used, Q, q) : 0;
    if (left <= tol * size) continue;
    for (int j = 0; j < n; j++) q[j] /= left;
    keep[i] = true;
    used++;
  }
  return used;
}

/* only kept rows of C and columns of B, moved together */
static int thin(const dae_system *s, const bool *keep, frame *f) {
  int nx = s->nx, used = 0, count = 0;
  for (int i = 0; i < s->ny; i++) count += keep[i];
  for (int i = 0; i < s->ny; i++)
    if (keep[i])
      memmove(f->C + (size_t)used++ * (size_t)nx, f->C + (size_t)i * (size_t)nx,
              (size_t)nx * sizeof *f->C);
  for (int j = 0; j < nx; j++) {
    used = 0;
    for (int i = 0; i < s->ny; i++)
      if (keep[i])
        f->B[(size_t)j * (size_t)count + (size_t)used++] =
            f->B[(size_t)j * (size_t)s->ny + (size_t)i];
  }
  return count;
}

/* C, B and R at a point. find: choose the independent rows, else use those of `keep` */
static dae_status look(dae_system *s, double t, const double *z, bool find, bool *keep, double *Q,
                       frame *f, int *nc) {
  dae_direction_choice along_c = {.kind = DAE_DIR_CONSTRAINT}, along_b = {.kind = DAE_DIR_FORCE};
  int nx = s->nx, rows = s->ny; /* an ODE has no multipliers: all of it is essential */
  dae_status status = rows > 0 ? dae_problem_direction_block(s, &along_c, t, z, f->B) : DAE_OK;
  for (int i = 0; i < rows && status == DAE_OK; i++)
    for (int j = 0; j < nx; j++)
      f->C[(size_t)i * (size_t)nx + (size_t)j] = f->B[(size_t)j * (size_t)rows + (size_t)i];
  if (status == DAE_OK && rows > 0) status = dae_problem_direction_block(s, &along_b, t, z, f->B);
  if (status != DAE_OK) return status;
  if (find) dae_drive_independent(rows, nx, f->C, 1e-9, Q, keep);
  *nc = thin(s, keep, f);
  complement(nx, *nc, f->B, Q, f);
  return DAE_OK;
}

/* R2 := X' R2 with X the orthogonal factor of R2 R1' (Newton-Schulz), so that R turns as little as
   possible */
static void align(int nx, const frame *one, frame *two, double *Q, double *X, double *Y) {
  int k = one->k;
  size_t n = (size_t)k;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      X[i * n + j] = dot(nx, two->R + i * (size_t)nx, one->R + j * (size_t)nx);
  for (int pass = 0; pass < 30; pass++) {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t l = 0; l < n; l++) sum += X[l * n + i] * X[l * n + j];
        Y[i * n + j] = (i == j ? 1.5 : 0) - sum / 2;
      }
    dae_la_matmul(k, k, k, X, Y, Q);
    memcpy(X, Q, n * n * sizeof *X);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) Y[i * n + j] = X[j * n + i];
  dae_la_matmul(k, k, nx, Y, two->R, Q);
  memcpy(two->R, Q, n * (size_t)nx * sizeof *Q);
}

/* growth of powers of the companion matrix of u^(m) = sum_j K_j u^(j-1): its spectral radius */
static double spectral_radius(int m, int k, const double *K, double *u, double *w) {
  size_t n = (size_t)(m * k), last = (size_t)((m - 1) * k);
  double growth = 0;
  if (k == 0) return 0;
  for (size_t i = 0; i < n; i++) u[i] = 1 + 0.3 * sin(1.7 * (double)i);
  enum { WARM = 30, COUNT = 30 };
  for (int pass = 0; pass < WARM + COUNT; pass++) {
    for (size_t i = 0; i < last; i++) w[i] = u[i + (size_t)k];
    for (int i = 0; i < k; i++) {
      w[last + (size_t)i] = 0;
      for (int j = 0; j < m; j++)
        w[last + (size_t)i] +=
            dot(k, K + ((size_t)j * (size_t)k + (size_t)i) * (size_t)k, u + (size_t)j * (size_t)k);
    }
    double size = norm2((int)n, w), before = norm2((int)n, u);
    if (!(size > 0)) return 0;
    if (pass >= WARM) growth += log(size / before);
    for (size_t i = 0; i < n; i++) u[i] = w[i] / size;
  }
  return exp(growth / COUNT);
}

/* K_j := R A_j S, A = -M^-1 d/dz (M a + K y - f) */
static dae_status frozen_part(dae_system *s, double t, const double *z, const double *a,
                              const double *y, const frame *f, const double *S, double *J,
                              double *AS, double *K) {
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, k = (size_t)f->k;
  dae_status status = dae_problem_dynamics_z(s, t, z, a, y, J);
  if (status == DAE_OK && s->has_mass) status = dae_problem_kkt(s, t, z, y);
  for (int j = 0; j < s->order && status == DAE_OK; j++) {
    /* one column of A_j S after the other */
    for (size_t c = 0; c < k; c++) {
      double *column = AS + c * nx;
      for (size_t i = 0; i < nx; i++) {
        column[i] = 0;
        for (size_t l = 0; l < nx; l++) column[i] -= J[i * nz + (size_t)j * nx + l] * S[l * k + c];
      }
      if (s->has_mass) dae_la_kkt_mass_solve(s->kkt, column);
    }
    for (size_t i = 0; i < k; i++)
      for (size_t c = 0; c < k; c++)
        K[((size_t)j * k + i) * k + c] = dot(s->nx, f->R + i * nx, AS + c * nx);
  }
  return status;
}

/* F := B (CB)^-1 and its norms with C and C' */
static dae_status skewness(int nx, int nc, const frame *one, const frame *two, double dt,
                           double *CB, double *F, int *pivot, dae_essential *out) {
  dae_la_matmul(nc, nx, nc, one->C, one->B, CB);
  /* rows of F solve (CB)' f = b */
  if (dae_la_lu(nc, CB, pivot) != 0) return DAE_E_SINGULAR;
  memcpy(F, one->B, (size_t)nx * (size_t)nc * sizeof *F);
  for (int i = 0; i < nx; i++) dae_la_lu_solve_t(nc, CB, pivot, F + (size_t)i * (size_t)nc);
  double size_c = norm2(nc * nx, one->C), sum = 0;
  out->skew = norm2(nx * nc, F) * size_c / nc;
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      double entry = 0;
      for (int l = 0; l < nc; l++) {
        size_t at = (size_t)l * (size_t)nx + (size_t)j;
        entry += F[(size_t)i * (size_t)nc + (size_t)l] * (two->C[at] - one->C[at]) / dt;
      }
      sum += entry * entry;
    }
  out->fc = sqrt(sum);
  /* the rate of each row of C, relative to its size and across it */
  for (int l = 0; l < nc; l++) {
    const double *c1 = one->C + (size_t)l * (size_t)nx, *c2 = two->C + (size_t)l * (size_t)nx;
    double size = norm2(nx, c1), other = norm2(nx, c2), turn = 0;
    if (size == 0 || other == 0) continue;
    for (int j = 0; j < nx; j++) {
      double d = c2[j] / other - c1[j] / size;
      turn += d * d;
    }
    out->turn_constraint = fmax(out->turn_constraint, sqrt(turn) / fabs(dt));
  }
  return DAE_OK;
}

/* how fast z itself changes: |z'|/|z| and |z''|/|z'| */
static double solution_rate(int n, const double *z, const double *d1, const double *d2, double dt) {
  double z2 = norm2(n, z), v2 = norm2(n, d1), a2 = 0;
  for (int i = 0; i < n; i++) a2 += (d2[i] - d1[i]) * (d2[i] - d1[i]);
  a2 = sqrt(a2) / fabs(dt);
  double rate = z2 > 0 ? v2 / z2 : 0;
  return v2 > 1e-8 * z2 ? fmax(rate, a2 / v2) : rate;
}

enum { NX_MAX = 64 };

dae_status dae_drive_essential(dae_system *s, double t, const double *z, double horizon,
                               dae_essential *out) {
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, ny = (size_t)s->ny, square = nx * nx + nz;
  *out = (dae_essential){0};
  if (s->nx > NX_MAX) return DAE_E_FORM;
  dae_pool pool;
  dae_base_pool_init(&pool, &s->pool->allocator);
  double *room =
      dae_base_doubles(&pool, 2 * (2 * ny * nx + square) + nx * nz + 5 * square + 6 * nz + ny +
                                  (size_t)s->order * square + ny * (nx + ny));
  int *pivot = dae_base_ints(&pool, ny + 1), nc_one = 0, nc_two = 0;
  bool *keep = dae_base_take(&pool, ny + 1, sizeof *keep);
  if (pool.failed) {
    dae_base_pool_free(&pool);
    return DAE_E_MEMORY;
  }
  frame one, two;
#define TAKE(name, count) name = room, room += (count)
  double *Q, *X, *Y, *S, *AS, *J, *K, *F, *CB, *a, *y, *d1, *z2, *d2, *u, *w;
  TAKE(one.C, ny * nx);
  TAKE(one.B, ny * nx);
  TAKE(one.R, square);
  TAKE(two.C, ny * nx);
  TAKE(two.B, ny * nx);
  TAKE(two.R, square);
  TAKE(J, nx * nz);
  TAKE(Q, square);
  TAKE(X, square);
  TAKE(Y, square);
  TAKE(S, square);
  TAKE(AS, square);
  TAKE(K, (size_t)s->order * square);
  TAKE(F, ny * nx);
  TAKE(CB, ny * ny);
  TAKE(a, nz);
  TAKE(y, ny);
  TAKE(d1, nz);
  TAKE(z2, nz);
  TAKE(d2, nz);
  TAKE(u, nz);
  TAKE(w, nz);
#undef TAKE
  double dt = 1e-6 * horizon;
  dae_status status = dae_problem_accelerate(s, t, z, a, y);
  if (status != DAE_OK) goto done;
  dae_problem_chain(s, z, a, d1);
  status = look(s, t, z, true, keep, Q, &one, &nc_one);
  if (status != DAE_OK) goto done;
  for (size_t i = 0; i < nz; i++) z2[i] = z[i] + dt * d1[i];
  status = dae_problem_accelerate(s, t + dt, z2, u, NULL);
  if (status == DAE_OK) status = look(s, t + dt, z2, false, keep, Q, &two, &nc_two);
  if (status != DAE_OK) goto done;
  dae_problem_chain(s, z2, u, d2);
  out->solution = solution_rate(s->nz, z, d1, d2, dt);
  size_t nc = (size_t)nc_one;
  if (nc > 0) status = skewness(s->nx, nc_one, &one, &two, dt, CB, F, pivot, out);
  if (status != DAE_OK) goto done;
  /* S = R' - F C R' */
  for (size_t c = 0; c < (size_t)one.k; c++) {
    const double *r = one.R + c * nx;
    for (size_t i = 0; i < nx; i++) {
      double sum = r[i];
      for (size_t l = 0; l < nc; l++) sum -= F[i * nc + l] * dot(s->nx, one.C + l * nx, r);
      S[i * (size_t)one.k + c] = sum;
    }
  }
  if (nc > 0 && one.k == two.k && one.k > 0) {
    align(s->nx, &one, &two, Q, X, Y);
    for (size_t i = 0; i < (size_t)one.k * nx; i++) Q[i] = (two.R[i] - one.R[i]) / dt;
    out->turn_force = norm2(one.k * s->nx, Q);
    dae_la_matmul(one.k, s->nx, one.k, Q, S, X);
    out->variable = norm2(one.k * one.k, X);
  }
  status = frozen_part(s, t, z, a, y, &one, S, J, AS, K);
  if (status == DAE_OK) out->frozen = spectral_radius(s->order, one.k, K, u, w);
done:
  dae_base_pool_free(&pool);
  return status;
}
