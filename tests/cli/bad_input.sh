# every wrong argument is refused with one line that names it, and with the exit code of its kind
. "$(dirname "$0")/lib.sh" "$1"

refused 2 "unknown command 'rnu'; did you mean 'run'?" rnu
refused 2 "did you mean 'daedal run pendulum'?" pendulum
refused 2 "'daedal run' needs a MODEL" run
refused 2 "'daedal run' needs a MODEL" run --tol 1e-6
refused 2 "an argument is empty" run ''
refused 2 "one MODEL at a time" run pendulum kepler
refused 2 "unknown problem 'pendulm'; did you mean 'pendulum'?" run pendulm
refused 2 "unknown problem 'nothing-like-it'" run nothing-like-it
refused 2 "did you mean 'pendulum'?" show pendulun

refused 2 "unknown option '--tolerance'" run pendulum --tolerance 1e-3
refused 2 "did you mean '--stop'?" run pendulum --sotp 3
refused 2 "unknown option '-x'" run pendulum -x
refused 2 "option --stop needs a value" run pendulum --stop
refused 2 "option --tol: the value is empty" run pendulum --tol ''
refused 2 "option --tol: the value is empty" run pendulum --tol=
refused 2 "is given twice" run pendulum --stop 1 --stop 2
refused 2 "--json takes no value" run pendulum --json=yes

for number in nan inf -inf 1e999 0x10 1e-6x 1,5 --json; do
  refused 2 "option --tol: '$number' is not a finite number" run pendulum --tol $number
  refused 2 "option --stop: '$number' is not a finite number" run pendulum --stop $number
done
refused 2 "option --tol: '0' is not greater than 0" run pendulum --tol 0
refused 2 "option --tol: '-1e-6' is not greater than 0" run pendulum --tol -1e-6
refused 2 "option --step: '0' is not greater than 0" run pendulum --step 0
refused 2 "option --step: '-0.1' is not greater than 0" run pendulum --step -0.1
refused 2 "tolerance" run pendulum --tol 1e-20
refused 2 "a boundary value problem needs an interval" run bvp-elastica --start 2 --stop 1
refused 2 "option --points: '1' is not a whole number of at least 2" run pendulum --points 1
refused 2 "option --points: '99999999999' is not" run pendulum --points 99999999999
refused 2 "option --every: '0' is not a number greater than 0" run pendulum --every 0
refused 2 "output points" run pendulum --every 1e-15
refused 2 "exclude each other" run pendulum --every 0.1 --points 5
refused 2 "option --passes" run pendulum --passes -3
refused 2 "option --max-steps" run pendulum --max-steps 1.5

refused 2 "unknown method 'dopri6'; did you mean 'dopri5'?" run pendulum --method dopri6
refused 2 "unknown form 'index4'; did you mean 'index1'?" run pendulum --form index4
refused 2 "unknown direction 'fulll'; did you mean 'full'?" run pendulum --direction fulll
refused 2 "unknown stabilizer 'prost'; did you mean 'post'?" run pendulum --stabilize prost
for key in weighting level schur project passage srm-weight srm-variant srm-carry; do
  refused 2 "option --$key: 'foo' is not one of" run pendulum --$key foo
done
refused 2 "option --step: 1e-300 is below rounding" run pendulum --step 1e-300
refused 2 "output points exceed the limit" run pendulum --points 2147483647
refused 2 "option --log: 'loud' is not one of" run pendulum --log loud

refused 2 "option --set: 'g' is not of the kind NAME=VALUE" run pendulum --set g
refused 2 "option --set: '=3' is not of the kind" run pendulum --set =3
refused 2 "option --set: 'g=fast' is not NAME=VALUE with a finite number" run pendulum --set g=fast
refused 2 "pendulum has no parameter 'gg'; did you mean 'g'?" run pendulum --set gg=9.81
refused 2 "linear-index2 has no parameter 'stiffness'; it has nu" run linear-index2 --set stiffness=3
refused 2 "pendulum has no variable 'xx'" run pendulum --init xx=1

refused 2 "'x.txt' is not a name that ends in .csv or .json" run pendulum --output x.txt
refused 2 "'x.jpg' is not a name that ends in .svg, .png or .pdf" run pendulum --plot x.jpg
refused 2 "both use standard output" run pendulum --json --output -
refused 2 "option --output does not apply to 'daedal check'" check pendulum --output x.csv

refused 2 "takes no argument" list all
refused 2 "takes no argument" version 3
refused 2 "needs one NAME" show
refused 2 "no help on 'metod'; did you mean 'method'?" help metod
refused 4 "none.mo" run none.mo

# options that the run does not use are told, and those that it uses are not
run run pendulum --stop 1 --form index1 --gamma 3 --rtilde 1,0 --stabilize none --alpha 0.5
code 0 "options without effect"
has err "note: --gamma has no effect with form index1"
has err "note: --rtilde has no effect with form index1"
has err "note: --alpha has no effect with stabilize none"
run run pendulum --stop 1 --form baumgarte --gamma 3 --method dopri5 --mesh 5
has err "note: --mesh has no effect with method dopri5"
hasnot err "gamma"

# a start that contradicts the constraints stops the run and names variable and value
run run pendulum --init x=2 --init y=0
code 3 "inconsistent start"
has err "x=2"
# digits that were cut off are no contradiction
run run pendulum --init x=0.70710678 --init y=-0.70710678 --stop 0.1
code 0 "rounded initial values"

finish
