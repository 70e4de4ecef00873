/* the KKT system against its own equations: all back ends, dependent and vanishing rows */
#include "la/la.h"
#include "la_data.h"
#include "test.h"

enum { MOST = 140 };

static double M[MOST * MOST], G[MOST * MOST], K[MOST * MOST], p[MOST], r[MOST], a[MOST], y[MOST];

typedef struct kkt_case {
  dae_pool pool;
  dae_la_kkt *kkt;
  dae_la_kkt_info info;
  dae_la_kkt_shape shape;
} kkt_case;

static kkt_case begin(dae_la_kkt_shape shape) {
  kkt_case s = {.shape = shape};
  dae_base_pool_init(&s.pool, NULL);
  CHECK(dae_la_kkt_new(&s.kkt, &s.pool, &shape) == DAE_OK);
  return s;
}

static void end(kkt_case *s) {
  dae_la_kkt_free(s->kkt);
  dae_base_pool_free(&s->pool);
}

/* (M a)_i in whatever way M is given (dense for SPARSE) */
static double mass_times(const dae_la_kkt_shape *s, int i) {
  if (s->mass == DAE_LA_IDENTITY) return a[i];
  if (s->mass == DAE_LA_DIAGONAL) return M[i] * a[i];
  long double sum = 0;
  for (int j = 0; j < s->n; j++) sum += (long double)M[i * s->n + j] * a[j];
  return (double)sum;
}

/* solve for p and r and return max |M a + K y - p|, |G a - r| relative to the terms */
static double kkt_residual(const kkt_case *s) {
  int n = s->shape.n, rows = s->shape.rows;
  const double *Kt = s->shape.symmetric ? G : K;
  memcpy(a, p, sizeof a);
  memcpy(y, r, sizeof y);
  dae_la_kkt_solve(s->kkt, a, y);
  double top = 0;
  for (int i = 0; i < n; i++) {
    double sum = mass_times(&s->shape, i) - p[i], size = 1 + fabs(p[i]);
    for (int c = 0; c < rows; c++) {
      sum += Kt[c * n + i] * y[c];
      size += fabs(Kt[c * n + i] * y[c]);
    }
    top = fmax(top, fabs(sum) / size);
  }
  for (int c = 0; c < rows; c++) {
    double sum = -r[c], size = fabs(r[c]) + 1e-300;
    for (int j = 0; j < n; j++) {
      sum += G[c * n + j] * a[j];
      size += fabs(G[c * n + j] * a[j]);
    }
    top = fmax(top, fabs(sum) / size);
  }
  return isfinite(top) ? top : 1e300;
}

/* both at once gives the same as one after the other, and factors for further solves */
static void check_factor_solve(const kkt_case *s) {
  double a2[MOST], y2[MOST], worst = 0;
  dae_la_kkt_info info;
  memcpy(a2, p, sizeof a2);
  memcpy(y2, r, sizeof y2);
  CHECK(dae_la_kkt_factor_solve(s->kkt, M, G, K, false, a2, y2, &info) == DAE_OK);
  CHECK(info.rank == s->info.rank && info.row == s->info.row);
  dae_la_kkt_shorten(s->kkt, y2);
  for (int i = 0; i < s->shape.n; i++) worst = fmax(worst, fabs(a2[i] - a[i]) / (1 + fabs(a[i])));
  for (int i = 0; i < s->shape.rows; i++)
    worst = fmax(worst, fabs(y2[i] - y[i]) / (1 + fabs(y[i])));
  /* two orders of the same sums: they differ by the condition of S, below 1e5 here, times eps */
  CHECK(worst <= 1e-10);
  CHECK(kkt_residual(s) <= 1e-11);
}

static void fill_mass(const dae_la_kkt_shape *s) {
  int n = s->n;
  if (s->mass == DAE_LA_DIAGONAL)
    for (int i = 0; i < n; i++) M[i] = 0.1 + 3 * fabs(random_value());
  else if (s->mass_symmetric) fill_definite(n, M, 0.5);
  else
    for (int i = 0; i < n * n; i++) M[i] = random_value() + (i % (n + 1) == 0 ? n : 0);
}

static void fill_all(const dae_la_kkt_shape *s) {
  fill_mass(s);
  fill_random(s->rows * s->n, G);
  for (int i = 0; i < s->rows * s->n; i++) K[i] = G[i] + 0.3 * random_value();
  fill_random(s->n, p);
  fill_random(s->rows, r);
}

/* elimination is stable up to the condition of M and S, here below 1e4 */
static const double round_off = 1e-11;

static void test_all_dense_kinds(void) {
  static const int sizes[][2] = {{1, 0},   {1, 1},   {2, 1},  {3, 0},  {11, 1}, {6, 2},
                                 {4, 3},   {5, 5},   {7, 6},  {8, 4},  {9, 8},  {13, 12},
                                 {20, 11}, {29, 17}, {40, 9}, {75, 33}};
  for (unsigned t = 0; t < sizeof sizes / sizeof *sizes; t++)
    for (int kind = 0; kind < 7; kind++) {
      dae_la_kkt_shape shape = {.n = sizes[t][0], .rows = sizes[t][1], .mass_symmetric = kind != 6};
      shape.mass = kind % 3 == 0 ? DAE_LA_DENSE : kind % 3 == 1 ? DAE_LA_DIAGONAL : DAE_LA_IDENTITY;
      shape.symmetric = kind < 3;
      kkt_case s = begin(shape);
      for (int round = 0; round < 3; round++) {
        fill_all(&shape);
        CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_OK);
        CHECK(s.info.rank == shape.rows && s.info.row == -1 && !s.info.mass_singular);
        CHECK(kkt_residual(&s) <= round_off);
        check_factor_solve(&s);
      }
      /* a new G with the old M: M need not be given */
      fill_random(shape.rows * shape.n, G);
      memcpy(K, G, sizeof K);
      CHECK(dae_la_kkt_factor(s.kkt, NULL, G, K, true, &s.info) == DAE_OK);
      CHECK(kkt_residual(&s) <= 100 * round_off);
      end(&s);
    }
}

/* mass_solve is the system without rows, schur_solve and least the one with p = 0 */
static void test_parts(void) {
  for (int kind = 0; kind < 12; kind++) {
    int rows = kind < 6 ? 5 : 1;
    dae_la_kkt_shape shape = {
        .n = 11, .rows = rows, .mass_symmetric = true, .symmetric = kind % 6 < 3};
    shape.mass = kind % 3 == 0 ? DAE_LA_DENSE : kind % 3 == 1 ? DAE_LA_DIAGONAL : DAE_LA_IDENTITY;
    kkt_case s = begin(shape);
    fill_all(&shape);
    CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_OK);
    memcpy(a, p, sizeof a);
    dae_la_kkt_mass_solve(s.kkt, a);
    for (int i = 0; i < 11; i++) CHECK_NEAR(mass_times(&shape, i), p[i], round_off);
    double schur[5], zero[11] = {0}, minus[5], least[11];
    for (int i = 0; i < rows; i++) schur[i] = r[i], minus[i] = -r[i];
    dae_la_kkt_schur_solve(s.kkt, schur);
    dae_la_kkt_solve(s.kkt, zero, minus);
    for (int i = 0; i < rows; i++) CHECK_NEAR(schur[i], minus[i], round_off * (1 + fabs(schur[i])));
    fill_random(11, least);
    dae_la_kkt_least(s.kkt, r, least);
    for (int i = 0; i < 11; i++) CHECK_NEAR(least[i], -zero[i], round_off * (1 + fabs(zero[i])));
    end(&s);
  }
}

/* y is of minimum norm when it is orthogonal to every null vector: here rows u and v are duplicates
   up to a factor, so that e_u - e_v / factor is one */
static void check_duplicate(dae_la_kkt_shape shape, double factor, double unit) {
  int n = shape.n, rows = shape.rows, u = 1, v = rows - 1;
  kkt_case s = begin(shape);
  fill_all(&shape);
  for (int j = 0; j < n; j++)
    G[v * n + j] = factor * G[u * n + j], K[v * n + j] = factor * K[u * n + j];
  r[v] = factor * r[u];
  /* the row between them is in units of its own: its multiplier is tiny or huge beside the others,
     and acts no less */
  for (int j = 0; j < n; j++) G[2 * n + j] *= unit, K[2 * n + j] *= unit;
  r[2] *= unit;
  CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_OK);
  CHECK(s.info.rank == rows - 1);
  CHECK(s.info.row == u || s.info.row == v);
  CHECK(kkt_residual(&s) <= 10 * round_off);
  CHECK_NEAR(y[u] * factor, y[v], 1e-9 * (1 + fabs(y[u] * factor)));
  check_factor_solve(&s);
  /* the next regular system is not affected */
  fill_all(&shape);
  CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_OK);
  CHECK(s.info.rank == rows && s.info.row == -1);
  CHECK(kkt_residual(&s) <= round_off);
  end(&s);
}

static void test_duplicate_rows(void) {
  for (int kind = 0; kind < 6; kind++) {
    dae_la_kkt_shape shape = {.n = 12, .rows = 7, .mass_symmetric = true, .symmetric = kind < 3};
    shape.mass = kind % 3 == 0 ? DAE_LA_DENSE : kind % 3 == 1 ? DAE_LA_DIAGONAL : DAE_LA_IDENTITY;
    check_duplicate(shape, 1, 1);
    check_duplicate(shape, -2.5, 1);
    check_duplicate(shape, 0.03, 1);
    check_duplicate(shape, 0.4, 1e13);
    check_duplicate(shape, 0.4, 1e-13);
  }
}

/* more rows than unknowns, all consistent */
static void test_more_rows_than_unknowns(void) {
  for (int kind = 0; kind < 2; kind++) {
    dae_la_kkt_shape shape = {.n = 4, .rows = 9, .mass = DAE_LA_DENSE, .mass_symmetric = true};
    shape.symmetric = kind == 0;
    kkt_case s = begin(shape);
    fill_all(&shape);
    double exact[4];
    fill_random(4, exact);
    dae_la_mul(9, 4, G, exact, r);
    CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_OK);
    CHECK(s.info.rank == 4);
    CHECK(kkt_residual(&s) <= 10 * round_off);
    for (int i = 0; i < 4; i++) CHECK_NEAR(a[i], exact[i], 1e-10);
    end(&s);
  }
}

/* a row of any size counts; one that vanishes exactly does not; both are seen in `smallest` */
static void test_vanishing_row(void) {
  for (int kind = 0; kind < 3; kind++) {
    dae_la_kkt_shape shape = {.n = 8, .rows = 5, .mass_symmetric = true, .symmetric = true};
    shape.mass = kind == 0 ? DAE_LA_DENSE : kind == 1 ? DAE_LA_DIAGONAL : DAE_LA_IDENTITY;
    static const double sizes[] = {1, 1e-3, 1e-9, 1e-160};
    kkt_case s = begin(shape);
    fill_all(&shape);
    double row[8], before = 0;
    memcpy(row, G + 2 * 8, sizeof row);
    for (int t = 0; t < 4; t++) {
      for (int j = 0; j < 8; j++) G[16 + j] = sizes[t] * row[j];
      r[2] = 0.7 * sizes[t];
      CHECK(dae_la_kkt_factor(s.kkt, M, G, NULL, false, &s.info) == DAE_OK);
      CHECK(s.info.rank == 5 && s.info.row == -1);
      CHECK(kkt_residual(&s) <= 10 * round_off);
      if (t == 0) before = s.info.smallest;
      CHECK(s.info.smallest <= sizes[t] * (1 + 1e-12) &&
            s.info.smallest >= 0.99 * before * sizes[t]);
    }
    for (int j = 0; j < 8; j++) G[16 + j] = 0;
    r[2] = 0;
    CHECK(dae_la_kkt_factor(s.kkt, M, G, NULL, false, &s.info) == DAE_OK);
    CHECK(s.info.rank == 4 && s.info.row == 2);
    CHECK(kkt_residual(&s) <= 10 * round_off);
    CHECK(y[2] == 0);
    end(&s);
  }
}

/* one constraint has a way of its own: both ways must agree, also when the row is tiny or zero */
static void test_single_row(void) {
  static const double sizes[] = {1, 1e-9, 1e-160, 0};
  for (int kind = 0; kind < 2; kind++) {
    dae_la_kkt_shape shape = {.n = 5, .rows = 1, .mass_symmetric = true, .symmetric = true};
    shape.mass = kind ? DAE_LA_DIAGONAL : DAE_LA_IDENTITY;
    kkt_case s = begin(shape);
    fill_all(&shape);
    double row[5];
    memcpy(row, G, sizeof row);
    for (int t = 0; t < 4; t++) {
      for (int j = 0; j < 5; j++) G[j] = sizes[t] * row[j];
      r[0] = -0.3 * sizes[t];
      double a2[MOST], y2[MOST];
      memcpy(a2, p, sizeof a2);
      memcpy(y2, r, sizeof y2);
      CHECK(dae_la_kkt_factor_solve(s.kkt, M, G, NULL, t == 1, a2, y2, &s.info) == DAE_OK);
      CHECK(s.info.rank == (sizes[t] > 0));
      if (sizes[t] > 0) CHECK_NEAR(s.info.smallest / sizes[t], 1, 1e-12);
      CHECK(kkt_residual(&s) <= round_off); /* with the factors that were left */
      for (int i = 0; i < 5; i++) CHECK_NEAR(a2[i], a[i], 1e-13);
      CHECK_NEAR(y2[0], y[0], 1e-13 * fabs(y[0]));
    }
    end(&s);
  }
}

/* two rows at an angle t have the smallest singular value sqrt(2) sin(t/2) */
static void test_smallest(void) {
  dae_la_kkt_shape shape = {.n = 3, .rows = 2, .mass = DAE_LA_IDENTITY, .symmetric = true};
  kkt_case s = begin(shape);
  for (double t = 0.5; t > 1e-12; t *= 0.1) {
    double rows[6] = {2.5, 0, 0, 0.3 * cos(t), 0.3 * sin(t), 0};
    memcpy(G, rows, sizeof rows);
    double exact[3] = {0.4, -1.3, 0.9};
    dae_la_mul(2, 3, G, exact, r);
    memcpy(p, exact, sizeof exact);
    p[2] = 0.11;
    CHECK(dae_la_kkt_factor(s.kkt, NULL, G, NULL, false, &s.info) == DAE_OK);
    CHECK(kkt_residual(&s) <= 1e-12);
    if (s.info.rank == 2) {
      double sigma = sqrt(2) * sin(t / 2);
      /* the pivot is sin(t), an upper bound that cannot be more than sqrt(2) off for two rows */
      CHECK(s.info.smallest >= 0.99 * sigma && s.info.smallest <= 1.5 * sigma);
      /* a is the exact solution, and the error of a must stay below eps / sigma */
      CHECK_NEAR(a[1], exact[1], 1e-15 * 50 / sigma);
    } else {
      CHECK(t < 1e-5 && s.info.row == 1);
      /* left out, the second row is missed by no more than sigma |y| with y = 0 here */
      CHECK_NEAR(a[1], exact[1], 1e-6);
    }
    CHECK((t > 1e-5) <= (s.info.rank == 2));
  }
  end(&s);
}

static void test_singular_mass(void) {
  for (int kind = 0; kind < 4; kind++) {
    dae_la_kkt_shape shape = {
        .n = 6, .rows = 2, .mass_symmetric = kind != 3, .symmetric = kind < 2};
    shape.mass = kind == 1 ? DAE_LA_DIAGONAL : DAE_LA_DENSE;
    kkt_case s = begin(shape);
    fill_all(&shape);
    if (kind == 1) M[4] = 0;
    else
      for (int i = 0; i < 6; i++) M[4 * 6 + i] = M[i * 6 + 4] = 0;
    CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_E_SINGULAR);
    CHECK(s.info.mass_singular && s.info.row == 4);
    /* the failure is not kept */
    fill_all(&shape);
    CHECK(dae_la_kkt_factor(s.kkt, M, G, K, true, &s.info) == DAE_OK);
    CHECK(kkt_residual(&s) <= round_off);
    end(&s);
  }
}

static void test_not_a_number(void) {
  for (int kind = 0; kind < 2; kind++) {
    dae_la_kkt_shape shape = {.n = 6, .rows = 3, .mass = DAE_LA_DENSE, .mass_symmetric = true};
    shape.symmetric = kind == 0;
    kkt_case s = begin(shape);
    fill_all(&shape);
    G[4] = NAN;
    CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_E_SINGULAR);
    CHECK(!s.info.mass_singular);
    G[4] = 0.25;
    M[0] = NAN;
    CHECK(dae_la_kkt_factor(s.kkt, M, G, K, false, &s.info) == DAE_E_SINGULAR);
    CHECK(s.info.mass_singular);
    end(&s);
  }
}

/* what dae_la_kkt_notices promises, for every entry that is read: M is symmetric, its lower
   triangle is enough */
static void test_notices(void) {
  static const double none[] = {NAN, INFINITY, -INFINITY};
  for (int kind = 0; kind < 4; kind++)
    for (int k = 0; k < 3; k++) {
      dae_la_kkt_shape shape = {
          .n = 7, .rows = kind < 3 ? 5 : 1, .mass_symmetric = true, .symmetric = true};
      shape.mass = kind == 0 ? DAE_LA_DENSE : kind == 1 ? DAE_LA_IDENTITY : DAE_LA_DIAGONAL;
      int masses = kind == 0 ? 49 : kind == 1 ? 0 : 7, all = masses + shape.rows * 7;
      for (int i = 0; i < all; i++) {
        if (kind == 0 && i < 49 && i % 7 > i / 7) continue;
        kkt_case s = begin(shape);
        CHECK(dae_la_kkt_notices(s.kkt));
        fill_all(&shape);
        *(i < masses ? &M[i] : &G[i - masses]) = none[k];
        dae_status status = dae_la_kkt_factor_solve(s.kkt, M, G, NULL, false, p, r, &s.info);
        CHECK(status != DAE_OK || s.info.rank < shape.rows || !dae_base_finite(p, 7));
        end(&s);
      }
    }
}

static void test_bad_shapes(void) {
  int start[] = {0, 1, 2}, column[] = {0, 1};
  dae_pattern two = {2, 2, start, column};
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_kkt *k;
  CHECK(dae_la_kkt_new(&k, &pool, &(dae_la_kkt_shape){.n = -1}) == DAE_E_INPUT && !k);
  CHECK(dae_la_kkt_new(&k, &pool, &(dae_la_kkt_shape){.n = 3, .rows = 2, .pattern = &two}) ==
        DAE_E_INPUT);
  CHECK(dae_la_kkt_new(&k, &pool, &(dae_la_kkt_shape){.n = 2, .mass = DAE_LA_SPARSE}) ==
        DAE_E_INPUT);
  dae_la_kkt_free(NULL);
  dae_base_pool_free(&pool);
}

int main(void) {
  RUN(test_all_dense_kinds);
  RUN(test_parts);
  RUN(test_duplicate_rows);
  RUN(test_more_rows_than_unknowns);
  RUN(test_vanishing_row);
  RUN(test_single_row);
  RUN(test_smallest);
  RUN(test_singular_mass);
  RUN(test_not_a_number);
  RUN(test_notices);
  RUN(test_bad_shapes);
  return TEST_END();
}
