/* the table of options as text */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include <daedal/options.h>

enum option_type { TYPE_REAL, TYPE_COUNT, TYPE_FLAG, TYPE_NAME, TYPE_WORD };

static const struct {
  const char *field;
  enum option_type type;
  const char *type_name, *value, *meaning;
  size_t offset;
} table[] = {
#define ROW(type, field, value, meaning) \
  {#field, TYPE_##type, #type, #value, meaning, offsetof(dae_options, field)},
    DAE_OPTION_LIST(ROW)
#undef ROW
};
enum { OPTIONS = sizeof table / sizeof *table };

dae_options dae_options_default(void) {
  dae_options o = {
#define ROW(type, field, value, meaning) .field = value,
      DAE_OPTION_LIST(ROW)
#undef ROW
  };
  o.cookie = DAE_OPTIONS_COOKIE;
  o.size = (int)sizeof o;
  return o;
}

bool dae_base_import(void *ours, size_t our_size, const void *theirs, int size, size_t least) {
  if (size < 0 || (size_t)size < least) return false;
  size_t bytes = (size_t)size < our_size ? (size_t)size : our_size;
  for (size_t i = bytes; i < (size_t)size; i++)
    if (((const char *)theirs)[i] != 0) return false;
  memcpy(ours, theirs, bytes);
  return true;
}

/* has the caller's struct this option? */
static bool within(const dae_options *o, size_t offset, size_t bytes) {
  return offset + bytes <= (size_t)o->size;
}

dae_status dae_options_fill(dae_options *o, int size) {
  const dae_options ours = dae_options_default();
  enum { MOST = 1 << 16 }; /* bytes: no version has as many */
  if (!o || size < (int)offsetof(dae_options, allocator) || size > MOST) return DAE_E_INPUT;
  size_t bytes = (size_t)size < sizeof ours ? (size_t)size : sizeof ours;
  memset(o, 0, (size_t)size);
  memcpy(o, &ours, bytes);
  o->size = size;
  return DAE_OK;
}

const char *dae_option_key(int i) { return i >= 0 && i < OPTIONS ? table[i].field : NULL; }
const char *dae_option_type(int i) { return i >= 0 && i < OPTIONS ? table[i].type_name : NULL; }
const char *dae_option_meaning(int i) { return i >= 0 && i < OPTIONS ? table[i].meaning : NULL; }
const char *dae_option_default(int i) { return i >= 0 && i < OPTIONS ? table[i].value : NULL; }

/* '-' and '_' are the same in a key */
static bool same_key(const char *key, const char *field) {
  for (; *key && *field; key++, field++)
    if (*key != *field && !(*key == '-' && *field == '_')) return false;
  return *key == *field;
}

static dae_status unknown(const char *key, char *message, int size) {
  char word[64];
  const char *names[OPTIONS];
  snprintf(word, sizeof word, "%s", key);
  for (char *c = word; *c; c++)
    if (*c == '-') *c = '_';
  for (int i = 0; i < OPTIONS; i++) names[i] = table[i].field;
  int near = dae_base_nearest(word, names, OPTIONS);
  if (near >= 0)
    dae_base_print(message, size, "unknown option '%s'; did you mean '%s'?", key, names[near]);
  else dae_base_print(message, size, "unknown option '%s'", key);
  return DAE_E_INPUT;
}

static bool read_real(const char *text, double *out) {
  char *end;
  *out = dae_base_strtod(text, &end);
  return end != text && *end == 0 && isfinite(*out);
}

static bool read_count(const char *text, int *out) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  *out = (int)value;
  return end != text && *end == 0 && errno == 0 && value >= 0 && value <= 2000000000L;
}

static bool read_flag(const char *text, int *out) {
  *out = strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 ||
         strcmp(text, "on") == 0;
  return *out || strcmp(text, "0") == 0 || strcmp(text, "false") == 0 || strcmp(text, "no") == 0 ||
         strcmp(text, "off") == 0;
}

static bool is_text(int i) { return table[i].type == TYPE_NAME || table[i].type == TYPE_WORD; }

static size_t field_bytes(int i) {
  return table[i].type == TYPE_REAL ? sizeof(double) : is_text(i) ? sizeof(char *) : sizeof(int);
}

/* the length of the list of words that the meaning of a WORD begins with */
static int words_length(int i) { return (int)strcspn(table[i].meaning, ":"); }

/* its place among them, from 0; -1: it is none */
static int place_of(int i, const char *value) {
  size_t length = strlen(value);
  const char *word = table[i].meaning, *end = word + words_length(i);
  for (int place = 0; word < end; place++) {
    size_t next = strcspn(word, ",:");
    if (next == length && strncmp(word, value, length) == 0) return place;
    word += next;
    word += strspn(word, ", ");
  }
  return -1;
}

static bool is_word(int i, const char *value) { return place_of(i, value) >= 0; }

int dae_base_options_word(size_t offset, const char *value) {
  int i = 0;
  while (i < OPTIONS && table[i].offset != offset) i++;
  return i < OPTIONS ? place_of(i, value) : -1;
}

static dae_status not_a_word(int i, const char *value, char *message, int size) {
  dae_base_print(message, size, "option '%s': '%.60s' is not one of %.*s", table[i].field, value,
                 words_length(i), table[i].meaning);
  return DAE_E_INPUT;
}

dae_status dae_options_set(dae_options *o, const char *key, const char *value, char *message,
                           int size) {
  static const char *const wanted[] = {"a number", "a whole number >= 0", "yes or no", "a name"};
  int i = 0;
  if (!o || !key || !value) {
    dae_base_print(message, size, "dae_options_set: %s is NULL",
                   !o     ? "the options"
                   : !key ? "the key"
                          : "the value");
    return DAE_E_INPUT;
  }
  while (i < OPTIONS && !same_key(key, table[i].field)) i++;
  if (i == OPTIONS) return unknown(key, message, size);
  if (o->cookie != DAE_OPTIONS_COOKIE || !within(o, table[i].offset, field_bytes(i))) {
    dae_base_print(message, size,
                   "option '%s': options must come from dae_options_default() of a version with it",
                   key);
    return DAE_E_INPUT;
  }
  char *field = (char *)o + table[i].offset;
  double real;
  int count;
  bool ok = true;
  switch (table[i].type) {
    case TYPE_REAL:
      if ((ok = read_real(value, &real))) memcpy(field, &real, sizeof real);
      break;
    case TYPE_COUNT:
      if ((ok = read_count(value, &count))) memcpy(field, &count, sizeof count);
      break;
    case TYPE_FLAG:
      if ((ok = read_flag(value, &count))) memcpy(field, &count, sizeof count);
      break;
    case TYPE_WORD:
      if (!is_word(i, value)) return not_a_word(i, value, message, size);
      memcpy(field, &value, sizeof value);
      break;
    case TYPE_NAME: memcpy(field, &value, sizeof value); break;
  }
  if (ok) return DAE_OK;
  dae_base_print(message, size, "option '%s' needs %s, not '%s'", key, wanted[table[i].type],
                 value);
  return DAE_E_INPUT;
}

dae_status dae_base_options_valid(const dae_options *o, char *message, int size) {
  if (!o || o->cookie != DAE_OPTIONS_COOKIE) {
    dae_base_print(message, size, "options must come from dae_options_default()");
    return DAE_E_INPUT;
  }
  if (o->size != (int)sizeof *o) {
    dae_base_print(message, size, "the size of the options is %d, not %d bytes", o->size,
                   (int)sizeof *o);
    return DAE_E_INPUT;
  }
  for (int i = 0; i < OPTIONS; i++) {
    const char *field = (const char *)o + table[i].offset, *text = NULL, *fault = NULL;
    double real = 0;
    int count = 0;
    if (table[i].type == TYPE_REAL) memcpy(&real, field, sizeof real);
    else if (is_text(i)) memcpy(&text, field, sizeof text);
    else memcpy(&count, field, sizeof count);
    if (!isfinite(real)) fault = "is not a finite number";
    if (count < 0) fault = "is negative";
    if (is_text(i) && !text) fault = "is NULL";
    if (text && table[i].type == TYPE_WORD && !is_word(i, text))
      return not_a_word(i, text, message, size);
    if (!fault) continue;
    dae_base_print(message, size, "option '%s' %s", table[i].field, fault);
    return DAE_E_INPUT;
  }
  if (!o->allocator.take == !o->allocator.give) return DAE_OK;
  dae_base_print(message, size, "an allocator needs both take and give");
  return DAE_E_INPUT;
}
