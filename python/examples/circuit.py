"""A circuit with a loop of capacitors and a source: index 2, written as F(t, x, x') = 0."""

import numpy as np

import daedal

R, C1, C2 = 2.0, 0.5, 0.25


def F(t, x, xdot):
    """x: voltages of two capacitors in series across a source, and the current through it."""
    u1, u2, i = x
    return np.array([C1 * xdot[0] - i + u1 / R,   # a resistor beside the first
                     C2 * xdot[1] - i,
                     u1 + u2 - np.sin(3 * t)])


r = daedal.solve_dae(F, (0, 5), [0, 0, 0], rtol=1e-9, atol=1e-9)
print(r.report)
print("index:", r.index, "drift:", r.drift)

# another formulation: u2 = s - u1, (C1 + C2) u1' = C2 s' - u1/R
check = daedal.solve_ivp(lambda t, u: (C2 * 3 * np.cos(3 * t) - u / R) / (C1 + C2), (0, 5), [0],
                         rtol=1e-11, atol=1e-11)
print("difference from the reduced equation:", f"{abs(check.y[0, -1] - r.x[0, -1]):.1e}")
assert r.index == 2 and abs(check.y[0, -1] - r.x[0, -1]) < 1e-7
