/*
 * Sliding: where both sides of a switch g = 0 lead back to it, the motion stays on it (Filippov).
 * With f+ and f- the right-hand sides for g > 0 and g < 0,
 *   z' = a f+ + (1-a) f-,   a = g'- / (g'- - g'+),   g'+ < 0 < g'-
 * so that g' = 0; friction that sticks is the case g = v. It ends where g'+ or g'- changes sign.
 * Along several switches at once z' is between the f of all combinations of sides, linear in each
 * a_k, and g_k' = 0 for all of them (Alexander and Seidman 1998); g_k'+ and g_k'- are those of the
 * motion that stays on the others.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"

/* banks: z, z' */
static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  int j = p->model->structure->kept_of[variable];
  if (j < 0 || when != WHEN_NOW || order > p->d[j]) return false;
  *bank = order == p->d[j];
  *index = p->z_first[j] + order - (order == p->d[j]);
  return true;
}

static bool has_no_place(void *ctx, const dae_node *leaf) {
  int bank, index;
  return !locate(ctx, leaf->a, leaf->b, leaf->c, &bank, &index);
}

void dae_model_make_slides(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  dae_hybrid *h = &p->hybrid;
  if (p->route != ROUTE_ODE || p->invariants || f->switchings == 0) return;
  h->slide = dae_model_take(&m->built, (size_t)f->switchings, sizeof *h->slide);
  h->slides = dae_model_take(&m->built, (size_t)f->switchings, sizeof *h->slides);
  dae_model_code_init(&h->slide_code, &m->graph, &m->built, locate, p);
  for (int k = 0; k < f->switchings; k++) {
    if (f->switching[k].whole || h->switch_entry[k] < 0) continue;
    int rate = dae_model_rate(&m->graph, f->switching[k].node);
    if (dae_model_depends(m, rate, has_no_place, p)) continue;
    h->slide[k] = dae_model_function(&h->slide_code, "rate of a switching function", &rate, 1);
    h->slides[k] = h->slide[k] != NULL;
    h->slidable = h->slidable || h->slides[k];
  }
  h->discrete.slides = h->slides;
  h->discrete.rates = dae_model_slide_rates;
}

enum { SLIDES_MOST = 4, CORNERS = 1 << SLIDES_MOST }; /* switches at once, combinations of sides */

/* the switches that z slides along, and k (-1: none) with them; -1: too many */
static int find_slides(const dae_plan *p, const double *z, int k, int *list) {
  const dae_hybrid *h = &p->hybrid;
  int count = 0;
  for (int i = 0; h->slidable && i < h->discrete.n_switch; i++) {
    if (i != k && !(h->slides[i] && z[h->switch_entry[i]] == DAE_SLIDING)) continue;
    if (count == SLIDES_MOST) return -1;
    list[count++] = i;
  }
  return count;
}

bool dae_model_sliding(const dae_plan *p, const double *z) {
  const dae_hybrid *h = &p->hybrid;
  for (int k = 0; h->slidable && k < h->discrete.n_switch; k++)
    if (h->slides[k] && z[h->switch_entry[k]] == DAE_SLIDING) return true;
  return false;
}

/* z and f of all combinations of sides: bit j of a corner is set on the + side of switch k[j] */
typedef struct corners {
  dae_code *code;
  int slot, count, k[SLIDES_MOST];
  double *z, *f[CORNERS];
  double rate[CORNERS][SLIDES_MOST]; /* of the switching functions there */
  double a[SLIDES_MOST];             /* the share of the + side */
} corners;

static void give(corners *c) { dae_model_workspace_end(c->code, c->slot); }

static void put_corner(const dae_plan *p, corners *c, int corner) {
  for (int j = 0; j < c->count; j++)
    c->z[p->hybrid.switch_entry[c->k[j]]] = corner >> j & 1 ? 1 : -1;
}

/* f and the rates at all corners; give ends it when this has returned 0 */
static int take(corners *c, const dae_plan *p, double t, const double *z, int k) {
  c->count = find_slides(p, z, k, c->k);
  if (c->count < 0) return 1;
  int number = 1 << c->count, code = 0;
  c->code = (dae_code *)&p->hybrid.slide_code;
  c->slot = dae_model_workspace(c->code, (1 + number) * p->nz);
  if (c->slot < 0) return 1;
  c->z = c->code->workspace[c->slot];
  memcpy(c->z, z, (size_t)p->nz * sizeof *z);
  for (int i = 0; i < number && !code; i++) {
    c->f[i] = c->z + (1 + i) * p->nz;
    put_corner(p, c, i);
    code = dae_model_ode_run(p, p->f, t, c->z, c->f[i]);
    const double *const bank[DAE_BANKS] = {c->z, c->f[i], NULL, NULL};
    for (int j = 0; j < c->count && !code; j++) {
      code = dae_model_run(p->hybrid.slide[c->k[j]], t, bank, &c->rate[i][j]);
      if (!isfinite(c->rate[i][j])) code = 1;
    }
  }
  if (code) give(c);
  return code;
}

/* the weight of a corner: product of a_j and 1 - a_j; its derivative by a_d when d >= 0 */
static double weight(const corners *c, int corner, int d) {
  double w = 1;
  for (int j = 0; j < c->count; j++) {
    bool plus = corner >> j & 1;
    w *= j == d ? (plus ? 1 : -1) : plus ? c->a[j] : 1 - c->a[j];
  }
  return w;
}

/* the rate of switch j between the corners, or its derivative by a_d */
static double between(const corners *c, int j, int d) {
  double sum = 0;
  for (int i = 0; i < 1 << c->count; i++) sum += weight(c, i, d) * c->rate[i][j];
  return sum;
}

/* Gaussian elimination with row exchanges; false when the matrix is singular */
static bool eliminate(int n, double A[][SLIDES_MOST], double *b) {
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int r = i + 1; r < n; r++)
      if (fabs(A[r][i]) > fabs(A[best][i])) best = r;
    if (A[best][i] == 0) return false;
    for (int j = 0; j < n; j++) {
      double swap = A[i][j];
      A[i][j] = A[best][j], A[best][j] = swap;
    }
    double swap = b[i];
    b[i] = b[best], b[best] = swap;
    for (int r = i + 1; r < n; r++) {
      double l = A[r][i] / A[i][i];
      for (int j = i; j < n; j++) A[r][j] -= l * A[i][j];
      b[r] -= l * b[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return true;
}

/* a_j so that all rates vanish, but that of switch `fixed` (-1: none), whose a stays: Newton's
   method, one step where the switches add up. Outside 0 .. 1 the motion is over, but a step that
   ends there must not see a kink before it is cut */
static void balance(corners *c, int fixed) {
  enum { ITERATIONS = 20 };
  for (int j = 0; j < c->count; j++)
    if (j != fixed) c->a[j] = 0.5;
  for (int k = 0; k < ITERATIONS; k++) {
    double A[SLIDES_MOST][SLIDES_MOST], b[SLIDES_MOST], moved = 0;
    int n = 0, of[SLIDES_MOST];
    for (int j = 0; j < c->count; j++)
      if (j != fixed) of[n++] = j;
    for (int i = 0; i < n; i++) {
      b[i] = -between(c, of[i], -1);
      for (int j = 0; j < n; j++) A[i][j] = between(c, of[i], of[j]);
    }
    if (!eliminate(n, A, b)) break;
    for (int i = 0; i < n; i++) {
      c->a[of[i]] += b[i];
      moved = fmax(moved, fabs(b[i]));
    }
    if (moved < 1e-15) break;
  }
}

int dae_model_slide_rates(double t, const double *z, int k, double rate[2], void *ctx) {
  corners c;
  if (take(&c, ctx, t, z, k)) return 1;
  int at = 0;
  while (c.k[at] != k) at++;
  for (int side = 0; side < 2; side++) {
    c.a[at] = side ? 0 : 1;
    balance(&c, at);
    rate[side] = between(&c, at, -1);
  }
  give(&c);
  return 0;
}

int dae_model_slide_f(const dae_plan *p, double t, const double *z, double *dz) {
  corners c;
  if (take(&c, p, t, z, -1)) return 1;
  balance(&c, -1);
  memset(dz, 0, (size_t)p->nz * sizeof *dz);
  for (int i = 0; i < 1 << c.count; i++) {
    double w = weight(&c, i, -1);
    for (int j = 0; j < p->nz; j++) dz[j] += w * c.f[i][j];
  }
  give(&c);
  return 0;
}

/* df/dz by differences, dense or in the order of the pattern */
int dae_model_slide_f_z(const dae_plan *p, double t, const double *z, double *J) {
  const dae_pattern *pattern = p->problem.ode.f_pattern;
  int n = p->nz, code;
  dae_pool pool;
  dae_base_pool_init(&pool, &p->code.arena->pool.allocator);
  double *at = dae_base_doubles(&pool, (size_t)n), *f = dae_base_doubles(&pool, (size_t)n),
         *shifted = dae_base_doubles(&pool, (size_t)n);
  code = pool.failed || dae_model_slide_f(p, t, z, f);
  if (!code) memcpy(at, z, (size_t)n * sizeof *z);
  for (int j = 0; j < n && !code; j++) {
    if (p->hybrid.is_entry[j]) continue;
    double d = 1e-7 * (1 + fabs(z[j]));
    at[j] = z[j] + d;
    code = dae_model_slide_f(p, t, at, shifted);
    for (int i = 0; i < n && !code && !pattern; i++) J[i * n + j] = (shifted[i] - f[i]) / d;
    for (int i = 0; i < n && !code && pattern; i++)
      for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
        if (pattern->column[e] == j) J[e] = (shifted[i] - f[i]) / d;
    at[j] = z[j];
  }
  dae_base_pool_free(&pool);
  return code;
}

/* Real variables between those of all sides; what is whole, true or false is that of the + sides */
int dae_model_slide_values(const dae_plan *p, double t, const double *z, double *out) {
  dae_model *m = p->model;
  corners c;
  int n = m->flat.variables - m->flat.hidden, code = 0;
  if (take(&c, p, t, z, -1)) return 1;
  balance(&c, -1);
  dae_pool pool;
  dae_base_pool_init(&pool, &p->code.arena->pool.allocator);
  double *here = dae_base_doubles(&pool, (size_t)n), *sum = dae_base_doubles(&pool, (size_t)n);
  int last = (1 << c.count) - 1; /* all on the + side */
  code = pool.failed;
  for (int i = 0; i <= last && !code; i++) {
    put_corner(p, &c, i);
    code = dae_model_ode_run(p, p->values, t, c.z, i == last ? out : here);
    const double *value = i == last ? out : here, w = weight(&c, i, -1);
    for (int j = 0; j < n && !code && w != 0; j++) sum[j] += w * value[j];
  }
  for (int j = 0; j < n && !code; j++)
    if (dae_model_type_of(m, j) == TYPE_REAL) out[j] = sum[j];
  dae_base_pool_free(&pool);
  give(&c);
  return code;
}
