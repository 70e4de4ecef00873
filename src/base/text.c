/* log lines, near names, finite numbers */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

void dae_base_log(const dae_log *log, dae_log_level level, const char *format, ...) {
  if (!log || !log->line || level > log->level) return;
  char text[512];
  va_list args;
  va_start(args, format);
  dae_base_vprint(text, sizeof text, format, args);
  va_end(args);
  log->line(level, text, log->ctx);
}

enum { WORD_MAX = 48 };

/* edits (insert, delete, replace) that turn a into b; WORD_MAX for long words */
static int edit_distance(const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b);
  if (na >= WORD_MAX || nb >= WORD_MAX) return WORD_MAX;
  int row[WORD_MAX + 1];
  for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int up = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
      if (up + 1 < best) best = up + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = up;
      row[j] = best;
    }
  }
  return row[nb];
}

int dae_base_nearest(const char *word, const char *const *names, int count) {
  int best = -1, best_distance = WORD_MAX;
  for (int i = 0; i < count; i++) {
    int d = edit_distance(word, names[i]);
    if (d < best_distance) best = i, best_distance = d;
  }
  int limit = (int)(strlen(word) + 2) / 3;
  return best_distance <= (limit > 1 ? limit : 1) ? best : -1;
}

/* a number only if all eight from x on are */
typedef double pair DAE_VECTOR_ANYWHERE(16);

static inline pair sum_of_eight(const double *x) {
  const pair *v = (const pair *)x;
  return (v[0] + v[1]) + (v[2] + v[3]);
}

bool dae_base_finite_many(const double *x, int n) {
  pair a = {0, 0};
  int i = 0;
  for (; i + 8 <= n; i += 8) a += sum_of_eight(x + i);
  /* what is left at the end overlaps what was added */
  if (n >= 8 && i < n) a += sum_of_eight(x + n - 8);
  double sum = a[0] + a[1];
  if (n >= 8 && sum - sum == 0) return true;
  /* few, or it may have overflowed */
  for (i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}
