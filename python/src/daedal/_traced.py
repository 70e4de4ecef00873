"""Traced functions as models: the text, its system, drift measured on the user's own formulas."""

import numpy as np

from . import _core
from ._drive import System, numbers
from ._errors import ModelError
from .trace import Graph, Node, TraceError, around, gradient, symbols, trace, verify
from .trace.node import order
from .trace.recall import Memory, Parts, key, recalled
from .trace.tape import tape
from .trace.text import Writer, number_text

NODES_OF_MODELS = 2000  # operations up to which compiling an ODE is worth its time
BUILT = Memory(32)


class ModelSystem(System):
    """A model text whose variables y and lam are found by name."""

    own_drift = False  # the library's numbers are those of our formulas

    def __init__(self, text, t0, t1, y_names, lam_names=(), events=(), levels=None, compile=True):
        self.text, self.t_span, self.compile = text, (t0, t1), compile
        self.y_names, self.lam_names = y_names, lam_names
        self.levels = levels
        self.invariants_start = None
        self._open(events)

    def _open(self, events):
        self.model, info = self._built()
        self.info = info
        if "columns" not in info:
            place = {name.strip("'"): i for i, name in enumerate(info["variables"])}
            info["columns"] = [np.array([place[n] for n in names], dtype=int)
                               for names in (self.y_names, self.lam_names)]
        self.y_columns, self.lam_columns = info["columns"]
        self.n_variables = len(info["variables"])
        self.index = info["index"]
        self.warnings = info["messages"]
        spec = dict(model=self.model, t_span=self.t_span)
        if events:
            spec.update(whole=np.zeros(self.n_variables), convert=self._convert(),
                        events=[(self._event(e), e.direction, int(e.count > 0), None)
                                for e in events])
        super().__init__(spec, info.get("about"))
        if "direct" not in info:
            info.update(direct=self._is_direct(), about=self.about)
        self.direct = info["direct"]

    def _is_direct(self):
        """Whether y and lam are the variables of the problem itself, in its order."""
        if self.core_names != (self.y_names, self.lam_names):
            return False
        Z = np.linspace(0.3, 1.7, self.nz)[None]
        Y = np.linspace(-0.4, 1.9, self.ny)[None]
        values = self._values(np.array([0.7]), Z, Y)
        return np.array_equal(values[:, self.y_columns], Z) and \
            np.array_equal(values[:, self.lam_columns], Y)

    def _built(self):
        """The model and what it says of itself; models without a state of their own are shared."""
        known = (self.text, self.compile)
        found = BUILT.get(known)
        if found is None:
            model = _core.Model(self.text, False, None if self.compile else "")
            status = model.build()
            found = model, model.info()
            if status != 0:
                raise ModelError(found[1]["messages"], self.text)
            if not found[1]["discrete"]:
                BUILT.put(known, found)
        return found

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
        if self.direct:
            return np.ascontiguousarray(Z.T)
        return np.ascontiguousarray(self._values(t, Z, Y)[:, self.y_columns].T)

    def lam(self, t, Z, Y):
        if self.direct:
            return np.ascontiguousarray(Y.T)
        return np.ascontiguousarray(self._values(t, Z, Y)[:, self.lam_columns].T)

    def count(self):
        return len(self.y_names)

    def atols(self, given):
        """By names; derivatives and what else is no variable of the user get the smallest one."""
        place = {name: i for i, name in enumerate(self.y_names)}
        return np.array([given[place[name]] if name in place else given.min()
                         for name in self.core_names[0]])

    def measures(self, solver):
        """Drift is that of the user's formulas: by the library where it has the same ones."""
        if not self.levels:
            return False
        if "own_drift" in self.info:
            self.own_drift = self.info["own_drift"]
        elif self.direct and self.kind == "mechanical":
            t, off = solver.point()[0], self.given + 0.1 + 0.01 * np.arange(self.nz)
            status, data = solver.drift(t, off)
            ours = self.levels.largest(np.append(t, off)[:, None], None)
            found = dict(zip(("position", "velocity"), numbers(data)))
            self.own_drift = status == 0 and all(
                abs(found.get(name, np.inf) - value) <= 1e-9 * abs(value)
                for name, value in ours.items())
            self.info["own_drift"] = self.own_drift
        return not self.own_drift

    def drift(self, result, found):
        """The user's formulas on all points of the result."""
        if not self.levels:
            return {}
        if self.own_drift:
            return {name: float(found[i]) for i, name in enumerate(("position", "velocity"))
                    if name in self.levels.nodes}
        return self.levels.largest(np.vstack([result.t, result.y]), self.invariants_start)

    def portable(self):
        return self

    def __getstate__(self):
        """The text says all: the model is read again when it is needed."""
        return {"text": self.text, "t_span": self.t_span, "y_names": self.y_names,
                "lam_names": self.lam_names, "compile": self.compile}

    def __setstate__(self, state):
        self.__dict__.update(state, levels=None, invariants_start=None)
        self._open(())

    def finish(self, solver):
        return ModelFinish(self, solver)


class Levels:
    """Residuals by the names of their levels, and their tape, which is made when it is needed."""

    def __init__(self, names, **levels):
        self.names = names
        self.nodes = {name: nodes for name, nodes in levels.items() if nodes}
        self.tape = None

    def __bool__(self):
        return bool(self.nodes)

    def largest(self, points, start):
        """Level name -> largest residual over columns of (t, y); invariants against `start`."""
        every = [node for nodes in self.nodes.values() for node in nodes]
        if self.tape is None:
            graph = every[0].graph
            self.tape = tape(graph, every, [graph.symbol(n) for n in ("time", *self.names)])
        rows = numbers(self.tape(np.ascontiguousarray(points.T)), points.shape[1], len(every))
        out, at = {}, 0
        for name, nodes in self.nodes.items():
            own = rows[:, at:at + len(nodes)]
            if name == "invariants":
                own = own - start
            out[name] = float(np.max(np.abs(own), initial=0.0))
            at += len(nodes)
        return out


class ModelFinish:
    """Interpolated points onto the constraints, then to the user's variables."""

    def __init__(self, system, solver=None):
        self.system, self.solver = system, solver

    def __call__(self, t, values):
        system = self.system
        if self.solver is None:
            self.solver = _core.Solver(system.core, {}, None)
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


def both_ways(system, graph, notes):
    """The system, with a note when an `if` was traced as `np.where` would be."""
    if graph.decided:
        system.decided = True
        notes.append("a decision on values that depend on the solution was traced both ways, as "
                     f"np.where would be ({', '.join(graph.decided)}): steps end where it "
                     "switches; functions='python' runs it by calls of Python functions")
    return system


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


def model_text(declarations, writer, equations, t0):
    # consistent values are those at t0
    times = f"StartTime = {number_text(t0)}, StopTime = {number_text(t0 + max(1, abs(t0)))}"
    return "\n".join(["model Traced", *declarations, *writer.declarations(), "equation",
                      *writer.lines, *equations, f"  annotation(experiment({times}));",
                      "end Traced;", ""])


def constant_rows(matrix, n):
    """Rows of a constant mass: list of lists of numbers."""
    full = np.diag(matrix) if matrix.ndim == 1 else matrix
    return [[float(x) for x in row] for row in full[:n]]


class OdeParts(Parts):
    """mass y' = fun(t, y) with invariants: everything that does not depend on the start."""

    def __init__(self, fun, invariants, n, kept, mass, smooth, explore, points):
        super().__init__()
        self.graph = graph = Graph(explore)
        y, t = symbols(graph, "y", n), graph.symbol("time")
        self.right = trace(fun, graph, (t, y), "fun", n)
        self.check(0, self.right, verify(fun, self.right, "fun", points, ("time", "y")),
                   slice(2))
        self.large = len(order(self.right)) > NODES_OF_MODELS
        self.kept = []
        if invariants is not None:
            self.kept = trace(invariants, graph, (t, y), "invariants", kept)
            self.check(1, self.kept, verify(invariants, self.kept, "invariants", points,
                                            ("time", "y")), slice(2))
        self.writer = Writer([*self.right, *self.kept], smooth=smooth)
        ders = [f"der('y[{i}]')" for i in range(n)]
        rows = ders if mass is None else [linear(self.writer, row, ders)
                                          for row in constant_rows(mass, n)]
        self.equations = [f"  {row} = {self.writer.text(node)};"
                          for row, node in zip(rows, self.right)]
        flat = [] if mass is None else [self.right[i] for i, row in
                                        enumerate(constant_rows(mass, n)) if not any(row)]
        self.names = [f"y[{i}]" for i in range(n)]
        self.levels = Levels(self.names, invariants=self.kept, algebraic=flat)


def traced_ode(fun, t0, t1, y0, *, mass, invariants, events, fixed, must, notes,
               compile):
    """mass y' = fun(t, y) with invariants, as a model; None when it cannot be traced."""
    def make():
        n = len(y0)
        at_start = np.zeros(0)
        if invariants is not None:
            at_start = np.atleast_1d(np.asarray(invariants(t0, y0.copy()), dtype=float))
        parts = recalled(
            key("ode", n, bool(events), must, fun, invariants, mass), (fun, invariants),
            lambda rng: (float(around(rng, t0)), around(rng, y0)),
            lambda points: OdeParts(fun, invariants, n, at_start.size, mass, bool(events),
                                    not must, points))
        if mass is None and invariants is None and parts.large:
            from ._ivp import PlainOde

            return PlainOde(fun, t0, t1, y0, events=events, inside=True)
        if any(event.change for event in events):
            raise TraceError("cannot trace events that change the state; use functions='python'")
        writer, kept = parts.writer, parts.kept
        held = np.ones(n, dtype=bool) if mass is None and invariants is None else fixed
        equations = parts.equations + [f"  {writer.text(node)} = {number_text(value)} "
                                       "annotation(__Daedal_invariant = true);"
                                       for node, value in zip(kept, at_start)]
        text = parts.text(lambda: model_text(declared("y", y0, held), writer, equations, t0),
                          np.array(t0), y0, held, at_start)
        system = ModelSystem(text, t0, t1, parts.names, events=events, levels=parts.levels,
                             compile=compile)
        system.invariants_start, system.given = at_start, y0
        return both_ways(system, parts.graph, notes)

    return attempt(make, must, notes, "fun")


class MechanicalParts(Parts):
    """M q'' = force - G' lam - W' mu, 0 = g, 0 = velocity(t, q, v): all but the start."""

    def __init__(self, force, g, velocity, mass, n, smooth, explore, points):
        super().__init__()
        graph = Graph(explore)
        q, v, t = symbols(graph, "q", n), symbols(graph, "v", n), graph.symbol("time")
        self.graph = graph

        def formulas(role, fun, label, symbols_of, rows=None):
            if fun is None:
                return []
            nodes = trace(fun, graph, symbols_of, label, rows)
            at = [point[:len(symbols_of)] for point in points]
            self.check(role, nodes, verify(fun, nodes, label, at, ("time", "q", "v")),
                       slice(len(symbols_of)))
            return nodes

        f = formulas(0, force, "force", (t, q, v), n) or [graph.constant(0)] * n
        self.positions = formulas(1, g, "g", (t, q))
        self.velocities = formulas(2, velocity, "velocity_constraints", (t, q, v))
        M = mass_rows(mass, lambda rows: formulas(3, mass, "mass", (t, q), rows), n, points[0][:2])
        G = [gradient(node, list(q)) for node in self.positions]
        W = [gradient(node, list(v)) for node in self.velocities]
        rates = [rate_of(node, row, v, t) for node, row in zip(self.positions, G)]
        self.names = [*(f"q[{i}]" for i in range(n)), *(f"v[{i}]" for i in range(n))]
        self.levels = Levels(self.names, position=self.positions,
                             velocity=[*rates, *self.velocities])
        forces = [x for row in [*G, *W] for x in row if isinstance(x, Node)]
        masses = [x for row in M for x in row if not isinstance(x, float)]
        self.writer = writer = Writer([*f, *self.positions, *self.velocities, *forces, *masses],
                                      smooth=smooth)
        self.lam = [f"lam[{i}]" for i in range(len(G) + len(W))]
        self.equations = [f"  der('q[{i}]') = 'v[{i}]';" for i in range(n)]
        accelerations = [f"der('v[{i}]')" for i in range(n)]
        for i in range(n):
            column = [row[i] for row in [*G, *W]]
            pull = linear(writer, column, [f"'{name}'" for name in self.lam])
            right = writer.text(f[i], 5) + (f" - ({pull})" if pull != "0" else "")
            self.equations.append(f"  {linear(writer, M[i], accelerations)} = {right};")
        self.equations += [f"  {writer.text(node)} = 0;"
                           for node in [*self.positions, *self.velocities]]


def traced_mechanical(force, g, velocity, mass, q0, v0, t0, t1, *, events, fixed, must, notes,
                      compile):
    """M q'' = force - G' lam - W' mu, 0 = g, 0 = velocity(t, q, v), as a model."""
    def make():
        n, functions = len(q0), (force, g, velocity, mass)
        parts = recalled(
            key("mechanical", n, bool(events), must, *functions), functions,
            lambda rng: (float(around(rng, t0)), around(rng, q0), around(rng, v0)),
            lambda points: MechanicalParts(*functions, n, bool(events), not must, points))
        if any(event.change for event in events):
            raise TraceError("cannot trace events that change the state; use functions='python'")
        m = len(parts.lam)
        held = np.full(2 * n, m == 0) if m == 0 or fixed is None else fixed
        text = parts.text(lambda: model_text(
            [*declared("q", q0, held[:n]), *declared("v", v0, held[n:]),
             *declared("lam", [None] * m)], parts.writer, parts.equations, t0),
            np.array(t0), q0, v0, held)
        system = MechanicalModel(text, t0, t1, parts.names, parts.lam, events=events,
                                 levels=parts.levels, compile=compile)
        system.ng, system.nw = len(parts.positions), len(parts.velocities)
        system.given = np.concatenate([q0, v0])
        return both_ways(system, parts.graph, notes)

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


def mass_rows(mass, formulas, n, at):
    """M as rows of numbers and nodes; formulas(size) gives the nodes of a function."""
    if mass is None:
        return [[float(i == j) for j in range(n)] for i in range(n)]
    if not callable(mass):
        return constant_rows(mass, n)
    found = np.asarray(mass(*[np.copy(x) if np.ndim(x) else x for x in at]), dtype=float)
    nodes = formulas(found.size)
    if found.shape == (n, n):
        return [nodes[i * n:(i + 1) * n] for i in range(n)]
    if found.shape == (n,):
        return [[nodes[i] if i == j else 0.0 for j in range(n)] for i in range(n)]
    raise ValueError(f"mass returned shape {found.shape}, expected ({n},) or ({n}, {n})")


class DaeParts(Parts):
    """F(t, x, xdot) = 0: everything that does not depend on the start."""

    def __init__(self, F, n, smooth, explore, points):
        super().__init__()
        self.graph = graph = Graph(explore)
        x, d, t = symbols(graph, "x", n), symbols(graph, "xdot", n), graph.symbol("time")
        rows = trace(F, graph, (t, x, d), "F", n)
        self.check(0, rows, verify(F, rows, "F", points, ("time", "x", "xdot")), slice(3))
        # x_i' that is nonlinear in F is a variable of its own, the others are written as der(x_i)
        slopes = [gradient(node, list(d)) for node in rows]
        inside = {id(node) for node in order([s for row in slopes for s in row
                                              if isinstance(s, Node)])}
        self.used = [i for i in range(n) if id(d[i]) in inside]
        names = {f"xdot[{i}]": f"der('x[{i}]')" for i in range(n) if i not in self.used}
        self.writer = Writer(rows, smooth=smooth, names=names)
        self.equations = [f"  der('x[{i}]') = 'xdot[{i}]';" for i in self.used]
        self.equations += [f"  {self.writer.text(node)} = 0;" for node in rows]
        self.names = [f"x[{i}]" for i in range(n)]
        self.levels = Levels(self.names, algebraic=[
            node for node, row in zip(rows, slopes) if not any(isinstance(s, Node) for s in row)])


def traced_dae(F, t0, t1, x0, xdot0, *, events, fixed, must, notes, compile):
    """F(t, x, xdot) = 0 as a model; TraceError when it cannot be traced."""
    n = len(x0)
    slope = np.zeros(n) if xdot0 is None else xdot0
    parts = recalled(key("dae", n, bool(events), must, F), (F,),
                     lambda rng: (float(around(rng, t0)), around(rng, x0), around(rng, slope)),
                     lambda points: DaeParts(F, n, bool(events), not must, points))
    slopes = [f"  Real 'xdot[{i}]'" + ("" if xdot0 is None else
                                       f"(start = {number_text(xdot0[i])})") + ";"
              for i in parts.used]
    text = parts.text(lambda: model_text([*declared("x", x0, fixed), *slopes], parts.writer,
                                         parts.equations, t0), np.array(t0), x0, xdot0, fixed)
    system = ModelSystem(text, t0, t1, parts.names, events=events, levels=parts.levels,
                         compile=compile)
    system.given = x0
    return both_ways(system, parts.graph, notes)
