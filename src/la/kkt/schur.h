/* S = G M^-1 G' of the sparse KKT system: its structure, and the loops over one row */
#ifndef DAE_LA_SCHUR_H
#define DAE_LA_SCHUR_H

#include "la/kkt/blocks.h"
#include "la/kkt/envelope.h"

/* of two entries in one column: x_a g_b adds to place `at` of a row of the envelope, or of the
   entries of a tree */
typedef struct product {
  int at, a, b;
} product;

/* X = G M^-1 has more places than G: whole blocks of M. The entries of S = X G' beside the diagonal
   are sums of products. */
typedef struct schur {
  int n, rows, nonzeros;
  dae_la_mass mass;
  bool mass_ready;
  const dae_pattern *pattern;
  dae_la_blocks m;
  dae_pattern wide;   /* of X: in each row block after block; that of G when M is diagonal */
  int *to;            /* where the entries of G are in X; NULL when M is diagonal */
  int block;          /* 2: entries come as neighbours in columns 2j, 2j + 1; else 1 */
  int entries;        /* of every row in a stretch, with one product each; 0: they differ */
  double *x;          /* X */
  int *product_start; /* rows + 1, in the order of the envelope */
  product *product;
  dae_la_envelope s;
  /* stretches of rows that couple with the last row but one alone, an even number each: the first
     of them has the end here, the last of them the beginning; all others 0. NULL: there are none */
  int *stretch;
} schur;

/* loops over the entries of a row are compiled for single ones and for pairs, and for a number of
   entries that is known (0: as the pattern says) */
#define SCHUR_INLINE DAE_ALWAYS_INLINE

/* x_a g_b */
static SCHUR_INLINE double product_of(const schur *d, const product *q, const double *G,
                                      const int block) {
  if (block == 1) return d->x[q->a] * G[q->b];
  const pair both = *(const pair *)(d->x + q->a) * *(const pair *)(G + q->b);
  return both[0] + both[1];
}

/* row i of S beside the diagonal: x_a g_b summed into its places */
static SCHUR_INLINE void fill_places(const schur *d, int i, const double *G, const int block) {
  const product *q = d->product + d->product_start[i], *end = d->product + d->product_start[i + 1];
  double *row = d->s.values + d->s.start[i];
  for (int j = d->s.first[i]; j < i; j++) row[j - d->s.first[i]] = 0;
  for (; q < end; q++) row[q->at] += product_of(d, q, G, block);
}

/* row r of X when M is diagonal; returns s_rr and, with p, X p */
static SCHUR_INLINE double fill_row(const schur *d, int r, const double *G, const double *p,
                                    double *xp, const int block, const int entries) {
  const int *column = d->wide.column, from = d->wide.start[r];
  const int end = entries ? from + entries : d->wide.start[r + 1];
  const double *inverse = d->m.values;
  double *to = d->x;
  if (block == 2) {
    pair sum = {0, 0}, dot = sum;
    for (int k = from; k < end; k += 2) {
      const int j = column[k];
      const pair g = *(const pair *)(G + k), x = g * *(const pair *)(inverse + j);
      *(pair *)(to + k) = x;
      sum += x * g;
      if (p) dot += x * *(const pair *)(p + j);
    }
    *xp = dot[0] + dot[1];
    return sum[0] + sum[1];
  }
  double sum = 0, dot = 0;
  for (int k = from; k < end; k++) {
    const double g = G[k], x = g * inverse[column[k]];
    to[k] = x;
    sum += x * g;
    if (p) dot += x * p[column[k]];
  }
  *xp = dot;
  return sum;
}

/* X p of row r */
static SCHUR_INLINE double row_times(const schur *d, int r, const double *p, const int block) {
  const int *column = d->wide.column, end = d->wide.start[r + 1];
  const double *x = d->x;
  if (block == 2) {
    pair sum = {0, 0};
    for (int k = d->wide.start[r]; k < end; k += 2)
      sum += *(const pair *)(x + k) * *(const pair *)(p + column[k]);
    return sum[0] + sum[1];
  }
  double sum = 0;
  for (int k = d->wide.start[r]; k < end; k++) sum += x[k] * p[column[k]];
  return sum;
}

/* p := p - X' y of row r */
static SCHUR_INLINE void row_subtract(const schur *d, int r, double y, double *p, const int block,
                                      const int entries) {
  const int *column = d->wide.column, from = d->wide.start[r];
  const int end = entries ? from + entries : d->wide.start[r + 1];
  const double *x = d->x;
  if (block == 2) {
    const pair both = {y, y};
    for (int k = from; k < end; k += 2) *(pair *)(p + column[k]) -= *(const pair *)(x + k) * both;
    return;
  }
  for (int k = from; k < end; k++) p[column[k]] -= x[k] * y;
}

/* x_a g_b summed over a row that has one place in S */
static SCHUR_INLINE double only_place(const schur *d, int i, const double *G, const int block,
                                      const int entries) {
  const product *q = d->product + d->product_start[i], *end = d->product + d->product_start[i + 1];
  if (entries) return product_of(d, q, G, block);
  double sum = 0;
  for (; q < end; q++) sum += product_of(d, q, G, block);
  return sum;
}

/* rows of one stretch: elimination, and with p the forward substitution of X p - r; false where a
   number is none */
bool dae_la_schur_stretch(schur *d, int from, int to, const double *G, const double *p,
                          const double *r);
/* their forward substitution: x := L^-1 x, y := D^-1 x */
void dae_la_schur_stretch_forward(const schur *d, int from, int to);
/* their back substitution, with r := y and p := p - X' y */
void dae_la_schur_stretch_back(const schur *d, int from, int to, double *p, double *r);

#endif
