model BvpRotatingIndex3 "the constraint's direction turns, p1 given at both ends (index 3)"
  parameter Real nu = 10, alpha = 1 "unstable as an initial value problem", a1 = 0;
  Real p1(start = 1), p2(start = 1), v1(start = 1), v2(start = 1), lambda;
  Real e = exp(time), s = sin(nu*time), c = cos(nu*time);
equation
  der(p1) = v1; der(p2) = v2;
  der(v1) = a1*(p1 - e) + alpha*(v1 - e) + e + s*e/(2 - time) - s*lambda;
  der(v2) = a1*(p2 - e) + alpha*(v2 - e) + e + c*e/(2 - time) - c*lambda;
  s*(p1 - e) + c*(p2 - e) = 0;
initial equation
  p1(startTime) = 1;
  p1(finalTime) = exp(1);
end BvpRotatingIndex3;
