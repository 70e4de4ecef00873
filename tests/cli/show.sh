# --show: what is asked for is drawn; svg files tell in words what they show
. "$(dirname "$0")/lib.sh" "$1"

# x = cos(t), v = -sin(t), with units and eliminated variables
cat >swing.mo <<'END'
model swing "a swing"
  Real x(start = 1, fixed = true, unit = "m") "place";
  Real v(start = 0, fixed = true, unit = "m/s");
  Real phi(unit = "rad", displayUnit = "deg") = x "angle";
  Real twin(unit = "m") = x;
  Real 'a, b' = 5*v;
equation
  der(x) = v;
  der(v) = -x;
end swing;
END
# shows LINE: the words of the picture have the line
shows() { has p.svg "$1"; }

run run swing.mo --stop 10 --tol 1e-8 --plot p.svg --show "x,twin / v | x:v | x:v:time | log(abs(x)), log(time) | der(v), sqrt(x^2+v^2) | phi | max(x,v), x/2 | 'a, b'"
code 0 "all kinds"
truth "eight panels" test "$(grep -c '^panel \|<desc>panel ' p.svg)" -eq 8
shows "panel 1, curves over time:"
shows "  x [m] from -1 to 1"
shows "  v [m/s] from -1 to 1, right axis"
shows "panel 2, paths in the plane:"
shows "  x [m] from -1 to 1 : v [m/s] from -1 to 1"
shows "panel 3, paths in space:"
shows " : time from 0 to 10"
shows "panel 4, curves over time (logarithmic):"
shows ", logarithmic"
# der(v) = -cos(t) by differences of the dense output, of order 4
shows "  der(v) [m/s/s] from -1 to 1"
shows "  sqrt(x^2+v^2) from 1 to 1"
shows "  phi [deg] from -57.296 to 57.296"
shows "  x/2 from -0.5 to 0.5"
shows "  a, b from -5 to 5"
# nothing asked: by unit, eliminated ones too
run run swing.mo --stop 10 --plot p.svg
shows "curves over time, Lengths:"
shows "  twin [m] from"
shows "curves over time, Velocities:"
shows "curves over time, Angles:"
shows "curves over time, Further variables:"
# types of the Modelica library have their units
cat >types.mo <<'END'
model types
  Modelica.Units.SI.Angle phi(start = 1, fixed = true, displayUnit = "deg");
  Modelica.Units.SI.AngularVelocity w(start = 0, fixed = true);
equation
  der(phi) = w;
  der(w) = -phi;
end types;
END
run run types.mo --stop 10 --plot p.svg
shows "  phi [deg] from -57.296 to 57.296"
shows "  w [rad/s] from -1 to 1"
# never derivatives that nobody declared
run run pendulum --plot p.svg --stop 1
hasnot p.svg "der("
shows "  lambda from"
# log(x) of what is below 0 has gaps, not values
run run swing.mo --stop 10 --plot p.svg --show "log(x) | log(time):log(x) | log(0*x)"
code 0 "values without a place on the axis"

# boundary value problems have their own variable
run run bvp-layer --plot p.svg
shows "curves over x, Solution:"
cat >place.mo <<'END'
model place
  Real u(start = 0), w(start = 0), s = time "along the rod";
initial equation
  u(startTime) = 0;
  u(finalTime) = 1;
equation
  der(u) = w;
  der(w) = -1;
  annotation(experiment(StartTime = 0, StopTime = 4));
end place;
END
run run place.mo --plot p.svg --show "u, der(w)"
shows "curves over s:"
shows "  der(w) from -1 to -1"

for kind in svg png pdf; do
  run run heavy-top --stop 1 --plot p.$kind
  code 0 $kind
done
truth "a pdf" test "$(head -c 5 p.pdf)" = "%PDF-"

# hostile names cannot break out of the svg
cat >hostile.mo <<'END'
model hostile "</desc><script>alert(1)</script>"
  Real x(start = 1, fixed = true, unit = "</desc><script>");
equation
  der(x) = -x;
end hostile;
END
run run hostile.mo --plot p.svg
code 0 "hostile texts"
hasnot p.svg "<script>"

refused 2 "nothing is drawn" run pendulum --show "x"
refused 2 "there is no variable or function 'xx'; did you mean 'x'?" run pendulum --plot p.svg --show "xx"
refused 2 "'x+', column 3: a number or a name is missing at the end" run pendulum --plot p.svg --show "x+"
refused 2 "'x é 3', column 3: unexpected text at 'é 3'" run pendulum --plot p.svg --show "x é 3"
refused 2 "there is no variable or function 'théta'" run pendulum --plot p.svg --show "théta"
refused 2 "an expression is missing" run pendulum --plot p.svg --show "x,,y"
refused 2 "an expression is missing" run pendulum --plot p.svg --show "x | "
refused 2 "shows nothing" run pendulum --plot p.svg --show "log(time)"
refused 2 "cannot share a panel with" run pendulum --plot p.svg --show "x, x:y"
refused 2 "two axes at most" run pendulum --plot p.svg --show "x / y / lambda"
refused 2 "no second axis" run pendulum --plot p.svg --show "x:y / y:x"
refused 2 "more than three coordinates" run pendulum --plot p.svg --show "x:y:x:y"
refused 2 "no axis of time" run pendulum --plot p.svg --show "x:y, log(time)"
refused 2 "der inside der" run pendulum --plot p.svg --show "der(x*der(lambda))"
refused 2 "der needs brackets" run pendulum --plot p.svg --show "der"
refused 2 "exceed the limit of 24" run pendulum --plot p.svg --show "$(printf 'x|%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)x"
many=$(printf '%0300d' 0 | sed 's/0/x,/g')
refused 2 "more than 200 curves" run pendulum --plot p.svg --show "${many}x"
long=$(printf '%020000d' 0 | sed 's/0/x+/g')
run run pendulum --stop 0.1 --plot p.svg --show "${long}x"
code 0 "an expression of 40,000 characters"

finish
