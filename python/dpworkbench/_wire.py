"""Encoding of values and frames, as docs/protocol.md specifies it."""

from __future__ import annotations

import inspect
import json
import math
import operator
import os
import struct
from array import array
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from ._errors import ArgumentError, ParameterError

PROTOCOL = 1
HEAD = struct.Struct("<IBII")  # length of the rest of the frame, kind, number, length of the text
LARGEST = 2**32 - 1
FEW = 8  # lists of fewer numbers are encoded in the text
SMALL = 2**63

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False).encode


class Worker(Protocol):
    """The methods of a process that encoding and decoding use."""

    functions: dict[int, Callable[..., Any]]

    @property
    def session(self) -> Any: ...
    @property
    def released(self) -> Any: ...
    def check(self) -> None: ...
    def hold(self, f: Callable[..., Any]) -> int: ...
    def object(self, d: dict[str, Any]) -> Any: ...
    def matrix(self, a: np.ndarray[Any, Any], names: list[str] | None) -> Any: ...


def frame(kind: bytes, number: int, body: Any, data: list[Any] = []) -> list[Any]:
    """Returns the parts of a frame, to be written in order."""
    text = _encode(body).encode()
    size = HEAD.size - 4 + len(text) + sum(memoryview(d).nbytes for d in data)
    if size > LARGEST:
        raise ParameterError(f"a value has {size} bytes, want less than 4 GiB, the limit of a frame")
    return [HEAD.pack(size, kind[0], number, len(text)) + text, *data]


class writable:
    """A context in which errors of encoding become ParameterErrors."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: Any, e: Any, __: Any) -> None:
        if isinstance(e, RecursionError):
            raise ParameterError("a list or dict holds itself, or is nested too deep") from None
        if isinstance(e, UnicodeEncodeError):
            raise ParameterError(f"text holds {ascii(e.object[e.start])}, half of a surrogate pair, want Unicode characters") from None


def parameters(f: Callable[..., Any]) -> int | None:
    """Returns how many positional arguments a function takes, or None if that is unknown."""
    if isinstance(f, FunctionType) and not hasattr(f, "__wrapped__"):
        return f.__code__.co_argcount
    try:
        found = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return None
    return sum(x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD) for x in found)


class Packer:
    """Encodes values as JSON, which refers to data for arrays and bytes."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.data: list[Any] = []
        self.size = 0
        self.functions: list[int] = []
        self.results: list[Any] = []  # kept until the request is sent

    def put(self, b: Any) -> int:
        """Appends bytes, padded to a multiple of eight, and returns their offset."""
        at = self.size
        size = memoryview(b).nbytes
        if not size:
            return at
        self.data.append(b)
        if size % 8:
            self.data.append(bytes(8 - size % 8))
            size += 8 - size % 8
        self.size += size
        return at

    def pack(self, v: Any) -> Any:
        make = _exactly.get(type(v))
        if make is not None:
            return make(self, v)
        return self.other(v)

    def whole(self, v: int) -> Any:
        return v if -SMALL <= v < SMALL else {"$n": format(v, "x")}

    def real(self, v: float) -> Any:
        return v if math.isfinite(v) else {"$x": repr(v)}

    def list(self, v: list[Any]) -> Any:
        if len(v) >= FEW:
            kinds = set(map(type, v))
            if kinds == {float}:
                return {"$f": len(v), "at": self.put(np.array(v, "<f8"))}
            if kinds == {int} and -SMALL <= min(v) and max(v) < SMALL:
                return {"$i": len(v), "at": self.put(np.array(v, "<i8"))}
        return [self.pack(x) for x in v]

    def tuple(self, v: tuple[Any, ...]) -> Any:
        return {"$t": [self.pack(x) for x in v]}

    def set(self, v: Iterable[Any]) -> Any:
        return {"$s": [self.pack(x) for x in v]}

    def dict(self, v: Mapping[Any, Any]) -> Any:
        return {"$d": [self.pack(x) for item in v.items() for x in item]}

    def bytes(self, v: bytes) -> Any:
        return {"$y": len(v), "at": self.put(v)}

    def fraction(self, v: Any) -> Any:
        return {"$q": [format(v.numerator, "x"), format(v.denominator, "x")]}

    def decimal(self, v: Decimal) -> Any:
        return self.fraction(Fraction(v)) if v.is_finite() else self.real(float(v))

    def array(self, v: np.ndarray[Any, Any]) -> Any:
        if isinstance(v, np.ma.MaskedArray):
            v = v.filled(np.nan)
        if v.ndim == 0:
            return self.pack(v.item())
        if v.ndim > 2:
            return [self.array(x) for x in v]
        kind = v.dtype.kind
        if kind == "f":
            flat = np.ascontiguousarray(v, "<f8")
            if v.ndim == 1:
                return {"$f": len(v), "at": self.put(flat)}
            out = {"$m": list(v.shape), "at": self.put(flat)}
            names = getattr(v, "names", None)
            if names:
                out["names"] = [str(n) for n in names]
            return out
        if kind in "biu" and not (kind == "u" and v.size and v.max() >= SMALL):
            flat = np.ascontiguousarray(v, "<i8")
            if v.ndim == 1:
                return {"$i": len(v), "at": self.put(flat)}
            return {"$r": list(v.shape), "at": self.put(flat)}
        if kind == "c":
            raise ArgumentError("complex numbers have no counterpart in the workbench")
        return self.list(v.tolist())

    def other(self, v: Any) -> Any:
        """Encodes a value whose exact type is not in _exactly."""
        if isinstance(v, np.ndarray):
            return self.array(v)
        if isinstance(v, np.generic):
            x = v.item()
            return self.pack(float(v) if isinstance(x, np.generic) else x)
        given = v._given() if hasattr(v, "_given") and not isinstance(v, type) else v  # the result of a method without parameters
        if given is not v:
            self.results.append(given)
            return self.pack(given)
        refer = getattr(v, "_refer", None)
        if refer is not None and not isinstance(v, type):
            return {"$h": refer(self.worker)}
        if hasattr(v, "to_named_tuple") and not isinstance(v, type):  # an event of dp_accounting, or similar
            return self.pack(v.to_named_tuple())
        for kind, make in _broadly:
            if isinstance(v, kind):
                return make(self, v)
        columns = getattr(v, "columns", None)
        if hasattr(v, "to_numpy") and not callable(columns):  # pandas, or similar
            return self.frame(v, columns)
        if callable(v):
            name = getattr(v, "__name__", None) or type(v).__name__
            number = self.worker.hold(v)
            self.functions.append(number)
            out: dict[str, Any] = {"$p": number, "name": "lambda" if name == "<lambda>" else str(name)}
            takes = parameters(v)
            return out if takes is None else out | {"parameters": takes}
        if isinstance(v, Iterable):
            return self.list(list(v))
        if hasattr(v, "__index__"):
            return self.whole(operator.index(v))
        if hasattr(v, "__float__"):
            return self.real(float(v))
        raise ArgumentError(f"a {type(v).__module__}.{type(v).__qualname__} has no counterpart in the workbench")

    def frame(self, v: Any, columns: Any) -> Any:
        """Encodes a DataFrame: as a matrix with names if it holds only numbers, else as rows."""
        a = v.to_numpy()
        if a.ndim == 2 and a.dtype.kind in "fiu" and columns is not None:
            flat = np.ascontiguousarray(a, "<f8")
            if flat.size and not np.isnan(flat).any():
                return {"$m": list(flat.shape), "at": self.put(flat), "names": [str(c) for c in columns]}
        return self.array(a)


_exactly: dict[type, Callable[[Packer, Any], Any]] = {
    type(None): lambda _, v: v,
    bool: lambda _, v: v,
    str: lambda _, v: v,
    int: Packer.whole,
    float: Packer.real,
    list: Packer.list,
    tuple: Packer.tuple,
    dict: Packer.dict,
    set: Packer.set,
    frozenset: Packer.set,
    bytes: Packer.bytes,
    range: lambda p, v: p.list(list(v)),
    np.ndarray: Packer.array,
    Fraction: Packer.fraction,
    Decimal: Packer.decimal,
}

_broadly: list[tuple[type, Callable[[Packer, Any], Any]]] = [
    (bool, lambda _, v: bool(v)),
    (int, lambda p, v: p.whole(int(v))),
    (float, lambda p, v: p.real(float(v))),
    (str, lambda _, v: str(v)),
    (Rational, Packer.fraction),
    (list, lambda p, v: p.list(list(v))),
    (tuple, Packer.tuple),
    (Mapping, Packer.dict),
    (set, Packer.set),
    (array, lambda p, v: p.list(v.tolist())),
    (os.PathLike, lambda _, v: os.fspath(v)),
]


def unpack(worker: Worker, text: bytes | bytearray, data: Any) -> Any:
    """Decodes the text of a frame."""

    def hook(d: dict[str, Any]) -> Any:
        for tag in d:
            read = _tags.get(tag)
            return d if read is None else read(worker, d, data)
        return d

    return json.loads(bytes(text), object_hook=hook)


def _pairs(_: Worker, d: dict[str, Any], __: Any) -> dict[Any, Any]:
    flat = d["$d"]
    return dict(zip(flat[::2], flat[1::2]))


def _numbers(kind: str, tag: str) -> Callable[[Worker, dict[str, Any], Any], Any]:
    return lambda _, d, data: np.frombuffer(data, kind, d[tag], d["at"]).tolist()


def _matrix(worker: Worker, d: dict[str, Any], data: Any) -> Any:
    rows, columns = d["$m"]
    a = np.frombuffer(data, "<f8", rows * columns, d["at"]) if rows * columns else np.empty(0)
    return worker.matrix(a.reshape(rows, columns), d.get("names"))


_tags: dict[str, Callable[[Worker, dict[str, Any], Any], Any]] = {
    "$x": lambda _, d, __: float(d["$x"]),
    "$n": lambda _, d, __: int(d["$n"], 16),
    "$t": lambda _, d, __: tuple(d["$t"]),
    "$s": lambda _, d, __: set(d["$s"]),
    "$d": _pairs,
    "$y": lambda _, d, data: bytes(data[d["at"] : d["at"] + d["$y"]]),
    "$f": _numbers("<f8", "$f"),
    "$i": _numbers("<i8", "$i"),
    "$m": _matrix,
    "$h": lambda worker, d, _: worker.object(d),
    "$p": lambda worker, d, _: worker.functions[d["$p"]],
}
