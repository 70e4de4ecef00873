/* daedal sweep --mpi: hands over to daedal-mpi, which lies beside the command or on the path; so
   the command itself needs no MPI */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the place of this command, or "" where the system does not tell */
static void own_path(char *path, size_t size) {
  ssize_t n = readlink("/proc/self/exe", path, size - 1);
  path[n > 0 ? n : 0] = '\0';
}

bool cli_mpi_asked(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--mpi") == 0) return true;
  return false;
}

int cli_mpi(int argc, char **argv) {
  static const char program[] = "daedal-mpi";
  char own[PATH_MAX], path[PATH_MAX + sizeof program];
  char **list = cli_take((size_t)argc + 2, sizeof *list);
  own_path(own, sizeof own);
  if (own[0]) setenv("DAEDAL", own, 1); /* the same command computes the parts */
  char *slash = strrchr(own, '/');
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - own) + 1 : 0, own, program);
  list[0] = path;
  memcpy(list + 1, argv, (size_t)argc * sizeof *list);
  if (slash) execv(path, list);
  execvp(program, list);
  int error = errno;
  free(list);
  if (error == ENOENT)
    return cli_fail(CLI_USAGE,
                    "--mpi: there is no %s beside the command or on the path; it is "
                    "built where MPI is found ('./bootstrap petsc' installs one)",
                    program);
  return cli_fail(CLI_FILE, "--mpi: cannot run %s: %s", program, strerror(error));
}
