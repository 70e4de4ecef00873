/* a bar on the terminal for runs that take longer than a second */
#include "cli.h"

#include <unistd.h>

void cli_progress_begin(cli_progress *p, const cli_settings *s) {
  *p = (cli_progress){.begun = cli_clock()};
  p->on = !s->quiet && (s->progress || isatty(STDERR_FILENO));
  /* asked for: at once; else only when the run turns out to be a long one */
  p->drawn = p->begun + (s->progress ? -1.0 : 0.9);
}

static void draw(cli_progress *p, double fraction, const char *text) {
  enum { WIDTH = 32 };
  double now = cli_clock();
  p->drawn = now;
  p->shown = true;
  int filled = (int)(fraction * WIDTH);
  char bar[WIDTH + 1];
  for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
  bar[WIDTH] = '\0';
  double left = fraction > 0.01 ? (now - p->begun) * (1 - fraction) / fraction : -1;
  fprintf(stderr, "\r[%s] %3.0f%%  %s", bar, 100 * fraction, text);
  if (left >= 0) fprintf(stderr, ", %.0f s left", left);
  fputs("   ", stderr);
  fflush(stderr);
}

static bool due(const cli_progress *p) { return p->on && cli_clock() - p->drawn >= 0.1; }

void cli_progress_at(cli_progress *p, double fraction, double t, long steps) {
  char text[DAE_NAME_MAX];
  if (!due(p)) return;
  snprintf(text, sizeof text, "t = %-10.6g %ld steps", t, steps);
  draw(p, fraction, text);
}

void cli_progress_members(cli_progress *p, double fraction, long done, long failed) {
  char text[DAE_NAME_MAX];
  if (!due(p)) return;
  snprintf(text, sizeof text, "%ld runs, %ld failed", done, failed);
  draw(p, fraction, text);
}

void cli_progress_end(cli_progress *p) {
  if (p->shown) fprintf(stderr, "\r%79s\r", "");
  p->shown = false;
}
