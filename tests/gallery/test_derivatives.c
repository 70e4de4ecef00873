/* every derivative that a gallery problem gives, against differences of order 8 at points off
   the manifold */
#include "gallery_test.h"

typedef struct check {
  const dae_problem *p;
  const char *what;
  int which; /* number of the case */
} check;

/* a function of t or of one array, seen as a function of a parameter s along a direction */
typedef int (*vector_fn)(const void *self, double t, const double *x, double *out);

/* d/ds fn(t + s dt, x + s dx) at s = 0 by central differences of order 8 with step h */
static int directional(vector_fn fn, const void *self, int rows, int n, double t, double dt,
                       const double *x, const double *dx, double h, double *out) {
  static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double xs[2 * MAX_N], plus[MAX_N * 2], minus[MAX_N * 2];
  int code = 0;
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int k = 1; k <= 4; k++) {
    double s = k * h;
    for (int j = 0; j < n; j++) xs[j] = x[j] + s * dx[j];
    code |= fn(self, t + s * dt, xs, plus);
    for (int j = 0; j < n; j++) xs[j] = x[j] - s * dx[j];
    code |= fn(self, t - s * dt, xs, minus);
    for (int i = 0; i < rows; i++) out[i] += weight[k - 1] * (plus[i] - minus[i]) / h;
  }
  return code;
}

/*
 * |given - difference| <= 1e-8 scale, where scale is the largest value of that row's function or
 * derivative. The step 3e-3 leaves (3e-3 w)^8/630 of a motion with frequency w (below 1e-9 up to w
 * = 20) and rounding of 1e-16/3e-3 = 3e-14; a wrong term is far larger.
 */
static const double step = 3e-3, tolerance = 1e-8;

static void compare(const check *c, int rows, int cols, const double *given,
                    const double *difference, const double *value, double factor) {
  for (int i = 0; i < rows; i++) {
    double scale = factor * fabs(value[i]);
    for (int j = i * cols; j < (i + 1) * cols; j++) scale = fmax(scale, fabs(difference[j]));
    for (int j = i * cols; j < (i + 1) * cols; j++) {
      test_checks++;
      if (fabs(given[j] - difference[j]) <= tolerance * scale) continue;
      test_failures++;
      printf("%s (case %d): %s[%d][%d] is %.12g, differences give %.12g (scale %g)\n", c->p->name,
             c->which, c->what, i, j - i * cols, given[j], difference[j], scale);
    }
  }
}

/* Jacobian of fn with respect to x against `given` (rows x n) */
static void check_jacobian(check *c, const char *what, vector_fn fn, const void *self, int rows,
                           int n, double t, const double *x, const double *given) {
  static double J[MAX_N * MAX_N];
  double unit[2 * MAX_N] = {0}, column[2 * MAX_N], value[2 * MAX_N];
  CHECK(fn(self, t, x, value) == 0);
  for (int j = 0; j < n; j++) {
    unit[j] = 1;
    CHECK(directional(fn, self, rows, n, t, 0, x, unit, step * fmax(1e-1, fabs(x[j])), column) ==
          0);
    unit[j] = 0;
    for (int i = 0; i < rows; i++) J[i * n + j] = column[i];
  }
  c->what = what;
  compare(c, rows, n, given, J, value, 1);
}

/* derivative along (dt, dx) against `given` (rows) */
static void check_rate(check *c, const char *what, vector_fn fn, const void *self, int rows, int n,
                       double t, double dt, const double *x, const double *dx,
                       const double *given) {
  double out[2 * MAX_N], value[2 * MAX_N], speed = fmax(dt, 1);
  CHECK(fn(self, t, x, value) == 0);
  for (int j = 0; j < n; j++) speed = fmax(speed, fabs(dx[j]));
  CHECK(directional(fn, self, rows, n, t, dt, x, dx, step / speed, out) == 0);
  c->what = what;
  compare(c, rows, 1, given, out, value, speed);
}

static void check_pattern(const check *c, const dae_pattern *s, int rows, int cols) {
  if (!s) return;
  bool good = s->rows == rows && s->cols == cols && s->start[0] == 0;
  for (int i = 0; good && i < rows; i++) {
    good = s->start[i] <= s->start[i + 1];
    for (int k = s->start[i]; good && k < s->start[i + 1]; k++)
      good = s->column[k] >= 0 && s->column[k] < cols &&
             (k == s->start[i] || s->column[k] > s->column[k - 1]);
  }
  CHECK(good);
  if (!good) printf("  pattern of %s\n", c->p->name);
}

static double *zeroed(size_t n) {
  static double A[MAX_N * MAX_N];
  memset(A, 0, n * sizeof *A);
  return A;
}

/* a point: self of the vector functions below; the member that varies is replaced by x */
typedef struct point {
  const dae_problem *p;
  const double *q, *v, *a, *y;
  int level;
} point;

static int fn_force_q(const void *self, double t, const double *q, double *out) {
  const point *s = self;
  return s->p->mechanical.force(t, q, s->v, out, s->p->ctx);
}
static int fn_force_v(const void *self, double t, const double *v, double *out) {
  const point *s = self;
  return s->p->mechanical.force(t, s->q, v, out, s->p->ctx);
}
static int fn_g(const void *self, double t, const double *q, double *out) {
  const point *s = self;
  return s->p->kind == DAE_MECHANICAL ? s->p->mechanical.g(t, q, out, s->p->ctx)
                                      : s->p->hessenberg.g(t, q, out, s->p->ctx);
}
static int fn_velocity(const void *self, double t, const double *q, double *out) {
  const point *s = self;
  return velocity_level(s->p, t, q, s->v, out);
}
static int fn_dynamics(const void *self, double t, const double *q, double *out) {
  const point *s = self;
  return dynamics(s->p, t, q, s->v, s->a, s->y, out, NULL);
}
static int fn_f(const void *self, double t, const double *z, double *out) {
  const point *s = self;
  return s->p->kind == DAE_ODE ? s->p->ode.f(t, z, out, s->p->ctx)
                               : s->p->hessenberg.f(t, z, s->y, out, s->p->ctx);
}
static int fn_f_y(const void *self, double t, const double *y, double *out) {
  const point *s = self;
  int code = s->p->hessenberg.f(t, s->q, y, out, s->p->ctx);
  for (int i = 0; i < s->p->hessenberg.nx; i++) out[i] = -out[i];
  return code;
}
static int fn_level(const void *self, double t, const double *z, double *out) {
  const point *s = self;
  const dae_hessenberg *h = &s->p->hessenberg;
  return s->level == 0 ? h->g(t, z, out, s->p->ctx) : h->g_rate(t, z, s->level, out, s->p->ctx);
}
static int fn_h(const void *self, double t, const double *z, double *out) {
  const point *s = self;
  return s->p->ode.h(t, z, out, s->p->ctx);
}

/* symmetric and positive definite, by elimination */
static void check_mass(const check *c, double t, const double *q) {
  static double M[MAX_N * MAX_N];
  int n = c->p->mechanical.nq;
  CHECK(dense_mass(c->p, t, q, M) == 0);
  bool good = true;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) good = good && M[i * n + j] == M[j * n + i];
  for (int k = 0; k < n; k++) {
    good = good && M[k * n + k] > 0;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) M[i * n + j] -= M[i * n + k] * M[k * n + j] / M[k * n + k];
  }
  CHECK(good);
  if (!good) printf("  mass matrix of %s (case %d)\n", c->p->name, c->which);
}

static void check_mechanical(check *c, double t, point *s) {
  const dae_mechanical *m = &c->p->mechanical;
  int n = m->nq, ng = m->ng, nc = m->ng + m->nw;
  size_t nn = (size_t)n * (size_t)n, gn = (size_t)nc * (size_t)n;
  void *ctx = c->p->ctx;
  double r[2 * MAX_N], *A;
  CHECK(m->force_v && m->dynamics_q && (m->force_q || m->dynamics_pattern));
  CHECK(ng == 0 || (m->g && m->G && m->g_t && m->curvature && m->velocity_q));
  check_mass(c, t, s->q);
  check_pattern(c, m->G_pattern, ng, n);
  check_pattern(c, m->dynamics_pattern, n, n);
  check_pattern(c, m->force_v_pattern, n, n);
  check_pattern(c, m->mass_pattern, n, n);
  if (m->force_q) {
    CHECK(m->force_q(t, s->q, s->v, A = zeroed(nn), ctx) == 0);
    check_jacobian(c, "force_q", fn_force_q, s, n, n, t, s->q, A);
  }
  CHECK(m->force_v(t, s->q, s->v, A = zeroed(nn), ctx) == 0);
  spread(m->force_v_pattern, A);
  check_jacobian(c, "force_v", fn_force_v, s, n, n, t, s->v, A);
  CHECK(m->dynamics_q(t, s->q, s->v, s->a, s->y, A = zeroed(nn), ctx) == 0);
  spread(m->dynamics_pattern, A);
  check_jacobian(c, "dynamics_q", fn_dynamics, s, n, n, t, s->q, A);
  if (ng) {
    CHECK(m->G(t, s->q, A = zeroed(gn), ctx) == 0);
    spread(m->G_pattern, A);
    check_jacobian(c, "G", fn_g, s, ng, n, t, s->q, A);
    double still[2 * MAX_N] = {0};
    CHECK(m->g_t(t, s->q, r, ctx) == 0);
    check_rate(c, "g_t", fn_g, s, ng, n, t, 1, s->q, still, r);
    CHECK(m->velocity_q(t, s->q, s->v, A = zeroed(gn), ctx) == 0);
    spread(m->G_pattern, A);
    check_jacobian(c, "velocity_q", fn_velocity, s, ng, n, t, s->q, A);
    CHECK(m->curvature(t, s->q, s->v, r, ctx) == 0);
  }
  if (m->nw) CHECK(m->w_rate(t, s->q, s->v, r + ng, ctx) == 0);
  check_rate(c, "curvature", fn_velocity, s, nc, n, t, 1, s->q, s->v, r);
}

/* f(2y) - 2 f(y) + f(0) = 0 to rounding */
static void check_affine(const check *c, double t, const point *s) {
  double y2[MAX_N], zero[MAX_N] = {0}, f0[MAX_N], f1[MAX_N], f2[MAX_N];
  const dae_hessenberg *h = &c->p->hessenberg;
  for (int i = 0; i < h->ny; i++) y2[i] = 2 * s->y[i];
  CHECK(h->f(t, s->q, zero, f0, c->p->ctx) == 0);
  CHECK(h->f(t, s->q, s->y, f1, c->p->ctx) == 0);
  CHECK(h->f(t, s->q, y2, f2, c->p->ctx) == 0);
  for (int i = 0; i < h->nx; i++)
    CHECK_NEAR(f2[i] + f0[i], 2 * f1[i], 1e-14 * (fabs(f2[i]) + fabs(f0[i]) + 2 * fabs(f1[i])));
}

static void check_hessenberg(check *c, double t, point *s) {
  const dae_hessenberg *h = &c->p->hessenberg;
  int nx = h->nx, nz = nx * h->order, top = h->g_of_z ? 1 : h->order;
  int gcols = h->g_of_z ? nz : nx;
  void *ctx = c->p->ctx;
  double r[2 * MAX_N], chain[2 * MAX_N] = {0}, still[2 * MAX_N] = {0}, *A;
  CHECK(h->f && h->f_z && h->B && h->g && h->G && h->g_t);
  CHECK((h->g_rate || h->order == 1) && (h->g_rate_z || top == 1)); /* order 1: the rate is g_t */
  CHECK(h->f_z(t, s->q, s->y, A = zeroed((size_t)(nx * nz)), ctx) == 0);
  check_jacobian(c, "f_z", fn_f, s, nx, nz, t, s->q, A);
  CHECK(h->B(t, s->q, s->y, A = zeroed((size_t)(nx * h->ny)), ctx) == 0);
  check_jacobian(c, "B", fn_f_y, s, nx, h->ny, t, s->y, A);
  if (h->affine == DAE_YES) check_affine(c, t, s);
  CHECK(h->G(t, s->q, A = zeroed((size_t)(h->ny * gcols)), ctx) == 0);
  check_jacobian(c, "G", fn_g, s, h->ny, gcols, t, s->q, A);
  CHECK(h->g_t(t, s->q, r, ctx) == 0);
  check_rate(c, "g_t", fn_g, s, h->ny, nz, t, 1, s->q, still, r);
  if (!h->g_rate) return;
  /* z moves along (x', .., x^(m-1), 0): each level is the rate of the one below */
  for (int i = 0; i < nz - nx; i++) chain[i] = s->q[i + nx];
  for (int level = 1; level <= top; level++) {
    s->level = level - 1;
    CHECK(h->g_rate(t, s->q, level, r, ctx) == 0);
    check_rate(c, "g_rate", fn_level, s, h->ny, nz, t, 1, s->q, chain, r);
    s->level = level;
    if (level < top) {
      CHECK(h->g_rate_z(t, s->q, level, A = zeroed((size_t)(h->ny * nz)), ctx) == 0);
      check_jacobian(c, "g_rate_z", fn_level, s, h->ny, nz, t, s->q, A);
    }
  }
}

static void check_ode(check *c, double t, point *s) {
  const dae_ode *o = &c->p->ode;
  void *ctx = c->p->ctx;
  double r[2 * MAX_N], still[2 * MAX_N] = {0}, *A;
  CHECK(o->f && o->f_z && o->h && o->h_z && o->h_t);
  check_pattern(c, o->f_pattern, o->n, o->n);
  check_pattern(c, o->h_pattern, o->nh, o->n);
  CHECK(o->f_z(t, s->q, A = zeroed((size_t)(o->n * o->n)), ctx) == 0);
  spread(o->f_pattern, A);
  check_jacobian(c, "f_z", fn_f, s, o->n, o->n, t, s->q, A);
  CHECK(o->h_z(t, s->q, A = zeroed((size_t)(o->nh * o->n)), ctx) == 0);
  spread(o->h_pattern, A);
  check_jacobian(c, "h_z", fn_h, s, o->nh, o->n, t, s->q, A);
  CHECK(o->h_t(t, s->q, r, ctx) == 0);
  check_rate(c, "h_t", fn_h, s, o->nh, o->n, t, 1, s->q, still, r);
}

/* numbers in (-1, 1) that follow no pattern, the same on every machine */
static double awkward(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* three points off the manifold around the start, at times inside the interval */
static void check_problem(const dae_problem *p, int which) {
  static const double when[] = {0.1313, 0.5717, 0.9091};
  check c = {p, "", which};
  unsigned seed = 20261u + (unsigned)which;
  int nz = size_z(p), nx = size_x(p), ny = size_y(p);
  CHECK(nz <= MAX_N && ny <= MAX_N);
  for (int k = 0; k < 3; k++) {
    double z[MAX_N], a[MAX_N], y[MAX_N], t = p->t0 + when[k] * (p->t1 - p->t0);
    for (int i = 0; i < nz; i++) z[i] = p->z0[i] + 0.1 * fmax(0.3, fabs(p->z0[i])) * awkward(&seed);
    for (int i = nx; i < nz; i++) z[i] += 3 * awkward(&seed);
    for (int i = 0; i < nx; i++) a[i] = 7 * awkward(&seed);
    for (int i = 0; i < ny; i++) y[i] = awkward(&seed);
    point s = {p, z, z + nx, a, y, 0};
    if (p->kind == DAE_MECHANICAL) check_mechanical(&c, t, &s);
    if (p->kind == DAE_HESSENBERG) check_hessenberg(&c, t, &s);
    if (p->kind == DAE_ODE) check_ode(&c, t, &s);
  }
}

static void test_all(void) {
  dae_problem *p;
  for (int i = 0; (p = open_case(i)); i++) {
    check_problem(p, i);
    gallery_close(p->name, p);
  }
}

int main(void) {
  RUN(test_all);
  return TEST_END();
}
