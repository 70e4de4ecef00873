model PhaseLockTorus "two rotors on a torus lock their phases (index 2)"
  Real x1(start = 1), y1, x2(start = cos(1)), y2(start = sin(1)), lambda1, lambda2;
  Real W1 = 1 + 0.4*x1, W2 = 1 + 0.4*x2 + 1.5*(y1*x2 - x1*y2);
  Real d1 = 1 + 0.5*y2 - lambda1, d2 = x1*x2 - lambda2;
equation
  der(x1) = -y1*W1 + (x1 + 0.2)*d1;
  der(y1) = x1*W1 + y1*d1 + 0.1*d2;
  der(x2) = -y2*W2 + 0.1*d1 + x2*d2;
  der(y2) = x2*W2 + (y2 + 0.3)*d2;
  (x1^2 + y1^2 - 1)/2 = 0;
  (x2^2 + y2^2 - 1)/2 = 0;
  annotation(experiment(StopTime = 10));
end PhaseLockTorus;
