/* an implicit problem of index 0 or 1 with its algebraic equations apart from the others */
#include "problem/separate.h"

#include <math.h>
#include <string.h>

#include "problem/inside.h"
#include "problem/staircase.h"

/* paths on which the index is looked for, as a part of the interval */
static const double PATH = 1e-3;
/* places beside the guess, where no entry is zero by chance */
static const double BESIDE = 0.02;
/* rows of dF/dx' that depend on others, and what may come back of them later */
static const double DEPENDENT = 1e-7, TURNED = 1e-5;
/* s is found by Newton's method: corrections of this part are rounding */
static const double SOLVED = 1e-14;
enum { LOOKS = 3, ITERATIONS = 25 };

/* ---- matrices ---- */

static void spread(const dae_residual *r, const double *values, double *to) {
  memset(to, 0, (size_t)r->n * (size_t)r->n * sizeof *to);
  for (int i = 0; i < r->n; i++)
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++)
      to[(size_t)i * (size_t)r->n + (size_t)dae_residual_column(r, i, k)] = values[k];
}

/* E and A at (t, x, q->dx) */
static dae_status matrices(dae_separated *q, double t, const double *x, dae_accuracy accuracy) {
  double *A = q->values + q->r->size;
  q->r->mass_known = false; /* an unknown parameter may stand in it */
  dae_status status = dae_residual_matrices(q->r, t, x, q->dx, accuracy, q->values, A);
  if (status != DAE_OK) return status;
  spread(q->r, q->values, q->E);
  spread(q->r, A, q->A);
  return DAE_OK;
}

/* LU := E_a in the columns of s; false: singular */
static bool factor(dae_separated *q) {
  const size_t n = (size_t)q->n, rank = (size_t)q->rank;
  for (size_t i = 0; i < rank; i++)
    for (size_t j = 0; j < rank; j++)
      q->LU[i * rank + j] = q->E[(size_t)q->row[i] * n + (size_t)q->column[j]];
  return q->rank == 0 || dae_la_lu(q->rank, q->LU, q->pivot) == 0;
}

/* do the equations b hold no x' here either? */
static bool free_of_slopes(const dae_separated *q) {
  const size_t n = (size_t)q->n;
  for (int b = q->rank; b < q->n; b++) {
    const double *C = q->C + (size_t)(b - q->rank) * (size_t)q->rank;
    for (size_t j = 0; j < n; j++) {
      double sum = q->E[(size_t)q->row[b] * n + j], terms = fabs(sum);
      for (int a = 0; a < q->rank; a++) {
        const double term = C[a] * q->E[(size_t)q->row[a] * n + j];
        sum -= term, terms += fabs(term);
      }
      double size = 0;
      for (size_t i = 0; i < n; i++) size = fmax(size, fabs(q->A[(size_t)q->row[b] * n + i]));
      if (fabs(sum) > TURNED * terms && fabs(sum) > TURNED * size * q->r->h) return false;
    }
  }
  return true;
}

/* ---- f ---- */

static int code_of(dae_status status) {
  return status == DAE_OK ? 0 : status == DAE_STOPPED ? -1 : 1;
}

/* q->dx := (s, y) with F_a = 0, by Newton's method from dx0 */
static dae_status slope(dae_separated *q, double t, const double *x, const double *y) {
  double before = INFINITY;
  for (int j = 0; j < q->rank; j++) q->dx[q->column[j]] = q->dx0 ? q->dx0[q->column[j]] : 0;
  for (int j = q->rank; j < q->n; j++) q->dx[q->column[j]] = y ? y[j - q->rank] : 0;
  if (q->rank == 0) return DAE_OK;
  q->r->mass_known = false;
  for (int k = 0; k < ITERATIONS; k++) {
    dae_status status = dae_residual_slopes(q->r, t, x, q->dx, q->values);
    if (status == DAE_OK) status = dae_residual_value(q->r, t, x, q->dx, q->F);
    if (status != DAE_OK) return status;
    spread(q->r, q->values, q->E);
    if (!factor(q)) return DAE_E_CALLBACK;
    double size = 0, change = 0;
    for (int i = 0; i < q->rank; i++) q->s[i] = q->F[q->row[i]];
    dae_la_lu_solve(q->rank, q->LU, q->pivot, q->s);
    for (int j = 0; j < q->rank; j++) {
      q->dx[q->column[j]] -= q->s[j];
      change = fmax(change, fabs(q->s[j]));
      size = fmax(size, fabs(q->dx[q->column[j]]));
    }
    if (!isfinite(change)) return DAE_E_CALLBACK;
    /* linear in x', as nearly all are: the second correction is rounding */
    if (change <= SOLVED * size || (k > 0 && change <= 1e3 * SOLVED * size && change >= before))
      return DAE_OK;
    before = change;
  }
  return DAE_E_CALLBACK;
}

static int f_of(double t, const double *x, const double *y, double *f, void *ctx) {
  dae_separated *q = ctx;
  dae_status status = slope(q, t, x, y);
  memcpy(f, q->dx, (size_t)q->n * sizeof *f);
  return code_of(status);
}

/* without algebraic equations it is an ODE */
static int ode_of(double t, const double *x, double *f, void *ctx) {
  return f_of(t, x, NULL, f, ctx);
}

/* slope, then E, A and the factors there */
static dae_status prepare(dae_separated *q, double t, const double *x, const double *y) {
  dae_status status = slope(q, t, x, y);
  if (status == DAE_OK) status = matrices(q, t, x, DAE_FOR_RANK);
  if (status != DAE_OK) return status;
  if (!free_of_slopes(q)) {
    q->turned = true;
    return DAE_STOPPED;
  }
  return factor(q) ? DAE_OK : DAE_E_CALLBACK;
}

/* rows of s := -E_a^-1 (columns of `of` that `at` lists), count of them, into J with `width` */
static void solved_rows(dae_separated *q, const double *of, const int *at, int count, double *J) {
  const size_t n = (size_t)q->n;
  for (int j = 0; j < count; j++) {
    for (int i = 0; i < q->rank; i++)
      q->s[i] = -of[(size_t)q->row[i] * n + (size_t)(at ? at[j] : j)];
    if (q->rank > 0) dae_la_lu_solve(q->rank, q->LU, q->pivot, q->s);
    for (int i = 0; i < q->rank; i++) J[(size_t)q->column[i] * (size_t)count + (size_t)j] = q->s[i];
  }
}

static int f_z_of(double t, const double *x, const double *y, double *J, void *ctx) {
  dae_separated *q = ctx;
  dae_status status = prepare(q, t, x, y);
  if (status == DAE_OK) solved_rows(q, q->A, NULL, q->n, J);
  return code_of(status);
}

static int ode_z_of(double t, const double *x, double *J, void *ctx) {
  return f_z_of(t, x, NULL, J, ctx);
}

/* B = -df/dy */
static int B_of(double t, const double *x, const double *y, double *B, void *ctx) {
  dae_separated *q = ctx;
  const int left = q->n - q->rank;
  dae_status status = prepare(q, t, x, y);
  if (status != DAE_OK) return code_of(status);
  solved_rows(q, q->E, q->column + q->rank, left, B);
  for (int i = 0; i < q->n * left; i++) B[i] = -B[i];
  for (int b = 0; b < left; b++) B[(size_t)q->column[q->rank + b] * (size_t)left + (size_t)b] = -1;
  return 0;
}

/* ---- g ---- */

/* x' does not matter: it is that of the start */
static void stand_still(dae_separated *q) {
  if (q->dx0) memcpy(q->dx, q->dx0, (size_t)q->n * sizeof *q->dx);
  else memset(q->dx, 0, (size_t)q->n * sizeof *q->dx);
}

static int g_of(double t, const double *x, double *g, void *ctx) {
  dae_separated *q = ctx;
  stand_still(q);
  q->r->mass_known = false;
  dae_status status = dae_residual_value(q->r, t, x, q->dx, q->F);
  for (int b = q->rank; b < q->n && status == DAE_OK; b++) {
    const double *C = q->C + (size_t)(b - q->rank) * (size_t)q->rank;
    g[b - q->rank] = q->F[q->row[b]];
    for (int a = 0; a < q->rank; a++) g[b - q->rank] -= C[a] * q->F[q->row[a]];
  }
  return code_of(status);
}

static int G_of(double t, const double *x, double *G, void *ctx) {
  dae_separated *q = ctx;
  const size_t n = (size_t)q->n;
  stand_still(q);
  dae_status status = matrices(q, t, x, DAE_FOR_RANK);
  for (int b = q->rank; b < q->n && status == DAE_OK; b++) {
    const double *C = q->C + (size_t)(b - q->rank) * (size_t)q->rank;
    double *to = G + (size_t)(b - q->rank) * n;
    memcpy(to, q->A + (size_t)q->row[b] * n, n * sizeof *to);
    for (int a = 0; a < q->rank; a++)
      for (size_t j = 0; j < n && C[a] != 0; j++) to[j] -= C[a] * q->A[(size_t)q->row[a] * n + j];
  }
  return code_of(status);
}

/* ---- which equations and variables ---- */

/* the guess at t: a function, a table, z0, or nothing */
static dae_status guess_at(const dae_problem *p, double t, double *x) {
  const dae_boundary *c = p->boundary;
  const size_t bytes = (size_t)p->implicit.n * sizeof *x;
  if (c && c->guess) {
    double none = 0;
    return dae_problem_verdict(c->guess(t, x, &none, p->ctx), x, p->implicit.n);
  }
  if (c && c->n_table > 0) {
    int i = 0;
    while (i + 1 < c->n_table && c->table_t[i + 1] <= t) i++;
    memcpy(x, c->table_z + (size_t)i * (size_t)p->implicit.n, bytes);
  } else if (p->z0) memcpy(x, p->z0, bytes);
  else memset(x, 0, bytes);
  return DAE_OK;
}

/* is a more than b, which chance cannot make? */
static bool better(const dae_structure *a, const dae_structure *b) {
  if (a->index < 0) return false;
  return b->index < 0 || a->rank > b->rank || (a->rank == b->rank && a->index < b->index);
}

/* the index at the guess and beside it, where zeros may be chance; q->at: x where it was found */
static dae_status look(dae_separated *q, double *x, dae_structure *found, double *t_found) {
  const dae_problem *p = q->given;
  const double length = p->t1 - p->t0;
  *found = (dae_structure){.index = -1, .equation = -1, .variable = -1};
  stand_still(q);
  for (int k = 0; k < 2 * LOOKS; k++) {
    dae_structure here;
    const double t = p->t0 + length * (0.5 + k / 2) / LOOKS;
    dae_path path = {t, PATH * length, x, q->dx};
    dae_status status = guess_at(p, t, x);
    for (int j = 0; j < q->n && k % 2; j++) x[j] += BESIDE * fmax(1, fabs(x[j])) * sin(1 + 2.3 * j);
    if (status == DAE_OK) status = dae_problem_structure(q->r, &path, &here);
    if (status == DAE_STOPPED || status == DAE_E_MEMORY) return status;
    if (status != DAE_OK || (k > 0 && !better(&here, found))) continue;
    *found = here;
    *t_found = t;
    memcpy(q->at, x, (size_t)q->n * sizeof *x);
  }
  return DAE_OK;
}

static dae_status refuse(const dae_problem *p, const dae_structure *f, char *message, int size) {
  char equation[DAE_NAME_MAX] = "", variable[DAE_NAME_MAX] = "";
  if (f->equation >= 0) dae_problem_equation_name(p, f->equation, equation, DAE_NAME_MAX);
  if (f->variable >= 0) dae_problem_z_name(p, f->variable, variable, DAE_NAME_MAX);
  if (f->singular)
    dae_base_print(message, size,
                   "the equations do not determine the variables: %s depends on the others, and %s "
                   "is free",
                   equation, variable);
  else if (f->index < 0)
    dae_base_print(message, size, "the index could not be found at the guess of the solution");
  else
    dae_base_print(message, size,
                   "the index is %d: boundary conditions of implicit problems are solved up to "
                   "index 1; give the problem as DAE_HESSENBERG or DAE_MECHANICAL",
                   f->index);
  return f->singular ? DAE_E_RANK : DAE_E_INDEX;
}

/* row, column and C from E at (t, q->at); QR and work: scratch of n x n and 4 n */
static dae_status split(dae_separated *q, double t, double *QR, double *work) {
  const int n = q->n, rank = q->rank;
  const size_t of_n = (size_t)n;
  double *unit = work + 3 * of_n, *tau = q->F;
  stand_still(q);
  dae_status status = matrices(q, t, q->at, DAE_FOR_RANK);
  if (status != DAE_OK) return status;
  for (size_t i = 0; i < of_n; i++) {
    for (size_t j = 0; j < of_n; j++)
      QR[i * of_n + j] = q->E[i * of_n + j] * fmax(1, fabs(q->at[j]));
    unit[i] = dae_la_norm2(n, QR + i * of_n);
    for (size_t j = 0; j < of_n && unit[i] > 0; j++) QR[i * of_n + j] /= unit[i];
    q->row[i] = q->column[i] = (int)i;
  }
  if (rank == 0) return DAE_OK;
  dae_la_qr_rank(n, n, QR, 0, q->row, tau, work);
  for (int b = rank; b < n; b++) {
    double *C = q->C + (size_t)(b - rank) * (size_t)rank, *c = q->dx;
    memcpy(c, QR + (size_t)b * of_n, of_n * sizeof *c);
    dae_la_qr_backward(n, rank, QR, c);
    for (int a = 0; a < rank; a++) {
      C[a] = unit[q->row[b]] * c[a] / unit[q->row[a]];
      if (fabs(c[a]) <= DEPENDENT) C[a] = 0;
    }
  }
  /* the columns of those rows, the longest first */
  for (size_t j = 0; j < of_n; j++)
    for (int a = 0; a < rank; a++) {
      const size_t i = (size_t)q->row[a];
      QR[j * (size_t)rank + (size_t)a] =
          q->E[i * of_n + j] * fmax(1, fabs(q->at[j])) / unit[q->row[a]];
    }
  dae_la_qr_rank(n, rank, QR, 0, q->column, tau, work);
  return DAE_OK;
}

static void describe(dae_separated *q) {
  const dae_problem *p = q->given;
  dae_problem *to = &q->problem;
  *to = *p;
  to->whole = p;
  to->kind = DAE_HESSENBERG;
  memset(to->room, 0, sizeof to->room);
  if (q->rank == q->n) {
    to->kind = DAE_ODE;
    to->ode = (dae_ode){.n = q->n, .f = ode_of, .f_z = ode_z_of};
  } else
    to->hessenberg = (dae_hessenberg){.order = 1,
                                      .nx = q->n,
                                      .ny = q->n - q->rank,
                                      .affine = q->r->m->F ? DAE_UNKNOWN : DAE_YES,
                                      .f = f_of,
                                      .f_z = f_z_of,
                                      .B = B_of,
                                      .g = g_of,
                                      .G = G_of};
  to->ctx = q;
  to->g_name = NULL;
  to->y_name = NULL;
  to->y0 = NULL;
  to->n_output = 0;
  if (!p->boundary) return;
  q->conditions = *p->boundary;
  q->conditions.table_y = NULL;
  to->boundary = &q->conditions;
}

dae_status dae_separated_new(dae_separated **out, dae_pool *pool, const dae_problem *p,
                             char *message, int size) {
  const dae_system *sys;
  const size_t n = (size_t)p->implicit.n;
  const dae_options usual = dae_options_default();
  dae_structure found;
  double t = p->t0;
  dae_separated *q = *out = dae_base_take(pool, 1, sizeof *q);
  if (!q) return DAE_E_MEMORY;
  dae_status status = dae_problem_system_new(&sys, pool, p);
  if (status == DAE_OK)
    status = dae_residual_new(&q->r, pool, sys, &(dae_sizes_of_x){usual.rtol, usual.atol, NULL});
  if (status != DAE_OK) return status;
  q->given = p;
  q->n = p->implicit.n;
  q->dx0 = p->implicit.dx0;
  q->row = dae_base_ints(pool, 3 * n);
  q->E = dae_base_doubles(pool, 4 * n * n);
  q->values = dae_base_doubles(pool, 2 * (size_t)q->r->size);
  q->dx = dae_base_doubles(pool, 4 * n);
  double *QR = dae_base_doubles(pool, n * n), *work = dae_base_doubles(pool, 5 * n);
  if (pool->failed) return DAE_E_MEMORY;
  q->column = q->row + n, q->pivot = q->column + n;
  q->A = q->E + n * n, q->LU = q->A + n * n, q->C = q->LU + n * n;
  q->F = q->dx + n, q->at = q->F + n, q->s = q->at + n;
  if (q->n > DAE_STAIRS_MOST) {
    dae_base_print(message, size,
                   "boundary conditions of implicit problems are solved for at most %d variables",
                   DAE_STAIRS_MOST);
    return DAE_E_FORM;
  }
  status = look(q, work, &found, &t);
  if (status != DAE_OK) return status;
  if (found.index != 0 && found.index != 1) return refuse(p, &found, message, size);
  q->rank = found.rank;
  q->r->h = PATH * (p->t1 - p->t0);
  status = split(q, t, QR, work);
  describe(q);
  return status;
}
