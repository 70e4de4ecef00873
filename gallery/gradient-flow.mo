model GradientFlow "steepest descent on an ellipsoid (index 2)"
  Real u1(start = 0.2), u2(start = sqrt(0.24)), u3(start = 0.4), lambda;
equation
  der(u1) = -u1*(1 + lambda) - 0.3;
  der(u2) = -2*u2*(1 + lambda) + 0.2;
  der(u3) = -u3*(4 + 3*lambda) - 0.1;
  (u1^2 + 2*u2^2 + 3*u3^2 - 1)/2 = 0;
  annotation(experiment(StopTime = 20));
end GradientFlow;
