model FourBar "four-bar linkage through its change point (index 3)"
  parameter Real ground = 4, crank = 1, coupler = 3, rocker = 2 "change point: ground + crank = coupler + rocker";
  parameter Real m1 = 1, m2 = 1, g = 9.81, angle = 1 "of the crank at the start", rate = 6 "and its rate";
  Real x1(start = crank*cos(angle), fixed = true), y1(start = crank*sin(angle));
  Real x2(start = 2.9), y2(start = 1.6) "a guess chooses the branch";
  Real vx1(start = -crank*sin(angle)*rate, fixed = true), vy1(start = crank*cos(angle)*rate), vx2, vy2;
  Real lambda1, lambda2, lambda3;
equation
  der({x1, y1, x2, y2}) = {vx1, vy1, vx2, vy2};
  m1*der(vx1) = -lambda1*x1/crank + lambda2*(x2 - x1)/coupler;
  m1*der(vy1) = -lambda1*y1/crank + lambda2*(y2 - y1)/coupler - m1*g;
  m2*der(vx2) = -lambda2*(x2 - x1)/coupler - lambda3*(x2 - ground)/rocker;
  m2*der(vy2) = -lambda2*(y2 - y1)/coupler - lambda3*y2/rocker - m2*g;
  (x1^2 + y1^2 - crank^2)/(2*crank) = 0;
  ((x2 - x1)^2 + (y2 - y1)^2 - coupler^2)/(2*coupler) = 0;
  ((x2 - ground)^2 + y2^2 - rocker^2)/(2*rocker) = 0;
  annotation(experiment(StopTime = 2));
end FourBar;
