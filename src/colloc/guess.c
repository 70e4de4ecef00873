/* guesses: an earlier solution, a function, a table, constants */
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

typedef struct source {
  dae_colloc_bvp *b;
  const dae_solution *earlier;
} source;

/* linear interpolation in a table; constant outside */
static void from_table(const dae_boundary *c, int nz, int ny, double t, double *z, double *y) {
  int i = 0;
  while (i < c->n_table - 2 && c->table_t[i + 1] < t) i++;
  int j = c->n_table > 1 ? i + 1 : i;
  double width = c->table_t[j] - c->table_t[i], s = width > 0 ? (t - c->table_t[i]) / width : 0;
  s = fmin(1, fmax(0, s));
  for (int q = 0; q < nz; q++) z[q] = (1 - s) * c->table_z[i * nz + q] + s * c->table_z[j * nz + q];
  for (int q = 0; c->table_y && q < ny; q++)
    y[q] = (1 - s) * c->table_y[i * ny + q] + s * c->table_y[j * ny + q];
}

/* z and y at a time; y is NaN where nothing is known */
static dae_status at(const source *g, double t, double *z, double *y) {
  const dae_problem *p = g->b->p;
  int nz = g->b->sys->nz, ny = g->b->sys->ny;
  for (int i = 0; i < ny; i++) y[i] = p->y0 ? p->y0[i] : NAN;
  if (g->earlier) return dae_solution_eval(g->earlier, t, z, y, NULL);
  if (g->b->b->guess) {
    int code = g->b->b->guess(t, z, y, g->b->ctx);
    if (code < 0) return DAE_STOPPED;
    return code > 0 || !dae_base_finite(z, nz) ? DAE_E_CALLBACK : DAE_OK;
  }
  if (g->b->b->n_table > 0) from_table(g->b->b, nz, ny, t, z, y);
  else if (p->z0) memcpy(z, p->z0, sizeof(double) * (size_t)nz);
  else memset(z, 0, sizeof(double) * (size_t)nz);
  return dae_base_finite(z, nz) ? DAE_OK : DAE_E_INPUT;
}

/* x^(m) by a difference of x^(m-1) inside the element; an earlier solution knows it */
static dae_status highest(const source *g, double t, double d, double *w, double *z, double *y) {
  int nz = g->b->sys->nz, nx = g->b->sys->nx;
  if (!g->earlier && !g->b->b->guess && g->b->b->n_table == 0) {
    memset(w, 0, sizeof(double) * (size_t)nx);
    return DAE_OK;
  }
  if (g->earlier) {
    dae_status status = dae_solution_eval(g->earlier, t, NULL, NULL, z);
    memcpy(w, z + nz - nx, sizeof(double) * (size_t)nx);
    return status;
  }
  dae_status status = at(g, t + d, z, y);
  for (int c = 0; c < nx; c++) w[c] = z[nz - nx + c];
  if (status == DAE_OK) status = at(g, t - d, z, y);
  for (int c = 0; c < nx; c++) w[c] = (w[c] - z[nz - nx + c]) / (2 * d);
  return status;
}

static dae_status element_guess(const source *g, dae_solution *s, int i, double *z, double *y,
                                double *acc) {
  int nv = s->form.nv, na = s->form.na, nx = s->form.nx;
  double h = s->t[i + 1] - s->t[i];
  for (int j = 0; j < s->rule.k; j++) {
    double t = s->t[i] + h * s->rule.rho[j], *W = dae_colloc_W(&s->shape, s->x, i) + j * nv;
    double *a = dae_colloc_a(&s->shape, s->x, i) + j * na;
    /* the last Radau point is the end of the interval: stay inside */
    double d = 1e-3 * h, inside = fmin(t, s->t[i + 1] - d);
    dae_status status = highest(g, inside, d, W, z, y);
    memset(W + nx, 0, sizeof(double) * (size_t)s->form.nphi);
    if (status == DAE_OK) status = at(g, t, z, y);
    if (status != DAE_OK) return status;
    if (s->form.kind != DAE_COLLOC_INDEX2) {
      memset(a, 0, sizeof(double) * (size_t)na);
      continue;
    }
    bool known = dae_base_finite(y, na);
    if (!known) {
      /* multipliers that belong to the guess of z; zero where there are none */
      memset(y, 0, sizeof(double) * (size_t)na);
      dae_point_at(g->b->at, t, z);
      if (dae_point_accelerate(g->b->at, acc, y) != DAE_OK || !dae_base_finite(y, na))
        memset(y, 0, sizeof(double) * (size_t)na);
    }
    memcpy(a, y, sizeof(double) * (size_t)na);
  }
  return DAE_OK;
}

dae_status dae_colloc_guess(dae_colloc_bvp *b, dae_solution *s, const dae_solution *earlier) {
  source g = {b, earlier};
  dae_pool pool;
  dae_base_pool_init(&pool, &b->o->allocator);
  double *z = dae_base_doubles(&pool, (size_t)b->sys->nz);
  double *y = dae_base_doubles(&pool, (size_t)b->sys->nc);
  double *acc = dae_base_doubles(&pool, (size_t)b->sys->nx);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  double *p = dae_colloc_parameters(&s->shape, s->x);
  if (b->np > 0)
    memcpy(p, earlier ? dae_solution_parameter(earlier) : b->start, sizeof(double) * (size_t)b->np);
  dae_colloc_bvp_set(b, p);
  for (int i = 0; i <= s->shape.N && status == DAE_OK; i++) {
    status = at(&g, s->t[i], z, y);
    double *Z = dae_colloc_Z(&s->shape, s->x, i);
    if (status == DAE_OK) memcpy(Z, z, sizeof(double) * (size_t)b->sys->nz);
    memset(Z + b->sys->nz, 0, sizeof(double) * (size_t)b->form.nphi);
  }
  for (int i = 0; i < s->shape.N && status == DAE_OK; i++)
    status = element_guess(&g, s, i, z, y, acc);
  if (status == DAE_E_CALLBACK || status == DAE_STOPPED)
    dae_colloc_report(b->report, status, b->p->t0, "the guess could not be evaluated");
  if (status == DAE_E_INPUT)
    dae_colloc_report(b->report, status, b->p->t0,
                      "the guess has values that are not finite numbers");
  dae_base_pool_free(&pool);
  return status;
}

int dae_colloc_guess_intervals(dae_colloc_bvp *b, int least, int most) {
  enum { SAMPLES = 257 };
  source g = {b, NULL};
  int nz = b->sys->nz, turns = 0;
  dae_pool pool;
  if (!b->b->guess && b->b->n_table < 3) return least;
  dae_base_pool_init(&pool, &b->o->allocator);
  double *z = dae_base_doubles(&pool, (size_t)nz), *y = dae_base_doubles(&pool, (size_t)b->sys->nc);
  double *last = dae_base_doubles(&pool, (size_t)nz), *way = dae_base_doubles(&pool, (size_t)nz);
  int *count = dae_base_ints(&pool, (size_t)nz);
  dae_colloc_bvp_set(b, b->start);
  for (int i = 0; i < SAMPLES && !pool.failed; i++) {
    double t = b->p->t0 + (b->p->t1 - b->p->t0) * i / (SAMPLES - 1);
    if (at(&g, t, z, y) != DAE_OK) break;
    for (int c = 0; c < nz; c++) {
      double step = i > 0 ? z[c] - last[c] : 0;
      if (step * way[c] < 0) turns = ++count[c] > turns ? count[c] : turns;
      if (step != 0) way[c] = step;
      last[c] = z[c];
    }
  }
  dae_base_pool_free(&pool);
  /* two intervals for each rise and fall; a guess that turns at every sample is noise */
  int wanted = turns < SAMPLES / 4 ? 2 * (turns + 1) : least;
  return wanted < least ? least : wanted > most ? most : wanted;
}
