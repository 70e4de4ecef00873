/* linear implicit problems in Kronecker form, index 0 to 4 and singular ones, with a known solution
   exam: 300 10000
   mended: 40472 40703 41084 60429 1200799 1500036 3400522 */
#include <daedal/daedal.h>

#include "exam.h"

enum { MOST = 200, MIRRORS = 3 };

/*
 * In canonical variables  w' + L w = ..  (decay and rotation)  and  N v' + v = ..  (nilpotent
 * blocks of up to `index`); x = C Q'(w, v), and the equations are R P (..): C and R are units, Q
 * and P products of reflections. The right-hand side is that of x* = C Q' (a sin(omega t + phi) +
 * b).
 */
typedef struct kronecker {
  int n, nd, index;              /* nd: of w */
  bool mixed;                    /* by reflections */
  bool singular;                 /* the last canonical equation is missing: 0 = 0 */
  double rate[MOST], turn[MOST]; /* of w_i; of the pair (w_i, w_i+1) */
  bool next[MOST];               /* v_i has v_(i+1)' */
  double C[MOST], R[MOST], q[MIRRORS][MOST], p[MIRRORS][MOST];
  double a[MOST], omega[MOST], phi[MOST], b[MOST];
  double tol, fast; /* fast: the largest rate */
  bool given;       /* derivatives are */
} kronecker;

static void reflect(int n, double h[MIRRORS][MOST], bool back, double *x) {
  for (int k = 0; k < MIRRORS; k++) {
    const double *u = h[back ? MIRRORS - 1 - k : k];
    double sum = 0;
    for (int i = 0; i < n; i++) sum += u[i] * x[i];
    for (int i = 0; i < n; i++) x[i] -= 2 * sum * u[i];
  }
}

/* canonical equations from canonical values */
static void canonical(const kronecker *k, const double *w, const double *dw, double *out) {
  for (int i = 0; i < k->n; i++)
    out[i] = i < k->nd ? dw[i] + k->rate[i] * w[i] : w[i] + (k->next[i] ? dw[i + 1] : 0);
  for (int i = 0; i + 1 < k->nd; i += 2) {
    out[i] += k->turn[i] * w[i + 1];
    out[i + 1] -= k->turn[i] * w[i];
  }
  if (k->singular) out[k->n - 1] = 0;
}

static void solution(const kronecker *k, double t, double *w, double *dw) {
  for (int i = 0; i < k->n; i++) {
    w[i] = k->a[i] * sin(k->omega[i] * t + k->phi[i]) + k->b[i];
    dw[i] = k->a[i] * k->omega[i] * cos(k->omega[i] * t + k->phi[i]);
  }
}

/* x to canonical, and canonical to x */
static void to_canonical(kronecker *k, const double *x, double *w) {
  for (int i = 0; i < k->n; i++) w[i] = x[i] / k->C[i];
  reflect(k->n, k->q, false, w);
}

static void from_canonical(kronecker *k, double *w) {
  reflect(k->n, k->q, true, w);
  for (int i = 0; i < k->n; i++) w[i] *= k->C[i];
}

static void to_equations(kronecker *k, double *u) {
  reflect(k->n, k->p, false, u);
  for (int i = 0; i < k->n; i++) u[i] *= k->R[i];
}

static int residual(double t, const double *x, const double *dx, double *F, void *ctx) {
  kronecker *k = ctx;
  double w[MOST], dw[MOST], ws[MOST], dws[MOST];
  to_canonical(k, x, w);
  to_canonical(k, dx, dw);
  solution(k, t, ws, dws);
  for (int i = 0; i < k->n; i++) w[i] -= ws[i], dw[i] -= dws[i];
  canonical(k, w, dw, F);
  to_equations(k, F);
  return 0;
}

/* column j of E and of A into F */
static void column(kronecker *k, int j, bool slope, double *F) {
  double w[MOST] = {0}, zero[MOST] = {0}, x[MOST] = {0};
  x[j] = 1;
  to_canonical(k, x, w);
  canonical(k, slope ? zero : w, slope ? w : zero, F);
  to_equations(k, F);
}

static int jacobian(double t, const double *x, const double *dx, double *E, double *A, void *ctx) {
  kronecker *k = ctx;
  double F[MOST];
  (void)t, (void)x, (void)dx;
  for (int j = 0; j < k->n; j++)
    for (int part = 0; part < 2; part++) {
      column(k, j, part == 0, F);
      for (int i = 0; i < k->n; i++) (part ? A : E)[(size_t)i * (size_t)k->n + j] = F[i];
    }
  return 0;
}

static int mass(double t, const double *x, double *M, void *ctx) {
  kronecker *k = ctx;
  double F[MOST];
  (void)t, (void)x;
  for (int j = 0; j < k->n; j++) {
    column(k, j, true, F);
    for (int i = 0; i < k->n; i++) M[(size_t)i * (size_t)k->n + j] = F[i];
  }
  return 0;
}

static int force(double t, const double *x, double *f, void *ctx) {
  kronecker *k = ctx;
  double zero[MOST] = {0};
  residual(t, x, zero, f, ctx);
  for (int i = 0; i < k->n; i++) f[i] = -f[i];
  return 0;
}

static void mirrors(exam *e, int n, double h[MIRRORS][MOST]) {
  for (int k = 0; k < MIRRORS; k++) {
    double sum = 0;
    for (int i = 0; i < n; i++) h[k][i] = exam_real(e, -1, 1), sum += h[k][i] * h[k][i];
    for (int i = 0; i < n; i++) h[k][i] /= sqrt(sum);
  }
}

static void make(exam *e, kronecker *k) {
  *k = (kronecker){.tol = exam_scale(e, 1e-8, 1e-4)};
  k->index = exam_int(e, 0, 4);
  k->n =
      exam_chance(e, 0.02) ? exam_int(e, 50, MOST) : exam_int(e, 5, exam_chance(e, 0.2) ? 40 : 12);
  /* blocks of v: at least one of the size of the index */
  int nv = k->index == 0 ? 0 : exam_int(e, k->index, k->n - 1);
  k->nd = k->n - nv;
  k->singular = k->index > 0 && exam_chance(e, 0.1);
  for (int i = k->nd, left = k->index; i < k->n; i++) {
    bool more = left > 1 && i + 1 < k->n;
    k->next[i] = more;
    left = more ? left - 1 : exam_int(e, 1, k->index);
  }
  double fast = k->fast = exam_chance(e, 0.5) ? exam_scale(e, 10, 1e8) : 10;
  double units = exam_chance(e, 0.5) ? 1e6 : 10;
  bool mixed = k->mixed = exam_chance(e, 0.7);
  for (int i = 0; i < k->n; i++) {
    k->rate[i] = exam_scale(e, 1e-2, fast);
    k->turn[i] = exam_chance(e, 0.5) ? exam_scale(e, 0.1, 10) : 0;
    k->C[i] = exam_scale(e, 1 / units, units);
    k->R[i] = exam_scale(e, 1 / units, units);
    k->a[i] = exam_real(e, 0.2, 2), k->b[i] = exam_real(e, -2, 2);
    k->omega[i] = exam_real(e, 0.2, 3), k->phi[i] = exam_real(e, 0, 6.28);
  }
  mirrors(e, k->n, k->q);
  mirrors(e, k->n, k->p);
  if (!mixed) memset(k->q, 0, sizeof k->q), memset(k->p, 0, sizeof k->p);
}

/* rounding of fast terms, or differences, are more than what a third differentiation leaves */
static bool hidden(const kronecker *k, const dae_report *r) {
  bool blurred = k->fast > 1e4 || !k->given;
  return strstr(r->message, "index could not be found") && k->index >= 3 && blurred;
}

static exam_verdict judge(exam *e, kronecker *k, dae_status status, const dae_report *r,
                          const double *x) {
  double w[MOST], ws[MOST], dws[MOST], worst = 0;
  if (k->singular) {
    bool told = status == DAE_E_RANK || hidden(k, r);
    return exam_say(e, told ? EXAM_REFUSED : EXAM_DEFECT, "singular: %s: %s",
                    dae_status_name(status), r->message);
  }
  if (k->index == 4) {
    bool told = status == DAE_E_INDEX && (strstr(r->message, "index is 4") || hidden(k, r));
    return exam_say(e, told ? EXAM_REFUSED : EXAM_DEFECT, "%s: %s", dae_status_name(status),
                    r->message);
  }
  if (status == DAE_E_INDEX && hidden(k, r)) return exam_say(e, EXAM_REFUSED, "%s", r->message);
  /* variables of index 3 that are mixed with all others: steps may come to an end, with a status */
  bool ended = status == DAE_E_NEWTON || status == DAE_E_SINGULAR || status == DAE_E_CALLBACK ||
               status == DAE_E_STEP;
  if (ended && k->index == 3 && k->mixed)
    return exam_say(e, EXAM_REFUSED, "%s: %s", dae_status_name(status), r->message);
  if (status != DAE_OK)
    return exam_say(e, EXAM_DEFECT, "%s: %s", dae_status_name(status), r->message);
  /* in the canonical variables, which are of size 1 and mixed by rotations only */
  to_canonical(k, x, w);
  solution(k, 1, ws, dws);
  for (int i = 0; i < k->n; i++) worst = fmax(worst, fabs(w[i] - ws[i]));
  /* errors of derivatives grow: ten tolerances for each */
  double allowed = 20 * pow(10, k->index > 1 ? k->index - 1 : 0);
  return exam_say(e, worst <= allowed * k->tol ? EXAM_RIGHT : EXAM_DEFECT,
                  "off by %.3g tolerances, n %d", worst / k->tol, k->n);
}

/* where every method has its order, one of them now and then */
static const char *method_of(exam *e, const kronecker *k) {
  static const char *const names[] = {"gauss2", "gauss3", "gauss4", "gauss5", "lobatto3", "radau3"};
  const int i = exam_int(e, 0, 5);
  return k->index < 2 && exam_chance(e, 0.3) ? names[i] : "auto";
}

static exam_verdict exam_case(exam *e) {
  static kronecker k;
  double x[MOST], dx[MOST], atols[MOST];
  make(e, &k);
  int form = exam_int(e, 0, 3);
  k.given = form == 1;
  snprintf(e->kind, sizeof e->kind, "index %d%s, %s", k.index, k.singular ? " singular" : "",
           form == 0   ? "F"
           : form == 1 ? "jacobian"
           : form == 2 ? "mass"
                       : "mass constant");
  dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &k, .t1 = 1};
  if (form < 2)
    p.implicit = (dae_implicit){.n = k.n, .F = residual, .jacobian = form ? jacobian : NULL};
  else p.implicit = (dae_implicit){.n = k.n, .f = force, .mass = mass, .mass_constant = form == 3};
  solution(&k, 0, x, dx);
  /* at index 1 what is algebraic is found from anything */
  for (int i = k.nd; i < k.n && k.index == 1; i++) x[i] += exam_real(e, -1, 1);
  from_canonical(&k, x);
  dae_options o = dae_options_default();
  dae_report report;
  o.rtol = k.tol;
  for (int i = 0; i < k.n; i++) atols[i] = k.tol * k.C[i];
  o.atols = atols, o.n_atols = k.n;
  o.method = method_of(e, &k);
  dae_status status = dae_solve(&p, &o, 0, 1, x, NULL, &report, NULL);
  return judge(e, &k, status, &report, x);
}

EXAM_MAIN("implicit")
