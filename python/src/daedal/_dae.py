"""solve_dae: fully implicit equations F(t, x, x') = 0."""

import numpy as np

from . import _options
from ._arguments import array, bind, event_list, function, t_eval_times, time_span
from ._drive import run_auto
from ._ivp import fixed_flags
from ._traced import traced_dae
from .trace import TraceError

KNOWN = ("method", "t_eval", "dense_output", "events", "args", "max_step", "first_step",
         "functions", "fixed", "hit", "compile", "jac", "invariants")


def solve_dae(F, t_span, x0, xdot0=None, method="auto", t_eval=None, dense_output=False,
              events=None, args=None, *, rtol=1e-6, atol=1e-6, max_step=np.inf, first_step=None,
              functions="auto", fixed=None, hit=None, compile=True, jac=None, invariants=None,
              **options):
    """Solve F(t, x, xdot) = 0, fully implicit.

    F : function (t, x, xdot) -> (n,) residuals. Written with NumPy operations it is traced, of any
        index: the hidden constraints are found, and the solution is kept on all of them. A function
        that cannot be traced is called back: index 0 to 3, found at the start
    x0, xdot0 : guesses; the nearest consistent point is taken (`report.moved` says how far).
        xdot0 may be None
    fixed : indices or booleans of x0 that must not be moved
    functions : "auto", "trace" or "python", as in `solve_ivp`
    jac : function (t, x, xdot) -> (dF/dx, dF/dxdot), taken when F is called back
    invariants : function (t, x) -> residuals that stay as they are at the start, when F is called
        back; hidden constraints, for example

    Examples
    --------
    An algebraic unknown: x' = -z, 0 = z - 2 x.

    >>> import numpy as np, daedal
    >>> r = daedal.solve_dae(lambda t, x, xdot: np.array([xdot[0] + x[1], x[1] - 2*x[0]]),
    ...                      (0, 1), [1, 2], rtol=1e-9, atol=1e-9)
    >>> bool(abs(r.y[0, -1] - np.exp(-2)) < 1e-7)
    True
    """
    events = event_list(events, args)
    t0, t1 = time_span(t_span, events)
    F = bind(function(F, "F"), args)
    x0 = array(x0, "x0", ndim=1)
    if x0.size == 0:
        raise ValueError("x0 is empty")
    if xdot0 is not None:
        xdot0 = array(xdot0, "xdot0", shape=x0.shape)
    times = t_eval_times(t_eval, t0, t1)
    chosen = _options.read("solve_dae", options, KNOWN, method, rtol, atol, max_step, first_step)
    if functions not in ("auto", "trace", "python"):
        raise ValueError(f"functions must be 'auto', 'trace' or 'python', not {functions!r}")
    jac = function(jac, "jac", optional=True)
    invariants = function(invariants, "invariants", optional=True)
    value = np.asarray(F(t0, x0.copy(), np.zeros_like(x0) if xdot0 is None else xdot0.copy()))
    if value.dtype.kind not in "biuf":
        raise TypeError(f"F returned {value.dtype}, not numbers")
    if value.shape != x0.shape and not (value.size == x0.size == 1):
        raise ValueError(f"F returned shape {value.shape}, expected {x0.shape}")
    notes, system, flags = [], None, fixed_flags(fixed, x0.size)
    changes = any(event.change for event in events)
    if functions == "trace" or functions == "auto" and invariants is None and not changes:
        try:
            system = traced_dae(F, t0, t1, x0, xdot0, events=events, fixed=flags,
                                must=functions == "trace", notes=notes, compile=compile)
            index = system.index
        except TraceError as error:
            if functions == "trace":
                raise
            notes.append(f"F runs by calls of a Python function: {error}")

    def plain():
        from ._implicit import PlainImplicit

        return PlainImplicit(t0, t1, x0, F=F, xdot0=xdot0, events=events, fixed=flags,
                             jac=None if jac is None else bind(jac, args),
                             invariants=None if invariants is None else bind(invariants, args))

    if system is None:
        system = plain()
        index = system.index(chosen)
    if index is not None:
        notes.append(f"the index of the equations is {index}")
    result = run_auto(system, plain, chosen, t0, t1, t_eval=times, dense=bool(dense_output),
                      events=events, hit=hit, notes=notes)
    result.x, result.index = result.y, index
    result.names = [f"x[{i}]" for i in range(x0.size)]
    return result
