/* columns of a run in memory that does not grow with it, and as base64 in json */
#include "report.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 500, MOST_ROWS = 20000, SMALL = 200000 };

void cli_store_init(cli_store *s, int columns, long budget) {
  long rows = columns > 0 ? budget / columns : MOST_ROWS;
  rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
  *s = (cli_store){.columns = columns, .room = rows, .stride = 1};
  /* one more row for the last point */
  s->t = cli_take((size_t)rows + 1, sizeof *s->t);
  s->value = cli_take((size_t)(rows + 1) * (size_t)columns, sizeof *s->value);
  s->since_low = cli_take((size_t)columns, sizeof *s->since_low);
  s->since_high = cli_take((size_t)columns, sizeof *s->since_high);
  s->last = cli_take((size_t)columns + 1, sizeof *s->last);
}

void cli_store_free(cli_store *s) {
  free(s->t);
  free(s->value);
  free(s->low);
  free(s->high);
  free(s->since_low);
  free(s->since_high);
  free(s->last);
  *s = (cli_store){0};
}

static double *row_of(const cli_store *s, double *list, long row) {
  return list + (size_t)row * (size_t)s->columns;
}

/* every other row goes; its extremes join those of the row behind it */
static void halve(cli_store *s) {
  size_t size = (size_t)s->columns * sizeof(double);
  if (!s->low) {
    s->low = cli_take((size_t)(s->room + 1) * (size_t)s->columns, sizeof *s->low);
    s->high = cli_take((size_t)(s->room + 1) * (size_t)s->columns, sizeof *s->high);
    memcpy(s->low, s->value, (size_t)s->rows * size);
    memcpy(s->high, s->value, (size_t)s->rows * size);
  }
  for (long k = 1; 2 * k < s->rows; k++) {
    double *low = row_of(s, s->low, k), *high = row_of(s, s->high, k);
    const double *gone_low = row_of(s, s->low, 2 * k - 1), *own_low = row_of(s, s->low, 2 * k);
    const double *gone_high = row_of(s, s->high, 2 * k - 1), *own_high = row_of(s, s->high, 2 * k);
    for (int i = 0; i < s->columns; i++) {
      low[i] = fmin(gone_low[i], own_low[i]);
      high[i] = fmax(gone_high[i], own_high[i]);
    }
    s->t[k] = s->t[2 * k];
    memcpy(row_of(s, s->value, k), row_of(s, s->value, 2 * k), size);
  }
  /* an even number of rows: the last one stays in the extremes of what comes */
  if (s->rows % 2 == 0) {
    memcpy(s->since_low, row_of(s, s->low, s->rows - 1), size);
    memcpy(s->since_high, row_of(s, s->high, s->rows - 1), size);
  }
  s->rows = (s->rows + 1) / 2;
  s->stride *= 2;
}

static void put_row(cli_store *s, double t, const double *value) {
  size_t size = (size_t)s->columns * sizeof(double);
  s->t[s->rows] = t;
  memcpy(row_of(s, s->value, s->rows), value, size);
  if (s->low) {
    memcpy(row_of(s, s->low, s->rows), s->since_low, size);
    memcpy(row_of(s, s->high, s->rows), s->since_high, size);
  }
  s->rows++;
}

void cli_store_add(cli_store *s, double t, const double *value) {
  bool fresh = s->points % s->stride == 1 % s->stride; /* the first point behind a row */
  for (int i = 0; i < s->columns; i++) {
    s->since_low[i] = fresh ? value[i] : fmin(s->since_low[i], value[i]);
    s->since_high[i] = fresh ? value[i] : fmax(s->since_high[i], value[i]);
  }
  s->last[0] = t;
  memcpy(s->last + 1, value, (size_t)s->columns * sizeof(double));
  if (s->points % s->stride == 0) {
    put_row(s, t, value);
    if (s->rows == s->room) halve(s);
  }
  s->points++;
}

void cli_store_end(cli_store *s) {
  if (s->points > 0 && (s->points - 1) % s->stride != 0) put_row(s, s->last[0], s->last + 1);
}

/* 3 bytes become 4 letters */
static void base64(FILE *out, const unsigned char *byte, size_t count) {
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    unsigned a = byte[i], b = i + 1 < count ? byte[i + 1] : 0, c = i + 2 < count ? byte[i + 2] : 0;
    fputc(letter[a >> 2], out);
    fputc(letter[(a & 3) << 4 | b >> 4], out);
    fputc(i + 1 < count ? letter[(b & 15) << 2 | c >> 6] : '=', out);
    fputc(i + 2 < count ? letter[c & 63] : '=', out);
  }
}

/* the low byte first, whatever the machine */
static void put_bytes(unsigned char *to, uint64_t bits, int count) {
  for (int i = 0; i < count; i++) to[i] = (unsigned char)(bits >> 8 * i);
}

static void begin_bytes(cli_json *j, const char *key) {
  cli_json_raw(j, key);
  fputc('"', j->out);
}

static void numbers(cli_json *j, const char *key, const double *v, long rows, int stride,
                    bool single) {
  size_t width = single ? 4 : 8;
  unsigned char *byte = cli_take((size_t)rows + 1, width);
  for (long i = 0; i < rows; i++) {
    double value = v[i * stride];
    float narrow = (float)value;
    uint64_t bits = 0;
    uint32_t half = 0;
    if (single) memcpy(&half, &narrow, sizeof half);
    else memcpy(&bits, &value, sizeof bits);
    put_bytes(byte + (size_t)i * width, single ? half : bits, (int)width);
  }
  begin_bytes(j, key);
  base64(j->out, byte, (size_t)rows * width);
  fputc('"', j->out);
  free(byte);
}

typedef struct span {
  double low, high, largest;
  bool finite;
} span;

static span span_of(const cli_store *s, const double *list, int column) {
  span r = {INFINITY, -INFINITY, 0, true};
  for (long i = 0; i < s->rows; i++) {
    double v = list[i * s->columns + column];
    r.finite = r.finite && isfinite(v);
    r.low = fmin(r.low, v);
    r.high = fmax(r.high, v);
    r.largest = fmax(r.largest, fabs(v));
  }
  return r;
}

/* numbers of 4 bytes where there are many and they show all that a picture can */
static bool single_enough(const cli_store *s, span r) {
  return (double)s->rows * s->columns > SMALL && r.largest < 1e37 && r.largest > 1e-30 &&
         r.high - r.low > 1e-3 * r.largest;
}

static void extremes(cli_json *j, const char *key, const cli_store *s, const double *list,
                     int column, span r) {
  unsigned char *byte = cli_take((size_t)s->rows + 1, 2);
  for (long i = 0; i < s->rows; i++) {
    double part = (list[i * s->columns + column] - r.low) / (r.high - r.low);
    put_bytes(byte + 2 * i, (uint64_t)(65535 * fmin(1, fmax(0, part)) + 0.5), 2);
  }
  begin_bytes(j, key);
  base64(j->out, byte, (size_t)s->rows * 2);
  fputc('"', j->out);
  free(byte);
}

/* does the curve leave the line between two rows by more than a pixel of a large picture? */
static bool needs_band(const cli_store *s, int column, span all) {
  double pixel = (all.high - all.low) / 400;
  for (long i = 1; i < s->rows && s->low; i++) {
    long k = i * s->columns + column;
    double a = s->value[k - s->columns], b = s->value[k];
    if (s->low[k] < fmin(a, b) - pixel || s->high[k] > fmax(a, b) + pixel) return true;
  }
  return false;
}

void cli_store_open(cli_json *j, const char *key, const cli_store *s) {
  cli_json_open(j, key, '{');
  cli_json_count(j, "rows", s->rows);
  cli_json_count(j, "points", s->points);
  cli_json_open(j, "time", '{');
  cli_json_text(j, "k", "f8");
  numbers(j, "v", s->t, s->rows, 1, false);
  cli_json_close(j, '}');
  cli_json_open(j, "columns", '[');
}

void cli_store_close(cli_json *j) {
  cli_json_close(j, ']');
  cli_json_close(j, '}');
}

void cli_store_column(cli_json *j, const cli_store *s, int column, bool band) {
  span r = span_of(s, s->value, column), all = r;
  if (r.finite && r.low == r.high && !s->low) {
    cli_json_number(j, "c", r.low);
    return;
  }
  bool single = single_enough(s, r);
  cli_json_text(j, "k", single ? "f4" : "f8");
  numbers(j, "v", s->value + column, s->rows, s->columns, single);
  if (!band || !s->low) return;
  all.low = span_of(s, s->low, column).low;
  all.high = span_of(s, s->high, column).high;
  if (!needs_band(s, column, all)) return;
  cli_json_number(j, "from", all.low);
  cli_json_number(j, "to", all.high);
  extremes(j, "low", s, s->low, column, all);
  extremes(j, "high", s, s->high, column, all);
}

bool cli_store_same(const cli_store *s, int a, int b) {
  for (long i = 0; i < s->rows; i++)
    if (s->value[i * s->columns + a] != s->value[i * s->columns + b]) return false;
  return true;
}
