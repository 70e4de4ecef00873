model Strandbeest "one leg of Theo Jansen's walking machine: eleven rods (index 3)"
  parameter Real mass = 1 "of each joint", g = 9.81, angle = 0.5 "of the crank at the start", rate = 8 "and its rate";
  constant Integer from[11] = {0, 1, 0, 2, 0, 1, 0, 3, 4, 4, 5} "0: a pivot", to[11] = {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6};
  constant Real L[11] = {1.50, 5.00, 4.15, 5.58, 4.01, 6.19, 3.93, 3.94, 3.67, 4.90, 6.57};
  constant Real pivot[11, 2] = [0, 0; 0, 0; -3.80, -0.78; 0, 0; -3.80, -0.78; 0, 0; -3.80, -0.78; 0, 0; 0, 0; 0, 0; 0, 0];
  function join "(x, y, x', y') at distance la from a and lb from b, left (side = 1) of the way from a to b"
    input Real a[4], la, b[4], lb, side;
    output Real z[4];
  protected
    Real d[2] = b[1:2] - a[1:2], s = d*d, u = ((la - lb)*(la + lb)/s + 1)/2, h = side*sqrt(la^2/s - u^2);
    Real p[2] = a[1:2] + u*d + h*{-d[2], d[1]}, e[2] = p - a[1:2], f[2] = p - b[1:2];
    Real ra = e*a[3:4], rb = f*b[3:4], det = e[1]*f[2] - e[2]*f[1];
  algorithm
    z := {p[1], p[2], (ra*f[2] - rb*e[2])/det, (e[1]*rb - f[1]*ra)/det};
  end join;
  final parameter Real o[4] = {-3.80, -0.78, 0, 0};
  final parameter Real z1[4] = 1.5*{cos(angle), sin(angle), -sin(angle)*rate, cos(angle)*rate};
  final parameter Real z2[4] = join(z1, 5.00, o, 4.15, -1), z4[4] = join(z1, 6.19, o, 3.93, 1);
  final parameter Real z3[4] = join(z2, 5.58, o, 4.01, -1), z5[4] = join(z3, 3.94, z4, 3.67, -1);
  final parameter Real z6[4] = join(z5, 6.57, z4, 4.90, -1);
  Real x[6](start = {z1[1], z2[1], z3[1], z4[1], z5[1], z6[1]}), y[6](start = {z1[2], z2[2], z3[2], z4[2], z5[2], z6[2]});
  Real vx[6](start = {z1[3], z2[3], z3[3], z4[3], z5[3], z6[3]}), vy[6](start = {z1[4], z2[4], z3[4], z4[4], z5[4], z6[4]});
  Real lambda[11];
  Real dx[11] = {x[to[k]] - (if from[k] == 0 then pivot[k, 1] else x[from[k]]) for k in 1:11}./L;
  Real dy[11] = {y[to[k]] - (if from[k] == 0 then pivot[k, 2] else y[from[k]]) for k in 1:11}./L;
equation
  der(x) = vx;
  der(y) = vy;
  for i in 1:6 loop
    mass*der(vx[i]) = sum((if to[k] == i then -dx[k] elseif from[k] == i then dx[k] else 0)*lambda[k] for k in 1:11);
    mass*der(vy[i]) = sum((if to[k] == i then -dy[k] elseif from[k] == i then dy[k] else 0)*lambda[k] for k in 1:11) - mass*g;
  end for;
  for k in 1:11 loop
    (dx[k]^2 + dy[k]^2 - 1)*L[k]/2 = 0;
  end for;
  annotation(experiment(StopTime = 4));
end Strandbeest;
