"""The kernel that Jupyter starts for the workbench's notebooks: ``python -m dpworkbench.kernel -f FILE``.

ipykernel speaks with Jupyter; ``workbench serve --stdio --notebook`` runs the cells (docs/protocol.md).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import uuid
from fnmatch import fnmatchcase
from typing import Any

from ipykernel.kernelapp import IPKernelApp  # type: ignore[import-not-found, import-untyped, unused-ignore]
from ipykernel.kernelbase import Kernel  # type: ignore[import-not-found, import-untyped, unused-ignore]

from ._errors import Error
from ._session import Session, Worker
from ._wire import frame


class WorkbenchKernel(Kernel):  # type: ignore[misc, unused-ignore]
    """A session of the workbench as a kernel."""

    workbench: Session  # set before the kernel starts

    implementation = "dpworkbench"
    language_info = {
        "name": "starlark",
        "version": "1",
        "mimetype": "text/x-python",
        "file_extension": ".star",
        "pygments_lexer": "python",  # Starlark is a dialect of Python
        "codemirror_mode": {"name": "python", "version": 3},
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.implementation_version = self.workbench.version
        self.banner = f"dpworkbench {self.implementation_version}\nhelp() lists the vocabulary, name? explains."
        self.asking = threading.Lock()
        self.asked: tuple[Worker, int] | None = None  # the request that runs, if any
        self.ending = False
        self.silent = False
        self.progress = ""  # id of the running cell's progress display; "" before the first progress
        self.cells: list[tuple[int, str]] = []
        signal.signal(signal.SIGINT, self.interrupt)

    @property
    def kernel_info(self) -> dict[str, Any]:
        return {**super().kernel_info, "supported_features": []}  # no subshells and no debugger

    def pre_handler_hook(self) -> None:
        """Keeps interrupt as the handler of SIGINT. ipykernel's raises KeyboardInterrupt, even in the middle of a message."""

    def post_handler_hook(self) -> None:
        pass

    def interrupt(self, *_: Any) -> None:
        if self.asked is not None:
            self.asked[0].interrupt(self.asked[1])

    def ask(self, what: str, **how: Any) -> dict[str, Any]:
        """Returns the workbench's answer, and publishes the output that precedes it."""
        with self.asking:
            try:
                worker = self.workbench._started()
                worker.last += 1
                number = worker.last
                self.asked = worker, number
                worker.write(frame(b"N", number, {"ask": what, **how}))
                while True:
                    kind, of, text, _ = worker.read()
                    body = json.loads(text)
                    if kind == ord("e"):
                        raise Error(body["text"])
                    if kind == ord("r"):
                        return dict(body["value"])
                    self.heard(kind, body)
            except Error as e:  # if the process has ended, the next request starts another
                return {"status": "error", "ename": type(e).__name__, "evalue": str(e), "traceback": [f"{type(e).__name__}: {e}"]}
            finally:
                self.asked = None

    def heard(self, kind: int, body: dict[str, Any]) -> None:
        if self.silent:
            return
        if kind == ord("o"):
            sys.stdout.write(body["text"])
        elif kind == ord("d"):
            self.publish("display_data", body)
        elif kind == ord("p"):
            update = "update_display_data" if self.progress else "display_data"
            self.progress = self.progress or uuid.uuid4().hex
            text = "" if body.get("finished") else body["text"]
            self.publish(update, {"data": {"text/plain": text}, "metadata": {}, "transient": {"display_id": self.progress}})

    def publish(self, kind: str, content: dict[str, Any]) -> None:
        """Publishes a message of the running cell, after the cell's printed output."""
        if not self.silent:
            sys.stdout.flush()
            self.send_response(self.iopub_socket, kind, content)

    async def execute_request(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        content = parent["content"]
        if not content.get("silent") and not content.get("store_history", True):
            self.execution_count -= 1  # ipykernel increments it for every cell that is not silent
        await super().execute_request(stream, ident, parent)

    async def do_execute(self, code: str, silent: bool, store_history: bool = True, user_expressions: dict[str, str] | None = None, allow_stdin: bool = False, **_: Any) -> dict[str, Any]:
        if self.ending:
            return {"status": "aborted"}
        count, store = self.execution_count, store_history and not silent
        if store and code.strip():
            self.cells.append((count, code))
        self.silent, self.progress = silent, ""
        sys.stdout.set_parent(self.get_parent())  # type: ignore[attr-defined, unused-ignore]
        reply = self.ask("run", source=code, count=count, silent=silent, store=store, expressions=user_expressions or {})
        result = reply.pop("result", None)
        if result is not None:
            self.publish("execute_result", {**result, "execution_count": count})
        if reply["status"] == "error":
            self.publish("error", {k: reply[k] for k in ("ename", "evalue", "traceback")})
        return {**reply, "execution_count": count}

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        return self.ask("complete", source=code, at=cursor_pos)

    async def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict[str, Any]:
        return self.ask("inspect", source=code, at=cursor_pos)

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        return self.ask("whole", source=code)

    async def do_history(self, hist_access_type: str, output: bool = False, raw: bool = False, session: int = 0, start: int = 0, stop: int = 0, n: int = 0, pattern: str = "*", unique: bool = False, **_: Any) -> dict[str, Any]:
        """Returns cells of this session, number 1. The kernel keeps no cells of earlier sessions."""
        found = self.cells
        if hist_access_type == "range":
            found = [(line, code) for line, code in found if session in (0, 1) and start <= line and not (stop and line >= stop)]
        elif hist_access_type == "search":
            found = [(line, code) for line, code in found if fnmatchcase(code, pattern.replace("[", "[[]"))]
        if unique:
            last = {code: line for line, code in found}
            found = [(line, code) for line, code in found if last[code] == line]
        if hist_access_type != "range" and n:
            found = found[-n:]
        return {"status": "ok", "history": [(1, line, (code, None) if output else code) for line, code in found]}

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        self.ending = True
        self.interrupt()
        return {"status": "ok", "restart": restart}


class Application(IPKernelApp):  # type: ignore[misc, unused-ignore]
    """The process that answers Jupyter's messages."""

    def start(self) -> None:
        """Runs until a shutdown request has been answered.

        The control thread waits until its answer is sent. In ipykernel 7.4 the thread that sends ends with the main thread.
        If that happens first, the control thread waits for ever, and so does the process.
        """
        super().start()
        self.control_thread.stop()
        self.control_thread.join()


def check(path: str) -> None:
    """Refuses a malformed connection file, and one without a key: anyone who reaches the port could run cells."""
    with open(path, encoding="utf-8") as file:
        connection = json.load(file)
    if not isinstance(connection, dict):
        raise ValueError("it holds no JSON object")
    if not connection.get("key"):
        raise ValueError("key is empty, want a secret that messages are signed with")
    scheme = connection.get("signature_scheme")
    if scheme != "hmac-sha256":
        raise ValueError(f'signature_scheme = {json.dumps(scheme)}, want "hmac-sha256"')


def main() -> None:
    parser = argparse.ArgumentParser("dpworkbench.kernel", description="The kernel that Jupyter starts for the workbench's notebooks.")
    parser.add_argument("-f", metavar="FILE", dest="file", required=True, help="connection file, as Jupyter writes it")
    parser.add_argument("--data", metavar="DIR", help="folder of data sets")
    parser.add_argument("--seed", type=int, default=0, help="default of every seed parameter")
    given = parser.parse_args()
    try:
        check(given.file)
    except (OSError, ValueError) as e:
        sys.exit(f"dpworkbench.kernel: bad connection file {given.file}: {e.strerror if isinstance(e, OSError) else e}")
    workbench = Session(seed=given.seed, data=given.data)
    workbench._arguments += ["--notebook", *(word for a in os.environ.get("WORKBENCH_SET", "").split() for word in ("--set", a))]
    try:
        workbench._started()
    except Error as e:
        sys.exit(f"dpworkbench.kernel: {e}")
    WorkbenchKernel.workbench = workbench
    Application.launch_instance(argv=["-f", given.file], kernel_class=WorkbenchKernel)


if __name__ == "__main__":
    main()
