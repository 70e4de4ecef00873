/*
 * Sliding: where both sides of a switch g = 0 lead back to it, the motion stays on it (Filippov).
 * With f+ and f- the right-hand sides for g > 0 and g < 0,
 *   z' = a f+ + (1-a) f-,   a = g'- / (g'- - g'+),   g'+ < 0 < g'-
 * so that g' = 0; friction that sticks is the case g = v. It ends where g'+ or g'- changes sign.
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

int dae_model_sliding(const dae_plan *p, const double *z) {
  const dae_hybrid *h = &p->hybrid;
  for (int k = 0; h->slidable && k < h->discrete.n_switch; k++)
    if (h->slides[k] && z[h->switch_entry[k]] == DAE_SLIDING) return k;
  return -1;
}

/* z of both sides and what is computed there: 5 times nz numbers */
typedef struct sides {
  dae_code *code;
  int slot;
  double *z[2], *f[2], *more;
} sides;

static bool take(sides *s, const dae_plan *p, const double *z, int k) {
  s->code = (dae_code *)&p->hybrid.slide_code;
  s->slot = dae_model_workspace(s->code, 5 * p->nz);
  if (s->slot < 0) return false;
  double *at = s->code->workspace[s->slot];
  for (int i = 0; i < 2; i++) {
    s->z[i] = at + i * p->nz;
    s->f[i] = at + (2 + i) * p->nz;
    memcpy(s->z[i], z, (size_t)p->nz * sizeof *z);
    s->z[i][p->hybrid.switch_entry[k]] = i ? -1 : 1;
  }
  s->more = at + 4 * p->nz;
  return true;
}

static void give(sides *s) { dae_model_workspace_end(s->code, s->slot); }

/* f on both sides, and the rates of g there */
static int both(const dae_plan *p, double t, int k, sides *s, double rate[2]) {
  for (int i = 0; i < 2; i++) {
    if (dae_model_ode_run(p, p->f, t, s->z[i], s->f[i])) return 1;
    const double *const bank[DAE_BANKS] = {s->z[i], s->f[i], NULL, NULL};
    if (dae_model_run(p->hybrid.slide[k], t, bank, &rate[i])) return 1;
  }
  return !isfinite(rate[0]) || !isfinite(rate[1]);
}

static double part_of(const double rate[2]) {
  double a = rate[1] / (rate[1] - rate[0]);
  return a > 1 || !(rate[1] > rate[0]) ? 1 : a > 0 ? a : 0;
}

int dae_model_slide_rates(double t, const double *z, int k, double rate[2], void *ctx) {
  const dae_plan *p = ctx;
  sides s;
  if (!take(&s, p, z, k)) return 1;
  int code = both(p, t, k, &s, rate);
  give(&s);
  return code;
}

int dae_model_slide_f(const dae_plan *p, int k, double t, const double *z, double *dz) {
  sides s;
  double rate[2];
  if (!take(&s, p, z, k)) return 1;
  int code = both(p, t, k, &s, rate);
  double a = code ? 0 : part_of(rate);
  for (int i = 0; i < p->nz && !code; i++) dz[i] = a * s.f[0][i] + (1 - a) * s.f[1][i];
  give(&s);
  return code;
}

/* df/dz by differences, dense or in the order of the pattern */
int dae_model_slide_f_z(const dae_plan *p, int k, double t, const double *z, double *J) {
  const dae_pattern *pattern = p->problem.ode.f_pattern;
  int n = p->nz, code;
  dae_pool pool;
  dae_base_pool_init(&pool, &p->code.arena->pool.allocator);
  double *at = dae_base_doubles(&pool, (size_t)n), *f = dae_base_doubles(&pool, (size_t)n),
         *shifted = dae_base_doubles(&pool, (size_t)n);
  code = pool.failed || dae_model_slide_f(p, k, t, z, f);
  if (!code) memcpy(at, z, (size_t)n * sizeof *z);
  for (int j = 0; j < n && !code; j++) {
    if (p->hybrid.is_entry[j]) continue;
    double d = 1e-7 * (1 + fabs(z[j]));
    at[j] = z[j] + d;
    code = dae_model_slide_f(p, k, t, at, shifted);
    for (int i = 0; i < n && !code && !pattern; i++) J[i * n + j] = (shifted[i] - f[i]) / d;
    for (int i = 0; i < n && !code && pattern; i++)
      for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
        if (pattern->column[e] == j) J[e] = (shifted[i] - f[i]) / d;
    at[j] = z[j];
  }
  dae_base_pool_free(&pool);
  return code;
}

/* Real variables between those of both sides; what is whole, or true or false, is that of g > 0 */
int dae_model_slide_values(const dae_plan *p, int k, double t, const double *z, double *out) {
  dae_model *m = p->model;
  sides s;
  double rate[2], *other = NULL;
  int n = m->flat.variables - m->flat.hidden;
  if (!take(&s, p, z, k)) return 1;
  dae_pool pool;
  dae_base_pool_init(&pool, &p->code.arena->pool.allocator);
  other = dae_base_doubles(&pool, (size_t)n);
  int code = pool.failed || both(p, t, k, &s, rate) ||
             dae_model_ode_run(p, p->values, t, s.z[0], out) ||
             dae_model_ode_run(p, p->values, t, s.z[1], other);
  double a = code ? 0 : part_of(rate);
  for (int i = 0; i < n && !code; i++)
    if (dae_model_type_of(m, i) == TYPE_REAL && out[i] != other[i])
      out[i] = a * out[i] + (1 - a) * other[i];
  dae_base_pool_free(&pool);
  give(&s);
  return code;
}
