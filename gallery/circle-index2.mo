model CircleIndex2 "on a circle of changing radius (index 2)"
  Real x1(start = 1), x2, y;
equation
  der(x1) = 1 - exp(-time) - x1*y;
  der(x2) = cos(time) + exp(time)*sin(time) - x2*y;
  (x1^2 + x2^2 - exp(-2*time) - sin(time)^2)/2 = 0;
end CircleIndex2;
