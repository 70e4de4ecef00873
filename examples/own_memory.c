/* memory and log lines through functions of one's own: no memory is taken in a step */
#include <daedal/daedal.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct counts {
  long taken, given;
} counts;

static void *take(size_t bytes, void *ctx) {
  ((counts *)ctx)->taken++;
  return malloc(bytes);
}

static void give(void *block, void *ctx) {
  if (block) ((counts *)ctx)->given++;
  free(block);
}

static void line(dae_log_level level, const char *text, void *ctx) {
  (void)ctx;
  if (level <= DAE_LOG_WARN) fprintf(stderr, "%s\n", text);
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

int main(void) {
  dae_problem pendulum = {.kind = DAE_MECHANICAL,
                          .autonomous = true,
                          .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};
  counts memory = {0};
  dae_options options = dae_options_default();
  options.allocator = (dae_allocator){.take = take, .give = give, .ctx = &memory};
  options.log = (dae_log){.line = line, .level = DAE_LOG_WARN};

  dae_solver *s;
  double z[4] = {1, 0, 0, 0};
  dae_status status = dae_solver_new(&s, &pendulum, &options, NULL);
  if (status == DAE_OK) status = dae_solver_start(s, 0, z, NULL);
  if (status == DAE_OK) status = dae_solver_advance(s, 1);
  long before = memory.taken;
  if (status == DAE_OK) status = dae_solver_advance(s, 10);
  printf("%s, memory taken while it ran from t = 1 to 10: %ld times\n", dae_status_name(status),
         memory.taken - before);
  dae_solver_free(s);
  printf("all of it given back: %s\n", memory.taken == memory.given ? "yes" : "no");
  return status == DAE_OK && memory.taken == memory.given ? 0 : 1;
}
