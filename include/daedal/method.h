/* the tables of methods, forms, directions and stabilizers */
#ifndef DAEDAL_METHOD_H
#define DAEDAL_METHOD_H

#include <stdbool.h>

#include <daedal/status.h>
#include <daedal/version.h>

typedef enum dae_view_kind {
  DAE_VIEW_ODE = 1,    /* z' = F(t,z) with invariants */
  DAE_VIEW_INDEX2 = 2, /* z' = F(t,z) + D(t,z) mu, 0 = h(t,z) */
  DAE_VIEW_BOTH = 3,
  DAE_VIEW_PROBLEM = 4 /* the order-m problem itself (collocation, sequential regularization) */
} dae_view_kind;

/* One line of the table of methods. */
typedef struct dae_method {
  const char *name;
  int order;       /* of x, p */
  int order_y;     /* of the multipliers */
  int stage_order; /* q */
  int stages;
  int estimate; /* order of the embedded error estimate; 0: fixed step only */
  bool implicit;
  double r_infinity; /* |R(infinity)|; NaN where it has no meaning (explicit, multistep) */
  dae_view_kind view;
  const char *when; /* when to use it */
} dae_method;

/* Method i of the table, NULL past the end; the method of a name, NULL when there is none. */
DAE_API const dae_method *dae_method_at(int i);
DAE_API const dae_method *dae_method_find(const char *name);
/* The smallest tolerance that an adaptive method accepts; below it a method of so low an order
   would need too many steps, with too much rounding in them. */
DAE_API double dae_method_tightest(const dae_method *m);

/* The coefficients of a Runge-Kutta method, for programs that run it on their own data structures.
   Stage i: Z_i = z + h sum a_ij k_j at the time t + c_i h; z_new = z + h sum b_j k_j. */
enum { DAE_TABLEAU_STAGES = 13 };
typedef struct dae_tableau {
  int stages;
  double c[DAE_TABLEAU_STAGES], a[DAE_TABLEAU_STAGES][DAE_TABLEAU_STAGES], b[DAE_TABLEAU_STAGES];
  /* error = h (first k_start + sum error_i k_i + last k_end), k_start and k_end being the slopes at
     both ends of the step; all 0: none of this kind. Implicit methods: stiff parts of it are
     damped by (I - h first f_z)^-1 error */
  double first, error[DAE_TABLEAU_STAGES], last;
  /* a cruder estimate e_3 of the same shape that guards the first (dop853):
     |error|^2 / sqrt(|error|^2 + 0.01 |e_3|^2); all 0: none */
  double guard[DAE_TABLEAU_STAGES];
  /* half-explicit: the multipliers of stage i are such that the constraints hold at the time
     t + s_i h for z + h sum_{j<=i} r_ij k_j; with known_first, k_1 is the slope at the start */
  bool half_explicit, known_first;
  double s[DAE_TABLEAU_STAGES], r[DAE_TABLEAU_STAGES][DAE_TABLEAU_STAGES];
} dae_tableau;

/* DAE_OK, or DAE_E_INPUT for a method that has no tableau. */
DAE_API dae_status dae_method_tableau(const dae_method *m, dae_tableau *out);
/* What the next step size is times the one of a step with this error norm, 1 being the tolerance;
   norm_before: that of the last accepted step (1 for none), to follow a trend. */
DAE_API double dae_method_step_factor(const dae_method *m, double norm, double norm_before,
                                      bool accepted);

/* One line of the tables of forms, directions and stabilizers. */
typedef struct dae_choice {
  const char *name;
  dae_view_kind view; /* forms: the view it gives; else 0 */
  const char *formula, *source, *when;
} dae_choice;

DAE_API const dae_choice *dae_form_at(int i);
DAE_API const dae_choice *dae_form_find(const char *name);
DAE_API const dae_choice *dae_direction_at(int i);
DAE_API const dae_choice *dae_direction_find(const char *name);
DAE_API const dae_choice *dae_stabilizer_at(int i);
DAE_API const dae_choice *dae_stabilizer_find(const char *name);

#endif
