model Kepler "planet on an ellipse, energy as invariant (ODE)"
  parameter Real c = 0.5 "distance at the start, 1 is a circle";
  Real p1(start = c), p2, v1, v2(start = sqrt(2/c - 1));
  Real r2 = p1^2 + p2^2, r3 = r2*sqrt(r2);
equation
  der(p1) = v1; der(p2) = v2;
  der(v1) = -p1/r3;
  der(v2) = -p2/r3;
  (v1^2 + v2^2)/2 - 1/sqrt(r2) = -1/2 annotation(__Daedal_invariant = true);
  annotation(experiment(StopTime = 12.566370614359172954), __Daedal(draw = {circle({0, 0}, 0.1), circle({p1, p2}), force({p1, p2}, {-p1/r3, -p2/r3}), trace({p1, p2})}));
end Kepler;
