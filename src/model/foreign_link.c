/*
 * External functions of the user: C functions in libraries that the option `external` names, or in
 * C source that is compiled first. The call goes through a piece of C made for its arguments, so
 * that the compiler knows how they are passed.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/code.h"
#include "model/plan.h"

enum { SOURCE_MAX = 4000000, SECONDS = 30 };

/* an object that is loaded: a library of the user, or a piece that calls */
struct dae_loaded {
  void *handle;
  const char *text;
  bool users;
  struct dae_loaded *next;
};

void dae_model_unload(dae_model *m) {
  for (struct dae_loaded *l = m->loaded; l; l = l->next)
    if (l->handle) dlclose(l->handle);
  m->loaded = NULL;
}

static struct dae_loaded *keep(dae_model *m, void *handle, const char *text, bool users) {
  struct dae_loaded *l = dae_model_take(&m->text, 1, sizeof *l);
  *l = (struct dae_loaded){.handle = handle, .text = text, .users = users, .next = m->loaded};
  return m->loaded = l;
}

static void *compile(dae_model *m, const char *text, size_t length, const char *what,
                     uint32_t place) {
  char why[400] = "";
  dae_compile wish = {m->options.compiler, m->options.cache, SECONDS, why, sizeof why};
  void *handle = dae_model_object(text, length, "-O2", &wish);
  if (!handle) dae_model_error(&m->source, place, "%.200s must be compiled, but %.300s", what, why);
  return handle;
}

/* ---- libraries ---- */

/* the functions of a C source can be seen from outside */
static void *compile_file(dae_model *m, const char *path, uint32_t place) {
  static const char head[] = "#pragma GCC visibility push(default)\n#line 1 \"";
  FILE *file = fopen(path, "rb");
  size_t room = sizeof head + strlen(path) + 8, length = 0;
  char *text = file ? malloc(room + SOURCE_MAX) : NULL;
  void *handle = NULL;
  if (text) {
    length = (size_t)snprintf(text, room, "%s%s\"\n", head, path);
    length += fread(text + length, 1, SOURCE_MAX, file);
    handle = compile(m, text, length, path, place);
  } else dae_model_error(&m->source, place, "external: '%.200s' cannot be read", path);
  if (file) fclose(file);
  free(text);
  return handle;
}

static bool load_one(dae_model *m, const char *path, uint32_t place) {
  size_t n = strlen(path);
  char full[1100];
  bool source = n > 2 && strcmp(path + n - 2, ".c") == 0;
  /* a name alone is a file here, not one of the system */
  snprintf(full, sizeof full, "%s%.1000s", strchr(path, '/') ? "" : "./", path);
  void *handle = source ? compile_file(m, path, place) : dlopen(full, RTLD_NOW | RTLD_LOCAL);
  if (!handle && !source) {
    const char *error = dlerror();
    dae_model_error(&m->source, place, "external: '%.200s' cannot be loaded: %.200s", path,
                    error ? error : "");
  }
  if (handle) keep(m, handle, path, true);
  return handle != NULL;
}

/* all libraries of the option, in their order, once a model */
static bool load_all(dae_model *m, uint32_t place) {
  for (const struct dae_loaded *l = m->loaded; l; l = l->next)
    if (l->users) return true;
  const char *at = m->options.external;
  for (size_t n; *at; at += n + (at[n] == ':')) {
    n = strcspn(at, ":");
    if (n > 0 && !load_one(m, dae_model_copy(&m->text, at, n), place)) return false;
  }
  return true;
}

static void *find_function(const dae_model *m, const char *name) {
  void *found = NULL, *one;
  /* the newest is the first one of the list: the first library of the option is the last to win */
  for (const struct dae_loaded *l = m->loaded; l; l = l->next)
    if (l->users && (one = dlsym(l->handle, name)) != NULL) found = one;
  return found;
}

/* ---- how a function is called ---- */

/* the C call that is being written */
typedef struct link {
  dae_model *m;
  const dae_ast_class *f;
  dae_scope *inside;
  dae_text types, values, before; /* parameters, arguments, what stands in front of the call */
  int node[DAE_FOREIGN_MAX];
  bool real[DAE_FOREIGN_MAX];
  int target[DAE_FOREIGN_MAX]; /* by argument: its place among all elements of inputs, -1: none */
  int inputs, outputs, arguments;
  struct {
    dae_binding *local;
    int first;
  } output[DAE_FOREIGN_MAX];
  int given;  /* outputs */
  bool plain; /* the arguments are the inputs themselves */
} link;

static bool refuse(link *k, uint32_t place, const char *text) {
  dae_model_error(&k->m->source, place, "external function '%.60s': %s",
                  k->m->names.text[k->f->name], text);
  return false;
}

static void argument(link *k, const char *type, const char *form, int number) {
  dae_model_text_add(&k->types, "%s%s", k->arguments ? ", " : "", type);
  dae_model_text_add(&k->values, "%s", k->arguments ? ", " : "");
  dae_model_text_add(&k->values, form, number);
  k->arguments++;
}

static const dae_ast_decl *declared(const dae_ast_class *f, int name) {
  for (const dae_ast_decl *d = f->decls; d; d = d->next)
    if (d->name == name) return d;
  return NULL;
}

/* the first element of an input among all of them, -1: it is none */
static int input_place(const link *k, int name) {
  int place = 0;
  for (const dae_ast_decl *d = k->f->decls; d; d = d->next) {
    if (d->causality != CAUSAL_INPUT) continue;
    if (d->name == name) return place;
    place += dae_model_find_local(k->inside, d->name)->value.count;
  }
  return -1;
}

static bool add_output(link *k, const dae_ast_decl *d, uint32_t place, bool returned) {
  dae_binding *local = dae_model_find_local(k->inside, d->name);
  if (local->value.type != TYPE_REAL) return refuse(k, place, "its outputs must be Real");
  if (returned && local->value.rank) return refuse(k, place, "C functions return no arrays");
  if (k->outputs + local->value.count > DAE_FOREIGN_MAX || local->open)
    return refuse(k, place, "outputs have a known size, at most 200 elements together");
  k->output[k->given].local = local;
  k->output[k->given++].first = k->outputs;
  if (!returned) argument(k, "double *", "o + %d", k->outputs);
  k->outputs += local->value.count;
  return true;
}

/* an argument with a value: numbers, Booleans, arrays of them */
static bool add_value(link *k, const dae_value *v, int from, uint32_t place) {
  bool real = v->type == TYPE_REAL;
  int first = k->inputs;
  if (v->type == TYPE_STRING || v->type == TYPE_RECORD)
    return refuse(k, place, "its arguments can be numbers, Booleans and arrays of them");
  if (first + v->count > DAE_FOREIGN_MAX)
    return refuse(k, place, "more than 200 numbers are handed over");
  for (int i = 0; i < v->count; i++) {
    if (v->node[i] < 0) return refuse(k, place, "this has no value");
    k->target[k->inputs] = from < 0 ? -1 : from + i;
    k->real[k->inputs] = real;
    k->node[k->inputs++] = v->node[i];
  }
  if (from < 0) k->plain = false;
  if (v->rank && real) argument(k, "const double *", "x + %d", first);
  else if (v->rank) {
    dae_model_text_add(&k->before,
                       "  int i%d[%d];\n  for (int k = 0; k < %d; k++) i%d[k] = (int)x[%d + k];\n",
                       first, v->count + 1, v->count, first, first);
    argument(k, "const int *", "i%d", first);
  } else argument(k, real ? "double" : "int", real ? "x[%d]" : "(int)x[%d]", first);
  return true;
}

static bool add_size(link *k, int size) {
  argument(k, "size_t", "%d", size);
  return true;
}

/* an argument of the call that is written out */
static bool add_written(link *k, const dae_ast *e) {
  dae_model *m = k->m;
  const dae_ast_decl *d = e->kind == AST_REF && e->count == 0 ? declared(k->f, e->name) : NULL;
  if (d && d->causality == CAUSAL_OUTPUT) return add_output(k, d, e->place, false);
  dae_value v;
  double size;
  if (e->kind == AST_CALL && strcmp(m->names.text[e->name], "size") == 0) {
    dae_type type;
    return dae_model_eval_number(m, e, k->inside, &type, &size) && add_size(k, (int)size);
  }
  if (!dae_model_eval(m, e, k->inside, &v)) return false;
  bool known = e->kind == AST_NUMBER;
  int from = d && d->causality == CAUSAL_INPUT ? input_place(k, d->name) : -1;
  bool plain = k->plain;
  if (!add_value(k, &v, from, e->place)) return false;
  if (known) k->plain = plain;
  return true;
}

/* external "C" alone: the arguments are inputs and outputs as they are declared, arrays with their
   sizes; the only scalar output is what the function returns (Modelica 3.6, 12.9.1) */
static bool add_declared(link *k) {
  int outputs = 0;
  const dae_ast_decl *last = NULL;
  for (const dae_ast_decl *d = k->f->decls; d; d = d->next)
    if (d->causality == CAUSAL_OUTPUT) outputs++, last = d;
  bool returns = outputs == 1 && dae_model_find_local(k->inside, last->name)->value.rank == 0;
  if (returns && !add_output(k, last, last->place, true)) return false;
  for (const dae_ast_decl *d = k->f->decls; d; d = d->next) {
    if (d->causality == CAUSAL_NONE || (d == last && returns)) continue;
    const dae_value *v = &dae_model_find_local(k->inside, d->name)->value;
    bool ok = d->causality == CAUSAL_OUTPUT ? add_output(k, d, d->place, false)
                                            : add_value(k, v, input_place(k, d->name), d->place);
    for (int i = 0; i < v->rank && ok; i++) add_size(k, v->dim[i]);
    if (!ok) return false;
  }
  return true;
}

static bool add_arguments(link *k, bool *returns) {
  const dae_ast_external *x = k->f->external;
  *returns = false;
  if (!x->call) {
    if (!add_declared(k)) return false;
    *returns = k->outputs == 1 && k->output[0].local->value.rank == 0 && k->given == 1;
    return true;
  }
  if (x->call->kind != AST_CALL) return refuse(k, x->call->place, "expected name(arguments)");
  if (x->left) {
    const dae_ast_decl *d =
        x->left->kind == AST_REF && x->left->count == 0 ? declared(k->f, x->left->name) : NULL;
    if (!d || d->causality != CAUSAL_OUTPUT)
      return refuse(k, x->left->place, "an output is needed in front of '='");
    if (!add_output(k, d, x->left->place, true)) return false;
    *returns = true;
  }
  for (int i = 0; i < x->call->count; i++)
    if (!add_written(k, x->call->args[i])) return false;
  return true;
}

/* the piece of C that calls: y = f(x[0], (int)x[1], x + 2, o + 1) */
static void *make_piece(link *k, bool returns, uint32_t place) {
  dae_model *m = k->m;
  dae_text text = {.arena = &m->text};
  dae_model_text_add(&text,
                     "#include <stddef.h>\n"
                     "__attribute__((visibility(\"default\")))\n"
                     "void daedal_call(void (*f)(void), const double *x, double *o) {\n"
                     "  (void)x, (void)o;\n%s  %s((%s (*)(%s))f)(%s);\n}\n",
                     k->before.data ? k->before.data : "", returns ? "o[0] = " : "",
                     returns ? "double" : "void", k->arguments ? k->types.data : "void",
                     k->arguments ? k->values.data : "");
  struct dae_loaded *l = m->loaded;
  while (l && (l->users || strcmp(l->text, text.data) != 0)) l = l->next;
  if (!l) {
    void *handle = compile(m, text.data, (size_t)text.length, "a call of a C function", place);
    if (!handle) return NULL;
    l = keep(m, handle, text.data, false);
  }
  return dlsym(l->handle, "daedal_call");
}

/* ---- derivatives that the text gives ---- */

static dae_ast *value_ast(dae_model *m, const dae_value *v, uint32_t place) {
  dae_ast *e = dae_model_take(&m->built, 1, sizeof *e);
  dae_value *copy = dae_model_take(&m->built, 1, sizeof *copy);
  *copy = *v;
  *e = (dae_ast){.kind = AST_VALUE, .place = place, .name = -1};
  e->u.value = copy;
  return e;
}

/* the inputs as arguments, then the rates of the Real ones: 1 for element `seed`, else 0 */
static int seed_call(link *k, int seed, dae_ast **args) {
  dae_model *m = k->m;
  dae_graph *g = &m->graph;
  int count = 0, element = 0;
  int place_in_list[DAE_FOREIGN_MAX];
  for (int i = 0; i < k->inputs; i++)
    if (k->target[i] >= 0) place_in_list[k->target[i]] = i;
  for (int rates = 0; rates < 2; rates++, element = 0)
    for (const dae_ast_decl *d = k->f->decls; d; d = d->next) {
      if (d->causality != CAUSAL_INPUT) continue;
      const dae_value *like = &dae_model_find_local(k->inside, d->name)->value;
      dae_value v = dae_model_array_like(m, like, like->rank, like->dim);
      for (int i = 0; i < v.count; i++, element++)
        v.node[i] = rates ? (element == seed ? g->one : g->zero)
                          : dae_model_var(g, place_in_list[element], 0, WHEN_ARGUMENT);
      if (!rates || v.type == TYPE_REAL) args[count++] = value_ast(m, &v, d->place);
    }
  return count;
}

/* are all elements of the inputs handed over, each once and as they are? */
static bool inputs_are_arguments(const link *k) {
  int elements = 0, found = 0;
  for (const dae_ast_decl *d = k->f->decls; d; d = d->next)
    if (d->causality == CAUSAL_INPUT)
      elements += dae_model_find_local(k->inside, d->name)->value.count;
  for (int i = 0; i < k->inputs; i++) {
    found += k->target[i] >= 0;
    for (int j = 0; j < i; j++)
      if (k->target[i] >= 0 && k->target[i] == k->target[j]) return false;
  }
  return k->plain && found == elements;
}

/* d result / d argument = derivative(arguments, unit vector), as a formula of the arguments */
static bool make_partials(link *k, dae_foreign *own, uint32_t place) {
  dae_model *m = k->m;
  int name = k->f->derivative - 1, events = m->flat.branches + m->flat.actions;
  const dae_ast_class *d = name < m->named ? m->functions[name] : NULL;
  if (!d) return refuse(k, place, "the function that its annotation 'derivative' names is missing");
  if (!inputs_are_arguments(k)) return true;
  int *partial = dae_model_ints(&m->built, own->inputs * own->outputs + 1);
  dae_value *out = dae_model_take(&m->built, (size_t)k->given + 1, sizeof *out);
  dae_ast **args = dae_model_take(&m->built, 2 * (size_t)DAE_FOREIGN_MAX + 2, sizeof *args);
  for (int i = 0; i < own->inputs; i++) {
    dae_scope scope = {.end = -1,
                       .no_event = true,
                       .broken = m->graph.zero,
                       .returned = m->graph.zero,
                       .caller = k->inside->caller,
                       .function = k->f};
    for (int r = 0; r < own->outputs; r++) partial[r * own->inputs + i] = m->graph.zero;
    if (!own->real[i] || k->target[i] < 0) continue;
    dae_ast call = {.kind = AST_CALL, .place = place, .name = name, .args = args};
    call.count = seed_call(k, k->target[i], args);
    if (!dae_model_eval_function(m, d, &call, &scope, out, k->given)) return false;
    /* outputs in the order of their declarations */
    int at = 0;
    for (const dae_ast_decl *o = k->f->decls; o; o = o->next)
      for (int g = 0; g < k->given && o->causality == CAUSAL_OUTPUT; g++) {
        if (k->output[g].local->name != o->name) continue;
        if (out[at].count != k->output[g].local->value.count)
          return refuse(k, place, "its derivative has an output of another size");
        for (int r = 0; r < out[at].count; r++)
          partial[(k->output[g].first + r) * own->inputs + i] = out[at].node[r];
        at++;
      }
  }
  if (m->flat.branches + m->flat.actions != events)
    return refuse(k, place, "its derivative must hold no assertions");
  own->partial = partial;
  return true;
}

int dae_model_failed_call(const dae_model *m, char *text, size_t size) {
  for (int i = 0; m && m->is_built && i < m->graph.foreigns; i++) {
    const dae_foreign *f = m->graph.foreign[i];
    if (f->failures == 0) continue;
    snprintf(text, size,
             "the external function '%.60s' gave a value that is not finite, the last time with "
             "%.10g as its first argument",
             f->name, (double)f->failed);
    return 1;
  }
  return 0;
}

/* ---- all together ---- */

/* the function among those of the formulas, -1 after an error */
static int number_of(link *k, void *symbol, void *piece, const char *name, uint32_t place) {
  dae_model *m = k->m;
  dae_graph *g = &m->graph;
  dae_foreign *own = dae_model_take(&m->built, 1, sizeof *own);
  bool *real = dae_model_take(&m->built, (size_t)k->inputs + 1, sizeof *real);
  memcpy(real, k->real, (size_t)k->inputs * sizeof *real);
  *own = (dae_foreign){.inputs = k->inputs, .outputs = k->outputs, .real = real};
  own->name = dae_model_copy(&m->built, name, strlen(name));
  memcpy(&own->function, &symbol, sizeof symbol);
  memcpy(&own->call, &piece, sizeof piece);
  for (int i = 0; i < g->foreigns; i++)
    if (g->foreign[i]->function == own->function && g->foreign[i]->call == own->call &&
        g->foreign[i]->inputs == own->inputs && strcmp(g->foreign[i]->name, name) == 0)
      return i;
  g->foreign = dae_model_grow(&m->built, g->foreign, &g->foreign_capacity, g->foreigns + 1,
                              sizeof *g->foreign);
  g->foreign[g->foreigns++] = own;
  int number = g->foreigns - 1;
  return k->f->derivative && !make_partials(k, own, place) ? -1 : number;
}

bool dae_model_run_foreign(dae_model *m, const dae_ast_class *f, const char *c_name,
                           dae_scope *inside) {
  dae_graph *g = &m->graph;
  uint32_t place = f->external->call ? f->external->call->place : f->place;
  link *k = dae_model_take(&m->built, 1, sizeof *k);
  *k = (link){.m = m, .f = f, .inside = inside, .plain = true};
  k->types.arena = k->values.arena = k->before.arena = &m->built;
  bool returns;
  if (!load_all(m, place) || !add_arguments(k, &returns)) return false;
  if (k->outputs == 0) return refuse(k, place, "it has no outputs");
  void *symbol = find_function(m, c_name);
  if (!symbol) {
    dae_model_error(&m->source, place, "there is no C function '%.60s' in %.200s", c_name,
                    m->options.external);
    return false;
  }
  void *piece = make_piece(k, returns, place);
  int number = piece ? number_of(k, symbol, piece, m->names.text[f->name], place) : -1;
  if (number < 0) return false;
  int list = g->zero;
  for (int i = k->inputs - 1; i >= 0; i--) list = dae_model_op2(g, OP_LIST, k->node[i], list);
  for (int o = 0; o < k->given; o++)
    for (int i = 0; i < k->output[o].local->value.count; i++)
      k->output[o].local->value.node[i] =
          dae_model_node(g, OP_CALL, list, number, k->output[o].first + i);
  return true;
}
