/* bytes that go to a checkpoint, or come back from it in the same order */
#include "cli.h"

#include <string.h>

void cli_state_bytes(cli_state *s, void *bytes, size_t count) {
  if (count == 0 || s->failed) return;
  if (s->to) {
    if (fwrite(bytes, 1, count, s->to) != count) s->failed = true;
    s->sum = cli_checksum(s->sum, bytes, count);
    return;
  }
  if (count > s->left) {
    s->failed = true;
    return;
  }
  memcpy(bytes, s->from, count);
  s->from += count;
  s->left -= count;
}
