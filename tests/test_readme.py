"""Every output that README.md and docs/semantics.md print is what their code gives.

Blocks of Python are run in order, in one namespace; a block of text behind one is what it prints. In console
blocks the lines that begin with `$ srcgrad` are run, and what follows is what they print. To write the outputs anew:
SRCGRAD_WRITE_DOCS=1 python -m pytest tests/test_readme.py
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import shlex
from pathlib import Path

import pytest

from srcgrad.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "docs/semantics.md"]
WRITE = bool(os.environ.get("SRCGRAD_WRITE_DOCS"))
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```\n", re.M | re.S)


def figures_hidden(text):
    """Times, and how far rounding goes, are not the same everywhere."""
    text = re.sub(r"\bin \d+\.\d\d s\b", "in TIME", text)
    return re.sub(r" *\b\d\.\de[-+]\d\d", " FIGURE", text)


def python(code, namespace, name):
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), namespace)
    return out.getvalue()


def console(block):
    said = []
    for line in block.splitlines():
        if line.startswith("$ srcgrad"):
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                main(shlex.split(line)[2:])
            said += [line, out.getvalue().rstrip("\n")]
    return "\n".join(said) + "\n"


@pytest.mark.parametrize("page", PAGES)
def test_outputs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text()
    namespace = {"__name__": "readme"}
    printed = ""
    wanted = []  # (span of a block's content, what it should be)
    for number, block in enumerate(BLOCK.finditer(text)):
        kind, content = block.groups()
        if kind == "python":
            assert not printed, f"what block {number - 1} prints is not shown: {printed}"
            name = "model.py" if "SrcgradError" in content else f"<{page} {number}>"
            printed = python(content, namespace, name)
        elif kind == "text":
            wanted.append((block.span(2), printed))
            printed = ""
        elif "$ srcgrad" in content:
            wanted.append((block.span(2), console(content)))
    assert not printed, f"what the last block prints is not shown: {printed}"
    if WRITE:
        for (start, end), new in reversed(wanted):
            text = text[:start] + new + text[end:]
        (ROOT / page).write_text(text)
        return
    for (start, end), new in wanted:
        assert figures_hidden(text[start:end]) == figures_hidden(new)


def test_the_readme_shows_the_api():
    import srcgrad

    text = (ROOT / "README.md").read_text()
    for name in srcgrad.__all__:
        assert name in text, f"{name} is public, and README does not mention it"
