/*
 * Are the derivatives that the user gave the derivatives of the functions? Each is compared with a
 * difference along one direction that mixes all variables; where a row does not agree at once,
 * entry by entry over many step sizes (probe.c), which names the wrong one and accuses no other.
 */
#include <math.h>
#include <string.h>

#include "problem/check.h"
#include "problem/check_pattern.h"
#include "problem/discrete.h"
#include "problem/implicit.h"
#include "problem/inside.h"

/* what is differentiated, and with respect to what */
enum base { LEVEL, FORCE, MINUS_FORCE, DYNAMICS, EQUATIONS };
enum over { OF_X, OF_V, OF_Z, OF_Y, OF_TIME, ALONG, OF_SLOPE };

typedef enum derivative {
  ODE_H_Z,
  ODE_H_T,
  ODE_F_Z,
  HES_G,
  HES_G_T,
  HES_RATE,
  HES_RATE_Z,
  HES_B,
  HES_F_Z,
  MEC_G,
  MEC_G_T,
  MEC_CURVATURE,
  MEC_W_RATE,
  MEC_VELOCITY_Q,
  MEC_FORCE_Q,
  MEC_FORCE_V,
  MEC_DYNAMICS_Q,
  MEC_ALL_G, /* those of evaluate where they stand beside the others */
  MEC_ALL_CURVATURE,
  IMP_H_X,
  IMP_H_T,
  IMP_F_X,
  IMP_FX,
  IMP_FDX,
  DERIVATIVES
} derivative;

static const struct {
  const char *name;
  dae_kind kind;
  enum base base;
  enum over over;
} item[DERIVATIVES] = {
    [ODE_H_Z] = {"h_z", DAE_ODE, LEVEL, OF_X},
    [ODE_H_T] = {"h_t", DAE_ODE, LEVEL, OF_TIME},
    [ODE_F_Z] = {"f_z", DAE_ODE, FORCE, OF_Z},
    [HES_G] = {"G", DAE_HESSENBERG, LEVEL, OF_X},
    [HES_G_T] = {"g_t", DAE_HESSENBERG, LEVEL, OF_TIME},
    [HES_RATE] = {"g_rate", DAE_HESSENBERG, LEVEL, ALONG},
    [HES_RATE_Z] = {"g_rate_z", DAE_HESSENBERG, LEVEL, OF_Z},
    [HES_B] = {"B", DAE_HESSENBERG, MINUS_FORCE, OF_Y},
    [HES_F_Z] = {"f_z", DAE_HESSENBERG, FORCE, OF_Z},
    [MEC_G] = {"G", DAE_MECHANICAL, LEVEL, OF_X},
    [MEC_G_T] = {"g_t", DAE_MECHANICAL, LEVEL, OF_TIME},
    [MEC_CURVATURE] = {"curvature", DAE_MECHANICAL, LEVEL, ALONG},
    [MEC_W_RATE] = {"w_rate", DAE_MECHANICAL, LEVEL, ALONG},
    [MEC_VELOCITY_Q] = {"velocity_q", DAE_MECHANICAL, LEVEL, OF_X},
    [MEC_FORCE_Q] = {"force_q", DAE_MECHANICAL, FORCE, OF_X},
    [MEC_FORCE_V] = {"force_v", DAE_MECHANICAL, FORCE, OF_V},
    [MEC_DYNAMICS_Q] = {"dynamics_q", DAE_MECHANICAL, DYNAMICS, OF_X},
    [MEC_ALL_G] = {"G of evaluate", DAE_MECHANICAL, LEVEL, OF_X},
    [MEC_ALL_CURVATURE] = {"curvature of evaluate", DAE_MECHANICAL, LEVEL, ALONG},
    [IMP_H_X] = {"h_x", DAE_IMPLICIT, LEVEL, OF_X},
    [IMP_H_T] = {"h_t", DAE_IMPLICIT, LEVEL, OF_TIME},
    [IMP_F_X] = {"f_x", DAE_IMPLICIT, FORCE, OF_X},
    [IMP_FX] = {"Fx of jacobian", DAE_IMPLICIT, EQUATIONS, OF_X},
    [IMP_FDX] = {"Fdx of jacobian", DAE_IMPLICIT, EQUATIONS, OF_SLOPE},
};

struct dae_checker {
  const dae_system *s;
  dae_point *at; /* own one */
  dae_probe probe;
  double *values;             /* of the derivative that is looked at */
  double *a, *y, *point;      /* x^(m) and y of the dynamics; z and y of the functions, moved */
  double *other;              /* the matrix of an implicit problem that comes along */
  dae_pattern_check *entries; /* of the pattern of an implicit problem; NULL: none by differences */
  double *mass;  /* twice M: where it is called constant, or evaluate gives one too; else NULL */
  int mass_size; /* numbers in M */
};

/* the derivative at hand: what the probe's functions read */
typedef struct look {
  dae_checker *c;
  derivative d;
  int level;       /* of the constraints that are differentiated */
  int first, rows; /* of the level, where only some are looked at */
  double t;
  const double *z;
} look;

/* how often a derivative is looked at: g_rate once for each level */
static int times(const dae_system *s, derivative d) {
  const dae_problem *p = s->p;
  const dae_hessenberg *h = &p->hessenberg;
  const dae_mechanical *m = &p->mechanical;
  const dae_implicit *q = &p->implicit;
  if (p->kind != item[d].kind) return 0;
  switch (d) {
    case ODE_H_Z: return p->ode.h_z && s->nh > 0;
    case ODE_H_T: return (p->ode.h_t || p->autonomous) && s->nh > 0;
    case ODE_F_Z: return p->ode.f_z != NULL;
    case HES_G: return h->G && s->ny > 0;
    case HES_G_T: return (h->g_t || p->autonomous) && s->ny > 0;
    case HES_RATE: return h->g_rate && s->ny > 0 ? (s->nw > 0 ? 1 : s->order) : 0;
    case HES_RATE_Z: return h->g_rate_z && s->nw == 0 && s->ny > 0 ? s->order - 1 : 0;
    case HES_B: return h->B && s->ny > 0;
    case HES_F_Z: return h->f_z != NULL;
    case MEC_G: return dae_mechanical_has_G(m) && s->ng > 0;
    case MEC_G_T: return (m->g_t || p->autonomous) && s->ng > 0;
    case MEC_CURVATURE: return dae_mechanical_has_curvature(m) && s->ng > 0;
    case MEC_W_RATE: return m->w_rate && s->nw > 0;
    case MEC_VELOCITY_Q: return m->velocity_q && s->ng > 0;
    case MEC_FORCE_Q: return m->force_q && dae_mechanical_has_force(m);
    case MEC_FORCE_V: return m->force_v && dae_mechanical_has_force(m);
    case MEC_DYNAMICS_Q: return m->dynamics_q != NULL;
    case MEC_ALL_G: return m->evaluate && m->G && s->ng > 0;
    case MEC_ALL_CURVATURE: return m->evaluate && m->curvature && s->ng > 0;
    case IMP_H_X: return q->h_x && s->nh > 0;
    case IMP_H_T: return (q->h_t || p->autonomous) && s->nh > 0;
    case IMP_F_X: return q->f_x != NULL;
    case IMP_FX:
    case IMP_FDX: return q->jacobian != NULL;
    default: return 0;
  }
}

/* rows, columns and storage */
static void shape(const look *k, dae_probe_matrix *a) {
  const dae_system *s = k->c->s;
  const dae_problem *p = s->p;
  const dae_pattern *pattern = NULL;
  bool forces = item[k->d].base != LEVEL;
  a->rows = forces ? s->nx : k->d == MEC_W_RATE ? s->nw : p->kind == DAE_MECHANICAL ? s->ng : s->nc;
  switch (item[k->d].over) {
    case OF_X: a->cols = k->d == HES_G && s->nw > 0 ? s->nz : s->nx; break;
    case OF_SLOPE:
    case OF_V: a->cols = s->nx; break;
    case OF_Z: a->cols = s->nz; break;
    case OF_Y: a->cols = s->ny; break;
    default: a->cols = 1;
  }
  if (k->d == ODE_H_Z) pattern = p->ode.h_pattern;
  if (k->d == ODE_F_Z) pattern = p->ode.f_pattern;
  if (k->d == MEC_G || k->d == MEC_VELOCITY_Q || k->d == MEC_ALL_G)
    pattern = p->mechanical.G_pattern;
  if (k->d == MEC_FORCE_V) pattern = p->mechanical.force_v_pattern;
  if (k->d == MEC_DYNAMICS_Q) pattern = p->mechanical.dynamics_pattern;
  if (k->d == IMP_H_X) pattern = p->implicit.h_pattern;
  if (k->d == IMP_F_X) pattern = p->implicit.f_pattern;
  if (item[k->d].base == EQUATIONS) pattern = p->implicit.pattern;
  a->pattern = pattern;
}

static size_t stored(const dae_probe_matrix *a) {
  return a->pattern ? (size_t)a->pattern->start[a->rows] : (size_t)a->rows * (size_t)a->cols;
}

/* the user's function for it; what is declared as zero (autonomous) is */
static int given(const look *k, double *out) {
  const dae_system *s = k->c->s;
  const dae_problem *p = s->p;
  const dae_ode *o = &p->ode;
  const dae_hessenberg *h = &p->hessenberg;
  const dae_mechanical *m = &p->mechanical;
  const double *z = k->z, *v = z + s->nx, *y = k->c->y;
  double t = k->t;
  switch (k->d) {
    case ODE_H_Z: return o->h_z(t, z, out, p->ctx);
    case ODE_H_T: return o->h_t ? o->h_t(t, z, out, p->ctx) : 0;
    case ODE_F_Z: return o->f_z(t, z, out, p->ctx);
    case HES_G: return h->G(t, z, out, p->ctx);
    case HES_G_T: return h->g_t ? h->g_t(t, z, out, p->ctx) : 0;
    case HES_RATE: return h->g_rate(t, z, s->nw > 0 ? 1 : k->level + 1, out, p->ctx);
    case HES_RATE_Z: return h->g_rate_z(t, z, k->level, out, p->ctx);
    case HES_B: return h->B(t, z, y, out, p->ctx);
    case HES_F_Z: return h->f_z(t, z, y, out, p->ctx);
    case MEC_G: return dae_mechanical_G(p, t, z, out);
    case MEC_G_T: return m->g_t ? m->g_t(t, z, out, p->ctx) : 0;
    case MEC_CURVATURE: return dae_mechanical_curvature(p, t, z, out);
    case MEC_W_RATE: return m->w_rate(t, z, v, out, p->ctx);
    case MEC_VELOCITY_Q: return m->velocity_q(t, z, v, out, p->ctx);
    case MEC_FORCE_Q: return m->force_q(t, z, v, out, p->ctx);
    case MEC_FORCE_V: return m->force_v(t, z, v, out, p->ctx);
    case MEC_DYNAMICS_Q: return m->dynamics_q(t, z, v, k->c->a, y, out, p->ctx);
    case MEC_ALL_G: return m->evaluate(t, z, v, NULL, NULL, out, NULL, p->ctx);
    case MEC_ALL_CURVATURE: return m->evaluate(t, z, v, NULL, NULL, NULL, out, p->ctx);
    case IMP_H_X: return p->implicit.h_x(t, z, out, p->ctx);
    case IMP_H_T: return p->implicit.h_t ? p->implicit.h_t(t, z, out, p->ctx) : 0;
    case IMP_F_X: return p->implicit.f_x(t, z, out, p->ctx);
    case IMP_FX: return p->implicit.jacobian(t, z, k->c->a, k->c->other, out, p->ctx);
    case IMP_FDX: return p->implicit.jacobian(t, z, k->c->a, out, k->c->other, p->ctx);
    default: return 0;
  }
}

/* F or f of an implicit problem with x or x' moved by e d */
static dae_status moved_equations(const look *k, double e, const double *d, double *out) {
  const dae_system *s = k->c->s;
  const dae_implicit *m = &s->p->implicit;
  double *x = k->c->point, *dx = x + s->nz;
  bool slope = item[k->d].over == OF_SLOPE;
  for (int j = 0; j < s->nx; j++) {
    x[j] = k->z[j] + (slope ? 0 : e * d[j]);
    dx[j] = k->c->a[j] + (slope ? e * d[j] : 0);
  }
  int code =
      item[k->d].base == FORCE ? m->f(k->t, x, out, s->p->ctx) : m->F(k->t, x, dx, out, s->p->ctx);
  return dae_problem_verdict(code, out, s->nx);
}

/* the function at (t + e dt, z + e dz) where the unknowns of the derivative move by e d */
static dae_status moved(void *ctx, double e, const double *d, double *out) {
  const look *k = ctx;
  dae_checker *c = k->c;
  const dae_system *s = c->s;
  if (s->p->kind == DAE_IMPLICIT && item[k->d].base != LEVEL) return moved_equations(k, e, d, out);
  double t = k->t, *z = c->point, *y = z + s->nz;
  memcpy(z, k->z, (size_t)s->nz * sizeof *z);
  memcpy(y, c->y, (size_t)s->ny * sizeof *y);
  enum over over = item[k->d].over;
  int n = k->d == HES_G && s->nw > 0 ? s->nz : s->nx;
  if (over == OF_TIME || over == ALONG) t += e * d[0];
  if (over == ALONG)
    for (int j = 0; j + s->nx < s->nz; j++) z[j] += e * d[0] * k->z[j + s->nx];
  else if (over == OF_Y)
    for (int j = 0; j < s->ny; j++) y[j] += e * d[j];
  else if (over == OF_V)
    for (int j = 0; j < s->nx; j++) z[s->nx + j] += e * d[j];
  else if (over != OF_TIME)
    for (int j = 0; j < (over == OF_Z ? s->nz : n); j++) z[j] += e * d[j];
  dae_point_at(c->at, t, z);
  /* M may be said to be constant and not be it */
  c->at->holds = 0;
  if (item[k->d].base == DYNAMICS) return dae_point_dynamics(c->at, c->a, y, out);
  if (item[k->d].base == LEVEL) {
    dae_status status = dae_point_level(c->at, k->level, c->probe.room);
    memcpy(out, c->probe.room + k->first, (size_t)k->rows * sizeof *out);
    return status;
  }
  dae_status status = dae_point_force(c->at, y, out);
  for (int i = 0; i < s->nx && item[k->d].base == MINUS_FORCE; i++) out[i] = -out[i];
  return status;
}

/* sizes of the unknowns: their own, or a part of the largest of their kind; 1 where all are zero */
static void own_sizes(dae_probe *p, int first, int n, const double *x) {
  double most = dae_la_norm_max(n, x);
  for (int j = 0; j < n; j++) {
    p->size[first + j] = most > 0 ? fmax(fabs(x[j]), 1e-3 * most) : 1;
    p->value[first + j] = fabs(x[j]);
  }
}

static void sizes(const look *k, double horizon) {
  const dae_system *s = k->c->s;
  dae_probe *p = &k->c->probe;
  double *size = p->size;
  double span = horizon > 0 ? horizon : fmax(fabs(k->t), 1);
  switch (item[k->d].over) {
    case OF_Y: own_sizes(p, 0, s->ny, k->c->y); break;
    case OF_V: own_sizes(p, 0, s->nx, k->z + s->nx); break;
    case OF_SLOPE: own_sizes(p, 0, s->nx, k->c->a); break;
    case OF_X:
    case OF_Z:
      for (int l = 0; l < s->order; l++) own_sizes(p, l * s->nx, s->nx, k->z + (size_t)l * s->nx);
      /* what only events change is no direction to move in */
      for (int j = 0; s->p->discrete && j < s->nz; j++)
        if (s->p->discrete->is_entry[j]) size[j] = 0;
      break;
    case OF_TIME: size[0] = span, p->value[0] = fabs(k->t); break;
    case ALONG:
      /* until something has moved by its size */
      size[0] = span, p->value[0] = fabs(k->t);
      const double least = 1e-3 * dae_la_norm_max(s->nx, k->z);
      for (int j = 0; j + s->nx < s->nz; j++) {
        double speed = fabs(k->z[j + s->nx]), of = fmax(fabs(k->z[j]), least);
        if (speed > 0 && of > 0) size[0] = fmin(size[0], of / speed);
      }
  }
}

/* "G is wrong at [g1, x2] (entry 1,2): .." */
static dae_status accuse(const look *k, const dae_probe_fault *f, char *message, int size) {
  const dae_system *s = k->c->s;
  char row[80], col[80] = "";
  bool constraint = item[k->d].base == LEVEL;
  if (constraint) dae_problem_g_name(s->p, k->first + f->row, k->level, row, sizeof row);
  else if (s->p->kind == DAE_IMPLICIT) dae_problem_equation_name(s->p, f->row, row, sizeof row);
  else dae_problem_z_name(s->p, (s->order - 1) * s->nx + f->row, row, sizeof row);
  if (item[k->d].over == OF_Y) dae_problem_y_name(s->p, f->col, col, sizeof col);
  else if (item[k->d].over != OF_TIME && item[k->d].over != ALONG)
    dae_problem_z_name(s->p, f->col + (item[k->d].over == OF_V ? s->nx : 0), col, sizeof col);
  dae_base_print(
      message, size,
      "%s is wrong at [%s%s%s] (entry %d,%d%s): given %.10g, differences say %.10g, at t "
      "= %g",
      item[k->d].name, row, col[0] ? ", " : "", col, f->row + 1, f->col + 1,
      f->outside ? ", outside its pattern" : "", f->given, f->difference, k->t);
  return DAE_E_INPUT;
}

static dae_status check_one(look *k, double horizon, char *message, int size) {
  dae_checker *c = k->c;
  dae_probe_matrix a = {.values = c->values};
  dae_probe_fault fault;
  shape(k, &a);
  k->rows = a.rows;
  memset(c->values, 0, stored(&a) * sizeof *c->values);
  if (item[k->d].base == EQUATIONS) memset(c->other, 0, stored(&a) * sizeof *c->other);
  dae_status status = dae_problem_verdict(given(k, c->values), c->values, (int)stored(&a));
  if (status == DAE_OK) {
    sizes(k, horizon);
    status = dae_problem_probe(&c->probe, moved, k, &a, &fault);
  }
  if (status != DAE_OK)
    dae_base_print(message, size, "a function failed while %s was checked at t = %g",
                   item[k->d].name, k->t);
  else if (fault.row >= 0) status = accuse(k, &fault, message, size);
  return status;
}

/* the level that is differentiated: the n-th time that d is looked at */
static int level_of(const dae_system *s, derivative d, int n) {
  if (d == HES_RATE && s->nw == 0) return n;
  if (d == HES_RATE_Z) return n + 1;
  if (d == MEC_CURVATURE || d == MEC_W_RATE || d == MEC_VELOCITY_Q || d == MEC_ALL_CURVATURE)
    return 1;
  return d >= HES_G && d <= HES_RATE && s->nw > 0 ? s->order - 1 : 0;
}

static bool called_constant(const dae_system *s) {
  const dae_implicit *m = &s->p->implicit;
  if (s->p->kind == DAE_IMPLICIT) return m->mass_constant && dae_implicit_mass_size(m) > 0;
  return s->has_mass && s->p->mechanical.mass_constant;
}

dae_status dae_problem_checker_new(dae_checker **out, dae_pool *pool, dae_point *beside) {
  const dae_system *s = beside->sys;
  dae_checker *c = *out = dae_base_take(pool, 1, sizeof *c);
  if (!c) return DAE_E_MEMORY;
  size_t most = 0, nz = (size_t)s->nz, nx = (size_t)s->nx, ny = (size_t)s->ny;
  c->s = s;
  for (derivative d = 0; d < DERIVATIVES; d++) {
    look k = {.c = c, .d = d};
    dae_probe_matrix a = {0};
    if (times(s, d) == 0) continue;
    shape(&k, &a);
    if (stored(&a) > most) most = stored(&a);
  }
  c->values = dae_base_doubles(pool, most);
  bool equations = s->p->kind == DAE_IMPLICIT;
  c->other = dae_base_doubles(pool, equations ? most : 0);
  double *room = dae_base_doubles(pool, nx + 2 * ny + nz + (equations ? nx : 0));
  if (pool->failed) return DAE_E_MEMORY;
  c->a = room, c->y = c->a + nx, c->point = c->y + ny;
  dae_status status = dae_point_new(&c->at, pool, s, beside, false);
  if (status != DAE_OK) return status;
  c->at->counts = &c->at->own_counts;
  status = dae_problem_pattern_check_new(&c->entries, pool, s);
  if (status != DAE_OK) return status;
  c->mass_size = equations ? dae_implicit_mass_size(&s->p->implicit) : c->at->M.size;
  if (called_constant(s) || (s->has_mass && s->p->mechanical.evaluate)) {
    c->mass = dae_base_doubles(pool, 2 * (size_t)c->mass_size);
    if (!c->mass) return DAE_E_MEMORY;
  }
  int cols = s->nz > s->ny ? s->nz : s->ny, rows = s->nx > s->nc ? s->nx : s->nc;
  return dae_problem_probe_new(&c->probe, pool, rows, cols);
}

static int evaluate_mass(const dae_problem *p, double t, const double *z, double *M) {
  return p->kind == DAE_IMPLICIT ? p->implicit.mass(t, z, M, p->ctx)
                                 : dae_mechanical_mass(p, t, z, M);
}

/* M is evaluated once where it is called constant: is it the same later and elsewhere? */
static dae_status check_constant(dae_checker *c, double t, const double *z, double horizon,
                                 char *message, int size) {
  static const double AWAY = 0.1, LATER = 0.37, SAME = 1e-9;
  const dae_problem *p = c->s->p;
  const int n = c->mass_size;
  double *here = c->mass, *there = here + n, most = dae_la_norm_max(c->s->nx, z);
  memset(here, 0, 2 * (size_t)n * sizeof *here);
  for (int j = 0; j < c->s->nx; j++)
    c->point[j] = z[j] + AWAY * fmax(fabs(z[j]), most > 0 ? AWAY * most : 1) * (1 + 0.3 * (j % 3));
  memcpy(c->point + c->s->nx, z + c->s->nx, (size_t)(c->s->nz - c->s->nx) * sizeof *z);
  if (evaluate_mass(p, t, z, here) != 0 ||
      evaluate_mass(p, t + LATER * horizon, c->point, there) != 0)
    return DAE_OK;
  const double largest = dae_la_norm_max(n, here);
  for (int i = 0; i < n; i++) {
    if (!(fabs(there[i] - here[i]) > SAME * largest)) continue;
    dae_base_print(message, size,
                   "mass_constant is set, but M is not constant: entry %d is %.10g at t = %g, and "
                   "%.10g beside it",
                   i + 1, here[i], t, there[i]);
    return DAE_E_INPUT;
  }
  return DAE_OK;
}

/* the first place where two results of the same function differ by more than rounding; -1: none */
static int differs(const double *a, const double *b, int n) {
  static const double SAME = 1e-10;
  double size = fmax(dae_la_norm_max(n, a), dae_la_norm_max(n, b));
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= SAME * size)) return i;
  return -1;
}

/* f and M of evaluate, where they stand beside force and mass */
static dae_status check_evaluate(dae_checker *c, double t, const double *z, char *message,
                                 int size) {
  const dae_system *s = c->s;
  const dae_problem *p = s->p;
  const dae_mechanical *m = &p->mechanical;
  if (p->kind != DAE_MECHANICAL || !m->evaluate) return DAE_OK;
  const double *v = z + s->nx;
  double *one = c->probe.plus, *two = c->probe.minus;
  int at = -1, mass_at = -1;
  if (m->force && m->force(t, z, v, one, p->ctx) == 0 &&
      m->evaluate(t, z, v, NULL, two, NULL, NULL, p->ctx) == 0)
    at = differs(one, two, s->nx);
  if (at >= 0)
    dae_base_print(message, size,
                   "evaluate gives another f than force: %.10g and %.10g at t = %g, entry %d",
                   two[at], one[at], t, at + 1);
  if (at < 0 && m->mass) {
    double *M = c->at->M.x, *N = c->mass;
    memset(N, 0, (size_t)s->M.size * sizeof *N);
    c->at->holds = 0;
    dae_point_at(c->at, t, z);
    if (dae_point_mass(c->at) == DAE_OK && m->evaluate(t, z, v, N, NULL, NULL, NULL, p->ctx) == 0)
      mass_at = differs(M, N, s->M.size);
    if (mass_at >= 0)
      dae_base_print(message, size,
                     "evaluate gives another M than mass: %.10g and %.10g at t = %g, value %d",
                     N[mass_at], M[mass_at], t, mass_at + 1);
  }
  return at < 0 && mass_at < 0 ? DAE_OK : DAE_E_INPUT;
}

dae_status dae_problem_checker_run(dae_checker *c, double t, const double *z, const double *y,
                                   double horizon, char *message, int size) {
  const dae_system *s = c->s;
  dae_status status = DAE_OK, trouble = DAE_OK;
  char first[200] = "";
  for (int i = 0; i < s->ny; i++) c->y[i] = y ? y[i] : 0.3 + 0.2 * (i % 3);
  /* any acceleration will do, and any x' of the size of x: one that is much larger would hide what
     an equation has of x */
  for (int i = 0; i < s->nx; i++) {
    const bool sized = s->p->kind == DAE_IMPLICIT && z[i] != 0;
    c->a[i] = (0.7 - 0.3 * (i % 5)) * (sized ? fabs(z[i]) / (horizon > 0 ? horizon : 1) : 1);
  }
  for (derivative d = 0; d < DERIVATIVES && status != DAE_E_INPUT; d++)
    for (int n = 0; n < times(s, d) && status != DAE_E_INPUT; n++) {
      look k = {.c = c, .d = d, .level = level_of(s, d, n), .t = t, .z = z};
      k.first = d == MEC_W_RATE ? s->ng : 0;
      status = check_one(&k, horizon, message, size);
      /* one that cannot be evaluated does not hide the others */
      if (status != DAE_OK && status != DAE_E_INPUT && trouble == DAE_OK) {
        trouble = status;
        dae_base_print(first, sizeof first, "a function failed while %s was checked at t = %g",
                       item[d].name, t);
      }
    }
  if (status != DAE_E_INPUT && c->entries) {
    const dae_status seen = dae_problem_pattern_check_run(c->entries, t, z, c->a, message, size);
    if (seen != DAE_OK) status = seen;
  }
  if (status != DAE_E_INPUT && called_constant(s))
    status = check_constant(c, t, z, horizon, message, size);
  if (status != DAE_E_INPUT) status = check_evaluate(c, t, z, message, size);
  if (status == DAE_E_INPUT) return status;
  if (trouble != DAE_OK) dae_base_print(message, size, "%s", first);
  else dae_base_print(message, size, "%s", "");
  return trouble;
}

dae_status dae_problem_check(const dae_problem *p, double t, const double *z, const double *y,
                             char *message, int size) {
  dae_base_print(message, size, "%s", "");
  dae_status status = dae_problem_valid(p, message, size);
  if (status != DAE_OK) return status;
  if (!z) z = p->z0;
  if (!y) y = p->y0;
  if (!z) {
    dae_base_print(message, size,
                   "there is no point to check at: z is NULL and the problem has no z0");
    return DAE_E_INPUT;
  }
  dae_pool pool;
  const dae_system *s;
  dae_point *at;
  dae_checker *c;
  dae_base_pool_init(&pool, NULL);
  status = dae_problem_system_new(&s, &pool, p);
  if (status == DAE_OK) status = dae_point_new(&at, &pool, s, NULL, false);
  if (status == DAE_OK) status = dae_problem_checker_new(&c, &pool, at);
  if (status == DAE_OK)
    status = dae_problem_checker_run(c, t, z, y, fabs(p->t1 - p->t0), message, size);
  dae_base_pool_free(&pool);
  return status;
}
