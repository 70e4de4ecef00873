/*
 * Runge-Kutta methods of the user: every order condition is checked (Butcher): for each rooted tree
 * with n <= p nodes
 *   sum_i b_i phi_i(t) = 1/gamma(t),   phi_i([t1 .. tm]) = prod_k sum_j a_ij phi_j(t_k),
 *   gamma([t1 .. tm]) = n prod_k gamma(t_k).
 */
#include <math.h>
#include <string.h>

#include "step/own.h"

/* conditions are met up to rounding of coefficients that have 14 digits and more */
static const double EXACT = 1e-12;

enum { NODES = DAE_OWN_ORDER };

/* a rooted tree as the levels of its nodes, root first, each node before its branches */
typedef struct tree {
  int nodes, level[NODES];
} tree;

/* the next tree with as many nodes (Beyer and Hedetniemi 1980); false after the last */
static bool next_tree(tree *t) {
  int p = t->nodes - 1;
  while (p > 0 && t->level[p] <= 1) p--;
  if (p <= 0) return false;
  int q = p - 1;
  while (t->level[q] != t->level[p] - 1) q--;
  for (int i = p; i < t->nodes; i++) t->level[i] = t->level[i - (p - q)];
  return true;
}

/* phi_i of the branch that begins at *node, with the size of its terms; returns gamma, *node goes
   behind it */
static double branch(const dae_own_method *u, const tree *t, int *node, double *phi, double *size) {
  int root = (*node)++, level = t->level[root];
  double gamma = 1;
  for (int i = 0; i < u->stages; i++) phi[i] = size[i] = 1;
  while (*node < t->nodes && t->level[*node] > level) {
    double inner[DAE_OWN_STAGES], inner_size[DAE_OWN_STAGES];
    gamma *= branch(u, t, node, inner, inner_size);
    for (int i = 0; i < u->stages; i++) {
      double sum = 0, top = 0;
      for (int j = 0; j < u->stages; j++) {
        double a = u->a[i * u->stages + j];
        sum += a * inner[j];
        top += fabs(a) * inner_size[j];
      }
      phi[i] *= sum;
      size[i] *= top;
    }
  }
  return gamma * (*node - root);
}

/* the first condition of the orders up to `order` that weights b break: its order, and by how much;
   0 when there is none */
static int broken(const dae_own_method *u, const double *b, int order, double *off) {
  for (int n = 1; n <= order; n++) {
    tree t = {.nodes = n};
    for (int i = 0; i < n; i++) t.level[i] = i;
    do {
      double phi[DAE_OWN_STAGES], size[DAE_OWN_STAGES], sum = 0, top = 1;
      int node = 0;
      double gamma = branch(u, &t, &node, phi, size);
      for (int i = 0; i < u->stages; i++) sum += b[i] * phi[i], top += fabs(b[i]) * size[i];
      *off = sum - 1 / gamma;
      if (!(fabs(*off) <= EXACT * top)) return n;
    } while (next_tree(&t));
  }
  return 0;
}

/* the largest q with sum_j a_ij c_j^(k-1) = c_i^k/k for all i and k <= q */
static int stage_order(const dae_own_method *u, const double *c) {
  for (int k = 1;; k++)
    for (int i = 0; i < u->stages; i++) {
      double sum = -pow(c[i], k) / k;
      for (int j = 0; j < u->stages; j++) sum += u->a[i * u->stages + j] * pow(c[j], k - 1);
      if (!(fabs(sum) <= EXACT * (1 + fabs(c[i]))) || k > u->stages) return k - 1;
    }
}

static const char *sizes_fault(const dae_own_method *u) {
  if (!u->name || !u->name[0]) return "it has no name";
  if (dae_method_find(u->name)) return "the name is taken";
  if (u->stages < 1 || u->stages > (u->implicit ? DAE_OWN_IMPLICIT_STAGES : DAE_OWN_STAGES))
    return u->implicit ? "stages must be 1 .. 5" : "stages must be 1 .. 13";
  if (u->order < 1 || u->order > DAE_OWN_ORDER) return "the order must be 1 .. 10";
  if (!u->a || !u->b) return "a or b is NULL";
  if (u->implicit && u->b_estimate) return "an implicit method makes its error estimate itself";
  if (u->b_estimate && (u->order_estimate < 1 || u->order_estimate > u->order))
    return "order_estimate must be 1 .. order";
  for (int i = 0; !u->implicit && i < u->stages; i++)
    for (int j = i; j < u->stages; j++)
      if (u->a[i * u->stages + j] != 0)
        return "it is not explicit: a has entries on or above the diagonal";
  return NULL;
}

/* DAE_E_INPUT with a sentence: nodes and order conditions; c gets the nodes */
static dae_status check(const dae_own_method *u, double *c, char *message, int size) {
  const char *fault = sizes_fault(u);
  if (fault) {
    dae_base_print(message, size, "own method %.40s: %s", u->name ? u->name : "", fault);
    return DAE_E_INPUT;
  }
  for (int i = 0; i < u->stages; i++) {
    double sum = 0;
    for (int j = 0; j < u->stages; j++) sum += u->a[i * u->stages + j];
    c[i] = u->c ? u->c[i] : sum;
    /* stages at the ends of the step are known as such */
    if (fabs(c[i]) <= EXACT) c[i] = 0;
    if (fabs(c[i] - 1) <= EXACT) c[i] = 1;
    if (fabs(c[i] - sum) <= EXACT * (1 + fabs(sum))) continue;
    dae_base_print(message, size, "own method %.40s: c%d is %g, but row %d of a sums to %g",
                   u->name, i + 1, c[i], i + 1, sum);
    return DAE_E_INPUT;
  }
  double off;
  int order = broken(u, u->b, u->order, &off);
  bool estimate = order == 0 && u->b_estimate;
  if (estimate) order = broken(u, u->b_estimate, u->order_estimate, &off);
  if (order == 0) return DAE_OK;
  dae_base_print(message, size, "own method %.40s: %s breaks a condition of order %d by %.2g",
                 u->name, estimate ? "b_estimate" : "b", order, off);
  return DAE_E_INPUT;
}

/* c, the rows of a below the diagonal, b and b - b_estimate as the engine wants them */
static dae_status new_explicit(const dae_own_method *u, const double *c, dae_method m,
                               dae_pool *pool, const dae_method **out) {
  int s = u->stages;
  dae_explicit_tableau *t = dae_base_take(pool, 1, sizeof *t);
  double *room = dae_base_doubles(pool, (size_t)(3 * s + s * (s - 1) / 2));
  if (!t || !room) return DAE_E_MEMORY;
  double *a = room + 3 * s, *e = room + 2 * s, top = 0;
  t->c = room, t->b = room + s, t->a = a;
  memcpy(room, c, (size_t)s * sizeof *c);
  memcpy(room + s, u->b, (size_t)s * sizeof *u->b);
  for (int i = 1; i < s; i++)
    for (int j = 0; j < i; j++) *a++ = u->a[i * s + j];
  for (int i = 0; u->b_estimate && i < s; i++) {
    e[i] = u->b[i] - u->b_estimate[i];
    top = fmax(top, fabs(e[i]));
  }
  if (top > 0) t->e = e;
  m.view = DAE_VIEW_ODE;
  m.r_infinity = NAN;
  m.estimate = top > 0 ? u->order_estimate : 0;
  t->method = m;
  *out = &t->method;
  return DAE_OK;
}

static dae_status new_implicit(const dae_own_method *u, const double *c, dae_method m,
                               dae_pool *pool, const dae_method **out, char *message, int size) {
  dae_own_irk *own = dae_base_take(pool, 1, sizeof *own);
  if (!own) return DAE_E_MEMORY;
  const char *fault = dae_step_tableau_own(&own->t, u->stages, c, u->a, u->b);
  if (fault) {
    dae_base_print(message, size, "own method %.40s: %s", u->name, fault);
    return DAE_E_INPUT;
  }
  own->t.order = u->order;
  own->t.stage_order = m.stage_order;
  m.view = DAE_VIEW_BOTH;
  m.implicit = true;
  m.order_y = m.stage_order > 0 ? m.stage_order : 1;
  m.r_infinity = own->t.r_infinity;
  m.estimate = own->t.estimate;
  own->method = m;
  *out = &own->method;
  return DAE_OK;
}

dae_status dae_step_own(const dae_own_method *u, dae_pool *pool, const dae_method **out,
                        char *message, int size) {
  double c[DAE_OWN_STAGES];
  *out = NULL;
  dae_status status = check(u, c, message, size);
  if (status != DAE_OK) return status;
  char *name = dae_base_string(pool, u->name);
  if (!name) return DAE_E_MEMORY;
  dae_method m = {.name = name,
                  .order = u->order,
                  .order_y = u->order,
                  .stage_order = stage_order(u, c),
                  .stages = u->stages,
                  .when = "given by the program"};
  return u->implicit ? new_implicit(u, c, m, pool, out, message, size)
                     : new_explicit(u, c, m, pool, out);
}
