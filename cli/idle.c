/* options that were given and have no effect on the run: nothing is ignored without a word */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct idle {
  const char *key;
  bool given, used;
  const char *with; /* what does not use it, and its name */
  const char *name;
} idle;

static bool one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

/* of an initial value problem whose method and form stayed the same */
void cli_idle_tell(const cli_result *r) {
  static const char *const with_gamma[] = {"baumgarte", "attract", "embed", "index2", NULL};
  static const char *const with_polynomial[] = {"baumgarte", "index2", NULL};
  const dae_options *o = &r->settings->options, d = dae_options_default();
  if (!r->form || !r->method || !r->stabilize || r->solution || r->n_change > 0) return;
  const bool colloc = strncmp(r->method, "colloc-", 7) == 0;
  const bool srm = strcmp(r->form, "srm") == 0;
  const bool project = strcmp(r->stabilize, "none") != 0;
  const bool gamma = colloc || one_of(r->form, with_gamma);
  const bool polynomial = colloc || one_of(r->form, with_polynomial);
  const idle all[] = {
      {"gamma", o->gamma != d.gamma, gamma, "form", r->form},
      {"coefficients", strcmp(o->coefficients, d.coefficients) != 0, polynomial, "form", r->form},
      {"rtilde", o->rtilde[0] != 0, strcmp(r->form, "state-space") == 0, "form", r->form},
      {"srm-eps", o->srm_eps != d.srm_eps, srm, "form", r->form},
      {"srm-iterations", o->srm_iterations != d.srm_iterations, srm, "form", r->form},
      {"srm-weight", strcmp(o->srm_weight, d.srm_weight) != 0, srm, "form", r->form},
      {"srm-variant", strcmp(o->srm_variant, d.srm_variant) != 0, srm, "form", r->form},
      {"srm-alpha", o->srm_alpha[0] != 0, srm, "form", r->form},
      {"srm-carry", strcmp(o->srm_carry, d.srm_carry) != 0, srm, "form", r->form},
      {"srm-window", o->srm_window != d.srm_window, srm, "form", r->form},
      {"alpha", o->alpha != d.alpha, project, "stabilize", r->stabilize},
      {"passes", o->passes != d.passes, project, "stabilize", r->stabilize},
      {"freeze", o->freeze != d.freeze, project, "stabilize", r->stabilize},
      {"mesh", o->mesh != d.mesh, colloc, "method", r->method},
      {"fixed-mesh", o->fixed_mesh != d.fixed_mesh, colloc, "method", r->method},
      {"mesh-grade", o->mesh_grade != d.mesh_grade, colloc, "method", r->method},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].given && !all[i].used)
      fprintf(stderr, "daedal: note: --%s has no effect with %s %s\n", all[i].key, all[i].with,
              all[i].name);
}
