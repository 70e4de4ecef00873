/* declarations -> parameters with values, unknowns with attributes */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/plan.h"

static const char *text_of(const dae_model *m, int name) { return m->names.text[name]; }

/* ---- names ---- */

/* name[i,j] of element i (from 0) */
static const char *element_name(dae_model *m, const char *name, const dae_value *v, int i) {
  if (v->rank == 0) return name;
  char tail[120];
  int index[DAE_DIMS_MAX], n = 0;
  for (int k = v->rank - 1; k >= 0; k--) {
    index[k] = i % v->dim[k] + 1;
    i /= v->dim[k];
  }
  for (int k = 0; k < v->rank; k++)
    n += snprintf(tail + n, sizeof tail - (size_t)n, "%s%d", k ? "," : "[", index[k]);
  n += snprintf(tail + n, sizeof tail - (size_t)n, "]");
  size_t length = strlen(name);
  char *full = dae_model_take(&m->built, length + (size_t)n + 1, 1);
  memcpy(full, name, length);
  memcpy(full + length, tail, (size_t)n + 1);
  return full;
}

const char *dae_model_near_name(dae_model *m, const char *name, const dae_scope *scope) {
  const char **list = dae_model_take(&m->built, (size_t)m->symbols + 1, sizeof *list);
  int count = 0;
  /* thousands of names are searched once, not for each of many errors */
  if (m->symbols > 5000) return NULL;
  for (int i = 0; i < m->symbols && !scope->function; i++)
    list[count++] = text_of(m, m->symbol[i].decl->name);
  int near = dae_base_nearest(name, list, count);
  return near < 0 ? NULL : list[near];
}

/* a value from outside for this parameter or start value, NULL when there is none */
static const dae_given *given_value(const dae_model *m, const char *name, bool start) {
  for (int i = m->givens - 1; i >= 0; i--)
    if (m->given[i].start == start && strcmp(m->given[i].name, name) == 0) return &m->given[i];
  return NULL;
}

/* ---- dimensions ---- */

bool dae_model_eval_dims(dae_model *m, const dae_ast_decl *d, const dae_ast_class *alias,
                         dae_scope *scope, const dae_value *given, int *rank, int *dim) {
  *rank = 0;
  int more = alias ? alias->dims : 0;
  for (int k = 0; k < d->dims + more; k++) {
    const dae_ast *e = k < d->dims ? d->dim[k] : alias->dim[k - d->dims];
    if (*rank == DAE_DIMS_MAX) {
      dae_model_error(&m->source, e->place, "arrays of more than %d dimensions are not supported",
                      DAE_DIMS_MAX);
      return false;
    }
    if (e->kind == AST_COLON) {
      if (!given || k >= given->rank) {
        dae_model_error(&m->source, e->place,
                        "the size ':' of '%.60s' needs a value to take it from",
                        text_of(m, d->name));
        return false;
      }
      dim[(*rank)++] = given->dim[k];
      continue;
    }
    double n;
    dae_type type = TYPE_INTEGER;
    const dae_ast_class *c =
        e->kind == AST_REF && e->name >= 0 && e->name < m->named ? m->types[e->name] : NULL;
    if (c && c->literals) n = c->literals;
    else if (!dae_model_eval_number(m, e, scope, &type, &n)) return false;
    if (type != TYPE_INTEGER || n < 0 || n > 1e9) {
      dae_model_error(&m->source, e->place,
                      "a size must be an Integer from 0 to 1e9, this is %.17g", n);
      return false;
    }
    dim[(*rank)++] = (int)n;
  }
  return true;
}

/* ---- parameters and constants ---- */

static int new_parameter(dae_model *m, const char *name, double value) {
  dae_flat *f = &m->flat;
  int k = f->parameters++;
  f->parameter_name = dae_model_grow(&m->built, f->parameter_name, &f->parameter_name_capacity,
                                     k + 1, sizeof *f->parameter_name);
  f->parameter_value = dae_model_grow(&m->built, f->parameter_value, &f->parameter_value_capacity,
                                      k + 1, sizeof(double));
  f->parameter_name[k] = name;
  f->parameter_value[k] = value;
  return dae_model_param(&m->graph, k, value);
}

/* the element of a parameter: a symbol for Real parameters, a number for what may decide on
   structure */
static bool settle(dae_model *m, dae_symbol *s, int i, int node) {
  const char *name = element_name(m, text_of(m, s->decl->name), &s->value, i);
  const dae_given *given = s->variability == VAR_PARAMETER ? given_value(m, name, false) : NULL;
  if (given && s->decl->is_final) {
    dae_model_error(&m->source, s->decl->place, "'%.80s' is final: it cannot be set", name);
    return false;
  }
  if (given && s->type != TYPE_REAL && given->value != floor(given->value)) {
    dae_model_error(&m->source, s->decl->place, "'%.80s' is not a Real: it cannot be set to %.17g",
                    name, given->value);
    return false;
  }
  if (!given && !dae_model_constant(&m->graph, node)) {
    dae_model_error(&m->source, s->decl->binding->place,
                    "the value of the %s '%.80s' depends on a variable",
                    s->variability == VAR_PARAMETER ? "parameter" : "constant", name);
    return false;
  }
  double value = given ? given->value : m->graph.node[node].value;
  if (!isfinite(value)) {
    dae_model_error(&m->source, s->decl->binding ? s->decl->binding->place : s->decl->place,
                    "the value of '%.80s' is not a finite number: %s", name,
                    isnan(value) ? "0/0 or the like" : "it overflows or divides by zero");
    return false;
  }
  if (s->variability == VAR_CONSTANT || s->type != TYPE_REAL)
    s->value.node[i] = dae_model_const(&m->graph, value);
  else s->value.node[i] = new_parameter(m, name, value);
  return true;
}

/* is a value given from outside for all elements? then no binding is needed */
static bool all_given(dae_model *m, const dae_symbol *s, const dae_value *shape) {
  for (int i = 0; i < shape->count; i++)
    if (!given_value(m, element_name(m, text_of(m, s->decl->name), shape, i), false)) return false;
  return true;
}

/* start = .. of the declaration or of its type */
static const dae_ast_mod *find_mod(const dae_model *m, const dae_symbol *s, const char *name) {
  for (const dae_ast_mod *mod = s->decl->mods; mod; mod = mod->next)
    if (strcmp(text_of(m, mod->name), name) == 0) return mod;
  for (const dae_ast_class *c = s->alias; c;
       c = c->base_name < m->named ? m->types[c->base_name] : NULL)
    for (const dae_ast_mod *mod = c->mods; mod; mod = mod->next)
      if (strcmp(text_of(m, mod->name), name) == 0) return mod;
  return NULL;
}

/* the value of a parameter: its binding, else its start value */
static const dae_ast *binding_of(dae_model *m, const dae_symbol *s) {
  const dae_ast_mod *start = s->decl->binding ? NULL : find_mod(m, s, "start");
  if (!start || s->variability != VAR_PARAMETER || s->type == TYPE_STRING) return s->decl->binding;
  dae_model_warn(&m->source, s->decl->place,
                 "the parameter '%.60s' has no value: its start value is taken",
                 text_of(m, s->decl->name));
  return start->value;
}

static bool bind_parameter(dae_model *m, dae_symbol *s) {
  dae_scope scope = {.end = -1};
  dae_value value = {0};
  const dae_ast_decl *d = s->decl;
  int rank, dim[DAE_DIMS_MAX];
  const dae_ast *binding = binding_of(m, s);
  if (binding && !dae_model_eval(m, binding, &scope, &value)) return false;
  if (!dae_model_eval_dims(m, d, s->alias, &scope, binding ? &value : NULL, &rank, dim))
    return false;
  if (s->type == TYPE_STRING) {
    s->value = (dae_value){.type = TYPE_STRING, .string = value.string};
    return true;
  }
  s->value = dae_model_array(m, s->type, rank, dim);
  if (!binding && !all_given(m, s, &s->value)) {
    const char *name = text_of(m, d->name);
    dae_model_error(&m->source, d->place,
                    "the %s '%.60s' has no value: write %.60s = .. or set it from outside",
                    s->variability == VAR_PARAMETER ? "parameter" : "constant", name, name);
    return false;
  }
  if (binding) {
    bool number = value.type <= TYPE_INTEGER;
    if ((s->type == TYPE_BOOLEAN) != (value.type == TYPE_BOOLEAN) ||
        (s->type <= TYPE_INTEGER) != number ||
        (s->type == TYPE_INTEGER && value.type == TYPE_REAL)) {
      static const char *const names[] = {"Real", "Integer", "Boolean", "String"};
      dae_model_error(&m->source, binding->place, "'%.60s' is declared %s, but this is %s",
                      text_of(m, d->name), names[s->type], names[value.type]);
      return false;
    }
    /* k[1] = 3: the only element of an array, as tools write it; a start value is for all */
    bool single = value.rank == 0 && (s->value.count == 1 || !d->binding);
    if (!single && !dae_model_same_size(&s->value, &value)) {
      char left[80], right[80];
      dae_model_error(&m->source, binding->place, "'%.60s' is %s, but its value is %s",
                      text_of(m, d->name), dae_model_size_text(&s->value, left, sizeof left),
                      dae_model_size_text(&value, right, sizeof right));
      return false;
    }
  }
  for (int i = 0; i < s->value.count; i++)
    if (!settle(m, s, i, binding ? value.node[value.rank ? i : 0] : -1)) return false;
  return true;
}

/* parameter(fixed = false), or a parameter that depends on one: initial equations give its value,
   and it stays */
static bool is_solved(dae_model *m, const dae_symbol *s) {
  const dae_ast_mod *fixed = find_mod(m, s, "fixed");
  if (s->variability != VAR_PARAMETER || s->type != TYPE_REAL) return false;
  if (fixed && fixed->value->kind == AST_BOOL && fixed->value->u.number == 0) return true;
  dae_scope scope = {.end = -1};
  dae_value value;
  if (!m->solves || !s->decl->binding || !dae_model_eval(m, s->decl->binding, &scope, &value))
    return false;
  for (int i = 0; i < value.count; i++)
    if (!dae_model_constant(&m->graph, value.node[i])) return true;
  return false;
}

/* ---- unknowns ---- */

static bool new_variables(dae_model *m, dae_symbol *s, int number) {
  dae_scope scope = {.end = -1};
  const dae_ast_decl *d = s->decl;
  int rank, dim[DAE_DIMS_MAX];
  dae_value size = {0};
  bool open = false;
  for (int k = 0; k < d->dims; k++) open = open || d->dim[k]->kind == AST_COLON;
  if (open && d->binding && !dae_model_eval(m, d->binding, &scope, &size)) return false;
  if (!dae_model_eval_dims(m, d, s->alias, &scope, open ? &size : NULL, &rank, dim)) return false;
  if (s->type == TYPE_STRING) {
    dae_model_error(&m->source, d->place,
                    "'%.60s' is a String that varies: declare it parameter or constant",
                    text_of(m, d->name));
    return false;
  }
  s->value = dae_model_array(m, s->type, rank, dim);
  dae_flat *f = &m->flat;
  for (int i = 0; i < s->value.count; i++) {
    int k = f->variables++;
    f->variable =
        dae_model_grow(&m->built, f->variable, &f->variable_capacity, k + 1, sizeof *f->variable);
    f->variable[k] = (dae_variable){.name = element_name(m, text_of(m, d->name), &s->value, i),
                                    .symbol = number,
                                    .place = d->place,
                                    .min = -INFINITY,
                                    .max = INFINITY,
                                    .nominal = 1};
    s->value.node[i] = dae_model_var(&m->graph, k, 0, WHEN_NOW);
  }
  return true;
}

bool dae_model_symbol_value(dae_model *m, int number, uint32_t place) {
  dae_symbol *s = &m->symbol[number];
  if (s->state == SYMBOL_DONE) return true;
  if (s->state == SYMBOL_BAD) return false;
  if (s->state == SYMBOL_BUSY) {
    dae_model_error(&m->source, place, "the value of '%.60s' depends on itself",
                    text_of(m, s->decl->name));
    return false;
  }
  s->state = SYMBOL_BUSY;
  bool ok = dae_model_resolve_type(m, s->decl, &s->type, &s->alias);
  if (ok && s->decl->elements) {
    dae_symbol array = *s; /* the list of symbols may move */
    ok = dae_model_array_value(m, &array);
    m->symbol[number].value = array.value;
  } else if (ok) {
    s->solved = is_solved(m, s);
    if (s->solved) s->variability = VAR_CONTINUOUS, m->solves = true;
    ok = s->variability >= VAR_PARAMETER ? bind_parameter(m, s) : new_variables(m, s, number);
  }
  m->symbol[number].state = ok ? SYMBOL_DONE : SYMBOL_BAD;
  return ok;
}

/* ---- attributes ---- */

static const char *const attributes[] = {"start",       "fixed",    "min",         "max",
                                         "unit",        "nominal",  "displayUnit", "quantity",
                                         "stateSelect", "unbounded"};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* unknown attributes are an error: a misspelt 'start' must not be ignored */
static bool check_mods(dae_model *m, const dae_ast_mod *mod) {
  for (; mod; mod = mod->next) {
    const char *name = text_of(m, mod->name);
    int k = 0;
    while (k < ATTRIBUTES && strcmp(name, attributes[k]) != 0) k++;
    if (k < ATTRIBUTES) continue;
    int near = dae_base_nearest(name, attributes, ATTRIBUTES);
    dae_model_error(&m->source, mod->place, "there is no attribute '%.60s'%s%s%s", name,
                    near >= 0 ? ": did you mean '" : "", near >= 0 ? attributes[near] : "",
                    near >= 0 ? "'?" : "");
    return false;
  }
  return true;
}

static bool any_variable(void *ctx, const dae_node *leaf) {
  (void)ctx, (void)leaf;
  return true;
}

/* a number, or for `start` a function of time */
static bool attribute_known(dae_model *m, const char *name, int node) {
  if (dae_model_constant(&m->graph, node)) return true;
  return strcmp(name, "start") == 0 && !dae_model_depends(m, node, any_variable, NULL);
}

/* value of an attribute for element i: one for all, or an array of the same size */
static bool attribute(dae_model *m, const dae_symbol *s, const char *name, bool boolean,
                      dae_value *out, const dae_ast_mod **where) {
  *where = find_mod(m, s, name);
  if (!*where) return true;
  dae_scope scope = {.end = -1};
  if (!dae_model_eval(m, (*where)->value, &scope, out)) return false;
  if ((out->type == TYPE_BOOLEAN) != boolean || out->type == TYPE_STRING) {
    dae_model_error(&m->source, (*where)->value->place, "'%s' must be a %s", name,
                    boolean ? "Boolean" : "number");
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
  const dae_ast_mod *mod = find_mod(m, s, name);
  return mod && mod->value->kind == AST_STRING ? mod->value->u.string : NULL;
}

static bool read_attributes(dae_model *m, const dae_symbol *s) {
  if (!check_mods(m, s->decl->mods)) return false;
  static const char *const wanted[] = {"start", "fixed", "min", "max", "nominal"};
  dae_value value[5];
  const dae_ast_mod *where[5];
  for (int k = 0; k < 5; k++)
    if (!attribute(m, s, wanted[k], k == 1 || (k == 0 && s->type == TYPE_BOOLEAN), &value[k],
                   &where[k]))
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
    v->unit = text_attribute(m, s, "unit");
    if (!v->unit) v->unit = dae_model_unit_of_type(text_of(m, s->decl->type_name));
    v->display_unit = text_attribute(m, s, "displayUnit");
    v->description = s->decl->comment;
    const dae_given *given = given_value(m, v->name, true);
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

static int at_start_time(dae_graph *g, int leaf, void *ctx) {
  const dae_model *m = ctx;
  return g->node[leaf].op == OP_TIME ? dae_model_const(g, m->flat.start_time) : leaf;
}

/* first values of start = .. of time, once the start time is known */
static bool first_values(dae_model *m) {
  for (int i = 0; i < m->flat.variables; i++) {
    dae_variable *v = &m->flat.variable[i];
    int node;
    if (!v->start_varies) continue;
    dae_model_substitute(&m->graph, &v->start_node, 1, &node, at_start_time, m);
    v->start = m->graph.node[node].value;
    if (!dae_model_constant(&m->graph, node) || !isfinite(v->start)) {
      dae_model_error(&m->source, v->place, "the start value of '%.80s' is not a finite number",
                      v->name);
      return false;
    }
  }
  return true;
}

/* parameter equation guess(x) = value: a start value by another name */
static bool read_guesses(dae_model *m) {
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

/* ---- the whole class ---- */

static bool declare(dae_model *m, const dae_ast_decl *d, bool from_package) {
  bool ok = true;
  for (; d; d = d->next) {
    int old = m->symbol_of[d->name];
    if (old >= 0) {
      int line, column;
      dae_model_locate(&m->source, m->symbol[old].decl->place, &line, &column);
      dae_model_error(&m->source, d->place, "'%.60s' is declared twice: first in line %d",
                      text_of(m, d->name), line);
      ok = false;
      continue;
    }
    if (d->condition) {
      dae_model_error(&m->source, d->condition->place, "conditional declarations are not flat");
      ok = false;
      continue;
    }
    m->symbol = dae_model_grow(&m->built, m->symbol, &m->symbol_capacity, m->symbols + 1,
                               sizeof *m->symbol);
    m->symbol[m->symbols] =
        (dae_symbol){.decl = d, .variability = d->variability, .from_package = from_package};
    m->symbol_of[d->name] = m->symbols++;
  }
  return ok;
}

/* StartTime, StopTime, Tolerance, Interval; others are somebody else's */
static bool read_experiment(dae_model *m) {
  dae_flat *f = &m->flat;
  f->stop_time = 1;
  for (const dae_ast_mod *mod = m->main->experiment; mod; mod = mod->next) {
    const char *name = text_of(m, mod->name);
    double *target = strcmp(name, "StartTime") == 0   ? &f->start_time
                     : strcmp(name, "StopTime") == 0  ? &f->stop_time
                     : strcmp(name, "Tolerance") == 0 ? &f->tolerance
                     : strcmp(name, "Interval") == 0  ? &f->interval
                                                      : NULL;
    dae_type type;
    dae_scope scope = {.end = -1};
    if (target && !dae_model_eval_number(m, mod->value, &scope, &type, target)) return false;
  }
  return true;
}

/* names given from outside that exist nowhere */
static bool check_given(dae_model *m) {
  bool ok = true;
  for (int i = 0; i < m->givens; i++) {
    const dae_given *given = &m->given[i];
    bool found = false;
    int count = given->start ? m->flat.variables : m->flat.parameters;
    const char **names = dae_model_take(&m->built, (size_t)(count + m->symbols) + 1, sizeof *names);
    for (int k = 0; k < count; k++)
      names[k] = given->start ? m->flat.variable[k].name : m->flat.parameter_name[k];
    for (int k = 0; k < m->symbols && !given->start; k++)
      if (m->symbol[k].variability == VAR_PARAMETER && m->symbol[k].type != TYPE_REAL)
        names[count++] = text_of(m, m->symbol[k].decl->name);
    for (int k = 0; k < count && !found; k++) found = strcmp(names[k], given->name) == 0;
    if (found) continue;
    int near = count < 5000 ? dae_base_nearest(given->name, names, count) : -1;
    dae_model_error(&m->source, DAE_NO_PLACE, "there is no %s '%.80s' to set%s%.80s%s",
                    given->start ? "variable" : "parameter", given->name,
                    near >= 0 ? ": did you mean '" : "", near >= 0 ? names[near] : "",
                    near >= 0 ? "'?" : "");
    ok = false;
  }
  return ok;
}

/* der(p) = 0 for a parameter that initial equations give */
static void stay(dae_model *m, const dae_symbol *s) {
  int zero = m->graph.zero;
  for (int i = 0; i < s->value.count; i++) {
    int rate = dae_model_rate(&m->graph, s->value.node[i]);
    const dae_value left = {.node = &rate, .count = 1}, right = {.node = &zero, .count = 1};
    dae_model_add_equations(m, &left, &right, s->decl->place, SECTION_EQUATION);
  }
}

bool dae_model_elaborate(dae_model *m) {
  m->solves = false;
  m->symbol_of = dae_model_take(&m->built, (size_t)m->named, sizeof(int));
  for (int i = 0; i < m->named; i++) m->symbol_of[i] = -1;
  bool ok = true;
  for (const dae_ast_class *c = m->classes; c; c = c->next)
    if (c->kind == CLASS_PACKAGE) ok = declare(m, c->decls, true) && ok;
  ok = declare(m, m->main->decls, false) && ok;
  for (int i = 0; i < m->symbols; i++)
    ok = dae_model_symbol_value(m, i, m->symbol[i].decl->place) && ok;
  dae_scope scope = {.end = -1};
  for (int i = 0; i < m->symbols; i++) {
    const dae_symbol *s = &m->symbol[i];
    if (s->state != SYMBOL_DONE || s->variability >= VAR_PARAMETER || s->decl->elements) continue;
    ok = read_attributes(m, s) && ok;
    dae_value value;
    const dae_ast_mod *fixed = s->solved ? find_mod(m, s, "fixed") : NULL;
    if (fixed) stay(m, s);
    if (s->decl->binding && !fixed)
      ok = dae_model_eval(m, s->decl->binding, &scope, &value) &&
           dae_model_add_equations(m, &m->symbol[i].value, &value, s->decl->binding->place,
                                   SECTION_EQUATION) &&
           ok;
  }
  ok = ok && read_guesses(m);
  ok = dae_model_flatten_algorithms(m) && ok;
  ok = dae_model_flatten(m, m->main->equations, SECTION_EQUATION) && ok;
  ok = dae_model_flatten(m, m->main->initial_equations, SECTION_INITIAL) && ok;
  ok = read_experiment(m) && first_values(m) && ok;
  ok = ok && dae_model_make_discrete(m) && dae_model_read_drawing(m);
  return ok && check_given(m);
}
