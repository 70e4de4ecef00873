/* one element of equations without multipliers: local systems for the highest derivatives alone */
#include <math.h>
#include <string.h>

#include "colloc/colloc.h"

static dae_status take(dae_colloc_chains *c, size_t most, dae_pool *pool) {
  c->top = dae_base_ints(pool, most);
  c->length = dae_base_ints(pool, most);
  c->state = dae_base_ints(pool, most * DAE_ORDER_MAX);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

dae_status dae_colloc_chains_init(dae_colloc_element *e, dae_pool *pool) {
  const dae_colloc_form *f = e->form;
  size_t nv = (size_t)f->nv;
  e->plain = f->na == 0 && f->kind == DAE_COLLOC_INDEX2 && !f->sys->has_mass;
  if (!e->plain) return DAE_OK;
  dae_status status = take(&e->own, nv, pool);
  if (status == DAE_OK) status = take(&e->found, nv, pool);
  e->next = dae_base_ints(pool, nv);
  e->before = dae_base_ints(pool, nv);
  e->shift = dae_base_doubles(pool, (size_t)e->rule->k * (size_t)f->ns);
  if (status != DAE_OK || pool->failed) return DAE_E_MEMORY;
  e->own.count = f->nv;
  for (int c = 0; c < f->nv; c++) {
    e->own.top[c] = c;
    e->own.length[c] = f->m;
    for (int l = 0; l < f->m; l++) e->own.state[c * DAE_ORDER_MAX + l] = l * f->nx + c;
  }
  return DAE_OK;
}

static const dae_colloc_chains *chains_of(const dae_colloc_element *e, const dae_colloc_factor *f) {
  return f->chained ? &e->found : &e->own;
}

/* the variable b of an equation x_a' = x_b, from its row -df_a/dx; -1 when it is no such one */
static int variable_of(int n, const double *row) {
  int b = -1;
  for (int j = 0; j < n; j++) {
    if (row[j] == 0) continue;
    if (row[j] != -1 || b >= 0) return -1;
    b = j;
  }
  return b;
}

/* steps from variable a to the top of its chain; -1: it is on a circle, which has none */
static int height(const dae_colloc_element *e, int a) {
  int steps = 0;
  for (; e->next[a] >= 0; a = e->next[a])
    if (++steps > e->form->nv) return -1;
  return steps;
}

/* chains of the equations x_a' = x_b at the first point that is seen */
static void search(dae_colloc_element *e) {
  int n = e->form->nv, *before = e->before;
  dae_colloc_chains *c = &e->found;
  e->searched = true;
  c->count = 0;
  for (int b = 0; b < n; b++) before[b] = -1;
  for (int a = 0; a < n; a++) {
    int b = variable_of(n, e->SJ + a * n);
    bool free = b >= 0 && before[b] < 0;
    e->next[a] = free ? b : -1;
    if (free) before[b] = a;
  }
  for (int a = 0; a < n; a++)
    if (height(e, a) < 0) before[e->next[a]] = -1, e->next[a] = -1;
  for (int top = 0; top < n; top++) {
    if (e->next[top] >= 0) continue;
    int length = 1, *state = c->state + c->count * DAE_ORDER_MAX;
    for (int a = before[top]; a >= 0; a = before[a]) length++;
    /* the tables end there: where a chain is longer, none is used */
    if (length > DAE_ORDER_MAX) {
      c->count = 0;
      return;
    }
    for (int l = length - 1, a = top; l >= 0; l--, a = before[a]) state[l] = a;
    c->top[c->count] = top;
    c->length[c->count++] = length;
  }
}

/* do the equations of the chains hold at all points of this element? */
static bool holds(const dae_colloc_element *e) {
  int n = e->form->nv;
  for (int j = 0; j < e->rule->k; j++)
    for (int a = 0; a < n; a++)
      if (e->next[a] >= 0 && variable_of(n, e->SJ + (j * n + a) * n) != e->next[a]) return false;
  return true;
}

/* table[q][i][j] h^q is what w_j of a top is worth q levels below it at point i */
typedef const double (*table)[DAE_COLLOC_MAX][DAE_COLLOC_MAX];

static table table_of(const dae_colloc_element *e, const dae_colloc_factor *f) {
  return f->chained ? e->rule->power : e->rule->inner;
}

static void powers(double h, double *power) {
  power[0] = 1;
  for (int q = 1; q <= DAE_ORDER_MAX; q++) power[q] = h * power[q - 1];
}

/* row i of point j: w_i + sum over chains and their levels of J_il h^(L-l) table[L-l][j] w */
static void local_row(const dae_colloc_element *e, const dae_colloc_factor *f, const double *power,
                      const double *J, int j, int i, double *row) {
  const dae_colloc_chains *c = chains_of(e, f);
  table weights = table_of(e, f);
  int k = e->rule->k, count = c->count;
  for (int r = 0; r < count; r++) {
    const int *state = c->state + r * DAE_ORDER_MAX, length = c->length[r];
    double sum[DAE_COLLOC_MAX] = {0}; /* rows of tables are filled up with zeros */
    for (int l = 0; l < length; l++) {
      if (J[state[l]] == 0) continue;
      const double v = J[state[l]] * power[length - l], *w = weights[length - l][j];
      for (int q = 0; q < DAE_COLLOC_MAX; q++) sum[q] += v * w[q];
    }
    for (int q = 0; q < k; q++) row[q * count + r] = sum[q];
  }
  row[j * count + i] += 1;
}

int dae_colloc_chains_factor(dae_colloc_element *e, double h, dae_colloc_factor *f) {
  int k = e->rule->k, nv = e->form->nv, ns = e->form->ns;
  double power[DAE_ORDER_MAX + 1];
  powers(h, power);
  if (f->J && !e->searched) search(e);
  f->chained = f->J && e->found.count > 0 && e->found.count < nv && holds(e);
  if (f->chained) memcpy(f->J, e->SJ, sizeof(double) * (size_t)(k * nv * ns));
  const dae_colloc_chains *c = chains_of(e, f);
  int n = k * c->count;
  size_t needed = (size_t)n * (size_t)n;
  if (needed > f->room) {
    f->LU = dae_base_doubles(f->more, needed);
    if (!f->LU) return -1;
    f->room = needed;
  }
  for (int j = 0; j < k; j++)
    for (int i = 0; i < c->count; i++)
      local_row(e, f, power, e->SJ + (j * nv + c->top[i]) * ns, j, i,
                f->LU + (j * c->count + i) * n);
  return dae_la_lu(n, f->LU, f->pivot);
}

/* shift_l := h A (r_l + shift_(l+1)), 0 at the top: states are moved by -shift where the residuals
   r of the equations of chains are to vanish */
static void shift_states(const dae_colloc_element *e, const dae_colloc_chains *c, double h,
                         const double *residual) {
  int k = e->rule->k, nv = e->form->nv;
  for (int r = 0; r < c->count; r++) {
    const int *state = c->state + r * DAE_ORDER_MAX;
    for (int j = 0; j < k; j++) e->shift[j * nv + c->top[r]] = 0;
    for (int l = c->length[r] - 2; l >= 0; l--) {
      double sum[DAE_COLLOC_MAX];
      for (int q = 0; q < k; q++)
        sum[q] = h * (residual[q * nv + state[l]] + e->shift[q * nv + state[l + 1]]);
      for (int j = 0; j < k; j++) {
        double v = 0;
        for (int q = 0; q < k; q++) v += e->rule->inner[1][j][q] * sum[q];
        e->shift[j * nv + state[l]] = v;
      }
    }
  }
}

/* with tops in the first k count rows of W (rows of `cols`): to their places, the last first */
static void move_tops(const dae_colloc_element *e, const dae_colloc_chains *c, int cols,
                      double *W) {
  for (int j = e->rule->k - 1; j >= 0; j--)
    for (int i = c->count - 1; i >= 0; i--)
      memmove(W + (size_t)(j * e->form->nv + c->top[i]) * (size_t)cols,
              W + (size_t)(j * c->count + i) * (size_t)cols, sizeof(double) * (size_t)cols);
}

/* rows of W below the top of chain r := h^q table[q] w of its top, q levels below: the part of the
   states that they are equal to */
static void fill_below(const dae_colloc_element *e, const dae_colloc_factor *f, const double *power,
                       int r, int cols, double *W) {
  const dae_colloc_chains *c = chains_of(e, f);
  table weights = table_of(e, f);
  int k = e->rule->k, nv = e->form->nv, top = c->top[r], length = c->length[r];
  const int *state = c->state + r * DAE_ORDER_MAX;
  for (int l = 0; l < length - 1; l++) {
    int levels = length - 1 - l;
    for (int j = 0; j < k; j++) {
      double *row = W + (size_t)(j * nv + state[l]) * (size_t)cols;
      memset(row, 0, sizeof(double) * (size_t)cols);
      for (int q = 0; q < k; q++) {
        const double w = power[levels] * weights[levels][j][q];
        const double *from = W + (size_t)(q * nv + top) * (size_t)cols;
        for (int i = 0; i < cols; i++) row[i] += w * from[i];
      }
    }
  }
}

void dae_colloc_chains_solve(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                             const double *residual, double *dW) {
  const dae_colloc_chains *c = chains_of(e, f);
  int k = e->rule->k, nv = e->form->nv, count = c->count;
  double power[DAE_ORDER_MAX + 1];
  if (f->chained) {
    powers(h, power);
    shift_states(e, c, h, residual);
  }
  for (int j = 0; j < k; j++)
    for (int i = 0; i < count; i++) {
      double sum = -residual[j * nv + c->top[i]];
      const double *J = f->chained ? f->J + (j * nv + c->top[i]) * nv : NULL;
      for (int s = 0; J && s < nv; s++) sum += J[s] * e->shift[j * nv + s];
      dW[j * count + i] = sum;
    }
  dae_la_lu_solve(k * count, f->LU, f->pivot, dW);
  if (!f->chained) return;
  move_tops(e, c, 1, dW);
  for (int r = 0; r < count; r++) {
    const int *state = c->state + r * DAE_ORDER_MAX;
    fill_below(e, f, power, r, 1, dW);
    for (int l = 0; l < c->length[r] - 1; l++)
      for (int j = 0; j < k; j++)
        dW[j * nv + state[l]] -= e->shift[j * nv + state[l + 1]] + residual[j * nv + state[l]];
  }
}

/* what a unit change of each variable of Z0 adds to row i of point j: -J_il (h s)^(i-l)/(i-l)! */
static void map_row(const dae_colloc_element *e, const dae_colloc_chains *c, double hs,
                    const double *J, double *row) {
  memset(row, 0, sizeof(double) * (size_t)e->form->ns);
  for (int r = 0; r < c->count; r++) {
    const int *state = c->state + r * DAE_ORDER_MAX;
    for (int l = 0; l < c->length[r]; l++) {
      double v = -J[state[l]];
      for (int i = l; v != 0 && i < c->length[r]; i++) {
        row[state[i]] += v;
        v *= hs / (i - l + 1);
      }
    }
  }
}

void dae_colloc_chains_maps(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                            int cols, double *WZ) {
  const dae_colloc_chains *c = chains_of(e, f);
  int k = e->rule->k, nv = e->form->nv, ns = e->form->ns;
  double power[DAE_ORDER_MAX + 1];
  for (int j = 0; j < k; j++)
    for (int i = 0; i < c->count; i++)
      map_row(e, c, h * e->rule->rho[j], e->SJ + (j * nv + c->top[i]) * ns,
              WZ + (size_t)(j * c->count + i) * (size_t)cols);
  dae_la_lu_solve_many(k * c->count, f->LU, f->pivot, ns, cols, WZ);
  if (!f->chained) return;
  powers(h, power);
  move_tops(e, c, cols, WZ);
  for (int r = 0; r < c->count; r++) {
    const int *state = c->state + r * DAE_ORDER_MAX;
    fill_below(e, f, power, r, cols, WZ);
    for (int l = 0; l < c->length[r] - 1; l++)
      for (int j = 0; j < k; j++) {
        double v = 1, *row = WZ + (size_t)(j * nv + state[l]) * (size_t)cols;
        for (int i = l + 1; i < c->length[r]; i++) {
          row[state[i]] += v;
          v *= h * e->rule->rho[j] / (i - l);
        }
      }
  }
}
