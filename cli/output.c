/* files that appear whole or not at all, and the table of the solution in csv or json */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* devices and pipes have no ending and are written in place */
bool cli_in_place(const char *name) {
  struct stat info;
  return strcmp(name, "-") == 0 ||
         (stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

bool cli_table_name_ok(const char *name) {
  return cli_ends_with(name, ".csv") || cli_ends_with(name, ".json") || cli_in_place(name);
}

bool cli_plot_name_ok(const char *name) {
  return cli_ends_with(name, ".svg") || cli_ends_with(name, ".png") || cli_ends_with(name, ".pdf");
}

/* the temporary file lies beside the target, so that renaming it is one act */
static int open_beside(cli_file *f) {
  struct stat info;
  mode_t mode = 0666;
  bool exists = stat(f->name, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return errno = EISDIR;
  if (exists && access(f->name, W_OK) != 0) return errno;
  /* through a link the file it points to is replaced, not the link */
  f->target = exists ? realpath(f->name, NULL) : NULL;
  if (!f->target) {
    f->target = cli_take(strlen(f->name) + 1, 1);
    strcpy(f->target, f->name);
  }
  size_t size = strlen(f->target) + 32;
  f->temporary = cli_take(size, 1);
  snprintf(f->temporary, size, "%s.%ld.tmp", f->target, (long)getpid());
  cli_temporary_add(f->temporary);
  /* the name has our number: what is there was left by a process that was killed */
  unlink(f->temporary);
  int handle = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (handle < 0) return errno;
  if (exists && fchmod(handle, info.st_mode & 07777) != 0)
    errno = 0; /* the old rights are a courtesy */
  f->stream = fdopen(handle, "w");
  return f->stream ? 0 : errno;
}

int cli_file_open(cli_file *f, const char *name) {
  int error = 0;
  *f = (cli_file){.name = name};
  if (strcmp(name, "-") == 0) {
    f->stream = stdout;
  } else if (cli_in_place(name)) {
    f->stream = fopen(name, "w");
    if (!f->stream) error = errno;
  } else {
    error = open_beside(f);
  }
  if (!error) return CLI_OK;
  int code = cli_fail(CLI_FILE, "cannot write %s: %s", name, strerror(error));
  cli_temporary_drop(f->temporary);
  free(f->temporary);
  free(f->target);
  *f = (cli_file){.name = name};
  return code;
}

static void note_error(cli_file *f) {
  if (!f->error) f->error = errno ? errno : EIO;
}

int cli_file_commit(cli_file *f) {
  if (!f->stream) return CLI_FILE;
  errno = 0;
  if (fflush(f->stream) != 0 || ferror(f->stream)) note_error(f);
  if (f->stream != stdout && fclose(f->stream) != 0) note_error(f);
  f->stream = NULL;
  if (f->temporary && !f->error && rename(f->temporary, f->target) != 0) note_error(f);
  if (f->temporary && f->error) unlink(f->temporary);
  cli_temporary_drop(f->temporary);
  free(f->temporary);
  free(f->target);
  f->temporary = f->target = NULL;
  if (!f->error) return CLI_OK;
  return cli_fail(CLI_FILE, "cannot write %s: %s",
                  strcmp(f->name, "-") == 0 ? "standard output" : f->name, strerror(f->error));
}

void cli_file_abandon(cli_file *f) {
  if (f->stream && f->stream != stdout) fclose(f->stream);
  if (f->temporary) unlink(f->temporary);
  cli_temporary_drop(f->temporary);
  free(f->temporary);
  free(f->target);
  *f = (cli_file){.name = f->name};
}

void cli_csv_text(FILE *out, const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (const char *c = text; *c; c++) {
    if (*c == '"') fputc('"', out);
    fputc(*c, out);
  }
  fputc('"', out);
}

static bool units_known(const cli_model *m) {
  for (int i = 0; i < m->n_column; i++)
    if (m->unit[i][0]) return true;
  return false;
}

static void header(cli_table *t) {
  const cli_model *m = t->model;
  FILE *out = t->file.stream;
  if (t->json) {
    fputs("{\n\"problem\": ", out);
    cli_json_string(out, m->name);
    fputs(",\n\"columns\": [\"time\"", out);
  } else {
    fputs("time", out);
  }
  for (int i = 0; i < m->n_column; i++) {
    fputc(',', out);
    if (t->json) cli_json_string(out, m->column[i]);
    else cli_csv_text(out, m->column[i]);
  }
  if (t->json && units_known(m)) {
    fputs("],\n\"units\": [\"\"", out);
    for (int i = 0; i < m->n_column; i++) {
      fputc(',', out);
      cli_json_string(out, m->unit[i]);
    }
  }
  fputs(t->json ? "],\n\"data\": [" : "\n", out);
}

int cli_table_open(cli_table *t, const char *name, const cli_model *m) {
  *t = (cli_table){.model = m, .json = cli_ends_with(name, ".json")};
  int code = cli_file_open(&t->file, name);
  t->value = cli_take((size_t)m->n_column, sizeof(double));
  if (code == CLI_OK) header(t);
  if (t->file.temporary) t->begin = ftell(t->file.stream);
  return code;
}

static void number(const cli_table *t, double value) {
  if (t->json && !isfinite(value)) fputs("null", t->file.stream);
  else fprintf(t->file.stream, "%.17g", value);
}

const char *cli_table_row(cli_table *t, double time, const double *z, const double *y) {
  const cli_model *m = t->model;
  FILE *out = t->file.stream;
  if (t->file.error) return NULL; /* the run goes on; the failure is told at the end */
  const char *bad = cli_model_columns(m, time, z, y, t->value);
  if (bad) return bad;
  if (t->json) fputs(t->rows ? ",\n[" : "\n[", out);
  number(t, time);
  for (int i = 0; i < m->n_column; i++) {
    fputc(',', out);
    number(t, t->value[i]);
  }
  fputs(t->json ? "]" : "\n", out);
  t->rows++;
  if (ferror(out)) note_error(&t->file);
  return NULL;
}

void cli_table_abandon(cli_table *t) {
  cli_file_abandon(&t->file);
  free(t->value);
  t->value = NULL;
}

int cli_table_commit(cli_table *t) {
  if (t->file.stream && t->json) fputs("\n]\n}\n", t->file.stream);
  return cli_file_commit(&t->file);
}

/* the rows lie in the temporary file */
static void copy_rows(cli_state *s, cli_table *t, uint64_t length) {
  char part[1 << 14];
  FILE *in = s->to ? fopen(t->file.temporary, "rb") : NULL;
  if (s->to && (!in || fseek(in, t->begin, SEEK_SET) != 0)) s->failed = true;
  while (length > 0 && !s->failed) {
    size_t n = length < sizeof part ? (size_t)length : sizeof part;
    if (s->to && fread(part, 1, n, in) != n) s->failed = true;
    cli_state_bytes(s, part, n);
    if (!s->to && !s->failed) fwrite(part, 1, n, t->file.stream);
    length -= n;
  }
  if (in) fclose(in);
}

void cli_table_state(cli_state *s, cli_table *t) {
  uint64_t length = 0;
  if (s->to && fflush(t->file.stream) == 0) length = (uint64_t)(ftell(t->file.stream) - t->begin);
  cli_state_bytes(s, &t->rows, sizeof t->rows);
  cli_state_bytes(s, &length, sizeof length);
  copy_rows(s, t, length);
}
