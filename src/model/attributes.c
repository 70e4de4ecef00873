/* attributes of unknowns: start, fixed, min, max, nominal, unit, and guesses of Base Modelica */
#include <math.h>
#include <string.h>

#include "model/plan.h"

static const char *text_of(const dae_model *m, int name) { return m->names.text[name]; }

static const char *const attributes[] = {"start",       "fixed",     "min",         "max",
                                         "unit",        "nominal",   "displayUnit", "quantity",
                                         "stateSelect", "unbounded", "startOrigin"};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* unknown attributes are an error: a misspelt 'start' must not be ignored */
static bool check_mods(dae_model *m, const dae_symbol *s) {
  for (const dae_ast_mod *mod = s->decl->mods; mod; mod = mod->next) {
    const char *name = text_of(m, mod->name);
    int k = 0;
    while (k < ATTRIBUTES && strcmp(name, attributes[k]) != 0) k++;
    if (k < ATTRIBUTES && mod->inner) {
      dae_model_error(&m->source, mod->place, "the attribute '%.60s' has no members", name);
      return false;
    }
    for (const dae_ast_class *c = s->alias; c && k < ATTRIBUTES;
         c = c->base_name < m->named ? m->types[c->base_name] : NULL)
      for (const dae_ast_mod *other = c->mods; other; other = other->next)
        if (other->is_final && other->name == mod->name) {
          dae_model_error(&m->source, mod->place, "'%.60s' is final in the type '%.60s'", name,
                          text_of(m, c->name));
          return false;
        }
    if (k < ATTRIBUTES) continue;
    int near = dae_base_nearest(name, attributes, ATTRIBUTES);
    dae_model_error(&m->source, mod->place, "there is no attribute '%.60s'%s%s%s", name,
                    near >= 0 ? ": did you mean '" : ": those of a variable are ",
                    near >= 0 ? attributes[near] : "start, fixed, min, max, nominal, unit ..",
                    near >= 0 ? "'?" : "");
    return false;
  }
  return true;
}

/* not a parameter that initial equations give */
static bool is_unknown(void *ctx, const dae_node *leaf) {
  const dae_model *m = ctx;
  int symbol = leaf->op == OP_VAR && leaf->c == WHEN_NOW ? m->flat.variable[leaf->a].symbol : -1;
  return symbol < 0 || !m->symbol[symbol].solved;
}

/* a number, or for `start` a function of time and of parameters with fixed = false */
static bool attribute_known(dae_model *m, const char *name, int node) {
  if (dae_model_constant(&m->graph, node)) return true;
  return strcmp(name, "start") == 0 && !dae_model_depends(m, node, is_unknown, m);
}

/* value of an attribute for element i: one for all, or an array of the same size */
static bool attribute(dae_model *m, const dae_symbol *s, const char *name, const dae_value *like,
                      dae_value *out, const dae_ast_mod **where) {
  *where = dae_model_find_mod(m, s, name);
  if (!*where) return true;
  dae_scope scope = dae_model_scope_of(s);
  char text[80];
  if (!dae_model_eval(m, (*where)->value, &scope, out)) return false;
  if (!dae_model_same_kind(like, out)) {
    bool number = like->type <= TYPE_INTEGER;
    dae_model_error(&m->source, (*where)->value->place, "'%s' must be a %s", name,
                    number ? "number" : dae_model_type_text(m, like, text, sizeof text));
    return false;
  }
  if (out->rank && !dae_model_same_size(out, &s->value)) {
    char left[80], right[80];
    dae_model_error(&m->source, (*where)->value->place, "'%s' is %s, the variable is %s", name,
                    dae_model_size_text(out, left, sizeof left),
                    dae_model_size_text(&s->value, right, sizeof right));
    return false;
  }
  for (int i = 0; i < out->count; i++)
    if (!attribute_known(m, name, out->node[i])) {
      dae_model_error(
          &m->source, (*where)->value->place,
          "'%s' must be known when the model is read: only numbers, parameters and constants",
          name);
      return false;
    }
  return true;
}

/* NULL: it is not there */
static const char *text_attribute(const dae_model *m, const dae_symbol *s, const char *name) {
  const dae_ast_mod *mod = dae_model_find_mod(m, s, name);
  return mod && mod->value->kind == AST_STRING ? mod->value->u.string : NULL;
}

const char *dae_model_unit(const dae_model *m, const dae_symbol *s) {
  const char *unit = text_attribute(m, s, "unit");
  return unit ? unit : dae_model_unit_of_type(text_of(m, s->decl->type_name));
}

bool dae_model_read_attributes(dae_model *m, const dae_symbol *s) {
  if (!check_mods(m, s)) return false;
  static const char *const wanted[] = {"start", "fixed", "min", "max", "nominal"};
  dae_value value[5];
  const dae_ast_mod *where[5];
  const dae_value truth = {.type = TYPE_BOOLEAN};
  for (int k = 0; k < 5; k++)
    if (!attribute(m, s, wanted[k], k == 1 ? &truth : &s->value, &value[k], &where[k]))
      return false;
  for (int i = 0; i < s->value.count; i++) {
    dae_variable *v = &m->flat.variable[m->graph.node[s->value.node[i]].a];
    double *target[5] = {&v->start, NULL, &v->min, &v->max, &v->nominal};
    for (int k = 0; k < 5; k++) {
      if (!where[k]) continue;
      int node = value[k].node[value[k].rank ? i : 0];
      bool varies = !dae_model_constant(&m->graph, node);
      double x = varies ? 0 : m->graph.node[node].value;
      if (target[k]) *target[k] = x;
      if (k == 0) v->has_start = true, v->start_varies = varies, v->start_node = node;
      if (k == 1) v->fixed = x != 0;
    }
    v->unit = dae_model_unit(m, s);
    v->display_unit = text_attribute(m, s, "displayUnit");
    v->description = s->decl->comment;
    const dae_given *given = dae_model_given(m, v->name, true);
    if (given) {
      v->start = given->value, v->has_start = true, v->fixed = v->fixed || given->fixed;
      v->start_varies = false;
    }
    int number = (int)(v - m->flat.variable);
    if (m->homotopy.carry && number < m->homotopy.carried && !v->fixed && s->type == TYPE_REAL &&
        isfinite(m->homotopy.carry[number])) {
      v->start = m->homotopy.carry[number], v->has_start = true;
      v->start_varies = false;
    }
    if (!isfinite(v->start)) {
      dae_model_error(&m->source, v->place, "the start value of '%.80s' is not a finite number",
                      v->name);
      return false;
    }
    if (v->min > v->max) {
      dae_model_error(&m->source, v->place, "'%.80s' has min = %g above max = %g", v->name, v->min,
                      v->max);
      return false;
    }
  }
  return true;
}

/* parameters between their min and max (4.9.1): libraries use values outside to say "not given",
   so that it is only told. Whole numbers are exact up to 2^53 */
bool dae_model_check_limits(dae_model *m, const dae_symbol *s) {
  static const char *const names[] = {"min", "max"};
  const double largest = 9007199254740992.0;
  for (int i = 0; i < s->value.count && s->type == TYPE_INTEGER; i++) {
    const dae_node *x = &m->graph.node[s->value.node[i]];
    if (!(x->flags & NODE_CONSTANT) || fabs(x->value) <= largest) continue;
    dae_model_error(&m->source, s->decl->place, "'%.80s' is %.10g, too large for an Integer",
                    text_of(m, s->decl->name), x->value);
    return false;
  }
  for (int k = 0; k < 2 && s->type != TYPE_STRING && s->type != TYPE_RECORD; k++) {
    dae_value limit;
    const dae_ast_mod *where;
    if (!attribute(m, s, names[k], &s->value, &limit, &where)) return false;
    for (int i = 0; i < s->value.count && where; i++) {
      const dae_node *x = &m->graph.node[s->value.node[i]],
                     *end = &m->graph.node[limit.node[limit.rank ? i : 0]];
      bool known = (x->flags & end->flags & NODE_CONSTANT) != 0;
      if (!known || (k == 0 ? x->value >= end->value : x->value <= end->value)) continue;
      dae_model_warn(&m->source, s->decl->place, "'%.80s' is %.10g, %s its %s, %.10g",
                     text_of(m, s->decl->name), x->value, k == 0 ? "below" : "above", names[k],
                     end->value);
      break;
    }
  }
  return true;
}

static int at_start_time(dae_graph *g, int leaf, void *ctx) {
  const dae_model *m = ctx;
  return g->node[leaf].op == OP_TIME ? dae_model_const(g, m->flat.start_time) : leaf;
}

/* what is known of a parameter that initial equations give: the number there, or its guess */
static int guessed(dae_graph *g, int leaf, void *ctx) {
  const dae_model *m = ctx;
  if (g->node[leaf].op != OP_VAR) return leaf;
  for (int i = 0; i < m->flat.initials; i++) {
    const dae_equation *eq = &m->flat.initial[i];
    if (eq->left == leaf && dae_model_constant(g, eq->right)) return eq->right;
    if (eq->right == leaf && dae_model_constant(g, eq->left)) return eq->left;
  }
  return dae_model_const(g, m->flat.variable[g->node[leaf].a].start);
}

/* start = p, where initial equations give p: an initial equation where the start is fixed, and a
   guess from what is known of p */
static void start_with_solved(dae_model *m, int variable, int start) {
  dae_variable *v = &m->flat.variable[variable];
  int left = dae_model_var(&m->graph, variable, 0, WHEN_NOW), guess;
  const dae_value value = {.node = &left, .count = 1}, given = {.node = &start, .count = 1};
  if (v->fixed) dae_model_add_equations(m, &value, &given, v->place, SECTION_INITIAL);
  dae_model_substitute(&m->graph, &start, 1, &guess, guessed, m);
  double x = m->graph.node[guess].value;
  v->has_start = dae_model_constant(&m->graph, guess) && isfinite(x);
  v->start = v->has_start ? x : 0;
  v->fixed = v->start_varies = false;
}

/* first values of start = .. of time, once the start time is known */
bool dae_model_first_values(dae_model *m) {
  for (int i = 0; i < m->flat.variables; i++) {
    dae_variable *v = &m->flat.variable[i];
    int node;
    if (!v->start_varies) continue;
    dae_model_substitute(&m->graph, &v->start_node, 1, &node, at_start_time, m);
    v->start = m->graph.node[node].value;
    if (!dae_model_constant(&m->graph, node)) {
      start_with_solved(m, i, node);
    } else if (!isfinite(v->start)) {
      dae_model_error(&m->source, v->place, "the start value of '%.80s' is not a finite number",
                      v->name);
      return false;
    }
  }
  return true;
}

/* parameter equation guess(x) = value: a start value by another name */
bool dae_model_read_guesses(dae_model *m) {
  dae_scope scope = {.end = -1};
  for (const dae_ast_eq *eq = m->main->guesses; eq; eq = eq->next) {
    const dae_ast *call = eq->kind == EQ_SIMPLE ? eq->left : NULL;
    dae_value target, value;
    if (!call || call->kind != AST_CALL || strcmp(text_of(m, call->name), "guess") != 0 ||
        call->count != 1) {
      dae_model_error(&m->source, eq->place,
                      "expected guess(variable) = value after 'parameter equation'");
      return false;
    }
    if (!dae_model_eval(m, call->args[0], &scope, &target) ||
        !dae_model_eval(m, eq->right, &scope, &value))
      return false;
    for (int i = 0; i < target.count; i++) {
      const dae_node n = m->graph.node[target.node[i]];
      int from = value.rank ? (i < value.count ? i : -1) : 0;
      if (n.op != OP_VAR || from < 0 || !dae_model_constant(&m->graph, value.node[from])) {
        dae_model_error(&m->source, eq->place,
                        "guess(x) = value needs a variable and a known value of its size");
        return false;
      }
      dae_variable *v = &m->flat.variable[n.a];
      if (!v->has_start) v->start = m->graph.node[value.node[from]].value, v->has_start = true;
    }
  }
  return true;
}
