/* backward-euler and implicit-midpoint on every form: the order of the table, and constraints kept
   where imposed */
#include "gallery.h"
#include "order_run.h"
#include "sledge.h"
#include "test.h"

typedef struct form_case {
  const char *form;
  double gamma;
  int kept; /* levels that must be at rounding at the end; -1: all */
} form_case;

static const form_case forms[] = {
    {"direct", 0, -1},      {"index1", 0, 0},         {"index2", 0, 0},
    {"baumgarte", 3, 0},    {"attract", 3, 0},        {"ggl", 0, -1},
    {"invariant", 0, 1},    {"invariant-all", 0, -1}, {"invariant-balanced", 0, -1},
    {"state-space", 0, -1}, {"embed", 2, -1}};

static void check_form(const dae_problem *p, const form_case *f, const dae_method *m, double t1,
                       int N, const double *z, const double *y) {
  int before = test_failures, order = dae_problem_order(p);
  dae_options o = dae_options_default();
  o.method = m->name, o.form = f->form, o.gamma = f->gamma, o.stabilize = "none";
  dae_solver *s = NULL;
  o.step = 0.1;
  dae_status status = dae_solver_new(&s, p, &o, NULL);
  dae_solver_free(s);
  if (status == DAE_E_FORM) return; /* test_form_jacobian looks at the sentence */
  order_run a = order_go(p, o, t1, N, z, y), b = order_go(p, o, t1, 2 * N, z, y);
  CHECK(a.status == DAE_OK && b.status == DAE_OK);
  /* a quarter of an order for the terms that come after the first */
  for (int l = 0; l < order; l++) CHECK(order_of(a.error[l], b.error[l]) > m->order - 0.25);
  if (dae_problem_ny(p) > 0) CHECK(order_of(a.error_y, b.error_y) > m->order_y - 0.3);
  int kept = f->kept < 0 ? order : f->kept < order ? f->kept : order;
  for (int l = 0; l < kept; l++) CHECK_NEAR(b.drift[l], 0, 1e-12); /* Newton ends at rounding */
  if (test_failures > before)
    printf("  %s %s %s: error x %.2e %.2e y %.2e %.2e drift %.1e %.1e\n", p->name, f->form, m->name,
           a.error[0], b.error[0], a.error_y, b.error_y, b.drift[0], b.drift[1]);
}

static void check_problem(const dae_problem *p, double t1, int N) {
  double z[ORDER_ROOM], y[ORDER_ROOM];
  order_reference(p, t1, z, y);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    check_form(p, &forms[i], dae_method_find("backward-euler"), t1, 4 * N, z, y);
    check_form(p, &forms[i], dae_method_find("implicit-midpoint"), t1, N, z, y);
  }
}

static void check_gallery(const char *name, double t1, int N) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  check_problem(p, t1, N);
  gallery_close(name, p);
}

/* from consistent values: embed keeps what it is given */
static void mixed_constraints_with_mass(void) {
  dae_options o = dae_options_default();
  dae_solver *s;
  double z[8];
  dae_problem p = sledge;
  o.form = "index1";
  memcpy(z, sledge_z0, sizeof z);
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK && dae_solver_start(s, 0, z, NULL) == DAE_OK);
  dae_solver_free(s);
  p.z0 = z;
  check_problem(&p, 0.8, 24);
}
static void index2(void) { check_gallery("circle-index2", 1, 40); }
static void index2_not_affine(void) { check_gallery("driven-sphere", 0.7, 40); }
static void index3(void) { check_gallery("driven-arm", 0.9, 40); }
static void index4(void) { check_gallery("linear-order3", 0.5, 40); }
static void ode_with_invariant(void) { check_gallery("kepler", 1.1, 60); }

int main(void) {
  RUN(mixed_constraints_with_mass);
  RUN(index2);
  RUN(index2_not_affine);
  RUN(index3);
  RUN(index4);
  RUN(ode_with_invariant);
  return TEST_END();
}
