/* the objects of a plan: form, method and stabilizer of each way, and the guard of singular
   positions */
#include <stdio.h>

#include "drive/drive.h"
#include "srm/srm.h"

/* methods of the order-m problem itself bring their own view */
static dae_status on_problem(dae_solver *s, const dae_settings *o, dae_way *w, char *message,
                             int size) {
  bool srm = o->form == DAE_FORM_SRM;
  dae_status status =
      srm ? dae_srm_step_new(&w->step, o->method, s->point, o, &s->pool, message, size)
          : dae_colloc_step_new(&w->step, o->method, s->point, o, &s->pool, message, size);
  if (status == DAE_OK) w->view = w->step->view;
  if (srm) s->own_y = true;
  return status;
}

static dae_status make_way(dae_solver *s, const dae_settings *o, dae_way *w) {
  char *message = s->report.message;
  int size = sizeof s->report.message;
  bool whole = o->form == DAE_FORM_SRM || o->method->view == DAE_VIEW_PROBLEM;
  if (whole && o->linear) {
    snprintf(message, (size_t)size, "method %s cannot use your own linear solver", o->method->name);
    return DAE_E_FORM;
  }
  dae_status status = whole ? on_problem(s, o, w, message, size)
                            : dae_form_view(&w->view, s->point, o, &s->pool, message, size);
  if (status == DAE_OK) w->view->linear = o->linear;
  if (status == DAE_OK && !whole)
    status = dae_step_new(&w->step, o->method, w->view, o, &s->pool, message, size);
  if (status == DAE_OK) status = dae_stabilize_new(&w->stab, s->point, o, &s->pool, message, size);
  w->stabilize = o->stabilize;
  return status;
}

/* least change onto all levels, whatever is chosen for the steps */
static dae_status new_nearest(dae_solver *s) {
  dae_settings o = s->plan.given;
  o.stabilize = DAE_STAB_PROJECT;
  o.direction = (dae_direction_choice){.kind = DAE_DIR_AUTO};
  o.level = DAE_LEVEL_BOTH;
  o.weighting = DAE_WEIGHTING_INVERSE;
  o.schur = DAE_SCHUR_FACTOR;
  o.freeze = 1;
  return dae_stabilize_new(&s->nearest, s->point, &o, &s->pool, s->report.message,
                           sizeof s->report.message);
}

/* the constructors leave a sentence in the report; the rest of it */
static dae_status explained(dae_solver *s, dae_status status) {
  s->report.status = status;
  snprintf(s->report.advice, sizeof s->report.advice, "%s", dae_status_advice(status));
  if (!s->report.message[0])
    snprintf(s->report.message, sizeof s->report.message, "%s", dae_status_meaning(status));
  return status;
}

/* all memory is taken here, so that a change takes none. No such form for this problem: then there
   is one way only */
static dae_status stand_by(dae_solver *s) {
  if (s->plan.n_way < 2) return DAE_OK;
  dae_status status = make_way(s, &s->plan.other, &s->ways.way[1]);
  if (status == DAE_OK) s->ways.count = 2;
  else s->report = (dae_report){.event = -1};
  return s->pool.failed || status == DAE_E_MEMORY ? DAE_E_MEMORY : DAE_OK;
}

/* what the guard of singular positions has to know */
static dae_status guard_run(dae_solver *s) {
  dae_guard_run run = {.off = s->plan.o.passage == DAE_PASSAGE_OFF,
                       .fixed_steps = s->plan.o.step > 0,
                       .own_y = s->own_y,
                       .for_passage = s->plan.for_passage,
                       .rtol = s->plan.o.rtol,
                       .atol = s->plan.o.atol,
                       .atols = s->plan.o.atols,
                       .log = s->plan.o.log};
  run.alone = run.fixed_steps && s->plan.o.stabilize == DAE_STAB_NONE;
  for (int i = 0; i < s->ways.count; i++)
    run.view[i] = s->ways.way[i].view, run.step[i] = s->ways.way[i].step;
  return dae_passage_run(s->guard, &s->pool, &run);
}

dae_status dae_drive_ways(dae_solver *s) {
  dae_status status = dae_choose_check(&s->plan.given, s->report.message, sizeof s->report.message);
  if (status == DAE_OK) status = new_nearest(s);
  if (status == DAE_OK) status = dae_passage_new(&s->guard, &s->pool, s->point, s->nearest, s->y);
  if (status == DAE_OK) status = dae_drive_look(s, s->point, &s->plan.rates);
  if (status == DAE_OK)
    status = dae_choose_plan(&s->plan, s->sys, s->report.message, sizeof s->report.message);
  if (status == DAE_OK) status = make_way(s, &s->plan.o, &s->ways.way[0]);
  if (status == DAE_OK) {
    s->ways.count = 1;
    status = stand_by(s);
  }
  if (status != DAE_OK) return explained(s, status);
  status = guard_run(s);
  dae_drive_take(s, 0);
  return status;
}
