"""Runs the manual's examples from Python. They print the same as in scripts."""

import ast
import os
import re
import textwrap
from pathlib import Path

import dpworkbench as wb
import pytest
from dpworkbench import _values, _words

KNOWN = Path(__file__).parents[2] / "repl" / "testdata" / "examples.txt"

# Examples that differ in Python, with the reasons.
OTHERWISE = {
    "apropos": "it lists names of the prompt, on a terminal of its own",
    "dataset": "what data is there",
    "ln": "rational is a Fraction or None, exact the text",
    "optimal": "rational is a Fraction",
    "read_query": "rational is a Fraction",
    "show": "it prints by itself",
    "type evidence.cite": "no script and no line made the number",
    "type record_mechanism.release": "type is Python's",
    "type released.value": "type is Python's",
}

SLOW = {"type jl rival.epsilon_at", "laplace_rival", "type laplace rival.epsilon_at"}  # WORKBENCH_FULL=1 runs them


def examples():
    """The examples by the names that the manual has for them."""
    for name in _words.__all__:
        x = getattr(_words, name)
        if isinstance(x, type):
            kind = next(k for k, c in _values.classes.items() if c is x)
            yield f"type {kind}", x
            for attribute, member in vars(x).items():
                if not attribute.startswith("_"):
                    yield f"type {kind}.{attribute}", member
        else:
            yield name, x


def code(x):
    text = x.__doc__ or ""
    if "Example::\n" not in text:
        return None
    return textwrap.dedent(text.split("Example::\n", 1)[1]).strip()


def printed(source, session):
    """Returns the output of a script and the prompt's answer to its last expression, computed by Python."""
    out = []

    def say(*values, sep=" "):
        out.append(sep.join(session._show(v, "text") for v in values) + "\n")

    names = {"wb": wb, "print": say}
    tree = ast.parse(source)
    last = tree.body.pop().value if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<example>", "exec"), names)
    value = None
    if last is not None:
        value = eval(compile(ast.Expression(last), "<example>", "eval"), names)
    return "".join(out) + session._show(value, "prompt")


def known():
    text = KNOWN.read_text()
    out = {}
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        name, rest = part.split("\n", 1)
        out[name] = rest.removesuffix("\n")
    return out


def test_examples(folder, session):
    session._terminal = {}
    want = known()
    tried, wrong, full = 0, [], os.environ.get("WORKBENCH_FULL")
    for i, (name, x) in enumerate(examples()):
        if not full and i % 3:  # WORKBENCH_FULL=1 runs them all
            continue
        source = code(x)
        if source is None or name not in want:
            continue
        if name in OTHERWISE or name in SLOW and not full:
            continue
        tried += 1
        try:
            got = printed(source, session)
        except wb.Error as e:
            got = str(e)
            want[name] = re.sub(r"^example:\d+:\d+: ", "", want[name])  # an example that ends in an error
        except Exception as e:
            got = f"{type(e).__name__}: {e}"
        if got != want[name]:
            wrong.append(f"== {name}\n{source}\n-- Python\n{got[:600]}\n-- script\n{want[name][:600]}\n")
    assert tried > (400 if full else 200), tried
    assert not wrong, f"{len(wrong)} of {tried}\n" + "\n".join(wrong)


def test_signatures():
    import inspect

    assert str(inspect.signature(wb.purest)) == "(q, decay)"
    assert str(inspect.signature(wb.Mechanism.sample)) == "(self, x, n=1, seed=0)"
    assert "Definition 16" in wb.purest.__doc__ and "    m = wb.purest(q, 1)\n" in wb.purest.__doc__
    assert max(map(len, wb.purest.__doc__.splitlines())) < 100
    assert "smallest" in wb.Mechanism.smallest_epsilon.__doc__


@pytest.mark.parametrize("name", ["sum", "min", "max", "len", "print", "float", "help", "exit"])
def test_leaves_pythons_own(name):
    assert name not in wb.__all__
