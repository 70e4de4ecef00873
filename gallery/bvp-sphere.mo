model BvpSphere "path on the sphere, quadratic in the multiplier, u1 given at both ends (index 2)"
  Real u1(start = 0.62 - 0.37*time), u2(start = 0.19 + 0.71*time), u3(start = 0.76 - 0.4*time), y(start = 1) "start: the guess";
  Real a = 0.7 + 0.5*time, b = 0.3 + time, ye = 1 + sin(time)/2;
  Real s = y + y^2/4, se = ye + ye^2/4;
equation
  der(u1) = (u2 - sin(a)*sin(b)) + u1*s - sin(a)*cos(b)*se + 0.5*cos(a)*cos(b) - sin(a)*sin(b);
  der(u2) = 9*(u1 - sin(a)*cos(b)) + u2*s - sin(a)*sin(b)*se + 0.5*cos(a)*sin(b) + sin(a)*cos(b);
  der(u3) = -2*(u3 - cos(a)) + u3*s - cos(a)*se - 0.5*sin(a);
  (u1^2 + u2^2 + u3^2 - 1)/2 = 0;
initial equation
  u1(startTime) = sin(0.7)*cos(0.3);
  u1(finalTime) = sin(1.2)*cos(1.3);
  annotation(__Daedal(draw = {line({0, 0, 0}, {u1, u2, u3}), ground({0, 0, 0}), circle({u1, u2, u3}), trace({u1, u2, u3})}));
end BvpSphere;
