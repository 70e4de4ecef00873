/*
 * form: reformulations. Each turns the system into one of two views and keeps the invariants:
 *   ODE view      z' = F(t,z),                    invariants h(t,z) = 0
 *   index-2 view  z' = F(t,z,mu),  0 = c(t,z),    mostly F = F0 + D mu
 * One file a form; form.c is the table.
 */
#ifndef DAE_FORM_H
#define DAE_FORM_H

#include "problem/view.h"
#include <daedal/options.h>

/* DAE_E_FORM when the form cannot honour a part of the problem, with a sentence in `message` */
dae_status dae_form_view(dae_view **out, const char *name, dae_system *sys, const dae_options *o,
                         dae_pool *pool, char *message, int size);
void dae_form_free(dae_view *v);

/* the forms, one constructor each */
dae_status dae_form_index1(dae_view *v, const dae_options *o, char *message, int size);

#endif
