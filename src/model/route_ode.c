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
  DENSE_MOST = 50, /* equations that are solved together as a dense matrix in any case */
  EXACT_MOST = 600 /* variables and unknowns of blocks for which df/dz is made, dense */
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
  if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) return -1;
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
  /* what nothing moves stands still, also where the factor vanishes */
  if (dae_model_is(g, rest, 0)) {
    x->solved[j] = g->zero;
    return true;
  }
  x->solved[j] = dae_model_op2(g, OP_DIV, dae_model_op1(g, OP_NEG, rest), coefficient);
  if (!dae_model_constant(g, coefficient)) {
    x->p->single_row[x->p->singles] = i;
    x->coefficient[x->p->singles++] = coefficient;
  }
  return true;
}

/* the entries of one row of a block that are not zero, columns rising, and its right-hand side */
static int block_row(ode *x, int i, const int *position, replacement *r, int *column, int *node,
                     int *rest) {
  dae_graph *g = &x->m->graph;
  int count = 0;
  dae_node_matrix row = dae_model_jacobian(x->m, &x->lead[i], 1, x->n, lead_column, x);
  for (int e = 0; e < row.start[1]; e++) {
    int at = position[row.column[e]] - 1, k = count;
    if (at < 0) continue;
    for (; k > 0 && column[k - 1] > at; k--) column[k] = column[k - 1], node[k] = node[k - 1];
    column[k] = at;
    dae_model_substitute(g, &row.node[e], 1, &node[k], replace_lead, r);
    count++;
  }
  dae_model_drop(g, &x->lead[i], 1, rest, replace_lead, r);
  *rest = dae_model_op1(g, OP_NEG, *rest);
  dae_base_give(&x->m->built.pool, row.column);
  dae_base_give(&x->m->built.pool, row.node);
  return count;
}

/* values in the order of the pattern when the block is large and sparse, else at their places of a
   dense matrix */
static bool make_system(ode *x, dae_solve_block *b, dae_node_matrix *a, const int *rest) {
  dae_code *code = &x->p->code;
  int n = b->size, count = a->start[n], *place = dae_model_places(x->m, a),
      *node = dae_model_ints(&x->m->built, count + n),
      *target = dae_model_ints(&x->m->built, count + n);
  if (n > DENSE_MOST && count < 0.25 * n * n) {
    b->pattern = dae_model_pattern(x->m, a);
    b->solver = dae_model_take(&x->m->built, DAE_WORKSPACES, sizeof *b->solver);
  }
  b->values = b->pattern ? count : n * n;
  for (int e = 0; e < count; e++) node[e] = a->node[e], target[e] = b->pattern ? e : place[e];
  for (int k = 0; k < n; k++) node[count + k] = rest[k], target[count + k] = b->values + k;
  b->system = dae_model_scatter(code, "block of leading derivatives", node, count + n, target);
  int room = b->values + 2 * n; /* with the right-hand side and the pivots */
  if (room > x->p->block_room) x->p->block_room = room;
  return b->system != NULL;
}

/* matrix and right-hand side of a block; its unknowns become entries of w */
static bool solve_block(ode *x, const int *rows, int size, replacement *r) {
  dae_arena *arena = &x->m->built;
  dae_plan *p = x->p;
  dae_solve_block *b = &p->block[p->blocks++];
  int *position = dae_model_ints(arena, x->n), *rest = dae_model_ints(arena, size),
      capacity[2] = {0}, count = 0;
  dae_node_matrix a = {.rows = size, .cols = size, .start = dae_model_ints(arena, size + 1)};
  b->size = size;
  b->row = dae_model_ints(arena, size);
  memcpy(b->row, rows, (size_t)size * sizeof(int));
  b->slot = dae_model_ints(arena, size);
  for (int k = 0; k < size; k++) position[x->row_match[rows[k]]] = k + 1;
  for (int k = 0; k < size; k++) {
    a.start[k] = count;
    a.column = dae_model_grow(arena, a.column, &capacity[0], count + size, sizeof(int));
    a.node = dae_model_grow(arena, a.node, &capacity[1], count + size, sizeof(int));
    count += block_row(x, rows[k], position, r, a.column + count, a.node + count, &rest[k]);
  }
  a.start[size] = count;
  bool still = true;
  for (int k = 0; k < size; k++) still = still && dae_model_is(&x->m->graph, rest[k], 0);
  if (still) {
    p->blocks--;
    for (int k = 0; k < size; k++) x->solved[x->row_match[rows[k]]] = x->m->graph.zero;
    return true;
  }
  for (int k = 0; k < size; k++) {
    int j = x->row_match[rows[k]];
    b->slot[k] = p->w_of[j] = p->nw_slots++;
    x->solved[j] = dae_model_var(&x->m->graph, x->m->structure->var[j], x->d[j], WHEN_NOW);
  }
  if (size > p->block_max) p->block_max = size;
  return make_system(x, b, &a, rest);
}

/* columns z, then w, of a derivative with what is solved for left as it is */
static int zw_column(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  int bank, index;
  if (leaf->op != OP_VAR || !locate((void *)p, leaf->a, leaf->b, leaf->c, &bank, &index)) return -1;
  return bank == BANK_Z ? index : p->nz + index;
}

/* d(rows of block b)/d(z, w) at fixed w of its own; later slots do not occur */
static void differentiate_block(ode *x, dae_solve_block *b, const int *in_block) {
  dae_plan *p = x->p;
  int *row = dae_model_ints(&x->m->built, b->size), cols = p->nz + p->nw_slots;
  replacement r = {x, in_block, -1};
  for (int k = 0; k < b->size; k++)
    dae_model_substitute(&x->m->graph, &x->lead[b->row[k]], 1, &row[k], replace_lead, &r);
  dae_node_matrix D = dae_model_jacobian(x->m, row, b->size, cols, zw_column, p);
  b->derivative = dae_model_scatter(&p->code, "d(block)/d(z,w)", D.node, D.start[b->size],
                                    dae_model_places(x->m, &D));
}

/* ---- all blocks, in their order ---- */

static bool solve_all(ode *x) {
  const dae_structure *s = x->m->structure;
  int *start = dae_model_ints(&x->m->built, x->n + 1), *row = dae_model_ints(&x->m->built, x->n),
      *in_block = dae_model_ints(&x->m->built, x->n);
  int blocks =
      dae_model_blocks(&x->m->built, &s->s, s->row_match, s->col_match, x->c, x->d, start, row);
  x->p->block = dae_model_take(&x->m->built, (size_t)blocks, sizeof *x->p->block);
  x->coefficient = dae_model_ints(&x->m->built, x->n);
  x->p->single_row = dae_model_ints(&x->m->built, x->n);
  for (int j = 0; j < x->n; j++) in_block[j] = -1, x->solved[j] = -1;
  for (int b = 0; b < blocks; b++) {
    replacement r = {x, in_block, b};
    for (int k = start[b]; k < start[b + 1]; k++) in_block[x->row_match[row[k]]] = b;
    int size = start[b + 1] - start[b];
    if (!(size == 1 ? solve_single(x, row[start[b]], &r)
                    : solve_block(x, row + start[b], size, &r)))
      return false;
  }
  x->p->single = dae_model_function(&x->p->code, "factors of the leading derivatives",
                                    x->coefficient, x->p->singles);
  return true;
}

/* ---- the functions of the problem ---- */

static dae_function *matrix(ode *x, const char *name, const dae_node_matrix *a,
                            const dae_pattern **pattern) {
  int count = a->start[a->rows];
  if (dae_model_sparse(a)) {
    *pattern = dae_model_pattern(x->m, a);
    return dae_model_function(&x->p->code, name, a->node, count);
  }
  return dae_model_scatter(&x->p->code, name, a->node, count, dae_model_places(x->m, a));
}

/* df/dz through the solution of the blocks; of large systems by differences */
static void differentiate_blocks(ode *x, dae_ode *o, const int *dz) {
  dae_plan *p = x->p;
  int cols = p->nz + p->nw_slots, *none = dae_model_ints(&x->m->built, x->n);
  if (cols > EXACT_MOST) return;
  for (int j = 0; j < x->n; j++) none[j] = -2;
  for (int b = 0; b < p->blocks; b++) differentiate_block(x, &p->block[b], none);
  dae_node_matrix J = dae_model_jacobian(x->m, dz, p->nz, cols, zw_column, p);
  p->f_z =
      dae_model_scatter(&p->code, "dz'/d(z,w)", J.node, J.start[p->nz], dae_model_places(x->m, &J));
  o->f_z = dae_model_ode_f_z;
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
  o->f = dae_model_ode_f;
  if (p->blocks) {
    differentiate_blocks(x, o, dz);
    return;
  }
  dae_node_matrix J = dae_model_jacobian(x->m, dz, p->nz, p->nz, z_column, p);
  p->f_z = matrix(x, "dz'/dz", &J, &o->f_pattern);
  o->f_z = dae_model_ode_f_z;
}

/* no projection moves what only events change */
static int movable_column(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  if (leaf->op != OP_VAR || p->model->flat.variable[leaf->a].assigned) return -1;
  return z_column(ctx, leaf);
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
  /* entries that the equations determine: what was raised beyond the structure's own offsets */
  unsigned char *algebraic = dae_model_take(&x->m->built, (size_t)p->nz, 1);
  for (int j = 0; j < x->n; j++)
    for (int k = s->d[j]; k < x->d[j]; k++) {
      algebraic[p->z_first[j] + k] = !flat->variable[s->var[j]].assigned;
      if (algebraic[p->z_first[j] + k]) o->algebraic = algebraic;
    }
  dae_node_matrix H = dae_model_jacobian(x->m, h, count, p->nz, movable_column, p);
  dae_model_time_partials(x->m, h, count, h_t);
  p->h = dae_model_function(&p->code, "h", h, count);
  p->h_z = matrix(x, "H = dh/dz", &H, &o->h_pattern);
  p->h_t = dae_model_function(&p->code, "dh/dt", h_t, count);
  p->invariant = h;
  p->invariants = count;
  o->h = dae_model_ode_h, o->h_z = dae_model_ode_h_z, o->h_t = dae_model_ode_h_t;
}

bool dae_model_route_ode(dae_model *m, dae_plan *p) {
  ode x = {.m = m, .p = p, .n = m->structure->vars};
  const dae_structure *s = m->structure;
  if (s->redundant) {
    dae_model_error(
        &m->source, s->redundant_place,
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
    m->at = s->place[i];
    for (int k = 0; k < x.c[i]; k++) x.lead[i] = dae_model_rate(&m->graph, x.lead[i]);
  }
  m->at = DAE_NO_PLACE;
  if (!solve_all(&x)) return false;
  dae_ode *o = &p->problem.ode;
  *o = (dae_ode){.n = p->nz};
  make_rhs(&x, o);
  make_invariants(&x, o);
  p->lead = x.solved;
  return true;
}
