/*
 * IDA with KLU on the stabilized index-2 form of Gear, Gupta and Leimkuhler with its exact sparse
 * Jacobian,
 *   q' = v - G'mu,  M v' = f - G'lambda,  0 = g,  0 = G v,   unknowns (q, v, lambda, mu)
 */
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "large.h"

/* an entry of the Jacobian: factor times value `index` of a source */
typedef enum source { ONE, SHIFT, MASS, DYNAMICS, GRADIENT, RATE } source;

typedef struct entry {
  int row, column, index;
  source from;
  double factor;
} entry;

typedef struct form {
  chain s;
  double *mass, *Q, *R; /* M, d/dq (G'lambda - f), d/dq (G v), in their patterns */
  entry *entry;
  int entries, used; /* room, and after doubles were joined the places */
  int *place;        /* of an entry among the values of the matrix */
} form;

static void add(form *f, int row, int column, source from, int index, double factor) {
  f->entry[f->entries++] = (entry){row, column, index, from, factor};
}

static int by_column(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->column != y->column ? x->column - y->column : x->row - y->row;
}

/* all entries, sorted by columns as the matrix has them */
static bool make_entries(form *f) {
  const dae_mechanical *m = &f->s.p->mechanical;
  const dae_pattern *g = m->G_pattern, *q = m->dynamics_pattern;
  int n = f->s.n, rows = f->s.rows;
  f->entry = calloc((size_t)(3 * n + q->start[n] + 5 * g->start[rows]), sizeof *f->entry);
  if (!f->entry) return false;
  for (int i = 0; i < n; i++) {
    add(f, i, i, SHIFT, 0, 1);
    add(f, i, n + i, ONE, 0, -1);
    add(f, n + i, n + i, MASS, i, 1);
    for (int k = q->start[i]; k < q->start[i + 1]; k++) add(f, n + i, q->column[k], DYNAMICS, k, 1);
  }
  for (int i = 0; i < rows; i++)
    for (int k = g->start[i]; k < g->start[i + 1]; k++) {
      int j = g->column[k];
      add(f, j, 2 * n + rows + i, GRADIENT, k, 1);
      add(f, n + j, 2 * n + i, GRADIENT, k, 1);
      add(f, 2 * n + i, j, GRADIENT, k, 1);
      add(f, 2 * n + rows + i, n + j, GRADIENT, k, 1);
      add(f, 2 * n + rows + i, j, RATE, k, 1);
    }
  qsort(f->entry, (size_t)f->entries, sizeof *f->entry, by_column);
  f->place = calloc((size_t)f->entries, sizeof *f->place);
  for (int k = 0; f->place && k < f->entries; k++) {
    if (k == 0 || by_column(&f->entry[k - 1], &f->entry[k]) != 0) f->used++;
    f->place[k] = f->used - 1;
  }
  return f->place != NULL;
}

static int residual(realtype t, N_Vector vy, N_Vector vdy, N_Vector vr, void *data) {
  form *f = data;
  chain *s = &f->s;
  const dae_mechanical *m = &s->p->mechanical;
  const double *y = NV_DATA_S(vy), *dy = NV_DATA_S(vdy);
  double *r = NV_DATA_S(vr);
  int n = s->n, rows = s->rows;
  if (++s->calls % 64 == 0 && clock() > s->limit) return -1;
  if (m->G(t, y, s->G, s->p->ctx) != 0 || m->force(t, y, y + n, r + n, s->p->ctx) != 0) return 1;
  for (int i = 0; i < n; i++) {
    r[i] = dy[i] - y[n + i];
    r[n + i] = f->mass[i] * dy[n + i] - r[n + i];
  }
  chain_add(s, s->G, y + 2 * n, r + n);
  chain_add(s, s->G, y + 2 * n + rows, r);
  chain_times(s, s->G, y + n, r + 2 * n + rows);
  return m->g(t, y, r + 2 * n, s->p->ctx);
}

/* the derivative of G'mu is left out: mu is as small as the error */
static int jacobian(realtype t, realtype c, N_Vector vy, N_Vector vdy, N_Vector r, SUNMatrix J,
                    void *data, N_Vector w1, N_Vector w2, N_Vector w3) {
  form *f = data;
  chain *s = &f->s;
  const dae_mechanical *m = &s->p->mechanical;
  const double *y = NV_DATA_S(vy), *dy = NV_DATA_S(vdy);
  int n = s->n, size = 2 * n + 2 * s->rows;
  (void)r, (void)w1, (void)w2, (void)w3;
  memset(f->Q, 0, (size_t)m->dynamics_pattern->start[n] * sizeof *f->Q);
  if (m->G(t, y, s->G, s->p->ctx) != 0 ||
      m->dynamics_q(t, y, y + n, dy + n, y + 2 * n, f->Q, s->p->ctx) != 0 ||
      m->velocity_q(t, y, y + n, f->R, s->p->ctx) != 0)
    return 1;
  const double *value[] = {NULL, NULL, f->mass, f->Q, s->G, f->R};
  sunindextype *start = SM_INDEXPTRS_S(J), *row = SM_INDEXVALS_S(J);
  double *to = SM_DATA_S(J);
  memset(to, 0, (size_t)f->used * sizeof *to);
  memset(start, 0, (size_t)(size + 1) * sizeof *start);
  for (int k = 0; k < f->entries; k++) {
    const entry *e = &f->entry[k];
    double x = e->from == ONE ? 1 : e->from == SHIFT ? c : value[e->from][e->index];
    to[f->place[k]] += e->factor * (e->from == MASS ? c * x : x);
    row[f->place[k]] = e->row;
    start[e->column + 1] = f->place[k] + 1;
  }
  return 0;
}

static bool form_new(form *f, const dae_problem *p, double seconds) {
  const dae_mechanical *m = &p->mechanical;
  *f = (form){0};
  if (!chain_new(&f->s, p, 0, seconds)) return false;
  f->mass = calloc((size_t)m->nq, sizeof *f->mass);
  f->Q = calloc((size_t)m->dynamics_pattern->start[m->nq], sizeof *f->Q);
  f->R = calloc((size_t)m->G_pattern->start[m->ng], sizeof *f->R);
  if (!f->mass || !f->Q || !f->R || !make_entries(f)) return false;
  m->mass(p->t0, p->z0, f->mass, p->ctx);
  return true;
}

static void form_free(form *f) {
  chain_free(&f->s);
  free(f->mass);
  free(f->Q);
  free(f->R);
  free(f->entry);
  free(f->place);
}

void large_ida(const large_peer *self, const dae_problem *p, double tol, double seconds,
               large_result *out) {
  form f;
  SUNContext context;
  realtype t = p->t0;
  out->ok = false;
  if (!form_new(&f, p, seconds) || SUNContext_Create(NULL, &context) != 0) return;
  int n = f.s.n, size = 2 * n + 2 * f.s.rows;
  N_Vector y = N_VNew_Serial(size, context), dy = N_VClone(y), id = N_VClone(y);
  N_Vector atol = N_VClone(y);
  SUNMatrix A = SUNSparseMatrix(size, size, f.used, CSC_MAT, context);
  SUNLinearSolver linear = SUNLinSol_KLU(y, A, context);
  void *ida = IDACreate(context);
  N_VConst(0, y);
  N_VConst(0, dy);
  memcpy(NV_DATA_S(y), p->z0, (size_t)(2 * n) * sizeof(double));
  memcpy(NV_DATA_S(dy), p->z0 + n, (size_t)n * sizeof(double));
  chain_accelerate(&f.s, p->t0, p->z0, NV_DATA_S(dy) + n, NV_DATA_S(y) + 2 * n);
  /* with the multipliers in the norm the first steps fail */
  for (int i = 0; i < size; i++) {
    NV_Ith_S(id, i) = i < 2 * n;
    NV_Ith_S(atol, i) = i < 2 * n ? tol : 1e10;
  }
  IDAInit(ida, residual, p->t0, y, dy);
  IDASetErrHandlerFn(ida, large_silent, NULL);
  IDASetUserData(ida, &f);
  IDASVtolerances(ida, tol, atol);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, SUNTRUE);
  IDASetMaxNumSteps(ida, 100000000);
  IDASetMaxOrd(ida, self->table);
  IDASetStopTime(ida, p->t1);
  IDASetLinearSolver(ida, linear, A);
  IDASetJacFn(ida, jacobian);
  out->ok = IDASolve(ida, p->t1, &t, y, dy, IDA_NORMAL) >= 0;
  IDAGetNumSteps(ida, &out->steps);
  out->evaluations = f.s.calls;
  memcpy(out->z, NV_DATA_S(y), (size_t)(2 * n) * sizeof(double));
  IDAFree(&ida);
  SUNLinSolFree(linear);
  SUNMatDestroy(A);
  N_VDestroy(y);
  N_VDestroy(dy);
  N_VDestroy(id);
  N_VDestroy(atol);
  SUNContext_Free(&context);
  form_free(&f);
}
