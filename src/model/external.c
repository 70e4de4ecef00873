/*
 * External functions: those of the standard mathematics are the built-in ones, whatever the wrapper
 * around them is called. Others are C functions of the user, which are called where the option
 * `external` says so.
 */
#include <string.h>

#include "model/model.h"

/* name in C, and the same here; ^ is pow */
static const struct {
  const char *c, *here;
} known[] = {{"sin", "sin"},     {"cos", "cos"},   {"tan", "tan"},     {"asin", "asin"},
             {"acos", "acos"},   {"atan", "atan"}, {"atan2", "atan2"}, {"sinh", "sinh"},
             {"cosh", "cosh"},   {"tanh", "tanh"}, {"exp", "exp"},     {"log", "log"},
             {"log10", "log10"}, {"sqrt", "sqrt"}, {"fabs", "abs"},    {"floor", "floor"},
             {"ceil", "ceil"},   {"fmin", "min"},  {"fmax", "max"},    {"pow", "^"}};

/* the name of the C function; without one it is that of the Modelica function */
static const char *c_name(const dae_model *m, const dae_ast_class *f) {
  if (f->external->call && f->external->call->kind == AST_CALL)
    return m->names.text[f->external->call->name];
  const char *name = m->names.text[f->name], *last = strrchr(name, '.');
  return last ? last + 1 : name;
}

static const char *builtin_of(const dae_model *m, const dae_ast_class *f) {
  const char *name = c_name(m, f);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(known[k].c, name) == 0) return known[k].here;
  return NULL;
}

static const dae_ast_decl *only_output(const dae_ast_class *f) {
  const dae_ast_decl *found = NULL;
  for (const dae_ast_decl *d = f->decls; d; d = d->next) {
    if (d->causality != CAUSAL_OUTPUT) continue;
    if (found) return NULL;
    found = d;
  }
  return found && found->dims == 0 ? found : NULL;
}

bool dae_model_is_error(const dae_model *m, const dae_ast_class *f) {
  return f->external && strcmp(c_name(m, f), "ModelicaError") == 0;
}

bool dae_model_external_known(const dae_model *m, const dae_ast_class *f) {
  return only_output(f) != NULL && (builtin_of(m, f) != NULL || dae_model_is_table(c_name(m, f)));
}

/* a reference to an input, for the call that stands in no text */
static dae_ast *reference(dae_model *m, const dae_ast_decl *d) {
  dae_ast *e = dae_model_take(&m->built, 1, sizeof *e);
  *e = (dae_ast){.kind = AST_REF, .place = d->place, .name = d->name};
  return e;
}

/* the call: what stands behind "external" where it is written, else name(inputs) */
static dae_ast c_call(dae_model *m, const dae_ast_class *f) {
  const dae_ast *written = f->external->call;
  int count = 0;
  for (const dae_ast_decl *d = f->decls; d; d = d->next) count += d->causality == CAUSAL_INPUT;
  dae_ast call = {.kind = AST_CALL, .place = written ? written->place : f->place};
  if (written) {
    call.count = written->count;
    call.args = written->args;
    return call;
  }
  call.args = dae_model_take(&m->built, (size_t)count + 1, sizeof *call.args);
  for (const dae_ast_decl *d = f->decls; d; d = d->next)
    if (d->causality == CAUSAL_INPUT) call.args[call.count++] = reference(m, d);
  return call;
}

static bool run_table(dae_model *m, const dae_ast_class *f, dae_scope *inside) {
  dae_ast call = c_call(m, f);
  dae_value *arg = dae_model_take(&m->built, (size_t)call.count + 1, sizeof *arg), value;
  for (int k = 0; k < call.count; k++)
    if (!dae_model_eval(m, call.args[k], inside, &arg[k])) return false;
  return dae_model_call_table(m, c_name(m, f), arg, call.count, call.place, inside, &value) &&
         dae_model_assign(m, reference(m, only_output(f)), &value, inside);
}

/* output = name(inputs) */
bool dae_model_run_external(dae_model *m, const dae_ast_class *f, dae_scope *inside) {
  const char *here = builtin_of(m, f);
  if (!dae_model_external_known(m, f)) return dae_model_run_foreign(m, f, c_name(m, f), inside);
  if (!here) return run_table(m, f, inside);
  dae_ast call = c_call(m, f);
  call.name = dae_model_name(&m->names, here, strlen(here));
  if (call.name < m->named && m->functions[call.name]) {
    /* the wrapper has the name of the built-in function, which has a longer one, too */
    char longer[40] = "Modelica.Math.";
    strncat(longer, here, 20);
    call.name = dae_model_name(&m->names, longer, strlen(longer));
  }
  char power[] = "^";
  if (here[0] == '^') {
    if (call.count != 2) {
      dae_model_error(&m->source, call.place, "pow takes two arguments");
      return false;
    }
    call.kind = AST_POWER;
    call.u.op = power;
  }
  dae_value value;
  const dae_ast_decl *output = only_output(f);
  if (!dae_model_eval(m, &call, inside, &value)) return false;
  return dae_model_assign(m, reference(m, output), &value, inside);
}
