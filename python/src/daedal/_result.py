"""Results: SciPy's fields and more; the report; the solution as a function of time."""

import numpy as np


class Result(dict):
    """Fields of a solution, as attributes and as keys.

    >>> r = Result(t=1, y=2)
    >>> r.t + r["y"]
    3
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the result has no {name!r}; it has "
                                 f"{', '.join(sorted(self))}") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __reduce__(self):
        return (_rebuild, (type(self), dict(self)))

    def __repr__(self):
        width = max((len(key) for key in self), default=0)
        lines = []
        for key, value in self.items():
            text = repr(value).split("\n")
            lines.append(f"{key:>{width}}: " + ("\n" + " " * (width + 2)).join(text))
        return "\n".join(lines)

    def _rows(self):
        """(name, values) of all components over time."""
        y = np.atleast_2d(self.get("y"))
        return list(zip(self.get("names") or [f"y[{i}]" for i in range(len(y))], y))

    def to_pandas(self):
        """A pandas.DataFrame with one row for each time (pandas must be installed)."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas, which is not installed") from None
        axis = "t" if "t" in self else "x"
        frame = pandas.DataFrame(dict(self._rows()), index=np.asarray(self.get(axis)))
        frame.index.name = axis
        return frame

    def plot(self, which=None, ax=None):
        """Draws components (all, or those whose names or numbers are given) with matplotlib."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot() needs matplotlib, which is not installed") from None
        rows = self._rows()
        if which is not None:
            which = [which] if isinstance(which, (str, int)) else which
            by_name = dict(rows)
            rows = [rows[w] if isinstance(w, int) else (w, by_name[w]) for w in which]
        ax = plt.gca() if ax is None else ax
        axis = "t" if "t" in self else "x"
        for name, values in rows:
            ax.plot(self.get(axis), np.real(values), label=name)
        ax.set_xlabel(axis)
        if len(rows) <= 12:
            ax.legend()
        return ax

    def _repr_html_(self):
        from ._html import result_html

        return result_html(self)


def _rebuild(cls, fields):
    result = cls()
    result.update(fields)
    return result


class Report:
    """What a run has to say: one sentence, names and numbers, notes on the way.

    Attributes: `text` (everything, as lines), `message`, `advice`, `status` (a number of the
    library), `status_name`, `t`, `h`, `step`, `equation`, `variable`, `residual`, `rank`, `rows`,
    `rcond`, `smallest`, `moved` (how far the initial values were moved), `notes` (a list).
    """

    def __init__(self, fields, notes=()):
        self.notes = list(notes)
        for key, value in fields.items():
            setattr(self, key, value)

    @property
    def text(self):
        lines = [self.message or self.status_name]
        if self.status and self.advice:
            lines.append(self.advice)
        if self.equation and self.status < 0:
            lines.append(f"equation: {self.equation} (residual {self.residual:.3g})")
        if self.variable and self.status < 0:
            lines.append(f"variable: {self.variable}")
        lines.extend(f"note: {note}" for note in self.notes)
        return "\n".join(lines)

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text


# where a step is sampled: Chebyshev points with both ends, exact for dense output up to degree 9
NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(10) / 9)
_WEIGHTS = np.where(np.arange(10) % 2, -1.0, 1.0) * np.where(np.arange(10) % 9, 1.0, 0.5)


class Solution:
    """The solution as a function of time: `sol(t)` is (n,) for a number, (n, k) for k times.

    Values between accepted points come from the method's own dense output and are brought onto
    the constraints. `t_min`, `t_max` and `ts` are as in SciPy; times outside raise ValueError.
    """

    def __init__(self, pieces, width, finish):
        self.ts_old, self.ts_new, self.values = pieces
        self.width = width
        self._finish = finish
        ends = np.concatenate([self.ts_old[:1], self.ts_new])
        self.ts = ends
        self.t_min, self.t_max = float(min(ends[0], ends[-1])), float(max(ends[0], ends[-1]))

    def __call__(self, t):
        times = np.asarray(t)
        if times.dtype.kind not in "biuf":
            raise TypeError(f"t must hold numbers, not {times.dtype}")
        if times.ndim > 1:
            raise ValueError(f"t must be a number or have 1 dimension, its shape is {times.shape}")
        flat = np.atleast_1d(times).astype(float)
        margin = 1e-12 * max(1.0, abs(self.t_min), abs(self.t_max), self.t_max - self.t_min)
        if flat.size and not (np.all(flat >= self.t_min - margin)
                              and np.all(flat <= self.t_max + margin)):
            raise ValueError(f"t must be within [{self.t_min}, {self.t_max}]")
        values = self._finish(flat, self._interpolate(np.clip(flat, self.t_min, self.t_max)))
        return values[:, 0] if times.ndim == 0 else values

    def _interpolate(self, t):
        """Barycentric interpolation in the step that holds t; (k, width)."""
        forward = self.ts[-1] >= self.ts[0]
        keys, query = (self.ts_new, t) if forward else (-self.ts_new, -t)
        i = np.minimum(np.searchsorted(keys, query), len(self.ts_new) - 1)
        length = self.ts_new[i] - self.ts_old[i]
        s = np.clip((t - self.ts_old[i]) / np.where(length == 0, 1, length), 0, 1)
        d = s[:, None] - NODES
        hit = d == 0
        d[hit] = 1
        w = np.where(hit.any(1)[:, None], hit, _WEIGHTS / d)
        return np.einsum("ki,kij->kj", w / w.sum(1)[:, None], self.values[i])

    def __getstate__(self):
        state = dict(self.__dict__)
        state["_finish"] = self._finish.portable()
        return state


def read_pieces(data, width):
    """The pieces that the loop recorded: (t_old, t, values (steps, nodes, width))."""
    table = np.frombuffer(data, dtype=float).reshape(-1, 2 + len(NODES) * width)
    return (table[:, 0].copy(), table[:, 1].copy(),
            table[:, 2:].reshape(-1, len(NODES), width).copy())
