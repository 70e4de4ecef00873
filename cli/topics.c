/* daedal help TOPIC: the ideas behind the options, each with an example that can be typed */
#include <string.h>

#include "cli.h"

typedef struct topic {
  const char *names; /* words that lead here, with blanks around each */
  const char *text;
  const char *example, *shows; /* what to type, and what it shows */
} topic;

static const topic topic_table[] = {
    {" form forms index ",
     "The form is the way in which the equations are rewritten before they are solved. "
     "Constraints\n"
     "0 = g(q) do not determine the forces until they are differentiated; how many times that "
     "takes\n"
     "is the index. A form says how far this is carried and what keeps the solution on the\n"
     "constraints: index1 differentiates all the way and projects back after each step; index2 "
     "and\n"
     "ggl keep constraints in the step, for stiff problems; baumgarte adds terms that pull the\n"
     "solution back. 'auto' chooses by stiffness.\n",
     "daedal run slider-crank --form ggl --method radau3",
     "the same solution by another form; compare the lines 'drift' and 'cost'"},
    {" method methods integrator solver ",
     "The method takes the steps. Explicit methods (dop853, dopri5, rk4) are cheap per step and\n"
     "best while the motion itself limits the step; implicit ones (radau5, bdf) are for stiff\n"
     "problems, where a fast motion that has died out would force tiny steps. 'auto' looks at the\n"
     "rates of the problem and switches during the run when that pays off. 'daedal methods' lists\n"
     "all of them.\n",
     "daedal run stiff-loop --method radau5", "a stiff problem with few, long steps"},
    {" tolerance tol accuracy precision error ",
     "The tolerance bounds the error: --tol R asks for errors of about R relative to each "
     "variable,\n"
     "and of R absolute where the variable is small. --rtol and --atol set the two separately,\n"
     "--atol-of sets single variables. A tolerance ten times smaller costs little with a method "
     "of\n"
     "high order. Constraints are kept to rounding, whatever the tolerance.\n",
     "daedal run pendulum --tol 1e-10", "the line 'error' is the distance from the exact solution"},
    {" lambda multiplier multipliers force forces ",
     "Each constraint acts on the motion through a force; its size is a multiplier, often called\n"
     "lambda. It is part of the solution: the pull of a rod, the pressure of a guide. A "
     "multiplier\n"
     "depends on how the constraint is written: twice the equation, half the multiplier.\n",
     "daedal run pendulum --stop 2 --measure \"pull=max(lambda)\"",
     "the largest multiplier is 1.5 g: x^2 + y^2 = 1 pulls with 2 lambda, so with 3 g"},
    {" rank redundant redundancy singular singularity ",
     "Constraints have full rank when none of them follows from the others. One that always does\n"
     "is redundant: the motion is still unique, the forces are not, and the smallest ones are\n"
     "returned. Where rank is lost in a single position, as at the dead point of a linkage, the\n"
     "position is singular: 'auto' passes through it and the summary says so. 'daedal check' "
     "prints\n"
     "the rank.\n",
     "daedal run ring-redundant --set duplicate=1", "the line 'redundant' names the rod"},
    {" start init initial guess consistent ",
     "A run begins on its constraints. Initial values that violate them are moved as little as\n"
     "possible; the summary says which and how far. --init NAME=VALUE fixes a value, and the "
     "others\n"
     "give way; --guess NAME=VALUE only says where to look. Values that contradict the "
     "constraints\n"
     "are refused. (--start T0 is the time at which the run begins.)\n",
     "daedal run pendulum --init y=-0.6", "x moves to 0.8, so that the rod keeps its length"},
    {" events event when if jump ",
     "An event is an instant at which something changes: a 'when' or 'if' condition of a model\n"
     "switches, a bead hits a stop. It is located as accurately as the solution is known, its\n"
     "actions are carried out, and the method restarts. Models use when and if; C problems supply\n"
     "functions whose zeros are events. The summary counts them, --json lists them as "
     "events_met.\n",
     "daedal run bead-bounce --json", "two bounces under events_met"},
};

enum { TOPICS = sizeof topic_table / sizeof *topic_table };

bool cli_topic_help(const char *word) {
  char key[DAE_NAME_MAX];
  snprintf(key, sizeof key, " %.50s ", word);
  for (int i = 0; i < TOPICS; i++) {
    const topic *t = &topic_table[i];
    if (!strstr(t->names, key)) continue;
    printf("%s\nexample: %s\n  %s\n\n", t->text, t->shows, t->example);
    return true;
  }
  return false;
}

void cli_topic_offer(cli_near *near) {
  static const char *const word[] = {"form", "method", "tolerance", "lambda",
                                     "rank", "start",  "events",    "multipliers"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++) cli_near_offer(near, word[i]);
}
