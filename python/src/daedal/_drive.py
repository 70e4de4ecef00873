"""A run: a system, options and an interval in; a result out."""

import numpy as np

from . import _core
from ._arguments import FAR, array
from ._result import NODES, Report, Result, Solution, read_pieces

OK, EVENT = 0, 1
SUCCESS = "The solver successfully reached the end of the integration interval."
TERMINATED = "A termination event occurred."


def numbers(data, *shape):
    return np.frombuffer(data, dtype=float).reshape(shape) if shape else np.frombuffer(data)


class System:
    """A problem in C and what its variables mean to the user.

    y(t, Z, Y): the user's variables (n, k) from k points of the problem; lam likewise (m, k).
    """

    levels = ()  # names of the levels of drift
    names = None
    given = None  # the user's initial values, in the order of y
    direct = False  # y are the variables of the problem itself
    decided = False  # an `if` of the user's function was traced both ways

    def __init__(self, spec, about=None):
        """about: what the problem would say of itself, when that is known."""
        self.core = _core.Problem(spec)
        self.about = about = about or self.core.describe()
        self.nz, self.ny, self.nh = about["nz"], about["ny"], about["nh"]
        self.kind, self.core_names = about["kind"], (about["z_names"], about["y_names"])

    def y(self, t, Z, Y):
        return np.ascontiguousarray(Z.T)

    def lam(self, t, Z, Y):
        return np.ascontiguousarray(Y.T)

    def drift(self, result, found):
        """Level name -> largest residual; `found` are the library's own numbers per level."""
        return {name: float(d) for name, d in zip(self.levels, found)}

    def atols(self, given):
        """Absolute tolerances of the problem's variables from those of the user's."""
        return given

    def count(self):
        """How many variables the user has."""
        return self.nz

    def measures(self, solver):
        """Whether drift is measured on the points of the result, not by the library."""
        return False

    def finish(self, solver):
        return Finish(self, solver)

    def portable(self):
        """What remains when the system is pickled: no functions."""
        return Remainder(self)


class Remainder:
    """A system whose functions are gone: values are those of the interpolation."""

    def __init__(self, system):
        self.nz, self.ny, self.nh = system.nz, system.ny, 0
        self.map = system.y_map() if hasattr(system, "y_map") else None

    def y(self, t, Z, Y):
        return Z.T if self.map is None else self.map(Z)


class Finish:
    """Interpolated points onto the constraints, then to the user's variables."""

    def __init__(self, system, solver):
        self.system, self.solver = system, solver

    def __call__(self, t, values):
        nz = self.system.nz
        Z, Y = np.ascontiguousarray(values[:, :nz]), np.ascontiguousarray(values[:, nz:])
        if self.system.nh and self.solver is not None:
            status, data, _ = self.solver.project(t, Z)
            if status == OK:
                Z = numbers(data, len(t), nz)
        return np.array(self.system.y(t, Z, Y))

    def portable(self):
        return Finish(self.system.portable(), None)

    def __getstate__(self):
        return {"system": self.system.portable() if self.solver else self.system, "solver": None}


def start(system, options, t0, t1, hit=None, z0=None):
    """A started solver, and its status."""
    atols = options.atols
    if atols is not None:
        if atols.size != system.count():
            raise ValueError(f"atol has {atols.size} numbers, expected one or {system.count()}")
        atols = system.atols(atols)
    solver = _core.Solver(system.core, options, atols)
    if hit is not None:
        times = array(hit, "hit", ndim=1)
        if np.any(np.diff(times) <= 0):
            raise ValueError("hit: times must rise")
        solver.hit(times)
    return solver, solver.start(t0, z0)


def start_moved(system, solver):
    """How far the start is from what was given: (distance relative to size, sentence)."""
    if system.given is None:
        return 0.0, ""
    t, _, z, y = solver.point()
    if system.direct and z == system.given.tobytes():
        return 0.0, ""
    found = system.y(np.array([t]), numbers(z, 1, -1), numbers(y, 1, -1))[:, 0]
    moved = np.abs(found - system.given) / np.maximum(np.abs(system.given), 1)
    worst = int(np.argmax(moved))
    if moved[worst] <= 1e-13:
        return 0.0, ""
    names = getattr(system, "y_names", None) or [f"y[{i}]" for i in range(len(found))]
    return float(moved[worst]), (f"the initial values were not consistent and were moved: "
                                 f"{names[worst]} from {system.given[worst]:.6g} "
                                 f"to {found[worst]:.6g}, others less")


def constant_piece(solver):
    """The piece of a run without steps."""
    t, _, z, y = solver.point()
    values = np.concatenate([numbers(z), numbers(y)])
    return np.array([t]), np.array([t]), np.tile(values, (1, len(NODES), 1))


def events_of(system, hits, n_events):
    """t_events, y_events from the recorded rows (event, t, z, y)."""
    table = numbers(hits).reshape(-1, 2 + system.nz + system.ny)
    times, states = [], []
    for i in range(n_events):
        rows = table[table[:, 0] == i]
        t = rows[:, 1].copy()
        times.append(t)
        Z, Y = rows[:, 2:2 + system.nz], rows[:, 2 + system.nz:]
        n = system.y(t, Z, Y).T if len(t) else np.empty((0,))
        states.append(np.array(n))
    return times, states


def run_auto(system, plain, options, t0, t1, *, notes, **more):
    """A run; where an `if` that was traced both ways ends it, once more by calls: plain()."""
    result = run(system, options, t0, t1, notes=notes, **more)
    if result.success or not system.decided:
        return result
    failed = f"traced both ways the run ended at t = {result.report.t:.6g}: {result.message}"
    again = run(plain(), options, t0, t1, **more,
                notes=["the problem runs by calls of Python functions; " + failed])
    return again if again.success else result


def run(system, options, t0, t1, *, t_eval=None, dense=False, events=(), hit=None, notes=()):
    """The whole run as a Result."""
    solver, status = start(system, options, t0, t1, hit)
    width = system.nz + system.ny
    most = int(options.get("max_steps", 10000000))
    points, pieces, hits, drift_out, accepted = b"", b"", b"", None, b""
    moved, sentence = 0.0, ""
    if status == OK:
        moved, sentence = start_moved(system, solver)
        nodes = NODES if dense else None
        terminal = [event.count for event in events]
        status, points, pieces, hits, drift_out, accepted = solver.run(
            t1, t_eval, nodes, terminal, most, system.measures(solver))
    table = numbers(points).reshape(-1, 1 + width)
    t, Z, Y = table[:, 0].copy(), table[:, 1:1 + system.nz], table[:, 1 + system.nz:]
    stats, fields = solver.stats(), solver.report()
    fields["moved"] = moved
    if status == -11:
        fields.update(status=-11, status_name="limit reached",
                      message=f"max_steps = {most} steps were taken and t = "
                              f"{solver.point()[0]:.15g} was reached")
    elif status == OK and abs(t1) == FAR and any(event.count for event in events):
        status = -11
        fields.update(
            status=-11, status_name="limit reached",
            message=f"no terminal event happened up to t = {t1:g}, where a run without end stops")
    report = Report(fields, [*notes, sentence] if sentence else notes)
    result = Result(t=t, y=system.y(t, Z, Y), sol=None, t_events=None, y_events=None,
                    nfev=stats["evaluations"], njev=stats["jacobians"],
                    nlu=stats["factorizations"])
    result.status = 0 if status == OK else 1 if status == EVENT else -1
    result.success = result.status >= 0
    result.message = {0: SUCCESS, 1: TERMINATED}.get(result.status, report.message)
    if dense and len(pieces):
        result.sol = Solution(read_pieces(pieces, width), width, system.finish(solver))
    elif dense and t0 == t1 and status == OK:
        result.sol = Solution(constant_piece(solver), width, system.finish(solver))
    if events:
        result.t_events, result.y_events = events_of(system, hits, len(events))
    method, form, stabilize = solver.choices()
    switches, passages = solver.history()
    lam = system.lam(t, Z, Y)
    if system.ny or lam.size:
        result.lam = lam
    found = numbers(stats["drift_max"])
    if drift_out is not None:
        found = np.maximum(found, numbers(drift_out))
    if len(accepted):  # drift is that of steps and of output points
        rows = numbers(accepted).reshape(-1, 1 + width)
        every = np.vstack([table, rows])
        t_all, Z_all, Y_all = every[:, 0], every[:, 1:1 + system.nz], every[:, 1 + system.nz:]
        points = Result(t=t_all, y=system.y(t_all, Z_all, Y_all))
    else:
        points = result
    result.update(drift=system.drift(points, found), audit=stats["audit"], report=report,
                  method=method, form=form, stabilize=stabilize, switches=switches,
                  passages=passages, stats={k: v for k, v in stats.items()
                                            if not isinstance(v, (bytearray, dict))})
    if system.names:
        result.names = system.names
    if not dense:
        solver.close()
    return result
