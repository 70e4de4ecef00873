/* a dense M that falls apart into groups of neighbours, as the masses of single bodies do: where
   every group fits a tile there is no elimination between tiles of M */
#ifndef DAE_LA_KKT_GROUPS_H
#define DAE_LA_KKT_GROUPS_H

#include <limits.h>
#include <string.h>

#include "la/kkt/kernel.h"

typedef struct group {
  int first, real; /* unknowns first .. first + real - 1 */
} group;

/*
 * Which groups there are depends on the zeros of the matrix at hand alone, and so do the numbers
 * that come out. They are the same as for the last matrix when no entry couples two groups and the
 * witnesses are there: entries without which a group would be larger, or M would fall apart.
 */
typedef struct groups {
  int count;          /* 0: M does not fall apart; -1: no M yet */
  int *edge, *row;    /* n: the first column of this row of M and all below, and who has it */
  group *group;       /* n at most */
  int witnesses;      /* TILE n at most */
  int *witness;       /* places in M */
  long long *between; /* n^2: what must be zero in the bits of M, up to a sign */
} groups;

static inline bool groups_same(const groups *s, int n, const double *M) {
  typedef long long bits DAE_MAY_ALIAS;
  const bits *m = (const bits *)M;
  long long changed = s->count < 0;
  if (s->count > 1)
    for (int i = s->group[1].first * n; i < n * n; i++) changed |= m[i] & s->between[i];
  for (int i = 0; i < s->witnesses; i++) changed |= M[s->witness[i]] == 0;
  return changed == 0;
}

/* what a matrix must have where it has no edge */
static void need(groups *s, int n, int from, int end) {
  for (int i = from; i < end; i++) s->witness[s->witnesses++] = s->row[i] * n + s->edge[i];
}

static void find_edges(groups *s, int n, const double *M) {
  for (int i = n - 1, edge = n, row = i; i >= 0; i--) {
    int j = 0;
    while (j < i && M[(size_t)i * n + j] == 0) j++;
    if (j < edge) edge = j, row = i;
    s->edge[i] = edge, s->row[i] = row;
  }
}

/* parts of M that no entry couples, as many neighbours in a group as fit a tile */
static void group_parts(groups *s, int n) {
  int first = 0, part = 0;
  s->count = s->witnesses = 0;
  for (int i = 1; i <= n; i++) {
    if (i < n && s->edge[i] < i) continue;
    /* a part ends before i */
    if (i - part > TILE) {
      s->count = s->witnesses = 0;
      need(s, n, part + 1, part + TILE + 1);
      return;
    }
    if (i - first > TILE) {
      need(s, n, part + 1, first + TILE + 1);
      s->group[s->count++] = (group){first, part - first};
      first = part;
    }
    part = i;
  }
  s->group[s->count++] = (group){first, n - first};
}

static void groups_find(groups *s, int n, const double *M) {
  find_edges(s, n, M);
  group_parts(s, n);
  memset(s->between, 0, (size_t)n * (size_t)n * sizeof *s->between);
  for (int k = 0; k < s->count; k++)
    for (int i = s->group[k].first; i < s->group[k].first + s->group[k].real; i++)
      for (int j = 0; j < s->group[k].first; j++) s->between[(size_t)i * n + j] = LLONG_MAX;
}

#endif
