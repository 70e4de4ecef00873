/* the whole test framework: run named tests, count checks, say where one failed */
#ifndef DAEDAL_TEST_H
#define DAEDAL_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int test_checks, test_failures;

#define CHECK(cond)                                                              \
  do {                                                                           \
    test_checks++;                                                               \
    if (!(cond)) {                                                               \
      test_failures++;                                                           \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #cond);                  \
    }                                                                            \
  } while (0)

/* |a - b| <= tol, and both are numbers */
#define CHECK_NEAR(a, b, tol)                                                    \
  do {                                                                           \
    double a_ = (a), b_ = (b), tol_ = (tol);                                     \
    test_checks++;                                                               \
    if (!(fabs(a_ - b_) <= tol_)) {                                              \
      test_failures++;                                                           \
      printf("%s:%d: %s = %.17g, expected %.17g within %g (off by %g)\n",        \
             __FILE__, __LINE__, #a, a_, b_, tol_, fabs(a_ - b_));               \
    }                                                                            \
  } while (0)

#define CHECK_STR(a, b)                                                          \
  do {                                                                           \
    const char *sa_ = (a), *sb_ = (b);                                           \
    test_checks++;                                                               \
    if (!sa_ || !sb_ || strcmp(sa_, sb_) != 0) {                                 \
      test_failures++;                                                           \
      printf("%s:%d: %s is\n  \"%s\", expected\n  \"%s\"\n", __FILE__, __LINE__, \
             #a, sa_ ? sa_ : "(null)", sb_ ? sb_ : "(null)");                    \
    }                                                                            \
  } while (0)

/* RUN(f) in main; a failing test does not stop the others */
#define RUN(f)                                                                   \
  do {                                                                           \
    int before_ = test_failures;                                                 \
    f();                                                                         \
    printf("%s %s\n", test_failures == before_ ? "ok    " : "FAILED", #f);       \
  } while (0)

#define TEST_END()                                                               \
  (printf("%d checks, %d failures\n", test_checks, test_failures),               \
   test_checks > 0 && test_failures == 0 ? 0 : 1)

#endif
