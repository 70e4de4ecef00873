/*
 * structure: which variables are only names for others, how often each equation must be
 * differentiated,
 * in which order the rest can be solved. Rows are equations, columns are variables that were kept.
 */
#ifndef DAE_MODEL_STRUCTURE_H
#define DAE_MODEL_STRUCTURE_H

#include "model/model.h"

/* a variable that the text does not know, where all others are formulas of time */
#define DAE_NO_STATE "no state"

/* sigma[e] for entry e of a sparse matrix by rows: highest derivative of column[e] in the row */
typedef struct dae_signature {
  int rows, cols;
  int *start, *column, *sigma;
  int *col_start, *col_row, *col_entry; /* the same by columns */
} dae_signature;

/* row `row` was replaced by a sum of the rows `source`, differentiated `rates` times */
typedef struct dae_row_combination {
  int row, count, *source, *rates;
} dae_row_combination;

typedef struct dae_structure {
  /* kept variables and equations */
  int vars, eqs;
  int *var;      /* kept -> variable of the text */
  int *kept_of;  /* variable of the text -> kept, -1 when eliminated */
  int *value;    /* variable of the text -> node in kept variables (a VAR for kept ones) */
  int *residual; /* kept equation -> node left - right, in kept variables */
  uint32_t *place;
  int *left, *right; /* the same equation as it was written, in kept variables */
  int *order;        /* variable of the text -> highest derivative in the text's equations */
  int *given_by;     /* variable of the text -> equation of the text that eliminated it, -1 */
  dae_signature s;
  int *row_match, *col_match; /* highest-value transversal */
  int *c, *d;     /* offsets: equation i is differentiated c_i times, d_j is the order of x_j */
  int *rate_name; /* variable of the text -> the eliminated one that equals its derivative, -1 */
  int index, dof;
  int *written;      /* residuals before equations were combined */
  int index_written; /* before equations were combined; equal to `index` when none was */
  int index_true;    /* smaller than `index` where the structure asks for too much, else equal */
  dae_row_combination *combination;
  int combinations, combination_capacity;
  double *lost;          /* by equation: how much rounding grew when terms cancelled, 1 at least */
  dae_text combined;     /* the equations that were combined, as lines of text */
  const char *redundant; /* lines of equations one of which follows from the others, NULL */
  uint32_t redundant_place;
  unsigned char *dependent; /* by equation: it follows from others on the constraints; NULL: none */
  int blocks, *block_start, *block_row; /* rows in solving order; block b is block_start[b] .. */
} dae_structure;

/* by variable: the equation that gives it, where it is of a type that no equation is solved for;
   -1: none */
int *dae_model_orient(dae_model *m);
/* alias and explicit variables go; fills the kept part */
bool dae_model_eliminate(dae_model *m, dae_structure *s);
void dae_model_signature(dae_model *m, dae_structure *s);
/* maximum-value transversal; false when there is none: row_match has -1 for rows without a
   partner */
bool dae_model_transversal(dae_arena *arena, const dae_signature *s, int *row_match,
                           int *col_match);
/* smallest offsets with c_i >= c_least[i], d_j >= d_least[j] (NULL: 0) */
void dae_model_offsets(dae_arena *arena, const dae_signature *s, const int *row_match,
                       const int *col_match, const int *c_least, const int *d_least, int *c,
                       int *d);
/* block lower triangular order of the entries with d_j - c_i = sigma_ij; returns how many blocks */
int dae_model_blocks(dae_arena *arena, const dae_signature *s, const int *row_match,
                     const int *col_match, const int *c, const int *d, int *block_start,
                     int *block_row);

/* more constraints than coordinates (redundant.c): dependent ones get a place in the signature.
   false: it is not that; *why then says which constraint contradicts the others, if one does */
bool dae_model_redundant(dae_model *m, dae_structure *s, dae_text *why);
/* the entries by columns from those by rows */
void dae_model_signature_columns(dae_arena *arena, dae_signature *s);

/* what a numeric look at the system Jacobian J_ij = d f_i/d x_j^(d_j - c_i) found */
typedef enum dae_mend {
  MEND_NOTHING, /* regular, or an equation follows from others (`redundant`) */
  MEND_DONE,    /* an equation was replaced by a combination: the structure must be found again */
  MEND_FAILED   /* an error was reported */
} dae_mend;
/* the sum with equal terms added up (collect.c). *lost: largest terms against what is left */
int dae_model_sum_up(dae_model *m, int node, double *lost);
dae_mend dae_model_mend(dae_model *m, dae_structure *s);
/* the differentiation index of the equations as they were written, at points near the start; the
   structural index where that cannot be told (large systems) */
int dae_model_true_index(dae_model *m, const dae_structure *s);

/* false after an error: values of other times in an equation, or numbers that are not finite */
bool dae_model_check_flat(dae_model *m);

/* which equations are too many and which variables too few, with names */
void dae_model_explain_singular(dae_model *m, const dae_structure *s);

/* names of variables and parameters in formulas */
dae_namer dae_model_namer(dae_model *m);
/* derivatives as the text has them, without the names of others for them */
dae_namer dae_model_namer_plain(dae_model *m);

#endif
