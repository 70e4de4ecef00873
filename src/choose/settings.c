/* the door: options of the user become settings, or are refused by name */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"

/* one option that is being read */
typedef struct door {
  const dae_problem *p;
  char *message;
  int size;
} door;

static bool is_auto(const char *name) { return strcmp(name, "auto") == 0; }

/* "unknown X 'name'; did you mean 'near'?" */
static dae_status unknown(const door *d, const char *what, const char *name,
                          const char *const *names, int count) {
  int near = dae_base_nearest(name, names, count);
  if (near >= 0)
    dae_base_print(d->message, d->size, "unknown %s '%s'; did you mean '%s'?", what, name,
                   names[near]);
  else dae_base_print(d->message, d->size, "unknown %s '%s'", what, name);
  return DAE_E_INPUT;
}

enum { NAMES_MAX = 96 };

static dae_status read_method(const door *d, const char *name, const dae_method **out) {
  const char *names[NAMES_MAX];
  int count = 0;
  *out = is_auto(name) ? NULL : dae_method_find(name);
  if (*out || is_auto(name)) return DAE_OK;
  for (const dae_method *m; count < NAMES_MAX && (m = dae_method_at(count)); count++)
    names[count] = m->name;
  return unknown(d, "method", name, names, count);
}

/* the place of an entry in its table; -1: auto */
static dae_status read_choice(const door *d, const char *what, const char *name,
                              const dae_choice *(*at)(int), const dae_choice *found, int *out) {
  const char *names[NAMES_MAX];
  int count = 0;
  *out = -1;
  if (is_auto(name)) return DAE_OK;
  for (const dae_choice *c; count < NAMES_MAX && (c = at(count)); count++) {
    names[count] = c->name;
    if (c == found) *out = count;
  }
  return found ? DAE_OK : unknown(d, what, name, names, count);
}

/* invariant:K; no other form has a parameter */
static dae_status read_form(const door *d, const char *name, dae_settings *out) {
  int place;
  dae_status status = read_choice(d, "form", name, dae_form_at, dae_form_find(name), &place);
  if (status != DAE_OK) return status;
  out->form = (dae_form_kind)place;
  out->form_levels = 0;
  const char *colon = strchr(name, ':');
  if (!colon) return DAE_OK;
  char *end;
  long k = strtol(colon + 1, &end, 10);
  bool number = end != colon + 1 && *end == '\0';
  if (out->form == DAE_FORM_INVARIANT && number && k >= 1 && k <= DAE_ORDER_MAX) {
    out->form_levels = (int)k;
    return DAE_OK;
  }
  if (out->form == DAE_FORM_INVARIANT)
    dae_base_print(d->message, d->size, "'%s': the number of levels must be 1 .. %d", name,
                   dae_problem_order(d->p));
  else
    dae_base_print(d->message, d->size, "form '%s': %s has no parameter", name,
                   dae_form_at(place)->name);
  return DAE_E_INPUT;
}

/* unit:I,J,.. */
static dae_status read_units(const door *d, const char *list, dae_direction_choice *out) {
  int nx = dae_problem_nx(d->p);
  out->kind = DAE_DIR_UNIT;
  out->n_unit = 0;
  while (*list) {
    char *end;
    long i = strtol(list, &end, 10);
    bool room = out->n_unit < (int)(sizeof out->unit / sizeof *out->unit);
    if (end == list || i < 1 || i > nx || (*end && *end != ',') || !room) {
      dae_base_print(d->message, d->size, "direction unit:%s: coordinates are numbers 1 .. %d",
                     list, nx);
      return DAE_E_INPUT;
    }
    out->unit[out->n_unit++] = (int)i - 1;
    list = *end ? end + 1 : end;
  }
  return DAE_OK;
}

/* the problem's own directions come first */
static dae_status read_direction(const door *d, const char *name, dae_direction_choice *out) {
  *out = (dae_direction_choice){.kind = DAE_DIR_AUTO};
  for (int i = 0; !is_auto(name) && i < d->p->n_direction; i++)
    if (strcmp(d->p->direction[i].name, name) == 0) {
      out->kind = DAE_DIR_PROBLEM;
      out->own = &d->p->direction[i];
      return DAE_OK;
    }
  if (strncmp(name, "unit:", 5) == 0) return read_units(d, name + 5, out);
  int place;
  dae_status status =
      read_choice(d, "direction", name, dae_direction_at, dae_direction_find(name), &place);
  out->kind = (dae_direction_kind)place;
  return status;
}

/* numbers of "a,b;c,d"; every row has as many. *room (may be NULL) gets them: -1 when the text is
   not such a table */
static int read_rows(const char *text, int *rows, double *room) {
  int count = 0, in_row = 0, columns = 0;
  *rows = 1;
  for (char *end;; text = end + 1) {
    double x = dae_base_strtod(text, &end);
    if (end == text || !isfinite(x)) return -1;
    if (room) room[count] = x;
    count++;
    in_row++;
    if (*end == ',') continue;
    if (columns == 0) columns = in_row;
    if (in_row != columns || (*end && *end != ';')) return -1;
    if (!*end) return count;
    in_row = 0;
    ++*rows;
  }
}

static dae_status read_list(const door *d, const char *key, const char *text, dae_list *out) {
  int rows, count = *text ? read_rows(text, &rows, NULL) : 0;
  int most = (int)(sizeof out->value / sizeof *out->value);
  *out = (dae_list){0};
  if (count == 0) return DAE_OK;
  if (count < 0 || rows != 1 || count > most) {
    dae_base_print(d->message, d->size,
                   "%s must be at most %d numbers separated by commas, not '%s'", key, most, text);
    return DAE_E_INPUT;
  }
  out->count = count;
  read_rows(text, &rows, out->value);
  return DAE_OK;
}

static dae_status read_matrix(const door *d, const char *text, dae_pool *pool, dae_rows *out) {
  int rows = 0, count = *text ? read_rows(text, &rows, NULL) : 0;
  *out = (dae_rows){0};
  if (count == 0) return DAE_OK;
  if (count < 0) {
    dae_base_print(d->message, d->size, "rtilde must be rows of numbers, as 1,0;0,1, not '%s'",
                   text);
    return DAE_E_INPUT;
  }
  double *value = dae_base_doubles(pool, (size_t)count);
  if (!value) return DAE_E_MEMORY;
  read_rows(text, &rows, value);
  *out = (dae_rows){.rows = rows, .columns = count / rows, .value = value};
  return DAE_OK;
}

#define COPY_REAL(field) out->field = o->field;
#define COPY_COUNT(field) out->field = o->field;
#define COPY_FLAG(field) out->field = o->field;
#define COPY_WORD(field) out->field = dae_base_options_word(offsetof(dae_options, field), o->field);
#define COPY_NAME(field)

dae_status dae_choose_settings(dae_settings *out, const dae_problem *p, const dae_options *o,
                               dae_pool *pool, char *message, int size) {
  const door d = {p, message, size};
  int place = -1;
  *out = (dae_settings){.allocator = o->allocator, .log = o->log};
#define COPY(type, field, value, meaning) COPY_##type(field)
  DAE_OPTION_LIST(COPY)
#undef COPY
  dae_status status = read_form(&d, o->form, out);
  if (status == DAE_OK) status = read_method(&d, o->method, &out->method);
  if (status == DAE_OK)
    status = read_choice(&d, "stabilizer", o->stabilize, dae_stabilizer_at,
                         dae_stabilizer_find(o->stabilize), &place);
  out->stabilize = (dae_stabilizer_kind)place;
  if (status == DAE_OK) status = read_direction(&d, o->direction, &out->direction);
  if (status == DAE_OK) status = read_list(&d, "coefficients", o->coefficients, &out->coefficients);
  if (status == DAE_OK) status = read_list(&d, "srm_alpha", o->srm_alpha, &out->srm_alpha);
  if (status == DAE_OK) status = read_matrix(&d, o->rtilde, pool, &out->rtilde);
  if (status == DAE_OK) status = dae_choose_atols(out, p, o, pool, message, size);
  return status;
}

dae_status dae_options_check(const dae_options *o, const dae_problem *p, char *message, int size) {
  dae_settings settings;
  dae_pool pool;
  dae_status status = dae_problem_valid(p, message, size);
  if (status == DAE_OK) status = dae_base_options_valid(o, message, size);
  if (status != DAE_OK) return status;
  dae_base_pool_init(&pool, &o->allocator);
  status = dae_choose_settings(&settings, p, o, &pool, message, size);
  dae_base_pool_free(&pool);
  return status;
}
