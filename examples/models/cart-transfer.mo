model CartTransfer "least effort from rest to rest by the maximum principle: a boundary value problem"
  Real x, v, p1 "costates", p2, u "control";
  Real H = u^2/2 + p1*v + p2*(u - 0.5*v*abs(v)) "does not change along the way";
equation
  der(x) = v;
  der(v) = u - 0.5*v*abs(v);
  der(p1) = 0;
  der(p2) = -p1 + p2*abs(v);
  u = -p2;
initial equation
  x(startTime) = 0;
  v(startTime) = 0;
  x(finalTime) = 1;
  v(finalTime) = 0;
end CartTransfer;
