"""Solver: one step at a time, for those who own the loop."""

import numpy as np

from . import _options
from ._arguments import array, bind, function, number
from ._drive import numbers, start
from ._gallery import GalleryProblem
from ._ivp import fixed_flags, initial_values, mass_matrix, plain_system
from ._mechanical import PlainMechanical, constant_mass
from ._model import Model, TextSystem
from ._pointer import address
from ._result import Report

KNOWN = ("method", "mass", "invariants", "jac", "max_step", "first_step", "functions", "fixed",
         "hit", "args")


class State:
    """A saved state: `t`, and everything that the solver knows, as bytes. It can be pickled."""

    def __init__(self, t, data, status):
        self.t, self.data, self.status = t, data, status

    def __repr__(self):
        return f"<daedal state at t = {self.t:.15g}>"


class LastStep:
    """Dense output within the last step: callable, `t_old`, `t`."""

    def __init__(self, solver):
        self._solver, self.t_old, self.t = solver, solver.t_old, solver.t

    def __call__(self, t):
        if self._solver.t != self.t:
            raise ValueError("the solver has moved on; use dense_output() of the new step")
        times = np.asarray(t, dtype=float)
        values = np.stack([self._solver.eval(x) for x in np.atleast_1d(times)], axis=1)
        return values[:, 0] if times.ndim == 0 else values


class Solver:
    """A solver that takes one step at a time, as SciPy's OdeSolver does.

    Solver(fun, t0, y0, t_bound, ...) for y' = fun(t, y), with `mass`, `invariants` and the options
    of `solve_ivp`; Solver(model, t0, None, t_bound) for a `Model`, Solver(problem, ..) for a
    `gallery_problem`; Solver.mechanical(force, g, q0, v0, t0, t_bound, ...) for mechanisms.

    `t`, `t_old`, `y`, `lam`, `status` ("running", "finished" or "failed"), `report`, `stats`.

    >>> import numpy as np, daedal
    >>> s = daedal.Solver(lambda t, y: np.array([y[1], -y[0]]), 0, [0, 1], 10, rtol=1e-8)
    >>> while s.status == "running":
    ...     s.step()
    >>> s.t, s.status, bool(abs(s.y[0] - np.sin(10)) < 1e-5)
    (10.0, 'finished', True)
    """

    def __init__(self, fun, t0, y0, t_bound, method="auto", *, mass=None, invariants=None,
                 jac=None, rtol=1e-6, atol=1e-6, max_step=np.inf, first_step=None,
                 functions="auto", fixed=None, hit=None, args=None, **options):
        t0, t_bound = number(t0, "t0"), number(t_bound, "t_bound")
        chosen = _options.read("Solver", options, KNOWN, method, rtol, atol, max_step, first_step)
        if functions not in ("auto", "python"):
            raise ValueError(f"functions must be 'auto' or 'python', not {functions!r}")
        if isinstance(fun, (Model, GalleryProblem)):
            if y0 is not None and isinstance(fun, Model):
                raise ValueError("y0: a model has its own start values; use None")
            system = TextSystem(fun.text, t0, t_bound, ()) if isinstance(fun, Model) \
                else fun.system(t0, t_bound, y0)
        else:
            start_values = initial_values(y0)
            pointer = address(fun)
            call = bind(function(fun, "fun"), args) if pointer is None else pointer
            if invariants is not None:
                invariants = bind(function(invariants, "invariants"), args)
            if jac is not None:
                jac = bind(function(jac, "jac"), args)
            n = len(start_values)
            system = plain_system(call, t0, t_bound, start_values, mass=mass_matrix(mass, n),
                                  jac=jac, invariants=invariants, events=(),
                                  fixed=fixed_flags(fixed, n), pattern=None, user=None,
                                  inside=functions == "auto")
        self._begin(system, chosen, t0, t_bound, hit)

    @classmethod
    def mechanical(cls, force, g, q0, v0, t0, t_bound, method="auto", *, mass=None,
                   velocity_constraints=None, rtol=1e-6, atol=1e-6, max_step=np.inf,
                   first_step=None, functions="auto", fixed=None, hit=None, **options):
        """A solver of the problem of `solve_mechanical`; `y` is [q; v]."""
        self = cls.__new__(cls)
        t0, t_bound = number(t0, "t0"), number(t_bound, "t_bound")
        q0 = array(q0, "q0", ndim=1)
        v0 = array(v0, "v0", shape=q0.shape)
        chosen = _options.read("mechanical", options, KNOWN, method, rtol, atol, max_step,
                               first_step)
        for name, f in (("force", force), ("g", g), ("velocity_constraints",
                                                     velocity_constraints)):
            function(f, name, optional=True)
        system = PlainMechanical(force, g, velocity_constraints, constant_mass(mass, q0.size), q0,
                                 v0, t0, t_bound, fixed=fixed_flags(fixed, 2 * q0.size),
                                 inside=functions == "auto")
        self._begin(system, chosen, t0, t_bound, hit)
        return self

    def _begin(self, system, chosen, t0, t_bound, hit):
        self._system, self.t_bound = system, t_bound
        self._core, status = start(system, chosen, t0, t_bound, hit)
        self.status = "running" if t0 != t_bound else "finished"
        self._after(status)

    def _after(self, status):
        """The new point; a message when the run has failed."""
        t, t_old, z, y = self._core.point()
        Z, Y = numbers(z, 1, -1), numbers(y, 1, -1)
        if not Y.size:
            Y = np.zeros((1, 0))
        self.t, self.t_old = t, t_old
        self.y = self._system.y(np.array([t]), Z, Y)[:, 0]
        self.lam = self._system.lam(np.array([t]), Z, Y)[:, 0]
        if status < 0 or status == 2:
            self.status = "failed"
            return self._core.report()["message"]
        if t == self.t_bound:
            self.status = "finished"
        return None

    def _check_running(self):
        if self.status != "running":
            raise RuntimeError(f"the solver has {self.status}")

    def step(self):
        """One accepted step towards t_bound; None, or a message when it fails."""
        self._check_running()
        return self._after(self._core.step(self.t_bound))

    def advance(self, t):
        """Steps until t is reached exactly; None, or a message when it fails."""
        t = number(t, "t")
        if self.status == "failed":
            raise RuntimeError("the solver has failed")
        if self.status == "finished" and t != self.t:
            self.status = "running"
        return self._after(self._core.advance(t))

    def eval(self, t):
        """y at a time within the last step."""
        status, z, y = self._core.eval(number(t, "t"))
        if status != 0:
            raise ValueError(f"t must be within the last step, {self.t_old} .. {self.t}")
        Y = numbers(y, 1, -1) if len(y) else np.zeros((1, 0))
        return self._system.y(np.array([float(t)]), numbers(z, 1, -1), Y)[:, 0]

    def dense_output(self):
        """The last step as a function of time."""
        return LastStep(self)

    def _z_of(self, y):
        if self._system.nz != len(self.y) or isinstance(self._system, TextSystem):
            raise ValueError("project: the variables of a model are not those of its problem")
        return array(y, "y", shape=(self._system.nz,))

    def project(self, y, t=None):
        """The nearest consistent point of y at t (the present time)."""
        z = self._z_of(y)
        at = np.array([self.t if t is None else number(t, "t")])
        status, data, _ = self._core.project(at, z)
        if status != 0:
            raise ValueError(f"y: {self._core.report()['message']}")
        return numbers(data).copy()

    def drift(self, y=None):
        """Residuals at y (the present point): level name -> number."""
        z = numbers(self._core.point()[2]).copy() if y is None else self._z_of(y)
        _, data = self._core.drift(self.t, z)
        return self._system.drift(None, numbers(data)) if self._system.nh else {}

    @property
    def report(self):
        return Report(self._core.report())

    @property
    def stats(self):
        return {k: v for k, v in self._core.stats().items() if not isinstance(v, (bytearray, dict))}

    @property
    def method(self):
        return self._core.choices()[0]

    @property
    def form(self):
        return self._core.choices()[1]

    def save(self):
        """The whole state, to come back to: the steps after `restore` are the same, bit by bit."""
        return State(self.t, self._core.save(), self.status)

    def restore(self, state):
        """Goes back to a saved state, of this solver or of another one for the same problem with
        the same options, in this process or in another."""
        if not isinstance(state, State):
            raise TypeError(f"state must come from save(), not {type(state).__name__}")
        self._core.restore(state.data)
        self._after(0)
        self.status = state.status

    def close(self):
        """Gives the memory back; the solver cannot be used afterwards."""
        self._core.close()
        self.status = "failed"
