/* are the derivatives that the user gave the derivatives of the functions? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/discrete.h"
#include "problem/inside.h"

/* one given derivative: how to take it away, what to compare, and how entries are named */
typedef struct check_item {
  const char *name;
  bool (*given)(const dae_problem *p);
  void (*drop)(dae_problem *p);
  dae_status (*value)(dae_system *s, double t, const double *z, const double *y, double *out);
  int (*rows)(const dae_system *s);
  int (*cols)(const dae_system *s); /* 1 for vectors */
  bool constraint_rows;             /* rows are constraints (else equations of x) */
} check_item;

static int rows_nc(const dae_system *s) { return s->nc; }
static int rows_nx(const dae_system *s) { return s->nx; }
static int cols_nx(const dae_system *s) { return s->nx; }
static int cols_nz(const dae_system *s) { return s->nz; }
static int cols_ny(const dae_system *s) { return s->ny; }
static int cols_one(const dae_system *s) {
  (void)s;
  return 1;
}
static int rows_ng(const dae_system *s) { return s->ng; }

/* G dense, whatever its storage */
static dae_status value_gradient(dae_system *s, double t, const double *z, const double *y,
                                 double *out) {
  (void)y;
  dae_status status = dae_problem_gradient(s, t, z, s->G);
  memset(out, 0, (size_t)s->nc * s->nx * sizeof *out);
  for (int i = 0; i < s->nc; i++)
    for (int k = s->pattern.start ? s->pattern.start[i] : 0;
         k < (s->pattern.start ? s->pattern.start[i + 1] : s->nx); k++)
      out[(size_t)i * s->nx + (s->pattern.start ? s->pattern.column[k] : k)] =
          s->G[s->pattern.start ? k : i * s->nx + k];
  return status;
}

static dae_status value_time(dae_system *s, double t, const double *z, const double *y,
                             double *out) {
  (void)y;
  return dae_problem_level_t(s, t, z, s->nw > 0 && s->ng == 0 ? s->order - 1 : 0, out);
}

static dae_status value_rate(dae_system *s, double t, const double *z, const double *y,
                             double *out) {
  (void)y;
  return dae_problem_level(s, t, z, s->order - 1, out);
}

static dae_status value_curvature(dae_system *s, double t, const double *z, const double *y,
                                  double *out) {
  (void)y;
  return dae_problem_curvature(s, t, z, out);
}

static dae_status value_level_z(dae_system *s, double t, const double *z, const double *y,
                                double *out) {
  (void)y;
  return dae_problem_level_z(s, t, z, s->order - 1, out);
}

static dae_status value_B(dae_system *s, double t, const double *z, const double *y, double *out) {
  dae_status status = dae_problem_multiplier_matrix(s, t, z, y, s->Kt);
  for (int i = 0; i < s->nx; i++)
    for (int j = 0; j < s->ny; j++) out[(size_t)i * s->ny + j] = s->Kt[(size_t)j * s->nx + i];
  return status;
}

/* the dynamics with an arbitrary acceleration and the multipliers at the point */
static dae_status value_dynamics(dae_system *s, double t, const double *z, const double *y,
                                 double *out) {
  for (int i = 0; i < s->nx; i++) s->f_out[i] = 0.7 - 0.3 * (i % 5);
  return dae_problem_dynamics_z(s, t, z, s->f_out, y, out);
}

#define GIVEN(name, kind_, test, drops)                                                 \
  static bool given_##name(const dae_problem *p) { return p->kind == kind_ && (test); } \
  static void drop_##name(dae_problem *p) { drops; }

GIVEN(ode_h_z, DAE_ODE, p->ode.h_z && p->ode.nh > 0, p->ode.h_z = NULL)
GIVEN(ode_h_t, DAE_ODE, (p->ode.h_t || p->autonomous) && p->ode.nh > 0,
      (p->ode.h_t = NULL, p->autonomous = false))
GIVEN(ode_f_z, DAE_ODE, p->ode.f_z && !p->ode.f_pattern, p->ode.f_z = NULL)
GIVEN(hes_G, DAE_HESSENBERG, p->hessenberg.G, p->hessenberg.G = NULL)
GIVEN(hes_g_t, DAE_HESSENBERG, p->hessenberg.g_t || p->autonomous,
      (p->hessenberg.g_t = NULL, p->autonomous = false))
GIVEN(hes_rate, DAE_HESSENBERG,
      p->hessenberg.g_rate && p->hessenberg.order > 1 && !p->hessenberg.g_of_z,
      p->hessenberg.g_rate = NULL)
GIVEN(hes_curv, DAE_HESSENBERG, p->hessenberg.g_rate, p->hessenberg.g_rate = NULL)
GIVEN(hes_rate_z, DAE_HESSENBERG, p->hessenberg.g_rate_z && p->hessenberg.order > 1,
      p->hessenberg.g_rate_z = NULL)
GIVEN(hes_B, DAE_HESSENBERG, p->hessenberg.B, p->hessenberg.B = NULL)
GIVEN(hes_f_z, DAE_HESSENBERG, p->hessenberg.f_z, p->hessenberg.f_z = NULL)
GIVEN(mec_G, DAE_MECHANICAL, p->mechanical.G && p->mechanical.ng > 0, p->mechanical.G = NULL)
GIVEN(mec_g_t, DAE_MECHANICAL, (p->mechanical.g_t || p->autonomous) && p->mechanical.ng > 0,
      (p->mechanical.g_t = NULL, p->autonomous = false))
GIVEN(mec_curv, DAE_MECHANICAL, p->mechanical.curvature && p->mechanical.ng > 0,
      p->mechanical.curvature = NULL)
GIVEN(mec_w_rate, DAE_MECHANICAL, p->mechanical.w_rate && p->mechanical.nw > 0,
      p->mechanical.w_rate = NULL)
GIVEN(mec_vel_q, DAE_MECHANICAL, p->mechanical.velocity_q && p->mechanical.nw == 0,
      p->mechanical.velocity_q = NULL)
GIVEN(mec_dyn, DAE_MECHANICAL,
      p->mechanical.dynamics_q && (p->mechanical.force_v || !p->mechanical.force),
      p->mechanical.dynamics_q = NULL)

/* the order matters: later items are differenced from earlier ones */
static const check_item items[] = {
    {"h_z", given_ode_h_z, drop_ode_h_z, value_gradient, rows_nc, cols_nx, true},
    {"h_t", given_ode_h_t, drop_ode_h_t, value_time, rows_ng, cols_one, true},
    {"f_z", given_ode_f_z, drop_ode_f_z, value_dynamics, rows_nx, cols_nz, false},
    {"G", given_hes_G, drop_hes_G, value_gradient, rows_nc, cols_nx, true},
    {"g_t", given_hes_g_t, drop_hes_g_t, value_time, rows_nc, cols_one, true},
    {"g_rate", given_hes_rate, drop_hes_rate, value_rate, rows_nc, cols_one, true},
    {"g_rate", given_hes_curv, drop_hes_curv, value_curvature, rows_nc, cols_one, true},
    {"g_rate_z", given_hes_rate_z, drop_hes_rate_z, value_level_z, rows_nc, cols_nz, true},
    {"B", given_hes_B, drop_hes_B, value_B, rows_nx, cols_ny, false},
    {"f_z", given_hes_f_z, drop_hes_f_z, value_dynamics, rows_nx, cols_nz, false},
    {"G", given_mec_G, drop_mec_G, value_gradient, rows_ng, cols_nx, true},
    {"g_t", given_mec_g_t, drop_mec_g_t, value_time, rows_ng, cols_one, true},
    {"curvature", given_mec_curv, drop_mec_curv, value_curvature, rows_nc, cols_one, true},
    {"w_rate", given_mec_w_rate, drop_mec_w_rate, value_curvature, rows_nc, cols_one, true},
    {"velocity_q", given_mec_vel_q, drop_mec_vel_q, value_level_z, rows_nc, cols_nz, true},
    {"dynamics_q", given_mec_dyn, drop_mec_dyn, value_dynamics, rows_nx, cols_nz, false},
};

/* differences are good to about 1e-8 of the largest entry; a wrong formula is off by far more */
static dae_status compare(const dae_problem *p, const check_item *a, dae_system *s,
                          const double *given, const double *differences, double t, char *message,
                          int size) {
  int rows = a->rows(s), cols = a->cols(s);
  double most = 0;
  for (int i = 0; i < rows * cols; i++) most = fmax(most, fabs(differences[i]));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      double x = given[(size_t)i * cols + j], d = differences[(size_t)i * cols + j];
      if (fabs(x - d) <= 1e-5 * fabs(d) + 1e-6 * most + 1e-9) continue;
      /* what only events change is no direction to move in: models give zero there */
      if (p->discrete && cols == s->nz && p->discrete->is_entry[j]) continue;
      char row[DAE_ORDER_MAX * 8 + 80], col[DAE_ORDER_MAX * 8 + 80] = "";
      if (a->constraint_rows) dae_problem_g_name(p, i, 0, row, sizeof row);
      else dae_problem_z_name(p, (s->order - 1) * s->nx + i, row, sizeof row);
      if (cols > 1 && cols == s->ny && a->value == value_B)
        dae_problem_y_name(p, j, col, sizeof col);
      else if (cols > 1) dae_problem_z_name(p, j, col, sizeof col);
      dae_base_print(
          message, size,
          "%s is wrong at [%s%s%s] (entry %d,%d): given %.10g, differences say %.10g, at t = %g",
          a->name, row, col[0] ? ", " : "", col, i + 1, j + 1, x, d, t);
      return DAE_E_INPUT;
    }
  return DAE_OK;
}

/* one item: with and without the user's derivative */
static dae_status check_one(const dae_problem *p, const check_item *a, double t, const double *z,
                            const double *y, char *message, int size) {
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  dae_problem bare = *p;
  a->drop(&bare);
  dae_system *with = NULL, *without = NULL;
  dae_status status = dae_problem_system_new(&with, &pool, p);
  if (status == DAE_OK) status = dae_problem_system_new(&without, &pool, &bare);
  double *x = NULL, *d = NULL;
  if (status == DAE_OK) {
    size_t count = (size_t)a->rows(with) * a->cols(with),
           all = (size_t)with->nz * (with->nz + with->nc + 1);
    x = dae_base_doubles(&pool, all > count ? all : count);
    d = dae_base_doubles(&pool, all > count ? all : count);
    if (pool.failed) status = DAE_E_MEMORY;
  }
  if (status == DAE_OK) status = a->value(with, t, z, y, x);
  if (status == DAE_OK) status = a->value(without, t, z, y, d);
  if (status == DAE_E_CALLBACK || status == DAE_STOPPED)
    dae_base_print(message, size, "a function failed while %s was checked at t = %g", a->name, t);
  if (status == DAE_OK) status = compare(p, a, with, x, d, t, message, size);
  dae_problem_system_free(with);
  dae_problem_system_free(without);
  dae_base_pool_free(&pool);
  return status;
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
  /* dense comparisons: large problems are checked at small sizes */
  if ((size_t)dae_problem_nz(p) > 4000) {
    dae_base_print(message, size, "too large to check densely; check a smaller instance");
    return DAE_OK;
  }
  dae_pool pool;
  dae_base_pool_init(&pool, NULL);
  double *zero = dae_base_doubles(&pool, (size_t)dae_problem_ny(p) + 1);
  if (!zero) return DAE_E_MEMORY;
  for (int i = 0; i < dae_problem_ny(p); i++) zero[i] = 0.3 + 0.2 * (i % 3);
  for (size_t i = 0; i < sizeof items / sizeof *items && status == DAE_OK; i++)
    if (items[i].given(p)) status = check_one(p, &items[i], t, z, y ? y : zero, message, size);
  dae_base_pool_free(&pool);
  return status;
}
