/* point masses and rods: forces, constraints and their derivatives, dense or sparse */
#include "rods.h"

#include <stdlib.h>
#include <string.h>

/* d := end b - end a */
static void difference(const rod *r, const double *q, double *dx, double *dy) {
  *dx = q[2 * r->b] - (r->a < 0 ? r->x : q[2 * r->a]);
  *dy = q[2 * r->b + 1] - (r->a < 0 ? r->y : q[2 * r->a + 1]);
}

/* the same of velocities: held ends are at rest */
static void difference_rate(const rod *r, const double *v, double *dx, double *dy) {
  *dx = v[2 * r->b] - (r->a < 0 ? 0 : v[2 * r->a]);
  *dy = v[2 * r->b + 1] - (r->a < 0 ? 0 : v[2 * r->a + 1]);
}

static int mass(double t, const double *q, double *M, void *ctx) {
  const rods *s = ctx;
  (void)t, (void)q;
  for (int i = 0; i < s->n_point; i++) M[2 * i] = M[2 * i + 1] = s->mass[i];
  return 0;
}

int rods_force(double t, const double *q, const double *v, double *f, void *ctx) {
  const rods *s = ctx;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < s->n_point; i++) {
    f[2 * i] = 0;
    f[2 * i + 1] = -s->gravity * s->mass[i];
  }
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const rods *s = ctx;
  (void)t;
  for (int k = 0; k < s->n_rod; k++) {
    double dx, dy, L = s->rod[k].length;
    difference(&s->rod[k], q, &dx, &dy);
    g[k] = (dx * dx + dy * dy - L * L) / (2 * L);
  }
  return 0;
}

/* writes (x, y) at the places of the ends of rod k: with a minus at a, with a plus at b */
static void put(const rods *s, int k, double x, double y, double *G) {
  const int *place = s->G_place[k];
  if (s->rod[k].a >= 0) {
    G[place[0]] = -x;
    G[place[0] + 1] = -y;
  }
  G[place[1]] = x;
  G[place[1] + 1] = y;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const rods *s = ctx;
  (void)t;
  for (int k = 0; k < s->n_rod; k++) {
    double dx, dy, c = 1 / s->rod[k].length;
    difference(&s->rod[k], q, &dx, &dy);
    put(s, k, c * dx, c * dy, G);
  }
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const rods *s = ctx;
  (void)t, (void)q;
  for (int k = 0; k < s->n_rod; k++) {
    double dx, dy;
    difference_rate(&s->rod[k], v, &dx, &dy);
    c[k] = (dx * dx + dy * dy) / s->rod[k].length;
  }
  return 0;
}

/* gradient and curvature, which a step wants together, in one pass over the rods */
static void gradient_curvature(const rods *s, const double *q, const double *v, double *G,
                               double *c) {
  for (int k = 0; k < s->n_rod; k++) {
    const rod *r = &s->rod[k];
    const int *place = s->G_place[k];
    const double *qb = q + 2 * r->b, *vb = v + 2 * r->b, scale = 1 / r->length;
    double dx = qb[0], dy = qb[1], vx = vb[0], vy = vb[1];
    if (r->a < 0) {
      dx -= r->x, dy -= r->y;
    } else {
      const double *qa = q + 2 * r->a, *va = v + 2 * r->a;
      dx -= qa[0], dy -= qa[1];
      vx -= va[0], vy -= va[1];
      G[place[0]] = -(scale * dx);
      G[place[0] + 1] = -(scale * dy);
    }
    G[place[1]] = scale * dx;
    G[place[1] + 1] = scale * dy;
    c[k] = (vx * vx + vy * vy) / r->length;
  }
}

static int evaluate(double t, const double *q, const double *v, double *M, double *f, double *G,
                    double *c, void *ctx) {
  if (M) mass(t, q, M, ctx);
  if (f) rods_force(t, q, v, f, ctx);
  if (G && c) gradient_curvature(ctx, q, v, G, c);
  else if (G) gradient(t, q, G, ctx);
  else if (c) curvature(t, q, v, c, ctx);
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  const rods *s = ctx;
  (void)t, (void)q;
  for (int k = 0; k < s->n_rod; k++) {
    double dx, dy, c = 1 / s->rod[k].length;
    difference_rate(&s->rod[k], v, &dx, &dy);
    put(s, k, c * dx, c * dy, L);
  }
  return 0;
}

/* d/dq (G'y): each rod adds y/L times [I -I; -I I] on its two points */
int rods_dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                    double *J, void *ctx) {
  const rods *s = ctx;
  (void)t, (void)q, (void)v, (void)a;
  for (int k = 0; k < s->n_rod; k++) {
    int(*place)[2] = s->dynamics_place[k];
    double c = y[k] / s->rod[k].length;
    for (int x = 0; x < 2; x++) {
      J[place[1][x]] += c;
      if (s->rod[k].a < 0) continue;
      J[place[0][x]] += c;
      J[place[2][x]] -= c;
      J[place[3][x]] -= c;
    }
  }
  return 0;
}

void *rods_new(const gallery_entry *entry, size_t size, const double *par, int n_point, int n_rod) {
  rods *s = gallery_block(entry, size, par);
  if (!s) return NULL;
  size_t np = (size_t)n_point, nr = (size_t)n_rod;
  s->n_point = n_point;
  s->n_rod = n_rod;
  s->rod = calloc(nr, sizeof *s->rod);
  s->mass = calloc(np, sizeof *s->mass);
  s->z0 = calloc(4 * np, sizeof *s->z0);
  s->G_place = calloc(nr, sizeof *s->G_place);
  s->dynamics_place = calloc(nr, sizeof *s->dynamics_place);
  if (s->rod && s->mass && s->z0 && s->G_place && s->dynamics_place) return s;
  rods_close(&s->problem);
  return NULL;
}

void rods_close(dae_problem *p) {
  rods *s = (rods *)p;
  if (!s) return;
  free(s->rod);
  free(s->mass);
  free(s->z0);
  free(s->G_place);
  free(s->dynamics_place);
  free(s->memory);
  free(s->z_name);
  free(s->y_name);
  free(s->g_name);
  for (int i = 0; i < RODS_REFERENCES; i++) free(s->z_ref[i]);
  gallery_free(p);
}

static void dense_places(rods *s) {
  int nq = 2 * s->n_point;
  for (int k = 0; k < s->n_rod; k++) {
    int a = s->rod[k].a < 0 ? 0 : s->rod[k].a, b = s->rod[k].b;
    const int row[4] = {a, b, a, b}, column[4] = {a, b, b, a};
    s->G_place[k][0] = k * nq + 2 * a;
    s->G_place[k][1] = k * nq + 2 * b;
    for (int i = 0; i < 4; i++)
      for (int x = 0; x < 2; x++)
        s->dynamics_place[k][i][x] = (2 * row[i] + x) * nq + 2 * column[i] + x;
  }
}

/* puts `value` into the rising list of n numbers unless it is there; returns the new n */
static int insert(int *list, int n, int value) {
  int i = n;
  for (int k = 0; k < n; k++)
    if (list[k] == value) return n;
  for (; i > 0 && list[i - 1] > value; i--) list[i] = list[i - 1];
  list[i] = value;
  return n + 1;
}

static int index_in(const int *list, int value) {
  int i = 0;
  while (list[i] != value) i++;
  return i;
}

/* the pattern of G, row by row */
static void G_structure(rods *s, int *start, int *column) {
  start[0] = 0;
  for (int k = 0; k < s->n_rod; k++) {
    int n = start[k], ends[2] = {s->rod[k].a, s->rod[k].b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0) continue;
      s->G_place[k][e] = n;
      column[n++] = 2 * ends[e];
      column[n++] = 2 * ends[e] + 1;
    }
    start[k + 1] = n;
  }
  s->G_pattern = (dae_pattern){s->n_rod, 2 * s->n_point, start, column};
}

/* the pattern of dynamics_q: each point with itself and its neighbours, x apart from y.
   `list` has room for `most` neighbours of each point, `degree` counts them. */
static void dynamics_structure(rods *s, int *start, int *column, int *list, int *degree, int most) {
  int np = s->n_point;
  for (int i = 0; i < np; i++) degree[i] = insert(list + (size_t)i * (size_t)most, 0, i);
  for (int k = 0; k < s->n_rod; k++) {
    int a = s->rod[k].a, b = s->rod[k].b;
    if (a < 0) continue;
    degree[a] = insert(list + (size_t)a * (size_t)most, degree[a], b);
    degree[b] = insert(list + (size_t)b * (size_t)most, degree[b], a);
  }
  start[0] = 0;
  for (int i = 0; i < 2 * np; i++) {
    int point = i / 2;
    for (int j = 0; j < degree[point]; j++)
      column[start[i] + j] = 2 * list[(size_t)point * (size_t)most + (size_t)j] + i % 2;
    start[i + 1] = start[i] + degree[point];
  }
  for (int k = 0; k < s->n_rod; k++) {
    int a = s->rod[k].a < 0 ? s->rod[k].b : s->rod[k].a, b = s->rod[k].b;
    const int row[4] = {a, b, a, b}, other[4] = {a, b, b, a};
    for (int i = 0; i < 4; i++)
      for (int x = 0; x < 2; x++)
        s->dynamics_place[k][i][x] =
            start[2 * row[i] + x] + index_in(list + (size_t)row[i] * (size_t)most, other[i]);
  }
  s->dynamics_pattern = (dae_pattern){2 * np, 2 * np, start, column};
}

/* largest number of rods that meet in a point */
static int most_rods(const rods *s, int *degree) {
  int most = 0;
  for (int k = 0; k < s->n_rod; k++)
    for (int e = 0; e < 2; e++) {
      int i = e ? s->rod[k].b : s->rod[k].a;
      if (i >= 0 && ++degree[i] > most) most = degree[i];
    }
  return most;
}

/* one block of integers holds all patterns */
static bool sparse_places(rods *s) {
  size_t np = (size_t)s->n_point, nr = (size_t)s->n_rod;
  int *degree = calloc(np, sizeof *degree);
  if (!degree) return false;
  int most = most_rods(s, degree) + 1;
  int *list = malloc(np * (size_t)most * sizeof *list);
  int *memory = calloc((nr + 1) + 4 * nr + 2 * (2 * np + 1) + 2 * (np + 2 * nr), sizeof *memory);
  s->memory = memory;
  if (list && memory) {
    int *G_column = memory + nr + 1, *start = G_column + 4 * nr, *none = start + 2 * np + 1;
    G_structure(s, memory, G_column);
    dynamics_structure(s, start, none + 2 * np + 1, list, degree, most);
    s->empty = (dae_pattern){(int)(2 * np), (int)(2 * np), none, none};
  }
  free(degree);
  free(list);
  return list && memory;
}

dae_problem *rods_finish(rods *s, bool sparse) {
  static const char *const z_format[] = {"x%d", "y%d", "der(x%d)", "der(y%d)"};
  static const char *const y_format[] = {"lambda%d"}, *const g_format[] = {"rod%d"};
  const char **z_name = gallery_names(s->n_point, 2, 2, z_format);
  const char **y_name = gallery_names(s->n_rod, 1, 1, y_format);
  const char **g_name = gallery_names(s->n_rod, 1, 1, g_format);
  s->z_name = z_name;
  s->y_name = y_name;
  s->g_name = g_name;
  if (!sparse) dense_places(s);
  if (!z_name || !y_name || !g_name || (sparse && !sparse_places(s))) {
    rods_close(&s->problem);
    return NULL;
  }
  s->problem.kind = DAE_MECHANICAL;
  s->problem.mechanical = (dae_mechanical){
      .nq = 2 * s->n_point,
      .ng = s->n_rod,
      .mass = mass,
      .mass_kind = DAE_MASS_DIAGONAL,
      .mass_constant = true,
      .force = rods_force,
      .force_q = sparse ? NULL : gallery_zero_q,
      .force_v = gallery_zero_q,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = rods_dynamics_q,
      .evaluate = evaluate,
      .G_pattern = sparse ? &s->G_pattern : NULL,
      .dynamics_pattern = sparse ? &s->dynamics_pattern : NULL,
      .force_v_pattern = sparse ? &s->empty : NULL,
  };
  s->problem.z0 = s->z0;
  s->problem.z_name = z_name;
  s->problem.y_name = y_name;
  s->problem.g_name = g_name;
  return &s->problem;
}

void rods_join(const double *a, double la, const double *b, double lb, int side, double *out) {
  double dx = b[0] - a[0], dy = b[1] - a[1], d2 = dx * dx + dy * dy;
  /* out = a + u d + h (left of d) */
  double u = ((la - lb) * (la + lb) / d2 + 1) / 2, h = side * sqrt(fmax(0, la * la / d2 - u * u));
  out[0] = a[0] + u * dx - h * dy;
  out[1] = a[1] + u * dy + h * dx;
  /* (out - a).v = (out - a).va and (out - b).v = (out - b).vb */
  double ax = out[0] - a[0], ay = out[1] - a[1], bx = out[0] - b[0], by = out[1] - b[1];
  double ra = ax * a[2] + ay * a[3], rb = bx * b[2] + by * b[3], det = ax * by - ay * bx;
  out[2] = (ra * by - rb * ay) / det;
  out[3] = (ax * rb - bx * ra) / det;
}

double *rods_reference(rods *s, double t) {
  int i = s->problem.n_ref;
  double *z = calloc((size_t)(4 * s->n_point), sizeof *z);
  if (!z) return NULL;
  s->z_ref[i] = z;
  s->ref[i] = (dae_reference){t, z, NULL};
  s->problem.ref = s->ref;
  s->problem.n_ref = i + 1;
  return z;
}

void rods_place(const rods *s, double *z, int i, const double *point) {
  double *v = z + 2 * s->n_point;
  z[2 * i] = point[0];
  z[2 * i + 1] = point[1];
  v[2 * i] = point[2];
  v[2 * i + 1] = point[3];
}

bool rods_sparse(double parameter, int n_point) {
  return isnan(parameter) ? n_point > 16 : parameter != 0;
}
