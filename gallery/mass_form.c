/* problems as M x' = f with a constant M */
#include "mass_form.h"

#include <math.h>
#include <string.h>

#include "gallery.h"

/* ---- with their own functions ---- */

static int robertson(double t, const double *x, double *f, void *form) {
  (void)t, (void)form;
  f[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  f[1] = 0.04 * x[0] - 1e4 * x[1] * x[2] - 3e7 * x[1] * x[1];
  f[2] = x[0] + x[1] + x[2] - 1;
  return 0;
}

static int van_der_pol(double t, const double *x, double *f, void *form) {
  (void)t, (void)form;
  f[0] = x[1];
  f[1] = (1 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

static void small_mass(const gallery_mass_form *form, double *M) {
  (void)form;
  M[0] = 1, M[3] = 1e-6;
}

static int amplifier(double t, const double *u, double *f, void *form) {
  const double input = 0.1 * sin(200 * acos(-1) * t), R = 9000, alpha = 0.99;
  const double one = 1e-6 * (exp((u[1] - u[2]) / 0.026) - 1);
  const double two = 1e-6 * (exp((u[4] - u[5]) / 0.026) - 1);
  (void)form;
  f[0] = (u[0] - input) / 1000;
  f[1] = u[1] / R + (u[1] - 6) / R + (1 - alpha) * one;
  f[2] = u[2] / R - one;
  f[3] = (u[3] - 6) / R + alpha * one;
  f[4] = u[4] / R + (u[4] - 6) / R + (1 - alpha) * two;
  f[5] = u[5] / R - two;
  f[6] = (u[6] - 6) / R + alpha * two;
  f[7] = u[7] / R;
  return 0;
}

static void capacitors(const gallery_mass_form *form, double *M) {
  (void)form;
  for (int k = 0; k < 3; k++) {
    const int a = 3 * k, b = a + 1;
    const double C = 1e-6 * (2 * k + 1);
    M[a * 8 + a] = M[b * 8 + b] = -C;
    M[a * 8 + b] = M[b * 8 + a] = C;
  }
  M[2 * 8 + 2] = -2e-6, M[5 * 8 + 5] = -4e-6;
}

static int akzo(double t, const double *y, double *f, void *form) {
  const double r1 = 18.7 * pow(y[0], 4) * sqrt(fabs(y[1])), r2 = 0.58 * y[2] * y[3],
               r3 = 0.58 / 34.4 * y[0] * y[4], r4 = 0.09 * y[0] * y[3] * y[3],
               r5 = 0.42 * y[5] * y[5] * sqrt(fabs(y[1])), in = 3.3 * (0.9 / 737 - y[1]);
  (void)t, (void)form;
  f[0] = -2 * r1 + r2 - r3 - r4;
  f[1] = -0.5 * r1 - r4 - 0.5 * r5 + in;
  f[2] = r1 - r2 + r3;
  f[3] = -r2 + r3 - 2 * r4;
  f[4] = r2 - r3 + r5;
  f[5] = 115.83 * y[0] * y[3] - y[5];
  return 0;
}

static int hires(double t, const double *y, double *f, void *form) {
  const double bound = 280 * y[5] * y[7];
  (void)t, (void)form;
  f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
  f[1] = 1.71 * y[0] - 8.75 * y[1];
  f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
  f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
  f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
  f[5] = -bound + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
  f[6] = bound - 1.81 * y[6];
  f[7] = -bound + 1.81 * y[6];
  return 0;
}

/* a rod with ends that follow sin t, of which the nodes between the ends have the exact solution
   sin t (1 + x - x^2) */
enum { NODES = 21 };
static int rod(double t, const double *u, double *f, void *form) {
  const double h = 1.0 / (NODES - 1);
  (void)form;
  for (int i = 1; i < NODES - 1; i++) {
    const double x = i * h;
    f[i] = (u[i - 1] - 2 * u[i] + u[i + 1]) / (h * h) + cos(t) * (1 + x - x * x) + 2 * sin(t);
  }
  f[0] = u[0] - sin(t);
  f[NODES - 1] = u[NODES - 1] - sin(t);
  return 0;
}

static void inner(const gallery_mass_form *form, double *M) {
  for (int i = 1; i < form->n - 1; i++) M[i * form->n + i] = 1;
}

/* x = sin t + e^-t, y = e^-t */
static int cubic(double t, const double *x, double *f, void *form) {
  (void)form;
  f[0] = cos(t) - x[1];
  f[1] = x[0] - sin(t) + x[1] + x[1] * x[1] * x[1] - 2 * exp(-t) - exp(-3 * t);
  return 0;
}

/* p, q, u, v, lambda from the horizontal; the constraint on positions, velocities, accelerations */
static int pendulum(int level, const double *x, double *f) {
  const double p = x[0], q = x[1], u = x[2], v = x[3], l = x[4], square = p * p + q * q;
  f[0] = u;
  f[1] = v;
  f[2] = -p * l;
  f[3] = -q * l - 1;
  f[4] = level == 3 ? square - 1 : level == 2 ? p * u + q * v : u * u + v * v - square * l - q;
  return 0;
}

static int pendulum1(double t, const double *x, double *f, void *form) {
  (void)t, (void)form;
  return pendulum(1, x, f);
}
static int pendulum2(double t, const double *x, double *f, void *form) {
  (void)t, (void)form;
  return pendulum(2, x, f);
}
static int pendulum3(double t, const double *x, double *f, void *form) {
  (void)t, (void)form;
  return pendulum(3, x, f);
}

/* all variables but the last `n - first` have their own derivative */
static void first_ones(const gallery_mass_form *form, double *M) {
  const int n = form->n;
  int first = n;
  if (form->f == robertson) first = 2;
  if (form->f == akzo) first = 5;
  if (form->f == cubic) first = 1;
  if (form->f == pendulum1 || form->f == pendulum2 || form->f == pendulum3) first = 4;
  for (int i = 0; i < first; i++) M[i * n + i] = 1;
}

/* after five quarters of the period at the lowest point: K(1/2) is a quarter */
#define QUARTER 1.85407467730137191843
#define LOWEST \
  .t1 = 5 * QUARTER, .x0 = {1}, .ref = {0, -1, -1.4142135623730950488, 0, 3}, .size = 1, .n = 5

/* references: robertson, van der Pol, akzo and hires in 113 bits by tools/reference.c, the
   amplifier of the Test Set for IVP Solvers, the others closed */
static const gallery_mass_form own[] = {
    {.name = "robertson",
     .n = 3,
     .index = {3},
     .f = robertson,
     .mass = first_ones,
     .t1 = 40,
     .x0 = {1},
     .ref = {0.71582706871940509, 9.1855347645577639e-06, 0.28416374574583035},
     .known = 3},
    {.name = "van der Pol",
     .n = 2,
     .index = {2},
     .f = van_der_pol,
     .mass = small_mass,
     .t1 = 2,
     .x0 = {2, -0.66},
     .ref = {1.7061674375431954, -0.89281001655109930},
     .known = 2},
    {.name = "amplifier",
     .n = 8,
     .index = {8},
     .f = amplifier,
     .mass = capacitors,
     .t1 = 0.2,
     .x0 = {0, 3, 3, 6, 3, 3, 6, 0},
     .ref = {-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1,
             0.2926422536206241e1, 0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1,
             0.1236995868091548e1},
     .known = 8},
    {.name = "akzo",
     .n = 6,
     .index = {6},
     .f = akzo,
     .mass = first_ones,
     .t1 = 180,
     .x0 = {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007},
     .ref = {0.11507949206617022, 1.2038314715677151e-3, 0.16115628874079742, 3.6561564212492830e-4,
             1.7080108852644041e-2, 115.83 * 0.11507949206617022 * 3.6561564212492830e-4},
     .known = 6},
    {.name = "hires",
     .n = 8,
     .index = {8},
     .f = hires,
     .mass = first_ones,
     .t1 = 321.8122,
     .x0 = {1, 0, 0, 0, 0, 0, 0, 0.0057},
     .ref = {7.37131257332567e-4, 1.44248572631618e-4, 5.8887297409676e-5, 1.17565134328315e-3,
             2.38635619883133e-3, 6.2389682527428e-3, 2.8499983951858e-3, 2.8500016048142e-3},
     .known = 8},
    {.name = "rod", .n = NODES, .index = {NODES}, .f = rod, .mass = inner, .t1 = 3, .known = NODES},
    {.name = "cubic",
     .n = 2,
     .index = {2},
     .f = cubic,
     .mass = first_ones,
     .t1 = 2,
     .x0 = {1, 1},
     .known = 2,
     .size = 0.1},
    {.name = "pendulum, index 1",
     .index = {5},
     .f = pendulum1,
     .mass = first_ones,
     .known = 5,
     LOWEST},
    {.name = "pendulum, index 2",
     .index = {4, 1},
     .f = pendulum2,
     .mass = first_ones,
     .known = 4,
     LOWEST},
    {.name = "pendulum, index 3",
     .index = {2, 2, 1},
     .f = pendulum3,
     .mass = first_ones,
     .known = 4,
     LOWEST},
};
enum { OWN = sizeof own / sizeof *own };

/* ---- of the gallery: x = (z, accelerations, y) ---- */

static const struct {
  const char *name;
  double t1; /* 0: that of the reference */
  double size;
} borrowed[] = {{"circle-index2", 1, 0.1}, {"linear-index2", 1, 1}, {"linear-index3", 1, 1},
                {"rotating-index2", 1, 1}, {"andrews", 0, 1},       {"car-axis", 0, 1},
                {"slider-crank", 0, 1}};
enum { BORROWED = sizeof borrowed / sizeof *borrowed };

/* 0 = M a - f + G'lambda and the rest of a mechanism */
static int mechanism(const dae_problem *p, double t, const double *x, double *f,
                     bool accelerations) {
  const dae_mechanical *m = &p->mechanical;
  const int nq = m->nq, ng = m->ng;
  const double *q = x, *v = x + nq, *a = v + nq, *y = accelerations ? a + nq : a;
  double M[GALLERY_MASS_MOST * GALLERY_MASS_MOST] = {0},
                               G[GALLERY_MASS_MOST * GALLERY_MASS_MOST] = {0}, *force = f + nq;
  memset(force, 0, (size_t)nq * sizeof *f);
  int code = m->force ? m->force(t, q, v, force, p->ctx) : 0;
  if (code == 0) code = m->G(t, q, G, p->ctx);
  if (code == 0 && accelerations) code = m->mass(t, q, M, p->ctx);
  for (int i = 0; i < nq; i++) {
    f[i] = v[i];
    for (int k = 0; k < ng; k++) force[i] -= G[k * nq + i] * y[k];
    if (!accelerations) continue;
    double sum = force[i];
    for (int j = 0; j < nq; j++)
      sum -= (m->mass_kind == DAE_MASS_DIAGONAL ? (i == j) * M[i] : M[i * nq + j]) * a[j];
    f[2 * nq + i] = sum;
  }
  for (int i = 0; i < nq && accelerations; i++) force[i] = a[i];
  return code ? code : m->g(t, q, f + (accelerations ? 3 : 2) * nq, p->ctx);
}

static int of_gallery(double t, const double *x, double *f, void *form) {
  const gallery_mass_form *s = form;
  const dae_problem *p = s->from;
  if (p->kind == DAE_MECHANICAL) return mechanism(p, t, x, f, s->accelerations);
  const dae_hessenberg *h = &p->hessenberg;
  const int nz = dae_problem_nz(p), top = nz - h->nx;
  for (int i = 0; i < top; i++) f[i] = x[i + h->nx];
  int code = h->f(t, x, x + nz, f + top, p->ctx);
  return code ? code : h->g(t, x, f + nz, p->ctx);
}

static void of_gallery_mass(const gallery_mass_form *form, double *M) {
  for (int i = 0; i < dae_problem_nz(form->from); i++) M[i * form->n + i] = 1;
}

/* y at the start, by the gallery's own problem: RADAU5 and IDA want consistent values */
static bool consistent(gallery_mass_form *form) {
  dae_options o = dae_options_default();
  dae_solver *s;
  const dae_problem *p = form->from;
  const int nz = dae_problem_nz(p), nx = dae_problem_nx(p), ny = dae_problem_ny(p);
  double z[GALLERY_MASS_MOST], y[GALLERY_MASS_MOST];
  memcpy(z, p->z0, (size_t)nz * sizeof *z);
  if (dae_solver_new(&s, p, &o, NULL) != DAE_OK) return false;
  dae_status status = dae_solver_start(s, p->t0, z, y);
  memcpy(form->x0, z, (size_t)nz * sizeof *z);
  if (form->accelerations) memcpy(form->x0 + nz, dae_solver_dz(s) + nx, (size_t)nx * sizeof *z);
  memcpy(form->x0 + form->n - ny, y, (size_t)ny * sizeof *y);
  dae_solver_free(s);
  return status == DAE_OK;
}

static bool borrow(int i, gallery_mass_form *form) {
  char message[DAE_TEXT_MAX];
  dae_problem *p;
  if (gallery_open(&p, borrowed[i].name, 0, NULL, NULL, message, sizeof message) != DAE_OK)
    return false;
  const int nz = dae_problem_nz(p), nx = dae_problem_nx(p), ny = dae_problem_ny(p),
            index = dae_problem_index(p);
  const bool accelerations = p->kind == DAE_MECHANICAL && p->mechanical.mass;
  *form = (gallery_mass_form){.name = borrowed[i].name,
                              .n = nz + ny + (accelerations ? nx : 0),
                              .f = of_gallery,
                              .mass = of_gallery_mass,
                              .t0 = p->t0,
                              .t1 = borrowed[i].t1 != 0 ? borrowed[i].t1 : p->ref[0].t,
                              .size = borrowed[i].size,
                              .known = nx,
                              .from = p,
                              .accelerations = accelerations};
  form->index[0] = nx;
  form->index[index == 2 ? 0 : 1] = index == 2 ? nz : nx;
  form->index[index - 1] = form->n - nz;
  double y[GALLERY_MASS_MOST];
  if (p->exact) p->exact(form->t1, form->ref, y, p->ctx);
  else memcpy(form->ref, p->ref[0].z, (size_t)nz * sizeof *form->ref);
  if (consistent(form)) return true;
  gallery_mass_close(form);
  return false;
}

static void set_indices(gallery_mass_form *form) {
  for (int i = 0, at = 0; i < 3; i++)
    for (int k = 0; k < form->index[i]; k++) form->variable_index[at++] = (unsigned char)(i + 1);
}

bool gallery_mass_open(int i, gallery_mass_form *form) {
  if (i < 0 || i >= OWN + BORROWED) return false;
  if (i >= OWN) {
    const bool ok = borrow(i - OWN, form);
    if (ok) set_indices(form);
    return ok;
  }
  *form = own[i];
  set_indices(form);
  for (int k = 0; k < NODES && form->f == rod; k++) {
    const double x = (double)k / (NODES - 1);
    form->ref[k] = sin(form->t1) * (1 + x - x * x);
  }
  if (form->f == cubic) form->ref[1] = exp(-form->t1), form->ref[0] = sin(form->t1) + form->ref[1];
  return true;
}

void gallery_mass_close(gallery_mass_form *form) {
  if (form->from) gallery_close(form->name, form->from);
  form->from = NULL;
}

double gallery_mass_error(const gallery_mass_form *form, const double *x) {
  double worst = 0;
  for (int i = 0; i < form->known; i++) {
    const double e = fabs(x[i] - form->ref[i]) / fmax(fabs(form->ref[i]), form->size);
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

static int mass(double t, const double *x, double *M, void *form) {
  const gallery_mass_form *s = form;
  (void)t, (void)x;
  s->mass(s, M);
  return 0;
}

dae_problem gallery_mass_problem(const gallery_mass_form *form, bool declared) {
  return (dae_problem){.name = form->name,
                       .kind = DAE_IMPLICIT,
                       .ctx = (void *)form,
                       .t0 = form->t0,
                       .t1 = form->t1,
                       .z0 = form->x0,
                       .implicit = {.n = form->n,
                                    .f = form->f,
                                    .mass = mass,
                                    .mass_constant = true,
                                    .variable_index = declared ? form->variable_index : NULL}};
}
