/* a dense M that falls apart into groups of neighbours, as the masses of single bodies do: where
   every group fits a tile there is no elimination between tiles of M */
#ifndef DAE_LA_KKT_GROUPS_H
#define DAE_LA_KKT_GROUPS_H

#include "la/kkt_kernel.h"

typedef struct group {
  int first, real; /* unknowns first .. first + real - 1 */
} group;

typedef struct groups {
  int count;          /* 0: M does not fall apart; -1: no M yet */
  int *edge;          /* n: the first column of this row of M and of all rows below */
  group *group;       /* n at most */
  long long *nonzero; /* n^2: -1 where the last M was not zero */
} groups;

/* has M the zeros of the last one? */
static inline bool groups_same(const groups *s, int n, const double *M) {
  long long changed = s->count < 0;
  for (int i = 0; i < n * n; i++) changed |= s->nonzero[i] ^ -(long long)(M[i] != 0);
  return changed == 0;
}

/* parts of M that no entry couples, as many neighbours in a group as fit a tile. The zeros of this
   M alone decide, so that what comes out does not depend on those before. */
static void groups_find(groups *s, int n, const double *M) {
  for (int i = 0; i < n * n; i++) s->nonzero[i] = -(long long)(M[i] != 0);
  for (int i = n - 1, edge = n; i >= 0; i--) {
    int j = 0;
    while (j < i && M[(size_t)i * n + j] == 0) j++;
    if (j < edge) edge = j;
    s->edge[i] = edge;
  }
  s->count = 0;
  int first = 0, part = 0;
  for (int i = 1; i <= n; i++) {
    if (i < n && s->edge[i] < i) continue;
    /* a part ends before i */
    if (i - part > TILE) {
      s->count = 0;
      return;
    }
    if (i - first > TILE) s->group[s->count++] = (group){first, part - first}, first = part;
    part = i;
  }
  s->group[s->count++] = (group){first, n - first};
}

#endif
