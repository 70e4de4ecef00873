/* block lower triangular order (Tarjan), and what is wrong when there is no transversal */
#include <string.h>

#include "model/structure.h"

typedef struct search {
  const dae_signature *s;
  const int *col_match, *c, *d;
  int *number, *low, *stack, *on_stack, *path, *next;
  int counter, depth, top;
} search;

static void open_row(search *x, int i) {
  x->number[i] = x->low[i] = ++x->counter;
  x->stack[x->top++] = i;
  x->on_stack[i] = 1;
  x->next[i] = x->s->start[i];
  x->path[x->depth++] = i;
}

/* row i needs the rows that are matched to its other leading columns: those come first */
int dae_model_blocks(dae_arena *arena, const dae_signature *s, const int *row_match,
                     const int *col_match, const int *c, const int *d, int *block_start,
                     int *block_row) {
  int n = s->rows, written = 0, blocks = 0;
  search x = {.s = s, .col_match = col_match, .c = c, .d = d};
  x.number = dae_model_ints(arena, n), x.low = dae_model_ints(arena, n),
  x.stack = dae_model_ints(arena, n), x.on_stack = dae_model_ints(arena, n);
  x.path = dae_model_ints(arena, n + 1), x.next = dae_model_ints(arena, n);
  for (int root = 0; root < n; root++) {
    if (x.number[root]) continue;
    open_row(&x, root);
    while (x.depth) {
      int i = x.path[x.depth - 1];
      if (x.next[i] < s->start[i + 1]) {
        int e = x.next[i]++, j = s->column[e], k = col_match[j];
        if (j == row_match[i] || d[j] - c[i] != s->sigma[e]) continue;
        if (!x.number[k]) open_row(&x, k);
        else if (x.on_stack[k] && x.number[k] < x.low[i]) x.low[i] = x.number[k];
        continue;
      }
      x.depth--;
      if (x.depth && x.low[i] < x.low[x.path[x.depth - 1]]) x.low[x.path[x.depth - 1]] = x.low[i];
      if (x.low[i] != x.number[i]) continue;
      block_start[blocks++] = written;
      int k;
      do {
        k = x.stack[--x.top];
        x.on_stack[k] = 0;
        block_row[written++] = k;
      } while (k != i);
    }
  }
  block_start[blocks] = written;
  return blocks;
}

/* rows that compete: reached from rows without a partner along alternating paths */
static int reach_rows(dae_arena *arena, const dae_structure *s, int *rows) {
  int count = 0, *seen = dae_model_ints(arena, s->s.rows);
  for (int i = 0; i < s->s.rows; i++)
    if (s->row_match[i] < 0) rows[count++] = i, seen[i] = 1;
  for (int at = 0; at < count; at++)
    for (int e = s->s.start[rows[at]]; e < s->s.start[rows[at] + 1]; e++) {
      int k = s->col_match[s->s.column[e]];
      if (k >= 0 && !seen[k]) rows[count++] = k, seen[k] = 1;
    }
  return count;
}

/* columns that stay open: reached from columns without a partner */
static int reach_columns(dae_arena *arena, const dae_structure *s, int *columns) {
  int count = 0, *seen = dae_model_ints(arena, s->s.cols);
  for (int j = 0; j < s->s.cols; j++)
    if (s->col_match[j] < 0) columns[count++] = j, seen[j] = 1;
  for (int at = 0; at < count; at++)
    for (int e = s->s.col_start[columns[at]]; e < s->s.col_start[columns[at] + 1]; e++) {
      int j = s->row_match[s->s.col_row[e]];
      if (j >= 0 && !seen[j]) columns[count++] = j, seen[j] = 1;
    }
  return count;
}

void dae_model_explain_singular(dae_model *m, const dae_structure *s) {
  enum { SHOWN = 8 };
  int *rows = dae_model_ints(&m->built, s->s.rows), *columns = dae_model_ints(&m->built, s->s.cols);
  int over = reach_rows(&m->built, s, rows), under = reach_columns(&m->built, s, columns);
  dae_text text = {.arena = &m->built};
  dae_namer namer = dae_model_namer(m);
  if (over) {
    dae_model_text_add(&text, "  too many equations for their variables:");
    for (int k = 0; k < over && k < SHOWN; k++) {
      int line, column;
      dae_model_locate(&m->source, s->place[rows[k]], &line, &column);
      dae_model_text_add(&text, "\n    line %d: ", line);
      dae_model_print(&m->graph, s->left[rows[k]], &namer, &text);
      dae_model_text_add(&text, " = ");
      dae_model_print(&m->graph, s->right[rows[k]], &namer, &text);
    }
    if (over > SHOWN) dae_model_text_add(&text, "\n    and %d more", over - SHOWN);
    dae_model_text_add(&text, "\n");
  }
  if (under) {
    dae_model_text_add(&text, "  too few equations for these variables:");
    for (int k = 0; k < under && k < SHOWN; k++)
      dae_model_text_add(&text, "%s %.80s", k ? "," : "",
                         m->flat.variable[s->var[columns[k]]].name);
    if (under > SHOWN) dae_model_text_add(&text, " and %d more", under - SHOWN);
    dae_model_text_add(&text, "\n");
    for (int k = 0; k < under; k++) {
      const dae_variable *v = &m->flat.variable[s->var[columns[k]]];
      const dae_ast_decl *d = v->symbol >= 0 ? m->symbol[v->symbol].decl : NULL;
      if (!d || d->causality != CAUSAL_INPUT || d->binding) continue;
      dae_model_text_add(&text,
                         "  '%.60s' is an input: give it an expression, input Real %.60s = ..\n",
                         v->name, v->name);
      break;
    }
  }
  uint32_t place = over ? s->place[rows[0]] : m->flat.variable[s->var[columns[0]]].place;
  if (m->flat.equations != m->flat.variables)
    dae_model_error(&m->source, place, "the model has %d equation%s for %d variable%s",
                    m->flat.equations, m->flat.equations == 1 ? "" : "s", m->flat.variables,
                    m->flat.variables == 1 ? "" : "s");
  else
    dae_model_error(&m->source, place,
                    "the model is structurally singular: no variable is left for this %s",
                    over ? "equation" : "place");
  if (text.data) dae_model_text_bytes(&m->source.messages, text.data, (size_t)text.length);
}
