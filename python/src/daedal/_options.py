"""Options: the library's keys with '_', and SciPy's names of methods."""

import difflib
import numbers

import numpy as np

from . import _core
from ._arguments import array, number

TABLE = {key.replace("-", "_"): (kind, default, meaning)
         for key, kind, default, meaning in _core.option_table()}
METHODS = {row[0]: row for row in _core.method_table()}

# SciPy's methods and the ones here that stand for them
SCIPY_METHODS = {"RK45": "dopri5", "RK23": "dopri5", "DOP853": "dop853", "Radau": "radau3",
                 "BDF": "bdf", "LSODA": "auto"}


def method_name(method):
    if isinstance(method, type) and method.__name__ in SCIPY_METHODS:
        method = method.__name__  # SciPy's classes stand for their names
    if not isinstance(method, str):
        raise TypeError(f"method must be a text, not {type(method).__name__}")
    if method in SCIPY_METHODS:
        return SCIPY_METHODS[method]
    if method == "auto" or method in METHODS:
        return method
    known = ["auto", *METHODS, *SCIPY_METHODS]
    folded = {name.lower(): name for name in known}
    if method.lower() in folded:
        return method_name(folded[method.lower()])
    raise ValueError(f"method {method!r} is not known{_nearest(method, known)}")


def _nearest(word, known):
    near = difflib.get_close_matches(word, known, 1, 0.4)
    return f"; did you mean {near[0]!r}?" if near else ""


def unknown(names, known, where):
    """TypeError for the first of the names, with the nearest known one."""
    for name in names:
        raise TypeError(f"{where}() got an unknown option {name!r}{_nearest(name, list(known))}")


def _text(key, value):
    kind = TABLE[key][0]
    if kind in ("NAME", "WORD"):
        if not isinstance(value, str):
            raise TypeError(f"{key} must be a text, not {type(value).__name__}")
        return value
    if kind == "FLAG":
        if isinstance(value, (bool, np.bool_)) or value in (0, 1):
            return str(int(value))
        raise TypeError(f"{key} must be True or False, not {value!r}")
    if kind == "COUNT":
        if isinstance(value, (bool, str)) or not isinstance(value, numbers.Integral):
            raise TypeError(f"{key} must be a whole number, not {value!r}")
        return str(int(value))
    return repr(number(value, key))


class Options(dict):
    """Texts for the library; `atols`: absolute tolerances of the user's variables, or None."""

    atols = None


def tolerances(value, name):
    """A tolerance may be an array: (the smallest entry, the array or None)."""
    if type(value) is float and 0 <= value < np.inf:
        return value, None
    found = array(value, name)
    if found.size == 0:
        raise ValueError(f"{name} is empty")
    if found.ndim > 1:
        raise ValueError(f"{name} must be a number or have 1 dimension, its shape is {found.shape}")
    if (found < 0).any():
        raise ValueError(f"{name} must not be negative")
    return float(found.min()), found if found.ndim else None


def read(where, options, more=(), method="auto", rtol=1e-6, atol=1e-6, max_step=np.inf,
         first_step=None):
    """The options for the library; `more` are names that `where` knows beside the table.

    An array of rtol means its smallest entry; atol may be one for each variable."""
    extra = [key for key in options if key not in TABLE]
    if extra:
        unknown(extra, [*TABLE, *more], where)
    chosen = Options({key: _text(key, value) for key, value in options.items()})
    chosen["method"] = method_name(method)
    chosen["rtol"] = repr(tolerances(rtol, "rtol")[0])
    smallest, chosen.atols = tolerances(atol, "atol")
    chosen["atol"] = repr(smallest)
    if max_step is not None and max_step != np.inf:
        chosen["max_step"] = repr(number(max_step, "max_step", positive=True))
    if first_step is not None:
        chosen["first_step"] = repr(number(first_step, "first_step", positive=True))
    return chosen


def options():
    """The options of the library: name -> (kind, default, meaning).

    >>> import daedal
    >>> daedal.options()["rtol"][2]
    'relative tolerance'
    """
    return dict(TABLE)


def methods():
    """The methods of the library: name -> dict of order, stages, implicit, adaptive, when.

    >>> import daedal
    >>> daedal.methods()["dop853"]["order"]
    8
    """
    return {name: dict(order=row[1], stages=row[2], implicit=row[3], adaptive=row[4], when=row[5])
            for name, row in METHODS.items()}


def choices():
    """Forms, directions and stabilizers: kind -> name -> (formula, when to use it).

    >>> import daedal
    >>> "ggl" in daedal.choices()["form"]
    True
    """
    return {kind: {name: (formula, when) for name, formula, when in rows}
            for kind, rows in _core.choice_table().items()}
