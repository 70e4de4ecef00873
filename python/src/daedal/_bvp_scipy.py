"""solve_bvp: what SciPy has beside real functions: complex values, and a singular term."""

import numpy as np

from ._arguments import array


class Halves:
    """A function of real arrays whose first half is the real part, the second the imaginary."""

    def __init__(self, whole):
        self.whole = whole

    def __call__(self, *args):
        found = self.whole(*args)
        n = len(found) // 2
        return found[:n] + 1j * found[n:]


def split(values):
    """Real parts above imaginary ones."""
    values = np.asarray(values)
    return np.concatenate([values.real, values.imag])


def joined(values):
    n = len(values) // 2
    return values[:n] + 1j * values[n:]


def real_form(fun, plain):
    """fun of complex arrays behind its `plain` first arguments, as one of real ones."""
    return lambda *args: split(fun(*args[:plain], *map(joined, args[plain:])))


def block(J):
    """An analytic derivative a + bi as [a, -b; b, a]."""
    J = np.asarray(J)
    return np.concatenate([np.concatenate([J.real, -J.imag], axis=1),
                           np.concatenate([J.imag, J.real], axis=1)])


def real_jacobian(jac, plain):
    def real(*args):
        found = jac(*args[:plain], *map(joined, args[plain:]))
        return tuple(map(block, found)) if isinstance(found, (tuple, list)) else block(found)
    return None if jac is None else real


def complex_bvp(solve, fun, bc, x, y, p, fun_jac, bc_jac, options):
    """solve(..) of real and imaginary parts, and its result as complex numbers."""
    if options.get("constraints") is not None:
        raise TypeError("y is complex; with constraints it must be real")
    if options.get("functions") == "trace":
        raise ValueError("functions='trace': a complex function cannot be traced")
    options["functions"] = "python"
    if options.get("S") is not None:
        options["S"] = np.kron(np.eye(2), array(options["S"], "S", shape=(len(y), len(y))))
    result = solve(real_form(fun, 1), real_form(bc, 0), x, split(y),
                   None if p is None else split(p), fun_jac=real_jacobian(fun_jac, 1),
                   bc_jac=real_jacobian(bc_jac, 0), **options)
    for name in ("y", "yp", "p"):
        if result.get(name) is not None:
            result[name] = joined(result[name])
    if result.sol is not None:
        result.sol = Halves(result.sol)
    return result


def with_singular_term(fun, S, a, n):
    """fun + S y/(x - a); at a its limit, (I - S)^-1 fun, which is there for S y(a) = 0."""
    S = array(S, "S", shape=(n, n))
    limit = np.linalg.pinv(np.eye(n) - S)

    def whole(x, y, *more):
        f = np.asanyarray(fun(x, y, *more))
        behind = x > a
        return np.where(behind, f + S @ y / np.where(behind, x - a, 1.0), limit @ f)

    return whole
