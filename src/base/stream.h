/* stream: bytes that go out and come in, with a checksum of all of them */
#ifndef DAE_BASE_STREAM_H
#define DAE_BASE_STREAM_H

#include <stdint.h>

#include "base/base.h"

/* the checksum FNV-1a of 64 bits: every change of a single byte is seen */
#define DAE_SUM_START UINT64_C(0xcbf29ce484222325)
uint64_t dae_base_sum(uint64_t sum, const void *bytes, size_t count);

/* to a file, to memory, or to nowhere, where only the number of bytes is wanted */
typedef struct dae_writer {
  void *file; /* a FILE; NULL: none */
  char *to;   /* memory; NULL: none */
  size_t room, count;
  uint64_t sum;
  bool failed; /* the file could not be written, or the room was too small */
} dae_writer;

void dae_base_put(dae_writer *w, const void *bytes, size_t count);
static inline void dae_base_put_number(dae_writer *w, uint64_t number) {
  dae_base_put(w, &number, sizeof number);
}

/* from memory */
typedef struct dae_reader {
  const char *at;
  size_t left;
  bool failed; /* more was asked for than is there */
} dae_reader;

/* the next bytes where they are; NULL when there are not so many */
const void *dae_base_get(dae_reader *r, size_t count);
/* 0 when there is none */
uint64_t dae_base_get_number(dae_reader *r);

#endif
