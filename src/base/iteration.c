/* when an iteration has converged, is slow, or has failed */
#include <math.h>

#include "base/iteration.h"

dae_progress dae_base_judge(dae_iteration *c, const dae_iteration_rule *r, double size,
                            double unit) {
  c->before_that = c->before;
  c->before = c->size;
  c->size = size;
  c->rate = size / c->before;
  c->count++;
  if (!isfinite(size)) return DAE_DIVERGED;
  const double earlier = r->by_turns ? c->before_that : c->before;
  const bool still = r->still > 0 && size > r->still * earlier;
  c->stood = still ? c->stood + 1 : 0;
  c->stalled += still;
  if (size <= r->enough * unit) return DAE_CONVERGED;
  if (size <= r->floor * unit && still && c->stood >= r->patience) return DAE_CONVERGED;
  if (r->growth > 0 && c->count > r->tries && size > r->growth * earlier) return DAE_DIVERGED;
  if (r->stalls > 0 && c->stalled >= r->stalls) return DAE_DIVERGED;
  if (r->limit > 0 && c->count >= r->limit) return DAE_DIVERGED;
  return r->slow > 0 && size > r->slow * c->before ? DAE_SLOW : DAE_GO_ON;
}

double dae_base_left(double rate, double ceiling) {
  return rate < ceiling ? rate / (1 - rate) : INFINITY;
}

bool dae_base_hopeless(double rate, double left, double size, int more, double enough) {
  return !(left * size * pow(rate, more) <= enough);
}
