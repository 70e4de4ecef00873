/* the error of the first mesh from a coarser one, where the first has more intervals than needed */
#include <math.h>

#include "colloc/run.h"

/* intervals that are needed where there is one: with all of it estimates from a mesh this coarse
   are too large as often as not, as its errors are not those of the limit yet */
static const double ENOUGH = 0.7;

/* is every second point the middle between its neighbours? */
static bool in_pairs(const dae_solution *s) {
  static const double ROUNDING = 1e-12;
  double span = s->t[s->shape.N] - s->t[0];
  if (s->shape.N < 4 || s->shape.N % 2 != 0) return false;
  for (int i = 0; i < s->shape.N; i += 2)
    if (!(fabs(s->t[i] - 2 * s->t[i + 1] + s->t[i + 2]) <= ROUNDING * span)) return false;
  return true;
}

/* intervals that are needed where there is one, at the worst place; INFINITY: no memory */
static double worst_need(dae_colloc_run *r, const dae_solution *s) {
  double worst = 0, *density = dae_base_doubles(&r->b.pool, (size_t)s->shape.N);
  if (!density) return INFINITY;
  dae_colloc_mesh_density(&r->b, s, density);
  for (int i = 0; i < s->shape.N; i++) worst = fmax(worst, density[i] * (s->t[i + 1] - s->t[i]));
  dae_base_give(&r->b.pool, density);
  return worst;
}

/* |w - f| at a place of element i is no more than `most` tolerances of x^(m-1) over h */
static bool holds(dae_colloc_run *r, dae_solution *s, int i, const dae_colloc_place *place,
                  double most) {
  dae_colloc_bvp *b = &r->b;
  const dae_colloc_form *f = &b->form;
  double h = s->t[i + 1] - s->t[i], *Z = b->z1, *W = Z + b->ns;
  dae_colloc_point *point = &b->element.point;
  dae_colloc_sample_place(s, i, place, Z, W, NULL, NULL);
  b->stats.evaluations++;
  if (dae_colloc_form_point(&b->form, s->t[i] + place->theta * h, s->t[i + 1], Z, W, NULL, false,
                            point) != DAE_OK)
    return false;
  for (int c = 0; c < f->nx; c++) {
    int top = b->sys->nz - f->nx + c;
    double allowed = most * dae_colloc_tolerance(b, false, top, fabs(Z[top]));
    if (!(h * fabs(point->dynamics[c]) <= allowed)) return false;
  }
  return true;
}

/* do the equations hold between collocation points as well as the density of intervals says? A
   finer mesh would look there; what it would find is not seen by a coarser one */
static bool seen_between(dae_colloc_run *r, dae_solution *s) {
  const dae_colloc_rule *rule = &r->b.rule;
  /* the error of x^(m-1) is a third of its tolerance at most where one interval is enough */
  const double most = rule->neglected[0] / rule->neglected[1];
  for (int j = 0; j < rule->k; j++) {
    dae_colloc_place place;
    dae_colloc_place_set(&place, s, j == 0 ? 0 : 0.5 * (rule->rho[j - 1] + rule->rho[j]));
    for (int i = 0; i < s->shape.N; i++)
      if (!holds(r, s, i, &place, most)) return false;
  }
  return true;
}

/* solved on every second point of s, from there; NULL: it cannot be */
static dae_solution *coarse_solution(dae_colloc_run *r, const dae_solution *s) {
  dae_solution *coarse;
  if (dae_colloc_solution_new(&coarse, &r->b, s->shape.N / 2) != DAE_OK) return NULL;
  for (int i = 0; i <= coarse->shape.N; i++) coarse->t[i] = s->t[2 * i];
  dae_colloc_solution_transfer(&r->b, coarse, s, false);
  if (dae_colloc_run_solve(r, coarse) == DAE_OK) return coarse;
  dae_solution_free(coarse);
  return NULL;
}

/*
 * Whether the solution depends on unknown parameters is read off the last factorization, and how
 * well it is conditioned. On a mesh that follows another it is that of a point near to the
 * solution. On the first one it may be that of a point where Newton's method begins to converge
 * well: near enough for sizes, but a solution that does not depend on a parameter has neighbours
 * that do.
 */
static dae_status come_nearer(dae_colloc_run *r, dae_colloc_linear *l, dae_solution *s,
                              const dae_colloc_newton *n) {
  return r->b.np == 0 || n->straight ? DAE_OK : dae_colloc_linear_factor(l, s->x);
}

dae_status dae_colloc_run_look_back(dae_colloc_run *r, dae_colloc_linear *l, dae_solution *s,
                                    const dae_colloc_newton *n) {
  dae_colloc_bvp *b = &r->b;
  bool first = !r->now && !r->looking && !b->o->fixed_mesh,
       whole = b->loosen == 1 && b->form.load == 1;
  if (!first || !whole || !b->element.plain || !in_pairs(s)) return DAE_OK;
  if (!(worst_need(r, s) <= ENOUGH) || !seen_between(r, s)) return DAE_OK;
  dae_colloc_task task = *r->task;
  dae_report *report = b->report, aside;
  double rcond = b->stats.rcond, damping = b->stats.damping;
  r->looking = true;
  b->report = &aside;
  dae_solution *coarse = coarse_solution(r, s);
  b->report = report;
  r->looking = false;
  *r->task = task;
  b->stats.rcond = rcond;
  b->stats.damping = damping;
  dae_colloc_bvp_set(b, dae_solution_parameter(s));
  if (!coarse) return DAE_OK;
  dae_colloc_error(b, coarse, s);
  dae_solution_free(coarse);
  return s->error <= 1 ? come_nearer(r, l, s, n) : DAE_OK;
}
