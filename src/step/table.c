/* the table of methods: what there is, and which family runs it */
#include <math.h>

#include "step/explicit.h"

static const dae_method ab2 = {.name = "ab2",
                               .order = 2,
                               .order_y = 2,
                               .stage_order = 1,
                               .stages = 1,
                               .r_infinity = NAN,
                               .view = DAE_VIEW_ODE,
                               .when =
                                   "one evaluation a step, fixed steps; first step forward Euler"};

static const struct {
  const dae_method *method;
  const dae_stepper_class *cls;
} table[] = {
    {&dae_step_euler.method, &dae_step_explicit},
    {&dae_step_midpoint.method, &dae_step_explicit},
    {&dae_step_heun.method, &dae_step_explicit},
    {&dae_step_rk4.method, &dae_step_explicit},
    {&dae_step_wave4.method, &dae_step_explicit},
    {&ab2, &dae_step_adams},
    {&dae_step_backward_euler, &dae_step_implicit},
    {&dae_step_implicit_midpoint, &dae_step_implicit},
    {&dae_step_dopri5.method, &dae_step_explicit},
    {&dae_step_dop853.method, &dae_step_explicit},
    {&dae_step_herk_method[0], &dae_step_herk},
    {&dae_step_herk_method[1], &dae_step_herk},
    {&dae_step_herk_method[2], &dae_step_herk},
    {&dae_step_herk_method[3], &dae_step_herk},
    {&dae_step_bdf_method[0], &dae_step_bdf},
    {&dae_step_bdf_method[1], &dae_step_bdf},
    {&dae_step_bdf_method[2], &dae_step_bdf},
    {&dae_step_bdf_method[3], &dae_step_bdf},
    {&dae_step_bdf_method[4], &dae_step_bdf},
    {&dae_step_bdf_method[5], &dae_step_bdf},
    {&dae_step_irk_method[0], &dae_step_irk},
    {&dae_step_irk_method[1], &dae_step_irk},
    {&dae_step_irk_method[2], &dae_step_irk},
    {&dae_step_irk_method[3], &dae_step_irk},
    {&dae_step_irk_method[4], &dae_step_irk},
    {&dae_step_irk_method[5], &dae_step_irk},
    {&dae_step_irk_method[6], &dae_step_irk},
    {&dae_step_irk_method[7], &dae_step_irk},
    {&dae_step_irk_method[8], &dae_step_irk},
    {&dae_step_irk_method[9], &dae_step_irk},
    {&dae_step_irk_method[10], &dae_step_irk},
    {&dae_step_irk_method[11], &dae_step_irk},
    {&dae_step_irk_method[12], &dae_step_irk},
    {&dae_step_irk_method[13], &dae_step_irk},
    {&dae_step_irk_method[14], &dae_step_irk},
};
enum { METHODS = sizeof table / sizeof *table };

const dae_method *dae_method_at(int i) {
  if (i >= METHODS && i < METHODS + DAE_STEP_ON_PROBLEM) return &dae_step_on_problem[i - METHODS];
  return i >= 0 && i < METHODS ? table[i].method : NULL;
}

/* Steps go with tolerance^(-1/order): 1e5, 1e4, 2e3 of them in a time in which the solution changes
   at all. More exceed max_steps in runs of some hundred such times. */
double dae_method_tightest(const dae_method *m) {
  static const double by_order[] = {1, 1e-5, 1e-8, 1e-10};
  const double rounding = 1e-15;
  return !m ? 0 : m->order < 4 ? by_order[m->order] : rounding;
}

const dae_stepper_class *dae_step_class(const dae_method *m) {
  for (int i = 0; i < METHODS; i++)
    if (table[i].method == m) return table[i].cls;
  for (int i = 0; i < DAE_STEP_ON_PROBLEM; i++)
    if (&dae_step_on_problem[i] == m) return NULL;
  /* those of the user (own.c) */
  return m->implicit ? &dae_step_irk : &dae_step_explicit;
}
