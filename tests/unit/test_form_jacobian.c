/* every form on every kind of problem: exact Jacobians against differences, residuals against
   right-hand sides */
#include <stdlib.h>

#include "form/form.h"
#include "gallery.h"
#include "sledge.h"
#include "settings.h"
#include "test.h"

enum { ROOM = 32 };

typedef struct bench {
  dae_pool pool;
  const dae_system *sys;
  dae_point *point;
  const dae_problem *p;
  double t, z[ROOM], y[ROOM];
} bench;

/* a consistent point a little after the start, by a short accurate run */
static void bench_open(bench *b, const dae_problem *p) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  b->p = p;
  b->t = p->t0 + 0.13 * (p->t1 - p->t0);
  if (p->z0) memcpy(b->z, p->z0, (size_t)dae_problem_nz(p) * sizeof *b->z);
  memset(b->y, 0, sizeof b->y);
  if (p->y0) memcpy(b->y, p->y0, (size_t)dae_problem_ny(p) * sizeof *b->y);
  CHECK(dae_solve(p, &o, p->t0, b->t, b->z, b->y, NULL, NULL) == DAE_OK);
  dae_base_pool_init(&b->pool, &o.allocator);
  CHECK(dae_problem_system_new(&b->sys, &b->pool, p) == DAE_OK);
  CHECK(dae_point_new(&b->point, &b->pool, b->sys, NULL, true) == DAE_OK);
}

static void bench_close(bench *b) {
  dae_point_free(b->point);
  dae_base_pool_free(&b->pool);
}

static dae_status rhs_of_both(void *ctx, double t, const double *zmu, double *out) {
  dae_view *v = ctx;
  return v->rhs(v, t, zmu, v->nmu ? zmu + v->nz : NULL, out, NULL);
}

static dae_status constraint_of(void *ctx, double t, const double *z, double *out) {
  dae_view *v = ctx;
  return v->constraint(v, t, z, out);
}

/* largest difference of two matrices, relative to the largest entry */
static double distance(int rows, int cols, const double *A, int stride_a, const double *B,
                       int stride_b) {
  double worst = 0, size = 1e-3;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      worst = fmax(worst, fabs(A[i * stride_a + j] - B[i * stride_b + j]));
      size = fmax(size, fabs(B[i * stride_b + j]));
    }
  return worst / size;
}

/* differences of order 4 with steps of 3e-4 are good to about 1e-9, twice nested ones to 1e-6 */
static const double TOLERANCE = 3e-6;
/* the functions of a view may hold differences, whose rounding is 1e-16 / 3e-4: without the word
   for it the outer difference takes that for a kink and shortens its distance */
static const double NOISE = 1e-12;

static void check_jacobians(dae_view *v, double t, const double *zmu) {
  static double Fz[ROOM * ROOM], Fmu[ROOM * ROOM], Cz[ROOM * ROOM], J[ROOM * ROOM], C[ROOM * ROOM];
  static double z_work[ROOM], f_work[4 * ROOM];
  int n = v->nz + v->nmu;
  const double *mu = v->nmu ? zmu + v->nz : NULL;
  CHECK(v->jacobian != NULL);
  if (!v->jacobian) return;
  CHECK(v->jacobian(v, t, zmu, mu, Fz, v->nmu ? Fmu : NULL, v->nmu ? Cz : NULL) == DAE_OK);
  CHECK(dae_problem_difference(&(dae_vector){.fn = rhs_of_both,
                                             .ctx = v,
                                             .rows = v->nz,
                                             .n = n,
                                             .noise = NOISE,
                                             .z_work = z_work,
                                             .f_work = f_work},
                               t, zmu, J) == DAE_OK);
  CHECK_NEAR(distance(v->nz, v->nz, Fz, v->nz, J, n), 0, TOLERANCE);
  if (v->nmu == 0) return;
  CHECK_NEAR(distance(v->nz, v->nmu, Fmu, v->nmu, J + v->nz, n), 0, TOLERANCE);
  CHECK(dae_problem_difference(&(dae_vector){.fn = constraint_of,
                                             .ctx = v,
                                             .rows = v->nmu,
                                             .n = v->nz,
                                             .noise = NOISE,
                                             .z_work = z_work,
                                             .f_work = f_work},
                               t, zmu, C) == DAE_OK);
  CHECK_NEAR(distance(v->nmu, v->nz, Cz, v->nz, C, v->nz), 0, TOLERANCE);
}

/* z' = F makes the rows of the residual vanish, whatever stands on the left */
static void check_residual(dae_view *v, double t, const double *zmu) {
  double dz[ROOM], r[2 * ROOM], size = 1;
  const double *mu = v->nmu ? zmu + v->nz : NULL;
  CHECK(v->rhs(v, t, zmu, mu, dz, NULL) == DAE_OK);
  CHECK(dae_problem_view_residual(v, t, zmu, dz, mu, r) == DAE_OK);
  for (int i = 0; i < v->nz; i++) size = fmax(size, fabs(dz[i]));
  for (int i = 0; i < v->nz; i++) CHECK_NEAR(r[i] / size, 0, 1e-10); /* rounding of M, M^-1 */
}

static void check_form(bench *b, const char *form, const char *direction) {
  dae_options o = dae_options_default();
  dae_view *v;
  char message[256] = "";
  double zmu[2 * ROOM] = {0};
  o.form = form, o.direction = direction, o.gamma = 3.7;
  dae_settings settings = settings_of(b->sys->p, &o, &b->pool);
  dae_status status = dae_form_view(&v, b->point, &settings, &b->pool, message, sizeof message);
  if (status == DAE_E_FORM) {
    CHECK(strlen(message) > 20); /* a sentence, not a code */
    return;
  }
  int before = test_failures;
  CHECK(status == DAE_OK);
  if (status != DAE_OK) return;
  if (v->from_z) CHECK(v->from_z(v, b->t, b->z, zmu) == DAE_OK);
  else memcpy(zmu, b->z, (size_t)v->nz * sizeof *zmu);
  /* mu is zero on the solution, y is not */
  CHECK(dae_problem_view_guess(v, b->t, b->z, zmu + v->nz) == DAE_OK);
  check_jacobians(v, b->t, zmu);
  check_residual(v, b->t, zmu);
  dae_form_free(v);
  if (test_failures > before)
    printf("  %s, form %s, direction %s: %s\n", b->p->name, form, direction, message);
}

static void check_problem(const dae_problem *p) {
  static const char *const forms[][2] = {{"direct", "auto"},
                                         {"index1", "auto"},
                                         {"index2", "auto"},
                                         {"baumgarte", "auto"},
                                         {"attract", "full"},
                                         {"attract", "block"},
                                         {"attract", "force"},
                                         {"attract", "pinv"},
                                         {"ggl", "constraint"},
                                         {"ggl", "force"},
                                         {"ggl", "full"},
                                         {"invariant", "constraint"},
                                         {"invariant", "mass"},
                                         {"invariant", "unit"},
                                         {"invariant-all", "auto"},
                                         {"invariant-all", "mass"},
                                         {"invariant-balanced", "auto"},
                                         {"state-space", "auto"},
                                         {"embed", "auto"}};
  bench b;
  bench_open(&b, p);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    check_form(&b, forms[i][0], forms[i][1]);
  bench_close(&b);
}

static void check_gallery(const char *name) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  check_problem(p);
  gallery_close(name, p);
}

static void mixed_constraints_with_mass(void) { check_problem(&sledge); }
static void index2_nonlinear(void) { check_gallery("circle-index2"); }
static void index2_not_affine(void) { check_gallery("driven-sphere"); }
static void index3_mechanical(void) { check_gallery("slider-crank"); }
static void index3_driven(void) { check_gallery("driven-arm"); }
static void index4(void) { check_gallery("linear-order3"); }
static void ode_with_invariant(void) { check_gallery("kepler"); }

int main(void) {
  RUN(mixed_constraints_with_mass);
  RUN(index2_nonlinear);
  RUN(index2_not_affine);
  RUN(index3_mechanical);
  RUN(index3_driven);
  RUN(index4);
  RUN(ode_with_invariant);
  return TEST_END();
}
