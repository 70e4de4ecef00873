model Akzo "a chemical process at Akzo Nobel: carbon dioxide is added to two species; index 1"
  parameter Real k[4] = {18.7, 0.58, 0.09, 0.42}, K = 34.4, klA = 3.3, pCO2 = 0.9, H = 737, Ks = 115.83;
  Real y[6](start = {0.444, 0.00123, 0, 0.007, 0, 0.36});
  Real r[5], inflow;
initial equation
  y[1] = 0.444; y[2] = 0.00123; y[3] = 0; y[4] = 0.007; y[5] = 0;
equation
  r = {k[1]*y[1]^4*sqrt(y[2]), k[2]*y[3]*y[4], k[2]/K*y[1]*y[5], k[3]*y[1]*y[4]^2, k[4]*y[6]^2*sqrt(y[2])};
  inflow = klA*(pCO2/H - y[2]);
  der(y[1]) = -2*r[1] + r[2] - r[3] - r[4];
  der(y[2]) = -r[1]/2 - r[4] - r[5]/2 + inflow;
  der(y[3]) = r[1] - r[2] + r[3];
  der(y[4]) = -r[2] + r[3] - 2*r[4];
  der(y[5]) = r[2] - r[3] + r[5];
  0 = Ks*y[1]*y[4] - y[6];
  annotation(experiment(StopTime = 180));
end Akzo;
