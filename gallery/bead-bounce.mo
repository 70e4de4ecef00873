model BeadBounce "bead on a parabola that bounces off a wall (index 3 with an event)"
  parameter Real m = 1, g = 9.81, curve = 1 "of the parabola", wall = 0.5, e = 0.8 "restitution", x0 = -1;
  Real x(start = x0), y(start = curve*x0^2/2), vx, vy, lambda;
equation
  der(x) = vx; der(y) = vy;
  m*der(vx) = lambda*curve*x;
  m*der(vy) = -m*g - lambda;
  y - curve*x^2/2 = 0;
  when x > wall then
    reinit(vx, -e*pre(vx));
    reinit(vy, -e*pre(vy));
  end when;
  annotation(experiment(StopTime = 3), __Daedal(draw = {{curve({x0 + i*(wall - x0)/20, curve*(x0 + i*(wall - x0)/20)^2/2},
    {x0 + (i + 1)*(wall - x0)/20, curve*(x0 + (i + 1)*(wall - x0)/20)^2/2}) for i in 0:19}, curve({wall, 0}, {wall, curve/2}), circle({x, y}),
    force({x, y}, {lambda*curve*x, -lambda})}));
end BeadBounce;
