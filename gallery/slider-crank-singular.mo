model SliderCrankSingular "two equal bars pass through a singular position (index 3)"
  constant Real pi = 3.14159265358979323846;
  parameter Real phi = 7*pi/4 "angle of the crank at the start", rate = 0 "and its rate";
  parameter Real l = 1 "length of a bar", m = 1, J = 1/12, g = 9.81;
  Real x1(start = l/2*cos(phi)), y1(start = l/2*sin(phi)), phi1(start = phi);
  Real x2(start = 1.5*l*cos(phi)), y2(start = l/2*sin(phi)), phi2(start = 2*pi - phi);
  Real u1(start = -l/2*sin(phi)*rate), v1(start = l/2*cos(phi)*rate), w1(start = rate);
  Real u2(start = -1.5*l*sin(phi)*rate), v2(start = l/2*cos(phi)*rate), w2(start = -rate);
  Real lambda1, lambda2, lambda3, lambda4, lambda5;
equation
  der({x1, y1, phi1, x2, y2, phi2}) = {u1, v1, w1, u2, v2, w2};
  m*der(u1) = -lambda1;
  m*der(v1) = -m*g - lambda2;
  J*der(w1) = -l*(lambda1*sin(phi1)/2 - lambda2*cos(phi1)/2 + lambda3*sin(phi1) - lambda4*cos(phi1)
    + lambda5*cos(phi1));
  m*der(u2) = -lambda3;
  m*der(v2) = -m*g - lambda4;
  J*der(w2) = -l*(lambda3*sin(phi2)/2 - lambda4*cos(phi2)/2 + lambda5*cos(phi2));
  x1 - l/2*cos(phi1) = 0;
  y1 - l/2*sin(phi1) = 0;
  x2 - l*cos(phi1) - l/2*cos(phi2) = 0;
  y2 - l*sin(phi1) - l/2*sin(phi2) = 0;
  l*sin(phi1) + l*sin(phi2) = 0;
  annotation(experiment(StopTime = 10), __Daedal(draw = {curve({-2*l, 0}, {2*l, 0}), line({0, 0}, {2*x1, 2*y1}, {2*x1 + l*cos(phi2), 0}),
    ground({0, 0}), circle({2*x1, 2*y1}), circle({2*x1 + l*cos(phi2), 0}),
    force({x1, y1}, {-lambda1, -lambda2}), force({x2, y2}, {-lambda3, -lambda4})}));
end SliderCrankSingular;
