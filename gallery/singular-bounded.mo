model SingularBounded "constraint singular at t = 1/2, multiplier bounded (index 2)"
  Real x1(start = -0.5), x2(start = -0.25), y;
equation
  der(x1) = 1 + (time - 0.5)*exp(time) - x1*y;
  der(x2) = 2*time + (time^2 - 0.25)*exp(time) - x2*y;
  (x1^2 + x2^2 - (time - 0.5)^2 - (time^2 - 0.25)^2)/2 = 0;
end SingularBounded;
