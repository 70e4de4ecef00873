# output files: what is in them, and that they appear whole or not at all
. "$(dirname "$0")/lib.sh" "$1"

run run pendulum --stop 1 --points 11 --output a.csv
code 0 "csv"
truth "a header and 11 rows" test "$(wc -l <a.csv)" -eq 12
has a.csv "time,x,y,"
truth "the grid is 0, 0.1, .., 1" awk -F, 'NR > 1 && ($1 - (NR - 2) / 10) ^ 2 > 1e-28 { exit 1 }' a.csv
truth "the rod has length 1 at every output point" \
  awk -F, 'NR > 1 && ($2 * $2 + $3 * $3 - 1) ^ 2 > 1e-24 { exit 1 }' a.csv
truth "no temporary file stays" test -z "$(ls | grep tmp)"

run run pendulum --start 0.25 --stop 1 --every 0.2 --output b.csv
code 0 "every"
truth "0.25 0.45 0.65 0.85 1" awk -F, 'NR > 1 { t = t $1 " " } END { split(t, a, " ");
  exit !(NR == 6 && a[1] == 0.25 && a[5] == 1 && (a[4] - 0.85) ^ 2 < 1e-28) }' b.csv

# the accepted steps: as many rows as steps, and the start
run run pendulum --stop 1 --method rk4 --step 0.125 --steps --output c.csv
code 0 "steps"
truth "8 steps and the start" test "$(wc -l <c.csv)" -eq 10

run run pendulum --stop 1 --points 3 --output d.json
code 0 "json"
has d.json '"columns": ["time","x","y",'
has d.json '"problem": "pendulum"'

# standard output has the table alone, the summary goes to standard error
run run pendulum --stop 1 --points 3 --output -
code 0 "standard output"
truth "four lines" test "$(wc -l <out)" -eq 4
has err "solved"
run run pendulum --stop 1 --quiet
code 0 "quiet"
truth "quiet is quiet" test ! -s out -a ! -s err

# what cannot be written is told before the run begins
for name in no/such/folder/x.csv /proc/x.csv; do
  refused 5 "cannot write $name" run pendulum --output $name
done
refused 5 "cannot write no/such/x.png" run pendulum --plot no/such/x.png
mkdir folder.csv
refused 5 "folder.csv" run pendulum --output folder.csv

# a full disk: the summary is still there, the old file too
if [ -c /dev/full ]; then
  run run pendulum --stop 1 --output /dev/full
  code 5 "full device"
  has err "cannot write /dev/full: No space left on device"
  has out "at the end"
  "$daedal" run pendulum --stop 1 --json >/dev/full 2>err
  code=$?
  code 5 "full standard output"
  has err "standard output"
  "$daedal" run pendulum --stop 1 --output - >/dev/full 2>err
  code=$?
  code 5 "full standard output for the table"
  "$daedal" list >/dev/full 2>err
  code=$?
  code 5 "full standard output for the list"
fi
echo precious >old.csv
(ulimit -f 8 && "$daedal" run pendulum --points 5001 --output old.csv >out 2>err)
code=$?
code 5 "file too large"
has old.csv precious
has err "cannot write old.csv"
truth "no temporary file stays" test -z "$(ls | grep tmp)"
run run pendulum --stop 1 --points 3 --output old.csv
code 0 "and now it fits"
hasnot old.csv precious

# through a link the file behind it is replaced
ln -s real.csv link.csv
: >real.csv
run run pendulum --stop 1 --points 3 --output link.csv
truth "the link stays" test -L link.csv
has real.csv "time,x,y"

# a run that stops early keeps what it has
run run pendulum --max-steps 7 --steps --output part.csv
code 3 "limit of steps"
truth "seven steps and the start" test "$(wc -l <part.csv)" -eq 9
has err "limit reached"
# on a grid the point where it stopped comes last
run run pendulum --max-steps 7 --points 11 --output part.csv
code 3 "limit of steps on a grid"
truth "the start and the end" test "$(wc -l <part.csv)" -eq 3

finish
