model RingRedundant "closed ring of n rods that hangs from a joint; one rod is stated twice if asked (index 3)"
  parameter Integer n = 10 "number of rods", duplicate = 0 "1: the rod opposite to the support is stated twice";
  parameter Real length = 2 "of the whole ring", mass = 1 "of the whole ring", g = 9.81;
  parameter Real rate = 3 "at which the ring turns about the support at the start";
  final parameter Integer h = div(n, 2) + 1 "the rod between joints h - 1 and h";
  constant Real pi = 3.14159265358979323846;
  final parameter Real L = length/n, m = mass/n, R = L/(2*sin(pi/n));
  Real x[n - 1](start = {R*sin(2*pi*i/n) for i in 1:n - 1}), y[n - 1](start = {R*(cos(2*pi*i/n) - 1) for i in 1:n - 1});
  Real vx[n - 1](start = {-rate*R*(cos(2*pi*i/n) - 1) for i in 1:n - 1});
  Real vy[n - 1](start = {rate*R*sin(2*pi*i/n) for i in 1:n - 1}), lambda[n + duplicate];
  Real dx[n] = cat(1, {x[1]}, x[2:n - 1] - x[1:n - 2], {x[n - 1]})/L;
  Real dy[n] = cat(1, {y[1]}, y[2:n - 1] - y[1:n - 2], {y[n - 1]})/L;
  Real T[n] = {lambda[i] + (if i == h and duplicate == 1 then lambda[n + duplicate] else 0) for i in 1:n};
equation
  der(x) = vx;
  der(y) = vy;
  for i in 1:n - 1 loop
    m*der(vx[i]) = -T[i]*dx[i] + (if i < n - 1 then T[i + 1]*dx[i + 1] else -T[n]*dx[n]);
    m*der(vy[i]) = -T[i]*dy[i] + (if i < n - 1 then T[i + 1]*dy[i + 1] else -T[n]*dy[n]) - m*g;
  end for;
  for i in 1:n loop
    (dx[i]^2 + dy[i]^2 - 1)*L/2 = 0;
  end for;
  for i in 1:duplicate loop
    (dx[h]^2 + dy[h]^2 - 1)*L/2 = 0;
  end for;
end RingRedundant;
