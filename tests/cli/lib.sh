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
