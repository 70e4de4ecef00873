"""A pendulum in Cartesian coordinates: index 3, written as it stands."""

import numpy as np

import daedal

GRAVITY = 9.81

r = daedal.solve_mechanical(
    force=lambda t, q, v: np.array([0.0, -GRAVITY]),
    g=lambda t, q: np.array([q[0]**2 + q[1]**2 - 1]),
    q0=[1, 0], v0=[0, 0], t_span=(0, 30), rtol=1e-9, atol=1e-9)
energy = 0.5 * np.sum(r.v**2, axis=0) + GRAVITY * r.q[1]
print(r.message)
print("drift:", r.drift)
print("energy stays within", f"{np.ptp(energy):.1e}")
assert r.success and r.drift["position"] < 1e-12 and np.ptp(energy) < 1e-5
