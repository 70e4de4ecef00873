/* starts are consistent, exact solutions solve the equations, reference values lie on the
   manifold */
#include "gallery_test.h"

enum { LEVELS = DAE_ORDER_MAX + 1 };

/* all constraints at all levels (without the highest, which needs x^(m)); returns how many */
static int residuals(const dae_problem *p, double t, const double *z, double *r) {
  int n = 0, nx = size_x(p);
  if (p->kind == DAE_ODE) {
    CHECK(p->ode.h(t, z, r, p->ctx) == 0);
    return p->ode.nh;
  }
  if (p->kind == DAE_MECHANICAL) {
    if (p->mechanical.ng) CHECK(p->mechanical.g(t, z, r, p->ctx) == 0);
    n = p->mechanical.ng;
    CHECK(velocity_level(p, t, z, z + nx, r + n) == 0);
    return n + p->mechanical.ng + p->mechanical.nw;
  }
  const dae_hessenberg *h = &p->hessenberg;
  CHECK(h->g(t, z, r, p->ctx) == 0);
  n = h->ny;
  for (int level = 1; level < h->order && !h->g_of_z; level++, n += h->ny)
    CHECK(h->g_rate(t, z, level, r + n, p->ctx) == 0);
  return n;
}

/* size of the terms that cancel: how much the residuals move when z moves by one part in a
   thousand */
static double residual_scale(const dae_problem *p, double t, const double *z, int n,
                             const double *r) {
  double moved[LEVELS * MAX_N], zm[MAX_N], scale = 0;
  for (int j = 0; j < size_z(p); j++) {
    memcpy(zm, z, (size_t)size_z(p) * sizeof *zm);
    zm[j] += 1e-3 * fmax(fabs(z[j]), 1e-3);
    residuals(p, t, zm, moved);
    for (int i = 0; i < n; i++) scale = fmax(scale, 1e3 * fabs(moved[i] - r[i]));
  }
  return scale;
}

/* all residuals below tol relative to the terms that cancel in them */
static void check_manifold(const dae_problem *p, const char *where, double t, const double *z,
                           double tol) {
  double r[LEVELS * MAX_N];
  int n = residuals(p, t, z, r);
  double scale = residual_scale(p, t, z, n, r), worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(r[i]));
  test_checks++;
  if (!(worst <= tol * scale)) {
    test_failures++;
    printf("%s: residual %g of the constraints at %s t=%g, scale %g\n", p->name, worst, where, t,
           scale);
  }
}

/* invariants of an ODE do not change: h_z f + h_t = 0 on them, to rounding */
static void check_invariance(const dae_problem *p) {
  static double H[MAX_N * MAX_N];
  const dae_ode *o = &p->ode;
  double f[MAX_N], rate[MAX_N], scale = 0;
  memset(H, 0, (size_t)(o->nh * o->n) * sizeof *H);
  CHECK(o->f(p->t0, p->z0, f, p->ctx) == 0 && o->h_z(p->t0, p->z0, H, p->ctx) == 0);
  CHECK(o->h_t(p->t0, p->z0, rate, p->ctx) == 0);
  for (int i = 0; i < o->nh; i++)
    for (int j = 0; j < o->n; j++) {
      rate[i] += H[i * o->n + j] * f[j];
      scale = fmax(scale, fabs(H[i * o->n + j] * f[j]));
    }
  for (int i = 0; i < o->nh; i++) CHECK_NEAR(rate[i], 0, 1e-14 * scale);
}

/* starts are given in closed form: a few roundings of terms of size `scale` */
static void test_start(void) {
  dae_problem *p;
  for (int i = 0; (p = open_case(i)); i++) {
    check_manifold(p, "start", p->t0, p->z0, 1e-13);
    if (p->kind == DAE_ODE) check_invariance(p);
    if (p->exact) {
      double z[MAX_N], y[MAX_N];
      CHECK(p->exact(p->t0, z, y, p->ctx) == 0);
      for (int k = 0; k < size_z(p); k++)
        CHECK_NEAR(z[k], p->z0[k], 4e-14 * fmax(1, fabs(p->z0[k])));
    }
    gallery_close(p->name, p);
  }
}

/* d/dt of the exact solution by central differences of order 8 */
static void exact_rate(const dae_problem *p, double t, double h, double *dz) {
  static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double plus[MAX_N], minus[MAX_N], y[MAX_N];
  int nz = size_z(p);
  memset(dz, 0, (size_t)nz * sizeof *dz);
  for (int k = 1; k <= 4; k++) {
    CHECK(p->exact(t + k * h, plus, y, p->ctx) == 0);
    CHECK(p->exact(t - k * h, minus, y, p->ctx) == 0);
    for (int i = 0; i < nz; i++) dz[i] += weight[k - 1] * (plus[i] - minus[i]) / h;
  }
}

/* the equations of motion at a point of the exact solution: largest residual and largest term */
static double motion(const dae_problem *p, double t, const double *z, const double *dz,
                     const double *y, double *scale) {
  double r[MAX_N], worst = 0;
  int nx = size_x(p), nz = size_z(p);
  *scale = 0;
  for (int i = 0; i < nz - nx; i++) {
    worst = fmax(worst, fabs(dz[i] - z[i + nx]));
    *scale = fmax(*scale, fabs(dz[i]));
  }
  if (p->kind == DAE_MECHANICAL) {
    double big;
    CHECK(dynamics(p, t, z, z + nx, dz + nx, y, r, &big) == 0);
    *scale = fmax(*scale, big);
  } else {
    int code = p->kind == DAE_ODE ? p->ode.f(t, z, r, p->ctx) : p->hessenberg.f(t, z, y, r, p->ctx);
    CHECK(code == 0);
    for (int i = 0; i < nx; i++) {
      *scale = fmax(*scale, fabs(r[i]));
      r[i] -= dz[nz - nx + i];
    }
  }
  for (int i = 0; i < nx; i++) worst = fmax(worst, fabs(r[i]));
  return worst;
}

/* tolerance 1e-9: the step 1e-3 leaves (1e-3 w)^8/630 for frequencies w below 20 and rounding of
   1e-13, with room for cancelling terms in the exact solution itself */
static void test_exact(void) {
  static const double when[] = {0.0313, 0.2717, 0.6151, 0.8929};
  dae_problem *p;
  for (int i = 0; (p = open_case(i)); i++) {
    for (int k = 0; p->exact && k < 4; k++) {
      double t = p->t0 + when[k] * (p->t1 - p->t0), z[MAX_N], y[MAX_N], dz[MAX_N], scale;
      CHECK(p->exact(t, z, y, p->ctx) == 0);
      check_manifold(p, "exact solution", t, z, 1e-12);
      exact_rate(p, t, 1e-3, dz);
      double worst = motion(p, t, z, dz, y, &scale);
      test_checks++;
      if (!(worst <= 1e-9 * scale)) {
        test_failures++;
        printf("%s (case %d): exact solution has residual %g of %g at t=%g\n", p->name, i, worst,
               scale, t);
      }
    }
    gallery_close(p->name, p);
  }
}

/* solves the dense n x n system A x = b in place, rows exchanged for the largest pivot */
static void solve(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
    for (int j = 0; j < n; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[pivot * n + j];
      A[pivot * n + j] = swap;
    }
    double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    for (int i = k + 1; i < n; i++) {
      double c = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= c * A[k * n + j];
      b[i] -= c * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
}

/* acceleration level with the multipliers y: G a + c = 0 where M a = f - G'y; relative residual */
static double acceleration_residual(const dae_problem *p, double t, const double *z,
                                    const double *y) {
  static double M[MAX_N * MAX_N], G[MAX_N * MAX_N];
  const dae_mechanical *m = &p->mechanical;
  int n = m->nq;
  double a[MAX_N], zero[MAX_N] = {0}, c[MAX_N], worst = 0, scale = 0;
  CHECK(dynamics(p, t, z, z + n, zero, y, a, NULL) == 0);
  for (int i = 0; i < n; i++) a[i] = -a[i];
  CHECK(dense_mass(p, t, z, M) == 0 && dense_gradient(p, t, z, G) == 0);
  solve(n, M, a);
  CHECK(m->curvature(t, z, z + n, c, p->ctx) == 0);
  for (int i = 0; i < m->ng; i++) {
    double r = c[i];
    scale = fmax(scale, fabs(r));
    for (int j = 0; j < n; j++) {
      r += G[i * n + j] * a[j];
      scale = fmax(scale, fabs(G[i * n + j] * a[j]));
    }
    worst = fmax(worst, fabs(r));
  }
  return worst / scale;
}

/* references are stored with 15 digits or more; multipliers belong to the same point */
static void check_reference(const dae_problem *p, const dae_reference *r) {
  check_manifold(p, "reference", r->t, r->z, 2e-12);
  if (r->y && p->kind == DAE_MECHANICAL) {
    double off = acceleration_residual(p, r->t, r->z, r->y);
    CHECK_NEAR(off, 0, 1e-11);
    if (!(off < 1e-11)) printf("  multipliers of %s at t=%g\n", p->name, r->t);
  }
  if (!p->exact) return;
  double z[MAX_N], y[MAX_N];
  CHECK(p->exact(r->t, z, y, p->ctx) == 0);
  for (int j = 0; j < size_z(p); j++) CHECK_NEAR(z[j], r->z[j], 1e-12 * fmax(1, fabs(z[j])));
  for (int j = 0; r->y && j < size_y(p); j++)
    CHECK_NEAR(y[j], r->y[j], 1e-12 * fmax(1, fabs(y[j])));
}

static void test_references(void) {
  dae_problem *p;
  for (int i = 0; (p = open_case(i)); i++) {
    for (int k = 0; k < p->n_ref; k++) check_reference(p, &p->ref[k]);
    gallery_close(p->name, p);
  }
}

int main(void) {
  RUN(test_start);
  RUN(test_exact);
  RUN(test_references);
  return TEST_END();
}
