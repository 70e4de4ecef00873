/* diagnosis: what kind of problem is this, and how should it be solved? */
#ifndef DAEDAL_CHECK_H
#define DAEDAL_CHECK_H

#include <daedal/options.h>
#include <daedal/problem.h>
#include <daedal/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cases of Ascher and Petzold 1993, section 4.2, for the essential underlying ODE (EUODE). */
typedef enum dae_case {
  DAE_CASE_UNKNOWN,       /* too large for the analysis, or no point could be analysed */
  DAE_CASE_NONSTIFF_SLOW, /* 1: nonstiff, B and C vary slowly */
  DAE_CASE_NONSTIFF_FAST, /* 2: nonstiff, B or C vary fast */
  DAE_CASE_STIFF_FROZEN,  /* 3: stiff with frozen coefficients, B and C vary slowly */
  DAE_CASE_STIFF_VARIABLE /* 4: stiff because of the way B and C vary */
} dae_case;

enum { DAE_REDUNDANT_MAX = 8 };

/* Rates are per unit of time, the largest over the points of a trial run. */
typedef struct dae_diagnosis {
  int index;
  dae_case kind;
  double t0, t1;   /* what the trial run covered */
  int points;      /* of it, analysed */
  double solution; /* rate of the solution itself */
  double step;     /* step size that accuracy alone would allow at the tolerance */
  double frozen;   /* spectral radius of the frozen EUODE, R A S */
  double variable; /* |R'S|: what discretizations of the DAE treat explicitly */
  double fc;       /* |F C'|, F = B(CB)^-1 */
  double turn_constraint, turn_force; /* relative rates of C and of the range of B */
  double skew;                        /* |F| |C|: conditioning of CB; 1 when B = C' */
  double condition;                   /* of the constraints C with rows of size 1 */
  int rank, rows;                     /* of the constraints at the start */
  int n_redundant;                    /* dependent on constraints before them, at the start */
  char redundant[DAE_REDUNDANT_MAX][DAE_NAME_MAX];
  /* singular value of the scaled constraints, least over the run: distance from singularity */
  double smallest, t_smallest;
  const char *form, *direction, *method, *stabilize; /* recommended */
  char reason[DAE_TEXT_MAX];                         /* one sentence on why */
  dae_status trial;                                  /* of the trial run */
  char message[DAE_TEXT_MAX];                        /* what stopped it, "" when nothing did */
} dae_diagnosis;

/* One phrase on a case ("stiff: the variable coefficients"). */
DAE_API const char *dae_case_name(dae_case kind);

/* Looks at the problem along a short trial run from its initial values. DAE_OK whenever there is a
   result; DAE_E_INPUT or DAE_E_MEMORY else. */
DAE_API dae_status dae_diagnose(const dae_problem *p, const dae_options *o, dae_diagnosis *out);

/* The same with the sizes of the caller's structs (daedal/problem.h). */
DAE_API dae_status dae_diagnose_sized(const dae_sizes *sizes, const dae_problem *p,
                                      const dae_options *o, dae_diagnosis *out);

#ifndef DAEDAL_BUILD
static inline dae_status dae_diagnose_here(const dae_problem *p, const dae_options *o,
                                           dae_diagnosis *out) {
  dae_sizes sizes = dae_sizes_here(0, 0, 0, sizeof(dae_diagnosis));
  return dae_diagnose_sized(&sizes, p, o, out);
}
#define dae_diagnose dae_diagnose_here
#endif

#ifdef __cplusplus
}
#endif

#endif
