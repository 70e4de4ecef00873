/* what flat texts still take from the Modelica library: constants, functions by their long names,
   imports of them */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* Modelica.Constants; CODATA 2018 */
static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", 3.14159265358979323846},
                 {"e", 2.71828182845904523536},
                 {"D2R", 3.14159265358979323846 / 180},
                 {"R2D", 180 / 3.14159265358979323846},
                 {"eps", 2.220446049250313e-16},
                 {"small", 1e-60},
                 {"inf", 1e60},
                 {"g_n", 9.80665},
                 {"c", 299792458},
                 {"R", 8.31446261815324},
                 {"sigma", 5.670374419e-8},
                 {"k", 1.380649e-23},
                 {"q", 1.602176634e-19},
                 {"h", 6.62607015e-34},
                 {"F", 96485.33212},
                 {"N_A", 6.02214076e23},
                 {"mu_0", 1.25663706212e-6},
                 {"epsilon_0", 8.8541878128e-12},
                 {"T_zero", -273.15}};

/* the rest of `text` behind "`first`." or behind `first` alone; NULL when it begins otherwise */
static const char *behind(const char *text, const char *first) {
  size_t n = strlen(first);
  if (strncmp(text, first, n) != 0 || (text[n] != '.' && text[n] != '\0')) return NULL;
  return text + n;
}

const char *dae_model_full_name(const dae_model *m, const char *name, char *buffer, size_t size) {
  for (const dae_ast_import *i = m->main ? m->main->imports : NULL; i; i = i->next) {
    const char *path = m->names.text[i->path], *rest;
    if (i->all) {
      snprintf(buffer, size, "%s.%s", path, name);
      double value;
      if (dae_model_library_constant(buffer, &value)) return buffer;
    } else if ((rest = behind(name, m->names.text[i->name])) != NULL) {
      snprintf(buffer, size, "%s%s", path, rest);
      return buffer;
    }
  }
  return name;
}

bool dae_model_library_constant(const char *name, double *value) {
  const char *rest = behind(name, "Modelica.Constants");
  for (size_t k = 0; k < sizeof constants / sizeof *constants && rest; k++)
    if (strcmp(rest + (*rest == '.'), constants[k].name) == 0) {
      *value = constants[k].value;
      return true;
    }
  return false;
}

bool dae_model_prints(const char *name) {
  return strcmp(name, "print") == 0 || strcmp(name, "Modelica.Utilities.Streams.print") == 0;
}

const char *dae_model_outside(const char *name) {
  static const char past[] =
      "the past of a solution is not kept: write a chain of lags, T/n*der(x[k]) = x[k - 1] - x[k], "
      "or, of what is known, its formula at time - T",
                    clocked[] = "clocked equations are not supported: write 'when sample(t0, dt)' "
                                "with pre(..)",
                    machine[] = "state machines are not supported: write them with 'when' and "
                                "pre(..)",
                    hierarchy[] = "it is not flat: let your Modelica tool export the flat model",
                    inside[] = "it stands alone inside 'when'";
  static const struct {
    const char *name, *why;
  } list[] = {{"delay", past},
              {"spatialDistribution", past},
              {"Clock", clocked},
              {"previous", clocked},
              {"hold", clocked},
              {"subSample", clocked},
              {"superSample", clocked},
              {"shiftSample", clocked},
              {"backSample", clocked},
              {"noClock", clocked},
              {"interval", clocked},
              {"firstTick", clocked},
              {"transition", machine},
              {"initialState", machine},
              {"activeState", machine},
              {"ticksInState", machine},
              {"timeInState", machine},
              {"connect", hierarchy},
              {"inStream", hierarchy},
              {"actualStream", hierarchy},
              {"cardinality", hierarchy},
              {"reinit", inside}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (strcmp(name, list[k].name) == 0) return list[k].why;
  return NULL;
}
