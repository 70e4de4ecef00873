/* the mechanical problem: functions of exact derivatives from the recognised rows */
#include <string.h>

#include "model/mech.h"

static int run(const dae_function *f, double t, const double *q, const double *v, const double *a,
               const double *y, double *out) {
  const double *const bank[DAE_BANKS] = {q, v, a, y};
  return dae_model_run(f, t, bank, out);
}

static int call_mass(double t, const double *q, double *M, void *ctx) {
  return run(((dae_plan *)ctx)->mass, t, q, NULL, NULL, NULL, M);
}
static int call_force(double t, const double *q, const double *v, double *f, void *ctx) {
  return run(((dae_plan *)ctx)->force, t, q, v, NULL, NULL, f);
}
/* df/dq = -d(M a + G'y - f)/dq at a = y = 0 */
static int call_force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  const dae_plan *p = ctx;
  int code = run(p->dynamics_q, t, q, v, p->zero, p->zero, J);
  for (int i = 0; i < p->nx * p->nx; i++) J[i] = -J[i];
  return code;
}
static int call_force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  return run(((dae_plan *)ctx)->force_v, t, q, v, NULL, NULL, J);
}
static int call_g(double t, const double *q, double *g, void *ctx) {
  return run(((dae_plan *)ctx)->g, t, q, NULL, NULL, NULL, g);
}
static int call_G(double t, const double *q, double *G, void *ctx) {
  return run(((dae_plan *)ctx)->G, t, q, NULL, NULL, NULL, G);
}
static int call_g_t(double t, const double *q, double *gt, void *ctx) {
  return run(((dae_plan *)ctx)->g_t, t, q, NULL, NULL, NULL, gt);
}
static int call_curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  return run(((dae_plan *)ctx)->curvature, t, q, v, NULL, NULL, c);
}
static int call_velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  return run(((dae_plan *)ctx)->velocity_q, t, q, v, NULL, NULL, L);
}
static int call_w(double t, const double *q, double *w, void *ctx) {
  return run(((dae_plan *)ctx)->w, t, q, NULL, NULL, NULL, w);
}
static int call_W(double t, const double *q, double *W, void *ctx) {
  return run(((dae_plan *)ctx)->W, t, q, NULL, NULL, NULL, W);
}
static int call_w_rate(double t, const double *q, const double *v, double *c, void *ctx) {
  return run(((dae_plan *)ctx)->w_rate, t, q, v, NULL, NULL, c);
}
static int call_dynamics_q(double t, const double *q, const double *v, const double *a,
                           const double *y, double *J, void *ctx) {
  return run(((dae_plan *)ctx)->dynamics_q, t, q, v, a, y, J);
}

enum { EVALUATE_ROOM = 512 }; /* numbers of M, f, G and c up to which they are taken together */

/* all from one function that shares what they have in common; some of them each by its own */
static int call_evaluate(double t, const double *q, const double *v, double *M, double *f,
                         double *G, double *c, void *ctx) {
  const dae_plan *p = ctx;
  if (!f || !G || !c || (!M && !p->problem.mechanical.mass_constant)) {
    int code = M ? run(p->mass, t, q, v, NULL, NULL, M) : 0;
    if (code == 0 && f) code = run(p->force, t, q, v, NULL, NULL, f);
    if (code == 0 && G) code = run(p->G, t, q, v, NULL, NULL, G);
    return code == 0 && c ? run(p->curvature, t, q, v, NULL, NULL, c) : code;
  }
  double all[EVALUATE_ROOM];
  const int *end = p->evaluate_end;
  memset(all, 0, (size_t)end[1] * sizeof *all); /* M and G are zero outside of their entries */
  int code = run(p->evaluate, t, q, v, NULL, NULL, all);
  if (M) memcpy(M, all, (size_t)end[0] * sizeof *M);
  memcpy(G, all + end[0], (size_t)(end[1] - end[0]) * sizeof *G);
  memcpy(f, all + end[1], (size_t)p->nx * sizeof *f);
  memcpy(c, all + end[1] + p->nx, (size_t)p->problem.mechanical.ng * sizeof *c);
  return code;
}

/* zero for leaves of the given banks (bits) */
typedef struct zeroes {
  dae_plan *p;
  int banks;
} zeroes;

static int to_zero(dae_graph *g, int leaf, void *ctx) {
  const zeroes *z = ctx;
  const dae_node n = g->node[leaf];
  int bank, index;
  if (n.op != OP_VAR || !dae_model_mech_locate(z->p, n.a, n.b, n.c, &bank, &index)) return leaf;
  return z->banks & (1 << bank) ? g->zero : leaf;
}

static int *without(dae_mech *x, const int *nodes, int count, int banks) {
  zeroes z = {x->p, banks};
  int *out = dae_model_ints(&x->m->built, count);
  dae_model_drop(&x->m->graph, nodes, count, out, to_zero, &z);
  return out;
}

/* a matrix function, sparse with its pattern when that pays */
static dae_function *matrix(dae_mech *x, const char *name, const dae_node_matrix *a,
                            const dae_pattern **pattern) {
  int count = a->start[a->rows];
  if (pattern && dae_model_sparse(a)) {
    *pattern = dae_model_pattern(x->m, a);
    return dae_model_function(&x->p->code, name, a->node, count);
  }
  return dae_model_scatter(&x->p->code, name, a->node, count, dae_model_places(x->m, a));
}

static void make_mass(dae_mech *x, dae_mechanical *mm) {
  dae_graph *g = &x->m->graph;
  x->mass = dae_model_mech_jacobian(x, x->row, x->nq, BANK_A);
  bool diagonal = true, identity = true, constant = true;
  for (int i = 0; i < x->nq; i++)
    for (int e = x->mass.start[i]; e < x->mass.start[i + 1]; e++) {
      diagonal = diagonal && x->mass.column[e] == i;
      constant = constant && dae_model_constant(g, x->mass.node[e]);
      identity = identity && constant && diagonal && g->node[x->mass.node[e]].value == 1;
    }
  mm->mass_constant = constant;
  if (identity) return;
  mm->mass = call_mass;
  mm->mass_kind = diagonal ? DAE_MASS_DIAGONAL : DAE_MASS_DENSE;
  if (diagonal) {
    x->p->mass = dae_model_function(&x->p->code, "M (diagonal)", x->mass.node, x->nq);
    return;
  }
  x->p->mass = matrix(x, "M", &x->mass, &mm->mass_pattern);
  if (mm->mass_pattern) mm->mass_kind = DAE_MASS_SPARSE;
}

static void make_force(dae_mech *x, dae_mechanical *mm) {
  dae_plan *p = x->p;
  int *f = without(x, x->row, x->nq, 1 << BANK_A | 1 << BANK_Y);
  for (int i = 0; i < x->nq; i++) f[i] = dae_model_op1(&x->m->graph, OP_NEG, f[i]);
  dae_node_matrix fv = dae_model_mech_jacobian(x, f, x->nq, BANK_V);
  dae_node_matrix dq = dae_model_mech_jacobian(x, x->row, x->nq, BANK_Q);
  p->force = dae_model_function(&p->code, "f", f, x->nq);
  p->force_v = matrix(x, "df/dv", &fv, &mm->force_v_pattern);
  p->dynamics_q = matrix(x, "d(M a + G'y - f)/dq", &dq, &mm->dynamics_pattern);
  mm->force = call_force;
  /* force_q is dense: where dynamics_q has a pattern, that one does the work */
  mm->force_q = mm->dynamics_pattern ? NULL : call_force_q;
  p->zero = dae_model_take(&x->m->built, (size_t)(x->nq + x->ny) + 1, sizeof(double));
  mm->force_v = call_force_v;
  mm->dynamics_q = call_dynamics_q;
}

static void make_holonomic(dae_mech *x, dae_mechanical *mm) {
  dae_plan *p = x->p;
  dae_graph *g = &x->m->graph;
  int *rate = dae_model_ints(&x->m->built, x->ng), *second = dae_model_ints(&x->m->built, x->ng),
      *g_t = dae_model_ints(&x->m->built, x->ng);
  dae_node_matrix G = dae_model_mech_jacobian(x, x->con, x->ng, BANK_Q);
  for (int i = 0; i < x->ng; i++) {
    rate[i] = dae_model_rate(g, x->con[i]);
    second[i] = dae_model_rate(g, rate[i]);
  }
  second = without(x, second, x->ng, 1 << BANK_A);
  dae_model_time_partials(x->m, x->con, x->ng, g_t);
  dae_node_matrix L = dae_model_mech_jacobian(x, rate, x->ng, BANK_Q);
  p->g = dae_model_function(&p->code, "g", x->con, x->ng);
  p->G = matrix(x, "G = dg/dq", &G, &mm->G_pattern);
  p->g_t = dae_model_function(&p->code, "dg/dt", g_t, x->ng);
  p->curvature = dae_model_function(&p->code, "g'' without G v'", second, x->ng);
  /* stored as G is: an entry of G that is constant has none in L */
  dae_node_matrix shaped = G;
  shaped.node = dae_model_ints(&x->m->built, G.start[x->ng]);
  for (int i = 0; i < x->ng; i++)
    for (int e = G.start[i], k = L.start[i]; e < G.start[i + 1]; e++) {
      bool both = k < L.start[i + 1] && L.column[k] == G.column[e];
      shaped.node[e] = both ? L.node[k++] : -1;
    }
  p->velocity_q = matrix(x, "d(G v + g_t)/dq", &shaped, &mm->G_pattern);
  mm->g = call_g, mm->G = call_G, mm->g_t = call_g_t;
  mm->curvature = call_curvature, mm->velocity_q = call_velocity_q;
  memcpy(p->invariant + p->invariants, x->con, (size_t)x->ng * sizeof(int));
  memcpy(p->invariant + p->invariants + x->ng, rate, (size_t)x->ng * sizeof(int));
  p->invariants += 2 * x->ng;
}

static void make_velocity_level(dae_mech *x, dae_mechanical *mm) {
  dae_plan *p = x->p;
  int *con = x->con + x->ng, *rate = dae_model_ints(&x->m->built, x->nw);
  dae_node_matrix W = dae_model_mech_jacobian(x, con, x->nw, BANK_V);
  int *w = without(x, con, x->nw, 1 << BANK_V);
  for (int i = 0; i < x->nw; i++) rate[i] = dae_model_rate(&x->m->graph, con[i]);
  rate = without(x, rate, x->nw, 1 << BANK_A);
  memcpy(p->invariant + p->invariants, con, (size_t)x->nw * sizeof(int));
  p->invariants += x->nw;
  p->w = dae_model_function(&p->code, "w", w, x->nw);
  p->W = matrix(x, "W", &W, &mm->W_pattern);
  p->w_rate = dae_model_function(&p->code, "(W v + w)' without W v'", rate, x->nw);
  mm->w = call_w, mm->W = call_W, mm->w_rate = call_w_rate;
}

/* outputs of f behind those that are there, at `offset` */
static int append(const dae_function *f, int offset, int *node, int *target, int count) {
  for (int k = 0; k < f->outputs; k++, count++) {
    node[count] = f->node[k];
    target[count] = offset + (f->target ? f->target[k] : k);
  }
  return count;
}

/* what a function costs, in additions: calls of sin and its kin count for many */
static long cost(const dae_function *f) {
  enum { CALL = 20 };
  long sum = 0;
  for (int k = 0; k < f->instructions; k++) {
    int op = f->instruction[k].op;
    bool cheap = op == OP_NEG || op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV;
    sum += cheap ? 1 : CALL;
  }
  return sum;
}

/* M, G, f and curvature as one function, where that saves more than copying them costs */
static void make_evaluate(dae_mech *x, dae_mechanical *mm) {
  dae_plan *p = x->p;
  const dae_function *part[] = {p->mass, p->G, p->force, p->curvature};
  if (!p->G || !p->force || !p->curvature) return; /* one has failed, and is told */
  const bool dense = mm->mass_kind == DAE_MASS_DENSE;
  const long size[] = {dense ? (long)x->nq * x->nq : (long)p->mass->outputs,
                       mm->G_pattern ? (long)p->G->outputs : (long)x->ng * x->nq, x->nq, x->ng};
  long total = size[0] + size[1] + size[2] + size[3];
  if (total > EVALUATE_ROOM) return;
  int *node = dae_model_ints(&x->m->built, (int)total),
      *target = dae_model_ints(&x->m->built, (int)total), count = 0, offset = 0;
  long separate = 0;
  for (int k = 0; k < 4; offset += (int)size[k++]) {
    count = append(part[k], offset, node, target, count);
    separate += cost(part[k]);
    if (k < 2) p->evaluate_end[k] = offset + (int)size[k];
  }
  p->evaluate = dae_model_scatter(&p->code, "M, G, f, g'' without G v'", node, count, target);
  if (!p->evaluate) return;
  if (separate - cost(p->evaluate) > total) mm->evaluate = call_evaluate;
  else p->code.functions--; /* the last one */
}

/* a_i = -(row i at a = 0)/M_ii for a diagonal M; else `rest` and M give it */
static void make_lead(dae_mech *x) {
  dae_graph *g = &x->m->graph;
  dae_plan *p = x->p;
  int *rest = without(x, x->row, x->nq, 1 << BANK_A), vars = x->m->structure->vars;
  bool diagonal = x->mass.start[x->nq] == x->nq;
  p->lead = dae_model_ints(&x->m->built, vars);
  for (int j = 0; j < vars; j++) p->lead[j] = -1;
  for (int i = 0; i < x->nq && diagonal; i++)
    p->lead[p->x_var[i]] =
        dae_model_op2(g, OP_DIV, dae_model_op1(g, OP_NEG, rest[i]), x->mass.node[i]);
  p->rest_node = rest;
}

void dae_model_mech_outputs(dae_plan *p) {
  const dae_pattern *pattern = p->problem.mechanical.mass_pattern;
  for (int k = 0; k < p->values->loads; k++)
    p->needs_a = p->needs_a || p->values->load[k].bank == BANK_A;
  if (!p->needs_a) return;
  p->rest = dae_model_function(&p->code, "M a + G'y - f at a = 0", p->rest_node, p->nx);
  if (!pattern) return;
  p->mass_block.solver =
      dae_model_take(&p->model->built, DAE_WORKSPACES, sizeof *p->mass_block.solver);
  p->mass_block.size = p->nx;
  p->mass_block.pattern = pattern;
}

enum { DENSE_MOST = 20000 }; /* coordinates whose dense M is still counted by an int */

/* numbers that M is stored in: those of its pattern, or all */
static int mass_size(const dae_plan *p) {
  const dae_pattern *s = p->mass_block.pattern;
  return s ? s->start[p->nx] : p->nx * p->nx;
}

/* M a = -rest; at: room for a and the values of M, then pivots */
static int accelerations(const dae_plan *p, double t, const double *q, const double *v,
                         const double *y, double *at, int slot) {
  int n = p->nx, size = mass_size(p), *pivot = (int *)(at + n + size);
  double *a = at, *M = at + n;
  memset(M, 0, (size_t)size * sizeof *M);
  if (run(p->mass, t, q, v, NULL, y, M) || run(p->rest, t, q, v, NULL, y, a)) return 1;
  for (int i = 0; i < n; i++) a[i] = -a[i];
  if (p->mass_block.pattern) {
    dae_la_solver *lu = dae_model_block_lu(p, &p->mass_block, slot);
    if (!lu || dae_la_solver_factor(lu, M) != DAE_OK) return 1;
    dae_la_solver_solve(lu, a);
    return 0;
  }
  if (dae_la_lu(n, M, pivot) != 0) return 1;
  dae_la_lu_solve(n, M, pivot, a);
  return 0;
}

int dae_model_mech_values(const dae_plan *p, double t, const double *z, const double *y,
                          double *out) {
  if (!p->needs_a) return run(p->values, t, z, z + p->nx, NULL, y, out);
  if (!p->mass_block.pattern && p->nx > DENSE_MOST) return 1;
  dae_code *code = (dae_code *)&p->code;
  int slot = dae_model_workspace(code, 2 * p->nx + mass_size(p));
  if (slot < 0) return 1;
  double *a = code->workspace[slot];
  int failed = accelerations(p, t, z, z + p->nx, y, a, slot);
  if (!failed) failed = run(p->values, t, z, z + p->nx, a, y, out);
  dae_model_workspace_end(code, slot);
  return failed;
}

bool dae_model_route_mechanical(dae_model *m, dae_plan *p) {
  dae_mech x = {.m = m, .p = p};
  if (!dae_model_mech_recognise(&x)) return false;
  p->route = ROUTE_MECHANICAL;
  dae_problem *problem = &p->problem;
  problem->kind = DAE_MECHANICAL;
  dae_mechanical *mm = &problem->mechanical;
  *mm = (dae_mechanical){.nq = x.nq, .ng = x.ng, .nw = x.nw};
  dae_model_code_init(&p->code, &m->graph, &m->built, dae_model_mech_locate, p);
  p->invariant = dae_model_ints(&m->built, 2 * x.ng + x.nw);
  make_mass(&x, mm);
  make_lead(&x);
  make_force(&x, mm);
  if (x.ng) make_holonomic(&x, mm);
  /* an M that is the identity is not given, and with evaluate it would have to be */
  if (x.ng && !x.nw && p->mass) make_evaluate(&x, mm);
  if (x.nw) make_velocity_level(&x, mm);
  p->g_name = dae_model_take(&m->built, (size_t)x.ny + 1, sizeof *p->g_name);
  for (int i = 0; i < x.ny; i++)
    p->g_name[i] = dae_model_constraint_name(m, m->structure->place[x.equation[i]]);
  return true;
}
