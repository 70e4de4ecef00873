"""A planet over a hundred years: energy and angular momentum are invariants that are kept."""

import numpy as np

import daedal


def fun(t, y):
    r3 = (y[0]**2 + y[1]**2)**1.5
    return np.array([y[2], y[3], -y[0] / r3, -y[1] / r3])


def invariants(t, y):
    return np.array([(y[2]**2 + y[3]**2) / 2 - 1 / np.sqrt(y[0]**2 + y[1]**2),
                     y[0] * y[3] - y[1] * y[2]])


e = 0.6
start = [1 - e, 0, 0, np.sqrt((1 + e) / (1 - e))]
r = daedal.solve_ivp(fun, (0, 200 * np.pi), start, invariants=invariants, rtol=1e-8, atol=1e-8)
print(r.report)
print("drift:", r.drift, "steps:", len(r.t))
assert r.success and r.drift["invariants"] < 1e-12
