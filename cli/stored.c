/*
 * Reading tables: csv with a header line (commas, quotes, CRLF, lines that begin with #), and the
 * json that --output writes. The file is mapped, only the columns that are asked for are kept.
 */
#include "stored.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS_MOST = 100000, FIELD_MOST = 4096 };

static int broken(const cli_stored *t, long line, const char *what) {
  return cli_fail(CLI_FILE, "%s:%ld: %s", t->file, line, what);
}

/* a pipe has no size: all that comes */
static char *read_all(int handle, size_t *size) {
  size_t room = 1 << 16;
  char *text = cli_take(room, 1);
  *size = 0;
  for (ssize_t n; (n = read(handle, text + *size, room - *size)) > 0;) {
    *size += (size_t)n;
    if (*size < room) continue;
    room *= 2;
    text = realloc(text, room);
    if (!text) exit(cli_fail(CLI_STOPPED, "out of memory"));
  }
  return text;
}

static int map_file(cli_stored *t) {
  struct stat info;
  int handle = open(t->file, O_RDONLY);
  if (handle < 0 || fstat(handle, &info) != 0 || S_ISDIR(info.st_mode)) {
    int error = handle >= 0 && S_ISDIR(info.st_mode) ? EISDIR : errno;
    if (handle >= 0) close(handle);
    return cli_fail(CLI_FILE, "cannot read %s: %s", t->file, strerror(error));
  }
  t->mapped = S_ISREG(info.st_mode) && info.st_size > 0;
  if (t->mapped) {
    void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, handle, 0);
    t->mapped = at != MAP_FAILED;
    if (t->mapped) t->text = at, t->size = (size_t)info.st_size;
  }
  if (!t->mapped) t->text = read_all(handle, &t->size);
  close(handle);
  return t->size > 0 ? CLI_OK : cli_fail(CLI_FILE, "%s is empty", t->file);
}

/* where reading is, and in which line */
typedef struct cursor {
  const char *at, *end;
  long line;
} cursor;

static void add_name(cli_stored *t, const char *name) {
  t->name = realloc(t->name, ((size_t)t->count + 1) * sizeof *t->name);
  t->unit = realloc(t->unit, ((size_t)t->count + 1) * sizeof *t->unit);
  if (!t->name || !t->unit) exit(cli_fail(CLI_STOPPED, "out of memory"));
  t->name[t->count] = cli_take(strlen(name) + 1, 1);
  strcpy(t->name[t->count], name);
  t->unit[t->count++] = cli_take(1, 1);
}

/* ---- csv ---- */

/* one field into `out`, cut at its size; true: another follows in this line */
static bool csv_field(cursor *c, char *out, size_t size) {
  size_t n = 0;
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) c->at++;
  bool quoted = c->at < c->end && *c->at == '"';
  if (quoted) c->at++;
  for (; c->at < c->end; c->at++) {
    char x = *c->at;
    if (quoted && x == '"') {
      if (c->at + 1 < c->end && c->at[1] == '"') c->at++;
      else {
        quoted = false;
        continue;
      }
    } else if (!quoted && (x == ',' || x == '\n')) {
      break;
    }
    if (x == '\n') c->line++;
    if (n + 1 < size) out[n++] = x;
  }
  while (n > 0 && (out[n - 1] == '\r' || out[n - 1] == ' ' || out[n - 1] == '\t')) n--;
  out[n] = '\0';
  bool more = c->at < c->end && *c->at == ',';
  if (c->at < c->end) c->at++;
  if (!more) c->line++;
  return more;
}

/* lines that hold nothing */
static void skip_comments(cursor *c) {
  while (c->at < c->end && (*c->at == '#' || *c->at == '\n' || *c->at == '\r')) {
    const char *next = memchr(c->at, '\n', (size_t)(c->end - c->at));
    c->at = next ? next + 1 : c->end;
    c->line++;
  }
}

static int csv_header(cli_stored *t) {
  char name[FIELD_MOST];
  cursor c = {t->text, t->text + t->size, 1};
  if (t->size >= 3 && memcmp(c.at, "\xef\xbb\xbf", 3) == 0) c.at += 3;
  skip_comments(&c);
  if (memchr(c.at, '\0', (size_t)(c.end - c.at < 4096 ? c.end - c.at : 4096)))
    return broken(t, c.line, "not a text file");
  for (bool more = c.at < c.end; more;) {
    more = csv_field(&c, name, sizeof name);
    add_name(t, name);
    if (t->count > COLUMNS_MOST) return broken(t, 1, "too many columns");
  }
  t->data = (size_t)(c.at - t->text);
  return t->count > 1 ? CLI_OK
                      : broken(t, c.line > 1 ? c.line - 1 : 1,
                               "expected a header with at least two column names");
}

static double number_of(const char *field) {
  char *end;
  double value = strtod(field, &end);
  return end == field || *end ? NAN : value;
}

/* how a member of a sweep ended: 1 well, 0 not */
static double ending_of(const char *field) {
  return strcmp(field, dae_status_name(DAE_OK)) == 0 ||
         strcmp(field, dae_status_name(DAE_EVENT)) == 0;
}

/* grows all lists of values */
static void more_room(cli_stored *t, const bool *wanted, long *room) {
  *room = *room ? 2 * *room : 1024;
  for (int i = 0; i < t->count; i++) {
    if (!wanted[i]) continue;
    t->value[i] = realloc(t->value[i], (size_t)*room * sizeof(double));
    if (!t->value[i]) exit(cli_fail(CLI_STOPPED, "out of memory"));
  }
}

static int csv_rows(cli_stored *t, const bool *wanted) {
  char field[64];
  long room = 0;
  int ending = cli_stored_sweep(t) ? cli_stored_find(t, "status") : -1;
  /* the last line of a journal may be half written */
  bool journal = cli_ends_with(t->file, ".journal");
  cursor c = {t->text + t->data, t->text + t->size, 1};
  for (const char *x = t->text; x < c.at; x++) c.line += *x == '\n';
  for (skip_comments(&c); c.at < c.end; skip_comments(&c)) {
    long line = c.line;
    int i = 0;
    if (t->rows == room) more_room(t, wanted, &room);
    for (bool more = true; more; i++) {
      more = csv_field(&c, field, sizeof field);
      if (i < t->count && wanted[i])
        t->value[i][t->rows] = i == ending ? ending_of(field) : number_of(field);
    }
    if (journal && i != t->count && c.at == c.end) return CLI_OK;
    if (i != t->count) {
      snprintf(field, sizeof field, "%d fields instead of %d", i, t->count);
      return broken(t, line, field);
    }
    t->rows++;
  }
  return CLI_OK;
}

/* ---- json ---- */

static void json_blank(cursor *c) {
  for (; c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at; c->at++) c->line += *c->at == '\n';
}

static bool json_take(cursor *c, char x) {
  json_blank(c);
  if (c->at >= c->end || *c->at != x) return false;
  c->at++;
  return true;
}

/* a string; escapes of characters beyond ASCII become '?' */
static bool json_string(cursor *c, char *out, size_t size) {
  size_t n = 0;
  if (!json_take(c, '"')) return false;
  for (; c->at < c->end && *c->at != '"'; c->at++) {
    char x = *c->at;
    if (x == '\\' && c->at + 1 < c->end) {
      x = *++c->at;
      if (x == 'n') x = '\n';
      if (x == 't') x = '\t';
      if (x == 'u') {
        x = '?';
        for (int k = 0; k < 4 && c->at + 1 < c->end; k++) c->at++;
      }
    }
    if (n + 1 < size) out[n++] = x;
  }
  out[n] = '\0';
  return json_take(c, '"');
}

/* over any value: brackets are counted, strings skipped */
static bool json_skip(cursor *c) {
  char text[8];
  int depth = 0;
  do {
    json_blank(c);
    if (c->at >= c->end) return false;
    if (*c->at == '"') {
      if (!json_string(c, text, sizeof text)) return false;
    } else {
      depth += (*c->at == '{' || *c->at == '[') - (*c->at == '}' || *c->at == ']');
      if (depth < 0) return false;
      bool word = !strchr("{}[],:", *c->at) || !*c->at;
      c->at++;
      while (word && c->at < c->end && !strchr("{}[],: \t\r\n\"", *c->at)) c->at++;
    }
  } while (depth > 0);
  return true;
}

/* a list of names; `unit`: they are units */
static bool json_names(cli_stored *t, cursor *c, bool unit) {
  char name[FIELD_MOST];
  if (!json_take(c, '[')) return false;
  if (json_take(c, ']')) return true;
  for (int i = 0;; i++) {
    if (!json_string(c, name, sizeof name)) return false;
    if (unit && i < t->count) {
      free(t->unit[i]);
      t->unit[i] = cli_take(strlen(name) + 1, 1);
      strcpy(t->unit[i], name);
    } else if (!unit) {
      add_name(t, name);
    }
    if (t->count > COLUMNS_MOST) return false;
    if (!json_take(c, ',')) return json_take(c, ']');
  }
}

/* everything before the rows */
static int json_header(cli_stored *t) {
  char key[FIELD_MOST];
  cursor c = {t->text, t->text + t->size, 1};
  bool good = json_take(&c, '{');
  while (good && json_string(&c, key, sizeof key) && json_take(&c, ':')) {
    if (strcmp(key, "columns") == 0) good = t->count == 0 && json_names(t, &c, false);
    else if (strcmp(key, "units") == 0) good = json_names(t, &c, true);
    else if (strcmp(key, "problem") == 0) {
      good = json_string(&c, key, sizeof key);
      free(t->problem);
      t->problem = cli_take(strlen(key) + 1, 1);
      strcpy(t->problem, key);
    } else if (strcmp(key, "data") == 0) {
      t->data = (size_t)(c.at - t->text);
      break;
    } else {
      good = json_skip(&c);
    }
    if (!json_take(&c, ',')) break;
  }
  if (!good) return broken(t, c.line, "not a json file written by --output");
  if (t->count < 2 || t->data == 0)
    return cli_fail(CLI_FILE, "%s has no 'columns' and 'data'; it was not written by --output",
                    t->file);
  return CLI_OK;
}

static bool json_number(cursor *c, double *value) {
  char text[64];
  size_t n = 0;
  json_blank(c);
  while (c->at < c->end && !strchr(",] \t\r\n", *c->at) && n + 1 < sizeof text)
    text[n++] = *c->at++;
  text[n] = '\0';
  *value = number_of(text); /* null is none */
  return n > 0;
}

static int json_rows(cli_stored *t, const bool *wanted) {
  cursor c = {t->text + t->data, t->text + t->size, 1};
  long room = 0;
  for (const char *x = t->text; x < c.at; x++) c.line += *x == '\n';
  if (!json_take(&c, '[')) return broken(t, c.line, "expected the list of rows");
  if (json_take(&c, ']')) return CLI_OK;
  do {
    if (!json_take(&c, '[')) return broken(t, c.line, "expected a row");
    if (t->rows == room) more_room(t, wanted, &room);
    for (int i = 0; i < t->count; i++) {
      double value;
      if ((i && !json_take(&c, ',')) || !json_number(&c, &value))
        return broken(t, c.line, "a row does not have one number for each column");
      if (wanted[i]) t->value[i][t->rows] = value;
    }
    if (!json_take(&c, ']'))
      return broken(t, c.line, "a row does not have one number for each column");
    t->rows++;
  } while (json_take(&c, ','));
  return json_take(&c, ']') ? CLI_OK : broken(t, c.line, "the file is truncated");
}

/* ---- both ---- */

int cli_stored_open(cli_stored *t, const char *file) {
  *t = (cli_stored){.file = file, .json = cli_ends_with(file, ".json")};
  t->problem = cli_take(1, 1);
  int code = map_file(t);
  if (code != CLI_OK) return code;
  return t->json ? json_header(t) : csv_header(t);
}

int cli_stored_read(cli_stored *t, const bool *wanted) {
  t->value = cli_take((size_t)t->count, sizeof *t->value);
  int code = t->json ? json_rows(t, wanted) : csv_rows(t, wanted);
  if (code == CLI_OK && t->rows == 0) code = cli_fail(CLI_FILE, "%s has no rows", t->file);
  return code;
}

void cli_stored_close(cli_stored *t) {
  for (int i = 0; i < t->count; i++) {
    if (t->value) free(t->value[i]);
    free(t->name[i]);
    free(t->unit[i]);
  }
  free(t->value);
  free(t->name);
  free(t->unit);
  free(t->problem);
  if (t->mapped) munmap((void *)t->text, t->size);
  else free((void *)t->text);
}

int cli_stored_find(const cli_stored *t, const char *name) {
  for (int i = 0; i < t->count; i++)
    if (strcmp(t->name[i], name) == 0) return i;
  return -1;
}

bool cli_stored_sweep(const cli_stored *t) {
  return t->count > 3 && strcmp(t->name[0], "member") == 0 && cli_stored_find(t, "status") > 0;
}
