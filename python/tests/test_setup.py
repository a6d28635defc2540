"""Tests of the build. If the program cannot be built, there is one clear error."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import dpworkbench as wb
import pytest

HERE = Path(__file__).parents[1]


def build(folder, works=False, **env):
    pytest.importorskip("setuptools")
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(folder / "lib")]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, env={**os.environ, **env})
    assert (done.returncode == 0) == works, done.stderr
    return done.stderr


def pretend(folder, script):
    go = folder / "go"
    go.write_text("#!/bin/sh\n" + script)
    go.chmod(0o755)
    return str(go)


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
def test_errors(tmp_path):
    assert "there is no go on PATH: Go 1." in build(tmp_path, PATH=str(tmp_path), DPWORKBENCH_GO="")
    old = pretend(tmp_path, "echo go1.19.3; echo\n")
    assert f"{old} is go1.19.3, want Go 1." in build(tmp_path, DPWORKBENCH_GO=old)
    bound = pretend(tmp_path, "echo go1.24; echo local\n")
    assert f"{bound} is go1.24, want Go 1." in build(tmp_path, DPWORKBENCH_GO=bound)
    broken = pretend(tmp_path, "test $1 = env && echo go9.9 && exit 0; echo 'no space left' >&2; exit 1\n")
    said = build(tmp_path, DPWORKBENCH_GO=broken)
    assert "go build fails:\nno space left" in said and "Traceback" not in said


GO = """
case "$1 $2" in
"env GOVERSION") echo go9.9 ;;
"env GOOS") echo $TARGET linux amd64 ;;
"build -buildvcs=false") cp "$0" "$4" ;;
*) while [ $# -gt 1 ]; do shift; done; echo "__all__ = ['$GOOS', '$(basename "$0")']" | tee "$1/_words.py" > "$1/_words.pyi" ;;
esac
"""


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
@pytest.mark.parametrize("target, by", [("linux amd64", "workbench"), ("darwin arm64", "go")])
def test_vocabulary(tmp_path, target, by):
    """The built program generates _words.py. For another system, Go runs one."""
    build(tmp_path, works=True, DPWORKBENCH_GO=pretend(tmp_path, GO), TARGET=target, GOOS=target.split()[0])
    for name in "_words.py", "_words.pyi":
        assert (tmp_path / "lib" / "dpworkbench" / name).read_text() == f"__all__ = ['', '{by}']\n"


def test_without_a_vocabulary(tmp_path):
    """A package that was not built says how to generate the missing file."""
    shutil.copytree(HERE / "dpworkbench", tmp_path / "dpworkbench", ignore=shutil.ignore_patterns("_words.*", "bin", "__pycache__"))
    done = subprocess.run([sys.executable, "-B", "-c", "import dpworkbench"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert "go run ./cmd/workbench reference --python python/dpworkbench" in done.stderr.splitlines()[-1]


def test_version():
    pytest.importorskip("setuptools")
    done = subprocess.run([sys.executable, "setup.py", "-q", "--version"], cwd=HERE, capture_output=True, text=True)
    assert done.stdout.split()[-1:] == [wb.__version__], done.stderr
