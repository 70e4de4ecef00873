/* dense KKT systems of every small size: against an elimination in higher precision, and the same
   numbers to the last bit with wide registers and without */
#include "la/la.h"
#include "la_data.h"
#include "test.h"

enum { MOST = 12, ALL = 2 * MOST };

typedef enum kind { FULL, GROUPS, DIAGONAL, IDENTITY, KINDS } kind;

static double M[MOST * MOST], G[MOST * MOST], p[MOST], r[MOST];

/* parts of one to three unknowns, so that groups begin anywhere */
static void fill_groups(int n) {
  double whole[MOST * MOST];
  fill_definite(n, whole, 0.5);
  memset(M, 0, sizeof M);
  for (int first = 0, part = 1; first < n; first += part, part = part % 3 + 1)
    for (int i = first; i < first + part && i < n; i++)
      for (int j = first; j < first + part && j < n; j++) M[i * n + j] = whole[i * n + j];
}

static dae_la_kkt_shape fill_case(kind k, int n, int rows) {
  dae_la_kkt_shape shape = {.n = n, .rows = rows, .mass_symmetric = true, .symmetric = true};
  static const dae_la_mass mass[] = {DAE_LA_DENSE, DAE_LA_DENSE, DAE_LA_DIAGONAL, DAE_LA_IDENTITY};
  shape.mass = mass[k];
  if (k == FULL) fill_definite(n, M, 0.5);
  if (k == GROUPS) fill_groups(n);
  for (int i = 0; i < n && k == DIAGONAL; i++) M[i] = 0.2 + fabs(random_value());
  fill_random(n * rows, G);
  fill_random(n, p);
  fill_random(rows, r);
  return shape;
}

/* [M G'; G 0] x = [p; r] by elimination with pivots in long double */
static void reference(const dae_la_kkt_shape *s, double *x) {
  long double A[ALL][ALL + 1] = {{0}};
  int n = s->n, all = n + s->rows;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n && s->mass == DAE_LA_DENSE; j++) A[i][j] = M[i * n + j];
    if (s->mass != DAE_LA_DENSE) A[i][i] = s->mass == DAE_LA_DIAGONAL ? M[i] : 1;
    for (int c = 0; c < s->rows; c++) A[i][n + c] = A[n + c][i] = G[c * n + i];
    A[i][all] = p[i];
  }
  for (int c = 0; c < s->rows; c++) A[n + c][all] = r[c];
  for (int k = 0; k < all; k++) {
    int best = k;
    for (int i = k; i < all; i++)
      if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
    for (int j = 0; j <= all; j++) {
      long double t = A[k][j];
      A[k][j] = A[best][j], A[best][j] = t;
    }
    for (int i = 0; i < all; i++)
      for (int j = all; j >= k && i != k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  }
  for (int i = 0; i < all; i++) x[i] = (double)(A[i][all] / A[i][i]);
}

/* what an object says about the case: solutions by every way, and its information */
typedef struct answer {
  double once[ALL], apart[ALL], least[ALL], again[ALL], mass[MOST];
  dae_la_kkt_info info;
} answer;

static void solve_all(dae_la_kkt *k, const dae_la_kkt_shape *s, answer *a) {
  size_t n = (size_t)s->n * sizeof *p, rows = (size_t)s->rows * sizeof *r;
  memset(a, 0, sizeof *a);
  memcpy(a->once, p, n), memcpy(a->once + s->n, r, rows);
  CHECK(dae_la_kkt_factor_solve(k, M, G, NULL, false, a->once, a->once + s->n, &a->info) == DAE_OK);
  memcpy(a->apart, p, n), memcpy(a->apart + s->n, r, rows);
  dae_la_kkt_solve(k, a->apart, a->apart + s->n);
  memcpy(a->least + s->n, r, rows);
  dae_la_kkt_least(k, a->least + s->n, a->least);
  memcpy(a->mass, p, n);
  dae_la_kkt_mass_solve(k, a->mass);
  /* the mass need not be given when it is the same */
  memcpy(a->again, p, n), memcpy(a->again + s->n, r, rows);
  CHECK(dae_la_kkt_factor_solve(k, NULL, G, NULL, true, a->again, a->again + s->n, &a->info) ==
        DAE_OK);
}

static dae_la_kkt *make(dae_pool *pool, dae_la_kkt_shape shape, bool narrow) {
  dae_la_kkt *k;
  shape.narrow = narrow;
  dae_base_pool_init(pool, NULL);
  CHECK(dae_la_kkt_new(&k, pool, &shape) == DAE_OK);
  return k;
}

/* |x - y| relative to the largest number */
static double distance(int n, const double *x, const double *y) {
  double top = 1e-300, far = 0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(y[i])), far = fmax(far, fabs(x[i] - y[i]));
  return far / top;
}

static void check_case(kind k, int n, int rows) {
  dae_la_kkt_shape shape = fill_case(k, n, rows);
  dae_pool pool[2];
  answer a[2];
  double x[ALL], minus[ALL];
  int all = n + rows;
  for (int narrow = 0; narrow < 2; narrow++) {
    solve_all(make(&pool[narrow], shape, narrow), &shape, &a[narrow]);
    dae_base_pool_free(&pool[narrow]);
  }
  CHECK(memcmp(&a[0], &a[1], sizeof a[0]) == 0);
  reference(&shape, x);
  /* square random G have conditions up to 1e3 here, S their square: 1e6 eps, and room */
  CHECK(distance(all, a[0].once, x) <= 1e-8);
  CHECK(distance(all, a[0].apart, x) <= 1e-8);
  CHECK(distance(all, a[0].again, x) <= 1e-8);
  CHECK(a[0].info.rank == rows && a[0].info.row == -1);
  /* with p = 0 the solution is the least change */
  memset(p, 0, sizeof p);
  reference(&shape, minus);
  CHECK(distance(n, a[0].least, minus) <= 1e-8);
}

static void test_every_size(void) {
  for (int n = 1; n <= MOST; n++)
    for (int rows = 0; rows <= n; rows++)
      for (int k = 0; k < KINDS; k++) check_case((kind)k, n, rows);
}

/* mass_solve alone: M a = p */
static void test_mass(void) {
  for (int n = 1; n <= MOST; n++)
    for (int k = FULL; k <= GROUPS; k++) {
      dae_la_kkt_shape shape = fill_case((kind)k, n, 0);
      dae_pool pool;
      answer a;
      double x[ALL];
      solve_all(make(&pool, shape, false), &shape, &a);
      reference(&shape, x);
      /* conditions of M below 1e3 */
      CHECK(distance(n, a.mass, x) <= 1e-12);
      dae_base_pool_free(&pool);
    }
}

/* the numbers depend on the matrix alone, not on those that the object saw before: groups come and
   go with the zeros of M */
static void test_no_memory(void) {
  for (int n = 2; n <= MOST; n++) {
    int rows = (n + 1) / 2;
    dae_pool pool, fresh;
    answer before, a;
    dae_la_kkt_shape shape = fill_case(FULL, n, rows);
    dae_la_kkt *old = make(&pool, shape, false);
    for (int round = 0; round < 6; round++) {
      shape = fill_case(round % 2 ? FULL : GROUPS, n, rows);
      /* one more zero: the groups may change */
      if (round == 4) M[1] = M[n] = 0;
      memset(dae_la_kkt_lengths(old), 0, (size_t)rows * sizeof *r);
      solve_all(old, &shape, &before);
      solve_all(make(&fresh, shape, false), &shape, &a);
      CHECK(memcmp(&a, &before, sizeof a) == 0);
      dae_base_pool_free(&fresh);
    }
    dae_base_pool_free(&pool);
  }
}

/* row `at` := a sum of two of the rows before, with coefficients in null, e_at less them */
static void make_dependent(int n, int at, double *null) {
  int i = at % 2 ? 0 : at / 2, j = at - 1;
  double c = 0.7 + random_value() / 3, e = i == j ? 0 : -1.6 + random_value() / 3;
  for (int k = 0; k < n; k++) G[at * n + k] = c * G[i * n + k] + e * G[j * n + k];
  r[at] = c * r[i] + e * r[j];
  null[at] = 1;
  null[i] -= c;
  null[j] -= e;
}

/* rows that depend on others, anywhere: the motion is that without them, and y is orthogonal to
   the vectors that do nothing */
static void check_dependent(kind k, int n, int rows, int step) {
  dae_la_kkt_shape shape = fill_case(k, n, rows), fewer = shape;
  double null[MOST][MOST] = {{0}}, x[ALL];
  int missing = 0;
  for (int at = 1 + rows % 2; at < rows; at += step) make_dependent(n, at, null[missing++]);
  answer a[2];
  for (int narrow = 0; narrow < 2; narrow++) {
    dae_pool pool;
    dae_la_kkt *kkt = make(&pool, shape, narrow);
    solve_all(kkt, &shape, &a[narrow]);
    dae_la_kkt_shorten(kkt, a[narrow].again + n);
    dae_base_pool_free(&pool);
  }
  CHECK(memcmp(&a[0], &a[1], sizeof a[0]) == 0);
  CHECK(a[0].info.rank == rows - missing && a[0].info.row == 1 + rows % 2);
  const double *y[] = {a[0].apart + n, a[0].again + n};
  for (int way = 0; way < 2; way++)
    for (int m = 0; m < missing; m++) {
      double product = 0, size = 0;
      for (int i = 0; i < rows; i++)
        product += null[m][i] * y[way][i], size += fabs(null[m][i] * y[way][i]);
      /* rounding, times the condition of the null vectors and of S */
      CHECK(fabs(product) <= 1e-9 * (size + 1e-3));
    }
  /* the rows that count, alone */
  fewer.rows = 0;
  for (int i = 0, gone = 1 + rows % 2; i < rows; i++) {
    if (i == gone) {
      gone += step;
      continue;
    }
    memmove(G + fewer.rows * n, G + i * n, (size_t)n * sizeof *G);
    r[fewer.rows++] = r[i];
  }
  reference(&fewer, x);
  CHECK(distance(n, a[0].once, x) <= 1e-8);
  CHECK(distance(n, a[0].apart, x) <= 1e-8);
}

static void test_dependent_rows(void) {
  for (int n = 3; n <= MOST; n++)
    for (int rows = 2; rows <= n; rows++)
      for (int k = 0; k < KINDS; k++)
        for (int step = 2; step < 7; step += 2) check_dependent((kind)k, n, rows, step);
}

/* a row that depends, and two others at an angle t: whatever counts as dependent, the accelerations
   are those of the exact constraints up to the worse of rounding/t and what leaving out a row at
   that angle makes, and the rank falls by one more somewhere below 1e-5 */
static void test_nearly_dependent(void) {
  enum { N = 9, ROWS = 6 };
  for (double t = 0.1; t > 1e-13; t *= 0.3) {
    dae_la_kkt_shape shape = fill_case(DIAGONAL, N, ROWS);
    double exact[N], null[MOST] = {0}, found[N], y[ROWS];
    dae_la_kkt_info info;
    dae_pool pool;
    for (int j = 0; j < N; j++) G[4 * N + j] = G[2 * N + j] + t * G[4 * N + j];
    make_dependent(N, 1, null);
    fill_random(N, exact);
    dae_la_mul(ROWS, N, G, exact, r);
    for (int j = 0; j < N; j++) p[j] = M[j] * exact[j];
    memcpy(found, p, sizeof found), memcpy(y, r, sizeof y);
    dae_la_kkt *k = make(&pool, shape, false);
    CHECK(dae_la_kkt_factor_solve(k, M, G, NULL, false, found, y, &info) == DAE_OK);
    CHECK(info.rank == ROWS - 1 || info.rank == ROWS - 2);
    CHECK((t > 1e-5) <= (info.rank == ROWS - 1));
    CHECK((t < 1e-9) <= (info.rank == ROWS - 2));
    /* y is zero here, so that a row left out is missed by rounding only */
    CHECK(distance(N, found, exact) <= 1e-13 / (info.rank == ROWS - 1 ? t : 1e-5));
    dae_base_pool_free(&pool);
  }
}

int main(void) {
  RUN(test_every_size);
  RUN(test_mass);
  RUN(test_no_memory);
  RUN(test_dependent_rows);
  RUN(test_nearly_dependent);
  return TEST_END();
}
