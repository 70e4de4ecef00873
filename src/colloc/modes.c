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
static const double SWING = 0.3;

typedef struct work {
  double *M, *X, *inverse, *system, *rhs;
  int *pivot;
} work;

static dae_status take(work *w, const dae_colloc_bvp *b, dae_pool *pool) {
  size_t ns = (size_t)b->ns, n = (size_t)(b->form.nx + b->form.na), most = n > ns ? n : ns;
  w->M = dae_base_doubles(pool, ns * ns);
  w->X = dae_base_doubles(pool, ns * ns);
  w->inverse = dae_base_doubles(pool, ns * ns);
  w->system = dae_base_doubles(pool, most * most);
  w->rhs = dae_base_doubles(pool, n * ns);
  w->pivot = dae_base_ints(pool, most);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* residuals and matrices at the middle collocation point of element i */
static bool middle_point(dae_colloc_linear *l, double *x, int i) {
  dae_colloc_bvp *b = l->b;
  const dae_colloc_rule *rule = &b->rule;
  int j = rule->k / 2;
  double h = l->t[i + 1] - l->t[i];
  const double *W = dae_colloc_W(&l->shape, x, i), *weights[DAE_ORDER_MAX + 1];
  for (int q = 0; q <= b->form.m; q++) weights[q] = rule->inner[q][j];
  dae_colloc_element_state(&b->element, h, rule->rho[j], weights, dae_colloc_Z(&l->shape, x, i), W,
                           b->element.Z);
  b->stats.jacobians++;
  return dae_colloc_form_point(&b->form, l->t[i] + h * rule->rho[j], l->t[i + 1], b->element.Z,
                               W + j * b->form.nv, dae_colloc_a(&l->shape, x, i) + j * b->form.na,
                               true, &b->element.point) == DAE_OK;
}

/*
 * M of the linearization Z' = M Z at the middle of element i: w = x^(m) and a from
 *   A w + K a = -J Z,   sum_l C_l x^(l+1) = 0,   C_l the columns of x^(l).
 * False: singular there.
 */
static bool local_matrix(dae_colloc_linear *l, work *w, double *x, int i) {
  const dae_colloc_form *form = &l->b->form;
  const dae_colloc_point *p = &l->b->element.point;
  int nx = form->nx, na = form->na, ns = form->ns, n = nx + na;
  if (!middle_point(l, x, i)) return false;
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

/* M := D^-1 M D with rows as large as columns (Osborne 1960): its norm, returned, is then near to
   its fastest rate */
static double balance(double *M, int n) {
  enum { SWEEPS = 4 };
  double norm = 0;
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
  for (int r = 0; r < n; r++) {
    double sum = 0;
    for (int c = 0; c < n; c++) sum += fabs(M[r * n + c]);
    norm = fmax(norm, sum);
  }
  return norm;
}

/*
 * Number of eigenvalues of M with real part above `shift`, from the trace of sign(M - shift), by
 * Newton's iteration X := (c X + X^-1/c)/2, c^2 = |X^-1|/|X| (Roberts 1980). -1: one is too near.
 */
static int above(work *w, int n, double shift) {
  /* quadratic convergence: after 1e-6 the trace is an integer up to rounding */
  static const dae_iteration_rule rule = {.limit = 60, .enough = 1e-6};
  dae_iteration course = dae_base_iteration();
  dae_progress progress = DAE_GO_ON;
  double trace = 0;
  memcpy(w->X, w->M, sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < n; i++) w->X[i * n + i] -= shift;
  while (progress == DAE_GO_ON) {
    double change = 0;
    memcpy(w->system, w->X, sizeof(double) * (size_t)(n * n));
    memset(w->inverse, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) w->inverse[i * n + i] = 1;
    if (dae_la_lu(n, w->system, w->pivot) != 0) return -1;
    dae_la_lu_solve_many(n, w->system, w->pivot, n, n, w->inverse);
    double c = sqrt(dae_la_norm_max(n * n, w->inverse) / dae_la_norm_max(n * n, w->X));
    for (int i = 0; i < n * n; i++) {
      double next = 0.5 * (c * w->X[i] + w->inverse[i] / c);
      change = fmax(change, fabs(next - w->X[i]));
      w->X[i] = next;
    }
    if (!isfinite(change)) return -1;
    progress = dae_base_judge(&course, &rule, change, dae_la_norm_max(n * n, w->X));
  }
  for (int i = 0; i < n; i++) trace += w->X[i * n + i];
  return (int)floor(0.5 * (n + trace) + 0.5);
}

/*
 * The largest angle by which a mode of M, balanced and with this rate, swings on an element of
 * length h: eigenvalues a + ib of M with b^2 > B^2 + a^2 are those of M^2 with real part below
 * -B^2. 0 when it is less than SWING. M is overwritten.
 */
static double swing(work *w, int n, double rate, double h) {
  enum { BISECTIONS = 3 };
  double low = rate, high = rate;
  if (rate * h < SWING) return 0;
  memset(w->system, 0, sizeof(double) * (size_t)(n * n));
  const dae_la_part M = {w->M, n};
  dae_la_subtract_product(n, n, n, M, M, w->system, n);
  for (int i = 0; i < n * n; i++) w->M[i] = -w->system[i];
  do {
    high = low;
    low /= 2;
    if (high * h < SWING) return 0;
  } while (above(w, n, -low * low) == n);
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = sqrt(low * high);
    if (above(w, n, -middle * middle) == n) high = middle;
    else low = middle;
  }
  return high * h;
}

/* fast modes at element i that grow and that fall, and their rate; false: not known */
static bool count(dae_colloc_linear *l, work *w, double *x, int i, int *grow, int *fall,
                  double *rate) {
  int n = l->b->ns;
  double limit = FAST / (l->t[l->shape.N] - l->t[0]);
  *grow = *fall = 0;
  if (!local_matrix(l, w, x, i)) return false;
  *rate = balance(w->M, n);
  if (*rate < limit) return true;
  *grow = above(w, n, limit);
  int others = above(w, n, -limit);
  *fall = n - others;
  return *grow >= 0 && others >= 0;
}

/*
 * With as many modes that fall fast, and as many that grow fast, everywhere on the interval, the
 * conditions at the ends determine layers and slow modes alike. Where these numbers change, slow
 * modes between layers at both ends, or the place of a layer inside, may depend on next to nothing.
 */
dae_status dae_colloc_modes(dae_colloc_linear *l, double *x, dae_pool *pool,
                            dae_colloc_ends_modes *out) {
  enum { PLACES = 5 };
  work w;
  int N = l->shape.N, grow = 0, fall = 0;
  *out = (dae_colloc_ends_modes){.follow = INFINITY};
  if (l->b->form.kind == DAE_COLLOC_PI2) return DAE_OK;
  dae_status status = take(&w, l->b, pool);
  for (int place = 0; place < PLACES && status == DAE_OK; place++) {
    int i = (int)((long)(N - 1) * place / (PLACES - 1)), more, less;
    double rate;
    if (!count(l, &w, x, i, &more, &less, &rate)) continue;
    out->swing = fmax(out->swing, swing(&w, l->b->ns, rate, l->t[i + 1] - l->t[i]));
    if (more + less > 0) out->follow = fmin(out->follow, FOLLOW / rate);
    if (place > 0 && (more != grow || less != fall)) out->turn = true;
    if (place == 0) out->left = less > 0;
    if (place == PLACES - 1) out->right = more > 0;
    grow = more;
    fall = less;
  }
  return status;
}
