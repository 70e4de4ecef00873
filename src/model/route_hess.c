/* recognition of Hessenberg structure of order m: x^(m) = f(t,z,y), 0 = g(t,x) or 0 = g(t,z) */
#include <string.h>

#include "model/plan.h"

enum { BANK_Z, BANK_Y, BANK_LEAD };

typedef struct hess {
  dae_model *m;
  dae_plan *p;
  int nx, ny, order;
  int *f;   /* x^(m), nodes */
  int *con; /* constraints, nodes */
  bool of_z;
} hess;

static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  int j = p->model->structure->kept_of[variable];
  if (j < 0 || when != WHEN_NOW) return false;
  bool y = p->y_of[j] >= 0;
  if (order > (y ? 0 : p->order)) return false;
  *bank = y ? BANK_Y : order == p->order ? BANK_LEAD : BANK_Z;
  *index = y ? p->y_of[j] : order == p->order ? p->x_of[j] : order * p->nx + p->x_of[j];
  return true;
}

typedef struct columns {
  const dae_plan *p;
  int bank, first; /* entries of the bank before `first` are no columns */
} columns;

static int column_of(void *ctx, const dae_node *leaf) {
  const columns *c = ctx;
  int bank, index;
  if (leaf->op != OP_VAR || !locate((void *)c->p, leaf->a, leaf->b, leaf->c, &bank, &index))
    return -1;
  return bank == c->bank && index >= c->first ? index - c->first : -1;
}

static dae_node_matrix jacobian(hess *x, const int *rows, int count, int bank, int cols) {
  columns c = {x->p, bank, 0};
  dae_node_matrix a = dae_model_jacobian(x->m, rows, count, x->p->nz + x->ny, column_of, &c);
  a.cols = cols;
  /* G = dg/dx: only the first columns are asked for, and g(t,x) has no others */
  return a;
}

static bool in_bank(void *ctx, const dae_node *leaf) {
  const columns *c = ctx;
  int bank, index;
  return locate((void *)c->p, leaf->a, leaf->b, leaf->c, &bank, &index) && bank == c->bank;
}

static int drop_lead(dae_graph *g, int leaf, void *ctx) {
  const dae_node n = g->node[leaf];
  int bank, index;
  return n.op == OP_VAR && locate(ctx, n.a, n.b, n.c, &bank, &index) && bank == BANK_LEAD ? g->zero
                                                                                          : leaf;
}

/* x^(m) of rows that were solved before takes its place */
static int use_solved(dae_graph *g, int leaf, void *ctx) {
  const hess *x = ctx;
  const dae_node n = g->node[leaf];
  int bank, index;
  if (n.op != OP_VAR || !locate(x->p, n.a, n.b, n.c, &bank, &index) || bank != BANK_LEAD)
    return leaf;
  return x->f[index] >= 0 ? x->f[index] : leaf;
}

/* the leading matrix must be triangular up to order: each row then gives one x^(m) */
static bool solve_rows(hess *x, const int *dyn) {
  const dae_structure *s = x->m->structure;
  dae_graph *g = &x->m->graph;
  int n = x->nx, *row = dae_model_ints(&x->m->built, n),
      *row_match = dae_model_ints(&x->m->built, n + 1),
      *col_match = dae_model_ints(&x->m->built, n + 1);
  for (int i = 0; i < n; i++) row[i] = s->residual[dyn[i]], x->f[i] = -1;
  dae_node_matrix M = jacobian(x, row, n, BANK_LEAD, n);
  columns lead = {x->p, BANK_LEAD, 0};
  x->p->why = "the highest derivatives enter nonlinearly";
  for (int e = 0; e < M.start[n]; e++)
    if (dae_model_depends(x->m, M.node[e], in_bank, &lead)) return false;
  x->p->why = "the highest derivatives are coupled by a matrix";
  dae_signature sig = {.rows = n,
                       .cols = n,
                       .start = M.start,
                       .column = M.column,
                       .sigma = dae_model_ints(&x->m->built, M.start[n])};
  if (!dae_model_transversal(&x->m->built, &sig, row_match, col_match)) return false;
  int *start = dae_model_ints(&x->m->built, n + 1), *order = dae_model_ints(&x->m->built, n),
      *zero = dae_model_ints(&x->m->built, n);
  if (dae_model_blocks(&x->m->built, &sig, row_match, col_match, zero, zero, start, order) != n)
    return false;
  for (int k = 0; k < n; k++) {
    int i = order[k], j = row_match[i], e = M.start[i], rest;
    while (M.column[e] != j) e++;
    dae_model_substitute(g, &row[i], 1, &rest, use_solved, x);
    dae_model_drop(g, &rest, 1, &rest, drop_lead, x->p);
    int negative = dae_model_op1(g, OP_NEG, M.node[e]);
    x->f[j] = dae_model_op2(g, OP_DIV, rest, negative);
  }
  return true;
}

/* all constraints of one kind */
static bool take_constraints(hess *x, const dae_classes *c) {
  const dae_structure *s = x->m->structure;
  x->p->why = "constraints of different levels stand side by side";
  int level = c->cons ? s->c[c->con[0]] : 0;
  for (int k = 0; k < c->cons; k++) {
    if (s->c[c->con[k]] != level || (level != 1 && level != x->order)) return false;
    x->con[k] = s->residual[c->con[k]];
  }
  x->of_z = level == 1 && x->order > 1;
  return c->cons > 0;
}

/* ---- the functions of the problem ---- */

static int run(const dae_function *f, double t, const double *z, const double *y, double *out) {
  const double *const bank[DAE_BANKS] = {z, y, NULL, NULL};
  return dae_model_run(f, t, bank, out);
}

static int call_f(double t, const double *z, const double *y, double *f, void *ctx) {
  return run(((dae_plan *)ctx)->f, t, z, y, f);
}
static int call_f_z(double t, const double *z, const double *y, double *J, void *ctx) {
  return run(((dae_plan *)ctx)->f_z, t, z, y, J);
}
static int call_B(double t, const double *z, const double *y, double *B, void *ctx) {
  return run(((dae_plan *)ctx)->B, t, z, y, B);
}
static int call_g(double t, const double *z, double *g, void *ctx) {
  return run(((dae_plan *)ctx)->g, t, z, NULL, g);
}
static int call_G(double t, const double *z, double *G, void *ctx) {
  return run(((dae_plan *)ctx)->G, t, z, NULL, G);
}
static int call_g_t(double t, const double *z, double *gt, void *ctx) {
  return run(((dae_plan *)ctx)->g_t, t, z, NULL, gt);
}
static int call_rate(double t, const double *z, int level, double *out, void *ctx) {
  return run(((dae_plan *)ctx)->rate[level], t, z, NULL, out);
}
static int call_rate_z(double t, const double *z, int level, double *J, void *ctx) {
  return run(((dae_plan *)ctx)->rate_z[level], t, z, NULL, J);
}

static dae_function *dense(hess *x, const char *name, const dae_node_matrix *a) {
  return dae_model_scatter(&x->p->code, name, a->node, a->start[a->rows],
                           dae_model_places(x->m, a));
}

static void make_dynamics(hess *x, dae_hessenberg *h) {
  dae_plan *p = x->p;
  dae_graph *g = &x->m->graph;
  p->f = dae_model_function(&p->code, "f", x->f, x->nx);
  dae_node_matrix fz = jacobian(x, x->f, x->nx, BANK_Z, p->nz),
                  fy = jacobian(x, x->f, x->nx, BANK_Y, x->ny);
  columns y = {p, BANK_Y, 0};
  h->affine = DAE_YES;
  for (int e = 0; e < fy.start[x->nx]; e++) {
    if (dae_model_depends(x->m, fy.node[e], in_bank, &y)) h->affine = DAE_NO;
    fy.node[e] = dae_model_op1(g, OP_NEG, fy.node[e]);
  }
  p->f_z = dense(x, "df/dz", &fz);
  p->B = dense(x, "B = -df/dy", &fy);
  h->f = call_f, h->f_z = call_f_z, h->B = call_B;
}

static void make_constraints(hess *x, dae_hessenberg *h) {
  dae_plan *p = x->p;
  int n = x->ny, *g_t = dae_model_ints(&x->m->built, n), *rate = dae_model_ints(&x->m->built, n),
      highest = x->of_z ? 1 : x->order;
  p->g = dae_model_function(&p->code, "g", x->con, n);
  dae_node_matrix G = jacobian(x, x->con, n, BANK_Z, x->of_z ? p->nz : x->nx);
  p->G = dense(x, x->of_z ? "dg/dz" : "G = dg/dx", &G);
  dae_model_time_partials(x->m, x->con, n, g_t);
  p->g_t = dae_model_function(&p->code, "dg/dt", g_t, n);
  memcpy(rate, x->con, (size_t)n * sizeof(int));
  p->invariant = dae_model_ints(&x->m->built, n * highest);
  memcpy(p->invariant, x->con, (size_t)n * sizeof(int));
  p->invariants = n;
  for (int level = 1; level <= highest; level++) {
    for (int i = 0; i < n; i++) rate[i] = dae_model_rate(&x->m->graph, rate[i]);
    if (level < highest) {
      dae_node_matrix L = jacobian(x, rate, n, BANK_Z, p->nz);
      p->rate[level] = dae_model_function(&p->code, "total time derivative of g", rate, n);
      p->rate_z[level] = dense(x, "its Jacobian", &L);
      memcpy(p->invariant + p->invariants, rate, (size_t)n * sizeof(int));
      p->invariants += n;
    } else {
      int *rest = dae_model_ints(&x->m->built, n);
      dae_model_drop(&x->m->graph, rate, n, rest, drop_lead, p);
      p->rate[level] =
          dae_model_function(&p->code, "highest time derivative of g without x^(m)", rest, n);
    }
  }
  h->g = call_g, h->G = call_G, h->g_t = call_g_t, h->g_rate = call_rate;
  h->g_rate_z = highest > 1 ? call_rate_z : NULL;
}

bool dae_model_route_hessenberg(dae_model *m, dae_plan *p) {
  hess x = {.m = m, .p = p};
  dae_classes c;
  const char *before = p->why;
  if (!dae_model_classify(m, p, &c)) return false;
  if (c.cons == 0 || p->ny > p->nx || p->order > DAE_ORDER_MAX || p->nx > 300) {
    p->why = before;
    return false;
  }
  x.nx = p->nx, x.ny = p->ny, x.order = p->order;
  x.f = dae_model_ints(&m->built, x.nx), x.con = dae_model_ints(&m->built, x.ny);
  if (!take_constraints(&x, &c) || !solve_rows(&x, c.dyn)) return false;
  p->why = before;
  p->route = ROUTE_HESSENBERG;
  p->problem.kind = DAE_HESSENBERG;
  dae_hessenberg *h = &p->problem.hessenberg;
  *h = (dae_hessenberg){.order = x.order, .nx = x.nx, .ny = x.ny, .g_of_z = x.of_z};
  dae_model_code_init(&p->code, &m->graph, &m->built, locate, p);
  make_dynamics(&x, h);
  make_constraints(&x, h);
  p->lead = dae_model_ints(&m->built, m->structure->vars);
  for (int j = 0; j < m->structure->vars; j++) p->lead[j] = p->x_of[j] >= 0 ? x.f[p->x_of[j]] : -1;
  p->g_name = dae_model_take(&m->built, (size_t)x.ny + 1, sizeof *p->g_name);
  for (int i = 0; i < x.ny; i++)
    p->g_name[i] = dae_model_constraint_name(m, m->structure->place[c.con[i]]);
  return true;
}
