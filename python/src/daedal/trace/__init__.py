"""Tracing: a NumPy function is called once with symbols and becomes a graph of expressions."""

import numpy as np

from .array import SymbolicArray, _deep, from_nested, traceable
from .node import Graph, Node, TraceError, all_ways, evaluate, gradient

__all__ = ["Graph", "Node", "TraceError", "around", "evaluate", "gradient", "random_points",
           "symbols", "trace", "try_trace", "verify"]


def symbols(graph, name, n):
    """An array of symbols name[0] .. name[n-1]."""
    out = np.empty(n, dtype=object)
    for i in range(n):
        out[i] = graph.symbol(f"{name}[{i}]")
    return out.view(SymbolicArray)


def trace(fun, graph, args, label, rows=None):
    """fun(*args) with symbols: a flat list of nodes. TraceError when it cannot be done."""
    def call():
        # copies: the function may change its arguments
        own = [a.copy() if isinstance(a, SymbolicArray) else a for a in args]
        result = traceable(fun)(*own)
        found = np.asarray(from_nested(_deep(result)), dtype=object)
        return [graph.lift(x) for x in found.reshape(-1)]

    try:
        nodes = all_ways(graph, call) if graph.explore else call()
    except TraceError as error:
        raise TraceError(f"{label}: {error}") from None
    except Exception as error:
        raise TraceError(f"cannot trace {label}: {type(error).__name__}: {error}") from error
    if rows is not None and len(nodes) != rows:
        raise TraceError(f"cannot trace {label}: {len(nodes)} results, expected {rows}")
    return nodes


def try_trace(fun, graph, args, label, points, names, rows=None):
    """The nodes of a function that is called back anyway; None when it cannot be traced."""
    try:
        nodes = trace(fun, graph, args, label, rows)
        verify(fun, nodes, label, points, names)
        return nodes
    except Exception:
        return None


def verify(fun, nodes, label, points, names):
    """The graph against the function at points, and the function against itself; its tape.

    points: list of argument tuples (numbers and arrays), the first is the start.
    names: for each argument the name of its symbols ("time" for the time).
    """
    from .tape import tape

    inputs, results = samples(fun, label, points, len(nodes), twice=2)
    if not nodes:
        return None
    graph = nodes[0].graph
    order = []
    for name, value in zip(names, points[0]):
        order += [graph.symbol(name)] if np.ndim(value) == 0 else \
            [graph.symbol(f"{name}[{i}]") for i in range(np.size(value))]
    found = tape(graph, nodes, order)
    if not agrees(found, inputs, results):
        raise TraceError(f"cannot trace {label}: the traced formula and the function differ at "
                         "a random point (a decision that the trace did not see?); "
                         "use functions='python'")
    return found


def samples(fun, label, points, size, twice=0):
    """Arguments and results at points; the first points are asked twice."""
    inputs, results = [], []
    with np.errstate(all="ignore"):
        for i, point in enumerate(points):
            try:
                first = second = flat(fun(*copies(point)))
                # two calls at the same point tell random numbers and hidden state
                if i < twice:
                    second = flat(fun(*copies(point)))
            except Exception:
                if i == 0:
                    raise
                continue  # outside of its domain
            if first is not second and not (first.shape == second.shape and
                                            np.array_equal(first, second, equal_nan=True)):
                raise TraceError(f"cannot trace {label}: two calls at the same point give "
                                 "different results (random numbers, or state that it keeps); "
                                 "use functions='python'")
            if first.size != size:
                raise TraceError(f"cannot trace {label}: {size} results, expected {first.size}")
            inputs.append(np.hstack(point))
            results.append(first)
    return np.array(inputs), np.array(results)


def agrees(tape, inputs, results):
    """The tape gives these results."""
    return same(np.frombuffer(tape(inputs)).reshape(len(results), -1), results, 1e-9)


def copies(point):
    return [np.array(x) if isinstance(x, np.ndarray) else x for x in point]


def flat(result):
    return np.asarray(result, dtype=float).reshape(-1)


def same(a, b, tolerance):
    """Rows of numbers agree; infinite ones in their places.

    An entry is compared relative to its largest value over all rows, with a thousandth of the
    largest of all: residuals at a consistent start are rounding and have no size of their own.
    """
    with np.errstate(all="ignore"):
        finite = np.isfinite(b)
        if not np.array_equal(np.isfinite(a), finite):
            return False
        known = np.where(finite, np.abs(b), 0)
        size = known.max(axis=0, keepdims=True) + 1e-3 * known.max()
        return bool(np.all((np.abs(a - b) <= tolerance * size) | ~finite))


_RANDOM = np.random.default_rng(12345).uniform(-0.5, 0.5, 1000)


class Noise:
    """Random numbers between -0.5 and 0.5: each run sees the same ones."""

    def __init__(self, place=0):
        self.place = place

    def take(self, shape):
        n = int(np.prod(shape))
        at, self.place = self.place % 100, self.place + 7 * n + 1
        return np.resize(_RANDOM[at:], n).reshape(shape) if n > 900 \
            else _RANDOM[at:at + n].reshape(shape)


def random_points(make, count=4):
    """The start and random points around it: make(noise or None) gives the arguments."""
    noise = Noise()
    return [make(None), *(make(noise) for _ in range(count))]


def around(noise, x):
    """x, or a random point near it: each entry moves by up to half of its size or of one."""
    x = np.array(x, dtype=float)
    return x if noise is None else x + noise.take(x.shape) * np.maximum(np.abs(x), 1)
