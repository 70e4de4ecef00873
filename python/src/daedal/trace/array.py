"""Arrays of nodes: NumPy's functions on them give arrays of nodes again."""

import builtins
import functools
import math
import types

import numpy as np

from .node import Node, TraceError, refuse


class SymbolicArray(np.ndarray):
    """An ndarray of nodes and numbers (dtype object)."""

    __array_priority__ = 1000

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc_on_symbols(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return function_on_symbols(func, args, kwargs)

    def __bool__(self):
        if self.size == 1:
            return bool(self.reshape(-1)[0])
        refuse("a decision on an array of values that depend on the solution", "np.where")

    def astype(self, dtype, *args, **kwargs):
        kind = np.dtype(dtype).kind
        if kind in "fO":
            return self.copy()
        if kind == "c":
            refuse("complex numbers", "functions='python'")
        refuse(f"astype({np.dtype(dtype)})", "functions='python'")


def symbolic(values):
    """values as SymbolicArray; a 0-dimensional one becomes its element."""
    if isinstance(values, np.ndarray):
        return values.view(SymbolicArray) if values.dtype == object else values
    return values


def _plain(x):
    if isinstance(x, SymbolicArray):
        return x.view(np.ndarray)
    if isinstance(x, Node):
        box = np.empty((), dtype=object)
        box[()] = x
        return box
    if isinstance(x, (list, tuple)):
        return np.asarray(from_nested(x)).view(np.ndarray)
    return x


def from_nested(value):
    """Lists of numbers, nodes and arrays as one array."""
    if isinstance(value, (list, tuple)):
        parts = [from_nested(v) for v in value]
        if any(isinstance(p, Node) or (isinstance(p, np.ndarray) and p.dtype == object)
               for p in parts):
            return np.stack([np.asarray(_plain(p), dtype=object) for p in parts]) \
                if parts else np.array(parts)
        return np.array(parts)
    return _plain(value) if isinstance(value, (SymbolicArray, Node)) else value


def _apply(op):
    def inner(*args):
        for a in args:
            if isinstance(a, Node):
                return a.graph.apply(op, *args)
        from .node import OPERATIONS
        with np.errstate(all="ignore"):
            return float(OPERATIONS[op](*(float(a) for a in args)))
    return inner


def _wrap(f):
    return lambda *a: f(*a)


def _cbrt(x):
    return _apply("sign")(x) * _apply("pow")(_apply("abs")(x), 1 / 3)


def _no_equal(*_):
    refuse("`==` on values that depend on the solution", "a comparison with < or >")


_log, _exp, _sqrt = _apply("log"), _apply("exp"), _apply("sqrt")
UFUNCS = {
    "add": _apply("add"), "subtract": _apply("sub"), "multiply": _apply("mul"),
    "divide": _apply("div"), "true_divide": _apply("div"), "power": _apply("pow"),
    "float_power": _apply("pow"), "negative": _apply("neg"), "positive": lambda x: x,
    "sin": _apply("sin"), "cos": _apply("cos"), "tan": _apply("tan"), "arcsin": _apply("asin"),
    "arccos": _apply("acos"), "arctan": _apply("atan"), "arctan2": _apply("atan2"),
    "sinh": _apply("sinh"), "cosh": _apply("cosh"), "tanh": _apply("tanh"), "exp": _exp,
    "log": _log, "log10": _apply("log10"), "sqrt": _sqrt, "absolute": _apply("abs"),
    "fabs": _apply("abs"), "sign": _apply("sign"), "minimum": _apply("min"),
    "maximum": _apply("max"), "fmin": _apply("min"), "fmax": _apply("max"),
    "floor": _apply("floor"), "ceil": _apply("ceil"), "less": _apply("lt"),
    "less_equal": _apply("le"), "greater": _apply("gt"), "greater_equal": _apply("ge"),
    "logical_and": _apply("and"), "logical_or": _apply("or"), "logical_not": _apply("not"),
    "bitwise_and": _apply("and"), "bitwise_or": _apply("or"), "invert": _apply("not"),
    "square": lambda x: x * x, "reciprocal": lambda x: 1.0 / x, "conjugate": lambda x: x,
    "log2": lambda x: _log(x) / math.log(2), "log1p": lambda x: _log(1.0 + x),
    "expm1": lambda x: _exp(x) - 1.0, "exp2": lambda x: _apply("pow")(2.0, x), "cbrt": _cbrt,
    "hypot": lambda a, b: _sqrt(a * a + b * b), "deg2rad": lambda x: x * (math.pi / 180),
    "radians": lambda x: x * (math.pi / 180), "rad2deg": lambda x: x * (180 / math.pi),
    "degrees": lambda x: x * (180 / math.pi),
    "arcsinh": lambda x: _log(x + _sqrt(x * x + 1.0)),
    "arccosh": lambda x: _log(x + _sqrt(x * x - 1.0)),
    "arctanh": lambda x: 0.5 * _log((1.0 + x) / (1.0 - x)),
    "remainder": lambda a, b: a - b * _apply("floor")(a / b),
    "floor_divide": lambda a, b: _apply("floor")(a / b),
    "heaviside": lambda x, h: _apply("where")(_apply("gt")(x, 0.0), 1.0,
                                              _apply("where")(_apply("lt")(x, 0.0), 0.0, h)),
    "equal": _no_equal, "not_equal": _no_equal,
}


def ufunc_on_symbols(ufunc, method, inputs, kwargs):
    out = kwargs.pop("out", None)
    if out is not None and not all(isinstance(o, SymbolicArray) for o in out if o is not None):
        refuse("a value stored into an array of numbers",
               "np.zeros_like(y), or a new array in place of `+=` on it")
    inputs = [_plain(x) for x in inputs]
    name = ufunc.__name__
    if name == "matmul" and method == "__call__":
        result = np.matmul(*(np.asarray(x, dtype=object) for x in inputs))
    elif name not in UFUNCS:
        refuse(f"np.{name}", "another formula, or functions='python'")
    else:
        function = np.frompyfunc(UFUNCS[name], ufunc.nin, 1)
        if kwargs.pop("where", True) is not True:
            refuse(f"np.{name} with where=", "np.where")
        for key in ("dtype", "casting", "order", "subok"):
            kwargs.pop(key, None)
        if method == "reduce" and name == "add":
            function = np.add
        if method == "reduce" and name == "multiply":
            function = np.multiply
        result = getattr(function, method)(*inputs, **kwargs) if method != "__call__" \
            else function(*inputs, **kwargs)
    if out is not None and out[0] is not None:
        out[0].view(np.ndarray)[...] = result
        return out[0]
    return symbolic(result)


def _where(condition, *branches):
    if len(branches) != 2:
        refuse("np.where without values", "np.where(condition, a, b)")
    return symbolic(np.frompyfunc(_apply("where"), 3, 1)(
        _plain(condition), *(_plain(b) for b in branches)))


def _clip(a, a_min=None, a_max=None, **unused):
    if a_min is not None:
        a = np.maximum(a, a_min)
    return a if a_max is None else np.minimum(a, a_max)


def _norm(x, ord=None, axis=None, keepdims=False):
    if ord not in (None, 2) or (axis is None and np.ndim(x) > 1 and ord == 2):
        refuse(f"np.linalg.norm with ord={ord}", "np.sqrt(np.sum(x**2))")
    x = symbolic(np.asarray(_plain(x)))
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def _extreme(name):
    def inner(a, axis=None, **unused):
        a = np.asarray(_plain(a))
        if axis is None:
            a, axis = a.reshape(-1), 0
        return symbolic(np.frompyfunc(UFUNCS[name], 2, 1).reduce(a, axis=axis))
    return inner


def _dot(a, b, out=None):
    a, b = (np.asarray(_plain(x), dtype=object) for x in (a, b))
    return symbolic(np.dot(a, b))


def _like(value):
    def inner(a, dtype=None, order=None, subok=True, shape=None):
        made = np.empty(np.shape(a) if shape is None else shape, dtype=object)
        made[...] = value
        return made.view(SymbolicArray)
    return inner


def _refused(name, use="functions='python'"):
    def inner(*args, **kwargs):
        refuse(f"np.{name}", use)
    return inner


def _prod(a, axis=None, **unused):
    return symbolic(np.multiply.reduce(np.asarray(_plain(a)), axis=axis)) if axis is not None \
        else symbolic(np.multiply.reduce(np.asarray(_plain(a)).reshape(-1)))


def _einsum(spec, *operands, **unused):
    """Products and sums over indices, by loops over all of them."""
    operands = [np.asarray(_plain(x), dtype=object) for x in operands]
    if not isinstance(spec, str) or "." in spec:
        refuse("np.einsum of this form")
    left, _, right = spec.replace(" ", "").partition("->")
    terms = left.split(",")
    if "->" not in spec:
        right = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    size = {c: n for term, x in zip(terms, operands) for c, n in zip(term, x.shape)}
    letters = sorted(size)
    out = np.empty([size[c] for c in right], dtype=object)
    out[...] = 0.0
    for place in np.ndindex(*(size[c] for c in letters)):
        at = dict(zip(letters, place))
        term = functools.reduce(lambda p, q: p * q,
                                [x[tuple(at[c] for c in t)] for t, x in zip(terms, operands)])
        where = tuple(at[c] for c in right)
        out[where] = out[where] + term
    return symbolic(out) if right else out[()]


FUNCTIONS = {
    np.where: _where, np.clip: _clip, np.linalg.norm: _norm, np.max: _extreme("maximum"),
    np.amax: _extreme("maximum"), np.min: _extreme("minimum"), np.amin: _extreme("minimum"),
    np.dot: _dot, np.prod: _prod, np.einsum: _einsum,
    np.zeros_like: _like(0.0), np.ones_like: _like(1.0), np.empty_like: _like(0.0),
    np.full_like: lambda a, fill_value, **k: _like(fill_value)(a),
    np.linalg.solve: _refused("linalg.solve", "solve_dae or mass=, with the matrix on the left"),
    np.linalg.inv: _refused("linalg.inv", "solve_dae or mass=, with the matrix on the left"),
    np.linalg.det: _refused("linalg.det"), np.interp: _refused("interp"),
    np.sort: _refused("sort"), np.argmax: _refused("argmax"), np.argmin: _refused("argmin"),
    np.real: lambda a: a, np.copy: lambda a, **k: symbolic(np.array(_plain(a), dtype=object)),
    np.isnan: _refused("isnan"), np.isfinite: _refused("isfinite"),
}


def _deep(x):
    if isinstance(x, (SymbolicArray, Node)):
        return _plain(x)
    if isinstance(x, tuple):
        return tuple(_deep(v) for v in x)
    if isinstance(x, list):
        return [_deep(v) for v in x]
    return x


def function_on_symbols(func, args, kwargs):
    special = FUNCTIONS.get(func)
    if special is not None:
        return special(*args, **kwargs)
    result = func(*(_deep(a) for a in args), **{k: _deep(v) for k, v in kwargs.items()})
    if isinstance(result, (list, tuple)):
        return type(result)(symbolic(r) for r in result)
    return symbolic(result)


# what stands for the modules numpy and math, and for some builtins, in a function that is traced


def _zeros(value):
    def inner(shape, dtype=None, order="C", **unused):
        if dtype is not None and np.dtype(dtype).kind in "biu":
            return np.full(shape, value, dtype=dtype)
        made = np.empty(shape, dtype=object)
        made[...] = value
        return made.view(SymbolicArray)
    return inner


def _array(value, dtype=None, copy=True, order="K", subok=False, ndmin=0, like=None):
    found = from_nested(value)
    if isinstance(found, np.ndarray) and found.dtype == object:
        found = np.array(found, dtype=object, ndmin=ndmin)
        return found.view(SymbolicArray)
    return np.array(value, dtype=dtype, ndmin=ndmin)


def _asarray(value, dtype=None, order=None, **unused):
    if isinstance(value, SymbolicArray):
        return value
    found = from_nested(value)
    if isinstance(found, np.ndarray) and found.dtype == object:
        return found.view(SymbolicArray)
    return np.asarray(value, dtype=dtype)


def _joined(function):
    """concatenate and its kin: lists of nodes are arrays."""
    def inner(arrays, *args, **kwargs):
        parts = [np.asarray(from_nested(a)) for a in arrays]
        return symbolic(function(parts, *args, **kwargs))
    return inner


OVERRIDES = {
    np.zeros: _zeros(0.0), np.empty: _zeros(0.0), np.ones: _zeros(1.0),
    np.full: lambda shape, fill_value, dtype=None, **k: _zeros(fill_value)(shape),
    np.array: _array, np.asarray: _asarray, np.asanyarray: _asarray,
    np.ascontiguousarray: _asarray, np.atleast_1d: None,
    np.concatenate: _joined(np.concatenate), np.hstack: _joined(np.hstack),
    np.vstack: _joined(np.vstack), np.stack: _joined(np.stack),
    np.column_stack: _joined(np.column_stack), np.dstack: _joined(np.dstack),
}
del OVERRIDES[np.atleast_1d]
MATH = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos",
        "atan": "arctan", "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
        "exp": "exp", "log10": "log10", "log2": "log2", "log1p": "log1p", "expm1": "expm1",
        "sqrt": "sqrt", "fabs": "absolute", "floor": "floor", "ceil": "ceil", "pow": "power",
        "hypot": "hypot", "radians": "radians", "degrees": "degrees", "asinh": "arcsinh",
        "acosh": "arccosh", "atanh": "arctanh"}


def _math_function(name):
    real, ours = getattr(math, name), UFUNCS[MATH[name]]

    def inner(*args):
        args = [a.reshape(-1)[0] if isinstance(a, SymbolicArray) and a.size == 1 else a
                for a in args]
        return ours(*args) if any(isinstance(a, Node) for a in args) else real(*args)
    return inner


class MathModule(types.ModuleType):
    """math, for nodes too."""

    def __init__(self):
        super().__init__("math")
        self.__dict__.update({k: v for k, v in vars(math).items() if not k.startswith("__")})
        for name in MATH:
            if hasattr(math, name):
                setattr(self, name, _math_function(name))

        def log(x, *base):
            if not isinstance(x, Node):
                return math.log(x, *base)
            return x.log() / math.log(*base) if base else x.log()
        self.log = log


class NumpyModule(types.ModuleType):
    """numpy, whose new arrays can hold nodes."""

    def __getattr__(self, name):
        found = getattr(np, name)
        try:
            return OVERRIDES.get(found, found)
        except TypeError:
            return found


NUMPY, MATHS = NumpyModule("numpy"), MathModule()
_MATH_VALUES = {id(getattr(math, name)): getattr(MATHS, name) for name in (*MATH, "log")
                if hasattr(math, name)}


def _least(name):
    real, ours = getattr(builtins, name), UFUNCS[name + "imum"]

    def inner(*args, **kwargs):
        items = list(args[0]) if len(args) == 1 else list(args)
        if not kwargs and items and any(isinstance(a, Node) for a in items):
            return functools.reduce(ours, items)
        return real(*args, **kwargs)
    return inner


BUILTINS = {"min": _least("min"), "max": _least("max")}


def replaced(value, memo):
    """What stands for a value that a traced function uses; the value itself when nothing does."""
    if value is np:
        return NUMPY
    if value is math:
        return MATHS
    if isinstance(value, types.FunctionType):
        return traceable(value, memo)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        return types.MethodType(traceable(value.__func__, memo), value.__self__)
    if isinstance(value, functools.partial):
        return functools.partial(replaced(value.func, memo), *value.args, **value.keywords)
    if isinstance(value, types.BuiltinFunctionType) and id(value) in _MATH_VALUES:
        return _MATH_VALUES[id(value)]
    try:
        return OVERRIDES.get(value, value)
    except TypeError:
        return value


def names_in(code):
    """Global names that a code object and those inside it use."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= names_in(constant)
    return found


def traceable(function, memo=None):
    """The same function with modules that know nodes in place of numpy and math."""
    memo = {} if memo is None else memo
    if not isinstance(function, types.FunctionType):
        return replaced(function, memo) if memo == {} else function
    if id(function) in memo:
        return memo[id(function)]
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] in ("numpy", "scipy"):
        return function
    scope = dict(function.__globals__)
    cells = function.__closure__
    if cells is not None:
        cells = tuple(types.CellType() for _ in cells)
    new = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__,
                             cells)
    new.__kwdefaults__ = function.__kwdefaults__
    new.__dict__.update(function.__dict__)
    memo[id(function)] = new
    for name in names_in(function.__code__):
        if name in scope:
            scope[name] = replaced(scope[name], memo)
        elif name in BUILTINS:
            scope[name] = BUILTINS[name]
    for cell, old in zip(cells or (), function.__closure__ or ()):
        try:
            cell.cell_contents = replaced(old.cell_contents, memo)
        except ValueError:  # the cell is empty
            pass
    return new


__all__ = ["SymbolicArray", "TraceError", "symbolic", "traceable"]
