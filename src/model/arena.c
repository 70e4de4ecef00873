/* memory for many small objects, text that grows, names with numbers */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/syntax.h"

enum { CHUNK = 1 << 16 };

void dae_model_arena_init(dae_arena *arena, const dae_allocator *allocator, jmp_buf *escape) {
  *arena = (dae_arena){.escape = escape};
  dae_base_pool_init(&arena->pool, allocator);
}

static void *take_block(dae_arena *arena, size_t count, size_t size) {
  dae_model_expect_bytes(arena, count, size);
  void *block = dae_base_take(&arena->pool, count, size);
  if (!block) longjmp(*arena->escape, 1);
  return block;
}

void *dae_model_take(dae_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (CHUNK / 4) / size) return take_block(arena, count, size);
  size_t bytes = (count * size + 15) & ~(size_t)15;
  if (bytes > arena->left) {
    arena->at = take_block(arena, CHUNK, 1);
    arena->left = CHUNK;
  }
  void *block = arena->at;
  arena->at += bytes;
  arena->left -= bytes;
  return block;
}

void *dae_model_grow(dae_arena *arena, void *block, int *capacity, int needed, size_t size) {
  if (needed <= *capacity) return block;
  size_t old = (size_t)*capacity, grown = old < 8 ? 16 : 2 * old;
  if (grown < (size_t)needed) grown = (size_t)needed;
  if (grown > INT_MAX) grown = INT_MAX;
  dae_model_expect_bytes(arena, grown, size);
  void *bigger = dae_base_regrow(&arena->pool, block, old, grown, size);
  if (!bigger) longjmp(*arena->escape, 1);
  *capacity = (int)grown;
  return bigger;
}

int *dae_model_ints(dae_arena *arena, int count) {
  return dae_model_take(arena, (size_t)count, sizeof(int));
}

char *dae_model_copy(dae_arena *arena, const char *text, size_t length) {
  char *copy = dae_model_take(arena, length + 1, 1);
  if (length) memcpy(copy, text, length);
  return copy;
}

void dae_model_text_bytes(dae_text *text, const char *bytes, size_t count) {
  if (count > (size_t)(INT_MAX - 1 - text->length)) return;
  text->data =
      dae_model_grow(text->arena, text->data, &text->capacity, text->length + (int)count + 1, 1);
  memcpy(text->data + text->length, bytes, count);
  text->length += (int)count;
  text->data[text->length] = '\0';
}

void dae_model_text_add(dae_text *text, const char *format, ...) {
  char line[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n < 0) return;
  dae_model_text_bytes(text, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

/* FNV-1a */
static uint32_t hash_bytes(const char *text, size_t length) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

static int find_slot(const dae_names *names, const char *text, size_t length, uint32_t h) {
  uint32_t mask = (uint32_t)names->slots - 1, s = h & mask;
  for (;; s = (s + 1) & mask) {
    int i = names->slot[s];
    if (i < 0) return (int)s;
    if (names->hash[i] == h && strncmp(names->text[i], text, length) == 0 &&
        names->text[i][length] == '\0')
      return (int)s;
  }
}

static void rehash(dae_names *names, int slots) {
  dae_base_give(&names->arena->pool, names->slot);
  names->slot = NULL;
  int none = 0;
  names->slot = dae_model_grow(names->arena, NULL, &none, slots, sizeof(int));
  names->slots = slots;
  for (int s = 0; s < slots; s++) names->slot[s] = -1;
  uint32_t mask = (uint32_t)slots - 1;
  for (int i = 0; i < names->count; i++) {
    uint32_t s = names->hash[i] & mask;
    while (names->slot[s] >= 0) s = (s + 1) & mask;
    names->slot[s] = i;
  }
}

int dae_model_name(dae_names *names, const char *text, size_t length) {
  if (2 * (names->count + 1) > names->slots) rehash(names, names->slots ? 2 * names->slots : 1024);
  uint32_t h = hash_bytes(text, length);
  int s = find_slot(names, text, length, h);
  if (names->slot[s] >= 0) return names->slot[s];
  int capacity = names->capacity;
  names->text =
      dae_model_grow(names->arena, names->text, &capacity, names->count + 1, sizeof(char *));
  names->hash = dae_model_grow(names->arena, names->hash, &names->capacity, names->count + 1,
                               sizeof(uint32_t));
  names->text[names->count] = dae_model_copy(names->arena, text, length);
  names->hash[names->count] = h;
  names->slot[s] = names->count;
  return names->count++;
}

int dae_model_name_find(const dae_names *names, const char *text) {
  if (names->slots == 0) return -1;
  size_t length = strlen(text);
  return names->slot[find_slot(names, text, length, hash_bytes(text, length))];
}
