/* all memory of an object as bytes, and back */
#include "base/image.h"

#include <limits.h>
#include <string.h>

#include "base/pool.h"

/* objects are compared word by word: a pointer is one */
enum { WORD = sizeof(void *) };
/* what a word of an object is */
enum { PLAIN, MOVING, KEPT };
/* places that are in no block */
#define NOWHERE UINT64_C(0xffffffff)
#define OUTSIDE UINT64_C(0xfffffffe)
#define END_OF_WORDS UINT64_C(0xffffffffffffffff)

typedef struct part {
  char *data;
  size_t bytes;
  char *made;           /* an object when it was made; NULL: data */
  unsigned char *words; /* what its words are */
} part;

/* the blocks in the order in which they were taken, then those of growing pools */
typedef struct parts {
  dae_pool room;
  part *part;
  int count, fixed;
  dae_pool **grown;
  int n_grown;
} parts;

int dae_image_blocks(const dae_pool *pool) {
  int count = 0;
  for (const struct dae_pool_block *b = pool->blocks; b; b = b->next)
    count += b->kind != DAE_POOL_ASIDE;
  return count;
}

static size_t words_of(size_t bytes) { return (bytes + WORD - 1) / WORD; }

/* bytes of word k in a block of so many */
static size_t word_size(size_t bytes, size_t k) {
  return bytes - k * WORD < WORD ? bytes - k * WORD : WORD;
}

/* fills part[0 .. ] with the oldest `most` blocks of the pool; returns how many */
static int list_blocks(const dae_pool *pool, int most, part *out) {
  int count = dae_image_blocks(pool), i = count;
  for (struct dae_pool_block *b = pool->blocks; b; b = b->next) {
    if (b->kind == DAE_POOL_ASIDE || --i >= most) continue;
    /* an object has its copy in due course */
    char *data = dae_pool_data(b);
    out[i] = (part){data, b->bytes, b->kind == DAE_POOL_OBJECT ? data : NULL, NULL};
  }
  return count < most ? count : most;
}

/* the part that an address is in, its end included; -1: none */
static int find(const part *p, int count, const void *address) {
  uintptr_t a = (uintptr_t)address;
  for (int i = 0; i < count; i++)
    if (a >= (uintptr_t)p[i].data && a - (uintptr_t)p[i].data <= p[i].bytes) return i;
  return -1;
}

/* what is noted of the words of objects; notes of blocks that are not in the image stay unheard */
static void hear_notes(parts *a, const dae_pool *pool) {
  for (const struct dae_pool_notes *n = pool->notes; n; n = n->next)
    for (int i = 0; i < n->count; i++) {
      const dae_note *note = &n->note[i];
      int k = find(a->part, a->fixed, note->at);
      if (k < 0 || !a->part[k].made) continue;
      size_t first = (size_t)((char *)note->at - a->part[k].data) / WORD;
      for (size_t w = first; w < first + words_of(note->bytes); w++)
        a->part[k].words[w] = note->kind == DAE_NOTE_MOVING ? MOVING : KEPT;
    }
}

static int count_grown(const dae_pool *pool) {
  int count = 0;
  for (const struct dae_pool_notes *n = pool->notes; n; n = n->next)
    for (int i = 0; i < n->count; i++) count += n->note[i].kind == DAE_NOTE_GROWING;
  return count;
}

/* growing pools by their place, so that the order is that of any other such object */
static void list_grown(parts *a, const dae_pool *pool) {
  for (const struct dae_pool_notes *n = pool->notes; n; n = n->next)
    for (int i = 0; i < n->count; i++) {
      if (n->note[i].kind != DAE_NOTE_GROWING) continue;
      int at = a->n_grown++, key = find(a->part, a->fixed, n->note[i].at);
      for (; at > 0; at--) {
        int other = find(a->part, a->fixed, a->grown[at - 1]);
        if (other < key || (other == key && (char *)a->grown[at - 1] < (char *)n->note[i].at))
          break;
        a->grown[at] = a->grown[at - 1];
      }
      a->grown[at] = n->note[i].at;
    }
}

/* blocks of growing pools, behind all others */
static bool list_growth(parts *a) {
  int more = 0;
  for (int g = 0; g < a->n_grown; g++) more += dae_image_blocks(a->grown[g]);
  part *all = dae_base_aside(&a->room, (size_t)(a->fixed + more), sizeof *all);
  if (!all) return false;
  memcpy(all, a->part, (size_t)a->fixed * sizeof *all);
  a->part = all;
  a->count = a->fixed;
  for (int g = 0; g < a->n_grown; g++)
    a->count += list_blocks(a->grown[g], dae_image_blocks(a->grown[g]), all + a->count);
  for (int i = a->fixed; i < a->count; i++) all[i].made = NULL;
  return true;
}

static bool list_parts(const dae_image *m, parts *a) {
  *a = (parts){0};
  dae_base_pool_init(&a->room, &m->pool->allocator);
  int own = dae_image_blocks(m->pool);
  a->part = dae_base_aside(&a->room, (size_t)(m->n_home + own), sizeof *a->part);
  if (!a->part) return false;
  if (m->home) a->fixed = list_blocks(m->home, m->n_home, a->part);
  a->fixed += list_blocks(m->pool, own, a->part + a->fixed);
  char *made = m->made;
  for (int i = 0; i < a->fixed; i++) {
    part *p = &a->part[i];
    if (!p->made) continue;
    p->made = made;
    made += p->bytes;
    p->words = dae_base_aside(&a->room, words_of(p->bytes), 1);
    if (!p->words) return false;
  }
  if (m->home) hear_notes(a, m->home);
  hear_notes(a, m->pool);
  a->grown = dae_base_aside(&a->room, (size_t)count_grown(m->pool), sizeof *a->grown);
  if (!a->grown) return false;
  list_grown(a, m->pool);
  return list_growth(a);
}

/* the first object from b on that is one of the oldest `most` blocks of its pool; *left counts the
   blocks down to the oldest. NULL: none */
static struct dae_pool_block *next_object(struct dae_pool_block *b, int *left, int most) {
  for (; b; b = b->next)
    if (b->kind != DAE_POOL_ASIDE && --*left < most && b->kind == DAE_POOL_OBJECT) return b;
  return NULL;
}

/* bytes of the oldest `most` objects of a pool; they are copied to where `end` ends unless it is
   NULL */
static size_t copy_objects(const dae_pool *pool, int most, char *end) {
  size_t bytes = 0;
  int left = most == INT_MAX ? 0 : dae_image_blocks(pool);
  for (struct dae_pool_block *b = next_object(pool->blocks, &left, most); b;
       b = next_object(b->next, &left, most)) {
    bytes += b->bytes;
    if (end) memcpy(end - bytes, dae_pool_data(b), b->bytes);
  }
  return bytes;
}

bool dae_image_take(dae_image *m, dae_pool *pool, dae_pool *home, int n_home) {
  *m = (dae_image){pool, home, home ? n_home : 0, NULL, 0, 0};
  m->own = copy_objects(pool, INT_MAX, NULL);
  m->at_home = home ? copy_objects(home, n_home, NULL) : 0;
  m->made = dae_base_uncleared(pool, m->at_home + m->own);
  return m->made != NULL;
}

void dae_image_keep(dae_image *m) {
  copy_objects(m->pool, INT_MAX, m->made + m->at_home + m->own);
  if (m->home) copy_objects(m->home, m->n_home, m->made + m->at_home);
}

/* ---- writing ---- */

/* trailing zeros, as of lists that are not full, are left out */
static void put_data(dae_writer *w, const part *p) {
  size_t used = p->bytes;
  while (used > 0 && p->data[used - 1] == 0) used--;
  dae_base_put_number(w, used);
  dae_base_put(w, p->data, used);
}

static void put_pointer(dae_writer *w, const parts *a, const char *at) {
  const void *address;
  memcpy(&address, at, sizeof address);
  int k = address ? find(a->part, a->count, address) : -1;
  dae_base_put_number(w, k >= 0 ? (uint64_t)k : address ? OUTSIDE : NOWHERE);
  if (k >= 0) dae_base_put_number(w, (uint64_t)((const char *)address - a->part[k].data));
}

static void put_object(dae_writer *w, const parts *a, const part *p) {
  for (size_t k = 0; k < words_of(p->bytes); k++) {
    size_t at = k * WORD, size = word_size(p->bytes, k);
    if (p->words[k] != PLAIN || memcmp(p->data + at, p->made + at, size) == 0) continue;
    dae_base_put_number(w, k);
    dae_base_put(w, p->data + at, size);
  }
  dae_base_put_number(w, END_OF_WORDS);
  for (size_t k = 0; k < words_of(p->bytes); k++)
    if (p->words[k] == MOVING) put_pointer(w, a, p->data + k * WORD);
}

/* the sizes first, so that another object is seen to be one before anything is changed */
static void put_shape(dae_writer *w, const parts *a) {
  dae_base_put_number(w, (uint64_t)a->fixed);
  for (int i = 0; i < a->fixed; i++)
    dae_base_put_number(w, (uint64_t)a->part[i].bytes << 1 | (a->part[i].made != NULL));
  dae_base_put_number(w, (uint64_t)a->n_grown);
  for (int g = 0, i = a->fixed; g < a->n_grown; g++) {
    int blocks = dae_image_blocks(a->grown[g]);
    dae_base_put_number(w, (uint64_t)blocks);
    for (int k = 0; k < blocks; k++, i++) dae_base_put_number(w, a->part[i].bytes);
  }
}

bool dae_image_write(const dae_image *m, dae_writer *w) {
  parts a;
  bool listed = list_parts(m, &a);
  if (listed) {
    put_shape(w, &a);
    for (int i = 0; i < a.count; i++)
      if (a.part[i].made) put_object(w, &a, &a.part[i]);
      else put_data(w, &a.part[i]);
  }
  dae_base_pool_free(&a.room);
  return listed;
}

/* ---- reading ---- */

static bool same_shape(const parts *a, dae_reader *r) {
  bool same = dae_base_get_number(r) == (uint64_t)a->fixed;
  for (int i = 0; i < a->fixed && same; i++)
    same = dae_base_get_number(r) ==
           ((uint64_t)a->part[i].bytes << 1 | (uint64_t)(a->part[i].made != NULL));
  return same && dae_base_get_number(r) == (uint64_t)a->n_grown && !r->failed;
}

/* growing pools with blocks of the sizes that follow; without `apply` they are read over. A pool of
   the same blocks stays */
static dae_status grow(parts *a, dae_reader *r, bool apply) {
  for (int g = 0, i = a->fixed; g < a->n_grown; g++) {
    int have = dae_image_blocks(a->grown[g]);
    uint64_t blocks = dae_base_get_number(r);
    if (r->failed || blocks > r->left / sizeof(uint64_t)) return DAE_E_INPUT;
    const char *sizes = dae_base_get(r, (size_t)blocks * sizeof(uint64_t));
    bool same = blocks == (uint64_t)have;
    for (int k = 0; k < have && same; k++) {
      uint64_t bytes;
      memcpy(&bytes, sizes + (size_t)k * sizeof bytes, sizeof bytes);
      same = bytes == a->part[i + k].bytes;
    }
    i += have;
    if (same || !apply) continue;
    dae_base_pool_free(a->grown[g]);
    for (uint64_t k = 0; k < blocks; k++) {
      uint64_t bytes;
      memcpy(&bytes, sizes + (size_t)k * sizeof bytes, sizeof bytes);
      if (bytes > SIZE_MAX / 2 || !dae_base_data(a->grown[g], (size_t)bytes, 1))
        return DAE_E_MEMORY;
    }
  }
  return DAE_OK;
}

static bool get_data(dae_reader *r, const part *p, bool apply) {
  uint64_t used = dae_base_get_number(r);
  const char *bytes = used <= p->bytes ? dae_base_get(r, (size_t)used) : NULL;
  if (!bytes) return false;
  if (!apply) return true;
  if (used > 0) memcpy(p->data, bytes, (size_t)used);
  memset(p->data + used, 0, p->bytes - (size_t)used);
  return true;
}

static bool get_pointer(dae_reader *r, const parts *a, const part *p, size_t word, bool apply) {
  uint64_t block = dae_base_get_number(r), offset = 0;
  bool inside = block != NOWHERE && block != OUTSIDE;
  if (inside) offset = dae_base_get_number(r);
  /* the sizes of growing blocks are known when they have been taken */
  if (r->failed ||
      (inside && apply && (block >= (uint64_t)a->count || offset > a->part[block].bytes)))
    return false;
  if (!apply || block == OUTSIDE) return true;
  const void *address = inside ? a->part[block].data + offset : NULL;
  memcpy(p->data + word * WORD, &address, sizeof address);
  return true;
}

static void put_back(const part *p) {
  for (size_t k = 0; k < words_of(p->bytes); k++)
    if (p->words[k] != KEPT) memcpy(p->data + k * WORD, p->made + k * WORD, word_size(p->bytes, k));
}

static bool get_object(dae_reader *r, const parts *a, const part *p, bool apply) {
  if (apply) put_back(p);
  for (;;) {
    uint64_t k = dae_base_get_number(r);
    if (r->failed) return false;
    if (k == END_OF_WORDS) break;
    if (k >= words_of(p->bytes) || p->words[k] != PLAIN) return false;
    size_t size = word_size(p->bytes, (size_t)k);
    const char *word = dae_base_get(r, size);
    if (!word) return false;
    if (apply) memcpy(p->data + (size_t)k * WORD, word, size);
  }
  for (size_t k = 0; k < words_of(p->bytes); k++)
    if (p->words[k] == MOVING && !get_pointer(r, a, p, k, apply)) return false;
  return true;
}

/* with apply false nothing changes; how many blocks growing pools will have is not known then */
static dae_status get_all(const dae_image *m, dae_reader *r, bool apply) {
  parts a;
  dae_status status = list_parts(m, &a) ? DAE_OK : DAE_E_MEMORY;
  if (status == DAE_OK && !same_shape(&a, r)) status = DAE_E_INPUT;
  if (status == DAE_OK) status = grow(&a, r, apply);
  if (status == DAE_OK && apply && !list_growth(&a)) status = DAE_E_MEMORY;
  int count = apply ? a.count : a.fixed;
  for (int i = 0; i < count && status == DAE_OK; i++) {
    bool ok =
        a.part[i].made ? get_object(r, &a, &a.part[i], apply) : get_data(r, &a.part[i], apply);
    if (!ok) status = DAE_E_INPUT;
  }
  dae_base_pool_free(&a.room);
  return status;
}

dae_status dae_image_read(const dae_image *m, dae_reader *r) {
  dae_reader look = *r;
  dae_status status = get_all(m, &look, false);
  return status == DAE_OK ? get_all(m, r, true) : status;
}

int dae_image_suspects(const dae_image *m, dae_image_judge *judge, void *ctx) {
  parts a;
  int found = list_parts(m, &a) ? 0 : -1;
  for (int i = 0; i < a.fixed && found >= 0; i++) {
    const part *p = &a.part[i];
    for (size_t k = 0; p->made && k < p->bytes / WORD; k++) {
      const void *word;
      memcpy(&word, p->data + k * WORD, sizeof word);
      if (p->words[k] == PLAIN && memcmp(p->data + k * WORD, p->made + k * WORD, WORD) != 0)
        found += judge(word, k * WORD, p->bytes, ctx);
    }
  }
  dae_base_pool_free(&a.room);
  return found;
}
