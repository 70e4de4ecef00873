# models as text: run, check, options, and errors with file, line and column
. "$(dirname "$0")/lib.sh" "$1"

cat >pendulum.mo <<'MODEL'
model Pendulum "a point mass on a rod"
  parameter Real L = 1.25, g = 9.81;
  Real x(start = 1.25, fixed = true), y(start = 0);
  Real vx(start = 0, fixed = true), vy(start = 0);
  Real lambda, height = y + L;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -2*lambda*x;
  der(vy) = -2*lambda*y - g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-7, Interval = 0.25));
end Pendulum;
MODEL

run run pendulum.mo --output a.csv --json
code 0 "a model of index 3"
has out '"problem": "pendulum.mo"'
has out '"t1": 3,'
has out '"height"'
truth "the columns are the text's variables" grep -q '^time,x,y,vx,vy,lambda,height$' a.csv
truth "the grid is the text's interval" test "$(wc -l <a.csv)" -eq 14
truth "the rod keeps its length, the formula holds" awk -F, 'NR > 1 {
  rod = $2 * $2 + $3 * $3 - 1.5625; above = $7 - $3 - 1.25
  if (rod * rod > 1e-24 || above * above > 1e-28) exit 1 }' a.csv

# energy 1/2 v^2 + g y is 0 from rest at y = 0; 1e-4 is far above the error of tolerance 1e-7
truth "the text's tolerance is used" awk -F, 'NR > 1 {
  e = 0.5 * ($4 * $4 + $5 * $5) + 9.81 * $3; if (e * e > 1e-8) exit 1 }' a.csv

run run pendulum.mo --set L=2.5 --init x=2.5 --stop 1 --quiet --output b.csv
code 0 "parameter and start value from outside"
truth "the rod is longer" awk -F, 'NR > 1 {
  rod = $2 * $2 + $3 * $3 - 6.25; if (rod * rod > 1e-22) exit 1 }' b.csv

run run pendulum.mo --rtol 1e-12 --atol 1e-3 --atol-of "x=1e-9,y=1e-9,vx=1e-8,vy=1e-8" --quiet --output c.csv
code 0 "tolerances of single variables"
# energy is 0; an error of the velocities of 1e-8, some 5 m/s fast, makes 5e-8 of it, in ten tolerances 5e-7
truth "they are kept" awk -F, 'NR > 1 {
  e = 0.5 * ($4 * $4 + $5 * $5) + 9.81 * $3; if (e * e > 2.5e-13) exit 1 }' c.csv
run run pendulum.mo --atol-of height=1e-3
code 2 "a variable that is not integrated has no tolerance"
has err "atol_of: 'height' is not an entry of z"

run check pendulum.mo
code 0 "check of a model"
has out "index: 3"
has out "0 = 2*x*vx + 2*y*vy"

refused 2 "has no parameter 'LL'; did you mean 'L'?" run pendulum.mo --set LL=2
refused 2 "has no variable 'xx'" run pendulum.mo --init xx=2
refused 4 "none.mo: error: the file cannot be read: No such file or directory" run none.mo

sed 's/x^2 + y^2 =/x^2 + + y^2 =/' pendulum.mo >bad.mo
run run bad.mo --output bad.csv --plot bad.svg
code 4 "a syntax error"
has err "bad.mo:11:9: error:"
truth "nothing was written" test ! -e bad.csv -a ! -e bad.svg -a ! -s out
sed 's/der(x) = vx/der(x) = vz/' pendulum.mo >bad.mo
run check bad.mo
code 4 "an unknown name"
has err "bad.mo:7:"

# one index, whatever the structure says and whatever form is taken: k pairs y_i + x_i' + x_(i+1)' = ..
# have index 1 and structural index k + 1 (Reissig, Martinson, Barton 2000)
cat >pairs.mo <<'EOF'
model Pairs
  Real x1, x2(start = 0.3, fixed = true), x3, x4(start = 1.1, fixed = true), x5;
equation
  der(x2) + der(x3) + x1 = sin(time); der(x2) + der(x3) + x2 = cos(time);
  der(x4) + der(x5) + x3 = time; der(x4) + der(x5) + x4 = exp(-time);
  x5 = time^2;
end Pairs;
EOF
run check pairs.mo
index=1
has out "index: 1"
has out "of a model of index 1, t = 0"
truth "no other" test "$(grep -o 'index [0-9]\|index: [0-9]' out | tr -d ':' | sort -u)" = "index $index"
run check pairs.mo --json
has out "\"index\": $index,"

# inputs: x' = u, u through (0, 0), (0.5, 1), (1, 1), then a jump to 0: x = 0.75
printf 'model In input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end In;\n' >in.bmo
printf 'time,other,u\n0,9,0\n0.5,9,1\n1,9,1\n1,9,0\n2,9,0\n' >u.csv
run run in.bmo --stop 2 --input u=u.csv
code 0 "values of an input from a table, and a .bmo file"
has out "x     0.75"
run run in.bmo --stop 3 --input u=u.csv
code 2 "a run beyond the data"
has err "go from 0 to 2, the run from 0 to 3"
run run in.bmo --input u=2
has out "x     2"
run run in.bmo --input u=missing.csv
code 2 "a table that is not there"
printf 'time,other\n0,9\n' >other.csv
run run in.bmo --input u=other.csv --stop 0
code 0 "two columns need no names"
printf 'time,a,b\n0,9,9\n' >other.csv
run run in.bmo --input u=other.csv
code 2 "a table without the column"
has err "no column 'u'"
run run in.bmo
code 0 "an input without values"
has err "the input 'u' has no values: its start value is taken"

# several models
printf 'model A Real a = 1; end A; model B Real b = 2; end B;\n' >two.mo
run check two.mo
code 4 "which one?"
has err "the file holds several models: A, B"
run run two.mo --model B
code 0 "one by its name"
has out "b     2"


# C functions of the user: only with --external; e^-2; NaN is told by name; the file counts in checkpoints and sweeps
cat >own.mo <<'EOF'
model Own
  function decay input Real x; input Real k; output Real y; external "C"; end decay;
  parameter Real k = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) = decay(x, k);
end Own;
EOF
printf '#include <math.h>\ndouble decay(double x, double k) { return -k * x; }\n' >own.c
run run own.mo
code 4 "a C function without the option"
has err "own.mo:6:12: error: 'decay' is an external function: the option --external"
run run own.mo --external own.c --tol 1e-9 --checkpoint own.ck --stop 0.5
code 0 "a C function from source"
run run own.mo --external own.c --tol 1e-9 --resume own.ck --stop 1
code 0 "and from a checkpoint"
has out "x     0.1353352832"
printf '#include <math.h>\ndouble decay(double x, double k) { return -1 - k * sqrt(x - 0.5); }\n' >own.c
run run own.mo --external own.c --tol 1e-9 --resume own.ck --stop 1
code 2 "another function than that of the checkpoint"
has err "--external"
run run own.mo --external own.c
code 3 "a function that gives NaN"
has err "the external function 'decay' gave a value that is not finite"
run run pendulum --external own.c
code 2 "a problem of the gallery calls none"
printf 'double decay(double x, double k) { return -k * x }\n' >own.c
run run own.mo --external own.c
code 4 "C that does not compile"
has err "own.mo:2:12: error: own.c must be compiled, but the C compiler failed: own.c:1:"

finish
