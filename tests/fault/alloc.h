/* an allocator for fault tests: fails at the n-th take, counts what is live */
#ifndef FAULT_ALLOC_H
#define FAULT_ALLOC_H

#include <stdlib.h>

#include <daedal/memory.h>

typedef struct fault_alloc {
  long fail_at; /* this take fails, counted from 1; 0: none fails */
  int once;     /* only this one; else all later ones too */
  long takes;   /* so far, failed ones included */
  long live;    /* blocks not given back */
} fault_alloc;

static void *fault_take(size_t bytes, void *ctx) {
  fault_alloc *a = ctx;
  a->takes++;
  if (a->fail_at > 0 && (a->once ? a->takes == a->fail_at : a->takes >= a->fail_at)) return NULL;
  void *block = malloc(bytes);
  if (block) a->live++;
  return block;
}

static void fault_give(void *block, void *ctx) {
  fault_alloc *a = ctx;
  if (block) a->live--;
  free(block);
}

static inline dae_allocator fault_allocator(fault_alloc *a) {
  return (dae_allocator){fault_take, fault_give, a};
}

#endif
