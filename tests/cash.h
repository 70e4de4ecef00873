/* boundary value problems 1 to 35 of J. R. Cash's collection (eps y'' = .. with layers, corners,
 * shocks), with closed forms where there are any
 *
 * Unknowns are z = (y, y', ..) of one equation of order 2 or 4, or systems of order 1 (31, 33).
 * All in long double, as the reference (tests/cash_reference.h) wants more digits than the solver.
 */
#ifndef DAEDAL_CASH_H
#define DAEDAL_CASH_H

#include <daedal/daedal.h>
#include <math.h>
#include <stdbool.h>

typedef long double real;

enum { CASH_PROBLEMS = 35, CASH_Z = 6 };

static const real CASH_PI = 3.14159265358979323846264338327950288L;

typedef struct cash {
  int number, order, nx, nz;
  int n_left;                  /* of nz conditions z[component] = value, the left ones first */
  int component[CASH_Z];
  real value[CASH_Z];
  real eps, t0, t1;
} cash;

/* ---- closed forms ---- */

/* eps w'' = w with w = a at -1 and b at 1 */
static inline void cash_ends(real eps, real t, real a, real b, real *w) {
  real s = sqrtl(eps), d = 1 - expl(-4 / s);
  real near = expl(-(1 + t) / s), far = expl(-(3 - t) / s);
  real right = expl(-(1 - t) / s), over = expl(-(3 + t) / s);
  w[0] = (a * (near - far) + b * (right - over)) / d;
  w[1] = (-a * (near + far) + b * (right + over)) / (d * s);
}

static inline void cash_bratu(real k, real t, real *z) {
  real theta = 0;
  for (int i = 0; i < 200; i++) theta = sqrtl(2 * k) * coshl(theta / 4);
  z[0] = -2 * logl(coshl((t - 0.5L) * theta / 2) / coshl(theta / 4));
  z[1] = -theta * tanhl((t - 0.5L) * theta / 2);
}

/* ln cosh a without overflow */
static inline real cash_lncosh(real a) {
  return fabsl(a) + log1pl(expl(-2 * fabsl(a))) - logl(2);
}

/* cos(pi t) and its derivative plus (y, dy) */
static inline void cash_wave(real t, real y, real dy, real *z) {
  z[0] = cosl(CASH_PI * t) + y;
  z[1] = -CASH_PI * sinl(CASH_PI * t) + dy;
}

/* z at t; false: there is no closed form */
static inline bool cash_exact(const cash *c, real t, real *z) {
  real e = c->eps, s = sqrtl(e), w[2], r = sqrtl(2 * e), g;
  switch (c->number) {
  case 1:
    g = 1 - expl(-2 / s);
    z[0] = (expl(-t / s) - expl((t - 2) / s)) / g;
    z[1] = -(expl(-t / s) + expl((t - 2) / s)) / (g * s);
    return true;
  case 2:
    g = -expm1l(-1 / e);
    z[0] = -expm1l((t - 1) / e) / g;
    z[1] = -expl((t - 1) / e) / (e * g);
    return true;
  case 3: case 5: case 11: cash_wave(t, 0, 0, z); return true;
  case 4:
    z[0] = expl(t - 1) + expl(-(1 + e) * (1 + t) / e);
    z[1] = expl(t - 1) - (1 + e) / e * expl(-(1 + e) * (1 + t) / e);
    return true;
  case 6:
    g = erfl(1 / r);
    cash_wave(t, erfl(t / r) / g, 2 / (r * sqrtl(CASH_PI)) * expl(-t * t / (2 * e)) / g, z);
    return true;
  case 7:
    g = erfl(1 / r) + sqrtl(2 * e / CASH_PI) * expl(-1 / (2 * e));
    cash_wave(t, t + (t * erfl(t / r) + sqrtl(2 * e / CASH_PI) * expl(-t * t / (2 * e))) / g,
              1 + erfl(t / r) / g, z);
    return true;
  case 8:
    g = -expm1l(-1 / e);
    z[0] = (2 - expl(-1 / e) - expl(-t / e)) / g;
    z[1] = expl(-t / e) / (e * g);
    return true;
  case 9:
    z[0] = 1 / (e + t * t);
    z[1] = -2 * t / ((e + t * t) * (e + t * t));
    return true;
  case 10:
    g = erfl(1 / r);
    z[0] = 1 + erfl(t / r) / g;
    z[1] = 2 / (r * sqrtl(CASH_PI)) * expl(-t * t / (2 * e)) / g;
    return true;
  case 12: case 13: case 14:
    cash_ends(e, t, c->number == 12 ? 0 : 1, c->number == 13 ? 0 : 1, w);
    cash_wave(t, w[0], w[1], z);
    return true;
  case 16:
    g = CASH_PI / (2 * e);
    z[0] = sinl(g * t);
    z[1] = g * cosl(g * t);
    return true;
  case 17:
    z[0] = t / sqrtl(e + t * t);
    z[1] = e / powl(e + t * t, 1.5L);
    return true;
  case 18:
    z[0] = expl(-t / e);
    z[1] = -z[0] / e;
    return true;
  case 20:
    z[0] = 1 + e * cash_lncosh((t - 0.745L) / e);
    z[1] = tanhl((t - 0.745L) / e);
    return true;
  case 21:
    z[0] = expl(-t / s);
    z[1] = -z[0] / s;
    return true;
  case 34: cash_bratu(e, t, z); return true;
  default: return false;
  }
}

/* ---- the equations ---- */

/* y'' of the problems of order 2 */
static inline real cash_second(int number, real e, real t, real y, real d) {
  const real pi = CASH_PI;
  real wave = cosl(pi * t), side = sinl(pi * t);
  switch (number) {
  case 1: return y / e;
  case 2: return d / e;
  case 3: return (-(2 + wave) * d + y - (1 + e * pi * pi) * wave - (2 + wave) * pi * side) / e;
  case 4: return (-d + (1 + e) * y) / e;
  case 5: return (t * d + y - (1 + e * pi * pi) * wave + pi * t * side) / e;
  case 6: return (-t * d - e * pi * pi * wave - pi * t * side) / e;
  case 7: return (-t * d + y - (1 + e * pi * pi) * wave - pi * t * side) / e;
  case 8: case 18: return -d / e;
  case 9: return -(4 * t * d + 2 * y) / (e + t * t);
  case 10: return -t * d / e;
  case 11: case 12: case 13: case 14: return (y - (e * pi * pi + 1) * wave) / e;
  case 15: return t * y / e;
  case 16: return -pi * pi / 4 * y / (e * e);
  case 17: return -3 * e * y / ((e + t * t) * (e + t * t));
  case 19: return (pi / 2 * sinl(pi * t / 2) * expl(2 * y) - expl(y) * d) / e;
  case 20: return (1 - d * d) / e;
  case 21: return (y + y * y - expl(-2 * t / sqrtl(e))) / e;
  case 22: return -(d + y * y) / e;
  case 23: return sinhl(y / e) / e;
  case 24: {
    real A = 1 + t * t, dA = 2 * t, gamma = 1.4L;
    return (((1 + gamma) / 2 - e * dA) * y * d - d / y - dA / A * (1 - (gamma - 1) / 2 * y * y)) /
           (e * A * y);
  }
  case 25: case 26: case 27: case 28: case 29: case 30: return (y - y * d) / e;
  case 34: return -e * expl(y);
  default: return (t * d - y) / e; /* 35 */
  }
}

/* the highest derivatives of z: nx of them */
static inline void cash_rhs(const cash *c, real t, const real *z, real *f) {
  real e = c->eps;
  if (c->number == 31) {
    f[0] = sinl(z[1]);
    f[1] = z[2];
    f[2] = -z[3] / e;
    f[3] = ((z[0] - 1) * cosl(z[1]) - z[2] * (1 / cosl(z[1]) + e * z[3] * tanl(z[1]))) / e;
  } else if (c->number == 32) {
    f[0] = (z[1] * z[2] - z[0] * z[3]) / e;
  } else if (c->number == 33) {
    for (int i = 0; i < 3; i++) f[i] = z[i + 1];
    f[3] = -(z[0] * z[3] + z[4] * z[5]) / e;
    f[4] = z[5];
    f[5] = (z[1] * z[4] - z[0] * z[5]) / e;
  } else {
    f[0] = cash_second(c->number, e, t, z[0], z[1]);
  }
}

/* ---- intervals and conditions ---- */

static inline void cash_two_ends(cash *c, real t0, real left, real right) {
  c->t0 = t0;
  c->value[0] = left;
  c->value[1] = right;
}

/* eps is a power of ten; problem 16 takes 1/eps + 1, as its solution is not unique for an even
   number */
static inline cash cash_problem(int number, real eps) {
  cash c = {.number = number, .order = 2, .nx = 1, .nz = 2, .n_left = 1, .eps = eps, .t1 = 1};
  real e = number == 16 ? c.eps = 1 / (roundl(1 / eps) + 1) : eps, z[CASH_Z];
  switch (number) {
  case 1: case 2: cash_two_ends(&c, 0, 1, 0); break;
  case 4: cash_two_ends(&c, -1, 1 + expl(-2), 1 + expl(-2 * (1 + e) / e)); break;
  case 15: cash_two_ends(&c, -1, 1, 1); break;
  case 17:
    c.t1 = 0.1L;
    cash_two_ends(&c, -0.1L, -0.1L / sqrtl(e + 0.01L), 0.1L / sqrtl(e + 0.01L));
    break;
  case 8: cash_two_ends(&c, 0, 1, 2); break;
  case 16: case 18: case 20: case 21: case 34: cash_two_ends(&c, 0, 0, 0); break;
  case 19: cash_two_ends(&c, 0, 0, 0); break;
  case 22: cash_two_ends(&c, 0, 0, 0.5L); break;
  case 23: cash_two_ends(&c, 0, 0, 1); break;
  case 24: cash_two_ends(&c, 0, 0.9129L, 0.375L); break;
  case 25: cash_two_ends(&c, 0, -1 / 3.0L, 1 / 3.0L); break;
  case 26: cash_two_ends(&c, 0, 1, -1 / 3.0L); break;
  case 27: cash_two_ends(&c, 0, 1, 1 / 3.0L); break;
  case 28: cash_two_ends(&c, 0, 1, 1.5L); break;
  case 29: cash_two_ends(&c, 0, 0, 1.5L); break;
  case 30: cash_two_ends(&c, 0, -7 / 6.0L, 1.5L); break;
  case 35: cash_two_ends(&c, -1, 1, 2); break;
  case 31: c = (cash){31, 1, 4, 4, 2, {0, 2, 0, 2}, {0}, e, 0, 1}; break;
  case 32: c = (cash){32, 4, 1, 4, 2, {0, 1, 0, 1}, {0, 0, 1, 0}, e, 0, 1}; break;
  case 33: c = (cash){33, 1, 6, 6, 3, {0, 1, 4, 0, 1, 4}, {0, 0, -1, 0, 0, 1}, e, 0, 1}; break;
  default: c.t0 = -1; break;
  }
  if (c.order == 2 && cash_exact(&c, c.t0, z)) c.value[0] = z[0];
  if (c.order == 2 && cash_exact(&c, c.t1, z)) c.value[1] = z[0];
  return c;
}

/* ---- as a problem of Daedal; ctx is the cash ---- */

static inline int cash_f(double t, const double *z, const double *y, double *f, void *ctx) {
  const cash *c = ctx;
  real state[CASH_Z], highest[CASH_Z];
  (void)y;
  for (int i = 0; i < c->nz; i++) state[i] = z[i];
  cash_rhs(c, t, state, highest);
  for (int i = 0; i < c->nx; i++) f[i] = (double)highest[i];
  return 0;
}

static inline int cash_conditions(const double *z0, const double *z1, double *b, void *ctx) {
  const cash *c = ctx;
  for (int i = 0; i < c->nz; i++)
    b[i] = (i < c->n_left ? z0 : z1)[c->component[i]] - (double)c->value[i];
  return 0;
}

/* 0, as nothing is known; in problem 24, which divides by y, the straight line */
static inline int cash_guess(double t, double *z, double *y, void *ctx) {
  const cash *c = ctx;
  (void)y;
  for (int i = 0; i < c->nz; i++) z[i] = 0;
  if (c->number != 24) return 0;
  z[1] = (double)(c->value[1] - c->value[0]);
  z[0] = (double)c->value[0] + t * z[1];
  return 0;
}

static inline dae_status cash_solve(cash *c, double tol, dae_solution **s, dae_report *r) {
  dae_boundary b = {
      .n = c->nz, .n_left = c->n_left, .value = cash_conditions, .guess = cash_guess};
  dae_problem p = {.name = "cash",
                   .kind = DAE_HESSENBERG,
                   .hessenberg = {.order = c->order, .nx = c->nx, .f = cash_f},
                   .t0 = (double)c->t0,
                   .t1 = (double)c->t1,
                   .boundary = &b,
                   .ctx = c};
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  return dae_bvp_solve(&p, &o, NULL, s, r);
}

#endif
