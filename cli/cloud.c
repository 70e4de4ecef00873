/* where a long path has been: a sheet of cells that grows with it */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* azimuth -60 degrees, elevation 25: u to the right, v up */
const double cli_space_view[2][3] = {{0.8660254037844386, 0.5, 0},
                                     {-0.2113091308703497, 0.3659981507706668, 0.9063077870366499}};

static void map(const cli_cloud *c, const double *x, double *u) {
  for (int i = 0; i < 2; i++)
    u[i] = c->map[i][0] * x[0] + c->map[i][1] * x[1] + c->map[i][2] * x[2];
}

/* cells of one axis become twice as long; the sheet grows upward, or downward */
static void grow(cli_cloud *c, int axis, bool down) {
  enum { N = CLI_CLOUD };
  static const int half = N / 2;
  unsigned char(*old)[N] = cli_take(N, sizeof *old);
  memcpy(old, c->count, sizeof c->count);
  memset(c->count, 0, sizeof c->count);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int k = (axis == 0 ? j : i) / 2 + (down ? half : 0);
      unsigned char *to = axis == 0 ? &c->count[i][k] : &c->count[k][j];
      if (old[i][j] > *to) *to = old[i][j];
    }
  if (down) c->low[axis] -= N * c->cell[axis];
  c->cell[axis] *= 2;
  free(old);
}

static void include(cli_cloud *c, const double *u) {
  enum { MOST = 60 };
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < MOST; k++) {
      bool down = u[i] < c->low[i];
      if (!down && u[i] < c->low[i] + CLI_CLOUD * c->cell[i]) break;
      grow(c, i, down);
    }
}

void cli_cloud_line(cli_cloud *c, const double *from, const double *to) {
  double a[2], b[2];
  map(c, from, a);
  map(c, to, b);
  if (!isfinite(a[0] + a[1] + b[0] + b[1])) return;
  include(c, a);
  include(c, b);
  double way = fmax(fabs(b[0] - a[0]) / c->cell[0], fabs(b[1] - a[1]) / c->cell[1]);
  int steps = (int)fmin(way, 2 * CLI_CLOUD) + 1, last_i = -1, last_j = -1;
  for (int k = 1; k <= steps; k++) {
    int j = (int)((a[0] + (b[0] - a[0]) * k / steps - c->low[0]) / c->cell[0]);
    int i = (int)((a[1] + (b[1] - a[1]) * k / steps - c->low[1]) / c->cell[1]);
    if (i < 0 || i >= CLI_CLOUD || j < 0 || j >= CLI_CLOUD || (i == last_i && j == last_j))
      continue;
    if (c->count[i][j] < 255) c->count[i][j]++;
    last_i = i;
    last_j = j;
  }
}

bool cli_equal_scales(bool wanted, int dimensions, const double *range) {
  enum { MOST = 12 };
  double least = INFINITY, most = 0;
  for (int k = 0; k < dimensions; k++) {
    least = fmin(least, range[k] > 0 ? range[k] : INFINITY);
    most = fmax(most, range[k]);
  }
  return wanted && most > 0 && most < MOST * least;
}

/* in space every axis is measured by what the path has filled so far, unless all have one scale */
static void choose_map(cli_cloud *c, const cli_path *p) {
  double range[3];
  for (int k = 0; k < 3; k++) range[k] = p->high[k] - p->low[k];
  bool equal = cli_equal_scales(p->wanted, 3, range);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      c->map[i][k] = p->dimensions == 2
                         ? i == k
                         : cli_space_view[i][k] / (!equal && range[k] > 0 ? range[k] : 1);
}

cli_cloud *cli_cloud_new(const cli_path *p) {
  cli_cloud *c = cli_take(1, sizeof *c);
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, u[2];
  choose_map(c, p);
  for (int i = 0; i < p->count; i++) {
    map(c, p->point[i], u);
    for (int k = 0; k < 2; k++) low[k] = fmin(low[k], u[k]), high[k] = fmax(high[k], u[k]);
  }
  for (int k = 0; k < 2; k++) {
    double range = high[k] - low[k], margin = range > 0 ? range / 20 : 1;
    c->low[k] = low[k] - margin;
    c->cell[k] = (range + 2 * margin) / CLI_CLOUD;
  }
  for (int i = 1; i < p->count; i++) cli_cloud_line(c, p->point[i - 1], p->point[i]);
  return c;
}
