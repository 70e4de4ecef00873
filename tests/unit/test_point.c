/* points: two of one system side by side, what they hold and what they count; the matrix type */
#include <daedal/daedal.h>
#include <math.h>
#include <string.h>

#include "problem/point.h"
#include "test.h"

static int calls_of_G;

/* a mass m on a rod of length |q|, m = 2.5: q'' = (0, -9.3) - q y / m */
static int mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)q, (void)ctx;
  M[0] = M[1] = 2.5;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -9.3 * 2.5;
  return 0;
}

static int g(double t, const double *q, double *r, void *ctx) {
  (void)t, (void)ctx;
  r[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static int G(double t, const double *q, double *r, void *ctx) {
  (void)t, (void)ctx;
  calls_of_G++;
  r[0] = q[0], r[1] = q[1];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q, (void)ctx;
  c[0] = v[0] * v[0] + v[1] * v[1];
  return 0;
}

static const dae_problem rod = {.kind = DAE_MECHANICAL,
                                .mechanical = {.nq = 2,
                                               .ng = 1,
                                               .mass = mass,
                                               .mass_kind = DAE_MASS_DIAGONAL,
                                               .force = force,
                                               .g = g,
                                               .G = G,
                                               .curvature = curvature},
                                .autonomous = true};

/* y = m (|v|^2 - 9.3 q2) / |q|^2 */
static double tension(const double *z) {
  return 2.5 * (z[2] * z[2] + z[3] * z[3] - 9.3 * z[1]) / (z[0] * z[0] + z[1] * z[1]);
}

/* two places in turn: each point keeps its own gradient and factors */
static void side_by_side(void) {
  dae_pool pool;
  const dae_system *sys;
  dae_point *one, *two;
  dae_base_pool_init(&pool, NULL);
  CHECK(dae_problem_system_new(&sys, &pool, &rod) == DAE_OK);
  CHECK(dae_point_new(&one, &pool, sys, NULL, true) == DAE_OK);
  CHECK(dae_point_new(&two, &pool, sys, one, true) == DAE_OK);
  const double here[4] = {0.6, -0.8, 0.4, 0.3}, there[4] = {-0.28, 0.96, 1.92, 0.56};
  double a[2], b[2], y = 0, u = 0, right[3];
  dae_point_at(one, 0, here);
  CHECK(dae_point_accelerate(one, a, &y) == DAE_OK);
  dae_point_at(two, 0, there);
  CHECK(dae_point_accelerate(two, b, &u) == DAE_OK);
  CHECK_NEAR(y, tension(here), 1e-14 * fabs(tension(here)));
  CHECK_NEAR(u, tension(there), 1e-14 * fabs(tension(there)));
  CHECK_NEAR(a[0], -here[0] * y / 2.5, 1e-14);
  /* the first one is still where it was: [M G'; G 0] [a; y] = [f; -c] again with its factors */
  CHECK(dae_point_has(one, DAE_HOLDS_FACTORS | DAE_HOLDS_GRADIENT | DAE_HOLDS_MASS));
  CHECK(one->G.x[0] == here[0] && two->G.x[0] == there[0]);
  right[0] = 0, right[1] = -9.3 * 2.5, right[2] = -0.25;
  dae_la_kkt_solve(dae_point_kkt(one), right, right + 2);
  CHECK_NEAR(right[0], a[0], 1e-14);
  CHECK_NEAR(right[2], y, 1e-13);
  dae_point_free(one);
  dae_point_free(two);
  dae_base_pool_free(&pool);
}

/* what is known is not evaluated again, and is forgotten with the place */
static void holds(void) {
  dae_pool pool;
  const dae_system *sys;
  dae_point *p;
  double z[4] = {0.6, -0.8, 0.4, 0.3}, r;
  dae_base_pool_init(&pool, NULL);
  CHECK(dae_problem_system_new(&sys, &pool, &rod) == DAE_OK);
  CHECK(dae_point_new(&p, &pool, sys, NULL, true) == DAE_OK);
  calls_of_G = 0;
  dae_point_at(p, 0, z);
  CHECK(p->holds == 0);
  CHECK(dae_point_factor(p, NULL) == DAE_OK);
  CHECK(dae_point_level(p, 1, &r) == DAE_OK);
  CHECK_NEAR(r, 0.6 * 0.4 - 0.8 * 0.3, 1e-16);
  CHECK(calls_of_G == 1);
  /* other velocities: G serves, the factors do not count as those of this point */
  z[2] = 1.7;
  dae_point_turned(p);
  CHECK(dae_point_level(p, 1, &r) == DAE_OK);
  CHECK_NEAR(r, 0.6 * 1.7 - 0.8 * 0.3, 1e-15);
  CHECK(calls_of_G == 1 && !dae_point_has(p, DAE_HOLDS_FACTORS));
  dae_point_at(p, 0, z);
  CHECK(!dae_point_has(p, DAE_HOLDS_GRADIENT));
  CHECK(dae_point_gradient(p) == DAE_OK && calls_of_G == 2);
  /* differences look beside it and come back */
  double H[2 * 4];
  CHECK(dae_point_invariants_z(p, H) == DAE_OK);
  CHECK(p->z == z && p->t == 0);
  CHECK_NEAR(H[4], 1.7, 1e-7); /* for Newton: one-sided, the root of rounding and a factor 4 */
  CHECK_NEAR(H[7], -0.8, 1e-9);
  /* a look aside is not counted */
  long counted = p->counts->constraint;
  dae_point_aside(p);
  CHECK(dae_point_level(p, 0, &r) == DAE_OK && p->counts->constraint > counted);
  dae_point_back(p);
  CHECK(p->counts->constraint == counted);
  dae_point_free(p);
  dae_base_pool_free(&pool);
}

/* every storage does what the dense matrix does that it stands for */
static void storage(void) {
  static const int start[] = {0, 2, 3, 5}, column[] = {0, 2, 1, 0, 1};
  const dae_pattern pattern = {3, 3, start, column};
  double sparse[] = {1.5, -2, 0.3, 4, 7}, diagonal[] = {2.5, -0.7, 3}, full[9], D[9];
  for (int i = 0; i < 9; i++) full[i] = 0.37 * i - 1.1;
  dae_matrix all[4] = {{.kind = DAE_LA_IDENTITY, .rows = 3, .cols = 3},
                       {.kind = DAE_LA_DIAGONAL, .rows = 3, .cols = 3, .size = 3, .x = diagonal},
                       dae_matrix_of(3, 3, NULL),
                       dae_matrix_of(3, 3, &pattern)};
  all[2].x = full, all[3].x = sparse;
  const double x[3] = {0.9, -1.3, 2.1};
  for (int m = 0; m < 4; m++) {
    double r[3], s[3] = {5, 6, 7}, t[3] = {5, 6, 7};
    memset(D, 0, sizeof D);
    dae_matrix_put(&all[m], 1, D, 3, 1);
    dae_matrix_times(&all[m], x, r);
    dae_matrix_add(&all[m], x, s);
    dae_matrix_t_add(&all[m], x, t);
    for (int i = 0; i < 3; i++) {
      double row = 0, col = 0;
      for (int j = 0; j < 3; j++) row += D[3 * i + j] * x[j], col += D[3 * j + i] * x[j];
      CHECK_NEAR(r[i], row, 1e-14);
      CHECK_NEAR(s[i], 5 + i + row, 1e-14);
      CHECK_NEAR(t[i], 5 + i + col, 1e-14);
    }
    double T[9] = {0};
    dae_matrix_put(&all[m], -2, T, 1, 3);
    for (int i = 0; i < 9; i++) CHECK(T[i] == -2 * D[3 * (i % 3) + i / 3]);
  }
  CHECK(D[0] == 1.5 && D[2] == -2 && D[4] == 0.3 && D[6] == 4 && D[7] == 7);
}

int main(void) {
  RUN(side_by_side);
  RUN(holds);
  RUN(storage);
  return TEST_END();
}
