/* the table of forms, and what all views share */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "form/form.h"

typedef struct form_entry {
  dae_choice choice;
  dae_form_make *make;
} form_entry;

static const form_entry table[] = {
    {{"direct", DAE_VIEW_INDEX2, "z' = f - B y, 0 = g", "1993 (4.1)",
      "index-2 problems as they are; stiff ones with slow constraints"},
     dae_form_direct},
    {{"index1", DAE_VIEW_ODE, "[M K; G 0] [x^(m); y] = [f; -c]", "1992-stab (1.3)",
      "nonstiff problems, with a stabilization after the step"},
     dae_form_index1},
    {{"index2", DAE_VIEW_INDEX2, "M x^(m) = f - K y, 0 = sum beta_l g^(l), l < m", "1993 (3.11)",
      "velocity constraints matter, the position may drift slowly"},
     dae_form_index2},
    {{"baumgarte", DAE_VIEW_ODE, "g^(m) + sum alpha_l g^(l) = 0, alpha of (s + gamma)^m",
      "1992-stab (1.4)-(1.6)", "comparison with codes that use it; slow nonstiff problems"},
     dae_form_baumgarte},
    {{"attract", DAE_VIEW_ODE, "z' = f - gamma F h, F = D(HD)^-1 or D",
      "1992-stab (2.3), (1.7), (1.8)",
      "the constraints attract at a chosen rate, in a direction of choice"},
     dae_form_attract},
    {{"ggl", DAE_VIEW_INDEX2, "x' = v + D mu, M v' = f - K y, 0 = g, 0 = g'", "1993 (2.18), (4.15)",
      "stiff problems with slow constraints, all levels satisfied"},
     dae_form_ggl},
    {{"invariant", DAE_VIEW_INDEX2, "x' = v + D mu, v' of index1, 0 = g",
      "1993 (3.27), (4.7), (4.14)",
      "stiff problems with unequal masses or fast constraints; invariant:K imposes K levels"},
     dae_form_invariant},
    {{"invariant-all", DAE_VIEW_INDEX2, "x' = v + D mu, v' of index1 + D tau, 0 = g, 0 = g'",
      "1993 (4.16)", "as invariant, all levels satisfied, slow constraints"},
     dae_form_invariant_all},
    {{"invariant-balanced", DAE_VIEW_INDEX2, "z' of index1 + H' (mu, tau), 0 = g, 0 = g'",
      "1993 (4.17)", "as invariant-all, also for fast constraints"},
     dae_form_invariant_balanced},
    {{"state-space", DAE_VIEW_ODE, "u = R x, u^(m) = R x^(m) with x from u and g = 0",
      "1993 (3.16)-(3.17)", "small problems whose constraints turn slowly"},
     dae_form_state_space},
    {{"embed", DAE_VIEW_INDEX2, "z' = f - B y, w' = -gamma w, 0 = h - w", "2001 (3.1)",
      "starts off the constraints, which then attract"},
     dae_form_embed},
    {{"pi1", DAE_VIEW_PROBLEM, "x^(m) of index1 + D mu, 0 = g^(m-1)", "1992-col (2.28)",
      "collocation when the multipliers act almost along the constraints"},
     NULL},
    {{"pi1-plus", DAE_VIEW_PROBLEM, "pi1, then x projected onto 0 = g", "1992-col (3.8)",
      "as pi1, the original constraint satisfied at mesh points"},
     NULL},
    {{"pi2", DAE_VIEW_PROBLEM, "x^(m) of index1 at x + phi, phi' = D mu, 0 = g(x + phi)",
      "1992-col (3.13)", "collocation of fast constraints on coarse meshes"},
     NULL},
    {{"srm", DAE_VIEW_PROBLEM, "x_s^(m) = f - B y_s, y_s = y_(s-1) + E g^(m-1)/eps, s = 1, 2, ..",
      "1995 (2.4), (4.14), (5.5)",
      "no second derivatives of g, nor (GB)^-1 with srm_weight identity; singular constraints with "
      "srm_variant singular"},
     NULL},
};
enum { N_FORM = sizeof table / sizeof table[0] };

const dae_choice *dae_form_at(int i) { return i >= 0 && i < N_FORM ? &table[i].choice : NULL; }

/* the name up to a ':', which starts a parameter of the form */
static const form_entry *entry(const char *name) {
  size_t n = strcspn(name, ":");
  for (int i = 0; i < N_FORM; i++)
    if (strncmp(table[i].choice.name, name, n) == 0 && table[i].choice.name[n] == '\0')
      return &table[i];
  return NULL;
}

const dae_choice *dae_form_find(const char *name) {
  const form_entry *e = name ? entry(name) : NULL;
  return e ? &e->choice : NULL;
}

dae_status dae_form_refuse(char *message, int size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dae_base_vprint(message, size, format, args);
  va_end(args);
  return DAE_E_FORM;
}

dae_status dae_form_view(dae_view **out, const char *name, dae_point *point, const dae_options *o,
                         dae_pool *pool, char *message, int size) {
  *out = NULL;
  const form_entry *e = entry(name);
  if (!e) {
    dae_form_refuse(message, size, "there is no form '%s'", name);
    return DAE_E_INPUT;
  }
  if (!e->make)
    return dae_form_refuse(message, size, "form %s is for collocation: use a method colloc-..",
                           name);
  dae_view *v = dae_base_take(pool, 1, sizeof *v);
  if (!v) return DAE_E_MEMORY;
  v->name = e->choice.name;
  v->kind = e->choice.view;
  v->sys = point->sys;
  v->point = point;
  v->pool = pool;
  dae_status status = e->make(v, o, message, size);
  if (status == DAE_OK && !v->jacobian) {
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
