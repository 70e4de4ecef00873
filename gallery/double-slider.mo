model DoubleSlider "two rods and three sliders through their toggle (index 3)"
  parameter Real l1 = 1, l2 = 1, m1 = 1, m2 = 2, m3 = 1.5, g = 9.81, angle = -0.7 "of the first rod at the start";
  Real x1(start = l1*cos(angle)), y(start = l1*sin(angle)), x2(start = -sqrt(l2^2 - (l1*sin(angle))^2));
  Real lambda1, lambda2;
equation
  m1*der(der(x1)) = -lambda1*x1;
  m3*der(der(y)) = -m3*g - (lambda1 + lambda2)*y;
  m2*der(der(x2)) = -lambda2*x2;
  (x1^2 + y^2 - l1^2)/2 = 0;
  (x2^2 + y^2 - l2^2)/2 = 0;
  annotation(experiment(StopTime = 5), __Daedal(draw = {curve({-l1, 0}, {l1, 0}), curve({0, -l1}, {0, l1}), line({x1, 0}, {0, y}, {x2, 0}),
    circle({x1, 0}), circle({0, y}), circle({x2, 0}),
    force({x1, 0}, {-lambda1*x1, 0}), force({0, y}, {0, -(lambda1 + lambda2)*y}), force({x2, 0}, {-lambda2*x2, 0})}));
end DoubleSlider;
