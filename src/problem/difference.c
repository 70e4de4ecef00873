/* numerical derivatives: one scheme for Jacobians, slopes and curvatures (difference.h) */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/la.h"
#include "problem/difference.h"

static const double GOLDEN = 1.6180339887498949;

static dae_status call(const dae_vector *f, double t, const double *z, double *out) {
  if (f->calls) ++*f->calls;
  return f->fn(f->ctx, t, z, out);
}

/* typical size of variable j */
static double size_of(const dae_vector *f, const double *z, int j) {
  static const double LEAST = 1e-2, OF_ONE = 0.1;
  double size = fmax(fabs(z[j]), f->size ? f->size[j] : LEAST);
  if (f->one) size = fmax(size, OF_ONE * f->one[j]);
  return size > 0 ? size : LEAST;
}

/* a distance that is exactly representable next to z */
static double exact(double z, double e) {
  volatile double moved = z + e;
  return moved - z;
}

/* ---- columns, one by one or those of a colour ---- */

static int colours(const dae_vector *f) { return f->colours ? f->colours->count : f->n; }

/* the first column from j on that has colour g; n: none */
static int column_from(const dae_vector *f, int g, int j) {
  if (!f->colours) return j <= g ? g : f->n;
  while (j < f->n && f->colours->of[j] != g) j++;
  return j;
}

/* an entry of the Jacobian: its row and its place */
typedef struct place {
  int row;
  size_t at;
} place;

static int entries(const dae_vector *f, int j) {
  return f->colours ? f->colours->start[j + 1] - f->colours->start[j] : f->rows;
}

static place entry(const dae_vector *f, int j, int k) {
  size_t stride = (size_t)(f->stride > 0 ? f->stride : f->n);
  if (!f->colours) return (place){k, (size_t)k * stride + (size_t)j};
  int e = f->colours->start[j] + k;
  return (place){f->colours->row[e], (size_t)f->colours->place[e]};
}

/* out := f where the columns of colour g have moved by `part` of their sizes */
static dae_status move(const dae_vector *f, double t, const double *z, int g, double part,
                       double *out) {
  for (int j = column_from(f, g, 0); j < f->n; j = column_from(f, g, j + 1))
    f->z_work[j] = z[j] + exact(z[j], part * size_of(f, z, j));
  dae_status status = call(f, t, f->z_work, out);
  for (int j = column_from(f, g, 0); j < f->n; j = column_from(f, g, j + 1)) f->z_work[j] = z[j];
  return status;
}

/* ---- Newton matrices ---- */

/* column j of J = (f(z + e) - f(z)) / e */
static void quotients(const dae_vector *f, const double *z, int j, double part, const double *base,
                      const double *moved, double *J) {
  double e = exact(z[j], part * size_of(f, z, j));
  for (int k = 0, count = entries(f, j); k < count; k++) {
    place p = entry(f, j, k);
    if (p.row < f->rows) J[p.at] = (moved[p.row] - base[p.row]) / e;
  }
}

/* where a Newton matrix is wanted, f there, and the way to go */
typedef struct newton {
  double t;
  const double *z, *base;
  double part;
  double *J;
} newton;

/* the columns of colour g: away from zero, or towards it where f is not defined there */
static dae_status newton_colour(const dae_vector *f, const newton *at, int g, double *moved) {
  const double *z = at->z;
  double way = f->colours || z[g] >= 0 ? at->part : -at->part;
  dae_status status = move(f, at->t, z, g, way, moved);
  if (status == DAE_E_CALLBACK) status = move(f, at->t, z, g, way = -way, moved);
  for (int j = column_from(f, g, 0); j < f->n && status == DAE_OK; j = column_from(f, g, j + 1))
    quotients(f, z, j, way, at->base, moved, at->J);
  return status;
}

/* the same by threads: what each colour called, and the first that failed in each part */
typedef struct share {
  const dae_vector *f;
  const newton *at;
  int failed[DAE_TEAM_MOST]; /* colour; none: their number */
  dae_status status[DAE_TEAM_MOST];
} share;

static void newton_part(void *ctx, int part, int parts) {
  share *s = ctx;
  dae_vector f = *s->f;
  const int count = colours(&f);
  long calls = 0;
  double *tries = dae_base_team_room(f.team, part), *moved = tries + f.n + f.n;
  f.z_work = tries + f.n;
  f.calls = &calls;
  memcpy(f.z_work, s->at->z, (size_t)f.n * sizeof *f.z_work);
  s->failed[part] = count;
  for (int g = part; g < count && s->failed[part] == count; g += parts) {
    calls = 0;
    dae_status status = newton_colour(&f, s->at, g, moved);
    tries[g / parts] = (double)calls;
    if (status != DAE_OK) s->failed[part] = g, s->status[part] = status;
  }
}

/* the outcome of the first colour that failed, and the calls up to it: as one thread would have
   it */
static dae_status newton_together(const dae_vector *f, const newton *at) {
  const int parts = dae_base_team_size(f->team);
  share s = {.f = f, .at = at};
  int first = 0;
  dae_base_team_run(f->team, newton_part, &s);
  for (int k = 1; k < parts; k++)
    if (s.failed[k] < s.failed[first]) first = k;
  const int last = s.failed[first] < colours(f) ? s.failed[first] : colours(f) - 1;
  for (int g = 0; f->calls && g <= last; g++)
    *f->calls += (long)dae_base_team_room(f->team, g % parts)[g / parts];
  return s.failed[first] < colours(f) ? s.status[first] : DAE_OK;
}

dae_status dae_problem_difference_newton(const dae_vector *f, double t, const double *z,
                                         double *J) {
  const newton at = {t, z, f->f_work, sqrt(fmax(f->noise, DBL_EPSILON)), J};
  double *moved = f->f_work + f->rows;
  memcpy(f->z_work, z, (size_t)f->n * sizeof *z);
  dae_status status = call(f, t, z, f->f_work);
  if (status == DAE_OK && f->team) return newton_together(f, &at);
  for (int g = 0; g < colours(f) && status == DAE_OK; g++) status = newton_colour(f, &at, g, moved);
  return status;
}

/* ---- with digits ---- */

/* the first distance, relative to the size: truncation 1e-13, rounding 1e-12 where the size is the
   scale on which f changes */
static const double DISTANCE = 3e-4;
/* what extrapolation may change, relative: its own error is then far below 1e-10 */
static const double SMOOTH = 1e-6;
enum { TRIES = 5 };

/* D(e) = (f(e) - f(-e)) / 2e = f' + c e^2 + ..; J = D(e) - (D(r e) - D(e)) / (r^2 - 1), column j.
   Returns how much the distances disagree, in units of what is allowed */
static double extrapolate_column(const dae_vector *f, const double *z, int j, double part,
                                 bool write, double *J) {
  const double *p1 = f->f_work, *m1 = p1 + f->rows, *p2 = m1 + f->rows, *m2 = p2 + f->rows;
  const double size = size_of(f, z, j), e1 = exact(z[j], part * size),
               e2 = exact(z[j], GOLDEN * part * size), ratio = (e2 / e1) * (e2 / e1);
  double worst = 0;
  for (int k = 0, count = entries(f, j); k < count; k++) {
    place p = entry(f, j, k);
    const int i = p.row;
    if (i >= f->rows) continue;
    double near = (p1[i] - m1[i]) / (2 * e1), far = (p2[i] - m2[i]) / (2 * e2);
    double top = fmax(fabs(p2[i]), fabs(m2[i])), gap = fabs(far - near);
    double noise = 8 * fmax(f->noise, DBL_EPSILON) * fmax(top, f->term ? f->term[i] : 0) / e1;
    double allowed = fmax(SMOOTH, part * part) * fmax(fabs(near), fabs(far)) + fabs(noise);
    if (gap > 0) worst = fmax(worst, gap / allowed);
    if (write) J[p.at] = near - (far - near) / (ratio - 1);
  }
  return worst;
}

static double extrapolate(const dae_vector *f, const double *z, int g, double part, bool write,
                          double *J) {
  double worst = 0;
  for (int j = column_from(f, g, 0); j < f->n; j = column_from(f, g, j + 1))
    worst = fmax(worst, extrapolate_column(f, z, j, part, write, J));
  return worst;
}

static dae_status four_values(const dae_vector *f, double t, const double *z, int g, double part) {
  const double shift[4] = {part, -part, GOLDEN * part, -GOLDEN * part};
  dae_status status = DAE_OK;
  for (int k = 0; k < 4 && status == DAE_OK; k++)
    status = move(f, t, z, g, shift[k], f->f_work + (size_t)k * (size_t)f->rows);
  return status;
}

/* What the pairs at `part` say of other distances: D(e) = J + c e^2 + .., rounding is n/e. One pair
   errs least where e^3 = n / 2c; two, with c e^2 squared for the next term, where
   e^5 = n J / 4 (r c)^2 */
typedef struct outlook {
  double one, two, error; /* parts for one pair and for two; what is left of one pair, relative */
} outlook;

/* what is left is small beside the entry, or beside the terms that cancel in its row. Column j has
   a say for all columns of its colour */
static void look_at_column(const dae_vector *f, const double *z, int j, double part, outlook *o) {
  const double *p1 = f->f_work, *m1 = p1 + f->rows, *p2 = m1 + f->rows, *m2 = p2 + f->rows;
  const double size = size_of(f, z, j), e1 = part * size, e2 = GOLDEN * e1;
  for (int k = 0, count = entries(f, j); k < count; k++) {
    const int i = entry(f, j, k).row;
    if (i >= f->rows) continue;
    double near = (p1[i] - m1[i]) / (2 * e1), far = (p2[i] - m2[i]) / (2 * e2);
    double top = fmax(fmax(fabs(p2[i]), fabs(m2[i])), f->term[i]);
    double rounding = DBL_EPSILON * top / size, bend = fabs(far - near) / (GOLDEN * part * part);
    double scale = fmax(fabs(near), f->term[i] / size);
    if (!(bend > 0) || !(scale > 0)) continue;
    double one = cbrt(rounding / (2 * bend)), next = GOLDEN * bend;
    o->one = fmin(o->one, one);
    o->two = fmin(o->two, pow(rounding * scale / (4 * next * next), 0.2));
    o->error = fmax(o->error, 1.5 * rounding / one / scale);
  }
}

/* how to go on; nothing where the terms are not known yet, beside which rounding is */
static dae_spacing spacing_of(const dae_vector *f, const double *z, int g, double part) {
  static const double FARTHER = 5;
  outlook o = {part, FARTHER * part, 0};
  if (!f->term || !(dae_la_norm_max(f->rows, f->term) > 0)) return (dae_spacing){0};
  for (int j = column_from(f, g, 0); j < f->n; j = column_from(f, g, j + 1))
    look_at_column(f, z, j, part, &o);
  const bool enough = o.one > 0 && o.error <= f->wanted;
  return (dae_spacing){enough ? o.one : fmax(o.two, part), enough};
}

/* the columns of a colour as they were had before */
static dae_status as_before(const dae_vector *f, double t, const double *z, int g, double *J) {
  const dae_spacing *s = &f->spacing[g];
  double *plus = f->f_work, *minus = plus + f->rows;
  dae_status status = s->pair ? move(f, t, z, g, s->part, plus) : four_values(f, t, z, g, s->part);
  if (status == DAE_OK && !s->pair) extrapolate(f, z, g, s->part, true, J);
  if (status == DAE_OK && s->pair) status = move(f, t, z, g, -s->part, minus);
  for (int j = column_from(f, g, 0); j < f->n && status == DAE_OK && s->pair;
       j = column_from(f, g, j + 1))
    for (int k = 0, count = entries(f, j); k < count; k++) {
      place p = entry(f, j, k);
      double e = exact(z[j], s->part * size_of(f, z, j)) - exact(z[j], -s->part * size_of(f, z, j));
      if (p.row < f->rows) J[p.at] = (plus[p.row] - minus[p.row]) / e;
    }
  return status;
}

/* One distance for the columns of a colour after the other: closer while that is better, else
   farther, as the size of a variable that is nearly zero may not have been seen yet */
static dae_status settle(const dae_vector *f, double t, const double *z, int g, double first,
                         double *J) {
  static const double FARTHER = 61.7;
  double part = first, best = INFINITY, closest = first, farthest = first;
  bool outward = false;
  dae_status status = DAE_OK;
  for (int trial = 0; trial < TRIES; trial++) {
    status = four_values(f, t, z, g, part);
    if (status == DAE_STOPPED) return status;
    double worst = status == DAE_OK ? extrapolate(f, z, g, part, false, J) : INFINITY;
    if (worst < best || (worst == best && isfinite(worst))) extrapolate(f, z, g, part, true, J);
    if (worst <= 1 && f->spacing) f->spacing[g] = spacing_of(f, z, g, part);
    if (worst <= 1) return DAE_OK;
    if (outward && worst >= best) break;
    outward = outward || worst > best;
    best = fmin(best, worst);
    double shorter = isfinite(worst) ? fmax(1e-3, 0.3 / sqrt(worst)) : 1e-2;
    if (outward) part = farthest *= FARTHER;
    else part = closest *= shorter;
  }
  return best < INFINITY ? DAE_OK : status;
}

dae_status dae_problem_difference(const dae_vector *f, double t, const double *z, double *J) {
  /* rounding and truncation in balance for functions with noise */
  const double first = fmax(DISTANCE, pow(f->noise, 0.2));
  memcpy(f->z_work, z, (size_t)f->n * sizeof *z);
  for (int g = 0; g < colours(f); g++) {
    const bool known = f->spacing && !f->judge && f->spacing[g].part > 0;
    dae_status status = known ? as_before(f, t, z, g, J) : DAE_E_CALLBACK;
    if (status == DAE_E_CALLBACK) {
      if (f->spacing) f->spacing[g].part = 0;
      status = settle(f, t, z, g, first, J);
    }
    if (status != DAE_OK) return status;
  }
  return DAE_OK;
}

/* ---- along a path ---- */

/* D(e) for degree 1, (f(e) - 2 f(0) + f(-e)) / e^2 for degree 2 at distances e, r e, r^2 e:
   polynomials in e^2, extrapolated to 0. Kept as sums with weights, so that two arrays do:
   value: from all of them, order 6, or 4 from two distances; other: without the last */
enum { NODES_MOST = 3 };
typedef struct weights {
  int nodes;
  double value[NODES_MOST], other[NODES_MOST];
} weights;

/* weights of extrapolation to x = 0 from the nodes x_k = r^(2k) */
static weights neville(int nodes) {
  const double x[NODES_MOST] = {1, GOLDEN * GOLDEN, GOLDEN * GOLDEN * GOLDEN * GOLDEN};
  weights w = {.nodes = nodes};
  for (int k = 0; k < nodes; k++) {
    w.value[k] = 1;
    w.other[k] = k < nodes - 1;
    for (int l = 0; l < nodes; l++) {
      if (l == k) continue;
      w.value[k] *= x[l] / (x[l] - x[k]);
      if (l < nodes - 1) w.other[k] *= x[l] / (x[l] - x[k]);
    }
  }
  return w;
}

static dae_status at_path(const dae_vector *f, const dae_vector_path *p, double s, double *out) {
  for (int j = 0; j < f->n; j++)
    f->z_work[j] = p->z[j] + s * (p->dz[j] + (p->ddz ? s / 2 * p->ddz[j] : 0));
  return call(f, p->t + s * p->dt, f->z_work, out);
}

/* value and other; top: largest |f| */
static dae_status one_distance(const dae_vector *f, const dae_vector_path *p, const weights *w,
                               int degree, double e, double *value, double *other, double *top) {
  const int rows = f->rows;
  double *now = f->f_work, distance = e;
  memset(value, 0, (size_t)rows * sizeof *value);
  memset(other, 0, (size_t)rows * sizeof *other);
  memset(top, 0, (size_t)rows * sizeof *top);
  dae_status status = DAE_OK;
  if (degree == 2) status = at_path(f, p, 0, now);
  for (int i = 0; i < rows && degree == 2 && status == DAE_OK; i++) {
    double scale = distance;
    for (int k = 0; k < w->nodes; k++, scale *= GOLDEN) {
      value[i] -= 2 * w->value[k] * now[i] / (scale * scale);
      other[i] -= 2 * w->other[k] * now[i] / (scale * scale);
    }
  }
  for (int k = 0; k < w->nodes; k++, distance *= GOLDEN)
    for (int side = -1; side <= 1 && status == DAE_OK; side += 2) {
      status = at_path(f, p, side * distance, now);
      double factor = degree == 2 ? 1 / (distance * distance) : side / (2 * distance);
      for (int i = 0; i < rows && status == DAE_OK; i++) {
        value[i] += w->value[k] * factor * now[i];
        other[i] += w->other[k] * factor * now[i];
        top[i] = fmax(top[i], fabs(now[i]));
      }
    }
  return status;
}

/* How many distances, the part of the reach at which they begin, and how much the value may differ
   from the one without the last of them. Three: truncation and rounding are both near 1e-12. Two,
   for curvatures that may be off by 1e-10: both are near 2e-11. Slopes stay with three: velocities
   are kept on them to rounding */
typedef struct manner {
  int nodes;
  double begin, agree;
} manner;

static manner manner_of(const dae_vector *f, int degree) {
  static const manner three = {3, 0.03, 1e-7}, two = {2, 0.007, 3e-6};
  static const double ENOUGH = 1e-10;
  return degree == 2 && f->noise <= DBL_EPSILON && f->wanted >= ENOUGH ? two : three;
}

/* a distance that served before is believed down to this part: one from a trial step that flew
   apart may be nothing here */
static const double BELIEVED = 1e-4;
/* trials, each closer by so much or more; no rational number again */
enum { CLOSER_MOST = 8 };
static const double CLOSER = 0.3819660112501051;

/* rounding and truncation in balance for functions with noise: e^6 ~ noise/e */
static double farther(const dae_vector *f) {
  return f->noise > DBL_EPSILON ? pow(f->noise / DBL_EPSILON, 1.0 / 7) : 1;
}

static double disagreement(const dae_vector *f, double agree, double power, const double *value,
                           const double *other, const double *top) {
  double worst = 0;
  for (int i = 0; i < f->rows; i++) {
    double term = fmax(top[i], f->term ? f->term[i] : 0);
    double noise = 8 * fmax(f->noise, DBL_EPSILON) * term / power;
    double norm = fmax(fabs(value[i]), 0.1 * top[i] / power), gap = fabs(value[i] - other[i]);
    if (gap > 0) worst = fmax(worst, gap / (agree * norm + noise));
  }
  return worst;
}

dae_status dae_problem_along(const dae_vector *f, const dae_vector_path *p, int degree,
                             double *out) {
  const int rows = f->rows;
  const manner m = manner_of(f, degree);
  const weights w = neville(m.nodes);
  const double agree = m.agree * pow(farther(f), 4), falls = 2 * (m.nodes - 1);
  double *value = f->f_work + rows, *other = value + rows, *top = other + rows;
  double e = m.begin * farther(f) * p->reach, best = INFINITY, served = e;
  dae_status status = DAE_OK;
  if (!(p->reach > 0) || !isfinite(p->reach)) {
    memset(out, 0, (size_t)rows * sizeof *out);
    return DAE_OK;
  }
  if (p->hint && *p->hint > 0) e = fmin(e, fmax(*p->hint, BELIEVED * e));
  for (int trial = 0; trial < CLOSER_MOST; trial++) {
    status = one_distance(f, p, &w, degree, e, value, other, top);
    if (status == DAE_STOPPED) return status;
    if (status != DAE_OK) {
      e *= CLOSER;
      continue;
    }
    double worst = disagreement(f, agree, degree == 2 ? e * e : e, value, other, top);
    if (worst < best) {
      memcpy(out, value, (size_t)rows * sizeof *out);
      /* it goes with a power of the distance: is there room to go back? */
      served = worst < (m.nodes > 2 ? 0.1 : 0.3) ? GOLDEN * e : e;
    }
    /* closer is worse: rounding */
    if (worst <= 1 || worst > 100 * best) break;
    best = fmin(best, worst);
    e *= CLOSER * fmax(0.05, 2 * pow(worst, -1 / falls));
  }
  if (status != DAE_OK && best == INFINITY) return status;
  if (p->hint) *p->hint = served;
  return DAE_OK;
}
