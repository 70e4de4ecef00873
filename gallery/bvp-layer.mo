model BvpLayer "a boundary layer of width eps at the right end"
  parameter Real eps = 1e-3 "width of the layer";
  Real u(start = 1 + exp(-1/eps) + time*(exp(1) - exp(-1/eps)));
equation
  eps*der(der(u)) = der(u) + (eps - 1)*exp(time);
initial equation
  u(startTime) = 1 + exp(-1/eps);
  u(finalTime) = exp(1) + 1;
end BvpLayer;
