/* one run of a gallery problem, to be counted by bench/callgrind:
   bench_counts PROBLEM METHOD TOLERANCE PASSAGE [PARAMETER VALUE].. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gallery.h"

int main(int argc, char **argv) {
  enum { MOST = 3 };
  const int n = (argc - 5) / 2;
  if (argc < 5 || argc % 2 == 0 || n > MOST) return 2;
  const char *name = argv[1], *parameter[MOST];
  double value[MOST];
  for (int i = 0; i < n; i++)
    parameter[i] = argv[5 + 2 * i], value[i] = strtod(argv[6 + 2 * i], NULL);
  char message[256];
  dae_problem *p;
  dae_options o = dae_options_default();
  dae_stats s;
  if (gallery_open(&p, name, n, parameter, value, message, sizeof message) != DAE_OK) return 1;
  o.method = argv[2];
  o.rtol = o.atol = strtod(argv[3], NULL);
  o.passage = argv[4];
  int nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  double *z = calloc((size_t)(nz + ny), sizeof *z);
  if (!z) return 1;
  memcpy(z, p->z0, (size_t)nz * sizeof *z);
  dae_status status = dae_solve(p, &o, p->t0, p->t1, z, z + nz, NULL, &s);
  printf("%s, %s, tol %s, passage %s: %s, steps %ld, rejected %ld, evaluations %ld\n", name,
         o.method, argv[3], o.passage, dae_status_name(status), s.steps, s.rejected, s.evaluations);
  free(z);
  gallery_close(name, p);
  return status != DAE_OK;
}
