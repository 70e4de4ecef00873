model TwoLinkRobot "planar arm whose hand stays on a line (index 3)"
  Real theta1, theta2, w1(start = 1), w2(start = -2), lambda;
  Real M[2, 2] = [5 + 3*cos(theta2), 1 + 1.5*cos(theta2); 1 + 1.5*cos(theta2), 1];
  Real c12 = cos(theta1 + theta2);
equation
  der(theta1) = w1; der(theta2) = w2;
  M*{der(w1), der(w2)} = {(cos(theta1) + c12)*cos(time) - 3*sin(time),
    c12*cos(time) + (1 - 1.5*cos(theta2))*sin(time)} - lambda*{cos(theta1) + c12, c12};
  sin(theta1) + sin(theta1 + theta2) = 0;
  annotation(experiment(StopTime = 1.5), __Daedal(draw = {curve({-0.2, 0}, {2.2, 0}), line({0, 0}, {cos(theta1), sin(theta1)}, {cos(theta1) + cos(theta1 + theta2), sin(theta1) + sin(theta1 + theta2)}),
    ground({0, 0}), circle({cos(theta1), sin(theta1)}), circle({cos(theta1) + cos(theta1 + theta2), sin(theta1) + sin(theta1 + theta2)}),
    force({cos(theta1) + cos(theta1 + theta2), sin(theta1) + sin(theta1 + theta2)}, {0, -lambda})}));
end TwoLinkRobot;
