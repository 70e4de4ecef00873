/* classes of a text by their names, the model among them, and what a type name means */
#include <string.h>

#include "model/model.h"

static const char *text_of(const dae_model *m, int name) { return m->names.text[name]; }

static void collect_class(dae_model *m, dae_ast_class *c) {
  for (; c; c = c->next) {
    if (c->kind == CLASS_FUNCTION) m->functions[c->name] = c;
    if (c->kind == CLASS_TYPE) m->types[c->name] = c;
    collect_class(m, c->inner);
  }
}

static bool find_model(dae_model *m, dae_ast_class *c, dae_ast_class **model) {
  bool ok = true;
  for (; c; c = c->next) {
    if (c->kind == CLASS_MODEL && *model) {
      dae_model_error(
          &m->source, c->place,
          "one model a file: this one has '%.60s' and '%.60s'; let your Modelica tool flatten "
          "what consists of several",
          text_of(m, c->name), text_of(m, (*model)->name));
      ok = false;
    }
    if (c->kind == CLASS_MODEL && !*model) *model = c;
    ok = find_model(m, c->inner, model) && ok;
  }
  return ok;
}

bool dae_model_collect(dae_model *m) {
  bool ok = find_model(m, m->classes, &m->main);
  if (m->main) dae_model_join_elements(m);
  dae_model_name_literals(m, m->classes);
  m->named = m->names.count;
  m->functions = dae_model_take(&m->text, (size_t)m->named, sizeof *m->functions);
  m->types = dae_model_take(&m->text, (size_t)m->named, sizeof *m->types);
  m->literal = dae_model_take(&m->text, (size_t)m->named, sizeof *m->literal);
  collect_class(m, m->classes);
  dae_model_number_literals(m, m->classes);
  if (ok && !m->main) {
    dae_model_error(&m->source, DAE_NO_PLACE,
                    "the file holds no model: write model NAME .. equation .. end NAME;");
    ok = false;
  }
  return ok;
}

/* the unit of a type of the Modelica library, by the last part of its name; NULL: not known here */
const char *dae_model_unit_of_type(const char *type) {
  static const struct {
    const char *type, *unit;
  } known[] = {{"Position", "m"},      {"Length", "m"},
               {"Distance", "m"},      {"Radius", "m"},
               {"Velocity", "m/s"},    {"Acceleration", "m/s2"},
               {"Angle", "rad"},       {"AngularVelocity", "rad/s"},
               {"Mass", "kg"},         {"AngularAcceleration", "rad/s2"},
               {"Force", "N"},         {"Torque", "N.m"},
               {"Energy", "J"},        {"Work", "J"},
               {"Heat", "J"},          {"Power", "W"},
               {"HeatFlowRate", "W"},  {"Time", "s"},
               {"Voltage", "V"},       {"ElectricPotential", "V"},
               {"Current", "A"},       {"ElectricCharge", "C"},
               {"Temperature", "K"},   {"AbsolutePressure", "Pa"},
               {"Pressure", "Pa"},     {"MassFlowRate", "kg/s"},
               {"Volume", "m3"},       {"VolumeFlowRate", "m3/s"},
               {"Frequency", "Hz"},    {"MagneticFlux", "Wb"},
               {"Momentum", "kg.m/s"}, {"AngularMomentum", "kg.m2/s"},
               {"Area", "m2"},         {"Density", "kg/m3"}};
  const char *dot = strrchr(type, '.');
  for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].type, dot + 1) == 0) return known[i].unit;
  return NULL;
}

/* Real, Integer, Boolean, String, an alias of one of them, or a unit type of the Modelica
   library */
bool dae_model_resolve_type(dae_model *m, const dae_ast_decl *d, dae_type *type,
                            const dae_ast_class **alias) {
  static const char *const basic[] = {"Real", "Integer", "Boolean", "String"};
  static const char *const units[] = {"Modelica.SIunits.", "Modelica.Units.SI.", "SI."};
  int name = d->type_name;
  *alias = NULL;
  for (int depth = 0; depth < 40; depth++) {
    char full[200];
    const char *text = dae_model_full_name(m, text_of(m, name), full, sizeof full);
    for (int k = 0; k < 4; k++)
      if (strcmp(text, basic[k]) == 0) {
        *type = (dae_type)k;
        return true;
      }
    for (int k = 0; k < 3; k++)
      if (strncmp(text, units[k], strlen(units[k])) == 0) {
        *type = TYPE_REAL;
        return true;
      }
    if (strcmp(text, "StateSelect") == 0 || strcmp(text, "AssertionLevel") == 0) {
      *type = TYPE_INTEGER;
      return true;
    }
    const dae_ast_class *c = name < m->named ? m->types[name] : NULL;
    if (!c) break;
    if (!*alias) *alias = c;
    name = c->base_name;
  }
  if (dae_model_outside(text_of(m, d->type_name))) {
    dae_model_error(&m->source, d->type_place, "'%.60s' is not supported here: %s",
                    text_of(m, d->type_name), dae_model_outside(text_of(m, d->type_name)));
    return false;
  }
  int near = dae_base_nearest(text_of(m, d->type_name), basic, 4);
  dae_model_error(&m->source, d->type_place, "'%.60s' is not a type that is known here%s%s%s",
                  text_of(m, d->type_name), near >= 0 ? ": did you mean '" : "",
                  near >= 0 ? basic[near] : "",
                  near >= 0 ? "'?" : ": Real, Integer, Boolean or a type of this file");
  return false;
}
