/* how the mechanisms of the gallery are drawn */
#include <string.h>

#include "draw.h"

static const struct {
  const char *name;
  gallery_drawer *draw;
} table[] = {
    {NULL, NULL},
};

gallery_drawer *gallery_drawer_of(const char *name) {
  for (size_t i = 0; table[i].name; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].draw;
  return NULL;
}
