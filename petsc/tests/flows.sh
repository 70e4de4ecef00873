# flows.sh PROGRAMS: orders in time of velocity and pressure, ranks, checkpoints, faults
programs=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0
failed=0
# two ranks on one machine, whoever runs the tests
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none

truth() {
  what=$1
  shift
  checks=$((checks + 1))
  "$@" || { failed=$((failed + 1)) && echo "FAILED: $what: $(head -c 300 out)"; }
}
# run RANKS PROGRAM ARGUMENTS: output in out
run() {
  ranks=$1 program=$2
  shift 2
  if [ "$ranks" -eq 1 ]; then timeout 120 "$programs/$program" "$@" >out 2>err
  else timeout 120 mpiexec -n "$ranks" "$programs/$program" "$@" >out 2>err; fi
  code=$?
}
# errors: velocity and pressure of the last run
errors() { awk '$1 == "error" { print $3, $5 }' out; }

# orders: all error is of time. herk5 and dop853 are measured where rounding does not show; a third of
# an order is left for the step sizes
order() {
  name=$1 p=$2 h=$3
  shift 3
  run 1 "$@" $h
  a=$(errors)
  run 1 "$@" "$(echo "$h" | awk '{ print $1 / 2 }')"
  b=$(errors)
  truth "$name: order $p of velocity and pressure ($a; $b)" awk -v a="$a" -v b="$b" -v p="$p" 'BEGIN {
    split(a, x, " "); split(b, y, " ")
    for (i = 1; i <= 2; i++) if (!(y[i] > 0 && log(x[i] / y[i]) / log(2) > p - 0.34)) exit 1 }'
}
flow="flow2d -case exact -n 8 -re 10 -end 0.4 -dae_ksp_rtol 1e-14"
order herk2 2 0.02 $flow -dae_method herk2 -dae_step
order herk3 3 0.02 $flow -dae_method herk3 -dae_step
order herk4 4 0.02 $flow -dae_method herk4 -dae_step
order herk5 5 0.02 $flow -dae_method herk5 -dae_step
order rk4 4 0.02 $flow -dae_method rk4 -dae_step
order dopri5 5 0.02 $flow -dae_method dopri5 -dae_step
order dop853 8 0.04 $flow -dae_method dop853 -dae_step
order imex4 4 0.02 $flow -dae_method imex4 -dae_step
order sdirk2 2 0.04 $flow -dae_method sdirk2 -dae_step
order radau2 3 0.04 $flow -dae_method radau2 -dae_step
order radau3 5 0.08 $flow -dae_method radau3 -dae_step
# regularization: eps goes with the step, so that three iterates are of order 3 until Heun's 2 shows
order srm 2 0.002 $flow -dae_method srm -dae_step
truth "srm solves nothing" grep -q "solves 2 " out
# the same through -ts_type, in a program that knows nothing of Daedal
order daedal_herk3 3 0.02 ts2d -ts_type daedal_herk3 -ts_adapt_type none -ts_dt
order daedal_dopri5 5 0.02 ts2d -ts_type daedal_dopri5 -ts_adapt_type none -ts_dt
order daedal_imex4 4 0.02 ts2d -ts_type daedal_imex4 -ts_adapt_type none -ts_dt
order daedal_radau2 3 0.04 ts2d -ts_type daedal_radau2 -ts_adapt_type none -ts_dt

# far beyond the viscous limit of explicit methods, h = 0.0012: herk3 leaves all bounds. The implicit part
# has stage order 2, so that half the step makes the velocity's error less by more than 3
stiff="flow2d -case exact -n 16 -re 1 -end 0.1"
run 1 $stiff -dae_method herk3 -dae_step 0.02
truth "herk3 beyond its limit" grep -q "no finite number" out
run 1 $stiff -dae_method imex4 -dae_step 0.02
a=$(errors)
run 1 $stiff -dae_method imex4 -dae_step 0.01
b=$(errors)
truth "imex4 there ($a; $b)" awk -v a="$a" -v b="$b" 'BEGIN { split(a, x, " "); split(b, y, " ")
  exit !(x[1] < 1e-3 && y[1] > 0 && x[1] / y[1] > 3 && x[2] / y[2] > 3) }'
run 2 $stiff -dae_method imex4 -dae_step 0.01
truth "the same on two ranks ($b)" awk -v b="$b" 'BEGIN { split(b, y, " ") } $1 == "error" { seen = 1
  if (($3 - y[1]) ^ 2 > 1e-20 || ($5 - y[2]) ^ 2 > 1e-16) bad = 1 } END { exit bad || !seen }' out
# implicit methods have no second set of weights: their pressure is as good as their velocity there
for m in "radau2 2.8" "radau3 4"; do
  order "stiff $m" ${m#* } 0.02 $stiff -dae_method ${m% *} -dae_step
  truth "pressure of $m" awk '$1 == "error" { seen = 1; if ($5 > 1e-6) bad = 1 } END { exit bad || !seen }' out
done
# to a steady state, where stages have next to nothing left to solve for, explicit and implicit agree
for m in imex4 dopri5; do
  run 1 flow2d -case cavity -n 8 -re 1 -end 2 -dae_method $m -dae_rtol 1e-6 -dae_atol 1e-6 -profile
  grep profile out >$m
done
truth "a steady cavity" sh -c 'test -s imex4 && paste imex4 dopri5 | awk "{ if ((\$3 - \$7)^2 > 1e-10) exit 1 }"'

# three dimensions: orders in time with walls and inflow; second order in space; without viscosity the
# scheme keeps the energy of the vortices, which is 1/8, so that only the tolerance changes it
order "dopri5 in 3-D" 5 0.04 flow3d -case exact -n 6 -re 10 -end 0.4 -dae_ksp_rtol 1e-14 -dae_method dopri5 -dae_step
order "radau2 in 3-D" 3 0.08 flow3d -case exact -n 4 -re 10 -end 0.4 -dae_ksp_rtol 1e-14 -dae_method radau2 -dae_step
tight="-dae_method dop853 -dae_rtol 1e-9 -dae_atol 1e-9"
run 1 flow3d -case abc -n 8 -re 10 -end 0.5 $tight
coarse=$(errors)
run 1 flow3d -case abc -n 16 -re 10 -end 0.5 $tight
fine=$(errors)
truth "second order in 3-D ($coarse; $fine)" awk -v a="$coarse" -v b="$fine" 'BEGIN {
  split(a, x, " "); split(b, y, " "); for (i = 1; i <= 2; i++) if (!(x[i] / y[i] > 3.4)) exit 1 }'
run 1 flow3d -case taylor-green -n 12 -re 1e12 -end 1 $tight
truth "energy of vortices" awk '$1 == "energy" { seen = 1; if (($2 - 0.125) ^ 2 > 1e-18) bad = 1 } END { exit bad || !seen }' out
for case in "cavity -n 8 -end 0.2" "duct -n 6 -end 0.3" "taylor-green -n 8 -end 0.5"; do
  run 1 flow3d -case $case -dae_method dopri5
  a=$(awk '$1 == "energy" { print $2 }' out)
  truth "no divergence in 3-D: $case" awk '{ for (i = 1; i < NF; i++) if ($i == "constraint" && $(i + 1) > 1e-10) exit 1 }' out
  run 2 flow3d -case $case -dae_method dopri5
  truth "$case in 3-D on two ranks" awk -v a="$a" '$1 == "energy" { seen = 1; if (($2 - a) ^ 2 > 1e-20) bad = 1 } END { exit bad || !seen }' out
done

# under error control: within a hundred tolerances
run 1 flow2d -case exact -n 8 -re 10 -end 0.4 -dae_method dopri5 -dae_rtol 1e-8 -dae_atol 1e-8
truth "tolerance" awk '$1 == "error" && ($3 > 1e-6 || $5 > 1e-6) { exit 1 }' out
run 1 ts2d -ts_type daedal_dopri5 -dae_rtol 1e-8 -dae_atol 1e-8
truth "tolerance of a TS" awk '$1 == "error" && ($3 > 1e-6 || $5 > 1e-6) { bad = 1 } $1 == "error" { seen = 1 } END { exit bad || !seen }' out

# vortices that decay: second order in space, no divergence
run 1 flow2d -case taylor -n 16 -dae_method dopri5 -dae_rtol 1e-7 -dae_atol 1e-7 -end 0.5
coarse=$(errors)
run 1 flow2d -case taylor -n 32 -dae_method dopri5 -dae_rtol 1e-7 -dae_atol 1e-7 -end 0.5
fine=$(errors)
truth "second order in space ($coarse; $fine)" awk -v a="$coarse" -v b="$fine" 'BEGIN {
  split(a, x, " "); split(b, y, " "); for (i = 1; i <= 2; i++) if (!(x[i] / y[i] > 3.4)) exit 1 }'
truth "no divergence" awk '{ for (i = 1; i < NF; i++) if ($i == "constraint" && $(i + 1) > 1e-10) exit 1 }' out

# one rank and two: the same to 1e-10
for case in "cavity -n 12 -end 0.3 -dae_method dopri5" "channel -n 8 -end 0.3 -dae_method dopri5" \
  "channel -n 8 -re 5 -end 0.3 -dae_method radau2 -dae_step 0.05" "cavity -n 8 -end 0.02 -dae_method srm -dae_step 0.001"; do
  run 1 flow2d -case $case -profile
  grep profile out >one
  run 2 flow2d -case $case -profile
  grep profile out >two
  truth "$case on two ranks" sh -c 'test -s one && paste one two | awk "{ if ((\$3 - \$7)^2 > 1e-20 || (\$4 - \$8)^2 > 1e-20) exit 1 }"'
done
run 2 ts2d -ts_type daedal_herk3 -ts_dt 0.02 -ts_adapt_type none
a=$(errors)
run 1 ts2d -ts_type daedal_herk3 -ts_dt 0.02 -ts_adapt_type none
truth "a TS on two ranks" test "$a" = "$(errors)"
# a case that is not flow, with two methods: their energies agree to the tolerance
run 1 circuit -dae_rtol 1e-10 -dae_atol 1e-10 -dae_method herk5
a=$(awk '$1 == "energy" { print $2, $4 }' out)
run 2 circuit -dae_rtol 1e-10 -dae_atol 1e-10 -dae_method dop853
b=$(awk '$1 == "energy" { print $2, $4 }' out)
truth "circuit ($a; $b)" awk -v a="$a" -v b="$b" 'BEGIN { split(a, x, " "); split(b, y, " ")
  for (i = 1; i <= 2; i++) if (!((x[i] - y[i]) ^ 2 < 1e-12)) exit 1 }'

# checkpoint: written by one rank, read by two, and the other way; the same end. Same ranks: same digits
cavity="flow2d -case cavity -n 12 -end 0.3 -dae_method dopri5 -profile"
run 1 $cavity -save point -every 3
grep profile out >whole
for n in 1 2; do
  run $n $cavity -load point
  grep profile out >rest
  truth "restart on $n ranks" sh -c 'test -s rest && paste whole rest | awk "{ if ((\$3 - \$7)^2 > 1e-20) exit 1 }"'
  [ $n -eq 2 ] || truth "the same digits" cmp whole rest
done
run 2 $cavity -save point2 -every 3
run 1 $cavity -load point2
grep profile out >rest
truth "from two ranks to one" sh -c 'paste whole rest | awk "{ if ((\$3 - \$7)^2 > 1e-20) exit 1 }"'
# the same digits for methods with more state: iterates, matrices
for m in "srm -dae_step 0.001 -re 10" "radau2 -dae_rtol 1e-4 -dae_atol 1e-4 -re 10"; do
  run 1 flow2d -case cavity -n 8 -end 0.02 -profile -dae_method $m -save point3 -every 3
  grep profile out >whole3
  run 1 flow2d -case cavity -n 8 -end 0.02 -profile -dae_method $m -load point3
  grep profile out >rest
  truth "restart of $m" cmp whole3 rest
done
# killed: what was saved is whole
# (without timeout, which would be killed in its place; ten thousand steps end it in any case)
"$programs/flow2d" -case cavity -n 12 -end 1e6 -dae_max_steps 10000 -dae_method dopri5 -save killed -every 1 >/dev/null 2>&1 &
child=$!
sleep 1.5
kill -9 $child
wait $child 2>/dev/null
run 1 flow2d -case cavity -n 12 -end 0.001 -dae_method dopri5 -load killed -dae_max_steps 1
truth "a checkpoint of a killed run" grep -q "^status" out
# one rank of two is killed: the run ends, with a message; the restart begins at most one interval before
timeout 60 mpiexec -n 2 "$programs/flow2d" -case cavity -n 24 -end 1e6 -dae_method dopri5 -dae_step 1e-3 -dae_max_steps 100000 \
  -dae_monitor -save ranks -every 5 >out 2>err &
child=$!
sleep 3
# the ranks are the children of mpiexec, which is the child of timeout: no other process is touched
kill -9 $(pgrep -P "$(pgrep -P $child)" | tail -n 1)
wait $child
truth "a killed rank ends the run" test $? -ne 0
truth "with a message" grep -q "signal 9" err
reached=$(awk '$2 == "t" { n = $1 } END { print n }' out)
run 2 flow2d -case cavity -n 24 -end 1e6 -dae_method dopri5 -dae_step 1e-3 -load ranks -dae_max_steps 1
truth "restart after $reached steps: at most 5 are lost" awk -v n="$reached" '$1 == "status" { seen = 1
  for (i = 1; i < NF; i++) if ($i == "steps") s = $(i + 1) } END { exit !(seen && s <= n && s >= n - 6) }' out
# cut off, of another size, of another method
head -c 600 point >cut
for what in "-n 12 -load cut" "-n 10 -load point" "-n 12 -dae_method dop853 -load point" "-n 12 -load none"; do
  run 1 flow2d -case cavity -end 0.3 -dae_method dopri5 $what
  truth "refused: $what" test $code -ne 0
done

# faults: named, and no hang
run 1 flow2d -case cavity -n 12 -dae_ksp_max_it 1 -dae_pc_type none -dae_step 0.01
truth "a solver that gives up" grep -q "the linear solver of C M^-1 B gave up" out
run 1 $stiff -dae_method imex4 -dae_step 0.01 -dae_stage_ksp_max_it 1
truth "a stage that is not solved" grep -q "the linear solver of a stage gave up" out
run 1 $stiff -dae_method imex4 -dae_step 0.01 -dae_stiff_ksp_max_it 1
truth "a stiff part that is not solved" grep -q "the linear solver of M - h gamma L gave up" out
run 1 flow2d -case cavity -n 12 -dae_method bdf
truth "a method that is none" grep -q "is no method for this; there are" err
# steps of srm that are too long for its eps, and a step that Newton's method does not solve: an L that is none of f
run 1 flow2d -case cavity -n 12 -dae_method srm -dae_step 0.01 -dae_srm_eps 0.01
truth "srm beyond its limit" grep -q "too long for eps" out
run 1 flow2d -case exact -n 16 -re 1e4 -dae_method radau2 -dae_step 0.4
truth "stages that are not solved" grep -q "the stages of radau2 were not solved" out
run 1 flow2d -case none
truth "a case that is none" grep -q "is none of taylor" err

echo "$checks checks, $failed failures"
[ $failed -eq 0 ]
