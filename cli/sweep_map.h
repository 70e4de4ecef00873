/* maps: what a sweep over two values gives */
#ifndef SWEEP_MAP_H
#define SWEEP_MAP_H

#include "panel.h"
#include "stored.h"

/* one map for each series of the panels; columns 1 and 2 of the table are its axes */
int cli_sweep_map(cli_stored *t, const cli_panels *panels, const char *file);

#endif
