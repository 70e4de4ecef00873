/* options: one table of keys serves C, the command line, the docs and other languages */
#ifndef DAEDAL_OPTIONS_H
#define DAEDAL_OPTIONS_H

#include <daedal/extend.h>
#include <daedal/memory.h>
#include <daedal/status.h>

/*
 * X(type, field, default, meaning); types: REAL (double), COUNT (int), FLAG (int, 0 or 1), NAME
 * and WORD (const char *). The meaning of a WORD begins with the words it may be and a colon. The
 * key on the command line is the field with '-' for '_'. Texts are read by dae_solver_new,
 * dae_solve, dae_bvp_solve and the like, and not needed afterwards.
 */
#define DAE_OPTION_LIST(X)                                                                        \
  X(REAL, rtol, 1e-6, "relative tolerance")                                                       \
  X(REAL, atol, 1e-6, "absolute tolerance")                                                       \
  X(REAL, ctol, 0.0, "constraint tolerance, relative to the size of its terms; 0: near rounding") \
  X(REAL, step, 0.0, "fixed step size; 0: error control")                                         \
  X(REAL, first_step, 0.0, "first step size; 0: automatic")                                       \
  X(REAL, max_step, 0.0, "largest step size; 0: no limit")                                        \
  X(COUNT, max_steps, 10000000, "largest number of steps of one call")                            \
  X(NAME, method, "auto", "method of the step; 'daedal methods' lists them")                      \
  X(NAME, form, "auto", "reformulation of the problem; 'daedal methods' lists them")              \
  X(REAL, gamma, 0.0, "Baumgarte or attraction parameter")                                        \
  X(NAME, coefficients, "", "Baumgarte polynomial a0,a1,.. (1.4) in place of (s+gamma)^m")        \
  X(NAME, direction, "auto", "direction D of stabilization; 'daedal methods' lists them")         \
  X(WORD, weighting, "inverse", "inverse, plain: F = D(HD)^-1 (1992, 1.13) or F = D (1.14)")      \
  X(NAME, rtilde, "", "state-space form: rows of R-tilde, 1,0;0,1; empty: automatic")             \
  X(NAME, stabilize, "auto", "none, post (3.9), forward (3.4), backward (3.7), project (3.10)")   \
  X(WORD, level, "both", "both, position, velocity: constraints that stabilization uses")         \
  X(REAL, alpha, 1.0, "strength of stabilization")                                                \
  X(COUNT, passes, 1, "repetitions of stabilization in a step")                                   \
  X(COUNT, freeze, 1, "steps that may share a factorization of HD")                               \
  X(WORD, schur, "factor", "factor, sor: (HD)^-1 by factors or by a few sweeps")                  \
  X(WORD, project, "auto", "auto, none, velocity, position, both, all: end of collocation step")  \
  X(FLAG, project_output, 1, "dense output is projected onto the constraints")                    \
  X(WORD, passage, "auto", "auto, off: treatment of singularities of the constraints")            \
  X(REAL, srm_eps, 0.0, "sequential regularization: eps; 0: automatic")                           \
  X(COUNT, srm_iterations, 0, "sequential regularization: iterations; 0: automatic")              \
  X(WORD, srm_weight, "inverse", "inverse, identity, transpose: E of regularization (1995)")      \
  X(WORD, srm_variant, "auto", "auto, standard, singular, invariant, free: equations (1995)")     \
  X(NAME, srm_alpha, "", "coefficients alpha1,alpha2[,alpha3] of (2.5), (4.5)")                   \
  X(WORD, srm_carry, "mesh", "mesh, stage, waveform: how an iterate reaches the next")            \
  X(REAL, srm_window, 0.0, "length of a window of sweeps; 0: automatic")                          \
  X(WORD, multiplier, "auto", "auto, interpolate, recursion, index1: y of implicit RK")           \
  X(COUNT, mesh, 0, "mesh intervals of collocation; 0: automatic")                                \
  X(FLAG, fixed_mesh, 0, "keep the mesh")                                                         \
  X(REAL, mesh_grade, 1.0, "mesh t_i = t0 + (t1-t0)(i/N)^P")                                      \
  X(COUNT, mesh_max, 100000, "largest number of mesh intervals")                                  \
  X(FLAG, check_derivatives, 1, "given derivatives are compared with differences at the start")   \
  X(FLAG, audit, 1, "all numbers finite, all equations satisfied: else the status says which")    \
  X(NAME, atol_of, "", "atol of single variables, x=1e-8,v=1e-3, or of all entries of z")         \
  X(COUNT, threads, 1, "threads of a run; above 1 callbacks must allow for calls side by side")

#define DAE_TYPE_REAL double
#define DAE_TYPE_COUNT int
#define DAE_TYPE_FLAG int
#define DAE_TYPE_NAME const char *
#define DAE_TYPE_WORD const char *

enum { DAE_OPTIONS_COOKIE = 0x0dae0dae };

typedef struct dae_options {
  /* both set by dae_options_default: an uninitialised struct is refused, and one of another version
     is understood */
  unsigned cookie; /* DAE_OPTIONS_COOKIE */
  int size;        /* of the struct */
  dae_allocator allocator;
  dae_log log;
  /* absolute tolerance of each entry of z, nz numbers, for initial value problems; copied by
     dae_solver_new. NULL: atol for all. The option atol_of says the same by names, and of those
     that it names it is the one that counts */
  const double *atols;
  int n_atols;
  const dae_extend *extend; /* own methods, norms and so on (daedal/extend.h); NULL: none */
#define DAE_OPTION_FIELD(type, field, value, meaning) DAE_TYPE_##type field;
  DAE_OPTION_LIST(DAE_OPTION_FIELD)
#undef DAE_OPTION_FIELD
} dae_options;

/* The options that a caller starts from. */
DAE_API dae_options dae_options_default(void);

/* Sets one option by key ("srm-eps" or "srm_eps") from text. DAE_E_INPUT with a sentence in
   `message`. */
DAE_API dae_status dae_options_set(dae_options *o, const char *key, const char *value,
                                   char *message, int size);

/* Key i of the table (NULL past the end), its type ("REAL" ..), meaning and default as text. */
DAE_API const char *dae_option_key(int i);
DAE_API const char *dae_option_type(int i);
DAE_API const char *dae_option_meaning(int i);
DAE_API const char *dae_option_default(int i);

/* The same for a struct of `size` bytes: what dae_options_default calls in a program, so that
   library and program may have different versions. DAE_E_INPUT when the size cannot be. */
DAE_API dae_status dae_options_fill(dae_options *o, int size);

#ifndef DAEDAL_BUILD
static inline dae_options dae_options_here(void) {
  dae_options o;
  dae_options_fill(&o, (int)sizeof o);
  return o;
}
#define dae_options_default dae_options_here
#endif

#endif
