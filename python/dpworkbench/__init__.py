"""The differential-privacy workbench from Python.

Every word of the workbench's scripts is a function here, with the same parameters and the
same attributes on what it returns::

    import dpworkbench as wb
    m = wb.purest(wb.graphs(7).count("triangle"), 1)
    print(m.smallest_epsilon)

Numbers come with their evidence (Evidence), matrices are NumPy arrays (Matrix), tables have
to_pandas(). A process of the program ``workbench`` computes; it starts with the first call.
"""

from . import _words
from ._errors import (
    ArgumentError,
    EndedError,
    Error,
    FileMissing,
    MemoryBound,
    NoAttribute,
    ParameterError,
    ScriptError,
    UndecidedError,
    WorkerError,
)
from ._session import Session, current, evaluate
from ._values import Function, Object
from ._words import *

__all__ = [
    "ArgumentError",
    "EndedError",
    "Error",
    "FileMissing",
    "Function",
    "MemoryBound",
    "NoAttribute",
    "Object",
    "ParameterError",
    "ScriptError",
    "Session",
    "UndecidedError",
    "WorkerError",
    "current",
    "evaluate",
]
__all__ += _words.__all__
