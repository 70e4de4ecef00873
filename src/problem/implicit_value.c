/*
 * Values of 0 = F(t,x,x'): at single points, and at all stages of a step in one pass, where in
 * small problems what stands around the calls is more than the calls. M x' = f has M here, its
 * zeros left out, and the last f that was asked for more than once: the start of a step is that of
 * its matrices and of its error.
 */
#include <math.h>
#include <string.h>

#include "problem/implicit.h"
#include "problem/inside.h"

/* the diagonal of a dense M, where that is all; else columns of what is not zero */
static void find_nonzeros(dae_residual *r) {
  const int n = r->n;
  int used = 0;
  bool diagonal = true;
  for (int i = 0; i < n * n; i++)
    if (i % (n + 1) != 0 && r->M[i] != 0) diagonal = false;
  for (int i = 0; i < n && diagonal; i++) r->lump[i] = r->M[i * (n + 1)];
  r->lumped = diagonal;
  for (int i = 0; i < n && !diagonal; i++) {
    r->nonzero_start[i] = used;
    for (int j = 0; j < n; j++)
      if (r->M[i * n + j] != 0) r->nonzero_value[used] = r->M[i * n + j], r->nonzero[used++] = j;
  }
  r->nonzero_start[n] = used;
}

/* what does not change with (t,x) */
static void find_constant(dae_residual *r) {
  if (r->nonzero) find_nonzeros(r);
  r->lumped = r->lumped || r->m->mass_kind == DAE_MASS_DIAGONAL;
  if (r->m->mass_kind == DAE_MASS_DIAGONAL) memcpy(r->lump, r->M, (size_t)r->n * sizeof *r->lump);
}

dae_status dae_residual_mass(dae_residual *r, double t, const double *x) {
  const dae_problem *p = r->sys->p;
  if (!r->m->mass || r->mass_known) return DAE_OK;
  int size = dae_implicit_mass_size(r->m);
  memset(r->M, 0, (size_t)size * sizeof *r->M);
  dae_status status = dae_problem_verdict(r->m->mass(t, x, r->M, p->ctx), r->M, size);
  r->mass_known = status == DAE_OK && r->m->mass_constant;
  r->lumped = false;
  if (r->mass_known) find_constant(r);
  return status;
}

/* which value is no number? None where the function says that it failed */
static dae_status verdict(dae_residual *r, int code, const double *out) {
  const dae_status status = dae_problem_verdict(code, out, r->n);
  if (status != DAE_E_CALLBACK) return status;
  r->undefined = 0;
  for (int i = 0; i < r->n && r->undefined == 0 && code == 0; i++)
    if (!isfinite(out[i])) r->undefined = i + 1;
  return status;
}

/* is M diagonal, and in r->lump? */
static inline bool lumped(const dae_residual *r) {
  return r->m->mass ? r->mass_known && r->lumped : !r->m->F;
}

/* out := M dx + sign out; M is there */
void dae_residual_times_mass(const dae_residual *r, const double *dx, double sign, double *out) {
  const int n = r->n;
  if (lumped(r)) {
    for (int i = 0; i < n; i++) out[i] = r->lump[i] * dx[i] + sign * out[i];
    return;
  }
  if (r->nonzero && r->mass_known) {
    for (int i = 0, k = 0; i < n; i++) {
      double sum = sign * out[i];
      for (const int end = r->nonzero_start[i + 1]; k < end; k++)
        sum += r->nonzero_value[k] * dx[r->nonzero[k]];
      out[i] = sum;
    }
    return;
  }
  if (r->m->mass_kind == DAE_MASS_DIAGONAL) {
    for (int i = 0; i < n; i++) out[i] = r->M[i] * dx[i] + sign * out[i];
    return;
  }
  const dae_pattern *a = r->m->mass_kind == DAE_MASS_SPARSE ? r->m->mass_pattern : NULL;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = a ? a->start[i] : i * n, end = a ? a->start[i + 1] : k + n; k < end; k++)
      sum += r->M[k] * dx[a ? a->column[k] : k - i * n];
    out[i] = sum + sign * out[i];
  }
}

dae_status dae_residual_value(dae_residual *r, double t, const double *x, const double *dx,
                              double *out) {
  const dae_problem *p = r->sys->p;
  const dae_implicit *m = r->m;
  r->evaluations++;
  if (m->F) return verdict(r, m->F(t, x, dx, out, p->ctx), out);
  dae_status status = r->mass_known ? DAE_OK : dae_residual_mass(r, t, x);
  if (status == DAE_OK) status = verdict(r, m->f(t, x, out, p->ctx), out);
  if (status == DAE_OK) dae_residual_times_mass(r, dx, -1, out);
  return status;
}

/* ---- at the start of a step ---- */

dae_status dae_residual_force(dae_residual *r, double t, const double *x, const double **f) {
  const size_t bytes = (size_t)r->n * sizeof *x;
  *f = r->force;
  if (r->forced && r->forced_t == t && memcmp(r->forced_x, x, bytes) == 0) return DAE_OK;
  r->evaluations++;
  dae_status status = verdict(r, r->m->f(t, x, r->force, r->sys->p->ctx), r->force);
  r->forced = status == DAE_OK;
  r->forced_t = t;
  memcpy(r->forced_x, x, bytes);
  return status;
}

dae_status dae_residual_start_value(dae_residual *r, double t, const double *x, const double *dx,
                                    double *out) {
  const double *f;
  if (r->m->F) return dae_residual_value(r, t, x, dx, out);
  dae_status status = dae_residual_mass(r, t, x);
  if (status == DAE_OK) status = dae_residual_force(r, t, x, &f);
  if (status != DAE_OK) return status;
  memcpy(out, f, (size_t)r->n * sizeof *f);
  dae_residual_times_mass(r, dx, -1, out);
  return DAE_OK;
}

/* ---- all stages of a step ---- */

static inline void put_point(const int n, const dae_stages *s, int i, double *restrict x) {
  const double *restrict z = s->z, *restrict W = s->W + (size_t)i * (size_t)s->apart;
  for (int k = 0; k < n; k++) x[k] = z[k] + W[k];
}

/* M diagonal: out := unit (M slope - f), with the numbers of f looked at on the way */
static DAE_ALWAYS_INLINE dae_status lumped_stages(const int n, dae_residual *r, const dae_stages *s,
                                                  const double *restrict unit) {
  const double *restrict M = r->lump;
  for (int i = 0; i < s->count; i++) {
    double *restrict out = s->out + (size_t)i * (size_t)s->apart, sum = 0;
    const double *restrict slope = s->slope + (size_t)i * (size_t)s->apart;
    put_point(n, s, i, r->x);
    const int code = r->m->f(s->t + s->c[i] * s->h, r->x, out, r->sys->p->ctx);
    if (code != 0) return verdict(r, code, out);
    for (int k = 0; k < n; k++) sum += out[k];
    /* or it may have overflowed */
    if (!(sum - sum == 0) && !dae_base_finite_many(out, n)) return verdict(r, 0, out);
    for (int k = 0; k < n; k++) out[k] = (M[k] * slope[k] - out[k]) * unit[k];
  }
  return DAE_OK;
}

dae_status dae_residual_stages(dae_residual *r, const dae_stages *s, const double *unit) {
  if (lumped(r)) {
    r->evaluations += s->count;
    switch (r->n) {
      case 1: return lumped_stages(1, r, s, unit);
      case 2: return lumped_stages(2, r, s, unit);
      case 3: return lumped_stages(3, r, s, unit);
      case 4: return lumped_stages(4, r, s, unit);
      default: return lumped_stages(r->n, r, s, unit);
    }
  }
  for (int i = 0; i < s->count; i++) {
    const size_t at = (size_t)i * (size_t)s->apart;
    double *out = s->out + at;
    put_point(r->n, s, i, r->x);
    dae_status status = dae_residual_value(r, s->t + s->c[i] * s->h, r->x, s->slope + at, out);
    if (status != DAE_OK) return status;
    for (int k = 0; k < r->n; k++) out[k] *= unit[k];
  }
  return DAE_OK;
}

/* ---- M as a matrix ---- */

/* E := M */
dae_status dae_residual_put_mass(dae_residual *r, double t, const double *x, double *E) {
  const dae_implicit *m = r->m;
  const int n = r->n;
  dae_status status = dae_residual_mass(r, t, x);
  if (status != DAE_OK) return status;
  if (r->mass_place) {
    const bool sparse = m->mass && m->mass_kind == DAE_MASS_SPARSE;
    const int count = sparse ? m->mass_pattern->start[n] : n;
    for (int k = 0; k < count; k++) E[r->mass_place[k]] = m->mass ? r->M[k] : 1;
  } else if (lumped(r)) {
    for (int i = 0; i < n; i++) E[(size_t)i * (size_t)n + i] = r->lump[i];
  } else {
    dae_matrix M = dae_matrix_of(n, n, m->mass_kind == DAE_MASS_SPARSE ? m->mass_pattern : NULL);
    M.x = r->M;
    if (m->mass_kind != DAE_MASS_DIAGONAL) dae_matrix_put(&M, 1, E, (size_t)n, 1);
    else
      for (int i = 0; i < n; i++) E[(size_t)i * (size_t)n + i] = r->M[i];
  }
  return DAE_OK;
}
