/* one block of memory a problem, and the callbacks of derivatives that vanish */
#include "build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* layout: the problem's own struct of `size` bytes, the parameter names, their values */
static size_t names_at(size_t size) {
  return (size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static void label(const gallery_entry *entry, size_t size, const double *par, dae_problem *p) {
  const char **par_name = (const char **)((char *)p + names_at(size));
  double *par_value = (double *)(par_name + entry->n_par);
  for (int i = 0; i < entry->n_par; i++) {
    par_name[i] = entry->par[i].name;
    par_value[i] = par[i];
  }
  p->name = entry->name;
  p->title = entry->title;
  p->source = entry->source;
  p->ctx = p;
  p->n_par = entry->n_par;
  p->par_name = par_name;
  p->par = par_value;
}

void *gallery_block(const gallery_entry *entry, size_t size, const double *par) {
  size_t constants = (size_t)entry->n_par * (sizeof(char *) + sizeof(double));
  dae_problem *p = calloc(1, names_at(size) + constants);
  if (p) label(entry, size, par, p);
  return p;
}

dae_problem *gallery_copy(const gallery_entry *entry, const dae_problem *problem,
                          const double *par) {
  dae_problem *p = gallery_block(entry, sizeof *p, par);
  if (!p) return NULL;
  *p = *problem;
  label(entry, sizeof *p, par, p);
  return p;
}

void gallery_free(dae_problem *p) { free(p); }

bool gallery_is_default(const gallery_entry *entry, const double *par) {
  for (int i = 0; i < entry->n_par; i++) {
    bool both_nan = isnan(par[i]) && isnan(entry->par[i].value);
    if (par[i] != entry->par[i].value && !both_nan) return false;
  }
  return true;
}

const char **gallery_names(int n, int n_group, int n_format, const char *const *format) {
  enum { WIDTH = 16 }; /* bytes of a name, digits included */
  int count = n_group * n * n_format;
  const char **name = malloc((size_t)count * (sizeof *name + WIDTH));
  if (!name) return NULL;
  char *text = (char *)(name + count);
  for (int i = 0; i < count; i++, text += WIDTH) {
    int group = i / (n * n_format), number = i / n_format % n;
    snprintf(text, WIDTH, format[group * n_format + i % n_format], number + 1);
    name[i] = text;
  }
  return name;
}

int gallery_zero_g_t(double t, const double *q, double *gt, void *ctx) {
  const dae_problem *p = ctx;
  (void)t, (void)q;
  int n = p->kind == DAE_MECHANICAL ? p->mechanical.ng : p->hessenberg.ny;
  memset(gt, 0, (size_t)n * sizeof *gt);
  return 0;
}

int gallery_zero_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)J, (void)ctx;
  return 0;
}

int gallery_zero_dynamics(double t, const double *q, const double *v, const double *a,
                          const double *y, double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)a, (void)y, (void)J, (void)ctx;
  return 0;
}

int gallery_zero_f_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)z, (void)y, (void)J, (void)ctx;
  return 0;
}
