# the audit as a shell sees it: no number that is none with exit code 0, names, the switch, the summary
. "$(dirname "$0")/lib.sh" "$1"

cat >falls.mo <<'MODEL'
model Falls
  Real x(start = 1.2, fixed = true), u;
equation
  der(x) = -x;
  u = sqrt(x - 0.5);
  annotation(experiment(StopTime = 2));
end Falls;
MODEL

# u is a number until t = log(1.2/0.5) = 0.875
for options in "" "--audit off"; do
  # shellcheck disable=SC2086
  run run falls.mo $options --json --output falls.csv --points 9
  code 3 "a variable that ends ($options)"
  has out '"status": "function failed"'
  has err 'u is not a finite number at t = '
  hasnot falls.csv nan
  truth "rows up to t = 0.75 ($options)" [ "$(wc -l <falls.csv)" -eq 5 ]
done
run run falls.mo --stop 0.8 --json
code 0 "where it is a number"
hasnot out null

# at the end only
run run falls.mo --audit off
code 3 "a final value that is none"
has err 'u is not a finite number at t = 2'

# a healthy run shows its worst residual, in words and for programs
run run pendulum
code 0 pendulum
has out 'audit      worst relative residual'
run run pendulum --json
has out '"audit": {'
has out '"equation": "'
run run pendulum --audit off
has out 'audit      off'
run run pendulum --audit off --json
hasnot out '"audit"'
run run bvp-pendulum --json
code 0 bvp-pendulum
has out '"audit": {'

# without a stabilizer a long run at a loose tolerance drifts by what the tolerance allows: shown, not refused
run run pendulum --form index1 --stabilize none --tol 1e-5 --json
code 0 "drift within the tolerance"
# a fixed step is a study of drift
run run pendulum --form index1 --stabilize none --method rk4 --step 0.02
code 0 "drift of a fixed step"
has out 'audit      worst relative residual'

# options that contradict each other
refused 2 'stabilize none contradicts project velocity' run pendulum --stabilize none --project velocity
refused 2 'stabilize post contradicts project position' run pendulum --stabilize post --project position
refused 2 'stabilize project contradicts project none' run pendulum --stabilize project --project none
run run pendulum --project none --json
has out '"stabilize": "none"'

# a sweep calls no member ok that is not
run sweep falls.mo --init x=1:1.2:3 --output sweep.csv
hasnot sweep.csv ',ok,'

finish
