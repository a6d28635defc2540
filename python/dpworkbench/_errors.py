"""What goes wrong, in the words of the workbench."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType


class Error(Exception):
    """Anything that the workbench refuses or cannot do."""


class ParameterError(Error, ValueError):
    """A parameter has a value outside its range; the message names all three."""


class ArgumentError(Error, TypeError):
    """The arguments do not fit the signature."""


class NoAttribute(Error, AttributeError):
    """A value does not have the attribute."""


class UndecidedError(Error, ValueError):
    """A comparison that the enclosures of the numbers leave open."""


class MemoryBound(Error, MemoryError):
    """The computation would pass the bound on memory."""


class FileMissing(Error, FileNotFoundError):
    """A file that is not there."""


class ScriptError(Error):
    """What went wrong in a script, and where: ``trace`` has the lines."""

    def __init__(self, text: str, trace: str = "") -> None:
        super().__init__(text)
        self.trace = trace

    def __str__(self) -> str:
        return self.trace.rstrip() if self.trace else str(self.args[0])


class WorkerError(Error):
    """The workbench's process has ended by itself, and what lived there is gone."""


class EndedError(Error):
    """The object belongs to a process of the workbench that has ended, or to another Python."""


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
    """The exception of an error frame."""
    if trace:
        return ScriptError(text, trace)
    return _kinds.get(kind, Error)(text)


_HERE = os.path.dirname(__file__) + os.sep


def _ours(tb: TracebackType) -> bool:
    return tb.tb_frame.f_code.co_filename.startswith(_HERE)


def without_frames(e: BaseException | None) -> None:
    """Takes the package's frames out of the traceback of an exception, and of those that led to it. One that arose in the
    package and is neither an Error nor an interrupt is a fault of the package and keeps them."""
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
    """Has Python leave the package's frames out where it shows an uncaught exception, of a thread too."""
    show, show_thread = sys.excepthook, threading.excepthook

    def shown(kind: type[BaseException], e: BaseException, tb: TracebackType | None) -> None:
        without_frames(e)
        show(kind, e, e.__traceback__)

    def shown_thread(args: threading.ExceptHookArgs) -> None:
        without_frames(args.exc_value)
        show_thread(args)

    sys.excepthook, threading.excepthook = shown, shown_thread
