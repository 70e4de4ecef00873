# bench.sh [BUILD]: velocity and pressure errors against processor time on a flow with walls and a changing
# inflow whose exact solution is known (examples/common/exact.h), as tables: Re = 100, where explicit steps
# are as long as accuracy allows, and Re = 1, where the viscous limit binds. After each the processor time for
# one pressure error, interpolated between the runs. PETSc's own methods solve the same equations (ts2d) with
# MUMPS, the classical projection (van_kan) as the half-explicit methods do (CG with GAMG). N=64: 64 x 64 cells.
build=${1:-build-petsc}
n=${N:-32}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
solver="-pc_type lu -pc_factor_mat_solver_type mumps -mat_mumps_icntl_24 1 -mat_mumps_icntl_14 200 -snes_rtol 1e-10 -ts_adapt_type none"

# one NAME STEP PROGRAM..: a line of the table
one() {
  name=$1 step=$2
  shift 2
  # the second line of `times` is that of the children, as 0m1.23s 0m0.04s
  time=$(sh -c '"$@" >"$0" 2>&1; times' "$work/out" "$@" | awk 'NR == 2 { split($1, a, /[ms]/); print 60 * a[1] + a[2] }')
  awk -v name="$name" -v step="$step" -v time="$time" '$1 == "error" { seen = 1
      printf "| %s | %s | %.1e | %.1e | %.2f |\n", name, step, $3, $5, time }
    END { if (!seen) printf "| %s | %s | failed | | |\n", name, step }' "$work/out"
}

# own METHOD STEPS..: with fixed steps; ts NAME TYPE STEPS..
own() {
  method=$1
  shift
  for h; do one $method $h "$build/flow2d" -case exact $flow -dae_method $method -dae_step $h; done
}
ts() {
  name=$1 type=$2
  shift 2
  for h; do one "$name" $h "$build/ts2d" $flow $solver -ts_dt $h -ts_type $type; done
}
classical() { for h; do one "Van Kan" $h "$build/van_kan" $flow -step $h; done; }

# seconds WANTED: for this pressure error, by the table
seconds() {
  echo
  echo "Seconds to a pressure error of $1 (by the two runs around it, or the last two; the first when it is below):"
  awk -F'|' -v want="$1" '$5 + 0 > 0 && $5 < 1 { gsub(/^ +| +$/, "", $2); n[$2]++; p[$2, n[$2]] = $5; s[$2, n[$2]] = $6; if (n[$2] == 1) order[++m] = $2 }
    END { for (i = 1; i <= m; i++) { k = order[i]
      if (p[k, 1] <= want) { printf "  %-15s at most %.2f\n", k, s[k, 1]; continue }
      for (j = 2; j < n[k] && p[k, j] > want; j++);
      if (n[k] < 2 || p[k, j] >= p[k, j - 1]) { printf "  %-15s never\n", k; continue }
      slope = log(s[k, j] / s[k, j - 1]) / log(p[k, j] / p[k, j - 1])
      printf "  %-15s %.2f%s\n", k, s[k, j] * exp(slope * log(want / p[k, j])), (p[k, j] > want ? " (extrapolated)" : "") } }' "$work/table"
  echo
}

head() {
  echo "$1"
  echo
  echo "| method | step | error of u | error of p | seconds |"
  echo "|---|---|---|---|---|"
}

flow="-n $n -re 100 -end 0.4"
head "Re = 100 to t = 0.4, $n x $n cells"
{
  for method in herk3 herk4 dopri5 dop853 radau3; do
    own $method $(awk -v n="$n" 'BEGIN { h = 1.28 / n; print h, h / 2, h / 4 }')
  done
  classical 0.01 0.0025 0.000625
  for order in 2 3 4; do ts "BDF $order" "bdf -ts_bdf_order $order" 0.02 0.01 0.005; done
  ts "theta 1/2" cn 0.01 0.005
  ts "backward Euler" beuler 0.01 0.005
  # the other types of ARKIMEX have an explicit first stage and refuse a DAE
  for type in 1bee l2 prssp2; do
    ts "ARKIMEX $type" "arkimex -ts_arkimex_fully_implicit -ts_arkimex_type $type" 0.02 0.01
  done
} | tee "$work/table"
seconds 1e-5

flow="-n $n -re 1 -end 0.1"
limit=$(awk -v n="$n" 'BEGIN { print 0.3 / (n * n) }')
head "Re = 1 to t = 0.1, $n x $n cells: the explicit limit is about $limit"
{
  own dopri5 $limit
  own imex4 0.01 0.005 0.0025
  own sdirk2 0.02 0.01 0.005
  own radau2 0.05 0.02 0.01
  own radau3 0.1 0.05 0.02
  classical $(awk -v h="$limit" 'BEGIN { print h / 2, h / 4 }')
  for order in 2 3 4; do ts "BDF $order" "bdf -ts_bdf_order $order" 0.01 0.005 0.0025; done
  ts "theta 1/2" cn 0.01 0.005 0.0025
  for type in 1bee l2 prssp2; do
    ts "ARKIMEX $type" "arkimex -ts_arkimex_fully_implicit -ts_arkimex_type $type" 0.01 0.005
  done
} | tee "$work/table"
seconds 1e-5
