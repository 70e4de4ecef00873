# what the tests of the command share: run it, look at exit code, output and errors
daedal=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0
failed=0

# compiled models are kept here
export XDG_CACHE_HOME="$work/cache"

bad() {
  failed=$((failed + 1))
  echo "FAILED: $1"
}

# run ARGUMENTS: leaves the exit code in $code, the text in out and err
run() {
  "$daedal" "$@" >out 2>err
  code=$?
}

# code N WHAT: the last run ended with N
code() {
  checks=$((checks + 1))
  [ "$code" -eq "$1" ] || bad "$2: exit code $code, expected $1; $(head -c 300 err)"
}

# has FILE TEXT: the file has the text, letter for letter
has() {
  checks=$((checks + 1))
  grep -qF -- "$2" "$1" || bad "'$2' is not in $1: $(head -c 300 "$1")"
}

hasnot() {
  checks=$((checks + 1))
  ! grep -qF -- "$2" "$1" || bad "'$2' is in $1: $(head -c 300 "$1")"
}

# tabled N: a model whose rate is a table in a file, from N at 0 to 2 at 1
tabled() {
  cat >tabled.mo <<'E'
model Tabled
  function T.constructor input String file; input String name; input Real[:, :] table; input Integer[:] columns;
    input enumeration(LinearSegments, ContinuousDerivative, ConstantSegments) s;
    input enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation) e; output T t;
    external "C" t = ModelicaStandardTables_CombiTable1D_init2(file, name, table, size(table, 1), size(table, 2),
      columns, size(columns, 1), s, e, true);
  end T.constructor;
  function f input T t; input Integer k; input Real u; output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(t, k, u);
  end f;
  parameter Real a = 1;
  parameter T t = T.constructor("tab.txt", "m", zeros(0, 2), {2}, S.LinearSegments, E.LastTwoPoints);
  Real x(start = 0, fixed = true);
equation
  der(x) = a*f(t, 1, time);
end Tabled;
E
  printf 'double m(2, 2)\n0 %s\n1 2\n' "$1" >tab.txt
}

# refused N TEXT ARGUMENTS: exit code N, one line on standard error with TEXT, nothing on standard output
refused() {
  want=$1
  text=$2
  shift 2
  run "$@"
  code "$want" "daedal $*"
  has err "$text"
  checks=$((checks + 1))
  [ "$(wc -l <err)" -eq 1 ] || bad "daedal $*: more or less than one line of error: $(head -c 400 err)"
  checks=$((checks + 1))
  [ ! -s out ] || bad "daedal $*: something on standard output: $(head -c 200 out)"
}

# truth WHAT COMMAND..: the command succeeds
truth() {
  what=$1
  shift
  checks=$((checks + 1))
  "$@" || bad "$what"
}

finish() {
  echo "$checks checks, $failed failures"
  [ "$checks" -gt 0 ] && [ "$failed" -eq 0 ]
  exit
}
