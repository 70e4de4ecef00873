/* conditions z_c(end) = exact value, kept in one block behind the problem's back */
#include "bvp.h"

#include <stdlib.h>

enum { MOST_Z = 8, MOST_Y = 2, MOST_END = 8 };

typedef struct ends {
  dae_boundary boundary; /* first, so that problem->boundary leads here */
  gallery_end end[MOST_END];
  double value[MOST_END];
  double t[2], z[2 * MOST_Z], y[2 * MOST_Y];
} ends;

static int value(const double *z0, const double *z1, double *b, void *ctx) {
  const dae_problem *p = ctx;
  const ends *e = (const ends *)p->boundary;
  for (int i = 0; i < e->boundary.n; i++)
    b[i] = (e->end[i].right ? z1 : z0)[e->end[i].component] - e->value[i];
  return 0;
}

static int jacobian(const double *z0, const double *z1, double *B0, double *B1, void *ctx) {
  const dae_problem *p = ctx;
  const ends *e = (const ends *)p->boundary;
  int nz = dae_problem_nz(p);
  (void)z0, (void)z1;
  for (int i = 0; i < e->boundary.n; i++)
    (e->end[i].right ? B1 : B0)[i * nz + e->end[i].component] = 1;
  return 0;
}

dae_problem *gallery_bvp(const gallery_entry *entry, dae_problem *p, void (*close)(dae_problem *),
                         int n, const gallery_end *end) {
  if (!p) return NULL;
  ends *e = calloc(1, sizeof *e);
  if (!e) {
    close(p);
    return NULL;
  }
  int nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  e->t[0] = p->t0;
  e->t[1] = p->t1;
  p->exact(p->t0, e->z, e->y, p->ctx);
  p->exact(p->t1, e->z + nz, e->y + ny, p->ctx);
  e->boundary = (dae_boundary){
      .n = n, .value = value, .jacobian = jacobian, .n_table = 2, .table_t = e->t, .table_z = e->z};
  for (int i = 0; i < n; i++) {
    e->end[i] = end[i];
    e->value[i] = e->z[end[i].right * nz + end[i].component];
    if (!end[i].right) e->boundary.n_left++;
  }
  p->name = entry->name;
  p->title = entry->title;
  p->source = entry->source;
  p->z0 = e->z;
  p->boundary = &e->boundary;
  return p;
}

void gallery_bvp_free(dae_problem *p) {
  /* what gallery_bvp took, given back as it was taken */
  free((void *)p->boundary);
  gallery_free(p);
}
