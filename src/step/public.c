/* coefficients and step size rule of the methods, for other engines: see daedal/method.h */
#include <math.h>
#include <string.h>

#include "step/explicit.h"
#include "step/herk.h"
#include "step/tableau.h"

static void from_explicit(dae_tableau *out, const dae_explicit_tableau *t) {
  int s = t->method.stages;
  out->stages = s;
  memcpy(out->c, t->c, (size_t)s * sizeof *t->c);
  for (int i = 1, k = 0; i < s; k += i++) memcpy(out->a[i], t->a + k, (size_t)i * sizeof *t->a);
  memcpy(out->b, t->b ? t->b : out->a[s - 1], (size_t)s * sizeof *out->b);
  if (t->e) memcpy(out->error, t->e, (size_t)s * sizeof *t->e);
  if (t->e3) memcpy(out->guard, t->e3, (size_t)s * sizeof *t->e3);
}

static void from_herk(dae_tableau *out, const dae_herk_tableau *t) {
  out->stages = t->stages;
  out->half_explicit = true;
  out->known_first = t->known_first;
  for (int i = 0; i < t->stages; i++) {
    out->c[i] = t->c[i];
    out->s[i] = t->s[i];
    out->b[i] = t->r[t->stages - 1][i];
    out->error[i] = t->error[i];
    for (int j = 0; j < t->stages; j++) out->a[i][j] = t->a[i][j], out->r[i][j] = t->r[i][j];
  }
  out->first = t->first;
  out->last = t->last;
}

/* the estimate of step/tableau.h is one of the Z_i - z0 = h sum a_ij k_j. It is linear in the
   weight of k_start, so that its real part is an estimate too, with the real part of that weight */
static void from_implicit(dae_tableau *out, const dae_rk_tableau *t) {
  out->stages = t->stages;
  out->first = creal(1 / t->eigenvalue[0]);
  for (int i = 0; i < t->stages; i++) {
    out->c[i] = t->c[i];
    out->b[i] = t->b[i];
    for (int j = 0; j < t->stages; j++) {
      out->a[i][j] = t->A[i][j];
      out->error[j] += creal(t->error[i]) * t->A[i][j];
    }
  }
}

dae_status dae_method_tableau(const dae_method *m, dae_tableau *out) {
  if (!m || !out) return DAE_E_INPUT;
  memset(out, 0, sizeof *out);
  const dae_stepper_class *cls = dae_step_class(m);
  if (cls == &dae_step_explicit) {
    from_explicit(out, dae_step_explicit_find(m));
    return DAE_OK;
  }
  if (cls == &dae_step_herk) {
    dae_herk_tableau t;
    dae_step_herk_tableau(&t, m->order);
    from_herk(out, &t);
    return DAE_OK;
  }
  dae_rk_tableau t;
  if (cls != &dae_step_irk || dae_step_irk_tableau(&t, m) != DAE_OK) return DAE_E_INPUT;
  from_implicit(out, &t);
  return DAE_OK;
}

/* h' = h S norm^-(1/q - 0.75 beta) norm_before^beta (Gustafsson; beta = 0.04, S = 7/8). A step that
   was far too short, as those at the start are, says nothing about a trend: h' = h S norm^-1/q, as
   after one that failed */
double dae_method_step_factor(const dae_method *m, double norm, double norm_before, bool accepted) {
  const double safety = 0.875, short_step = 3e-3, least = 0.2;
  if (!m || isnan(norm)) return least; /* an error that is no number is a large one */
  double power = 1.0 / (m->estimate + 1), beta = 0.04;
  norm = fmax(norm, DAE_STEP_NORM_LEAST);
  if (!accepted) return fmax(least, safety * pow(norm, -power));
  if (fmin(norm, norm_before) < short_step) beta = 0;
  double factor = safety * pow(norm, 0.75 * beta - power) * pow(norm_before, beta);
  return fmin(m->estimate < 7 ? 10.0 : 6.0, fmax(least, factor));
}
