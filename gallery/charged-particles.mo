model ChargedParticles "particles on a sphere push each other away and come to rest (index 3)"
  parameter Integer n = 20 "number of particles";
  parameter Real damping = 0.5;
  parameter Real h[n] = {(2*i - 1)/n - 1 for i in 1:n}, phi[n] = {2.2*i + 0.9*sin(1.7*i) for i in 0:n - 1};
  Real x[n](start = {sqrt(1 - h[i]^2)*cos(phi[i]) for i in 1:n});
  Real y[n](start = {sqrt(1 - h[i]^2)*sin(phi[i]) for i in 1:n});
  Real z[n](start = h), lambda[n];
  function push "(a - b)/|a - b|^2"
    input Real a[3], b[3];
    output Real f[3] = (a - b)/((a - b)*(a - b));
  algorithm
  end push;
equation
  for i in 1:n loop
    der(der({x[i], y[i], z[i]})) = {sum(if j == i then 0 else push({x[i], y[i], z[i]}, {x[j], y[j], z[j]})[k]
      for j in 1:n) for k in 1:3} - damping*der({x[i], y[i], z[i]}) - lambda[i]*{x[i], y[i], z[i]};
    (x[i]^2 + y[i]^2 + z[i]^2 - 1)/2 = 0;
  end for;
  annotation(experiment(StopTime = 10));
end ChargedParticles;
