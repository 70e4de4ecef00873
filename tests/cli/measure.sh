# --measure: quantities of a run against closed forms
. "$(dirname "$0")/lib.sh" "$1"

# near NAME VALUE TOLERANCE: a measure in the json of the last run
near() {
  checks=$((checks + 1))
  awk -v name="\"$1\":" -v want="$2" -v tol="$3" '$1 == name && !seen { seen = 1; v = $2 + 0
      if ((v - want) ^ 2 <= tol ^ 2) good = 1; else print name, v, "instead of", want }
    END { exit !good }' out || bad "$1 is not $2 within $3"
}

# x = cos(t), v = -sin(t): error of the run 1e-10, so the measures have nine digits
cat >cosine.mo <<'EOF'
model cosine
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
end cosine;
EOF
run run cosine.mo --stop 10 --tol 1e-11 --json --measure "top=max(v), low=min(x + 2*time/time), \
mean=mean(x^2), area=integral(abs(v)*0 + x), first=time(x < 0), late=time(v>=0.5), never = time(x<-2), \
at0=start(x), last=end(v), big=max(max(x, -v)), r=min(sqrt(x^2+v^2)), p=end(-x^2)"
code 0 "cosine"
near top 1 1e-9
near mean 0.52282363128363188 1e-9   # 1/2 + sin(20)/40
near area -0.54402111088936981 1e-9  # sin(10)
near first 1.5707963267948966 1e-9   # pi/2
near late 3.6651914291880923 1e-9    # 7 pi/6
near at0 1 1e-15
near last 0.54402111088936981 1e-9   # -sin(10)
near big 1 1e-9
near r 1 1e-9
near p -0.70404103090669601 1e-9    # -cos(10)^2: the sign binds less than the power
has out '"never": null'
# min(x + 2*time/time): 0/0 at the start is not a number, and no number hides it
has out '"low": null'

# derivatives by differences of the dense output: nine digits of the solution leave six
run run cosine.mo --stop 10 --tol 1e-11 --json --measure "top=max(der(x)), at0=start(der(v)), last=end(der(v*x)), area=integral(der(x)), first=time(der(x)>0.5)"
code 0 "derivatives"
near top 1 1e-6
near at0 -1 1e-6
near last -0.40808206181339198 1e-6  # d/dt (-sin t cos t) = -cos(20)
near area -1.8390715290764525 1e-6   # cos(10) - 1
near first 3.6651914291880923 1e-5   # 7 pi/6

# a jump counts before and after: a ball that falls from 1 and leaves the ground with half its speed
cat >ball.mo <<'EOF'
model ball
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -2;
  when h < 0 then
    reinit(v, -0.5*pre(v));
  end when;
end ball;
EOF
run run ball.mo --stop 1.2 --tol 1e-10 --json --measure "down=min(v), up=max(v), hit=time(v>0.5)"
code 0 "ball"
near down -2 1e-8 # falls for 1 s
near up 1 1e-8
near hit 1 1e-8

# in the summary, in a sweep, of a boundary value problem
run run cosine.mo --stop 1 --measure "top=max(x), never=time(x<0)"
has out "measured   top = 1"
has out "never = none"
run sweep cosine.mo --init x=1:3:3 --stop 4 --measure "top=max(x), zero=time(x<0)" --output s.csv --quiet
code 0 "sweep"
has s.csv "member,initial(x),status,time,steps,drift,top,zero,x,v,message"
truth "the largest value is the initial one, x0 cos(t)" awk -F, 'NR > 1 && ($7 - $2) ^ 2 > 1e-12 { exit 1 }' s.csv
truth "all pass 0 at pi/2" awk -F, 'NR > 1 && ($8 - 1.5707963267948966) ^ 2 > 1e-10 { exit 1 }' s.csv
run sweep cosine.mo --init x=1:3:3 --stop 1 --measure "zero=time(x<0)" --output s.csv --quiet
truth "a time that never came is empty" awk -F, 'NR > 1 && $7 != "" { exit 1 }' s.csv
cat >line.mo <<'EOF'
model line
  Real u(start = 0);
  Real w(start = 0);
initial equation
  u(startTime) = 0;
  u(finalTime) = 1;
equation
  der(u) = w;
  der(w) = -1;
  annotation(experiment(StartTime = 0, StopTime = 4));
end line;
EOF
# u = t/4 + t (4 - t)/2: highest at t = 2.25 with 2.53125; its integral is 2 + 16/3
run run line.mo --json --measure "top=max(u), area=integral(u), end=end(u)"
code 0 "boundary values"
near top 2.53125 1e-6
near area 7.333333333333333 1e-6
near end 1 1e-6

refused 2 "there is no variable or function 'z'" run cosine.mo --measure "a=max(z)"
refused 2 "is not NAME=FUNCTION(EXPRESSION)" run cosine.mo --measure "max(x)"
refused 2 "is not NAME=FUNCTION(EXPRESSION)" run cosine.mo --measure "a=max(x),"
refused 2 "must be one of max, min" run cosine.mo --measure "a=top(x)"
refused 2 "needs a comparison" run cosine.mo --measure "a=time(x)"
refused 2 "appears twice" run cosine.mo --measure "a=max(x), a=min(x)"
refused 2 "')' is missing at" run cosine.mo --measure "a=max(sin(x)"
refused 2 "a number or a name is missing at" run cosine.mo --measure "a=max(x+)"
refused 2 "unexpected text at" run cosine.mo --measure "a=max(x x)"
refused 2 "a second argument is missing" run cosine.mo --measure "a=max(atan2(x))"
deep=$(printf '%01000d' 0 | tr 0 '(')
refused 2 "nested too deeply" run cosine.mo --measure "a=max(${deep}x)"
refused 2 "there is no variable or function 'z'" sweep cosine.mo --init x=1:3:3 --measure "a=max(z)" --output f.csv
truth "nothing is left" test ! -e f.csv.journal

finish
