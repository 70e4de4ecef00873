# pages of runs: whole, without a word that could break out of the page or load something
. "$(dirname "$0")/lib.sh" "$1"

# page FILE: begins and ends as a page, and its data have no '<': nothing in them can end their element
page() {
  has "$1" "<!doctype html>"
  truth "$1 ends as a page" test "$(tail -n 1 "$1")" = "</html>"
  sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$1" | sed '1d;$d' >data
  truth "$1 has data" test -s data
  hasnot data "<"
  checks=$((checks + 1))
  # the three elements of the page and no others
  [ "$(grep -o '</script' "$1" | wc -l)" -eq 3 ] || bad "$1: $(grep -o '</script' "$1" | wc -l) ends of scripts"
  sed '/id="data"/,/<\/script>/d' "$1" >frame
  hasnot frame "src="
  hasnot frame "url(http"
}

run run pendulum --stop 1 --report a.html
code 0 "a report"
page a.html
has out "page       a.html"
has data '"page": "run"'
has data '"command": "daedal run pendulum --stop 1 --report a.html"'
has data '"status": "ok"'
has data '"draw"'

run run bvp-pendulum --report b.html
code 0 "a boundary value problem"
page b.html
has data '"mesh_history"'
has data '"estimated_error"'

run run pendulum --stop 1 --report c.json
code 0 "the data alone"
truth "json alone begins so" test "$(head -c 1 c.json)" = "{"

run run four-bar --stop 0.1 --animate d.html
code 0 "the motion alone"
page d.html
has data '"page": "motion"'
# two rods that turn around pivots, one between the joints
truth "three rods are seen" test "$(grep -c '"k": "line"' data)" -eq 3
truth "two pivots are seen" test "$(grep -c '"k": "ground"' data)" -eq 2
run run linear-index2 --animate e.html
code 2 "nothing moves there"
has err "no mechanism was recognised in linear-index2"
truth "no page of it" test ! -e e.html

# a run that stops early has its page too
run run pendulum --max-steps 3 --report f.html
code 3 "a run that stops early"
page f.html
refused 2 "FILE.html" run pendulum --report a.pdf
refused 5 "cannot write" run pendulum --report none/a.html

# a drawing in the text: shapes, loops, parameters; what it cannot be is an error with its place
cat >m.mo <<'END'
model M
  parameter Integer n = 3;
  parameter Real L = 1.5 "length";
  Real phi(start = 1, fixed = true), w(start = 0, fixed = true);
equation
  der(phi) = w;
  L*der(w) = -9.81*sin(phi);
  annotation(Icon(a = {1, 2}), __Daedal(draw = {ground({0, 0}), line({0, 0}, {L*sin(phi), -L*cos(phi)}),
    {circle({L*sin(phi)*k/n, -L*cos(phi)*k/n}, 0.05*k) for k in 1:n}}), experiment(StopTime = 2));
end M;
END
run run m.mo --report m.html
code 0 "a drawing in a text"
page m.html
has data '"t1": 2'
truth "a line" test "$(grep -c '"k": "line"' data)" -eq 1
truth "three circles" test "$(grep -c '"k": "circle"' data)" -eq 3
has data '"equations"'
has data 'der(phi) = w'
has data '"meaning": "length"'
sed 's/ground(/grund(/' m.mo >m1.mo
run run m1.mo
code 4 "an unknown shape"
has err "m1.mo:8:49: error: a drawing knows line"
sed 's/0.05\*k/der(w)/' m.mo >m2.mo
run run m2.mo
code 4 "a derivative in a drawing"
has err "a drawing can hold variables, parameters and time"
sed 's/line({0, 0},/line({0, 0, 0},/' m.mo >m3.mo
run run m3.mo
code 4 "points of two and of three coordinates"
has err "the same number of coordinates: 2, not 3"
sed 's/draw =/drew =/' m.mo >m4.mo
run run m4.mo
code 4 "an unknown annotation of ours"
has err "the annotation __Daedal knows draw"

# sweeps
run sweep pendulum --set g=5:15:3 --init x=0.7:0.9:2 --stop 1 --output s.csv --report s.html
code 0 "a sweep"
page s.html
has data '"page": "sweep"'
has data '"members": 6'
has data '"varied": [1,2]'
has out "page s.html"

# hostile names and texts
long=$(printf '%10000s' | tr ' ' a)
cat >h.mo <<END
model Hostile "</title></script><script>alert(1)</script><!-- \"quoted\" & 'x' <img src=x onerror=alert(2)> äöü 𝛌 $long"
  parameter Real p = 2 "</script><b onmouseover=alert(3)>";
  Real '</script><script>alert(4)</script>'(start = 1, fixed = true) "x </script>";
  Real '"\\\\ & <!-- ]]>'(start = 1);
  Real v$long(start = 0.3, fixed = true);
equation
  der('</script><script>alert(4)</script>') = -p*'</script><script>alert(4)</script>';
  '"\\\\ & <!-- ]]>' = 2*'</script><script>alert(4)</script>';
  der(v$long) = 1;
  // </script><script>alert(5)</script>
end Hostile;
END
run run h.mo --report h.html
code 0 "hostile names"
page h.html
cp h.mo 'a"b<script>.mo'
run run 'a"b<script>.mo' --report g.html
code 0 "a hostile file name"
page g.html

# units, equations and events as they are written; the rounding of constraints; panels by size
cat >ball.mo <<'END'
model Ball
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real h(start = 1, fixed = true, unit = "m", displayUnit = "cm"), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    reinit(v, -0.8*pre(v));
  end when;
end Ball;
END
run run ball.mo --report g.json
code 0 "units and events"
has g.json '"der(h) = v"'
has g.json '"unit": "m/s2"'
has g.json '"unit": "cm"'
hasnot g.json "case 1"
run run heavy-top --report g.json
code 0 "panels by size"
has g.json '"rounding"'
# w3 = 12 among values below 1: a panel of its own
truth "two panels" test "$(grep -c '"title": "Solution"' g.json)" -eq 2

finish
