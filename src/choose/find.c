/* entries of the tables by their names: the only place where names are compared */
#include <string.h>

#include "choose/choose.h"

const dae_method *dae_method_find(const char *name) {
  const dae_method *m;
  for (int i = 0; name && (m = dae_method_at(i)); i++)
    if (strcmp(m->name, name) == 0) return m;
  return NULL;
}

/* up to a ':', which starts a parameter of the entry */
static const dae_choice *find(const dae_choice *(*at)(int), const char *name, size_t length) {
  const dae_choice *c;
  for (int i = 0; name && (c = at(i)); i++)
    if (strncmp(c->name, name, length) == 0 && c->name[length] == '\0') return c;
  return NULL;
}

const dae_choice *dae_form_find(const char *name) {
  return find(dae_form_at, name, name ? strcspn(name, ":") : 0);
}

const dae_choice *dae_direction_find(const char *name) {
  return find(dae_direction_at, name, name ? strlen(name) : 0);
}

const dae_choice *dae_stabilizer_find(const char *name) {
  return find(dae_stabilizer_at, name, name ? strlen(name) : 0);
}
