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
     "The form is how the equations are rewritten before they are solved. Constraints 0 = g(q) "
     "leave\n"
     "forces undetermined until they are differentiated; how often is the index. A form says how\n"
     "much of that is done and what keeps the solution on the constraints: index1 differentiates\n"
     "all the way and projects back after steps; index2 and ggl keep constraints in the step, for\n"
     "stiff problems; baumgarte adds terms that pull back. 'auto' chooses by stiffness.\n",
     "daedal run slider-crank --form ggl --method radau3",
     "the same solution by another form; compare the lines 'drift' and 'cost'"},
    {" method methods integrator solver ",
     "The method takes the steps. Explicit ones (dop853, dopri5, rk4) are cheap per step and best\n"
     "while the motion itself limits the step; implicit ones (radau5, bdf) are for stiff "
     "problems,\n"
     "where a fast motion that has died out would force tiny steps. 'auto' looks at the rates of\n"
     "the problem, and changes over during the run when that pays. 'daedal methods' lists all.\n",
     "daedal run stiff-loop --method radau5", "a stiff problem with few, long steps"},
    {" tolerance tol accuracy precision error ",
     "The tolerance bounds the error: --tol R asks for errors of about R relative to each "
     "variable,\n"
     "and R absolute where it is small. --rtol and --atol set these apart, --atol-of for single\n"
     "variables. Ten times smaller costs little with a method of high order. Constraints are\n"
     "kept near rounding, whatever the tolerance.\n",
     "daedal run pendulum --tol 1e-10", "the line 'error' is the distance from the exact solution"},
    {" lambda multiplier multipliers force forces ",
     "Each constraint acts on the motion by a force; its size is a multiplier, often called "
     "lambda.\n"
     "It is part of the solution: the pull of a rod, the pressure of a guide. Multipliers belong\n"
     "to the constraint as it is written: twice the equation, half the multiplier.\n",
     "daedal run pendulum --stop 2 --measure \"pull=max(lambda)\"",
     "the largest multiplier is 1.5 g: x^2 + y^2 = 1 pulls with 2 lambda, so with 3 g"},
    {" rank redundant redundancy singular singularity ",
     "Constraints have full rank when none follows from the others. One that always follows is\n"
     "redundant: the motion is still unique, the forces are not, and the least ones are given.\n"
     "Where rank is lost in one position only, as at the dead point of a linkage, the position is\n"
     "singular: 'auto' passes it and the summary says so. 'daedal check' tells the rank.\n",
     "daedal run ring-redundant --set duplicate=1", "the line 'redundant' names the rod"},
    {" start init initial guess consistent ",
     "A run begins on its constraints. Initial values that are not there are moved by the least\n"
     "change; the summary tells which and how far. --init NAME=VALUE holds a value, the others\n"
     "give way; --guess NAME=VALUE only says where to look. Values that contradict the "
     "constraints\n"
     "are refused. (--start T0 is the time where the run begins.)\n",
     "daedal run pendulum --init y=-0.6", "x moves to 0.8, so that the rod keeps its length"},
    {" events event when if jump ",
     "An event is an instant where something changes: a 'when' or 'if' of a model turns, a bead\n"
     "hits a stop. It is located to the precision of the solution, what happens there is done, "
     "and\n"
     "the method starts anew. Models write when and if, C problems give functions whose zeros are\n"
     "events. The summary counts them, --json lists them as events_met.\n",
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
