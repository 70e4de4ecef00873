/*
 * Models as text: flat Modelica or Base Modelica in, a problem out. Any index is accepted: the
 * hidden constraints are found by structural analysis and kept by the solver.
 *
 *   dae_model *m;
 *   if (dae_model_read_file(&m, "pendulum.mo", NULL) == DAE_OK && dae_model_build(m) == DAE_OK)
 *     dae_solve(dae_model_problem(m), ...);
 *   else
 *     puts(dae_model_messages(m));
 *   dae_model_free(m);
 */
#ifndef DAEDAL_MODEL_H
#define DAEDAL_MODEL_H

#include <stddef.h>

#include <daedal/memory.h>
#include <daedal/problem.h>
#include <daedal/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_model dae_model;

typedef struct dae_model_options {
  const char *compiler; /* NULL: "cc"; "": none, the equations are interpreted */
  const char
      *cache;     /* folder of compiled models; NULL: $XDG_CACHE_HOME/daedal or ~/.cache/daedal; "":
                none */
  int max_errors; /* messages shown, 0: 20 */
  int max_size;   /* nodes of the expression graph, 0: 30 million */
  /* limits, 0: the default */
  double model_memory;  /* MB that text and analysis may take: 300 and 200 for each MB of text */
  double model_seconds; /* processor time of the analysis: 5 and 20 for each MB of text; a compiler
                           may take as long, at least 30 */
  dae_allocator allocator;
  dae_log log;       /* one line when there is no compiler */
  const char *model; /* which model of a text that holds several; NULL: the only one */
  /* Files whose C functions the text may call (external "C"), separated by ':': libraries, or C
     source (.c), which is compiled. They run with all rights of the program, and give the same
     results for the same arguments. NULL: such calls are refused. */
  const char *external;
} dae_model_options;

/*
 * Reads a model. DAE_OK, DAE_E_MODEL (see dae_model_messages), DAE_E_IO or DAE_E_MEMORY. *out is
 * NULL only when there is no memory at all; free it in every other case. options may be NULL.
 * `name` is used in messages.
 */
DAE_API dae_status dae_model_read_file(dae_model **out, const char *path,
                                       const dae_model_options *options);
DAE_API dae_status dae_model_read_text(dae_model **out, const char *name, const char *text,
                                       size_t size, const dae_model_options *options);
DAE_API void dae_model_free(dae_model *m); /* NULL is allowed */

/* Errors and warnings as lines "file:line:column: error: ..", each with its source line and a
   caret; "" if none. */
DAE_API const char *dae_model_messages(const dae_model *m);

/* A parameter ("L", "m[2]") or the start value of a variable (with `fixed`: an initial condition),
   instead of the text's. This discards what was built: call dae_model_build again. A wrong name is
   reported by dae_model_build. */
DAE_API dae_status dae_model_set(dae_model *m, const char *name, double value);
DAE_API dae_status dae_model_set_start(dae_model *m, const char *name, double value, int fixed);
/* The time of the start, instead of StartTime of the text: start values are made consistent there,
   so give it before a run that begins elsewhere. dae_model_build follows, as above. */
DAE_API dae_status dae_model_set_time(dae_model *m, double t0);
/* Values of an input at times that do not decrease, straight lines between them (an Integer or
   Boolean holds its value); two equal times are a jump. They are copied and replace an expression
   of the text. At most 2000. */
DAE_API dae_status dae_model_set_input(dae_model *m, const char *name, int count,
                                       const double *time, const double *value);
/* Declared parameters that can be set, NULL past the end; known as soon as the text is read. */
DAE_API const char *dae_model_parameter_name(const dae_model *m, int i);

/* Its value, unit and description after a successful build; NaN for an array, "" where nothing is
   said. */
DAE_API double dae_model_parameter_value(const dae_model *m, int i);
DAE_API const char *dae_model_parameter_unit(const dae_model *m, int i);
DAE_API const char *dae_model_parameter_description(const dae_model *m, int i);

/* Flattens, analyses, differentiates and compiles. DAE_OK, DAE_E_MODEL or DAE_E_MEMORY. */
DAE_API dae_status dae_model_build(dae_model *m);

/* The problem, NULL before a successful build; valid until the model is changed or
   freed. */
DAE_API const dae_problem *dae_model_problem(const dae_model *m);

/* The experiment annotation; 0 where it has no value. */
DAE_API double dae_model_tolerance(const dae_model *m);
DAE_API double dae_model_interval(const dae_model *m);

/*
 * The variables of the text in source order, including eliminated ones: the problem's z and y hold
 * only those that were kept. dae_model_values computes all of them from a point of the problem and
 * returns 0, or > 0 when one of them is not a finite number there.
 */
DAE_API int dae_model_variables(const dae_model *m);
DAE_API const char *dae_model_variable_name(const dae_model *m, int i);
/* What its declaration says: unit, displayUnit, description; "" where it says nothing. */
DAE_API const char *dae_model_variable_unit(const dae_model *m, int i);
DAE_API const char *dae_model_variable_display_unit(const dae_model *m, int i);
DAE_API const char *dae_model_variable_description(const dae_model *m, int i);
DAE_API int dae_model_values(const dae_model *m, double t, const double *z, const double *y,
                             double *values);

/*
 * The drawing of annotation(__Daedal(draw = {line({0, 0}, {x, y}), ..})): its shapes in the order
 * of the text, and the number of coordinates of its points. A shape has points and, behind them,
 * numbers (a radius). dae_model_draw computes all of them, one shape after the other, from the
 * values that dae_model_values gave at the time t; 0, or > 0 when there is no memory.
 */
typedef struct dae_model_shape {
  const char *kind; /* line, curve, polygon, spring, arrow, circle, ring, ground, trace; force: a
                       place and a vector */
  int n_point, n_number;
} dae_model_shape;
DAE_API int dae_model_shapes(const dae_model *m, const dae_model_shape **shape, int *dims);
DAE_API int dae_model_draw(const dae_model *m, double t, const double *values, double *out);

/* The equations of the text as formulas "left = right", scalar by scalar, with names as they are
   declared; NULL past the end, "" when there is no memory. The text lives as long as the
   problem. */
DAE_API const char *dae_model_equation(dae_model *m, int i);

/*
 * After a run that stopped: are the equations (nearly) singular at that point, so that the index is
 * another one there? 1 and a sentence that names the equations and the variable, else 0. Reports of
 * the solver say it for mechanical and Hessenberg problems; this is for all others.
 */
DAE_API int dae_model_singular(const dae_model *m, double t, const double *z, char *text,
                               size_t size);

/* After a run that stopped because a function failed: did a C function that the text calls
   (external) give a value that is not finite? 1 and a sentence that names it, else 0. */
DAE_API int dae_model_failed_call(const dae_model *m, char *text, size_t size);

/* What `daedal check` prints: index, differentiated equations, hidden constraints as formulas,
   degrees of
   freedom, initial conditions, the form that was recognised. NULL before a successful build. */
DAE_API const char *dae_model_explain(const dae_model *m);
/* The differentiation index of the equations as they are written; the problem may be their
   underlying ODE, which has another one. -1 before a successful build. */
DAE_API int dae_model_index(const dae_model *m);
/* The generated C code, and whether it runs compiled. NULL before a successful build. */
DAE_API const char *dae_model_code(const dae_model *m);
DAE_API int dae_model_compiled(const dae_model *m);
/* Why the equations are interpreted, as one line; NULL when they are compiled or not built. */
DAE_API const char *dae_model_interpreted(const dae_model *m);

/* dae_model_read_file and dae_model_read_text with the size of the caller's options
   (daedal/problem.h, dae_sizes); options may be NULL. */
DAE_API dae_status dae_model_read_file_sized(dae_model **out, const char *path,
                                             const dae_model_options *options, int options_size);
DAE_API dae_status dae_model_read_text_sized(dae_model **out, const char *name, const char *text,
                                             size_t size, const dae_model_options *options,
                                             int options_size);

#ifndef DAEDAL_BUILD
static inline dae_status dae_model_read_file_here(dae_model **out, const char *path,
                                                  const dae_model_options *options) {
  return dae_model_read_file_sized(out, path, options, (int)sizeof *options);
}
static inline dae_status dae_model_read_text_here(dae_model **out, const char *name,
                                                  const char *text, size_t size,
                                                  const dae_model_options *options) {
  return dae_model_read_text_sized(out, name, text, size, options, (int)sizeof *options);
}
#define dae_model_read_file dae_model_read_file_here
#define dae_model_read_text dae_model_read_text_here
#endif

#ifdef __cplusplus
}
#endif

#endif
