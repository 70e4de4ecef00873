model BvpEigenvalue "an eigenvalue of Mathieu's equation: a number that is not known is a variable that does not change"
  parameter Real q = 5;
  Real u(start = cos(4*time)), v, lambda(start = 16);
equation
  der(u) = v;
  der(v) = -(lambda - 2*q*cos(2*time))*u;
  der(lambda) = 0;
initial equation
  u(startTime) = 1;
  v(startTime) = 0;
  v(finalTime) = 0;
  annotation(experiment(StopTime = 3.14159265358979323846));
end BvpEigenvalue;
