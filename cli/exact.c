/* distance of the computed solution from the exact one and from reference values */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

void cli_error_new(cli_error *e, const cli_model *m) {
  size_t n = (size_t)(m->nz + m->ny);
  *e = (cli_error){.known = m->problem.exact != NULL, .n_ref = m->problem.n_ref};
  e->max = cli_take(n, sizeof(double));
  e->last = cli_take(n, sizeof(double));
  e->z = cli_take((size_t)m->nz, sizeof(double));
  e->y = cli_take((size_t)m->ny, sizeof(double));
  e->ref_error = cli_take((size_t)e->n_ref, sizeof(double));
  for (int i = 0; i < e->n_ref; i++) e->ref_error[i] = NAN;
}

void cli_error_at(cli_error *e, const cli_model *m, double t, const double *z, const double *y) {
  if (!e->known) return;
  bool good = m->problem.exact(t, e->z, e->y, m->problem.ctx) == 0;
  for (int i = 0; i < m->nz + m->ny; i++) {
    double error = i < m->nz ? fabs(z[i] - e->z[i]) : fabs(y[i - m->nz] - e->y[i - m->nz]);
    e->last[i] = good ? error : NAN;
    /* a value that is not a number is the worst error, not none */
    if (!(e->last[i] <= e->max[i])) e->max[i] = e->last[i];
  }
}

/* reference values at times within the step from .. to; the end of a step is taken as computed */
void cli_error_reference(cli_error *e, const cli_model *m, dae_solver *solver, double from,
                         double to) {
  for (int i = 0; i < e->n_ref; i++) {
    const dae_reference *ref = &m->problem.ref[i];
    bool inside = to < from ? ref->t < from && ref->t >= to : ref->t > from && ref->t <= to;
    if (!inside || !ref->z) continue;
    const double *z = dae_solver_z(solver);
    if (ref->t != to) {
      if (dae_solver_eval(solver, ref->t, e->z, NULL) != DAE_OK) continue;
      z = e->z;
    }
    e->ref_error[i] = 0;
    for (int k = 0; k < m->nz; k++)
      if (!isnan(ref->z[k])) e->ref_error[i] = fmax(e->ref_error[i], fabs(z[k] - ref->z[k]));
  }
}

double cli_error_part(const cli_model *m, const double *error, int part) {
  int first = part < 0 ? m->nz : part * m->nx;
  int last = part < 0 ? m->nz + m->ny : first + m->nx;
  double largest = 0;
  for (int i = first; i < last; i++)
    if (!(error[i] <= largest)) largest = error[i];
  return largest;
}

void cli_error_free(cli_error *e) {
  free(e->max);
  free(e->last);
  free(e->z);
  free(e->y);
  free(e->ref_error);
}

void cli_error_state(cli_state *s, cli_error *e, const cli_model *m) {
  size_t bytes = (size_t)(m->nz + m->ny) * sizeof(double);
  cli_state_bytes(s, e->max, bytes);
  cli_state_bytes(s, e->last, bytes);
  cli_state_bytes(s, e->ref_error, (size_t)e->n_ref * sizeof *e->ref_error);
}
