/* what an implicit Runge-Kutta step does besides its stages: project its end, and estimate its
   error */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/irk.h"

/* what rounding leaves does not fall: then a tenth of the error allowed is small enough, with fixed
   steps 1e-9. Corrections that grow after some were made lead nowhere */
static dae_iteration_rule projection_rule(const dae_irk *m) {
  return (dae_iteration_rule){.limit = 20,
                              .enough = m->fixed ? 2 * DBL_EPSILON : 0.1 * m->tol,
                              .floor = m->fixed ? 1e-9 : 0.1,
                              .still = 0.9,
                              .growth = 1,
                              .tries = 4};
}

/*
 * (2.7): z1 = z + F_mu(t1, z, mu) gamma, 0 = c(t1, z1). The direction is taken once, at the
 * unprojected point and at the multipliers that the stages' polynomial has there (1992-col (2.22)):
 * those of (2.5) cost an order.
 */
dae_status dae_irk_project(dae_stepper *s, double h, const double *mu) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, nmu = s->view->nmu;
  const double t1 = s->t + h;
  double *d = m->update;
  dae_status status = dae_step_pencil_evaluate(m->pencil, t1, s->z_new, s->dz, mu);
  s->jacobians++;
  if (status == DAE_OK) status = dae_step_pencil_factor_projection(m->pencil, m->t.eigenvalues);
  s->factorizations++;
  const dae_iteration_rule rule = projection_rule(m);
  dae_iteration course = dae_base_iteration();
  while (status == DAE_OK) {
    memset(d, 0, (size_t)nz * sizeof *d);
    status = s->view->constraint(s->view, t1, s->z_new, d + nz);
    if (status != DAE_OK) break;
    for (int i = nz; i < nz + nmu; i++) d[i] = -d[i];
    dae_step_pencil_solve(m->pencil, m->t.eigenvalues, d);
    s->solves++;
    dae_progress progress = dae_base_judge(&course, &rule, dae_step_norm(nz, d, m->weight), 1);
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
    for (int i = 0; i < nz; i++) s->z_new[i] += d[i];
    if (progress == DAE_CONVERGED) return DAE_OK;
  }
  return status;
}

/* x := right-hand side f(t,z + shift) + E w of the estimate, as a residual: w = -z'; real numbers
   when the eigenvalue is one */
static dae_status right_hand_side(dae_stepper *s, double h, const double *from) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, n = m->n;
  double *re = m->residual, *im = m->residual + n;
  const bool real = m->t.real > 0;
  for (int part = 0; part < (real ? 1 : 2); part++) {
    double w[DAE_STAGES_MAX];
    for (int i = 0; i < m->t.stages; i++)
      w[i] = -(m->estimate[0][i] + (part ? m->estimate[1][i] : 0)) / h;
    dae_irk_sum(m, w, m->stage, 0, nz, m->slope);
    dae_status status =
        dae_problem_view_residual(s->view, s->t, from, m->slope, s->mu, part ? im : re);
    s->evaluations++;
    if (status != DAE_OK) return status;
  }
  /* the residual is linear in z', so that the difference of the two is the imaginary part; what the
     start of the step leaves in the constraints is no error of the step */
  memset(re + nz, 0, (size_t)(n - nz) * sizeof *re);
  if (!real) memset(im + nz, 0, (size_t)(n - nz) * sizeof *im);
  double *x = (double *)m->x;
  for (int k = 0; k < n && real; k++) x[k] = -re[k];
  for (int k = 0; k < n && !real; k++) m->x[k] = CMPLX(-re[k], re[k] - im[k]);
  return DAE_OK;
}

/* the same for 0 = F(t,x,x'), which need not be linear in x': -F(t,x,x') - E (w - x'), where w is
   what the estimate takes for x' and x' that of the end of the last step. Real eigenvalues: complex
   ones have w in two parts */
static dae_status implicit_side(dae_stepper *s, double h, const double *from) {
  dae_irk *m = s->data;
  const int n = m->n;
  const bool real = m->t.real > 0;
  double *x = (double *)m->x, *re = m->residual, *im = re + n;
  s->view->at_start = from == s->z;
  dae_status status = dae_problem_view_residual(s->view, s->t, from, s->dz, s->mu, re);
  s->view->at_start = false;
  s->evaluations++;
  for (int part = 0; part < (real ? 1 : 2) && status == DAE_OK; part++) {
    double w[DAE_STAGES_MAX];
    for (int i = 0; i < m->t.stages; i++) w[i] = -m->estimate[part][i] / h;
    dae_irk_sum(m, w, m->stage, 0, n, m->slope);
    for (int k = 0; k < n && part == 0; k++) m->slope[k] -= s->dz[k];
    dae_step_pencil_times(m->pencil, m->slope, part ? im : m->update);
  }
  if (status != DAE_OK) return status;
  for (int k = 0; k < n && real; k++) x[k] = -re[k] - m->update[k];
  for (int k = 0; k < n && !real; k++) m->x[k] = CMPLX(-re[k] - m->update[k], -im[k]);
  return DAE_OK;
}

/* err = (l/h E + J)^-1 E p of a change p of x' (m->slope), if it is more than s->error */
static void compare(dae_stepper *s) {
  dae_irk *m = s->data;
  const int n = m->n;
  const bool real = m->t.real > 0;
  double *x = (double *)m->x, *p = m->update;
  dae_step_pencil_times(m->pencil, m->slope, p);
  for (int k = n - 1; k >= 0; k--) {
    if (real) x[k] = p[k];
    else m->x[k] = p[k];
  }
  if (real) dae_step_pencil_solve(m->pencil, 0, x);
  else dae_step_pencil_solve_complex(m->pencil, 0, m->x);
  s->solves++;
  for (int k = 0; k < n; k++) p[k] = real ? x[k] : cabs(m->x[k]);
  if (dae_step_norm(n, p, m->weight) > dae_step_norm(n, s->error, m->weight))
    memcpy(s->error, p, (size_t)n * sizeof *p);
}

/*
 * Where the last stage is not the result (Gauss), the end of a step keeps what the polynomial is
 * off in fast components, which the filter takes out of the estimate. The equations at the end saw
 * it, as a change p of x': the error where components are fast, and h p/l, of the order of the
 * estimate, where they are not. The larger of the two counts.
 */
static void compare_end(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  double w[DAE_STAGES_MAX];
  for (int j = 0; j < m->t.stages; j++) w[j] = m->end_slope[j] / h;
  dae_irk_sum(m, w, m->stage, 0, m->n, m->slope);
  for (int k = 0; k < m->n; k++) m->slope[k] = m->end[k] - m->slope[k];
  compare(s);
}

/*
 * Variables of index 3 are second derivatives of others, and the embedded formula begins with their
 * error at the start of the step, which is as large as that of the step and may cancel it. So what
 * the slope of the polynomial through the stages is off at the end counts as well: with
 *   omega(theta) = prod (theta - node_i),  r = h/h_old,
 * the polynomial of the last step is off by D omega(1 + r) at the end of this one, D ~ h_old^(s+1),
 * and h times the slope of this one by D r^(s+1) omega'(1).
 */
static void compare_slope(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  const double r = h / s->h_old;
  double part = pow(r, m->nodes) / (h * r);
  for (int i = 0; i + 1 < m->nodes; i++) part *= (1 - m->node[i]) / (1 + r - m->node[i]);
  dae_irk_extrapolate(s, 1 + r, m->slope);
  for (int k = 0; k < m->n; k++) m->slope[k] = part * (s->z_new[k] - m->slope[k]);
  compare(s);
}

/*
 * err = (l/h E + J)^-1 (f(t0,z0) + E l/h sum_i e_i W_i), l = the first eigenvalue of A^-1: the
 * embedded formula filtered as in Hairer and Wanner, so that it stays small for stiff components;
 * the constraint rows keep it tangential and take the error of mu out of it. A complex eigenvalue
 * serves as well: the modulus counts.
 */
static dae_status embedded(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  const int nz = s->view->nz;
  const double *from = s->z, *x = (const double *)m->x;
  const bool real = m->t.real > 0;
  for (int pass = 0; pass < 2; pass++) {
    dae_status status =
        s->view->equations ? implicit_side(s, h, from) : right_hand_side(s, h, from);
    if (status != DAE_OK) return status;
    if (real) dae_step_pencil_solve(m->pencil, 0, (double *)m->x);
    else dae_step_pencil_solve_complex(m->pencil, 0, m->x);
    s->solves++;
    for (int k = 0; k < nz; k++) s->error[k] = real ? x[k] : cabs(m->x[k]);
    if (!dae_base_finite(s->error, nz)) return DAE_E_CALLBACK;
    /* once more from z + err when the first one looks too large at a start or after a failure */
    if (!(m->first || m->rejected) || dae_step_norm(nz, s->error, m->weight) <= 1) return DAE_OK;
    for (int k = 0; k < nz; k++) m->point[k] = s->z[k] + x[real ? k : 2 * k];
    from = m->point;
  }
  return DAE_OK;
}

dae_status dae_irk_estimate(dae_stepper *s, double h) {
  const dae_irk *m = s->data;
  dae_status status = embedded(s, h);
  if (status == DAE_OK && m->end) compare_end(s, h);
  if (status == DAE_OK && s->view->higher && m->have_last) compare_slope(s, h);
  return status;
}
