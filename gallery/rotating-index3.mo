model RotatingIndex3 "linear mechanical form, the constraint's direction turns (index 3)"
  parameter Real nu = 10, alpha = -nu^2, a1 = 0;
  Real p1(start = 1), p2(start = 1), v1(start = 1), v2(start = 1), lambda;
  Real e = exp(time), s = sin(nu*time), c = cos(nu*time);
equation
  der(p1) = v1; der(p2) = v2;
  der(v1) = a1*(p1 - e) + alpha*(v1 - e) + e + s*e/(2 - time) - s*lambda;
  der(v2) = a1*(p2 - e) + alpha*(v2 - e) + e + c*e/(2 - time) - c*lambda;
  s*(p1 - e) + c*(p2 - e) = 0;
end RotatingIndex3;
