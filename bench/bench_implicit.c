/* M x' = f without any derivative: Daedal, RADAU5 and IDA on the same functions, time at equal
   achieved error */
/* needs: sundials_ida sundials_nvecserial sundials_generic dl */
#include <daedal/daedal.h>
#include <dlfcn.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { MOST = 8, TOLERANCES = 17, TARGETS = 3, SOLVERS = 4 };
static const double targets[TARGETS] = {1e-4, 1e-6, 1e-8};

typedef struct trial {
  const char *name;
  int n, index[3]; /* variables of index 1, 2, 3, in this order */
  void (*f)(double t, const double *x, double *f);
  void (*mass)(double *M); /* n x n, symmetric */
  double t1, x0[MOST], ref[MOST];
} trial;

/* ---- the problems ---- */

static void robertson_f(double t, const double *x, double *f) {
  (void)t;
  f[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  f[1] = 0.04 * x[0] - 1e4 * x[1] * x[2] - 3e7 * x[1] * x[1];
  f[2] = x[0] + x[1] + x[2] - 1;
}

static void first_two(double *M) { M[0] = M[4] = 1; }

static void van_der_pol_f(double t, const double *x, double *f) {
  (void)t;
  f[0] = x[1];
  f[1] = (1 - x[0] * x[0]) * x[1] - x[0];
}

static void small_mass(double *M) { M[0] = 1, M[3] = 1e-6; }

static void amplifier_f(double t, const double *u, double *f) {
  const double input = 0.1 * sin(200 * acos(-1) * t), R = 9000, alpha = 0.99;
  const double one = 1e-6 * (exp((u[1] - u[2]) / 0.026) - 1);
  const double two = 1e-6 * (exp((u[4] - u[5]) / 0.026) - 1);
  f[0] = (u[0] - input) / 1000;
  f[1] = u[1] / R + (u[1] - 6) / R + (1 - alpha) * one;
  f[2] = u[2] / R - one;
  f[3] = (u[3] - 6) / R + alpha * one;
  f[4] = u[4] / R + (u[4] - 6) / R + (1 - alpha) * two;
  f[5] = u[5] / R - two;
  f[6] = (u[6] - 6) / R + alpha * two;
  f[7] = u[7] / R;
}

static void capacitors(double *M) {
  const double C[5] = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6};
  for (int k = 0; k < 3; k++) {
    const int a = 3 * k, b = a + 1;
    M[a * 8 + a] = M[b * 8 + b] = -C[2 * k];
    M[a * 8 + b] = M[b * 8 + a] = C[2 * k];
  }
  M[2 * 8 + 2] = -C[1], M[5 * 8 + 5] = -C[3];
}

/* from the horizontal to the lowest point, twice: x, y, u, v, lambda */
static void pendulum(int level, const double *x, double *f) {
  double p = x[0], q = x[1], u = x[2], v = x[3], l = x[4], square = p * p + q * q;
  f[0] = u;
  f[1] = v;
  f[2] = -p * l;
  f[3] = -q * l - 1;
  f[4] = level == 3 ? square - 1 : level == 2 ? p * u + q * v : u * u + v * v - square * l - q;
}

static void pendulum1(double t, const double *x, double *f) { (void)t, pendulum(1, x, f); }
static void pendulum2(double t, const double *x, double *f) { (void)t, pendulum(2, x, f); }
static void pendulum3(double t, const double *x, double *f) { (void)t, pendulum(3, x, f); }
static void first_four(double *M) { M[0] = M[6] = M[12] = M[18] = 1; }

/* values of the Test Set for IVP Solvers (van der Pol, amplifier), of IDA's and others'
   documentation to the digits that all share (Robertson at 40: a run at 1e-13), and of elliptic
   integrals: quarter period K(1/2) */
#define QUARTER 1.85407467730137191843
static const trial trials[] = {
    {"robertson",
     3,
     {3, 0, 0},
     robertson_f,
     first_two,
     40,
     {1, 0, 0},
     {0.7158270687193941, 9.185534764557338e-06, 0.2841637457458413}},
    {"van der Pol",
     2,
     {2, 0, 0},
     van_der_pol_f,
     small_mass,
     2,
     {2, -0.66},
     {1.706167732170469, -0.8928097010248125}},
    {"amplifier",
     8,
     {8, 0, 0},
     amplifier_f,
     capacitors,
     0.2,
     {0, 3, 3, 6, 3, 3, 6, 0},
     {-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
      0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1}},
    {"pendulum, index 1",
     5,
     {5, 0, 0},
     pendulum1,
     first_four,
     5 * QUARTER,
     {1, 0, 0, 0, 0},
     {0, -1, -1.4142135623730951, 0, 3}},
    {"pendulum, index 2",
     5,
     {4, 1, 0},
     pendulum2,
     first_four,
     5 * QUARTER,
     {1, 0, 0, 0, 0},
     {0, -1, -1.4142135623730951, 0, 3}},
    {"pendulum, index 3",
     5,
     {2, 2, 1},
     pendulum3,
     first_four,
     5 * QUARTER,
     {1, 0, 0, 0, 0},
     {0, -1, -1.4142135623730951, 0, 3}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* ---- the solvers ---- */

static int daedal_f(double t, const double *x, double *f, void *ctx) {
  ((const trial *)ctx)->f(t, x, f);
  return 0;
}

static int daedal_mass(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x;
  ((const trial *)ctx)->mass(M);
  return 0;
}

static bool daedal(const trial *p, double tol, const char *method, double *x) {
  dae_problem problem = {
      .kind = DAE_IMPLICIT,
      .ctx = (void *)p,
      .implicit = {.n = p->n, .f = daedal_f, .mass = daedal_mass, .mass_constant = true}};
  dae_options o = dae_options_default();
  o.rtol = tol, o.atol = 1e-2 * tol;
  o.method = method;
  return dae_solve(&problem, &o, 0, p->t1, x, NULL, NULL, NULL) == DAE_OK;
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
  ((const trial *)data)->f(*t, y, dy);
}

static void radau_mass(int *n, double *M, int *stride, double *data, int *unused) {
  double full[MOST * MOST] = {0};
  (void)unused;
  ((const trial *)data)->mass(full);
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
  double t = 0, t1 = p->t1, h = 0, rtol = tol, atol = 1e-2 * tol;
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
  p->mass(M);
  p->f(t, NV_DATA_S(y), f);
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
  realtype t = 0;
  double M[MOST * MOST] = {0};
  p->mass(M);
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
  IDAInit(mem, ida_residual, 0, y, dy);
  IDASetErrHandlerFn(mem, silent, NULL);
  IDASetUserData(mem, (void *)p);
  IDASStolerances(mem, tol, 1e-2 * tol);
  IDASetId(mem, id);
  if (p->index[1] > 0) IDASetSuppressAlg(mem, SUNTRUE);
  IDASetMaxNumSteps(mem, 1000000);
  IDASetLinearSolver(mem, linear, A);
  IDASetStopTime(mem, p->t1);
  /* where M is diagonal IDA finds x' by itself; the values given are consistent */
  if (diagonal && p->index[1] == 0) IDACalcIC(mem, IDA_YA_YDP_INIT, 1e-3 * p->t1);
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

static const char *const solver_name[SOLVERS] = {"daedal auto", "daedal radau3", "radau5", "ida"};

static bool solve(int solver, const trial *p, double tol, double *x) {
  memcpy(x, p->x0, (size_t)p->n * sizeof *x);
  if (solver < 2) return daedal(p, tol, solver == 0 ? "auto" : "radau3", x);
  return solver == 2 ? radau5(p, tol, x) : ida(p, tol, x);
}

/* ---- measuring ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* largest error relative to the largest value of its kind, of all variables but multipliers of
   index 3 */
static double error_of(const trial *p, const double *x) {
  double worst = 0;
  for (int i = 0; i < p->n - p->index[2]; i++) {
    double size = fmax(fabs(p->ref[i]), p->n == 5 ? 1 : 1e-300);
    double e = fabs(x[i] - p->ref[i]) / size;
    if (!(e <= worst)) worst = e;
  }
  return worst;
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
    double tol = pow(10, -2 - 0.5 * k), x[MOST], best = INFINITY, spent = 0;
    if (!solve(solver, p, tol, x)) continue;
    c.error[c.count] = error_of(p, x);
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

int main(void) {
  printf("microseconds at equal achieved error, no derivatives given\n");
  printf("%-20s %8s", "problem", "error");
  for (int s = 0; s < SOLVERS; s++) printf(" %14s", solver_name[s]);
  printf("\n");
  for (int i = 0; i < TRIALS; i++) {
    curve c[SOLVERS];
    for (int s = 0; s < SOLVERS; s++) c[s] = measure(s, &trials[i]);
    for (int k = 0; k < TARGETS; k++) {
      printf("%-20s %8.0e", trials[i].name, targets[k]);
      for (int s = 0; s < SOLVERS; s++) {
        double t = time_at(&c[s], targets[k]);
        if (isfinite(t)) printf(" %14.0f", 1e6 * t);
        else printf(" %14s", "-");
      }
      printf("\n");
    }
  }
  return 0;
}
