"""What the commands share: options, `--at`, and the functions that a target names."""

from __future__ import annotations

import argparse
import ast
import difflib
import inspect
import math
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from srcgrad.errors import SrcgradError, shown_path
from srcgrad.source.resolve import MISSING
from srcgrad.source.static import load_static, plain, run_file
from srcgrad.source.target import Target, find_target

FORMS = "FILE:FUNCTION, FILE:Class.method, package.module:f, FILE:LINE, or FILE"


class CannotStart(Exception):
    """What was typed cannot be carried out: one line, exit code 2."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A suggestion for a word that is not known, or nothing.

    >>> did_you_mean("shwo", ["show", "rules"])
    ". Did you mean 'show'?"
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f". Did you mean '{close[0]}'?" if close else ""


class Parser(argparse.ArgumentParser):
    """argparse, with one line and a suggestion for what it does not know."""

    def __init__(self, command: str, description: str, example: str):
        super().__init__(
            prog=f"srcgrad {command}",
            description=description,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        unknown = re.search(r"unrecognized arguments: (\S+)", message)
        if unknown:
            word = unknown[1]
            if not word.startswith("-"):
                raise CannotStart(f"{self.prog} does not know what to do with {word}: see {self.prog} --help")
            options = [o for action in self._actions for o in action.option_strings]
            raise CannotStart(
                f"{self.prog} has no option {word}{did_you_mean(word.split('=')[0], options)}"
                if did_you_mean(word.split("=")[0], options)
                else f"{self.prog} has no option {word}: see {self.prog} --help"
            )
        choice = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            choices = re.findall(r"[\w-]+", choice[3])
            guess = did_you_mean(choice[2], choices) or f": it takes {', '.join(choices)}"
            raise CannotStart(f"{choice[1]} has no {choice[2]!r}{guess}")
        missing = re.match(r"the following arguments are required: (.*)", message)
        if missing:
            raise CannotStart(f"{self.prog} needs a {missing[1]}: see {self.prog} --help")
        raise CannotStart(f"{self.prog}: {message}")

    def parse(self, arguments: list[str]) -> argparse.Namespace | None:
        """The options; None when the help was asked for and is printed."""
        if "-h" in arguments or "--help" in arguments:
            self.print_help()
            return None
        return self.parse_args(arguments)


@dataclass
class Found:
    """The functions that a target names, in a module that was made from the file's text or by running it."""

    target: Target
    module: types.ModuleType
    functions: dict[str, Any]  # by qualified name; MISSING for what the text does not settle
    unsettled: list[str]

    @property
    def path(self) -> Path:
        return self.target.path


def load(spec: str, *, run: bool) -> Found:
    """Finds the functions of a target; the file is run only if `run` says so."""
    target = find_target(spec)
    if run:
        module, unsettled = imported(target.path), []
    else:
        module, unsettled = load_static(target.path)
    functions = {name: plain(module, name) for name in target.qualnames}
    if not target.whole_file and functions[target.qualnames[0]] is MISSING:
        where = shown_path(str(target.path))
        if run:
            raise CannotStart(f"{target.qualnames[0]} is not there after {where} was run")
        raise CannotStart(
            f"what {target.qualnames[0]} is in {where} is decided when the file runs: try --run"
        )
    return Found(target, module, functions, unsettled)


def differentiable(found: Found) -> dict[str, Any]:
    """The functions of a target; of a whole file those with parameters, since there is nothing to say of the others."""
    if not found.target.whole_file:
        return found.functions
    out = {
        n: f
        for n, f in found.functions.items()
        if not inspect.isfunction(f) or inspect.signature(f).parameters
    }
    rest = [name for name in found.functions if name not in out]
    if rest:
        note(f"without parameters, and left out: {', '.join(rest)}")
    return out


def imported(path: Path) -> types.ModuleType:
    """Runs the user's file; what it raises is one line, at the user's line."""
    try:
        return run_file(path)
    except SrcgradError:
        raise
    except (Exception, SystemExit) as error:
        raise CannotStart(f"{shown_path(str(path))} does not run: {said(error, path)}") from None


def said(error: BaseException, path: Path | None = None) -> str:
    """An exception of the user's code in one line: where, which, what."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if path is None or Path(f.filename) == path]
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{shown_path(error.filename)}:{error.lineno}: "
    else:
        place = f"{shown_path(own[-1].filename)}:{own[-1].lineno}: " if own else ""
    return f"{place}{type(error).__name__}: {error}".rstrip(": ")


def names_of(text: str | None) -> str | tuple[str, ...] | None:
    """`--wrt`: a name, or names with commas between them.

    >>> names_of("w"), names_of("w,b"), names_of("w,")
    ('w', ('w', 'b'), ('w',))
    """
    if text is None or "," not in text:
        return text
    return tuple(name.strip() for name in text.split(",") if name.strip())


def default_wrt(function: Any, qualname: str, wrt: Any) -> Any:
    """A method's first parameter is its object: the one after it is meant."""
    if wrt is not None or "." not in qualname:
        return wrt
    names = list(inspect.signature(function).parameters)
    return names[1] if len(names) > 1 and names[0] in ("self", "cls") else None


def values_of(text: str | None, names: dict[str, Any] | None = None, option: str = "--at") -> dict[str, Any]:
    """Evaluates `--at`: the keywords of a call, with np and math, and the names of a module that was run.

    >>> values_of("x=np.ones(2), k=math.pi")
    {'x': array([1., 1.]), 'k': 3.141592653589793}
    """
    if not text:
        return {}
    try:
        call = ast.parse(f"f({text}\n)", option, "eval").body
    except SyntaxError as error:
        raise CannotStart(f"{option} {text!r} is not the keywords of a call: {error.msg}") from None
    if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
        raise CannotStart(f'{option} takes the keywords of a call, as in {option} "x=np.ones(3), k=2"')
    space = {"np": np, "numpy": np, "math": math, **(names or {})}
    values = {}
    for keyword in call.keywords:
        assert keyword.arg is not None
        try:
            code = compile(ast.Expression(keyword.value), option, "eval")
            values[keyword.arg] = eval(code, space)  # noqa: S307  the user typed it
        except Exception as error:
            spelled = ast.unparse(keyword.value)
            raise CannotStart(
                f"{option}: {keyword.arg}={spelled} raises {type(error).__name__}: {error}"
            ) from None
    return values


def bound(
    function: Callable[..., Any], values: dict[str, Any], guess: bool = False
) -> inspect.BoundArguments:
    """Binds the values of `--at` to a function; with `guess`, numbers stand in where annotations say so."""
    signature = inspect.signature(function)
    name = getattr(function, "__name__", "it")
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for given in values:
        if given not in signature.parameters and not takes_any:
            listed = ", ".join(signature.parameters)
            raise CannotStart(
                f"{name} has no parameter {given!r}: it has {listed}{did_you_mean(given, signature.parameters)}"
            )
    positional: list[Any] = []
    keywords = dict(values)
    for p in signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.name not in keywords:
            if p.default is not p.empty:
                continue
            if guess and p.annotation in _STAND_IN:
                keywords[p.name] = _STAND_IN[p.annotation]
            else:
                raise CannotStart(f'{name} needs a value for {p.name}: --at "{p.name}=..."')
        if p.kind is p.POSITIONAL_ONLY:
            positional.append(keywords.pop(p.name))
    return signature.bind(*positional, **keywords)


_STAND_IN = {float: 0.7, int: 3, "float": 0.7, "int": 3, complex: 0.7 + 0.2j, "complex": 0.7 + 0.2j}


def note(text: str) -> None:
    """Says something that is not the answer: stdout stays a program."""
    sys.stdout.flush()
    print(f"note: {text}", file=sys.stderr)
