/*
 * One derivative against differences of its function. First along one direction d that mixes all
 * unknowns,
 *   (f(+e) - f(-e)) / 2e  against  J d,
 * which clears a right derivative at the cost of two evaluations. Rows that do not agree are looked
 * at entry by entry, over step sizes of twenty decades whose ratio is no rational number, so that
 * nothing periodic is met in step. An entry is wrong only when
 *   - differences of two successive sizes, from the left and from the right, all agree, and smaller
 *     ones do not agree on something else,
 *   - rounding is far below them, and
 *   - no difference of any size, central or one-sided, is near what was given, nor are two
 *     successive larger sizes nearer to it than a part of the difference: in (b + u) - b - u with a
 *     large b the first u is lost below the rounding of b and the second is not, and all smaller
 *     sizes agree on a slope that is none.
 * Jumps and kinks at the point, ends of domains, noise, steep or periodic terms and unknown scales
 * all fail one of these, and are left in peace.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/probe.h"

enum { RUNGS = 20, COLUMNS_MOST = 400 };
static const double RATIO = 0.0917433; /* of successive step sizes */
static const double STEP = 1e-5;       /* of the first look, in sizes of the unknowns */
static const double CLEAR = 1e-6;      /* first look: agreement relative to the sum of the terms */
static const double NEAR = 2e-4;       /* a difference is what was given */
static const double SAME = 2e-4;       /* differences agree with each other */
static const double OFF = 1e-3;        /* a wrong formula is off by more than this */
static const double LEAST = 1e-11;  /* step relative to the unknown itself: differences end here */
static const double MATTERS = 1e-7; /* part of its row below which an entry is not worth a word */

dae_status dae_problem_probe_new(dae_probe *p, dae_pool *pool, int rows, int cols) {
  size_t r = (size_t)rows, c = (size_t)cols;
  double *room = dae_base_doubles(pool, 3 * c + 5 * r);
  p->suspect = dae_base_data(pool, r, 1);
  p->trail = dae_base_data(pool, r, sizeof *p->trail);
  if (pool->failed) return DAE_E_MEMORY;
  p->size = room, p->value = p->size + c, p->d = p->value + c, p->room = p->d + c;
  p->base = p->room + r, p->plus = p->base + r, p->minus = p->plus + r, p->scale = p->minus + r;
  return DAE_OK;
}

/* where row i is stored: entries first .. end - 1 */
static void row_range(const dae_probe_matrix *a, int i, int *first, int *end) {
  *first = a->pattern ? a->pattern->start[i] : 0;
  *end = a->pattern ? a->pattern->start[i + 1] : a->cols;
}

static double entry(const dae_probe_matrix *a, int i, int j, bool *outside) {
  int first, end;
  *outside = false;
  if (!a->pattern) return a->values[(size_t)i * (size_t)a->cols + (size_t)j];
  row_range(a, i, &first, &end);
  for (int k = first; k < end; k++)
    if (a->pattern->column[k] == j) return a->values[k];
  *outside = true;
  return 0;
}

/* the largest |J_ij| size_j of each row */
static void set_scales(dae_probe *p, const dae_probe_matrix *a) {
  for (int i = 0; i < a->rows; i++) {
    int first, end;
    row_range(a, i, &first, &end);
    p->scale[i] = 0;
    for (int k = first; k < end; k++) {
      const int j = a->pattern ? a->pattern->column[k] : k;
      const double own = p->value[j] > 0 ? p->value[j] : p->size[j];
      const size_t at = a->pattern ? (size_t)k : (size_t)i * (size_t)a->cols + (size_t)j;
      p->scale[i] = fmax(p->scale[i], fabs(a->values[at]) * own);
    }
  }
}

/* suspects: rows of J d that the difference along d = size .. does not confirm */
static int look_along(dae_probe *p, dae_probe_fn fn, void *ctx, const dae_probe_matrix *a,
                      const double *size) {
  int doubtful = 0;
  for (int j = 0; j < a->cols; j++)
    p->d[j] = size[j] * (0.5 + 0.5 * fabs(sin(1 + 1.3 * j))) * (j % 3 == 1 ? -1 : 1);
  bool both = fn(ctx, STEP, p->d, p->plus) == DAE_OK && fn(ctx, -STEP, p->d, p->minus) == DAE_OK;
  for (int i = 0; i < a->rows; i++) {
    double product = 0, terms = 0;
    int first, end;
    row_range(a, i, &first, &end);
    for (int k = first; k < end; k++) {
      int j = a->pattern ? a->pattern->column[k] : k;
      double value = a->values[a->pattern ? (size_t)k : (size_t)i * (size_t)a->cols + (size_t)j];
      product += value * p->d[j];
      terms += fabs(value * p->d[j]);
    }
    double difference = (p->plus[i] - p->minus[i]) / (2 * STEP);
    terms = fmax(terms, fabs(difference));
    const bool doubt = !(both && fabs(difference - product) <= CLEAR * terms);
    p->suspect[i] = p->suspect[i] || doubt;
    doubtful += p->suspect[i];
  }
  return doubtful;
}

/* Along sizes, and along the values themselves: where units differ, unknowns that are small beside
   the others move by more than they are, and hide what belongs to the others */
static int first_look(dae_probe *p, dae_probe_fn fn, void *ctx, const dae_probe_matrix *a) {
  bool other = false;
  memset(p->suspect, 0, (size_t)a->rows * sizeof *p->suspect);
  for (int j = 0; j < a->cols; j++) other |= p->value[j] > 0 && p->value[j] != p->size[j];
  const int doubtful = look_along(p, fn, ctx, a, p->size);
  set_scales(p, a);
  return other ? look_along(p, fn, ctx, a, p->value) : doubtful;
}

/* |a - b| relative to the larger one */
static double distance(double a, double b) {
  return a == b ? 0 : fabs(a - b) / fmax(fabs(a), fabs(b));
}

static dae_probe_rung measure(dae_probe *p, int i, double e, bool plus, bool minus, double given) {
  dae_probe_rung r = {.both = plus && minus, .nearest = INFINITY, .central = NAN};
  const dae_probe_trail *w = &p->trail[i];
  r.top = fabs(p->base[i]);
  if (plus) {
    r.nearest = fmin(r.nearest, distance((p->plus[i] - p->base[i]) / e, given));
    r.top = fmax(r.top, fabs(p->plus[i]));
  }
  if (minus) {
    r.nearest = fmin(r.nearest, distance((p->base[i] - p->minus[i]) / e, given));
    r.top = fmax(r.top, fabs(p->minus[i]));
  }
  /* terms may cancel at the point: values of the sizes before say how large they are */
  r.noise = 32 * DBL_EPSILON * fmax(r.top, fmax(w->before.top, w->earlier)) / e;
  if (!r.both) return r;
  r.central = (p->plus[i] - p->minus[i]) / (2 * e);
  r.gap = fabs(p->plus[i] - 2 * p->base[i] + p->minus[i]) / e;
  r.away = fabs(r.central - given) + r.gap;
  r.still = p->plus[i] == p->base[i] && p->minus[i] == p->base[i];
  r.nearest = fmin(r.nearest, distance(r.central, given));
  return r;
}

/* a function that is bounded has the slope 0 from far away: two successive smaller sizes that agree
   on quite another one, above the rounding, know better */
static bool refuted(const dae_probe_trail *w, const dae_probe_rung *now) {
  static const double AGREE = 0.02, OTHER = 0.5, HEARD = 1e-2;
  const dae_probe_rung *b = &w->before;
  if (!now->both || !b->both || now->still || b->still) return false;
  const double size = fabs(now->central);
  return distance(now->central, b->central) <= AGREE && now->noise <= HEARD * size &&
         b->noise <= HEARD * size && distance(now->central, w->value) > OTHER;
}

static void follow(dae_probe_trail *w, dae_probe_rung now, double given) {
  double size = fmax(fabs(given), isnan(now.central) ? 0 : fabs(now.central));
  /* steps below the rounding of what larger ones have settled on say 0 of anything */
  bool lost = now.still && w->settled && now.noise > 1e-2 * fabs(w->value);
  bool seen = now.noise <= 1e-2 * size || (now.nearest == 0 && !lost);
  if (now.nearest <= NEAR && seen) w->near = true;
  const dae_probe_rung *b = &w->before;
  if (now.both && b->both && !w->settled) w->closest = fmin(w->closest, fmax(now.away, b->away));
  bool calm = now.both && b->both && now.gap <= SAME * size && b->gap <= SAME * size &&
              fabs(now.central - b->central) <= SAME * size && now.noise <= 1e-4 * size;
  /* steps of a function that rounds are no constants */
  w->moves = w->moves || (now.both && !now.still);
  if (w->settled && refuted(w, &now)) w->settled = false;
  if (calm && !w->settled && !(now.still && w->moves)) {
    w->settled = true;
    w->value = now.central;
  }
  w->earlier = w->before.top;
  w->before = now;
}

/* is an entry of column j wrong? The ladder is left as soon as every row in doubt is clear */
static int wrong_row(dae_probe *p, dae_probe_fn fn, void *ctx, const dae_probe_matrix *a, int j,
                     dae_probe_fault *fault) {
  int open = 1;
  bool outside;
  memset(p->trail, 0, (size_t)a->rows * sizeof *p->trail);
  for (int i = 0; i < a->rows; i++) p->trail[i].closest = INFINITY;
  memset(p->d, 0, (size_t)a->cols * sizeof *p->d);
  p->d[j] = 1;
  double e = 0.3 * p->size[j];
  for (int k = 0; k < RUNGS && open > 0 && e > LEAST * p->value[j]; k++, e *= RATIO) {
    bool plus = fn(ctx, e, p->d, p->plus) == DAE_OK;
    bool minus = fn(ctx, -e, p->d, p->minus) == DAE_OK;
    open = 0;
    for (int i = 0; i < a->rows; i++) {
      dae_probe_trail *w = &p->trail[i];
      if (!p->suspect[i] || w->near) continue;
      double given = entry(a, i, j, &outside);
      follow(w, measure(p, i, e, plus, minus, given), given);
      open += !w->near;
    }
  }
  for (int i = 0; i < a->rows; i++) {
    const dae_probe_trail *w = &p->trail[i];
    if (!p->suspect[i] || w->near || !w->settled) continue;
    if (w->closest <= NEAR * fabs(w->value)) continue;
    double given = entry(a, i, j, &outside), off = fabs(w->value - given);
    if (off <= OFF * fmax(fabs(w->value), fabs(given)) || off * p->size[j] <= MATTERS * p->scale[i])
      continue;
    *fault = (dae_probe_fault){i, j, outside, given, w->value};
    return i;
  }
  return -1;
}

dae_status dae_problem_probe(dae_probe *p, dae_probe_fn fn, void *ctx, const dae_probe_matrix *a,
                             dae_probe_fault *fault) {
  fault->row = -1;
  memset(p->d, 0, (size_t)a->cols * sizeof *p->d);
  dae_status status = fn(ctx, 0, p->d, p->base);
  if (status != DAE_OK || first_look(p, fn, ctx, a) == 0) return status;
  /* very wide matrices: one in so many columns, as each costs some evaluations */
  int stride = 1 + a->cols / COLUMNS_MOST;
  for (int j = 0; j < a->cols; j += stride)
    if (wrong_row(p, fn, ctx, a, j, fault) >= 0) break;
  return DAE_OK;
}
