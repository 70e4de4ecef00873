/* label: long */
/* all problems of the gallery with all families of methods, each killed at a random step */
#include "checkpoint.h"

static void test_all(void) {
  for (int round = 0; round < 4; round++) kill_runs(1);
  CHECK(killed > 3000);
}

int main(void) {
  RUN(test_all);
  return TEST_END();
}
