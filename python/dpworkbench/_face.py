"""What turns the declarations of _words.py into calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._session import session_of

__tracebackhide__ = True  # pytest leaves the frames of this module out


def word(f: Callable[..., Any]) -> Callable[..., Any]:
    """A built-in: the declaration says how it is called, the workbench checks it."""
    name = f.__name__

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # IPython leaves this frame out
        return session_of(args, kwargs).call(name, *args, **kwargs)

    return call


def method(f: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a value."""
    name = f.__name__

    @functools.wraps(f)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return session_of((self,), {})._method(self, name, args, kwargs)

    return call


def attribute(f: Callable[..., Any]) -> property:
    """An attribute of a value."""
    name = f.__name__

    def get(self: Any) -> Any:
        return session_of((self,), {})._attribute(self, name)

    return property(get, doc=f.__doc__)
