"""The gallery: problems with known answers, in C, and the same as model texts."""

from importlib import resources

import numpy as np

from . import _core, _options
from ._arguments import array, number, t_eval_times
from ._drive import System, numbers, run
from ._result import Report, Result


class GallerySystem(System):
    def __init__(self, core, t0, t1, y0, kind):
        super().__init__(dict(model=core, t_span=(t0, t1), z0=y0))
        self.levels = {"mechanical": ("position", "velocity"), "ode": ("invariants",)}.get(
            kind, tuple(f"level {i}" for i in range(6)))


class GalleryProblem:
    """A problem of the gallery: `y0`, `t_span`, `names`, `title`; `solve()`."""

    def __init__(self, name, **parameters):
        values = {key: number(value, key) for key, value in parameters.items()}
        if not isinstance(name, str):
            raise TypeError(f"name must be a text, not {type(name).__name__}")
        known = {row[0] for row in _core.gallery_list()}
        if name not in known and gallery().get(name):
            raise ValueError(f"{name!r} is a model as text: "
                             f"use Model(gallery()[{name!r}]['model']).run()")
        self._core = _core.gallery_problem(name, values)
        about = self._core.describe()
        self.name, self.title, self.kind = name, about["title"], about["kind"]
        self.index, self.boundary = about["index"], about["boundary"]
        self.t_span = (about["t0"], about["t1"])
        self.y0 = numbers(about["z0"]).copy() if about["z0"] is not None else None
        self.names, self.lam_names = about["z_names"], about["y_names"]

    def system(self, t0, t1, y0=None):
        if y0 is not None:
            y0 = array(y0, "y0", shape=(len(self.names),))
        return GallerySystem(self._core, t0, t1, y0, self.kind)

    def solve(self, t_span=None, y0=None, method="auto", t_eval=None, dense_output=False, *,
              rtol=1e-6, atol=1e-6, max_step=np.inf, first_step=None, **options):
        """The problem; the result is that of `solve_ivp`.

        A boundary value problem (`boundary` is true) has `p`, `error` and `mesh` beside them, and
        values at the mesh or at `t_eval`."""
        t0, t1 = self.t_span if t_span is None else map(float, t_span)
        chosen = _options.read("solve", options, (), method, rtol, atol, max_step, first_step)
        if self.boundary:
            if y0 is not None or dense_output:
                raise ValueError("y0 and dense_output: not for a boundary value problem")
            return self._between(t0, t1, chosen, t_eval)
        result = run(self.system(t0, t1, y0), chosen, t0, t1,
                     t_eval=t_eval_times(t_eval, t0, t1), dense=dense_output)
        result.names = self.names
        return result

    def _between(self, t0, t1, chosen, t_eval):
        """The boundary value problem."""
        status, fields, solution = _core.bvp_solve(
            dict(model=self._core, t_span=np.array([t0, t1])), chosen)
        report, n, m = Report(fields), len(self.names), len(self.lam_names)
        result = Result(t=np.zeros(0), y=np.zeros((n, 0)), lam=np.zeros((m, 0)), sol=None,
                        status=0 if status == 0 else -1, success=status == 0,
                        message=report.message or report.status_name, report=report,
                        names=self.names)
        try:
            about = solution.info()
        except ValueError:  # nothing was found
            return result
        mesh = numbers(about["mesh"]).copy()
        t = mesh if t_eval is None else array(t_eval, "t_eval", ndim=1)
        status, z, y, _ = solution.eval(t)
        if status != 0:
            raise ValueError("t_eval: values are not within the interval")
        result.update(t=t, y=numbers(z, len(t), n).T.copy(), lam=numbers(y, len(t), m).T.copy(),
                      mesh=mesh, p=numbers(about["parameter"]).copy(), audit=about["audit"],
                      method=about["method"], form=about["form"], error=about["error"])
        return result

    def diagnose(self, **options):
        """Index, kind, and what to use, from a short trial run."""
        return self._core.diagnose(_options.read("diagnose", options))

    def __repr__(self):
        return f"<daedal gallery problem {self.name!r}: {self.title}>"


def gallery():
    """Names of the gallery: name -> dict of title, source, parameters, model (a path or None).

    >>> import daedal
    >>> daedal.gallery()["pendulum"]["parameters"]["g"][0] > 9
    True
    """
    folder = resources.files("daedal.models")
    out = {}
    for name, title, source, parameters in _core.gallery_list():
        out[name] = dict(title=title, source=source, parameters=parameters, model=None)
    for path in sorted(folder.iterdir(), key=lambda p: p.name):
        if path.name.endswith(".mo"):
            entry = out.setdefault(path.name[:-3], dict(title="", source="", parameters={}))
            entry["model"] = str(path)
    return out


def gallery_problem(name, **parameters):
    """A problem of the gallery with some of its parameters set.

    >>> import daedal
    >>> p = daedal.gallery_problem("pendulum")
    >>> p.solve().success
    True
    """
    return GalleryProblem(name, **parameters)
