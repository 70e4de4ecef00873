/*
 * the matrix pencil s E + J of implicit methods, s = eigenvalue/h real or complex. Rows x_l' =
 * x_(l+1) + D_l mu of the view are eliminated by hand: with d_l the unknown of block l and rho its
 * right-hand side
 *   s d_l - d_(l+1) - D_l d_mu = rho_l,   d_l = (d_(l+1) + D_l d_mu + rho_l)/s,
 * so that only the highest block and the multipliers are left: for a mechanical system nq + nmu
 * unknowns with
 *   s M + D + K/s   in place of   [s I, -I; K, s M + D].
 * What is left is s E_0 + sum_p J_p s^-p with real matrices that do not know s: they are made once
 * a point.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step/tableau.h"

struct dae_step_pencil {
  /* matrices of few entries (dae_view.thin), and whether the last ones were such; thin_at: those of
     which a factorization was made, which may be older */
  dae_step_pencil *thin;
  bool is_thin, *thin_at;
  dae_view *view;
  const dae_pattern *pattern; /* NULL: dense */
  int n, chain, nx, lower;    /* size; eliminated blocks, their size, lower = chain*nx rows */
  int reach;                  /* multipliers that act in eliminated rows, the first ones: D_l */
  double *E, *J, *work;
  dae_pattern reduced; /* column NULL: dense */
  int size;            /* entries of the reduced matrix */
  double *mass;        /* size: E_0 */
  double *part;        /* (chain + 1) size: J_0, J_1, .. */
  bool same;           /* they are E and J, entry by entry */
  int *place;          /* where an entry of a kept row goes in `part` */
  int *split;          /* of a kept row: its first entry that is not in an eliminated column */
  int *corner;         /* place of the diagonal entry of each multiplier, -1: there is none */
  bool dependent;      /* constraints depend on each other */
  int count;
  dae_la_solver **solver;
  double complex *inverse; /* 1/s of each factorization; 0: projection */
  double *values, *b;      /* of the reduced matrix, real */
  double complex *values_c, *b_c;
  double complex *moved;  /* nx: of the eliminated blocks, one after the other */
  double complex *lift;   /* of each factorization: what was added in the corner, nmu */
  double complex *unseen; /* n, of dae_step_pencil_clean */
  double complex *beside; /* 3 n, of dae_step_pencil_answer */
};

/* first entry of row i, and column of entry e in it */
static int row_start(const dae_step_pencil *m, int i) {
  return m->pattern ? m->pattern->start[i] : i * m->n;
}

static int column_of(const dae_step_pencil *m, int i, int e) {
  return m->pattern ? m->pattern->column[e] : e - i * m->n;
}

/* column of the reduced matrix, and how often 1/s multiplies the entry */
static int reduced_column(const dae_step_pencil *m, int column, int *power) {
  *power = column < m->lower ? m->chain - column / m->nx : 0;
  return column < m->lower ? column % m->nx : column - m->lower;
}

static int by_number(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* pattern of the reduced matrix: union over the blocks, columns rising; and the column of each
   entry in it */
static dae_status reduce_pattern(dae_step_pencil *m, dae_pool *pool) {
  const int rows = m->n - m->lower, entries = row_start(m, m->n);
  int *start = dae_base_ints(pool, (size_t)rows + 1),
      *column = dae_base_ints(pool, (size_t)entries);
  int *mark = dae_base_ints(pool, (size_t)rows);
  if (pool->failed) return DAE_E_MEMORY;
  int used = 0, power;
  for (int i = 0; i < rows; i++) mark[i] = -1;
  for (int i = 0; i < rows; i++) {
    start[i] = used;
    const int first = row_start(m, i + m->lower), end = row_start(m, i + m->lower + 1);
    for (int e = first; e < end; e++) {
      int c = reduced_column(m, column_of(m, i + m->lower, e), &power);
      if (mark[c] < start[i]) {
        mark[c] = used;
        column[used++] = c;
      }
    }
    qsort(column + start[i], (size_t)(used - start[i]), sizeof *column, by_number);
    for (int k = start[i]; k < used; k++) mark[column[k]] = k;
    for (int e = first; e < end; e++)
      m->place[e] = mark[reduced_column(m, column_of(m, i + m->lower, e), &power)];
  }
  start[rows] = used;
  m->reduced = (dae_pattern){rows, rows, start, column};
  m->size = used;
  dae_base_give(pool, mark);
  return DAE_OK;
}

/* where the entries of kept rows go: J_p behind J_(p-1) */
static dae_status find_places(dae_step_pencil *m, dae_pool *pool) {
  const int rows = m->n - m->lower;
  m->size = rows * rows;
  if (m->pattern && reduce_pattern(m, pool) != DAE_OK) return DAE_E_MEMORY;
  for (int i = m->lower; i < m->n; i++) {
    const int first = row_start(m, i), end = row_start(m, i + 1);
    m->split[i - m->lower] = end;
    for (int e = end - 1; e >= first; e--) {
      int power, column = column_of(m, i, e), c = reduced_column(m, column, &power);
      if (!m->pattern) m->place[e] = (i - m->lower) * rows + c;
      if (column >= m->lower) m->split[i - m->lower] = e;
      m->place[e] += power * m->size;
    }
  }
  return DAE_OK;
}

/* nothing is eliminated, and entries stay where they are: E_0 and J_0 are E and J */
static bool as_it_is(const dae_step_pencil *m) {
  const int entries = row_start(m, m->n);
  if (m->lower > 0 || m->size != entries) return false;
  for (int e = 0; e < entries; e++)
    if (m->place[e] != e) return false;
  return true;
}

static void find_corner(dae_step_pencil *m) {
  const int nz = m->view->nz;
  for (int i = nz; i < m->n; i++) {
    m->corner[i - nz] = -1;
    for (int e = row_start(m, i); e < row_start(m, i + 1); e++)
      if (column_of(m, i, e) == i) m->corner[i - nz] = m->place[e];
  }
}

/* the factorizations; those from..to-1 are complex */
static dae_status take_solvers(dae_step_pencil *m, dae_pool *pool, int from, int to) {
  const dae_view *v = m->view;
  const dae_pattern *pattern = m->pattern ? &m->reduced : NULL;
  for (int k = 0; k < m->count; k++) {
    const bool imaginary = k >= from && k < to;
    dae_status status =
        dae_la_solver_beside(&m->solver[k], pool, m->n - m->lower, pattern,
                             imaginary ? DAE_LA_COMPLEX : DAE_LA_REAL, k > 0 ? m->solver[0] : NULL);
    if (status == DAE_OK && !v->linear) status = dae_la_solver_reserve(m->solver[k], imaginary);
    if (status == DAE_OK) status = dae_la_solver_own(m->solver[k], v->linear, imaginary);
    if (status != DAE_OK) return status;
  }
  return DAE_OK;
}

/* with the matrices of the view, or with its thin ones */
static dae_status make(dae_step_pencil **out, dae_pool *pool, dae_view *v, bool thin, int count,
                       int complex_from, int complex_to) {
  dae_step_pencil *m = dae_base_take(pool, 1, sizeof *m);
  *out = m;
  if (!m) return DAE_E_MEMORY;
  m->view = v;
  m->pattern = thin ? v->thin.pattern : v->pattern;
  m->n = v->nz + v->nmu;
  m->chain = thin ? v->thin.chain : v->chain;
  m->reach = thin ? 0 : v->reach;
  m->nx = v->nz / (m->chain + 1);
  m->lower = m->chain * m->nx;
  m->count = count;
  const size_t rows = (size_t)(m->n - m->lower), nz = (size_t)v->nz,
               all = (size_t)row_start(m, m->n);
  m->E = dae_base_doubles(pool, all);
  m->J = dae_base_doubles(pool, all);
  m->place = dae_base_ints(pool, all);
  m->split = dae_base_ints(pool, rows);
  m->corner = dae_base_ints(pool, (size_t)v->nmu);
  m->work = dae_base_doubles(pool, v->matrices ? 0 : nz * (nz + 2 * (size_t)v->nmu));
  m->solver = dae_base_take(pool, (size_t)count, sizeof *m->solver);
  m->thin_at = dae_base_data(pool, (size_t)count, sizeof *m->thin_at);
  m->inverse = dae_base_data(pool, (size_t)count, sizeof *m->inverse);
  if (pool->failed || find_places(m, pool) != DAE_OK) return DAE_E_MEMORY;
  const size_t size = (size_t)m->size;
  m->same = as_it_is(m);
  m->mass = m->same ? m->E : dae_base_doubles(pool, size);
  m->part = m->same ? m->J : dae_base_doubles(pool, size * (size_t)(m->chain + 1));
  m->values = dae_base_doubles(pool, size);
  m->values_c = dae_base_data(pool, size, sizeof *m->values_c);
  m->b = dae_base_doubles(pool, rows);
  m->b_c = dae_base_data(pool, rows, sizeof *m->b_c);
  m->moved = dae_base_data(pool, (size_t)m->nx, sizeof *m->moved);
  m->lift = dae_base_data(pool, (size_t)count * (size_t)v->nmu, sizeof *m->lift);
  m->unseen = dae_base_data(pool, v->nmu > 0 ? (size_t)m->n : 0, sizeof *m->unseen);
  m->beside = dae_base_data(pool, v->nmu == 0 ? 3 * (size_t)m->n : 0, sizeof *m->beside);
  if (pool->failed) return DAE_E_MEMORY;
  find_corner(m);
  return take_solvers(m, pool, complex_from, complex_to);
}

/* a user's solver has the matrices of the view, whatever is in them */
dae_status dae_step_pencil_new(dae_step_pencil **out, dae_pool *pool, dae_view *v, int count,
                               int complex_from, int complex_to) {
  dae_status status = make(out, pool, v, false, count, complex_from, complex_to);
  if (status != DAE_OK || !v->thin.matrices || v->linear) return status;
  return make(&(*out)->thin, pool, v, true, count, complex_from, complex_to);
}

void dae_step_pencil_free(dae_step_pencil *m) {
  for (int k = 0; m && m->solver && k < m->count; k++) dae_la_solver_free(m->solver[k]);
  if (m && m->thin) dae_step_pencil_free(m->thin);
}

/* d_l = sum_p D_(l+p-1) d_mu / s^p + ..: what multipliers in eliminated rows are in kept ones */
static void collect_reach(dae_step_pencil *m) {
  const int n = m->n, nx = m->nx, nz = m->view->nz, rows = n - m->lower;
  for (int p = 1; p <= m->chain; p++)
    for (int i = m->lower; i < n; i++) {
      double *to = m->part + p * m->size + (i - m->lower) * rows + nz - m->lower;
      /* column j = l nx + .. meets row j + (p-1) nx of D */
      for (int j = 0; j < m->lower - (p - 1) * nx; j++) {
        const double a = m->J[i * n + j], *D = m->J + (j + (p - 1) * nx) * n + nz;
        for (int k = 0; k < m->reach && a != 0; k++) to[k] -= a * D[k];
      }
    }
}

/* E_0 and J_p */
static void collect(dae_step_pencil *m) {
  memset(m->mass, 0, (size_t)m->size * sizeof *m->mass);
  memset(m->part, 0, (size_t)m->size * (size_t)(m->chain + 1) * sizeof *m->part);
  for (int i = m->lower; i < m->n; i++) {
    const int end = row_start(m, i + 1), split = m->split[i - m->lower];
    for (int e = row_start(m, i); e < end; e++) m->part[m->place[e]] += m->J[e];
    for (int e = split; e < end; e++) m->mass[m->place[e]] += m->E[e];
  }
  if (m->reach > 0) collect_reach(m);
}

/* what follows from E and J */
static dae_status evaluated(dae_step_pencil *m) {
  /* forms that eliminate y have just factored the constraints there */
  const dae_system *sys = m->view->sys;
  if (!m->view->keeps_y && sys->ny > 0 && m->view->point->info.rank < sys->ny)
    m->view->dependent = true;
  if (!m->same) collect(m);
  /* those of an implicit problem have been looked at */
  if (m->view->equations) return DAE_OK;
  bool numbers =
      dae_base_finite(m->part, (m->chain + 1) * m->size) && dae_base_finite(m->mass, m->size);
  return numbers ? DAE_OK : DAE_E_CALLBACK;
}

dae_status dae_step_pencil_evaluate(dae_step_pencil *m, double t, const double *z, const double *dz,
                                    const double *mu) {
  dae_step_pencil *thin = m->thin;
  dae_status status = DAE_E_FORM;
  if (thin) status = m->view->thin.matrices(m->view, t, z, dz, mu, thin->E, thin->J);
  m->is_thin = status != DAE_E_FORM;
  if (!m->is_thin) status = dae_problem_view_matrices(m->view, t, z, dz, mu, m->E, m->J, m->work);
  return status == DAE_OK ? evaluated(m->is_thin ? thin : m) : status;
}

void dae_step_pencil_times(const dae_step_pencil *m, const double *x, double *y) {
  if (m->is_thin) {
    dae_step_pencil_times(m->thin, x, y);
    return;
  }
  for (int i = 0; i < m->n; i++) {
    double sum = 0;
    for (int e = row_start(m, i), end = row_start(m, i + 1); e < end; e++)
      sum += m->E[e] * x[column_of(m, i, e)];
    y[i] = sum;
  }
}

void dae_step_pencil_noise(const dae_step_pencil *m, int k, double many, const double *z,
                           const double *dz, double *x) {
  if (m->thin_at[k]) {
    dae_step_pencil_noise(m->thin, k, many, z, dz, x);
    return;
  }
  const double rounded = many * DBL_EPSILON;
  for (int i = 0; i < m->n; i++) {
    double terms = 0;
    for (int e = row_start(m, i), end = row_start(m, i + 1); e < end; e++) {
      const int j = column_of(m, i, e);
      terms += fabs(m->J[e] * z[j]) + fabs(m->E[e] * dz[j]);
    }
    /* signs that do not cancel by chance */
    x[i] = (sin(1 + 2.3 * i) < 0 ? -rounded : rounded) * terms;
  }
  dae_la_solver_solve(m->solver[k], x);
  for (int i = 0; i < m->n; i++) x[i] = fabs(x[i]);
}

/* values := s E_0 + sum_p J_p s^-p */
static void assemble(dae_step_pencil *m, double shift) {
  const int size = m->size;
  for (int e = 0; e < size; e++) m->values[e] = shift * m->mass[e] + m->part[e];
  double scale = 1;
  for (int p = 1; p <= m->chain; p++) {
    const double *part = m->part + p * size;
    scale /= shift;
    for (int e = 0; e < size; e++) m->values[e] += scale * part[e];
  }
}

/* row i of -D, where there is any */
static inline const double *reach_of(const dae_step_pencil *m, int i) {
  return m->reach > 0 ? m->J + (size_t)i * (size_t)m->n + m->view->nz : NULL;
}

/* a b without the care for infinities that C asks for */
static inline double complex times(double complex a, double complex b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
               creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* the same with a complex s, and 1/s */
static void assemble_complex(dae_step_pencil *m, double complex shift, double complex inverse) {
  const int size = m->size;
  double *to = (double *)m->values_c, re = creal(shift), im = cimag(shift);
  for (int e = 0; e < size; e++) {
    to[2 * e] = re * m->mass[e] + m->part[e];
    to[2 * e + 1] = im * m->mass[e];
  }
  double complex scale = 1;
  for (int p = 1; p <= m->chain; p++) {
    const double *part = m->part + p * size;
    scale = times(scale, inverse);
    re = creal(scale), im = cimag(scale);
    for (int e = 0; e < size; e++) {
      to[2 * e] += re * part[e];
      to[2 * e + 1] += im * part[e];
    }
  }
}

/* values := [E_0 F_mu; c_z ..], where d_l = D_l d_mu in eliminated rows: J_1 has c_z of it */
static void assemble_projection(dae_step_pencil *m) {
  const int rows = m->n - m->lower, top = m->view->nz - m->lower;
  const int *start = m->reduced.start;
  for (int i = 0; i < rows; i++)
    for (int e = start ? start[i] : i * rows, end = start ? start[i + 1] : (i + 1) * rows; e < end;
         e++) {
      int c = start ? m->reduced.column[e] : e - i * rows;
      m->values[e] = m->mass[e];
      if ((i < top) != (c < top)) m->values[e] += m->part[e];
      else if (i >= top && m->reach > 0) m->values[e] += m->part[m->size + e];
    }
}

/* an entry of the reduced matrix; -1: there is none */
static inline double complex value_at(const dae_step_pencil *m, int e, bool real) {
  return e < 0 ? 0 : real ? m->values[e] : m->values_c[e];
}

/* the entry of a row and a column of the reduced matrix, -1: there is none */
static int entry_of(const dae_step_pencil *m, int row, int column) {
  if (!m->reduced.column) return row * (m->n - m->lower) + column;
  const int *list = m->reduced.column;
  int low = m->reduced.start[row], high = m->reduced.start[row + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (list[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low == high && list[low] == column ? low : -1;
}

/*
 * Constraints that depend on each other make the matrix singular; -delta in the corner makes it
 * regular, and Newton's method, whose residual knows nothing of delta, loses no more than delta
 * |S^-1| of its rate: delta_i is a share of S_ii = sum_j G_ij D_ji / (s M_jj), whatever the units,
 * and with its sign: of two constraints g and a g with multipliers b and c b the free part of mu
 * meets the sum of both shares. Multipliers that act in eliminated rows have S = G D/s in the
 * corner already: a share of that is added.
 */
static void lift_corner(dae_step_pencil *m, int k, bool real) {
  static const double SHARE = 1e-11, LEAST = 1e-3;
  const int rows = m->n - m->lower, first = m->view->nz - m->lower;
  const int *start = m->reduced.start;
  double complex *lift = m->lift + (size_t)k * (size_t)m->view->nmu;
  memset(lift, 0, (size_t)m->view->nmu * sizeof *lift);
  for (int i = first; i < rows; i++) {
    const int corner = m->corner[i - first];
    double complex sum = 0;
    double size = 0;
    if (corner < 0) continue;
    for (int e = start ? start[i] : i * rows, end = start ? start[i + 1] : (i + 1) * rows; e < end;
         e++) {
      const int j = start ? m->reduced.column[e] : e - i * rows;
      if (j >= first || (real ? m->values[e] == 0 : m->values_c[e] == 0)) continue;
      const double complex D = value_at(m, entry_of(m, j, i), real);
      const double complex pivot = value_at(m, entry_of(m, j, j), real);
      if (D == 0 || pivot == 0) continue;
      const double complex term = times(value_at(m, e, real), D) / pivot;
      sum += term;
      size += cabs(term);
    }
    /* where terms cancel, the sign says nothing */
    if (cabs(sum) < LEAST * size) sum = LEAST * size;
    const double complex old = value_at(m, corner, real);
    lift[i - first] = SHARE * (cabs(old) > cabs(sum) ? old : -sum);
  }
  for (int i = first; i < rows; i++) {
    const int corner = m->corner[i - first];
    if (corner >= 0 && real) m->values[corner] += creal(lift[i - first]);
    else if (corner >= 0) m->values_c[corner] += lift[i - first];
  }
}

static dae_status factor_once(dae_step_pencil *m, int k, bool real) {
  return real ? dae_la_solver_factor(m->solver[k], m->values)
              : dae_la_solver_factor_complex(m->solver[k], m->values_c);
}

/* the matrix as it is; where that is singular, or the constraints are known to depend on each
   other, a lifted one */
static dae_status factor(dae_step_pencil *m, int k, bool real) {
  if (m->view->dependent) m->dependent = true;
  if (m->dependent) lift_corner(m, k, real);
  dae_status status = factor_once(m, k, real);
  if (status != DAE_E_SINGULAR || m->dependent || m->view->nmu == 0) return status;
  m->dependent = true;
  lift_corner(m, k, real);
  status = factor_once(m, k, real);
  /* not the constraints, then */
  if (status != DAE_OK) m->dependent = false;
  return status;
}

dae_status dae_step_pencil_factor(dae_step_pencil *m, int k, double complex shift) {
  m->thin_at[k] = m->is_thin;
  if (m->is_thin) return dae_step_pencil_factor(m->thin, k, shift);
  const bool real = cimag(shift) == 0;
  m->inverse[k] = real ? 1 / creal(shift) : 1 / shift;
  if (real) assemble(m, creal(shift));
  else assemble_complex(m, shift, m->inverse[k]);
  return factor(m, k, real);
}

dae_status dae_step_pencil_factor_projection(dae_step_pencil *m, int k) {
  m->thin_at[k] = m->is_thin;
  if (m->is_thin) return dae_step_pencil_factor_projection(m->thin, k);
  m->inverse[k] = 0;
  assemble_projection(m);
  return factor(m, k, true);
}

/*
 * Solving: the eliminated blocks with the highest one and mu zero, d_l = (d_(l+1) + rho_l)/s; what
 * they say in the other rows; the reduced system; and what its unknowns add to the eliminated ones,
 *   e_l = (e_(l+1) + D_l d_mu)/s;   projection: e_l = D_l d_mu.
 */
void dae_step_pencil_solve(dae_step_pencil *m, int k, double *b) {
  if (m->thin_at[k]) {
    dae_step_pencil_solve(m->thin, k, b);
    return;
  }
  const int n = m->n, nx = m->nx, lower = m->lower, nz = m->view->nz;
  const double inverse = creal(m->inverse[k]);
  if (lower == 0) {
    dae_la_solver_solve(m->solver[k], b);
    return;
  }
  for (int i = lower - 1; i >= 0; i--) b[i] = inverse * (b[i] + (i + nx < lower ? b[i + nx] : 0));
  for (int i = lower; i < n; i++) {
    double sum = b[i];
    for (int e = row_start(m, i), end = m->split[i - lower]; e < end; e++)
      sum -= m->J[e] * b[column_of(m, i, e)];
    m->b[i - lower] = sum;
  }
  dae_la_solver_solve(m->solver[k], m->b);
  memcpy(b + lower, m->b, (size_t)(n - lower) * sizeof *b);
  double *moved = (double *)m->moved;
  for (int i = 0; i < nx; i++) moved[i] = b[lower + i];
  for (int i = lower - 1; i >= 0; i--) {
    double *e = &moved[i % nx], sum = inverse * *e;
    const double scale = inverse == 0 ? 1 : inverse, *D = reach_of(m, i);
    for (int c = 0; c < m->reach; c++) sum -= scale * D[c] * b[nz + c];
    *e = sum;
    b[i] += sum;
  }
}

void dae_step_pencil_solve_complex(dae_step_pencil *m, int k, double complex *b) {
  if (m->thin_at[k]) {
    dae_step_pencil_solve_complex(m->thin, k, b);
    return;
  }
  const int n = m->n, nx = m->nx, lower = m->lower, nz = m->view->nz;
  const double complex inverse = m->inverse[k];
  if (lower == 0) {
    dae_la_solver_solve_complex(m->solver[k], b);
    return;
  }
  for (int i = lower - 1; i >= 0; i--)
    b[i] = times(inverse, i + nx < lower ? b[i] + b[i + nx] : b[i]);
  for (int i = lower; i < n; i++) {
    double re = creal(b[i]), im = cimag(b[i]);
    for (int e = row_start(m, i), end = m->split[i - lower]; e < end; e++) {
      const double complex d = b[column_of(m, i, e)];
      re -= m->J[e] * creal(d);
      im -= m->J[e] * cimag(d);
    }
    m->b_c[i - lower] = CMPLX(re, im);
  }
  dae_la_solver_solve_complex(m->solver[k], m->b_c);
  memcpy(b + lower, m->b_c, (size_t)(n - lower) * sizeof *b);
  for (int i = 0; i < nx; i++) m->moved[i] = b[lower + i];
  for (int i = lower - 1; i >= 0; i--) {
    double complex *e = &m->moved[i % nx], sum = *e;
    const double *D = reach_of(m, i);
    for (int c = 0; c < m->reach; c++) sum -= D[c] * b[nz + c];
    *e = times(inverse, sum);
    b[i] += *e;
  }
}

/*
 * Dependent constraints leave a part of the multipliers free: D v = 0. Newton's method does not
 * move it, but extrapolation from step to step makes it grow until its rounding is all that is seen
 * of D mu. With L the lift of the corner, [s E + J] [0; v] = [0; L v] for every such v, while of
 * all others the inverse leaves a part 1e-11: mu := mu - (s E + J)^-1 [0; L mu].
 */
bool dae_step_pencil_clean(dae_step_pencil *m, int k, double *mu) {
  if (m->thin_at[k]) return dae_step_pencil_clean(m->thin, k, mu);
  const int nz = m->view->nz, nmu = m->view->nmu;
  if (!m->dependent || nmu == 0) return false;
  const double complex *lift = m->lift + (size_t)k * (size_t)nmu;
  const bool real = cimag(m->inverse[k]) == 0;
  double complex *x = m->unseen;
  double *r = (double *)x;
  memset(x, 0, (size_t)m->n * sizeof *x);
  for (int i = 0; i < nmu; i++) {
    if (real) r[nz + i] = creal(lift[i]) * mu[i];
    else x[nz + i] = lift[i] * mu[i];
  }
  if (real) dae_step_pencil_solve(m, k, r);
  else dae_step_pencil_solve_complex(m, k, x);
  for (int i = 0; i < nmu; i++) mu[i] -= real ? r[nz + i] : creal(x[nz + i]);
  return true;
}

/* with a complex s = a + i b the disturbance of z' in two parts: r(z + p, z' + a p) - r(z, z') +
   i (r(z, z' + b p) - r(z, z')) */
dae_status dae_step_pencil_answer(dae_step_pencil *m, int k, double t, const double *z,
                                  const double *dz, const double *p, double *out) {
  if (m->thin_at[k]) return dae_step_pencil_answer(m->thin, k, t, z, dz, p, out);
  const int n = m->n;
  const double complex shift = m->inverse[k] != 0 ? 1 / m->inverse[k] : 0;
  if (m->view->nmu > 0 || shift == 0) return DAE_E_FORM;
  double complex *both = m->beside;
  double *x = (double *)(both + n), *dx = x + n, *before = dx + n, *after = before + n;
  const bool real = cimag(shift) == 0;
  /* a step goes on from there, and asks for it again */
  m->view->at_start = true;
  dae_status status = dae_problem_view_residual(m->view, t, z, dz, NULL, before);
  m->view->at_start = false;
  for (int part = 0; part < (real ? 1 : 2) && status == DAE_OK; part++) {
    for (int i = 0; i < n; i++) {
      x[i] = part ? z[i] : z[i] + p[i];
      dx[i] = dz[i] + (part ? cimag(shift) : creal(shift)) * p[i];
    }
    status = dae_problem_view_residual(m->view, t, x, dx, NULL, after);
    for (int i = 0; i < n && status == DAE_OK; i++) {
      const double change = after[i] - before[i];
      out[i] = change;
      both[i] = part ? CMPLX(creal(both[i]), change) : change;
    }
  }
  if (status != DAE_OK) return status;
  if (real) dae_step_pencil_solve(m, k, out);
  else dae_step_pencil_solve_complex(m, k, both);
  for (int i = 0; i < n && !real; i++) out[i] = creal(both[i]);
  return DAE_OK;
}
