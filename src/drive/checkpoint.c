/*
 * Checkpoints: the whole state of a solver as bytes. Memory is saved as it is (base/image.h), so
 * that nothing that a run has learnt can be forgotten; what it belongs to stands before it.
 *
 *   head | of each solver: facts of problem and options, what it was built for, facts of the plan,
 *   its image | checksum of all that
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

/* a number that has other bytes on a machine of another byte order */
#define ORDER_MARK UINT32_C(0x01020304)
#define ORDER_SWAPPED UINT32_C(0x04030201)
enum { FORMAT = 1 };
static const char MAGIC[8] = "DAEDALCP";

typedef struct head {
  char magic[8];
  uint32_t order, format;
  uint32_t pointer, integer; /* sizes, in bytes */
  char version[16];
  uint64_t size; /* of everything, checksum included */
} head;

/* facts are written, or compared with those that were */
typedef struct facts {
  dae_writer *w;
  dae_reader *r;
  const char *differs; /* the first one that does; NULL: none */
} facts;

static void fact(facts *f, const char *name, const void *bytes, size_t count) {
  uint64_t sum = dae_base_sum(DAE_SUM_START, bytes, count);
  if (f->w) dae_base_put_number(f->w, sum);
  else if (dae_base_get_number(f->r) != sum && !f->differs) f->differs = name;
}

static void fact_number(facts *f, const char *name, int number) {
  fact(f, name, &number, sizeof number);
}

static void fact_text(facts *f, const char *name, const char *text) {
  fact(f, name, text ? text : "", text ? strlen(text) : 0);
}

static void problem_facts(facts *f, const dae_solver *s) {
  const dae_problem *p = s->p;
  char text[DAE_NAME_MAX];
  fact_number(f, "the kind of the problem", (int)p->kind);
  fact_number(f, "its order", s->sys->order);
  fact_number(f, "the number of variables", s->sys->nz);
  fact_number(f, "the number of multipliers", s->sys->ny);
  fact_number(f, "the number of constraints", s->sys->nh);
  fact_number(f, "the number of events", p->n_event);
  fact_number(f, "the number of switching functions", p->discrete ? p->discrete->n_switch : 0);
  uint64_t sum = DAE_SUM_START;
  for (int i = 0; i < s->sys->nz; i++) {
    dae_problem_z_name(p, i, text, sizeof text);
    sum = dae_base_sum(sum, text, strlen(text) + 1);
  }
  fact(f, "a name of a variable", &sum, sizeof sum);
  fact_number(f, "the number of times to hit", s->stops.n_hit);
  fact(f, "a time to hit", s->stops.hit, (size_t)s->stops.n_hit * sizeof *s->stops.hit);
}

static void direction_fact(facts *f, const dae_direction_choice *d) {
  fact_text(f, "option direction", dae_problem_direction_name(d));
  fact(f, "option direction", d->unit, (size_t)d->n_unit * sizeof *d->unit);
}

/* max_steps counts the steps of one call, and threads share the work of a run: others are no other
   run */
#define FACT_REAL(field) fact(f, "option " #field, &o->field, sizeof o->field);
#define FACT_COUNT(field)                                     \
  if (&o->field != &o->max_steps && &o->field != &o->threads) \
    fact(f, "option " #field, &o->field, sizeof o->field);
#define FACT_FLAG(field) FACT_REAL(field)
#define FACT_WORD(field) FACT_REAL(field)
#define FACT_NAME(field)
#define FACT(type, field, value, meaning) FACT_##type(field)

static void option_facts(facts *f, const dae_solver *s) {
  const dae_settings *o = &s->plan.given;
  DAE_OPTION_LIST(FACT)
  fact_text(f, "option method", o->method ? o->method->name : NULL);
  fact_number(f, "option form", (int)o->form);
  fact_number(f, "option form", o->form_levels);
  fact_number(f, "option stabilize", (int)o->stabilize);
  direction_fact(f, &o->direction);
  fact(f, "option coefficients", o->coefficients.value,
       (size_t)o->coefficients.count * sizeof(double));
  fact(f, "option srm_alpha", o->srm_alpha.value, (size_t)o->srm_alpha.count * sizeof(double));
  fact(f, "option rtilde", o->rtilde.value,
       (size_t)o->rtilde.rows * (size_t)o->rtilde.columns * sizeof(double));
  fact(f, "an absolute tolerance", o->atols, o->atols ? (size_t)s->sys->nz * sizeof *o->atols : 0);
  fact_number(f, "the user's own norm or form", (o->norm != NULL) + 2 * (o->own_form != NULL));
}

/* what was chosen for "auto", and the numbers that came along with it */
static void plan_facts(facts *f, const dae_solver *s) {
  fact_number(f, "the number of methods", s->ways.count);
  for (int i = 0; i < s->ways.count; i++) {
    fact_text(f, "the method", s->ways.way[i].step->method->name);
    fact_text(f, "the form", s->ways.way[i].view->name);
    fact_number(f, "the stabilization", (int)s->ways.way[i].stabilize);
  }
  fact(f, "a rate of the problem at the start", &s->plan.rates.turn, sizeof s->plan.rates.turn);
  fact(f, "a rate of the problem at the start", &s->plan.doubt, sizeof s->plan.doubt);
}

/* ---- saving ---- */

static bool write_solver(const dae_solver *s, dae_writer *w) {
  facts f = {.w = w};
  const dae_origin *o = &s->origin;
  problem_facts(&f, s);
  option_facts(&f, s);
  int presumed = o->presumed ? 2 : 0;
  dae_base_put_number(w, (uint64_t)((o->built ? 1 : 0) + presumed));
  dae_base_put(w, &o->t0_built, sizeof o->t0_built);
  dae_base_put(w, &o->t1_built, sizeof o->t1_built);
  dae_base_put(w, o->z_built, (size_t)s->sys->nz * sizeof *o->z_built);
  plan_facts(&f, s);
  dae_base_put_number(w, s->second != NULL);
  if (!dae_image_write(&s->memory.image, w)) return false;
  return !s->second || write_solver(dae_drive_second_solver(s->second), w);
}

/* DAE_OK, or why this solver cannot be saved */
static dae_status saveable(dae_solver *s) {
  if (s->plan.given.linear)
    return dae_drive_report(s, DAE_E_FORM,
                            "the user's own linear solver keeps its factors to itself: a run with "
                            "it cannot be saved");
  return DAE_OK;
}

static dae_status write_all(dae_solver *s, dae_writer *w) {
  /* how long it will be */
  dae_writer nowhere = {0};
  bool written = write_solver(s, &nowhere);
  head h = {.order = ORDER_MARK,
            .format = FORMAT,
            .pointer = sizeof(void *),
            .integer = sizeof(long),
            .version = DAE_VERSION,
            .size = sizeof h + nowhere.count + sizeof(uint64_t)};
  memcpy(h.magic, MAGIC, sizeof h.magic);
  if (!w->file && !w->to) {
    w->count = (size_t)h.size;
    return written ? DAE_OK : DAE_E_MEMORY;
  }
  w->sum = DAE_SUM_START;
  dae_base_put(w, &h, sizeof h);
  written = written && write_solver(s, w);
  dae_base_put_number(w, w->sum);
  return written ? DAE_OK : DAE_E_MEMORY;
}

dae_status dae_solver_save(dae_solver *s, void *buffer, size_t *size) {
  if (!s) return DAE_E_INPUT;
  if (!size) return dae_drive_report(s, DAE_E_INPUT, "dae_solver_save: size is NULL");
  dae_status status = saveable(s);
  if (status != DAE_OK) return status;
  dae_writer w = {.to = buffer, .room = *size};
  dae_writer need = {0};
  status = write_all(s, &need);
  if (status == DAE_OK && buffer && *size >= need.count) status = write_all(s, &w);
  if (status != DAE_OK) return dae_drive_report(s, status, "no memory for a checkpoint");
  size_t room = *size;
  *size = need.count;
  if (buffer && room < need.count)
    return dae_drive_report(s, DAE_E_INPUT,
                            "dae_solver_save: the buffer has %zu bytes, the checkpoint %zu", room,
                            need.count);
  return DAE_OK;
}

dae_status dae_solver_save_file(dae_solver *s, const char *path) {
  if (!s) return DAE_E_INPUT;
  if (!path) return dae_drive_report(s, DAE_E_INPUT, "dae_solver_save_file: path is NULL");
  dae_status status = saveable(s);
  if (status != DAE_OK) return status;
  char beside[DAE_PATH_MAX];
  if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
    return dae_drive_report(s, DAE_E_INPUT, "dae_solver_save_file: the path is too long");
  dae_writer w = {.file = fopen(beside, "wb")};
  if (!w.file) return dae_drive_report(s, DAE_E_IO, "%s cannot be written", beside);
  status = write_all(s, &w);
  /* the file that is there is replaced as a whole, or stays */
  bool written = fclose(w.file) == 0 && !w.failed;
  if (status != DAE_OK || !written || !dae_base_replace(beside, path)) {
    remove(beside);
    if (status == DAE_OK) status = DAE_E_IO;
    return dae_drive_report(s, status, "the checkpoint %s could not be written", path);
  }
  return DAE_OK;
}

/* ---- restoring ---- */

static dae_status refuse(dae_solver *s, const char *what) {
  return dae_drive_report(s, DAE_E_INPUT, "this checkpoint cannot be restored: %s", what);
}

/* the head, the length and the checksum */
static dae_status check_bytes(dae_solver *s, const char *bytes, size_t size) {
  head h;
  uint64_t sum;
  if (size < sizeof h.magic || memcmp(bytes, MAGIC, sizeof h.magic) != 0)
    return refuse(s, "it is no checkpoint of daedal");
  if (size < sizeof h + sizeof sum) return refuse(s, "it is cut off");
  memcpy(&h, bytes, sizeof h);
  if (h.order == ORDER_SWAPPED)
    return refuse(s, "the machine that wrote it has another byte order");
  if (h.order != ORDER_MARK) return refuse(s, "it is damaged");
  if (h.format != FORMAT) return refuse(s, "it has the format of another version of the library");
  if (h.pointer != sizeof(void *) || h.integer != sizeof(long))
    return refuse(s, "the program that wrote it has pointers or integers of another size");
  h.version[sizeof h.version - 1] = 0;
  if (memcmp(h.version, DAE_VERSION, sizeof DAE_VERSION) != 0)
    return dae_drive_report(s, DAE_E_INPUT,
                            "this checkpoint cannot be restored: version %s of the library wrote "
                            "it, this is %s",
                            h.version, DAE_VERSION);
  if (h.size > size) return refuse(s, "it is cut off");
  memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
  if (h.size < size || sum != dae_base_sum(DAE_SUM_START, bytes, size - sizeof sum))
    return refuse(s, "it is damaged");
  return DAE_OK;
}

static dae_status same_facts(dae_solver *s, facts *f) {
  if (f->r->failed) return refuse(s, "it is damaged");
  if (f->differs)
    return dae_drive_report(s, DAE_E_INPUT,
                            "this checkpoint cannot be restored: it is of another run, %s differs",
                            f->differs);
  return DAE_OK;
}

/* the objects are built for what those of the checkpoint were built for */
static dae_status build_alike(dae_solver *s, dae_reader *r) {
  size_t bytes = (size_t)s->sys->nz * sizeof(double);
  dae_origin built = {0};
  uint64_t flags = dae_base_get_number(r);
  built.built = flags & 1;
  built.presumed = flags & 2;
  const void *t0 = dae_base_get(r, sizeof built.t0_built),
             *t1 = dae_base_get(r, sizeof built.t1_built), *z = dae_base_get(r, bytes);
  if (!t0 || !t1 || !z) return refuse(s, "it is damaged");
  memcpy(&built.t0_built, t0, sizeof built.t0_built);
  memcpy(&built.t1_built, t1, sizeof built.t1_built);
  return dae_drive_build_for(s, &built, z);
}

static dae_status read_solver(dae_solver *s, dae_reader *r) {
  facts f = {.r = r};
  problem_facts(&f, s);
  option_facts(&f, s);
  dae_status status = same_facts(s, &f);
  if (status == DAE_OK) status = build_alike(s, r);
  if (status != DAE_OK) return status;
  plan_facts(&f, s);
  bool second = dae_base_get_number(r) != 0;
  if (second != (s->second != NULL) && !f.differs) f.differs = "the witness of crossings";
  status = same_facts(s, &f);
  if (status != DAE_OK) return status;
  status = dae_image_read(&s->memory.image, r);
  if (status == DAE_E_MEMORY) return dae_drive_report(s, status, "no memory for this checkpoint");
  if (status != DAE_OK) return refuse(s, "its memory is laid out in another way");
  dae_drive_switch_names(s);
  return second ? read_solver(dae_drive_second_solver(s->second), r) : DAE_OK;
}

dae_status dae_solver_restore(dae_solver *s, const void *bytes, size_t size) {
  if (!s) return DAE_E_INPUT;
  if (!bytes) return dae_drive_report(s, DAE_E_INPUT, "dae_solver_restore: the bytes are NULL");
  dae_status status = saveable(s);
  if (status == DAE_OK) status = check_bytes(s, bytes, size);
  if (status != DAE_OK) return status;
  dae_reader r = {.at = (const char *)bytes + sizeof(head),
                  .left = size - sizeof(head) - sizeof(uint64_t)};
  status = read_solver(s, &r);
  if (status == DAE_OK) return DAE_OK;
  /* what was begun is no point to go on from */
  if (status == DAE_E_MEMORY) s->started = false;
  return status;
}

dae_status dae_solver_restore_file(dae_solver *s, const char *path) {
  if (!s) return DAE_E_INPUT;
  if (!path) return dae_drive_report(s, DAE_E_INPUT, "dae_solver_restore_file: path is NULL");
  FILE *file = fopen(path, "rb");
  long size = -1;
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size < 0 || size == LONG_MAX || fseek(file, 0, SEEK_SET) != 0) {
    if (file) fclose(file);
    return dae_drive_report(s, DAE_E_IO, "the checkpoint %s cannot be read", path);
  }
  dae_pool pool;
  dae_base_pool_init(&pool, &s->plan.given.allocator);
  char *bytes = dae_base_data(&pool, (size_t)size, 1);
  bool read = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  dae_status status = DAE_E_MEMORY;
  if (read) status = dae_solver_restore(s, bytes, (size_t)size);
  else if (bytes) status = dae_drive_report(s, DAE_E_IO, "the checkpoint %s cannot be read", path);
  else dae_drive_report(s, status, "no memory for the checkpoint %s", path);
  dae_base_pool_free(&pool);
  return status;
}
