/* what a run tells at its end: for people and, with --json, for programs */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* parts of the solution in error summaries: x, its derivatives, the multipliers */
static const char *const part_name[DAE_ORDER_MAX] = {"x", "v", "a", "x3", "x4", "x5"};

static void json_drift(cli_json *j, const cli_result *r) {
  const dae_stats *s = &r->stats;
  cli_json_open(j, "drift", '{');
  for (int i = r->model->first_level; i < r->model->order; i++) {
    cli_json_open(j, cli_level_name(r->model, i), '{');
    cli_json_number(j, "max", s->drift_max[i]);
    cli_json_number(j, "final", s->drift_last[i]);
    cli_json_close(j, '}');
  }
  cli_json_close(j, '}');
  if (r->output_points == 0) return;
  cli_json_open(j, "drift_output", '{');
  for (int i = r->model->first_level; i < r->model->order; i++)
    cli_json_number(j, cli_level_name(r->model, i), r->output_drift[i]);
  cli_json_close(j, '}');
}

static void json_final(cli_json *j, const cli_result *r) {
  const cli_model *m = r->model;
  double *value = cli_take((size_t)m->n_column, sizeof *value);
  const dae_stats *s = &r->stats;
  cli_json_open(j, "final", '{');
  cli_model_columns(m, r->reached, r->z, r->y, value);
  for (int i = 0; i < m->n_column; i++) cli_json_number(j, m->column[i], value[i]);
  cli_json_close(j, '}');
  if (r->solution && r->z_start) {
    cli_json_open(j, "initial", '{');
    cli_model_columns(m, r->t0, r->z_start, r->y_start, value);
    for (int i = 0; i < m->n_column; i++) cli_json_number(j, m->column[i], value[i]);
    cli_json_close(j, '}');
  }
  free(value);
  cli_json_open(j, "final_derivative", '{');
  for (int i = 0; r->dz && i < m->nz; i++) cli_json_number(j, m->z_name[i], r->dz[i]);
  cli_json_close(j, '}');
  cli_json_open(j, "multipliers_final", '{');
  cli_json_number(j, "mu", s->mu_last);
  cli_json_number(j, "tau", s->tau_last);
  cli_json_close(j, '}');
}

static void json_measures(cli_json *j, const cli_result *r) {
  if (!r->measures) return;
  cli_json_open(j, "measures", '{');
  for (int i = 0; i < cli_measures_count(r->measures); i++)
    cli_json_number(j, cli_measures_name(r->measures, i), cli_measures_value(r->measures, i));
  cli_json_close(j, '}');
}

static void text_measures(FILE *out, const cli_result *r) {
  for (int i = 0; i < cli_measures_count(r->measures); i++) {
    double value = cli_measures_value(r->measures, i);
    fprintf(out, "  %-10s %s = ", i ? "" : "measured", cli_measures_name(r->measures, i));
    if (isnan(value)) fputs("none\n", out);
    else fprintf(out, "%.10g\n", value);
  }
}

static void json_audit(cli_json *j, const cli_result *r) {
  const dae_audit *a = &r->stats.audit;
  if (!r->settings->options.audit) return;
  cli_json_open(j, "audit", '{');
  cli_json_number(j, "worst", a->worst);
  cli_json_text(j, "equation", a->equation);
  cli_json_number(j, "time", a->time);
  cli_json_close(j, '}');
}

static void json_error_parts(cli_json *j, const cli_model *m, const char *key,
                             const double *error) {
  cli_json_open(j, key, '{');
  for (int i = 0; i < m->order; i++) cli_json_number(j, part_name[i], cli_error_part(m, error, i));
  if (m->ny > 0) cli_json_number(j, "y", cli_error_part(m, error, -1));
  cli_json_close(j, '}');
}

static void json_error(cli_json *j, const cli_result *r) {
  const cli_model *m = r->model;
  const cli_error *e = r->error;
  if (e->known) {
    cli_json_open(j, "error", '{');
    for (int i = 0; i < m->nz + m->ny; i++) {
      cli_json_open(j, i < m->nz ? m->z_name[i] : m->y_name[i - m->nz], '{');
      cli_json_number(j, "max", e->max[i]);
      cli_json_number(j, "final", e->last[i]);
      cli_json_close(j, '}');
    }
    cli_json_close(j, '}');
    json_error_parts(j, m, "error_max", e->max);
    json_error_parts(j, m, "error_final", e->last);
  }
  if (e->n_ref == 0) return;
  cli_json_open(j, "reference", '[');
  for (int i = 0; i < e->n_ref; i++) {
    if (isnan(e->ref_error[i])) continue;
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "t", m->problem.ref[i].t);
    cli_json_number(j, "error", e->ref_error[i]);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

static void json_counts(cli_json *j, const cli_result *r) {
  const dae_stats *s = &r->stats;
  cli_json_count(j, "steps", s->steps);
  cli_json_count(j, "rejected", s->rejected);
  cli_json_count(j, "evaluations", s->evaluations);
  cli_json_count(j, "factorizations", s->factorizations);
  cli_json_number(j, "seconds", r->seconds);
  cli_json_count(j, "constraint_evaluations", s->constraints);
  cli_json_count(j, "second_derivatives", s->second_derivatives);
  cli_json_count(j, "differences", s->differences);
  cli_json_count(j, "jacobians", s->jacobians);
  cli_json_count(j, "schur_factorizations", s->schur_factorizations);
  cli_json_count(j, "solves", s->solves);
  cli_json_count(j, "newton", s->newton);
  cli_json_count(j, "stabilizations", s->stabilizations);
  cli_json_count(j, "frozen", s->frozen);
  cli_json_count(j, "sweeps", s->sweeps);
  cli_json_count(j, "restarts", s->restarts);
  if (s->iterates_most > 0) {
    cli_json_count(j, "iterates", s->iterates);
    cli_json_count(j, "iterates_most", s->iterates_most);
  }
  cli_json_count(j, "events", s->events);
  cli_json_count(j, "singular_passed", s->singular_passed);
  cli_json_number(j, "h_first", s->h_first);
  cli_json_number(j, "h_last", s->h_last);
  cli_json_number(j, "h_min", s->h_min);
  cli_json_number(j, "h_max", s->h_max);
}

/* the singular positions that were passed and the events that were met, in the order of time */
static void json_met(cli_json *j, const cli_result *r) {
  cli_json_open(j, "passages", '[');
  for (int i = 0; i < r->n_passage; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "t", r->passage[i].t);
    cli_json_number(j, "smallest", r->passage[i].smallest);
    cli_json_number(j, "accuracy", r->passage[i].accuracy);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  cli_json_open(j, "events_met", '[');
  for (int i = 0; i < r->n_event; i++) {
    const char *name = r->model->problem.event[r->event[i].event].name;
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "t", r->event[i].t);
    if (name) cli_json_text(j, "event", name);
    else cli_json_count(j, "event", r->event[i].event + 1);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* singular positions: how many, where, how well */
static void text_passages(FILE *out, const cli_result *r) {
  enum { MOST = 4 };
  const dae_passage *p = r->passage;
  double worst = 0;
  if (r->n_passage == 0) return;
  fprintf(out, "  %-10s %ld singular position%s, t =", "passed", r->stats.singular_passed,
          r->stats.singular_passed == 1 ? "" : "s");
  for (int i = 0; i < r->n_passage; i++) {
    if (i < MOST) fprintf(out, "%s %.6g", i ? "," : "", p[i].t);
    worst = fmax(worst, p[i].accuracy);
  }
  fputs(r->n_passage > MOST ? " .." : "", out);
  if (worst > 0) fprintf(out, "; error of each below about %.2g\n", worst);
  else fputs("; fixed steps, no estimate of the error\n", out);
}

/* why a run stopped early: the place and the culprit by name */
static void json_report(cli_json *j, const cli_result *r) {
  const dae_report *report = r->report;
  cli_json_text(j, "message", r->message);
  cli_json_text(j, "advice", r->advice);
  if (!report || report->status == DAE_OK) return;
  cli_json_open(j, "report", '{');
  cli_json_number(j, "t", report->t);
  cli_json_number(j, "h", report->h);
  cli_json_text(j, "equation", report->equation);
  cli_json_text(j, "variable", report->variable);
  cli_json_number(j, "residual", report->residual);
  cli_json_count(j, "rank", report->rank);
  cli_json_count(j, "rows", report->rows);
  cli_json_number(j, "rcond", report->rcond);
  cli_json_number(j, "smallest", report->smallest);
  cli_json_close(j, '}');
}

/* mesh, error estimate and unknown parameters of a boundary value problem */
static void json_bvp(cli_json *j, const cli_result *r) {
  const cli_model *m = r->model;
  const dae_boundary *b = m->problem.boundary;
  int count;
  const int *history = dae_solution_history(r->solution, &count);
  double *error = cli_take((size_t)(m->nz + m->ny), sizeof *error), largest = 0;
  double ratio = dae_solution_error(r->solution, error, error + m->nz);
  cli_json_count(j, "mesh", r->mesh);
  cli_json_open(j, "mesh_history", '[');
  for (int i = 0; i < count; i++) cli_json_count(j, NULL, history[i]);
  cli_json_close(j, ']');
  for (int i = 0; i < m->nz + m->ny; i++)
    if (!(error[i] <= largest)) largest = error[i];
  cli_json_number(j, "estimated_error", largest);
  cli_json_number(j, "estimated_error_in_tolerances", ratio);
  cli_json_number(j, "condition", dae_solution_stats(r->solution)->condition);
  cli_json_open(j, "estimated_errors", '{');
  for (int i = 0; i < m->nz + m->ny; i++)
    cli_json_number(j, i < m->nz ? m->z_name[i] : m->y_name[i - m->nz], error[i]);
  cli_json_close(j, '}');
  free(error);
  if (b->n_parameter == 0) return;
  cli_json_open(j, "parameters", '{');
  for (int i = 0; i < b->n_parameter; i++) {
    char name[DAE_NAME_MAX];
    snprintf(name, sizeof name, "parameter%d", i + 1);
    cli_json_number(j, b->parameter_name ? b->parameter_name[i] : name,
                    dae_solution_parameter(r->solution)[i]);
  }
  cli_json_close(j, '}');
}

static void text_bvp(FILE *out, const cli_result *r) {
  const dae_boundary *b = r->model->problem.boundary;
  int count;
  const int *history = dae_solution_history(r->solution, &count);
  fprintf(out, "  %-10s %d intervals (meshes:", "mesh", r->mesh);
  for (int i = 0; i < count; i++) fprintf(out, " %d", history[i]);
  fprintf(out, "), h = %.3g .. %.3g\n", r->stats.h_min, r->stats.h_max);
  double ratio = dae_solution_error(r->solution, NULL, NULL);
  if (!isnan(ratio))
    fprintf(out, "  %-10s estimated at %.2g times the tolerance\n", "error", ratio);
  double condition = dae_solution_stats(r->solution)->condition;
  if (condition > 0)
    fprintf(out, "  %-10s rounding is amplified %.2g times\n", "condition", condition);
  for (int i = 0; i < b->n_parameter; i++)
    fprintf(out, "  %-10s %s = %.15g\n", i ? "" : "unknown",
            b->parameter_name ? b->parameter_name[i] : "parameter",
            dae_solution_parameter(r->solution)[i]);
}

void cli_summary_json(FILE *out, const cli_result *r) {
  cli_json json = {.out = out}, *j = &json;
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "problem", r->model->name);
  cli_json_text(j, "status", r->status_text);
  if (r->status != DAE_OK) json_report(j, r);
  cli_json_number(j, "t0", r->t0);
  cli_json_number(j, "t1", r->t1);
  cli_json_number(j, "reached", r->reached);
  cli_json_text(j, "method", r->method);
  cli_json_text(j, "form", r->form);
  cli_json_text(j, "stabilize", r->stabilize);
  json_counts(j, r);
  if (!r->solution) cli_history_json(j, r);
  json_met(j, r);
  cli_start_json(j, r);
  if (r->solution) json_bvp(j, r);
  if (r->started) {
    json_drift(j, r);
    json_audit(j, r);
    json_measures(j, r);
    json_final(j, r);
    json_error(j, r);
  }
  if (r->output) cli_json_text(j, "output", r->output);
  if (r->output_points) cli_json_count(j, "output_points", r->output_points);
  if (r->plot) cli_json_text(j, "plot", r->plot);
  if (r->report_file) cli_json_text(j, "report_file", r->report_file);
  cli_json_close(j, '}');
}

static void text_drift(FILE *out, const cli_result *r) {
  const dae_stats *s = &r->stats;
  for (int i = r->model->first_level; i < r->model->order; i++) {
    fprintf(out, "  %-10s %-12s max %-10.3g end %.3g", i > r->model->first_level ? "" : "drift",
            cli_level_name(r->model, i), s->drift_max[i], s->drift_last[i]);
    if (r->output_points) fprintf(out, "   (at the output points: max %.3g)", r->output_drift[i]);
    fputc('\n', out);
  }
}

static void text_audit(FILE *out, const cli_result *r) {
  const dae_audit *a = &r->stats.audit;
  if (!r->settings->options.audit) fprintf(out, "  %-10s off\n", "audit");
  else if (!a->equation[0] && r->status == DAE_OK)
    fprintf(out, "  %-10s all numbers finite, nothing else to check\n", "audit");
  else if (a->equation[0])
    fprintf(out, "  %-10s worst relative residual %.2g, %s at t = %.6g\n", "audit", a->worst,
            a->equation, a->time);
}

/* parts in words: "y" is the name of a coordinate too */
static const char *part_words(const cli_model *m, int part) {
  static const char *const words[DAE_ORDER_MAX] = {"variables",  "velocities", "accelerations",
                                                   "3rd deriv.", "4th deriv.", "5th deriv."};
  return part == 0 && m->order > 1 ? "positions" : words[part];
}

static void text_error(FILE *out, const cli_result *r) {
  const cli_model *m = r->model;
  const cli_error *e = r->error;
  for (int i = 0; e->known && i < m->order; i++)
    fprintf(out, "  %-10s %-12s max %-10.3g end %.3g\n", i ? "" : "error", part_words(m, i),
            cli_error_part(m, e->max, i), cli_error_part(m, e->last, i));
  if (e->known && m->ny > 0)
    fprintf(out, "  %-10s %-12s max %-10.3g end %.3g\n", "", "multipliers",
            cli_error_part(m, e->max, -1), cli_error_part(m, e->last, -1));
  for (int i = 0; i < e->n_ref; i++)
    if (!isnan(e->ref_error[i]))
      fprintf(out, "  %-10s at t = %g: off by %.3g\n", "reference", m->problem.ref[i].t,
              e->ref_error[i]);
}

/* a boundary value problem: the values at both ends, as its first ones were not known before */
static void text_ends(FILE *out, const cli_result *r) {
  enum { MOST = 16 };
  const cli_model *m = r->model;
  int all = m->n_column, shown = all <= MOST ? all : MOST - 2, width = 4;
  double *value = cli_take(2 * (size_t)all, sizeof *value);
  cli_model_columns(m, r->t0, r->z_start, r->y_start, value);
  cli_model_columns(m, r->t1, r->z, r->y, value + all);
  for (int i = 0; i < shown; i++)
    if ((int)strlen(m->column[i]) > width) width = (int)strlen(m->column[i]);
  const char *name = cli_model_symbol(m);
  fprintf(out, "  %-10s %-*s  %s = %-14.6g %s = %.6g\n", "values", width, "", name, r->t0, name,
          r->t1);
  for (int i = 0; i < shown; i++)
    fprintf(out, "  %-10s %-*s % -18.10g % .10g\n", "", width, m->column[i], value[i],
            value[all + i]);
  free(value);
  if (shown < all)
    fprintf(out, "  %-10s .. and %d more (--json and --output have all)\n", "", all - shown);
}

/* the final values; a long list is cut, the files have them all */
static void text_final(FILE *out, const cli_result *r) {
  enum { MOST = 16 };
  const cli_model *m = r->model;
  int all = m->n_column, shown = all <= MOST ? all : MOST - 2, width = 4;
  double *value = cli_take((size_t)all, sizeof *value);
  cli_model_columns(m, r->reached, r->z, r->y, value);
  for (int i = 0; i < shown; i++) {
    int n = (int)strlen(m->column[i]);
    if (n > width) width = n;
  }
  for (int i = 0; i < shown; i++)
    fprintf(out, "  %-10s %-*s % .10g\n", i ? "" : "at the end", width, m->column[i], value[i]);
  free(value);
  if (shown < all)
    fprintf(out, "  %-10s .. and %d more (--json and --output have all)\n", "", all - shown);
}

void cli_summary_text(FILE *out, const cli_result *r) {
  const dae_stats *s = &r->stats;
  const dae_problem *p = &r->model->problem;
  double reached = r->reached;
  fprintf(out, "%s%s%s\n", r->model->name, p->title && p->title[0] ? ": " : "",
          p->title ? p->title : "");
  if (r->status == DAE_OK)
    fprintf(out, "  %-10s %s = %.6g .. %.6g\n", "solved", cli_model_symbol(r->model), r->t0, r->t1);
  else if (cli_result_ok(r))
    fprintf(out, "  %-10s at t = %.10g of %.6g .. %.6g by the model\n", "ended", reached, r->t0,
            r->t1);
  else
    fprintf(out, "  %-10s at t = %.10g of %.6g .. %.6g: %s\n", "stopped", reached, r->t0, r->t1,
            r->status_text);
  char text[2 * DAE_TEXT_MAX];
  if (r->status != DAE_OK)
    fprintf(out, "  %-10s %s\n", "why",
            cli_sentence(r->status, r->message, r->advice, text, sizeof text));
  fprintf(out, "  %-10s %s, form %s, stabilize %s\n", "method", r->method, r->form, r->stabilize);
  if (!r->started) return;
  cli_start_text(out, r);
  if (r->solution) {
    text_bvp(out, r);
  } else {
    cli_history_text(out, r);
  }
  fprintf(out, "  %-10s %ld evaluations, %ld factorizations, %.3g s\n", "cost", s->evaluations,
          s->factorizations, r->seconds);
  if (s->events) fprintf(out, "  %-10s %ld\n", "events", s->events);
  if (s->iterates_most > 0) {
    fprintf(out, "  %-10s %d", "iterates", s->iterates);
    if (s->iterates < s->iterates_most) fprintf(out, " at the end, %d before", s->iterates_most);
    fputc('\n', out);
  }
  text_passages(out, r);
  text_drift(out, r);
  text_audit(out, r);
  text_error(out, r);
  text_measures(out, r);
  if (r->solution && r->z_start) text_ends(out, r);
  else text_final(out, r);
  if (r->output) fprintf(out, "  %-10s %s (%ld points)\n", "output", r->output, r->output_points);
  if (r->plot) fprintf(out, "  %-10s %s\n", "plot", r->plot);
  if (r->report_file) fprintf(out, "  %-10s %s\n", "page", r->report_file);
}
