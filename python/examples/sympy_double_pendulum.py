"""Equations of motion from SymPy: a double pendulum from its Lagrangian, rods as constraints."""

import numpy as np
import sympy

import daedal

t = sympy.Symbol("t")
q = sympy.symbols("x1 y1 x2 y2")
v = sympy.symbols("u1 w1 u2 w2")
m1, m2, gravity = 1.0, 0.5, 9.81
potential = gravity * (m1 * q[1] + m2 * q[3])
force = daedal.from_sympy([-sympy.diff(potential, x) for x in q], t, q, v)
g = daedal.from_sympy([q[0]**2 + q[1]**2 - 1,
                       (q[2] - q[0])**2 + (q[3] - q[1])**2 - sympy.Rational(1, 4)], t, q)
r = daedal.solve_mechanical(force, g, [1, 0, 1.5, 0], [0] * 4, (0, 10), mass=[m1, m1, m2, m2],
                            rtol=1e-9, atol=1e-9)
energy = 0.5 * np.array([m1, m1, m2, m2]) @ r.v**2 + gravity * (m1 * r.q[1] + m2 * r.q[3])
print(r.message)
print("drift:", r.drift, "energy within", f"{np.ptp(energy):.1e}")
assert r.success and np.ptp(energy) < 1e-5 and r.drift["position"] < 1e-12
