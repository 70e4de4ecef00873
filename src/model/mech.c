/*
 * Recognition of mechanical structure: M(t,q) q'' = f(t,q,v) - K y, 0 = g(t,q), 0 = W(t,q) v +
 * w(t,q), where the
 * columns of K are multiples of the rows of [G; W]. Rows are scaled so that K' = [G; W] and M =
 * M'; that two
 * expressions are the same function is tested at random points.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"

enum { POINTS = 3 };

static double *reals(dae_model *m, int count) {
  return dae_model_take(&m->built, (size_t)count, sizeof(double));
}

bool dae_model_mech_locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  int j = p->model->structure->kept_of[variable];
  if (j < 0 || when != WHEN_NOW || order > (p->x_of[j] >= 0 ? 2 : 0)) return false;
  *bank = p->x_of[j] >= 0 ? order : BANK_Y;
  *index = p->x_of[j] >= 0 ? p->x_of[j] : p->y_of[j];
  return true;
}

/* columns q, v, a or y of a Jacobian */
typedef struct columns {
  const dae_plan *p;
  int bank;
} columns;

static int column_of(void *ctx, const dae_node *leaf) {
  const columns *c = ctx;
  int bank, index;
  if (leaf->op != OP_VAR ||
      !dae_model_mech_locate((void *)c->p, leaf->a, leaf->b, leaf->c, &bank, &index))
    return -1;
  return bank == c->bank ? index : -1;
}

dae_node_matrix dae_model_mech_jacobian(dae_mech *x, const int *rows, int count, int bank) {
  columns c = {x->p, bank};
  return dae_model_jacobian(x->m, rows, count, bank == BANK_Y ? x->ny : x->nq, column_of, &c);
}

static bool no_rate(void *ctx,
                    const dae_node *leaf) { /* true for what M, G, K must not hold: v, a, y */
  const dae_plan *p = ctx;
  int j = p->model->structure->kept_of[leaf->a];
  return leaf->b > 0 || p->y_of[j] >= 0;
}

static bool matrix_of_position(dae_mech *x, const dae_node_matrix *a) {
  for (int e = 0; e < a->start[a->rows]; e++)
    if (dae_model_depends(x->m, a->node[e], no_rate, x->p)) return false;
  return true;
}

/* row i of the dynamics belongs to coordinate i: rows with one acceleration first, then by
   matching */
static bool order_rows(dae_mech *x, const int *dyn) {
  const dae_structure *s = x->m->structure;
  int n = x->nq, *node = dae_model_ints(&x->m->built, n);
  for (int i = 0; i < n; i++) node[i] = s->residual[dyn[i]];
  dae_node_matrix a = dae_model_mech_jacobian(x, node, n, BANK_A);
  dae_signature sig = {.rows = n, .cols = n, .start = a.start, .column = a.column};
  /* value 1 for the natural place keeps a symmetric matrix symmetric where the rows stand in
     order */
  sig.sigma = dae_model_ints(&x->m->built, a.start[n]);
  for (int i = 0; i < n; i++)
    for (int e = a.start[i]; e < a.start[i + 1]; e++) sig.sigma[e] = a.column[e] == i;
  int *row_match = dae_model_ints(&x->m->built, n + 1),
      *col_match = dae_model_ints(&x->m->built, n + 1);
  if (!dae_model_transversal(&x->m->built, &sig, row_match, col_match)) return false;
  for (int j = 0; j < n; j++) x->row[j] = node[col_match[j]];
  return true;
}

/* holonomic constraints first */
static bool order_constraints(dae_mech *x, const dae_classes *c) {
  const dae_structure *s = x->m->structure;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < c->cons; k++) {
      int i = c->con[k];
      if (s->c[i] != (pass == 0 ? 2 : 1)) continue;
      x->con[x->ng + x->nw] = s->residual[i];
      x->equation[x->ng + x->nw] = i;
      if (pass == 0) x->ng++;
      else x->nw++;
    }
  return x->ng + x->nw == c->cons;
}

/* [dg/dq; dw/dv] */
static void make_gradient(dae_mech *x) {
  dae_node_matrix g = dae_model_mech_jacobian(x, x->con, x->ng, BANK_Q),
                  w = dae_model_mech_jacobian(x, x->con + x->ng, x->nw, BANK_V);
  int first = g.start[x->ng], total = first + w.start[x->nw];
  x->gradient = (dae_node_matrix){.rows = x->ng + x->nw,
                                  .cols = x->nq,
                                  .start = dae_model_ints(&x->m->built, x->ng + x->nw + 1),
                                  .column = dae_model_ints(&x->m->built, total),
                                  .node = dae_model_ints(&x->m->built, total)};
  memcpy(x->gradient.start, g.start, (size_t)(x->ng + 1) * sizeof(int));
  for (int i = 0; i <= x->nw; i++) x->gradient.start[x->ng + i] = first + w.start[i];
  if (first) memcpy(x->gradient.column, g.column, (size_t)first * sizeof(int));
  if (first) memcpy(x->gradient.node, g.node, (size_t)first * sizeof(int));
  if (total > first)
    memcpy(x->gradient.column + first, w.column, (size_t)(total - first) * sizeof(int));
  if (total > first)
    memcpy(x->gradient.node + first, w.node, (size_t)(total - first) * sizeof(int));
}

/* ---- the same function? values at random points near the start ---- */

typedef struct probes {
  double *mass[POINTS], *force[POINTS], *gradient[POINTS];
} probes;

static bool probe(dae_mech *x, probes *values) {
  dae_code *code = dae_model_take(&x->m->built, 1, sizeof *code);
  dae_model_code_init(code, &x->m->graph, &x->m->built, dae_model_mech_locate, x->p);
  const dae_node_matrix *a[3] = {&x->mass, &x->force, &x->gradient};
  double **out[3] = {values->mass, values->force, values->gradient};
  double *q = reals(x->m, x->nq);
  uint64_t state = 20010815;
  bool ok = true;
  for (int k = 0; k < 3 && ok; k++) {
    int count = a[k]->start[a[k]->rows];
    dae_function *f = dae_model_function(code, "", a[k]->node, count);
    ok = f != NULL;
    for (int point = 0; point < POINTS && ok; point++) {
      state = 77 + (uint64_t)point;
      for (int j = 0; j < x->nq; j++) {
        double start = x->m->flat.variable[x->m->structure->var[x->p->x_var[j]]].start;
        q[j] = start + (0.05 + 0.1 * fabs(start)) * dae_model_random(&state);
      }
      out[k][point] = reals(x->m, count);
      const double *const bank[DAE_BANKS] = {q, q, q, q};
      ok =
          dae_model_run(f, x->m->flat.start_time + 0.013 * (point + 1), bank, out[k][point]) == 0 &&
          dae_base_finite(out[k][point], count);
    }
  }
  dae_model_code_free(code);
  return ok;
}

/* entry (i,j), -1 when there is none */
static int entry(const dae_node_matrix *a, int i, int j) {
  int low = a->start[i], high = a->start[i + 1];
  while (low < high) {
    int middle = (low + high) / 2;
    if (a->column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < a->start[i + 1] && a->column[low] == j ? low : -1;
}

/* a/b when it is the same at all points; 0 when it is not */
static double ratio(double *const *a, int ea, double *const *b, int eb) {
  double r = 0;
  for (int k = 0; k < POINTS; k++) {
    if (b[k][eb] == 0 || a[k][ea] == 0) return 0;
    double now = a[k][ea] / b[k][eb];
    if (k && fabs(now - r) > 1e-11 * fabs(r)) return 0;
    r = now;
  }
  return r;
}

/*
 * scale_i K_iy = con_scale_y G_yi for all entries: the ratios are known, the scales follow along
 * a walk over
 * rows and multipliers; which constraint belongs to which multiplier is given by `partner`
 */
static bool walk_scales(dae_mech *x, const probes *v, const int *partner) {
  int n = x->nq, top = 0, *stack = dae_model_ints(&x->m->built, n + x->ny),
      *seen = dae_model_ints(&x->m->built, n + x->ny);
  dae_node_matrix *K = &x->force;
  for (int start = 0; start < n; start++) {
    if (seen[start]) continue;
    x->scale[start] = 1;
    stack[top++] = start;
    seen[start] = 1;
    while (top) {
      int at = stack[--top];
      if (at < n) {
        for (int e = K->start[at]; e < K->start[at + 1]; e++) {
          int y = K->column[e], c = partner[y], ge = entry(&x->gradient, c, at);
          double r = ge < 0 ? 0 : ratio(v->force, e, v->gradient, ge);
          if (r == 0) return false;
          double want = x->scale[at] * r;
          if (seen[n + y] && fabs(x->con_scale[c] - want) > 1e-10 * fabs(want)) return false;
          if (seen[n + y]) continue;
          x->con_scale[c] = want;
          seen[n + y] = 1;
          stack[top++] = n + y;
        }
      } else {
        int y = at - n, c = partner[y];
        for (int e = x->gradient.start[c]; e < x->gradient.start[c + 1]; e++) {
          int i = x->gradient.column[e], ke = entry(K, i, y);
          double r = ke < 0 ? 0 : ratio(v->force, ke, v->gradient, e);
          if (r == 0) return false;
          double want = x->con_scale[c] / r;
          if (seen[i] && fabs(x->scale[i] - want) > 1e-10 * fabs(want)) return false;
          if (seen[i]) continue;
          x->scale[i] = want;
          seen[i] = 1;
          stack[top++] = i;
        }
      }
    }
  }
  return true;
}

/* the constraint whose gradient has the pattern and the shape of column y of K */
static bool find_partners(dae_mech *x, const probes *v, int *partner) {
  int *used = dae_model_ints(&x->m->built, x->ny);
  int *column_count = dae_model_ints(&x->m->built, x->ny),
      *column_row = dae_model_ints(&x->m->built, x->ny);
  for (int i = 0; i < x->nq; i++)
    for (int e = x->force.start[i]; e < x->force.start[i + 1]; e++) {
      column_count[x->force.column[e]]++;
      column_row[x->force.column[e]] = i;
    }
  /* constraints by one of their coordinates */
  int *start = dae_model_ints(&x->m->built, x->nq + 2),
      *list = dae_model_ints(&x->m->built, x->gradient.start[x->ny]);
  for (int e = 0; e < x->gradient.start[x->ny]; e++) start[x->gradient.column[e] + 2]++;
  for (int i = 0; i < x->nq; i++) start[i + 2] += start[i + 1];
  for (int c = 0; c < x->ny; c++)
    for (int e = x->gradient.start[c]; e < x->gradient.start[c + 1]; e++)
      list[start[x->gradient.column[e] + 1]++] = c;
  for (int y = 0; y < x->ny; y++) {
    partner[y] = -1;
    int i = column_row[y], ke = column_count[y] ? entry(&x->force, i, y) : -1;
    if (ke < 0) return false;
    for (int k = start[i]; k < start[i + 1] && partner[y] < 0; k++) {
      int c = list[k];
      if (used[c] || x->gradient.start[c + 1] - x->gradient.start[c] != column_count[y]) continue;
      if (ratio(v->force, ke, v->gradient, entry(&x->gradient, c, i)) == 0) continue;
      partner[y] = c;
      used[c] = 1;
    }
    if (partner[y] < 0) return false;
  }
  return true;
}

/* constraints in the order of their multipliers, holonomic ones first; y is renumbered with them */
static void align(dae_mech *x, const int *partner) {
  dae_plan *p = x->p;
  int *con = dae_model_ints(&x->m->built, x->ny), *equation = dae_model_ints(&x->m->built, x->ny),
      *y_var = dae_model_ints(&x->m->built, x->ny);
  double *scale = reals(x->m, x->ny);
  int k = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int y = 0; y < x->ny; y++) {
      int c = partner[y];
      if ((c >= x->ng) != (pass == 1)) continue;
      con[k] = x->con[c], equation[k] = x->equation[c], scale[k] = x->con_scale[c];
      y_var[k++] = p->y_var[y];
    }
  memcpy(x->con, con, (size_t)x->ny * sizeof(int));
  memcpy(x->equation, equation, (size_t)x->ny * sizeof(int));
  memcpy(x->con_scale, scale, (size_t)x->ny * sizeof(double));
  memcpy(p->y_var, y_var, (size_t)x->ny * sizeof(int));
  for (int y = 0; y < x->ny; y++) p->y_of[p->y_var[y]] = y;
}

static bool symmetric(const dae_mech *x, const probes *v) {
  for (int i = 0; i < x->nq; i++)
    for (int e = x->mass.start[i]; e < x->mass.start[i + 1]; e++) {
      int j = x->mass.column[e], back = entry(&x->mass, j, i);
      if (back < 0) return false;
      for (int k = 0; k < POINTS; k++) {
        double a = x->scale[i] * v->mass[k][e], b = x->scale[j] * v->mass[k][back];
        if (fabs(a - b) > 1e-11 * (fabs(a) + fabs(b))) return false;
      }
    }
  return true;
}

/* the sign that makes masses positive */
static bool positive(dae_mech *x, const probes *v) {
  int plus = 0, minus = 0;
  for (int i = 0; i < x->nq; i++) {
    int e = entry(&x->mass, i, i);
    double a = e < 0 ? 0 : x->scale[i] * v->mass[0][e];
    plus += a > 0;
    minus += a < 0;
  }
  if (plus && minus) return false;
  for (int i = 0; i < x->nq && minus; i++) x->scale[i] = -x->scale[i];
  for (int y = 0; y < x->ny && minus; y++) x->con_scale[y] = -x->con_scale[y];
  return plus || minus;
}

static void apply_scales(dae_mech *x) {
  dae_graph *g = &x->m->graph;
  for (int i = 0; i < x->nq; i++)
    x->row[i] = dae_model_op2(g, OP_MUL, dae_model_const(g, x->scale[i]), x->row[i]);
  for (int y = 0; y < x->ny; y++)
    x->con[y] = dae_model_op2(g, OP_MUL, dae_model_const(g, x->con_scale[y]), x->con[y]);
}

bool dae_model_mech_recognise(dae_mech *x) {
  dae_classes c;
  dae_plan *p = x->p;
  if (!dae_model_classify(x->m, p, &c)) return false;
  p->why = "it is not of second order";
  if (p->order != 2) return false;
  x->nq = p->nx, x->ny = p->ny;
  x->row = dae_model_ints(&x->m->built, x->nq), x->con = dae_model_ints(&x->m->built, x->ny),
  x->equation = dae_model_ints(&x->m->built, x->ny);
  x->scale = reals(x->m, x->nq), x->con_scale = reals(x->m, x->ny);
  p->why = "no row of the dynamics belongs to each coordinate";
  if (!order_constraints(x, &c) || !order_rows(x, c.dyn)) return false;
  x->mass = dae_model_mech_jacobian(x, x->row, x->nq, BANK_A);
  x->force = dae_model_mech_jacobian(x, x->row, x->nq, BANK_Y);
  make_gradient(x);
  p->why = "the mass matrix or the constraint forces depend on velocities or multipliers";
  if (!matrix_of_position(x, &x->mass) || !matrix_of_position(x, &x->force) ||
      !matrix_of_position(x, &x->gradient))
    return false;
  probes values;
  int *partner = dae_model_ints(&x->m->built, x->ny);
  p->why = "the constraint forces do not act along the gradients of the constraints";
  if (!probe(x, &values) || !find_partners(x, &values, partner)) return false;
  if (!walk_scales(x, &values, partner)) return false;
  p->why = "the mass matrix is not symmetric and positive";
  if (!symmetric(x, &values) || !positive(x, &values)) return false;
  align(x, partner);
  apply_scales(x);
  p->why = NULL;
  return true;
}
