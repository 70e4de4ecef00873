/* how a run began: which initial values were moved, which constraints say nothing new, which values
   a boundary value problem begins with */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

/* places of the variables that the start moved, the farthest first; returns how many */
static int moved_variables(const cli_result *r, int *place) {
  const cli_model *m = r->model;
  int count = 0;
  for (int i = 0; r->z_start && i < m->nz; i++) {
    double way = fabs(r->z_start[i] - m->z0[i]);
    /* roundings are no moves */
    if (!(way > 1e-12 * (1 + fabs(m->z0[i])))) continue;
    int k = count++;
    for (; k > 0 && way > fabs(r->z_start[place[k - 1]] - m->z0[place[k - 1]]); k--)
      place[k] = place[k - 1];
    place[k] = i;
  }
  return count;
}

static void text_moved(FILE *out, const cli_result *r) {
  enum { MOST = 4 };
  const cli_model *m = r->model;
  int *place = cli_take((size_t)m->nz, sizeof *place), count = moved_variables(r, place);
  fprintf(out, "  %-10s moved to a consistent point", "start");
  if (count == 0) fprintf(out, " by %.3g", r->moved);
  for (int i = 0; i < count && i < MOST; i++)
    fprintf(out, "%s %s from %.6g to %.6g", i ? "," : ":", m->z_name[place[i]], m->z0[place[i]],
            r->z_start[place[i]]);
  if (count > MOST) fprintf(out, " and %d more (--json has all)", count - MOST);
  fputc('\n', out);
  free(place);
}

/* the names of constraints that follow from others take a short trial run */
static void redundant(const cli_result *r, dae_diagnosis *d) {
  enum { LARGE = 400 };
  dae_problem p = r->model->problem;
  dae_options o = r->settings->options;
  *d = (dae_diagnosis){0};
  o.log = (dae_log){0};
  if (r->rows > 0 && r->rank < r->rows && r->model->nz <= LARGE && !p.boundary)
    dae_diagnose(&p, &o, d);
}

static void text_redundant(FILE *out, const cli_result *r) {
  dae_diagnosis d;
  if (r->rows <= 0 || r->rank >= r->rows) return;
  redundant(r, &d);
  fprintf(out, "  %-10s %d of %d constraints follow%s from the others at the start", "redundant",
          r->rows - r->rank, r->rows, r->rows - r->rank == 1 ? "s" : "");
  for (int i = 0; i < d.n_redundant; i++) fprintf(out, "%s %s", i ? "," : ":", d.redundant[i]);
  fputs(";\n             the motion is unique, the multipliers are not: the smallest are given\n",
        out);
}

void cli_start_text(FILE *out, const cli_result *r) {
  if (r->moved > 0) text_moved(out, r);
  text_redundant(out, r);
}

void cli_start_json(cli_json *j, const cli_result *r) {
  const cli_model *m = r->model;
  int *place = cli_take((size_t)m->nz, sizeof *place), count = moved_variables(r, place);
  cli_json_number(j, "moved", r->moved);
  cli_json_open(j, "moved_variables", '{');
  for (int i = 0; r->moved > 0 && i < count; i++) {
    cli_json_open(j, m->z_name[place[i]], '{');
    cli_json_number(j, "from", m->z0[place[i]]);
    cli_json_number(j, "to", r->z_start[place[i]]);
    cli_json_close(j, '}');
  }
  cli_json_close(j, '}');
  free(place);
  if (r->rows <= 0) return;
  cli_json_count(j, "constraints", r->rows);
  cli_json_count(j, "constraints_independent", r->rank);
}
