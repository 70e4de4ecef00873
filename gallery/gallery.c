/* the index table, and opening a problem by name with some parameters set */
#include "gallery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"

#define GALLERY_POINTER(identifier) &gallery_##identifier,
static const gallery_entry *const table[] = {GALLERY_LIST(GALLERY_POINTER)};
enum { COUNT = sizeof table / sizeof *table };

const gallery_entry *gallery_at(int i) { return i >= 0 && i < COUNT ? table[i] : NULL; }

const gallery_entry *gallery_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

/* puts one value into its place, or says why not */
static dae_status set_parameter(const gallery_entry *entry, double *par, const char *name,
                                double value, char *message, int size) {
  for (int i = 0; i < entry->n_par; i++) {
    const gallery_parameter *p = &entry->par[i];
    if (strcmp(p->name, name) != 0) continue;
    bool limited = p->low != 0 || p->high != 0;
    if (!isfinite(value) || (p->whole && value != floor(value)) ||
        (limited && (value < p->low || value > p->high))) {
      int n = snprintf(message, (size_t)size, "parameter %s of %s cannot be %g", name, entry->name,
                       value);
      if (limited && n >= 0 && n < size)
        snprintf(message + n, (size_t)(size - n), ": it is a%s number from %g to %g",
                 p->whole ? " whole" : "", p->low, p->high);
      return DAE_E_INPUT;
    }
    par[i] = value;
    return DAE_OK;
  }
  snprintf(message, (size_t)size, "%s has no parameter '%s'", entry->name, name);
  return DAE_E_INPUT;
}

dae_status gallery_open(dae_problem **out, const char *name, int n_set, const char *const *set_name,
                        const double *set_value, char *message, int size) {
  *out = NULL;
  const gallery_entry *entry = gallery_find(name);
  if (!entry) {
    snprintf(message, (size_t)size, "there is no problem '%s' in the gallery", name);
    return DAE_E_INPUT;
  }
  dae_status status = DAE_OK;
  double *par = malloc((size_t)(entry->n_par + 1) * sizeof *par);
  if (!par) return DAE_E_MEMORY;
  for (int i = 0; i < entry->n_par; i++) par[i] = entry->par[i].value;
  for (int i = 0; i < n_set && status == DAE_OK; i++)
    status = set_parameter(entry, par, set_name[i], set_value[i], message, size);
  if (status == DAE_OK) {
    *out = entry->open(par);
    if (!*out) status = DAE_E_MEMORY;
  }
  free(par);
  return status;
}

void gallery_close(const char *name, dae_problem *p) {
  const gallery_entry *entry = gallery_find(name);
  if (entry && p) entry->close(p);
}
