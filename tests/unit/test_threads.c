/* threads inside one run: the same numbers, counts, statuses and sentences as one thread gives */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fault/alloc.h"
#include "test.h"
#include <daedal/daedal.h>

enum { N = 60 };

/* diffusion with a reaction on a line, without a derivative: x_i' = 300 (x_(i-1) - 2 x_i + x_(i+1))
   + x_i (1 - x_i) (2 + i mod 3), walls at 1 and 0. From `fails` on a difference that moves x_7 away
   from where the point is says `code` */
typedef struct line {
  double from;
  int code;
  double x7; /* of the last call that was no difference of it */
} line;

static double neighbours(const double *x, int i) {
  return (i > 0 ? x[i - 1] : 1) - 2 * x[i] + (i < N - 1 ? x[i + 1] : 0);
}

static int rate(double t, const double *x, double *dx, void *ctx) {
  const line *l = ctx;
  for (int i = 0; i < N; i++) dx[i] = 300 * neighbours(x, i) + x[i] * (1 - x[i]) * (2 + i % 3);
  /* not defined for x_7 beyond a wall that it does not reach by itself */
  return t > l->from && x[7] > l->x7 ? l->code : 0;
}

static int equations(double t, const double *x, const double *dx, double *F, void *ctx) {
  double f[N];
  int code = rate(t, x, f, ctx);
  for (int i = 0; i < N; i++) F[i] = dx[i] * (1 + 0.1 * dx[i] * dx[i]) - f[i];
  return code;
}

static double z0[N];
static int start[N + 1], column[3 * N];
static dae_pattern pattern = {N, N, start, column};

static void prepare(void) {
  int at = 0;
  for (int i = 0; i < N; i++) {
    z0[i] = exp(-0.1 * i) / (1 + i % 2);
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < N) column[at++] = j;
    start[i + 1] = at;
  }
}

typedef struct outcome {
  dae_status status;
  double z[N];
  dae_stats stats;
  char message[DAE_TEXT_MAX];
} outcome;

static outcome solve(const dae_problem *p, const char *method, int threads) {
  outcome r;
  dae_options o = dae_options_default();
  dae_report report;
  double y[1] = {0};
  memset(&r, 0, sizeof r);
  o.method = method;
  o.threads = threads;
  memcpy(r.z, z0, sizeof z0);
  r.status = dae_solve(p, &o, 0, 0.2, r.z, y, &report, &r.stats);
  memcpy(r.message, report.message, sizeof r.message);
  return r;
}

static dae_problem on_line(line *l, bool implicit, bool sparse) {
  dae_problem p = {.name = "line", .ctx = l, .t1 = 0.2, .z0 = z0};
  p.kind = implicit ? DAE_IMPLICIT : DAE_ODE;
  if (implicit) {
    p.implicit.n = N;
    p.implicit.F = equations;
    p.implicit.f_pattern = sparse ? &pattern : NULL;
  } else {
    p.ode.n = N;
    p.ode.f = rate;
    p.ode.f_pattern = sparse ? &pattern : NULL;
  }
  return p;
}

static void check_same(const outcome *a, const outcome *b) {
  CHECK(a->status == b->status);
  CHECK_STR(a->message, b->message);
  CHECK(memcmp(a->z, b->z, sizeof a->z) == 0);
  CHECK(a->stats.steps == b->stats.steps && a->stats.rejected == b->stats.rejected);
  CHECK(a->stats.evaluations == b->stats.evaluations);
  CHECK(a->stats.differences == b->stats.differences);
  CHECK(a->stats.newton == b->stats.newton && a->stats.jacobians == b->stats.jacobians);
}

/* one thread, and more than there are columns */
static void same_numbers(void) {
  static const int threads[] = {2, 3, 64, 1000};
  static const char *const methods[] = {"radau5", "bdf", "auto"};
  for (int kind = 0; kind < 4; kind++)
    for (int m = 0; m < 3; m++) {
      line l = {.from = 1};
      dae_problem p = on_line(&l, kind & 1, kind & 2);
      outcome one = solve(&p, methods[m], 1);
      CHECK(one.status == DAE_OK);
      for (int k = 0; k < 4; k++) {
        outcome many = solve(&p, methods[m], threads[k]);
        check_same(&one, &many);
      }
    }
}

/* > 0: no value there, another step or another side is tried; < 0: an end */
static void same_failures(void) {
  static const int codes[] = {1, -1};
  for (int kind = 0; kind < 4; kind++)
    for (int c = 0; c < 2; c++)
      for (int where = 0; where < 2; where++) {
        /* a wall just above the values that x_7 takes, or below all of them */
        line l = {.from = 0.05, .code = codes[c], .x7 = where ? 0.6 : 0.8};
        dae_problem p = on_line(&l, kind & 1, kind & 2);
        outcome one = solve(&p, "radau3", 1), two = solve(&p, "radau3", 2),
                five = solve(&p, "radau3", 5);
        check_same(&one, &two);
        check_same(&one, &five);
      }
}

static void memory(void) {
  line l = {.from = 1};
  dae_problem p = on_line(&l, false, true);
  for (long n = 1;; n++) {
    fault_alloc a = {.fail_at = n};
    dae_options o = dae_options_default();
    dae_solver *s = NULL;
    o.allocator = fault_allocator(&a);
    o.method = "radau3";
    o.threads = 3;
    dae_status status = dae_solver_new(&s, &p, &o, NULL);
    if (status == DAE_OK) {
      long takes = a.takes;
      CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
      CHECK(dae_solver_advance(s, 0.01) == DAE_OK);
      CHECK(a.takes == takes);
    }
    dae_solver_free(s);
    CHECK(a.live == 0);
    CHECK(status == DAE_OK || (status == DAE_E_MEMORY && !s));
    if (status == DAE_OK) break;
  }
}

/* threads are no part of a checkpoint: a run goes on with others, and ends with the same bits */
static void checkpoints(void) {
  line l = {.from = 1};
  dae_problem p = on_line(&l, false, true);
  outcome whole = solve(&p, "radau3", 1);
  for (int threads = 1; threads <= 3; threads++) {
    dae_options o = dae_options_default();
    dae_solver *s = NULL, *u = NULL;
    size_t size = 0;
    o.method = "radau3";
    o.threads = threads;
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    for (int k = 0; k < 7; k++) CHECK(dae_solver_step(s, 0.2) == DAE_OK);
    CHECK(dae_solver_save(s, NULL, &size) == DAE_OK);
    void *bytes = malloc(size);
    CHECK(dae_solver_save(s, bytes, &size) == DAE_OK);
    dae_solver_free(s);
    o.threads = 4 - threads;
    CHECK(dae_solver_new(&u, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_restore(u, bytes, size) == DAE_OK);
    CHECK(dae_solver_advance(u, 0.2) == DAE_OK);
    CHECK(memcmp(dae_solver_z(u), whole.z, sizeof whole.z) == 0);
    dae_solver_free(u);
    free(bytes);
  }
}

static void refused(void) {
  line l = {.from = 1};
  dae_problem p = on_line(&l, false, false);
  outcome r = solve(&p, "radau3", 0);
  CHECK(r.status == DAE_E_INPUT);
  CHECK_STR(r.message, "threads must be at least 1, not 0");
}

int main(void) {
  prepare();
  RUN(same_numbers);
  RUN(same_failures);
  RUN(memory);
  RUN(checkpoints);
  RUN(refused);
  return TEST_END();
}
