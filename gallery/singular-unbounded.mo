model SingularUnbounded "constraint singular at t = 1/2, multiplier with a pole (index 2)"
  Real x1(start = 1), x2, y;
equation
  der(x1) = -x1 + x2 - sin(time) - (1 + 2*time);
  der(x2) = -x1*y;
  x1^2 + x1*(x2 - sin(time) - 1 + 2*time) = 0;
end SingularUnbounded;
