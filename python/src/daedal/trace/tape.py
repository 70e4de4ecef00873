"""Nodes as tapes: lists of operations that the extension evaluates without Python."""

import numpy as np

from .. import _core
from .node import Node, gradient, order

# the order is that of `operation` in ext/tape.c
TAPE = ("input", "constant", "add", "sub", "mul", "div", "pow", "neg", "sin", "cos", "tan", "asin",
        "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "abs",
        "sign", "min", "max", "floor", "ceil", "where", "lt", "le", "gt", "ge", "and", "or", "not")
NUMBER = {name: i for i, name in enumerate(TAPE)}


def tape(graph, outputs, inputs):
    """The outputs (nodes or numbers) as functions of the inputs (symbols, the time first)."""
    roots = [graph.lift(node) for node in outputs]
    place = {id(symbol): i for i, symbol in enumerate(inputs)}
    code, constants = [], []
    for node in order(roots):
        if id(node) in place:
            continue
        if node.op == "constant":
            code.append((NUMBER["constant"], len(constants), 0, 0))
            constants.append(node.number)
        else:
            args = [place[id(a)] for a in node.args]
            code.append((NUMBER[node.op], *args, *([0] * (3 - len(args)))))
        place[id(node)] = len(inputs) + len(code) - 1
    return _core.Tape(len(inputs), np.array(code, dtype=np.int32).tobytes(),
                      np.array(constants, dtype=float).tobytes(),
                      np.array([place[id(root)] for root in roots], dtype=np.int32).tobytes())


def jacobian(rows, symbols):
    """d rows / d symbols, row-major."""
    return [entry for row in rows for entry in gradient(row, list(symbols))]


def sparse_jacobian(rows, symbols):
    """The nonzero entries of d rows / d symbols in the order of (start, column)."""
    place = {id(s): i for i, s in enumerate(symbols)}
    starts, columns, entries = [0], [], []
    for row in rows:
        own = sorted(((place[id(node)], node) for node in order([row]) if id(node) in place),
                     key=lambda pair: pair[0]) \
            if isinstance(row, Node) else []
        slopes = gradient(row, [node for _, node in own])
        for (column, _), slope in zip(own, slopes):
            columns.append(column)
            entries.append(slope)
        starts.append(len(columns))
    return (np.array(starts, dtype=np.int32), np.array(columns, dtype=np.int32)), entries


def rate(nodes, q, v, t):
    """d/dt along q' = v."""
    out = []
    for node in nodes:
        slopes = gradient(node, [t, *q])
        total = slopes[0]
        for slope, speed in zip(slopes[1:], v):
            if isinstance(slope, Node) or slope != 0:
                total = slope * speed + total
        out.append(total)
    return out
