/* the list of tables */
#include <string.h>

#include "tables.h"

static const papers_table *const table[] = {
    &papers_aqr_1_1, &papers_aqr_3_1, &papers_ap_4_1,  &papers_ap_4_2,
    &papers_ap_4_3,  &papers_ap_4_4,  &papers_ap_4_5,  &papers_ap_4_6,
    &papers_ap_4_7,  &papers_ap_4_8,  &papers_ap_4_9,  &papers_col_4_1,
    &papers_col_4_2, &papers_col_4_3, &papers_col_4_4, &papers_col_4_4_as_published,
    &papers_al_6_1,  &papers_al_6_2,  &papers_al_6_3,  &papers_al_6_4,
    &papers_al_6_5,
};
enum { TABLES = sizeof table / sizeof *table };

const papers_table *papers_at(int i) { return i >= 0 && i < TABLES ? table[i] : NULL; }

const papers_table *papers_find(const char *id) {
  for (int i = 0; i < TABLES; i++)
    if (strcmp(table[i]->id, id) == 0) return table[i];
  return NULL;
}
