/*
 * charged-particles: N particles on the unit sphere push each other away and come to rest (index 3).
 * Like the Fekete problem of the Test Set for IVP Solvers.
 *
 *   p_i'' = sum_j (p_i - p_j)/|p_i - p_j|^2 - damping p_i' - G'lambda,   0 = (|p_i|^2 - 1)/2
 */
#include "build.h"

#include <stdlib.h>

typedef struct charged_particles {
  dae_problem problem;
  int n;
  double damping;
  double *z0;
  void *z_name, *y_name;
} charged_particles;

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const charged_particles *p = ctx;
  (void)t;
  for (int i = 0; i < 3 * p->n; i++) f[i] = -p->damping * v[i];
  for (int i = 0; i < p->n; i++) {
    const double *a = q + 3 * i;
    double fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < i; j++) {
      const double *b = q + 3 * j;
      double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2], c = 1 / (dx * dx + dy * dy + dz * dz);
      fx += c * dx;
      fy += c * dy;
      fz += c * dz;
      f[3 * j] -= c * dx;
      f[3 * j + 1] -= c * dy;
      f[3 * j + 2] -= c * dz;
    }
    f[3 * i] += fx;
    f[3 * i + 1] += fy;
    f[3 * i + 2] += fz;
  }
  return 0;
}

/* J := J + sign df/dq; a pair adds K = (I - 2 d d'/|d|^2)/|d|^2 with signs + on its own, - on the other */
static void add_pairs(const charged_particles *p, const double *q, double sign, double *J) {
  int m = 3 * p->n;
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < i; j++) {
      double d[3], r2 = 0;
      for (int x = 0; x < 3; x++) {
        d[x] = q[3 * i + x] - q[3 * j + x];
        r2 += d[x] * d[x];
      }
      for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++) {
          double k = sign * ((x == y) - 2 * d[x] * d[y] / r2) / r2;
          J[(3 * i + x) * m + 3 * i + y] += k;
          J[(3 * j + x) * m + 3 * j + y] += k;
          J[(3 * i + x) * m + 3 * j + y] -= k;
          J[(3 * j + x) * m + 3 * i + y] -= k;
        }
    }
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)v;
  add_pairs(ctx, q, 1, J);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  const charged_particles *p = ctx;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < 3 * p->n; i++) J[i * (3 * p->n + 1)] = -p->damping;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const charged_particles *p = ctx;
  (void)t;
  for (int i = 0; i < p->n; i++, q += 3) g[i] = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const charged_particles *p = ctx;
  (void)t;
  for (int i = 0; i < p->n; i++)
    for (int x = 0; x < 3; x++) G[i * 3 * p->n + 3 * i + x] = q[3 * i + x];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const charged_particles *p = ctx;
  (void)t, (void)q;
  for (int i = 0; i < p->n; i++, v += 3) c[i] = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  return 0;
}

/* G is linear in q: G(q) v = G(v) q */
static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)q;
  return gradient(t, v, L, ctx);
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const charged_particles *p = ctx;
  (void)t, (void)v, (void)a;
  add_pairs(p, q, -1, J);
  for (int i = 0; i < 3 * p->n; i++) J[i * (3 * p->n + 1)] += y[i / 3];
  return 0;
}

static const gallery_parameter parameters[] = {
    {"n", 20, "number of particles", 2, 1000, true},
    {"damping", 0.5, "of the motion", 0, 0, false},
};

static void close_charged_particles(dae_problem *problem) {
  charged_particles *p = (charged_particles *)problem;
  free(p->z0);
  free(p->z_name);
  free(p->y_name);
  gallery_free(problem);
}

static dae_problem *open_charged_particles(const double *par) {
  static const char *const z_format[] = {"x%d", "y%d", "z%d", "der(x%d)", "der(y%d)", "der(z%d)"};
  static const char *const y_format[] = {"lambda%d"};
  charged_particles *p = gallery_block(&gallery_charged_particles, sizeof *p, par);
  if (!p) return NULL;
  int n = p->n = (int)par[0];
  p->damping = par[1];
  p->z0 = calloc((size_t)(6 * n), sizeof *p->z0);
  const char **z_name = gallery_names(n, 2, 3, z_format), **y_name = gallery_names(n, 1, 1, y_format);
  p->z_name = z_name;
  p->y_name = y_name;
  if (!p->z0 || !z_name || !y_name) {
    close_charged_particles(&p->problem);
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    /* a spiral from pole to pole that crowds on one side */
    double h = (2 * i + 1.0) / n - 1, phi = 2.2 * i + 0.9 * sin(1.7 * i), r = sqrt(1 - h * h);
    p->z0[3 * i] = r * cos(phi);
    p->z0[3 * i + 1] = r * sin(phi);
    p->z0[3 * i + 2] = h;
  }
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 3 * n,
      .ng = n,
      .mass_constant = true,
      .force = force,
      .force_q = force_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 10;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  return &p->problem;
}

const gallery_entry gallery_charged_particles = {
    "charged-particles", "particles on a sphere push each other away and come to rest",
    "after the Fekete problem, Test Set for IVP Solvers", 2, parameters, open_charged_particles,
    close_charged_particles,
};
