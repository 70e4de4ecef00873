/*
 * Small models whose answers follow from the Modelica specification 3.6 by hand: sums of events,
 * integrals of piecewise linear functions, what functions assert where they are called, and what
 * they leave where they return early.
 */
#include "small.h"

static const line lines[] = {
    {"chain backward order",
     "Integer a(start=0), b(start=0), c(start=0); equation when b > 1 then c = 2*b; end "
     "when; when a > 0 then b = a + 1; end when; when time > 0.5 then a = 1; end when;",
     1, "c", 4, NEAR, NULL},
    {"pre delays one round",
     "Integer a(start=0), b(start=0), c(start=0), d(start=0); equation when time > 0.5 "
     "then a = 1; end when; b = pre(a); c = pre(b); when c > 0 then d = 7; end when;",
     1, "d", 7, NEAR, NULL},
    {"counting with Integer equation pre(n)+... event iteration to",
     "Integer n(start=0, fixed=true); equation n = if time > 0.5 and pre(n) < 5 then "
     "pre(n) + 1 else pre(n);",
     1, "n", 5, NEAR, NULL},
    {"two samples coincide",
     "Integer n(start=0), k(start=0), both(start=0); equation when sample(0, 0.2) then n ="
     " pre(n) + 1; end when; when sample(0.1, 0.3) then k = pre(k) + 1; end when; when "
     "sample(0,0.2) and sample(0.1,0.3) then both = pre(both)+1; end when;",
     1, "both", 2, NEAR, NULL},
    {"change of Real discrete",
     "discrete Real r(start=0); Integer n(start=0); equation when sample(0.2,0.3) then r ="
     " pre(r) + 0.5; end when; when change(r) then n = pre(n)+1; end when;",
     1, "n", 3, NEAR, NULL},
    {"reinit chain",
     "Real x(start=0,fixed=true), y(start=0,fixed=true), z(start=0,fixed=true); equation "
     "der(x) = 1; der(y) = 1; der(z) = 1; when x > 0.5 then reinit(y, 6); end when; when y"
     " > 5 then reinit(z, 4); end when;",
     2, "y", 7.5, NEAR, NULL},
    {"skipped first",
     "function f input Real x; output Real a; output Real b; output Real c; algorithm a :="
     " x; b := 2*x; c := 9*x; end f; Real c; equation (, , c) = f(time);",
     1, "c", 9, NEAR, NULL},
    {"real range", "Real y = sum(0.2:0.2:1.0); Integer n = size(0.2:0.2:1.0,1);", 1, "n", 5, NEAR,
     NULL},
    {"reduction empty", "Real y = sum(i for i in 1:0), z = product(i for i in 1:0);", 1, "z", 1,
     NEAR, NULL},
    {"comprehension two iterators",
     "Real A[3,2] = {10*j + i for j in 1:2, i in 1:3}; Real y = A[3,2]; Integer n = "
     "size(A,1);",
     1, "n", 3, NEAR, NULL},
    {"fixed false parameter two",
     "parameter Real p(fixed=false), q(fixed=false); Real x, y; initial equation x = 1; y "
     "= 2; der(x) = 3; der(y) = 4; equation der(x) = p; der(y) = q*2;",
     1, "q", 2, NEAR, NULL},
    {"initial vs pre",
     "Integer n(start=3, fixed=true); equation when {initial(), time > 0.5} then n = "
     "pre(n) + 1; end when;",
     1, "n", 5, NEAR, NULL},
    {"pre of enum machine",
     "type S = enumeration(idle, run, done); S s(start=S.idle, fixed=true); Real y = "
     "Integer(s); equation s = if pre(s) == S.idle and time > 0.2 then S.run elseif pre(s)"
     " == S.run and time > 0.6 then S.done else pre(s);",
     1, "y", 3, NEAR, NULL},
    {"two mutual conditions",
     "Real x, y; equation x = if time > 0.5 then 2*y else 1; y = if time > 0.5 then x - "
     "1.5 else 0;",
     1, "y", 1.5, NEAR, NULL},
    {"integral of sign", "Real q(start=0, fixed=true); equation der(q) = sign(sin(time));",
     18.84955592153876, "q", 0, NEAR, NULL},
    {"integral of mod", "Real q(start=0, fixed=true); equation der(q) = mod(time, 1);", 3.5, "q",
     1.625, NEAR, NULL},
    {"integral rem div with negative",
     "Real q(start=0, fixed=true), r(start=0,fixed=true); equation der(q) = div(time-3, "
     "1)+0.5; der(r) = rem(time - 3, 1);",
     2, "r", -1, NEAR, NULL},
    {"algorithm two whens same instant in order",
     "Integer n(start=1); algorithm when time > 0.5 then n := n + 5; end when; when time >"
     " 0.5 then n := n*2; end when;",
     1, "n", 12, NEAR, NULL},
    {"algorithm order matters with pre",
     "Integer a(start=0), b(start=9); algorithm when time > 0.5 then a := 3; b := pre(a); "
     "end when;",
     1, "b", 0, NEAR, NULL},
    {"algorithm if Integer holds value",
     "Integer k(start=4, fixed=true); algorithm if time > 0.3 and time < 0.5 then k := 7; "
     "end if;",
     1, "k", 7, NEAR, NULL},
    {"shift register at end, 5 samples",
     "Integer q[4](each start=0, each fixed=true); Real y = sum(q); equation when "
     "sample(0.1, 0.2) then q[1] = pre(q[1]) + 1; for i in 2:4 loop q[i] = pre(q[i-1]); "
     "end for; end when;",
     1, "y", 14, NEAR, NULL},
    {"sawtooth exactly at end",
     "Real x(start=0,fixed=true); Integer n(start=0); equation der(x)=1; when x >= 0.25 "
     "then reinit(x,0); n = pre(n)+1; end when;",
     0.6, "n", 2, NEAR, NULL},
    {"discrete real with der input",
     "discrete Real u(start=0); Real x(start=0,fixed=true); equation when sample(0,0.5) "
     "then u = time; end when; der(x) = u + 0.05;",
     1, "x", 0.3, NEAR, NULL},
    {"nested functions with array output",
     "function g input Real v[:]; output Real w[size(v,1)]; algorithm for i in 1:size(v,1)"
     " loop w[i] := i*v[i]; end for; end g; function f input Real v[:]; output Real s; "
     "algorithm s := sum(g(v)); end f; Real y = f({1,2,2});",
     1, "y", 11, NEAR, NULL},
    {"function default arg",
     "function f input Real a; input Real b = 2*a + 1; output Real y; algorithm y := a + "
     "b; end f; Real y = f(1) + f(2, b = 3);",
     1, "y", 9, NEAR, NULL},
    {"simultaneous time events",
     "Integer a(start=0), b(start=0), c(start=0); equation when time >= 0.3 then a = 1; "
     "end when; when 10*time >= 3 then b = if a == 1 then 1 else 0; end when; when "
     "sample(0.3, 10) then c = 1; end when;",
     1, "c", 1, NEAR, NULL},
    {"event strictly greater at stop not fired",
     "Integer a(start=0); equation when time > 1 then a = 1; end when;", 1, "a", 0, NEAR, NULL},
    {"algebraic jump triggers when",
     "Real y = if time > 0.5 then 3 else 1; Integer n(start=0), m(start=0); equation when "
     "y > 2 then n = 1; end when; when n > 0 then m = 1; end when;",
     1, "m", 1, NEAR, NULL},
    {"reinit jump across threshold down and up no change of when",
     "Real x(start=1,fixed=true); Integer n(start=0); equation der(x)=0; when time > 0.2 "
     "then reinit(x, 5); elsewhen time > 0.4 then reinit(x,1); elsewhen time > 0.6 then "
     "reinit(x, 4); end when; when x > 3 then n = pre(n)+1; end when;",
     1, "n", 2, NEAR, NULL},
    {"discrete initial equation pre",
     "Integer k; initial equation pre(k) = 5; equation when time > 0.5 then k = pre(k)+1; "
     "end when;",
     1, "k", 6, NEAR, NULL},
    {"when with sample & condition",
     "Integer n(start=0); equation when sample(0,0.1) and time > 0.55 then n = pre(n)+1; "
     "end when;",
     1, "n", 5, NEAR, NULL},
    {"reinit of alias var der(y)",
     "Real x(start=0,fixed=true), y; equation der(y)=1; y = x; when time > 0.5 then "
     "reinit(x, 4); end when;",
     1, "y", 4.5, NEAR, NULL},
    {"friction stop Coulomb analytic",
     "Real v(start=1,fixed=true), x(start=0,fixed=true); equation der(x)=v; der(v) = "
     "-0.5*sign(v);",
     3, "x", 1, NEAR, NULL},
    {"state with discontinuity in position (impulse)",
     "Real u = if time < 1 then 0 else 5; Real q(start=0,fixed=true), i; equation i = "
     "der(u); der(q) = i;",
     2, "q", 5, NEAR, NULL},
    {"assert in function in when eq",
     "function f input Real u; output Real y; algorithm assert(u < 0.3, \"small\"); y := "
     "u; end f; Real y(start=0); Real t = time; equation when time > 0.5 then y = f(time);"
     " end when;",
     1, "t", 0.5, NEAR, "small"},
    {"assert in function in when eq passes (time later > .3 but no",
     "function f input Real u; output Real y; algorithm assert(u < 0.3, \"small\"); y := "
     "u; end f; Real y(start=0); equation when time > 0.2 then y = f(time); end when;",
     1, "y", 0.2, NEAR, NULL},
    {"call alone in when",
     "function f input Real u; algorithm assert(u < 0.3, \"small\"); end f; Real "
     "y(start=0); Real t = time; equation when time > 0.5 then f(time); y = 1; end when;",
     1, "t", 0.5, NEAR, "small"},
    {"call alone in when passes",
     "function f input Real u; algorithm assert(u < 0.3, \"small\"); end f; Real "
     "y(start=0); equation when time > 0.2 then f(time); y = 1; end when;",
     1, "y", 1, NEAR, NULL},
    {"assert in algorithm when",
     "function f input Real u; algorithm assert(u < 0.3, \"small\"); end f; Real "
     "y(start=0); Real t = time; algorithm when time > 0.5 then f(time); y := 1; end when;",
     1, "t", 0.5, NEAR, "small"},
    {"assert in algorithm when passes",
     "function f input Real u; algorithm assert(u < 0.3, \"small\"); end f; Real "
     "y(start=0); algorithm when time > 0.2 then f(time); y := 1; end when;",
     1, "y", 1, NEAR, NULL},
    {"assert in function called in unreached if expr",
     "function f input Real u; output Real y; algorithm assert(u < 0.3, \"small\"); y := "
     "u; end f; Real y = if time > 2 then f(time) else 1;",
     1, "y", 1, NEAR, NULL},
    {"pre in function",
     "function f input Integer u; output Integer y; algorithm y := pre(u); end f; Integer "
     "n(start=0), k; equation when time>0.5 then n = 3; end when; k = f(n);",
     1, "", 0, 0, "only models can use this"},
    {"initial in function",
     "function f input Integer u; output Integer y; algorithm y := if initial() then u "
     "else 0; end f; Integer n(start=0), k; equation when time>0.5 then n = 3; end when; k"
     " = f(n);",
     1, "", 0, 0, "only models can use this"},
    {"der in function",
     "function f input Real u; output Real y; algorithm y := der(u); end f; Real y = f(1);", 1, "",
     0, 0, "only models can use this"},
    {"error in function",
     "function err input String s; external \"C\" ModelicaError(s); end err; function f "
     "input Real u; output Real y; algorithm if u > 0.5 then err(\"boom\"); end if; y := "
     "u; end f; Real y = f(time); Real t = time;",
     1, "t", 0.5, NEAR, "boom"},
    {"error in unreached",
     "function err input String s; external \"C\" ModelicaError(s); end err; function f "
     "input Real u; output Real y; algorithm if u > 1.5 then err(\"boom\"); else y := u; "
     "end if; end f; Real y = f(time);",
     1, "y", 1, NEAR, NULL},
    {"assert after return",
     "function f input Real u; output Real y; algorithm if u > 0.5 then y := 0; return; "
     "end if; assert(u < 0.6, \"late\"); y := u; end f; Real y = f(time);",
     1, "y", 0, NEAR, NULL},
    {"assert after return 2",
     "function f input Real u; output Real y; algorithm if u > 0.5 then y := 0; return; "
     "end if; assert(u < 0.4, \"late\"); y := u; end f; Real y = f(time); Real t = time;",
     1, "t", 0.4, NEAR, "late"},
    {"nested call alone in function",
     "function g input Real u; algorithm assert(u < 0.4, \"deep\"); end g; function f "
     "input Real u; output Real y; algorithm g(u); y := u; end f; Real y = f(time); Real t"
     " = time;",
     1, "t", 0.4, NEAR, "deep"},
    {"three returns",
     "function f input Real u; output Real y; algorithm if u < 0.3 then y := 0; return; "
     "end if; if u < 0.6 then y := 1; return; end if; y := 2; end f; Real y = f(time), z ="
     " f(time/2), w = f(time/4);",
     1, "w", 0, NEAR, NULL},
    {"nested return",
     "function f input Real u; input Real v; output Real y; algorithm if u < 0.6 then if v"
     " < 0.6 then y := 0; return; end if; end if; y := 2; end f; Real y = f(time, 0), z = "
     "f(time/2, 0);",
     1, "z", 0, NEAR, NULL},
    {"return in for known",
     "function f input Real u; output Integer y; algorithm for i in 1:5 loop if i*0.3 > u "
     "then y := i; return; end if; end for; y := 9; end f; Real y = f(0.7*time), z = "
     "f(0.2*time);",
     1, "z", 1, NEAR, NULL},
    {"return in for all",
     "function f input Real u; output Integer y; algorithm for i in 1:5 loop if i*0.3 > u "
     "then y := i; return; end if; end for; y := 9; end f; Real y = f(7*time);",
     1, "y", 9, NEAR, NULL},
    {"break in for then code",
     "function f input Real u; output Integer y; protected Integer k; algorithm k := 0; "
     "for i in 1:5 loop if i*0.3 > u then break; end if; k := i; end for; y := 10 + k; end"
     " f; Real y = f(time);",
     1, "y", 13, NEAR, NULL},
    {"return unassigned",
     "function f input Real u; output Real y; algorithm if u < 0.3 then return; end if; y "
     ":= 2; end f; Real y = f(time);",
     1, "", 0, 0, "no value"},
    {"partially unassigned",
     "function f input Real u; output Real y; algorithm if u < 0.3 then y := 1; return; "
     "end if; end f; Real y = f(time);",
     1, "", 0, 0, "no value"},
    {"while with return unassigned",
     "function f input Real u; output Integer y; protected Integer i; algorithm i := 0; "
     "while true loop i := i + 1; if i*0.3 > u then y := i; return; end if; end while; end"
     " f; Real y = f(time);",
     1, "y", 4, NEAR, NULL},
    {"if elseif else with one return",
     "function f input Real u; output Integer y; algorithm if u > 2 then y := 1; elseif u "
     "> 0.5 then y := 8; return; else y := 4; end if; y := y + 1; end f; Real y = f(time);",
     1, "y", 8, NEAR, NULL},
    {"Integer equation gives real", "Integer n; equation n = time;", 1, "", 0, 0,
     "no Real on the other"},
    {"Real = Integer flipped", "Integer n; Real y; equation n = y; n = 3;", 1, "y", 3, NEAR, NULL},
    {"Integer overflow", "parameter Integer n = 2147483647*4194305*2; Real y = n;", 1, "", 0, 0,
     "too large for an Integer"},
    {"elsewhen priority both at once",
     "Integer n(start=0), k(start=0); equation when time > 0.5 then n = 1; k = 1; elsewhen"
     " time >= 0.5 then n = 2; k = 2; end when;",
     1, "k", 1, NEAR, NULL},
    {"when condition true at start false then true",
     "Integer n(start=0); Boolean b = time < 0.2 or time > 0.6; equation when b then n = "
     "pre(n)+1; end when;",
     1, "n", 1, NEAR, NULL},
};

/* a parameter outside its limits is told: libraries mean "not given" by such values */
static void limits(void) {
  static const char text[] = "model M parameter Real p(max = 1.5) = 2.5; Real y = p; end M;";
  dae_model *m;
  dae_model_options mo = {.compiler = ""};
  CHECK(dae_model_read_text(&m, "m.mo", text, strlen(text), &mo) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  CHECK(strstr(dae_model_messages(m), "'p' is 2.5, above its max, 1.5") != NULL);
  dae_model_free(m);
}

static void answers(void) {
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) run(&lines[k]);
}

int main(void) {
  RUN(answers);
  RUN(limits);
  return TEST_END();
}
