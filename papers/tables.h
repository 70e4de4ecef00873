/* the tables of the papers, one file a paper; index.c lists them */
#ifndef PAPERS_TABLES_H
#define PAPERS_TABLES_H

#include "papers.h"

#define ROW(l, s, o, ...) {.label = l, .set = s, .options = o, .cell = {__VA_ARGS__}}
/* a cell whose digits come out; and the others */
#define PRINTED(q, p) {.quantity = q, .printed = p}
#define MAGNITUDE(q, p, why) {.quantity = q, .printed = p, .kind = PAPERS_MAGNITUDE, .reason = why}
#define MISPRINT(q, p, is, why) \
  {.quantity = q, .printed = p, .kind = PAPERS_MISPRINT, .truth = is, .reason = why}
#define ROUNDING(q, p, below, why) \
  {.quantity = q, .printed = p, .kind = PAPERS_ROUNDING, .truth = below, .reason = why}
#define NO_DATA(q, p, why) {.quantity = q, .printed = p, .kind = PAPERS_NO_DATA, .reason = why}
#define SINGULAR(q, p, why) {.quantity = q, .printed = p, .kind = PAPERS_SINGULAR, .reason = why}

extern const papers_table papers_aqr_1_1,
    papers_aqr_3_1,
    papers_ap_4_1,
    papers_ap_4_2,
    papers_ap_4_3,
    papers_ap_4_4,
    papers_ap_4_5,
    papers_ap_4_6,
    papers_ap_4_7,
    papers_ap_4_8,
    papers_ap_4_9,
    papers_col_4_1,
    papers_col_4_2,
    papers_col_4_3,
    papers_col_4_4,
    papers_col_4_4_as_published,
    papers_al_6_1,
    papers_al_6_2,
    papers_al_6_3,
    papers_al_6_4,
    papers_al_6_5;

#endif
