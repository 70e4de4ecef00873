# pictures: of the right kind, for every shape of run, and never half written
. "$(dirname "$0")/lib.sh" "$1"

png() {
  checks=$((checks + 1))
  [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] || bad "$1 is no png"
  checks=$((checks + 1))
  # the end of a complete png
  tail -c 12 "$1" | grep -q IEND || bad "$1 is cut off"
}

svg() {
  has "$1" "<svg"
  has "$1" "</svg>"
}

run run pendulum --plot a.png
code 0 png
png a.png
has out "plot       a.png"
run run slider-crank --plot b.svg
code 0 svg
svg b.svg
# one step, no constraint levels that move, one variable, a run that stops at once
run run linear-index2 --stop 0.1 --method rk4 --step 0.1 --plot c.png
code 0 "one step"
png c.png
run run kepler --plot d.svg --stop 60
code 0 "an ode with an invariant"
svg d.svg
run run pendulum --max-steps 3 --plot e.svg
code 3 "a run that stops early has a picture"
svg e.svg
# the picture replaces an old one only when it is complete
echo precious >old.svg
(ulimit -f 8 && "$daedal" run pendulum --stop 3 --plot old.svg >out 2>err)
code=$?
code 5 "no room for the picture"
has old.svg precious
has out "at the end"
truth "no temporary file stays" test -z "$(ls | grep tmp)"

finish
