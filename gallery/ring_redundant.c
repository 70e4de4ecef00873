/*
 * ring-redundant: a closed ring of rods that swings from one of its joints (index 3).
 *
 * With `duplicate` one rod is stated twice: the constraints are dependent but consistent, the motion is the
 * same, and only the sum of the two tensions is determined.
 */
#include "rods.h"

static const gallery_parameter parameters[] = {
    {"n", 10, "number of rods", 4, 1e5, true},
    {"duplicate", 0, "1: the rod opposite to the support is stated twice", 0, 1, true},
    {"length", 2, "of the whole ring", 1e-6, 1e6, false},
    {"mass", 1, "of the whole ring", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"rate", 3, "at which the ring turns about the support at the start", 0, 0, false},
    {"sparse", NAN, "1: sparse matrices, 0: dense ones; by size when not given", 0, 1, true},
};

static dae_problem *open_ring_redundant(const double *par) {
  int n = (int)par[0], extra = par[1] != 0;
  rods *s = rods_new(&gallery_ring_redundant, sizeof *s, par, n - 1, n + extra);
  if (!s) return NULL;
  double length = par[2] / n, radius = length / (2 * sin(GALLERY_PI / n)), rate = par[5];
  s->gravity = par[4];
  for (int i = 0; i < n - 1; i++) {
    /* the support is the top of the circle */
    double turn = 2 * GALLERY_PI * (i + 1) / n, x = radius * sin(turn),
           y = radius * (cos(turn) - 1);
    s->rod[i] = (rod){.a = i - 1, .b = i, .length = length};
    s->mass[i] = par[3] / n;
    rods_place(s, s->z0, i, (double[]){x, y, -rate * y, rate * x});
  }
  s->rod[n - 1] = (rod){.a = -1, .b = n - 2, .length = length};
  if (extra) s->rod[n] = s->rod[n / 2];
  s->problem.t1 = 1;
  return rods_finish(s, rods_sparse(par[6], n - 1));
}

const gallery_entry gallery_ring_redundant = {
    "ring-redundant",   "closed ring of rods, with one rod stated twice if asked",
    "constructed here", 7,
    parameters,         open_ring_redundant,
    rods_close,
};
