/* error texts: each says what is wrong, where, and what to do; read by eye, then pinned */
#include <daedal/model.h>

#include "test.h"

/* the messages without file name, source lines and carets, one a line */
static const struct {
  const char *text, *messages;
} cases[] = {
    {"", "1:1: error: the file holds no model: write model NAME .. equation .. end NAME;"},
    {"  \n/* open", "2:1: error: this comment is never closed: add */"},
    {"model M\n  Real x\nequation\n  x = 1;\nend M;",
     "2:9: error: expected ';' after the declaration, found 'equation'"},
    {"model M\n  Real x;\nequation\n  x = 1\nend M;",
     "4:8: error: expected ';' after the equation, found 'end'"},
    {"model M\n  Real x;\nequation\n  x == 1;\nend M;",
     "4:5: error: an equation is written with '=', not '=='"},
    {"model M\n  Real x;\nequation\n  x := 1;\nend M;",
     "4:5: error: an equation is written with '=', not ':='"},
    {"model M\n  Real x;\nequation\n  x = 2 3;\nend M;",
     "4:8: error: expected ';' after the equation, found '3'"},
    {"model M\n  Real x;\nequation\n  x = (1 + 2;\nend M;",
     "4:13: error: expected ')' to close '(', found ';'"},
    {"model M\n  Real x;\nequation\n  x = 1 + * 2;\nend M;",
     "4:11: error: expected an expression, found '*'"},
    {"model M\n  Real x;\nequation\n  x = 2 * -3;\nend M;",
     "4:11: error: two operators in a row: put the signed part in parentheses"},
    {"model M\n  Real x;\nequation\n  x = 2^3^4;\nend M;",
     "4:10: error: a^b^c is ambiguous: write (a^b)^c or a^(b^c)"},
    {"model M\n  Real x;\nequation\n  x = 1e999;\nend M;",
     "4:7: error: this number is too large for double precision"},
    {"model M\n  Real x;\nequation\n  x = if time > 1 then 2;\nend M;",
     "4:25: error: an 'if' expression needs an 'else' part: it must have a value always"},
    {"model M\n  Real x;\nequation\n  x = 1;\nend N;",
     "5:5: error: 'end N' closes 'M': the names differ"},
    {"model M\n  Real x;\nequation\n  x = 1;\n",
     "5:1: error: the file ends inside 'M': add 'end M;'"},
    {"model M\n  Real x;\n  x = 1;\nend M;", "3:3: error: expected a declaration such as 'Real "
                                             "x;': write 'equation' before the first equation"},
    {"model M\n  Real x;\nequation\n  parameter Real p = 1;\n  x = p;\nend M;",
     "4:3: error: a declaration stands among the equations: move it above 'equation'"},
    {"model M\n  extends Base;\n  Real x;\nequation\n  x = 1;\nend M;",
     "2:3: error: 'extends' is not flat: let your Modelica tool export the flat or Base Modelica "
     "model"},
    {"model M\n  import MyLibrary.Pumps;\n  Real x;\nequation\n  x = 1;\nend M;",
     "2:3: error: 'import' is not flat: let your Modelica tool export the flat or Base Modelica "
     "model (constants, units and functions of Modelica.* may be imported)"},
    {"model M\n  Real x;\nequation\n  connect(a, b);\n  x = 1;\nend M;",
     "4:3: error: 'connect' is not flat: let your Modelica tool export the flat or Base Modelica "
     "model"},
    {"model M\n  flow Real x;\nequation\n  x = 1;\nend M;",
     "2:3: error: 'flow' is not flat: let your Modelica tool export the flat model"},
    {"record R\n  Real x;\nend R;",
     " error: the file holds no model: write model NAME .. equation .. end NAME;"},
    {"record R\n  Real a;\nend R;\nmodel M\n  R u[2];\n  Real u[1];\nequation\n  u[1] = 1;\nend M;",
     "5:5: error: elements of an array that are declared one by one have one type, and no record: "
     "u[2]"},
    {"model M\n  Reel x;\nequation\n  x = 1;\nend M;",
     "2:3: error: 'Reel' is not a type that is known here: did you mean 'Real'?"},
    {"model M\n  Pump x;\nequation\n  x = 1;\nend M;",
     "2:3: error: 'Pump' is not a type that is known here: Real, Integer, Boolean or a type of "
     "this file"},
    {"model M\n  Real x(strat = 1);\nequation\n  x = 1;\nend M;",
     "2:10: error: there is no attribute 'strat': did you mean 'start'?"},
    {"model M\n  Real speed;\nequation\n  sped = 1;\nend M;",
     "4:3: error: 'sped' is not declared: did you mean 'speed'?"},
    {"model M\n  Real x;\nequation\n  x = foo(1);\nend M;",
     "4:7: error: there is no function 'foo'"},
    {"model M\n  Real x;\nequation\n  x = sinn(1);\nend M;",
     "4:7: error: there is no function 'sinn': did you mean 'sin'?"},
    {"model M\n  Real x;\nequation\n  x = sin(1, 2);\nend M;",
     "4:7: error: sin takes 1 argument, not 2"},
    {"model M\n  Real x;\nequation\n  x = delay(time, 1);\nend M;",
     "4:7: error: 'delay' is not supported here: the past of a solution is not kept: write a chain "
     "of "
     "lags, T/n*der(x[k]) = x[k - 1] - x[k], or, of what is known, its formula at time - T"},
    {"model M\n  Real x;\nequation\n  x = spatialDistribution(x, 1, 1, true);\nend M;",
     "4:7: error: 'spatialDistribution' is not supported here: the past of a solution is not kept: "
     "write a chain of "
     "lags, T/n*der(x[k]) = x[k - 1] - x[k], or, of what is known, its formula at time - T"},
    {"model M\n  Real x;\nequation\n  x = hold(time);\nend M;",
     "4:7: error: 'hold' is not supported here: clocked equations are not supported: write 'when "
     "sample(t0, dt)' with pre(..)"},
    {"model M\n  Clock c = Clock(0.1);\nend M;",
     "2:3: error: 'Clock' is not supported here: clocked equations are not supported: write 'when "
     "sample(t0, dt)' with pre(..)"},
    {"model M\n  Real x;\nequation\n  x = 1;\n  initialState(x);\nend M;",
     "5:3: error: 'initialState' is not supported here: state machines are not supported: write "
     "them with 'when' and pre(..)"},
    {"model M\n  parameter Real a = b;\n  parameter Real b = a;\n  Real x;\nequation\n  x = "
     "a;\nend M;",
     "3:22: error: the value of 'a' depends on itself"},
    {"model M\n  parameter Real a = a + 1;\n  Real x;\nequation\n  x = a;\nend M;",
     "2:22: error: the value of 'a' depends on itself"},
    {"model M\n  parameter Real a;\n  Real x;\nequation\n  x = a;\nend M;",
     "2:18: error: the parameter 'a' has no value: write a = .. or set it from outside"},
    {"model M\n  parameter Real a = 1/0;\n  Real x;\nequation\n  x = a;\nend M;",
     "2:24: error: division by zero: the divisor is 0 for these parameters"},
    {"model M\n  parameter Real a = log(-1);\n  Real x;\nequation\n  x = a;\nend M;",
     "2:22: error: the value of 'a' is not a finite number: 0/0 or the like"},
    {"model M\n  parameter Integer n = 2.5;\n  Real x[n];\nequation\n  x = zeros(n);\nend M;",
     "2:25: error: 'n' is declared Integer, but this is Real"},
    {"model M\n  Real x;\n  parameter Real p = x;\nequation\n  x = 1;\nend M;",
     "3:22: error: the value of the parameter 'p' depends on a variable"},
    {"model M\n  Real x;\n  Real x;\nequation\n  x = 1;\nend M;",
     "3:8: error: 'x' is declared twice: first in line 2"},
    {"model M\n  Real x[3];\nequation\n  x = {1, 2};\nend M;",
     "4:3: error: sizes do not fit in the equation: an array [3] = an array [2]"},
    {"model M\n  Real x[3];\nequation\n  x = 1;\nend M;",
     "4:3: error: sizes do not fit in the equation: an array [3] = a scalar"},
    {"model M\n  Real x[3];\nequation\n  x[4] = 1;\n  x[1:2] = {1, 2};\nend M;",
     "4:5: error: subscript 4 is outside 1:3"},
    {"model M\n  Real x[3], y;\nequation\n  x = {1,2,3};\n  y = x[1,1];\nend M;",
     "5:7: error: 2 subscripts for an array [3]"},
    {"model M\n  Real x[3], y;\nequation\n  x = {1,2,3};\n  y = x[1:integer(time)];\nend M;",
     "5:11: error: this must be known when the model is read: only numbers, parameters and "
     "constants"},
    {"model M\n  Real x[-1];\nequation\nend M;",
     "2:11: error: a size must be an Integer from 0 to 1e9, this is -1"},
    {"model M\n  Real A[2,3], y[2];\nequation\n  A = zeros(2,3);\n  y = A*y;\nend M;",
     "5:9: error: sizes do not fit in a matrix product: an array [2, 3] and an array [2]"},
    {"model M\n  Real x;\nequation\n  x = {1, 2} + {1, 2, 3};\nend M;",
     "4:16: error: sizes do not fit in a sum: an array [2] and an array [3]"},
    {"model M\n  Real x;\nequation\n  x = 1/{1, 2};\nend M;",
     "4:9: error: sizes do not fit in a division (for element-wise division write ./): a scalar "
     "and an array [2]"},
    {"model M\n  Real A[2,2];\nequation\n  A = [1, 2; 3];\nend M;",
     "4:14: error: this row has 1 elements, the first one has 2"},
    {"model M\n  Real x;\nequation\n  x = true;\nend M;",
     "4:3: error: both sides of an equation must be numbers, or both Boolean, and so on: this is "
     "Real "
     "= Boolean"},
    {"model M\n  Real x;\nequation\n  x = if time then 1 else 2;\nend M;",
     "4:10: error: a condition must be a Boolean scalar, such as x > 0"},
    {"model M\n  Real x;\nequation\n  x = if x == 1.5 then 1 else 2;\nend M;",
     "4:12: error: Real variables cannot be compared with == or <>: use < or >"},
    {"model M\n  String s;\n  Real x;\nequation\n  x = 1;\nend M;",
     "2:10: error: the model has 1 equation for 2 variables: 's' may be one that none gives"},
    {"model M\n  Real x(start = 1);\n  Boolean b;\nequation\n  der(x) = -x;\n  when x < 0.5 then\n "
     "   b = 1;\n"
     "  end when;\nend M;",
     "7:5: error: inside 'when' the variable and its new value differ in size or type"},
    {"model M\n  Real x(start = 1), y;\nequation\n  der(x) = -x;\n  when x < 0.5 then\n    2*y = "
     "1;\n"
     "  end when;\nend M;",
     "6:5: error: inside 'when' an equation gives a variable: write v = expression, or reinit(x, "
     "expression) for a state"},
    {"model M\n  Real x(start = 1), a;\nequation\n  der(x) = -x;\n  when sample(0, 0) then\n    a "
     "= x;\n"
     "  end when;\nend M;",
     "5:8: error: the period of sample must be positive"},
    {"model M\n  Real x(start = 1), a;\nequation\n  der(x) = -x;\n  when sample(0, x) then\n    a "
     "= x;\n"
     "  end when;\nend M;",
     "5:8: error: sample needs two numbers that are known: the first time and the period"},
    {"model M\n  Real x;\nequation\n  if time > 1 then\n    x = 1;\n  else\n    x = 2;\n    x = "
     "3;\n  end if;\nend M;",
     "4:3: error: the branches of this 'if' have 1 and 2 equations: with a condition that varies "
     "they need the same number"},
    {"model M\n  Real x;\nequation\n  for i in 1:3 loop\n    x = i;\nend M;",
     "6:1: error: expected 'end for' for the 'for' of line 4"},
    {"model M\n  Real x;\nequation\n  for i loop\n    x = i;\n  end for;\nend M;",
     "4:7: error: the loop variable 'i' needs its range: write for i in 1:n"},
    {"model M\n  Real x;\nequation\n  x = 1;\n  x = 2;\nend M;",
     "5:3: error: this equation contradicts others: it says 0 = -1"},
    {"model M\n  Real x, y;\nequation\n  x = 1;\nend M;",
     "2:11: error: the model has 1 equation for 2 variables"},
    {"model M\n  Real x, y;\nequation\n  x + der(x) = 1;\n  x = sin(time);\nend M;",
     "5:3: error: the model is structurally singular: no variable is left for this equation"},
    {"model M\n  Real x, y, z;\nequation\n  x + y = 1;\n  x - y = time;\n  x*y = 2;\nend M;",
     "6:3: error: the model is structurally singular: no variable is left for this equation"},
    {"model M\n  Real x;\nequation\n  reinit(x, 1);\n  x = 1;\nend M;",
     "4:3: error: reinit(..) must stand inside 'when'"},
    {"model M\n  Real x;\nequation\n  assert(1 > 2, \"one is small\");\n  x = 1;\nend M;",
     "4:3: error: assertion failed: one is small"},
    {"model M\n  parameter Real p = 1;\n  Real x;\nalgorithm\n  p := 1;\nequation\n  x = "
     "1;\nend M;",
     "5:3: error: an algorithm of a model assigns its variables: this is none"},
    {"model M\n  Real x;\nequation\n  der(x) = 1;\n  while x > 1 loop x := 1; end while;\nend M;",
     "5:3: error: a statement stands among the equations"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    output Real y;\n  algorithm\n    y "
     ":= f(u);\n  end f;\nequation\n  x = f(1);\nend M;",
     "7:10: error: 'f' calls itself without an end"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    output Real y;\n  algorithm\n    u "
     ":= 1;\n    y := u;\n  end f;\nequation\n  x = f(1);\nend M;",
     "7:5: error: 'u' is an input or a loop variable: it cannot be assigned"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    output Real y;\n  algorithm\n  end "
     "f;\nequation\n  x = f(1);\nend M;",
     "5:17: error: the function 'f' never assigns all of its output 'y'"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    input Real v;\n    output Real y;\n "
     " algorithm\n    y := u + v;\n  end f;\nequation\n  x = f(1);\nend M;",
     "11:7: error: the call of 'f' gives no value for its input 'v'"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    output Real y;\n  algorithm\n    y "
     "= u;\n  end f;\nequation\n  x = f(1);\nend M;",
     "7:7: error: a statement of an algorithm assigns with ':=', not '='"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    output Real y;\n  algorithm\n    "
     "while u > 1 loop\n      y := 1;\n    end while;\n  end f;\nequation\n  x = f(time);\nend M;",
     "5:17: error: the function 'f' never assigns all of its output 'y'"},
    {"model M\n  Real x(begin = 2) = 1;\nend M;",
     "2:10: error: there is no attribute 'begin': those of a variable are start, fixed, min, max, "
     "nominal, unit .."},
    {"model M\n  type E = enumeration(red, green);\n  E e = E.blue;\nend M;",
     "3:9: error: 'blue' is no literal of 'E', which has red, green"},
    {"model M\n  function g = der(f);\n  Real x = g(1);\nend M;",
     "2:21: error: expected ', x': the input by which to differentiate"},
    {"model M\n  Real x;\n  function f\n    input Real u;\n    output Real y;\n    external "
     "\"C\";\n  end f;\nequation\n  x = f(1);\nend M;",
     "9:7: error: 'f' is an external function: the option --external FILE (.so or .c) allows "
     "calls of the C functions in that file"},
    {"model M\n  Real x(start = y), y;\nequation\n  x = 1;\n  y = 2;\nend M;",
     "2:18: error: 'start' must be known when the model is read: only numbers, parameters and "
     "constants"},
    {"model M\n  Real x(min = 2, max = 1);\nequation\n  x = 1;\nend M;",
     "2:8: error: 'x' has min = 2 above max = 1"},
    {"model M\n  Real x(fixed = 1);\nequation\n  x = 1;\nend M;",
     "2:18: error: 'fixed' must be a Boolean"},
    {"model M\n  Real x;\nequation\n  x = 1 & 2;\nend M;",
     "4:9: error: '&' has no meaning here: write not, and, or, <>"},
    {"model M\n  Real x;\nequation\n  x = \"abc;\nend M;",
     "4:7: error: this string is never closed: add \"\n5:7: error: the file ends inside 'M': add "
     "'end M;'"},
    {"model M\n  Real x;\nequation\n  x = 'abc;\nend M;",
     "4:7: error: this quoted name is never closed: add '"},
    {"model M\n  Real x;\nequation\n  x(0) = 1;\n  x = 2;\nend M;",
     "4:3: error: 'x' is a variable, not a function: x(startTime) and x(finalTime) state boundary "
     "values"},
    {"model M\n  Real x;\nequation\n  x = end;\nend M;",
     "4:7: error: 'end' as a number has a meaning in subscripts only"},
    {"model A\n  Real x;\nequation\n  x = 1;\nend A;\nmodel B\n  Real y;\nequation\n  y = 1;\nend "
     "B;",
     "1:7: error: the file holds several models: A, B; say which one (--model NAME), or let your "
     "Modelica tool flatten what consists of several"},
    {"model M\n  Real x;\nequation\n  x = (1, 2);\nend M;",
     "4:7: error: (a, b) can only stand left of '=' with a function of several outputs"},
    {"model M\n  Real x if true;\nequation\n  x = 1;\nend M;",
     "4:3: error: 'x' is declared with 'if': such a variable is for connections only"},
    {"model M\n  Real x;\nequation\n  x = sum(i for i in 1:3) + foo2[1];\nend M;",
     "4:29: error: 'foo2' is not declared"},
    {"model M\n  Real x;\nequation\n  time = 2;\n  x = 1;\nend M;",
     "4:3: error: this equation holds no unknown, only time and parameters"},
    {"model M\n  Real x[2](start = {1, 2, 3});\nequation\n  x = {1, 2};\nend M;",
     "2:21: error: 'start' is an array [3], the variable is an array [2]"},
};

/* lines that begin with the file's name, without it */
static void pick(const char *messages, char *out, size_t size) {
  size_t n = 0;
  out[0] = '\0';
  while (*messages) {
    size_t length = strcspn(messages, "\n");
    if (strncmp(messages, "m.mo:", 5) == 0 && n + length + 2 < size)
      n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? "\n" : "", (int)length - 5,
                            messages + 5);
    messages += length + (messages[length] == '\n');
  }
}

static void test_texts(void) {
  dae_model_options o = {.compiler = ""};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    dae_model *m;
    char got[2000];
    dae_status status = dae_model_read_text(&m, "m.mo", cases[k].text, strlen(cases[k].text), &o);
    if (status == DAE_OK) status = dae_model_build(m);
    CHECK(status == DAE_E_MODEL);
    pick(dae_model_messages(m), got, sizeof got);
    CHECK_STR(got, cases[k].messages);
    CHECK(dae_model_problem(m) == NULL);
    dae_model_free(m);
  }
}

/* the whole message: place, source line, caret under the culprit, also behind letters of two
   bytes */
static void test_caret(void) {
  static const char text[] =
      "model M\n  Real x \"\xc3\xa4\xc3\xb6\"; Rael y;\nequation\n  x = 1;\n  y = 2;\nend M;\n";
  dae_model *m;
  CHECK(dae_model_read_text(&m, "dir/m.mo", text, strlen(text), NULL) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_E_MODEL);
  CHECK_STR(dae_model_messages(m),
            "dir/m.mo:2:16: error: 'Rael' is not a type that is known here: did you mean 'Real'?\n"
            "    Real x \"\xc3\xa4\xc3\xb6\"; Rael y;\n"
            "                 ^\n");
  dae_model_free(m);
}

/* names from outside that exist nowhere, and a value that is wanted */
static void test_given(void) {
  static const char text[] =
      "model M\n  parameter Real length;\n  Real x;\nequation\n  der(x) = length;\nend M;\n";
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  CHECK(dae_model_read_text(&m, "m.mo", text, strlen(text), &o) == DAE_OK);
  CHECK(dae_model_set(m, "length", 1.5) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  CHECK(dae_model_set(m, "lenght", 1.5) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_E_MODEL);
  CHECK_STR(dae_model_messages(m),
            "m.mo: error: there is no parameter 'lenght' to set: did you mean 'length'?\n");
  dae_model_free(m);
}

/* a missing file is not a bad model */
static void test_file(void) {
  dae_model *m;
  CHECK(dae_model_read_file(&m, "/nowhere/at/all.mo", NULL) == DAE_E_IO);
  CHECK(strstr(dae_model_messages(m), "/nowhere/at/all.mo: error: the file cannot be read") !=
        NULL);
  dae_model_free(m);
  CHECK(dae_model_read_file(&m, "/", NULL) == DAE_E_IO); /* a folder */
  dae_model_free(m);
  /* a file without an end: what it may take ends */
  dae_model_options o = {.model_memory = 50};
  CHECK(dae_model_read_file(&m, "/dev/zero", &o) == DAE_E_MODEL);
  CHECK(strstr(dae_model_messages(m), "more than 50 MB of memory (model_memory)") != NULL);
  dae_model_free(m);
}

int main(void) {
  RUN(test_texts);
  RUN(test_caret);
  RUN(test_given);
  RUN(test_file);
  return TEST_END();
}
