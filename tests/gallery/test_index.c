/* the index table: names, pages, parameters by name, bad requests, large sizes */
#include <stdlib.h>

#include "gallery_test.h"

/* the text of gallery/<name>.md, NULL when there is none; free() it */
static char *page_of(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/gallery/%s.md", SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  char *text = file ? calloc(1, 1 << 16) : NULL;
  if (text && fread(text, 1, (1 << 16) - 1, file) == 0) text[0] = 0;
  if (file) fclose(file);
  return text;
}

/* every page begins with the name, mentions each parameter in code and says how to run the
   problem */
static void test_pages(void) {
  for (int i = 0; gallery_at(i); i++) {
    const gallery_entry *e = gallery_at(i);
    char *page = page_of(e->name), text[128];
    CHECK(page != NULL);
    if (!page) continue;
    snprintf(text, sizeof text, "# %s: ", e->name);
    CHECK(strncmp(page, text, strlen(text)) == 0);
    snprintf(text, sizeof text, "    daedal run %s", e->name);
    CHECK(strstr(page, text) != NULL);
    for (int k = 0; k < e->n_par; k++) {
      snprintf(text, sizeof text, "`%s`", e->par[k].name);
      CHECK(strstr(page, text) != NULL);
      if (!strstr(page, text)) printf("  %s.md says nothing of %s\n", e->name, text);
    }
    free(page);
  }
}

static void test_names(void) {
  CHECK(gallery_at(-1) == NULL);
  for (int i = 0; gallery_at(i); i++) {
    const gallery_entry *e = gallery_at(i);
    CHECK(gallery_find(e->name) == e); /* the first of that name: names differ */
    CHECK(e->title && e->source && e->title[0] && e->source[0]);
    dae_problem *p = open_case(i);
    char message[200] = "";
    CHECK_STR(p->name, e->name);
    CHECK(dae_problem_valid(p, message, sizeof message) == DAE_OK);
    CHECK_STR(message, "");
    CHECK(p->n_par == e->n_par);
    for (int k = 0; k < e->n_par; k++) CHECK_STR(p->par_name[k], e->par[k].name);
    gallery_close(e->name, p);
  }
  CHECK(gallery_find("no such problem") == NULL);
}

/* opens with one parameter and compares status and sentence; nothing may stay open */
static void refused(const char *problem, const char *name, double value, const char *sentence) {
  char message[200] = "";
  dae_problem *p = NULL;
  CHECK(gallery_open(&p, problem, 1, &name, &value, message, sizeof message) == DAE_E_INPUT);
  CHECK(p == NULL);
  CHECK_STR(message, sentence);
}

static void test_refusals(void) {
  refused("pendulumm", "g", 1, "there is no problem 'pendulumm' in the gallery");
  refused("pendulum", "gravity", 1, "pendulum has no parameter 'gravity'");
  refused("kepler", "c", 1.5,
          "parameter c of kepler cannot be 1.5: it is a number from 0.001 to 1");
  refused("pendulum-chain", "n", 2.5,
          "parameter n of pendulum-chain cannot be 2.5: it is a whole number from 1 to 1e+06");
  refused("andrews", "mom", NAN, "parameter mom of andrews cannot be nan");
}

static void test_defaults_that_follow(void) {
  const char *name = "nu";
  double nu = 7;
  char message[200];
  dae_problem *p = NULL;
  CHECK(gallery_open(&p, "rotating-index3", 1, &name, &nu, message, sizeof message) == DAE_OK);
  CHECK_NEAR(p->par[1], -49, 0);
  gallery_close("rotating-index3", p);
}

/* a net of 1e5 masses: opens, and its sparse functions write what the pattern promises */
static void test_large(void) {
  const char *const name[] = {"nx", "ny"};
  const double value[] = {250, 400};
  char message[200];
  dae_problem *p = NULL;
  CHECK(gallery_open(&p, "rod-net", 2, name, value, message, sizeof message) == DAE_OK);
  const dae_mechanical *m = &p->mechanical;
  CHECK(m->nq == 200000 && m->ng == 100000 + 249 * 400);
  CHECK(m->G_pattern && m->dynamics_pattern && m->mass_kind == DAE_MASS_DIAGONAL);
  CHECK(m->G_pattern->start[m->ng] == 4 * m->ng - 2 * 250);
  /* each mass meets itself and its neighbours: 1e5 + 2 rods between masses, in x and in y */
  CHECK(m->dynamics_pattern->start[m->nq] == 2 * (100000 + 2 * (m->ng - 250)));
  CHECK_STR(p->z_name[199999], "y100000");
  CHECK_STR(p->z_name[399999], "der(y100000)");
  double *g = malloc((size_t)m->ng * sizeof *g), most = 0;
  CHECK(g && m->g(0, p->z0, g, p->ctx) == 0);
  for (int i = 0; i < m->ng; i++) most = fmax(most, fabs(g[i]));
  CHECK_NEAR(most, 0, 1e-13); /* positions of size 1, rods of 1/400 */
  free(g);
  gallery_close("rod-net", p);
}

int main(void) {
  RUN(test_pages);
  RUN(test_names);
  RUN(test_refusals);
  RUN(test_defaults_that_follow);
  RUN(test_large);
  return TEST_END();
}
