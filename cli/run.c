/* daedal run: what initial and boundary value problems share: output, files, the summary */
#include "record.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* the run ends as failed: a value is not a number */
static dae_status not_finite(cli_session *s, const char *what, const char *name, double t) {
  snprintf(s->text, sizeof s->text, "%s%s is not a finite number at t = %.15g", what, name, t);
  cli_session_stop(s, DAE_E_CALLBACK, NULL, s->text, dae_status_advice(DAE_E_CALLBACK));
  return DAE_E_CALLBACK;
}

dae_status cli_session_point(cli_session *s, double t, const double *z, const double *y,
                             const double *drift) {
  const char *bad = s->writing ? cli_table_row(&s->table, t, z, y) : NULL;
  if (bad) return s->result.status == DAE_OK ? not_finite(s, "", bad, t) : DAE_E_CALLBACK;
  if (s->report && s->report->spacing == 0) cli_report_point(s->report, t, z, y, NULL);
  s->result.output_points++;
  for (int i = s->model.first_level; drift && i < s->model.order; i++)
    if (!(drift[i] <= s->result.output_drift[i])) s->result.output_drift[i] = drift[i];
  return DAE_OK;
}

void cli_session_check(cli_session *s) {
  const cli_result *r = &s->result;
  if (r->status != DAE_OK || !r->started) return;
  double *value = cli_take((size_t)s->model.n_column, sizeof *value);
  const char *bad = cli_model_columns(&s->model, r->reached, r->z, r->y, value);
  free(value);
  if (bad) not_finite(s, "", bad, r->reached);
  for (int i = 0; r->dz && i < s->model.nz && r->status == DAE_OK; i++)
    if (!isfinite(r->dz[i])) not_finite(s, "the derivative of ", s->model.z_name[i], r->reached);
}

double cli_session_time(const cli_session *s, long i) {
  double way = s->result.t1 < s->result.t0 ? -1 : 1;
  return i >= s->grid_last ? s->result.t1 : s->result.t0 + way * (double)i * s->spacing;
}

void cli_session_stop(cli_session *s, dae_status status, const char *name, const char *message,
                      const char *advice) {
  s->result.status = status;
  s->result.status_text = name ? name : dae_status_name(status);
  s->result.message = message;
  s->result.advice = advice;
}

void cli_session_report(cli_session *s, dae_status status, const dae_report *report) {
  const char *message = report->message[0] ? report->message : dae_status_meaning(status);
  const char *advice = report->message[0] ? report->advice : dae_status_advice(status);
  s->result.report = report;
  cli_session_stop(s, status, NULL, message, advice);
}

int cli_session_refuse(dae_status status, const dae_report *report) {
  char text[2 * DAE_TEXT_MAX];
  const char *message = report->message[0] ? report->message : dae_status_meaning(status);
  return cli_fail(status == DAE_E_MEMORY ? CLI_STOPPED : CLI_USAGE, "%s",
                  cli_sentence(status, message, report->advice, text, sizeof text));
}

/* the grid of the output: as asked, else the steps of a fixed step size, else 500 intervals */
static int choose_grid(cli_session *s) {
  const cli_settings *a = &s->settings;
  double length = fabs(s->result.t1 - s->result.t0), intervals = 500;
  double size = fmax(fabs(s->result.t0), fabs(s->result.t1)), every = a->every;
  if (a->options.step > 0 && a->options.step < 1e-15 * size)
    return cli_fail(CLI_USAGE, "option --step: %g is below rounding at t = %g", a->options.step,
                    size);
  if (s->model.text && every == 0 && a->points == 0) every = dae_model_interval(s->model.text);
  s->grid = a->output || a->every > 0 || a->points > 0 || a->steps;
  if (a->steps || (a->options.step > 0 && a->every == 0 && a->points == 0)) return CLI_OK;
  if (every > 0) intervals = ceil(length / every * (1 - 1e-14));
  if (a->points > 0) intervals = a->points - 1;
  if (length == 0) return CLI_OK; /* the start is all there is */
  if (intervals > 1e9)
    return cli_fail(CLI_USAGE, "%.3g output points exceed the limit of 1e9", intervals);
  s->grid_last = (long)intervals;
  s->spacing = every > 0 ? every : length / intervals;
  return CLI_OK;
}

static int write_files(cli_session *s) {
  const cli_settings *a = &s->settings;
  int code = CLI_OK;
  if (s->writing) {
    if (!s->result.started) cli_table_abandon(&s->table);
    else if (cli_table_commit(&s->table) != CLI_OK) code = CLI_FILE;
    else s->result.output = a->output;
  }
  if (s->record && s->result.started) {
    if (cli_caption_plot(s->record, &s->result, a->plot) != CLI_OK) code = CLI_FILE;
    else s->result.plot = a->plot;
  }
  if (s->report && s->result.started) {
    int page = cli_report_write(s->report, s);
    if (page != CLI_OK) code = page;
    else s->result.report_file = a->report ? a->report : a->animate;
  }
  return code;
}

bool cli_result_ok(const cli_result *r) {
  return r->status == DAE_OK || (r->status == DAE_EVENT && r->model->text);
}

/* assertions whose level is a warning are events that do not end the run */
static void tell_warnings(const cli_result *r) {
  for (int i = 0; i < r->n_event && r->model->text; i++) {
    const dae_event *e = &r->model->problem.event[r->event[i].event];
    if (strncmp(e->name, "assertion failed: ", 18) == 0 && !e->terminal)
      fprintf(stderr, "daedal: warning: %s (at t = %.15g)\n", e->name, r->event[i].t);
  }
}

/* do both lead to the same terminal or file? */
static bool same_place(int a, int b) {
  struct stat x, y;
  if (fstat(a, &x) != 0 || fstat(b, &y) != 0) return false;
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* files first, so that the summary tells what is there; a failed file never hides it */
int cli_session_finish(cli_session *s) {
  const cli_settings *a = &s->settings;
  const cli_result *r = &s->result;
  char text[2 * DAE_TEXT_MAX];
  int code = write_files(s);
  bool ok = cli_result_ok(r);
  if (code == CLI_OK && !ok) code = CLI_STOPPED;
  bool data_on_stdout = a->output && strcmp(a->output, "-") == 0;
  /* the reason is printed once: by the summary, where that goes the way of the errors */
  bool told = !a->json && !a->quiet && (data_on_stdout || same_place(STDOUT_FILENO, STDERR_FILENO));
  if (a->json) cli_summary_json(stdout, r);
  else if (!a->quiet) cli_summary_text(data_on_stdout ? stderr : stdout, r);
  tell_warnings(r);
  if (!a->quiet) cli_idle_tell(r);
  if (!ok && !told)
    cli_fail(code, "%s: %s", r->status_text,
             cli_sentence(r->status, r->message, r->advice, text, sizeof text));
  return code;
}

int cli_session_measures(cli_session *s) {
  if (!s->settings.measure) return CLI_OK;
  int code = cli_measures_read(&s->measures, s->settings.measure, &s->model);
  s->result.measures = s->measures;
  return code;
}

/* what --show asks for, else what the model declares */
static int choose_panels(cli_session *s) {
  cli_names names = cli_model_names(&s->model);
  const cli_settings *a = &s->settings;
  bool drawn = a->plot || a->report || a->animate;
  if (a->show && !drawn)
    return cli_fail(CLI_USAGE, "option --show: nothing is drawn; add --plot FILE or --report FILE");
  if (a->show) return cli_panels_read(s->panels, a->show, &names);
  if (drawn) cli_panels_default(s->panels, &s->model);
  return CLI_OK;
}

static int open_files(cli_session *s) {
  int code = choose_grid(s);
  if (code == CLI_OK) code = cli_session_measures(s);
  if (code == CLI_OK) code = choose_panels(s);
  if (code != CLI_OK) return code;
  if (s->settings.output) {
    code = cli_table_open(&s->table, s->settings.output, &s->model);
    if (code != CLI_OK) return code;
    s->writing = true;
  }
  const char *late[] = {s->settings.plot, s->settings.report, s->settings.animate};
  for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
    /* a place that cannot be written is told before the run, not after it */
    cli_file probe;
    if (!late[i]) continue;
    code = cli_file_open(&probe, late[i]);
    if (code != CLI_OK) return code;
    cli_file_abandon(&probe);
  }
  if (s->settings.report || s->settings.animate) s->report = cli_report_new(s);
  if (s->settings.plot) {
    s->record = cli_record_new(s->panels, s->model.n_column, s->result.t0, s->result.t1);
    cli_record_levels(s->record, &s->model);
  }
  return CLI_OK;
}

int cli_run(int argc, char **argv) {
  cli_panels panels = {0};
  cli_session s = {.finish = cli_session_finish, .panels = &panels};
  int code = cli_options_read(&s.settings, "run", CLI_FOR_RUN, argc, argv);
  if (code == CLI_OK) code = cli_model_open(&s.model, &s.settings);
  if (code == CLI_OK) code = cli_options_names(&s.settings, &s.model.problem);
  if (code == CLI_OK && s.settings.emit_c) {
    fputs(dae_model_code(s.model.text), stdout);
    cli_model_close(&s.model);
    cli_options_free(&s.settings);
    return CLI_OK;
  }
  if (code == CLI_OK) {
    s.result = (cli_result){.model = &s.model,
                            .settings = &s.settings,
                            .error = &s.error,
                            .status_text = dae_status_name(DAE_OK),
                            .t0 = s.model.problem.t0,
                            .t1 = s.model.problem.t1};
    cli_error_new(&s.error, &s.model);
    code = open_files(&s);
  }
  if (code == CLI_OK && s.model.problem.boundary && (s.settings.checkpoint || s.settings.resume))
    code = cli_fail(CLI_USAGE, "--checkpoint and --resume are for initial value problems");
  if (code == CLI_OK) {
    code = s.model.problem.boundary ? cli_bvp(&s) : cli_ivp(&s);
  }
  cli_table_abandon(&s.table);
  cli_record_free(s.record);
  cli_panels_free(&panels);
  cli_report_free(s.report);
  cli_measures_free(s.measures);
  cli_error_free(&s.error);
  cli_model_close(&s.model);
  cli_options_free(&s.settings);
  return code;
}
