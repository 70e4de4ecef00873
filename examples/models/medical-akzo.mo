model MedicalAkzo "antibodies in tumorous tissue, a half-line mapped to N cells (Test Set for IVP Solvers)"
  parameter Integer N = 200;
  parameter Real k = 100 "rate of binding", c = 4 "of the map z = x/(x + c)", w = 1/N;
  Real u[N](each start = 0, each fixed = true) "antibodies", v[N](each start = 1, each fixed = true) "substrate";
  Real inflow = if time <= 5 then 2 else 0;
equation
  for j in 1:N - 1 loop
    der(u[j]) = ((j*w - 1)^2/c)^2*((if j == 1 then inflow else u[j - 1]) - 2*u[j] + u[j + 1])/w^2
      + 2*(j*w - 1)^3/c^2*(u[j + 1] - (if j == 1 then inflow else u[j - 1]))/(2*w) - k*u[j]*v[j];
  end for;
  der(u[N]) = -k*u[N]*v[N];
  for j in 1:N loop
    der(v[j]) = -k*u[j]*v[j];
  end for;
  annotation(experiment(StopTime = 20));
end MedicalAkzo;
