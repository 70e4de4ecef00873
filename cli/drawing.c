/* the shapes of a mechanism along a run: drawn by the problem, or seen in it */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { BUDGET = 800000, MOST_SHAPES = 20000 };

struct cli_drawing {
  const cli_model *model;
  gallery_drawer *drawer; /* of the problem, or NULL */
  bool annotated;         /* the model text has a drawing */
  gallery_sheet sheet;    /* shapes of the last point; at the end those that are written */
  gallery_shape *shape;   /* of the first point: all others must agree */
  int n_shape, n_value, dims;
  cli_mechanism seen;
  /* of a mechanism that is seen: which coordinate each number of a point is, -1: none; NULL: no
     forces */
  int *force_of;
  double *forces; /* on all coordinates */
  double *column;
  cli_store store; /* what the shapes need */
  bool broken;     /* the shapes changed */
};

static void draw(cli_drawing *d, double t, const double *z, const double *y) {
  gallery_sheet_clear(&d->sheet);
  d->drawer(&d->sheet, &d->model->problem, t, z, y);
}

static void begin_drawn(cli_drawing *d) {
  const cli_model *m = d->model;
  draw(d, m->problem.t0, m->z0, m->y0);
  d->n_shape = d->sheet.n_shape;
  d->n_value = d->sheet.n_value;
  d->dims = d->sheet.dims;
  d->shape = cli_take((size_t)d->n_shape, sizeof *d->shape);
  memcpy(d->shape, d->sheet.shape, (size_t)d->n_shape * sizeof *d->shape);
}

/* the drawing of a model text */
static void begin_annotated(cli_drawing *d) {
  const dae_model_shape *shape;
  d->n_shape = dae_model_shapes(d->model->text, &shape, &d->dims);
  d->shape = cli_take((size_t)d->n_shape, sizeof *d->shape);
  for (int i = 0; i < d->n_shape; i++) {
    d->shape[i] = (gallery_shape){shape[i].kind, shape[i].n_point, shape[i].n_number};
    d->n_value += shape[i].n_point * d->dims + shape[i].n_number;
  }
}

/* forces of the constraints at points whose coordinates are all among those of the problem */
static void begin_forces(cli_drawing *d) {
  enum { MOST_POINTS = 200 };
  const cli_model *m = d->model;
  int n = d->seen.n_point * d->dims;
  if (d->seen.n_point > MOST_POINTS || m->problem.kind != DAE_MECHANICAL || m->ny == 0) return;
  d->forces = cli_take((size_t)m->nx, sizeof *d->forces);
  if (!gallery_constraint_force(&m->problem, m->problem.t0, m->z0, m->y0, d->forces)) return;
  d->force_of = cli_take((size_t)n, sizeof *d->force_of);
  for (int i = 0; i < n; i++) d->force_of[i] = cli_mechanism_coordinate(m, d->seen.point[i]);
  d->n_value *= 2;
}

cli_drawing *cli_drawing_new(const cli_model *m) {
  cli_drawing *d = cli_take(1, sizeof *d);
  d->model = m;
  d->drawer = m->text ? NULL : gallery_drawer_of(m->name);
  d->annotated = m->text && dae_model_shapes(m->text, NULL, NULL) > 0;
  d->column = cli_take((size_t)m->n_column, sizeof *d->column);
  if (d->drawer) {
    begin_drawn(d);
  } else if (d->annotated) {
    begin_annotated(d);
  } else if (cli_mechanism_see(&d->seen, m)) {
    d->dims = d->seen.dims;
    d->n_value = d->seen.n_point * d->dims;
    begin_forces(d);
  }
  if (d->n_value == 0) {
    cli_drawing_free(d);
    return NULL;
  }
  cli_store_init(&d->store, d->n_value, BUDGET);
  return d;
}

void cli_drawing_free(cli_drawing *d) {
  if (!d) return;
  gallery_sheet_free(&d->sheet);
  cli_mechanism_free(&d->seen);
  cli_store_free(&d->store);
  free(d->force_of);
  free(d->forces);
  free(d->shape);
  free(d->column);
  free(d);
}

/* the points, then the forces on them */
static void seen_values(const cli_drawing *d, double t, const double *z, const double *y,
                        double *value) {
  int n = d->seen.n_point * d->dims;
  for (int i = 0; i < n; i++) value[i] = d->column[d->seen.point[i]];
  if (!d->force_of) return;
  bool good = gallery_constraint_force(&d->model->problem, t, z, y, d->forces);
  for (int i = 0; i < n; i++)
    value[n + i] = good && d->force_of[i] >= 0 ? d->forces[d->force_of[i]] : 0;
}

void cli_drawing_point(cli_drawing *d, double t, const double *z, const double *y) {
  if (d->broken) return;
  if (d->drawer) {
    draw(d, t, z, y);
    d->broken = d->sheet.failed || d->sheet.n_shape != d->n_shape || d->sheet.n_value != d->n_value;
    if (!d->broken) cli_store_add(&d->store, t, d->sheet.value);
    return;
  }
  double *value = cli_take((size_t)d->n_value, sizeof *value);
  cli_model_columns(d->model, t, z, y, d->column);
  if (d->annotated) d->broken = dae_model_draw(d->model->text, t, d->column, value) != 0;
  else seen_values(d, t, z, y, value);
  if (!d->broken) cli_store_add(&d->store, t, value);
  free(value);
}

static const double *seen_at(const cli_drawing *d, long row, int point) {
  return d->store.value + row * d->store.columns + point * d->dims;
}

/* the distance of two points does not change along the run */
static bool keeps_length(const cli_drawing *d, cli_rod r) {
  double low = INFINITY, high = 0;
  for (long k = 0; k < d->store.rows; k++) {
    const double *a = seen_at(d, k, r.a), *b = seen_at(d, k, r.b);
    double sum = 0;
    for (int i = 0; i < d->dims; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    low = fmin(low, sqrt(sum));
    high = fmax(high, sqrt(sum));
  }
  return high > 0 && high - low < 1e-5 * high;
}

/* the unit gradient of constraint `row` with point `at` of the problem at p; false: none */
static bool direction_of(const cli_drawing *d, cli_rod r, const double *p, double t, double *q,
                         double *g, double *unit) {
  const dae_problem *problem = &d->model->problem;
  double size = 0;
  int place[3];
  for (int i = 0; i < d->dims; i++) {
    place[i] = -1;
    const char *name = d->model->column[d->seen.point[r.a * d->dims + i]];
    for (int k = 0; k < d->model->nx; k++)
      if (strcmp(d->model->z_name[k], name) == 0) place[i] = k;
    if (place[i] < 0) return false;
    q[place[i]] = p[i];
  }
  for (int i = 0; i < d->dims; i++) {
    double h = 1e-5 * (1 + fabs(p[i])), side[2];
    for (int k = 0; k < 2; k++) {
      q[place[i]] = p[i] + (k ? h : -h);
      if (problem->mechanical.g(t, q, g, problem->ctx) != 0) return false;
      side[k] = g[r.row];
    }
    q[place[i]] = p[i];
    unit[i] = (side[1] - side[0]) / (2 * h);
    size += unit[i] * unit[i];
  }
  for (int i = 0; i < d->dims; i++) unit[i] /= sqrt(size);
  return size > 0 && isfinite(size);
}

/* symmetric 2x2 or 3x3 system by elimination with the larger pivot first; false: singular */
static bool solve(int n, double A[3][3], double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    if (fabs(A[best][k]) < 1e-9) return false;
    for (int j = 0; j < n; j++) {
      double keep = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = keep;
    }
    double keep = b[k];
    b[k] = b[best];
    b[best] = keep;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return true;
}

/* the same distance from c at all samples, and not farther than the whole is wide times 20 */
static bool turns_around(const cli_drawing *d, cli_rod r, const double *c) {
  double low = INFINITY, high = 0, most = 0;
  for (long k = 0; k < d->store.rows; k++) {
    const double *p = seen_at(d, k, r.a);
    double sum = 0;
    for (int i = 0; i < d->dims; i++) {
      sum += (p[i] - c[i]) * (p[i] - c[i]);
      most = fmax(most, fabs(p[i]));
    }
    low = fmin(low, sqrt(sum));
    high = fmax(high, sqrt(sum));
  }
  return high > 0 && high - low < 1e-5 * high && high < 20 * most;
}

/*
 * The other end of a rod that is held: the gradients of its constraint, as lines through the point,
 * meet there. Least squares over some rows: sum (I - n n') c = sum (I - n n') p.
 */
static bool anchor_of(const cli_drawing *d, cli_rod r, double *c) {
  enum { SAMPLES = 9 };
  double A[3][3] = {{0}}, unit[3];
  const cli_model *m = d->model;
  double *q = cli_take((size_t)m->nx, sizeof *q);
  double *g = cli_take((size_t)m->problem.mechanical.ng, sizeof *g);
  bool good = true;
  memcpy(q, m->z0, (size_t)m->nx * sizeof *q);
  for (int i = 0; i < 3; i++) c[i] = 0;
  for (int s = 0; s < SAMPLES && good; s++) {
    long k = (d->store.rows - 1) * s / (SAMPLES - 1);
    const double *p = seen_at(d, k, r.a);
    good = direction_of(d, r, p, d->store.t[k], q, g, unit);
    for (int i = 0; i < d->dims; i++)
      for (int j = 0; j < d->dims; j++) {
        double part = (i == j) - unit[i] * unit[j];
        A[i][j] += part;
        c[i] += part * p[j];
      }
  }
  free(q);
  free(g);
  return good && solve(d->dims, A, c) && turns_around(d, r, c);
}

static void write_shape(cli_json *j, const char *kind, int n_point, int n, const int *at) {
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "k", kind);
  cli_json_count(j, "n", n_point);
  cli_json_raw(j, "a");
  for (int i = 0; i < n; i++) fprintf(j->out, "%s%d", i ? "," : "[", at[i]);
  fputc(']', j->out);
  cli_json_close(j, '}');
}

/* columns that hold the same numbers are written once: place[i] is where column i is found */
static int *places(const cli_store *s, int *count) {
  int *place = cli_take((size_t)s->columns, sizeof *place),
      *of = cli_take((size_t)s->columns, sizeof *of);
  uint64_t *sum = cli_take((size_t)s->columns, sizeof *sum);
  *count = 0;
  for (int i = 0; i < s->columns; i++) {
    sum[i] = CLI_CHECKSUM_BEGIN;
    for (long k = 0; k < s->rows; k++)
      sum[i] = cli_checksum(sum[i], (const char *)&s->value[k * s->columns + i], sizeof(double));
    place[i] = -1;
    for (int c = 0; c < *count && place[i] < 0; c++)
      if (sum[of[c]] == sum[i] && cli_store_same(s, of[c], i)) place[i] = c;
    if (place[i] >= 0) continue;
    of[*count] = i;
    place[i] = (*count)++;
  }
  free(of);
  free(sum);
  return place;
}

static void write_table(cli_json *j, const cli_store *s, const int *place, int constants,
                        const double *constant) {
  int next = 0;
  cli_store_open(j, "table", s);
  for (int i = 0; i < s->columns; i++) {
    if (place[i] != next) continue;
    next++;
    cli_json_open(j, NULL, '{');
    cli_store_column(j, s, i, false);
    cli_json_close(j, '}');
  }
  for (int i = 0; i < constants; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "c", constant[i]);
    cli_json_close(j, '}');
  }
  cli_store_close(j);
}

static void drawn_json(cli_json *j, const cli_drawing *d) {
  int count, *place = places(&d->store, &count), next = 0;
  int *at = cli_take((size_t)d->n_value, sizeof *at);
  cli_json_open(j, "shapes", '[');
  for (int i = 0; i < d->n_shape; i++) {
    int n = d->shape[i].n_point * d->dims + d->shape[i].n_number;
    for (int k = 0; k < n; k++) at[k] = place[next + k];
    next += n;
    write_shape(j, d->shape[i].kind, d->shape[i].n_point, n, at);
  }
  cli_json_close(j, ']');
  write_table(j, &d->store, place, 0, NULL);
  free(at);
  free(place);
}

static void copy_places(const cli_drawing *d, const int *place, int point, int *at) {
  for (int i = 0; i < d->dims; i++) at[i] = place[point * d->dims + i];
}

static void seen_json(cli_json *j, const cli_drawing *d) {
  const cli_mechanism *s = &d->seen;
  int count, *place = places(&d->store, &count), at[6], held = 0;
  double *anchor = cli_take(3 * (size_t)s->n_rod, sizeof *anchor);
  cli_json_open(j, "shapes", '[');
  for (int i = 0; i < s->n_rod; i++) {
    cli_rod r = s->rod[i];
    double *c = anchor + held * d->dims, centre[3];
    if (r.b < 0 ? !anchor_of(d, r, centre) : !keeps_length(d, r)) continue;
    copy_places(d, place, r.a, at);
    if (r.b >= 0) copy_places(d, place, r.b, at + d->dims);
    for (int k = 0; r.b < 0 && k < d->dims; k++) {
      c[k] = centre[k];
      at[d->dims + k] = count + held * d->dims + k;
    }
    write_shape(j, "line", 2, 2 * d->dims, at);
    if (r.b >= 0) continue;
    write_shape(j, "ground", 1, d->dims, at + d->dims);
    held++;
  }
  for (int i = 0; i < s->n_point; i++) {
    copy_places(d, place, i, at);
    write_shape(j, "circle", 1, d->dims, at);
    if (!d->force_of) continue;
    copy_places(d, place, s->n_point + i, at + d->dims);
    write_shape(j, "force", 2, 2 * d->dims, at);
  }
  cli_json_close(j, ']');
  write_table(j, &d->store, place, held * d->dims, anchor);
  free(anchor);
  free(place);
}

void cli_drawing_end(cli_drawing *d) {
  if (d) cli_store_end(&d->store);
}

bool cli_drawing_any(cli_drawing *d) {
  return d && !d->broken && d->store.rows > 0 && d->n_shape <= MOST_SHAPES;
}

void cli_drawing_json(cli_json *j, cli_drawing *d) {
  if (!cli_drawing_any(d)) return;
  cli_json_open(j, "draw", '{');
  cli_json_count(j, "dims", d->dims);
  if (d->drawer || d->annotated) drawn_json(j, d);
  else seen_json(j, d);
  cli_json_close(j, '}');
}
