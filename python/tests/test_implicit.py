"""Singular mass matrices and F(t, x, x') = 0 by calls of functions that cannot be traced."""

import numpy as np
import pytest

import daedal

TIGHT = dict(rtol=1e-8, atol=1e-10)


def opaque(*values):
    """A decision on values, which no trace can follow."""
    return 1.0 if all(v < 1e9 for v in values) else np.nan


def robertson(t, y):
    return opaque(*y) * np.array([-0.04 * y[0] + 1e4 * y[1] * y[2],
                                  0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1]**2,
                                  y[0] + y[1] + y[2] - 1])


# Hindmarsh's table of Robertson's problem at t = 40 (LSODE's documentation)
AT_40 = [7.158e-01, 9.185e-06, 2.842e-01]


@pytest.mark.parametrize("mass", [[1, 1, 0], np.diag([1.0, 1, 0])])
def test_singular_mass(mass):
    r = daedal.solve_ivp(robertson, (0, 40), [1, 0, 0], mass=mass, rtol=1e-7, atol=[1e-8, 1e-12, 1e-8])
    assert r.success and r.drift["algebraic"] < 1e-12
    assert np.abs(r.y[:, -1] / AT_40 - 1).max() < 2e-4  # the table has four digits
    assert "calls of Python functions" in r.report.text


def test_capacitors_between_nodes():
    """A source and a resistor, a capacitor, a resistor to the ground: M has rank 1 of 3."""
    R, C, w = 1e3, 1e-6, 100.0
    mass = np.array([[C, -C, 0], [-C, C, 0], [0, 0, 0]])
    fun = lambda t, v: opaque(*v) * np.array([(v[2] - v[0]) / R, -v[1] / R,  # noqa: E731
                                              v[2] - np.sin(w * t)])
    r = daedal.solve_ivp(fun, (0, 0.1), [0, 0, 0], mass=mass, rtol=1e-8, atol=1e-10)
    # u = v0 - v1 with 2 R C u' + u = sin(w t), u(0) = 0; the current is (v2 - u) / (2 R)
    a, t = 2 * R * C * w, r.t
    u = (np.sin(w * t) - a * np.cos(w * t) + a * np.exp(-t / (2 * R * C))) / (1 + a * a)
    assert r.success and np.abs(r.y[0] - r.y[1] - u).max() < 1e-6
    assert np.abs(r.y[1] - (np.sin(w * t) - u) / 2).max() < 1e-6


def test_the_same_as_traced():
    fun = lambda t, y: np.array([y[1] - y[0], y[0] + y[1] + y[1]**3 - np.cos(t)])  # noqa: E731
    ways = [daedal.solve_ivp(fun, (0, 2), [0.5, 0.5], mass=[1, 0], functions=way, **TIGHT)
            for way in ("trace", "python")]
    assert all(r.success for r in ways)
    assert np.abs(ways[0].y[:, -1] - ways[1].y[:, -1]).max() < 1e-7


def pendulum(index):
    def F(t, x, xdot):
        p, q, u, v, lam = x
        last = {3: p * p + q * q - 1, 2: p * u + q * v,
                1: u * u + v * v - (p * p + q * q) * lam - 9.81 * q}[index]
        return opaque(*x) * np.array([xdot[0] - u, xdot[1] - v, xdot[2] + p * lam,
                                      xdot[3] + q * lam + 9.81, last])
    return F


@pytest.mark.parametrize("index", [1, 2, 3])
def test_pendulum_of_index(index):
    # a quarter of the period, K(1/2)/sqrt(g): at the lowest point, lam = 3 g
    quarter = 1.85407467730137191843 / np.sqrt(9.81)
    r = daedal.solve_dae(pendulum(index), (0, quarter), [1, 0, 0, 0, 0], **TIGHT)
    assert r.success and r.index == index
    # multipliers of index 3 lose two orders of the step
    tol = [1e-6] * 4 + [1e-2 if index == 3 else 1e-4]
    assert np.all(np.abs(r.x[:, -1] - [0, -1, -np.sqrt(2 * 9.81), 0, 3 * 9.81]) < tol)


def test_jacobian_and_invariants_are_used():
    calls = []

    def jac(t, x, xdot):
        calls.append(t)
        p, q, u, v, lam = x
        Fx = np.zeros((5, 5))
        Fx[0, 2] = Fx[1, 3] = -1
        Fx[2] = [lam, 0, 0, 0, p]
        Fx[3] = [0, lam, 0, 0, q]
        Fx[4] = [2 * p, 2 * q, 0, 0, 0]
        return Fx, np.diag([1.0, 1, 1, 1, 0])

    hidden = lambda t, x: x[0] * x[2] + x[1] * x[3]  # noqa: E731
    r = daedal.solve_dae(pendulum(3), (0, 2), [1, 0, 0, 0, 0], jac=jac, invariants=hidden)
    assert r.success and calls and r.drift["invariants"] < 1e-9
    wrong = lambda t, x, xdot: (np.eye(5), np.eye(5))  # noqa: E731
    r = daedal.solve_dae(pendulum(3), (0, 2), [1, 0, 0, 0, 0], jac=wrong)
    assert not r.success and "jacobian is wrong" in r.message
    with pytest.raises(TypeError, match="jac"):
        daedal.solve_dae(pendulum(3), (0, 2), [1, 0, 0, 0, 0], jac=lambda t, x, xdot: np.eye(5))


@pytest.mark.parametrize("F", [
    lambda t, x, d: opaque(*x) * np.array([d[0] + x[1], 2 * d[0] + 2 * x[1]]),
    lambda t, x, d: opaque(*x) * np.array([d[0] + x[0], x[0] - np.exp(-t)]),
    lambda t, x, d: opaque(*x) * np.array([x[0] - 1.0, x[0] - 1.0]),
])
def test_singular_pencils_are_refused(F):
    r = daedal.solve_dae(F, (0, 1), [1.0, 0.0])
    assert r.status == -1 and ("F[" in r.message or "x[1]" in r.message)


def test_higher_index_is_refused():
    # x0 = sin t, each next one the derivative of the last: index 5
    F = lambda t, x, d: opaque(*x) * np.array([x[0] - np.sin(t), *(x[1:] - d[:-1])])  # noqa: E731
    r = daedal.solve_dae(F, (0, 1), [0.0, 1, 0, -1, 0])
    assert r.status == -1 and "index" in r.message


def test_start_is_made_consistent():
    r = daedal.solve_ivp(robertson, (0, 1), [1, 0, 0.7], mass=[1, 1, 0], **TIGHT)
    assert r.success and r.y[0, 0] == 1 and abs(r.y[2, 0]) < 1e-12 and "moved" in r.report.text
    F = lambda t, x, d: opaque(*x) * np.array([d[0] + x[1], x[1] - 2 * x[0]])  # noqa: E731
    r = daedal.solve_dae(F, (0, 1), [1.0, 5.0], fixed=[0], **TIGHT)
    assert r.x[1, 0] == pytest.approx(2) and r.x[0, -1] == pytest.approx(np.exp(-2), abs=1e-7)
    r = daedal.solve_dae(F, (0, 1), [5.0, 2.0], fixed=[1], **TIGHT)
    assert r.x[0, 0] == pytest.approx(1)


def test_branch_is_that_of_xdot0():
    F = lambda t, x, d: opaque(*x) * (d**2 - x)  # noqa: E731
    for sign in (1, -1):
        r = daedal.solve_dae(F, (0, 1), [1.0], [sign * 1.0], **TIGHT)
        assert r.success and abs(r.x[0, -1] - (1 + sign / 2)**2) < 1e-6


def test_events_output_and_exceptions():
    def low(t, x):
        return x[0] - 0.5
    low.terminal = True
    F = lambda t, x, d: opaque(*x) * np.array([d[0] + x[1], x[1] - 2 * x[0]])  # noqa: E731
    r = daedal.solve_dae(F, (0, 1), [1.0, 2.0], events=low, dense_output=True, **TIGHT)
    assert r.status == 1 and r.t_events[0][0] == pytest.approx(np.log(2) / 2, abs=1e-7)
    assert np.abs(r.sol([0.1, 0.2])[0] - np.exp([-0.2, -0.4])).max() < 1e-6

    def fails(t, x, d):
        if t > 0.3:
            raise KeyError("mine")
        return d + x
    with pytest.raises(KeyError, match="mine"):
        daedal.solve_dae(fails, (0, 1), [1.0])


def test_complex_values_and_a_singular_mass():
    # y0' = i y0, 0 = y1 - y0^2
    fun = lambda t, y: np.array([1j * y[0], y[1] - y[0]**2])  # noqa: E731
    jac = lambda t, y: np.array([[1j, 0], [-2 * y[0], 1]])  # noqa: E731
    for given in (None, jac):
        r = daedal.solve_ivp(fun, (0, 1), [1 + 0j, 0], mass=[1, 0], jac=given, **TIGHT)
        assert r.success and np.abs(r.y[:, -1] - np.exp([1j, 2j])).max() < 1e-6


def test_step_by_step():
    s = daedal.Solver(robertson, 0, [1, 0, 0], 40, mass=[1, 1, 0], **TIGHT)
    while s.status == "running":
        s.step()
    assert s.status == "finished" and abs(s.y.sum() - 1) < 1e-12


@pytest.mark.parametrize("functions", ["trace", "python"])
@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("span", [(0.2, 1.3), (1.7, 0.4)])
def test_moving_constraints_from_another_time_than_zero(functions, index, span):
    """A start that is consistent at t0 stays; the constraint holds at t0, not at t = 0."""
    C = np.array([1.0, 0.7])

    def exact(t):
        q, v = np.array([np.sin(t), 0.3 * t]), np.array([np.cos(t), 0.3])
        return np.append(q, np.cos(2 * t)) if index == 2 else \
            np.concatenate([q, v, [np.cos(2 * t)]])

    def F(t, x, xdot):
        q, q_t, v_t = x[:2], np.array([np.cos(t), 0.3]), np.array([-np.sin(t), 0.0])
        off = q - np.array([np.sin(t), 0.3 * t])
        pull = C * (x[-1] - np.cos(2 * t))
        if index == 2:
            return np.concatenate([xdot[:2] - q_t + off + pull, [C @ off]])
        return np.concatenate([xdot[:2] - x[2:4], xdot[2:4] - v_t + off + pull, [C @ off]])

    r = daedal.solve_dae(F, span, exact(span[0]), rtol=1e-8, atol=1e-8, functions=functions)
    wanted = np.array([exact(t) for t in r.t]).T
    n = 2 * (index - 1)
    # multipliers of called functions are one or two orders of the step coarser
    assert r.success and np.abs(r.y[:n] - wanted[:n]).max() < 1e-6
    assert np.abs(r.y - wanted).max() < (1e-6 if functions == "trace" else 1e-3)
    assert np.array_equal(r.y[:n, 0], wanted[:n, 0])
    if index == 2:
        mass = np.array([1.0, 1.0, 0.0])
        r = daedal.solve_ivp(lambda t, y: -F(t, y, np.zeros(3)), span, exact(span[0]), mass=mass,
                             rtol=1e-8, atol=1e-8, functions=functions)
        assert r.success and np.abs(r.y[:2] - np.array([exact(t)[:2] for t in r.t]).T).max() < 1e-6
