/* KKT systems by conjugate gradients: what they solve, and what they refuse */
#include "kkt_data.h"
#include "test.h"

/* conjugate gradients against factors: a net, a chain and a ring. The accuracy is
   that of the residual; solutions lose the condition of S, some thousands here, beside it */
static void test_iteration(void) {
  sparse cases[] = {make_net(12), make_chain(90), make_ring(60, 1)};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    sparse *s = &cases[c];
    vectors v = vectors_new(s);
    dae_la_kkt_info info;
    dae_pool pool;
    dae_base_pool_init(&pool, NULL);
    dae_la_kkt *k;
    dae_la_kkt_shape shape = {.n = s->n,
                              .rows = s->rows,
                              .mass = DAE_LA_DIAGONAL,
                              .mass_symmetric = true,
                              .symmetric = true,
                              .pattern = &s->pattern,
                              .iterate = 1e-13};
    CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_OK);
    /* the second round starts from the multipliers of the first */
    for (int round = 0; round < 2; round++) {
      memcpy(v.a, v.p, (size_t)s->n * sizeof(double));
      memcpy(v.y, v.r, (size_t)s->rows * sizeof(double));
      CHECK(dae_la_kkt_factor_solve(k, v.m, s->values, NULL, round > 0, v.a, v.y, &info) == DAE_OK);
      CHECK(equations(s, &v, s->values, false) < 1e-11 * (1 + largest(s->rows, v.y)));
    }
    memcpy(v.a, v.p, (size_t)s->n * sizeof(double));
    memcpy(v.y, v.r, (size_t)s->rows * sizeof(double));
    dae_la_kkt_solve(k, v.a, v.y);
    CHECK(equations(s, &v, s->values, false) < 1e-11 * (1 + largest(s->rows, v.y)));
    CHECK(info.rank == s->rows);
    dae_base_pool_free(&pool);
    vectors_free(&v);
    sparse_free(s);
  }
}

/* what conjugate gradients cannot do is refused */
static void test_iteration_refuses(void) {
  sparse s = make_chain(60);
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_kkt *k;
  dae_la_kkt_shape shape = {.n = s.n,
                            .rows = s.rows,
                            .mass = DAE_LA_DIAGONAL,
                            .mass_symmetric = true,
                            .symmetric = false,
                            .pattern = &s.pattern,
                            .iterate = 1e-10};
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_E_INPUT);
  shape.symmetric = true;
  shape.pattern = NULL;
  CHECK(dae_la_kkt_new(&k, &pool, &shape) == DAE_E_INPUT);
  dae_base_pool_free(&pool);
  sparse_free(&s);
}

int main(void) {
  RUN(test_iteration);
  RUN(test_iteration_refuses);
  return TEST_END();
}
