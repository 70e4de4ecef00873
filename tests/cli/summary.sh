# the summary tells how the run began and why it ended; topics have examples that work; progress is quiet
. "$(dirname "$0")/lib.sh" "$1"

# x^2 + y^2 = 1 with y held at -0.6: x goes to 0.8
run run pendulum --init y=-0.6 --stop 1
code 0 "a start that moves"
has out "start      moved to a consistent point: x from 1 to 0.8"
run run pendulum --init y=-0.6 --stop 1 --json
has out '"moved_variables": {'
has out '"from": 1'
truth "to 0.8" awk '/"to":/ { seen = 1; if (($2 - 0.8) ^ 2 > 1e-20) exit 1 } END { exit !seen }' out
run run pendulum --stop 1
hasnot out "moved"
run run ring-redundant --set duplicate=1
has out "redundant  1 of 11 constraints follows from the others at the start: rod11"
run run ring-redundant
hasnot out "redundant "

# a boundary value problem tells the values that it begins with: u = t/4 + t (4 - t)/2, u'(0) = 9/4
cat >line.mo <<'END'
model line
  Real u(start = 0);
  Real w(start = 0);
initial equation
  u(startTime) = 0;
  u(finalTime) = 1;
equation
  der(u) = w;
  der(w) = -1;
  annotation(experiment(StartTime = 0, StopTime = 4));
end line;
END
run run line.mo
code 0 "boundary values"
has out "solved     x = 0 .. 4"
has out "w     2.25              -1.75"
run run line.mo --json
has out '"initial": {'

# the reason once where both go to the same place, else in each
"$daedal" run pendulum --max-steps 3 >both 2>&1
truth "the reason is printed once" test "$(grep -c 'Raise max_steps' both)" -eq 1
run run pendulum --max-steps 3
code 3 "stopped"
has out "Raise max_steps"
has err "Raise max_steps"
# names of coordinates are not mistaken for parts of the error
run run pendulum --stop 1
has out "error      positions"
has out "multipliers  max"

# topics: each has an example that runs
for topic in form method tolerance lambda rank start events; do
  run help $topic
  code 0 "help $topic"
  example=$(grep '^  daedal ' out | sed 's/^  daedal //' | head -n 1)
  truth "help $topic has an example" test -n "$example"
  checks=$((checks + 1))
  eval "\"\$daedal\" $example" >example 2>&1 || bad "the example of help $topic: $(head -c 300 example)"
done
run help rank
has out "redundant"
refused 2 "did you mean 'tolerance'" help tolerence

# progress: nothing where this is no terminal, a bar when it is asked for
run run pendulum --stop 300
truth "quiet" test ! -s err
run run pendulum --stop 300 --progress
has err "steps"
has err "%  t = "
run run line.mo --progress
has err "reading line.mo"
run run bvp-layer --progress
has err "intervals"
run run bvp-layer
truth "quiet" test ! -s err

finish
