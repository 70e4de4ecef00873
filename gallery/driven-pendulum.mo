model DrivenPendulum "pendulum driven along a prescribed swing (index 3)"
  parameter Real gravity = 2;
  Real p1(start = sin(0.4)), p2(start = -cos(0.4)), v1, v2, lambda;
  Real s = 1.6 + gravity*sin(0.4 + 0.8*time^2);
equation
  der(p1) = v1; der(p2) = v2;
  der(v1) = -lambda*p1 - s*p2;
  der(v2) = -lambda*p2 + s*p1 - gravity;
  (p1^2 + p2^2 - 1)/2 = 0;
  annotation(__Daedal(draw = {line({0, 0}, {p1, p2}), ground({0, 0}), circle({p1, p2}), force({p1, p2}, {-lambda*p1, -lambda*p2})}));
end DrivenPendulum;
