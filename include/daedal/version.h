/* version of the library */
#ifndef DAEDAL_VERSION_H
#define DAEDAL_VERSION_H

#define DAE_VERSION_MAJOR 0
#define DAE_VERSION_MINOR 1
#define DAE_VERSION_PATCH 0
#define DAE_VERSION "0.1.0"

/* symbols that leave the shared library, with C names for C++ too; all others are hidden */
#ifdef __GNUC__
#define DAE_VISIBLE __attribute__((visibility("default")))
#else
#define DAE_VISIBLE
#endif
#ifdef __cplusplus
#define DAE_API extern "C" DAE_VISIBLE
#else
#define DAE_API DAE_VISIBLE
#endif

/* The version of the library that is linked, as "major.minor.patch". */
DAE_API const char *dae_version(void);

#endif
