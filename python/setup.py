"""Builds the program into the package, and generates _words.py with it. The rest of the build is in pyproject.toml.

$DPWORKBENCH_GO is the go command to use. $GOOS and $GOARCH select another system, as python/wheel does.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import ExecError, PlatformError

ROOT = Path(__file__).resolve().parent.parent
FIRST = (1, 21)  # the first Go that downloads newer versions


def numbers(text):
    return tuple(int(n) for n in re.findall(r"\d+", text)[:2])


def build(package):
    """Builds the program into the package's folder, and generates _words.py there."""
    to = package / "bin"
    mod = ROOT / "go.mod"
    if not mod.exists():
        raise PlatformError("the Go sources are not beside the package: install from a checkout of the whole repository (pip install ./python), or from a wheel that python/wheel has made")
    wanted = re.search(r"^go ([\d.]+)", mod.read_text(), re.M).group(1)
    go = os.environ.get("DPWORKBENCH_GO") or shutil.which("go")
    if not go:
        raise PlatformError(f"there is no go on PATH: Go {wanted} or later builds the program (https://go.dev/dl); a wheel that python/wheel has made needs none")
    try:
        said = subprocess.run([go, "env", "GOVERSION", "GOTOOLCHAIN"], cwd=to.anchor, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError) as e:
        raise PlatformError(f"{go} does not run: {e}") from None
    version, chain = said[0], said[1] if len(said) > 1 else ""
    if numbers(version) < numbers(wanted) and (chain == "local" or numbers(version) < FIRST):
        raise PlatformError(f"{go} is {version}, want Go {wanted} or later (https://go.dev/dl)")
    to.mkdir(parents=True, exist_ok=True)
    windows = os.environ.get("GOOS", os.name) in ("windows", "nt")
    out = to / ("workbench.exe" if windows else "workbench")
    run("go build", [go, "build", "-buildvcs=false", "-o", str(out), "./cmd/workbench"])
    system = run("go env", [go, "env", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH"]).split()
    here = system[:2] == system[2:]
    # A program for another system does not run here, so Go builds and runs one for this system.
    program = [str(out)] if here else [go, "run", "-buildvcs=false", "./cmd/workbench"]
    host = {k: v for k, v in os.environ.items() if k not in ("GOOS", "GOARCH")}
    run("workbench reference", [*program, "reference", "--python", str(package)], env=host)


def run(name, command, **how):
    """Returns what a command prints."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **how)
    if done.returncode:
        raise ExecError(f"{name} fails:\n{done.stderr.strip()}")
    return done.stdout


class BuildProgram(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            build(Path(self.get_package_dir("dpworkbench")).resolve())
        else:
            build(Path(self.build_lib).resolve() / "dpworkbench")


class PlatformWheel(bdist_wheel):
    """A wheel for every Python of one system, since the program is linked statically."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", os.environ.get("DPWORKBENCH_PLATFORM") or super().get_tag()[2]


class NoSource(sdist):
    def run(self):
        raise PlatformError("there is no source distribution: the Go sources stand outside the package. python/wheel makes wheels")


setup(cmdclass={"build_py": BuildProgram, "bdist_wheel": PlatformWheel, "sdist": NoSource})
