/* figures of the papers as curves, computed by runs of the solver */
#ifndef PAPERS_FIGURES_H
#define PAPERS_FIGURES_H

#include <daedal/daedal.h>

enum { PAPERS_CURVES = 4, PAPERS_POINTS = 1401 };

typedef struct papers_curve {
  const char *name;
  int n;
  double x[PAPERS_POINTS], y[PAPERS_POINTS];
} papers_curve;

typedef struct papers_figure {
  const char *id, *title, *x_label;
  bool logarithmic; /* both axes */
  int n_curve;
  papers_curve curve[PAPERS_CURVES];
} papers_figure;

int papers_figure_count(void);
/* id of figure i ("fig-1.1", "fig-4.2" ..), NULL past the end */
const char *papers_figure_at(int i);
const char *papers_figure_title(int i);
/* the paper it is from */
const char *papers_figure_source(int i);
/* what a form does to stability: the error of backward Euler on three problems against nu */
dae_status papers_form_figure(const char *form, papers_figure *f);
/* figures 6.1 and 6.2 of 1995 (figures_1995.c) */
dae_status papers_angles_figure(papers_figure *f, char *message, int size);
dae_status papers_acceleration_figure(papers_figure *f, char *message, int size);
/* computes figure i */
dae_status papers_figure_make(int i, papers_figure *f, char *message, int size);

#endif
