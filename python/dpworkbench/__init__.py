"""The differential-privacy workbench from Python.

Every built-in of the workbench's scripts is a function here, with the same parameters, and its
result has the same attributes::

    import dpworkbench as wb
    m = wb.purest(wb.graphs(7).count("triangle"), 1)
    print(m.smallest_epsilon)

Numbers come with their evidence (Evidence), matrices are NumPy arrays (Matrix), tables have
to_pandas(). A process of the program ``workbench`` computes; it starts with the first call.
"""

from . import _ipython
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
    _hide_frames,
)
from ._json import JSONEncoder
from ._session import Session, current, evaluate
from ._values import Function, Object

try:
    from ._words import *
    from . import _words
except ModuleNotFoundError as e:
    if e.name != "dpworkbench._words":
        raise
    raise ImportError(
        "dpworkbench/_words.py is written where the package is built (pip install ./python); to use a checkout as it stands, write it with: go run ./cmd/workbench reference --python python/dpworkbench"
    ) from None

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "EndedError",
    "Error",
    "FileMissing",
    "Function",
    "JSONEncoder",
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

_hide_frames()
_ipython.install()
