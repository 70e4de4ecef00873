/* Chains of many links for every solver: what a run takes and gives, and a user's own sparse code
   for solvers of ordinary differential equations. */
#ifndef BENCH_LARGE_H
#define BENCH_LARGE_H

#include <stdbool.h>
#include <time.h>

#include <daedal/daedal.h>

/* what came out of one run */
typedef struct large_result {
  bool ok;
  double *z; /* 2 nq, of the caller */
  long steps, evaluations;
  double time;
} large_result;

/* one solver: runs p from t0 to t1 with rtol = atol = tol; gives up after `seconds` */
typedef struct large_peer {
  const char *name;
  bool own; /* Daedal */
  void (*run)(const struct large_peer *self, const dae_problem *p, double tol, double seconds,
              large_result *out);
  const char *method;
  int table; /* number of a method, or a variant */
} large_peer;

extern const large_peer large_peers[];
extern const int large_peers_count;

void large_daedal(const large_peer *self, const dae_problem *p, double tol, double seconds,
                  large_result *out);
void large_arkode(const large_peer *self, const dae_problem *p, double tol, double seconds,
                  large_result *out);
void large_cvode(const large_peer *self, const dae_problem *p, double tol, double seconds,
                 large_result *out);
void large_ida(const large_peer *self, const dae_problem *p, double tol, double seconds,
               large_result *out);
/* takes the messages of SUNDIALS */
void large_silent(int code, const char *module, const char *function, char *message, void *data);
enum { LARGE_KRYLOV, LARGE_FIXED_POINT }; /* CVODE */

/* Index reduction by hand for a chain: M is diagonal and S = G M^-1 G' tridiagonal. */
typedef struct chain {
  const dae_problem *p;
  int n, rows;
  double tol;
  long calls;
  clock_t limit;
  double *inverse;       /* n: 1/m */
  double *G;             /* in its pattern */
  double *pivot, *lower; /* rows: 1/d_i and l_i of S = L D L' */
  double *d, *move;      /* rows, n */
} chain;

bool chain_new(chain *s, const dae_problem *p, double tol, double seconds);
void chain_free(chain *s);
/* v' and, when y is not NULL, the multipliers; -1 after the time that was given */
int chain_accelerate(chain *s, double t, const double *z, double *a, double *y);
/* dz = (v, v') */
int chain_rhs(chain *s, double t, const double *z, double *dz);
/* the nearest point of both constraints in the mass norm, to a hundredth of the tolerance */
int chain_project(chain *s, double t, double *z);
/* takes the part off a local error that the projection has just taken off the solution */
void chain_project_error(chain *s, double *e);
/* r := G x and x := x + w G' y for the values of the pattern of G */
void chain_times(const chain *s, const double *G, const double *x, double *r);
void chain_add(const chain *s, const double *G, const double *y, double *x);

#endif
