"""Refusals as files: what a person wrote, how it is called, the whole message, and the way out that its hint names.

    === name
    the program, which is model.py
    --- the call
    the message
    +++ the call of the way out        (may be missing)
    the program as the hint says to write it

`python tests/refusals/write.py` writes the messages anew, to be read before they are committed.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad

CASES = Path(__file__).parent / "cases"
_numbers = itertools.count()


@dataclass
class Case:
    """One refusal."""

    name: str
    program: str
    call: str
    message: str
    way_out_call: str = ""
    way_out: str = ""

    def text(self) -> str:
        """As it stands in its file."""
        parts = [f"=== {self.name}", self.program, f"--- {self.call}", self.message]
        if self.way_out:
            parts += [f"+++ {self.way_out_call}", self.way_out]
        return "\n".join(p for p in parts if p) + "\n"


def read(path: Path) -> list[Case]:
    """The cases of one file."""
    out = []
    for text in ("\n" + path.read_text()).split("\n=== ")[1:]:
        text, _, way_out = text.partition("\n+++ ")
        head, _, rest = text.partition("\n--- ")
        name, _, program = head.partition("\n")
        call, _, message = rest.partition("\n")
        way_out_call, _, repaired = way_out.partition("\n")
        out.append(
            Case(name, program.strip("\n"), call, message.strip("\n"), way_out_call, repaired.strip("\n"))
        )
    return out


def all_cases() -> Iterator[tuple[str, Case]]:
    """Every case, with the name of its file."""
    for path in sorted(CASES.glob("*.txt")):
        for case in read(path):
            yield path.stem, case


@contextlib.contextmanager
def model(program: str, folder: Path) -> Iterator[dict[str, Any]]:
    """The program as model.py in the working directory; gives the names for a call."""
    folder = folder / str(next(_numbers))  # a file of its own: texts are cached by the name of their file
    folder.mkdir()
    path = folder / "model.py"
    path.write_text(program + "\n")
    before, name = os.getcwd(), "model"
    os.chdir(folder)
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        given = {"np": np, **{n: getattr(srcgrad, n) for n in ("grad", "vjp", "jvp", "check_grad")}}
        sys.modules[name] = module
        spec.loader.exec_module(module)
        yield given | {k: v for k, v in vars(module).items() if not k.startswith("__")}
    finally:
        os.chdir(before)
        sys.modules.pop(name, None)


def refusal(case: Case, folder: Path) -> str:
    """What the call of a case says; the result where nothing was refused."""
    with model(case.program, folder) as names:
        try:
            value = eval(case.call, names)
        except srcgrad.SrcgradError as error:
            return str(error)
        except Exception as error:
            return f"NOT REFUSED, BUT RAISED {type(error).__name__}: {error}"
    return f"NOT REFUSED: {value!r}"
