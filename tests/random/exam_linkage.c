/* class linkage: closed loops, redundant constraints and change points, in any units
   exam: 80 8000
   mended: 500008 500260 500479 501247 501873 */
#include "exam.h"
#include "linkage.h"

#define PI 3.14159265358979323846

/* lengths that make the change points of the type exact */
static void draw_sizes(exam *e, linkage_type type, double *s) {
  s[0] = exam_real(e, 2, 5);
  s[1] = exam_real(e, 0.4, 1.5);
  switch (type) {
    case FOUR_BAR: /* 4-bit lengths: their sums are exact, so that the change point is */
      s[1] = exam_int(e, 4, 16) / 16.0;
      s[3] = exam_int(e, 24, 48) / 16.0;
      s[2] = exam_int(e, 24, 48) / 16.0;
      s[0] = s[2] + s[3] - s[1];
      break;
    case FOUR_BAR_INNER:
      s[1] = exam_int(e, 4, 16) / 16.0;
      s[3] = exam_int(e, 20, 48) / 16.0;
      s[0] = s[1] + exam_int(e, 8, 24) / 16.0;
      s[2] = s[0] - s[1] + s[3];
      break;
    case KITE: s[2] = s[1], s[3] = s[0]; break;
    case RHOMBUS: s[0] = s[2] = s[3] = s[1]; break;
    case TRAIN: s[2] = s[0] + exam_real(e, 1, 3), s[3] = 0; break;
    case TRIANGLE: s[2] = exam_real(e, 0.5, 2), s[3] = exam_real(e, 0.7, 2); break;
    default: s[2] = s[0], s[3] = s[1]; break;
  }
}

/* three orthogonal unit vectors, or a rotation in the plane */
static void draw_frame(exam *e, linkage *k) {
  double a = exam_real(e, 0, 2 * PI), b = k->dim == 3 ? exam_real(e, 0.1, 3) : 0,
         c = k->dim == 3 ? exam_real(e, 0, 2 * PI) : 0;
  double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
  double f[3][3] = {{ca * cc - sa * cb * sc, sa * cc + ca * cb * sc, sb * sc},
                    {-ca * sc - sa * cb * cc, -sa * sc + ca * cb * cc, sb * cc},
                    {sa * sb, -ca * sb, cb}};
  memcpy(k->frame, f, sizeof f);
}

/* a copy of a row, or a sum of two: nothing new, but one constraint too many */
static void add_redundant(exam *e, linkage *k) {
  int i = exam_int(e, 0, k->rows - 1), j = exam_int(e, 0, k->rows - 1);
  k->row[k->rows++] = (linkage_row){
      SUM, i, j, {exam_real(e, 0.5, 2), exam_chance(e, 0.5) ? exam_real(e, -2, 2) : 0, 0}, 0};
}

typedef struct wanted {
  bool redundant, on_it, stop_on_it, rest;
  const char *form, *method;
} wanted;

/* mostly what auto chooses; else a form and a method by name */
static void draw_options(exam *e, wanted *w) {
  static const char *const form[] = {"index1", "index2",        "baumgarte",          "attract",
                                     "ggl",    "invariant-all", "invariant-balanced", "state-space",
                                     "auto",   "embed"};
  static const char *const method[] = {"auto",   "dopri5", "radau3", "radau5",  "gauss4",
                                       "sdirk3", "bdf",    "herk4",  "lobatto4"};
  w->form = w->method = "auto";
  if (exam_chance(e, 0.7)) return;
  /* embed starts off the constraints, and knows of no position to start on */
  w->form = form[exam_int(e, 0, w->on_it ? 8 : 9)];
  w->method = method[exam_int(e, 0, 8)];
}

static linkage draw(exam *e, wanted *w) {
  linkage k = {.dim = exam_chance(e, 0.4) ? 3 : 2, .length = 1, .weight = 1, .time = 1};
  k.parts = 0;
  int parts = exam_chance(e, 0.2) ? 2 : 1;
  char *kind = e->kind;
  for (int i = 0; i < parts; i++) {
    linkage_type type = (linkage_type)exam_int(e, 0, k.dim == 3 ? PENDULUM : LEMNISCATE);
    if (parts == 2 && k.points + 3 > POINTS) type = PENDULUM;
    if (k.dim == 2 && exam_chance(e, 0.1)) type = TRIANGLE;
    double size[4];
    draw_sizes(e, type, size);
    linkage_add(&k, type, size, exam_real(e, 0.2, 6),
                exam_real(e, 0.3, 4) * (exam_chance(e, 0.5) ? 1 : -1));
    kind += snprintf(kind, sizeof e->kind - (size_t)(kind - e->kind), "%s%s", i ? "+" : "",
                     linkage_name[type]);
  }
  for (int i = 0; i < POINTS; i++) k.mass[i] = exam_real(e, 0.3, 3);
  double strength = exam_chance(e, 0.2) ? 0 : exam_real(e, 1, 10), down = exam_real(e, 0, 2 * PI);
  k.gravity[0] = strength * cos(down), k.gravity[1] = strength * sin(down);
  k.gravity[2] = k.dim == 3 ? exam_real(e, -1, 1) : 0;
  draw_frame(e, &k);
  linkage_flat(&k);
  w->redundant = exam_chance(e, 0.3);
  if (w->redundant) add_redundant(e, &k);
  if (w->redundant && exam_chance(e, 0.3)) add_redundant(e, &k);
  if (exam_chance(e, 0.5)) {
    k.length = exam_scale(e, 1e-6, 1e6);
    k.weight = exam_scale(e, 1e-6, 1e6);
    k.time = exam_scale(e, 1e-6, 1e6);
  }
  w->on_it = exam_chance(e, 0.15) && !isnan(k.part[0].change[0]);
  if (w->on_it) k.part[0].angle = k.part[0].change[0];
  w->stop_on_it = exam_chance(e, 0.15);
  w->rest = !w->on_it && !w->stop_on_it && exam_chance(e, 0.1);
  for (int b = 0; b < k.parts && w->rest; b++) k.part[b].rate = 0;
  draw_options(e, w);
  return k;
}

/* how often the parts come through a change point until `time`: turning back is seen on a grid of a
   five hundredth. A passage at the end itself, as far as that is sure, may count or not: it goes to
   *doubtful */
static int passages(const linkage *k, double time, double unsure, int *doubtful) {
  int count = 0;
  *doubtful = 0;
  for (int b = 0; b < k->parts; b++) {
    linkage_part part = k->part[b];
    for (int i = 0; i < 500; i++) {
      real z[2] = {part.angle, part.rate}, before = z[0], margin = i == 499 ? unsure : 1e-6L;
      linkage_motion(k, &part, time / 500, z);
      for (int c = 0; c < 2; c++) {
        if (isnan(part.change[c])) continue;
        real low = fminl(before, z[0]), high = fmaxl(before, z[0]), turn = 2 * PI;
        /* a start within a per cent of it counts as one on it */
        real near = remainderl(z[0] - part.change[c], turn);
        if (fabsl(near) < margin ||
            (i == 0 && fabsl(remainderl(before - part.change[c], turn)) < 0.02L))
          ++*doubtful;
        else
          count += floorl((high - part.change[c]) / turn) != floorl((low - part.change[c]) / turn);
      }
      part.angle = (double)z[0], part.rate = (double)z[1];
    }
  }
  return count;
}

/* the time when the first part comes to a change point after `time`, by bisection; `time` when it
   does not within as long again */
static double next_change(const linkage *k, double time) {
  const linkage_part *part = &k->part[0];
  if (isnan(part->change[0])) return time;
  real z[2];
  linkage_motion(k, part, time, z);
  real turn = floorl((z[0] - part->change[0]) / (2 * PI));
  real low = part->change[0] + 2 * PI * turn, high = low + 2 * PI;
  linkage_motion(k, part, 2 * time, z);
  if (z[0] > low && z[0] < high) return time;
  real goal = z[0] >= high ? high : low, a = time, b = 2 * time;
  for (int i = 0; i < 60; i++) {
    real middle = 0.5L * (a + b);
    linkage_motion(k, part, middle, z);
    if ((z[0] > goal) == (goal == high)) b = middle;
    else a = middle;
  }
  return (double)b;
}

/* largest error of positions in lengths and of velocities in lengths per time */
static double error_of(const linkage *k, const double *z, const double *exact) {
  int n = k->dim * k->points;
  double most = 0;
  for (int i = 0; i < 2 * n; i++) {
    double unit = i < n ? k->length : k->length / k->time;
    double d = fabs(z[i] - exact[i]) / unit;
    if (!(d <= most)) most = d;
  }
  return most;
}

/* by how much errors of the start grow until `time`: both angle and rate of each part moved */
static double growth_of(const linkage *k, double time, const double *exact) {
  double most = 1, z[2 * COORDS];
  for (int which = 0; which < 2; which++) {
    linkage moved = *k;
    real motion[PARTS][2];
    for (int b = 0; b < k->parts; b++) {
      *(which ? &moved.part[b].rate : &moved.part[b].angle) += 1e-7;
      linkage_motion(&moved, &moved.part[b], time, motion[b]);
    }
    linkage_state(&moved, motion, z);
    most = fmax(most, error_of(k, z, exact) / 1e-7);
  }
  return most;
}

/* may a run end like this? A form by name, or a start at rest on the position, but no other */
static bool refused_rightly(const wanted *w, dae_status status, const char *message) {
  bool named = strcmp(w->form, "auto") != 0 || strcmp(w->method, "auto") != 0;
  /* the nonlinear equations of other forms have no unique solution with redundant constraints */
  if (named && (status == DAE_E_FORM || status == DAE_E_STEP || status == DAE_E_NEWTON ||
                status == DAE_E_LIMIT))
    return true;
  return named && (status == DAE_E_SINGULAR || status == DAE_E_RANK) && strstr(message, "singular");
}

static exam_verdict exam_case(exam *e) {
  wanted w;
  linkage k = draw(e, &w);
  bool named = strcmp(w.form, "auto") != 0 || strcmp(w.method, "auto") != 0;
  double time = exam_real(e, 1, 6), tol = pow(10, -exam_int(e, 4, named ? 8 : 13));
  if (w.stop_on_it) time = next_change(&k, time);
  real motion[PARTS][2];
  double z0[2 * COORDS], exact[2 * COORDS], z[2 * COORDS];
  for (int b = 0; b < k.parts; b++) motion[b][0] = k.part[b].angle, motion[b][1] = k.part[b].rate;
  linkage_state(&k, motion, z0);
  for (int b = 0; b < k.parts; b++) linkage_motion(&k, &k.part[b], time, motion[b]);
  linkage_state(&k, motion, exact);
  double growth = growth_of(&k, time, exact);
  /* 1000 tolerances, and what rounding leaves beside a change point, both grown with the motion */
  double allowed = (1000 * tol + 1e-9) * fmax(1, 0.1 * growth);
  /* its tolerance is for the coordinates that it chose; before it chooses others the rest of z
     follows them a hundred times as fast */
  if (strcmp(w.form, "state-space") == 0) allowed *= 100;
  int doubtful, passed = passages(&k, time, fmin(allowed, 0.1), &doubtful);
  dae_problem p = linkage_problem(&k, z0, time * k.time);
  dae_options o = dae_options_default();
  o.rtol = tol;
  o.atol = tol * k.length * fmin(1, 1 / k.time);
  o.form = w.form;
  o.method = w.method;
  o.gamma = 10 / k.time;
  o.max_steps = named ? 5000 : 100000; /* first orders take more: that is no news */
  dae_report report;
  dae_stats stats;
  memcpy(z, z0, sizeof z);
  dae_status status = dae_solve(&p, &o, 0, time * k.time, z, NULL, &report, &stats);
  double error = error_of(&k, z, exact);
  char about[240];
  snprintf(about, sizeof about,
           "dim %d tol %.0e units %.1e %.1e %.1e %s %s%s%s%s%s growth %.1e passed %ld of %d+%d, "
           "%ld steps",
           k.dim, tol, k.length, k.weight, k.time, w.form, w.method,
           w.redundant ? " redundant" : "", w.on_it ? " start-on" : "",
           w.stop_on_it ? " stop-on" : "", w.rest ? " rest" : "", growth, stats.singular_passed,
           passed, doubtful, stats.steps);
  if (status != DAE_OK)
    return exam_say(e, refused_rightly(&w, status, report.message) ? EXAM_REFUSED : EXAM_DEFECT,
                    "%s: status %d, %s", about, status, report.message);
  /* of two linkages both may come through at nearly the same time */
  bool counted = (stats.singular_passed >= passed || k.parts > 1) &&
                 stats.singular_passed <= passed + doubtful;
  /* beside the constraints embed has no singular positions of its own */
  counted = counted || strcmp(w.form, "embed") == 0;
  return exam_say(e, error <= allowed && counted ? EXAM_RIGHT : EXAM_DEFECT,
                  "%s: error %.2e, allowed %.2e", about, error, allowed);
}

EXAM_MAIN("linkage")
