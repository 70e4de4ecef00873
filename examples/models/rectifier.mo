model Rectifier "diode by if, with a smoothing capacitor and a load"
  parameter Real R = 100, C = 1e-4, Ron = 0.5, Goff = 1e-6, f = 50;
  constant Real pi = 3.14159265358979;
  Real vs "source", vd "diode", id "current through it", vc(start = 0, fixed = true) "load";
equation
  vs = 10*sin(2*pi*f*time);
  vs = vd + vc;
  id = if vd > 0 then vd/Ron else vd*Goff;
  C*der(vc) = id - vc/R;
  annotation(experiment(StopTime = 0.1));
end Rectifier;
