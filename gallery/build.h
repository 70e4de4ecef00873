/* what the files of the gallery share: how a problem and its constants become one block of
   memory */
#ifndef GALLERY_BUILD_H
#define GALLERY_BUILD_H

#include <math.h>
#include <stddef.h>

#include "index.h"

#define GALLERY_PI 3.14159265358979323846

/* A block of `size` zero bytes that begins with a dae_problem; its name, title, source and
   parameters are filled in, and ctx is the block. NULL when there is no memory. */
void *gallery_block(const gallery_entry *entry, size_t size, const double *par);

/* A block that is a copy of `problem`, for one without constants of its own; filled in as above. */
dae_problem *gallery_copy(const gallery_entry *entry, const dae_problem *problem,
                          const double *par);

/* Gives the block back: `close` of every problem that has nothing but its block. */
void gallery_free(dae_problem *p);

/* Are all parameters at their defaults? Reference values hold only then. */
bool gallery_is_default(const gallery_entry *entry, const double *par);

/* Names from printf formats with one %d each, counted from 1, in n_group runs of n: name[(g*n +
   i)*n_format + k] = format[g*n_format + k] of i+1. One block of memory, NULL when there is none;
   free() gives it back. */
const char **gallery_names(int n, int n_group, int n_format, const char *const *format);

/* callbacks for derivatives that vanish: matrices are zero before the call, vectors are not */
int gallery_zero_g_t(double t, const double *q, double *gt, void *ctx);
int gallery_zero_q(double t, const double *q, const double *v, double *J, void *ctx);
int gallery_zero_dynamics(double t, const double *q, const double *v, const double *a,
                          const double *y, double *J, void *ctx);
int gallery_zero_f_z(double t, const double *z, const double *y, double *J, void *ctx);

#endif
