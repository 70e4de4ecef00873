/* shapes on a sheet */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

void gallery_sheet_clear(gallery_sheet *s) {
  s->dims = 2;
  s->n_shape = s->n_value = 0;
}

void gallery_sheet_free(gallery_sheet *s) {
  free(s->shape);
  free(s->value);
  *s = (gallery_sheet){0};
}

/* room for `more` behind `count`; NULL and `failed` when there is no memory */
static void *more_room(gallery_sheet *s, void *list, int count, int more, int *room, size_t size) {
  if (count + more <= *room) return list;
  int wanted = 2 * (count + more);
  void *larger = realloc(list, (size_t)wanted * size);
  if (!larger) {
    s->failed = true;
    return NULL;
  }
  *room = wanted;
  return larger;
}

static void put(gallery_sheet *s, const char *kind, int n_point, const double *point, int n_number,
                double number) {
  int count = n_point * s->dims;
  void *shape = more_room(s, s->shape, s->n_shape, 1, &s->shape_room, sizeof *s->shape);
  if (!shape) return;
  s->shape = shape;
  void *value = more_room(s, s->value, s->n_value, count + 1, &s->value_room, sizeof *s->value);
  if (!value) return;
  s->value = value;
  s->shape[s->n_shape++] = (gallery_shape){kind, n_point, n_number};
  memcpy(s->value + s->n_value, point, (size_t)count * sizeof(double));
  s->n_value += count;
  if (n_number) s->value[s->n_value++] = number;
}

void gallery_draw(gallery_sheet *s, const char *kind, int n_point, const double *point) {
  put(s, kind, n_point, point, 0, 0);
}

static void two(gallery_sheet *s, const char *kind, const double *a, const double *b) {
  double point[6];
  memcpy(point, a, (size_t)s->dims * sizeof *a);
  memcpy(point + s->dims, b, (size_t)s->dims * sizeof *b);
  put(s, kind, 2, point, 0, 0);
}

void gallery_draw_line(gallery_sheet *s, const double *a, const double *b) { two(s, "line", a, b); }

void gallery_draw_spring(gallery_sheet *s, const double *a, const double *b) {
  two(s, "spring", a, b);
}

void gallery_draw_force(gallery_sheet *s, const double *at, const double *force) {
  two(s, "force", at, force);
}

/* force -= A' y, A with the rows of `pattern` or dense */
static void subtract(int rows, int columns, const dae_pattern *pattern, const double *A,
                     const double *y, double *force) {
  for (int i = 0; i < rows; i++) {
    int from = pattern ? pattern->start[i] : 0, end = pattern ? pattern->start[i + 1] : columns;
    const double *row = pattern ? A : A + (size_t)i * (size_t)columns;
    for (int k = from; k < end; k++) force[pattern ? pattern->column[k] : k] -= row[k] * y[i];
  }
}

/* entries of a matrix of `rows` */
static size_t entries(int rows, int columns, const dae_pattern *pattern) {
  return pattern ? (size_t)pattern->start[rows] : (size_t)rows * (size_t)columns;
}

/* G by itself, or as a part of all that the problem evaluates together */
static int constraint_matrix(const dae_problem *p, double t, const double *z, double *G) {
  const dae_mechanical *m = &p->mechanical;
  if (m->G) return m->G(t, z, G, p->ctx);
  return m->evaluate(t, z, z + m->nq, NULL, NULL, G, NULL, p->ctx);
}

bool gallery_constraint_force(const dae_problem *p, double t, const double *z, const double *y,
                              double *force) {
  const dae_mechanical *m = &p->mechanical;
  if (p->kind != DAE_MECHANICAL || (m->ng == 0 && m->nw == 0)) return false;
  if ((m->ng > 0 && !m->G && !m->evaluate) || (m->nw > 0 && !m->W)) return false;
  size_t nG = entries(m->ng, m->nq, m->G_pattern), nW = entries(m->nw, m->nq, m->W_pattern);
  double *A = calloc((nG > nW ? nG : nW) + 1, sizeof *A);
  if (!A) return false;
  memset(force, 0, (size_t)m->nq * sizeof *force);
  bool good = m->ng == 0 || constraint_matrix(p, t, z, A) == 0;
  if (good) subtract(m->ng, m->nq, m->G_pattern, A, y, force);
  good = good && (m->nw == 0 || m->W(t, z, A, p->ctx) == 0);
  if (good && m->nw > 0) subtract(m->nw, m->nq, m->W_pattern, A, y + m->ng, force);
  free(A);
  return good;
}

void gallery_draw_arrow(gallery_sheet *s, const double *a, const double *force, double scale) {
  double end[3];
  for (int i = 0; i < s->dims; i++) end[i] = a[i] + scale * force[i];
  two(s, "arrow", a, end);
}

void gallery_draw_circle(gallery_sheet *s, const double *centre, double radius) {
  put(s, "circle", 1, centre, radius > 0, radius);
}

void gallery_draw_ring(gallery_sheet *s, const double *centre, double radius) {
  put(s, "ring", 1, centre, 1, radius);
}

void gallery_draw_ground(gallery_sheet *s, const double *point) {
  put(s, "ground", 1, point, 0, 0);
}

void gallery_draw_trace(gallery_sheet *s, const double *point) { put(s, "trace", 1, point, 0, 0); }
