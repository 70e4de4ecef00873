"""solve_mechanical: M q'' = force - G' lam - W' mu with constraints."""

import numpy as np

from . import _options
from ._arguments import (Converter, array, bind, event_list, function, t_eval_times, time_span)
from ._drive import System, run_auto
from ._ivp import fixed_flags
from ._pointer import address
from ._traced import traced_mechanical
from .trace import Graph, around, random_points, symbols, try_trace
from .trace.node import order
from .trace.tape import jacobian, rate, tape


def derivatives(force, g, velocity, q0, v0, t0, ng, nw, jac, inside):
    """Derivatives of what is called back, from traces where they work: no differences then.

    inside: the functions themselves too, so that no Python is called.
    """
    found = {}
    graph = Graph(explore=True)
    n = len(q0)
    q, v, t = symbols(graph, "q", n), symbols(graph, "v", n), graph.symbol("time")
    at = random_points(lambda rng: (float(around(rng, t0)), around(rng, q0), around(rng, v0)))
    at_q, every, names = [point[:2] for point in at], [t, *q, *v], ("time", "q", "v")
    nodes = None
    if g is not None and not isinstance(g, int) and jac is None:
        nodes = try_trace(g, graph, (t, q), "g", at_q, names, ng)
    if nodes:
        speed = rate(nodes, q, v, t)
        found["h_z"] = tape(graph, jacobian(nodes, q), [t, *q])
        found["g_t"] = tape(graph, jacobian(nodes, [t]), [t, *q])
        found["curvature"] = tape(graph, rate(speed, q, v, t), every)
        found["velocity_q"] = tape(graph, jacobian(speed, q), every)
        if inside:
            found["h"] = tape(graph, nodes, [t, *q])
    if force is not None and not isinstance(force, int):
        nodes = try_trace(force, graph, (t, q, v), "force", at, names, n)
        if nodes:
            found["force_q"] = tape(graph, jacobian(nodes, q), every)
            found["force_v"] = tape(graph, jacobian(nodes, v), every)
            if inside:
                found["f"] = tape(graph, nodes, every)
    if velocity is not None:
        nodes = try_trace(velocity, graph, (t, q, v), "velocity_constraints", at, names, nw)
        if nodes:
            W = [graph.lift(x) for x in jacobian(nodes, v)]
            if not any(id(x) in {id(s) for s in v} for x in order([*W])):
                found["W"] = tape(graph, W, [t, *q])
                found["w_rate"] = tape(graph, rate(nodes, q, v, t), every)
    return found


class PlainMechanical(System):
    """The problem by calls of Python or C functions."""

    levels = ("position", "velocity")

    def __init__(self, force, g, velocity, mass, q0, v0, t0, t1, *, jac=None, events=(),
                 fixed=None, ng=None, user=None, inside=False):
        n = len(q0)
        functions = {}
        if force is not None:
            functions["f"] = force
        self.ng = 0 if g is None else ng or count_of(g, (t0, q0.copy()), "g")
        if g is not None:
            functions["h"] = g
        if jac is not None:
            functions["h_z"] = jac
        self.nw = 0
        if velocity is not None:
            self.nw = count_of(velocity, (t0, q0.copy(), v0.copy()), "velocity_constraints")
            affine = Affine(velocity, n, self.nw)
            affine.check(t0, q0, v0)
            functions.update(W=affine.matrix, w=affine.rest)
        functions.update(derivatives(force, g, velocity, q0, v0, t0, self.ng, self.nw, jac,
                                     inside))
        dense, constant = mass_of(mass, n, t0, q0)
        if callable(mass):
            functions["mass"] = mass
        names = [f"g[{i}]" for i in range(self.ng)]
        names += [f"velocity_constraints[{i}]" for i in range(self.nw)]
        spec = dict(kind="mechanical", nq=n, ng=self.ng, nw=self.nw, functions=functions,
                    first=np.zeros(n), second=np.zeros(n), z0=np.concatenate([q0, v0]),
                    mass=constant, mass_dense=int(dense), t_span=(t0, t1), user=user,
                    fixed=None if fixed is None else fixed.astype(np.uint8).tobytes(),
                    convert=Converter(f="force", h="g", h_z="jac", W="velocity_constraints",
                                      w="velocity_constraints", event="events"),
                    z_names=[*(f"q[{i}]" for i in range(n)), *(f"v[{i}]" for i in range(n))],
                    g_names=names,
                    events=[(e.fun, e.direction, int(e.count > 0), e.change) for e in events])
        super().__init__(spec)
        self.given, self.y_names = spec["z0"], spec["z_names"]

    def drift(self, result, found):
        every = super().drift(result, found)
        if not self.ng:
            every.pop("position", None)
        return every if self.ng or self.nw else {}


class Affine:
    """W and w of a velocity constraint c(t, q, v) = W v + w, by calls with unit vectors."""

    def __init__(self, velocity, n, nw):
        self.velocity, self.n, self.nw = velocity, n, nw
        self.key, self.found = None, None

    def value(self, t, q, v):
        out = np.asarray(self.velocity(t, q, v), dtype=float).reshape(-1)
        if out.size != self.nw:
            raise ValueError(f"velocity_constraints returned {out.size} values, "
                             f"expected {self.nw}")
        return out

    def both(self, t, q):
        key = (t, q.tobytes())
        if key != self.key:
            rest = self.value(t, q, np.zeros(self.n))
            columns = [self.value(t, q, unit) - rest for unit in np.eye(self.n)]
            self.key, self.found = key, (np.stack(columns, axis=1), rest)
        return self.found

    def matrix(self, t, q):
        return self.both(t, q)[0]

    def rest(self, t, q):
        return self.both(t, q)[1]

    def check(self, t, q, v):
        W, w = self.both(t, q)
        speed = v + 1.7 + np.arange(self.n)
        found = self.value(t, q, speed)
        size = np.abs(W) @ np.abs(speed) + np.abs(w) + np.abs(found)
        if np.any(np.abs(W @ speed + w - found) > 1e-8 * size + 1e-300):
            raise ValueError("velocity_constraints must be affine in v")


def count_of(fun, args, name):
    value = np.asarray(fun(*args))
    if value.dtype.kind not in "biufO":
        raise TypeError(f"{name} returned {value.dtype}, not numbers")
    if value.ndim > 1:
        raise ValueError(f"{name} returned shape {value.shape}, expected a vector")
    return value.size


def mass_of(mass, n, t0, q0):
    """(dense?, constant array or None) of None, a number, a vector, a matrix or mass(t, q)."""
    if mass is None:
        return False, None
    if not callable(mass):
        return mass.ndim == 2, mass
    found = np.asarray(mass(t0, q0.copy()), dtype=float)
    if found.shape not in ((n,), (n, n)):
        raise ValueError(f"mass returned shape {found.shape}, expected ({n},) or ({n}, {n})")
    return found.ndim == 2, None


def constant_mass(mass, n):
    """None, a function, or a vector or matrix that was checked."""
    if mass is None or callable(mass):
        return mass
    if hasattr(mass, "toarray"):
        mass = mass.toarray()
    mass = array(mass, "mass")
    if mass.ndim == 0:
        mass = np.full(n, float(mass))
    if mass.shape not in ((n,), (n, n)):
        raise ValueError(f"mass must be a number or have shape ({n},) or ({n}, {n}), "
                         f"not {mass.shape}")
    if mass.ndim == 1 and np.any(mass <= 0):
        raise ValueError("mass must be positive")
    if mass.ndim == 2 and np.any(np.abs(mass - mass.T) > 1e-12 * np.abs(mass).max()):
        raise ValueError("mass must be symmetric")
    return mass


KNOWN = ("mass", "velocity_constraints", "method", "t_eval", "dense_output", "events", "args",
         "jac", "max_step", "first_step", "functions", "fixed", "hit", "user_data",
         "constraints_count", "compile")


def solve_mechanical(force, g, q0, v0, t_span, *, mass=None, velocity_constraints=None,
                     method="auto", t_eval=None, dense_output=False, events=None, args=None,
                     jac=None, rtol=1e-6, atol=1e-6, max_step=np.inf, first_step=None,
                     functions="auto", fixed=None, hit=None, user_data=None,
                     constraints_count=None, compile=True, **options):
    """Solve M q'' = force(t, q, v) - G' lam - W' mu with 0 = g(t, q), G = dg/dq, and
    0 = velocity_constraints(t, q, v) = W v + w.

    force : function (t, q, v) -> (nq,), or None
    g : function (t, q) -> (ng,) residuals, or None
    mass : None (identity), a number, a vector, a matrix, or a function mass(t, q)
    velocity_constraints : function (t, q, v) -> residuals, affine in v
    jac : function (t, q) -> G, taken when g is called back and not traced
    fixed : indices or booleans over (q, v) that the start must not move
    functions : "auto", "trace" or "python", as in `solve_ivp`

    The result has `q`, `v` (nq, k), `y` = [q; v], `lam` (multipliers: of g, then of the velocity
    constraints) and `drift` (largest residuals of g and of its time derivative).

    Examples
    --------
    A pendulum in Cartesian coordinates: index 3, and the rod keeps its length.

    >>> import numpy as np, daedal
    >>> r = daedal.solve_mechanical(lambda t, q, v: np.array([0, -9.81]),
    ...                             lambda t, q: q @ q - 1, [1, 0], [0, 0], (0, 10))
    >>> r.q.shape[0], r.lam.shape[0], r.drift["position"] < 1e-12
    (2, 1, True)
    """
    events = event_list(events, args)
    t0, t1 = time_span(t_span, events)
    q0 = array(q0, "q0", ndim=1)
    if q0.size == 0:
        raise ValueError("q0 is empty")
    n = q0.size
    v0 = array(v0, "v0", shape=(n,))
    times = t_eval_times(t_eval, t0, t1)
    chosen = _options.read("solve_mechanical", options, KNOWN, method, rtol, atol, max_step,
                           first_step)
    if functions not in ("auto", "trace", "python"):
        raise ValueError(f"functions must be 'auto', 'trace' or 'python', not {functions!r}")
    flags = fixed_flags(fixed, 2 * n)
    pointers = [None if f is None else address(f) for f in (force, g)]
    named = {"force": force, "g": g, "velocity_constraints": velocity_constraints}
    for (name, f), pointer in zip(named.items(), [*pointers, None]):
        if pointer is None:
            function(f, name, optional=True)
    bound = [p if p is not None else None if f is None else bind(f, args)
             for f, p in zip(named.values(), [*pointers, None])]
    mass = constant_mass(mass, n)
    if callable(mass):
        mass = bind(mass, args)
    notes, system = [], None
    in_c = any(p is not None for p in pointers)
    if functions != "python" and not in_c:
        system = traced_mechanical(*bound, mass, q0, v0, t0, t1, events=events, fixed=flags,
                                   must=functions == "trace", notes=notes, compile=compile)
    elif functions == "trace":
        raise ValueError("functions='trace': a C function cannot be traced")

    def plain():
        if pointers[1] is not None and constraints_count is None:
            raise ValueError("constraints_count: how many values the C function g gives")
        return PlainMechanical(*bound, mass, q0, v0, t0, t1,
                               jac=None if jac is None else bind(function(jac, "jac"), args),
                               events=events, fixed=flags, ng=constraints_count, user=user_data)

    if system is None:
        system = plain()
    result = run_auto(system, plain, chosen, t0, t1, t_eval=times, dense=bool(dense_output),
                      events=events, hit=hit, notes=notes)
    result.q, result.v = result.y[:n], result.y[n:]
    if "lam" not in result:
        result.lam = np.zeros((0, len(result.t)))
    result.names = [*(f"q[{i}]" for i in range(n)), *(f"v[{i}]" for i in range(n))]
    return result
