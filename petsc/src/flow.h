/* inside libdaedal-petsc */
#ifndef DAE_FLOW_H
#define DAE_FLOW_H

#include <daedal/petsc.h>

/* an IMEX method, see imex.c */
typedef struct DaeFlowImex DaeFlowImex;

/* what a step does: with the tableau of the core, or of imex.c */
typedef enum DaeFlowKind {
  DAE_FLOW_HALF_EXPLICIT,
  DAE_FLOW_PROJECTED,
  DAE_FLOW_IMEX,
  DAE_FLOW_IMPLICIT,
  DAE_FLOW_SRM
} DaeFlowKind;

enum { DAE_FLOW_STAGES = 5 };                  /* of an implicit method */
enum { DAE_FLOW_SLOTS = DAE_FLOW_STAGES + 1 }; /* one for each stage, one for the error estimate */
enum { DAE_FLOW_ITERATES = 8 };                /* of SRM */

struct _p_DaeFlow {
  MPI_Comm comm;
  char prefix[64];
  /* the problem */
  DaeFlowForce force;
  void *force_ctx;
  Mat B, C, schur; /* schur: what the preconditioner is made from, NULL: computed */
  DaeFlowData r, r_t;
  void *r_ctx;
  DaeFlowConstraint g, g_t;
  DaeFlowMatrices matrices;
  void *g_ctx;
  Vec mass, mass_inverse; /* M, or the diagonal of M; NULL: M = I */
  Mat mass_matrix;        /* NULL: M is diagonal */
  KSP ksp_mass;
  Vec divided; /* scratch for it */
  MatNullSpace space;
  DaeFlowEvent event;
  void *event_ctx;
  DaeFlowMonitor monitor;
  void *monitor_ctx;
  PetscBool show;
  /* the linear solver */
  KSP ksp;
  Mat S;        /* C M^-1 B as an operator */
  Mat S_matrix; /* and as a matrix, when it can be computed */
  Mat L;        /* the part of the force that is implicit; NULL: none */
  DaeFlowStiff stiff;
  void *stiff_ctx;
  PetscBool stiff_old; /* L is of another point */
  KSP ksp_stiff[DAE_FLOW_SLOTS], ksp_stage;
  Mat A[DAE_FLOW_SLOTS], T;           /* M - factor L, and the operator of a stage or of all */
  PetscReal A_factor[DAE_FLOW_SLOTS]; /* 0: none yet */
  PetscReal size;                     /* of C: |C x| for |x| = 1 at random */
  PetscReal loose;                    /* for now, instead of the tolerance of ksp; 0: none */
  /* how */
  const dae_method *method;
  DaeFlowKind kind;
  const DaeFlowImex *imex; /* NULL: a method of the core */
  dae_tableau t;
  PetscReal lower[DAE_FLOW_STAGES][DAE_FLOW_STAGES]; /* implicit: the factor L D of a = L D U */
  PetscReal end[DAE_FLOW_STAGES];                    /* b' a^-1 */
  PetscReal rtol, atol, step;
  PetscInt max_steps;
  /* the run */
  PetscBool ready, started;
  PetscReal time, time_old, h, norm_before, event_value;
  PetscBool rejected_before;
  Vec u, p, F, slope;                               /* the point; M^-1 f there; u' there */
  Vec u_old, slope_old;                             /* where the last step began */
  Vec k[DAE_TABLEAU_STAGES], l[DAE_TABLEAU_STAGES]; /* of stages: M^-1 f or slopes; imex */
  Vec u_new, p_new, F_new, slope_new, error, crude; /* of an attempt */
  Vec stage, beyond, Bp;                            /* scratch, of the size of u */
  PetscReal h_signed;                               /* implicit: the step of the operators */
  Vec U[DAE_FLOW_STAGES], R_all, D_all;             /* stages; residuals and corrections of all */
  PetscReal srm_eps, srm_used, srm_radius;          /* given, 0: none; taken; size of C M^-1 B */
  PetscInt iterates;
  Vec srm_u[DAE_FLOW_ITERATES], srm_y; /* the iterates but the last, which is u; y_0 */
  Vec y_old, y_next;                   /* y_{s-1} at both ends of the step */
  Vec mean, mean_old;                  /* of the stages of a step, and of the step before */
  PetscReal mean_time;                 /* the middle of that step */
  Vec guess, gap, data, trial;         /* of the size of p */
  IS number_u, number_p;
  DaeFlowReport report;
};

/* status and a sentence into the report */
PetscErrorCode DaeFlowFail(DaeFlow f, dae_status status, const char *format, ...);
static inline PetscBool DaeFlowOk(DaeFlow f) {
  return f->report.status == DAE_OK ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- system.c ---- */
/* vectors, operator and solver; once */
PetscErrorCode DaeFlowSetUp(DaeFlow f);
/* F := M^-1 f(t,u) */
PetscErrorCode DaeFlowEvaluate(DaeFlow f, PetscReal t, Vec u, Vec F);
/* gap := C u - r(t), or g(t,u) */
PetscErrorCode DaeFlowGap(DaeFlow f, PetscReal t, Vec u, Vec gap);
/* C and B at a point, for constraints that are not linear */
PetscErrorCode DaeFlowRefresh(DaeFlow f, PetscReal t, Vec u);
/* p := (C M^-1 B)^-1 gap, from the guess in p; u: what the gap was computed from, for its scale */
PetscErrorCode DaeFlowSchurSolve(DaeFlow f, Vec u, Vec gap, Vec p);
/* u := u - M^-1 B q */
PetscErrorCode DaeFlowSubtract(DaeFlow f, Vec u, PetscReal factor, Vec q);
/* p and u' at a point from the differentiated constraints: C u' = r'(t); F := M^-1 f */
PetscErrorCode DaeFlowSlope(DaeFlow f, PetscReal t, Vec u, Vec F, Vec p, Vec slope);
/* u moved along M^-1 B onto the constraints; phi: what was subtracted, also the guess */
PetscErrorCode DaeFlowProject(DaeFlow f, PetscReal t, Vec u, Vec phi);

/* x := M^-1 x; y := M x */
PetscErrorCode DaeFlowDivide(DaeFlow f, Vec x);
PetscErrorCode DaeFlowWeigh(DaeFlow f, Vec x, Vec y);
/* x without its part along M^-1 B: P x, P = I - M^-1 B (C M^-1 B)^-1 C. After a failure: not a
   number, so that iterations end */
PetscErrorCode DaeFlowTangent(DaeFlow f, Vec x);

/* ---- stiff.c: what imex and implicit methods share ---- */
/* T := operator with `times`, preconditioned by `precondition`, on vectors like x */
PetscErrorCode DaeFlowStiffSetUp(DaeFlow f, Vec x, PetscErrorCode (*times)(Mat, Vec, Vec),
                                 PetscErrorCode (*precondition)(PC, Vec, Vec));
/* L at the present point, where there is a function for it */
PetscErrorCode DaeFlowStiffRefresh(DaeFlow f);
/* A[slot] := M - factor L */
PetscErrorCode DaeFlowStiffSet(DaeFlow f, int slot, PetscReal factor);
/* v := M^-1 L x */
PetscErrorCode DaeFlowStiffTimes(DaeFlow f, Vec x, Vec v);
/* y := P A[slot]^-1 M x */
PetscErrorCode DaeFlowStiffDivide(DaeFlow f, int slot, Vec x, Vec y);
/* T x = right, not below `noise` */
PetscErrorCode DaeFlowStiffSolve(DaeFlow f, PetscReal noise, Vec right, Vec x);

/* ---- imex.c ---- */
/* method i, NULL past the end; its line as in the table of the core, its explicit part, weights */
const DaeFlowImex *DaeFlowImexAt(int i);
const dae_method *DaeFlowImexMethod(const DaeFlowImex *m);
void DaeFlowImexTableau(const DaeFlowImex *m, dae_tableau *t);
PetscErrorCode DaeFlowImexSetUp(DaeFlow f);
/* k and l of all stages of a step */
PetscErrorCode DaeFlowImexStages(DaeFlow f, PetscReal h);

/* ---- irk.c ---- */
PetscErrorCode DaeFlowImplicitSetUp(DaeFlow f);
/* the stages U and their forces k; u_new, not yet on the constraints */
PetscErrorCode DaeFlowImplicitStages(DaeFlow f, PetscReal h);
/* error := the embedded estimate, damped */
PetscErrorCode DaeFlowImplicitError(DaeFlow f, PetscReal h);

/* ---- srm.c ---- */
extern const dae_method DaeFlowSrmMethod;
PetscErrorCode DaeFlowSrmSetUp(DaeFlow f);
/* all iterates begin at the point of the start */
PetscErrorCode DaeFlowSrmStart(DaeFlow f);
/* u_new, p_new, F_new, slope_new */
PetscErrorCode DaeFlowSrmStep(DaeFlow f, PetscReal h);

/* ---- flow.c ---- */
/* method i of those that can be used here; NULL past the end. Sets method, kind, imex, t of f
   unless it is NULL */
const dae_method *DaeFlowMethodAt(int i, DaeFlow f);

/* ---- step.c ---- */
/* an attempt from the present point: u_new, p_new, F_new, slope_new, and *norm of the error (0: no
   estimate) */
PetscErrorCode DaeFlowAttempt(DaeFlow f, PetscReal h, PetscReal *norm);
/* root mean square of e_i / (atol + rtol |u_i|) */
PetscErrorCode DaeFlowWeightedNorm(DaeFlow f, Vec error, PetscReal *norm);
#endif
