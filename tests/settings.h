/* options of a test as the layers below take them */
#ifndef TEST_SETTINGS_H
#define TEST_SETTINGS_H

#include "choose/choose.h"
#include "test.h"

static inline dae_settings settings_of(const dae_problem *p, const dae_options *o, dae_pool *pool) {
  dae_settings settings = {0};
  char message[DAE_TEXT_MAX] = "";
  CHECK(dae_choose_settings(&settings, p, o, pool, message, sizeof message) == DAE_OK);
  if (message[0]) printf("%s\n", message);
  return settings;
}

#endif
