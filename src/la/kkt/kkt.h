/* the back ends of the KKT system: one table of functions each */
#ifndef DAE_LA_KKT_H
#define DAE_LA_KKT_H

#include "la/la.h"

typedef struct dae_la_kkt_backend {
  /* where one shape has several back ends; NULL: a function of its own */
  dae_status (*make)(void **self, dae_pool *pool, const dae_la_kkt_shape *shape);
  bool notices; /* see dae_la_kkt_notices */
  /* DAE_E_FORM: the numbers do not suit it, another back end must have them */
  dae_status (*factor)(void *self, const double *M, const double *G, const double *Kt,
                       bool mass_same, dae_la_kkt_info *info);
  void (*solve)(void *self, double *p, double *r);
  /* both at once; NULL: one after the other */
  dae_status (*factor_solve)(void *self, const double *M, const double *G, const double *Kt,
                             bool mass_same, double *p, double *r, dae_la_kkt_info *info);
  /* y of that, made as short as it can be; NULL: it is */
  void (*shorten)(void *self, double *y);
  /* p := M^-1 K (G M^-1 K)^-1 r; NULL: by solve */
  void (*least)(void *self, double *r, double *p);
  void (*schur_solve)(void *self, double *r);
  void (*mass_solve)(void *self, double *p);
  double *(*lengths)(void *self);
  void (*expect)(void *self, int rank); /* NULL: not known */
  void (*free)(void *self);
} dae_la_kkt_backend;

/* dense, K = G', M symmetric: the fast one; there is another of it (wide.h) */
extern const dae_la_kkt_backend dae_la_kkt_dense;
/* the same, large; DAE_E_FORM where M is not positive or rows are near to depending on each
   other */
extern const dae_la_kkt_backend dae_la_kkt_blocked;
/* dense, any K and M */
extern const dae_la_kkt_backend dae_la_kkt_general;
dae_status dae_la_kkt_general_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape);
/* sparse, K = G', M symmetric in small blocks: Cholesky of G M^-1 G' in its envelope. No object and
   DAE_OK: it does not suit. */
extern const dae_la_kkt_backend dae_la_kkt_schur;
dae_status dae_la_kkt_schur_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape);
/* sparse, anything: LU of the whole matrix */
extern const dae_la_kkt_backend dae_la_kkt_whole;
dae_status dae_la_kkt_whole_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape);
/* the multiplications that AMD expects of it; takes nothing from the pool but its allocator */
dae_status dae_la_kkt_whole_work(const dae_pool *pool, const dae_la_kkt_shape *shape, double *work);

/*
 * Rows count as dependent when a pivot of the scaled Schur complement, which is the square of a
 * singular value s, is below this. Keeping such a row gives accelerations an error of eps/s,
 * leaving it out one of s |y|: the two meet at s = sqrt(eps). The factor is room for rounding in
 * the pivot.
 */
static inline double dae_la_kkt_tolerance(int n) { return 100 * 2.2e-16 * (n > 64 ? 64 : n + 1); }

/* ---- dependent rows: S y = s by rank-revealing QR, then y of minimum norm ---- */

/* of a unit row in another: rounding times a condition of 1e5. A row that has no part in a
   dependent one leaves that much, which its scale would make large where rows differ by many
   decades */
#define DAE_LA_NO_PART 1e-10

typedef struct dae_la_deficient {
  int rows, cols;
  double *A;     /* rows x cols: the vectors, scaled to unit length; then Q and R */
  double *scale; /* rows: the length of each vector; 1 for a vanishing one */
  double *left;  /* rows: the scale of each equation */
  double *null;  /* (rows - rank) x rows: orthonormal basis of the y that do nothing */
  double *tau, *x, *work;
  int *perm, rank;
} dae_la_deficient;

dae_status dae_la_deficient_new(dae_la_deficient *d, dae_pool *pool, int rows, int cols);
/* A was filled with unscaled vectors; scales them and factors; |r_ii| <= tol is zero */
void dae_la_deficient_factor(dae_la_deficient *d, double tol);
/* the smallest |r_ii| that counts, of 1 at most; 0 when none does */
double dae_la_deficient_last(const dae_la_deficient *d);
/* A A' y = s in place, with y = 0 for the dependent vectors */
void dae_la_deficient_solve_normal(dae_la_deficient *d, double *s);
/* left^-1 A' y = left^-1 s in place (cols = rows), a least squares solution of that kind */
void dae_la_deficient_solve(dae_la_deficient *d, double *s);
/* the y of minimum norm that does the same */
void dae_la_deficient_shorten(const dae_la_deficient *d, double *y);

#endif
