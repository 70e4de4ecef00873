/* who is compared, and Daedal itself */
#include <arkode/arkode_erkstep.h>
#include <string.h>
#include <time.h>

#include "large.h"

void large_daedal(const large_peer *self, const dae_problem *p, double tol, double seconds,
                  large_result *out) {
  dae_options o = dae_options_default();
  dae_solver *s;
  clock_t limit = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  out->ok = false;
  o.method = self->method;
  o.rtol = o.atol = tol;
  if (dae_solver_new(&s, p, &o, NULL) != DAE_OK) return;
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  while (status == DAE_OK && dae_solver_time(s) < p->t1 && clock() < limit)
    status = dae_solver_step(s, p->t1);
  const dae_stats *stats = dae_solver_stats(s);
  out->ok = status == DAE_OK && dae_solver_time(s) >= p->t1;
  out->steps = stats->steps;
  out->evaluations = stats->evaluations;
  memcpy(out->z, dae_solver_z(s), (size_t)dae_problem_nz(p) * sizeof *out->z);
  dae_solver_free(s);
}

const large_peer large_peers[] = {
    {"daedal auto", true, large_daedal, "auto", 0},
    {"daedal dop853", true, large_daedal, "dop853", 0},
    {"daedal wave4", true, large_daedal, "wave4", 0},
    {"daedal radau3", true, large_daedal, "radau3", 0},
    {"daedal radau4", true, large_daedal, "radau4", 0},
    {"daedal radau5", true, large_daedal, "radau5", 0},
    {"daedal gauss3", true, large_daedal, "gauss3", 0},
    {"arkode dp54 + projection", false, large_arkode, "", ARKODE_DORMAND_PRINCE_7_4_5},
    {"arkode fehlberg78 + projection", false, large_arkode, "", ARKODE_FEHLBERG_13_7_8},
    {"cvode bdf krylov + projection", false, large_cvode, "", LARGE_KRYLOV},
    {"cvode bdf fixed point + projection", false, large_cvode, "", LARGE_FIXED_POINT},
    {"ida ggl + klu", false, large_ida, "", 5},
    {"ida ggl + klu, order 2", false, large_ida, "", 2},
};
const int large_peers_count = sizeof large_peers / sizeof *large_peers;
