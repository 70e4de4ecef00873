model CarAxis "two wheels on stiff springs and a rigid axle over moving ground (index 3)"
  parameter Real L = 1 "axle", L0 = 0.5 "rest length of the springs", eps = 1e-2, M = 10, r = 0.1, w = 10, g = 1;
  parameter Real k = M*eps^2/2 "mass of a wheel";
  Real xl, yl(start = L0), xr(start = L), yr(start = L0);
  Real vxl(start = -r*w*L0/L), vyl, vxr(start = -r*w*L0/L), vyr;
  Real lambda1, lambda2;
  Real yb = r*sin(w*time) "ground under the right wheel", xb = sqrt(L^2 - yb^2);
  Real Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2);
equation
  der(xl) = vxl; der(yl) = vyl; der(xr) = vxr; der(yr) = vyr;
  k*der(vxl) = (L0/Ll - 1)*xl + lambda1*xb + 2*lambda2*(xl - xr);
  k*der(vyl) = (L0/Ll - 1)*yl + lambda1*yb + 2*lambda2*(yl - yr) - k*g;
  k*der(vxr) = (L0/Lr - 1)*(xr - xb) - 2*lambda2*(xl - xr);
  k*der(vyr) = (L0/Lr - 1)*(yr - yb) - 2*lambda2*(yl - yr) - k*g;
  xb*xl + yb*yl = 0;
  (xl - xr)^2 + (yl - yr)^2 = L^2;
  annotation(experiment(StopTime = 3), __Daedal(draw = {spring({0, 0}, {xl, yl}), spring({xb, yb}, {xr, yr}), line({xl, yl}, {xr, yr}),
    ground({0, 0}), ground({xb, yb}), circle({xl, yl}), circle({xr, yr}),
    force({xl, yl}, {lambda1*xb + 2*lambda2*(xl - xr), lambda1*yb + 2*lambda2*(yl - yr)}),
    force({xr, yr}, {-2*lambda2*(xl - xr), -2*lambda2*(yl - yr)})}));
end CarAxis;
