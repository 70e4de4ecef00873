/*
 * plan: how the equations become a problem of the library.
 *   mechanical  M(t,q) q'' = f(t,q,v) - G' lambda - W' eta       banks q, v, a, y
 *   hessenberg  x^(m) = f(t,z,y), 0 = g                          banks z, y
 *   ode         z' = f(t,z), all constraints as invariants       banks z, w (leading derivatives
 * of blocks)
 */
#ifndef DAE_MODEL_PLAN_H
#define DAE_MODEL_PLAN_H

#include "model/code.h"
#include "model/structure.h"
#include "problem/discrete.h"
#include <daedal/bvp.h>

typedef enum dae_route { ROUTE_MECHANICAL, ROUTE_HESSENBERG, ROUTE_ODE } dae_route;

/* a matrix of nodes, compressed by rows, columns rising */
typedef struct dae_node_matrix {
  int rows, cols;
  int *start, *column, *node;
} dae_node_matrix;

/* the sparse LU of a block, one for each thread that is inside */
typedef struct dae_block_lu {
  dae_pool pool;
  dae_la_solver *lu;
} dae_block_lu;

/* a block of equations that is linear in its leading derivatives and solved by LU */
typedef struct dae_solve_block {
  int size;
  int values;                 /* of its matrix: size*size, or those of `pattern` */
  const dae_pattern *pattern; /* NULL: dense */
  dae_block_lu **solver;      /* by workspace, made when first needed */
  int *row;                   /* equations */
  int *slot;                  /* place in w of each unknown */
  dae_function *system;       /* the matrix, then the right-hand side */
  dae_function *derivative;   /* of its rows in (z, w), NULL: not made */
} dae_solve_block;

/* factors df_i/dx_j^(k) of the equations as they were written: see impulse.c */
typedef struct dae_impulse_entry {
  int variable, order; /* kept variable j, k */
  bool constant;
} dae_impulse_entry;
typedef struct dae_impulses {
  int orders, highest; /* impulses that a variable may hold; highest derivative that occurs */
  int columns;         /* unknowns at most */
  int rows, *row, *start;
  dae_impulse_entry *entry;
  int entries, capacity;
  dae_function *factor; /* NULL: too many to be solved for */
} dae_impulses;

/* when, reinit and discrete equations as functions: see events.c and rounds.c */
typedef struct dae_hybrid {
  double *instant; /* times at which relations change, besides those of sample(..) */
  int instants;
  dae_code code; /* banks z, y or w, slots, before (z, then the slots) */
  dae_discrete discrete;
  dae_function *switches;   /* values of all switching functions */
  dae_function *conditions; /* elements of all branches */
  dae_function *values;     /* of all actions that have one */
  int elements, slots;
  int *element_branch;           /* branch of each element */
  bool *is_initial;              /* the element is initial() itself */
  int *first;                    /* element of each branch */
  int actions;                   /* those with a value */
  int *entry, *sign;             /* entry of z that an action writes, and the sign of it there */
  int *action;                   /* its number in the text */
  bool *real;                    /* of type Real */
  int assigned, *assigned_entry; /* entries of z that actions define, each once */
  int *event_of;                 /* branch -> event */
  int *event_of_action;          /* assertion inside when -> event */
  bool coupled;                  /* new values depend on algebraic variables that depend on them */
  bool needs_w;                  /* conditions or values depend on leading derivatives */
  dae_impulses impulse;
  dae_code slide_code;  /* banks z, z': see slide.c */
  dae_function **slide; /* rate of each switching function, NULL: it cannot slide */
  bool slidable, *slides;
  dae_event *event;
  bool *whole;
  int *switch_entry, *switch_event;
  const char **switch_name;
  dae_assertion *assertion;
  unsigned char *is_entry, *held;
} dae_hybrid;

typedef struct dae_plan {
  dae_model *model;
  dae_route route;
  dae_code code;
  dae_problem problem;
  int order, nx, ny, nz;
  int *x_of, *y_of;   /* kept variable -> place among x or y, -1 */
  int *x_var, *y_var; /* and back */
  int *z_first;       /* ODE: kept variable -> place of its first entry in z */
  int *d;             /* ODE: number of entries of each kept variable in z */
  int *w_of;          /* ODE: kept variable -> place in w, -1 */
  int nw_slots;
  dae_solve_block *block;
  int blocks, block_max, block_room; /* room: numbers that the largest one needs */
  dae_function *single;              /* ODE: varying factors by which single rows are divided */
  int singles, *single_row;
  dae_function *values; /* all variables of the text */
  int *lead; /* kept variable -> node of its leading derivative, -1 when only numbers give it */
  int *invariant; /* nodes of all constraints at all levels */
  int invariants;
  /* mechanical, M not diagonal, when `values` needs a: M a + K y - f at a = 0, how M is solved */
  int *rest_node;
  dae_function *rest;
  dae_solve_block mass_block;
  bool needs_a;
  double *zero; /* as many as there are coordinates and multipliers */
  dae_function *force, *force_v, *mass, *g, *G, *g_t, *curvature, *velocity_q;
  dae_function *w, *W, *w_rate, *dynamics_q;
  dae_function *evaluate; /* M, G, f, curvature one behind another; NULL: nothing is shared */
  int evaluate_end[2];    /* of M and of G there */
  dae_function *f, *f_z, *B, *rate[DAE_ORDER_MAX + 1], *rate_z[DAE_ORDER_MAX + 1];
  dae_function *h, *h_z, *h_t;
  double *z0, *y0;
  unsigned char *fixed;
  int *start_of;  /* entry of z -> variable of the text whose start it has, -1 */
  int *condition; /* initial conditions that are not just fixed entries: nodes that must be 0 */
  int conditions, condition_capacity, fixes;
  dae_code boundary_code;
  dae_boundary boundary;
  dae_function *boundary_value, *boundary_left, *boundary_right, *boundary_guess;
  dae_hybrid hybrid;
  const char **z_name, **y_name, **g_name;
  const char *why; /* why the route is not a more special one */
  dae_text explain, note;
} dae_plan;

/* true: the plan is made; false: not of this shape (plan->why) */
bool dae_model_route_mechanical(dae_model *m, dae_plan *p);
bool dae_model_route_hessenberg(dae_model *m, dae_plan *p);
/* false only after an error was reported */
bool dae_model_route_ode(dae_model *m, dae_plan *p);
bool dae_model_start(dae_model *m, dae_plan *p);
/* moves p->z0 so that these nodes of z are zero. `binding`: that there is no solution is an error,
   reported; otherwise a warning, and the start values stay */
bool dae_model_consistent(dae_model *m, dae_plan *p, const int *node, int count, bool binding);
/* switching functions, before the start values are found; then the rest */
bool dae_model_make_switches(dae_model *m, dae_plan *p);
bool dae_model_make_events(dae_model *m, dae_plan *p);
/* the numbers of the switching functions in z, from the values there */
void dae_model_settle_switches(const dae_plan *p, double t, double *z, const double *y);
/* ---- impulse.c ---- */
void dae_model_make_impulses(dae_model *m, dae_plan *p);
int dae_model_jump(double t, const double *before, double *z, char *culprit, size_t size,
                   void *ctx);
/* ---- slide.c ---- */
void dae_model_make_slides(dae_model *m, dae_plan *p);
/* the switch that z slides on, -1 */
bool dae_model_sliding(const dae_plan *p, const double *z);
int dae_model_slide_rates(double t, const double *z, int k, double rate[2], void *ctx);
int dae_model_slide_f(const dae_plan *p, double t, const double *z, double *dz);
int dae_model_slide_f_z(const dae_plan *p, double t, const double *z, double *J);
int dae_model_slide_values(const dae_plan *p, double t, const double *z, double *out);
/* leading derivatives that are known as formulas, for dae_model_substitute; ctx is the plan */
int dae_model_replace_lead(dae_graph *g, int leaf, void *ctx);
/* ---- rounds.c ---- */
int dae_model_switch_values(double t, const double *z, const double *y, const double *number,
                            double *value, void *ctx);
double dae_model_next_sample(double t, int direction, void *ctx);
double dae_model_count_samples(double t, double stop, void *ctx);
bool dae_model_sample_due(double t, void *ctx);
int dae_model_round(dae_round *now, void *ctx);
/* all variables of the text at a point */
int dae_model_plan_values(const dae_plan *p, double t, const double *z, const double *y,
                          double *all);
/* conditions of the start in z, and whether what is constrained there keeps its value */
void dae_model_begin_conditions(dae_model *m, const dae_plan *p, int *node, int count);
bool dae_model_check_first(dae_model *m, dae_plan *p);
/* a formula at z0; NaN where a leaf is not there */
double dae_model_value_at_start(dae_model *m, const dae_plan *p, int node);
/* conditions with x(finalTime): a boundary value problem */
bool dae_model_make_boundary(dae_model *m, dae_plan *p);
/* entry of z that holds x_j^(order) of a kept variable, -1 */
int dae_model_z_index(const dae_plan *p, int kept, int order);
/* the callbacks of the ODE route (ode_run.c) */
int dae_model_ode_f(double t, const double *z, double *dz, void *ctx);
int dae_model_ode_f_z(double t, const double *z, double *J, void *ctx);
int dae_model_ode_h(double t, const double *z, double *h, void *ctx);
int dae_model_ode_h_z(double t, const double *z, double *H, void *ctx);
int dae_model_ode_h_t(double t, const double *z, double *ht, void *ctx);
int dae_model_ode_values(const dae_plan *p, double t, const double *z, double *out);
/* the sparse LU of a workspace, NULL when there is no memory */
dae_la_solver *dae_model_block_lu(const dae_plan *p, const dae_solve_block *block, int slot);
/* a function of (z, w) at a point, w of the blocks solved for */
int dae_model_ode_run(const dae_plan *p, const dae_function *f, double t, const double *z,
                      double *out);
/* leading derivatives w of the blocks at a point, nw_slots of them */
int dae_model_ode_leading(const dae_plan *p, double t, const double *z, double *w);
/* how well the rows give the leading derivatives: the factor of each of p->single_row, then the
   smallest against the largest pivot of each block */
void dae_model_ode_free(dae_plan *p);
void dae_model_ode_quality(const dae_plan *p, double t, const double *z, double *quality);
/* after p->values is made: do they hold accelerations? */
void dae_model_mech_outputs(dae_plan *p);
int dae_model_mech_values(const dae_plan *p, double t, const double *z, const double *y,
                          double *out);
void dae_model_write_explain(dae_model *m, dae_plan *p);
/* rows that say nothing about their variable at the start values */
void dae_model_explain_start_rank(dae_model *m, dae_plan *p);
/* warns of an expression that has no finite value at the start values (finite.c) */
void dae_model_explain_finite(dae_model *m, dae_plan *p);
const char *dae_model_code_state(const dae_plan *p);

/* column of a leaf of the graph in a Jacobian, -1 when it is none of the columns */
typedef int (*dae_column_of)(void *ctx, const dae_node *leaf);
dae_node_matrix dae_model_jacobian(dae_model *m, const int *rows, int count, int cols,
                                   dae_column_of column_of, void *ctx);
/* partial derivative in time of each row */
void dae_model_time_partials(dae_model *m, const int *rows, int count, int *out);
/* dense places row*cols + column of all entries */
int *dae_model_places(dae_model *m, const dae_node_matrix *a);
const dae_pattern *dae_model_pattern(dae_model *m, const dae_node_matrix *a);
/* worth storing sparse? */
bool dae_model_sparse(const dae_node_matrix *a);
/* does the node hold a variable for which test(ctx, leaf) is true? */
bool dae_model_depends(dae_model *m, int node, bool (*test)(void *ctx, const dae_node *leaf),
                       void *ctx);
/* all variables of the plan by classes: x, y and the equations that go with them */
typedef struct dae_classes {
  int *dyn, *con; /* equations: c = 0 and c > 0 */
  int dyns, cons;
} dae_classes;
bool dae_model_classify(dae_model *m, dae_plan *p, dae_classes *c);
const char *dae_model_constraint_name(dae_model *m, uint32_t place);
/* random but reproducible numbers in [-1, 1] */
double dae_model_random(uint64_t *state);

#endif
