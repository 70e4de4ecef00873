/* is a matrix singular near a point? Its determinant on both sides, along the null vector */
#include "problem/branches.h"

#include <math.h>
#include <string.h>

#include "la/la.h"

/* the sign of det S(x), 0 where it is singular; S is factored, rows of length 1 */
static int sign_at(const dae_square *f, const double *x, double *S, int *pivot,
                   dae_status *status) {
  const size_t n = (size_t)f->n;
  memset(S, 0, n * n * sizeof *S);
  *status = f->fn(f->ctx, x, S);
  if (*status != DAE_OK) return 0;
  for (size_t i = 0; i < n; i++) {
    double length = dae_la_norm2(f->n, S + i * n);
    if (!(length > 0)) return 0;
    for (size_t j = 0; j < n; j++) S[i * n + j] /= length;
  }
  return dae_la_lu(f->n, S, pivot) == 0 ? dae_la_lu_sign(f->n, S, pivot) : 0;
}

/* Where S is nearly singular, S^-1 times anything is along its null vector v: det S has another
   sign at x - v than at x + v, |v_j| <= ball_j, or not */
static dae_status look(const dae_square *f, double *S, double *v, int *pivot, dae_branches *out) {
  double *x = v + f->n;
  dae_status status;
  int sign[2];
  out->sign = sign_at(f, f->x, S, pivot, &status);
  out->near = status == DAE_OK && out->sign == 0;
  if (status != DAE_OK || out->near) return status;
  for (int j = 0; j < f->n; j++) v[j] = sin(1 + 2.3 * j);
  dae_la_lu_solve(f->n, S, pivot, v);
  const double most = dae_la_norm_max(f->n, v);
  for (int side = 0; side < 2 && status == DAE_OK; side++) {
    memcpy(x, f->x, (size_t)f->size * sizeof *x);
    for (int k = 0; k < f->n; k++) {
      const int j = f->column ? f->column[k] : k;
      x[j] += (side ? -1 : 1) * f->ball[j] * v[k] / most;
    }
    sign[side] = sign_at(f, x, S, pivot, &status);
  }
  out->near = status == DAE_OK && sign[0] != sign[1];
  return status == DAE_E_CALLBACK ? DAE_OK : status;
}

dae_status dae_problem_branches(const dae_square *f, dae_pool *pool, dae_branches *out) {
  const size_t n = (size_t)f->n;
  *out = (dae_branches){0};
  double *S = dae_base_doubles(pool, n * n + n + (size_t)f->size);
  int *pivot = dae_base_ints(pool, n);
  dae_status status = pool->failed ? DAE_E_MEMORY : look(f, S, S + n * n, pivot, out);
  dae_base_give(pool, pivot);
  dae_base_give(pool, S);
  return status;
}
