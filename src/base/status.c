/* texts of the status enum, made from its one list */
#include "base/base.h"

#define COUNT_ONE(constant, value, name, meaning, advice) +1
enum { STATUS_COUNT = 0 DAE_STATUS_LIST(COUNT_ONE) };

static const struct {
  int value;
  const char *name, *meaning, *advice;
} table[] = {
#define ROW(constant, value, name, meaning, advice) {value, name, meaning, advice},
    DAE_STATUS_LIST(ROW)
#undef ROW
};

static int find(int status) {
  for (int i = 0; i < STATUS_COUNT; i++)
    if (table[i].value == status) return i;
  return -1;
}

const char *dae_status_name(int status) {
  int i = find(status);
  return i < 0 ? "unknown status" : table[i].name;
}

const char *dae_status_meaning(int status) {
  int i = find(status);
  return i < 0 ? "This number is not a status of the library." : table[i].meaning;
}

const char *dae_status_advice(int status) {
  int i = find(status);
  return i < 0 ? "" : table[i].advice;
}

const char *dae_version(void) { return DAE_VERSION; }
