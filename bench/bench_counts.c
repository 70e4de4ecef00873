/* one run of dopri5 on andrews, to be counted: bench/callgrind. First word: option passage */
#include <stdio.h>
#include <string.h>

#include "gallery.h"

enum { NZ = 14, NY = 6 };

int main(int argc, char **argv) {
  char message[256];
  dae_problem *p;
  dae_options o = dae_options_default();
  dae_stats s;
  double z[NZ], y[NY] = {0};
  if (gallery_open(&p, "andrews", 0, NULL, NULL, message, sizeof message) != DAE_OK) return 1;
  o.method = "dopri5";
  o.rtol = o.atol = 1e-7;
  if (argc > 1) o.passage = argv[1];
  memcpy(z, p->z0, sizeof z);
  dae_status status = dae_solve(p, &o, p->t0, p->t1, z, y, NULL, &s);
  printf("andrews, dopri5, tol 1e-7, passage %s: %s, steps %ld, rejected %ld, evaluations %ld\n",
         o.passage, dae_status_name(status), s.steps, s.rejected, s.evaluations);
  gallery_close("andrews", p);
  return status != DAE_OK;
}
