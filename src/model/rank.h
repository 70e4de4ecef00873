/* rank: nodes as numbers at a few points near the start, for what only numbers can tell */
#ifndef DAE_MODEL_RANK_H
#define DAE_MODEL_RANK_H

#include "model/plan.h"

enum { DAE_PROBES = 3 };

/* reproducible points for x_j^(k), k <= most_j, of all kept variables */
typedef struct dae_probes {
  dae_model *m;
  const dae_structure *s;
  const int *most;
  int *first; /* place of x_j among the numbers of a point */
  double *x[DAE_PROBES], t[DAE_PROBES];
} dae_probes;

void dae_model_probes_init(dae_probes *q, dae_model *m, const dae_structure *s, const int *most);
/* value[k][i] of node i at point k */
void dae_model_probe(dae_probes *q, const int *node, int count, double *value[DAE_PROBES]);

/* J_ij of one row: entries of x_j^(d_j - c_i) */
dae_node_matrix dae_model_leading_row(dae_model *m, const dae_structure *s, int row);

/* rows of a singular block -> a row replaced by a combination without the leading derivatives */
dae_mend dae_model_combine_rows(dae_model *m, dae_structure *s, dae_probes *q, const int *rows,
                                int size);

#endif
