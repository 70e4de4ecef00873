model DoublePendulum "two rods, Cartesian coordinates (index 3)"
  parameter Real m1 = 1, m2 = 1, L1 = 1, L2 = 0.8, g = 9.81;
  Real x1(start = 1, fixed = true), y1(start = 0), x2(start = 1.8, fixed = true), y2(start = 0);
  Real vx1(start = 0, fixed = true), vy1, vx2(start = 0, fixed = true), vy2, T1 "forces of the rods", T2;
  Real E = m1*(vx1^2 + vy1^2)/2 + m2*(vx2^2 + vy2^2)/2 + m1*g*y1 + m2*g*y2 "energy";
equation
  der(x1) = vx1; der(y1) = vy1; der(x2) = vx2; der(y2) = vy2;
  m1*der(vx1) = -T1*x1/L1 + T2*(x2 - x1)/L2;
  m1*der(vy1) = -T1*y1/L1 + T2*(y2 - y1)/L2 - m1*g;
  m2*der(vx2) = -T2*(x2 - x1)/L2;
  m2*der(vy2) = -T2*(y2 - y1)/L2 - m2*g;
  x1^2 + y1^2 = L1^2;
  (x2 - x1)^2 + (y2 - y1)^2 = L2^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end DoublePendulum;
