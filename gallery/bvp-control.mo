model BvpControl "optimal control of an index-2 system, with its costates p (index 2)"
  parameter Real w = 15 "weight of the state in the cost 1/2 int u^2 + w x1^2";
  Real x1(start = 1), x2(start = 1), p1, p2, y, nu;
  Real u = -p2 "the control";
equation
  der(x1) = x2 + y;
  der(x2) = -y + u;
  der(p1) = -w*x1 - nu;
  der(p2) = -p1 + nu;
  x1 - x2 = 0;
  p1 - p2 = 0;
initial equation
  x1(startTime) = 1;
  p1(finalTime) = 0 "the end is free";
end BvpControl;
