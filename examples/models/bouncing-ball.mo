model BouncingBall "until it bounces no more"
  parameter Real e = 0.8, g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Boolean flying(start = true);
  Integer bounces(start = 0);
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when h < 0 then
    bounces = pre(bounces) + 1;
    flying = abs(v) > 0.1;
    reinit(v, if flying then -e*pre(v) else 0);
    reinit(h, 0);
  end when;
  annotation(experiment(StopTime = 10));
end BouncingBall;
