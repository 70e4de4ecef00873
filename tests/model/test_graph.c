/* the expression graph: simplification keeps values and domains, derivatives agree with
   differences */
#include "model/code.h"

#include "test.h"

static jmp_buf escape;

enum { VARS = 4 };

static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  (void)ctx, (void)when;
  *bank = order;
  *index = variable;
  return order < DAE_BANKS && variable < VARS;
}

static uint64_t seed = 12345;
static double draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

/* a random expression of a depth, with functions whose domain is everything */
static int grow(dae_graph *g, int depth) {
  static const int one[] = {OP_NEG, OP_SIN, OP_COS, OP_ATAN, OP_TANH, OP_SINH, OP_COSH};
  static const int two[] = {OP_ADD, OP_SUB, OP_MUL, OP_MUL, OP_ADD, OP_ATAN2};
  int kind = (int)((draw() + 1) * 5);
  if (depth == 0) {
    if (kind < 2) return dae_model_const(g, 1 + floor(2 * draw()));
    if (kind < 3) return g->time;
    return dae_model_var(g, (int)((draw() + 1) * 1.999), 0, WHEN_NOW);
  }
  if (kind < 3) return dae_model_op1(g, one[(int)((draw() + 1) * 3.49)], grow(g, depth - 1));
  if (kind == 3)
    return dae_model_op2(g, OP_POW, grow(g, depth - 1), dae_model_const(g, 2 + floor(draw() + 1)));
  if (kind == 4) {
    int b = grow(g, depth - 1), square = dae_model_op2(g, OP_MUL, b, b);
    return dae_model_op2(g, OP_DIV, grow(g, depth - 1), dae_model_op2(g, OP_ADD, g->one, square));
  }
  if (kind == 5) {
    int b = grow(g, depth - 1), square = dae_model_op2(g, OP_MUL, b, b);
    return dae_model_op1(g, draw() > 0 ? OP_SQRT : OP_LOG,
                         dae_model_op2(g, OP_ADD, dae_model_const(g, 1.7), square));
  }
  return dae_model_op2(g, two[(int)((draw() + 1) * 2.99)], grow(g, depth - 1), grow(g, depth - 1));
}

static double eval(const dae_function *f, double t, double x[DAE_BANKS][VARS]) {
  const double *const bank[DAE_BANKS] = {x[0], x[1], x[2], x[3]};
  double out;
  CHECK(dae_model_run(f, t, bank, &out) == 0);
  return out;
}

/* central difference of order 4 with step h: error about h^4 times a fifth derivative, plus
   eps/h */
static double slope(const dae_function *f, double t, double x[DAE_BANKS][VARS], double dt,
                    int variable, double h) {
  double value[4], at = t;
  static const double shift[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    double keep[DAE_BANKS][VARS];
    memcpy(keep, x, sizeof keep);
    if (variable >= 0) keep[0][variable] += shift[k] * h;
    else
      for (int j = 0; j < VARS; j++) { /* along x(t + s), by Taylor */
        double s = shift[k] * h;
        keep[0][j] = x[0][j] + s * (x[1][j] + s / 2 * (x[2][j] + s / 3 * x[3][j]));
        keep[1][j] = x[1][j] + s * (x[2][j] + s / 2 * x[3][j]);
      }
    value[k] = eval(f, at + dt * shift[k] * h, keep);
  }
  return (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * h);
}

static int compared;

static void compare_one(void) {
  dae_arena arena;
  dae_graph g;
  dae_code code;
  dae_model_arena_init(&arena, NULL, &escape);
  if (setjmp(escape)) return;
  dae_model_graph_init(&g, &arena, 1000000);
  dae_model_code_init(&code, &g, &arena, locate, NULL);
  int node = grow(&g, 4), rate = dae_model_rate(&g, node), second = dae_model_rate(&g, rate);
  dae_gradient gradient = {0};
  dae_model_gradient(&g, node, &gradient);
  dae_function *f = dae_model_function(&code, "f", &node, 1),
               *r = dae_model_function(&code, "r", &rate, 1);
  dae_function *s = dae_model_function(&code, "s", &second, 1);
  double x[DAE_BANKS][VARS], t = 0.4 + 0.3 * draw();
  for (int k = 0; k < DAE_BANKS; k++)
    for (int j = 0; j < VARS; j++) x[k][j] = 0.8 * draw();
  double size = fabs(eval(f, t, x)), h = 1e-3;
  if (size < 50) { /* steep ones would need a smaller step than rounding allows */
    for (int k = 0; k < gradient.count; k++) {
      const dae_node *leaf = &g.node[gradient.leaf[k]];
      if (leaf->op != OP_VAR) continue;
      dae_function *d = dae_model_function(&code, "d", &gradient.value[k], 1);
      double exact = eval(d, t, x), near = slope(f, t, x, 0, leaf->a, h),
             rough = slope(f, t, x, 0, leaf->a, 2 * h);
      /* the difference of two step sizes bounds the error of the larger one; 1e-10 is rounding/h */
      CHECK_NEAR(exact, near, fabs(near - rough) + 1e-10 * (1 + size + fabs(exact)));
      compared++;
    }
    double exact = eval(r, t, x), near = slope(f, t, x, 1, -1, h),
           rough = slope(f, t, x, 1, -1, 2 * h);
    CHECK_NEAR(exact, near, fabs(near - rough) + 1e-10 * (1 + size + fabs(exact)));
    exact = eval(s, t, x), near = slope(r, t, x, 1, -1, h), rough = slope(r, t, x, 1, -1, 2 * h);
    CHECK_NEAR(exact, near, fabs(near - rough) + 1e-9 * (1 + size + fabs(exact)));
  }
  dae_model_code_free(&code);
  dae_base_pool_free(&arena.pool);
}

static void test_derivatives(void) {
  for (int round = 0; round < 300; round++) compare_one();
  CHECK(compared > 300);
}

/* equal expressions are one node; what would change a domain is left alone */
static void test_simplify(void) {
  dae_arena arena;
  dae_graph g;
  dae_model_arena_init(&arena, NULL, &escape);
  if (setjmp(escape)) return;
  dae_model_graph_init(&g, &arena, 100000);
  int x = dae_model_var(&g, 0, 0, WHEN_NOW), y = dae_model_var(&g, 1, 0, WHEN_NOW);
  int log_x = dae_model_op1(&g, OP_LOG, x), ratio = dae_model_op2(&g, OP_DIV, x, x);
  CHECK(dae_model_op2(&g, OP_ADD, x, y) == dae_model_op2(&g, OP_ADD, y, x));
  CHECK(dae_model_op2(&g, OP_SUB, x, x) == g.zero);
  CHECK(dae_model_op2(&g, OP_MUL, g.zero, x) == g.zero);
  CHECK(dae_model_op2(&g, OP_MUL, g.zero, log_x) != g.zero);
  CHECK(dae_model_op2(&g, OP_SUB, log_x, log_x) != g.zero);
  CHECK(ratio != g.one);
  CHECK(dae_model_op1(&g, OP_NEG, dae_model_op1(&g, OP_NEG, x)) == x);
  CHECK(dae_model_op2(&g, OP_MUL, x, x) == dae_model_op2(&g, OP_POW, x, dae_model_const(&g, 2)));
  CHECK(dae_model_op2(&g, OP_DIV, g.one, g.zero) != g.one);
  CHECK(dae_model_op1(&g, OP_SIN, dae_model_op1(&g, OP_NEG, x)) ==
        dae_model_op1(&g, OP_NEG, dae_model_op1(&g, OP_SIN, x)));
  /* a parameter that is 0 in this run removes its term, one that is 2 does not become a number */
  int off = dae_model_param(&g, 0, 0), two = dae_model_param(&g, 1, 2);
  CHECK(dae_model_op2(&g, OP_ADD, dae_model_op2(&g, OP_MUL, off, y), x) == x);
  CHECK(g.node[dae_model_op2(&g, OP_MUL, two, two)].op != OP_CONST);
  dae_base_pool_free(&arena.pool);
}

int main(void) {
  RUN(test_derivatives);
  RUN(test_simplify);
  return TEST_END();
}
