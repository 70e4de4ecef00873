"""A clamped strip that is bent by a force at its end: a boundary value problem with a parameter."""

import numpy as np

import daedal


def fun(s, y, p):
    """Angle, curvature, and the place of the strip; the force p[0] points downwards."""
    return np.vstack((y[1], p[0] * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])))


def bc(a, b, p):
    """Clamped at the left; no moment at the right, whose end is 0.5 below."""
    return np.array([a[0], a[2], a[3], b[1], b[3] + 0.5])


s = np.linspace(0, 1, 11)
guess = np.vstack((-0.5 * s, -0.5 + 0 * s, s, -0.3 * s))
r = daedal.solve_bvp(fun, bc, s, guess, p=[1.0], tol=1e-8)
print(r.message)
print("force:", np.round(r.p, 6), "end:", np.round(r.sol(1.0), 6))
assert r.success and abs(r.sol(1.0)[3] + 0.5) < 1e-9 and abs(r.p[0]) > 1
