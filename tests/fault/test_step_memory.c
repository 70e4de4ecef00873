/* no memory is taken after dae_solver_new: neither from the user's allocator nor by malloc behind
   its back, in dense and sparse problems, by explicit and implicit methods */
#include "gallery.h"

#include "fault/alloc.h"
#include "fault/mallocs.h"
#include "test.h"

/* start, steps and output of one combination; 1 when there is one */
static int run(const dae_problem *p, const char *method, const char *form, double step) {
  fault_alloc a = {0};
  dae_options o = dae_options_default();
  dae_solver *s;
  o.method = method;
  o.form = form;
  o.step = step;
  o.allocator = fault_allocator(&a);
  if (dae_solver_new(&s, p, &o, NULL) != DAE_OK) return 0;
  long takes = a.takes, before = mallocs;
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  for (int i = 0; i < 12 && status == DAE_OK; i++) status = dae_solver_step(s, p->t1);
  if (status == DAE_OK)
    status = dae_solver_eval(s, (dae_solver_previous_time(s) + dae_solver_time(s)) / 2, NULL, NULL);
  long more = mallocs - before;
  CHECK(a.takes == takes && more == 0);
  if (a.takes != takes || more > 0)
    printf("  %s, %s, %s: %ld takes and %ld mallocs after new\n", p->name, method, form,
           a.takes - takes, more);
  dae_solver_free(s);
  CHECK(a.live == 0);
  return 1;
}

/* chains along which matrices are thin, nets whose factors fill; small ones and large ones */
static const struct {
  const char *problem, *names[3];
  double values[3];
} cases[] = {
    {"pendulum-chain", {"n", "sparse"}, {6, 0}},
    {"pendulum-chain", {"n", "sparse"}, {6, 1}},
    {"pendulum-chain", {"n", "sparse"}, {700, 1}},
    {"rod-net", {"nx", "ny", "sparse"}, {5, 6, 1}},
};

static void every_method(void) {
  static const char *const forms[] = {"auto", "index2", "ggl", "index1"};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    dae_problem *p = NULL;
    char text[DAE_TEXT_MAX];
    const char *const *names = cases[c].names;
    int made = 0;
    if (gallery_open(&p, cases[c].problem, names[2] ? 3 : 2, names, cases[c].values, text,
                     sizeof text) != DAE_OK)
      puts(text);
    CHECK(p != NULL);
    /* methods of the problem itself have dense matrices */
    bool large = p && dae_problem_nz(p) > 200;
    for (int m = 0; p && dae_method_at(m); m++)
      for (int f = 0; f < 4; f++) {
        if (large && (f != 2 || dae_method_at(m)->view == DAE_VIEW_PROBLEM)) continue;
        made += run(p, dae_method_at(m)->name, forms[f], 0);
        if (!large) made += run(p, dae_method_at(m)->name, forms[f], 0.0007);
      }
    printf("%s, %g: %d combinations\n", cases[c].problem, cases[c].values[0], made);
    CHECK(made > (large ? 15 : 100));
    if (p) gallery_close(cases[c].problem, p);
  }
}

/* pivots that have to be chosen anew on the way: rates that change by a factor 1e8 from variable to
   variable and in time, so that no order of rows serves for ever */
enum { N = 40 };

static int rates(double t, const double *z, double *dz, void *ctx) {
  (void)ctx;
  for (int i = 0; i < N; i++) {
    double k = pow(10, 4 * sin(37 * t + i)), next = z[(i + 1) % N], far = z[(i + 7) % N];
    dz[i] = -k * (z[i] - next) + far * next;
  }
  return 0;
}

static void pivots_change(void) {
  int start[N + 1], column[3 * N], e = 0;
  for (int i = 0; i < N; i++) {
    start[i] = e;
    for (int j = 0; j < N; j++)
      if (j == i || j == (i + 1) % N || j == (i + 7) % N) column[e++] = j;
  }
  start[N] = e;
  dae_pattern pattern = {N, N, start, column};
  double z0[N];
  for (int i = 0; i < N; i++) z0[i] = sin(i);
  dae_problem p = {.kind = DAE_ODE,
                   .name = "rates",
                   .t1 = 1,
                   .z0 = z0,
                   .ode = {.n = N, .f = rates, .f_pattern = &pattern}};
  CHECK(run(&p, "radau5", "auto", 0) && run(&p, "bdf", "auto", 0) && run(&p, "sdirk3", "auto", 0));
}

int main(void) {
#ifdef INTERPOSED
  /* the counter counts */
  long before = mallocs;
  free(malloc(1));
  CHECK(mallocs == before + 1);
#endif
  RUN(every_method);
  RUN(pivots_change);
  return TEST_END();
}
