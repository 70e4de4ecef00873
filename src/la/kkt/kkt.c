/* the KKT system [M K; G 0] [a; y] = [p; r]: chooses the back end that suits the shape */
#include <string.h>

#include "la/kkt/kkt.h"
#include "la/wide.h"

/* a sparse matrix that is handled as a dense one */
typedef struct spread {
  const dae_pattern *pattern;
  double *dense; /* zero outside the pattern, for ever */
} spread;

struct dae_la_kkt {
  const dae_la_kkt_backend *backend;
  void *self;
  int n;
  spread mass, g, k;
  bool mass_filled;
};

static void take_spread(spread *s, dae_pool *pool, const dae_pattern *pattern) {
  if (!pattern) return;
  s->pattern = pattern;
  s->dense = dae_base_doubles(pool, (size_t)pattern->rows * (size_t)pattern->cols);
}

static const double *spread_out(const spread *s, const double *values) {
  const dae_pattern *p = s->pattern;
  for (int i = 0; i < p->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      s->dense[(size_t)i * p->cols + p->column[k]] = values[k];
  return s->dense;
}

static inline const double *fill(const spread *s, const double *values) {
  return s->pattern && values ? spread_out(s, values) : values;
}

/* up to this many unknowns a sparse system is faster as a dense one: where rows of G have few
   entries, and in general. Measured by bench/bench_la.c and on chains */
enum { FEW_ENTRIES_MIN = 20, SPARSE_MIN = 40 };

static bool symmetric(const dae_la_kkt_shape *s) {
  return s->symmetric && (s->mass == DAE_LA_IDENTITY || s->mass_symmetric);
}

/* a quarter of the entries of G or less: the envelope of G M^-1 G' pays early */
static bool few_entries(const dae_la_kkt_shape *s) {
  const dae_pattern *g = s->pattern;
  return g && symmetric(s) && (double)g->start[g->rows] <= 0.25 * g->rows * g->cols;
}

static bool wants_sparse(const dae_la_kkt_shape *s) {
  return s->n >= (few_entries(s) ? FEW_ENTRIES_MIN : SPARSE_MIN) && s->mass != DAE_LA_DENSE &&
         (s->pattern || s->mass == DAE_LA_SPARSE);
}

static dae_status new_dense(dae_la_kkt *k, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dae_la_kkt_shape s = *shape;
  if (s.mass == DAE_LA_SPARSE) {
    take_spread(&k->mass, pool, s.mass_pattern);
    s.mass = DAE_LA_DENSE;
  }
  take_spread(&k->g, pool, s.pattern);
  if (!s.symmetric) take_spread(&k->k, pool, s.pattern);
  if (s.symmetric && (s.mass == DAE_LA_IDENTITY || s.mass_symmetric)) {
    k->backend = DAE_LA_WIDE && !s.narrow ? &dae_la_kkt_dense_wide : &dae_la_kkt_dense;
    return k->backend->make(&k->self, pool, &s);
  }
  k->backend = &dae_la_kkt_general;
  return dae_la_kkt_general_new(&k->self, pool, &s);
}

static dae_status new_sparse(dae_la_kkt *k, dae_pool *pool, const dae_la_kkt_shape *s) {
  if (symmetric(s) && s->pattern) {
    k->backend = &dae_la_kkt_schur;
    dae_status status = dae_la_kkt_schur_new(&k->self, pool, s);
    if (status != DAE_OK || k->self) return status;
  }
  if (s->n < SPARSE_MIN) return new_dense(k, pool, s);
  k->backend = &dae_la_kkt_whole;
  return dae_la_kkt_whole_new(&k->self, pool, s);
}

/* a sparse M may have nothing but its diagonal, as text models give it */
static bool is_diagonal(const dae_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    if (p->start[i + 1] != i + 1 || p->column[i] != i) return false;
  return true;
}

static bool valid(const dae_la_kkt_shape *s) {
  const dae_pattern *g = s->pattern, *m = s->mass_pattern;
  if (s->n < 0 || s->rows < 0) return false;
  if (g && (g->rows != s->rows || g->cols != s->n)) return false;
  return s->mass != DAE_LA_SPARSE || (m && m->rows == s->n && m->cols == s->n);
}

dae_status dae_la_kkt_new(dae_la_kkt **out, dae_pool *pool, const dae_la_kkt_shape *shape) {
  *out = NULL;
  if (!valid(shape)) return DAE_E_INPUT;
  dae_la_kkt *k = dae_base_take(pool, 1, sizeof *k);
  if (!k) return DAE_E_MEMORY;
  dae_la_kkt_shape s = *shape;
  k->n = s.n;
  if (s.mass == DAE_LA_SPARSE && is_diagonal(s.mass_pattern)) s.mass = DAE_LA_DIAGONAL;
  if (s.mass != DAE_LA_SPARSE) s.mass_pattern = NULL;
  dae_status status = wants_sparse(&s) ? new_sparse(k, pool, &s) : new_dense(k, pool, &s);
  if (status == DAE_OK && pool->failed) status = DAE_E_MEMORY;
  if (status == DAE_OK) *out = k;
  else dae_la_kkt_free(k);
  return status;
}

void dae_la_kkt_free(dae_la_kkt *k) {
  if (k && k->self && k->backend->free) k->backend->free(k->self);
}

/* M as the back end wants it; an M that is the same needs no spreading, once it was */
static const double *fill_mass(dae_la_kkt *k, const double *M, bool mass_same) {
  if (!k->mass.pattern || (mass_same && k->mass_filled)) return k->mass.pattern ? k->mass.dense : M;
  k->mass_filled = true;
  return fill(&k->mass, M);
}

dae_status dae_la_kkt_factor(dae_la_kkt *k, const double *M, const double *G, const double *Kt,
                             bool mass_same, dae_la_kkt_info *info) {
  dae_la_kkt_info unused;
  return k->backend->factor(k->self, fill_mass(k, M, mass_same), fill(&k->g, G), fill(&k->k, Kt),
                            mass_same, info ? info : &unused);
}

dae_status dae_la_kkt_factor_solve(dae_la_kkt *k, const double *M, const double *G,
                                   const double *Kt, bool mass_same, double *p, double *r,
                                   dae_la_kkt_info *info) {
  dae_la_kkt_info unused;
  if (!info) info = &unused;
  if (k->backend->factor_solve)
    return k->backend->factor_solve(k->self, fill_mass(k, M, mass_same), fill(&k->g, G),
                                    fill(&k->k, Kt), mass_same, p, r, info);
  dae_status status = dae_la_kkt_factor(k, M, G, Kt, mass_same, info);
  if (status == DAE_OK) dae_la_kkt_solve(k, p, r);
  return status;
}

void dae_la_kkt_shorten(const dae_la_kkt *k, double *y) {
  if (k->backend->shorten) k->backend->shorten(k->self, y);
}

void dae_la_kkt_solve(const dae_la_kkt *k, double *p, double *r) {
  k->backend->solve(k->self, p, r);
}

void dae_la_kkt_least(const dae_la_kkt *k, double *r, double *p) {
  if (k->backend->least) {
    k->backend->least(k->self, r, p);
    return;
  }
  memset(p, 0, (size_t)k->n * sizeof *p);
  dae_la_kkt_solve(k, p, r);
}

bool dae_la_kkt_notices(const dae_la_kkt *k) { return k->backend->notices; }

void dae_la_kkt_schur_solve(const dae_la_kkt *k, double *r) { k->backend->schur_solve(k->self, r); }

void dae_la_kkt_mass_solve(const dae_la_kkt *k, double *p) { k->backend->mass_solve(k->self, p); }

double *dae_la_kkt_lengths(dae_la_kkt *k) { return k->backend->lengths(k->self); }

bool dae_la_kkt_expect(dae_la_kkt *k, int rank) {
  if (k->backend->expect) k->backend->expect(k->self, rank);
  return k->backend->expect;
}
