/* C := C - A B, the step that large factorizations spend their time in */
#ifndef DAE_LA_PRODUCT_H
#define DAE_LA_PRODUCT_H

#include <string.h>

#include "la/dense/four.h"

/* a tile of C that stays in registers, and how much of B is laid side by side at a time */
enum { PRODUCT_ROWS = 4, PRODUCT_COLS = 8, PRODUCT_DEPTH = 64 };

/* one row of a tile */
FOUR_INLINE void product_row(int depth, const double *A, const double (*B)[PRODUCT_COLS],
                             double *C) {
  four s = four_load(C), t = four_load(C + 4);
  for (int k = 0; k < depth; k++) {
    const four a = four_all(A[k]);
    s = four_minus(s, a, four_load(B[k])), t = four_minus(t, a, four_load(B[k] + 4));
  }
  four_store(C, s), four_store(C + 4, t);
}

FOUR_INLINE void product_tile(int depth, const double *A, size_t lda,
                              const double (*B)[PRODUCT_COLS], double *C, size_t ldc) {
  const double *A1 = A + lda, *A2 = A1 + lda, *A3 = A2 + lda;
  double *C1 = C + ldc, *C2 = C1 + ldc, *C3 = C2 + ldc;
  four s0 = four_load(C), t0 = four_load(C + 4), s1 = four_load(C1), t1 = four_load(C1 + 4);
  four s2 = four_load(C2), t2 = four_load(C2 + 4), s3 = four_load(C3), t3 = four_load(C3 + 4);
  for (int k = 0; k < depth; k++) {
    const four b = four_load(B[k]), d = four_load(B[k] + 4);
    four a = four_all(A[k]);
    s0 = four_minus(s0, a, b), t0 = four_minus(t0, a, d);
    a = four_all(A1[k]);
    s1 = four_minus(s1, a, b), t1 = four_minus(t1, a, d);
    a = four_all(A2[k]);
    s2 = four_minus(s2, a, b), t2 = four_minus(t2, a, d);
    a = four_all(A3[k]);
    s3 = four_minus(s3, a, b), t3 = four_minus(t3, a, d);
  }
  four_store(C, s0), four_store(C + 4, t0), four_store(C1, s1), four_store(C1 + 4, t1);
  four_store(C2, s2), four_store(C2 + 4, t2), four_store(C3, s3), four_store(C3 + 4, t3);
}

/* `width` columns of C, at most those of a tile; fewer by way of a whole row */
FOUR_INLINE void product_columns(int rows, int width, int depth, const double *A, size_t lda,
                                 const double (*B)[PRODUCT_COLS], double *C, size_t ldc) {
  int i = 0;
  if (width == PRODUCT_COLS)
    for (; i + PRODUCT_ROWS <= rows; i += PRODUCT_ROWS)
      product_tile(depth, A + (size_t)i * lda, lda, B, C + (size_t)i * ldc, ldc);
  for (; i < rows; i++) {
    double whole[PRODUCT_COLS] = {0}, *row = C + (size_t)i * ldc;
    memcpy(whole, row, (size_t)width * sizeof *row);
    product_row(depth, A + (size_t)i * lda, B, whole);
    memcpy(row, whole, (size_t)width * sizeof *row);
  }
}

static inline void subtract_product(int rows, int cols, int depth, dae_la_part A, dae_la_part B,
                                    double *C, int ldc) {
  double side[PRODUCT_DEPTH][PRODUCT_COLS];
  for (int k = 0; k < depth; k += PRODUCT_DEPTH) {
    int deep = depth - k < PRODUCT_DEPTH ? depth - k : PRODUCT_DEPTH;
    for (int j = 0; j < cols; j += PRODUCT_COLS) {
      int width = cols - j < PRODUCT_COLS ? cols - j : PRODUCT_COLS;
      memset(side, 0, (size_t)deep * sizeof *side);
      for (int q = 0; q < deep; q++)
        memcpy(side[q], B.first + (size_t)(k + q) * (size_t)B.apart + j,
               (size_t)width * sizeof **side);
      product_columns(rows, width, deep, A.first + k, (size_t)A.apart,
                      (const double(*)[PRODUCT_COLS])side, C + j, (size_t)ldc);
    }
  }
}

#endif
