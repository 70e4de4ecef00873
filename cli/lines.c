/* the lines of a file one after the other, one in memory at a time however large the file is */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* a longer line is none of ours: what is read may be anything, a device without an end included */
enum { CHUNK = 1 << 16, LONGEST = 1 << 28 };

void cli_lines_open(cli_lines *r, int handle) { *r = (cli_lines){.handle = handle}; }

/* more of the file into the buffer, after what is left of it; false at the end or on failure */
static bool refill(cli_lines *r) {
  if (r->at > 0) memmove(r->buffer, r->buffer + r->at, r->filled - r->at);
  r->filled -= r->at;
  r->at = 0;
  if (r->filled + CHUNK > r->room) {
    r->room = 2 * r->room + CHUNK;
    r->buffer = realloc(r->buffer, r->room);
    if (!r->buffer) exit(cli_fail(CLI_STOPPED, "out of memory"));
  }
  ssize_t got;
  do {
    got = pread(r->handle, r->buffer + r->filled, CHUNK, r->next + (off_t)r->filled);
  } while (got < 0 && errno == EINTR);
  if (got < 0) r->error = errno;
  if (got > 0) r->filled += (size_t)got;
  return got > 0;
}

const char *cli_lines_next(cli_lines *r, size_t *size) {
  size_t seen = 0;
  char *stop;
  if (!r->buffer && !refill(r)) return NULL;
  while (!(stop = memchr(r->buffer + r->at + seen, '\n', r->filled - r->at - seen))) {
    seen = r->filled - r->at;
    if (seen > LONGEST || !refill(r)) return NULL;
  }
  const char *line = r->buffer + r->at;
  *size = (size_t)(stop - line);
  r->place = r->next;
  r->next += (off_t)*size + 1;
  r->at += *size + 1;
  return line;
}

void cli_lines_close(cli_lines *r) {
  free(r->buffer);
  r->buffer = NULL;
}
