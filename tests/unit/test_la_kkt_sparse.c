/* sparse KKT systems: chains, loops, nets, dependent rows; against the dense back end and the
   equations */
#include "kkt_data.h"
#include "test.h"

/* factoring and solving in one call is the same as in two, and the least change of p = 0 is what
   p = 0 solves for; sums in another order, so that rounding times the condition of S, below 1e6
   here, may differ. Expects a and y from r and p. */
static void check_other_calls(const sparse *s, const vectors *v, dae_la_kkt *k) {
  double *a = malloc((size_t)s->n * sizeof *a), *y = malloc((size_t)s->rows * sizeof *y);
  double *b = calloc((size_t)s->n, sizeof *b), *x = malloc((size_t)s->rows * sizeof *x);
  const double tol = 1e-10 * (1 + largest(s->rows, v->y));
  dae_la_kkt_info info;
  memcpy(a, v->p, (size_t)s->n * sizeof *a);
  memcpy(y, v->r, (size_t)s->rows * sizeof *y);
  CHECK(dae_la_kkt_factor_solve(k, v->m, s->values, NULL, true, a, y, &info) == DAE_OK);
  dae_la_kkt_shorten(k, y);
  for (int i = 0; i < s->n; i++) CHECK_NEAR(a[i], v->a[i], tol);
  for (int i = 0; i < s->rows; i++) CHECK_NEAR(y[i], v->y[i], tol);
  memcpy(y, v->r, (size_t)s->rows * sizeof *y);
  memcpy(x, v->r, (size_t)s->rows * sizeof *x);
  dae_la_kkt_least(k, y, a);
  dae_la_kkt_solve(k, b, x);
  for (int i = 0; i < s->n; i++) CHECK_NEAR(a[i], b[i], tol);
  free(a), free(b), free(x), free(y);
}

/* factor and solve with diagonal M; returns the residual relative to the multipliers */
static double run_diagonal(const sparse *s, const vectors *v, dae_la_kkt_info *info) {
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_kkt *k;
  dae_la_kkt_shape shape = {.n = s->n,
                            .rows = s->rows,
                            .mass = DAE_LA_DIAGONAL,
                            .mass_symmetric = true,
                            .symmetric = true,
                            .pattern = &s->pattern};
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
  for (int round = 0; round < 2; round++)
    CHECK(dae_la_kkt_factor(k, v->m, s->values, NULL, false, info) == DAE_OK);
  memcpy(v->a, v->p, (size_t)s->n * sizeof(double));
  memcpy(v->y, v->r, (size_t)s->rows * sizeof(double));
  dae_la_kkt_solve(k, v->a, v->y);
  check_other_calls(s, v, k);
  dae_la_kkt_free(k);
  dae_base_pool_free(&pool);
  return equations(s, v, s->values, false) / (1 + largest(s->rows, v->y));
}

/* the equations hold to rounding: eps times the few terms of a row, with room for growth in S */
static void test_shapes(void) {
  sparse cases[] = {make_chain(200), make_chain(5000),  make_ring(301, 1),    make_ring(1001, 380),
                    make_net(12),    make_star(300),    make_space_chain(90), make_net(40),
                    make_chain(201), make_ropes(177, 9)};
  for (int t = 0; t < 10; t++) {
    sparse *s = &cases[t];
    vectors v = vectors_new(s);
    dae_la_kkt_info info;
    CHECK(run_diagonal(s, &v, &info) <= 1e-12);
    CHECK(info.rank == s->rows && info.row == -1 && info.smallest > 0 && info.smallest <= 1);
    vectors_free(&v);
    sparse_free(s);
  }
}

/* row u once more as the last one, times factor, with a right-hand side that agrees */
static void duplicate(sparse *s, vectors *v, int u, double factor) {
  int last = s->rows - 1;
  s->count = s->start[last];
  for (int e = s->start[u]; e < s->start[u + 1]; e++, s->count++) {
    s->column[s->count] = s->column[e];
    s->values[s->count] = factor * s->values[e];
  }
  s->start[last + 1] = s->count;
  v->r[last] = factor * v->r[u];
}

/* dense and sparse must agree to the condition of S times eps; nothing here is worse than 1e6 */
static void check_agrees(int points, int step, bool twice) {
  sparse s = make_ring(points, step);
  int n = s.n, rows = s.rows;
  vectors v = vectors_new(&s);
  if (twice) duplicate(&s, &v, points / 2, 1.3);
  dae_la_kkt_info one, two;
  run_diagonal(&s, &v, &one);
  double *G = calloc((size_t)(n * rows), sizeof *G), *a = malloc((size_t)n * 8),
         *y = malloc((size_t)rows * 8);
  for (int r = 0; r < rows; r++)
    for (int e = s.start[r]; e < s.start[r + 1]; e++) G[r * n + s.column[e]] = s.values[e];
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_kkt *k;
  dae_la_kkt_shape shape = {
      .n = n, .rows = rows, .mass = DAE_LA_DIAGONAL, .mass_symmetric = true, .symmetric = true};
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
  CHECK(dae_la_kkt_factor(k, v.m, G, NULL, false, &two) == DAE_OK);
  memcpy(a, v.p, (size_t)n * 8);
  memcpy(y, v.r, (size_t)rows * 8);
  dae_la_kkt_solve(k, a, y);
  CHECK(one.rank == two.rank && one.rank == rows - twice);
  for (int i = 0; i < n; i++) CHECK_NEAR(v.a[i], a[i], 1e-10 * (1 + fabs(a[i])));
  for (int i = 0; i < rows; i++) CHECK_NEAR(v.y[i], y[i], 1e-10 * (1 + fabs(y[i])));
  dae_base_pool_free(&pool);
  free(G);
  free(a);
  free(y);
  vectors_free(&v);
  sparse_free(&s);
}

/* also where small systems change from one to the other */
static void test_agrees_with_dense(void) {
  check_agrees(45, 7, false);
  for (int points = 5; points < 24; points++)
    for (int twice = 0; twice < 2; twice++) check_agrees(points, 1 + points % 2, twice);
}

static void test_duplicate(void) {
  sparse cases[] = {make_chain(300), make_star(150), make_net(40)};
  for (int t = 0; t < 3; t++) {
    sparse *s = &cases[t];
    vectors v = vectors_new(s);
    int u = 77, last = s->rows - 1;
    duplicate(s, &v, u, -1.5);
    dae_la_kkt_info info;
    CHECK(run_diagonal(s, &v, &info) <= 1e-10);
    CHECK(info.rank == s->rows - 1);
    CHECK(info.row == u || info.row == last);
    /* minimum norm: y orthogonal to the null vector e_u + e_last / 1.5; by refinement to 1e-6 or
       better */
    CHECK_NEAR(v.y[last], -1.5 * v.y[u], 1e-6 * (1 + fabs(v.y[u])));
    vectors_free(&v);
    sparse_free(s);
  }
}

/* two rows more than there should be, one of them empty */
static void test_two_missing(void) {
  sparse s = make_chain(120);
  vectors v = vectors_new(&s);
  duplicate(&s, &v, 40, 2);
  for (int e = s.start[90]; e < s.start[91]; e++) s.values[e] = 0;
  v.r[90] = 0;
  dae_la_kkt_info info;
  CHECK(run_diagonal(&s, &v, &info) <= 1e-10);
  CHECK(info.rank == s.rows - 2 && (info.row == 90 || info.row == 40));
  CHECK_NEAR(v.y[90], 0, 1e-12);
  CHECK_NEAR(v.y[s.rows - 1], 2 * v.y[40], 1e-9 * (1 + fabs(v.y[40])));
  vectors_free(&v);
  sparse_free(&s);
}

/* a sparse M, and K other than G': the LU of the whole */
static void check_whole(int points, bool symmetric) {
  sparse s = make_chain(points);
  int n = s.n, *start = malloc((size_t)(n + 1) * 4), *column = malloc((size_t)n * 12), at = 0;
  double *m = malloc((size_t)n * 24);
  vectors v = vectors_new(&s);
  start[0] = 0;
  for (int i = 0; i < n; i++) {
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
      column[at] = j;
      m[at++] = i == j ? v.m[i] : 0.1;
    }
    start[i + 1] = at;
  }
  for (int e = 0; e < s.count; e++)
    s.k[e] = symmetric ? s.values[e] : s.values[e] * (1 + 0.2 * random_value());
  dae_pattern mass = {n, n, start, column};
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_kkt *k;
  dae_la_kkt_info info;
  dae_la_kkt_shape shape = {.n = n,
                            .rows = s.rows,
                            .mass = DAE_LA_SPARSE,
                            .mass_symmetric = true,
                            .symmetric = symmetric,
                            .pattern = &s.pattern,
                            .mass_pattern = &mass};
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
  for (int round = 0; round < 3; round++)
    CHECK(dae_la_kkt_factor(k, round == 1 ? NULL : m, s.values, symmetric ? NULL : s.k, round == 1,
                            &info) == DAE_OK);
  CHECK(info.rank == s.rows && info.smallest > 0 && info.smallest <= 1);
  memcpy(v.a, v.p, (size_t)n * 8);
  memcpy(v.y, v.r, (size_t)s.rows * 8);
  dae_la_kkt_solve(k, v.a, v.y);
  CHECK(equations(&s, &v, s.k, true) <= 1e-12 * (1 + largest(s.rows, v.y)));
  /* the parts: S y = r with p = 0, and M alone */
  double *y = malloc((size_t)s.rows * 8);
  memcpy(y, v.r, (size_t)s.rows * 8);
  dae_la_kkt_schur_solve(k, y);
  memset(v.a, 0, (size_t)n * 8);
  for (int r = 0; r < s.rows; r++) v.y[r] = -v.r[r];
  dae_la_kkt_solve(k, v.a, v.y);
  for (int r = 0; r < s.rows; r++) CHECK_NEAR(y[r], v.y[r], 1e-9 * (1 + fabs(y[r])));
  memcpy(v.a, v.p, (size_t)n * 8);
  memset(v.y, 0, (size_t)s.rows * 8);
  dae_la_kkt_mass_solve(k, v.a);
  for (int e = 0; e < s.count; e++) s.values[e] = 0;
  memset(v.r, 0, (size_t)s.rows * 8);
  CHECK(equations(&s, &v, s.k, true) <= 1e-13);
  free(y);
  dae_la_kkt_free(k);
  dae_base_pool_free(&pool);
  vectors_free(&v);
  sparse_free(&s);
  free(start);
  free(column);
  free(m);
}

static void test_whole(void) {
  check_whole(400, true);
  check_whole(400, false);
  check_whole(6, true);
  check_whole(6, false);
}

/* unknowns i and j share a block of M when both leave the same quotient: sizes 1, 3 and 4 in turn,
   spread */
static int block_of(int i, int n) {
  int far = i % 2 ? i : n - 1 - i; /* neighbours of one block are far apart */
  return far % 8 == 0 ? far : far % 8 < 4 ? far / 8 * 8 + 1 : far / 8 * 8 + 4;
}

/* y := M x, by the pattern */
static void times(const dae_pattern *p, const double *m, const double *x, double *y) {
  for (int i = 0; i < p->rows; i++) {
    y[i] = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) y[i] += m[e] * x[p->column[e]];
  }
}

/* M of the bodies of a chain: small symmetric blocks, dominated by the diagonal */
static void test_block_mass(void) {
  sparse s = make_chain(150);
  int n = s.n, *start = calloc((size_t)n + 1, sizeof(int)),
      *column = malloc((size_t)n * 4 * sizeof(int)), at = 0;
  double *m = malloc((size_t)n * 4 * sizeof(double)), *product = malloc((size_t)n * sizeof(double));
  vectors v = vectors_new(&s);
  for (int i = 0; i < n; start[++i] = at)
    for (int j = 0; j < n; j++)
      if (block_of(i, n) == block_of(j, n)) {
        column[at] = j;
        m[at++] = i == j ? 2 + v.m[i] : 0.3 * cos(i + j);
      }
  dae_pattern mass = {n, n, start, column};
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_kkt *k;
  dae_la_kkt_info info;
  dae_la_kkt_shape shape = {.n = n,
                            .rows = s.rows,
                            .mass = DAE_LA_SPARSE,
                            .mass_symmetric = true,
                            .symmetric = true,
                            .pattern = &s.pattern,
                            .mass_pattern = &mass};
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
  for (int round = 0; round < 2; round++) {
    CHECK(dae_la_kkt_factor(k, round ? NULL : m, s.values, NULL, round == 1, &info) == DAE_OK);
    CHECK(info.rank == s.rows);
    memcpy(v.a, v.p, (size_t)n * sizeof(double));
    memcpy(v.y, v.r, (size_t)s.rows * sizeof(double));
    dae_la_kkt_solve(k, v.a, v.y);
    times(&mass, m, v.a, product);
    for (int r = 0; r < s.rows; r++) {
      double row = -v.r[r];
      for (int e = s.start[r]; e < s.start[r + 1]; e++) {
        row += s.values[e] * v.a[s.column[e]];
        product[s.column[e]] += s.values[e] * v.y[r];
      }
      CHECK_NEAR(row, 0, 1e-12);
    }
    for (int i = 0; i < n; i++) CHECK_NEAR(product[i], v.p[i], 1e-12 * (1 + largest(s.rows, v.y)));
  }
  memcpy(v.a, v.p, (size_t)n * sizeof(double));
  dae_la_kkt_mass_solve(k, v.a);
  times(&mass, m, v.a, product);
  for (int i = 0; i < n; i++) CHECK_NEAR(product[i], v.p[i], 1e-13);
  /* an unknown without mass is named, whatever its place in its block */
  int bad = 37;
  for (int e = 0; e < start[n]; e++)
    if (column[e] == bad) m[e] = 0;
  for (int e = start[bad]; e < start[bad + 1]; e++) m[e] = 0;
  CHECK(dae_la_kkt_factor(k, m, s.values, NULL, false, &info) == DAE_E_SINGULAR);
  CHECK(info.mass_singular && info.row == bad);
  dae_la_kkt_free(k);
  dae_base_pool_free(&pool);
  vectors_free(&v);
  sparse_free(&s);
  free(start), free(column), free(m), free(product);
}

/* no memory at the n-th request: DAE_E_MEMORY, and all that was taken is given back */
typedef struct counter {
  int left, held;
} counter;

static void *count_take(size_t bytes, void *ctx) {
  counter *c = ctx;
  if (c->left-- <= 0) return NULL;
  c->held++;
  return malloc(bytes);
}

static void count_give(void *block, void *ctx) {
  if (block) ((counter *)ctx)->held--;
  free(block);
}

static dae_status build(dae_pool *pool, const dae_la_kkt_shape *shape, const dae_pattern *square) {
  dae_la_kkt *k;
  dae_la_solver *s;
  dae_status status = dae_la_kkt_new(&k, pool, shape);
  CHECK((status == DAE_OK) == (k != NULL));
  dae_la_kkt_free(k);
  if (status != DAE_OK) return status;
  status = dae_la_solver_new(&s, pool, square ? square->rows : 9, square);
  CHECK((status == DAE_OK) == (s != NULL));
  dae_la_solver_free(s);
  return status;
}

static void test_no_memory(void) {
  sparse chain = make_chain(30), star = make_star(90), net = make_net(30);
  int start[61], column[60];
  for (int i = 0; i <= 60; i++) start[i] = i;
  for (int i = 0; i < 60; i++) column[i] = i;
  dae_pattern eye = {60, 60, start, column};
  int pair_start[61], pairs[120];
  for (int i = 0; i <= 60; i++) pair_start[i] = 2 * i;
  for (int i = 0; i < 120; i++) pairs[i] = i / 4 * 2 + i % 2;
  dae_pattern twos = {60, 60, pair_start, pairs};
  dae_la_kkt_shape shapes[] = {
      {.n = 9, .rows = 4, .mass = DAE_LA_DENSE, .mass_symmetric = true, .symmetric = true},
      {.n = 9, .rows = 4, .mass = DAE_LA_DENSE},
      {.n = 60, .rows = 30, .mass = DAE_LA_IDENTITY, .symmetric = true, .pattern = &chain.pattern},
      {.n = 60, .rows = 30, .mass = DAE_LA_SPARSE, .pattern = &chain.pattern, .mass_pattern = &eye},
      {.n = 60, .rows = 2, .mass = DAE_LA_SPARSE, .mass_pattern = &eye},
      {.n = 60,
       .rows = 30,
       .mass = DAE_LA_SPARSE,
       .mass_symmetric = true,
       .symmetric = true,
       .pattern = &chain.pattern,
       .mass_pattern = &twos},
      {.n = 60,
       .rows = 30,
       .mass = DAE_LA_SPARSE,
       .pattern = &chain.pattern,
       .mass_pattern = &twos},
      {.n = 180, .rows = 89, .mass = DAE_LA_IDENTITY, .symmetric = true, .pattern = &star.pattern},
      {.n = net.n,
       .rows = net.rows,
       .mass = DAE_LA_IDENTITY,
       .symmetric = true,
       .pattern = &net.pattern}};
  for (int t = 0; t < 9; t++) {
    dae_status status = DAE_E_MEMORY;
    for (int n = 0; status != DAE_OK && n < 200; n++) {
      counter c = {.left = n};
      dae_allocator allocator = {count_take, count_give, &c};
      dae_pool pool;
      dae_base_pool_init(&pool, &allocator);
      status = build(&pool, &shapes[t], t == 3 ? &eye : NULL);
      CHECK(status == DAE_OK || status == DAE_E_MEMORY);
      dae_base_pool_free(&pool);
      CHECK(c.held == 0);
    }
    CHECK(status == DAE_OK);
  }
  sparse_free(&chain);
  sparse_free(&star);
  sparse_free(&net);
}

/* what dae_la_kkt_notices promises: no M or G without numbers goes unseen */
static void test_notices(void) {
  static const double none[] = {NAN, INFINITY, -INFINITY};
  sparse s = make_chain(30);
  vectors v = vectors_new(&s);
  for (int at = 0; at < s.n + s.count; at += 7)
    for (int e = 0; e < 3; e++) {
      dae_pool pool;
      dae_base_pool_init(&pool, NULL);
      dae_la_kkt *k;
      dae_la_kkt_info info;
      dae_la_kkt_shape shape = {.n = s.n,
                                .rows = s.rows,
                                .mass = DAE_LA_DIAGONAL,
                                .mass_symmetric = true,
                                .symmetric = true,
                                .pattern = &s.pattern};
      CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
      CHECK(dae_la_kkt_notices(k));
      double *place = at < s.n ? &v.m[at] : &s.values[at - s.n], kept = *place;
      *place = none[e];
      memcpy(v.a, v.p, (size_t)s.n * sizeof(double));
      memcpy(v.y, v.r, (size_t)s.rows * sizeof(double));
      dae_status status = dae_la_kkt_factor_solve(k, v.m, s.values, NULL, false, v.a, v.y, &info);
      CHECK(status != DAE_OK || info.rank < s.rows || !dae_base_finite(v.a, s.n));
      *place = kept;
      dae_base_pool_free(&pool);
    }
  vectors_free(&v);
  sparse_free(&s);
}

int main(void) {
  RUN(test_shapes);
  RUN(test_notices);
  RUN(test_agrees_with_dense);
  RUN(test_duplicate);
  RUN(test_two_missing);
  RUN(test_whole);
  RUN(test_block_mass);
  RUN(test_no_memory);
  return TEST_END();
}
