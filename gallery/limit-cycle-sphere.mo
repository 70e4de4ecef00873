model LimitCycleSphere "attracting cycle on the sphere, nonlinear in the multiplier (index 2)"
  parameter Real eps = 0.2 "0: linear in the multiplier";
  Real u1(start = 0.6), u2, u3(start = 0.8), lambda(start = 1.3);
  Real mu = 1 + 0.5*u1 + 0.3*u2*u3, k = 2*(0.3 - u3), d = mu - lambda, c = eps*(mu^3 - lambda^3)/3;
equation
  der(u1) = -u2 - k*u1*u3 + d*(u1 + 0.3) - c*u2;
  der(u2) = u1 - k*u2*u3 + d*u2 + c*u1;
  der(u3) = k*(u1^2 + u2^2) + d*(u3 - 0.2);
  (u1^2 + u2^2 + u3^2 - 1)/2 = 0;
  annotation(experiment(StopTime = 10), __Daedal(draw = {line({0, 0, 0}, {u1, u2, u3}), ground({0, 0, 0}), circle({u1, u2, u3}), trace({u1, u2, u3})}));
end LimitCycleSphere;
