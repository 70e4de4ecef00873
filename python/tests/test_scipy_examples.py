"""The examples of SciPy's documentation with daedal in its place: same fields, shapes, values."""

import numpy as np
import pytest

import daedal

integrate = pytest.importorskip("scipy.integrate")


def exponential_decay(t, y):
    return -0.5 * y


def upward_cannon(t, y):
    return [y[1], -0.5]


def hit_ground(t, y):
    return y[0]


def apex(t, y):
    return y[1]


def lotkavolterra(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


def vdp(t, y, mu):
    return [y[1], mu * (1 - y[0]**2) * y[1] - y[0]]


def both(*args, **kwargs):
    return daedal.solve_ivp(*args, **kwargs), integrate.solve_ivp(*args, **kwargs)


def test_basic_decay():
    ours, theirs = both(exponential_decay, [0, 10], [2, 4, 8])
    assert ours.t[0] == 0 and ours.t[-1] == 10 and ours.y.shape == (3, len(ours.t))
    assert set(theirs) <= set(ours)
    assert type(ours.nfev) is type(theirs.nfev) and ours.status == theirs.status == 0
    assert ours.message == theirs.message and ours.success is theirs.success is True


def test_decay_at_times():
    ours, theirs = both(exponential_decay, [0, 10], [2, 4, 8], t_eval=[0, 1, 2, 4, 10])
    assert np.array_equal(ours.t, theirs.t) and ours.y.shape == theirs.y.shape
    assert np.abs(ours.y - np.outer([2, 4, 8], np.exp(-ours.t / 2))).max() < 1e-5


def test_cannon():
    hit_ground.terminal, hit_ground.direction = True, -1
    ours, theirs = both(upward_cannon, [0, 100], [0, 10], events=hit_ground)
    assert abs(ours.t_events[0][0] - 40) < 1e-6 and len(theirs.t_events) == len(ours.t_events)
    assert ours.t_events[0].shape == theirs.t_events[0].shape
    assert ours.status == theirs.status == 1 and ours.message == theirs.message


def test_cannon_apex():
    hit_ground.terminal, hit_ground.direction = True, -1
    ours, theirs = both(upward_cannon, [0, 100], [0, 10], events=(hit_ground, apex),
                        dense_output=True)
    assert np.allclose([e[0] for e in ours.t_events], [40, 20], atol=1e-6)
    assert [e.shape for e in ours.y_events] == [e.shape for e in theirs.y_events]
    assert np.allclose(ours.sol(ours.t_events[1][0]), [100, 0], atol=1e-6)
    assert ours.sol(3.0).shape == theirs.sol(3.0).shape


def test_lotka_volterra():
    ours, theirs = both(lotkavolterra, [0, 15], [10, 5], args=(1.5, 1, 3, 1), dense_output=True,
                        rtol=1e-8, atol=1e-8)
    t = np.linspace(0, 15, 300)
    assert ours.sol(t).shape == theirs.sol(t).shape == (2, 300)
    assert np.abs(ours.sol(t) - theirs.sol(t)).max() < 1e-4


def test_stiff_vdp():
    ours, theirs = both(vdp, [0, 20], [2, 0], args=(10,), method="Radau", rtol=1e-8, atol=1e-8)
    assert np.allclose(ours.y[:, -1], theirs.y[:, -1], atol=1e-3)


def test_complex_vector_and_matrix():
    def deriv_vec(t, y):
        return A @ y

    def deriv_mat(t, y):
        return (A @ y.reshape(3, 3)).flatten()

    A = np.array([[-0.25 + 0.14j, 0, 0.33 + 0.44j], [0.25 + 0.58j, -0.2 + 0.14j, 0],
                  [0, 0.2 + 0.4j, -0.1 + 0.97j]])
    y0 = np.array([10 + 0j, 20 + 0j, 30 + 0j])
    ours, theirs = both(deriv_vec, [0, 25], y0, t_eval=np.linspace(0, 25, 101), rtol=1e-8)
    assert ours.y.shape == theirs.y.shape == (3, 101) and ours.y.dtype == complex
    assert np.abs(ours.y - theirs.y).max() < 1e-2
    assert np.array_equal(ours.y[:, 0], y0)
    y0 = np.array([[2 + 0j, 3 + 0j, 4 + 0j], [5 + 0j, 6 + 0j, 7 + 0j], [9 + 0j, 34 + 0j, 78 + 0j]])
    ours, theirs = both(deriv_mat, [0, 25], y0.flatten(), t_eval=np.linspace(0, 25, 101))
    assert ours.y.shape == theirs.y.shape
    assert np.array_equal(ours.y[:, 0].reshape(3, 3), y0)


def test_bvp_bratu():
    def fun(x, y):
        return np.vstack((y[1], -np.exp(y[0])))

    def bc(ya, yb):
        return np.array([ya[0], yb[0]])

    x = np.linspace(0, 1, 5)
    y_a, y_b = np.zeros((2, x.size)), np.zeros((2, x.size))
    y_b[0] = 3
    x_plot = np.linspace(0, 1, 100)
    for guess in (y_a, y_b):
        ours = daedal.solve_bvp(fun, bc, x, guess)
        theirs = integrate.solve_bvp(fun, bc, x, guess)
        assert set(theirs) <= set(ours) and ours.status == theirs.status == 0
        assert ours.message == theirs.message and ours.niter > 0
        assert ours.sol(x_plot)[0].shape == theirs.sol(x_plot)[0].shape
        # SciPy's solution is good to its tolerance of 1e-3
        assert np.abs(ours.sol(x_plot) - theirs.sol(x_plot)).max() < 1e-2
        assert ours.y.shape == (2, ours.x.size) and ours.yp.shape == ours.y.shape


def test_bvp_sturm_liouville():
    def fun(x, y, p):
        k = p[0]
        return np.vstack((y[1], -k**2 * y[0]))

    def bc(ya, yb, p):
        k = p[0]
        return np.array([ya[0], yb[0], ya[1] - k])

    x = np.linspace(0, 1, 5)
    y = np.zeros((2, x.size))
    y[0, 1] = 1
    y[0, 3] = -1
    ours = daedal.solve_bvp(fun, bc, x, y, p=[6])
    theirs = integrate.solve_bvp(fun, bc, x, y, p=[6])
    assert ours.p.shape == theirs.p.shape and abs(ours.p[0] - 2 * np.pi) < 1e-3
    assert np.abs(ours.sol(x)[0] - np.sin(2 * np.pi * x)).max() < 1e-3


def test_airy_of_the_tutorial():
    """w'' = t w as (w', w): default call, tolerances, times of one's own, a jac of nested lists."""
    special = pytest.importorskip("scipy.special")
    w = [-1 / 3**(1 / 3) / special.gamma(1 / 3), 1 / 3**(2 / 3) / special.gamma(2 / 3)]
    t = np.linspace(0, 4, 100)
    for more in ({}, dict(rtol=1e-8, atol=1e-8), dict(t_eval=t),
                 dict(method="Radau", jac=lambda t, y: [[0, t], [1, 0]])):
        for functions in ("auto", "python"):
            ours = daedal.solve_ivp(lambda t, y: [t * y[1], y[0]], [0, 4], w, functions=functions,
                                    **more)
            theirs = integrate.solve_ivp(lambda t, y: [t * y[1], y[0]], [0, 4], w, **more)
            assert ours.success and ours.y.shape[0] == theirs.y.shape[0] == 2
            assert "t_eval" not in more or ours.y.shape == theirs.y.shape
            # the other solution grows a thousandfold until t = 4
            assert np.abs(ours.y[1] - special.airy(ours.t)[0]).max() < 2e-3
