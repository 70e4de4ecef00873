/*
 * Tables of the Modelica library as tools export them, from arrays and from files. Values by hand:
 * straight lines, and for the slopes of Akima at x = 1, 2 in 0, 0, 1, 3, 3 over 0 .. 4 the chords
 * -1, 0, 1, 2, 0 with the weights 1, 1 and 1, 2: slopes 1/2 and 4/3, so that the value in the
 * middle is 1/2 + (1/2 - 4/3)/8 = 19/48.
 */
#include "small.h"

#define SMOOTH "input enumeration(LinearSegments, ContinuousDerivative, ConstantSegments) s; "
#define OUTSIDE "input enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation) e; "
#define ONE                                                                                       \
  "function T.constructor input String file; input String name; input Real[:, :] table; "         \
  "input Integer[:] columns; " SMOOTH OUTSIDE "output T t; external \"C\" t = "                   \
  "ModelicaStandardTables_CombiTable1D_init2(file, name, table, size(table, 1), size(table, 2), " \
  "columns, size(columns, 1), s, e, true); end T.constructor; "                                   \
  "function f input T t; input Integer k; input Real u; output Real y; external \"C\" y = "       \
  "ModelicaStandardTables_CombiTable1D_getValue(t, k, u); end f; "
#define TWO                                                                                      \
  "function T.constructor input String name; input String file; input Real[:, :] table; " SMOOTH \
  "output T t; external \"C\" t = ModelicaStandardTables_CombiTable2D_init(name, file, table, "  \
  "size(table, 1), size(table, 2), s); end T.constructor; "                                      \
  "function f input T t; input Real u; input Real v; output Real y; external \"C\" y = "         \
  "ModelicaStandardTables_CombiTable2D_getValue(t, u, v); end f; "
#define TIME                                                                                      \
  "function T.constructor input String name; input String file; input Real[:, :] table; "         \
  "input Real start; input Integer[:] columns; " SMOOTH OUTSIDE "output T t; external \"C\" t = " \
  "ModelicaStandardTables_CombiTimeTable_init(name, file, table, size(table, 1), "                \
  "size(table, 2), start, columns, size(columns, 1), s, e); end T.constructor; "                  \
  "function next input T t; input Real u; output Real y; external \"C\" y = "                     \
  "ModelicaStandardTables_CombiTimeTable_nextTimeEvent(t, u); end next; "                         \
  "function f input T t; input Integer k; input Real u; input Real n; input Real p; "             \
  "output Real y; external \"C\" y = ModelicaStandardTables_CombiTimeTable_getValue(t, k, u, n, " \
  "p); end f; "
#define A "parameter Real tab[:, :] = [0, 0, 5; 1, 0, 4; 2, 1, 0; 3, 3, -1; 4, 3, 2]; "
#define OF(s, e)                                                                         \
  "parameter T t = T.constructor(\"NoName\", \"NoName\", tab, {2, 3}, S." s ", E." e ")" \
  "; Real y; "

static const line lines[] = {
    {"a line between points",
     ONE A OF("LinearSegments", "LastTwoPoints") "equation y = f(t, 2, time);", 1.5, "y", 2, NEAR,
     NULL},
    {"its first column", ONE A OF("LinearSegments", "LastTwoPoints") "equation y = f(t, 1, time);",
     2.25, "y", 1.5, NEAR, NULL},
    {"beyond the last point the line goes on",
     ONE A OF("LinearSegments", "LastTwoPoints") "equation y = f(t, 2, time);", 6, "y", 8, NEAR,
     NULL},
    {"or the value holds",
     ONE A OF("LinearSegments", "HoldLastPoint") "equation y = f(t, 2, time);", 6, "y", 2, NEAR,
     NULL},
    {"before the first point",
     ONE A OF("LinearSegments", "LastTwoPoints") "equation y = f(t, 2, -time);", 3, "y", 8, NEAR,
     NULL},
    {"again and again", ONE A OF("LinearSegments", "Periodic") "equation y = f(t, 1, time - 9);",
     3.5, "y", 2, NEAR, NULL},
    {"nothing outside",
     ONE A OF("LinearSegments", "NoExtrapolation") "equation y = f(t, 1, 2*time);", 3, "y", 3, NEAR,
     "no values outside"},
    {"steps", ONE A OF("ConstantSegments", "HoldLastPoint") "equation y = f(t, 1, time);", 2.9, "y",
     1, NEAR, NULL},
    {"cubic pieces",
     ONE A OF("ContinuousDerivative", "LastTwoPoints") "equation y = f(t, 1, time);", 1.5, "y",
     19.0 / 48, NEAR, NULL},
    {"a parabola is met",
     ONE "parameter Real tab[:, :] = [0, 0; 1, 1; 2, 4; 3, 9; 4, 16]; parameter T t = "
         "T.constructor(\"NoName\", \"NoName\", tab, {2}, S.ContinuousDerivative, "
         "E.LastTwoPoints); Real y; "
         "equation y = f(t, 1, time);",
     3.3, "y", 10.89, NEAR, NULL},
    {"the derivative of a table: the chord",
     ONE A OF("LinearSegments", "LastTwoPoints") "Real v; equation v = f(t, 2, time); y = der(v);",
     2.5, "y", -1, NEAR, NULL},
    {"an integral over kinks: 4.5 + 2 - 0.5 + 0.5",
     ONE A OF("LinearSegments", "LastTwoPoints") "Real x(start = 0, fixed = true); equation y = "
                                                 "f(t, 2, time); der(x) = y;",
     4, "x", 6.5, NEAR, NULL},
    {"in a loop: y + f(y) = 4 where f(y) = 3 y - 6 and so y = 2.5",
     ONE "parameter Real tab[:, :] = [0, 0; 2, 0; 3, 3]; parameter T t = T.constructor(\"NoName\", "
         "\"NoName\", tab, {2}, S.LinearSegments, E.LastTwoPoints); Real y(start = 1); equation "
         "y + f(t, 1, y) = 4;",
     1, "y", 2.5, NEAR, NULL},
    {"from a file",
     ONE "parameter T t = T.constructor(\"test_tables.txt\", \"second\", zeros(0, 2), {2}, "
         "S.LinearSegments, E.LastTwoPoints); Real y; equation y = f(t, 1, time);",
     1.5, "y", 15, NEAR, NULL},
    {"from a file with long lines: rows 0, 1125, .. 1125 and 1, 1500, .. 1500",
     ONE "parameter T t = T.constructor(\"test_tables.txt\", \"wide\", zeros(0, 2), {3000}, "
         "S.LinearSegments, E.LastTwoPoints); Real y; equation y = f(t, 1, time);",
     0.5, "y", 1312.5, NEAR, NULL},
    {"something that is no number",
     ONE "parameter T t = T.constructor(\"test_tables.txt\", \"bad\", zeros(0, 2), {2}, "
         "S.LinearSegments, E.LastTwoPoints); Real y; equation y = f(t, 1, time);",
     1, "y", 0, 0, "no number"},
    {"a smooth curve with a jump",
     TIME "parameter Real tab[:, :] = [0, 0; 1, 2; 1, 3; 2, 3]; parameter T t = T.constructor("
          "\"NoName\", \"NoName\", tab, 0, {2}, S.ContinuousDerivative, E.HoldLastPoint); Real y; "
          "equation y = f(t, 1, time, 0, 0);",
     1, "y", 0, 0, "must increase"},
    {"a matrix that the file has not",
     ONE
     "parameter T t = T.constructor(\"test_tables.txt\", \"third\", "
     "zeros(0, 2), {2}, S.LinearSegments, E.LastTwoPoints); Real y; equation y = f(t, 1, time);",
     1, "y", 0, 0, "there is no matrix 'third'"},
    {"a file that is not there",
     ONE "parameter T t = T.constructor(\"nowhere.txt\", \"a\", zeros(0, 2), "
         "{2}, S.LinearSegments, E.LastTwoPoints); Real y; equation y = f(t, 1, time);",
     1, "y", 0, 0, "there is no file"},
    {"a first column that falls",
     ONE
     "parameter Real tab[:, :] = [0, 0; 2, 0; 1, 3]; parameter T t = "
     "T.constructor(\"NoName\", \"NoName\", tab, {2}, S.LinearSegments, E.LastTwoPoints); Real y; "
     "equation y = f(t, 1, time);",
     1, "y", 0, 0, "must increase"},
    {"two arguments: 1 + 2 u v at the corners of [0, 2] x [0, 3]",
     TWO "parameter Real tab[:, :] = [9, 0, 3; 0, 1, 1; 2, 1, 13]; parameter T t = "
         "T.constructor(\"NoName\", \"NoName\", tab, S.LinearSegments); Real y; "
         "equation y = f(t, time, 3*time);",
     0.5, "y", 2.5, NEAR, NULL},
    {"outside of them",
     TWO "parameter Real tab[:, :] = [9, 0, 3; 0, 1, 1; 2, 1, 13]; parameter T t = "
         "T.constructor(\"NoName\", \"NoName\", tab, S.LinearSegments); Real y; "
         "equation y = f(t, time, 3*time);",
     4, "y", 97, NEAR, NULL},
    {"smooth in two arguments",
     TWO
     "parameter Real tab[:, :] = [9, 0, 3; 0, 1, 1; 2, 1, 13]; "
     "parameter T t = T.constructor(\"NoName\", \"NoName\", tab, S.ContinuousDerivative); Real y; "
     "equation y = f(t, time, 3*time);",
     4, "y", 0, 0, "LinearSegments only"},
    {"a time table with a jump at 1, begun at 0.5: 0.5, then 3",
     TIME
     "parameter Real tab[:, :] = [0, 0; 1, 2; 1, 3; 2, 3]; parameter T t = "
     "T.constructor(\"NoName\", "
     "\"NoName\", tab, 0.5, {2}, S.LinearSegments, E.HoldLastPoint); discrete Real n(start = 0, "
     "fixed = true); Real y, x(start = 0, fixed = true); equation when {time >= pre(n), initial()} "
     "then n = next(t, time); end when; y = f(t, 1, time, n, pre(n)); der(x) = y;",
     2.5, "x", 1 + 3, NEAR, NULL},
    {"it counts the points",
     TIME
     "parameter Real tab[:, :] = [0, 0; 1, 2; 1.5, 3; 2, 3]; parameter T t = "
     "T.constructor(\"NoName\", \"NoName\", tab, 0, {2}, S.LinearSegments, E.HoldLastPoint); "
     "discrete "
     "Real n(start = 0, fixed = true); Integer k(start = 0); equation when {time >= pre(n), "
     "initial()} then n = next(t, time); end when; when change(n) then k = pre(k) + 1; end when;",
     1.7, "n", 2, NEAR, NULL},
};

static void tables(void) {
  FILE *f = fopen("test_tables.txt", "w");
  CHECK(f != NULL);
  if (!f) return;
  fprintf(f, "#1\ndouble first(2,2) # not this one\n0 1\n1 2\ndouble second (3, 2)\n0 0 # zero\n1, "
             "10\n2 20\n");
  /* 3000 numbers of 8 characters in a line */
  fprintf(f, "float wide(2, 3000)");
  for (int row = 0; row < 2; row++)
    for (int k = 0; k < 3000; k++)
      fprintf(f, "%s%d", k ? " 000" : "\n", k ? 1125 + 375 * row : row);
  fprintf(f, "\ndouble bad(2, 2)\n0 1\n1 two\n3 4\n");
  fclose(f);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) run(&lines[i]);
  remove("test_tables.txt");
}

int main(void) {
  RUN(tables);
  return TEST_END();
}
