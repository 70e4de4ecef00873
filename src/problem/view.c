/* what all views share: Jacobians by differences, names of equations */
#include <stdio.h>
#include <string.h>

#include "problem/view.h"

static dae_status rhs_fn(void *ctx, double t, const double *zmu, double *out) {
  dae_view *v = ctx;
  return v->rhs(v, t, zmu, v->nmu ? zmu + v->nz : NULL, out, NULL);
}

static dae_status constraint_fn(void *ctx, double t, const double *z, double *out) {
  dae_view *v = ctx;
  return v->constraint(v, t, z, out);
}

static dae_status by_differences(dae_view *v, double t, const double *z, const double *mu,
                                 double *Fz, double *Fmu, double *Cz) {
  int n = v->nz + v->nmu;
  double *zmu = v->difference, *z_work = zmu + n, *J = z_work + n, *f_work;
  int rows = v->nz > v->nmu ? v->nz : v->nmu;
  f_work = J + (size_t)n * (size_t)rows;
  memcpy(zmu, z, (size_t)v->nz * sizeof *z);
  if (v->nmu) memcpy(zmu + v->nz, mu, (size_t)v->nmu * sizeof *mu);
  if (Fz || Fmu) {
    dae_status status = dae_problem_difference_newton(
        &(dae_vector){rhs_fn, v, v->nz, n, z_work, f_work, .noise = 1e-12}, t, zmu, J);
    if (status != DAE_OK) return status;
    for (int i = 0; i < v->nz; i++) {
      const double *from = J + (size_t)i * (size_t)n;
      if (Fz) memcpy(Fz + (size_t)i * (size_t)v->nz, from, (size_t)v->nz * sizeof *Fz);
      if (Fmu) memcpy(Fmu + (size_t)i * (size_t)v->nmu, from + v->nz, (size_t)v->nmu * sizeof *Fmu);
    }
  }
  if (!Cz || v->nmu == 0) return DAE_OK;
  return dae_problem_difference_newton(
      &(dae_vector){constraint_fn, v, v->nmu, v->nz, z_work, f_work, .noise = 1e-12}, t, z, Cz);
}

dae_status dae_problem_view_jacobian(dae_view *v, double t, const double *z, const double *mu,
                                     double *Fz, double *Fmu, double *Cz) {
  return v->jacobian ? v->jacobian(v, t, z, mu, Fz, Fmu, Cz)
                     : by_differences(v, t, z, mu, Fz, Fmu, Cz);
}

const char *dae_problem_view_equation(const dae_view *v, int i, char *text, int size) {
  const dae_system *s = v->sys;
  char name[64];
  if (i < v->nz && v->nz == s->nz) {
    snprintf(text, (size_t)size, "der(%s)", dae_problem_z_name(s->p, i, name, sizeof name));
  } else if (i < v->nz || !v->row || i >= v->nz + v->nmu) {
    snprintf(text, (size_t)size, "equation %d of form %s", i + 1, v->name);
  } else {
    int k = v->row[i - v->nz], level = 0;
    while (level < s->order - 1 && k >= s->ng) k -= s->ng, level++;
    dae_problem_g_name(s->p, k, level, text, size);
  }
  return text;
}

dae_status dae_problem_view_guess(dae_view *v, double t, const double *z, double *mu) {
  dae_point *p = v->point;
  const dae_system *s = p->sys;
  memset(mu, 0, (size_t)v->nmu * sizeof *mu);
  if (!v->keeps_y || s->ny == 0) return DAE_OK;
  double *y = mu + v->nmu - s->ny;
  if (s->p->y0) memcpy(y, s->p->y0, (size_t)s->ny * sizeof *y);
  dae_point_at(p, t, z);
  dae_status status = dae_point_accelerate(p, p->work->spare, y);
  v->dependent = p->info.rank < s->ny;
  return status;
}
