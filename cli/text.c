/* messages, numbers in text, near names */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Thread_local char *fail_text;
static _Thread_local size_t fail_size;

void cli_fail_into(char *text, int size) {
  fail_text = text;
  fail_size = (size_t)size;
}

int cli_fail(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (fail_text) {
    vsnprintf(fail_text, fail_size, format, args);
    va_end(args);
    return code;
  }
  fputs("daedal: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

void *cli_take(size_t count, size_t size) {
  void *block = calloc(count ? count : 1, size ? size : 1);
  if (!block) exit(cli_fail(CLI_STOPPED, "out of memory"));
  return block;
}

bool cli_number(const char *text, double *value) {
  char *end;
  /* strtod would also read blanks, hexadecimal, nan and inf: typing errors more likely */
  if (!isdigit((unsigned char)text[0]) && !strchr("+-.", text[0])) return false;
  if (text[0] == '\0' || strpbrk(text, "xXnN")) return false;
  errno = 0;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*value);
}

bool cli_count(const char *text, int *value) {
  char *end;
  if (!isdigit((unsigned char)text[0]) && !strchr("+-", text[0])) return false;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno || number > INT_MAX || number < INT_MIN) return false;
  *value = (int)number;
  return true;
}

/* edit distance with neighbours exchanged counted as one; three rows of its table */
static int edit_distance(const char *a, const char *b) {
  enum { LONGEST = 63 };
  int rows[3][LONGEST + 1], *last = rows[0], *row = rows[1], *before = rows[2];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > LONGEST || nb > LONGEST) return INT_MAX;
  for (int j = 0; j <= nb; j++) last[j] = j;
  for (int i = 1; i <= na; i++) {
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      row[j] = best;
    }
    int *spare = before;
    before = last;
    last = row;
    row = spare;
  }
  return last[nb];
}

void cli_near_offer(cli_near *near, const char *candidate) {
  int length = (int)strlen(near->word), distance = edit_distance(near->word, candidate);
  /* the beginning of a name counts as near: "pend" for "pendulum" */
  if (length >= 3 && strncmp(near->word, candidate, (size_t)length) == 0 && distance > 2)
    distance = 2;
  int allowed = length <= 3 ? 1 : length <= 6 ? 2 : 3;
  if (distance > allowed || (near->best && distance >= near->distance)) return;
  near->best = candidate;
  near->distance = distance;
}

const char *cli_near_text(const cli_near *near, char *text, int size) {
  text[0] = '\0';
  if (near->best) snprintf(text, (size_t)size, "; did you mean '%s'?", near->best);
  return text;
}

double cli_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool cli_is_text(const char *model) {
  return cli_ends_with(model, ".mo") || cli_ends_with(model, ".bmo");
}

bool cli_ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

const char *cli_sentence(dae_status status, const char *message, const char *advice, char *text,
                         int size) {
  size_t n = strlen(message);
  bool stop = n > 0 && strchr(".!?", message[n - 1]);
  /* bad input is named by the message; "see the message" would add nothing */
  bool more = advice[0] && status != DAE_E_INPUT;
  snprintf(text, (size_t)size, "%s%s%s", message, more ? (stop ? " " : ". ") : "",
           more ? advice : "");
  return text;
}
