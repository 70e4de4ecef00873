model PendulumChain "chain of n point masses on rods (index 3)"
  parameter Integer n = 10 "number of masses";
  parameter Real length = 1 "of the whole chain", mass = 1 "of the whole chain", g = 9.81, angle = 0.5;
  parameter Real L = length/n, m = mass/n;
  Real x[n](start = {i*L*sin(angle) for i in 1:n}), y[n](start = {-i*L*cos(angle) for i in 1:n}), lambda[n];
  Real dx[n] = cat(1, {x[1]}, x[2:n] - x[1:n - 1])/L, dy[n] = cat(1, {y[1]}, y[2:n] - y[1:n - 1])/L;
equation
  for i in 1:n - 1 loop
    m*der(der(x[i])) = -lambda[i]*dx[i] + lambda[i + 1]*dx[i + 1];
    m*der(der(y[i])) = -lambda[i]*dy[i] + lambda[i + 1]*dy[i + 1] - m*g;
  end for;
  m*der(der(x[n])) = -lambda[n]*dx[n];
  m*der(der(y[n])) = -lambda[n]*dy[n] - m*g;
  for i in 1:n loop
    (dx[i]^2 + dy[i]^2 - 1)*L/2 = 0;
  end for;
end PendulumChain;
