/* the history of a run in its summary: orders and sizes of the steps, changes of the method */
#include <math.h>

#include "cli.h"

/* the direction tells the reason */
static const char *switch_reason(const dae_switch *c) {
  const dae_method *to = dae_method_find(c->to);
  if (c->h == 0) return "the other method could not continue";
  if (c->rate == 0) return "a singular position is near";
  return to && to->implicit ? "stiff: the solution is smooth, the steps are short"
                            : "no longer stiff";
}

/* how many steps had which order and which size, and where the method was changed */
void cli_history_json(cli_json *j, const cli_result *r) {
  const dae_stats *s = &r->stats;
  char name[32];
  cli_json_open(j, "steps_by_order", '{');
  for (int i = 0; i < DAE_ORDERS; i++) {
    if (s->by_order[i] == 0) continue;
    snprintf(name, sizeof name, "%d", i);
    cli_json_count(j, name, s->by_order[i]);
  }
  cli_json_close(j, '}');
  cli_json_open(j, "steps_by_size", '[');
  for (int i = 0; i < DAE_SIZES; i++) {
    if (s->by_size[i] == 0) continue;
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "from", ldexp(1, i - DAE_SIZE_ONE));
    cli_json_number(j, "to", ldexp(2, i - DAE_SIZE_ONE));
    cli_json_count(j, "steps", s->by_size[i]);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  cli_json_open(j, "switches", '[');
  for (int i = 0; i < r->n_change; i++) {
    const dae_switch *c = &r->change[i];
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "t", c->t);
    cli_json_text(j, "from", c->from);
    cli_json_text(j, "to", c->to);
    cli_json_text(j, "form", c->form);
    cli_json_number(j, "h", c->h);
    cli_json_number(j, "rate", c->rate);
    cli_json_text(j, "why", switch_reason(c));
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* orders where there are several; the size that half of the steps exceed; changes of the method,
   the first few */
void cli_history_text(FILE *out, const cli_result *r) {
  enum { MOST = 6 };
  const dae_stats *s = &r->stats;
  long count = 0;
  int orders = 0, half = 0;
  for (int i = 0; i < DAE_ORDERS; i++) orders += s->by_order[i] > 0;
  while (half < DAE_SIZES - 1 && 2 * (count += s->by_size[half]) < s->steps) half++;
  fprintf(out, "  %-10s %ld, %ld rejected", "steps", s->steps, s->rejected);
  if (s->steps > 0) fprintf(out, ", h = %.3g .. %.3g", s->h_min, s->h_max);
  if (s->steps > 2 && s->h_max > 4 * s->h_min)
    fprintf(out, ", half of them above %.1g", ldexp(1, half - DAE_SIZE_ONE));
  fputc('\n', out);
  if (orders > 1) {
    fprintf(out, "  %-10s", "orders");
    for (int i = 0, first = 1; i < DAE_ORDERS; i++)
      if (s->by_order[i])
        fprintf(out, "%s %d: %ld", first ? "" : ",", i, s->by_order[i]), first = 0;
    fputs(" steps\n", out);
  }
  for (int i = 0; i < r->n_change && i < MOST; i++)
    fprintf(out, "  %-10s at t = %.6g from %s to %s (form %s): %s\n", i ? "" : "switched",
            r->change[i].t, r->change[i].from, r->change[i].to, r->change[i].form,
            switch_reason(&r->change[i]));
  if (s->switches > MOST) fprintf(out, "  %-10s .. and %ld more times\n", "", s->switches - MOST);
}
