"""Implicit equations by calls of Python functions: F(t, x, x') = 0, and M x' = f(t, x)."""

import numpy as np

from ._arguments import Converter
from ._drive import System
from ._ivp import invariants_of, ode_derivatives
from .trace import Graph, around, random_points, symbols, try_trace
from .trace.tape import jacobian, tape


class PlainImplicit(System):
    """mass y' = fun(t, y) with a constant mass that may be singular, or F(t, x, xdot) = 0."""

    def __init__(self, t0, t1, y0, *, fun=None, mass=None, F=None, xdot0=None, jac=None,
                 invariants=None, pattern=None, events=(), fixed=None):
        n, name = len(y0), "y" if F is None else "x"
        functions = {"f": fun if F is None else F}
        self.invariants_start, h = invariants_of(invariants, t0, y0)
        if h is not None:
            functions["h"] = h
        if F is None:
            if jac is not None:
                functions["f_z"] = jac
            functions.update(ode_derivatives(fun, invariants, t0, y0, self.invariants_start, jac,
                                             pattern, False))
            pattern = functions.pop("pattern", pattern)
        else:
            slope = np.zeros(n) if xdot0 is None else xdot0
            functions.update(pair_of(jac) if jac is not None else
                             residual_derivatives(F, t0, y0, slope))
        nh = 0 if h is None else self.invariants_start.size
        # equations without derivatives: what is left of them is the drift
        self.flat = []
        if F is None:
            rows = mass == 0 if mass.ndim == 1 else ~mass.any(axis=1)
            self.flat = np.flatnonzero(rows)
        self.fun = fun
        spec = dict(kind="implicit", n=n, nh=nh, functions=functions, z0=y0, whole=np.zeros(n),
                    first=np.zeros(n), second=np.zeros(n), dx0=xdot0, mass=mass,
                    mass_dense=int(mass is not None and mass.ndim == 2), t_span=(t0, t1),
                    convert=Converter(f="fun" if F is None else "F", f_z="jac", f_dx="jac",
                                      h="invariants", event="events"),
                    pattern=pattern,
                    fixed=None if fixed is None else fixed.astype(np.uint8).tobytes(),
                    z_names=[f"{name}[{i}]" for i in range(n)],
                    equation_names=[f"{'fun' if F is None else 'F'}[{i}]" for i in range(n)],
                    g_names=[f"invariants[{i}]" for i in range(nh)],
                    events=[(e.fun, e.direction, int(e.count > 0), e.change) for e in events])
        super().__init__(spec)
        self.given, self.y_names = y0.copy(), spec["z_names"]

    def drift(self, result, found):
        out = {"invariants": float(found[0])} if self.nh else {}
        if len(self.flat):
            rows = [np.asarray(self.fun(t, np.array(y)), dtype=float).reshape(-1)[self.flat]
                    for t, y in zip(result.t, result.y.T)]
            out["algebraic"] = float(np.max(np.abs(rows), initial=0.0))
        return out

    def index(self, options):
        """The index that the start finds, or None."""
        try:
            found = self.core.diagnose(options)["index"]
        except ValueError:
            return None
        return found if found >= 0 else None


def residual_derivatives(F, t0, x0, xdot0):
    """dF/dx and dF/dx' from a trace, where it works."""
    graph, n = Graph(explore=True), len(x0)
    x, d, t = symbols(graph, "x", n), symbols(graph, "xdot", n), graph.symbol("time")
    points = random_points(lambda noise: (float(around(noise, t0)), around(noise, x0),
                                          around(noise, xdot0)))
    nodes = try_trace(F, graph, (t, x, d), "F", points, ("time", "x", "xdot"), n)
    if not nodes:
        return {}
    inputs = [t, *x, *d]
    return {"f_z": tape(graph, jacobian(nodes, x), inputs),
            "f_dx": tape(graph, jacobian(nodes, d), inputs)}


def pair_of(jac):
    """The two functions of jac(t, x, xdot) = (dF/dx, dF/dxdot), which is called once for both."""
    kept = [None, None]

    def of(which):
        def part(t, x, xdot):
            key = (t, x.tobytes(), xdot.tobytes())
            if key != kept[0]:
                pair = jac(t, x, xdot)
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    raise TypeError("jac must return two matrices: dF/dx and dF/dxdot")
                kept[:] = key, pair
            return kept[1][which]
        return part

    return {"f_z": of(0), "f_dx": of(1)}
