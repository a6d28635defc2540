import faulthandler

import dpworkbench as wb
import pytest

faulthandler.dump_traceback_later(600, exit=True)  # a hang is a failure


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def session():
    with wb.Session() as s:
        yield s
