/* memory that is given back all at once */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

enum { ALIGN = 64 };

/* A solver of a small problem takes some hundred small blocks: they share a few slabs, each four
   times the size of the one before. An allocator of the user is asked for each block. Small blocks
   have no `raw`. glibc gives memory back to the system when more than twice its largest block is
   free at the end, and pages that come back cost two microseconds each: with large slabs a solver
   that follows another of its size finds them. */
struct dae_pool_slab {
  struct dae_pool_slab *next;
  size_t size, used;
};

enum { SLAB_FIRST = 1 << 14, SLAB_LARGE = 1 << 20, SLAB_LAST = 1 << 22, SMALL = 1 << 18 };

/* the room left by alignment is out of bounds: a sanitizer is told so, or it would miss small
   overruns */
enum { ROOM = sizeof(struct dae_pool_block) + 2 * ALIGN };

/* gives the raw block back as it came */
static void release(dae_pool *pool, struct dae_pool_block *b) {
  char *raw = b->raw;
  DAE_UNPOISON(raw, b->bytes + ROOM);
  pool->allocator.give(raw, pool->allocator.ctx);
}

/* zeroed: fresh pages of a large block need not be touched */
static void *take_default(size_t bytes, void *ctx) {
  (void)ctx;
  return calloc(1, bytes);
}

static void give_default(void *block, void *ctx) {
  (void)ctx;
  free(block);
}

void dae_base_pool_init(dae_pool *pool, const dae_allocator *allocator) {
  *pool = (dae_pool){0};
  if (allocator && allocator->take) pool->allocator = *allocator;
  else pool->allocator = (dae_allocator){take_default, give_default, NULL};
}

/* a slab in place of the one that is full, with room for a block of so many bytes */
static DAE_NOINLINE struct dae_pool_slab *new_slab(dae_pool *pool, size_t bytes) {
  size_t before = pool->slabs ? pool->slabs->size : 0;
  size_t size = before == 0 ? SLAB_FIRST : before < SLAB_LARGE / 16 ? 4 * before : SLAB_LARGE;
  if (before >= SLAB_LARGE) size = SLAB_LAST;
  while (size < sizeof(struct dae_pool_slab) + ROOM + bytes) size *= 4;
  struct dae_pool_slab *s = malloc(size);
  if (!s) return NULL;
  *s = (struct dae_pool_slab){pool->slabs, size, sizeof *s};
  pool->slabs = s;
  pool->reserved += size;
  DAE_POISON(s + 1, size - sizeof *s);
  return s;
}

/* a block of so many bytes is the newest of the pool */
static void enter(dae_pool *pool, struct dae_pool_block *b, void *raw, size_t bytes,
                  dae_pool_kind kind) {
  *b = (struct dae_pool_block){.next = pool->blocks, .raw = raw, .bytes = bytes, .kind = kind};
  if (b->next) b->next->prev = b;
  pool->blocks = b;
  pool->bytes += bytes;
}

/* the next part of the slab, or of a new one; cleared here, as most of a slab may stay unused */
static inline void *take_small(dae_pool *pool, size_t bytes, dae_pool_kind kind, bool clear) {
  struct dae_pool_slab *s = pool->slabs;
  if (!s || s->used + bytes + ROOM > s->size) s = new_slab(pool, bytes);
  if (!s) {
    pool->failed = true;
    return NULL;
  }
  uintptr_t data = (uintptr_t)s + s->used + sizeof(struct dae_pool_block);
  data = (data + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  struct dae_pool_block *b = (struct dae_pool_block *)(data - sizeof *b);
  DAE_UNPOISON(b, sizeof *b + bytes);
  enter(pool, b, NULL, bytes, kind);
  s->used = data + bytes - (uintptr_t)s;
  return clear ? memset((void *)data, 0, bytes) : (void *)data;
}

/* any block */
static DAE_NOINLINE void *take_any(dae_pool *pool, size_t count, size_t size, dae_pool_kind kind,
                                   bool clear) {
  if (size != 0 && count > (SIZE_MAX - ROOM) / size) {
    pool->failed = true;
    return NULL;
  }
  size_t bytes = count * size;
  if (bytes <= SMALL && pool->allocator.take == take_default)
    return take_small(pool, bytes, kind, clear);
  char *raw = pool->allocator.take(bytes + ROOM, pool->allocator.ctx);
  if (!raw) {
    pool->failed = true;
    return NULL;
  }
  uintptr_t data = (uintptr_t)raw + sizeof(struct dae_pool_block);
  data = (data + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  struct dae_pool_block *b = (struct dae_pool_block *)(data - sizeof *b);
  enter(pool, b, raw, bytes, kind);
  pool->reserved += bytes;
  if (clear && pool->allocator.take != take_default) memset((void *)data, 0, bytes);
  char *end = (char *)data + bytes;
  DAE_POISON(end, (size_t)(raw + bytes + ROOM - end));
  return (void *)data;
}

/* a solver takes some two hundred, most of them small: no division for these */
static DAE_ALWAYS_INLINE void *take(dae_pool *pool, size_t count, size_t size, dae_pool_kind kind,
                                    bool clear) {
  if (count <= SMALL && size <= SMALL && count * size <= SMALL &&
      pool->allocator.take == take_default)
    return take_small(pool, count * size, kind, clear);
  return take_any(pool, count, size, kind, clear);
}

void *dae_base_take(dae_pool *pool, size_t count, size_t size) {
  return take(pool, count, size, DAE_POOL_OBJECT, true);
}

void *dae_base_data(dae_pool *pool, size_t count, size_t size) {
  return take(pool, count, size, DAE_POOL_DATA, true);
}

double *dae_base_doubles(dae_pool *pool, size_t count) {
  return take(pool, count, sizeof(double), DAE_POOL_DATA, true);
}

int *dae_base_ints(dae_pool *pool, size_t count) {
  return take(pool, count, sizeof(int), DAE_POOL_DATA, true);
}

void *dae_base_aside(dae_pool *pool, size_t count, size_t size) {
  return take(pool, count, size, DAE_POOL_ASIDE, true);
}

void *dae_base_uncleared(dae_pool *pool, size_t bytes) {
  return take(pool, bytes, 1, DAE_POOL_ASIDE, false);
}

char *dae_base_string(dae_pool *pool, const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = dae_base_data(pool, bytes, 1);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

/* nothing is known of a block that is gone */
static void forget_notes(dae_pool *pool, const char *block, size_t bytes) {
  for (struct dae_pool_notes *n = pool->notes; n; n = n->next)
    for (int i = n->count; i-- > 0;)
      if ((const char *)n->note[i].at - block >= 0 &&
          (size_t)((const char *)n->note[i].at - block) < bytes)
        n->note[i] = n->note[--n->count];
}

void dae_base_give(dae_pool *pool, void *block) {
  if (!block) return;
  struct dae_pool_block *b = (struct dae_pool_block *)((char *)block - sizeof *b);
  forget_notes(pool, block, b->bytes);
  if (b->next) b->next->prev = b->prev;
  if (b->prev) b->prev->next = b->next;
  else pool->blocks = b->next;
  pool->bytes -= b->bytes;
  if (!b->raw) {
    struct dae_pool_slab *s = pool->slabs;
    /* the last one of the slab makes room again: lists of a pass come and go in this order */
    if ((char *)block + b->bytes == (char *)s + s->used) s->used = (size_t)((char *)b - (char *)s);
    DAE_POISON(block, b->bytes);
    return;
  }
  pool->reserved -= b->bytes;
  release(pool, b);
}

void *dae_base_regrow(dae_pool *pool, void *block, size_t old_count, size_t count, size_t size) {
  void *grown = dae_base_take(pool, count, size);
  if (!grown) return NULL;
  if (block) memcpy(grown, block, (old_count < count ? old_count : count) * size);
  dae_base_give(pool, block);
  return grown;
}

static void note(dae_pool *pool, void *at, size_t bytes, dae_note_kind kind) {
  struct dae_pool_notes *n = pool->notes;
  if (!n || n->count == DAE_POOL_NOTES) {
    n = dae_base_aside(pool, 1, sizeof *n);
    if (!n) return;
    n->next = pool->notes;
    pool->notes = n;
  }
  n->note[n->count++] = (dae_note){at, bytes, kind};
}

void dae_base_moving(dae_pool *pool, void *slots, size_t count) {
  if (slots && count > 0) note(pool, slots, count * sizeof(void *), DAE_NOTE_MOVING);
}

void dae_base_growing(dae_pool *pool, dae_pool *inner) {
  note(pool, inner, sizeof *inner, DAE_NOTE_GROWING);
}

void dae_base_kept(dae_pool *pool, void *member, size_t bytes) {
  note(pool, member, bytes, DAE_NOTE_KEPT);
}

void dae_base_pool_free(dae_pool *pool) {
  struct dae_pool_block *b = pool->blocks;
  while (b) {
    struct dae_pool_block *next = b->next;
    if (b->raw) release(pool, b);
    b = next;
  }
  while (pool->slabs) {
    struct dae_pool_slab *s = pool->slabs;
    pool->slabs = s->next;
    DAE_UNPOISON(s, s->size);
    free(s);
  }
  pool->blocks = NULL;
  pool->notes = NULL;
  pool->bytes = pool->reserved = 0;
}
