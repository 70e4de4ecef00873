/* the KKT system [M K; G 0] [a; y] = [p; r]: chooses the back end that suits the shape */
#include <string.h>

#include "la/kkt/kkt.h"
#include "la/wide.h"

/* a sparse matrix that is handled as a dense one */
typedef struct spread {
  const dae_pattern *pattern;
  double *dense; /* zero outside the pattern, for ever */
} spread;

/* and a dense one of which only some places were ever seen to hold anything */
typedef struct thin {
  const dae_pattern *pattern;
  double *values;
} thin;

/* a back end at work. Where there are several, the first one that suits the numbers has them */
typedef struct way {
  const dae_la_kkt_backend *backend;
  void *self;
  bool thin;       /* takes what is in the places found */
  bool mass_known; /* has seen the present M */
} way;

/* thin, blocked, and the one that suits all */
enum { WAYS = 3 };

struct dae_la_kkt {
  way way[WAYS];
  int ways, now;
  int n, rows;
  spread mass, g, k;
  bool mass_filled;
  thin thin_mass, thin_g;
  bool redundant; /* rows are known to depend on each other */
  bool plain;     /* one back end, which takes the numbers as they are */
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

/* unknowns from which on products of blocks win (bench/bench_dense.c) */
enum { BLOCKED_MIN = 320 };

static dae_status add_way(dae_la_kkt *k, dae_pool *pool, const dae_la_kkt_backend *backend,
                          dae_status (*make)(void **, dae_pool *, const dae_la_kkt_shape *),
                          const dae_la_kkt_shape *s) {
  way *w = &k->way[k->ways];
  w->backend = backend;
  dae_status status = make(&w->self, pool, s);
  k->ways += w->self != NULL;
  return status;
}

static dae_status new_dense(dae_la_kkt *k, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dae_la_kkt_shape s = *shape;
  if (s.mass == DAE_LA_SPARSE) {
    take_spread(&k->mass, pool, s.mass_pattern);
    s.mass = DAE_LA_DENSE;
  }
  take_spread(&k->g, pool, s.pattern);
  if (!s.symmetric) take_spread(&k->k, pool, s.pattern);
  if (!symmetric(&s)) return add_way(k, pool, &dae_la_kkt_general, dae_la_kkt_general_new, &s);
  dae_status status = DAE_OK;
  if (s.mass == DAE_LA_DENSE && s.n + s.rows >= BLOCKED_MIN)
    status = add_way(k, pool, &dae_la_kkt_blocked, dae_la_kkt_blocked.make, &s);
  const dae_la_kkt_backend *tiles =
      DAE_LA_WIDE && !s.narrow ? &dae_la_kkt_dense_wide : &dae_la_kkt_dense;
  return status == DAE_OK ? add_way(k, pool, tiles, tiles->make, &s) : status;
}

static dae_status new_sparse(dae_la_kkt *k, dae_pool *pool, const dae_la_kkt_shape *s) {
  if (symmetric(s) && s->pattern) {
    dae_status status = add_way(k, pool, &dae_la_kkt_schur, dae_la_kkt_schur_new, s);
    if (status != DAE_OK || k->ways) return status;
  }
  if (s->n < SPARSE_MIN) return new_dense(k, pool, s);
  return add_way(k, pool, &dae_la_kkt_whole, dae_la_kkt_whole_new, s);
}

static void take_thin(thin *t, dae_pool *pool, const dae_pattern *pattern) {
  t->pattern = pattern;
  t->values = dae_base_doubles(pool, (size_t)pattern->start[pattern->rows]);
}

/* a sparse M may have nothing but its diagonal, as text models give it */
static bool is_diagonal(const dae_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    if (p->start[i + 1] != i + 1 || p->column[i] != i) return false;
  return true;
}

/* the sparse way for dense matrices of which most places are empty, ahead of the dense one */
static dae_status new_thin(dae_la_kkt *k, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dae_la_kkt_shape s = *shape;
  /* whoever has other rows than those that were looked at knows nothing of theirs */
  if (!s.found || s.pattern || !symmetric(&s) || s.found->rows != s.rows) return DAE_OK;
  s.pattern = s.found;
  if (s.mass == DAE_LA_DENSE && s.mass_found) {
    s.mass_pattern = s.mass_found;
    s.mass = is_diagonal(s.mass_found) ? DAE_LA_DIAGONAL : DAE_LA_SPARSE;
  }
  if (!wants_sparse(&s) || !few_entries(&s)) return DAE_OK;
  dae_status status = add_way(k, pool, &dae_la_kkt_schur, dae_la_kkt_schur_new, &s);
  if (status != DAE_OK || !k->ways) return status;
  k->way[0].thin = true;
  take_thin(&k->thin_g, pool, s.found);
  if (shape->mass == DAE_LA_DENSE) take_thin(&k->thin_mass, pool, s.mass_found);
  return DAE_OK;
}

static bool fits(const dae_pattern *a, int rows, int cols) {
  return !a || (a->rows == rows && a->cols == cols);
}

static bool valid(const dae_la_kkt_shape *s) {
  if (s->n < 0 || s->rows < 0) return false;
  if (!fits(s->pattern, s->rows, s->n)) return false;
  return s->mass != DAE_LA_SPARSE || (s->mass_pattern && fits(s->mass_pattern, s->n, s->n));
}

dae_status dae_la_kkt_new(dae_la_kkt **out, dae_pool *pool, const dae_la_kkt_shape *shape) {
  *out = NULL;
  if (!valid(shape)) return DAE_E_INPUT;
  dae_la_kkt *k = dae_base_take(pool, 1, sizeof *k);
  if (!k) return DAE_E_MEMORY;
  dae_la_kkt_shape s = *shape;
  k->n = s.n;
  k->rows = s.rows;
  if (s.mass == DAE_LA_SPARSE && is_diagonal(s.mass_pattern)) s.mass = DAE_LA_DIAGONAL;
  if (s.mass != DAE_LA_SPARSE) s.mass_pattern = NULL;
  dae_status status = new_thin(k, pool, &s);
  if (status == DAE_OK)
    status = wants_sparse(&s) ? new_sparse(k, pool, &s) : new_dense(k, pool, &s);
  if (status == DAE_OK && pool->failed) status = DAE_E_MEMORY;
  k->plain = k->ways == 1 && k->way[0].backend->factor_solve && !k->way[0].thin &&
             !k->mass.pattern && !k->g.pattern && !k->k.pattern;
  if (status == DAE_OK) *out = k;
  else dae_la_kkt_free(k);
  return status;
}

void dae_la_kkt_free(dae_la_kkt *k) {
  for (int i = 0; k && i < k->ways; i++)
    if (k->way[i].backend->free) k->way[i].backend->free(k->way[i].self);
}

/* M as the back end wants it; an M that is the same needs no spreading, once it was */
static const double *fill_mass(dae_la_kkt *k, const double *M, bool mass_same) {
  if (!k->mass.pattern || (mass_same && k->mass_filled)) return k->mass.pattern ? k->mass.dense : M;
  k->mass_filled = true;
  return fill(&k->mass, M);
}

/* what one back end makes of it; p NULL: factors alone */
static inline dae_status factor_by(const way *w, const double *M, const double *G, const double *Kt,
                                   bool mass_same, double *p, double *r, dae_la_kkt_info *info) {
  const dae_la_kkt_backend *b = w->backend;
  if (p && b->factor_solve) return b->factor_solve(w->self, M, G, Kt, mass_same, p, r, info);
  dae_status status = b->factor(w->self, M, G, Kt, mass_same, info);
  if (status == DAE_OK && p) b->solve(w->self, p, r);
  return status;
}

/* values := what is in the places found; false: there is something elsewhere */
static bool gather(const thin *t, const double *dense) {
  if (!dae_la_within(t->pattern, dense)) return false;
  dae_la_collect(t->pattern, dense, t->values);
  return true;
}

/* may way i have these numbers? */
static bool suits(dae_la_kkt *k, int i, const double *M, const double *G) {
  const way *w = &k->way[i];
  if (!w->thin) return i == k->ways - 1 || !k->redundant;
  const bool mass = !k->thin_mass.pattern || w->mass_known || gather(&k->thin_mass, M);
  return mass && gather(&k->thin_g, G);
}

/* the lengths that rows ever had go along */
static void go(dae_la_kkt *k, int i) {
  if (i != k->now)
    memcpy(k->way[i].backend->lengths(k->way[i].self), dae_la_kkt_lengths(k),
           (size_t)k->rows * sizeof(double));
  k->now = i;
}

/* one back end after the other until one has the numbers */
static DAE_NOINLINE dae_status factor_ways(dae_la_kkt *k, const double *M, const double *G,
                                           bool mass_same, double *p, double *r,
                                           dae_la_kkt_info *info) {
  dae_status status = DAE_E_FORM;
  for (int i = 0; i < k->ways && !mass_same; i++) k->way[i].mass_known = false;
  for (int i = 0; i < k->ways && status == DAE_E_FORM; i++) {
    way *w = &k->way[i];
    if (!suits(k, i, M, G)) continue;
    go(k, i);
    const double *mass = w->thin && k->thin_mass.pattern ? k->thin_mass.values : M;
    status = factor_by(w, mass, w->thin ? k->thin_g.values : G, NULL, w->mass_known, p, r, info);
    w->mass_known = status == DAE_OK;
  }
  return status;
}

/* the numbers as the back ends want them */
static DAE_NOINLINE dae_status factor_spread(dae_la_kkt *k, const double *M, const double *G,
                                             const double *Kt, bool mass_same, double *p, double *r,
                                             dae_la_kkt_info *info) {
  dae_la_kkt_info unused;
  if (!info) info = &unused;
  M = fill_mass(k, M, mass_same);
  G = fill(&k->g, G);
  if (k->ways > 1) return factor_ways(k, M, G, mass_same, p, r, info);
  return factor_by(k->way, M, G, fill(&k->k, Kt), mass_same, p, r, info);
}

dae_status dae_la_kkt_factor_solve(dae_la_kkt *k, const double *M, const double *G,
                                   const double *Kt, bool mass_same, double *p, double *r,
                                   dae_la_kkt_info *info) {
  const way *only = k->way;
  if (!k->plain || !p || !info) return factor_spread(k, M, G, Kt, mass_same, p, r, info);
  return only->backend->factor_solve(only->self, M, G, Kt, mass_same, p, r, info);
}

dae_status dae_la_kkt_factor(dae_la_kkt *k, const double *M, const double *G, const double *Kt,
                             bool mass_same, dae_la_kkt_info *info) {
  return dae_la_kkt_factor_solve(k, M, G, Kt, mass_same, NULL, NULL, info);
}

void dae_la_kkt_shorten(const dae_la_kkt *k, double *y) {
  const way *w = &k->way[k->now];
  if (w->backend->shorten) w->backend->shorten(w->self, y);
}

void dae_la_kkt_solve(const dae_la_kkt *k, double *p, double *r) {
  const way *w = &k->way[k->now];
  w->backend->solve(w->self, p, r);
}

void dae_la_kkt_least(const dae_la_kkt *k, double *r, double *p) {
  const way *w = &k->way[k->now];
  if (w->backend->least) {
    w->backend->least(w->self, r, p);
    return;
  }
  memset(p, 0, (size_t)k->n * sizeof *p);
  dae_la_kkt_solve(k, p, r);
}

bool dae_la_kkt_notices(const dae_la_kkt *k) {
  bool all = true;
  for (int i = 0; i < k->ways; i++) all = all && k->way[i].backend->notices;
  return all;
}

void dae_la_kkt_schur_solve(const dae_la_kkt *k, double *r) {
  const way *w = &k->way[k->now];
  w->backend->schur_solve(w->self, r);
}

void dae_la_kkt_mass_solve(const dae_la_kkt *k, double *p) {
  const way *w = &k->way[k->now];
  w->backend->mass_solve(w->self, p);
}

bool dae_la_kkt_thin(const dae_la_kkt *k) { return k->way[k->now].thin; }

double *dae_la_kkt_lengths(dae_la_kkt *k) {
  const way *w = &k->way[k->now];
  return w->backend->lengths(w->self);
}

bool dae_la_kkt_expect(dae_la_kkt *k, int rank) {
  bool told = true;
  k->redundant = rank < k->rows;
  for (int i = 0; i < k->ways; i++) {
    const way *w = &k->way[i];
    if (w->backend->expect) w->backend->expect(w->self, rank);
    else if (w->thin || i == k->ways - 1) told = false;
  }
  return told;
}
