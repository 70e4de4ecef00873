/*
 * form: reformulations. Each turns the system into one of two views and keeps the invariants:
 *   ODE view      z' = F(t,z),                    invariants h(t,z) = 0
 *   index-2 view  z' = F(t,z,mu),  0 = c(t,z),    mostly F = F0 + D mu
 * One file a form; form.c is the table; parts.c has what they are made of.
 */
#ifndef DAE_FORM_H
#define DAE_FORM_H

#include "problem/view.h"
#include "problem/settings.h"

/* DAE_E_FORM when the form cannot honour a part of the problem, with a sentence in `message` */
dae_status dae_form_view(dae_view **out, dae_point *point, const dae_settings *o, dae_pool *pool,
                         char *message, int size);
void dae_form_free(dae_view *v);

/* ---- what the forms are made of (parts.c) ---- */

/*
 *   x^(l)' = x^(l+1) + D_l mu,  l < m-1
 *   M x^(m) = f - K y + M D_{m-1} mu
 * y either is the last part of mu, or is eliminated with the m times differentiated constraints
 *   G x^(m) + c + sum_l alpha_l level_l = 0    (alpha: Baumgarte, 1992-stab (1.4))
 * and 0 = c(t,z) are some of the invariants, or sum_l beta_l level_l (1993 (3.11)).
 */
typedef struct dae_parts {
  bool eliminate; /* y is eliminated; else y ends mu */
  bool attracted; /* alpha is used */
  bool sparse;    /* an ODE whose Newton matrices have its pattern, and need no others */
  double alpha[DAE_ORDER_MAX]; /* of level l; holonomic constraints */
  double alpha_w;              /* of the velocity-level constraints */
  bool combined;               /* beta is used; row then names the highest level */
  double beta[DAE_ORDER_MAX];
  int n_row, *row; /* imposed invariants */
  int n_col, *col; /* invariants whose columns of D stand at the first n_col of mu */
  dae_direction_choice direction;
  double *a, *y, *h, *p, *r;        /* nx, ny, nh, nx, nc */
  double *D, *H;                    /* nz x nh, nh x nz */
  double *Jf, *Jc;                  /* nx x nz, nc x nz */
  double *H_rows;                   /* nmu x nz, for implicit methods */
  struct dae_form_entries *entries; /* of sparse matrices (sparse.c) */
  double *zd, *fd;                  /* scratch of differences */
  double *ad;                       /* acceleration held during them; D mu */
} dae_parts;

/* takes v->parts with room for row and col (nh each) */
dae_status dae_form_parts_new(dae_view *v);
/* sets sizes, functions and memory after the form has filled in its parts */
dae_status dae_form_parts_ready(dae_view *v);

/* the direction; `otherwise` stands for "auto" */
dae_status dae_form_direction(dae_view *v, const dae_settings *o, dae_direction_kind otherwise,
                              char *message, int size);

/* all invariants of levels first .. last, in their order; returns how many */
int dae_form_levels(const dae_system *s, int first, int last, int *place);

/* coefficients of (s + gamma)^degree, lowest first, or those that are given; DAE_E_INPUT */
dae_status dae_form_polynomial(int degree, double gamma, const dae_list *given, double *coefficient,
                               char *message, int size);

/* a = x^(m) and y at v->point from the m times differentiated constraints with the alpha terms; it
   is factored there afterwards */
dae_status dae_form_accelerate(dae_view *v, double *a, double *y);
/* da/dz of it, nx x nz, by differentiating the KKT system; a, y are what dae_form_accelerate
   gave */
dae_status dae_form_accelerate_z(dae_view *v, const double *a, const double *y, double *Az);

/* ---- what implicit methods need (implicit.c, sparse.c) ---- */

/* residual with the mass on the left and its matrices for the parts of v; call last */
dae_status dae_form_implicit(dae_view *v);
/* the patterns of a mechanical problem are all there, so that its matrices can be sparse */
bool dae_form_is_sparse(const dae_view *v);
/* or its dense matrices have so few entries that the view gets sparse ones beside them */
bool dae_form_is_thin(const dae_view *v);
dae_status dae_form_sparse(dae_view *v);
/* those of an ODE with a pattern (sparse_ode.c) */
dae_status dae_form_sparse_ode(dae_view *v);

/* direct, for implicit problems (residual.c) */
dae_status dae_form_residual(dae_view *v, const dae_settings *o);

/* the multipliers from which the next elimination of a problem not affine in y starts */
void dae_form_guess(dae_view *v, const double *y);

/* dz += D mu at v->point for the first n_col of mu */
dae_status dae_form_add_direction(dae_view *v, const double *mu, double *dz);

dae_status dae_form_refuse(char *message, int size, const char *format, ...) DAE_PRINTF(3, 4);

/* the forms, one constructor each */
typedef dae_status dae_form_make(dae_view *v, const dae_settings *o, char *message, int size);
dae_form_make dae_form_index1, dae_form_baumgarte, dae_form_attract, dae_form_direct,
    dae_form_index2, dae_form_ggl, dae_form_invariant, dae_form_invariant_all,
    dae_form_invariant_balanced, dae_form_state_space, dae_form_embed;

#endif
