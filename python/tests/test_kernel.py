"""Tests of the kernel as Jupyter starts it. The results of cells are tested in repl/serve."""

import json
import os
import queue
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("ipykernel")
from dpworkbench._session import binary
from dpworkbench.kernel import WorkbenchKernel
from jupyter_client.manager import KernelManager


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jupyter")
    env = {**os.environ, "JUPYTER_DATA_DIR": str(folder)}
    subprocess.run([binary(), "kernel", "install", "--python", sys.executable], check=True, env=env, stdout=subprocess.DEVNULL)
    before = os.environ.get("JUPYTER_DATA_DIR")
    os.environ["JUPYTER_DATA_DIR"] = str(folder)
    yield folder
    os.environ.pop("JUPYTER_DATA_DIR")
    if before is not None:
        os.environ["JUPYTER_DATA_DIR"] = before


@pytest.fixture(scope="module")
def kernel(installed):
    """A kernel and its client."""
    os.environ["WORKBENCH_SET"] = "quick=1 name=x"
    manager = KernelManager(kernel_name="dpworkbench")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    os.environ.pop("WORKBENCH_SET")


def collect(client, asked):
    """Returns the published messages and the reply of a request."""
    public = []
    while True:
        m = client.get_iopub_msg(timeout=60)
        if m["parent_header"].get("msg_id") != asked:
            continue
        if m["msg_type"] == "status":
            if m["content"]["execution_state"] == "idle":
                break
        else:
            public.append((m["msg_type"], m["content"]))
    while True:
        m = client.get_shell_msg(timeout=60)
        if m["parent_header"].get("msg_id") == asked:
            return public, m["content"]


def run(client, code, **how):
    return collect(client, client.execute(code, **how))


def text(public):
    return [c["data"]["text/plain"] for kind, c in public if kind == "execute_result"]


def await_output(client, asked):
    while True:
        m = client.get_iopub_msg(timeout=60)
        if m["parent_header"].get("msg_id") == asked and m["msg_type"] == "stream":
            return


def test_what_is_said_and_kept(kernel):
    """A silent cell publishes nothing; a cell that is not stored is neither counted nor kept."""
    _, client = kernel
    first = run(client, "args['quick'], args['name']")
    assert text(first[0]) == ['(1, "x")']
    n = first[1]["execution_count"]
    for code, how, said, count in [
        ("10 + 1", {}, ["execute_input", "execute_result"], n + 1),
        ("10 + 2", {"store_history": False}, ["execute_input", "execute_result"], n + 1),
        ("print('a')\n10 + 3", {"silent": True}, [], n + 1),
        ("10 // 0", {"silent": True, "store_history": True}, [], n + 1),
        ("print('a')\nln(0)", {"store_history": False}, ["execute_input", "stream", "error"], n + 1),
        ("  \n", {}, ["execute_input"], n + 2),
        ("print('a')\nshow(3)\nprint('b')\n4", {}, ["execute_input", "stream", "display_data", "stream", "execute_result"], n + 3),
    ]:
        public, reply = run(client, code, **how)
        assert [kind for kind, _ in public] == said, code
        assert reply["execution_count"] == count, code
        assert all(c["execution_count"] == count for kind, c in public if kind in ("execute_input", "execute_result")), code
    kept = collect(client, client.history(hist_access_type="range", session=0, start=n + 1, raw=True, output=False))[1]["history"]
    assert [(line, code) for _, line, code in kept] == [(n + 1, "10 + 1"), (n + 3, "print('a')\nshow(3)\nprint('b')\n4")]
    run(client, "c = [0]\nc[0]")
    for how, want in [
        ({"hist_access_type": "tail", "n": 1}, ["c = [0]\nc[0]"]),
        ({"hist_access_type": "search", "pattern": "*c[0]"}, ["c = [0]\nc[0]"]),
        ({"hist_access_type": "search", "pattern": "10 ? 1"}, ["10 + 1"]),
        ({"hist_access_type": "range", "session": -1, "start": 1}, []),
    ]:
        assert [code for _, _, code in collect(client, client.history(raw=True, output=False, **how))[1]["history"]] == want


def test_lines_are_gathered(kernel):
    _, client = kernel
    public, _ = run(client, "for i in range(10000): print(i)")
    said = [c["text"] for kind, c in public if kind == "stream"]
    assert "".join(said) == "".join(f"{i}\n" for i in range(10000))
    assert len(said) < 1000


def test_progress_is_one_line():
    """A cell has one line of progress, which is emptied at the end."""
    said = []
    kernel = SimpleNamespace(silent=False, progress="", publish=lambda kind, content: said.append((kind, content["data"]["text/plain"], content["transient"]["display_id"])))
    for body in ({"text": "25%"}, {"text": "50%"}, {"text": "50%", "finished": True}):
        WorkbenchKernel.heard(kernel, ord("p"), body)
    assert [m[:2] for m in said] == [("display_data", "25%"), ("update_display_data", "50%"), ("update_display_data", "")]
    assert {m[2] for m in said} == {kernel.progress}
    kernel.silent = True
    WorkbenchKernel.heard(kernel, ord("p"), {"text": "75%"})
    assert len(said) == 3


@pytest.mark.parametrize("how", ["signal", "message"])
def test_interrupts(kernel, how):
    """An interrupt ends a cell within a second and keeps the session, any number of times."""
    manager, client = kernel
    run(client, "x = 41")
    asked = client.execute("print('on')\nwhile True: pass")
    await_output(client, asked)
    for _ in range(5):
        if how == "signal":
            os.kill(manager.provisioner.pid, signal.SIGINT)
        else:
            client.control_channel.send(client.session.msg("interrupt_request", {}))
    _, reply = collect(client, asked)
    assert reply["ename"] == "Interrupted"
    os.kill(manager.provisioner.pid, signal.SIGINT)  # between cells: nothing happens
    while True:
        public, reply = run(client, "x + 1")
        if reply.get("ename") != "Interrupted":  # the signal came late
            break
    assert text(public) == ["42"]


def test_failures(kernel):
    """Cells sent together with one that fails are refused, unless stop_on_error is false. No cell can ask for input."""
    manager, client = kernel

    def statuses(stop):
        ids = [client.execute(code, stop_on_error=stop) for code in ("print('on')\nwhile True: pass", "1")]
        await_output(client, ids[0])
        os.kill(manager.provisioner.pid, signal.SIGINT)
        return [collect(client, i)[1]["status"] for i in ids]

    assert any(statuses(True) == ["error", "aborted"] for _ in range(20))  # if the second has arrived before the first fails
    assert statuses(False) == ["error", "ok"]
    public, reply = run(client, "input('name? ')", allow_stdin=True)
    assert "a script asks no questions" in reply["evalue"] and "\x1b[1m" in "".join(reply["traceback"])
    assert public[-1] == ("error", {k: reply[k] for k in ("ename", "evalue", "traceback")})
    with pytest.raises(queue.Empty):
        client.get_stdin_msg(timeout=0.1)
    _, reply = run(client, "1", user_expressions={"good": "ln(3)", "bad": "nope"})
    good, bad = reply["user_expressions"]["good"], reply["user_expressions"]["bad"]
    assert good["status"] == "ok" and "text/html" in good["data"] and bad["status"] == "error" and "nope" in bad["evalue"]


def test_the_process_of_the_workbench_ends(kernel):
    """If the process ends, the cell reports that, and the next cell runs in another process."""
    manager, client = kernel
    asked = client.execute("print('on')\nwhile True: pass")
    await_output(client, asked)
    children = subprocess.run(["pgrep", "-P", str(manager.provisioner.pid)], capture_output=True, text=True).stdout.split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    _, reply = collect(client, asked)
    assert reply["ename"] == "WorkerError" and "SIGKILL" in reply["evalue"]
    assert text(run(client, "6 * 7")[0]) == ["42"]


def test_shutdown_during_a_cell(installed):
    manager = KernelManager(kernel_name="dpworkbench")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    asked = client.execute("print('on')\nwhile True: pass")
    client.execute("while True: pass")
    await_output(client, asked)
    client.shutdown()
    assert client.get_control_msg(timeout=60)["content"]["status"] == "ok"
    assert manager.provisioner.process.wait(timeout=60) == 0
    client.stop_channels()
    manager.cleanup_resources()


GOOD = {"transport": "tcp", "ip": "127.0.0.1", "signature_scheme": "hmac-sha256", "key": "k"}


@pytest.mark.parametrize(
    "connection, words, said",
    [
        ({**GOOD, "key": ""}, "", "key is empty"),
        ({**GOOD, "signature_scheme": "md5"}, "", 'signature_scheme = "md5", want "hmac-sha256"'),
        ([], "", "no JSON object"),
        (None, "", "No such file"),
        (GOOD, "a=1 b", "--set b, want --set NAME=VALUE"),
    ],
)
def test_refused(tmp_path, connection, words, said):
    file = tmp_path / "connection.json"
    if connection is not None:
        file.write_text(json.dumps(connection))
    done = subprocess.run([sys.executable, "-m", "dpworkbench.kernel", "-f", str(file)], capture_output=True, text=True, env={**os.environ, "WORKBENCH_SET": words}, timeout=120)
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert file.exists() == (connection is not None)
