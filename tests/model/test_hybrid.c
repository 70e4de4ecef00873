/*
 * Small hybrid models with answers from theory: the event iteration of the Modelica specification
 * 3.6 (8.3.5 when-equations, 8.6 initialization, appendix B) and closed forms.
 *
 * Each line: what it shows, declarations and equations, the stop time, a variable, its value there
 * and the tolerance (0: exact), or part of the message of a refusal.
 */
#include "small.h"


static const line lines[] = {
    /* ---- conditions on the solution ---- */
    {"zero at the start turns true at once",
     XN "equation der(x) = 1; when x > 0 then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"true at the start is no edge",
     XN "equation der(x) = 1; when x > -1 then n = pre(n) + 1; end when;",
     1, "n", 0, 0, NULL},
    {"x >= 0 holds at the start: no edge",
     XN "equation der(x) = 1; when x >= 0 then n = pre(n) + 1; end when;",
     1, "n", 0, 0, NULL},
    {"the end of the run is not after itself",
     XN "equation der(x) = 1; when time > 1 then n = pre(n) + 1; end when;",
     1, "n", 0, 0, NULL},
    {"time >= stop holds at the stop",
     XN "equation der(x) = 1; when time >= 1 then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"a condition counts each rise: sin(5 t) > 0.3 up to t = 6",
     XN "equation der(x) = 1; when sin(5*x) > 0.3 then n = pre(n) + 1; end when;",
     6, "n", 5, 0, NULL},
    /* steps take many periods; sin(w t + a) > c rises at (asin c - a + 2 pi k)/w */
    {"many periods in a step: sin(100 t + 0.1) > 0 rises 15 times",
     XN "equation der(x) = 0; when sin(100*time + 0.1) > 0 then n = pre(n) + 1; end when;",
     1, "n", 15, 0, NULL},
    {"short dips above a level: sin(100 t) > 0.99 rises 159 times",
     XN "equation der(x) = -x; when sin(100*time) > 0.99 then n = pre(n) + 1; end when;",
     10, "n", 159, 0, NULL},
    {"a hundred periods in a step: sin(1000 t) > 0.99 rises 1592 times",
     XN "equation der(x) = -x; when sin(1000*time) > 0.99 then n = pre(n) + 1; end when;",
     10, "n", 1592, 0, NULL},
    {"true at the start and short: cos(1000 t) > 0.999 rises 159 times",
     XN "equation der(x) = 1; when cos(1000*time) > 0.999 then n = pre(n) + 1; end when;",
     1, "n", 159, 0, NULL},
    /* counted on 4 million points of x = cos(t) */
    {"many periods of the state: sin(50 x) > 0.95 on x = cos(t) rises 101 times",
     "Real x(start = 1, fixed = true), v(start = 0, fixed = true); Integer n(start = 0); equation "
     "der(x) = v; der(v) = -x; when sin(50*x) > 0.95 then n = pre(n) + 1; end when;",
     20, "n", 101, 0, NULL},
    {"two crossings inside a step: 0.01 of time above the level",
     XN "equation der(x) = 1; when x*(2 - x) > 1 - 25e-6 then n = pre(n) + 1; end when;",
     2, "n", 1, 0, NULL},
    {"on its edge at the start, reinit leads back to it: for ever at t = 0",
     "Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation der(h) = v; der(v) = "
     "-1; when h <= 1 and v < 0 then reinit(v, 0); end when;",
     1, NULL, 0, 0, "without progress"},
    {"reinit leads back to the edge: for ever",
     XN "equation der(x) = 2; when x > 0.75 then reinit(x, 0.75); n = pre(n) + 1; end when;",
     1, NULL, 0, 0, "without progress"},
    {"two on their edges leave them together: each resets the other, for ever",
     "Real x(start = 1, fixed = true), y(start = -1, fixed = true); equation der(x) = 1; der(y) = "
     "2; when y > -1 then reinit(x, 0.25); end when; when x <= 0.25 or x > 1 then reinit(y, -1); "
     "end when;",
     1, NULL, 0, 0, "without progress"},
    {"and of two conditions",
     XN "equation der(x) = 1; when x > 0.3 and x < 0.6 then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"or rises once where the conditions overlap",
     XN "equation der(x) = 1; when x > 0.3 or x > 0.6 then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"{a, b} is two conditions",
     XN "equation der(x) = 1; when {x > 0.3, x > 0.6} then n = pre(n) + 1; end when;",
     1, "n", 2, 0, NULL},
    {"{a, b} at the same instant once",
     XN "equation der(x) = 1; when {x > 0.5, time > 0.5} then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"not of a condition",
     XN "equation der(x) = 1; when not x < 0.5 then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"the instant is exact: x at the event",
     X "discrete Real y(start = 0); equation der(x) = 2; when x > 1.5 then y = time; end when;",
     1, "y", 0.75, NEAR, NULL},
    /* ---- elsewhen, several whens ---- */
    {"elsewhen does not act together with its when",
     XN "equation der(x) = 1; when x > 0.5 then n = pre(n) + 1; elsewhen x > 0.5 then n = "
     "pre(n) + 10; end when;",
     1, "n", 1, 0, NULL},
    {"elsewhen acts when its own condition turns true",
     XN "equation der(x) = 1; when x > 0.7 then n = pre(n) + 1; elsewhen x > 0.5 then n = "
     "pre(n) + 10; end when;",
     1, "n", 11, 0, NULL},
    {"two whens may use each other's new values",
     X "Integer n(start = 0), k(start = 0); equation der(x) = 1; when x > 0.5 then n = pre(n) + "
     "3; end when; when x > 0.5 then k = 2*n; end when;",
     1, "k", 6, 0, NULL},
    {"a when on a discrete variable of another when",
     X "Integer n(start = 0), k(start = 0); equation der(x) = 1; when x > 0.5 then n = 4; end "
     "when; when n > 3 then k = n + 1; end when;",
     1, "k", 5, 0, NULL},
    {"a chain of three conditions in one instant",
     X "Boolean a(start = false), b(start = false); Integer n(start = 0); equation der(x) = 1; "
     "when x > 0.5 then a = true; end when; when a then b = true; end when; when b then n = "
     "pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"one variable, two whens",
     XN "equation der(x) = 1; when x > 0.5 then n = 1; end when; when x > 0.7 then n = 2; end "
     "when;",
     1, "n", 0, 0, "'n' is given twice"},
    /* ---- the loop of the event ---- */
    {"when inside a loop: x + y = 5, y = 7 - 2 x",
     "Real x, y(start = 0); equation when time > 0.5 then y = 7 - 2*x; end when; x + y = 5;",
     1, "x", 2, 1e-12, NULL},
    {"the same, y",
     "Real x, y(start = 0); equation when time > 0.5 then y = 7 - 2*x; end when; x + y = 5;",
     1, "y", 3, 1e-12, NULL},
    /* x^3 + x + y = 5, y = 7 - 2 x: x^3 - x + 2 = 0 has the root -1.5213797068045676 */
    {"when inside a nonlinear loop",
     "Real x(start = 1), y(start = 3), u(start = 0, fixed = true); equation der(u) = 1; when "
     "time > 0.5 then y = 7 - 2*x; end when; x^3 + x + y = 5;",
     1, "x", -1.5213797068045676, 1e-9, NULL},
    {"pre on both sides counts up",
     XN "equation der(x) = 1; when {x > 0.2, x > 0.4, x > 0.6} then n = 2*pre(n) + 1; end when;",
     1, "n", 7, 0, NULL},
    {"no fixed point is told by name",
     X "Boolean b(start = false), c; equation der(x) = 1; c = x > 0.5; b = if c then not pre(b) "
     "else false;",
     1, "b", 0, 0, "b changes again and again"},
    {"a loop without a solution: a - b is 1 and x",
     X "Real a(start = 0), b(start = 0); equation der(x) = 1; when x > 0.5 then a = b + 1; b = "
     "a - x; end when;",
     1, "a", 0, 0, "its equation has no solution"},
    {"a sample and a relation of time at one instant",
     "Integer n(start = 0); equation when {sample(0.5, 1), time >= 0.5} then n = pre(n) + 1; end "
     "when;",
     1, "n", 1, 0, NULL},
    {"a sample happens once, whatever happens within roundings of it",
     "Integer n(start = 0), k(start = 0); equation when sample(0.5, 1) "
     "then n = pre(n) + 1; end when; when time > 0.5 then k = n; end when;",
     1, "n", 1, 0, NULL},
    {"Boolean and Real variables in a loop with algebraic ones: y = 2 - y/2",
     "Real y(start = 0.2), x; Boolean f(start = false), s; equation s = sample(0.5, 1); when s "
     "then "
     "y = 2 - x; f = y > 1; end when; x*(1 + 0.5*x)/(1 + 0.5*x) = 0.5*y;",
     1, "y", 4.0 / 3, NEAR, NULL},
    {"a loop whose first step is far too long: y = atan(20 (2 - x)), x = 2 y",
     "Real y(start = 0), x(start = 9); equation when time > 0.5 then y = atan(20*(2 - x)); end "
     "when; "
     "x + 1e-3*x^3 = 2*y + 1e-3*x^3;",
     1, "y", 0.963986343515562, NEAR, NULL},
    {"relations the other way round are one switch",
     "Real x(start = 0, fixed = true); Integer n(start = 0); equation der(x) = 1; when x > 0.5 and "
     "0.5 < x then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"the branch that is not taken divides by zero",
     "Real x(start = 0, fixed = true), y, w; equation der(x) = 1; y = if x < 2 then x else 1/(x - "
     "x*1.0); w + y*x = 3 - w;",
     1, "w", 1, NEAR, NULL},
    /* ---- discrete equations ---- */
    {"hysteresis by pre: off at 1, on at 0.5",
     "Real x(start = 0.7, fixed = true); Boolean off(start = false); equation off = x > 1 or "
     "pre(off) and x > 0.5; der(x) = if off then -1 else 1;",
     1.0, "x", 0.7, NEAR, NULL},
    {"pre(b) in an equation is b between events",
     X "Boolean b(start = false); equation when time > 0.5 then b = true; end when; der(x) = if "
     "pre(b) then 3 else 1;",
     1, "x", 2, NEAR, NULL},
    {"pre of a Real that varies",
     X "equation der(x) = 1 - pre(x);",
     1, "x", 0, 0, "pre(x) has no meaning in this equation"},
    {"edge of a Boolean",
     X "Boolean b; Integer n(start = 0); equation der(x) = 1; b = sin(5*x) > 0.3; when edge(b) "
     "then n = pre(n) + 1; end when;",
     6, "n", 5, 0, NULL},
    {"change counts rises and falls",
     X "Boolean b; Integer n(start = 0); equation der(x) = 1; b = sin(5*x) > 0.3; when "
     "change(b) then n = pre(n) + 1; end when;",
     6, "n", 10, 0, NULL},
    {"a Boolean is true or false",
     X "Boolean b; equation der(x) = 1; b = x > 0.25;",
     1, "b", 1, 0, NULL},
    {"an Integer unknown inside an expression",
     X "Integer n; equation der(x) = 1; 2*n = 5;",
     1, "n", 0, 0, "'n' is Integer: an equation must give it alone"},
    {"a Real value for an Integer",
     XN "equation der(x) = 1; when x > 0.5 then n = x; end when;",
     1, "n", 0, 0, "differ in size or type"},
    /* ---- sample ---- */
    {"sample at the start and every 0.1: 11 instants in [0, 1]",
     XN "equation der(x) = 1; when sample(0, 0.1) then n = pre(n) + 1; end when;",
     1, "n", 11, 0, NULL},
    {"sample(0.05, 0.1)",
     XN "equation der(x) = 1; when sample(0.05, 0.1) then n = pre(n) + 1; end when;",
     1, "n", 10, 0, NULL},
    {"instants that no time can tell apart",
     XN "equation der(x) = 1; when sample(0.5, 1e-300) then n = pre(n) + 1; end when;",
     1, NULL, 0, 0, "shorter than times near t = 1 can tell"},
    {"more instants than steps are allowed",
     XN "equation der(x) = 1; when sample(0, 1e-12) then n = pre(n) + 1; end when;",
     1, NULL, 0, 0, "1e+12 instants"},
    {"period 1e-5 up to 0.01",
     XN "equation der(x) = 1; when sample(0, 1e-5) then n = pre(n) + 1; end when;",
     0.010005, "n", 1001, 0, NULL},
    {"period 1e-7 up to 1e-4",
     XN "equation der(x) = 1; when sample(0, 1e-7) then n = pre(n) + 1; end when;",
     1.0005e-4, "n", 1001, 0, NULL},
    {"two clocks meet every 0.6",
     XN "equation der(x) = 1; when {sample(0, 0.2), sample(0, 0.3)} then n = pre(n) + 1; end "
     "when;",
     1.25, "n", 9, 0, NULL},
    {"a Boolean sample is true for an instant only",
     X "Boolean b; Integer n(start = 0); equation der(x) = if b then 100 else 1; b = sample(0, "
     "0.25); when b then n = pre(n) + 1; end when;",
     1, "x", 1, NEAR, NULL},
    {"x sampled: y = x(0.75) until 1",
     X "discrete Real y(start = 0); equation der(x) = 2*time; when sample(0, 0.25) then y = x; "
     "end when;",
     0.9, "y", 0.5625, NEAR, NULL},
    /* x settles at 1 where I does: an integral controller, sampled; at the end an instant */
    {"what an event changes at the end belongs to the equations there",
     X "discrete Real u(start = 0), I(start = 0); equation der(x) = -x + u; when sample(0, 0.1) "
     "then I = pre(I) + 0.1*(1 - x); u = 2*(1 - x) + 3*I; end when;",
     20, "x", 1, NEAR, NULL},
    /* ---- initial, terminal ---- */
    {"when initial()",
     XN "equation der(x) = 1; when initial() then n = 7; end when;",
     1, "n", 7, 0, NULL},
    {"when {initial(), x > 0.5}",
     XN "equation der(x) = 1; when {initial(), x > 0.5} then n = pre(n) + 1; end when;",
     1, "n", 2, 0, NULL},
    {"reinit at the start",
     X "equation der(x) = 1; when initial() then reinit(x, 3); end when;",
     1, "x", 4, NEAR, NULL},
    {"when terminal()",
     XN "equation der(x) = 1; when terminal() then n = pre(n) + 5; end when;",
     1, "n", 5, 0, NULL},
    {"an initial equation of a discrete variable",
     XN "initial equation n = 4; equation der(x) = 1; when x > 0.5 then n = pre(n) + 1; end "
     "when;",
     1, "n", 5, 0, NULL},
    /* ---- reinit ---- */
    {"saw tooth: x' = 1, reset at 0.3",
     X "equation der(x) = 1; when x > 0.3 then reinit(x, 0); end when;",
     1, "x", 0.1, NEAR, NULL},
    {"a chain of resets: x to 5 makes y 7",
     X "Real y(start = 0, fixed = true); equation der(x) = 1; der(y) = 0; when x > 0.5 then "
     "reinit(x, 5); end when; when x > 4 then reinit(y, 7); end when;",
     1, "y", 7, NEAR, NULL},
    {"reinit uses the values before it",
     X "Real y(start = 2, fixed = true); equation der(x) = 1; der(y) = 0; when x > 0.5 then "
     "reinit(x, y); reinit(y, x); end when;",
     1, "y", 0.5, NEAR, NULL},
    {"reinit of no state",
     X "Real y; equation der(x) = 1; y = 2*x; when x > 0.5 then reinit(y, 0); end when;",
     1, "y", 0, 0, "'y' is no state"},
    {"terminate ends the run there",
     X "equation der(x) = 1; when x > 0.5 then terminate(\"half\"); end when;",
     1, "x", 0.5, NEAR, "half"},
    /* ---- functions that switch ---- */
    {"floor: x' = floor(t), 0 + 1 + 2/2",
     X "equation der(x) = floor(time);",
     2.5, "x", 2, NEAR, NULL},
    {"ceil",
     X "equation der(x) = ceil(time);",
     2.5, "x", 4.5, NEAR, NULL},
    {"integer of a falling argument",
     X "Real y(start = 0.5, fixed = true); equation der(y) = -1; der(x) = integer(y);",
     2, "x", -2, NEAR, NULL},
    {"mod: a saw tooth of period 0.3",
     X "equation der(x) = mod(time, 0.3);",
     0.75, "x", 2 * 0.045 + 0.15 * 0.15 / 2, NEAR, NULL},
    {"sign",
     X "equation der(x) = sign(0.3 - time);",
     1, "x", 0.3 - 0.7, NEAR, NULL},
    {"abs",
     X "equation der(x) = abs(time - 0.5);",
     1, "x", 0.25, NEAR, NULL},
    {"min and max",
     X "equation der(x) = max(time, 0.5) - min(time, 0.25);",
     1, "x", (0.25 + 0.375) - (0.03125 + 0.1875), NEAR, NULL},
    {"a threshold that each event moves on: at 1, 1.001, .. 1.05",
     XN "discrete Real next(start = 1); equation der(x) = 1; when x > pre(next) then n = pre(n) + "
        "1; next = pre(next) + 0.001; end when;",
     1.0505, "n", 51, 0, NULL},
    {"the time at which a threshold was passed",
     XN "discrete Real next(start = 1), at(start = 0); equation der(x) = 1; when x > pre(next) "
        "then next = pre(next) + 0.1*(1 + n); n = pre(n) + 1; at = time; end when;",
     1.45, "at", 1.2, NEAR, NULL},
    /* the sum of k/300 for k < 300; a step holds several of the borders */
    {"floor: x' = floor(300 t)", X "equation der(x) = floor(300*time);", 1, "x", 149.5, 1e-7, NULL},
    /* borders of ceil and div meet at x = 0.3, 0.6, 0.9: 4.95 + 1.05 + 0.1125 */
    {"whole numbers whose borders meet within roundings",
     "Real x(start = 0.05, fixed = true), y(start = 0, fixed = true); equation der(x) = 1; "
     "der(y) = ceil(10*x) + div(x, 0.3) + rem(x, 0.25);",
     0.9, "y", 6.1125, NEAR, NULL},
    /* sums of k/a for k < a: (a - 1)/2 each */
    {"two whole numbers that turn in the same steps",
     X "equation der(x) = floor(40*time) + floor(41*time);",
     1, "x", 39.5, NEAR, NULL},
    /* 2*0.5 + 1 + 0 - 1*0.5 */
    {"floor of what falls", X "equation der(x) = floor(2.5 - time);", 3, "x", 1.5, NEAR, NULL},
    {"floor in a condition acts at once",
     X "discrete Real y(start = 0); equation der(x) = 1; when floor(2*x) > 0 then y = time; end "
     "when;",
     1, "y", 0.5, NEAR, NULL},
    {"noEvent is not watched",
     X "equation der(x) = noEvent(if time > 0.5 then 2 else 1);",
     1, "x", 1.5, 1e-6, NULL},
    {"if with three branches",
     X "equation der(x) = if time < 0.2 then 1 elseif time < 0.6 then 2 else 3;",
     1, "x", 0.2 + 0.8 + 1.2, NEAR, NULL},
    /* ---- arrays, loops, derivatives in conditions ---- */
    {"when inside a loop of equations",
     X "Integer n[3](each start = 0); equation der(x) = 1; for i in 1:3 loop when x > 0.2*i then "
     "n[i] "
     "= pre(n[i]) + i; end when; end for;",
     0.5, "n[2]", 2, 0, NULL},
    {"a vector given by a when: Fibonacci numbers at five instants",
     X "discrete Real v[2](start = {1, 1}); equation der(x) = 1; when sample(0, 0.25) then v = "
     "{pre(v[1]) + pre(v[2]), pre(v[1])}; end when;",
     1, "v[1]", 13, 0, NULL},
    {"a condition that moves with what it counts",
     X "Integer k(start = 1); equation der(x) = 1; when time >= 0.3*pre(k) then k = pre(k) + 1; "
     "end "
     "when;",
     1, "k", 4, 0, NULL},
    {"noEvent does not hide the condition of an event",
     XN "equation der(x) = 1; when noEvent(x > 0.5) then n = pre(n) + 1; end when;",
     1, "n", 1, 0, NULL},
    {"a derivative in a condition: -x > 0 of x = cos t at pi/2",
     "Real x(start = 1, fixed = true), v(start = 0, fixed = true), a; discrete Real y(start = 0); "
     "equation der(x) = v; der(v) = -x; a = der(v); when a > 0 then y = time; end when;",
     2, "y", 1.5707963267948966, NEAR, NULL},
    {"a relation of relations: abs of what a when compares",
     XN "equation der(x) = cos(time); when abs(x) > 0.5 then n = pre(n) + 1; end when;",
     6, "n", 2, 0, NULL},
    {"a condition without a value in a branch that is not taken",
     "Real x(start = -1, fixed = true), y(start = 0, fixed = true); equation der(x) = 1; der(y) "
     "= if "
     "x > 0 then (if sqrt(x) > 0.5 then 2 else 1) else 0;",
     2, "y", 0.25 + 1.5, NEAR, NULL},
    /* ---- sliding, sticking, and what has no end ---- */
    {"sliding: both sides lead to 0",
     "Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1;",
     3, "x", 0, NEAR, NULL},
    /* f+ = (-1, 2), f- = (3, -2): a = 3/4, so y' = 3/4 2 - 1/4 2 = 1 after t = 1 */
    {"sliding: the speed along the switch is Filippov's",
     "Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) = if x > 0 "
     "then -1 "
     "else 3; der(y) = if x > 0 then 2 else -2;",
     3, "y", 2 + 2, NEAR, NULL},
    /* at rest until 0.5 t = 1, then v' = 0.5 t - 1: v(4) = 0.25 (16 - 4) - 2 */
    {"friction sticks and slips",
     "Real v(start = 0, fixed = true); equation der(v) = 0.5*time - sign(v);",
     4, "v", 1, NEAR, NULL},
    {"the force while it sticks is the driving one",
     "Real v(start = 0, fixed = true), f; equation f = sign(v); der(v) = 0.5*time - f;",
     1.5, "f", 0.75, NEAR, NULL},
    {"a block is stopped by friction: at 0.5 s 2 of 4 m/s2",
     "Real x(start = 0, fixed = true), v(start = 2, fixed = true); equation der(x) = v; der(v) = "
     "-4*sign(v);",
     3, "x", 0.5, NEAR, NULL},
    {"bounces that shrink to nothing",
     "Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation der(h) = v; der(v) = "
     "-9.81; when h < 0 then reinit(v, -0.3*pre(v)); end when;",
     2, "h", 0, 0, "events of h follow each other ever faster"},
    {"two switches in one place are told",
     "Real x(start = 1, fixed = true), y(start = 1, fixed = true); equation der(x) = (if x > 0 "
     "then -1 "
     "else 1) + (if y > 0 then -2 else 2); der(y) = (if y > 0 then -1 else 1) - (if x > 0 then 2 "
     "else "
     "-2);",
     9, "x", 0, 0, "without progress"},
    /* ---- assert ---- */
    {"assert is false from the start",
     X "equation der(x) = 1; assert(x > 1, \"too small\");",
     1, "x", 0, 0, "too small"},
    {"assert turns false",
     X "equation der(x) = 1; assert(x < 0.5, \"too large\");",
     1, "x", 0.5, NEAR, "too large"},
    {"a warning goes on",
     X "equation der(x) = 1; assert(x < 0.5, \"large\", AssertionLevel.warning);",
     1, "x", 1, NEAR, NULL},
    {"assert inside a function",
     "function f input Real u; output Real y; algorithm assert(u < 0.5, \"f of too much\"); y "
     ":= 2*u; end f; " X "Real y; equation der(x) = 1; y = f(x);",
     1, "x", 0.5, NEAR, "f of too much"},
    {"assert in a branch that is not taken",
     "function f input Real u; output Real y; algorithm assert(u < 0.5, \"f of too much\"); y "
     ":= 2*u; end f; " X "equation der(x) = if x < 0.4 then 1 + 0*f(x) else 1;",
     1, "x", 1, NEAR, NULL},
    /* ---- boundary values have no events ---- */
    {"when in a boundary value problem",
     "Real x, v; Integer n(start = 0); initial equation x(startTime) = 0; x(finalTime) = 1; "
     "equation der(x) = v; der(v) = 1; when x > 0.5 then n = 1; end when;",
     1, "x", 0, 0, "when is not supported in a boundary value problem"},
    {"assert in a boundary value problem",
     "Real x, v; initial equation x(startTime) = 0; x(finalTime) = 1; equation der(x) = v; "
     "der(v) = 1; assert(x < 5, \"no\");",
     1, "x", 0, 0, "assert is not supported in a boundary value problem"},
};

static void small_models(void) {
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) run(&lines[i]);
}

int main(void) {
  RUN(small_models);
  return TEST_END();
}
