/* random exam: linear DAEs of index 0 to 5 with closed-form solutions, through the C interface */
/* exam: 120 6000
   mended: 3232 7523 13725 21382 22792 1001076 1008902 1010609 */
/*
 * With e = x - x*(t) for a chosen x*, the problem
 *   x^(m) = x*^(m) + sum_l A_l(t) e^(l) - B(t) (y - y*),   0 = S G(t) e
 * has the solution x*, y*. In coordinates u = Q(t) e, Q orthogonal and turning, G = [I 0] Q and B =
 * Q' [C; D], so that G B = C has the index m + 1; A_l = Q' diag(a_l) Q puts any rates into the
 * directions that the constraints leave free: slow, stiff, oscillating or growing. Rows and
 * variables have units of their own; some constraints are stated twice. Where the form is wrong, a
 * constraint acts on u_1, its multiplier on the last coordinate, and only u_1^(m) = u_last connects
 * them: index 2 m + 1.
 */
#include <daedal/daedal.h>

#include "random/exam.h"

enum { N = 6, Y = 4, M = 4 };

typedef enum shape { ODE, INVARIANT, HESSENBERG, MECHANICAL, WRONG, SHAPES } shape;
static const char *const shape_name[] = {"ode", "invariant", "hessenberg", "mechanical", "wrong"};

typedef struct linear {
  shape shape;
  int n, nc, ny, m;                   /* nc independent constraints, ny with redundant ones */
  double P[N * N], rate, phase, turn; /* Q(t) = (rotation by rate t + phase in a plane) P */
  int plane[2];
  double a[M][N];            /* a_l in the coordinates u */
  double C[N * Y], S[Y * Y]; /* [C; D] and what the rows of g are made of */
  double unit[N], y_unit[Y];
  double c[N], w[N], f[N]; /* x*_i = unit (2 + c sin(w t + f)) */
  double cy[Y];
  bool derivatives;
  int connect; /* WRONG: coordinate that drives u_1, else -1 */
} linear;

static double exact(const linear *p, int i, int level, double t) {
  double x = p->c[i] * pow(p->w[i], level) * sin(p->w[i] * t + p->f[i] + level * acos(0.0));
  return p->unit[i] * (x + (level == 0 ? 2 : 0));
}

static double exact_y(const linear *p, int k, double t) {
  return p->y_unit[k] * (p->cy[k] + cos((1 + 0.3 * k) * t));
}

/* the k-th derivative of Q(t) */
static void turned(const linear *p, double t, int k, double *Q) {
  double angle = p->rate * t + p->phase + k * acos(0.0), size = k > 0 ? pow(p->rate, k) : 1;
  double c = size * cos(angle), s = size * sin(angle);
  if (k > 0) memset(Q, 0, sizeof p->P);
  else memcpy(Q, p->P, sizeof p->P);
  for (int j = 0; j < p->n; j++) {
    double x = p->P[p->plane[0] * N + j], y = p->P[p->plane[1] * N + j];
    Q[p->plane[0] * N + j] = c * x - s * y;
    Q[p->plane[1] * N + j] = s * x + c * y;
  }
}

static void frame(const linear *p, double t, double *Q) { turned(p, t, 0, Q); }

/* out := D Q' v, with units */
static void back(const linear *p, const double *Q, const double *v, double *out) {
  for (int j = 0; j < p->n; j++) {
    out[j] = 0;
    for (int i = 0; i < p->n; i++) out[j] += Q[i * N + j] * v[i];
    out[j] *= p->unit[j];
  }
}

/* u_l := Q D^-1 (x^(l) - x*^(l)) */
static void coordinates(const linear *p, const double *Q, double t, const double *z, int l,
                        double *u) {
  double e[N];
  for (int j = 0; j < p->n; j++) e[j] = (z[l * p->n + j] - exact(p, j, l, t)) / p->unit[j];
  for (int i = 0; i < p->n; i++) {
    u[i] = 0;
    for (int j = 0; j < p->n; j++) u[i] += Q[i * N + j] * e[j];
  }
}

static int force(double t, const double *z, const double *y, double *f, void *ctx) {
  const linear *p = ctx;
  double Q[N * N], v[N] = {0}, u[N];
  frame(p, t, Q);
  for (int l = 0; l < p->m; l++) {
    coordinates(p, Q, t, z, l, u);
    for (int i = 0; i < p->n; i++) v[i] += p->a[l][i] * u[i];
    if (l == 0 && p->connect >= 0) v[0] += u[p->connect];
  }
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->ny && y; k++)
      v[i] -= p->C[i * Y + k] * (y[k] - exact_y(p, k, t)) / p->y_unit[k];
  back(p, Q, v, f);
  for (int j = 0; j < p->n; j++) f[j] += exact(p, j, p->m, t);
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  const linear *p = ctx;
  double Q[N * N], u[N];
  frame(p, t, Q);
  coordinates(p, Q, t, z, 0, u);
  for (int r = 0; r < p->ny; r++) {
    g[r] = 0;
    for (int k = 0; k < p->nc; k++) g[r] += p->S[r * Y + k] * u[k];
  }
  return 0;
}

/* g^(level) = S [I 0] sum_k binomial(level, k) Q^(k) D^-1 e^(level - k), at the highest level
   without x^(m) */
static int rate(double t, const double *z, int level, double *out, void *ctx) {
  const linear *p = ctx;
  double Q[N * N], sum[N] = {0}, binomial = 1;
  for (int k = 0; k <= level; k++) {
    int l = level - k;
    turned(p, t, k, Q);
    for (int j = 0; j < p->n; j++) {
      double e = ((l < p->m ? z[l * p->n + j] : 0) - exact(p, j, l, t)) / p->unit[j];
      for (int i = 0; i < p->nc; i++) sum[i] += binomial * Q[i * N + j] * e;
    }
    binomial = binomial * (level - k) / (k + 1);
  }
  for (int r = 0; r < p->ny; r++) {
    out[r] = 0;
    for (int k = 0; k < p->nc; k++) out[r] += p->S[r * Y + k] * sum[k];
  }
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  const linear *p = ctx;
  double Q[N * N];
  (void)z;
  frame(p, t, Q);
  for (int r = 0; r < p->ny; r++)
    for (int k = 0; k < p->nc; k++)
      for (int j = 0; j < p->n; j++) G[r * p->n + j] += p->S[r * Y + k] * Q[k * N + j] / p->unit[j];
  return 0;
}

static int couple(double t, const double *z, const double *y, double *B, void *ctx) {
  const linear *p = ctx;
  double Q[N * N], column[N] = {0}, out[N];
  (void)z, (void)y;
  frame(p, t, Q);
  for (int k = 0; k < p->ny; k++) {
    for (int i = 0; i < p->n; i++) column[i] = p->C[i * Y + k] / p->y_unit[k];
    back(p, Q, column, out);
    for (int j = 0; j < p->n; j++) B[j * p->ny + k] = out[j];
  }
  return 0;
}

/* df/dz = D Q' [diag(a_0) .. ] Q D^-1 */
static int force_z(double t, const double *z, const double *y, double *J, void *ctx) {
  const linear *p = ctx;
  double Q[N * N], v[N], out[N];
  (void)z, (void)y;
  frame(p, t, Q);
  for (int l = 0; l < p->m; l++)
    for (int j = 0; j < p->n; j++) {
      for (int i = 0; i < p->n; i++) v[i] = p->a[l][i] * Q[i * N + j];
      if (l == 0 && p->connect >= 0) v[0] += Q[p->connect * N + j];
      back(p, Q, v, out);
      for (int i = 0; i < p->n; i++) J[i * p->m * p->n + l * p->n + j] = out[i] / p->unit[j];
    }
  return 0;
}

static int ode_f(double t, const double *z, double *f, void *ctx) {
  return force(t, z, NULL, f, ctx);
}
static int ode_f_z(double t, const double *z, double *J, void *ctx) {
  return force_z(t, z, NULL, J, ctx);
}

/* mechanical: M = D^-2, so that M^-1 G' lambda stays in units; f = M x'' of the above + G' y* */
static int mass(double t, const double *q, double *A, void *ctx) {
  const linear *p = ctx;
  (void)t, (void)q;
  for (int j = 0; j < p->n; j++) A[j] = 1 / (p->unit[j] * p->unit[j]);
  return 0;
}

static int mech_force(double t, const double *q, const double *v, double *f, void *ctx) {
  const linear *p = ctx;
  double z[2 * N], G[Y * N] = {0};
  memcpy(z, q, (size_t)p->n * sizeof *z);
  memcpy(z + p->n, v, (size_t)p->n * sizeof *z);
  force(t, z, NULL, f, ctx);
  gradient(t, q, G, ctx);
  for (int j = 0; j < p->n; j++) {
    f[j] /= p->unit[j] * p->unit[j];
    for (int r = 0; r < p->ny; r++) f[j] += G[r * p->n + j] * exact_y(p, r, t);
  }
  return 0;
}

/* ---- making one ---- */

static void orthogonal(exam *e, int n, double *P) {
  memset(P, 0, N * N * sizeof *P);
  for (int i = 0; i < n; i++) {
    double *row = P + i * N;
    for (;;) {
      for (int j = 0; j < n; j++) row[j] = exam_real(e, -1, 1);
      for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < i; k++) {
          double dot = 0;
          for (int j = 0; j < n; j++) dot += row[j] * P[k * N + j];
          for (int j = 0; j < n; j++) row[j] -= dot * P[k * N + j];
        }
      double length = 0;
      for (int j = 0; j < n; j++) length += row[j] * row[j];
      if (length < 0.01) continue;
      for (int j = 0; j < n; j++) row[j] /= sqrt(length);
      break;
    }
  }
}

/* coefficients of u^(m) = sum a_l u^(l) with the roots asked for; the largest rate */
static double rates(exam *e, linear *p, int i, int kind, double *growth) {
  double r = exam_real(e, 0.3, 2), fast = kind == 1 ? exam_scale(e, 50, p->m == 1 ? 1e6 : 3e3) : r;
  for (int l = 0; l < p->m; l++) p->a[l][i] = 0;
  if (kind == 3) *growth = fmax(*growth, r);
  if (p->m == 1) p->a[0][i] = kind == 3 ? r : -fast;
  if (p->m == 2 && kind == 2) {
    double w = exam_scale(e, 1, 60);
    p->a[0][i] = -w * w;
    return w;
  }
  /* (s + r)(s + fast)..., growing: (s - r)(s + r) */
  if (p->m == 2) {
    double q = kind == 3 ? -r : fast;
    p->a[0][i] = -r * q, p->a[1][i] = -(r + q);
  }
  if (p->m == 3) p->a[0][i] = -r * r * r, p->a[1][i] = -3 * r * r, p->a[2][i] = -3 * r;
  if (p->m == 4) {
    p->a[0][i] = -r * r * r * r, p->a[1][i] = -4 * r * r * r;
    p->a[2][i] = -6 * r * r, p->a[3][i] = -4 * r;
  }
  return fast;
}

static void make(exam *e, linear *p, double *rate, double *growth, bool *stiff) {
  memset(p, 0, sizeof *p);
  p->shape = (shape)exam_int(e, 0, SHAPES - 1);
  bool wrong = p->shape == WRONG;
  p->m = p->shape <= INVARIANT ? 1 : p->shape == MECHANICAL ? 2 : exam_int(e, 1, wrong ? 2 : 4);
  p->n = exam_int(e, 3, 5);
  p->nc = p->shape == ODE ? 0 : exam_int(e, 1, 2);
  p->ny = p->nc + (p->nc > 0 && !wrong && p->shape != INVARIANT && exam_chance(e, 0.25));
  p->derivatives = exam_chance(e, 0.5);
  p->connect = -1;
  orthogonal(e, p->n, p->P);
  if (exam_chance(e, 0.5) && p->shape != INVARIANT) p->rate = exam_real(e, -1, 1);
  p->phase = exam_real(e, 0, 6);
  p->plane[0] = exam_int(e, 0, p->n - 1), p->plane[1] = (p->plane[0] + 1) % p->n;
  bool units = exam_chance(e, 0.4);
  for (int i = 0; i < p->n; i++) {
    p->unit[i] = units ? exam_scale(e, 1e-3, 1e3) : 1;
    p->c[i] = exam_real(e, -1, 1), p->w[i] = exam_real(e, 0.3, 2.5), p->f[i] = exam_real(e, 0, 6);
  }
  for (int k = 0; k < p->ny; k++) {
    p->y_unit[k] = units && p->shape != MECHANICAL ? exam_scale(e, 1e-4, 1e4) : 1;
    p->cy[k] = exam_real(e, -1, 1);
    double row = units ? exam_scale(e, 1e-6, 1e6) : 1;
    if (p->shape == MECHANICAL) row = 1;
    for (int j = 0; j < p->nc; j++)
      p->S[k * Y + j] = row * (k >= p->nc ? exam_real(e, -1, 1)
                               : k == j   ? 1
                                          : 0.3 * exam_real(e, -1, 1));
    for (int i = 0; i < p->n; i++)
      p->C[i * Y + k] = exam_real(e, -0.3, 0.3) + (i == k % (p->nc > 0 ? p->nc : 1) ? 1 : 0);
  }
  /* a constraint that is stated twice has a multiplier that acts as the others do, or the motion
     would not be determined */
  for (int k = p->nc; k < p->ny && p->nc > 0; k++)
    for (int i = 0; i < p->n; i++) {
      p->C[i * Y + k] = 0;
      for (int j = 0; j < p->nc; j++) p->C[i * Y + k] += (0.4 + 0.3 * j) * p->C[i * Y + j];
    }
  int kind = exam_int(e, 0, 3);
  *rate = 1, *growth = 0;
  for (int i = 0; i < p->n; i++) {
    /* the constraints hold the first ones: their rates never show */
    double r = rates(e, p, i, i < p->nc ? 0 : kind, growth);
    *rate = fmax(*rate, r);
  }
  *stiff = kind == 1 && p->m <= 2;
  if (wrong) {
    /* u_1 is reached through the last coordinate only */
    p->rate = 0;
    p->connect = p->n - 1;
    for (int i = 0; i < p->n; i++) p->C[i * Y + 0] = i == p->n - 1;
    for (int k = 1; k < p->ny; k++) p->C[k] = 0;
    for (int l = 0; l < p->m; l++) p->a[l][0] = 0;
    memset(p->S, 0, sizeof p->S);
    for (int k = 0; k < p->ny; k++) p->S[k * Y + k] = 1;
  }
  snprintf(e->kind, sizeof e->kind, "%s", shape_name[p->shape]);
}

static void state(dae_problem *q, const linear *p) {
  bool d = p->derivatives;
  q->ctx = (void *)p;
  if (p->shape <= INVARIANT) {
    q->kind = DAE_ODE;
    q->ode = (dae_ode){.n = p->n, .nh = p->nc, .f = ode_f, .f_z = d ? ode_f_z : NULL};
    if (p->nc > 0) q->ode.h = constraint, q->ode.h_z = d ? gradient : NULL;
  } else if (p->shape == MECHANICAL) {
    q->kind = DAE_MECHANICAL;
    q->mechanical = (dae_mechanical){.nq = p->n,
                                     .ng = p->ny,
                                     .mass = mass,
                                     .mass_kind = DAE_MASS_DIAGONAL,
                                     .mass_constant = true,
                                     .force = mech_force,
                                     .g = constraint,
                                     .G = d ? gradient : NULL};
  } else {
    q->kind = DAE_HESSENBERG;
    q->hessenberg = (dae_hessenberg){.order = p->m,
                                     .nx = p->n,
                                     .ny = p->ny,
                                     .f = force,
                                     .g = constraint,
                                     .G = d ? gradient : NULL,
                                     .B = d ? couple : NULL,
                                     .f_z = d ? force_z : NULL};
    /* differences of differences are for low orders */
    if (p->m > 2 || (d && p->m == 2)) q->hessenberg.g_rate = rate;
  }
}

static exam_verdict judge(exam *e, const linear *p, dae_status status, const dae_report *r,
                          const char *what, double error, double bound) {
  if (p->shape == WRONG && status == DAE_E_INDEX) {
    /* the right index, or none: never a wrong one */
    char index[40];
    snprintf(index, sizeof index, "index is %d", 2 * p->m + 1);
    bool told = strstr(r->message, index) || !strstr(r->message, "the index is ");
    told = told || strstr(r->message, "the index is not ");
    return exam_say(e, told ? EXAM_REFUSED : EXAM_DEFECT, "%s: %s", what, r->message);
  }
  if (status != DAE_OK)
    return exam_say(e, status == DAE_E_FORM ? EXAM_REFUSED : EXAM_DEFECT, "%s: %s: %s", what,
                    dae_status_name(status), r->message);
  return exam_say(e, p->shape != WRONG && error <= bound ? EXAM_RIGHT : EXAM_DEFECT,
                  "%s: ok, error %.2g of %.2g allowed", what, error, bound);
}

static exam_verdict exam_case(exam *e) {
  static const char *const soft[] = {"auto", "auto", "auto", "dopri5", "radau5", "bdf"};
  static const char *const hard[] = {"auto", "auto", "auto", "auto", "radau5", "bdf"};
  linear p;
  double rate, growth, z[N * M], y[Y] = {0};
  bool stiff;
  make(e, &p, &rate, &growth, &stiff);
  dae_problem q = {0};
  dae_options o = dae_options_default();
  state(&q, &p);
  double tol = exam_scale(e, 1e-8, 1e-4), t0 = exam_real(e, -1, 1), t1 = t0 + exam_real(e, 0.5, 3);
  double least = 1;
  for (int i = 0; i < p.n; i++) least = fmin(least, p.unit[i]);
  /* the smallest unit takes three digits, and differences of second order leave 1e-10 */
  if (least < 1) tol = fmax(tol, 1e-6);
  o.rtol = tol, o.atol = tol * least;
  o.method = (stiff ? hard : soft)[exam_int(e, 0, 5)];
  /* of low order: for rough tolerances and low index */
  if (strcmp(o.method, "bdf") == 0 && (tol < 1e-6 || p.m > 2)) o.method = "auto";
  for (int l = 0; l < p.m; l++)
    for (int j = 0; j < p.n; j++) z[l * p.n + j] = exact(&p, j, l, t0);
  double start[N * M];
  memcpy(start, z, sizeof start);
  bool inside = exam_chance(e, 0.5);
  if (inside) q.z0 = start, q.t0 = t0, q.t1 = t1;
  /* a form by name, which the method may refuse */
  static const char *const form[] = {"index1",    "index2",        "ggl",
                                     "invariant", "invariant-all", "invariant-balanced"};
  if (p.ny > 0 && p.m < 4 && exam_chance(e, 0.25)) o.form = form[exam_int(e, 0, 5)];
  dae_report r;
  dae_stats stats;
  dae_status status = dae_solve(&q, &o, t0, t1, z, y, &r, &stats);
  double error = 0;
  for (int l = 0; l < p.m; l++)
    for (int j = 0; j < p.n; j++)
      error = fmax(error,
                   fabs(z[l * p.n + j] - exact(&p, j, l, t1)) / p.unit[j] / (1 + (l > 0) * rate));
  char what[200];
  snprintf(what, sizeof what, "n %d nc %d ny %d m %d rate %.2g growth %.2g %s %s tol %.1e%s%s%s",
           p.n, p.nc, p.ny, p.m, rate, growth, o.form, o.method, tol,
           p.derivatives ? " derivatives" : "", inside ? " inside" : "",
           p.rate != 0 ? " turning" : "");
  /* a hundred tolerances, times what the problem itself makes of an error; x is of size 3 */
  return judge(e, &p, status, &r, what, error, 100 * 3 * tol * exp(growth * (t1 - t0)) + 1e-11);
}

EXAM_MAIN("linear")
