# list, show, methods, help, version, check: the words that people and scripts rely on
. "$(dirname "$0")/lib.sh" "$1"

run version
code 0 version
truth "version" grep -qE '^daedal [0-9]+[.][0-9]+[.][0-9]+$' out
run --version
code 0 --version

run list
code 0 list
for name in pendulum slider-crank andrews car-axis kepler linear-index2; do has out "$name"; done
# every name of the list can be shown
awk 'NF == 0 { exit } NR > 1 { print $1 }' out >names
truth "the list is not empty" test -s names
while read -r name; do
  run show "$name"
  code 0 "show $name"
  has out "daedal run $name"
  truth "show $name has its equations" grep -q "=" out
done <names

run methods
code 0 methods
for name in euler midpoint heun rk4 ab2 dopri5 dop853 index1 full post; do has out "$name"; done
run help
code 0 help
for name in run check list show methods help version; do has out "daedal $name"; done
run help run
for name in tol step method form output plot json stop set init; do has out "--$name"; done
for topic in run check tol --step dopri5 index1 post full 'rank deficient' statuses pendulum; do
  run help "$topic"
  code 0 "help $topic"
  truth "help $topic says something" test -s out
done
run help step too small
code 0 "a status of several words"
has out "fell below rounding"
run run --help
code 0 "run --help"
has out "--method"

run check pendulum
code 0 check
has out "index 3"
has out "1, of full rank"
hasnot out "|RAS|"
run check pendulum --details
code 0 "check --details"
has out "rank 1 of 1"
has out "|RAS|"
run check andrews
has out "6, all independent of each other"
has out "not stiff"
run check stiff-loop
has out "stiff: it could move much faster"
run check ring-redundant --set duplicate=1
has out "11, of which 10 are independent"
has out "agree with differences"
run check bvp-pendulum
code 0 "check of a boundary value problem"
has out "2 given, 2 needed"
run check slider-crank --json
code 0 "check --json"
has out '"index": 3'
has out '"multipliers": 3'
run check pendulum --init x=1.5 --init y=0
code 3 "check of an inconsistent start"
has out "off by"

finish
