/*
 * Highest derivatives that cancel: the linear combination method (Tan, Nedialkov, Pryce 2017,
 * section 4). Where u'J = 0 with u of lower derivatives only, the equation l with the least c among
 * u_i != 0 is replaced by
 *   sum_i u_i f_i^(c_i - c_l),
 * which holds no x_j^(d_j - c_l). The value of the signature falls each time, so this ends.
 */
#include <math.h>
#include <string.h>

#include "model/rank.h"

enum {
  MOST = 40, /* equations in a combination */
  SHOWN = 6  /* lines named in a message */
};

/* J' u = 0 for the rows that were taken: condition j (a column of J), unknown i (a row of J) */
typedef struct system {
  dae_model *m;
  dae_structure *s;
  dae_probes *q;
  int n, *row;
  int *node; /* n x n */
  double *value[DAE_PROBES];
  double *terms[DAE_PROBES]; /* what each value was added up from: eps times it is its rounding */
  int condition[MOST];       /* of unknown i: the one it was solved from, -1 */
  bool used[MOST];           /* condition j */
  int u[MOST];               /* u_l = 1: no solutions are added where another factor vanishes */
  double size[MOST];         /* |u_i| at the first point */
} dae_combination;

static int *at(dae_combination *x, int j, int i) { return &x->node[j * x->n + i]; }

/* the rows of the block and all that their leading derivatives need; false: too many */
static bool take_rows(dae_combination *x, const int *rows, int size) {
  dae_arena *arena = &x->m->built;
  const dae_structure *s = x->s;
  int *place = dae_model_ints(arena, s->eqs), *column, *node, *from, count = 0, room = 0,
      capacity[3] = {0};
  column = node = from = NULL;
  if (size > MOST) return false;
  for (int k = 0; k < size; k++) {
    x->row[x->n++] = rows[k];
    place[rows[k]] = x->n;
  }
  for (int k = 0; k < x->n; k++) {
    dae_node_matrix a = dae_model_leading_row(x->m, s, x->row[k]);
    room = count + a.start[1];
    column = dae_model_grow(arena, column, &capacity[0], room, sizeof(int));
    node = dae_model_grow(arena, node, &capacity[1], room, sizeof(int));
    from = dae_model_grow(arena, from, &capacity[2], room, sizeof(int));
    for (int e = 0; e < a.start[1]; e++, count++) {
      int other = s->col_match[a.column[e]];
      column[count] = other, node[count] = a.node[e], from[count] = k;
      if (place[other]) continue;
      if (x->n == MOST) return false;
      x->row[x->n++] = other;
      place[other] = x->n;
    }
  }
  x->node = dae_model_ints(arena, x->n * x->n);
  for (int i = 0; i < x->n * x->n; i++) x->node[i] = x->m->graph.zero;
  for (int k = 0; k < count; k++) *at(x, place[column[k]] - 1, from[k]) = node[k];
  return true;
}

/* a nonzero entry to solve from: constant ones first, then large ones */
static bool find_pivot(const dae_combination *x, int *condition, int *unknown) {
  double best = 0;
  for (int j = 0; j < x->n; j++) {
    double largest = 0;
    if (x->used[j]) continue;
    for (int i = 0; i < x->n; i++) largest = fmax(largest, fabs(x->value[0][j * x->n + i]));
    for (int i = 0; i < x->n; i++) {
      int e = j * x->n + i;
      if (x->condition[i] >= 0 || dae_model_is(&x->m->graph, x->node[e], 0)) continue;
      double score =
          fabs(x->value[0][e]) / largest + (dae_model_constant(&x->m->graph, x->node[e]) ? 1 : 0);
      if (!(score > best)) continue;
      best = score, *condition = j, *unknown = i;
    }
  }
  return best > 0;
}

/* a b; an entry that is zero stays so */
static int times(dae_graph *g, int a, int b) {
  return dae_model_is(g, b, 0) ? b : dae_model_op2(g, OP_MUL, a, b);
}

/* rounding of an elimination against the terms of an entry; a rate of 1e8 beside 1 must stay */
static const double CANCELLED = 2e-14;

/* row_r := row_r - factor row_p; what cancels at all points is zero. The factor is no more exact
   than the two entries that it is made of: one of a row in which others cancelled before spoils
   those of all other rows */
static void subtract(dae_combination *x, int r, int p, int i) {
  dae_graph *g = &x->m->graph;
  int n = x->n, factor = dae_model_op2(g, OP_DIV, *at(x, r, i), *at(x, p, i));
  double f[DAE_PROBES], df[DAE_PROBES];
  for (int k = 0; k < DAE_PROBES; k++) {
    const double *v = x->value[k], *t = x->terms[k];
    f[k] = v[r * n + i] / v[p * n + i];
    df[k] = (t[r * n + i] + fabs(f[k]) * t[p * n + i]) / fabs(v[p * n + i]);
  }
  for (int c = 0; c < n; c++) {
    bool zero = true;
    for (int k = 0; k < DAE_PROBES; k++) {
      double *v = x->value[k], *t = x->terms[k];
      t[r * n + c] += fabs(f[k]) * t[p * n + c] + df[k] * fabs(v[p * n + c]);
      v[r * n + c] -= f[k] * v[p * n + c];
      zero = zero && fabs(v[r * n + c]) <= CANCELLED * t[r * n + c];
    }
    for (int k = 0; k < DAE_PROBES && zero; k++) x->value[k][r * n + c] = 0;
    int right = times(g, factor, *at(x, p, c));
    *at(x, r, c) = zero ? g->zero : dae_model_op2(g, OP_SUB, *at(x, r, c), right);
  }
}

/* Gauss-Jordan: each used condition holds its own unknown and free ones; false when none is free */
static bool reduce(dae_combination *x, int *free) {
  for (int i = 0; i < x->n; i++) x->condition[i] = -1;
  for (int p = 0, i = 0; find_pivot(x, &p, &i);) {
    x->used[p] = true;
    x->condition[i] = p;
    for (int r = 0; r < x->n; r++)
      if (r != p && !dae_model_is(&x->m->graph, *at(x, r, i), 0)) subtract(x, r, p, i);
  }
  *free = 0;
  while (*free < x->n && x->condition[*free] >= 0) ++*free;
  return *free < x->n;
}

/* a quotient, as a number when it is the same everywhere; twelfths are written as such */
static int quotient(dae_graph *g, int above, int below, const double *value) {
  bool same = true;
  for (int k = 1; k < DAE_PROBES; k++)
    same = same && fabs(value[k] - value[0]) <= 1e-11 * fabs(value[0]);
  double twelfths = round(12 * value[0]);
  if (same && fabs(12 * value[0] - twelfths) <= 1e-11 * fabs(twelfths))
    return dae_model_const(g, twelfths / 12);
  if (same) return dae_model_const(g, value[0]);
  return dae_model_op2(g, OP_DIV, above, below);
}

/* the equation that is replaced: least c among u_i != 0, then the largest */
static int choose_row(const dae_combination *x, int *least) {
  int best = -1;
  *least = -1;
  for (int i = 0; i < x->n; i++)
    if (x->size[i] > 0 && (*least < 0 || x->s->c[x->row[i]] < *least)) *least = x->s->c[x->row[i]];
  for (int i = 0; i < x->n; i++)
    if (x->s->c[x->row[i]] == *least && (best < 0 || x->size[i] > x->size[best])) best = i;
  return best;
}

/* u_free = 1, u_i = -entry/pivot, all divided by that of the chosen row */
static int solve_null(dae_combination *x, int free, int *least) {
  dae_graph *g = &x->m->graph;
  double value[MOST][DAE_PROBES], ratio[DAE_PROBES];
  for (int i = 0; i < x->n; i++) {
    int p = x->condition[i];
    bool none = i != free && (p < 0 || dae_model_is(g, *at(x, p, free), 0));
    for (int k = 0; k < DAE_PROBES; k++)
      value[i][k] = none        ? 0
                    : i == free ? 1
                                : -x->value[k][p * x->n + free] / x->value[k][p * x->n + i];
    x->u[i] = none ? g->zero
              : i == free
                  ? g->one
                  : quotient(g, dae_model_op1(g, OP_NEG, *at(x, p, free)), *at(x, p, i), value[i]);
    x->size[i] = fabs(value[i][0]);
  }
  int chosen = choose_row(x, least), by = x->u[chosen];
  for (int i = 0; i < x->n; i++) {
    for (int k = 0; k < DAE_PROBES; k++) ratio[k] = value[i][k] / value[chosen][k];
    if (x->size[i] > 0) x->u[i] = i == chosen ? g->one : quotient(g, x->u[i], by, ratio);
  }
  return chosen;
}

/* x_j^(k) with k >= d_j - least: what a combination must not hold */
typedef struct lead_test {
  const dae_structure *s;
  int least;
} lead_test;

static bool is_leading(void *ctx, const dae_node *leaf) {
  const lead_test *t = ctx;
  int j = t->s->kept_of[leaf->a];
  return j >= 0 && leaf->b >= t->s->d[j] - t->least;
}

static int drop_leading(dae_graph *g, int leaf, void *ctx) {
  const dae_node n = g->node[leaf];
  return n.op == OP_VAR && is_leading(ctx, &n) ? g->zero : leaf;
}

/* "line 4" or "lines 3, 5 .." of all equations with u_i != 0 */
static const char *lines(dae_combination *x) {
  dae_text text = {.arena = &x->m->built};
  int number[MOST], count = 0;
  for (int i = 0; i < x->n; i++) {
    int line, column, k = 0;
    if (dae_model_is(&x->m->graph, x->u[i], 0)) continue;
    dae_model_locate(&x->m->source, x->s->place[x->row[i]], &line, &column);
    while (k < count && number[k] < line) k++;
    if (k < count && number[k] == line) continue;
    memmove(number + k + 1, number + k, (size_t)(count++ - k) * sizeof(int));
    number[k] = line;
  }
  dae_model_text_add(&text, count == 1 ? "line" : "lines");
  for (int k = 0; k < count && k < SHOWN; k++)
    dae_model_text_add(&text, "%s %d", k ? "," : "", number[k]);
  if (count > SHOWN) dae_model_text_add(&text, " ..");
  return text.data;
}

static dae_mend refuse(dae_combination *x) {
  dae_model_error(&x->m->source, x->s->place[x->row[0]],
                  "the equations of %s are dependent once they are differentiated: the structural "
                  "index %d is not the true one; replace one of them by a combination in which the "
                  "highest derivatives cancel",
                  lines(x), x->s->index);
  return MEND_FAILED;
}

/* the sum itself and, for its size, the terms */
static int combination(dae_combination *x, int least, int *terms, double *lost) {
  dae_graph *g = &x->m->graph;
  lead_test t = {x->s, least};
  int sum = g->zero;
  for (int i = 0; i < x->n; i++) {
    terms[i] = g->zero;
    if (dae_model_is(g, x->u[i], 0)) continue;
    int f = x->s->residual[x->row[i]];
    for (int k = least; k < x->s->c[x->row[i]]; k++) f = dae_model_rate(g, f);
    dae_model_drop(g, &f, 1, &f, drop_leading, &t);
    terms[i] = dae_model_op2(g, OP_MUL, x->u[i], f);
    sum = dae_model_op2(g, OP_ADD, sum, terms[i]);
  }
  sum = dae_model_sum_up(x->m, sum, lost);
  for (int i = 0; i < x->n; i++)
    if (!dae_model_is(g, x->u[i], 0)) *lost = fmax(*lost, x->s->lost[x->row[i]]);
  return sum;
}

typedef enum sum_kind { SUM_ZERO, SUM_NUMBER, SUM_EQUATION, SUM_UNKNOWN } sum_kind;

/* does the combination say 0 = 0, 0 = a number, something new, or has it no value near the
   start? */
static sum_kind kind_of(dae_combination *x, int sum, const int *terms) {
  double value[DAE_PROBES][MOST + 1], *out[DAE_PROBES];
  int node[MOST + 1];
  bool zero = true, same = true;
  for (int i = 0; i < x->n; i++) node[i] = terms[i];
  node[x->n] = sum;
  for (int k = 0; k < DAE_PROBES; k++) out[k] = value[k];
  dae_model_probe(x->q, node, x->n + 1, out);
  for (int k = 0; k < DAE_PROBES; k++) {
    double scale = dae_la_norm_max(x->n, value[k]), v = value[k][x->n];
    if (!isfinite(v)) return SUM_UNKNOWN;
    zero = zero && fabs(v) <= 1e-11 * scale;
    same = same && fabs(v - value[0][x->n]) <= 1e-11 * scale;
  }
  return zero ? SUM_ZERO : same ? SUM_NUMBER : SUM_EQUATION;
}

/*
 * Equations that follow from each other on their zeros though no combination of them vanishes, as
 * r^2 = 1 and r = 1: where u'f' = 0 holds for all rates of all variables, near the start, f_l is a
 * function of the others (constant rank), and constant where those are zero. That the constant is
 * zero is seen at the start.
 */
static bool follows(dae_combination *x, int least) {
  dae_graph *g = &x->m->graph;
  int terms[MOST], sum = g->zero;
  for (int i = 0; i < x->n; i++) {
    terms[i] = g->zero;
    if (dae_model_is(g, x->u[i], 0)) continue;
    int row = x->row[i];
    if (x->s->c[row] != least) return false;
    terms[i] = dae_model_op2(g, OP_MUL, x->u[i], dae_model_rate(g, x->s->residual[row]));
    sum = dae_model_op2(g, OP_ADD, sum, terms[i]);
  }
  return kind_of(x, sum, terms) == SUM_ZERO;
}

/* the motion may still be unique: mechanical and Hessenberg forms go on */
static dae_mend redundant(dae_combination *x, int chosen) {
  x->s->redundant = lines(x);
  x->s->redundant_place = x->s->place[x->row[chosen]];
  return MEND_NOTHING;
}

/* how often each equation was differentiated in the combination: what its index is counted from */
static void record(dae_combination *x, int row, int least) {
  dae_structure *s = x->s;
  s->combination = dae_model_grow(&x->m->built, s->combination, &s->combination_capacity,
                                  s->combinations + 1, sizeof *s->combination);
  dae_row_combination *c = &s->combination[s->combinations++];
  *c = (dae_row_combination){.row = row,
                             .source = dae_model_ints(&x->m->built, x->n),
                             .rates = dae_model_ints(&x->m->built, x->n)};
  for (int i = 0; i < x->n; i++) {
    if (dae_model_is(&x->m->graph, x->u[i], 0)) continue;
    c->source[c->count] = x->row[i];
    c->rates[c->count++] = s->c[x->row[i]] - least;
  }
}

static void replace_row(dae_combination *x, int row, int sum) {
  dae_structure *s = x->s;
  int line, column;
  dae_namer namer = dae_model_namer(x->m);
  dae_model_locate(&x->m->source, s->place[row], &line, &column);
  s->residual[row] = s->left[row] = sum;
  s->right[row] = x->m->graph.zero;
  s->combined.arena = &x->m->built;
  dae_model_text_add(&s->combined, "  line %d, from %s: 0 = ", line, lines(x));
  dae_model_print(&x->m->graph, sum, &namer, &s->combined);
  dae_model_text_add(&s->combined, "\n");
  dae_model_warn(
      &x->m->source, s->place[row],
      "the structural index %d is not the true one: the highest derivatives in the equations of "
      "%s cancel; a combination of them takes the place of this one",
      s->index, lines(x));
}

/* the terms of each entry; those of a row in which others cancelled before are larger than it */
static void find_terms(dae_combination *x, int k) {
  for (int i = 0; i < x->n; i++) {
    double lost = x->s->lost[x->row[i]], largest = 0;
    for (int j = 0; j < x->n && lost > 1; j++)
      largest = fmax(largest, fabs(x->value[k][j * x->n + i]));
    for (int j = 0; j < x->n; j++)
      x->terms[k][j * x->n + i] = fmax(fabs(x->value[k][j * x->n + i]), lost * largest);
  }
}

dae_mend dae_model_combine_rows(dae_model *m, dae_structure *s, dae_probes *q, const int *rows,
                                int size) {
  dae_combination x = {.m = m, .s = s, .q = q, .row = dae_model_ints(&m->built, MOST)};
  int terms[MOST], free, least;
  for (int i = 0; i < MOST; i++) x.u[i] = m->graph.one; /* all rows, until more is known */
  if (!take_rows(&x, rows, size)) {
    x.n = size < MOST ? size : MOST;
    for (int k = 0; k < x.n; k++) x.row[k] = rows[k];
    return refuse(&x);
  }
  for (int k = 0; k < DAE_PROBES; k++) {
    x.value[k] = dae_model_take(&m->built, (size_t)(x.n * x.n), sizeof(double));
    x.terms[k] = dae_model_take(&m->built, (size_t)(x.n * x.n), sizeof(double));
  }
  dae_model_probe(q, x.node, x.n * x.n, x.value);
  for (int k = 0; k < DAE_PROBES; k++) {
    if (!dae_base_finite(x.value[k], x.n * x.n)) return refuse(&x);
    find_terms(&x, k);
  }
  if (!reduce(&x, &free)) return MEND_NOTHING;
  int chosen = solve_null(&x, free, &least);
  lead_test t = {s, least};
  for (int i = 0; i < x.n; i++)
    if (dae_model_depends(m, x.u[i], is_leading, &t))
      return least > 0 && follows(&x, least) ? redundant(&x, chosen) : refuse(&x);
  double lost;
  int sum = combination(&x, least, terms, &lost);
  switch (kind_of(&x, sum, terms)) {
    case SUM_ZERO: return redundant(&x, chosen);
    case SUM_NUMBER:
      dae_model_error(
          &m->source, s->place[x.row[chosen]],
          "this equation contradicts the equations of %s: no values can satisfy all of them",
          lines(&x));
      return MEND_FAILED;
    case SUM_UNKNOWN: return refuse(&x);
    default:
      record(&x, x.row[chosen], least);
      replace_row(&x, x.row[chosen], sum);
      s->lost[x.row[chosen]] = lost;
      return MEND_DONE;
  }
}
