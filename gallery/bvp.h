/* what the boundary value problems of the gallery share: values given at the ends, a guess
   between them */
#ifndef GALLERY_BVP_H
#define GALLERY_BVP_H

#include "build.h"

/* Component `component` of z has a known value at one end. */
typedef struct gallery_end {
  int component;
  bool right;
} gallery_end;

/* Makes a boundary value problem of p, which has an exact solution: the components in `end`
   (those on the left
   first) take their exact values, and the guess is a straight line between the exact ends. p gets
   the names of
   `entry`. When there is no memory p is closed by `close` and NULL comes back. */
dae_problem *gallery_bvp(const gallery_entry *entry, dae_problem *p, void (*close)(dae_problem *),
                         int n, const gallery_end *end);

/* Gives the conditions back, and then the block of the problem. */
void gallery_bvp_free(dae_problem *p);

#endif
