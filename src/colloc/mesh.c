/* meshes: where intervals are needed, and how large the error is */
#include <float.h>
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

/* puts N intervals into [a,b] graded, more where inner conditions demand points of their own */
int dae_colloc_mesh_first(const dae_colloc_bvp *b, int N, double *t) {
  double a = b->p->t0, e = b->p->t1, grade = b->o->mesh_grade > 0 ? b->o->mesh_grade : 1;
  int count = 0, side = 0;
  t[count++] = a;
  for (int i = 1; i <= N; i++) {
    double next = i == N ? e : a + (e - a) * pow((double)i / N, grade);
    for (; side < b->b->n_side && b->b->side[side].t < next; side++) {
      double s = b->b->side[side].t;
      if (s > t[count - 1]) t[count++] = s;
    }
    if (side < b->b->n_side && b->b->side[side].t == next) side++;
    t[count++] = next;
  }
  return count - 1;
}

/* length of the element that begins at t: `width` beside a layer, and growing with the distance; it
   doubles away from a layer and halves on the way to it */
static double length_at(const dae_colloc_layer *layer, int count, double t, double longest) {
  double length = longest;
  for (int i = 0; i < count; i++) {
    double away = t - layer[i].t, next = away < 0 ? -0.5 * away : away;
    length = fmin(length, fmax(layer[i].width, next));
  }
  return length;
}

int dae_colloc_mesh_layers(const dae_colloc_bvp *b, const dae_colloc_layer *layer, int count,
                           double *t) {
  enum { COARSE = 5, MOST = 400 };
  double at = b->p->t0, end = b->p->t1, longest = (end - at) / COARSE;
  int N = 0, side = 0;
  if (t) t[0] = at;
  while (at < end && N < MOST) {
    double length = length_at(layer, count, at, longest), stop = end;
    while (side < b->b->n_side && b->b->side[side].t <= at) side++;
    if (side < b->b->n_side) stop = b->b->side[side].t;
    /* what is left is not cut off short */
    at = at + 1.5 * length < stop ? at + length : stop;
    N++;
    if (t) t[N] = at;
  }
  return at < end ? 0 : N;
}

double dae_colloc_tolerance(const dae_colloc_bvp *b, bool is_y, int c, double size) {
  const double *given = is_y ? b->b->y_tol : b->b->z_tol;
  if (!given) return b->loosen * (b->o->atol + b->o->rtol * size);
  return given[c] > 0 ? b->loosen * given[c] : INFINITY;
}

/* (k-1)st derivative of the interpolant of w or y on element e, where it is constant */
static double top_derivative(const dae_solution *s, int e, bool is_y, int c) {
  int k = s->rule.k, stride = is_y ? s->ny : s->form.nv;
  const double *values =
      is_y ? s->y + (size_t)e * (size_t)(k * s->ny) : dae_colloc_W(&s->shape, s->x, e);
  double h = s->t[e + 1] - s->t[e], sum = 0;
  for (int j = 0; j < k; j++) sum += s->rule.lagrange[j][k - 1] * values[j * stride + c];
  for (int d = 1; d < k; d++) sum *= d / h;
  return sum;
}

/* derivative of order k+m of x (k of y) on element i, from the steps of the one below to the
   neighbours */
static double next_derivative(const dae_solution *s, int i, bool is_y, int c) {
  double here = top_derivative(s, i, is_y, c), best = 0;
  if (s->shape.N == 1) return fabs(here) / (s->t[1] - s->t[0]);
  for (int e = i - 1; e <= i + 1; e += 2) {
    if (e < 0 || e >= s->shape.N) continue;
    double width = 0.5 * (s->t[i + 1] - s->t[i] + s->t[e + 1] - s->t[e]);
    best = fmax(best, fabs(top_derivative(s, e, is_y, c) - here) / width);
  }
  return best;
}

static double component_size(const dae_solution *s, int i, bool is_y, int c) {
  double size = 0;
  for (int j = 0; is_y && j < s->rule.k; j++)
    size = fmax(size, fabs(s->y[((size_t)i * s->rule.k + j) * s->ny + c]));
  for (int j = 0; !is_y && j < 2; j++)
    size = fmax(size, fabs(dae_colloc_Z(&s->shape, s->x, i + j)[c]));
  return size;
}

/*
 * On an element of size H the error of x^(l) is about c_(m-l) H^(k+m-l) |x^(k+m)|, that of y c_0
 * H^k |y^(k)|, with
 * c_q = max |q-fold integral of prod (s-rho_j)| / k!. The density is the 1/H that makes the worst
 * of them a third
 * of its tolerance.
 */
static double density_at(const dae_colloc_bvp *b, const dae_solution *s, int i, bool with_y) {
  int k = s->rule.k, m = s->form.m, nx = s->form.nx, all = nx + (with_y ? s->ny : 0);
  double unit = 1, density = 0;
  for (int j = 0; j < k; j++) unit *= s->rule.rho[j] / (j + 1);
  for (int c = 0; c < all; c++) {
    bool is_y = c >= nx;
    double derivative = next_derivative(s, i, is_y, is_y ? c - nx : c);
    for (int l = 0; l < (is_y ? 1 : m); l++) {
      int component = is_y ? c - nx : l * nx + c, q = is_y ? 0 : m - l;
      double size = component_size(s, i, is_y, component);
      double tol = dae_colloc_tolerance(b, is_y, component, size) / 3;
      double error = s->rule.neglected[q] * unit * derivative;
      density = fmax(density, pow(error / tol, 1.0 / (k + q)));
    }
  }
  return density;
}

double dae_colloc_mesh_density(const dae_colloc_bvp *b, const dae_solution *s, double *density) {
  double total = 0;
  for (int i = 0; i < s->shape.N; i++) {
    density[i] = density_at(b, s, i, true);
    total += density[i] * (s->t[i + 1] - s->t[i]);
  }
  return total;
}

/* cuts [first, last] of the old mesh into `count` pieces of equal integral of the density;
   returns new points */
static int cut(const dae_solution *s, const double *density, double least, int first, int last,
               int count, double *t) {
  double total = 0, done = 0;
  for (int i = first; i < last; i++) total += fmax(density[i], least) * (s->t[i + 1] - s->t[i]);
  int e = first, made = 0;
  for (int j = 1; j < count; j++) {
    double goal = total * j / count;
    while (e < last - 1 && done + fmax(density[e], least) * (s->t[e + 1] - s->t[e]) < goal) {
      done += fmax(density[e], least) * (s->t[e + 1] - s->t[e]);
      e++;
    }
    t[made++] = s->t[e] + (goal - done) / fmax(density[e], least);
  }
  t[made++] = s->t[last];
  return made;
}

int dae_colloc_mesh_spread(const dae_colloc_bvp *b, const dae_solution *s, const double *density,
                           int want, double *t) {
  double total = 0, length = s->t[s->shape.N] - s->t[0];
  for (int i = 0; i < s->shape.N; i++) total += density[i] * (s->t[i + 1] - s->t[i]);
  double least = total > 0 ? 0.1 * total / length : 1;
  int count = 1, first = 0;
  t[0] = s->t[0];
  /* inner conditions stay mesh points: the pieces between them get their share */
  for (int side = 0; side <= b->b->n_side; side++) {
    int last = s->shape.N;
    double theta, share = 0, all = 0;
    if (side < b->b->n_side) last = dae_colloc_locate(s, b->b->side[side].t, &theta);
    for (int i = 0; i < s->shape.N; i++) {
      double part = fmax(density[i], least) * (s->t[i + 1] - s->t[i]);
      all += part;
      if (i >= first && i < last) share += part;
    }
    double pieces = floor(want * share / all + 0.5); /* NaN: no density is known */
    count += cut(s, density, least, first, last, pieces > 1 ? (int)pieces : 1, t + count);
    first = last;
  }
  return count - 1;
}

/* multipliers follow from x^(m), which rounding moves by eps |x^(m-1)|/h: where two meshes
   differ by no more than this, finer ones will not bring them nearer */
static bool made_of_rounding(const dae_solution *fine, int i, const double *Z, const double *W,
                             const double *Wc) {
  /* units of rounding, beside constants of elements: with 30 of them multipliers in layers of 1e-6
     pass for better than they are */
  static const double LOST = 100;
  int nx = fine->form.nx;
  const double *top = Z + (size_t)(fine->form.m - 1) * (size_t)nx;
  double h = fine->t[i + 1] - fine->t[i], size = dae_la_norm_max(nx, top) / h, moved = 0;
  for (int c = 0; c < nx; c++) moved = fmax(moved, fabs(W[c] - Wc[c]));
  return moved <= LOST * DBL_EPSILON * size;
}

/* elements that are needed for x where one is, at the worst place */
static double worst_need(const dae_colloc_bvp *b, const dae_solution *s) {
  double worst = 0;
  for (int i = 0; i < s->shape.N; i++)
    worst = fmax(worst, density_at(b, s, i, false) * (s->t[i + 1] - s->t[i]));
  return worst;
}

/*
 * Halving makes elements nearer to what is needed by a factor 2, where errors are those of
 * truncation. It gains nothing on layers that were stepped over, which Gauss points do not damp
 * (|R(infinity)| = 1: all mesh points are off by the height of the layer).
 */
static double seen_gain(const dae_colloc_bvp *b, const dae_solution *coarse,
                        const dae_solution *fine) {
  /* meshes are not always in the asymptotic range: from here on it counts as 2 */
  static const double AS_GOOD = 1.5;
  double before = worst_need(b, coarse), now = worst_need(b, fine);
  double gain = before > now ? before / now : 1;
  return gain > AS_GOOD ? 2 : gain;
}

/* parts of a difference that halving leaves as error, for each derivative and for y */
typedef struct remains {
  double z[DAE_ORDER_MAX], y;
} remains;

/* 1/(gain^q - 1) for order q, gain = 2 when all is well; one order less is counted on, as meshes
   are not always in the asymptotic range */
static double part_left(double gain, int order) {
  return 1 / fmax(1, pow(gain, (order < 2 ? 2 : order) - 1) - 1);
}

static remains parts_left(const dae_solution *fine, double gain) {
  int k = fine->rule.k, m = fine->form.m, most = fine->rule.order;
  remains out = {.y = part_left(2, k < most ? k : most)};
  for (int l = 0; l < m; l++) out.z[l] = part_left(gain, k + m - l < most ? k + m - l : most);
  return out;
}

/* largest difference of the two solutions at one point, per component, times what is left of it.
   Returns the largest of z as it is, in tolerances; fine->moved: of y */
static double compare(const dae_colloc_bvp *b, const dae_solution *coarse, dae_solution *fine,
                      int i, const dae_colloc_place *here, const dae_colloc_place *there,
                      const remains *part) {
  int ns = fine->shape.ns, nz = fine->nz, ny = fine->ny, nx = fine->form.nx;
  double *Z = b->z1, *Y = Z + ns, *Zc = Y + ny, *Yc = Zc + ns, *z = Yc + ny, *zc = z + nz, most = 0;
  double *W = ny > 0 ? zc + nz : NULL, *Wc = ny > 0 ? W + fine->form.nv : NULL;
  dae_colloc_sample_place(fine, i, here, Z, W, Y, NULL);
  dae_colloc_sample_place(coarse, i / 2, there, Zc, Wc, Yc, NULL);
  bool lost = ny > 0 && made_of_rounding(fine, i, Z, W, Wc);
  dae_colloc_form_z(&fine->form, Z, z);
  dae_colloc_form_z(&coarse->form, Zc, zc);
  for (int c = 0; c < nz + ny; c++) {
    bool is_y = c >= nz;
    int component = is_y ? c - nz : c;
    double value = is_y ? Y[component] : z[component], other = is_y ? Yc[component] : zc[component];
    double off = fabs(value - other);
    double error = off * (!is_y ? part->z[c / nx] : lost ? 1 : part->y);
    double tol = dae_colloc_tolerance(b, is_y, component, fabs(value));
    double *store = is_y ? &fine->y_error[component] : &fine->z_error[component];
    *store = fmax(*store, error);
    fine->error = fmax(fine->error, error / tol);
    double *worst = is_y ? &fine->moved : &most;
    *worst = fmax(*worst, off / tol);
  }
  return most;
}

/* where the coarse mesh came by halving as well, its order in y was seen. No more is counted on:
   noise of derivatives by differences, divided by h once more, does not fall with any power of h */
static void count_on_seen(const dae_colloc_bvp *b, const dae_solution *coarse, dae_solution *fine) {
  int order = fine->rule.k < fine->rule.order ? fine->rule.k : fine->rule.order;
  double full = fmax(1, pow(2, order - 1) - 1);
  fine->moved *= b->loosen;
  if (!(coarse->moved > 0) || coarse->moved >= full * fine->moved) return;
  double more = full / fmax(1, coarse->moved / fine->moved);
  for (int c = 0; c < fine->ny; c++) fine->y_error[c] *= more;
  fine->error = fmax(fine->error, more * fine->moved / (full * b->loosen));
}

/* with an even number of points and order 1 errors of truncation are odd on an element: next to
   nothing in the middle. A layer of some tolerances that was stepped over moves all mesh points
   alike: elements look the same, coarse ones are right in the middle, where the fine mesh has a
   point that is off */
static const double ODD = 0.5;

void dae_colloc_error(const dae_colloc_bvp *b, const dae_solution *coarse, dae_solution *fine) {
  /* where one element ends the next one begins, but y jumps there */
  enum { PLACES = 7 };
  static const double theta[PLACES] = {0, 0.1, 0.3, 0.5, 0.7, 0.9, 1};
  const int first = fine->ny > 0 ? 0 : 1;
  dae_colloc_place here[PLACES],
      there[2][PLACES]; /* in the left and right half of the coarse one */
  for (int j = first; j < PLACES; j++) {
    dae_colloc_place_set(&here[j], fine, theta[j]);
    for (int half = 0; half < 2; half++)
      dae_colloc_place_set(&there[half][j], coarse, 0.5 * (half + theta[j]));
  }
  memset(fine->z_error, 0, sizeof(double) * (size_t)fine->nz);
  memset(fine->y_error, 0, sizeof(double) * (size_t)fine->ny);
  fine->error = fine->moved = 0;
  remains part = parts_left(fine, seen_gain(b, coarse, fine)), all = parts_left(fine, 1);
  bool odd = fine->form.m == 1 && fine->rule.k % 2 == 0;
  for (int i = 0; i < fine->shape.N; i++) {
    double inside = 0, end = 0;
    for (int j = first; j < PLACES; j++) {
      inside = fmax(inside, end);
      end = compare(b, coarse, fine, i, &here[j], &there[i % 2][j], &part);
    }
    if (odd && i % 2 == 0 && end > fmax(1, ODD * inside))
      compare(b, coarse, fine, i, &here[PLACES - 1], &there[0][PLACES - 1], &all);
  }
  count_on_seen(b, coarse, fine);
}

/* ---- a mesh that follows fast modes: see dae_colloc_mesh_graded ---- */

enum { EQUAL = 8, FAR = 60 }; /* pieces of length `follow`; no piece is asked for */

/* length of the piece with this number, counted from a layer */
static double piece(const dae_colloc_ends_modes *m, int number) {
  if (m->everywhere) return m->follow;
  return number >= FAR ? INFINITY : ldexp(m->follow, number < EQUAL ? 0 : number - EQUAL + 1);
}

/* pieces from number `first` on that fit into `room`; t gets where they end, NULL: counted only */
static int pieces(const dae_colloc_ends_modes *m, int first, double room, double *t) {
  int count = 0;
  for (double used = piece(m, first); used < room; used += piece(m, first + count)) {
    if (t) t[count] = used;
    count++;
  }
  return count;
}

/* the number that goes on behind an element of length h: none is left of it inside a layer */
static int behind(const dae_colloc_ends_modes *m, int number, double h) {
  if (h <= 1.5 * m->follow) return 0;
  return number >= FAR ? FAR : number + pieces(m, number, h, NULL) + 1;
}

int dae_colloc_mesh_graded(const dae_solution *s, const dae_colloc_ends_modes *modes, int *right,
                           double *t) {
  enum { ONE_OF = 8 };
  static const double UNEVEN = 0.4;
  int N = s->shape.N, count = 0, left = modes->left ? 0 : FAR;
  for (int i = N - 1, number = modes->right ? 0 : FAR; i >= 0; i--) {
    right[i] = number;
    number = behind(modes, number, s->t[i + 1] - s->t[i]);
  }
  if (t) t[0] = s->t[0];
  for (int i = 0; i < N; i++) {
    double h = s->t[i + 1] - s->t[i], *first = t ? t + 1 + count : NULL;
    bool inside = h <= 1.5 * modes->follow;
    int here = inside ? 0 : pieces(modes, left, 0.5 * h, first);
    double *second = t ? first + here : NULL;
    int there = inside ? 0 : pieces(modes, right[i], 0.5 * h, second);
    for (int j = 0; t && j < here; j++) first[j] += s->t[i];
    for (int j = 0; t && 2 * j < there; j++) {
      /* counted from the right: mirrored */
      double swap = s->t[i + 1] - second[j];
      second[j] = s->t[i + 1] - second[there - 1 - j];
      second[there - 1 - j] = swap;
    }
    count += here + there;
    if (here + there == 0 && i % ONE_OF == ONE_OF / 2) {
      count++;
      if (t) t[count] = s->t[i] + UNEVEN * h;
    }
    count++;
    if (t) t[count] = s->t[i + 1];
    left = behind(modes, left, h);
  }
  return count;
}

double dae_colloc_difference(const dae_colloc_bvp *b, const dae_solution *fine,
                             const dae_solution *other, double *t) {
  enum { BETWEEN = 3 };
  int nz = fine->nz;
  double worst = 0, *z = b->z, *z1 = b->z + nz;
  for (int i = 0; i <= BETWEEN * fine->shape.N; i++) {
    int e = i / BETWEEN, j = i % BETWEEN;
    double at = fine->t[e] + (j > 0 ? (fine->t[e + 1] - fine->t[e]) * j / BETWEEN : 0);
    dae_solution_eval(fine, at, z, NULL, NULL);
    dae_solution_eval(other, at, z1, NULL, NULL);
    for (int c = 0; c < nz; c++) {
      double size = fabs(z[c] - z1[c]) / dae_colloc_tolerance(b, false, c, fabs(z[c]));
      if (size > worst) {
        worst = size;
        *t = at;
      }
    }
  }
  return worst;
}
