#!/bin/sh
# singular positions from the command line: passed, counted and told; started on; refused where nothing is determined
. "$(dirname "$0")/lib.sh"

# no option but the tolerance; 46 positions up to t = 70
run run slider-crank-singular --stop 70 --tol 1e-9 --json
code 0 "passage"
has out '"singular_passed": 46'
has out '"passages": ['
run run slider-crank-singular --stop 1
code 0 "one passage"
has out "1 singular position, t = 0.759535"

# a start on the position, in C and in the model language
on="--set phi1=1.5707963267948966 --set phi1_rate=2 --stop 1"
run run slider-crank-singular $on
code 0 "start on it"
has out "phi1       5.61144"
run run singular-unbounded --start 0.5 --stop 1 --init x1=0 --init x2=0.479425538604203
code 0 "index 2, start on it"
run run singular-unbounded --start 0.5 --stop 1 --init x1=0 --init x2=0.479425538604203 --form srm \
  --srm-variant singular --method heun --step 1e-3 --json
code 0 "index 2, start on it, srm"
has out '"iterates": 3'

# at rest two motions are possible
run run slider-crank-singular --set phi1=1.5707963267948966 --json
code 3 "at rest on it"
has out '"status": "no smooth continuation"'
has out "at rest on a singular position"
refused 2 "'wave' is not one of mesh, stage, waveform" run two-link-robot --form srm --srm-carry wave

finish
