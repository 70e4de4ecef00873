model BvpLinearIndex3 "linear mechanical form, p1 given at both ends (index 3)"
  parameter Real nu = 10 "large: M^-1 G' and G' are almost orthogonal", alpha = 1 "damping";
  parameter Real m11 = (nu^2 + (nu - 1)^2)/nu^2, m12 = -(2*nu - 1)/nu;
  Real p1(start = 1), p2(start = 1), v1(start = 1), v2(start = 1), lambda;
  Real e = exp(time), c = 1/(2 + time), s = 2 - time;
  Real M[2, 2] = c*[m11/s, m12; m12, 2*s];
equation
  der(p1) = v1; der(p2) = v2;
  M*{der(v1), der(v2)} = {e*(c*(m11/s + m12) + 1/s), e*(c*(m12 + 2*s) - 1) + c*alpha/nu*(v2 - e)}
    - lambda*{1, -s};
  p1 + (time - 2)*p2 = (time - 1)*e;
initial equation
  p1(startTime) = 1;
  p1(finalTime) = exp(1);
end BvpLinearIndex3;
