/* M x' = f without any derivative: Daedal, RADAU5 and IDA on the same functions, with the index of
   the variables declared as RADAU5 wants it; time at equal achieved error. An argument: that
   problem */
/* needs: sundials_ida sundials_nvecserial sundials_generic dl */
#include <daedal/daedal.h>
#include <dlfcn.h>
#include <ida/ida.h>
#include <mass_form.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { MOST = GALLERY_MASS_MOST, TOLERANCES = 20, TARGETS = 4, SOLVERS = 3 };
static const double targets[TARGETS] = {1e-3, 1e-5, 1e-7, 1e-9};
typedef gallery_mass_form trial;

/* ---- the solvers ---- */

static bool daedal(const trial *p, double tol, double *x) {
  const dae_problem problem = gallery_mass_problem(p, true);
  dae_options o = dae_options_default();
  o.rtol = tol, o.atol = 1e-2 * tol;
  return dae_solve(&problem, &o, p->t0, p->t1, x, NULL, NULL, NULL) == DAE_OK;
}

typedef void radau_fn(int *n, double *t, double *y, double *dy, double *data, int *unused);
typedef void radau_mass_fn(int *n, double *M, int *stride, double *data, int *unused);
typedef void radau_solver(int *n, radau_fn *f, double *t, double *y, double *t_end, double *h,
                          double *rtol, double *atol, int *vectors, void *jacobian, int *exact,
                          int *ml, int *mu, radau_mass_fn *mass, int *implicit, int *mass_ml,
                          int *mass_mu, void *output, int *watch, double *work, int *work_size,
                          int *iwork, int *iwork_size, double *data, int *unused, int *status);

static void radau_f(int *n, double *t, double *y, double *dy, double *data, int *unused) {
  (void)n, (void)unused;
  ((const trial *)data)->f(*t, y, dy, data);
}

static void radau_mass(int *n, double *M, int *stride, double *data, int *unused) {
  double full[MOST * MOST] = {0};
  (void)unused;
  ((const trial *)data)->mass((const trial *)data, full);
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *n; i++) M[i + j * *stride] = full[i * *n + j];
}

/* these stand in for the output of R, which is not running */
#define PUBLIC __attribute__((visibility("default")))
PUBLIC void Rprintf(const char *format, ...);
PUBLIC void REprintf(const char *format, ...);
PUBLIC void Rf_warning(const char *format, ...);
PUBLIC void intpr_(const char *label, int *size, int *x, int *count);
PUBLIC void dblepr_(const char *label, int *size, double *x, int *count);
PUBLIC void rexit_(const char *message);
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

static radau_solver *find_radau(void) {
  static const char *const places[] = {"/usr/lib/R/site-library/deSolve/libs/deSolve.so",
                                       "/usr/lib/R/library/deSolve/libs/deSolve.so"};
  static void *library;
  for (int i = 0; !library && i < 2; i++) library = dlopen(places[i], RTLD_LAZY);
  return library ? (radau_solver *)dlsym(library, "radau5_") : NULL;
}

static bool radau5(const trial *p, double tol, double *x) {
  radau_solver *solve = find_radau();
  double t = p->t0, t1 = p->t1, h = 0, rtol = tol, atol = 1e-2 * tol;
  double work[MOST * (5 * MOST + 12) + 20] = {0};
  int iwork[3 * MOST + 20] = {0}, work_size = sizeof work / sizeof *work;
  int iwork_size = sizeof iwork / sizeof *iwork, n = p->n, one = 1, zero = 0, full = n, status = 0;
  if (!solve) return false;
  iwork[1] = 1000000;
  for (int i = 0; i < 3; i++) iwork[4 + i] = p->index[i];
  solve(&n, radau_f, &t, x, &t1, &h, &rtol, &atol, &zero, (void *)radau_f, &zero, &full, &full,
        radau_mass, &one, &full, &full, (void *)radau_f, &zero, work, &work_size, iwork,
        &iwork_size, (double *)p, &zero, &status);
  return status == 1;
}

static int ida_residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void *data) {
  const trial *p = data;
  double M[MOST * MOST] = {0}, f[MOST];
  p->mass(p, M);
  p->f(t, NV_DATA_S(y), f, data);
  for (int i = 0; i < p->n; i++) {
    double sum = -f[i];
    for (int j = 0; j < p->n; j++) sum += M[i * p->n + j] * NV_Ith_S(dy, j);
    NV_Ith_S(r, i) = sum;
  }
  return 0;
}

static void silent(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

static bool ida(const trial *p, double tol, double *x) {
  SUNContext context;
  realtype t = p->t0;
  double M[MOST * MOST] = {0};
  p->mass(p, M);
  if (SUNContext_Create(NULL, &context) != 0) return false;
  N_Vector y = N_VNew_Serial(p->n, context), dy = N_VClone(y), id = N_VClone(y);
  SUNMatrix A = SUNDenseMatrix(p->n, p->n, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, A, context);
  void *mem = IDACreate(context);
  memcpy(NV_DATA_S(y), x, (size_t)p->n * sizeof *x);
  N_VConst(0, dy);
  bool diagonal = true;
  for (int i = 0; i < p->n; i++) {
    NV_Ith_S(id, i) = M[i * p->n + i] != 0;
    for (int j = 0; j < p->n; j++) diagonal = diagonal && (i == j || M[i * p->n + j] == 0);
  }
  IDAInit(mem, ida_residual, p->t0, y, dy);
  IDASetErrHandlerFn(mem, silent, NULL);
  IDASetUserData(mem, (void *)p);
  IDASStolerances(mem, tol, 1e-2 * tol);
  IDASetId(mem, id);
  if (p->index[1] + p->index[2] > 0) IDASetSuppressAlg(mem, SUNTRUE);
  IDASetMaxNumSteps(mem, 1000000);
  IDASetLinearSolver(mem, linear, A);
  IDASetStopTime(mem, p->t1);
  /* where M is diagonal IDA finds x' by itself; the values given are consistent */
  if (diagonal && p->index[1] + p->index[2] == 0) IDACalcIC(mem, IDA_YA_YDP_INIT, 1e-3 * p->t1);
  bool ok = IDASolve(mem, p->t1, &t, y, dy, IDA_NORMAL) >= 0;
  memcpy(x, NV_DATA_S(y), (size_t)p->n * sizeof *x);
  IDAFree(&mem);
  SUNLinSolFree(linear);
  SUNMatDestroy(A);
  N_VDestroy(y);
  N_VDestroy(dy);
  N_VDestroy(id);
  SUNContext_Free(&context);
  return ok;
}

static const char *const solver_name[SOLVERS] = {"daedal", "radau5", "ida"};

static bool solve(int solver, const trial *p, double tol, double *x) {
  memcpy(x, p->x0, (size_t)p->n * sizeof *x);
  return solver == 0 ? daedal(p, tol, x) : solver == 1 ? radau5(p, tol, x) : ida(p, tol, x);
}

/* ---- measuring ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct curve {
  int count;
  double error[TOLERANCES], time[TOLERANCES];
} curve;

/* the least time of any tolerance whose error is below the target, along the line between two */
static double time_at(const curve *c, double target) {
  double best = INFINITY;
  for (int i = 0; i < c->count; i++) {
    if (c->error[i] <= target) best = fmin(best, c->time[i]);
    if (i == 0 || !(c->error[i] <= target && c->error[i - 1] > target)) continue;
    double part = log(c->error[i - 1] / target) / log(c->error[i - 1] / c->error[i]);
    best = fmin(best, c->time[i - 1] * pow(c->time[i] / c->time[i - 1], part));
  }
  return best;
}

static curve measure(int solver, const trial *p) {
  curve c = {0};
  for (int k = 0; k < TOLERANCES; k++) {
    double tol = pow(10, -1 - 0.5 * k), x[MOST], best = INFINITY, spent = 0;
    if (!solve(solver, p, tol, x)) continue;
    c.error[c.count] = gallery_mass_error(p, x);
    for (int round = 0; round < 20 && spent < 0.03; round++) {
      double begin = now();
      solve(solver, p, tol, x);
      double taken = now() - begin;
      best = fmin(best, taken), spent += taken;
    }
    c.time[c.count++] = best;
  }
  return c;
}

/* time against that of Daedal; '-': not reached */
static void print_ratio(double time, double ours) {
  if (isfinite(time)) printf(" %9.2f", time / ours);
  else printf(" %9s", "-");
}

int main(int argc, char **argv) {
  trial form;
  printf(
      "time at equal achieved error, no derivatives given: daedal in microseconds, the others as "
      "multiples of it\n%-20s %8s",
      "problem", "error");
  for (int s = 0; s < SOLVERS; s++) printf(" %9s", solver_name[s]);
  printf("\n");
  for (int i = 0; gallery_mass_open(i, &form); i++) {
    curve c[SOLVERS];
    if (argc > 1 && strcmp(argv[1], form.name) != 0) {
      gallery_mass_close(&form);
      continue;
    }
    for (int s = 0; s < SOLVERS; s++) c[s] = measure(s, &form);
    for (int k = 0; k < TARGETS; k++) {
      const double ours = time_at(&c[0], targets[k]);
      printf("%-20s %8.0e", form.name, targets[k]);
      if (isfinite(ours)) printf(" %9.0f", 1e6 * ours);
      else printf(" %9s", "-");
      for (int s = 1; s < SOLVERS; s++) print_ratio(time_at(&c[s], targets[k]), ours);
      printf("\n");
    }
    fflush(stdout);
    gallery_mass_close(&form);
  }
  return 0;
}
