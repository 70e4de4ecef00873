/* label: long. Cash's test problems 1 to 35, eps 1e-1 .. 1e-6, three tolerances: all cells */
#include "cash_reference.h"
#include "test.h"

/* cells that have an answer: without 17 at 1e-2 (singular), 23 below 1e-1 (its layer is narrower
   than the distance of two numbers near 1), 33 below 1e-4 and 35 below 1e-1 (held by terms below
   rounding) */
static bool answerable(int number, int exponent) {
  return !(number == 17 && exponent == 2) && !(number == 23 && exponent > 1) &&
         !(number == 33 && exponent > 4) && !(number == 35 && exponent > 1);
}

static void test_table(void) {
  static const double tolerances[] = {1e-3, 1e-6, 1e-9};
  int count[3] = {0}, cells = 0;
  for (int number = 1; number <= CASH_PROBLEMS; number++)
    for (int exponent = 1; exponent <= 6; exponent++)
      for (int i = 0; i < 3; i++) {
        char text[300];
        cash c = cash_problem(number, powl(10, -exponent));
        cash_verdict verdict = cash_judge(&c, tolerances[i], text, sizeof text);
        count[verdict]++;
        cells += answerable(number, exponent);
        if (verdict != CASH_RIGHT) printf("%s\n", text);
        CHECK(verdict != CASH_OFF);
      }
  printf("%d right, %d refused, %d off; %d cells have an answer\n", count[CASH_RIGHT],
         count[CASH_REFUSED], count[CASH_OFF], cells);
  /* of those that have an answer few may be refused: 16 with more than 5000 waves, which are more
     than mesh_max holds, and 24 with the narrowest shocks */
  CHECK(count[CASH_RIGHT] > 0.96 * cells);
}

int main(void) {
  RUN(test_table);
  return TEST_END();
}
