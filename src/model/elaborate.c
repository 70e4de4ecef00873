/* declarations -> parameters with values, unknowns with attributes */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/plan.h"

static const char *text_of(const dae_model *m, int name) { return m->names.text[name]; }

/* ---- names ---- */

/* name[i,j] of element i (from 0); for a field of a record r[i].x[j] */
static const char *element_name(dae_model *m, const dae_ast_decl *d, const dae_value *v, int i) {
  const char *name = text_of(m, d->name);
  if (v->rank == 0) return name;
  int index[DAE_DIMS_MAX], at = 0;
  for (int k = v->rank - 1; k >= 0; k--) {
    index[k] = i % v->dim[k] + 1;
    i /= v->dim[k];
  }
  dae_ast_part whole = {d->name, v->rank};
  const dae_ast_part *part = d->parts ? d->part : &whole;
  int parts = d->parts ? d->parts : 1;
  size_t n = 0, room = 2;
  for (int p = 0; p < parts; p++) room += strlen(text_of(m, part[p].name)) + 1;
  for (int k = 0; k < v->rank; k++) {
    room += 3;
    for (int rest = index[k]; rest > 9; rest /= 10) room++;
  }
  char *text = dae_model_take(&m->built, room, 1);
  for (int p = 0; p < parts; p++) {
    /* dimensions of an alias belong to the last piece */
    int last = p == parts - 1 ? v->rank : at + part[p].dims;
    n += (size_t)snprintf(text + n, room - n, "%s%s", p ? "." : "", text_of(m, part[p].name));
    for (int first = at; at < last; at++)
      n += (size_t)snprintf(text + n, room - n, "%s%d%s", at == first ? "[" : ",", index[at],
                            at == last - 1 ? "]" : "");
  }
  return text;
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
const dae_given *dae_model_given(const dae_model *m, const char *name, bool start) {
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
    else if (e->kind == AST_REF && e->count == 0 && e->name >= 0 &&
             (strcmp(text_of(m, e->name), "Boolean") == 0 ||
              (c && strcmp(text_of(m, c->base_name), "Boolean") == 0)))
      n = 2;
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

static bool holds_parameter(dae_model *m, int node) {
  dae_set below = {0};
  bool found = false;
  dae_model_reach(&m->graph, &node, 1, &below);
  for (int k = 0; k < below.count && !found; k++)
    found = m->graph.node[below.node[k]].op == OP_PARAM;
  dae_model_set_free(&m->graph, &below);
  return found;
}

/* the element of a parameter: a symbol for Real parameters, a number for what may decide on
   structure */
static bool settle(dae_model *m, dae_symbol *s, int i, int node) {
  const char *name = element_name(m, s->decl, &s->value, i);
  const dae_given *given = s->variability == VAR_PARAMETER ? dae_model_given(m, name, false) : NULL;
  if (given && s->decl->is_final) {
    dae_model_error(&m->source, s->decl->place, "'%.80s' is final: it cannot be set", name);
    return false;
  }
  if (given &&
      (s->type == TYPE_STRING || (s->type != TYPE_REAL && given->value != floor(given->value)))) {
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
  if (s->variability == VAR_CONSTANT && holds_parameter(m, node)) {
    dae_model_error(&m->source, s->decl->binding->place,
                    "the constant '%.80s' depends on a parameter", name);
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
    if (!dae_model_given(m, element_name(m, s->decl, shape, i), false)) return false;
  return true;
}

/* start = .. of the declaration or of its type */
const dae_ast_mod *dae_model_find_mod(const dae_model *m, const dae_symbol *s, const char *name) {
  for (const dae_ast_mod *mod = s->decl->mods; mod; mod = mod->next)
    if (mod->value && strcmp(text_of(m, mod->name), name) == 0) return mod;
  for (const dae_ast_class *c = s->alias; c;
       c = c->base_name < m->named ? m->types[c->base_name] : NULL)
    for (const dae_ast_mod *mod = c->mods; mod; mod = mod->next)
      if (mod->value && strcmp(text_of(m, mod->name), name) == 0) return mod;
  return NULL;
}

/* the value of a parameter: its binding, else its start value */
static const dae_ast *binding_of(dae_model *m, const dae_symbol *s) {
  const dae_ast_mod *start = s->decl->binding ? NULL : dae_model_find_mod(m, s, "start");
  if (!start || s->variability != VAR_PARAMETER) return s->decl->binding;
  dae_model_warn(&m->source, s->decl->place,
                 "the parameter '%.60s' has no value: its start value is taken",
                 text_of(m, s->decl->name));
  return start->value;
}

/* where names of a declaration are looked up: fields of the record it stands in come first */
dae_scope dae_model_scope_of(const dae_symbol *s) {
  return (dae_scope){.end = -1,
                     .within = s->decl->own_value ? s->decl->within : 0,
                     .literals = s->type == TYPE_ENUM ? s->alias : NULL};
}

/* a value that is given once for all elements: k[1] = 3 as tools write it, a start value, `each`;
   and the default of a field for all records of an array */
static bool spread(dae_model *m, const dae_symbol *s, dae_value *value) {
  bool single = value->rank == 0 && (s->value.count == 1 || !s->decl->binding || s->decl->each);
  int outer = s->value.rank - value->rank;
  bool fits = s->decl->each && outer > 0 &&
              memcmp(value->dim, s->value.dim + outer, (size_t)value->rank * sizeof(int)) == 0;
  if ((!single && !fits) || dae_model_same_size(&s->value, value)) return true;
  dae_value all = dae_model_array_like(m, value, s->value.rank, s->value.dim);
  for (int i = 0; i < all.count; i++)
    all.node[i] = value->count ? value->node[i % value->count] : -1;
  *value = all;
  return true;
}

static bool check_binding(dae_model *m, const dae_symbol *s, const dae_value *value,
                          uint32_t place) {
  char left[80], right[80];
  if (!dae_model_accepts(&s->value, value)) {
    dae_model_error(&m->source, place, "'%.60s' is declared %s, but this is %s",
                    text_of(m, s->decl->name), dae_model_type_text(m, &s->value, left, sizeof left),
                    dae_model_type_text(m, value, right, sizeof right));
    return false;
  }
  if (dae_model_same_size(&s->value, value)) return true;
  dae_model_error(&m->source, place, "'%.60s' is %s, but its value is %s",
                  text_of(m, s->decl->name), dae_model_size_text(&s->value, left, sizeof left),
                  dae_model_size_text(value, right, sizeof right));
  return false;
}

/* an array of the symbol's type and these dimensions, nothing in it */
static dae_value new_value(dae_model *m, const dae_symbol *s, int rank, const int *dim) {
  dae_value like = {.type = s->type, .literals = s->type == TYPE_ENUM ? s->alias : NULL};
  return dae_model_array_like(m, &like, rank, dim);
}

static bool bind_parameter(dae_model *m, dae_symbol *s) {
  const dae_ast_decl *d = s->decl;
  dae_scope scope = dae_model_scope_of(s);
  dae_value value = {0};
  int rank, dim[DAE_DIMS_MAX];
  const dae_ast *binding = binding_of(m, s);
  if (binding && !dae_model_eval(m, binding, &scope, &value)) return false;
  if (!dae_model_eval_dims(m, d, s->alias, &scope, binding ? &value : NULL, &rank, dim))
    return false;
  s->value = new_value(m, s, rank, dim);
  if (!binding && !all_given(m, s, &s->value)) {
    const char *name = text_of(m, d->name);
    dae_model_error(&m->source, d->place,
                    "the %s '%.60s' has no value: write %.60s = .. or set it from outside",
                    s->variability == VAR_PARAMETER ? "parameter" : "constant", name, name);
    return false;
  }
  if (binding && (!spread(m, s, &value) || !check_binding(m, s, &value, binding->place)))
    return false;
  for (int i = 0; i < s->value.count; i++)
    if (!settle(m, s, i, binding ? value.node[i] : -1)) return false;
  return dae_model_check_limits(m, s);
}

/* parameter(fixed = false), or a parameter that depends on one: initial equations give its value,
   and it stays */
static bool is_solved(dae_model *m, const dae_symbol *s) {
  const dae_ast_mod *fixed = dae_model_find_mod(m, s, "fixed");
  if (s->variability != VAR_PARAMETER || s->type != TYPE_REAL) return false;
  if (fixed && fixed->value->kind == AST_BOOL && fixed->value->u.number == 0) return true;
  dae_scope scope = dae_model_scope_of(s);
  dae_value value;
  if (!m->solves || !s->decl->binding || !dae_model_eval(m, s->decl->binding, &scope, &value))
    return false;
  for (int i = 0; i < value.count; i++)
    if (!dae_model_constant(&m->graph, value.node[i])) return true;
  return false;
}

/* ---- unknowns ---- */

static bool new_variables(dae_model *m, dae_symbol *s, int number) {
  const dae_ast_decl *d = s->decl;
  dae_scope scope = dae_model_scope_of(s);
  int rank, dim[DAE_DIMS_MAX];
  dae_value size = {0};
  bool open = false;
  for (int k = 0; k < d->dims; k++) open = open || d->dim[k]->kind == AST_COLON;
  const dae_ast_mod *start = open && !d->binding ? dae_model_find_mod(m, s, "start") : NULL;
  const dae_ast *sized = d->binding ? d->binding : start ? start->value : NULL;
  if (open && sized && !dae_model_eval(m, sized, &scope, &size)) return false;
  if (!dae_model_eval_dims(m, d, s->alias, &scope, open ? &size : NULL, &rank, dim)) return false;
  s->value = new_value(m, s, rank, dim);
  dae_flat *f = &m->flat;
  for (int i = 0; i < s->value.count; i++) {
    int k = f->variables++;
    f->variable =
        dae_model_grow(&m->built, f->variable, &f->variable_capacity, k + 1, sizeof *f->variable);
    f->variable[k] = (dae_variable){.name = element_name(m, d, &s->value, i),
                                    .symbol = number,
                                    .place = d->place,
                                    .min = -INFINITY,
                                    .max = INFINITY,
                                    .nominal = 1};
    s->value.node[i] = dae_model_var(&m->graph, k, 0, WHEN_NOW);
    /* "", and the first literal */
    if (s->type == TYPE_STRING)
      f->variable[k].start = dae_model_name(&m->names, "", 0), f->hidden++;
    if (s->type == TYPE_ENUM) f->variable[k].start = 1;
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
  } else if (ok && s->type == TYPE_RECORD) {
    ok = dae_model_gather(m, number);
  } else if (ok) {
    s->solved = is_solved(m, s);
    if (s->solved) s->variability = VAR_CONTINUOUS, m->solves = true;
    ok = s->variability >= VAR_PARAMETER ? bind_parameter(m, s) : new_variables(m, s, number);
  }
  m->symbol[number].state = ok ? SYMBOL_DONE : SYMBOL_BAD;
  return ok;
}

/* ---- the whole class ---- */

static bool declared_twice(dae_model *m, const dae_ast_decl *d) {
  int old = dae_model_symbol(m, d->name), line, column;
  if (old < 0) return false;
  dae_model_locate(&m->source, m->symbol[old].decl->place, &line, &column);
  dae_model_error(&m->source, d->place, "'%.60s' is declared twice: first in line %d",
                  text_of(m, d->name), line);
  return true;
}

/* names of fields may stand in no text: the list grows */
void dae_model_number_symbol(dae_model *m, int name, int symbol) {
  int old = m->symbol_names;
  if (name >= old) {
    int *more = dae_model_ints(&m->built, 2 * name + 1);
    memcpy(more, m->symbol_of, (size_t)old * sizeof(int));
    m->symbol_of = more;
    m->symbol_names = 2 * name + 1;
    for (int i = old; i < m->symbol_names; i++) more[i] = -1;
  }
  m->symbol_of[name] = symbol;
}

/* a class and a variable of one name */
static bool is_class_too(dae_model *m, const dae_ast_decl *d) {
  bool found = d->type_name == d->name;
  for (const dae_ast_class *c = m->main->inner; c && !found; c = c->next)
    found = c->name == d->name;
  if (found)
    dae_model_error(&m->source, d->place, "'%.60s' is the name of a class, too",
                    text_of(m, d->name));
  return found;
}

/* one name; of a record, its fields before it */
static bool declare_one(dae_model *m, const dae_ast_decl *d, bool from_package, int depth) {
  if (declared_twice(m, d) || (!from_package && is_class_too(m, d))) return false;
  const dae_ast_class *c = dae_model_record_class(m, d->type_name);
  int *field = NULL, fields = 0, capacity = 0;
  if (c && depth > 40) {
    dae_model_error(&m->source, d->place, "the record '%.60s' contains itself",
                    text_of(m, c->name));
    return false;
  }
  for (dae_ast_decl *f = c ? dae_model_expand_record(m, d, c) : NULL; f; f = f->next) {
    if (!declare_one(m, f, from_package, depth + 1)) return false;
    field = dae_model_grow(&m->built, field, &capacity, fields + 1, sizeof *field);
    field[fields++] = m->symbols - 1;
  }
  m->symbol =
      dae_model_grow(&m->built, m->symbol, &m->symbol_capacity, m->symbols + 1, sizeof *m->symbol);
  m->symbol[m->symbols] = (dae_symbol){
      .decl = d,
      .variability = dae_model_is_object(m, d->type_name) ? VAR_PARAMETER : d->variability,
      .from_package = from_package,
      .field = field,
      .fields = fields};
  dae_model_number_symbol(m, d->name, m->symbols++);
  return true;
}

/* Real x if c: it is there where c holds, once all that c may name is declared */
static bool declare_if(dae_model *m, const dae_ast_decl *d, bool from_package) {
  dae_scope scope = {.end = -1};
  dae_value c;
  if (!dae_model_eval(m, d->condition, &scope, &c)) return false;
  if (c.type != TYPE_BOOLEAN || c.rank || !dae_model_constant(&m->graph, c.node[0])) {
    dae_model_error(&m->source, d->condition->place,
                    "the condition of a declaration must be a Boolean of constants and parameters");
    return false;
  }
  return m->graph.node[c.node[0]].value == 0 || declare_one(m, d, from_package, 0);
}

static bool declare(dae_model *m, const dae_ast_decl *first, bool from_package) {
  bool ok = true;
  for (const dae_ast_decl *d = first; d; d = d->next)
    if (!d->condition) ok = declare_one(m, d, from_package, 0) && ok;
  for (const dae_ast_decl *d = first; d && ok; d = d->next)
    if (d->condition) ok = declare_if(m, d, from_package) && ok;
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
    if (target && mod->value && !dae_model_eval_number(m, mod->value, &scope, &type, target))
      return false;
  }
  if (m->time_given) f->start_time = m->start_time;
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

/* all names get their values and unknowns; Strings come last, no column of a result is theirs */
static bool evaluate_symbols(dae_model *m) {
  bool ok = true;
  for (int strings = 0; strings < 2; strings++)
    for (int i = 0; i < m->symbols; i++) {
      dae_symbol *s = &m->symbol[i];
      bool late = s->fields > 0 || dae_model_record_class(m, s->decl->type_name) != NULL;
      if (!late && s->variability < VAR_PARAMETER && s->state == SYMBOL_NEW) {
        dae_type type;
        const dae_ast_class *alias;
        if (!dae_model_resolve_type(m, s->decl, &type, &alias)) {
          s->state = SYMBOL_BAD;
          ok = false;
          continue;
        }
        late = type == TYPE_STRING;
      }
      if (late && !strings) continue;
      ok = dae_model_symbol_value(m, i, m->symbol[i].decl->place) && ok;
    }
  for (int i = 0; i < m->flat.variables - m->flat.hidden && ok; i++)
    if (dae_model_type_of(m, i) == TYPE_STRING) {
      dae_model_error(&m->source, m->flat.variable[i].place,
                      "'%.60s', a String that varies, decides on a size here",
                      m->flat.variable[i].name);
      ok = false;
    }
  return ok;
}

/* attributes, and declaration equations */
static bool finish_variable(dae_model *m, int i) {
  const dae_symbol *s = &m->symbol[i];
  bool ok = dae_model_read_attributes(m, s);
  dae_scope scope = dae_model_scope_of(s);
  dae_value value;
  const dae_ast_mod *fixed = s->solved ? dae_model_find_mod(m, s, "fixed") : NULL;
  if (fixed) stay(m, s);
  bool data = dae_model_input_given(m, s);
  if ((!s->decl->binding && !data) || fixed) return ok;
  if (!s->decl->binding) return dae_model_give_input(m, s, NULL) && ok;
  return dae_model_eval(m, s->decl->binding, &scope, &value) && spread(m, &m->symbol[i], &value) &&
         check_binding(m, &m->symbol[i], &value, m->symbol[i].decl->binding->place) &&
         (data ? dae_model_give_input(m, &m->symbol[i], &value)
               : dae_model_add_equations(m, &m->symbol[i].value, &value,
                                         m->symbol[i].decl->binding->place, SECTION_EQUATION)) &&
         ok;
}

bool dae_model_elaborate(dae_model *m) {
  m->solves = false;
  m->symbol_names = m->named;
  m->symbol_of = dae_model_ints(&m->built, m->named);
  for (int i = 0; i < m->named; i++) m->symbol_of[i] = -1;
  bool ok = true;
  for (const dae_ast_class *c = m->classes; c; c = c->next)
    if (c->kind == CLASS_PACKAGE) ok = declare(m, c->decls, true) && ok;
  ok = declare(m, m->main->decls, false) && ok;
  ok = evaluate_symbols(m) && ok;
  for (int i = 0; i < m->symbols; i++) {
    const dae_symbol *s = &m->symbol[i];
    if (s->state != SYMBOL_DONE || s->variability >= VAR_PARAMETER || s->decl->elements ||
        s->type == TYPE_RECORD || s->aggregate)
      continue;
    ok = finish_variable(m, i) && ok;
  }
  ok = ok && dae_model_read_guesses(m);
  ok = dae_model_flatten_algorithms(m) && ok;
  ok = dae_model_flatten(m, m->main->equations, SECTION_EQUATION) && ok;
  ok = dae_model_flatten(m, m->main->initial_equations, SECTION_INITIAL) && ok;
  ok = read_experiment(m) && dae_model_first_values(m) && ok;
  ok = ok && dae_model_check_inputs(m) && dae_model_open_inputs(m);
  ok = ok && dae_model_make_discrete(m) && dae_model_read_drawing(m);
  return ok && check_given(m);
}
