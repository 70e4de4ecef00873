/* a run that is killed at a random step and restored in another solver ends with the same bits; the
   same checkpoint comes out of the restored one; no pointer goes unnoticed */
#ifndef CHECKPOINT_TEST_H
#define CHECKPOINT_TEST_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive.h"
#include "gallery_test.h"

/* ---- what the memory of this process may be pointed to ---- */

typedef struct maps {
  int count;
  uintptr_t low[4096], high[4096];
} maps;
static maps mapped;

/* where there is no such list nothing is an address, and the test sees less */
static void read_maps(void) {
  FILE *f = fopen("/proc/self/maps", "r");
  char line[512];
  mapped.count = 0;
  while (f && mapped.count < 4096 && fgets(line, sizeof line, f)) {
    unsigned long low, high;
    if (sscanf(line, "%lx-%lx", &low, &high) != 2) continue;
    if (high - low > 1ul << 30) continue; /* what a sanitizer has reserved */
    mapped.low[mapped.count] = low;
    mapped.high[mapped.count++] = high;
  }
  if (f) fclose(f);
}

static bool is_address(const void *word, size_t offset, size_t bytes, void *what) {
  uintptr_t a = (uintptr_t)word;
  for (int i = 0; i < mapped.count; i++) {
    if (a < mapped.low[i] || a >= mapped.high[i]) continue;
    printf("the word at %zu of an object of %zu bytes has become %p: %s\n", offset, bytes, word,
           (const char *)what);
    return true;
  }
  return false;
}

/* ---- a run, whole or broken ---- */

enum { STEPS = 90 };

typedef struct outcome {
  dae_status status;
  int steps;
  double t, *z, *y, *dz, *inside;
  dae_stats stats;
  dae_report report;
  int n_event, n_change, n_passage;
  dae_event_hit event[64];
  dae_switch change[DAE_SWITCH_MAX];
} outcome;

static void keep(dae_solver *s, outcome *o) {
  size_t nz = (size_t)s->sys->nz, ny = (size_t)s->sys->ny;
  o->t = dae_solver_time(s);
  memcpy(o->z = calloc(nz + 1, sizeof(double)), dae_solver_z(s), nz * sizeof(double));
  memcpy(o->dz = calloc(nz + 1, sizeof(double)), dae_solver_dz(s), nz * sizeof(double));
  memcpy(o->y = calloc(ny + 1, sizeof(double)), dae_solver_y(s), ny * sizeof(double));
  o->inside = calloc(nz + ny + 1, sizeof(double));
  double middle = dae_solver_previous_time(s) / 3 + o->t * 2 / 3;
  dae_solver_eval(s, middle, o->inside, o->inside + nz);
  o->stats = *dae_solver_stats(s);
  o->report = *dae_solver_report(s);
  const dae_event_hit *hit = dae_solver_events(s, &o->n_event);
  for (int i = 0; i < o->n_event && i < 64; i++) o->event[i] = hit[i];
  const dae_switch *change = dae_solver_switches(s, &o->n_change);
  for (int i = 0; i < o->n_change; i++) o->change[i] = change[i];
  dae_solver_passages(s, &o->n_passage);
}

static void drop(outcome *o) { free(o->z), free(o->y), free(o->dz), free(o->inside); }

static bool same_bits(const outcome *a, const outcome *b, size_t nz, size_t ny) {
  if (a->status != b->status || a->steps != b->steps || a->t != b->t) return false;
  if (memcmp(a->z, b->z, nz * sizeof(double)) || memcmp(a->dz, b->dz, nz * sizeof(double)) ||
      memcmp(a->y, b->y, ny * sizeof(double)) ||
      memcmp(a->inside, b->inside, (nz + ny) * sizeof(double)))
    return false;
  if (memcmp(&a->stats, &b->stats, sizeof a->stats) || a->n_event != b->n_event ||
      a->n_change != b->n_change || a->n_passage != b->n_passage ||
      strcmp(a->report.message, b->report.message))
    return false;
  for (int i = 0; i < a->n_event && i < 64; i++)
    if (a->event[i].t != b->event[i].t || a->event[i].event != b->event[i].event) return false;
  for (int i = 0; i < a->n_change; i++)
    if (a->change[i].t != b->change[i].t || strcmp(a->change[i].from, b->change[i].from) ||
        strcmp(a->change[i].to, b->change[i].to) || strcmp(a->change[i].form, b->change[i].form))
      return false;
  return true;
}

/* on to step `last` at most */
static void walk(dae_solver *s, double t1, int last, outcome *o) {
  while (o->status == DAE_OK && o->steps < last && dae_solver_time(s) != t1) {
    o->status = dae_solver_step(s, t1);
    o->steps++;
  }
}

static void *checkpoint(dae_solver *s, size_t *size) {
  *size = 0;
  CHECK(dae_solver_save(s, NULL, size) == DAE_OK);
  void *bytes = malloc(*size);
  CHECK(dae_solver_save(s, bytes, size) == DAE_OK);
  return bytes;
}

/* where words have 32 bits, half of a number may look like an address, and on emulated machines,
   whose addresses are low, two small integers may: one kind of machine is enough to look at */
static bool all_noted(dae_solver *s, const char *what) {
#ifndef __x86_64__
  return true;
#endif
  read_maps();
  int suspects = dae_image_suspects(&s->memory.image, is_address, (void *)what);
  CHECK(suspects == 0);
  return suspects == 0;
}

/* start, k steps, a checkpoint, another solver, the rest */
static void broken_run(const dae_problem *p, const dae_options *o, int k, const char *what,
                       outcome *out) {
  dae_solver *s = NULL, *u = NULL;
  size_t size, again;
  *out = (outcome){0};
  CHECK(dae_solver_new(&s, p, o, NULL) == DAE_OK);
  out->status = dae_solver_start(s, p->t0, NULL, NULL);
  walk(s, p->t1, k, out);
  if (!all_noted(s, what)) {
    keep(s, out);
    dae_solver_free(s);
    return;
  }
  void *bytes = checkpoint(s, &size);
  dae_solver_free(s);
  CHECK(dae_solver_new(&u, p, o, NULL) == DAE_OK);
  /* some other run before */
  if (k % 3 == 0 && dae_solver_start(u, p->t0, NULL, NULL) == DAE_OK)
    for (int i = 0; i < 5; i++) dae_solver_step(u, p->t1);
  dae_status restored = dae_solver_restore(u, bytes, size);
  if (restored != DAE_OK) printf("%s: %s\n", what, dae_solver_report(u)->message);
  CHECK(restored == DAE_OK);
  void *second = checkpoint(u, &again);
  CHECK(size == again && memcmp(bytes, second, size) == 0);
  if (size != again || memcmp(bytes, second, size) != 0)
    printf("%s: another checkpoint, %zu and %zu bytes\n", what, size, again);
  walk(u, p->t1, STEPS, out);
  keep(u, out);
  dae_solver_free(u);
  free(bytes);
  free(second);
}

static uint32_t seed = 20261117;
static int random_below(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)n);
}

static int killed, refused;

static void compare(const dae_problem *p, const dae_options *o, const char *what) {
  outcome whole = {0}, broken;
  dae_solver *s;
  if (dae_solver_new(&s, p, o, NULL) != DAE_OK) {
    refused++;
    return;
  }
  whole.status = dae_solver_start(s, p->t0, NULL, NULL);
  walk(s, p->t1, STEPS, &whole);
  keep(s, &whole);
  dae_solver_free(s);
  broken_run(p, o, random_below(whole.steps + 1), what, &broken);
  bool same = same_bits(&whole, &broken, (size_t)dae_problem_nz(p), (size_t)dae_problem_ny(p));
  if (!same)
    printf("%s: t %.17g and %.17g, %ld and %ld evaluations, %s | %s\n", what, whole.t, broken.t,
           whole.stats.evaluations, broken.stats.evaluations, whole.report.message,
           broken.report.message);
  CHECK(same);
  killed++;
  drop(&whole);
  drop(&broken);
}

/* key=value key=value ..; the values stay until the next call */
static void set_options(dae_options *o, const char *options) {
  static char text[256];
  char message[256], *rest = text;
  snprintf(text, sizeof text, "%s", options);
  for (char *word; (word = strtok_r(rest, " ", &rest));) {
    char *value = strchr(word, '=');
    *value++ = 0;
    CHECK(dae_options_set(o, word, value, message, sizeof message) == DAE_OK);
  }
}

static void one(const char *name, const char *options) {
  char message[256], what[320];
  dae_problem *p = NULL;
  dae_options o = dae_options_default();
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  if (!p) return;
  snprintf(what, sizeof what, "%s %s", name, options);
  set_options(&o, options);
  if (!p->boundary) compare(p, &o, what);
  gallery_close(name, p);
}

/* all families of methods, forms and stabilizations */
static const char *const options_of_runs[] = {"",
                                              "method=dop853",
                                              "method=dopri5 form=baumgarte gamma=3",
                                              "method=rk4 step=0.01",
                                              "method=ab2 step=0.01",
                                              "method=wave4",
                                              "method=herk3",
                                              "method=herk5 form=index2",
                                              "method=bdf",
                                              "method=bdf3 form=ggl",
                                              "method=radau3",
                                              "method=radau2 form=invariant",
                                              "method=gauss2",
                                              "method=sdirk3 form=index2",
                                              "method=backward-euler step=0.01",
                                              "method=implicit-midpoint",
                                              "method=colloc-gauss2 step=0.02",
                                              "method=colloc-radau3",
                                              "form=srm",
                                              "form=srm srm-carry=waveform method=rk4 step=0.01",
                                              "form=state-space",
                                              "form=embed method=radau2",
                                              "form=attract gamma=10",
                                              "stabilize=forward method=heun step=0.01 freeze=5",
                                              "rtol=1e-10 atol=1e-10",
                                              "audit=0 check-derivatives=0 passage=off"};
enum { OPTIONS_OF_RUNS = sizeof options_of_runs / sizeof *options_of_runs };

/* every k-th pair of a problem and options */
static void kill_runs(int every) {
  for (int i = 0; gallery_at(i); i++)
    for (int k = 0; k < OPTIONS_OF_RUNS; k++)
      if ((i * OPTIONS_OF_RUNS + k) % every == 0) one(gallery_at(i)->name, options_of_runs[k]);
  printf("%d runs killed, %d pairs refused\n", killed, refused);
}

#endif
