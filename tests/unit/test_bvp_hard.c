/* hard boundary value problems from constant guesses: the right-hand side is switched on step by
   step when Newton's method alone finds no way */
#include <daedal/daedal.h>
#include <string.h>
#include <time.h>

#include "test.h"

typedef struct hard {
  double k;           /* the number that makes it hard */
  double left, right; /* x at the ends */
} hard;

static int ends(const double *z0, const double *z1, double *b, void *ctx) {
  const hard *h = ctx;
  b[0] = z0[0] - h->left;
  b[1] = z1[0] - h->right;
  return 0;
}

/* k x'' = 1 - x'^2: a corner inside, of width k */
static int corner(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)t, (void)y;
  f[0] = (1 - z[1] * z[1]) / h->k;
  return 0;
}

/* x'' = k sinh kx (Troesch) */
static int troesch(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)t, (void)y;
  f[0] = h->k * sinh(h->k * z[0]);
  return 0;
}

/* x'' = -k e^x (Bratu) */
static int bratu(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)t, (void)y;
  f[0] = -h->k * exp(z[0]);
  return 0;
}

typedef int right_hand_side(double, const double *, const double *, double *, void *);

static dae_status solve(right_hand_side *f, hard *h, const double *guess, double tol,
                        dae_solution **s, dae_report *r) {
  dae_boundary b = {.n = 2, .n_left = 1, .value = ends};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 2, .nx = 1, .f = f},
                   .t1 = 1,
                   .z0 = guess,
                   .boundary = &b,
                   .ctx = h};
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  return dae_bvp_solve(&p, &o, NULL, s, r);
}

static const double zero[2];

/* x = 1 + k ln cosh((t - 0.745)/k), written so that it does not overflow */
static double corner_exact(double k, double t) {
  double a = fabs(t - 0.745) / k;
  return 1 + k * (a + log1p(exp(-2 * a)) - log(2));
}

static void test_corner(void) {
  for (double k = 1e-2; k > 5e-7; k /= 10) {
    hard h = {k, corner_exact(k, 0), corner_exact(k, 1)};
    dae_solution *s;
    dae_report r;
    double z[2], worst = 0;
    CHECK(solve(corner, &h, zero, 1e-6, &s, &r) == DAE_OK);
    for (int i = 0; s && i <= 1000; i++) {
      dae_solution_eval(s, i / 1000.0, z, NULL, NULL);
      worst = fmax(worst, fabs(z[0] - corner_exact(k, i / 1000.0)));
    }
    /* atol + rtol |x| with x up to 1.75, three times over */
    CHECK(s && worst < 3 * 2.75e-6);
    if (s && k < 2e-4) CHECK(dae_solution_stats(s)->steps > 0);
    dae_solution_free(s);
  }
}

/* x'^2 - 2 cosh kx is constant, and x'(0) is 1.6e-8 for k = 20: x'(1) = 2 sinh 10 to 16 digits */
static void test_troesch(void) {
  hard h = {20, 0, 1};
  dae_solution *s;
  dae_report r;
  double z[2] = {0};
  CHECK(solve(troesch, &h, zero, 1e-6, &s, &r) == DAE_OK);
  if (s) dae_solution_eval(s, 1, z, NULL, NULL);
  /* relative 1e-6, three times over */
  CHECK_NEAR(z[1], 2 * sinh(10), 3e-6 * 22026);
  if (s) dae_solution_eval(s, 0, z, NULL, NULL);
  /* published: 1.6487734e-8 (various authors differ in the eighth digit); the tolerance is 1e-6 */
  CHECK_NEAR(z[1], 1.64877e-8, 3e-6);
  dae_solution_free(s);
}

/* layers of width 7e-6, 6e-7 and 4e-9 at the right end: x'(1) = 2 sinh(k/2), as x'(0) counts for
   nothing; relative 1e-6, three times over */
static void test_troesch_narrow(void) {
  static const double k[] = {25, 30, 40};
  for (int i = 0; i < 3; i++) {
    hard h = {k[i], 0, 1};
    dae_solution *s;
    double z[2] = {0};
    CHECK(solve(troesch, &h, zero, 1e-6, &s, NULL) == DAE_OK);
    if (s) dae_solution_eval(s, 1, z, NULL, NULL);
    CHECK_NEAR(z[1], 2 * sinh(k[i] / 2), 3e-6 * 2 * sinh(k[i] / 2));
    dae_solution_free(s);
  }
}

/* the first step is tried in full length even where it fails the monotonicity test, as the next one
   may be right; damping alone gets stuck here and needs the way from a small right-hand side */
static void test_leap(void) {
  hard h = {13, 0, 1};
  dae_solution *s;
  dae_report r;
  double z[2] = {0};
  CHECK(solve(troesch, &h, zero, 1e-6, &s, &r) == DAE_OK);
  if (s) dae_solution_eval(s, 1, z, NULL, NULL);
  /* x'(0) is 1.8e-5 and counts for nothing in x'(1)^2 = x'(0)^2 + 4 sinh(6.5)^2; relative 1e-6,
     three times over */
  CHECK_NEAR(z[1], 2 * sinh(6.5), 3e-6 * 665);
  CHECK(s && dae_solution_stats(s)->steps == 0);
  dae_solution_free(s);
}

/* x'' = k^2 x: the first mesh shows that a full step leaves nothing, and later ones need no second
   look */
static int linear(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)t, (void)y;
  f[0] = h->k * h->k * z[0];
  return 0;
}

static void test_linear(void) {
  hard h = {37, 0.3, 1.7};
  dae_solution *s;
  dae_report r;
  double z[2] = {0};
  CHECK(solve(linear, &h, zero, 1e-6, &s, &r) == DAE_OK);
  if (s) dae_solution_eval(s, 0.95, z, NULL, NULL);
  /* exp(-37) of the left value does not reach the right end; three times atol + rtol |x| */
  CHECK_NEAR(z[0], 1.7 * sinh(37 * 0.95) / sinh(37), 3 * (1e-6 + 1e-6 * 0.3));
  CHECK(s && dae_solution_stats(s)->meshes > 2);
  /* one more on the first mesh, and two for the conditioning of the last, which is harmless */
  CHECK(s && dae_solution_stats(s)->solves == dae_solution_stats(s)->meshes + 3);
  dae_solution_free(s);
}

/* k x'' = x x' (Burgers): the layer between 1 and -1 is held in the middle by terms of size
   exp(-1/2k), 1e-15 and less here */
static int burgers(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)t, (void)y;
  f[0] = z[0] * z[1] / h->k;
  return 0;
}

/* rounding moves such a layer: it is never called solved, and most of the times told with its place
   (where the last correction happens to be no noise it is Newton's method that is said to fail) */
static void test_free_layer(void) {
  static const double k[] = {0.0149, 0.0101, 0.0083, 0.0071, 0.0057};
  int told = 0;
  for (int i = 0; i < 5; i++) {
    hard h = {k[i], 1, -1};
    dae_solution *s;
    dae_report r;
    dae_status status = solve(burgers, &h, zero, 1e-6, &s, &r);
    CHECK(status == DAE_E_SINGULAR || status == DAE_E_NEWTON);
    /* the layer is 4 k wide */
    if (status == DAE_E_SINGULAR && strstr(r.message, "rounding") && fabs(r.t - 0.5) < 4 * k[i])
      told++;
    dae_solution_free(s);
  }
  CHECK(told >= 2);
}

/* no solution for k = 4, as the fold is at 3.513830719: the report tells how far one gets, soon */
static void test_fold(void) {
  hard h = {4, 0, 0};
  dae_solution *s;
  dae_report r;
  double part = 0;
  clock_t begun = clock();
  CHECK(solve(bratu, &h, zero, 1e-6, &s, &r) == DAE_E_NEWTON);
  /* sixty small solves at most; a tenth of it is usual */
  CHECK((double)(clock() - begun) / CLOCKS_PER_SEC < 5);
  CHECK(sscanf(r.advice, "Solutions were found up to %lf times", &part) == 1);
  /* steps of the load end at half a percent */
  CHECK(part > 0.98 * 3.513830719 / 4 && part < 3.513830719 / 4);
  dae_solution_free(s);
}

/* a stop of the user ends the whole search, wherever it is */
static int calls, limit;

static int stopping(double t, const double *z, const double *y, double *f, void *ctx) {
  corner(t, z, y, f, ctx);
  return ++calls > limit ? -1 : 0;
}

static void test_stop(void) {
  hard h = {1e-4, corner_exact(1e-4, 0), corner_exact(1e-4, 1)};
  for (limit = 100; limit < 30000; limit *= 7) {
    dae_solution *s;
    dae_report r;
    calls = 0;
    CHECK(solve(stopping, &h, zero, 1e-6, &s, &r) == DAE_STOPPED);
    /* no more than the probes of one point */
    CHECK(calls <= limit + 10);
    dae_solution_free(s);
  }
}

/* an unknown parameter is guessed again for the second way: x'' = -p k cosh(x), x(1/2) via x'(0) =
   s */
static double parameter;

static int loaded(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)t, (void)y;
  f[0] = parameter * h->k * sinh(h->k * z[0]);
  return 0;
}

static int three_ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0];
  b[1] = z1[0] - 1;
  b[2] = z1[1] - 2 * sinh(9.0);
  return 0;
}

/* p with x'(1)^2 = x'(0)^2 + 2 p (cosh 18 - 1): about 1, as x'(0) is tiny */
static void test_parameter(void) {
  static const double guess = 0.5;
  hard h = {18, 0, 0};
  dae_boundary b = {.n = 3,
                    .n_left = 1,
                    .value = three_ends,
                    .n_parameter = 1,
                    .parameter = &parameter,
                    .parameter_guess = &guess};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 2, .nx = 1, .f = loaded},
                   .t1 = 1,
                   .z0 = zero,
                   .boundary = &b,
                   .ctx = &h};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-6;
  dae_solution *s;
  dae_report r;
  dae_status status = dae_bvp_solve(&p, &o, NULL, &s, &r);
  /* it is found, or it is said that it is not: never a wrong number */
  CHECK(status == DAE_OK || status == DAE_E_NEWTON || status == DAE_E_SINGULAR);
  if (status == DAE_OK) CHECK_NEAR(dae_solution_parameter(s)[0], 1, 3e-6 * 2);
  if (status == DAE_OK) CHECK(parameter == dae_solution_parameter(s)[0]);
  dae_solution_free(s);
}

/* the place of an unknown parameter is a guess as good as one of its own, also when Newton's method
   begins again because its first step was too long: the same evaluations either way */
static int counted(double t, const double *z, const double *y, double *f, void *ctx) {
  calls++;
  return loaded(t, z, y, f, ctx);
}

static int steep_end(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0];
  b[1] = z1[0] - 1;
  b[2] = z1[1] - 4;
  return 0;
}

static void test_guess_in_place(void) {
  static const double k[] = {4, 6}, guess[] = {2, 0.5}, flat[] = {0.5, 1};
  for (int i = 0; i < 2; i++) {
    hard h = {k[i], 0, 0};
    int spent[2];
    for (int own = 0; own < 2; own++) {
      dae_boundary b = {.n = 3,
                        .n_left = 1,
                        .value = steep_end,
                        .n_parameter = 1,
                        .parameter = &parameter,
                        .parameter_guess = own ? &guess[i] : NULL};
      dae_problem p = {.kind = DAE_HESSENBERG,
                       .hessenberg = {.order = 2, .nx = 1, .f = counted},
                       .t1 = 1,
                       .z0 = flat,
                       .boundary = &b,
                       .ctx = &h};
      dae_options o = dae_options_default();
      o.fixed_mesh = 1;
      dae_solution *s;
      parameter = guess[i];
      calls = 0;
      CHECK(dae_bvp_solve(&p, &o, NULL, &s, NULL) == DAE_OK);
      spent[own] = calls;
      dae_solution_free(s);
    }
    CHECK(spent[0] == spent[1]);
  }
}

/* ---- Carrier's problem: k^2 x'' = 1 - 2 (1 - t^2) x - x^2, x(-1) = x(1) = 0 ---- */

static int carrier(double t, const double *z, const double *y, double *f, void *ctx) {
  const hard *h = ctx;
  (void)y;
  f[0] = (1 - 2 * (1 - t * t) * z[0] - z[0] * z[0]) / (h->k * h->k);
  return 0;
}

/* z at t1 from z at t0 by steps of Runge's and Kutta's method */
static void follow(hard *h, double t0, double t1, double *z) {
  enum { STEPS = 64 };
  const double s = (t1 - t0) / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double t = t0 + i * s, at[2], a[2], slope[2] = {0, 0};
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    a[0] = a[1] = 0;
    for (int j = 0; j < 4; j++) {
      for (int c = 0; c < 2; c++) at[c] = z[c] + part[j] * s * a[c];
      a[0] = at[1];
      carrier(t + part[j] * s, at, NULL, &a[1], h);
      for (int c = 0; c < 2; c++) slope[c] += weight[j] * a[c];
    }
    for (int c = 0; c < 2; c++) z[c] += s / 6 * slope[c];
  }
}

/* one of its many solutions is found for 1e-3: no tolerance is refused because its number of points
   leads Newton's method elsewhere. Between mesh points the equation holds */
static void test_looser_first(void) {
  for (double tol = 1e-3; tol > 1e-10; tol /= 1000) {
    hard h = {.k = 0.01};
    dae_solution *s;
    dae_boundary b = {.n = 2, .n_left = 1, .value = ends};
    dae_problem p = {.kind = DAE_HESSENBERG,
                     .hessenberg = {.order = 2, .nx = 1, .f = carrier},
                     .t0 = -1,
                     .t1 = 1,
                     .z0 = zero,
                     .boundary = &b,
                     .ctx = &h};
    dae_options o = dae_options_default();
    o.rtol = o.atol = tol;
    CHECK(dae_bvp_solve(&p, &o, NULL, &s, NULL) == DAE_OK);
    if (!s) continue;
    int N;
    double z[2], next[2], worst = 0;
    const double *t = dae_solution_mesh(s, &N);
    dae_solution_eval(s, t[0], z, NULL, NULL);
    CHECK(fabs(z[0]) < 1e-12);
    for (int i = 0; i < N; i++) {
      follow(&h, t[i], t[i + 1], z);
      dae_solution_eval(s, t[i + 1], next, NULL, NULL);
      for (int c = 0; c < 2; c++)
        worst = fmax(worst, fabs(z[c] - next[c]) / (tol * (1 + fabs(next[c]))));
      memcpy(z, next, sizeof z);
    }
    CHECK(worst < 10);
    CHECK(fabs(z[0]) < 1e-12);
    dae_solution_free(s);
  }
}

int main(void) {
  RUN(test_corner);
  RUN(test_troesch);
  RUN(test_troesch_narrow);
  RUN(test_leap);
  RUN(test_linear);
  RUN(test_free_layer);
  RUN(test_fold);
  RUN(test_stop);
  RUN(test_parameter);
  RUN(test_guess_in_place);
  RUN(test_looser_first);
  return TEST_END();
}
