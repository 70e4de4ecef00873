/*
 * rod-net: a net of point masses and rods with many closed loops, hung up along its top (index 3).
 *
 * nx columns and ny rows of masses, rods between neighbours, the top row on fixed points. Every
 * mesh is a parallelogram, so that each row moves as one body and the rows move like a
 * pendulum-chain of n = ny. Masses vary along a row (their sum does not), hence the horizontal rods
 * carry forces.
 */
#include "rods.h"

static const gallery_parameter parameters[] = {
    {"nx", 4, "columns", 2, 1e5, true},
    {"ny", 5, "rows", 1, 1e5, true},
    {"height", 1, "of the net", 1e-6, 1e6, false},
    {"mass", 1, "of the whole net", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"angle", 0.5, "of the columns at the start, from the downward vertical", 0, 0, false},
    {"sparse", NAN, "1: sparse matrices, 0: dense ones; by size when not given", 0, 1, true},
};

/* angles and rates of the rows, from tools/references.py */
static const struct {
  double t, angle[5], rate[5];
} known[] = {
    {0.3,
     {0.12918524602199902, 0.152816174818409048, 0.242014844081969738, 0.411686219725434675,
      0.48824325063774248},
     {-1.2345984405729743, -1.30113611498605023, -2.65558886207518908, -1.75549755346631452,
      -0.345159950661722156}},
    {1,
     {-0.343058955547159893, -0.459054729851995176, -0.526543205667032592, -0.544731943278140884,
      -0.522174887944779108},
     {-0.283850506136493086, 0.332527446762373462, 1.10741960544969941, 1.75124979480358465,
      1.52589195205949875}},
};

/* every row is the one above, moved along its columns */
static void add_references(rods *s, int nx) {
  double length = s->rod[0].length;
  for (int k = 0; k < 2; k++) {
    double *z = rods_reference(s, known[k].t), at[4] = {0};
    for (int i = 0; z && i < 5; i++) {
      double c = length * cos(known[k].angle[i]), b = length * sin(known[k].angle[i]),
             w = known[k].rate[i];
      at[0] += b, at[1] -= c, at[2] += c * w, at[3] += b * w;
      for (int j = 0; j < nx; j++)
        rods_place(s, z, i * nx + j, (double[]){at[0] + length * j, at[1], at[2], at[3]});
    }
  }
}

static dae_problem *open_rod_net(const double *par) {
  int nx = (int)par[0], ny = (int)par[1], k = 0;
  rods *s = rods_new(&gallery_rod_net, sizeof *s, par, nx * ny, nx * ny + (nx - 1) * ny);
  if (!s) return NULL;
  double length = par[2] / ny, across = length * sin(par[5]), down = length * cos(par[5]);
  s->gravity = par[4];
  for (int i = 0; i < ny; i++)
    for (int j = 0; j < nx; j++) {
      int point = i * nx + j, above = i ? point - nx : -1;
      s->rod[k++] = (rod){.a = above, .b = point, .x = length * j, .length = length};
      if (j) s->rod[k++] = (rod){.a = point - 1, .b = point, .length = length};
      /* cosines over a whole turn add up to zero: all rows weigh the same */
      s->mass[point] = par[3] / (nx * ny) * (1 + 0.5 * cos(2 * GALLERY_PI * (i + j) / nx));
      rods_place(s, s->z0, point, (double[]){length * j + across * (i + 1), -down * (i + 1), 0, 0});
    }
  s->problem.t1 = 1;
  if (gallery_is_default(&gallery_rod_net, par)) add_references(s, nx);
  return rods_finish(s, rods_sparse(par[6], nx * ny));
}

const gallery_entry gallery_rod_net = {
    "rod-net",          "net of point masses and rods, many closed loops",
    "constructed here", 7,
    parameters,         open_rod_net,
    rods_close,
};
