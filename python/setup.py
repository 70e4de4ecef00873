"""Builds the extension daedal._core: the binding in ext/ and the C library, without any dependency.

The library's sources are those of the repository around this folder, or, in a source distribution,
the copy of them in core/. One shared file comes out, for every Python from 3.11 on (limited API).
"""

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:  # newer setuptools has its own
    from setuptools.command.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
CORE = HERE / "core" if (HERE / "core").is_dir() else HERE.parent
FOLDERS = ("include/daedal", "src", "gallery", "papers")
LIMITED = "0x030B0000"  # Python 3.11: the first whose limited API has buffers


def version():
    text = (CORE / "include/daedal/version.h").read_text()
    return re.search(r'define DAE_VERSION "(.*)"', text).group(1)


def relative(path):
    return os.path.relpath(path, HERE)


def library_sources():
    """Everything in src/ but what names LAPACK and KLU, and the gallery."""
    found = sorted((CORE / "src").rglob("*.c")) + sorted((CORE / "gallery").glob("*.c"))
    return [relative(path) for path in found if path.name != "klu.c"]


class BuildExt(build_ext):
    """Compiles the files side by side, and only those that changed."""

    def build_extension(self, ext):
        core, out = relative(CORE), self.build_temp
        flags = ["-std=c17", "-O3", "-g0", "-fvisibility=hidden", "-fPIC", "-ffp-contract=off",
                 "-fno-math-errno", "-DNDEBUG"]
        include = [f"{core}/include", f"{core}/gallery", f"{core}/papers"]
        jobs = []
        prebuilt = os.environ.get("DAEDAL_PREBUILT")  # a CMake build without LAPACK and KLU
        wide = os.uname().machine in ("x86_64", "AMD64")
        for source in [] if prebuilt else library_sources():
            macros = [("DAEDAL_BUILD", None), ("_POSIX_C_SOURCE", "200809L")]
            extra = ["-mavx2"] if wide and source.endswith("la/wide.c") else []
            if wide:
                macros.append(("DAE_LA_HAS_WIDE", None))
            jobs.append((source, macros, include + [f"{core}/src"], flags + extra))
        for source in sorted((CORE / "papers").glob("*.c")):
            jobs.append((relative(source), [("_POSIX_C_SOURCE", "200809L")], include, flags))
        for source in ext.sources:
            jobs.append((source, [("Py_LIMITED_API", LIMITED)], include + ["ext"], flags))
        headers = [*CORE.joinpath("include").rglob("*.h"), *CORE.joinpath("src").rglob("*.h"),
                   *CORE.joinpath("papers").glob("*.h"), *CORE.joinpath("gallery").glob("*.h"),
                   *HERE.joinpath("ext").glob("*.h")]
        newest = max(os.path.getmtime(path) for path in headers)

        launcher = os.environ.get("CMAKE_C_COMPILER_LAUNCHER", "").split()

        def compile_one(job):
            source, macros, folders, options = job
            place = os.path.join(out, re.sub(r"[^A-Za-z0-9]", "_", source))
            target = os.path.join(place, os.path.splitext(source.replace("../", ""))[0] + ".o")
            changed = max(os.path.getmtime(source), newest)
            if os.path.exists(target) and os.path.getmtime(target) > changed:
                return target
            os.makedirs(os.path.dirname(target), exist_ok=True)
            command = [*launcher, *self.compiler.compiler_so,
                       *(f"-D{n}" if v is None else f"-D{n}={v}" for n, v in macros),
                       *(f"-I{folder}" for folder in folders + self.compiler.include_dirs),
                       "-c", source, "-o", target, *options]
            self.compiler.spawn(command)
            return target

        workers = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", 0)) or os.cpu_count() or 1
        with ThreadPoolExecutor(workers) as pool:
            objects = list(pool.map(compile_one, jobs))
        if prebuilt:
            objects += [os.path.join(prebuilt, name)
                        for name in ("libdaedal_gallery.a", "libdaedal.a")]
        self.compiler.link_shared_object(objects, self.get_ext_fullpath(ext.name),
                                         libraries=["dl", "m"], extra_postargs=["-s"],
                                         target_lang="c")


class BuildPy(build_py):
    """The models of the gallery travel with the package."""

    def run(self):
        super().run()
        target = Path(self.build_lib) / "daedal/models"
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted((CORE / "gallery").glob("*.mo")):
            shutil.copy(path, target)


class Sdist(sdist):
    """Puts the C sources into core/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for folder in FOLDERS:
            for path in sorted((CORE / folder).rglob("*")):
                if path.suffix in (".c", ".h", ".mo"):
                    target = Path(base_dir) / "core" / path.relative_to(CORE)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
        shutil.copy(CORE / "LICENSE", Path(base_dir) / "core")


class BdistWheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return "cp311", "abi3", platform


setup(
    version=version(),
    license_files=["core/LICENSE"] if (HERE / "core/LICENSE").exists() else [],
    ext_modules=[Extension("daedal._core", py_limited_api=True,
                           sources=sorted(relative(p) for p in (HERE / "ext").glob("*.c")))],
    cmdclass={"build_ext": BuildExt, "build_py": BuildPy, "sdist": Sdist,
              "bdist_wheel": BdistWheel},
)
