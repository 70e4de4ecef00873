model Pendulum "point mass on a rod, swinging from the horizontal (index 3)"
  parameter Real g = 13.750371636040745654980191559621114396 "gravity: the period is 2";
  Real x(start = 1), y(start = 0), lambda;
equation
  der(der(x)) = -2*lambda*x;
  der(der(y)) = -2*lambda*y - g;
  x^2 + y^2 = 1;
  annotation(experiment(StopTime = 30.3));
end Pendulum;
