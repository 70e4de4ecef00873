/*
 * A mechanism that can be seen in the problem: coordinates x.., y.. (z..) with the same rest of
 * their names are points, a constraint that depends on one or two points and on nothing else may
 * be a rod. Whether it is one, the motion tells (drawing.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { MOST_COORDINATES = 4000 };

static int find_column(const cli_model *m, const char *name) {
  for (int i = 0; i < m->n_column; i++)
    if (strcmp(m->column[i], name) == 0) return i;
  return -1;
}

/* an x that stands for a coordinate: at the beginning of a part of the name, or behind p or r
   there (px, rx); never that of a derivative */
static bool is_axis(const char *name, size_t at) {
  if (strncmp(name, "der(", 4) == 0) return false;
  if (at > 0 && strchr("pr", name[at - 1])) at--;
  return at == 0 || strchr("._[", name[at - 1]) != NULL;
}

/* the columns of the point whose first coordinate is column i; returns how many, 0: none */
static int point_of(const cli_model *m, int i, int *place) {
  const char *name = m->column[i];
  size_t length = strlen(name);
  char *other = cli_take(length + 1, 1);
  int dims = 0;
  for (size_t k = 0; k < length && dims == 0; k++) {
    if (name[k] != 'x' || !is_axis(name, k)) continue;
    memcpy(other, name, length + 1);
    place[0] = i;
    other[k] = 'y';
    place[1] = find_column(m, other);
    other[k] = 'z';
    place[2] = find_column(m, other);
    if (place[1] >= 0) dims = place[2] >= 0 ? 3 : 2;
  }
  free(other);
  return dims;
}

int cli_mechanism_coordinate(const cli_model *m, int column) {
  if (!m->text) return column < m->nx ? column : -1; /* z, then y */
  for (int i = 0; i < m->nx; i++)
    if (strcmp(m->z_name[i], m->column[column]) == 0) return i;
  return -1;
}

static int n_rows(const dae_problem *p) {
  if (p->kind == DAE_MECHANICAL && p->mechanical.g) return p->mechanical.ng;
  return 0;
}

/* may constraint `row` be a rod? It must move with the coordinates of one or two points and with
   no others */
static void add_rod(cli_mechanism *s, const unsigned char *depends, int nx, const int *point_at,
                    int row) {
  int found[2] = {-1, -1}, count = 0;
  for (int k = 0; k < nx; k++) {
    if (!depends[k]) continue;
    int point = point_at[k];
    if (point < 0) return;
    if (count > 0 && point == found[0]) continue;
    if (count > 1 && point == found[1]) continue;
    if (count == 2) return;
    found[count++] = point;
  }
  if (count > 0) s->rod[s->n_rod++] = (cli_rod){found[0], found[1], row};
}

/* which coordinates a constraint depends on: each is moved, and what changes is noted */
static void see_rods(cli_mechanism *s, const cli_model *m, const int *point_at) {
  const dae_problem *p = &m->problem;
  int rows = n_rows(p), nx = m->nx;
  double *g = cli_take((size_t)rows, sizeof *g), *moved = cli_take((size_t)rows, sizeof *moved);
  double *q = cli_take((size_t)nx, sizeof *q);
  unsigned char *depends = cli_take((size_t)rows * (size_t)nx, 1);
  memcpy(q, m->z0, (size_t)nx * sizeof *q);
  for (int k = 0; k < nx; k++) q[k] += 1e-3 * (1 + k % 7); /* away from places with zeros */
  bool good = p->mechanical.g(p->t0, q, g, p->ctx) == 0;
  for (int k = 0; k < nx && good; k++) {
    double kept = q[k];
    q[k] += 0.037 * (1 + fabs(kept));
    good = p->mechanical.g(p->t0, q, moved, p->ctx) == 0;
    q[k] = kept;
    for (int i = 0; i < rows; i++) depends[(size_t)i * (size_t)nx + (size_t)k] = moved[i] != g[i];
  }
  s->rod = cli_take((size_t)rows, sizeof *s->rod);
  for (int i = 0; i < rows && good; i++)
    add_rod(s, depends + (size_t)i * (size_t)nx, nx, point_at, i);
  free(g);
  free(moved);
  free(q);
  free(depends);
}

bool cli_mechanism_see(cli_mechanism *s, const cli_model *m) {
  *s = (cli_mechanism){0};
  if (m->n_column > MOST_COORDINATES * 4 || m->nx > MOST_COORDINATES || m->problem.boundary)
    return false;
  int *place = cli_take(3 * (size_t)m->n_column, sizeof *place), found[3];
  int *point_at = cli_take((size_t)m->nx, sizeof *point_at);
  for (int i = 0; i < m->nx; i++) point_at[i] = -1;
  for (int i = 0; i < m->n_column; i++) {
    int dims = point_of(m, i, found);
    if (dims == 0 || (s->dims && dims != s->dims)) continue;
    s->dims = dims;
    memcpy(place + s->n_point * dims, found, (size_t)dims * sizeof *found);
    for (int k = 0; k < dims; k++)
      if (cli_mechanism_coordinate(m, found[k]) >= 0)
        point_at[cli_mechanism_coordinate(m, found[k])] = s->n_point;
    s->n_point++;
  }
  s->point = place;
  if (s->n_point > 0 && n_rows(&m->problem) > 0) see_rods(s, m, point_at);
  free(point_at);
  if (s->n_point == 0) cli_mechanism_free(s);
  return s->n_point > 0;
}

void cli_mechanism_free(cli_mechanism *s) {
  free(s->point);
  free(s->rod);
  *s = (cli_mechanism){0};
}
