"""Expressions: a graph of scalar nodes, each made once; values and derivatives of them."""

import math
import sys

import numpy as np


class TraceError(ValueError):
    """A function cannot be traced: the message gives the line and what to use instead."""


def user_line():
    """' (file:line)' of the innermost frame outside of this package and NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        name = frame.f_code.co_filename
        inside = module.split(".")[0] in ("daedal", "numpy") and not module.startswith("daedal.t_")
        if not inside and "<__array_function__" not in name:
            return f" (line {frame.f_lineno} of {name})"
        frame = frame.f_back
    return ""


def refuse(what, use=""):
    raise TraceError(f"cannot trace {what}{user_line()}" + (f"; use {use}" if use else ""))


# name: (function of NumPy arrays, number of arguments)
OPERATIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power,
    "neg": np.negative, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "exp": np.exp, "log": np.log, "log10": np.log10, "sqrt": np.sqrt,
    "abs": np.abs, "sign": np.sign, "min": np.minimum, "max": np.maximum, "floor": np.floor,
    "ceil": np.ceil, "where": np.where, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "and": np.logical_and, "or": np.logical_or, "not": np.logical_not,
}
RELATIONS = {"lt", "le", "gt", "ge", "and", "or", "not"}


class Graph:
    """The nodes of one trace; equal ones are the same object."""

    def __init__(self, explore=False):
        self.nodes = {}
        self.symbols = {}
        self.explore = explore  # an `if` is followed both ways, and not refused
        self.path = None  # the decisions of the present call
        self.decided = []  # where an `if` was followed both ways

    def make(self, op, args, value=None):
        key = (op, tuple(id(a) for a in args), value)
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = Node(self, op, args, value)
        return found

    def symbol(self, name):
        node = self.make("symbol", (), name)
        self.symbols[name] = node
        return node

    def constant(self, value):
        value = float(value)
        # 0.0 and -0.0 are equal as keys
        key = "-0.0" if value == 0 and math.copysign(1, value) < 0 else value
        if value != value:
            refuse("the constant NaN")
        node = self.make("constant", (), key)
        node.number = value
        return node

    def lift(self, x):
        if isinstance(x, Node):
            if x.graph is not self:
                refuse("a function that keeps values of an earlier call")
            return x
        if isinstance(x, (bool, np.bool_, int, float, np.integer, np.floating)):
            return self.constant(x)
        if isinstance(x, np.ndarray) and x.shape == ():
            return self.lift(x.item())
        if isinstance(x, (complex, np.complexfloating)):
            refuse("complex numbers", "functions='python'")
        refuse(f"an operand of type {type(x).__name__}")

    def apply(self, op, *args):
        nodes = tuple(self.lift(a) for a in args)
        if all(n.op == "constant" for n in nodes):
            with np.errstate(all="ignore"):
                return self.constant(OPERATIONS[op](*(n.number for n in nodes)))
        return simplify(self, op, nodes)


class Path:
    """The decisions of one call of a function: those of `prefix`, then true ones."""

    MOST = 12

    def __init__(self, prefix):
        self.prefix, self.taken, self.known = prefix, [], {}

    def decide(self, node):
        if id(node) in self.known:
            return self.known[id(node)]
        if node.op not in RELATIONS or len(self.taken) >= self.MOST:
            node.refuse_decision()
        place = len(self.taken)
        answer = self.prefix[place] if place < len(self.prefix) else True
        self.taken.append((node, answer))
        self.known[id(node)] = answer
        line = user_line().strip(" ()")
        if line not in node.graph.decided:
            node.graph.decided.append(line)
        return answer


def all_ways(graph, call, most=32):
    """The results of call() as nodes, with `where` for each decision on the way."""
    count = 0

    def from_here(prefix):
        nonlocal count
        count += 1
        if count > most:
            refuse("a function with so many decisions on values that depend on the solution",
                   "np.where, or functions='python'")
        graph.path = path = Path(prefix)
        results = call()
        for place in reversed(range(len(prefix), len(path.taken))):
            before = [answer for _, answer in path.taken[:place]]
            others = from_here([*before, False])
            if len(others) != len(results):
                refuse("a function whose number of results depends on the solution")
            results = [graph.apply("where", path.taken[place][0], a, b)
                       for a, b in zip(results, others)]
        return results

    try:
        return from_here([])
    finally:
        graph.path = None


def simplify(graph, op, args):
    """What numbers 0 and 1 make simple."""
    a = args[0]
    b = args[1] if len(args) > 1 else None
    x = a.number if a.op == "constant" else None
    y = b.number if b is not None and b.op == "constant" else None
    if op == "add" and (x == 0 or y == 0):
        return b if x == 0 else a
    if op == "sub" and y == 0:
        return a
    if op == "sub" and x == 0:
        return graph.apply("neg", b)
    if op == "mul" and (x == 0 or y == 0):
        return graph.constant(0)
    if op == "mul" and (x == 1 or y == 1):
        return b if x == 1 else a
    if op == "mul" and (x == -1 or y == -1):
        return graph.apply("neg", b if x == -1 else a)
    if op == "div" and y == 1:
        return a
    if op == "div" and x == 0:
        return graph.constant(0)
    if op == "pow" and y == 1:
        return a
    if op == "pow" and y == 0:
        return graph.constant(1)
    if op == "neg" and a.op == "neg":
        return a.args[0]
    if op == "where" and args[1] is args[2]:
        return args[1]
    if op == "where" and x is not None:
        return args[1] if x else args[2]
    return graph.make(op, args)


class Node:
    """A scalar expression."""

    __slots__ = ("graph", "op", "args", "value", "number")
    __array_priority__ = 2000
    __hash__ = object.__hash__

    def __init__(self, graph, op, args, value):
        self.graph, self.op, self.args, self.value, self.number = graph, op, args, value, None

    def _binary(self, op, other, swap=False):
        if isinstance(other, np.ndarray) and other.shape != ():
            return NotImplemented
        if not isinstance(other, (Node, bool, int, float, complex, np.generic, np.ndarray)):
            return NotImplemented
        return self.graph.apply(op, other, self) if swap else self.graph.apply(op, self, other)

    def __add__(self, o): return self._binary("add", o)
    def __radd__(self, o): return self._binary("add", o, True)
    def __sub__(self, o): return self._binary("sub", o)
    def __rsub__(self, o): return self._binary("sub", o, True)
    def __mul__(self, o): return self._binary("mul", o)
    def __rmul__(self, o): return self._binary("mul", o, True)
    def __truediv__(self, o): return self._binary("div", o)
    def __rtruediv__(self, o): return self._binary("div", o, True)
    def __pow__(self, o): return self._binary("pow", o)
    def __rpow__(self, o): return self._binary("pow", o, True)
    def __lt__(self, o): return self._binary("lt", o)
    def __le__(self, o): return self._binary("le", o)
    def __gt__(self, o): return self._binary("gt", o)
    def __ge__(self, o): return self._binary("ge", o)
    def __and__(self, o): return self._binary("and", o)
    def __or__(self, o): return self._binary("or", o)
    def __invert__(self): return self.graph.apply("not", self)
    def __neg__(self): return self.graph.apply("neg", self)
    def __pos__(self): return self
    def __abs__(self): return self.graph.apply("abs", self)
    def __floordiv__(self, o): return (self / o).floor()
    def __rfloordiv__(self, o): return (o / self).floor()
    def __mod__(self, o): return self - o * (self / o).floor()
    def __rmod__(self, o): return o - self * (o / self).floor()
    def __floor__(self): return self.floor()
    def __ceil__(self): return self.ceil()

    def __eq__(self, other):
        refuse("`==` on a value that depends on the solution", "a comparison with < or >")

    def __ne__(self, other):
        refuse("`!=` on a value that depends on the solution", "a comparison with < or >")

    def __bool__(self):
        path = self.graph.path
        return self.refuse_decision() if path is None else path.decide(self)

    def refuse_decision(self):
        refuse("a decision (`if`, `and`, `or`, `min`, `max`) on a value that depends on the "
               "solution", "np.where, np.minimum or np.maximum, or functions='python'")

    def __float__(self):
        refuse("a value stored into an array of numbers, or a function that wants numbers",
               "np.zeros_like(y), np.array([...]) or np.stack, and NumPy's functions")

    def __int__(self):
        refuse("int() of a value that depends on the solution", "functions='python'")

    def __index__(self):
        refuse("an index that depends on the solution", "functions='python'")

    def __complex__(self):
        refuse("complex numbers", "functions='python'")

    def __len__(self):
        raise TypeError("a number has no len()")

    def __repr__(self):
        return f"<{self.op}{' ' + str(self.value) if self.value is not None else ''}>"

    # an array of objects asks its elements for these
    def sin(self): return self.graph.apply("sin", self)
    def cos(self): return self.graph.apply("cos", self)
    def tan(self): return self.graph.apply("tan", self)
    def arcsin(self): return self.graph.apply("asin", self)
    def arccos(self): return self.graph.apply("acos", self)
    def arctan(self): return self.graph.apply("atan", self)
    def arctan2(self, o): return self.graph.apply("atan2", self, o)
    def sinh(self): return self.graph.apply("sinh", self)
    def cosh(self): return self.graph.apply("cosh", self)
    def tanh(self): return self.graph.apply("tanh", self)
    def exp(self): return self.graph.apply("exp", self)
    def log(self): return self.graph.apply("log", self)
    def log10(self): return self.graph.apply("log10", self)
    def sqrt(self): return self.graph.apply("sqrt", self)
    def floor(self): return self.graph.apply("floor", self)
    def ceil(self): return self.graph.apply("ceil", self)
    def sign(self): return self.graph.apply("sign", self)
    def square(self): return self * self
    def conjugate(self): return self
    def item(self): return self

    @property
    def real(self): return self

    @property
    def imag(self): return 0.0

    @property
    def T(self): return self

    @property
    def shape(self): return ()

    @property
    def ndim(self): return 0

    @property
    def size(self): return 1

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from .array import ufunc_on_symbols
        return ufunc_on_symbols(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        from .array import function_on_symbols
        return function_on_symbols(func, args, kwargs)


def order(roots):
    """All nodes below the roots, arguments before those who use them."""
    seen, out = set(), []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, done = stack.pop()
        if done:
            out.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((a, False) for a in node.args if id(a) not in seen)
    return out


def evaluate(roots, values):
    """Values of the roots; `values`: symbol name -> number or array."""
    at = {}
    with np.errstate(all="ignore"):
        for node in order(roots):
            if node.op == "symbol":
                at[id(node)] = values[node.value]
            elif node.op == "constant":
                at[id(node)] = node.number
            else:
                args = [at[id(a)] for a in node.args]
                if node.op == "pow":
                    args[0] = np.asarray(args[0], dtype=float)
                at[id(node)] = OPERATIONS[node.op](*args)
    return [at[id(root)] for root in roots]


def partials(node):
    """d node / d args[i] as nodes."""
    a = node.args[0]
    b = node.args[1] if len(node.args) > 1 else None
    op, one = node.op, node.graph.constant(1)
    if op == "add":
        return one, one
    if op == "sub":
        return one, -one
    if op == "mul":
        return b, a
    if op == "div":
        return one / b, -node / b
    if op == "pow":
        if b.op == "constant":
            return b * a ** (b.number - 1), 0
        return b * a ** (b - 1), node * a.log() if hasattr(a, "log") else 0
    simple = {"neg": lambda: -one, "sin": lambda: a.cos(), "cos": lambda: -a.sin(),
              "tan": lambda: one + node * node, "asin": lambda: one / (one - a * a).sqrt(),
              "acos": lambda: -one / (one - a * a).sqrt(), "atan": lambda: one / (one + a * a),
              "sinh": lambda: a.cosh(), "cosh": lambda: a.sinh(),
              "tanh": lambda: one - node * node, "exp": lambda: node, "log": lambda: one / a,
              "log10": lambda: one / (a * math.log(10)), "sqrt": lambda: one / (2 * node),
              "abs": lambda: a.sign(), "sign": lambda: one * 0, "floor": lambda: one * 0,
              "ceil": lambda: one * 0}
    if op in simple:
        return (simple[op](),)
    if op == "atan2":
        r = a * a + b * b
        return b / r, -a / r
    where = node.graph.apply
    if op == "min":
        return where("where", a < b, 1, 0), where("where", a < b, 0, 1)
    if op == "max":
        return where("where", a > b, 1, 0), where("where", a > b, 0, 1)
    if op == "where":
        return 0, where("where", a, 1, 0), where("where", a, 0, 1)
    return tuple(0 for _ in node.args)


def gradient(root, symbols):
    """d root / d symbol for each symbol, as nodes or 0: reverse mode."""
    if not isinstance(root, Node):
        return [0.0] * len(symbols)
    wanted = {id(s) for s in symbols}
    nodes = order([root])
    depends = set()
    for node in nodes:
        if id(node) in wanted or any(id(a) in depends for a in node.args):
            depends.add(id(node))
    bar = {id(root): root.graph.constant(1)}
    for node in reversed(nodes):
        own = bar.get(id(node))
        if own is None or not node.args or id(node) not in depends:
            continue
        for argument, slope in zip(node.args, partials(node)):
            if id(argument) not in depends or (not isinstance(slope, Node) and slope == 0):
                continue
            term = own * slope
            before = bar.get(id(argument))
            bar[id(argument)] = term if before is None else before + term
    return [bar.get(id(s), 0.0) for s in symbols]
