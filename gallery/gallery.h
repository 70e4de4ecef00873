/* the gallery: problems with known answers; one index table, one file a problem */
#ifndef GALLERY_H
#define GALLERY_H

#include <daedal/daedal.h>

typedef struct gallery_parameter {
  const char *name;
  double value; /* default; NaN: follows from the others, as the meaning says */
  const char *meaning;
  double low, high; /* allowed values; both 0: any */
  bool whole;       /* whole numbers only */
} gallery_parameter;

typedef struct gallery_entry {
  const char *name;   /* as on the command line */
  const char *title;  /* one line */
  const char *source; /* paper or book */
  int n_par;
  const gallery_parameter *par;
  /* builds the problem for n_par parameter values; NULL when there is no memory. What it takes
     belongs to the problem and goes with `close`. */
  dae_problem *(*open)(const double *par);
  void (*close)(dae_problem *p);
} gallery_entry;

/* Entry i of the index table, NULL past the end; entry of a name, NULL when there is none. */
const gallery_entry *gallery_at(int i);
const gallery_entry *gallery_find(const char *name);

/* The problem `name` with some parameters set by name; DAE_E_INPUT with a sentence in `message`
   when the problem or a parameter is not known. Give it back with gallery_close. */
dae_status gallery_open(dae_problem **out, const char *name, int n_set, const char *const *set_name,
                        const double *set_value, char *message, int size);
void gallery_close(const char *name, dae_problem *p);

#endif
