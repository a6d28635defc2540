"""The exceptions of the package."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType


class Error(Exception):
    """The base class of the package's exceptions."""


class ParameterError(Error, ValueError):
    """A parameter is outside its range. The message names the parameter, the value and the range."""


class ArgumentError(Error, TypeError):
    """The arguments do not fit the signature."""


class NoAttribute(Error, AttributeError):
    """A value does not have the attribute."""


class UndecidedError(Error, ValueError):
    """A comparison of numbers whose enclosures overlap."""


class MemoryBound(Error, MemoryError):
    """The computation needs more memory than its limit allows."""


class FileMissing(Error, FileNotFoundError):
    """A file does not exist."""


class ScriptError(Error):
    """A script failed. ``trace`` is the message with the lines that led to it."""

    def __init__(self, text: str, trace: str = "") -> None:
        super().__init__(text)
        self.trace = trace

    def __str__(self) -> str:
        return self.trace.rstrip() if self.trace else str(self.args[0])


class WorkerError(Error):
    """The workbench's process has ended unexpectedly, and its objects are lost."""


class EndedError(Error):
    """The object belongs to a process of the workbench that has ended, or to another process of Python."""


_kinds: dict[str, type[Error]] = {
    "parameter": ParameterError,
    "arguments": ArgumentError,
    "attribute": NoAttribute,
    "undecided": UndecidedError,
    "memory": MemoryBound,
    "file": FileMissing,
}

for _class in Error, ScriptError, WorkerError, EndedError, *_kinds.values():
    _class.__module__ = __package__  # where users find it


def error(kind: str, text: str, trace: str = "") -> Error:
    """Returns the exception for an error frame."""
    if trace:
        return ScriptError(text, trace)
    return _kinds.get(kind, Error)(text)


_HERE = os.path.dirname(__file__) + os.sep


def _ours(tb: TracebackType) -> bool:
    return tb.tb_frame.f_code.co_filename.startswith(_HERE)


def without_frames(e: BaseException | None) -> None:
    """Removes the package's frames from the traceback of an exception and of its causes. An exception that was raised in the
    package and is neither an Error nor an interrupt is a bug of the package, and keeps its frames."""
    seen: set[int] = set()
    while e is not None and id(e) not in seen:
        seen.add(id(e))
        whole, tb = [], e.__traceback__
        while tb is not None:
            whole.append(tb)
            tb = tb.tb_next
        kept = [tb for tb in whole if not _ours(tb)]
        if kept and (isinstance(e, (Error, KeyboardInterrupt)) or kept[-1] is whole[-1]):
            for tb, after in zip(kept, [*kept[1:], None]):
                tb.tb_next = after
            e.__traceback__ = kept[0]
        e = e.__cause__ or e.__context__


def _hide_frames() -> None:
    """Makes Python omit the package's frames when it prints an uncaught exception, also of a thread."""
    show, show_thread = sys.excepthook, threading.excepthook

    def shown(kind: type[BaseException], e: BaseException, tb: TracebackType | None) -> None:
        without_frames(e)
        show(kind, e, e.__traceback__)

    def shown_thread(args: threading.ExceptHookArgs) -> None:
        without_frames(args.exc_value)
        show_thread(args)

    sys.excepthook, threading.excepthook = shown, shown_thread
