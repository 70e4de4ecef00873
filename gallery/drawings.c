/* how the mechanisms of the gallery are drawn; those whose points and rods can be seen in the
   problem itself need nothing here */
#include <math.h>
#include <string.h>

#include "draw.h"

/* the callbacks: gallery_drawer */
#define DRAWER(name)                                                                  \
  static void name(gallery_sheet *s, const dae_problem *p, double t, const double *z, \
                   const double *y)

static const double origin[3] = {0, 0, 0};

/* a line between two fixed or moving places that stands for a rail, a wall, the ground */
static void rail(gallery_sheet *s, double x0, double y0, double x1, double y1) {
  gallery_draw(s, "curve", 2, (double[]){x0, y0, x1, y1});
}

/* a box of half width w and half height h around a point */
static void box(gallery_sheet *s, double x, double y, double w, double h) {
  gallery_draw(s, "polygon", 4, (double[]){x - w, y - h, x + w, y - h, x + w, y + h, x - w, y + h});
}

enum { MOST_FORCES = 512 }; /* coordinates */

/* the forces of the constraints at a point whose coordinates are those from z[first] on */
static void force_at(gallery_sheet *s, const double *force, const double *z, int first) {
  gallery_draw_force(s, z + first, force + first);
}

/* all coordinates at once; zeros where they cannot be had, as a drawing always has the same shapes
 */
static const double *forces(const dae_problem *p, double t, const double *z, const double *y,
                            double *force) {
  if (dae_problem_nx(p) > MOST_FORCES || !gallery_constraint_force(p, t, z, y, force))
    memset(force, 0, MOST_FORCES * sizeof *force);
  return force;
}

DRAWER(slider_crank) {
  double room[MOST_FORCES];
  double r = p->par[4], l = p->par[5];
  double pin[2] = {r * cos(z[0]), r * sin(z[0])}, slider = pin[0] + l * cos(z[3]);
  rail(s, -r, 0, r + l + 0.3 * r, 0);
  box(s, slider, 0, 0.3 * r, 0.15 * r);
  gallery_draw_line(s, origin, pin);
  gallery_draw_line(s, pin, (double[]){slider, 0});
  gallery_draw_ground(s, origin);
  gallery_draw_circle(s, pin, 0);
  gallery_draw_circle(s, (double[]){z[1], z[2]}, 0);
  force_at(s, forces(p, t, z, y, room), z, 1);
}

DRAWER(flexible_crank) {
  const double l1 = 0.15, l2 = 0.3, pin[2] = {l1 * cos(z[0]), l1 * sin(z[0])};
  (void)p, (void)t, (void)y;
  rail(s, -l1, 0, l1 + l2 + 0.3 * l1, 0);
  box(s, z[2], 0, 0.3 * l1, 0.15 * l1);
  gallery_draw_line(s, origin, pin);
  gallery_draw_line(s, pin, (double[]){z[2], 0});
  gallery_draw_ground(s, origin);
  gallery_draw_circle(s, pin, 0);
}

/* all seven bodies: crank, coupler, the triangle with the spring, and the two pairs of rods */
DRAWER(andrews) {
  static const double A[2] = {-0.06934, -0.00227}, B[2] = {-0.03635, 0.03273},
                      C[2] = {0.014, 0.072};
  static const double d = 0.028, rr = 0.007, ss = 0.035, sc = 0.018, sd = 0.02, u = 0.04, zt = 0.04;
  (void)p, (void)t;
  double bt = z[0] + z[1];
  double F[2] = {rr * cos(z[0]), rr * sin(z[0])};
  double P[2] = {F[0] - d * cos(bt), F[1] - d * sin(bt)};
  double D[2] = {B[0] + sc * sin(z[2]) + sd * cos(z[2]), B[1] + sd * sin(z[2]) - sc * cos(z[2])};
  double E[2] = {B[0] + ss * sin(z[2]), B[1] - ss * cos(z[2])};
  double G[2] = {A[0] + zt * cos(z[4]), A[1] + zt * sin(z[4])};
  double H[2] = {A[0] + u * sin(z[6]), A[1] - u * cos(z[6])};
  gallery_draw_spring(s, C, D);
  gallery_draw(s, "polygon", 3, (double[]){B[0], B[1], D[0], D[1], E[0], E[1]});
  gallery_draw_line(s, origin, F);
  gallery_draw_line(s, F, P);
  gallery_draw_line(s, P, G);
  gallery_draw_line(s, G, A);
  gallery_draw_line(s, P, H);
  gallery_draw_line(s, H, A);
  gallery_draw_ground(s, origin);
  gallery_draw_ground(s, A);
  gallery_draw_ground(s, B);
  gallery_draw_ground(s, C);
  const double *joint[] = {F, P, D, G, H};
  for (int i = 0; i < 5; i++) gallery_draw_circle(s, joint[i], 0);
  /* on the coupler, by the three bodies that meet there */
  for (int i = 0; i < 6; i += 2) gallery_draw_force(s, P, (double[]){-y[i], -y[i + 1]});
  gallery_draw_trace(s, P);
}

DRAWER(car_axis) {
  double room[MOST_FORCES];
  double L = p->par[0], yb = p->par[4] * sin(p->par[5] * t), xb = sqrt(L * L - yb * yb);
  double left[2] = {z[0], z[1]}, right[2] = {z[2], z[3]}, ground[2] = {xb, yb};
  gallery_draw_spring(s, origin, left);
  gallery_draw_spring(s, ground, right);
  gallery_draw_line(s, left, right);
  gallery_draw_ground(s, origin);
  gallery_draw_ground(s, ground);
  gallery_draw_circle(s, left, 0);
  gallery_draw_circle(s, right, 0);
  const double *force = forces(p, t, z, y, room);
  force_at(s, force, z, 0);
  force_at(s, force, z, 2);
}

DRAWER(double_slider) {
  double room[MOST_FORCES];
  double l = fmax(p->par[0], p->par[1]), joint[2] = {0, z[1]};
  rail(s, -1.1 * l, 0, 1.1 * l, 0);
  rail(s, 0, -1.1 * l, 0, 1.1 * l);
  box(s, z[0], 0, 0.08 * l, 0.05 * l);
  box(s, z[2], 0, 0.08 * l, 0.05 * l);
  gallery_draw_line(s, joint, (double[]){z[0], 0});
  gallery_draw_line(s, joint, (double[]){z[2], 0});
  gallery_draw_circle(s, joint, 0);
  /* along the guides: what the rods do to the sliders */
  const double *force = forces(p, t, z, y, room);
  gallery_draw_force(s, (double[]){z[0], 0}, (double[]){force[0], 0});
  gallery_draw_force(s, joint, (double[]){0, force[1]});
  gallery_draw_force(s, (double[]){z[2], 0}, (double[]){force[2], 0});
}

DRAWER(bead_bounce) {
  enum { POINTS = 25 };
  double room[MOST_FORCES];
  double curve = p->par[2], wall = p->par[3], from = p->par[5], path[2 * POINTS];
  for (int i = 0; i < POINTS; i++) {
    double x = from + (1.1 * wall - from) * i / (POINTS - 1);
    path[2 * i] = x;
    path[2 * i + 1] = curve * x * x / 2;
  }
  gallery_draw(s, "curve", POINTS, path);
  rail(s, wall, 0, wall, curve * from * from / 2);
  gallery_draw_circle(s, z, 0);
  force_at(s, forces(p, t, z, y, room), z, 0);
}

DRAWER(slider_crank_singular) {
  double room[MOST_FORCES];
  double l1 = p->par[2], l2 = p->par[3], pin[2] = {l1 * cos(z[2]), l1 * sin(z[2])};
  double end = pin[0] + l2 * cos(z[5]);
  rail(s, -l1 - l2, 0, l1 + l2, 0);
  box(s, end, 0, 0.12 * l1, 0.07 * l1);
  gallery_draw_line(s, origin, pin);
  gallery_draw_line(s, pin, (double[]){end, 0});
  gallery_draw_ground(s, origin);
  gallery_draw_circle(s, pin, 0);
  const double *force = forces(p, t, z, y, room);
  force_at(s, force, z, 0);
  force_at(s, force, z, 3);
}

/* two links of length 1; heights are sums of sines. `lift` is the force on the hand */
static void arm(gallery_sheet *s, const double *z, double lift) {
  double elbow[2] = {cos(z[0]), sin(z[0])};
  double hand[2] = {elbow[0] + cos(z[0] + z[1]), elbow[1] + sin(z[0] + z[1])};
  gallery_draw_line(s, origin, elbow);
  gallery_draw_line(s, elbow, hand);
  gallery_draw_ground(s, origin);
  gallery_draw_circle(s, elbow, 0);
  gallery_draw_circle(s, hand, 0);
  gallery_draw_force(s, hand, (double[]){0, lift});
  gallery_draw_trace(s, hand);
}

/* 0 = height of the hand */
DRAWER(two_link_robot) {
  (void)p, (void)t;
  rail(s, -0.2, 0, 2.2, 0);
  arm(s, z, -y[0]);
}

/* 0 = wanted height - height of the hand */
DRAWER(driven_arm) {
  (void)p, (void)t;
  arm(s, z, y[0]);
}

DRAWER(driven_pendulum) {
  double room[MOST_FORCES];
  gallery_draw_line(s, origin, z);
  gallery_draw_ground(s, origin);
  gallery_draw_circle(s, z, 0);
  force_at(s, forces(p, t, z, y, room), z, 0);
}

/* three rods, and the spring that closes the loop */
DRAWER(stiff_loop) {
  static const double right[2] = {1.2, 0};
  double room[MOST_FORCES];
  gallery_draw_spring(s, z + 2, z + 4);
  gallery_draw_line(s, origin, z);
  gallery_draw_line(s, z, z + 2);
  gallery_draw_line(s, right, z + 4);
  gallery_draw_ground(s, origin);
  gallery_draw_ground(s, right);
  const double *force = forces(p, t, z, y, room);
  for (int i = 0; i < 6; i += 2) {
    gallery_draw_circle(s, z + i, 0);
    force_at(s, force, z, i);
  }
}

DRAWER(kepler) {
  (void)p, (void)t, (void)y;
  double r = sqrt(z[0] * z[0] + z[1] * z[1]), r3 = r * r * r;
  gallery_draw_circle(s, origin, 0.1);
  gallery_draw_circle(s, z, 0);
  gallery_draw_force(s, z, (double[]){-z[0] / r3, -z[1] / r3});
  gallery_draw_trace(s, z);
}

/* a point on the unit circle */
DRAWER(on_circle) {
  (void)p, (void)t, (void)y;
  gallery_draw_ring(s, origin, 1);
  gallery_draw_circle(s, z, 0);
  gallery_draw_trace(s, z);
}

/* three great circles of the unit sphere */
static void sphere(gallery_sheet *s) {
  enum { POINTS = 49 };
  double circle[3 * POINTS];
  for (int axis = 0; axis < 3; axis++) {
    for (int i = 0; i < POINTS; i++) {
      double angle = 2 * 3.14159265358979323846 * i / (POINTS - 1);
      circle[3 * i + axis] = 0;
      circle[3 * i + (axis + 1) % 3] = cos(angle);
      circle[3 * i + (axis + 2) % 3] = sin(angle);
    }
    gallery_draw(s, "curve", POINTS, circle);
  }
}

DRAWER(on_sphere) {
  (void)p, (void)t, (void)y;
  s->dims = 3;
  sphere(s);
  gallery_draw_circle(s, z, 0);
  gallery_draw_trace(s, z);
}

DRAWER(charged_particles) {
  double room[MOST_FORCES];
  s->dims = 3;
  sphere(s);
  int n = dae_problem_nx(p) / 3;
  const double *force = forces(p, t, z, y, room);
  for (int i = 0; i < n; i++) gallery_draw_circle(s, z + 3 * i, 0);
  for (int i = 0; 3 * i + 2 < MOST_FORCES && i < n; i++) force_at(s, force, z, 3 * i);
}

/* the axis, and a disc at the centre of mass with a spoke that shows the spin: columns of the
   rotation of the quaternion (s0, s1, s2, s3) */
DRAWER(heavy_top) {
  enum { POINTS = 17 };
  (void)t, (void)y;
  double a = z[0], b = z[1], c = z[2], d = z[3], rim[3 * POINTS], tip[3], spoke[3];
  double e1[3] = {a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)};
  double e2[3] = {2 * (b * c - a * d), a * a - b * b + c * c - d * d, 2 * (c * d + a * b)};
  double e3[3] = {2 * (b * d + a * c), 2 * (c * d - a * b), a * a - b * b - c * c + d * d};
  s->dims = 3;
  for (int i = 0; i < POINTS; i++) {
    double angle = 2 * 3.14159265358979323846 * i / (POINTS - 1);
    for (int k = 0; k < 3; k++)
      rim[3 * i + k] = 0.7 * e3[k] + 0.45 * (cos(angle) * e1[k] + sin(angle) * e2[k]);
  }
  for (int k = 0; k < 3; k++) {
    tip[k] = 1.1 * e3[k];
    spoke[k] = 0.7 * e3[k] + 0.45 * e1[k];
  }
  gallery_draw(s, "polygon", POINTS, rim);
  gallery_draw_line(s, origin, tip);
  gallery_draw_circle(s, spoke, 0);
  gallery_draw_ground(s, origin);
  gallery_draw_force(s, (double[]){0.7 * e3[0], 0.7 * e3[1], 0.7 * e3[2]},
                     (double[]){0, 0, -p->par[2]}); /* the weight */
  gallery_draw_trace(s, tip);
}

static const struct {
  const char *name;
  gallery_drawer *draw;
} table[] = {
    {"slider-crank", slider_crank},
    {"flexible-crank", flexible_crank},
    {"andrews", andrews},
    {"car-axis", car_axis},
    {"double-slider", double_slider},
    {"stiff-loop", stiff_loop},
    {"bead-bounce", bead_bounce},
    {"slider-crank-singular", slider_crank_singular},
    {"two-link-robot", two_link_robot},
    {"driven-arm", driven_arm},
    {"driven-pendulum", driven_pendulum},
    {"driven-sphere", on_sphere},
    {"limit-cycle-sphere", on_sphere},
    {"charged-particles", charged_particles},
    {"circle-index2", on_circle},
    {"kepler", kepler},
    {"heavy-top", heavy_top},
    {"bvp-pendulum", driven_pendulum},
    {"bvp-arm", driven_arm},
    {"bvp-robot", two_link_robot},
    {"bvp-sphere", on_sphere},
};

gallery_drawer *gallery_drawer_of(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].draw;
  return NULL;
}
