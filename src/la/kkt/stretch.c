/*
 * S = L D L' of chains that are eliminated from both ends at once: every row couples with the last
 * but one alone. The two recurrences of neighbouring rows do not wait for each other and go through
 * as pairs.
 */
#include <math.h>

#include "la/kkt/schur.h"

/* rows i and i + 1: u_i = s_i,i-2, l_i = u_i / d_i-2, d_i = s_ii - u_i l_i, x_i = b_i - l_i x_i-2.
   `matrix` is a copy because writing numbers cannot change it, as far as a compiler knows. */
static SCHUR_INLINE bool eliminate(schur *d, int from, int to, const double *G, const double *p,
                                   const double *r, const int block, const int entries) {
  const schur matrix = *d;
  dae_la_envelope *e = &d->s;
  const int *order = e->order;
  double *values = e->values + e->start[from], *top = e->top, *x = e->x, *y = e->y;
  double *reciprocal = e->reciprocal;
  pair inverse = *(pair *)(reciprocal + from - 2), before = *(pair *)(x + from - 2);
  const pair tol = {e->tol, e->tol}, one = {1, 1};
  pair least = {e->least, e->least}, smallest = {e->smallest, e->smallest};
  for (int i = from; i < to; i += 2, values += 4) {
    const int a = order[i], b = order[i + 1];
    double xa, xb;
    const pair s = {fill_row(&matrix, a, G, p, &xa, block, entries),
                    fill_row(&matrix, b, G, p, &xb, block, entries)};
    const pair u = {only_place(&matrix, i, G, block, entries),
                    only_place(&matrix, i + 1, G, block, entries)};
    const pair l = u * inverse, pivot = s - u * l, most = *(pair *)(top + i);
    /* each row has a place for the row just before it too, which stays zero */
    values[0] = l[0], values[2] = l[1];
    const pair_mask usual =
        (pivot > tol * s) & (pivot >= least * s) & (pivot >= smallest * most) & (s <= most);
    inverse = one / pivot;
    if (!(usual[0] & usual[1])) {
      if (!isfinite(s[0]) || !isfinite(s[1])) return false;
      dae_la_envelope_pivot(e, i, s[0], pivot[0]);
      dae_la_envelope_pivot(e, i + 1, s[1], pivot[1]);
      inverse = *(pair *)(reciprocal + i);
      least = (pair){e->least, e->least}, smallest = (pair){e->smallest, e->smallest};
    }
    *(pair *)(reciprocal + i) = inverse;
    if (!p) continue;
    before = (pair){xa - r[a], xb - r[b]} - l * before;
    *(pair *)(x + i) = before;
    *(pair *)(y + i) = before * inverse;
  }
  return true;
}

/* rods between points of a plane */
static bool planar(const schur *d) { return d->block == 2 && d->entries == 4; }

bool dae_la_schur_stretch(schur *d, int from, int to, const double *G, const double *p,
                          const double *r) {
  if (planar(d) && p) return eliminate(d, from, to, G, p, r, 2, 4);
  if (d->block == 2) return eliminate(d, from, to, G, p, r, 2, 0);
  return eliminate(d, from, to, G, p, r, 1, 0);
}

void dae_la_schur_stretch_forward(const schur *d, int from, int to) {
  const dae_la_envelope *e = &d->s;
  const double *values = e->values + e->start[from], *reciprocal = e->reciprocal;
  double *x = e->x, *y = e->y;
  pair before = *(pair *)(x + from - 2);
  for (int i = from; i < to; i += 2, values += 4) {
    before = *(pair *)(x + i) - (pair){values[0], values[2]} * before;
    *(pair *)(x + i) = before;
    *(pair *)(y + i) = before * *(const pair *)(reciprocal + i);
  }
}

/* y_i-2 := y_i-2 - l_i y_i, rows i and i + 1 at once */
static SCHUR_INLINE void back(const schur *d, int from, int to, double *p, double *r,
                              const int block, const int entries) {
  const schur matrix = *d;
  const dae_la_envelope *e = &matrix.s;
  const double *values = e->values + e->start[from] + 2 * (size_t)(to - from);
  pair now = *(pair *)(e->y + to - 2);
  for (int i = to - 2; i >= from; i -= 2) {
    const int a = e->order[i], b = e->order[i + 1];
    const pair last = now;
    values -= 4;
    now = *(pair *)(e->y + i - 2) - (pair){values[0], values[2]} * last;
    r[a] = last[0], r[b] = last[1];
    row_subtract(&matrix, a, last[0], p, block, entries);
    row_subtract(&matrix, b, last[1], p, block, entries);
  }
  *(pair *)(e->y + from - 2) = now;
}

void dae_la_schur_stretch_back(const schur *d, int from, int to, double *p, double *r) {
  if (planar(d)) back(d, from, to, p, r, 2, 4);
  else if (d->block == 2) back(d, from, to, p, r, 2, 0);
  else back(d, from, to, p, r, 1, 0);
}
