model Enzyme "reaction kinetics with a quasi steady state of the complex"
  parameter Real k1 = 10, km1 = 1, k2 = 2, E0 = 0.1;
  Real S(start = 1, fixed = true) "substrate", P(start = 0, fixed = true) "product", E, ES;
equation
  der(S) = -k1*E*S + km1*ES;
  der(P) = k2*ES;
  0 = k1*E*S - (km1 + k2)*ES;
  E + ES = E0;
  annotation(experiment(StopTime = 4));
end Enzyme;
