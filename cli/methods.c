/* daedal methods: the tables of methods, forms, directions and stabilizers */
#include "cli.h"

#include <math.h>
#include <string.h>

static const char *view_text(dae_view_kind view) {
  switch (view) {
    case DAE_VIEW_ODE: return "ode";
    case DAE_VIEW_INDEX2: return "index-2";
    case DAE_VIEW_BOTH: return "both";
    case DAE_VIEW_PROBLEM: return "problem";
  }
  return "";
}

static void method_lines(void) {
  printf("methods (--method)\n");
  printf("  %-18s %5s %7s %5s %6s %8s %8s %6s  %-8s %s\n", "name", "order", "order-y", "stage",
         "stages", "estimate", "tightest", "R(inf)", "view", "when");
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *m = dae_method_at(i);
    char r[16] = "-", tightest[16] = "-";
    if (m->estimate > 0) snprintf(tightest, sizeof tightest, "%.0e", dae_method_tightest(m));
    if (!isnan(m->r_infinity)) snprintf(r, sizeof r, "%.3g", m->r_infinity);
    printf("  %-18s %5d %7d %5d %6d %8d %8s %6s  %-8s %s\n", m->name, m->order, m->order_y,
           m->stage_order, m->stages, m->estimate, tightest, r, view_text(m->view),
           m->when ? m->when : "");
  }
  printf(
      "  order: of x; order-y: of the multipliers; stage: stage order; estimate: order of the "
      "error\n"
      "  estimate, 0: fixed step only; tightest: the smallest tolerance that it takes; view: what "
      "a\n"
      "  form must give (ode: z' = F with invariants; index-2: z' = F + D mu, 0 = h)\n");
}

static void choice_lines(const char *title, const dae_choice *(*at)(int)) {
  printf("\n%s\n", title);
  for (int i = 0; at(i); i++) {
    const dae_choice *c = at(i);
    const char *view = view_text(c->view);
    printf("  %-18s %s%s%s%s%s\n", c->name, c->formula ? c->formula : "",
           c->source && c->source[0] ? "   [" : "", c->source ? c->source : "",
           c->source && c->source[0] ? "]" : "", "");
    if (view[0] || (c->when && c->when[0]))
      printf("  %-18s %s%s%s\n", "", view[0] ? view : "",
             view[0] && c->when && c->when[0] ? "; " : "", c->when ? c->when : "");
  }
}

int cli_methods(int argc, char **argv) {
  if (argc > 0)
    return cli_fail(CLI_USAGE,
                    "'daedal methods' takes no arguments (got '%s'); try 'daedal help %s'", argv[0],
                    argv[0]);
  method_lines();
  choice_lines("forms (--form)", dae_form_at);
  choice_lines("directions (--direction)", dae_direction_at);
  choice_lines("stabilizers (--stabilize)", dae_stabilizer_at);
  return CLI_OK;
}
