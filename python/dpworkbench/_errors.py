"""What goes wrong, in the words of the workbench."""

from __future__ import annotations


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


def error(kind: str, text: str, trace: str = "") -> Error:
    """The exception of an error frame."""
    if trace:
        return ScriptError(text, trace)
    return _kinds.get(kind, Error)(text)
