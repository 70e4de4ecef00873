/*
 * Every other system: the equations differentiated c_i times are linear in the leading
 * derivatives x_j^(d_j)
 * and give an ODE for z = all x_j^(k), k < d_j. What was differentiated, at all lower levels, is
 * invariant:
 *   J(t,z) w = r(t,z),  w = x^(d),     h = { f_i^(k) : k < c_i }
 * Blocks of one row are solved on paper, larger ones by LU when the right-hand side is evaluated.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"

enum { BANK_Z, BANK_W };
enum {
  BLOCK_STACK = 40, /* larger blocks take their matrix from a workspace */
  BLOCK_MOST = 320, /* equations that are solved together, dense */
  SLOTS_MOST = 2048 /* unknowns of all blocks */
};

typedef struct ode {
  dae_model *m;
  dae_plan *p;
  int n;       /* equations = kept variables */
  int *c, *d;  /* offsets of this route */
  int *lead;   /* f_i^(c_i) */
  int *solved; /* kept variable -> node of its leading derivative, -1 not yet */
  int *row_match, *col_match;
  int *coefficient; /* of the single rows that are divided by one */
} ode;

static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  int j = p->model->structure->kept_of[variable];
  if (j < 0 || when != WHEN_NOW || order > p->d[j]) return false;
  *bank = order < p->d[j] ? BANK_Z : BANK_W;
  *index = order < p->d[j] ? p->z_first[j] + order : p->w_of[j];
  return *index >= 0;
}

static int z_column(void *ctx, const dae_node *leaf) {
  int bank, index;
  if (leaf->op != OP_VAR || !locate(ctx, leaf->a, leaf->b, leaf->c, &bank, &index)) return -1;
  return bank == BANK_Z ? index : -1;
}

/* column j when the leaf is x_j^(d_j) */
static int lead_column(void *ctx, const dae_node *leaf) {
  const ode *x = ctx;
  if (leaf->op != OP_VAR) return -1;
  int j = x->m->structure->kept_of[leaf->a];
  return leaf->b == x->d[j] ? j : -1;
}

static bool is_lead(void *ctx, const dae_node *leaf) { return lead_column(ctx, leaf) >= 0; }

/* offsets so that every variable is in z and every equation is linear in the leading derivatives */
static void raise_offsets(ode *x) {
  const dae_structure *s = x->m->structure;
  int *c_least = dae_model_ints(&x->m->built, x->n), *d_least = dae_model_ints(&x->m->built, x->n);
  for (int j = 0; j < x->n; j++) d_least[j] = 1;
  for (bool again = true; again;) {
    dae_model_offsets(&x->m->built, &s->s, s->row_match, s->col_match, c_least, d_least, x->c,
                      x->d);
    again = false;
    for (int i = 0; i < x->n; i++) {
      if (x->c[i]) continue; /* a differentiated equation is linear */
      dae_node_matrix row = dae_model_jacobian(x->m, &s->residual[i], 1, x->n, lead_column, x);
      for (int e = 0; e < row.start[1]; e++)
        if (dae_model_depends(x->m, row.node[e], is_lead, x)) c_least[i] = 1, again = true;
    }
  }
}

static void place_variables(ode *x) {
  dae_plan *p = x->p;
  p->nz = 0;
  p->z_first = dae_model_ints(&x->m->built, x->n);
  p->w_of = dae_model_ints(&x->m->built, x->n);
  for (int j = 0; j < x->n; j++) {
    p->z_first[j] = p->nz;
    p->nz += x->d[j];
    p->w_of[j] = -1;
  }
  p->d = x->d;
}

/* leading derivatives that are known take their place; those of the present block are zero */
typedef struct replacement {
  ode *x;
  const int *in_block; /* by kept variable */
  int block;
} replacement;

static int replace_lead(dae_graph *g, int leaf, void *ctx) {
  const replacement *r = ctx;
  const dae_node n = g->node[leaf];
  int j = n.op == OP_VAR ? lead_column(r->x, &n) : -1;
  if (j < 0) return leaf;
  if (r->in_block[j] == r->block) return g->zero;
  return r->x->solved[j] >= 0 ? r->x->solved[j] : leaf;
}

/* -rest/coefficient of a single row */
static bool solve_single(ode *x, int i, replacement *r) {
  dae_graph *g = &x->m->graph;
  int j = x->row_match[i], rest;
  dae_node_matrix row = dae_model_jacobian(x->m, &x->lead[i], 1, x->n, lead_column, x);
  int e = 0;
  while (e < row.start[1] && row.column[e] != j) e++;
  if (e == row.start[1]) {
    dae_model_error(&x->m->source, x->m->structure->place[i],
                    "this equation does not depend on the highest derivative that it should give");
    return false;
  }
  int coefficient = row.node[e];
  dae_model_drop(g, &x->lead[i], 1, &rest, replace_lead, r);
  x->solved[j] = dae_model_op2(g, OP_DIV, dae_model_op1(g, OP_NEG, rest), coefficient);
  if (!dae_model_constant(g, coefficient)) {
    x->p->single_row[x->p->singles] = i;
    x->coefficient[x->p->singles++] = coefficient;
  }
  return true;
}

/* matrix and right-hand side of a block; its unknowns become entries of w */
static bool solve_block(ode *x, const int *rows, int size, replacement *r) {
  dae_graph *g = &x->m->graph;
  dae_plan *p = x->p;
  if (size > BLOCK_MOST || p->nw_slots + size > SLOTS_MOST) {
    dae_model_error(
        &x->m->source, x->m->structure->place[rows[0]],
        "%d equations must be solved together, this one among them: at most %d are supported "
        "outside the mechanical form (%s)",
        size, BLOCK_MOST, p->why ? p->why : "");
    return false;
  }
  dae_solve_block *b = &p->block[p->blocks++];
  int *node = dae_model_ints(&x->m->built, size * size + size),
      *position = dae_model_ints(&x->m->built, x->n);
  b->size = size;
  b->row = dae_model_ints(&x->m->built, size);
  memcpy(b->row, rows, (size_t)size * sizeof(int));
  b->slot = dae_model_ints(&x->m->built, size);
  for (int k = 0; k < size * size; k++) node[k] = -1;
  for (int k = 0; k < size; k++) position[x->row_match[rows[k]]] = k + 1;
  for (int k = 0; k < size; k++) {
    dae_node_matrix row = dae_model_jacobian(x->m, &x->lead[rows[k]], 1, x->n, lead_column, x);
    for (int e = 0; e < row.start[1]; e++) {
      int at = position[row.column[e]];
      if (at) dae_model_substitute(g, &row.node[e], 1, &node[k * size + at - 1], replace_lead, r);
    }
    int rest;
    dae_model_drop(g, &x->lead[rows[k]], 1, &rest, replace_lead, r);
    node[size * size + k] = dae_model_op1(g, OP_NEG, rest);
  }
  for (int k = 0; k < size; k++) {
    int j = x->row_match[rows[k]];
    b->slot[k] = p->w_of[j] = p->nw_slots++;
    x->solved[j] = dae_model_var(g, x->m->structure->var[j], x->d[j], WHEN_NOW);
  }
  b->system =
      dae_model_function(&p->code, "block of leading derivatives", node, size * size + size);
  if (size > p->block_max) p->block_max = size;
  return b->system != NULL;
}

/* ---- all blocks, in their order ---- */

static bool solve_all(ode *x) {
  const dae_structure *s = x->m->structure;
  int blocks, *start = dae_model_ints(&x->m->built, x->n + 1),
              *row = dae_model_ints(&x->m->built, x->n),
              *in_block = dae_model_ints(&x->m->built, x->n);
  dae_model_blocks(&x->m->built, &s->s, s->row_match, s->col_match, x->c, x->d, &blocks, start,
                   row);
  x->p->block = dae_model_take(&x->m->built, (size_t)blocks, sizeof *x->p->block);
  x->coefficient = dae_model_ints(&x->m->built, x->n);
  x->p->single_row = dae_model_ints(&x->m->built, x->n);
  for (int j = 0; j < x->n; j++) in_block[j] = -1, x->solved[j] = -1;
  int large = 0;
  for (int b = 0; b < blocks; b++) large += start[b + 1] - start[b] > 1;
  if (large > DAE_FUNCTIONS_MAX - 90) {
    dae_model_error(&x->m->source, DAE_NO_PLACE,
                    "the model has %d algebraic loops: more than %d are not supported", large,
                    DAE_FUNCTIONS_MAX - 90);
    return false;
  }
  for (int b = 0; b < blocks; b++) {
    replacement r = {x, in_block, b};
    for (int k = start[b]; k < start[b + 1]; k++) in_block[x->row_match[row[k]]] = b;
    int size = start[b + 1] - start[b];
    if (!(size == 1 ? solve_single(x, row[start[b]], &r)
                    : solve_block(x, row + start[b], size, &r)))
      return false;
  }
  x->p->single = dae_model_function(&x->p->code, "factors of the leading derivatives", x->coefficient,
                                    x->p->singles);
  return true;
}

/* ---- the functions of the problem ---- */

/* LU with row pivoting; > 0 when singular. `quality`: smallest against largest pivot, may be NULL */
static int solve_dense(int n, double *A, double *b, double *out, double *quality) {
  int pivot[BLOCK_MOST];
  double low, high;
  if (quality) *quality = 0;
  if (dae_la_lu(n, A, pivot)) return 1;
  if (quality) dae_la_lu_pivots(n, A, &low, &high), *quality = low / high;
  dae_la_lu_solve(n, A, pivot, b);
  memcpy(out, b, (size_t)n * sizeof(double));
  return 0;
}

/* the leading derivatives of all blocks, in their order: later ones use earlier ones */
static int solve_blocks(const dae_plan *p, double t, const double *z, double *w, double *quality) {
  double small[BLOCK_STACK * BLOCK_STACK + BLOCK_STACK], result[BLOCK_MOST];
  const double *const bank[DAE_BANKS] = {z, w, NULL, NULL};
  for (int b = 0; b < p->blocks; b++) {
    const dae_solve_block *block = &p->block[b];
    int n = block->size, code;
    if (n <= BLOCK_STACK) {
      code = dae_model_run(block->system, t, bank, small);
      if (!code) code = solve_dense(n, small, small + n * n, result, quality ? quality + b : NULL);
    } else {
      const dae_allocator *from = &p->code.arena->pool.allocator;
      double *large = from->take(((size_t)n * (size_t)n + (size_t)n) * sizeof(double), from->ctx);
      if (!large) return 1;
      code = dae_model_run(block->system, t, bank, large);
      if (!code) code = solve_dense(n, large, large + n * n, result, quality ? quality + b : NULL);
      from->give(large, from->ctx);
    }
    if (code) return 1;
    for (int k = 0; k < n; k++) w[block->slot[k]] = result[k];
  }
  return 0;
}

static int run(const dae_plan *p, const dae_function *f, double t, const double *z, double *out) {
  double w[SLOTS_MOST];
  const double *const bank[DAE_BANKS] = {z, w, NULL, NULL};
  if (p->blocks && solve_blocks(p, t, z, w, NULL)) return 1;
  return dae_model_run(f, t, bank, out);
}

static int call_f(double t, const double *z, double *dz, void *ctx) {
  const dae_plan *p = ctx;
  return run(p, p->f, t, z, dz);
}
static int call_f_z(double t, const double *z, double *J, void *ctx) {
  const dae_plan *p = ctx;
  return run(p, p->f_z, t, z, J);
}
static int call_h(double t, const double *z, double *h, void *ctx) {
  const double *const bank[DAE_BANKS] = {z, NULL, NULL, NULL};
  return dae_model_run(((dae_plan *)ctx)->h, t, bank, h);
}
static int call_h_z(double t, const double *z, double *H, void *ctx) {
  const double *const bank[DAE_BANKS] = {z, NULL, NULL, NULL};
  return dae_model_run(((dae_plan *)ctx)->h_z, t, bank, H);
}
static int call_h_t(double t, const double *z, double *ht, void *ctx) {
  const double *const bank[DAE_BANKS] = {z, NULL, NULL, NULL};
  return dae_model_run(((dae_plan *)ctx)->h_t, t, bank, ht);
}

void dae_model_ode_quality(const dae_plan *p, double t, const double *z, double *quality) {
  double w[SLOTS_MOST];
  const double *const bank[DAE_BANKS] = {z, NULL, NULL, NULL};
  for (int k = 0; k < p->singles + p->blocks; k++) quality[k] = 0;
  dae_model_run(p->single, t, bank, quality);
  if (p->blocks) solve_blocks(p, t, z, w, quality + p->singles);
}

/* all variables of the text at a point */
int dae_model_ode_values(const dae_plan *p, double t, const double *z, double *out) {
  return run(p, p->values, t, z, out);
}

static dae_function *matrix(ode *x, const char *name, const dae_node_matrix *a,
                            const dae_pattern **pattern) {
  int count = a->start[a->rows];
  if (dae_model_sparse(a)) {
    *pattern = dae_model_pattern(x->m, a);
    return dae_model_function(&x->p->code, name, a->node, count);
  }
  return dae_model_scatter(&x->p->code, name, a->node, count, dae_model_places(x->m, a));
}

static void make_rhs(ode *x, dae_ode *o) {
  dae_plan *p = x->p;
  int *dz = dae_model_ints(&x->m->built, p->nz);
  for (int j = 0; j < x->n; j++)
    for (int k = 0; k < x->d[j]; k++)
      dz[p->z_first[j] + k] =
          k + 1 < x->d[j] ? dae_model_var(&x->m->graph, x->m->structure->var[j], k + 1, WHEN_NOW)
                          : x->solved[j];
  p->f = dae_model_function(&p->code, "z'", dz, p->nz);
  o->f = call_f;
  if (p->blocks) return; /* df/dz goes through the solution of the blocks: by differences */
  dae_node_matrix J = dae_model_jacobian(x->m, dz, p->nz, p->nz, z_column, p);
  p->f_z = matrix(x, "dz'/dz", &J, &o->f_pattern);
  o->f_z = call_f_z;
}

static void make_invariants(ode *x, dae_ode *o) {
  dae_plan *p = x->p;
  const dae_structure *s = x->m->structure;
  int count = 0, at = 0;
  const dae_flat *flat = &x->m->flat;
  for (int i = 0; i < x->n; i++) count += x->c[i];
  count += flat->invariants;
  o->nh = count;
  p->g_name = dae_model_take(&x->m->built, (size_t)count + 1, sizeof *p->g_name);
  if (!count) return;
  int *h = dae_model_ints(&x->m->built, count), *h_t = dae_model_ints(&x->m->built, count);
  for (int i = 0; i < x->n; i++) {
    int node = s->residual[i];
    for (int k = 0; k < x->c[i]; k++, node = dae_model_rate(&x->m->graph, node)) {
      h[at] = node;
      p->g_name[at++] = dae_model_constraint_name(x->m, s->place[i]);
    }
  }
  replacement lead = {x, dae_model_ints(&x->m->built, x->n), -1};
  for (int i = 0; i < flat->invariants; i++, at++) {
    h[at] = dae_model_op2(&x->m->graph, OP_SUB, flat->invariant[i].left, flat->invariant[i].right);
    dae_model_substitute(&x->m->graph, &h[at], 1, &h[at], replace_lead, &lead);
    p->g_name[at] = dae_model_constraint_name(x->m, flat->invariant[i].place);
  }
  dae_node_matrix H = dae_model_jacobian(x->m, h, count, p->nz, z_column, p);
  dae_model_time_partials(x->m, h, count, h_t);
  p->h = dae_model_function(&p->code, "h", h, count);
  p->h_z = matrix(x, "H = dh/dz", &H, &o->h_pattern);
  p->h_t = dae_model_function(&p->code, "dh/dt", h_t, count);
  p->invariant = h;
  p->invariants = count;
  o->h = call_h, o->h_z = call_h_z, o->h_t = call_h_t;
}

bool dae_model_route_ode(dae_model *m, dae_plan *p) {
  ode x = {.m = m, .p = p, .n = m->structure->vars};
  const dae_structure *s = m->structure;
  if (s->redundant) {
    dae_model_error(&m->source, s->redundant_place,
                    "this equation follows from the others of %s once they are differentiated: some "
                    "variable has no equation of its own; remove it and say what is missing (%s)",
                    s->redundant, p->why ? p->why : "");
    return false;
  }
  x.c = dae_model_ints(&m->built, x.n), x.d = dae_model_ints(&m->built, x.n),
  x.lead = dae_model_ints(&m->built, x.n), x.solved = dae_model_ints(&m->built, x.n);
  x.row_match = s->row_match, x.col_match = s->col_match;
  p->route = ROUTE_ODE;
  p->ny = 0;
  p->problem.kind = DAE_ODE;
  raise_offsets(&x);
  place_variables(&x);
  dae_model_code_init(&p->code, &m->graph, &m->built, locate, p);
  for (int i = 0; i < x.n; i++) {
    x.lead[i] = s->residual[i];
    for (int k = 0; k < x.c[i]; k++) x.lead[i] = dae_model_rate(&m->graph, x.lead[i]);
  }
  if (!solve_all(&x)) return false;
  dae_ode *o = &p->problem.ode;
  *o = (dae_ode){.n = p->nz};
  make_rhs(&x, o);
  make_invariants(&x, o);
  p->lead = x.solved;
  return true;
}
