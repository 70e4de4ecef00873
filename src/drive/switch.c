/* from one way to the other: where stiffness asks for it, and at singular positions */
#include <math.h>

#include "drive/drive.h"

dae_status dae_drive_switch_new(dae_solver *s) {
  if (s->ways.count < 2) return DAE_OK;
  s->ways.change = dae_base_data(&s->pool, DAE_SWITCH_MAX, sizeof *s->ways.change);
  return dae_choose_stiffness_new(&s->ways.stiffness, &s->pool, s->sys->nz);
}

const dae_switch *dae_solver_switches(const dae_solver *s, int *count) {
  if (count) *count = s ? s->ways.n_change : 0;
  return s ? s->ways.change : NULL;
}

void dae_drive_take(dae_solver *s, int way) {
  s->ways.now = way;
  s->view = s->ways.way[way].view;
  s->step = s->ways.way[way].step;
  s->stab = s->ways.way[way].stab;
  dae_passage_take(s->guard, way);
}

void dae_drive_switch_start(dae_solver *s) {
  s->ways.n_change = 0;
  if (s->ways.count < 2) return;
  dae_drive_take(s, 0);
  const int implicit = s->ways.way[0].step->method->implicit ? 0 : 1;
  dae_choose_stiffness_start(&s->ways.stiffness, s->t, s->sys, s->ways.way[implicit].step->method,
                             s->ways.way[1 - implicit].step->method);
}

void dae_drive_switch_names(dae_solver *s) {
  for (int i = 0; i < s->ways.n_change; i++) {
    const dae_way *from = &s->ways.way[i % 2], *to = &s->ways.way[1 - i % 2];
    s->ways.change[i].from = from->step->method->name;
    s->ways.change[i].to = to->step->method->name;
    s->ways.change[i].form = to->view->name;
  }
}

static bool blind(const void *guard) { return dae_passage_blinds(guard); }

dae_status dae_drive_switch_test(dae_solver *s, double h, bool back) {
  dae_stiffness *w = &s->ways.stiffness;
  if (back) w->due = true;
  if (s->ways.count < 2 || s->plan.for_passage || w->due || dae_passage_near(s->guard))
    return DAE_OK;
  /* a step that was cut, or that max_step bounds, says nothing */
  if (h < 0.15 * fabs(s->control.h) || (s->plan.o.max_step > 0 && h > 0.99 * s->plan.o.max_step))
    return DAE_OK;
  bool implicit = s->step->method->implicit;
  dae_step_seen at = {.t = s->t,
                      .h = h,
                      .next = fabs(s->control.h),
                      .left = fabs(s->p->t1 - s->t),
                      .steps = s->stats.steps,
                      .z = s->z,
                      .dz = s->dz,
                      .weight = s->control.weight,
                      .tolerance = s->control.share * fmax(s->plan.o.rtol, s->plan.o.atol),
                      .implicit = implicit,
                      .own = s->step,
                      .other = s->ways.way[1 - s->ways.now].step->method,
                      .ode = s->ways.way[implicit ? 1 - s->ways.now : s->ways.now].step,
                      .blind = blind,
                      .ctx = s->guard};
  return dae_choose_stiffness_test(w, &at);
}

/* takes the other method; the next step starts it anew */
static void change(dae_solver *s) {
  const dae_stiffness *w = &s->ways.stiffness;
  const char *from = s->step->method->name;
  dae_drive_take(s, 1 - s->ways.now);
  dae_switch done = {s->t, from, s->step->method->name, s->view->name, w->h, w->rate};
  if (s->ways.n_change < DAE_SWITCH_MAX) s->ways.change[s->ways.n_change++] = done;
  s->stats.switches++;
  s->restart_due = true;
  dae_base_log(&s->plan.o.log, DAE_LOG_INFO,
               "t = %.15g: %s, form %s, follows %s: steps of %.3g where the rate is %.3g", s->t,
               done.to, done.form, from, w->h, w->rate);
}

void dae_drive_switch(dae_solver *s) {
  dae_choose_stiffness_changed(&s->ways.stiffness, s->t, s->stats.steps, s->step->method->implicit);
  change(s);
}

/* a singular position lies ahead; tests of stiffness bring the implicit method back behind it */
void dae_drive_hand_over(dae_solver *s, dae_verdict verdict) {
  s->ways.stiffness.rate = 0;
  s->ways.stiffness.h = fabs(s->step->h_old != 0 ? s->step->h_old : s->control.h);
  dae_choose_stiffness_forced(&s->ways.stiffness, s->t, s->stats.steps);
  change(s);
  dae_passage_hand_over(s->guard, verdict, s->z);
  s->control.h = 0;
}

bool dae_drive_refuge(dae_solver *s) {
  dae_stiffness *w = &s->ways.stiffness;
  if (s->ways.count < 2 || s->plan.for_passage || w->t_refuge == s->t) return false;
  w->t_refuge = s->t;
  w->rate = w->h = 0;
  dae_choose_stiffness_failed(w, s->t, s->stats.steps);
  change(s);
  s->control.h = 0;
  return true;
}
