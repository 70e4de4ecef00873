/* the command: what its parts share */
#ifndef CLI_H
#define CLI_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <daedal/daedal.h>

#include "gallery.h"

/* what the command returns to the shell */
enum {
  CLI_OK = 0,
  CLI_USAGE = 2,   /* unknown option, name or value */
  CLI_STOPPED = 3, /* a run that ended before its stop time */
  CLI_MODEL = 4,   /* an error in a model file */
  CLI_FILE = 5     /* a file could not be read or written */
};

/* ---- text.c: messages, numbers, near names ---- */

/* one line "daedal: ..." on standard error; returns the code */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* messages of this thread go to `text` instead, the last one stays; NULL: to standard error
   again */
void cli_fail_into(char *text, int size);

/* count*size zeroed bytes; ends the command when there is no memory */
void *cli_take(size_t count, size_t size);

/* the whole text is one finite number; the whole text is one whole number that fits an int */
bool cli_number(const char *text, double *value);
bool cli_count(const char *text, int *value);

/* collects the candidate that is nearest to a word: start with {.word = w}, offer all, then read */
typedef struct cli_near {
  const char *word;
  const char *best;
  int distance;
} cli_near;

void cli_near_offer(cli_near *near, const char *candidate);
/* ", did you mean 'best'?" or nothing, in `text`, which is returned */
const char *cli_near_text(const cli_near *near, char *text, int size);

/* message and advice of a report as one line */
const char *cli_sentence(dae_status status, const char *message, const char *advice, char *text,
                         int size);

bool cli_is_text(const char *model); /* .mo or .bmo: a model as text */
bool cli_ends_with(const char *text, const char *end);
double cli_clock(void); /* seconds, monotonic */

/* ---- json.c: a writer that keeps commas and indentation right ---- */

enum { CLI_JSON_DEPTH = 8 };

typedef struct cli_json {
  FILE *out;
  int depth;
  bool filled[CLI_JSON_DEPTH];
} cli_json;

/* opens '{' or '[' under a key; key NULL at the top and inside '[' */
void cli_json_open(cli_json *j, const char *key, char bracket);
void cli_json_close(cli_json *j, char bracket);
void cli_json_number(cli_json *j, const char *key,
                     double value); /* 17 digits; null for nan and inf */
void cli_json_count(cli_json *j, const char *key, long value);
void cli_json_text(cli_json *j, const char *key, const char *value);
/* comma, new line and key only: the caller writes the value */
void cli_json_raw(cli_json *j, const char *key);
/* one string with its quotes; it can stand in a page, as it holds no '<' */
void cli_json_string(FILE *out, const char *value);

/* ---- design.c: which values the members of a sweep have ---- */

typedef enum cli_design_kind { CLI_GRID, CLI_RANDOM, CLI_LHS, CLI_SOBOL } cli_design_kind;

typedef struct cli_design {
  cli_design_kind kind;
  long count; /* of members; of a grid: what its ranges give */
  uint32_t seed;
} cli_design;

/* grid, random:N, lhs:N or sobol:N; what is wrong, or NULL */
const char *cli_design_read(cli_design *d, const char *text);
enum { CLI_SOBOL_MOST = 21 }; /* dimensions that have direction numbers */
/* coordinate `axis` of member `number`, in [0,1) */
double cli_design_point(const cli_design *d, long number, int axis);

/* ---- options.c: the command line ---- */

enum { CLI_FOR_RUN = 1, CLI_FOR_CHECK = 2, CLI_FOR_SWEEP = 4 };

/* one option that only the command knows */
typedef struct cli_option {
  const char *key;
  const char *argument; /* NULL: a flag */
  const char *meaning;
  int commands;
} cli_option;

const cli_option *cli_option_at(int i);

typedef struct cli_value {
  const char *name;
  double value;
  bool held;   /* --init: the start must keep it; --guess: it may move */
  double last; /* daedal sweep: `count` values from value to last; 0: one value, -1: a range */
  int count;
} cli_value;

typedef struct cli_settings {
  int argc; /* what was typed behind the command */
  char **argv;
  const char *model;
  dae_options options;
  bool has_start, has_stop, has_tol;
  double start, stop;
  int n_set, n_init;
  cli_value *set, *init;
  const char *output, *plot;
  const char *show;             /* panels of the picture, or NULL */
  const char *report, *animate; /* pages */
  double every;                 /* 0: not given */
  int points;                   /* 0: not given */
  bool steps, json, progress, quiet;
  bool details;                    /* of a check: all numbers */
  int jobs;                        /* of a sweep; 0: as many as there are processors */
  int shard, shards;               /* of a sweep: part `shard` of `shards`, from 1; 0: the whole */
  cli_design design;               /* of a sweep */
  const char *measure;             /* quantities of the run, or NULL */
  const char *checkpoint, *resume; /* files, or NULL */
  double checkpoint_every;         /* seconds */
  bool emit_c;                     /* show the generated code of a .mo file */
  const char **input;              /* NAME=FILE.csv or NAME=NUMBER */
  int n_input;
  char *external;                     /* files of C functions, separated by ':', or NULL */
  const char *model_name;             /* of a file that holds several, or NULL */
  double model_memory, model_seconds; /* limits of the analysis of a .mo file; 0: the default */
} cli_settings;

/* key i of the library as it is typed, with dashes, and its default; NULL past the end */
const char *cli_key_at(int i);
const char *cli_default_at(int i);

/* reads the arguments after the command; CLI_OK, or CLI_USAGE after a line on standard error */
int cli_options_read(cli_settings *s, const char *command, int mask, int argc, char **argv);
void cli_options_free(cli_settings *s);

/* method, form, direction and stabilizer are known names, also for this problem; else CLI_USAGE */
int cli_options_names(const cli_settings *s, const dae_problem *p);

/* ---- input.c: values of inputs ---- */

/* all --input to the model; CLI_OK or CLI_USAGE after a line on standard error */
int cli_inputs_give(dae_model *m, const cli_settings *s);
/* do the data cover the run from t0 to t1? */
int cli_inputs_cover(const cli_settings *s, double t0, double t1);

/* ---- load.c: a MODEL becomes a problem ---- */

typedef struct cli_model {
  const char *name;
  dae_problem problem; /* a copy whose initial values may be changed */
  dae_problem *owned;  /* as it was opened */
  dae_model *text;     /* of a .mo file; NULL for the gallery */
  int nx, order, nz, ny;
  int first_level; /* levels first_level .. order-1 have constraints; order: there are none */
  char **z_name, **y_name;
  int n_column; /* what files and summaries show: all variables, multipliers included */
  const char **column;
  const char **unit, **display, **description; /* of the columns, "" where nothing is said */
  const char *time;                            /* what the independent variable is called */
  double *z0, *y0;
  unsigned char *fixed; /* as the problem states them */
  unsigned char *held;  /* and those of --init */
} cli_model;

/* opens s->model; a text's own tolerance is taken over when none was typed */
int cli_model_open(cli_model *m, cli_settings *s);
/* model.c: the same for a .mo file; messages of the text go to standard error as they are */
int cli_model_read(cli_model *m, const cli_settings *s);
void cli_model_close(cli_model *m);
/* the values of the columns at a point, n_column of them; NULL, or the name of the first that is no
   finite number */
const char *cli_model_columns(const cli_model *m, double t, const double *z, const double *y,
                              double *out);
/* name of a constraint level: position, velocity, ..; "constraint" when there is one level */
const char *cli_level_name(const cli_model *m, int level);
/* the independent variable in formulas: t, or its own name */
const char *cli_model_symbol(const cli_model *m);
/* "mechanical", "Hessenberg of order 2", "ODE with invariants" */
const char *cli_kind_name(const dae_problem *p, char *text, int size);

/* ---- expression.c: expressions of the columns ---- */

typedef struct cli_expression cli_expression;
/* NULL after a line on standard error */
cli_expression *cli_expression_read(const char *text, int n_column, const char *const *column);
double cli_expression_value(const cli_expression *e, double t, const double *column);
/* the column that it is, or is the derivative of; -1: it is more than that */
int cli_expression_column(const cli_expression *e, bool *derivative);
/* marks the columns that it needs */
void cli_expression_uses(const cli_expression *e, bool *used);

/* a smooth piece of a solution: the columns at any time in it; false where there are none */
typedef struct cli_piece {
  bool (*columns)(void *of, double t, double *column);
  void *of;
  double from, to;
} cli_piece;

/* has it der(..)? Those are made for a time of a piece before the value is asked for; `column` is
   overwritten */
bool cli_expression_rates(const cli_expression *e);
void cli_expression_differentiate(cli_expression *e, const cli_piece *piece, double t,
                                  double *column);
void cli_expression_free(cli_expression *e);

/* ---- measure.c: quantities of a whole run ---- */

/* ---- state.c: what goes to a checkpoint, and comes back from it ---- */

typedef struct cli_state {
  FILE *to; /* NULL: it comes back */
  uint64_t sum;
  char *bytes; /* of the whole file, to be freed */
  const char *from;
  size_t left;
  const char *differs; /* a fact that makes it another run */
  bool failed;
} cli_state;
/* so many bytes, in either direction: one list of members serves both */
void cli_state_bytes(cli_state *s, void *bytes, size_t count);

typedef struct cli_measures cli_measures;
/* "peak=max(abs(F)), t1=time(x<0)"; CLI_OK, or CLI_USAGE after a line on standard error */
int cli_measures_read(cli_measures **out, const char *text, const cli_model *model);
void cli_measures_start(cli_measures *m, double t, const double *z, const double *y);
void cli_measures_point(cli_measures *m, double t, const double *z, const double *y);
void cli_measures_step(cli_measures *m, const cli_piece *piece);
/* the names of the measures, each as a panel of --show; free it */
char *cli_measures_show(const char *text);
int cli_measures_count(const cli_measures *m); /* of NULL: 0 */
const char *cli_measures_name(const cli_measures *m, int i);
/* NaN: time of what never was */
double cli_measures_value(const cli_measures *m, int i);
void cli_measures_free(cli_measures *m);
void cli_measures_state(cli_state *s, cli_measures *m);

/* ---- output.c: files that appear whole or not at all, and tables of numbers ---- */

typedef struct cli_file {
  const char *name;
  FILE *stream;
  char *target, *temporary; /* temporary NULL: written in place (a device, standard output) */
  int error;                /* errno of the first failure, 0 */
} cli_file;

/* CLI_OK, or CLI_FILE after a line on standard error */
int cli_file_open(cli_file *f, const char *name);
/* flushes and puts the file in place; on failure what was there before stays */
int cli_file_commit(cli_file *f);
void cli_file_abandon(cli_file *f);

typedef struct cli_table {
  cli_file file;
  const cli_model *model;
  double *value; /* one row */
  bool json;
  long rows, begin; /* where they begin in the file */
} cli_table;

int cli_table_open(cli_table *t, const char *name, const cli_model *m);
/* one row; or the name of a column that is no finite number there, and nothing is written */
const char *cli_table_row(cli_table *t, double time, const double *z, const double *y);
int cli_table_commit(cli_table *t);
void cli_table_abandon(cli_table *t);
/* the rows so far, of a file that is not written in place */
void cli_table_state(cli_state *s, cli_table *t);

/* a text as a field of csv: in quotes where it holds a comma or a quote */
void cli_csv_text(FILE *out, const char *text);

/* is the name one that --output (--plot) can write? */
/* devices, pipes and standard output are written in place */
bool cli_in_place(const char *name);
bool cli_table_name_ok(const char *name);
bool cli_plot_name_ok(const char *name);

/* ---- plot.c: the picture ---- */

enum { CLI_FACTS = 32 };

/* a line of the card beside the picture */
typedef struct cli_fact {
  bool head; /* begins a group */
  char label[DAE_NAME_MAX], value[DAE_NAME_MAX];
} cli_fact;

typedef struct cli_caption {
  const char *title, *subtitle;
  const char *note; /* why the run stopped early, or NULL */
  int n_fact;
  cli_fact fact[CLI_FACTS];
} cli_caption;

/* ---- progress.c ---- */

typedef struct cli_progress {
  bool on, shown;
  double begun, drawn;
} cli_progress;

/* at_once: now, and also when this is no terminal */
void cli_progress_begin(cli_progress *p, bool quiet, bool at_once);
void cli_progress_at(cli_progress *p, double fraction, double t, long steps);
void cli_progress_members(cli_progress *p, double fraction, long done, long failed);
/* any words; fraction < 0: not known, the time that it took so far is shown */
void cli_progress_words(cli_progress *p, double fraction, const char *text);
void cli_progress_hide(cli_progress *p); /* until it is drawn again */
void cli_progress_end(cli_progress *p);

/* for what tells nothing while it works */
typedef struct cli_ticker {
  cli_progress progress;
  char text[DAE_NAME_MAX];
  bool running, over;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
} cli_ticker;

void cli_ticker_begin(cli_ticker *k, bool quiet, bool at_once, const char *text);
void cli_ticker_end(cli_ticker *k);

/* ---- exact.c: distance from the known solution ---- */

typedef struct cli_error {
  bool known;
  double *max, *last; /* nz + ny */
  double *z, *y;      /* the exact values */
  int n_ref;
  double *ref_error; /* distance from reference value i, NaN when the run did not pass it */
} cli_error;

void cli_error_new(cli_error *e, const cli_model *m);
void cli_error_at(cli_error *e, const cli_model *m, double t, const double *z, const double *y);
void cli_error_reference(cli_error *e, const cli_model *m, dae_solver *solver, double from,
                         double to);
/* largest over a part of the variables: x (0), v (1), .., and y (-1) */
double cli_error_part(const cli_model *m, const double *error, int part);
void cli_error_free(cli_error *e);
void cli_error_state(cli_state *s, cli_error *e, const cli_model *m);

/* ---- summary.c ---- */

typedef struct cli_result {
  const cli_model *model;
  const cli_settings *settings;
  const char *method, *form, *stabilize; /* as chosen */
  dae_stats stats;
  double reached; /* the last time, with the point there */
  const double *z, *y, *dz;
  const dae_report *report;
  const dae_switch *change; /* of the method, by "auto" */
  int n_change;
  const cli_error *error;
  dae_status status;
  const char *status_text, *message, *advice;
  bool started; /* there is a consistent start, so that there are values to tell */
  double t0, t1, seconds;
  const dae_passage *passage; /* singular positions that were passed */
  const dae_event_hit *event;
  int n_passage, n_event;
  double moved;                       /* of the initial values, by the consistent start */
  const double *z_start;              /* the point where the run began, NULL: there is none */
  const double *y_start;              /* of a boundary value problem */
  int rank, rows;                     /* of the constraints at the start; rows 0: not known */
  long output_points;                 /* 0: no grid was asked for */
  double output_drift[DAE_ORDER_MAX]; /* largest over the output points */
  const char *output, *plot;          /* files written, NULL: none */
  const char *report_file;
  const dae_solution *solution; /* of a boundary value problem, NULL: initial values */
  int mesh;                     /* its intervals */
  const cli_measures *measures; /* NULL: none */
} cli_result;

/* ---- idle.c: options without effect ---- */
void cli_idle_tell(const cli_result *r);

/* ---- start.c: how the run began ---- */
void cli_start_json(cli_json *j, const cli_result *r);
void cli_start_text(FILE *out, const cli_result *r);

/* ---- history.c ---- */
void cli_history_json(cli_json *j, const cli_result *r);
void cli_history_text(FILE *out, const cli_result *r);

/* ---- summary.c ---- */
void cli_summary_json(FILE *out, const cli_result *r);
void cli_summary_text(FILE *out, const cli_result *r);

/* ---- signals.c: what asks the process to end, and files that must not stay then ---- */

void cli_signals_catch(void);
/* on: somebody looks at cli_interrupted() again and again, a signal is only noted */
void cli_signals_poll(bool on);
bool cli_interrupted(void);
/* everything is written: die of the signal that was noted, if there was one */
void cli_signals_end(void);
/* a file that is removed when the process dies; the path must stay valid until it is dropped */
void cli_temporary_add(char *path);
void cli_temporary_drop(const char *path);

/* ---- run.c: what initial and boundary value problems share ---- */

typedef struct cli_session {
  int (*finish)(struct cli_session *s); /* what is done with the result */
  cli_settings settings;
  cli_model model;
  cli_table table;
  bool writing;              /* there is an output file */
  bool grid;                 /* output points were asked for */
  double spacing;            /* of the grid; 0: the accepted steps */
  long grid_next, grid_last; /* the point to come, the last one */
  struct cli_panels *panels; /* what is shown */
  struct cli_record *record; /* NULL: no picture */
  struct cli_report *report; /* NULL: no page */
  cli_measures *measures;    /* NULL: none */
  cli_error error;
  cli_result result;
  double checkpoint_due;   /* by cli_clock */
  char text[DAE_TEXT_MAX]; /* a message that was made up here */
} cli_session;

/* one output point; drift (per level) may be NULL. A value that is no finite number stops the run:
   DAE_E_CALLBACK */
dae_status cli_session_point(cli_session *s, double t, const double *z, const double *y,
                             const double *drift);
/* a result that is not a finite number is not ok, whatever the solver said */
void cli_session_check(cli_session *s);
/* time of grid point i */
double cli_session_time(const cli_session *s, long i);
/* solved, or ended by the model itself (terminate) */
bool cli_result_ok(const cli_result *r);
/* the run ends early; name NULL: that of the status */
void cli_session_stop(cli_session *s, dae_status status, const char *name, const char *message,
                      const char *advice);
void cli_session_report(cli_session *s, dae_status status, const dae_report *report);
/* options that the library refuses: a line on standard error and the exit code */
int cli_session_refuse(dae_status status, const dae_report *report);
/* what --measure asks for, once there are model and result */
int cli_session_measures(cli_session *s);
/* writes files and summary; the exit code */
int cli_session_finish(cli_session *s);

/* ---- checkpoint.c: a run that was killed goes on ---- */

/* what the run itself must know besides */
typedef struct cli_ivp_state {
  double written;       /* time of the last output point */
  double rounding_time; /* when the rounding of the constraints was measured last */
  bool held;            /* the start has kept the values of --init */
  double *z_start;      /* where the run began */
} cli_ivp_state;

bool cli_checkpoint_due(const cli_session *s);
int cli_checkpoint_write(cli_session *s, cli_ivp_state *v, dae_solver *solver);
/* what was written, but for the solver, whose state is then the rest of `state` */
int cli_checkpoint_read(cli_session *s, cli_ivp_state *v, cli_state *state);

int cli_ivp(cli_session *s);
int cli_bvp(cli_session *s);

/* ---- lines.c: the lines of a file, one in memory at a time ---- */

typedef struct cli_lines {
  int handle;
  off_t place, next; /* of the present line in the file; of the one after it */
  char *buffer;
  size_t at, filled, room;
  int error; /* errno of a failure, 0 */
} cli_lines;

void cli_lines_open(cli_lines *r, int handle);
/* the next line without its end, valid until the next call; NULL when no whole line is left */
const char *cli_lines_next(cli_lines *r, size_t *size);
void cli_lines_close(cli_lines *r);

/* ---- journal.c: finished members of a sweep, one complete line each ---- */

/* the members of one part of a sweep: first, first + stride, .. below `members` */
typedef struct cli_part {
  long members, first, stride;
} cli_part;

static inline long cli_part_count(const cli_part *p) {
  return p->first < p->members ? (p->members - 1 - p->first) / p->stride + 1 : 0;
}

typedef struct cli_journal {
  char *path;
  int handle;
  uint64_t seed; /* of the checksums: that of the title, so that lines of others do not fit */
  cli_part part;
  unsigned char *done; /* one bit for each member of the part */
  long n_done;
} cli_journal;

/* FNV-1a, continued from `sum` */
#define CLI_CHECKSUM_BEGIN 14695981039346656037u
uint64_t cli_checksum(uint64_t sum, const char *text, size_t size);
uint64_t cli_checksum_text(const char *text); /* NULL: 0 */

/* opens FILE.journal or begins it with `title`; that of another sweep is refused. Each line ends
   with a checksum: one that is cut off or was changed is told, and its member is done again.
   CLI_OK, CLI_USAGE or CLI_FILE. */
int cli_journal_open(cli_journal *j, const char *file, const char *title, const cli_part *part);
bool cli_journal_has(const cli_journal *j, long member);
/* adds the line of a member ("MEMBER,..\n") */
int cli_journal_add(cli_journal *j, long member, const char *line, size_t size);
/* the lines in the order of the members, after a header; then the journal is removed. The memory
   that this takes grows only with the disorder of the lines. `shard`: begin and end the file as
   `daedal merge` wants it */
int cli_journal_finish(cli_journal *j, const char *file, const char *header, const char *shard);
void cli_journal_close(cli_journal *j);

/* ---- merge.c: the parts of a sweep ---- */

/* the first line of the file of shard i of n, and the part of the sweep that it holds */
char *cli_shard_title(const char *sweep, int i, int n, long members);
/* the last line: how many rows, and their checksum */
void cli_shard_end(FILE *out, long rows, uint64_t checksum);
/* is the file the whole of a shard with this title and header (lines with their ends)? */
bool cli_shard_whole(const char *file, const char *title, const char *header);

/* ---- mpi.c ---- */
bool cli_mpi_asked(int argc, char **argv);
/* becomes daedal-mpi; returns only when that cannot be */
int cli_mpi(int argc, char **argv);

/* ---- caption.c: the words of the picture ---- */

int cli_caption_plot(const struct cli_record *record, const cli_result *r, const char *file);

/* ---- the commands ---- */

typedef struct cli_command {
  const char *name, *arguments, *meaning;
  int (*run)(int argc, char **argv); /* the arguments after the name */
} cli_command;

const cli_command *cli_command_at(int i);

int cli_run(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_plot(int argc, char **argv);
/* the picture of the table of a sweep; show NULL: its first quantities */
int cli_plot_sweep(const char *file, const char *show, const char *out);
int cli_methods(int argc, char **argv);
int cli_papers(int argc, char **argv);
/* draws the figures first .. last - 1 of papers/figures.h on one sheet, or that of a form (NULL:
   none) */
int cli_figures_write(int first, int last, const char *form, const char *name);
int cli_help(int argc, char **argv);
int cli_version(int argc, char **argv);
/* topics.c: an idea, explained; false: there is no such topic */
bool cli_topic_help(const char *word);
void cli_topic_offer(cli_near *near);

/* the page gallery/NAME.md, made at build time; NULL when there is none */
const char *cli_page_find(const char *name);

#endif
