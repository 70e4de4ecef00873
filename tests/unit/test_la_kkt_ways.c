/* KKT systems that have several back ends: large dense ones by blocks, dense ones with few entries;
   what makes a back end step aside; the equations themselves are the reference */
#include <string.h>

#include "kkt_data.h"
#include "test.h"

typedef struct full {
  int n, rows;
  double *M, *G, *p, *r, *a, *y;
} full;

static full full_new(int n, int rows) {
  size_t columns = (size_t)n, high = (size_t)rows;
  full f = {.n = n, .rows = rows};
  f.M = calloc(columns * columns, sizeof *f.M);
  f.G = calloc(high * columns, sizeof *f.G);
  f.p = calloc(columns, sizeof *f.p), f.a = calloc(columns, sizeof *f.a);
  f.r = calloc(high, sizeof *f.r), f.y = calloc(high, sizeof *f.y);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double value = i == j ? 1.7 + 0.4 * random_value() : 0.9 / n * random_value();
      f.M[(size_t)i * columns + (size_t)j] = f.M[(size_t)j * columns + (size_t)i] = value;
    }
  fill_random(n, f.p);
  fill_random(rows, f.r);
  return f;
}

static void full_free(full *f) {
  free(f->M), free(f->G), free(f->p), free(f->r), free(f->a), free(f->y);
}

/* max |M a + G'y - p| and |G a - r| */
static double left(const full *f) {
  size_t n = (size_t)f->n;
  double top = 0;
  for (int i = 0; i < f->n; i++) {
    long double sum = -f->p[i];
    for (int j = 0; j < f->n; j++) sum += (long double)f->M[(size_t)i * n + (size_t)j] * f->a[j];
    for (int r = 0; r < f->rows; r++) sum += (long double)f->G[(size_t)r * n + (size_t)i] * f->y[r];
    top = fmax(top, fabs((double)sum));
  }
  for (int r = 0; r < f->rows; r++) {
    long double sum = -f->r[r];
    for (int j = 0; j < f->n; j++) sum += (long double)f->G[(size_t)r * n + (size_t)j] * f->a[j];
    top = fmax(top, fabs((double)sum));
  }
  return top;
}

static double solved(full *f, dae_la_kkt *k) {
  memcpy(f->a, f->p, (size_t)f->n * sizeof *f->a);
  memcpy(f->y, f->r, (size_t)f->rows * sizeof *f->y);
  dae_la_kkt_solve(k, f->a, f->y);
  return left(f);
}

/* the other calls against the solution itself: with p = 0, with S alone, with M alone */
static void check_parts(full *f, dae_la_kkt *k) {
  double *p = calloc((size_t)f->n, sizeof *p), *r = calloc((size_t)f->rows, sizeof *r);
  /* M^-1 G' S^-1 r is the a of p = 0 */
  memset(f->a, 0, (size_t)f->n * sizeof *f->a);
  memcpy(f->y, f->r, (size_t)f->rows * sizeof *f->y);
  dae_la_kkt_solve(k, f->a, f->y);
  memcpy(r, f->r, (size_t)f->rows * sizeof *r);
  dae_la_kkt_least(k, r, p);
  for (int i = 0; i < f->n; i++) CHECK_NEAR(p[i], f->a[i], 1e-12);
  memcpy(r, f->r, (size_t)f->rows * sizeof *r);
  dae_la_kkt_schur_solve(k, r);
  for (int i = 0; i < f->rows; i++) CHECK_NEAR(r[i], -f->y[i], 1e-11);
  memcpy(p, f->p, (size_t)f->n * sizeof *p);
  dae_la_kkt_mass_solve(k, p);
  for (int i = 0; i < f->n; i += 7) {
    double sum = -f->p[i];
    for (int j = 0; j < f->n; j++) sum += f->M[(size_t)i * (size_t)f->n + (size_t)j] * p[j];
    CHECK_NEAR(sum, 0, 1e-12);
  }
  free(p), free(r);
}

/* sizes around blocks and their parts; then M as before with another G; then rows that depend, an
   M that is not positive, and numbers that are none */
static void test_blocks(void) {
  static const int size[][2] = {{256, 64}, {257, 63}, {300, 101}, {319, 1}, {330, 0}, {200, 197}};
  for (size_t c = 0; c < sizeof size / sizeof *size; c++) {
    const int n = size[c][0], rows = size[c][1];
    full f = full_new(n, rows);
    fill_random(rows * n, f.G);
    dae_la_kkt_shape shape = {n, rows, DAE_LA_DENSE, .mass_symmetric = true, .symmetric = true};
    dae_pool pool;
    dae_la_kkt *k;
    dae_la_kkt_info info;
    dae_base_pool_init(&pool, NULL);
    CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
    memcpy(f.a, f.p, (size_t)n * sizeof *f.a), memcpy(f.y, f.r, (size_t)rows * sizeof *f.y);
    CHECK(dae_la_kkt_factor_solve(k, f.M, f.G, NULL, false, f.a, f.y, &info) == DAE_OK);
    /* rounding of some hundred terms, times the condition of random rows */
    CHECK_NEAR(left(&f), 0, 1e-10);
    CHECK(info.rank == rows && info.row == -1 && info.smallest > 0 && info.smallest <= 1);
    check_parts(&f, k);
    if (rows > 0) f.G[n / 2] += 0.37;
    CHECK(dae_la_kkt_factor(k, f.M, f.G, NULL, true, &info) == DAE_OK);
    CHECK_NEAR(solved(&f, k), 0, 1e-10);
    double *last = rows > 0 ? f.G + (size_t)(rows - 1) * (size_t)n : f.G;
    if (rows > 1) {
      memcpy(last, f.G, (size_t)n * sizeof *f.G);
      f.r[rows - 1] = f.r[0];
      CHECK(dae_la_kkt_factor(k, f.M, f.G, NULL, true, &info) == DAE_OK);
      CHECK(info.rank == rows - 1);
      CHECK_NEAR(solved(&f, k), 0, 1e-10);
      /* and away from it again: what another back end did in between leaves no trace */
      fill_random(n, last);
      CHECK(dae_la_kkt_factor(k, f.M, f.G, NULL, true, &info) == DAE_OK);
      CHECK(info.rank == rows);
      CHECK_NEAR(solved(&f, k), 0, 1e-10);
      last[n - 1] = NAN;
      dae_status status = dae_la_kkt_factor(k, f.M, f.G, NULL, true, &info);
      CHECK(status != DAE_OK || info.rank < rows || !isfinite(solved(&f, k)));
      last[n - 1] = 0.2;
    }
    f.M[(size_t)(n - 2) * (size_t)(n + 1)] = -0.3;
    CHECK(dae_la_kkt_factor(k, f.M, f.G, NULL, false, &info) == DAE_E_SINGULAR);
    CHECK(info.mass_singular && info.row == n - 2);
    dae_la_kkt_free(k);
    dae_base_pool_free(&pool);
    full_free(&f);
  }
}

/* a chain written as dense matrices, M with blocks of two; an entry where there was none, and back
   again */
static void test_places(void) {
  sparse s = make_chain(30);
  full f = full_new(s.n, s.rows);
  const size_t n = (size_t)s.n;
  int start[61], column[120];
  for (int r = 0; r < s.rows; r++)
    for (int e = s.start[r]; e < s.start[r + 1]; e++)
      f.G[(size_t)r * n + (size_t)s.column[e]] = s.values[e];
  for (int i = 0; i <= s.n; i++) start[i] = 2 * i;
  for (int i = 0; i < s.n; i++) column[2 * i] = i & ~1, column[2 * i + 1] = i | 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) f.M[i * n + j] *= i / 2 == j / 2;
  dae_pattern mass = {s.n, s.n, start, column};
  dae_la_kkt_shape shape = {s.n,
                            s.rows,
                            DAE_LA_DENSE,
                            .mass_symmetric = true,
                            .symmetric = true,
                            .found = &s.pattern,
                            .mass_found = &mass};
  dae_pool pool;
  dae_la_kkt *k;
  dae_la_kkt_info info;
  dae_base_pool_init(&pool, NULL);
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
  for (int round = 0; round < 6; round++) {
    /* in G, in M, in both, in none */
    double *in_G = f.G + 3 * n + 41, *in_M = f.M + 5 * n + 50, *below = f.M + 50 * n + 5;
    *in_G = round % 4 == 1 || round % 4 == 3 ? 0.4 : 0;
    *in_M = *below = round % 4 >= 2 ? -0.2 : 0;
    for (int again = 0; again < 2; again++) {
      CHECK(dae_la_kkt_factor(k, f.M, f.G, NULL, again == 1, &info) == DAE_OK);
      CHECK(info.rank == s.rows);
      CHECK_NEAR(solved(&f, k), 0, 1e-12);
      /* an entry that comes while M stays */
      *in_G = 0.3 - *in_G;
    }
  }
  /* the largest length of a row is known to whoever goes on */
  double before = dae_la_kkt_lengths(k)[4];
  f.G[3 * n + 41] = f.G[3 * n + 41] == 0 ? 0.4 : 0;
  for (size_t j = 0; j < n; j++) f.G[4 * n + j] *= 0.5;
  CHECK(dae_la_kkt_factor(k, f.M, f.G, NULL, true, &info) == DAE_OK);
  CHECK_NEAR(dae_la_kkt_lengths(k)[4] / before, 1, 1e-12);
  /* the smallest singular value is seen against that length: it has halved at most */
  CHECK(info.smallest < 0.51);
  f.G[7 * n + 59] = NAN;
  dae_status status = dae_la_kkt_factor(k, f.M, f.G, NULL, true, &info);
  CHECK(status != DAE_OK || info.rank < s.rows || !isfinite(solved(&f, k)));
  dae_la_kkt_free(k);
  dae_base_pool_free(&pool);
  full_free(&f);
  sparse_free(&s);
}

int main(void) {
  RUN(test_blocks);
  RUN(test_places);
  return TEST_END();
}
