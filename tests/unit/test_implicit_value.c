/* residuals of all stages at once are those of single points, whatever M is; what is known of the
   start of a step is forgotten with the functions; one-sided matrices are those by their values */
#include <daedal/daedal.h>

#include "problem/implicit.h"
#include "test.h"

enum { MOST = 7, STAGES = 3 };

typedef struct kind {
  int n;
  dae_mass mass_kind;
  bool mass, constant, by_F;
  double factor; /* of f: another function after an event */
  double bad;    /* what f says where x_0 > 100 */
  int code, calls;
} kind;

static int force(double t, const double *x, double *f, void *ctx) {
  kind *k = ctx;
  k->calls++;
  for (int i = 0; i < k->n; i++) f[i] = k->factor * (sin(t + i) * x[(i + 1) % k->n] - x[i] * x[i]);
  if (x[0] > 100) f[k->n - 1] = k->bad;
  return x[0] > 100 ? k->code : 0;
}

/* entry (i, j) of M */
static double mass_at(const kind *k, double t, const double *x, int i, int j) {
  if (!k->mass) return i == j;
  if (k->mass_kind != DAE_MASS_DIAGONAL && j == (i + 1) % k->n && k->n > 1) return 0.5 + i;
  if (i != j || i == k->n - 1) return 0;
  return k->constant ? 2 + i : 2 + i + t * x[0];
}

static int mass(double t, const double *x, double *M, void *ctx) {
  const kind *k = ctx;
  for (int i = 0; i < k->n; i++)
    for (int j = 0; j < k->n; j++)
      if (k->mass_kind != DAE_MASS_DIAGONAL) M[i * k->n + j] = mass_at(k, t, x, i, j);
      else if (i == j) M[i] = mass_at(k, t, x, i, i);
  return 0;
}

static int whole(double t, const double *x, const double *dx, double *r, void *ctx) {
  kind *k = ctx;
  double f[MOST];
  const int code = force(t, x, f, ctx);
  for (int i = 0; i < k->n; i++) {
    r[i] = -f[i];
    for (int j = 0; j < k->n; j++) r[i] += mass_at(k, t, x, i, j) * dx[j];
  }
  return code;
}

typedef struct stand {
  dae_pool pool;
  dae_problem p;
  dae_residual *r;
} stand;

static void put_up(stand *s, kind *k) {
  const dae_system *sys;
  *s = (stand){.p = {.kind = DAE_IMPLICIT, .ctx = k, .t1 = 1, .implicit = {.n = k->n}}};
  static double x0[MOST];
  s->p.z0 = x0;
  if (k->by_F) s->p.implicit.F = whole;
  else s->p.implicit.f = force;
  if (!k->by_F && k->mass) s->p.implicit.mass = mass;
  s->p.implicit.mass_kind = k->mass_kind;
  s->p.implicit.mass_constant = k->constant;
  dae_base_pool_init(&s->pool, NULL);
  CHECK(dae_problem_system_new(&sys, &s->pool, &s->p) == DAE_OK);
  CHECK(dae_residual_new(&s->r, &s->pool, sys, &(dae_sizes_of_x){1e-6, 1e-6, NULL}) == DAE_OK);
  dae_residual_start(s->r);
}

static const double c[STAGES] = {0.15, 0.64, 1};

/* r_i = unit (M slope - f) at (t + c_i h, z + W_i), from the definition */
static void test_stages_of(kind *k) {
  stand s;
  double z[MOST], W[STAGES * MOST], slope[STAGES * MOST], out[STAGES * MOST], unit[MOST];
  const int n = k->n;
  const double t = 0.3, h = 0.1;
  put_up(&s, k);
  for (int i = 0; i < STAGES * n; i++) W[i] = 0.1 * sin(i), slope[i] = cos(3 + i);
  for (int i = 0; i < n; i++) z[i] = 1 + 0.3 * i, unit[i] = ldexp(1, i - 2);
  const dae_stages all = {STAGES, n, t, h, c, z, W, slope, out};
  /* M is not known at the first time */
  for (int again = 0; again < 2; again++) {
    CHECK(dae_residual_stages(s.r, &all, unit) == DAE_OK);
    for (int i = 0; i < STAGES; i++) {
      double x[MOST], r[MOST];
      for (int j = 0; j < n; j++) x[j] = z[j] + W[i * n + j];
      whole(t + c[i] * h, x, slope + i * n, r, k);
      for (int j = 0; j < n; j++) CHECK_NEAR(out[i * n + j], unit[j] * r[j], 1e-13 * (1 + n));
    }
  }
  /* a value that is none, and codes of callbacks, in a later stage */
  W[n] = 1000;
  k->bad = NAN;
  CHECK(dae_residual_stages(s.r, &all, unit) == DAE_E_CALLBACK);
  k->bad = INFINITY;
  CHECK(dae_residual_stages(s.r, &all, unit) == DAE_E_CALLBACK);
  k->bad = 1e308; /* large, and a number */
  if (!k->by_F && n > 1) CHECK(dae_residual_stages(s.r, &all, unit) == DAE_OK);
  k->code = 1;
  CHECK(dae_residual_stages(s.r, &all, unit) == DAE_E_CALLBACK);
  k->code = -1;
  CHECK(dae_residual_stages(s.r, &all, unit) == DAE_STOPPED);
  dae_base_pool_free(&s.pool);
}

static void test_stages(void) {
  for (int n = 1; n <= MOST; n++)
    for (int constant = 0; constant < 2; constant++) {
      test_stages_of(&(kind){.n = n, .constant = constant, .factor = 1});
      test_stages_of(&(kind){.n = n, .constant = constant, .factor = 1, .by_F = true});
      test_stages_of(&(kind){.n = n, .constant = constant, .factor = 1, .mass = true});
      test_stages_of(&(kind){
          .n = n, .constant = constant, .factor = 1, .mass = true, .mass_kind = DAE_MASS_DIAGONAL});
    }
}

/* f at the start of a step is asked for once, for its matrices too; a function that has changed is
   asked again */
static void test_start(void) {
  kind k = {.n = 4, .constant = true, .factor = 1, .mass = true};
  stand s;
  double x[] = {1, 2, 3, 4}, dx[] = {1, -1, 2, 0}, out[MOST], there[MOST], E[16], A[16];
  put_up(&s, &k);
  CHECK(dae_residual_start_value(s.r, 0.2, x, dx, out) == DAE_OK);
  whole(0.2, x, dx, there, &k);
  for (int i = 0; i < k.n; i++) CHECK_NEAR(out[i], there[i], 1e-14);
  k.calls = 0;
  CHECK(dae_residual_start_value(s.r, 0.2, x, dx, out) == DAE_OK);
  CHECK(k.calls == 0);
  CHECK(dae_residual_at_step(s.r, 0.2, x, dx, DAE_FOR_NEWTON, E, A) == DAE_OK);
  CHECK(k.calls == k.n);
  /* -df/dx: one-sided differences are good to 1e-7 of numbers of size 10 */
  for (int i = 0; i < k.n; i++)
    for (int j = 0; j < k.n; j++) {
      const double exact = j == (i + 1) % k.n ? -sin(0.2 + i) : i == j ? 2 * x[i] : 0;
      CHECK_NEAR(A[i * k.n + j], exact, 1e-6);
      CHECK_NEAR(E[i * k.n + j], mass_at(&k, 0.2, x, i, j), 0);
    }
  CHECK(dae_residual_start_value(s.r, 0.2, x, dx, out) == DAE_OK);
  CHECK(k.calls == k.n);
  /* another point, another function */
  x[2] = 3.5;
  CHECK(dae_residual_start_value(s.r, 0.2, x, dx, out) == DAE_OK);
  CHECK(k.calls == k.n + 1);
  k.factor = 2;
  dae_residual_forget(s.r);
  CHECK(dae_residual_start_value(s.r, 0.2, x, dx, out) == DAE_OK);
  whole(0.2, x, dx, there, &k);
  for (int i = 0; i < k.n; i++) CHECK_NEAR(out[i], there[i], 1e-14);
  dae_base_pool_free(&s.pool);
}

int main(void) {
  RUN(test_stages);
  RUN(test_start);
  return TEST_END();
}
