/* orthogonal elimination of the almost block diagonal system against one dense elimination of all
   of it */
#include <stdint.h>
#include <stdlib.h>

#include "colloc/bvp.h"
#include "test.h"

enum { N = 7, MOST = 45, PAR = 2, INNER = 1, WIDE = 2 * MOST + PAR };

static double number(void) {
  static uint64_t s = 0x9e3779b97f4a7c15u;
  s ^= s << 13;
  s ^= s >> 7;
  s ^= s << 17;
  return (double)(s >> 11) / 4503599627370496.0 - 1;
}

static void fill(double *A, int count) {
  for (int i = 0; i < count; i++) A[i] = number();
}

/* left rows (absent when mixed), one inner row at point 3, elements, last rows */
static void run(int dim, bool mixed) {
  int nq = PAR + (mixed ? dim : 0), size = dim + nq, left = mixed ? 0 : 2 * dim / 3;
  int last = size - (mixed ? dim : left) - INNER, all = (N + 1) * dim + PAR;
  static double T[N][MOST * MOST], U[N][MOST * PAR], e[N * MOST], rows[MOST * WIDE], inner[WIDE];
  static double end[WIDE * WIDE], rhs[MOST + INNER], last_rhs[WIDE], d[(N + 1) * MOST], q[WIDE];
  double *A = calloc((size_t)(all * all), sizeof *A), *b = calloc((size_t)all, sizeof *b);
  int *pivot = calloc((size_t)all, sizeof *pivot), row = 0, p0 = (N + 1) * dim;
  dae_pool pool;
  dae_colloc_blocks blocks;
  dae_base_pool_init(&pool, NULL);
  CHECK(dae_colloc_blocks_init(&blocks, &pool, N, dim, nq, (mixed ? dim : left) + INNER, mixed) ==
        DAE_OK);
  fill(&T[0][0], N * MOST * MOST);
  fill(&U[0][0], N * MOST * PAR);
  fill(e, N * MOST);
  fill(rows, MOST * WIDE);
  fill(inner, WIDE);
  fill(end, WIDE * WIDE);
  fill(rhs, MOST + INNER);
  fill(last_rhs, WIDE);
  /* one mode grows by 1e4 an element: elimination without exchange would lose all digits */
  for (int i = 0; i < N; i++) T[i][0] *= 1e4;
  /* an inner row has nothing to do with d_0 */
  for (int j = 0; mixed && j < dim; j++) inner[dim + j] = 0;
  dae_colloc_blocks_begin(&blocks);
  if (left) dae_colloc_blocks_rows(&blocks, 0, left, rows);
  for (int i = 0; i < N; i++) {
    if (i == 3) dae_colloc_blocks_rows(&blocks, 3, INNER, inner);
    dae_colloc_blocks_element(&blocks, i, T[i], U[i]);
  }
  CHECK(dae_colloc_blocks_end(&blocks, last, end) == DAE_OK);
  dae_colloc_blocks_solve(&blocks, rhs, e, last_rhs, d, q);
  /* the same system as one matrix over (d_0 .. d_N, p) */
  int shift = mixed ? dim : 0;
  for (int i = 0; i < left + INNER + last; i++, row++) {
    bool is_left = i < left, is_inner = i == left;
    const double *r = is_left    ? rows + i * size
                      : is_inner ? inner
                                 : end + (i - left - INNER) * size;
    int point = is_left ? 0 : is_inner ? 3 : N;
    for (int j = 0; j < dim; j++) A[row * all + point * dim + j] += r[j];
    for (int j = 0; j < shift; j++) A[row * all + j] += r[dim + j];
    for (int j = 0; j < PAR; j++) A[row * all + p0 + j] += r[dim + shift + j];
    b[row] = is_left || is_inner ? rhs[i] : last_rhs[i - left - INNER];
  }
  for (int i = 0; i < N; i++)
    for (int k = 0; k < dim; k++, row++) {
      A[row * all + (i + 1) * dim + k] = 1;
      for (int j = 0; j < dim; j++) A[row * all + i * dim + j] -= T[i][k * dim + j];
      for (int j = 0; j < PAR; j++) A[row * all + p0 + j] -= U[i][k * PAR + j];
      b[row] = e[i * dim + k];
    }
  CHECK(row == all);
  CHECK(dae_la_lu(all, A, pivot) == 0);
  dae_la_lu_solve(all, A, pivot, b);
  double largest = dae_la_norm_max(all, b);
  /* two stable eliminations of a matrix with entries up to 1e4 and condition of perhaps 1e7 */
  for (int i = 0; i < (N + 1) * dim; i++) CHECK_NEAR(d[i], b[i], 1e-9 * largest);
  for (int j = 0; j < PAR; j++) CHECK_NEAR(q[shift + j], b[p0 + j], 1e-9 * largest);
  dae_base_pool_free(&pool);
  free(A);
  free(b);
  free(pivot);
}

static void test_separated(void) {
  for (int i = 0; i < 5; i++) run(3, false);
  /* reflections in groups of 16, the last of which is shorter */
  run(MOST, false);
}

static void test_mixed(void) {
  for (int i = 0; i < 5; i++) run(3, true);
  run(MOST, true);
}

int main(void) {
  RUN(test_separated);
  RUN(test_mixed);
  return TEST_END();
}
