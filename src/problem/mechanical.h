/* mechanical: the functions of a mechanism, each by its own callback or by the one that has all */
#ifndef DAE_PROBLEM_MECHANICAL_H
#define DAE_PROBLEM_MECHANICAL_H

#include <daedal/problem.h>

static inline bool dae_mechanical_has_mass(const dae_mechanical *m) {
  return m->mass || m->evaluate;
}
static inline bool dae_mechanical_has_force(const dae_mechanical *m) {
  return m->force || m->evaluate;
}
static inline bool dae_mechanical_has_G(const dae_mechanical *m) { return m->G || m->evaluate; }
static inline bool dae_mechanical_has_curvature(const dae_mechanical *m) {
  return m->curvature || m->evaluate;
}

/* at z = (q, v), the codes of the callbacks; outputs of matrices are zero before */
static inline int dae_mechanical_mass(const dae_problem *u, double t, const double *z, double *M) {
  const dae_mechanical *m = &u->mechanical;
  return m->mass ? m->mass(t, z, M, u->ctx)
                 : m->evaluate(t, z, z + m->nq, M, NULL, NULL, NULL, u->ctx);
}
static inline int dae_mechanical_force(const dae_problem *u, double t, const double *z, double *f) {
  const dae_mechanical *m = &u->mechanical;
  return m->force ? m->force(t, z, z + m->nq, f, u->ctx)
                  : m->evaluate(t, z, z + m->nq, NULL, f, NULL, NULL, u->ctx);
}
static inline int dae_mechanical_G(const dae_problem *u, double t, const double *z, double *G) {
  const dae_mechanical *m = &u->mechanical;
  return m->G ? m->G(t, z, G, u->ctx) : m->evaluate(t, z, z + m->nq, NULL, NULL, G, NULL, u->ctx);
}
static inline int dae_mechanical_curvature(const dae_problem *u, double t, const double *z,
                                           double *c) {
  const dae_mechanical *m = &u->mechanical;
  return m->curvature ? m->curvature(t, z, z + m->nq, c, u->ctx)
                      : m->evaluate(t, z, z + m->nq, NULL, NULL, NULL, c, u->ctx);
}

#endif
