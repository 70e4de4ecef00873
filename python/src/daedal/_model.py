"""Models as text: read, checked, run, swept over parameters."""

import ast
import difflib
import itertools
import os
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _core, _options
from ._arguments import array, number, t_eval_times
from ._drive import numbers, run
from ._errors import ModelError
from ._result import Report, Result
from ._traced import ModelSystem


class TextSystem(ModelSystem):
    """All variables of a text; `settings` are calls (method, name, value ..) before it is built."""

    def __init__(self, text, t0, t1, settings):
        self.settings = [*settings, ("set_time", t0)]  # where start values are consistent
        self.text, self.t_span = text, (t0, t1)
        self.y_names, self.lam_names, self.levels = None, [], {}
        self.invariants_start = None
        self._open(())

    def _open(self, events):
        self.model, info = built(self.text, self.settings)
        self.y_names = [name.strip("'") for name in info["variables"]]
        self.n_variables = len(self.y_names)
        self.y_columns = np.arange(self.n_variables)
        self.lam_columns = np.zeros(0, dtype=int)
        self.index, self.warnings = info["index"], info["messages"]
        super(ModelSystem, self).__init__(dict(model=self.model, t_span=self.t_span))

    def drift(self, result, found):
        names = {"mechanical": ("position", "velocity"), "ode": ("constraints",)}
        chosen = names.get(self.kind, tuple(f"level {i}" for i in range(len(found))))
        return {n: float(d) for n, d in zip(chosen, found)} if self.nh else {}

    def __getstate__(self):
        return {"text": self.text, "t_span": self.t_span, "settings": self.settings}

    def __setstate__(self, state):
        self.__dict__.update(state, levels={}, invariants_start=None, lam_names=[])
        self._open(())


def opened(text, compiler=None):
    try:
        return _core.Model(text, False, compiler)
    except (OSError, MemoryError):
        raise
    except ValueError as error:
        raise ModelError(str(error), text) from None


def built(text, settings=()):
    """A core model that was built, and what it says of itself."""
    model = opened(text)
    for call, *args in settings:
        getattr(model, call)(*args)
    status = model.build()
    info = model.info()
    if status != 0:
        raise ModelError(info["messages"], text)
    return model, info


class Check:
    """What the analysis found: `text`, `index`, `warnings`; prints well."""

    def __init__(self, text, index, warnings):
        self.text, self.index, self.warnings = text, index, warnings

    def __str__(self):
        return self.text.rstrip()

    __repr__ = __str__


class ModelResult(Result):
    """A result whose keys are also the names of the model's variables."""

    def __getitem__(self, key):
        names = dict.get(self, "names") or []
        if key in names:
            return dict.get(self, "y")[names.index(key)]
        try:
            return dict.__getitem__(self, key)
        except KeyError:
            near = difflib.get_close_matches(str(key), names, 1, 0.3)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"the model has no variable {key!r}{hint}") from None

    def __getattr__(self, name):
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        names = dict.get(self, "names") or []
        if name in names:
            return dict.get(self, "y")[names.index(name)]
        raise AttributeError(f"the result has no {name!r}")


class Model:
    """A model in flat Modelica: text when there is a newline in it, else the path of a file.

    Examples
    --------
    >>> import daedal
    >>> m = daedal.Model('''model Pendulum
    ...   parameter Real L = 1, g = 9.81;
    ...   Real x(start = 1, fixed = true), y, vx(start = 0, fixed = true), vy, F;
    ... equation
    ...   der(x) = vx;  der(y) = vy;
    ...   der(vx) = -x*F;  der(vy) = -y*F - g;
    ...   x^2 + y^2 = L^2;
    ... end Pendulum;
    ... ''')
    >>> m.parameters
    {'L': 1.0, 'g': 9.81}
    >>> m.check().index
    3
    >>> r = m.run(stop=2, tol=1e-8, L=1)
    >>> bool(abs(r["x"][-1]**2 + r["y"][-1]**2 - 1) < 1e-12)
    True
    """

    def __init__(self, source):
        if isinstance(source, (os.PathLike, str)):
            source = os.fspath(source)
        if not isinstance(source, str):
            raise TypeError(f"a model is a text or a path, not {type(source).__name__}")
        self.path = None
        if "\n" not in source:
            self.path = source
            with open(source, encoding="utf-8", errors="surrogateescape") as file:
                source = file.read()
        self.text = source
        self._declared = opened(source).info()["parameters"]
        self._built = None

    def _info(self):
        if self._built is None:
            self._built = built(self.text)[1]
        return self._built

    @property
    def parameters(self):
        """Name -> value of the parameters that can be set."""
        values = self._info().get("values", {})
        return {name: values[name] for name in self._declared if name in values}

    @property
    def variables(self):
        """Names of all variables, in the order of the text."""
        return [name.strip("'") for name in self._info()["variables"]]

    @property
    def units(self):
        """Name -> unit of the variables that have one."""
        return {name.strip("'"): unit for name, unit in self._info()["units"].items()}

    @property
    def descriptions(self):
        """Name -> what the text says of a variable."""
        return {name.strip("'"): text for name, text in self._info()["descriptions"].items()}

    @property
    def code(self):
        """The C code that is compiled."""
        return self._info()["code"]

    def check(self, **parameters):
        """Index, hidden constraints, degrees of freedom, form; with parameters as in `run`."""
        info = built(self.text, self._settings(parameters, {}))[1]
        return Check(info["explain"], info["index"], info["messages"])

    def _settings(self, parameters, init):
        calls = []
        for name, value in parameters.items():
            if name not in self._declared:
                near = difflib.get_close_matches(name, [*self._declared, *_options.TABLE], 1, 0.4)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"the model has no parameter {name!r}{hint}")
            calls.append(("set", name, number(value, name)))
        if not isinstance(init, dict):
            raise TypeError("init must be a dict of start values")
        for name, value in init.items():
            if name not in self.variables:
                near = difflib.get_close_matches(str(name), self.variables, 1, 0.4)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"init: the model has no variable {name!r}{hint}")
            calls.append(("set_start", name, number(value, f"init[{name!r}]"), True))
        return calls

    def run(self, stop=None, start=None, tol=None, init=None, *, method="auto", t_eval=None,
            dense_output=False, rtol=None, atol=None, max_step=np.inf, first_step=None, hit=None,
            options=None, **parameters):
        """Solve the model from `start` to `stop` (the text's own interval unless given).

        tol : rtol and atol together (1e-6, or what the text says)
        init : {variable: value}, initial values that hold; the text's `start` values else
        parameters : parameters of the model, and options of the library that are none

        `r.t`, `r["x[1]"]`, and the fields of `solve_ivp`; `r.y` has all variables, `r.names` their
        names. A model with boundary conditions is solved as a boundary value problem.
        """
        values, chosen = {}, dict(options or {})
        for name, value in parameters.items():
            if name not in self._declared and name in _options.TABLE:
                chosen[name] = value
            else:
                values[name] = value
        settings = self._settings(values, {} if init is None else init)
        info = self._info()
        tol = tol if tol is not None else info["tolerance"] or 1e-6
        tol = number(tol, "tol", positive=True)
        texts = _options.read("run", chosen, (), method, tol if rtol is None else rtol,
                              tol if atol is None else atol, max_step, first_step)
        t0 = info["t0"] if start is None else number(start, "start")
        t1 = info["t1"] if stop is None else number(stop, "stop")
        if info["boundary"]:
            return self._boundary(t0, t1, settings, texts, t_eval)
        system = TextSystem(self.text, t0, t1, settings)
        times = t_eval_times(t_eval, t0, t1)
        notes = [line for line in (system.warnings or "").splitlines() if "warning" in line]
        result = ModelResult(run(system, texts, t0, t1, t_eval=times, dense=dense_output,
                                 hit=hit, notes=notes))
        result.names = system.y_names
        if result.status == 1:
            result.message = result.report.message
        return result

    def _boundary(self, t0, t1, settings, texts, t_eval):
        model, info = built(self.text, settings)
        status, fields, solution = _core.bvp_solve(
            dict(model=model, t_span=np.array([t0, t1])), texts)
        report = Report(fields)
        result = ModelResult(t=np.zeros(0), y=np.zeros((0, 0)), names=[], sol=None,
                             status=0 if status == 0 else -1, success=status == 0,
                             message=report.message or report.status_name, report=report)
        try:
            about = solution.info()
        except ValueError:
            return result
        t = numbers(about["mesh"]).copy() if t_eval is None else array(t_eval, "t_eval", ndim=1)
        status, z, y, _ = solution.eval(t)
        if status != 0:
            raise ValueError("t_eval: values are not within the interval")
        names = [name.strip("'") for name in info["variables"]]
        values = numbers(model.values(t, z and numbers(z).copy() if len(t) else np.zeros(0),
                                      numbers(y).copy() if len(y) else np.zeros(0)),
                         len(t), len(names))
        result.update(t=t, y=np.ascontiguousarray(values.T), names=names, audit=about["audit"],
                      method=about["method"], form=about["form"], error=about["error"])
        return result

    def sweep(self, measure=None, *, stop=None, start=None, tol=None, init=None, workers=None,
              **parameters):
        """Runs over all combinations of parameter values, side by side.

        measure : {name: expression of variables, or function of the result}; expressions know
            max, min, mean, abs, sqrt, sin, cos, exp, log, first, last (None: last of all variables)
        parameters : arrays are swept, numbers are set

        The result has a column for each swept parameter, for `status` and for each measure; runs
        that fail have NaN and their message.

        >>> import daedal
        >>> m = daedal.Model("model D\\n  parameter Real k = 1;\\n  Real x(start = 1, fixed = true);"
        ...                  "\\nequation\\n  der(x) = -k*x;\\nend D;\\n")
        >>> s = m.sweep({"end": "last(x)"}, stop=1, k=[1, 2])
        >>> [round(float(v), 3) for v in s["end"]]
        [0.368, 0.135]
        """
        swept = {}
        fixed = {}
        for name, value in parameters.items():
            if np.ndim(value) > 0:
                swept[name] = array(value, name, ndim=1)
            else:
                fixed[name] = value
        if not swept:
            raise ValueError("sweep: give an array for at least one parameter")
        measure = {name: f"last({name})" for name in self.variables} if measure is None else measure
        compiled = {name: m if callable(m) else Measure(m, self.variables)
                    for name, m in measure.items()}
        cases = list(itertools.product(*swept.values()))

        def one(case):
            r = self.run(stop, start, tol, init, dense_output=True, **fixed,
                         **dict(zip(swept, case)))
            row = {}
            for name, m in compiled.items():
                row[name] = float(m(r)) if r.success else np.nan
            return r.status, r.message, row

        self._info()
        with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
            rows = list(pool.map(one, cases))
        table = Sweep({name: np.array([case[i] for case in cases])
                       for i, name in enumerate(swept)})
        for name in compiled:
            table[name] = np.array([row[2][name] for row in rows])
        table["status"] = np.array([row[0] for row in rows])
        table["message"] = [row[1] for row in rows]
        return table

    def __reduce__(self):
        return _model_again, (self.text, self.path)

    def __repr__(self):
        return f"<daedal.Model {self.path or self.text.split(chr(10))[0].strip()!r}>"


def _model_again(text, path):
    model = Model(text if "\n" in text else text + "\n")
    model.path = path
    return model


class Sweep(Result):
    """Columns of a sweep."""

    def to_pandas(self):
        import pandas

        return pandas.DataFrame(dict(self))

    def _repr_html_(self):
        return None


class Measure:
    """A number from a run: an expression of its variables."""

    FUNCTIONS = {"max": np.max, "min": np.min, "mean": np.mean, "abs": np.abs, "sqrt": np.sqrt,
                 "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log,
                 "first": lambda x: x[0], "last": lambda x: x[-1], "final": lambda x: x[-1]}
    OPERATORS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply,
                 ast.Div: np.divide, ast.Pow: np.power}

    def __init__(self, text, names):
        if not isinstance(text, str):
            raise TypeError("measure: an expression or a function is needed")
        known = {name.replace(" ", ""): name for name in [*names, "time"]}
        self.text, self.names = text, {}

        def stand_in(found):
            name = known.get(found.group().replace(" ", ""))
            if name is None:
                return found.group()
            short = f"_v{len(self.names)}"  # names of models need not be names of Python
            self.names[short] = name
            return short

        short = re.sub(r"'[^']*'|[A-Za-z_][\w.]*(\[[\d, ]+\])*", stand_in, text)
        try:
            self.tree = ast.parse(short.replace("^", "**"), mode="eval").body
        except SyntaxError:
            raise ValueError(f"measure: {text!r} is no expression") from None
        self._evaluate(self.tree, None)

    def __call__(self, result):
        values = {"time": result.t}
        values.update(zip(dict.get(result, "names"), dict.get(result, "y")))
        if result.sol is not None and len(result.t) > 1:
            # points between the steps too: a peak may lie there
            t = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in
                                          zip(result.sol.ts_old, result.sol.ts_new)]))
            y = result.sol(t)
            values = {"time": t, **{n: y[i] for i, n in enumerate(dict.get(result, "names"))}}
        return self._evaluate(self.tree, values)

    def _evaluate(self, node, values):
        if isinstance(node, ast.Name) and node.id in self.names:
            return np.ones(1) if values is None else values[self.names[node.id]]
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return float(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._evaluate(node.operand, values)
        if isinstance(node, ast.BinOp) and type(node.op) in self.OPERATORS:
            return self.OPERATORS[type(node.op)](self._evaluate(node.left, values),
                                                 self._evaluate(node.right, values))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                and node.func.id in self.FUNCTIONS and len(node.args) == 1 and not node.keywords):
            return self.FUNCTIONS[node.func.id](np.atleast_1d(self._evaluate(node.args[0], values)))
        raise ValueError(f"measure: {ast.unparse(node)!r} in {self.text!r} is neither a variable "
                         "nor a function that is known")
