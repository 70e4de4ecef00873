/* text with numbers in it: a decimal point everywhere, whatever the locale of the program */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* locales belong to a thread, so that no other one notices. Without memory for a locale (never seen
   for "C") things stay as they are */
dae_plain dae_base_plain_begin(void) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (dae_plain){plain, plain ? uselocale(plain) : (locale_t)0};
}

void dae_base_plain_end(dae_plain p) {
  if (!p.plain) return;
  uselocale((locale_t)p.before);
  freelocale((locale_t)p.plain);
}

double dae_base_strtod(const char *text, char **end) {
  dae_plain p = dae_base_plain_begin();
  double x = strtod(text, end);
  dae_base_plain_end(p);
  return x;
}

void dae_base_vprint(char *text, int size, const char *format, va_list args) {
  if (!text || size <= 0) return;
  dae_plain p = dae_base_plain_begin();
  vsnprintf(text, (size_t)size, format, args);
  dae_base_plain_end(p);
}

void dae_base_print(char *text, int size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dae_base_vprint(text, size, format, args);
  va_end(args);
}
