# daedal sweep --design: points spread as the design says, the same whatever the number of jobs
. "$(dirname "$0")/lib.sh" "$1"

base="sweep pendulum --set g=5:15 --init der(x)=-1:1 --stop 0.01 --quiet"
for design in random:64 lhs:64 sobol:64; do
  run $base --design $design --output a.csv --jobs 1
  code 0 "$design"
  truth "$design: a header and 64 lines" test "$(wc -l <a.csv)" -eq 65
  truth "$design: inside the ranges" awk -F, 'NR > 1 && ($2 < 5 || $2 > 15 || $3 < -1 || $3 > 1) { exit 1 }' a.csv
  run $base --design $design --output b.csv --jobs 3
  truth "$design: the same with three jobs" cmp a.csv b.csv
  run $base --design $design --seed 2 --output c.csv
  truth "$design: another seed, other points" test "$(cut -d, -f2 a.csv)" != "$(cut -d, -f2 c.csv)"
  for i in 1 2 3; do run $base --design $design --shard $i/3 --output s$i.csv; done
  run merge m.csv s1.csv s2.csv s3.csv
  truth "$design: three shards" cmp a.csv m.csv
  cp a.csv "${design%:*}.csv"
done

# each of 64 layers of each axis holds one point: by design for lhs, and for 2^6 points of a Sobol net
layers='NR > 1 { a[int(($2 - 5) / 10 * 64)]++; b[int(($3 + 1) / 2 * 64)]++ }
  END { for (i = 0; i < 64; i++) if (a[i] != 1 || b[i] != 1) exit 1 }'
truth "lhs: one point a layer" awk -F, "$layers" lhs.csv
truth "sobol: one point a layer" awk -F, "$layers" sobol.csv
truth "random: not so" sh -c "! awk -F, '$layers' random.csv"
# the first two dimensions of a Sobol net are a (0,2)-net: every box 2^-j x 2^(j-6) holds one point
for j in 1 2 3 4 5; do
  truth "sobol: one point a box, $j" awk -F, -v j=$j 'NR > 1 {
      n[int(($2 - 5) / 10 * 2 ^ j) "," int(($3 + 1) / 2 * 2 ^ (6 - j))]++ }
    END { for (b in n) { boxes++; if (n[b] != 1) exit 1 }; if (boxes != 64) exit 1 }' sobol.csv
done
# independent uniform numbers: the mean of 64 is within four standard deviations, 1 / sqrt(12 64) each
truth "random: mean" awk -F, 'NR > 1 { s += ($2 - 5) / 10; q += ($3 + 1) / 2 }
  END { d = 4 / sqrt(12 * 64); s /= 64; q /= 64
        if (s < 0.5 - d || s > 0.5 + d || q < 0.5 - d || q > 0.5 + d) exit 1 }' random.csv

# all 21 dimensions of a Sobol net: one point a layer each
cat >many.mo <<'EOF'
model many
  parameter Real p[21] = fill(0, 21);
  Real x(start = 0, fixed = true);
equation
  der(x) = sum(p);
end many;
EOF
set=
k=1
while [ $k -le 21 ]; do set="$set --set p[$k]=0:1"; k=$((k + 1)); done
run sweep many.mo $set --design sobol:32 --stop 0.1 --output d.csv --quiet
code 0 "21 dimensions"
truth "one point a layer in each" awk -F, 'NR > 1 { for (k = 2; k <= 22; k++) n[k "," int($k * 32)]++ }
  END { for (k = 2; k <= 22; k++) for (i = 0; i < 32; i++) if (n[k "," i] != 1) exit 1 }' d.csv
refused 2 "a sobol design has at most 21 ranges" sweep many.mo $set --init x=0:1 --design sobol:4 --output f.csv

refused 2 "a design takes no count" sweep pendulum --set g=1:2:3 --design lhs:4 --output f.csv
refused 2 "is not grid, random:N, lhs:N or sobol:N" sweep pendulum --set g=1:2 --design lhs --output f.csv
refused 2 "is not grid, random:N, lhs:N or sobol:N" sweep pendulum --set g=1:2 --design sobol:0 --output f.csv
refused 2 "is not grid, random:N, lhs:N or sobol:N" sweep pendulum --set g=1:2 --design halton:4 --output f.csv
refused 2 "at least 0" sweep pendulum --set g=1:2 --design lhs:4 --seed -1 --output f.csv

finish
