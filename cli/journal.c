/* the journal of a sweep: what is finished outlives a kill */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const cli_journal *j, const char *what) {
  return cli_fail(CLI_FILE, "cannot %s %s: %s", what, j->path, strerror(errno));
}

/* the whole file as text; NULL on failure */
static char *load(const cli_journal *j, size_t *size) {
  struct stat info;
  if (fstat(j->handle, &info) != 0) return NULL;
  char *text = cli_take((size_t)info.st_size + 1, 1);
  *size = 0;
  while (*size < (size_t)info.st_size) {
    ssize_t got = pread(j->handle, text + *size, (size_t)info.st_size - *size, (off_t)*size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return free(text), NULL;
    if (got == 0) break;
    *size += (size_t)got;
  }
  return text;
}

static int append(const cli_journal *j, const char *line, size_t size) {
  while (size > 0) {
    ssize_t put = write(j->handle, line, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(j, "write");
    line += put;
    size -= (size_t)put;
  }
  return CLI_OK;
}

/* member of a complete line, -1 when it is none of ours */
static long member_of(const cli_journal *j, const char *line) {
  char *end;
  long member = strtol(line, &end, 10);
  return end != line && *end == ',' && member >= 0 && member < j->members ? member : -1;
}

/* a line without an end was being written when the sweep was killed */
static int resume(cli_journal *j, const char *title) {
  size_t size, length = strlen(title);
  char *text = load(j, &size);
  if (!text) return fail(j, "read");
  size_t whole = size;
  while (whole > 0 && text[whole - 1] != '\n') whole--;
  int code = CLI_OK;
  if (ftruncate(j->handle, (off_t)whole) != 0) code = fail(j, "write");
  text[whole] = '\0';
  if (code == CLI_OK && whole == 0) code = append(j, title, length);
  else if (code == CLI_OK && strncmp(text, title, length) != 0)
    code = cli_fail(CLI_USAGE, "%s belongs to another sweep; remove it or choose another --output",
                    j->path);
  for (char *line = strchr(text, '\n'); code == CLI_OK && line && line[1];
       line = strchr(line + 1, '\n')) {
    long member = member_of(j, line + 1);
    if (member >= 0 && !j->done[member]) j->done[member] = 1, j->n_done++;
  }
  free(text);
  return code;
}

int cli_journal_open(cli_journal *j, const char *file, const char *title, long members) {
  size_t size = strlen(file) + sizeof ".journal";
  *j = (cli_journal){.path = cli_take(size, 1), .members = members};
  j->done = cli_take((size_t)members, 1);
  snprintf(j->path, size, "%s.journal", file);
  j->handle = open(j->path, O_RDWR | O_CREAT | O_APPEND, 0666);
  return j->handle < 0 ? fail(j, "write") : resume(j, title);
}

int cli_journal_add(cli_journal *j, long member, const char *line, size_t size) {
  int code = append(j, line, size);
  if (code == CLI_OK) j->done[member] = 1, j->n_done++;
  return code;
}

int cli_journal_finish(cli_journal *j, const char *file, const char *header) {
  cli_file out;
  size_t size;
  char *text = load(j, &size), **line = cli_take((size_t)j->members, sizeof *line);
  int code = text ? cli_file_open(&out, file) : fail(j, "read");
  if (code == CLI_OK) {
    fputs(header, out.stream);
    for (char *at = strchr(text, '\n'); at && at[1]; at = strchr(at, '\n')) {
      long member = member_of(j, ++at);
      if (member >= 0 && !line[member]) line[member] = at;
    }
    for (long i = 0; i < j->members; i++)
      if (line[i]) fwrite(line[i], 1, strcspn(line[i], "\n") + 1, out.stream);
    code = cli_file_commit(&out);
  }
  if (code == CLI_OK) unlink(j->path);
  free(text);
  free(line);
  return code;
}

void cli_journal_close(cli_journal *j) {
  if (j->handle >= 0 && j->path) close(j->handle);
  free(j->path);
  free(j->done);
}
