/* the random exam: cases made from a seed, each with an independent reference and one verdict
 *
 * A class of cases is one program exam_<class>.c that defines
 *
 *     static exam_verdict exam_case(exam *e);
 *
 * and ends with EXAM_MAIN("<class>"). Its second line says how many cases the quick and the long
 * tests take, `exam: 80 8000`. Case k of a class depends on k alone, so that `--only k` repeats it.
 * A line `mended: K K ..` has cases that were defects once: the quick test takes them as well.
 */
#ifndef DAEDAL_EXAM_H
#define DAEDAL_EXAM_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum exam_verdict {
  EXAM_RIGHT,   /* ok, and the reference agrees */
  EXAM_REFUSED, /* a status other than ok whose reason is true */
  EXAM_DEFECT   /* ok and wrong, a false reason, or nothing in time */
} exam_verdict;

typedef struct exam {
  uint64_t state;  /* of the random numbers */
  long number;     /* of the case */
  bool verbose;    /* exam_note is printed */
  char kind[48];   /* of the case, counted apart; "" when a class has only one */
  char text[1024]; /* what the case is and what was wrong with it */
} exam;

/* splitmix64: equal on every machine */
static inline uint64_t exam_bits(exam *e) {
  uint64_t z = (e->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* in [low, high) */
static inline double exam_real(exam *e, double low, double high) {
  return low + (high - low) * ((double)(exam_bits(e) >> 11) * 0x1p-53);
}

/* in low .. high */
static inline int exam_int(exam *e, int low, int high) {
  return low + (int)(exam_bits(e) % (uint64_t)(high - low + 1));
}

static inline bool exam_chance(exam *e, double probability) {
  return exam_real(e, 0, 1) < probability;
}

/* even in the logarithm, 0 < low < high */
static inline double exam_scale(exam *e, double low, double high) {
  return exp(exam_real(e, log(low), log(high)));
}

/* says in e->text what a verdict rests on, and returns the verdict */
__attribute__((format(printf, 3, 4))) static inline exam_verdict
exam_say(exam *e, exam_verdict verdict, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(e->text, sizeof e->text, format, list);
  va_end(list);
  return verdict;
}

/* a case that takes more processor time hangs; the alarm leaves room for a busy machine */
enum { EXAM_SECONDS = 60, EXAM_ALARM = 600 };

static exam_verdict exam_run(long k, bool verbose, const char *name, exam_verdict (*one)(exam *)) {
  exam e = {.state = (uint64_t)k * 0xd1342543de82ef95u + 1, .number = k, .verbose = verbose};
  for (const char *c = name; *c; c++) e.state = e.state * 31 + (unsigned char)*c;
  clock_t begun = clock();
  alarm(EXAM_ALARM); /* the case that hangs is the one after the last line printed */
  exam_verdict verdict = one(&e);
  alarm(0);
  if ((double)(clock() - begun) > (double)EXAM_SECONDS * CLOCKS_PER_SEC)
    verdict = exam_say(&e, EXAM_DEFECT, "nothing in time");
  if (verdict == EXAM_DEFECT || verbose)
    printf("%s case %ld %s%s%s: %s\n",
           verdict == EXAM_DEFECT    ? "DEFECT "
           : verdict == EXAM_REFUSED ? "refused"
                                     : "right  ",
           k, name, e.kind[0] ? "/" : "", e.kind, e.text);
  fflush(stdout);
  return verdict;
}

static int exam_main(int argc, char **argv, const char *name, exam_verdict (*one)(exam *)) {
  enum { ALSO = 64 };
  long cases = 100, first = 0, count[3] = {0}, also[ALSO];
  int more = 0;
  bool verbose = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--verbose") == 0) verbose = true;
    else if (i + 1 < argc && strcmp(argv[i], "--cases") == 0) cases = atol(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--first") == 0) first = atol(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--only") == 0) first = atol(argv[++i]), cases = 1;
    else if (i + 1 < argc && more < ALSO && strcmp(argv[i], "--also") == 0)
      also[more++] = atol(argv[++i]);
    else {
      fprintf(stderr, "usage: %s [--cases N] [--first K] [--only K] [--also K] .. [--verbose]\n",
              argv[0]);
      return 2;
    }
  }
  for (long k = first; k < first + cases; k++) count[exam_run(k, verbose, name, one)]++;
  for (int i = 0; i < more; i++) count[exam_run(also[i], verbose, name, one)]++;
  printf("%s: %ld right, %ld refused, %ld defects\n", name, count[EXAM_RIGHT], count[EXAM_REFUSED],
         count[EXAM_DEFECT]);
  return count[EXAM_DEFECT] == 0 && count[EXAM_RIGHT] > 0 ? 0 : 1;
}

#define EXAM_MAIN(name) \
  int main(int argc, char **argv) { return exam_main(argc, argv, name, exam_case); }

#endif
