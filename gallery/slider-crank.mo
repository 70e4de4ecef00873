model SliderCrank "rigid slider-crank, driven and damped at the shaft (index 3)"
  parameter Real J1 = 10 "inertia of the crank", J2 = 1 "inertia of the rod", m2 = 1 "mass of the rod";
  parameter Real g = 9.81, r = 1 "crank", l = 3 "rod", l1 = 2 "crank pin to the centre of the rod";
  Real theta, x2(start = r + l1), y2, psi;
  Real w(start = -1), vx, vy(start = -(l - l1)*r/l), wpsi(start = -r/l);
  Real lambda1, lambda2, lambda3;
equation
  der(theta) = w; der(x2) = vx; der(y2) = vy; der(psi) = wpsi;
  J1*der(w) = sin(time) - w - lambda1*r*sin(theta) - lambda2*r*cos(theta);
  m2*der(vx) = -lambda1;
  m2*der(vy) = -m2*g - lambda3;
  J2*der(wpsi) = -lambda1*l1*sin(psi) + lambda2*l*cos(psi) + lambda3*(l - l1)*cos(psi);
  x2 - r*cos(theta) - l1*cos(psi) = 0;
  r*sin(theta) - l*sin(psi) = 0;
  y2 - (l - l1)*sin(psi) = 0;
  annotation(experiment(StopTime = 10), __Daedal(draw = {curve({-r, 0}, {r + l, 0}), line({0, 0}, {r*cos(theta), r*sin(theta)}, {r*cos(theta) + l*cos(psi), 0}),
    ground({0, 0}), circle({r*cos(theta), r*sin(theta)}), circle({x2, y2}), circle({r*cos(theta) + l*cos(psi), 0}),
    force({x2, y2}, {-lambda1, -lambda3})}));
end SliderCrank;
