/* fuzzers: a case is made from bytes, which libFuzzer invents (tests/model/fuzz.sh) or a seed gives
 *
 * A fuzzer is one program fuzz_<what>.c that defines
 *
 *     static void fuzz_case(fuzz *f);
 *
 * and ends with FUZZ_MAIN("<what>"). By itself it runs `--cases N` from `--first K` on; case k
 * depends on k alone. A case may take ten seconds of processor time; one that does not end at all
 * is ended by an alarm.
 */
#ifndef DAEDAL_FUZZ_H
#define DAEDAL_FUZZ_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct fuzz {
  const uint8_t *data; /* decisions */
  size_t size, at;
  uint64_t state; /* of the random numbers that take over when `data` ends */
  char *text;     /* what is made up */
  size_t length, room;
} fuzz;

/* a byte: given, then random (splitmix64) */
static inline unsigned fuzz_byte(fuzz *f) {
  if (f->at < f->size) return f->data[f->at++];
  uint64_t z = (f->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (unsigned)((z ^ (z >> 31)) & 255);
}

/* 0 .. n-1 */
static inline int fuzz_choose(fuzz *f, int n) {
  return n > 1 ? (int)(fuzz_byte(f) % (unsigned)n) : 0;
}

/* in so many of 256 cases */
static inline bool fuzz_often(fuzz *f, unsigned of_256) { return fuzz_byte(f) < of_256; }

static inline void fuzz_bytes(fuzz *f, const char *bytes, size_t count) {
  if (f->length + count + 1 > f->room) {
    f->room = 2 * (f->length + count) + 256;
    f->text = realloc(f->text, f->room);
    if (!f->text) abort();
  }
  memcpy(f->text + f->length, bytes, count);
  f->length += count;
  f->text[f->length] = '\0';
}

__attribute__((format(printf, 2, 3))) static inline void fuzz_add(fuzz *f, const char *format,
                                                                  ...) {
  char line[1000];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  fuzz_bytes(f, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

#define FUZZ_PICK(f, list) ((list)[fuzz_choose(f, (int)(sizeof(list) / sizeof *(list)))])

static void fuzz_case(fuzz *f);

static inline void fuzz_run(const uint8_t *data, size_t size, uint64_t state) {
  fuzz f = {.data = data, .size = size, .state = state};
  fuzz_case(&f);
  free(f.text);
}

/* a case that takes more processor time hangs; the alarm leaves room for a busy machine */
enum { FUZZ_SECONDS = 10, FUZZ_ALARM = 200 };

/* says which case crashed or hung */
static volatile long fuzz_now;
static inline void fuzz_last_words(int number) {
  char text[40] = " case ";
  size_t n = 40;
  text[--n] = '\n';
  for (long k = fuzz_now; n > 10 && (k > 0 || n == 39); k /= 10) text[--n] = (char)('0' + k % 10);
  const char *what = number == SIGALRM ? "hangs:" : "crashes:";
  if (write(1, what, strlen(what)) < 0 || write(1, text, 6) < 0 || write(1, text + n, 40 - n) < 0)
    _exit(3);
  signal(number, SIG_DFL);
  raise(number);
}

static inline int fuzz_main(int argc, char **argv, const char *name) {
  long cases = 1000, first = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--cases") == 0) cases = atol(argv[i + 1]);
    if (strcmp(argv[i], "--first") == 0) first = atol(argv[i + 1]);
    if (strcmp(argv[i], "--only") == 0) first = atol(argv[i + 1]), cases = 1;
  }
  static const int bad[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) signal(bad[i], fuzz_last_words);
  for (long k = first; k < first + cases; k++) {
    fuzz_now = k;
    alarm(FUZZ_ALARM);
    clock_t begun = clock();
    fuzz_run(NULL, 0, (uint64_t)k * 0xd1342543de82ef95u + 1);
    if ((double)(clock() - begun) > (double)FUZZ_SECONDS * CLOCKS_PER_SEC) raise(SIGALRM);
  }
  printf("%s: %ld cases\n", name, cases);
  return 0;
}

#ifdef DAEDAL_FUZZER
#define FUZZ_MAIN(name)                                                           \
  int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                   \
  int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                  \
    uint64_t state = 1469598103934665603u;                                        \
    for (size_t i = 0; i < size; i++) state = (state ^ data[i]) * 1099511628211u; \
    fuzz_run(data, size, state);                                                  \
    return 0;                                                                     \
  }
#else
#define FUZZ_MAIN(name) \
  int main(int argc, char **argv) { return fuzz_main(argc, argv, name); }
#endif

#endif
