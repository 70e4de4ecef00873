/* classes of a text by their names, the model among them, and what a type name means */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static const char *text_of(const dae_model *m, int name) { return m->names.text[name]; }

/* a constructor stands for its record: no algorithm, one output of the type that it is named after
 */
static bool is_constructor(const dae_model *m, const dae_ast_class *c) {
  if (c->algorithm || c->external) return false;
  const char *name = text_of(m, c->name), *last = strrchr(name, '.');
  for (const dae_ast_decl *d = c->decls; d; d = d->next) {
    if (d->causality == CAUSAL_INPUT || (d->is_protected && d->causality != CAUSAL_OUTPUT))
      continue;
    const char *type = text_of(m, d->type_name);
    /* the dump of an operator record: output R r = P.fromReal(re, im) inside P.fromReal */
    if (d->binding && d->binding->kind == AST_CALL && d->binding->name == c->name) return true;
    return d->causality == CAUSAL_OUTPUT &&
           (strcmp(type, name) == 0 || (last && strcmp(type, last + 1) == 0));
  }
  return false;
}

static void collect_class(dae_model *m, dae_ast_class *c) {
  for (; c; c = c->next) {
    if (c->kind == CLASS_RECORD) m->records[c->name] = c;
    if (c->kind == CLASS_FUNCTION && is_constructor(m, c)) {
      if (!m->records[c->name]) m->records[c->name] = c;
    } else if (c->kind == CLASS_FUNCTION) {
      m->functions[c->name] = c;
    }
    if (c->kind == CLASS_TYPE) m->types[c->name] = c;
    collect_class(m, c->inner);
  }
}

/* function f = g: f is another name of g; function f_x = der(f, x) has the arguments of f */
static void follow_names(dae_model *m) {
  for (int i = 0; i < m->named; i++)
    for (int depth = 0; depth < 40 && m->functions[i] && m->functions[i]->base_name > 0 &&
                        !m->functions[i]->by_count;
         depth++) {
      int base = m->functions[i]->base_name;
      if (base >= m->named || !m->functions[base]) break;
      m->functions[i] = m->functions[base];
    }
  for (int i = 0; i < m->named; i++) {
    dae_ast_class *c = (dae_ast_class *)m->functions[i];
    const dae_ast_class *base = c;
    for (int depth = 0; depth < 40 && base && base->by_count; depth++)
      base = base->base_name < m->named ? m->functions[base->base_name] : NULL;
    if (base && c->by_count) c->decls = base->decls;
  }
}

/* type A = Real[3]; type B = A[2]: the dimensions of B are 2, 3 */
static void join_dimensions(dae_model *m, dae_ast_class *c, int depth) {
  const dae_ast_class *known =
      c->base_name > 0 && c->base_name < m->named && !c->literals ? m->types[c->base_name] : NULL;
  if (c->joined || !known || depth > 40) return;
  c->joined = true;
  dae_ast_class *base = (dae_ast_class *)known;
  join_dimensions(m, base, depth + 1);
  if (!base->dims || base == c) return;
  dae_ast **all = dae_model_take(&m->text, (size_t)(c->dims + base->dims), sizeof *all);
  if (c->dims) memcpy(all, c->dim, (size_t)c->dims * sizeof *all);
  memcpy(all + c->dims, base->dim, (size_t)base->dims * sizeof *all);
  c->dim = all;
  c->dims += base->dims;
}

/* a local of type In = input Real is an input; others that are public are input or output */
static bool give_causality(dae_model *m, dae_ast_class *c) {
  bool ok = true;
  for (; c; c = c->next) {
    if (c->kind == CLASS_TYPE) join_dimensions(m, c, 0);
    for (dae_ast_decl *d = c->kind == CLASS_FUNCTION ? c->decls : NULL; d; d = d->next) {
      const dae_ast_class *type =
          d->type_name >= 0 && d->type_name < m->named ? m->types[d->type_name] : NULL;
      if (type && type->causality && !d->causality) d->causality = type->causality;
      if (d->causality || d->is_protected || d->variability >= VAR_PARAMETER) continue;
      dae_model_error(&m->source, d->place,
                      "'%.60s' is neither input nor output of the function: write 'protected' "
                      "before it",
                      text_of(m, d->name));
      ok = false;
    }
    ok = give_causality(m, c->inner) && ok;
  }
  return ok;
}

/* tools write P.R in one place and R in another: the last piece is enough where it is the only one
 */
static void shorten_records(dae_model *m) {
  const dae_ast_class **full = dae_model_take(&m->text, (size_t)m->named, sizeof *full);
  memcpy(full, m->records, (size_t)m->named * sizeof *full);
  bool *twice = dae_model_take(&m->text, (size_t)m->named, sizeof *twice);
  for (int i = 0; i < m->named; i++) {
    const char *last = full[i] ? strrchr(text_of(m, i), '.') : NULL;
    int plain = last ? dae_model_name_find(&m->names, last + 1) : -1;
    if (plain < 0 || plain >= m->named || full[plain] || m->functions[plain] || m->types[plain])
      continue;
    if (m->records[plain]) twice[plain] = true;
    m->records[plain] = full[i];
  }
  for (int i = 0; i < m->named; i++)
    if (twice[i]) m->records[i] = NULL;
}

/* all models of the text; a model inside another one is one, too */
static void list_models(dae_model *m, dae_ast_class *c, dae_ast_class **found, int *count,
                        dae_text *names) {
  for (; c; c = c->next) {
    const char *wanted = m->options.model, *name = text_of(m, c->name);
    if (c->kind == CLASS_MODEL) {
      bool meant = !wanted || strcmp(name, wanted) == 0;
      dae_model_text_add(names, "%s%.60s", names->length ? ", " : "", name);
      if (meant && !*found) *found = c;
      *count += meant;
    }
    list_models(m, c->inner, found, count, names);
  }
}

static bool find_model(dae_model *m) {
  dae_text names = {.arena = &m->text};
  int count = 0;
  list_models(m, m->classes, &m->main, &count, &names);
  if (count == 1 && !m->main->is_partial) return true;
  if (count == 1)
    dae_model_error(&m->source, m->main->place, "a partial model cannot be run: '%.60s'",
                    text_of(m, m->main->name));
  if (count == 1) return false;
  if (count > 1)
    dae_model_error(&m->source, m->main->place,
                    "the file holds several models: %.300s; say which one (--model NAME), or let "
                    "your Modelica tool flatten what consists of several",
                    names.data);
  else if (m->options.model && names.length)
    dae_model_error(&m->source, DAE_NO_PLACE, "the file holds no model '%.60s': there is %.300s",
                    m->options.model, names.data);
  else
    dae_model_error(&m->source, DAE_NO_PLACE,
                    "the file holds no model: write model NAME .. equation .. end NAME;");
  return false;
}

static void number_literals(dae_model *m) {
  m->named = m->names.count;
  m->literal = dae_model_take(&m->text, (size_t)m->named, sizeof *m->literal);
  m->literal_type = dae_model_take(&m->text, (size_t)m->named, sizeof *m->literal_type);
  dae_model_number_literals(m, m->classes);
  if (m->learned) dae_model_number_literals(m, m->learned);
}

bool dae_model_collect(dae_model *m) {
  bool ok = find_model(m);
  dae_model_name_literals(m, m->classes);
  number_literals(m);
  if (m->main) dae_model_join_elements(m);
  if (m->named != m->names.count) number_literals(m); /* x[1], x[2] are new names */
  m->functions = dae_model_take(&m->text, (size_t)m->named, sizeof *m->functions);
  m->types = dae_model_take(&m->text, (size_t)m->named, sizeof *m->types);
  m->records = dae_model_take(&m->text, (size_t)m->named, sizeof *m->records);
  collect_class(m, m->classes);
  collect_class(m, m->learned);
  shorten_records(m);
  follow_names(m);
  return give_causality(m, m->classes) && ok;
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
/* an external object of the library whose constructor is one of a table */
bool dae_model_is_object(const dae_model *m, int name) {
  char text[400];
  snprintf(text, sizeof text, "%.380s.constructor", text_of(m, name));
  int constructor = dae_model_name_find(&m->names, text);
  const dae_ast_class *f =
      constructor >= 0 && constructor < m->named ? m->functions[constructor] : NULL;
  return f && f->external && dae_model_external_known(m, f);
}

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
      *type = TYPE_ENUM;
      return true;
    }
    const dae_ast_class *c = name < m->named ? m->types[name] : NULL;
    const dae_ast_class *record = dae_model_record_class(m, name);
    if (record && !c) {
      *type = TYPE_RECORD;
      *alias = record;
      return true;
    }
    if (!c && dae_model_is_object(m, name)) {
      *type = TYPE_INTEGER; /* an external object is its number */
      return true;
    }
    if (!c) break;
    if (!*alias) *alias = c;
    if (c->literals) {
      *type = TYPE_ENUM;
      return true;
    }
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
