/*
 * reserve: memory for the time of a call, where none may be asked for. Blocks lie one upon the
 * other in a room that was taken before; what does not fit there comes from the allocator.
 */
#ifndef DAE_BASE_RESERVE_H
#define DAE_BASE_RESERVE_H

#include "base/base.h"

/* room for blocks of so many bytes altogether, taken from the pool; what it answers with is good
   for dae_base_pool_init. Without memory the pool has failed, and so does what is taken */
dae_allocator dae_base_reserve(dae_pool *pool, size_t bytes);

/* what a pool adds to each block */
enum { DAE_RESERVE_BLOCK = 256 };

#endif
