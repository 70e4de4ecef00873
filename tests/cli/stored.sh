# daedal plot: stored runs and sweeps; svg files tell in words what they show
. "$(dirname "$0")/lib.sh" "$1"
shows() { has p.svg "$1"; }

cat >swing.mo <<'END'
model swing
  parameter Real k = 1;
  Real x(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k*x;
  assert(k < 3.5, "k is large");
end swing;
END
run run swing.mo --stop 10 --tol 1e-11 --points 2001 --output a.csv --quiet
run run swing.mo --stop 12 --tol 1e-11 --points 2001 --set k=1.5 --output b.json --quiet
code 0 "two stored runs"
has b.json '"units": ["","m",""]'
run plot a.csv b.json --show "x | x:v | der(x)-v, v / x" --plot p.svg
code 0 "overlaid"
shows "panel 1, curves over time:"
shows "  x from -1 to 1, a"
shows "  x [m] from -0.99999 to 1, b"
# k = 1.5: v = -sqrt(k) sin(sqrt(k) t)
shows "v from -1.2247 to 1.2247, b"
# derivatives by polynomials through five rows of distance 0.005: errors below 1e-9
truth "der(x) - v vanishes" awk '/der\(x\)-v from/ { seen++; if ($3 + 0 < -1e-7 || $5 + 0 > 1e-7) exit 1 } END { exit seen != 2 }' p.svg
run plot a.csv --plot p.svg
shows "  x from -1 to 1"
shows "  v from -1 to 1"
run plot a.csv --plot p.png --quiet
code 0 png
truth "quiet" test ! -s out
run plot a.csv --plot p.pdf
truth "a pdf" test "$(head -c 5 p.pdf)" = "%PDF-"

# files of others: CRLF, blanks, quotes, empty cells, words, a byte order mark, no end of the last line
printf '\357\273\277t, "speed, left" ,x\r\n0,1,2\r\n1,,NaN\r\n2,3,none\r\n3,4,-2' >other.csv
run plot other.csv --show "'speed, left' | x" --plot p.svg
code 0 "a file of another program"
shows "curves over t:"
shows "  speed, left from 1 to 4"
shows "  x from -2 to 2"
run plot a.csv other.csv --show "x" --plot p.svg
code 0 "other columns, but the one that is shown"

# 1e6 rows
awk 'BEGIN { print "time,x"; for (i = 0; i < 1000000; i++) print i "," i % 1000 }' >long.csv
run plot long.csv --plot p.svg
code 0 "a million rows"
shows "  x from 0 to 999"
truth "a small picture" test "$(wc -c <p.svg)" -lt 400000

# sweeps: one range is curves, two are maps
run sweep swing.mo --set k=1:4:31 --stop 3 --tol 1e-8 --measure "low=min(x), zero=time(x<0)" --output s.csv --plot p.svg
code 0 "a sweep over one parameter"
shows "panel 1, curves over k:"
# x passes 0 at pi/(2 sqrt(k)), k up to 3.4: the others failed
shows "  zero from 0.85188 to 1.5708"
run plot s.csv --show "zero*sqrt(k) | low:zero" --plot p.svg
shows "  zero*sqrt(k) from 1.5708 to 1.5708"
shows "paths in the plane"
run sweep swing.mo --set k=1:4:7 --init x=1:2:5 --stop 3 --tol 1e-8 --measure "zero=time(x<0)" --output m.csv --plot p.svg --show "zero*sqrt(k) | log(steps)"
code 0 "a sweep over two values"
shows "map 1, zero*sqrt(k) over k and initial(x): from 1.5708 to 1.5708, 10 of 35 runs have none"
shows "map 2, steps over k and initial(x):"
shows ", logarithmic"
run sweep swing.mo --set k=1:3 --init x=1:2 --design lhs:20 --stop 3 --output d.csv --plot p.svg
code 0 "a design"
shows "map 1, x over k and initial(x)"
# the journal of a sweep that has not ended
{
  echo "# daedal sweep"
  head -n 3 s.csv | awk 'NR == 1 { print } NR > 1 { print $0 "\t0123456789abcdef" }'
  printf '2,1.2,ok,3,'
} >part.csv.journal
run plot part.csv.journal --plot p.svg --show low
code 0 "a journal"
shows "  low from"

refused 2 "a.csv: 'z', column 1: there is no variable or function 'z'" plot a.csv --show "z" --plot q.svg
refused 2 "needs --plot" plot a.csv
refused 2 "needs files" plot --plot q.svg
refused 2 "unknown option '--every'" plot a.csv --every 1 --plot q.svg
refused 2 "ends in .svg, .png or .pdf" plot a.csv --plot q.jpg
refused 5 "cannot read none.csv" plot none.csv --plot q.svg
: >empty.csv
refused 5 "empty.csv is empty" plot empty.csv --plot q.svg
printf 'time,x\n' >head.csv
refused 5 "head.csv has no rows" plot head.csv --plot q.svg
printf 'time,x\n1,2\n3\n' >cut.csv
refused 5 "cut.csv:3: 1 fields instead of 2" plot cut.csv --plot q.svg
printf 'time,x\n1,2\nnan,2\n' >nan.csv
refused 5 "nan.csv: row 2: time is not a number" plot nan.csv --plot q.svg
printf '\000\001\002,\377' >bytes.csv
refused 5 "not a text file" plot bytes.csv --plot q.svg
printf 'x\n1\n' >one.csv
refused 5 "at least two column names" plot one.csv --plot q.svg
printf '{"status": "ok", "final": {"x": [1, {"y": 2}]}}' >summary.json
refused 5 "has no 'columns' and 'data'" plot summary.json --plot q.svg
printf '{"columns": ["time", "x"], "data": [[1, 2], [3' >half.json
refused 5 "one number for each column" plot half.json --plot q.svg
printf '[1,2]' >list.json
refused 5 "not a json file written by --output" plot list.json --plot q.svg
refused 2 "is the table of a sweep" plot a.csv s.csv --plot q.svg
refused 2 "add --plot FILE" sweep swing.mo --set k=1:4:3 --output t.csv --show x
refused 2 "'daedal merge' the parts" sweep swing.mo --set k=1:4:3 --output t.csv --shard 1/2 --plot q.svg
refused 2 "a picture has one or two" sweep swing.mo --set k=1:4:3 --init x=1:2:2 --init v=1:2:2 --output t.csv --plot q.svg
refused 2 "shows numbers, not 'x:v'" plot m.csv --show "x:v" --plot q.svg
truth "no picture is left" test ! -e q.svg

finish
