/* a bar on the terminal for what takes longer than a second; nothing where this is no terminal */
#include "cli.h"

#include <time.h>
#include <unistd.h>

void cli_progress_begin(cli_progress *p, bool quiet, bool at_once) {
  *p = (cli_progress){.begun = cli_clock()};
  p->on = !quiet && (at_once || isatty(STDERR_FILENO));
  /* asked for: at once; else only when it turns out to take long */
  p->drawn = p->begun + (at_once ? -1.0 : 0.9);
}

/* "12 s", "3 min", "2.5 h" */
static void put_time(double seconds) {
  if (seconds < 100) fprintf(stderr, "%.0f s", seconds);
  else if (seconds < 6000) fprintf(stderr, "%.0f min", seconds / 60);
  else fprintf(stderr, "%.1f h", seconds / 3600);
}

/* the time of day when it will be over, where that is far */
static void put_end(double seconds) {
  char text[32];
  time_t end = time(NULL) + (time_t)seconds;
  struct tm local;
  fputs(", ", stderr);
  put_time(seconds);
  fputs(" left", stderr);
  if (seconds < 100 || !localtime_r(&end, &local)) return;
  if (strftime(text, sizeof text, seconds < 80000 ? " (%H:%M)" : " (%d %b %H:%M)", &local))
    fputs(text, stderr);
}

static void draw(cli_progress *p, double fraction, const char *text) {
  enum { WIDTH = 24 };
  double now = cli_clock();
  p->drawn = now;
  p->shown = true;
  fputs("\r\033[K", stderr);
  if (fraction >= 0) {
    char bar[WIDTH + 1];
    int filled = (int)(fraction * WIDTH);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "[%s] %3.0f%%  ", bar, 100 * fraction);
  }
  fputs(text, stderr);
  if (fraction > 0.01) put_end((now - p->begun) * (1 - fraction) / fraction);
  if (fraction < 0) {
    fputs(", ", stderr);
    put_time(now - p->begun);
  }
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

void cli_progress_words(cli_progress *p, double fraction, const char *text) {
  char cut[64];
  if (!due(p)) return;
  snprintf(cut, sizeof cut, "%s", text);
  draw(p, fraction, cut);
}

void cli_progress_hide(cli_progress *p) {
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}

void cli_progress_end(cli_progress *p) {
  cli_progress_hide(p);
  p->on = false;
}

/* ---- something that tells nothing while it works: a thread shows that it does ---- */

static void *tick(void *argument) {
  cli_ticker *k = argument;
  pthread_mutex_lock(&k->lock);
  while (!k->over) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000000;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_cond_timedwait(&k->wake, &k->lock, &until);
    if (!k->over) cli_progress_words(&k->progress, -1, k->text);
  }
  pthread_mutex_unlock(&k->lock);
  return NULL;
}

void cli_ticker_begin(cli_ticker *k, bool quiet, bool at_once, const char *text) {
  *k = (cli_ticker){0};
  cli_progress_begin(&k->progress, quiet, at_once);
  if (!k->progress.on) return;
  snprintf(k->text, sizeof k->text, "%.60s", text);
  cli_progress_words(&k->progress, -1, k->text);
  pthread_mutex_init(&k->lock, NULL);
  pthread_cond_init(&k->wake, NULL);
  k->running = pthread_create(&k->thread, NULL, tick, k) == 0;
}

void cli_ticker_end(cli_ticker *k) {
  if (!k->progress.on) return;
  pthread_mutex_lock(&k->lock);
  k->over = true;
  pthread_cond_signal(&k->wake);
  pthread_mutex_unlock(&k->lock);
  if (k->running) pthread_join(k->thread, NULL);
  pthread_cond_destroy(&k->wake);
  pthread_mutex_destroy(&k->lock);
  cli_progress_end(&k->progress);
}
