/*
 * Constraints that jump at an event, or whose derivatives do, in models as text: what is integrated
 * over the impulse jumps with it. Values by integration over the instant in the sense of
 * distributions: [Q] of der(Q) = i is the weight of the impulse in i.
 */
#include "small.h"

#define Q "Q(start = 0, fixed = true)"

static const line lines[] = {
    {"a voltage that jumps moves the charge C u",
     "Real u, i, " Q "; equation 3*der(u) = i; der(Q) = i; u = if time < 0.5 then 0 else 5;", 1,
     "Q", 15, NEAR, NULL},
    {"through aliases and formulas",
     "Real u, s, r, " Q "; equation u = s; s = 2*r; r = if time < 0.5 then 0 else 2.5; "
     "der(Q) = der(u);",
     1, "Q", 5, NEAR, NULL},
    {"of a discrete variable",
     "Real u, i, " Q "; discrete Real d(start = 0); equation u = d; 2*der(u) = i; der(Q) = i; "
     "when time > 0.5 then d = 5; end when;",
     1, "Q", 10, NEAR, NULL},
    {"der of an expression that jumps",
     "Real " Q "; equation der(Q) = der(if time < 0.5 then 0 else 5);", 1, "Q", 5, NEAR, NULL},
    {"der of an expression that has a kink only",
     "Real " Q "; equation der(Q) = der(abs(time - 0.5));", 1, "Q", 0, NEAR, NULL},
    {"at a switch of the solution",
     "Real x(start = 0, fixed = true), y, i, " Q "; equation y = if x > 1 then 3 else 0; "
     "der(x) = 1; der(y) = i; der(Q) = i;",
     2, "Q", 3, NEAR, NULL},
    {"a kink of a position: the momentum 1 of a force",
     "Real x, v, f, p(start = 0, fixed = true); equation der(x) = v; der(v) = f; der(p) = f; "
     "x = if time < 1 then 0 else time - 1;",
     2, "p", 1, NEAR, NULL},
    {"a factor that varies: 2 delta(t - 1/2) t",
     "Real x, v, f, p(start = 0, fixed = true); equation der(x) = v; der(v) = f; der(p) = f*time; "
     "x = abs(time - 0.5);",
     1, "p", 1, NEAR, NULL},
    {"a position that jumps: w'' = f, w jumps with it",
     "Real x, v, f, p(start = 0, fixed = true), w(start = 0, fixed = true); equation der(x) = v; "
     "der(v) = f; der(p) = f; der(w) = p; x = if time < 1 then 0 else 2;",
     2, "w", 2, NEAR, NULL},
    {"a multiplier that moves two variables",
     "Real x1, x2(start = 0, fixed = true), y; equation der(x1) = -y; der(x2) = -3*y; "
     "x1 = if time < 0.5 then 0 else 2;",
     1, "x2", 6, NEAR, NULL},
    {"shared by weights: 2 x1' = y, 3 x2' = y, [x1 + x2] = 2",
     "Real x1(start = 0, fixed = true), x2, y; equation 2*der(x1) = y; 3*der(x2) = y; "
     "x1 + x2 = if time < 0.5 then 0 else 2;",
     1, "x1", 1.2, NEAR, NULL},
    {"a nonlinear charge: q = u + u^2/2",
     "Real u, q, i, " Q "; equation q = u + u^2/2; der(q) = i; der(Q) = i; "
     "u = if time < 0.5 then 0 else 5;",
     1, "Q", 17.5, NEAR, NULL},
    {"nothing integrates it: the run goes on",
     "Real u, i, R; equation der(u) = i; R = 2*i; u = if time < 0.5 then 0 else 5;", 1, "u", 5, 0,
     NULL},
    {"reinit is an impulse from outside: x + y = 1 stays",
     "Real x(start = 0.5, fixed = true), y, L; equation der(x) = L; der(y) = -2*L + x; x + y = 1; "
     "when time > 0.5 then reinit(x, 0.3); end when;",
     0.5000001, "y", 0.7, 1e-6, NULL}, /* 1e-7 after the event, rates of size 1 */
    /* ---- not determined ---- */
    {"the square of an impulse",
     "Real u, i, " Q ", E(start = 0, fixed = true); equation der(u) = i; der(Q) = i; "
     "der(E) = i^2; u = if time < 0.5 then 0 else 5;",
     1, "Q", 0, 0, "nonlinearly"},
    {"the square of an impulse beside states of second order",
     "Real u, v, i, E(start = 0, fixed = true); equation der(u) = v; der(v) = i; "
     "der(E) = i^2 + E; u = if time < 0.5 then 0 else time - 0.5;",
     1, "E", 0, 0, "jump"},
    {"an impulse times a factor that jumps",
     "Real u, i, " Q "; equation (1 + u)*der(u) = i; der(Q) = i; u = if time < 0.5 then 0 else 5;",
     1, "Q", 0, 0, "cannot be satisfied across the jump"},
    {"a derivative of an impulse times time",
     "Real x, v, f, p(start = 0, fixed = true); equation der(x) = v; der(v) = f; der(p) = f*time; "
     "x = if time < 0.5 then 0 else 1;",
     1, "p", 0, 0, "cannot be satisfied across the jump"},
    {"der of what only events change",
     "Real " Q "; discrete Real s(start = 1); equation der(Q) = der(s*time); "
     "when time > 0.5 then s = 3; end when;",
     1, "Q", 0, 0, "changes at events only"},
};

static void impulses(void) {
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) run(&lines[i]);
}

int main(void) {
  RUN(impulses);
  return TEST_END();
}
