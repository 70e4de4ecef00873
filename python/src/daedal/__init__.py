"""Differential-algebraic equations of high index, solved on their constraints.

>>> import numpy as np, daedal
>>> pendulum = daedal.solve_mechanical(
...     force=lambda t, q, v: np.array([0.0, -9.81]),
...     g=lambda t, q: np.array([q[0]**2 + q[1]**2 - 1]),
...     q0=[1, 0], v0=[0, 0], t_span=(0, 10), rtol=1e-8, atol=1e-8)
>>> pendulum.success, pendulum.drift["position"] < 1e-12
(True, True)
"""

from ._bvp import solve_bvp
from ._core import version as __version__
from ._dae import solve_dae
from ._errors import ModelError, TraceError
from ._gallery import gallery, gallery_problem
from ._ivp import solve_ivp
from ._mechanical import solve_mechanical
from ._model import Model
from ._options import choices, methods, options
from ._papers import paper_table, papers
from ._result import Report, Result, Solution
from ._solver import Solver
from ._sympy import from_sympy

__all__ = ["Model", "ModelError", "Report", "Result", "Solution", "Solver", "TraceError", "choices",
           "from_sympy", "gallery", "gallery_problem", "methods", "options", "paper_table", "papers",
           "solve_bvp", "solve_dae", "solve_ivp", "solve_mechanical"]
