/*
 * More constraints than coordinates, as every spatial loop has them: too many equations for their
 * variables, but some follow from the others on the constraints themselves. A point that satisfies
 * all of them is looked for near the start values; the rows of the Jacobian there tell which are
 * dependent. Each of those is given a multiplier that nothing else determines, by an entry of the
 * signature that its offset makes leading.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"
#include "problem/solve.h"

enum { MOST = 400 }; /* equations that compete */

typedef struct contest {
  dae_model *m;
  dae_structure *s;
  int rows, *row;  /* equations that compete for too few variables */
  int cols, *leaf; /* what they hold: VAR nodes */
  double *x;       /* their values */
  dae_function *r;
  dae_function *J;
  dae_node_matrix matrix;
  double *entry;
} contest;

/* rows that are reached from rows without a partner along alternating paths */
static void find_rows(contest *c) {
  const dae_structure *s = c->s;
  int *seen = dae_model_ints(&c->m->built, s->s.rows);
  c->row = dae_model_ints(&c->m->built, s->s.rows);
  for (int i = 0; i < s->s.rows; i++)
    if (s->row_match[i] < 0) c->row[c->rows++] = i, seen[i] = 1;
  for (int at = 0; at < c->rows; at++)
    for (int e = s->s.start[c->row[at]]; e < s->s.start[c->row[at] + 1]; e++) {
      int k = s->col_match[s->s.column[e]];
      if (k >= 0 && !seen[k]) c->row[c->rows++] = k, seen[k] = 1;
    }
}

static int leaf_column(void *ctx, const dae_node *leaf) {
  const contest *c = ctx;
  const dae_graph *g = &c->m->graph;
  if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) return -1;
  for (int k = 0; k < c->cols; k++) {
    const dae_node *n = &g->node[c->leaf[k]];
    if (n->a == leaf->a && n->b == leaf->b) return k;
  }
  return -1;
}

static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_node leaf = {.op = OP_VAR, .a = variable, .b = order, .c = when};
  *bank = 0;
  *index = leaf_column(ctx, &leaf);
  return *index >= 0;
}

/* start value of x or of a name of +-x^(k); *known: is there one? */
static double start_of(const contest *c, int leaf, bool *known) {
  const dae_graph *g = &c->m->graph;
  const dae_structure *s = c->s;
  *known = true;
  for (int i = 0; i < c->m->flat.variables; i++) {
    const dae_variable *v = &c->m->flat.variable[i];
    const dae_node *n = &g->node[s->value[i]];
    if (!v->has_start) continue;
    if (s->value[i] == leaf) return v->start;
    if (n->op == OP_NEG && n->a == leaf) return -v->start;
  }
  *known = false;
  return 0;
}

static int run(const contest *c, const dae_function *f, double *out) {
  const double *const bank[DAE_BANKS] = {c->x, NULL, NULL, NULL};
  return dae_model_run(f, c->m->flat.start_time, bank, out);
}

static int value(void *ctx, const double *x, double *r) {
  contest *c = ctx;
  memmove(c->x, x, (size_t)c->cols * sizeof *x);
  return run(c, c->r, r);
}

static int matrix(void *ctx, const double *x, double *J, double *size) {
  contest *c = ctx;
  memmove(c->x, x, (size_t)c->cols * sizeof *x);
  if (run(c, c->J, c->entry)) return 1;
  for (int i = 0; i < c->rows; i++) {
    size[i] = 0;
    for (int e = c->matrix.start[i]; e < c->matrix.start[i + 1]; e++) {
      J[i * c->cols + c->matrix.column[e]] = c->entry[e];
      size[i] += fabs(c->entry[e] * x[c->matrix.column[e]]);
    }
  }
  return 0;
}

/* the unknowns, the functions, and a guess */
static void prepare(contest *c, dae_code *code, double *scale) {
  dae_arena *arena = &c->m->built;
  int *node = dae_model_ints(arena, c->rows);
  for (int i = 0; i < c->rows; i++) node[i] = c->s->residual[c->row[i]];
  c->matrix = dae_model_jacobian(c->m, node, c->rows, c->cols, leaf_column, c);
  int entries = c->matrix.start[c->rows];
  c->r = dae_model_function(code, "", node, c->rows);
  c->J = dae_model_function(code, "", c->matrix.node, entries);
  c->entry = dae_model_take(arena, (size_t)entries + 1, sizeof(double));
  for (int k = 0; k < c->cols; k++) {
    bool known;
    c->x[k] = start_of(c, c->leaf[k], &known);
    scale[k] = known ? fabs(c->x[k]) : 0;
  }
}

static void find_leaves(contest *c) {
  dae_graph *g = &c->m->graph;
  dae_set below = {0};
  int *node = dae_model_ints(&c->m->built, c->rows);
  for (int i = 0; i < c->rows; i++) node[i] = c->s->residual[c->row[i]];
  dae_model_reach(g, node, c->rows, &below);
  c->leaf = dae_model_ints(&c->m->built, below.count);
  for (int k = 0; k < below.count; k++)
    if (g->node[below.node[k]].op == OP_VAR) c->leaf[c->cols++] = below.node[k];
  dae_model_set_free(g, &below);
}

/* rows in the order in which they are independent at the point; returns their rank */
static int order_rows(contest *c, int *perm) {
  dae_arena *arena = &c->m->built;
  size_t m = (size_t)c->rows, n = (size_t)c->cols;
  double *A = dae_model_take(arena, m * n + 1, sizeof(double)),
         *size = dae_model_take(arena, m + 1, sizeof(double)),
         *tau = dae_model_take(arena, m + n, sizeof(double)),
         *work = dae_model_take(arena, 3 * (m + n), sizeof(double));
  if (matrix(c, c->x, A, size)) return -1;
  for (int i = 0; i < c->rows; i++) {
    double most = dae_la_norm_max(c->cols, A + i * c->cols);
    for (int j = 0; j < c->cols && most > 0; j++) A[i * c->cols + j] /= most;
  }
  return dae_la_qr_rank(c->rows, c->cols, A, 1e-8, perm, tau, work);
}

/* ---- the signature without the dependent rows, and with what replaces them ---- */

static bool augment(const dae_signature *s, int i, int *owner, int *seen) {
  for (int e = s->start[i]; e < s->start[i + 1]; e++) {
    int j = s->column[e];
    if (seen[j]) continue;
    seen[j] = 1;
    if (owner[j] < 0 || augment(s, owner[j], owner, seen)) {
      owner[j] = i;
      return true;
    }
  }
  return false;
}

/* rows that find no column any more when the independent ones come first */
static int find_dependent(contest *c, const int *perm, unsigned char *dependent) {
  const dae_signature *s = &c->s->s;
  dae_arena *arena = &c->m->built;
  int count = 0, *owner = dae_model_ints(arena, s->cols), *seen = dae_model_ints(arena, s->cols);
  unsigned char *late = dae_model_take(arena, (size_t)s->rows + 1, 1);
  for (int j = 0; j < s->cols; j++) owner[j] = -1;
  for (int k = 0; k < c->rows; k++) late[c->row[k]] = 1;
  for (int k = -s->rows; k < c->rows; k++) {
    int i = k < 0 ? k + s->rows : c->row[perm[k]];
    if (k < 0 && late[i]) continue;
    memset(seen, 0, (size_t)s->cols * sizeof *seen);
    if (augment(s, i, owner, seen)) continue;
    dependent[i] = 1;
    count++;
  }
  return count;
}

/* offsets of the other rows tell how often a dependent one is differentiated: -c_i is its entry */
static void complete(contest *c, const unsigned char *dependent) {
  dae_structure *st = c->s;
  dae_signature *s = &st->s, less = {.rows = 0, .cols = s->cols};
  dae_arena *arena = &c->m->built;
  int n = s->rows, entries = s->start[n], *row = dae_model_ints(arena, n + 1),
      *row_match = dae_model_ints(arena, n + 1), *col_match = dae_model_ints(arena, n + 1),
      *offset = dae_model_ints(arena, n + 1), *d = dae_model_ints(arena, n + 1), count = 0;
  less.start = dae_model_ints(arena, n + 1);
  less.column = dae_model_ints(arena, entries), less.sigma = dae_model_ints(arena, entries);
  for (int i = 0; i < n; i++) {
    if (dependent[i]) continue;
    row[less.rows] = i;
    for (int e = s->start[i]; e < s->start[i + 1]; e++, count++)
      less.column[count] = s->column[e], less.sigma[count] = s->sigma[e];
    less.start[++less.rows] = count;
  }
  dae_model_transversal(arena, &less, row_match, col_match);
  dae_model_offsets(arena, &less, row_match, col_match, NULL, NULL, offset, d);
  int *start = dae_model_ints(arena, n + 1), *column = dae_model_ints(arena, entries + n),
      *sigma = dae_model_ints(arena, entries + n), free = 0;
  count = 0;
  for (int i = 0; i < n; i++) {
    int level = 0;
    for (int e = s->start[i]; e < s->start[i + 1]; e++, count++) {
      column[count] = s->column[e], sigma[count] = s->sigma[e];
      if (d[s->column[e]] - s->sigma[e] > level) level = d[s->column[e]] - s->sigma[e];
    }
    if (dependent[i]) {
      while (free < s->cols - 1 && col_match[free] >= 0) free++;
      column[count] = free++;
      sigma[count++] = -level;
    }
    start[i + 1] = count;
  }
  s->start = start, s->column = column, s->sigma = sigma;
  dae_model_signature_columns(arena, s);
}

static const char *lines_of(const contest *c, const unsigned char *dependent) {
  enum { SHOWN = 6 };
  dae_text text = {.arena = &c->m->built};
  int shown = 0;
  for (int i = 0; i < c->s->s.rows; i++) {
    int line, column;
    if (!dependent[i]) continue;
    dae_model_locate(&c->m->source, c->s->place[i], &line, &column);
    if (shown++ < SHOWN) dae_model_text_add(&text, "%s%d", shown > 1 ? ", " : "", line);
  }
  if (shown > SHOWN) dae_model_text_add(&text, " and %d more", shown - SHOWN);
  return text.data;
}

/* no point satisfies all of them: which one is off */
static dae_text contradiction(contest *c, const dae_solved *solved) {
  dae_text text = {.arena = &c->m->built};
  dae_namer namer = dae_model_namer(c->m);
  dae_model_text_add(&text, "  no values near the start satisfy all of them: 0 = ");
  dae_model_print(&c->m->graph, c->s->residual[c->row[solved->row]], &namer, &text);
  dae_model_text_add(&text, " is off by %.3g (%.2g of its terms)\n", solved->residual,
                     solved->relative);
  return text;
}

bool dae_model_redundant(dae_model *m, dae_structure *s, dae_text *why) {
  contest c = {.m = m, .s = s};
  dae_arena *arena = &m->built;
  if (s->s.rows != s->s.cols) return false;
  find_rows(&c);
  find_leaves(&c);
  if (c.rows > MOST || c.cols > 2 * MOST || c.cols == 0) return false;
  double *scale = dae_model_take(arena, (size_t)c.cols + 1, sizeof(double)),
         *x = dae_model_take(arena, (size_t)c.cols + 1, sizeof(double)),
         *work = dae_model_take(arena, dae_problem_solve_room(c.rows, c.cols) + 1, sizeof(double));
  int *perm = dae_model_ints(arena, c.rows);
  unsigned char *dependent = dae_model_take(arena, (size_t)s->s.rows + 1, 1);
  c.x = dae_model_take(arena, (size_t)c.cols + 1, sizeof(double));
  dae_code code;
  dae_model_code_init(&code, &m->graph, arena, locate, &c);
  prepare(&c, &code, scale);
  const dae_equations e = {
      .rows = c.rows, .cols = c.cols, .ctx = &c, .value = value, .matrix = matrix, .scale = scale};
  memcpy(x, c.x, (size_t)c.cols * sizeof *x);
  dae_solved solved = {.ok = false};
  if (c.r && c.J) solved = dae_problem_solve(&e, DAE_EFFORT_QUICK, x, work);
  memcpy(c.x, x, (size_t)c.cols * sizeof *x);
  int rank = solved.ok ? order_rows(&c, perm) : -1, most = 0;
  for (int i = 0; i < c.rows; i++) most += s->row_match[c.row[i]] >= 0;
  dae_model_code_free(&code);
  if (!solved.ok && isfinite(solved.relative)) *why = contradiction(&c, &solved);
  if (rank < 0 || rank > most) return false;
  if (find_dependent(&c, perm, dependent) != c.rows - most) return false;
  complete(&c, dependent);
  s->dependent = dependent;
  s->redundant = lines_of(&c, dependent);
  for (int i = 0; i < s->s.rows; i++)
    if (dependent[i]) s->redundant_place = s->place[i];
  dae_model_warn(&m->source, s->redundant_place,
                 "the constraints of line %s follow from the others: they are kept, but the "
                 "multipliers are not unique, and those of least norm are used",
                 s->redundant);
  return true;
}
