/* the door of the options: words and names become their places, and nothing of the user's texts is
   needed afterwards */
#include <stdlib.h>
#include <string.h>

#include "gallery.h"
#include "settings.h"

/* every word of every option has the place that the enum says */
static void words(void) {
#define ROW(field, word, place) \
  { offsetof(dae_options, field), offsetof(dae_settings, field), #field, word, place }
  static const struct {
    size_t option, setting;
    const char *key, *word;
    int place;
  } rows[] = {
      ROW(weighting, "inverse", DAE_WEIGHTING_INVERSE),
      ROW(weighting, "plain", DAE_WEIGHTING_PLAIN),
      ROW(level, "both", DAE_LEVEL_BOTH),
      ROW(level, "position", DAE_LEVEL_POSITION),
      ROW(level, "velocity", DAE_LEVEL_VELOCITY),
      ROW(schur, "factor", DAE_SCHUR_FACTOR),
      ROW(schur, "sor", DAE_SCHUR_SOR),
      ROW(project, "auto", DAE_PROJECT_AUTO),
      ROW(project, "none", DAE_PROJECT_NONE),
      ROW(project, "velocity", DAE_PROJECT_VELOCITY),
      ROW(project, "position", DAE_PROJECT_POSITION),
      ROW(project, "both", DAE_PROJECT_BOTH),
      ROW(project, "all", DAE_PROJECT_ALL),
      ROW(passage, "auto", DAE_PASSAGE_AUTO),
      ROW(passage, "off", DAE_PASSAGE_OFF),
      ROW(srm_weight, "inverse", DAE_WEIGHT_INVERSE),
      ROW(srm_weight, "identity", DAE_WEIGHT_IDENTITY),
      ROW(srm_weight, "transpose", DAE_WEIGHT_TRANSPOSE),
      ROW(srm_variant, "auto", DAE_VARIANT_AUTO),
      ROW(srm_variant, "standard", DAE_VARIANT_STANDARD),
      ROW(srm_variant, "singular", DAE_VARIANT_SINGULAR),
      ROW(srm_variant, "invariant", DAE_VARIANT_INVARIANT),
      ROW(srm_variant, "free", DAE_VARIANT_FREE),
      ROW(srm_carry, "mesh", DAE_CARRY_MESH),
      ROW(srm_carry, "stage", DAE_CARRY_STAGE),
      ROW(srm_carry, "waveform", DAE_CARRY_WAVEFORM),
      ROW(multiplier, "auto", DAE_MULTIPLIER_AUTO),
      ROW(multiplier, "interpolate", DAE_MULTIPLIER_INTERPOLATE),
      ROW(multiplier, "recursion", DAE_MULTIPLIER_RECURSION),
      ROW(multiplier, "index1", DAE_MULTIPLIER_INDEX1),
  };
#undef ROW
  enum { ROWS = sizeof rows / sizeof *rows };
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 3}};
  int of_option[64] = {0}, listed = 0;
  for (int i = 0; i < ROWS; i++) {
    dae_options o = dae_options_default();
    int place;
    CHECK(dae_options_set(&o, rows[i].key, rows[i].word, NULL, 0) == DAE_OK);
    dae_settings s = settings_of(&p, &o, NULL);
    memcpy(&place, (char *)&s + rows[i].setting, sizeof place);
    CHECK(place == rows[i].place);
  }
  /* and no word is missing above: as many as the table lists */
  for (int i = 0; dae_option_key(i) && i < 64; i++) {
    if (strcmp(dae_option_type(i), "WORD") != 0) continue;
    const char *meaning = dae_option_meaning(i);
    listed++;
    for (const char *c = meaning; *c && *c != ':'; c++) listed += *c == ',';
    for (int k = 0; k < ROWS; k++) of_option[i] += !strcmp(rows[k].key, dae_option_key(i));
    CHECK(of_option[i] > 0);
  }
  CHECK(listed == ROWS);
}

/* every entry of the tables is at the place of its enum */
static void names(void) {
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 3}};
  dae_options o = dae_options_default();
  dae_settings s = settings_of(&p, &o, NULL);
  CHECK(!s.method && s.form == DAE_FORM_AUTO && s.stabilize == DAE_STAB_AUTO);
  CHECK(s.direction.kind == DAE_DIR_AUTO && s.coefficients.count == 0 && s.rtilde.rows == 0);
  for (int i = 0; dae_form_at(i); i++) {
    o.form = dae_form_at(i)->name;
    CHECK((int)settings_of(&p, &o, NULL).form == i);
  }
  CHECK(!strcmp(dae_form_at(DAE_FORM_SRM)->name, "srm") && !dae_form_at(DAE_FORMS));
  CHECK(!strcmp(dae_form_at(DAE_FORM_INVARIANT_BALANCED)->name, "invariant-balanced"));
  CHECK(!strcmp(dae_form_at(DAE_FORM_STATE_SPACE)->name, "state-space"));
  CHECK(!strcmp(dae_stabilizer_at(DAE_STAB_PROJECT)->name, "project"));
  CHECK(!strcmp(dae_direction_at(DAE_DIR_FROZEN)->name, "frozen"));
  o.form = "invariant:2", o.direction = "unit:3,1", o.stabilize = "post", o.method = "radau3";
  o.coefficients = "1.5,-2", o.srm_alpha = "3";
  s = settings_of(&p, &o, NULL);
  CHECK(s.form == DAE_FORM_INVARIANT && s.form_levels == 2 &&
        s.method == dae_method_find("radau3"));
  CHECK(s.direction.kind == DAE_DIR_UNIT && s.direction.n_unit == 2 && s.direction.unit[0] == 2);
  CHECK(s.coefficients.count == 2 && s.coefficients.value[1] == -2 && s.srm_alpha.value[0] == 3);
}

/* a copy that can be spoiled */
static char *copy(const char *text) {
  char *own = malloc(strlen(text) + 1);
  return own ? strcpy(own, text) : NULL;
}

/* all texts of the options are spoiled and gone after dae_solver_new; the run is the same. The
   second one starts with values that its problem does not hold, so that much is made later */
static void texts_are_not_kept(void) {
  static const struct {
    const char *problem, *method, *form, *direction, *coefficients, *rtilde, *alpha;
  } cases[] = {
      {"pendulum", "auto", "auto", "auto", "", "", ""},
      {"linear-index3", "auto", "auto", "auto", "", "", ""},
      {"pendulum", "dopri5", "baumgarte", "auto", "9,6", "", ""},
      {"pendulum", "dopri5", "state-space", "auto", "", "0,1", ""},
      {"pendulum", "radau3", "invariant:2", "unit:2", "", "", ""},
      {"rotating-index2", "auto", "srm", "auto", "", "", "1,1"},
      {"slider-crank", "radau5", "auto", "block", "", "", ""},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char message[DAE_TEXT_MAX];
    dae_problem *p = NULL;
    double end[2][64] = {{0}};
    long steps[2] = {0, 0};
    CHECK(gallery_open(&p, cases[k].problem, 0, NULL, NULL, message, sizeof message) == DAE_OK);
    int nz = dae_problem_nz(p);
    dae_problem bare = *p;
    bare.z0 = NULL;
    bare.t0 = bare.t1 = 0;
    for (int spoiled = 0; spoiled < 2; spoiled++) {
      dae_options o = dae_options_default();
      dae_solver *s = NULL;
      char *own[] = {copy(cases[k].method),
                     copy(cases[k].form),
                     copy(cases[k].direction),
                     copy(cases[k].coefficients),
                     copy(cases[k].rtilde),
                     copy(cases[k].alpha),
                     copy("auto"),
                     copy("both"),
                     copy("inverse"),
                     copy("factor"),
                     copy("auto"),
                     copy("auto"),
                     copy("auto"),
                     copy("mesh")};
      o.method = own[0], o.form = own[1], o.direction = own[2], o.coefficients = own[3];
      o.rtilde = own[4], o.srm_alpha = own[5], o.stabilize = own[6], o.level = own[7];
      o.weighting = o.srm_weight = own[8], o.schur = own[9], o.project = own[10];
      o.passage = own[11], o.srm_variant = o.multiplier = own[12], o.srm_carry = own[13];
      CHECK(dae_solver_new(&s, spoiled ? &bare : p, &o, NULL) == DAE_OK);
      for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (spoiled) memset(own[i], '#', strlen(own[i]));
        free(own[i]);
      }
      double z[64];
      memcpy(z, p->z0, (size_t)nz * sizeof *z);
      CHECK(dae_solver_start(s, p->t0, z, NULL) == DAE_OK);
      for (int i = 0; i < 40; i++) CHECK(dae_solver_step(s, p->t1) == DAE_OK);
      memcpy(end[spoiled], dae_solver_z(s), (size_t)nz * sizeof *z);
      steps[spoiled] = dae_solver_stats(s)->evaluations;
      dae_solver_free(s);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0 && steps[0] == steps[1]);
    gallery_close(cases[k].problem, p);
  }
}

/* the same as a question of its own, without a solver */
static void asked_before(void) {
  char message[DAE_TEXT_MAX] = "";
  dae_problem *p = NULL;
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  CHECK(dae_options_check(&o, p, message, sizeof message) == DAE_OK);
  o.rtilde = "0,1", o.form = "state-space", o.atol_of = "x=1e-3";
  CHECK(dae_options_check(&o, p, message, sizeof message) == DAE_OK);
  o.atol_of = "z=1e-3";
  CHECK(dae_options_check(&o, p, NULL, 0) == DAE_E_INPUT);
  o = dae_options_default(), o.method = "dopri6";
  CHECK(dae_options_check(&o, p, message, sizeof message) == DAE_E_INPUT);
  CHECK_STR(message, "unknown method 'dopri6'; did you mean 'dopri5'?");
  o.method = NULL;
  CHECK(dae_options_check(&o, p, message, sizeof message) == DAE_E_INPUT);
  CHECK_STR(message, "option 'method' is NULL");
  CHECK(dae_options_check(NULL, p, message, sizeof message) == DAE_E_INPUT);
  CHECK(dae_options_check(&o, NULL, message, sizeof message) == DAE_E_INPUT);
  gallery_close("pendulum", p);
}

int main(void) {
  RUN(words);
  RUN(asked_before);
  RUN(names);
  RUN(texts_are_not_kept);
  return TEST_END();
}
