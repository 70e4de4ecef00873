/* tables that were written before: csv and json of runs and sweeps, and csv of others */
#ifndef STORED_H
#define STORED_H

#include "cli.h"

typedef struct cli_stored {
  const char *file;
  char *problem; /* what was solved, "" */
  int count;     /* columns */
  char **name;
  char **unit; /* "" where nothing is known */
  long rows;
  double **value;    /* column by column; NULL: was not asked for. NaN: empty, or no number */
  const char *text;  /* of the file */
  size_t size, data; /* and where its rows begin */
  bool json, mapped;
} cli_stored;

/* the names of the columns; CLI_OK, or CLI_FILE or CLI_USAGE after a line on standard error */
int cli_stored_open(cli_stored *t, const char *file);
/* the values of some columns */
int cli_stored_read(cli_stored *t, const bool *wanted);
void cli_stored_close(cli_stored *t);
/* place of a column, -1 */
int cli_stored_find(const cli_stored *t, const char *name);
/* is it the table of a sweep? */
bool cli_stored_sweep(const cli_stored *t);

#endif
