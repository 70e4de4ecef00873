/*
 * daedal-mpi: a sweep on many machines.
 *
 *   mpiexec -n 64 daedal-mpi MODEL --set k=1:100 --design lhs:100000 --output all.csv
 *
 * The sweep is cut into parts (daedal sweep --shard), many more than there are ranks. Rank 0 hands
 * out the next part to whoever is free, itself included; each is computed by a process of the
 * command, so that nothing here knows about models. In the end rank 0 merges the parts. A part that
 * is finished is a file and stays after a kill: the same command goes on with the others. Whether a
 * file that is there is whole, and of this sweep, is seen by the command that would write it.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <mpi.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { FREE = 1, PART = 2 }; /* tags: a rank is free; the part that it gets, 0: no more */
/* parts; and as many for each rank, so that all end at about the same time */
enum { PARTS_LEAST = 256, EACH = 8 };

typedef struct job {
  int argc;
  char **argv; /* of the sweep, without --output and --jobs */
  const char *command, *output;
  bool quiet;
  int parts, rank, ranks;
  int next, failed; /* rank 0: the next part to hand out; exit code of the first that failed */
} job;

static int fail(const job *j, int code, const char *text, const char *what) {
  if (j->rank == 0) fprintf(stderr, "daedal: %s%s\n", text, what);
  return code;
}

static void *take(size_t size) {
  void *p = calloc(1, size);
  if (!p) {
    fputs("daedal: out of memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return p;
}

static char *part_name(const job *j, int part) {
  size_t size = strlen(j->output) + 64;
  char *name = take(size);
  snprintf(name, size, "%s.part-%d-of-%d.csv", j->output, part, j->parts);
  return name;
}

/* starts a process of the command; its number, or -1 */
static pid_t start(const job *j, char **argv) {
  pid_t child;
  int error = posix_spawnp(&child, j->command, NULL, NULL, argv, environ);
  if (error == 0) return child;
  fprintf(stderr, "daedal: cannot run %s: %s\n", j->command, strerror(error));
  return -1;
}

static pid_t start_part(const job *j, int part) {
  char shard[64], *name = part_name(j, part);
  char **argv = take((size_t)(j->argc + 12) * sizeof *argv);
  int n = 0;
  snprintf(shard, sizeof shard, "%d/%d", part, j->parts);
  argv[n++] = (char *)j->command;
  argv[n++] = "sweep";
  for (int i = 0; i < j->argc; i++) argv[n++] = j->argv[i];
  char *own[] = {"--quiet", "--jobs", "1", "--shard", shard, "--output", name};
  for (size_t i = j->quiet; i < sizeof own / sizeof *own; i++) argv[n++] = own[i];
  pid_t child = start(j, argv);
  free(argv);
  free(name);
  return child;
}

/* the exit code of a process that has ended, or is waited for */
static int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_part(const job *j, int part) {
  int status = 0;
  pid_t child = start_part(j, part);
  if (child < 0) return 5;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return code_of(status);
}

/* the next part; 0: no more */
static int next_part(job *j) { return !j->failed && j->next < j->parts ? ++j->next : 0; }

/* a rank that is not the first: ask, compute, ask again, with the code of what was computed */
static void serve(const job *j) {
  int code = 0, part;
  do {
    MPI_Send(&code, 1, MPI_INT, 0, FREE, MPI_COMM_WORLD);
    MPI_Recv(&part, 1, MPI_INT, 0, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (part) code = run_part(j, part);
  } while (part);
}

static void note(job *j, int code) {
  if (code && !j->failed) j->failed = code;
}

/* a rank that asks gets the next part; false when none asks now */
static bool answer(job *j, int *busy) {
  int asked = 0, code;
  MPI_Status from;
  MPI_Iprobe(MPI_ANY_SOURCE, FREE, MPI_COMM_WORLD, &asked, &from);
  if (!asked) return false;
  MPI_Recv(&code, 1, MPI_INT, from.MPI_SOURCE, FREE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  note(j, code);
  int part = next_part(j);
  MPI_Send(&part, 1, MPI_INT, from.MPI_SOURCE, PART, MPI_COMM_WORLD);
  if (!part) --*busy;
  return true;
}

/* rank 0: its own process runs beside, while others are answered */
static void hand_out(job *j) {
  int busy = j->ranks - 1;
  pid_t child = -1;
  bool more = true;
  while (busy > 0 || child > 0 || more) {
    bool moved = answer(j, &busy);
    if (child < 0 && more) {
      int part = next_part(j);
      more = part != 0;
      if (part && (child = start_part(j, part)) < 0) note(j, 5);
    }
    int status;
    if (child > 0 && waitpid(child, &status, WNOHANG) == child) {
      note(j, code_of(status));
      child = -1;
      moved = true;
    }
    if (!moved) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

/* the parts as one table; then they are removed */
static int merge(const job *j) {
  char **argv = take((size_t)(j->parts + 4) * sizeof *argv);
  int status = 0;
  argv[0] = (char *)j->command;
  argv[1] = "merge";
  argv[2] = (char *)j->output;
  for (int i = 0; i < j->parts; i++) argv[i + 3] = part_name(j, i + 1);
  pid_t child = start(j, argv);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  int code = child > 0 ? code_of(status) : 5;
  for (int i = 0; i < j->parts; i++) {
    if (code == 0) unlink(argv[i + 3]);
    free(argv[i + 3]);
  }
  free(argv);
  return code;
}

/* takes --output away, and what has no meaning here */
static int read_arguments(job *j, int argc, char **argv) {
  j->argv = take((size_t)(argc + 1) * sizeof *j->argv);
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (i == 1 && strcmp(a, "sweep") == 0) continue;
    if (strcmp(a, "--mpi") == 0 || strcmp(a, "--progress") == 0) continue;
    if (strncmp(a, "--shard", 7) == 0 || strncmp(a, "--jobs", 6) == 0)
      return fail(j, 2,
                  "with --mpi the ranks are the jobs and the shards are made by themselves: ", a);
    if (strncmp(a, "--output=", 9) == 0) j->output = a + 9;
    else if (strcmp(a, "--output") == 0 && i + 1 < argc) j->output = argv[++i];
    else j->argv[j->argc++] = argv[i];
    if (strcmp(a, "--quiet") == 0) j->quiet = true;
  }
  size_t length = j->output ? strlen(j->output) : 0;
  if (length < 5 || strcmp(j->output + length - 4, ".csv") != 0)
    return fail(j, 2, "'daedal sweep --mpi' needs --output FILE.csv", "");
  while (j->parts < EACH * j->ranks || j->parts < PARTS_LEAST)
    j->parts = j->parts ? 2 * j->parts : PARTS_LEAST;
  return 0;
}

int main(int argc, char **argv) {
  job j = {.command = getenv("DAEDAL") ? getenv("DAEDAL") : "daedal"};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &j.ranks);
  int code = read_arguments(&j, argc, argv);
  if (code == 0 && j.rank > 0) serve(&j);
  if (code == 0 && j.rank == 0) {
    hand_out(&j);
    code = j.failed ? j.failed : merge(&j);
    if (j.failed) fail(&j, code, "some parts are not finished; the same command goes on", "");
  }
  free(j.argv);
  MPI_Finalize();
  return code;
}
