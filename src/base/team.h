/*
 * team: threads that share a piece of work and wait for the next one. What belongs to a part
 * depends on its number only, whoever does it; where the system has no threads, or gives none, the
 * caller does all of it
 */
#ifndef DAE_TEAM_H
#define DAE_TEAM_H

#include "base/base.h"

typedef struct dae_team dae_team;
enum { DAE_TEAM_MOST = 64 };

/* part number `part` of `parts`, in any order and at the same time as the others */
typedef void dae_team_work(void *ctx, int part, int parts);

/* *out of `size` parts, at most DAE_TEAM_MOST, each with `room` doubles of its own; NULL where size
   is 1 or less. DAE_OK or DAE_E_MEMORY. All memory and threads are taken here */
dae_status dae_base_team_new(dae_team **out, const dae_allocator *allocator, int size, size_t room);
void dae_base_team_free(dae_team *team);
int dae_base_team_size(const dae_team *team);
double *dae_base_team_room(const dae_team *team, int part);
/* returns when all parts are done */
void dae_base_team_run(dae_team *team, dae_team_work *work, void *ctx);

#endif
