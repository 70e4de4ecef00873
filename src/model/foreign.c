/*
 * Calls of a user's C functions in formulas: values, and derivatives. A derivative comes from the
 * function that annotation(derivative = ..) names, else from differences.
 * The number of a result or derivative: result + results (k1 + (n + 1) (k2 + ..)), where k1 >= k2
 * >= .. are the arguments, from 1 on, by which it is differentiated, n their number.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/graph.h"

enum { ORDER_MAX = 3 };

/* the arguments of a derivative, how many there are */
static int decode(const dae_foreign *f, int which, int by[ORDER_MAX], int *result) {
  int order = 0, rest = which / f->outputs;
  *result = which % f->outputs;
  for (; rest > 0 && order < ORDER_MAX; rest /= f->inputs + 1) by[order++] = rest % (f->inputs + 1);
  return order;
}

int dae_model_arguments(const dae_graph *g, int call, int *out) {
  int count = 0;
  for (int l = g->node[call].a; g->node[l].op == OP_LIST; l = g->node[l].b)
    out[count++] = g->node[l].a;
  return count;
}

int dae_model_call_node(dae_graph *g, int list, int function, int which) {
  double x[DAE_FOREIGN_MAX];
  int count = 0;
  bool known = true;
  for (int l = list; g->node[l].op == OP_LIST && known; l = g->node[l].b) {
    known = dae_model_constant(g, g->node[l].a);
    x[count++] = g->node[g->node[l].a].value;
  }
  double value = known ? dae_model_call_value(g->foreign[function], which, x) : 0;
  return dae_model_intern(g, OP_CALL, list, function, which, value, known ? NODE_CONSTANT : 0);
}

/* ---- derivatives as formulas ---- */

/* the formula of a derivative at these arguments. Other passes call this: `scratch` is theirs */
static int apply(dae_graph *g, int formula, const int *argument) {
  dae_set below = {0};
  int none = 0;
  dae_model_reach(g, &formula, 1, &below);
  int *image = dae_model_grow(g->arena, NULL, &none, below.count, sizeof(int));
  for (int k = 0; k < below.count; k++) {
    const dae_node n = g->node[below.node[k]];
    int arity = dae_model_op_arity(n.op), part[3] = {n.a, n.b, n.c};
    image[k] = n.op == OP_VAR && n.c == WHEN_ARGUMENT ? argument[n.a] : below.node[k];
    for (int i = 0; i < arity; i++)
      for (int j = k - 1; j >= 0; j--)
        if (below.node[j] == part[i]) {
          part[i] = image[j];
          break;
        }
    if (arity > 0) image[k] = dae_model_node(g, n.op, part[0], part[1], part[2]);
  }
  int result = image[below.count - 1];
  dae_base_give(&g->arena->pool, image);
  dae_model_set_free(g, &below);
  return result;
}

int dae_model_call_partial(dae_graph *g, int call, int k) {
  const dae_node n = g->node[call];
  const dae_foreign *f = g->foreign[n.b];
  int by[ORDER_MAX + 1] = {0}, result, order = decode(f, n.c, by, &result);
  if (!f->real[k]) return g->zero;
  if (order == 0 && f->partial) {
    int argument[DAE_FOREIGN_MAX];
    dae_model_arguments(g, call, argument);
    return apply(g, f->partial[result * f->inputs + k], argument);
  }
  if (order == ORDER_MAX) dae_model_exceed(g->arena, EXCESS_ORDER);
  /* in falling order: d/dx d/dy is d/dy d/dx */
  int at = order++;
  for (; at > 0 && by[at - 1] < k + 1; at--) by[at] = by[at - 1];
  by[at] = k + 1;
  int code = 0;
  for (int i = order - 1; i >= 0; i--) code = code * (f->inputs + 1) + by[i];
  return dae_model_node(g, OP_CALL, n.a, n.b, code * f->outputs + result);
}

void dae_model_call_name(const dae_foreign *f, int which, dae_text *out) {
  int by[ORDER_MAX] = {0}, result, order = decode(f, which, by, &result);
  dae_model_text_add(out, order ? "der(%.100s" : "%.100s", f->name);
  for (int i = 0; i < order; i++) dae_model_text_add(out, ", %d", by[i]);
  if (order) dae_model_text_add(out, ")");
}

/* ---- values ---- */

static double derivative(const dae_foreign *f, int result, const int *by, int order, double *x);

static double moved(const dae_foreign *f, int result, const int *by, int order, double *x, int k,
                    double by_much) {
  double keep = x[k];
  x[k] += by_much;
  double value = derivative(f, result, by, order, x);
  x[k] = keep;
  return value;
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h, where side = 0; else the one-sided
   (-3 f(0) + 4 f(h) - f(2h)) / 2h */
static double quotient(const dae_foreign *f, int result, const int *by, int order, double *x,
                       double h, int side) {
  int k = by[0] - 1, rest = order - 1;
  /* a step that is exact in x */
  volatile double there = x[k] + h;
  h = there - x[k];
#define AT(c) moved(f, result, by + 1, rest, x, k, (c)*h)
  if (side == 0) return (8 * (AT(1) - AT(-1)) - (AT(2) - AT(-2))) / (12 * h);
  h *= side;
  return (-3 * AT(0) + 4 * AT(1) - AT(2)) / (2 * h);
#undef AT
}

/* The unit of an argument is not known: steps become smaller from a large one on until the quotient
   of one agrees with that of the next, or all have been tried and the two that agree best count.
   Two zeros agree where the steps are large; small ones may be lost in a function's roundings. */
static double by_quotients(const dae_foreign *f, int result, const int *by, int order, double *x,
                           int side) {
  enum { LEVELS = 18 };
  static const double largest = 6e-3, smaller = 0.25, good = 1e-9, fair = 1e-3;
  double h = largest * fmax(fabs(x[by[0] - 1]), 1), before = NAN;
  double best = NAN, least = fair, other = NAN, nearest = INFINITY;
  for (int level = 0; level < LEVELS; level++, h *= smaller) {
    double now = quotient(f, result, by, order, x, h, side), off = fabs(now - before);
    double size = fmax(fabs(now), fabs(before));
    if (isfinite(off) && (size > 0 || level == 1)) {
      if (off <= good * size) return now;
      if (off < least * size) least = off / size, best = now;
      if (off < nearest) nearest = off, other = before;
    }
    before = now;
  }
  return isnan(best) ? other : best;
}

/* where a side has no values the other one is taken */
static double derivative(const dae_foreign *f, int result, const int *by, int order, double *x) {
  static const int sides[] = {0, 1, -1};
  double out[DAE_FOREIGN_MAX] = {0}, value = NAN;
  if (order == 0) {
    f->call(f->function, x, out);
    return out[result];
  }
  for (int s = 0; s < 3 && isnan(value); s++)
    value = by_quotients(f, result, by, order, x, sides[s]);
  return value;
}

double dae_model_call_value(dae_foreign *f, int which, double *x) {
  int by[ORDER_MAX] = {0}, result, order = decode(f, which, by, &result);
  for (int k = 0; k < f->inputs; k++)
    if (!isfinite(x[k])) return NAN;
  double value = derivative(f, result, by, order, x);
  if (order == 0 && !isfinite(value)) {
    f->failed = f->inputs > 0 ? x[0] : 0;
    f->failures++;
  }
  return value;
}
