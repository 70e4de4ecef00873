/* who is compared */
#include <arkode/arkode_erkstep.h>

#include "peers.h"

const peer peers[] = {
    {"daedal auto", true, peer_daedal, "auto", 0},
    {"daedal dopri5", true, peer_daedal, "dopri5", 0},
    {"daedal dop853", true, peer_daedal, "dop853", 0},
    {"daedal herk5", true, peer_daedal, "herk5", 0},
    {"daedal radau3", true, peer_daedal, "radau3", 0},
    {"arkode dp54 + projection", false, peer_arkode, "", ARKODE_DORMAND_PRINCE_7_4_5},
    {"arkode fehlberg78 + projection", false, peer_arkode, "", ARKODE_FEHLBERG_13_7_8},
    {"cvode bdf newton + projection", false, peer_cvode, "", PEER_NEWTON},
    {"cvode bdf fixed point + projection", false, peer_cvode, "", PEER_FIXED_POINT},
    {"ida ggl", false, peer_ida, "", PEER_GGL},
    {"ida index 1 + baumgarte", false, peer_ida, "", PEER_INDEX1},
};
const int peers_count = sizeof peers / sizeof *peers;
