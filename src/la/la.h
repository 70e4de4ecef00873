/*
 * la: dense and sparse linear algebra; the only place that names LAPACK and KLU.
 * Dense matrices are row-major, A[i*cols + j]. Sparse ones are compressed by rows.
 * Objects take all their memory in *_new (sparse factors theirs at the first factor call), keep the
 * patterns they are given by reference, and have work arrays inside: one object, one thread, also
 * for solving.
 */
#ifndef DAE_LA_H
#define DAE_LA_H

#include <complex.h>

#include "base/base.h"
#include <daedal/pattern.h>

#ifndef CMPLX
#define CMPLX DAE_COMPLEX
#endif

/* ---- dense, in place; real LU by own kernels, the rest by them when small, else by LAPACK ---- */

/* A = P L U. Returns 0, or k+1 when pivot k is exactly zero. */
int dae_la_lu(int n, double *A, int *pivot);
/* b := A^-1 b,  b := A^-T b */
void dae_la_lu_solve(int n, const double *LU, const int *pivot, double *b);
void dae_la_lu_solve_t(int n, const double *LU, const int *pivot, double *b);
/* the same for many right-hand sides: the first `count` columns of B, n rows of `width` */
void dae_la_lu_solve_many(int n, const double *LU, const int *pivot, int count, int width,
                          double *B);
/* estimate of 1/(|A| |A^-1|) in the 1-norm; anorm is that of the matrix before factorization; work
   of 4n */
double dae_la_lu_rcond(int n, const double *LU, const int *pivot, double anorm, double *work);
/* the sign of the determinant, 1 or -1 */
int dae_la_lu_sign(int n, const double *LU, const int *pivot);
/* eigenvalues re + i im of A (n x n, overwritten), in no order; false: they were not found. Best
   with rows as large as columns */
bool dae_la_eigenvalues(int n, double *A, double *re, double *im);
/* smallest and largest |u_kk|: what elimination itself says about the condition, for free */
void dae_la_lu_pivots(int n, const double *LU, double *low, double *high);
/* estimate of |A^-1|_1 from b := A^-1 b and b := A^-T b alone; work of 2n */
typedef void dae_la_apply(const void *ctx, double *b);
double dae_la_inverse_norm1(int n, dae_la_apply *solve, dae_la_apply *solve_t, const void *ctx,
                            double *work);
int dae_la_lu_complex(int n, double complex *A, int *pivot);
void dae_la_lu_complex_solve(int n, const double complex *LU, const int *pivot, double complex *b);

/* A = L L' (lower triangle). Returns 0, or k+1 when the leading minor k is not positive. */
int dae_la_chol(int n, double *A);
void dae_la_chol_solve(int n, const double *L, double *b);
/* b := L^-1 b and b := L^-T b, the two halves */
void dae_la_chol_forward(int n, const double *L, double *b);
void dae_la_chol_backward(int n, const double *L, double *b);

/* rank-revealing QR of A' (rows of A are the vectors): A is rows x cols, overwritten. perm gets the
   row order; returns the numerical rank, i.e. the number of |r_ii| > tol |r_00|. tau of
   min(rows,cols); work of 2 rows + cols. With the factorization: minimum-norm solution of A x = b
   (b of rows, x of cols). */
int dae_la_qr_rank(int rows, int cols, double *A, double tol, int *perm, double *tau, double *work);
void dae_la_qr_min_norm(int cols, int rank, const double *QR, const int *perm, const double *tau,
                        const double *b, double *x, double *work);
/* its parts: x := Q [x; 0], x := Q' x (x of cols), c := R1^-T c, c := R1^-1 c (c of rank) */
void dae_la_qr_apply(int cols, int rank, const double *QR, const double *tau, double *x);
void dae_la_qr_apply_t(int cols, int rank, const double *QR, const double *tau, double *x);
void dae_la_qr_forward(int cols, int rank, const double *QR, double *c);
void dae_la_qr_backward(int cols, int rank, const double *QR, double *c);
/* singular values of a small matrix in falling order (overwrites A); 1 for NaN, else 0 */
int dae_la_svd(int rows, int cols, double *A, double *sigma);

/* y := A x, y := A' x, C := A B (row-major, no aliasing) */
void dae_la_mul(int rows, int cols, const double *A, const double *x, double *y);
void dae_la_mul_t(int rows, int cols, const double *A, const double *x, double *y);
void dae_la_matmul(int n, int k, int m, const double *A, const double *B, double *C);
/* a part of a matrix: its first entry, and how far apart its rows are */
typedef struct dae_la_part {
  const double *first;
  int apart;
} dae_la_part;
/* C := C - A B for A rows x depth, B depth x cols; rows of C are ldc apart */
void dae_la_subtract_product(int rows, int cols, int depth, dae_la_part A, dae_la_part B, double *C,
                             int ldc);
/* T := A' for A of rows x cols */
void dae_la_transpose_dense(int rows, int cols, const double *A, double *T);
/* sum_j a_j k_j, as of the stages of a Runge-Kutta method */
enum { DAE_LA_SUM_MAX = 16 };
typedef struct dae_la_sum {
  int count;
  double a[DAE_LA_SUM_MAX];
  const double *k[DAE_LA_SUM_MAX];
} dae_la_sum;
/* out := z + h sum_j a_j k_j; z NULL: without it; out is none of them */
void dae_la_combine(int n, const double *z, double h, const dae_la_sum *sum, double *out);
double dae_la_norm_max(int n, const double *x);
double dae_la_norm2(int n, const double *x); /* without overflow or underflow */
double dae_la_norm1(int n, const double *A);

/* ---- one square system, dense or sparse, factored often: the matrix of a Newton iteration ---- */

typedef struct dae_la_solver dae_la_solver;

/* pattern NULL: dense n x n; values are then the row-major matrix. Sparse: values in pattern order.
   Symbolic analysis happens here, once; factor() reuses it (the same pivots, others when they
   grow bad). */
dae_status dae_la_solver_new(dae_la_solver **out, dae_pool *pool, int n,
                             const dae_pattern *pattern);
/* of which numbers matrices are, one kind or both; is the condition of dense real ones asked
   for? */
enum { DAE_LA_REAL = 1, DAE_LA_COMPLEX = 2, DAE_LA_CONDITION = 4 };
/* the same with memory for these kinds alone. `beside`, of the same size and pattern, may be NULL:
   what the pattern decides, and the room to work in, is shared with it, so that only one of them
   may be at work at a time */
dae_status dae_la_solver_beside(dae_la_solver **out, dae_pool *pool, int n,
                                const dae_pattern *pattern, unsigned numbers,
                                const dae_la_solver *beside);
/* takes the memory of real or complex sparse factors, so that factoring takes none (unless pivots
   fill them far beyond all expectation); without it the first factorization does */
dae_status dae_la_solver_reserve(dae_la_solver *s, bool imaginary);
/* from now on these functions of the user factor and solve; NULL: nothing changes */
dae_status dae_la_solver_own(dae_la_solver *s, const struct dae_own_linear *own, bool imaginary);
/* releases what sparse factors hold; pool memory goes with the pool; NULL is allowed */
void dae_la_solver_free(dae_la_solver *s);
/* DAE_OK or DAE_E_SINGULAR; then dae_la_solver_culprit is the column without a pivot */
dae_status dae_la_solver_factor(dae_la_solver *s, const double *values);
void dae_la_solver_solve(const dae_la_solver *s, double *b);
void dae_la_solver_solve_t(const dae_la_solver *s, double *b);
/* the same for (alpha + i beta)-shifted complex matrices: values complex in the same pattern */
dae_status dae_la_solver_factor_complex(dae_la_solver *s, const double complex *values);
void dae_la_solver_solve_complex(const dae_la_solver *s, double complex *b);
int dae_la_solver_culprit(const dae_la_solver *s);
double dae_la_solver_rcond(dae_la_solver *s);

/* has a dense matrix something (NaN included) in the places of a pattern alone? */
bool dae_la_within(const dae_pattern *pattern, const double *dense);
/* values := what it has there */
void dae_la_collect(const dae_pattern *pattern, const double *dense, double *values);

/* ---- the KKT system  [M K; G 0] [a; y] = [p; r] ---- */

typedef enum dae_la_mass {
  DAE_LA_IDENTITY,
  DAE_LA_DIAGONAL,
  DAE_LA_DENSE,
  DAE_LA_SPARSE
} dae_la_mass;

typedef struct dae_la_kkt_shape {
  int n, rows;         /* M is n x n, G is rows x n */
  dae_la_mass mass;    /* how M is given; DIAGONAL: n values */
  bool mass_symmetric; /* M = M' > 0 */
  bool symmetric;      /* K = G' (K is then not passed) */
  const dae_pattern *mass_pattern,
      *pattern; /* of M and of G; pattern NULL: dense G. K' has G's pattern */
  /* places of a dense G and of a dense M outside which only zeros were seen; NULL: not looked at.
     Where all is zero there, they are factored as sparse ones: the solution is the same */
  const dae_pattern *found, *mass_found;
  bool narrow; /* no wide registers, though the processor has them; results are the same */
} dae_la_kkt_shape;

/*
 * Rows of any size count: only rows that vanish exactly or depend on each other after scaling to
 * unit length lower the rank. `smallest` bounds the smallest singular value of the row-scaled G
 * M^-1/2 (of the rows that count) from above and is seldom far from it; it costs nothing, as it
 * comes from the pivots. Each row is scaled by the largest length it ever had in this object, so
 * that a row that shrinks as a whole shows as well. Sparse systems that need the LU of the whole
 * matrix know only rank rows - 1.
 */
typedef struct dae_la_kkt_info {
  int rank;           /* of the constraints; rows when all is well */
  int row;            /* the first dependent row, -1 when none */
  bool numbers;       /* rank < rows, and not for NaN or infinity in M or G */
  double rcond;       /* estimate for the (row-scaled) Schur complement G M^-1 K */
  double smallest;    /* near 0: the constraints are about to lose rank; 1 at most */
  bool mass_singular; /* M itself could not be factored; row is then its row */
} dae_la_kkt_info;

typedef struct dae_la_kkt dae_la_kkt;

dae_status dae_la_kkt_new(dae_la_kkt **out, dae_pool *pool, const dae_la_kkt_shape *shape);
void dae_la_kkt_free(dae_la_kkt *k);
/* K' is passed as Kt (rows x n, as G); NULL when symmetric. mass_same: M is unchanged since the
   last factor call, so its factorization is kept. Dependent rows: DAE_OK with info.rank < rows, the
   solution of consistent systems then has minimum-norm y; DAE_E_SINGULAR only when M (or G M^-1 K
   beyond that) fails. */
dae_status dae_la_kkt_factor(dae_la_kkt *k, const double *M, const double *G, const double *Kt,
                             bool mass_same, dae_la_kkt_info *info);
/* did the last factors come from the places `found` of the shape, outside which G is empty? */
bool dae_la_kkt_thin(const dae_la_kkt *k);
/* in place: p := a, r := y. */
void dae_la_kkt_solve(const dae_la_kkt *k, double *p, double *r);
/* factor and solve in one: cheaper than two calls, as the elimination takes p and r along; the
   factors serve further solves. p and r are untouched when the status is not DAE_OK. y of dependent
   rows may be any solution; dae_la_kkt_shorten makes it that of minimum norm, for whoever wants
   it. */
dae_status dae_la_kkt_factor_solve(dae_la_kkt *k, const double *M, const double *G,
                                   const double *Kt, bool mass_same, double *p, double *r,
                                   dae_la_kkt_info *info);
void dae_la_kkt_shorten(const dae_la_kkt *k, double *y);
/* p := M^-1 K (G M^-1 K)^-1 r, the least change of p by which G p = r; r is used up */
void dae_la_kkt_least(const dae_la_kkt *k, double *r, double *p);
/* NaN or infinity in M or G cannot pass unseen: factoring fails, the rank falls, or the solution
   has it */
bool dae_la_kkt_notices(const dae_la_kkt *k);
/* y := (G M^-1 K)^-1 r alone, in place */
void dae_la_kkt_schur_solve(const dae_la_kkt *k, double *r);
/* squares of the largest length that each row ever had, rows of them: whoever counts a point only
   when it is kept saves and restores them */
double *dae_la_kkt_lengths(dae_la_kkt *k);
/* the rank of the rows when they are many enough: where more have a pivot, `smallest` is that of as
   many. false: not all back ends can tell */
bool dae_la_kkt_expect(dae_la_kkt *k, int rank);
/* a := M^-1 p alone, in place */
void dae_la_kkt_mass_solve(const dae_la_kkt *k, double *p);

#endif
