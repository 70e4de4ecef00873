"""Boundary value problems against closed forms and SciPy's own examples."""

import pickle

import numpy as np
import pytest

import daedal

WAYS = ["trace", "python"]


def bratu(x, y):
    return np.vstack((y[1], -np.exp(y[0])))


def zero_ends(ya, yb):
    return np.array([ya[0], yb[0]])


@pytest.mark.parametrize("functions", WAYS)
def test_both_solutions_of_bratu(functions):
    """y = -2 log(cosh((x - 1/2) c/2)/cosh(c/4)) with c = sqrt(2) cosh(c/4)."""
    x = np.linspace(0, 1, 5)
    for height, c in ((0.0, 1.5171645990508), (3.0, 10.9387028)):
        guess = np.zeros((2, 5))
        guess[0] = height
        r = daedal.solve_bvp(bratu, zero_ends, x, guess, tol=1e-7, functions=functions)
        assert r.status == 0 and r.success and r.y.shape == (2, r.x.size) == r.yp.shape
        at = np.linspace(0, 1, 33)
        exact = -2 * np.log(np.cosh((at - 0.5) * c / 2) / np.cosh(c / 4))
        assert np.abs(r.sol(at)[0] - exact).max() < 1e-5
        assert r.sol(0.3).shape == (2,) and r.rms_residuals.shape == (r.x.size - 1,)
        assert np.abs(r.sol(at, 1)[0] - r.sol(at)[1]).max() < 1e-4
        again = pickle.loads(pickle.dumps(r))
        assert np.array_equal(again.sol(at), r.sol(at))


@pytest.mark.parametrize("functions", WAYS)
def test_unknown_parameter(functions):
    def fun(x, y, p):
        return np.vstack((y[1], -p[0]**2 * y[0]))

    def bc(ya, yb, p):
        return np.array([ya[0], yb[0], ya[1] - p[0]])

    x = np.linspace(0, 1, 5)
    y = np.zeros((2, 5))
    y[0, 1], y[0, 3] = 1, -1
    r = daedal.solve_bvp(fun, bc, x, y, p=[6], tol=1e-8, functions=functions)
    assert r.success and abs(r.p[0] - 2 * np.pi) < 1e-6
    assert np.abs(r.y[0] - np.sin(2 * np.pi * r.x)).max() < 1e-6


@pytest.mark.parametrize("functions", WAYS)
def test_constraints(functions):
    """y0 = y1 = u kept equal by a multiplier; u' = w, w' = -u: u = sin(x)/cos(1)."""
    r = daedal.solve_bvp(lambda x, y, p, lam: np.vstack((y[2] - lam[0], y[2] + lam[0], -y[0])),
                         lambda a, b: np.array([a[0], b[2] - 1]), np.linspace(0, 1, 5),
                         np.zeros((3, 5)), constraints=lambda x, y: (y[0] - y[1])[None], tol=1e-8,
                         functions=functions)
    assert r.success and r.lam.shape == (1, r.x.size) and r.drift["constraints"] < 1e-12
    assert np.abs(r.y[0] - np.sin(r.x) / np.cos(1)).max() < 1e-7
    assert np.abs(r.lam).max() < 1e-6


def test_failures_are_told():
    x = np.linspace(0, 1, 5)
    # u'' = -exp(u) has no solution for a factor of 5 (the limit is 3.51)
    r = daedal.solve_bvp(lambda x, y: np.vstack((y[1], -5 * np.exp(y[0]))), zero_ends, x,
                         np.zeros((2, 5)))
    assert not r.success and r.status in (1, 2) and r.message


def test_bad_input():
    x, y = np.linspace(0, 1, 5), np.zeros((2, 5))
    for call, word in [
        (lambda: daedal.solve_bvp(3, zero_ends, x, y), "fun"),
        (lambda: daedal.solve_bvp(bratu, 3, x, y), "bc"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x[::-1], y), "x"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x, y[:, :3]), "y"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x, y[0]), "y"),
        (lambda: daedal.solve_bvp(lambda x, y: y[:1], zero_ends, x, y), "fun"),
        (lambda: daedal.solve_bvp(bratu, lambda a, b: a[:1], x, y), "bc"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x, y, S=np.eye(3)), "S"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x, y, tol=-1), "tol"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x, y, tols=1), "tol"),
        (lambda: daedal.solve_bvp(bratu, zero_ends, x, y * np.nan), "y"),
    ]:
        with pytest.raises((ValueError, TypeError), match=word):
            call()


def test_exceptions_come_back():
    def broken(x, y):
        if y.shape == (2, 1):
            raise KeyError("mine")
        return bratu(x, y)

    with pytest.raises(KeyError, match="mine"):
        daedal.solve_bvp(broken, zero_ends, np.linspace(0, 1, 5), np.zeros((2, 5)),
                         functions="python")


def test_jacobians_of_the_user_are_used():
    """Bratu's problem by calls: derivatives are taken where they are given, not by differences."""
    counts = dict(fun=0, fun_jac=0, bc_jac=0)

    def fun(x, y):
        counts["fun"] += 1
        return np.vstack((y[1], [-np.exp(float(v)) for v in y[0]]))  # float: cannot be traced

    def fun_jac(x, y):
        counts["fun_jac"] += 1
        zero = np.zeros_like(x)
        return np.array([[zero, zero + 1], [-np.exp(y[0]), zero]])

    def bc_jac(a, b):
        counts["bc_jac"] += 1
        return np.array([[1.0, 0], [0, 0]]), np.array([[0.0, 0], [1, 0]])

    bc = lambda a, b: np.array([a[0], b[0]])  # noqa: E731
    x = np.linspace(0, 1, 5)
    by_differences = daedal.solve_bvp(fun, bc, x, np.zeros((2, 5)))
    calls = counts["fun"]
    counts.update(fun=0)
    r = daedal.solve_bvp(fun, bc, x, np.zeros((2, 5)), fun_jac=fun_jac, bc_jac=bc_jac)
    assert r.success and counts["fun_jac"] > 0 and counts["bc_jac"] > 0
    assert counts["fun"] < calls / 2
    # the lower solution has the height -2 log(1/cosh(c/4)), c = 1.5171645990507543685
    height = 2 * np.log(np.cosh(1.5171645990507543685 / 4))
    assert abs(r.sol(0.5)[0] - height) < 1e-5
    assert np.abs(r.sol(x) - by_differences.sol(x)).max() < 1e-6


def test_jacobians_with_parameters():
    fun = lambda x, y, p: np.vstack((y[1], -p[0]**2 * y[0]))  # noqa: E731
    bc = lambda a, b, p: np.array([a[0], b[0], a[1] - p[0]])  # noqa: E731
    fun_jac = lambda x, y, p: (np.array([[0 * x, 0 * x + 1], [0 * x - p[0]**2, 0 * x]]),  # noqa: E731
                               np.array([[0 * x], [-2 * p[0] * y[0]]]))
    bc_jac = lambda a, b, p: (np.array([[1, 0], [0, 0], [0, 1.0]]),  # noqa: E731
                              np.array([[0, 0], [1.0, 0], [0, 0]]), np.array([[0], [0], [-1.0]]))
    x, y = np.linspace(0, 1, 5), np.zeros((2, 5))
    y[0, 1], y[0, 3] = 1, -1
    for functions in ("auto", "python"):
        r = daedal.solve_bvp(fun, bc, x, y, p=[6], fun_jac=fun_jac, bc_jac=bc_jac,
                             functions=functions)
        assert abs(r.p[0] - 2 * np.pi) < 1e-6


def test_complex_values():
    """y' = k y between complex ends, with exact derivatives and without them; p is complex too."""
    k = 0.7 - 1.3j
    x = np.linspace(0, 1, 5)
    end = np.exp(k) * (2 + 1j)
    more = dict(fun_jac=lambda x, y: np.array([[0, 1], [k**2, 0]])[:, :, None] * np.ones_like(x),
                bc_jac=lambda a, b: (np.array([[1, 0], [0, 0]]), np.array([[0, 0], [1, 0]])))
    for given in ({}, more):
        r = daedal.solve_bvp(lambda x, y: np.vstack((y[1], k**2 * y[0])),
                             lambda a, b: np.array([a[0] - (2 + 1j), b[0] - end]), x,
                             np.zeros((2, 5), dtype=complex), tol=1e-8, **given)
        assert r.success and r.y.dtype == complex and r.y.shape == (2, r.x.size)
        assert np.abs(r.sol(x)[0] - (2 + 1j) * np.exp(k * x)).max() < 1e-7
        assert r.sol(0.5).shape == (2,) and abs(r.sol(0.5, 1)[0] - r.sol(0.5)[1]) < 1e-6
    r = daedal.solve_bvp(lambda x, y, p: p[0] * y, lambda a, b, p: np.array([a[0] - 1, b[0] - 1j]),
                         x, np.ones((1, 5), dtype=complex), p=[1j], tol=1e-8)
    assert r.success and abs(r.p[0] - 1j * np.pi / 2) < 1e-7
    with pytest.raises(TypeError, match="complex"):
        daedal.solve_bvp(lambda x, y, p, lam: y, lambda a, b: a, x, np.ones((1, 5), dtype=complex),
                         constraints=lambda x, y: y)


@pytest.mark.parametrize("functions", ["auto", "trace", "python"])
def test_singular_term(functions):
    """Emden's equation y'' + 2 y'/x + y^5 = 0, y'(0) = 0: y = 1/sqrt(1 + x^2/3)."""
    x = np.linspace(0, 1, 5)
    r = daedal.solve_bvp(lambda x, y: np.vstack((y[1], -y[0]**5)),
                         lambda a, b: np.array([a[1], b[0] - np.sqrt(0.75)]), x,
                         np.vstack([np.full(5, 0.75**0.5), np.zeros(5)]),
                         S=np.array([[0, 0], [0, -2.0]]), tol=1e-7, functions=functions)
    at = np.linspace(0, 1, 101)
    assert r.success and np.abs(r.sol(at)[0] - 1 / np.sqrt(1 + at**2 / 3)).max() < 1e-6
    assert np.isfinite(r.rms_residuals).all() and np.isfinite(r.yp).all()
