/* a view as implicit methods see it: 0 = r(t, z, z', mu), and its two matrices */
#include <string.h>

#include "problem/view.h"

/* r = (z' - F(t,z,mu), c(t,z)) where the view says nothing better */
dae_status dae_problem_view_residual(dae_view *v, double t, const double *z, const double *dz,
                                     const double *mu, double *r) {
  if (v->residual) return v->residual(v, t, z, dz, mu, r);
  dae_status status = v->rhs(v, t, z, v->nmu > 0 ? mu : NULL, r, NULL);
  if (status != DAE_OK) return status;
  for (int i = 0; i < v->nz; i++) r[i] = dz[i] - r[i];
  return v->nmu > 0 ? v->constraint(v, t, z, r + v->nz) : DAE_OK;
}

/* E = [I 0; 0 0], J = [-F_z -F_mu; c_z 0] */
dae_status dae_problem_view_matrices(dae_view *v, double t, const double *z, const double *dz,
                                     const double *mu, double *E, double *J, double *work) {
  if (v->matrices) return v->matrices(v, t, z, dz, mu, E, J);
  const size_t nz = (size_t)v->nz, nmu = (size_t)v->nmu, n = nz + nmu;
  double *Fz = work, *Fmu = Fz + nz * nz, *Cz = Fmu + nz * nmu;
  memset(work, 0, nz * (nz + 2 * nmu) * sizeof *work);
  dae_status status = dae_problem_view_jacobian(v, t, z, nmu > 0 ? mu : NULL, Fz,
                                                nmu > 0 ? Fmu : NULL, nmu > 0 ? Cz : NULL);
  if (status != DAE_OK) return status;
  memset(E, 0, n * n * sizeof *E);
  memset(J, 0, n * n * sizeof *J);
  for (size_t i = 0; i < nz; i++) {
    E[i * n + i] = 1;
    for (size_t j = 0; j < nz; j++) J[i * n + j] = -Fz[i * nz + j];
    for (size_t j = 0; j < nmu; j++) J[i * n + nz + j] = -Fmu[i * nmu + j];
  }
  for (size_t i = 0; i < nmu; i++) memcpy(J + (nz + i) * n, Cz + i * nz, nz * sizeof *J);
  return DAE_OK;
}
