model Robertson "three reactions with rates of 0.04, 1e4 and 3e7; nothing is lost"
  Real a(start = 1, fixed = true), b(start = 0, fixed = true), c;
equation
  der(a) = -0.04*a + 1e4*b*c;
  der(b) = 0.04*a - 1e4*b*c - 3e7*b^2;
  a + b + c = 1;
  annotation(experiment(StopTime = 1e11, Tolerance = 1e-10));
end Robertson;
