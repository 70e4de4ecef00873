/*
 * What the page "Modelica in Daedal" (docs/modelica.md) says, clause by clause: its items are run.
 * Values there are by hand from the Modelica specification 3.6, with x' = 1 or closed forms.
 */
#include "small.h"

enum { LINE_MAX_BYTES = 4000 };

/* the text between two marks behind `at`, which is moved behind the second; false: there is none */
static bool between(const char **at, const char *open, const char *close, char *out, size_t size) {
  const char *from = strstr(*at, open), *to = from ? strstr(from + strlen(open), close) : NULL;
  if (!to) return false;
  from += strlen(open);
  if ((size_t)(to - from) >= size) return false;
  memcpy(out, from, (size_t)(to - from));
  out[to - from] = '\0';
  *at = to + strlen(close);
  return true;
}

/* - **section** what: `model` gives `y = 3` [at 0.9]. is refused: "..". ends with `x = 1`: ".." */
static bool read_item(const char *text, line *l, char part[4][LINE_MAX_BYTES]) {
  static char name[40], rest[LINE_MAX_BYTES];
  const char *at = text;
  *l = (line){.stop = 1, .tol = NEAR, .variable = ""};
  if (!between(&at, "- **", "**", name, sizeof name)) return false;
  if (!between(&at, ": `", "` ", part[0], LINE_MAX_BYTES)) return false;
  snprintf(part[3], LINE_MAX_BYTES, "%s %.60s", name, part[0]);
  snprintf(rest, sizeof rest, "%s", at);
  l->name = part[3];
  l->text = part[0];
  const char *end = strstr(rest, " at ");
  if (end) l->stop = strtod(end + 4, NULL);
  at = rest;
  bool refused = strncmp(rest, "is refused", 10) == 0, ends = strncmp(rest, "ends", 4) == 0;
  if (!refused) {
    if (!between(&at, "`", " = ", part[1], LINE_MAX_BYTES)) return false;
    l->variable = part[1];
    l->value = strtod(at, NULL);
  }
  if (refused || ends) {
    if (!between(&at, ": \"", "\".", part[2], LINE_MAX_BYTES)) return false;
    l->message = part[2];
  }
  return refused || ends || strncmp(rest, "gives", 5) == 0;
}

/* every item of the page */
static void clauses(void) {
  static char text[LINE_MAX_BYTES], part[4][LINE_MAX_BYTES];
  FILE *page = fopen(SOURCE_DIR "/docs/modelica.md", "r");
  int items = 0;
  CHECK(page != NULL);
  while (page && fgets(text, sizeof text, page)) {
    line l;
    if (strncmp(text, "- **", 4) != 0) continue;
    bool read = read_item(text, &l, part);
    CHECK(read);
    if (!read) printf("  %s", text);
    if (read) run(&l);
    items++;
  }
  CHECK(items > 80);
  if (page) fclose(page);
}

/* x' = u: the integral of the polygon through the data; a jump at 1 */
static void inputs(void) {
  static const char text[] = "model M input Real u; input Boolean on = time > 5; Real x(start = 0, "
                             "fixed = true); equation der(x) = if on then u else 0; "
                             "annotation(experiment(StopTime = 2)); end M;";
  const double t[] = {0, 0.5, 1, 1, 2}, u[] = {0, 1, 1, -1, -1}, at[] = {0, 1.5}, on[] = {1, 0};
  dae_model *m;
  dae_model_options mo = {.compiler = ""};
  CHECK(dae_model_read_text(&m, "m.mo", text, strlen(text), &mo) == DAE_OK);
  CHECK(dae_model_set_input(m, "u", 0, t, u) == DAE_E_INPUT);
  CHECK(dae_model_set_input(m, "u", 3, (const double[]){0, 2, 1}, u) == DAE_E_INPUT);
  CHECK(strstr(dae_model_messages(m), "go back") != NULL);
  CHECK(dae_model_set_input(m, "u", 5, t, u) == DAE_OK);
  CHECK(dae_model_set_input(m, "on", 2, at, on) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  const dae_problem *p = dae_model_problem(m);
  double z[20] = {0}, y[20], values[8];
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-9;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  CHECK(dae_solve(p, &o, 0, 2, z, y, NULL, NULL) == DAE_OK);
  CHECK(dae_model_values(m, 2, z, y, values) == 0);
  for (int i = 0; i < dae_model_variables(m); i++)
    if (strcmp(dae_model_variable_name(m, i), "x") == 0)
      CHECK_NEAR(values[i], 0.25 + 0.5 - 0.5, NEAR); /* 0 .. 0.5, 0.5 .. 1, 1 .. 1.5, then off */
  CHECK(dae_model_set_input(m, "x", 5, t, u) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "there is no input 'x'") != NULL);
  dae_model_free(m);
}

/* one of several models by its name */
static void several(void) {
  static const char text[] = "model A Real a = 1; end A; model B Real b = 2; end B;";
  dae_model *m;
  dae_model_options mo = {.compiler = "", .model = "B"};
  CHECK(dae_model_read_text(&m, "m.mo", text, strlen(text), &mo) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  CHECK(dae_model_variables(m) == 1 && strcmp(dae_model_variable_name(m, 0), "b") == 0);
  dae_model_free(m);
  mo.model = "C";
  CHECK(dae_model_read_text(&m, "m.mo", text, strlen(text), &mo) == DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "no model 'C': there is A, B") != NULL);
  dae_model_free(m);
}

int main(void) {
  RUN(clauses);
  RUN(inputs);
  RUN(several);
  return TEST_END();
}
