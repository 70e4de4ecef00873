"""Tracing: what NumPy does is what the graph does; what cannot be traced says so."""

import math

import numpy as np
import pytest

import daedal
from daedal.trace import Graph, evaluate, gradient, symbols, trace

A = np.array([[0.2, -1.3, 0.4], [0.7, 0.1, -0.6], [1.1, 0.3, -0.9]])
COUNT = 3
GAIN = 2.0


def helper(x):
    return np.sin(x) * math.cos(0.3)


def filled(t, y):
    out = np.zeros(3)
    for i in range(COUNT):
        out[i] = y[i] ** (i + 1) + i
    out[1:] += y[:2]
    return out


FUNCTIONS = {
    "matrix": lambda t, y: A @ y,
    "dot": lambda t, y: np.array([np.dot(y, y), y.dot(y), A[0].dot(y)]),
    "elementary": lambda t, y: np.sin(y) + np.exp(-y**2) * np.arctan(y) + np.sqrt(y**2 + 1),
    "more": lambda t, y: np.tanh(y) + np.log1p(y**2) + np.expm1(0.1 * y) + np.hypot(y, 1.0),
    "inverse": lambda t, y: np.arcsin(y / 10) + np.arccos(y / 10) + np.arcsinh(y) + np.cbrt(y),
    "power": lambda t, y: y**3 + np.power(np.abs(y), 1.5) + 2.0**y + np.square(y) + 1 / (2 + y**2),
    "filled": filled,
    "zeros_like": lambda t, y: np.zeros_like(y) + np.ones_like(y) * t,
    "slices": lambda t, y: np.concatenate([y[1:], y[:1]]) * y[::-1],
    "stack": lambda t, y: np.stack([y[0], y[1] * y[2], t]),
    "hstack": lambda t, y: np.hstack((y[:2], y[0] - y[1])),
    "vstack": lambda t, y: np.vstack((y[:1], y[1:2], y[2:])).ravel(),
    "column": lambda t, y: (A @ y.reshape(3, 1)).flatten(),
    "tile": lambda t, y: np.tile(y[:1], 3) + np.repeat(y[1:2], 3),
    "roll": lambda t, y: np.roll(y, 1) - 2 * y + np.roll(y, -1),
    "outer": lambda t, y: np.outer(y, y).sum(axis=1) + np.cumsum(y) + y.prod(),
    "sums": lambda t, y: [np.sum(y), y.mean(), sum(y)],
    "norm": lambda t, y: y / np.linalg.norm(y),
    "cross": lambda t, y: np.cross(y, [1.0, 2.0, 3.0]),
    "einsum": lambda t, y: np.einsum("ij,j->i", A, y),
    "where": lambda t, y: np.where(y > 0.3, y**2, -y),
    "clip": lambda t, y: np.clip(y, -0.5, 0.5) + np.maximum(y, 0) + np.minimum(y, t),
    "minmax": lambda t, y: [min(y[0], y[1]), max(y), abs(y[2])],
    "logic": lambda t, y: np.where((y > -0.5) & (y < 0.5), 1.0, y),
    "sign": lambda t, y: np.sign(y) + np.floor(y) + np.abs(y),
    "math": lambda t, y: [math.sin(y[0]), math.pow(y[1], 2), math.atan2(y[2], 2 + t)],
    "helper": lambda t, y: helper(y) * GAIN,
    "list": lambda t, y: [y[1], -y[0], y[2] * t],
    "unpack": lambda t, y: (lambda a, b, c: [a * b, b - c, c / (1 + a * a)])(*y),
    "diff": lambda t, y: np.append(np.diff(y), y[0]),
    "inplace": lambda t, y: (lambda z: z.__imul__(2.0))(y.copy()),
    "transpose": lambda t, y: (np.array([y, y]).T @ np.array([1.0, 2.0])),
    "full": lambda t, y: np.full(3, 2.0) * y + np.eye(3) @ y + np.arange(3),
    "mod": lambda t, y: y % 2.0 + y // 2.0,
    "copysign of shapes": lambda t, y: np.squeeze(y[None, :]) + np.atleast_1d(y),
    "split": lambda t, y: np.concatenate(np.split(y, 3)[::-1]),
    "flip": lambda t, y: np.flip(y) + np.asarray(y) + np.array(y),
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_graph_is_the_function(name):
    f = FUNCTIONS[name]
    graph = Graph()
    y, t = symbols(graph, "y", 3), graph.symbol("time")
    nodes = trace(f, graph, (t, y), name, 3)
    rng = np.random.default_rng(3)
    for _ in range(5):
        at, time = rng.uniform(-1.5, 1.5, 3), rng.uniform(0, 1)
        expected = np.asarray(f(time, at.copy()), dtype=float).ravel()
        values = {"time": time, **{f"y[{i}]": v for i, v in enumerate(at)}}
        assert np.allclose(evaluate(nodes, values), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", ["elementary", "more", "inverse", "power", "norm", "unpack",
                                  "math", "where", "filled", "column"])
def test_derivatives(name):
    """Against central differences, whose error is about 1e-9 here."""
    f = FUNCTIONS[name]
    graph = Graph()
    y, t = symbols(graph, "y", 3), graph.symbol("time")
    nodes = trace(f, graph, (t, y), name, 3)
    at, time, h = np.array([0.41, -0.63, 1.17]), 0.37, 1e-6
    values = {"time": time, **{f"y[{i}]": v for i, v in enumerate(at)}}
    for i, node in enumerate(nodes):
        row = [float(x) if not hasattr(x, "op") else float(evaluate([x], values)[0])
               for x in gradient(node, list(y))]
        for j in range(3):
            e = h * np.eye(3)[j]
            slope = (np.ravel(f(time, at + e))[i] - np.ravel(f(time, at - e))[i]) / (2 * h)
            assert abs(row[j] - slope) < 1e-7 * max(1, abs(slope))


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_traced_solution_is_that_of_calls(name):
    """The same equation twice, up to the tolerance: 1e-8, a short time, rates of about ten."""
    f = FUNCTIONS[name]
    y0, options = [0.3, -0.4, 0.8], dict(rtol=1e-8, atol=1e-8)
    called = daedal.solve_ivp(f, (0, 0.5), y0, functions="python", **options)
    traced = daedal.solve_ivp(f, (0, 0.5), y0, functions="trace", **options)
    if not (called.success and traced.success):
        assert not traced.success or not called.success
        return
    assert np.allclose(called.y[:, -1], traced.y[:, -1], rtol=1e-5, atol=1e-5)


def branch(t, y):
    if y[0] > 0:
        return -y
    return y


def test_decisions_name_the_line():
    line = branch.__code__.co_firstlineno + 1
    with pytest.raises(daedal.TraceError, match=f"trace.*line {line} of .*np.where"):
        daedal.solve_ivp(branch, (0, 1), [1.0], functions="trace")
    r = daedal.solve_ivp(branch, (0, 1), [1.0])
    assert len(r.report.notes) == 1 and "Python functions" in r.report.notes[0]
    assert abs(r.y[0, -1] - math.exp(-1)) < 1e-5


@pytest.mark.parametrize("f", [
    lambda t, y: np.linalg.solve(np.eye(1) + y[0], y), lambda t, y: [float(y[0])],
    lambda t, y: y if y[0] == 1 else -y, lambda t, y: [int(y[0])], lambda t, y: np.sort(y),
    lambda t, y: np.arange(3.0)[y[0]], lambda t, y: y * 1j, lambda t, y: [complex(y[0]).real],
    lambda t, y: np.interp(y, [0, 1], [1, 2]), lambda t, y: [len([1] * round(y[0]))]])
def test_what_cannot_be_traced_says_so(f):
    with pytest.raises(daedal.TraceError, match="trace"):
        daedal.solve_ivp(f, (0, 1), [1.0], functions="trace")


def test_random_and_stateful_functions():
    rng = np.random.default_rng(1)
    with pytest.raises(daedal.TraceError, match="different results"):
        daedal.solve_ivp(lambda t, y: -y + rng.normal(), (0, 1), [1.0], functions="trace")
    calls = []

    def counts(t, y):
        calls.append(t)
        return -y * len(calls)

    with pytest.raises(daedal.TraceError, match="different results"):
        daedal.solve_ivp(counts, (0, 1), [1.0], functions="trace")


def test_decision_on_time_is_found():
    """A decision on the time inside float() cannot be seen by the trace, only by comparison."""
    def hidden(t, y):
        return -y if isinstance(t, float) and t > 0.2 else y

    r = daedal.solve_ivp(hidden, (0, 0.1), [1.0])
    assert abs(r.y[0, -1] - math.exp(0.1)) < 1e-5


def test_closures_are_read_anew():
    box = {"k": 1.0}
    f = lambda t, y: -box["k"] * y  # noqa: E731
    for k in (1.0, 2.0, 0.5):
        box["k"] = k
        r = daedal.solve_ivp(f, (0, 1), [1.0], rtol=1e-9, atol=1e-9, functions="trace")
        assert abs(r.y[0, -1] - math.exp(-k)) < 1e-8


def test_methods_partials_and_objects():
    import functools

    class Decay:
        rate = 2.0

        def rhs(self, t, y):
            return -self.rate * y

        def __call__(self, t, y):
            return -self.rate * np.array(y)

    def scaled(k, t, y):
        return -k * y

    for f in (Decay().rhs, Decay(), functools.partial(scaled, 2.0)):
        r = daedal.solve_ivp(f, (0, 1), [1.0], rtol=1e-9, atol=1e-9, functions="trace")
        assert abs(r.y[0, -1] - math.exp(-2)) < 1e-8


def test_switch_is_met():
    """A spring that pushes only: y'' = -max(y, 0) from rest at 1; free flight behind y = 0."""
    f = lambda t, y: np.array([y[1], -np.maximum(y[0], 0)])  # noqa: E731
    r = daedal.solve_ivp(f, (0, 3), [1.0, 0.0], rtol=1e-10, atol=1e-10)
    assert abs(r.y[0, -1] + (3 - np.pi / 2)) < 1e-8 and abs(r.y[1, -1] + 1) < 1e-8
