/* the tables of methods and forms, and a tableau of the library used on data of one's own */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

enum { PARTS = 2 };

/* x'' = -x */
static void slope(const double *z, double *k) {
  k[0] = z[1];
  k[1] = -z[0];
}

/* z := z + h sum b_i k_i, k_i = slope(z + h sum_j a_ij k_j) */
static void step(const dae_tableau *m, double h, double *z) {
  double k[DAE_TABLEAU_STAGES][PARTS];
  for (int i = 0; i < m->stages; i++) {
    double stage[PARTS] = {z[0], z[1]};
    for (int j = 0; j < i; j++)
      for (int c = 0; c < PARTS; c++) stage[c] += h * m->a[i][j] * k[j][c];
    slope(stage, k[i]);
  }
  for (int i = 0; i < m->stages; i++)
    for (int c = 0; c < PARTS; c++) z[c] += h * m->b[i] * k[i][c];
}

/* |x(1) - cos 1| with n steps */
static double error(const dae_tableau *m, int n) {
  double z[PARTS] = {1, 0};
  for (int i = 0; i < n; i++) step(m, 1.0 / n, z);
  return fabs(z[0] - cos(1));
}

int main(void) {
  printf("Daedal %s\n", dae_version());
  puts("implicit methods with error control, order 5 or more:");
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *m = dae_method_at(i);
    if (m->implicit && m->estimate > 0 && m->order >= 5)
      printf("  %s, order %d\n", m->name, m->order);
  }
  const dae_choice *form = dae_form_find("ggl");
  if (form) printf("%s: %s\n", form->name, form->when);

  dae_tableau rk4;
  const dae_method *method = dae_method_find("rk4");
  if (!method || dae_method_tableau(method, &rk4) != DAE_OK) return 1;
  double order = log2(error(&rk4, 20) / error(&rk4, 40));
  printf("rk4 on an oscillator: order %.1f\n", order);
  return fabs(order - method->order) < 0.1 ? 0 : 1;
}
