import faulthandler
import signal

import dpworkbench as wb
import pytest

faulthandler.dump_traceback_later(600, exit=True)  # a hang is a failure
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore Ctrl-C


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Runs each test in an empty folder and without data sets."""
    monkeypatch.chdir(tmp_path)
    for name in "WORKBENCH_DATA", "XDG_CACHE_HOME":
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    return tmp_path


@pytest.fixture
def session():
    with wb.Session() as s:
        yield s
