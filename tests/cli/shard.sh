# daedal sweep --shard and daedal merge: parts of a sweep made anywhere, and the table of the whole
. "$(dirname "$0")/lib.sh" "$1"

sweep="sweep pendulum --set g=5:15:7 --init x=0.6:0.8:3 --guess y=-0.7 --stop 0.2 --quiet"
run $sweep --output whole.csv
code 0 "the whole"
for n in 1 2 5 25; do
  files=
  i=1
  while [ $i -le $n ]; do
    run $sweep --shard $i/$n --output part-$n-$i.csv --jobs 2
    code 0 "shard $i of $n"
    files="part-$n-$i.csv $files"
    i=$((i + 1))
  done
  run merge merged.csv $files
  code 0 "merge $n"
  has out "21 runs of $n shards in merged.csv"
  truth "$n parts: the same bytes" cmp whole.csv merged.csv
done

# a part that is whole is not computed again; one that was cut off, changed or made by another sweep is
cp part-5-2.csv before.csv
touch -d 2001-01-01 part-5-2.csv
run $sweep --shard 2/5 --output part-5-2.csv
truth "not written again" test ! part-5-2.csv -nt whole.csv
for how in "head -c 300" "sed 5s/0/1/9" "sed 1s/daedal/deadal/" "sed \$s/end/end/;\$a#"; do
  $how before.csv >part-5-2.csv
  run $sweep --shard 2/5 --output part-5-2.csv
  code 0 "done again after: $how"
  truth "the same part after: $how" cmp before.csv part-5-2.csv
done
run $sweep --tol 1e-9 --shard 2/5 --output part-5-2.csv
run $sweep --shard 2/5 --output part-5-2.csv
truth "in place of another sweep" cmp before.csv part-5-2.csv

# the page of a part that is whole is written all the same
run $sweep --shard 2/5 --output part-5-2.csv --report part.html
code 0 "a page of a part from before"
truth "the page is there" test -s part.html

# a table of an input that has changed makes another sweep: der(x) = a u, u = 1 and then 3
printf 'model Fed\n  input Real u; parameter Real a = 1; Real x(start = 0, fixed = true);\nequation\n  der(x) = a*u;\nend Fed;\n' >fed.mo
fed="sweep fed.mo --set a=1:2:2 --input u=u.csv --stop 1 --shard 1/2 --output fed.csv --quiet"
printf 'time,u\n0,1\n1,1\n' >u.csv
run $fed
code 0 "an input from a table"
cp fed.csv fed1.csv
printf 'time,u\n0,3\n1,3\n' >u.csv
run $fed
code 0 "the input has changed"
truth "computed again" sh -c '! cmp -s fed.csv fed1.csv'

# so does a file that the text takes a table from
tabled 1
run sweep tabled.mo --set a=1:2:2 --stop 1 --shard 1/2 --output tabled.csv --quiet
code 0 "a table from a file"
cp tabled.csv tabled1.csv
tabled 3
run sweep tabled.mo --set a=1:2:2 --stop 1 --shard 1/2 --output tabled.csv --quiet
code 0 "the table has changed"
truth "computed again with the new table" sh -c '! cmp -s tabled.csv tabled1.csv'

# killed: run the same command again to continue, and merging tells meanwhile what is missing
rm -f merged.csv
printf '# daedal 1 sweep x journal 3\n' >lost.csv.journal
refused 5 "lost.csv is incomplete; run the command that writes it again to continue from lost.csv.journal" \
  merge merged.csv part-5-1.csv lost.csv
refused 2 "2 of 5 shards are missing; run the sweep with --shard 2/5 --shard 4/5" \
  merge merged.csv part-5-1.csv part-5-3.csv part-5-5.csv
refused 2 "shard 3/5 appears twice" merge merged.csv part-5-3.csv part-5-3.csv
refused 2 "are not parts of the same sweep" merge merged.csv part-5-3.csv part-2-1.csv
run $sweep --tol 1e-9 --shard 2/2 --output other.csv
refused 2 "are not parts of the same sweep" merge merged.csv part-2-1.csv other.csv
refused 2 "whole.csv is not part of a sweep" merge merged.csv whole.csv part-2-1.csv
refused 5 "cannot read none.csv" merge merged.csv none.csv
refused 2 "needs the table to write and the shards" merge merged.csv
refused 2 "both the output table and a shard" merge part-2-1.csv part-2-1.csv part-2-2.csv
ln -s part-2-1.csv alias.csv
refused 2 "both the output table and a shard" merge ./part-2-1.csv part-2-1.csv part-2-2.csv
refused 2 "both the output table and a shard" merge alias.csv part-2-1.csv part-2-2.csv
refused 2 "/dev/zero is not part of a sweep" merge merged.csv /dev/zero
refused 2 "has no option '--jobs'" merge merged.csv --jobs part-2-1.csv
refused 2 "ends in .csv" merge merged.txt part-2-1.csv part-2-2.csv
# cut anywhere, or one digit changed: told with the part to do again, and nothing is written
size=$(wc -c <part-2-2.csv)
for keep in 30 200 $((size / 2)) $((size - 30)) $((size - 1)); do
  head -c $keep part-2-2.csv >cut.csv
  run merge merged.csv part-2-1.csv cut.csv
  truth "cut after $keep bytes: refused" test "$code" -ne 0
  truth "cut after $keep bytes: named" grep -q "cut.csv" err
done
has err "run its sweep again with --shard 2/2"
sed '5s/0/1/9' part-2-2.csv >cut.csv
refused 5 "cut.csv is truncated or was changed" merge merged.csv part-2-1.csv cut.csv
truth "nothing is written" test ! -e merged.csv

# what cannot be meant
refused 2 "I/N with whole numbers" $sweep --shard 0/2 --output f.csv
refused 2 "I/N with whole numbers" $sweep --shard 3/2 --output f.csv
refused 2 "I/N with whole numbers" $sweep --shard 2 --output f.csv
refused 2 "does not apply to 'daedal run'" run pendulum --shard 1/2

finish
