/* see grid.h */
#include "grid.h"

#include "staggered.h"

PetscErrorCode grid_create(MPI_Comm comm, PetscInt nx, PetscInt ny, PetscReal width,
                           PetscReal height, PetscBool periodic, grid *g) {
  DMBoundaryType side = periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_GHOSTED;
  PetscFunctionBeginUser;
  g->nx = nx, g->ny = ny;
  g->width = width, g->height = height;
  g->dx = width / nx, g->dy = height / ny;
  g->periodic = periodic;
  PetscCall(DMStagCreate2d(comm, side, side, nx, ny, PETSC_DECIDE, PETSC_DECIDE, 0, 1, 0,
                           DMSTAG_STENCIL_BOX, 1, NULL, NULL, &g->faces));
  PetscCall(DMSetUp(g->faces));
  PetscCall(DMStagSetUniformCoordinatesProduct(g->faces, 0, width, 0, height, 0, 0));
  PetscCall(DMStagCreateCompatibleDMStag(g->faces, 0, 0, 1, 0, &g->cells));
  PetscCall(DMSetUp(g->cells));
  PetscCall(DMStagSetUniformCoordinatesProduct(g->cells, 0, width, 0, height, 0, 0));
  PetscCall(DMStagGetLocationSlot(g->faces, DMSTAG_LEFT, 0, &g->left));
  PetscCall(DMStagGetLocationSlot(g->faces, DMSTAG_DOWN, 0, &g->down));
  PetscCall(DMStagGetLocationSlot(g->cells, DMSTAG_ELEMENT, 0, &g->cell));
  PetscCall(DMCreateLocalVector(g->faces, &g->local));
  PetscCall(DMCreateLocalVector(g->faces, &g->out));
  PetscCall(DMCreateLocalVector(g->cells, &g->local_p));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_destroy(grid *g) {
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&g->local));
  PetscCall(VecDestroy(&g->out));
  PetscCall(VecDestroy(&g->local_p));
  PetscCall(DMDestroy(&g->faces));
  PetscCall(DMDestroy(&g->cells));
  PetscFunctionReturn(0);
}

/* the own cells and, at the far sides, one more column or row of faces */
typedef struct range {
  PetscInt x, y, nx, ny, more_x, more_y;
} range;

static PetscErrorCode own(const grid *g, range *r) {
  PetscFunctionBeginUser;
  PetscCall(DMStagGetCorners(g->faces, &r->x, &r->y, NULL, &r->nx, &r->ny, NULL, &r->more_x,
                             &r->more_y, NULL));
  PetscFunctionReturn(0);
}

/* is the face known? */
static PetscBool known_u(const grid *g, PetscInt i) {
  return !g->periodic && (i == 0 || i == g->nx) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool known_v(const grid *g, PetscInt j) {
  return !g->periodic && (j == 0 || j == g->ny) ? PETSC_TRUE : PETSC_FALSE;
}

/* global number of an entry, -1 outside */
static PetscErrorCode global_of(DM dm, PetscInt i, PetscInt j, DMStagStencilLocation where,
                                PetscInt *number) {
  PetscFunctionBeginUser;
  PetscCall(staggered_number(dm, (DMStagStencil){.i = i, .j = j, .loc = where}, number));
  PetscFunctionReturn(0);
}

/* one difference of pressures in B, and minus its transpose in C */
static PetscErrorCode add_face(const grid *g, Mat B, PetscInt i, PetscInt j, PetscBool vertical) {
  PetscInt row, column;
  DMStagStencilLocation where = vertical ? DMSTAG_DOWN : DMSTAG_LEFT;
  PetscReal d = vertical ? g->dy : g->dx;
  PetscFunctionBeginUser;
  PetscCall(global_of(g->faces, i, j, where, &row));
  PetscCall(global_of(g->cells, i, j, DMSTAG_ELEMENT, &column));
  PetscCall(MatSetValue(B, row, column, 1 / d, ADD_VALUES));
  PetscCall(global_of(g->cells, i - !vertical, j - vertical, DMSTAG_ELEMENT, &column));
  PetscCall(MatSetValue(B, row, column, -1 / d, ADD_VALUES));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_matrices(grid *g, Mat *B, Mat *C) {
  range r;
  PetscFunctionBeginUser;
  PetscCall(staggered_matrix(g->faces, g->cells, 2, B));
  PetscCall(own(g, &r));
  for (PetscInt j = r.y; j < r.y + r.ny; j++)
    for (PetscInt i = r.x; i < r.x + r.nx; i++) {
      if (!known_u(g, i)) PetscCall(add_face(g, *B, i, j, PETSC_FALSE));
      if (!known_v(g, j)) PetscCall(add_face(g, *B, i, j, PETSC_TRUE));
    }
  PetscCall(staggered_assemble(*B));
  /* cells of one size: minus the divergence is the transposed gradient */
  PetscCall(MatTranspose(*B, MAT_INITIAL_MATRIX, C));
  PetscFunctionReturn(0);
}

/* one row of L: the second differences of the velocity on a face. A known neighbour has no column;
   a ghost beyond a wall is minus the face itself and what the wall has */
static PetscErrorCode add_viscous(const grid *g, Mat L, PetscInt i, PetscInt j,
                                  PetscBool vertical) {
  static const PetscInt step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  DMStagStencilLocation where = vertical ? DMSTAG_DOWN : DMSTAG_LEFT;
  PetscInt row, column;
  PetscReal sum = 0;
  PetscFunctionBeginUser;
  PetscCall(global_of(g->faces, i, j, where, &row));
  for (int k = 0; k < 4; k++) {
    PetscInt x = i + step[k][0], y = j + step[k][1];
    PetscReal d = k < 2 ? g->dx : g->dy, w = g->viscosity / (d * d);
    PetscBool outside = vertical ? x < 0 || x >= g->nx : y < 0 || y >= g->ny;
    if (!g->periodic && outside) {
      sum += 2 * w;
      continue;
    }
    sum += w;
    if (vertical ? known_v(g, y) : known_u(g, x)) continue;
    PetscCall(global_of(g->faces, x, y, where, &column));
    PetscCall(MatSetValue(L, row, column, w, ADD_VALUES));
  }
  PetscCall(MatSetValue(L, row, row, -sum, ADD_VALUES));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_viscous(grid *g, Mat *L) {
  range r;
  PetscFunctionBeginUser;
  PetscCall(staggered_matrix(g->faces, g->faces, 5, L));
  PetscCall(staggered_diagonal(*L)); /* known faces have one too */
  PetscCall(own(g, &r));
  for (PetscInt j = r.y; j < r.y + r.ny; j++)
    for (PetscInt i = r.x; i < r.x + r.nx; i++) {
      if (!known_u(g, i)) PetscCall(add_viscous(g, *L, i, j, PETSC_FALSE));
      if (!known_v(g, j)) PetscCall(add_viscous(g, *L, i, j, PETSC_TRUE));
    }
  PetscCall(staggered_assemble(*L));
  PetscFunctionReturn(0);
}

/* known faces and ghosts beside the walls: the mean of a ghost and its neighbour is the wall's */
static PetscErrorCode set_boundary(const grid *g, PetscReal t, PetscReal ***a) {
  range r;
  PetscFunctionBeginUser;
  if (g->periodic) PetscFunctionReturn(0);
  PetscCall(own(g, &r));
  PetscInt x0 = r.x, x1 = r.x + r.nx, y0 = r.y, y1 = r.y + r.ny;
  for (PetscInt j = y0 - (y0 > 0); j < y1 + (y1 < g->ny); j++) {
    PetscReal y = (j + 0.5) * g->dy;
    if (x0 == 0) a[j][0][g->left] = g->boundary(t, 0, y, 0, g->ctx);
    if (x1 == g->nx) a[j][x1][g->left] = g->boundary(t, g->width, y, 0, g->ctx);
  }
  for (PetscInt i = x0 - (x0 > 0); i < x1 + (x1 < g->nx); i++) {
    PetscReal x = (i + 0.5) * g->dx;
    if (y0 == 0) a[0][i][g->down] = g->boundary(t, x, 0, 1, g->ctx);
    if (y1 == g->ny) a[y1][i][g->down] = g->boundary(t, x, g->height, 1, g->ctx);
  }
  for (PetscInt i = x0; i <= x1; i++) {
    PetscReal x = i * g->dx;
    if (y0 == 0) a[-1][i][g->left] = 2 * g->boundary(t, x, 0, 0, g->ctx) - a[0][i][g->left];
    if (y1 == g->ny)
      a[y1][i][g->left] = 2 * g->boundary(t, x, g->height, 0, g->ctx) - a[y1 - 1][i][g->left];
  }
  for (PetscInt j = y0; j <= y1; j++) {
    PetscReal y = j * g->dy;
    if (x0 == 0) a[j][-1][g->down] = 2 * g->boundary(t, 0, y, 1, g->ctx) - a[j][0][g->down];
    if (x1 == g->nx)
      a[j][x1][g->down] = 2 * g->boundary(t, g->width, y, 1, g->ctx) - a[j][x1 - 1][g->down];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode grid_force(grid *g, PetscReal t, Vec u, Vec F) {
  range r;
  PetscReal ***a, ***f;
  const PetscInt L = g->left, D = g->down;
  const PetscReal hx = 1 / g->dx, hy = 1 / g->dy, vx = g->viscosity * hx * hx,
                  vy = g->viscosity * hy * hy;
  PetscFunctionBeginUser;
  PetscCall(own(g, &r));
  PetscCall(DMGlobalToLocal(g->faces, u, INSERT_VALUES, g->local));
  PetscCall(DMStagVecGetArray(g->faces, g->local, &a));
  PetscCall(set_boundary(g, t, a));
  PetscCall(VecSet(g->out, 0));
  PetscCall(DMStagVecGetArray(g->faces, g->out, &f));
  for (PetscInt j = r.y; j < r.y + r.ny; j++)
    for (PetscInt i = r.x; i < r.x + r.nx; i++) {
      if (!known_u(g, i)) {
        PetscReal c = a[j][i][L], e = a[j][i + 1][L], w = a[j][i - 1][L], n = a[j + 1][i][L],
                  s = a[j - 1][i][L];
        PetscReal ve = 0.5 * (a[j + 1][i][D] + a[j + 1][i - 1][D]),
                  vw = 0.5 * (a[j][i][D] + a[j][i - 1][D]);
        f[j][i][L] = vx * (e - 2 * c + w) + vy * (n - 2 * c + s) -
                     0.25 * hx * ((e + c) * (e + c) - (c + w) * (c + w)) -
                     0.5 * hy * ((n + c) * ve - (c + s) * vw);
      }
      if (!known_v(g, j)) {
        PetscReal c = a[j][i][D], e = a[j][i + 1][D], w = a[j][i - 1][D], n = a[j + 1][i][D],
                  s = a[j - 1][i][D];
        PetscReal un = 0.5 * (a[j][i + 1][L] + a[j - 1][i + 1][L]),
                  us = 0.5 * (a[j][i][L] + a[j - 1][i][L]);
        f[j][i][D] = vx * (e - 2 * c + w) + vy * (n - 2 * c + s) -
                     0.25 * hy * ((n + c) * (n + c) - (c + s) * (c + s)) -
                     0.5 * hx * ((e + c) * un - (c + w) * us);
      }
    }
  PetscCall(DMStagVecRestoreArray(g->faces, g->out, &f));
  PetscCall(DMStagVecRestoreArray(g->faces, g->local, &a));
  PetscCall(DMLocalToGlobal(g->faces, g->out, INSERT_VALUES, F));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_data(grid *g, PetscReal t, PetscBool rate, Vec r) {
  range o;
  PetscReal ***a;
  grid_boundary b = rate ? g->boundary_t : g->boundary;
  PetscFunctionBeginUser;
  PetscCall(VecSet(r, 0));
  if (g->periodic) PetscFunctionReturn(0);
  PetscCall(own(g, &o));
  PetscCall(VecSet(g->local_p, 0));
  PetscCall(DMStagVecGetArray(g->cells, g->local_p, &a));
  /* div u = 0 with the known faces at the right: C u = -(what they add to minus the divergence) */
  for (PetscInt j = o.y; j < o.y + o.ny; j++) {
    PetscReal y = (j + 0.5) * g->dy;
    if (o.x == 0) a[j][0][g->cell] -= b(t, 0, y, 0, g->ctx) / g->dx;
    if (o.x + o.nx == g->nx) a[j][g->nx - 1][g->cell] += b(t, g->width, y, 0, g->ctx) / g->dx;
  }
  for (PetscInt i = o.x; i < o.x + o.nx; i++) {
    PetscReal x = (i + 0.5) * g->dx;
    if (o.y == 0) a[0][i][g->cell] -= b(t, x, 0, 1, g->ctx) / g->dy;
    if (o.y + o.ny == g->ny) a[g->ny - 1][i][g->cell] += b(t, x, g->height, 1, g->ctx) / g->dy;
  }
  PetscCall(DMStagVecRestoreArray(g->cells, g->local_p, &a));
  PetscCall(DMLocalToGlobal(g->cells, g->local_p, INSERT_VALUES, r));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_fill(grid *g, PetscReal t, grid_function f, void *ctx, PetscBool whole, Vec u,
                         Vec p) {
  range r;
  PetscReal ***a;
  PetscFunctionBeginUser;
  PetscCall(own(g, &r));
  PetscCall(DMStagVecGetArray(g->faces, g->out, &a));
  for (PetscInt j = r.y; j < r.y + r.ny + r.more_y; j++)
    for (PetscInt i = r.x; i < r.x + r.nx + r.more_x; i++) {
      PetscReal x = i * g->dx, y = j * g->dy, mx = x + g->dx / 2, my = y + g->dy / 2;
      if (j < g->ny) a[j][i][g->left] = whole || !known_u(g, i) ? f(t, x, my, 0, ctx) : 0;
      if (i < g->nx) a[j][i][g->down] = whole || !known_v(g, j) ? f(t, mx, y, 1, ctx) : 0;
    }
  PetscCall(DMStagVecRestoreArray(g->faces, g->out, &a));
  PetscCall(DMLocalToGlobal(g->faces, g->out, INSERT_VALUES, u));
  if (!p) PetscFunctionReturn(0);
  PetscCall(DMStagVecGetArray(g->cells, g->local_p, &a));
  for (PetscInt j = r.y; j < r.y + r.ny; j++)
    for (PetscInt i = r.x; i < r.x + r.nx; i++)
      a[j][i][g->cell] = f(t, (i + 0.5) * g->dx, (j + 0.5) * g->dy, 2, ctx);
  PetscCall(DMStagVecRestoreArray(g->cells, g->local_p, &a));
  PetscCall(DMLocalToGlobal(g->cells, g->local_p, INSERT_VALUES, p));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_numbering(grid *g, IS *u, IS *p) {
  range r;
  PetscInt n, m, first_u, first_p, *list_u, *list_p, k;
  Vec v, q;
  MPI_Comm comm = PetscObjectComm((PetscObject)g->faces);
  PetscFunctionBeginUser;
  PetscCall(own(g, &r));
  PetscCall(DMGetGlobalVector(g->faces, &v));
  PetscCall(DMGetGlobalVector(g->cells, &q));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetLocalSize(q, &m));
  PetscCall(VecGetOwnershipRange(v, &first_u, NULL));
  PetscCall(VecGetOwnershipRange(q, &first_p, NULL));
  PetscCall(PetscMalloc1(n, &list_u));
  PetscCall(PetscMalloc1(m, &list_p));
  for (PetscInt j = r.y; j < r.y + r.ny + r.more_y; j++)
    for (PetscInt i = r.x; i < r.x + r.nx + r.more_x; i++) {
      PetscInt place = j * (g->nx + 1) + i;
      if (j < g->ny) {
        PetscCall(global_of(g->faces, i, j, DMSTAG_LEFT, &k));
        list_u[k - first_u] = 2 * place;
      }
      if (i < g->nx) {
        PetscCall(global_of(g->faces, i, j, DMSTAG_DOWN, &k));
        list_u[k - first_u] = 2 * place + 1;
      }
      if (i < g->nx && j < g->ny) {
        PetscCall(global_of(g->cells, i, j, DMSTAG_ELEMENT, &k));
        list_p[k - first_p] = place;
      }
    }
  PetscCall(DMRestoreGlobalVector(g->faces, &v));
  PetscCall(DMRestoreGlobalVector(g->cells, &q));
  PetscCall(ISCreateGeneral(comm, n, list_u, PETSC_OWN_POINTER, u));
  PetscCall(ISCreateGeneral(comm, m, list_p, PETSC_OWN_POINTER, p));
  PetscFunctionReturn(0);
}

/* velocities with ghosts and the boundary's values, in g->local */
static PetscErrorCode to_local(grid *g, PetscReal t, Vec u, PetscReal ****a) {
  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(g->faces, u, INSERT_VALUES, g->local));
  PetscCall(DMStagVecGetArray(g->faces, g->local, a));
  PetscCall(set_boundary(g, t, *a));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_write(grid *g, PetscReal t, Vec u, Vec p, const char *file) {
  static const char *const name[] = {"u", "v", "p"};
  range r;
  DM three;
  Vec all, local;
  PetscReal ***a, ***q, ***out;
  PetscInt slot[3];
  PetscFunctionBeginUser;
  PetscCall(DMStagCreateCompatibleDMStag(g->faces, 0, 0, 3, 0, &three));
  PetscCall(DMSetUp(three));
  PetscCall(DMStagSetUniformCoordinatesProduct(three, 0, g->width, 0, g->height, 0, 0));
  PetscCall(DMCreateGlobalVector(three, &all));
  for (int k = 0; k < 3; k++) PetscCall(DMStagGetLocationSlot(three, DMSTAG_ELEMENT, k, &slot[k]));
  PetscCall(own(g, &r));
  PetscCall(to_local(g, t, u, &a));
  PetscCall(DMCreateLocalVector(three, &local));
  PetscCall(DMGlobalToLocal(g->cells, p, INSERT_VALUES, g->local_p));
  PetscCall(DMStagVecGetArray(g->cells, g->local_p, &q));
  PetscCall(DMStagVecGetArray(three, local, &out));
  for (PetscInt j = r.y; j < r.y + r.ny; j++)
    for (PetscInt i = r.x; i < r.x + r.nx; i++) {
      out[j][i][slot[0]] = 0.5 * (a[j][i][g->left] + a[j][i + 1][g->left]);
      out[j][i][slot[1]] = 0.5 * (a[j][i][g->down] + a[j + 1][i][g->down]);
      out[j][i][slot[2]] = q[j][i][g->cell];
    }
  PetscCall(DMStagVecRestoreArray(three, local, &out));
  PetscCall(DMStagVecRestoreArray(g->cells, g->local_p, &q));
  PetscCall(DMLocalToGlobal(three, local, INSERT_VALUES, all));
  PetscCall(VecDestroy(&local));
  PetscCall(DMStagVecRestoreArray(g->faces, g->local, &a));
  PetscCall(staggered_write(three, all, 3, name, file));
  PetscCall(VecDestroy(&all));
  PetscCall(DMDestroy(&three));
  PetscFunctionReturn(0);
}

PetscErrorCode grid_probe(grid *g, PetscReal t, Vec u, int component, PetscReal x, PetscReal y,
                          PetscReal *value) {
  range r;
  PetscReal ***a, mine = 0;
  PetscFunctionBeginUser;
  PetscCall(own(g, &r));
  PetscCall(to_local(g, t, u, &a));
  PetscReal fx = x / g->dx - (component == 1 ? 0.5 : 0),
            fy = y / g->dy - (component == 0 ? 0.5 : 0);
  PetscInt i = (PetscInt)PetscFloorReal(fx), j = (PetscInt)PetscFloorReal(fy);
  /* the cell of the place says which rank computes */
  PetscInt ci = PetscMin((PetscInt)(x / g->dx), g->nx - 1),
           cj = PetscMin((PetscInt)(y / g->dy), g->ny - 1);
  i = PetscMin(i, component == 0 ? g->nx - 1 : i), j = PetscMin(j, component == 1 ? g->ny - 1 : j);
  if (ci >= r.x && ci < r.x + r.nx && cj >= r.y && cj < r.y + r.ny) {
    PetscInt s = component == 0 ? g->left : g->down;
    PetscReal wx = fx - i, wy = fy - j;
    mine = (1 - wy) * ((1 - wx) * a[j][i][s] + wx * a[j][i + 1][s]) +
           wy * ((1 - wx) * a[j + 1][i][s] + wx * a[j + 1][i + 1][s]);
  }
  PetscCall(DMStagVecRestoreArray(g->faces, g->local, &a));
  PetscCallMPI(
      MPI_Allreduce(&mine, value, 1, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)g->faces)));
  PetscFunctionReturn(0);
}
