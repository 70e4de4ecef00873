/* what the plot needs: curves and paths, in memory that does not grow with the run */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cli_curve *new_curve(const char *name) {
  cli_curve *c = cli_take(1, sizeof *c);
  c->name = name;
  return c;
}

/* the bright curves are spread evenly over a long list, the pale ones fill in between */
static void choose_variables(cli_record *r) {
  int n = r->model->nx, bright = n < CLI_BRIGHT ? n : CLI_BRIGHT;
  int all = n < CLI_CURVES ? n : CLI_CURVES;
  for (int i = 0; i < bright; i++)
    r->variable[i] = bright > 1 ? (int)((long)i * (n - 1) / (bright - 1)) : 0;
  int count = bright;
  for (int i = 0; i < all && count < all; i++) {
    int v = all > 1 ? (int)((long)i * (n - 1) / (all - 1)) : 0;
    bool taken = false;
    for (int k = 0; k < bright; k++) taken = taken || r->variable[k] == v;
    if (!taken) r->variable[count++] = v;
  }
  r->n_bright = bright;
  r->n_curve = count;
  for (int i = 0; i < count; i++) r->curve[i] = new_curve(r->model->z_name[r->variable[i]]);
}

static int find_variable(const cli_model *m, const char *name) {
  for (int i = 0; i < m->nx; i++)
    if (strcmp(m->z_name[i], name) == 0) return i;
  return -1;
}

static void add_path(cli_record *r, int x, int y) {
  cli_path *p = cli_take(1, sizeof *p);
  p->x = x;
  p->y = y;
  r->path[r->n_path++] = p;
}

/* points that move in a plane have coordinates x.. and y.. with the same ending */
static int plane_pairs(const cli_model *m, int pair[][2], int most) {
  int count = 0;
  for (int i = 0; i < m->nx && count < most; i++) {
    char partner[DAE_NAME_MAX];
    if (m->z_name[i][0] != 'x') continue;
    snprintf(partner, sizeof partner, "%s", m->z_name[i]);
    partner[0] = 'y';
    int k = find_variable(m, partner);
    if (k < 0) continue;
    pair[count][0] = i;
    pair[count++][1] = k;
  }
  return count;
}

static void choose_paths(cli_record *r) {
  enum { MOST = 4096 };
  const cli_model *m = r->model;
  int(*pair)[2] = cli_take(MOST, sizeof *pair);
  int count = plane_pairs(m, pair, MOST), shown = count < CLI_PATHS ? count : CLI_PATHS;
  r->plane = m->order > 1 && m->nx > 1;
  for (int i = 0; i < shown; i++) {
    int k = shown > 1 ? (int)((long)i * (count - 1) / (shown - 1)) : 0;
    add_path(r, pair[k][0], pair[k][1]);
  }
  int p1 = find_variable(m, "p1"), p2 = find_variable(m, "p2");
  if (count == 0 && p1 >= 0 && p2 >= 0) {
    add_path(r, p1, p2);
    r->plane = true;
  } else if (count == 0 && m->nz >= 2 && (m->nx == 2 || (m->nx == 1 && m->order > 1)))
    add_path(r, 0, 1);
  r->path_stride = 1;
  free(pair);
}

cli_record *cli_record_new(const cli_model *m, double t0, double t1) {
  cli_record *r = cli_take(1, sizeof *r);
  r->model = m;
  r->backward = t1 < t0;
  r->t0 = fmin(t0, t1);
  r->t1 = fmax(t0, t1);
  r->t_last = t0;
  /* a power of two, so that it ends at t1 - t0; a run backwards fills the axis from its end */
  r->span = r->backward ? t0 - t1 : (t1 - t0) / 64;
  choose_variables(r);
  choose_paths(r);
  for (int i = m->first_level; i < m->order; i++) r->drift[i] = new_curve(cli_level_name(m, i));
  r->step = new_curve("step size");
  return r;
}

static cli_bin merge(const cli_bin *a, const cli_bin *b) {
  if (!a->used) return *b;
  if (!b->used) return *a;
  cli_bin m = *a;
  m.last = b->last;
  if (b->low.v < m.low.v) m.low = b->low;
  if (b->high.v > m.high.v) m.high = b->high;
  return m;
}

static void halve(cli_curve *c) {
  for (int i = 0; i < CLI_BINS; i++)
    c->bin[i] = 2 * i < CLI_BINS ? merge(&c->bin[2 * i], &c->bin[2 * i + 1]) : (cli_bin){0};
}

/* a run that stops early still has fine bins: they become wider only as it goes on */
static void reach(cli_record *r, double t) {
  while (t > r->t0 + r->span && r->span < r->t1 - r->t0) {
    for (int i = 0; i < r->n_curve; i++) halve(r->curve[i]);
    for (int i = r->model->first_level; i < r->model->order; i++) halve(r->drift[i]);
    halve(r->step);
    r->span *= 2;
  }
}

static void add(const cli_record *r, cli_curve *c, double t, double v) {
  if (!isfinite(v)) return;
  int i = (int)((t - r->t0) / r->span * CLI_BINS);
  cli_bin *b = &c->bin[i < 0 ? 0 : i >= CLI_BINS ? CLI_BINS - 1 : i];
  cli_sample s = {t, v};
  if (!b->used) b->first = b->last = b->low = b->high = s;
  b->used = true;
  *(r->backward ? &b->first : &b->last) = s;
  if (v < b->low.v) b->low = s;
  if (v > b->high.v) b->high = s;
}

/* every other point goes when a path is full, and from then on every other one is taken */
static void thin_paths(cli_record *r) {
  for (int k = 0; k < r->n_path; k++) {
    cli_path *p = r->path[k];
    for (int i = 0; 2 * i < p->count; i++) memcpy(p->point[i], p->point[2 * i], sizeof p->point[i]);
    p->count = (p->count + 1) / 2;
  }
  r->path_stride *= 2;
}

void cli_record_point(cli_record *r, double t, const double *z) {
  reach(r, t);
  for (int i = 0; i < r->n_curve; i++) add(r, r->curve[i], t, z[r->variable[i]]);
  if (r->path_skip++ % r->path_stride == 0) {
    for (int k = 0; k < r->n_path; k++) {
      cli_path *p = r->path[k];
      if (!isfinite(z[p->x]) || !isfinite(z[p->y])) continue;
      p->point[p->count][0] = z[p->x];
      p->point[p->count++][1] = z[p->y];
    }
    if (r->n_path && r->path[0]->count >= CLI_PATH_POINTS) thin_paths(r);
  }
  r->t_last = fmax(r->t_last, t);
}

void cli_record_step(cli_record *r, double t, double h, const double *drift) {
  reach(r, t);
  for (int i = r->model->first_level; i < r->model->order; i++) add(r, r->drift[i], t, drift[i]);
  if (h != 0) {
    /* the step reaches from t-h to t: both ends, so that a single one is a line too */
    add(r, r->step, t - h, fabs(h));
    add(r, r->step, t, fabs(h));
    r->steps++;
  }
}

void cli_record_free(cli_record *r) {
  if (!r) return;
  for (int i = 0; i < r->n_curve; i++) free(r->curve[i]);
  for (int i = 0; i < r->n_path; i++) free(r->path[i]);
  for (int i = 0; i < DAE_ORDER_MAX; i++) free(r->drift[i]);
  free(r->step);
  free(r);
}

int cli_bin_points(const cli_bin *b, cli_sample *out) {
  int n = 0;
  if (!b->used) return 0;
  bool low_first = b->low.t <= b->high.t;
  cli_sample inner[2] = {low_first ? b->low : b->high, low_first ? b->high : b->low};
  out[n++] = b->first;
  for (int i = 0; i < 2; i++)
    if (inner[i].t > out[n - 1].t && inner[i].t < b->last.t) out[n++] = inner[i];
  if (b->last.t > out[n - 1].t || b->last.v != out[n - 1].v) out[n++] = b->last;
  return n;
}
