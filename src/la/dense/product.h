/* C := C - A B, the step that large factorizations spend their time in */
#ifndef DAE_LA_PRODUCT_H
#define DAE_LA_PRODUCT_H

#include <string.h>

#include "la/dense/four.h"

/* a tile of C that stays in registers, and how much of B is laid side by side at a time */
enum { PRODUCT_ROWS = 4, PRODUCT_COLS = 8, PRODUCT_DEPTH = 64, PRODUCT_SIDES = 8 };

/* four rows of A and eight columns of B, each in the order in which they are used: rows of A that
   lie far apart would be read at half the speed */
typedef double product_left[PRODUCT_DEPTH][PRODUCT_ROWS];
typedef double product_side[PRODUCT_DEPTH][PRODUCT_COLS];

FOUR_INLINE void product_tile(int depth, const product_left A, const product_side B, double *C,
                              size_t ldc) {
  double *C1 = C + ldc, *C2 = C1 + ldc, *C3 = C2 + ldc;
  four s0 = four_load(C), t0 = four_load(C + 4), s1 = four_load(C1), t1 = four_load(C1 + 4);
  four s2 = four_load(C2), t2 = four_load(C2 + 4), s3 = four_load(C3), t3 = four_load(C3 + 4);
  for (int k = 0; k < depth; k++) {
    const four b = four_load(B[k]), d = four_load(B[k] + 4);
    four a = four_all(A[k][0]);
    s0 = four_minus(s0, a, b), t0 = four_minus(t0, a, d);
    a = four_all(A[k][1]);
    s1 = four_minus(s1, a, b), t1 = four_minus(t1, a, d);
    a = four_all(A[k][2]);
    s2 = four_minus(s2, a, b), t2 = four_minus(t2, a, d);
    a = four_all(A[k][3]);
    s3 = four_minus(s3, a, b), t3 = four_minus(t3, a, d);
  }
  four_store(C, s0), four_store(C + 4, t0), four_store(C1, s1), four_store(C1 + 4, t1);
  four_store(C2, s2), four_store(C2 + 4, t2), four_store(C3, s3), four_store(C3 + 4, t3);
}

/* a tile that reaches beyond C, by way of a whole one */
static inline void product_edge(int rows, int cols, int depth, const product_left A,
                                const product_side B, double *C, size_t ldc) {
  double whole[PRODUCT_ROWS][PRODUCT_COLS] = {{0}};
  for (int i = 0; i < rows; i++) memcpy(whole[i], C + (size_t)i * ldc, (size_t)cols * sizeof *C);
  product_tile(depth, A, B, whole[0], PRODUCT_COLS);
  for (int i = 0; i < rows; i++) memcpy(C + (size_t)i * ldc, whole[i], (size_t)cols * sizeof *C);
}

/* columns of B, in groups for a tile each; what is missing of the last one is zero */
static inline void product_lay(int depth, int cols, const double *B, size_t ldb,
                               product_side *side) {
  for (int j = 0; j < cols; j += PRODUCT_COLS, side++) {
    size_t width = (size_t)(cols - j < PRODUCT_COLS ? cols - j : PRODUCT_COLS);
    if (width < PRODUCT_COLS) memset(*side, 0, (size_t)depth * sizeof **side);
    for (int k = 0; k < depth; k++) memcpy((*side)[k], B + (size_t)k * ldb + j, width * sizeof *B);
  }
}

/* rows of A, at most those of a tile; what is missing is zero */
FOUR_INLINE void product_strip(int rows, int depth, const double *A, size_t lda,
                               product_left strip) {
  static const double nothing[PRODUCT_DEPTH];
  const double *a = A, *b = rows > 1 ? a + lda : nothing;
  const double *c = rows > 2 ? b + lda : nothing, *d = rows > 3 ? c + lda : nothing;
  for (int k = 0; k < depth; k++) four_store(strip[k], four_of(a[k], b[k], c[k], d[k]));
}

static inline void subtract_product(int rows, int cols, int depth, dae_la_part A, dae_la_part B,
                                    double *C, int ldc) {
  enum { WIDTH = PRODUCT_SIDES * PRODUCT_COLS };
  const size_t a = (size_t)A.apart, b = (size_t)B.apart, c = (size_t)ldc;
  product_side side[PRODUCT_SIDES];
  product_left strip;
  for (int k = 0; k < depth; k += PRODUCT_DEPTH)
    for (int j = 0; j < cols; j += WIDTH) {
      const int deep = depth - k < PRODUCT_DEPTH ? depth - k : PRODUCT_DEPTH;
      const int width = cols - j < WIDTH ? cols - j : WIDTH;
      product_lay(deep, width, B.first + (size_t)k * b + j, b, side);
      for (int i = 0; i < rows; i += PRODUCT_ROWS) {
        const int high = rows - i < PRODUCT_ROWS ? rows - i : PRODUCT_ROWS;
        double *to = C + (size_t)i * c + j;
        product_strip(high, deep, A.first + (size_t)i * a + k, a, strip);
        for (int m = 0; m < width; m += PRODUCT_COLS) {
          const int wide = width - m < PRODUCT_COLS ? width - m : PRODUCT_COLS;
          if (high == PRODUCT_ROWS && wide == PRODUCT_COLS)
            product_tile(deep, strip, side[m / PRODUCT_COLS], to + m, c);
          else product_edge(high, wide, deep, strip, side[m / PRODUCT_COLS], to + m, c);
        }
      }
    }
}

#endif
