model Amplifier "two transistors; capacitors are states, currents of a node add up to zero"
  parameter Real R0 = 1000, R = 9000, Ub = 6, Uf = 0.026, alpha = 0.99, beta = 1e-6;
  parameter Real C[5] = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6};
  Real U[8](start = {0, 3, 3, 6, 3, 3, 6, 0}); // of the nodes
  Real V[5](start = {-3, 3, 3, 3, 6}, each fixed = true); // of the capacitors
  Real I[5], g1, g2; // through capacitors and transistors
equation
  V = {U[1] - U[2], U[3], U[4] - U[5], U[6], U[7] - U[8]};
  for k in 1:5 loop
    C[k]*der(V[k]) = I[k];
  end for;
  g1 = beta*(exp((U[2] - U[3])/Uf) - 1);
  g2 = beta*(exp((U[5] - U[6])/Uf) - 1);
  I[1] = (0.1*sin(200*Modelica.Constants.pi*time) - U[1])/R0;
  -I[1] = Ub/R - 2*U[2]/R - (1 - alpha)*g1;
  I[2] = g1 - U[3]/R;
  I[3] = (Ub - U[4])/R - alpha*g1;
  -I[3] = Ub/R - 2*U[5]/R - (1 - alpha)*g2;
  I[4] = g2 - U[6]/R;
  I[5] = (Ub - U[7])/R - alpha*g2;
  I[5] = U[8]/R;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-8));
end Amplifier;
