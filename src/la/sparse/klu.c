/* orders of elimination by KLU's analysis: block triangular form, AMD, COLAMD. KLU takes its memory
   by malloc and gives it back before a function here returns; its factors are not used */
#include <klu.h>

#include "la/sparse/fill.h"
#include "la/sparse/sparse.h"

static klu_symbolic *analyze(int n, const int *start, const int *row, int ordering, int btf,
                             dae_status *status) {
  klu_common common;
  klu_defaults(&common);
  common.ordering = ordering;
  common.btf = btf;
  /* the arrays are not changed */
  klu_symbolic *symbolic = klu_analyze(n, (int *)start, (int *)row, &common);
  *status = symbolic ? DAE_OK : common.status == KLU_OUT_OF_MEMORY ? DAE_E_MEMORY : DAE_E_INPUT;
  return symbolic;
}

static void forget(klu_symbolic *symbolic) {
  klu_common common;
  klu_defaults(&common);
  klu_free_symbolic(&symbolic, &common);
}

dae_status dae_la_fill_order(const dae_allocator *allocator, int n, const int *start,
                             const int *row, bool pivots_anywhere, int *order, int *partner,
                             dae_la_fill *fill) {
  enum { AMD, COLAMD };
  (void)allocator;
  dae_status status;
  klu_symbolic *symbolic = analyze(n, start, row, pivots_anywhere ? COLAMD : AMD, 1, &status);
  if (!symbolic) return status;
  for (int k = 0; k < n; k++) {
    order[k] = symbolic->Q[k];
    partner[symbolic->Q[k]] = symbolic->P[k];
  }
  /* COLAMD promises nothing */
  fill->flops = symbolic->est_flops > 0 ? symbolic->est_flops : 0;
  fill->entries = pivots_anywhere ? 0 : symbolic->lnz + symbolic->unz + symbolic->nzoff;
  forget(symbolic);
  return DAE_OK;
}

dae_status dae_la_sparse_order(const dae_allocator *allocator, int n, int *start, int *row,
                               int *order) {
  (void)allocator;
  dae_status status;
  klu_symbolic *symbolic = analyze(n, start, row, 0, 0, &status);
  if (!symbolic) return status;
  for (int i = 0; i < n; i++) order[i] = symbolic->Q[i];
  forget(symbolic);
  return DAE_OK;
}
