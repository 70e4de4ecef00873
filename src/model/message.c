/* what is wrong with a text, and where */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/syntax.h"

enum { BEFORE = 70, AFTER = 60 }; /* how much of a long line is shown around the caret */

/* first byte of the line that holds `place` */
static size_t line_start(const dae_source *s, size_t place) {
  while (place > 0 && s->text[place - 1] != '\n') place--;
  return place;
}

void dae_model_count_lines(dae_source *s, dae_arena *arena) {
  int lines = 1, none = 0;
  for (size_t i = 0; i < s->size; i++) lines += s->text[i] == '\n';
  s->line = dae_model_grow(arena, NULL, &none, lines, sizeof *s->line);
  s->lines = 1;
  for (size_t i = 0; i < s->size; i++)
    if (s->text[i] == '\n') s->line[s->lines++] = (uint32_t)i + 1;
}

/* the last line that begins at or before the place; columns count characters of UTF-8, from 1 */
void dae_model_locate(const dae_source *s, uint32_t place, int *line, int *column) {
  size_t at = place < s->size ? place : s->size;
  int low = 0, high = s->lines;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (s->line[middle] <= at) low = middle;
    else high = middle;
  }
  size_t start = s->lines ? s->line[low] : 0;
  *line = low + 1;
  if (!column) return;
  *column = 1;
  for (size_t i = start; i < at; i++) *column += ((unsigned char)s->text[i] & 0xC0) != 0x80;
}

/* the source line, clipped around the place, and a caret under it */
static void show_line(dae_source *s, uint32_t place) {
  size_t at = place < s->size ? place : s->size, start = line_start(s, at), end = at;
  while (end < s->size && s->text[end] != '\n' && s->text[end] != '\r' && end - at < AFTER) end++;
  bool clipped = at - start > BEFORE;
  if (clipped) start = at - BEFORE;
  while (start < at && ((unsigned char)s->text[start] & 0xC0) == 0x80) start++;
  dae_model_text_add(&s->messages, "  %s", clipped ? "..." : "");
  for (size_t i = start; i < end; i++) {
    char c = s->text[i];
    if ((unsigned char)c < 32 || c == 127) c = c == '\t' ? '\t' : '?';
    dae_model_text_bytes(&s->messages, &c, 1);
  }
  dae_model_text_add(&s->messages, "\n  %s", clipped ? "   " : "");
  /* tabs are repeated so that the caret stands right at any tab width */
  for (size_t i = start; i < at; i++)
    if (((unsigned char)s->text[i] & 0xC0) != 0x80)
      dae_model_text_bytes(&s->messages, s->text[i] == '\t' ? "\t" : " ", 1);
  dae_model_text_add(&s->messages, "^\n");
}

static void report(dae_source *s, uint32_t place, const char *kind, const char *format,
                   va_list args) {
  char text[700];
  vsnprintf(text, sizeof text, format, args);
  int line, column;
  if (place == DAE_NO_PLACE) {
    dae_model_text_add(&s->messages, "%.200s: %s: %s\n", s->file, kind, text);
    return;
  }
  dae_model_locate(s, place, &line, &column);
  dae_model_text_add(&s->messages, "%.200s:%d:%d: %s: %s\n", s->file, line, column, kind, text);
  show_line(s, place);
}

void dae_model_error(dae_source *s, uint32_t place, const char *format, ...) {
  s->errors++;
  if (s->errors == s->max_errors + 1)
    dae_model_text_add(&s->messages, "%.200s: more errors are not shown\n", s->file);
  if (s->errors > s->max_errors) return;
  va_list args;
  va_start(args, format);
  report(s, place, "error", format, args);
  va_end(args);
}

void dae_model_warn(dae_source *s, uint32_t place, const char *format, ...) {
  if (s->errors > s->max_errors) return;
  va_list args;
  va_start(args, format);
  report(s, place, "warning", format, args);
  va_end(args);
}
