/* daedal papers: the published tables come out; a table, a wrong name, the list */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "test.h"

static char text[1 << 18];

static int output_of(const char *arguments) {
  char line[512];
  snprintf(line, sizeof line, BUILD_DIR "/daedal papers %s 2>&1", arguments);
  FILE *pipe = popen(line, "r");
  size_t n = fread(text, 1, sizeof text - 1, pipe);
  text[n] = '\0';
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* all cells of the 1992 and 1993 tables that the methods can give: 338 less 9 prints that are wrong
   or rounding */
static void tables_come_out(void) {
  CHECK(output_of("all") == 0);
  CHECK(strstr(text, "differs:") == NULL);
  static const struct {
    const char *id;
    int cells, digits;
  } expected[] = {{"aqr-1.1", 36, 35}, {"aqr-3.1", 12, 12}, {"ap-4.1", 18, 15}, {"ap-4.2", 16, 15},
                  {"ap-4.3", 45, 45},  {"ap-4.4", 27, 27},  {"ap-4.5", 45, 44}, {"ap-4.6", 27, 27},
                  {"ap-4.7", 45, 42},  {"ap-4.8", 27, 27},  {"ap-4.9", 40, 40}, {"al-6.1", 96, 94},
                  {"al-6.2", 60, 53},  {"al-6.3", 20, 19},  {"al-6.4", 36, 35}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    char head[32], tail[64];
    snprintf(head, sizeof head, "%s  ", expected[i].id);
    snprintf(tail, sizeof tail, "%d cells: %d digits", expected[i].cells, expected[i].digits);
    const char *at = strstr(text, head), *sum = at ? strstr(at, " cells:") : NULL;
    CHECK(sum != NULL);
    if (!sum) continue;
    while (sum > at && sum[-1] != ' ') sum--;
    if (strncmp(sum, tail, strlen(tail)) != 0) printf("%s: %.60s\n", expected[i].id, sum);
    CHECK(strncmp(sum, tail, strlen(tail)) == 0);
  }
}

/* the step that cannot be solved is named with its time and equation, not printed as numbers */
static void singular_step_is_reported(void) {
  char line[512];
  snprintf(line, sizeof line,
           BUILD_DIR "/daedal run linear-index3 --set nu=100 --set alpha=2 --form index2 --method "
                     "backward-euler --step 0.01 --stabilize none 2>&1");
  FILE *pipe = popen(line, "r");
  size_t n = fread(text, 1, sizeof text - 1, pipe);
  text[n] = '\0';
  int status = pclose(pipe);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  CHECK(strstr(text, "singular") != NULL);
  CHECK(strstr(text, "0.98") != NULL || strstr(text, "0.99") != NULL);
}

static void names(void) {
  CHECK(output_of("") == 0);
  CHECK(strstr(text, "ap-4.9") != NULL);
  CHECK(output_of("ap-4.2") == 0);
  CHECK(strstr(text, "ap-4.1") == NULL && strstr(text, "9.1996e+73") != NULL);
  CHECK(output_of("ap-4.22") == 2);
  CHECK(strstr(text, "did you mean 'ap-4.2'") != NULL);
}

/* figures: one, all, and a name that is not a picture */
static void figures(void) {
  char arguments[512];
  snprintf(arguments, sizeof arguments, "fig-4.3 --plot %s/papers_figure.svg", BUILD_DIR);
  remove(BUILD_DIR "/papers_figure.svg");
  CHECK(output_of(arguments) == 0);
  FILE *file = fopen(BUILD_DIR "/papers_figure.svg", "r");
  CHECK(file != NULL);
  if (file) {
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    CHECK(strstr(text, "<svg") != NULL);
  }
  remove(BUILD_DIR "/papers_figure.svg");
  CHECK(output_of("fig-4.3") == 2);
  CHECK(output_of("fig-4.3 --plot figure.txt") == 2);
  CHECK(output_of("fig-4.33 --plot x.svg") == 2);
}

int main(void) {
  RUN(figures);
  RUN(tables_come_out);
  RUN(singular_step_is_reported);
  RUN(names);
  return TEST_END();
}
