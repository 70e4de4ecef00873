"""solve_ivp: ordinary differential equations, with a mass matrix, with invariants."""

import numpy as np

from . import _options
from ._arguments import (Converter, array, bind, event_list, function, t_eval_times, time_span)
from ._drive import System, run_auto
from ._pointer import address
from ._traced import traced_ode
from .trace import Graph, around, random_points, symbols, try_trace
from .trace.tape import jacobian, sparse_jacobian, tape


def ode_derivatives(fun, invariants, t0, y0, at_start, jac, pattern, inside):
    """Derivatives of what is called back, from traces where they work; inside: functions too."""
    nh = 0 if at_start is None else at_start.size
    found = {}
    graph = Graph(explore=True)
    n = len(y0)
    y, t = symbols(graph, "y", n), graph.symbol("time")
    points = random_points(lambda rng: (float(around(rng, t0)), around(rng, y0)))
    if jac is None and pattern is None and not isinstance(fun, int):
        nodes = try_trace(fun, graph, (t, y), "fun", points, ("time", "y"), n)
        if nodes and n <= DENSE_MOST:
            found["f_z"] = tape(graph, jacobian(nodes, y), [t, *y])
        elif nodes:
            found["pattern"], entries = sparse_jacobian(nodes, y)
            found["f_z"] = tape(graph, entries, [t, *y])
        if nodes and inside:
            found["f"] = tape(graph, nodes, [t, *y])
    if invariants is not None:
        nodes = try_trace(invariants, graph, (t, y), "invariants", points, ("time", "y"), nh)
        if nodes:
            found["h_z"] = tape(graph, jacobian(nodes, y), [t, *y])
            found["g_t"] = tape(graph, jacobian(nodes, [t]), [t, *y])
        if nodes and inside:
            found["h"] = tape(graph, [a - b for a, b in zip(nodes, at_start)], [t, *y])
    return found


def invariants_of(invariants, t0, y0):
    """Their values at the start, and the function that is zero there; (None, None) without."""
    if invariants is None:
        return None, None
    at_start = np.atleast_1d(np.asarray(invariants(t0, y0.copy()), dtype=float))
    return at_start, lambda t, y: np.atleast_1d(invariants(t, y)) - at_start


DENSE_MOST = 60  # variables up to which df/dy is taken as a full matrix


class PlainOde(System):
    """y' = fun(t, y) by calls of Python or C functions."""

    levels = ("invariants",)

    def __init__(self, fun, t0, t1, y0, *, jac=None, invariants=None, pattern=None, events=(),
                 fixed=None, user=None, inside=False):
        n = len(y0)
        self.n = n
        functions = {"f": fun}
        if jac is not None:
            functions["f_z"] = jac
        self.invariants_start, h = invariants_of(invariants, t0, y0)
        nh = 0 if h is None else self.invariants_start.size
        if h is not None:
            functions["h"] = h
        if type(self) is PlainOde:
            functions.update(ode_derivatives(fun, invariants, t0, y0, self.invariants_start, jac,
                                             pattern, inside))
            pattern = functions.pop("pattern", pattern)
        spec = dict(kind="ode", n=n, nh=nh, functions=functions, z0=y0, whole=np.zeros(n),
                    convert=Converter(f="fun", f_z="jac", h="invariants", event="events"),
                    t_span=(t0, t1), pattern=pattern, fixed=fixed, user=user,
                    z_names=[f"y[{i}]" for i in range(n)],
                    g_names=[f"invariants[{i}]" for i in range(nh)],
                    events=[(e.fun, e.direction, int(e.count > 0), e.change) for e in events])
        super().__init__(spec)
        self.given = None if isinstance(self, Complex) else y0.copy()


class Complex:
    """y is complex: its real and imaginary parts stand side by side in the problem."""

    def y(self, t, Z, Y):
        return to_complex(Z)

    def y_map(self):
        return to_complex

    def count(self):
        return self.nz // 2

    def atols(self, given):
        return np.repeat(given, 2)


class ComplexOde(Complex, PlainOde):
    pass


def to_complex(Z):
    return np.ascontiguousarray(np.ascontiguousarray(Z).view(complex).T)


def complex_system(fun, t0, t1, y0, *, mass, jac, invariants, events):
    """mass y' = fun(t, y) with a complex y."""
    n = len(y0)

    def real(t, z):
        value = np.asarray(fun(t, z.view(complex)))
        if value.shape != (n,):
            raise ValueError(f"fun returned shape {value.shape}, expected {(n,)}")
        return np.ascontiguousarray(value, dtype=complex).view(float)

    def real_jac(t, z):
        J = np.asarray(jac(t, z.view(complex)))
        if J.shape != (n, n):
            raise ValueError(f"jac returned shape {J.shape}, expected {(n, n)}")
        # a complex entry a + bi is the block [a, -b; b, a]
        return np.kron(J.real, np.eye(2)) + np.kron(J.imag, [[0, -1], [1, 0]])

    def parts(t, z):
        value = np.atleast_1d(invariants(t, z.view(complex)))
        return np.concatenate([value.real, value.imag]) if np.iscomplexobj(value) else value

    for event in events:
        event.fun = (lambda f: lambda t, z: np.real(f(t, z.view(complex))))(event.fun)
    more = dict(jac=None if jac is None else real_jac,
                invariants=None if invariants is None else parts, events=events)
    if mass is None:
        return ComplexOde(real, t0, t1, y0.view(float), **more)
    from ._implicit import PlainImplicit

    class ComplexImplicit(Complex, PlainImplicit):
        pass

    system = ComplexImplicit(t0, t1, y0.view(float), fun=real, **more,
                             mass=np.repeat(mass, 2) if mass.ndim == 1 else np.kron(mass, np.eye(2)))
    system.given = None
    return system


def initial_values(y0, name="y0"):
    try:
        found = np.asarray(y0)
    except Exception as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from None
    if found.dtype.kind == "c":
        if found.ndim != 1:
            raise ValueError(f"{name} must have 1 dimension, its shape is {found.shape}")
        if not np.all(np.isfinite(found)):
            raise ValueError(f"{name} holds NaN or infinity")
        y0 = np.array(found, dtype=complex)
    else:
        y0 = array(y0, name, ndim=1)
    if y0.size == 0:
        raise ValueError(f"{name} is empty")
    return y0


def fixed_flags(fixed, n, name="fixed"):
    """Flags from booleans or from a list of indices; None: nothing is held."""
    if fixed is None:
        return None
    found = np.asarray(fixed)
    flags = np.zeros(n, dtype=bool)
    if found.dtype.kind == "b" and found.shape == (n,):
        flags[:] = found
    elif found.dtype.kind in "iu" and found.ndim == 1:
        if found.size and (found.min() < -n or found.max() >= n):
            raise ValueError(f"{name}: an index is outside 0 .. {n - 1}")
        flags[found] = True
    elif found.size:
        raise ValueError(f"{name} must be {n} booleans or a list of indices")
    return flags


def sparsity(jac_sparsity, lband, uband, n):
    """The places of df/dy as (start, column), or None."""
    if jac_sparsity is None and lband is None and uband is None:
        return None
    if jac_sparsity is not None:
        if hasattr(jac_sparsity, "toarray"):
            jac_sparsity = jac_sparsity.toarray()
        places = array(np.asarray(jac_sparsity) != 0, "jac_sparsity", shape=(n, n)) != 0
    else:
        i, j = np.indices((n, n))
        places = (i - j <= (lband or 0)) & (j - i <= (uband or 0))
    rows, columns = np.nonzero(places)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return starts.astype(np.int32), columns.astype(np.int32)


def divide_by_mass(fun, jac, mass, n):
    """fun and jac of y' = M^-1 f for a regular constant M; None when M is singular."""
    if mass.ndim == 1:
        if np.any(mass == 0):
            return None
        return (lambda t, y: np.asarray(fun(t, y)) / mass,
                None if jac is None else lambda t, y: np.asarray(jac(t, y)) / mass[:, None])
    if np.linalg.matrix_rank(mass) < n:
        return None
    inverse = np.linalg.inv(mass)
    return (lambda t, y: inverse @ np.asarray(fun(t, y)),
            None if jac is None else lambda t, y: inverse @ np.asarray(jac(t, y)))


def single(fun):
    """One column of a function that takes many."""
    def one(t, y):
        return np.reshape(fun(t, np.reshape(y, (-1, 1))), (-1,))
    return one


def columns_jacobian(fun):
    """df/dy by differences of order 4, all of them in one call of a function of columns."""
    def jac(t, y):
        n = len(y)
        h = 5e-4 * np.maximum(np.abs(y), 1e-3 * max(1.0, np.abs(y).max()))
        h = (y + h) - y  # what is really added
        steps = np.concatenate([np.diag(k * h) for k in (1, -1, 2, -2)], axis=1)
        f = np.asarray(fun(t, y[:, None] + steps), dtype=float)
        if f.shape != (n, 4 * n):
            raise ValueError(f"fun returned shape {f.shape} for {4 * n} columns (vectorized=True), "
                             f"expected {(n, 4 * n)}")
        a, b, c, d = np.split(f, 4, axis=1)
        return (8 * (a - b) - (c - d)) / (12 * h)
    return jac


def mass_matrix(mass, n):
    """A vector or a matrix, or None."""
    if mass is None:
        return None
    if callable(mass):
        raise TypeError("mass must be an array here; solve_dae takes M(t, y) y' = f as a residual")
    if hasattr(mass, "toarray"):
        mass = mass.toarray()
    mass = array(mass, "mass")
    if mass.ndim == 0:
        mass = np.full(n, float(mass))
    if mass.shape not in ((n,), (n, n)):
        raise ValueError(f"mass must have shape ({n},) or ({n}, {n}), not {mass.shape}")
    return mass


KNOWN = ("t_eval", "dense_output", "events", "args", "mass", "invariants", "jac", "max_step",
         "first_step", "functions", "fixed", "hit", "vectorized", "jac_sparsity", "lband", "uband",
         "user_data", "compile")


def solve_ivp(fun, t_span, y0, method="auto", t_eval=None, dense_output=False, events=None,
              args=None, *, mass=None, invariants=None, jac=None, rtol=1e-6, atol=1e-6,
              max_step=np.inf, first_step=None, functions="auto", fixed=None, hit=None,
              vectorized=False, jac_sparsity=None, lband=None, uband=None, user_data=None,
              compile=True, **options):
    """Solve y' = fun(t, y), or mass @ y' = fun(t, y), from t_span[0] to t_span[1].

    The call and the result are those of `scipy.integrate.solve_ivp`; what is more:

    mass : number, vector (n,) or matrix (n, n), may be singular
        Then some equations are algebraic; any index is welcome.
    invariants : function (t, y) -> residuals
        Quantities that stay as they are at the start: the solution is kept on them.
    functions : "auto", "trace" or "python"
        A function of NumPy operations is called once with symbols and then runs as compiled code,
        with exact derivatives ("trace"); "python" calls it back; "auto" takes the first when it
        can and agrees with the function at random points.
    fixed : indices or booleans
        Entries of y0 that must not be moved when y0 is made consistent.
    compile : False interprets a traced function and needs no C compiler: no time to compile it once,
        half the speed
    hit : rising times that the steps must meet exactly (kinks and jumps of `fun`).
    options : the library's, see `daedal.options()`: form, stabilize, ctol, ...

    `fun` may also be a C function: a numba cfunc, a ctypes function or an address, with the
    signature int (double t, const double *y, double *dy, void *user_data).

    Examples
    --------
    >>> import numpy as np, daedal
    >>> r = daedal.solve_ivp(lambda t, y: [y[1], -y[0]], (0, np.pi), [0.0, 1.0], rtol=1e-9)
    >>> bool(abs(r.y[1, -1] + 1) < 1e-6)
    True

    A mass matrix that is singular: the third equation is algebraic.

    >>> robertson = lambda t, y: np.array([
    ...     -0.04*y[0] + 1e4*y[1]*y[2], 0.04*y[0] - 1e4*y[1]*y[2] - 3e7*y[1]**2,
    ...     y[0] + y[1] + y[2] - 1])
    >>> r = daedal.solve_ivp(robertson, (0, 40), [1, 0, 0], mass=[1, 1, 0], rtol=1e-8, atol=1e-10)
    >>> print(np.round(r.y[0, -1], 4))
    0.7158
    """
    events = event_list(events, args)
    t0, t1 = time_span(t_span, events)
    start = initial_values(y0)
    complex_start = np.iscomplexobj(start)
    n = len(start)
    times = t_eval_times(t_eval, t0, t1)
    chosen = _options.read("solve_ivp", options, KNOWN, method, rtol, atol, max_step, first_step)
    if functions not in ("auto", "trace", "python"):
        raise ValueError(f"functions must be 'auto', 'trace' or 'python', not {functions!r}")
    mass = mass_matrix(mass, n)
    flags = fixed_flags(fixed, n)
    pattern = sparsity(jac_sparsity, lband, uband, n)
    if invariants is not None:
        invariants = bind(function(invariants, "invariants"), args)
    pointer = address(fun)
    notes = []
    if pointer is None:
        fun = bind(function(fun, "fun"), args)
        if vectorized:
            fun, columns = single(fun), columns_jacobian(fun)
            jac = columns if jac is None and not complex_start and jac_sparsity is None else jac
    elif args is not None:
        raise TypeError("args: a C function takes user_data, not args")
    if jac is not None and callable(jac):
        jac = jac if vectorized and jac is columns else bind(jac, args)
    elif jac is not None:
        constant = array(jac.toarray() if hasattr(jac, "toarray") else jac, "jac", shape=(n, n))
        jac = lambda t, y: constant  # noqa: E731
    system = None
    if pointer is None and not complex_start and functions != "python":
        system = traced_ode(fun, t0, t1, start, mass=mass, invariants=invariants, events=events,
                            fixed=flags, must=functions == "trace", notes=notes,
                            compile=compile)
    elif functions == "trace":
        raise ValueError("functions='trace': a complex or C function cannot be traced; "
                         "use functions='python'")

    def plain():
        return plain_system(pointer if pointer is not None else fun, t0, t1, start, mass=mass,
                            jac=jac, invariants=invariants, events=events, fixed=flags,
                            pattern=pattern, user=user_data)

    if system is None:
        system = plain()
    if invariants is not None:
        kept = np.array2string(np.asarray(system.invariants_start), precision=6)
        notes.append(f"invariants are kept at their values at the start, {kept}")
    return run_auto(system, plain, chosen, t0, t1, t_eval=times, dense=bool(dense_output),
                    events=events, hit=hit, notes=notes)


def plain_system(fun, t0, t1, start, *, mass, jac, invariants, events, fixed, pattern, user,
                 inside=False):
    divided = None
    if mass is not None:
        if isinstance(fun, int):
            raise ValueError("mass: a C function must give y' itself")
        divided = divide_by_mass(fun, jac, mass, len(start))
    if divided is not None:
        fun, jac = divided
        mass = pattern = None
    if np.iscomplexobj(start):
        return complex_system(fun, t0, t1, start, mass=mass, jac=jac, invariants=invariants,
                              events=events)
    if jac is not None:
        pattern = None  # a dense jac says more than its places
    if mass is not None:
        from ._implicit import PlainImplicit

        return PlainImplicit(t0, t1, start, fun=fun, mass=mass, jac=jac, invariants=invariants,
                             pattern=pattern, events=events, fixed=fixed)
    flags = None if fixed is None else fixed.astype(np.uint8).tobytes()
    return PlainOde(fun, t0, t1, start, jac=jac, invariants=invariants, pattern=pattern,
                    events=events, fixed=flags, user=user, inside=inside)
