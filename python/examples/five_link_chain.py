"""A closed chain of five links that swings between two pins: chaotic, and it never opens."""

import sys

import numpy as np

import daedal

LINKS, LENGTH, MASS, GRAVITY, SPAN = 5, 1.0, 1.0, 9.81, 3.0
# joint i carries a mass; how many masses hang on links i and j together
SHARED = MASS * LENGTH**2 * (LINKS - np.maximum.outer(np.arange(LINKS), np.arange(LINKS)))


def mass(t, q):
    return SHARED * np.cos(q[:, None] - q[None, :])


def force(t, q, v):
    turning = (SHARED * np.sin(q[:, None] - q[None, :])) @ v**2
    return -turning - GRAVITY * np.diag(SHARED) / LENGTH * np.cos(q)


def g(t, q):
    return LENGTH * np.array([np.sum(np.cos(q)), np.sum(np.sin(q))]) - np.array([SPAN, 0])


end = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
q0 = np.radians([-70, -40, 10, 40, 65])
r = daedal.solve_mechanical(force, g, q0, np.zeros(LINKS), (0, end), mass=mass, rtol=1e-8,
                            atol=1e-8)
print(r.report)
print(f"t = {r.t[-1]:g}, {len(r.t)} steps, drift", r.drift)
assert r.success and max(r.drift.values()) < 1e-12
