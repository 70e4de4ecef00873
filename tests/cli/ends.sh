# how runs end: at the stop with all that happens there, by the model itself, backwards, at once
. "$(dirname "$0")/lib.sh" "$1"

cat >end.mo <<'MODEL'
model End
  Real x(start = 0, fixed = true);
  Integer n(start = 0), k(start = 0);
equation
  der(x) = 1;
  when time >= 1 then n = pre(n) + 1; end when;
  when terminal() then k = 7; end when;
end End;
MODEL

run run end.mo --stop 1 --every 0.5 --output a.csv --json
code 0 "events at the stop"
has out '"n": 1'
truth "the last row has what happens at the stop" test "$(tail -1 a.csv | cut -d, -f1,3,4)" = 1,1,7
truth "the row before has not" test "$(sed -n 3p a.csv | cut -d, -f1,3,4)" = 0.5,0,0
truth "no row twice" test "$(wc -l <a.csv)" -eq 4
run run end.mo --stop 1 --steps --output s.csv
truth "the last of the steps has it too" test "$(tail -1 s.csv | cut -d, -f1,3,4)" = 1,1,7

run run end.mo --stop 0 --output b.csv
code 0 "stop = start: the consistent start"
truth "one row" test "$(sed -n '2,$p' b.csv)" = 0,0,0,7

# x' = 1: x(-1) = -1
run run end.mo --stop=-1 --points 3 --output c.csv --plot c.svg
code 0 "backwards"
truth "rows go back in time" awk -F, 'NR > 1 { d = $1 + (NR - 2) / 2; e = $2 - $1
  if (d * d > 1e-28 || e * e > 1e-28) exit 1 } END { if (NR != 4) exit 1 }' c.csv
run run pendulum --start 1 --stop 0
code 0 "a gallery problem backwards"

cat >told.mo <<'MODEL'
model Told
  Real x(start = 0, fixed = true);
  Integer k(start = 0);
equation
  der(x) = 1;
  assert(x < 0.25, "x is 100% too large", AssertionLevel.warning);
  when x > 0.5 then terminate("x has \"arrived\""); end when;
  when terminal() then k = 3; end when;
end Told;
MODEL
run run told.mo --stop 2 --output d.csv
code 0 "terminate is a success"
has out 'by the model'
has out 'arrived'
has err 'warning: assertion failed: x is 100% too large'
truth "terminal() is true at the end" test "$(tail -1 d.csv | cut -d, -f3)" = 3

sed 's/x > 0.5 then/initial() then/' told.mo >first.mo
rm -f d.csv
run run first.mo --stop 2 --output d.csv
code 0 "terminate at the start is a success"
truth "its point is written" test "$(wc -l <d.csv)" = 2

# samples behind the end that the model makes are not counted against max_steps: 0, 0.01, .. 0.99
cat >samples.mo <<'MODEL'
model Samples
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = 1;
  when sample(0, 0.01) then n = pre(n) + 1; end when;
  when x >= 0.995 then terminate("enough"); end when;
end Samples;
MODEL
rm -f d.csv
run run samples.mo --stop 1e9 --output d.csv
code 0 "the model ends before its stop"
truth "all samples up to there" test "$(tail -1 d.csv | cut -d, -f3)" = 100
sed -i '/terminate/d' samples.mo
run run samples.mo --stop 1e9
code 3 "more samples than steps"
has err "more than max_steps"

sed -i 's/, AssertionLevel.warning//' told.mo
run run told.mo --stop 2
code 3 "an assertion ends the run"
has err 'assertion failed: x is 100% too large (at t = 0.25'

# check looks at the first steps of the run: one that stops there is no healthy problem
run check told.mo --stop 2
code 3 "check tells that the run stops"
has out 'run          stops at t = 0.25'
has out 'x is 100% too large'
hasnot out 'No problems found'
run check told.mo --stop 2 --json
code 3 "and so in JSON"
has out '"status": "assertion failed"'
run check told.mo --stop 0.125
code 0 "a run that ends before"
has out 'No problems found'

cat >twice.mo <<'MODEL'
model Twice
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when time > 0.5 then reinit(x, 5); end when;
  when time > 0.5 then reinit(x, 7); end when;
end Twice;
MODEL
run run twice.mo
code 3 "two reinit at one instant"
has err 'two reinit statements assign x at t = 0.5'

finish
