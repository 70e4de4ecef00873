model SingularDirection "constraint vanishes at t = pi/2, its limit depends on the direction (index 2)"
  constant Real pi = 3.14159265358979323846;
  Real x1(start = -pi/2), x2(start = pi/2), y;
  Real s1 = sin(x1), s2 = sin(x2);
equation
  der(x1) = s2/(s2 - s1) - s1*y;
  der(x2) = (2*s2 - s1)/(s2 - s1) - s2*y;
  -cos(x1) - cos(x2) = 0;
  annotation(experiment(StopTime = 1.5));
end SingularDirection;
