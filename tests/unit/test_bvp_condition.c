/* conditioning of boundary value problems: what the tolerance cannot mean is not called solved */
#include <daedal/daedal.h>

#include "test.h"

typedef struct layer {
  double eps, a, b; /* eps x'' = a t x' + b x */
  double left, right;
} layer;

static int linear(double t, const double *z, const double *y, double *f, void *ctx) {
  const layer *l = ctx;
  (void)y;
  f[0] = (l->a * t * z[1] + l->b * z[0]) / l->eps;
  return 0;
}

/* eps x'' = x x' (Burgers) */
static int burgers(double t, const double *z, const double *y, double *f, void *ctx) {
  const layer *l = ctx;
  (void)t, (void)y;
  f[0] = z[0] * z[1] / l->eps;
  return 0;
}

static int ends(const double *z0, const double *z1, double *b, void *ctx) {
  const layer *l = ctx;
  b[0] = z0[0] - l->left;
  b[1] = z1[0] - l->right;
  return 0;
}

typedef int right_hand_side(double, const double *, const double *, double *, void *);

static dae_status solve(right_hand_side *f, layer *l, double t0, double tol, dae_solution **s,
                        dae_report *r) {
  static const double flat[2];
  dae_boundary b = {.n = 2, .n_left = 1, .value = ends};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 2, .nx = 1, .f = f},
                   .t0 = t0,
                   .t1 = 1,
                   .z0 = flat,
                   .boundary = &b,
                   .ctx = l};
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  return dae_bvp_solve(&p, &o, NULL, s, r);
}

static const double tolerances[] = {1e-3, 1e-6, 1e-9};

/* eps x'' = t x' - x has x = t among its solutions: between layers at both ends x = a t with a
   determined by terms of size exp(-1/(2 eps)). By symmetry a = (x(1) - x(-1))/2 = 0.5 exactly, and
   the even part is exp(-(1 - t^2)/(2 eps)) of 1.5 or so, nothing at t = 0.3 */
static void test_resonance_odd(void) {
  int refused = 0;
  for (double eps = 0.01; eps > 5e-7; eps /= 100)
    for (int i = 0; i < 3; i++) {
      layer l = {eps, 1, -1, 1, 2};
      dae_solution *s;
      dae_report r;
      double z[2];
      dae_status status = solve(linear, &l, -1, tolerances[i], &s, &r);
      if (status == DAE_OK) {
        dae_solution_eval(s, 0.3, z, NULL, NULL);
        CHECK_NEAR(z[0], 0.15, 10 * tolerances[i] * 1.15);
      } else {
        refused++;
        CHECK(status == DAE_E_SINGULAR || status == DAE_E_NEWTON || status == DAE_E_TOLERANCE);
      }
      dae_solution_free(s);
    }
  CHECK(refused >= 8);
}

/* eps x'' = 2 t x' - 4 x has x = t^2 - eps/2: the even part of the ends, 1.5 (t^2 - eps/2)/(1 -
   eps/2), is all that is left inside */
static void test_resonance_even(void) {
  for (double eps = 0.02; eps > 5e-6; eps /= 49)
    for (int i = 0; i < 3; i++) {
      layer l = {eps, 2, -4, 1, 2};
      dae_solution *s;
      dae_report r;
      double z[2];
      if (solve(linear, &l, -1, tolerances[i], &s, &r) == DAE_OK) {
        dae_solution_eval(s, 0.5, z, NULL, NULL);
        CHECK_NEAR(z[0], 1.5 * (0.25 - eps / 2) / (1 - eps / 2), 10 * tolerances[i] * 1.4);
      }
      dae_solution_free(s);
    }
}

/* not resonant: eps x'' = t x' + x is (eps x' - t x)' = 0, x = exp((t^2 - 1)/(2 eps)) for x = 1 at
   both ends. Layers at both ends, nothing between, and well-conditioned */
static void test_not_resonant(void) {
  for (double eps = 0.01; eps > 5e-7; eps /= 100)
    for (int i = 0; i < 3; i++) {
      layer l = {eps, 1, 1, 1, 1};
      dae_solution *s;
      dae_report r;
      double z[2] = {0};
      CHECK(solve(linear, &l, -1, tolerances[i], &s, &r) == DAE_OK);
      double t = 1 - eps;
      if (s) dae_solution_eval(s, t, z, NULL, NULL);
      CHECK_NEAR(z[0], exp((t * t - 1) / (2 * eps)), 10 * tolerances[i] * 1.4);
      if (s) CHECK(dae_solution_stats(s)->condition > 1);
      dae_solution_free(s);
    }
}

/* the layer of Burgers' equation between 1 and -1 is in the middle by symmetry; nothing but terms
   of size exp(-1/(2 eps)) holds it there */
static void test_layer_anywhere(void) {
  for (double eps = 3e-3; eps > 1e-4; eps /= 10)
    for (double tol = 1e-2; tol > 1e-7; tol /= eps > 1e-3 ? 10 : 1000) {
      layer l = {eps, 0, 0, 1, -1};
      dae_solution *s;
      dae_report r;
      double z[2];
      if (solve(burgers, &l, 0, tol, &s, &r) == DAE_OK) {
        dae_solution_eval(s, 0.5, z, NULL, NULL);
        CHECK_NEAR(z[0], 0, 10 * tol);
      }
      dae_solution_free(s);
    }
}

/* x'' = 400 x with x(0) = 1, x'(0) = -20: x = exp(-20 t), and an error at the left end grows by
   exp(20) = 4.9e8. Rounding leaves 5e-8: enough for 1e-6, not for 1e-9 */
static int both_left(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] - 1;
  b[1] = z0[1] + 20;
  return 0;
}

static int growing(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)y, (void)ctx;
  f[0] = 400 * z[0];
  return 0;
}

static void test_initial_values(void) {
  static const double flat[2];
  dae_boundary b = {.n = 2, .n_left = 2, .value = both_left};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 2, .nx = 1, .f = growing},
                   .t1 = 1,
                   .z0 = flat,
                   .boundary = &b};
  dae_options o = dae_options_default();
  dae_solution *s;
  dae_report r;
  double z[2] = {0}, least = 0;
  o.rtol = o.atol = 1e-6;
  CHECK(dae_bvp_solve(&p, &o, NULL, &s, &r) == DAE_OK);
  if (s) dae_solution_eval(s, 0.9, z, NULL, NULL);
  CHECK_NEAR(z[0], exp(-18), 1e-5);
  /* the estimate is one of size: a factor 100 either way */
  double condition = s ? dae_solution_stats(s)->condition : 0;
  CHECK(condition > exp(20) / 100 && condition < exp(20) * 100);
  dae_solution_free(s);
  o.rtol = o.atol = 1e-9;
  CHECK(dae_bvp_solve(&p, &o, NULL, &s, &r) == DAE_E_TOLERANCE);
  CHECK(strstr(r.message, "ill-conditioned") && strstr(r.message, "x1"));
  CHECK(sscanf(r.advice, "Ask for a tolerance of at least %lf", &least) == 1);
  dae_solution_free(s);
  /* the advice is good: what it names works */
  CHECK(least > 1e-9);
  o.rtol = o.atol = 2 * fmax(least, 1e-9);
  CHECK(dae_bvp_solve(&p, &o, NULL, &s, &r) == DAE_OK);
  dae_solution_free(s);
  /* whatever the first mesh: where finer ones gain nothing it is not the mesh limit that ends it */
  o.rtol = o.atol = 1e-9;
  for (o.mesh = 5; o.mesh < 9; o.mesh++) {
    CHECK(dae_bvp_solve(&p, &o, NULL, &s, &r) == DAE_E_TOLERANCE);
    CHECK(strstr(r.message, "ill-conditioned"));
    dae_solution_free(s);
  }
}

/* ---- singular problems: x'' = -k x with conditions that leave a free motion ---- */

typedef struct swing {
  double k;
  bool periodic;
  double left, right;
  long calls;
} swing;

static int swinging(double t, const double *z, const double *y, double *f, void *ctx) {
  swing *s = ctx;
  (void)t, (void)y;
  s->calls++;
  f[0] = -s->k * z[0];
  return 0;
}

static int swing_ends(const double *z0, const double *z1, double *b, void *ctx) {
  const swing *s = ctx;
  b[0] = s->periodic ? z0[0] - z1[0] : z0[0] - s->left;
  b[1] = s->periodic ? z0[1] - z1[1] : z1[0] - s->right;
  return 0;
}

static dae_status solve_swing(swing *s, double t1, double guess, double tol, double *middle,
                              double *condition) {
  const double z0[2] = {guess, 0.3 * guess};
  dae_boundary b = {.n = 2, .n_left = s->periodic ? -1 : 1, .value = swing_ends};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 2, .nx = 1, .f = swinging},
                   .t1 = t1,
                   .z0 = z0,
                   .boundary = &b,
                   .ctx = s};
  dae_options o = dae_options_default();
  dae_solution *solution;
  double z[2] = {0};
  o.rtol = o.atol = tol;
  dae_status status = dae_bvp_solve(&p, &o, NULL, &solution, NULL);
  if (solution) dae_solution_eval(solution, 0.5 * t1, z, NULL, NULL);
  *middle = z[0];
  *condition = solution ? dae_solution_stats(solution)->condition : INFINITY;
  dae_solution_free(solution);
  return status;
}

/* multiples of sin t satisfy x(0) = x(pi) = 0, and so on: not unique, whatever the guess, the scale
   of the values and the number of waves. Told soon: what is asked again and again took 1e7 calls */
static void test_singular(void) {
  const double pi = 3.14159265358979323846;
  static const double guesses[] = {0, 1, 1e6};
  const struct {
    swing s;
    double t1;
  } cases[] = {
      {{.k = 1}, pi},
      {{.k = 1, .periodic = true}, 2 * pi},
      {{.k = 1, .left = 1, .right = -1}, pi},
      {{.k = 1, .left = 1e-8, .right = -1e-8}, pi},
      {{.k = 1, .left = 1, .right = 1}, pi}, /* no solution at all */
      {{.k = 4 * pi * pi, .periodic = true}, 1},
      {{.k = 25 * pi * pi}, 1},
      {{.k = 2500 * pi * pi}, 1}, /* 25 waves, which a mesh for x = 0 does not show */
      {{.periodic = true}, 1},    /* x'' = 0: constants */
  };
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
    for (int j = i % 2; j < 9; j += 2) {
      swing s = cases[i].s;
      double middle, condition;
      CHECK(solve_swing(&s, cases[i].t1, guesses[j % 3], tolerances[j / 3], &middle, &condition) ==
            DAE_E_SINGULAR);
      CHECK(s.calls < 500000);
    }
}

/* near to that, but regular: x = 0, or sin(t + c) of any size, determined well enough. With 1 and
   2 at the ends x(T/2) = 3/(2 cos(T/2)); the condition is about 1/|sin T| */
static void test_nearly_singular(void) {
  static const double ends_at[] = {3, 3.14, 3.1415};
  for (int i = 0; i < 9; i++) {
    double T = ends_at[i % 3], tol = tolerances[i / 3], middle, condition;
    swing zero = {.k = 1}, other = {.k = 1, .left = 1, .right = 2};
    CHECK(solve_swing(&zero, T, 1, tol, &middle, &condition) == DAE_OK);
    CHECK_NEAR(middle, 0, tol);
    CHECK(condition > 0.1 / sin(T) && condition < 100 / sin(T));
    CHECK(solve_swing(&other, T, 0, tol, &middle, &condition) == DAE_OK);
    CHECK_NEAR(middle, 1.5 / cos(T / 2), 10 * tol * (1 + 1.5 / cos(T / 2)));
  }
}

/* ---- van der Pol's orbit in units of its unknown period ---- */

typedef struct orbit {
  double mu, period;
} orbit;

static int pol(double t, const double *z, const double *y, double *f, void *ctx) {
  const orbit *o = ctx;
  (void)t, (void)y;
  f[0] = o->period * z[1];
  f[1] = o->period * (o->mu * (1 - z[0] * z[0]) * z[1] - z[0]);
  return 0;
}

static int around(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0] - z1[0];
  b[1] = z0[1] - z1[1];
  b[2] = z0[1];
  return 0;
}

static int harmonic(double t, double *z, double *y, void *ctx) {
  const double turn = 2 * 3.14159265358979323846;
  (void)y, (void)ctx;
  z[0] = 2 * cos(turn * t);
  z[1] = -2 * sin(turn * t);
  return 0;
}

/* x = 0 satisfies all conditions with every period: it is no answer. The periods
   are the time between maxima after ten turns, by Runge-Kutta steps of 1e-3, the last one by
   multiple shooting in long double. The last guess leads to x = 0 on the first mesh, where the
   matrix was factored at another x */
static void test_undetermined_parameter(void) {
  static const struct {
    double mu, guess, tol, known;
  } cases[] = {{2, 6.2831853, 1e-3, 7.6298745},
               {3, 6.2831853, 1e-3, 8.8590955},
               {4, 6.2831853, 1e-3, 10.2035237},
               {5, 10, 1e-6, 11.61223067}};
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    const double guess = cases[i].guess, tol = cases[i].tol;
    orbit o = {cases[i].mu, guess};
    dae_boundary b = {.n = 3,
                      .n_left = -1,
                      .value = around,
                      .guess = harmonic,
                      .n_parameter = 1,
                      .parameter = &o.period,
                      .parameter_guess = &guess};
    dae_problem p = {.kind = DAE_HESSENBERG,
                     .hessenberg = {.order = 1, .nx = 2, .f = pol},
                     .t1 = 1,
                     .boundary = &b,
                     .ctx = &o};
    dae_options options = dae_options_default();
    dae_solution *s;
    options.rtol = options.atol = tol;
    dae_status status = dae_bvp_solve(&p, &options, NULL, &s, NULL);
    /* from this guess mu = 3 leads to x = 0 alone, on all ways */
    CHECK(cases[i].mu == 3 || status == DAE_OK);
    if (status == DAE_OK)
      CHECK_NEAR(dae_solution_parameter(s)[0], cases[i].known, 10 * tol * (1 + cases[i].known));
    dae_solution_free(s);
  }
}

int main(void) {
  RUN(test_resonance_odd);
  RUN(test_resonance_even);
  RUN(test_not_resonant);
  RUN(test_layer_anywhere);
  RUN(test_initial_values);
  RUN(test_undetermined_parameter);
  RUN(test_singular);
  RUN(test_nearly_singular);
  return TEST_END();
}
