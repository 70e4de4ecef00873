"""An `if` on values that depend on the solution: followed both ways where functions="auto"."""

import numpy as np
import pytest

import daedal

TIGHT = dict(rtol=1e-9, atol=1e-10)


def noted(r):
    return len(r.report.notes) == 1 and "both ways" in r.report.notes[0] \
        and "test_decisions.py" in r.report.notes[0]


def test_a_jump_in_time_is_met():
    def fun(t, y):
        if t < 0.5:
            return [1.0 + 0 * y[0]]
        return [-2.0 + 0 * y[0]]

    r = daedal.solve_ivp(fun, (0, 1), [0.0], **TIGHT)
    assert noted(r) and len(r.t) < 20
    assert r.y[0, -1] == pytest.approx(-0.5, abs=1e-12)  # 0.5 - 2*0.5


def test_sliding():
    """y' = -sign(y) stays at 0 once it is there: calls alone creep, the trace slides."""
    r = daedal.solve_ivp(lambda t, y: [-1.0 if y[0] > 0 else 1.0], (0, 2), [1.0])
    assert r.success and noted(r) and len(r.t) < 100 and abs(r.y[0, -1]) < 1e-6


def test_chains_and_conditions():
    """Each way of `if`, `elif`, `and`, `or`, min, max and a conditional expression."""
    def branches(t, y):
        if y[0] > 0.8 and t < 3:
            a = -1.0
        elif y[0] > 0.5 or t > 9:
            a = -2.0
        else:
            a = -0.5 if y[1] > 0 else -0.25
        return [a * y[0], max(y[0], 0.3) - min(y[1], 0.1)]

    def selected(t, y):
        last = np.where(y[1] > 0, -0.5, -0.25)
        a = np.where((y[0] > 0.8) & (t < 3), -1.0, np.where((y[0] > 0.5) | (t > 9), -2.0, last))
        return np.array([a * y[0], np.maximum(y[0], 0.3) - np.minimum(y[1], 0.1)])

    ours = daedal.solve_ivp(branches, (0, 2), [1.0, -0.5], **TIGHT)
    same = daedal.solve_ivp(selected, (0, 2), [1.0, -0.5], functions="trace", **TIGHT)
    assert noted(ours) and ours.success and same.success
    assert np.abs(ours.y[:, -1] - same.y[:, -1]).max() < 1e-8
    # y0 falls by e^-t to 0.8, then by e^-2t to 0.5, then by e^-t/2 or e^-t/4
    t1 = -np.log(0.8)
    assert daedal.solve_ivp(branches, (0, t1), [1.0, -0.5], **TIGHT).y[0, -1] == \
        pytest.approx(0.8, abs=1e-8)


def test_mechanism_with_a_stop():
    """A mass that falls on a spring: energy is kept through the contact."""
    def force(t, q, v):
        return [-9.81 - (1e4 * q[0] if q[0] < 0 else 0.0)]

    r = daedal.solve_mechanical(force, None, [1.0], [0.0], (0, 2), **TIGHT)
    energy = 0.5 * r.v[0]**2 + 9.81 * r.q[0] + 0.5e4 * np.minimum(r.q[0], 0)**2
    assert noted(r) and np.abs(energy - 9.81).max() < 1e-5


def test_implicit_equations():
    F = lambda t, x, d: [d[0] - (1.0 if t < 0.5 else -2.0), x[1] - 2 * x[0]]  # noqa: E731
    r = daedal.solve_dae(F, (0, 1), [0.0, 0.0], **TIGHT)
    assert r.success and any("both ways" in note for note in r.report.notes)
    assert np.abs(r.x[:, -1] - [-0.5, -1.0]).max() < 1e-8


def raises(t, y):
    if y[0] < -5:
        raise ValueError("outside")
    return -y


def endless(t, y):
    while y[0] > 3:
        y = y / 2
    return -y


def many(t, y):
    return [-sum(0.1 if y[0] > i / 40 else 0.05 for i in range(40)) * y[0]]


@pytest.mark.parametrize("fun", [raises, endless, many])
def test_what_has_no_such_form_is_called(fun):
    r = daedal.solve_ivp(fun, (0, 1), [1.0])
    assert r.success and len(r.report.notes) == 1
    assert "calls of Python functions" in r.report.notes[0] and "both ways" not in r.report.notes[0]


def test_an_exception_of_a_branch_comes_back():
    with pytest.raises(ValueError, match="outside"):
        daedal.solve_ivp(lambda t, y: raises(t, y) - 100, (0, 1), [1.0])


def test_trace_refuses_decisions():
    with pytest.raises(daedal.TraceError, match="np.where"):
        daedal.solve_ivp(lambda t, y: -y if y[0] > 0 else y, (0, 1), [1.0], functions="trace")


def test_derivatives_of_called_functions():
    """A constraint with a decision costs no differences: fewer than 3 calls an evaluation."""
    count = [0]

    def g(t, q):
        if q.dtype == float:
            count[0] += 1
        return [q @ q - 1] if q[0] < 9 else [q @ q - 1.0]

    r = daedal.solve_mechanical(lambda t, q, v: [0, -9.81], g, [1, 0], [0, 0], (0, 3),
                                functions="python")
    assert r.success and count[0] < 2 * r.nfev


@pytest.mark.parametrize("method", ["auto", "BDF"])
def test_a_jump_against_itself_is_told_early(method):
    """y' = -sign(y) + .. stays at y = 0: steps of called functions creep there, and are stopped."""
    calls = [0]

    def fun(t, y):
        calls[0] += 1
        return np.array([-np.sign(y[0]) + 0.5 * np.sin(t)])

    r = daedal.solve_ivp(fun, (0, 3), [0.5], functions="python", method=method)
    assert r.status == -1 and "jumps" in r.message and calls[0] < 500000
    assert np.abs(r.y[0, -1]) < 1e-6 and 0.5 < r.t[-1] < 0.6  # where it gets to y = 0


def test_many_steps_that_lead_somewhere_are_taken():
    """Neither fast motion nor stiffness that takes 50,000 steps is called creeping."""
    w = 6e3
    r = daedal.solve_ivp(lambda t, y: np.array([w * y[1], -w * y[0]]), (0, 1), [0.0, 1.0],
                         functions="python", method="RK45", rtol=1e-7, atol=1e-7)
    assert r.success and len(r.t) > 25000
    r = daedal.solve_ivp(lambda t, y: np.array([-2e5 * (y[0] - t) + 1]), (0, 1), [0.0],
                         functions="python", method="RK45", max_steps=10**6)
    assert r.success and len(r.t) > 30000 and abs(r.y[0, -1] - 1) < 1e-6
