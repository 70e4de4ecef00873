# label: long
# cavity.sh PROGRAMS: the driven cavity at Re = 1000 against published values. On a grid of n x n cells the
# extremes are off by c/n^2, so that two grids give them without it: within 1 % of the values of Botella and
# Peyret (1998), Computers and Fluids 27, table 9, which Ghia, Ghia and Shin (1982) have to 2 %.
programs=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for n in 64 128; do
  "$programs/flow2d" -case cavity -n $n -re 1000 -end 40 -dae_method herk3 -dae_rtol 1e-4 -dae_atol 1e-4 \
    -profile >"$work/$n" || exit 1
  awk '{ for (i = 1; i < NF; i++) if ($i == "constraint" && $(i + 1) > 1e-10) exit 1 }' "$work/$n" ||
    { echo "divergence above 1e-10" && exit 1; }
done
awk '$1 == "profile" { if (FNR == 2) k++
    if ($3 < u[k]) u[k] = $3; if ($4 > v[k]) v[k] = $4; if ($4 < w[k]) w[k] = $4 }
  function check(name, a, b, want,    e) {
    e = (4 * b - a) / 3
    printf "%s: %.4f %.4f, without the error of the grid %.4f, published %.4f\n", name, a, b, e, want
    if ((e / want - 1) ^ 2 > 1e-4) bad = 1
  }
  END { check("least u", u[1], u[2], -0.3885698); check("largest v", v[1], v[2], 0.3769447)
        check("least v", w[1], w[2], -0.5270771); exit bad }' "$work/64" "$work/128"
