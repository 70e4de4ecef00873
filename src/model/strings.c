/* Strings: texts that are known when the model is read, as numbers among the names */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/structure.h"

dae_value dae_model_text_value(dae_model *m, const char *text) {
  int number = dae_model_name(&m->names, text, strlen(text));
  return dae_model_scalar(m, TYPE_STRING, dae_model_const(&m->graph, number));
}

/* a text that depends on what varies: it may be handed on, nobody can look at it */
enum { TEXT_VARIES = -1 };

static dae_value varying_text(dae_model *m) {
  return dae_model_scalar(m, TYPE_STRING, dae_model_const(&m->graph, TEXT_VARIES));
}

const char *dae_model_string(const dae_model *m, const dae_value *v) {
  if (v->type != TYPE_STRING || v->rank || !dae_model_constant(&m->graph, v->node[0])) return NULL;
  double number = m->graph.node[v->node[0]].value;
  return number < 0 ? NULL : m->names.text[(int)number];
}

/* which text it is may depend on conditions: one that varies may be at the end of any of them */
bool dae_model_text_varies(dae_model *m, const dae_value *v) {
  dae_graph *g = &m->graph;
  if (v->type != TYPE_STRING || v->rank != 0) return false;
  dae_set below = {0};
  dae_model_reach(g, v->node, 1, &below);
  bool *is_text = dae_model_take(&m->built, (size_t)below.count, sizeof *is_text), found = false;
  for (int i = 0; i < below.count; i++) g->scratch[below.node[i]] = i;
  is_text[below.count - 1] = true;
  for (int i = below.count - 1; i >= 0 && !found; i--) {
    const dae_node n = g->node[below.node[i]];
    if (!is_text[i]) continue;
    if (n.op == OP_IF) is_text[g->scratch[n.b]] = is_text[g->scratch[n.c]] = true;
    found = dae_model_is(g, below.node[i], TEXT_VARIES);
  }
  dae_model_set_free(g, &below);
  return found;
}

bool dae_model_concatenate(dae_model *m, const dae_value *a, const dae_value *b, uint32_t place,
                           dae_value *out) {
  if (a->rank || b->rank) {
    dae_model_error(&m->source, place, "arrays of Strings cannot be joined");
    return false;
  }
  const char *left = dae_model_string(m, a), *right = dae_model_string(m, b);
  if (!left || !right) {
    *out = varying_text(m);
    return true;
  }
  dae_text text = {.arena = &m->built};
  dae_model_text_add(&text, "%s%s", left, right);
  *out = dae_model_text_value(m, text.data);
  return true;
}

/* ---- messages ---- */

static void add_formula(dae_model *m, const dae_value *v, dae_text *text) {
  dae_namer namer = dae_model_namer(m);
  if (v->rank == 0 && v->count && v->type <= TYPE_BOOLEAN)
    dae_model_print(&m->graph, v->node[0], &namer, text);
  else dae_model_text_add(text, "..");
}

static void add_message(dae_model *m, const dae_ast *e, dae_scope *scope, dae_text *text) {
  dae_value v;
  if (e->kind == AST_SUM) {
    for (int k = 0; k < e->count; k++) add_message(m, e->args[k], scope, text);
    return;
  }
  if (e->kind == AST_STRING) {
    dae_model_text_add(text, "%s", e->u.string);
    return;
  }
  /* String(x): the value of x then, or what x is */
  if (e->kind == AST_CALL && strcmp(m->names.text[e->name], "String") == 0 && e->count > 0) {
    if (!dae_model_eval(m, e->args[0], scope, &v)) return;
    bool known = v.rank == 0 && v.count && v.type <= TYPE_INTEGER &&
                 dae_model_constant(&m->graph, v.node[0]);
    if (known) dae_model_text_add(text, "%.6g", m->graph.node[v.node[0]].value);
    else add_formula(m, &v, text);
    return;
  }
  /* a function must not be called for a message that may never be needed */
  if (e->kind == AST_CALL || !dae_model_eval(m, e, scope, &v)) {
    if (e->kind == AST_CALL) dae_model_text_add(text, "..");
    return;
  }
  const char *known = dae_model_string(m, &v);
  if (known) dae_model_text_add(text, "%s", known);
  else add_formula(m, &v, text);
}

const char *dae_model_message(dae_model *m, const dae_ast *e, dae_scope *scope) {
  dae_text text = {.arena = &m->built};
  if (e->kind == AST_STRING) return e->u.string;
  dae_model_text_add(&text, "%s", "");
  add_message(m, e, scope, &text);
  return text.data;
}

/* ---- String(x, ..) ---- */

/* a named argument that is known, or the one at this place */
static double setting(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                      const char *name, int at, double otherwise) {
  for (int k = 1; k < count; k++) {
    bool named = e->u.arg_name && e->u.arg_name[k] >= 0;
    bool meant = named ? strcmp(m->names.text[e->u.arg_name[k]], name) == 0 : k == at;
    if (meant && arg[k].type != TYPE_STRING && !arg[k].rank &&
        dae_model_constant(&m->graph, arg[k].node[0]))
      return m->graph.node[arg[k].node[0]].value;
  }
  return otherwise;
}

static const char *literal_text(const dae_model *m, const dae_value *v, double x) {
  const dae_ast_class *c = v->literals;
  return c && x >= 1 && x <= c->literals ? m->names.text[c->literal[(int)x - 1]] : NULL;
}

/* if e == 1 then "red" else if e == 2 ..: texts by number */
static bool varying_string(dae_model *m, const dae_ast *e, const dae_value *v, dae_value *out) {
  bool truth = v->type == TYPE_BOOLEAN;
  int count = truth ? 2 : v->literals ? v->literals->literals : 0, node = -1;
  for (int k = count - 1; k >= 0; k--) {
    const char *text = truth ? (k ? "true" : "false") : literal_text(m, v, k + 1);
    int number = dae_model_const(&m->graph, dae_model_name(&m->names, text, strlen(text)));
    int here =
        dae_model_op2(&m->graph, OP_EQ, v->node[0], dae_model_const(&m->graph, truth ? k : k + 1));
    node = node < 0 ? number : dae_model_node(&m->graph, OP_IF, here, number, node);
  }
  if (node < 0) {
    dae_model_error(&m->source, e->place, "the literals of this enumeration are not known");
    return false;
  }
  *out = dae_model_scalar(m, TYPE_STRING, node);
  return true;
}

/* format -> [ "-" | "+" | "0" ] [ digits ] [ "." digits ] ( e | f | g | E | G | d | i ), as in C */
static bool print_formatted(const char *format, dae_type type, double x, char *out, size_t size) {
  char full[40];
  if (!format || strlen(format) > 12) return false;
  size_t at = strspn(format, "-+0 #");
  at += strspn(format + at, "0123456789");
  if (format[at] == '.') at += 1 + strspn(format + at + 1, "0123456789");
  char last = format[at];
  bool whole = last == 'd' || last == 'i';
  if (!last || format[at + 1] || !strchr("efgEGdi", last) || whole != (type == TYPE_INTEGER))
    return false;
  for (size_t i = 0, digits = 0; format[i]; i++)
    if (format[i] >= '0' && format[i] <= '9' && ++digits > 4) return false;
  if (whole) {
    snprintf(full, sizeof full, "%%%.*slld", (int)at, format);
    snprintf(out, size, full, (long long)x);
  } else {
    snprintf(full, sizeof full, "%%%s", format);
    snprintf(out, size, full, x);
  }
  return true;
}

bool dae_model_call_string(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                           dae_value *out) {
  char plain[80], padded[200];
  const dae_value *v = &arg[0];
  if (v->type == TYPE_STRING) {
    *out = *v;
    return true;
  }
  if ((v->type == TYPE_BOOLEAN || v->type == TYPE_ENUM) && !v->rank && count == 1 &&
      !dae_model_constant(&m->graph, v->node[0]))
    return varying_string(m, e, v, out);
  const dae_value *form = count == 2 && arg[1].type == TYPE_STRING ? &arg[1] : NULL;
  bool known = v->type != TYPE_RECORD && !v->rank && dae_model_constant(&m->graph, v->node[0]);
  double x = known ? m->graph.node[v->node[0]].value : 0;
  const char *text = plain;
  bool real = v->type == TYPE_REAL;
  int digits = (int)setting(m, e, arg, count, "significantDigits", real ? 1 : -1, 6);
  if (form && known) {
    if (!print_formatted(dae_model_string(m, form), v->type, x, plain, sizeof plain)) {
      dae_model_error(&m->source, e->place,
                      "the format of String(x, format = ..) must be known and be like 6.3f, 12d");
      return false;
    }
  } else if (v->type == TYPE_REAL)
    snprintf(plain, sizeof plain, "%.*g", digits > 0 && digits < 40 ? digits : 6, x);
  else if (v->type == TYPE_INTEGER) snprintf(plain, sizeof plain, "%.0f", x);
  else if (v->type == TYPE_BOOLEAN) text = x != 0 ? "true" : "false";
  else text = literal_text(m, v, x);
  if (!known || !text) {
    *out = varying_text(m);
    return true;
  }
  int width = (int)setting(m, e, arg, count, "minimumLength", real ? 2 : 1, 0);
  bool left = setting(m, e, arg, count, "leftJustified", real ? 3 : 2, 1) != 0;
  if (width > 150) width = 150;
  snprintf(padded, sizeof padded, left ? "%-*s" : "%*s", width > 0 ? width : 0, text);
  *out = dae_model_text_value(m, padded);
  return true;
}
