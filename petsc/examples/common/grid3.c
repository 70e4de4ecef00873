/* see grid3.h */
#include "grid3.h"

#include "staggered.h"

/* an entry of an array of DMStag */
#define AT(a, x, slot) (a)[(x)[2]][(x)[1]][(x)[0]][slot]

static const DMStagStencilLocation side[3] = {DMSTAG_LEFT, DMSTAG_DOWN, DMSTAG_BACK};

PetscErrorCode grid3_create(MPI_Comm comm, const PetscInt *n, const PetscReal *length,
                            PetscBool periodic, grid3 *g) {
  DMBoundaryType b = periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_GHOSTED;
  PetscFunctionBeginUser;
  for (int c = 0; c < 3; c++) g->n[c] = n[c], g->length[c] = length[c], g->d[c] = length[c] / n[c];
  g->periodic = periodic;
  PetscCall(DMStagCreate3d(comm, b, b, b, n[0], n[1], n[2], PETSC_DECIDE, PETSC_DECIDE,
                           PETSC_DECIDE, 0, 0, 1, 0, DMSTAG_STENCIL_BOX, 1, NULL, NULL, NULL,
                           &g->faces));
  PetscCall(DMSetUp(g->faces));
  PetscCall(DMStagCreateCompatibleDMStag(g->faces, 0, 0, 0, 1, &g->cells));
  PetscCall(DMSetUp(g->cells));
  for (int c = 0; c < 3; c++) PetscCall(DMStagGetLocationSlot(g->faces, side[c], 0, &g->face[c]));
  PetscCall(DMStagGetLocationSlot(g->cells, DMSTAG_ELEMENT, 0, &g->cell));
  PetscCall(DMCreateLocalVector(g->faces, &g->local));
  PetscCall(DMCreateLocalVector(g->faces, &g->out));
  PetscCall(DMCreateLocalVector(g->cells, &g->local_p));
  PetscFunctionReturn(0);
}

PetscErrorCode grid3_destroy(grid3 *g) {
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&g->local));
  PetscCall(VecDestroy(&g->out));
  PetscCall(VecDestroy(&g->local_p));
  PetscCall(DMDestroy(&g->faces));
  PetscCall(DMDestroy(&g->cells));
  PetscFunctionReturn(0);
}

/* the own cells: from lo to below hi; more: at the far sides one more layer of faces */
typedef struct range {
  PetscInt lo[3], hi[3], more[3];
} range;

static PetscErrorCode own(const grid3 *g, range *r) {
  PetscInt n[3];
  PetscFunctionBeginUser;
  PetscCall(DMStagGetCorners(g->faces, &r->lo[0], &r->lo[1], &r->lo[2], &n[0], &n[1], &n[2],
                             &r->more[0], &r->more[1], &r->more[2]));
  for (int c = 0; c < 3; c++) r->hi[c] = r->lo[c] + n[c];
  PetscFunctionReturn(0);
}

/* x runs over lo <= x < hi: for (start(x, lo); inside(x, hi); next(x, lo, hi)) */
static void start(PetscInt *x, const PetscInt *lo) { x[0] = lo[0], x[1] = lo[1], x[2] = lo[2]; }
static PetscBool inside(const PetscInt *x, const PetscInt *hi) {
  return x[2] < hi[2] && x[1] < hi[1] && x[0] < hi[0] ? PETSC_TRUE : PETSC_FALSE;
}
static void next(PetscInt *x, const PetscInt *lo, const PetscInt *hi) {
  if (++x[0] < hi[0]) return;
  x[0] = lo[0];
  if (++x[1] < hi[1]) return;
  x[1] = lo[1];
  ++x[2];
}

/* is the face of component c known? */
static PetscBool known(const grid3 *g, const PetscInt *x, int c) {
  return !g->periodic && (x[c] == 0 || x[c] == g->n[c]) ? PETSC_TRUE : PETSC_FALSE;
}

/* the middle of the face of component c; c = 3: of the cell */
static void place(const grid3 *g, const PetscInt *x, int c, PetscReal *out) {
  for (int d = 0; d < 3; d++) out[d] = (x[d] + (d == c ? 0 : 0.5)) * g->d[d];
}

/* global number of an entry */
static PetscErrorCode global_of(DM dm, const PetscInt *x, DMStagStencilLocation where,
                                PetscInt *number) {
  const DMStagStencil s = {.i = x[0], .j = x[1], .k = x[2], .loc = where};
  PetscFunctionBeginUser;
  PetscCall(staggered_number(dm, s, number));
  PetscFunctionReturn(0);
}

/* the row of B of a face: a difference of pressures */
static PetscErrorCode add_gradient(const grid3 *g, Mat B, const PetscInt *x, int c) {
  PetscInt row, column, before[3] = {x[0], x[1], x[2]};
  PetscFunctionBeginUser;
  before[c]--;
  PetscCall(global_of(g->faces, x, side[c], &row));
  PetscCall(global_of(g->cells, x, DMSTAG_ELEMENT, &column));
  PetscCall(MatSetValue(B, row, column, 1 / g->d[c], ADD_VALUES));
  PetscCall(global_of(g->cells, before, DMSTAG_ELEMENT, &column));
  PetscCall(MatSetValue(B, row, column, -1 / g->d[c], ADD_VALUES));
  PetscFunctionReturn(0);
}

/* the row of L of a face. A known neighbour has no column; a ghost beyond a wall is minus the face
   itself and what the wall has */
static PetscErrorCode add_viscous(const grid3 *g, Mat L, const PetscInt *x, int c) {
  PetscInt row, column;
  PetscReal sum = 0;
  PetscFunctionBeginUser;
  PetscCall(global_of(g->faces, x, side[c], &row));
  for (int k = 0; k < 6; k++) {
    PetscInt d = k / 2, y[3] = {x[0], x[1], x[2]};
    PetscReal w = g->viscosity / (g->d[d] * g->d[d]);
    y[d] += k % 2 ? 1 : -1;
    if (!g->periodic && d != c && (y[d] < 0 || y[d] >= g->n[d])) {
      sum += 2 * w;
      continue;
    }
    sum += w;
    if (known(g, y, c)) continue;
    PetscCall(global_of(g->faces, y, side[c], &column));
    PetscCall(MatSetValue(L, row, column, w, ADD_VALUES));
  }
  PetscCall(MatSetValue(L, row, row, -sum, ADD_VALUES));
  PetscFunctionReturn(0);
}

PetscErrorCode grid3_matrices(grid3 *g, Mat *B, Mat *C, Mat *L) {
  range r;
  PetscInt x[3];
  PetscFunctionBeginUser;
  PetscCall(staggered_matrix(g->faces, g->cells, 2, B));
  PetscCall(staggered_matrix(g->faces, g->faces, 7, L));
  PetscCall(staggered_diagonal(*L)); /* known faces have one too */
  PetscCall(own(g, &r));
  for (start(x, r.lo); inside(x, r.hi); next(x, r.lo, r.hi))
    for (int c = 0; c < 3; c++) {
      if (known(g, x, c)) continue;
      PetscCall(add_gradient(g, *B, x, c));
      PetscCall(add_viscous(g, *L, x, c));
    }
  PetscCall(staggered_assemble(*B));
  PetscCall(staggered_assemble(*L));
  /* cells of one size: minus the divergence is the transposed gradient */
  PetscCall(MatTranspose(*B, MAT_INITIAL_MATRIX, C));
  PetscFunctionReturn(0);
}

/* the layer x[d] = at of the faces of component c, without what lies outside in other directions;
   it reaches one face into neighbouring ranks */
static void layer(const range *r, int d, PetscInt at, PetscInt *lo, PetscInt *hi) {
  for (int e = 0; e < 3; e++) {
    lo[e] = r->lo[e] - (r->lo[e] > 0);
    hi[e] = r->hi[e] + 1;
  }
  lo[d] = at, hi[d] = at + 1;
}

/* known faces of component c on one side */
static void set_known(const grid3 *g, const range *r, PetscReal t, int c, PetscInt at,
                      PetscReal ****a) {
  PetscInt lo[3], hi[3], x[3];
  PetscReal p[3];
  layer(r, c, at, lo, hi);
  for (int e = 0; e < 3; e++)
    if (e != c) hi[e] = PetscMin(hi[e], g->n[e]);
  for (start(x, lo); inside(x, hi); next(x, lo, hi)) {
    place(g, x, c, p);
    AT(a, x, g->face[c]) = g->boundary(t, p, c, g->ctx);
  }
}

/* ghosts of component c beyond the wall in direction d: the mean of a ghost and its neighbour is
   the wall's velocity */
static void set_ghosts(const grid3 *g, const range *r, PetscReal t, int c, int d, PetscInt at,
                       PetscReal ****a) {
  PetscInt lo[3], hi[3], x[3];
  PetscReal p[3];
  layer(r, d, at, lo, hi);
  for (int e = 0; e < 3; e++)
    if (e != c && e != d) hi[e] = PetscMin(hi[e], g->n[e]);
  for (start(x, lo); inside(x, hi); next(x, lo, hi)) {
    PetscInt y[3] = {x[0], x[1], x[2]};
    y[d] = at < 0 ? 0 : g->n[d] - 1;
    place(g, x, c, p);
    p[d] = at < 0 ? 0 : g->length[d];
    AT(a, x, g->face[c]) = 2 * g->boundary(t, p, c, g->ctx) - AT(a, y, g->face[c]);
  }
}

static PetscErrorCode set_boundary(const grid3 *g, PetscReal t, PetscReal ****a) {
  range r;
  PetscFunctionBeginUser;
  if (g->periodic) PetscFunctionReturn(0);
  PetscCall(own(g, &r));
  for (int c = 0; c < 3; c++) {
    if (r.lo[c] == 0) set_known(g, &r, t, c, 0, a);
    if (r.hi[c] == g->n[c]) set_known(g, &r, t, c, g->n[c], a);
  }
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++) {
      if (c == d) continue;
      if (r.lo[d] == 0) set_ghosts(g, &r, t, c, d, -1, a);
      if (r.hi[d] == g->n[d]) set_ghosts(g, &r, t, c, d, g->n[d], a);
    }
  PetscFunctionReturn(0);
}

/* velocities with ghosts and the boundary's values, in g->local */
static PetscErrorCode to_local(grid3 *g, PetscReal t, Vec u, PetscReal *****a) {
  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(g->faces, u, INSERT_VALUES, g->local));
  PetscCall(DMStagVecGetArray(g->faces, g->local, a));
  PetscCall(set_boundary(g, t, *a));
  PetscFunctionReturn(0);
}

/* viscosity Laplace(u) - div(u u) of component c on a face. Along c the flux is the square of the
   mean of two faces; across, the mean of this component times that of the other, at an edge */
static PetscReal force_at(const grid3 *g, PetscReal ****a, const PetscInt *x, int c) {
  const PetscReal here = AT(a, x, g->face[c]);
  PetscReal sum = 0;
  for (int d = 0; d < 3; d++) {
    PetscInt up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
    up[d]++, down[d]--;
    PetscReal h = 1 / g->d[d], u = AT(a, up, g->face[c]), l = AT(a, down, g->face[c]);
    sum += g->viscosity * h * h * (u - 2 * here + l);
    if (d == c) {
      sum -= 0.25 * h * ((u + here) * (u + here) - (here + l) * (here + l));
    } else {
      PetscInt up_back[3] = {up[0], up[1], up[2]}, back[3] = {x[0], x[1], x[2]};
      up_back[c]--, back[c]--;
      PetscReal above = AT(a, up, g->face[d]) + AT(a, up_back, g->face[d]),
                below = AT(a, x, g->face[d]) + AT(a, back, g->face[d]);
      sum -= 0.25 * h * ((u + here) * above - (here + l) * below);
    }
  }
  return sum;
}

PetscErrorCode grid3_force(grid3 *g, PetscReal t, Vec u, Vec F) {
  range r;
  PetscReal ****a, ****f;
  PetscInt x[3];
  PetscFunctionBeginUser;
  PetscCall(own(g, &r));
  PetscCall(to_local(g, t, u, &a));
  PetscCall(VecSet(g->out, 0));
  PetscCall(DMStagVecGetArray(g->faces, g->out, &f));
  for (start(x, r.lo); inside(x, r.hi); next(x, r.lo, r.hi))
    for (int c = 0; c < 3; c++)
      if (!known(g, x, c)) AT(f, x, g->face[c]) = force_at(g, a, x, c);
  PetscCall(DMStagVecRestoreArray(g->faces, g->out, &f));
  PetscCall(DMStagVecRestoreArray(g->faces, g->local, &a));
  PetscCall(DMLocalToGlobal(g->faces, g->out, INSERT_VALUES, F));
  PetscFunctionReturn(0);
}

PetscErrorCode grid3_data(grid3 *g, PetscReal t, PetscBool rate, Vec r) {
  range o;
  PetscReal ****a, p[3];
  PetscInt x[3];
  grid3_function b = rate ? g->boundary_t : g->boundary;
  PetscFunctionBeginUser;
  PetscCall(VecSet(r, 0));
  if (g->periodic) PetscFunctionReturn(0);
  PetscCall(own(g, &o));
  PetscCall(VecSet(g->local_p, 0));
  PetscCall(DMStagVecGetArray(g->cells, g->local_p, &a));
  for (start(x, o.lo); inside(x, o.hi); next(x, o.lo, o.hi))
    for (int c = 0; c < 3; c++) {
      place(g, x, c, p);
      if (x[c] == 0) AT(a, x, g->cell) -= b(t, p, c, g->ctx) / g->d[c];
      p[c] = g->length[c];
      if (x[c] == g->n[c] - 1) AT(a, x, g->cell) += b(t, p, c, g->ctx) / g->d[c];
    }
  PetscCall(DMStagVecRestoreArray(g->cells, g->local_p, &a));
  PetscCall(DMLocalToGlobal(g->cells, g->local_p, INSERT_VALUES, r));
  PetscFunctionReturn(0);
}

PetscErrorCode grid3_fill(grid3 *g, PetscReal t, grid3_function f, void *ctx, Vec u, Vec p) {
  range r;
  PetscReal ****a, where[3];
  PetscInt x[3];
  PetscFunctionBeginUser;
  PetscCall(own(g, &r));
  PetscCall(VecSet(g->out, 0));
  PetscCall(DMStagVecGetArray(g->faces, g->out, &a));
  for (start(x, r.lo); inside(x, r.hi); next(x, r.lo, r.hi))
    for (int c = 0; c < 3; c++) {
      if (known(g, x, c)) continue;
      place(g, x, c, where);
      AT(a, x, g->face[c]) = f(t, where, c, ctx);
    }
  PetscCall(DMStagVecRestoreArray(g->faces, g->out, &a));
  PetscCall(DMLocalToGlobal(g->faces, g->out, INSERT_VALUES, u));
  if (!p) PetscFunctionReturn(0);
  PetscCall(DMStagVecGetArray(g->cells, g->local_p, &a));
  for (start(x, r.lo); inside(x, r.hi); next(x, r.lo, r.hi)) {
    place(g, x, 3, where);
    AT(a, x, g->cell) = f(t, where, 3, ctx);
  }
  PetscCall(DMStagVecRestoreArray(g->cells, g->local_p, &a));
  PetscCall(DMLocalToGlobal(g->cells, g->local_p, INSERT_VALUES, p));
  PetscFunctionReturn(0);
}

PetscErrorCode grid3_write(grid3 *g, PetscReal t, Vec u, Vec p, const char *file) {
  static const char *const name[] = {"u", "v", "w", "p"};
  range r;
  DM four;
  Vec all, local;
  PetscReal ****a, ****q, ****out;
  PetscInt slot[4], x[3];
  PetscFunctionBeginUser;
  PetscCall(DMStagCreateCompatibleDMStag(g->faces, 0, 0, 0, 4, &four));
  PetscCall(DMSetUp(four));
  PetscCall(
      DMStagSetUniformCoordinatesProduct(four, 0, g->length[0], 0, g->length[1], 0, g->length[2]));
  PetscCall(DMCreateGlobalVector(four, &all));
  PetscCall(DMCreateLocalVector(four, &local));
  for (int k = 0; k < 4; k++) PetscCall(DMStagGetLocationSlot(four, DMSTAG_ELEMENT, k, &slot[k]));
  PetscCall(own(g, &r));
  PetscCall(to_local(g, t, u, &a));
  PetscCall(DMGlobalToLocal(g->cells, p, INSERT_VALUES, g->local_p));
  PetscCall(DMStagVecGetArray(g->cells, g->local_p, &q));
  PetscCall(DMStagVecGetArray(four, local, &out));
  for (start(x, r.lo); inside(x, r.hi); next(x, r.lo, r.hi)) {
    for (int c = 0; c < 3; c++) {
      PetscInt y[3] = {x[0], x[1], x[2]};
      y[c]++;
      AT(out, x, slot[c]) = 0.5 * (AT(a, x, g->face[c]) + AT(a, y, g->face[c]));
    }
    AT(out, x, slot[3]) = AT(q, x, g->cell);
  }
  PetscCall(DMStagVecRestoreArray(four, local, &out));
  PetscCall(DMStagVecRestoreArray(g->cells, g->local_p, &q));
  PetscCall(DMStagVecRestoreArray(g->faces, g->local, &a));
  PetscCall(DMLocalToGlobal(four, local, INSERT_VALUES, all));
  PetscCall(staggered_write(four, all, 4, name, file));
  PetscCall(VecDestroy(&local));
  PetscCall(VecDestroy(&all));
  PetscCall(DMDestroy(&four));
  PetscFunctionReturn(0);
}
