/* absolute tolerances of single variables: an array, or a text of names and numbers */
#include <math.h>
#include <string.h>

#include "choose/choose.h"

/* the end of one entry of "a=1,b[1,2]=3": the next comma that is in no bracket, or the end */
static const char *entry_end(const char *text) {
  int depth = 0;
  for (; *text && (*text != ',' || depth > 0); text++) depth += (*text == '[') - (*text == ']');
  return text;
}

/* which entry of z has this name; -1: none */
static int place_of(const dae_problem *p, const char *name) {
  char own[DAE_NAME_MAX];
  for (int i = 0; i < dae_problem_nz(p); i++) {
    dae_problem_z_name(p, i, own, sizeof own);
    if (strcmp(own, name) == 0) return i;
  }
  return -1;
}

static dae_status refuse(char *message, int size, const char *what, const char *entry) {
  dae_base_print(message, size,
                 "atol_of: '%.60s' %s; write x=1e-8,v=1e-3, or a number for each entry of z", entry,
                 what);
  return DAE_E_INPUT;
}

/* one entry: "name=number", or the number of entry `count` of z */
static dae_status read_entry(const dae_problem *p, const char *text, size_t length, int count,
                             double *atol, char *message, int size) {
  char entry[DAE_NAME_MAX + 40], *end;
  if (length >= sizeof entry) return refuse(message, size, "is too long", text);
  memcpy(entry, text, length);
  entry[length] = '\0';
  char *sign = strrchr(entry, '='), *number = sign ? sign + 1 : entry;
  double value = dae_base_strtod(number, &end);
  if (end == number || *end) return refuse(message, size, "has no number", entry);
  if (sign) *sign = '\0';
  int place = sign ? place_of(p, entry) : count;
  if (place < 0) return refuse(message, size, "is not an entry of z", entry);
  if (place >= dae_problem_nz(p))
    return refuse(message, size, "is one number more than z has entries", entry);
  atol[place] = value;
  return DAE_OK;
}

static dae_status read_text(const dae_problem *p, const char *text, double *atol, char *message,
                            int size) {
  bool named = strchr(text, '=') != NULL;
  int count = 0;
  for (const char *end;; text = end + 1) {
    end = entry_end(text);
    size_t length = (size_t)(end - text);
    if (named && !memchr(text, '=', length))
      return refuse(message, size, "has no name, others have one", text);
    dae_status status = read_entry(p, text, length, count, atol, message, size);
    if (status != DAE_OK) return status;
    count++;
    if (!*end) break;
  }
  if (named || count == dae_problem_nz(p)) return DAE_OK;
  dae_base_print(message, size, "atol_of has %d numbers, z has %d entries", count,
                 dae_problem_nz(p));
  return DAE_E_INPUT;
}

dae_status dae_choose_atols(dae_settings *out, const dae_problem *p, const dae_options *o,
                            dae_pool *pool, char *message, int size) {
  const int nz = dae_problem_nz(p);
  char name[DAE_NAME_MAX];
  out->atols = NULL;
  if (!o->atols && o->n_atols == 0 && !*o->atol_of) return DAE_OK;
  if ((o->atols || o->n_atols != 0) && (!o->atols || o->n_atols != nz)) {
    if (o->atols) dae_base_print(message, size, "n_atols is %d, z has %d entries", o->n_atols, nz);
    else dae_base_print(message, size, "n_atols is %d and atols is NULL", o->n_atols);
    return DAE_E_INPUT;
  }
  double *atol = dae_base_doubles(pool, (size_t)nz);
  if (!atol) return DAE_E_MEMORY;
  for (int i = 0; i < nz; i++) atol[i] = o->atols ? o->atols[i] : o->atol;
  dae_status status = *o->atol_of ? read_text(p, o->atol_of, atol, message, size) : DAE_OK;
  for (int i = 0; i < nz && status == DAE_OK; i++) {
    /* with error control a variable that passes zero would have no tolerance left */
    bool enough = isfinite(atol[i]) && (o->step > 0 ? atol[i] >= 0 : atol[i] > 0);
    if (!enough) {
      dae_problem_z_name(p, i, name, sizeof name);
      dae_base_print(message, size, "the absolute tolerance of %s must be positive, not %g", name,
                     atol[i]);
      status = DAE_E_INPUT;
    }
  }
  out->atols = atol;
  /* what is one number for all of z goes by the smallest */
  for (int i = 0; i < nz; i++) out->atol = i == 0 ? atol[0] : fmin(out->atol, atol[i]);
  return status;
}
