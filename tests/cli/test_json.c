/* the summary of --json: valid json with the fields and the numbers that scripts rely on */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "test.h"

#define COMMAND BUILD_DIR "/daedal "

static char text[1 << 20];

/* what the command prints; its exit code */
static int output_of(const char *arguments) {
  char line[1024];
  snprintf(line, sizeof line, COMMAND "%s 2>/dev/null", arguments);
  FILE *pipe = popen(line, "r");
  size_t n = fread(text, 1, sizeof text - 1, pipe);
  text[n] = '\0';
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *blank(const char *s) { return s + strspn(s, " \n\t\r"); }

/* string -> '"' { char | '\' escape } '"'; the end, or NULL */
static const char *string(const char *s) {
  if (*s++ != '"') return NULL;
  for (; *s && *s != '"'; s++) {
    if ((unsigned char)*s < 0x20) return NULL;
    if (*s == '\\' && !strchr("\"\\/bfnrtu", *++s)) return NULL;
  }
  return *s == '"' ? s + 1 : NULL;
}

/* number -> '-'? digits [ '.' digits ] [ e digits ]: no nan, no inf, no leading zero, no bare
   point */
static const char *number(const char *s) {
  if (*s == '-') s++;
  if (!isdigit((unsigned char)*s) || (s[0] == '0' && isdigit((unsigned char)s[1]))) return NULL;
  s += strspn(s, "0123456789");
  if (*s == '.') {
    if (!isdigit((unsigned char)s[1])) return NULL;
    s += 1 + strspn(s + 1, "0123456789");
  }
  if (*s == 'e' || *s == 'E') {
    s++;
    if (*s == '+' || *s == '-') s++;
    if (!isdigit((unsigned char)*s)) return NULL;
    s += strspn(s, "0123456789");
  }
  return s;
}

/* value -> object | array | string | number | null; writes the place of `path` ("a.b") to *found */
static const char *value(const char *s, const char *path, const char **found) {
  s = blank(s);
  if (path && !*path) *found = s;
  if (*s == '"') return string(s);
  if (strncmp(s, "null", 4) == 0) return s + 4;
  if (*s != '{' && *s != '[') return number(s);
  char close = *s == '{' ? '}' : ']';
  bool object = *s == '{';
  s = blank(s + 1);
  if (*s == close) return s + 1;
  for (;;) {
    const char *rest = NULL;
    if (object) {
      const char *key = s + 1, *end = string(s);
      if (!end) return NULL;
      size_t length = (size_t)(end - 1 - key);
      if (path && strncmp(path, key, length) == 0 && (path[length] == '/' || !path[length]))
        rest = path + length + (path[length] == '/');
      s = blank(end);
      if (*s++ != ':') return NULL;
    }
    s = value(s, rest, found);
    if (!s) return NULL;
    s = blank(s);
    if (*s == close) return s + 1;
    if (*s++ != ',') return NULL;
    s = blank(s);
  }
}

static bool valid(void) {
  const char *found, *end = value(text, NULL, &found);
  return end && *blank(end) == '\0';
}

/* the number at a path with '/' between the keys, NaN when there is none */
static double at(const char *path) {
  const char *found = NULL;
  value(text, path, &found);
  return found && number(found) ? strtod(found, NULL) : NAN;
}

static bool is(const char *path, const char *word) {
  const char *found = NULL;
  value(text, path, &found);
  size_t n = strlen(word);
  return found && found[0] == '"' && strncmp(found + 1, word, n) == 0 && found[n + 1] == '"';
}

static bool there(const char *path) {
  const char *found = NULL;
  value(text, path, &found);
  return found != NULL;
}

static void test_fields(void) {
  CHECK(output_of("run pendulum --stop 1.7 --tol 1e-9 --json") == 0);
  CHECK(valid());
  CHECK(is("problem", "pendulum"));
  CHECK(is("status", "ok"));
  CHECK(at("t0") == 0);
  CHECK(at("t1") == 1.7);
  CHECK(there("method") && there("form") && there("stabilize"));
  CHECK(at("steps") > 5 && at("evaluations") > at("steps"));
  CHECK(at("rejected") >= 0 && at("factorizations") >= 0 && at("seconds") > 0);
  CHECK(at("drift/position/max") < 1e-12 && at("drift/velocity/max") < 1e-12);
  CHECK(at("drift/position/final") <= at("drift/position/max"));
  CHECK(there("final/lambda") && there("multipliers_final/mu"));
  /* the point is on the circle */
  CHECK_NEAR(at("final/x") * at("final/x") + at("final/y") * at("final/y"), 1, 1e-12);
  /* x' of final_derivative is the velocity itself */
  CHECK(at("final_derivative/x") == at("final/der(x)"));
  /* the global error of a run with tolerance 1e-9 over less than a period */
  CHECK(at("error_max/x") < 1e-6 && at("error_max/x") >= at("error/x/max"));
  CHECK(at("error_final/x") <= at("error_max/x"));
  CHECK(at("error_max/y") < 1e-4);
}

static void test_index2(void) {
  CHECK(output_of("run linear-index2 --json") == 0);
  CHECK(valid());
  CHECK(there("drift/constraint/max") && !there("drift/position"));
  CHECK(there("error_max/x") && there("error_max/y") && !there("error_max/v"));
}

static void test_stopped(void) {
  CHECK(output_of("run pendulum --max-steps 5 --json") == 3);
  CHECK(valid());
  CHECK(is("status", "limit reached"));
  CHECK(at("steps") == 5);
  CHECK(at("reached") < at("t1"));
  CHECK(there("message") && there("final/x"));
}

static void test_output_drift(void) {
  CHECK(output_of("run pendulum --stop 2.3 --points 77 --json") == 0);
  CHECK(valid());
  CHECK(at("output_points") == 77);
  CHECK(at("drift_output/position") < 1e-12 && at("drift_output/velocity") < 1e-12);
}

/* the drift of the printed table of the slider-crank: second-order Adams-Bashforth with h = 0.1 */
static void test_published(void) {
  const char *line =
      "run slider-crank --form index1 --method ab2 --step 0.1 --stop 10 --direction pinv "
      "--level both --alpha 1 --json --stabilize ";
  char arguments[512];
  snprintf(arguments, sizeof arguments, "%s post", line);
  CHECK(output_of(arguments) == 0);
  /* four digits of the reference */
  CHECK_NEAR(at("drift/position/max"), 2.21806e-7, 5e-11);
  CHECK_NEAR(at("drift/velocity/max"), 7.47586e-4, 5e-8);
  snprintf(arguments, sizeof arguments, "%s none", line);
  CHECK(output_of(arguments) == 0);
  CHECK_NEAR(at("drift/position/max"), 1.11018e-2, 5e-6);
  CHECK_NEAR(at("drift/velocity/max"), 7.11413e-3, 5e-7);
}

static void test_check(void) {
  CHECK(output_of("check andrews --json") == 0);
  CHECK(valid());
  CHECK(at("index") == 3);
  CHECK(at("variables") == 14);
  CHECK(at("multipliers") == 6);
  CHECK(at("rank") == 6);
}

int main(void) {
  RUN(test_fields);
  RUN(test_index2);
  RUN(test_stopped);
  RUN(test_output_drift);
  RUN(test_published);
  RUN(test_check);
  return TEST_END();
}
