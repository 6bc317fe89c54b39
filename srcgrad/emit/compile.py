"""Compile: printed functions made to run where the user's run.

A generated function has the user's globals as its globals and the user's cells; our own names are cells too. The text
is in linecache under a stable name, so that tracebacks and pdb show it.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import types
from typing import Any

_FLAGS = __future__.annotations.compiler_flag


def compiled(
    lines: list[str], first: int, filename: str, user: Any, objects: dict[str, Any]
) -> types.FunctionType:
    """The function whose text is `lines`, which stand from line `first` (0-based) on in the file of that name."""
    tree = ast.parse("\n".join(lines))
    ast.increment_lineno(tree, first)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    whole = bool(definition.args.defaults or definition.args.kw_defaults)
    definition.args.defaults = []
    definition.args.kw_defaults = [None] * len(definition.args.kwonlyargs)
    closure = dict(zip(user.__code__.co_freevars, user.__closure__ or (), strict=True))
    free = sorted({*objects, *closure})
    # a frame around the function, so that these names are free in it
    frame = ast.parse("def frame():\n    pass").body[0]
    assert isinstance(frame, ast.FunctionDef)
    frame.body = [
        *(ast.Assign([ast.Name(n, ast.Store())], ast.Constant(None), lineno=1, col_offset=0) for n in free),
        definition,
    ]
    module = ast.fix_missing_locations(ast.Module([frame], []))
    code = compile(module, filename, "exec", flags=_FLAGS, dont_inherit=True)
    code = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == definition.name)
    cells = []
    for n in code.co_freevars:
        cells.append(types.CellType(objects[n]) if n in objects else closure[n])
    # defaults are the user's objects: their expressions are not evaluated again
    made = types.FunctionType(
        code, user.__globals__, definition.name, user.__defaults__ if whole else None, tuple(cells)
    )
    made.__kwdefaults__ = user.__kwdefaults__ if whole else None
    return made


def remember(filename: str, text: str) -> None:
    """Put the text where tracebacks look for it."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
