/* what every function returns: 0 ok, > 0 stopped for a stated reason, < 0 error */
#ifndef DAEDAL_STATUS_H
#define DAEDAL_STATUS_H

#include <daedal/version.h>

/* X(constant, value, name, what it means, what to try) */
#define DAE_STATUS_LIST(X)                                                                         \
  X(DAE_OK, 0, "ok", "The solution was computed as asked.", "")                                    \
  X(DAE_EVENT, 1, "event", "A terminal event was reached.",                                        \
    "The state is the one at the event; the run can be continued from there.")                     \
  X(DAE_STOPPED, 2, "stopped", "A callback requested a stop (it returned < 0).",                   \
    "Look at the time and the variables in the report.")                                           \
  X(DAE_E_MEMORY, -1, "out of memory", "An allocation failed.",                                    \
    "Use a smaller problem, a coarser mesh or a machine with more memory.")                        \
  X(DAE_E_INPUT, -2, "bad input", "An argument, an option or a part of the problem is not valid.", \
    "The message names it.")                                                                       \
  X(DAE_E_FORM, -3, "form not applicable",                                                         \
    "The chosen form or method cannot honour a part of the problem.",                              \
    "Choose another form or method; 'auto' always finds one.")                                     \
  X(DAE_E_CALLBACK, -4, "function failed",                                                         \
    "A callback returned > 0, NaN or infinity, even for the smallest step.",                       \
    "Check the domain of the equations near the reported time.")                                   \
  X(DAE_E_INCONSISTENT, -5, "inconsistent start",                                                  \
    "No point near the initial values satisfies all constraints.",                                 \
    "Change the initial values or free some that are fixed.")                                      \
  X(DAE_E_RANK, -6, "rank deficient", "The constraints lose rank and contradict each other.",      \
    "The report names the dependent constraint; remove or correct it.")                            \
  X(DAE_E_SINGULAR, -7, "singular matrix", "A matrix of the step is singular.",                    \
    "Try another step size, form or direction; the report names the equation.")                    \
  X(DAE_E_STEP, -8, "step too small", "The step size fell below rounding.",                        \
    "The solution may end here; loosen the tolerance or look for a discontinuity.")                \
  X(DAE_E_NEWTON, -9, "no convergence", "The nonlinear equations of a step were not solved.",      \
    "Use a smaller step or give exact derivatives.")                                               \
  X(DAE_E_TOLERANCE, -10, "tolerance too small",                                                   \
    "The tolerance is below what rounding or the method allows.",                                  \
    "Loosen the tolerance, or use a method of higher order.")                                      \
  X(DAE_E_LIMIT, -11, "limit reached", "The limit on steps or iterations was reached.",            \
    "Raise max_steps, or use an implicit method if the problem is stiff.")                         \
  X(DAE_E_DRIFT, -12, "drift", "The constraints could not be kept to their tolerance.",            \
    "Tighten the tolerance, or loosen ctol; write a square (double root) without the square.")     \
  X(DAE_E_INDEX, -13, "index", "The index is not the one that the problem's form states.",         \
    "The report names the constraint and the variable; run 'daedal check'.")                       \
  X(DAE_E_MODEL, -14, "bad model", "The model text has an error.", "The message gives the place.") \
  X(DAE_E_MESH, -15, "mesh limit", "The mesh cannot be refined any further.",                      \
    "Raise the mesh limit, loosen the tolerance or give a better guess.")                          \
  X(DAE_E_BRANCH, -16, "no smooth continuation",                                                   \
    "The motion ends or branches at a singular position.",                                         \
    "The report gives the place; perturb the parameters to choose a branch.")                      \
  X(DAE_E_IO, -17, "file error", "A file could not be read or written.", "The message names it.")  \
  X(DAE_E_AUDIT, -18, "audit failed",                                                              \
    "The result does not satisfy an equation of the problem as accurately as its method "          \
    "promises.",                                                                                   \
    "Use form auto, which keeps the constraints, or a smaller tolerance.")                         \
  X(DAE_E_EVENTS, -19, "events without end",                                                       \
    "Events follow each other without progress, or what happens at one has no solution.",          \
    "The report names it; let the model say what holds afterwards (rest, sticking, hysteresis).")  \
  X(DAE_E_JUMP, -20, "undetermined jump",                                                          \
    "A constraint jumps at an event, and the equations do not say what jumps with it.",            \
    "Let the event change the variables so that all equations hold after it.")                     \
  X(DAE_E_ASSERT, -21, "assertion failed", "An assertion of the model does not hold.",             \
    "Its text says what the model needs.")

typedef enum dae_status {
#define DAE_STATUS_ENUM(constant, value, name, meaning, advice) constant = value,
  DAE_STATUS_LIST(DAE_STATUS_ENUM)
#undef DAE_STATUS_ENUM
} dae_status;

/* Short name of a status ("ok", "rank deficient"); "unknown status" for other numbers. */
DAE_API const char *dae_status_name(int status);

/* One sentence on what a status means. */
DAE_API const char *dae_status_meaning(int status);

/* One sentence on what to try; empty for DAE_OK. */
DAE_API const char *dae_status_advice(int status);

#endif
