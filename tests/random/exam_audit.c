/* the audit: models and programs in which one value leaves its domain, or one equation is off, by
   design; and their healthy neighbours. exam: 80 6000 */
#include <daedal/daedal.h>

#include "random/exam.h"

static const char *const methods[] = {"auto", "dop853", "dopri5", "radau3", "bdf"};

static const char *any_method(exam *e) {
  return methods[exam_int(e, 0, (int)(sizeof methods / sizeof *methods) - 1)];
}

/* what a run ended with */
typedef struct outcome {
  dae_status status;
  dae_report report;
  dae_audit audit;
} outcome;

/* sick: refused as no number, by one of two names (the value itself, or one that holds it), not
   before `from`; healthy: ok with a residual of rounding size */
static exam_verdict judge(exam *e, const outcome *o, bool sick, const char *name,
                          const char *holder, double from) {
  const dae_report *r = &o->report;
  if (!sick) {
    if (o->status != DAE_OK) return exam_say(e, EXAM_DEFECT, "healthy, refused: %s", r->message);
    /* rounding of some hundred terms; the constraints are projected */
    if (!(o->audit.worst < 1e-10))
      return exam_say(e, EXAM_DEFECT, "audit %g of %s", o->audit.worst, o->audit.equation);
    return exam_say(e, EXAM_RIGHT, "audit %g", o->audit.worst);
  }
  if (o->status != DAE_E_CALLBACK)
    return exam_say(e, EXAM_DEFECT, "%s is no number after t = %g: %s", name, from, r->message);
  if (strcmp(r->variable, name) != 0 && strcmp(r->variable, holder) != 0)
    return exam_say(e, EXAM_DEFECT, "%s is blamed for %s", r->variable, name);
  /* the solution has an error, so that the instant has one too */
  if (r->t < from - 1e-4)
    return exam_say(e, EXAM_DEFECT, "%s, though not before %g", r->message, from);
  return exam_say(e, EXAM_REFUSED, "%s", r->message);
}

static outcome solve_text(const char *text, double t1, const char *method) {
  outcome o = {.status = DAE_E_MODEL};
  dae_model *m;
  dae_model_options options = {.compiler = ""};
  if (dae_model_read_text(&m, "m.mo", text, strlen(text), &options) == DAE_OK &&
      dae_model_build(m) == DAE_OK) {
    const dae_problem *p = dae_model_problem(m);
    dae_options s = dae_options_default();
    dae_stats stats;
    double *z = calloc((size_t)dae_problem_nz(p), sizeof *z);
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    s.method = method;
    o.status = dae_solve(p, &s, 0, t1, z, NULL, &o.report, &stats);
    o.audit = stats.audit;
    free(z);
  } else {
    snprintf(o.report.message, sizeof o.report.message, "%s", dae_model_messages(m));
  }
  dae_model_free(m);
  return o;
}

/* a function of `s` < 40 + c that is a number while s > c */
static void formula(exam *e, const char *s, double c, char *text, size_t size) {
  double k = exam_real(e, 0.3, 2);
  switch (exam_int(e, 0, 5)) {
    case 0: snprintf(text, size, "sqrt(%s - (%.17g))", s, c); break;
    case 1: snprintf(text, size, "%.6g*log(%s - (%.17g))", k, s, c); break;
    case 2: snprintf(text, size, "(%s - (%.17g))^%.4g", s, c, 0.1 + 0.4 * k); break;
    case 3: snprintf(text, size, "acos(1 - %.6g*(%s - (%.17g)))", 0.05, s, c); break;
    case 4: snprintf(text, size, "sin(log10(%s - (%.17g)))", s, c); break;
    default: snprintf(text, size, "1/sqrt(%.6g*(%s - (%.17g)))", k, s, c);
  }
}

/* one of `count` variables of a text is such a function of x = x0 exp(-a t), through another one or
   not; the states may be held by an implicit equation beside */
static exam_verdict eliminated(exam *e) {
  double a = exam_real(e, 0.3, 3), x0 = exam_real(e, 1, 4), t1 = exam_real(e, 1, 2.5) / a;
  double from = exam_real(e, 0.1, 0.8) * t1;
  bool sick = exam_chance(e, 0.6), twice = exam_chance(e, 0.5), loop = exam_chance(e, 0.4);
  double end = x0 * exp(-a * t1), c = sick ? x0 * exp(-a * from) : end - exam_real(e, 0.1, 2);
  int count = exam_int(e, 1, 30), which = exam_int(e, 1, count);
  char f[200], text[1200], name[32];
  snprintf(e->kind, sizeof e->kind, "eliminated");
  formula(e, twice ? "w" : "x", c, f, sizeof f);
  snprintf(name, sizeof name, "u[%d]", which);
  snprintf(text, sizeof text,
           "model M Real x(start = %.17g, fixed = true), w, u[%d], last, p(start = 0),"
           " q(start = 1); equation der(x) = -%.17g*x; w = x; %s"
           " for i in 1:%d loop u[i] = if i == %d then %s else x*i; end for; last = 2 + u[%d]*x;"
           " end M;",
           x0, count, a,
           loop ? "p + 0.1*q^3 = sin(time); q + 0.1*p^3 = cos(time);" : "p = x^2; der(q) = p - q;",
           count, which, f, which);
  outcome o = solve_text(text, t1, any_method(e));
  return judge(e, &o, sick, name, "last", from);
}

/* a pendulum let go from the horizontal: lam = 3 m g sin(theta)/L, theta the angle below it, and
   theta = 90 degrees after K(1/sqrt 2) sqrt(L/g) = 1.8541 sqrt(L/g) */
static exam_verdict mechanism(exam *e) {
  double m = exam_scale(e, 0.01, 100), L = exam_scale(e, 0.1, 10), g = 9.81;
  double most = 3 * m * g / L, t1 = exam_real(e, 2, 4) * 1.8540746773 * sqrt(L / g);
  bool sick = exam_chance(e, 0.6);
  double c = most * (sick ? exam_real(e, 0.1, 0.9) : exam_real(e, 1.05, 3));
  char f[200], s[80], text[1200];
  snprintf(e->kind, sizeof e->kind, "mechanism");
  snprintf(s, sizeof s, "(1 - lam/%.17g)", c);
  formula(e, s, 0, f, sizeof f);
  snprintf(text, sizeof text,
           "model M Real x(start = %.17g, fixed = true), y(start = 0), vx(start = 0, fixed = true),"
           " vy(start = 0), lam(start = 0), u; equation der(x) = vx; der(y) = vy;"
           " %.17g*der(vx) = -x*lam; %.17g*der(vy) = -y*lam - %.17g; x^2 + y^2 = %.17g; u = %s;"
           " end M;",
           L, m, m, m * g, L * L, f);
  outcome o = solve_text(text, t1, any_method(e));
  /* theta' = sqrt(2 g sin(theta)/L) <= sqrt(2 g/L): not before theta_c / that */
  return judge(e, &o, sick, "u", "u", sick ? asin(c / most) / sqrt(2 * g / L) : 0);
}

/* ---- programs ---- */

enum { MOST = 300 };

/* not a number, or infinite: made when the program runs */
static double none(void) {
  volatile double zero = 0;
  return 1 / zero;
}

typedef struct program {
  int n, bad;
  double rate, from;
  bool sick, in_output;
} program;

static int decay(double t, const double *z, double *dz, void *ctx) {
  const program *p = ctx;
  for (int i = 0; i < p->n; i++) dz[i] = -p->rate * z[i] / (1 + i % 7);
  if (p->sick && !p->in_output && t > p->from) dz[p->bad] = none();
  return 0;
}

static int outputs(double t, const double *z, const double *y, double *out, void *ctx) {
  const program *p = ctx;
  (void)y;
  for (int i = 0; i < p->n; i++) out[i] = z[i] * z[(i + 1) % p->n];
  if (p->sick && p->in_output && t > p->from) out[p->bad] = none();
  return 0;
}

/* one component of a function or of an output is no number from some time on */
static exam_verdict callback(exam *e) {
  double z0[MOST], z[MOST], t1 = exam_real(e, 1, 3);
  program c = {.n = exam_int(e, 1, MOST),
               .rate = exam_real(e, 0.5, 2),
               .from = exam_real(e, 0.05, 0.9) * t1,
               .sick = exam_chance(e, 0.6),
               .in_output = exam_chance(e, 0.5)};
  c.bad = exam_int(e, 0, c.n - 1);
  for (int i = 0; i < c.n; i++) z0[i] = z[i] = exam_real(e, 0.5, 2);
  dae_problem p = {.kind = DAE_ODE,
                   .ode = {.n = c.n, .f = decay},
                   .z0 = z0,
                   .ctx = &c,
                   .n_output = c.n,
                   .output = outputs};
  dae_options o = dae_options_default();
  o.check_derivatives = 0; /* some are wrong on purpose: what the audit makes of it counts */
  dae_stats stats;
  outcome r;
  char name[32] = "";
  o.method = any_method(e);
  r.status = dae_solve(&p, &o, 0, t1, z, NULL, &r.report, &stats);
  r.audit = stats.audit;
  snprintf(e->kind, sizeof e->kind, "callback");
  if (c.in_output) snprintf(name, sizeof name, "output %d", c.bad + 1);
  /* a function that fails stops the step before it, up to rounding */
  return judge(e, &r, c.sick, name, name, c.in_output ? c.from : c.from - 1e-3);
}

/* a point mass on a circle of radius R, at speed v, whose curvature is wrong by the part d, in a
   form that does not project: g'' = d v^2, so that g = d v^2 t^2/2 */
typedef struct circle {
  double R, v, wrong;
} circle;

static int g_circle(double t, const double *q, double *g, void *ctx) {
  const circle *c = ctx;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - c->R * c->R) / 2;
  return 0;
}
static int G_circle(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = q[0], G[1] = q[1];
  return 0;
}
static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q;
  c[0] = (1 - ((const circle *)ctx)->wrong) * (v[0] * v[0] + v[1] * v[1]);
  return 0;
}

static exam_verdict constraint(exam *e) {
  double unit = exam_scale(e, 1e-6, 1e6), tol = exam_scale(e, 1e-9, 1e-4);
  circle c = {.R = unit * exam_real(e, 0.5, 2), .v = unit * exam_real(e, 0.5, 2)};
  double t1 = exam_real(e, 1, 3), turn = c.v * t1 / c.R;
  /* relative to R^2: far beyond what a hundred tolerances make, nothing, or far below it */
  double amount[] = {0, 0.03 * tol, 3000 * tol};
  int which = exam_int(e, 0, 2);
  c.wrong = fmin(0.2, amount[which] * 2 / (turn * turn));
  double z0[] = {c.R, 0, 0, c.v}, z[] = {c.R, 0, 0, c.v}, y[1];
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .z0 = z0,
                   .ctx = &c,
                   .autonomous = true,
                   .mechanical = {.nq = 2,
                                  .ng = 1,
                                  .g = g_circle,
                                  .G = G_circle,
                                  .curvature = curvature,
                                  .mass_constant = true}};
  dae_options o = dae_options_default();
  o.check_derivatives = 0; /* some are wrong on purpose: what the audit makes of it counts */
  dae_stats stats;
  outcome r;
  bool projected = which < 2 && exam_chance(e, 0.5);
  o.form = "index1";
  o.method = exam_chance(e, 0.5) ? "dop853" : "dopri5";
  o.stabilize = projected ? "project" : "none";
  o.rtol = tol;
  o.atol = tol * unit;
  r.status = dae_solve(&p, &o, 0, t1, z, y, &r.report, &stats);
  snprintf(e->kind, sizeof e->kind, "constraint");
  bool far = c.wrong * turn * turn / 2 > 2000 * tol;
  if (which == 2 && !far) return exam_say(e, EXAM_REFUSED, "neither near nor far");
  if (far && r.status != DAE_E_AUDIT)
    return exam_say(e, EXAM_DEFECT, "drift of %g at %g: %s", c.wrong * turn * turn / 2, tol,
                    r.report.message);
  if (far && !strstr(r.report.equation, "g1"))
    return exam_say(e, EXAM_DEFECT, "blames %s", r.report.equation);
  if (far) return exam_say(e, EXAM_REFUSED, "%s", r.report.message);
  if (r.status != DAE_OK) return exam_say(e, EXAM_DEFECT, "healthy: %s", r.report.message);
  if (projected && !(stats.audit.worst < 1e-10))
    return exam_say(e, EXAM_DEFECT, "projected, but %g", stats.audit.worst);
  return exam_say(e, EXAM_RIGHT, "audit %g", stats.audit.worst);
}

/* u'' = -w^2 u with the solution sin(w t) on [0, 1], 0 < w < 3: an output that is a number where
   u > c only */
static exam_verdict boundary(exam *e) {
  double w = exam_real(e, 0.8, 2.9), top = w > 1.5707963 ? 1 : sin(w);
  bool sick = exam_chance(e, 0.6);
  double c = sick ? exam_real(e, 0.2, 0.9) * top : -exam_real(e, 0.1, 1);
  char f[200], text[900];
  outcome o = {.status = DAE_E_MODEL};
  dae_model *m;
  dae_model_options options = {.compiler = ""};
  snprintf(e->kind, sizeof e->kind, "boundary");
  formula(e, "u", c, f, sizeof f);
  snprintf(text, sizeof text,
           "model M Real u(start = 0.5), v, h; equation der(u) = v; der(v) = -%.17g*u; h = %s;"
           " initial equation u(startTime) = 0; u(finalTime) = %.17g;"
           " annotation(experiment(StopTime = 1)); end M;",
           w * w, f, sin(w));
  if (dae_model_read_text(&m, "m.mo", text, strlen(text), &options) == DAE_OK &&
      dae_model_build(m) == DAE_OK) {
    dae_options s = dae_options_default();
    dae_solution *solution = NULL;
    o.status = dae_bvp_solve(dae_model_problem(m), &s, NULL, &solution, &o.report);
    if (solution) o.audit = dae_solution_stats(solution)->audit;
    dae_solution_free(solution);
  } else {
    snprintf(o.report.message, sizeof o.report.message, "%s", dae_model_messages(m));
  }
  dae_model_free(m);
  return judge(e, &o, sick, "h", "h", 0);
}

static exam_verdict exam_case(exam *e) {
  static exam_verdict (*const kind[])(exam *) = {eliminated, mechanism, callback, constraint,
                                                 boundary};
  return kind[e->number % 5](e);
}

EXAM_MAIN("audit")
