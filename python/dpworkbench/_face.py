"""Decorators that turn the declarations in _words.py into calls of the workbench."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

from ._errors import ArgumentError, NoAttribute
from ._session import session_of

__tracebackhide__ = True  # pytest omits the frames of this module


def word(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function call the built-in of its name. The workbench checks the arguments."""
    name = f.__name__

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # IPython omits this frame
        return session_of(args, kwargs).call(name, *args, **kwargs)

    return call


class Method:
    """A method, as an attribute of its class."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self.__name__: str = f.__name__
        self._plain = f.__code__.co_argcount + f.__code__.co_kwonlyargcount == 1 and not f.__code__.co_flags & inspect.CO_VARARGS

    def __get__(self, of: Any, owner: Any = None) -> Any:
        return self if of is None else Bound(of, self)

    def __call__(self, of: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return session_of((of,), {})._method(of, self.__name__, args, kwargs)


method = Method


class Bound:
    """A method of a value. A method without parameters may be called with or without (): where a value is needed, as in
    arithmetic or before a dot, its result is used. There, a method with parameters raises an error that shows the call."""

    __slots__ = ("__self__", "__func__")

    def __init__(self, of: Any, method: Method) -> None:
        self.__self__, self.__func__ = of, method

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self.__func__(self.__self__, *args, **kwargs)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.__func__.__doc__

    @property
    def __name__(self) -> str:
        return self.__func__.__name__

    @property
    def __signature__(self) -> inspect.Signature:
        whole = inspect.signature(self.__func__.__wrapped__)  # type: ignore[attr-defined]
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    def __reduce__(self) -> Any:
        return getattr, (self.__self__, self.__name__)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Bound) and other.__self__ is self.__self__:
            return other.__func__ is self.__func__
        return NotImplemented if not self.__func__._plain else self() == _result(other)

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__name__))

    def _given(self) -> Any:
        """Returns what to pass for the method as an argument: its result if it has no parameters, else itself."""
        return self() if self.__func__._plain else self

    def _value(self) -> Any:
        if self.__func__._plain:
            return self()
        raise ArgumentError(f"{self.__name__} is a method of a {self.__self__._type if hasattr(self.__self__, '_type') else 'matrix'}: call it, as in .{self.__name__}(…)")

    def __repr__(self) -> str:
        return repr(self()) if self.__func__._plain else f"<method {self.__name__}{self.__signature__}>"

    def __str__(self) -> str:
        return str(self()) if self.__func__._plain else repr(self)

    def __getattr__(self, name: str) -> Any:
        if self.__func__._plain and (not name.startswith("_") or name.startswith("_repr_")):
            return getattr(self(), name)
        raise NoAttribute(f"{self.__name__} is a method, which has no attribute {name}: call it first, as in .{self.__name__}(…)")

    def __array_ufunc__(self, ufunc: Any, how: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, how)(*map(_result, inputs), **kwargs)


def _result(x: Any) -> Any:
    return x._value() if isinstance(x, Bound) else x


def _delegate(name: str, f: Callable[..., Any]) -> None:
    """Defines an operator of Bound that applies f to the method's result."""

    def operation(self: Any, *args: Any) -> Any:
        return f(self._value(), *map(_result, args))

    setattr(Bound, name, operation)


for _name in "add", "sub", "mul", "truediv", "floordiv", "mod", "pow":
    _f = getattr(operator, f"__{_name}__")
    _delegate(f"__{_name}__", _f)
    _delegate(f"__r{_name}__", lambda x, y, f=_f: f(y, x))
for _name in "lt", "le", "gt", "ge", "neg", "pos", "abs", "index", "contains", "getitem":
    _delegate(f"__{_name}__", getattr(operator, f"__{_name}__"))
for _f in float, int, round, len, iter, format:
    _delegate(f"__{_f.__name__}__", _f)


def attribute(f: Callable[..., Any]) -> property:
    """An attribute of a value."""
    name = f.__name__

    def get(self: Any) -> Any:
        return session_of((self,), {})._attribute(self, name)

    return property(get, doc=f.__doc__)
