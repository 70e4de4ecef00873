/*
 * A wave of order m = 1, 2, 3 for the measurement of orders: errors stay far above rounding on
 * meshes that are fine enough, because the frequency w may be as large as the order wants it.
 *
 *   x^(m) = e^(m) + w^m (N(x) - N(e)) - w/5 (x^(m-1) - e^(m-1)) + (4-2t, 1)' (y - ye)
 *   N(x) = (x1 x2/2 - 3 x2/10, -2 x1/5),  0 = x1 - e1 + (t-2) (x2 - e2)       (index m+1)
 *   exact: e = (sin wt, cos wt - sin(wt)/3),  ye = 2 + sin wt
 *   given: m = 1: x1(0)/2 + x1(1);  m = 2: x1(0), x1(1);  m = 3: x1(0), x1'(0), x1(1)
 */
#ifndef COLLOC_WAVE_H
#define COLLOC_WAVE_H

#include <daedal/daedal.h>
#include <math.h>

typedef struct wave {
  dae_problem problem;
  dae_boundary boundary;
  int m;
  double w, scale; /* scale = w^m */
} wave;

/* derivative number l of the exact x */
static inline void wave_x(const wave *p, double t, int l, double *x) {
  double a = p->w * t + l * 1.57079632679489661923, power = pow(p->w, l);
  x[0] = power * sin(a);
  x[1] = power * (cos(a) - sin(a) / 3);
}

static inline int wave_exact(double t, double *z, double *y, void *ctx) {
  const wave *p = ctx;
  for (int l = 0; l < p->m; l++) wave_x(p, t, l, z + 2 * l);
  y[0] = 2 + sin(p->w * t);
  return 0;
}

static inline int wave_f(double t, const double *z, const double *y, double *f, void *ctx) {
  const wave *p = ctx;
  const double *last = z + 2 * (p->m - 1);
  double e[6] = {0}, ye, top[2];
  wave_exact(t, e, &ye, ctx);
  wave_x(p, t, p->m, top);
  double d = y[0] - ye, n0 = 0.5 * (z[0] * z[1] - e[0] * e[1]) - 0.3 * (z[1] - e[1]);
  f[0] = top[0] + p->scale * n0 - 0.2 * p->w * (last[0] - e[2 * p->m - 2]) + (4 - 2 * t) * d;
  f[1] = top[1] - 0.4 * p->scale * (z[0] - e[0]) - 0.2 * p->w * (last[1] - e[2 * p->m - 1]) + d;
  return 0;
}

static inline int wave_f_z(double t, const double *z, const double *y, double *J, void *ctx) {
  const wave *p = ctx;
  int n = 2 * p->m;
  (void)t, (void)y;
  J[0] = 0.5 * p->scale * z[1];
  J[1] = p->scale * (0.5 * z[0] - 0.3);
  J[n] = -0.4 * p->scale;
  J[n - 2] -= 0.2 * p->w;
  J[2 * n - 1] -= 0.2 * p->w;
  return 0;
}

static inline int wave_B(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)z, (void)y, (void)ctx;
  B[0] = 2 * t - 4;
  B[1] = -1;
  return 0;
}

static inline int wave_G(double t, const double *z, double *G, void *ctx) {
  (void)z, (void)ctx;
  G[0] = 1;
  G[1] = t - 2;
  return 0;
}

/* with the distance d = x - e: d1^(l) + (t-2) d2^(l) + l d2^(l-1), the top one without x^(m) */
static inline int wave_rate(double t, const double *z, int level, double *out, void *ctx) {
  const wave *p = ctx;
  double e[2], below[2];
  wave_x(p, t, level, e);
  const double *x = z + 2 * level;
  out[0] = level < p->m ? x[0] - e[0] + (t - 2) * (x[1] - e[1]) : -e[0] - (t - 2) * e[1];
  if (level == 0) return 0;
  wave_x(p, t, level - 1, below);
  out[0] += level * (x[-1] - below[1]);
  return 0;
}

static inline int wave_g(double t, const double *z, double *g, void *ctx) {
  return wave_rate(t, z, 0, g, ctx);
}

static inline int wave_g_t(double t, const double *z, double *gt, void *ctx) {
  double e[2], de[2];
  wave_x(ctx, t, 0, e);
  wave_x(ctx, t, 1, de);
  gt[0] = z[1] - e[1] - de[0] - (t - 2) * de[1];
  return 0;
}

static inline int wave_rate_z(double t, const double *z, int level, double *J, void *ctx) {
  (void)z, (void)ctx;
  J[2 * level] = 1;
  J[2 * level + 1] = t - 2;
  J[2 * level - 1] = level;
  return 0;
}

static inline int wave_ends(const double *z0, const double *z1, double *b, void *ctx) {
  const wave *p = ctx;
  double e0[6] = {0}, e1[6] = {0}, y;
  wave_exact(p->problem.t0, e0, &y, ctx);
  wave_exact(p->problem.t1, e1, &y, ctx);
  b[0] = z0[0] - e0[0];
  b[p->m - 1] = p->m == 1 ? (z0[0] - e0[0]) / 2 + z1[0] - e1[0] : z1[0] - e1[0];
  if (p->m == 3) b[1] = z0[2] - e0[2];
  return 0;
}

/* the guess is near by: orders are measured here, not convergence from afar */
static inline int wave_guess(double t, double *z, double *y, void *ctx) {
  wave_exact(t, z, y, ctx);
  z[0] += 0.02 * sin(5 * t);
  return 0;
}

static inline wave wave_new(int m, double w) {
  static const char *const name[] = {"", "wave of order 1", "wave of order 2", "wave of order 3"};
  return (wave){.m = m,
                .w = w,
                .scale = pow(w, m),
                .boundary = {.n = m, .n_left = m - 1, .value = wave_ends, .guess = wave_guess},
                .problem = {.kind = DAE_HESSENBERG,
                            .name = name[m],
                            .t1 = 1,
                            .exact = wave_exact,
                            .hessenberg = {.order = m,
                                           .nx = 2,
                                           .ny = 1,
                                           .affine = DAE_YES,
                                           .f = wave_f,
                                           .f_z = wave_f_z,
                                           .B = wave_B,
                                           .g = wave_g,
                                           .G = wave_G,
                                           .g_t = wave_g_t,
                                           .g_rate = wave_rate,
                                           .g_rate_z = wave_rate_z}}};
}

/* the pointers that lead back into the struct itself */
static inline const dae_problem *wave_problem(wave *p) {
  if (p->m == 1) p->boundary.n_left = -1;
  p->problem.boundary = &p->boundary;
  p->problem.ctx = p;
  return &p->problem;
}

#endif
