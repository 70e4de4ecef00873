model VanDerPol "relaxation oscillations: long creeping, then a jump"
  parameter Real eps = 1e-6;
  Real x(start = 2, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  eps*der(v) = (1 - x^2)*v - x;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end VanDerPol;
