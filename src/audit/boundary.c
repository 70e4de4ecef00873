/* the conditions of a boundary value problem, against the sizes of their own terms */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include <daedal/bvp.h>

/* conditions of one place or of both ends as one function of u = (z(t0), z(t1)) or z(t) */
typedef struct conditions {
  const dae_problem *p;
  const dae_side *side; /* NULL: those at the ends */
  int nz;
} conditions;

static dae_status value(void *ctx, double t, const double *u, double *r) {
  const conditions *c = ctx;
  (void)t;
  int code =
      c->side ? c->side->value(u, r, c->p->ctx) : c->p->boundary->value(u, u + c->nz, r, c->p->ctx);
  int n = c->side ? c->side->n : c->p->boundary->n;
  if (code < 0) return DAE_STOPPED;
  return code == 0 && dae_base_finite(r, n) ? DAE_OK : DAE_E_CALLBACK;
}

/* condition k is off by r and has the derivatives J; X: the largest values of the solution */
static dae_status judge(dae_auditor *a, const conditions *c, int k, double r, const double *J,
                        int count, double t) {
  double size = 0, slack = 0;
  char name[DAE_NAME_MAX];
  for (int j = 0; j < count; j++) {
    double x = a->X[j % c->nz];
    size += fabs(J[j]) * x;
    slack += fabs(J[j]) * (a->atol + a->rtol * x);
  }
  double relative = size > 0 ? fabs(r) / size : fabs(r);
  snprintf(name, sizeof name, "%s %d", c->side ? "inner condition" : "boundary condition", k + 1);
  if (!(relative <= a->worst.worst)) {
    a->worst = (dae_audit){.worst = relative, .time = t};
    memcpy(a->worst.equation, name, sizeof name);
  }
  if (fabs(r) <= fmax(a->rounding * size, DAE_AUDIT_TOLERANCES * slack)) return DAE_OK;
  memcpy(a->equation, name, sizeof name);
  a->residual = r;
  return dae_audit_fail(a, DAE_E_AUDIT, t, "%s is off by %.3g, %.3g of the size of its terms", name,
                        r, relative);
}

static dae_status look(dae_auditor *a, conditions *c, double t, int n, int count, const double *u,
                       dae_pool *pool) {
  double *r = dae_base_doubles(pool, (size_t)n), *work = dae_base_doubles(pool, (size_t)count);
  double *J = dae_base_doubles(pool, (size_t)n * (size_t)count);
  double *four = dae_base_doubles(pool, 4 * (size_t)n);
  if (pool->failed) return dae_audit_fail(a, DAE_E_MEMORY, t, "out of memory");
  memcpy(work, u, (size_t)count * sizeof *u);
  dae_status status = value(c, t, u, r);
  if (status == DAE_OK)
    status = dae_problem_difference(
        &(dae_vector){.fn = value, .ctx = c, .rows = n, .n = count, .z_work = work, .f_work = four},
        t, u, J);
  if (status != DAE_OK)
    return dae_audit_fail(a, status, t, "the boundary conditions cannot be evaluated");
  for (int k = 0; k < n && status == DAE_OK; k++)
    status = judge(a, c, k, r[k], J + (size_t)k * (size_t)count, count, t);
  return status;
}

dae_status dae_audit_ends(dae_auditor *a, const double *ends, dae_pool *pool) {
  const dae_problem *p = a->sys->p;
  conditions c = {p, NULL, a->sys->nz};
  if (p->boundary->n == 0) return DAE_OK;
  return look(a, &c, p->t1, p->boundary->n, 2 * c.nz, ends, pool);
}

dae_status dae_audit_side(dae_auditor *a, int side, const double *z, dae_pool *pool) {
  const dae_problem *p = a->sys->p;
  const dae_side *at = &p->boundary->side[side];
  conditions c = {p, at, a->sys->nz};
  return at->n > 0 ? look(a, &c, at->t, at->n, c.nz, z, pool) : DAE_OK;
}
