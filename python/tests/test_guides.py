"""Runs the guides in Python: the page on Python, and the blocks of every other page, which are scripts of the workbench's
language. WORKBENCH_GUIDES=1 rewrites the output in python.md."""

import ast
import contextlib
import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import dpworkbench as wb
import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```\n", re.M | re.S)
OURS = GUIDE / "python.md"
SLOW = {"uses.md"}  # WORKBENCH_FULL=1 runs them
PAGES = sorted(p.name for p in GUIDE.glob("*.md") if "```python\n" in p.read_text())

# Blocks of other pages that differ in Python, with the reasons.
OTHERWISE = {
    "matrix.md": {"print(matrix(read_csv(": "== of arrays is by entries", "print(type(out.value)": "type is Python's"},
    "own-query.md": {"print(again.values": "", "m.report(": ""},
    "overnight.md": {'storage="night.db"': "its storage is made by the shell"},
    "paper.md": {"print(e.cite": "no line of a script made the number", ".rational": "a Fraction"},
}


def blocks(page):
    """Yields (language, file, code, expected output, place of that output)."""
    text = page.read_text()
    found = list(BLOCK.finditer(text))
    for m, after in zip(found, found[1:] + [None]):
        if m[1] != "text":
            below = after if after is not None and after[1] == "text" else None
            yield m[1], m[2], m[3], "" if below is None else below[3], below


def test_the_page_on_python(folder):
    names = {"__name__": "page"}
    text, moved = OURS.read_text(), 0
    for language, _, code, want, below in list(blocks(OURS)):
        if language != "py":
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "python.md", "exec"), names)
        if os.environ.get("WORKBENCH_GUIDES") and below is not None:
            a, b = below.start(3) + moved, below.end(3) + moved
            text, moved = text[:a] + out.getvalue() + text[b:], moved + len(out.getvalue()) - (b - a)
        else:
            assert out.getvalue() == want, code
    if os.environ.get("WORKBENCH_GUIDES"):
        OURS.write_text(text)


@pytest.mark.parametrize("page", PAGES)
def test_other_pages(page, folder, session):
    if page in SLOW and not os.environ.get("WORKBENCH_FULL"):
        pytest.skip("slow: WORKBENCH_FULL=1 runs it")
    session._terminal = {"unicode": True}
    out = []

    def say(*values, sep=" "):
        out.append(sep.join(session._show(v, "text") for v in values) + "\n")

    names = {n: getattr(wb, n) for n in wb.__all__} | {"print": say, "math": math}
    skip = OTHERWISE.get(page, {})
    compared = 0
    for language, file, code, want, _ in blocks(GUIDE / page):
        if file:
            (folder / file).write_text(code)
        elif language == "python":
            if any(s in code for s in skip) and page == "overnight.md":
                continue
            out.clear()
            for node in ast.parse(code).body:
                part = ast.get_source_segment(code, node)
                if not any(s in part and why for s, why in skip.items()):
                    exec(compile(ast.Module([node], []), page, "exec"), names)
            got = "".join(out)
            if any(s in code and why for s, why in skip.items()):
                assert set(got.splitlines()) <= set(want.splitlines()), code
            else:
                assert got == want, code
            compared += 1
    assert compared or page == "overnight.md"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A folder with the code of the guides, and with BAD."""
    folder = tmp_path_factory.mktemp("types")
    page = "".join(code for language, _, code, _, _ in blocks(OURS) if language == "py")
    (folder / "page.py").write_text(page)
    for name in PAGES:
        code = "".join(code for language, file, code, _, _ in blocks(GUIDE / name) if language == "python" and not file)
        used = {(type(n.ctx), n.id) for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name)}
        words = sorted(n for c, n in used if c is ast.Load and n in wb._words.__all__ and (ast.Store, n) not in used)
        head = f"# mypy: allow-untyped-defs, allow-untyped-calls\nimport math\nfrom dpworkbench import {', '.join(words)}\n"
        (folder / ("guide_" + name.replace("-", "_").replace(".md", ".py"))).write_text(head + code)
    (folder / "bad.py").write_text(BAD)
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(Path(wb.__file__).parent.parent)]}))
    return folder


CHECKERS = ["mypy", "pyright"] if os.environ.get("WORKBENCH_FULL") else ["mypy"]


@pytest.fixture(scope="module", params=CHECKERS)
def checked(pages, request):
    """Runs a checker once on all files, because NumPy takes most of its time, and returns its findings by file and line."""
    pytest.importorskip(request.param)
    files, env = sorted(p.name for p in pages.glob("*.py")), dict(os.environ)
    if request.param == "mypy":
        root = Path(wb.__file__).parent.parent
        if root.name != "site-packages":
            env["MYPYPATH"] = str(root)
        said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *files], cwd=pages, capture_output=True, text=True, env=env).stdout
        assert "Found" in said
        return {(name, int(line), text) for name, line, text in re.findall(r"^(\w+\.py):(\d+): error: (.*)", said, re.M)}
    done = subprocess.run([sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable], cwd=pages, capture_output=True, text=True, env=env | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"})
    if not done.stdout.lstrip().startswith("{"):
        pytest.skip("pyright cannot fetch what it runs on")
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {(Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["message"]) for d in found if d["severity"] == "error"}


BAD = """import dpworkbench as wb
q = wb.graphs(4).count("triangel")
wb.purest(q)
wb.purest(q, decay=1).smallest_epsilonn
x: str = wb.ln(3).lo
wb.graphs(4.5)
wb.ladder(wb.linear_query([(0, 1)]), 1)
y: int = wb.purest(q, 1).distortion(0)
"""


def test_types(checked):
    """mypy --strict accepts the guide, and the scripts of other pages except for their functions, which have no types. It
    refuses wrong code, so the types are not all Any."""
    assert sorted(found for found in checked if found[0] != "bad.py") == []
    assert sorted({line for name, line, _ in checked if name == "bad.py"}) == [2, 3, 4, 5, 6, 7, 8]
