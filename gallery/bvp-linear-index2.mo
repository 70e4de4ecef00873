model BvpLinearIndex2 "a growing and a falling mode, held by values at both ends (index 2)"
  parameter Real kappa = 4 "growth of the two modes";
  Real x1(start = 1 + 1.7*time), x2(start = 1 - 1.4*time), x3(start = 1 + 0.4*time), y;
  Real e = exp(time), d1 = x1 - e, d2 = x2 - cos(2*time), d3 = x3 - exp(-time) - time^2, dy = y - e/(2 - time);
equation
  der(x1) = d2 + 0.5*dy + e;
  der(x2) = kappa^2*d1 + time*dy - 2*sin(2*time);
  der(x3) = d2 - d3 + (1 + time)*dy - exp(-time) + 2*time;
  cos(time)*d1 + 0.5*d2 + d3 = 0;
initial equation
  x1(startTime) = 1;
  x1(finalTime) = exp(1);
end BvpLinearIndex2;
