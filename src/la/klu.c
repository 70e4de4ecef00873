/* sparse LU of one pattern, real and complex, by KLU: analyse once, factor once, then refactor */
#include "la/klu.h"

#include <klu.h>

struct dae_la_klu {
  int n, *start, *row;
  klu_common *common; /* behind a pointer: KLU writes to it even when it only solves */
  klu_symbolic *symbolic;
  klu_numeric *real, *shifted; /* of the real and of the complex matrix */
  int culprit;
};

/* refactoring keeps the old pivots; when 1/growth falls below this, 3 digits are lost and the pivots
   are chosen again */
static const double least_growth = 1e-3;

dae_status dae_la_klu_new(dae_la_klu **out, dae_pool *pool, int n, int *start, int *row) {
  dae_la_klu *k = dae_base_take(pool, 1, sizeof *k);
  klu_common *common = dae_base_take(pool, 1, sizeof *common);
  *out = NULL;
  if (!k || !common) return DAE_E_MEMORY;
  *k = (dae_la_klu){.n = n, .start = start, .row = row, .common = common, .culprit = -1};
  klu_defaults(common);
  if (n > 0) {
    k->symbolic = klu_analyze(n, start, row, common);
    if (!k->symbolic) return common->status == KLU_OUT_OF_MEMORY ? DAE_E_MEMORY : DAE_E_INPUT;
  }
  *out = k;
  return DAE_OK;
}

void dae_la_klu_free(dae_la_klu *k) {
  if (!k) return;
  klu_free_numeric(&k->real, k->common);
  klu_z_free_numeric(&k->shifted, k->common);
  klu_free_symbolic(&k->symbolic, k->common);
}

/* what a full factorization says */
static dae_status verdict(dae_la_klu *k, const klu_numeric *numeric) {
  const klu_common *c = k->common;
  k->culprit = -1;
  if (numeric && c->status == KLU_OK) return DAE_OK;
  if (c->status == KLU_OUT_OF_MEMORY || c->status == KLU_TOO_LARGE) return DAE_E_MEMORY;
  if (c->singular_col >= 0 && c->singular_col < k->n) k->culprit = c->singular_col;
  return DAE_E_SINGULAR;
}

dae_status dae_la_klu_factor(dae_la_klu *k, double *values) {
  if (k->n == 0) return DAE_OK;
  klu_common *c = k->common;
  if (k->real && klu_refactor(k->start, k->row, values, k->symbolic, k->real, c) &&
      c->status == KLU_OK && klu_rgrowth(k->start, k->row, values, k->symbolic, k->real, c) &&
      c->rgrowth > least_growth)
    return DAE_OK;
  klu_free_numeric(&k->real, c);
  k->real = klu_factor(k->start, k->row, values, k->symbolic, c);
  return verdict(k, k->real);
}

dae_status dae_la_klu_factor_complex(dae_la_klu *k, double complex *values) {
  if (k->n == 0) return DAE_OK;
  klu_common *c = k->common;
  double *parts = (double *)values;
  if (k->shifted && klu_z_refactor(k->start, k->row, parts, k->symbolic, k->shifted, c) &&
      c->status == KLU_OK && klu_z_rgrowth(k->start, k->row, parts, k->symbolic, k->shifted, c) &&
      c->rgrowth > least_growth)
    return DAE_OK;
  klu_z_free_numeric(&k->shifted, c);
  k->shifted = klu_z_factor(k->start, k->row, parts, k->symbolic, c);
  return verdict(k, k->shifted);
}

void dae_la_klu_solve(const dae_la_klu *k, double *b) {
  if (k->n > 0 && k->real) klu_solve(k->symbolic, k->real, k->n, 1, b, k->common);
}

void dae_la_klu_solve_t(const dae_la_klu *k, double *b) {
  if (k->n > 0 && k->real) klu_tsolve(k->symbolic, k->real, k->n, 1, b, k->common);
}

void dae_la_klu_solve_complex(const dae_la_klu *k, double complex *b) {
  if (k->n > 0 && k->shifted)
    klu_z_solve(k->symbolic, k->shifted, k->n, 1, (double *)b, k->common);
}

int dae_la_klu_culprit(const dae_la_klu *k) { return k->culprit; }

double dae_la_klu_flops(const dae_la_klu *k) { return k->symbolic ? k->symbolic->est_flops : 0; }
