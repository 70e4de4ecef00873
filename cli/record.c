/* what pictures need of a run: curves and paths, in memory that does not grow with it */
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cli_curve *new_curve(const char *name) {
  cli_curve *c = cli_take(1, sizeof *c);
  c->name = name;
  return c;
}

static cli_path *new_path(const cli_panel *panel) {
  cli_path *p = cli_take(1, sizeof *p);
  p->dimensions = panel->dimensions;
  p->wanted = panel->equal;
  for (int k = 0; k < 3; k++) {
    p->low[k] = k < p->dimensions ? INFINITY : 0;
    p->high[k] = k < p->dimensions ? -INFINITY : 0;
    p->last[k] = NAN;
  }
  return p;
}

cli_record *cli_record_new(const cli_panels *panels, int columns, double t0, double t1) {
  cli_record *r = cli_take(1, sizeof *r);
  r->panels = panels;
  r->backward = t1 < t0;
  r->t0 = fmin(t0, t1);
  r->t1 = fmax(t0, t1);
  r->t_first = r->t_last = t0;
  /* a power of two, so that it ends at t1 - t0; a run backwards fills the axis from its end */
  r->span = r->backward ? t0 - t1 : (t1 - t0) / 64;
  r->column = cli_take((size_t)columns, sizeof(double));
  for (int i = 0; i < panels->count; i++) r->n_trace += panels->panel[i].count;
  r->trace = cli_take((size_t)r->n_trace, sizeof *r->trace);
  cli_trace *t = r->trace;
  for (int i = 0; i < panels->count; i++) {
    const cli_panel *p = &panels->panel[i];
    for (int j = 0; j < p->count; j++, t++) {
      *t = (cli_trace){.panel = p, .series = &p->series[j]};
      if (p->dimensions > 1) t->path = new_path(p);
      else t->curve = new_curve(p->series[j].label);
      if (t->curve) t->curve->logarithmic = p->logarithmic[0];
    }
  }
  return r;
}

void cli_record_levels(cli_record *r, const cli_model *m) {
  r->first_level = m->first_level;
  r->levels = m->order;
  for (int i = m->first_level; i < m->order; i++) r->drift[i] = new_curve(cli_level_name(m, i));
  r->step = new_curve("step size");
  r->mesh = m->problem.boundary != NULL;
}

const cli_trace *cli_record_trace(const cli_record *r, int i, int j) {
  const cli_trace *t = r->trace;
  for (int k = 0; k < i; k++) t += r->panels->panel[k].count;
  return t + j;
}

/* ---- curves ---- */

static cli_bin merge(const cli_bin *a, const cli_bin *b) {
  if (!a->used) return *b;
  if (!b->used) return *a;
  cli_bin m = *a;
  m.last = b->last;
  m.broken = b->broken;
  if (b->low.v < m.low.v) m.low = b->low;
  if (b->high.v > m.high.v) m.high = b->high;
  return m;
}

static void halve(cli_curve *c) {
  for (int i = 0; c && !c->logarithmic && i < CLI_BINS; i++)
    c->bin[i] = 2 * i < CLI_BINS ? merge(&c->bin[2 * i], &c->bin[2 * i + 1]) : (cli_bin){0};
}

/* a run that stops early still has fine bins: they become wider only as it goes on */
static void reach(cli_record *r, double t) {
  while (t > r->t0 + r->span && r->span < r->t1 - r->t0) {
    for (int i = 0; i < r->n_trace; i++) halve(r->trace[i].curve);
    for (int i = r->first_level; i < r->levels; i++) halve(r->drift[i]);
    halve(r->step);
    r->span *= 2;
  }
}

/* place of a time among the bins, -1: it has none on a logarithmic axis */
static int place(const cli_record *r, cli_curve *c, double t) {
  double at = (t - r->t0) / r->span;
  if (c->logarithmic) {
    if (!(t > 0)) return -1;
    if (!(c->log_high > c->log_low)) {
      double low = r->backward || r->t0 > 0 ? fmax(r->t0, 1e-12 * r->t1) : t;
      c->log_low = log10(low);
      c->log_high = fmax(log10(r->t1), c->log_low + 1e-9);
    }
    at = (log10(t) - c->log_low) / (c->log_high - c->log_low);
  }
  if (!(at > 0)) return 0; /* also without an interval */
  return at < 1 ? (int)(at * CLI_BINS) : CLI_BINS - 1;
}

static void add(const cli_record *r, cli_curve *c, double t, double v) {
  int i = place(r, c, t);
  if (i < 0) return;
  cli_bin *b = &c->bin[i];
  if (!isfinite(v)) {
    b->broken = true;
    return;
  }
  cli_sample s = {t, v};
  if (!b->used) b->first = b->last = b->low = b->high = s;
  b->used = true;
  *(r->backward ? &b->first : &b->last) = s;
  if (v < b->low.v) b->low = s;
  if (v > b->high.v) b->high = s;
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

/* ---- paths ---- */

/* the point of a path; on logarithmic axes the exponents */
static void path_point(cli_trace *a, double t, const double *column) {
  cli_path *p = a->path;
  double x[3] = {0, 0, 0};
  bool known = true, first = isnan(p->last[0]);
  for (int k = 0; k < p->dimensions; k++) {
    double v = cli_series_value(a->series, k, t, column);
    x[k] = a->panel->logarithmic[k] ? (v > 0 ? log10(v) : NAN) : v;
    known = known && isfinite(x[k]);
  }
  for (int k = 0; k < 3; k++) {
    if (!known) x[k] = NAN;
    else {
      p->low[k] = fmin(p->low[k], x[k]);
      p->high[k] = fmax(p->high[k], x[k]);
    }
  }
  if (!known && (first || p->count == 0)) return;
  if (!p->cloud && p->count == CLI_PATH_POINTS) p->cloud = cli_cloud_new(p);
  if (!p->cloud) memcpy(p->point[p->count++], x, sizeof x);
  else if (known && !first) cli_cloud_line(p->cloud, p->last, x);
  memcpy(p->last, x, sizeof x);
}

/* ---- a run ---- */

static void record(cli_record *r, cli_trace *a, double t, const double *column) {
  if (a->path) path_point(a, t, column);
  else add(r, a->curve, t, cli_series_value(a->series, 0, t, column));
}

void cli_record_point(cli_record *r, double t, const double *column, const cli_piece *piece) {
  reach(r, t);
  for (int i = 0; i < r->n_trace; i++) {
    cli_trace *a = &r->trace[i];
    if (cli_series_rates(a->series)) {
      if (!piece) continue;
      cli_series_differentiate(a->series, piece, t, r->column);
    }
    record(r, a, t, column);
  }
  r->t_last = r->backward ? fmin(r->t_last, t) : fmax(r->t_last, t);
}

/* what begins with a derivative had no value before the first step */
static void first_rates(cli_record *r, const cli_piece *piece, double *column) {
  for (int i = 0; i < r->n_trace; i++) {
    cli_trace *a = &r->trace[i];
    if (!cli_series_rates(a->series)) continue;
    cli_series_differentiate(a->series, piece, piece->from, column);
    if (piece->columns(piece->of, piece->from, column)) record(r, a, piece->from, column);
  }
}

static bool has_rates(const cli_record *r) {
  for (int i = 0; i < r->n_trace; i++)
    if (cli_series_rates(r->trace[i].series)) return true;
  return false;
}

void cli_record_piece(cli_record *r, const cli_piece *piece, int parts, const double *end) {
  double from = piece->from, to = piece->to, *column = r->column;
  if (has_rates(r)) first_rates(r, piece, column);
  for (int i = 1; i <= parts; i++) {
    double t = i < parts ? from + (to - from) * i / parts : to;
    reach(r, t);
    for (int k = 0; k < r->n_trace; k++)
      if (cli_series_rates(r->trace[k].series))
        cli_series_differentiate(r->trace[k].series, piece, t, column);
    const double *here = i < parts || !end ? column : end;
    if (here == column && !piece->columns(piece->of, t, column)) continue;
    for (int k = 0; k < r->n_trace; k++) record(r, &r->trace[k], t, here);
  }
  r->t_last = r->backward ? fmin(r->t_last, to) : fmax(r->t_last, to);
}

void cli_record_step(cli_record *r, double t, double h, const double *drift) {
  reach(r, t);
  for (int i = r->first_level; i < r->levels; i++) add(r, r->drift[i], t, drift[i]);
  if (h != 0) {
    /* the step reaches from t-h to t: both ends, so that a single one is a line too */
    add(r, r->step, t - h, fabs(h));
    add(r, r->step, t, fabs(h));
    r->steps++;
  }
}

void cli_record_free(cli_record *r) {
  if (!r) return;
  for (int i = 0; i < r->n_trace; i++) {
    free(r->trace[i].curve);
    if (r->trace[i].path) free(r->trace[i].path->cloud);
    free(r->trace[i].path);
  }
  for (int i = 0; i < DAE_ORDER_MAX; i++) free(r->drift[i]);
  free(r->step);
  free(r->trace);
  free(r->column);
  free(r);
}

/* ---- checkpoints: all of it but the pointers, which are those of this record ---- */

static void curve_state(cli_state *s, cli_curve *c) {
  if (!c) return;
  const char *name = c->name;
  cli_state_bytes(s, c, sizeof *c);
  c->name = name;
}

static void path_state(cli_state *s, cli_path *p) {
  cli_cloud *cloud = p->cloud;
  bool clouded = cloud != NULL;
  cli_state_bytes(s, p, sizeof *p);
  cli_state_bytes(s, &clouded, sizeof clouded);
  p->cloud = cloud;
  if (clouded && !cloud) p->cloud = cli_take(1, sizeof *cloud);
  if (clouded) cli_state_bytes(s, p->cloud, sizeof *p->cloud);
}

void cli_record_state(cli_state *s, cli_record *r) {
  cli_record own = *r;
  cli_state_bytes(s, r, sizeof *r);
  r->panels = own.panels;
  r->trace = own.trace;
  r->step = own.step;
  r->column = own.column;
  memcpy(r->drift, own.drift, sizeof r->drift);
  r->n_trace = own.n_trace, r->first_level = own.first_level, r->levels = own.levels;
  for (int i = 0; i < r->n_trace; i++) {
    curve_state(s, r->trace[i].curve);
    if (r->trace[i].path) path_state(s, r->trace[i].path);
  }
  for (int i = r->first_level; i < r->levels; i++) curve_state(s, r->drift[i]);
  curve_state(s, r->step);
}
