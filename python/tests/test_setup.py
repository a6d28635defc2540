"""One clear error where the program cannot be built."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def build(folder, **env):
    pytest.importorskip("setuptools")
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(folder / "lib")]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, env={**os.environ, **env})
    assert done.returncode != 0
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
