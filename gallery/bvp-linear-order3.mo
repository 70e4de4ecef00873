model BvpLinearOrder3 "third order with a position constraint, three values given (index 4)"
  parameter Real nu = 2;
  Real x1(start = 1), x2, v1(start = 1), v2(start = 2), a1(start = 1), a2, y;
  Real e = exp(time), s = sin(2*time), c = cos(2*time), d = y - e/(2 - time);
equation
  der(x1) = v1; der(x2) = v2; der(v1) = a1; der(v2) = a2;
  der(a1) = x1 - v1 + a2 + nu*(2 - time)*d + e + 4*s;
  der(a2) = x2 - v2 - a1 + (nu - 1)*d - 6*c - s + e;
  x1 - e + (time - 2)*(x2 - s) = 0;
initial equation
  x1(startTime) = 1;
  v1(startTime) = 1;
  x1(finalTime) = exp(1);
end BvpLinearOrder3;
