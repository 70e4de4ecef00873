# daedal sweep: one table of many runs, the same as single ones, that survives being killed
. "$(dirname "$0")/lib.sh" "$1"

run sweep pendulum --set g=5:15:11 --stop 2 --output a.csv --jobs 1
code 0 "sweep"
has out "11 runs in a.csv; 0 failed now"
truth "a header and 11 lines" test "$(wc -l <a.csv)" -eq 12
has a.csv "member,g,status,time,steps,drift,x,y,der(x),der(y),lambda,message"
truth "members in their order, values evenly spaced" awk -F, 'NR > 1 &&
  ($1 != NR - 2 || ($2 - (5 + $1)) ^ 2 > 1e-24 || $3 != "ok") { exit 1 }' a.csv
truth "no journal stays" test ! -e a.csv.journal

# however many at once: the same bytes
run sweep pendulum --set g=5:15:11 --stop 2 --output b.csv --jobs 4
code 0 "four at once"
truth "the same table" cmp a.csv b.csv

# the same bits as single runs: all 17 digits of the end
run run pendulum --set g=8 --stop 2 --points 2 --output single.csv
code 0 "single"
truth "bit by bit" test "$(tail -n 1 single.csv | cut -d, -f2-)" = \
  "$(grep '^3,' a.csv | cut -d, -f7-11)"

# every combination; the last one varies fastest
run sweep pendulum --set g=8:9:2 --init x=0.6:0.8:2 --guess y=-0.7 --stop 0.1 --output c.csv
code 0 "two ranges"
has c.csv "member,g,initial(x),status"
truth "values of the four members" test "$(cut -d, -f1-3 c.csv | tail -n 4 | tr '\n' ' ')" = \
  "0,8,0.59999999999999998 1,8,0.80000000000000004 2,9,0.59999999999999998 3,9,0.80000000000000004 "

# a member that fails is a line, not the end
run sweep pendulum --set g=-1:1:3 --stop 0.1 --output d.csv
code 0 "some members are not possible"
has out "2 failed now"
truth "the third is solved" grep -q "^2,1,ok," d.csv
truth "the first says why" grep -q "^0,-1,bad input,,,,,,,,," d.csv
truth "all lines have as many fields" awk -F'"[^"]*"|,' 'NR == 1 { n = NF } NF < n { exit 1 }' d.csv
run sweep pendulum --set g=8:9:2 --max-steps 3 --output e.csv
code 0 "all stop early"
truth "where they stopped is told" grep -q "^1,9,limit reached,0" e.csv

# what cannot be meant is told at once and leaves nothing behind
refused 2 "nothing varies" sweep pendulum --output f.csv
refused 2 "needs --output FILE.csv" sweep pendulum --set g=1:2:3
refused 2 "has no parameter 'h'" sweep pendulum --set h=1:2:3 --output f.csv
refused 2 "the range of g: a grid needs a count, NAME=FIRST:LAST:COUNT" \
  sweep pendulum --set g=1:2 --output f.csv
refused 2 "NAME=FIRST:LAST:COUNT" sweep pendulum --set g=1:2:0 --output f.csv
refused 2 "NAME=VALUE with a finite number" run pendulum --set g=1:2:3
refused 2 "has no variable 'u'" sweep pendulum --init u=1:2:3 --output f.csv
refused 2 "unknown method" sweep pendulum --set g=1:2:3 --method dopri7 --output f.csv
refused 2 "at least 1" sweep pendulum --set g=1:2:3 --jobs 0 --output f.csv
refused 5 "cannot write no/f.csv.journal" sweep pendulum --set g=1:2:3 --output no/f.csv
truth "nothing is left" test ! -e f.csv -a ! -e f.csv.journal

# a journal of another sweep is not mixed in
printf '# daedal 0.0.0 sweep kepler journal 3\n0,5,ok\n' >g.csv.journal
refused 2 "belongs to a different sweep" sweep pendulum --set g=5:15:11 --stop 2 --output g.csv
printf '# daedal 0.0.0 sweep pendulum\n0,5,ok\n' >g.csv.journal
refused 2 "was written by a different version" \
  sweep pendulum --set g=5:15:11 --stop 2 --output g.csv
rm g.csv.journal
mkfifo g.csv.journal
refused 5 "cannot be used as a journal file" sweep pendulum --set g=5:15:11 --stop 2 --output g.csv
rm g.csv.journal

# lines that were changed are told by their number and their runs done again: the table is the same.
title="# daedal $("$daedal" version | cut -d' ' -f2) sweep pendulum --set g=5:15:11 --stop 2 journal 3
$(head -n 1 a.csv)"
python=$(command -v python3) || python=
if [ -n "$python" ]; then
  cat >journal.py <<'EOF'
import sys
title, table, out, how = sys.argv[1:5]
def add(s, b):
    for c in b: s = (s ^ c) * 1099511628211 % 2**64
    return s
seed = add(14695981039346656037, (title + "\n").encode())
rows = open(table, "rb").read().split(b"\n")[1:-1]
lines = [r + b"\t%016x" % add(seed, r) for r in rows]
if how == "edit": lines[3] = lines[3].replace(b"ok", b"no", 1)
if how == "digit": lines[4] = lines[4][:9] + bytes([lines[4][9] ^ 1]) + lines[4][10:]
if how == "bytes": lines[5] = b"\0\xff" * 20
if how == "cut": lines[6] = lines[6][:-3]
if how == "twice": lines.append(lines[2].replace(b"2,", b"7,", 1))
open(out, "wb").write(title.encode() + b"\n" + b"\n".join(lines) + b"\n")
EOF
  for how in none edit digit bytes cut twice; do
    rm -f h.csv
    python3 journal.py "$title" a.csv h.csv.journal $how
    run sweep pendulum --set g=5:15:11 --stop 2 --output h.csv --jobs 1
    code 0 "a journal with $how"
    truth "the same table after $how" cmp a.csv h.csv
    case $how in
      none) has out "11 of them from before"; truth "nothing to tell" test ! -s err ;;
      edit) has err "h.csv.journal:6: this line is damaged; its run is repeated" ;;
      digit) has err "h.csv.journal:7: this line is damaged" ;;
      bytes) has err "h.csv.journal:8: this line is damaged" ;;
      cut) has err "h.csv.journal:9: this line is damaged" ;;
      twice) has err "h.csv.journal:14: this line is damaged"; has out "11 of them from before" ;;
    esac
  done
fi

# killed again and again: finished members are kept, a line cut off is not, the table is the same
sweep="sweep pendulum --set g=5:15:1500 --stop 20 --quiet"
run $sweep --output whole.csv
code 0 "without a kill"
before=0
for delay in 0.02 0.05 0.03 0.08 0.06 0.04; do
  "$daedal" $sweep --output killed.csv --jobs 2 2>/dev/null &
  child=$!
  # a busy machine may need long for the first member: once there is one, a kill hits a run that works
  until [ -e killed.csv ] || { [ -e killed.csv.journal ] && [ "$(wc -l <killed.csv.journal)" -gt 2 ]; }; do
    kill -0 $child 2>/dev/null || break
    sleep 0.01
  done
  sleep $delay
  kill -9 $child 2>/dev/null
  wait $child 2>/dev/null
  # done before the kill: the next one would begin anew
  [ ! -e killed.csv ] || break
  [ -e killed.csv.journal ] || continue
  printf '1499,15,ok,20,7' >>killed.csv.journal
  now=$(wc -l <killed.csv.journal)
  truth "finished members are kept" test "$now" -ge "$before"
  before=$now
done
[ -e killed.csv ] || truth "some members were finished before the kills" test "$before" -gt 1
run $sweep --output killed.csv --jobs 2
code 0 "the last one"
truth "the same table after kills" cmp whole.csv killed.csv
truth "no journal stays" test ! -e killed.csv.journal

# an interrupt ends it in good order
"$daedal" $sweep --output stopped.csv --tol 1e-11 --jobs 1 2>err &
child=$!
sleep 0.1
kill -INT $child 2>/dev/null
wait $child
code=$?
# a shell without job control starts its children with interrupts ignored; then it just ends
if [ "$code" -ne 0 ]; then
  code 130 "interrupted"
  has err "run the same command again to continue"
fi

run help sweep
code 0 "help"
has out "--jobs N"
has out "journal"

finish
