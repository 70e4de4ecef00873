/* fuzzer of model texts: a grammar makes models, valid ones more often than broken ones; each is
 * fuzz: 1500 100000
 * read, built, printed and run for some steps with random options. Nothing may crash, hang, or take
 * more memory than the limits; a refusal has a sentence.
 */
#include <daedal/daedal.h>

#include "fuzz.h"

/* what is declared, so that expressions are of the right kind */
typedef struct names {
  int reals;       /* x0 .. */
  int way[5];      /* how each of them is given, see equation() */
  int held, reset; /* bits of those that are states, and that a `when` may still give */
  bool defaults;   /* the record has values of its own */
  bool vector, matrix, integer, boolean, function, pair, array_function;
  bool elements, kind, algorithm, loops; /* u[1], u[2]; an enumeration; sections; while, return */
  bool record, text, input;
} names;

static void expression(fuzz *f, const names *n, int depth);
static void condition(fuzz *f, const names *n, int depth);

static void number(fuzz *f) {
  static const char *const list[] = {"0",     "1",  "2", "0.5",   "1e-3", "3.25", "1e10", "1e-308",
                                     "1e308", "10", "7", "1e-20", "0.1",  "100",  "1.5",  "4"};
  fuzz_add(f, "%s", FUZZ_PICK(f, list));
}

static void vector(fuzz *f, const names *n, int depth) {
  switch (fuzz_choose(f, depth > 0 ? 8 : 2)) {
    case 0: fuzz_add(f, "{1, time, 2}"); break;
    case 1: fuzz_add(f, n->vector ? "v" : "pa"); break;
    case 2: fuzz_add(f, "{"), expression(f, n, depth - 1), fuzz_add(f, ", x0, 3}"); break;
    case 3: fuzz_add(f, "{i*time for i in 1:3}"); break;
    case 4: fuzz_add(f, "2*"), vector(f, n, depth - 1); break;
    case 5: vector(f, n, depth - 1), fuzz_add(f, " + "), vector(f, n, depth - 1); break;
    case 6: fuzz_add(f, n->matrix ? "M*pa" : "cross(pa, {x0, 1, 2})"); break;
    default: fuzz_add(f, "linspace(0, 1, 3)");
  }
}

/* a real leaf */
static void leaf(fuzz *f, const names *n) {
  switch (fuzz_choose(f, 12)) {
    case 0: number(f); break;
    case 1: fuzz_add(f, "time"); break;
    case 2: fuzz_add(f, "p"); break;
    case 3: fuzz_add(f, "pa[%d]", 1 + fuzz_choose(f, 3)); break;
    case 4: fuzz_add(f, n->vector ? "v[%d]" : "x%d", n->vector ? 1 + fuzz_choose(f, 3) : 0); break;
    case 5: fuzz_add(f, n->integer ? "n" : "k"); break;
    case 6: fuzz_add(f, n->elements ? "u[%d]" : "p", 1 + fuzz_choose(f, 2)); break;
    case 7: fuzz_add(f, n->algorithm ? "$y" : "p"); break;
    default: fuzz_add(f, "x%d", fuzz_choose(f, n->reals));
  }
}

static void expression(fuzz *f, const names *n, int depth) {
  static const char *const unary[] = {"sin",  "cos",     "tan",  "exp",   "log",    "sqrt", "abs",
                                      "sign", "atan",    "asin", "acos",  "sinh",   "tanh", "floor",
                                      "ceil", "noEvent", "cosh", "log10", "integer"};
  static const char *const binary[] = {" + ", " - ", "*", "/", "^"};
  static const char *const two[] = {"min", "max", "atan2", "mod", "div", "rem"};
  static const char *const fold[] = {"sum", "product", "min", "max"};
  if (depth <= 0) {
    leaf(f, n);
    return;
  }
  switch (fuzz_choose(f, 20)) {
    case 0:
    case 1:
      fuzz_add(f, "%s(", FUZZ_PICK(f, unary)), expression(f, n, depth - 1), fuzz_add(f, ")");
      break;
    case 2:
      fuzz_add(f, "%s(", FUZZ_PICK(f, two)), expression(f, n, depth - 1), fuzz_add(f, ", ");
      expression(f, n, depth - 1), fuzz_add(f, ")");
      break;
    case 3:
      fuzz_add(f, "(if "), condition(f, n, depth - 1), fuzz_add(f, " then ");
      expression(f, n, depth - 1), fuzz_add(f, " else "), expression(f, n, depth - 1);
      fuzz_add(f, ")");
      break;
    case 4: fuzz_add(f, "der("), expression(f, n, depth - 1), fuzz_add(f, ")"); break;
    case 5:
      fuzz_add(f, "%s(", FUZZ_PICK(f, fold)), vector(f, n, depth - 1), fuzz_add(f, ")");
      break;
    case 6:
      fuzz_add(f, "%s(i*", FUZZ_PICK(f, fold)), expression(f, n, depth - 1),
          fuzz_add(f, " for i in 1:3)");
      break;
    case 7: fuzz_add(f, "(-"), expression(f, n, depth - 1), fuzz_add(f, ")"); break;
    case 8:
      fuzz_add(f, n->function ? "f(" : "sin("), expression(f, n, depth - 1), fuzz_add(f, ")");
      break;
    case 9:
      fuzz_add(f, n->array_function ? "g(" : "sum("), vector(f, n, depth - 1), fuzz_add(f, ")");
      break;
    case 10: fuzz_add(f, "("), vector(f, n, depth - 1), fuzz_add(f, ")*pa"); break;
    case 13:
      fuzz_add(f, n->loops ? "loops(" : "homotopy(x0, "), expression(f, n, depth - 1);
      fuzz_add(f, ")");
      break;
    case 14: fuzz_add(f, "der(if time > 0.%d then x0 else 1)", fuzz_choose(f, 10)); break;
    case 11: fuzz_add(f, "smooth(1, "), expression(f, n, depth - 1), fuzz_add(f, ")"); break;
    case 12:
      if (fuzz_often(f, 10)) fuzz_add(f, "pre(x%d)", fuzz_choose(f, n->reals));
      else if (fuzz_often(f, 10)) fuzz_add(f, "x%d(finalTime)", fuzz_choose(f, n->reals));
      else leaf(f, n);
      break;
    default:
      fuzz_add(f, "("), expression(f, n, depth - 1), fuzz_add(f, "%s", FUZZ_PICK(f, binary));
      expression(f, n, depth - 1), fuzz_add(f, ")");
  }
}

static void condition(fuzz *f, const names *n, int depth) {
  static const char *const relation[] = {" > ", " < ", " >= ", " <= ", " == ", " <> "};
  switch (fuzz_choose(f, depth > 0 ? 10 : 3)) {
    case 0: fuzz_add(f, n->boolean ? "b" : "x0 > time"); break;
    case 1: fuzz_add(f, "not ("), condition(f, n, depth - 1), fuzz_add(f, ")"); break;
    case 2: fuzz_add(f, "time > 0.%d", fuzz_choose(f, 10)); break;
    case 3: fuzz_add(f, n->boolean ? "pre(b)" : "true"); break;
    case 4: fuzz_add(f, "sample(0, 0.%d)", 1 + fuzz_choose(f, 9)); break;
    case 5:
      condition(f, n, depth - 1), fuzz_add(f, fuzz_often(f, 128) ? " and " : " or ");
      condition(f, n, depth - 1);
      break;
    default:
      expression(f, n, depth - 1);
      fuzz_add(f, "%s", relation[fuzz_often(f, 5) ? fuzz_choose(f, 6) : fuzz_choose(f, 4)]);
      expression(f, n, depth - 1);
  }
}

static void functions(fuzz *f, const names *n) {
  if (n->function)
    fuzz_add(f,
             "function f input Real u; output Real y; protected Real w; algorithm w := u^%d;\n"
             " if w > %d then y := w + 1; else y := sin(w); end if; end f;\n",
             fuzz_choose(f, 4), fuzz_choose(f, 3));
  if (n->array_function)
    fuzz_add(f,
             "function g input Real a[:]; output Real s = 0; algorithm for i in 1:size(a, 1) loop"
             " s := s + a[i]^2; end for; end g;\n");
  if (n->pair)
    fuzz_add(f, "function h input Real u; output Real a; output Real c; algorithm a := 2*u;"
                " c := a + u; end h;\n");
}

/* loops and returns, known or not */
static void loops(fuzz *f, const names *n) {
  if (!n->loops) return;
  fuzz_add(f,
           "function loops input Real u; output Real y; protected Integer i; algorithm y := u; "
           "i := 0;\n while i < %d loop i := i + 1; ",
           fuzz_choose(f, 6));
  if (fuzz_often(f, 128))
    fuzz_add(f, "if %s > %d then break; end if; ", fuzz_often(f, 128) ? "i" : "y",
             fuzz_choose(f, 4));
  fuzz_add(f, "y := y + i*u; end while;\n");
  if (fuzz_often(f, 128)) fuzz_add(f, " if u > 0.5 then y := 2; return; end if; ");
  fuzz_add(f, "y := y + 1; end loops;\n");
}

/* a state that no other `when` gives; now and then any variable */
static int to_reset(fuzz *f, names *n) {
  int i = fuzz_choose(f, n->reals);
  for (int k = 0; k < n->reals && !fuzz_often(f, 4); k++, i = (i + 1) % n->reals)
    if (n->reset >> i & 1) break;
  n->reset &= ~(1 << i);
  return i;
}

/* sections of statements: $y always, m at events */
static void algorithms(fuzz *f, names *n) {
  if (!n->algorithm) return;
  fuzz_add(f, "algorithm $y := "), expression(f, n, 1), fuzz_add(f, ";\n if ");
  condition(f, n, 1), fuzz_add(f, " then $y := $y + 1; end if;\n");
  if (fuzz_often(f, 200)) {
    fuzz_add(f, "algorithm when "), condition(f, n, 1), fuzz_add(f, " then m := m + 1;\n");
    if (n->reset && fuzz_often(f, 128))
      fuzz_add(f, " if m > 1 then reinit(x%d, .5); end if;", to_reset(f, n));
    if (fuzz_often(f, 60))
      fuzz_add(f, " elsewhen "), condition(f, n, 1), fuzz_add(f, " then m := 0;");
    fuzz_add(f, " end when;\n");
  } else {
    fuzz_add(f, "algorithm m := 3;\n");
  }
  if (fuzz_often(f, 30)) fuzz_add(f, "initial algorithm x0 := 2 ^ -1;\n");
}

static void declarations(fuzz *f, const names *n) {
  static const char *const attribute[] = {"start = 1",    "start = 0.5, fixed = true",
                                          "start = -2",   "min = 0, start = 1",
                                          "nominal = 10", "start = time",
                                          "start = p",    "max = 5, unit = \"m\""};
  fuzz_add(f,
           "parameter Real p = 0.7; parameter Integer k = 2; parameter Real pa[3] = {1, 2, 3};\n");
  for (int i = 0; i < n->reals; i++) {
    fuzz_add(f, "%sReal x%d", fuzz_often(f, 8) ? "output " : "", i);
    if (fuzz_often(f, 180)) fuzz_add(f, "(%s)", FUZZ_PICK(f, attribute));
    fuzz_add(f, fuzz_often(f, 20) ? " \"text\";\n" : ";\n");
  }
  if (n->vector) fuzz_add(f, "Real v[3](each start = 1);\n");
  if (n->matrix) fuzz_add(f, "parameter Real M[3, 3] = [1, 0, 0; 0, p, 1; 2, 0, 1];\n");
  if (n->integer) fuzz_add(f, "Integer n(start = %d);\n", fuzz_choose(f, 5));
  if (n->boolean) fuzz_add(f, "Boolean b(start = %s);\n", fuzz_often(f, 128) ? "true" : "false");
  if (n->pair) fuzz_add(f, "Real s, c;\n");
  if (n->elements)
    fuzz_add(f, "Real u[2](start = 1); parameter Real q[2] = 2; Real u[1];\n"
                "parameter Real q[1] = .5;\n");
  if (n->kind) fuzz_add(f, "parameter Kind kind = Kind.b; Kind state(start = Kind.a);\n");
  if (n->algorithm) fuzz_add(f, "Real $y; Integer m(start = 1);\n");
  if (n->record)
    fuzz_add(f, "R r, ra[2] = {R(x0, %s), R(1, b = {x0, 2})}; parameter R rp(a = 2%s);\n",
             fuzz_often(f, 240) ? "{1, p}" : "pa",
             !n->defaults         ? ", b = {3, 4}"
             : fuzz_often(f, 128) ? ", b(start = {1, 2})"
                                  : "");
  if (n->text)
    fuzz_add(f, "String t%s = if time > 0.3 then \"a\" + String(k) else \"%s\";\n",
             fuzz_often(f, 40) ? "(start = \"x\")" : "", fuzz_often(f, 128) ? "a2" : "\\n");
  if (n->input)
    fuzz_add(f, "input Real inp%s;\n", fuzz_often(f, 128) ? "(start = 2)" : " = p*time");
}

/* records, Strings and subscripts that vary */
static void records(fuzz *f, names *n) {
  static const char *const field[] = {
      "r.a",     "r.b[1]",     "ra[1].a",           "sum(ra.a)", "ra[2].b[k]",
      "rp.b[1]", "ra[k].b[1]", "R(1, {2, 3}).b[2]", "fr(r).a",   "ra[1 + integer(time)].a"};
  if (n->record && fuzz_often(f, 128)) {
    fuzz_add(f, "r = fr(R("), expression(f, n, 1), fuzz_add(f, ", {x0, 1}));\n");
  } else if (n->record) {
    fuzz_add(f, "r.a = "), expression(f, n, 1),
        fuzz_add(f, "; r.b = %s.b;\n", fuzz_often(f, 128) ? "ra[1]" : "rp");
  }
  if (n->record)
    fuzz_add(f, "assert(%s < 1e3, \"r is \" + String(%s));\n",
             fuzz_often(f, 5) ? "r.c" : FUZZ_PICK(f, field), FUZZ_PICK(f, field));
  if (n->text && n->reset && fuzz_often(f, 128))
    fuzz_add(f, "when t == \"a2\" then reinit(x%d, 1); end when;\n", to_reset(f, n));
}

/* what gives x_i */
static void equation(fuzz *f, const names *n, int i) {
  int depth = 1 + fuzz_choose(f, 3);
  switch (n->way[i]) {
    case 0:
    case 1:
    case 2: fuzz_add(f, "der(x%d) = ", i), expression(f, n, depth); break;
    case 3: fuzz_add(f, "der(der(x%d)) = ", i), expression(f, n, depth); break;
    case 4: fuzz_add(f, "x%d = ", i), expression(f, n, depth); break;
    case 5: expression(f, n, depth), fuzz_add(f, " = x%d", i); break;
    case 6:
      fuzz_add(f, "x%d + 0.1*x%d^3 = ", i, fuzz_choose(f, n->reals)), expression(f, n, depth);
      break;
    case 7:
      if (fuzz_often(f, 60))
        fuzz_add(f, "x%d^2 + x%d^2 = 1", fuzz_choose(f, n->reals), fuzz_choose(f, n->reals));
      else fuzz_add(f, "der(x%d) = -x%d*p", i, i);
      break;
    case 8:
      fuzz_add(f, "if "), condition(f, n, 1), fuzz_add(f, " then x%d = ", i), expression(f, n, 1);
      fuzz_add(f, "; else x%d = ", i), expression(f, n, 1), fuzz_add(f, "; end if");
      break;
    default: fuzz_add(f, "der(x%d) = x%d - x%d", i, fuzz_choose(f, n->reals), i);
  }
  if (fuzz_often(f, 6)) fuzz_add(f, " annotation(__Daedal_invariant = true)");
  fuzz_add(f, ";\n");
}

static void when(fuzz *f, names *n) {
  fuzz_add(f, "when "), condition(f, n, 2), fuzz_add(f, " then\n");
  do {
    if (n->reset == 0 || fuzz_often(f, 50)) {
      fuzz_add(f, "terminate(\"end\");");
      continue;
    }
    int i = to_reset(f, n);
    switch (fuzz_choose(f, 3)) {
      case 0: fuzz_add(f, "reinit(x%d, ", i), expression(f, n, 1), fuzz_add(f, ");"); break;
      case 1: fuzz_add(f, "reinit(x%d, 1);", i); break;
      default: fuzz_add(f, "reinit(x%d, -pre(x%d));", i, i);
    }
  } while (fuzz_often(f, 60));
  if (n->reset && fuzz_often(f, 40))
    fuzz_add(f, "\nelsewhen "), condition(f, n, 1),
        fuzz_add(f, " then reinit(x%d, 2);", to_reset(f, n));
  fuzz_add(f, "\nend when;\n");
}

static void equations(fuzz *f, names *n) {
  fuzz_add(f, "equation\n");
  for (int i = 0; i < n->reals; i++) equation(f, n, i);
  records(f, n);
  if (n->vector && fuzz_often(f, 128))
    fuzz_add(f, "for i in 1:3 loop der(v[i]) = -i*v[i] + x0; end for;\n");
  else if (n->vector) fuzz_add(f, "der(v) = "), vector(f, n, 2), fuzz_add(f, ";\n");
  if (n->pair) fuzz_add(f, fuzz_often(f, 200) ? "(s, c) = h(x0);\n" : "(, c) = h(x0); s = 1;\n");
  if (n->elements) fuzz_add(f, "u[1] = q[1]*x0; der(u[2]) = -q[2]*u[2] + sum(u);\n");
  if (n->kind)
    fuzz_add(f, "when "), condition(f, n, 1),
        fuzz_add(f, " then if kind == Kind.b then state = Kind.c; else state = kind; end if; "
                    "end when;\n");
  if (n->boolean && fuzz_often(f, 100)) fuzz_add(f, "b = x0 > 0.5;\n");
  else if (n->boolean)
    fuzz_add(f, "when "), condition(f, n, 1), fuzz_add(f, " then b = not pre(b); end when;\n");
  if (n->integer)
    fuzz_add(f, "when "), condition(f, n, 1), fuzz_add(f, " then n = pre(n) + 1; end when;\n");
  for (int k = fuzz_choose(f, 3); k > 0; k--) when(f, n);
  if (fuzz_often(f, 20)) fuzz_add(f, "assert("), condition(f, n, 1), fuzz_add(f, ", \"no\");\n");
  if (fuzz_often(f, 24)) {
    fuzz_add(f, "initial equation\n");
    if (fuzz_often(f, 60)) fuzz_add(f, "x0(finalTime) = 1;\n");
    if (fuzz_often(f, 200)) fuzz_add(f, "der(x0) = "), expression(f, n, 1), fuzz_add(f, ";\n");
    else expression(f, n, 1), fuzz_add(f, " = "), expression(f, n, 1), fuzz_add(f, ";\n");
  }
}

static void model(fuzz *f) {
  names n = {.reals = 1 + fuzz_choose(f, 5)};
  n.vector = fuzz_often(f, 60), n.matrix = fuzz_often(f, 30), n.integer = fuzz_often(f, 50);
  n.boolean = fuzz_often(f, 50), n.function = fuzz_often(f, 50), n.pair = fuzz_often(f, 30);
  n.array_function = fuzz_often(f, 40);
  n.elements = fuzz_often(f, 40), n.kind = fuzz_often(f, 40), n.algorithm = fuzz_often(f, 60);
  n.loops = fuzz_often(f, 40);
  n.record = fuzz_often(f, 60), n.text = fuzz_often(f, 40), n.input = fuzz_often(f, 30);
  n.defaults = fuzz_often(f, 128);
  for (int i = 0; i < n.reals; i++) {
    n.way[i] = fuzz_choose(f, 10);
    if (n.way[i] < 4 || n.way[i] == 9) n.held |= 1 << i;
  }
  n.reset = n.held;
  if (n.record)
    fuzz_add(f, "record R Real a; Real b[2]%s; end R;\n", n.defaults ? " = {1, 2}" : "");
  if (n.record)
    fuzz_add(f,
             "function fr input R u; output R w; protected Integer i; algorithm w := u; i := 1;\n"
             "while i < 3 and u.b[%s] > w.a loop w.b[i] := w.b[i] + i; %s i := i + 1; end while; "
             "end fr;\n",
             fuzz_often(f, 60) ? "1" : "i",
             fuzz_often(f, 60) ? "if u.a > 1 then break; end if;" : "");
  if (n.kind) fuzz_add(f, "type Kind = enumeration(a, b \"two\", c);\n");
  if (fuzz_often(f, 10)) fuzz_add(f, "package C constant Real g = 9.81; end C;\n");
  if (fuzz_often(f, 10)) fuzz_add(f, "type Length = Real(unit = \"m\", start = 2);\n");
  fuzz_add(f, "model Test \"made up\"\n");
  functions(f, &n);
  loops(f, &n);
  declarations(f, &n);
  equations(f, &n);
  algorithms(f, &n);
  if (fuzz_often(f, 60)) fuzz_add(f, "annotation(experiment(StopTime = 0.5, Tolerance = 1e-4));\n");
  fuzz_add(f, "end Test;\n");
}

/* now and then some bytes are wrong: removed, changed, repeated */
static void damage(fuzz *f) {
  static const char *const words[] = {"(",    ")",   "[",    "]",    "{",     "}",       ";",
                                      "=",    "end", "der",  "pre",  "1e999", "if",      "then",
                                      "when", "for", "loop", "x0",   ",",     ":",       "\"",
                                      "'",    "/*",  "each", "time", "\xff",  "initial", "."};
  while (fuzz_often(f, 50) && f->length > 10) {
    size_t place = ((size_t)fuzz_byte(f) << 8 | fuzz_byte(f)) % f->length;
    size_t count = (size_t)fuzz_choose(f, 8) + 1;
    if (place + count > f->length) count = f->length - place;
    if (fuzz_often(f, 128)) {
      memmove(f->text + place, f->text + place + count, f->length - place - count + 1);
      f->length -= count;
    } else {
      const char *word = FUZZ_PICK(f, words);
      size_t n = strlen(word);
      fuzz_bytes(f, word, n);
      memmove(f->text + place + n, f->text + place, f->length - place - n);
      memcpy(f->text + place, word, n);
    }
  }
}

/* some steps, or a boundary value problem on a small mesh */
static void run(fuzz *f, const dae_problem *p, const dae_model *m) {
  dae_options o = dae_options_default();
  static const double tolerance[] = {1e-3, 1e-6, 1e-9};
  int methods = 0, forms = 0, variables = dae_model_variables(m);
  while (dae_method_at(methods)) methods++;
  while (dae_form_at(forms)) forms++;
  o.rtol = o.atol = FUZZ_PICK(f, tolerance);
  o.max_steps = 20;
  o.mesh_max = 30;
  if (fuzz_often(f, 80)) o.method = dae_method_at(fuzz_choose(f, methods))->name;
  if (fuzz_often(f, 50)) o.form = dae_form_at(fuzz_choose(f, forms))->name;
  if (p->boundary) {
    dae_solution *solution = NULL;
    dae_bvp_solve(p, &o, NULL, &solution, NULL);
    dae_solution_free(solution);
    return;
  }
  dae_solver *s = NULL;
  double *value = malloc((size_t)(variables + 1) * sizeof *value);
  dae_status status = dae_solver_new(&s, p, &o, NULL);
  if (status == DAE_OK) status = dae_solver_start(s, p->t0, NULL, NULL);
  for (int k = 0; k < 20 && status == DAE_OK && dae_solver_time(s) < p->t1; k++) {
    status = dae_solver_step(s, p->t1);
    if (status >= 0 && value)
      dae_model_values(m, dae_solver_time(s), dae_solver_z(s), dae_solver_y(s), value);
  }
  dae_solver_free(s);
  free(value);
}

static void require(bool truth, const char *what, const fuzz *f) {
  if (truth) return;
  fprintf(stderr, "%s:\n%s\n", what, f->text);
  abort();
}

static void fuzz_case(fuzz *f) {
  dae_model *m;
  dae_model_options o = {
      .compiler = "", .max_size = 200000, .model_memory = 200, .model_seconds = 3};
  model(f);
  if (fuzz_often(f, 50)) damage(f);
  if (getenv("DAEDAL_FUZZ_SHOW")) fprintf(stderr, "%s----\n", f->text);
  dae_status status = dae_model_read_text(&m, "fuzz.mo", f->text, f->length, &o);
  if (status == DAE_OK && fuzz_often(f, 20)) dae_model_set(m, "p", 0.25);
  if (status == DAE_OK) status = dae_model_build(m);
  const char *said = dae_model_messages(m);
  require(status == DAE_OK || status == DAE_E_MODEL, "another status", f);
  require(status == DAE_OK || strstr(said, "error: ") != NULL, "a refusal without a sentence", f);
  if (status == DAE_OK) {
    require(dae_model_explain(m) && dae_model_code(m), "nothing to show", f);
    run(f, dae_model_problem(m), m);
    if (fuzz_often(f, 8)) {
      dae_diagnosis d;
      dae_options options = dae_options_default();
      dae_diagnose(dae_model_problem(m), &options, &d);
    }
  }
  dae_model_free(m);
}

FUZZ_MAIN("model texts")
