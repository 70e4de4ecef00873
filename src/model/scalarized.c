/*
 * What tools write apart and is one thing: arrays whose elements are declared one by one,
 *   Real x[1]; Real x[2]; parameter Real k[1] = 3;
 * become an array x of scalars named x[1], x[2]; and literals of enumerations, E.red, which are the
 * whole numbers 1, 2, ..
 */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* x[1,E.red,true]: the place that is meant, 0: none */
static int element_number(dae_model *m, const dae_ast *e) {
  if (e->kind == AST_BOOL) return e->u.number != 0 ? 2 : 1;
  if (e->kind == AST_REF && e->count == 0 && e->name >= 0) return dae_model_literal(m, e->name);
  if (e->kind != AST_NUMBER || !e->integer || e->u.number < 1 || e->u.number > 1e6) return 0;
  return (int)e->u.number;
}

static bool is_element(dae_model *m, const dae_ast_decl *d) {
  for (int k = 0; k < d->dims; k++)
    if (element_number(m, d->dim[k]) < 1) return false;
  return d->dims > 0 && d->dims <= DAE_DIMS_MAX;
}

/* by name: how many declarations there are, and whether all are elements of one array */
typedef struct census {
  int count, dims;
  bool elements;
  dae_ast_decl *array;
} census;

static void count_declarations(dae_model *m, const dae_ast_decl *d, census *by_name) {
  for (; d; d = d->next) {
    census *c = &by_name[d->name];
    if (c->count++ == 0) c->elements = is_element(m, d), c->dims = d->dims;
    c->elements = c->elements && is_element(m, d) && d->dims == c->dims;
  }
}

/* the declaration of the whole array, before that of its first element */
static dae_ast_decl *new_array(dae_model *m, const dae_ast_decl *first, const census *c) {
  dae_ast_decl *a = dae_model_take(&m->text, 1, sizeof *a);
  *a = *first;
  a->binding = NULL;
  a->mods = NULL;
  a->dims = c->dims;
  a->element = dae_model_take(&m->text, (size_t)c->count, sizeof *a->element);
  a->element_dim = dae_model_take(&m->text, DAE_DIMS_MAX, sizeof(int));
  return a;
}

/* the element becomes a scalar with the name x[1,2] */
static void join(dae_model *m, dae_ast_decl *a, dae_ast_decl *d) {
  char name[900];
  int n = snprintf(name, sizeof name, "%.200s", m->names.text[d->name]);
  for (int k = 0; k < d->dims; k++) {
    const dae_ast *e = d->dim[k];
    int at = element_number(m, e);
    if (at > a->element_dim[k]) a->element_dim[k] = at;
    const char *word = e->kind == AST_REF    ? m->names.text[e->name]
                       : e->kind != AST_BOOL ? NULL
                       : e->u.number != 0    ? "true"
                                             : "false";
    n += word ? snprintf(name + n, sizeof name - (size_t)n, "%s%.100s", k ? "," : "[", word)
              : snprintf(name + n, sizeof name - (size_t)n, "%s%d", k ? "," : "[", at);
  }
  n += snprintf(name + n, sizeof name - (size_t)n, "]");
  d->name = dae_model_name(&m->names, name, (size_t)n);
  d->dims = 0; /* its subscripts stay in d->dim */
  a->element[a->elements++] = d;
}

/* Real x[E.one]; Real x[E.two]; .. and E is declared nowhere: elements are written in their order
 */
static void learn_literal(dae_model *m, const dae_ast *e) {
  const char *text =
      e->kind == AST_REF && e->count == 0 && e->name >= 0 ? m->names.text[e->name] : "";
  const char *last = strrchr(text, '.');
  if (!last || dae_model_literal(m, e->name)) return;
  int name = dae_model_name(&m->names, text, (size_t)(last - text));
  dae_ast_class *type = m->learned;
  while (type && type->name != name) type = type->next;
  if (!type) {
    type = dae_model_take(&m->text, 1, sizeof *type);
    *type =
        (dae_ast_class){.kind = CLASS_TYPE, .name = name, .place = e->place, .next = m->learned};
    type->base_name = dae_model_name(&m->names, "Integer", 7);
    m->learned = type;
  }
  int plain = dae_model_name(&m->names, last + 1, strlen(last + 1));
  int *more = dae_model_take(&m->text, (size_t)type->literals + 1, sizeof *more);
  if (type->literals) memcpy(more, type->literal, (size_t)type->literals * sizeof *more);
  more[type->literals++] = plain;
  type->literal = more;
  m->literal[e->name] = type->literals;
  m->literal_type[e->name] = type;
}

static void learn_literals(dae_model *m, const census *by_name, int named) {
  for (const dae_ast_decl *d = m->main->decls; d; d = d->next)
    for (int k = 0; k < d->dims && by_name[d->name].count > 1; k++) {
      int name = d->dim[k]->kind == AST_REF ? d->dim[k]->name : -1;
      if (name >= 0 && name < named && by_name[name].count == 0) learn_literal(m, d->dim[k]);
    }
}

void dae_model_join_elements(dae_model *m) {
  int named = m->names.count;
  census *by_name = dae_model_take(&m->text, (size_t)named, sizeof *by_name);
  for (const dae_ast_decl *d = m->main->decls; d; d = d->next) by_name[d->name].count++;
  learn_literals(m, by_name, named);
  memset(by_name, 0, (size_t)named * sizeof *by_name);
  count_declarations(m, m->main->decls, by_name);
  for (dae_ast_decl **at = &m->main->decls; *at; at = &(*at)->next) {
    dae_ast_decl *d = *at;
    census *c = &by_name[d->name];
    if (c->count < 2 || !c->elements) continue;
    if (!c->array) {
      c->array = new_array(m, d, c);
      *at = c->array;
      c->array->next = d;
      at = &c->array->next;
    }
    join(m, c->array, d);
  }
}

/* place of an element in the array, by its written subscripts */
static int place_of(dae_model *m, const dae_ast_decl *a, const dae_ast_decl *d) {
  int at = 0;
  for (int k = 0; k < a->dims; k++) at = at * a->element_dim[k] + element_number(m, d->dim[k]) - 1;
  return at;
}

/* elements of one array have one type, that of the first, and a record is declared as a whole; the
   arrays of its fields have the same elements: once is enough */
static bool one_type(dae_model *m, const dae_ast_decl *element, dae_type type, dae_type first) {
  if (type != TYPE_RECORD && type == first) return true;
  if (type == TYPE_RECORD && m->source.errors > 0) return false;
  dae_model_error(&m->source, element->place,
                  "elements of an array that are declared one by one have one type, and no "
                  "record: %.60s",
                  m->names.text[element->name]);
  return false;
}

bool dae_model_array_value(dae_model *m, dae_symbol *s) {
  const dae_ast_decl *a = s->decl;
  double size = 1;
  for (int k = 0; k < a->dims; k++) size *= a->element_dim[k];
  if (size > 100.0 * a->elements + 1000) {
    dae_model_error(&m->source, a->place, "%d elements of '%.60s' are declared, of %.0f",
                    a->elements, m->names.text[a->name], size);
    return false;
  }
  dae_value value = dae_model_array(m, s->type, a->dims, a->element_dim);
  for (int i = 0; i < value.count; i++) value.node[i] = -1;
  for (int i = 0; i < a->elements; i++) {
    int number = dae_model_symbol(m, a->element[i]->name);
    if (number < 0 || !dae_model_symbol_value(m, number, a->element[i]->place)) return false;
    const dae_value *v = &m->symbol[number].value;
    if (!one_type(m, a->element[i], v->type, i == 0 ? v->type : value.type)) return false;
    value.type = v->type;
    value.literals = v->literals;
    if (v->count) value.node[place_of(m, a, a->element[i])] = v->node[0];
  }
  s->value = value;
  return true;
}

/* ---- enumerations ---- */

static int literal_name(dae_model *m, const dae_ast_class *c, int k) {
  char name[300];
  int n = snprintf(name, sizeof name, "%.140s.%.140s", m->names.text[c->name],
                   m->names.text[c->literal[k]]);
  return dae_model_name(&m->names, name, (size_t)n);
}

void dae_model_name_literals(dae_model *m, const dae_ast_class *c) {
  for (; c; c = c->next) {
    for (int k = 0; k < c->literals; k++) literal_name(m, c, k);
    dae_model_name_literals(m, c->inner);
  }
}

/* by name: 1, 2, ..; the literal alone is known, too, where all enumerations give it one value: the
   type in front of it may be written nowhere */
void dae_model_number_literals(dae_model *m, const dae_ast_class *c) {
  for (; c; c = c->next) {
    for (int k = 0; k < c->literals; k++) {
      int whole = literal_name(m, c, k), name = c->literal[k], *plain = &m->literal[name];
      m->literal[whole] = k + 1;
      m->literal_type[whole] = c;
      m->literal_type[name] = *plain == 0 ? c : NULL;
      *plain = *plain == 0 || *plain == k + 1 ? k + 1 : -1;
    }
    dae_model_number_literals(m, c->inner);
  }
}

/* of the language itself */
static int known_literal(const char *text) {
  static const char *const list[][5] = {
      {"StateSelect.never", "StateSelect.avoid", "StateSelect.default", "StateSelect.prefer",
       "StateSelect.always"},
      {"AssertionLevel.error", "AssertionLevel.warning", "", "", ""}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 5; k++)
      if (strcmp(text, list[i][k]) == 0) return k + 1;
  return 0;
}

/* the name under which a literal is known, -1: it is none */
static int literal_of(const dae_model *m, int name) {
  const char *last = strrchr(m->names.text[name], '.');
  if (!last || name >= m->named) return -1;
  if (m->literal[name] > 0) return name;
  int plain = dae_model_name_find(&m->names, last + 1);
  return plain >= 0 && plain < m->named && m->literal[plain] > 0 ? plain : -1;
}

int dae_model_literal(dae_model *m, int name) {
  int known = known_literal(m->names.text[name]), at = literal_of(m, name);
  return known ? known : at >= 0 ? m->literal[at] : 0;
}

const dae_ast_class *dae_model_literal_type(dae_model *m, int name) {
  int at = known_literal(m->names.text[name]) ? -1 : literal_of(m, name);
  return at >= 0 ? m->literal_type[at] : NULL;
}
