/*
 * when, assert and relations that switch: each becomes a function that rises through zero when
 * its condition
 * turns true. The library's event functions do not know their number, so each event has a
 * function of its own.
 */
#include <stdio.h>
#include <string.h>

#include "model/plan.h"

/* positive where the condition holds: and is min, or is max, not is minus; -1 for what has no
   crossing */
static int truth(dae_graph *g, int condition, int depth) {
  enum { DEEPEST = 500 };
  if (depth > DEEPEST) return -1;
  const dae_node n = g->node[condition];
  int a, b;
  switch (n.op) {
    case OP_GT:
    case OP_GE: return dae_model_op2(g, OP_SUB, n.a, n.b);
    case OP_LT:
    case OP_LE: return dae_model_op2(g, OP_SUB, n.b, n.a);
    case OP_NOT: a = truth(g, n.a, depth + 1); return a < 0 ? -1 : dae_model_op1(g, OP_NEG, a);
    case OP_CONST: return dae_model_const(g, n.value != 0 ? 1 : -1);
    case OP_VAR: /* a Boolean */
      return dae_model_op2(g, OP_SUB, condition, dae_model_const(g, 0.5));
    case OP_AND:
    case OP_OR:
      a = truth(g, n.a, depth + 1), b = truth(g, n.b, depth + 1);
      return a < 0 || b < 0 ? -1 : dae_model_op2(g, n.op == OP_AND ? OP_MIN : OP_MAX, a, b);
    default: return -1;
  }
}

/* pre(x) is x itself: changes are computed from the state before the event */
static int before(dae_graph *g, int leaf, void *ctx) {
  (void)ctx;
  const dae_node n = g->node[leaf];
  return n.op == OP_VAR && n.c == WHEN_PRE ? dae_model_var(g, n.a, n.b, WHEN_NOW) : leaf;
}

static int run(const dae_plan *p, const dae_function *f, double t, const double *z, const double *y,
               double *out) {
  const double *const mechanical[DAE_BANKS] = {z, z + p->nx, NULL, y}, *const other[DAE_BANKS] = {
                                                                           z, y, NULL, NULL};
  return dae_model_run(f, t, p->route == ROUTE_MECHANICAL ? mechanical : other, out);
}

static int value_of(const dae_plan *p, int k, double t, const double *z, const double *y,
                    double *value) {
  return run(p, p->crossing[k].value, t, z, y, value);
}

/* all new values from the old state, then written */
static int change_of(const dae_plan *p, int k, double t, double *z) {
  const dae_crossing *c = &p->crossing[k];
  double fresh[DAE_EVENT_CHANGES];
  if (c->changes == 0) return 0;
  int code = run(p, c->change, t, z, p->y0, fresh);
  for (int i = 0; i < c->changes && !code; i++) z[c->entry[i]] = fresh[i];
  return code;
}

#define EVENTS(X)                                                                               \
  X(0)                                                                                          \
  X(1)                                                                                          \
  X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) \
      X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define FUNCTIONS(k)                                                                           \
  static int value_##k(double t, const double *z, const double *y, double *value, void *ctx) { \
    return value_of(ctx, k, t, z, y, value);                                                   \
  }                                                                                            \
  static int change_##k(double t, double *z, void *ctx) { return change_of(ctx, k, t, z); }
EVENTS(FUNCTIONS)
#define VALUE(k) value_##k,
#define CHANGE(k) change_##k,
static int (*const values[])(double, const double *, const double *, double *,
                             void *) = {EVENTS(VALUE)};
static int (*const changes[])(double, double *, void *) = {EVENTS(CHANGE)};

static const char *event_name(dae_model *m, uint32_t place, const char *message) {
  if (message && message[0]) return message;
  return dae_model_constraint_name(m, place);
}

static bool unknown(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  int bank, index;
  if (!p->code.locate(p->code.ctx, leaf->a, leaf->b, leaf->c, &bank, &index)) return true;
  /* a of the mechanical form, w of the ODE, x^(m) of the Hessenberg form */
  return bank == (p->route == ROUTE_ODE ? 1 : 2);
}

/* one more event; NULL after an error */
static dae_crossing *add_event(dae_model *m, dae_plan *p, int condition, uint32_t place,
                               const char *message) {
  int node = truth(&m->graph, condition, 0);
  if (p->crossings == DAE_EVENTS_MAX) {
    dae_model_error(&m->source, place, "more than %d events are not supported", DAE_EVENTS_MAX);
    return NULL;
  }
  if (node < 0) {
    dae_model_error(&m->source, place,
                    "the condition of an event must be made of <, <=, >, >=, and, or, not");
    return NULL;
  }
  if (dae_model_depends(m, node, unknown, p)) {
    dae_model_error(&m->source, place,
                    "the condition of an event must not depend on highest derivatives");
    return NULL;
  }
  int k = p->crossings++;
  p->crossing[k].value = dae_model_function(&p->code, "event", &node, 1);
  p->event[k] =
      (dae_event){.name = event_name(m, place, message), .value = values[k], .direction = 1};
  return &p->crossing[k];
}

/* the actions first .. last of one when, while new values are put into each other */
typedef struct group {
  dae_model *m;
  int first, last;
  int *fresh; /* new value of each action, -1 not made yet */
  bool circle;
} group;

static int fresh_value(group *x, int i, int depth);

typedef struct fresh_leaf {
  group *x;
  int depth;
} fresh_leaf;

/* v inside the when that gives v is its new value */
static int use_fresh(dae_graph *g, int leaf, void *ctx) {
  const fresh_leaf *f = ctx;
  const dae_node n = g->node[leaf];
  if (n.op != OP_VAR || n.b != 0 || n.c != WHEN_NOW) return leaf;
  for (int i = f->x->first; i < f->x->last; i++) {
    const dae_action *a = &f->x->m->flat.action[i];
    if (a->kind == ACTION_ASSIGN && a->variable == n.a) return fresh_value(f->x, i, f->depth + 1);
  }
  return leaf;
}

static int fresh_value(group *x, int i, int depth) {
  const dae_action *a = &x->m->flat.action[i];
  int *fresh = &x->fresh[i - x->first];
  if (*fresh >= 0) return *fresh;
  if (depth > x->last - x->first) {
    x->circle = true;
    return a->value;
  }
  /* what stands below is substituted before, as a substitution cannot run inside another */
  dae_set below = {0};
  dae_model_reach(&x->m->graph, &a->value, 1, &below);
  fresh_leaf leaf = {x, depth};
  for (int k = 0; k < below.count && !x->circle; k++)
    if (x->m->graph.node[below.node[k]].op == OP_VAR) use_fresh(&x->m->graph, below.node[k], &leaf);
  dae_model_set_free(&x->m->graph, &below);
  if (x->circle) return a->value;
  dae_model_substitute(&x->m->graph, &a->value, 1, fresh, use_fresh, &leaf);
  return *fresh;
}

/* entry of z that an action writes; sign of it, 0 after an error */
static int target_of(dae_model *m, const dae_plan *p, const dae_action *a, int *z) {
  const dae_node target = m->graph.node[m->structure->value[a->variable]];
  const dae_node inner = target.op == OP_NEG ? m->graph.node[target.a] : target;
  *z = inner.op == OP_VAR ? dae_model_z_index(p, m->structure->kept_of[inner.a], inner.b) : -1;
  if (*z >= 0) return target.op == OP_NEG ? -1 : 1;
  dae_model_error(&m->source, a->place,
                  "reinit needs a variable whose derivative occurs: '%.60s' is no state",
                  m->flat.variable[a->variable].name);
  return 0;
}

/* reinit(x, value) and v = value for all variables of one when */
static bool add_changes(dae_model *m, dae_plan *p, dae_crossing *c, int first, int last) {
  int count = 0, room = last - first, *node = dae_model_ints(&m->built, room),
      *entry = dae_model_ints(&m->built, room);
  group x = {.m = m, .first = first, .last = last, .fresh = dae_model_ints(&m->built, room)};
  for (int i = 0; i < room; i++) x.fresh[i] = -1;
  for (int i = first; i < last; i++) {
    const dae_action *a = &m->flat.action[i];
    if (a->kind != ACTION_REINIT && a->kind != ACTION_ASSIGN) continue;
    int z, sign = target_of(m, p, a, &z), value = fresh_value(&x, i, 0);
    if (!sign) return false;
    if (x.circle) {
      dae_model_error(
          &m->source, a->place,
          "new values inside this 'when' depend on each other: use pre(..) for the old ones");
      return false;
    }
    dae_model_substitute(&m->graph, &value, 1, &node[count], before, NULL);
    if (dae_model_depends(m, node[count], unknown, p) || count == DAE_EVENT_CHANGES) {
      dae_model_error(&m->source, a->place,
                      "the new value at an event must not depend on highest derivatives");
      return false;
    }
    if (sign < 0) node[count] = dae_model_op1(&m->graph, OP_NEG, node[count]);
    entry[count++] = z;
  }
  c->changes = count;
  c->entry = entry;
  if (count) c->change = dae_model_function(&p->code, "new values at an event", node, count);
  return true;
}

/* actions of one when stand together and share their condition */
static bool add_actions(dae_model *m, dae_plan *p) {
  const dae_flat *f = &m->flat;
  for (int i = 0, last; i < f->actions; i = last) {
    const dae_action *a = &f->action[i];
    for (last = i + 1; last < f->actions && f->action[last].condition == a->condition &&
                       (f->action[last].kind == ACTION_ASSERT) == (a->kind == ACTION_ASSERT);)
      last++;
    if (dae_model_constant(&m->graph, a->condition)) continue;
    int condition = a->condition;
    if (a->kind == ACTION_ASSERT) condition = dae_model_op1(&m->graph, OP_NOT, condition);
    dae_crossing *c = add_event(m, p, condition, a->place, a->message);
    if (!c || !add_changes(m, p, c, i, last)) return false;
    dae_event *e = &p->event[p->crossings - 1];
    for (int k = i; k < last; k++) {
      e->terminal =
          e->terminal || f->action[k].kind == ACTION_TERMINATE || a->kind == ACTION_ASSERT;
      if (f->action[k].message && f->action[k].message[0]) e->name = f->action[k].message;
    }
    if (c->changes) e->change = changes[p->crossings - 1];
  }
  return true;
}

/* relations inside the equations: the step ends where they change, in both directions */
static bool add_switches(dae_model *m, dae_plan *p) {
  dae_graph *g = &m->graph;
  dae_set below = {0};
  dae_model_reach(g, m->structure->residual, m->structure->eqs, &below);
  bool ok = true;
  for (int k = 0; k < below.count && ok; k++) {
    const dae_node n = g->node[below.node[k]];
    bool extreme = n.op == OP_MIN || n.op == OP_MAX;
    if (!extreme && (n.op < OP_LT || n.op > OP_GE || n.c == RELATION_NO_EVENT)) continue;
    /* the step control meets the rest */
    if ((n.flags & NODE_CONSTANT) || p->crossings == DAE_EVENTS_MAX ||
        dae_model_depends(m, below.node[k], unknown, p))
      continue;
    int relation = extreme ? dae_model_op2(g, OP_GT, n.a, n.b) : below.node[k];
    ok = add_event(m, p, relation, m->structure->place[0], "switch") != NULL;
    if (!ok) break;
    p->event[p->crossings - 1].direction = 0;
    p->event[p->crossings - 1].change = changes[p->crossings - 1];
  }
  dae_model_set_free(g, &below);
  return ok;
}

/* algebraic variables are in z of the ODE route: they may jump, the others keep their values */
static void hold_states(dae_model *m, dae_plan *p) {
  if (p->route != ROUTE_ODE || p->invariants == 0) return;
  unsigned char *held = dae_model_take(&m->built, (size_t)p->nz, 1);
  for (int j = 0; j < m->structure->vars; j++)
    for (int k = 0; k < m->structure->d[j]; k++) held[p->z_first[j] + k] = 1;
  p->problem.event_held = held;
}

bool dae_model_make_events(dae_model *m, dae_plan *p) {
  if (!add_actions(m, p) || !add_switches(m, p)) return false;
  if (p->crossings) hold_states(m, p);
  p->problem.n_event = p->crossings;
  p->problem.event = p->event;
  return true;
}
