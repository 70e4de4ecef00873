/* colours of a pattern, and the pattern by columns */
#include "problem/colour.h"

#include <string.h>

static void by_columns(dae_colours *c, const dae_pattern *p) {
  int entries = p->start[p->rows];
  for (int k = 0; k < entries; k++) c->start[p->column[k] + 1]++;
  for (int j = 0; j < p->cols; j++) c->start[j + 1] += c->start[j];
  for (int i = 0; i < p->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      /* the ends move up to the beginnings of the next columns, and are set back below */
      int at = c->start[p->column[k]]++;
      c->row[at] = i;
      c->place[at] = k;
    }
  for (int j = p->cols; j > 0; j--) c->start[j] = c->start[j - 1];
  c->start[0] = 0;
}

void dae_problem_colours(dae_colours *out, dae_pool *pool, const dae_pattern *pattern) {
  size_t cols = (size_t)pattern->cols, entries = (size_t)pattern->start[pattern->rows];
  *out = (dae_colours){.of = dae_base_ints(pool, cols),
                       .start = dae_base_ints(pool, cols + 1),
                       .row = dae_base_ints(pool, entries),
                       .place = dae_base_ints(pool, entries)};
  /* the last column that a colour was refused to */
  int *refused = dae_base_ints(pool, cols + 1);
  if (pool->failed) return;
  by_columns(out, pattern);
  for (int j = 0; j <= pattern->cols; j++) refused[j] = -1;
  for (int j = 0; j < pattern->cols; j++) {
    for (int a = out->start[j]; a < out->start[j + 1]; a++) {
      int i = out->row[a];
      for (int k = pattern->start[i]; k < pattern->start[i + 1] && pattern->column[k] < j; k++)
        refused[out->of[pattern->column[k]]] = j;
    }
    int colour = 0;
    while (refused[colour] == j) colour++;
    out->of[j] = colour;
    if (colour >= out->count) out->count = colour + 1;
  }
  dae_base_give(pool, refused);
}
