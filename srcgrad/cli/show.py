"""`srcgrad show`: the generated derivative, with the imports that make it a program."""

from __future__ import annotations

import ast
import builtins
import inspect
import symtable
import types
from typing import Any

from srcgrad.cli import style
from srcgrad.cli.options import (
    FORMS,
    CannotStart,
    Found,
    Parser,
    bound,
    default_wrt,
    did_you_mean,
    differentiable,
    load,
    names_of,
    note,
    values_of,
)
from srcgrad.errors import SrcgradError, shown_path
from srcgrad.signature import choose
from srcgrad.source.resolve import MISSING, Unsettled

_MODULES = {"np": "import numpy as np", "math": "import math"}


def run(arguments: list[str]) -> int:
    parser = Parser(
        "show",
        "Prints the generated derivative, as a program that runs. The file is read, not run.",
        'srcgrad show model.py:loss --wrt w,b --at "w=np.ones(3), b=0.0, x=np.ones((5, 3))"',
    )
    parser.add_argument("target", metavar="TARGET", help=FORMS)
    parser.add_argument("--wrt", metavar="NAMES", help="a parameter, or some with commas; default: the first")
    parser.add_argument("--mode", choices=("reverse", "forward"), default="reverse", help="default: reverse")
    parser.add_argument(
        "--at", metavar="VALUES", help='types are those of a call with these: "x=np.arange(4.0), k=2"'
    )
    parser.add_argument(
        "--seed", metavar="VALUE", help="the adjoint of an output that is an array: 1.0 for its sum"
    )
    parser.add_argument("--stage", metavar="PASS", help="print the program after this pass instead")
    parser.add_argument(
        "--run", action="store_true", help="run the file, where its text alone does not settle names"
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")
    options = parser.parse(arguments)
    if options is None:
        return 0
    _check_stage(options.stage)
    found = load(options.target, run=options.run)
    texts: list[str] = []
    imports: dict[str, None] = {}
    refused: list[str] = []
    for qualname, function in differentiable(found).items():
        try:
            text = _generated(found, qualname, function, options)
        except (SrcgradError, CannotStart) as error:
            if not found.target.whole_file:
                _note_unsettled(found, function)
                raise
            first = str(error).partition("\n")[0].removeprefix(f"{qualname} ")
            line = getattr(error, "lineno", None)
            refused.append(f"{qualname}: {first}" + (f" (line {line})" if line else ""))
            continue
        _note_unsettled(found, function)
        texts.append(text.strip("\n"))
        if options.stage is None:
            read = names_read(function, found.module)
            imports.update(dict.fromkeys(imports_of(text, found.module, found.path, read)))
    program = "\n\n\n".join([*(["\n".join(_in_order(imports))] if imports else []), *_once(texts)])
    if program:
        program = program.rstrip("\n") + "\n"
        print(style.coloured(program) if style.wanted(options.color) else program, end="")
    for line in refused:
        note(f"not differentiated: {line}")
    return 0 if texts else 1


def _check_stage(stage: str | None) -> None:
    if stage is not None:
        from srcgrad.pipeline import STAGES

        if stage not in STAGES:
            guess = did_you_mean(stage, STAGES) or f": there are {', '.join(STAGES)}"
            raise CannotStart(f"there is no pass {stage}{guess}")


def _generated(found: Found, qualname: str, function: Any, options: Any) -> str:
    from srcgrad.pipeline import generate

    if function is MISSING:
        raise CannotStart("what it is, is decided when the file runs: try --run")
    names = dict(vars(found.module)) if options.run else {}
    args: tuple[Any, ...] | None = None
    kwargs: dict[str, Any] | None = None
    if options.at:
        values = values_of(options.at, names)
        if found.target.whole_file:
            taken = inspect.signature(function).parameters
            values = {name: value for name, value in values.items() if name in taken}
        call = bound(function, values)
        args, kwargs = call.args, call.kwargs
    seed = values_of(f"seed={options.seed}", names, "--seed")["seed"] if options.seed else None
    wrt = default_wrt(function, qualname, names_of(options.wrt))
    if callable(function):
        wrt, _ = choose(wrt, inspect.signature(function), qualname)
    return generate(function, args, kwargs, wrt=wrt, mode=options.mode, seed=seed, stage=options.stage).text


def _note_unsettled(found: Found, function: Any) -> None:
    """Says which names of a function the text of the file does not settle."""
    names = unsettled_in(function, found.module)
    if names:
        listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        is_or_are = "is" if len(names) == 1 else "are"
        where = shown_path(str(found.path))
        note(f"{where} was not run, so {listed} {is_or_are} unknown here: --run imports it")


def unsettled_in(function: Any, module: types.ModuleType) -> list[str]:
    """The unsettled names that a function reads, itself or through helpers of its module."""
    return [name for name in names_read(function, module) if isinstance(vars(module).get(name), Unsettled)]


def names_read(function: Any, module: types.ModuleType) -> list[str]:
    """The global names (and attributes) in a function's code and in that of helpers of its module."""
    out: dict[str, None] = {}
    seen = set()
    waiting = [getattr(function, "__code__", None)]
    while waiting:
        code = waiting.pop()
        if code is None or code in seen:
            continue
        seen.add(code)
        out.update(dict.fromkeys(code.co_names))
        waiting += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        for name in code.co_names:
            value = vars(module).get(name)
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                waiting.append(value.__code__)
    return list(out)


def _once(texts: list[str]) -> list[str]:
    """The texts, without functions that an earlier one has defined already."""
    seen: dict[str, str] = {}
    out = []
    for text in texts:
        for part in ast.parse(text).body:
            if isinstance(part, ast.FunctionDef):
                printed = ast.unparse(part)
                if seen.setdefault(part.name, printed) != printed:
                    note(
                        f"{part.name} is printed in two versions, and the last one counts: show one at a time"
                    )
        if text not in out:
            out.append(text)
    return out


# ---- imports


def imports_of(text: str, module: types.ModuleType, path: Any, read: list[str] | None = None) -> list[str]:
    """The import statements that generated code needs, from where the user's file has the names.

    `read`: the names in the user's functions; a name that is not there is one of ours, if we have such a one.
    """
    theirs = _imports_in(path, module)
    lines = []
    own = []
    for name in globals_of(text):
        ours = _ours(name)
        if read is not None and name not in read and (ours or name in _MODULES):
            lines.append(ours or _MODULES[name])
        elif name in theirs:
            lines.append(theirs[name])
        elif name in vars(module) and not name.startswith("__"):
            own.append(name)
        elif not hasattr(builtins, name):
            lines.append(_MODULES.get(name, ours))
    if own:
        lines.append(f"from {module.__name__} import {', '.join(sorted(own))}")
    return [line for line in lines if line]


def globals_of(text: str) -> list[str]:
    """The names that a module reads and does not define, in order of the alphabet.

    >>> globals_of("def f(x):\\n    return np.sin(x) + g(len(x))\\ndef g(n): return n")
    ['len', 'np']
    """
    table = symtable.symtable(text, "<generated>", "exec")
    defined = {
        s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_namespace() or s.is_imported()
    }
    read = set()
    waiting = [table]
    while waiting:
        each = waiting.pop()
        waiting += each.get_children()
        for symbol in each.get_symbols():
            if symbol.is_referenced() and (symbol.is_global() or each is table):
                read.add(symbol.get_name())
    return sorted(read - defined)


def _ours(name: str) -> str:
    """The import of one of the functions that generated code calls; nothing for any other name."""
    from srcgrad import runtime

    module = getattr(vars(runtime).get(name), "__module__", None) or ""
    return f"from {module} import {name}" if module.startswith("srcgrad.") else ""


def _imports_in(path: Any, module: types.ModuleType) -> dict[str, str]:
    """What a file imports at its top level: name -> the statement that binds it."""
    out = {}
    package = (module.__package__ or "").split(".")
    for node in ast.walk(ast.parse(path.read_bytes())):
        if node.__class__ is ast.Import and node.col_offset == 0:  # type: ignore[attr-defined]
            for alias in node.names:  # type: ignore[attr-defined]
                bound_name = alias.asname or alias.name.partition(".")[0]
                out[bound_name] = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
        elif node.__class__ is ast.ImportFrom and node.module != "__future__":  # type: ignore[attr-defined]
            source = node.module or ""  # type: ignore[attr-defined]
            if node.level:  # type: ignore[attr-defined]
                source = ".".join(filter(None, [*package[: len(package) - node.level + 1], source]))  # type: ignore
            for alias in node.names:  # type: ignore[attr-defined]
                if alias.name != "*":
                    as_name = f" as {alias.asname}" if alias.asname else ""
                    out[alias.asname or alias.name] = f"from {source} import {alias.name}{as_name}"
    return out


def _in_order(lines: Any) -> list[str]:
    """Import statements: plain ones first, those of one module joined."""
    plain = sorted(line for line in lines if line.startswith("import "))
    froms: dict[str, dict[str, None]] = {}
    for line in lines:
        if line.startswith("from "):
            source, _, names = line.removeprefix("from ").partition(" import ")
            froms.setdefault(source, {}).update(dict.fromkeys(names.split(", ")))
    return plain + [
        f"from {source} import {', '.join(sorted(names))}" for source, names in sorted(froms.items())
    ]
