/* the parts of a form as implicit methods want them: 0 = r(t, z, z', mu), the mass on the left */
#include <string.h>

#include "form/form.h"

/*
 * r = (x^(l)' - x^(l+1) - D_l mu,  M x^(m) + K y - f,  c): no factorization in it. A direction that
 * moves x^(m-1) as well enters with the mass in front.
 */
static dae_status residual(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *r) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  int top = s->nz - s->nx;
  const double *a = dz + top;
  dae_point_at(v->point, t, z);
  if (c->n_col > 0) {
    memset(c->ad, 0, (size_t)s->nz * sizeof *c->ad);
    dae_status status = dae_form_add_direction(v, mu, c->ad);
    if (status != DAE_OK) return status;
    for (int i = 0; i < s->nx; i++) c->a[i] = a[i] - c->ad[top + i];
    a = c->a;
  }
  dae_status status = dae_point_dynamics(v->point, a, mu + c->n_col, r + top);
  if (status != DAE_OK) return status;
  for (int i = 0; i < top; i++) r[i] = dz[i] - z[i + s->nx] - (c->n_col > 0 ? c->ad[i] : 0);
  /* the gradients of the dynamics serve */
  return v->plain ? dae_point_level(v->point, s->order - 1, r + v->nz)
                  : v->constraint(v, t, z, r + v->nz);
}

/* J -= E D in the columns of mu that D has; how D changes is left out, it is multiplied by mu =
   0 */
static dae_status put_direction(dae_view *v, const double *E, double *J) {
  dae_parts *c = v->parts;
  const dae_system *s = v->sys;
  size_t n = (size_t)(v->nz + v->nmu), nz = (size_t)v->nz, top = nz - (size_t)s->nx;
  dae_status status = dae_point_direction(v->point, &c->direction, c->D);
  for (size_t i = 0; i < nz && status == DAE_OK; i++)
    for (int k = 0; k < c->n_col; k++) {
      const double *D = c->D + c->col[k];
      double sum = i < top ? D[i * (size_t)s->nh] : 0;
      for (size_t j = top; i >= top && j < nz; j++) sum += E[i * n + j] * D[j * (size_t)s->nh];
      J[i * n + nz + (size_t)k] = -sum;
    }
  return status;
}

static dae_status matrices(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *E, double *J) {
  dae_parts *c = v->parts;
  dae_point *p = v->point;
  const dae_system *s = v->sys;
  size_t n = (size_t)(v->nz + v->nmu), nz = (size_t)v->nz, nx = (size_t)s->nx, top = nz - nx;
  const double *y = mu + c->n_col;
  memset(E, 0, n * n * sizeof *E);
  memset(J, 0, n * n * sizeof *J);
  dae_point_at(p, t, z);
  dae_status status = dae_point_dynamics_z(p, dz + top, y, c->Jf);
  if (status == DAE_OK) status = dae_point_mass(p);
  if (status != DAE_OK) return status;
  for (size_t i = 0; i < top; i++) E[i * n + i] = 1, J[i * n + i + nx] = -1;
  dae_matrix_put(&p->M, 1, E + top * n + top, n, 1);
  for (size_t i = 0; i < nx; i++) memcpy(J + (top + i) * n, c->Jf + i * nz, nz * sizeof *J);
  if (c->n_col > 0) status = put_direction(v, E, J);
  if (status == DAE_OK) status = v->jacobian(v, t, z, mu, NULL, NULL, c->H_rows);
  if (status != DAE_OK) return status;
  for (size_t i = 0; i < (size_t)v->nmu; i++)
    memcpy(J + (nz + i) * n, c->H_rows + i * nz, nz * sizeof *J);
  /* K' is stored by rows of the multipliers */
  status = dae_point_multipliers(p, y);
  if (status == DAE_OK)
    dae_matrix_put(dae_point_Kt(p), 1, J + top * n + nz + (size_t)c->n_col, 1, n);
  return status;
}

/* y is a part of mu: nothing to compute */
static dae_status multipliers(dae_view *v, double t, const double *z, const double *mu, double *y) {
  (void)t, (void)z;
  memcpy(y, mu + v->parts->n_col, (size_t)v->sys->ny * sizeof *y);
  return DAE_OK;
}

dae_status dae_form_implicit(dae_view *v) {
  dae_parts *c = v->parts;
  if (c->n_col == 0) v->chain = v->sys->order - 1;
  if (c->eliminate || v->nmu == 0) return DAE_OK;
  v->residual = residual;
  v->multipliers = multipliers;
  v->plain = c->n_col == 0;
  for (int l = 0; c->combined && l < v->sys->order - 1; l++) v->plain &= c->beta[l] == 0;
  if (dae_form_is_sparse(v)) return dae_form_sparse(v);
  v->chain = v->sys->order - 1;
  v->reach = c->n_col;
  c->H_rows = dae_base_doubles(v->pool, (size_t)v->nmu * (size_t)v->nz);
  v->matrices = matrices;
  if (v->pool->failed || dae_problem_zeros_dynamics(v->sys) != DAE_OK) return DAE_E_MEMORY;
  return dae_form_is_thin(v) ? dae_form_sparse(v) : DAE_OK;
}
