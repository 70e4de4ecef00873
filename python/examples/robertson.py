"""A chemical reaction with a conserved sum as an algebraic equation: a singular mass matrix."""

import numpy as np

import daedal


def fun(t, y):
    return np.array([-0.04 * y[0] + 1e4 * y[1] * y[2],
                     0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1]**2,
                     y[0] + y[1] + y[2] - 1])


r = daedal.solve_ivp(fun, (0, 4e6), [1, 0, 0], mass=np.diag([1, 1, 0]), rtol=1e-8, atol=1e-12,
                     t_eval=[0, 40, 4e3, 4e6])
for t, y in zip(r.t, r.y.T):
    print(f"{t:10.4g}", "  ".join(f"{x:.8e}" for x in y))
print("algebraic equation:", r.drift)
assert r.success and abs(r.y[0, 1] - 0.7158270688) < 1e-6
