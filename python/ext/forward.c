/* a model's problem whose functions are called through ours, so that events can stand beside it */
#include "core.h"

#define INNER(ctx) const dae_problem *in = ((problem *)(ctx))->inner

/* each function hands its arguments on, with the model's own ctx */
#define F1(kind, name)                                                               \
  static int kind##_##name(double t, const double *a, double *out, void *ctx) {      \
    INNER(ctx);                                                                      \
    return in->kind.name(t, a, out, in->ctx);                                        \
  }
#define F2(kind, name)                                                                             \
  static int kind##_##name(double t, const double *a, const double *b, double *out, void *ctx) { \
    INNER(ctx);                                                                                    \
    return in->kind.name(t, a, b, out, in->ctx);                                                   \
  }
#define F3(kind, name)                                                                   \
  static int kind##_##name(double t, const double *z, int level, double *out, void *ctx) { \
    INNER(ctx);                                                                          \
    return in->kind.name(t, z, level, out, in->ctx);                                     \
  }

#define ODE_ALL(X1, X2, X3) \
  X1(ode, f) X1(ode, f_z) X1(ode, h) X1(ode, h_z) X1(ode, h_t)
#define HESSENBERG_ALL(X1, X2, X3)                                                              \
  X2(hessenberg, f) X2(hessenberg, f_z) X2(hessenberg, B) X1(hessenberg, g) X1(hessenberg, G) \
  X1(hessenberg, g_t) X3(hessenberg, g_rate) X3(hessenberg, g_rate_z)
#define MECHANICAL_ALL(X1, X2, X3)                                                                \
  X1(mechanical, mass) X2(mechanical, force) X2(mechanical, force_q) X2(mechanical, force_v)      \
  X1(mechanical, g) X1(mechanical, G) X1(mechanical, g_t) X2(mechanical, curvature)               \
  X2(mechanical, velocity_q) X1(mechanical, w) X1(mechanical, W) X2(mechanical, w_rate)

#define IMPLICIT_ALL(X1, X2, X3)                                                               \
  X2(implicit, F) X1(implicit, f) X1(implicit, f_x) X1(implicit, mass) X1(implicit, h)         \
  X1(implicit, h_x) X1(implicit, h_t)

ODE_ALL(F1, F2, F3)
IMPLICIT_ALL(F1, F2, F3)
HESSENBERG_ALL(F1, F2, F3)
MECHANICAL_ALL(F1, F2, F3)

static int mechanical_dynamics_q(double t, const double *q, const double *v, const double *a,
                                 const double *y, double *J, void *ctx) {
  INNER(ctx);
  return in->mechanical.dynamics_q(t, q, v, a, y, J, in->ctx);
}

static int mechanical_evaluate(double t, const double *q, const double *v, double *M, double *f,
                               double *G, double *c, void *ctx) {
  INNER(ctx);
  return in->mechanical.evaluate(t, q, v, M, f, G, c, in->ctx);
}

static int implicit_jacobian(double t, const double *x, const double *dx, double *Fdx, double *Fx,
                             void *ctx) {
  INNER(ctx);
  return in->implicit.jacobian(t, x, dx, Fdx, Fx, in->ctx);
}

static int output(double t, const double *z, const double *y, double *out, void *ctx) {
  INNER(ctx);
  return in->output(t, z, y, out, in->ctx);
}

void forward_all(problem *b) {
  dae_problem *p = &b->p;
  p->ctx = b;
#define REPLACE(kind, name) \
  if (p->kind.name) p->kind.name = kind##_##name;
  if (p->kind == DAE_ODE) {
    ODE_ALL(REPLACE, REPLACE, REPLACE)
  } else if (p->kind == DAE_HESSENBERG) {
    HESSENBERG_ALL(REPLACE, REPLACE, REPLACE)
  } else if (p->kind == DAE_IMPLICIT) {
    IMPLICIT_ALL(REPLACE, REPLACE, REPLACE)
    REPLACE(implicit, jacobian)
  } else {
    MECHANICAL_ALL(REPLACE, REPLACE, REPLACE)
    REPLACE(mechanical, dynamics_q)
    REPLACE(mechanical, evaluate)
  }
  if (p->output) p->output = output;
  p->exact = NULL;
  p->n_direction = 0;
  p->direction = NULL;
}
