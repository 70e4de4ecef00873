/* the table of forms, and what all views share */
#include <stdarg.h>
#include <stdio.h>

#include "form/form.h"

typedef struct form_entry {
  dae_choice choice;
  dae_form_make *make;
} form_entry;

static const form_entry table[] = {
    [DAE_FORM_DIRECT] = {{"direct", DAE_VIEW_INDEX2, "z' = f - B y, 0 = g", "1993 (4.1)",
                          "index-2 problems as they are; stiff ones with slow constraints"},
                         dae_form_direct},
    [DAE_FORM_INDEX1] = {{"index1", DAE_VIEW_ODE, "[M K; G 0] [x^(m); y] = [f; -c]",
                          "1992-stab (1.3)",
                          "nonstiff problems, with a stabilization after the step"},
                         dae_form_index1},
    [DAE_FORM_INDEX2] = {{"index2", DAE_VIEW_INDEX2,
                          "M x^(m) = f - K y, 0 = sum beta_l g^(l), l < m", "1993 (3.11)",
                          "velocity constraints matter, the position may drift slowly"},
                         dae_form_index2},
    [DAE_FORM_BAUMGARTE] = {{"baumgarte", DAE_VIEW_ODE,
                             "g^(m) + sum alpha_l g^(l) = 0, alpha of (s + gamma)^m",
                             "1992-stab (1.4)-(1.6)",
                             "comparison with codes that use it; slow nonstiff problems"},
                            dae_form_baumgarte},
    [DAE_FORM_ATTRACT] = {{"attract", DAE_VIEW_ODE, "z' = f - gamma F h, F = D(HD)^-1 or D",
                           "1992-stab (2.3), (1.7), (1.8)",
                           "the constraints attract at a chosen rate, in a direction of choice"},
                          dae_form_attract},
    [DAE_FORM_GGL] = {{"ggl", DAE_VIEW_INDEX2, "x' = v + D mu, M v' = f - K y, 0 = g, 0 = g'",
                       "1993 (2.18), (4.15)",
                       "stiff problems with slow constraints, all levels satisfied"},
                      dae_form_ggl},
    [DAE_FORM_INVARIANT] =
        {{"invariant", DAE_VIEW_INDEX2, "x' = v + D mu, v' of index1, 0 = g",
          "1993 (3.27), (4.7), (4.14)",
          "stiff problems with unequal masses or fast constraints; invariant:K imposes K levels"},
         dae_form_invariant},
    [DAE_FORM_INVARIANT_ALL] = {{"invariant-all", DAE_VIEW_INDEX2,
                                 "x' = v + D mu, v' of index1 + D tau, 0 = g, 0 = g'",
                                 "1993 (4.16)",
                                 "as invariant, all levels satisfied, slow constraints"},
                                dae_form_invariant_all},
    [DAE_FORM_INVARIANT_BALANCED] = {{"invariant-balanced", DAE_VIEW_INDEX2,
                                      "z' of index1 + H' (mu, tau), 0 = g, 0 = g'", "1993 (4.17)",
                                      "as invariant-all, also for fast constraints"},
                                     dae_form_invariant_balanced},
    [DAE_FORM_STATE_SPACE] = {{"state-space", DAE_VIEW_ODE,
                               "u = R x, u^(m) = R x^(m) with x from u and g = 0",
                               "1993 (3.16)-(3.17)",
                               "small problems whose constraints turn slowly"},
                              dae_form_state_space},
    [DAE_FORM_EMBED] = {{"embed", DAE_VIEW_INDEX2, "z' = f - B y, w' = -gamma w, 0 = h - w",
                         "2001 (3.1)", "starts off the constraints, which then attract"},
                        dae_form_embed},
    [DAE_FORM_PI1] = {{"pi1", DAE_VIEW_PROBLEM, "x^(m) of index1 + D mu, 0 = g^(m-1)",
                       "1992-col (2.28)",
                       "collocation when the multipliers act almost along the constraints"},
                      NULL},
    [DAE_FORM_PI1_PLUS] = {{"pi1-plus", DAE_VIEW_PROBLEM, "pi1, then x projected onto 0 = g",
                            "1992-col (3.8)",
                            "as pi1, the original constraint satisfied at mesh points"},
                           NULL},
    [DAE_FORM_PI2] = {{"pi2", DAE_VIEW_PROBLEM,
                       "x^(m) of index1 at x + phi, phi' = D mu, 0 = g(x + phi)", "1992-col (3.13)",
                       "collocation of fast constraints on coarse meshes"},
                      NULL},
    [DAE_FORM_SRM] = {{"srm", DAE_VIEW_PROBLEM,
                       "x_s^(m) = f - B y_s, y_s = y_(s-1) + E g^(m-1)/eps, s = 1, 2, ..",
                       "1995 (2.4), (4.14), (5.5)",
                       "no second derivatives of g, nor (GB)^-1 with srm_weight identity; singular "
                       "constraints with "
                       "srm_variant singular"},
                      NULL},
};

const dae_choice *dae_form_at(int i) { return i >= 0 && i < DAE_FORMS ? &table[i].choice : NULL; }

dae_status dae_form_refuse(char *message, int size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dae_base_vprint(message, size, format, args);
  va_end(args);
  return DAE_E_FORM;
}

dae_status dae_form_view(dae_view **out, dae_point *point, const dae_settings *o, dae_pool *pool,
                         char *message, int size) {
  *out = NULL;
  const form_entry *e = &table[o->form];
  if (!e->make)
    return dae_form_refuse(message, size, "form %s is for collocation: use a method colloc-..",
                           e->choice.name);
  dae_view *v = dae_base_take(pool, 1, sizeof *v);
  if (!v) return DAE_E_MEMORY;
  v->name = e->choice.name;
  v->kind = e->choice.view;
  v->sys = point->sys;
  v->point = point;
  v->pool = pool;
  v->lean = o->method && !o->method->implicit;
  dae_status status = e->make(v, o, message, size);
  if (status == DAE_OK && !v->jacobian && !v->equations) {
    int rows = v->nz > v->nmu ? v->nz : v->nmu, n = v->nz + v->nmu;
    v->difference = dae_base_doubles(pool, (size_t)n * (size_t)(rows + 2) + 4 * (size_t)rows);
  }
  if (status == DAE_OK && pool->failed) status = DAE_E_MEMORY;
  if (status != DAE_OK) {
    dae_form_free(v);
    return status;
  }
  *out = v;
  return DAE_OK;
}

/* memory belongs to the pool */
void dae_form_free(dae_view *v) { (void)v; }
