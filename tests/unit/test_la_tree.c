/* L D L' by fronts along the elimination tree, against the matrix itself */
#include "la/kkt/tree.h"
#include "la_data.h"
#include "test.h"

enum { N = 130 };
static double S[N][N];
static int start[N + 1], row[N * N], order[N], dropped;
static double diagonal[N], reciprocal[N];

/* a symmetric matrix, dominated by its diagonal: neighbours k apart, and some at random */
static void make(int near, double chance) {
  memset(S, 0, sizeof S);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      if (i - j == 1 || i - j == near || fabs(random_value()) < chance)
        S[i][j] = S[j][i] = 0.1 + fabs(random_value());
  int count = 0;
  for (int j = 0; j < N; j++) {
    double sum = 0.3;
    for (int i = 0; i < N; i++)
      if (i != j && S[i][j] != 0) sum += S[i][j], row[count++] = i;
    S[j][j] = sum;
    start[j + 1] = count;
  }
}

/* as the caller decides: a pivot below tol s is none */
static double pivot(void *ctx, int i, double s, double d) {
  CHECK(s > 0 && i >= 0 && i < N);
  bool none = d <= 1e-12 * s;
  if (none) dropped++;
  if (none) *(int *)ctx = i;
  return none ? 0 : 1 / d;
}

static void fill(dae_la_tree *t) {
  for (int i = 0; i < N; i++) {
    diagonal[i] = S[order[i]][order[i]];
    for (int j = 0; j < i; j++)
      if (S[order[i]][order[j]] != 0) t->entry[dae_la_tree_place(t, i, j)] = S[order[i]][order[j]];
  }
}

/* b := S^-1 b */
static void solve(const dae_la_tree *t, const double *b, double *x) {
  for (int i = 0; i < N; i++) x[i] = b[order[i]];
  dae_la_tree_forward(t, x);
  for (int i = 0; i < N; i++) x[i] *= reciprocal[i];
  dae_la_tree_backward(t, x);
}

/* max |S x - b| with x in the new order */
static double defect(const double *x, const double *b) {
  double most = 0;
  for (int i = 0; i < N; i++) {
    double sum = -b[order[i]];
    for (int j = 0; j < N; j++) sum += S[order[i]][order[j]] * x[j];
    most = fmax(most, fabs(sum));
  }
  return most;
}

/* growth is none with such a diagonal: what is left is rounding in sums of at most 130 terms below
   130 */
static const double rounding = 1e-12;

static void solves(void) {
  static const struct {
    int near;
    double chance;
  } cases[] = {{1, 0}, {11, 0}, {13, 0.004}, {7, 0.03}, {1, 1.1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    make(cases[k].near, cases[k].chance);
    dae_pool pool;
    dae_base_pool_init(&pool, NULL);
    dae_la_tree *t;
    double b[N], x[N], work;
    int at = -1;
    CHECK(dae_la_tree_new(&t, &pool, N, start, row, order, &work) == DAE_OK);
    CHECK(work >= N / 2.0 && work <= N * N * (N / 4.0));
    CHECK(dae_la_tree_take(t, &pool) == DAE_OK);
    fill_random(N, b);
    /* twice: nothing of the first may be left in the second */
    for (int round = 0; round < 2; round++) {
      fill(t);
      dropped = 0;
      dae_la_tree_factor(t, diagonal, reciprocal, pivot, &at);
      CHECK(dropped == 0);
    }
    solve(t, b, x);
    CHECK(defect(x, b) < rounding);
    dae_base_pool_free(&pool);
  }
}

/* a row that is another one, twice its size: one pivot is none, and a right-hand side of the range
   is still solved for */
static void dependent(void) {
  make(11, 0.004);
  const int one = 40, two = 90;
  for (int i = 0; i < N; i++)
    if (i != one && i != two) S[two][i] = S[i][two] = 2 * S[one][i];
  S[one][two] = S[two][one] = 2 * S[one][one];
  S[two][two] = 4 * S[one][one];
  /* no longer dominated by their diagonals, but positive: the others grow with what they got */
  for (int i = 0; i < N; i++)
    if (i != one && i != two) S[i][i] += 3 * S[one][i];
  int count = 0;
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++)
      if (i != j && S[i][j] != 0) row[count++] = i;
    start[j + 1] = count;
  }
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_la_tree *t;
  double b[N] = {0}, x[N], y[N], work;
  int at = -1;
  CHECK(dae_la_tree_new(&t, &pool, N, start, row, order, &work) == DAE_OK);
  CHECK(dae_la_tree_take(t, &pool) == DAE_OK);
  fill(t);
  dropped = 0;
  dae_la_tree_factor(t, diagonal, reciprocal, pivot, &at);
  CHECK(dropped == 1 && (order[at] == one || order[at] == two));
  fill_random(N, y);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) b[i] += S[i][j] * y[j];
  solve(t, b, x);
  CHECK(defect(x, b) < 10 * rounding);
  dae_base_pool_free(&pool);
}

int main(void) {
  RUN(solves);
  RUN(dependent);
  return TEST_END();
}
