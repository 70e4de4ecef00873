"""Packaging: source distribution, wheel, a new environment without network."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import daedal

HERE = Path(__file__).resolve().parent.parent


def test_what_is_installed():
    folder = Path(daedal.__file__).parent
    assert (folder / "py.typed").exists()
    names = [path.name for path in folder.glob("_core*")]
    assert any("abi3" in name for name in names)
    assert daedal.__version__.count(".") == 2
    for name in daedal.__all__:
        assert hasattr(daedal, name)


def test_only_libc_and_libm_are_needed():
    core = next(Path(daedal.__file__).parent.glob("_core*.so"))
    try:
        said = subprocess.run(["ldd", str(core)], capture_output=True, text=True).stdout
    except FileNotFoundError:
        pytest.skip("no ldd")
    needed = [line.split()[0] for line in said.splitlines() if line.strip()]
    allowed = ("linux-vdso", "libc.so", "libm.so", "ld-linux", "/lib", "libdl", "libpthread")
    assert all(name.startswith(allowed) for name in needed), needed


@pytest.mark.long
def test_sdist_wheel_install(tmp_path):
    pytest.importorskip("build")
    if not (HERE / "setup.py").exists():
        pytest.skip("not in a source tree")
    out = tmp_path / "dist"
    environment = dict(os.environ, PIP_NO_INDEX="1")
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out),
                    str(HERE)], check=True, env=environment, capture_output=True)
    wheel = next(out.glob("*.whl"))
    assert "cp311-abi3" in wheel.name and list(out.glob("*.tar.gz"))
    names = zipfile.ZipFile(wheel).namelist()
    assert "daedal/py.typed" in names and "daedal/models/andrews.mo" in names
    new = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(new)], check=True)
    python = str(new / "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps",
                    "--force-reinstall", str(wheel)], check=True, capture_output=True)
    program = (HERE / "README.md").read_text().split("```python\n")[1].split("```")[0]
    said = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True,
                          cwd=tmp_path)
    assert "position" in said.stdout


def test_stub_agrees_with_the_signatures():
    """The names of parameters in __init__.pyi are those of the functions."""
    import ast
    import inspect

    tree = ast.parse((Path(daedal.__file__).parent / "__init__.pyi").read_text())
    stubs = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef,
                                                                        ast.ClassDef))}
    assert set(daedal.__all__) <= set(stubs)

    def names(arguments):
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [a.arg for a in every]

    for name, node in stubs.items():
        thing = getattr(daedal, name, None)
        if isinstance(node, ast.FunctionDef):
            real = [p.name for p in inspect.signature(thing).parameters.values()
                    if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
            assert names(node.args) == real, name
        elif name in ("Model", "Solver"):
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and not item.decorator_list:
                    found = inspect.signature(getattr(thing, item.name))
                    real = [p.name for p in found.parameters.values()
                            if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
                    assert names(item.args) == real, f"{name}.{item.name}"
