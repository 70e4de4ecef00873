model StiffLoop "closed loop of three rods and a very stiff, damped spring (index 3)"
  parameter Real k = 1e8 "stiffness of the spring", c = 1e4 "its damping", g = 9.81;
  constant Real m[3] = {1, 0.5, 1.5}, L[3] = {1, 1.6, 1}, rest = 1.7;
  function join "the point at distance la from a and lb from b, left of the way from a to b"
    input Real a[2], la, b[2], lb;
    output Real p[2];
  protected
    Real d[2] = b - a, s = d*d, u = ((la - lb)*(la + lb)/s + 1)/2, h = sqrt(la^2/s - u^2);
  algorithm
    p := a + u*d + h*{-d[2], d[1]};
  end join;
  constant Real a[2] = {cos(2.1), sin(2.1)}, b[2] = {1.2 + cos(0.6), sin(0.6)}, p[2] = join(a, 1.6, b, rest);
  Real x[3](start = {a[1], p[1], b[1]}), y[3](start = {a[2], p[2], b[2]}), lambda[3];
  Real dx[3] = {x[1], x[2] - x[1], x[3] - 1.2}./L, dy[3] = {y[1], y[2] - y[1], y[3]}./L;
  Real d[2] = {x[3] - x[2], y[3] - y[2]}, r = sqrt(d*d) "length of the spring";
  Real w[2] = {der(x[3]) - der(x[2]), der(y[3]) - der(y[2])};
  Real f[2] = (k*(r - rest) + c*(d*w)/r)*d/r "its force";
equation
  m[1]*der(der(x[1])) = -lambda[1]*dx[1] + lambda[2]*dx[2];
  m[1]*der(der(y[1])) = -lambda[1]*dy[1] + lambda[2]*dy[2] - m[1]*g;
  m[2]*der(der(x[2])) = -lambda[2]*dx[2] + f[1];
  m[2]*der(der(y[2])) = -lambda[2]*dy[2] + f[2] - m[2]*g;
  m[3]*der(der(x[3])) = -lambda[3]*dx[3] - f[1];
  m[3]*der(der(y[3])) = -lambda[3]*dy[3] - f[2] - m[3]*g;
  for i in 1:3 loop
    (dx[i]^2 + dy[i]^2 - 1)*L[i]/2 = 0;
  end for;
  annotation(__Daedal(draw = {spring({x[2], y[2]}, {x[3], y[3]}), line({0, 0}, {x[1], y[1]}, {x[2], y[2]}), line({1.2, 0}, {x[3], y[3]}),
    ground({0, 0}), ground({1.2, 0}), {circle({x[i], y[i]}) for i in 1:3},
    force({x[1], y[1]}, {lambda[2]*dx[2] - lambda[1]*dx[1], lambda[2]*dy[2] - lambda[1]*dy[1]}),
    {force({x[i], y[i]}, {-lambda[i]*dx[i], -lambda[i]*dy[i]}) for i in 2:3}}));
end StiffLoop;
