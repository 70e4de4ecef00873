/* the tables of methods, forms, directions and stabilizers */
#ifndef DAEDAL_METHOD_H
#define DAEDAL_METHOD_H

#include <stdbool.h>

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
  int order;         /* of x, p */
  int order_y;       /* of the multipliers */
  int stage_order;   /* q */
  int stages;
  int estimate;      /* order of the embedded error estimate; 0: fixed step only */
  bool implicit;
  double r_infinity; /* |R(infinity)|; NaN where it has no meaning (explicit, multistep) */
  dae_view_kind view;
  const char *when;  /* when to use it */
} dae_method;

/* Method i of the table, NULL past the end; the method of a name, NULL when there is none. */
DAE_API const dae_method *dae_method_at(int i);
DAE_API const dae_method *dae_method_find(const char *name);
/* The smallest tolerance that an adaptive method accepts; below it the steps of so low an order
   would be too many, and the rounding in them too much. */
DAE_API double dae_method_tightest(const dae_method *m);

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
