/* what stands for "auto", and the objects that were chosen */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"
#include "srm/srm.h"

static bool is_auto(const char *name) { return strcmp(name, "auto") == 0; }

/* "unknown X 'name'; did you mean 'near'?" */
static dae_status unknown(dae_solver *s, const char *what, const char *name,
                          const char *const *names, int count) {
  int near = dae_base_nearest(name, names, count);
  if (near >= 0)
    return dae_drive_report(s, DAE_E_INPUT, "unknown %s '%s'; did you mean '%s'?", what, name,
                            names[near]);
  return dae_drive_report(s, DAE_E_INPUT, "unknown %s '%s'", what, name);
}

enum { NAMES_MAX = 96 };

static dae_status find_method(dae_solver *s, const dae_method **out) {
  const char *names[NAMES_MAX];
  int count = 0;
  *out = dae_method_find(s->o.method);
  if (*out) return DAE_OK;
  for (const dae_method *m; count < NAMES_MAX && (m = dae_method_at(count)); count++)
    names[count] = m->name;
  return unknown(s, "method", s->o.method, names, count);
}

static dae_status find_choice(dae_solver *s, const char *what, const char *name,
                              const dae_choice *(*at)(int), const dae_choice **out) {
  const char *names[NAMES_MAX];
  int count = 0;
  /* what follows ':' is a parameter of the choice */
  const size_t n = strcspn(name, ":");
  *out = NULL;
  for (const dae_choice *c; count < NAMES_MAX && (c = at(count)); count++) {
    names[count] = c->name;
    if (strncmp(c->name, name, n) == 0 && c->name[n] == '\0') *out = c;
  }
  return *out ? DAE_OK : unknown(s, what, name, names, count);
}

/* explicit methods on the underlying ODE: the high order wins at all tolerances, see
   docs/benchmarks.md */
static const char *explicit_method(const dae_solver *s) { return s->o.step > 0 ? "rk4" : "dop853"; }

/* what follows from the rates at the start. Form and method when both are free and the problem is
   stiff; the direction of stabilization when constraints or forces turn fast beside what is stiff.
   Explicit methods do without: their steps are short beside the turn, and all directions then give
   the same errors (slider-crank, all tolerances), but not at the same cost. */
static void recommend(dae_solver *s) {
  bool free = is_auto(s->o.method), aimless = is_auto(s->o.direction);
  const dae_method *method = free ? NULL : dae_method_find(s->o.method);
  if ((method && !method->implicit) || s->o.step > 0) return;
  dae_diagnosis d = {.index = dae_problem_index(s->p), .kind = s->rates.kind};
  bool variable = d.kind == DAE_CASE_STIFF_VARIABLE;
  if (free && s->rates.method) s->o.method = s->rates.method;
  if (free && (variable || d.kind == DAE_CASE_STIFF_FROZEN)) {
    dae_choose_recommend(s->p, &s->o, &d);
    s->o.method = d.method;
    s->o.form = d.form;
    if (aimless) s->o.direction = d.direction;
    if (is_auto(s->o.stabilize)) s->o.stabilize = d.stabilize;
  } else if (aimless && !free && (variable || d.kind == DAE_CASE_NONSTIFF_FAST)) {
    s->o.direction = "full";
  }
}

/* form and method as names, one following from the other where only one is given; *out: the
   method */
static dae_status choose_names(dae_solver *s, const dae_method **out) {
  const dae_choice *form = NULL;
  const dae_method *method = NULL;
  dae_status status = DAE_OK;
  if (is_auto(s->o.form)) recommend(s);
  if (!is_auto(s->o.form)) status = find_choice(s, "form", s->o.form, dae_form_at, &form);
  if (status == DAE_OK && !is_auto(s->o.method)) status = find_method(s, &method);
  bool plain = form && (strcmp(form->name, "direct") == 0 || strcmp(form->name, "index2") == 0);
  if (status != DAE_OK) return status;
  /* it discretizes the multipliers, while their forces turn fast across the constraints */
  if (plain && method && method->implicit && s->rates.kind == DAE_CASE_STIFF_VARIABLE)
    s->doubt = s->rates.turn;
  if (!method) {
    bool index2 = form && form->view == DAE_VIEW_INDEX2;
    if (form && strcmp(form->name, "srm") == 0) s->o.method = s->o.step > 0 ? "heun" : "dopri5";
    else if (form && form->view == DAE_VIEW_PROBLEM)
      s->o.method = s->sys->order <= 3 ? "colloc-radau3" : "colloc-radau6";
    else if (!index2) s->o.method = explicit_method(s);
    else s->o.method = s->o.step > 0 ? "backward-euler" : dae_choose_stiff_method(&s->o);
    status = find_method(s, &method);
  }
  if (status == DAE_OK && !form && method->view == DAE_VIEW_PROBLEM) {
    /* an ODE has no multipliers: its invariants are projected onto */
    s->o.form = s->sys->ny == 0 && s->sys->nh > 0 ? "pi1" : "index2";
  } else if (status == DAE_OK && !form) {
    bool explicit_view = method->view == DAE_VIEW_ODE || s->sys->ny == 0 || !method->implicit;
    /* half-explicit methods work on the constraints of the highest level; these also make the
       smallest matrices. What they leave of the lower levels is projected, which methods of one
       stage (most of all bdf, whose past points it moves) bear less well */
    bool mechanism = s->p->kind == DAE_MECHANICAL && dae_problem_index(s->p) > 2;
    bool highest = !method->implicit || s->sys->shape.pattern || (mechanism && method->stages > 1);
    if (explicit_view && (method->view & DAE_VIEW_ODE)) s->o.form = "index1";
    else if (highest && s->sys->ny > 0)
      s->o.form = dae_problem_index(s->p) > 2 ? "index2" : "direct";
    else s->o.form = s->p->kind == DAE_MECHANICAL ? "ggl" : "invariant";
  }
  *out = method;
  return status;
}

/* `project` on a form: projection after the step of the levels asked for, along the constraints
   (the end of section 4 of 1993: Pa followed by the velocity projection) */
static dae_status project_after(dae_solver *s) {
  if (is_auto(s->o.project)) return DAE_OK;
  bool none = strcmp(s->o.project, "none") == 0, onto = strcmp(s->o.stabilize, "project") == 0;
  if (!is_auto(s->o.stabilize) && onto == none)
    return dae_drive_report(s, DAE_E_INPUT,
                            "stabilize %s contradicts project %s: one says whether the steps are "
                            "projected, and the other says the opposite",
                            s->o.stabilize, s->o.project);
  if (none && is_auto(s->o.stabilize)) s->o.stabilize = "none";
  if (none) return DAE_OK;
  s->o.stabilize = "project";
  s->o.level = s->o.project;
  if (is_auto(s->o.direction)) s->o.direction = "constraint";
  return DAE_OK;
}

/* projection by default; forms that are chosen for their own stabilization are left alone */
static dae_status choose_stabilizer(dae_solver *s, bool form_given, const dae_method *method,
                                    dae_stabilizer_kind *kind) {
  bool plain = s->sys->nh > 0 && (!form_given || strcmp(s->o.form, "index1") == 0);
  /* collocation projects by itself when it is told to */
  bool collocation = method->view == DAE_VIEW_PROBLEM;
  if (collocation && !is_auto(s->o.project)) plain = false;
  /* positions alone leave the velocities to a drift that grows: with error control these are
     projected, as the end of section 4 of 1993 recommends */
  bool positions = strcmp(s->o.form, "invariant") == 0 && s->sys->order > 1;
  if (positions && s->o.step == 0 && is_auto(s->o.project) && is_auto(s->o.stabilize))
    s->o.project = s->sys->order == 2 ? "velocity" : "both";
  dae_status status = collocation ? DAE_OK : project_after(s);
  if (status != DAE_OK) return status;
  /* a form along the constraints is not stabilized across them */
  bool along =
      strncmp(s->o.form, "invariant", 9) == 0 && strcmp(s->o.form, "invariant-balanced") != 0;
  if (along && is_auto(s->o.direction)) s->o.direction = "constraint";
  if (is_auto(s->o.stabilize)) s->o.stabilize = plain ? "project" : "none";
  const dae_choice *c;
  status = find_choice(s, "stabilizer", s->o.stabilize, dae_stabilizer_at, &c);
  if (status != DAE_OK) return status;
  *kind = dae_stabilize_kind(c);
  s->stabilize_name = c->name;
  return DAE_OK;
}

/* numbers that cannot be meant */
static dae_status check_numbers(dae_solver *s) {
  const dae_options *o = &s->o;
  if (o->step < 0 || !isfinite(o->step))
    return dae_drive_report(s, DAE_E_INPUT,
                            "step must be positive (or 0 for error control), not %g", o->step);
  if (!(o->rtol >= 0) || !(o->atol >= 0))
    return dae_drive_report(s, DAE_E_INPUT, "rtol and atol must not be negative: %g, %g", o->rtol,
                            o->atol);
  if (o->step == 0 && o->rtol < 1e-15 && o->atol < 1e-15)
    return dae_drive_report(s, DAE_E_TOLERANCE, "the tolerance %g is below rounding (about 1e-15)",
                            fmax(o->rtol, o->atol));
  if (o->step == 0 && o->atol == 0)
    return dae_drive_report(s, DAE_E_TOLERANCE,
                            "atol must be positive: a variable that passes zero would "
                            "have no tolerance left");
  if (!(o->max_step >= 0) || !(o->first_step >= 0) || o->max_steps < 1)
    return dae_drive_report(s, DAE_E_INPUT,
                            "max_step and first_step must not be negative, max_steps at least 1");
  return DAE_OK;
}

/* methods of the order-m problem itself: a number of mesh intervals is a step size */
static dae_status collocation(dae_solver *s, const dae_method *method, dae_way *w, char *message,
                              int size) {
  if (!(s->o.mesh_grade > 0))
    return dae_drive_report(s, DAE_E_INPUT, "mesh_grade must be positive, not %g", s->o.mesh_grade);
  if (s->o.mesh > 0 && s->o.step == 0) s->o.step = (s->p->t1 - s->p->t0) / s->o.mesh;
  dae_status status =
      dae_colloc_step_new(&w->step, method, s->sys->point, &s->o, &s->pool, message, size);
  if (status == DAE_OK) w->view = w->step->view;
  return status;
}

static dae_status regularization(dae_solver *s, const dae_method *method, dae_way *w, char *message,
                                 int size) {
  dae_status status =
      dae_srm_step_new(&w->step, method, s->sys->point, &s->o, &s->pool, message, size);
  if (status == DAE_OK) w->view = w->step->view;
  s->own_y = true;
  return status;
}

/* least change onto all levels, whatever is chosen for the steps */
static dae_status new_nearest(dae_solver *s) {
  dae_options o = s->o;
  o.level = "both";
  o.weighting = "inverse";
  o.schur = "factor";
  o.freeze = 1;
  return dae_stabilize_new(&s->nearest, s->sys->point, &o, DAE_STAB_PROJECT, "auto", &s->pool,
                           s->report.message, sizeof s->report.message);
}

/* the constructors leave a sentence in the report; the rest of it */
static dae_status explained(dae_solver *s, dae_status status) {
  s->report.status = status;
  snprintf(s->report.advice, sizeof s->report.advice, "%s", dae_status_advice(status));
  if (!s->report.message[0])
    snprintf(s->report.message, sizeof s->report.message, "%s", dae_status_meaning(status));
  return status;
}

/* what takes the place of a method at a tolerance that it cannot keep: of its kind, with high
   order */
static const char *finer_method(const dae_method *m) {
  if (m->view == DAE_VIEW_PROBLEM) return "colloc-radau5";
  if (m->implicit) return "radau5";
  return m->view == DAE_VIEW_INDEX2 ? "herk5" : "dop853";
}

/* error control needs an estimate, and a tolerance that the method can keep */
static dae_status check_control(dae_solver *s, const dae_method *m) {
  const double tolerance = fmax(s->o.rtol, s->o.atol), tightest = dae_method_tightest(m);
  if (s->o.step > 0) return DAE_OK;
  if (m->estimate == 0)
    return dae_drive_report(s, DAE_E_INPUT, "method %s has no error estimate: give a step",
                            m->name);
  /* a tolerance that was typed may be off by a rounding */
  if (tolerance >= 0.999 * tightest) return DAE_OK;
  return dae_drive_report(s, DAE_E_TOLERANCE,
                          "method %s, of order %d, cannot keep the tolerance %g; its tightest is "
                          "%g; use %s, or give a step",
                          m->name, m->order, tolerance, tightest, finer_method(m));
}

/* form, method and stabilizer for the present options, whose names are then no longer "auto" */
static dae_status make_way(dae_solver *s, dae_way *w) {
  char *message = s->report.message;
  int size = sizeof s->report.message;
  bool form_given = !is_auto(s->o.form);
  dae_stabilizer_kind kind = DAE_STAB_NONE;
  const dae_method *method;
  dae_status status = choose_names(s, &method);
  if (status == DAE_OK) status = choose_stabilizer(s, form_given, method, &kind);
  bool srm = strcmp(s->o.form, "srm") == 0;
  /* collocation makes its step from a number of mesh intervals */
  bool on_mesh = status == DAE_OK && !srm && method->view == DAE_VIEW_PROBLEM && s->o.mesh > 0;
  if (status == DAE_OK && !on_mesh) status = check_control(s, method);
  if (status != DAE_OK) return status;
  bool on_problem = srm || method->view == DAE_VIEW_PROBLEM;
  if (srm) status = regularization(s, method, w, message, size);
  else if (on_problem) status = collocation(s, method, w, message, size);
  else status = dae_form_view(&w->view, s->o.form, s->sys->point, &s->o, &s->pool, message, size);
  if (status == DAE_OK && !on_problem)
    status = dae_step_new(&w->step, method, w->view, &s->o, &s->pool, message, size);
  if (status == DAE_OK)
    status = dae_stabilize_new(&w->stab, s->sys->point, &s->o, kind, s->o.direction, &s->pool,
                               message, size);
  w->stabilize_name = s->stabilize_name;
  return status;
}

/* where the form is free and steps have error control, the other kind of method stands by: explicit
   beside implicit, or the form that goes with an implicit one; for an implicit method that was
   asked for only until a singular position is passed. All memory is taken here, so that a change
   takes none */
static dae_status stand_by(dae_solver *s, const dae_options *given) {
  /* dense Newton matrices of more than half a gigabyte are not taken on suspicion */
  enum { DENSE_MOST = 8192 };
  bool form_given = !is_auto(given->form);
  s->passage_only = form_given || !is_auto(given->method);
  if (given->step > 0) return DAE_OK;
  if (s->sys->nz > DENSE_MOST && !s->sys->shape.pattern && !s->way[0].step->method->implicit)
    return DAE_OK;
  /* waves have been looked at: short steps are no sign of stiffness then */
  if (!s->passage_only && strcmp(s->o.method, "wave4") == 0) return DAE_OK;
  if (s->passage_only && (dae_passage_crosses(s->way[0].view, s->way[0].step) || s->sys->ny == 0))
    return DAE_OK;
  /* unknowns of their own cannot be taken up again behind a singular position */
  if (form_given && (s->own_y || s->way[0].view->to_z)) return DAE_OK;
  const dae_options chosen = s->o;
  s->o = *given;
  if (form_given) {
    const dae_options usual = dae_options_default();
    s->o.form = "index1";
    s->o.stabilize = "project";
    s->o.direction = s->o.project = "auto";
    s->o.level = usual.level;
    s->o.weighting = usual.weighting;
    s->o.schur = usual.schur;
    s->o.alpha = usual.alpha;
    s->o.passes = usual.passes;
    s->o.freeze = usual.freeze;
  }
  s->o.method = dae_passage_crosses(s->way[0].view, s->way[0].step) ? dae_choose_stiff_method(given)
                                                                    : explicit_method(s);
  dae_status status = make_way(s, &s->way[1]);
  s->o = chosen;
  /* no such form for this problem: then there is one way only */
  if (status == DAE_OK) s->n_way = 2;
  else s->report = (dae_report){.event = -1};
  return s->pool.failed || status == DAE_E_MEMORY ? DAE_E_MEMORY : DAE_OK;
}

/* what the guard of singular positions has to know */
static dae_status guard_run(dae_solver *s) {
  dae_guard_run run = {.off = strcmp(s->o.passage, "off") == 0,
                       .fixed_steps = s->o.step > 0,
                       .own_y = s->own_y,
                       .for_passage = s->passage_only,
                       .rtol = s->o.rtol,
                       .atol = s->o.atol,
                       .log = s->o.log};
  run.alone = run.fixed_steps && strcmp(s->way[0].stabilize_name, "none") == 0;
  for (int i = 0; i < s->n_way; i++) run.view[i] = s->way[i].view, run.step[i] = s->way[i].step;
  return dae_passage_run(s->guard, &s->pool, &run);
}

dae_status dae_drive_choose(dae_solver *s) {
  const dae_options given = s->o;
  dae_status status = check_numbers(s);
  if (status == DAE_OK) status = new_nearest(s);
  if (status == DAE_OK) status = dae_passage_new(&s->guard, &s->pool, s->sys, s->nearest, s->y);
  if (status == DAE_OK) status = dae_drive_look(s, s->sys, &s->rates);
  if (status == DAE_OK) status = make_way(s, &s->way[0]);
  if (status == DAE_OK) {
    s->n_way = 1;
    status = stand_by(s, &given);
  }
  if (status != DAE_OK) return explained(s, status);
  status = guard_run(s);
  dae_drive_take(s, 0);
  return status;
}
