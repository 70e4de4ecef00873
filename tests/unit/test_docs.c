/* what the docs promise to list is all there */
#include <stdio.h>
#include <stdlib.h>

#include <daedal/daedal.h>
#include "test.h"

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = calloc(1, 1 << 20);
  size_t n = fread(text, 1, (1 << 20) - 1, file);
  text[n] = 0;
  fclose(file);
  return text;
}

static void every_status_has_its_part(void) {
  char *page = read_file(SOURCE_DIR "/docs/errors.md");
  CHECK(page != NULL);
  if (!page) return;
  char head[128];
#define HAS(constant, value, name, meaning, advice)                        \
  snprintf(head, sizeof head, "## %s (%d, `%s`)", name, value, #constant); \
  CHECK(strstr(page, head) != NULL && strstr(page, meaning) != NULL);
  DAE_STATUS_LIST(HAS)
  free(page);
}

/* the program of the README is the example that is compiled and run */
static void first_program_is_the_example(void) {
  char *readme = read_file(SOURCE_DIR "/README.md"),
       *example = read_file(SOURCE_DIR "/examples/hello.c");
  char *body = example ? strstr(example, "#include") : NULL;
  CHECK(readme && body && strstr(readme, body));
  free(readme);
  free(example);
}

int main(void) {
  RUN(every_status_has_its_part);
  RUN(first_program_is_the_example);
  return TEST_END();
}
