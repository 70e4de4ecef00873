/*
 * the matrix pencil s E + J of implicit methods, s = eigenvalue/h real or complex. Rows x_l' =
 * x_(l+1) of the view are eliminated by hand: with d_l the unknown of block l and rho its
 * right-hand side
 *   s d_l - d_(l+1) = rho_l,   d_l = (d_(l+1) + rho_l)/s,
 * so that only the highest block and the multipliers are left: for a mechanical system nq + ny
 * unknowns with
 *   s M + D + K/s   in place of   [s I, -I; K, s M + D].
 */
#include <math.h>
#include <string.h>

#include "step/tableau.h"

struct dae_step_pencil {
  dae_view *view;
  int n, chain, nx, lower; /* size; eliminated blocks, their size, lower = chain*nx rows */
  int entries;             /* of the full pattern (n*n when dense) */
  double *E, *J, *work;
  dae_pattern reduced; /* column NULL: dense */
  int *place;          /* sparse: where an entry of a kept row goes */
  int *split;          /* of a kept row: its first entry that is not in an eliminated column */
  int *corner;         /* place of the diagonal entry of each multiplier, -1: there is none */
  bool dependent;      /* constraints depend on each other */
  int count;
  dae_la_solver **solver;
  double complex *inverse; /* 1/s of each factorization; 0: projection */
  double *values, *b;      /* of the reduced matrix, real */
  double complex *values_c, *b_c;
};

/* first entry of row i, and column of entry e in it */
static int row_start(const dae_step_pencil *m, int i) {
  return m->view->pattern ? m->view->pattern->start[i] : i * m->n;
}

static int column_of(const dae_step_pencil *m, int i, int e) {
  return m->view->pattern ? m->view->pattern->column[e] : e - i * m->n;
}

/* column of the reduced matrix, and how often 1/s multiplies the entry */
static int reduced_column(const dae_step_pencil *m, int column, int *power) {
  *power = column < m->lower ? m->chain - column / m->nx : 0;
  return column < m->lower ? column % m->nx : column - m->lower;
}

/* pattern of the reduced matrix: union over the blocks, columns rising; and the place of each
   entry */
static dae_status reduce_pattern(dae_step_pencil *m, dae_pool *pool) {
  const int rows = m->n - m->lower;
  int *start = dae_base_ints(pool, (size_t)rows + 1),
      *column = dae_base_ints(pool, (size_t)m->entries);
  int *mark = dae_base_ints(pool, (size_t)rows);
  m->place = dae_base_ints(pool, (size_t)m->entries);
  if (pool->failed) return DAE_E_MEMORY;
  int used = 0, power;
  for (int i = 0; i < rows; i++) {
    start[i] = used;
    const int first = row_start(m, i + m->lower), end = row_start(m, i + m->lower + 1);
    for (int e = first; e < end; e++) {
      int c = reduced_column(m, column_of(m, i + m->lower, e), &power), k = used;
      for (k = start[i]; k < used && column[k] != c; k++)
        ;
      if (k < used) continue;
      /* insertion keeps the row sorted: rows are short */
      for (k = used++; k > start[i] && column[k - 1] > c; k--) column[k] = column[k - 1];
      column[k] = c;
    }
    for (int k = start[i]; k < used; k++) mark[column[k]] = k;
    for (int e = first; e < end; e++)
      m->place[e] = mark[reduced_column(m, column_of(m, i + m->lower, e), &power)];
  }
  start[rows] = used;
  m->reduced = (dae_pattern){rows, rows, start, column};
  dae_base_give(pool, mark);
  return DAE_OK;
}

static void find_corner(dae_step_pencil *m) {
  const int nz = m->view->nz, rows = m->n - m->lower;
  for (int i = nz; i < m->n; i++) {
    m->corner[i - nz] = m->place ? -1 : (i - m->lower) * rows + i - m->lower;
    for (int e = row_start(m, i); m->place && e < row_start(m, i + 1); e++)
      if (column_of(m, i, e) == i) m->corner[i - nz] = m->place[e];
  }
}

dae_status dae_step_pencil_new(dae_step_pencil **out, dae_pool *pool, dae_view *v, int count) {
  dae_step_pencil *m = dae_base_take(pool, 1, sizeof *m);
  *out = m;
  if (!m) return DAE_E_MEMORY;
  m->view = v;
  m->n = v->nz + v->nmu;
  m->chain = v->chain;
  m->nx = v->nz / (v->chain + 1);
  m->lower = m->chain * m->nx;
  m->entries = row_start(m, m->n);
  m->count = count;
  const size_t rows = (size_t)(m->n - m->lower), nz = (size_t)v->nz;
  m->E = dae_base_doubles(pool, (size_t)m->entries);
  m->J = dae_base_doubles(pool, (size_t)m->entries);
  m->split = dae_base_ints(pool, rows);
  m->corner = dae_base_ints(pool, (size_t)v->nmu);
  m->work = dae_base_doubles(pool, v->matrices ? 0 : nz * (nz + 2 * (size_t)v->nmu));
  m->solver = dae_base_take(pool, (size_t)count, sizeof *m->solver);
  m->inverse = dae_base_take(pool, (size_t)count, sizeof *m->inverse);
  if (v->pattern && reduce_pattern(m, pool) != DAE_OK) return DAE_E_MEMORY;
  const size_t entries = v->pattern ? (size_t)m->reduced.start[rows] : rows * rows;
  m->values = dae_base_doubles(pool, entries);
  m->values_c = dae_base_take(pool, entries, sizeof *m->values_c);
  m->b = dae_base_doubles(pool, rows);
  m->b_c = dae_base_take(pool, rows, sizeof *m->b_c);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = m->lower; i < m->n; i++) {
    int e = row_start(m, i);
    while (e < row_start(m, i + 1) && column_of(m, i, e) < m->lower) e++;
    m->split[i - m->lower] = e;
  }
  find_corner(m);
  for (int k = 0; k < count; k++) {
    dae_status status =
        dae_la_solver_new(&m->solver[k], pool, (int)rows, v->pattern ? &m->reduced : NULL);
    if (status != DAE_OK) return status;
  }
  return DAE_OK;
}

void dae_step_pencil_free(dae_step_pencil *m) {
  for (int k = 0; m && m->solver && k < m->count; k++) dae_la_solver_free(m->solver[k]);
}

dae_status dae_step_pencil_evaluate(dae_step_pencil *m, double t, const double *z, const double *dz,
                                    const double *mu) {
  memset(m->E, 0, (size_t)m->entries * sizeof *m->E);
  memset(m->J, 0, (size_t)m->entries * sizeof *m->J);
  dae_status status = dae_problem_view_matrices(m->view, t, z, dz, mu, m->E, m->J, m->work);
  if (status != DAE_OK) return status;
  return dae_base_finite(m->J, m->entries) && dae_base_finite(m->E, m->entries) ? DAE_OK
                                                                                : DAE_E_CALLBACK;
}

/* values_c := reduced s E + J; projection: E + the borders of J */
static void assemble(dae_step_pencil *m, double complex shift, double complex inverse,
                     bool projection) {
  const int rows = m->n - m->lower, nz = m->view->nz;
  const size_t entries =
      m->view->pattern ? (size_t)m->reduced.start[rows] : (size_t)rows * (size_t)rows;
  double complex scale[DAE_ORDER_MAX + 1] = {1};
  for (int k = 1; k <= m->chain; k++) scale[k] = scale[k - 1] * inverse;
  memset(m->values_c, 0, entries * sizeof *m->values_c);
  for (int i = m->lower; i < m->n; i++)
    for (int e = row_start(m, i), end = row_start(m, i + 1); e < end; e++) {
      int power, column = column_of(m, i, e), c = reduced_column(m, column, &power);
      int place = m->place ? m->place[e] : (i - m->lower) * rows + c;
      bool border = (i < nz) != (column < nz);
      double complex value = projection && !border ? 0 : m->J[e] * scale[power];
      m->values_c[place] += shift * m->E[e] + value;
    }
}

/*
 * Constraints that depend on each other make the matrix singular; -delta in the corner makes it
 * regular, and Newton's method, whose residual knows nothing of delta, loses no more than delta
 * |S^-1| of its rate: S = G (s M)^-1 G' is not below |g|^2 / max |s M|. Of multipliers that do the
 * same all get the same share.
 */
static void lift_corner(dae_step_pencil *m) {
  const int nz = m->view->nz, rows = m->n - m->lower;
  const int *start = m->reduced.start;
  double pivot = 0;
  for (int i = 0; i < nz - m->lower; i++)
    for (int e = start ? start[i] : i * rows, end = start ? start[i + 1] : (i + 1) * rows; e < end;
         e++)
      if ((start ? m->reduced.column[e] : e - i * rows) == i)
        pivot = fmax(pivot, cabs(m->values_c[e]));
  for (int i = nz - m->lower; i < rows; i++) {
    double top = 0;
    for (int e = start ? start[i] : i * rows, end = start ? start[i + 1] : (i + 1) * rows; e < end;
         e++)
      top = fmax(top, cabs(m->values_c[e]));
    int corner = m->corner[i + m->lower - nz];
    if (corner >= 0) m->values_c[corner] -= 1e-9 * top * top / pivot;
  }
}

static dae_status factor_once(dae_step_pencil *m, int k, bool real) {
  if (!real) return dae_la_solver_factor_complex(m->solver[k], m->values_c);
  const int rows = m->n - m->lower;
  const size_t entries =
      m->view->pattern ? (size_t)m->reduced.start[rows] : (size_t)rows * (size_t)rows;
  for (size_t e = 0; e < entries; e++) m->values[e] = creal(m->values_c[e]);
  return dae_la_solver_factor(m->solver[k], m->values);
}

/* the matrix as it is; where that is singular, or the constraints are known to depend on each
   other, a lifted one */
static dae_status factor(dae_step_pencil *m, int k, bool real) {
  const dae_system *sys = m->view->sys;
  if (sys->ny > 0 && m->view->keeps_y && sys->kkt_info.rank < sys->ny) m->dependent = true;
  if (m->dependent) lift_corner(m);
  dae_status status = factor_once(m, k, real);
  if (status != DAE_E_SINGULAR || m->dependent || m->view->nmu == 0) return status;
  m->dependent = true;
  lift_corner(m);
  status = factor_once(m, k, real);
  /* not the constraints, then */
  if (status != DAE_OK) m->dependent = false;
  return status;
}

dae_status dae_step_pencil_factor(dae_step_pencil *m, int k, double complex shift) {
  m->inverse[k] = 1 / shift;
  assemble(m, shift, m->inverse[k], false);
  return factor(m, k, cimag(shift) == 0);
}

dae_status dae_step_pencil_factor_projection(dae_step_pencil *m, int k) {
  m->inverse[k] = 0;
  assemble(m, 1, 0, true);
  return factor(m, k, true);
}

/*
 * Solving: the eliminated blocks with the highest one zero, d_l = (d_(l+1) + rho_l)/s; what they
 * say in the other rows; the reduced system; and what its highest block adds to the eliminated
 * ones, d_l += d_high/s^(..).
 */
void dae_step_pencil_solve(dae_step_pencil *m, int k, double *b) {
  const int nx = m->nx, lower = m->lower;
  const double inverse = creal(m->inverse[k]);
  for (int i = lower - 1; i >= 0; i--) b[i] = inverse * (b[i] + (i + nx < lower ? b[i + nx] : 0));
  for (int i = lower; i < m->n; i++) {
    double sum = b[i];
    for (int e = row_start(m, i), end = m->split[i - lower]; e < end; e++)
      sum -= m->J[e] * b[column_of(m, i, e)];
    m->b[i - lower] = sum;
  }
  dae_la_solver_solve(m->solver[k], m->b);
  memcpy(b + lower, m->b, (size_t)(m->n - lower) * sizeof *b);
  double scale = 1;
  for (int l = m->chain - 1; l >= 0; l--) {
    scale *= inverse;
    for (int i = 0; i < nx; i++) b[l * nx + i] += scale * b[lower + i];
  }
}

/* a b without the care for infinities that C asks for */
static inline double complex times(double complex a, double complex b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
               creal(a) * cimag(b) + cimag(a) * creal(b));
}

void dae_step_pencil_solve_complex(dae_step_pencil *m, int k, double complex *b) {
  const int nx = m->nx, lower = m->lower;
  const double complex inverse = m->inverse[k];
  for (int i = lower - 1; i >= 0; i--)
    b[i] = times(inverse, i + nx < lower ? b[i] + b[i + nx] : b[i]);
  for (int i = lower; i < m->n; i++) {
    double re = creal(b[i]), im = cimag(b[i]);
    for (int e = row_start(m, i), end = m->split[i - lower]; e < end; e++) {
      const double complex d = b[column_of(m, i, e)];
      re -= m->J[e] * creal(d);
      im -= m->J[e] * cimag(d);
    }
    m->b_c[i - lower] = CMPLX(re, im);
  }
  dae_la_solver_solve_complex(m->solver[k], m->b_c);
  memcpy(b + lower, m->b_c, (size_t)(m->n - lower) * sizeof *b);
  double complex scale = 1;
  for (int l = m->chain - 1; l >= 0; l--) {
    scale = times(scale, inverse);
    for (int i = 0; i < nx; i++) b[l * nx + i] += times(scale, b[lower + i]);
  }
}
