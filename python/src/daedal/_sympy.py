"""SymPy: expressions as functions that can be traced."""

import numpy as np


def from_sympy(expressions, *arguments):
    """A function of NumPy arrays from SymPy expressions.

    expressions : an expression, a list or a column Matrix (a vector comes out), or a Matrix with
        more columns (a matrix comes out)
    arguments : in the order of the function's: a symbol for the time, lists or Matrices of symbols
        (also functions of time, as dynamicsymbols gives them) for arrays

    The function is traced like any other, so that derivatives are exact.

    >>> import daedal
    >>> sympy = __import__("pytest").importorskip("sympy")
    >>> t, x, v = sympy.symbols("t x v")
    >>> fun = daedal.from_sympy([v, -sympy.sin(x)], t, [x, v])
    >>> daedal.solve_ivp(fun, (0, 1), [0.1, 0], functions="trace").success
    True
    """
    try:
        import sympy
    except ImportError:
        raise ImportError("from_sympy() needs SymPy, which is not installed") from None
    shape = None
    if isinstance(expressions, sympy.MatrixBase):
        shape = expressions.shape
        rows = list(expressions)
    elif isinstance(expressions, (list, tuple)):
        rows = [sympy.sympify(e) for e in expressions]
        shape = (len(rows), 1)
    else:
        rows = [sympy.sympify(expressions)]
        shape = (1, 1)
    known = set()
    names = []
    for argument in arguments:
        flat = list(argument) if isinstance(argument, (list, tuple, sympy.MatrixBase)) \
            else [argument]
        known.update(flat)
        names.append(flat if isinstance(argument, (list, tuple, sympy.MatrixBase)) else argument)
    time = {s for f in known for s in getattr(f, "free_symbols", ())}
    free = set().union(*(row.free_symbols for row in rows)) - known - time
    if free:
        raise ValueError(f"expressions: {', '.join(sorted(map(str, free)))} is neither an argument "
                         "nor a number; substitute its value")
    inner = sympy.lambdify(names, rows, modules="numpy", cse=True)

    def function(*values):
        result = inner(*values)
        return np.array(result) if shape[1] == 1 else np.array(result).reshape(shape)

    function.__doc__ = f"from_sympy: {', '.join(map(str, rows))}"[:500]
    return function
