/* variables of very different size get panels of their own, so that none is a flat line */
#include <stdlib.h>

#include "panel.h"

enum { RATIO = 8 };
/* what is this much smaller is rounding, and stays where it is */
static const double noise = 1e-9;

typedef struct sized {
  int series;
  double size;
} sized;

static int by_size(const void *a, const void *b) {
  double x = ((const sized *)a)->size, y = ((const sized *)b)->size;
  return (x < y) - (x > y);
}

static int by_place(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* the run whose panels are divided */
typedef struct divider {
  const cli_panels *panels;
  cli_size_of *size;
  const void *run;
} divider;

static cli_view whole(const cli_panel *p, int panel) {
  cli_view v = {.panel = panel, .count = p->count};
  v.series = cli_take((size_t)p->count, sizeof(int));
  for (int i = 0; i < p->count; i++) v.series[i] = i;
  return v;
}

/* the widest gap between sizes of a view: how many of the largest lie above it; 0: none is wide
   enough */
static int widest(const divider *d, const cli_view *v, sized *list, double *ratio) {
  int found = 0;
  *ratio = RATIO;
  for (int i = 0; i < v->count; i++)
    list[i] = (sized){v->series[i], d->size(d->run, v->panel, v->series[i])};
  qsort(list, (size_t)v->count, sizeof *list, by_size);
  for (int i = 1; i < v->count; i++) {
    if (!(list[i].size > noise * list[0].size)) break;
    if (!(list[i - 1].size > *ratio * list[i].size)) continue;
    *ratio = list[i - 1].size / list[i].size;
    found = i;
  }
  return found;
}

/* the widest gap between its sizes divides view i */
static bool divide(const divider *d, cli_view *list, int i, int *count) {
  sized size[CLI_SERIES_MOST + 1];
  cli_view *v = &list[i], *w = &list[i + 1];
  double ratio;
  if (d->panels->panel[v->panel].dimensions > 1) return false;
  int above = widest(d, v, size, &ratio), all = v->count;
  if (!above) return false;
  for (int k = *count; k > i + 1; k--) list[k] = list[k - 1];
  *w = whole(&d->panels->panel[v->panel], v->panel);
  w->count = all - above;
  v->count = above;
  for (int k = 0; k < all; k++)
    *(k < above ? &v->series[k] : &w->series[k - above]) = size[k].series;
  qsort(v->series, (size_t)v->count, sizeof(int), by_place);
  qsort(w->series, (size_t)w->count, sizeof(int), by_place);
  ++*count;
  return true;
}

int cli_views_make(const cli_panels *panels, cli_size_of *size, const void *run, cli_view *list) {
  const divider d = {panels, size, run};
  int count = 0;
  for (int i = 0; i < panels->count; i++) list[count++] = whole(&panels->panel[i], i);
  if (panels->asked || !size) return count;
  /* each panel once, then their parts */
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < count && count < CLI_VIEWS_DEFAULT; i++)
      if (divide(&d, list, i, &count)) i++, more = true;
  }
  return count;
}

void cli_views_free(cli_view *list, int count) {
  for (int i = 0; i < count; i++) free(list[i].series);
}
