"""`srcgrad check`: tests a derivative, or a gradient of the user's own, against differences. It runs the file."""

from __future__ import annotations

import json
import math
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.check import RATE_WANTED, Problem, same_bits
from srcgrad.cli.options import (
    FORMS,
    CannotStart,
    Parser,
    bound,
    default_wrt,
    differentiable,
    load,
    names_of,
    note,
    said,
    values_of,
)
from srcgrad.errors import SrcgradError, shown_path
from srcgrad.source.resolve import MISSING
from srcgrad.source.target import find_target


@dataclass
class Line:
    """One check: what was compared, how far it is off, and the verdict."""

    name: str
    text: str
    figure: str = ""
    ok: bool | None = True  # None: it could not be made

    @property
    def verdict(self) -> str:
        return "-" if self.ok is None else "ok" if self.ok else "WRONG"

    def __str__(self) -> str:
        room = max(53 - len(self.figure), len(self.text) + 1)
        return f"  {self.name:<9}  {self.text:<{room}}{self.figure}   {self.verdict}".rstrip()


@dataclass
class Checked:
    """The checks of one function."""

    title: str
    name: str
    file: str
    line: int
    lines: list[Line] = field(default_factory=list)

    @property
    def failed(self) -> list[Line]:
        return [line for line in self.lines if line.ok is False]


def run(arguments: list[str]) -> int:
    parser = Parser(
        "check",
        "Tests the derivative of a function against differences at a point. The file is run.",
        'srcgrad check model.py:loss --at "w=np.ones(3)" --against model.py:loss_grad',
    )
    parser.add_argument("target", metavar="TARGET", help=FORMS)
    parser.add_argument(
        "--at", metavar="VALUES", help='the point, as keywords of a call: "w=np.ones(3), k=2"'
    )
    parser.add_argument("--wrt", metavar="NAMES", help="a parameter, or some with commas; default: the first")
    parser.add_argument(
        "--seed", metavar="VALUE", help="the adjoint of an output that is an array: 1.0 for its sum"
    )
    parser.add_argument(
        "--against",
        metavar="FILE:FUNCTION",
        help="a gradient of yours: it returns (value, gradient), or the gradient",
    )
    parser.add_argument("--format", choices=("text", "json", "github"), default="text", help="default: text")
    options = parser.parse(arguments)
    if options is None:
        return 0
    started = time.perf_counter()
    find_target(options.target)  # what is mistyped is said before the file runs
    other = load(options.against, run=True) if options.against else None
    if other is not None and len(other.functions) != 1:
        raise CannotStart("--against takes one function: FILE:FUNCTION")
    found = load(options.target, run=True)
    if found.target.whole_file and (other is not None or options.at):
        raise CannotStart("--at and --against belong to one function: FILE:FUNCTION")
    results: list[Checked] = []
    for qualname, function in differentiable(found).items():
        try:
            if function is MISSING:
                raise CannotStart(f"{qualname} is not there after the file was run")
            results.append(_checked(qualname, function, found, other, options))
        except (SrcgradError, CannotStart) as error:
            if not found.target.whole_file:
                raise
            first = str(error).partition("\n")[0].removeprefix(f"{qualname} ")
            note(f"not checked: {qualname}: {first}")
    _print(results, options.format, time.perf_counter() - started)
    return 1 if not results or any(result.failed for result in results) else 0


def _checked(qualname: str, function: Any, found: Any, other: Any, options: Any) -> Checked:
    names = dict(vars(found.module))
    call = bound(function, values_of(options.at, names), guess=True)
    wrt = default_wrt(function, qualname, names_of(options.wrt))
    seed = values_of(f"seed={options.seed}", names, "--seed")["seed"] if options.seed else None
    try:
        if other is None:
            return _of_grad(qualname, function, found.path, call, wrt, seed)
        against_name, against = next(iter(other.functions.items()))
        return _of_theirs(qualname, function, found.path, against_name, against, other.path, call, wrt, seed)
    except SrcgradError:
        raise
    except Exception as error:
        # The user's function, or the derivative of it, raised: that is a finding. Anything else is our fault.
        frames = traceback.extract_tb(error.__traceback__)
        if not any(f.filename == str(found.path) or f.filename.startswith("<srcgrad: ") for f in frames):
            raise
        line = Line("value", said(error, found.path), ok=False)
        file, number = shown_path(str(found.path)), _line_of(function)
        return Checked(f"{qualname}  {file}:{number}", qualname, file, number, [line])


def _of_grad(qualname: str, function: Any, path: Any, call: Any, wrt: Any, seed: Any) -> Checked:
    """The five checks of a derivative that srcgrad makes."""
    from srcgrad.api import grad

    df = grad(function, wrt=wrt, seed=seed)
    problem = Problem.of(df, call.args, call.kwargs)
    by = ", ".join(f"{name}: {described(x)}" for name, x in zip(problem.wrt, problem.base, strict=True))
    where = f"{shown_path(str(path))}:{_line_of(function)}"
    out = Checked(
        f"{qualname}  {where}  with respect to {by}", qualname, shown_path(str(path)), _line_of(function)
    )
    (value, gradient), after = problem.called(df)
    gradients = tuple(gradient) if problem.many else (gradient,)
    called = _called(qualname, problem)
    out.lines.append(Line("value", f"equal to {called}, bit for bit", ok=same_bits(value, problem.value)))
    left = same_bits(dict(after), dict(problem.arguments_after))
    out.lines.append(Line("arguments", f"left as {qualname} leaves them", ok=left))

    held = len(problem.detached)
    holding = f", {held} detach{'es' if held > 1 else ''} held fixed" if held else ""
    direction = problem.direction()
    modes = problem.modes(gradients)
    if modes is None:
        first = str(problem.no_tangent).partition("\n")[0]
        out.lines.append(Line("adjoint", f"against tangent: {first}", ok=None))
        slope, name = sum(_products(gradients, direction)), "adjoint"
    else:
        out.lines.append(Line("adjoint", "against tangent, dot product", f"{modes.off:.1e}", not modes.wrong))
        slope, name = modes.wanted, "tangent"
    along = problem.against_slope(slope, direction)
    worst = problem.compare(gradients) if along.wrong else along
    if along.wrong and worst.wrong:
        text = f"worst at {worst.place}: srcgrad {worst.given:.6g}, differences {worst.wanted:.6g}{holding}"
        out.lines.append(Line("gradient", text, ok=False))
    else:
        out.lines.append(Line(name, f"against differences{holding}", f"{along.off:.1e}", not along.wrong))
    rate = problem.rate(slope, direction)
    if rate is None:
        out.lines.append(Line("Taylor", "nothing beyond the first order"))
    else:
        out.lines.append(
            Line("Taylor", f"rate {rate:.2f}, at least {RATE_WANTED:.2f} wanted", ok=rate >= RATE_WANTED)
        )
    return out


def _called(qualname: str, problem: Problem) -> str:
    """The call, for a line: with the names of the parameters where there is room for them."""
    called = f"{qualname}({', '.join(problem.signature.parameters)})"
    return called if len(called) <= 32 else f"{qualname}(...)"


def _products(gradients: Any, direction: Any) -> list[float]:
    return [float(np.real(np.sum(np.asarray(g) * v))) for g, v in zip(gradients, direction, strict=True)]


def _of_theirs(
    qualname: str,
    function: Any,
    path: Any,
    name: str,
    against: Callable[..., Any],
    where: Any,
    call: Any,
    wrt: Any,
    seed: Any,
) -> Checked:
    """The checks of a gradient that somebody wrote: its value, and its worst entry."""
    from srcgrad.api import grad

    ours: tuple[Any, ...] | None = None
    df = grad(function, wrt=wrt, seed=seed)
    problem = Problem.of(df, call.args, call.kwargs)
    try:
        ours = problem.gradient_by(df)
    except SrcgradError as error:
        note(f"differences alone are compared with: {str(error).partition(chr(10))[0]}")
    place = f"{shown_path(str(where))}:{_line_of(against)}"
    of = f"{qualname} ({shown_path(str(path))}:{_line_of(function)})"
    out = Checked(
        f"{name}  {place}  as the gradient of {of} with respect to {', '.join(problem.wrt)}",
        name,
        shown_path(str(where)),
        _line_of(against),
    )
    result, after = _call_theirs(problem, against)
    value, theirs = _taken_apart(result, problem)
    called = _called(qualname, problem)
    if value is not None:
        if same_bits(value, problem.value):
            out.lines.append(Line("value", f"equal to {called}, bit for bit"))
        else:
            off = _apart(value, problem.value)
            close = off <= (1e-5 if problem.single else 1e-12)
            wrong = f"yours {_short(value)}, {called} is {_short(problem.value)}"
            text = f"equal to {called}, to rounding" if close else wrong
            out.lines.append(Line("value", text, f"{off:.1e}" if close else "", close))
    if not same_bits(list(after), list(problem.arguments_after.values())):
        out.lines.append(Line("arguments", f"not left as {qualname} leaves them", ok=False))
    fits = len(theirs) == len(problem.wrt)
    if not fits or any(np.shape(g) != np.shape(x) for g, x in zip(theirs, problem.base, strict=True)):
        wanted = ", ".join(str(np.shape(x)) for x in problem.base)
        given = ", ".join(str(np.shape(g)) for g in theirs)
        out.lines.append(Line("gradient", f"has shape {given}, and {wanted} is wanted", ok=False))
        return out
    comparison = problem.compare(theirs)
    if not comparison.wrong:
        text = f"of {comparison.entries_text}, against differences"
        out.lines.append(Line("gradient", text, f"{comparison.off:.1e}"))
        return out
    three = [f"yours {_fixed(comparison.given)}"]
    if ours is not None and comparison.entry is not None:
        k, i = comparison.entry
        three.append(f"srcgrad {_fixed(float(np.real(np.asarray(ours[k])[i])))}")
    three.append(f"differences {_fixed(comparison.wanted)}")
    index = comparison.place.removeprefix(problem.wrt[0]) if len(problem.wrt) == 1 else comparison.place
    at = f"worst at {index}: " if index else ""
    out.lines.append(Line("gradient", at + ", ".join(three), ok=False))
    return out


def _call_theirs(problem: Problem, against: Callable[..., Any]) -> tuple[Any, list[Any]]:
    """Calls the other function with the same arguments, by position: its parameters may be called otherwise."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return against(*args, **kwargs)

    result, arguments = problem.called(call)
    return result, list(arguments.values())


def _taken_apart(result: Any, problem: Problem) -> tuple[Any, tuple[Any, ...]]:
    """The value (None where there is none) and the gradients that a function of the user's returned."""
    n = len(problem.wrt)
    if isinstance(result, tuple) and len(result) == 2 and np.shape(problem.value) == _shape(result[0]):
        second = result[1]
        if not problem.many or (isinstance(second, (tuple, list)) and len(second) == n):
            return result[0], tuple(second) if problem.many else (second,)
    if problem.many:
        return None, tuple(result) if isinstance(result, (tuple, list)) else (result,)
    return None, (result,)


def _shape(x: Any) -> Any:
    try:
        return np.shape(x)
    except ValueError:  # ragged
        return None


def _apart(a: Any, b: Any) -> float:
    with np.errstate(all="ignore"):
        off = np.max(np.abs(np.asarray(a) - np.asarray(b)), initial=0.0)
        scale = np.max(np.abs(np.asarray(b)), initial=1e-300)
    return float(off / scale) if math.isfinite(off) else math.inf


def _fixed(x: float) -> str:
    return f"{x:.5f}" if 1e-3 <= abs(x) < 1e6 or x == 0 else f"{x:.5e}"


def _short(x: Any) -> str:
    return np.array2string(np.asarray(x), precision=6, threshold=6).replace("\n", "")


def described(x: Any) -> str:
    """The type of an argument, as in the header of generated code.

    >>> described(np.ones((2, 3))), described(1.0), described(np.float32(1))
    ('float64[2, 3]', 'float', 'float32')
    """
    if isinstance(x, np.ndarray):
        return f"{x.dtype}[{', '.join(map(str, x.shape))}]"
    return type(x).__name__


def _line_of(function: Any) -> int:
    code = getattr(function, "__code__", None)
    first = code.co_firstlineno if code is not None else 0
    try:
        from srcgrad.source.read import read

        return read(function).firstlineno  # of `def`, below decorators
    except SrcgradError:
        return first


def _print(results: list[Checked], form: str, seconds: float) -> None:
    if form == "json":
        print(json.dumps([_as_data(result) for result in results], indent=2))
        return
    for result in results:
        print(result.title)
        for line in result.lines:
            print(line)
        if form == "github":
            for line in result.failed:
                text = f"{line.name}: {line.text} {line.figure}".rstrip()
                print(
                    f"::error file={result.file},line={result.line},title=srcgrad check {result.name}::{text}"
                )
    made = [line for result in results for line in result.lines if line.ok is not None]
    failed = sum(len(result.failed) for result in results)
    if failed:
        print(f"{failed} of {len(made)} checks failed")
    elif results:
        print(f"{len(made)} check{'' if len(made) == 1 else 's'} passed in {seconds:.2f} s")


def _as_data(result: Checked) -> dict[str, Any]:
    return {
        "function": result.name,
        "file": result.file,
        "line": result.line,
        "ok": not result.failed,
        "checks": [
            {"name": line.name, "text": line.text, "figure": line.figure or None, "ok": line.ok}
            for line in result.lines
        ],
    }
