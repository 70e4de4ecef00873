/* embed: an index-2 problem inside a larger one whose constraints attract (2001 (3.1)) */
#include <string.h>

#include "form/form.h"

typedef struct embed {
  double gamma;
  dae_status (*rhs)(dae_view *, double, const double *, const double *, double *, double *);
  dae_status (*constraint)(dae_view *, double, const double *, double *);
  dae_status (*jacobian)(dae_view *, double, const double *, const double *, double *, double *,
                         double *);
  double *Fz, *Fmu, *Cz; /* of the inner view */
} embed;

/* u' = f(u, mu), w' = -gamma w */
static dae_status rhs(dae_view *v, double t, const double *z, const double *mu, double *dz,
                      double *y) {
  embed *d = v->data;
  int nz = v->sys->nz;
  for (int i = nz; i < v->nz; i++) dz[i] = -d->gamma * z[i];
  return d->rhs(v, t, z, mu, dz, y);
}

/* 0 = h(t,u) - w */
static dae_status constraint(dae_view *v, double t, const double *z, double *r) {
  embed *d = v->data;
  dae_status status = d->constraint(v, t, z, r);
  for (int i = 0; i < v->nmu; i++) r[i] -= z[v->sys->nz + i];
  return status;
}

static void copy_block(int rows, int cols, const double *from, double *to, int stride) {
  for (int i = 0; i < rows; i++)
    memcpy(to + (size_t)i * (size_t)stride, from + (size_t)i * (size_t)cols,
           (size_t)cols * sizeof *to);
}

static dae_status jacobian(dae_view *v, double t, const double *z, const double *mu, double *Fz,
                           double *Fmu, double *Cz) {
  embed *d = v->data;
  int nz = v->sys->nz, n = v->nz;
  dae_status status =
      d->jacobian(v, t, z, mu, Fz ? d->Fz : NULL, Fmu ? d->Fmu : NULL, Cz ? d->Cz : NULL);
  if (status != DAE_OK) return status;
  if (Fz) {
    memset(Fz, 0, (size_t)n * (size_t)n * sizeof *Fz);
    copy_block(nz, nz, d->Fz, Fz, n);
    for (int i = nz; i < n; i++) Fz[(size_t)i * (size_t)n + (size_t)i] = -d->gamma;
  }
  if (Fmu) {
    memset(Fmu, 0, (size_t)n * (size_t)v->nmu * sizeof *Fmu);
    copy_block(nz, v->nmu, d->Fmu, Fmu, v->nmu);
  }
  if (Cz) {
    memset(Cz, 0, (size_t)v->nmu * (size_t)n * sizeof *Cz);
    copy_block(v->nmu, nz, d->Cz, Cz, n);
    for (int i = 0; i < v->nmu; i++) Cz[(size_t)i * (size_t)n + (size_t)(nz + i)] = -1;
  }
  return DAE_OK;
}

/* w = h(t,u): the start need not be on the constraints */
static dae_status from_z(dae_view *v, double t, const double *z, double *u) {
  embed *d = v->data;
  memmove(u, z, (size_t)v->sys->nz * sizeof *u);
  return d->constraint(v, t, z, u + v->sys->nz);
}

static dae_status to_z(dae_view *v, double t, const double *u, double *z) {
  (void)t;
  memmove(z, u, (size_t)v->sys->nz * sizeof *z);
  return DAE_OK;
}

/* index 2 as it is, higher index in its stabilized index-2 form; gamma 0 stands for 1 */
dae_status dae_form_embed(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  if (s->ny == 0)
    return dae_form_refuse(message, size, "embed needs multipliers: use %s",
                           s->nh > 0 ? "attract" : "index1");
  dae_status status = dae_form_ggl(v, o, message, size);
  if (status != DAE_OK) return status;
  embed *d = dae_base_take(v->pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  size_t nz = (size_t)s->nz, nmu = (size_t)v->nmu;
  *d = (embed){.gamma = o->gamma > 0 ? o->gamma : 1,
               .rhs = v->rhs,
               .constraint = v->constraint,
               .jacobian = v->jacobian};
  d->Fz = dae_base_doubles(v->pool, nz * nz);
  d->Fmu = dae_base_doubles(v->pool, nz * nmu);
  d->Cz = dae_base_doubles(v->pool, nmu * nz);
  v->data = d;
  v->nz = s->nz + v->nmu;
  v->rhs = rhs;
  v->eliminates = v->passes = false;
  v->constraint = constraint;
  v->jacobian = jacobian;
  v->from_z = from_z;
  /* what implicit methods use follows from these */
  v->residual = NULL;
  v->matrices = NULL;
  v->pattern = NULL;
  v->thin.matrices = NULL;
  v->chain = v->reach = 0;
  v->free_start = true;
  v->plain = false;
  v->to_z = to_z;
  return DAE_OK;
}
