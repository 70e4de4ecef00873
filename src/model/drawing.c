/* drawings: annotation(__Daedal(draw = {line({0, 0}, {x, y}), ..})) of a model */
#include <string.h>

#include "model/code.h"
#include "model/plan.h"

typedef struct dae_drawing {
  dae_model_shape *shape;
  int shapes, shape_capacity;
  int *node; /* coordinates and numbers of all shapes */
  int nodes, node_capacity;
  int dims;      /* of points, 0: not known yet */
  dae_code code; /* its arena is NULL before there is a function */
  dae_function *function;
} dae_drawing;

/* how many points and numbers a shape has; numbers may be left out */
static const struct {
  const char *kind;
  int least, most, numbers;
} known[] = {{"line", 2, 1000, 0}, {"curve", 2, 1000, 0}, {"polygon", 3, 1000, 0},
             {"spring", 2, 2, 0},  {"arrow", 2, 2, 0},    {"circle", 1, 1, 1},
             {"ring", 1, 1, 1},    {"ground", 1, 1, 0},   {"trace", 1, 1, 0},
             {"force", 2, 2, 0}};

static int find_kind(const char *name) {
  for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
    if (strcmp(known[i].kind, name) == 0) return i;
  return -1;
}

static void put_nodes(dae_model *m, dae_drawing *d, const dae_value *v) {
  d->node =
      dae_model_grow(&m->built, d->node, &d->node_capacity, d->nodes + v->count, sizeof *d->node);
  memcpy(d->node + d->nodes, v->node, (size_t)v->count * sizeof *d->node);
  d->nodes += v->count;
}

/* a point {x, y} or {x, y, z}, the same number of coordinates everywhere; or a number behind all
   points */
static bool add_argument(dae_model *m, dae_drawing *d, const dae_ast *e, dae_scope *scope,
                         dae_model_shape *s) {
  dae_value v;
  if (!dae_model_eval(m, e, scope, &v)) return false;
  bool point = v.rank == 1 && (v.count == 2 || v.count == 3) && s->n_number == 0;
  if ((!point && v.rank != 0) || v.type > TYPE_INTEGER) {
    dae_model_error(&m->source, e->place,
                    "a drawing needs points {x, y} or {x, y, z}, and numbers behind them");
    return false;
  }
  if (point && d->dims && v.count != d->dims) {
    dae_model_error(&m->source, e->place,
                    "all points of a drawing have the same number of coordinates: %d, not %d",
                    d->dims, v.count);
    return false;
  }
  if (point) d->dims = v.count;
  s->n_point += point;
  s->n_number += !point;
  put_nodes(m, d, &v);
  return true;
}

static bool add_shape(dae_model *m, dae_drawing *d, const dae_ast *e, dae_scope *scope) {
  const char *name = e->kind == AST_CALL ? m->names.text[e->name] : "";
  int k = find_kind(name);
  if (k < 0) {
    dae_model_error(
        &m->source, e->place,
        "a drawing knows line, curve, polygon, spring, arrow, force, circle, ring, ground "
        "and trace, not this");
    return false;
  }
  dae_model_shape s = {.kind = known[k].kind};
  for (int i = 0; i < e->count; i++)
    if (!add_argument(m, d, e->args[i], scope, &s)) return false;
  if (s.n_point < known[k].least || s.n_point > known[k].most || s.n_number > known[k].numbers) {
    dae_model_error(&m->source, e->place, "%s needs %s%d point%s%s", s.kind,
                    known[k].most > known[k].least ? "at least " : "", known[k].least,
                    known[k].least == 1 ? "" : "s", known[k].numbers ? " and a radius" : "");
    return false;
  }
  d->shape =
      dae_model_grow(&m->built, d->shape, &d->shape_capacity, d->shapes + 1, sizeof *d->shape);
  d->shape[d->shapes++] = s;
  return true;
}

static bool add_shapes(dae_model *m, dae_drawing *d, const dae_ast *e, dae_scope *scope);

/* {line(..) for i in 1:n}: the shapes of each turn */
static bool add_loop(dae_model *m, dae_drawing *d, const dae_ast *e, int level, dae_scope *scope) {
  int iterators = e->count - 1, k = iterators - level;
  if (level == iterators) return add_shapes(m, d, e->args[0], scope);
  dae_value range;
  if (!dae_model_eval(m, e->args[k], scope, &range)) return false;
  if (range.rank != 1) {
    dae_model_error(&m->source, e->args[k]->place, "a loop runs over a range or a vector");
    return false;
  }
  dae_binding loop = {.name = e->u.arg_name[k - 1], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  for (int i = 0; i < range.count && ok; i++) {
    loop.value = dae_model_scalar(m, range.type, range.node[i]);
    ok = add_loop(m, d, e, level + 1, scope);
  }
  scope->first = loop.next;
  return ok;
}

/* a list of shapes may hold lists */
static bool add_shapes(dae_model *m, dae_drawing *d, const dae_ast *e, dae_scope *scope) {
  if (e->kind == AST_COMPREHENSION) return add_loop(m, d, e, 0, scope);
  if (e->kind != AST_ARRAY) return add_shape(m, d, e, scope);
  bool ok = true;
  for (int i = 0; i < e->count && ok; i++) ok = add_shapes(m, d, e->args[i], scope);
  return ok;
}

bool dae_model_read_drawing(dae_model *m) {
  dae_scope scope = {.end = -1, .no_event = true};
  m->drawing = NULL;
  for (const dae_ast_mod *mod = m->main->own; mod; mod = mod->next) {
    if (strcmp(m->names.text[mod->name], "draw") != 0) {
      dae_model_error(&m->source, mod->place, "the annotation __Daedal knows draw = {..} only");
      return false;
    }
    if (!m->drawing) m->drawing = dae_model_take(&m->built, 1, sizeof *m->drawing);
    if (!add_shapes(m, m->drawing, mod->value, &scope)) return false;
  }
  return true;
}

/* variable j is the j-th of all values */
static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_model *m = ctx;
  *bank = 0;
  *index = variable;
  return order == 0 && when == 0 && variable < m->flat.variables - m->flat.hidden;
}

bool dae_model_make_drawing(dae_model *m) {
  dae_drawing *d = m->drawing;
  if (!d || d->shapes == 0) return true;
  dae_model_code_init(&d->code, &m->graph, &m->built, locate, m);
  d->function = dae_model_function(&d->code, "drawing", d->node, d->nodes);
  if (d->function && d->code.missing < 0) return true;
  dae_model_error(&m->source, m->main->own->place,
                  "a drawing can hold variables, parameters and time, not derivatives or values of "
                  "other times");
  return false;
}

void dae_model_drawing_free(dae_model *m) {
  if (m->drawing && m->drawing->code.arena) dae_model_code_free(&m->drawing->code);
  m->drawing = NULL;
}

int dae_model_shapes(const dae_model *m, const dae_model_shape **shape, int *dims) {
  const dae_drawing *d = m && m->is_built ? m->drawing : NULL;
  if (shape) *shape = d ? d->shape : NULL;
  if (dims) *dims = d && d->dims ? d->dims : 2;
  return d ? d->shapes : 0;
}

int dae_model_draw(const dae_model *m, double t, const double *values, double *out) {
  const dae_drawing *d = m && m->is_built ? m->drawing : NULL;
  if (!d || !d->function || !values || !out) return -1;
  const double *const bank[DAE_BANKS] = {values};
  return dae_model_run(d->function, t, bank, out);
}
