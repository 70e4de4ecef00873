model FlexibleCrank "slider-crank whose rod bends and stretches (index 3)"
  parameter Real omega = 150 "speed of the crank", E = 2e11 "Young's modulus of the rod", damping = 0, shaken = 0;
  parameter Real l1 = 0.15 "crank", l2 = 0.3 "rod", m2 = 0.151104, m3 = 0.075552, J1 = 0.002727, J2 = 0.0045339259, rho = 7870, side = 0.008;
  parameter Real pi = 3.1415927 "as published", V = side^2*l2, m = rho*V, K = E*side^2/l2, bend = K*pi^4*(side/l2)^2;
  parameter Real k = l1*l2*m2/2, r = rho*l1, a3 = V*2/3, a4 = V/6, b1 = V*2/pi, d3 = l2*V/3, d4 = l2*V/6, g1 = l2*V/pi, g2 = -l2*V*0.5/pi;
  parameter Real B13 = -16*V/pi^3, B14 = V*(8/pi^3 - 1/pi), B24 = V*0.5/pi;
  parameter Real D33 = damping/2*2.308375455264791e2, D34 = -damping/2*2.626884879920526e2, D44 = damping/2*4.217421837156818e2;
  parameter Real q40 = (1 - shaken)*0.169327969e-4, v40 = -(1 - shaken)*0.268938672e-5;
  Real phi1, phi2, x3(start = l1 + l2 + q40), q1, q2, q3(start = (1 - shaken)*0.103339863e-4), q4(start = q40);
  Real w1(start = omega), w2(start = -l1*omega/(l2 + q40)), v3(start = v40);
  Real u1(start = (1 - shaken)*0.444896105), u2(start = (1 - shaken)*0.463434311e-2), u3(start = -(1 - shaken)*0.178591076e-5), u4(start = v40);
  Real lambda1, lambda2, lambda3;
  Real s = sin(phi1 - phi2), c = cos(phi1 - phi2), A = a3*q3 + a4*q4, B = b1*q1, dA = a3*u3 + a4*u4, dB = b1*u1;
  Real M12 = k*c + r*(s*B + c*A), M22 = J2 + m/2*(q1^2 + q2^2) + m*(8*q3^2 + 2*q3*q4 + 2*q4^2) + 2*rho*(d3*q3 + d4*q4);
  Real M24 = rho*(g1 - B13*q3 - B14*q4), M25 = rho*(g2 - B24*q4), M26 = rho*B13*q1, M27 = rho*(B14*q1 + B24*q2);
equation
  der(phi1) = w1; der(phi2) = w2; der(x3) = v3; der(q1) = u1; der(q2) = u2; der(q3) = u3; der(q4) = u4;
  (J1 + m2*l1^2)*der(w1) + M12*der(w2) + r*c*b1*der(u1) - r*s*(a3*der(u3) + a4*der(u4))
    = w2^2*(r*(c*B - s*A) - k*s) - 2*r*w2*(c*dA + s*dB) - l1*cos(phi1)*lambda1 - l1*sin(phi1)*lambda2 - lambda3;
  M12*der(w1) + M22*der(w2) + M24*der(u1) + M25*der(u2) + M26*der(u3) + M27*der(u4)
    = w1^2*(r*(s*A - c*B) + k*s) - 2*w2*(rho*(d3*u3 + d4*u4) + m/2*(q1*u1 + q2*u2) + m*(u3*(8*q3 + q4) + u4*(q3 + 2*q4)))
    - (l2 + q4)*(cos(phi2)*lambda1 + sin(phi2)*lambda2);
  m3*der(v3) = -lambda2;
  r*c*b1*der(w1) + M24*der(w2) + m/2*der(u1) = w2^2*m/2*q1 + 2*rho*w2*(B13*u3 + B14*u4) + r*w1^2*s*b1 - bend/24*q1 - 5*damping*u1;
  M25*der(w2) + m/2*der(u2) = w2^2*m/2*q2 + 2*rho*w2*B24*u4 - bend*2/3*q2 - 25*damping*u2;
  -r*s*a3*der(w1) + M26*der(w2) + m*(8*der(u3) + der(u4)) = w2^2*(m*(8*q3 + q4) + rho*d3) - 2*rho*w2*B13*u1 + r*w1^2*c*a3
    - K/3*(16*q3 - 8*q4) - D33*u3 - D34*u4;
  -r*s*a4*der(w1) + M27*der(w2) + m*(der(u3) + 2*der(u4)) = w2^2*(m*(q3 + 2*q4) + rho*d4) - 2*rho*w2*(B14*u1 + B24*u2) + r*w1^2*c*a4
    - K/3*(7*q4 - 8*q3) - D34*u3 - D44*u4 - sin(phi2)*lambda1 + cos(phi2)*lambda2;
  l1*sin(phi1) + (l2 + q4)*sin(phi2) = 0;
  x3 - l1*cos(phi1) - (l2 + q4)*cos(phi2) = 0;
  phi1 - omega*time = 0;
  annotation(experiment(StopTime = 0.1), __Daedal(draw = {curve({-l1, 0}, {l1 + l2, 0}), line({0, 0}, {l1*cos(phi1), l1*sin(phi1)}, {x3, 0}),
    ground({0, 0}), circle({l1*cos(phi1), l1*sin(phi1)}), circle({x3, 0}), force({x3, 0}, {-lambda2, 0})}));
end FlexibleCrank;
