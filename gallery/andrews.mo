model Andrews "Andrews' squeezing mechanism: seven bodies, three loops (index 3)"
  parameter Real mom = 0.033 "driving torque", c0 = 4530 "stiffness of the spring", l0 = 0.07785 "its rest length";
  constant Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  constant Real I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7;
  constant Real I7 = 1.912e-5, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  constant Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092;
  constant Real ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
  constant Real ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
  constant Real C2 = m2*da*rr, C4 = m4*zt*(e - ea), C6 = m6*u*(zf - fa);
  constant Real eh2 = m4*(e - ea)^2, fh2 = m6*(zf - fa)^2;
  Real beta(start = -0.0617138900142764496358948458001), Theta(start = 0), gamma(start = 0.455279819163070380255912382449);
  Real Phi(start = 0.222668390165885884674473185609), delta(start = 0.487364979543842550225598953530);
  Real Omega(start = -0.222668390165885884674473185609), epsilon(start = 1.23054744454982119249735015568);
  Real lambda1(start = 98.5668703962410896), lambda2(start = -6.12268834425566266), lambda3, lambda4, lambda5, lambda6;
  Real wb = der(beta), wt = der(Theta), wg = der(gamma), wp = der(Phi), wd = der(delta), wo = der(Omega);
  Real we = der(epsilon);
  Real th = C2*cos(Theta), ph = C4*sin(Phi), om = C6*sin(Omega);
  Real sth = C2*sin(Theta), cph = C4*cos(Phi), com = C6*cos(Omega);
  Real xd = sd*cos(gamma) + sc*sin(gamma) + xb - xc, yd = sd*sin(gamma) - sc*cos(gamma) + yb - yc "the spring";
  Real xp = rr*cos(beta) - d*cos(beta + Theta), yp = rr*sin(beta) - d*sin(beta + Theta) "where the loops meet";
  Real gx = lambda1 + lambda3 + lambda5, gy = lambda2 + lambda4 + lambda6;
equation
  (m1*ra^2 + m2*(rr^2 + da^2) - 2*th + I1 + I2)*der(wb) + (m2*da^2 - th + I2)*der(wt) = mom - sth*wt*(wt + 2*wb)
    - gx*(d*sin(beta + Theta) - rr*sin(beta)) - gy*(rr*cos(beta) - d*cos(beta + Theta));
  (m2*da^2 - th + I2)*der(wb) + (m2*da^2 + I2)*der(wt) = sth*wb^2
    - gx*d*sin(beta + Theta) + gy*d*cos(beta + Theta);
  (m3*(sa^2 + sb^2) + I3)*der(wg) = lambda1*ss*cos(gamma) + lambda2*ss*sin(gamma)
    - c0*(1 - l0/sqrt(xd^2 + yd^2))*(xd*(sc*cos(gamma) - sd*sin(gamma)) + yd*(sd*cos(gamma) + sc*sin(gamma)));
  (eh2 + I4)*der(wp) + (eh2 + ph + I4)*der(wd) = cph*wd^2 + lambda3*e*cos(Phi + delta) + lambda4*e*sin(Phi + delta);
  (eh2 + ph + I4)*der(wp) + (m4*zt^2 + 2*ph + eh2 + m5*(ta^2 + tb^2) + I4 + I5)*der(wd) = -cph*wp*(wp + 2*wd)
    - lambda3*(zt*sin(delta) - e*cos(Phi + delta)) + lambda4*(e*sin(Phi + delta) + zt*cos(delta));
  (fh2 + I6)*der(wo) + (fh2 - om + I6)*der(we) = -com*we^2
    - lambda5*zf*sin(Omega + epsilon) + lambda6*zf*cos(Omega + epsilon);
  (fh2 - om + I6)*der(wo) + (fh2 - 2*om + m6*u^2 + m7*(ua^2 + ub^2) + I6 + I7)*der(we) = com*wo*(wo + 2*we)
    - lambda5*(zf*sin(Omega + epsilon) - u*cos(epsilon)) + lambda6*(zf*cos(Omega + epsilon) + u*sin(epsilon));
  xp - ss*sin(gamma) - xb = 0;
  yp + ss*cos(gamma) - yb = 0;
  xp - e*sin(Phi + delta) - zt*cos(delta) - xa = 0;
  yp + e*cos(Phi + delta) - zt*sin(delta) - ya = 0;
  xp - zf*cos(Omega + epsilon) - u*sin(epsilon) - xa = 0;
  yp - zf*sin(Omega + epsilon) + u*cos(epsilon) - ya = 0;
  annotation(experiment(StopTime = 0.03), __Daedal(draw = {spring({xc, yc}, {xc + xd, yc + yd}),
    polygon({xb, yb}, {xc + xd, yc + yd}, {xb + ss*sin(gamma), yb - ss*cos(gamma)}), line({0, 0}, {rr*cos(beta), rr*sin(beta)}, {xp, yp}),
    line({xp, yp}, {xa + zt*cos(delta), ya + zt*sin(delta)}, {xa, ya}), line({xp, yp}, {xa + u*sin(epsilon), ya - u*cos(epsilon)}, {xa, ya}),
    ground({0, 0}), ground({xa, ya}), ground({xb, yb}), ground({xc, yc}), circle({xp, yp}),
    force({xp, yp}, {-lambda1, -lambda2}), force({xp, yp}, {-lambda3, -lambda4}), force({xp, yp}, {-lambda5, -lambda6}), trace({xp, yp})}));
end Andrews;
