/* boundary value problems: every take of memory may fail; an honest status, nothing is lost */
#include "gallery.h"

#include "fault/alloc.h"
#include "test.h"

static dae_status solve(const dae_problem *p, fault_alloc *a, dae_solution **s) {
  dae_options o = dae_options_default();
  o.allocator = fault_allocator(a);
  o.method = "colloc-gauss3";
  o.rtol = o.atol = 1e-3;
  o.mesh = 5;
  return dae_bvp_solve(p, &o, NULL, s, NULL);
}

static void fail_each(const char *name) {
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  fault_alloc none = {0};
  dae_solution *s = NULL;
  CHECK(solve(p, &none, &s) == DAE_OK);
  dae_solution_free(s);
  CHECK(none.live == 0);
  for (long n = 1; n <= none.takes; n++) {
    fault_alloc a = {.fail_at = n};
    s = NULL;
    dae_status status = solve(p, &a, &s);
    /* a solution on an earlier mesh may be there, and belongs to the caller */
    CHECK(status == DAE_E_MEMORY);
    dae_solution_free(s);
    CHECK(a.live == 0);
    if (status != DAE_E_MEMORY || a.live != 0)
      printf("  %s: take %ld of %ld fails: %s, %ld blocks live\n", name, n, none.takes,
             dae_status_name(status), a.live);
  }
  gallery_close(name, p);
}

static void test_memory(void) {
  fail_each("bvp-pendulum");
  fail_each("bvp-eigenvalue");
  fail_each("bvp-sphere");
}

int main(void) {
  RUN(test_memory);
  return TEST_END();
}
