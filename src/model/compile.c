/* generated C -> a shared object in the user's cache -> loaded functions; no shell is involved */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/cache.h"
#include "model/code.h"
#include <daedal/version.h>

extern char **environ;

enum {
  LONG_TEXT = 100000,        /* straight-line code of this length gains little from -O2.. */
  LONGER_TEXT = 2000000,     /* ..and -O1 takes ten times as long as no optimization */
  LONGEST_TEXT = 20000000,   /* a compiler would need minutes and gigabytes */
  WAIT_NANOSECONDS = 1000000 /* between two looks at the compiler */
};

#define OPTIONS                                                                 \
  "-std=c11", "-shared", "-fPIC", "-ffp-contract=off", "-fno-math-errno", "-w", \
      "-fvisibility=hidden"

static bool fail(const dae_compile *c, const char *text, const char *detail) {
  snprintf(c->why, c->why_size, "%s%s%s", text, detail[0] ? ": " : "", detail);
  return false;
}

/* ---- what the object depends on beside the text ---- */

/* the file that `name` would start, as the shell would find it */
static bool find_program(const char *name, struct stat *s, char *path, size_t size) {
  const char *at = getenv("PATH");
  if (strchr(name, '/')) {
    snprintf(path, size, "%s", name);
    return stat(path, s) == 0;
  }
  for (size_t n; at && *at; at += n + (at[n] == ':')) {
    n = strcspn(at, ":");
    int length = snprintf(path, size, "%.*s%s%s", (int)n, at, n ? "/" : "", name);
    if (length > 0 && (size_t)length < size && stat(path, s) == 0 && S_ISREG(s->st_mode) &&
        access(path, X_OK) == 0)
      return true;
  }
  return false;
}

/* a text to be compiled, and the object once it is loaded */
typedef struct c_text {
  const char *text, *level;
  size_t length;
  void *library;
} c_text;

/* program, machine, compiler (another one after an update) and its options; false: no compiler */
static bool make_head(const c_text *code, const char *compiler, char *head, size_t size) {
  static const char *const option[] = {OPTIONS};
  char path[DAE_PATH];
  struct stat s;
  struct utsname u;
  if (!find_program(compiler, &s, path, sizeof path)) return false;
  if (uname(&u) != 0) u.machine[0] = '\0';
  int n =
      snprintf(head, size, "/* daedal %s, %zu bits, %.60s, %.400s %lld %lld %lld.%09ld %s",
               DAE_VERSION, 8 * sizeof(void *), u.machine, path, (long long)s.st_ino,
               (long long)s.st_size, (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, code->level);
  for (size_t k = 0; k < sizeof option / sizeof *option && n > 0 && (size_t)n < size; k++)
    n += snprintf(head + n, size - (size_t)n, " %s", option[k]);
  if (n > 0 && (size_t)n < size) snprintf(head + n, size - (size_t)n, " */\n");
  return true;
}

/* ---- the compiler ---- */

/* the environment with TMPDIR in the workroom, so that all files of a compilation go with it */
static char **make_environment(char *tmpdir) {
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **list = malloc((count + 2) * sizeof *list);
  for (size_t k = 0; list && k < count; k++)
    if (strncmp(environ[k], "TMPDIR=", 7) != 0) list[kept++] = environ[k];
  if (list) list[kept++] = tmpdir, list[kept] = NULL;
  return list;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum outcome { COMPILED, NOT_FOUND, REFUSED, TOO_SLOW } outcome;

/* waits for the child, but not for ever */
static outcome await(pid_t child, double seconds) {
  int status;
  double end = now() + seconds;
  for (;;) {
    pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child) break;
    if (got < 0 && errno != EINTR) return REFUSED;
    if (now() > end) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return TOO_SLOW;
    }
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NANOSECONDS}, NULL);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? COMPILED : REFUSED;
}

/* run the compiler, its messages go to a file */
static outcome run_compiler(const char *compiler, const char *room, const char *level,
                            double seconds) {
  char source[DAE_PATH], object[DAE_PATH], errors[DAE_PATH], tmpdir[DAE_PATH + 8];
  snprintf(source, sizeof source, "%s/model.c", room);
  snprintf(object, sizeof object, "%s/model.so", room);
  snprintf(errors, sizeof errors, "%s/errors", room);
  snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", room);
  char *const arguments[] = {(char *)compiler, (char *)level, OPTIONS, "-o",
                             object,           source,        "-lm",   NULL};
  char **environment = make_environment(tmpdir);
  posix_spawn_file_actions_t actions;
  if (!environment || posix_spawn_file_actions_init(&actions) != 0) {
    free(environment);
    return REFUSED;
  }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child;
  int code = posix_spawnp(&child, compiler, &actions, NULL, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  free(environment);
  if (code != 0) return code == ENOENT ? NOT_FOUND : REFUSED;
  return await(child, seconds);
}

/* the first error that the compiler told, else its first line */
static void first_line(const char *room, char *line, size_t size) {
  char path[DAE_PATH];
  snprintf(path, sizeof path, "%s/errors", room);
  FILE *file = fopen(path, "r");
  char next[400];
  line[0] = '\0';
  while (file && fgets(next, sizeof next, file)) {
    bool error = strstr(next, "error:") != NULL;
    next[strcspn(next, "\n")] = '\0';
    if (error || !line[0]) snprintf(line, size, "%.199s", next);
    if (error) break;
  }
  if (file) fclose(file);
}

static bool write_source(const char *room, const char *text, size_t length) {
  char path[DAE_PATH];
  snprintf(path, sizeof path, "%s/model.c", room);
  int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  FILE *file = handle < 0 ? NULL : fdopen(handle, "w");
  if (!file) return false;
  bool ok = fwrite(text, 1, length, file) == length;
  return fclose(file) == 0 && ok;
}

/* ---- all together ---- */

static bool load(c_text *code, const char *path, const dae_compile *c) {
  code->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (code->library) return true;
  const char *error = dlerror();
  return fail(c, "the compiled model could not be loaded", error ? error : "");
}

typedef enum built { BUILT, NO_ROOM, FAILED } built;

/* the object in room/model.so */
static built make_object(const c_text *code, const char *room, const dae_compile *c) {
  char line[200];
  if (!write_source(room, code->text, code->length)) return NO_ROOM;
  switch (run_compiler(c->compiler, room, code->level, c->seconds)) {
    case COMPILED: return BUILT;
    case NOT_FOUND: fail(c, "no C compiler was found", c->compiler); break;
    case TOO_SLOW: fail(c, "the C compiler took too long (model_seconds)", c->compiler); break;
    case REFUSED:
      first_line(room, line, sizeof line);
      fail(c, "the C compiler failed", line[0] ? line : c->compiler);
  }
  return FAILED;
}

/* compiles in a workroom inside `folder`; the entry `path`, or where there is no cache (NULL) the
   object itself, is loaded */
static built build(c_text *code, const char *folder, const dae_cache_key *key, const char *path,
                   const dae_compile *c) {
  char room[DAE_PATH - 64], object[DAE_PATH];
  fail(c, "the folder for the compilation cannot be written", folder);
  if (!dae_model_cache_workroom(folder, room, sizeof room)) return NO_ROOM;
  snprintf(object, sizeof object, "%s/model.so", room);
  built made = make_object(code, room, c);
  if (made == BUILT) {
    /* a full disk is no reason to go without the object */
    bool kept = path && dae_model_cache_put(object, key, path);
    if (!load(code, kept ? path : object, c)) made = FAILED;
  }
  dae_model_cache_clear(room);
  return made;
}

void *dae_model_object(const char *text, size_t length, const char *level,
                       const dae_compile *wish) {
  char folder[DAE_PATH - 256], path[DAE_PATH], head[1200];
  dae_compile c = *wish;
  c_text code = {.text = text, .level = level, .length = length};
  if (!c.compiler) c.compiler = "cc";
  if (!c.compiler[0]) fail(&c, "no compiler is wanted", "");
  else if (c.cache && !c.cache[0]) fail(&c, "no cache folder is wanted", "");
  else if (length > LONGEST_TEXT) fail(&c, "the code is too long for a compiler", "");
  else if (!make_head(&code, c.compiler, head, sizeof head))
    fail(&c, "no C compiler was found", c.compiler);
  else {
    dae_cache_key key = {.head = head, .text = text, .length = length};
    dae_model_cache_name(&key);
    built made = NO_ROOM;
    if (dae_model_cache_folder(c.cache, folder, sizeof folder)) {
      if (dae_model_cache_find(folder, &key, path, sizeof path) && load(&code, path, &c))
        return code.library;
      dae_model_cache_tidy(folder);
      made = build(&code, folder, &key, path, &c);
    }
    /* no cache: the object lives in a folder for temporary files until it is loaded */
    const char *temporary = getenv("TMPDIR");
    if (made == NO_ROOM)
      build(&code, temporary && temporary[0] == '/' ? temporary : "/tmp", &key, NULL, &c);
  }
  return code.library;
}

bool dae_model_compile(dae_code *code, const dae_compile *wish) {
  size_t length = (size_t)code->text.length;
  const char *level = length > LONGER_TEXT ? "-O0" : length > LONG_TEXT ? "-O1" : "-O2";
  void *library = dae_model_object(code->text.data, length, level, wish);
  if (!library) return false;
  const dae_compiled *table = (const dae_compiled *)dlsym(library, "daedal_functions");
  if (!table) {
    dlclose(library);
    return fail(wish, "the compiled model is not complete", "");
  }
  code->library = library;
  for (int k = 0; k < code->functions; k++) code->function[k]->compiled = table[k];
  return true;
}

void dae_model_code_free(dae_code *code) {
  if (code->library) dlclose(code->library);
  const dae_allocator *from = &code->arena->pool.allocator;
  for (int k = 0; k < DAE_WORKSPACES; k++)
    if (code->workspace[k]) from->give(code->workspace[k], from->ctx);
}
