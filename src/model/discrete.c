/*
 * Variables that change at events only: those given inside `when` (Boolean, Integer or Real).
 * Between events der(v) = 0; the event writes the new value. sample(t0, dt) is one too: the time of
 * its next instant.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

dae_action *dae_model_add_action(dae_model *m, dae_action_kind kind, int condition,
                                 uint32_t place) {
  dae_flat *f = &m->flat;
  f->action =
      dae_model_grow(&m->built, f->action, &f->action_capacity, f->actions + 1, sizeof *f->action);
  f->action[f->actions] = (dae_action){
      .kind = kind, .condition = condition, .variable = -1, .value = -1, .place = place};
  return &f->action[f->actions++];
}

/* v = expression inside when */
bool dae_model_assign_when(dae_model *m, const dae_value *target, const dae_value *value,
                           int condition, uint32_t place) {
  if (!dae_model_same_size(target, value) ||
      (target->type == TYPE_BOOLEAN) != (value->type == TYPE_BOOLEAN) ||
      value->type == TYPE_STRING) {
    dae_model_error(&m->source, place,
                    "inside 'when' the variable and its new value differ in size or type");
    return false;
  }
  for (int i = 0; i < target->count; i++) {
    const dae_node n = m->graph.node[target->node[i]];
    if (n.op != OP_VAR || n.b != 0 || n.c != WHEN_NOW) {
      dae_model_error(
          &m->source, place,
          "inside 'when' an equation gives a variable: write v = expression, or reinit(x, "
          "expression) for a state");
      return false;
    }
    m->flat.variable[n.a].assigned = true;
    dae_action *a = dae_model_add_action(m, ACTION_ASSIGN, condition, place);
    a->variable = n.a;
    a->value = value->node[i];
  }
  return true;
}

/* der(v) = 0 for all that events assign */
void dae_model_hold_discrete(dae_model *m) {
  for (int i = 0; i < m->flat.variables; i++) {
    dae_variable *v = &m->flat.variable[i];
    if (!v->assigned) continue;
    v->fixed = v->has_start = true;
    int rate = dae_model_var(&m->graph, i, 1, WHEN_NOW), zero = m->graph.zero;
    const dae_value left = {.node = &rate, .count = 1}, right = {.node = &zero, .count = 1};
    dae_model_add_equations(m, &left, &right, v->place, SECTION_EQUATION);
  }
}

/* t0 + dt n for the node n */
static int instant(dae_graph *g, double t0, double dt, int n) {
  return dae_model_op2(g, OP_ADD, dae_model_const(g, t0),
                       dae_model_op2(g, OP_MUL, dae_model_const(g, dt), n));
}

/* time > next, with next = t0 + dt ceil((time - t0)/dt) at the start and one dt more after each
   instant */
int dae_model_sample(dae_model *m, double t0, double dt, uint32_t place) {
  dae_graph *g = &m->graph;
  dae_flat *f = &m->flat;
  char name[60];
  int k = f->variables++;
  f->hidden++;
  snprintf(name, sizeof name, "next instant of sample %d", f->hidden);
  f->variable =
      dae_model_grow(&m->built, f->variable, &f->variable_capacity, k + 1, sizeof *f->variable);
  int periods = dae_model_op2(g, OP_DIV, dae_model_op2(g, OP_SUB, g->time, dae_model_const(g, t0)),
                              dae_model_const(g, dt));
  int early = dae_model_op2(g, OP_SUB, periods, dae_model_const(g, 1e-9)),
      late = dae_model_op2(g, OP_ADD, periods, dae_model_const(g, 0.5));
  int first = instant(g, t0, dt, dae_model_op1(g, OP_CEIL, early));
  first = dae_model_op2(g, OP_MAX, first, dae_model_const(g, t0));
  /* the first instant may be the start itself: a little later it can be crossed */
  first = dae_model_op2(g, OP_MAX, first,
                        dae_model_op2(g, OP_ADD, g->time, dae_model_const(g, 1e-9 * dt)));
  f->variable[k] = (dae_variable){.name = dae_model_copy(&m->built, name, strlen(name)),
                                  .symbol = -1,
                                  .place = place,
                                  .min = -INFINITY,
                                  .max = INFINITY,
                                  .nominal = 1,
                                  .assigned = true,
                                  .start_varies = true,
                                  .start_node = first};
  int next = dae_model_var(g, k, 0, WHEN_NOW), condition = dae_model_op2(g, OP_GT, g->time, next);
  dae_action *a = dae_model_add_action(m, ACTION_ASSIGN, condition, place);
  a->variable = k;
  a->value = instant(g, t0, dt, dae_model_op2(g, OP_ADD, dae_model_op1(g, OP_FLOOR, late), g->one));
  return condition;
}
