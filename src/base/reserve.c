/* memory for the time of a call: a stack of blocks */
#include "base/reserve.h"

#include <stdint.h>

#include "base/pool.h"

typedef struct reserve {
  dae_allocator behind;
  char *room;
  size_t size;
  struct block *top; /* NULL: all is free */
} reserve;

/* before each block; the top one is never free */
typedef struct block {
  struct block *below;
  size_t bytes; /* with this */
  bool free;
  double aligned[]; /* as malloc does */
} block;

enum { ALIGN = 16 };

static void *take(size_t bytes, void *ctx) {
  reserve *r = ctx;
  char *at = r->top ? (char *)r->top + r->top->bytes : r->room;
  size_t size = (sizeof(block) + ALIGN - 1) / ALIGN * ALIGN + (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (size < bytes || size > (size_t)(r->room + r->size - at))
    return r->behind.take(bytes, r->behind.ctx);
  block *b = (block *)at;
  *b = (block){.below = r->top, .bytes = size};
  r->top = b;
  return at + size - (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void give(void *memory, void *ctx) {
  reserve *r = ctx;
  const uintptr_t at = (uintptr_t)memory, room = (uintptr_t)r->room;
  if (at < room || at >= room + r->size) {
    r->behind.give(memory, r->behind.ctx);
    return;
  }
  block *b = (block *)((char *)memory - (sizeof(block) + ALIGN - 1) / ALIGN * ALIGN);
  b->free = true;
  while (r->top && r->top->free) r->top = r->top->below;
}

dae_allocator dae_base_reserve(dae_pool *pool, size_t bytes) {
  reserve *r = dae_base_take(pool, 1, sizeof *r);
  /* blocks are cleared as they are taken */
  char *room = r ? dae_base_uncleared(pool, bytes) : NULL;
  if (!room) return pool->allocator;
  *r = (reserve){.behind = pool->allocator, .room = room, .size = bytes};
  return (dae_allocator){take, give, r};
}
