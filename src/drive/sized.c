/*
 * Programs of another version: their structs may be shorter than ours, or longer. What they lack is
 * zero (options: the default); what we do not know must be zero. Structs of our size are used as
 * they are.
 */
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

/* the problem of a caller as ours; it lives with a solver, or for a call */
typedef struct dae_imported {
  dae_pool pool;
  dae_problem problem;
  dae_boundary boundary;
  dae_options options;
  const dae_problem *p; /* what is to be used: the caller's own where that is whole */
  const dae_options *o;
} dae_imported;

/* what a struct must have at least: parts that every version has had */
#define LEAST(type, field) offsetof(type, field)

/* a size that programs of the first version do not know of; 0: nor of the struct */
static int implicit_size(const dae_sizes *sizes) {
  return sizes->own >= (int)sizeof *sizes ? sizes->implicit : 0;
}

/* the part of the form: its bytes behind the caller's size are not its own */
static bool import_form(dae_problem *own, const dae_problem *p, const dae_sizes *sizes) {
  switch (p->kind) {
    case DAE_ODE:
      return dae_base_import(&own->ode, sizeof own->ode, &p->ode, sizes->ode, LEAST(dae_ode, h_t));
    case DAE_HESSENBERG:
      return dae_base_import(&own->hessenberg, sizeof own->hessenberg, &p->hessenberg,
                             sizes->hessenberg, LEAST(dae_hessenberg, g_rate));
    case DAE_MECHANICAL:
      return dae_base_import(&own->mechanical, sizeof own->mechanical, &p->mechanical,
                             sizes->mechanical, LEAST(dae_mechanical, dynamics_q));
    case DAE_IMPLICIT:
      return dae_base_import(&own->implicit, sizeof own->implicit, &p->implicit,
                             implicit_size(sizes), LEAST(dae_implicit, variable_index));
  }
  return true; /* the kind is refused later, by name */
}

/* in->p; the name of the struct that cannot be, or NULL */
static const char *import_problem(dae_imported *in, const dae_sizes *sizes, const dae_problem *p) {
  in->p = p;
  if (!p) return NULL;
  bool same = sizes->problem == (int)sizeof(dae_problem) && sizes->ode == (int)sizeof(dae_ode) &&
              sizes->hessenberg == (int)sizeof(dae_hessenberg) &&
              sizes->mechanical == (int)sizeof(dae_mechanical) &&
              (p->kind != DAE_IMPLICIT || implicit_size(sizes) == (int)sizeof(dae_implicit)) &&
              (sizes->boundary == 0 || sizes->boundary == (int)sizeof(dae_boundary));
  if (same || (sizes->problem >= (int)LEAST(dae_problem, room) && p->whole == p)) return NULL;
  if (!dae_base_import(&in->problem, sizeof in->problem, p, sizes->problem,
                       LEAST(dae_problem, n_ref)))
    return "dae_problem";
  memset(in->problem.room, 0, sizeof in->problem.room);
  if (!import_form(&in->problem, p, sizes)) return "the form in dae_problem";
  in->p = &in->problem;
  if (!in->problem.boundary || sizes->boundary == 0) return NULL;
  if (!dae_base_import(&in->boundary, sizeof in->boundary, in->problem.boundary, sizes->boundary,
                       LEAST(dae_boundary, z_tol)))
    return "dae_boundary";
  in->problem.boundary = &in->boundary;
  return NULL;
}

/* everything that is read; DAE_E_INPUT with a sentence */
static dae_status import(dae_imported *in, const dae_sizes *sizes, const dae_problem *p,
                         const dae_options *o, char *message, int size) {
  const char *fault = NULL;
  if (!sizes || sizes->own < (int)LEAST(dae_sizes, implicit)) fault = "dae_sizes";
  if (!fault) fault = import_problem(in, sizes, p);
  in->o = o;
  if (!fault && o && o->cookie == DAE_OPTIONS_COOKIE && o->size != (int)sizeof *o) {
    in->options = dae_options_default();
    in->o = &in->options;
    if (!dae_base_import(&in->options, sizeof in->options, o, o->size, LEAST(dae_options, gamma)))
      fault = "dae_options";
    in->options.size = (int)sizeof in->options;
  }
  if (!fault) return DAE_OK;
  dae_base_print(message, size,
                 "the program was compiled with another version of Daedal: %s is too short for "
                 "library version " DAE_VERSION ", or has a field that it does not know",
                 fault);
  return DAE_E_INPUT;
}

/* the report of a call that did not begin */
static dae_status refuse(const char *message, dae_report *report) {
  *report = (dae_report){.status = DAE_E_INPUT, .event = -1};
  snprintf(report->message, sizeof report->message, "%s", message);
  snprintf(report->advice, sizeof report->advice, "%s",
           "Compile the program again with the headers of the library, or link a newer library.");
  return DAE_E_INPUT;
}

/* a result for the caller: as much of it as fits, zeros where ours ends */
static void export(void *theirs, int size, const void *ours, size_t our_size) {
  if (!theirs || size <= 0) return;
  size_t bytes = (size_t)size < our_size ? (size_t)size : our_size;
  memcpy(theirs, ours, bytes);
  memset((char *)theirs + bytes, 0, (size_t)size - bytes);
}

void dae_drive_imported_free(dae_imported *in) {
  if (!in) return;
  dae_pool pool = in->pool;
  dae_base_pool_free(&pool);
}

dae_status dae_options_check_sized(const dae_sizes *sizes, const dae_options *o,
                                   const dae_problem *p, char *message, int size) {
  dae_imported in = {.p = p};
  dae_status status = import(&in, sizes, p, o, message, size);
  return status == DAE_OK ? dae_options_check(in.o, in.p, message, size) : status;
}

dae_status dae_solver_new_sized(const dae_sizes *sizes, dae_solver **out, const dae_problem *p,
                                const dae_options *o, dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  dae_imported in = {.p = p}, *kept = NULL;
  dae_report ours = {.event = -1};
  if (out) *out = NULL;
  dae_status status = import(&in, sizes, p, o, message, sizeof message);
  if (status != DAE_OK) refuse(message, &ours);
  if (status == DAE_OK && in.p != p) {
    dae_pool pool;
    dae_base_pool_init(&pool, in.o ? &in.o->allocator : NULL);
    kept = dae_base_take(&pool, 1, sizeof *kept);
    if (!kept) status = DAE_E_MEMORY;
    else kept->pool = pool, import_problem(kept, sizes, p);
  }
  if (status == DAE_OK) status = dae_solver_new(out, kept ? kept->p : p, in.o, &ours);
  if (status == DAE_OK) (*out)->origin.imported = kept;
  else dae_drive_imported_free(kept);
  export(report, sizes ? sizes->report : 0, &ours, sizeof ours);
  return status;
}

dae_status dae_solve_sized(const dae_sizes *sizes, const dae_problem *p, const dae_options *o,
                           const double *interval, double *z, double *y, dae_report *report,
                           dae_stats *stats) {
  char message[DAE_TEXT_MAX] = "";
  dae_imported in = {.p = p};
  dae_report ours = {.event = -1};
  dae_stats counts = {0};
  dae_status status = import(&in, sizes, p, o, message, sizeof message);
  if (status != DAE_OK) refuse(message, &ours);
  else status = dae_solve(in.p, in.o, interval[0], interval[1], z, y, &ours, &counts);
  export(report, sizes ? sizes->report : 0, &ours, sizeof ours);
  export(stats, sizes ? sizes->stats : 0, &counts, sizeof counts);
  return status;
}

dae_status dae_bvp_solve_sized(const dae_sizes *sizes, const dae_problem *p, const dae_options *o,
                               const dae_solution *guess, dae_solution **out, dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  dae_imported in = {.p = p};
  dae_report ours = {.event = -1};
  if (out) *out = NULL;
  dae_status status = import(&in, sizes, p, o, message, sizeof message);
  if (status != DAE_OK) refuse(message, &ours);
  else status = dae_bvp_solve(in.p, in.o, guess, out, &ours);
  export(report, sizes ? sizes->report : 0, &ours, sizeof ours);
  return status;
}

dae_status dae_bvp_continue_sized(const dae_sizes *sizes, const dae_problem *p,
                                  const dae_options *o, double *parameter, const double *range,
                                  const dae_solution *guess, dae_solution **out,
                                  dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  dae_imported in = {.p = p};
  dae_report ours = {.event = -1};
  if (out) *out = NULL;
  dae_status status = import(&in, sizes, p, o, message, sizeof message);
  if (status != DAE_OK) refuse(message, &ours);
  else status = dae_bvp_continue(in.p, in.o, parameter, range[0], range[1], guess, out, &ours);
  export(report, sizes ? sizes->report : 0, &ours, sizeof ours);
  return status;
}

dae_status dae_diagnose_sized(const dae_sizes *sizes, const dae_problem *p, const dae_options *o,
                              dae_diagnosis *out) {
  dae_imported in = {.p = p};
  dae_diagnosis ours = {0};
  if (!out) return DAE_E_INPUT;
  dae_status status = import(&in, sizes, p, o, ours.message, sizeof ours.message);
  if (status == DAE_OK) status = dae_diagnose(in.p, in.o, &ours);
  export(out, sizes ? sizes->diagnosis : 0, &ours, sizeof ours);
  return status;
}

dae_status dae_problem_valid_sized(const dae_sizes *sizes, const dae_problem *p, char *message,
                                   int size) {
  dae_imported in = {.p = p};
  dae_status status = import(&in, sizes, p, NULL, message, size);
  return status == DAE_OK ? dae_problem_valid(in.p, message, size) : status;
}

dae_status dae_problem_check_sized(const dae_sizes *sizes, const dae_problem *p, double t,
                                   const double *z, const double *y, char *message, int size) {
  dae_imported in = {.p = p};
  dae_status status = import(&in, sizes, p, NULL, message, size);
  return status == DAE_OK ? dae_problem_check(in.p, t, z, y, message, size) : status;
}
