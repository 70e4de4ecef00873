/*
 * Tools take records and arrays apart in declarations, Real r.x; Real r.y; Real a[1].u; .., and
 * still write r and a where a function is called with them. Such a name is put together again from
 * the names that begin with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { PIECES = 100000 };

/* the symbol of a declared name, or of one that is put together */
static int part_symbol(dae_model *m, const char *name) {
  int known = dae_model_symbol(m, dae_model_name_find(&m->names, name));
  if (known < 0) return dae_model_aggregate(m, name);
  return dae_model_symbol_value(m, known, m->symbol[known].decl->place) ? known : -1;
}

static int new_symbol(dae_model *m, const char *name, const dae_value *value, uint32_t place) {
  dae_ast_decl *d = dae_model_take(&m->built, 1, sizeof *d);
  d->name = dae_model_name(&m->names, name, strlen(name));
  d->place = d->type_place = place;
  m->symbol =
      dae_model_grow(&m->built, m->symbol, &m->symbol_capacity, m->symbols + 1, sizeof *m->symbol);
  m->symbol[m->symbols] = (dae_symbol){
      .decl = d, .type = value->type, .value = *value, .state = SYMBOL_DONE, .aggregate = true};
  dae_model_number_symbol(m, d->name, m->symbols);
  return m->symbols++;
}

/* what follows `name` in a declared one: '.', '[', or nothing of it */
static char follows(const dae_model *m, int symbol, const char *name, size_t length) {
  const char *text = m->names.text[m->symbol[symbol].decl->name];
  if (m->symbol[symbol].from_package || strncmp(text, name, length) != 0) return 0;
  return text[length] == '.' || text[length] == '[' ? text[length] : 0;
}

/* name.field for each field that some declared name has */
static int gather_fields(dae_model *m, const char *name, size_t length) {
  dae_record *r = dae_model_take(&m->built, 1, sizeof *r);
  int *part = NULL, capacity = 0, field_capacity = 0, symbols = m->symbols;
  uint32_t place = DAE_NO_PLACE;
  for (int i = 0; i < symbols; i++) {
    if (follows(m, i, name, length) != '.') continue;
    const char *text = m->names.text[m->symbol[i].decl->name] + length + 1;
    size_t n = strcspn(text, ".[");
    int field = dae_model_name(&m->names, text, n), k = 0;
    while (k < r->fields && r->field[k].name != field) k++;
    if (k < r->fields) continue;
    char full[400];
    if (length + n + 2 > sizeof full || r->fields == PIECES) return -1;
    snprintf(full, sizeof full, "%s.%.*s", name, (int)n, text);
    int symbol = part_symbol(m, full);
    if (symbol < 0) return -1;
    if (place == DAE_NO_PLACE) place = m->symbol[i].decl->place;
    r->field = dae_model_grow(&m->built, r->field, &field_capacity, k + 1, sizeof *r->field);
    part = dae_model_grow(&m->built, part, &capacity, k + 1, sizeof *part);
    part[k] = symbol;
    const dae_value *v = &m->symbol[symbol].value;
    r->field[k] =
        (dae_field){.name = field, .offset = r->width, .width = dae_model_nodes(v), .shape = *v};
    r->width += r->field[k].width;
    r->fields++;
  }
  r->name = dae_model_name(&m->names, name, length);
  dae_value whole = {.type = TYPE_RECORD, .record = r};
  whole = dae_model_array_like(m, &whole, 0, NULL);
  for (int k = 0; k < r->fields; k++)
    if (r->field[k].width)
      memcpy(whole.node + r->field[k].offset, m->symbol[part[k]].value.node,
             (size_t)r->field[k].width * sizeof(int));
  return new_symbol(m, name, &whole, place);
}

/* "[2,3]" -> 2, 3; the number of them, 0: it is something else */
static int read_index(const char *text, int *index) {
  int rank = 0;
  char *end;
  do {
    long k = strtol(text + 1, &end, 10);
    if (end == text + 1 || k < 1 || k > PIECES || rank == DAE_DIMS_MAX) return 0;
    index[rank++] = (int)k;
    text = end;
  } while (*text == ',');
  return *text == ']' ? rank : 0;
}

/* the sizes of an array from the subscripts of its elements */
static bool find_sizes(dae_model *m, const char *name, size_t length, int *rank, int *dim,
                       uint32_t *place) {
  for (int i = 0; i < m->symbols; i++) {
    int index[DAE_DIMS_MAX];
    if (follows(m, i, name, length) != '[') continue;
    int count = read_index(m->names.text[m->symbol[i].decl->name] + length, index);
    if (!count || (*rank && count != *rank)) return false;
    if (!*rank) *place = m->symbol[i].decl->place;
    *rank = count;
    for (int k = 0; k < count; k++)
      if (index[k] > dim[k]) dim[k] = index[k];
  }
  double size = 1;
  for (int k = 0; k < *rank; k++) size *= dim[k];
  return *rank > 0 && size <= PIECES;
}

/* name[1], name[2], ..: all of them, of one type and size */
static int gather_elements(dae_model *m, const char *name, size_t length) {
  int rank = 0, dim[2 * DAE_DIMS_MAX] = {0}, count = 1, nodes = 0;
  uint32_t place = DAE_NO_PLACE;
  if (!find_sizes(m, name, length, &rank, dim, &place)) return -1;
  for (int k = 0; k < rank; k++) count *= dim[k];
  dae_value whole = {0};
  for (int i = 0; i < count; i++) {
    char full[400];
    int n = snprintf(full, sizeof full, "%s", name), rest = i, index[DAE_DIMS_MAX];
    for (int k = rank - 1; k >= 0; k--) index[k] = rest % dim[k] + 1, rest /= dim[k];
    for (int k = 0; k < rank && n < 380; k++)
      n += snprintf(full + n, sizeof full - (size_t)n, "%s%d", k ? "," : "[", index[k]);
    if (n >= 380) return -1;
    snprintf(full + n, sizeof full - (size_t)n, "]");
    int symbol = part_symbol(m, full);
    if (symbol < 0) return -1;
    dae_value v = m->symbol[symbol].value;
    if (i == 0) {
      if (rank + v.rank > DAE_DIMS_MAX) return -1;
      memcpy(dim + rank, v.dim, (size_t)v.rank * sizeof(int));
      whole = dae_model_array_like(m, &v, rank + v.rank, dim);
      nodes = dae_model_nodes(&v);
    } else if (dae_model_nodes(&v) != nodes || !dae_model_same_kind(&whole, &v)) {
      return -1;
    } else {
      dae_model_join_types(&whole, &v);
    }
    if (nodes) memcpy(whole.node + (size_t)i * (size_t)nodes, v.node, (size_t)nodes * sizeof(int));
  }
  return new_symbol(m, name, &whole, place);
}

int dae_model_aggregate(dae_model *m, const char *name) {
  size_t length = strlen(name);
  bool fields = false, elements = false;
  if (length == 0 || length > 300) return -1;
  for (int i = 0; i < m->symbols; i++) {
    char c = follows(m, i, name, length);
    fields = fields || c == '.';
    elements = elements || c == '[';
  }
  if (fields == elements) return -1;
  return fields ? gather_fields(m, name, length) : gather_elements(m, name, length);
}
