/*
 * pendulum-chain: n point masses on a chain of rods that hangs from the origin (index 3).
 * Total length and mass do not depend on n, so that large n is a swinging rope.
 */
#include "rods.h"

static const gallery_parameter parameters[] = {
    {"n", 10, "number of masses", 1, 1e6, true},
    {"length", 1, "of the whole chain", 1e-6, 1e6, false},
    {"mass", 1, "of the whole chain", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"angle", 0.5, "of the straight chain at the start, from the downward vertical", 0, 0, false},
    {"sparse", NAN, "1: sparse matrices, 0: dense ones; by size when not given", 0, 1, true},
};

/* angles of the rods and their rates, from tools/references.py */
static const struct {
  double t, angle[10], rate[10];
} known[] = {
    {0.3,
     {0.112268632946464855, 0.127487806914888217, 0.139474839840616095, 0.171568375027830572,
      0.197103134362466804, 0.25478437999143092, 0.378920389790544457, 0.46764997315262773,
      0.495449823811059978, 0.499685018902880214},
     {-1.14630379797483274, -1.30347675635894131, -1.38096988888821608, -1.81498928989454217,
      -1.56280929692106937, -3.08992338602463016, -2.95175414573095551, -1.17174469590631182,
      -0.214931083336833631, -0.0181139714367570976}},
    {1,
     {-0.333838264500190063, -0.358227392602850284, -0.403228123741249842, -0.470493271242974093,
      -0.515579832488689263, -0.530533679046968982, -0.518114899423930828, -0.502815829284069183,
      -0.489695710303875123, -0.470258649653234868},
     {0.38725390816728581, -0.174087424931332255, 0.0514206026093217209, 0.0867974494051155442,
      1.04870394156071192, 1.95373272290837634, 2.19840947810767671, 1.99340513514632741,
      1.61799003010808592, 1.29553445834325247}},
};

static void add_references(rods *s) {
  for (int k = 0; k < 2; k++) {
    double *z = rods_reference(s, known[k].t), at[4] = {0}, length = s->rod[0].length;
    for (int i = 0; z && i < 10; i++) {
      double c = length * cos(known[k].angle[i]), b = length * sin(known[k].angle[i]),
             w = known[k].rate[i];
      at[0] += b, at[1] -= c, at[2] += c * w, at[3] += b * w;
      rods_place(s, z, i, at);
    }
  }
}

static dae_problem *open_pendulum_chain(const double *par) {
  int n = (int)par[0];
  rods *s = rods_new(&gallery_pendulum_chain, sizeof *s, par, n, n);
  if (!s) return NULL;
  s->gravity = par[3];
  for (int i = 0; i < n; i++) {
    double r = par[1] * (i + 1) / n;
    s->rod[i] = (rod){.a = i - 1, .b = i, .length = par[1] / n};
    s->mass[i] = par[2] / n;
    rods_place(s, s->z0, i, (double[]){r * sin(par[4]), -r * cos(par[4]), 0, 0});
  }
  s->problem.t1 = 1;
  if (gallery_is_default(&gallery_pendulum_chain, par)) add_references(s);
  return rods_finish(s, rods_sparse(par[5], n));
}

const gallery_entry gallery_pendulum_chain = {
    "pendulum-chain",
    "chain of n point masses on rods",
    "standard; lengths and masses chosen here",
    6,
    parameters,
    open_pendulum_chain,
    rods_close,
};
