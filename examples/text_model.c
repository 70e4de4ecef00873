/* a model as text: a parameter is changed, an eliminated variable is read, a mistake is shown */
#include <daedal/daedal.h>
#include <stdio.h>
#include <string.h>

/* a tank with an outlet: outflow and level do not become unknowns of the problem */
static const char *const TANK = "model Tank\n"
                                "  parameter Real k = 2 \"rate of the outlet\";\n"
                                "  Real volume(start = 3, fixed = true), level, outflow;\n"
                                "equation\n"
                                "  der(volume) = -outflow;\n"
                                "  outflow = k*level;\n"
                                "  volume = 4*level;\n"
                                "end Tank;\n";

/* volume(t) = 3 exp(-k t/4) */
static dae_status drain(dae_model *m, double t1) {
  const dae_problem *p = dae_model_problem(m);
  dae_options options = dae_options_default();
  options.rtol = options.atol = 1e-9;
  double z[8], y[8], value[8];
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  dae_report report;
  dae_status status = dae_solve(p, &options, 0, t1, z, y, &report, NULL);
  if (status != DAE_OK) {
    printf("%s: %s. %s\n", dae_status_name(status), report.message, report.advice);
    return status;
  }
  if (dae_model_values(m, t1, z, y, value) != 0) return DAE_E_CALLBACK;
  for (int i = 0; i < dae_model_variables(m); i++)
    printf("%s = %.6f\n", dae_model_variable_name(m, i), value[i]);
  return DAE_OK;
}

int main(void) {
  dae_model *m = NULL;
  /* equations of this size are interpreted as fast as a compiler starts */
  dae_model_options how = {.compiler = ""};
  dae_status status = dae_model_read_text(&m, "tank", TANK, strlen(TANK), &how);
  if (status == DAE_OK) status = dae_model_set(m, "k", 4);
  if (status == DAE_OK) status = dae_model_build(m);
  if (status == DAE_OK) status = drain(m, 1);
  if (m && status == DAE_E_MODEL) fputs(dae_model_messages(m), stdout);
  dae_model_free(m);

  static const char wrong[] =
      "model Wrong\n  Real x(start = 1);\nequation\n  der(x) = -y;\nend Wrong;\n";
  dae_status told = dae_model_read_text(&m, "wrong", wrong, strlen(wrong), &how);
  if (told == DAE_OK) told = dae_model_build(m);
  printf("%s\n%s", dae_status_name(told), m ? dae_model_messages(m) : "");
  dae_model_free(m);
  return status == DAE_OK && told == DAE_E_MODEL ? 0 : 1;
}
