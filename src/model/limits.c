/* how much memory and time the analysis of a model may take: a text of a hundred bytes can ask for
   any amount of both */
#include <time.h>

#include "model/syntax.h"

/* what a short text may take, and what each byte of a longer one adds: flat models of 10000
   equations have about 500 KB, and take 25 MB and 0.2 s */
static const double MEGABYTES = 300, SECONDS = 5, MEGABYTES_PER_BYTE = 2e-4,
                    SECONDS_PER_BYTE = 2e-5;

/* of this thread: other threads and other programs do not count */
static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void dae_model_limits_start(dae_limits *limits, double megabytes, double seconds, size_t text) {
  double most = megabytes > 0 ? megabytes : MEGABYTES + MEGABYTES_PER_BYTE * (double)text;
  limits->bytes = 1e6 * most < (double)(SIZE_MAX / 2) ? (size_t)(1e6 * most) : SIZE_MAX / 2;
  limits->seconds = seconds > 0 ? seconds : SECONDS + SECONDS_PER_BYTE * (double)text;
  limits->begun = processor_time();
  limits->work = 0;
  limits->excess = EXCESS_NONE;
}

void dae_model_exceed(dae_arena *arena, dae_excess excess) {
  if (arena->limits) arena->limits->excess = excess;
  longjmp(*arena->escape, 1);
}

void dae_model_expect_bytes(dae_arena *arena, size_t count, size_t size) {
  dae_limits *limits = arena->limits;
  if (!limits) return;
  limits->held += arena->pool.reserved - arena->seen;
  arena->seen = arena->pool.reserved;
  size_t left = limits->held < limits->bytes ? limits->bytes - limits->held : 0;
  if (size != 0 && count > left / size) dae_model_exceed(arena, EXCESS_MEMORY);
}

void dae_model_look_at_clock(dae_arena *arena) {
  dae_limits *limits = arena->limits;
  limits->work = 0;
  if (processor_time() - limits->begun > limits->seconds) dae_model_exceed(arena, EXCESS_TIME);
}
