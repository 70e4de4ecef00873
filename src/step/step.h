/*
 * step: discretizations. A stepper advances a view by one step; the driver decides what to do with
 * it. One method (family) a file with its tableau on top; table.c lists them all.
 */
#ifndef DAE_STEP_H
#define DAE_STEP_H

#include "problem/view.h"
#include "problem/settings.h"

typedef struct dae_stepper dae_stepper;

/* smallest singular values of the constraints at the points of a step */
enum { DAE_STEP_WATCH = 24 };
typedef struct dae_watch {
  int n;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  double least, largest; /* of them */
  double end;            /* at the end of the last accepted step */
} dae_watch;
#define DAE_STEP_NORM_LEAST 1e-10 /* error norms below it say no more about the step size */

/* what a family of methods does */
typedef struct dae_stepper_class {
  /* take memory for s->view; DAE_E_FORM when the view does not fit */
  dae_status (*init)(dae_stepper *s, const dae_settings *o, char *message, int size);
  /* forget all history; the next step starts at (t, z) with multipliers mu (a guess) */
  dae_status (*restart)(dae_stepper *s, double t, const double *z, const double *mu);
  /* try a step of size h from s->t, s->z: fills s->z_new, s->mu_new, and s->error (local error
     estimate per component of z, only with embedded methods). DAE_OK, or a recoverable failure:
     DAE_E_CALLBACK, DAE_E_NEWTON, DAE_E_SINGULAR (the driver halves h) */
  dae_status (*attempt)(dae_stepper *s, double h);
  /* the step is accepted: z_new (maybe corrected by a stabilizer meanwhile) becomes z; keeps
     history */
  dae_status (*accept)(dae_stepper *s);
  /* solution inside the last accepted step, theta in [0,1]; y (may be NULL) multipliers if the
     method has them (returns DAE_E_FORM for y when it has not: the driver then computes them from
     the problem) */
  dae_status (*dense)(dae_stepper *s, double theta, double *z, double *y);
  /* step size and order for the next step, given the weighted norm of s->error in units of the
     tolerance (<= 1 accepted); NULL: the driver's PI controller with method->estimate */
  double (*next_step)(dae_stepper *s, double norm, bool accepted);
  /* what the factors of the last step make of a disturbance p of the present point,
       out := (s E + J)^-1 (r(z + p, z' + s p) - r(z, z')):
     p itself, where the matrix is that of the point. DAE_E_FORM: no factors; NULL: never */
  dae_status (*answer)(dae_stepper *s, const double *p, double *out);
  void (*destroy)(dae_stepper *s);
} dae_stepper_class;

struct dae_stepper {
  const dae_method *method;
  const dae_stepper_class *cls;
  dae_view *view;
  dae_pool *pool;
  double t, h;         /* start of the present step, size of the last attempt */
  double t_old, h_old; /* the last accepted step */
  int order;           /* of that step; 0: the order of the method */
  double t_limit;      /* no step goes beyond, from the driver */
  double *z, *mu, *dz; /* at t; dz = z' */
  double *z_new, *mu_new, *error;
  double *y, *y_new;    /* physical multipliers at t when the method knows them */
  const dae_point *end; /* factored at z_new, for who corrects it; NULL: none */
  bool exact;           /* dz and y are of z itself, as a stabilizer has left it */
  dae_watch watch; /* of the attempt, where singular values come along with its points; else none */
  /* with `fixing`: brings the argument of a stage to the constraints before it is evaluated. The
     method then solves z' = F(P z), which has the same solutions and does not see how F behaves off
     the constraints */
  dae_status (*fix)(void *ctx, double t, double *z);
  void *fix_ctx;
  bool fixing;
  const double *weight; /* error weights per component of z, from the driver: 1/(atol + rtol |z|) */
  double *noise;        /* nz: what rounding leaves of each, as far as the method knows; or NULL */
  bool stood;           /* the last attempt failed as an iteration stood still at rounding */
  double newton_tol;    /* for implicit methods, in weighted norm */
  bool careful;         /* one correction alone does not tell that iterations converge */
  long evaluations, jacobians, factorizations, solves, newton;
  long restarts;    /* of the method by itself */
  int iterates;     /* of a sequence of ODEs in the last step (srm); 0: there is none */
  char culprit[64]; /* equation of a singular or unconverged step */
  void *data;
};

dae_status dae_step_new(dae_stepper **out, const dae_method *m, dae_view *v, const dae_settings *o,
                        dae_pool *pool, char *message, int size);
void dae_step_free(dae_stepper *s);

/* the family that runs a method of the table */
const dae_stepper_class *dae_step_class(const dae_method *m);

/* z := cubic Hermite interpolant through (z0, f0) and (z1, f1) over a step h */
void dae_step_hermite(int n, double theta, double h, const double *z0, const double *f0,
                      const double *z1, const double *f1, double *z);

/* the same with a family from a layer above (methods of the view `problem`) */
dae_status dae_step_make(dae_stepper **out, const dae_method *m, const dae_stepper_class *cls,
                         dae_view *v, const dae_settings *o, dae_pool *pool, char *message,
                         int size);
enum { DAE_STEP_ON_PROBLEM = 14 };
extern const dae_method dae_step_on_problem[DAE_STEP_ON_PROBLEM];

/* weighted root-mean-square norm */
double dae_step_norm(int n, const double *x, const double *weight);
/* the tolerance relative to the present size of the unknowns: errors relative to that size are in
   units of it */
double dae_step_tolerance(const dae_stepper *s, double rtol, double atol, const double *atols);

/* classes by family, used by table.c */
extern const dae_stepper_class dae_step_explicit, dae_step_adams, dae_step_implicit;
extern const dae_stepper_class dae_step_irk, dae_step_bdf, dae_step_herk;

/* rows of the table of methods by family */
enum { DAE_IRK_RADAU3 = 7, DAE_IRK_METHODS = 15, DAE_BDF_METHODS = 6, DAE_HERK_METHODS = 4 };
extern const dae_method dae_step_herk_method[DAE_HERK_METHODS];
extern const dae_method dae_step_irk_method[DAE_IRK_METHODS], dae_step_bdf_method[DAE_BDF_METHODS];
extern const dae_method dae_step_backward_euler, dae_step_implicit_midpoint;

#endif
