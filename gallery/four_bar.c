/*
 * four-bar: crank, coupler and rocker between two pivots, through the change point (index 3).
 *
 * With ground + crank = coupler + rocker all joints lie on one line when the crank points away from
 * the other pivot: the constraints lose rank, two motions cross there, and the smooth one goes on.
 */
#include "rods.h"

static const gallery_parameter parameters[] = {
    {"ground", 4, "distance of the pivots", 1e-6, 1e6, false},
    {"crank", 1, "length", 1e-6, 1e6, false},
    {"coupler", 3, "length", 1e-6, 1e6, false},
    {"rocker", 2, "length; change point when ground + crank = coupler + rocker", 1e-6, 1e6, false},
    {"m1", 1, "mass between crank and coupler", 1e-9, 1e9, false},
    {"m2", 1, "mass between coupler and rocker", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"angle", 1, "of the crank at the start", 0, 0, false},
    {"rate", 6, "at which the crank turns at the start", 0, 0, false},
};

/* angle and rate of the crank, then the other joint, from tools/references.py */
static const double known[][7] = {
    {0.2, 2.01938905875803264, 4.83251736412887501, 2.53135925271043198, 1.35760611202245963,
     -4.00926985596434533, -4.337176317346753},
    {1, 8.03153811353903545, 8.0033927725893508, 2.19251408583484083, -0.856151079012658175,
     -2.56793282838832066, 5.42135906805948447},
    {2, 14.9635443883560048, 5.07333552847393541, 2.25034051894393157, 0.968861032527683673,
     -3.2320031114830603, -5.83665221012743104},
};

static void add_references(rods *s) {
  for (int k = 0; k < 3; k++) {
    const double *r = known[k];
    double *z = rods_reference(s, r[0]), x = cos(r[1]), y = sin(r[1]);
    if (!z) return;
    rods_place(s, z, 0, (double[]){x, y, -y * r[2], x * r[2]});
    rods_place(s, z, 1, r + 3);
  }
}

/* on the change point itself the rods do not tell the velocity of the outer joint; along the smooth
   motion its height over the diagonal is -sqrt(crank ground coupler rocker)/e^2 (angle - pi)
   diagonals, e = ground + crank */
static void at_change_point(const double *par, double *b) {
  double ground = par[0], crank = par[1], coupler = par[2], rocker = par[3], e = ground + crank;
  if (fabs(e - coupler - rocker) > 1e-9 * e || cos(par[7]) > 0 || fabs(sin(par[7])) > 1e-9) return;
  b[2] = 0;
  b[3] = -(crank * rocker + sqrt(crank * ground * coupler * rocker)) / e * par[8];
}

static dae_problem *open_four_bar(const double *par) {
  rods *s = rods_new(&gallery_four_bar, sizeof *s, par, 2, 3);
  if (!s) return NULL;
  double ground = par[0], crank = par[1], x = crank * cos(par[7]), y = crank * sin(par[7]);
  double a[4] = {x, y, -y * par[8], x * par[8]}, pivot[4] = {ground, 0, 0, 0}, b[4];
  rods_join(a, par[2], pivot, par[3], 1, b);
  at_change_point(par, b);
  s->rod[0] = (rod){.a = -1, .b = 0, .length = crank};
  s->rod[1] = (rod){.a = 0, .b = 1, .length = par[2]};
  s->rod[2] = (rod){.a = -1, .b = 1, .x = ground, .length = par[3]};
  s->mass[0] = par[4];
  s->mass[1] = par[5];
  s->gravity = par[6];
  rods_place(s, s->z0, 0, a);
  rods_place(s, s->z0, 1, b);
  s->problem.t1 = 2;
  if (gallery_is_default(&gallery_four_bar, par)) add_references(s);
  return rods_finish(s, false);
}

const gallery_entry gallery_four_bar = {
    "four-bar",
    "four-bar linkage through its change point",
    "standard; lengths chosen here",
    9,
    parameters,
    open_four_bar,
    rods_close,
};
