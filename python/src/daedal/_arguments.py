"""Arguments: what comes in is checked here, and errors name the argument."""

import math
import numbers

import numpy as np


def array(value, name, shape=None, ndim=None):
    """A new contiguous float64 array, or TypeError, ValueError with the argument's name."""
    if type(value) is np.ndarray and value.dtype == float and (shape is None or value.shape == shape) \
            and (ndim is None or value.ndim == ndim) and np.isfinite(value).all():
        return value.copy()  # all is well: in short
    if value is None:
        raise TypeError(f"{name} is missing")
    try:
        found = np.asarray(value)
    except Exception as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from None
    if found.dtype.kind not in "biuf":
        if found.dtype.kind == "c":
            raise TypeError(f"{name} is complex; a real array is needed here")
        if found.dtype.kind == "O":
            try:
                found = found.astype(float)
            except Exception:
                raise TypeError(f"{name} must hold numbers, not objects") from None
        else:
            raise TypeError(f"{name} must hold numbers, not {found.dtype}")
    if ndim is not None and found.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim != 1)}, "
                         f"its shape is {found.shape}")
    if shape is not None and found.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {found.shape}")
    result = np.array(found, dtype=float, order="C")
    if not np.isfinite(result).all():
        bad = np.flatnonzero(~np.isfinite(result.ravel()))
        place = np.unravel_index(bad[0], result.shape) if result.ndim else ()
        where = "[" + ", ".join(str(int(i)) for i in place) + "]" if place else ""
        raise ValueError(f"{name}{where} is {result.ravel()[bad[0]]}")
    return result


def number(value, name, positive=False):
    """A finite float."""
    if type(value) is float and math.isfinite(value) and (value > 0 or not positive):
        return value
    if isinstance(value, (str, bytes)) or not isinstance(value, (numbers.Real, np.ndarray)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if isinstance(value, np.ndarray) and value.shape != ():
        raise ValueError(f"{name} must be one number, its shape is {value.shape}")
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}")
    if positive and value <= 0:
        raise ValueError(f"{name} must be positive, not {value}")
    return value


FAR = 1e30  # where a run ends that only an event ends


def time_span(t_span, events=None, name="t_span"):
    """(t0, t1); t1 may be infinite where an event is terminal."""
    try:
        ends = list(t_span)
    except TypeError:
        raise TypeError(f"{name} must be two numbers (t0, t1)") from None
    if len(ends) != 2:
        raise ValueError(f"{name} must be two numbers (t0, t1), not {len(ends)}")
    if events is not None and isinstance(ends[1], float) and math.isinf(ends[1]):
        if not any(event.count for event in events):
            raise ValueError(f"{name}[1] is {ends[1]}, and no event is terminal")
        ends[1] = math.copysign(FAR, ends[1])
    return tuple(number(t, f"{name}[{i}]") for i, t in enumerate(ends))


def function(value, name, optional=False):
    if value is None and optional:
        return None
    if not callable(value):
        raise TypeError(f"{name} must be a function, not {type(value).__name__}")
    return value


def t_eval_times(t_eval, t0, t1):
    """Output times as SciPy takes them: sorted in the direction of the run, inside the interval."""
    if t_eval is None:
        return None
    times = array(t_eval, "t_eval", ndim=1)
    low, high = min(t0, t1), max(t0, t1)
    if times.size and (times.min() < low or times.max() > high):
        raise ValueError("t_eval: values are not within t_span")
    steps = np.diff(times)
    if times.size > 1 and not (np.all(steps > 0) if t1 > t0 else np.all(steps < 0)):
        raise ValueError("t_eval: values are not properly sorted")
    return times


def bind(fun, args, name="args"):
    """fun with further arguments behind its own."""
    if args is None:
        return fun
    if not isinstance(args, (tuple, list)):
        raise TypeError(f"{name} must be a tuple, as in {name}=({args!r},)")
    extra = tuple(args)
    if not extra:
        return fun

    def bound(*own):
        return fun(*own, *extra)

    bound.__name__ = getattr(fun, "__name__", "function")
    bound._daedal_bound = (fun, extra)
    for key in ("terminal", "direction", "change"):
        if hasattr(fun, key):
            setattr(bound, key, getattr(fun, key))
    return bound


class Event:
    """An event function with SciPy's attributes."""

    def __init__(self, fun, place):
        self.name = f"events[{place}]"
        self.fun = function(fun, self.name)
        terminal = getattr(fun, "terminal", False)
        if isinstance(terminal, (bool, np.bool_)) or terminal is None:
            self.count = int(bool(terminal))
        elif isinstance(terminal, numbers.Integral) and terminal >= 0:
            self.count = int(terminal)
        elif isinstance(terminal, numbers.Real) and terminal == int(terminal) and terminal >= 0:
            self.count = int(terminal)
        else:
            raise ValueError(f"{self.name}: terminal must be a bool or a count, not {terminal!r}")
        direction = getattr(fun, "direction", 0)
        if isinstance(direction, (str, bytes)) or not isinstance(direction, numbers.Real):
            raise TypeError(f"{self.name}: direction must be a number")
        self.direction = int(np.sign(direction))
        self.change = function(getattr(fun, "change", None), f"{self.name}.change", optional=True)


def event_list(events, args=None):
    if events is None:
        return []
    if callable(events):
        events = [events]
    try:
        events = list(events)
    except TypeError:
        raise TypeError("events must be a function or a list of functions") from None
    for i, event in enumerate(events):
        function(event, f"events[{i}]")
    return [Event(bind(event, args), i) for i, event in enumerate(events)]


class Converter:
    """Results of callbacks that are not plain float64 arrays already."""

    def __init__(self, **labels):
        self.labels = labels

    def __call__(self, result, name, rows, cols):
        label = self.labels.get(name, name)
        if hasattr(result, "toarray"):
            result = result.toarray()
        found = result if isinstance(result, np.ndarray) else _asarray(result, label)
        if found.dtype.kind == "O":
            try:
                found = np.array([float(x) for x in found.flat]).reshape(found.shape)
            except Exception:
                raise TypeError(f"{label} returned objects, not numbers") from None
        if found.dtype.kind == "c":
            raise TypeError(f"{label} returned complex numbers; give a complex y0 for these")
        if found.dtype.kind not in "biuf":
            raise TypeError(f"{label} returned {found.dtype}, not numbers")
        shape = (rows, cols) if cols else (rows,)
        if found.shape != shape:
            if found.size == rows == 1 and not cols:
                found = found.reshape(1)
            elif not cols and found.shape in ((rows, 1), (1, rows)):
                found = found.reshape(rows)
            elif cols and found.size == rows * cols and 1 in shape and found.ndim == 1:
                found = found.reshape(shape)
            else:
                raise ValueError(f"{label} returned shape {found.shape}, expected {shape}")
        return np.ascontiguousarray(found, dtype=float)


def _asarray(result, label):
    if result is None:
        raise TypeError(f"{label} returned None")
    try:
        return np.asarray(result)
    except Exception as error:
        raise ValueError(f"{label} returned no array of numbers: {error}") from None
