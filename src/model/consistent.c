/*
 * Start values that satisfy all constraints and initial conditions, level by level: what is known
 * of x_j^(d_j - 3) comes before x_j^(d_j - 2), that before x_j^(d_j - 1) (Pryce 2001, section 3).
 * Equations that share no unknown are solved apart. What has no start value moves first, then
 * algebraic variables, then differential ones; what is fixed never does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan.h"
#include "problem/solve.h"

enum {
  MOST_ROWS = 500, /* equations that are solved together, dense */
  CLASSES = 3,     /* no start value, algebraic, differential */
  NOT_FREE = 3     /* fixed */
};

typedef struct rows {
  dae_model *m;
  dae_plan *p;
  int count, *node, *level;
  dae_node_matrix J; /* in z */
  int *z_level;
  unsigned char *z_class;
  double *z_scale;
  int *part, *z_part; /* number of the component of each row and of each entry of z, -1 */
} rows;

/* one component, solved for some entries of z */
typedef struct component {
  rows *all;
  int rows, cols, *row, *col, *place; /* place: entry of z -> column, -1 */
  dae_function *r, *J, *terms;
  int *first_term;
  double *entry, *term;
} component;

static int z_column(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) return -1;
  return dae_model_z_index(p, p->model->structure->kept_of[leaf->a], leaf->b);
}

static bool z_locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  *bank = 0;
  *index =
      when == WHEN_NOW ? dae_model_z_index(p, p->model->structure->kept_of[variable], order) : -1;
  return *index >= 0;
}

/* level k - d_j, class and typical size of each entry x_j^(k) of z */
static void describe(rows *x) {
  const dae_plan *p = x->p;
  const dae_structure *s = x->m->structure;
  for (int j = 0; j < s->vars; j++) {
    int entries = p->route == ROUTE_ODE ? p->d[j] : p->x_of[j] >= 0 ? p->order : 0;
    for (int k = 0; k < entries; k++) {
      int z = dae_model_z_index(p, j, k), from = p->start_of[z];
      const dae_variable *v = &x->m->flat.variable[from >= 0 ? from : s->var[j]];
      bool named = from >= 0 || k == 0;
      x->z_level[z] = k - entries;
      x->z_class[z] = p->fixed[z] ? NOT_FREE : from < 0 ? 0 : k < s->d[j] ? 2 : 1;
      x->z_scale[z] = named && v->nominal != 1 ? fabs(v->nominal) : fabs(p->z0[z]);
    }
  }
}

/* ---- one component ---- */

static int run(const component *c, const dae_function *f, double *out) {
  const double *const bank[DAE_BANKS] = {c->all->p->z0, NULL, NULL, NULL};
  return dae_model_run(f, c->all->p->problem.t0, bank, out);
}

static void put(const component *c, const double *x) {
  for (int k = 0; k < c->cols; k++) c->all->p->z0[c->col[k]] = x[k];
}

static int value(void *ctx, const double *x, double *r) {
  const component *c = ctx;
  put(c, x);
  return run(c, c->r, r);
}

/* terms of a sum, and what each entry of z adds to it to first order */
static int matrix(void *ctx, const double *x, double *J, double *size) {
  const component *c = ctx;
  const dae_node_matrix *a = &c->all->J;
  put(c, x);
  if (run(c, c->J, c->entry) || run(c, c->terms, c->term)) return 1;
  for (int i = 0, e = 0; i < c->rows; i++) {
    size[i] = dae_la_norm_max(c->first_term[i + 1] - c->first_term[i], c->term + c->first_term[i]);
    for (int k = a->start[c->row[i]]; k < a->start[c->row[i] + 1]; k++, e++) {
      int z = a->column[k], col = c->place[z];
      if (col >= 0) J[i * c->cols + col] = c->entry[e];
      size[i] = fmax(size[i], fabs(c->entry[e] * c->all->p->z0[z]));
    }
  }
  return 0;
}

/* the summands of each row */
static void list_terms(component *c, dae_code *code) {
  dae_model *m = c->all->m;
  const dae_graph *g = &m->graph;
  int count = 0, capacity = 0, open = 0, *term = NULL, *stack = NULL;
  c->first_term = dae_model_ints(&m->built, c->rows + 1);
  for (int i = 0, top = 0; i < c->rows; i++) {
    stack = dae_model_grow(&m->built, stack, &open, 1, sizeof(int));
    stack[top++] = c->all->node[c->row[i]];
    while (top) {
      const dae_node *n = &g->node[stack[--top]];
      if (n->op == OP_ADD || n->op == OP_SUB || n->op == OP_NEG) {
        stack = dae_model_grow(&m->built, stack, &open, top + 2, sizeof(int));
        stack[top++] = n->a;
        if (n->op != OP_NEG) stack[top++] = n->b;
        continue;
      }
      term = dae_model_grow(&m->built, term, &capacity, count + 1, sizeof(int));
      term[count++] = (int)(n - g->node);
    }
    c->first_term[i + 1] = count;
  }
  c->terms = dae_model_function(code, "", term, count);
  c->term = dae_model_take(&m->built, (size_t)count + 1, sizeof(double));
}

static void make_functions(component *c, dae_code *code) {
  rows *x = c->all;
  int entries = 0, *node = dae_model_ints(&x->m->built, c->rows), *entry;
  for (int i = 0; i < c->rows; i++) {
    node[i] = x->node[c->row[i]];
    entries += x->J.start[c->row[i] + 1] - x->J.start[c->row[i]];
  }
  entry = dae_model_ints(&x->m->built, entries);
  for (int i = 0, e = 0; i < c->rows; i++)
    for (int k = x->J.start[c->row[i]]; k < x->J.start[c->row[i] + 1]; k++)
      entry[e++] = x->J.node[k];
  c->r = dae_model_function(code, "", node, c->rows);
  c->J = dae_model_function(code, "", entry, entries);
  c->entry = dae_model_take(&x->m->built, (size_t)entries + 1, sizeof(double));
  list_terms(c, code);
}

/* rows and columns that are matched, and the search for a column of its own for one more row */
typedef struct matching {
  int *owner, *mate; /* row of a column, column of a row, -1 */
  int *from;         /* the row that a column was reached from in this search, -1 */
  int *queue;
} matching;

/* along alternating paths, the shortest first */
static bool match(const component *c, int row, const matching *m) {
  const dae_node_matrix *a = &c->all->J;
  for (int k = 0; k < c->cols; k++) m->from[k] = -1;
  m->queue[0] = row;
  for (int head = 0, tail = 1; head < tail; head++) {
    int i = m->queue[head];
    for (int k = a->start[c->row[i]]; k < a->start[c->row[i] + 1]; k++) {
      int col = c->place[a->column[k]];
      if (col < 0 || m->from[col] >= 0) continue;
      m->from[col] = i;
      if (m->owner[col] >= 0) {
        m->queue[tail++] = m->owner[col];
        continue;
      }
      /* back along the path: each row takes the column that it was left for */
      for (int next; col >= 0; col = next) {
        int r = m->from[col];
        next = m->mate[r];
        m->owner[col] = r;
        m->mate[r] = col;
      }
      return true;
    }
  }
  return false;
}

/* as many rows as have columns of their own; how many have none */
static int match_all(const component *c, matching *m) {
  dae_arena *arena = &c->all->m->built;
  int left = 0;
  *m = (matching){.owner = dae_model_ints(arena, c->cols),
                  .mate = dae_model_ints(arena, c->rows),
                  .from = dae_model_ints(arena, c->cols),
                  .queue = dae_model_ints(arena, c->rows + 1)};
  for (int k = 0; k < c->cols; k++) m->owner[k] = -1;
  for (int i = 0; i < c->rows; i++) m->mate[i] = -1;
  for (int i = 0; i < c->rows; i++) left += !match(c, i, m);
  return left;
}

/* could the columns satisfy all rows, by their pattern? */
static bool enough_columns(const component *c) {
  matching m;
  return c->cols >= c->rows && match_all(c, &m) == 0;
}

/* the entries of z up to this class become the columns */
static int choose_columns(component *c, const int *entry, int entries, int class) {
  c->cols = 0;
  for (int k = 0; k < entries; k++) {
    bool in = c->all->z_class[entry[k]] <= class;
    c->place[entry[k]] = in ? c->cols : -1;
    if (in) c->col[c->cols++] = entry[k];
  }
  return c->cols;
}

/* x and its sizes; the columns change to the solution, or stay */
static dae_solved solve_for(component *c, dae_effort effort) {
  dae_arena *arena = &c->all->m->built;
  int none = 0, room = (int)dae_problem_solve_room(c->rows, c->cols);
  double *x = dae_model_grow(arena, NULL, &none, 2 * c->cols + room + 1, sizeof(double)),
         *scale = x + c->cols, *work = scale + c->cols;
  for (int k = 0; k < c->cols; k++)
    x[k] = c->all->p->z0[c->col[k]], scale[k] = c->all->z_scale[c->col[k]];
  const dae_equations e = {
      .rows = c->rows, .cols = c->cols, .ctx = c, .value = value, .matrix = matrix, .scale = scale};
  dae_solved solved = dae_problem_solve(&e, effort, x, work);
  put(c, x);
  dae_base_give(&arena->pool, x);
  return solved;
}

/* a solution beside a guess that said nothing, one of many: no start value tells which */
static bool arbitrary(const component *c, const dae_solved *s) {
  return s->ok && s->elsewhere && s->rank < c->cols;
}

/* ---- a better guess: rows with one unknown, one after the other ---- */

typedef struct single {
  component *c;
  int row, z;
  double *r; /* of all rows */
} single;

static int single_value(void *ctx, const double *x, double *r) {
  const single *s = ctx;
  s->c->all->p->z0[s->z] = *x;
  if (run(s->c, s->c->r, s->r)) return 1;
  *r = s->r[s->row];
  return 0;
}

static int single_matrix(void *ctx, const double *x, double *J, double *size) {
  const single *s = ctx;
  const component *c = s->c;
  const dae_node_matrix *a = &c->all->J;
  c->all->p->z0[s->z] = *x;
  if (run(c, c->J, c->entry) || run(c, c->terms, c->term)) return 1;
  int e = 0, first = c->first_term[s->row];
  for (int i = 0; i < s->row; i++) e += a->start[c->row[i] + 1] - a->start[c->row[i]];
  *size = dae_la_norm_max(c->first_term[s->row + 1] - first, c->term + first);
  for (int k = a->start[c->row[s->row]]; k < a->start[c->row[s->row] + 1]; k++, e++) {
    if (a->column[k] == s->z) *J = c->entry[e];
    *size = fmax(*size, fabs(c->entry[e] * c->all->p->z0[a->column[k]]));
  }
  return 0;
}

/* the only column of row i that is still open, -1 when there is none or more than one */
static int only_open(const component *c, int i, const unsigned char *known) {
  const dae_node_matrix *a = &c->all->J;
  int found = -1;
  for (int k = a->start[c->row[i]]; k < a->start[c->row[i] + 1]; k++) {
    int z = a->column[k];
    if (c->place[z] < 0 || known[c->place[z]]) continue;
    if (found >= 0) return -1;
    found = z;
  }
  return found;
}

/* what follows from a row by itself is known for the next; a row that says nothing at the guess is
   left to the others */
static void guess_singles(component *c) {
  dae_arena *arena = &c->all->m->built;
  unsigned char *known = dae_model_take(arena, (size_t)c->cols + 1, 1),
                *done = dae_model_take(arena, (size_t)c->rows + 1, 1);
  double *work = dae_model_take(arena, dae_problem_solve_room(1, 1), sizeof(double)),
         *r = dae_model_take(arena, (size_t)c->rows + 1, sizeof(double));
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < c->rows; i++) {
      int z = done[i] ? -1 : only_open(c, i, known);
      if (z < 0) continue;
      single s = {c, i, z, r};
      double x = c->all->p->z0[z], guess = x;
      const dae_equations e = {.rows = 1,
                               .cols = 1,
                               .ctx = &s,
                               .value = single_value,
                               .matrix = single_matrix,
                               .scale = &c->all->z_scale[z]};
      done[i] = 1;
      bool ok = dae_problem_solve(&e, DAE_EFFORT_QUICK, &x, work).ok;
      c->all->p->z0[z] = ok ? x : guess;
      if (ok) known[c->place[z]] = again = 1;
    }
  }
}

/* the first class of unknowns that suffices */
static dae_solved solve_component(component *c, const int *entry, int entries, int last_class) {
  dae_solved solved = {.ok = false};
  bool full = false;
  if (choose_columns(c, entry, entries, 0)) guess_singles(c);
  for (int class = 0, before = -1; class <= last_class; class ++) {
    if (choose_columns(c, entry, entries, class) == before) continue;
    before = c->cols;
    full = enough_columns(c);
    solved = solve_for(c, full ? DAE_EFFORT_FULL : DAE_EFFORT_QUICK);
    if (solved.ok) return solved;
  }
  if (!full && last_class == CLASSES - 1) solved = solve_for(c, DAE_EFFORT_FULL);
  return solved;
}

/* ---- all components of one pass ---- */

/* what a pass left: the first component without a solution, in words */
typedef struct outcome {
  dae_text failure;
  int failures;
} outcome;

static void list_names(dae_text *out, const component *c, bool missing) {
  enum { SHOWN = 6 };
  int shown = 0;
  for (int k = 0; k < c->cols; k++) {
    bool none = c->all->z_class[c->col[k]] == 0;
    if (missing && !none) continue;
    const char *name = c->all->p->z_name[c->col[k]];
    if (shown < SHOWN) dae_model_text_add(out, "%s%.80s", shown ? ", " : "", name);
    shown++;
  }
  if (shown > SHOWN) dae_model_text_add(out, " and %d more", shown - SHOWN);
}

static bool any_missing(const component *c) {
  for (int k = 0; k < c->cols; k++)
    if (c->all->z_class[c->col[k]] == 0) return true;
  return false;
}

/* why there is no start here */
static void explain(component *c, const dae_solved *s, outcome *out) {
  dae_model *m = c->all->m;
  dae_namer namer = dae_model_namer(m);
  dae_text *text = &out->failure;
  if (out->failures++) return;
  text->arena = &m->built;
  bool missing = s->elsewhere && any_missing(c);
  if (missing) {
    dae_model_text_add(text, "start values of ");
    list_names(text, c, true);
    dae_model_text_add(text, " are missing: from 0 no direction leads to 0 = ");
    dae_model_print(&m->graph, c->all->node[c->row[s->row]], &namer, text);
    return;
  }
  dae_model_text_add(text, "0 = ");
  dae_model_print(&m->graph, c->all->node[c->row[s->row]], &namer, text);
  if (text->length > 300) text->length = 300, text->data[300] = '\0';
  if (!isfinite(s->relative)) dae_model_text_add(text, " has no value there");
  else dae_model_text_add(text, " is off by %.3g (%.2g of its terms)", s->residual, s->relative);
}

static bool consistent(const component *c, double *r, double *size) {
  if (run(c, c->r, r) || matrix((void *)c, NULL, NULL, size)) return false;
  for (int i = 0; i < c->rows; i++)
    if (!(fabs(r[i]) <= 4 * 2.3e-16 * size[i])) return false;
  return true;
}

/* the rows of one component with the entries of z that they may move */
static void solve_part(component *c, const int *entry, int entries, int last_class, outcome *out) {
  rows *x = c->all;
  dae_code code;
  double *size = dae_model_take(&x->m->built, 2 * (size_t)c->rows + 2, sizeof(double)),
         *kept = dae_model_take(&x->m->built, (size_t)entries + 1, sizeof(double));
  dae_model_code_init(&code, &x->m->graph, &x->m->built, z_locate, x->p);
  make_functions(c, &code);
  for (int k = 0; k < entries; k++) kept[k] = x->p->z0[entry[k]], c->place[entry[k]] = -1;
  c->cols = 0;
  dae_solved solved = {.ok = true};
  if (!consistent(c, size + c->rows, size)) {
    solved = solve_component(c, entry, entries, last_class);
    bool chance = arbitrary(c, &solved);
    if (solved.ok && solved.elsewhere && !chance) {
      dae_text names = {.arena = &x->m->built};
      list_names(&names, c, false);
      x->m->homotopy.failed = true;
      dae_model_warn(&x->m->source, DAE_NO_PLACE,
                     "the start values of %s lead nowhere: a solution was taken that is found from "
                     "other values; give start values near the one that is meant",
                     names.data);
    }
    if (!solved.ok || chance) {
      explain(c, &solved, out);
      for (int k = 0; k < entries; k++) x->p->z0[entry[k]] = kept[k];
    }
  }
  for (int k = 0; k < entries; k++) c->place[entry[k]] = -1;
  dae_model_code_free(&code);
}

static int root(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* rows of `level` (ALL_LEVELS: all) and the free entries of z at that level, part by part */
enum { ALL_LEVELS = 1 };
static bool in_pass(int level, int of) { return level == ALL_LEVELS || level == of; }

static void find_parts(rows *x, int level, int *parent) {
  int nz = x->p->nz;
  for (int i = 0; i < nz + x->count; i++) parent[i] = i;
  for (int i = 0; i < x->count; i++) {
    if (!in_pass(level, x->level[i])) continue;
    for (int e = x->J.start[i]; e < x->J.start[i + 1]; e++) {
      int z = x->J.column[e];
      if (x->z_class[z] == NOT_FREE || !in_pass(level, x->z_level[z])) continue;
      parent[root(parent, z)] = root(parent, nz + i);
    }
  }
}

static int by_part(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void solve_pass(rows *x, int level, int last_class, outcome *out) {
  dae_arena *arena = &x->m->built;
  int nz = x->p->nz, n = nz + x->count, count = 0, *parent = dae_model_ints(arena, n),
      *pair = dae_model_ints(arena, 2 * n), *place = dae_model_ints(arena, nz);
  find_parts(x, level, parent);
  for (int i = 0; i < n; i++) {
    bool in = i >= nz ? in_pass(level, x->level[i - nz])
                      : x->z_class[i] != NOT_FREE && in_pass(level, x->z_level[i]);
    if (in) pair[2 * count] = root(parent, i), pair[2 * count++ + 1] = i;
  }
  qsort(pair, (size_t)count, 2 * sizeof(int), by_part);
  for (int i = 0; i < nz; i++) place[i] = -1;
  for (int first = 0, next; first < count; first = next) {
    int entries = 0, rows_here = 0;
    for (next = first; next < count && pair[2 * next] == pair[2 * first]; next++)
      if (pair[2 * next + 1] < nz) entries++;
      else rows_here++;
    if (rows_here == 0 || rows_here > MOST_ROWS || entries > 2 * MOST_ROWS) continue;
    int *list = dae_model_ints(arena, rows_here + 2 * entries + 1);
    for (int k = first; k < next; k++)
      list[k - first] = pair[2 * k + 1] < nz ? pair[2 * k + 1] : pair[2 * k + 1] - nz;
    component c = {.all = x,
                   .rows = rows_here,
                   .row = list + entries,
                   .col = list + entries + rows_here,
                   .place = place};
    solve_part(&c, list, entries, last_class, out);
  }
}

/* ---- a better guess: rows that have as many unknowns as they are ---- */

/* all rows that row i needs: those whose columns stand in rows of the list; 0 when a column is
   nobody's, so that the rows leave a choice */
static int closure(const component *c, const matching *m, int i, unsigned char *in, int *list) {
  const dae_node_matrix *a = &c->all->J;
  int count = 1;
  memset(in, 0, (size_t)c->rows);
  list[0] = i, in[i] = 1;
  for (int head = 0; head < count; head++)
    for (int k = a->start[c->row[list[head]]]; k < a->start[c->row[list[head]] + 1]; k++) {
      int col = c->place[a->column[k]], row = col < 0 ? -1 : m->owner[col];
      if (col >= 0 && row < 0) return 0;
      if (row >= 0 && !in[row]) in[row] = 1, list[count++] = row;
    }
  for (int k = 0; k < count; k++)
    if (m->mate[list[k]] < 0) return 0;
  return count;
}

static void solve_closed(rows *x, const component *c, const matching *m, const int *list,
                         int count) {
  int *room = dae_model_ints(&x->m->built, 3 * count + x->p->nz), *entry = room + 2 * count;
  component part = {
      .all = x, .rows = count, .row = room, .col = room + count, .place = entry + count};
  outcome ignored = {0};
  for (int z = 0; z < x->p->nz; z++) part.place[z] = -1;
  for (int k = 0; k < count; k++) room[k] = c->row[list[k]], entry[k] = c->col[m->mate[list[k]]];
  solve_part(&part, entry, count, CLASSES - 1, &ignored);
}

/* the smallest such sets first. Initial equations for parameters are one: what depends on these
   parameters beside them need not be solved at the same time */
static void guess_closed(rows *x) {
  enum { MOST = 60 }; /* rows of such a set */
  if (x->count > MOST_ROWS) return;
  dae_arena *arena = &x->m->built;
  int n = x->count, nz = x->p->nz, *room = dae_model_ints(arena, 3 * n + 2 * nz + 1);
  int *list = room + n, *size = list + n;
  unsigned char *in = dae_model_take(arena, (size_t)n + 1, 1),
                *done = dae_model_take(arena, (size_t)n + 1, 1);
  component c = {.all = x, .rows = n, .row = room, .col = size + n, .place = size + n + nz};
  matching m;
  for (int i = 0; i < n; i++) c.row[i] = i;
  for (int z = 0; z < nz; z++) {
    c.place[z] = x->z_class[z] == NOT_FREE ? -1 : c.cols;
    if (c.place[z] >= 0) c.col[c.cols++] = z;
  }
  match_all(&c, &m);
  for (int i = 0; i < n; i++) size[i] = closure(&c, &m, i, in, list);
  for (int most = 2; most <= MOST; most++)
    for (int i = 0; i < n; i++) {
      if (size[i] != most || done[i]) continue;
      closure(&c, &m, i, in, list);
      for (int k = 0; k < most; k++) done[list[k]] = 1;
      solve_closed(x, &c, &m, list, most);
    }
}

/* the level of a row is the highest of what it holds */
static void find_levels(rows *x) {
  for (int i = 0; i < x->count; i++) {
    x->level[i] = -1000;
    for (int e = x->J.start[i]; e < x->J.start[i + 1]; e++) {
      int level = x->z_level[x->J.column[e]];
      if (level > x->level[i]) x->level[i] = level;
    }
  }
}

bool dae_model_consistent(dae_model *m, dae_plan *p, const int *node, int count, bool binding) {
  dae_arena *arena = &m->built;
  rows x = {.m = m, .p = p, .count = count};
  x.node = dae_model_ints(arena, count), x.level = dae_model_ints(arena, count);
  memcpy(x.node, node, (size_t)count * sizeof(int));
  x.z_level = dae_model_ints(arena, p->nz);
  x.z_class = dae_model_take(arena, (size_t)p->nz + 1, 1);
  x.z_scale = dae_model_take(arena, (size_t)p->nz + 1, sizeof(double));
  double *guess = dae_model_take(arena, (size_t)p->nz + 1, sizeof(double));
  describe(&x);
  x.J = dae_model_jacobian(m, x.node, count, p->nz, z_column, p);
  find_levels(&x);
  memcpy(guess, p->z0, (size_t)p->nz * sizeof(double));
  /* the least change of a mechanism is measured by its masses: that is left to the solver */
  int last_class = p->route == ROUTE_ODE || binding ? CLASSES - 1 : 0;
  outcome staged = {0}, joint = {0};
  int lowest = -1;
  for (int i = 0; i < p->nz; i++)
    if (x.z_level[i] < lowest) lowest = x.z_level[i];
  for (int i = 0; i < count; i++)
    if (x.level[i] == -1000) x.level[i] = lowest;
  for (int level = lowest; level < 0; level++) solve_pass(&x, level, last_class, &staged);
  if (!staged.failures) return true;
  memcpy(p->z0, guess, (size_t)p->nz * sizeof(double));
  if (last_class == 0) return true;
  solve_pass(&x, ALL_LEVELS, last_class, &joint);
  if (!joint.failures) return true;
  memcpy(p->z0, guess, (size_t)p->nz * sizeof(double));
  guess_closed(&x);
  joint = (outcome){0};
  solve_pass(&x, ALL_LEVELS, last_class, &joint);
  if (!joint.failures) return true;
  m->homotopy.failed = true;
  if (binding)
    dae_model_error(&m->source, DAE_NO_PLACE,
                    "the initial conditions have no solution near the start values: %s; change "
                    "start values or free some that are fixed",
                    joint.failure.data);
  else
    dae_model_warn(&m->source, DAE_NO_PLACE, "no consistent start was found: %s",
                   joint.failure.data);
  return !binding;
}
