/*
 * The essential underlying ODE at a point (1993, section 2): with R B = 0, R R' = I, F = B(CB)^-1
 * and S = (I - F C) R' the tangential part u = R x moves by
 *   u^(m) = sum_j (R A_j + R^(..)) S u^(j-1):   R A_j S is its frozen part, R'S the leading
 *   variable one.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "choose/choose.h"

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

int dae_choose_independent(int rows, int n, const double *C, double tol, double *Q, bool *keep) {
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

/* unit := those of the coordinates, 1/sqrt(M_jj), where the masses are so different that units must
   be the reason; else 1: a norm that adds metres and micrometres tells nothing */
static void find_units(const dae_point *p, double *unit) {
  static const double OF_UNITS = 1e4;
  const dae_matrix *M = &p->M;
  double low = INFINITY, high = 0;
  for (int i = 0; i < p->sys->nx; i++) {
    unit[i] = 1;
    if (M->size > 0) {
      dae_row r = dae_matrix_row(M, i);
      for (int k = 0; k < r.count; k++)
        if (dae_row_column(&r, k) == i) unit[i] = fabs(r.x[k]);
    }
    low = fmin(low, unit[i]), high = fmax(high, unit[i]);
  }
  bool of_units = low > 0 && high > OF_UNITS * low;
  for (int i = 0; i < p->sys->nx; i++) unit[i] = of_units ? 1 / sqrt(unit[i]) : 1;
}

/* C, B and R at a point with its factors. find: choose the independent rows, else use those of
   `keep`. Returns how many */
static int look(const dae_point *p, bool find, bool *keep, const double *unit, double *Q,
                frame *f) {
  const dae_system *s = p->sys;
  int nx = s->nx, rows = s->ny; /* an ODE has no multipliers: all of it is essential */
  if (rows > 0) {
    dae_point_block(p, DAE_DIR_CONSTRAINT, f->B);
    dae_la_transpose_dense(nx, rows, f->B, f->C);
    dae_point_block(p, DAE_DIR_FORCE, f->B);
    for (int j = 0; j < nx; j++)
      for (int r = 0; r < rows; r++)
        f->C[(size_t)r * nx + j] *= unit[j], f->B[(size_t)j * rows + r] /= unit[j];
  }
  if (find) dae_choose_independent(rows, nx, f->C, 1e-9, Q, keep);
  int count = thin(s, keep, f);
  complement(nx, count, f->B, Q, f);
  return count;
}

/* R2 := X' R2 with X the orthogonal factor of R2 R1' (Newton-Schulz), so that R turns as little as
   possible */
static void align(int nx, const frame *one, frame *two, double *Q, double *X, double *Y) {
  int k = one->k;
  size_t n = (size_t)k;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      X[i * n + j] = dot(nx, two->R + i * (size_t)nx, one->R + j * (size_t)nx);
  double off = 1;
  for (int pass = 0; pass < 30 && off > 1e-15; pass++) {
    off = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t l = 0; l < n; l++) sum += X[l * n + i] * X[l * n + j];
        off = fmax(off, fabs((i == j) - sum));
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

/* w := A u with the companion matrix A of u^(m) = sum_j K_j u^(j-1) */
static void companion(int m, int k, const double *K, const double *u, double *w) {
  int last = (m - 1) * k;
  for (int i = 0; i < last; i++) w[i] = u[i + k];
  for (int i = 0; i < k; i++) {
    w[last + i] = 0;
    for (int j = 0; j < m; j++)
      w[last + i] += dot(k, K + ((size_t)j * (size_t)k + (size_t)i) * (size_t)k, u + j * k);
  }
}

/* its spectral radius: growth of the powers of A, in groups of four; done when two groups agree */
static double spectral_radius(int m, int k, const double *K, double *u, double *w) {
  enum { WARM = 8, COUNT = 8 };
  int n = m * k;
  double growth = 0, before = 0;
  if (k == 0) return 0;
  for (int i = 0; i < n; i++) u[i] = 1 + 0.3 * sin(1.7 * i);
  for (int group = 0; group < WARM + COUNT; group++) {
    for (int twice = 0; twice < 2; twice++) {
      companion(m, k, K, u, w);
      companion(m, k, K, w, u);
    }
    double size = norm2(n, u);
    if (!(size > 0)) return 0;
    if (fabs(size - before) <= 1e-6 * size) return sqrt(sqrt(size));
    before = size;
    if (group >= WARM) growth += log(size);
    for (int i = 0; i < n; i++) u[i] /= size;
  }
  return exp(growth / (4 * COUNT));
}

/* everything that the numbers are computed from, in one block of memory */
typedef struct workspace {
  frame one, two;
  double *J, *Q, *X, *Y, *S, *AS, *K, *F, *CB, *a, *y, *d1, *z2, *d2, *u, *w, *unit;
  int *pivot;
  bool *keep;
} workspace;

/* K_j := R A_j S, A = -M^-1 d/dz (M a + K y - f) */
static dae_status frozen_part(dae_point *p, workspace *w) {
  const dae_system *s = p->sys;
  const frame *f = &w->one;
  const double *S = w->S, *J = w->J;
  double *AS = w->AS, *K = w->K;
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, k = (size_t)f->k;
  dae_status status = dae_point_dynamics_z(p, w->a, w->y, w->J);
  for (int j = 0; j < s->order && status == DAE_OK; j++) {
    /* one column of A_j S after the other */
    for (size_t c = 0; c < k; c++) {
      double *column = AS + c * nx;
      for (size_t i = 0; i < nx; i++) {
        column[i] = 0;
        for (size_t l = 0; l < nx; l++)
          column[i] -= J[i * nz + (size_t)j * nx + l] * w->unit[l] * S[l * k + c];
      }
      if (s->has_mass) dae_la_kkt_mass_solve(dae_point_kkt(p), column);
      for (size_t i = 0; i < nx; i++) column[i] /= w->unit[i];
    }
    for (size_t i = 0; i < k; i++)
      for (size_t c = 0; c < k; c++)
        K[((size_t)j * k + i) * k + c] = dot(s->nx, f->R + i * nx, AS + c * nx);
  }
  return status;
}

/* F := B (CB)^-1 and S := R' - F C R' */
static dae_status splitting(int nx, int nc, const frame *f, double *CB, int *pivot, double *F,
                            double *S, dae_essential *out) {
  if (nc > 0) {
    dae_la_matmul(nc, nx, nc, f->C, f->B, CB);
    /* rows of F solve (CB)' f = b */
    if (dae_la_lu(nc, CB, pivot) != 0) return DAE_E_SINGULAR;
    memcpy(F, f->B, (size_t)nx * (size_t)nc * sizeof *F);
    for (int i = 0; i < nx; i++) dae_la_lu_solve_t(nc, CB, pivot, F + (size_t)i * (size_t)nc);
    out->skew = norm2(nx * nc, F) * norm2(nc * nx, f->C) / nc;
  }
  for (int c = 0; c < f->k; c++) {
    const double *r = f->R + (size_t)c * (size_t)nx;
    for (int i = 0; i < nx; i++) S[(size_t)i * (size_t)f->k + (size_t)c] = r[i];
    for (int l = 0; l < nc; l++) {
      double part = dot(nx, f->C + (size_t)l * (size_t)nx, r);
      for (int i = 0; i < nx; i++)
        S[(size_t)i * (size_t)f->k + (size_t)c] -= F[(size_t)i * (size_t)nc + (size_t)l] * part;
    }
  }
  return DAE_OK;
}

/* |F C'| and the turn of the rows of C, by differences */
static void turning(int nx, int nc, const frame *one, const frame *two, double dt, const double *F,
                    dae_essential *out) {
  double sum = 0;
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      double entry = 0;
      for (int l = 0; l < nc; l++) {
        size_t at = (size_t)l * (size_t)nx + (size_t)j;
        entry += F[(size_t)i * (size_t)nc + (size_t)l] * (two->C[at] - one->C[at]);
      }
      sum += entry * entry;
    }
  out->fc = sqrt(sum) / fabs(dt);
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
}

double dae_choose_solution_rate(int n, const double *z, const double *d1, const double *d2,
                                double dt) {
  double z2 = norm2(n, z), v2 = norm2(n, d1), a2 = 0;
  for (int i = 0; i < n; i++) a2 += (d2[i] - d1[i]) * (d2[i] - d1[i]);
  a2 = sqrt(a2) / fabs(dt);
  double rate = z2 > 0 ? v2 / z2 : 0;
  return v2 > 1e-8 * z2 ? fmax(rate, a2 / v2) : rate;
}

static bool take_workspace(const dae_system *s, dae_pool *pool, workspace *w) {
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, ny = (size_t)s->ny, square = nx * nx + nz;
  struct {
    double **to;
    size_t count;
  } part[] = {{&w->one.C, ny * nx}, {&w->one.B, ny * nx}, {&w->one.R, square},
              {&w->two.C, ny * nx}, {&w->two.B, ny * nx}, {&w->two.R, square},
              {&w->J, nx * nz},     {&w->Q, square},      {&w->X, square},
              {&w->Y, square},      {&w->S, square},      {&w->AS, square},
              {&w->F, ny * nx},     {&w->CB, ny * ny},    {&w->K, (size_t)s->order * square},
              {&w->a, nz},          {&w->y, ny},          {&w->d1, nz},
              {&w->z2, nz},         {&w->d2, nz},         {&w->u, nz},
              {&w->w, nz},          {&w->unit, nx}};
  enum { PARTS = sizeof part / sizeof *part };
  size_t all = 0;
  for (int i = 0; i < PARTS; i++) all += part[i].count;
  double *room = dae_base_doubles(pool, all);
  w->pivot = dae_base_ints(pool, ny + 1);
  w->keep = dae_base_data(pool, ny + 1, sizeof *w->keep);
  if (pool->failed) return false;
  for (int i = 0; i < PARTS; room += part[i++].count) *part[i].to = room;
  return true;
}

/* how R turns between the two points: |R'| and |R' S| */
static void variable_part(int nx, double dt, workspace *w, dae_essential *out) {
  int k = w->one.k;
  align(nx, &w->one, &w->two, w->Q, w->X, w->Y);
  for (int i = 0; i < k * nx; i++) w->Q[i] = (w->two.R[i] - w->one.R[i]) / dt;
  out->turn_force = norm2(k * nx, w->Q);
  dae_la_matmul(k, nx, k, w->Q, w->S, w->X);
  out->variable = norm2(k * k, w->X);
}

/* at (t,z) itself, then at a point a little later along the motion */
static dae_status compute(dae_point *p, double t, const double *z, double dt, workspace *w,
                          dae_essential *out) {
  const dae_system *s = p->sys;
  dae_point_at(p, t, z);
  dae_status status = dae_point_accelerate(p, w->a, w->y);
  if (status != DAE_OK) return status;
  dae_problem_chain(s, z, w->a, w->d1);
  find_units(p, w->unit);
  int nc = look(p, true, w->keep, w->unit, w->Q, &w->one), nx = s->nx;
  status = splitting(nx, nc, &w->one, w->CB, w->pivot, w->F, w->S, out);
  if (status == DAE_OK) status = frozen_part(p, w);
  if (status != DAE_OK) return status;
  out->frozen = spectral_radius(s->order, w->one.k, w->K, w->u, w->w);
  for (int i = 0; i < s->nz; i++) w->z2[i] = z[i] + dt * w->d1[i];
  dae_point_at(p, t + dt, w->z2);
  status = dae_point_accelerate(p, w->u, NULL);
  if (status != DAE_OK) return status;
  dae_problem_chain(s, w->z2, w->u, w->d2);
  out->solution = dae_choose_solution_rate(s->nz, z, w->d1, w->d2, dt);
  if (nc == 0) return DAE_OK;
  look(p, false, w->keep, w->unit, w->Q, &w->two);
  turning(nx, nc, &w->one, &w->two, dt, w->F, out);
  if (w->one.k == w->two.k && w->one.k > 0) variable_part(nx, dt, w, out);
  return DAE_OK;
}

dae_status dae_choose_essential(dae_point *p, double t, const double *z, double horizon,
                                dae_essential *out) {
  const dae_system *s = p->sys;
  workspace w;
  dae_pool pool;
  *out = (dae_essential){0};
  if (s->nx > DAE_ESSENTIAL_MAX) return DAE_E_FORM;
  const bool digits = p->digits;
  dae_base_pool_init(&pool, &s->passing);
  p->digits = true;
  dae_status status =
      take_workspace(s, &pool, &w) ? compute(p, t, z, 1e-6 * horizon, &w, out) : DAE_E_MEMORY;
  p->digits = digits;
  dae_base_pool_free(&pool);
  return status;
}
