/*
 * Initial values: `start` is a guess unless fixed = true or an initial equation states it.
 * Entries of z that
 * are stated are held by the consistent start of the library; general conditions are solved for
 * here, together
 * with all constraints, by Gauss-Newton steps of least length.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"

static void add_condition(dae_model *m, dae_plan *p, int node) {
  p->condition = dae_model_grow(&m->built, p->condition, &p->condition_capacity, p->conditions + 1,
                                sizeof(int));
  p->condition[p->conditions++] = node;
}

/* +-x^(k): the entry of z or y that it names; sign +-1, 0 when it is something else */
static int entry_of(dae_model *m, const dae_plan *p, int node, int *z_index, int *y_index) {
  const dae_node *n = &m->graph.node[node];
  int sign = 1;
  *z_index = *y_index = -1;
  if (n->op == OP_NEG) sign = -1, n = &m->graph.node[n->a];
  if (n->op != OP_VAR || n->c == WHEN_FINAL) return 0;
  int j = m->structure->kept_of[n->a];
  if (j < 0) return 0;
  *z_index = dae_model_z_index(p, j, n->b);
  if (p->route != ROUTE_ODE && n->b == 0) *y_index = p->y_of[j];
  return *z_index >= 0 || *y_index >= 0 ? sign : 0;
}

/* one stated value: fixes an entry of z; a second one for the same entry becomes a condition */
static bool state(dae_model *m, dae_plan *p, int node, double value, uint32_t place,
                  const char *name) {
  int z, y, sign = entry_of(m, p, node, &z, &y);
  if (sign && y >= 0) {
    dae_model_warn(&m->source, place,
                   "'%.80s' follows from the equations: its initial value is only a guess", name);
    p->y0[y] = sign * value;
    return true;
  }
  if (sign && !p->fixed[z]) {
    p->fixed[z] = 1;
    p->fixes++;
    p->z0[z] = sign * value;
    return true;
  }
  add_condition(m, p, dae_model_op2(&m->graph, OP_SUB, node, dae_model_const(&m->graph, value)));
  return true;
}

/* start values of all variables of the text; fixed ones after the guesses */
static bool take_starts(dae_model *m, dae_plan *p) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->flat.variables; i++) {
      const dae_variable *v = &m->flat.variable[i];
      int node = m->structure->value[i], z, y;
      if (pass == 1) {
        if (v->fixed && !state(m, p, node, v->start, v->place, v->name)) return false;
        continue;
      }
      if (!v->has_start) continue;
      int sign = entry_of(m, p, node, &z, &y);
      if (sign && y >= 0) p->y0[y] = sign * v->start;
      if (sign && z >= 0 && p->start_of[z] < 0) p->z0[z] = sign * v->start, p->start_of[z] = i;
    }
  return true;
}

static bool is_final(void *ctx, const dae_node *leaf) {
  (void)ctx;
  return leaf->c == WHEN_FINAL;
}

/* left = right: a stated entry when one side is a variable and the other a number */
static bool take_equation(dae_model *m, dae_plan *p, const dae_equation *eq) {
  dae_namer namer = dae_model_namer(m);
  dae_text name = {.arena = &m->built};
  for (int side = 0; side < 2; side++) {
    int a = side ? eq->right : eq->left, b = side ? eq->left : eq->right, z, y;
    if (dae_model_constant(&m->graph, b) && entry_of(m, p, a, &z, &y)) {
      dae_model_print(&m->graph, a, &namer, &name);
      return state(m, p, a, m->graph.node[b].value, eq->place, name.data);
    }
  }
  add_condition(m, p, dae_model_op2(&m->graph, OP_SUB, eq->left, eq->right));
  return true;
}

/* x(startTime) means the same as x here; leading derivatives become formulas */
static int at_start(dae_graph *g, int leaf, void *ctx) {
  const dae_plan *p = ctx;
  dae_node n = g->node[leaf];
  if (n.op != OP_VAR || n.c == WHEN_FINAL) return leaf;
  int j = p->model->structure->kept_of[n.a];
  if (j >= 0 && dae_model_z_index(p, j, n.b) < 0 && p->lead[j] >= 0) {
    int order = p->route == ROUTE_ODE ? p->d[j] : p->order, node = p->lead[j];
    for (int k = order; k < n.b; k++) node = dae_model_rate(g, node);
    return node;
  }
  return dae_model_var(g, n.a, n.b, WHEN_NOW);
}

static int z_column(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) return -1;
  return dae_model_z_index(p, p->model->structure->kept_of[leaf->a], leaf->b);
}

static bool not_in_z(void *ctx, const dae_node *leaf) { return z_column(ctx, leaf) < 0; }

static bool z_locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  *bank = 0;
  *index =
      when == WHEN_NOW ? dae_model_z_index(p, p->model->structure->kept_of[variable], order) : -1;
  return *index >= 0;
}

/* 0 = (constraints at all levels, conditions) for z, entries that are fixed held */
typedef struct newton {
  int rows, cols;
  dae_function *r, *J;
  double *residual, *jacobian, *reduced, *step, *tau, *work;
  int *free, *perm;
} newton;

static bool newton_step(newton *n, dae_plan *p, double *size) {
  const double *const bank[DAE_BANKS] = {p->z0, NULL, NULL, NULL};
  memset(n->jacobian, 0, (size_t)n->rows * (size_t)p->nz * sizeof(double));
  if (dae_model_run(n->r, p->problem.t0, bank, n->residual) ||
      !dae_base_finite(n->residual, n->rows))
    return false;
  if (dae_model_run(n->J, p->problem.t0, bank, n->jacobian)) return false;
  for (int i = 0; i < n->rows; i++) {
    n->residual[i] = -n->residual[i];
    for (int k = 0; k < n->cols; k++)
      n->reduced[i * n->cols + k] = n->jacobian[i * p->nz + n->free[k]];
  }
  if (!dae_base_finite(n->reduced, n->rows * n->cols)) return false;
  int rank = dae_la_qr_rank(n->rows, n->cols, n->reduced, 1e-10, n->perm, n->tau, n->work);
  dae_la_qr_min_norm(n->rows, n->cols, rank, n->reduced, n->perm, n->tau, n->residual, n->step,
                     n->work);
  *size = 0;
  for (int k = 0; k < n->cols; k++) {
    double *z = &p->z0[n->free[k]];
    *z += n->step[k];
    *size = fmax(*size, fabs(n->step[k]) / (1 + fabs(*z)));
  }
  return isfinite(*size);
}

/* `quiet`: a failure is no error, the start values stay as they were */
static bool solve_conditions(dae_model *m, dae_plan *p, bool quiet) {
  dae_code code;
  newton n = {.rows = p->invariants + p->conditions};
  int *node = dae_model_ints(&m->built, n.rows);
  if (p->invariants) memcpy(node, p->invariant, (size_t)p->invariants * sizeof(int));
  dae_model_substitute(&m->graph, p->condition, p->conditions, node + p->invariants, at_start, p);
  for (int i = 0; i < n.rows; i++)
    if (dae_model_depends(m, node[i], not_in_z, p)) {
      if (quiet) return false;
      dae_model_error(
          &m->source, DAE_NO_PLACE,
          "an initial equation holds a variable that is not free at the start (a multiplier, or a "
          "derivative that is solved for numerically)");
      return false;
    }
  dae_model_code_init(&code, &m->graph, &m->built, z_locate, p);
  dae_node_matrix J = dae_model_jacobian(m, node, n.rows, p->nz, z_column, p);
  n.r = dae_model_function(&code, "", node, n.rows);
  n.J = dae_model_scatter(&code, "", J.node, J.start[n.rows], dae_model_places(m, &J));
  n.free = dae_model_ints(&m->built, p->nz);
  for (int i = 0; i < p->nz; i++)
    if (!p->fixed[i]) n.free[n.cols++] = i;
  int big = n.rows + p->nz;
  n.perm = dae_model_ints(&m->built, n.rows + 1);
  n.residual = dae_model_take(&m->built, (size_t)big, sizeof(double));
  n.step = dae_model_take(&m->built, (size_t)big, sizeof(double));
  n.tau = dae_model_take(&m->built, (size_t)big, sizeof(double));
  n.work = dae_model_take(&m->built, 4 * (size_t)big, sizeof(double));
  n.jacobian = dae_model_take(&m->built, (size_t)n.rows * (size_t)p->nz, sizeof(double));
  n.reduced = dae_model_take(&m->built, (size_t)n.rows * (size_t)(n.cols + 1), sizeof(double));
  double size = 1;
  bool ok = true;
  for (int k = 0; k < 60 && ok && size > 1e-14; k++) ok = newton_step(&n, p, &size);
  const double *const bank[DAE_BANKS] = {p->z0, NULL, NULL, NULL};
  double worst = 0;
  int at = 0;
  if (ok) ok = dae_model_run(n.r, p->problem.t0, bank, n.residual) == 0;
  for (int i = 0; i < n.rows && ok; i++)
    if (!(fabs(n.residual[i]) <= worst)) worst = fabs(n.residual[i]), at = i;
  dae_model_code_free(&code);
  if (ok && worst < 1e-7) return true;
  if (quiet) return false;
  dae_text text = {.arena = &m->built};
  dae_namer namer = dae_model_namer(m);
  dae_model_print(&m->graph, node[at], &namer, &text);
  dae_model_error(&m->source, DAE_NO_PLACE,
                  "the initial conditions have no solution near the start values: 0 = %.200s is "
                  "off by %.3g; change "
                  "start values or free some that are fixed",
                  text.data, worst);
  return false;
}

/*
 * Start values of differential variables come before those of algebraic ones: when there are not
 * more of them than degrees of freedom, they are held while the rest is solved for. Only where
 * algebraic variables are in z.
 */
static bool hold_states(dae_model *m, dae_plan *p) {
  enum { MOST = 600 };
  const dae_structure *s = m->structure;
  if (p->route != ROUTE_ODE || p->invariants == 0 || p->nz > MOST) return false;
  unsigned char *stated = dae_model_take(&m->built, (size_t)p->nz, 1);
  double *start = dae_model_take(&m->built, (size_t)p->nz, sizeof(double));
  memcpy(stated, p->fixed, (size_t)p->nz);
  memcpy(start, p->z0, (size_t)p->nz * sizeof(double));
  int held = p->fixes + p->conditions, before = held;
  for (int j = 0; j < s->vars; j++)
    for (int k = 0; k < s->d[j]; k++) {
      int z = p->z_first[j] + k;
      if (p->fixed[z] || p->start_of[z] < 0) continue;
      p->fixed[z] = 1;
      held++;
    }
  bool ok = held > before && held <= s->dof && solve_conditions(m, p, true);
  if (!ok) memcpy(p->z0, start, (size_t)p->nz * sizeof(double));
  memcpy(p->fixed, stated, (size_t)p->nz);
  return ok;
}

bool dae_model_start(dae_model *m, dae_plan *p) {
  p->z0 = dae_model_take(&m->built, (size_t)p->nz + 1, sizeof(double));
  p->y0 = dae_model_take(&m->built, (size_t)p->ny + 1, sizeof(double));
  p->fixed = dae_model_take(&m->built, (size_t)p->nz + 1, 1);
  p->start_of = dae_model_ints(&m->built, p->nz + 1);
  for (int i = 0; i < p->nz; i++) p->start_of[i] = -1;
  if (!take_starts(m, p)) return false;
  bool final = false;
  for (int i = 0; i < m->flat.initials; i++) {
    const dae_equation *eq = &m->flat.initial[i];
    final = final || dae_model_depends(m, eq->left, is_final, NULL) ||
            dae_model_depends(m, eq->right, is_final, NULL);
    if (!take_equation(m, p, eq)) return false;
  }
  m->flat.has_boundary = final;
  bool held = !final && hold_states(m, p);
  if (p->conditions && !final && !held && !solve_conditions(m, p, false)) return false;
  p->problem.z0 = p->z0;
  p->problem.y0 = p->ny ? p->y0 : NULL;
  p->problem.fixed = p->fixed;
  return true;
}
