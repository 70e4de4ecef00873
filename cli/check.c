/* daedal check: structure and health of a problem, without solving it */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* what was found out about a problem */
typedef struct findings {
  const cli_model *model;
  dae_problem equations;  /* without boundary conditions: those are counted */
  int given, needed;      /* conditions of a boundary value problem; 0: initial values */
  char why[DAE_TEXT_MAX]; /* that many are needed */
  dae_solver *solver;     /* NULL: the options were refused */
  dae_status start;
  dae_report report; /* of the start */
  bool derivatives_ok;
  char derivatives[DAE_TEXT_MAX];          /* which derivative is wrong */
  double residual[DAE_ORDER_MAX];          /* of the initial values as given, per level */
  char worst[DAE_ORDER_MAX][DAE_NAME_MAX]; /* and the constraint that has it */
  dae_diagnosis diagnosis;
  bool followed;  /* the trial run failed, and the run itself was looked at */
  dae_status run; /* its status */
  dae_report run_report;
} findings;

/* the constraints as written, at a point: g of x, or of z, then W v + w; returns how many, or -1 */
static int constraints(const dae_problem *p, double t, const double *z, double *out,
                       bool velocity) {
  if (p->kind == DAE_ODE) return p->ode.h(t, z, out, p->ctx) == 0 ? p->ode.nh : -1;
  if (p->kind == DAE_HESSENBERG)
    return p->hessenberg.g(t, z, out, p->ctx) == 0 ? p->hessenberg.ny : -1;
  const dae_mechanical *m = &p->mechanical;
  if (m->ng > 0 && m->g(t, z, out, p->ctx) != 0) return -1;
  /* rows of a sparse W are left to the solver's own report */
  if (!velocity || m->nw == 0 || m->W_pattern || !m->W) return m->ng;
  double *W = cli_take((size_t)m->nw * (size_t)m->nq, sizeof(double)), *w = out + m->ng;
  int failed = m->W(t, z, W, p->ctx);
  if (m->w) failed = failed || m->w(t, z, w, p->ctx);
  for (int i = 0; i < m->nw; i++)
    for (int j = 0; j < m->nq; j++) w[i] += W[i * m->nq + j] * z[m->nq + j];
  free(W);
  return failed ? -1 : m->ng + m->nw;
}

/* z moved along its own motion for a time s: x + s x' + s^2/2 x'' .. */
static void follow(const cli_model *m, const double *z, double s, double *out) {
  for (int l = 0; l < m->order; l++) {
    for (int i = 0; i < m->nx; i++) {
      double term = 1, sum = 0;
      for (int k = l; k < m->order; k++) {
        sum += term * z[k * m->nx + i];
        term *= s / (k - l + 1);
      }
      out[l * m->nx + i] = sum;
    }
  }
}

/* which constraint is worst at a level: its rate by differences is good enough to name it */
static void name_worst(findings *f, int level) {
  const cli_model *m = f->model;
  const dae_problem *p = &m->problem;
  size_t rows = (size_t)(dae_problem_nh(p) + 1);
  double *z = cli_take((size_t)m->nz, sizeof(double)), *g = cli_take(3 * rows, sizeof(double));
  double e = level == 2 ? 1e-3 : 1e-5, largest = 0;
  int count = 0, derivative = level - m->first_level;
  for (int k = 0; k < 3 && count >= 0; k++) {
    double s = (k - 1) * e;
    follow(m, m->z0, s, z);
    count = constraints(p, p->t0 + s, z, g + (size_t)k * rows,
                        level == m->order - 1 && derivative == 0);
  }
  for (int i = 0; i < count; i++) {
    double low = g[i], middle = g[rows + (size_t)i], high = g[2 * rows + (size_t)i];
    double value = derivative == 0   ? middle
                   : derivative == 1 ? (high - low) / (2 * e)
                                     : (high - 2 * middle + low) / (e * e);
    if (!(fabs(value) > largest)) continue;
    largest = fabs(value);
    dae_problem_g_name(p, i, derivative, f->worst[level], DAE_NAME_MAX);
  }
  free(z);
  free(g);
}

static void count_conditions(findings *f) {
  const dae_problem *p = &f->model->problem;
  if (!p->boundary) return;
  f->needed = dae_boundary_needed(p, f->why, sizeof f->why);
  f->given = p->boundary->n;
  for (int i = 0; i < p->boundary->n_side; i++) f->given += p->boundary->side[i].n;
}

/* A trial run that fails speaks of its own method. The solver of `run` then goes beyond that place,
   within a limit on steps: what becomes of it is what the user is told. */
static void follow_trial(findings *f, const dae_options *o) {
  enum { STEPS = 500 };
  const dae_diagnosis *d = &f->diagnosis;
  double t0 = f->equations.t0, t1 = f->equations.t1, t = t0;
  if (f->start != DAE_OK || d->trial == DAE_OK || d->trial == DAE_EVENT) return;
  f->followed = true;
  long limit = o->max_steps > 0 && o->max_steps < STEPS ? o->max_steps : STEPS;
  for (long k = 0; k < limit && f->run == DAE_OK && t != t1 && fabs(t - t0) <= d->t1 - d->t0; k++) {
    f->run = dae_solver_step(f->solver, t1);
    t = dae_solver_time(f->solver);
  }
  f->run_report = *dae_solver_report(f->solver);
  if (f->run == DAE_EVENT) f->run = DAE_OK;
}

static void look(findings *f, const cli_settings *s) {
  const cli_model *m = f->model;
  const dae_problem *p = &f->equations;
  f->equations = m->problem;
  f->equations.boundary = NULL;
  count_conditions(f);
  double *z = cli_take((size_t)m->nz, sizeof(double)), *y = cli_take((size_t)m->ny, sizeof(double));
  f->start = dae_solver_new(&f->solver, p, &s->options, &f->report);
  if (f->start == DAE_OK) {
    memcpy(z, m->z0, (size_t)m->nz * sizeof(double));
    memcpy(y, m->y0, (size_t)m->ny * sizeof(double));
    if (dae_solver_drift(f->solver, p->t0, z, f->residual) != DAE_OK)
      for (int i = 0; i < m->order; i++) f->residual[i] = NAN;
    f->start = dae_solver_start(f->solver, p->t0, z, y);
    f->report = *dae_solver_report(f->solver);
    for (int i = m->first_level; i < m->order && i < 3; i++)
      if (!(f->residual[i] <= 1e-10)) name_worst(f, i);
    /* derivatives are compared where the solution runs, if there is such a point */
    bool started = f->start == DAE_OK;
    f->derivatives_ok = dae_problem_check(p, p->t0, started ? z : m->z0, started ? y : m->y0,
                                          f->derivatives, sizeof f->derivatives) == DAE_OK;
  }
  if (!m->problem.boundary) {
    dae_diagnose(p, &s->options, &f->diagnosis);
    follow_trial(f, &s->options);
  }
  free(z);
  free(y);
}

/* the derivatives that the problem leaves to differences */
static const char *missing(const dae_problem *p, char *text, int size) {
  const dae_mechanical *m = &p->mechanical;
  const dae_hessenberg *h = &p->hessenberg;
  text[0] = '\0';
#define NEEDS(function, name)                                          \
  if (!(function)) {                                                   \
    size_t n = strlen(text);                                           \
    snprintf(text + n, (size_t)size - n, "%s%s", n ? ", " : "", name); \
  }
  if (p->kind == DAE_ODE) {
    NEEDS(p->ode.f_z, "f_z")
    NEEDS(p->ode.h_z || p->ode.nh == 0, "h_z")
  } else if (p->kind == DAE_HESSENBERG) {
    NEEDS(h->f_z, "f_z")
    NEEDS(h->B, "B")
    NEEDS(h->G, "G")
    NEEDS(h->g_rate, "g_rate")
  } else {
    NEEDS(m->force_q || !m->force, "force_q")
    NEEDS(m->force_v || !m->force, "force_v")
    NEEDS(m->G || m->evaluate || m->ng == 0, "G")
    NEEDS(m->curvature || m->evaluate || m->ng == 0, "curvature")
    NEEDS(m->w_rate || m->nw == 0, "w_rate")
  }
#undef NEEDS
  return text;
}

/* forms whose view can be made for this problem, as a list of names */
static void applicable(const findings *f, const cli_settings *s, char *yes, size_t size) {
  yes[0] = '\0';
  for (int i = 0; dae_form_at(i); i++) {
    dae_options o = s->options;
    dae_solver *solver = NULL;
    o.form = dae_form_at(i)->name;
    o.log = (dae_log){0};
    if (dae_solver_new(&solver, &f->equations, &o, NULL) == DAE_OK) {
      size_t n = strlen(yes);
      snprintf(yes + n, size - n, "%s%s", n ? ", " : "", o.form);
    }
    dae_solver_free(solver);
  }
}

static const char *advice(const findings *f, char *text, size_t size) {
  const dae_report *r = &f->report;
  bool boundary = f->model->problem.boundary != NULL;
  text[0] = '\0';
  if (f->given != f->needed)
    snprintf(text, size, "State %d boundary conditions instead of %d.", f->needed, f->given);
  else if (f->start != DAE_OK && !boundary)
    snprintf(text, size, "%s", r->advice[0] ? r->advice : dae_status_advice(f->start));
  else if (f->run != DAE_OK)
    snprintf(text, size, "%s",
             f->run_report.advice[0] ? f->run_report.advice : dae_status_advice(f->run));
  else if (!f->derivatives_ok)
    snprintf(text, size, "Correct the derivative, or leave it out: differences are taken then.");
  else if (r->rows > 0 && r->rank < r->rows)
    snprintf(text, size,
             "The constraints depend on each other here: multipliers are not unique, the motion "
             "may be.");
  else if (r->rows > 0 && r->rcond > 0 && r->rcond < 1e-8)
    snprintf(text, size,
             "The start is near a singular position; the multipliers are sensitive there.");
  else if (r->moved > 0 && !boundary)
    snprintf(text, size,
             "Give consistent initial values, or mark those that must stay with --init.");
  else snprintf(text, size, "No problems found; run it with 'daedal run %s'.", f->model->name);
  return text;
}

/* the numbers, in the letters of the literature: f = ASx + .., C the constraints, B their forces */
static void diagnosis_details(const dae_diagnosis *d) {
  if (d->kind != DAE_CASE_UNKNOWN)
    printf("  %-12s %d: %s\n", "case", (int)d->kind, dae_case_name(d->kind));
  if (d->points > 0) {
    printf("  %-12s solution %.3g, frozen part |RAS| %.3g, variable part |R'S| %.3g, |FC'| %.3g\n",
           "rates", d->solution, d->frozen, d->variable, d->fc);
    printf("  %-12s C turns with %.3g, B with %.3g; accuracy allows steps of %.3g\n", "",
           d->turn_constraint, d->turn_force, d->step);
    if (d->rows > 0)
      printf("  %-12s of CB %.3g, of C %.3g; %d points, t = %g .. %g\n", "conditioning", d->skew,
             d->condition, d->points, d->t0, d->t1);
  }
  if (d->rows > 0 && d->smallest > 0)
    printf("  %-12s smallest singular value %.3g at t = %.6g\n", "distance", d->smallest,
           d->t_smallest);
}

/* times in which things change by about their own size: reciprocals of the rates */
static void time_scales(const dae_diagnosis *d) {
  double fastest = fmax(d->frozen, d->variable);
  printf("  %-12s", "time scales");
  if (d->solution > 0) printf(" the solution changes within %.2g", 1 / d->solution);
  if (fastest > 0)
    printf("%s its fastest possible motion takes about %.2g", d->solution > 0 ? "," : "",
           1 / fastest);
  if (d->turn_constraint > 0)
    printf("%s the constraints turn within %.2g", d->solution > 0 || fastest > 0 ? ";" : "",
           1 / d->turn_constraint);
  putchar('\n');
  if (d->step > 0) printf("  %-12s accuracy allows steps of about %.2g\n", "", d->step);
}

static const char *case_words(dae_case kind, bool constrained) {
  if (!constrained && kind != DAE_CASE_UNKNOWN)
    return kind == DAE_CASE_NONSTIFF_SLOW || kind == DAE_CASE_NONSTIFF_FAST
               ? "not stiff"
               : "stiff: it could move much faster than it does";
  switch (kind) {
    case DAE_CASE_NONSTIFF_SLOW: return "not stiff; the constraints turn slowly";
    case DAE_CASE_NONSTIFF_FAST: return "not stiff; the constraints or their forces turn fast";
    case DAE_CASE_STIFF_FROZEN:
      return "stiff: it could move much faster than it does; the constraints turn slowly";
    case DAE_CASE_STIFF_VARIABLE: return "stiff because the constraints or their forces turn fast";
    case DAE_CASE_UNKNOWN: break;
  }
  return "not known: too large, or no point could be analysed";
}

static void diagnosis_text(const findings *f, bool details) {
  static const double near = 0.05;
  const dae_diagnosis *d = &f->diagnosis;
  bool constrained = dae_problem_nh(&f->model->problem) > 0;
  printf("  %-12s %s\n", "kind", case_words(d->kind, constrained));
  if (d->points > 0) time_scales(d);
  for (int i = 0; i < d->n_redundant; i++)
    printf("  %-12s %s follows from the constraints before it\n", i == 0 ? "redundant" : "",
           d->redundant[i]);
  if (d->rows > 0 && d->smallest > 0 && d->smallest < near)
    printf("  %-12s a singular position is near t = %.4g: independence of the constraints %.2g "
           "there\n",
           "careful", d->t_smallest, d->smallest);
  if (d->message[0]) printf("  %-12s %s\n", "trial run", d->message);
  if (f->run != DAE_OK)
    printf("  %-12s stops at t = %g: %s\n", "run", dae_solver_time(f->solver),
           f->run_report.message[0] ? f->run_report.message : dae_status_meaning(f->run));
  else if (f->followed) printf("  %-12s passes the place where the trial run stopped\n", "run");
  if (details) diagnosis_details(d);
  printf("  %-12s --method %s --form %s --direction %s --stabilize %s\n", "recommended", d->method,
         d->form, d->direction, d->stabilize);
  printf("  %-12s %s\n", "", d->reason);
}

static void diagnosis_json(cli_json *j, const dae_diagnosis *d) {
  cli_json_open(j, "diagnosis", '{');
  cli_json_count(j, "case", (long)d->kind);
  cli_json_text(j, "name", dae_case_name(d->kind));
  cli_json_number(j, "solution", d->solution);
  cli_json_number(j, "frozen", d->frozen);
  cli_json_number(j, "variable", d->variable);
  cli_json_number(j, "fc", d->fc);
  cli_json_number(j, "turn_constraint", d->turn_constraint);
  cli_json_number(j, "turn_force", d->turn_force);
  cli_json_number(j, "step", d->step);
  cli_json_number(j, "skew", d->skew);
  cli_json_number(j, "condition", d->condition);
  cli_json_number(j, "smallest", d->smallest);
  cli_json_number(j, "t_smallest", d->t_smallest);
  cli_json_number(j, "reached", d->t1);
  cli_json_text(j, "trial", dae_status_name(d->trial));
  cli_json_open(j, "redundant", '[');
  for (int i = 0; i < d->n_redundant; i++) cli_json_text(j, NULL, d->redundant[i]);
  cli_json_close(j, ']');
  cli_json_text(j, "method", d->method);
  cli_json_text(j, "form", d->form);
  cli_json_text(j, "direction", d->direction);
  cli_json_text(j, "stabilize", d->stabilize);
  cli_json_text(j, "reason", d->reason);
  cli_json_close(j, '}');
}

/* of what the user wrote */
static int index_of(const cli_model *m) {
  return m->text ? dae_model_index(m->text) : dae_problem_index(&m->problem);
}

static void constraints_text(const dae_report *r, bool details) {
  if (r->rows <= 0) return;
  if (r->rank == r->rows)
    printf("  %-12s %d, %s; independence %.2g (1: best, 0: dependent)\n", "constraints", r->rows,
           r->rows == 1 ? "of full rank" : "all independent of each other", r->rcond);
  else
    printf("  %-12s %d, of which %d are independent of each other\n", "constraints", r->rows,
           r->rank);
  if (details)
    printf("  %-12s rank %d of %d, reciprocal condition %.3g, smallest singular value %.3g\n", "",
           r->rank, r->rows, r->rcond, r->smallest);
}

static const char *s_of(int count) { return count == 1 ? "" : "s"; }

static void size_text(const cli_model *m) {
  int levels = m->order - m->first_level, invariants = dae_problem_nh(&m->problem);
  printf("  %-12s %d differential variable%s", "size", m->nz, s_of(m->nz));
  if (m->ny > 0) printf(", %d multiplier%s", m->ny, s_of(m->ny));
  if (invariants > 0)
    printf(", %d invariant%s on %d level%s", invariants, s_of(invariants), levels, s_of(levels));
  putchar('\n');
}

static void report_text(const findings *f, const cli_settings *s) {
  const cli_model *m = f->model;
  const dae_problem *p = &m->problem;
  const dae_report *r = &f->report;
  char text[4 * DAE_TEXT_MAX];
  printf("%s%s%s\n", m->name, p->title ? ": " : "", p->title ? p->title : "");
  printf("  %-12s %s%s%d, t = %g .. %g\n", "form", cli_kind_name(p, text, sizeof text),
         index_of(m) == dae_problem_index(p) ? ", index " : " of a model of index ", index_of(m),
         p->t0, p->t1);
  size_text(m);
  missing(p, text, sizeof text);
  printf("  %-12s %s\n", "derivatives",
         f->derivatives_ok ? "agree with differences" : f->derivatives);
  if (text[0]) printf("  %-12s approximated by differences: %s\n", "", text);
  for (int i = m->first_level; i < m->order; i++) {
    printf("  %-12s %-12s off by %.3g%s%s\n",
           i > m->first_level ? ""
           : p->boundary      ? "guess"
                              : "given start",
           cli_level_name(m, i), f->residual[i], f->worst[i][0] ? ", most in " : "", f->worst[i]);
  }
  if (p->boundary) {
    printf("  %-12s %d given, %d needed%s%s\n", "conditions", f->given, f->needed,
           f->why[0] ? ": " : "", f->why);
  } else if (f->start != DAE_OK) {
    printf("  %-12s %s: %s\n", "start", dae_status_name(f->start), r->message);
    if (r->equation[0])
      printf("  %-12s equation %s, residual %.3g\n", "", r->equation, r->residual);
    if (r->variable[0]) printf("  %-12s variable %s\n", "", r->variable);
  } else {
    printf("  %-12s consistent%s", "start", r->moved > 0 ? " after moving by " : " as given");
    if (r->moved > 0) printf("%.3g", r->moved);
    printf("\n");
  }
  constraints_text(r, s->details);
  if (p->boundary) {
    printf("  %-12s projected collocation on an adaptive mesh\n", "chosen");
  } else {
    diagnosis_text(f, s->details);
    if (s->details) {
      printf("  %-12s method %s, form %s, stabilize %s\n", "now set", dae_solver_method(f->solver),
             dae_solver_form(f->solver), dae_solver_stabilize(f->solver));
      applicable(f, s, text, sizeof text);
      printf("  %-12s %s\n", "forms", text);
    }
  }
  printf("  %-12s %s\n", "advice", advice(f, text, sizeof text));
}

static void report_json(const findings *f, const cli_settings *s) {
  const cli_model *m = f->model;
  const dae_problem *p = &m->problem;
  const dae_report *r = &f->report;
  char text[4 * DAE_TEXT_MAX];
  cli_json json = {.out = stdout}, *j = &json;
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "problem", m->name);
  cli_json_text(j, "status", dae_status_name(f->start != DAE_OK ? f->start : f->run));
  if (f->start != DAE_OK) cli_json_text(j, "message", r->message);
  else if (f->run != DAE_OK) cli_json_text(j, "message", f->run_report.message);
  cli_json_text(j, "kind", cli_kind_name(p, text, sizeof text));
  cli_json_count(j, "index", index_of(m));
  cli_json_count(j, "variables", m->nz);
  cli_json_count(j, "multipliers", m->ny);
  cli_json_count(j, "invariants", dae_problem_nh(p));
  cli_json_text(j, "derivatives", f->derivatives_ok ? "ok" : f->derivatives);
  cli_json_text(j, "differences", missing(p, text, sizeof text));
  cli_json_open(j, "residual", '{');
  for (int i = m->first_level; i < m->order; i++) {
    cli_json_open(j, cli_level_name(m, i), '{');
    cli_json_number(j, "max", f->residual[i]);
    cli_json_text(j, "constraint", f->worst[i]);
    cli_json_close(j, '}');
  }
  cli_json_close(j, '}');
  if (p->boundary) {
    cli_json_count(j, "conditions", f->given);
    cli_json_count(j, "conditions_needed", f->needed);
  }
  cli_json_number(j, "moved", r->moved);
  cli_json_text(j, "equation", r->equation);
  cli_json_text(j, "variable", r->variable);
  cli_json_count(j, "rank", r->rank);
  cli_json_count(j, "rows", r->rows);
  cli_json_number(j, "rcond", r->rcond);
  cli_json_number(j, "smallest", r->smallest);
  if (!p->boundary) {
    cli_json_text(j, "method", dae_solver_method(f->solver));
    cli_json_text(j, "form", dae_solver_form(f->solver));
    cli_json_text(j, "stabilize", dae_solver_stabilize(f->solver));
    applicable(f, s, text, sizeof text);
    cli_json_text(j, "forms", text);
    diagnosis_json(j, &f->diagnosis);
  }
  cli_json_text(j, "advice", advice(f, text, sizeof text));
  if (m->text) cli_json_text(j, "structure", dae_model_explain(m->text));
  cli_json_close(j, '}');
}

int cli_check(int argc, char **argv) {
  cli_settings settings;
  cli_model model = {0};
  findings f = {.model = &model};
  int code = cli_options_read(&settings, "check", CLI_FOR_CHECK, argc, argv);
  if (code == CLI_OK) code = cli_model_open(&model, &settings);
  if (code == CLI_OK) code = cli_options_names(&settings, &model.problem);
  if (code == CLI_OK && model.text && !settings.json) fputs(dae_model_explain(model.text), stdout);
  if (code == CLI_OK) {
    look(&f, &settings);
    if (!f.solver) {
      code = cli_fail(CLI_USAGE, "%s",
                      f.report.message[0] ? f.report.message : dae_status_meaning(f.start));
    } else {
      if (settings.json) report_json(&f, &settings);
      else report_text(&f, &settings);
      /* the start of a boundary value problem is only a guess */
      bool stopped =
          model.problem.boundary ? f.given != f.needed : f.start != DAE_OK || f.run != DAE_OK;
      code = stopped ? CLI_STOPPED : f.derivatives_ok ? CLI_OK : CLI_MODEL;
    }
  }
  dae_solver_free(f.solver);
  cli_model_close(&model);
  cli_options_free(&settings);
  return code;
}
