/* jumps of the right-hand side that fall between the points of two elements */
#include <math.h>
#include <string.h>

#include "colloc/run.h"

/*
 * Gauss points leave a gap at both ends of an element. Where the right-hand side jumps in it the
 * polynomials of both elements are as smooth as ever, and that of the mesh with every second point
 * agrees, but all of them have the jump at the mesh point: x^(m-1) is off by jump times distance.
 */

/* the largest |w - f| at part theta of element i in tolerances of x^(m-1) per unit of t; 0 where
   the equations cannot be evaluated, as at a singular end */
static double residual(dae_colloc_run *r, const dae_solution *s, int i, double theta) {
  dae_colloc_bvp *b = &r->b;
  const dae_colloc_form *f = &b->form;
  double h = s->t[i + 1] - s->t[i], *Z = b->z1, *W = Z + b->ns, worst = 0;
  dae_colloc_point *point = &b->element.point;
  dae_colloc_sample(s, i, theta, Z, W, NULL, NULL);
  b->stats.evaluations++;
  if (dae_colloc_form_point(&b->form, s->t[i] + theta * h, s->t[i + 1], Z, W, NULL, false, point) !=
      DAE_OK)
    return 0;
  for (int c = 0; c < f->nx; c++) {
    int top = b->sys->nz - f->nx + c;
    worst =
        fmax(worst, fabs(point->dynamics[c]) / dae_colloc_tolerance(b, false, top, fabs(Z[top])));
  }
  return worst;
}

/* near and far, parts of element i, brought together to this distance around the place where the
   residual passes half of what it is at the end */
static void close_in(dae_colloc_run *r, const dae_solution *s, int i, double half, double distance,
                     double *near, double *far) {
  enum { BISECTIONS = 60 };
  for (int j = 0; j < BISECTIONS && fabs(*far - *near) > distance; j++) {
    double middle = 0.5 * (*near + *far);
    if (residual(r, s, i, middle) > half) *far = middle;
    else *near = middle;
  }
}

/* the place where the right-hand side jumps in the gap of element i at its left end, or at its
   right one; NAN: it does not. A jump at the mesh point itself, or nearer to it than the tolerance
   sees, is where it belongs; and what a short series leaves grows, but does not jump */
static double jump_in_gap(dae_colloc_run *r, const dae_solution *s, int i, bool right) {
  static const double STEEP = 1e-6, PART = 0.5;
  const dae_colloc_rule *rule = &r->b.rule;
  double h = s->t[i + 1] - s->t[i], near = right ? rule->rho[rule->k - 1] : rule->rho[0];
  double end = right ? 1 : 0, there = residual(r, s, i, end), gap = fabs(end - near) * h;
  if (!(there * gap > 1)) return NAN;
  double far = end + (right ? -0.5 : 0.5) / there / h;
  if (residual(r, s, i, far) <= PART * there) return NAN;
  close_in(r, s, i, PART * there, STEEP, &near, &far);
  if (residual(r, s, i, far) - residual(r, s, i, near) <= PART * there) return NAN;
  close_in(r, s, i, PART * there, 0, &near, &far);
  return s->t[i] + far * h;
}

/* is t the place of an inner condition, which stays a mesh point? */
static bool held(const dae_colloc_run *r, double t) {
  for (int i = 0; i < r->b.b->n_side; i++)
    if (r->b.b->side[i].t == t) return true;
  return false;
}

/* the ends of elements go where the jumps are */
int dae_colloc_run_hidden_jumps(dae_colloc_run *r, const dae_solution *s, double *t) {
  int count = 0, N = s->shape.N;
  if (!r->b.element.plain) return 0;
  dae_colloc_bvp_set(&r->b, dae_solution_parameter(s));
  memcpy(t, s->t, sizeof(double) * (size_t)(N + 1));
  for (int i = 0; i < 2 * N; i++) {
    int point = (i + 1) / 2; /* element i/2 with its left, then its right end */
    bool inner = point > 0 && point < N && !held(r, s->t[point]);
    if (!inner || t[point] != s->t[point]) continue;
    double place = jump_in_gap(r, s, i / 2, i % 2);
    if (isnan(place)) continue;
    t[point] = place;
    count++;
    dae_base_log(&r->b.o->log, DAE_LOG_INFO, "the right-hand side jumps at t = %.15g, beside %.6g",
                 t[point], s->t[point]);
  }
  return count;
}
