/* random sequences of calls of the C interface, made for sanitizers */
/* fuzz: 1000 100000 */
/*
 * Right and wrong arguments, callbacks that fail, stop or give NaN at random, random options.
 * Nothing is compared, but no call may crash, hang, leave a block behind, or come back ok with a
 * number that is none.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <daedal/daedal.h>

#include "fault/alloc.h"
#include "test.h"

enum { N = 3 };

typedef struct fuzz {
  uint64_t state;
  double fails; /* chance that a callback does not do what it should */
  int kind;
  bool verbose;      /* calls are printed */
  char text[32][40]; /* names of options, overwritten after dae_solver_new */
} fuzz;

static uint64_t bits(fuzz *f) {
  uint64_t z = (f->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static double real(fuzz *f) { return (double)(bits(f) >> 11) * 0x1p-53; }
static int below(fuzz *f, int n) { return (int)(bits(f) % (uint64_t)n); }
static bool chance(fuzz *f, double p) { return real(f) < p; }

static double any_number(fuzz *f) {
  static const double odd[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e-300, 1e300, 1e-16, -0.0};
  if (chance(f, 0.4)) return odd[below(f, 10)];
  return (real(f) - 0.5) * exp(20 * (real(f) - 0.5));
}

/* what a callback returns; spoils a result now and then */
static int answer(void *ctx, double *out, int n) {
  fuzz *f = ctx;
  if (!chance(f, f->fails)) return 0;
  int what = below(f, 5);
  if (what == 0) return 1;
  if (what == 1) return chance(f, 0.1) ? -1 : 1;
  if (n > 0) out[below(f, n)] = what == 2 ? NAN : what == 3 ? INFINITY : 1e200;
  return 0;
}

/* ---- one plane with a circle in it, in all forms ---- */

static int ode(double t, const double *z, double *dz, void *ctx) {
  (void)t;
  dz[0] = z[1], dz[1] = -z[0], dz[2] = -z[2] * z[2] * z[2];
  return answer(ctx, dz, 3);
}
static int ode_z(double t, const double *z, double *J, void *ctx) {
  (void)t;
  J[1] = 1, J[3] = -1, J[8] = -3 * z[2] * z[2];
  return answer(ctx, J, 9);
}
static int circle(double t, const double *z, double *g, void *ctx) {
  (void)t;
  g[0] = (z[0] * z[0] + z[1] * z[1] - 1) / 2;
  return answer(ctx, g, 1);
}
static int circle_z(double t, const double *z, double *G, void *ctx) {
  (void)t;
  G[0] = z[0], G[1] = z[1];
  return answer(ctx, G, 3);
}
static int pushed(double t, const double *z, const double *y, double *f, void *ctx) {
  for (int i = 0; i < N; i++) f[i] = (i < 2 ? -z[i] * y[0] : 0) + 0.3 * cos(t + i);
  return answer(ctx, f, N);
}
static int push(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)y;
  B[0] = z[0], B[1] = z[1];
  return answer(ctx, B, N);
}
static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  for (int i = 0; i < N; i++) f[i] = -0.1 * v[i] - q[i] * (i == 2) + sin(t) * (i == 1);
  return answer(ctx, f, N);
}
static int mass(double t, const double *q, double *A, void *ctx) {
  (void)t;
  for (int i = 0; i < N; i++) A[i * (N + 1)] = 1 + 0.1 * q[i] * q[i];
  return answer(ctx, A, N * N);
}
static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q;
  c[0] = v[0] * v[0] + v[1] * v[1];
  return answer(ctx, c, 1);
}
/* the third variable follows from the others, or is one that index 2 determines */
static int implicit(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t;
  F[0] = dx[0] - x[1], F[1] = dx[1] + x[0], F[2] = x[2] - 0.6 * x[0] * x[1];
  return answer(ctx, F, N);
}
static int implicit_jacobian(double t, const double *x, const double *dx, double *Fdx, double *Fx,
                             void *ctx) {
  (void)t, (void)dx;
  Fdx[0] = Fdx[4] = 1;
  Fx[1] = -1, Fx[3] = 1, Fx[6] = -0.6 * x[1], Fx[7] = -0.6 * x[0], Fx[8] = 1;
  return answer(ctx, chance(ctx, 0.5) ? Fdx : Fx, N * N);
}
static int implicit_f(double t, const double *x, double *f, void *ctx) {
  (void)t;
  f[0] = x[1] + x[2], f[1] = -x[0], f[2] = x[0] - sin(t);
  return answer(ctx, f, N);
}
static int implicit_mass(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x;
  M[0] = M[4] = 1;
  return answer(ctx, M, N * N);
}
static int event(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y;
  *value = z[0] - 0.3;
  return answer(ctx, value, 1);
}
static int change(double t, double *z, void *ctx) {
  (void)t;
  z[2] += 0.1;
  return answer(ctx, z, 3);
}
static int ends(const double *z0, const double *z1, double *b, void *ctx) {
  b[0] = z0[0] - 1, b[1] = z1[1] - 0.3, b[2] = z0[2] - 0.5;
  return answer(ctx, b, 3);
}

static const dae_event events[2] = {{"first", event, 0, false, change},
                                    {"last", event, -1, true, NULL}};
static const dae_boundary boundary = {.n = 3, .n_left = -1, .value = ends};

static void make_problem(fuzz *f, dae_problem *p, double *z0) {
  memset(p, 0, sizeof *p);
  f->kind = below(f, 5);
  p->ctx = f;
  p->t1 = chance(f, 0.1) ? any_number(f) : 1 + real(f);
  z0[0] = 0.6, z0[1] = 0.8, z0[2] = 0.5, z0[3] = -0.4, z0[4] = 0.3, z0[5] = 0.1;
  for (int i = 6; i < 3 * N; i++) z0[i] = 0;
  if (chance(f, 0.1)) z0[below(f, 6)] = any_number(f);
  if (chance(f, 0.7)) p->z0 = z0;
  if (f->kind == 0) {
    p->kind = DAE_ODE;
    p->ode = (dae_ode){.n = N,
                       .nh = chance(f, 0.5),
                       .f = ode,
                       .f_z = chance(f, 0.5) ? ode_z : NULL,
                       .h = circle,
                       .h_z = chance(f, 0.5) ? circle_z : NULL};
  } else if (f->kind < 3) {
    p->kind = DAE_HESSENBERG;
    p->hessenberg = (dae_hessenberg){.order = f->kind,
                                     .nx = N,
                                     .ny = 1,
                                     .f = pushed,
                                     .g = circle,
                                     .G = chance(f, 0.5) ? circle_z : NULL,
                                     .B = chance(f, 0.5) ? push : NULL,
                                     .affine = (dae_answer)below(f, 3)};
  } else if (f->kind == 4) {
    static const unsigned char index[N] = {1, 1, 1};
    bool whole = chance(f, 0.6);
    p->kind = DAE_IMPLICIT;
    p->implicit = (dae_implicit){.n = N,
                                 .nh = chance(f, 0.3),
                                 .h = circle,
                                 .F = whole ? implicit : NULL,
                                 .jacobian = whole && chance(f, 0.5) ? implicit_jacobian : NULL,
                                 .f = whole ? NULL : implicit_f,
                                 .mass = !whole && chance(f, 0.9) ? implicit_mass : NULL,
                                 .mass_constant = chance(f, 0.5),
                                 .variable_index = chance(f, 0.2) ? index : NULL};
  } else {
    p->kind = DAE_MECHANICAL;
    p->mechanical = (dae_mechanical){.nq = N,
                                     .ng = 1,
                                     .force = force,
                                     .g = circle,
                                     .mass = chance(f, 0.5) ? mass : NULL,
                                     .G = chance(f, 0.5) ? circle_z : NULL,
                                     .curvature = chance(f, 0.5) ? curvature : NULL};
  }
  p->autonomous = chance(f, 0.2);
  if (chance(f, 0.3)) p->n_event = 1 + below(f, 2), p->event = events;
  if (chance(f, 0.05)) p->event = NULL;
  /* kinds that there are not: those that there are would read another member of the union */
  if (chance(f, 0.02)) p->kind = (dae_kind)(chance(f, 0.5) ? 0 : DAE_IMPLICIT + 1 + below(f, 3));
  /* sizes that are refused: for others the functions would not fit */
  if (chance(f, 0.03)) p->ode.n = below(f, 2) - 1;
  if (chance(f, 0.03)) p->n_direction = below(f, 3) - 1;
}

/* ---- options: by their table, with words that exist and words that do not ---- */

static const char *any_word(fuzz *f) {
  static const char *const words[] = {"auto",        "none",    "both", "project",   "post",
                                      "index1",      "index2",  "ggl",  "invariant", "srm",
                                      "1,2",         "1,0,0",   "full", "mass",      "unit:1",
                                      "pi1",         "sor",     "off",  "baumgarte", "embed",
                                      "state-space", "attract", "",     "x",         "-1"};
  int k = below(f, 40);
  if (k < 25) return words[k];
  if (k < 33) {
    const dae_method *m = dae_method_at(below(f, 60));
    return m ? m->name : "rk4";
  }
  const dae_choice *c = dae_form_at(below(f, 20));
  return c ? c->name : "1e3";
}

static void make_options(fuzz *f, dae_options *o) {
  char message[40], value[40];
  *o = dae_options_default();
  o->max_steps = 200;
  int changes = chance(f, 0.5) ? below(f, 3) : below(f, 8);
  for (int i = 0; i < changes; i++) {
    const char *key = dae_option_key(below(f, 60));
    snprintf(value, sizeof value, "%g", any_number(f));
    snprintf(f->text[i], sizeof f->text[i], "%s", chance(f, 0.7) ? any_word(f) : value);
    int size = below(f, 41) - 1;
    if (f->verbose) printf("  %s = %s\n", key ? key : "?", f->text[i]);
    dae_options_set(chance(f, 0.01) ? NULL : o, key, chance(f, 0.01) ? NULL : f->text[i],
                    chance(f, 0.2) ? NULL : message, size);
  }
  /* a run of the fuzzer must end */
  if (o->max_steps > 200) o->max_steps = 200;
  if (o->mesh > 50) o->mesh = 50;
  if (o->mesh_max > 200) o->mesh_max = 200;
  if (o->passes > 20) o->passes = 20;
  if (o->srm_iterations > 20) o->srm_iterations = 20;
  if (chance(f, 0.02)) o->method = NULL;
  if (chance(f, 0.02)) o->rtol = any_number(f);
  if (chance(f, 0.01)) o->cookie = 0;
}

static void finite(const char *call, dae_status status, const double *x, int n) {
  for (int i = 0; i < n && x && status == DAE_OK; i++) {
    CHECK(isfinite(x[i]));
    if (!isfinite(x[i])) printf("  %s came back ok with %g in place %d\n", call, x[i], i);
  }
}

/* ---- sequences ---- */

/* a checkpoint, now and then with damage or of another size */
static dae_status save_and_restore(fuzz *f, dae_solver *s) {
  size_t size = 0;
  dae_status status = dae_solver_save(s, NULL, chance(f, 0.98) ? &size : NULL);
  if (status != DAE_OK || size == 0) return status;
  unsigned char *image = malloc(size);
  if (!image) return DAE_E_MEMORY;
  if (chance(f, 0.1)) size -= 1 + (size_t)below(f, 9);
  status = dae_solver_save(s, image, &size);
  bool damaged = status == DAE_OK && chance(f, 0.3);
  if (damaged) image[bits(f) % size] ^= (unsigned char)(1 << below(f, 8));
  if (status == DAE_OK) {
    status = dae_solver_restore(s, image, size);
    CHECK(!damaged || status != DAE_OK);
  }
  free(image);
  return status;
}

static void use_solver(fuzz *f, const dae_problem *p, const dae_options *o, double *z0) {
  dae_solver *s = NULL;
  dae_report report;
  double z[4 * N], y[2], drift[DAE_ORDER_MAX], hits[3] = {0.2, 0.4, 0.6};
  char name[12];
  int count, nz = dae_problem_nz(p);
  dae_status status = dae_solver_new(&s, p, o, chance(f, 0.3) ? NULL : &report);
  CHECK((status == DAE_OK) == (s != NULL));
  memset(f->text, 'q', sizeof f->text - 1);
  bool started = false;
  for (int i = 0; i < 12 && s; i++) {
    double t = chance(f, 0.8) ? 2 * real(f) : any_number(f);
    memcpy(z, z0, 3 * N * sizeof *z);
    if (chance(f, 0.1)) z[below(f, 6)] = any_number(f);
    switch (i == 0 ? 0 : below(f, 14)) {
      case 0:
        status = dae_solver_start(s, chance(f, 0.9) ? 0 : t, chance(f, 0.7) ? z : NULL,
                                  chance(f, 0.5) ? y : NULL);
        started = status == DAE_OK;
        break;
      case 1: status = dae_solver_step(s, t); break;
      case 2:
      case 3: status = dae_solver_advance(s, t); break;
      case 4:
        t = dae_solver_previous_time(s) +
            real(f) * (dae_solver_time(s) - dae_solver_previous_time(s));
        status = dae_solver_eval(s, t, z, chance(f, 0.5) ? y : NULL);
        finite("eval", status, z, nz);
        break;
      case 5:
        status = dae_solver_project(s, t, chance(f, 0.9) ? z : NULL, NULL);
        finite("project", status, z, nz);
        break;
      case 6: dae_solver_drift(s, t, z, chance(f, 0.9) ? drift : NULL); break;
      case 7:
        dae_solver_hit(s, chance(f, 0.9) ? hits : NULL, below(f, 5) - 1 > 2 ? 2 : below(f, 3));
        break;
      case 8: dae_solver_events(s, chance(f, 0.9) ? &count : NULL); break;
      case 9: dae_solver_passages(s, &count), dae_solver_switches(s, &count); break;
      case 11: status = save_and_restore(f, s); break;
      case 12: status = dae_solver_finish(s); break;
      case 10: dae_problem_z_name(p, below(f, 9) - 1, name, below(f, 13)); break;
      default: dae_solver_report(s), dae_solver_stats(s), dae_solver_method(s); break;
    }
    if (f->verbose)
      printf("  call %d: status %d, t = %.17g after %.17g, %s: %s\n", i, status, dae_solver_time(s),
             dae_solver_previous_time(s), dae_solver_method(s), dae_solver_report(s)->message);
    if (started && status == DAE_OK) finite("the present point", status, dae_solver_z(s), nz);
  }
  dae_solver_free(s);
}

static void one_sequence(fuzz *f) {
  dae_problem p;
  dae_options o;
  double z0[3 * N], z[3 * N], y[2];
  char message[60];
  make_problem(f, &p, z0);
  make_options(f, &o);
  fault_alloc memory = {.fail_at = chance(f, 0.1) ? 1 + below(f, 300) : 0};
  bool counted = chance(f, 0.5);
  if (counted) o.allocator = fault_allocator(&memory);
  memcpy(z, z0, sizeof z);
  switch (below(f, 6)) {
    case 0: {
      dae_stats stats;
      dae_report report;
      dae_status status =
          dae_solve(&p, &o, 0, real(f), chance(f, 0.8) ? z : NULL, y,
                    chance(f, 0.5) ? &report : NULL, chance(f, 0.5) ? &stats : NULL);
      finite("dae_solve", status, z,
             dae_problem_valid(&p, NULL, 0) == DAE_OK ? dae_problem_nz(&p) : 0);
      break;
    }
    case 1: {
      dae_diagnosis d;
      dae_diagnose(chance(f, 0.95) ? &p : NULL, chance(f, 0.95) ? &o : NULL, &d);
      break;
    }
    case 2:
      dae_problem_check(&p, real(f), chance(f, 0.5) ? z : NULL, NULL, message, below(f, 61));
      break;
    case 3: {
      dae_solution *s = NULL;
      dae_report report;
      p.boundary = &boundary;
      dae_status status = dae_bvp_solve(&p, &o, NULL, chance(f, 0.95) ? &s : NULL, &report);
      if (s && dae_solution_eval(s, 0.5 * p.t1, z, NULL, NULL) == DAE_OK)
        finite("dae_bvp_solve", status, z, dae_problem_nz(&p));
      dae_solution_free(s);
      break;
    }
    default: use_solver(f, &p, &o, z0);
  }
  CHECK(!counted || memory.live == 0);
}

int main(int argc, char **argv) {
  long count = 1000, first = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--cases") == 0) count = atol(argv[i + 1]);
    if (strcmp(argv[i], "--first") == 0) first = atol(argv[i + 1]);
    if (strcmp(argv[i], "--only") == 0) first = atol(argv[i + 1]), count = 1;
  }
  for (long k = first; k < first + count; k++) {
    fuzz f = {.state = (uint64_t)k * 0xd1342543de82ef95u + 7, .verbose = count == 1};
    f.fails = chance(&f, 0.5) ? 0 : pow(10, -4 * real(&f));
    int failures = test_failures;
    alarm(200); /* on a busy machine: one that takes longer hangs, that after the last printed */
    one_sequence(&f);
    alarm(0);
    if (test_failures > failures || count == 1) printf("sequence %ld\n", k), fflush(stdout);
  }
  printf("%ld sequences\n", count);
  return TEST_END();
}
