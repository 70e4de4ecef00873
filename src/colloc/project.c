/* projections of mesh values onto the constraints: (2.22), (3.8) and all levels */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/colloc.h"

dae_colloc_projection dae_colloc_projection_find(const dae_settings *o) {
  static const dae_colloc_projection places[] = {
      [DAE_PROJECT_NONE] = DAE_COLLOC_PROJECT_NONE,
      [DAE_PROJECT_VELOCITY] = DAE_COLLOC_PROJECT_VELOCITY,
      [DAE_PROJECT_POSITION] = DAE_COLLOC_PROJECT_POSITION,
      [DAE_PROJECT_BOTH] = DAE_COLLOC_PROJECT_BOTH,
      [DAE_PROJECT_ALL] = DAE_COLLOC_PROJECT_ALL};
  if (o->project != DAE_PROJECT_AUTO) return places[o->project];
  return o->form == DAE_FORM_PI1_PLUS ? DAE_COLLOC_PROJECT_BOTH : DAE_COLLOC_PROJECT_VELOCITY;
}

dae_status dae_colloc_projector_init(dae_colloc_projector *p, dae_colloc_form *f, dae_pool *pool) {
  size_t nc = (size_t)f->sys->nc, nx = (size_t)f->nx, ns = (size_t)f->ns;
  *p = (dae_colloc_projector){.form = f};
  p->c = dae_base_doubles(pool, nc);
  p->C = dae_base_doubles(pool, nc * ns);
  p->D = dae_base_doubles(pool, nx * nc);
  p->N = dae_base_doubles(pool, nc * nc);
  p->step = dae_base_doubles(pool, nc);
  p->pivot = dae_base_ints(pool, nc);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* level < 0: the collocated constraint; else g^(level). C gets ns columns in both cases */
static dae_status residual(dae_colloc_projector *p, int level, double t, const double *Z) {
  dae_colloc_form *f = p->form;
  if (level < 0) return dae_colloc_form_constraint(f, t, Z, p->c, p->C);
  dae_colloc_form_z(f, Z, f->z);
  dae_point_at(f->at, t, f->z);
  dae_status status = dae_point_level(f->at, level, p->c);
  if (status != DAE_OK) return status;
  status = dae_point_level_z(f->at, level, f->L);
  int rows = dae_problem_level_rows(f->sys, level), nz = f->sys->nz;
  for (int i = 0; i < rows; i++)
    memcpy(p->C + i * f->ns, f->L + i * nz, sizeof(double) * (size_t)nz);
  return status;
}

/* size of what cancels in the residual: below its rounding no progress is expected */
static double terms(const dae_colloc_projector *p, int rows, const double *Z) {
  double largest = 0;
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < p->form->ns; j++) sum += fabs(p->C[i * p->form->ns + j] * Z[j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

/* residuals fall to rounding, which is small beside the terms of the constraints; as quadratic
   convergence has been there long before, so many passes are enough */
enum { PASSES = 12 };
static const dae_iteration_rule RULE = {.growth = 0.5, .tries = 1};
static const double ROUNDING = 1e-10;

/* the block of Z from `block` on := block + D lambda with c(Z) = 0, by Newton's method with D held;
   D is nx x cols, its first `rows` columns are used */
static dae_status solve(dae_colloc_projector *p, int level, int rows, int cols, int block, double t,
                        double *Z) {
  dae_colloc_form *f = p->form;
  dae_iteration course = dae_base_iteration();
  while (course.count < PASSES) {
    dae_status status = residual(p, level, t, Z);
    if (status != DAE_OK) return status;
    const double norm = dae_la_norm_max(rows, p->c);
    dae_progress progress = dae_base_judge(&course, &RULE, norm, 1);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED)
      return norm <= ROUNDING * terms(p, rows, Z) ? DAE_OK : DAE_E_NEWTON;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++) {
        p->N[i * rows + j] = 0;
        for (int q = 0; q < f->nx; q++)
          p->N[i * rows + j] += p->C[i * f->ns + block + q] * p->D[q * cols + j];
      }
    if (dae_la_lu(rows, p->N, p->pivot) != 0) return DAE_E_SINGULAR;
    dae_la_lu_solve(rows, p->N, p->pivot, p->c);
    for (int q = 0; q < f->nx; q++)
      for (int j = 0; j < rows; j++) Z[block + q] -= p->D[q * cols + j] * p->c[j];
  }
  return DAE_OK;
}

/* (2.22): x^(m-1) (pi2: phi) along the matrix of the multipliers */
static dae_status project_collocated(dae_colloc_projector *p, double t, const double *a,
                                     double *Z) {
  dae_colloc_form *f = p->form;
  dae_status status = dae_colloc_form_direction(f, t, Z, a, p->D);
  if (status != DAE_OK) return status;
  int block = f->kind == DAE_COLLOC_PI2 ? f->sys->nz : (f->m - 1) * f->nx;
  return solve(p, -1, f->na, f->na, block, t, Z);
}

/* (3.8) for any level: x^(l) along G' */
static dae_status project_level(dae_colloc_projector *p, int level, double t, double *Z) {
  static const dae_direction_choice along = {.kind = DAE_DIR_CONSTRAINT};
  dae_colloc_form *f = p->form;
  int rows = dae_problem_level_rows(f->sys, level);
  if (rows == 0) return DAE_OK;
  dae_colloc_form_z(f, Z, f->z);
  dae_point_at(f->at, t, f->z);
  dae_status status = dae_point_direction_block(f->at, &along, p->D);
  return status == DAE_OK ? solve(p, level, rows, f->sys->nc, level * f->nx, t, Z) : status;
}

dae_status dae_colloc_project(dae_colloc_projector *p, dae_colloc_projection kind, bool skip_top,
                              double t, const double *a, double *Z) {
  dae_colloc_form *f = p->form;
  if (f->na == 0 || kind == DAE_COLLOC_PROJECT_NONE) return DAE_OK;
  dae_status status = DAE_OK;
  bool own = kind == DAE_COLLOC_PROJECT_VELOCITY || kind == DAE_COLLOC_PROJECT_BOTH;
  if (own && !skip_top) status = project_collocated(p, t, a, Z);
  if (kind == DAE_COLLOC_PROJECT_VELOCITY) return status;
  /* levels below the collocated one; `all` ends with that one too */
  int top = kind == DAE_COLLOC_PROJECT_POSITION ? 1
            : kind == DAE_COLLOC_PROJECT_BOTH   ? f->m - 1
                                                : f->m;
  if (top > f->m - 1 && kind != DAE_COLLOC_PROJECT_ALL) top = f->m - 1;
  for (int l = 0; status == DAE_OK && l < top; l++) status = project_level(p, l, t, Z);
  return status;
}
