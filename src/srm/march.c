/* one step of one iterate by an explicit Runge-Kutta method */
#include <string.h>

#include "srm/srm.h"

dae_status dae_srm_march_init(dae_srm_march *m, const dae_method *method, int nz, dae_pool *pool) {
  m->tableau = dae_step_explicit_find(method);
  m->stages = method->stages;
  m->nz = nz;
  m->k = dae_srm_rows(pool, m->stages, nz);
  m->z_stage = dae_base_doubles(pool, (size_t)nz);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

double **dae_srm_rows(dae_pool *pool, int count, int n) {
  double **a = dae_base_take(pool, (size_t)count, sizeof *a);
  for (int i = 0; a && i < count; i++) a[i] = dae_base_doubles(pool, (size_t)n);
  return a;
}

/* k_j = F(t + c_j h, z + h sum_l a_jl k_l, carried_j),  z_new = z + h sum_j b_j k_j */
dae_status dae_srm_march_step(dae_srm_march *m, dae_srm_equations *e, double t, double h,
                              const double *z, double *z_new) {
  const dae_explicit_tableau *a = m->tableau;
  const double *row = a->a;
  int n = m->nz;
  for (int j = 0; j < m->stages; j++) {
    memcpy(m->z_stage, z, (size_t)n * sizeof *z);
    for (int l = 0; l < j; l++)
      for (int q = 0; q < n; q++) m->z_stage[q] += h * row[l] * m->k[l][q];
    m->evaluations++;
    dae_status status =
        dae_srm_evaluate(e, t + a->c[j] * h, m->z_stage, m->carried(m->ctx, j, a->c[j]), m->k[j],
                         m->keep ? m->keep[j] : NULL, NULL);
    if (status != DAE_OK) return status;
    if (j > 0) row += j;
  }
  const double *b = a->b ? a->b : row - (m->stages - 1);
  int used = a->b ? m->stages : m->stages - 1;
  memcpy(z_new, z, (size_t)n * sizeof *z);
  for (int l = 0; l < used; l++)
    for (int q = 0; q < n; q++) z_new[q] += h * b[l] * m->k[l][q];
  return dae_base_finite(z_new, n) ? DAE_OK : DAE_E_CALLBACK;
}

void dae_srm_march_error(const dae_srm_march *m, double h, double *error) {
  memset(error, 0, (size_t)m->nz * sizeof *error);
  for (int l = 0; m->tableau->e && l < m->stages; l++)
    for (int q = 0; q < m->nz; q++) error[q] += h * m->tableau->e[l] * m->k[l][q];
}
