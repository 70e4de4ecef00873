/*
 * charged-particles: N particles on the unit sphere repel each other and come to rest (index 3).
 * Like the Fekete problem of the Test Set for IVP Solvers.
 *
 *   p_i'' = sum_j (p_i - p_j)/|p_i - p_j|^2 - damping p_i' - G'lambda,   0 = (|p_i|^2 - 1)/2
 */
#include "build.h"

#include <stdlib.h>

typedef struct charged_particles {
  dae_problem problem;
  int n;
  double damping;
  double *z0;
  void *z_name, *y_name;
} charged_particles;

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const charged_particles *p = ctx;
  (void)t;
  for (int i = 0; i < 3 * p->n; i++) f[i] = -p->damping * v[i];
  for (int i = 0; i < p->n; i++) {
    const double *a = q + 3 * i;
    double fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < i; j++) {
      const double *b = q + 3 * j;
      double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2],
             c = 1 / (dx * dx + dy * dy + dz * dz);
      fx += c * dx;
      fy += c * dy;
      fz += c * dz;
      f[3 * j] -= c * dx;
      f[3 * j + 1] -= c * dy;
      f[3 * j + 2] -= c * dz;
    }
    f[3 * i] += fx;
    f[3 * i + 1] += fy;
    f[3 * i + 2] += fz;
  }
  return 0;
}

/* J := J + sign df/dq; a pair adds K = (I - 2 d d'/|d|^2)/|d|^2 with signs + on its own, - on
   the other */
static void add_pairs(const charged_particles *p, const double *q, double sign, double *J) {
  int m = 3 * p->n;
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < i; j++) {
      double d[3], r2 = 0;
      for (int x = 0; x < 3; x++) {
        d[x] = q[3 * i + x] - q[3 * j + x];
        r2 += d[x] * d[x];
      }
      for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++) {
          double k = sign * ((x == y) - 2 * d[x] * d[y] / r2) / r2;
          J[(3 * i + x) * m + 3 * i + y] += k;
          J[(3 * j + x) * m + 3 * j + y] += k;
          J[(3 * i + x) * m + 3 * j + y] -= k;
          J[(3 * j + x) * m + 3 * i + y] -= k;
        }
    }
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)v;
  add_pairs(ctx, q, 1, J);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  const charged_particles *p = ctx;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < 3 * p->n; i++) J[i * (3 * p->n + 1)] = -p->damping;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const charged_particles *p = ctx;
  (void)t;
  for (int i = 0; i < p->n; i++, q += 3) g[i] = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const charged_particles *p = ctx;
  (void)t;
  for (int i = 0; i < p->n; i++)
    for (int x = 0; x < 3; x++) G[i * 3 * p->n + 3 * i + x] = q[3 * i + x];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const charged_particles *p = ctx;
  (void)t, (void)q;
  for (int i = 0; i < p->n; i++, v += 3) c[i] = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  return 0;
}

/* G is linear in q: G(q) v = G(v) q */
static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)q;
  return gradient(t, v, L, ctx);
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const charged_particles *p = ctx;
  (void)t, (void)v, (void)a;
  add_pairs(p, q, -1, J);
  for (int i = 0; i < 3 * p->n; i++) J[i * (3 * p->n + 1)] += y[i / 3];
  return 0;
}

static const gallery_parameter parameters[] = {
    {"n", 20, "number of particles", 2, 1000, true},
    {"damping", 0.5, "of the motion", 0, 0, false},
};

static void close_charged_particles(dae_problem *problem) {
  charged_particles *p = (charged_particles *)problem;
  free(p->z0);
  free(p->z_name);
  free(p->y_name);
  gallery_free(problem);
}

static const double z_0[] = {
    0.62641106572115834,    0.445719052942752003,   -0.63948706209422164,
    -0.124182098905249113,  -0.223677581674762548,  -0.966719786581208266,
    -0.44554698630922535,   -0.784006452672299234,  -0.432228834252141004,
    0.70199396771317134,    -0.253042294500643568,  -0.665713201377416373,
    -0.778773534740539264,  -0.166872874665497325,  -0.604702592427549714,
    0.373581021160797177,   -0.692335798232664862,  -0.617339746909264527,
    0.526121365998094657,   0.798306957133800868,   0.293090959314801711,
    -0.635900149403054577,  0.513836258180911545,   -0.575850067090221394,
    0.895526371922717396,   -0.277385119858914514,  -0.347979902396374704,
    -0.115146428087070724,  0.962646577815338423,   -0.245056863440317943,
    -0.801056658509473592,  0.58114035303607607,    -0.143471669435960357,
    0.567162380486523552,   -0.802305400529002639,  0.186099109194151006,
    -0.47819208882041835,   0.819647283488657277,   0.315453097716966188,
    -0.922122043636028161,  -0.254385303583767311,  0.291511670368631241,
    -0.119048192698334041,  -0.901254034329668695,  0.416615762327539266,
    0.180138295272507371,   0.514613403217966833,   0.838285893836188342,
    -0.298032981802835957,  -0.403224506891263567,  0.865208841147620146,
    0.162046522869921892,   -0.670687165062542775,  0.723822941779367327,
    0.91748449548221188,    0.11036516442538748,    0.382154067139299611,
    -0.264244439475487688,  0.211307671184401415,   0.941022818163784069,
    0.249602378039018957,   -0.156133107089218954,  0.135674662009593359,
    0.154518424434954695,   0.216321594060911404,   -0.069901034640468283,
    0.110315834063092531,   -0.0855542501885279011, 0.041469229657849691,
    -0.149548798021194462,  0.0454591665800930175,  -0.174978422639252961,
    0.229627197821397532,   0.244260242235883714,   -0.363133871192451692,
    0.133602001386459922,   0.0277011407941889361,  0.0497824428724119371,
    -0.21578656909402364,   0.143374695826255403,   -0.00316315679412168672,
    -0.218428719790303986,  -0.382062855578526513,  -0.0997115322777512287,
    -0.0658374249865436422, -0.0748937841880475802, -0.109732570094663167,
    -0.304565958900487824,  0.00143696299064781792, 0.148753106841984315,
    0.0150599629028054656,  0.0494656396676685176,  0.116277978816386693,
    0.0727965618071106011,  0.0218103497018225019,  -0.127829252034402259,
    0.110359900974150103,   0.0582914084844428017,  0.0158338497545003131,
    0.0117456799706548017,  0.121278477993169123,   0.142987115432445711,
    0.135455805137556671,   0.0961554753686178911,  0.246717210882117849,
    0.0373210322996016549,  -0.0571701282432646814, 0.0270761649316849952,
    0.333697868622839332,   -0.226464398571009199,  0.00940463732883393738,
    -0.583633893250246695,  -0.0660806990975414118, 0.0694318505069926472,
    0.0585848549301661655,  -0.236521576684853087,  -0.0723450454799130433,
    0.126600784830613593,   0.396879777255226719,   -0.0535695703379742781};
/* from tools/references.py */
static const dae_reference reference[] = {{2, z_0, NULL}};

static dae_problem *open_charged_particles(const double *par) {
  static const char *const z_format[] = {"x%d", "y%d", "z%d", "der(x%d)", "der(y%d)", "der(z%d)"};
  static const char *const y_format[] = {"lambda%d"};
  charged_particles *p = gallery_block(&gallery_charged_particles, sizeof *p, par);
  if (!p) return NULL;
  int n = p->n = (int)par[0];
  p->damping = par[1];
  p->z0 = calloc((size_t)(6 * n), sizeof *p->z0);
  const char **z_name = gallery_names(n, 2, 3, z_format),
             **y_name = gallery_names(n, 1, 1, y_format);
  p->z_name = z_name;
  p->y_name = y_name;
  if (!p->z0 || !z_name || !y_name) {
    close_charged_particles(&p->problem);
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    /* a spiral from pole to pole that crowds on one side */
    double h = (2 * i + 1.0) / n - 1, phi = 2.2 * i + 0.9 * sin(1.7 * i), r = sqrt(1 - h * h);
    p->z0[3 * i] = r * cos(phi);
    p->z0[3 * i + 1] = r * sin(phi);
    p->z0[3 * i + 2] = h;
  }
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 3 * n,
      .ng = n,
      .mass_constant = true,
      .force = force,
      .force_q = force_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 10;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.n_ref = gallery_is_default(&gallery_charged_particles, par) ? 1 : 0;
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_charged_particles = {
    "charged-particles",
    "particles on a sphere push each other away and come to rest",
    "after the Fekete problem, Test Set for IVP Solvers",
    2,
    parameters,
    open_charged_particles,
    close_charged_particles,
};
