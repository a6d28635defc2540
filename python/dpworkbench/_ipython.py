"""Integration with IPython and Jupyter: tracebacks without the package's frames, and completion of words in strings."""

from __future__ import annotations

import re
import sys
from types import TracebackType
from typing import Any

from ._errors import Error, without_frames
from ._session import session_of
from ._values import Object

_NAME = re.compile(r"(?<![\w.])([^\W\d]\w*)(\.)?")


def install() -> None:
    """Registers both with the running shell, if there is one."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return
    if not shell.custom_exceptions:
        shell.set_custom_exc((Error, KeyboardInterrupt), _show)
    try:
        from IPython.core.completer import context_matcher  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # older than 8.6
        return
    if all(getattr(m, "__name__", "") != "dpworkbench" for m in shell.Completer.custom_matchers):

        @context_matcher(identifier="dpworkbench")  # type: ignore[untyped-decorator, unused-ignore]
        def dpworkbench(context: Any) -> dict[str, Any]:
            before = context.full_text.split("\n")[: context.cursor_line]
            return _complete("\n".join([*before, context.text_until_cursor]), shell.user_ns)

        shell.Completer.custom_matchers.append(dpworkbench)


def _show(shell: Any, kind: type[BaseException], e: BaseException, tb: TracebackType | None, tb_offset: int | None = None) -> None:
    without_frames(e)
    shell.showtraceback((kind, e, e.__traceback__), tb_offset=tb_offset, running_compiled_code=True)


def _complete(text: str, names: dict[str, Any]) -> dict[str, Any]:
    """Completes an unfinished string at the end of text with the words that the parameter accepts."""
    package, found, ours = sys.modules[__package__], {}, False

    def scripted(m: re.Match[str]) -> str:
        nonlocal ours
        value = names.get(m[1])
        if isinstance(value, Object):
            found[m[1]] = value
        ours = ours or value is package or isinstance(value, Object) or getattr(value, "__module__", "") == f"{__package__}._words"
        return "" if value is package and m[2] else m[0]

    source = _NAME.sub(scripted, text)
    size, words = 0, []
    if ours and text.count('"') + text.count("'"):
        flat = [x for item in found.items() for x in item]
        try:
            size, words = session_of(tuple(found.values()), {})._ask(b"S", lambda p: {"of": source, "as": "choices", "names": [p.pack(x) for x in flat]})
        except Error:  # the session has ended or is busy
            pass
    from IPython.core.completer import SimpleCompletion

    return {"completions": [SimpleCompletion(word, type="value") for word in words], "matched_fragment": text[len(text) - size :], "suppress": bool(words)}
