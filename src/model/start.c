/*
 * Initial values: `start` is a guess unless fixed = true or an initial equation states it. Entries
 * of z that are stated are held; general conditions are solved for together with all constraints.
 */

#include <math.h>

#include "model/plan.h"

static void add_condition(dae_model *m, dae_plan *p, int node) {
  p->condition = dae_model_grow(&m->built, p->condition, &p->condition_capacity, p->conditions + 1,
                                sizeof(int));
  p->condition[p->conditions++] = node;
}

/* +-x^(k): the entry of z or y that it names; sign +-1, 0 when it is something else */
static int entry_of(dae_model *m, const dae_plan *p, int node, int *z_index, int *y_index) {
  const dae_node *n = &m->graph.node[node];
  int sign = 1;
  *z_index = *y_index = -1;
  if (n->op == OP_NEG) sign = -1, n = &m->graph.node[n->a];
  if (n->op != OP_VAR || n->c == WHEN_FINAL) return 0;
  int j = m->structure->kept_of[n->a];
  if (j < 0) return 0;
  *z_index = dae_model_z_index(p, j, n->b);
  if (p->route != ROUTE_ODE && n->b == 0) *y_index = p->y_of[j];
  return *z_index >= 0 || *y_index >= 0 ? sign : 0;
}

/* one stated value: fixes an entry of z; a second one for the same entry becomes a condition */
static bool state(dae_model *m, dae_plan *p, int node, double value, uint32_t place,
                  const char *name) {
  int z, y, sign = entry_of(m, p, node, &z, &y);
  if (sign && y >= 0) {
    dae_model_warn(&m->source, place,
                   "'%.80s' follows from the equations: its initial value is only a guess", name);
    p->y0[y] = sign * value;
    return true;
  }
  if (sign && !p->fixed[z]) {
    p->fixed[z] = 1;
    p->fixes++;
    p->z0[z] = sign * value;
    return true;
  }
  add_condition(m, p, dae_model_op2(&m->graph, OP_SUB, node, dae_model_const(&m->graph, value)));
  return true;
}

/* start values of all variables of the text; fixed ones after the guesses */
static bool take_starts(dae_model *m, dae_plan *p) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->flat.variables; i++) {
      const dae_variable *v = &m->flat.variable[i];
      int node = m->structure->value[i], z, y;
      if (pass == 1) {
        /* of what is discrete it is pre(v) that is stated (Modelica 3.6, 8.6) */
        bool discrete = v->assigned || dae_model_type_of(m, i) != TYPE_REAL;
        if (v->fixed && !discrete && !state(m, p, node, v->start, v->place, v->name)) return false;
        continue;
      }
      int sign = entry_of(m, p, node, &z, &y);
      if (!v->has_start) {
        /* 0 where that is allowed */
        if (sign && z >= 0 && p->start_of[z] < 0 && p->z0[z] == 0)
          p->z0[z] = sign * fmin(fmax(0, v->min), v->max);
        continue;
      }
      if (sign && y >= 0) p->y0[y] = sign * v->start;
      if (sign && z >= 0 && p->start_of[z] < 0) p->z0[z] = sign * v->start, p->start_of[z] = i;
    }
  return true;
}

/* ---- start values of variables that are formulas of others ---- */

enum { FORMULA_MAX = 200 }; /* nodes of a formula that is looked at */

/* the value of a formula at z0; NaN where a leaf is not there */
static double value_at_start(dae_model *m, const dae_plan *p, const dae_set *set, double *value) {
  dae_graph *g = &m->graph;
  double last = NAN;
  for (int i = 0; i < set->count; i++) {
    int node = set->node[i];
    const dae_node *n = &g->node[node];
    double arg[3] = {0, 0, 0};
    const int from[3] = {n->a, n->b, n->c};
    for (int k = 0; k < dae_model_op_arity(n->op); k++) arg[k] = value[g->scratch[from[k]]];
    if (n->op == OP_CONST || n->op == OP_PARAM) last = n->value;
    else if (n->op == OP_TIME) last = p->problem.t0;
    else if (n->op == OP_VAR) {
      int j = n->c == WHEN_NOW ? m->structure->kept_of[n->a] : -1;
      int z = j >= 0 ? dae_model_z_index(p, j, n->b) : -1;
      last = z >= 0 ? p->z0[z] : NAN;
    } else if (n->op == OP_CALL) {
      int argument[DAE_FOREIGN_MAX], count = dae_model_arguments(g, node, argument);
      double x[DAE_FOREIGN_MAX];
      for (int k = 0; k < count; k++) x[k] = value[g->scratch[argument[k]]];
      last = dae_model_call_value(g->foreign[n->b], n->c, x);
    } else last = dae_model_eval_op(n->op, arg[0], arg[1], arg[2]);
    value[i] = last;
    g->scratch[node] = i;
  }
  return last;
}

double dae_model_value_at_start(dae_model *m, const dae_plan *p, int node) {
  dae_set set = {0};
  dae_model_reach(&m->graph, &node, 1, &set);
  double *value = dae_model_take(&m->built, (size_t)set.count + 1, sizeof *value);
  double x = value_at_start(m, p, &set, value);
  dae_model_set_free(&m->graph, &set);
  return x;
}

/* the only entry of z in a formula that has no start value of its own, -1: none or several */
static int open_entry(const dae_model *m, const dae_plan *p, const dae_set *set) {
  int found = -1;
  for (int i = 0; i < set->count; i++) {
    const dae_node *n = &m->graph.node[set->node[i]];
    if (n->op != OP_VAR) continue;
    int j = n->c == WHEN_NOW ? m->structure->kept_of[n->a] : -1;
    int z = j >= 0 ? dae_model_z_index(p, j, n->b) : -1;
    if (z < 0) return -1;
    if (p->start_of[z] >= 0 || z == found) continue;
    if (found >= 0) return -1;
    found = z;
  }
  return found;
}

/* formula(z0) = start solved for one entry of z0, by secants from the default on */
static bool guess_entry(dae_model *m, dae_plan *p, const dae_set *set, double start, int z) {
  enum { SECANTS = 20 };
  double value[FORMULA_MAX], keep = p->z0[z], x = keep, d = 1e-4 * (1 + fabs(x));
  for (int k = 0; k < SECANTS; k++) {
    p->z0[z] = x;
    double f = value_at_start(m, p, set, value) - start;
    if (fabs(f) <= 1e-9 * (1 + fabs(start))) return true;
    p->z0[z] = x + d;
    double slope = (value_at_start(m, p, set, value) - start - f) / d;
    if (!isfinite(f) || !isfinite(slope) || slope == 0) break;
    x -= f / slope;
    d = 1e-4 * (1e-4 + fabs(f / slope));
  }
  p->z0[z] = keep;
  return false;
}

/* c(start = 1) where c = n/V and n has no start value: it is the guess of n */
static void guess_through_formulas(dae_model *m, dae_plan *p) {
  for (int i = 0; i < m->flat.variables; i++) {
    const dae_variable *v = &m->flat.variable[i];
    int node = m->structure->value[i], z, y;
    if (!v->has_start || v->start == 0 || v->assigned || entry_of(m, p, node, &z, &y)) continue;
    if (dae_model_type_of(m, i) != TYPE_REAL) continue;
    dae_set set = {0};
    dae_model_reach(&m->graph, &node, 1, &set);
    z = set.count <= FORMULA_MAX ? open_entry(m, p, &set) : -1;
    if (z >= 0 && guess_entry(m, p, &set, v->start, z)) p->start_of[z] = i;
    dae_model_set_free(&m->graph, &set);
  }
}

static bool is_final(void *ctx, const dae_node *leaf) {
  (void)ctx;
  return leaf->c == WHEN_FINAL;
}

static int at_start_time(dae_graph *g, int leaf, void *ctx) {
  const dae_plan *p = ctx;
  return g->node[leaf].op == OP_TIME ? dae_model_const(g, p->problem.t0) : leaf;
}

/* a Real that `when initial()` gives: stated, it is a condition for what it is made of */
static bool given_at_start(const dae_model *m, int node) {
  const dae_node n = m->graph.node[node];
  return n.op == OP_VAR && n.c == WHEN_NOW && n.b == 0 && dae_model_first(&m->flat, n.a) >= 0 &&
         dae_model_type_of(m, n.a) == TYPE_REAL;
}

/* left = right: a stated entry when one side is a variable and the other a number at the start */
static bool take_equation(dae_model *m, dae_plan *p, const dae_equation *eq) {
  dae_namer namer = dae_model_namer(m);
  dae_text name = {.arena = &m->built};
  for (int side = 0; side < 2; side++) {
    int a = side ? eq->right : eq->left, b = side ? eq->left : eq->right, z, y;
    if (given_at_start(m, a)) continue;
    if (entry_of(m, p, a, &z, &y)) dae_model_substitute(&m->graph, &b, 1, &b, at_start_time, p);
    if (dae_model_constant(&m->graph, b) && entry_of(m, p, a, &z, &y)) {
      dae_model_print(&m->graph, a, &namer, &name);
      return state(m, p, a, m->graph.node[b].value, eq->place, name.data);
    }
  }
  add_condition(m, p, dae_model_op2(&m->graph, OP_SUB, eq->left, eq->right));
  return true;
}

static bool not_in_z(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  return leaf->c != WHEN_NOW ||
         dae_model_z_index(p, p->model->structure->kept_of[leaf->a], leaf->b) < 0;
}

/* all constraints at all levels and the initial conditions, solved for z */
static bool solve_start(dae_model *m, dae_plan *p) {
  int *node = dae_model_ints(&m->built, p->invariants + p->conditions + 1), count = 0;
  for (int i = 0; i < p->invariants; i++)
    if (!dae_model_depends(m, p->invariant[i], not_in_z, p)) node[count++] = p->invariant[i];
  int first = count;
  if (p->conditions) memcpy(node + count, p->condition, (size_t)p->conditions * sizeof *node);
  dae_model_begin_conditions(m, p, node + count, p->conditions);
  count += p->conditions;
  for (int i = first; i < count; i++)
    if (dae_model_depends(m, node[i], not_in_z, p)) {
      dae_model_error(
          &m->source, DAE_NO_PLACE,
          "an initial equation holds a variable that is not free at the start (a multiplier, or a "
          "derivative that is solved for numerically)");
      return false;
    }
  return (count == 0 || dae_model_consistent(m, p, node, count, p->conditions > 0)) &&
         dae_model_check_first(m, p);
}

/* may a condition move it? not what is fixed, nor what events alone change where it is of a type
   that is not solved for, or stated by fixed = true */
static bool may_move(const dae_model *m, const dae_plan *p, const dae_node *leaf, int *z) {
  bool here = leaf->c == WHEN_NOW || leaf->c == WHEN_PRE;
  int j = here ? m->structure->kept_of[leaf->a] : -1;
  *z = j >= 0 ? dae_model_z_index(p, j, leaf->b) : -1;
  if (*z < 0) return true;
  const dae_variable *v = &m->flat.variable[leaf->a];
  if (v->assigned) return leaf->b == 0 && !v->fixed && dae_model_type_of(m, leaf->a) == TYPE_REAL;
  return !p->fixed[*z];
}

/* a condition in which nothing else is free determines what events change: d of d = b, b fixed */
static void free_discrete(dae_model *m, const dae_plan *p, unsigned char *freed) {
  for (int i = 0; i < p->conditions; i++) {
    dae_set below = {0};
    dae_model_reach(&m->graph, &p->condition[i], 1, &below);
    int others = 0, z;
    for (int pass = 0; pass < 2 && others == 0; pass++)
      for (int k = 0; k < below.count; k++) {
        const dae_node *n = &m->graph.node[below.node[k]];
        if (n->op != OP_VAR || !may_move(m, p, n, &z)) continue;
        if (z < 0 || !m->flat.variable[n->a].assigned) others++;
        else if (pass == 1) freed[z] = 1;
      }
    dae_model_set_free(&m->graph, &below);
  }
}

/* what events change starts with its start value, where no initial equation gives another, and its
   derivatives with zero */
static void hold_discrete(dae_model *m, dae_plan *p) {
  unsigned char *freed = dae_model_take(&m->built, (size_t)p->nz + 1, 1);
  free_discrete(m, p, freed);
  for (int j = 0; j < m->structure->vars; j++)
    for (int k = 0, z; (z = dae_model_z_index(p, j, k)) >= 0; k++) {
      const dae_variable *v = &m->flat.variable[m->structure->var[j]];
      if (!v->assigned || p->fixed[z]) continue;
      p->z0[z] = k ? 0 : v->start;
      p->fixed[z] = !freed[z];
    }
}

bool dae_model_start(dae_model *m, dae_plan *p) {
  p->z0 = dae_model_take(&m->built, (size_t)p->nz + 1, sizeof(double));
  p->y0 = dae_model_take(&m->built, (size_t)p->ny + 1, sizeof(double));
  p->fixed = dae_model_take(&m->built, (size_t)p->nz + 1, 1);
  p->start_of = dae_model_ints(&m->built, p->nz + 1);
  for (int i = 0; i < p->nz; i++) p->start_of[i] = -1;
  if (!take_starts(m, p)) return false;
  guess_through_formulas(m, p);
  bool final = false;
  for (int i = 0; i < m->flat.initials; i++) {
    const dae_equation *eq = &m->flat.initial[i];
    final = final || dae_model_depends(m, eq->left, is_final, NULL) ||
            dae_model_depends(m, eq->right, is_final, NULL);
    if (!take_equation(m, p, eq)) return false;
  }
  m->flat.has_boundary = final;
  hold_discrete(m, p);
  dae_model_settle_switches(p, p->problem.t0, p->z0, p->y0);
  if (!final && !solve_start(m, p)) return false;
  p->problem.z0 = p->z0;
  p->problem.y0 = p->ny ? p->y0 : NULL;
  p->problem.fixed = p->fixed;
  return true;
}
