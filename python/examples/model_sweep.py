"""A model as text, and a sweep over its stiffness: the largest force for each."""

import numpy as np

import daedal

m = daedal.Model("""model Hanging "a mass on a spring that is let go"
  parameter Real k = 100, m = 2, c = 0.5, g = 9.81;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true), F;
equation
  der(x) = v;
  m*der(v) = m*g - F - c*v;
  F = k*x;
end Hanging;
""")
print(m.check())
s = m.sweep({"peak": "max(abs(F))", "end": "last(x)"}, stop=10, tol=1e-8,
            k=np.linspace(50, 400, 8))
for k, peak, end in zip(s.k, s.peak, s.end):
    print(f"k = {k:5.0f}   peak force {peak:8.4f}   x at the end {end:.4f}")
assert np.all(s.peak > 2 * 9.81) and np.all(s.peak < 2 * 2 * 9.81)
