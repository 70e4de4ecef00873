/* choosing the route, and what all routes share */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan.h"

enum {
  CHECKED = 2000,       /* entries of z for which all expressions are evaluated at the start */
  COMPILER_SECONDS = 30 /* some seconds are usual on a busy machine */
};

double dae_model_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

static int by_column(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (x[0] > y[0]) - (x[0] < y[0]);
}

dae_node_matrix dae_model_jacobian(dae_model *m, const int *rows, int count, int cols,
                                   dae_column_of column_of, void *ctx) {
  dae_node_matrix a = {.rows = count, .cols = cols, .start = dae_model_ints(&m->built, count + 1)};
  dae_gradient gradient = {0};
  int entries = 0, column_capacity = 0, node_capacity = 0, capacity = 0, *pair = NULL;
  for (int i = 0; i < count; i++) {
    a.start[i] = entries;
    dae_model_gradient(&m->graph, rows[i], &gradient);
    int found = 0;
    pair = dae_model_grow(&m->built, pair, &capacity, 2 * gradient.count + 2, sizeof(int));
    for (int k = 0; k < gradient.count; k++) {
      int j = column_of(ctx, &m->graph.node[gradient.leaf[k]]);
      if (j < 0 || dae_model_is(&m->graph, gradient.value[k], 0)) continue;
      pair[2 * found] = j;
      pair[2 * found++ + 1] = gradient.value[k];
    }
    qsort(pair, (size_t)found, 2 * sizeof(int), by_column);
    a.column = dae_model_grow(&m->built, a.column, &column_capacity, entries + found, sizeof(int));
    a.node = dae_model_grow(&m->built, a.node, &node_capacity, entries + found, sizeof(int));
    for (int k = 0; k < found; k++, entries++)
      a.column[entries] = pair[2 * k], a.node[entries] = pair[2 * k + 1];
  }
  a.start[count] = entries;
  dae_base_give(&m->built.pool, pair);
  dae_base_give(&m->built.pool, gradient.leaf);
  dae_base_give(&m->built.pool, gradient.value);
  return a;
}

static int time_column(void *ctx, const dae_node *leaf) {
  (void)ctx;
  return leaf->op == OP_TIME ? 0 : -1;
}

void dae_model_time_partials(dae_model *m, const int *rows, int count, int *out) {
  dae_node_matrix a = dae_model_jacobian(m, rows, count, 1, time_column, NULL);
  for (int i = 0; i < count; i++)
    out[i] = a.start[i] < a.start[i + 1] ? a.node[a.start[i]] : m->graph.zero;
}

int *dae_model_places(dae_model *m, const dae_node_matrix *a) {
  int *place = dae_model_ints(&m->built, a->start[a->rows]);
  for (int i = 0; i < a->rows; i++)
    for (int e = a->start[i]; e < a->start[i + 1]; e++) place[e] = i * a->cols + a->column[e];
  return place;
}

const dae_pattern *dae_model_pattern(dae_model *m, const dae_node_matrix *a) {
  dae_pattern *pattern = dae_model_take(&m->built, 1, sizeof *pattern);
  *pattern =
      (dae_pattern){.rows = a->rows, .cols = a->cols, .start = a->start, .column = a->column};
  return pattern;
}

bool dae_model_sparse(const dae_node_matrix *a) {
  double size = (double)a->rows * a->cols;
  return a->cols > 32 && a->start[a->rows] < 0.25 * size;
}

bool dae_model_depends(dae_model *m, int node, bool (*test)(void *ctx, const dae_node *leaf),
                       void *ctx) {
  dae_set below = {0};
  dae_model_reach(&m->graph, &node, 1, &below);
  bool found = false;
  for (int k = 0; k < below.count && !found; k++) {
    const dae_node *n = &m->graph.node[below.node[k]];
    found = n->op == OP_VAR && test(ctx, n);
  }
  dae_model_set_free(&m->graph, &below);
  return found;
}

const char *dae_model_constraint_name(dae_model *m, uint32_t place) {
  int line;
  char text[40];
  dae_model_locate(&m->source, place, &line, NULL);
  int n = snprintf(text, sizeof text, "equation of line %d", line);
  return dae_model_copy(&m->built, text, (size_t)n);
}

/* a variable of the text: the numbers of switching functions have no derivative anywhere */
static bool is_given_at_events(void *ctx, const dae_node *leaf) {
  const dae_model *m = ctx;
  return m->flat.variable[leaf->a].assigned && m->flat.variable[leaf->a].symbol >= 0;
}

/* x: variables of order m, y: of order 0; equations that are never differentiated, and
   constraints */
bool dae_model_classify(dae_model *m, dae_plan *p, dae_classes *c) {
  const dae_structure *s = m->structure;
  p->order = 0;
  for (int j = 0; j < s->vars; j++)
    if (s->d[j] > p->order) p->order = s->d[j];
  p->x_of = dae_model_ints(&m->built, s->vars), p->y_of = dae_model_ints(&m->built, s->vars);
  p->x_var = dae_model_ints(&m->built, s->vars), p->y_var = dae_model_ints(&m->built, s->vars);
  p->nx = p->ny = 0;
  for (int j = 0; j < s->vars; j++) {
    p->x_of[j] = p->y_of[j] = -1;
    if (s->d[j] != 0 && s->d[j] != p->order) {
      p->why = "the variables have derivatives of different orders";
      return false;
    }
    if (s->d[j]) p->x_var[p->nx] = j, p->x_of[j] = p->nx++;
    else p->y_var[p->ny] = j, p->y_of[j] = p->ny++;
  }
  c->dyn = dae_model_ints(&m->built, s->eqs), c->con = dae_model_ints(&m->built, s->eqs);
  c->dyns = c->cons = 0;
  for (int i = 0; i < s->eqs; i++) {
    if (s->c[i]) c->con[c->cons++] = i;
    else c->dyn[c->dyns++] = i;
  }
  if (p->order == 0 || c->dyns != p->nx || c->cons != p->ny) {
    p->why = "it has algebraic variables that no constraint belongs to";
    return false;
  }
  p->nz = p->order * p->nx;
  for (int k = 0; k < c->cons; k++)
    if (dae_model_depends(m, s->residual[c->con[k]], is_given_at_events, m)) {
      p->why = "a constraint depends on a variable that events change";
      return false;
    }
  return true;
}

/* ---- names, values, code ---- */

static const char *name_of(dae_model *m, int variable, int order) {
  dae_namer namer = dae_model_namer(m);
  char buffer[200];
  const char *name = namer.variable(namer.ctx, variable, order, buffer, sizeof buffer);
  return name == buffer ? dae_model_copy(&m->built, buffer, strlen(buffer)) : name;
}

static void make_names(dae_model *m, dae_plan *p) {
  const dae_structure *s = m->structure;
  p->z_name = dae_model_take(&m->built, (size_t)p->nz + 1, sizeof *p->z_name);
  p->y_name = dae_model_take(&m->built, (size_t)p->ny + 1, sizeof *p->y_name);
  for (int j = 0; j < s->vars; j++) {
    if (p->route == ROUTE_ODE) {
      for (int k = 0; k < p->d[j]; k++) p->z_name[p->z_first[j] + k] = name_of(m, s->var[j], k);
      continue;
    }
    if (p->y_of[j] >= 0) p->y_name[p->y_of[j]] = name_of(m, s->var[j], 0);
    for (int k = 0; k < p->order && p->x_of[j] >= 0; k++)
      p->z_name[k * p->nx + p->x_of[j]] = name_of(m, s->var[j], k);
  }
  p->problem.whole = &p->problem;
  p->problem.z_name = p->z_name;
  p->problem.y_name = p->y_name;
  p->problem.g_name = p->g_name;
}

int dae_model_z_index(const dae_plan *p, int kept, int order) {
  if (kept < 0) return -1; /* eliminated: a formula of others */
  if (p->route == ROUTE_ODE) return order < p->d[kept] ? p->z_first[kept] + order : -1;
  return p->x_of[kept] >= 0 && order < p->order ? order * p->nx + p->x_of[kept] : -1;
}

/* leading derivatives that are known as formulas */
int dae_model_replace_lead(dae_graph *g, int leaf, void *ctx) {
  const dae_plan *p = ctx;
  const dae_node n = g->node[leaf];
  if (n.op != OP_VAR || n.c != WHEN_NOW) return leaf;
  int j = p->model->structure->kept_of[n.a], order = p->route == ROUTE_ODE ? p->d[j] : p->order;
  if (p->route != ROUTE_ODE && p->y_of[j] >= 0) order = 0;
  if (n.b < order || p->lead[j] < 0) return leaf;
  int node = p->lead[j];
  for (int k = order; k < n.b; k++) node = dae_model_rate(g, node);
  return node;
}

/* scratch of every node below: does it hold a variable that the functions do not know? */
static void mark_beyond(dae_plan *p, const int *node, int count) {
  dae_graph *g = &p->model->graph;
  dae_set below = {0};
  dae_model_reach(g, node, count, &below);
  for (int k = 0; k < below.count; k++) {
    const dae_node *n = &g->node[below.node[k]];
    int bank, index, argument[3] = {n->a, n->b, n->c}, *mark = &g->scratch[below.node[k]];
    *mark = n->op == OP_VAR && !p->code.locate(p->code.ctx, n->a, n->b, n->c, &bank, &index);
    for (int i = 0; i < dae_model_op_arity(n->op); i++) *mark |= g->scratch[argument[i]];
  }
  dae_model_set_free(g, &below);
}

/* all variables at a point of the problem; > 0 when one of them is no finite number */
int dae_model_plan_values(const dae_plan *p, double t, const double *z, const double *y,
                          double *out) {
  const double *const bank[DAE_BANKS] = {z, y, NULL, NULL};
  int n = p->problem.n_output, code;
  if (p->route == ROUTE_ODE) code = dae_model_ode_values(p, t, z, out);
  else if (p->route == ROUTE_MECHANICAL) code = dae_model_mech_values(p, t, z, y, out);
  else code = dae_model_run(p->values, t, bank, out);
  for (int i = 0; code != 0 && i < n; i++) out[i] = NAN;
  return code != 0 ? code : !dae_base_finite(out, n);
}

static int output(double t, const double *z, const double *y, double *out, void *ctx) {
  return dae_model_plan_values(ctx, t, z, y, out);
}

/* they are what the audit wants finite */
static void make_outputs(dae_model *m, dae_plan *p, int n) {
  const char **name = dae_model_take(&m->built, (size_t)n + 1, sizeof *name);
  for (int i = 0; i < n; i++) name[i] = m->flat.variable[i].name;
  p->problem.n_output = n;
  p->problem.output = output;
  p->problem.output_name = name;
}

/* formulas that need derivatives beyond the leading ones have no value: such variables must not be
   eliminated (m->keep), so that the structure brings the derivatives; false: build again */
static bool make_values(dae_model *m, dae_plan *p) {
  int n = m->flat.variables - m->flat.hidden, *node = dae_model_ints(&m->built, n);
  dae_model_substitute(&m->graph, m->structure->value, n, node, dae_model_replace_lead, p);
  dae_model_substitute(&m->graph, node, n, node, dae_model_replace_lead, p);
  bool again = false;
  mark_beyond(p, node, n);
  for (int i = 0; i < n; i++) {
    if (m->structure->kept_of[i] >= 0 || !m->graph.scratch[node[i]]) continue;
    if (!m->keep) m->keep = dae_model_take(&m->text, (size_t)m->flat.variables, sizeof *m->keep);
    m->keep[i] = again = true;
  }
  if (again) return false;
  p->values = dae_model_function(&p->code, "all variables", node, n);
  if (p->values && p->route == ROUTE_MECHANICAL) dae_model_mech_outputs(p);
  make_outputs(m, p, n);
  return true;
}

int dae_model_values(const dae_model *m, double t, const double *z, const double *y, double *all) {
  if (!m || !m->is_built || !z || !all || (!y && dae_problem_ny(&m->plan->problem) > 0)) return -1;
  return dae_model_plan_values(m->plan, t, z, y, all);
}

static void compile(dae_model *m, dae_plan *p) {
  char why[400];
  double patience = m->options.model_seconds > 0 ? m->options.model_seconds
                                                 : fmax(m->limits.seconds, COMPILER_SECONDS);
  dae_compile wish = {m->options.compiler, m->options.cache, patience, why, sizeof why};
  dae_model_emit(&p->code, "generated from a model: numbers and known functions only");
  p->note.arena = &m->built;
  if (m->graph.foreigns > 0) {
    dae_model_text_add(&p->note, "the equations are interpreted: they call C functions (external)");
    return;
  }
  if (dae_model_compile(&p->code, &wish)) return;
  dae_model_text_add(&p->note, "the equations are interpreted: %s", why);
  if (!m->options.compiler || m->options.compiler[0])
    dae_base_log(&m->options.log, DAE_LOG_WARN, "%s", p->note.data);
}

/* does the equation hold exactly this leaf, or the variable of it? */
static bool holds(dae_model *m, const dae_equation *eq, const dae_node *leaf, bool exactly) {
  dae_set below = {0};
  dae_model_reach(&m->graph, (int[]){eq->left, eq->right}, 2, &below);
  bool found = false;
  for (int k = 0; k < below.count && !found; k++) {
    const dae_node *n = &m->graph.node[below.node[k]];
    found = n->op == OP_VAR && n->a == leaf->a && (n == leaf || !exactly);
  }
  dae_model_set_free(&m->graph, &below);
  return found;
}

/* the equation to blame for a leaf: one that holds it, else one that holds its variable */
static uint32_t place_of(dae_model *m, const dae_node *leaf) {
  const dae_flat *f = &m->flat;
  const dae_equation *const list[] = {f->invariant, f->equation, f->initial};
  const int count[] = {f->invariants, f->equations, f->initials};
  for (int exactly = 1; exactly >= 0; exactly--)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < count[k]; i++)
        if (holds(m, &list[k][i], leaf, exactly)) return list[k][i].place;
  return f->variable[leaf->a].place;
}

/* every function was made; else an error names the variable without a value */
static bool complete(dae_model *m, const dae_code *code) {
  if (!code->arena || code->missing < 0) return true;
  dae_namer namer = dae_model_namer(m);
  dae_text name = {.arena = &m->built};
  dae_model_print(&m->graph, code->missing, &namer, &name);
  dae_model_error(&m->source, place_of(m, &m->graph.node[code->missing]),
                  "'%.100s' is needed here, but the equations give no value of it: it is no state "
                  "and no highest derivative",
                  name.data);
  return false;
}

/* only the ODE route knows how to slide along a switch, and nothing is lost without constraints */
static bool may_slide(const dae_model *m) {
  bool any = false;
  for (int k = 0; k < m->flat.switchings; k++)
    any = any || (m->flat.switching[k].variable >= 0 && !m->flat.switching[k].whole);
  for (int i = 0; i < m->structure->eqs; i++)
    any = any && m->structure->c[i] == 0 && m->structure->d[i] > 0;
  return any;
}

bool dae_model_make_plan(dae_model *m) {
  dae_plan *p = dae_model_take(&m->built, 1, sizeof *p);
  p->model = m;
  p->explain.arena = &m->built;
  p->problem.ctx = p;
  p->problem.name = m->names.text[m->main->name];
  p->problem.title = m->main->comment;
  p->problem.t0 = m->flat.start_time;
  p->problem.t1 = m->flat.stop_time;
  p->problem.n_par = m->flat.parameters;
  p->problem.par_name = m->flat.parameter_name;
  p->problem.par = m->flat.parameter_value;
  m->plan = p;
  bool ok = false;
  if (m->flat.invariants) p->why = "it has invariants of its own";
  else if (may_slide(m)) p->why = "its equations switch, and there are no constraints";
  else ok = dae_model_route_mechanical(m, p) || dae_model_route_hessenberg(m, p);
  ok = ok || dae_model_route_ode(m, p);
  if (!ok) {
    complete(m, &p->code);
    return false;
  }
  if (p->route == ROUTE_ODE) m->structure->index_true = dae_model_true_index(m, m->structure);
  make_names(m, p);
  m->again = !make_values(m, p);
  if (m->again) return false;
  if (!complete(m, &p->code)) return false;
  if (!dae_model_make_switches(m, p) || !dae_model_start(m, p)) return false;
  if (m->homotopy.trial) return true;
  if (!dae_model_make_boundary(m, p) || !dae_model_make_events(m, p)) return false;
  if (!complete(m, &p->code) || !complete(m, &p->boundary_code)) return false;
  if (!m->flat.has_boundary && p->nz <= CHECKED) dae_model_explain_finite(m, p);
  compile(m, p);
  dae_model_write_explain(m, p);
  return true;
}

void dae_model_plan_free(dae_model *m) {
  dae_model_drawing_free(m);
  if (m->plan) dae_model_ode_free(m->plan);
  if (m->plan && m->plan->code.arena) dae_model_code_free(&m->plan->code);
  if (m->plan && m->plan->boundary_code.arena) dae_model_code_free(&m->plan->boundary_code);
  if (m->plan && m->plan->hybrid.code.arena) dae_model_code_free(&m->plan->hybrid.code);
  if (m->plan && m->plan->hybrid.slide_code.arena) dae_model_code_free(&m->plan->hybrid.slide_code);
  m->plan = NULL;
}

const dae_problem *dae_model_problem(const dae_model *m) {
  return m && m->is_built ? &m->plan->problem : NULL;
}
const char *dae_model_explain(const dae_model *m) {
  return m && m->is_built ? m->plan->explain.data : NULL;
}
const char *dae_model_code(const dae_model *m) {
  return m && m->is_built ? m->plan->code.text.data : NULL;
}
int dae_model_index(const dae_model *m) { return m && m->is_built ? m->structure->index_true : -1; }
const char *dae_model_interpreted(const dae_model *m) {
  return m && m->is_built && !m->plan->code.library ? m->plan->note.data : NULL;
}
int dae_model_compiled(const dae_model *m) {
  return m && m->is_built && m->plan->code.library != NULL;
}
