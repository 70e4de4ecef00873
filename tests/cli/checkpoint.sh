# runs that are killed and go on: the files are those of a run that was not, byte for byte
. "$(dirname "$0")/lib.sh" "$1"

cat >bounce.mo <<'END'
model bounce
  Real h(start = 1, fixed = true), v(start = 0, fixed = true), s(start = 0);
  Integer n(start = 0);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.95*pre(v));
    n = pre(n) + 1;
  end when;
  when sample(0.3, 0.7) then
    s = pre(s) + cos(time);
  end when;
  annotation(experiment(StopTime = 15));
end bounce;
END

# same WHAT ARGUMENTS: killed again and again, resumed until it ends
same() {
  what=$1
  shift
  rm -f whole.csv broken.csv state
  run run "$@" --output whole.csv --json
  code 0 "$what: the whole run"
  grep -v '"seconds"\|"output"' out >whole.json
  resume=""
  kills=0
  while [ $kills -lt 4 ]; do
    "$daedal" run "$@" --output broken.csv --json --checkpoint state --checkpoint-every 0 $resume >out 2>err &
    child=$!
    sleep 0.0$((kills + 2))
    kill -KILL $child 2>/dev/null
    wait $child 2>/dev/null
    kills=$((kills + 1))
    [ ! -s state ] || resume="--resume state"
  done
  run run "$@" --output broken.csv --json $resume
  code 0 "$what: the last part"
  grep -v '"seconds"\|"output"' out >broken.json
  truth "$what: the table" cmp whole.csv broken.csv
  truth "$what: the summary" cmp whole.json broken.json
  rm -f broken.csv.*.tmp state.*.tmp
}

same "pendulum" pendulum --stop 100 --every 0.5 --tol 1e-9 --measure "peak=max(abs(lambda)), t1=time(y<-0.9)"
same "steps" andrews --steps --method radau3 --tol 1e-8
same "events" bounce.mo --every 0.01 --tol 1e-8
same "kepler" kepler --method rk4 --step 0.002 --form attract --gamma 5 --stop 10

# a signal: the state is kept too. The first checkpoint writes the first row; more means that steps are taken
"$daedal" run pendulum --stop 1e6 --every 0.1 --output t.csv --checkpoint t.state >out 2>err &
child=$!
tries=0
until [ -n "$(find . -name 't.csv.*.tmp' -size +8k 2>/dev/null)" ] || [ $tries -ge 400 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
kill -TERM $child
wait $child 2>/dev/null
code=$?
code 143 "SIGTERM"
rows=$(wc -l <t.csv)
last=$(tail -n 2 t.csv | head -n 1 | cut -d, -f1)
run run pendulum --stop "$(awk "BEGIN { print int($last) + 20 }")" --every 0.1 --output u.csv --resume t.state
code 0 "a later stop"
head -n $((rows - 1)) t.csv >first
head -n $((rows - 1)) u.csv >again
truth "what was there before the signal" cmp first again
truth "and more of it" test "$(wc -l <u.csv)" -gt "$rows"

# a finished run goes on to a later stop as if it had been asked for at once
run run pendulum --stop 3 --every 0.5 --step 0.01 --method rk4 --output v.csv --checkpoint v.state
code 0 "to 3"
run run pendulum --stop 5 --every 0.5 --step 0.01 --method rk4 --output w.csv --resume v.state
code 0 "on to 5"
run run pendulum --stop 5 --every 0.5 --step 0.01 --method rk4 --output x.csv
truth "from 3 to 5" cmp w.csv x.csv

# what is refused
refused 2 "is at t = 3, beyond the stop time 2" run pendulum --stop 2 --every 0.5 --step 0.01 --method rk4 --output w.csv --resume v.state
refused 2 "another run: the output grid differs" run pendulum --stop 5 --every 0.25 --step 0.01 --method rk4 --output w.csv --resume v.state
refused 2 "option step differs" run pendulum --stop 5 --every 0.5 --step 0.02 --method rk4 --output w.csv --resume v.state
refused 2 "option method differs" run pendulum --stop 5 --every 0.5 --step 0.01 --method heun --output w.csv --resume v.state
refused 2 "--set differs" run pendulum --stop 5 --every 0.5 --step 0.01 --method rk4 --output w.csv --resume v.state --set g=9
refused 2 "the model differs" run car-axis --stop 5 --every 0.5 --step 0.01 --method rk4 --output w.csv --resume v.state
refused 2 "--plot differs" run pendulum --stop 5 --every 0.5 --step 0.01 --method rk4 --output w.csv --resume v.state --plot p.svg
tabled 1
run run tabled.mo --stop 1 --output w.csv --checkpoint t.state
code 0 "a table from a file"
tabled 3
refused 2 "the model differs" run tabled.mo --stop 2 --output w.csv --resume t.state
refused 2 "not standard output" run pendulum --output - --checkpoint s
refused 2 "cannot be combined with --report" run pendulum --checkpoint s --report r.html
refused 2 "for initial value problems" run bvp-pendulum --checkpoint s
refused 2 "at least 0" run pendulum --checkpoint s --checkpoint-every -1
refused 5 "cannot read no.state" run pendulum --resume no.state
refused 5 "cannot write no/such" run pendulum --checkpoint no/such
refused 5 "not a checkpoint of 'daedal run'" run pendulum --resume bounce.mo
head -c 5000 v.state >cut.state
refused 5 "truncated or damaged" run pendulum --resume cut.state
tr 'a' 'b' <v.state | sed '1s/dbedbl/daedal/' >bad.state
refused 5 "d" run pendulum --resume bad.state
truth "nothing temporary" test -z "$(ls | grep tmp)"
finish
