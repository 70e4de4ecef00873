/*
 * Records. A value of a record type is the nodes of its fields, one after the other; a variable of
 * a record type is its fields, declared one by one, r.x, r[2].y[3].
 */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

const dae_ast_class *dae_model_record_class(const dae_model *m, int type_name) {
  return type_name >= 0 && type_name < m->named ? m->records[type_name] : NULL;
}

static bool is_field(const dae_ast_class *c, const dae_ast_decl *d) {
  return c->kind == CLASS_RECORD ? true : d->causality == CAUSAL_INPUT;
}

static int count_fields(const dae_ast_class *c) {
  int n = 0;
  for (const dae_ast_decl *d = c->decls; d; d = d->next) n += is_field(c, d);
  return n;
}

static dae_record *new_record(dae_model *m, const dae_ast_class *c) {
  dae_record *r = dae_model_take(&m->built, 1, sizeof *r);
  r->name = c->name;
  r->field = dae_model_take(&m->built, (size_t)count_fields(c), sizeof *r->field);
  return r;
}

/* a field of this shape at the end */
static void add_field(dae_record *r, int name, const dae_value *shape) {
  dae_field *f = &r->field[r->fields++];
  *f = (dae_field){
      .name = name, .offset = r->width, .width = dae_model_nodes(shape), .shape = *shape};
  f->shape.node = NULL;
  r->width += f->width;
}

/* a value of this layout, nothing assigned */
static dae_value of_layout(dae_model *m, const dae_record *r) {
  return dae_model_array_like(m, &(dae_value){.type = TYPE_RECORD, .record = r}, 0, NULL);
}

bool dae_model_field(dae_model *m, const dae_value *v, int name, uint32_t place, dae_value *out) {
  int k = 0;
  if (v->type != TYPE_RECORD) {
    dae_model_error(&m->source, place, "a field is taken of what is no record");
    return false;
  }
  const dae_record *r = v->record;
  while (k < r->fields && r->field[k].name != name) k++;
  if (k == r->fields) {
    dae_model_error(&m->source, place, "the record '%.60s' has no field '%.60s'",
                    m->names.text[r->name], name >= 0 ? m->names.text[name] : "");
    return false;
  }
  const dae_field *f = &r->field[k];
  int dim[2 * DAE_DIMS_MAX], rank = v->rank + f->shape.rank;
  if (rank > DAE_DIMS_MAX) {
    dae_model_error(&m->source, place, "arrays of more than %d dimensions are not supported",
                    DAE_DIMS_MAX);
    return false;
  }
  memcpy(dim, v->dim, (size_t)v->rank * sizeof(int));
  memcpy(dim + v->rank, f->shape.dim, (size_t)f->shape.rank * sizeof(int));
  dae_value part = dae_model_array_like(m, &f->shape, rank, dim);
  for (int i = 0; i < v->count; i++)
    for (int j = 0; j < f->width; j++)
      part.node[i * f->width + j] = v->node[i * r->width + f->offset + j];
  *out = part;
  return true;
}

void dae_model_conform(dae_model *m, dae_value *value, const dae_value *like) {
  if (value->type != TYPE_RECORD || like->type != TYPE_RECORD || value->record == like->record ||
      value->record->fields != like->record->fields)
    return;
  const dae_record *old = value->record, *want = like->record;
  dae_record *r = dae_model_take(&m->built, 1, sizeof *r);
  r->name = old->name;
  r->field = dae_model_take(&m->built, (size_t)old->fields, sizeof *r->field);
  int *from = dae_model_ints(&m->built, old->fields + 1);
  bool moved = false;
  for (int k = 0; k < want->fields; k++) {
    int j = 0;
    while (j < old->fields && old->field[j].name != want->field[k].name) j++;
    if (j == old->fields) return;
    from[k] = j;
    moved = moved || j != k;
    add_field(r, old->field[j].name, &old->field[j].shape);
  }
  if (!moved) return;
  dae_value out = *value;
  out.record = r;
  out = dae_model_array_like(m, &out, value->rank, value->dim);
  for (int i = 0; i < value->count; i++)
    for (int k = 0; k < r->fields; k++)
      for (int j = 0; j < r->field[k].width; j++)
        out.node[i * r->width + r->field[k].offset + j] =
            value->node[i * old->width + old->field[from[k]].offset + j];
  *value = out;
}

/* the shape of one field as it is declared; `given` may be NULL */
static bool field_shape(dae_model *m, const dae_ast_decl *d, dae_scope *scope,
                        const dae_value *given, dae_value *out) {
  dae_type type;
  const dae_ast_class *alias;
  int rank, dim[DAE_DIMS_MAX];
  dae_value like = {0};
  if (!dae_model_resolve_type(m, d, &type, &alias)) return false;
  if (!dae_model_eval_dims(m, d, type == TYPE_RECORD ? NULL : alias, scope, given, &rank, dim))
    return false;
  if (type == TYPE_RECORD && given && given->type == TYPE_RECORD) like = *given;
  else if (type == TYPE_RECORD && !dae_model_record_shape(m, alias, scope, &like)) return false;
  like.type = type;
  if (type == TYPE_ENUM) like.literals = alias;
  *out = dae_model_array_like(m, &like, rank, dim);
  return true;
}

bool dae_model_record_shape(dae_model *m, const dae_ast_class *c, dae_scope *scope,
                            dae_value *out) {
  dae_record *r = new_record(m, c);
  if (++m->depth > 100) {
    dae_model_error(&m->source, c->place, "the record '%.60s' contains itself",
                    m->names.text[c->name]);
    m->depth--;
    return false;
  }
  bool ok = true;
  for (const dae_ast_decl *d = c->decls; d && ok; d = d->next) {
    dae_value shape;
    if (!is_field(c, d)) continue;
    dae_value given;
    bool bound = d->binding && d->dims && dae_model_eval(m, d->binding, scope, &given);
    ok = field_shape(m, d, scope, bound ? &given : NULL, &shape);
    if (ok) add_field(r, d->name, &shape);
  }
  m->depth--;
  if (!ok) return false;
  *out = of_layout(m, r);
  return true;
}

/* the argument for field number k, NULL: none */
static const dae_ast *argument(const dae_ast *call, int k, int name) {
  for (int i = 0; i < call->count; i++) {
    bool named = call->u.arg_name && call->u.arg_name[i] >= 0;
    if (named ? call->u.arg_name[i] == name : i == k) return call->args[i];
  }
  return NULL;
}

static bool unknown_argument(dae_model *m, const dae_ast_class *c, const dae_ast *call) {
  int fields = count_fields(c);
  if (call->count > fields) {
    dae_model_error(&m->source, call->place, "the record '%.60s' has %d fields, not %d",
                    m->names.text[c->name], fields, call->count);
    return true;
  }
  for (int i = 0; i < call->count && call->u.arg_name; i++) {
    const dae_ast_decl *d = c->decls;
    while (d && d->name != call->u.arg_name[i]) d = d->next;
    if (call->u.arg_name[i] < 0 || d) continue;
    dae_model_error(&m->source, call->args[i]->place, "the record '%.60s' has no field '%.60s'",
                    m->names.text[c->name], m->names.text[call->u.arg_name[i]]);
    return true;
  }
  return false;
}

/* does the expression hold a field that has no value yet? */
static bool waits(const dae_ast *e, const dae_ast_class *c, const bool *known) {
  int k = 0;
  if (!e) return false;
  for (const dae_ast_decl *d = c->decls; d && e->kind == AST_REF; d = d->next)
    if (is_field(c, d) && !known[k++] && d->name == e->name) return true;
  for (int i = 0; i < e->count; i++)
    if (waits(e->args[i], c, known)) return true;
  return false;
}

/* one field of a constructed record, from its argument or its default */
static bool construct_field(dae_model *m, const dae_ast_class *c, const dae_ast_decl *d,
                            const dae_ast *call, const dae_ast *e, dae_scope *scope,
                            dae_scope *inside, dae_value *out) {
  dae_value shape;
  char left[80], right[80];
  if (!dae_model_eval(m, e ? e : d->binding, e ? scope : inside, out)) return false;
  if (!field_shape(m, d, inside, out, &shape)) return false;
  dae_model_conform(m, out, &shape);
  bool size = !dae_model_same_size(&shape, out);
  if (size || !dae_model_accepts(&shape, out)) {
    dae_model_error(&m->source, e ? e->place : call->place,
                    "the field '%.60s' of '%.60s' is %s, the value is %s", m->names.text[d->name],
                    m->names.text[c->name],
                    size ? dae_model_size_text(&shape, left, sizeof left)
                         : dae_model_type_text(m, &shape, left, sizeof left),
                    size ? dae_model_size_text(out, right, sizeof right)
                         : dae_model_type_text(m, out, right, sizeof right));
    return false;
  }
  shape.node = out->node;
  *out = shape;
  return true;
}

bool dae_model_construct(dae_model *m, const dae_ast_class *c, const dae_ast *call,
                         dae_scope *scope, dae_value *out) {
  if (unknown_argument(m, c, call)) return false;
  dae_record *r = new_record(m, c);
  int count = count_fields(c), done = 0, before = -1, k;
  dae_value *part = dae_model_take(&m->built, (size_t)count + 1, sizeof *part);
  bool *known = dae_model_take(&m->built, (size_t)count + 1, sizeof *known);
  dae_binding *local = dae_model_take(&m->built, (size_t)count + 1, sizeof *local);
  dae_scope inside = {
      .function = c, .caller = scope, .end = -1, .path = scope->path, .no_event = scope->no_event};
  /* a default may use other fields, whatever their order: it waits for them */
  for (int round = 0; done < count && done != before; round++) {
    before = round ? done : -1;
    k = 0;
    for (const dae_ast_decl *d = c->decls; d; d = d->next) {
      if (!is_field(c, d)) continue;
      const dae_ast *e = argument(call, k, d->name);
      bool now = !known[k] && (e || (round && d->binding && !waits(d->binding, c, known)));
      if (now) {
        if (!construct_field(m, c, d, call, e, scope, &inside, &part[k])) return false;
        local[k] =
            (dae_binding){.name = d->name, .value = part[k], .input = true, .next = inside.first};
        inside.first = &local[k];
        known[k] = true;
        done++;
      }
      k++;
    }
  }
  k = 0;
  for (const dae_ast_decl *d = c->decls; d; d = d->next) {
    if (!is_field(c, d)) continue;
    if (!known[k]) {
      dae_model_error(&m->source, call->place,
                      "this gives no value for the field '%.60s' of '%.60s'",
                      m->names.text[d->name], m->names.text[c->name]);
      return false;
    }
    add_field(r, d->name, &part[k++]);
  }
  *out = of_layout(m, r);
  for (int i = 0; i < r->fields; i++)
    if (r->field[i].width)
      memcpy(out->node + r->field[i].offset, part[i].node, (size_t)r->field[i].width * sizeof(int));
  return true;
}

/* ---- variables ---- */

static const dae_ast_mod *modification(const dae_ast_decl *d, int name) {
  for (const dae_ast_mod *mod = d->mods; mod; mod = mod->next)
    if (mod->name == name) return mod;
  return NULL;
}

/* d.name of the value of a record variable */
static dae_ast *field_of(dae_model *m, dae_ast *value, int name) {
  dae_ast *e = dae_model_take(&m->built, 1, sizeof *e);
  *e = (dae_ast){.kind = AST_FIELD, .place = value->place, .name = name, .count = 1};
  e->u.joined = -1;
  e->args = dae_model_take(&m->built, 1, sizeof *e->args);
  e->args[0] = value;
  return e;
}

/* r.x from the declaration of r and that of x */
static dae_ast_decl *new_field(dae_model *m, const dae_ast_decl *d, const dae_ast_decl *x) {
  dae_ast_decl *f = dae_model_take(&m->built, 1, sizeof *f);
  char name[400];
  int n =
      snprintf(name, sizeof name, "%.190s.%.190s", m->names.text[d->name], m->names.text[x->name]);
  *f = *d;
  f->next = NULL;
  f->name = dae_model_name(&m->names, name, (size_t)n);
  f->type_name = x->type_name;
  f->type_place = x->type_place;
  if (x->variability > d->variability) f->variability = x->variability;
  f->is_final = d->is_final || x->is_final;
  f->dims = d->dims + x->dims;
  f->dim = dae_model_take(&m->built, (size_t)f->dims, sizeof *f->dim);
  if (d->dims) memcpy(f->dim, d->dim, (size_t)d->dims * sizeof *f->dim);
  if (x->dims) memcpy(f->dim + d->dims, x->dim, (size_t)x->dims * sizeof *f->dim);
  f->within = d->name;
  f->parts = (d->parts ? d->parts : 1) + 1;
  f->part = dae_model_take(&m->built, (size_t)f->parts, sizeof *f->part);
  if (d->parts) memcpy(f->part, d->part, (size_t)d->parts * sizeof *f->part);
  else f->part[0] = (dae_ast_part){d->name, d->dims};
  f->part[f->parts - 1] = (dae_ast_part){x->name, x->dims};
  return f;
}

dae_ast_decl *dae_model_expand_record(dae_model *m, const dae_ast_decl *d, const dae_ast_class *c) {
  dae_ast_decl *first = NULL, **tail = &first;
  for (const dae_ast_decl *x = c->decls; x; x = x->next) {
    if (!is_field(c, x)) continue;
    dae_ast_decl *f = new_field(m, d, x);
    const dae_ast_mod *mod = modification(d, x->name);
    f->each = f->own_value = false;
    if (mod && mod->value && x->is_final)
      dae_model_error(&m->source, mod->place, "the field '%.60s' of '%.60s' is final",
                      m->names.text[x->name], m->names.text[c->name]);
    if (mod && mod->value) f->binding = mod->value, f->each = mod->each;
    else if (d->binding) f->binding = field_of(m, d->binding, x->name);
    else f->binding = x->binding, f->each = f->own_value = true;
    /* what the variable says comes before what the record says */
    f->mods = x->mods;
    if (mod)
      for (const dae_ast_mod *one = mod->inner; one; one = one->next) {
        dae_ast_mod *copy = dae_model_take(&m->built, 1, sizeof *copy);
        *copy = *one;
        copy->next = f->mods;
        f->mods = copy;
      }
    *tail = f;
    tail = &f->next;
  }
  return first;
}

bool dae_model_gather(dae_model *m, int symbol) {
  const dae_symbol *s = &m->symbol[symbol];
  int fields = s->fields, *field = s->field, rank = s->decl->dims;
  const dae_ast_class *c = dae_model_record_class(m, s->decl->type_name);
  dae_record *r = new_record(m, c);
  dae_value whole = {.type = TYPE_RECORD, .rank = rank, .count = 1, .record = r};
  for (int k = 0; k < fields; k++) {
    const dae_ast_decl *d = m->symbol[field[k]].decl;
    if (!dae_model_symbol_value(m, field[k], d->place)) return false;
    const dae_value *v = &m->symbol[field[k]].value;
    dae_value shape = *v;
    shape.rank -= rank;
    shape.count = 1;
    memmove(shape.dim, v->dim + rank, (size_t)shape.rank * sizeof(int));
    for (int j = 0; j < shape.rank; j++) shape.count *= shape.dim[j];
    if (k == 0) memcpy(whole.dim, v->dim, (size_t)rank * sizeof(int));
    add_field(r, d->part[d->parts - 1].name, &shape);
  }
  whole = dae_model_array_like(m, &whole, rank, whole.dim);
  for (int k = 0; k < fields; k++) {
    const dae_field *f = &r->field[k];
    const dae_value *v = &m->symbol[field[k]].value;
    for (int i = 0; i < whole.count; i++)
      for (int j = 0; j < f->width; j++)
        whole.node[i * r->width + f->offset + j] = v->node[i * f->width + j];
  }
  m->symbol[symbol].value = whole;
  return true;
}
