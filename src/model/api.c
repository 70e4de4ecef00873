/* the public face: read, set, build, ask, free */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* a file is read with the limits of a text of this length: one without an end must end somewhere */
enum { LONG_FILE = 1000000 };

static dae_status read_into(dae_model *m, const char *name, const char *text, size_t size);

/* the model lives in the pool of its text */
static dae_model *new_model(const dae_model_options *options) {
  dae_pool pool;
  dae_model_options o = options ? *options : (dae_model_options){0};
  dae_base_pool_init(&pool, &o.allocator);
  dae_model *m = dae_base_take(&pool, 1, sizeof *m);
  if (!m) {
    dae_base_pool_free(&pool);
    return NULL;
  }
  /* names are copied: the caller's may go as soon as the text is read */
  if (o.compiler) o.compiler = dae_base_string(&pool, o.compiler);
  if (o.cache) o.cache = dae_base_string(&pool, o.cache);
  if (o.model) o.model = dae_base_string(&pool, o.model);
  if (o.external && !o.external[0]) o.external = NULL;
  if (o.external) o.external = dae_base_string(&pool, o.external);
  if (pool.failed) {
    dae_base_pool_free(&pool);
    return NULL;
  }
  m->options = o;
  m->at = DAE_NO_PLACE;
  dae_model_limits_start(&m->limits, o.model_memory, o.model_seconds, LONG_FILE);
  dae_model_arena_init(&m->text, NULL, &m->escape);
  m->text.pool = pool;
  dae_model_arena_init(&m->built, &o.allocator, &m->escape);
  m->text.limits = m->built.limits = &m->limits;
  return m;
}

void dae_model_free(dae_model *m) {
  if (!m) return;
  dae_model_plan_free(m);
  dae_model_unload(m);
  dae_base_pool_free(&m->built.pool);
  dae_pool pool = m->text.pool;
  dae_base_pool_free(&pool);
}

const char *dae_model_messages(const dae_model *m) {
  if (!m) return "out of memory\n";
  if (m->last_words[0]) return m->last_words;
  return m->source.messages.data ? m->source.messages.data : "";
}

/* what is left to say after an escape: no memory, or a model beyond a limit */
static dae_status escaped(dae_model *m) {
  char place[40] = "", what[160];
  int line, column;
  m->is_built = m->again = false;
  if (m->limits.excess == EXCESS_NONE) {
    snprintf(m->last_words, sizeof m->last_words, "out of memory\n");
    return DAE_E_MEMORY;
  }
  if (m->limits.excess == EXCESS_ORDER) {
    snprintf(m->last_words, sizeof m->last_words,
             "%.150s: error: the equations need derivatives of an external function that "
             "differences do not give (above the third): annotation(derivative = ..) names a "
             "function that computes them\n",
             m->source.file ? m->source.file : "model");
    return DAE_E_MODEL;
  }
  if (m->at != DAE_NO_PLACE) {
    dae_model_locate(&m->source, m->at, &line, &column);
    snprintf(place, sizeof place, ":%d:%d", line, column);
  }
  if (m->limits.excess == EXCESS_MEMORY)
    snprintf(what, sizeof what, "its analysis needs more than %.4g MB of memory (model_memory)",
             1e-6 * (double)m->limits.bytes);
  else if (m->limits.excess == EXCESS_TIME)
    snprintf(what, sizeof what, "its analysis takes more than %.4g seconds (model_seconds)",
             m->limits.seconds);
  else
    snprintf(what, sizeof what,
             "its equations need more than %d operations (max_size), or an array has more than 20 "
             "million elements",
             m->graph.limit);
  snprintf(m->last_words, sizeof m->last_words, "%.150s%s: error: the model is too large: %s\n",
           m->source.file ? m->source.file : "model", place, what);
  return DAE_E_MODEL;
}

dae_status dae_model_read_text(dae_model **out, const char *name, const char *text, size_t size,
                               const dae_model_options *options) {
  if (!out) return DAE_E_INPUT;
  dae_model *m = *out = new_model(options);
  if (!m) return DAE_E_MEMORY;
  if (!text && size > 0) {
    snprintf(m->last_words, sizeof m->last_words, "dae_model_read_text: text is NULL\n");
    return DAE_E_INPUT;
  }
  return read_into(m, name ? name : "text", text ? text : "", size);
}

static dae_status read_plain(dae_model *m, const char *name, const char *text, size_t size) {
  if (setjmp(m->escape)) return escaped(m);
  dae_model_limits_start(&m->limits, m->options.model_memory, m->options.model_seconds, size);
  m->names.arena = &m->text;
  m->source = (dae_source){.messages = {.arena = &m->text},
                           .max_errors = m->options.max_errors > 0 ? m->options.max_errors : 20};
  m->source.file = dae_model_copy(&m->text, name, strlen(name));
  m->source.text = dae_model_copy(&m->text, text, size);
  m->source.size = size;
  if (size >= UINT32_MAX) {
    dae_model_error(&m->source, DAE_NO_PLACE, "the file is larger than 4 GB");
    return DAE_E_MODEL;
  }
  dae_model_count_lines(&m->source, &m->text);
  m->classes = dae_model_parse(&m->source, &m->names, &m->text);
  bool ok = m->classes && m->source.errors == 0 && dae_model_collect(m);
  m->parsed_messages = m->source.messages.length;
  return ok ? DAE_OK : DAE_E_MODEL;
}

/* numbers have a decimal point, whatever the locale of the program */
static dae_status read_into(dae_model *m, const char *name, const char *text, size_t size) {
  dae_plain plain = dae_base_plain_begin();
  dae_status status = read_plain(m, name, text, size);
  dae_base_plain_end(plain);
  return status;
}

/* the whole file, in blocks, so that pipes work too */
static dae_status slurp(dae_model *m, FILE *file, char **text, int *size) {
  int capacity = 0;
  *text = NULL;
  *size = 0;
  if (setjmp(m->escape)) return escaped(m);
  for (;;) {
    *text = dae_model_grow(&m->text, *text, &capacity, *size + 65536, 1);
    size_t got = fread(*text + *size, 1, (size_t)(capacity - *size), file);
    *size += (int)got;
    if (got == 0 || *size > 2000000000) break;
  }
  return ferror(file) || *size > 2000000000 ? DAE_E_IO : DAE_OK;
}

dae_status dae_model_read_file(dae_model **out, const char *path,
                               const dae_model_options *options) {
  if (!out) return DAE_E_INPUT;
  dae_model *m = *out = new_model(options);
  if (!m) return DAE_E_MEMORY;
  if (!path) {
    snprintf(m->last_words, sizeof m->last_words, "dae_model_read_file: path is NULL\n");
    return DAE_E_INPUT;
  }
  char *text;
  int size;
  errno = 0;
  FILE *file = fopen(path, "rb");
  dae_status status = file ? slurp(m, file, &text, &size) : DAE_E_IO;
  int error = errno;
  if (file) fclose(file);
  if (status == DAE_E_IO)
    snprintf(m->last_words, sizeof m->last_words, "%.200s: error: the file cannot be read: %s\n",
             path, strerror(error));
  if (status) return status;
  status = read_into(m, path, text, (size_t)size);
  dae_base_give(&m->text.pool, text);
  return status;
}

/* options of a program of another version become ours */
static dae_status import(dae_model **out, dae_model_options *own, const dae_model_options **options,
                         int size) {
  if (!*options || size == (int)sizeof *own) return DAE_OK;
  bool good =
      dae_base_import(own, sizeof *own, *options, size, offsetof(dae_model_options, model_memory));
  *options = own;
  if (good) return DAE_OK;
  dae_model *m = out ? *out = new_model(NULL) : NULL;
  if (m)
    snprintf(m->last_words, sizeof m->last_words,
             "the program was compiled with another version of Daedal: the size of its "
             "dae_model_options cannot be understood\n");
  return DAE_E_INPUT;
}

dae_status dae_model_read_text_sized(dae_model **out, const char *name, const char *text,
                                     size_t size, const dae_model_options *options,
                                     int options_size) {
  dae_model_options own = {0};
  dae_status status = import(out, &own, &options, options_size);
  return status == DAE_OK ? dae_model_read_text(out, name, text, size, options) : status;
}

dae_status dae_model_read_file_sized(dae_model **out, const char *path,
                                     const dae_model_options *options, int options_size) {
  dae_model_options own = {0};
  dae_status status = import(out, &own, &options, options_size);
  return status == DAE_OK ? dae_model_read_file(out, path, options) : status;
}

static dae_status give(dae_model *m, const char *name, double value, bool start, bool fixed) {
  if (!m || !name) return DAE_E_INPUT;
  if (setjmp(m->escape)) return escaped(m);
  m->given =
      dae_model_grow(&m->text, m->given, &m->given_capacity, m->givens + 1, sizeof *m->given);
  const char *copy = dae_model_copy(&m->text, name, strlen(name));
  m->given[m->givens++] = (dae_given){.name = copy, .value = value, .start = start, .fixed = fixed};
  m->is_built = false;
  return DAE_OK;
}

dae_status dae_model_set(dae_model *m, const char *name, double value) {
  return give(m, name, value, false, false);
}

dae_status dae_model_set_start(dae_model *m, const char *name, double value, int fixed) {
  return give(m, name, value, true, fixed != 0);
}

dae_status dae_model_set_time(dae_model *m, double t0) {
  if (!m || !isfinite(t0)) return DAE_E_INPUT;
  m->is_built = m->is_built && m->flat.start_time == t0;
  m->time_given = true;
  m->start_time = t0;
  return DAE_OK;
}

dae_status dae_model_set_input(dae_model *m, const char *name, int count, const double *time,
                               const double *value) {
  if (!m || !name || (count > 0 && (!time || !value))) return DAE_E_INPUT;
  const char *wrong = dae_model_bad_series(count, time, value);
  if (wrong) {
    snprintf(m->last_words, sizeof m->last_words, "error: the values of the input '%.80s': %s\n",
             name, wrong);
    return DAE_E_INPUT;
  }
  if (setjmp(m->escape)) return escaped(m);
  m->series =
      dae_model_grow(&m->text, m->series, &m->series_capacity, m->serieses + 1, sizeof *m->series);
  dae_series *s = &m->series[m->serieses];
  size_t bytes = (size_t)count * sizeof(double);
  *s = (dae_series){.name = dae_model_copy(&m->text, name, strlen(name)), .count = count};
  s->time = dae_model_take(&m->text, (size_t)count, sizeof(double));
  s->value = dae_model_take(&m->text, (size_t)count, sizeof(double));
  memcpy(s->time, time, bytes);
  memcpy(s->value, value, bytes);
  m->serieses++;
  m->is_built = false;
  return DAE_OK;
}

/* throw away what was built before, messages of the reading stay */
static void reset(dae_model *m) {
  dae_model_plan_free(m);
  dae_base_pool_free(&m->built.pool);
  m->limits.held -= m->built.seen;
  dae_model_arena_init(&m->built, &m->options.allocator, &m->escape);
  m->built.limits = &m->limits;
  m->is_built = false;
  m->symbol = NULL;
  m->symbols = m->symbol_capacity = m->depth = m->stand_ins = 0;
  m->flat = (dae_flat){0};
  m->structure = NULL;
  m->plan = NULL;
  m->again = false;
  m->source.messages.length = m->parsed_messages;
  if (m->source.messages.data) m->source.messages.data[m->parsed_messages] = '\0';
  m->source.errors = 0;
}

/* from the tree to the problem; m->again: a variable must be kept after all */
static bool build_once(dae_model *m) {
  reset(m);
  int limit = m->options.max_size > 0 ? m->options.max_size : 30000000;
  dae_model_graph_init(&m->graph, &m->built, limit);
  if (!dae_model_elaborate(m) || m->source.errors) return false;
  m->at = DAE_NO_PLACE;
  if (!dae_model_analyse(m) || m->source.errors) return false;
  return dae_model_make_plan(m) && dae_model_make_drawing(m) && !m->source.errors;
}

static bool build_all(dae_model *m) {
  bool ok;
  m->keep = NULL;
  m->homotopy.failed = false;
  do ok = build_once(m);
  while (m->again);
  return ok;
}

static dae_status build(dae_model *m) {
  if (!m->main || (m->last_words[0] && !m->classes)) return DAE_E_MODEL;
  m->last_words[0] = '\0';
  m->at = DAE_NO_PLACE;
  dae_model_limits_start(&m->limits, m->options.model_memory, m->options.model_seconds,
                         m->source.size);
  if (setjmp(m->escape)) return escaped(m);
  m->homotopy = (dae_homotopy){0};
  bool ok = build_all(m);
  if (m->homotopy.used && m->homotopy.failed) ok = dae_model_follow_homotopy(m, build_all);
  m->is_built = ok;
  return ok ? DAE_OK : DAE_E_MODEL;
}

dae_status dae_model_build(dae_model *m) {
  if (!m) return DAE_E_INPUT;
  dae_plain plain = dae_base_plain_begin();
  dae_status status = build(m);
  dae_base_plain_end(plain);
  return status;
}

double dae_model_tolerance(const dae_model *m) { return m ? m->flat.tolerance : 0; }
double dae_model_interval(const dae_model *m) { return m ? m->flat.interval : 0; }
int dae_model_variables(const dae_model *m) {
  return m && m->is_built ? m->flat.variables - m->flat.hidden : 0;
}

const char *dae_model_variable_name(const dae_model *m, int i) {
  return i >= 0 && i < dae_model_variables(m) ? m->flat.variable[i].name : NULL;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

const char *dae_model_variable_unit(const dae_model *m, int i) {
  return i >= 0 && i < dae_model_variables(m) ? or_empty(m->flat.variable[i].unit) : NULL;
}

const char *dae_model_variable_display_unit(const dae_model *m, int i) {
  return i >= 0 && i < dae_model_variables(m) ? or_empty(m->flat.variable[i].display_unit) : NULL;
}

const char *dae_model_variable_description(const dae_model *m, int i) {
  return i >= 0 && i < dae_model_variables(m) ? or_empty(m->flat.variable[i].description) : NULL;
}
