"""Turns what is typed on the command line into a file and the names of functions in it.

Nothing is imported: files are parsed, and modules are looked for on the path.
"""

from __future__ import annotations

import ast
import difflib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from srcgrad.errors import refuse, shown_path

_FORMS = "FILE:FUNCTION, FILE:Class.method, package.module:f, FILE:LINE or FILE"


@dataclass(frozen=True)
class Target:
    """A file, and the functions in it that are meant."""

    path: Path
    qualnames: tuple[str, ...]
    module: str | None = None  # as it was typed, if a module was
    whole_file: bool = False  # all of the file was asked for


def find_target(spec: str) -> Target:
    """Finds FILE:FUNCTION, FILE::FUNCTION, FILE:Class.method, module:f, FILE:LINE, FILE."""
    where, what = _split(spec)
    path, module = _locate(where, spec)
    defined = list(_defined(_parse(path)))
    names = list(dict.fromkeys(name for name, _, _ in defined))
    if not what:
        if not names:
            refuse("target", f"{shown_path(str(path))} defines no function")
        return Target(path, tuple(names), module, whole_file=True)
    if what.isdecimal():
        return Target(path, (_at_line(path, int(what), defined),), module)
    if what not in names:
        _refuse_name(path, what, names)
    return Target(path, (what,), module)


def _split(spec: str) -> tuple[str, str]:
    """Divides a target at the colon before the function.

    >>> _split("model.py::loss"), _split("model.py"), _split(r"C:\\work\\model.py")
    (('model.py', 'loss'), ('model.py', ''), ('C:\\\\work\\\\model.py', ''))
    """
    if "::" in spec:
        # pytest writes FILE::Class::method.
        where, _, what = spec.partition("::")
        return where, what.replace("::", ".")
    where, colon, what = spec.rpartition(":")
    if not colon or what.endswith(".py") or "/" in what or "\\" in what:
        return spec, ""
    return where, what


def _locate(where: str, spec: str) -> tuple[Path, str | None]:
    """Finds the file of FILE or package.module."""
    if not where:
        refuse("target", f"{spec!r} names no file: a target is {_FORMS}")
    path = Path(where)
    if path.is_file():
        return Path(os.path.abspath(path)), None
    parts = where.split(".")
    is_file_name = where.endswith(".py") or os.sep in where or "/" in where
    if not is_file_name and all(part.isidentifier() for part in parts):
        found = find_module_file(parts, ["", *sys.path])
        if found is not None:
            return found, where
    if path.is_dir():
        refuse("target", f"{where} is a folder: a target is {_FORMS}")
    if not is_file_name and Path(where + ".py").is_file():
        refuse("target", f"there is no module {where}. Did you mean '{where}.py'?")
    folder = path.parent
    beside = sorted(str(p) for p in folder.glob("*.py")) if folder.is_dir() else []
    kind = "file" if is_file_name else "module or file"
    refuse("target", f"there is no {kind} {where}{_did_you_mean(where, beside)}")


def find_module_file(parts: Iterable[str], folders: Iterable[str]) -> Path | None:
    """Looks for the file of a dotted module name below some folders, without importing."""
    parts = list(parts)
    for folder in folders:
        base = Path(folder or ".").joinpath(*parts)
        for path in (base / "__init__.py", base.with_name(base.name + ".py")):
            if path.is_file():
                return Path(os.path.abspath(path))
    return None


def _parse(path: Path) -> ast.Module:
    shown = shown_path(str(path))
    try:
        return ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        refuse("target", f"{shown}:{error.lineno} is not Python: {error.msg}")
    except (OSError, ValueError) as error:
        refuse("target", f"{shown} cannot be read: {error}")


def _defined(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Gives name, first and last line of the functions that a file or a class defines."""
    waiting = [("", statement) for statement in reversed(tree.body)]
    while waiting:
        prefix, node = waiting.pop()
        last = getattr(node, "end_lineno", None) or 0
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found = prefix + node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
                continue
            first, found = node.lineno, prefix + node.targets[0].id
        elif isinstance(node, ast.ClassDef):
            inner = f"{prefix}{node.name}."
            waiting.extend((inner, statement) for statement in reversed(node.body))
            continue
        else:
            # `if`, `try` and `with` define at the same level.
            blocks = [
                statement
                for part in ("body", "handlers", "orelse", "finalbody")
                for statement in getattr(node, part, ()) or ()
                if isinstance(node, (ast.stmt, ast.ExceptHandler))
            ]
            waiting.extend((prefix, statement) for statement in reversed(blocks))
            continue
        yield found, first, last


def _at_line(path: Path, line: int, defined: list[tuple[str, int, int]]) -> str:
    """Gives the innermost function that can be reached by name and holds a line."""
    holding = [(last - first, name) for name, first, last in defined if first <= line <= last]
    if holding:
        return min(holding)[1]
    shown = shown_path(str(path))
    if not defined:
        refuse("target", f"{shown} defines no function")

    def distance(each: tuple[str, int, int]) -> int:
        _, first, last = each
        return first - line if line < first else line - last

    name, first, last = min(defined, key=distance)
    refuse(
        "target",
        f"no function holds line {line} of {shown}. The nearest is {name}, lines {first} to {last}",
    )


def _refuse_name(path: Path, what: str, names: list[str]) -> None:
    shown = shown_path(str(path))
    if not names:
        refuse("target", f"{shown} defines no function")
    # A method is often asked for without its class.
    methods = [name for name in names if name.endswith("." + what)]
    guess = _did_you_mean(what, methods or names)
    if not guess:
        listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        guess = f": it has {listed}"
    refuse("target", f"{shown} has no function {what}{guess}")


def _did_you_mean(word: str, names: list[str]) -> str:
    ending = [name for name in names if name.endswith("." + word)]
    close = ending or difflib.get_close_matches(word, names, n=1)
    return f". Did you mean '{close[0]}'?" if close else ""
