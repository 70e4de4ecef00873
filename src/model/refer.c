/*
 * References: names, their subscripts and fields. In a flat text r.x may be a name of its own or
 * the field x of a record r: what is declared decides.
 */
#include <string.h>

#include "model/model.h"

/* a local or a declared name; 1 found, 0 not, -1 after an error */
static int find_whole(dae_model *m, int name, dae_scope *scope, uint32_t place, dae_value *out,
                      dae_binding **local) {
  dae_binding *b = dae_model_find_local(scope, name);
  if (!b && scope->call) {
    if (dae_model_declare_ahead(m, name, scope) < 0) return -1;
    b = dae_model_find_local(scope, name);
  }
  *local = b;
  if (b) {
    *out = scope->variables && b->variable ? *b->variable : b->value;
    return 1;
  }
  int symbol = dae_model_symbol(m, name);
  if (symbol < 0 || (scope->function && !m->symbol[symbol].from_package)) return 0;
  if (m->symbol[symbol].decl->condition) {
    dae_model_error(&m->source, place,
                    "'%.60s' is declared with 'if': such a variable is for connections only",
                    m->names.text[name]);
    return -1;
  }
  if (!dae_model_symbol_value(m, symbol, place)) return -1;
  *out = m->symbol[symbol].value;
  return 1;
}

/* text[0..length) with its points, from the longest name that is known on */
static int find_text(dae_model *m, const char *text, size_t length, dae_scope *scope,
                     uint32_t place, dae_value *out, dae_binding **local) {
  char buffer[400];
  if (length == 0 || length >= sizeof buffer) return 0;
  memcpy(buffer, text, length);
  buffer[length] = '\0';
  int name = dae_model_name_find(&m->names, buffer);
  int found = name >= 0 ? find_whole(m, name, scope, place, out, local) : 0;
  char *point = found ? NULL : strrchr(buffer, '.');
  if (!point) return found;
  dae_value record;
  found = find_text(m, buffer, (size_t)(point - buffer), scope, place, &record, local);
  if (found <= 0) return found;
  if (record.type != TYPE_RECORD) return 0;
  if (strchr(point, '[')) return 0; /* r.a[2]: the subscript stands in the text */
  int field = dae_model_name(&m->names, point + 1, strlen(point + 1));
  return dae_model_field(m, &record, field, place, out) ? 1 : -1;
}

int dae_model_find(dae_model *m, int name, dae_scope *scope, uint32_t place, dae_value *out,
                   dae_binding **local) {
  const char *text = m->names.text[name];
  *local = NULL;
  if (scope->within > 0) {
    /* inside a record its own fields come first */
    char full[400];
    const char *record = m->names.text[scope->within];
    size_t a = strlen(record), b = strlen(text);
    if (a + b + 1 < sizeof full) {
      memcpy(full, record, a);
      full[a] = '.';
      memcpy(full + a + 1, text, b);
      full[a + b + 1] = '\0';
      int field = dae_model_name_find(&m->names, full);
      int found = field >= 0 ? find_whole(m, field, scope, place, out, local) : 0;
      if (found) return found;
    }
  }
  int found = find_whole(m, name, scope, place, out, local);
  if (found || !strchr(text, '.')) return found;
  return find_text(m, text, strlen(text), scope, place, out, local);
}

/* P.E.red where an enumeration with a literal `red` is expected and E is written nowhere */
static int expected_literal(const dae_model *m, int name, const dae_scope *scope) {
  const char *last = strrchr(m->names.text[name], '.');
  for (int k = 0; last && scope->literals && k < scope->literals->literals; k++)
    if (strcmp(m->names.text[scope->literals->literal[k]], last + 1) == 0) return k + 1;
  return 0;
}

/* what is no variable: time, constants of the library, literals, enumerations and Boolean as ranges
 */
static bool find_other(dae_model *m, const dae_ast *e, const dae_scope *scope, dae_value *out) {
  const char *name = m->names.text[e->name];
  char full[200];
  double known;
  if (strcmp(name, "time") == 0 && !scope->function && scope->within == 0) {
    *out = dae_model_scalar(m, TYPE_REAL, m->graph.time);
  } else if (dae_model_library_constant(dae_model_full_name(m, name, full, sizeof full), &known)) {
    *out = dae_model_scalar(m, TYPE_REAL, dae_model_const(&m->graph, known));
  } else if (!(e->name < m->named && m->literal[e->name] > 0) &&
             expected_literal(m, e->name, scope)) {
    *out = dae_model_scalar(m, TYPE_ENUM,
                            dae_model_const(&m->graph, expected_literal(m, e->name, scope)));
    out->literals = scope->literals;
  } else if (dae_model_literal(m, e->name)) {
    *out =
        dae_model_scalar(m, TYPE_ENUM, dae_model_const(&m->graph, dae_model_literal(m, e->name)));
    out->literals = dae_model_literal_type(m, e->name);
  } else if (e->name < m->named && m->types[e->name] && m->types[e->name]->literals) {
    *out = dae_model_array(m, TYPE_ENUM, 1, &m->types[e->name]->literals);
    out->literals = m->types[e->name];
    for (int k = 0; k < out->count; k++) out->node[k] = dae_model_const(&m->graph, k + 1);
  } else if (strcmp(name, "Boolean") == 0) {
    *out = dae_model_array(m, TYPE_BOOLEAN, 1, (int[]){2});
    out->node[0] = m->graph.zero;
    out->node[1] = m->graph.one;
  } else {
    return false;
  }
  return true;
}

/* E.x of an enumeration that has no x: 'E' has the literals a, b, .. */
static bool no_literal(dae_model *m, const dae_ast *e, const char *name) {
  const char *last = strrchr(name, '.');
  int base = last && last > name ? dae_model_name(&m->names, name, (size_t)(last - name)) : -1;
  const dae_ast_class *type = base >= 0 && base < m->named ? m->types[base] : NULL;
  if (!type || !type->literals) return false;
  dae_text list = {.arena = &m->built};
  for (int k = 0; k < type->literals && list.length < 200; k++)
    dae_model_text_add(&list, "%s%.60s", k ? ", " : "", m->names.text[type->literal[k]]);
  dae_model_error(&m->source, e->place, "'%.80s' is no literal of '%.60s', which has %s", last + 1,
                  m->names.text[base], list.data);
  return true;
}

static bool unknown(dae_model *m, const dae_ast *e, const char *name, const dae_scope *scope) {
  if (no_literal(m, e, name)) return false;
  const char *near = dae_model_near_name(m, name, scope);
  dae_model_error(&m->source, e->place, "'%.80s' is not declared%s%.80s%s", name,
                  near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
  return false;
}

/* r of the declared names r.x, r.y */
static bool find_aggregate(dae_model *m, int name, const dae_scope *scope, dae_value *out) {
  int symbol = scope->function ? -1 : dae_model_aggregate(m, m->names.text[name]);
  if (symbol >= 0) *out = m->symbol[symbol].value;
  return symbol >= 0;
}

/* the name of a path without its subscripts, and those, in order */
static bool strip(const dae_model *m, const dae_ast *e, dae_text *name, dae_ast **subscript,
                  int *count) {
  int first = e->kind == AST_FIELD;
  if (first && !strip(m, e->args[0], name, subscript, count)) return false;
  if (!first && (e->kind != AST_REF || e->name < 0)) return false;
  dae_model_text_add(name, "%s%s", first ? "." : "", m->names.text[e->name]);
  for (int k = first; k < e->count; k++) {
    if (*count == DAE_DIMS_MAX) return false;
    subscript[(*count)++] = e->args[k];
  }
  return true;
}

/* r[2].x[3] of an array r.x[n, k] that is declared with all its dimensions behind it: 1 found, 0
   not, -1 after an error */
static int find_stripped(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_text text = {.arena = &m->built};
  dae_ast *subscript[DAE_DIMS_MAX];
  int count = 0;
  if (scope->function || !strip(m, e, &text, subscript, &count)) return 0;
  int symbol = dae_model_symbol(m, dae_model_name_find(&m->names, text.data));
  if (symbol < 0) return 0;
  if (!dae_model_symbol_value(m, symbol, e->place)) return -1;
  if (m->symbol[symbol].value.rank != count) return 0;
  return dae_model_subscript(m, &m->symbol[symbol].value, subscript, count, e->place, scope, out)
             ? 1
             : -1;
}

/* f(x)[k] of a function with several scalar outputs, as tools write its k-th one */
static int find_output(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  const dae_ast *call = e->args[0], *which = e->count == 2 ? e->args[1] : NULL;
  const dae_ast_class *f =
      call->kind == AST_CALL && call->name < m->named ? m->functions[call->name] : NULL;
  if (!f || !which || which->kind != AST_NUMBER || !which->integer) return 0;
  int outputs = 0, k = (int)which->u.number;
  bool scalar = false;
  for (const dae_ast_decl *d = f->decls; d; d = d->next)
    if (d->causality == CAUSAL_OUTPUT && outputs++ == 0) scalar = d->dims == 0;
  if (!scalar || outputs < 2 || k < 1 || k > outputs) return 0;
  dae_value *all = dae_model_take(&m->built, (size_t)k, sizeof *all);
  if (!dae_model_eval_function(m, f, call, scope, all, k)) return -1;
  *out = all[k - 1];
  return 1;
}

/* the value without the subscripts behind it; *first: the first of those */
static bool base_value(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out,
                       dae_binding **local, int *first) {
  *local = NULL;
  *first = e->kind == AST_FIELD || e->name < 0;
  if (e->kind == AST_FIELD) {
    int found = 0;
    if (e->u.joined >= 0) found = dae_model_find(m, e->u.joined, scope, e->place, out, local);
    if (found) return found > 0;
    if (e->u.joined >= 0 && find_aggregate(m, e->u.joined, scope, out)) return true;
    found = find_stripped(m, e, scope, out);
    if (found) *first = e->count;
    if (found) return found > 0;
    dae_value record;
    const dae_ast *base = e->args[0];
    if (base->kind == AST_REF && base->name >= 0 && e->u.joined >= 0 &&
        dae_model_find(m, base->name, scope, e->place, &record, local) == 0)
      return unknown(m, e, m->names.text[e->u.joined], scope);
    if (!dae_model_eval(m, base, scope, &record)) return false;
    return dae_model_field(m, &record, e->name, e->place, out);
  }
  if (e->name < 0) {
    int output = find_output(m, e, scope, out);
    if (output) *first = e->count;
    return output ? output > 0 : dae_model_eval(m, e->args[0], scope, out);
  }
  int found = dae_model_find(m, e->name, scope, e->place, out, local);
  if (found) return found > 0;
  if (e->count == 0 && find_other(m, e, scope, out)) return true;
  if (find_aggregate(m, e->name, scope, out)) return true;
  return unknown(m, e, m->names.text[e->name], scope);
}

bool dae_model_eval_reference(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value value;
  dae_binding *b;
  int first;
  if (!base_value(m, e, scope, &value, &b, &first)) return false;
  if (e->count > first &&
      !dae_model_subscript(m, &value, e->args + first, e->count - first, e->place, scope, &value))
    return false;
  int nodes = dae_model_nodes(&value);
  for (int i = 0; i < nodes && !scope->sizes && (b ? b->decl != NULL : true); i++)
    if (value.node[i] < 0) {
      dae_model_error(&m->source, e->place,
                      b ? "'%.80s' is used before it has a value"
                        : "an element of '%.80s' that is used here is not declared",
                      e->name >= 0 ? m->names.text[e->name] : "");
      return false;
    }
  *out = value;
  return true;
}

/* ---- assignments ---- */

/* the local at the root of a target, and the path of the target on a value like that of the local
   whose nodes are their own numbers: what is left are the numbers of the nodes that it means */
static dae_binding *root_of(const dae_ast *e, const dae_scope *scope, const dae_model *m,
                            const char **rest) {
  *rest = NULL;
  while (e->kind == AST_FIELD) e = e->args[0];
  if (e->kind != AST_REF || e->name < 0) return NULL;
  dae_binding *b = dae_model_find_local(scope, e->name);
  char buffer[400];
  const char *text = m->names.text[e->name];
  size_t length = strlen(text);
  while (!b && length < sizeof buffer) {
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    char *point = strrchr(buffer, '.');
    if (!point) break;
    *point = '\0';
    length = strlen(buffer);
    int name = dae_model_name_find(&m->names, buffer);
    b = name >= 0 ? dae_model_find_local(scope, name) : NULL;
    if (b) *rest = text + length + 1;
  }
  return b;
}

/* fields a.b.c of a value, one after the other */
static bool walk(dae_model *m, const char *path, uint32_t place, dae_value *value) {
  while (path && *path) {
    size_t length = strcspn(path, ".");
    int field = dae_model_name(&m->names, path, length);
    if (!dae_model_field(m, value, field, place, value)) return false;
    path += length + (path[length] == '.');
  }
  return true;
}

static bool follow(dae_model *m, const dae_ast *e, const char *rest, dae_scope *scope,
                   dae_value *value) {
  int first = e->kind == AST_FIELD;
  if (first) {
    if (!follow(m, e->args[0], rest, scope, value)) return false;
    if (!dae_model_field(m, value, e->name, e->place, value)) return false;
  } else if (!walk(m, rest, e->place, value)) {
    return false;
  }
  return e->count == first ||
         dae_model_subscript(m, value, e->args + first, e->count - first, e->place, scope, value);
}

/* a[i] := value with an i that varies: each element gets the value, or keeps its own; 1 done, 0 no
   subscript varies, -1 after an error */
static int assign_varying(dae_model *m, const dae_ast *target, const dae_value *value,
                          dae_scope *scope) {
  int first = target->kind == AST_FIELD;
  for (int k = first; k < target->count; k++) {
    dae_value s, whole, old;
    if (target->args[k]->kind == AST_COLON || target->args[k]->kind == AST_RANGE ||
        target->args[k]->kind == AST_NUMBER)
      continue;
    dae_ast plain = *target;
    plain.count = first;
    dae_binding *b;
    int none;
    if (!base_value(m, &plain, scope, &whole, &b, &none)) return -1;
    if (k - first >= whole.rank) return 0;
    int n = whole.dim[k - first], end = scope->end;
    scope->end = n;
    bool ok = dae_model_eval(m, target->args[k], scope, &s);
    scope->end = end;
    if (!ok) return -1;
    if (s.rank || s.type != TYPE_INTEGER || dae_model_constant(&m->graph, s.node[0])) continue;
    if (!dae_model_inside(m, s.node[0], n, target->place, scope)) return -1;
    dae_ast one = *target, number = {.kind = AST_NUMBER, .integer = true, .place = target->place};
    one.args = dae_model_take(&m->built, (size_t)target->count, sizeof *one.args);
    memcpy(one.args, target->args, (size_t)target->count * sizeof *one.args);
    one.args[k] = &number;
    for (int i = 1; i <= n; i++) {
      number.u.number = i;
      if (!dae_model_eval(m, &one, scope, &old)) return -1;
      if (!dae_model_same_size(&old, value) || !dae_model_accepts(&old, value)) {
        dae_model_error(&m->source, target->place, "the assignment does not fit in size or type");
        return -1;
      }
      int here = dae_model_op2(&m->graph, OP_EQ, s.node[0], dae_model_const(&m->graph, i));
      for (int j = 0; j < dae_model_nodes(&old); j++)
        old.node[j] = dae_model_node(&m->graph, OP_IF, here, value->node[j], old.node[j]);
      if (!dae_model_assign(m, &one, &old, scope)) return -1;
    }
    return 1;
  }
  return 0;
}

/* a[2].x[3], where a[2].x or a.x is a name of its own: that name with its subscripts */
static const dae_ast *plain_target(dae_model *m, const dae_ast *e, const dae_scope *scope,
                                   dae_ast *plain) {
  dae_text text = {.arena = &m->built};
  dae_ast **subscript = dae_model_take(&m->built, DAE_DIMS_MAX, sizeof *subscript);
  int count = 0;
  if (e->kind != AST_FIELD) return e;
  *plain = (dae_ast){.kind = AST_REF, .place = e->place};
  if (e->u.joined >= 0 && dae_model_find_local(scope, e->u.joined)) {
    plain->name = e->u.joined;
    plain->args = e->args + 1;
    plain->count = e->count - 1;
    return plain;
  }
  if (!strip(m, e, &text, subscript, &count)) return e;
  plain->name = dae_model_name_find(&m->names, text.data);
  const dae_binding *b = plain->name >= 0 ? dae_model_find_local(scope, plain->name) : NULL;
  if (!b || b->value.rank != count) return e;
  plain->args = subscript;
  plain->count = count;
  return plain;
}

bool dae_model_assign(dae_model *m, const dae_ast *target, const dae_value *value,
                      dae_scope *scope) {
  const char *rest;
  dae_ast plain;
  target = plain_target(m, target, scope, &plain);
  dae_binding *b = root_of(target, scope, m, &rest);
  if (!b || b->input || !b->decl) {
    dae_model_error(&m->source, target->place,
                    b ? "'%.60s' is an input or a loop variable: it cannot be assigned"
                      : "'%.60s' cannot be assigned: only outputs and protected variables can",
                    target->name >= 0 ? m->names.text[target->name] : "this");
    return false;
  }
  int varying = assign_varying(m, target, value, scope);
  if (varying) return varying > 0;
  dae_value part = dae_model_array_like(m, &b->value, b->value.rank, b->value.dim);
  int nodes = dae_model_nodes(&part);
  for (int i = 0; i < nodes; i++) part.node[i] = i;
  scope->assigns = true;
  bool found = follow(m, target, rest, scope, &part);
  scope->assigns = false;
  if (!found) return false;
  /* a local of open size, Real x[:], takes that of what it is given first */
  if (b->open && target->kind == AST_REF && target->count == 0 && !rest &&
      part.rank == value->rank && !dae_model_same_size(&part, value)) {
    b->value = dae_model_array_like(m, &b->value, value->rank, value->dim);
    part = dae_model_array_like(m, &b->value, value->rank, value->dim);
    for (int i = 0; i < dae_model_nodes(&part); i++) part.node[i] = i;
  }
  char left[80], right[80];
  dae_value given = *value;
  dae_model_conform(m, &given, &part);
  value = &given;
  if (!dae_model_same_size(&part, value)) {
    dae_model_error(&m->source, target->place, "sizes do not fit in the assignment: %s := %s",
                    dae_model_size_text(&part, left, sizeof left),
                    dae_model_size_text(value, right, sizeof right));
    return false;
  }
  if (!dae_model_accepts(&part, value)) {
    dae_model_error(&m->source, target->place, "this is %s, it cannot be given %s",
                    dae_model_type_text(m, &part, left, sizeof left),
                    dae_model_type_text(m, value, right, sizeof right));
    return false;
  }
  nodes = dae_model_nodes(&part);
  for (int i = 0; i < nodes; i++) {
    b->value.node[part.node[i]] = value->node[i];
    if (b->given) b->given[part.node[i]] = true;
  }
  return true;
}

/* the array a.x that a[2].x[3] is an element of, -1: none */
static int stripped_symbol(dae_model *m, const dae_ast *e) {
  dae_text text = {.arena = &m->built};
  dae_ast *subscript[DAE_DIMS_MAX];
  int count = 0;
  if (e->kind != AST_FIELD || !strip(m, e, &text, subscript, &count)) return -1;
  int symbol = dae_model_symbol(m, dae_model_name_find(&m->names, text.data));
  if (symbol < 0 || !dae_model_symbol_value(m, symbol, e->place)) return -1;
  return m->symbol[symbol].value.rank == count ? symbol : -1;
}

int dae_model_root_symbol(dae_model *m, const dae_ast *e) {
  int whole = e->kind == AST_FIELD ? dae_model_symbol(m, e->u.joined) : -1;
  if (whole < 0) whole = stripped_symbol(m, e);
  if (whole >= 0) return whole;
  while (e->kind == AST_FIELD) e = e->args[0];
  if (e->kind != AST_REF || e->name < 0) return -1;
  int name = e->name, symbol;
  symbol = dae_model_symbol(m, name);
  if (symbol < 0) symbol = dae_model_aggregate(m, m->names.text[name]);
  while (symbol < 0) {
    symbol = dae_model_symbol(m, name);
    const char *text = m->names.text[name], *point = strrchr(text, '.');
    char buffer[400];
    if (symbol >= 0 || !point || (size_t)(point - text) >= sizeof buffer) break;
    memcpy(buffer, text, (size_t)(point - text));
    buffer[point - text] = '\0';
    name = dae_model_name(&m->names, buffer, strlen(buffer));
    if (dae_model_symbol(m, name) < 0) symbol = dae_model_aggregate(m, buffer);
  }
  /* a field stands in its record */
  while (symbol >= 0 && m->symbol[symbol].decl->parts > 1)
    symbol = dae_model_symbol(m, m->symbol[symbol].decl->within);
  return symbol;
}
