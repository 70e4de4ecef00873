"""A four-bar linkage by three absolute angles; the crank is driven by a torque."""

import numpy as np

import daedal

L = np.array([1.0, 4.0, 3.0])  # crank, coupler, rocker
GROUND = 3.5
M = np.array([2.0, 8.0, 6.0])
I = M * L**2 / 12


def mass(t, q):
    """Crank and rocker turn about fixed points; the coupler is carried by the crank."""
    c = 0.5 * M[1] * L[0] * L[1] * np.cos(q[0] - q[1])
    return np.array([[M[0] * L[0]**2 / 3 + M[1] * L[0]**2, c, 0],
                     [c, M[1] * L[1]**2 / 3, 0],
                     [0, 0, M[2] * L[2]**2 / 3]])


def force(t, q, v):
    s = 0.5 * M[1] * L[0] * L[1] * np.sin(q[0] - q[1])
    return np.array([5.0 - s * v[1]**2 - 2.0 * v[0], s * v[0]**2, -4.0 * v[2]])


def g(t, q):
    """crank + coupler = ground + rocker"""
    return np.array([L[0] * np.cos(q[0]) + L[1] * np.cos(q[1]) - GROUND - L[2] * np.cos(q[2]),
                     L[0] * np.sin(q[0]) + L[1] * np.sin(q[1]) - L[2] * np.sin(q[2])])


r = daedal.solve_mechanical(force, g, [np.pi / 2, 0.6, 1.6], [0, 0, 0], (0, 20), mass=mass,
                            rtol=1e-8, atol=1e-8)
print(r.report)
print("turns of the crank:", round((r.q[0, -1] - r.q[0, 0]) / (2 * np.pi), 2))
print("drift:", r.drift)
assert r.success and r.drift["position"] < 1e-12
