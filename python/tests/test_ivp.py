"""solve_ivp: values against closed forms, for traced functions and for callbacks."""

import pickle

import numpy as np
import pytest

import daedal

WAYS = ["trace", "python"]
TIGHT = dict(rtol=1e-9, atol=1e-9)


def oscillator(t, y):
    return np.array([y[1], -y[0]])


@pytest.mark.parametrize("functions", WAYS)
def test_oscillator(functions):
    r = daedal.solve_ivp(oscillator, (0, 10), [0, 1], functions=functions, **TIGHT)
    assert r.success and r.status == 0 and r.t[0] == 0 and r.t[-1] == 10
    assert r.y.shape == (2, len(r.t))
    # a tolerance of 1e-9 per unit of time, some steps of it
    assert np.abs(r.y[0] - np.sin(r.t)).max() < 1e-7
    assert r.nfev > 0 and r.sol is None and r.t_events is None


@pytest.mark.parametrize("functions", WAYS)
@pytest.mark.parametrize("method", ["auto", "RK45", "DOP853", "Radau", "BDF", "LSODA", "gauss3"])
def test_methods(functions, method):
    r = daedal.solve_ivp(lambda t, y: [-2 * t * y[0]], (0, 2), [1.0], method, functions=functions,
                         rtol=1e-7, atol=1e-9)
    assert r.success
    assert abs(r.y[0, -1] - np.exp(-4)) < 1e-5


@pytest.mark.parametrize("functions", WAYS)
def test_output_times(functions):
    t_eval = np.linspace(0, 5, 21)
    r = daedal.solve_ivp(oscillator, (0, 5), [0, 1], t_eval=t_eval, functions=functions, **TIGHT)
    assert np.array_equal(r.t, t_eval) and r.y.shape == (2, 21)
    assert np.abs(r.y[1] - np.cos(t_eval)).max() < 1e-7


@pytest.mark.parametrize("functions", WAYS)
def test_backwards(functions):
    r = daedal.solve_ivp(oscillator, (1, -2), [np.sin(1), np.cos(1)], functions=functions,
                         t_eval=[1, 0, -2], dense_output=True, **TIGHT)
    assert np.abs(r.y[0] - np.sin(r.t)).max() < 1e-7
    assert np.abs(r.sol([0.5, -1.5])[0] - np.sin([0.5, -1.5])).max() < 1e-7


@pytest.mark.parametrize("functions", WAYS)
def test_dense_output(functions):
    r = daedal.solve_ivp(oscillator, (0, 10), [0, 1], dense_output=True, functions=functions,
                         **TIGHT)
    t = np.linspace(0, 10, 333)
    assert r.sol(t).shape == (2, 333) and r.sol(0.5).shape == (2,)
    assert np.abs(r.sol(t)[0] - np.sin(t)).max() < 1e-7
    again = pickle.loads(pickle.dumps(r))
    assert np.abs(again.sol(t) - r.sol(t)).max() < 1e-13
    with pytest.raises(ValueError, match="within"):
        r.sol(10.5)


@pytest.mark.parametrize("functions", WAYS)
def test_events(functions):
    def falling(t, y):
        return y[0]

    falling.direction = -1

    def third(t, y):
        return y[1]

    third.terminal = 3
    r = daedal.solve_ivp(oscillator, (0, 100), [0, 1], events=[falling, third],
                         functions=functions, **TIGHT)
    assert r.status == 1 and r.success
    # sin falls through 0 at pi (and 3 pi is behind the end), cos is 0 at pi/2, 3pi/2, 5pi/2
    assert np.allclose(r.t_events[0], [np.pi], atol=1e-7)
    assert np.allclose(r.t_events[1], np.pi * np.array([0.5, 1.5, 2.5]), atol=1e-7)
    assert r.y_events[1].shape == (3, 2) and np.abs(r.y_events[1][:, 1]).max() < 1e-8
    assert r.t[-1] == r.t_events[1][-1]


def test_change_at_an_event():
    """A ball that loses half of its speed: heights 1, 1/4, ..; bounces at times of free fall."""
    def floor(t, y):
        return y[0]

    floor.direction = -1
    floor.change = lambda t, y: np.array([0.0, -0.5 * y[1]])
    r = daedal.solve_ivp(lambda t, y: np.array([y[1], -2.0]), (0, 2.4), [1.0, 0.0], events=floor,
                         **TIGHT)
    assert np.allclose(r.t_events[0], [1, 2], atol=1e-8)
    s = 0.4  # after the second bounce: speed 1/2 upwards
    assert np.allclose(r.y[:, -1], [0.5 * s - s * s, 0.5 - 2 * s], atol=1e-7)


def test_arguments():
    def decay(t, y, rate, shift):
        return -rate * (y - shift)

    for functions in WAYS:
        r = daedal.solve_ivp(decay, (0, 1), [3.0], args=(2.0, 1.0), functions=functions, **TIGHT)
        assert abs(r.y[0, -1] - (1 + 2 * np.exp(-2))) < 1e-7


def test_complex():
    r = daedal.solve_ivp(lambda t, y: 1j * y, (0, 1), [1 + 0j, 2j], dense_output=True, **TIGHT)
    assert r.y.dtype == complex and r.y.shape[0] == 2
    assert abs(r.y[0, -1] - np.exp(1j)) < 1e-8 and abs(r.sol(0.5)[1] - 2j * np.exp(0.5j)) < 1e-8
    again = pickle.loads(pickle.dumps(r))
    assert abs(again.sol(0.5)[1] - r.sol(0.5)[1]) < 1e-14


@pytest.mark.parametrize("functions", WAYS)
def test_invariants(functions):
    r = daedal.solve_ivp(oscillator, (0, 200), [0.6, 0.8], functions=functions,
                         invariants=lambda t, y: y[0]**2 + y[1]**2, rtol=1e-4, atol=1e-4)
    assert r.drift["invariants"] < 1e-12
    assert np.abs(r.y[0]**2 + r.y[1]**2 - 1).max() < 1e-12
    assert any("invariants" in note for note in r.report.notes)


def robertson(t, y):
    return np.array([-0.04 * y[0] + 1e4 * y[1] * y[2],
                     0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1]**2, y[0] + y[1] + y[2] - 1])


def test_singular_mass():
    """The reference of the test set for initial value problems, t = 40."""
    for mass in ([1, 1, 0], np.diag([1, 1, 0])):
        r = daedal.solve_ivp(robertson, (0, 40), [1, 0, 0], mass=mass, rtol=1e-9, atol=1e-12)
        assert r.success and abs(r.y[0, -1] - 0.7158270688) < 1e-7
        assert r.drift["algebraic"] < 1e-14


@pytest.mark.parametrize("functions", WAYS)
def test_regular_mass(functions):
    mass = np.array([[2.0, 1.0], [0.0, 4.0]])
    r = daedal.solve_ivp(lambda t, y: mass @ np.array([y[1], -y[0]]), (0, 3), [0, 1], mass=mass,
                         functions=functions, **TIGHT)
    assert np.allclose(r.y[:, -1], [np.sin(3), np.cos(3)], atol=1e-7)


def test_inconsistent_start_is_told():
    r = daedal.solve_ivp(lambda t, y: np.array([-y[1], y[1] - 2 * y[0]]), (0, 1), [1.0, 5.0],
                         mass=[1, 0], fixed=[0], **TIGHT)
    assert r.report.moved > 0 and "moved" in r.report.text
    assert np.allclose(r.y[:, 0], [1, 2]) and abs(r.y[0, -1] - np.exp(-2)) < 1e-7


def test_hit():
    """A jump of the right-hand side at 1 that steps must meet."""
    r = daedal.solve_ivp(lambda t, y: [1.0 if t < 1 else -3.0], (0, 2), [0.0], hit=[1.0],
                         rtol=1e-12, atol=1e-12)
    assert 1.0 in r.t and abs(r.y[0, -1] + 2) < 1e-12


def test_jacobian_and_sparsity():
    n = 30
    A = -2 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    rate = 2 - 2 * np.cos(np.pi / (n + 1))  # y0 is an eigenvector of A
    for more in (dict(jac=A), dict(jac=lambda t, y: A), dict(jac_sparsity=A), dict(lband=1, uband=1)):
        r = daedal.solve_ivp(lambda t, y: A @ y, (0, 20), y0, "Radau", functions="python", **more,
                             **TIGHT)
        assert r.success and np.abs(r.y[:, -1] - np.exp(-20 * rate) * y0).max() < 1e-7


def test_failure_has_what_was_reached():
    """y' = y^2 from 1 grows without bound at t = 1."""
    for functions in WAYS:
        r = daedal.solve_ivp(lambda t, y: y**2, (0, 2), [1.0], functions=functions)
        assert r.status == -1 and not r.success and 0.9 < r.t[-1] <= 1.001
        assert r["message"] == r.message and "y[0]" in r.message


def test_keys_and_printing():
    r = daedal.solve_ivp(oscillator, (0, 1), [0, 1])
    assert r["t"] is r.t and "drift" in r and "nfev" in dir(r)
    assert "message" in repr(r) and "reached" in str(r.report)
    with pytest.raises(AttributeError, match="nothing"):
        r.nothing


def test_options_by_their_keys():
    r = daedal.solve_ivp(oscillator, (0, 1), [0, 1], method="rk4", step=0.01)
    assert len(r.t) == 101 and r.method == "rk4"
    assert daedal.options()["max_steps"][0] == "COUNT"
    r = daedal.solve_ivp(oscillator, (0, 1000), [0, 1], max_steps=5)
    assert r.status == -1 and "max_steps" in r.message and f"t = {r.t[-1]:.15g}" in r.message


@pytest.mark.parametrize("functions", ["auto", "python"])
def test_vectorized(functions):
    """A function of columns; df/dy comes from one call with many of them."""
    widths = []

    def fun(t, y):
        widths.append(y.shape[1])
        return np.vstack((y[1], 1000 * (1 - y[0]**2) * y[1] - y[0]))

    r = daedal.solve_ivp(fun, (0, 100), [2.0, 0], "Radau", vectorized=True, functions=functions)
    other = daedal.solve_ivp(lambda t, y: fun(t, y[:, None])[:, 0], (0, 100), [2.0, 0], "Radau")
    assert r.success and np.abs(r.y[:, -1] - other.y[:, -1]).max() < 1e-5
    if functions == "python":
        assert widths.count(8) > 0 and set(widths) <= {1, 8}
    with pytest.raises((ValueError, IndexError)):
        daedal.solve_ivp(lambda t, y: y[:, :1], (0, 1), [1.0, 2.0], "Radau", vectorized=True,
                         functions="python")


@pytest.mark.parametrize("functions", ["trace", "python"])
def test_atol_of_each_variable(functions):
    """Tiny y[1] counts only with an atol of its own; a loose one for it saves steps."""
    fun = lambda t, y: np.array([-y[0], 1e-9 * np.cos(50 * t) + 0 * y[1]])  # noqa: E731

    def solve(atol):
        return daedal.solve_ivp(fun, (0, 2), [1.0, 0.0], rtol=1e-8, atol=atol,
                                functions=functions)

    loose, tight, both = solve([1e-8, 1e-3]), solve([1e-8, 1e-16]), solve(1e-16)
    assert len(loose.t) < len(tight.t) <= len(both.t)
    assert abs(tight.y[1, -1] - 1e-9 * np.sin(100) / 50) < 1e-14
    assert np.array_equal(solve([1e-8, 1e-8]).y, solve(1e-8).y)
    with pytest.raises(ValueError, match="atol"):
        solve([1e-8] * 3)


def landing(t, y):
    return y[0]


landing.terminal, landing.direction = True, -1


@pytest.mark.parametrize("method", ["auto", "RK45", "Radau", "BDF"])
@pytest.mark.parametrize("functions", ["auto", "python"])
def test_infinite_interval_ends_at_an_event(method, functions):
    r = daedal.solve_ivp(lambda t, y: np.array([y[1], -9.81]), (0, np.inf), [0, 7.3],
                         events=landing, method=method, functions=functions)
    assert r.status == 1 and abs(r.t[-1] - 2 * 7.3 / 9.81) < 1e-6  # the tolerance
    with pytest.raises(ValueError, match="terminal"):
        daedal.solve_ivp(lambda t, y: -y, (0, np.inf), [1.0], functions=functions)


def test_infinite_interval_whose_event_never_happens():
    def above(t, y):
        return y[0] - 2

    above.terminal = True
    r = daedal.solve_ivp(lambda t, y: -y, (0, np.inf), [1.0], events=above)
    assert not r.success and "no terminal event" in r.message


def test_no_interval_has_a_solution():
    r = daedal.solve_ivp(lambda t, y: -y, (4, 4), [2, 3], dense_output=True)
    assert r.success and np.array_equal(r.sol(4), [2, 3]) and r.sol([4, 4]).shape == (2, 2)


def test_classes_of_scipy_stand_for_their_names():
    integrate = pytest.importorskip("scipy.integrate")
    r = daedal.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=integrate.Radau)
    assert r.method == "radau3"
    with pytest.raises(TypeError, match="method"):
        daedal.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=int)
