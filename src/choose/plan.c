/* the plan: what stands for "auto", and what cannot be meant */
#include <math.h>

#include "choose/choose.h"

/* what a plan is made from */
typedef struct maker {
  const dae_system *s;
  const dae_settings *given;
  const dae_rates *rates;
  char *message;
  int size;
} maker;

static bool plain_form(dae_form_kind form) {
  return form == DAE_FORM_DIRECT || form == DAE_FORM_INDEX2;
}

bool dae_choose_asks(const dae_settings *given) {
  const dae_method *method = given->method;
  if (method && !method->implicit) return false;
  if (given->form == DAE_FORM_AUTO)
    return given->step == 0 && (!method || given->direction.kind == DAE_DIR_AUTO);
  return method && plain_form(given->form);
}

dae_status dae_choose_check(const dae_settings *o, char *text, int size) {
  if (o->step < 0 || !isfinite(o->step)) {
    dae_base_print(text, size, "step must be positive (or 0 for error control), not %g", o->step);
    return DAE_E_INPUT;
  }
  if (!(o->rtol >= 0) || !(o->atol >= 0)) {
    dae_base_print(text, size, "rtol and atol must not be negative: %g, %g", o->rtol, o->atol);
    return DAE_E_INPUT;
  }
  if (o->step == 0 && o->rtol < 1e-15 && o->atol < 1e-15) {
    dae_base_print(text, size, "the tolerance %g is below rounding (about 1e-15)",
                   fmax(o->rtol, o->atol));
    return DAE_E_TOLERANCE;
  }
  if (o->step == 0 && o->atol == 0) {
    dae_base_print(text, size,
                   "atol must be positive: a variable that passes zero would be left without a "
                   "tolerance (a very small atol is allowed)");
    return DAE_E_INPUT;
  }
  if (o->threads < 1) {
    dae_base_print(text, size, "threads must be at least 1, not %d", o->threads);
    return DAE_E_INPUT;
  }
  if (!(o->max_step >= 0) || !(o->first_step >= 0) || o->max_steps < 1) {
    dae_base_print(text, size,
                   "max_step and first_step must not be negative, max_steps at least 1");
    return DAE_E_INPUT;
  }
  return DAE_OK;
}

/* what follows from the rates at the start. Form and method when both are free and the problem is
   stiff; the direction of stabilization when constraints or forces turn fast beside what is stiff.
   Explicit methods do without: their steps are short beside the turn, and all directions then give
   the same errors (slider-crank, all tolerances), but not at the same cost. */
static void recommend(const maker *m, dae_settings *w) {
  bool free = !w->method, aimless = w->direction.kind == DAE_DIR_AUTO;
  if ((w->method && !w->method->implicit) || w->step > 0) return;
  dae_case kind = m->rates->kind;
  bool variable = kind == DAE_CASE_STIFF_VARIABLE;
  if (free) w->method = m->rates->method;
  if (free && (variable || kind == DAE_CASE_STIFF_FROZEN)) {
    dae_advice a = dae_choose_advice(m->s->p, w, kind);
    w->method = dae_choose_implicit(m->s->p, w, m->rates->turning);
    w->form = a.form;
    if (aimless) w->direction.kind = a.direction;
    if (w->stabilize == DAE_STAB_AUTO) w->stabilize = a.stabilize;
  } else if (aimless && !free && (variable || kind == DAE_CASE_NONSTIFF_FAST)) {
    w->direction.kind = DAE_DIR_FULL;
  }
}

/* the method that goes with a form */
static const dae_method *method_for(const maker *m, const dae_settings *w) {
  dae_view_kind view = w->form == DAE_FORM_AUTO ? 0 : dae_form_at(w->form)->view;
  if (w->form == DAE_FORM_SRM) return dae_method_find(w->step > 0 ? "heun" : "dopri5");
  if (view == DAE_VIEW_PROBLEM)
    return dae_method_find(m->s->order <= 3 ? "colloc-radau3" : "colloc-radau6");
  if (view != DAE_VIEW_INDEX2) return dae_choose_explicit(w);
  return w->step > 0 ? dae_method_find("backward-euler")
                     : dae_choose_implicit(m->s->p, w, m->rates->turning);
}

/* does the problem give what elimination needs, the highest derivative of its constraints? */
static bool gives_curvature(const dae_problem *p) {
  if (p->kind == DAE_HESSENBERG) return p->hessenberg.g_rate != NULL;
  return p->kind != DAE_MECHANICAL || p->mechanical.curvature || p->mechanical.evaluate;
}

/* Algebraic entries of an ODE are not integrated by implicit methods: steps that are long beside
   the fastest rate lambda of the states turn the error of lambda delta that a stage leaves in such
   an entry into a change h lambda delta of the states. With the invariants imposed they are what
   the states make of them. */
static bool imposes(const dae_system *s, const dae_method *method) {
  return s->p->kind == DAE_ODE && s->p->ode.algebraic && s->nh > 0 && method->implicit;
}

/* the form that goes with a method */
static dae_form_kind form_for(const maker *m, const dae_method *method) {
  const dae_system *s = m->s;
  /* an ODE has no multipliers: its invariants are projected onto */
  if (method->view == DAE_VIEW_PROBLEM)
    return s->ny == 0 && s->nh > 0 ? DAE_FORM_PI1 : DAE_FORM_INDEX2;
  if (imposes(s, method) && (method->view & DAE_VIEW_INDEX2)) return DAE_FORM_INVARIANT;
  bool explicit_view = method->view == DAE_VIEW_ODE || s->ny == 0 || !method->implicit;
  if (explicit_view && (method->view & DAE_VIEW_ODE)) return DAE_FORM_INDEX1;
  /* half-explicit methods work on the constraints of the highest level; these also make the
     smallest matrices. What they leave of the lower levels is projected, which methods of one
     stage (most of all bdf, whose past points it moves) bear less well */
  bool high = dae_problem_index(s->p) > 2, mechanism = s->p->kind == DAE_MECHANICAL && high;
  bool highest = !method->implicit || s->shape.pattern || (mechanism && method->stages > 1);
  /* nor do they ask for second derivatives, which would have to be made by differences */
  if (method->stages > 1 && !gives_curvature(s->p)) highest = true;
  if (highest && s->ny > 0) return high ? DAE_FORM_INDEX2 : DAE_FORM_DIRECT;
  return s->p->kind == DAE_MECHANICAL ? DAE_FORM_GGL : DAE_FORM_INVARIANT;
}

/* `project` on a form: projection after the step of the levels asked for, along the constraints
   (the end of section 4 of 1993: Pa followed by the velocity projection) */
static dae_status project_after(const maker *m, dae_settings *w) {
  static const char *const words[] = {"auto", "none", "velocity", "position", "both", "all"};
  if (w->project == DAE_PROJECT_AUTO) return DAE_OK;
  bool none = w->project == DAE_PROJECT_NONE, free = w->stabilize == DAE_STAB_AUTO;
  if (!free && (w->stabilize == DAE_STAB_PROJECT) == none) {
    dae_base_print(
        m->message, m->size,
        "stabilize %s contradicts project %s: they disagree on whether steps are projected",
        dae_stabilizer_at(w->stabilize)->name, words[w->project]);
    return DAE_E_INPUT;
  }
  if (none && free) w->stabilize = DAE_STAB_NONE;
  if (none) return DAE_OK;
  w->stabilize = DAE_STAB_PROJECT;
  w->level = w->project == DAE_PROJECT_VELOCITY   ? DAE_LEVEL_VELOCITY
             : w->project == DAE_PROJECT_POSITION ? DAE_LEVEL_POSITION
                                                  : DAE_LEVEL_BOTH;
  if (w->direction.kind == DAE_DIR_AUTO) w->direction.kind = DAE_DIR_CONSTRAINT;
  return DAE_OK;
}

/* constraints of the form are left off by about the tolerance, or by what adds up over a run. That
   may be much for variables that the constraints do not mention: beside z = t^3 the equation y' =
   -(1 + nu (z - t^3)) y makes nu times the residual of it */
static bool drifts(const maker *m, const dae_settings *w) {
  if (w->step > 0 || w->mesh > 0 || m->s->nh == 0) return false;
  /* pi2 has positions alone as its constraints, index2 velocities */
  if (w->form == DAE_FORM_INDEX2) return m->s->order > 1;
  return w->form == DAE_FORM_PI2 || w->form == DAE_FORM_ATTRACT || w->form == DAE_FORM_BAUMGARTE;
}

/* projection by default; with fixed steps forms that are chosen for their own stabilization are
   left alone */
static dae_status choose_stabilizer(const maker *m, bool form_given, dae_settings *w) {
  bool plain = m->s->nh > 0 && (!form_given || w->form == DAE_FORM_INDEX1);
  /* collocation projects by itself when it is told to */
  bool collocation = w->method->view == DAE_VIEW_PROBLEM;
  if (drifts(m, w)) plain = true;
  if (collocation && w->project != DAE_PROJECT_AUTO) plain = false;
  /* positions alone leave the velocities to a drift that grows: with error control these are
     projected, as the end of section 4 of 1993 recommends */
  bool positions = w->form == DAE_FORM_INVARIANT && w->form_levels == 0 && m->s->order > 1;
  if (positions && w->step == 0 && w->project == DAE_PROJECT_AUTO && w->stabilize == DAE_STAB_AUTO)
    w->project = m->s->order == 2 ? DAE_PROJECT_VELOCITY : DAE_PROJECT_BOTH;
  dae_status status = collocation ? DAE_OK : project_after(m, w);
  if (status != DAE_OK) return status;
  /* a form along the constraints is not stabilized across them */
  bool along = w->form == DAE_FORM_INVARIANT || w->form == DAE_FORM_INVARIANT_ALL;
  if (along && w->direction.kind == DAE_DIR_AUTO) w->direction.kind = DAE_DIR_CONSTRAINT;
  if (w->stabilize == DAE_STAB_AUTO) w->stabilize = plain ? DAE_STAB_PROJECT : DAE_STAB_NONE;
  return DAE_OK;
}

/* what takes the place of a method at a tolerance that it cannot keep: of its kind, with high
   order */
static const char *finer_method(const dae_method *m) {
  if (m->view == DAE_VIEW_PROBLEM) return "colloc-radau5";
  if (m->implicit) return "radau5";
  return m->view == DAE_VIEW_INDEX2 ? "herk5" : "dop853";
}

/* error control needs an estimate, and a tolerance that the method can keep */
static dae_status check_control(const maker *m, const dae_settings *w) {
  const dae_method *method = w->method;
  const double tolerance = fmax(w->rtol, w->atol), tightest = dae_method_tightest(method);
  if (w->step > 0) return DAE_OK;
  if (method->estimate == 0) {
    dae_base_print(m->message, m->size, "method %s has no error estimate: set a fixed step",
                   method->name);
    return DAE_E_INPUT;
  }
  /* a tolerance that was typed may be off by a rounding */
  if (tolerance >= 0.999 * tightest) return DAE_OK;
  dae_base_print(m->message, m->size,
                 "method %s, of order %d, cannot meet the tolerance %g; the tightest it supports "
                 "is %g; use %s, or set a fixed step",
                 method->name, method->order, tolerance, tightest, finer_method(method));
  return DAE_E_TOLERANCE;
}

static dae_status check_imposed(const maker *m, const dae_settings *w) {
  if (!imposes(m->s, w->method) || dae_form_at(w->form)->view != DAE_VIEW_ODE) return DAE_OK;
  dae_base_print(m->message, m->size,
                 "form %s integrates algebraic variables, which method %s, being implicit, would "
                 "not keep to their equations between steps: use form invariant",
                 dae_form_at(w->form)->name, w->method->name);
  return DAE_E_FORM;
}

/* methods of the order-m problem itself: a number of mesh intervals is a step size */
static dae_status on_mesh(const maker *m, dae_settings *w) {
  const dae_problem *p = m->s->p;
  if (!(w->mesh_grade > 0)) {
    dae_base_print(m->message, m->size, "mesh_grade must be positive, not %g", w->mesh_grade);
    return DAE_E_INPUT;
  }
  if (w->mesh > 0 && w->step == 0) w->step = (p->t1 - p->t0) / w->mesh;
  return DAE_OK;
}

/* an implicit problem is solved as it is, by methods that need no more than its residual */
static dae_status settle_implicit(const maker *m, dae_settings *w) {
  if (!w->method) w->method = dae_choose_implicit(m->s->p, w, m->rates->turning);
  const dae_method *method = w->method;
  const char *why = NULL;
  if (!method->implicit || !(method->view & DAE_VIEW_INDEX2))
    why = "does not solve equations in x'";
  else if (method == dae_method_find("implicit-midpoint"))
    why = "does not solve for algebraic variables at the end of its steps, as gauss1 does";
  if (why) {
    dae_base_print(m->message, m->size,
                   "method %s %s: an implicit problem needs radau, gauss, lobatto, sdirk, bdf or "
                   "backward-euler",
                   method->name, why);
    return DAE_E_FORM;
  }
  if (w->form != DAE_FORM_AUTO && w->form != DAE_FORM_DIRECT) {
    dae_base_print(
        m->message, m->size,
        "form %s does not fit an implicit problem, which is solved as it is: form direct",
        dae_form_at(w->form)->name);
    return DAE_E_FORM;
  }
  w->form = DAE_FORM_DIRECT;
  dae_status status = choose_stabilizer(m, false, w);
  return status == DAE_OK ? check_control(m, w) : status;
}

/* form, method, direction and stabilizer where they are free, one following from the other */
static dae_status settle(const maker *m, dae_settings *w) {
  if (m->s->p->kind == DAE_IMPLICIT) return settle_implicit(m, w);
  bool form_given = w->form != DAE_FORM_AUTO;
  if (!form_given) recommend(m, w);
  if (!w->method) w->method = method_for(m, w);
  if (w->form == DAE_FORM_AUTO) w->form = form_for(m, w->method);
  dae_status status = check_imposed(m, w);
  if (status == DAE_OK) status = choose_stabilizer(m, form_given, w);
  bool collocation = w->form != DAE_FORM_SRM && w->method->view == DAE_VIEW_PROBLEM;
  /* collocation makes its step from a number of mesh intervals */
  if (status == DAE_OK && !(collocation && w->mesh > 0)) status = check_control(m, w);
  if (status == DAE_OK && collocation) status = on_mesh(m, w);
  return status;
}

/* does a way pass singular positions? The same as dae_passage_crosses, before it is made */
static bool crosses(const dae_settings *w) {
  return w->form == DAE_FORM_INDEX1 && !w->method->implicit;
}

/* unknowns of its own cannot be taken up again behind a singular position */
static bool own_unknowns(dae_form_kind form) {
  return form == DAE_FORM_SRM || form == DAE_FORM_STATE_SPACE || form == DAE_FORM_EMBED;
}

static bool stands_by(const dae_plan *plan, const maker *m) {
  /* dense Newton matrices of more than half a gigabyte are not taken on suspicion */
  enum { DENSE_MOST = 8192 };
  const dae_settings *first = &plan->o;
  bool form_given = m->given->form != DAE_FORM_AUTO;
  if (m->given->step > 0 || m->s->p->kind == DAE_IMPLICIT) return false;
  bool sparse = m->s->shape.pattern || m->s->f_pattern;
  if (m->s->nz > DENSE_MOST && !sparse && !first->method->implicit) return false;
  /* waves have been looked at: short steps are no sign of stiffness then */
  if (!plan->for_passage && m->rates->method && !m->rates->method->implicit) return false;
  if (plan->for_passage && (crosses(first) || m->s->ny == 0)) return false;
  return !form_given || !own_unknowns(first->form);
}

/* the form of the implicit method that stands by: where forces of constraints turn fast across
   them, the usual one would step as shortly as an explicit method */
static void form_in_doubt(const maker *m, dae_settings *w) {
  if (m->rates->stiff != DAE_CASE_STIFF_VARIABLE || !w->method->implicit) return;
  dae_advice a = dae_choose_advice(m->s->p, w, m->rates->stiff);
  w->form = a.form;
  if (w->direction.kind == DAE_DIR_AUTO) w->direction.kind = a.direction;
  if (w->stabilize == DAE_STAB_AUTO) w->stabilize = a.stabilize;
}

/* what was asked for by name ends where its form does not pass: the usual ones go on */
static void usual_form(dae_settings *w) {
  const dae_options usual = dae_options_default();
  w->form = DAE_FORM_INDEX1;
  w->form_levels = 0;
  w->stabilize = DAE_STAB_PROJECT;
  w->direction = (dae_direction_choice){.kind = DAE_DIR_AUTO};
  w->project = DAE_PROJECT_AUTO;
  w->level = DAE_LEVEL_BOTH;
  w->weighting = DAE_WEIGHTING_INVERSE;
  w->schur = DAE_SCHUR_FACTOR;
  w->alpha = usual.alpha;
  w->passes = usual.passes;
  w->freeze = usual.freeze;
}

dae_status dae_choose_plan(dae_plan *plan, const dae_system *s, char *message, int size) {
  const dae_settings *given = &plan->given;
  const maker m = {s, given, &plan->rates, message, size};
  char unheard[DAE_TEXT_MAX];
  maker aside = m;
  aside.message = unheard;
  aside.size = sizeof unheard;
  bool form_given = given->form != DAE_FORM_AUTO;
  plan->o = plan->other = *given;
  plan->n_way = 1;
  plan->for_passage = form_given || given->method;
  plan->doubt = 0;
  dae_status status = settle(&m, &plan->o);
  if (status != DAE_OK) return status;
  /* it discretizes the multipliers, while their forces turn fast across the constraints */
  if (plain_form(given->form) && given->method && given->method->implicit &&
      plan->rates.kind == DAE_CASE_STIFF_VARIABLE)
    plan->doubt = plan->rates.turn;
  if (!stands_by(plan, &m)) return DAE_OK;
  if (form_given) usual_form(&plan->other);
  plan->other.method = crosses(&plan->o) ? dae_choose_implicit(s->p, given, plan->rates.turning)
                                         : dae_choose_explicit(given);
  if (!plan->for_passage) form_in_doubt(&m, &plan->other);
  if (settle(&aside, &plan->other) == DAE_OK) plan->n_way = 2;
  return DAE_OK;
}
