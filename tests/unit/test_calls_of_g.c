/* mechanisms with g alone: how often g is called, beside a run that is given G */
#include <stdlib.h>

#include "gallery.h"
#include "test.h"

/* a problem of the gallery, and calls of its functions */
typedef struct watched {
  const dae_problem *of;
  long g, G;
} watched;

static int watch_g(double t, const double *q, double *g, void *ctx) {
  watched *w = ctx;
  w->g++;
  return w->of->mechanical.g(t, q, g, w->of->ctx);
}
static int watch_G(double t, const double *q, double *G, void *ctx) {
  watched *w = ctx;
  w->G++;
  return w->of->mechanical.G(t, q, G, w->of->ctx);
}
static int pass_g_t(double t, const double *q, double *gt, void *ctx) {
  const dae_problem *of = ((watched *)ctx)->of;
  return of->mechanical.g_t(t, q, gt, of->ctx);
}
static int pass_curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const dae_problem *of = ((watched *)ctx)->of;
  return of->mechanical.curvature(t, q, v, c, of->ctx);
}
static int pass_force(double t, const double *q, const double *v, double *f, void *ctx) {
  const dae_problem *of = ((watched *)ctx)->of;
  return of->mechanical.force(t, q, v, f, of->ctx);
}
static int pass_mass(double t, const double *q, double *M, void *ctx) {
  const dae_problem *of = ((watched *)ctx)->of;
  return of->mechanical.mass(t, q, M, of->ctx);
}

/* what the problem gives: g; also G; also curvature and g_t */
enum { ONLY_G, WITH_GRADIENT, WITH_CURVATURE, KINDS };

static dae_problem part_of(const dae_problem *p, watched *w, int kind) {
  const dae_mechanical *all = &p->mechanical;
  dae_problem part = *p;
  *w = (watched){.of = p};
  part.ctx = w;
  part.exact = NULL;
  part.mechanical = (dae_mechanical){.nq = all->nq,
                                     .ng = all->ng,
                                     .g = watch_g,
                                     .force = all->force ? pass_force : NULL,
                                     .mass = all->mass ? pass_mass : NULL,
                                     .mass_kind = all->mass_kind,
                                     .mass_pattern = all->mass_pattern,
                                     .mass_constant = all->mass_constant};
  dae_mechanical *m = &part.mechanical;
  if (kind >= WITH_GRADIENT) m->G = watch_G, m->G_pattern = all->G_pattern;
  if (kind >= WITH_CURVATURE) {
    m->curvature = all->curvature ? pass_curvature : NULL;
    m->g_t = all->g_t ? pass_g_t : NULL;
  }
  return part;
}

/* what a run took per evaluation and how it ended */
typedef struct outcome {
  double calls; /* of g, and n for every G: what forward differences would take in its place */
  double drift, z[32];
} outcome;

static outcome run(const dae_problem *p, int kind, double tol, const char *method) {
  watched w;
  outcome r = {0};
  dae_problem part = part_of(p, &w, kind);
  dae_options o = dae_options_default();
  dae_solver *s;
  o.rtol = o.atol = tol;
  o.method = method;
  CHECK(dae_solver_new(&s, &part, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  w.g = w.G = 0;
  CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
  const dae_stats *a = dae_solver_stats(s);
  r.calls = (double)(w.g + p->mechanical.nq * w.G) / (double)a->evaluations;
  r.drift = fmax(a->drift_max[0], a->drift_max[1]);
  memcpy(r.z, dae_solver_z(s), (size_t)dae_problem_nz(p) * sizeof *r.z);
  dae_solver_free(s);
  return r;
}

typedef struct mechanism {
  const char *name;
  double most;        /* calls an evaluation with an explicit method at 1e-4 */
  double drift;       /* G v by differences along the motion: 1e-12 of speeds to 1e3 */
  double sensitivity; /* of the end to what happens on the way, in tolerances */
} mechanism;

static void one_mechanism(const mechanism *m, const char *method, double tol, double most) {
  dae_problem *p;
  CHECK(gallery_open(&p, m->name, 0, NULL, NULL, NULL, 0) == DAE_OK);
  outcome r[KINDS];
  for (int kind = 0; kind < KINDS; kind++) r[kind] = run(p, kind, tol, method);
  printf("  %s %s %g: %.1f %.1f %.1f calls an evaluation\n", m->name, method, tol, r[0].calls,
         r[1].calls, r[2].calls);
  CHECK(r[ONLY_G].calls <= 3 * r[WITH_GRADIENT].calls);
  /* what curvature would take is not counted with a run that is given it, hence more than 3 */
  CHECK(r[ONLY_G].calls <= 6 * r[WITH_CURVATURE].calls);
  CHECK(r[ONLY_G].calls < most);
  CHECK(r[ONLY_G].drift < m->drift);
  for (int i = 0; i < dae_problem_nz(p); i++)
    CHECK_NEAR(r[ONLY_G].z[i], r[WITH_CURVATURE].z[i],
               m->sensitivity * tol * (1 + fabs(r[WITH_CURVATURE].z[i])));
  gallery_close(m->name, p);
}

/* G takes 2 n calls and the curvature 5, the rest are those of the projection; one call tells that
   a constraint of degree two (the pendulum's) still is what was found */
static const mechanism MECHANISMS[] = {
    {"pendulum", 1.5, 1e-12, 1}, {"slider-crank", 17, 1e-11, 1}, {"andrews", 24, 1e-9, 100}};

static void test_explicit(void) {
  for (int k = 0; k < 3; k++) {
    one_mechanism(&MECHANISMS[k], "dop853", 1e-4, MECHANISMS[k].most);
    one_mechanism(&MECHANISMS[k], "dop853", 1e-7, 1.2 * MECHANISMS[k].most);
  }
}

/* levels of the constraints in every iteration, gradients for their forces */
static void test_implicit(void) {
  for (int k = 0; k < 3; k++) one_mechanism(&MECHANISMS[k], "radau3", 1e-5, 3 * MECHANISMS[k].most);
}

/* G does not come from four calls a column where two do, but it does where digits are wanted */
static void test_tight(void) { one_mechanism(&MECHANISMS[1], "dop853", 1e-10, 28); }

int main(void) {
  RUN(test_explicit);
  RUN(test_implicit);
  RUN(test_tight);
  return TEST_END();
}
