/*
 * What tools write into flat texts: arrays declared element by element, algorithm sections,
 * enumerations, quoted names, .5 and a ^ -2. Values by hand from the Modelica specification 3.6
 * (chapters 10, 11 and 12), x' = 1 or known closed forms.
 */
#include "small.h"

static const line lines[] = {
    /* ---- declarations ---- */
    {"elements declared one by one: x1 = exp(-2 t), x2 = 3 x1",
     "Real x[1](start = 1, fixed = true); Real x[2]; parameter Real k[1] = 2; "
     "parameter Real k[2] = 3; equation der(x[1]) = -k[1]*x[1]; x[2] = k[2]*x[1];",
     1, "x[2]", 3 * 0.13533528323661270, NEAR, NULL},
    {"a matrix declared one by one, last element first, used as a whole",
     "parameter Real A[2,2] = 4; parameter Real A[1,1] = 1; parameter Real A[1,2] = 2; "
     "parameter Real A[2,1] = 3; Real y; equation y = sum(A)*time + A[2,1];",
     1, "y", 13, 0, NULL},
    {"an array of one element with the value of a scalar",
     "parameter Real k[1] = 3; Real y; equation y = k[1]*time;", 1, "y", 3, 0, NULL},
    {"an element declared twice", "Real x[1]; Real x[2]; Real x[1]; equation x[1] = 1; x[2] = 2;",
     1, "x[1]", 0, 0, "is declared twice"},
    {"an element that is not declared", "Real x[1]; Real x[3]; equation x[1] = 1; x[3] = x[2];", 1,
     "x[1]", 0, 0, "not declared"},
    {"names with $ and quotes",
     "Real $cse1; Real 'a b.c'; equation $cse1 = 2*time; 'a b.c' = $cse1 + .5;", 1, "a b.c", 2.5, 0,
     NULL},
    {"signed exponents", "Real y; equation y = 2 ^ -2 + 2 ^ +1;", 1, "y", 2.25, 0, NULL},
    {"an enumeration with its values",
     "type E = enumeration(red \"r\", green, blue); parameter E e = E.green; "
     "E s(start = E.red); Real x(start = 0, fixed = true); equation "
     "der(x) = if e == E.green then 1 else 2; when x > 0.5 then s = E.blue; end when;",
     1, "s", 3, 0, NULL},
    {"an array over an enumeration, and a loop over it",
     "type E = enumeration(a, b, c); Real x[E]; equation for i in E loop x[i] = Integer(i)*time; "
     "end for;",
     1, "x[3]", 3, 0, NULL},
    /* ---- functions ---- */
    {"outputs that nobody wants",
     "function f input Real x; output Real a; output Real b; output Real c; algorithm a := x; "
     "b := 2*x; c := 3*x; end f; Real p, q; equation (p, , q) = f(time);",
     1, "q", 3, 0, NULL},
    {"while with break", /* 4 is skipped, and all after it: 1 + 2 + 3 */
     "function f input Real x; output Real y; protected Integer i; algorithm y := 0; i := 0; "
     "while i < 9 loop i := i + 1; if i == 4 then break; end if; y := y + i*x; end while; "
     "end f; Real y = f(time);",
     1, "y", 6, 0, NULL},
    {"return under a condition that varies",
     "function f input Real x; output Real y; algorithm y := 1; if x > 0.5 then y := 2; return; "
     "end if; y := y + 10*x; end f; Real y = f(time);",
     0.4, "y", 5, 1e-14, NULL},
    {"return under a condition that varies, taken",
     "function f input Real x; output Real y; algorithm y := 1; if x > 0.5 then y := 2; return; "
     "end if; y := y + 10*x; end f; Real y = f(time);",
     0.6, "y", 2, 0, NULL},
    {"break of a loop under a condition that varies: the first i with i > 10 t",
     "function f input Real x; output Real y; algorithm y := 0; for i in 1:9 loop y := i; "
     "if i > 10*x then break; end if; end for; end f; Real y = f(time);",
     0.35, "y", 4, 0, NULL},
    {"a text that varies under a condition cannot be compared",
     "Real y = if (if time > 0.5 then String(integer(2.6 + time)) else \"a\") == \"3\" then 1 else "
     "2;",
     0.9, "y", 0, 0, "cannot be compared"},
    {"texts that are known under a condition can",
     "Real y = if (if time > 0.5 then \"b\" else \"a\") == \"b\" then 1 else 2;", 0.9, "y", 1, 0,
     NULL},
    /* c holds and x <= 1: the assert is not reached, and the first branch gives y */
    {"an assert in a loop that is not entered says nothing of its branch",
     "function f input Real x; input Real c; output Real y; algorithm if c > 0 then y := 3; "
     "while x > 1 loop assert(false, \"large\"); end while; else y := 7; end if; end f; "
     "Real y = f(time, 1 + time);",
     0.6, "y", 3, 0, NULL},
    {"an assert in a loop that may have no rounds",
     "function f input Integer n; input Real c; output Real y; algorithm if c > 0 then y := 3; "
     "for i in 1:n loop assert(false, \"large\"); end for; else y := 7; end if; end f; "
     "Integer n; Real y; equation n = if time > 5 then 1 else 0; y = f(n, 1 + time);",
     0.6, "y", 3, 0, NULL},
    {"an assert behind a return that is taken",
     "function f input Real x; input Real c; output Real y; algorithm if c > 0 then y := 3; "
     "if x < 1 then return; end if; assert(false, \"large\"); else y := 7; end if; end f; "
     "Real y = f(time, 1 + time);",
     0.6, "y", 3, 0, NULL},
    {"and one that is not taken: the run ends at 0.25",
     "function f input Real x; input Real c; output Real y; algorithm if c > 0 then y := 3; "
     "if x < 0.25 then return; end if; assert(false, \"large\"); else y := 7; end if; end f; "
     "Real y = f(time, 1 + time);",
     0.6, "y", 3, 0, "large"},
    {"an external function that nobody calls",
     "function f input Real x; output Real y; external \"C\" y = g(x); end f; Real y = time;", 1,
     "y", 1, 0, NULL},
    /* ---- algorithm sections ---- */
    {"statements in their order", X "Real y; algorithm y := 2*x; y := y + 1; equation der(x) = 1;",
     1, "y", 3, NEAR, NULL},
    {"if in an algorithm switches",
     X "Real y; algorithm y := x; if x > 0.5 then y := y + 10; end if; equation der(x) = 1;", 1,
     "y", 11, NEAR, NULL},
    {"a variable that is not assigned begins with its start",
     X "Real y(start = 7); algorithm if x > 5 then y := 1; end if; equation der(x) = 1;", 1, "y", 7,
     0, NULL},
    {"when in an algorithm: n := n + 1 counts",
     XN "algorithm when sin(10*x) > 0 then n := n + 1; end when; equation der(x) = 1;", 2, "n", 4,
     0, NULL}, /* 0 < t, 2 pi k/10 < 2 for k = 1, 2, 3 */
    {"two when of an algorithm act in their order: (0 + 1)*5",
     XN "algorithm when x > 0.5 then n := n + 1; end when; when x > 0.5 then n := 5*n; end when; "
        "equation der(x) = 1;",
     1, "n", 5, 0, NULL},
    {"when initial() and sample in an algorithm: 5, then at 0.1, 0.3, 0.5, 0.7, 0.9",
     XN "algorithm when initial() then n := 5; elsewhen sample(0.1, 0.2) then n := n + 1; end "
        "when; "
        "equation der(x) = 1;",
     1, "n", 10, 0, NULL},
    {"reinit inside if inside when of an algorithm",
     XN "Real v(start = 1, fixed = true); algorithm when x > 0.5 then n := n + 1; if n > 0 then "
        "reinit(v, -2); end if; end when; equation der(x) = 1; der(v) = 0;",
     1, "v", -2, 0, NULL},
    {"a loop fills an array",
     "Real y[3]; algorithm for i in 1:3 loop y[i] := i*time; end for; y[2] := y[2] + y[3];", 1,
     "y[2]", 5, 0, NULL},
    {"a Boolean and an Integer of an algorithm",
     X "Boolean b; Integer i; algorithm b := x > 0.5; i := if b then 3 else 4; equation "
       "der(x) = 1;",
     1, "i", 3, 0, NULL},
    {"initial algorithm",
     "Real x, y; initial algorithm x := 2; y := x + 1; equation der(x) = 1; der(y) = 2;", 1, "y", 5,
     NEAR, NULL},
    {"pre in an algorithm is the value before the event: 0 + 1 + 0 + 10",
     XN "algorithm when x > 0.5 then n := n + 1; n := n + pre(n) + 10; end when; "
        "equation der(x) = 1;",
     1, "n", 11, 0, NULL},
    {"semiLinear: 3*(t - 2) before 2, 5*(t - 2) after it",
     "Real y; equation y = semiLinear(time - 2, 5, 3);", 3, "y", 5, 1e-14, NULL},
    /* ---- parameters ---- */
    {"a parameter that an initial equation gives, and one that depends on it: 6 + 3*4*t",
     "parameter Real p(fixed = false, start = 1); parameter Real q = 2*p; "
     "parameter Real r(start = 4); Real x; initial equation p^2 = 9; x = q; "
     "equation der(x) = p*r;",
     1, "x", 18, NEAR, NULL},
    {"an initial algorithm of discrete variables: floor(0.35/0.1)/10",
     XN "discrete Real T; initial algorithm n := integer((time + 0.35)/0.1); T := 0.1*n; "
        "equation der(x) = 1; when x > 10 then n = 1; T = 5; end when;",
     1, "T", 0.3, 1e-15, NULL},
    {"StateSelect as a type",
     "parameter StateSelect s = StateSelect.prefer; Real y; equation y = Integer(s)*time;", 1, "y",
     4, 0, NULL},
    /* ---- if and for inside when ---- */
    {"if inside when, not taken",
     XN "equation der(x) = 1; when x > 0.5 then if x > 0.7 then n = 1; else n = 2; end if; "
        "end when;",
     1, "n", 2, 0, NULL},
    {"if inside when, taken: at x = 0.8",
     XN "equation der(x) = 1; when x > 0.8 then if x > 0.7 then n = 1; else n = 2; end if; "
        "end when;",
     1, "n", 1, 0, NULL},
    {"if without else inside when: the value stays",
     XN "equation der(x) = 1; when {x > 0.5, x > 0.8} then if x > 0.7 then n = pre(n) + 1; end if; "
        "end when;",
     1, "n", 1, 0, NULL},
    {"terminate inside if inside when",
     X "equation der(x) = 1; when {x > 0.25, x > 0.5} then if x > 0.3 then terminate(\"enough\"); "
       "end if; end when;",
     1, "x", 0.5, NEAR, "enough"},
    {"for inside when",
     X "discrete Real w[2]; equation der(x) = 1; when x > 0.5 then for i in 1:2 loop w[i] = i*x; "
       "end for; end when;",
     1, "w[2]", 1, NEAR, NULL},
};

static void flat_texts(void) {
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) run(&lines[i]);
}

int main(void) {
  RUN(flat_texts);
  return TEST_END();
}
