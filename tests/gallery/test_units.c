/* M x' = f in other units, factors of 1e-9 to 1e9 for each variable and each equation: the same
   answer, and as many steps within 10 %, whatever the method */
#include <mass_form.h>

#include "test.h"

enum { MOST = GALLERY_MASS_MOST, CHANGES = 4 };
static const double TOL = 1e-4;

/* x_j = variable_j X_j, and equation_i times equation i */
typedef struct units {
  const gallery_mass_form *form;
  double variable[MOST], equation[MOST];
} units;

static int f(double t, const double *x, double *out, void *ctx) {
  const units *u = ctx;
  double X[MOST];
  for (int j = 0; j < u->form->n; j++) X[j] = x[j] / u->variable[j];
  int status = u->form->f(t, X, out, (void *)u->form);
  for (int i = 0; i < u->form->n; i++) out[i] *= u->equation[i];
  return status;
}

static int mass(double t, const double *x, double *M, void *ctx) {
  const units *u = ctx;
  const int n = u->form->n;
  (void)t, (void)x;
  u->form->mass(u->form, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i * n + j] *= u->equation[i] / u->variable[j];
  return 0;
}

/* change 0: none; 1: powers of two; others: of ten with any exponent */
static void choose(units *u, int change) {
  for (int j = 0; j < u->form->n; j++) {
    const double a = sin(1 + 2.3 * j + 5.1 * change), b = sin(2 + 1.7 * j + 3.7 * change);
    u->variable[j] = change == 0 ? 1 : change == 1 ? exp2(rint(30 * a)) : pow(10, 9 * a);
    u->equation[j] = change == 0 ? 1 : change == 1 ? exp2(rint(30 * b)) : pow(10, 9 * b);
  }
}

/* steps, and the answer in the units of the problem; -1: it failed */
static long run(units *u, const char *method, double *answer) {
  const gallery_mass_form *form = u->form;
  double x[MOST], atols[MOST];
  dae_stats stats;
  for (int j = 0; j < form->n; j++) {
    x[j] = form->x0[j] * u->variable[j];
    atols[j] = 1e-2 * TOL * u->variable[j];
  }
  const dae_problem p = {.kind = DAE_IMPLICIT,
                         .t0 = form->t0,
                         .t1 = form->t1,
                         .ctx = u,
                         .implicit = {.n = form->n,
                                      .f = f,
                                      .mass = mass,
                                      .mass_constant = true,
                                      .variable_index = form->variable_index}};
  dae_options o = dae_options_default();
  o.method = method;
  o.rtol = TOL, o.atols = atols, o.n_atols = form->n;
  if (dae_solve(&p, &o, form->t0, form->t1, x, NULL, NULL, &stats) != DAE_OK) return -1;
  for (int j = 0; j < form->n; j++) answer[j] = x[j] / u->variable[j];
  return stats.steps;
}

/* 10 % of few steps is none: one more or less is no other run */
static bool alike(long steps, long others) {
  return fabs((double)(steps - others)) <= fmax(1, 0.1 * (double)steps);
}

/* of what is known of the solution, relative to the larger of it and its size */
static double difference(const gallery_mass_form *form, const double *x, const double *plain) {
  double most = 0;
  for (int j = 0; j < form->known; j++)
    most = fmax(most, fabs(x[j] - plain[j]) / fmax(fabs(plain[j]), form->size));
  return most;
}

static void with(const char *method) {
  gallery_mass_form form;
  for (int i = 0; gallery_mass_open(i, &form); i++) {
    units u = {.form = &form};
    long plain = 0;
    double answer[MOST] = {0};
    /* index 3 has methods of its own */
    for (int change = 0; change < CHANGES && form.index[2] == 0; change++) {
      double x[MOST] = {0};
      choose(&u, change);
      const long steps = run(&u, method, x);
      if (change == 0) plain = steps, memcpy(answer, x, sizeof x);
      const bool good = steps > 0 ? alike(plain, steps) && difference(&form, x, answer) <= 10 * TOL
                                  : steps == plain;
      CHECK(good);
      if (!good)
        printf("  %s, %s, units %d: %ld steps, %ld without\n", form.name, method, change, steps,
               plain);
    }
    gallery_mass_close(&form);
  }
}

static void radau(void) { with("radau3"); }
static void lobatto(void) { with("lobatto3"); }
static void bdf(void) { with("bdf"); }
static void gauss(void) { with("gauss2"); }
static void sdirk(void) { with("sdirk3"); }

int main(void) {
  RUN(radau);
  RUN(lobatto);
  RUN(bdf);
  RUN(gauss);
  RUN(sdirk);
  return TEST_END();
}
