/* a linear solver of one's own for the matrices of implicit steps: heat along a rod makes three
   diagonals, which a sweep down and up solves */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 50 };

/* heat in a rod of length 1 with its ends at 0: x_i' = (x_(i-1) - 2 x_i + x_(i+1))/dx^2 */
static int heat(double t, const double *x, double *dx, void *ctx) {
  const double scale = (N + 1.0) * (N + 1.0);
  (void)t, (void)ctx;
  for (int i = 0; i < N; i++)
    dx[i] = scale * ((i > 0 ? x[i - 1] : 0) - 2 * x[i] + (i < N - 1 ? x[i + 1] : 0));
  return 0;
}

/* one matrix: the diagonals below, on and above the main one, after elimination */
typedef struct sweep {
  double below[N], on[N], above[N];
  long *factorizations;
} sweep;

static void *make(int n, const dae_pattern *pattern, bool imaginary, void *ctx) {
  sweep *s = malloc(sizeof *s);
  if (n != N || pattern || imaginary) exit(1); /* what this program never asks for */
  if (s) s->factorizations = ctx;
  return s;
}

/* no pattern: N x N numbers by rows, of which three diagonals are taken */
static int factor(void *self, const double *values) {
  sweep *s = self;
  ++*s->factorizations;
  for (int i = 0; i < N; i++) {
    const double *row = values + i * N;
    s->below[i] = i > 0 ? row[i - 1] : 0;
    s->on[i] = row[i];
    s->above[i] = i < N - 1 ? row[i + 1] : 0;
    if (i > 0) {
      s->below[i] /= s->on[i - 1];
      s->on[i] -= s->below[i] * s->above[i - 1];
    }
    if (s->on[i] == 0) return i + 1;
  }
  return 0;
}

static void solve(void *self, double *b) {
  const sweep *s = self;
  for (int i = 1; i < N; i++) b[i] -= s->below[i] * b[i - 1];
  for (int i = N - 1; i >= 0; i--)
    b[i] = (b[i] - (i < N - 1 ? s->above[i] * b[i + 1] : 0)) / s->on[i];
}

int main(void) {
  dae_problem rod = {.kind = DAE_ODE, .autonomous = true, .ode = {.n = N, .f = heat}};
  long factorizations = 0;
  dae_own_linear tridiagonal = {sizeof tridiagonal, make, factor, solve, free, &factorizations};
  dae_extend own = dae_extend_none();
  dae_options options = dae_options_default();
  dae_report report;
  double x[N];
  const double pi = acos(-1), t1 = 0.1;
  for (int i = 0; i < N; i++) x[i] = sin(pi * (i + 1) / (N + 1));
  own.linear = &tridiagonal;
  options.extend = &own;
  options.method = "bdf"; /* real matrices only */
  dae_status status = dae_solve(&rod, &options, 0, t1, x, NULL, &report, NULL);
  printf("%s: %s\n", dae_status_name(status), report.message);
  /* the first eigenvector of the matrix decays with its eigenvalue */
  double rate = 4 * (N + 1.0) * (N + 1.0) * pow(sin(pi / (2 * (N + 1))), 2);
  double exact = exp(-rate * t1) * sin(pi * 25 / (N + 1));
  printf("error below 1e-5: %s, own factorizations: %s\n",
         fabs(x[24] - exact) < 1e-5 ? "yes" : "no", factorizations > 0 ? "yes" : "no");
  return 0;
}
