/*
 * ring-redundant: a closed ring of rods that swings from one of its joints (index 3).
 *
 * With `duplicate` one rod is stated twice: the constraints are dependent but consistent, the
 * motion is the same, and only the sum of the two tensions is determined.
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

/* angles of the rods to the x-axis, one after the other from the support, and their rates:
   tools/references.py */
static const struct {
  double t, angle[10], rate[10];
} known[] = {
    {0.3,
     {-1.21191937139516643, -1.24575309986858377, -0.761401518555454354, -0.46644147002591478,
      -1.57200029327071031, -4.21082614735209978, -4.94026136358692053, -3.79756500440631633,
      -4.1175437568408453, -3.96641711193713798},
     {-2.41273429142392196, -4.14170608641463632, -7.85946557511212676, 9.55451730576207219,
      8.41169321458416649, -16.944919943465786, 7.06442387660210057, 9.69486984399905479,
      0.976016763223306266, 3.20868543195374053}},
    {1,
     {-2.37212258379303851, -1.89604654516341946, -1.08963971714086309, -3.50386262958062668,
      4.53390388331552929, -12.8673798740226859, -5.68462513841626471, -4.99011307471432053,
      -4.71008358839104856, -4.33833350952187245},
     {-9.84789000386476274, 4.46337085522057344, 4.06545317015844105, 2.08770832265410333,
      -0.952796632833862766, -4.97394592370868782, 8.20370329768803766, -3.31251212799490385,
      -21.2203893313952798, 18.9211162213587144}},
};

static void add_references(rods *s) {
  for (int k = 0; k < 2; k++) {
    double *z = rods_reference(s, known[k].t), at[4] = {0}, length = s->rod[0].length;
    for (int i = 0; z && i < 9; i++) {
      double c = length * cos(known[k].angle[i]), b = length * sin(known[k].angle[i]),
             w = known[k].rate[i];
      at[0] += c, at[1] += b, at[2] -= b * w, at[3] += c * w;
      rods_place(s, z, i, at);
    }
  }
}

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
  /* a rod stated twice and the shape of the matrices do not change the motion */
  if (gallery_is_default(&gallery_ring_redundant,
                         (double[]){par[0], 0, par[2], par[3], par[4], par[5], NAN}))
    add_references(s);
  return rods_finish(s, rods_sparse(par[6], n - 1));
}

const gallery_entry gallery_ring_redundant = {
    "ring-redundant",   "closed ring of rods, with one rod stated twice if asked",
    "constructed here", 7,
    parameters,         open_ring_redundant,
    rods_close,
};
