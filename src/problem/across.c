/* invariants that hold algebraic entries of z: along which columns they are restored */
#include <string.h>

#include "problem/inside.h"

static bool is_algebraic(const dae_point *p, const dae_row *r, int k) {
  return r->x[k] != 0 && p->sys->p->ode.algebraic[dae_row_column(r, k)];
}

/* a column of its own for row i, others giving way (Kuhn's augmenting paths) */
static bool match(dae_point *p, int i) {
  const dae_row r = dae_matrix_row(&p->G, i);
  for (int k = 0; k < r.count; k++) {
    const int j = dae_row_column(&r, k);
    if (!is_algebraic(p, &r, k) || p->seen[j]) continue;
    p->seen[j] = 1;
    if (p->row_of[j] >= 0 && !match(p, p->row_of[j])) continue;
    p->row_of[j] = i;
    p->entry_of[i] = k;
    return true;
  }
  return false;
}

/* entry_of: for each row that holds algebraic entries the place of one, no two in one column; false
   when there is none. That of the point before is kept while its entries are there */
static bool find_match(dae_point *p) {
  bool kept = p->matched, found = true;
  for (int i = 0; i < p->G.rows && kept; i++) {
    const dae_row r = dae_matrix_row(&p->across, i);
    kept = p->entry_of[i] < 0 || is_algebraic(p, &r, p->entry_of[i]);
  }
  if (kept) return true;
  for (int j = 0; j < p->sys->nz; j++) p->row_of[j] = -1;
  for (int i = 0; i < p->G.rows && found; i++) {
    const dae_row r = dae_matrix_row(&p->G, i);
    bool any = false;
    for (int k = 0; k < r.count; k++) any |= is_algebraic(p, &r, k);
    p->entry_of[i] = -1;
    memset(p->seen, 0, (size_t)p->sys->nz);
    if (any) found = match(p, i);
  }
  return found;
}

void dae_point_find_across(dae_point *p) {
  const size_t bytes = (size_t)p->G.size * sizeof *p->G.x;
  memcpy(p->across.x, p->G.x, bytes);
  for (int i = 0; i < p->G.rows; i++) {
    dae_row r = dae_matrix_row(&p->across, i);
    bool any = false;
    for (int k = 0; k < r.count; k++) any |= is_algebraic(p, &r, k);
    for (int k = 0; any && k < r.count; k++)
      if (!is_algebraic(p, &r, k)) r.x[k] = 0;
  }
  p->matched = find_match(p);
  memcpy(p->along.x, p->across.x, bytes);
  for (int i = 0; i < p->G.rows && p->matched; i++) {
    dae_row r = dae_matrix_row(&p->along, i);
    if (p->entry_of[i] < 0) continue;
    memset(r.x, 0, (size_t)r.count * sizeof *r.x);
    r.x[p->entry_of[i]] = 1;
  }
}
