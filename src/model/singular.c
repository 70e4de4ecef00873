/* where equations stop to determine their variables: the index changes there, and the run ends */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/plan.h"

/* the entry that fell most against its value at the start; 1 when none did */
static double worst_fall(const dae_plan *p, double t, const double *z, double *quality,
                         int *worst) {
  int count = p->singles + p->blocks;
  double *start = quality + count, least = 1;
  dae_model_ode_quality(p, t, z, quality);
  dae_model_ode_quality(p, p->problem.t0, p->z0, start);
  for (int k = 0; k < count; k++) {
    double before = start[k] != 0 && isfinite(start[k]) ? fabs(start[k]) : 1;
    double fall = isfinite(quality[k]) ? fabs(quality[k]) / before : 0;
    if (fall < least) least = fall, *worst = k;
  }
  return least;
}

/* one sentence on entry `worst` */
static void blame(const dae_model *m, int worst, double fall, char *text, size_t size) {
  const dae_plan *p = m->plan;
  const dae_structure *s = m->structure;
  bool single = worst < p->singles;
  int line, column, row = single ? p->single_row[worst] : p->block[worst - p->singles].row[0];
  const char *name = m->flat.variable[s->var[s->row_match[row]]].name;
  dae_model_locate(&m->source, s->place[row], &line, &column);
  if (single)
    dae_base_print(
        text, (int)size,
        "The equation of line %d no longer determines '%.60s': its factor there fell to %.2g "
        "of what "
        "it was at the start; where it is zero the system has another index.",
        line, name, fall);
  else
    dae_base_print(
        text, (int)size,
        "The %d equations that give '%.60s' (line %d and others) become dependent: their smallest "
        "pivot fell to %.2g of what it was at the start; there the system has another index.",
        p->block[worst - p->singles].size, name, line, fall);
}

int dae_model_singular(const dae_model *m, double t, const double *z, char *text, size_t size) {
  const dae_plan *p = m && m->is_built && z && text && size > 0 ? m->plan : NULL;
  if (!p || p->route != ROUTE_ODE || p->singles + p->blocks == 0) return 0;
  const dae_allocator *from = &p->code.arena->pool.allocator;
  double *quality = from->take(2 * (size_t)(p->singles + p->blocks) * sizeof(double), from->ctx);
  int worst = -1;
  if (!quality) return 0;
  double fall = worst_fall(p, t, z, quality, &worst);
  from->give(quality, from->ctx);
  if (worst < 0 || fall > 1e-2) return 0;
  blame(m, worst, fall, text, size);
  return 1;
}

void dae_model_explain_start_rank(dae_model *m, dae_plan *p) {
  enum { SHOWN = 6 };
  int count = p->singles + p->blocks, shown = 0;
  if (p->route != ROUTE_ODE || count == 0) return;
  double *quality = dae_model_take(&m->built, (size_t)count, sizeof(double));
  dae_model_ode_quality(p, p->problem.t0, p->z0, quality);
  for (int k = 0; k < count && shown < SHOWN; k++) {
    int line, column, row = k < p->singles ? p->single_row[k] : p->block[k - p->singles].row[0];
    if (quality[k] != 0 && isfinite(quality[k])) continue;
    dae_model_locate(&m->source, m->structure->place[row], &line, &column);
    dae_model_text_add(
        &p->explain,
        "  at the start values the equation of line %d does not determine '%.60s': its "
        "factor is %g; other start values may help\n",
        line, m->flat.variable[m->structure->var[m->structure->row_match[row]]].name, quality[k]);
    shown++;
  }
}
