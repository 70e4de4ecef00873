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
