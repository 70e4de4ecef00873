"""Random problems with known answers: right, or refused by name; never a wrong success."""

import numpy as np
import pytest

import daedal

QUICK, LONG = 10, 200


def cases(request):
    return LONG if request.config.getoption("--long") else QUICK


def known(rng, n):
    """A smooth x(t) and its derivative: sums of a sine and a polynomial."""
    a, w, b = rng.uniform(-1, 1, n), rng.uniform(0.5, 2, n), rng.uniform(-1, 1, (3, n))
    x = lambda t: a * np.sin(w * t) + b[0] + b[1] * t + b[2] * t**2  # noqa: E731
    d = lambda t: a * w * np.cos(w * t) + b[1] + 2 * b[2] * t  # noqa: E731
    return x, d


def pencil(rng, index):
    """E and A of a regular pencil of an index, mixed by random regular matrices."""
    states = int(rng.integers(1, 4))
    sizes = [index] if index else []
    if index and rng.random() < 0.4:
        sizes.append(int(rng.integers(1, index + 1)))
    n = states + sum(sizes)
    E, A = np.zeros((n, n)), np.zeros((n, n))
    E[:states, :states] = np.eye(states)
    A[:states, :states] = rng.uniform(-1, 1, (states, states))
    at = states
    for size in sizes:  # nilpotent blocks: N x' = x + ..
        E[at:at + size, at:at + size] = np.eye(size, k=1)
        A[at:at + size, at:at + size] = np.eye(size)
        at += size
    P = np.linalg.qr(rng.normal(size=(n, n)))[0] @ np.diag(rng.uniform(0.5, 2, n))
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0] @ np.diag(rng.uniform(0.5, 2, n))
    return P @ E @ Q, P @ A @ Q


def judge(call, x, t1, tolerance):
    """1 right, 0 refused; a wrong success fails the test."""
    try:
        r = call()
    except (ValueError, daedal.TraceError) as error:
        assert str(error)
        return 0
    if not r.success:
        assert r.message
        return 0
    error = np.abs(r.y[:, -1] - x(t1)).max()
    assert error < tolerance, f"success, but off by {error:.1e}\n{r.report}"
    return 1


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_linear_daes(index, request):
    """E x' = A x + f(t) with f from a known x."""
    rng = np.random.default_rng(100 + index)
    right, count = 0, cases(request) // 2 + 1
    for _ in range(count):
        E, A = pencil(rng, index)
        n = len(E)
        x, d = known(rng, n)

        def source(t, x=x, d=d, E=E, A=A):
            return E @ d(t) - A @ x(t)

        def F(t, y, ydot, E=E, A=A, source=source):
            return E @ ydot - A @ y - source(t)

        right += judge(lambda: daedal.solve_dae(F, (0, 1), x(0.0), d(0.0), rtol=1e-8, atol=1e-8,
                                                compile=False), x, 1.0, 1e-4)
        right += judge(lambda: daedal.solve_ivp(lambda t, y: A @ y + source(t), (0, 1), x(0.0),
                                                mass=E, rtol=1e-8, atol=1e-8, compile=False),
                       x, 1.0, 1e-4)
    # what is refused must be the exception
    assert right >= 1.6 * count


def formula(rng, depth):
    """A random function of (t, y) with three values, written with NumPy operations."""
    unary = [np.sin, np.cos, np.tanh, np.arctan, lambda x: np.exp(-x * x), lambda x: x / (1 + x * x),
             np.abs, lambda x: np.maximum(x, 0.1), lambda x: np.sqrt(1 + x * x)]
    f = unary[int(rng.integers(len(unary)))]
    if depth == 0:
        i, k = int(rng.integers(3)), float(rng.uniform(-1, 1))
        return lambda t, y: y[i] * k + 0.3 * np.sin(t)
    a, b = formula(rng, depth - 1), formula(rng, depth - 1)
    kind = int(rng.integers(4))
    if kind == 0:
        return lambda t, y: f(a(t, y)) + b(t, y)
    if kind == 1:
        return lambda t, y: a(t, y) * np.cos(b(t, y))
    if kind == 2:
        return lambda t, y: np.where(a(t, y) > 0.2, b(t, y), 0.5 * a(t, y) - 0.1)
    return lambda t, y: f(a(t, y) - b(t, y))


def test_traced_and_called(request):
    """The same function by both ways; jumps of `where` are met by one and crossed by the other."""
    rng = np.random.default_rng(7)
    compared = 0
    for case in range(cases(request)):
        parts = [formula(rng, 2) for _ in range(3)]

        def fun(t, y, parts=parts):
            return np.array([part(t, y) for part in parts])

        y0 = rng.uniform(-1, 1, 3)
        # where both sides of a jump lead back to it, calls of a function find no way on
        options = dict(rtol=1e-7, atol=1e-7, max_steps=5000)
        a = daedal.solve_ivp(fun, (0, 1), y0, functions="trace", compile=False, **options)
        b = daedal.solve_ivp(fun, (0, 1), y0, functions="python", **options)
        if not (a.success and b.success):
            continue
        compared += 1
        assert np.abs(a.y[:, -1] - b.y[:, -1]).max() < 1e-4, f"case {case}\n{a.report}"
    assert compared > 0.8 * cases(request)


def test_mechanisms(request):
    """Particles joined by rods, in the plane: energy is kept, both ways agree."""
    rng = np.random.default_rng(11)
    for case in range(cases(request) // 2):
        n = int(rng.integers(1, 4))
        at = np.cumsum(rng.uniform(0.3, 1, (n, 2)) * np.array([1, -1]), axis=0)
        length = np.linalg.norm(np.diff(np.vstack([[0, 0], at]), axis=0), axis=1)
        mass = np.repeat(rng.uniform(0.5, 2, n), 2)
        power = int(rng.integers(1, 3))  # the same constraint, written in two ways

        def g(t, q, length=length, power=power):
            d = np.diff(np.concatenate([np.zeros((1, 2)), q.reshape(-1, 2)]), axis=0)
            s = np.sum(d**2, axis=1)
            return s - length**2 if power == 2 else np.sqrt(s) - length

        def force(t, q, v, mass=mass):
            return mass * np.tile([0.0, -9.81], len(q) // 2)

        kw = dict(mass=mass, rtol=1e-8, atol=1e-8)
        a = daedal.solve_mechanical(force, g, at.ravel(), np.zeros(2 * n), (0, 1), compile=False,
                                    functions="trace", **kw)
        b = daedal.solve_mechanical(force, g, at.ravel(), np.zeros(2 * n), (0, 1),
                                    functions="python", **kw)
        assert a.success and b.success, (case, a.message, b.message)
        assert np.abs(a.q[:, -1] - b.q[:, -1]).max() < 1e-4
        assert np.abs(a.lam[:, -1] - b.lam[:, -1]).max() < 1e-2 * (1 + np.abs(a.lam).max())
        energy = 0.5 * mass @ a.v**2 + 9.81 * (mass[1::2] @ a.q[1::2])
        assert np.ptp(energy) < 1e-4 and max(a.drift.values()) < 1e-11
