model TrajectoryIndex4 "which input makes x1 follow cos t? (index 4)"
  Real x1, x2, x3, u;
equation
  der(x1) = x2 + x1^2;
  der(x2) = x3;
  der(x3) = u - sin(x1);
  x1 = cos(time);
  annotation(experiment(StopTime = 5));
end TrajectoryIndex4;
