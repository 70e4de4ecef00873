/* drawings of mechanisms: shapes on a sheet, in the coordinates of the problem */
#ifndef GALLERY_DRAW_H
#define GALLERY_DRAW_H

#include <daedal/daedal.h>

/* a kind (line, circle, ..), its points, and numbers behind them (a radius) */
typedef struct gallery_shape {
  const char *kind;
  int n_point, n_number;
} gallery_shape;

/*
 * A `draw` callback puts the same shapes in the same order on the sheet at every time; only numbers
 * change. Points have 2 coordinates, or 3 when the callback begins with s->dims = 3.
 */
typedef struct gallery_sheet {
  int dims;
  int n_shape, shape_room;
  gallery_shape *shape;
  int n_value, value_room;
  double *value; /* coordinates and numbers of all shapes, one after the other */
  bool failed;   /* no memory: what was drawn is not complete */
} gallery_sheet;

/* an empty sheet of the same memory */
void gallery_sheet_clear(gallery_sheet *s);
void gallery_sheet_free(gallery_sheet *s);

/* line, curve (thin), polygon: through all points; spring, arrow: from one to the other; force: at
   a place, a vector that is drawn as an arrow of a fitting length; circle: filled, with a radius, 0
   for that of a joint; ring: not filled; ground: a support; trace: the way of a point */
void gallery_draw(gallery_sheet *s, const char *kind, int n_point, const double *point);
void gallery_draw_line(gallery_sheet *s, const double *a, const double *b);
void gallery_draw_spring(gallery_sheet *s, const double *a, const double *b);
void gallery_draw_circle(gallery_sheet *s, const double *centre, double radius);
void gallery_draw_ring(gallery_sheet *s, const double *centre, double radius);
void gallery_draw_ground(gallery_sheet *s, const double *point);
void gallery_draw_trace(gallery_sheet *s, const double *point);
void gallery_draw_force(gallery_sheet *s, const double *at, const double *force);
void gallery_draw_arrow(gallery_sheet *s, const double *a, const double *force, double scale);

/* the forces of the constraints on the coordinates of a mechanism, -(G' lambda + W' eta), at a
   point of the run; false: it is no mechanism, or they cannot be had cheaply */
bool gallery_constraint_force(const dae_problem *p, double t, const double *z, const double *y,
                              double *force);

/* how a problem of the gallery is drawn (drawings.c); NULL: nothing but what can be seen in it */
typedef void gallery_drawer(gallery_sheet *s, const dae_problem *p, double t, const double *z,
                            const double *y);
gallery_drawer *gallery_drawer_of(const char *name);

#endif
