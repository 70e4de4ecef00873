/* who is compared */
#include <arkode/arkode_erkstep.h>
#include <stdio.h>

#include "desolve.h"
#include "peers.h"

peer peers[PEERS_MAX];
int peers_count;

static const peer all[] = {
    {"daedal auto", true, peer_daedal, "auto", 0},
    {"daedal dopri5", true, peer_daedal, "dopri5", 0},
    {"daedal dop853", true, peer_daedal, "dop853", 0},
    {"daedal herk5", true, peer_daedal, "herk5", 0},
    {"daedal radau3", true, peer_daedal, "radau3", 0},
    {"arkode dp54 + projection", false, peer_arkode, "", ARKODE_DORMAND_PRINCE_7_4_5},
    {"arkode fehlberg78 + projection", false, peer_arkode, "", ARKODE_FEHLBERG_13_7_8},
    {"cvode bdf newton + projection", false, peer_cvode, "", PEER_NEWTON},
    {"cvode bdf fixed point + projection", false, peer_cvode, "", PEER_FIXED_POINT},
    {"cvode adams, not projected", false, peer_cvode, "", PEER_ADAMS},
    {"ida ggl", false, peer_ida, "", PEER_GGL},
    {"ida index 1 + baumgarte", false, peer_ida, "", PEER_INDEX1},
    {"radau5 ggl", false, peer_radau5, "", PEER_GGL},
    {"radau5 index 3", false, peer_radau5, "", PEER_INDEX3},
    {"daspk ggl", false, peer_daspk, "", PEER_GGL},
};

void peers_find(void) {
  bool desolve = desolve_found();
  if (!desolve) printf("radau5 and daspk are left out: they need the package r-cran-desolve\n");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (desolve || (all[i].run != peer_radau5 && all[i].run != peer_daspk))
      peers[peers_count++] = all[i];
}
