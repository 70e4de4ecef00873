/* the same system written in equivalent ways, and nonlinear starts with a known solution
   exam: 80 600
   mended: 60012 500710 501080 501125 700120 701183 910238 921114 933084 939358 948424 954064

   pendulum  a wheel on a rod in units over 12 decades, its constraint squared, as a root, scaled,
             by an angle, by differences, stated twice; equations permuted and added, aliases, start
             values of different subsets. Reference: (m + J) a'' = -m g cos(a) by the classical
             Runge-Kutta method.
   loop      algebraic equations that have one solution, as their Jacobian is diagonally dominant,
             with guesses at a distance, missing guesses, and sizes from 1e-6 to 1e6. Reference: the
             functions of time that they were made from.
   linear    E x' = A x + f of index 1 and 2, mixed from canonical parts. Reference: closed form. */
#include <daedal/daedal.h>

#include "random/expected.h"

enum { NZ = 64, NV = 48, ROWS = 24 };

/* a model in the making, and what its variables are at t1 */
typedef struct question {
  char declared[2000], row[ROWS][1700], text[20000];
  int rows;
  double t1, atol;
  bool twice;        /* a constraint is redundant */
  expected_values x; /* of the variables at t1 */
} question;

__attribute__((format(printf, 2, 3))) static void declare(question *q, const char *format, ...) {
  size_t n = strlen(q->declared);
  va_list list;
  va_start(list, format);
  vsnprintf(q->declared + n, sizeof q->declared - n, format, list);
  va_end(list);
}

/* left = right as "left", "right": written with either side first */
__attribute__((format(printf, 3, 4))) static void equation(exam *e, question *q, const char *format,
                                                           ...) {
  char left[450], right[450];
  va_list list;
  va_start(list, format);
  vsnprintf(left, sizeof left, format, list);
  va_end(list);
  char *equal = strchr(left, '=');
  snprintf(right, sizeof right, "%s", equal + 1);
  *equal = '\0';
  if (exam_chance(e, 0.5)) snprintf(q->row[q->rows++], sizeof *q->row, "%s=%s", left, right);
  else snprintf(q->row[q->rows++], sizeof *q->row, "%s=%s", right, left);
}

/* the rows in any order */
static void write_text(exam *e, question *q) {
  int n = snprintf(q->text, sizeof q->text, "model M\n%sequation\n", q->declared);
  for (int left = q->rows; left > 0; left--) {
    int k = exam_int(e, 0, left - 1);
    n += snprintf(q->text + n, sizeof q->text - (size_t)n, "  %s;\n", q->row[k]);
    memmove(q->row[k], q->row[left - 1], sizeof *q->row);
  }
  snprintf(q->text + n, sizeof q->text - (size_t)n, "end M;\n");
}

static exam_verdict compare(exam *e, const question *q, const dae_model *m, const double *z,
                            const double *y) {
  double values[NV];
  if (dae_model_variables(m) > NV || dae_model_values(m, q->t1, z, y, values) != 0)
    return exam_say(e, EXAM_DEFECT, "no values; %s", q->text);
  return expected_compare(e, &q->x, m, values, q->text);
}

/* all cases have a solution: whatever is refused is a defect, but a redundant constraint in a form
   that only the reduction to an ODE takes */
static exam_verdict answer(exam *e, question *q) {
  double z[NZ] = {0}, y[NZ] = {0};
  dae_model *m;
  dae_report report = {0};
  dae_model_options mo = {.compiler = ""};
  write_text(e, q);
  if (e->verbose) printf("%s", q->text);
  dae_status status = dae_model_read_text(&m, "m.mo", q->text, strlen(q->text), &mo);
  if (status == DAE_OK) status = dae_model_build(m);
  exam_verdict verdict;
  const dae_problem *p = status == DAE_OK ? dae_model_problem(m) : NULL;
  if (p && dae_problem_nz(p) <= NZ) {
    dae_options o = dae_options_default();
    o.rtol = 1e-9;
    o.atol = q->atol;
    o.max_steps = 200000;
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    status = dae_solve(p, &o, 0, q->t1, z, y, &report, NULL);
  }
  bool twice = status == DAE_E_MODEL && strstr(dae_model_messages(m), "this equation follows from");
  if (status == DAE_OK) verdict = compare(e, q, m, z, y);
  else if (status == DAE_E_AUDIT) /* true, though the accuracy should have been reached */
    verdict = exam_say(e, EXAM_REFUSED, "%s; %s", report.message, q->text);
  else if (twice && q->twice) verdict = exam_say(e, EXAM_REFUSED, "a constraint is stated twice");
  else
    verdict = exam_say(e, EXAM_DEFECT, "%s: %s%s; %s", dae_status_name(status), report.message,
                       dae_model_messages(m), q->text);
  dae_model_free(m);
  return verdict;
}

/* ---- pendulum with a wheel ---- */

/* (m + J) a'' = -m g cos(a), rod of length 1, by 4000 steps: error far below 1e-10 */
static void swing(double m, double J, double a, double w, double t, double *end, double *rate) {
  enum { STEPS = 4000 };
  const double h = t / STEPS, k = -m * 9.81 / (m + J);
  for (int i = 0; i < STEPS; i++) {
    double a1 = w, w1 = k * cos(a), a2 = w + h / 2 * w1, w2 = k * cos(a + h / 2 * a1),
           a3 = w + h / 2 * w2, w3 = k * cos(a + h / 2 * a2), a4 = w + h * w3,
           w4 = k * cos(a + h * a3);
    a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  *end = a, *rate = w;
}

/* the rod as a constraint on (X), (Y), which are expressions of the text */
static void rod(exam *e, question *q, int kind, const char *X, const char *Y) {
  double s = exam_scale(e, 1e-6, 1e6);
  switch (kind) {
    case 0: equation(e, q, "(%s)^2 + (%s)^2 = 1", X, Y); return;
    case 1: equation(e, q, "sqrt((%s)^2 + (%s)^2) = 1", X, Y); return;
    case 2: equation(e, q, "%.17g*((%s)*(%s) + (%s)^2) = %.17g", s, X, X, Y, s); return;
    case 3: equation(e, q, "((%s)^2 + (%s)^2)^2 = 1", X, Y); return;
    case 4: equation(e, q, "(%s)^2 = (1 - (%s))*(1 + (%s))", X, Y, Y); return;
    default: equation(e, q, "1 = 1/((%s)^2 + (%s)^2)", X, Y); return;
  }
}

/* positions in units of ux, uy: X = ux x; J moves with the rod, a second mass at the same place */
static exam_verdict pendulum(exam *e) {
  question q = {.t1 = exam_real(e, 0.3, 1.2)};
  double m = exam_real(e, 0.5, 3), J = exam_real(e, 0.1, 1), a = exam_real(e, -2.6, -0.5),
         w = exam_chance(e, 0.5) ? 0 : exam_real(e, -2, 2), end, rate,
         ux = exam_chance(e, 0.5) ? 1 : exam_scale(e, 1e-6, 1e6),
         uy = exam_chance(e, 0.5) ? ux : exam_scale(e, 1e-6, 1e6), ul = exam_scale(e, 1e-3, 1e3);
  char X[60], Y[60], dx[80], dy[80];
  int way = exam_int(e, 0, 3), kind = exam_int(e, 0, 5), given = exam_int(e, 0, 3);
  snprintf(e->kind, sizeof e->kind, "pendulum %d/%d/%d", way, kind, given);
  swing(m, J, a, w, q.t1, &end, &rate);
  snprintf(X, sizeof X, "%.17g*x", ux);
  snprintf(Y, sizeof Y, "%.17g*y", uy);
  /* start values: all; x held and y roughly; both roughly right; positions only when at rest */
  double x0 = cos(a) / ux, y0 = sin(a) / uy, rough = given == 1 ? exam_real(e, 0.8, 1.2) : 1;
  if (given == 1)
    declare(&q, "  Real x(start = %.17g, fixed = true), y(start = %.17g);\n", x0, y0 * rough);
  else declare(&q, "  Real x(start = %.17g), y(start = %.17g);\n", x0, y0);
  if (w == 0 && given == 2) declare(&q, "  Real vx, vy;\n");
  else if (given == 3 && fabs(sin(a)) > 0.3)
    declare(&q, "  Real vx(start = %.17g, fixed = true), vy;\n", -w * sin(a) / ux);
  else
    declare(&q, "  Real vx(start = %.17g), vy(start = %.17g);\n", -w * sin(a) / ux,
            w * cos(a) / uy);
  declare(&q, "  Real l;\n");
  if (exam_chance(e, 0.5)) {
    declare(&q, "  Real px, py;\n");
    equation(e, &q, "px = vx");
    equation(e, &q, "py = -vy");
    snprintf(dx, sizeof dx, "px"), snprintf(dy, sizeof dy, "(-py)");
  } else {
    snprintf(dx, sizeof dx, "vx"), snprintf(dy, sizeof dy, "vy");
  }
  equation(e, &q, "der(x) = %s", dx);
  equation(e, &q, "der(y) = %s", dy);
  double M = m + J;
  char fx[220], fy[220];
  snprintf(fx, sizeof fx, "%.17g*der(vx) + %.17g*l*%s", M * ux, ul, X);
  snprintf(fy, sizeof fy, "%.17g*der(vy) + %.17g*l*%s + %.17g", M * uy, ul, Y, m * 9.81);
  if (exam_chance(e, 0.4)) {
    double k = exam_real(e, -2, 2);
    equation(e, &q, "%s + (%.17g)*(%s) = 0", fx, k, fy);
    equation(e, &q, "%s = 0", fy);
  } else {
    equation(e, &q, "%s = 0", fx);
    equation(e, &q, "%s = 0", fy);
  }
  if (way == 0) rod(e, &q, kind, X, Y);
  if (way == 1) { /* an angle beside the coordinates */
    if (exam_chance(e, 0.5)) declare(&q, "  Real a(start = %.17g);\n", a);
    else declare(&q, "  Real a;\n");
    equation(e, &q, "%s = cos(a)", X);
    equation(e, &q, "%s = sin(a)", Y);
  }
  if (way == 2) { /* differences from a pivot at (3, 1) */
    declare(&q, "  Real bx, by, ex, ey;\n");
    equation(e, &q, "bx = 3 + %s", X);
    equation(e, &q, "by = %s + 1", Y);
    equation(e, &q, "ex + 3 = bx");
    equation(e, &q, "by - ey = 1");
    rod(e, &q, kind, "ex", "ey");
  }
  if (way == 3) { /* the square and its double: two multipliers for one force */
    declare(&q, "  Real l2;\n");
    q.twice = true;
    for (int k = 0; k < q.rows; k++) {
      char *at = strstr(q.row[k], "*l*");
      while (at) {
        char rest[1600];
        snprintf(rest, sizeof rest, "%s", at + 3);
        snprintf(at, sizeof *q.row - (size_t)(at - q.row[k]), "*(l + 2*l2)*%s", rest);
        at = strstr(at + 3, "*l*");
      }
    }
    equation(e, &q, "(%s)^2 + (%s)^2 = 1", X, Y);
    equation(e, &q, "2*(%s)^2 + 2*(%s)^2 = 2", X, Y);
  }
  q.atol = 1e-9 / fmax(1, fmax(ux, uy));
  /* a hundred tolerances, relative to the rod: errors grow with the time that passes */
  expect(&q.x, "x", cos(end) / ux, 1e-7 / ux);
  expect(&q.x, "y", sin(end) / uy, 1e-7 / uy);
  return answer(e, &q);
}

/* ---- algebraic loops ---- */

static const char *const bounded[] = {"tanh", "sin", "atan"};

/* d_i u_i + c_i u_i^3 + sum_j a_ij phi_ij(u_j) = the same at u = p + q sin(w t), u_i = x_i/s_i */
static exam_verdict loop(exam *e) {
  enum { MOST = 5 };
  question q = {.t1 = exam_real(e, 0.2, 1)};
  int n = exam_int(e, 2, MOST), phi[MOST][MOST];
  double p[MOST], r[MOST], w[MOST], s[MOST], d[MOST], c[MOST], a[MOST][MOST], least = 1;
  bool scaled = exam_chance(e, 0.6);
  snprintf(e->kind, sizeof e->kind, "loop %d", n);
  for (int i = 0; i < n; i++) {
    p[i] = exam_real(e, -3, 3), r[i] = exam_real(e, -1, 1), w[i] = exam_real(e, 0.5, 3);
    s[i] = scaled ? exam_scale(e, 1e-6, 1e6) : 1;
    c[i] = exam_chance(e, 0.5) ? 0 : exam_real(e, 0, 2);
    least = fmin(least, s[i]);
    double sum = 0;
    for (int j = 0; j < n; j++) {
      a[i][j] = i == j ? 0 : exam_real(e, -1, 1), phi[i][j] = exam_int(e, 0, 2);
      sum += fabs(a[i][j]);
    }
    d[i] = sum * exam_real(e, 1.05, 2) + 0.1;
    if (exam_chance(e, 0.25)) declare(&q, "  Real x%d;\n", i);
    else declare(&q, "  Real x%d(start = %.17g);\n", i, s[i] * (p[i] + exam_real(e, -5, 5)));
    expect(&q.x, (char[4]){'x', (char)('0' + i), '\0'}, s[i] * (p[i] + r[i] * sin(w[i] * q.t1)),
           1e-7 * s[i] * 4);
  }
  for (int i = 0; i < n; i++) {
    char left[800] = "", right[800] = "", u[120];
    double by = scaled ? exam_scale(e, 1e-6, 1e6) : 1;
    for (int side = 0; side < 2; side++) {
      char *out = side ? right : left;
      int at = 0;
      for (int j = 0; j < n; j++) {
        if (side) snprintf(u, sizeof u, "(%.17g + (%.17g)*sin(%.17g*time))", p[j], r[j], w[j]);
        else snprintf(u, sizeof u, "(x%d/%.17g)", j, s[j]);
        if (i == j && c[i] > 0)
          at += snprintf(out + at, 800 - (size_t)at, " + %.17g*%s + %.17g*%s^3", by * d[i], u,
                         by * c[i], u);
        else if (i == j) at += snprintf(out + at, 800 - (size_t)at, " + %.17g*%s", by * d[i], u);
        else
          at += snprintf(out + at, 800 - (size_t)at, " + (%.17g)*%s(%s)", by * a[i][j],
                         bounded[phi[i][j]], u);
      }
    }
    snprintf(q.row[q.rows++], sizeof *q.row, "0%s = 0%s", left, right);
  }
  q.atol = 1e-9 * least;
  return answer(e, &q);
}

/* ---- linear equations ---- */

/* canonical parts: c_i' = rate c_i + .., c_k = .., or c_k + c_(k+1)' = .. (index 2); solution
   c_i = p_i cos(w_i t + i); E = P E0 Q, A = P A0 Q */
static exam_verdict linear(exam *e) {
  enum { MOST = 4 };
  question q = {.t1 = exam_real(e, 0.3, 1)};
  int nd = exam_int(e, 1, 2), n = nd + exam_int(e, 1, 2);
  double E0[MOST][MOST] = {{0}}, A0[MOST][MOST] = {{0}}, P[MOST][MOST], Q[MOST][MOST], p[MOST],
         w[MOST], c0[MOST], c1[MOST];
  snprintf(e->kind, sizeof e->kind, "linear %d/%d", nd, n);
  for (int i = 0; i < n; i++) {
    p[i] = exam_real(e, 0.2, 1), w[i] = exam_real(e, 0.5, 3);
    c0[i] = p[i] * cos(i), c1[i] = p[i] * cos(w[i] * q.t1 + i);
    E0[i][i] = i < nd, A0[i][i] = i < nd ? -exam_scale(e, 0.1, 1e3) : 1;
    for (int j = 0; j < n; j++) {
      P[i][j] = exam_real(e, -1, 1) + (i == j ? 3 : 0);
      Q[i][j] = exam_real(e, -1, 1) + (i == j ? 3 : 0);
    }
  }
  if (n - nd == 2 && exam_chance(e, 0.5)) E0[nd][nd + 1] = 1;
  double x[2][MOST];
  for (int side = 0; side < 2;
       side++) { /* Q x = c by Gauss without pivoting: Q is dominant enough */
    double R[MOST][MOST + 1];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) R[i][j] = Q[i][j];
      R[i][n] = side ? c1[i] : c0[i];
    }
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++) {
        double f = i == k ? 0 : R[i][k] / R[k][k];
        for (int j = k; j <= n; j++) R[i][j] -= f * R[k][j];
      }
    for (int i = 0; i < n; i++) x[side][i] = R[i][n] / R[i][i];
  }
  for (int i = 0; i < n; i++) {
    declare(&q, "  Real x%d(start = %.17g);\n", i, x[0][i]);
    expect(&q.x, (char[4]){'x', (char)('0' + i), '\0'}, x[1][i], 1e-6);
  }
  for (int i = 0; i < n; i++) {
    char *out = q.row[q.rows++];
    int at = snprintf(out, sizeof *q.row, "0");
    double f[MOST], g[MOST];
    for (int j = 0; j < n; j++) {
      double E = 0, A = 0;
      f[j] = g[j] = 0;
      for (int k = 0; k < n; k++) {
        f[j] += P[i][k] * E0[k][j], g[j] += P[i][k] * A0[k][j];
        for (int l = 0; l < n; l++)
          E += P[i][k] * E0[k][l] * Q[l][j], A += P[i][k] * A0[k][l] * Q[l][j];
      }
      at += snprintf(out + at, sizeof *q.row - (size_t)at, " + (%.16g)*der(x%d) - (%.16g)*x%d", E,
                     j, A, j);
    }
    at += snprintf(out + at, sizeof *q.row - (size_t)at, " = 0");
    for (int j = 0; j < n; j++)
      at += snprintf(out + at, sizeof *q.row - (size_t)at,
                     " + (%.16g)*sin(%.17g*time + %d) + (%.16g)*cos(%.17g*time + %d)",
                     -f[j] * p[j] * w[j], w[j], j, -g[j] * p[j], w[j], j);
  }
  q.atol = 1e-9;
  return answer(e, &q);
}

static exam_verdict exam_case(exam *e) {
  switch (exam_int(e, 0, 3)) {
    case 0:
    case 1: return pendulum(e);
    case 2: return loop(e);
    default: return linear(e);
  }
}

EXAM_MAIN("equivalent")
