/* the table of options as text */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include <daedal/options.h>

enum option_type { TYPE_REAL, TYPE_COUNT, TYPE_FLAG, TYPE_NAME };

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
  return o;
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
    snprintf(message, (size_t)size, "unknown option '%s'; did you mean '%s'?", key, names[near]);
  else snprintf(message, (size_t)size, "unknown option '%s'", key);
  return DAE_E_INPUT;
}

static bool read_real(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
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

dae_status dae_options_set(dae_options *o, const char *key, const char *value, char *message,
                           int size) {
  static const char *const wanted[] = {"a number", "a whole number >= 0", "yes or no", "a name"};
  int i = 0;
  while (i < OPTIONS && !same_key(key, table[i].field)) i++;
  if (i == OPTIONS) return unknown(key, message, size);
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
    case TYPE_NAME: memcpy(field, &value, sizeof value); break;
  }
  if (ok) return DAE_OK;
  snprintf(message, (size_t)size, "option '%s' needs %s, not '%s'", key, wanted[table[i].type],
           value);
  return DAE_E_INPUT;
}
