/* own parts of the user (daedal/extend.h) behind the door: what is wrong with them is said here */
#include <string.h>

#include "drive/drive.h"
#include "step/own.h"

static dae_status refuse(dae_solver *s, const char *what, const char *why) {
  dae_base_print(s->report.message, sizeof s->report.message, "own %s: %s", what, why);
  return DAE_E_INPUT;
}

static const char size_fault[] = "its size is not set to that of the struct";

static dae_status take_method(dae_solver *s, const dae_options *o, const dae_own_method *u) {
  if (u->size < sizeof *u) return refuse(s, "method", size_fault);
  if (s->plan.given.method)
    return refuse(s, "method", "the option method names another one: leave it at auto");
  if (!u->implicit && !u->b_estimate && o->step == 0)
    return refuse(s, "method", "without b_estimate it needs a fixed step");
  return dae_step_own(u, &s->pool, &s->plan.given.method, s->report.message,
                      sizeof s->report.message);
}

static dae_status take_form(dae_solver *s, const dae_own_form *u) {
  if (u->size < sizeof *u) return refuse(s, "form", size_fault);
  if (!u->slope || !u->name || !u->name[0]) return refuse(s, "form", "it has no name or no slope");
  if (s->plan.given.form != DAE_FORM_AUTO)
    return refuse(s, "form", "the option form names another one: leave it at auto");
  if (dae_problem_nh(s->p) == 0) return refuse(s, "form", "the problem has no constraints");
  s->plan.given.form = DAE_FORM_ATTRACT;
  s->plan.given.own_form = u;
  return DAE_OK;
}

dae_status dae_drive_extend(dae_solver *s, const dae_options *o) {
  const dae_extend *e = o->extend;
  if (!e) return DAE_OK;
  if (e->size < sizeof *e) return refuse(s, "parts", "begin with dae_extend_none()");
  if (e->linear && e->linear->size < sizeof *e->linear)
    return refuse(s, "linear solver", size_fault);
  if (e->linear && !(e->linear->make && e->linear->factor && e->linear->solve && e->linear->drop))
    return refuse(s, "linear solver", "make, factor, solve and drop are all needed");
  if (e->norm && e->norm->size < sizeof *e->norm) return refuse(s, "norm", size_fault);
  if (e->norm && !e->norm->norm) return refuse(s, "norm", "there is no function");
  s->plan.given.linear = e->linear;
  s->plan.given.norm = e->norm;
  dae_status status = e->method ? take_method(s, o, e->method) : DAE_OK;
  return status == DAE_OK && e->form ? take_form(s, e->form) : status;
}
