model DrivenSphere "path on the sphere, quadratic in the multiplier (index 2)"
  Real u1(start = sin(0.7)*cos(0.3)), u2(start = sin(0.7)*sin(0.3)), u3(start = cos(0.7)), y(start = 1);
  Real a = 0.7 + 0.5*time, b = 0.3 + time, ye = 1 + sin(time)/2;
  Real s = y + y^2/4, se = ye + ye^2/4;
equation
  der(u1) = (u2 - sin(a)*sin(b)) + u1*s - sin(a)*cos(b)*se + 0.5*cos(a)*cos(b) - sin(a)*sin(b);
  der(u2) = 9*(u1 - sin(a)*cos(b)) + u2*s - sin(a)*sin(b)*se + 0.5*cos(a)*sin(b) + sin(a)*cos(b);
  der(u3) = -2*(u3 - cos(a)) + u3*s - cos(a)*se - 0.5*sin(a);
  (u1^2 + u2^2 + u3^2 - 1)/2 = 0;
  annotation(__Daedal(draw = {line({0, 0, 0}, {u1, u2, u3}), ground({0, 0, 0}), circle({u1, u2, u3}), trace({u1, u2, u3})}));
end DrivenSphere;
