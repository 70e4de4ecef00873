model BvpArm "two-link arm whose hand keeps a prescribed height, th1 given at both ends (index 3)"
  Real th1(start = 0.5 + 0.42*time), th2(start = 0.8 - 0.3*time), w1, w2, lambda "start: the guess";
  Real e1 = 0.5 + 0.5*sin(time), e2 = 0.8 - 0.3*time^2 "the path that is followed";
  Real v[2] = {0.5*cos(time), -0.6*time}, a[2] = {-0.5*sin(time), -0.6} "and its rates";
  function matrix
    input Real q;
    output Real M[2, 2] = [3 + 2*cos(q), 1 + cos(q); 1 + cos(q), 1];
  algorithm
  end matrix;
  function coriolis
    input Real q, w[2];
    output Real c[2] = sin(q)*{-2*w[1]*w[2] - w[2]^2, w[1]^2};
  algorithm
  end coriolis;
  function reach "gradient of the height of the hand"
    input Real q[2];
    output Real g[2] = {cos(q[1]) + cos(q[1] + q[2]), cos(q[1] + q[2])};
  algorithm
  end reach;
equation
  der(th1) = w1; der(th2) = w2;
  matrix(th2)*{der(w1), der(w2)} = -coriolis(th2, {w1, w2}) + lambda*reach({th1, th2})
    + matrix(e2)*a + coriolis(e2, v) - (1 + time^2)*reach({e1, e2});
  sin(th1) + sin(th1 + th2) = sin(e1) + sin(e1 + e2);
initial equation
  th1(startTime) = 0.5;
  th1(finalTime) = 0.5 + 0.5*sin(1);
  annotation(__Daedal(draw = {line({0, 0}, {cos(th1), sin(th1)}, {cos(th1) + cos(th1 + th2), sin(th1) + sin(th1 + th2)}),
    ground({0, 0}), circle({cos(th1), sin(th1)}), circle({cos(th1) + cos(th1 + th2), sin(th1) + sin(th1 + th2)}),
    force({cos(th1) + cos(th1 + th2), sin(th1) + sin(th1 + th2)}, {0, lambda})}));
end BvpArm;
