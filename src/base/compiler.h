/*
 * What standard C does not have: all uses of compiler extensions go through these names. GCC and
 * Clang have them on every system; on a compiler without them this file is the one to extend.
 */
#ifndef DAE_BASE_COMPILER_H
#define DAE_BASE_COMPILER_H

#ifndef __GNUC__
#error "Daedal needs GCC or Clang: vectors of numbers, complex numbers and inlining on request"
#endif

/* arguments are checked against the format; m and n are their places, from 1 */
#define DAE_PRINTF(m, n) __attribute__((format(printf, m, n)))
#define DAE_ALWAYS_INLINE inline __attribute__((always_inline))
/* the loop that follows, of a constant number of passes, as straight code */
#ifdef __clang__
#define DAE_UNROLL _Pragma("unroll")
#else
#define DAE_UNROLL _Pragma("GCC unroll 16")
#endif
#define DAE_NOINLINE __attribute__((noinline))
/* a vector of so many bytes; DAE_VECTOR_ANYWHERE is aligned as a double and may alias doubles */
#define DAE_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define DAE_VECTOR_ANYWHERE(bytes) __attribute__((vector_size(bytes), aligned(8), may_alias))
#define DAE_MAY_ALIAS __attribute__((may_alias))
/* re + i im: clang with glibc has the builtin but not the standard name */
#define DAE_COMPLEX(re, im) __builtin_complex((double)(re), (double)(im))
/* memory that nobody may touch, for the address sanitizer */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define DAE_POISON(address, bytes) ASAN_POISON_MEMORY_REGION(address, bytes)
#define DAE_UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#endif
#endif
#ifndef DAE_POISON
#define DAE_POISON(address, bytes) ((void)(address), (void)(bytes))
#define DAE_UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif
#if defined(__x86_64__)
#define DAE_PROCESSOR_HAS_AVX2 (__builtin_cpu_supports("avx2") != 0)
#else
#define DAE_PROCESSOR_HAS_AVX2 0
#endif

#endif
