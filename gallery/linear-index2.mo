model LinearIndex2 "linear, constraint force almost along the constraint (index 2)"
  parameter Real nu = 10;
  Real x1(start = 1), x2(start = 1), y;
equation
  der(x1) = (2 - time)*nu*y + (1 + nu)*exp(time);
  der(x2) = (nu - 1)*y + (1 + (nu - 1)/(2 - time))*exp(time);
  (time + 2)*(x1 + (time - 2)*x2 - (time - 1)*exp(time)) = 0;
end LinearIndex2;
