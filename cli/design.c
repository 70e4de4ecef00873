/*
 * The members of a sweep as points of the unit cube: a grid, or one of three designs.
 *
 *   random   independent, uniform
 *   lhs      Latin hypercube: each of N equal layers of an axis holds one point
 *   sobol    digital net with a random shift: any 2^k points are spread evenly
 *
 * A point follows from the seed, the member's number and the axis alone: members can be computed in
 * any order, on any machine, and none is kept.
 */
#include "cli.h"

#include <string.h>

/* a number of 64 mixed bits for each (seed, axis, number): two rounds of the finalizer of
   splitmix64 */
static uint64_t mixed(uint64_t seed, uint64_t axis, uint64_t number) {
  uint64_t v = seed * 0x9e3779b97f4a7c15u + axis * 0xd1b54a32d192ed03u;
  for (int round = 0; round < 2; round++) {
    v += 0x9e3779b97f4a7c15u + number;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    v ^= v >> 31;
  }
  return v;
}

/* 53 bits as a number in [0,1) */
static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/* the place of i in a permutation of 0 .. n-1: a Feistel network on the next even power of two,
   walked until it falls below n */
static uint64_t shuffled(uint64_t i, uint64_t n, uint64_t key) {
  enum { ROUNDS = 4 };
  int half = 1;
  while (half < 31 && (uint64_t)1 << 2 * half < n) half++;
  uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (int k = 0; k < ROUNDS; k++) {
      uint64_t next = left ^ (mixed(key, (uint64_t)k, right) & mask);
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

/* primitive polynomials over GF(2) (degree, inner coefficients) and first direction numbers of Joe
   and Kuo (2008), dimensions 2 to CLI_SOBOL_MOST */
static const struct {
  unsigned char degree, inner, m[7];
} sobol_table[CLI_SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* v[k], the direction number of bit k, as 32 bits after the point:
   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ .. ^ 2^d m_(k-d) ^ m_(k-d) */
static void sobol_directions(int axis, uint32_t v[32]) {
  if (axis == 0) {
    for (int k = 0; k < 32; k++) v[k] = 1u << (31 - k);
    return;
  }
  int degree = sobol_table[axis - 1].degree, inner = sobol_table[axis - 1].inner;
  for (int k = 0; k < 32; k++) {
    if (k < degree) {
      v[k] = (uint32_t)sobol_table[axis - 1].m[k] << (31 - k);
      continue;
    }
    v[k] = v[k - degree] ^ v[k - degree] >> degree;
    for (int j = 1; j < degree; j++)
      if (inner >> (degree - 1 - j) & 1) v[k] ^= v[k - j];
  }
}

/* the shift moves the whole net by exclusive or, which keeps how evenly it is spread; the half puts
   points inside their cells, so that none lies on a corner of the ranges */
static double sobol(uint64_t number, int axis, uint64_t seed) {
  uint32_t v[32], x = (uint32_t)(mixed(seed, (uint64_t)axis, 0) >> 32);
  sobol_directions(axis, v);
  for (int k = 0; k < 32; k++)
    if (number >> k & 1) x ^= v[k];
  return ((double)x + 0.5) * 0x1p-32;
}

double cli_design_point(const cli_design *d, long number, int axis) {
  uint64_t i = (uint64_t)number, a = (uint64_t)axis, n = (uint64_t)d->count;
  double inside = unit(mixed(d->seed, a, i));
  switch (d->kind) {
    case CLI_LHS:
      return ((double)shuffled(i, n, mixed(d->seed, a, UINT64_MAX)) + inside) / (double)n;
    case CLI_SOBOL: return sobol(i, axis, d->seed);
    case CLI_RANDOM:
    case CLI_GRID: break;
  }
  return inside;
}

const char *cli_design_read(cli_design *d, const char *text) {
  static const char *const name[] = {"grid", "random", "lhs", "sobol"};
  int count;
  for (int k = 0; k < 4; k++) {
    size_t n = strlen(name[k]);
    if (strncmp(text, name[k], n) != 0) continue;
    bool grid = k == CLI_GRID;
    if (grid ? text[n] != '\0' : text[n] != ':' || !cli_count(text + n + 1, &count) || count < 1)
      continue;
    d->kind = (cli_design_kind)k;
    d->count = grid ? 0 : count;
    return NULL;
  }
  return "grid, random:N, lhs:N or sobol:N with a whole number N of at least 1";
}
