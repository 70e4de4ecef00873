/* memory that is given back all at once */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* the header keeps blocks in a doubly linked list and the data behind it aligned to 64 bytes */
struct dae_pool_block {
  struct dae_pool_block *next, *prev;
  void *raw;
  size_t bytes;
};

enum { ALIGN = 64 };

/* A solver of a small problem takes some hundred small blocks: they share a few slabs, each four
   times the size of the one before. An allocator of the user is asked for each block. Small blocks
   have no `raw` and are in no list. */
struct dae_pool_slab {
  struct dae_pool_slab *next;
  size_t size, used;
};

enum { SLAB_FIRST = 1 << 14, SLAB_LAST = 1 << 18, SMALL = 1 << 15 };

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
static struct dae_pool_slab *new_slab(dae_pool *pool, size_t bytes) {
  size_t size = pool->slabs ? 4 * pool->slabs->size : SLAB_FIRST;
  if (size > SLAB_LAST) size = SLAB_LAST;
  while (size < sizeof(struct dae_pool_slab) + ROOM + bytes) size *= 4;
  struct dae_pool_slab *s = malloc(size);
  if (!s) return NULL;
  *s = (struct dae_pool_slab){pool->slabs, size, sizeof *s};
  pool->slabs = s;
  pool->reserved += size;
  DAE_POISON(s + 1, size - sizeof *s);
  return s;
}

/* the next part of the slab, or of a new one; cleared here, as most of a slab may stay unused */
static void *take_small(dae_pool *pool, size_t bytes) {
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
  *b = (struct dae_pool_block){.bytes = bytes};
  s->used = data + bytes - (uintptr_t)s;
  pool->bytes += bytes;
  return memset((void *)data, 0, bytes);
}

void *dae_base_take(dae_pool *pool, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - ROOM) / size) {
    pool->failed = true;
    return NULL;
  }
  size_t bytes = count * size;
  if (bytes <= SMALL && pool->allocator.take == take_default) return take_small(pool, bytes);
  char *raw = pool->allocator.take(bytes + ROOM, pool->allocator.ctx);
  if (!raw) {
    pool->failed = true;
    return NULL;
  }
  uintptr_t data = (uintptr_t)raw + sizeof(struct dae_pool_block);
  data = (data + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  struct dae_pool_block *b = (struct dae_pool_block *)(data - sizeof *b);
  *b = (struct dae_pool_block){.next = pool->blocks, .raw = raw, .bytes = bytes};
  if (b->next) b->next->prev = b;
  pool->blocks = b;
  pool->bytes += bytes;
  pool->reserved += bytes;
  if (pool->allocator.take != take_default) memset((void *)data, 0, bytes);
  char *end = (char *)data + bytes;
  DAE_POISON(end, (size_t)(raw + bytes + ROOM - end));
  return (void *)data;
}

double *dae_base_doubles(dae_pool *pool, size_t count) {
  return dae_base_take(pool, count, sizeof(double));
}

int *dae_base_ints(dae_pool *pool, size_t count) { return dae_base_take(pool, count, sizeof(int)); }

char *dae_base_string(dae_pool *pool, const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = dae_base_take(pool, bytes, 1);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

void dae_base_give(dae_pool *pool, void *block) {
  if (!block) return;
  struct dae_pool_block *b = (struct dae_pool_block *)((char *)block - sizeof *b);
  if (!b->raw) {
    struct dae_pool_slab *s = pool->slabs;
    pool->bytes -= b->bytes;
    /* the last one of the slab makes room again: lists of a pass come and go in this order */
    if ((char *)block + b->bytes == (char *)s + s->used) s->used = (size_t)((char *)b - (char *)s);
    DAE_POISON(block, b->bytes);
    return;
  }
  if (b->next) b->next->prev = b->prev;
  if (b->prev) b->prev->next = b->next;
  else pool->blocks = b->next;
  pool->bytes -= b->bytes;
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

void dae_base_pool_free(dae_pool *pool) {
  struct dae_pool_block *b = pool->blocks;
  while (b) {
    struct dae_pool_block *next = b->next;
    release(pool, b);
    b = next;
  }
  while (pool->slabs) {
    struct dae_pool_slab *s = pool->slabs;
    pool->slabs = s->next;
    DAE_UNPOISON(s, s->size);
    free(s);
  }
  pool->blocks = NULL;
  pool->bytes = pool->reserved = 0;
}
