/*
 * Problems as M x' = f(t,x) with a constant M, of index 0 to 3, without any derivative: what RADAU5
 * takes as it is, and IDA as a residual. Some have their own functions, the others are problems of
 * the gallery with multipliers (and accelerations, where the mass is not constant) among x.
 */
#ifndef GALLERY_MASS_FORM_H
#define GALLERY_MASS_FORM_H

#include <daedal/daedal.h>

enum { GALLERY_MASS_MOST = 32 }; /* variables */

typedef struct gallery_mass_form {
  const char *name;
  int n, index[3]; /* variables of index 1 (or 0), 2 and 3, in this order */
  unsigned char variable_index[GALLERY_MASS_MOST]; /* the same for each variable */
  double t0, t1, x0[GALLERY_MASS_MOST];
  /* the solution at t1, and sizes of the variables there: errors are relative to the larger of the
     two. Variables behind the first `known` ones are not compared: those of index 3, as they lose
     orders, and velocities of mechanisms, as in the Test Set for IVP Solvers */
  double ref[GALLERY_MASS_MOST], size;
  int known;
  int (*f)(double t, const double *x, double *f, void *form);
  void (*mass)(const struct gallery_mass_form *form, double *M); /* n x n, zero before */
  dae_problem *from; /* of the gallery; NULL: it has its own functions */
  bool accelerations;
} gallery_mass_form;

/* Problem i, counted from 0; false past the end. Give it back with gallery_mass_close. */
bool gallery_mass_open(int i, gallery_mass_form *form);
void gallery_mass_close(gallery_mass_form *form);
/* max |x - ref| / max(|ref|, size) over what is known. */
double gallery_mass_error(const gallery_mass_form *form, const double *x);
/* As an implicit problem, with or without the index of its variables; `form` is its ctx. */
dae_problem gallery_mass_problem(const gallery_mass_form *form, bool declared);

#endif
