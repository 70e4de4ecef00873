/* capacitances that depend on the voltages, M(t,x) x' = f(t,x): the NAND gate of the Test Set for
   IVP Solvers, three transistors and 14 nodes, with inputs that bend at known times */
#include <daedal/daedal.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 14 };
static const double SUPPLY = 5, BULK = -2.5, GATE = 6e-5, LOAD = 5e-5;

/* an input: 0, up in 5 ns from `delay` on, `top` ns at 5 V, down in 5 ns; and its slope, at a
   corner that before it */
static double input(double t, double delay, double top, double period, double *slope) {
  const double at = t - period * fmax(0, ceil(t / period - 1)) - delay, left = 10 + top - at;
  *slope = at <= 0 || left < 0 ? 0 : at <= 5 ? 1 : left < 5 ? -1 : 0;
  return fmax(0, fmin(5, fmin(at, left)));
}

/* into the drain (Shichman and Hodges); gs, bs: of gate and bulk against the source, gd, bd:
   against the drain */
static double channel(bool depletion, double ds, double gs, double bs, double gd, double bd) {
  const bool back = ds < 0;
  const double beta = depletion ? 5.35e-4 : back ? 1.748e-4 : 1.748e-3;
  const double phi = depletion ? 1.28 : 1.01, gamma = depletion ? 0.2 : 0.035;
  const double threshold =
      (depletion ? -2.43 : 0.2) + gamma * (sqrt(phi - (back ? bd : bs)) - sqrt(phi));
  const double above = (back ? gd : gs) - threshold, v = fabs(ds);
  if (above <= 0) return 0;
  const double i = beta * (1 + 0.02 * v) * (above <= v ? above * above : v * (2 * above - v));
  return back ? -i : i;
}

/* a junction to the bulk: current, and capacitance */
static double leak(double v) { return v <= 0 ? -1e-14 * expm1(v / 25.85) : 0; }
static double store(double v) { return 2.4e-5 * (v <= 0 ? 1 / sqrt(1 - v / 0.87) : 1 + v / 1.74); }

/* a node against itself and another: -1 is a fixed potential */
static void capacitor(double *M, int a, int b, double c) {
  if (a >= 0) M[a * NODES + a] += c;
  if (b >= 0) M[b * NODES + b] += c;
  if (a >= 0 && b >= 0) M[a * NODES + b] -= c, M[b * NODES + a] -= c;
}

static int mass(double t, const double *u, double *M, void *ctx) {
  static const int gate[][2] = {{0, 4}, {1, 4}, {5, -1}, {6, -1}, {10, -1}, {11, -1}};
  (void)t, (void)ctx;
  for (int k = 0; k < 6; k++) capacitor(M, gate[k][0], gate[k][1], GATE);
  capacitor(M, 4, -1, LOAD);
  capacitor(M, 9, -1, LOAD);
  capacitor(M, 2, 4, store(u[2] - u[4]));
  capacitor(M, 3, -1, store(u[3] - SUPPLY));
  capacitor(M, 7, 9, store(u[7] - u[9]));
  capacitor(M, 8, 4, store(u[8] - u[4]));
  capacitor(M, 12, -1, store(u[12]));
  capacitor(M, 13, 9, store(u[13] - u[9]));
  return 0;
}

static void flow(double *f, int from, int to, double current) {
  if (from >= 0) f[from] -= current;
  if (to >= 0) f[to] += current;
}

static int currents(double t, const double *u, double *f, void *ctx) {
  double s1, s2;
  const double v1 = input(t, 5, 5, 20, &s1), v2 = input(t, 15, 15, 40, &s2);
  (void)ctx;
  memset(f, 0, NODES * sizeof *f);
  /* resistors of 4 at drain and source, of 10 at the bulk */
  static const int wire[][2] = {{0, 4}, {6, 4}, {5, 9}, {11, 9}};
  static const int bulk[] = {2, 3, 7, 8, 12, 13};
  for (int k = 0; k < 4; k++) flow(f, wire[k][0], wire[k][1], (u[wire[k][0]] - u[wire[k][1]]) / 4);
  for (int k = 0; k < 6; k++) f[bulk[k]] += (BULK - u[bulk[k]]) / 10;
  f[1] += (SUPPLY - u[1]) / 4;
  f[10] -= u[10] / 4;
  /* from drain to source */
  flow(f, 1, 0, channel(true, u[1] - u[0], u[4] - u[0], u[2] - u[4], u[4] - u[1], u[3] - SUPPLY));
  flow(f, 6, 5, channel(false, u[6] - u[5], v1 - u[5], u[7] - u[9], v1 - u[6], u[8] - u[4]));
  flow(f, 11, 10, channel(false, u[11] - u[10], v2 - u[10], u[12], v2 - u[11], u[13] - u[9]));
  flow(f, 4, 2, leak(u[2] - u[4]));
  flow(f, -1, 3, leak(u[3] - SUPPLY));
  flow(f, 9, 7, leak(u[7] - u[9]));
  flow(f, 4, 8, leak(u[8] - u[4]));
  flow(f, -1, 12, leak(u[12]));
  flow(f, 9, 13, leak(u[13] - u[9]));
  /* what the inputs push through the gates */
  f[5] += GATE * s1, f[6] += GATE * s1;
  f[10] += GATE * s2, f[11] += GATE * s2;
  return 0;
}

int main(void) {
  const double u0[NODES] = {5,    5,    -2.5,    -2.5, 5,       3.62385, 5,
                            -2.5, -2.5, 3.62385, 0,    3.62385, -2.5,    -2.5};
  dae_problem problem = {.kind = DAE_IMPLICIT,
                         .t1 = 80,
                         .z0 = u0,
                         .implicit = {.n = NODES, .f = currents, .mass = mass}};
  dae_options options = dae_options_default();
  options.rtol = options.atol = 1e-7;
  /* steps end at the corners of the inputs */
  double corner[16];
  for (int k = 0; k < 16; k++) corner[k] = 5 * (k + 1);
  dae_solver *solver;
  dae_status status = dae_solver_new(&solver, &problem, &options, NULL);
  if (status == DAE_OK) status = dae_solver_hit(solver, corner, 16);
  if (status == DAE_OK) status = dae_solver_start(solver, 0, NULL, NULL);
  for (int t = 20; t <= 80 && status == DAE_OK; t += 20) {
    status = dae_solver_advance(solver, t);
    const double *u = dae_solver_z(solver);
    if (status == DAE_OK) printf("t = %d  output %8.5f  between %8.5f\n", t, u[4], u[9]);
  }
  const double *u = dae_solver_z(solver);
  for (int i = 0; i < NODES && status == DAE_OK; i++) printf("u%-2d = %10.6f\n", i + 1, u[i]);
  if (status != DAE_OK) printf("%s\n", dae_solver_report(solver)->message);
  dae_solver_free(solver);
  return status != DAE_OK;
}
