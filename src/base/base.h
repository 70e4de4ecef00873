/* base: status texts, memory, log, version; the ground that everything stands on */
#ifndef DAE_BASE_H
#define DAE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include <daedal/memory.h>
#include <daedal/options.h>
#include <daedal/status.h>

/*
 * A pool owns every block taken from it and gives them all back at once, so that a half-built
 * object is freed by one call. `failed` stays set after the first failure: take all, check once.
 */
typedef struct dae_pool {
  dae_allocator allocator;
  struct dae_pool_block *blocks;
  struct dae_pool_slab *slabs;  /* small blocks come from these, the first one is in use */
  struct dae_pool_notes *notes; /* for checkpoints: see base/image.h */
  size_t bytes;                 /* held now */
  size_t reserved; /* taken from the allocator and not given back: slabs count as a whole */
  bool failed;
} dae_pool;

void dae_base_pool_init(dae_pool *pool, const dae_allocator *allocator);

/* count*size bytes, zeroed and aligned to 64; NULL (and pool->failed) when there is no memory or
   the product overflows. count = 0 gives a valid pointer to nothing. */
void *dae_base_take(dae_pool *pool, size_t count, size_t size);

/* The same for data without pointers among them: bytes that mean the same elsewhere. */
void *dae_base_data(dae_pool *pool, size_t count, size_t size);
double *dae_base_doubles(dae_pool *pool, size_t count);
int *dae_base_ints(dae_pool *pool, size_t count);
char *dae_base_string(dae_pool *pool, const char *text);

/* give one block back early; NULL is allowed */
void dae_base_give(dae_pool *pool, void *block);

/* a block that must outlive growth: copies min(old, new) bytes; the old one is given back */
void *dae_base_regrow(dae_pool *pool, void *block, size_t old_count, size_t count, size_t size);

void dae_base_pool_free(dae_pool *pool);

/* What a checkpoint (base/image.h) must know of the objects in a pool. Pointers that change after
   they were made, to memory of the same owner (others become what they were then); a pool
   inside an object whose blocks of data are taken at any time; members that belong to the place
   where they are and are left alone */
void dae_base_moving(dae_pool *pool, void *slots, size_t count);
void dae_base_growing(dae_pool *pool, dae_pool *inner);
void dae_base_kept(dae_pool *pool, void *member, size_t bytes);

/* a line for the log, when its level is wanted */
void dae_base_log(const dae_log *log, dae_log_level level, const char *format, ...)
    DAE_PRINTF(3, 4);

/* Between begin and end the calling thread reads and writes numbers with a decimal point, whatever
   its locale. */
typedef struct dae_plain {
  void *plain, *before;
} dae_plain;
dae_plain dae_base_plain_begin(void);
void dae_base_plain_end(dae_plain p);

/* strtod and vsnprintf that do not depend on the locale; nothing is written when text is NULL or
   size <= 0 */
double dae_base_strtod(const char *text, char **end);
void dae_base_print(char *text, int size, const char *format, ...) DAE_PRINTF(3, 4);
void dae_base_vprint(char *text, int size, const char *format, va_list args) DAE_PRINTF(3, 0);

/* A file in place of another, all at once; false: it could not be done. DAE_PATH_MAX: the longest
   path that is dealt with */
enum { DAE_PATH_MAX = 4096 };
bool dae_base_replace(const char *from, const char *to);

/* A struct of a program of another version, `size` bytes of it, over ours: false when it has less
   than `least` bytes, or more than ours with something other than zeros there. */
bool dae_base_import(void *ours, size_t our_size, const void *theirs, int size, size_t least);

/* Are the options from dae_options_default, every number finite, every name there? A sentence names
   the culprit. */
dae_status dae_base_options_valid(const dae_options *o, char *message, int size);
/* the place of a word among those that the option at `offset` of dae_options may be, from 0 */
int dae_base_options_word(size_t offset, const char *value);

/* edit distance for "did you mean": index of the nearest of `names`, or -1 when none is near */
int dae_base_nearest(const char *word, const char *const *names, int count);

/* all entries are finite: a sum of numbers is a number, and one with NaN or infinity in it is
   none */
bool dae_base_finite_many(const double *x, int n);
static inline bool dae_base_finite(const double *x, int n) {
  if (n >= 8) return dae_base_finite_many(x, n);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  /* or it may have overflowed */
  return sum - sum == 0 || dae_base_finite_many(x, n);
}

#endif
