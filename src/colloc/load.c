/* the right-hand side switched on step by step: which equations it leaves alone */
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

/* the only variable of a row of df/dz, -1 when there are several, or none but its own */
static int only_variable(int n, int own, const double *row) {
  int found = -1;
  for (int j = 0; j < n; j++) {
    if (row[j] == 0) continue;
    if (found >= 0 || j == own) return -1;
    found = j;
  }
  return found;
}

/* rows of f = F z at one point that are not c z_b, or whose c is not `first`, lose their mark;
   F is -df/dz; `first` is NULL at the first point */
static void judge(int n, const double *z, const double *f, const double *F, const double *first,
                  bool *own) {
  static const double SAME = 1e-7; /* derivatives may be differences */
  for (int a = 0; a < n; a++) {
    const double *row = F + a * n;
    int b = only_variable(n, a, row);
    double c = b < 0 ? 0 : -row[b];
    bool linear = b >= 0 && fabs(f[a] - c * z[b]) <= SAME * fabs(c * z[b]);
    bool same = !first || (b >= 0 && fabs(first[a * n + b] - row[b]) <= SAME * fabs(c));
    if (!linear || !same) own[a] = false;
  }
}

/*
 * A system of order 1 in place of an equation of higher order has rows x_a' = c x_b, which say what
 * x_b is and are no load. With a load on them an unknown period, say, would take it back. They are
 * looked for at the values of s, in the middle and at both ends.
 */
dae_status dae_colloc_load_rows(dae_colloc_bvp *b, dae_solution *s) {
  enum { LOOKS = 3 };
  dae_colloc_form *f = &b->form;
  int n = f->nx;
  if (f->load == 1 || f->m != 1 || f->kind != DAE_COLLOC_INDEX2 || f->sys->has_mass) return DAE_OK;
  double *first = dae_base_doubles(&b->pool, (size_t)(n * n));
  f->kept = dae_base_take(&b->pool, (size_t)n, sizeof *f->kept);
  if (b->pool.failed) return DAE_E_MEMORY;
  for (int a = 0; a < n; a++) f->kept[a] = true;
  for (int i = 0; i < LOOKS; i++) {
    int at = i * s->shape.N / (LOOKS - 1);
    dae_colloc_form_z(f, dae_colloc_Z(&s->shape, s->x, at), b->z);
    dae_point_at(b->at, s->t[at], b->z);
    memset(f->y, 0, sizeof(double) * (size_t)f->sys->nc);
    dae_status status = dae_point_force(b->at, f->y, f->acc);
    memset(b->value, 0, sizeof(double) * (size_t)n);
    if (status == DAE_OK) status = dae_point_dynamics_z(b->at, b->value, f->y, f->F);
    /* what cannot be evaluated shows where it is needed */
    if (status != DAE_OK) {
      f->kept = NULL;
      return DAE_OK;
    }
    judge(n, b->z, f->acc, f->F, i > 0 ? first : NULL, f->kept);
    if (i == 0) memcpy(first, f->F, sizeof(double) * (size_t)(n * n));
  }
  return DAE_OK;
}
