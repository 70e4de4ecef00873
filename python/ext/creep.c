/* steps that lead nowhere: where a function jumps against itself, error control keeps them tiny for
   ever. Compiled models slide there; a Python function shows no more than its values */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5, EVERY = 5000 }; /* points of a window, and the steps between them */

int creep_begin(creep *c, const dae_problem *p, const dae_options *o) {
  *c = (creep){.nz = dae_problem_nz(p), .rtol = o->rtol, .atol = o->atol};
  c->sample = malloc(SAMPLES * (size_t)(c->nz + 1) * sizeof *c->sample);
  return c->sample ? 0 : -1;
}

void creep_end(creep *c) {
  free(c->sample);
  *c = (creep){0};
}

/* between its ends the window is a straight line, as far as the tolerance sees */
static int straight(const creep *c) {
  const size_t width = (size_t)c->nz + 1;
  const double *first = c->sample, *last = c->sample + (SAMPLES - 1) * width;
  for (int k = 1; k < SAMPLES - 1; k++) {
    const double *row = c->sample + (size_t)k * width,
                 s = (row[0] - first[0]) / (last[0] - first[0]);
    for (size_t i = 1; i < width; i++) {
      double line = first[i] + s * (last[i] - first[i]);
      if (!(fabs(row[i] - line) <= c->atol + c->rtol * fabs(row[i]))) return 0;
    }
  }
  return 1;
}

/* after each step: true when a window of thousands of steps showed nothing, and the end is so many
   of them away that the steps that are left do not lead there */
int creeps(creep *c, const dae_solver *s, double t_end, long left) {
  if (++c->steps % EVERY != 0) return 0;
  const size_t width = (size_t)c->nz + 1;
  double *row = c->sample + (size_t)c->count++ * width;
  row[0] = dae_solver_time(s);
  memcpy(row + 1, dae_solver_z(s), (size_t)c->nz * sizeof *row);
  if (c->count < SAMPLES) return 0;
  double passed = row[0] - c->sample[0], needed = (t_end - row[0]) / passed;
  int found = straight(c) && needed * (SAMPLES - 1) * EVERY > (double)left;
  memcpy(c->sample, row, width * sizeof *row);
  c->count = 1;
  return found;
}
