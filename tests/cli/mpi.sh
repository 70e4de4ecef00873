# daedal sweep --mpi: the ranks share the parts; the table is that of one machine, also after a kill
. "$(dirname "$0")/lib.sh" "$1"
mpi=$(dirname "$daedal")/daedal-mpi
if [ ! -x "$mpi" ] || ! command -v mpiexec >/dev/null; then
  cp "$daedal" alone
  daedal=$work/alone
  PATH=/bin refused 2 "there is no daedal-mpi" sweep pendulum --mpi --set g=5:15:3 --output f.csv
  finish
fi
# two ranks on one machine, whoever runs the tests
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none

sweep="sweep pendulum --set g=5:15 --design lhs:600 --stop 1 --quiet"
run $sweep --output whole.csv
code 0 "one machine"
ranks() {
  timeout 120 mpiexec -n "$1" "$daedal" $sweep --mpi --output "$2" >out 2>err
  code=$?
}
ranks 2 two.csv
code 0 "two ranks"
truth "the same bytes" cmp whole.csv two.csv
truth "no parts stay" test -z "$(ls | grep part-)"

# parts that are finished are not done again, and the rest is
n=0
for i in 3 77 200; do
  "$daedal" $sweep --shard $i/256 --output again.csv.part-$i-of-256.csv --jobs 1
done
touch -d 2001-01-01 again.csv.part-3-of-256.csv
# and those that are not whole, or of another sweep, are done again
head -c 200 again.csv.part-77-of-256.csv >cut && mv cut again.csv.part-77-of-256.csv
"$daedal" $sweep --tol 1e-4 --shard 5/256 --output again.csv.part-5-of-256.csv --jobs 1
ranks 3 again.csv
code 0 "some parts from before"
truth "the same bytes again" cmp whole.csv again.csv

# what cannot be meant is told once, and no rank waits for ever
timeout 60 mpiexec -n 2 "$daedal" sweep pendulum --mpi --set h=1:2:3 --output f.csv >out 2>err
truth "refused" test $? -eq 2
has err "has no parameter 'h'"
timeout 60 mpiexec -n 2 "$daedal" sweep pendulum --mpi --set g=1:2:3 --jobs 2 --output f.csv >out 2>err
truth "no jobs" test $? -eq 2
has err "the ranks are the jobs"
timeout 60 mpiexec -n 2 "$daedal" sweep pendulum --mpi --set g=1:2:3 >out 2>err
has err "needs --output FILE.csv"
timeout 60 mpiexec -n 2 "$daedal" $sweep --mpi --output f.txt >out 2>err
has err "needs --output FILE.csv"
truth "nothing begun" test -z "$(ls | grep f.txt)"
# a rank that is killed ends the run; run the same command again to continue
long="sweep pendulum --set g=5:15 --design lhs:600 --stop 10 --quiet"
timeout 60 mpiexec -n 2 "$daedal" $long --mpi --output k.csv >out 2>err &
child=$!
sleep 2
# the ranks are the children of mpiexec, which is the child of timeout: no other process is touched
kill -9 $(pgrep -P "$(pgrep -P $child)" | tail -n 1)
wait
timeout 120 mpiexec -n 2 "$daedal" $long --mpi --output k.csv >out 2>err
truth "on after a killed rank" test $? -eq 0
run $long --output k-whole.csv
truth "the same bytes after a killed rank" cmp k.csv k-whole.csv
# runs that fail are rows
timeout 60 mpiexec -n 2 "$daedal" sweep pendulum --mpi --set g=-1:1:3 --stop 0.1 --quiet --output d.csv >out 2>err
truth "rows, not ends" grep -q "^0,-1,bad input" d.csv

finish
