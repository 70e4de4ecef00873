/* variables that are only names: v = der(x), a = -b, and a = expression where a is never
   differentiated */
#include <string.h>

#include "model/structure.h"

typedef struct eliminator {
  dae_model *m;
  dae_structure *s;
  int *order;        /* highest derivative of each variable in any equation */
  int *rates;        /* number of equations that hold a derivative of the variable */
  int *equation;     /* candidate: the equation that gives the variable, -1 none */
  bool *taken;       /* equations that give a variable which none is solved for */
  int *expr;         /* and the expression */
  int *before;       /* the expression before an event, -1: not needed */
  bool *jumps;       /* does the expression of a candidate jump at events? */
  int *deepest;      /* highest derivative of each variable once names are replaced */
  int *start, *user; /* variables in the expression of each candidate, compressed */
} eliminator;

/* highest order of every variable over all equations, actions included */
static void find_orders(eliminator *e) {
  dae_graph *g = &e->m->graph;
  dae_flat *f = &e->m->flat;
  int none = 0, count = 0;
  int *roots = dae_model_grow(&e->m->built, NULL, &none, 2 * f->equations + 1, sizeof(int));
  for (int i = 0; i < f->equations; i++) {
    roots[count++] = f->equation[i].left;
    roots[count++] = f->equation[i].right;
  }
  dae_set below = {0};
  dae_model_reach(g, roots, count, &below);
  for (int j = 0; j < f->variables; j++) e->order[j] = -1;
  for (int k = 0; k < below.count; k++) {
    const dae_node *n = &g->node[below.node[k]];
    if (n->op == OP_VAR && n->c == WHEN_NOW && n->b > e->order[n->a]) e->order[n->a] = n->b;
  }
  dae_model_set_free(g, &below);
  dae_base_give(&e->m->built.pool, roots);
}

/* in how many equations does a derivative of each variable stand? */
static void count_rates(eliminator *e) {
  dae_graph *g = &e->m->graph;
  dae_set below = {0};
  int *last = dae_model_ints(&e->m->built, e->m->flat.variables);
  for (int i = 0; i < e->m->flat.equations; i++) {
    dae_model_reach(g, (int[]){e->m->flat.equation[i].left, e->m->flat.equation[i].right}, 2,
                    &below);
    for (int k = 0; k < below.count; k++) {
      const dae_node *n = &g->node[below.node[k]];
      if (n->op != OP_VAR || n->b == 0 || last[n->a] == i + 1) continue;
      last[n->a] = i + 1;
      e->rates[n->a]++;
    }
  }
  dae_model_set_free(g, &below);
}

/* der(w) = lambda where nothing else says what der(w) is: lambda is a multiplier, not a name of
   der(w) */
static bool is_multiplier(const eliminator *e, int variable, int other) {
  const dae_node *n = &e->m->graph.node[other];
  if (n->op == OP_NEG) n = &e->m->graph.node[n->a];
  return n->op == OP_VAR && n->b > 0 && e->order[variable] == 0 && e->rates[n->a] == 1;
}

/* +-VAR(k,o): another name, possibly of a derivative */
static bool is_alias(const dae_graph *g, int node) {
  const dae_node *n = &g->node[node];
  if (n->op == OP_NEG) n = &g->node[n->a];
  return n->op == OP_VAR && n->c == WHEN_NOW;
}

/* may `side` = VAR(j,0) be eliminated by side = other? */
static bool candidate(eliminator *e, const dae_equation *eq, int side, int other) {
  dae_graph *g = &e->m->graph;
  const dae_node *n = &g->node[side];
  if (n->op != OP_VAR || n->b != 0 || n->c != WHEN_NOW || e->equation[n->a] >= 0) return false;
  if (!dae_model_gives(e->m, eq, n->a)) return false;
  if (e->m->flat.variable[n->a].assigned || (e->m->keep && e->m->keep[n->a])) return false;
  if (e->order[n->a] > 0 && !is_alias(g, other)) return false;
  if (is_multiplier(e, n->a, other)) return false;
  dae_set below = {0};
  dae_model_reach(g, &other, 1, &below);
  bool free = true;
  for (int k = 0; k < below.count && free; k++) {
    const dae_node *b = &g->node[below.node[k]];
    free = !(b->op == OP_VAR && b->a == n->a);
  }
  dae_model_set_free(g, &below);
  return free;
}

/* rank of a candidate: keep what has a fixed start; a derivative is never the name that stays */
static bool prefer_left(const eliminator *e, int left, int right) {
  const dae_graph *g = &e->m->graph;
  const dae_variable *v = e->m->flat.variable;
  const dae_node *a = &g->node[left], *b = &g->node[right];
  if (b->op != OP_VAR || b->b != 0) return true;
  const dae_variable *x = &v[a->a], *y = &v[b->a];
  if (x->fixed != y->fixed) return y->fixed;
  return !(x->has_start && !y->has_start);
}

static void choose(eliminator *e, int i) {
  const dae_equation *eq = &e->m->flat.equation[i];
  if (e->taken[i]) return;
  bool left = candidate(e, eq, eq->left, eq->right), right = candidate(e, eq, eq->right, eq->left);
  if (!left && !right) return;
  if (left && right) left = prefer_left(e, eq->left, eq->right);
  int side = left ? eq->left : eq->right, other = left ? eq->right : eq->left;
  int j = e->m->graph.node[side].a;
  e->equation[j] = i;
  e->expr[j] = other;
}

/* variables of types that no equation is solved for: all at once, as in a = b the other equations
   decide which of the two is given */
static void choose_whole(eliminator *e) {
  const dae_flat *f = &e->m->flat;
  const int *given = dae_model_orient(e->m);
  e->taken = dae_model_take(&e->m->built, (size_t)f->equations + 1, sizeof *e->taken);
  for (int j = 0; j < f->variables; j++) {
    if (given[j] < 0) continue;
    const dae_equation *eq = &f->equation[given[j]];
    e->equation[j] = given[j];
    e->expr[j] = dae_model_var(&e->m->graph, j, 0, WHEN_NOW) == eq->left ? eq->right : eq->left;
    e->taken[given[j]] = true;
  }
}

/* the variables in each candidate's expression */
static void list_users(eliminator *e) {
  dae_graph *g = &e->m->graph;
  int n = e->m->flat.variables, count = 0, capacity = 0;
  e->start = dae_model_ints(&e->m->built, n + 1);
  dae_set below = {0};
  for (int j = 0; j < n; j++) {
    e->start[j] = count;
    if (e->equation[j] < 0) continue;
    dae_model_reach(g, &e->expr[j], 1, &below);
    for (int k = 0; k < below.count; k++) {
      const dae_node *b = &g->node[below.node[k]];
      if (b->op != OP_VAR || e->equation[b->a] < 0) continue;
      e->user = dae_model_grow(&e->m->built, e->user, &capacity, count + 1, sizeof(int));
      e->user[count++] = b->a;
    }
  }
  e->start[n] = count;
  dae_model_set_free(g, &below);
}

/* depth first; a candidate that needs one still open would close a circle: it stays a variable.
   `order` gets the others, needed ones first; returns their number */
static int sort_candidates(eliminator *e, int *sorted) {
  int n = e->m->flat.variables, count = 0, top = 0;
  int *state = dae_model_ints(&e->m->built, n), *stack = dae_model_ints(&e->m->built, n + 1),
      *next = dae_model_ints(&e->m->built, n);
  for (int root = 0; root < n; root++) {
    if (e->equation[root] < 0 || state[root]) continue;
    stack[top++] = root;
    state[root] = 1;
    next[root] = e->start[root];
    while (top) {
      int j = stack[top - 1];
      if (e->equation[j] >= 0 && next[j] < e->start[j + 1]) {
        int k = e->user[next[j]++];
        if (state[k] == 1) e->equation[j] = -1;
        if (state[k] || e->equation[k] < 0) continue;
        state[k] = 1;
        next[k] = e->start[k];
        stack[top++] = k;
        continue;
      }
      top--;
      state[j] = 2;
      if (e->equation[j] >= 0) sorted[count++] = j;
    }
  }
  return count;
}

/* what only events change: assigned there, or of a type that has no values between */
static bool only_events(const eliminator *e, int variable) {
  return e->m->flat.variable[variable].assigned || dae_model_type_of(e->m, variable) != TYPE_REAL;
}

/* e->jumps: expressions with something in them that only events change, themselves or through the
   candidates in them */
static void find_jumps(eliminator *e, const int *sorted, int count) {
  dae_set below = {0};
  e->jumps = dae_model_take(&e->m->built, (size_t)e->m->flat.variables + 1, sizeof *e->jumps);
  for (int s = 0; s < count; s++) {
    int j = sorted[s];
    dae_model_reach(&e->m->graph, &e->expr[j], 1, &below);
    for (int k = 0; k < below.count && !e->jumps[j]; k++) {
      const dae_node *n = &e->m->graph.node[below.node[k]];
      if (n->op != OP_VAR || n->c != WHEN_NOW) continue;
      e->jumps[j] = only_events(e, n->a) || (e->equation[n->a] >= 0 && e->jumps[n->a]);
    }
  }
  dae_model_set_free(&e->m->graph, &below);
}

/* what jumps at events and is differentiated stays a variable: the derivative of its formula alone
   would not know of the jump, and what the formula is made of may jump where it does not. Users
   come before what they need; returns the number that is left */
static int keep_jumping(eliminator *e, int *sorted, int count) {
  dae_set below = {0};
  int left = 0;
  find_jumps(e, sorted, count);
  memcpy(e->deepest, e->order, (size_t)e->m->flat.variables * sizeof(int));
  for (int s = count - 1; s >= 0; s--) {
    int j = sorted[s], rates = e->deepest[j];
    if (dae_model_type_of(e->m, j) != TYPE_REAL) rates = 0; /* it has none */
    if (rates > 0 && e->jumps[j]) {
      e->equation[j] = -1;
      continue;
    }
    dae_model_reach(&e->m->graph, &e->expr[j], 1, &below);
    for (int k = 0; k < below.count; k++) {
      const dae_node *n = &e->m->graph.node[below.node[k]];
      int order = n->op == OP_VAR ? n->b + rates : -1;
      if (n->op == OP_VAR && order > e->deepest[n->a]) e->deepest[n->a] = order;
    }
  }
  dae_model_set_free(&e->m->graph, &below);
  for (int s = 0; s < count; s++)
    if (e->equation[sorted[s]] >= 0) sorted[left++] = sorted[s];
  return left;
}

/* VAR(j,k) of an eliminated variable is the k-th time derivative of its expression */
static int replace(dae_graph *g, int leaf, void *ctx) {
  const eliminator *e = ctx;
  const dae_node n = g->node[leaf];
  if (n.op != OP_VAR || n.c >= WHEN_SLOT || e->equation[n.a] < 0) return leaf;
  int value = e->s->value[n.a];
  if (n.c == WHEN_PRE) return e->before[n.a];
  if (n.c != WHEN_NOW) {
    /* at an end of the interval only another name can be followed */
    const dae_node v = g->node[value];
    return v.op == OP_VAR ? dae_model_var(g, v.a, v.b + n.b, n.c) : leaf;
  }
  for (int k = 0; k < n.b; k++) value = dae_model_rate(g, value);
  return value;
}

static void substitute_all(eliminator *e) {
  dae_flat *f = &e->m->flat;
  dae_graph *g = &e->m->graph;
  dae_structure *s = e->s;
  s->eqs = 0;
  bool *used = dae_model_take(&e->m->built, (size_t)f->equations + 1, sizeof *used);
  for (int j = 0; j < f->variables; j++)
    if (e->equation[j] >= 0) used[e->equation[j]] = true;
  s->residual = dae_model_ints(&e->m->built, f->equations);
  s->left = dae_model_ints(&e->m->built, f->equations);
  s->right = dae_model_ints(&e->m->built, f->equations);
  s->place = dae_model_take(&e->m->built, (size_t)f->equations, sizeof *s->place);
  for (int i = 0; i < f->equations; i++) {
    if (used[i]) continue;
    s->left[s->eqs] = f->equation[i].left;
    s->right[s->eqs] = f->equation[i].right;
    s->place[s->eqs++] = f->equation[i].place;
  }
  dae_model_substitute(g, s->left, s->eqs, s->left, replace, e);
  dae_model_substitute(g, s->right, s->eqs, s->right, replace, e);
  for (int i = 0; i < s->eqs; i++)
    s->residual[i] = dae_model_op2(g, OP_SUB, s->left[i], s->right[i]);
  for (int i = 0; i < f->invariants; i++) {
    dae_model_substitute(g, &f->invariant[i].left, 1, &f->invariant[i].left, replace, e);
    dae_model_substitute(g, &f->invariant[i].right, 1, &f->invariant[i].right, replace, e);
  }
}

/* pre(expression): every variable in it is taken before the event */
static int take_before(dae_graph *g, int leaf, void *ctx) {
  (void)ctx;
  const dae_node n = g->node[leaf];
  if (n.op == OP_VAR && n.c == WHEN_NOW) return dae_model_var(g, n.a, n.b, WHEN_PRE);
  return n.op == OP_VAR && n.c == WHEN_SLOT ? dae_model_var(g, n.a, n.b, WHEN_SLOT_PRE) : leaf;
}

/* conditions, new values and switching functions in kept variables */
static void substitute_event(eliminator *e, int *node) {
  dae_graph *g = &e->m->graph;
  dae_set below = {0};
  dae_model_reach(g, node, 1, &below);
  for (int k = 0; k < below.count; k++) {
    const dae_node n = g->node[below.node[k]];
    if (n.op != OP_VAR || n.c != WHEN_PRE || e->equation[n.a] < 0 || e->before[n.a] >= 0) continue;
    dae_model_substitute(g, &e->s->value[n.a], 1, &e->before[n.a], take_before, NULL);
  }
  dae_model_set_free(g, &below);
  dae_model_substitute(g, node, 1, node, replace, e);
}

/* initial equations may hold pre(v), as events do */
static void substitute_events(eliminator *e) {
  dae_flat *f = &e->m->flat;
  e->before = dae_model_ints(&e->m->built, f->variables);
  for (int i = 0; i < f->variables; i++) e->before[i] = -1;
  for (int i = 0; i < f->initials; i++) {
    substitute_event(e, &f->initial[i].left);
    substitute_event(e, &f->initial[i].right);
  }
  for (int j = 0; j < f->firsts; j++)
    if (f->first[j] >= 0) substitute_event(e, &f->first[j]);
  for (int i = 0; i < f->branches; i++)
    for (int k = 0; k < f->branch[i].elements; k++) substitute_event(e, &f->branch[i].element[k]);
  for (int i = 0; i < f->actions; i++)
    if (f->action[i].value >= 0) {
      substitute_event(e, &f->action[i].value);
      if (!f->action[i].guard) continue;
      substitute_event(e, &f->action[i].guard);
      f->action[i].guard = dae_model_guard(&e->m->graph, f->action[i].guard);
    }
  for (int i = 0; i < f->switchings; i++) substitute_event(e, &f->switching[i].node);
}

bool dae_model_eliminate(dae_model *m, dae_structure *s) {
  int n = m->flat.variables;
  eliminator e = {.m = m,
                  .s = s,
                  .order = dae_model_ints(&m->built, n),
                  .rates = dae_model_ints(&m->built, n),
                  .deepest = dae_model_ints(&m->built, n),
                  .equation = dae_model_ints(&m->built, n),
                  .expr = dae_model_ints(&m->built, n)};
  int *sorted = dae_model_ints(&m->built, n);
  s->kept_of = dae_model_ints(&m->built, n);
  s->value = dae_model_ints(&m->built, n);
  s->var = dae_model_ints(&m->built, n);
  for (int j = 0; j < n; j++) e.equation[j] = -1;
  find_orders(&e);
  count_rates(&e);
  choose_whole(&e);
  for (int i = 0; i < m->flat.equations; i++) choose(&e, i);
  list_users(&e);
  int count = keep_jumping(&e, sorted, sort_candidates(&e, sorted));
  s->vars = 0;
  for (int j = 0; j < n; j++) {
    s->kept_of[j] = e.equation[j] < 0 ? s->vars : -1;
    if (e.equation[j] < 0) s->var[s->vars++] = j;
    s->value[j] = dae_model_var(&m->graph, j, 0, WHEN_NOW);
  }
  for (int k = 0; k < count; k++) {
    int j = sorted[k];
    dae_model_substitute(&m->graph, &e.expr[j], 1, &s->value[j], replace, &e);
  }
  s->given_by = e.equation;
  s->order = e.order;
  substitute_all(&e);
  substitute_events(&e);
  return true;
}
