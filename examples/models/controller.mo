model Controller "feedthrough and saturation make an algebraic loop; the reference jumps"
  parameter Real K = 5, most = 2;
  Real r = if time < 1 then 0 else 1, e, u, y, x(start = 0, fixed = true);
equation
  e = r - y;
  u = most*tanh(K*e/most);
  der(x) = -x + u;
  y = x + 0.3*u;
  annotation(experiment(StopTime = 10));
end Controller;
