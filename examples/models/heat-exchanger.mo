model HeatExchanger "counter flow, N cells a side"
  parameter Integer N = 10;
  parameter Real mh = 0.5 "kg/s", mc = 0.8, cp = 4180, UA = 3000, M = 2 "kg in a cell", Thin = 360, Tcin = 290;
  Real Th[N](each start = 300, each fixed = true), Tc[N](each start = 300, each fixed = true), Q[N], total = sum(Q);
equation
  for i in 1:N loop
    Q[i] = UA/N*(Th[i] - Tc[N + 1 - i]);
    M*cp*der(Th[i]) = mh*cp*((if i == 1 then Thin else Th[i - 1]) - Th[i]) - Q[i];
    M*cp*der(Tc[i]) = mc*cp*((if i == 1 then Tcin else Tc[i - 1]) - Tc[i]) + Q[N + 1 - i];
  end for;
  annotation(experiment(StopTime = 2000));
end HeatExchanger;
