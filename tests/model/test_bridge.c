/*
 * Rectifiers of ideal diodes, i = s (if s < 0 then Goff else 1), v = s (if s < 0 then 1 else Ron),
 * with one and three phases and loads R, RL, RC, against an integration by hand: the implicit
 * midpoint rule with fixed small steps, the state of each diode by trial.
 */
#include <stdarg.h>
#include <stdlib.h>

#include <daedal/daedal.h>

#include "test.h"

enum { LOAD_R, LOAD_RL, LOAD_RC, UNKNOWNS = 9 };

typedef struct bridge {
  int phases, load;
  bool inductive; /* a source of 1 mH, else of 0.1 ohm only */
  double on, off; /* Ron, Goff */
} bridge;

static const double omega = 314.159265358979, third = 2.0943951023932, end = 0.02;

/* ---- the reference ---- */

static void solve(int n, double A[UNKNOWNS][UNKNOWNS + 1], double *x) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
    for (int j = 0; j <= n; j++) {
      double t = A[k][j];
      A[k][j] = A[p][j], A[p][j] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double f = A[i][k] / A[k][k];
      for (int j = k; j <= n && f != 0; j++) A[i][j] -= f * A[k][j];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    x[k] = A[k][n];
    for (int j = k + 1; j < n; j++) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
}

/* unknowns at the middle of a step: voltages v_k, vp, currents j_k, the star point, the load's */
static void midpoint(const bridge *b, double t, double h, const bool *on, const double *j, double s,
                     double *x) {
  int m = b->phases == 1 ? 2 : 3, vp = m, cur = m + 1, star = cur + m, load = star + 1, r = 0;
  int n = load + 1;
  double A[UNKNOWNS][UNKNOWNS + 1] = {0}, L = b->inductive ? 0.001 * 2 / h : 0;
  for (int k = 0; k < m; k++) {
    double up = on[k] ? 1 / b->on : b->off, low = on[3 + k] ? 1 / b->on : b->off;
    A[k][cur + k] = -1, A[k][k] = up + low, A[k][vp] = -up;
    A[n - 2][k] = up, A[n - 2][vp] -= up;
  }
  r = m;
  for (int k = 0; k < (b->phases == 1 ? 1 : 3); k++, r++) {
    A[r][cur + k] = L + 0.1, A[r][k] = 1;
    if (b->phases == 1) A[r][1] = -1;
    else A[r][star] = -1;
    A[r][n] = 10 * sin(omega * t + 0.3 - k * third) + L * j[k];
  }
  for (int k = 0; k < m; k++) A[r][cur + k] = 1;
  r++;
  if (b->phases == 1) A[r++][star] = 1;
  A[n - 2][load] = -1;
  A[n - 1][vp] = b->load == LOAD_RC ? 1e-3 * 2 / h + 0.2 : 1;
  A[n - 1][load] = b->load == LOAD_R ? -5 : b->load == LOAD_RL ? -5 - 0.01 * 2 / h : -1;
  A[n - 1][n] = b->load == LOAD_RC ? 1e-3 * 2 / h * s : b->load == LOAD_RL ? -0.01 * 2 / h * s : 0;
  solve(n, A, x);
}

/* the integral of the load's voltage */
static double reference(const bridge *b, int steps) {
  int m = b->phases == 1 ? 2 : 3;
  bool on[6] = {false};
  double x[UNKNOWNS], j[3] = {0}, s = b->load == LOAD_RC ? 0.5 : 0, q = 0, h = end / steps;
  for (int n = 0; n < steps; n++) {
    for (int trial = 0, turned = 1; trial < 100 && turned; trial++) {
      midpoint(b, (n + 0.5) * h, h, on, j, s, x);
      turned = 0;
      for (int k = 0; k < 2 * m && !turned; k++) {
        bool low = k >= m, now = low ? -x[k - m] > 0 : x[k] - x[m] > 0;
        int place = low ? 3 + k - m : k;
        turned = now != on[place];
        on[place] = now;
      }
    }
    for (int k = 0; k < m; k++) j[k] = b->inductive ? 2 * x[m + 1 + k] - j[k] : x[m + 1 + k];
    if (b->load == LOAD_RL) s = 2 * x[2 * m + 2] - s;
    if (b->load == LOAD_RC) s = 2 * x[m] - s;
    q += h * x[m];
  }
  return q;
}

/* ---- the model ---- */

static int add(char *text, int at, const char *format, ...) {
  va_list list;
  va_start(list, format);
  at += vsnprintf(text + at, (size_t)(8000 - at), format, list);
  va_end(list);
  return at;
}

static void write_model(const bridge *b, char *text) {
  static const char *const loads[] = {"vp = 5*il;", "vp = 5*iL + 0.01*der(iL); iL = il;",
                                      "vl = vp; 1e-3*der(vl) + vl/5 = il;"};
  static const char *const states[] = {"", "Real iL(start = 0, fixed = true);",
                                       "Real vl(start = 0.5, fixed = true);"};
  int n = 0, m = b->phases == 1 ? 2 : 3;
  n = add(text, n, "model M parameter Real Ron = %g, Goff = %g; Real vp, il, star, %s", b->on,
          b->off, "q(start = 0, fixed = true); Real v[3], i[3], u[3], l[3], us[3], ls[3]; ");
  n = add(text, n, "Boolean uo[3], lo[3]; Real j[3](each start = 0); %s equation der(q) = vp; ",
          states[b->load]);
  for (int k = 1; k <= 3; k++) {
    if (k > m) {
      n = add(text, n,
              "v[3] = 0; i[3] = 0; u[3] = 0; l[3] = 0; us[3] = 0; ls[3] = 0; j[3] = 0; "
              "uo[3] = false; lo[3] = false; ");
      continue;
    }
    n = add(text, n,
            "uo[%d] = us[%d] < 0; v[%d] - vp = us[%d]*(if uo[%d] then 1 else Ron); "
            "u[%d] = us[%d]*(if uo[%d] then Goff else 1); "
            "lo[%d] = ls[%d] < 0; -v[%d] = ls[%d]*(if lo[%d] then 1 else Ron); "
            "l[%d] = ls[%d]*(if lo[%d] then Goff else 1); i[%d] = u[%d] - l[%d]; ",
            k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
  }
  for (int k = 1; k <= (b->phases == 1 ? 1 : 3); k++)
    n = add(text, n,
            "%s 0.1*j[%d] = 10*sin(%.15g*time + 0.3 - %.15g) + star - v[%d]; j[%d] = i[%d]; ",
            !b->inductive ? ""
            : k == 1      ? "0.001*der(j[1]) +"
            : k == 2      ? "0.001*der(j[2]) +"
                          : "0.001*der(j[3]) +",
            k, omega, (k - 1) * third, k, k, k);
  n = add(text, n,
          b->phases == 1 ? "star = v[2]; j[2] = i[2]; j[1] + j[2] = 0; "
                         : "j[1] + j[2] + j[3] = 0; ");
  n = add(text, n, "il = u[1] + u[2] + u[3]; %s initial equation ", loads[b->load]);
  if (b->inductive) n = add(text, n, b->phases == 1 ? "j[1] = 0; " : "j[1] = 0; j[2] = 0; ");
  add(text, n, "annotation(experiment(StopTime = %g)); end M;", end);
}

static void compare(const bridge *b, double tol, double q) {
  static char text[8000];
  double z[100], y[100], values[100];
  dae_model *m;
  dae_model_options mo = {.compiler = ""};
  dae_report r = {0};
  write_model(b, text);
  dae_status status = dae_model_read_text(&m, "m.mo", text, strlen(text), &mo);
  if (status == DAE_OK) status = dae_model_build(m);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("%s\n", dae_model_messages(m));
  const dae_problem *p = dae_model_problem(m);
  if (status == DAE_OK) {
    dae_options o = dae_options_default();
    o.rtol = o.atol = tol;
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    status = dae_solve(p, &o, p->t0, p->t1, z, y, &r, NULL);
    CHECK(status == DAE_OK);
    if (status != DAE_OK) printf("  %d phases, load %d: %s\n", b->phases, b->load, r.message);
  }
  if (status == DAE_OK) {
    CHECK(dae_model_values(m, p->t1, z, y, values) == 0);
    for (int k = 0; k < dae_model_variables(m); k++) {
      if (strcmp(dae_model_variable_name(m, k), "q") != 0) continue;
      /* events add their errors: ten tolerances of the largest value, 10 V; 1e-7: the reference */
      bool near = fabs(values[k] - q) <= 10 * tol + 1e-7;
      CHECK(near);
      if (!near)
        printf("  %d phases, load %d: %.12g, not %.12g\n", b->phases, b->load, values[k], q);
    }
  }
  dae_model_free(m);
}

static void bridges(void) {
  static const bridge list[] = {
      {1, LOAD_R, false, 1e-3, 1e-4},  {1, LOAD_R, true, 1e-3, 1e-4},
      {1, LOAD_RL, false, 1e-3, 1e-4}, {1, LOAD_RL, true, 1e-3, 1e-4},
      {1, LOAD_RC, false, 1e-3, 1e-4}, {1, LOAD_RC, true, 1e-3, 1e-4},
      {3, LOAD_R, false, 1e-3, 1e-4},  {3, LOAD_RL, false, 1e-3, 1e-4},
      {3, LOAD_RC, false, 1e-3, 1e-4}, {1, LOAD_RL, true, 1e-5, 1e-5},
      {1, LOAD_RC, true, 1e-5, 1e-5},  {3, LOAD_RL, false, 1e-5, 1e-5},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    double coarse = reference(&list[k], 10000), q = reference(&list[k], 20000);
    CHECK_NEAR(coarse, q, 1e-7);
    for (double tol = 1e-4; tol > 1e-9; tol /= 100) compare(&list[k], tol, q);
  }
}

int main(void) {
  RUN(bridges);
  return TEST_END();
}
