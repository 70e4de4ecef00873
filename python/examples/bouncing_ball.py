"""A ball that bounces: an event that changes the state, and one that ends the run."""

import numpy as np

import daedal


def floor(t, y):
    return y[0]


floor.direction = -1
floor.change = lambda t, y: np.array([0.0, -0.8 * y[1]])


def slow(t, y):
    """The kinetic and potential energy together: the ball is nearly at rest."""
    return y[1]**2 / 2 + 9.81 * y[0] - 0.05


slow.terminal = True
r = daedal.solve_ivp(lambda t, y: np.array([y[1], -9.81]), (0, 20), [2.0, 0.0],
                     events=[floor, slow], rtol=1e-9, atol=1e-9)
print("bounces:", np.round(r.t_events[0], 4))
print(r.message, "t =", round(float(r.t[-1]), 4))
fall = np.sqrt(2 * 2 / 9.81)
assert r.status == 1 and abs(r.t_events[0][0] - fall) < 1e-8
assert abs(r.t_events[0][1] - fall * (1 + 2 * 0.8)) < 1e-7
