/* the same problem functions for every solver: what a run takes and gives, and a user's own code
   for solvers of ordinary differential equations */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <time.h>

#include <daedal/daedal.h>

enum { PEER_SIZE_MAX = 64 }; /* of all unknowns of a run */

/* What came out of one run; drift only where it was asked for. */
typedef struct peer_result {
  bool ok;
  double z[PEER_SIZE_MAX];
  long steps, evaluations;
  double drift;  /* largest |g|, |d/dt g| at the accepted points */
  char note[32]; /* what was chosen */
} peer_result;

/* Of one solver on one problem, over the tolerances. */
enum { PEER_TOLERANCES = 23 };
typedef struct peer_sweep {
  double error[PEER_TOLERANCES], time[PEER_TOLERANCES], spent[PEER_TOLERANCES];
  peer_result result[PEER_TOLERANCES];
} peer_sweep;

/* One solver: runs p from t0 to t1 with rtol = atol = tol. `watch`: also measures the drift, which
   takes time. */
typedef struct peer {
  const char *name;
  bool own; /* Daedal */
  void (*run)(const struct peer *self, const dae_problem *p, double tol, bool watch,
              peer_result *out);
  const char *method;
  int table; /* number of a method, or a variant */
} peer;

enum { PEERS_MAX = 20 };
extern peer peers[PEERS_MAX];
extern int peers_count;
/* fills `peers` with those that are installed, and says which are not */
void peers_find(void);

void peer_daedal(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out);
void peer_arkode(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out);
void peer_cvode(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out);
void peer_ida(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out);
void peer_radau5(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out);
void peer_daspk(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out);
enum { PEER_NEWTON, PEER_FIXED_POINT, PEER_ADAMS }; /* CVODE */
enum { PEER_GGL, PEER_INDEX1, PEER_INDEX3 };        /* IDA, RADAU5 */
enum { PEER_STEP_LIMIT = 100000 };

/* What a user would write to solve a mechanism by an ODE code: accelerations by Cholesky of M and
   of G M^-1 G', and projection. */
typedef struct reduced {
  const dae_problem *p;
  int n, rows;
  double tol;
  bool mass_ready;
  long calls;
  clock_t limit;                           /* runs that crawl are given up after a second */
  double L[PEER_SIZE_MAX * PEER_SIZE_MAX]; /* M = L L'; diagonal entries inverted */
  double G[PEER_SIZE_MAX * PEER_SIZE_MAX]; /* rows x n */
  double W[PEER_SIZE_MAX * PEER_SIZE_MAX]; /* rows x n: L^-1 of each row of G */
  double S[PEER_SIZE_MAX * PEER_SIZE_MAX]; /* G M^-1 G' = S S', diagonal entries inverted */
} reduced;

void reduced_init(reduced *r, const dae_problem *p, double tol);
/* v' and, when y is not NULL, the multipliers. */
int reduced_accelerate(reduced *r, double t, const double *z, double *a, double *y);
/* a = M^-1 (f - G'y) for given y; G stays in r */
int reduced_force(reduced *r, double t, const double *z, const double *y, double *a);
/* x = M^-1 x with the M of r */
void reduced_mass_solve(const reduced *r, double *x);
/* d = G v + g_t with the G of r */
int reduced_rate(const reduced *r, double t, const double *z, double *d);
/* dz = (v, v') */
int reduced_rhs(reduced *r, double t, const double *z, double *dz);
/* The nearest point of both constraints in the mass norm: positions, then velocities. */
int reduced_project(reduced *r, double t, double *z);
/* takes the part off a local error that the projection has just taken off the solution */
void reduced_project_error(const reduced *r, double *e);
/* max(|g|, |G v + g_t|) */
double reduced_drift(const dae_problem *p, double t, const double *z);
/* M as a dense matrix, n x n */
void reduced_mass(const dae_problem *p, double t, const double *q, double *M);

/* Cheapest time for an error of `target` on the work-precision curve (log-log interpolation between
   runs that no other run beats in both); NaN when it is never reached. */
double curve_time(int count, const double *error, const double *time, double target);

#endif
