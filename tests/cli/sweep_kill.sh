# label: long
# ten thousand runs, killed at ten random moments and taken up again: the table is that of one go.
# A second argument is another number of runs.
. "$(dirname "$0")/lib.sh" "$1"
runs=${2:-10000}
sweep="sweep pendulum --set g=5:15:$((runs / 4)) --init der(y)=-0.3:0.3:4 --stop 5 --quiet"

# in two threads and in one: the same bytes
run $sweep --output whole.csv --jobs 2
code 0 "in one go"
truth "a header and a line for each run" test "$(wc -l <whole.csv)" -eq $((runs + 1))
truth "all runs ended well" test "$(cut -d, -f4 whole.csv | sort | uniq -c | awk '{ print $2 }' | tr '\n' ' ')" = \
  "ok status "

# moments spread over what one go takes, which is measured; the seed is told, so that a failure can be had again
seed=$(date +%s)
begin=$(date +%s%N)
run $sweep --output again.csv --jobs 2
code 0 "once more"
truth "the same bytes every time" cmp whole.csv again.csv
took=$((($(date +%s%N) - begin) / 1000000))
echo "seed $seed, $took ms in one go"

kept=0
kills=0
while [ $kills -lt 10 ]; do
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  # ten kills share what there is to do
  delay=$((seed / 65536 % (took / 6 + 1)))
  "$daedal" $sweep --output killed.csv --jobs 2 2>/dev/null &
  child=$!
  sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
  kill -9 $child 2>/dev/null
  wait $child 2>/dev/null
  kills=$((kills + 1))
  [ -e killed.csv.journal ] || continue
  now=$(wc -l <killed.csv.journal)
  truth "finished runs are kept" test "$now" -ge "$kept"
  kept=$now
done
echo "$kills kills, $kept lines kept"
run $sweep --output killed.csv --jobs 2
code 0 "the last one"
truth "complete and the same" cmp whole.csv killed.csv
truth "no journal stays" test ! -e killed.csv.journal

# a run of the middle by itself: the same bits
line=$(sed -n "$((runs / 2 + 2))p" whole.csv)
g=$(echo "$line" | cut -d, -f2)
v=$(echo "$line" | cut -d, -f3)
run run pendulum --set "g=$g" --init "der(y)=$v" --stop 5 --points 2 --output single.csv
code 0 "by itself"
truth "bit by bit" test "$(tail -n 1 single.csv | cut -d, -f2-)" = "$(echo "$line" | cut -d, -f8-12)"

finish
