model LimitCycleParaboloid "Hopf normal form on a paraboloid, attracting circle (index 2)"
  Real x(start = 0.3), y(start = 0.4), w(start = 0.25), lambda;
equation
  der(x) = x*(1 - w) - y;
  der(y) = x + y*(1 - w);
  der(w) = lambda;
  w - x^2 - y^2 = 0;
  annotation(experiment(StopTime = 10));
end LimitCycleParaboloid;
