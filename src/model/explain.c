/* what was found, in words and formulas: the text of `daedal check` */
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/plan.h"

enum { SHOWN = 12 };

static const char *times(int n, char *buffer, size_t size) {
  if (n == 1) return "once";
  if (n == 2) return "twice";
  snprintf(buffer, size, "%d times", n);
  return buffer;
}

/* the variable that only makes an interval to run over (structure.c) is nobody's business */
static int invented(const dae_model *m) {
  const dae_flat *f = &m->flat;
  return f->variables > 0 && strcmp(f->variable[f->variables - 1].name, DAE_NO_STATE) == 0;
}

static void explain_sizes(dae_model *m, dae_plan *p) {
  const dae_structure *s = m->structure;
  dae_text *out = &p->explain;
  int gone = m->flat.variables - s->vars, shown = 0;
  int variables = m->flat.variables - invented(m), equations = m->flat.equations - invented(m);
  dae_model_text_add(out, "model %.100s: %d variable%s, %d equation%s",
                     m->names.text[m->main->name], variables, variables == 1 ? "" : "s", equations,
                     equations == 1 ? "" : "s");
  if (gone) {
    dae_model_text_add(out, "\n%d variable%s only a name or a formula of others:", gone,
                       gone == 1 ? " is" : "s are");
    for (int j = 0; j < m->flat.variables && shown < SHOWN; j++)
      if (s->kept_of[j] < 0)
        dae_model_text_add(out, "%s %.60s", shown++ ? "," : "", m->flat.variable[j].name);
    if (gone > shown) dae_model_text_add(out, " and %d more", gone - shown);
  }
  dae_model_text_add(out, "\n");
}

static void explain_equation(dae_model *m, dae_plan *p, int i) {
  dae_namer namer = dae_model_namer(m);
  dae_model_print(&m->graph, m->structure->left[i], &namer, &p->explain);
  dae_model_text_add(&p->explain, " = ");
  dae_model_print(&m->graph, m->structure->right[i], &namer, &p->explain);
}

/* one index, that of the equations as they are written; what the structure alone says, where that
   is something else, is a remark */
static void explain_true_index(dae_model *m, dae_plan *p) {
  const dae_structure *s = m->structure;
  dae_text *out = &p->explain;
  dae_model_text_add(out, "index: %d\n", s->index_true);
  if (s->combined.length) {
    dae_model_text_add(out,
                       "  the structure alone says %d: highest derivatives cancel; equations "
                       "replaced by combinations:\n",
                       s->index_written);
    dae_model_text_bytes(out, s->combined.data, (size_t)s->combined.length);
  } else if (s->index_true < s->index) {
    dae_model_text_add(out,
                       "  the structure alone says %d: it asks for more derivatives than are "
                       "needed, the solution is the same\n",
                       s->index);
  }
}

static void explain_index(dae_model *m, dae_plan *p) {
  const dae_structure *s = m->structure;
  dae_text *out = &p->explain;
  dae_namer namer = dae_model_namer(m);
  char buffer[40];
  int shown = 0, count = 0, hidden = 0;
  for (int i = 0; i < s->eqs; i++) count += s->c[i] > 0, hidden += s->c[i];
  explain_true_index(m, p);
  if (count) dae_model_text_add(out, "differentiated equations:\n");
  for (int i = 0; i < s->eqs && shown < SHOWN; i++) {
    if (!s->c[i]) continue;
    int line, column;
    dae_model_locate(&m->source, s->place[i], &line, &column);
    dae_model_text_add(out, "  line %d, %s: ", line, times(s->c[i], buffer, sizeof buffer));
    explain_equation(m, p, i);
    dae_model_text_add(out, "\n");
    shown++;
  }
  if (count > shown) dae_model_text_add(out, "  and %d more\n", count - shown);
  if (count) dae_model_text_add(out, "hidden constraints:\n");
  shown = 0;
  for (int i = 0; i < s->eqs; i++) {
    int node = s->residual[i];
    for (int k = 1; k <= s->c[i] && shown < SHOWN; k++, shown++) {
      node = dae_model_rate(&m->graph, node);
      dae_model_text_add(out, "  0 = ");
      dae_model_print(&m->graph, node, &namer, out);
      dae_model_text_add(out, "\n");
    }
  }
  if (hidden > shown) dae_model_text_add(out, "  and %d more\n", hidden - shown);
}

/* names of the entries of z that are (not) fixed */
static void list_entries(dae_plan *p, int fixed) {
  int shown = 0, count = 0;
  const unsigned char *held = p->hybrid.is_entry;
  for (int i = 0; i < p->nz; i++) count += p->fixed[i] == fixed && !(held && held[i]);
  for (int i = 0; i < p->nz && shown < SHOWN; i++)
    if (p->fixed[i] == fixed && !(held && held[i]))
      dae_model_text_add(&p->explain, "%s %.60s", shown++ ? "," : "", p->z_name[i]);
  if (count > shown) dae_model_text_add(&p->explain, " and %d more", count - shown);
}

static void explain_start(dae_model *m, dae_plan *p) {
  dae_text *out = &p->explain;
  int stated = p->fixes + p->conditions, dof = m->structure->dof;
  if (invented(m)) {
    dae_model_text_add(out, "degrees of freedom: 0\n");
    return;
  }
  dae_model_text_add(out, "degrees of freedom: %d\n", dof);
  if (m->flat.has_boundary) {
    dae_model_text_add(out, "boundary conditions: %d\n", p->boundary.n);
    if (p->boundary.n != dof)
      dae_model_text_add(out, "  %d %s: state one condition for each degree of freedom\n",
                         abs(p->boundary.n - dof), p->boundary.n > dof ? "too many" : "too few");
    return;
  }
  dae_model_text_add(out, "initial conditions: %d", stated);
  if (p->fixes) dae_model_text_add(out, " (fixed:");
  if (p->fixes) list_entries(p, 1);
  dae_model_text_add(out, p->fixes ? ")\n" : "\n");
  if (stated > dof)
    dae_model_text_add(
        out,
        "  %d too many: they must agree with the constraints, or give some as guesses without "
        "fixed = true\n",
        stated - dof);
  if (stated < dof) {
    dae_model_text_add(
        out,
        "  %d fewer than degrees of freedom: the point nearest to the start values is taken; to "
        "choose it, fix some of",
        dof - stated);
    list_entries(p, 0);
    dae_model_text_add(out, "\n");
  }
}

static void explain_route(dae_model *m, dae_plan *p) {
  dae_text *out = &p->explain;
  const dae_problem *q = &p->problem;
  if (invented(m)) {
    dae_model_text_add(out, "form: formulas of time and parameters, no states\ncode: %s\n",
                       dae_model_code_state(p));
    return;
  }
  if (p->route == ROUTE_MECHANICAL)
    dae_model_text_add(
        out, "form: mechanical, %d coordinates, %d position and %d velocity constraints; M %s\n",
        q->mechanical.nq, q->mechanical.ng, q->mechanical.nw,
        !q->mechanical.mass                            ? "is the identity"
        : q->mechanical.mass_kind == DAE_MASS_DIAGONAL ? "is diagonal"
                                                       : "is symmetric");
  else if (p->route == ROUTE_HESSENBERG)
    dae_model_text_add(out, "form: Hessenberg of order %d, %d variables, %d multipliers\n",
                       p->order, p->nx, p->ny);
  else
    dae_model_text_add(
        out,
        "form: ODE for all %d variables and derivatives with %d invariants; %d block%s solved "
        "numerically, largest %d\n",
        q->ode.n, q->ode.nh, p->blocks, p->blocks == 1 ? "" : "s", p->block_max);
  if (p->why)
    dae_model_text_add(out, "  %s: %s\n",
                       p->route == ROUTE_ODE ? "no special form" : "not mechanical", p->why);
  dae_model_text_add(out, "code: %s\n", dae_model_code_state(p));
}

const char *dae_model_code_state(const dae_plan *p) {
  return p->code.library ? "compiled" : p->note.data ? p->note.data : "interpreted";
}

void dae_model_write_explain(dae_model *m, dae_plan *p) {
  explain_sizes(m, p);
  explain_index(m, p);
  explain_start(m, p);
  dae_model_explain_start_rank(m, p);
  explain_route(m, p);
}
