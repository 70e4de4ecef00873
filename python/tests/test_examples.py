"""Examples, notebooks, docstrings and the pages' programs run."""

import doctest
import importlib
import json
import pkgutil
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import daedal

HERE = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((HERE / "examples").glob("*.py"))
NOTEBOOKS = sorted((HERE / "notebooks").glob("*.ipynb"))
PAGES = [p for p in (HERE / "README.md", *sorted((HERE.parent / "docs").glob("python*.md")))
         if p.exists()]
MODULES = [m.name for m in pkgutil.walk_packages(daedal.__path__, "daedal.")
           if not m.name.endswith("_core")]


def test_there_are_enough():
    assert len(EXAMPLES) >= 10 and len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, monkeypatch, capsys):
    if "sympy" in path.stem:
        pytest.importorskip("sympy")
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, monkeypatch):
    """All code cells in their order, in one namespace."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    book = json.loads(path.read_text())
    assert book["nbformat"] == 4
    scope = {"__name__": "__main__"}
    for i, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}[{i}]", "exec"), scope)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_is_valid(path):
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_public_names_have_examples():
    for name in daedal.__all__:
        thing = getattr(daedal, name)
        assert thing.__doc__, name
        if name.startswith("solve") or name in ("Model", "Solver"):
            assert ">>>" in thing.__doc__, name


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_programs_of_pages(path):
    """The Python blocks of a page, one after the other, in one namespace."""
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(), re.S)
    assert blocks or path.name == "python.md"
    scope = {"np": np, "daedal": daedal}
    for i, block in enumerate(blocks):
        exec(compile(block, f"{path.name}[{i}]", "exec"), scope)


def test_html_plot_and_pandas():
    r = daedal.solve_ivp(lambda t, y: np.array([y[1], -y[0]]), (0, 5), [0, 1.0])
    assert "<svg" in r._repr_html_() and "y[0]" in r._repr_html_()
    b = daedal.solve_bvp(lambda x, y: np.vstack((y[1], -y[0])),
                         lambda a, b: np.array([a[0], b[0] - 1]), np.linspace(0, 1, 5),
                         np.zeros((2, 5)))
    assert "<svg" in b._repr_html_()
    pandas = pytest.importorskip("pandas")
    frame = r.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["y[0]", "y[1]"]
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    assert len(r.plot(ax=Figure().subplots()).lines) == 2
    assert len(r.plot("y[1]", ax=Figure().subplots()).lines) == 1


def test_sympy_functions():
    sympy = pytest.importorskip("sympy")
    t, x, v, k = sympy.symbols("t x v k")
    fun = daedal.from_sympy([v, -4 * x], t, [x, v])
    r = daedal.solve_ivp(fun, (0, 1), [0, 2.0], functions="trace", rtol=1e-9, atol=1e-9)
    assert abs(r.y[0, -1] - np.sin(2)) < 1e-8
    assert fun(0.0, np.array([1.0, 2.0])).shape == (2,)
    with pytest.raises(ValueError, match="k"):
        daedal.from_sympy([k * x], t, [x, v])
    M = daedal.from_sympy(sympy.Matrix([[2, sympy.cos(x)], [sympy.cos(x), 3]]), t, [x, v])
    assert M(0.0, np.zeros(2)).shape == (2, 2)
