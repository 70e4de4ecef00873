/* fast modes of the linearized equations at the ends: do their layers leave the rest determined? */
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

/* a mode is fast when it falls or grows by exp(20) over the interval: layers are narrower than a
   twentieth of it; no round number, as rates in problems are */
static const double FAST = 23.7;
/* an element of this length, in units of 1/rate, follows a mode: it falls by exp(-4) */
static const double FOLLOW = 4;
/* angles of oscillations that count: every element follows a smaller one to many digits */
const double DAE_COLLOC_SWING = 0.3;

typedef struct work {
  double *M, *X, *inverse, *system, *rhs;
  double *re, *im; /* eigenvalues of M */
  double *W, *a;   /* at one place */
  int *pivot;
} work;

static dae_status take(work *w, const dae_colloc_bvp *b, dae_pool *pool) {
  size_t ns = (size_t)b->ns, n = (size_t)(b->form.nx + b->form.na), most = n > ns ? n : ns;
  w->M = dae_base_doubles(pool, ns * ns);
  w->X = dae_base_doubles(pool, ns * ns);
  w->inverse = dae_base_doubles(pool, ns * ns);
  w->re = dae_base_doubles(pool, ns);
  w->im = dae_base_doubles(pool, ns);
  w->system = dae_base_doubles(pool, most * most);
  w->rhs = dae_base_doubles(pool, n * ns);
  w->W = dae_base_doubles(pool, (size_t)b->form.nv);
  w->a = dae_base_doubles(pool, (size_t)b->form.na);
  w->pivot = dae_base_ints(pool, most);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* a place of the solution: part theta of element i */
typedef struct place {
  int i;
  double theta;
} place;

/* residuals and matrices there */
static bool point_at(dae_colloc_linear *l, work *w, double *x, place p) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_form *form = &b->form;
  int k = b->rule.k, nv = form->nv;
  double h = l->t[p.i + 1] - l->t[p.i], values[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX];
  const double *W = dae_colloc_W(&l->shape, x, p.i), *weights[DAE_ORDER_MAX + 1];
  for (int q = 0; q <= form->m; q++) {
    dae_colloc_rule_weights(&b->rule, p.theta, q, values[q]);
    weights[q] = values[q];
  }
  dae_colloc_element_state(&b->element, h, p.theta, weights, dae_colloc_Z(&l->shape, x, p.i), W,
                           b->element.Z);
  dae_colloc_element_algebraic(&b->element, weights[0], dae_colloc_a(&l->shape, x, p.i), w->a);
  for (int c = 0; c < nv; c++) {
    w->W[c] = 0;
    for (int j = 0; j < k; j++) w->W[c] += weights[0][j] * W[j * nv + c];
  }
  b->stats.jacobians++;
  return dae_colloc_form_point(&b->form, l->t[p.i] + h * p.theta, l->t[p.i + 1], b->element.Z, w->W,
                               w->a, true, &b->element.point) == DAE_OK;
}

/*
 * M of the linearization Z' = M Z at a place: w = x^(m) and a from
 *   A w + K a = -J Z,   sum_l C_l x^(l+1) = 0,   C_l the columns of x^(l).
 * False: singular there.
 */
static bool local_matrix(dae_colloc_linear *l, work *w, double *x, place at) {
  const dae_colloc_form *form = &l->b->form;
  const dae_colloc_point *p = &l->b->element.point;
  int nx = form->nx, na = form->na, ns = form->ns, n = nx + na;
  if (!point_at(l, w, x, at)) return false;
  memset(w->system, 0, sizeof(double) * (size_t)(n * n));
  memset(w->rhs, 0, sizeof(double) * (size_t)(n * ns));
  for (int r = 0; r < nx; r++) {
    memcpy(w->system + r * n, p->A + r * nx, sizeof(double) * (size_t)nx);
    memcpy(w->system + r * n + nx, p->K + r * na, sizeof(double) * (size_t)na);
    for (int c = 0; c < ns; c++) w->rhs[r * ns + c] = -p->J[r * ns + c];
  }
  for (int r = 0; r < na; r++) {
    memcpy(w->system + (nx + r) * n, p->C + r * ns + ns - nx, sizeof(double) * (size_t)nx);
    for (int c = nx; c < ns; c++) w->rhs[(nx + r) * ns + c] = -p->C[r * ns + c - nx];
  }
  if (dae_la_lu(n, w->system, w->pivot) != 0) return false;
  dae_la_lu_solve_many(n, w->system, w->pivot, ns, ns, w->rhs);
  memset(w->M, 0, sizeof(double) * (size_t)(ns * ns));
  for (int r = 0; r < ns - nx; r++) w->M[r * ns + r + nx] = 1;
  memcpy(w->M + (ns - nx) * ns, w->rhs, sizeof(double) * (size_t)(nx * ns));
  return dae_base_finite(w->M, ns * ns);
}

static double largest_row(const double *M, int n) {
  double norm = 0;
  for (int r = 0; r < n; r++) {
    double sum = 0;
    for (int c = 0; c < n; c++) sum += fabs(M[r * n + c]);
    norm = fmax(norm, sum);
  }
  return norm;
}

/* M := D^-1 M D with rows as large as columns (Osborne 1960): its norm, returned, is then near to
   its fastest rate */
static double balance(double *M, int n) {
  enum { SWEEPS = 4 };
  for (int i = 0; i < SWEEPS * n; i++) {
    int k = i % n;
    double row = 0, column = 0;
    for (int j = 0; j < n; j++) {
      row += j != k ? fabs(M[k * n + j]) : 0;
      column += j != k ? fabs(M[j * n + k]) : 0;
    }
    double d = row > 0 && column > 0 ? sqrt(row / column) : 1;
    for (int j = 0; j < n; j++) {
      M[j * n + k] *= d;
      M[k * n + j] /= d;
    }
  }
  return largest_row(M, n);
}

/* |M^4|^(1/4) <= |M| is nearer to the fastest rate; X and inverse are overwritten */
static double fastest(work *w, int n) {
  double norm = largest_row(w->M, n);
  memset(w->X, 0, sizeof(double) * (size_t)(n * n));
  memset(w->inverse, 0, sizeof(double) * (size_t)(n * n));
  const dae_la_part M = {w->M, n}, square = {w->X, n};
  dae_la_subtract_product(n, n, n, M, M, w->X, n);
  dae_la_subtract_product(n, n, n, square, square, w->inverse, n);
  return fmin(norm, sqrt(sqrt(largest_row(w->inverse, n))));
}

/* number of eigenvalues with real part above `limit` */
static int above(const work *w, int n, double limit) {
  int found = 0;
  for (int i = 0; i < n; i++) found += w->re[i] > limit;
  return found;
}

/* the fastest swing, with eigenvalues a + ib: sqrt(b^2 - a^2) */
static double swing(const work *w, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double a = fabs(w->re[i]), b = fabs(w->im[i]);
    if (b > a) most = fmax(most, sqrt((b - a) * (b + a)));
  }
  return most;
}

/* fast modes at one place */
typedef struct modes {
  int grow, fall;
  double rate;  /* about the largest */
  double swing; /* rate of the fastest that swings; 0 also where all are slow */
} modes;

/* false: not known. Where all modes are slow and none turns by as much as `harmless` on the
   element no eigenvalues are needed */
static bool count(dae_colloc_linear *l, work *w, double *x, place at, double harmless, modes *m) {
  int n = l->b->ns;
  double limit = FAST / (l->t[l->shape.N] - l->t[0]), h = l->t[at.i + 1] - l->t[at.i];
  *m = (modes){0};
  if (!local_matrix(l, w, x, at)) return false;
  m->rate = balance(w->M, n);
  if (n > 2 && m->rate >= limit) m->rate = fastest(w, n);
  if (m->rate < limit && m->rate * h < harmless) return true;
  if (!dae_la_eigenvalues(n, w->M, w->re, w->im)) return false;
  m->swing = swing(w, n);
  if (m->rate < limit) return true;
  m->grow = above(w, n, limit);
  m->fall = n - above(w, n, -limit);
  return true;
}

/* two slow modes may become one that grows and one that falls, and back: each has its layer, if
   any, at its own end. All else may leave modes between layers, or a layer inside, to next to
   nothing */
static bool turns(const modes *a, const modes *b) { return b->grow - a->grow != b->fall - a->fall; }

/*
 * With as many modes that fall fast, and as many that grow fast, everywhere on the interval, the
 * conditions at the ends determine layers and slow modes alike. Where these numbers change, slow
 * modes between layers at both ends, or the place of a layer inside, may depend on next to nothing.
 */
dae_status dae_colloc_modes(dae_colloc_linear *l, double *x, double harmless, dae_pool *pool,
                            dae_colloc_ends_modes *out) {
  enum { PLACES = 5 };
  work w;
  int N = l->shape.N;
  modes first = {0}, m;
  bool known = false, changed = false;
  double before = l->t[0], swing_before = 0;
  *out = (dae_colloc_ends_modes){.follow = INFINITY};
  if (l->b->form.kind == DAE_COLLOC_PI2) return DAE_OK;
  dae_status status = take(&w, l->b, pool);
  for (int p = 0; p < PLACES && status == DAE_OK; p++) {
    place at = {(int)((long)(N - 1) * p / (PLACES - 1)), l->b->rule.rho[l->b->rule.k / 2]};
    if (!count(l, &w, x, at, harmless, &m)) continue;
    double t = l->t[at.i], angle = m.swing * (l->t[at.i + 1] - t);
    if (angle >= DAE_COLLOC_SWING) out->swing = fmax(out->swing, angle);
    out->angle += 0.5 * (swing_before + m.swing) * (t - before) + (p == PLACES - 1 ? angle : 0);
    before = t, swing_before = m.swing;
    if (m.grow + m.fall > 0) out->follow = fmin(out->follow, FOLLOW / m.rate);
    if (known && turns(&first, &m)) out->turn = true;
    if (known && m.grow != first.grow) changed = true;
    if (p == 0) out->left = m.fall > 0;
    if (p == PLACES - 1) out->right = m.grow > 0;
    if (!known) first = m;
    known = true;
  }
  /* between walls of fast modes slow ones may swing by themselves */
  if (changed && out->swing > 0) out->turn = true;
  return status;
}

/* ---- layers: what the next mesh must see ---- */

static place place_of(const dae_colloc_linear *l, double t) {
  int low = 0, high = l->shape.N;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (l->t[middle] <= t) low = middle;
    else high = middle;
  }
  return (place){low, (t - l->t[low]) / (l->t[low + 1] - l->t[low])};
}

/* the turn between a and b, where modes are `low` and `high`, to the width at which they are slow:
   rates that grow like |t - turn| r/d have layers of width sqrt(d/r) */
static dae_colloc_layer bisect(dae_colloc_linear *l, work *w, double *x, double a, double b,
                               modes low, modes high) {
  enum { BISECTIONS = 40 };
  static const double WIDTHS = 2; /* of the layer in what is left */
  for (int i = 0; i < BISECTIONS && (b - a) * fmax(low.rate, high.rate) > WIDTHS; i++) {
    modes m;
    place at = place_of(l, 0.5 * (a + b));
    if (!count(l, w, x, at, INFINITY, &m)) break;
    if (m.grow == low.grow && m.fall == low.fall) a = 0.5 * (a + b), low = m;
    else b = 0.5 * (a + b), high = m;
  }
  return (dae_colloc_layer){.t = 0.5 * (a + b), .width = b - a};
}

/* layers may be where fast modes fall at the left end and grow at the right one, and where they
   turn inside */
int dae_colloc_layers(dae_colloc_linear *l, double *x, dae_pool *pool, dae_colloc_layer *out) {
  enum { SAMPLES = 17, LARGE = 12 }; /* larger systems pay more for modes than for meshes */
  work w;
  int found = 0;
  double a = l->t[0], span = l->t[l->shape.N] - a, before = a;
  modes last = {0}, m;
  if (l->b->form.kind == DAE_COLLOC_PI2 || l->b->ns > LARGE) return 0;
  if (take(&w, l->b, pool) != DAE_OK) return 0;
  for (int j = 0; j < SAMPLES; j++) {
    double t = a + span * j / (SAMPLES - 1);
    if (!count(l, &w, x, place_of(l, t), INFINITY, &m) || m.grow + m.fall == 0) continue;
    bool turned = last.grow + last.fall > 0 && (m.grow != last.grow || m.fall != last.fall);
    if (j == 0 && m.fall > 0) out[found++] = (dae_colloc_layer){t, 1 / m.rate};
    if (turned && found < DAE_COLLOC_LAYERS - 1)
      out[found++] = bisect(l, &w, x, before, t, last, m);
    if (j == SAMPLES - 1 && m.grow > 0) out[found++] = (dae_colloc_layer){t, 1 / m.rate};
    before = t;
    last = m;
  }
  return found;
}
