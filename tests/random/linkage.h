/* mechanisms with one degree of freedom each and their motion in that one coordinate
 *
 * A linkage is a set of mass points held by rods, lines and curves. Its points are known as smooth
 * functions of one angle, through every change point, so that
 *   m(a) a'' + m'(a)/2 a'^2 + V'(a) = 0,   m = sum m_i |p_i'|^2,   V = -sum m_i gravity . p_i
 * is an independent description without constraints. It is integrated by extrapolation in long
 * double.
 */
#ifndef DAEDAL_LINKAGE_H
#define DAEDAL_LINKAGE_H

#include <daedal/daedal.h>
#include <math.h>
#include <string.h>

typedef long double real;

/* a value with its first and second derivative in the angle */
typedef struct jet {
  real v, d, dd;
} jet;

static inline jet jet_of(real c) { return (jet){c, 0, 0}; }
static inline jet jet_add(jet a, jet b) { return (jet){a.v + b.v, a.d + b.d, a.dd + b.dd}; }
static inline jet jet_scale(real c, jet a) { return (jet){c * a.v, c * a.d, c * a.dd}; }
static inline jet jet_sub(jet a, jet b) { return jet_add(a, jet_scale(-1, b)); }
static inline jet jet_mul(jet a, jet b) {
  return (jet){a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}
/* f(a) with f, f', f'' given */
static inline jet jet_chain(jet a, real f, real f1, real f2) {
  return (jet){f, f1 * a.d, f2 * a.d * a.d + f1 * a.dd};
}
static inline jet jet_inverse(jet a) {
  return jet_chain(a, 1 / a.v, -1 / (a.v * a.v), 2 / (a.v * a.v * a.v));
}
static inline jet jet_root(jet a) {
  real r = sqrtl(a.v);
  return jet_chain(a, r, 0.5L / r, -0.25L / (r * a.v));
}
static inline jet jet_cos(jet a) { return jet_chain(a, cosl(a.v), -sinl(a.v), -cosl(a.v)); }
static inline jet jet_sin(jet a) { return jet_chain(a, sinl(a.v), cosl(a.v), -sinl(a.v)); }

typedef enum linkage_type {
  FOUR_BAR,          /* ground + crank = coupler + rocker */
  FOUR_BAR_INNER,    /* ground - crank = coupler - rocker */
  PARALLELOGRAM,     /* both */
  ANTIPARALLELOGRAM, /* the other motion of it */
  KITE,              /* ground = rocker, crank = coupler */
  RHOMBUS,           /* all equal: more than two motions meet at angle 0 */
  SLIDER_CRANK,      /* equal bars */
  DOUBLE_SLIDER,     /* two sliders on one axis, one on the other */
  TRAIN,             /* three cranks in a row: two parallelograms change at once */
  LEMNISCATE,        /* a bead on a curve that crosses itself */
  VIVIANI,           /* a bead on sphere and cylinder: only in space */
  TRIANGLE,          /* a plate on three cranks: always one constraint too many, no change point */
  PENDULUM,          /* nothing special */
  LINKAGE_TYPES
} linkage_type;

static const char *const linkage_name[] = {
    "four-bar",     "four-bar-inner", "parallelogram", "antiparallelogram", "kite",    "rhombus",
    "slider-crank", "double-slider",  "train",         "lemniscate",        "viviani", "triangle",
    "pendulum"};

enum { POINTS = 6, ROWS = 24, PARTS = 2, COORDS = 3 * POINTS };

typedef struct linkage_part {
  linkage_type type;
  int first, points;  /* of the points */
  double size[4];     /* ground, crank, coupler, rocker; or what the type needs */
  double angle, rate; /* at the start */
  double change[2];   /* change points, modulo 2 pi; NaN: none */
} linkage_part;

typedef enum row_kind { ROD, LINE, EIGHT, ROUND, SUM } row_kind;

/* |p_i - p_j|^2/2 = size^2/2, a . p_i = 0, (r^2)^2 = size^2 (x^2 - y^2), (x - c)^2 + y^2 = size^2,
   or a sum of two rows; j < 0: the fixed point a. In the plane's own coordinates */
typedef struct linkage_row {
  row_kind kind;
  int i, j;
  double a[3], size;
} linkage_row;

typedef struct linkage {
  int dim, points, rows, parts;
  linkage_part part[PARTS];
  linkage_row row[ROWS];
  double mass[POINTS], gravity[3]; /* gravity in the plane's own coordinates */
  double frame[3][3];              /* rows: where the axes of the plane point */
  double length, weight, time;     /* units */
} linkage;

/* B at the end of the coupler from A, by the height h over the diagonal AD */
static inline void linkage_join(const double *s, jet x, jet y, jet h, jet f, jet *p) {
  jet along = jet_mul(jet_add(jet_mul(f, f), jet_of((real)s[2] * s[2] - (real)s[3] * s[3])),
                      jet_scale(0.5L, jet_inverse(f)));
  jet u = jet_mul(jet_sub(jet_of(s[0]), x), jet_inverse(f)),
      w = jet_mul(jet_scale(-1, y), jet_inverse(f));
  p[3] = jet_add(x, jet_sub(jet_mul(along, u), jet_mul(h, w)));
  p[4] = jet_add(y, jet_add(jet_mul(along, w), jet_mul(h, u)));
}

/* the points of a part at an angle, three coordinates each */
static void linkage_place(const linkage_part *k, real angle, jet *p) {
  const double *s = k->size;
  jet a = {angle, 1, 0}, c = jet_cos(a), n = jet_sin(a), half = {angle / 2, 0.5L, 0};
  for (int i = 0; i < 3 * k->points; i++) p[i] = jet_of(0);
  p[0] = jet_scale(s[1], c), p[1] = jet_scale(s[1], n);
  jet f2 = jet_sub(jet_of((real)s[0] * s[0] + (real)s[1] * s[1]), jet_scale(2.0L * s[0] * s[1], c));
  switch (k->type) {
    case FOUR_BAR: {
      jet f = jet_root(f2),
          rest = jet_root(jet_sub(f2, jet_of(((real)s[2] - s[3]) * ((real)s[2] - s[3]))));
      jet h = jet_mul(jet_mul(rest, jet_cos(half)), jet_inverse(f));
      linkage_join(s, p[0], p[1], jet_scale(sqrtl((real)s[0] * s[1]), h), f, p);
      break;
    }
    case FOUR_BAR_INNER: {
      jet f = jet_root(f2),
          rest = jet_root(jet_sub(jet_of(((real)s[2] + s[3]) * ((real)s[2] + s[3])), f2));
      jet h = jet_mul(jet_mul(rest, jet_sin(half)), jet_inverse(f));
      linkage_join(s, p[0], p[1], jet_scale(sqrtl((real)s[0] * s[1]), h), f, p);
      break;
    }
    case ANTIPARALLELOGRAM: {
      jet f = jet_root(f2);
      linkage_join(s, p[0], p[1], jet_scale(-(real)s[0] * s[1], jet_mul(n, jet_inverse(f))), f, p);
      break;
    }
    case PARALLELOGRAM:
    case RHOMBUS: p[3] = jet_add(p[0], jet_of(s[0])), p[4] = p[1]; break;
    case TRAIN:
    case TRIANGLE:
      p[3] = jet_add(p[0], jet_of(s[0])), p[4] = p[1];
      p[6] = jet_add(p[0], jet_of(s[2])), p[7] = jet_add(p[1], jet_of(s[3]));
      break;
    case KITE: {
      /* the origin reflected at the line through A and D = (s0, 0): twice its foot */
      jet dx = jet_sub(jet_of(s[0]), p[0]), dy = jet_scale(-1, p[1]);
      jet t =
          jet_mul(jet_add(jet_mul(p[0], dx), jet_mul(p[1], dy)), jet_scale(-2, jet_inverse(f2)));
      p[3] = jet_add(jet_scale(2, p[0]), jet_mul(t, dx));
      p[4] = jet_add(jet_scale(2, p[1]), jet_mul(t, dy));
      break;
    }
    case SLIDER_CRANK: p[3] = jet_scale(2 * s[1], c); break;
    case DOUBLE_SLIDER:
      p[0] = jet_scale(s[1], c), p[1] = jet_of(0), p[3] = jet_scale(-1, p[0]);
      p[7] = jet_scale(s[1], n);
      break;
    case LEMNISCATE: {
      jet q = jet_inverse(jet_add(jet_of(1), jet_mul(n, n)));
      p[0] = jet_scale(s[1], jet_mul(c, q)), p[1] = jet_mul(p[0], n);
      break;
    }
    case VIVIANI:
      p[0] = jet_add(p[0], jet_of(s[1])), p[2] = jet_scale(2 * s[1], jet_sin(half));
      break;
    default: break;
  }
}

/* a'' at (a, a') */
static real linkage_slope(const linkage *k, const linkage_part *part, real angle, real rate) {
  jet p[COORDS];
  real inertia = 0, force = 0;
  linkage_place(part, angle, p);
  for (int i = 0; i < 3 * part->points; i++) {
    real m = k->mass[part->first + i / 3];
    inertia += m * p[i].d * p[i].d;
    force += m * (k->gravity[i % 3] * p[i].d - p[i].d * p[i].dd * rate * rate);
  }
  return force / inertia;
}

/* one step of extrapolation (Gragg, Bulirsch, Stoer) with 2, 4, .. 16 substeps: order 16 */
static void linkage_step(const linkage *k, const linkage_part *part, real h, real *z) {
  enum { COLUMNS = 8 };
  real table[COLUMNS][2];
  for (int j = 0; j < COLUMNS; j++) {
    int n = 2 * (j + 1);
    real d = h / n, x0 = z[0], v0 = z[1];
    real x1 = x0 + d * v0, v1 = v0 + d * linkage_slope(k, part, x0, v0);
    for (int i = 1; i < n; i++) {
      real x2 = x0 + 2 * d * v1, v2 = v0 + 2 * d * linkage_slope(k, part, x1, v1);
      x0 = x1, v0 = v1, x1 = x2, v1 = v2;
    }
    table[j][0] = 0.5L * (x1 + x0 + d * v1);
    table[j][1] = 0.5L * (v1 + v0 + d * linkage_slope(k, part, x1, v1));
    for (int i = j - 1; i >= 0; i--) {
      real ratio = (real)n / (2 * (i + 1));
      for (int c = 0; c < 2; c++)
        table[i][c] = table[i + 1][c] + (table[i + 1][c] - table[i][c]) / (ratio * ratio - 1);
    }
  }
  z[0] = table[0][0], z[1] = table[0][1];
}

/* angle and rate of a part after a time in units of the linkage. A step turns by a tenth at most
   and is a twentieth of the time scale of gravity: 1e-17 per step */
static void linkage_motion(const linkage *k, const linkage_part *part, real time, real *z) {
  z[0] = part->angle, z[1] = part->rate;
  for (real t = 0; t < time;) {
    real slope = fabsl(linkage_slope(k, part, z[0], z[1]));
    real h = fminl(0.05L, 0.1L / (fabsl(z[1]) + sqrtl(slope) + 0.1L));
    if (h > time - t) h = time - t;
    linkage_step(k, part, h, z);
    t += h;
  }
}

/* z = (q, v) in the user's units from angles and rates of the parts */
static void linkage_state(const linkage *k, real (*motion)[2], double *z) {
  int n = k->dim * k->points;
  for (int b = 0; b < k->parts; b++) {
    const linkage_part *part = &k->part[b];
    jet p[COORDS];
    linkage_place(part, motion[b][0], p);
    for (int i = 0; i < part->points; i++)
      for (int d = 0; d < k->dim; d++) {
        real q = 0, v = 0;
        for (int c = 0; c < 3; c++) {
          q += (real)k->frame[c][d] * p[3 * i + c].v;
          v += (real)k->frame[c][d] * p[3 * i + c].d * motion[b][1];
        }
        z[k->dim * (part->first + i) + d] = (double)(q * k->length);
        z[n + k->dim * (part->first + i) + d] = (double)(v * k->length / k->time);
      }
  }
}

/* ---- the same as a problem with constraints ---- */

/* point i in the plane's own coordinates */
static void linkage_local(const linkage *k, const double *q, int i, double *p) {
  for (int c = 0; c < 3; c++) {
    p[c] = 0;
    for (int d = 0; d < k->dim; d++) p[c] += k->frame[c][d] * q[k->dim * i + d];
  }
}

/* a row at q: its value, its gradient in the local coordinates of points i and j, and its second
   derivative along v; sums follow their rows */
static double linkage_value(const linkage *k, int r, const double *q, const double *v,
                            double *gradient, double *curvature) {
  const linkage_row *row = &k->row[r];
  double p[3], w[3] = {0}, to[3], wto[3] = {0}, value = 0, L = k->length;
  memset(gradient, 0, (size_t)(3 * k->points) * sizeof *gradient);
  *curvature = 0;
  if (row->kind == SUM) {
    double other[3 * POINTS], bend;
    value = row->a[0] * linkage_value(k, row->i, q, v, gradient, curvature);
    *curvature *= row->a[0];
    double second = linkage_value(k, row->j, q, v, other, &bend);
    for (int i = 0; i < 3 * k->points; i++)
      gradient[i] = row->a[0] * gradient[i] + row->a[1] * other[i];
    *curvature += row->a[1] * bend;
    return value + row->a[1] * second;
  }
  linkage_local(k, q, row->i, p);
  if (v) linkage_local(k, v, row->i, w);
  for (int c = 0; c < 3; c++) to[c] = L * row->a[c];
  if (row->kind == ROD && row->j >= 0) {
    linkage_local(k, q, row->j, to);
    if (v) linkage_local(k, v, row->j, wto);
  }
  double size = L * row->size, x = p[0], y = p[1], rr = x * x + y * y, *g = gradient + 3 * row->i;
  switch (row->kind) {
    case ROD:
      for (int c = 0; c < 3; c++) {
        double d = p[c] - to[c];
        value += 0.5 * d * d;
        g[c] = d;
        if (row->j >= 0) gradient[3 * row->j + c] = -d;
        *curvature += (w[c] - wto[c]) * (w[c] - wto[c]);
      }
      return value - 0.5 * size * size;
    case LINE:
      for (int c = 0; c < 3; c++) value += row->a[c] * p[c], g[c] = row->a[c];
      return value;
    case ROUND:
      g[0] = x - to[0], g[1] = y;
      *curvature = w[0] * w[0] + w[1] * w[1];
      return 0.5 * (g[0] * g[0] + y * y - size * size);
    default: {
      double aa = size * size;
      g[0] = 4 * x * rr - 2 * aa * x, g[1] = 4 * y * rr + 2 * aa * y;
      *curvature = (4 * rr + 8 * x * x - 2 * aa) * w[0] * w[0] + 16 * x * y * w[0] * w[1] +
                   (4 * rr + 8 * y * y + 2 * aa) * w[1] * w[1];
      return rr * rr - aa * (x * x - y * y);
    }
  }
}

static int linkage_g(double t, const double *q, double *g, void *ctx) {
  const linkage *k = ctx;
  double gradient[3 * POINTS], bend;
  (void)t;
  for (int r = 0; r < k->rows; r++) g[r] = linkage_value(k, r, q, NULL, gradient, &bend);
  return 0;
}
static int linkage_G(double t, const double *q, double *G, void *ctx) {
  const linkage *k = ctx;
  double gradient[3 * POINTS], bend;
  int n = k->dim * k->points;
  (void)t;
  for (int r = 0; r < k->rows; r++) {
    linkage_value(k, r, q, NULL, gradient, &bend);
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int c = 0; c < 3; c++) sum += k->frame[c][j % k->dim] * gradient[3 * (j / k->dim) + c];
      G[r * n + j] = sum;
    }
  }
  return 0;
}
static int linkage_bend(double t, const double *q, const double *v, double *c, void *ctx) {
  const linkage *k = ctx;
  double gradient[3 * POINTS];
  (void)t;
  for (int r = 0; r < k->rows; r++) linkage_value(k, r, q, v, gradient, &c[r]);
  return 0;
}
static int linkage_g_t(double t, const double *q, double *g, void *ctx) {
  const linkage *k = ctx;
  (void)t, (void)q;
  memset(g, 0, (size_t)k->rows * sizeof *g);
  return 0;
}
static int linkage_mass(double t, const double *q, double *M, void *ctx) {
  const linkage *k = ctx;
  (void)t, (void)q;
  for (int i = 0; i < k->dim * k->points; i++) M[i] = k->weight * k->mass[i / k->dim];
  return 0;
}
static int linkage_force(double t, const double *q, const double *v, double *f, void *ctx) {
  const linkage *k = ctx;
  double unit = k->weight * k->length / (k->time * k->time);
  (void)t, (void)q, (void)v;
  for (int i = 0; i < k->dim * k->points; i++) {
    f[i] = 0;
    for (int c = 0; c < 3; c++) f[i] += k->frame[c][i % k->dim] * k->gravity[c];
    f[i] *= unit * k->mass[i / k->dim];
  }
  return 0;
}

/* z0 must live as long as the problem */
static inline dae_problem linkage_problem(linkage *k, const double *z0, double t1) {
  return (dae_problem){.kind = DAE_MECHANICAL,
                       .ctx = k,
                       .z0 = z0,
                       .t1 = t1,
                       .mechanical = {.nq = k->dim * k->points,
                                      .ng = k->rows,
                                      .mass = linkage_mass,
                                      .mass_kind = DAE_MASS_DIAGONAL,
                                      .mass_constant = true,
                                      .force = linkage_force,
                                      .g = linkage_g,
                                      .G = linkage_G,
                                      .g_t = linkage_g_t,
                                      .curvature = linkage_bend}};
}

/* ---- building ---- */

static inline void linkage_row_add(linkage *k, row_kind kind, int i, int j, double x, double y,
                                   double size) {
  k->row[k->rows++] = (linkage_row){kind, i, j, {x, y, 0}, size};
}

/* a part of a type with its sizes, which must fit the type; its rows are added */
static void linkage_add(linkage *k, linkage_type type, const double *size, double angle,
                        double rate) {
  static const int points[] = {2, 2, 2, 2, 2, 2, 2, 3, 3, 1, 1, 3, 1};
  const double PI = 3.14159265358979323846, G = size[0], c = size[1];
  int f = k->points;
  linkage_part *part = &k->part[k->parts++];
  *part = (linkage_part){type, f, points[type], {0}, angle, rate, {NAN, NAN}};
  memcpy(part->size, size, sizeof part->size);
  k->points += points[type];
  double *change = part->change;
  if (type <= RHOMBUS) {
    linkage_row_add(k, ROD, f, -1, 0, 0, c);
    linkage_row_add(k, ROD, f, f + 1, 0, 0, size[2]);
    linkage_row_add(k, ROD, f + 1, -1, G, 0, size[3]);
    if (type != FOUR_BAR_INNER) change[0] = PI;
    if (type != FOUR_BAR) change[1] = 0;
  }
  switch (type) {
    case SLIDER_CRANK:
      linkage_row_add(k, ROD, f, -1, 0, 0, c);
      linkage_row_add(k, ROD, f, f + 1, 0, 0, c);
      linkage_row_add(k, LINE, f + 1, -1, 0, 1, 0);
      change[0] = PI / 2, change[1] = 1.5 * PI;
      break;
    case DOUBLE_SLIDER:
      linkage_row_add(k, ROD, f, f + 2, 0, 0, c);
      linkage_row_add(k, ROD, f + 1, f + 2, 0, 0, c);
      linkage_row_add(k, LINE, f, -1, 0, 1, 0);
      linkage_row_add(k, LINE, f + 1, -1, 0, 1, 0);
      linkage_row_add(k, LINE, f + 2, -1, 1, 0, 0);
      change[0] = PI / 2, change[1] = 1.5 * PI;
      break;
    case TRAIN:
    case TRIANGLE:
      linkage_row_add(k, ROD, f, -1, 0, 0, c);
      linkage_row_add(k, ROD, f + 1, -1, G, 0, c);
      linkage_row_add(k, ROD, f + 2, -1, size[2], size[3], c);
      linkage_row_add(k, ROD, f, f + 1, 0, 0, G);
      linkage_row_add(k, ROD, f + 1, f + 2, 0, 0, hypot(size[2] - G, size[3]));
      if (type == TRIANGLE) linkage_row_add(k, ROD, f, f + 2, 0, 0, hypot(size[2], size[3]));
      else change[0] = 0, change[1] = PI;
      break;
    case LEMNISCATE:
      linkage_row_add(k, EIGHT, f, -1, 0, 0, c);
      change[0] = PI / 2, change[1] = 1.5 * PI;
      break;
    case VIVIANI:
      linkage_row_add(k, ROD, f, -1, 0, 0, 2 * c);
      linkage_row_add(k, ROUND, f, -1, c, 0, c);
      change[0] = 0;
      break;
    case PENDULUM: linkage_row_add(k, ROD, f, -1, 0, 0, c); break;
    default: break;
  }
}

/* what keeps a plane mechanism in its plane */
static inline void linkage_flat(linkage *k) {
  if (k->dim == 2) return;
  for (int b = 0; b < k->parts; b++)
    for (int i = 0; i < k->part[b].points && k->part[b].type != VIVIANI; i++) {
      linkage_row_add(k, LINE, k->part[b].first + i, -1, 0, 0, 0);
      k->row[k->rows - 1].a[2] = 1;
    }
}

#endif
