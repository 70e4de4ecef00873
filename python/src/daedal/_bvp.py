"""solve_bvp: boundary value problems, with unknown parameters and with constraints."""

import numpy as np

from . import _core, _options
from ._arguments import Converter, array, function, number
from ._bvp_scipy import complex_bvp, with_singular_term
from ._drive import numbers
from ._result import _WEIGHTS, NODES, Report, Result
from .trace import Graph, TraceError, around, symbols, trace, verify
from .trace.recall import Parts, key, recalled
from .trace.tape import jacobian, tape

MESSAGES = {0: "The algorithm converged to the desired accuracy.",
            1: "The maximum number of mesh nodes is exceeded."}


class BvpSolution:
    """The solution as a function: sol(x) is (n,) or (n, k); sol(x, 1) its derivative."""

    def __init__(self, mesh, values, n):
        self.x, self.values, self.n = mesh, values, n

    def __call__(self, x, nu=0):
        if nu not in (0, 1):
            raise ValueError("nu must be 0 or 1")
        at = np.asarray(x, dtype=float)
        flat = np.atleast_1d(at).ravel()
        a, b = self.x[0], self.x[-1]
        margin = 1e-12 * max(abs(a), abs(b), b - a)
        if flat.size and (flat.min() < a - margin or flat.max() > b + margin):
            raise ValueError(f"x must be within [{a}, {b}]")
        i = np.clip(np.searchsorted(self.x, flat) - 1, 0, len(self.x) - 2)
        s = np.clip((flat - self.x[i]) / (self.x[i + 1] - self.x[i]), 0, 1)
        d = s[:, None] - NODES
        hit = d == 0
        d[hit] = 1
        w = np.where(hit.any(1)[:, None], hit, _WEIGHTS / d)
        all_of = np.einsum("ki,kij->kj", w / w.sum(1)[:, None], self.values[i])
        part = all_of[:, :self.n] if nu == 0 else all_of[:, self.n:2 * self.n]
        return part.T.reshape(self.n, *at.shape)


class Shapes:
    """Functions of (x (k,), y (n, k)) as SciPy has them, called at one point."""

    def __init__(self, fun, bc, constraints, p):
        self.fun, self.bc, self.constraints, self.p = fun, bc, constraints, p

    def extra(self, p, lam=None):
        if self.constraints is not None:
            return (p, lam)
        return () if self.p is None else (p,)

    def f(self, x, y, p, lam):
        return self.fun(x, y, *self.extra(p, lam))

    def g(self, x, y):
        return self.constraints(x, y)

    def ends(self, left, right, p):
        return self.bc(left, right, *(() if self.p is None else (p,)))

    def at_point(self, role):
        """fun, bc and constraints as functions of one point."""
        return (lambda t, y, p, lam: self.f(np.array([t]), y[:, None], p, lam[:, None]),
                self.ends, lambda t, y: self.g(np.array([t]), y[:, None]))[role]


class BvpParts(Parts):
    """Tapes of all functions and their derivatives."""

    def __init__(self, shapes, n, m, k, conditions, points):
        super().__init__()
        graph = Graph()
        t, z = graph.symbol("time"), symbols(graph, "y", n)
        lam, par = symbols(graph, "lam", m), symbols(graph, "p", k)
        left, right = symbols(graph, "left", n), symbols(graph, "right", n)
        one = np.empty(1, dtype=object)
        one[0] = t
        one, column = one.view(type(z)), z.reshape(n, 1)

        def formulas(role, fun, label, args, names, rows, first):
            nodes = trace(fun, graph, args, label, rows)
            at = [point[first:first + len(names)] for point in points]
            tape = verify(shapes.at_point(role), nodes, label, at, names)
            self.check(role, nodes, tape, slice(first, first + len(names)))
            return nodes

        rows = formulas(0, shapes.f, "fun", (one, column, par, lam.reshape(m, 1)),
                        ("time", "y", "p", "lam"), n, 0)
        ends = formulas(1, shapes.ends, "bc", (left, right, par), ("left", "right", "p"),
                        conditions, 4)
        inner, outer = [t, *z, *lam, *par], [t, *left, *right, *par]
        self.parts = {"fun": tape(graph, rows, inner), "f_z": tape(graph, jacobian(rows, z), inner),
                      "bc": tape(graph, ends, outer),
                      "bc_left": tape(graph, jacobian(ends, left), outer),
                      "bc_right": tape(graph, jacobian(ends, right), outer)}
        if m:
            held = formulas(2, shapes.g, "constraints", (one, column), ("time", "y"), m, 0)
            self.parts.update(constraints=tape(graph, held, inner),
                              f_y=tape(graph, jacobian(rows, lam), inner),
                              g_z=tape(graph, jacobian(held, z), inner),
                              g_t=tape(graph, jacobian(held, [t]), inner))


def traced_parts(shapes, n, m, k, conditions, x, y, p):
    """The tapes of BvpParts, for this thread alone."""
    mid = len(x) // 2

    def point(rng):
        return (float(around(rng, x[mid])), around(rng, y[:, mid]), around(rng, p),
                around(rng, np.zeros(m)), around(rng, y[:, 0]), around(rng, y[:, -1]),
                around(rng, p))

    known = key("bvp", n, m, k, conditions, shapes.p is None, shapes.fun, shapes.bc,
                shapes.constraints)
    found = recalled(known, [shapes.at_point(role) for role in range(3)], point,
                     lambda points: BvpParts(shapes, n, m, k, conditions, points))
    return {name: tape.copy() for name, tape in found.parts.items()}


def plain_parts(shapes, n, m, parameter):
    """The functions as callbacks at one point."""
    if m:
        def f(t, y, lam):
            return np.asarray(shapes.f(np.array([t]), y[:, None], parameter.copy(),
                                       lam[:, None])).reshape(-1)
    else:
        def f(t, y):
            return np.asarray(shapes.f(np.array([t]), y[:, None], parameter.copy(),
                                       None)).reshape(-1)
    parts = {"fun": f, "bc": lambda t, a, b: shapes.ends(a, b, parameter.copy())}
    if m:
        parts["constraints"] = lambda t, y: np.asarray(
            shapes.g(np.array([t]), y[:, None])).reshape(-1)
    return parts


class Slopes:
    """fun_jac and bc_jac as SciPy has them: a matrix, or (.., d/dp) with unknown parameters."""

    def __init__(self, fun_jac, bc_jac, shapes):
        self.fun_jac, self.bc_jac, self.shapes = fun_jac, bc_jac, shapes

    def fun(self, x, y, p, lam):
        """df/dy (n, n, len(x))."""
        found = self.fun_jac(x, y, *self.shapes.extra(p, lam))
        if self.shapes.p is not None:
            found = parts_of(found, 2, "fun_jac", "df_dy, df_dp")[0]
        found = np.asarray(found, dtype=float)
        n = len(y)
        if found.shape != (n, n, x.size):
            raise ValueError(f"fun_jac returned shape {found.shape}, expected {(n, n, x.size)}")
        return found

    def ends(self, left, right, p, rows):
        """dbc/dya and dbc/dyb."""
        extra = () if self.shapes.p is None else (p,)
        names = "dbc_dya, dbc_dyb" + (", dbc_dp" if extra else "")
        found = parts_of(self.bc_jac(left, right, *extra), 2 + len(extra), "bc_jac", names)[:2]
        found = [np.asarray(part, dtype=float) for part in found]
        for part in found:
            if part.shape != (rows, len(left)):
                raise ValueError(f"bc_jac returned shape {part.shape}, "
                                 f"expected {(rows, len(left))}")
        return found

    def parts(self, parameter, rows):
        """As callbacks at one point, of those that are given."""
        out = {}
        if self.fun_jac is not None:
            out["f_z"] = lambda t, y, lam=None: self.fun(
                np.array([t]), y[:, None], parameter.copy(),
                None if lam is None else lam[:, None])[:, :, 0]
        if self.bc_jac is not None:
            kept = []

            def left(t, a, b):
                kept[:] = self.ends(a, b, parameter.copy(), rows)
                return kept[0]

            # the library asks for both, one after the other
            out.update(bc_left=left, bc_right=lambda t, a, b: kept[1])
        return out

    def compare(self, tapes, x, y, p, m):
        """With the derivatives that a trace gave, at the guess."""
        n, k = y.shape[0], x.size
        if self.fun_jac is not None:
            given = self.fun(x, y, p, np.zeros((m, k)))
            points = np.hstack([x[:, None], y.T, np.zeros((k, m)), np.tile(p, (k, 1))])
            traced = numbers(tapes["f_z"](np.ascontiguousarray(points)), k, n, n)
            differ("fun_jac", np.moveaxis(given, 2, 0), traced)
        if self.bc_jac is not None:
            rows = len(self.shapes.ends(y[:, 0].copy(), y[:, -1].copy(), p))
            given = self.ends(y[:, 0].copy(), y[:, -1].copy(), p, rows)
            point = np.concatenate([[0.0], y[:, 0], y[:, -1], p])
            for name, own in zip(("bc_left", "bc_right"), given):
                differ("bc_jac", own[None], numbers(tapes[name](point), 1, rows, n))


def parts_of(found, count, name, what):
    if not isinstance(found, (tuple, list)) or len(found) != count:
        raise ValueError(f"{name} must return {what}")
    return found


def differ(name, given, exact):
    """ValueError for the first entry that is no derivative."""
    size = np.abs(exact).max(initial=0.0)
    bad = np.argwhere(~(np.abs(given - exact) <= 1e-6 * (np.abs(exact) + size) + 1e-300)
                      & np.isfinite(exact))
    if len(bad):
        _, i, j = bad[0]
        raise ValueError(f"{name}: entry [{i}, {j}] is {given[tuple(bad[0])]:.6g}, the derivative "
                         f"is {exact[tuple(bad[0])]:.6g}")


def sizes(shapes, x, y, p, lam):
    """Shapes of the results, as SciPy checks them; the number of constraints."""
    n, k = y.shape[0], p.size
    m = 0
    if shapes.constraints is not None:
        g = np.asarray(shapes.g(x, y))
        if g.ndim == 1 and g.shape == x.shape:
            g = g[None]
        if g.ndim != 2 or g.shape[1] != x.size:
            raise ValueError(f"constraints returned shape {g.shape}, expected (m, {x.size})")
        m = g.shape[0]
    f = np.asarray(shapes.f(x, y, p, np.zeros((m, x.size)) if lam is None else lam))
    if f.dtype.kind not in "biuf":
        raise TypeError(f"fun returned {f.dtype}, not numbers")
    if f.shape != y.shape:
        raise ValueError(f"fun returned shape {f.shape}, expected {y.shape}")
    ends = np.asarray(shapes.ends(y[:, 0].copy(), y[:, -1].copy(), p))
    if ends.shape != (n + k - m,):
        raise ValueError(f"bc returned shape {ends.shape}, expected ({n + k - m},)")
    return m, n + k - m


def residuals(shapes, places, table, n, p):
    """Root mean square of y' - fun relative to 1 + |fun|, for each interval; places and table:
    points inside the intervals, and (y, y', lam) there."""
    y, slope, lam = (np.ascontiguousarray(table[:, :, part].reshape(places.size, -1).T)
                     for part in (slice(n), slice(n, 2 * n), slice(2 * n, None)))
    with np.errstate(all="ignore"):
        f = np.asarray(shapes.f(places.ravel(), y, p, lam), dtype=float)
        r = (slope - f) / (1 + np.abs(f))
    return np.sqrt(np.mean(np.sum(r**2, axis=0).reshape(places.shape), axis=1))


KNOWN = ("p", "S", "fun_jac", "bc_jac", "tol", "max_nodes", "verbose", "bc_tol", "constraints",
         "lam", "functions", "method")


def solve_bvp(fun, bc, x, y, p=None, S=None, fun_jac=None, bc_jac=None, tol=1e-3, max_nodes=1000,
              verbose=0, bc_tol=None, *, constraints=None, lam=None, functions="auto",
              method="auto", **options):
    """Solve y' = fun(x, y, p) on [x[0], x[-1]] with 0 = bc(y(a), y(b), p).

    The call and the result are those of `scipy.integrate.solve_bvp`; what is more:

    constraints : function (x, y) -> (m, len(x)) residuals along the solution
        `fun(x, y, p, lam)` then has multipliers, and `bc` gives n - m + len(p) conditions
    lam : guess of the multipliers (m, len(x))
    fun_jac, bc_jac : as in SciPy, taken when functions are called back; where a trace gives exact
        derivatives they are compared with these, and a wrong entry raises ValueError
    functions : "auto", "trace" or "python", as in `solve_ivp`

    The error of the solution is estimated and below `tol`; conditions hold to rounding.

    Examples
    --------
    Bratu's problem, y'' + exp(y) = 0 between 0 and 0:

    >>> import numpy as np, daedal
    >>> x = np.linspace(0, 1, 5)
    >>> r = daedal.solve_bvp(lambda x, y: np.vstack((y[1], -np.exp(y[0]))),
    ...                      lambda ya, yb: np.array([ya[0], yb[0]]), x, np.zeros((2, x.size)))
    >>> r.status, round(float(r.sol(0.5)[0]), 4)
    (0, 0.1405)
    """
    function(fun, "fun"), function(bc, "bc"), function(constraints, "constraints", optional=True)
    for name, value in (("fun_jac", fun_jac), ("bc_jac", bc_jac)):
        function(value, name, optional=True)
    if np.iscomplexobj(y):
        return complex_bvp(solve_bvp, fun, bc, x, y, p, fun_jac, bc_jac, dict(
            S=S, tol=tol, max_nodes=max_nodes, verbose=verbose, bc_tol=bc_tol, lam=lam,
            constraints=constraints, functions=functions, method=method, **options))
    x = array(x, "x", ndim=1)
    if x.size < 2 or np.any(np.diff(x) <= 0):
        raise ValueError("x must hold at least two numbers that rise")
    y = array(y, "y", ndim=2)
    if y.shape[1] != x.size:
        raise ValueError(f"y must have {x.size} columns, as x has numbers, not {y.shape[1]}")
    if y.shape[0] == 0:
        raise ValueError("y is empty")
    if S is not None:
        fun, fun_jac = with_singular_term(fun, S, x[0], len(y)), None
    start = np.zeros(0) if p is None else array(p, "p", ndim=1)
    tol = number(tol, "tol", positive=True)
    if bc_tol is not None:
        number(bc_tol, "bc_tol", positive=True)
    if functions not in ("auto", "trace", "python"):
        raise ValueError(f"functions must be 'auto', 'trace' or 'python', not {functions!r}")
    options.setdefault("mesh_max", max_nodes)
    chosen = _options.read("solve_bvp", options, KNOWN, method, tol, tol)
    shapes = Shapes(fun, bc, constraints, p)
    m, conditions = sizes(shapes, x, y, start, None)
    if lam is not None:
        lam = array(lam, "lam", shape=(m, x.size))
    n, k = y.shape[0], start.size
    notes, parts = [], None
    if functions != "python":
        try:
            parts = traced_parts(shapes, n, m, k, conditions, x, y, start)
        except TraceError as error:
            if functions == "trace":
                raise
            notes.append(f"the problem runs by calls of Python functions: {error}")
    parameter = start.copy()
    slopes = Slopes(fun_jac, bc_jac, shapes)
    if parts is not None:
        slopes.compare(parts, x, y, start, m)
    else:
        parts = plain_parts(shapes, n, m, parameter) | slopes.parts(parameter, conditions)
        if functions == "python":
            try:  # derivatives need no differences when a trace gives them
                traced = traced_parts(shapes, n, m, k, conditions, x, y, start)
                parts = traced | parts
            except TraceError:
                pass
    spec = dict(parts, n=n, m=m, n_parameter=k, conditions=conditions, z=np.zeros(n),
                y=np.zeros(m) if m else None, left=np.zeros(n), right=np.zeros(n), p=parameter,
                convert=Converter(), table_t=x, table_z=np.ascontiguousarray(y.T),
                table_y=None if lam is None else np.ascontiguousarray(lam.T),
                t_span=np.array([x[0], x[-1]]))
    status, fields, solution = _core.bvp_solve(spec, chosen)
    result = bvp_result(shapes, status, Report(fields, notes), solution, n, m, p)
    if verbose:
        print(f"{'Solved in' if result.success else result.message} {result.niter} iterations, "
              f"number of nodes {len(result.x)}.\nMaximum relative residual: "
              f"{np.max(result.rms_residuals, initial=0):.2e}")
    return result


def bvp_result(shapes, status, report, solution, n, m, p):
    result = Result(sol=None, p=None if p is None else np.array(p, dtype=float), x=np.zeros(0),
                    y=np.zeros((n, 0)), yp=np.zeros((n, 0)), rms_residuals=np.zeros(0), niter=0,
                    status=0 if status == 0 else 1 if status in (-15, -11) else 2,
                    success=status == 0, report=report)
    result.message = MESSAGES.get(result.status) if status in (0, -15) else report.message
    if m:
        result.lam = np.zeros((m, 0))
    try:
        about = solution.info()
    except ValueError:  # nothing was found
        return result
    mesh = numbers(about["mesh"]).copy()
    h = np.diff(mesh)
    places = np.concatenate([(mesh[:-1, None] + h[:, None] * NODES[None, :-1]).ravel(), mesh[-1:]])
    _, Z, Y, D = solution.eval(places)
    values = np.hstack([numbers(Z, -1, n), numbers(D, -1, n), numbers(Y, len(places), m)])
    inner = len(NODES) - 1
    index = inner * np.arange(len(h))[:, None] + np.arange(len(NODES))[None]
    table = values[index]
    ends = values[::inner]
    result.sol = BvpSolution(mesh, table, n)
    result.update(x=mesh, y=np.ascontiguousarray(ends[:, :n].T),
                  yp=np.ascontiguousarray(ends[:, n:2 * n].T), niter=int(about["newton"]),
                  method=about["method"], form=about["form"], audit=about["audit"],
                  error=about["error"], meshes=about["history"],
                  nfev=int(about["evaluations"]), njev=int(about["jacobians"]))
    if p is not None:
        result.p = numbers(about["parameter"]).copy()
    if m:
        result.lam = np.ascontiguousarray(ends[:, 2 * n:].T)
        result.drift = {"constraints": float(np.max(np.abs(shapes.g(mesh, result.y))))}
    result.rms_residuals = residuals(shapes, places[index[:, 1:-1]], table[:, 1:-1], n,
                                     np.zeros(0) if result.p is None else result.p)
    return result
