/* is a computed value what was printed? */
#include <math.h>

#include "papers.h"

const char *papers_verdict_name(papers_verdict v) {
  static const char *const name[] = {"digits",   "magnitude", "misprint",
                                     "rounding", "no data",   "differs"};
  return name[v];
}

/* rounded to two digits, off by one unit of the second at most: the prints were rounded or
   chopped */
bool papers_agree(double printed, double computed) {
  computed = fabs(computed), printed = fabs(printed);
  if (isnan(printed)) return isnan(computed);
  if (printed == 0) return computed < 1e-12;
  double unit = pow(10, floor(log10(printed) * (1 + 1e-15) + 1e-12) - 1);
  return fabs(computed - printed) < 1.5 * unit;
}

static bool same_size(double printed, double computed) {
  double ratio = fabs(computed) / fabs(printed);
  return ratio > 0.5 && ratio < 2;
}

papers_verdict papers_judge(const papers_cell *cell, double computed, dae_status status) {
  switch (cell->kind) {
    case PAPERS_SINGULAR: return status == DAE_E_SINGULAR ? PAPERS_V_ROUNDING : PAPERS_V_DIFFERS;
    case PAPERS_ROUNDING:
      return fabs(computed) <= cell->truth ? PAPERS_V_ROUNDING : PAPERS_V_DIFFERS;
    case PAPERS_MISPRINT:
      if (papers_agree(cell->printed, computed)) return PAPERS_V_DIGITS;
      return papers_agree(cell->truth, computed) ? PAPERS_V_MISPRINT : PAPERS_V_DIFFERS;
    case PAPERS_NO_DATA: return PAPERS_V_NO_DATA;
    case PAPERS_MAGNITUDE:
    case PAPERS_DIGITS: break;
  }
  if (papers_agree(cell->printed, computed)) return PAPERS_V_DIGITS;
  return cell->kind == PAPERS_MAGNITUDE && same_size(cell->printed, computed) ? PAPERS_V_MAGNITUDE
                                                                              : PAPERS_V_DIFFERS;
}
