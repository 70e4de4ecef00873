/*
 * The ODE route at work: blocks of leading derivatives w are solved by LU in their order, and
 *   z' = f(t,z,w(t,z)),   df/dz = f_z + f_w w_z,   w_z = -A^-1 (R_z + R_w w_z)  block by block,
 * where R(t,z,w) = 0 are the rows of a block and A their matrix.
 */
#include <string.h>

#include "model/plan.h"

/* numbers for one evaluation: w, the system of the largest block, its pivots */
typedef struct bench {
  dae_code *code;
  int slot;
  double *w, *system, *more;
} bench;

static bool bench_take(bench *b, const dae_plan *p, int more) {
  b->code = (dae_code *)&p->code;
  b->slot = dae_model_workspace(b->code, p->nw_slots + p->block_room + more);
  if (b->slot < 0) return false;
  b->w = b->code->workspace[b->slot];
  b->system = b->w + p->nw_slots;
  b->more = b->system + p->block_room;
  return true;
}

static void bench_end(bench *b) { dae_model_workspace_end(b->code, b->slot); }

static double *rhs_of(const dae_solve_block *block, const bench *on) {
  return on->system + block->values;
}

static int *pivot_of(const dae_solve_block *block, const bench *on) {
  return (int *)(rhs_of(block, on) + block->size);
}

dae_la_solver *dae_model_block_lu(const dae_plan *p, const dae_solve_block *block, int slot) {
  dae_block_lu **at = &block->solver[slot];
  if (*at) return (*at)->lu;
  dae_pool pool;
  dae_base_pool_init(&pool, &p->code.arena->pool.allocator);
  dae_block_lu *made = dae_base_take(&pool, 1, sizeof *made);
  if (made && dae_la_solver_new(&made->lu, &pool, block->size, block->pattern) == DAE_OK &&
      dae_la_solver_reserve(made->lu, false) == DAE_OK) {
    made->pool = pool;
    *at = made;
    return made->lu;
  }
  dae_base_pool_free(&pool);
  return NULL;
}

static void free_solvers(const dae_solve_block *b) {
  for (int k = 0; k < DAE_WORKSPACES && b->solver; k++) {
    dae_block_lu *s = b->solver[k];
    if (!s) continue;
    dae_pool pool = s->pool;
    dae_la_solver_free(s->lu);
    dae_base_pool_free(&pool);
    b->solver[k] = NULL;
  }
}

void dae_model_ode_free(dae_plan *p) {
  for (int b = 0; b < p->blocks; b++) free_solvers(&p->block[b]);
  free_solvers(&p->mass_block);
}

/* LU of the matrix in place; > 0 when singular. `quality`: how far from it, may be NULL */
static int factor(const dae_plan *p, const dae_solve_block *block, bench *on, double *quality) {
  double low, high;
  if (block->pattern) {
    dae_la_solver *lu = dae_model_block_lu(p, block, on->slot);
    if (!lu || dae_la_solver_factor(lu, on->system) != DAE_OK) return 1;
    if (quality) *quality = dae_la_solver_rcond(lu);
    return 0;
  }
  if (dae_la_lu(block->size, on->system, pivot_of(block, on))) return 1;
  if (quality) dae_la_lu_pivots(block->size, on->system, &low, &high), *quality = low / high;
  return 0;
}

/* rhs := A^-1 rhs */
static void back(const dae_plan *p, const dae_solve_block *block, const bench *on) {
  if (block->pattern)
    dae_la_solver_solve(dae_model_block_lu(p, block, on->slot), rhs_of(block, on));
  else dae_la_lu_solve(block->size, on->system, pivot_of(block, on), rhs_of(block, on));
}

/* w of block b from the others before it */
static int solve_block(const dae_plan *p, int b, double t, const double *z, bench *on,
                       double *quality) {
  const dae_solve_block *block = &p->block[b];
  const double *const bank[DAE_BANKS] = {z, on->w, NULL, NULL};
  if (quality) *quality = 0;
  if (!block->pattern) memset(on->system, 0, (size_t)block->values * sizeof *on->system);
  if (dae_model_run(block->system, t, bank, on->system) || factor(p, block, on, quality)) return 1;
  back(p, block, on);
  for (int k = 0; k < block->size; k++) on->w[block->slot[k]] = rhs_of(block, on)[k];
  return 0;
}

int dae_model_ode_run(const dae_plan *p, const dae_function *f, double t, const double *z,
                      double *out) {
  bench on = {0};
  if (p->blocks && !bench_take(&on, p, 0)) return 1;
  int code = 0;
  for (int b = 0; b < p->blocks && !code; b++) code = solve_block(p, b, t, z, &on, NULL);
  const double *const bank[DAE_BANKS] = {z, on.w, NULL, NULL};
  if (!code) code = dae_model_run(f, t, bank, out);
  if (p->blocks) bench_end(&on);
  return code;
}

int dae_model_ode_f(double t, const double *z, double *dz, void *ctx) {
  const dae_plan *p = ctx;
  return dae_model_sliding(p, z) ? dae_model_slide_f(p, t, z, dz)
                                 : dae_model_ode_run(p, p->f, t, z, dz);
}

/* w_z of block b, after those before it: column by column through the LU that solve_block left */
static int block_rates(const dae_plan *p, int b, double t, const double *z, bench *on, double *w_z,
                       double *R) {
  const dae_solve_block *block = &p->block[b];
  const double *const bank[DAE_BANKS] = {z, on->w, NULL, NULL};
  int n = block->size, nz = p->nz, cols = nz + p->nw_slots;
  double *rhs = rhs_of(block, on);
  memset(R, 0, (size_t)n * (size_t)cols * sizeof *R);
  if (dae_model_run(block->derivative, t, bank, R)) return 1;
  for (int j = 0; j < nz; j++) {
    for (int k = 0; k < n; k++) {
      const double *row = R + k * cols;
      rhs[k] = -row[j];
      /* own slots come after the earlier ones */
      for (int i = 0; i < block->slot[0]; i++) rhs[k] -= row[nz + i] * w_z[i * nz + j];
    }
    back(p, block, on);
    for (int k = 0; k < n; k++) w_z[block->slot[k] * nz + j] = rhs[k];
  }
  return 0;
}

int dae_model_ode_f_z(double t, const double *z, double *J, void *ctx) {
  const dae_plan *p = ctx;
  if (dae_model_sliding(p, z)) return dae_model_slide_f_z(p, t, z, J);
  if (!p->blocks) return dae_model_ode_run(p, p->f_z, t, z, J);
  int nz = p->nz, nw = p->nw_slots, cols = nz + nw, rows = nz > p->block_max ? nz : p->block_max;
  bench on;
  if (!bench_take(&on, p, nw * nz + rows * cols)) return 1;
  double *w_z = on.more, *R = w_z + nw * nz;
  int code = 0;
  for (int b = 0; b < p->blocks && !code; b++) {
    code = solve_block(p, b, t, z, &on, NULL);
    if (!code) code = block_rates(p, b, t, z, &on, w_z, R);
  }
  const double *const bank[DAE_BANKS] = {z, on.w, NULL, NULL};
  memset(R, 0, (size_t)nz * (size_t)cols * sizeof *R);
  if (!code) code = dae_model_run(p->f_z, t, bank, R);
  for (int i = 0; i < nz && !code; i++) {
    memcpy(J + i * nz, R + i * cols, (size_t)nz * sizeof *J);
    for (int k = 0; k < nw; k++) {
      double f_w = R[i * cols + nz + k];
      for (int j = 0; j < nz && f_w != 0; j++) J[i * nz + j] += f_w * w_z[k * nz + j];
    }
  }
  bench_end(&on);
  return code;
}

static int run_z(const dae_function *f, double t, const double *z, double *out) {
  const double *const bank[DAE_BANKS] = {z, NULL, NULL, NULL};
  return dae_model_run(f, t, bank, out);
}

int dae_model_ode_h(double t, const double *z, double *h, void *ctx) {
  return run_z(((dae_plan *)ctx)->h, t, z, h);
}
int dae_model_ode_h_z(double t, const double *z, double *H, void *ctx) {
  return run_z(((dae_plan *)ctx)->h_z, t, z, H);
}
int dae_model_ode_h_t(double t, const double *z, double *ht, void *ctx) {
  return run_z(((dae_plan *)ctx)->h_t, t, z, ht);
}

void dae_model_ode_quality(const dae_plan *p, double t, const double *z, double *quality) {
  bench on;
  for (int k = 0; k < p->singles + p->blocks; k++) quality[k] = 0;
  run_z(p->single, t, z, quality);
  if (!p->blocks || !bench_take(&on, p, 0)) return;
  for (int b = 0; b < p->blocks; b++)
    if (solve_block(p, b, t, z, &on, quality + p->singles + b)) break;
  bench_end(&on);
}

int dae_model_ode_leading(const dae_plan *p, double t, const double *z, double *w) {
  bench on;
  if (!p->blocks) return 0;
  if (!bench_take(&on, p, 0)) return 1;
  int code = 0;
  for (int b = 0; b < p->blocks && !code; b++) code = solve_block(p, b, t, z, &on, NULL);
  if (!code) memcpy(w, on.w, (size_t)p->nw_slots * sizeof *w);
  bench_end(&on);
  return code;
}

/* all variables of the text at a point */
int dae_model_ode_values(const dae_plan *p, double t, const double *z, double *out) {
  if (dae_model_sliding(p, z)) return dae_model_slide_values(p, t, z, out);
  return dae_model_ode_run(p, p->values, t, z, out);
}
