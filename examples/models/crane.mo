model Crane "which forces on trolley and cable move the load along a path? (index 5)"
  parameter Real M1 = 5 "trolley", M2 = 100 "load", J = 1 "winch", g = 9.81;
  Real x "load", z, d "trolley", l(start = 4) "cable", th(start = 0) "its angle", T(start = 981) "its force", u1, u2;
  Real s = min(time/4, 1), p = s^4*(35 - 84*s + 70*s^2 - 20*s^3) "from 0 to 1 without a jerk";
equation
  M1*der(der(d)) = u1 + T*sin(th);
  J*der(der(l)) = T - u2;
  M2*der(der(x)) = -T*sin(th);
  M2*der(der(z)) = -T*cos(th) + M2*g;
  x = d + l*sin(th);
  z = l*cos(th);
  x = 3*p;
  z = 4 - p;
  annotation(experiment(StopTime = 5));
end Crane;
