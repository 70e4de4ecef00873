"""Traced functions as models: the text, its system, drift measured on the user's own formulas."""

import numpy as np

from . import _core
from ._drive import System, numbers
from ._errors import ModelError
from .trace import (Graph, Node, TraceError, around, gradient, random_points, symbols, trace,
                    verify)
from .trace.node import order
from .trace.tape import tape
from .trace.text import Writer, number_text

NODES_OF_MODELS = 2000  # operations up to which compiling an ODE is worth its time


class ModelSystem(System):
    """A model text whose variables y and lam are found by name."""

    measures = True

    def __init__(self, text, t0, t1, y_names, lam_names=(), events=(), levels=None, compile=True):
        self.text, self.t_span, self.compile = text, (t0, t1), compile
        self.y_names, self.lam_names = list(y_names), list(lam_names)
        self.levels = levels or {}
        self.invariants_start = None
        self._open(events)

    def _open(self, events):
        self.model = _core.Model(self.text, False, None if self.compile else "")
        status = self.model.build()
        info = self.model.info()
        if status != 0:
            raise ModelError(info["messages"], self.text)
        place = {name.strip("'"): i for i, name in enumerate(info["variables"])}
        self.y_columns = np.array([place[n] for n in self.y_names], dtype=int)
        self.lam_columns = np.array([place[n] for n in self.lam_names], dtype=int)
        self.n_variables = len(info["variables"])
        self.index = info["index"]
        self.warnings = info["messages"]
        spec = dict(model=self.model, t_span=self.t_span)
        if events:
            spec.update(whole=np.zeros(self.n_variables), convert=self._convert(),
                        events=[(self._event(e), e.direction, int(e.count > 0), None)
                                for e in events])
        super().__init__(spec)

    def _convert(self):
        from ._arguments import Converter

        return Converter(event="events")

    def _event(self, event):
        columns, fun = self.y_columns, event.fun
        return lambda t, values: fun(t, values[columns])

    def _values(self, t, Z, Y):
        data = self.model.values(np.ascontiguousarray(t), np.ascontiguousarray(Z),
                                 np.ascontiguousarray(Y))
        return numbers(data, len(t), self.n_variables)

    def y(self, t, Z, Y):
        return np.ascontiguousarray(self._values(t, Z, Y)[:, self.y_columns].T)

    def lam(self, t, Z, Y):
        return np.ascontiguousarray(self._values(t, Z, Y)[:, self.lam_columns].T)

    def drift(self, result, found):
        """The user's formulas on all points of the result; else the library's own numbers."""
        if not self.levels:
            return {}
        every = [node for nodes in self.levels.values() for node in nodes]
        graph = every[0].graph
        inputs = [graph.symbol(name) for name in ("time", *self.y_names)]
        points = np.ascontiguousarray(np.vstack([result.t, result.y]).T)
        rows = numbers(tape(graph, every, inputs)(points), len(points), len(every))
        largest, out, at = np.max(np.abs(rows), axis=0, initial=0.0), {}, 0
        for name, nodes in self.levels.items():
            out[name] = float(np.max(largest[at:at + len(nodes)], initial=0.0))
            at += len(nodes)
        return out

    def portable(self):
        return self

    def __getstate__(self):
        """The text says all: the model is read again when it is needed."""
        return {"text": self.text, "t_span": self.t_span, "y_names": self.y_names,
                "lam_names": self.lam_names, "compile": self.compile}

    def __setstate__(self, state):
        self.__dict__.update(state, levels={}, invariants_start=None)
        self._open(())

    def finish(self, solver):
        return ModelFinish(self, solver)


class ModelFinish:
    """Interpolated points onto the constraints, then to the user's variables."""

    def __init__(self, system, solver=None):
        self.system, self.solver = system, solver

    def __call__(self, t, values):
        system = self.system
        if self.solver is None:
            self.solver = _core.Solver(system.core, {})
        nz = system.nz
        Z, Y = np.ascontiguousarray(values[:, :nz]), np.ascontiguousarray(values[:, nz:])
        if system.nh:
            status, data, _ = self.solver.project(t, Z)
            if status == 0:
                Z = numbers(data, len(t), nz)
        return system.y(t, Z, Y)

    def portable(self):
        return ModelFinish(self.system)

    def __getstate__(self):
        return {"system": self.system, "solver": None}


def attempt(make, must, notes, what):
    """make(), or None with a note when something cannot be traced; raises when it must be."""
    try:
        return make()
    except TraceError as error:
        if must:
            raise
        notes.append(f"{what} runs by calls of Python functions: {error}")
        return None
    except ModelError as error:
        if must:
            raise
        notes.append(f"{what} runs by calls of Python functions; the traced model was refused: "
                     f"{str(error).strip().splitlines()[0]}")
        return None


def declared(name, values, fixed=None):
    """Declarations of name[0] .. with their start values."""
    lines = []
    for i, value in enumerate(values):
        held = ", fixed = true" if fixed is not None and fixed[i] else ""
        start = "" if value is None else f"(start = {number_text(value)}{held})"
        lines.append(f"  Real '{name}[{i}]'{start};")
    return lines


def linear(writer, factors, terms):
    """sum factors[i]*terms[i] as text; factors are nodes or numbers."""
    parts = []
    for factor, term in zip(factors, terms):
        if isinstance(factor, (int, float)):
            if factor == 0:
                continue
            parts.append(term if factor == 1 else f"({number_text(factor)})*{term}")
        elif factor.op == "constant" and factor.number == 0:
            continue
        else:
            parts.append(f"{writer.text(factor, 6)}*{term}")
    return " + ".join(parts) if parts else "0"


def model_text(declarations, writer, equations):
    return "\n".join(["model Traced", *declarations, *writer.declarations(), "equation",
                      *writer.lines, *equations, "end Traced;", ""])


def constant_rows(matrix, n):
    """Rows of a constant mass: list of lists of numbers."""
    full = np.diag(matrix) if matrix.ndim == 1 else matrix
    return [[float(x) for x in row] for row in full[:n]]


def traced_ode(fun, t0, t1, y0, *, mass, invariants, events, fixed, must, notes,
               compile):
    """mass y' = fun(t, y) with invariants, as a model; None when it cannot be traced."""
    def make():
        n = len(y0)
        graph = Graph()
        y, t = symbols(graph, "y", n), graph.symbol("time")
        points = random_points(lambda rng: (float(around(rng, t0)), around(rng, y0)))
        right = trace(fun, graph, (t, y), "fun", n)
        verify(fun, right, "fun", points, ("time", "y"))
        if mass is None and invariants is None and len(order(right)) > NODES_OF_MODELS:
            from ._ivp import PlainOde

            return PlainOde(fun, t0, t1, y0, events=events, inside=True)
        kept, at_start = [], np.zeros(0)
        if invariants is not None:
            at_start = np.atleast_1d(np.asarray(invariants(t0, y0.copy()), dtype=float))
            kept = trace(invariants, graph, (t, y), "invariants", at_start.size)
            verify(invariants, kept, "invariants", points, ("time", "y"))
        if any(event.change for event in events):
            raise TraceError("cannot trace events that change the state; use functions='python'")
        writer = Writer([*right, *kept], smooth=bool(events))
        ders = [f"der('y[{i}]')" for i in range(n)]
        rows = ders if mass is None else [linear(writer, row, ders)
                                          for row in constant_rows(mass, n)]
        held = np.ones(n, dtype=bool) if mass is None and invariants is None else fixed
        equations = [f"  {row} = {writer.text(node)};" for row, node in zip(rows, right)]
        equations += [f"  {writer.text(node)} = {number_text(value)} "
                      "annotation(__Daedal_invariant = true);"
                      for node, value in zip(kept, at_start)]
        text = model_text(declared("y", y0, held), writer, equations)
        levels = {}
        if kept:
            levels["invariants"] = [a - b for a, b in zip(kept, at_start)]
        if mass is not None:
            flat = [i for i, row in enumerate(constant_rows(mass, n)) if not any(row)]
            if flat:
                levels["algebraic"] = [right[i] for i in flat]
        system = ModelSystem(text, t0, t1, [f"y[{i}]" for i in range(n)], events=events,
                             levels=levels, compile=compile)
        system.invariants_start, system.given = at_start, y0
        return system

    return attempt(make, must, notes, "fun")


def traced_mechanical(force, g, velocity, mass, q0, v0, t0, t1, *, events, fixed, must, notes,
                      compile):
    """M q'' = force - G' lam - W' mu, 0 = g, 0 = velocity(t, q, v), as a model."""
    def make():
        n = len(q0)
        graph = Graph()
        q, v, t = symbols(graph, "q", n), symbols(graph, "v", n), graph.symbol("time")
        at = random_points(lambda rng: (float(around(rng, t0)), around(rng, q0), around(rng, v0)))
        at_q = [point[:2] for point in at]
        f = [graph.constant(0)] * n
        if force is not None:
            f = trace(force, graph, (t, q, v), "force", n)
            verify(force, f, "force", at, ("time", "q", "v"))
        positions, velocities = [], []
        if g is not None:
            positions = trace(g, graph, (t, q), "g")
            verify(g, positions, "g", at_q, ("time", "q"))
        if velocity is not None:
            velocities = trace(velocity, graph, (t, q, v), "velocity_constraints")
            verify(velocity, velocities, "velocity_constraints", at, ("time", "q", "v"))
        if any(event.change for event in events):
            raise TraceError("cannot trace events that change the state; use functions='python'")
        M = mass_rows(mass, graph, t, q, n, at_q)
        G = [gradient(node, list(q)) for node in positions]
        W = [gradient(node, list(v)) for node in velocities]
        rates = [rate_of(node, row, v, t) for node, row in zip(positions, G)]
        forces = [x for row in [*G, *W] for x in row if isinstance(x, Node)]
        masses = [x for row in M for x in row if not isinstance(x, float)]
        writer = Writer([*f, *positions, *velocities, *forces, *masses], smooth=bool(events))
        m = len(positions) + len(velocities)
        lam = [f"lam[{i}]" for i in range(m)]
        equations = [f"  der('q[{i}]') = 'v[{i}]';" for i in range(n)]
        accelerations = [f"der('v[{i}]')" for i in range(n)]
        for i in range(n):
            column = [row[i] for row in [*G, *W]]
            pull = linear(writer, column, [f"'{name}'" for name in lam])
            right = writer.text(f[i], 5) + (f" - ({pull})" if pull != "0" else "")
            equations.append(f"  {linear(writer, M[i], accelerations)} = {right};")
        equations += [f"  {writer.text(node)} = 0;" for node in [*positions, *velocities]]
        held = fixed if fixed is not None else [False] * (2 * n)
        if m == 0:
            held = [True] * (2 * n)
        text = model_text([*declared("q", q0, held[:n]), *declared("v", v0, held[n:]),
                           *declared("lam", [None] * m)], writer, equations)
        levels = {}
        if positions:
            levels["position"] = positions
        if m:
            levels["velocity"] = [*rates, *velocities]
        names = [*(f"q[{i}]" for i in range(n)), *(f"v[{i}]" for i in range(n))]
        system = MechanicalModel(text, t0, t1, names, lam, events=events, levels=levels,
                                 compile=compile)
        system.ng, system.nw = len(positions), len(velocities)
        system.given = np.concatenate([q0, v0])
        return system

    return attempt(make, must, notes, "the problem")


class MechanicalModel(ModelSystem):
    def _event(self, event):
        columns, fun = self.y_columns, event.fun
        n = len(columns) // 2
        return lambda t, values: fun(t, values[columns[:n]], values[columns[n:]])


def rate_of(node, row, v, t):
    """d/dt of a constraint along q' = v."""
    terms = [slope * speed for slope, speed in zip(row, v)
             if not (isinstance(slope, float) and slope == 0)]
    total = gradient(node, [t])[0]
    for term in terms:
        total = term + total
    return node.graph.lift(total)


def mass_rows(mass, graph, t, q, n, at_q):
    """M as rows of numbers and nodes."""
    if mass is None:
        return [[float(i == j) for j in range(n)] for i in range(n)]
    if not callable(mass):
        return constant_rows(mass, n)
    found = np.asarray(mass(*[np.copy(x) if np.ndim(x) else x for x in at_q[0]]), dtype=float)
    nodes = trace(mass, graph, (t, q), "mass", found.size)
    verify(mass, nodes, "mass", at_q, ("time", "q"))
    if found.shape == (n, n):
        return [nodes[i * n:(i + 1) * n] for i in range(n)]
    if found.shape == (n,):
        return [[nodes[i] if i == j else 0.0 for j in range(n)] for i in range(n)]
    raise ValueError(f"mass returned shape {found.shape}, expected ({n},) or ({n}, {n})")


def traced_dae(F, t0, t1, x0, xdot0, *, events, fixed, compile):
    """F(t, x, xdot) = 0 as a model; TraceError when it cannot be traced."""
    n = len(x0)
    graph = Graph()
    x, d, t = symbols(graph, "x", n), symbols(graph, "xdot", n), graph.symbol("time")
    slope = np.zeros(n) if xdot0 is None else xdot0
    points = random_points(lambda rng: (float(around(rng, t0)), around(rng, x0),
                                        around(rng, slope)))
    rows = trace(F, graph, (t, x, d), "F", n)
    verify(F, rows, "F", points, ("time", "x", "xdot"))
    writer = Writer(rows, smooth=bool(events))
    body = model_text([], writer, [f"  {writer.text(node)} = 0;" for node in rows])
    used = [i for i in range(n) if f"'xdot[{i}]'" in body]
    declarations = declared("x", x0, fixed)
    declarations += [f"  Real 'xdot[{i}]'" + ("" if xdot0 is None else
                                             f"(start = {number_text(xdot0[i])})") + ";"
                     for i in used]
    equations = [f"  der('x[{i}]') = 'xdot[{i}]';" for i in used]
    equations += [f"  {writer.text(node)} = 0;" for node in rows]
    text = model_text(declarations, writer, equations)
    system = ModelSystem(text, t0, t1, [f"x[{i}]" for i in range(n)], events=events,
                         compile=compile)
    system.given = x0
    algebraic = [node for node in rows
                 if not any(isinstance(s, float) is False for s in gradient(node, list(d)))]
    if algebraic:
        system.levels = {"algebraic": algebraic}
    return system
