/*
 * Tables as tools export them: external objects of the Modelica library (CombiTable1D,
 * CombiTable2D, CombiTimeTable), whose C functions are known by their names. A table is an array in
 * the text or a matrix in a file; its pieces are a tree of `if`, so that a lookup has derivatives
 * and events.
 *   linear      y_k + (u - u_k) (y_(k+1) - y_k)/(u_(k+1) - u_k)
 *   constant    y_k for u_k <= u < u_(k+1)
 *   continuous derivative: cubic pieces with the slopes of Akima (1970)
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { ROWS_MAX = 20000, NUMBERS_MAX = 100 * ROWS_MAX, ROWS_WITH_EVENTS = 100 };
enum { LINEAR = 1, AKIMA, CONSTANT };              /* smoothness */
enum { HOLD = 1, LAST_TWO, PERIODIC, NO_OUTSIDE }; /* extrapolation */
enum { TABLE_1D, TABLE_2D, TABLE_TIME };

struct dae_table {
  int kind, rows, columns, *node; /* node: row by row */
  int smoothness, extrapolation;
  const dae_value *picked; /* columns that are interpolated */
  int start, shift;        /* nodes, of a time table */
};

#define PREFIX "ModelicaStandardTables_Combi"

/* constructors: where their arguments stand, -1: there is none */
static const struct maker {
  const char *name;
  int kind, file, matrix, columns, smoothness, extrapolation, start, shift;
} makers[] = {{"Table1D_init", TABLE_1D, 1, 0, 5, 7, -1, -1, -1},
              {"Table1D_init2", TABLE_1D, 0, 1, 5, 7, 8, -1, -1},
              {"Table1D_init3", TABLE_1D, 0, 1, 5, 7, 8, -1, -1},
              {"Table2D_init", TABLE_2D, 1, 0, -1, 5, -1, -1, -1},
              {"Table2D_init2", TABLE_2D, 0, 1, -1, 5, 6, -1, -1},
              {"Table2D_init3", TABLE_2D, 0, 1, -1, 5, 6, -1, -1},
              {"TimeTable_init", TABLE_TIME, 1, 0, 6, 8, 9, 5, 5},
              {"TimeTable_init2", TABLE_TIME, 0, 1, 6, 8, 9, 5, 10},
              {"TimeTable_init3", TABLE_TIME, 0, 1, 6, 8, 9, 5, 10}};

typedef enum question { VALUE, RATE, NEXT_EVENT, FIRST, LAST, READ } question;
static const struct reader {
  const char *name;
  question asks;
  int kind, arguments;
} readers[] = {{"Table1D_getValue", VALUE, TABLE_1D, 3},
               {"Table1D_getDerValue", RATE, TABLE_1D, 4},
               {"Table1D_minimumAbscissa", FIRST, TABLE_1D, 1},
               {"Table1D_maximumAbscissa", LAST, TABLE_1D, 1},
               {"Table1D_read", READ, TABLE_1D, 3},
               {"Table2D_getValue", VALUE, TABLE_2D, 3},
               {"Table2D_read", READ, TABLE_2D, 3},
               {"TimeTable_getValue", VALUE, TABLE_TIME, 5},
               {"TimeTable_getDerValue", RATE, TABLE_TIME, 6},
               {"TimeTable_nextTimeEvent", NEXT_EVENT, TABLE_TIME, 2},
               {"TimeTable_minimumTime", FIRST, TABLE_TIME, 1},
               {"TimeTable_maximumTime", LAST, TABLE_TIME, 1},
               {"TimeTable_read", READ, TABLE_TIME, 3}};

static const struct maker *maker_of(const char *name) {
  size_t n = strlen(PREFIX);
  for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
    if (strncmp(name, PREFIX, n) == 0 && strcmp(name + n, makers[k].name) == 0) return &makers[k];
  return NULL;
}

static const struct reader *reader_of(const char *name) {
  size_t n = strlen(PREFIX);
  for (size_t k = 0; k < sizeof readers / sizeof *readers; k++)
    if (strncmp(name, PREFIX, n) == 0 && strcmp(name + n, readers[k].name) == 0) return &readers[k];
  return NULL;
}

bool dae_model_is_table(const char *c_name) { return maker_of(c_name) || reader_of(c_name); }

static bool fail(dae_model *m, uint32_t place, const char *why) {
  dae_model_error(&m->source, place, "table: %s", why);
  return false;
}

/* ---- files: "double name(rows, columns)", then the numbers; # begins a comment ---- */

/* the next character that is none of a comment */
static int next_char(FILE *f) {
  int c = getc(f);
  if (c == '#')
    while (c != '\n' && c != EOF) c = getc(f);
  return c;
}

/* the beginning of a line, which may be of any length */
static bool next_line(FILE *f, char *line, int size) {
  int n = 0, c = next_char(f);
  if (c == EOF) return false;
  for (; c != '\n' && c != EOF; c = next_char(f))
    if (n < size - 1) line[n++] = (char)c;
  line[n] = '\0';
  return true;
}

/* the next word between blanks and commas; false: there is none, or it is longer than any number */
static bool next_word(FILE *f, char *word, int size) {
  int n = 0, c = next_char(f);
  while (c != EOF && strchr(" \t\r\n,;", c)) c = next_char(f);
  for (; c > 0 && !strchr(" \t\r\n,;", c); c = next_char(f)) {
    if (n == size - 1) return false;
    word[n++] = (char)c;
  }
  word[n] = '\0';
  return n > 0;
}

static bool read_numbers(dae_model *m, FILE *f, dae_value *out) {
  char word[100], *end;
  for (int k = 0; k < out->count; k++) {
    if (!next_word(f, word, sizeof word)) return false;
    double x = strtod(word, &end);
    if (*end || !isfinite(x)) return false;
    out->node[k] = dae_model_const(&m->graph, x);
  }
  return true;
}

static bool read_matrix(dae_model *m, const char *file, const char *name, uint32_t place,
                        dae_value *out) {
  char line[400], kind[8], found[200], text[500];
  int dim[2];
  FILE *f = fopen(file, "r");
  bool ok = false, known = false;
  while (f && !known && next_line(f, line, sizeof line))
    known = sscanf(line, " %7s %199[^( ] ( %d , %d )", kind, found, &dim[0], &dim[1]) == 4 &&
            (strcmp(kind, "double") == 0 || strcmp(kind, "float") == 0) && strcmp(found, name) == 0;
  if (known && dim[0] > 0 && dim[1] > 0 && (double)dim[0] * dim[1] <= NUMBERS_MAX) {
    *out = dae_model_array(m, TYPE_REAL, 2, dim);
    ok = read_numbers(m, f, out);
  }
  snprintf(text, sizeof text, "%s '%.100s' %s '%.200s'%s",
           !f       ? "there is no file for"
           : !known ? "there is no matrix"
                    : "its size does not fit, or something is no number, in the matrix",
           name, f ? "in the file" : "as", file, known || !f ? "" : " (text files only)");
  if (f) fclose(f);
  return ok || fail(m, place, text);
}

/* ---- making a table ---- */

static bool known_number(dae_model *m, const dae_value *v, int *out) {
  if (v->rank || !dae_model_constant(&m->graph, v->node[0])) return false;
  double x = m->graph.node[v->node[0]].value;
  *out = fabs(x) < INT_MAX ? (int)x : -1;
  return true;
}

static bool check_table(dae_model *m, const dae_table *t, uint32_t place) {
  const dae_graph *g = &m->graph;
  int first = t->kind == TABLE_2D;
  if (t->rows < 1 + first || t->columns < 2) return fail(m, place, "it has no values");
  if (t->rows > ROWS_MAX || (double)t->rows * t->columns > NUMBERS_MAX)
    return fail(m, place, "it is too large");
  if (t->smoothness < LINEAR || t->smoothness > CONSTANT ||
      (t->kind == TABLE_2D && t->smoothness != LINEAR))
    return fail(m, place,
                "of the kinds of interpolation LinearSegments, ContinuousDerivative and "
                "ConstantSegments are supported, with two arguments LinearSegments only");
  if (t->extrapolation < HOLD || t->extrapolation > NO_OUTSIDE)
    return fail(m, place, "this kind of extrapolation is not supported");
  for (int k = first + 1; k < t->rows; k++) {
    double a = g->node[t->node[(k - 1) * t->columns]].value,
           b = g->node[t->node[k * t->columns]].value;
    /* a jump has no slope that a smooth curve could have */
    if (!(b > a || (b == a && t->kind == TABLE_TIME && t->smoothness != AKIMA)))
      return fail(m, place, "its first column must increase");
  }
  for (int k = 2; k < t->columns && t->kind == TABLE_2D; k++)
    if (!(g->node[t->node[k]].value > g->node[t->node[k - 1]].value))
      return fail(m, place, "its first row must increase");
  return true;
}

static bool make_table(dae_model *m, const struct maker *how, const dae_value *arg, int count,
                       uint32_t place, dae_value *out) {
  dae_graph *g = &m->graph;
  if (count <= how->smoothness || count <= how->extrapolation || count <= how->shift)
    return fail(m, place, "arguments are missing");
  const char *file = dae_model_string(m, &arg[how->file]),
             *matrix = dae_model_string(m, &arg[how->matrix]);
  dae_value data = arg[2];
  if (!file || !matrix) return fail(m, place, "the names of file and matrix must be known");
  if (file[0] && strcmp(file, "NoName") != 0) {
    if (!read_matrix(m, file, matrix, place, &data)) return false;
  } else if (matrix[0] && strcmp(matrix, "NoName") != 0) {
    return fail(m, place, "tables of the C function usertab are not supported");
  }
  if (data.rank != 2 || data.type > TYPE_INTEGER) return fail(m, place, "a matrix is needed");
  if ((how->start >= 0 && arg[how->start].rank) || (how->shift >= 0 && arg[how->shift].rank))
    return fail(m, place, "start and shift of time are numbers");
  for (int i = 0; i < data.count; i++)
    if (!dae_model_constant(g, data.node[i]))
      return fail(m, place, "its values must be known: numbers and parameters");
  dae_table *t = dae_model_take(&m->built, 1, sizeof *t);
  *t = (dae_table){.kind = how->kind,
                   .rows = data.dim[0],
                   .columns = data.dim[1],
                   .node = data.node,
                   .extrapolation = LAST_TWO,
                   .start = how->start >= 0 ? arg[how->start].node[0] : g->zero,
                   .shift = how->shift >= 0 ? arg[how->shift].node[0] : g->zero};
  if (how->columns >= 0) {
    dae_value *picked = dae_model_take(&m->built, 1, sizeof *picked);
    *picked = arg[how->columns];
    t->picked = picked;
  }
  if (!known_number(m, &arg[how->smoothness], &t->smoothness) ||
      (how->extrapolation >= 0 && !known_number(m, &arg[how->extrapolation], &t->extrapolation)))
    return fail(m, place, "the kind of interpolation must be known");
  if (!check_table(m, t, place)) return false;
  dae_flat *f = &m->flat;
  f->table =
      dae_model_grow(&m->built, f->table, &f->table_capacity, f->tables + 1, sizeof *f->table);
  f->table[f->tables++] = t;
  *out = dae_model_scalar(m, TYPE_INTEGER, dae_model_const(g, f->tables));
  return true;
}

/* ---- looking up ---- */

/* one column over the first one, or over the first row: u_k, y_k, k = 0 .. n - 1 */
typedef struct curve {
  dae_graph *g;
  int n, *u, *y, *slope; /* slope: at the points, of Akima */
  int smoothness, relation;
  int at, rate; /* where it is looked up; rate: that of `at`, where the rate is asked for, or -1 */
} curve;

static int sub(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_SUB, a, b); }
static int add(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_ADD, a, b); }
static int mul(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_MUL, a, b); }
static int over(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_DIV, a, b); }

static int chord(const curve *c, int k) {
  return over(c->g, sub(c->g, c->y[k + 1], c->y[k]), sub(c->g, c->u[k + 1], c->u[k]));
}

/* y + v (s + v (a + v b)), v = u - u_k, and its rate (s + v (2 a + 3 v b)) u' */
static int cubic(const curve *c, int k) {
  dae_graph *g = c->g;
  int h = sub(g, c->u[k + 1], c->u[k]), d = chord(c, k), s = c->slope[k], e = c->slope[k + 1];
  int two = dae_model_const(g, 2), three = dae_model_const(g, 3);
  int a = over(g, sub(g, sub(g, mul(g, three, d), mul(g, two, s)), e), h);
  int b = over(g, sub(g, add(g, s, e), mul(g, two, d)), mul(g, h, h));
  int v = sub(g, c->at, c->u[k]);
  if (c->rate >= 0) {
    int inner = add(g, mul(g, two, a), mul(g, v, mul(g, three, b)));
    return mul(g, c->rate, add(g, s, mul(g, v, inner)));
  }
  return add(g, c->y[k], mul(g, v, add(g, s, mul(g, v, add(g, a, mul(g, v, b))))));
}

/* the straight line through point k with this slope */
static int line(const curve *c, int k, int slope) {
  if (c->rate >= 0) return mul(c->g, c->rate, slope);
  return add(c->g, c->y[k], mul(c->g, slope, sub(c->g, c->at, c->u[k])));
}

static int piece(const curve *c, int k) {
  bool jump = c->g->node[c->u[k]].value == c->g->node[c->u[k + 1]].value;
  if (c->smoothness == CONSTANT || jump) return c->rate >= 0 ? c->g->zero : c->y[k];
  return c->smoothness == AKIMA ? cubic(c, k) : line(c, k, chord(c, k));
}

static int tree(const curve *c, int first, int last) {
  if (first == last) return piece(c, first);
  int middle = first + (last - first) / 2;
  int before = dae_model_node(c->g, OP_LT, c->at, c->u[middle + 1], c->relation);
  return dae_model_node(c->g, OP_IF, before, tree(c, first, middle), tree(c, middle + 1, last));
}

/* slopes of Akima: two chords more on either side, weights by how much chords differ */
static void find_slopes(dae_model *m, curve *c) {
  dae_graph *g = c->g;
  int n = c->n, *d = dae_model_ints(&m->built, n + 4);
  c->slope = dae_model_ints(&m->built, n);
  for (int k = 0; k + 1 < n; k++) d[k + 2] = chord(c, k);
  int two = dae_model_const(g, 2), half = dae_model_const(g, 0.5);
  if (n == 2) d[3] = d[2];
  d[1] = sub(g, mul(g, two, d[2]), d[3]);
  d[0] = sub(g, mul(g, two, d[1]), d[2]);
  d[n + 1] = sub(g, mul(g, two, d[n]), d[n - 1 < 2 ? 2 : n - 1]);
  d[n + 2] = sub(g, mul(g, two, d[n + 1]), d[n]);
  for (int k = 0; k < n; k++) {
    int left = dae_model_op1(g, OP_ABS, sub(g, d[k + 1], d[k])),
        right = dae_model_op1(g, OP_ABS, sub(g, d[k + 3], d[k + 2])), sum = add(g, left, right);
    int flat = mul(g, half, add(g, d[k + 1], d[k + 2]));
    if (dae_model_constant(g, sum) && g->node[sum].value == 0) c->slope[k] = flat;
    else c->slope[k] = over(g, add(g, mul(g, right, d[k + 1]), mul(g, left, d[k + 2])), sum);
  }
}

/* the curve with what holds outside of it */
static int look_up(dae_model *m, const dae_table *t, curve *c, uint32_t place, dae_scope *scope) {
  dae_graph *g = c->g;
  int n = c->n, first = c->u[0], last = c->u[n - 1];
  if (n == 1) return c->rate >= 0 ? g->zero : c->y[0];
  if (t->extrapolation == PERIODIC) {
    int length = sub(g, last, first);
    int turns = dae_model_op1(g, OP_FLOOR, over(g, sub(g, c->at, first), length));
    c->at = sub(g, c->at, mul(g, turns, length));
  }
  if (c->smoothness == AKIMA) find_slopes(m, c);
  int inside = tree(c, 0, n - 2);
  if (t->extrapolation == PERIODIC) return inside;
  int before = dae_model_node(g, OP_LT, c->at, first, c->relation),
      behind = dae_model_node(g, OP_GE, c->at, last, c->relation);
  if (t->extrapolation == NO_OUTSIDE) {
    int beyond = dae_model_node(g, OP_GT, c->at, last, c->relation);
    int good = dae_model_op1(g, OP_NOT, dae_model_op2(g, OP_OR, before, beyond));
    if (!dae_model_require(m, good, "a table is left, which has no values outside", place, scope))
      return -1;
  }
  bool holds = t->extrapolation != LAST_TWO;
  int below = holds ? (c->rate >= 0 ? g->zero : c->y[0])
                    : line(c, 0, c->smoothness == AKIMA ? c->slope[0] : chord(c, 0));
  int above = holds ? (c->rate >= 0 ? g->zero : c->y[n - 1])
                    : line(c, n - 1, c->smoothness == AKIMA ? c->slope[n - 1] : chord(c, n - 2));
  /* linear pieces go on by themselves */
  if (!holds && c->smoothness == LINEAR) return inside;
  inside = dae_model_node(g, OP_IF, behind, above, inside);
  return dae_model_node(g, OP_IF, before, below, inside);
}

static curve new_curve(dae_model *m, const dae_table *t, int n, int at, const dae_scope *scope) {
  curve c = {.g = &m->graph, .n = n, .smoothness = t->smoothness, .at = at, .rate = -1};
  bool quiet = scope->no_event || (n > ROWS_WITH_EVENTS && t->smoothness != CONSTANT);
  c.relation = quiet ? RELATION_NO_EVENT : -1;
  c.u = dae_model_ints(&m->built, n);
  c.y = dae_model_ints(&m->built, n);
  return c;
}

/* the column that the i-th output is, from 0 on */
static bool column_of(dae_model *m, const dae_table *t, const dae_value *which, int *column) {
  int i, k;
  if (!known_number(m, which, &i) || i < 1 || i > t->picked->count) return false;
  dae_value one = dae_model_element(m, t->picked, i - 1);
  if (!known_number(m, &one, &k) || k < 1 || k > t->columns) return false;
  *column = k - 1;
  return true;
}

static int look_up_1d(dae_model *m, const dae_table *t, int column, int at, int rate,
                      uint32_t place, dae_scope *scope) {
  curve c = new_curve(m, t, t->rows, at, scope);
  c.rate = rate;
  for (int k = 0; k < t->rows; k++) {
    c.u[k] = t->node[k * t->columns];
    c.y[k] = t->node[k * t->columns + column];
  }
  return look_up(m, t, &c, place, scope);
}

/* linear in both arguments: rows are looked up by u2, and what they give by u1 */
static int look_up_2d(dae_model *m, const dae_table *t, int u1, int u2, uint32_t place,
                      dae_scope *scope) {
  curve c = new_curve(m, t, t->rows - 1, u1, scope);
  for (int i = 1; i < t->rows; i++) {
    curve row = new_curve(m, t, t->columns - 1, u2, scope);
    for (int k = 1; k < t->columns; k++) {
      row.u[k - 1] = t->node[k];
      row.y[k - 1] = t->node[i * t->columns + k];
    }
    c.u[i - 1] = t->node[i * t->columns];
    c.y[i - 1] = look_up(m, t, &row, place, scope);
    if (c.y[i - 1] < 0) return -1;
  }
  return look_up(m, t, &c, place, scope);
}

/* the first point of a time table behind this time: when something changes next */
static int next_event(dae_model *m, const dae_table *t, int time) {
  static const double never = 1e300;
  dae_graph *g = &m->graph;
  /* an event at a point is located to rounding, which a time of years has more of */
  int room = add(g, dae_model_const(g, 1e-10),
                 mul(g, dae_model_const(g, 1e-14), dae_model_op1(g, OP_ABS, time)));
  int later = add(g, time, room);
  int next = dae_model_const(g, never);
  if (t->extrapolation == PERIODIC) return next; /* the pieces themselves have events */
  for (int k = t->rows - 1; k >= 0; k--) {
    int point = add(g, t->node[k * t->columns], t->shift);
    int before = dae_model_node(g, OP_LT, later, point, RELATION_NO_EVENT);
    next = dae_model_node(g, OP_IF, before, point, next);
  }
  return next;
}

static int answer(dae_model *m, const struct reader *r, const dae_table *t, const dae_value *arg,
                  uint32_t place, dae_scope *scope) {
  dae_graph *g = &m->graph;
  int column = 0;
  if (r->asks == READ) return g->one;
  if (r->asks == FIRST) return t->node[0];
  if (r->asks == LAST) return t->node[(t->rows - 1) * t->columns];
  if (r->asks == NEXT_EVENT) return next_event(m, t, arg[1].node[0]);
  if (t->kind == TABLE_2D) return look_up_2d(m, t, arg[1].node[0], arg[2].node[0], place, scope);
  if (!column_of(m, t, &arg[1], &column)) return fail(m, place, "there is no such column") ? 0 : -1;
  int at = arg[2].node[0], rate = r->asks == RATE ? arg[r->arguments - 1].node[0] : -1;
  if (t->kind == TABLE_1D) return look_up_1d(m, t, column, at, rate, place, scope);
  int value = look_up_1d(m, t, column, sub(g, at, t->shift), rate, place, scope);
  if (value < 0) return -1;
  return dae_model_node(g, OP_IF, dae_model_op2(g, OP_LT, at, t->start), g->zero, value);
}

bool dae_model_call_table(dae_model *m, const char *c_name, const dae_value *arg, int count,
                          uint32_t place, dae_scope *scope, dae_value *out) {
  const struct maker *how = maker_of(c_name);
  if (how) return make_table(m, how, arg, count, place, out);
  const struct reader *r = reader_of(c_name);
  int number = 0;
  if (count < r->arguments || !known_number(m, &arg[0], &number) || number < 1 ||
      number > m->flat.tables || m->flat.table[number - 1]->kind != r->kind)
    return fail(m, place, "this is no table, or arguments are missing");
  for (int k = 1; k < count; k++)
    if (arg[k].rank || arg[k].type > TYPE_BOOLEAN) return fail(m, place, "a number is needed here");
  int node = answer(m, r, m->flat.table[number - 1], arg, place, scope);
  if (node < 0) return false;
  *out = dae_model_scalar(m, TYPE_REAL, node);
  return true;
}
