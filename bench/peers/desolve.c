/*
 * RADAU5 and DASPK as the R package deSolve has them. Its library is loaded and its compiled
 * solvers are called as R would call them, but without R in between, so that its own work is not in
 * the times.
 *
 * RADAU5 gets  q' = v - G'mu,  v' = M^-1 (f - G'lambda),  0 = g,  0 = G v + g_t  (GGL), or q' = v
 * without the last row (index 3), with exact Jacobians and the indices of the variables. DASPK gets
 * the residual of GGL with its exact Jacobian.
 */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "desolve.h"
#include "ggl.h"

#define PUBLIC __attribute__((visibility("default")))
PUBLIC void Rprintf(const char *format, ...);
PUBLIC void REprintf(const char *format, ...);
PUBLIC void Rf_warning(const char *format, ...);
PUBLIC void intpr_(const char *label, int *size, int *x, int *count);
PUBLIC void dblepr_(const char *label, int *size, double *x, int *count);
PUBLIC void rexit_(const char *message);

typedef void radau5_fn(int *n, double *t, double *y, double *dy, double *data, int *unused);
typedef void radau5_jacobian(int *n, double *t, double *y, int *ml, int *mu, double *J, int *stride,
                             double *data, int *unused);
typedef void radau5_mass(int *n, double *M, int *stride, double *data, int *unused);
typedef void radau5_output(int *step, double *t_old, double *t, double *y, double *dense, int *size,
                           int *n, double *data, int *unused, int *stop, double *t_out);
typedef void radau5_solver(int *n, radau5_fn *f, double *t, double *y, double *t_end, double *h,
                           double *rtol, double *atol, int *vectors, radau5_jacobian *jacobian,
                           int *exact, int *ml, int *mu, radau5_mass *mass, int *implicit,
                           int *mass_ml, int *mass_mu, radau5_output *output, int *watch,
                           double *work, int *work_size, int *iwork, int *iwork_size, double *data,
                           int *unused, int *status);
typedef void daspk_residual(double *t, double *y, double *dy, double *c, double *r, int *flag,
                            double *data, int *unused);
typedef void daspk_jacobian(double *t, double *y, double *dy, double *J, double *c, double *data,
                            int *unused);
typedef void daspk_solver(daspk_residual *f, int *n, double *t, double *y, double *dy,
                          double *t_end, int *info, double *rtol, double *atol, int *status,
                          double *work, int *work_size, int *iwork, int *iwork_size, double *data,
                          int *unused, daspk_jacobian *jacobian, void *preconditioner);

/* a symbol of the library, NULL when there is none */
static void *find(const char *name) {
  static const char *const places[] = {"/usr/lib/R/site-library/deSolve/libs/deSolve.so",
                                       "/usr/lib/R/library/deSolve/libs/deSolve.so",
                                       "/usr/local/lib/R/site-library/deSolve/libs/deSolve.so"};
  static void *library;
  for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++)
    library = dlopen(places[i], RTLD_LAZY);
  return library ? dlsym(library, name) : NULL;
}

bool desolve_found(void) { return find("radau5_") && find("ddaspk_"); }

/* failures are counted, not printed: these stand in for the output of R, which is not running */
void Rprintf(const char *format, ...) { (void)format; }
void REprintf(const char *format, ...) { (void)format; }
void Rf_warning(const char *format, ...) { (void)format; }
void intpr_(const char *label, int *size, int *x, int *count) {
  (void)label, (void)size, (void)x, (void)count;
}
void dblepr_(const char *label, int *size, double *x, int *count) {
  (void)label, (void)size, (void)x, (void)count;
}
void rexit_(const char *message) { (void)message; }

/* ---- RADAU5 ---- */

typedef struct run {
  reduced r;
  bool ggl;
  double drift;
} run;

static void radau_f(int *size, double *t, double *y, double *dy, double *data, int *unused) {
  run *s = (run *)data;
  int n = s->r.n, rows = s->r.rows;
  const double *lambda = y + 2 * n, *mu = lambda + rows;
  (void)unused;
  memcpy(dy, y + n, (size_t)n * sizeof *dy);
  int flag = reduced_force(&s->r, *t, y, lambda, dy + n);
  if (flag == 0) flag = s->r.p->mechanical.g(*t, y, dy + 2 * n, s->r.p->ctx);
  if (flag == 0 && s->ggl) flag = reduced_rate(&s->r, *t, y, dy + 2 * n + rows);
  for (int k = 0; s->ggl && k < rows; k++)
    for (int i = 0; i < n; i++) dy[i] -= s->r.G[k * n + i] * mu[k];
  /* there is no other way to say so */
  if (flag != 0) dy[0] = NAN;
  (void)size;
}

/* column j of J := sign M^-1 (column c of A, n x cols) */
static void mass_column(const run *s, double sign, const double *A, int cols, int c,
                        double *column) {
  for (int i = 0; i < s->r.n; i++) column[i] = sign * A[i * cols + c];
  reduced_mass_solve(&s->r, column);
}

static void radau_jacobian(int *size, double *t, double *y, int *ml, int *mu, double *J,
                           int *stride, double *data, int *unused) {
  run *s = (run *)data;
  int n = s->r.n, rows = s->r.rows, ld = *stride;
  double Gt[PEER_SIZE_MAX * PEER_SIZE_MAX], a[PEER_SIZE_MAX];
  ggl_derivatives d;
  (void)ml, (void)mu, (void)unused;
  memset(J, 0, (size_t)(ld * *size) * sizeof *J);
  reduced_force(&s->r, *t, y, y + 2 * n, a);
  ggl_derive(s->r.p, *t, y, a, y + 2 * n, s->ggl, &d);
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < n; i++) Gt[i * rows + k] = s->r.G[k * n + i];
  for (int j = 0; j < n; j++) {
    double *q = J + j * ld, *v = J + (n + j) * ld;
    v[j] = 1;
    mass_column(s, -1, d.Q, n, j, q + n);
    mass_column(s, 1, d.V, n, j, v + n);
    for (int k = 0; k < rows; k++) {
      q[2 * n + k] = s->r.G[k * n + j];
      if (!s->ggl) continue;
      q[2 * n + rows + k] = d.R[k * n + j];
      v[2 * n + rows + k] = s->r.G[k * n + j];
      J[(2 * n + rows + k) * ld + j] = -s->r.G[k * n + j];
    }
  }
  for (int k = 0; k < rows; k++) mass_column(s, -1, Gt, rows, k, J + (2 * n + k) * ld + n);
}

static void radau_mass(int *n, double *M, int *stride, double *data, int *unused) {
  run *s = (run *)data;
  (void)unused;
  for (int i = 0; i < *n; i++) M[i * *stride] = i < 2 * s->r.n;
}

static void radau_output(int *step, double *t_old, double *t, double *y, double *dense, int *size,
                         int *n, double *data, int *unused, int *stop, double *t_out) {
  run *s = (run *)data;
  (void)step, (void)t_old, (void)dense, (void)size, (void)n, (void)unused, (void)t_out;
  s->drift = fmax(s->drift, reduced_drift(s->r.p, *t, y));
  *stop = 0;
}

void peer_radau5(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  enum { SIZE = PEER_SIZE_MAX };
  radau5_solver *radau5 = (radau5_solver *)find("radau5_");
  run s = {.ggl = self->table == PEER_GGL};
  ggl_form form;
  reduced_init(&s.r, p, tol);
  ggl_init(&form, p);
  double y[SIZE], dy[SIZE], t = p->t0, t_end = p->t1, h = 0, rtol = tol, atol = tol;
  enum { SETTINGS = 20 }; /* numbers that say 0 for a default; the rest is the solver's own */
  double work[SIZE * (4 * SIZE + 13) + SETTINGS];
  int iwork[3 * SIZE + SETTINGS], work_size = sizeof work / sizeof *work;
  int iwork_size = sizeof iwork / sizeof *iwork, n = s.r.n, rows = s.r.rows;
  int size = 2 * n + (s.ggl ? 2 : 1) * rows, one = 1, zero = 0, look = watch, full = size,
      status = 0;
  ggl_start(&form, y, dy);
  memset(work, 0, SETTINGS * sizeof *work);
  memset(iwork, 0, SETTINGS * sizeof *iwork);
  iwork[1] = PEER_STEP_LIMIT;
  iwork[4] = s.ggl ? 2 * n : n;
  iwork[5] = s.ggl ? 2 * rows : n;
  iwork[6] = s.ggl ? 0 : rows;
  radau5(&size, radau_f, &t, y, &t_end, &h, &rtol, &atol, &zero, radau_jacobian, &one, &full, &full,
         radau_mass, &one, &zero, &zero, radau_output, &look, work, &work_size, iwork, &iwork_size,
         (double *)&s, &zero, &status);
  out->ok = status == 1;
  if (watch) out->drift = s.drift;
  out->evaluations = iwork[13];
  out->steps = iwork[15];
  memcpy(out->z, y, (size_t)(2 * n) * sizeof *y);
}

/* ---- DASPK ---- */

static void daspk_f(double *t, double *y, double *dy, double *c, double *r, int *flag, double *data,
                    int *unused) {
  (void)c, (void)unused;
  int code = ggl_residual((ggl_form *)data, *t, y, dy, r);
  if (code != 0) *flag = code < 0 ? -2 : -1;
}

static void daspk_j(double *t, double *y, double *dy, double *J, double *c, double *data,
                    int *unused) {
  ggl_form *s = (ggl_form *)data;
  size_t size = (size_t)(2 * s->n + 2 * s->rows);
  (void)unused;
  memset(J, 0, size * size * sizeof *J);
  ggl_matrix(s, *t, *c, y, dy, J);
}

void peer_daspk(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  enum { SIZE = PEER_SIZE_MAX, INTERRUPTED = -1, ORDER = 5 };
  daspk_solver *daspk = (daspk_solver *)find("ddaspk_");
  ggl_form s;
  (void)self;
  ggl_init(&s, p);
  double y[SIZE], dy[SIZE], t = p->t0, t_end = p->t1, rtol[SIZE], atol[SIZE];
  double work[50 + (ORDER + 4) * SIZE + SIZE * SIZE];
  int iwork[40 + 2 * SIZE], info[30] = {0}, work_size = sizeof work / sizeof *work;
  int iwork_size = sizeof iwork / sizeof *iwork, zero = 0, status = 0, size = 2 * s.n + 2 * s.rows;
  ggl_start(&s, y, dy);
  memset(work, 0, 50 * sizeof *work);
  memset(iwork, 0, 40 * sizeof *iwork);
  /* as for IDA: multipliers are not judged */
  for (int i = 0; i < size; i++) rtol[i] = tol, atol[i] = i < 2 * s.n ? tol : 1e10;
  info[1] = 1;        /* tolerances are vectors */
  info[2] = watch;    /* come back after each step */
  info[3] = 1;        /* not beyond the end */
  info[4] = 1;        /* the Jacobian is given */
  info[19] = 1;       /* a residual */
  info[20] = 2 * s.n; /* indices of the variables */
  info[21] = 2 * s.rows;
  work[0] = t_end;
  if (watch) out->drift = 0;
  do {
    daspk(daspk_f, &size, &t, y, dy, &t_end, info, rtol, atol, &status, work, &work_size, iwork,
          &iwork_size, (double *)&s, &zero, daspk_j, NULL);
    if (watch && status > 0) out->drift = fmax(out->drift, reduced_drift(p, t, y));
    if (status == INTERRUPTED) info[0] = 1; /* 500 steps were taken: go on */
  } while (t < t_end && (status == INTERRUPTED || status > 0) && iwork[10] < PEER_STEP_LIMIT);
  out->ok = status > 0 && t >= t_end;
  out->steps = iwork[10];
  out->evaluations = iwork[11];
  memcpy(out->z, y, (size_t)(2 * s.n) * sizeof *y);
}
