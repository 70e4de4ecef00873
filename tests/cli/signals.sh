# signals that end a process: what was computed is in the files, nothing temporary stays, and the
# shell sees which signal it was
. "$(dirname "$0")/lib.sh" "$1"

# wait for FILE pattern to have something in it
await() {
  tries=0
  until [ -n "$(find . -name "$1" -size +0 2>/dev/null)" ] || [ $tries -ge 400 ]; do
    tries=$((tries + 1))
    sleep 0.05
  done
}

for signal in HUP:1 TERM:15 USR1:10 ALRM:14; do
  name=${signal%:*}
  "$daedal" run pendulum --stop 1e6 --every 0.1 --output $name.csv --plot $name.svg >out 2>err &
  child=$!
  await "$name.csv.*.tmp"
  kill -$name $child
  wait $child 2>/dev/null
  code=$?
  code $((128 + ${signal#*:})) "SIG$name"
  has err "interrupted"
  has out "stopped"
  truth "SIG$name: a header and rows" test "$(wc -l <$name.csv)" -gt 2
  truth "SIG$name: the last row is whole" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' $name.csv
  truth "SIG$name: the picture is there" test -s $name.svg
  truth "SIG$name: nothing temporary" test -z "$(ls | grep tmp)"
done

# as json: the file is whole
"$daedal" run pendulum --stop 1e6 --every 0.1 --output j.json --json >out 2>err &
child=$!
await "j.json.*.tmp"
kill -TERM $child
wait $child 2>/dev/null
code=$?
code 143 "json"
has out '"status": "interrupted"'
truth "the end of the list" test "$(tail -n 1 j.json)" = "}"

# ignored when we begin, as nohup does: stays ignored
(trap '' HUP; exec "$daedal" run pendulum --stop 3000 --every 10 --output n.csv >out 2>err) &
child=$!
await "n.csv*"
kill -HUP $child 2>/dev/null
wait $child 2>/dev/null
code=$?
code 0 "ignored"
truth "all of it" test "$(wc -l <n.csv)" -eq 302

# before the run, while nobody looks: at once, and nothing stays
cat >slow.mo <<'EOF'
model Slow
  function f input Real x; output Real y;
  algorithm y := x; for i in 1:10000 loop for j in 1:10000 loop y := x; end for; end for; end f;
  Real s(start = 0);
equation der(s) = f(s);
end Slow;
EOF
"$daedal" run slow.mo --output s.csv --model-memory 100000 >out 2>err &
child=$!
sleep 0.3
kill -TERM $child
wait $child 2>/dev/null
code=$?
code 143 "during the analysis"
truth "no file" test -z "$(ls | grep s.csv)"

# a sweep keeps what is finished
"$daedal" sweep pendulum --set g=5:15:5000 --stop 50 --output w.csv --jobs 2 >out 2>err &
child=$!
await "w.csv.journal"
sleep 0.2
kill -TERM $child
wait $child 2>/dev/null
code=$?
code 143 "sweep"
has err "run the same command again to continue"
truth "the journal is there" test -s w.csv.journal

finish
