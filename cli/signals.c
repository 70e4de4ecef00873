/*
 * Signals that end a process: the files are finished first.
 *
 * While a loop looks at cli_interrupted() between its steps a signal is only noted; the run ends in
 * good order, with everything that was computed in its files, and then the process dies of that
 * signal, as whoever sent it expects. At other times, and when a second signal shows that nobody
 * looks, temporary files are removed and the process dies at once. A handler may do no more than
 * set a flag and call unlink, signal and raise.
 */
#include "cli.h"

#include <signal.h>
#include <unistd.h>

enum { FILES = 8 }; /* open at the same time: a table, a picture, a sweep's table */

static volatile sig_atomic_t polled, received;
static char *volatile temporary[FILES];

/* all that ask a process to end; those of errors in the program itself are not caught */
static const int ending[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGALRM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGPIPE};
enum { ENDING = sizeof ending / sizeof *ending };

static void die(int number) {
  for (int i = 0; i < FILES; i++) {
    char *path = temporary[i];
    if (path) unlink(path);
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void on_signal(int number) {
  /* whoever reads our output is gone: there is nothing to finish for */
  if (!polled || received || number == SIGPIPE) die(number);
  else received = number;
}

void cli_signals_catch(void) {
  struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_RESTART}, old;
  sigemptyset(&act.sa_mask);
  for (int i = 0; i < ENDING; i++)
    /* what was ignored when we began stays ignored: nohup, and background jobs of a shell */
    if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(ending[i], &act, NULL);
}

void cli_signals_poll(bool on) { polled = on; }

bool cli_interrupted(void) { return received != 0; }

void cli_signals_end(void) {
  if (received) die(received);
}

void cli_temporary_add(char *path) {
  int i = 0;
  while (i < FILES - 1 && temporary[i]) i++;
  temporary[i] = path;
}

void cli_temporary_drop(const char *path) {
  for (int i = 0; i < FILES; i++)
    if (path && temporary[i] == path) temporary[i] = NULL;
}
