"""Values that the workbench holds, and numbers with their evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError, EndedError, NoAttribute, ParameterError
from ._wire import Worker

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

    from typing_extensions import Self

__tracebackhide__ = True  # pytest omits the frames of this module
classes: dict[str, type] = {}


def session_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from ._session import session_of

    return session_of(args, kwargs)


C = TypeVar("C", bound=type)


def register(name: str) -> Callable[[C], C]:
    """Registers a class for the workbench's type with a name."""

    def keep(c: C) -> C:
        classes[name] = c
        return c

    return keep


def _unpickled(cls: type[Object], made: Any) -> Any:
    """Returns an unpickled value. The workbench computes it at its first use."""
    o = object.__new__(cls)
    o._made, o._same = made, None
    o._restore(made)
    return o


class Object:
    """A value that the workbench holds, as long as Python refers to it."""

    __slots__ = ("_worker", "_number", "_times", "_type", "_made", "_same", "__weakref__")

    _worker: Worker
    _number: int
    _times: int
    _type: str
    _made: Any  # for an unpickled value the call that makes it; else None
    _same: Object | None  # for an unpickled value, once it is computed: the object with the result

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise ArgumentError(f"a {cls.__name__} is made by the workbench's functions")

    @classmethod
    def _of(cls, worker: Worker, d: dict[str, Any]) -> Any:
        o = object.__new__(cls)
        o._worker, o._number, o._times, o._type = worker, d["$h"], 0, d["type"]
        o._made = o._same = None
        return o

    def __del__(self) -> None:
        try:
            if self._made is None:
                self._worker.released.append((self._number, self._times))
        except AttributeError:  # not fully initialised, or Python is ending
            pass

    def _restore(self, made: Any) -> None:
        """Sets the fields of an unpickled value that need no workbench."""

    def _remake(self, session: Any) -> Any:
        """Computes an unpickled value in a session by repeating the call that made it."""
        name, of, called, args, kwargs = self._made
        if not name.isidentifier():
            return session._operate(name, *args)
        if of is None:
            return session.call(name, *args, **kwargs)
        return session._method(of, name, args, kwargs) if called else session._attribute(of, name)

    def _placed(self) -> bool:
        """Whether a process of the workbench holds the value already."""
        return self._made is None or self._same is not None

    def _place(self, session: Any) -> None:
        """Computes an unpickled value in a session and refers to the result."""
        same = self._remake(session)
        if not isinstance(same, Object):
            raise EndedError(f"the pickle's value is a {type(same).__name__} now: it was pickled by another version")
        self._same, self._worker, self._number, self._times, self._type = same, same._worker, same._number, 0, same._type

    def _refer(self, worker: Worker) -> int:
        """Returns the number by which a request refers to the object."""
        if not self._placed():
            self._place(worker.session)
        if self._worker is not worker:
            self._worker.check()
            raise EndedError(f"a {self._type} of one session is no value of another")
        worker.check()
        return self._number

    def _shown(self, how: str) -> Any:
        return self._worker.session._show(self, how)

    def __repr__(self) -> str:
        try:
            return str(self._shown("prompt"))
        except EndedError:
            return f"<{self._type} of a workbench that has ended>"

    def __str__(self) -> str:
        try:
            return str(self._shown("text"))
        except EndedError:
            return repr(self)

    if not TYPE_CHECKING:  # type checkers see only the declared attributes

        def __getattr__(self, name: str) -> Any:
            if name in ("_worker", "_number", "_type") and not self._placed():
                self._place(session_of((), {}))
                return getattr(self, name)
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return self._worker.session._attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"a {self._type} cannot be changed")
        object.__setattr__(self, name, value)

    def __dir__(self) -> Iterable[str]:
        own = [n for n in object.__dir__(self) if n.startswith("_")]
        try:
            has = set(self._shown("names"))
        except EndedError:
            return own
        words = {n for c in type(self).__mro__ for n in vars(c) if not n.startswith("_")}
        declared = {n for n in words if getattr(getattr(type(self), n), "__module__", "") != "dpworkbench._words" and not isinstance(getattr(type(self), n), property)}
        return own + sorted(has | declared)

    if TYPE_CHECKING:

        def __call__(self) -> Self: ...

    else:

        def __call__(self, *args, **kwargs):
            """Returns the value itself, so that attributes may be written with (), as in m.smallest_epsilon()."""
            pandas_asks = len(args) == 1 and type(args[0]).__module__.partition(".")[0] == "pandas"  # pandas calls whatever is callable, as in assign(x=e)
            if kwargs or args and not pandas_asks:
                raise ArgumentError(f"a value of type {self._type} takes no arguments: it is written with or without ()")
            return self

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        """Pickles the call that makes the value; for a number, its ends and text too."""
        return _unpickled, (type(self), self._shown("stored") if self._made is None else self._made)


class Function(Object):
    """A function of a script."""

    __slots__ = ("_name",)

    _name: str

    @classmethod
    def _of(cls, worker: Worker, d: dict[str, Any]) -> Any:
        o = super()._of(worker, d)
        o._name = d["name"]
        return o

    @property
    def __name__(self) -> str:
        return str(self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._worker.session._value(self, args, kwargs)


def _number(x: Any) -> bool:
    return isinstance(x, (int, float, Rational, np.integer, np.floating, np.bool_, EvidenceBase))


_operators = {
    np.less: "<", np.less_equal: "<=", np.greater: ">", np.greater_equal: ">=", np.equal: "==", np.not_equal: "!=",
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.floor_divide: "//", np.remainder: "%",
}  # fmt: skip
_elementary = {np.exp: "exp", np.log: "log", np.sqrt: "sqrt", np.absolute: "abs"}


class AlgebraBase(Object):
    """A value with arithmetic and comparisons, which the workbench computes. A comparison of draws in a program branches its run."""

    __slots__ = ()

    def _operate(self, operator: str, x: Any, y: Any) -> Any:
        return self._worker.session._operate(operator, x, y)

    def __add__(self, y: Any) -> Any:
        return self._operate("+", self, y)

    def __radd__(self, x: Any) -> Any:
        return self._operate("+", x, self)

    def __sub__(self, y: Any) -> Any:
        return self._operate("-", self, y)

    def __rsub__(self, x: Any) -> Any:
        return self._operate("-", x, self)

    def __mul__(self, y: Any) -> Any:
        return self._operate("*", self, y)

    def __rmul__(self, x: Any) -> Any:
        return self._operate("*", x, self)

    def __truediv__(self, y: Any) -> Any:
        return self._operate("/", self, y)

    def __rtruediv__(self, x: Any) -> Any:
        return self._operate("/", x, self)

    def __neg__(self) -> Any:
        return self._operate("*", -1, self)

    def __pos__(self) -> Any:
        return self

    def __lt__(self, y: Any) -> bool:
        return bool(self._operate("<", self, y))

    def __le__(self, y: Any) -> bool:
        return bool(self._operate("<=", self, y))

    def __gt__(self, y: Any) -> bool:
        return bool(self._operate(">", self, y))

    def __ge__(self, y: Any) -> bool:
        return bool(self._operate(">=", self, y))

    def __eq__(self, y: object) -> bool:
        return bool(self._operate("==", self, y))

    def __ne__(self, y: object) -> bool:
        return bool(self._operate("!=", self, y))

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise ArgumentError(f"a {self._type} is neither true nor false: compare it")


_REPEATED = (str, bytes, list, tuple)  # types that an integer repeats
_SPEC = re.compile(r"(?P<head>[^.eEfFgGn%]*)(?:\.(?P<precision>\d+))?(?P<type>[eEfFgG%]?)$")


def _rounded(x: float | Fraction, spec: str, side: int) -> str:
    """Formats x as format does floats, but rounded up (side 1) or down (side -1)."""
    parts = _SPEC.match(spec)
    if isinstance(x, float) and not math.isfinite(x) or parts is None or not parts["type"] and parts["precision"] is None:
        return format(float(x), spec)
    precision, letter = int(parts["precision"] or 6), parts["type"].lower() or "g"
    if letter == "%":
        return _rounded(100 * Fraction(x), f"{parts['head']}.{precision}f", side) + "%"
    q = Fraction(x)
    with localcontext() as context:
        context.prec, context.rounding = 2000, ROUND_CEILING if side > 0 else ROUND_FLOOR
        d = Decimal(q.numerator) / q.denominator
        if letter == "f":
            d = d.quantize(Decimal(1).scaleb(-precision))
        else:
            context.prec = precision + 1 if letter == "e" else max(precision, 1)
            d = +d
        near = float(d)
        keeps = Decimal(format(near, f".{precision}{letter}")) == d
        return format(near if keeps else d, spec)


class EvidenceBase(Object):
    """A number with its evidence: how it is known, and its lower and upper ends."""

    __slots__ = ("_value", "_lo", "_hi", "_kind", "_source", "_side", "_text", "_exact")

    _value: float
    _lo: float
    _hi: float
    _kind: str
    _source: str
    _side: int
    _text: str | None
    _exact: str | None

    @classmethod
    def _of(cls, worker: Worker, d: dict[str, Any]) -> Any:
        o = super()._of(worker, d)
        o._value, o._lo, o._hi, o._kind, o._source = d["value"], d["lo"], d["hi"], d["kind"], d["source"]
        o._side = {"up": 1, "down": -1}.get(d.get("side", ""), 0)
        o._text = o._exact = None
        return o

    def __reduce__(self) -> Any:
        try:
            return super().__reduce__()
        except EndedError:  # an enclosure is fully known without the process
            if self._kind != "certified":
                raise
            made = {"kind": self._kind, "value": self._value, "lo": self._lo, "hi": self._hi, "side": self._side, "origin": self._source, "source": self._source}
            return _unpickled, (type(self), made | {"text": repr(self), "exact": "", "confidence": 0.0, "draws": 0})

    def _restore(self, made: Any) -> None:
        self._value, self._lo, self._hi, self._kind, self._side = (made[k] for k in ("value", "lo", "hi", "kind", "side"))
        self._source, self._text, self._exact = made["origin"], made["text"], made["exact"]

    def _remake(self, session: Any) -> Any:
        return session._ask(b"S", lambda p: {"of": {"$e": p.pack(self._made)}, "as": "itself"})

    @property
    def value(self) -> float:
        """The number as a float: for an enclosure its end on the safe side, such as the upper end of a privacy loss, or its midpoint if
        it has no safe side."""
        return float(self._value)

    @property
    def lo(self) -> float:
        """Lower end: no larger than the true number for exact and certified evidence."""
        return float(self._lo)

    @property
    def hi(self) -> float:
        """Upper end: no smaller than the true number for exact and certified evidence."""
        return float(self._hi)

    @property
    def kind(self) -> str:
        """How the number is known: "claimed", "exact", "certified" or "estimated"."""
        return str(self._kind)

    @property
    def source(self) -> str:
        """Where the number comes from: paper and equation, or method."""
        return str(self._source)

    @property
    def exact(self) -> str | None:
        """The number without rounding as text: "18545/3888" or "ln(27/8)"; None unless it is exact."""
        if self._exact is None:
            self._exact = self._worker.session._attribute(self, "rational") or ""
        return str(self._exact) or None

    @property
    def rational(self) -> Fraction | None:
        """The number without rounding; None where it is not known exactly, or is a logarithm (see exact)."""
        text = self.exact
        return None if text is None or text.startswith("ln") or "ln(" in text else Fraction(text)

    def __repr__(self) -> str:
        if self._text is None:
            try:
                self._text = self._shown("text")
            except EndedError:
                return f"{self._value!r} ({self._kind})"
        return str(self._text)

    __str__ = __repr__

    def __float__(self) -> float:
        return float(self._value)

    def __bool__(self) -> bool:
        return bool(self._value != 0)

    def __hash__(self) -> int:
        if self._kind in ("certified", "estimated"):
            raise ArgumentError(f"unhashable: {self._kind} evidence may equal several numbers; use its .value")
        return hash(self._value)

    def __int__(self) -> int:
        q = self.rational
        return int(self._value) if q is None else int(q)

    __trunc__ = __int__

    def __index__(self) -> int:
        q = self.rational
        if q is None or q.denominator != 1:
            raise TypeError(f"{self}, want a whole number: int(e.value) is one")
        return q.numerator

    def __round__(self, digits: int | None = None) -> Any:
        return round(float(self), digits)

    def __floor__(self) -> int:
        return math.floor(float(self))

    def __ceil__(self) -> int:
        return math.ceil(float(self))

    def __format__(self, spec: str) -> str:
        """Formats the number as format does floats, but rounded to its safe side. For an enclosure without a safe side it
        writes the digits that both ends share or, if they share none, both ends rounded outward."""
        if not spec:
            return str(self)
        if self._side:
            end = self._hi if self._side > 0 else self._lo
            return _rounded(end if self._kind != "exact" else self.rational or end, spec, self._side)
        parts = _SPEC.match(spec)
        if self._kind != "certified" or self._lo == self._hi or parts is None:
            return format(float(self), spec)
        head, precision, letter = parts["head"], int(parts["precision"] or 6), parts["type"]
        for digits in range(precision, -1, -1):
            text, other = (format(float(end), f"{head}.{digits}{letter}") for end in (self._lo, self._hi))
            if text == other:
                return text
        low, high = _rounded(float(self._lo), spec, -1), _rounded(float(self._hi), spec, 1)
        return f"[{low.strip()}, {high.strip()}]"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(float(self), dtype)

    def __array_ufunc__(self, ufunc: Any, how: str, *inputs: Any, **kwargs: Any) -> Any:
        inputs = tuple(x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)
        if how == "__call__" and ufunc in _operators and not kwargs and all(map(_number, inputs)):
            x, y = inputs
            return self._operate(_operators[ufunc], x, y)
        if how == "__call__" and ufunc in _elementary and not kwargs:
            return self._operate(_elementary[ufunc], self, 0)
        return getattr(ufunc, how)(*(float(x) if isinstance(x, EvidenceBase) else x for x in inputs), **kwargs)

    def _operate(self, operator: str, x: Any, y: Any) -> Any:
        return session_of((x, y), {})._operate(operator, x, y)

    def _compare(self, operator: str, y: Any) -> Any:
        return self._operate(operator, self, y) if _number(y) else NotImplemented

    def __lt__(self, y: Any) -> bool:
        return self._compare("<", y)  # type: ignore[no-any-return]

    def __le__(self, y: Any) -> bool:
        return self._compare("<=", y)  # type: ignore[no-any-return]

    def __gt__(self, y: Any) -> bool:
        return self._compare(">", y)  # type: ignore[no-any-return]

    def __ge__(self, y: Any) -> bool:
        return self._compare(">=", y)  # type: ignore[no-any-return]

    def __eq__(self, y: object) -> bool:
        return self._compare("==", y)  # type: ignore[no-any-return]

    def __ne__(self, y: object) -> bool:
        return self._compare("!=", y)  # type: ignore[no-any-return]

    def _compute(self, operator: str, x: Any, y: Any, f: Callable[[Any, Any], Any]) -> Any:
        """Computes + - * / in the workbench, which keeps evidence, and // and % on floats."""
        if operator in "+-*/" and _number(x) and _number(y):
            return self._operate(operator, x, y)
        if operator == "*" and (isinstance(x, _REPEATED) or isinstance(y, _REPEATED)):
            return NotImplemented  # the sequence repeats itself by __index__
        x, y = (float(z) if isinstance(z, EvidenceBase) else z for z in (x, y))
        return f(x, y)

    def __add__(self, y: Any) -> Any:
        return self._compute("+", self, y, lambda a, b: a + b)

    def __radd__(self, x: Any) -> Any:
        return self._compute("+", x, self, lambda a, b: a + b)

    def __sub__(self, y: Any) -> Any:
        return self._compute("-", self, y, lambda a, b: a - b)

    def __rsub__(self, x: Any) -> Any:
        return self._compute("-", x, self, lambda a, b: a - b)

    def __mul__(self, y: Any) -> Any:
        return self._compute("*", self, y, lambda a, b: a * b)

    def __rmul__(self, x: Any) -> Any:
        return self._compute("*", x, self, lambda a, b: a * b)

    def __truediv__(self, y: Any) -> Any:
        return self._compute("/", self, y, lambda a, b: a / b)

    def __rtruediv__(self, x: Any) -> Any:
        return self._compute("/", x, self, lambda a, b: a / b)

    def __floordiv__(self, y: Any) -> Any:
        return self._compute("//", self, y, lambda a, b: a // b)

    def __rfloordiv__(self, x: Any) -> Any:
        return self._compute("//", x, self, lambda a, b: a // b)

    def __mod__(self, y: Any) -> Any:
        return self._compute("%", self, y, lambda a, b: a % b)

    def __rmod__(self, x: Any) -> Any:
        if isinstance(x, str):
            return NotImplemented
        return self._compute("%", x, self, lambda a, b: a % b)

    def __pow__(self, y: Any) -> Any:
        if isinstance(y, int):
            return self._operate("**", self, y)
        return float(self) ** (float(y) if isinstance(y, EvidenceBase) else y)

    def __rpow__(self, x: Any) -> Any:
        return x ** float(self)

    def __neg__(self) -> Any:
        return self._operate("*", -1, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._operate("abs", self, 0)


class MatrixBase(np.ndarray[Any, np.dtype[np.float64]]):
    """A matrix of floats: a NumPy array whose columns may have names."""

    names: list[str] | None

    if TYPE_CHECKING:  # the types that __array_wrap__ returns

        def __add__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __radd__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __sub__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __rsub__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __mul__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __rmul__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __truediv__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __rtruediv__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __neg__(self) -> Self: ...

    def __reduce__(self) -> Any:
        plain: Any = super().__reduce__()
        return plain[0], plain[1], (plain[2], self.names)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        self.names = state[1]

    def __array_finalize__(self, of: Any) -> None:
        names = getattr(of, "names", None)
        self.names = names if names and self.ndim == 2 and self.shape[1] == len(names) else None

    def __getitem__(self, at: Any) -> Any:
        out = super().__getitem__(at)
        return np.asarray(out) if isinstance(out, MatrixBase) and out.ndim != 2 else out

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if return_scalar or array.ndim == 0:
            return array[()]
        plain = np.asarray(array)
        if plain.ndim != 2 or plain.dtype != np.float64:
            return plain
        out = plain.view(type(self))
        out.names = self.names if self.names and plain.shape[1] == len(self.names) else None
        return out

    @property
    def rows(self) -> list[list[float]]:
        """The rows as a list of lists."""
        out: list[list[float]] = self.tolist()
        return out

    @property
    def t(self) -> Any:
        """The transpose, as T."""
        return self.T


class FigureBase(Object):
    """A picture, or a page."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        out: str | None = self._shown("svg")
        return out

    def _repr_png_(self) -> bytes | None:
        out: bytes | None = self._shown("png")
        return out


class SequenceBase(Object):
    """A list of values."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._shown("items"))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._shown("items"))

    def __getitem__(self, i: Any) -> Any:
        return self._shown("items")[i]


class TableBase(Object):
    """Rows of text and numbers."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self._shown("html"))

    @property
    def title(self) -> str:
        """The title, or ""."""
        return str(self._shown("data")["title"])

    @property
    def header(self) -> list[str]:
        """The names of the columns, or []."""
        return list(self._shown("data")["header"])

    @property
    def rows(self) -> list[list[Any]]:
        """The cells; numbers have their evidence."""
        return list(self._shown("data")["rows"])

    def to_pandas(self, evidence: str = "value") -> pandas.DataFrame:
        """Returns a DataFrame. evidence says how numbers with evidence are represented: "value" as floats, "columns" as four
        columns whose names end in _value, _lo, _hi and _kind, and "objects" as Evidence."""
        import pandas

        if evidence not in ("value", "columns", "objects"):
            raise ParameterError(f'evidence = {evidence!r}, want "value", "columns" or "objects"')
        data = self._shown("data")
        rows = data["rows"]
        header = data["header"] or list(range(len(rows[0]) if rows else 0))
        columns: list[tuple[Any, list[Any]]] = []
        for j, name in enumerate(header):
            cells = [row[j] for row in rows]
            if evidence == "objects" or not any(isinstance(x, EvidenceBase) for x in cells):
                columns.append((name, cells))
            elif evidence == "value":
                columns.append((name, [float(x) if isinstance(x, EvidenceBase) else x for x in cells]))
            else:
                for part in ("value", "lo", "hi", "kind"):
                    columns.append((f"{name}_{part}", [getattr(x, part) if isinstance(x, EvidenceBase) else x if part == "value" else None for x in cells]))
        held = any(isinstance(x, EvidenceBase) for _, cells in columns for x in cells)
        out = pandas.DataFrame({i: pandas.Series(cells, dtype=object) if held else cells for i, (_, cells) in enumerate(columns)})
        out.columns = pandas.Index([name for name, _ in columns])
        return out


class ComparisonBase(Object):
    """Mechanisms side by side."""

    __slots__ = ()

    def to_pandas(self, evidence: str = "value") -> pandas.DataFrame:
        """Returns a DataFrame. For two mechanisms on finite queries it has a row for each dataset, indexed by its name, with the
        expected distortion of each mechanism and their ratio. Otherwise it is the table. evidence is as for tables."""
        if "ratios" not in self._shown("names"):
            return self.table().to_pandas(evidence)  # type: ignore[attr-defined]
        return self.table(per="dataset").to_pandas(evidence).set_index("dataset")  # type: ignore[attr-defined]


__all__ = ["ComparisonBase", "EvidenceBase", "FigureBase", "Function", "MatrixBase", "NoAttribute", "Object", "SequenceBase", "TableBase", "classes", "register"]
