model CubicInvariant "stable on the invariant z = t^3, unstable beside it (ODE)"
  parameter Real nu = 1000 "how fast y grows beside the invariant";
  Real z, y(start = 1);
equation
  der(z) = 3*time^2;
  der(y) = -(1 + nu*(z - time^3))*y;
  z = time^3 annotation(__Daedal_invariant = true);
  annotation(experiment(StopTime = 5));
end CubicInvariant;
