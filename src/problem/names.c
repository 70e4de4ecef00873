/* sizes that follow from the form, names, and whether the struct is complete */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/problem.h"
#include <daedal/bvp.h>

int dae_problem_order(const dae_problem *p) {
  if (!p) return 0;
  return p->kind == DAE_MECHANICAL ? 2 : p->kind == DAE_HESSENBERG ? p->hessenberg.order : 1;
}

int dae_problem_nx(const dae_problem *p) {
  switch (p ? p->kind : 0) {
    case DAE_ODE: return p->ode.n;
    case DAE_HESSENBERG: return p->hessenberg.nx;
    case DAE_MECHANICAL: return p->mechanical.nq;
    case DAE_IMPLICIT: return p->implicit.n;
  }
  return 0;
}

int dae_problem_nz(const dae_problem *p) { return dae_problem_order(p) * dae_problem_nx(p); }

int dae_problem_ny(const dae_problem *p) {
  switch (p ? p->kind : 0) {
    case DAE_IMPLICIT:
    case DAE_ODE: return 0;
    case DAE_HESSENBERG: return p->hessenberg.ny;
    case DAE_MECHANICAL: return p->mechanical.ng + p->mechanical.nw;
  }
  return 0;
}

int dae_problem_nh(const dae_problem *p) {
  switch (p ? p->kind : 0) {
    case DAE_ODE: return p->ode.nh;
    case DAE_IMPLICIT: return p->implicit.nh;
    case DAE_HESSENBERG: return p->hessenberg.ny * (p->hessenberg.g_of_z ? 1 : p->hessenberg.order);
    case DAE_MECHANICAL: return 2 * p->mechanical.ng + p->mechanical.nw;
  }
  return 0;
}

static int declared_index(const dae_implicit *m) {
  int most = 0;
  for (int i = 0; m->variable_index && i < m->n; i++)
    if (m->variable_index[i] > most) most = m->variable_index[i];
  return most;
}

int dae_problem_index(const dae_problem *p) {
  switch (p ? p->kind : 0) {
    case DAE_ODE: return 0;
    case DAE_HESSENBERG:
      return p->hessenberg.ny == 0 ? 0 : p->hessenberg.g_of_z ? 2 : p->hessenberg.order + 1;
    case DAE_MECHANICAL: return p->mechanical.ng > 0 ? 3 : p->mechanical.nw > 0 ? 2 : 0;
    case DAE_IMPLICIT: return declared_index(&p->implicit);
  }
  return 0;
}

/* an empty text to begin with, also for a number out of range; false: there is no place for any */
static bool room(char *text, int size) {
  if (!text || size <= 0) return false;
  text[0] = '\0';
  return true;
}

const char *dae_problem_z_name(const dae_problem *p, int i, char *text, int size) {
  int nx = dae_problem_nx(p), level = nx > 0 ? i / nx : 0;
  if (!room(text, size) || i < 0 || i >= dae_problem_nz(p)) return text;
  if (p->z_name && p->z_name[i]) {
    snprintf(text, (size_t)size, "%s", p->z_name[i]);
    return text;
  }
  /* der(der(x)) around the name of x itself */
  char x[DAE_ORDER_MAX * 5 + 64];
  const char *base = p->z_name ? p->z_name[i % nx] : NULL;
  int used = 0;
  for (int l = 0; l < level; l++) used += snprintf(x + used, sizeof x - (size_t)used, "der(");
  if (base) used += snprintf(x + used, sizeof x - (size_t)used, "%.60s", base);
  else
    used += snprintf(x + used, sizeof x - (size_t)used, "%s%d",
                     p->kind == DAE_MECHANICAL ? "q" : "x", i % nx + 1);
  for (int l = 0; l < level && used < (int)sizeof x; l++)
    used += snprintf(x + used, sizeof x - (size_t)used, ")");
  snprintf(text, (size_t)size, "%s", x);
  return text;
}

const char *dae_problem_y_name(const dae_problem *p, int i, char *text, int size) {
  if (!room(text, size) || i < 0 || i >= dae_problem_ny(p)) return text;
  if (p->y_name && p->y_name[i]) snprintf(text, (size_t)size, "%s", p->y_name[i]);
  else snprintf(text, (size_t)size, "%s%d", p->kind == DAE_MECHANICAL ? "lambda" : "y", i + 1);
  return text;
}

/* base behind its derivative, as far as there is room; a run without fault asks for a few of these,
   and printing takes longer than an elimination */
static void put_behind(char *text, int size, const char *d, const char *base) {
  int at = 0;
  while (*d && at < size - 1) text[at++] = *d++;
  while (*base && at < size - 1) text[at++] = *base++;
  text[at] = 0;
}

const char *dae_problem_g_name(const dae_problem *p, int i, int level, char *text, int size) {
  char number[16], d[32] = "";
  const char *base = number;
  bool invariants = p && (p->kind == DAE_ODE || p->kind == DAE_IMPLICIT);
  int rows = !p ? 0 : invariants ? dae_problem_nh(p) : dae_problem_ny(p);
  if (!room(text, size) || i < 0 || i >= rows) return text;
  if (p->g_name && p->g_name[i]) base = p->g_name[i];
  else snprintf(number, sizeof number, "g%d", i + 1);
  /* velocity-level constraints are not derivatives of anything */
  int ng = p->kind == DAE_MECHANICAL                           ? p->mechanical.ng
           : p->kind == DAE_HESSENBERG && p->hessenberg.g_of_z ? 0
                                                               : dae_problem_ny(p);
  if (!invariants && i < ng && level > 1) snprintf(d, sizeof d, "d%d/dt%d ", level, level);
  put_behind(text, size, !invariants && i < ng && level == 1 ? "d/dt " : d, base);
  return text;
}

const char *dae_problem_equation_name(const dae_problem *p, int i, char *text, int size) {
  if (!room(text, size) || !p || p->kind != DAE_IMPLICIT || i < 0 || i >= p->implicit.n)
    return text;
  const char *const *given = p->implicit.equation_name;
  if (given && given[i]) snprintf(text, (size_t)size, "%s", given[i]);
  else snprintf(text, (size_t)size, "F%d", i + 1);
  return text;
}

static dae_status bad(char *message, int size, const char *text) {
  dae_base_print(message, size, "%s", text);
  return DAE_E_INPUT;
}

static const char *ode_fault(const dae_ode *o) {
  if (o->n < 1) return "ode.n must be at least 1";
  if (o->nh < 0) return "ode.nh must not be negative";
  if (!o->f) return "ode.f is missing";
  if (o->nh > 0 && !o->h) return "ode.h is missing although ode.nh > 0";
  return NULL;
}

static const char *hessenberg_fault(const dae_hessenberg *h) {
  if (h->order < 1 || h->order > DAE_ORDER_MAX) return "hessenberg.order must be 1 .. 6";
  if (h->nx < 1) return "hessenberg.nx must be at least 1";
  if (h->ny < 0 || h->ny > h->nx) return "hessenberg.ny must be 0 .. nx";
  if (!h->f) return "hessenberg.f is missing";
  if (h->ny > 0 && !h->g) return "hessenberg.g is missing although hessenberg.ny > 0";
  return NULL;
}

static const char *mechanical_fault(const dae_mechanical *m) {
  if (m->nq < 1) return "mechanical.nq must be at least 1";
  if (m->ng < 0 || m->nw < 0) return "mechanical.ng and mechanical.nw must not be negative";
  if (m->ng > 0 && !m->g) return "mechanical.g is missing although mechanical.ng > 0";
  if (m->nw > 0 && !m->W) return "mechanical.W is missing although mechanical.nw > 0";
  if (m->mass && (int)m->mass_kind > DAE_MASS_SPARSE)
    return "mechanical.mass_kind must be dense, diagonal or sparse";
  if (m->mass && m->mass_kind == DAE_MASS_SPARSE && !m->mass_pattern)
    return "mechanical.mass_pattern is missing although the mass matrix is sparse";
  return NULL;
}

/* which functions there are */
static const char *implicit_functions(const dae_implicit *m) {
  if (!m->F && !m->f) return "implicit.F is missing, or f of M x' = f in its place";
  if (m->F && (m->f || m->mass || m->f_x))
    return "implicit.F stands beside f, mass or f_x: give one of the two";
  if (m->f && m->jacobian) return "implicit.jacobian is that of F: f has f_x and mass";
  if (m->f && m->pattern) return "implicit.pattern is that of F: f has f_pattern";
  if (m->nh > 0 && !m->h) return "implicit.h is missing although implicit.nh > 0";
  if (m->mass && (int)m->mass_kind > DAE_MASS_SPARSE)
    return "implicit.mass_kind must be dense, diagonal or sparse";
  if (m->mass && m->mass_kind == DAE_MASS_SPARSE && !m->mass_pattern)
    return "implicit.mass_pattern is missing although the mass matrix is sparse";
  return NULL;
}

static const char *implicit_fault(const dae_implicit *m) {
  if (m->n < 1) return "implicit.n must be at least 1";
  if (m->nh < 0 || m->nh > m->n) return "implicit.nh must be 0 .. n";
  const char *fault = implicit_functions(m);
  for (int i = 0; !fault && m->variable_index && i < m->n; i++) {
    if (m->variable_index[i] < 1 || m->variable_index[i] > 3)
      return "implicit.variable_index must be 1, 2 or 3 for each variable";
    if (m->differential && m->differential[i] && m->variable_index[i] == 3)
      return "implicit.differential and variable_index disagree: a differential variable has index "
             "1 or 2";
  }
  for (int i = 0; !fault && m->dx0 && i < m->n; i++)
    if (!isfinite(m->dx0[i])) return "implicit.dx0 has an entry that is not finite";
  return fault;
}

/* rows rise, columns rise within a row and lie inside the matrix */
static const char *pattern_fault(const dae_pattern *a, int rows, int cols) {
  if (!a) return NULL;
  if (a->rows != rows || a->cols != cols)
    return "a pattern has the wrong number of rows or columns";
  if (!a->start || a->start[0] != 0) return "a pattern has no start, or start[0] is not 0";
  if (rows > 0 && a->start[rows] > 0 && !a->column) return "a pattern has no column";
  for (int i = 0; i < rows; i++) {
    if (a->start[i + 1] < a->start[i]) return "pattern.start must be non-decreasing";
    for (int k = a->start[i]; k < a->start[i + 1]; k++) {
      if (a->column[k] < 0 || a->column[k] >= cols)
        return "a pattern has a column outside the matrix";
      if (k > a->start[i] && a->column[k] <= a->column[k - 1])
        return "the columns of a pattern must be increasing within a row";
    }
  }
  return NULL;
}

/* everything that is counted by an int, dense matrices included, must fit into one */
static dae_status size_fault(const dae_problem *p, char *message, int size) {
  const double limit = 1 << 30, dense = 2147483647.0;
  double nx = dae_problem_nx(p), m = dae_problem_order(p), rows = 0, levels = 0, matrix = 0;
  bool sparse = false;
  if (p->kind == DAE_ODE) {
    rows = levels = p->ode.nh;
    sparse = p->ode.h_pattern != NULL;
  } else if (p->kind == DAE_IMPLICIT) {
    const dae_implicit *a = &p->implicit;
    rows = levels = a->nh;
    sparse = a->h_pattern != NULL;
    const bool dense_mass = a->mass && a->mass_kind == DAE_MASS_DENSE;
    if (dense_mass || !(a->F ? a->pattern : a->f_pattern)) matrix = nx * nx;
  } else if (p->kind == DAE_HESSENBERG) {
    rows = p->hessenberg.ny, levels = m * rows;
    matrix = nx * rows;
  } else {
    const dae_mechanical *a = &p->mechanical;
    rows = (double)a->ng + a->nw, levels = 2.0 * a->ng + a->nw;
    sparse = (a->ng == 0 || a->G_pattern) && (a->nw == 0 || a->W_pattern);
    if (a->mass && a->mass_kind == DAE_MASS_DENSE) matrix = nx * nx;
  }
  if (!sparse) matrix = fmax(matrix, rows * nx * (p->kind == DAE_HESSENBERG ? m : 1));
  if (m * nx > limit || levels > limit) {
    dae_base_print(
        message, size,
        "the problem is too large: %.0f variables and %.0f constraints at all levels, at "
        "most %.0f of each",
        m * nx, levels, limit);
    return DAE_E_INPUT;
  }
  if (matrix <= dense) return DAE_OK;
  dae_base_print(message, size,
                 "the problem is too large for dense matrices: %.0f entries, at most %.0f; give "
                 "patterns",
                 matrix, dense);
  return DAE_E_INPUT;
}

/* events, own directions and boundary conditions: lists that are there, functions that are there */
static const char *list_fault(const dae_problem *p) {
  if (p->n_event < 0 || (p->n_event > 0 && !p->event)) return "n_event does not agree with event";
  for (int i = 0; i < p->n_event; i++)
    if (!p->event[i].value && !p->discrete) return "an event has no function `value`";
  if (p->n_direction < 0 || (p->n_direction > 0 && !p->direction))
    return "n_direction does not agree with direction";
  for (int i = 0; i < p->n_direction; i++)
    if (!p->direction[i].name || !p->direction[i].D)
      return "a direction of the problem has no name or no function D";
  if (p->n_ref < 0 || (p->n_ref > 0 && !p->ref)) return "n_ref does not agree with ref";
  const dae_boundary *b = p->boundary;
  if (!b) return NULL;
  if (b->n < 0 || (b->n > 0 && !b->value)) return "boundary conditions without a function `value`";
  if (b->n_side < 0 || (b->n_side > 0 && !b->side)) return "n_side does not agree with side";
  for (int i = 0; i < b->n_side; i++)
    if (b->side[i].n < 0 || !b->side[i].value) return "an inner condition has no function `value`";
  if (b->n_table < 0 || (b->n_table > 0 && (!b->table_t || !b->table_z)))
    return "n_table does not agree with table_t and table_z";
  if (b->n_parameter < 0 || (b->n_parameter > 0 && !b->parameter))
    return "there are unknown parameters, but `parameter` is NULL";
  return NULL;
}

dae_status dae_problem_valid(const dae_problem *p, char *message, int size) {
  if (!p) return bad(message, size, "there is no problem (NULL)");
  const char *fault = list_fault(p);
  if (fault) return bad(message, size, fault);
  switch (p->kind) {
    case DAE_ODE:
      fault = ode_fault(&p->ode);
      if (!fault) fault = pattern_fault(p->ode.f_pattern, p->ode.n, p->ode.n);
      if (!fault) fault = pattern_fault(p->ode.h_pattern, p->ode.nh, p->ode.n);
      break;
    case DAE_HESSENBERG: fault = hessenberg_fault(&p->hessenberg); break;
    case DAE_MECHANICAL: {
      const dae_mechanical *m = &p->mechanical;
      fault = mechanical_fault(m);
      if (!fault) fault = pattern_fault(m->mass_pattern, m->nq, m->nq);
      if (!fault) fault = pattern_fault(m->G_pattern, m->ng, m->nq);
      if (!fault) fault = pattern_fault(m->W_pattern, m->nw, m->nq);
      if (!fault) fault = pattern_fault(m->dynamics_pattern, m->nq, m->nq);
      if (!fault) fault = pattern_fault(m->force_v_pattern, m->nq, m->nq);
      break;
    }
    case DAE_IMPLICIT: {
      const dae_implicit *m = &p->implicit;
      fault = implicit_fault(m);
      if (!fault) fault = pattern_fault(m->pattern, m->n, m->n);
      if (!fault && m->mass) fault = pattern_fault(m->mass_pattern, m->n, m->n);
      if (!fault) fault = pattern_fault(m->f_pattern, m->n, m->n);
      if (!fault) fault = pattern_fault(m->h_pattern, m->nh, m->n);
      break;
    }
    default: fault = "kind must be DAE_ODE, DAE_HESSENBERG, DAE_MECHANICAL or DAE_IMPLICIT";
  }
  if (!fault && (p->n_output < 0 || (p->n_output > 0 && !p->output)))
    fault = "output is missing although n_output > 0, or n_output is negative";
  return fault ? bad(message, size, fault) : size_fault(p, message, size);
}
