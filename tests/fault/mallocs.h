/* counts takes of memory behind the user's allocator: where the C library can be asked by other
   names, everybody's malloc is this one, that of linked libraries too; elsewhere only the user's
   allocator counts */
#ifndef FAULT_MALLOCS_H
#define FAULT_MALLOCS_H

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

static long mallocs;

#if defined(__GLIBC__) && !defined(SANITIZED)
#define INTERPOSED 1
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t bytes) {
  mallocs++;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  mallocs++;
  return __libc_calloc(count, bytes);
}
void *realloc(void *block, size_t bytes) {
  mallocs++;
  return __libc_realloc(block, bytes);
}
#endif

#endif
