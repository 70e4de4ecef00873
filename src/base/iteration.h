/*
 * iteration: has it converged? One judge for Newton's method in all its forms and its relatives.
 *
 * It sees the sizes d_1, d_2, .. of corrections (or residuals), as its caller measures them.
 * Where they fall by the rate theta = d_k / d_(k-1),
 *   theta/(1 - theta) d_k                 is what is left after the correction d_k,
 *   theta^(n-k) theta/(1 - theta) d_k     what will be left after n of them.
 * At the level of rounding they no longer fall: that is convergence as well.
 */
#ifndef DAE_BASE_ITERATION_H
#define DAE_BASE_ITERATION_H

#include <math.h>
#include <stdbool.h>

typedef enum dae_progress {
  DAE_CONVERGED,
  DAE_GO_ON,
  DAE_SLOW,    /* go on, with a new matrix if the present one is old */
  DAE_DIVERGED /* or out of corrections */
} dae_progress;

/* What counts as what. Sizes are relative to `unit` of dae_base_judge; a rule that is 0 is none */
typedef struct dae_iteration_rule {
  int limit;     /* corrections at most */
  double enough; /* the last one: nothing is left beside it */
  double floor;  /* up to here they may be rounding, if they stand still: */
  double still;  /* .. more than this part of the one before is left */
  int patience;  /* .. as often in a row (0: once) */
  double slow;   /* more than this part of the one before */
  double growth; /* diverged: more than so many times the one before, */
  int tries;     /* .. after as many corrections */
  int stalls;    /* .. or as many that stood still, in a row or not */
  bool by_turns; /* two kinds of unknowns converge by turns: `still` and `growth` are meant against
                    the last but one */
} dae_iteration_rule;

typedef struct dae_iteration {
  int count;
  double size, before, before_that; /* the corrections, the latest first */
  double rate;                      /* size / before; 0 at the first */
  int stood, stalled;               /* that stood still: in a row, in all */
} dae_iteration;

/* the state before the first correction */
static inline dae_iteration dae_base_iteration(void) {
  return (dae_iteration){.size = HUGE_VAL, .before = HUGE_VAL, .before_that = HUGE_VAL};
}

/* the next correction: its size, and the unit in which the rule is meant. Inline, as projections
   ask several times in a step by a rule that is known when they are compiled */
static inline dae_progress dae_base_judge(dae_iteration *c, const dae_iteration_rule *r,
                                          double size, double unit) {
  c->before_that = c->before;
  c->before = c->size;
  c->size = size;
  c->rate = size / c->before;
  c->count++;
  if (!isfinite(size)) return DAE_DIVERGED;
  const double earlier = r->by_turns ? c->before_that : c->before;
  const bool still = r->still > 0 && size > r->still * earlier;
  if (r->patience > 0) c->stood = still ? c->stood + 1 : 0;
  c->stalled += still;
  if (size <= r->enough * unit) return DAE_CONVERGED;
  if (size <= r->floor * unit && still && (r->patience == 0 || c->stood >= r->patience))
    return DAE_CONVERGED;
  if (r->growth > 0 && c->count > r->tries && size > r->growth * earlier) return DAE_DIVERGED;
  if (r->stalls > 0 && c->stalled >= r->stalls) return DAE_DIVERGED;
  if (r->limit > 0 && c->count >= r->limit) return DAE_DIVERGED;
  return r->slow > 0 && size > r->slow * c->before ? DAE_SLOW : DAE_GO_ON;
}

/* theta/(1 - theta); infinite from the ceiling (at most 1) on, where a rate tells nothing more */
double dae_base_left(double rate, double ceiling);
/* will more than `enough` be left of a correction of this size after `more` others, with the rate
   and what is left at it? */
bool dae_base_hopeless(double rate, double left, double size, int more, double enough);

#endif
