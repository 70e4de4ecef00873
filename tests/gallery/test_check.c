/* every gallery problem passes dae_problem_check at its start and at a moved point */
#include <gallery.h>
#include <stdlib.h>

#include "test.h"

static void all_problems(void) {
  for (int i = 0; gallery_at(i); i++) {
    const gallery_entry *e = gallery_at(i);
    dae_problem *p;
    char message[256] = "";
    CHECK(gallery_open(&p, e->name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
    if (!p) continue;
    int nz = dae_problem_nz(p);
    double *z = malloc((size_t)nz * sizeof *z);
    for (int j = 0; j < nz; j++) z[j] = p->z0[j] + 0.01 * (j % 7 - 2.5);
    if (nz <= 200) {
      dae_status status =
          dae_problem_check(p, p->t0 + 0.173 * (p->t1 - p->t0), z, NULL, message, sizeof message);
      if (status != DAE_OK) printf("%s: %s\n", e->name, message);
      CHECK(status == DAE_OK);
    }
    free(z);
    gallery_close(e->name, p);
  }
}

int main(void) {
  RUN(all_problems);
  return TEST_END();
}
