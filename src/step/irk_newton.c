/* the stage equations of implicit Runge-Kutta methods by simplified Newton iteration */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/implicit.h"
#include "step/irk.h"

/* R_i = r(t + c_i h, z + W_i, W_i', mu_i) with W_i' = (1/h) sum_j (A^-1)_ij W_j, of one stage */
static dae_status stage_residual(dae_stepper *s, double h, int i, const double *slope) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, n = m->n;
  const double *W = m->stage + (size_t)i * (size_t)n;
  double *R = m->residual + (size_t)i * (size_t)n;
  for (int k = 0; k < nz; k++) m->point[k] = s->z[k] + W[k];
  dae_status status =
      dae_problem_view_residual(s->view, s->t + m->t.c[i] * h, m->point, slope, W + nz, R);
  s->evaluations++;
  /* values of an implicit problem have been looked at */
  if (status == DAE_OK && !m->implicit && !dae_base_finite(R, n)) return DAE_E_CALLBACK;
  return status;
}

dae_status dae_irk_residual(dae_stepper *s, double h, int from, int to) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, n = m->n;
  double *slopes = (double *)m->x; /* of no use before the residuals are there */
  dae_status status = DAE_OK;
  if (to - from != m->t.stages) {
    for (int i = from; i < to && status == DAE_OK; i++) {
      double w[DAE_STAGES_MAX];
      for (int j = 0; j < m->t.stages; j++) w[j] = m->t.inverse[i][j] / h;
      dae_irk_sum(m, w, m->stage, 0, nz, m->slope);
      status = stage_residual(s, h, i, m->slope);
    }
    return status;
  }
  dae_irk_slopes(m, h, nz, slopes);
  if (s->view->stages) {
    s->evaluations += m->t.stages;
    const dae_stages all = {m->t.stages, n, s->t, h, m->t.c, s->z, m->stage, slopes, m->residual};
    return s->view->stages(s->view, &all);
  }
  for (int i = from; i < to && status == DAE_OK; i++)
    status = stage_residual(s, h, i, slopes + (size_t)i * (size_t)n);
  return status;
}

/*
 * sum_j (A^-1)_ij/h E d_j + J d_i = -R_i. With A^-1 = X diag(l) Y it falls apart into (l_e/h E + J)
 * x_e = -sum_i Y_ei R_i and d_i = sum_e X_ie x_e; of a conjugate pair only one is solved for.
 */
static void solve_transformed(dae_stepper *s) {
  dae_irk *m = s->data;
  dae_irk_gather(m);
  for (int e = 0; e < m->t.eigenvalues; e++) {
    double complex *x = m->x + (size_t)e * (size_t)m->n;
    if (e < m->t.real) dae_step_pencil_solve(m->pencil, e, (double *)x);
    else dae_step_pencil_solve_complex(m->pencil, e, x);
    s->solves++;
  }
}

/* adds the update of all stages, returns its norm */
static double apply_transformed(dae_stepper *s) {
  const dae_irk *m = s->data;
  const int nz = s->view->nz;
  const double squares = dae_irk_add(m, nz);
  return nz > 0 ? sqrt(squares / ((double)nz * m->t.stages)) : 0;
}

static void solve_one(dae_stepper *s, int i) {
  dae_irk *m = s->data;
  double *d = m->update;
  for (int k = 0; k < m->n; k++) d[k] = -m->residual[(size_t)i * (size_t)m->n + (size_t)k];
  dae_step_pencil_solve(m->pencil, 0, d);
  s->solves++;
}

/* weights of the update: those of the error, or relative ones when there is no error control */
static void set_weights(dae_stepper *s) {
  dae_irk *m = s->data;
  const int nz = s->view->nz;
  if (!m->fixed && s->weight) memcpy(m->weight, s->weight, (size_t)nz * sizeof *m->weight);
  else {
    double largest = 0;
    for (int k = 0; k < nz; k++) largest = fmax(largest, fabs(s->z[k]));
    for (int k = 0; k < nz; k++) m->weight[k] = 1 / (fabs(s->z[k]) + 1e-3 * largest + 1e-30);
  }
  /* rounding in z, as far as the matrices of a mechanism with bodies of all sizes spread it */
  m->rounding = fmin(0.1, 16 * DBL_EPSILON * dae_step_norm(nz, s->z, m->weight));
}

/* adds the update of stage i, returns its norm */
static double apply_one(dae_stepper *s, int i) {
  dae_irk *m = s->data;
  double *W = m->stage + (size_t)i * (size_t)m->n, *d = m->update;
  for (int k = 0; k < m->n; k++) W[k] += d[k];
  return dae_step_norm(s->view->nz, d, m->weight);
}

/* fixed steps: to the level of rounding. z and mu converge by turns, so that a correction is
   compared with the last but one. Stiffness raises that level; with an old matrix standing still
   may be slow convergence */
static const dae_iteration_rule FIXED = {.limit = 100,
                                         .enough = 4 * DBL_EPSILON,
                                         .still = 0.5,
                                         .floor = 1e-11,
                                         .growth = 2,
                                         .tries = 4,
                                         .by_turns = true};
static const double FIXED_FLOOR_FRESH = 1e-9;

/* error control: corrections that are this small beside the error allowed and no longer fall are
   rounding; rates from HOPELESS on tell nothing; a rest of so many tolerances may be left to hope
   for, as rates improve; and confidence is bounded by what one correction can show */
static const double NOISE = 0.03, HOPELESS = 0.99, HOPE = 10, CONFIDENCE_MOST = 100;
/* .. with care in units of the rounding in z: z and mu may fall by turns, which is none yet */
static const double NOISE_CAREFUL = 1000;
/* larger ones are rounding as well in implicit problems where that is what rounding in the terms of
   the equations makes of the variables, about: of those near zero beside others that are large */
static const double NOISE_MOST = 0.3, STOOD_MOST = 1, ABOUT = 30;
/* confidence from the step before: less of it (see fade), and never more than a hundredfold */
static const double CONFIDENCE_LEAST = 1e-2;
/* corrections at most, with more for each stage beyond three */
enum { LIMIT = 7, LIMIT_STAGE = 2, STAGES = 3 };
/* rates beyond which the next step has a new Jacobian: with fixed steps; where factors are costly,
   and what iterations leave is damped; else */
static const double SLOW_FIXED = 0.2, SLOW_COSTLY = 0.02, SLOW = 0.001;
/* steps that go so much farther than the one that the matrix was made for have a new one: with a
   matrix that was larger than the present one, corrections and estimate are small whatever the
   error */
static const double FARTHER = 2;
/* matrices at most that are made with care before one-sided differences are tried again */
enum { FINE_MOST = 256 };

static dae_progress judge_fixed(dae_irk *m, dae_iteration *c, double norm) {
  dae_iteration_rule rule = FIXED;
  if (m->fresh) rule.floor = FIXED_FLOOR_FRESH;
  dae_progress progress = dae_base_judge(c, &rule, norm, 1);
  if (c->count > 1) m->rate = c->rate;
  return progress;
}

/* corrections no longer fall: is that rounding? */
static bool is_noise(dae_stepper *s, double level) {
  dae_irk *m = s->data;
  if (!m->fresh) return false;
  if (s->careful) return level <= fmin(NOISE, NOISE_CAREFUL * m->rounding);
  if (level <= NOISE) return true;
  if (!m->implicit || m->t.real == 0 || m->t.triangular || level > STOOD_MOST) return false;
  dae_step_pencil_noise(m->pencil, 0, m->spread, s->z, s->dz, m->update);
  s->stood = level <= ABOUT * dae_step_norm(s->view->nz, m->update, m->weight);
  return s->stood && level <= NOISE_MOST;
}

/* error control: what is left by the rate, of which two in a row tell more than one */
static dae_progress judge_loose(dae_stepper *s, dae_iteration *c, double norm, int limit) {
  dae_irk *m = s->data;
  const double rate_before = c->rate;
  if (dae_base_judge(c, &(dae_iteration_rule){0}, norm, 1) == DAE_DIVERGED) return DAE_DIVERGED;
  if (c->count > 1) {
    m->rate = c->count == 2 ? c->rate : sqrt(c->rate * rate_before);
    /* a long first correction goes straight where the way is bent, and the second makes up for the
       bend: then only the third tells the rate, if the matrix is new */
    const bool early = c->count == 2 && m->fresh && c->rate < 2;
    const double left = dae_base_left(m->rate, HOPELESS);
    if (!early && dae_base_hopeless(m->rate, left, norm, limit - c->count, m->tol * HOPE))
      return is_noise(s, fmax(norm, c->before)) ? DAE_CONVERGED : DAE_DIVERGED;
    m->confidence = fmin(left, CONFIDENCE_MOST);
  }
  if (m->confidence * norm <= m->tol) return DAE_CONVERGED;
  return c->count < limit ? DAE_GO_ON : DAE_DIVERGED;
}

/* x^(3/4) */
static double fade(double x) { return sqrt(x) * sqrt(sqrt(x)); }

/* one Newton iteration after the other for stages from..to-1; the rate tells when to stop or to
   give up */
static dae_status iterate(dae_stepper *s, double h, int from, int to) {
  dae_irk *m = s->data;
  const int limit = LIMIT + LIMIT_STAGE * (m->t.stages > STAGES ? m->t.stages - STAGES : 0);
  dae_iteration course = dae_base_iteration();
  /* what the last step has shown tells little of this one: a large correction must show by the next
     that it converges */
  m->confidence = fmax(fade(fmax(m->confidence, DBL_EPSILON)), CONFIDENCE_LEAST);
  if (s->careful) m->confidence = CONFIDENCE_MOST;
  m->rate = 0;
  for (;;) {
    dae_status status = dae_irk_residual(s, h, from, to);
    if (status != DAE_OK) return status;
    if (m->t.triangular) solve_one(s, from);
    else solve_transformed(s);
    const double norm = m->t.triangular ? apply_one(s, from) : apply_transformed(s);
    s->newton++;
    m->iterations++;
    dae_progress progress =
        m->fixed ? judge_fixed(m, &course, norm) : judge_loose(s, &course, norm, limit);
    if (progress == DAE_CONVERGED) return DAE_OK;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
  }
}

static dae_status factor(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  if (m->factored_h == h) return DAE_OK;
  m->factored_h = 0;
  for (int e = 0; e < m->t.eigenvalues; e++) {
    dae_status status = dae_step_pencil_factor(m->pencil, e, m->t.eigenvalue[e] / h);
    s->factorizations++;
    if (status != DAE_OK) return status;
  }
  m->factored_h = h;
  if (s->noise && s->view->higher)
    dae_step_pencil_noise(m->pencil, 0, m->spread, s->z, s->dz, s->noise);
  return DAE_OK;
}

/* Where: in the middle of the step the matrices are nearest to those of all stages. But a point off
   the solution may have a matrix of any size (z + h/2 z' is off by O(h^2), and the equations may
   multiply that by 1000), and with one that is too large corrections and estimate are small
   whatever the error. So: on the polynomial of the last step, if that need not be followed far,
   else at the start. Functions of an ODE or of an implicit problem may be anything (exponentials,
   say): theirs are those at the start; for an implicit problem not where a stage is there and a
   last step is known: they would suit that stage and no other */
static dae_status evaluate(dae_stepper *s, double h) {
  static const double NEAR = 2; /* steps of at most this many of the last one */
  dae_irk *m = s->data;
  s->view->coarse = m->implicit && m->fine == 0 && m->t.real > 0;
  if (m->fine > 0) m->fine--;
  const bool far = !m->have_last || fabs(h) > NEAR * fabs(s->h_old);
  const bool start = s->view->sys->p->kind == DAE_ODE || far || (m->implicit && m->t.c[0] > 0);
  const double ahead = start ? 0 : h / 2;
  for (int k = 0; k < s->view->nz; k++) m->point[k] = s->z[k] + ahead * s->dz[k];
  if (!start) dae_irk_extrapolate(s, 1 + ahead / s->h_old, m->point);
  s->view->h = h;
  dae_status status = dae_step_pencil_evaluate(m->pencil, s->t + ahead, m->point, s->dz, s->mu);
  s->jacobians++;
  m->have_matrix = m->fresh = status == DAE_OK;
  m->matrix_h = fabs(h);
  m->age = 0;
  m->factored_h = 0;
  return status;
}

/* Where the index is 2 or 3, the inverse of s E + J amplifies errors of J, and corrections by a
   matrix that is too large are small whatever the error is: does it answer a disturbance p of x by
   p? What is missing stays in the multipliers, whose weights are small */
static dae_status check_answer(dae_stepper *s, bool *good) {
  static const double DISTURBANCE = 6e-6, LACKS = 1e-3;
  dae_irk *m = s->data;
  const dae_residual *r = s->view->equations;
  double *p = m->point, *out = m->slope, *back = m->update;
  for (int j = 0; j < m->n; j++)
    p[j] = (j % 3 == 1 ? -DISTURBANCE : DISTURBANCE) * dae_residual_size(r, j, s->z);
  dae_status status = dae_step_pencil_answer(m->pencil, 0, s->t, s->z, s->dz, p, out);
  /* and to the other side: half the difference is free of what bends F */
  for (int j = 0; j < m->n; j++) p[j] = -p[j];
  if (status == DAE_OK) status = dae_step_pencil_answer(m->pencil, 0, s->t, s->z, s->dz, p, back);
  *good = status == DAE_OK;
  for (int j = 0; j < m->n && *good; j++)
    *good = fabs((out[j] - back[j]) / 2 + p[j]) <= LACKS * fabs(p[j]);
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* matrices, new ones where they must be, and their factors for a step h. Errors of J are amplified
   the more the shorter the step is: those of one-sided differences are looked at again */
static dae_status prepare(dae_stepper *s, double h, bool renew) {
  dae_irk *m = s->data;
  bool good = true;
  dae_status status = renew ? evaluate(s, h) : DAE_OK;
  if (status == DAE_OK) status = factor(s, h);
  const bool amplified = m->implicit && s->view->equations->accuracy == DAE_FOR_RANK;
  if (!amplified || !s->view->coarse || !(renew || fabs(h) < m->checked_h)) return status;
  if (status == DAE_OK) status = check_answer(s, &good);
  m->checked_h = fabs(h);
  if (status == DAE_OK && good) m->fine_next = 1;
  if (status == DAE_STOPPED || (status == DAE_OK && good)) return status;
  /* with care, and twice as many the next time */
  m->fine = m->fine_next;
  if (m->fine_next < FINE_MOST) m->fine_next *= 2;
  status = evaluate(s, h);
  return status == DAE_OK ? factor(s, h) : status;
}

/* what iterations leave in variables of index 3 counts little in the norm, which allows for their
   noise, and spoils the steps that follow: they go on as far as rounding lets them */
static double tighter(const dae_stepper *s, double tol) {
  static const double HIGHER = 0.01, ABOVE = 5; /* of the tolerance, and of the noise */
  const dae_irk *m = s->data;
  if (!s->view->higher || !s->noise) return tol;
  const double noise = ABOVE * dae_step_norm(s->view->nz, s->noise, m->weight);
  return fmin(tol, fmax(fmax(m->rounding, noise), HIGHER * tol));
}

dae_status dae_irk_solve(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  s->stood = false;
  set_weights(s);
  /* with care, on to where corrections no longer fall */
  if (s->newton_tol > 0)
    m->tol = fmax(s->careful ? 0 : m->rounding, fmin(m->tol_most, s->newton_tol));
  /* a slow iteration last time asks for a new Jacobian. The factors of sparse ones cost as much as
     a few iterations; what those leave is damped where R(inf) = 0 */
  const bool costly = s->view->pattern && s->method->r_infinity == 0;
  const double slow = m->fixed ? SLOW_FIXED : costly ? SLOW_COSTLY : SLOW;
  bool renew = !m->have_matrix || (!m->fresh && m->rate > slow);
  if (fabs(h) > FARTHER * m->matrix_h) renew = true;
  /* stages of order 1 leave an error O(h) in the multipliers at the start of the step. The estimate
     is free of it as far as the matrix has the directions of their forces there: an old one would
     make its order 1 */
  const bool lags = m->t.stage_order == 1 && m->t.stages > 1 && s->view->nmu > 0;
  if (lags && m->age++ > 0) renew = true;
  for (;;) {
    dae_status status = prepare(s, h, renew);
    if (status == DAE_OK) {
      m->tol = tighter(s, m->tol);
      dae_irk_predict(s, h);
      m->iterations = 0;
      if (m->t.triangular)
        for (int i = 0; i < m->t.stages && status == DAE_OK; i++) status = iterate(s, h, i, i + 1);
      else status = iterate(s, h, 0, m->t.stages);
    }
    if (status == DAE_OK || status == DAE_STOPPED) return status;
    m->confidence = 1;
    if (m->fresh || renew) {
      /* the middle of the shorter step that follows is another point: where constraints turn fast,
         another matrix */
      m->have_matrix = false;
      return status;
    }
    renew = true;
  }
}
