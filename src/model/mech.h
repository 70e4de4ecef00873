/* mech: what recognition of mechanical structure gives to the functions of the problem */
#ifndef DAE_MODEL_MECH_H
#define DAE_MODEL_MECH_H

#include "model/plan.h"

enum { BANK_Q, BANK_V, BANK_A, BANK_Y };

typedef struct dae_mech {
  dae_model *m;
  dae_plan *p;
  int nq, ny, ng, nw;
  int *row;      /* dynamics residual M a + K y - f of each coordinate, a node */
  int *con;      /* constraint nodes: ng holonomic ones, then nw of velocity level */
  int *equation; /* their equations */
  dae_node_matrix mass, force,
      gradient;              /* d row/da, d row/dy, d con/dq (velocity level: d con/dv) */
  double *scale, *con_scale; /* of the rows and of the constraints */
} dae_mech;

/* M = M', K' = [G; W], all rows scaled; false: plan->why says what is missing */
bool dae_model_mech_recognise(dae_mech *x);
dae_node_matrix dae_model_mech_jacobian(dae_mech *x, const int *rows, int count, int bank);
bool dae_model_mech_locate(void *ctx, int variable, int order, int when, int *bank, int *index);

#endif
