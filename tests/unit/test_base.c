/* base: status texts, pool, near names */
#include <stdint.h>

#include "base/base.h"
#include "test.h"

static void status_texts(void) {
  CHECK_STR(dae_status_name(DAE_OK), "ok");
  CHECK_STR(dae_status_name(DAE_E_RANK), "rank deficient");
  CHECK_STR(dae_status_name(12345), "unknown status");
  CHECK(strlen(dae_status_advice(DAE_E_STEP)) > 10);
}

static void pool_gives_everything_back(void) {
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  double *a = dae_base_doubles(&pool, 17);
  int *b = dae_base_ints(&pool, 0);
  CHECK(a && b && ((uintptr_t)a & 63) == 0 && a[16] == 0);
  a[16] = 3.25;
  a = dae_base_regrow(&pool, a, 17, 40, sizeof *a);
  CHECK(a && a[16] == 3.25 && a[39] == 0);
  dae_base_give(&pool, b);
  CHECK(pool.bytes == 40 * sizeof(double));
  CHECK(!dae_base_take(&pool, SIZE_MAX / 2, 16) && pool.failed);
  dae_base_pool_free(&pool);
  CHECK(pool.bytes == 0);
}

/* far more than fits into one slab, between blocks that have their own memory: none touches
   another */
static void many_small_blocks(void) {
  enum { BLOCKS = 700 };
  unsigned char *block[BLOCKS];
  dae_pool pool;
  size_t bytes = 0;
  dae_base_pool_init(&pool, NULL);
  for (int i = 0; i < BLOCKS; i++) {
    size_t size = i % 50 == 7 ? 5000 : (size_t)(i * 37 % 301);
    block[i] = dae_base_take(&pool, size, 1);
    bytes += size;
    if (!block[i] || ((uintptr_t)block[i] & 63) != 0) CHECK(0);
    for (size_t k = 0; k < size; k++)
      if (block[i][k] != 0) CHECK(0);
    memset(block[i], i % 251 + 1, size);
    if (i % 3 == 0) dae_base_give(&pool, block[i]), bytes -= size;
  }
  int wrong = 0;
  for (int i = 0; i < BLOCKS; i++)
    for (size_t k = 0; i % 3 && k < (i % 50 == 7 ? 5000 : (size_t)(i * 37 % 301)); k++)
      wrong += block[i][k] != i % 251 + 1;
  CHECK(wrong == 0 && pool.bytes == bytes);
  dae_base_pool_free(&pool);
}

static void near_names(void) {
  const char *const names[] = {"dopri5", "dop853", "euler", "backward-euler"};
  CHECK(dae_base_nearest("dopri", names, 4) == 0);
  CHECK(dae_base_nearest("eular", names, 4) == 2);
  CHECK(dae_base_nearest("zzzzzzzz", names, 4) == -1);
}

static void finite_numbers(void) {
  double x[3] = {1.5, -2e300, 0};
  CHECK(dae_base_finite(x, 3));
  x[1] = INFINITY;
  CHECK(!dae_base_finite(x, 3));
  x[1] = NAN;
  CHECK(!dae_base_finite(x, 3));
  /* each place of a block and of what is left over; a sum that overflows is no infinity */
  double y[11];
  for (int n = 1; n <= 11; n++)
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < n; i++) y[i] = i % 2 ? 1.7e308 : 1.6e308;
      CHECK(dae_base_finite(y, n));
      y[k] = k % 2 ? NAN : -INFINITY;
      CHECK(!dae_base_finite(y, n));
    }
}

int main(void) {
  RUN(status_texts);
  RUN(pool_gives_everything_back);
  RUN(many_small_blocks);
  RUN(near_names);
  RUN(finite_numbers);
  return TEST_END();
}
