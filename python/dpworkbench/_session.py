"""Sessions: processes of the workbench, and requests to them."""

from __future__ import annotations

import atexit
import contextvars
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._errors import EndedError, Error, WorkerError, error, without_frames
from ._values import Function, Object, classes
from ._wire import HEAD, PROTOCOL, Packer, frame, unpack, writable

__tracebackhide__ = True  # pytest omits the frames of this module
DEEPEST = 40  # limit of requests nested in callbacks
PIPE = 1 << 20  # capacity of a pipe in bytes, where the system allows to set it
PATIENCE = 1.0  # seconds that another thread's call waits while one Python function runs


def binary() -> str:
    """Returns the path of the program: $DPWORKBENCH_BINARY, or the one that was installed with the package."""
    path = os.environ.get("DPWORKBENCH_BINARY")
    if path:
        return path
    path = os.path.join(os.path.dirname(__file__), "bin", "workbench.exe" if os.name == "nt" else "workbench")
    if not os.path.exists(path):
        raise Error(f"the program is not at {path}: install the package (pip install ./python), or name the program in DPWORKBENCH_BINARY")
    return path


class Worker:
    """A process of the workbench and the pipes to it. Interrupts never leave a frame half written or half read."""

    def __init__(self, session: Session, arguments: list[str]) -> None:
        self.session = session
        self.owner = os.getpid()
        self.ended = ""
        self.errors = tempfile.TemporaryFile()
        path = binary()
        apart: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x00000200}
        try:
            self.process = subprocess.Popen([path, "serve", "--stdio", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, bufsize=0, **apart)
        except OSError as e:
            raise Error(f"{path} cannot be started: {e.strerror}") from None
        assert self.process.stdin is not None and self.process.stdout is not None
        self.to, self.fro = self.process.stdin, self.process.stdout
        _widen(self.to.fileno(), self.fro.fileno())
        self.writing = threading.Lock()
        self.pending: int | None = None  # the request to interrupt once the current frame is written
        self.buffer = bytearray()
        self.resting = False  # whether it waits for input; the part of a frame that has arrived is in the buffer
        self.arrival: Any = None
        if hasattr(select, "poll"):
            self.arrival = select.poll()
            self.arrival.register(self.fro.fileno(), select.POLLIN)
        self.early: dict[int, tuple[int, Any, Any]] = {}  # answers to outer requests that have arrived already
        self.released: deque[tuple[int, int]] = deque()
        self.objects: weakref.WeakValueDictionary[int, Object] = weakref.WeakValueDictionary()
        self.functions: dict[int, Callable[..., Any]] = {}
        self.last = 0  # the last number given to a function or a request
        self.raised: dict[int, BaseException] = {}  # exceptions of functions, by the number of the callback
        self.folder = os.getcwd()
        _workers.add(self)
        self.write(frame(b"H", 0, {"protocol": PROTOCOL, **session._terminal}))
        kind, _, text, data = self.read()
        body = unpack(self, text, data)
        if kind != ord("h"):
            self.close()
            raise Error(body["text"])
        self.version = str(body["version"])

    def check(self) -> None:
        """Raises EndedError if the process has ended, or belongs to the process of Python that forked this one."""
        if self.owner != os.getpid():
            raise EndedError(f"this object belongs to the workbench of process {self.owner}, of which this one is a fork: make it anew here")
        if self.ended:
            raise EndedError(f"this object belongs to a process of the workbench that has ended ({self.ended}): make it anew")

    def hold(self, f: Callable[..., Any]) -> int:
        """Keeps a function until the workbench drops it, and returns its number."""
        self.last += 1
        self.functions[self.last] = f
        return self.last

    def object(self, d: dict[str, Any]) -> Any:
        """Returns the object with a number. The same object is returned as long as it is alive."""
        o = self.objects.get(d["$h"])
        if o is None:
            o = classes.get(d["type"], Function if "name" in d else Object)._of(self, d)  # type: ignore[attr-defined]
            self.objects[d["$h"]] = o
        o._times += 1
        return o

    def matrix(self, a: np.ndarray[Any, Any], names: list[str] | None) -> Any:
        out: Any = a.view(classes["matrix"])
        out.names = names
        return out

    def write(self, parts: list[Any]) -> None:
        try:
            with self.writing:
                for part in parts:
                    left = memoryview(part).cast("B")
                    while len(left):
                        left = left[self.to.write(left) :]
        except (BrokenPipeError, OSError, ValueError):
            self.bury()
        number, self.pending = self.pending, None
        if number is not None:
            self.interrupt(number)

    def interrupt(self, number: int) -> None:
        """Asks the process to end a request. It may be called by a signal handler in the middle of write."""
        if not self.writing.acquire(blocking=False):
            self.pending = number
            return
        try:
            self.to.write(frame(b"I", number, {})[0])
        except (OSError, ValueError):
            pass  # the next read reports that the process has ended
        finally:
            self.writing.release()

    def fill(self, size: int) -> None:
        while len(self.buffer) < size:
            if self.arrival is not None:
                self.resting = True
                self.arrival.poll()
                self.resting = False
            try:
                more = os.read(self.fro.fileno(), max(65536, size - len(self.buffer)))
            except (OSError, ValueError):
                more = b""
            if not more:
                self.bury()
            self.buffer += more

    def read(self) -> tuple[int, int, Any, Any]:
        """Reads the next frame: its kind, its number, its text and its data."""
        self.fill(HEAD.size)
        size, kind, number, length = HEAD.unpack_from(self.buffer)
        self.fill(HEAD.size + length)
        text = bytes(self.buffer[HEAD.size : HEAD.size + length])
        del self.buffer[: HEAD.size + length]
        rest = size - (HEAD.size - 4) - length
        if not rest:
            return kind, number, text, b""
        data = bytearray(rest)
        have = min(rest, len(self.buffer))
        data[:have] = self.buffer[:have]
        del self.buffer[:have]
        left = memoryview(data)[have:]
        while len(left):
            try:
                n = self.fro.readinto(left)  # type: ignore[attr-defined]
            except (OSError, ValueError):
                n = 0
            if not n:
                self.bury()
            left = left[n:]
        return kind, number, text, data

    def bury(self) -> None:
        """Raises WorkerError for a process that has ended unexpectedly."""
        if self.owner != os.getpid():
            self.check()
        if not self.ended:
            try:
                code = self.process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                code = self.process.wait()
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
            try:
                self.errors.seek(0)
                said = self.errors.read()[-2000:].decode(errors="replace").strip()
            except (OSError, ValueError):
                said = ""
            self.close(how + (f": {said}" if said else ""))
        raise WorkerError(f"the process of the workbench has ended ({self.ended}); what was made there is gone, and the next call starts another")

    def close(self, why: str = "closed") -> None:
        if self.ended:
            return
        self.ended = why
        for pipe in (self.to, self.fro, self.errors):
            try:
                pipe.close()
            except OSError:
                pass
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.functions.clear()

    def abandon(self) -> None:
        """Closes the pipes in a fork, where they belong to the parent."""
        self.ended = "forked"
        for pipe in (self.to, self.fro, self.errors):
            try:
                pipe.close()
            except OSError:
                pass
        self.process.returncode = 0  # the parent waits for it


def _widen(*pipes: int) -> None:
    try:
        import fcntl

        for p in pipes:
            fcntl.fcntl(p, getattr(fcntl, "F_SETPIPE_SZ", 1031), PIPE)
    except (ImportError, OSError):
        pass


class _Guard:
    """Sends interrupts to the workbench while a request of the main thread runs, and restores Python's handler
    afterwards, so that no frame is left half read."""

    def __init__(self, worker: Worker, number: int) -> None:
        self.worker, self.number = worker, number
        self.times = 0
        self.previous: Any = None

    def hear(self, *_: Any) -> None:
        self.times += 1
        if self.times > 2:  # the process does not respond
            self.worker.process.kill()
        self.worker.interrupt(self.number)

    def enter(self) -> None:
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):
                self.previous = previous
                signal.signal(signal.SIGINT, self.hear)

    def leave(self) -> None:
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)

    def done(self, text: str) -> None:
        """Calls the handler that was installed before if there was an interrupt; text is the workbench's message."""
        if self.times and self.previous is not None:
            self.times = 0
            try:
                self.previous(signal.SIGINT, None)
            except KeyboardInterrupt as e:
                raise (e if e.args or not text else type(e)(text)) from None
            raise KeyboardInterrupt(text)


class Session:
    """A process of the workbench with its names, seed and data.

    Inside ``with Session(seed=7):`` the functions of the package use it. Elsewhere they use a default session, which
    starts with the first call. An object belongs to the session that made it.

    seed, unless 0, is the default of every parameter named seed. data is a folder of data sets. memory limits the memory
    of the process, as in "4GB". progress says whether long computations show a progress bar, which needs tqdm.
    """

    def __init__(self, *, seed: int = 0, data: str | os.PathLike[str] | None = None, memory: str | None = None, progress: bool = True) -> None:
        self._arguments = ["--seed", str(int(seed))] if seed else []
        if data is not None:
            self._arguments += ["--data", os.fspath(data)]
        if memory is not None:
            self._arguments += ["--memory", memory]
        self.progress = progress
        self._terminal: dict[str, Any] = {"width": 80, "height": 20, "unicode": True}
        self._worker: Worker | None = None
        self._closed = False
        self._tokens: list[contextvars.Token[Session | None]] = []
        self._reset()
        _sessions.add(self)

    def _reset(self) -> None:
        self._lock = threading.RLock()
        self._stack: list[tuple[int, _Guard]] = []  # requests without an answer, outermost first
        self._late: BaseException | None = None  # an exception that ended a callback and will end the request
        self._outside: list[str] | None = None  # the Python code that the session waits for, and its thread
        self._bar: Any = None

    def __enter__(self) -> Session:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *_: Any) -> None:
        _current.reset(self._tokens.pop())
        if not self._tokens:
            self.close()

    def close(self) -> None:
        """Ends the process. Its objects cannot be used any more."""
        self._closed = True
        worker, self._worker = self._worker, None
        if worker is not None and worker.owner == os.getpid():
            worker.close()

    def interrupt(self) -> None:
        """Ends the session's computation in another thread, as Ctrl-C does in the main thread."""
        worker, stack = self._worker, self._stack[:1]
        if worker is not None and stack:
            worker.interrupt(stack[0][0])

    @property
    def version(self) -> str:
        """The version of the program."""
        self._take()
        try:
            return self._started().version
        finally:
            self._lock.release()

    def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Calls a built-in by its name."""
        __tracebackhide__ = True
        return self._ask(b"C", lambda p: {"name": name, "args": [p.pack(a) for a in args], "kwargs": _named(p, kwargs)})

    def evaluate(self, source: str, /, **names: Any) -> Any:
        """Runs a script of the workbench's language in which the given names are bound, and returns the value of its last
        expression. The next script sees its definitions."""
        return self._ask(b"E", lambda p: {"source": source, "names": _named(p, names)})

    def _method(self, of: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        return self._ask(b"C", lambda p: {"of": p.pack(of), "name": name, "args": [p.pack(a) for a in args], "kwargs": _named(p, kwargs)})

    def _value(self, of: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._ask(b"C", lambda p: {"of": p.pack(of), "args": [p.pack(a) for a in args], "kwargs": _named(p, kwargs)})

    def _attribute(self, of: Any, name: str) -> Any:
        return self._ask(b"G", lambda p: {"of": p.pack(of), "name": name})

    def _operate(self, operator: str, x: Any, y: Any) -> Any:
        return self._ask(b"O", lambda p: {"operator": operator, "x": p.pack(x), "y": p.pack(y)})

    def _show(self, of: Any, how: str) -> Any:
        return self._ask(b"S", lambda p: {"of": p.pack(of), "as": how})

    def _started(self) -> Worker:
        worker = self._worker
        if worker is None or worker.ended:
            if self._closed:
                raise EndedError("the session is closed")
            worker = self._worker = Worker(self, self._arguments)
        return worker

    def _take(self) -> None:
        """Locks the session for this thread. Calls of other threads wait, except while the session runs a Python function:
        it may wait for them, so they are refused."""
        while True:
            met = self._outside
            if self._lock.acquire(timeout=PATIENCE):
                break
            if met is not None and met is self._outside:
                what, thread = met
                raise Error(
                    f"the session waits for {what}, which runs in the thread {thread}: until it returns, a call of the thread "
                    f"{threading.current_thread().name} is refused. Call the session in {thread}, or use one of your own: with Session()"
                )
        if self._stack and self._outside is None:  # locked by this thread, which may lock it again
            self._lock.release()
            raise Error("a call of this session is under way in this thread: a signal handler or a finalizer that interrupts it cannot call the session")

    @contextmanager
    def _beyond(self, what: str) -> Iterator[None]:
        """Wraps code of the user. Its thread may call the session; errors tell other threads what they wait for."""
        before = self._outside
        self._outside = [what, threading.current_thread().name]
        try:
            yield
        finally:
            self._outside = before

    def _ask(self, kind: bytes, body: Callable[[Packer], dict[str, Any]]) -> Any:
        """Sends a request, answers its callbacks, and returns its value or raises its error."""
        __tracebackhide__ = True
        self._take()
        around = self._outside  # the Python function that makes the request
        try:
            if len(self._stack) >= DEEPEST:
                raise RecursionError(f"more than {DEEPEST} calls of the workbench inside each other's functions")
            worker = self._started()
            p = Packer(worker)
            try:
                with writable():
                    with self._beyond("an argument"):
                        asked = body(p)
                    folder = os.getcwd()
                    if folder != worker.folder:
                        asked["folder"] = worker.folder = folder
                    worker.last += 1
                    number = worker.last
                    parts = frame(kind, number, asked, p.data)
            except BaseException:
                for f in p.functions:
                    worker.functions.pop(f, None)
                raise
            outermost = self._stack[0][0] if self._stack else number
            guard = _Guard(worker, outermost)
            self._stack.append((number, guard))
            self._outside = None
            try:
                guard.enter()
                try:
                    self._release(worker)
                    worker.write(parts)
                    got, text, data = self._await(worker, number)
                finally:
                    guard.leave()
            except BaseException:  # a frame may be half written or half read
                if worker.owner == os.getpid():
                    worker.close("a call was broken off")
                raise
            finally:
                self._stack.pop()
                self._outside = around and list(around)  # that function continues
            try:
                return self._conclude(worker, got, text, data, guard)
            finally:
                if not self._stack:
                    worker.raised.clear()
                    self._late = None
        finally:
            self._lock.release()

    def _conclude(self, worker: Worker, kind: int, text: Any, data: Any, guard: _Guard) -> Any:
        __tracebackhide__ = True
        body = unpack(worker, text, data)  # before anything is raised, because it counts references
        for f in body.get("dropped", ()):
            worker.functions.pop(f, None)
        said = str(body["text"]).replace("; _ is ", '; evaluate("_") is ') if body.get("kind") == "interrupted" else ""
        late = self._late
        if late is not None:
            if said and not self._stack and isinstance(late, KeyboardInterrupt) and str(late)[:11] in ("", "interrupted"):
                late.args = (said,)  # says more than the message of an inner request
            raise late
        guard.done(said)
        if kind == ord("r"):
            return body["value"]
        cause = worker.raised.get(body.get("callback"))
        if cause is not None:
            without_frames(cause)
            raise cause
        if said:
            raise KeyboardInterrupt(said)
        raise error(body["kind"], body["text"], body.get("trace", ""))

    def _release(self, worker: Worker) -> None:
        """Tells the workbench which objects Python has freed."""
        if worker.released:
            pairs = []
            while worker.released:
                pairs.append(worker.released.popleft())
            worker.write(frame(b"R", 0, {}, [np.array(pairs, "<i8").tobytes()]))

    def _await(self, worker: Worker, number: int) -> tuple[int, Any, Any]:
        """Reads and handles frames until a request is answered."""
        while True:
            if number in worker.early:
                return worker.early.pop(number)
            try:
                kind, of, text, data = worker.read()
            except BaseException as e:  # raised by a signal handler
                if worker.ended or not worker.resting:
                    raise
                worker.resting = False
                self._late = self._late or e
                worker.interrupt(self._stack[0][0])
                continue
            if kind == ord("r") or kind == ord("e"):
                if of == number:
                    return kind, text, data
                worker.early[of] = (kind, text, data)
                continue
            body = unpack(worker, text, data)
            if kind == ord("f"):
                self._called(worker, of, body)
                continue
            try:
                with self._beyond("what shows output"):
                    if kind == ord("o"):
                        getattr(sys, body["stream"]).write(body["text"])
                    elif kind == ord("p"):
                        self._progressed(body)
                    elif kind == ord("s"):
                        _display(body["value"])
            except Exception as e:  # such as a closed stream; raised after the answer, not between frames
                self._late = self._late or e

    def _called(self, worker: Worker, number: int, body: dict[str, Any]) -> None:
        """Calls the function of a callback and sends its answer."""
        guard = self._stack[-1][1]
        p = Packer(worker)
        guard.leave()
        try:
            flat = body["kwargs"]
            f = worker.functions.get(body["function"])
            if f is None or all(n != body["request"] for n, _ in self._stack):
                raise Error("the request that called has ended")
            with self._beyond(f"your function {getattr(f, '__name__', type(f).__name__)}"):
                value = f(*body["args"], **dict(zip(flat[::2], flat[1::2])))
                with writable():
                    parts = frame(b"A", number, {"value": p.pack(value)}, p.data)
        except BaseException as e:
            for made in p.functions:
                worker.functions.pop(made, None)
            if worker.ended or worker.owner != os.getpid():
                raise
            worker.raised[number] = e
            if not isinstance(e, Exception) and self._late is None:
                self._late = e
                worker.interrupt(self._stack[0][0])
            parts = frame(b"X", number, {"text": _worded(e)})
        finally:
            body.clear()
            guard.enter()
        worker.check()
        worker.write(parts)

    def _progressed(self, body: dict[str, Any]) -> None:
        if body.get("finished"):
            bar, self._bar = self._bar, None
            if bar is not None:
                bar.close()
            return
        if not self.progress or not _watched():
            return
        if self._bar is None:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
            except ImportError:
                return
            self._bar = tqdm(total=body["total"] or None, desc=body["name"], leave=False)
        self._bar.n = body["done"]
        if body["note"]:
            self._bar.set_postfix_str(body["note"], refresh=False)
        self._bar.refresh()


def _named(p: Packer, names: dict[str, Any]) -> list[Any]:
    return [x for name, v in names.items() for x in (name, p.pack(v))]


def _worded(e: BaseException) -> str:
    """Describes an exception in one line, for the script that called the function."""
    text = str(e)
    if isinstance(e, Error):
        return text
    return f"{type(e).__name__}: {text}" if text else type(e).__name__


def _watched() -> bool:
    """Whether a notebook or a terminal can show progress."""
    return _notebook() or bool(getattr(sys.stderr, "isatty", lambda: False)())


def _notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def _display(value: Any) -> None:
    if _notebook():
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        display(value)  # type: ignore[no-untyped-call, unused-ignore]
    else:
        print(value)


_workers: weakref.WeakSet[Worker] = weakref.WeakSet()
_sessions: weakref.WeakSet[Session] = weakref.WeakSet()
_current: contextvars.ContextVar[Session | None] = contextvars.ContextVar("session", default=None)
_default: Session | None = None
_starting = threading.Lock()


def current() -> Session:
    """Returns the session that functions use here: that of the enclosing with statement, or the default session."""
    global _default
    session = _current.get()
    if session is not None:
        return session
    with _starting:
        if _default is None or _default._closed:
            _default = Session()
        return _default


def session_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Session:
    """Returns the session of the first object among the arguments that has one, or the current session. An unpickled object has
    none before its first use."""
    for x in (*args, *kwargs.values()):
        x = getattr(x, "__self__", x)  # a method's object
        if isinstance(x, Object) and x._placed():
            x._worker.check()
            found: Session = x._worker.session
            return found
    return current()


def evaluate(source: str, /, **names: Any) -> Any:
    """Runs a script of the workbench's language in the current session, with the given names bound, and returns the value of
    its last expression. The next script sees its definitions."""
    return session_of((), names).evaluate(source, **names)


def _forked() -> None:
    """Resets every session in a fork: the processes of the workbench belong to the parent."""
    global _starting
    _starting = threading.Lock()
    for worker in list(_workers):
        worker.abandon()
    for session in list(_sessions):
        session._worker = None
        session._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _end() -> None:
    for session in list(_sessions):
        session.close()


atexit.register(_end)
