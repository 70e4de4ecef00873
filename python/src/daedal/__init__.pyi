from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

Function = Callable[..., Any]
Array = NDArray[np.float64]
Functions = Literal["auto", "trace", "python"]

class TraceError(ValueError): ...

class ModelError(ValueError):
    lineno: int | None
    text: str | None

class Report:
    text: str
    message: str
    advice: str
    status: int
    status_name: str
    t: float
    h: float
    step: int
    equation: str
    variable: str
    residual: float
    rank: int
    rows: int
    rcond: float
    smallest: float
    moved: float
    notes: list[str]

class Solution:
    t_min: float
    t_max: float
    ts: Array
    def __call__(self, t: ArrayLike) -> Array: ...

class Result(dict[str, Any]):
    t: Array
    y: Array
    q: Array
    v: Array
    x: Array
    lam: Array
    sol: Any
    t_events: list[Array] | None
    y_events: list[Array] | None
    nfev: int
    njev: int
    nlu: int
    status: int
    success: bool
    message: str
    drift: dict[str, float]
    audit: dict[str, Any]
    report: Report
    method: str
    form: str
    switches: list[dict[str, Any]]
    passages: list[dict[str, float]]
    def __getattr__(self, name: str) -> Any: ...
    def to_pandas(self) -> Any: ...
    def plot(self, which: Any = ..., ax: Any = ...) -> Any: ...

class Check:
    text: str
    index: int
    warnings: str

class Model:
    path: str | None
    text: str
    def __init__(self, source: str | PathLike[str]) -> None: ...
    @property
    def parameters(self) -> dict[str, float]: ...
    @property
    def variables(self) -> list[str]: ...
    @property
    def units(self) -> dict[str, str]: ...
    @property
    def descriptions(self) -> dict[str, str]: ...
    @property
    def code(self) -> str: ...
    def check(self, **parameters: float) -> Check: ...
    def run(self, stop: float | None = ..., start: float | None = ..., tol: float | None = ...,
            init: Mapping[str, float] | None = ..., *, method: str = ...,
            t_eval: ArrayLike | None = ..., dense_output: bool = ..., rtol: float | None = ...,
            atol: ArrayLike | None = ..., max_step: float = ..., first_step: float | None = ...,
            hit: ArrayLike | None = ..., options: Mapping[str, Any] | None = ...,
            **parameters: Any) -> Result: ...
    def sweep(self, measure: Mapping[str, str | Callable[[Result], float]] | None = ..., *,
              stop: float | None = ..., start: float | None = ..., tol: float | None = ...,
              init: Mapping[str, float] | None = ..., workers: int | None = ...,
              **parameters: Any) -> Result: ...

class Solver:
    t: float
    t_old: float
    t_bound: float
    y: Array
    lam: Array
    status: Literal["running", "finished", "failed"]
    def __init__(self, fun: Any, t0: float, y0: ArrayLike | None, t_bound: float,
                 method: str = ..., *, mass: ArrayLike | None = ...,
                 invariants: Function | None = ..., jac: Function | None = ..., rtol: float = ...,
                 atol: ArrayLike = ..., max_step: float = ..., first_step: float | None = ...,
                 functions: Literal["auto", "python"] = ..., fixed: ArrayLike | None = ...,
                 hit: ArrayLike | None = ..., args: Sequence[Any] | None = ...,
                 **options: Any) -> None: ...
    @classmethod
    def mechanical(cls, force: Function | None, g: Function | None, q0: ArrayLike, v0: ArrayLike,
                   t0: float, t_bound: float, method: str = ..., *, mass: Any = ...,
                   velocity_constraints: Function | None = ..., rtol: float = ...,
                   atol: ArrayLike = ..., max_step: float = ..., first_step: float | None = ...,
                   functions: Literal["auto", "python"] = ..., fixed: ArrayLike | None = ...,
                   hit: ArrayLike | None = ..., **options: Any) -> Solver: ...
    def step(self) -> str | None: ...
    def advance(self, t: float) -> str | None: ...
    def eval(self, t: float) -> Array: ...
    def dense_output(self) -> Callable[[ArrayLike], Array]: ...
    def project(self, y: ArrayLike, t: float | None = ...) -> Array: ...
    def drift(self, y: ArrayLike | None = ...) -> dict[str, float]: ...
    def save(self) -> Any: ...
    def restore(self, state: Any) -> None: ...
    def close(self) -> None: ...
    @property
    def report(self) -> Report: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    @property
    def method(self) -> str: ...
    @property
    def form(self) -> str: ...

class GalleryProblem:
    name: str
    title: str
    kind: str
    index: int
    boundary: bool
    t_span: tuple[float, float]
    y0: Array | None
    names: list[str]
    def solve(self, t_span: Sequence[float] | None = ..., y0: ArrayLike | None = ...,
              method: str = ..., t_eval: ArrayLike | None = ..., dense_output: bool = ..., *,
              rtol: float = ..., atol: ArrayLike = ..., max_step: float = ...,
              first_step: float | None = ..., **options: Any) -> Result: ...
    def diagnose(self, **options: Any) -> dict[str, Any]: ...

def solve_ivp(fun: Any, t_span: Sequence[float], y0: ArrayLike, method: str = ...,
              t_eval: ArrayLike | None = ..., dense_output: bool = ..., events: Any = ...,
              args: Sequence[Any] | None = ..., *, mass: Any = ...,
              invariants: Function | None = ..., jac: Any = ..., rtol: float = ...,
              atol: ArrayLike = ..., max_step: float = ..., first_step: float | None = ...,
              functions: Functions = ..., fixed: ArrayLike | None = ...,
              hit: ArrayLike | None = ..., vectorized: bool = ..., jac_sparsity: Any = ...,
              lband: int | None = ..., uband: int | None = ..., user_data: int | None = ...,
              compile: bool = ..., **options: Any) -> Result: ...
def solve_mechanical(force: Any, g: Any, q0: ArrayLike, v0: ArrayLike, t_span: Sequence[float], *,
                     mass: Any = ..., velocity_constraints: Function | None = ...,
                     method: str = ..., t_eval: ArrayLike | None = ..., dense_output: bool = ...,
                     events: Any = ..., args: Sequence[Any] | None = ...,
                     jac: Function | None = ..., rtol: float = ..., atol: ArrayLike = ...,
                     max_step: float = ..., first_step: float | None = ...,
                     functions: Functions = ..., fixed: ArrayLike | None = ...,
                     hit: ArrayLike | None = ..., user_data: int | None = ...,
                     constraints_count: int | None = ..., compile: bool = ...,
                     **options: Any) -> Result: ...
def solve_dae(F: Function, t_span: Sequence[float], x0: ArrayLike, xdot0: ArrayLike | None = ...,
              method: str = ..., t_eval: ArrayLike | None = ..., dense_output: bool = ...,
              events: Any = ..., args: Sequence[Any] | None = ..., *, rtol: float = ...,
              atol: ArrayLike = ..., max_step: float = ..., first_step: float | None = ...,
              functions: Functions = ..., fixed: ArrayLike | None = ...,
              hit: ArrayLike | None = ..., compile: bool = ..., jac: Function | None = ...,
              invariants: Function | None = ..., **options: Any) -> Result: ...
def solve_bvp(fun: Function, bc: Function, x: ArrayLike, y: ArrayLike, p: ArrayLike | None = ...,
              S: None = ..., fun_jac: Function | None = ..., bc_jac: Function | None = ...,
              tol: float = ..., max_nodes: int = ..., verbose: int = ...,
              bc_tol: float | None = ..., *, constraints: Function | None = ...,
              lam: ArrayLike | None = ..., functions: Functions = ..., method: str = ...,
              **options: Any) -> Result: ...
def from_sympy(expressions: Any, *arguments: Any) -> Function: ...
def gallery() -> dict[str, dict[str, Any]]: ...
def gallery_problem(name: str, **parameters: float) -> GalleryProblem: ...
def papers() -> dict[str, dict[str, Any]]: ...
def paper_table(name: str, row: int | None = ...) -> Result: ...
def options() -> dict[str, tuple[str, str, str]]: ...
def methods() -> dict[str, dict[str, Any]]: ...
def choices() -> dict[str, dict[str, tuple[str | None, str | None]]]: ...
