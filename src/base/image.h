/*
 * image: all memory of an object that lives in pools, as bytes, and back into an object that was
 * made in the same way. Nothing has to be listed, so nothing is forgotten:
 *
 *   data (dae_base_data, doubles, ints)    copied as they are
 *   objects (dae_base_take)                word by word where they differ from what they were when
 *                                          they had been made: constant pointers do not
 *   moving pointers (dae_base_moving)      block and place in it
 *   growing pools (dae_base_growing)       taken anew, with what is in them
 *
 * What is left is a pointer that changes and that nobody has noted: dae_image_suspects finds those.
 */
#ifndef DAE_BASE_IMAGE_H
#define DAE_BASE_IMAGE_H

#include "base/stream.h"

typedef struct dae_image {
  dae_pool *pool; /* all of it */
  dae_pool *home; /* and its first blocks; NULL: it is the same pool */
  int n_home;
  char *made;          /* the objects as they were made, one after the other: those at home first */
  size_t at_home, own; /* bytes of them */
} dae_image;

/* Room for the objects as they are, from `pool`, where nothing is taken afterwards; false: there is
   no memory. And when all of them are made, a copy */
bool dae_image_take(dae_image *m, dae_pool *pool, dae_pool *home, int n_home);
void dae_image_keep(dae_image *m);
/* blocks of a pool so far, without what stands aside */
int dae_image_blocks(const dae_pool *pool);

/* false: no memory for a list of the blocks, which is taken for the time of the call */
bool dae_image_write(const dae_image *m, dae_writer *w);
/* what was written for an object of the same kind into this one. DAE_OK; DAE_E_INPUT when it was
   another one or the bytes are damaged: nothing has changed then; DAE_E_MEMORY */
dae_status dae_image_read(const dae_image *m, dae_reader *r);

/* for tests: how many words of objects have changed, are not noted, and may be pointers as `judge`
   says; offset: of the word in its object of so many bytes. -1 without memory */
typedef bool dae_image_judge(const void *word, size_t offset, size_t bytes, void *ctx);
int dae_image_suspects(const dae_image *m, dae_image_judge *judge, void *ctx);

#endif
