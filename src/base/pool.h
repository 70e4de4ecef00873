/* how the blocks of a pool are kept: for the pool and for images of it */
#ifndef DAE_BASE_POOL_H
#define DAE_BASE_POOL_H

#include "base/base.h"

/* objects may hold pointers, data hold none; what stands aside is no part of an image */
typedef enum dae_pool_kind { DAE_POOL_OBJECT, DAE_POOL_DATA, DAE_POOL_ASIDE } dae_pool_kind;

/* before each block, in a doubly linked list with the newest first; the data behind it is aligned
   to 64 bytes */
struct dae_pool_block {
  struct dae_pool_block *next, *prev;
  void *raw; /* as the allocator gave it; NULL: part of a slab */
  size_t bytes;
  dae_pool_kind kind;
};

static inline char *dae_pool_data(struct dae_pool_block *b) { return (char *)(b + 1); }

typedef enum dae_note_kind { DAE_NOTE_MOVING, DAE_NOTE_GROWING, DAE_NOTE_KEPT } dae_note_kind;

typedef struct dae_note {
  void *at;
  size_t bytes;
  dae_note_kind kind;
} dae_note;

enum { DAE_POOL_NOTES = 40 };
struct dae_pool_notes {
  struct dae_pool_notes *next;
  int count;
  dae_note note[DAE_POOL_NOTES];
};

/* memory that no image has in it */
void *dae_base_aside(dae_pool *pool, size_t count, size_t size);
/* the same with anything in it: for what is written over as a whole */
void *dae_base_uncleared(dae_pool *pool, size_t bytes);

#endif
