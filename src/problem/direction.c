/* directions D of stabilization: one list of names for forms and stabilizers */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/inside.h"
#include <daedal/method.h>

static const dae_choice table[] = {
    [DAE_DIR_FULL] = {"full", 0, "D = H'", "1992-stab (1.13)",
                      "the safest for stability; needs all of H"},
    [DAE_DIR_BLOCK] = {"block", 0, "D = diag(G', G')", "1992-stab (4.7)",
                       "as full, without the cross terms in D"},
    [DAE_DIR_PINV] = {"pinv", 0, "F = diag(G'(GG')^-1, G'(GG')^-1)", "1992-stab (4.8)",
                      "cheap: one factorization for all levels, cross terms dropped"},
    [DAE_DIR_MASS] =
        {"mass", 0, "D = diag(M^-1 G', M^-1 G')", "1992-stab (5.2)",
         "mechanisms: least change in the mass norm; reuses the factorization of the step"},
    [DAE_DIR_FORCE] =
        {"force", 0, "D = diag(B, B)", "1992-stab (1.6), 1993 (4.1)",
         "the direction of the multipliers; not when B and G' are far apart and vary fast"},
    [DAE_DIR_CONSTRAINT] = {"constraint", 0, "D = G'", "1992-stab (1.7)",
                            "index 2, and one level of index 3"},
    [DAE_DIR_UNIT] = {"unit", 0, "D = unit columns", "1993 section 4",
                      "state-space like; unit:I,J names the coordinates, default the last ones"},
    [DAE_DIR_FROZEN] = {"frozen", 0, "D = G' at the end of the element", "1992-col Table 4.4",
                        "form pi2 as its table was computed; elsewhere the same as block"},
};
enum { DIRECTIONS = sizeof table / sizeof *table };

const dae_choice *dae_direction_at(int i) { return i >= 0 && i < DIRECTIONS ? &table[i] : NULL; }

const char *dae_problem_direction_name(const dae_direction_choice *d) {
  if (d->kind == DAE_DIR_PROBLEM) return d->own->name;
  return d->kind == DAE_DIR_AUTO ? "auto" : table[d->kind].name;
}

dae_status dae_problem_direction_settle(const dae_system *s, dae_direction_kind otherwise,
                                        dae_direction_choice *d, char *message, int size) {
  if (d->kind == DAE_DIR_AUTO) d->kind = otherwise;
  if (d->kind == DAE_DIR_AUTO)
    d->kind = s->p->kind == DAE_MECHANICAL ? DAE_DIR_MASS : DAE_DIR_CONSTRAINT;
  if (d->kind != DAE_DIR_UNIT || d->n_unit == 0 || d->n_unit == s->nc) return DAE_OK;
  snprintf(message, (size_t)size, "direction unit: %d coordinates given, %d constraints", d->n_unit,
           s->nc);
  return DAE_E_INPUT;
}

/* D := M^-1 D column by column, with the factors of the point */
static void apply_mass_inverse(const dae_point *p, double *D) {
  int nx = p->sys->nx, nc = p->sys->nc;
  double *a = p->work->a;
  for (int i = 0; i < nc; i++) {
    for (int j = 0; j < nx; j++) a[j] = D[(size_t)j * nc + i];
    dae_la_kkt_mass_solve(dae_point_kkt(p), a);
    for (int j = 0; j < nx; j++) D[(size_t)j * nc + i] = a[j];
  }
}

void dae_point_block(const dae_point *p, dae_direction_kind kind, double *D) {
  const dae_system *s = p->sys;
  bool through_mass = kind == DAE_DIR_MASS || kind == DAE_DIR_FORCE;
  assert(dae_point_has(p, DAE_HOLDS_GRADIENT));
  memset(D, 0, (size_t)s->nx * (size_t)s->nc * sizeof *D);
  dae_matrix_put(kind == DAE_DIR_FORCE ? dae_point_Kt(p) : dae_point_along(p), 1, D, 1,
                 (size_t)s->nc);
  if (through_mass && s->ny > 0 && s->has_mass) apply_mass_inverse(p, D);
}

dae_status dae_point_direction_block(dae_point *p, const dae_direction_choice *d, double *D) {
  const dae_system *s = p->sys;
  if (d->kind == DAE_DIR_UNIT) {
    size_t nc = (size_t)s->nc;
    memset(D, 0, (size_t)s->nx * nc * sizeof *D);
    for (int i = 0; i < s->nc; i++) {
      int row = d->n_unit ? d->unit[i] : s->nx - s->nc + i;
      D[(size_t)row * nc + (size_t)i] = 1;
    }
    return DAE_OK;
  }
  bool eliminated = (d->kind == DAE_DIR_MASS || d->kind == DAE_DIR_FORCE) && s->ny > 0;
  dae_status status = eliminated ? dae_point_factor(p, NULL) : dae_point_gradient(p);
  if (status == DAE_OK) dae_point_block(p, d->kind, D);
  return status;
}

dae_status dae_point_direction(dae_point *p, const dae_direction_choice *d, double *D) {
  const dae_system *s = p->sys;
  size_t size = (size_t)s->nz * s->nh;
  double *H = p->work->H;
  if (d->kind == DAE_DIR_PROBLEM) {
    memset(D, 0, size * sizeof *D);
    return dae_problem_verdict(d->own->D(p->t, p->z, D, s->p->ctx), D, (int)size);
  }
  if (!H) return DAE_E_FORM;
  if (d->kind == DAE_DIR_FULL && !p->across.x) {
    dae_status status = dae_point_invariants_z(p, H);
    dae_la_transpose_dense(s->nh, s->nz, H, D);
    return status;
  }
  /* the same block at every level; a level without velocity constraints takes the first ng
     columns */
  dae_status status = dae_point_direction_block(p, d, H);
  memset(D, 0, size * sizeof *D);
  int column = 0;
  for (int l = 0; l < s->order; l++) {
    int rows = dae_problem_level_rows(s, l);
    for (int j = 0; j < s->nx; j++)
      memcpy(D + ((size_t)l * s->nx + j) * s->nh + column, H + (size_t)j * s->nc,
             (size_t)rows * sizeof *D);
    column += rows;
  }
  return status;
}
