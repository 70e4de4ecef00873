#!/bin/sh
# fuzz.sh SOURCE BUILD [RUNS]: the front end and the analysis on mutated gallery models, with the address
# sanitizer. Comparisons are not traced (twice as fast; the word list does their work), inputs stay short.
set -eu
source=$1 build=$2 runs=${3:-200000}
work=$build/fuzz
mkdir -p "$work/corpus"
cp "$source"/gallery/*.mo "$work/corpus/"
# a word each for the mutator: keywords and functions of the language
{
  sed -n 's/.*X([A-Z]*, "\([a-z]*\)").*/"\1"/p' "$source/src/model/syntax.h"
  sed -n 's/.*{"\([A-Za-z0-9]*\)", [0-9].*/"\1"/p' "$source/src/model/eval_call.c"
  printf '"%s"\n' Real Integer Boolean start fixed time startTime finalTime ':=' '.*' './' '.^' '<>' '=='
} > "$work/words"
# the standalone library: nothing but its own code is fuzzed
sources=$(ls "$source"/src/base/*.c "$source"/src/la/*.c "$source"/src/la/*/*.c "$source"/src/problem/*.c \
  "$source"/src/model/*.c | grep -v '/klu[.]c$')
clang -g1 -O2 -std=c17 -D_POSIX_C_SOURCE=200809L -fsanitize=fuzzer,address,undefined \
  -fno-sanitize-recover=undefined -fno-sanitize-coverage=trace-cmp \
  -I"$source/src" -I"$source/include" $sources "$source/tests/model/fuzz_model.c" -o "$work/fuzz" -ldl -lm
cd "$work"
./fuzz -dict=words -entropic=0 -max_len=700 -timeout=5 -report_slow_units=1 -rss_limit_mb=3000 \
  -runs="$runs" -verbosity=0 -print_final_stats=1 corpus
