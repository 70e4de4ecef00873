/*
 * strandbeest: one leg of Theo Jansen's walking machine, eleven rods (index 3).
 *
 * Lengths are his "holy numbers", here in decimetres. The leg swings in the air.
 */
#include "rods.h"

/* joints: crank, top, back, middle (these four make two loops with the pivots), heel, foot */
enum { CRANK, TOP, BACK, MIDDLE, HEEL, FOOT, POINTS };

static const double pivot[4] = {-3.80, -0.78, 0, 0};
static const gallery_parameter parameters[] = {
    {"mass", 1, "of each joint", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"angle", 0.5, "of the crank at the start", 0, 0, false},
    {"rate", 8, "at which the crank turns at the start", 0, 0, false},
};

/* angle and rate of the crank, from tools/references.py */
static const double known[][3] = {{1, 6.71158745691369818, 8.09558392090804117},
                                  {4, 25.341270142529508, 8.37326033306280028}};

/* the whole leg from the crank's angle and rate, joint by joint */
static void place(const rods *s, double *to, double angle, double rate) {
  double z[POINTS][4], x = 1.50 * cos(angle), y = 1.50 * sin(angle);
  z[CRANK][0] = x;
  z[CRANK][1] = y;
  z[CRANK][2] = -y * rate;
  z[CRANK][3] = x * rate;
  rods_join(z[CRANK], 5.00, pivot, 4.15, -1, z[TOP]);
  rods_join(z[CRANK], 6.19, pivot, 3.93, 1, z[MIDDLE]);
  rods_join(z[TOP], 5.58, pivot, 4.01, -1, z[BACK]);
  rods_join(z[BACK], 3.94, z[MIDDLE], 3.67, -1, z[HEEL]);
  rods_join(z[HEEL], 6.57, z[MIDDLE], 4.90, -1, z[FOOT]);
  for (int i = 0; i < POINTS; i++) rods_place(s, to, i, z[i]);
}

static void add_references(rods *s) {
  for (int k = 0; k < 2; k++) {
    double *z = rods_reference(s, known[k][0]);
    if (z) place(s, z, known[k][1], known[k][2]);
  }
}

static dae_problem *open_strandbeest(const double *par) {
  static const rod link[] = {
      {.a = -1, .b = CRANK, .length = 1.50},
      {.a = CRANK, .b = TOP, .length = 5.00},
      {.a = -1, .b = TOP, .x = -3.80, .y = -0.78, .length = 4.15},
      {.a = TOP, .b = BACK, .length = 5.58},
      {.a = -1, .b = BACK, .x = -3.80, .y = -0.78, .length = 4.01},
      {.a = CRANK, .b = MIDDLE, .length = 6.19},
      {.a = -1, .b = MIDDLE, .x = -3.80, .y = -0.78, .length = 3.93},
      {.a = BACK, .b = HEEL, .length = 3.94},
      {.a = MIDDLE, .b = HEEL, .length = 3.67},
      {.a = MIDDLE, .b = FOOT, .length = 4.90},
      {.a = HEEL, .b = FOOT, .length = 6.57},
  };
  enum { LINKS = sizeof link / sizeof *link };
  rods *s = rods_new(&gallery_strandbeest, sizeof *s, par, POINTS, LINKS);
  if (!s) return NULL;
  place(s, s->z0, par[2], par[3]);
  for (int i = 0; i < POINTS; i++) s->mass[i] = par[0];
  for (int k = 0; k < LINKS; k++) s->rod[k] = link[k];
  s->gravity = par[1];
  s->problem.t1 = 4;
  if (gallery_is_default(&gallery_strandbeest, par)) add_references(s);
  return rods_finish(s, false);
}

const gallery_entry gallery_strandbeest = {
    "strandbeest",
    "one leg of a walking machine: eleven rods, closed loops",
    "Theo Jansen's linkage",
    4,
    parameters,
    open_strandbeest,
    rods_close,
};
