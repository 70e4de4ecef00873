model RotatingIndex2 "linear, the constraint's direction turns (index 2)"
  parameter Real nu = 10;
  Real x1(start = 1), x2(start = 1), y;
  Real e = exp(time), s = sin(nu*time), c = cos(nu*time);
equation
  der(x1) = -x1 + 2*e + s*(y + e/(2 - time));
  der(x2) = -x2 + 2*e + c*(y + e/(2 - time));
  s*(x1 - e) + c*(x2 - e) = 0;
end RotatingIndex2;
