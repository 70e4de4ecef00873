model CrankRocker "four bars with angles: the loop is closed by two equations (index 3)"
  parameter Real a = 1, b = 3, c = 2.5, d = 3, J1 = 0.1, J2 = 0.5, J3 = 0.4, k = 0.05 "friction";
  Real phi1(start = 0.3, fixed = true), phi2(start = 0.7), phi3(start = 1.5) "guesses choose the branch";
  Real w1(start = 5, fixed = true), w2, w3, lx, ly "forces that keep the loop closed";
equation
  w1 = der(phi1); w2 = der(phi2); w3 = der(phi3);
  J1*der(w1) = -k*w1 - a*sin(phi1)*lx + a*cos(phi1)*ly;
  J2*der(w2) = -b*sin(phi2)*lx + b*cos(phi2)*ly;
  J3*der(w3) = c*sin(phi3)*lx - c*cos(phi3)*ly;
  a*cos(phi1) + b*cos(phi2) = d + c*cos(phi3);
  a*sin(phi1) + b*sin(phi2) = c*sin(phi3);
  annotation(experiment(StopTime = 5));
end CrankRocker;
