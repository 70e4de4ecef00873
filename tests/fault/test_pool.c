/* the pool under failing allocations: the failure is remembered, nothing is lost */
#include "base/base.h"
#include "fault/alloc.h"
#include "test.h"

enum { TAKES = 7 };

/* five blocks of awkward sizes, one of them grown, and a string that is given back early */
static void use(dae_pool *pool) {
  double *grown = NULL;
  for (int i = 0; i < TAKES - 2; i++) {
    double *x = dae_base_doubles(pool, (size_t)(3 * i + 2));
    if (x) x[3 * i + 1] = i + 0.5;
    if (i == 2) grown = x;
  }
  double kept = grown ? 2.5 : 0;
  grown = dae_base_regrow(pool, grown, 8, 23, sizeof *grown);
  if (grown) CHECK(grown[7] == kept);
  dae_base_give(pool, dae_base_string(pool, "slider-crank"));
}

static void each_take_may_fail(void) {
  for (long k = 2; k < 2 * TAKES + 4; k++) {
    long n = k / 2;
    fault_alloc a = {.fail_at = n, .once = k % 2};
    dae_allocator allocator = fault_allocator(&a);
    dae_pool pool;
    dae_base_pool_init(&pool, &allocator);
    use(&pool);
    CHECK(a.takes == TAKES);
    CHECK(pool.failed == (n <= TAKES));
    dae_base_pool_free(&pool);
    CHECK(a.live == 0);
  }
}

int main(void) {
  RUN(each_take_may_fail);
  return TEST_END();
}
