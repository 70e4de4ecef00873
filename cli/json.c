/* a writer that keeps the commas and the indentation of json right */
#include "cli.h"

#include <math.h>

void cli_json_string(FILE *out, const char *value) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
    if (*c == '"' || *c == '\\') fprintf(out, "\\%c", *c);
    else if (*c < 0x20 || *c == '<') fprintf(out, "\\u%04x", *c);
    else fputc(*c, out);
  }
  fputc('"', out);
}

/* the comma, the new line and the key that come before any value */
static void begin(cli_json *j, const char *key) {
  if (j->depth > 0) {
    fputs(j->filled[j->depth - 1] ? ",\n" : "\n", j->out);
    j->filled[j->depth - 1] = true;
    fprintf(j->out, "%*s", 2 * j->depth, "");
  }
  if (key) {
    cli_json_string(j->out, key);
    fputs(": ", j->out);
  }
}

void cli_json_raw(cli_json *j, const char *key) { begin(j, key); }

void cli_json_open(cli_json *j, const char *key, char bracket) {
  begin(j, key);
  fputc(bracket, j->out);
  j->filled[j->depth++] = false;
}

void cli_json_close(cli_json *j, char bracket) {
  if (j->filled[--j->depth]) fprintf(j->out, "\n%*s", 2 * j->depth, "");
  fputc(bracket, j->out);
  if (j->depth == 0) fputc('\n', j->out);
}

void cli_json_number(cli_json *j, const char *key, double value) {
  begin(j, key);
  if (isfinite(value)) fprintf(j->out, "%.17g", value);
  else fputs("null", j->out);
}

void cli_json_count(cli_json *j, const char *key, long value) {
  begin(j, key);
  fprintf(j->out, "%ld", value);
}

void cli_json_text(cli_json *j, const char *key, const char *value) {
  begin(j, key);
  cli_json_string(j->out, value);
}
