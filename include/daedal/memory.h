/* where memory comes from and where log lines go; both can be replaced */
#ifndef DAEDAL_MEMORY_H
#define DAEDAL_MEMORY_H

#include <stddef.h>

/* A replaceable allocator. `take` returns NULL on failure; `give` accepts NULL. Leave all zero for
   malloc. */
typedef struct dae_allocator {
  void *(*take)(size_t bytes, void *ctx);
  void (*give)(void *block, void *ctx);
  void *ctx;
} dae_allocator;

typedef enum dae_log_level {
  DAE_LOG_ERROR,
  DAE_LOG_WARN,
  DAE_LOG_INFO,
  DAE_LOG_DEBUG
} dae_log_level;

/* A replaceable log; the library itself never prints. Leave all zero for silence. */
typedef struct dae_log {
  void (*line)(dae_log_level level, const char *text, void *ctx);
  void *ctx;
  dae_log_level level; /* lines above this level are not produced */
} dae_log;

#endif
