model FlexibleJointIndex5 "torque of a motor behind a spring, for a prescribed motion of the arm (index 5)"
  parameter Real k = 10 "stiffness of the joint";
  Real q "arm", th "motor", vq, vth, u "torque";
equation
  der(q) = vq; der(th) = vth;
  der(vq) = k*(th - q) - sin(q);
  der(vth) = u - k*(th - q);
  q = 0.3*sin(2*time);
  annotation(experiment(StopTime = 5));
end FlexibleJointIndex5;
