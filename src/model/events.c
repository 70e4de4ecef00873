/*
 * when, assert, terminate, discrete equations and relations that switch, as functions: values of
 * the switching functions, conditions of all branches, new values of all actions. rounds.c runs
 * them.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"

enum { BANK_Z, BANK_OTHER, BANK_SLOT, BANK_BEFORE };

/* where a condition or a new value finds its variables: z, y (w of the ODE route), slots, and z
   followed by the slots before the round */
static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  bool slot = when == WHEN_SLOT || when == WHEN_BRANCH;
  *bank = slot ? BANK_SLOT : when == WHEN_NOW ? BANK_Z : BANK_BEFORE;
  *index = variable + (when == WHEN_BRANCH ? p->model->flat.slots : slot ? 0 : p->nz);
  if (slot || when == WHEN_SLOT_PRE) return true;
  int j = p->model->structure->kept_of[variable];
  if (j < 0) return false;
  *index = dae_model_z_index(p, j, order);
  if (*index >= 0) return when == WHEN_NOW || when == WHEN_PRE;
  if (when != WHEN_NOW) return false;
  *bank = BANK_OTHER;
  if (p->route == ROUTE_ODE) *index = order == p->d[j] ? p->w_of[j] : -1;
  else if (order == 0) *index = p->y_of[j];
  return *index >= 0;
}

static bool has_no_place(void *ctx, const dae_node *leaf) {
  int bank, index;
  return !locate(ctx, leaf->a, leaf->b, leaf->c, &bank, &index);
}

static bool is_other(void *ctx, const dae_node *leaf) {
  int bank, index;
  return locate(ctx, leaf->a, leaf->b, leaf->c, &bank, &index) && bank == BANK_OTHER;
}

static bool is_slot(void *ctx, const dae_node *leaf) {
  (void)ctx;
  return leaf->c == WHEN_SLOT;
}

/* an algebraic variable, which an event may change together with what it is given */
static bool is_free(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  int bank, index;
  return locate(ctx, leaf->a, leaf->b, leaf->c, &bank, &index) && bank == BANK_Z &&
         p->problem.event_held && !p->problem.event_held[index];
}

/* leading derivatives that are known as formulas take their place; false after an error */
static bool settle_node(dae_model *m, dae_plan *p, int *node, uint32_t place, const char *what) {
  for (int k = 0; k < 2; k++)
    dae_model_substitute(&m->graph, node, 1, node, dae_model_replace_lead, p);
  if (dae_model_depends(m, *node, has_no_place, p)) {
    dae_model_error(&m->source, place, "%s must not depend on highest derivatives%s", what,
                    p->route == ROUTE_ODE ? "" : " of this mechanism");
    return false;
  }
  if (dae_model_depends(m, *node, is_other, p)) p->hybrid.needs_w = true;
  return true;
}

bool dae_model_make_switches(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  dae_hybrid *h = &p->hybrid;
  int n = f->switchings, *node = dae_model_ints(&m->built, n);
  h->whole = dae_model_take(&m->built, (size_t)n, sizeof *h->whole);
  h->switch_entry = dae_model_ints(&m->built, n);
  h->switch_event = dae_model_ints(&m->built, n);
  h->switch_name = dae_model_take(&m->built, (size_t)n, sizeof *h->switch_name);
  h->slots = f->slots;
  dae_model_code_init(&h->code, &m->graph, &m->built, locate, p);
  dae_namer namer = dae_model_namer(m);
  for (int k = 0; k < n; k++) {
    const dae_switching *s = &f->switching[k];
    node[k] = s->node;
    if (!settle_node(m, p, &node[k], s->place, "a condition")) return false;
    if (dae_model_depends(m, node[k], is_other, p)) h->discrete.needs_y = true;
    if (dae_model_depends(m, node[k], is_slot, p)) h->discrete.nested = true;
    dae_text name = {.arena = &m->built};
    dae_model_print(&m->graph, s->node, &namer, &name);
    h->switch_name[k] = name.data;
    h->whole[k] = s->whole;
    h->switch_event[k] = -1;
    h->switch_entry[k] = -1;
    if (s->variable >= 0)
      h->switch_entry[k] = dae_model_z_index(p, m->structure->kept_of[s->variable], 0);
  }
  h->switches = dae_model_function(&h->code, "switching functions", node, n);
  h->discrete.n_switch = n;
  h->discrete.whole = h->whole;
  h->discrete.entry = h->switch_entry;
  h->discrete.event = h->switch_event;
  h->discrete.switch_name = h->switch_name;
  return true;
}

/* entry of z that an action writes; sign of it, 0 after an error */
static int target_of(dae_model *m, const dae_plan *p, const dae_action *a, int *z) {
  const dae_node target = m->graph.node[m->structure->value[a->variable]];
  const dae_node inner = target.op == OP_NEG ? m->graph.node[target.a] : target;
  *z = inner.op == OP_VAR ? dae_model_z_index(p, m->structure->kept_of[inner.a], inner.b) : -1;
  bool state = inner.op == OP_VAR && a->kind == ACTION_REINIT
                   ? inner.b < m->structure->d[m->structure->kept_of[inner.a]]
                   : true;
  if (*z >= 0 && state) return target.op == OP_NEG ? -1 : 1;
  dae_model_error(&m->source, a->place,
                  "reinit needs a variable whose derivative occurs: '%.60s' is no state",
                  m->flat.variable[a->variable].name);
  return 0;
}

/* new values of reinit(x, value), v = value */
static bool make_values(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  dae_hybrid *h = &p->hybrid;
  int room = f->actions, *node = dae_model_ints(&m->built, 2 * room), count = 0;
  h->entry = dae_model_ints(&m->built, room);
  h->sign = dae_model_ints(&m->built, room);
  h->action = dae_model_ints(&m->built, room);
  h->assigned_entry = dae_model_ints(&m->built, room);
  h->real = dae_model_take(&m->built, (size_t)room, sizeof *h->real);
  for (int i = 0; i < f->actions; i++) {
    const dae_action *a = &f->action[i];
    if (a->value < 0) continue;
    node[count] = a->value;
    bool gives = a->kind != ACTION_ASSERT;
    h->entry[count] = -1;
    h->sign[count] = gives ? target_of(m, p, a, &h->entry[count]) : 1;
    if (!h->sign[count] || !settle_node(m, p, &node[count], a->place, "the new value at an event"))
      return false;
    h->action[count] = i;
    node[room + count] = a->guard ? a->guard : m->graph.one;
    if (!settle_node(m, p, &node[room + count], a->place, "the condition at an event"))
      return false;
    h->real[count] = gives && dae_model_type_of(m, a->variable) == TYPE_REAL;
    bool defines = gives && a->kind != ACTION_REINIT;
    if (defines && dae_model_depends(m, node[count], is_free, p)) h->coupled = true;
    int k = 0;
    while (k < h->assigned && h->assigned_entry[k] != h->entry[count]) k++;
    if (defines && k == h->assigned) h->assigned_entry[h->assigned++] = h->entry[count];
    count++;
  }
  h->actions = count;
  for (int i = 0; i < count; i++) node[count + i] = node[room + i];
  h->values =
      dae_model_function(&h->code, "new values at an event, and their guards", node, 2 * count);
  return true;
}

static bool make_conditions(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  dae_hybrid *h = &p->hybrid;
  h->first = dae_model_ints(&m->built, f->branches + 1);
  for (int b = 0; b < f->branches; b++) h->first[b + 1] = h->first[b] + f->branch[b].elements;
  h->elements = h->first[f->branches];
  h->element_branch = dae_model_ints(&m->built, h->elements);
  h->is_initial = dae_model_take(&m->built, (size_t)h->elements, sizeof *h->is_initial);
  int *node = dae_model_ints(&m->built, h->elements);
  for (int b = 0; b < f->branches; b++)
    for (int k = 0; k < f->branch[b].elements; k++) {
      int e = h->first[b] + k;
      node[e] = f->branch[b].element[k];
      const dae_node n = m->graph.node[node[e]];
      h->is_initial[e] = n.op == OP_VAR && n.c == WHEN_SLOT && n.a == SLOT_INITIAL;
      h->element_branch[e] = b;
      if (!settle_node(m, p, &node[e], f->branch[b].place, "the condition of an event"))
        return false;
    }
  h->conditions = dae_model_function(&h->code, "conditions of events", node, h->elements);
  return true;
}

static const char *failed_name(dae_model *m, const char *name) {
  dae_text text = {.arena = &m->built};
  dae_model_text_add(&text, DAE_ASSERT_PREFIX "%s", name);
  return text.data;
}

/* one event for each branch, assertion and switching function that the equations see */
static void make_list(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  dae_hybrid *h = &p->hybrid;
  size_t room = (size_t)(f->branches + f->switchings + f->actions);
  int count = 0;
  h->event = dae_model_take(&m->built, room, sizeof *h->event);
  h->event_of = dae_model_ints(&m->built, f->branches);
  h->event_of_action = dae_model_ints(&m->built, f->actions);
  h->assertion = dae_model_take(&m->built, room, sizeof *h->assertion);
  for (int b = 0; b < f->branches; b++) {
    const dae_branch *x = &f->branch[b];
    const char *name = x->message[0] ? x->message : dae_model_constraint_name(m, x->place);
    bool terminal = x->assertion && !x->warning;
    if (x->assertion) name = failed_name(m, name);
    for (int i = 0; i < f->actions; i++)
      terminal = terminal || (f->action[i].branch == b && f->action[i].kind == ACTION_TERMINATE);
    if (x->assertion) h->assertion[count] = x->warning ? DAE_ASSERT_WARNS : DAE_ASSERT_ENDS;
    h->event_of[b] = count;
    h->event[count++] = (dae_event){.name = name, .terminal = terminal};
  }
  for (int i = 0; i < f->actions; i++) {
    const dae_action *a = &f->action[i];
    if (a->kind != ACTION_ASSERT) continue;
    const char *name = a->message[0] ? a->message : dae_model_constraint_name(m, a->place);
    h->event_of_action[i] = count;
    if (!a->terminates) {
      h->assertion[count] = a->warning ? DAE_ASSERT_WARNS : DAE_ASSERT_ENDS;
      name = failed_name(m, name);
    }
    h->event[count++] = (dae_event){.name = name, .terminal = !a->warning};
  }
  for (int k = 0; k < f->switchings; k++) {
    if (h->switch_entry[k] < 0) continue;
    h->switch_event[k] = count;
    h->event[count++] = (dae_event){.name = f->variable[f->switching[k].variable].name};
  }
  p->problem.n_event = count;
  p->problem.event = h->event;
  h->discrete.assertion = h->assertion;
}

/* algebraic variables are in z of the ODE route: they may jump, the others keep their values */
static void hold_states(dae_model *m, dae_plan *p) {
  if (p->route != ROUTE_ODE || p->invariants == 0) return;
  unsigned char *held = dae_model_take(&m->built, (size_t)p->nz, 1);
  for (int j = 0; j < m->structure->vars; j++)
    for (int k = 0; k < p->d[j]; k++)
      held[p->z_first[j] + k] =
          k < m->structure->d[j] || m->flat.variable[m->structure->var[j]].assigned;
  p->problem.event_held = held;
}

/* time - c of a relation: beside sample(..) its zero is an instant of the clock, too, so that
   sample(c, dt) and time >= c happen at once and not one after the other */
static void find_instants(dae_model *m, dae_plan *p) {
  dae_graph *g = &m->graph;
  dae_hybrid *h = &p->hybrid;
  h->instant = dae_model_take(&m->built, (size_t)m->flat.switchings + 1, sizeof *h->instant);
  for (int k = 0; k < m->flat.switchings && m->flat.samplers; k++) {
    const dae_node n = g->node[m->flat.switching[k].node];
    bool less = n.op == OP_SUB && n.a == g->time && dae_model_constant(g, n.b),
         more = n.op == OP_SUB && n.b == g->time && dae_model_constant(g, n.a);
    if ((less || more) && !m->flat.switching[k].whole)
      h->instant[h->instants++] = g->node[less ? n.b : n.a].value;
  }
}

bool dae_model_make_events(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  dae_hybrid *h = &p->hybrid;
  if (f->branches == 0 && f->actions == 0 && f->switchings == 0) return true;
  hold_states(m, p);
  find_instants(m, p);
  if (!make_conditions(m, p) || !make_values(m, p)) return false;
  make_list(m, p);
  h->is_entry = dae_model_take(&m->built, (size_t)p->nz, 1);
  for (int j = 0; j < m->structure->vars; j++)
    for (int k = 0, z; (z = dae_model_z_index(p, j, k)) >= 0; k++)
      h->is_entry[z] = m->flat.variable[m->structure->var[j]].assigned;
  h->discrete.is_entry = h->is_entry;
  h->discrete.n_memory = h->elements;
  h->discrete.remembers = f->actions > 0;
  for (int i = 0; i < f->branches; i++)
    h->discrete.remembers = h->discrete.remembers || !f->branch[i].assertion;
  h->discrete.switches = dae_model_switch_values;
  h->discrete.next = dae_model_next_sample;
  h->discrete.count = dae_model_count_samples;
  h->discrete.due = dae_model_sample_due;
  h->discrete.round = dae_model_round;
  dae_model_make_slides(m, p);
  dae_model_make_impulses(m, p);
  p->problem.discrete = &h->discrete;
  return true;
}
