"""solve_mechanical and solve_dae: constraints stay satisfied, multipliers have sign and scale."""

import pickle

import numpy as np
import pytest

import daedal

TIGHT = dict(rtol=1e-9, atol=1e-9)
GRAVITY = 9.81


def weight(t, q, v):
    return np.array([0, -GRAVITY])


def rod(t, q):
    return np.array([q[0]**2 + q[1]**2 - 1])


def angle_reference(t_end):
    """The pendulum as an ODE of its angle: another formulation of the same motion."""
    r = daedal.solve_ivp(lambda t, a: np.array([a[1], -GRAVITY * np.sin(a[0])]), (0, t_end),
                         [np.pi / 2, 0], rtol=1e-12, atol=1e-12)
    return r.y[:, -1]


@pytest.mark.parametrize("functions", ["trace", "python"])
def test_pendulum(functions):
    r = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 3), functions=functions, **TIGHT)
    a, rate = angle_reference(3)
    assert np.allclose(r.q[:, -1], [np.sin(a), -np.cos(a)], atol=1e-7)
    # q'' = f - 2 q lam: along the rod, rate^2 + g cos a = 2 lam
    assert abs(2 * r.lam[0, -1] - (rate**2 + GRAVITY * np.cos(a))) < 1e-5
    assert r.drift["position"] < 1e-13 and r.drift["velocity"] < 1e-12
    assert np.array_equal(r.y, np.vstack([r.q, r.v]))


@pytest.mark.parametrize("scale", [1.0, -3.0, 1e-3])
@pytest.mark.parametrize("functions", ["trace", "python"])
def test_scale_of_g(scale, functions):
    """The multiplier is that of g as it is written."""
    r = daedal.solve_mechanical(weight, lambda t, q: scale * rod(t, q), [0, -1], [0, 0], (0, 0.1),
                                functions=functions)
    assert abs(r.lam[0, 0] - GRAVITY / 2 / scale) < 1e-9 * abs(1 / scale)


def test_dense_output_is_on_the_constraints():
    r = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 5), dense_output=True, **TIGHT)
    t = np.linspace(0, 5, 200)
    q, v = np.split(r.sol(t), 2)
    assert np.abs(np.sum(q * q, 0) - 1).max() < 1e-13 and np.abs(np.sum(q * v, 0)).max() < 1e-12
    again = pickle.loads(pickle.dumps(r))
    assert np.abs(again.sol(t) - r.sol(t)).max() < 1e-13


def test_mass_in_all_shapes():
    """A mass that is the same everywhere changes the multiplier, not the motion."""
    end = []
    for mass in (2.0, [2.0, 2.0], 2 * np.eye(2), lambda t, q: np.array([2.0, 2.0]),
                 lambda t, q: 2 * np.eye(2)):
        r = daedal.solve_mechanical(lambda t, q, v: 2 * weight(t, q, v), rod, [1, 0], [0, 0],
                                    (0, 1), mass=mass, **TIGHT)
        end.append([*r.q[:, -1], r.lam[0, -1] / 2])
    a, rate = angle_reference(1)
    expected = [np.sin(a), -np.cos(a), (rate**2 + GRAVITY * np.cos(a)) / 2]
    assert np.allclose(end, expected, atol=1e-6)


@pytest.mark.parametrize("functions", ["trace", "python"])
def test_velocity_constraint(functions):
    """A skate on a slope: the contact point of a rolling motion that is known in closed form."""
    def edge(t, q, v):
        return [v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])]

    w = 1.3
    r = daedal.solve_mechanical(lambda t, q, v: np.array([GRAVITY, 0, 0]), None, [0, 0, 0],
                                [0, 0, w], (0, 2), mass=[1, 1, 0.7], velocity_constraints=edge,
                                functions=functions, **TIGHT)
    # speed along the edge u' = g cos(w t), so x = g/(2 w^2) sin^2(w t)
    assert abs(r.q[0, -1] - GRAVITY / (2 * w * w) * np.sin(2 * w)**2) < 1e-7
    assert r.lam.shape[0] == 1 and r.drift["velocity"] < 1e-12 and "position" not in r.drift


@pytest.mark.parametrize("functions", ["trace", "python"])
def test_redundant_constraint(functions):
    """The same rod twice: each carries half of the force."""
    r = daedal.solve_mechanical(weight, lambda t, q: np.concatenate([rod(t, q), rod(t, q)]),
                                [1, 0], [0, 0], (0, 0.5), functions=functions)
    one = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 0.5))
    assert r.success and np.allclose(r.q[:, -1], one.q[:, -1], atol=1e-6)
    assert np.allclose(r.lam[:, -1], one.lam[0, -1] / 2, atol=1e-4)


def test_moving_constraint():
    """A rod whose length is 1 + t/2: angular momentum r^2 a' is kept without weight."""
    r = daedal.solve_mechanical(None, lambda t, q: q @ q - (1 + t / 2)**2, [1, 0], [0.5, 2],
                                (0, 2), **TIGHT)
    q, v = r.q, r.v
    assert np.abs(q[0] * v[1] - q[1] * v[0] - 2).max() < 1e-7 and r.drift["velocity"] < 1e-12


def test_events_of_mechanical():
    def lowest(t, q, v):
        return q[0]

    lowest.terminal = True
    r = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 9), events=lowest, **TIGHT)
    speed = np.sqrt(2 * GRAVITY)  # all height turned into speed
    assert r.status == 1 and abs(abs(r.y_events[0][0, 2]) - speed) < 1e-6


def test_start_is_moved_and_told():
    r = daedal.solve_mechanical(weight, rod, [1.1, 0], [1.0, 0.5], (0, 0.1))
    assert r.report.moved > 0 and abs(r.q[:, 0] @ r.q[:, 0] - 1) < 1e-13
    assert abs(r.q[:, 0] @ r.v[:, 0]) < 1e-13


def pendulum_dae(t, x, xdot):
    return np.array([xdot[0] - x[2], xdot[1] - x[3], xdot[2] + x[0] * x[4],
                     xdot[3] + x[1] * x[4] + GRAVITY, x[0]**2 + x[1]**2 - 1])


def test_dae_index_3():
    r = daedal.solve_dae(pendulum_dae, (0, 3), [1, 0, 0, 0, 0], **TIGHT)
    a, _ = angle_reference(3)
    assert r.success and r.index == 3
    assert np.allclose(r.x[:2, -1], [np.sin(a), -np.cos(a)], atol=1e-7)
    assert r.drift["algebraic"] < 1e-12


def test_dae_derivative_guess_chooses_the_branch():
    """xdot^2 = x has two solutions through 1."""
    for sign in (1, -1):
        r = daedal.solve_dae(lambda t, x, xdot: xdot**2 - x, (0, 1), [1.0], [sign * 1.0], **TIGHT)
        assert r.success and abs(r.x[0, -1] - (1 + sign / 2)**2) < 1e-7


def test_dae_singular_pencil_is_refused():
    with pytest.raises(ValueError):
        daedal.solve_dae(lambda t, x, xdot: np.array([xdot[0] + x[1], 2 * xdot[0] + 2 * x[1]]),
                         (0, 1), [1.0, 0.0])


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_robertson_as_it_is_written(tolerance):
    """To t = 4e10, where x[0] = 5.2e-8 and an error of that size makes it blow up."""
    F = lambda t, x, d: [d[0] + 0.04 * x[0] - 1e4 * x[1] * x[2],  # noqa: E731
                         d[1] - 0.04 * x[0] + 1e4 * x[1] * x[2] + 3e7 * x[1]**2,
                         x[0] + x[1] + x[2] - 1]
    r = daedal.solve_dae(F, (0, 4e10), [1, 0, 0], rtol=tolerance, atol=1e-6 * tolerance)
    # the reference solution of the test set for initial value problems at 1e11 is 2.083e-8: it
    # falls like 1/t; at 4e10 IDA and CVODE document 5.2e-8
    assert r.success and 5.20e-8 < r.x[0, -1] < 5.22e-8


def test_dae_that_cannot_be_traced():
    F = lambda t, x, xdot: xdot + x if x[0] > 0 else xdot  # noqa: E731
    with pytest.raises(daedal.TraceError, match="trace"):
        daedal.solve_dae(F, (0, 1), [1.0], functions="trace")
    for functions in ("auto", "python"):
        r = daedal.solve_dae(F, (0, 1), [1.0], functions=functions, **TIGHT)
        assert r.x[0, -1] == pytest.approx(np.exp(-1), abs=1e-7)


def test_drift_is_that_of_steps_and_output():
    """With loose stabilization the steps drift more than the projected output points show."""
    loose = dict(stabilize="none", form="index1", method="rk4", step=0.05, project_output=False,
                 audit=False)
    for functions in ("trace", "python"):
        every = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 2), functions=functions,
                                        **loose)
        few = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 2), t_eval=[0.0],
                                      functions=functions, **loose)
        assert few.y.shape == (4, 1) and few.drift["position"] > 1e-6
        assert abs(few.drift["position"] - every.drift["position"]) < 1e-12


def test_interpreted():
    r = daedal.solve_mechanical(weight, rod, [1, 0], [0, 0], (0, 3), compile=False, **TIGHT)
    a, _ = angle_reference(3)
    assert np.allclose(r.q[:, -1], [np.sin(a), -np.cos(a)], atol=1e-7)


def test_start_that_is_consistent_to_rounding():
    """Residuals of 1e-17 at the start say nothing about the trace."""
    a, r = 0.7312, 0.31

    def g(t, q):
        return np.array([q[0] - r * np.cos(q[2]), q[1] - r * np.sin(q[2])])

    q0 = [r * np.cos(a), r * np.sin(a), a]
    assert np.abs(g(0, np.array(q0) * (1 + 1e-16))).max() < 1e-15
    shifted = lambda t, q: g(t, q) + 0.1 - 0.1 * (1 + np.sin(q[0])**2 + np.cos(q[0])**2) / 2  # noqa: E731
    r = daedal.solve_mechanical(lambda t, q, v: np.array([0, -1.0, 0]), shifted, q0, [0, 0, 0],
                                (0, 1), functions="trace")
    assert r.success and r.drift["position"] < 1e-13
