/* the matrices of an ODE with a pattern: E = I and J = -df/dz in one pattern with the diagonal */
#include <string.h>

#include "form/form.h"

typedef struct sparse_ode {
  dae_pattern pattern;
  int *place;     /* of the entries of df/dz in it */
  int *diagonal;  /* n */
  double *values; /* of df/dz */
} sparse_ode;

static dae_status matrices(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *E, double *J) {
  (void)dz, (void)mu;
  const sparse_ode *a = v->data;
  const dae_pattern *f = v->sys->f_pattern;
  const int n = v->nz, entries = f->start[n];
  memset(E, 0, (size_t)a->pattern.start[n] * sizeof *E);
  memset(J, 0, (size_t)a->pattern.start[n] * sizeof *J);
  for (int i = 0; i < n; i++) E[a->diagonal[i]] = 1;
  dae_point_at(v->point, t, z);
  dae_status status = dae_point_ode_z(v->point, a->values);
  for (int e = 0; e < entries && status == DAE_OK; e++) J[a->place[e]] = -a->values[e];
  return status;
}

/* the columns of row i, rising, with i among them; how many */
static int fill_row(sparse_ode *a, const dae_pattern *f, int i, int used, int *column) {
  a->diagonal[i] = -1;
  for (int e = f->start[i]; e < f->start[i + 1]; e++) {
    if (a->diagonal[i] < 0 && f->column[e] >= i) {
      a->diagonal[i] = used;
      if (f->column[e] > i) column[used++] = i;
    }
    a->place[e] = used;
    column[used++] = f->column[e];
  }
  if (a->diagonal[i] < 0) {
    a->diagonal[i] = used;
    column[used++] = i;
  }
  return used;
}

dae_status dae_form_sparse_ode(dae_view *v) {
  const dae_pattern *f = v->sys->f_pattern;
  const size_t n = (size_t)v->nz, entries = (size_t)f->start[n];
  sparse_ode *a = dae_base_take(v->pool, 1, sizeof *a);
  int *start = dae_base_ints(v->pool, n + 1), *column = dae_base_ints(v->pool, entries + n);
  if (!a || !start || !column) return DAE_E_MEMORY;
  a->place = dae_base_ints(v->pool, entries);
  a->diagonal = dae_base_ints(v->pool, n);
  a->values = dae_base_doubles(v->pool, entries);
  if (v->pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < v->nz; i++) start[i + 1] = fill_row(a, f, i, start[i], column);
  a->pattern = (dae_pattern){v->nz, v->nz, start, column};
  v->data = a;
  v->pattern = &a->pattern;
  v->matrices = matrices;
  return DAE_OK;
}
