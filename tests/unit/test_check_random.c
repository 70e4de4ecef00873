/* random functions: derivatives that are right are never accused, whatever the functions do; a
   wrong entry is found where it can be told from rounding */
#include <daedal/daedal.h>
#include <math.h>
#include <stdint.h>

#include "test.h"

/* splitmix64: equal on every machine */
static double real(uint64_t *e, double low, double high) {
  uint64_t z = (*e += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}
static int number(uint64_t *e, int below) { return (int)real(e, 0, below); }
static bool chance(uint64_t *e, double probability) { return real(e, 0, 1) < probability; }
static double scale(uint64_t *e, double low, double high) {
  return exp(real(e, log(low), log(high)));
}

enum { MOST = 8, TERMS = 4 };

/* f_i = R_i sum_k c_k phi_k(sum_j a_kj x_j / C_j + w_k t + p_k), and a jump at t = 0 */
typedef struct term {
  int phi;
  double c, a[MOST], w, p, steep;
} term;
typedef struct random_function {
  int n, row, column; /* the wrong entry; -1: none */
  double wrong;       /* times what is right */
  double C[MOST], R[MOST], x[2 * MOST], jump;
  term of[MOST][TERMS];
} random_function;

enum { SINE, SQUARE, STEEP, ATAN, FAST, STEP, KINK, CUBE, JUMP, ALL };
enum { SMOOTH = KINK };

static double phi(const term *k, double u, double *d) {
  const double e = k->phi == STEEP ? exp(k->steep * u) : tanh(k->steep * u);
  switch (k->phi) {
    case SINE: *d = cos(u); return sin(u);
    case SQUARE: *d = 2 * u; return u * u;
    case STEEP: *d = k->steep * e; return e;
    case ATAN: *d = 1 / (1 + u * u); return atan(u);
    case FAST: *d = k->steep * cos(k->steep * u); return sin(k->steep * u);
    case STEP: *d = k->steep * (1 - e * e); return e;
    case KINK: *d = u > 0; return fmax(u, 0);
    case CUBE: *d = 3 * u * u; return u * u * u;
    default: *d = 0; return u >= 0;
  }
}

/* f_i; its gradient into J where that is not NULL */
static double value(const random_function *f, int i, double t, const double *x, double *J) {
  double sum = t >= 0 ? f->jump : 0, d;
  for (int k = 0; k < TERMS; k++) {
    const term *of = &f->of[i][k];
    double u = of->w * t + of->p;
    for (int j = 0; j < f->n; j++) u += of->a[j] * x[j] / f->C[j];
    sum += of->c * phi(of, u, &d);
    for (int j = 0; j < f->n && J; j++) J[j] += f->R[i] * of->c * d * of->a[j] / f->C[j];
  }
  return f->R[i] * sum;
}

static int all(double t, const double *x, double *out, void *ctx) {
  const random_function *f = ctx;
  for (int i = 0; i < f->n; i++) out[i] = value(f, i, t, x, NULL);
  return 0;
}
static int gradients(double t, const double *x, double *J, void *ctx) {
  const random_function *f = ctx;
  for (int i = 0; i < f->n; i++) value(f, i, t, x, J + i * f->n);
  if (f->row >= 0) J[f->row * f->n + f->column] *= f->wrong;
  return 0;
}
static int residual(double t, const double *x, const double *dx, double *F, void *ctx) {
  const random_function *f = ctx;
  for (int i = 0; i < f->n; i++) F[i] = f->R[i] * dx[i] / f->C[i] - value(f, i, t, x, NULL);
  return 0;
}
static int matrices(double t, const double *x, const double *dx, double *E, double *A, void *ctx) {
  const random_function *f = ctx;
  (void)dx;
  gradients(t, x, A, ctx);
  for (int i = 0; i < f->n * f->n; i++) A[i] = -A[i];
  for (int i = 0; i < f->n; i++) E[i * (f->n + 1)] = f->R[i] / f->C[i];
  return 0;
}
static int constraint(double t, const double *x, double *g, void *ctx) {
  *g = value(ctx, 0, t, x, NULL);
  return 0;
}
static int gradient(double t, const double *x, double *G, void *ctx) {
  const random_function *f = ctx;
  value(f, 0, t, x, G);
  if (f->row == 0) G[f->column] *= f->wrong;
  return 0;
}

static void choose(uint64_t *e, random_function *f, bool smooth, double units) {
  *f = (random_function){.n = 1 + number(e, MOST), .row = -1};
  f->jump = !smooth && chance(e, 0.3) ? 0.7 : 0;
  for (int i = 0; i < f->n; i++) {
    f->C[i] = scale(e, 1 / units, units), f->R[i] = scale(e, 1 / units, units);
    f->x[i] = f->C[i] * real(e, 0.1, 2) * (chance(e, 0.5) ? 1 : -1);
    if (!smooth && chance(e, 0.2)) f->x[i] = 0;
    f->x[f->n + i] = f->C[i] * real(e, -1, 1);
    for (int k = 0; k < TERMS; k++) {
      term *of = &f->of[i][k];
      of->phi = number(e, smooth ? SMOOTH : ALL);
      of->steep = scale(e, 1, smooth ? 5 : of->phi == FAST ? 1e3 : 38);
      of->c = real(e, -1, 1) * (of->phi == STEEP ? exp(-of->steep) : 1);
      of->w = chance(e, 0.5) ? 0 : scale(e, 1, smooth ? 3 : 6e4);
      of->p = chance(e, 0.3) ? 0 : real(e, -1, 1);
      for (int j = 0; j < f->n; j++) of->a[j] = chance(e, 0.5) ? 0 : real(e, -1, 1);
    }
  }
}

static dae_status look(random_function *f, int kind) {
  dae_problem p = {.t1 = 1, .z0 = f->x, .ctx = f};
  char message[256];
  if (kind == 0) {
    p.kind = DAE_ODE;
    p.ode = (dae_ode){.n = f->n, .f = all, .f_z = gradients};
  } else if (kind == 1) {
    p.kind = DAE_IMPLICIT;
    p.implicit = (dae_implicit){.n = f->n, .F = residual, .jacobian = matrices};
  } else {
    p.kind = DAE_MECHANICAL;
    p.mechanical = (dae_mechanical){.nq = f->n, .ng = 1, .g = constraint, .G = gradient};
  }
  const dae_status status = dae_problem_check(&p, 0, f->x, NULL, message, sizeof message);
  if (status != DAE_OK && f->row < 0) printf("  %s\n", message);
  return status;
}

/* jumps at the start, kinks, steep exponentials, frequencies to 1e4, units from 1e-9 to 1e9 */
static void test_right(void) {
  uint64_t e = 1;
  random_function f;
  for (int k = 0; k < 300; k++) {
    choose(&e, &f, false, k % 2 ? 1e9 : 1);
    CHECK(look(&f, k % 3) == DAE_OK);
  }
}

/* an entry of some weight in its row, off by 2 % or more */
static void test_wrong(void) {
  static const double factor[] = {-1, 0, 2, 1.1, 0.9, 1.02};
  uint64_t e = 2;
  random_function f;
  int found[2] = {0}, tried[2] = {0};
  for (int k = 0; tried[0] < 300 || tried[1] < 300; k++) {
    const int units = k % 2, kind = k / 2 % 3;
    double J[MOST] = {0}, most = 0;
    choose(&e, &f, true, units ? 1e9 : 1);
    const int row = kind == 2 ? 0 : number(&e, f.n), column = number(&e, f.n);
    value(&f, row, 0, f.x, J);
    for (int j = 0; j < f.n; j++) most = fmax(most, fabs(J[j] * f.C[j]));
    const double part = fabs(J[column] * f.C[column]);
    if (!(part > 0.01 * most) || !(part > 1e-3 * f.R[row])) continue;
    f.row = row, f.column = column, f.wrong = factor[number(&e, 6)];
    tried[units]++;
    found[units] += look(&f, kind) == DAE_E_INPUT;
  }
  printf("  found: %d of %d in the same units, %d of %d in mixed ones\n", found[0], tried[0],
         found[1], tried[1]);
  /* other terms, or the sizes of other variables, may hide it: then nothing is said */
  CHECK(found[0] >= 0.99 * tried[0]);
  CHECK(found[1] >= 0.97 * tried[1]);
}

int main(void) {
  RUN(test_right);
  RUN(test_wrong);
  return TEST_END();
}
