model Thermostat "a Boolean with hysteresis"
  parameter Real Tset = 20, band = 0.5, Tout = 5, P = 2000, G = 80, C = 1e5;
  Real T(start = 15, fixed = true);
  Boolean on(start = true);
equation
  C*der(T) = (if on then P else 0) - G*(T - Tout);
  when T < Tset - band then
    on = true;
  elsewhen T > Tset + band then
    on = false;
  end when;
  annotation(experiment(StopTime = 7200));
end Thermostat;
