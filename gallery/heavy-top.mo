model HeavyTop "spinning top with a quaternion, three invariants (ODE)"
  parameter Real I1 = 1, I3 = 0.4, weight = 2, tilt = 0.6, spin = 12, rate = 0.3;
  parameter Real energy = (I1*rate^2 + I3*spin^2)/2 + weight*cos(tilt), momentum = I3*spin*cos(tilt);
  Real s0(start = cos(tilt/2)), s1(start = sin(tilt/2)), s2, s3, w1(start = rate), w2, w3(start = spin);
  Real r[3] = {2*(s1*s3 - s0*s2), 2*(s2*s3 + s0*s1), s0^2 - s1^2 - s2^2 + s3^2} "the vertical seen by the top";
  Real k = (I1 - I3)/I1*w3;
equation
  der(s0) = (-s1*w1 - s2*w2 - s3*w3)/2;
  der(s1) = (s0*w1 + s2*w3 - s3*w2)/2;
  der(s2) = (s0*w2 + s3*w1 - s1*w3)/2;
  der(s3) = (s0*w3 + s1*w2 - s2*w1)/2;
  der(w1) = k*w2 + weight/I1*r[2];
  der(w2) = -k*w1 - weight/I1*r[1];
  der(w3) = 0;
  (s0^2 + s1^2 + s2^2 + s3^2 - 1)/2 = 0 annotation(__Daedal_invariant = true);
  (I1*(w1^2 + w2^2) + I3*w3^2)/2 + weight*r[3] = energy annotation(__Daedal_invariant = true);
  I1*(w1*r[1] + w2*r[2]) + I3*w3*r[3] = momentum annotation(__Daedal_invariant = true);
  annotation(experiment(StopTime = 10), __Daedal(draw = {line({0, 0, 0}, {2*(s1*s3 + s0*s2), 2*(s2*s3 - s0*s1), s0^2 - s1^2 - s2^2 + s3^2}),
    ground({0, 0, 0}), circle({1.4*(s1*s3 + s0*s2), 1.4*(s2*s3 - s0*s1), 0.7*(s0^2 - s1^2 - s2^2 + s3^2)}, 0.2),
    force({1.4*(s1*s3 + s0*s2), 1.4*(s2*s3 - s0*s1), 0.7*(s0^2 - s1^2 - s2^2 + s3^2)}, {0, 0, -weight}),
    trace({2*(s1*s3 + s0*s2), 2*(s2*s3 - s0*s1), s0^2 - s1^2 - s2^2 + s3^2})}));
end HeavyTop;
