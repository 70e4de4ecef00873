/* inside libdaedal-petsc */
#ifndef DAE_FLOW_H
#define DAE_FLOW_H

#include <daedal/petsc.h>

/* an IMEX method, see imex.c */
typedef struct DaeFlowImex DaeFlowImex;

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
  Vec mass, mass_inverse; /* NULL: M = I */
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
  KSP ksp_stiff, ksp_stage;
  Mat A, T;           /* M - h gamma L, and the operator of a stage */
  PetscReal A_factor; /* the h gamma of A; 0: none yet */
  PetscReal size;     /* of C: |C x| for |x| = 1 at random */
  /* how */
  const dae_method *method;
  const DaeFlowImex *imex; /* NULL: a method of the core */
  dae_tableau t;
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
  Vec guess, gap, data, trial;                      /* of the size of p */
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

/* ---- imex.c ---- */
/* method i, NULL past the end; its line as in the table of the core, its explicit part, weights */
const DaeFlowImex *DaeFlowImexAt(int i);
const dae_method *DaeFlowImexMethod(const DaeFlowImex *m);
void DaeFlowImexTableau(const DaeFlowImex *m, dae_tableau *t);
PetscErrorCode DaeFlowImexSetUp(DaeFlow f);
/* k and l of all stages of a step */
PetscErrorCode DaeFlowImexStages(DaeFlow f, PetscReal h);

/* ---- flow.c ---- */
/* method i of those that can be used here, with its tableau; NULL past the end. *imex: NULL for
   methods of the core */
const dae_method *DaeFlowMethodAt(int i, dae_tableau *t, const DaeFlowImex **imex);

/* ---- step.c ---- */
/* an attempt from the present point: u_new, p_new, F_new, slope_new, and *norm of the error (0: no
   estimate) */
PetscErrorCode DaeFlowAttempt(DaeFlow f, PetscReal h, PetscReal *norm);
#endif
