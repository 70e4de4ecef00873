/* bytes that go out and come in, with a checksum */
#include "base/stream.h"

#include <stdio.h>
#include <string.h>

uint64_t dae_base_sum(uint64_t sum, const void *bytes, size_t count) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < count; i++) sum = (sum ^ b[i]) * UINT64_C(0x100000001b3);
  return sum;
}

void dae_base_put(dae_writer *w, const void *bytes, size_t count) {
  if (count == 0) return;
  if (w->file && fwrite(bytes, 1, count, w->file) != count) w->failed = true;
  if (w->to && count > w->room - w->count) w->failed = true;
  else if (w->to) memcpy(w->to + w->count, bytes, count);
  if (w->failed) return;
  w->count += count;
  if (w->file || w->to) w->sum = dae_base_sum(w->sum, bytes, count);
}

bool dae_base_replace(const char *from, const char *to) {
#ifdef _WIN32
  remove(to); /* there rename does not replace */
#endif
  return rename(from, to) == 0;
}

const void *dae_base_get(dae_reader *r, size_t count) {
  if (r->failed || count > r->left) {
    r->failed = true;
    return NULL;
  }
  const char *at = r->at;
  r->at += count;
  r->left -= count;
  return at;
}

uint64_t dae_base_get_number(dae_reader *r) {
  uint64_t number = 0;
  const void *at = dae_base_get(r, sizeof number);
  if (at) memcpy(&number, at, sizeof number);
  return number;
}
