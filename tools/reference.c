/*
 * Reference values in 113-bit arithmetic, with nothing of Daedal in it: linearly implicit Euler
 * steps, extrapolated (Deuflhard 1983), Jacobians by differences in the same arithmetic.
 *   (M - h J) dy = h f(t + h, y),   n = 1, 2, .., K substeps,   T_jk by Aitken and Neville
 *   cc -O2 tools/reference.c -o reference -lquadmath -lm && ./reference pollution 1e-18
 */
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 real;
enum { N_MOST = 400, K = 16 };

typedef struct problem {
  const char *name;
  int n;
  double t1;
  void (*start)(real *y);
  void (*f)(real t, const real *y, real *dy);
  int band;    /* of the Jacobian, to each side; 0: full */
  double stop; /* a step ends at the multiples of it, where f jumps or bends; 0: nowhere */
} problem;

static void pollution_start(real *y) {
  y[1] = 0.2Q, y[3] = 0.04Q, y[6] = 0.1Q, y[7] = 0.3Q, y[8] = 0.01Q, y[16] = 0.007Q;
}

static void pollution(real t, const real *y, real *d) {
  (void)t;
  const real k[25] = {0.35Q,   26.6Q,   12300.0Q, 0.86e-3Q, 0.82e-3Q, 15000.0Q,    0.13e-3Q,
                      24000.0Q,  16500.0Q,  9000.0Q,  0.022Q,   12000.0Q,   1.88Q,     16300.0Q,
                      4.8e6Q,  0.35e-3Q, 0.0175Q, 1e8Q,   4.44e11Q, 1240.0Q,     2.1Q,
                      5.78Q,   0.0474Q, 1780.0Q,  3.12Q};
  /* reactants: one or two species of each reaction */
  static const int a[25] = {1, 2, 5, 7, 7, 7, 9, 9, 11, 11, 13, 10, 14,
                            1, 3, 4, 4, 16, 16, 17, 19, 19, 1, 19, 20};
  static const int b[25] = {0, 4, 2, 0, 0, 6, 0, 6, 2, 1, 0, 2, 0,
                            6, 0, 0, 0, 0, 0, 6, 0, 0, 4, 1, 0};
  /* products */
  static const int c[25][3] = {{2, 3}, {1}, {1, 6}, {5, 5, 8}, {8}, {5, 8}, {10, 5, 8}, {11},
                               {1, 10, 12}, {13}, {11, 1}, {14, 1}, {7, 5}, {15}, {4}, {16}, {3},
                               {6, 6}, {3}, {18, 5}, {2}, {1, 3}, {19}, {20}, {19, 1}};
  memset(d, 0, 20 * sizeof *d);
  for (int i = 0; i < 25; i++) {
    real r = k[i] * y[a[i] - 1] * (b[i] ? y[b[i] - 1] : 1);
    d[a[i] - 1] -= r;
    if (b[i]) d[b[i] - 1] -= r;
    for (int p = 0; p < 3 && c[i][p]; p++) d[c[i][p] - 1] += r;
  }
}

static void akzo_start(real *y) { y[0] = 0.444Q, y[1] = 0.00123Q, y[3] = 0.007Q; }

/* the sixth variable follows from the first and the fourth, and is put in */
static void akzo(real t, const real *y, real *d) {
  (void)t;
  real z = 115.83Q * y[0] * y[3], root = sqrtq(y[1]);
  real r1 = 18.7Q * y[0] * y[0] * y[0] * y[0] * root, r2 = 0.58Q * y[2] * y[3],
       r3 = 0.58Q / 34.4Q * y[0] * y[4], r4 = 0.09Q * y[0] * y[3] * y[3],
       r5 = 0.42Q * z * z * root;
  d[0] = -2 * r1 + r2 - r3 - r4;
  d[1] = -r1 / 2 - r4 - r5 / 2 + 3.3Q * (0.9Q / 737 - y[1]);
  d[2] = r1 - r2 + r3;
  d[3] = -r2 + r3 - 2 * r4;
  d[4] = r2 - r3 + r5;
}

static void ring_start(real *y) { (void)y; }

static real diode(real u) { return 40.67286402e-9Q * (expq(17.7493332Q * u) - 1); }

static void ring(real t, const real *y, real *d) {
  real in1 = 0.5Q * sinq(2000 * M_PIq * t), in2 = 2 * sinq(20000 * M_PIq * t);
  real q1 = diode(y[2] - y[4] - y[6] - in2), q2 = diode(-y[3] + y[5] - y[6] - in2),
       q3 = diode(y[3] + y[4] + y[6] + in2), q4 = diode(-y[2] - y[5] + y[6] + in2);
  real C = 1.6e-8Q, Cs = 2e-12Q, Cp = 1e-8Q, R = 25000, Rp = 50, Lh = 4.45Q, L1 = 2e-3Q,
       L2 = 5e-4Q, L3 = 5e-4Q, G1 = 36.3Q, G2 = 17.3Q, G3 = 17.3Q, Ri = 50, Rc = 600;
  d[0] = (y[7] - y[9] / 2 + y[10] / 2 + y[13] - y[0] / R) / C;
  d[1] = (y[8] - y[11] / 2 + y[12] / 2 + y[14] - y[1] / R) / C;
  d[2] = (y[9] - q1 + q4) / Cs;
  d[3] = (-y[10] + q2 - q3) / Cs;
  d[4] = (y[11] + q1 - q3) / Cs;
  d[5] = (-y[12] - q2 + q4) / Cs;
  d[6] = (-y[6] / Rp + q1 + q2 - q3 - q4) / Cp;
  d[7] = -y[0] / Lh;
  d[8] = -y[1] / Lh;
  d[9] = (y[0] / 2 - y[2] - G2 * y[9]) / L2;
  d[10] = (-y[0] / 2 + y[3] - G3 * y[10]) / L3;
  d[11] = (y[1] / 2 - y[4] - G2 * y[11]) / L2;
  d[12] = (-y[1] / 2 + y[5] - G3 * y[12]) / L3;
  d[13] = (-y[0] + in1 - (Ri + G1) * y[13]) / L1;
  d[14] = (-y[1] - (Rc + G1) * y[14]) / L1;
}

static void hires_start(real *y) { y[0] = 1, y[7] = 0.0057Q; }

static void hires(real t, const real *y, real *d) {
  (void)t;
  real bound = 280 * y[5] * y[7];
  d[0] = -1.71Q * y[0] + 0.43Q * y[1] + 8.32Q * y[2] + 0.0007Q;
  d[1] = 1.71Q * y[0] - 8.75Q * y[1];
  d[2] = -10.03Q * y[2] + 0.43Q * y[3] + 0.035Q * y[4];
  d[3] = 8.32Q * y[1] + 1.71Q * y[2] - 1.12Q * y[3];
  d[4] = -1.745Q * y[4] + 0.43Q * y[5] + 0.43Q * y[6];
  d[5] = -bound + 0.69Q * y[3] + 1.71Q * y[4] - 0.43Q * y[5] + 0.69Q * y[6];
  d[6] = bound - 1.81Q * y[6];
  d[7] = -bound + 1.81Q * y[6];
}

static void robertson_start(real *y) { y[0] = 1; }

/* the third variable follows from the sum, and is put in */
static void robertson(real t, const real *y, real *d) {
  (void)t;
  const real z = 1 - y[0] - y[1], fast = 10000 * y[1] * z;
  d[0] = fast - 0.04Q * y[0];
  d[1] = 0.04Q * y[0] - fast - 30000000 * y[1] * y[1];
}

static void van_der_pol_start(real *y) { y[0] = 2, y[1] = -0.66Q; }

static void van_der_pol(real t, const real *y, real *d) {
  (void)t;
  d[0] = y[1];
  d[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) * 1000000;
}

/*
 * The flexible slider-crank in its elastic amplitudes e = y[0..3] alone: angles and slider follow
 * from e and t. The forces are those of Lagrange, -M' v + dT/dp, with derivatives of M by
 * differences, so that nothing but M itself is as published.
 */
enum { P = 7 };
static const real crank_l1 = 0.15Q, crank_l2 = 0.3Q, crank_w = 150;

/* M at p = (phi1, phi2, x3, e), and K e */
static void crank_mass(const real *p, real M[P][P], real *stiff) {
  const real pi = 3.1415927Q, rho = 7870, l = crank_l2, area = 0.008Q * 0.008Q, V = area * l,
             m2 = 0.151104Q, k = 2e11Q * area / l, thin = 0.008Q / l, *e = p + 3,
             bend = k * pi * pi * pi * pi * thin * thin, m = rho * V;
  const real s = sinq(p[0] - p[1]), c = cosq(p[0] - p[1]), p3 = pi * pi * pi;
  const real c1[4] = {0, 0, 2 * V / 3, V / 6}, c2[4] = {2 * V / pi, 0, 0, 0},
             c12[4] = {0, 0, l * V / 3, l * V / 6}, c21[4] = {l * V / pi, -l * V / (2 * pi), 0, 0};
  const real Me[4][4] = {{m / 2}, {0, m / 2}, {0, 0, 8 * m, m}, {0, 0, m, 2 * m}};
  const real b13 = -16 * V / p3, b14 = V * (8 / p3 - 1 / pi), b24 = V / (2 * pi);
  const real B[4][4] = {{0, 0, b13, b14}, {0, 0, 0, b24}, {-b13}, {-b14, -b24}};
  memset(M, 0, P * sizeof *M);
  M[0][0] = 0.002727Q + m2 * crank_l1 * crank_l1;
  M[0][1] = crank_l1 * l * m2 * c / 2;
  M[1][1] = 0.0045339259Q;
  M[2][2] = 0.075552Q;
  for (int i = 0; i < 4; i++) {
    M[0][1] += rho * crank_l1 * (s * c2[i] + c * c1[i]) * e[i];
    M[1][1] += 2 * rho * c12[i] * e[i];
    M[0][3 + i] = rho * crank_l1 * (c * c2[i] - s * c1[i]);
    M[1][3 + i] = rho * c21[i];
    for (int j = 0; j < 4; j++) {
      M[1][1] += e[i] * Me[i][j] * e[j];
      M[1][3 + i] += rho * e[j] * B[j][i];
      M[3 + i][3 + j] = Me[i][j];
    }
  }
  for (int i = 0; i < P; i++)
    for (int j = 0; j < i; j++) M[i][j] = M[j][i];
  stiff[0] = bend / 24 * e[0];
  stiff[1] = bend * 2 / 3 * e[1];
  stiff[2] = k / 3 * (16 * e[2] - 8 * e[3]);
  stiff[3] = k / 3 * (7 * e[3] - 8 * e[2]);
}

/* positions, velocities and what is left of the accelerations when e'' = 0; lean: how phi2 and x3
   follow q4 */
static void crank_motion(real t, const real *y, real *p, real *v, real *a, real *lean) {
  const real L = crank_l2 + y[3], dL = y[7], w = crank_w, l1 = crank_l1;
  const real s1 = sinq(w * t), c1 = cosq(w * t), s2 = -l1 * s1 / L, c2 = sqrtq(1 - s2 * s2);
  memset(a, 0, P * sizeof *a);
  memcpy(p + 3, y, 4 * sizeof *p);
  memcpy(v + 3, y + 4, 4 * sizeof *v);
  p[0] = w * t, p[1] = asinq(s2), p[2] = l1 * c1 + L * c2;
  /* L sin phi2 = -l1 sin w t, twice differentiated */
  v[0] = w, v[1] = (-l1 * w * c1 - s2 * dL) / (L * c2);
  v[2] = -l1 * w * s1 + dL * c2 - L * s2 * v[1];
  a[1] = (l1 * w * w * s1 + L * s2 * v[1] * v[1] - 2 * c2 * v[1] * dL) / (L * c2);
  a[2] = -l1 * w * w * c1 - 2 * dL * s2 * v[1] - L * (c2 * v[1] * v[1] + s2 * a[1]);
  lean[0] = -s2 / (L * c2), lean[1] = c2 + s2 * s2 / c2;
}

static void flexible_crank(real t, const real *y, real *d) {
  real p[P], v[P], a[P], lean[2], M[P][P], up[P][P], down[P][P], stiff[4], unused[4], f[P] = {0};
  real A[4][5];
  const real h = 1e-11Q;
  crank_motion(t, y, p, v, a, lean);
  crank_mass(p, M, stiff);
  for (int k = 0; k < P; k++) {
    real at = p[k], turn = 0;
    if (k == 2) continue; /* M does not depend on x3 */
    p[k] = at + h, crank_mass(p, up, unused);
    p[k] = at - h, crank_mass(p, down, unused);
    p[k] = at;
    for (int i = 0; i < P; i++) {
      real along = 0;
      for (int j = 0; j < P; j++) along += (up[i][j] - down[i][j]) / (2 * h) * v[j];
      turn += along * v[i] / 2;
      f[i] -= along * v[k];
    }
    f[k] += turn;
  }
  for (int i = 0; i < 4; i++) f[3 + i] -= stiff[i];
  for (int i = 0; i < P; i++)
    for (int j = 0; j < P; j++) f[i] -= M[i][j] * a[j];
  /* rows and columns of phi2 and x3 go to that of q4 */
  for (int i = 0; i < P; i++)
    for (int k = 0; k < 2; k++) M[i][6] += M[i][1 + k] * lean[k];
  for (int j = 0; j < P; j++)
    for (int k = 0; k < 2; k++) M[6][j] += lean[k] * M[1 + k][j];
  for (int k = 0; k < 2; k++) f[6] += lean[k] * f[1 + k];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) A[i][j] = M[3 + i][3 + j];
    A[i][4] = f[3 + i];
  }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 4; i != k && j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  for (int i = 0; i < 4; i++) d[i] = y[4 + i], d[4 + i] = A[i][4] / A[i][i];
}

static void flexible_crank_start(real *y) {
  y[2] = 0.103339863e-4Q, y[3] = 0.169327969e-4Q;
  y[4] = 0.444896105Q, y[5] = 0.463434311e-2Q, y[6] = -0.178591076e-5Q, y[7] = -0.268938672e-5Q;
}

/* 200 cells of the transformed half-line: u diffuses and is consumed by v; phi is the inflow */
static void medical_start(real *y) {
  for (int j = 0; j < 200; j++) y[2 * j + 1] = 1;
}

static void medical(real t, const real *y, real *d) {
  enum { CELLS = 200 };
  const real w = 1.0Q / CELLS, phi = t <= 5 ? 2 : 0;
  for (int j = 0; j < CELLS; j++) {
    const real z = (j + 1) * w - 1, beta = z * z * z * z / 16, alpha = z * z * z / 8;
    const real u = y[2 * j], v = y[2 * j + 1], left = j ? y[2 * j - 2] : phi;
    d[2 * j + 1] = -100 * u * v;
    d[2 * j] = d[2 * j + 1];
    if (j + 1 < CELLS)
      d[2 * j] += beta * (left - 2 * u + y[2 * j + 2]) / (w * w) +
                  alpha * (y[2 * j + 2] - left) / (2 * w);
  }
}

/* trapezes between 0 and 5: value and slope; the slope at a corner is that before it */
static real trapeze(real t, real delay, real top, real period, real *slope) {
  const real s = t - period * ceilq(t / period - 1);
  const real up = s - delay, down = delay + 10 + top - s;
  *slope = up <= 0 || down < 0 ? 0 : up <= 5 ? 1 : down < 5 ? -1 : 0;
  return up <= 0 || down <= 0 ? 0 : up < 5 ? up : down < 5 ? down : 5;
}

/* Shichman and Hodges: current into the drain. Backwards an enhancement transistor has a tenth of
   beta in the Test Set's code, and so it has in the values that it publishes */
static real channel(bool depletion, real ds, real gs, real bs, real gd, real bd) {
  const real V0 = depletion ? -2.43Q : 0.2Q, gamma = depletion ? 0.2Q : 0.035Q,
             phi = depletion ? 1.28Q : 1.01Q,
             beta = depletion ? 5.35e-4Q : ds < 0 ? 1.748e-4Q : 1.748e-3Q;
  const bool back = ds < 0;
  const real above = (back ? gd : gs) - V0 - gamma * (sqrtq(phi - (back ? bd : bs)) - sqrtq(phi)),
             v = fabsq(ds);
  const real i = above <= 0 ? 0
                            : beta * (1 + 0.02Q * v) *
                                  (above <= v ? above * above : v * (2 * above - v));
  return back ? -i : i;
}

static real junction(real v) { return v <= 0 ? 1e-14Q * (1 - expq(v / 25.85Q)) : 0; }
static real store(real v) {
  return 2.4e-5Q * (v <= 0 ? 1 / sqrtq(1 - v / 0.87Q) : 1 + v / 1.74Q);
}

static void nand_start(real *y) {
  const double at[] = {5, 5, -2.5, -2.5, 5, 0, 5, -2.5, -2.5, 0, 0, 0, -2.5, -2.5};
  for (int i = 0; i < 14; i++) y[i] = at[i];
  y[5] = y[9] = y[11] = 3.62385Q;
}

/* 14 nodes, C(y) y' = i(t,y), solved for y' by elimination */
static void nand(real t, const real *y, real *d) {
  const real gate = 6e-5Q, load = 5e-5Q, supply = 5, bulk = -2.5Q;
  real C[14][15] = {{0}}, s1, s2;
  const real v1 = trapeze(t, 5, 5, 20, &s1), v2 = trapeze(t, 15, 15, 40, &s2);
  const real i1 = channel(true, y[1] - y[0], y[4] - y[0], y[2] - y[4], y[4] - y[1], y[3] - supply),
             i2 = channel(false, y[6] - y[5], v1 - y[5], y[7] - y[9], v1 - y[6], y[8] - y[4]),
             i3 = channel(false, y[11] - y[10], v2 - y[10], y[12], v2 - y[11], y[13] - y[9]);
  const real c3 = store(y[2] - y[4]), c4 = store(y[3] - supply), c9 = store(y[8] - y[4]),
             c8 = store(y[7] - y[9]), c14 = store(y[13] - y[9]), c13 = store(y[12]);
  const real j3 = junction(y[2] - y[4]), j4 = junction(y[3] - supply), j9 = junction(y[8] - y[4]),
             j8 = junction(y[7] - y[9]), j14 = junction(y[13] - y[9]), j13 = junction(y[12]);
  const real current[14] = {(y[4] - y[0]) / 4 + i1,
                            (supply - y[1]) / 4 - i1,
                            (bulk - y[2]) / 10 + j3,
                            (bulk - y[3]) / 10 + j4,
                            (y[0] - y[4]) / 4 - j3 + (y[6] - y[4]) / 4 - j9,
                            gate * s1 + (y[9] - y[5]) / 4 + i2,
                            gate * s1 + (y[4] - y[6]) / 4 - i2,
                            (bulk - y[7]) / 10 + j8,
                            (bulk - y[8]) / 10 + j9,
                            (y[5] - y[9]) / 4 - j8 + (y[11] - y[9]) / 4 - j14,
                            gate * s2 - y[10] / 4 + i3,
                            gate * s2 + (y[9] - y[11]) / 4 - i3,
                            (bulk - y[12]) / 10 + j13,
                            (bulk - y[13]) / 10 + j14};
  const real own[14] = {gate, gate, c3, c4, 2 * gate + c3 + c9 + load, gate, gate,
                        c8, c9, c8 + c14 + load, gate, gate, c13, c14};
  for (int i = 0; i < 14; i++) C[i][i] = own[i], C[i][14] = current[i];
  C[0][4] = C[4][0] = C[1][4] = C[4][1] = -gate;
  C[2][4] = C[4][2] = -c3, C[8][4] = C[4][8] = -c9;
  C[7][9] = C[9][7] = -c8, C[13][9] = C[9][13] = -c14;
  for (int k = 0; k < 14; k++)
    for (int i = 0; i < 14; i++) {
      const real l = i == k ? 0 : C[i][k] / C[k][k];
      for (int j = k; j < 15 && l != 0; j++) C[i][j] -= l * C[k][j];
    }
  for (int i = 0; i < 14; i++) d[i] = C[i][14] / C[i][i];
}

static const problem all[] = {{"robertson", 2, 40, robertson_start, robertson},
                              {"van-der-pol", 2, 2, van_der_pol_start, van_der_pol},
                              {"pollution", 20, 60, pollution_start, pollution},
                              {"akzo", 5, 180, akzo_start, akzo},
                              {"hires", 8, 321.8122, hires_start, hires},
                              {"ring", 15, 1e-3, ring_start, ring},
                              {"flexible-crank", 8, 0.1, flexible_crank_start, flexible_crank},
                              {"medical-akzo", 400, 20, medical_start, medical, 2, 5},
                              {"nand", 14, 80, nand_start, nand, 0, 5}};

static const problem *p;
static real J[N_MOST][N_MOST], A[N_MOST][N_MOST];
static int pivot[N_MOST];

static void jacobian(real t, const real *y) {
  real f[N_MOST], g[N_MOST], z[N_MOST];
  memcpy(z, y, sizeof z);
  p->f(t, y, f);
  for (int j = 0; j < p->n; j++) {
    real e = 1e-17Q * fmaxq(fabsq(y[j]), 1e-10Q);
    z[j] = y[j] + e;
    p->f(t, z, g);
    for (int i = 0; i < p->n; i++) J[i][j] = (g[i] - f[i]) / e;
    z[j] = y[j];
  }
}

/* columns that row k reaches to, and rows below it that reach to column k */
static int last_row(int k) { return p->band && k + p->band < p->n ? k + p->band + 1 : p->n; }
static int last_column(int k) {
  return p->band && k + 2 * p->band < p->n ? k + 2 * p->band + 1 : p->n;
}

static void factor(real h) {
  int n = p->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = (i == j) - h * J[i][j];
  for (int k = 0; k < n; k++) {
    int m = k;
    for (int i = k + 1; i < last_row(k); i++)
      if (fabsq(A[i][k]) > fabsq(A[m][k])) m = i;
    pivot[k] = m;
    for (int j = k; j < last_column(k) && m != k; j++) {
      real s = A[k][j];
      A[k][j] = A[m][j], A[m][j] = s;
    }
    for (int i = k + 1; i < last_row(k); i++) {
      real l = A[i][k] /= A[k][k];
      for (int j = k + 1; j < last_column(k) && l != 0; j++) A[i][j] -= l * A[k][j];
    }
  }
}

static void solve(real *b) {
  int n = p->n;
  for (int k = 0; k < n; k++) {
    real s = b[k];
    b[k] = b[pivot[k]], b[pivot[k]] = s;
    for (int i = k + 1; i < last_row(k); i++) b[i] -= A[i][k] * b[k];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < last_column(i); j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
}

/* one step of size H; the error in units of the tolerance, and the row that it was met in */
static double step(real t, const real *y, real H, double tol, real *out, int *row) {
  static real T[K][K][N_MOST];
  double error = 1e300;
  jacobian(t, y);
  for (int j = 0; j < K; j++) {
    real z[N_MOST], d[N_MOST], h = H / (j + 1);
    memcpy(z, y, sizeof z);
    factor(h);
    for (int s = 0; s <= j; s++) {
      p->f(t + (s + 1) * h, z, d);
      for (int i = 0; i < p->n; i++) d[i] *= h;
      solve(d);
      for (int i = 0; i < p->n; i++) z[i] += d[i];
    }
    for (int i = 0; i < p->n; i++) {
      if (!finiteq(z[i])) return 1e300;
      T[j][0][i] = z[i];
      for (int k = 1; k <= j; k++)
        T[j][k][i] = T[j][k - 1][i] +
                     (T[j][k - 1][i] - T[j - 1][k - 1][i]) / ((real)(j + 1) / (j - k + 1) - 1);
    }
    if (j < 4) continue;
    error = 0;
    for (int i = 0; i < p->n; i++) {
      double e = (double)(fabsq(T[j][j][i] - T[j][j - 1][i]) / (tol * (1e-6Q + fabsq(y[i]))));
      if (e > error) error = e;
    }
    *row = j;
    memcpy(out, T[j][j], sizeof T[j][j]);
    if (error <= 1) break;
  }
  return error;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 2 && i < sizeof all / sizeof *all; i++)
    if (strcmp(argv[1], all[i].name) == 0) p = &all[i];
  if (!p) return 1;
  real y[N_MOST] = {0}, out[N_MOST], t = 0, end = p->t1, h = end * 1e-9Q;
  if (strcmp(p->name, "hires") == 0) end = 321.8122Q;
  if (strcmp(p->name, "ring") == 0) end = 1e-3Q;
  if (strcmp(p->name, "flexible-crank") == 0) end = 0.1Q;
  double tol = atof(argv[2]);
  long steps = 0, rejected = 0;
  p->start(y);
  const real whole = end;
  for (int k = 1; t < whole; k++, h = whole * 1e-9Q) {
    end = p->stop > 0 ? k * (real)p->stop : whole;
    while (t < end) {
      int row = 0;
      bool last = t + h >= end;
      if (last) h = end - t;
      double error = step(t, y, h, tol, out, &row);
      if (error > 1) {
        h *= 0.3Q, rejected++;
        continue;
      }
      memcpy(y, out, sizeof y);
      t = last ? end : t + h;
      steps++;
      /* the last rows but two are the aim */
      double factor = pow(0.1 / (error + 1e-6), 1.0 / (row + 1));
      h *= row < K - 3 ? (factor > 1.5 ? factor < 3 ? factor : 3 : 1.5) : factor < 1 ? factor : 1;
    }
  }
  for (int i = 0; i < p->n; i++) {
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.22Qe", y[i]);
    printf("y[%d] = %s\n", i + 1, text);
  }
  printf("%ld steps, %ld rejected\n", steps, rejected);
  return 0;
}
