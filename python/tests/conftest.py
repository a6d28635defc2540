import faulthandler
import signal

import dpworkbench as wb
import pytest

faulthandler.dump_traceback_later(600, exit=True)  # a hang is a failure
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore Ctrl-C


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of one's own, and no data sets."""
    monkeypatch.chdir(tmp_path)
    for name in "WORKBENCH_DATA", "XDG_CACHE_HOME":
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    return tmp_path


@pytest.fixture
def session():
    with wb.Session() as s:
        yield s
