#!/bin/sh
# fuzz.sh SOURCE BUILD [RUNS]: libFuzzer with the address and undefined-behaviour sanitizers on
#   bytes   mutated gallery models through the front end and the analysis (model/fuzz_model.c), RUNS of them
#   text    models that a grammar makes, built and run for some steps (random/fuzz_text.c), a tenth
#   files   journals, cache entries, checkpoints and tables (random/fuzz_files.c), a tenth
# A case may take 10 s and 1 GB. Comparisons are not traced (twice as fast; the word list does their work).
set -eu
source=$1 build=$2 runs=${3:-200000}
work=$build/fuzz
mkdir -p "$work/bytes" "$work/text" "$work/files" "$work/object"
cp "$source"/gallery/*.mo "$work/bytes/"
# a word each for the mutator: keywords and functions of the language
{
  sed -n 's/.*X([A-Z]*, "\([a-z]*\)").*/"\1"/p' "$source/src/model/syntax.h"
  sed -n 's/.*{"\([A-Za-z0-9]*\)", [0-9].*/"\1"/p' "$source/src/model/eval_call.c"
  printf '"%s"\n' Real Integer Boolean start fixed time startTime finalTime ':=' '.*' './' '.^' '<>' '=='
} > "$work/words"
flags="-g1 -O1 -std=c17 -D_POSIX_C_SOURCE=200809L -DDAEDAL_BUILD -DDAEDAL_FUZZER -fno-sanitize-recover=undefined
  -I$source/src -I$source/include -I$source/tests -I$source/gallery"
# the standalone library: nothing but its own code is fuzzed
ls "$source"/src/*/*.c "$source"/src/la/*/*.c | grep -v '/klu[.]c$' | xargs -P 2 -I FILE sh -c '
  clang $0 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-coverage=trace-cmp -c FILE \
    -o "$1/$(echo FILE | tr / _).o"' "$flags" "$work/object"
link() {
  program=$1
  shift
  clang $flags -fsanitize=fuzzer,address,undefined "$@" "$work"/object/*.o -o "$work/$program.fuzz" -ldl -lm -lpthread
}
cli=$source/cli
link bytes "$source/tests/model/fuzz_model.c"
link text "$source/tests/random/fuzz_text.c"
link files "$source/tests/random/fuzz_files.c" "$cli/journal.c" "$cli/lines.c" "$cli/merge.c" "$cli/output.c" "$cli/state.c" "$cli/signals.c" "$cli/text.c" \
  "$cli/json.c" "$cli/stored.c"
cd "$work"
run() {
  echo "fuzz $1: $2 cases"
  "./$1.fuzz" -entropic=0 -timeout=10 -report_slow_units=10 -rss_limit_mb=1000 -runs="$2" -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$1-" -max_len="$3" $4 "$1"
}
run bytes "$runs" 700 -dict=words
run text $((runs / 10)) 400 ""
run files $((runs / 10)) 200 ""
