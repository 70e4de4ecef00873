/* a start exactly on a singular position: the motion that goes on smoothly is found at every
   tolerance */
#include <complex.h>
#include <gallery.h>

#include "test.h"

#define PI 3.14159265358979323846

/* ---- references: one equation for the angle, solved as an ODE without constraints ---- */

/* (2/3 + 2 sin^2 a) a'' + 2 sin a cos a a'^2 = -(g/l) cos a: slider-crank with m = l = 1, J =
   1/12 */
static int crank_f(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  double s = sin(z[0]), c = cos(z[0]);
  dz[0] = z[1];
  dz[1] = -(2 * s * c * z[1] * z[1] + 9.81 * c) / (2 / 3.0 + 2 * s * s);
  return 0;
}

/* ((m1+m2) sin^2 a + m3 cos^2 a) a'' + (m1+m2-m3) sin a cos a a'^2 + m3 (g/l) cos a = 0:
   double-slider */
static int slider_f(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  double s = sin(z[0]), c = cos(z[0]);
  dz[0] = z[1];
  dz[1] = -(1.5 * s * c * z[1] * z[1] + 1.5 * 9.81 * c) / (3 * s * s + 1.5 * c * c);
  return 0;
}

/* the outer joint of the four-bar linkage 4, 1, 3, 2; its height over the diagonal is smooth at the
   change point: ((b+c)^2 - e^2) = 4 a d cos^2(angle/2) */
static void four_bar_joint(double complex angle, double complex p[2]) {
  double complex dx = 4 - ccos(angle), dy = -csin(angle), e2 = dx * dx + dy * dy;
  double complex u = (5 + e2) / (2 * e2), h = ccos(angle / 2) * csqrt(4 * (e2 - 1)) / e2;
  p[0] = ccos(angle) + u * dx - h * dy;
  p[1] = csin(angle) + u * dy + h * dx;
}

/* dp/da by a complex step, exact to rounding */
static void four_bar_slope(double angle, double slope[2]) {
  double complex p[2];
  four_bar_joint(angle + 1e-100 * I, p);
  slope[0] = cimag(p[0]) * 1e100;
  slope[1] = cimag(p[1]) * 1e100;
}

/* (1 + |p'|^2) a'' + p'.p'' a'^2 = -g (cos a + p2'), unit masses; p'' by differences of order 4,
   error 1e-12 */
static int four_bar_f(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  const double h = 1e-3;
  double d[2], far[2], near[2], near2[2], far2[2], mass = 1, bend = 0;
  four_bar_slope(z[0], d);
  four_bar_slope(z[0] - 2 * h, far);
  four_bar_slope(z[0] - h, near);
  four_bar_slope(z[0] + h, near2);
  four_bar_slope(z[0] + 2 * h, far2);
  for (int i = 0; i < 2; i++) {
    mass += d[i] * d[i];
    bend += d[i] * (8 * (near2[i] - near[i]) - (far2[i] - far[i])) / (12 * h);
  }
  dz[0] = z[1];
  dz[1] = -(bend * z[1] * z[1] + 9.81 * (cos(z[0]) + d[1])) / mass;
  return 0;
}

typedef int angle_f(double t, const double *z, double *dz, void *ctx);

static double reference(angle_f *f, double angle, double rate, double t) {
  double z[2] = {angle, rate};
  dae_problem p = {.kind = DAE_ODE, .z0 = z, .autonomous = true, .ode = {.n = 2, .f = f}};
  dae_options o = dae_options_default();
  o.method = "dop853";
  o.rtol = o.atol = 1e-14;
  CHECK(dae_solve(&p, &o, 0, t, z, NULL, NULL, NULL) == DAE_OK);
  return z[0];
}

/* ---- the constrained runs ---- */

typedef struct start {
  const char *name;
  int n;
  const char *set[2];
  double value[2];
  int n_init, at[4]; /* entries of z0 that are given as well */
  double init[4];
} start;

static dae_status solve(const start *s, const dae_options *o, double t, double *z,
                        dae_report *report, dae_stats *stats) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, s->name, s->n, s->set, s->value, message, sizeof message) == DAE_OK);
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  for (int i = 0; i < s->n_init; i++) z[s->at[i]] = s->init[i];
  /* as `--init` does: what is chosen by `auto` looks at these values */
  dae_problem started = *p;
  double z0[16];
  memcpy(z0, z, sizeof z0);
  started.z0 = z0;
  dae_status status = dae_solve(&started, o, 0, t, z, NULL, report, stats);
  gallery_close(s->name, p);
  return status;
}

static dae_options with(double tol) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  return o;
}

/* where the slider-crank, the four-bar and the double slider start, and the coordinate that is
   compared */
typedef struct mechanism {
  start start;
  int coordinate;
  angle_f *f;
  double angle, rate;
  double (*of)(double); /* coordinate from the angle; NULL: the angle itself */
} mechanism;

static double expected(const mechanism *m, double t) {
  double angle = reference(m->f, m->angle, m->rate, t);
  return m->of ? m->of(angle) : angle;
}

static mechanism crank_at(double angle, double rate) {
  return (mechanism){.start = {.name = "slider-crank-singular",
                               .n = 2,
                               .set = {"phi1", "phi1_rate"},
                               .value = {angle, rate}},
                     .coordinate = 2,
                     .f = crank_f,
                     .angle = angle,
                     .rate = rate};
}

/* all joints on one line, the crank to the left; its joint is at cos a */
static mechanism four_bar_at_change_point(double rate) {
  return (mechanism){
      .start = {.name = "four-bar", .n = 2, .set = {"angle", "rate"}, .value = {PI, rate}},
      .coordinate = 0,
      .f = four_bar_f,
      .angle = PI,
      .rate = rate,
      .of = cos};
}

/* both rods upright below; the feet move apart, x1 = cos a, x2 = -cos a */
static mechanism double_slider_at_toggle(double rate) {
  return (mechanism){.start = {.name = "double-slider",
                               .n = 1,
                               .set = {"angle"},
                               .value = {-PI / 2},
                               .n_init = 3,
                               .at = {3, 4, 5},
                               .init = {rate, 0, -rate}},
                     .coordinate = 0,
                     .f = slider_f,
                     .angle = -PI / 2,
                     .rate = rate,
                     .of = cos};
}

/* forward and backward in time; the bound allows a factor 100 for the growth of errors over some
   turns, and 1e-10 for rounding near singular positions */
static void follows(mechanism m) {
  for (double tol = 1e-4; tol > 0.5e-12; tol /= 10)
    for (int sign = -1; sign <= 1; sign += 2) {
      double z[16], t = sign * 2.5;
      dae_options o = with(tol);
      CHECK(solve(&m.start, &o, t, z, NULL, NULL) == DAE_OK);
      CHECK_NEAR(z[m.coordinate], expected(&m, t), 100 * tol + 1e-10);
    }
}

static void slider_crank(void) {
  follows(crank_at(PI / 2, 2));
  follows(crank_at(3 * PI / 2, -0.37));
  /* a little before it, at it as far as digits can tell, a little behind it */
  for (double off = 1e-12; off < 0.1; off *= 47) {
    follows(crank_at(PI / 2 + off, 2));
    follows(crank_at(3 * PI / 2 - off, 0.01));
  }
}

static void four_bar(void) { follows(four_bar_at_change_point(6)); }
static void double_slider(void) { follows(double_slider_at_toggle(1.3)); }

/* fixed steps of every kind. Order 2 and h = 1e-3 make errors of some 1e-5, of 4e-4 in the
   four-bar, which turns with 6 to 8 radians a second; the wrong branch is 0.1 and more away */
static void fixed_steps(void) {
  static const struct {
    const char *form, *method, *variant;
  } way[] = {
      {"auto", "rk4", "auto"}, {"auto", "heun", "auto"},    {"auto", "implicit-midpoint", "auto"},
      {"auto", "ab2", "auto"}, {"srm", "heun", "singular"}, {"srm", "rk4", "singular"}};
  mechanism all[] = {crank_at(PI / 2, 2), four_bar_at_change_point(6),
                     double_slider_at_toggle(1.3)};
  for (size_t i = 0; i < sizeof way / sizeof *way; i++)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      dae_options o = dae_options_default();
      double z[16];
      o.step = 1e-3;
      o.form = way[i].form;
      o.method = way[i].method;
      o.srm_variant = way[i].variant;
      dae_report report;
      dae_status status = solve(&all[k].start, &o, 0.6, z, &report, NULL);
      if (status != DAE_OK)
        printf("%s %s %s: %s\n", all[k].start.name, o.form, o.method, report.message);
      CHECK(status == DAE_OK);
      CHECK_NEAR(z[all[k].coordinate], expected(&all[k], 0.6), 1e-3);
    }
}

/* the run comes back exactly on singular positions (0.75953.. + k 1.51906.., to 14 digits) and goes
   on from there; reference and bound as in test_passage.c */
static void stops_on_it(void) {
  static const char *const method[] = {"auto", "dopri5"};
  for (int k = 0; k < 2; k++)
    for (double tol = 1e-4; tol > 0.5e-12; tol /= 10) {
      dae_problem *p;
      dae_solver *s;
      char message[256];
      dae_options o = with(tol);
      o.method = method[k];
      CHECK(gallery_open(&p, "slider-crank-singular", 0, NULL, NULL, message, sizeof message) ==
            DAE_OK);
      CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
      CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
      for (int i = 0; i < 10; i++) {
        dae_status status = dae_solver_advance(s, 0.75953454904947 + i * 1.51906909809894);
        CHECK(status == DAE_OK);
        if (status != DAE_OK) printf("tol %g: %s\n", tol, dae_solver_report(s)->message);
        /* upright bars hang from their joint: the angle's acceleration, -(g/l) cos/(..), is zero */
        CHECK_NEAR(dae_solver_dz(s)[8], 0, 1e3 * tol + 1e-7);
      }
      CHECK(dae_solver_advance(s, 30) == DAE_OK);
      CHECK_NEAR(dae_solver_z(s)[2], 5.23625263020888, 1e3 * tol + 1e-7);
      dae_solver_free(s);
      gallery_close("slider-crank-singular", p);
    }
}

/* 1995, examples 6.2 and 6.3 from t = 1/2 on, where G vanishes */
static void index_2(void) {
  static const char *const name[] = {"singular-bounded", "singular-unbounded"};
  for (int k = 0; k < 2; k++) {
    dae_problem *p;
    char message[256];
    CHECK(gallery_open(&p, name[k], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    double z0[2], z[2], y[1], exact[2];
    p->exact(0.5, z0, y, p->ctx);
    for (double tol = 1e-4; tol > 0.5e-12; tol /= 100) {
      dae_options o = with(tol);
      memcpy(z, z0, sizeof z);
      CHECK(dae_solve(p, &o, 0.5, 1, z, NULL, NULL, NULL) == DAE_OK);
      p->exact(1, exact, y, p->ctx);
      CHECK_NEAR(z[0], exact[0], 10 * tol);
      CHECK_NEAR(z[1], exact[1], 10 * tol);
    }
    dae_options o = dae_options_default();
    o.form = "srm";
    o.srm_variant = "singular";
    o.method = "heun";
    o.step = o.srm_eps = 1e-3;
    o.srm_iterations = 3;
    memcpy(z, z0, sizeof z);
    CHECK(dae_solve(p, &o, 0.5, 1, z, NULL, NULL, NULL) == DAE_OK);
    /* the bound of the paper's own runs through the point */
    CHECK_NEAR(z[0], exact[0], 1e-6);
    CHECK_NEAR(z[1], exact[1], 1e-6);
    gallery_close(name[k], p);
  }
}

/* at rest two motions are possible; with a velocity between them the nearest one is taken unless it
   is held; and coordinates cannot be chosen there */
static void refused_where_nothing_is_determined(void) {
  double z[16];
  dae_options o = with(1e-6);
  dae_report report;
  start rest = {.name = "double-slider", .n = 1, .set = {"angle"}, .value = {-PI / 2}};
  CHECK(solve(&rest, &o, 1, z, &report, NULL) == DAE_E_BRANCH);
  CHECK(strstr(report.message, "at rest on a singular position") != NULL);
  mechanism m = crank_at(PI / 2, 0);
  CHECK(solve(&m.start, &o, 1, z, &report, NULL) == DAE_E_BRANCH);
  o.form = "state-space";
  m = crank_at(PI / 2, 2);
  CHECK(solve(&m.start, &o, 1, z, &report, NULL) == DAE_E_RANK);
}

static void nearest_velocity(void) {
  double z[16];
  dae_options o = with(1e-8);
  mechanism m = double_slider_at_toggle(1.3);
  m.start.init[2] =
      /* no motion has x1' = 1.3, x2' = -0.9: they are equal but for the sign, in the mass norm */
      -0.9;
  double rate = (1 * 1.3 + 2 * 0.9) / 3;
  mechanism nearest = double_slider_at_toggle(rate);
  CHECK(solve(&m.start, &o, 1, z, NULL, NULL) == DAE_OK);
  CHECK_NEAR(z[0], expected(&nearest, 1), 1e-6); /* 100 tol as above */
}

/* x1 = t, x2 = sqrt(1 - t) ends at t = 1: no reaction keeps x1 + x2^2 = 1 from there on */
static int ends_f(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)z, (void)ctx;
  f[0] = 1;
  f[1] = -y[0];
  return 0;
}
static int ends_g(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[0] + z[1] * z[1] - 1;
  return 0;
}

static void start_on_an_impasse(void) {
  static const double z0[] = {1, 0};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .z0 = z0,
                   .t0 = 1,
                   .t1 = 2,
                   .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = ends_f, .g = ends_g}};
  dae_options o = dae_options_default();
  dae_report report;
  CHECK(dae_solve(&p, &o, 1, 2, (double[]){1, 0}, NULL, &report, NULL) == DAE_E_BRANCH);
}

int main(void) {
  RUN(slider_crank);
  RUN(four_bar);
  RUN(double_slider);
  RUN(fixed_steps);
  RUN(stops_on_it);
  RUN(index_2);
  RUN(refused_where_nothing_is_determined);
  RUN(nearest_velocity);
  RUN(start_on_an_impasse);
  return TEST_END();
}
