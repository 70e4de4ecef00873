model BvpElastica "a thin rod bent between two clamps, its end force F unknown (index 3)"
  constant Real a = 0.754658324338263, b = 1.1765669748141883 "angles of the clamps";
  constant Real xe = 0.1363397213064734, ye = 0.9600396623455795 "where the second one is";
  Real x(start = xe*time), y(start = ye*time) "position";
  Real u1(start = cos(a + (b - a)*time + 2*time*(1 - time))), u2(start = sin(a + (b - a)*time + 2*time*(1 - time))) "tangent";
  Real F1(start = -4), F2, lambda(start = 8) "unknown numbers are variables that do not change";
equation
  der(x) = u1;
  der(y) = u2;
  der(der(u1)) = -F1 - lambda*u1;
  der(der(u2)) = -F2 - lambda*u2;
  der(F1) = 0;
  der(F2) = 0;
  (u1^2 + u2^2 - 1)/2 = 0;
initial equation
  x(startTime) = 0;
  y(startTime) = 0;
  u2(startTime) = sin(a);
  x(finalTime) = xe;
  y(finalTime) = ye;
  u2(finalTime) = sin(b);
end BvpElastica;
