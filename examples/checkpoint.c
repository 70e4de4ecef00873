/* a run in two halves: what is saved in the middle goes on as if nothing had happened */
#include <daedal/daedal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

static const double start[] = {1, 0, 0, 0};
static const dae_problem pendulum = {.kind = DAE_MECHANICAL,
                                     .autonomous = true,
                                     .z0 = start,
                                     .t1 = 10,
                                     .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};

int main(void) {
  dae_options options = dae_options_default();
  dae_solver *first, *second;
  if (dae_solver_new(&first, &pendulum, &options, NULL) != DAE_OK) return 1;
  if (dae_solver_start(first, 0, NULL, NULL) != DAE_OK) return 1;
  for (int i = 0; i < 20; i++)
    if (dae_solver_step(first, 10) != DAE_OK) return 1;

  /* the size, then the bytes; dae_solver_save_file writes them to a file */
  size_t size = 0;
  if (dae_solver_save(first, NULL, &size) != DAE_OK) return 1;
  void *state = malloc(size);
  if (!state || dae_solver_save(first, state, &size) != DAE_OK) return 1;
  printf("saved at t = %.4f\n", dae_solver_time(first));

  /* another process could do this: the same problem, the same options */
  if (dae_solver_new(&second, &pendulum, &options, NULL) != DAE_OK) return 1;
  if (dae_solver_restore(second, state, size) != DAE_OK)
    return puts(dae_solver_report(second)->message), 1;
  printf("restored at t = %.4f after %ld steps\n", dae_solver_time(second),
         dae_solver_stats(second)->steps);

  if (dae_solver_advance(first, 10) != DAE_OK || dae_solver_advance(second, 10) != DAE_OK) return 1;
  int same = memcmp(dae_solver_z(first), dae_solver_z(second), sizeof start) == 0;
  printf("at t = 10 the two runs are %s\n", same ? "the same to the last bit" : "different");

  /* what cannot be restored is refused with its reason */
  ((char *)state)[size / 2] ^= 1;
  if (dae_solver_restore(second, state, size) != DAE_OK) puts(dae_solver_report(second)->message);
  free(state);
  dae_solver_free(first);
  dae_solver_free(second);
  return 0;
}
