/*
 * cache: compiled models in a folder of the user. An entry is one file,
 *   object | key and source text | tail with both lengths and a checksum of all bytes before it,
 * written beside its place and renamed, so that readers see it whole or not at all.
 */
#ifndef DAE_MODEL_CACHE_H
#define DAE_MODEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { DAE_PATH = 1024 };

/* what must be the same for an object to serve */
typedef struct dae_cache_key {
  const char *head; /* program, compiler, options, machine */
  const char *text; /* source */
  size_t length;    /* of the source */
  char name[40];    /* of the entry, made from both */
} dae_cache_key;

void dae_model_cache_name(dae_cache_key *key);
/* the user's folder, made when it is missing; false when there is none that is his alone */
bool dae_model_cache_folder(const char *wish, char *path, size_t size);
/* a fresh folder inside `parent` for the files of one compilation; false: it cannot be written */
bool dae_model_cache_workroom(const char *parent, char *path, size_t size);
void dae_model_cache_clear(const char *workroom);
/* is there an entry, whole and of this key? Its path is written in any case */
bool dae_model_cache_find(const char *folder, const dae_cache_key *key, char *path, size_t size);
/* the object becomes the entry `path` */
bool dae_model_cache_put(const char *object, const dae_cache_key *key, const char *path);
/* removes what killed compilations left, and the oldest entries of a folder that is too large */
void dae_model_cache_tidy(const char *folder);

#endif
