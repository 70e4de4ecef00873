/* generated C -> a shared object in the user's cache -> loaded functions; no shell is involved */
#include <dlfcn.h>
#include <fcntl.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/code.h"

extern char **environ;

enum { PATH_SIZE = 1024 };

static bool fail(char *why, size_t size, const char *text, const char *detail) {
  snprintf(why, size, "%s%s%s", text, detail[0] ? ": " : "", detail);
  return false;
}

/* mkdir -p, for the user alone */
static bool make_folder(char *path) {
  for (char *c = path + 1; *c; c++) {
    if (*c != '/') continue;
    *c = '\0';
    int code = mkdir(path, 0700);
    *c = '/';
    if (code != 0 && errno != EEXIST) return false;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* the folder must be ours and closed to others: what lies in it will be loaded as code */
static bool trusted(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool cache_folder(const char *cache, char *path, size_t size) {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n;
  if (cache)
    n = snprintf(path, size, "%s", cache);
  else if (xdg && xdg[0] == '/')
    n = snprintf(path, size, "%s/daedal", xdg);
  else if (home && home[0] == '/')
    n = snprintf(path, size, "%s/.cache/daedal", home);
  else
    return false;
  return n > 0 && (size_t)n < size - 64 && path[0] && make_folder(path) && trusted(path);
}

/* two FNV-1a hashes: the name of the object; the text itself is compared before use */
static void content_name(const char *text, int length, char *name, size_t size) {
  uint64_t a = 14695981039346656037u, b = 0x9AE16A3B2F90404Fu;
  for (int i = 0; i < length; i++) {
    a = (a ^ (unsigned char)text[i]) * 1099511628211u;
    b = (b ^ (unsigned char)text[length - 1 - i]) * 1099511628211u;
  }
  snprintf(name, size, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

static bool write_file(const char *path, const char *text, int length) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return false;
  int done = 0;
  while (done < length) {
    ssize_t n = write(fd, text + done, (size_t)(length - done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += (int)n;
  }
  return close(fd) == 0 && done == length;
}

/* the stored text is the same as ours */
static bool same_file(const char *path, const char *text, int length) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char block[8192];
  int at = 0;
  bool same = true;
  for (size_t n; same && (n = fread(block, 1, sizeof block, file)) > 0; at += (int)n)
    same = (int)n <= length - at && memcmp(block, text + at, n) == 0;
  fclose(file);
  return same && at == length;
}

/* run the compiler with its messages thrown away */
static bool run_compiler(const char *compiler, const char *source, const char *object,
                         const char *level) {
  char *const arguments[] = {(char *)compiler,
                             (char *)level,
                             "-std=c11",
                             "-shared",
                             "-fPIC",
                             "-ffp-contract=off",
                             "-fno-math-errno",
                             "-w",
                             "-fvisibility=hidden",
                             "-o",
                             (char *)object,
                             (char *)source,
                             "-lm",
                             NULL};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int code = posix_spawnp(&child, compiler, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return false;
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool load(dae_code *code, const char *path, char *why, size_t size) {
  code->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!code->library) {
    const char *error = dlerror();
    return fail(why, size, "the compiled model could not be loaded", error ? error : "");
  }
  const dae_compiled *table = (const dae_compiled *)dlsym(code->library, "daedal_functions");
  if (!table) return fail(why, size, "the compiled model is not complete", "");
  for (int k = 0; k < code->functions; k++) code->function[k]->compiled = table[k];
  return true;
}

/* compile to a name of our own, then rename: two processes may do the same at once */
static bool build(dae_code *code, const char *compiler, const char *folder, const char *name,
                  const char *object, char *why, size_t size) {
  char source[PATH_SIZE], fresh[PATH_SIZE], kept[PATH_SIZE];
  /* long straight-line code gains little from the second level, which takes twice the time */
  const char *level = code->text.length > 100000 ? "-O1" : "-O2";
  snprintf(source, sizeof source, "%s/%s-%ld.c", folder, name, (long)getpid());
  snprintf(fresh, sizeof fresh, "%s/%s-%ld.so", folder, name, (long)getpid());
  snprintf(kept, sizeof kept, "%s/%s.c", folder, name);
  unlink(source);
  if (!write_file(source, code->text.data, code->text.length)) {
    unlink(source);
    return fail(why, size, "the cache folder cannot be written", folder);
  }
  bool ok = run_compiler(compiler, source, fresh, level);
  if (!ok)
    fail(why, size, "there is no working C compiler", compiler);
  else if (rename(fresh, object) != 0 || rename(source, kept) != 0)
    ok = fail(why, size, "the cache folder cannot be written", folder);
  if (!ok) {
    unlink(source);
    unlink(fresh);
  }
  return ok;
}

bool dae_model_compile(dae_code *code, const char *compiler, const char *cache, char *why,
                       size_t size) {
  char folder[PATH_SIZE - 128], object[PATH_SIZE], source[PATH_SIZE], name[40];
  const char *cc = compiler ? compiler : "cc";
  if (!cc[0]) return fail(why, size, "no compiler is wanted", "");
  if (cache && !cache[0]) return fail(why, size, "no cache folder is wanted", "");
  if (!cache_folder(cache, folder, sizeof folder))
    return fail(why, size, "there is no cache folder that belongs to this user alone", "");
  content_name(code->text.data, code->text.length, name, sizeof name);
  snprintf(object, sizeof object, "%s/%s.so", folder, name);
  snprintf(source, sizeof source, "%s/%s.c", folder, name);
  bool known = same_file(source, code->text.data, code->text.length) && trusted(object);
  if (!known && !build(code, cc, folder, name, object, why, size)) return false;
  if (load(code, object, why, size)) return true;
  unlink(object);
  return false;
}

void dae_model_code_free(dae_code *code) {
  if (code->library) dlclose(code->library);
  const dae_allocator *from = &code->arena->pool.allocator;
  for (int k = 0; k < DAE_WORKSPACES; k++)
    if (code->workspace[k]) from->give(code->workspace[k], from->ctx);
}
