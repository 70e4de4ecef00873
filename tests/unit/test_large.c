/* large sparse problems: what `auto` takes for them */
#include <string.h>

#include "gallery.h"
#include "test.h"
#include <daedal/daedal.h>

static dae_problem *open_chain(double n) {
  dae_problem *p = NULL;
  const char *name = "n";
  char text[200];
  CHECK(gallery_open(&p, "pendulum-chain", 1, &name, &n, text, sizeof text) == DAE_OK);
  return p;
}

/* the waves of a chain have frequencies up to 2 n sqrt(g cos(angle) / length), about 5.9 n: the explicit steps they
   allow are many more than a loose tolerance asks for, and no more than a tight one does */
static void choice(void) {
  static const struct {
    double n, tol;
    const char *method;
  } cases[] = {{200, 1e-2, "radau3"}, {3000, 1e-4, "radau3"}, {200, 1e-8, "dop853"}, {8000, 1e-6, "radau5"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dae_problem *p = open_chain(cases[i].n);
    dae_solver *s = NULL;
    dae_options o = dae_options_default();
    o.rtol = o.atol = cases[i].tol;
    CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
    CHECK(s && strcmp(dae_solver_method(s), cases[i].method) == 0);
    dae_solver_free(s);
    gallery_close("pendulum-chain", p);
  }
}

int main(void) {
  RUN(choice);
  return TEST_END();
}
