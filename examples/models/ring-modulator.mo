model RingModulator "two signals mixed by four diodes in a ring (Horneber 1985)"
  parameter Real C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, R = 25e3, Rp = 50, Lh = 4.45, L1 = 2e-3, L2 = 5e-4, L3 = 5e-4;
  parameter Real G1 = 36.3, G2 = 17.3, G3 = 17.3, Ri = 50, Rc = 600, gamma = 40.67286402e-9, delta = 17.7493332;
  Real U[7] "of the capacitors", I[8] "through the coils";
  Real in1 = 0.5*sin(2000*Modelica.Constants.pi*time), in2 = 2*sin(20000*Modelica.Constants.pi*time);
  Real V[4] "of the diodes", q[4] "currents through them";
equation
  V = {U[3] - U[5] - U[7] - in2, -U[4] + U[6] - U[7] - in2, U[4] + U[5] + U[7] + in2, -U[3] - U[6] + U[7] + in2};
  for k in 1:4 loop
    q[k] = gamma*(exp(delta*V[k]) - 1);
  end for;
  C*der(U[1]) = I[1] - I[3]/2 + I[4]/2 + I[7] - U[1]/R;
  C*der(U[2]) = I[2] - I[5]/2 + I[6]/2 + I[8] - U[2]/R;
  Cs*der(U[3]) = I[3] - q[1] + q[4];
  Cs*der(U[4]) = -I[4] + q[2] - q[3];
  Cs*der(U[5]) = I[5] + q[1] - q[3];
  Cs*der(U[6]) = -I[6] - q[2] + q[4];
  Cp*der(U[7]) = -U[7]/Rp + q[1] + q[2] - q[3] - q[4];
  Lh*der(I[1]) = -U[1];
  Lh*der(I[2]) = -U[2];
  L2*der(I[3]) = U[1]/2 - U[3] - G2*I[3];
  L3*der(I[4]) = -U[1]/2 + U[4] - G3*I[4];
  L2*der(I[5]) = U[2]/2 - U[5] - G2*I[5];
  L3*der(I[6]) = -U[2]/2 + U[6] - G3*I[6];
  L1*der(I[7]) = -U[1] + in1 - (Ri + G1)*I[7];
  L1*der(I[8]) = -U[2] - (Rc + G1)*I[8];
  annotation(experiment(StopTime = 1e-3, Tolerance = 1e-7));
end RingModulator;
