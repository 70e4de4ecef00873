# bench.sh [BUILD]: velocity and pressure errors against processor time on a flow with walls and a changing
# inflow whose exact solution is known (examples/common/exact.h), as a table; then the processor time for a
# pressure error of 1e-5, interpolated between the runs. PETSc's own methods solve the same equations (ts2d)
# with MUMPS, the classical projection (van_kan) as the half-explicit methods do (CG with GAMG).
build=${1:-build-petsc}
n=${N:-32}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
flow="-n $n -re 100 -end 0.4"
solver="-pc_type lu -pc_factor_mat_solver_type mumps -mat_mumps_icntl_24 1 -snes_rtol 1e-10"

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

echo "| method | step | error of u | error of p | seconds |"
echo "|---|---|---|---|---|"
{
  for method in herk3 herk4 dopri5 dop853; do
    for h in 0.04 0.02 0.01; do
      one $method $h "$build/flow2d" -case exact $flow -dae_method $method -dae_step $h
    done
  done
  for h in 0.01 0.0025 0.000625; do one "Van Kan" $h "$build/van_kan" $flow -step $h; done
  for order in 2 3 4; do
    for h in 0.02 0.01 0.005; do
      one "BDF $order" $h "$build/ts2d" $flow -ts_type bdf -ts_bdf_order $order -ts_dt $h -ts_adapt_type none $solver
    done
  done
  for h in 0.01 0.005; do
    one "theta 1/2" $h "$build/ts2d" $flow -ts_type cn -ts_dt $h -ts_adapt_type none $solver
    one "backward Euler" $h "$build/ts2d" $flow -ts_type beuler -ts_dt $h -ts_adapt_type none $solver
  done
  for h in 0.02 0.01; do
    one "ARKIMEX 3" $h "$build/ts2d" $flow -ts_type arkimex -ts_arkimex_type 3 -ts_arkimex_fully_implicit \
      -ts_dt $h -ts_adapt_type none $solver
  done
} | tee "$work/table"

echo
echo "Seconds to a pressure error of 1e-5 (steps of stable size; by the last two runs of each method, or the first when it is below):"
awk -F'|' '$5 + 0 > 0 { gsub(/^ +| +$/, "", $2); n[$2]++; p[$2, n[$2]] = $5; s[$2, n[$2]] = $6; if (n[$2] == 1) order[++m] = $2 }
  END { for (i = 1; i <= m; i++) { k = order[i]
    if (p[k, 1] <= 1e-5) { printf "  %-15s at most %.2f\n", k, s[k, 1]; continue }
    for (j = 2; j < n[k] && p[k, j] > 1e-5; j++);
    if (n[k] < 2 || p[k, j] >= p[k, j - 1]) { printf "  %-15s never\n", k; continue }
    slope = log(s[k, j] / s[k, j - 1]) / log(p[k, j] / p[k, j - 1])
    printf "  %-15s %.2f%s\n", k, s[k, j] * exp(slope * log(1e-5 / p[k, j])), (p[k, j] > 1e-5 ? " (extrapolated)" : "") } }' "$work/table"
